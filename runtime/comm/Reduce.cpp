// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The local half of every reduction. A block of elements is widened into an
// accumulator that stays in the first-level cache, all sources are added to it,
// and it is written back: the target may thus be one of the sources.

#include "runtime/comm/Reduce.h"

#include "runtime/core/Float.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace zcc::rt {

namespace {

constexpr int64_t blockElements = 1024;

// The form in which an element type is stored, and the type in which it is
// accumulated.
template <typename T> struct Plain {
  using Stored = T;
  using Wide = T;
  static Wide widen(Stored v) { return v; }
  static Stored narrow(Wide v) { return v; }
};
struct Half {
  using Stored = uint16_t;
  using Wide = float;
  static float widen(uint16_t v) { return f16ToFloat(v); }
  static uint16_t narrow(float v) { return floatToF16(v); }
};
struct Brain {
  using Stored = uint16_t;
  using Wide = float;
  static float widen(uint16_t v) { return bf16ToFloat(v); }
  static uint16_t narrow(float v) { return floatToBf16(v); }
};

struct Sum {
  template <typename T> static T apply(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      using Unsigned = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<Unsigned>(a) +
                            static_cast<Unsigned>(b));
    } else {
      return a + b;
    }
  }
};
struct Product {
  template <typename T> static T apply(T a, T b) {
    if constexpr (std::is_integral_v<T>)
      // Multiplies in 64 bits: products of promoted 16-bit numbers overflow
      // int.
      return static_cast<T>(static_cast<uint64_t>(a) *
                            static_cast<uint64_t>(b));
    else
      return a * b;
  }
};
// NaN wins on either side.
struct Max {
  template <typename T> static T apply(T a, T b) {
    return a > b || a != a ? a : b;
  }
};
struct Min {
  template <typename T> static T apply(T a, T b) {
    return a < b || a != a ? a : b;
  }
};
struct And {
  template <typename T> static T apply(T a, T b) { return a & b; }
};
struct Or {
  template <typename T> static T apply(T a, T b) { return a | b; }
};

template <typename Element, typename Op>
void reduceLoop(const void *const *sources, int sourceCount, void *target,
                int64_t count) {
  using Stored = typename Element::Stored;
  typename Element::Wide sum[blockElements];
  for (int64_t begin = 0; begin < count; begin += blockElements) {
    int64_t size = std::min(blockElements, count - begin);
    const Stored *first = static_cast<const Stored *>(sources[0]) + begin;
    for (int64_t i = 0; i < size; ++i)
      sum[i] = Element::widen(first[i]);
    for (int s = 1; s < sourceCount; ++s) {
      const Stored *next = static_cast<const Stored *>(sources[s]) + begin;
      for (int64_t i = 0; i < size; ++i)
        sum[i] = Op::apply(sum[i], Element::widen(next[i]));
    }
    Stored *out = static_cast<Stored *>(target) + begin;
    for (int64_t i = 0; i < size; ++i)
      out[i] = Element::narrow(sum[i]);
  }
}

template <typename Element>
void reduceElements(Reduction reduction, const void *const *sources,
                    int sourceCount, void *target, int64_t count) {
  switch (reduction) {
  case Reduction::Sum:
    return reduceLoop<Element, Sum>(sources, sourceCount, target, count);
  case Reduction::Max:
    return reduceLoop<Element, Max>(sources, sourceCount, target, count);
  case Reduction::Min:
    return reduceLoop<Element, Min>(sources, sourceCount, target, count);
  case Reduction::Product:
    return reduceLoop<Element, Product>(sources, sourceCount, target, count);
  case Reduction::And:
    if constexpr (std::is_integral_v<typename Element::Wide>)
      return reduceLoop<Element, And>(sources, sourceCount, target, count);
    break;
  case Reduction::Or:
    if constexpr (std::is_integral_v<typename Element::Wide>)
      return reduceLoop<Element, Or>(sources, sourceCount, target, count);
    break;
  }
}

} // namespace

void reduce(ElementType type, Reduction reduction, const void *const *sources,
            int sourceCount, void *target, int64_t count) {
  auto run = [&](auto element) {
    reduceElements<decltype(element)>(reduction, sources, sourceCount, target,
                                      count);
  };
  switch (type) {
  case ElementType::I1: {
    bool any = reduction == Reduction::Sum || reduction == Reduction::Max ||
               reduction == Reduction::Or;
    reduction = any ? Reduction::Or : Reduction::And;
    return run(Plain<uint8_t>());
  }
  case ElementType::I8:
    return run(Plain<int8_t>());
  case ElementType::I16:
    return run(Plain<int16_t>());
  case ElementType::I32:
    return run(Plain<int32_t>());
  case ElementType::I64:
    return run(Plain<int64_t>());
  case ElementType::U8:
    return run(Plain<uint8_t>());
  case ElementType::U16:
    return run(Plain<uint16_t>());
  case ElementType::U32:
    return run(Plain<uint32_t>());
  case ElementType::U64:
    return run(Plain<uint64_t>());
  case ElementType::F16:
    return run(Half());
  case ElementType::BF16:
    return run(Brain());
  case ElementType::F32:
    return run(Plain<float>());
  case ElementType::F64:
    return run(Plain<double>());
  case ElementType::F8E4M3FN: // refused by validate()
  case ElementType::Invalid:
    break;
  }
}

} // namespace zcc::rt
