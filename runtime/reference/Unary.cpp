// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise ops of one operand: floats in double, rounded once; integers as
// 64 bits, of which the low ones are kept.

#include "runtime/reference/Operation.h"
#include "runtime/reference/Types.h"

#include <cmath>
#include <limits>

namespace zcc::rt::reference {

namespace {

using UnaryFloatFunction = double (*)(double);
// `bits`: of the type; x is extended by its sign.
using IntegerFunction = int64_t (*)(int64_t x, int bits, bool isUnsigned);

template <UnaryFloatFunction function> Run makeFloatUnary(const Operation &op) {
  op.requireCounts(1, 1);
  op.require(isFloat(op.in(0).type), "an operand of ",
             typeName(op.in(0).type));
  op.requireOut(0, op.in(0));
  Run run;
  dispatchFloat(op.in(0).type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    run = [count = op.in(0).count()](const Buffers &buffers) {
      const T *in = buffers.operand<T>(0);
      T *out = buffers.result<T>();
      for (int64_t i = 0; i < count; ++i)
        out[i] = store<T>(function(static_cast<double>(load(in[i]))));
    };
  });
  return run;
}

template <IntegerFunction function> Run makeIntegerUnary(const Operation &op) {
  op.requireCounts(1, 1);
  op.require(!isFloat(op.in(0).type), "an operand of ",
             typeName(op.in(0).type));
  op.requireOut(0, op.in(0));
  Run run;
  dispatchInteger(op.in(0).type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    run = [count = op.in(0).count()](const Buffers &buffers) {
      const T *in = buffers.operand<T>(0);
      T *out = buffers.result<T>();
      for (int64_t i = 0; i < count; ++i)
        out[i] =
            store<T>(function(load(in[i]), bitsOf<T>, isUnsignedElement<T>));
    };
  });
  return run;
}

template <UnaryFloatFunction ofFloat, IntegerFunction ofInteger>
Run makeEitherUnary(const Operation &op) {
  op.require(op.operands() != 0, "no operand");
  return isFloat(op.in(0).type) ? makeFloatUnary<ofFloat>(op)
                                : makeIntegerUnary<ofInteger>(op);
}

uint64_t ownBits(int64_t x, int bits) {
  return bits == 64 ? uint64_t(x) : uint64_t(x) & ((uint64_t(1) << bits) - 1);
}

double absolute(double x) { return std::abs(x); }
int64_t absoluteInteger(int64_t x, int, bool isUnsigned) {
  return isUnsigned || x >= 0 ? x : int64_t(-uint64_t(x));
}
double negate(double x) { return -x; }
int64_t negateInteger(int64_t x, int, bool) { return int64_t(-uint64_t(x)); }
double sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : x; }
int64_t signInteger(int64_t x, int, bool isUnsigned) {
  return x == 0 ? 0 : !isUnsigned && x < 0 ? -1 : 1;
}
double same(double x) { return x; }
int64_t sameInteger(int64_t x, int, bool) { return x; }

double exponential(double x) { return std::exp(x); }
double exponentialMinusOne(double x) { return std::expm1(x); }
double logarithm(double x) { return std::log(x); }
double logarithmPlusOne(double x) { return std::log1p(x); }
double hyperbolicTangent(double x) { return std::tanh(x); }
double logistic(double x) { return 1 / (1 + std::exp(-x)); }
double squareRoot(double x) { return std::sqrt(x); }
double reciprocalRoot(double x) { return 1 / std::sqrt(x); }
double cubeRoot(double x) { return std::cbrt(x); }
double sine(double x) { return std::sin(x); }
double cosine(double x) { return std::cos(x); }
double tangent(double x) { return std::tan(x); }
double errorFunction(double x) { return std::erf(x); }
double errorFunctionRest(double x) { return std::erfc(x); }
double floorOf(double x) { return std::floor(x); }
double ceilOf(double x) { return std::ceil(x); }
double roundAway(double x) { return std::round(x); }
double roundEven(double x) {
  double r = std::round(x);
  if (std::abs(x - std::trunc(x)) == 0.5)
    r = 2 * std::round(x / 2);
  return std::copysign(r, x);
}

// Newton's method on erf, or on erfc where erf is nearly 1, from Winitzki's
// closed approximation.
double inverseError(double x) {
  if (std::abs(x) > 1 || std::isnan(x))
    return std::numeric_limits<double>::quiet_NaN();
  if (std::abs(x) == 1)
    return std::copysign(std::numeric_limits<double>::infinity(), x);
  if (x == 0)
    return x;
  double a = std::abs(x);
  double l = std::log1p(-a * a), t = 4.330746750799873 + l / 2;
  double y = std::sqrt(std::sqrt(t * t - l / 0.147) - t);
  for (int i = 0; i < 4; ++i) {
    double error = a > 0.5 ? (1 - a) - std::erfc(y) : std::erf(y) - a;
    double slope = 1.1283791670955126 * std::exp(-y * y);
    double step = error / slope;
    y -= step / (1 + y * step); // Halley's correction
  }
  return std::copysign(y, x);
}

int64_t complement(int64_t x, int, bool) { return ~x; }
int64_t countBits(int64_t x, int bits, bool) {
  int64_t count = 0;
  for (uint64_t rest = ownBits(x, bits); rest; rest &= rest - 1)
    ++count;
  return count;
}
int64_t countLeadingZeros(int64_t x, int bits, bool) {
  int64_t count = bits;
  for (uint64_t rest = ownBits(x, bits); rest; rest >>= 1)
    --count;
  return count;
}

} // namespace

const std::vector<NamedMaker> unaryOps = {
    {"abs", makeEitherUnary<absolute, absoluteInteger>},
    {"negate", makeEitherUnary<negate, negateInteger>},
    {"sign", makeEitherUnary<sign, signInteger>},
    {"stop_gradient", makeEitherUnary<same, sameInteger>},
    {"sharding_constraint", makeEitherUnary<same, sameInteger>},
    {"exponential", makeFloatUnary<exponential>},
    {"exponential_minus_one", makeFloatUnary<exponentialMinusOne>},
    {"log", makeFloatUnary<logarithm>},
    {"log_plus_one", makeFloatUnary<logarithmPlusOne>},
    {"tanh", makeFloatUnary<hyperbolicTangent>},
    {"logistic", makeFloatUnary<logistic>},
    {"sqrt", makeFloatUnary<squareRoot>},
    {"rsqrt", makeFloatUnary<reciprocalRoot>},
    {"cbrt", makeFloatUnary<cubeRoot>},
    {"sine", makeFloatUnary<sine>},
    {"cosine", makeFloatUnary<cosine>},
    {"tan", makeFloatUnary<tangent>},
    {"erf", makeFloatUnary<errorFunction>},
    {"erfc", makeFloatUnary<errorFunctionRest>},
    {"erf_inv", makeFloatUnary<inverseError>},
    {"floor", makeFloatUnary<floorOf>},
    {"ceil", makeFloatUnary<ceilOf>},
    {"round_nearest_afz", makeFloatUnary<roundAway>},
    {"round_nearest_even", makeFloatUnary<roundEven>},
    {"not", makeIntegerUnary<complement>},
    {"popcnt", makeIntegerUnary<countBits>},
    {"count_leading_zeros", makeIntegerUnary<countLeadingZeros>},
};

} // namespace zcc::rt::reference
