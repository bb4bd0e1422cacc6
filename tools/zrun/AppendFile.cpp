// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file that a run adds to for days.

#include "tools/zrun/AppendFile.h"

#include "runtime/core/Error.h"

#include <cerrno>
#include <cstring>
#include <unistd.h>

namespace zcc::rt {

void AppendFile::open(const std::string &path, int given) {
  name = path;
  fd = given;
}

AppendFile::~AppendFile() {
  if (fd >= 0)
    close(fd);
}

void AppendFile::add(const std::string &record) {
  if (fd < 0)
    return;
  size_t done = 0;
  int error = 0;
  while (done < record.size() && !error) {
    ssize_t written = write(fd, record.data() + done, record.size() - done);
    if (written > 0)
      done += written;
    else if (written == 0 || errno != EINTR)
      error = written == 0 ? EIO : errno;
  }
  bool good = done == record.size();
  if (!good) {
    problem = text(name, ": cannot write: ", std::strerror(error));
    // Half a record would spoil the next one.
    off_t end = lseek(fd, 0, SEEK_END);
    if (done > 0 && end >= off_t(done))
      (void)!ftruncate(fd, end - done);
    ++missing;
    told &= fails;
  }
  fails = !good;
}

void AppendFile::sync() {
  if (fd >= 0)
    (void)fdatasync(fd);
}

std::string AppendFile::takeProblem() {
  if (told)
    return "";
  told = true;
  return problem;
}

void AppendFile::check() const {
  if (missing == 1)
    fail(problem);
  if (missing > 1)
    fail(problem, "; ", missing, " records are missing");
}

} // namespace zcc::rt
