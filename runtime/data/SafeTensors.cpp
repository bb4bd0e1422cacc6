// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Readers of the safetensors format.

#include "runtime/data/SafeTensors.h"

#include "runtime/core/Error.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstring>
#include <set>

namespace zcc::rt {

using Json = nlohmann::json;

namespace {
struct Dtype {
  const char *name;
  ElementType type;
};
constexpr Dtype dtypes[] = {
    {"BOOL", ElementType::I1},   {"I8", ElementType::I8},
    {"I16", ElementType::I16},   {"I32", ElementType::I32},
    {"I64", ElementType::I64},   {"U8", ElementType::U8},
    {"U16", ElementType::U16},   {"U32", ElementType::U32},
    {"U64", ElementType::U64},   {"F16", ElementType::F16},
    {"BF16", ElementType::BF16}, {"F32", ElementType::F32},
    {"F64", ElementType::F64},
};
// The limit of the reference implementation.
constexpr uint64_t maxHeader = 100000000;
} // namespace

ElementType elementTypeOfDtype(const std::string &dtype) {
  for (const Dtype &d : dtypes)
    if (dtype == d.name)
      return d.type;
  return ElementType::Invalid;
}

const char *dtypeName(ElementType type) {
  for (const Dtype &d : dtypes)
    if (type == d.type)
      return d.name;
  return nullptr;
}

/// Parses JSON whose top level is an object without repeated names.
static Json parseObject(const std::string &name, const char *begin,
                        const char *end) {
  std::set<std::string> seen;
  std::string repeated;
  auto callback = [&](int depth, Json::parse_event_t event, Json &value) {
    // The depth of a key is that of its object's contents.
    if (event == Json::parse_event_t::key && depth == 1 &&
        !seen.insert(value.get<std::string>()).second)
      repeated = value.get<std::string>();
    return true;
  };
  Json json = Json::parse(begin, end, callback, /*allow_exceptions=*/false);
  if (json.is_discarded() || !json.is_object())
    badInput(name, ": the header is not a JSON object");
  if (!repeated.empty())
    badInput(name, ": two tensors are named \"", repeated, "\"");
  return json;
}

static uint64_t unsignedNumber(const std::string &where, const Json &json) {
  if (!json.is_number_unsigned())
    badInput(where, ": expected a non-negative integer, found ",
             json.dump(-1, ' ', false, Json::error_handler_t::replace)
                 .substr(0, 40));
  return json.get<uint64_t>();
}

static TensorView parseTensor(const std::string &where, const Json &json,
                              const char *data, uint64_t dataSize) {
  if (!json.is_object() || !json.contains("dtype") || !json.contains("shape") ||
      !json.contains("data_offsets") || !json["dtype"].is_string() ||
      !json["shape"].is_array() || !json["data_offsets"].is_array() ||
      json["data_offsets"].size() != 2)
    badInput(where, ": expected dtype, shape and two data_offsets");
  TensorView view;
  std::string dtype = json["dtype"].get<std::string>();
  view.type = elementTypeOfDtype(dtype);
  if (view.type == ElementType::Invalid)
    badInput(where, ": dtype ", jsonText(dtype), " is not known");
  unsigned __int128 bytes = byteSize(view.type);
  bool empty = false;
  for (const Json &extent : json["shape"]) {
    uint64_t e = unsignedNumber(where, extent);
    if (e > uint64_t(INT64_MAX))
      badInput(where, ": an extent of ", e);
    view.shape.push_back(int64_t(e));
    if (e == 0)
      empty = true;
    else if (bytes < (unsigned __int128)(1) << 64)
      bytes *= e;
  }
  // Strides of an empty tensor are computed with the other extents.
  if (empty && bytes > INT64_MAX)
    badInput(where, ": shape ", view.shape, " is too large");
  if (empty)
    bytes = 0;
  uint64_t begin = unsignedNumber(where, json["data_offsets"][0]);
  uint64_t end = unsignedNumber(where, json["data_offsets"][1]);
  if (begin > end || end > dataSize)
    badInput(where, ": bytes ", begin, " to ", end,
             " lie outside of the data, which has ", dataSize, " bytes");
  if (end - begin != bytes)
    badInput(where, ": ", end - begin, " bytes of data, shape ", view.shape,
             " of ", dtype, " does not have as many");
  view.data = data + begin;
  view.bytes = end - begin;
  return view;
}

TensorMap parseSafeTensors(const std::string &name, const char *data,
                           size_t size,
                           std::map<std::string, std::string> *metadata) {
  uint64_t header;
  if (size < sizeof(header))
    badInput(name, ": not a safetensors file: ", size, " bytes");
  std::memcpy(&header, data, sizeof(header));
  if (header > maxHeader)
    badInput(
        name,
        ": not a safetensors file: its first 8 bytes, which are the length "
        "of a header of at most ",
        maxHeader, " bytes there, say ", header);
  if (header > size - sizeof(header))
    badInput(name, ": truncated: a header of ", header, " bytes in a file of ",
             size);
  const char *begin = data + sizeof(header);
  Json json = parseObject(name, begin, begin + header);
  const char *contents = begin + header;
  uint64_t contentsSize = size - sizeof(header) - header;

  TensorMap tensors;
  std::vector<std::pair<std::pair<uint64_t, uint64_t>, std::string>> places;
  for (const auto &[key, value] : json.items()) {
    if (key == "__metadata__") {
      if (metadata && value.is_object())
        for (const auto &[fact, said] : value.items())
          if (said.is_string())
            (*metadata)[fact] = said.get<std::string>();
      continue;
    }
    TensorView view = parseTensor(text(name, ": tensor ", jsonText(key)), value,
                                  contents, contentsSize);
    if (view.bytes)
      places.push_back({{view.data - contents, view.bytes}, key});
    tensors.emplace(key, std::move(view));
  }
  std::sort(places.begin(), places.end());
  uint64_t end = 0;
  for (size_t i = 0; i < places.size(); ++i) {
    auto [offset, bytes] = places[i].first;
    if (offset < end)
      badInput(name, ": tensors ", jsonText(places[i - 1].second), " and ",
               jsonText(places[i].second), " overlap");
    end = offset + bytes;
  }
  return tensors;
}

static bool endsWith(const std::string &s, const std::string &ending) {
  return s.size() >= ending.size() &&
         s.compare(s.size() - ending.size(), ending.size(), ending) == 0;
}

SafeTensors::SafeTensors(const std::string &path) : name(path) {
  if (endsWith(path, ".index.json")) {
    readIndex();
    return;
  }
  files.push_back(std::make_unique<MappedFile>(path));
  all = parseSafeTensors(path, files[0]->data(), files[0]->size(), &facts);
}

void SafeTensors::readIndex() {
  MappedFile index(name);
  Json json = parseObject(name, index.data(), index.data() + index.size());
  if (!json.contains("weight_map") || !json["weight_map"].is_object())
    badInput(name, ": expected an object \"weight_map\"");
  size_t slash = name.rfind('/');
  std::string folder =
      slash == std::string::npos ? "" : name.substr(0, slash + 1);
  std::map<std::string, TensorMap> opened;
  for (const auto &[tensor, file] : json["weight_map"].items()) {
    if (!file.is_string())
      badInput(name, ": tensor ", jsonText(tensor),
               ": expected the name of a file");
    std::string path = folder + file.get<std::string>();
    auto at = opened.find(path);
    if (at == opened.end()) {
      files.push_back(std::make_unique<MappedFile>(path));
      at = opened
               .emplace(path, parseSafeTensors(path, files.back()->data(),
                                               files.back()->size()))
               .first;
    }
    auto view = at->second.find(tensor);
    if (view == at->second.end())
      badInput(path, ": no tensor ", jsonText(tensor), ", which ", name,
               " places there");
    all.emplace(tensor, view->second);
  }
}

} // namespace zcc::rt
