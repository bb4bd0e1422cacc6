// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/OptionValues.h"
#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>
#include <sstream>

namespace zcc {

std::vector<std::string> split(const std::string &text, char separator) {
  std::vector<std::string> parts;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);)
    parts.push_back(part);
  if (text.empty() || text.back() == separator)
    parts.push_back("");
  return parts;
}

// Letters, digits and underscores, a letter first.
static bool isName(const std::string &text) {
  return !text.empty() && !std::isdigit(static_cast<unsigned char>(text[0])) &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) {
           return std::isalnum(c) || c == '_';
         });
}

static bool parseSize(const std::string &digits, int64_t &value) {
  if (digits.empty() || digits.size() > 7 ||
      !std::all_of(digits.begin(), digits.end(),
                   [](unsigned char c) { return std::isdigit(c); }))
    return false;
  value = std::atoll(digits.c_str());
  return value > 0;
}

// An axis, or a part of it as in `tensor:(2)4`: 4 coordinates that 2 major ones
// stand before. `size` is 0 for all of it.
static bool parsePart(const std::string &text, std::string &axis,
                      int64_t &before, int64_t &size) {
  size_t colon = text.find(':'), close = text.find(')');
  axis = text.substr(0, colon);
  before = 1;
  size = 0;
  if (!isName(axis) || colon == std::string::npos)
    return isName(text);
  return text.compare(colon, 2, ":(") == 0 && close != std::string::npos &&
         parseSize(text.substr(colon + 2, close - colon - 2), before) &&
         parseSize(text.substr(close + 1), size);
}

std::string parseMesh(const std::string &text, std::vector<MeshAxis> &axes) {
  axes.clear();
  std::string usage = "--mesh: expected numbers as in 8x64, or named axes as "
                      "in data=8,tensor=4, found '" +
                      text + "'";
  constexpr int64_t most = 1 << 24;
  int64_t size, product = 1;
  bool bare = text.find('=') == std::string::npos;
  for (const std::string &part : split(text, bare ? 'x' : ',')) {
    size_t equals = bare ? std::string::npos : part.find('=');
    if (!bare && equals == std::string::npos)
      return usage;
    if (!parseSize(bare ? part : part.substr(equals + 1), size))
      return usage;
    if ((product *= size) > most)
      return "--mesh: '" + text + "' has more than " + std::to_string(most) +
             " devices";
    if (bare)
      continue;
    std::string name = part.substr(0, equals);
    if (!isName(name))
      return usage;
    if (name == "micro")
      return "--mesh: axis 'micro' is that of the microbatches; "
             "--microbatches gives its size";
    for (const MeshAxis &axis : axes)
      if (axis.name == name)
        return "--mesh: axis '" + name + "' stands twice in '" + text + "'";
    if (name == "pipe" && size > 1)
      return "--mesh: axis 'pipe' does not work yet (not yet)";
    axes.push_back({name, size});
  }
  if (bare)
    axes.push_back({product == 1 ? "data" : "", product});
  return "";
}

std::string parseShard(const std::string &text, ShardRequest &request) {
  auto usage = [&](const std::string &found) {
    return "--shard: expected NAME-GLOB=AXES, one entry a dim as in "
           "'*.wo=data,-,tensor', found " +
           found;
  };
  size_t equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0)
    return usage("'" + text + "'");
  request = {text.substr(0, equals), {}};
  std::set<std::string> seen;
  std::vector<std::string> dims = split(text.substr(equals + 1), ',');
  for (size_t i = 0; i < dims.size(); ++i) {
    std::vector<std::string> &axes = request.dims.emplace_back();
    if (dims[i] == "-" || dims[i] == "?")
      continue;
    for (const std::string &axis : split(dims[i], '+')) {
      std::string name;
      int64_t before, size;
      if (!parsePart(axis, name, before, size))
        return usage("'" + dims[i] + "' for dim " + std::to_string(i) +
                     " in '" + text + "'");
      if (!seen.insert(axis).second)
        return "--shard: axis '" + axis + "' stands twice in '" + text + "'";
      axes.push_back(axis);
    }
  }
  return "";
}

