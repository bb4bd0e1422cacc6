// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise ops of the reference evaluator: one scalar function an op, by
// the op's name in the tables below, computed in double and rounded once.

#include "dialects/Train/Compare.h"
#include "dialects/Train/Evaluate.h"
#include "llvm/ADT/APSInt.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/ADT/bit.h"
#include <cmath>
#include <limits>

using namespace mlir;

namespace zcc::train::evaluation {
namespace {

using FloatUnary = double (*)(double);
using FloatBinary = double (*)(double, double);

// Newton's method on erf, or on erfc where erf is nearly 1, from Winitzki's
// closed approximation.
double inverseErf(double x) {
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

double sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : x; }
double roundEven(double x) {
  double r = std::round(x);
  if (std::abs(x - std::trunc(x)) == 0.5)
    r = 2 * std::round(x / 2);
  return std::copysign(r, x);
}

FloatUnary floatUnary(Operation *op) {
  return llvm::TypeSwitch<Operation *, FloatUnary>(op)
      .Case([](AbsOp) { return [](double x) { return std::abs(x); }; })
      .Case([](NegOp) { return [](double x) { return -x; }; })
      .Case([](SignOp) { return sign; })
      .Case([](ExpOp) { return [](double x) { return std::exp(x); }; })
      .Case([](Expm1Op) { return [](double x) { return std::expm1(x); }; })
      .Case([](LogOp) { return [](double x) { return std::log(x); }; })
      .Case([](Log1pOp) { return [](double x) { return std::log1p(x); }; })
      .Case([](TanhOp) { return [](double x) { return std::tanh(x); }; })
      .Case([](LogisticOp) {
        return [](double x) { return 1 / (1 + std::exp(-x)); };
      })
      .Case([](SqrtOp) { return [](double x) { return std::sqrt(x); }; })
      .Case([](RsqrtOp) { return [](double x) { return 1 / std::sqrt(x); }; })
      .Case([](CbrtOp) { return [](double x) { return std::cbrt(x); }; })
      .Case([](SinOp) { return [](double x) { return std::sin(x); }; })
      .Case([](CosOp) { return [](double x) { return std::cos(x); }; })
      .Case([](TanOp) { return [](double x) { return std::tan(x); }; })
      .Case([](ErfOp) { return [](double x) { return std::erf(x); }; })
      .Case([](ErfcOp) { return [](double x) { return std::erfc(x); }; })
      .Case([](ErfInvOp) { return inverseErf; })
      .Case([](FloorOp) { return [](double x) { return std::floor(x); }; })
      .Case([](CeilOp) { return [](double x) { return std::ceil(x); }; })
      .Case([](RoundAfzOp) { return [](double x) { return std::round(x); }; })
      .Case([](RoundEvenOp) { return roundEven; })
      .Case<StopGradientOp, ShardingConstraintOp>(
          [](auto) { return [](double x) { return x; }; })
      .Default([](Operation *) { return nullptr; });
}

FloatBinary floatBinary(Operation *op) {
  using D = double;
  return llvm::TypeSwitch<Operation *, FloatBinary>(op)
      .Case([](AddOp) { return [](D x, D y) { return x + y; }; })
      .Case([](SubOp) { return [](D x, D y) { return x - y; }; })
      .Case([](MulOp) { return [](D x, D y) { return x * y; }; })
      .Case([](DivOp) { return [](D x, D y) { return x / y; }; })
      .Case([](MaxOp) { return maximum; })
      .Case([](MinOp) { return minimum; })
      .Case([](PowOp) { return [](D x, D y) { return std::pow(x, y); }; })
      .Case([](RemOp) { return [](D x, D y) { return std::fmod(x, y); }; })
      .Case([](Atan2Op) { return [](D x, D y) { return std::atan2(x, y); }; })
      .Default([](Operation *) { return nullptr; });
}

int64_t integerPower(int64_t base, int64_t exponent, Type type) {
  if (!isUnsigned(type) && exponent < 0)
    return base == 1 ? 1 : base == -1 ? (exponent % 2 ? -1 : 1) : 0;
  uint64_t result = 1, square = base;
  for (uint64_t e = exponent; e; e >>= 1, square *= square)
    if (e & 1)
      result *= square;
  return static_cast<int64_t>(result);
}

// The result needs wrapping.
std::optional<int64_t> integerUnary(Operation *op, int64_t x, Type type) {
  unsigned width = type.getIntOrFloatBitWidth();
  uint64_t bits = x;
  if (width < 64)
    bits &= (uint64_t(1) << width) - 1;
  return llvm::TypeSwitch<Operation *, std::optional<int64_t>>(op)
      .Case([&](AbsOp) {
        return isUnsigned(type) || x >= 0 ? x : static_cast<int64_t>(-bits);
      })
      .Case([&](NegOp) { return static_cast<int64_t>(-bits); })
      .Case([&](SignOp) {
        return x == 0 ? 0 : !isUnsigned(type) && x < 0 ? -1 : 1;
      })
      .Case([&](NotOp) { return ~x; })
      .Case([&](PopcntOp) { return llvm::popcount(bits); })
      .Case([&](ClzOp) {
        return llvm::countl_zero(bits) - (64 - static_cast<int>(width));
      })
      .Case<StopGradientOp, ShardingConstraintOp>([&](auto) { return x; })
      .Default([](Operation *) { return std::nullopt; });
}

std::optional<int64_t> integerBinary(Operation *op, int64_t x, int64_t y,
                                     Type type) {
  int64_t width = type.getIntOrFloatBitWidth();
  uint64_t ux = x, uy = y;
  uint64_t bits = width < 64 ? ux & ((uint64_t(1) << width) - 1) : ux;
  // A negative shift is, as its bits say, a large one.
  bool shiftsOut = uy >= static_cast<uint64_t>(width);
  auto combine = [&](ReduceKind kind) {
    return Combiner(kind, type, false).integers(x, y);
  };
  return llvm::TypeSwitch<Operation *, std::optional<int64_t>>(op)
      .Case([&](AddOp) { return combine(ReduceKind::add); })
      .Case([&](SubOp) { return static_cast<int64_t>(ux - uy); })
      .Case([&](MulOp) { return combine(ReduceKind::multiply); })
      .Case([&](DivOp) { return divideIntegers(x, y, type, false); })
      .Case([&](RemOp) { return divideIntegers(x, y, type, true); })
      .Case([&](MaxOp) { return combine(ReduceKind::maximum); })
      .Case([&](MinOp) { return combine(ReduceKind::minimum); })
      .Case([&](PowOp) { return integerPower(x, y, type); })
      .Case([&](AndOp) { return x & y; })
      .Case([&](OrOp) { return x | y; })
      .Case([&](XorOp) { return x ^ y; })
      .Case(
          [&](ShlOp) { return shiftsOut ? 0 : static_cast<int64_t>(ux << uy); })
      .Case([&](ShrlOp) {
        return shiftsOut ? 0 : static_cast<int64_t>(bits >> uy);
      })
      .Case([&](ShraOp) {
        // The sign is the top bit, whatever the type says.
        int64_t value = static_cast<int64_t>(bits << (64 - width));
        value >>= 64 - width;
        return value >> (shiftsOut ? width - 1 : y);
      })
      .Default([](Operation *) { return std::nullopt; });
}

void compare(Context &c, CompareDirection direction) {
  const Array &lhs = c.in(0), &rhs = c.in(1);
  for (int64_t i = 0; i < lhs.size(); ++i) {
    bool result;
    if (lhs.isFloat())
      result = holds(direction, lhs.floats[i], rhs.floats[i]);
    else if (isUnsigned(lhs.element()))
      result = holds<uint64_t>(direction, lhs.ints[i], rhs.ints[i]);
    else
      result = holds(direction, lhs.ints[i], rhs.ints[i]);
    c.out().ints[i] = result;
  }
}

// Truncates towards zero and saturates; NaN gives 0.
int64_t floatToInteger(double x, Type type) {
  if (type.isInteger(1))
    return x != 0;
  if (std::isnan(x))
    return 0;
  APSInt result(type.getIntOrFloatBitWidth(), isUnsigned(type));
  bool exact;
  APFloat(x).convertToInteger(result, APFloat::rmTowardZero, &exact);
  return isUnsigned(type) ? static_cast<int64_t>(result.getZExtValue())
                          : result.getSExtValue();
}

double integerToFloat(int64_t x, Type from, Type to, bool asDouble) {
  APFloat result(asDouble ? APFloat::IEEEdouble()
                          : cast<FloatType>(to).getFloatSemantics());
  result.convertFromAPInt(APInt(64, static_cast<uint64_t>(x)),
                          !isUnsigned(from), APFloat::rmNearestTiesToEven);
  return result.convertToDouble();
}

void convertElements(Context &c) {
  const Array &in = c.in(0);
  Array &out = c.out();
  Type from = in.element(), to = out.element();
  for (int64_t i = 0; i < in.size(); ++i) {
    if (in.isFloat() && out.isFloat())
      out.floats[i] = finish(in.floats[i], to, c.asDouble);
    else if (in.isFloat())
      out.ints[i] = floatToInteger(in.floats[i], to);
    else if (out.isFloat())
      out.floats[i] = integerToFloat(in.ints[i], from, to, c.asDouble);
    else
      out.ints[i] = to.isInteger(1) ? in.ints[i] != 0 : wrap(in.ints[i], to);
  }
}

void bitcastElements(Context &c) {
  const Array &in = c.in(0);
  Array &out = c.out();
  unsigned width = out.element().getIntOrFloatBitWidth();
  for (int64_t i = 0; i < in.size(); ++i) {
    APInt bits(width, 0);
    if (in.isFloat()) {
      APFloat value(in.floats[i]);
      bool losesInfo;
      value.convert(cast<FloatType>(in.element()).getFloatSemantics(),
                    APFloat::rmNearestTiesToEven, &losesInfo);
      bits = value.bitcastToAPInt();
    } else {
      bits = APInt(64, static_cast<uint64_t>(in.ints[i])).trunc(width);
    }
    if (out.isFloat())
      out.floats[i] =
          APFloat(cast<FloatType>(out.element()).getFloatSemantics(), bits)
              .convertToDouble();
    else
      out.ints[i] =
          wrap(static_cast<int64_t>(bits.getZExtValue()), out.element());
  }
}

void clampElements(Context &c) {
  const Array &low = c.in(0), &x = c.in(1), &high = c.in(2);
  Combiner larger(ReduceKind::maximum, x.element(), c.asDouble);
  Combiner smaller(ReduceKind::minimum, x.element(), c.asDouble);
  for (int64_t i = 0; i < x.size(); ++i) {
    if (x.isFloat())
      c.out().floats[i] =
          smaller(larger(x.floats[i], low.floats[i]), high.floats[i]);
    else
      c.out().ints[i] = smaller.integers(
          larger.integers(x.ints[i], low.ints[i]), high.ints[i]);
  }
}

bool evaluateNumeric(Context &c) {
  const Array &x = c.in(0);
  Array &out = c.out();
  Type type = x.element();
  if (x.isFloat()) {
    if (FloatUnary f = floatUnary(c.op)) {
      for (int64_t i = 0; i < x.size(); ++i)
        out.floats[i] = finish(f(x.floats[i]), type, c.asDouble);
      return true;
    }
    if (FloatBinary f = floatBinary(c.op)) {
      const Array &y = c.in(1);
      for (int64_t i = 0; i < x.size(); ++i)
        out.floats[i] = finish(f(x.floats[i], y.floats[i]), type, c.asDouble);
      return true;
    }
    return false;
  }
  for (int64_t i = 0; i < x.size(); ++i) {
    std::optional<int64_t> result =
        c.operands.size() == 1
            ? integerUnary(c.op, x.ints[i], type)
            : integerBinary(c.op, x.ints[i], c.in(1).ints[i], type);
    if (!result)
      return false;
    out.ints[i] = wrap(*result, type);
  }
  return true;
}

} // namespace

bool evaluateElementwise(Context &c) {
  return llvm::TypeSwitch<Operation *, bool>(c.op)
      .Case([&](IsFiniteOp) {
        for (int64_t i = 0; i < c.in(0).size(); ++i)
          c.out().ints[i] = std::isfinite(c.in(0).floats[i]);
        return true;
      })
      .Case([&](CompareOp op) {
        compare(c, op.getDirection());
        return true;
      })
      .Case([&](SelectOp) {
        for (int64_t i = 0; i < c.out().size(); ++i)
          c.out().set(i, c.in(0).ints[i] ? c.in(1) : c.in(2), i);
        return true;
      })
      .Case([&](ClampOp) {
        clampElements(c);
        return true;
      })
      .Case([&](ConvertOp) {
        convertElements(c);
        return true;
      })
      .Case([&](BitcastOp) {
        bitcastElements(c);
        return true;
      })
      .Default([&](Operation *op) {
        return op->hasTrait<ElementwiseOp>() && evaluateNumeric(c);
      });
}

} // namespace zcc::train::evaluation
