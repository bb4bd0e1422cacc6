// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converts functions of chlo that train lacks to those that it has, so that
// their derivatives follow. If a formula would divide by zero or overflow
// outside its range, its argument is replaced there: a select of results alone
// leaves NaN in the gradient.
#include "dialects/StableHLO/StableHLO.h"
#include "passes/Import/Conversion.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;
using zcc::train::shapeOf;
using zcc::train::tensorType;

namespace zcc {
namespace {

/// Arithmetic on train values of one type.
struct Math {
  OpBuilder &b;
  Location loc;
  Type type;

  Value c(double x) { return train::splat(b, loc, type, x); }
  Value add(Value x, Value y) {
    return train::AddOp::create(b, loc, x.getType(), x, y);
  }
  Value sub(Value x, Value y) {
    return train::SubOp::create(b, loc, x.getType(), x, y);
  }
  Value mul(Value x, Value y) {
    return train::MulOp::create(b, loc, x.getType(), x, y);
  }
  Value div(Value x, Value y) {
    return train::DivOp::create(b, loc, x.getType(), x, y);
  }
  Value neg(Value x) { return train::NegOp::create(b, loc, x.getType(), x); }
  Value exp(Value x) { return train::ExpOp::create(b, loc, x.getType(), x); }
  Value expm1(Value x) {
    return train::Expm1Op::create(b, loc, x.getType(), x);
  }
  Value log(Value x) { return train::LogOp::create(b, loc, x.getType(), x); }
  Value log1p(Value x) {
    return train::Log1pOp::create(b, loc, x.getType(), x);
  }
  Value sqrt(Value x) { return train::SqrtOp::create(b, loc, x.getType(), x); }
  Value atan2(Value y, Value x) {
    return train::Atan2Op::create(b, loc, x.getType(), y, x);
  }
  Value floor(Value x) {
    return train::FloorOp::create(b, loc, x.getType(), x);
  }
  Value lt(Value x, Value y) {
    return train::compare(b, loc, x, y, train::CompareDirection::LT);
  }
  Value le(Value x, Value y) {
    return train::compare(b, loc, x, y, train::CompareDirection::LE);
  }
  Value eq(Value x, Value y) {
    return train::compare(b, loc, x, y, train::CompareDirection::EQ);
  }
  Value select(Value p, Value x, Value y) {
    return train::SelectOp::create(b, loc, x.getType(), p, x, y);
  }

  /// Returns 1 or -1, without derivative: the odd functions below are s f(s x).
  Value signOf(Value x) { return select(lt(x, c(0)), c(-1), c(1)); }

  Value sinh(Value x) {
    Value s = signOf(x), a = mul(s, x), large = le(c(1), a);
    // (e + e / (e + 1)) / 2 with e = expm1(a) is exact near 0; e^(a - log 2)
    // does not overflow before the result does.
    Value e = expm1(select(large, c(1), a));
    Value small = mul(c(.5), add(e, div(e, add(e, c(1)))));
    Value far =
        sub(exp(sub(a, c(std::log(2.)))), exp(sub(neg(a), c(std::log(2.)))));
    return mul(s, select(large, far, small));
  }
  Value cosh(Value x) {
    return add(exp(sub(x, c(std::log(2.)))), exp(sub(neg(x), c(std::log(2.)))));
  }
  Value asinh(Value x) {
    // log1p(a + a^2 / (1 + sqrt(a^2 + 1))), for large a log(a) + log(2)
    Value s = signOf(x), a = mul(s, x), large = le(c(1e4), a),
          near = select(large, c(1), a);
    Value square = mul(near, near);
    Value small =
        log1p(add(near, div(square, add(c(1), sqrt(add(square, c(1)))))));
    Value far = add(log(select(large, a, c(1))), c(std::log(2.)));
    return mul(s, select(large, far, small));
  }
  Value acosh(Value x) {
    Value large = le(c(1e4), x), near = select(large, c(2), x);
    Value small = log(add(near, sqrt(mul(add(near, c(1)), sub(near, c(1))))));
    Value far = add(log(select(large, x, c(1))), c(std::log(2.)));
    return select(large, far, small);
  }
  Value atanh(Value x) { return mul(c(.5), sub(log1p(x), log1p(neg(x)))); }
  Value asin(Value x) {
    return mul(c(2),
               atan2(x, add(c(1), sqrt(mul(sub(c(1), x), add(c(1), x))))));
  }
  /// JAX's erf_inv in single precision (M. Giles, Approximating the erfinv
  /// function, 2012). It serves initial weights: normal samples equal JAX's
  /// only with its formula. That is some 80 ulp off in the tails, and
  /// train.erf_inv is not.
  Value erfInvSingle(Value x) {
    static constexpr double central[] = {
        2.81022636e-08,  3.43273939e-07, -3.5233877e-06,
        -4.39150654e-06, 0.00021858087,  -0.00125372503,
        -0.00417768164,  0.246640727,    1.50140941};
    static constexpr double tail[] = {
        -0.000200214257, 0.000100950558, 0.00134934322,
        -0.00367342844,  0.00573950773,  -0.0076224613,
        0.00943887047,   1.00167406,     2.83297682};
    Value w = neg(log1p(mul(x, neg(x)))), isCentral = lt(w, c(5));
    Value t = select(isCentral, sub(w, c(2.5)), sub(sqrt(w), c(3)));
    Value p = select(isCentral, c(central[0]), c(tail[0]));
    for (int i = 1; i < 9; ++i)
      p = add(select(isCentral, c(central[i]), c(tail[i])), mul(p, t));
    Value one = select(lt(x, c(0)), neg(x), x);
    return select(eq(one, c(1)), mul(x, c(INFINITY)), mul(p, x));
  }
  Value acos(Value x) {
    Value edge = eq(x, c(-1)), inside = select(edge, c(0), x);
    Value y = mul(c(2), atan2(sqrt(mul(sub(c(1), inside), add(c(1), inside))),
                              add(c(1), inside)));
    return select(edge, c(M_PI), y);
  }

