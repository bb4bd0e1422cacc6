// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise ops that compare and choose.

#include "runtime/reference/Operation.h"
#include "runtime/reference/Types.h"

#include <cmath>

namespace zcc::rt::reference {

namespace {

TensorType truth(const TensorType &like) {
  return {ElementType::I1, like.shape};
}

Run makeIsFinite(const Operation &op) {
  op.requireCounts(1, 1);
  op.require(isFloat(op.in(0).type), "an operand of ",
             typeName(op.in(0).type));
  op.requireOut(0, truth(op.in(0)));
  Run run;
  dispatchFloat(op.in(0).type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    run = [count = op.in(0).count()](const Buffers &buffers) {
      for (int64_t i = 0; i < count; ++i)
        buffers.result<I1>()[i] =
            store<I1>(std::isfinite(load(buffers.operand<T>(0)[i])) ? 1 : 0);
    };
  });
  return run;
}

enum class Direction { EQ, NE, LT, LE, GT, GE };

template <typename W> bool holds(Direction direction, W x, W y) {
  switch (direction) {
  case Direction::EQ:
    return x == y;
  case Direction::NE:
    return x != y;
  case Direction::LT:
    return x < y;
  case Direction::LE:
    return x <= y;
  case Direction::GT:
    return x > y;
  case Direction::GE:
    return x >= y;
  }
  return false;
}

Direction directionOf(const Operation &op) {
  const std::string &word = op.word("direction");
  const char *names[] = {"EQ", "NE", "LT", "LE", "GT", "GE"};
  for (int i = 0; i < 6; ++i)
    if (word == names[i])
      return static_cast<Direction>(i);
  op.require(false, "unknown direction \"", word, "\"");
  return Direction::EQ;
}

Run makeCompare(const Operation &op) {
  op.requireCounts(2, 1);
  op.requireIn(1, op.in(0));
  op.requireOut(0, truth(op.in(0)));
  Direction direction = directionOf(op);
  Run run;
  dispatch(op.in(0).type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    // The sign of an integer is its type's.
    using W = std::conditional_t<
        isFloatElement<T>, Wide<T>,
        std::conditional_t<isUnsignedElement<T>, uint64_t, int64_t>>;
    run = [direction, count = op.in(0).count()](const Buffers &buffers) {
      const T *a = buffers.operand<T>(0), *b = buffers.operand<T>(1);
      for (int64_t i = 0; i < count; ++i)
        buffers.result<I1>()[i] =
            store<I1>(holds(direction, W(load(a[i])), W(load(b[i]))) ? 1 : 0);
    };
  });
  return run;
}

Run makeSelect(const Operation &op) {
  op.requireCounts(3, 1);
  op.requireIn(0, truth(op.in(1)));
  op.requireIn(2, op.in(1));
  op.requireOut(0, op.in(1));
  Run run;
  dispatchWidth(op.in(1).type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    run = [count = op.in(1).count()](const Buffers &buffers) {
      const I1 *which = buffers.operand<I1>(0);
      for (int64_t i = 0; i < count; ++i)
        buffers.result<T>()[i] = load(which[i]) ? buffers.operand<T>(1)[i]
                                                : buffers.operand<T>(2)[i];
    };
  });
  return run;
}

Run makeClamp(const Operation &op) {
  op.requireCounts(3, 1);
  op.requireIn(0, op.in(1));
  op.requireIn(2, op.in(1));
  op.requireOut(0, op.in(1));
  Run run;
  dispatch(op.in(1).type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    run = [count = op.in(1).count()](const Buffers &buffers) {
      const T *low = buffers.operand<T>(0), *in = buffers.operand<T>(1),
              *high = buffers.operand<T>(2);
      T *out = buffers.result<T>();
      for (int64_t i = 0; i < count; ++i) {
        auto x = load(in[i]), l = load(low[i]), h = load(high[i]);
        if constexpr (isFloatElement<T>) {
          out[i] = store<T>(minimum(maximum(x, l), h));
        } else {
          x = isLess<T>(x, l) ? l : x;
          out[i] = store<T>(isLess<T>(x, h) ? x : h);
        }
      }
    };
  });
  return run;
}

} // namespace

const std::vector<NamedMaker> choiceOps = {
    {"is_finite", makeIsFinite},
    {"compare", makeCompare},
    {"select", makeSelect},
    {"clamp", makeClamp},
};

} // namespace zcc::rt::reference
