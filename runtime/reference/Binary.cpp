// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise ops of two operands of one type: floats in double, rounded once
// (which for + - * / gives the bits of arithmetic in the type itself); integers
// as 64 bits, of which the low ones are kept. StableHLO leaves some integers
// open. Here x / 0 is -1 (all bits set), the remainder of x by 0 is x, and a
// negative power is 0 unless the base is 1 or -1.

#include "runtime/reference/Combiner.h"

#include <cmath>

namespace zcc::rt::reference {

namespace {

using BinaryFloatFunction = double (*)(double, double);

template <BinaryFloatFunction function>
Run makeFloatBinary(const Operation &op) {
  op.requireCounts(2, 1);
  op.require(isFloat(op.in(0).type), "operands of ", typeName(op.in(0).type));
  op.requireIn(1, op.in(0));
  op.requireOut(0, op.in(0));
  Run run;
  dispatchFloat(op.in(0).type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    run = [count = op.in(0).count()](const Buffers &buffers) {
      const T *a = buffers.operand<T>(0), *b = buffers.operand<T>(1);
      T *out = buffers.result<T>();
      for (int64_t i = 0; i < count; ++i)
        out[i] = store<T>(function(static_cast<double>(load(a[i])),
                                   static_cast<double>(load(b[i]))));
    };
  });
  return run;
}

template <template <typename> class Function>
Run makeIntegerBinary(const Operation &op) {
  op.requireCounts(2, 1);
  op.require(!isFloat(op.in(0).type), "operands of ", typeName(op.in(0).type));
  op.requireIn(1, op.in(0));
  op.requireOut(0, op.in(0));
  Run run;
  dispatchInteger(op.in(0).type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    run = [count = op.in(0).count()](const Buffers &buffers) {
      const T *a = buffers.operand<T>(0), *b = buffers.operand<T>(1);
      T *out = buffers.result<T>();
      for (int64_t i = 0; i < count; ++i)
        out[i] = store<T>(Function<T>::of(load(a[i]), load(b[i])));
    };
  });
  return run;
}

template <BinaryFloatFunction ofFloat, template <typename> class OfInteger>
Run makeEitherBinary(const Operation &op) {
  op.require(op.operands() != 0, "no operand");
  return isFloat(op.in(0).type) ? makeFloatBinary<ofFloat>(op)
                                : makeIntegerBinary<OfInteger>(op);
}

double add(double x, double y) { return x + y; }
double subtract(double x, double y) { return x - y; }
double multiply(double x, double y) { return x * y; }
double divide(double x, double y) { return x / y; }
double larger(double x, double y) { return maximum(x, y); }
double smaller(double x, double y) { return minimum(x, y); }
double power(double x, double y) { return std::pow(x, y); }
double remainder(double x, double y) { return std::fmod(x, y); }
double angle(double x, double y) { return std::atan2(x, y); }

template <ReduceKind kind> struct Combine {
  template <typename T> struct Function {
    static int64_t of(int64_t x, int64_t y) { return Combiner<T>{kind}(x, y); }
  };
};

template <typename T> struct Subtract {
  static int64_t of(int64_t x, int64_t y) {
    return int64_t(uint64_t(x) - uint64_t(y));
  }
};

template <typename T> struct Divide {
  static int64_t of(int64_t x, int64_t y) {
    if (y == 0)
      return -1;
    if (isUnsignedElement<T>)
      return int64_t(uint64_t(x) / uint64_t(y));
    // The one quotient that does not fit wraps around.
    return y == -1 ? int64_t(-uint64_t(x)) : x / y;
  }
};

template <typename T> struct Remainder {
  static int64_t of(int64_t x, int64_t y) {
    if (y == 0)
      return x;
    if (isUnsignedElement<T>)
      return int64_t(uint64_t(x) % uint64_t(y));
    return y == -1 ? 0 : x % y;
  }
};

template <typename T> struct Power {
  static int64_t of(int64_t base, int64_t exponent) {
    if (!isUnsignedElement<T> && exponent < 0)
      return base == 1 ? 1 : base == -1 ? (exponent % 2 ? -1 : 1) : 0;
    uint64_t result = 1, square = uint64_t(base);
    for (uint64_t e = uint64_t(exponent); e; e >>= 1, square *= square)
      if (e & 1)
        result *= square;
    return int64_t(result);
  }
};

// A negative shift is, as its bits say, a large one.
template <typename T> bool shiftsOut(int64_t y) {
  return uint64_t(y) >= uint64_t(bitsOf<T>);
}
template <typename T> uint64_t ownBits(int64_t x) {
  return bitsOf<T> == 64 ? uint64_t(x)
                         : uint64_t(x) & ((uint64_t(1) << (bitsOf<T> % 64)) - 1);
}
template <typename T> struct ShiftLeft {
  static int64_t of(int64_t x, int64_t y) {
    return shiftsOut<T>(y) ? 0 : int64_t(uint64_t(x) << y);
  }
};
template <typename T> struct ShiftRightLogical {
  static int64_t of(int64_t x, int64_t y) {
    return shiftsOut<T>(y) ? 0 : int64_t(ownBits<T>(x) >> y);
  }
};
template <typename T> struct ShiftRightArithmetic {
  static int64_t of(int64_t x, int64_t y) {
    // The sign is the top bit, whatever the type says.
    int64_t value = int64_t(ownBits<T>(x) << (64 - bitsOf<T>));
    value >>= 64 - bitsOf<T>;
    return value >> (shiftsOut<T>(y) ? bitsOf<T> - 1 : y);
  }
};

} // namespace

const std::vector<NamedMaker> binaryOps = {
    {"add", makeEitherBinary<add, Combine<ReduceKind::Add>::Function>},
    {"subtract", makeEitherBinary<subtract, Subtract>},
    {"multiply",
     makeEitherBinary<multiply, Combine<ReduceKind::Multiply>::Function>},
    {"divide", makeEitherBinary<divide, Divide>},
    {"maximum",
     makeEitherBinary<larger, Combine<ReduceKind::Maximum>::Function>},
    {"minimum",
     makeEitherBinary<smaller, Combine<ReduceKind::Minimum>::Function>},
    {"power", makeEitherBinary<power, Power>},
    {"remainder", makeEitherBinary<remainder, Remainder>},
    {"atan2", makeFloatBinary<angle>},
    {"and", makeIntegerBinary<Combine<ReduceKind::And>::Function>},
    {"or", makeIntegerBinary<Combine<ReduceKind::Or>::Function>},
    {"xor", makeIntegerBinary<Combine<ReduceKind::Xor>::Function>},
    {"shift_left", makeIntegerBinary<ShiftLeft>},
    {"shift_right_logical", makeIntegerBinary<ShiftRightLogical>},
    {"shift_right_arithmetic", makeIntegerBinary<ShiftRightArithmetic>},
};

} // namespace zcc::rt::reference