  // Coefficients of Lanczos' approximation with g = 7 and nine terms
  // (Godfrey's): 15 digits for x >= 1/2.
  static constexpr double g = 7;
  static constexpr double base = 0.99999999999980993227684700473478;
  static constexpr double coefficients[] = {
      676.520368121885098567009190444019, -1259.13921672240287047156078755283,
      771.3234287776530788486528258894,   -176.61502916214059906584551354,
      12.507343278686904814458936853,     -0.13857109526572011689554707,
      9.984369578019570859563e-6,         1.50563273514931155834e-7};

  /// Returns log Gamma(z + 1) for z >= -1/2.
  Value lanczosLog(Value z) {
    Value sum = c(base);
    for (auto [i, k] : llvm::enumerate(coefficients))
      sum = add(sum, div(c(k), add(z, c(i + 1))));
    // (z + 1/2) log(t) - t with t = z + g + 1/2 as (z + 1/2 - t / log t) log t,
    // which loses less
    Value t = add(z, c(g + .5));
    Value logT = add(log1p(div(z, c(g + .5))), c(std::log(g + .5)));
    return add(mul(sub(add(z, c(.5)), div(t, logT)), logT),
               add(c(.5 * std::log(2 * M_PI)), log(sum)));
  }
  Value lgamma(Value x) {
    // The reflection is Gamma(x) Gamma(1 - x) = pi / sin(pi x).
    Value reflect = lt(x, c(.5));
    Value z = select(reflect, neg(x), sub(x, c(1)));
    Value y = lanczosLog(z);
    Value fraction = sub(x, floor(x)); // sin(pi x) from the part in [0, 1/2]
    Value part = select(lt(c(.5), fraction), sub(c(1), fraction), fraction);
    Value safe = select(reflect, part, c(.5));
    Value sine = train::SinOp::create(b, loc, type, mul(c(M_PI), safe));
    Value reflected = sub(sub(c(std::log(M_PI)), log(sine)), y);
    return select(reflect, reflected, y);
  }
  Value digamma(Value x) {
    Value reflect = lt(x, c(.5));
    Value z = select(reflect, neg(x), sub(x, c(1)));
    Value sum = c(base), derivative = c(0);
    for (auto [i, k] : llvm::enumerate(coefficients)) {
      Value d = add(z, c(i + 1));
      sum = add(sum, div(c(k), d));
      derivative = sub(derivative, div(c(k), mul(d, d)));
    }
    Value t = add(z, c(g + .5));
    Value logT = add(log1p(div(z, c(g + .5))), c(std::log(g + .5)));
    Value y = sub(add(logT, div(derivative, sum)), div(c(g), t));
    // psi(1 - x) - psi(x) = pi cot(pi x)
    Value fraction = sub(x, floor(add(x, c(.5))));
    Value safe = select(reflect, fraction, c(.25));
    Value angle = mul(c(M_PI), safe);
    Value cot = div(train::CosOp::create(b, loc, type, angle),
                    train::SinOp::create(b, loc, type, angle));
    return select(reflect, sub(y, mul(c(M_PI), cot)), y);
  }

