// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Helpers for problems in JSON: they parse a document, report the place where
// it is no JSON, and hold the parts that readers share.
#ifndef ZCC_PLANNING_JSONTEXT_H
#define ZCC_PLANNING_JSONTEXT_H

#include <algorithm>
#include <fmt/format.h>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace zcc::planning {

/// Parses a document. Returns an error text with line and column, or "".
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

/// The base of readers of one document. `error` keeps the first error.
class JsonReader {
public:
  std::string error;

protected:
  void fail(const std::string &text) {
    if (error.empty())
      error = text;
  }

  bool isObject(const nlohmann::ordered_json &json, const std::string &at,
                std::initializer_list<const char *> keys) {
    if (!json.is_object()) {
      fail(at + ": expected an object");
      return false;
    }
    for (const auto &[key, value] : json.items())
      if (std::find(keys.begin(), keys.end(), key) == keys.end())
        fail(at + ": unknown key '" + key + "'");
    return error.empty();
  }
};

} // namespace zcc::planning

#endif
