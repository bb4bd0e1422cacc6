// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The log of a run: JSON lines in a file.

#ifndef ZCC_TOOLS_ZRUN_LOG_H
#define ZCC_TOOLS_ZRUN_LOG_H

#include "runtime/train/JsonLine.h"
#include "tools/zrun/AppendFile.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace zcc::rt {

class LogFile {
public:
  /// No path: nothing is written. With `resumed`, what a log of an earlier run
  /// says of the steps up to that one stays, and the rest is cut off: a torn
  /// line, and steps that are now done again.
  explicit LogFile(const std::string &path, int64_t resumed = 0);

  void line(const std::string &text) { file.add(text + "\n"); }
  /// Makes the lines last.
  void sync() { file.sync(); }
  /// The file, which knows what could not be written.
  AppendFile &destination() { return file; }

private:
  AppendFile file;
};

} // namespace zcc::rt

#endif // ZCC_TOOLS_ZRUN_LOG_H
