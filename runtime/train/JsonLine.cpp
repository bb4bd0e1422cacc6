// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/train/JsonLine.h"

#include "runtime/format/Text.h"

namespace zcc::rt {

JsonLine &JsonLine::raw(const std::string &key, const std::string &json) {
  body += text(body.empty() ? "" : ", ", jsonText(key), ": ", json);
  return *this;
}
JsonLine &JsonLine::number(const std::string &key, double value) {
  return raw(key, jsonNumber(value));
}
JsonLine &JsonLine::number(const std::string &key, float value) {
  return raw(key, jsonNumber(value));
}
JsonLine &JsonLine::integer(const std::string &key, int64_t value) {
  return raw(key, std::to_string(value));
}
JsonLine &JsonLine::boolean(const std::string &key, bool value) {
  return raw(key, value ? "true" : "false");
}
JsonLine &JsonLine::integers(const std::string &key,
                             const std::vector<int64_t> &values) {
  return raw(key, shapeText(values));
}

} // namespace zcc::rt
