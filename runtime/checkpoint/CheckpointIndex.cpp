// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints the text of checkpoint indices, and parses it. The checksum stands in
// the text itself, after everything that it covers, so that one rename
// publishes both.

#include "runtime/checkpoint/CheckpointIndex.h"

#include "runtime/checkpoint/Checksum.h"
#include "runtime/checkpoint/Overlap.h"
#include "runtime/core/Error.h"
#include "runtime/data/SafeTensors.h"
#include "runtime/format/Mesh.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>

namespace zcc::rt {

using Json = nlohmann::json;

static constexpr const char *formatName = "zcc checkpoint";
static constexpr int64_t formatVersion = 1;
static constexpr const char *sumBegin = "\"checksum\": \"";
static constexpr const char *sumEnd = "\"}\n";
static constexpr size_t sumDigits = 32;

std::string sliceName(const CheckpointIndex::Tensor &tensor,
                      const std::vector<int64_t> &start) {
  return text(tensor.kind, ":", tensor.name, start);
}

std::string printIndex(const CheckpointIndex &index) {
  const Standing &s = index.standing;
  std::string out = text(
      "{\"format\": ", jsonText(formatName), ", \"version\": ", formatVersion,
      ",\n\"step\": ", s.step, ", \"updates\": ", s.updates,
      ", \"loss_scale\": ", s.lossScale ? numberText(*s.lossScale) : "null",
      ", \"good_steps\": ", s.goodSteps,
      ", \"seed\": ", s.seed ? text(*s.seed) : "null",
      ",\n\"optimizer\": ", jsonText(index.optimizer),
      ", \"precision\": ", jsonText(index.precision),
      ", \"mesh\": ", jsonText(index.mesh), ",\n\"files\": [");
  const char *comma = "\n";
  for (const CheckpointIndex::File &file : index.files) {
    out += text(comma, "{\"name\": ", jsonText(file.name),
                ", \"bytes\": ", file.bytes,
                ", \"xxh3_128\": ", jsonText(file.checksum), "}");
    comma = ",\n";
  }
  out += "],\n\"tensors\": [";
  comma = "\n";
  for (const CheckpointIndex::Tensor &tensor : index.tensors) {
    out += text(comma, "{\"name\": ", jsonText(tensor.name),
                ", \"kind\": ", jsonText(tensor.kind), ", \"type\": \"",
                dtypeName(tensor.type), "\", \"shape\": ", tensor.shape,
                ", \"slices\": [");
    for (size_t i = 0; i < tensor.slices.size(); ++i) {
      const CheckpointIndex::Slice &slice = tensor.slices[i];
      out += text(i ? ", " : "", "[", slice.file, ", ", slice.start, ", ",
                  slice.shape, "]");
    }
    out += "]}";
    comma = ",\n";
  }
  out += "],\n";
  return text(out, sumBegin, checksumOf(out), sumEnd);
}

namespace {

/// A JSON value with its path in the file, for messages.
class Value {
public:
  Value(const Json &json, std::string where)
      : json(json), where(std::move(where)) {}

  Value member(const char *key) const {
    if (!json.is_object() || !json.contains(key))
      badInput(where, ": expected a member \"", key, "\"");
    return {json.at(key), text(where, ": ", key)};
  }
  bool isNull() const { return json.is_null(); }
  std::string string() const {
    if (!json.is_string())
      wrong("a string");
    return json.get<std::string>();
  }
  int64_t integer() const {
    if (!json.is_number_unsigned() || json.get<uint64_t>() > INT64_MAX)
      wrong("an integer from 0");
    return json.get<int64_t>();
  }
  uint64_t anyUnsigned() const {
    if (!json.is_number_unsigned())
      wrong("an integer from 0");
    return json.get<uint64_t>();
  }
  double number() const {
    if (!json.is_number())
      wrong("a number");
    return json.get<double>();
  }
  size_t size() const {
    if (!json.is_array())
      wrong("an array");
    return json.size();
  }
  Value at(size_t i) const { return {json.at(i), text(where, "[", i, "]")}; }
  std::vector<int64_t> integers() const {
    std::vector<int64_t> out;
    for (size_t i = 0, n = size(); i < n; ++i)
      out.push_back(at(i).integer());
    return out;
  }
  [[noreturn]] void wrong(const char *expected) const {
    badInput(where, ": expected ", expected, ", found ",
             json.dump(-1, ' ', false, Json::error_handler_t::replace)
                 .substr(0, 40));
  }

  const Json &json;
  std::string where;
};

TensorKind parseKind(const Value &value) {
  std::string name = value.string();
  bool plain = std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) || c == '_';
  });
  if (name.empty() || !plain)
    value.wrong("parameter, or the name of an optimizer's slot");
  return name;
}

/// The number of elements. Throws if that is more than memory can have.
int64_t checkedVolume(const Value &value, const std::vector<int64_t> &shape) {
  int64_t product = 1;
  for (int64_t extent : shape)
    if (__builtin_mul_overflow(product, extent, &product) ||
        product > INT64_MAX / 16)
      value.wrong("a shape of fewer elements");
  return product;
}

