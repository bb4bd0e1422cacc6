// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The folder of a run's checkpoints.

#include "runtime/checkpoint/Folder.h"

#include "runtime/core/Error.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace zcc::rt {

static constexpr const char *stepPrefix = "step-";
static constexpr const char *unfinishedPrefix = "writing-";

static bool startsWith(const std::string &s, const char *prefix) {
  return s.compare(0, std::strlen(prefix), prefix) == 0;
}

std::string stepFolder(const std::string &folder, int64_t step) {
  std::string digits = std::to_string(step);
  return folder + "/" + stepPrefix +
         std::string(9 - std::min<size_t>(9, digits.size()), '0') + digits;
}

bool isFolder(const std::string &path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

/// Gets the names in a folder; false if it cannot be read (errno).
static bool readNames(const std::string &folder,
                      std::vector<std::string> &names) {
  DIR *dir = opendir(folder.c_str());
  if (!dir)
    return false;
  while (dirent *entry = readdir(dir))
    if (std::strcmp(entry->d_name, ".") != 0 &&
        std::strcmp(entry->d_name, "..") != 0)
      names.push_back(entry->d_name);
  closedir(dir);
  return true;
}

/// The names in a folder; nothing if it does not exist.
static std::vector<std::string> list(const std::string &folder) {
  std::vector<std::string> names;
  if (!readNames(folder, names) && errno != ENOENT)
    fail(folder, ": cannot read the folder: ", std::strerror(errno));
  return names;
}

std::vector<int64_t> listSteps(const std::string &folder) {
  std::vector<int64_t> steps;
  for (const std::string &name : list(folder)) {
    if (!startsWith(name, stepPrefix))
      continue;
    std::string digits = name.substr(std::strlen(stepPrefix));
    if (digits.empty() || digits.size() > 18 ||
        digits.find_first_not_of("0123456789") != std::string::npos)
      continue;
    int64_t step = std::stoll(digits);
    if (stepFolder(folder, step) == folder + "/" + name)
      steps.push_back(step);
  }
  std::sort(steps.begin(), steps.end());
  return steps;
}

void makeFolder(const std::string &path) {
  for (size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    std::string part = path.substr(0, slash);
    if (mkdir(part.c_str(), 0777) != 0 && errno != EEXIST)
      badInput(part, ": cannot make the folder: ", std::strerror(errno));
    if (slash == std::string::npos)
      break;
  }
  if (!isFolder(path))
    badInput(path, ": not a folder");
  if (access(path.c_str(), W_OK | X_OK) != 0)
    badInput(path, ": cannot write into the folder: ", std::strerror(errno));
}

void removeAll(const std::string &path) {
  struct stat status;
  if (lstat(path.c_str(), &status) != 0)
    return;
  if (!S_ISDIR(status.st_mode)) {
    unlink(path.c_str());
    return;
  }
  std::vector<std::string> names;
  (void)readNames(path, names);
  for (const std::string &name : names)
    removeAll(path + "/" + name);
  rmdir(path.c_str());
}

void removeUnfinished(const std::string &folder) {
  for (const std::string &name : list(folder))
    if (startsWith(name, unfinishedPrefix))
      removeAll(folder + "/" + name);
}

std::string syncFolder(const std::string &path) {
  int fd = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  // Some file systems cannot sync folders, and need no sync.
  if (fd < 0 || (fsync(fd) != 0 && errno != EINVAL && errno != ENOTSUP)) {
    std::string problem = text(path, ": cannot sync: ", std::strerror(errno));
    if (fd >= 0)
      close(fd);
    return problem;
  }
  close(fd);
  return "";
}

static constexpr size_t page = 4096;

static std::string writeFully(int fd, const char *data, size_t bytes) {
  while (bytes != 0) {
    ssize_t written = ::write(fd, data, std::min<size_t>(bytes, 64 << 20));
    if (written < 0 && errno == EINTR)
      continue;
    // If direct writing needs another alignment, a plain copy is written.
    if (written < 0 && errno == EINVAL && (fcntl(fd, F_GETFL) & O_DIRECT)) {
      fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_DIRECT);
      continue;
    }
    if (written <= 0)
      return std::strerror(written < 0 ? errno : ENOSPC);
    data += written;
    bytes -= size_t(written);
  }
  return "";
}

std::string writeWholeFile(const std::string &path, std::string_view data,
                           bool direct) {
  size_t bytes = data.size();
  constexpr int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC;
  int fd = direct ? open(path.c_str(), flags | O_DIRECT, 0666) : -1;
  if (fd < 0) {
    direct = false;
    fd = open(path.c_str(), flags, 0666);
  }
  if (fd < 0)
    return text(path, ": cannot write: ", std::strerror(errno));
  std::string problem;
  // Reserving space shows a full disk before anything is written. If the file
  // system cannot reserve, writing will show it.
  if (fallocate(fd, 0, 0, off_t(bytes)) != 0 &&
      (errno == ENOSPC || errno == EDQUOT || errno == EFBIG))
    problem = std::strerror(errno);
  if (problem.empty())
    problem = writeFully(fd, data.data(),
                         direct ? (bytes + page - 1) / page * page : bytes);
  if (problem.empty() && direct && ftruncate(fd, off_t(bytes)) != 0)
    problem = std::strerror(errno);
  if (problem.empty() && fsync(fd) != 0)
    problem = std::strerror(errno);
  if (close(fd) != 0 && problem.empty())
    problem = std::strerror(errno);
  return problem.empty()
             ? ""
             : text(path, ": cannot write ", bytes, " bytes: ", problem);
}

std::string replaceFolder(const std::string &from, const std::string &to,
                          const std::string &aside) {
  bool existed = rename(to.c_str(), aside.c_str()) == 0;
  if (rename(from.c_str(), to.c_str()) != 0) {
    std::string problem = text(
        to, ": cannot rename the temporary folder: ", std::strerror(errno));
    if (existed)
      (void)rename(aside.c_str(), to.c_str());
    return problem;
  }
  if (existed)
    removeAll(aside);
  return "";
}

FolderLock::FolderLock(const std::string &folder) {
  std::string path = folder + "/lock";
  fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (fd < 0)
    badInput(path, ": cannot write: ", std::strerror(errno));
  if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
    int error = errno;
    char holder[200] = "";
    ssize_t got = pread(fd, holder, sizeof(holder) - 1, 0);
    close(fd);
    fd = -1;
    std::string who(holder, got > 0 ? got : 0);
    who.erase(std::min(who.find('\n'), who.size()));
    if (error == EWOULDBLOCK)
      badInput(folder, ": another run writes its checkpoints there",
               who.empty() ? "" : text(": ", who));
    // The file system has no locks: other users of the folder are not known.
    return;
  }
  char host[100] = "";
  gethostname(host, sizeof(host) - 1);
  std::string who = text("process ", getpid(), " on ", host, "\n");
  if (ftruncate(fd, 0) != 0 ||
      pwrite(fd, who.data(), who.size(), 0) != ssize_t(who.size()))
    (void)0; // only the message of another run loses by it
}

FolderLock::~FolderLock() {
  if (fd >= 0)
    close(fd);
}

} // namespace zcc::rt
