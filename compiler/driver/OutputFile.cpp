// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/OutputFile.h"
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace zcc {
namespace {
bool writeAll(int fd, const std::string &bytes) {
  for (size_t done = 0; done < bytes.size();) {
    ssize_t n = write(fd, bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    done += static_cast<size_t>(n);
  }
  return true;
}
} // namespace

std::string writeFile(const std::string &path, const std::string &bytes) {
  auto message = [&](const char *what) {
    return std::string(what) + " '" + path + "': " + std::strerror(errno);
  };
  if (path == "-")
    return writeAll(STDOUT_FILENO, bytes) ? "" : message("cannot write");
  struct stat info;
  // A pipe or a device has no place beside it, and cannot be half-written under
  // another name.
  if (stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
    int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd < 0)
      return message("cannot open");
    bool ok = writeAll(fd, bytes);
    return close(fd) == 0 && ok ? "" : message("cannot write");
  }
  std::string temporary = path + ".tmp" + std::to_string(getpid());
  int fd =
      open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0)
    return message("cannot write");
  bool ok = writeAll(fd, bytes);
  ok = close(fd) == 0 && ok;
  ok = ok && std::rename(temporary.c_str(), path.c_str()) == 0;
  if (ok)
    return "";
  std::string text = message("cannot write");
  unlink(temporary.c_str());
  return text;
}
} // namespace zcc
