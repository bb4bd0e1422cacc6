// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problems in JSON: the document, and where it is none.
#ifndef ZCC_COMPILER_PLANNING_JSONTEXT_H
#define ZCC_COMPILER_PLANNING_JSONTEXT_H

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace zcc::planning {

/// An error text with line and column, or empty.
[[nodiscard]] inline std::string parseJson(std::string_view text,
                                           nlohmann::ordered_json &json) {
  try {
    json = nlohmann::ordered_json::parse(text);
  } catch (const nlohmann::ordered_json::parse_error &e) {
    size_t end = std::min(e.byte, text.size());
    std::string_view before = text.substr(0, end ? end - 1 : 0);
    size_t line = 1 + std::count(before.begin(), before.end(), '\n');
    size_t column = before.size() - (before.rfind('\n') + 1) + 1;
    return fmt::format("{}:{}: expected JSON", line, column);
  } catch (const nlohmann::ordered_json::out_of_range &) {
    return "the problem: a number is too large";
  }
  return "";
}

} // namespace zcc::planning

#endif
