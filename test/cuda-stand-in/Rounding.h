// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rounds an f32 as tensor cores do before they multiply it.

#ifndef ZCC_TEST_CUDASTANDIN_ROUNDING_H
#define ZCC_TEST_CUDASTANDIN_ROUNDING_H

#include <cmath>
#include <cstdint>
#include <cstring>

namespace zcc::standin {

/// Rounds to 10 bits behind the point, ties to even.
inline float roundToTf32(float value) {
  if (!std::isfinite(value))
    return value;
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  bits += 0xfff + (bits >> 13 & 1);
  bits &= ~uint32_t(0x1fff);
  std::memcpy(&value, &bits, sizeof bits);
  return value;
}

} // namespace zcc::standin

#endif // ZCC_TEST_CUDASTANDIN_ROUNDING_H
