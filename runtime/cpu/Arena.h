// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of a rank on a CPU: one allocation of exactly the planned size.

#ifndef ZCC_RUNTIME_CPU_ARENA_H
#define ZCC_RUNTIME_CPU_ARENA_H

#include <cstddef>
#include <cstdint>

namespace zcc::rt {

/// Zeroed, page-aligned memory, touched (and so resident) only where it is
/// used.
class Arena {
public:
  Arena() = default;
  explicit Arena(size_t bytes);
  Arena(Arena &&other) noexcept;
  Arena &operator=(Arena &&other) noexcept;
  ~Arena();

  char *data() const { return base; }
  size_t size() const { return length; }
  char *at(uint64_t offset) const { return base + offset; }

private:
  char *base = nullptr;
  size_t length = 0;
};

} // namespace zcc::rt

#endif // ZCC_RUNTIME_CPU_ARENA_H
