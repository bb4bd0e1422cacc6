// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/phases/OptionValues.h"
#include <charconv>
#include <cstdlib>
#include <map>

namespace zcc {

// Parses a number of bytes: `80GB`, `64GiB`, `1e9`. Returns what is wrong, or
// "".
static std::string parseBytes(const std::string &text, double &bytes) {
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
  constexpr double most = 1e18; // the same limit as for machines
  if (end == text.c_str() || found == units.end() || !(bytes > 0) ||
      bytes > most)
    return "expected a number of bytes as in 80GB or 64GiB, found '" + text +
           "'";
  return "";
}

// Parses each value of a list with `parse`.
template <typename T, typename Parse>
static std::string parseAll(const std::vector<std::string> &values, Parse parse,
                            std::vector<T> &list) {
  list.clear();
  for (const std::string &value : values)
    if (std::string wrong = parse(value, list.emplace_back()); !wrong.empty())
      return wrong;
  return "";
}

std::string takePlanOption(const std::string &name,
                           const std::vector<std::string> &values,
                           planning::Plan &plan) {
  const std::string value = values.empty() ? "" : values.front();
  bool open = value.empty() || value == "auto";
  std::string wrong;
  if (name == "mesh")
    wrong = planning::parseMesh(value, plan.mesh);
  else if (name == "microbatches")
    plan.microbatches = open ? 0 : std::stoll(value);
  else if (name == "zero")
    plan.zero = open ? -1 : std::stoi(value);
  else if (name == "zero-axes")
    plan.zeroAxes = planning::parseAxes(value);
  else if (name == "fold")
    plan.expertAxes = planning::parseFold(value);
  else if (name == "shard")
    wrong = parseAll(values, planning::parseAnnotation, plan.shard);
  else if (name == "state")
    wrong = parseAll(values, planning::parseState, plan.state);
  else if (name == "schedule")
    wrong = planning::parseSchedule(open ? "auto" : value, plan.schedule);
  else if (name == "remat")
    wrong = planning::parseRemat(value, plan.residuals);
  else if (name == "offload")
    wrong = planning::parseOffload(values, plan.offload);
  else if (name == "compress")
    wrong = planning::parseCompression(value, plan.compress.emplace());
  else if (name == "memory" && !value.empty())
    wrong = parseBytes(value, plan.memory);
  return wrong.empty() ? "" : "--" + name + ": " + wrong;
}

std::optional<double> parseDecay(const std::string &text) {
  double decay = 0;
  const char *end = text.data() + text.size();
  auto [at, error] = std::from_chars(text.data(), end, decay);
  if (error != std::errc() || at != end || !(decay >= 0 && decay < 1))
    return std::nullopt;
  return decay;
}

} // namespace zcc
