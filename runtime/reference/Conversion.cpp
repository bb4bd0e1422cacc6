// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts elements of one type to another: each pair of types has its loop.

#include "runtime/reference/Operation.h"
#include "runtime/reference/Types.h"

#include <cmath>
#include <cstring>

namespace zcc::rt::reference {

namespace {

// Truncates towards zero and saturates; NaN gives 0.
template <typename To> To fromFloat(double x) {
  if constexpr (std::is_same_v<To, I1>) {
    return {static_cast<uint8_t>(x != 0)};
  } else {
    if (std::isnan(x))
      return 0;
    // 2^bits, or 2^(bits - 1) with a sign: the first that is too large.
    double limit = std::ldexp(1.0, bitsOf<To> - (isUnsignedElement<To> ? 0 : 1));
    if (x >= limit)
      return std::numeric_limits<To>::max();
    if (x <= (isUnsignedElement<To> ? -1 : -limit))
      return std::numeric_limits<To>::min();
    return static_cast<To>(x);
  }
}

// A double that rounds to 16 bits as the integer does. If a double has too few
// bits, its last bit says if any lower one was set.
template <typename From> double nearEnough(int64_t x) {
  bool isNegative = !isUnsignedElement<From> && x < 0;
  uint64_t magnitude = isNegative ? -uint64_t(x) : uint64_t(x);
  if (magnitude >> 53) {
    bool rest = (magnitude & 0xFFF) != 0;
    magnitude = (magnitude >> 12 << 12) | (uint64_t(rest) << 12);
  }
  return isNegative ? -static_cast<double>(magnitude)
                    : static_cast<double>(magnitude);
}

template <typename To, typename From> To fromInteger(From in) {
  int64_t x = load(in);
  if constexpr (std::is_floating_point_v<To>)
    return isUnsignedElement<From> ? static_cast<To>(uint64_t(x))
                                   : static_cast<To>(x);
  else
    return store<To>(nearEnough<From>(x));
}

template <typename To, typename From> To convertElement(From in) {
  if constexpr (isFloatElement<From> && isFloatElement<To>)
    return store<To>(static_cast<double>(load(in)));
  else if constexpr (isFloatElement<From>)
    return fromFloat<To>(load(in));
  else if constexpr (isFloatElement<To>)
    return fromInteger<To>(in);
  else if constexpr (std::is_same_v<To, I1>)
    return {static_cast<uint8_t>(load(in) != 0)};
  else
    return store<To>(load(in));
}

template <typename F> void dispatchStored(ElementType type, F &&f) {
  if (type == ElementType::F8E4M3FN)
    return f(Tag<F8>());
  dispatch(type, f);
}

Run makeConvert(const Operation &op) {
  op.requireCounts(1, 1);
  op.requireOut(0, {op.out().type, op.in(0).shape});
  Run run;
  dispatchStored(op.in(0).type, [&](auto fromTag) {
    using From = typename decltype(fromTag)::Type;
    dispatchStored(op.out().type, [&](auto toTag) {
      using To = typename decltype(toTag)::Type;
      run = [count = op.in(0).count()](const Buffers &buffers) {
        const From *in = buffers.operand<From>(0);
        To *out = buffers.result<To>();
        for (int64_t i = 0; i < count; ++i)
          out[i] = convertElement<To>(in[i]);
      };
    });
  });
  return run;
}

Run makeBitcast(const Operation &op) {
  op.requireCounts(1, 1);
  op.requireOut(0, {op.out().type, op.in(0).shape});
  op.require(byteSize(op.in(0).type) == byteSize(op.out().type) &&
                 (op.in(0).type == ElementType::I1) ==
                     (op.out().type == ElementType::I1),
             typeName(op.in(0).type), " and ", typeName(op.out().type),
             " differ in width");
  return [bytes = op.in(0).bytes()](const Buffers &buffers) {
    if (bytes)
      std::memcpy(buffers.out[0], buffers.in[0], bytes);
  };
}

} // namespace

const std::vector<NamedMaker> conversionOps = {
    {"convert", makeConvert},
    {"bitcast_convert", makeBitcast},
};

} // namespace zcc::rt::reference
