// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of a rank on a CPU.

#include "runtime/cpu/Arena.h"

#include "runtime/core/Error.h"

#include <cerrno>
#include <cstring>
#include <sys/mman.h>
#include <utility>

namespace zcc::rt {

Arena::Arena(size_t bytes) : length(bytes) {
  if (bytes == 0)
    return;
  void *map = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (map == MAP_FAILED)
    fail("cannot allocate an arena of ", bytes,
         " bytes: ", std::strerror(errno));
  base = static_cast<char *>(map);
  // Fewer page faults and TLB misses; a hint, refused on some systems.
  if (bytes >= (4u << 20))
    (void)madvise(map, bytes, MADV_HUGEPAGE);
}

Arena::Arena(Arena &&other) noexcept
    : base(std::exchange(other.base, nullptr)),
      length(std::exchange(other.length, 0)) {}

Arena &Arena::operator=(Arena &&other) noexcept {
  std::swap(base, other.base);
  std::swap(length, other.length);
  return *this;
}

Arena::~Arena() {
  if (base)
    munmap(base, length);
}

} // namespace zcc::rt