CheckpointIndex::Slice parseSlice(const Value &entry,
                                  const CheckpointIndex::Tensor &tensor,
                                  size_t files) {
  if (entry.size() != 3)
    entry.wrong("a file, a start and a shape");
  CheckpointIndex::Slice slice;
  int64_t file = entry.at(0).integer();
  if (uint64_t(file) >= files)
    entry.at(0).wrong(text("a number below ", files).c_str());
  slice.file = uint32_t(file);
  slice.start = entry.at(1).integers();
  slice.shape = entry.at(2).integers();
  bool inside = slice.start.size() == tensor.shape.size() &&
                slice.shape.size() == tensor.shape.size();
  for (size_t d = 0; inside && d < tensor.shape.size(); ++d)
    inside = slice.start[d] <= tensor.shape[d] &&
             slice.shape[d] <= tensor.shape[d] - slice.start[d];
  if (!inside)
    entry.wrong(text("a box inside of ", shapeText(tensor.shape)).c_str());
  return slice;
}

CheckpointIndex::Tensor
parseTensor(const Value &value,
            const std::vector<CheckpointIndex::File> &files) {
  CheckpointIndex::Tensor tensor;
  tensor.name = value.member("name").string();
  tensor.kind = parseKind(value.member("kind"));
  tensor.type = elementTypeOfDtype(value.member("type").string());
  if (tensor.type == ElementType::Invalid)
    value.member("type").wrong("a dtype of safetensors");
  tensor.shape = value.member("shape").integers();
  int64_t all = checkedVolume(value.member("shape"), tensor.shape);
  Value slices = value.member("slices");
  // If slices have more elements than the tensor, some overlap: no need to read
  // on.
  int64_t missing = all;
  for (size_t i = 0, n = slices.size(); i < n && missing >= 0; ++i) {
    tensor.slices.push_back(parseSlice(slices.at(i), tensor, files.size()));
    missing -= volume(tensor.slices.back().shape);
  }
  auto say = [&](const CheckpointIndex::Slice &slice) {
    return text(slice.shape, " at ", slice.start, " in ",
                files[slice.file].name);
  };
  std::string where =
      text(slices.where, ": ", tensor.kind, " ", jsonText(tensor.name));
  if (auto both = findOverlap(tensor.slices))
    badInput(where, ": the slices ", say(tensor.slices[both->first]), " and ",
             say(tensor.slices[both->second]), " overlap");
  if (missing != 0)
    badInput(where, ": the slices hold ", all - missing, " of its ", all,
             " elements");
  return tensor;
}

} // namespace

CheckpointIndex parseIndex(const std::string &name, const std::string &bytes) {
  size_t tail = std::char_traits<char>::length(sumBegin) + sumDigits +
                std::char_traits<char>::length(sumEnd);
  if (bytes.size() < tail)
    badInput(name, ": truncated: ", bytes.size(), " bytes");
  std::string body = bytes.substr(0, bytes.size() - tail);
  if (bytes.compare(body.size(), tail,
                    text(sumBegin, checksumOf(body), sumEnd)) != 0)
    badInput(name, ": damaged: its checksum differs");
  Json json = Json::parse(bytes, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded())
    badInput(name, ": not JSON");
  Value root(json, name);
  if (root.member("format").string() != formatName)
    root.member("format").wrong("\"zcc checkpoint\"");
  if (root.member("version").integer() != formatVersion)
    root.member("version").wrong("version 1");
  CheckpointIndex index;
  Standing &s = index.standing;
  s.step = root.member("step").integer();
  s.updates = root.member("updates").integer();
  s.goodSteps = root.member("good_steps").integer();
  if (s.updates > s.step || s.goodSteps > s.step)
    root.member("updates").wrong("no more updates and good steps than steps");
  Value scale = root.member("loss_scale");
  if (!scale.isNull()) {
    s.lossScale = scale.number();
    if (!std::isfinite(*s.lossScale) || *s.lossScale < 1)
      scale.wrong("a loss scale from 1");
  }
  if (!root.member("seed").isNull())
    s.seed = root.member("seed").anyUnsigned();
  index.optimizer = root.member("optimizer").string();
  index.precision = root.member("precision").string();
  index.mesh = root.member("mesh").string();
  Value files = root.member("files");
  for (size_t i = 0, n = files.size(); i < n; ++i) {
    CheckpointIndex::File file;
    file.name = files.at(i).member("name").string();
    if (file.name.empty() || file.name[0] == '.' ||
        file.name.find_first_of(std::string_view("/\0", 2)) !=
            std::string::npos)
      files.at(i).member("name").wrong("the plain name of a file");
    file.bytes = uint64_t(files.at(i).member("bytes").integer());
    file.checksum = files.at(i).member("xxh3_128").string();
    index.files.push_back(std::move(file));
  }
  std::set<std::pair<TensorKind, std::string>> seen;
  Value tensors = root.member("tensors");
  for (size_t i = 0, n = tensors.size(); i < n; ++i) {
    index.tensors.push_back(parseTensor(tensors.at(i), index.files));
    const CheckpointIndex::Tensor &tensor = index.tensors.back();
    if (!seen.insert({tensor.kind, tensor.name}).second)
      badInput(tensors.at(i).where, ": a second ", tensor.kind, " ",
               jsonText(tensor.name));
  }
  return index;
}

} // namespace zcc::rt
