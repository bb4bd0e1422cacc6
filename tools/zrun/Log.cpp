// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the log of a run, one JSON object a line. A run that resumes goes on
// in the same file.

#include "tools/zrun/Log.h"

#include "runtime/core/Error.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace zcc::rt {

namespace {

/// Reads the lines of a file, the last one first. It holds one block of the
/// file in memory, however long a torn line is.
class LinesFromEnd {
public:
  LinesFromEnd(const std::string &path, int fd, off_t size)
      : path(path), fd(fd), size(size), first(size) {}

  /// Goes to the line before; false at the beginning of the file.
  bool next() {
    if (first == 0)
      return false;
    last = first - 1; // its newline, if it has one
    for (off_t at = last; at > 0; at = start) {
      load(at - 1);
      if (const void *found = memrchr(block, '\n', at - start)) {
        first = start + (static_cast<const char *>(found) - block) + 1;
        return true;
      }
    }
    first = 0;
    return true;
  }

  off_t begin() const { return first; }
  /// An object, and a newline behind it.
  bool isWhole() {
    return last - first >= 2 && at(first) == '{' && at(last - 1) == '}' &&
           at(last) == '\n';
  }
  /// Up to `most` bytes.
  std::string head(size_t most) {
    std::string bytes;
    for (off_t i = first; i <= last && bytes.size() < most; ++i)
      bytes += at(i);
    return bytes;
  }

private:
  char at(off_t place) {
    load(place);
    return block[place - start];
  }
  void load(off_t place) {
    off_t wanted = place - place % off_t(sizeof(block));
    if (wanted == start)
      return;
    size_t bytes = std::min<off_t>(sizeof(block), size - wanted);
    for (size_t done = 0; done < bytes;) {
      ssize_t got = pread(fd, block + done, bytes - done, wanted + done);
      if (got < 0 && errno == EINTR)
        continue;
      if (got <= 0)
        fail(path, ": cannot read: ",
             got < 0 ? std::strerror(errno) : "it became shorter");
      done += got;
    }
    start = wanted;
  }

  const std::string &path;
  const int fd;
  const off_t size;
  off_t first, last = 0; // where the line begins and ends
  off_t start = -1;      // where the block begins
  char block[1 << 16];
};

} // namespace

/// Cuts off the lines of steps after step `resumed`, which the run does again,
/// and a torn line at the end. Refuses a file that is no log. Reads from the
/// end, because a log of days is long.
static void cut(const std::string &path, int fd, int64_t resumed) {
  struct stat status;
  if (fstat(fd, &status) != 0)
    fail(path, ": cannot read: ", std::strerror(errno));
  if (!S_ISREG(status.st_mode)) // a pipe or a terminal has no past
    return;
  // Another file, given by mistake, is not to be lost.
  constexpr std::string_view begin = "{\"ranks\"";
  char found[begin.size()];
  ssize_t got = pread(fd, found, sizeof(found), 0);
  if (got < 0)
    fail(path, ": cannot read: ", std::strerror(errno));
  if (std::string_view(found, got) != begin.substr(0, got))
    badInput(path, ": not a log of zrun, which --resume would go on");
  off_t keep = status.st_size;
  LinesFromEnd lines(path, fd, status.st_size);
  while (lines.next()) {
    long long step;
    bool whole = lines.isWhole();
    bool counts = whole && std::sscanf(lines.head(40).c_str(),
                                       "{\"step\": %lld", &step) == 1;
    if (counts && step <= resumed)
      break;
    if (!whole || counts)
      keep = lines.begin();
  }
  if (keep < status.st_size && ftruncate(fd, keep) != 0)
    fail(path, ": cannot cut: ", std::strerror(errno));
}

LogFile::LogFile(const std::string &path, int64_t resumed) {
  if (path.empty())
    return;
  int fd = open(
      path.c_str(),
      O_RDWR | O_CREAT | (resumed ? 0 : O_TRUNC) | O_APPEND | O_CLOEXEC, 0666);
  // A file that can only be written to is not cut.
  const bool readable = fd >= 0;
  if (!readable)
    fd = open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (fd < 0)
    badInput(path, ": cannot write: ", std::strerror(errno));
  file.open(path, fd);
  if (resumed && readable)
    cut(path, fd, resumed);
}

} // namespace zcc::rt
