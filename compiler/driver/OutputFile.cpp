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
std::string explain(const std::string &path) {
  return "cannot write '" + path + "': " + std::strerror(errno);
}

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

bool writeTo(const std::string &path, int flags, const std::string &bytes) {
  int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC | flags, 0666);
  if (fd < 0)
    return false;
  bool ok = writeAll(fd, bytes);
  return close(fd) == 0 && ok;
}

// Returns true for a pipe or a device: it cannot be replaced by a temporary
// file.
bool isSpecial(const std::string &path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode);
}

bool isFolder(const std::string &path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}
} // namespace

std::string checkPlace(const std::string &path) {
  if (path == "-")
    return "";
  if (isFolder(path)) {
    errno = EISDIR;
    return explain(path);
  }
  if (isSpecial(path))
    return access(path.c_str(), W_OK) == 0 ? "" : explain(path);
  size_t slash = path.rfind('/');
  std::string folder = slash == std::string::npos ? "."
                       : slash == 0               ? "/"
                                                  : path.substr(0, slash);
  return access(folder.c_str(), W_OK | X_OK) == 0 ? "" : explain(path);
}

OutputFiles::~OutputFiles() {
  for (const File &file : files)
    if (!file.temporary.empty())
      unlink(file.temporary.c_str());
}

std::string OutputFiles::add(const std::string &path, std::string bytes) {
  if (std::string message = checkPlace(path); !message.empty())
    return message;
  if (path == "-" || isSpecial(path)) {
    files.push_back({path, "", std::move(bytes)});
    return "";
  }
  std::string temporary = path + ".tmp" + std::to_string(getpid()) + "." +
                          std::to_string(files.size());
  files.push_back({path, temporary, ""});
  return writeTo(temporary, O_CREAT | O_TRUNC, bytes) ? "" : explain(path);
}

std::string OutputFiles::commit() {
  while (!files.empty()) {
    File &file = files.back();
    bool ok = file.path == "-" ? writeAll(STDOUT_FILENO, file.bytes)
              : file.temporary.empty()
                  ? writeTo(file.path, 0, file.bytes)
                  : std::rename(file.temporary.c_str(), file.path.c_str()) == 0;
    if (!ok)
      return explain(file.path);
    files.pop_back();
  }
  return "";
}

std::string writeFile(const std::string &path, const std::string &bytes) {
  OutputFiles files;
  if (std::string message = files.add(path, bytes); !message.empty())
    return message;
  return files.commit();
}
} // namespace zcc
