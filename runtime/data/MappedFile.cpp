// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file that is read through the page cache.

#include "runtime/data/MappedFile.h"

#include "runtime/core/Error.h"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace zcc::rt {

MappedFile::MappedFile(const std::string &path) : name(path) {
  int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    badInput(path, ": cannot open: ", std::strerror(errno));
  struct stat status;
  if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
    close(fd);
    badInput(path, ": not a regular file");
  }
  length = status.st_size;
  if (length != 0) {
    void *map = mmap(nullptr, length, PROT_READ, MAP_SHARED, fd, 0);
    if (map == MAP_FAILED) {
      std::string reason = std::strerror(errno);
      close(fd);
      badInput(path, ": cannot map: ", reason);
    }
    base = static_cast<const char *>(map);
  }
  close(fd);
}

MappedFile::~MappedFile() {
  if (base)
    munmap(const_cast<char *>(base), length);
}

static void advise(const char *from, size_t bytes, int advice) {
  constexpr uintptr_t page = 4096;
  auto begin = reinterpret_cast<uintptr_t>(from) / page * page;
  auto end =
      (reinterpret_cast<uintptr_t>(from) + bytes + page - 1) / page * page;
  (void)madvise(reinterpret_cast<void *>(begin), end - begin, advice);
}

void MappedFile::readAtRandom() const {
  if (base)
    advise(base, length, MADV_RANDOM);
}

void MappedFile::release(const char *from, size_t bytes) {
  if (bytes)
    advise(from, bytes, MADV_DONTNEED);
}

void MappedFile::prefetch(const char *from, size_t bytes) {
  if (bytes)
    advise(from, bytes, MADV_WILLNEED);
}

} // namespace zcc::rt
