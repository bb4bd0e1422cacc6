// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lines of the log, read back.

#include "tools/zrun/LogLine.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace zcc::rt {

const double *LogLine::find(const std::string &key) const {
  for (const auto &[name, value] : values)
    if (name == key)
      return &value;
  return nullptr;
}

LogLine parseLogLine(const std::string &text) {
  using Json = nlohmann::ordered_json;
  LogLine line;
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object())
    return line;
  for (const auto &[key, value] : json.items()) {
    if (key == "step") {
      if (value.is_number_integer())
        line.step = value.get<int64_t>();
      continue;
    }
    if (value.is_number())
      line.values.push_back({key, value.get<double>()});
    else if (value.is_boolean())
      line.values.push_back({key, value.get<bool>() ? 1.0 : 0.0});
    else if (value == "NaN")
      line.values.push_back({key, std::nan("")});
    else if (value == "Infinity" || value == "-Infinity")
      line.values.push_back({key, value == "Infinity" ? HUGE_VAL : -HUGE_VAL});
  }
  return line;
}

} // namespace zcc::rt
