// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a run reports.

#include "tools/zrun/Log.h"

#include "runtime/core/Error.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
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

LogFile::LogFile(const std::string &path, int64_t resumed) : path(path) {
  if (path.empty())
    return;
  fd = open(path.c_str(),
            O_RDWR | O_CREAT | (resumed ? 0 : O_TRUNC) | O_APPEND | O_CLOEXEC,
            0666);
  // What can only be written to has no end to be cut.
  if (fd < 0)
    fd = open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  else if (resumed)
    try {
      cut(resumed);
    } catch (...) {
      close(fd);
      throw;
    }
  if (fd < 0)
    badInput(path, ": cannot write: ", std::strerror(errno));
}

void LogFile::cut(int64_t resumed) {
  std::string content;
  char buffer[1 << 16];
  ssize_t got;
  while ((got = read(fd, buffer, sizeof(buffer))) > 0 ||
         (got < 0 && errno == EINTR))
    content.append(buffer, std::max<ssize_t>(got, 0));
  if (got < 0)
    fail(path, ": cannot read: ", std::strerror(errno));
  size_t keep = 0;
  while (keep < content.size()) {
    size_t end = content.find('\n', keep);
    if (end == std::string::npos || content[keep] != '{' ||
        content[end - 1] != '}')
      break;
    long long step;
    if (std::sscanf(content.c_str() + keep, "{\"step\": %lld", &step) == 1 &&
        step > resumed)
      break;
    keep = end + 1;
  }
  // Another file, given by mistake, is not to be lost.
  constexpr std::string_view begin = "{\"ranks\"";
  if (content.compare(0, begin.size(), begin.substr(0, content.size())) != 0)
    badInput(path, ": not a log of zrun, which --resume would go on");
  if (keep < content.size() && ftruncate(fd, off_t(keep)) != 0)
    fail(path, ": cannot cut: ", std::strerror(errno));
}

void LogFile::sync() {
  if (fd >= 0)
    (void)fdatasync(fd);
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

} // namespace zcc::rt
