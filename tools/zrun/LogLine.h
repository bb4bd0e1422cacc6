// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lines of the log, read back.

#ifndef ZCC_TOOLS_ZRUN_LOGLINE_H
#define ZCC_TOOLS_ZRUN_LOGLINE_H

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace zcc::rt {

struct LogLine {
  std::optional<int64_t> step; // nothing: the head, a mean, or no line at all
  /// Numbers, and booleans as 0 and 1, in the order of the line; the words for
  /// NaN and infinity are numbers again.
  std::vector<std::pair<std::string, double>> values;

  const double *find(const std::string &key) const;
};

LogLine parseLogLine(const std::string &text);

} // namespace zcc::rt

#endif // ZCC_TOOLS_ZRUN_LOGLINE_H
