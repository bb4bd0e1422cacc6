// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checksums. Files are read, not mapped: a disk that fails is an error then,
// not a signal.

#include "runtime/checkpoint/Checksum.h"

#include "runtime/format/Text.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

namespace zcc::rt {

static std::string hexadecimal(XXH128_hash_t hash) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, hash);
  std::string out;
  for (unsigned char byte : canonical.digest) {
    out += "0123456789abcdef"[byte >> 4];
    out += "0123456789abcdef"[byte & 15];
  }
  return out;
}

std::string checksumOf(std::string_view bytes) {
  return hexadecimal(XXH3_128bits(bytes.data(), bytes.size()));
}

std::string checksumOfFile(const std::string &path, uint64_t bytes,
                           std::string &problem) {
  int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    problem = errno == ENOENT
                  ? text(path, ": missing")
                  : text(path, ": cannot open: ", std::strerror(errno));
    return "";
  }
  struct stat status;
  if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) ||
      uint64_t(status.st_size) != bytes) {
    problem = text(path, ": ", uint64_t(status.st_size),
                   " bytes, the index says ", bytes);
    close(fd);
    return "";
  }
  XXH3_state_t state;
  XXH3_128bits_reset(&state);
  constexpr size_t chunk = 1 << 20;
  std::unique_ptr<char[]> buffer(new char[chunk]);
  uint64_t done = 0;
  while (done < bytes) {
    ssize_t got = read(fd, buffer.get(), chunk);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0) {
      problem = text(path, ": cannot read: ",
                     got < 0 ? std::strerror(errno) : "it ends early");
      close(fd);
      return "";
    }
    XXH3_128bits_update(&state, buffer.get(), got);
    done += got;
  }
  close(fd);
  return hexadecimal(XXH3_128bits_digest(&state));
}

} // namespace zcc::rt
