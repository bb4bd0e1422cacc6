// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Combines two elements as reductions and scatters do.

#ifndef ZCC_RUNTIME_REFERENCE_COMBINER_H
#define ZCC_RUNTIME_REFERENCE_COMBINER_H

#include "runtime/reference/Operation.h"
#include "runtime/reference/Types.h"

namespace zcc::rt::reference {

enum class ReduceKind { Add, Multiply, Maximum, Minimum, And, Or, Xor, Replace };

/// Reads the attribute `kind`. For floats, bad input if floats lack it.
ReduceKind reduceKind(const Operation &op, ElementType type);

/// Combines elements T in their wide form: floats are rounded to f32 (or f64)
/// each time, integers wrap.
template <typename T> struct Combiner {
  using W = Wide<T>;
  ReduceKind kind;

  W identity() const {
    constexpr bool isFloat = isFloatElement<T>;
    using Limits = std::numeric_limits<std::conditional_t<isFloat, W, T>>;
    switch (kind) {
    case ReduceKind::Multiply:
      return W(1);
    case ReduceKind::And:
      return isFloat ? W(0) : W(wrap<std::conditional_t<isFloat, I1, T>>(-1));
    case ReduceKind::Maximum:
      if constexpr (isFloat)
        return -Limits::infinity();
      else if constexpr (std::is_same_v<T, I1>)
        return 0;
      else
        return W(Limits::min());
    case ReduceKind::Minimum:
      if constexpr (isFloat)
        return Limits::infinity();
      else if constexpr (std::is_same_v<T, I1>)
        return 1;
      else
        return W(Limits::max());
    default:
      return W(0);
    }
  }

  W operator()(W a, W b) const {
    if constexpr (isFloatElement<T>) {
      switch (kind) {
      case ReduceKind::Add:
        return a + b;
      case ReduceKind::Multiply:
        return a * b;
      case ReduceKind::Maximum:
        return maximum(a, b);
      case ReduceKind::Minimum:
        return minimum(a, b);
      default:
        return b;
      }
    } else {
      switch (kind) {
      case ReduceKind::Add:
        return std::is_same_v<T, I1>
                   ? a | b
                   : wrap<T>(int64_t(uint64_t(a) + uint64_t(b)));
      case ReduceKind::Multiply:
        return wrap<T>(int64_t(uint64_t(a) * uint64_t(b)));
      case ReduceKind::Maximum:
        return isLess<T>(a, b) ? b : a;
      case ReduceKind::Minimum:
        return isLess<T>(a, b) ? a : b;
      case ReduceKind::And:
        return a & b;
      case ReduceKind::Or:
        return a | b;
      case ReduceKind::Xor:
        return a ^ b;
      case ReduceKind::Replace:
        return b;
      }
      return b;
    }
  }
};

/// The tree over 16 lanes: lane i += lane i + 8, then 4, 2, 1.
template <typename W, typename F> W foldLanes(W (&lanes)[16], F &&combine) {
  for (int half = 8; half >= 1; half /= 2)
    for (int i = 0; i < half; ++i)
      lanes[i] = combine(lanes[i], lanes[i + half]);
  return lanes[0];
}

} // namespace zcc::rt::reference

#endif // ZCC_RUNTIME_REFERENCE_COMBINER_H