  /// Returns the next float after x towards y, by its bits.
  Value nextAfter(Value x, Value y) {
    auto tensor = cast<RankedTensorType>(type);
    unsigned width = tensor.getElementTypeBitWidth();
    Type bitsType = tensor.clone(b.getIntegerType(width));
    auto bitsOf = [&](Value v) -> Value {
      return train::BitcastOp::create(b, loc, bitsType, v);
    };
    auto constant = [&](const APInt &v) -> Value {
      return train::ConstantOp::create(
          b, loc, DenseElementsAttr::get(cast<RankedTensorType>(bitsType), v));
    };
    Value xBits = bitsOf(x), one = constant(APInt(width, 1));
    Value signMask = constant(APInt::getSignMask(width));
    Value isZero = eq(x, c(0));
    // It moves away from zero if y is farther out on the same side.
    Value towardsUp = lt(x, y),
          negative = train::compare(b, loc, xBits, constant(APInt(width, 0)),
                                    train::CompareDirection::LT);
    Value away = train::compare(b, loc, towardsUp, negative,
                                train::CompareDirection::NE);
    Value stepped = select(away, add(xBits, one), sub(xBits, one));
    Value yBits = bitsOf(y);
    Value fromZero = train::OrOp::create(
        b, loc, bitsType,
        train::AndOp::create(b, loc, bitsType, yBits, signMask), one);
    Value result = select(isZero, fromZero, stepped);
    Value next = train::BitcastOp::create(b, loc, type, result);
    next = select(eq(x, y), y, next);
    Value nan = train::compare(b, loc, x, x, train::CompareDirection::NE);
    Value nanY = train::compare(b, loc, y, y, train::CompareDirection::NE);
    return select(nan, x, select(nanY, y, next));
  }
};

} // namespace

Converted convertFunction(Conversion &c, Operation *op) {
  if (!isa<chlo::CHLODialect>(op->getDialect()))
    return std::nullopt;
  Location loc = op->getLoc();
  OpBuilder &b = c.b;
  Value x = c.in(op->getOperand(0));
  Type type = x.getType();
  Math m{b, loc, type};
  bool isFloat = isa<FloatType>(tensorType(x).getElementType());
  auto isInfinity = [&](double sign) { // compared with an infinity of the type
    return m.eq(x, m.c(sign * INFINITY));
  };
  return llvm::TypeSwitch<Operation *, Converted>(op)
      .Case<chlo::SquareOp>(
          [&](auto) -> Converted { return c.set(op, m.mul(x, x)); })
      .Case<chlo::SinhOp>(
          [&](auto) -> Converted { return c.set(op, m.sinh(x)); })
      .Case<chlo::CoshOp>(
          [&](auto) -> Converted { return c.set(op, m.cosh(x)); })
      .Case<chlo::AsinhOp>(
          [&](auto) -> Converted { return c.set(op, m.asinh(x)); })
      .Case<chlo::AcoshOp>(
          [&](auto) -> Converted { return c.set(op, m.acosh(x)); })
      .Case<chlo::AtanhOp>(
          [&](auto) -> Converted { return c.set(op, m.atanh(x)); })
      .Case<chlo::AsinOp>(
          [&](auto) -> Converted { return c.set(op, m.asin(x)); })
      .Case<chlo::AcosOp>(
          [&](auto) -> Converted { return c.set(op, m.acos(x)); })
      .Case<chlo::ErfInvOp>(
          [&](auto) -> Converted { return c.set(op, m.erfInvSingle(x)); })
      .Case<chlo::AtanOp>(
          [&](auto) -> Converted { return c.set(op, m.atan2(x, m.c(1))); })
      .Case<chlo::LgammaOp>(
          [&](auto) -> Converted { return c.set(op, m.lgamma(x)); })
      .Case<chlo::DigammaOp>(
          [&](auto) -> Converted { return c.set(op, m.digamma(x)); })
      .Case<chlo::ConjOp>([&](auto) -> Converted { return c.set(op, x); })
      .Case<chlo::IsInfOp>([&](auto) -> Converted {
        return c.set(op, train::OrOp::create(b, loc, op->getResult(0).getType(),
                                             isInfinity(1), isInfinity(-1)));
      })
      .Case<chlo::IsPosInfOp>(
          [&](auto) -> Converted { return c.set(op, isInfinity(1)); })
      .Case<chlo::IsNegInfOp>(
          [&](auto) -> Converted { return c.set(op, isInfinity(-1)); })
      .Case<chlo::NextAfterOp>([&](auto) -> Converted {
        return c.set(op, m.nextAfter(x, c.in(op->getOperand(1))));
      })
      .Case<chlo::MulhiOp>([&](auto) -> Converted {
        unsigned width = tensorType(x).getElementTypeBitWidth();
        if (isFloat || width > 32)
          return refuse(op, "expected integers of at most 32 bits");
        Type element = tensorType(x).getElementType();
        Type wide =
            IntegerType::get(b.getContext(), 2 * width,
                             cast<IntegerType>(element).getSignedness());
        Value product =
            m.mul(train::convert(b, loc, x, wide),
                  train::convert(b, loc, c.in(op->getOperand(1)), wide));
        Value shifted = train::ShrlOp::create(
            b, loc, product.getType(), product,
            train::splat(b, loc, product.getType(), width));
        return c.set(op, train::convert(b, loc, shifted, element));
      })
      .Default([](Operation *) -> Converted { return std::nullopt; });
}

} // namespace zcc
