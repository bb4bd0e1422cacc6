// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Logarithms, power, cube root. Float coefficients of the logarithm are those
// of Moshier's Cephes library (logf); doubles use the series of
// log((1+s)/(1-s)).
#include "compiler/codegen/Math.h"

namespace zcc {

Math::V Math::logReduced(V f, V e) {
  V z = mul(f, f);
  if (!isDouble(f)) {
    V p = poly(f, {7.0376836292E-2, -1.1514610310E-1, 1.1676998740E-1,
                   -1.2420140846E-1, 1.4249322787E-1, -1.6668057665E-1,
                   2.0000714765E-1, -2.4999993993E-1, 3.3333331174E-1});
    // ln 2 = 0.693359375 - 2.12e-4: the first part times e is exact.
    V y = fma(e, c(f, -2.12194440e-4), mul(mul(f, z), p));
    y = fma(z, c(f, -0.5), y);
    return fma(e, c(f, 0.693359375), add(f, y));
  }
  // log(1+f) = f - (h - s (h + R)), h = f f / 2, s = f / (2 + f), as in Sun's
  // libm; R by the series.
  V s = div(f, add(c(f, 2), f));
  V w = mul(s, s);
  V r = mul(w,
            poly(w, {2.0 / 25, 2.0 / 23, 2.0 / 21, 2.0 / 19, 2.0 / 17, 2.0 / 15,
                     2.0 / 13, 2.0 / 11, 2.0 / 9, 2.0 / 7, 2.0 / 5, 2.0 / 3}));
  V h = mul(z, c(f, 0.5));
  V low = fma(e, c(f, 1.90821492927058770002e-10), mul(s, add(h, r)));
  return fma(e, c(f, 6.93147180369123816490e-01), sub(f, sub(h, low)));
}

Math::V Math::log(V x) {
  bool d = isDouble(x);
  V denormal = lt(x, c(x, d ? 2.2250738585072014e-308 : 1.17549435e-38));
  V scaled =
      sel(denormal, mul(x, c(x, d ? 18014398509481984.0 : 8388608.0)), x);
  V extra = sel(denormal, c(x, d ? -54 : -23), c(x, 0));
  V b = bits(scaled);
  // Exponent and mantissa such that the mantissa is in [sqrt(1/2), sqrt(2)).
  V k = ir.CreateSub(b, ci(x, d ? 0x3fe6a09e667f3bcd : 0x3f3504f3));
  V e = ir.CreateAShr(k, ci(x, mantissa(x)));
  V m = fromBits(ir.CreateSub(b, ir.CreateShl(e, ci(x, mantissa(x)))), x);
  V y = logReduced(sub(m, c(x, 1)), add(integerToFloat(e, x), extra));
  y = sel(lt(x, c(x, HUGE_VAL)), y, x); // infinity, NaN
  y = sel(eq(x, c(x, 0)), c(x, -HUGE_VAL), y);
  return sel(lt(x, c(x, 0)), c(x, NAN), y);
}

Math::V Math::log1p(V x) {
  bool d = isDouble(x);
  V u = add(x, c(x, 1));
  V k = ir.CreateSub(bits(u), ci(x, d ? 0x3fe6a09e667f3bcd : 0x3f3504f3));
  V e = ir.CreateAShr(k, ci(x, mantissa(x)));
  // f = (1 + x) 2^-e - 1 = x 2^-e + (2^-e - 1), in two steps as 2^-e may be
  // denormal.
  V half = ir.CreateAShr(e, ci(x, 1));
  V a = pow2(ir.CreateNeg(half), x);
  V b = pow2(ir.CreateSub(half, e), x);
  V f = fma(mul(x, a), b, sub(mul(a, b), c(x, 1)));
  V y = logReduced(f, integerToFloat(e, x));
  y = sel(lt(x, c(x, HUGE_VAL)), y, x);
  y = sel(eq(x, c(x, 0)), x, y);
  y = sel(eq(x, c(x, -1)), c(x, -HUGE_VAL), y);
  return sel(lt(x, c(x, -1)), c(x, NAN), y);
}

// |x| = m 8^q with m in [1, 8), a linear guess and Halley's iteration.
Math::V Math::cbrt64(V x) {
  V a = abs(x);
  V denormal = lt(a, c(x, 1e-290));
  V scaled = sel(denormal, mul(a, c(x, 0x1p54)), a);
  V e = ir.CreateSub(ir.CreateLShr(bits(scaled), ci(x, 52)), ci(x, 1023));
  // e div 3, rounded down: 1023 is 3 * 341, and the half keeps off the ties.
  V third = mul(add(integerToFloat(e, x), c(x, 1023.5)), c(x, 1.0 / 3));
  third = add(sub(third, c(x, 0.5)), c(x, magic(x)));
  V q = ir.CreateSub(lowInteger(third), ci(x, 341));
  V exponent = ir.CreateSub(e, ir.CreateMul(q, ci(x, 3)));
  V fraction = ir.CreateAnd(bits(scaled), ci(x, 0xFFFFFFFFFFFFF));
  V m = mul(fromBits(ir.CreateOr(fraction, ci(x, 0x3FF0000000000000)), x),
            pow2(exponent, x));
  V y = fma(m, c(x, 0.14), c(x, 0.92));
  for (int i = 0; i < 4; ++i) {
    V cube = mul(mul(y, y), y);
    V step = div(sub(cube, m), add(add(cube, cube), m));
    y = fma(neg(y), step, y);
  }
  y = mul(y, pow2(q, x));
  y = sel(denormal, mul(y, c(x, 0x1p-18)), y);
  y = copySign(y, x);
  V same = ir.CreateOr(ir.CreateNot(lt(a, c(x, HUGE_VAL))), eq(x, c(x, 0)));
  return sel(same, x, y);
}

// exp(y log |x|), the logarithm and the product as sums of two doubles, as
// their absolute error becomes the result's relative one.
Math::V Math::pow64(V x, V y) {
  V a = abs(x);
  V denormal = lt(a, c(x, 2.2250738585072014e-308));
  V scaled = sel(denormal, mul(a, c(x, 0x1p54)), a);
  V k = ir.CreateSub(bits(scaled), ci(x, 0x3fe6a09e667f3bcd));
  V ei = ir.CreateAShr(k, ci(x, 52));
  V m = fromBits(ir.CreateSub(bits(scaled), ir.CreateShl(ei, ci(x, 52))), x);
  V e = add(integerToFloat(ei, x), sel(denormal, c(x, -54), c(x, 0)));
  // s = f / (2 + f) as s + t; log m = 2 s + 2/3 s^3 + ...
  V f = sub(m, c(x, 1));
  V w = add(f, c(x, 2));
  V wLow = sub(f, sub(w, c(x, 2)));
  V s = div(f, w);
  V t = div(fma(neg(s), wLow, fma(neg(s), w, f)), w);
  V z = mul(s, s);
  V tail = mul(mul(s, z), poly(z, {2.0 / 25, 2.0 / 23, 2.0 / 21, 2.0 / 19,
                                   2.0 / 17, 2.0 / 15, 2.0 / 13, 2.0 / 11,
                                   2.0 / 9, 2.0 / 7, 2.0 / 5, 2.0 / 3}));
  V twoS = add(s, s);
  V small = add(add(t, t), tail);
  // e ln 2, its first part exact (ln 2 to 32 bits).
  V high = mul(e, c(x, 6.93147180369123816490e-01));
  V sum = add(high, twoS);
  // The larger of the two is `high`, unless e is 0 and it is 0 itself.
  V back = sub(sum, high);
  V rest = add(sub(high, sub(sum, back)), sub(twoS, back));
  rest = add(rest, fma(e, c(x, 1.90821492927058770002e-10), small));
  V logHigh = add(sum, rest);
  V logLow = add(sub(sum, logHigh), rest);
  logHigh = sel(lt(a, c(x, HUGE_VAL)), logHigh, a);
  logHigh = sel(eq(a, c(x, 0)), c(x, -HUGE_VAL), logHigh);
  logLow = sel(lt(abs(logHigh), c(x, 1000)), logLow, c(x, 0));

  V product = mul(y, logHigh);
  V low = add(fma(y, logHigh, neg(product)), mul(y, logLow));
  low = sel(lt(abs(product), c(x, 1e4)), low, c(x, 0));
  V r = exp(product);
  V corrected = fma(r, low, r);
  r = sel(lt(abs(r), c(x, HUGE_VAL)), corrected, r);

  V one = c(x, 1), zero = c(x, 0), infinity = c(x, HUGE_VAL);
  V integral = eq(trunc(y), y);
  V halfY = mul(y, c(x, 0.5));
  V odd = ir.CreateAnd(integral, ir.CreateFCmpUNE(trunc(halfY), halfY));
  odd = ir.CreateAnd(odd, lt(abs(y), infinity));
  V isNegative = ir.CreateICmpSLT(bits(x), ci(x, 0));
  r = sel(ir.CreateAnd(isNegative, odd), neg(r), r);
  V undefined = ir.CreateAnd(lt(x, zero), ir.CreateNot(integral));
  undefined = ir.CreateAnd(undefined, lt(a, infinity));
  r = sel(undefined, c(x, NAN), r);
  V unit = ir.CreateAnd(eq(a, one), eq(abs(y), infinity));
  r = sel(unit, one, r);
  r = sel(ir.CreateFCmpUNO(x, y), c(x, NAN), r);
  return sel(ir.CreateOr(eq(x, one), eq(y, zero)), one, r);
}

} // namespace zcc
