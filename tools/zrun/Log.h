// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a run reports: JSON lines in a file, and progress on a terminal.

#ifndef ZCC_TOOLS_ZRUN_LOG_H
#define ZCC_TOOLS_ZRUN_LOG_H

#include <chrono>
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

/// Numbers as JsonLine writes them.
std::string jsonNumber(double value);
std::string jsonNumber(float value);

class LogFile {
public:
  /// No path: nothing is written.
  explicit LogFile(const std::string &path);
  ~LogFile();
  LogFile(const LogFile &) = delete;
  /// One write of the line and its end, so that readers see whole lines.
  void line(const std::string &text);

private:
  std::string path;
  int fd = -1;
};

/// One line on the terminal, written anew a few times a second.
class Progress {
public:
  /// Does nothing unless standard error is a terminal.
  Progress(bool enabled, int64_t steps);
  ~Progress();
  void show(int64_t step, float loss, double tokensPerSecond);
  /// Ends the line, before something else is printed.
  void clear();

private:
  using Clock = std::chrono::steady_clock;
  bool enabled, dirty = false;
  int64_t steps, shown = 0;
  Clock::time_point start, last;
};

} // namespace zcc::rt

#endif // ZCC_TOOLS_ZRUN_LOG_H
