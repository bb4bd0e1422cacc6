// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element types as they lie in memory, and the types that they are computed in.

#ifndef ZCC_RUNTIME_REFERENCE_TYPES_H
#define ZCC_RUNTIME_REFERENCE_TYPES_H

#include "runtime/core/Float.h"
#include "runtime/format/ElementType.h"

#include <cmath>
#include <limits>
#include <type_traits>

namespace zcc::rt::reference {

struct F16 {
  uint16_t bits;
};
struct BF16 {
  uint16_t bits;
};
/// A type that is only converted and moved.
struct F8 {
  uint8_t bits;
};
/// Any byte but zero is true, since padding may hold any number.
struct I1 {
  uint8_t byte;
};

template <typename T>
constexpr bool isFloatElement =
    std::is_same_v<T, F16> || std::is_same_v<T, BF16> ||
    std::is_same_v<T, F8> || std::is_floating_point_v<T>;
template <typename T>
constexpr bool isUnsignedElement =
    std::is_same_v<T, I1> || std::is_unsigned_v<T>;
template <typename T>
constexpr int bitsOf = std::is_same_v<T, I1> ? 1 : 8 * int(sizeof(T));

/// The type that sums of elements are computed in: f32 for floats up to f32; 64
/// bits for integers, extended by the sign of their type.
template <typename T>
using Wide = std::conditional_t<
    std::is_same_v<T, double>, double,
    std::conditional_t<isFloatElement<T>, float, int64_t>>;

inline float load(F16 x) { return f16ToFloat(x.bits); }
inline float load(BF16 x) { return bf16ToFloat(x.bits); }
inline float load(F8 x) { return f8ToFloat(x.bits); }
inline float load(float x) { return x; }
inline double load(double x) { return x; }
inline int64_t load(I1 x) { return x.byte != 0; }
template <typename T>
std::enable_if_t<std::is_integral_v<T>, int64_t> load(T x) {
  return static_cast<int64_t>(x);
}

/// Rounds to the nearest element, ties to even; keeps the low bits of an
/// integer.
template <typename T> struct Store {
  static T of(int64_t x) { return static_cast<T>(x); }
};
template <> struct Store<I1> {
  static I1 of(int64_t x) { return {static_cast<uint8_t>(x & 1)}; }
};
template <> struct Store<F16> {
  static F16 of(float x) { return {floatToF16(x)}; }
  static F16 of(double x) { return {floatToF16(roundToOdd(x))}; }
};
template <> struct Store<BF16> {
  static BF16 of(float x) { return {floatToBf16(x)}; }
  static BF16 of(double x) { return {floatToBf16(roundToOdd(x))}; }
};
template <> struct Store<F8> {
  static F8 of(float x) { return {floatToF8(x)}; }
  static F8 of(double x) { return {floatToF8(roundToOdd(x))}; }
};
template <> struct Store<float> {
  static float of(float x) { return x; }
  static float of(double x) { return static_cast<float>(x); }
};
template <> struct Store<double> {
  static double of(double x) { return x; }
};
template <typename T, typename W> T store(W x) { return Store<T>::of(x); }

/// Keeps an integer's low bits, and extends them again.
template <typename T> int64_t wrap(int64_t x) { return load(store<T>(x)); }

template <typename T> struct Tag {
  using Type = T;
};

template <typename F> void dispatchFloat(ElementType type, F &&f) {
  switch (type) {
  case ElementType::F16:
    return f(Tag<F16>());
  case ElementType::BF16:
    return f(Tag<BF16>());
  case ElementType::F32:
    return f(Tag<float>());
  default:
    return f(Tag<double>());
  }
}

/// i1 counts as an integer here.
template <typename F> void dispatchInteger(ElementType type, F &&f) {
  switch (type) {
  case ElementType::I1:
    return f(Tag<I1>());
  case ElementType::I8:
    return f(Tag<int8_t>());
  case ElementType::I16:
    return f(Tag<int16_t>());
  case ElementType::I32:
    return f(Tag<int32_t>());
  case ElementType::I64:
    return f(Tag<int64_t>());
  case ElementType::U8:
    return f(Tag<uint8_t>());
  case ElementType::U16:
    return f(Tag<uint16_t>());
  case ElementType::U32:
    return f(Tag<uint32_t>());
  default:
    return f(Tag<uint64_t>());
  }
}

/// Calls f(Tag<T>()) with the type of the elements in memory.
template <typename F> void dispatch(ElementType type, F &&f) {
  if (isFloat(type))
    dispatchFloat(type, f);
  else
    dispatchInteger(type, f);
}

/// The same by width alone, for ops that only move elements.
template <typename F> void dispatchWidth(ElementType type, F &&f) {
  switch (byteSize(type)) {
  case 1:
    return f(Tag<uint8_t>());
  case 2:
    return f(Tag<uint16_t>());
  case 4:
    return f(Tag<uint32_t>());
  default:
    return f(Tag<uint64_t>());
  }
}

/// By IEEE 754-2019: NaN if an operand is NaN, and -0 is below +0.
template <typename W> W maximum(W a, W b) {
  if (std::isnan(a) || std::isnan(b))
    return std::numeric_limits<W>::quiet_NaN();
  if (a == b)
    return std::signbit(a) ? b : a;
  return a > b ? a : b;
}
template <typename W> W minimum(W a, W b) {
  if (std::isnan(a) || std::isnan(b))
    return std::numeric_limits<W>::quiet_NaN();
  if (a == b)
    return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

/// Returns true if a is less than b, as numbers of type T.
template <typename T> bool isLess(int64_t a, int64_t b) {
  return isUnsignedElement<T> ? uint64_t(a) < uint64_t(b) : a < b;
}

} // namespace zcc::rt::reference

#endif // ZCC_RUNTIME_REFERENCE_TYPES_H
