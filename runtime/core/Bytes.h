// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies bytes of operands, which may be empty.

#ifndef ZCC_RUNTIME_CORE_BYTES_H
#define ZCC_RUNTIME_CORE_BYTES_H

#include <cstddef>
#include <cstring>

namespace zcc::rt {

/// std::memcpy(), but an empty operand may be nowhere.
inline void copyBytes(void *to, const void *from, size_t bytes) {
  if (bytes != 0)
    std::memcpy(to, from, bytes);
}

} // namespace zcc::rt

#endif // ZCC_RUNTIME_CORE_BYTES_H
