// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files under a temporary name. mkostemp() would need the process's umask to
// give them the usual permissions, which cannot be read without setting it for
// all threads; a name of the process and a count does without.

#include "runtime/data/NewFile.h"

#include "runtime/core/Error.h"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace zcc::rt {

static std::string folderOf(const std::string &path) {
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

/// A pipe or a device.
static bool isSpecial(const std::string &path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) &&
         !S_ISDIR(status.st_mode);
}

static bool isFolder(const std::string &path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

void checkWritable(const std::string &path, bool special) {
  bool isOne = isSpecial(path);
  if (isFolder(path) || (isOne && !special))
    badInput(path, ": cannot write: not a regular file");
  if (isOne && access(path.c_str(), W_OK) != 0)
    badInput(path, ": cannot write: ", std::strerror(errno));
  if (!isOne && access(folderOf(path).c_str(), W_OK | X_OK) != 0)
    badInput(path, ": cannot write into its folder: ", std::strerror(errno));
}

NewFile::NewFile(const std::string &path) : name(path) {
  checkWritable(path);
  static std::atomic<unsigned> made{0};
  do {
    temporary = text(path, ".", getpid(), "-", made++, ".tmp");
    fd = open(temporary.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (fd < 0 && errno == EEXIST); // of a process that was killed
  if (fd < 0)
    badInput(path, ": cannot write: ", std::strerror(errno));
}

NewFile::~NewFile() {
  if (fd < 0)
    return;
  close(fd);
  unlink(temporary.c_str());
}

void NewFile::commit(bool lasting) {
  if (lasting && fsync(fd) != 0)
    fail(name, ": cannot write: ", std::strerror(errno));
  if (std::rename(temporary.c_str(), name.c_str()) != 0)
    fail(name, ": cannot rename the temporary file: ", std::strerror(errno));
  int closed = close(fd);
  fd = -1;
  if (closed != 0)
    fail(name, ": cannot write: ", std::strerror(errno));
}

static void writeFully(const std::string &path, int fd,
                       std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      fail(path,
           ": cannot write: ", std::strerror(written < 0 ? errno : ENOSPC));
    bytes.remove_prefix(size_t(written));
  }
}

void writeNewFile(const std::string &path, std::string_view bytes) {
  if (!isSpecial(path)) {
    NewFile file(path);
    writeFully(path, file.descriptor(), bytes);
    file.commit(/*lasting=*/false);
    return;
  }
  int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0)
    badInput(path, ": cannot write: ", std::strerror(errno));
  try {
    writeFully(path, fd, bytes);
  } catch (...) {
    close(fd);
    throw;
  }
  if (close(fd) != 0)
    fail(path, ": cannot write: ", std::strerror(errno));
}

} // namespace zcc::rt
