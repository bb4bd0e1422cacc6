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

  // Coefficients of Chebyshev series, the last first: of e^-x I0(x) for x in
  // [0, 8] and, times sqrt(x), for x above; of e^-x I1(x) divided by x, and
  // times sqrt(x).
  static constexpr double i0Near[] = {
      -4.41534164647933938e-18, 3.33079451882223810e-17,
      -2.43127984654795469e-16, 1.71539128555513303e-15,
      -1.16853328779934517e-14, 7.67618549860493562e-14,
      -4.85644678311192946e-13, 2.95505266312963983e-12,
      -1.72682629144155571e-11, 9.67580903537323691e-11,
      -5.18979560163526291e-10, 2.65982372468238665e-9,
      -1.30002500998624804e-8,  6.04699502254191895e-8,
      -2.67079385394061173e-7,  1.11738753912010372e-6,
      -4.41673835845875056e-6,  1.64484480707288971e-5,
      -5.75419501008210370e-5,  1.88502885095841656e-4,
      -5.76375574538582366e-4,  1.63947561694133580e-3,
      -4.32430999505057594e-3,  1.05464603945949983e-2,
      -2.37374148058994688e-2,  4.93052842396707085e-2,
      -9.49010970480476444e-2,  1.71620901522208775e-1,
      -3.04682672343198399e-1,  6.76795274409476085e-1};
  static constexpr double i0Far[] = {
      -7.23318048787475395e-18, -4.83050448594418207e-18,
      4.46562142029676000e-17,  3.46122286769746109e-17,
      -2.82762398051658348e-16, -3.42548561967721913e-16,
      1.77256013305652638e-15,  3.81168066935262242e-15,
      -9.55484669882830765e-15, -4.15056934728722209e-14,
      1.54008621752140983e-14,  3.85277838274214270e-13,
      7.18012445138366623e-13,  -1.79417853150680612e-12,
      -1.32158118404477131e-11, -3.14991652796324136e-11,
      1.18891471078464383e-11,  4.94060238822496959e-10,
      3.39623202570838635e-9,   2.26666899049817806e-8,
      2.04891858946906374e-7,   2.89137052083475648e-6,
      6.88975834691682398e-5,   3.36911647825569409e-3,
      8.04490411014108832e-1};
  static constexpr double i1Near[] = {
      2.77791411276104637e-18, -2.11142121435816608e-17,
      1.55363195773620047e-16, -1.10559694773538631e-15,
      7.60068429473540693e-15, -5.04218550472791169e-14,
      3.22379336594557471e-13, -1.98397439776494372e-12,
      1.17361862988909016e-11, -6.66348972350202774e-11,
      3.62559028155211704e-10, -1.88724975172282929e-9,
      9.38153738649577178e-9,  -4.44505912879632808e-8,
      2.00329475355213526e-7,  -8.56872026469545474e-7,
      3.47025130813767848e-6,  -1.32731636560394358e-5,
      4.78156510755005423e-5,  -1.61760815825896746e-4,
      5.12285956168575773e-4,  -1.51357245063125315e-3,
      4.15642294431288816e-3,  -1.05640848946261982e-2,
      2.47264490306265168e-2,  -5.29459812080949914e-2,
      1.02643658689847095e-1,  -1.76416518357834055e-1,
      2.52587186443633655e-1};
  static constexpr double i1Far[] = {
      7.51729631084210481e-18,  4.41434832307170795e-18,
      -4.65030536848935833e-17, -3.20952592199342396e-17,
      2.96262899764595014e-16,  3.30820231092092828e-16,
      -1.88035477551078245e-15, -3.81440307243700780e-15,
      1.04202769841288028e-14,  4.27244001671195135e-14,
      -2.10154184277266431e-14, -4.08355111109219732e-13,
      -7.19855177624590851e-13, 2.03562854414708951e-12,
      1.41258074366137813e-11,  3.25260358301548824e-11,
      -1.89749581235054123e-11, -5.58974346219658381e-10,
      -3.83538038596423702e-9,  -2.63146884688951951e-8,
      -2.51223623787020893e-7,  -3.88256480887769039e-6,
      -1.10588938762623716e-4,  -9.76109749136146841e-3,
      7.78576235018280120e-1};

  /// Returns a Chebyshev series at t in [-1, 1], given 2 t, by Clenshaw's
  /// recurrence. Terms that floats of the type do not show, `unseen`, are left
  /// out.
  Value chebyshev(Value twice, ArrayRef<double> series, unsigned unseen) {
    if (cast<RankedTensorType>(type).getElementTypeBitWidth() <= 32)
      series = series.drop_front(unseen);
    Value last = c(0), before = c(0), sum = c(series.front());
    for (double k : series.drop_front()) {
      before = last;
      last = sum;
      sum = add(sub(mul(twice, last), before), c(k));
    }
    return mul(c(.5), sub(sum, before));
  }
  /// Returns e^-|x| I0(x).
  Value besselI0e(Value x) {
    Value a = mul(signOf(x), x), large = lt(c(8), a);
    Value near = select(large, c(1), a), far = select(large, a, c(8));
    return select(
        large, div(chebyshev(sub(div(c(32), far), c(2)), i0Far, 18), sqrt(far)),
        chebyshev(sub(mul(c(.5), near), c(2)), i0Near, 12));
  }
  /// Returns e^-|x| I1(x), without its derivative.
  Value besselI1eValue(Value x) {
    Value s = signOf(x), a = mul(s, x), large = lt(c(8), a);
    Value near = select(large, c(1), a), far = select(large, a, c(8));
    Value y = select(
        large, div(chebyshev(sub(div(c(32), far), c(2)), i1Far, 18), sqrt(far)),
        mul(near, chebyshev(sub(mul(c(.5), near), c(2)), i1Near, 12)));
    return mul(s, y);
  }
  /// Returns e^-|x| I1(x) with JAX's derivative.
  Value besselI1e(Value x) {
    Value y = besselI1eValue(x);
    double epsilon = std::ldexp(
        1.,
        1 - static_cast<int>(
                cast<FloatType>(cast<RankedTensorType>(type).getElementType())
                    .getFPMantissaWidth()));
    Value tiny = le(mul(signOf(x), x), c(epsilon)),
          safe = select(tiny, c(1), x);
    Value slope =
        sub(besselI0e(safe), mul(y, add(signOf(safe), div(c(1), safe))));
    return withSlope(y, x, select(tiny, c(.5), slope));
  }
  /// Returns `y`, a function of `x`, with the derivative `slope`.
  Value withSlope(Value y, Value x, Value slope) {
    Value cotangent = train::CotangentOp::create(b, loc, type);
    Value gradient = mul(cotangent, slope);
    return train::CustomDerivativeOp::create(
               b, loc, TypeRange(type), ValueRange(y), ValueRange(cotangent),
               ValueRange(x), ValueRange(gradient))
        .getResult(0);
  }

  Value pow(Value x, Value y) {
    return train::PowOp::create(b, loc, type, x, y);
  }
  /// Returns Hurwitz' zeta function, the sum of (q + k)^-s over k >= 0, for
  /// s > 1 and q > 0: nine terms, and the rest by Euler and Maclaurin.
  Value zeta(Value s, Value q) {
    // (2 k)! / B_2k
    static constexpr double quotients[] = {12.,
                                           -720.,
                                           30240.,
                                           -1209600.,
                                           47900160.,
                                           -1.8924375803183791606e9,
                                           7.47242496e10,
                                           -2.950130727918164224e12,
                                           1.1646782814350067249e14,
                                           -4.5979787224074726105e15,
                                           1.8152105401943546773e17,
                                           -7.1661652561756670113e18};
    Value minus = neg(s), a = q, term = pow(a, minus), sum = term;
    for (int k = 1; k <= 9; ++k) {
      a = add(q, c(k));
      term = pow(a, minus);
      sum = add(sum, term);
    }
    sum = add(sum, div(mul(term, a), sub(s, c(1))));
    sum = sub(sum, mul(c(.5), term));
    Value factor = s, power = div(term, a);
    for (auto [k, quotient] : llvm::enumerate(quotients)) {
      sum = add(sum, div(mul(factor, power), c(quotient)));
      factor = mul(factor, mul(add(s, c(2 * k + 1)), add(s, c(2 * k + 2))));
      power = div(power, mul(a, a));
    }
    return sum;
  }
  /// Returns derivative n of digamma for n = 1, 2, ... and x > 0.
  Value polygammaValue(Value n, Value x) {
    Value half = mul(c(.5), n);
    Value even = eq(floor(half), half), next = add(n, c(1));
    return mul(select(even, c(-1), c(1)),
               mul(exp(lgamma(next)), zeta(next, x)));
  }
  /// Returns derivative n of digamma, with its derivative by x. It is NaN where
  /// n is no whole number, or negative.
  Value polygamma(Value n, Value x) {
    Value isZero = eq(n, c(0)), safe = select(isZero, c(1), n);
    Value y = select(isZero, digamma(x), polygammaValue(safe, x));
    Value valid = train::AndOp::create(b, loc, isZero.getType(), le(c(0), n),
                                       eq(floor(n), n));
    y = select(valid, y, c(NAN));
    return withSlope(y, x, polygammaValue(add(n, c(1)), x));
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

/// Returns the result of a function that 16 bits are too few to compute, which
/// computes in f32 at least, in the type of its operands.
Value inSingle(OpBuilder &b, Location loc, ArrayRef<Value> operands,
               llvm::function_ref<Value(Math, ValueRange)> function) {
  Type element = tensorType(operands[0]).getElementType();
  Type wide = element.getIntOrFloatBitWidth() < 32 ? b.getF32Type() : element;
  SmallVector<Value> in;
  for (Value v : operands)
    in.push_back(train::convert(b, loc, v, wide));
  Value y = function(Math{b, loc, in[0].getType()}, in);
  return train::convert(b, loc, y, element);
}

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
      .Case<chlo::BesselI1eOp>([&](auto) -> Converted {
        return c.set(op, inSingle(b, loc, {x}, [&](Math m, ValueRange in) {
                       return m.besselI1e(in[0]);
                     }));
      })
      .Case<chlo::PolygammaOp>([&](auto) -> Converted {
        Value argument = c.in(op->getOperand(1));
        return c.set(
            op, inSingle(b, loc, {x, argument}, [&](Math m, ValueRange in) {
              return m.polygamma(in[0], in[1]);
            }));
      })
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
