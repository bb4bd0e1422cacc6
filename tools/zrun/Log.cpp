// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a run reports.

#include "tools/zrun/Log.h"

#include "runtime/core/Error.h"

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace zcc::rt {

std::string jsonNumber(double value) {
  std::string out = numberText(value);
  return std::isfinite(value) ? out : "\"" + out + "\"";
}
std::string jsonNumber(float value) {
  std::string out = numberText(value);
  return std::isfinite(value) ? out : "\"" + out + "\"";
}

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

LogFile::LogFile(const std::string &path) : path(path) {
  if (path.empty())
    return;
  fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC,
            0666);
  if (fd < 0)
    badInput(path, ": cannot write: ", std::strerror(errno));
}

LogFile::~LogFile() {
  if (fd >= 0)
    close(fd);
}

void LogFile::line(const std::string &content) {
  if (fd < 0)
    return;
  std::string whole = content + "\n";
  ssize_t written;
  do
    written = write(fd, whole.data(), whole.size());
  while (written < 0 && errno == EINTR);
  if (written != ssize_t(whole.size()))
    fail(path, ": cannot write: ",
         written < 0 ? std::strerror(errno) : "only a part was written");
}

Progress::Progress(bool enabled, int64_t steps)
    : enabled(enabled && isatty(STDERR_FILENO)), steps(steps),
      start(Clock::now()), last(start) {}

Progress::~Progress() { clear(); }

void Progress::show(int64_t step, float loss, double tokensPerSecond) {
  if (!enabled)
    return;
  auto now = Clock::now();
  if (shown != 0 && step != steps &&
      now - last < std::chrono::milliseconds(100))
    return;
  last = now;
  shown = step;
  double elapsed = std::chrono::duration<double>(now - start).count();
  auto left = int64_t(elapsed / double(step) * double(steps - step));
  std::fprintf(stderr,
               "\r\033[Kstep %lld/%lld  loss %.6g  %.3g tokens/s  "
               "%lld:%02lld:%02lld left",
               (long long)step, (long long)steps, loss, tokensPerSecond,
               (long long)(left / 3600), (long long)(left / 60 % 60),
               (long long)(left % 60));
  std::fflush(stderr);
  dirty = true;
}

void Progress::clear() {
  if (dirty)
    std::fputs("\n", stderr);
  dirty = false;
}

} // namespace zcc::rt