std::string checkState(const std::string &text) {
  size_t equals = text.rfind('=');
  if (equals != std::string::npos && equals > 0)
    for (const char *value : {"0", "1", "2", "3", "keep", "gather"})
      if (text.substr(equals + 1) == value)
        return "";
  return "--state: expected NAME-GLOB=0|1|2|3|keep|gather, found '" + text +
         "'";
}

std::vector<std::string> parseAxes(const std::string &text) {
  std::string names = text;
  std::replace(names.begin(), names.end(), '+', ',');
  return names.empty() ? std::vector<std::string>() : split(names, ',');
}

std::string checkAxes(const std::vector<MeshAxis> &mesh,
                      const std::vector<std::string> &shard,
                      const std::string &zeroAxes) {
  if (mesh.size() == 1 && mesh.front().name.empty())
    return "";
  std::string list;
  for (const MeshAxis &axis : mesh)
    list += (list.empty() ? "" : ", ") + axis.name;
  // What is wrong with an axis, or "".
  auto check = [&](const std::string &text) -> std::string {
    std::string name;
    int64_t before, size;
    bool parsed = parsePart(text, name, before, size);
    for (const MeshAxis &axis : mesh) {
      if (!parsed || axis.name != name)
        continue;
      if (size && axis.size > 1 && axis.size % (before * size) != 0)
        return "names '" + text + "', which is no part of axis '" + name +
               "' of " + std::to_string(axis.size);
      return "";
    }
    return "names the axis '" + (parsed ? name : text) + "'; the mesh has " +
           list;
  };
  for (const std::string &text : shard) {
    ShardRequest request;
    if (std::string message = parseShard(text, request); !message.empty())
      return message;
    for (const auto &axes : request.dims)
      for (const std::string &axis : axes)
        if (std::string wrong = check(axis); !wrong.empty())
          return "--shard: '" + text + "' " + wrong;
  }
  std::vector<std::string> seen;
  for (const std::string &axis : parseAxes(zeroAxes)) {
    if (std::string wrong = check(axis); !wrong.empty())
      return "--zero-axes: '" + zeroAxes + "' " + wrong;
    std::string name, otherName;
    int64_t before, size, otherBefore, otherSize;
    parsePart(axis, name, before, size);
    for (const std::string &other : seen) {
      parsePart(other, otherName, otherBefore, otherSize);
      if (axis == other)
        return "--zero-axes: axis '" + axis + "' stands twice in '" + zeroAxes +
               "'";
      // A whole axis has no size.
      bool apart =
          size != 0 && otherSize != 0 &&
          (before >= otherBefore * otherSize || otherBefore >= before * size);
      if (name == otherName && !apart)
        return "--zero-axes: '" + other + "' and '" + axis +
               "' have devices in common";
    }
    seen.push_back(axis);
  }
  return "";
}

std::string parseBytes(const std::string &text, double &bytes) {
  char *end = nullptr;
  bytes = std::strtod(text.c_str(), &end);
  std::string unit = end;
  static const std::map<std::string, double> units = {{"", 1},
                                                      {"B", 1},
                                                      {"kB", 1e3},
                                                      {"KB", 1e3},
                                                      {"MB", 1e6},
                                                      {"GB", 1e9},
                                                      {"TB", 1e12},
                                                      {"KiB", 1024.},
                                                      {"MiB", 1048576.},
                                                      {"GiB", 1073741824.},
                                                      {"TiB", 1099511627776.}};
  auto found = units.find(unit);
  if (found != units.end())
    bytes *= found->second;
  constexpr double most = 1e18; // as of machines
  if (end == text.c_str() || found == units.end() || !(bytes > 0) ||
      bytes > most)
    return "--memory: expected a number of bytes as in 80GB or 64GiB, found '" +
           text + "'";
  return "";
}

} // namespace zcc
