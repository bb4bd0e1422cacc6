// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The error function and its relatives. erfc(x) = exp(-x x) g(t) / (1 + 2 x)
// for x >= 0, with g a polynomial in t = (x - K) / (x + K) (Shepherd and
// Laframboise, Chebyshev approximation of (1 + 2x) exp(x^2) erfc x, 1981).
// Coefficients interpolate at Chebyshev nodes.
#include "compiler/codegen/Math.h"

namespace zcc {

Math::V Math::erfc(V x) {
  bool d = isDouble(x);
  V a = clampHigh(abs(x), d ? 28 : 10.2);
  // The rounding error of a * a is corrected in the exponential.
  V s = mul(a, a);
  V correction = neg(fma(a, a, neg(s)));
  V factor;
  if (d) {
    V t = div(sub(a, c(x, 4)), add(a, c(x, 4)));
    V g = poly(t, {-1.82060986803086833e-9,   -1.36709898633473824e-8,
                   -7.71541861441783013e-9,   1.15349437457541573e-7,
                   6.27072715719831088e-8,    -8.35161968869684708e-7,
                   3.01350499448753948e-7,    5.7178872846321852e-6,
                   -0.0000112247891351547007, -0.000024403169244974075,
                   0.000150622243948302992,   -0.000199255507556149521,
                   -0.000757773341413330045,  0.00503196975589542611,
                   -0.0161977340591150071,    0.037167515562492866,
                   -0.0663303658115293841,    0.0937328349967941159,
                   -0.101039066036352132,     0.0680970542547373239,
                   0.0153796521026207413,     -0.139621116840562894,
                   1.23299511862555251});
    factor = div(g, fma(a, c(x, 2), c(x, 1)));
  } else {
    // With 2 + a instead of 1 + 2 a, one quotient r is enough, as t = 1 - 4 r.
    // Its relative error is corrected in the exponential, too, together with
    // its effect on h: -4 h'(t) / h(t) is about 2.6.
    V sum = add(a, c(x, 2));
    V r = div(c(x, 1), sum);
    V sumLow = sub(a, sub(sum, c(x, 2)));
    V error = fma(neg(r), sumLow, fma(neg(r), sum, c(x, 1)));
    correction = fma(error, fma(r, c(x, 2.6), c(x, 1)), correction);
    V t = fma(r, c(x, -4), c(x, 1));
    V h = poly(t, {6.41553113e-5, 3.94252995e-5, -0.000587912559,
                   -0.000823400167, 0.00306140561, 0.00647245959, -0.0215056234,
                   -0.036441271, 0.279471766, -0.687160718, 1.02158271});
    factor = mul(h, r);
  }
  // factor e^r 2^n with e^r = 1 + (e^r - 1): one rounding less than exp.
  Reduced p = reduceExp(neg(s));
  V e = expm1Reduced(add(p.r, correction));
  V y = scale(fma(factor, e, factor), lowInteger(p.t));
  y = sel(lt(x, c(x, 0)), sub(c(x, 2), y), y);
  // Near 0 the complement of a small number is more accurate.
  return sel(lt(abs(x), c(x, 0.5)), sub(c(x, 1), erfSmall(x)), y);
}

// Computes erf for |x| <= 1 (float: 0.93).
Math::V Math::erfSmall(V x) {
  V z = mul(x, x);
  if (isDouble(x))
    return mul(x, poly(z, {-4.23094582429533782e-12, 8.70904512905310669e-11,
                           -1.21645600572834501e-9, 1.4792401209404813e-8,
                           -1.63646421581676153e-7, 1.64620454414684189e-6,
                           -0.0000149256475675193321, 0.000120553329028887354,
                           -0.00085483270219348296, 0.00522397762542329831,
                           -0.0268661706451298408, 0.112837916709551202,
                           -0.376126389031837524, 1.12837916709551257}));
  return fma(poly(z, {8.33471862e-5, -0.000813470933, 0.00520036859,
                      -0.0268591515, 0.112836915, -0.376126335, 0.128379167}),
             x, x);
}

Math::V Math::erf(V x) {
  V small = erfSmall(x);
  if (isDouble(x)) {
    V large = copySign(sub(c(x, 1), erfc(abs(x))), x);
    return sel(lt(abs(x), c(x, 1)), small, large);
  }
  // 1 - exp(log erfc x).
  V a = clampHigh(abs(x), 4);
  V large = poly(a, {1.64306366e-6, -4.61638586e-5, 0.00059758577,
                     -0.00476262583, 0.0264276372, -0.110087166, -0.631823918,
                     -1.13023106, 0.000318539662});
  large = copySign(sub(c(x, 1), exp(large)), x);
  return sel(gt(abs(x), c(x, 0.92)), large, small);
}

// A guess (Giles, Approximating the erfinv function, 2010; near 1 the
// asymptotic erfc(y) = exp(-y y) / (y sqrt(pi))), then Halley's iteration on
// erf, or on erfc where erf is near 1.
Math::V Math::erfInv64(V x) {
  V a = abs(x);
  V one = c(x, 1);
  V complement = sub(one, a); // exact from a half on
  V w = neg(log(mul(complement, add(one, a))));
  V p = sub(w, c(x, 2.5));
  V central = poly(p, {2.81022636e-08, 3.43273939e-07, -3.5233877e-06,
                       -4.39150654e-06, 0.00021858087, -0.00125372503,
                       -0.00417768164, 0.246640727, 1.50140941});
  V root = sqrt(w);
  V q = sub(root, c(x, 3));
  V outer = poly(q, {-0.000200214257, 0.000100950558, 0.00134934322,
                     -0.00367342844, 0.00573950773, -0.0076224613,
                     0.00943887047, 1.00167406, 2.83297682});
  V y = mul(a, sel(lt(w, c(x, 5)), central, outer));
  V l = neg(log(complement));
  V far = fma(log(mul(l, c(x, 3.1415926535897931))), c(x, -0.5), l);
  y = sel(gt(w, c(x, 14)), sqrt(far), y);
  for (int i = 0; i < 2; ++i) {
    V error = sel(gt(a, c(x, 0.5)), sub(complement, erfc(y)), sub(erf(y), a));
    // u = error / erf'(y); Halley: y - u / (1 + y u).
    V u = mul(mul(error, exp(mul(y, y))), c(x, 0.88622692545275801));
    y = sub(y, div(u, fma(y, u, one)));
  }
  y = copySign(y, x);
  y = sel(eq(x, c(x, 0)), x, y);
  y = sel(eq(a, one), copySign(c(x, HUGE_VAL), x), y);
  return sel(ir.CreateNot(ir.CreateFCmpOLE(a, one)), c(x, NAN), y);
}

} // namespace zcc
