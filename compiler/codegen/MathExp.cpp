// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The exponential and its relatives: x = n ln 2 + r, |r| <= ln(2) / 2, a
// polynomial in r, and powers of two. Float coefficients are those of Moshier's
// Cephes library (expf), double ones Taylor's.
#include "compiler/codegen/Math.h"

namespace zcc {

Math::Reduced Math::reduceExp(V x) {
  V m = c(x, magic(x));
  V t = fma(x, c(x, 1.4426950408889634), m);
  V n = sub(t, m);
  // ln 2 is split into two parts; the second one is the rounding error of the
  // first one in the type.
  double high = isDouble(x) ? 0.6931471805599453 : 0.6931471824645996;
  double low = isDouble(x) ? 2.3190468138462996e-17 : -1.9046542121259336e-09;
  V r = fma(n, c(x, -high), x);
  return {n, fma(n, c(x, -low), r), t};
}

Math::V Math::expm1Reduced(V r) {
  V q = isDouble(r)
            ? poly(r, {1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800,
                       1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040,
                       1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5})
            : poly(r, {1.9875691500E-4, 1.3981999507E-3, 8.3334519073E-3,
                       4.1665795894E-2, 1.6666665459E-1, 5.0000001201E-1});
  return fma(q, mul(r, r), r);
}

Math::V Math::exp(V x) {
  x = clampHigh(clampLow(x, isDouble(x) ? -746 : -104), isDouble(x) ? 710 : 89);
  Reduced p = reduceExp(x);
  return scale(add(expm1Reduced(p.r), c(x, 1)), lowInteger(p.t));
}

// 2^n (e^r - 1) + (2^n - 1), at half the scale so that 2^n does not overflow.
Math::V Math::expm1(V x) {
  V clamped =
      clampHigh(clampLow(x, isDouble(x) ? -40 : -20), isDouble(x) ? 710 : 89);
  Reduced p = reduceExp(clamped);
  V half = pow2(ir.CreateSub(lowInteger(p.t), ci(x, 1)), x);
  V e = fma(half, expm1Reduced(p.r), sub(half, c(x, 0.5)));
  // Keeps the sign of zero.
  return sel(eq(x, c(x, 0)), x, mul(e, c(x, 2)));
}

// tanh |x| = -e / (2 + e) with e = exp(-2 |x|) - 1.
Math::V Math::tanh(V x) {
  V a = clampHigh(abs(x), isDouble(x) ? 20 : 9.1);
  Reduced p = reduceExp(mul(a, c(x, -2)));
  V s = pow2(lowInteger(p.t), x);
  V e = fma(s, expm1Reduced(p.r), sub(s, c(x, 1)));
  return copySign(div(e, sub(c(x, -2), e)), x);
}

// Uses exp(-|x|), which is accurate and finite on both sides.
Math::V Math::logistic(V x) {
  V e = exp(neg(abs(x)));
  V one = c(x, 1);
  return div(sel(lt(x, c(x, 0)), e, one), add(one, e));
}

} // namespace zcc
