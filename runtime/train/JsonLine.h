// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A JSON object on one line, for logs and traces.

#ifndef ZCC_RUNTIME_TRAIN_JSONLINE_H
#define ZCC_RUNTIME_TRAIN_JSONLINE_H

#include <cstdint>
#include <string>
#include <vector>

namespace zcc::rt {

/// One JSON object on one line, keys in the order of the calls. NaN and
/// infinity become strings.
class JsonLine {
public:
  JsonLine &number(const std::string &key, double value);
  JsonLine &number(const std::string &key, float value);
  JsonLine &integer(const std::string &key, int64_t value);
  JsonLine &boolean(const std::string &key, bool value);
  JsonLine &integers(const std::string &key,
                     const std::vector<int64_t> &values);
  /// `json` is JSON text.
  JsonLine &raw(const std::string &key, const std::string &json);
  std::string str() const { return "{" + body + "}"; }

private:
  std::string body;
};

} // namespace zcc::rt

#endif // ZCC_RUNTIME_TRAIN_JSONLINE_H
