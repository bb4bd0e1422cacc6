// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions between f32 and narrower floats, round to nearest even, without
// branches where that lets loops be vectorized on any x86-64.

#ifndef ZCC_RUNTIME_CORE_FLOAT_H
#define ZCC_RUNTIME_CORE_FLOAT_H

#include <cstdint>
#include <cstring>

namespace zcc::rt {

inline float bitsToFloat(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

inline uint32_t floatToBits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

/// Rounds to odd: a second rounding, to 16 bits or fewer, gives the result of a
/// single rounding of `value`.
inline float roundToOdd(double value) {
  float nearest = static_cast<float>(value);
  double back = nearest;
  if (back == value || value != value || (floatToBits(nearest) & 1) ||
      (floatToBits(nearest) & 0x7F800000) == 0x7F800000)
    return nearest;
  bool awayFromZero = (back > value) == (value > 0);
  return bitsToFloat(floatToBits(nearest) + (awayFromZero ? -1 : 1));
}

inline float bf16ToFloat(uint16_t bits) {
  return bitsToFloat(uint32_t(bits) << 16);
}

inline uint16_t floatToBf16(float value) {
  uint32_t bits = floatToBits(value);
  uint32_t rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16;
  uint32_t quiet = (bits >> 16) | 0x40; // rounding could turn NaN into infinity
  return static_cast<uint16_t>((bits & 0x7FFFFFFF) > 0x7F800000 ? quiet
                                                                : rounded);
}

inline float f16ToFloat(uint16_t half) {
  uint32_t sign = uint32_t(half & 0x8000) << 16;
  uint32_t magnitude = uint32_t(half & 0x7FFF) << 13;
  // The exponent is rebased; that of infinity and NaN is raised to the full
  // one. A subnormal gets the exponent of 2^-14 and has that taken away again,
  // which is exact, and no operand is subnormal in f32: those are slow.
  uint32_t normal = magnitude + 0x38000000;
  normal += magnitude >= 0x0F800000 ? 0x38000000 : 0;
  float subnormal =
      bitsToFloat(magnitude | 0x38800000) - bitsToFloat(0x38800000);
  uint32_t bits = magnitude < 0x00800000 ? floatToBits(subnormal) : normal;
  return bitsToFloat(bits | sign);
}

inline uint16_t floatToF16(float value) {
  uint32_t bits = floatToBits(value);
  uint32_t sign = (bits >> 16) & 0x8000;
  uint32_t magnitude = bits & 0x7FFFFFFF;
  uint32_t result;
  if (magnitude > 0x7F800000) { // NaN
    result = 0x7E00 | ((magnitude >> 13) & 0x3FF);
  } else if (magnitude >= 0x477FF000) { // rounds to infinity
    result = 0x7C00;
  } else if (magnitude < 0x38800000) { // subnormal: let the adder round
    float shifted = bitsToFloat(magnitude) + 0.5f;
    result = floatToBits(shifted) - 0x3F000000;
  } else {
    uint32_t odd = (magnitude >> 13) & 1;
    result = (magnitude - 0x38000000 + 0xFFF + odd) >> 13;
  }
  return static_cast<uint16_t>(result | sign);
}

/// e4m3fn: 4 bits of exponent, bias 7, 3 of fraction, no infinity; all bits but
/// the sign set is NaN.
inline float f8ToFloat(uint8_t code) {
  uint32_t sign = uint32_t(code & 0x80) << 24;
  uint32_t magnitude = uint32_t(code & 0x7F) << 20;
  uint32_t normal = magnitude + 0x3C000000;
  normal |= magnitude == 0x07F00000 ? 0x7FC00000 : 0;
  // As in f16ToFloat, with the exponent of 2^-6.
  float subnormal =
      bitsToFloat(magnitude | 0x3C800000) - bitsToFloat(0x3C800000);
  uint32_t bits = magnitude < 0x00800000 ? floatToBits(subnormal) : normal;
  return bitsToFloat(bits | sign);
}

/// Values beyond 448, and infinity, become 448.
inline uint8_t floatToF8(float value) {
  uint32_t bits = floatToBits(value);
  uint32_t sign = (bits >> 24) & 0x80;
  uint32_t magnitude = bits & 0x7FFFFFFF;
  uint32_t result;
  if (magnitude > 0x7F800000) { // NaN
    result = 0x7F;
  } else if (magnitude < 0x3C800000) { // subnormal: let the adder round
    float shifted = bitsToFloat(magnitude) + 16384.0f;
    result = floatToBits(shifted) - 0x46800000;
  } else {
    uint32_t odd = (magnitude >> 20) & 1;
    result = (magnitude - 0x3C000000 + 0x7FFFF + odd) >> 20;
    result = result > 0x7E ? 0x7E : result;
  }
  return static_cast<uint8_t>(result | sign);
}

} // namespace zcc::rt

#endif // ZCC_RUNTIME_CORE_FLOAT_H
