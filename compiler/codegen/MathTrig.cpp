// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Trigonometric functions in double. Arguments below 1e5 are reduced by Cody
// and Waite's method with fused multiply-add. Larger ones are reduced exactly,
// with the bits of 2/pi that matter (Payne and Hanek, Radian reduction for
// trigonometric functions, 1983), in a branch that is taken if any lane needs
// it. That code is long, so a kernel with many sines has it once.
#include "compiler/codegen/Math.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Module.h"

namespace zcc {

// Two words of zeros, then the bits of 2/pi after the binary point.
static const uint32_t twoOverPi[] = {
    0,          0,          0xA2F9836E, 0x4E441529, 0xFC2757D1, 0xF534DDC0,
    0xDB629599, 0x3C439041, 0xFE5163AB, 0xDEBBC561, 0xB7246E3A, 0x424DD2E0,
    0x06492EEA, 0x09D1921C, 0xFE1DEB1C, 0xB129A73E, 0xE88235F5, 0x2EBB4484,
    0xE99C7026, 0xB45F7E41, 0x3991D639, 0x835339F4, 0x9C845F8B, 0xBDF9283B,
    0x1FF897FF, 0xDE05980F, 0xEF2F118B, 0x5A0A6D1F, 0x6D367ECF, 0x27CB09B7,
    0x4F463F66, 0x9E5FEA2D, 0x7527BAC7, 0xEBE5F17B, 0x3D0739F7, 0x8A5292EA,
    0x6BFB5FB1, 0x1F8D5D08, 0x56033046, 0xFC7B6BAB, 0xF0CFBC20, 0x9AF4361D};

Math::Angle Math::reduceLarge(V x) {
  llvm::Module &module = *kernel.function->getParent();
  llvm::GlobalVariable *table = module.getNamedGlobal("two.over.pi");
  if (!table) {
    auto *data = llvm::ConstantDataArray::get(module.getContext(), twoOverPi);
    table = new llvm::GlobalVariable(module, data->getType(), true,
                                     llvm::GlobalValue::InternalLinkage, data,
                                     "two.over.pi");
  }
  auto k = [&](int64_t v) { return ci(x, v); };
  llvm::Type *wide = intType(x);
  V b = bits(x);
  // |x| = m 2^e. The product's bits that count quadrants begin where a bit of
  // 2/pi has the weight 2^1 after multiplication by 2^e.
  V e = ir.CreateSub(ir.CreateAnd(ir.CreateLShr(b, k(52)), k(0x7FF)), k(1075));
  V m = ir.CreateOr(ir.CreateAnd(b, k(0xFFFFFFFFFFFFF)), k(int64_t(1) << 52));
  V position = ir.CreateBinaryIntrinsic(llvm::Intrinsic::smax,
                                        ir.CreateAdd(e, k(62)), k(0));
  V word = ir.CreateLShr(position, k(5));
  V shift = ir.CreateAnd(position, k(31));
  auto tableWord = [&](int i) -> V {
    llvm::Type *i32 = wide->getWithNewType(ir.getInt32Ty());
    V p = ir.CreateGEP(ir.getInt32Ty(), table, ir.CreateAdd(word, k(i)));
    V v;
    if (auto *vector = llvm::dyn_cast<llvm::VectorType>(wide))
      v = ir.CreateMaskedGather(
          i32, p, llvm::Align(4),
          llvm::Constant::getAllOnesValue(
              llvm::VectorType::get(ir.getInt1Ty(), vector)));
    else
      v = ir.CreateAlignedLoad(i32, p, llvm::Align(4));
    return ir.CreateZExt(v, wide);
  };
  V raw[7], w[6];
  for (int i = 0; i < 7; ++i)
    raw[i] = tableWord(i);
  for (int i = 0; i < 6; ++i) {
    V two = ir.CreateOr(ir.CreateShl(raw[i], k(32)), raw[i + 1]);
    w[i] = ir.CreateLShr(ir.CreateShl(two, shift), k(32));
  }
  // m times 192 bits, of which the lowest 32 serve for the carry only, modulo
  // four quadrants.
  V low32 = k(0xFFFFFFFF);
  V mLow = ir.CreateAnd(m, low32), mHigh = ir.CreateLShr(m, k(32));
  V pLow[6], pHigh[6];
  for (int i = 0; i < 6; ++i) {
    pLow[i] = ir.CreateMul(mLow, w[i]);
    pHigh[i] = ir.CreateMul(mHigh, w[i]);
  }
  auto lo = [&](V v) { return ir.CreateAnd(v, low32); };
  auto hi = [&](V v) { return ir.CreateLShr(v, k(32)); };
  V limb[5];
  V carry = hi(pLow[5]);
  for (int i = 4; i >= 0; --i) {
    V sum = ir.CreateAdd(carry, lo(pLow[i]));
    if (i < 4)
      sum = ir.CreateAdd(sum, hi(pLow[i + 1]));
    sum = ir.CreateAdd(sum, lo(pHigh[i + 1]));
    if (i < 4)
      sum = ir.CreateAdd(sum, hi(pHigh[i + 2]));
    limb[i] = lo(sum);
    carry = hi(sum);
  }
  // The nearest quadrant; the rest may be negative, then its complement is
  // taken so that the sum below cancels nothing.
  V quadrant =
      ir.CreateLShr(ir.CreateAdd(ir.CreateLShr(limb[0], k(29)), k(1)), k(1));
  V top = ir.CreateSub(limb[0], ir.CreateShl(quadrant, k(30)));
  V flip = ir.CreateAShr(top, k(63));
  limb[0] = ir.CreateXor(top, flip);
  for (int i = 1; i < 5; ++i)
    limb[i] = ir.CreateXor(limb[i], ir.CreateAnd(flip, low32));
  V part[5];
  for (int i = 0; i < 5; ++i)
    part[i] = mul(sub(fromBits(ir.CreateOr(limb[i], bits(c(x, 0x1p52))), x),
                      c(x, 0x1p52)),
                  c(x, std::ldexp(1.0, -30 - 32 * i)));
  V tail = add(part[2], add(part[3], part[4]));
  V sum = add(part[0], part[1]);
  tail = add(tail, sub(part[1], sub(sum, part[0])));
  V high = add(sum, tail);
  V low = add(sub(sum, high), tail);
  V p = c(x, 0x1.921fb54442d18p+0), pTail = c(x, 0x1.1a62633145c07p-54);
  V r = mul(high, p);
  V rest = add(fma(high, p, neg(r)), fma(high, pTail, mul(low, p)));
  // Signs: of the complement, and of x.
  V sign = ir.CreateXor(flip, ir.CreateAShr(b, k(63)));
  V flipSign = ir.CreateAnd(sign, k(INT64_MIN));
  r = fromBits(ir.CreateXor(bits(r), flipSign), x);
  rest = fromBits(ir.CreateXor(bits(rest), flipSign), x);
  V isNegative = ir.CreateICmpSLT(b, k(0));
  quadrant = sel(isNegative, ir.CreateNeg(quadrant), quadrant);
  return {r, rest, quadrant};
}

Math::Angle Math::callReduceLarge(V x) {
  // The code of scalars, as on GPUs, is short.
  if (!KernelBuilder::isVector(x))
    return reduceLarge(x);
  llvm::Module &module = *kernel.function->getParent();
  auto *vector = llvm::cast<llvm::VectorType>(x->getType());
  std::string name =
      "reduce.large." +
      std::to_string(vector->getElementCount().getKnownMinValue());
  llvm::Function *function = module.getFunction(name);
  if (!function) {
    auto *angle = llvm::StructType::get(vector, vector, intType(x));
    function = llvm::Function::Create(
        llvm::FunctionType::get(angle, {vector}, /*isVarArg=*/false),
        llvm::GlobalValue::InternalLinkage, name, module);
    function->addFnAttrs(llvm::AttrBuilder(
        module.getContext(), kernel.function->getAttributes().getFnAttrs()));
    function->addFnAttr(llvm::Attribute::NoInline);
    llvm::IRBuilder<>::InsertPointGuard guard(ir);
    ir.SetInsertPoint(
        llvm::BasicBlock::Create(module.getContext(), "entry", function));
    Angle reduced = reduceLarge(function->getArg(0));
    V parts[] = {reduced.high, reduced.low, reduced.quadrant};
    ir.CreateAggregateRet(parts, 3);
  }
  V called = ir.CreateCall(function, {x});
  return {ir.CreateExtractValue(called, 0), ir.CreateExtractValue(called, 1),
          ir.CreateExtractValue(called, 2)};
}

llvm::Value *Math::trig64(V x, int which) {
  V t = fma(x, c(x, 0.63661977236758134), c(x, magic(x)));
  V n = sub(t, c(x, magic(x)));
  // n times the first part cancels exactly; the rounding error of the second
  // step is kept in `low`.
  V pTail = c(x, -0x1.1a62633145c07p-54);
  V first = fma(n, c(x, -0x1.921fb54442d18p+0), x);
  V r = fma(n, pTail, first);
  V low = fma(n, c(x, 0x1.f1976b7ed8fbcp-110), fma(n, pTail, sub(first, r)));
  V quadrant = lowInteger(t);

  V large = gt(abs(x), c(x, 1e5));
  V any = KernelBuilder::isVector(large) ? ir.CreateOrReduce(large) : large;
  llvm::AllocaInst *vars[3] = {kernel.variable(x->getType(), r),
                               kernel.variable(x->getType(), low),
                               kernel.variable(intType(x), quadrant)};
  kernel.ifSeldom(any, [&] {
    Angle angle = callReduceLarge(x);
    kernel.set(vars[0], sel(large, angle.high, r));
    kernel.set(vars[1], sel(large, angle.low, low));
    kernel.set(vars[2], sel(large, angle.quadrant, quadrant));
  });
  r = kernel.get(vars[0]), low = kernel.get(vars[1]);
  quadrant = kernel.get(vars[2]);

  V z = mul(r, r);
  // sin(r + low) and cos(r + low) by Taylor's series.
  V s = poly(z,
             {1.0 / 355687428096000, -1.0 / 1307674368000, 1.0 / 6227020800,
              -1.0 / 39916800, 1.0 / 362880, -1.0 / 5040, 1.0 / 120, -1.0 / 6});
  V sine = add(r, fma(mul(r, z), s, mul(low, fma(z, c(x, -0.5), c(x, 1)))));
  V q = poly(z, {-1.0 / 6402373705728000, 1.0 / 20922789888000,
                 -1.0 / 87178291200, 1.0 / 479001600, -1.0 / 3628800,
                 1.0 / 40320, -1.0 / 720, 1.0 / 24});
  V half = mul(z, c(x, 0.5));
  V w = sub(c(x, 1), half);
  V rest = add(sub(sub(c(x, 1), w), half), fma(mul(z, z), q, neg(mul(r, low))));
  V cosine = add(w, rest);

  V odd = ir.CreateICmpNE(ir.CreateAnd(quadrant, ci(x, 1)), ci(x, 0));
  V result;
  if (which == 2) {
    V numerator = sel(odd, neg(cosine), sine);
    result = div(numerator, sel(odd, sine, cosine));
  } else {
    V turned = which == 1 ? ir.CreateAdd(quadrant, ci(x, 1)) : quadrant;
    V swap = ir.CreateICmpNE(ir.CreateAnd(turned, ci(x, 1)), ci(x, 0));
    V y = sel(swap, cosine, sine);
    V sign = ir.CreateShl(ir.CreateAnd(turned, ci(x, 2)), ci(x, 62));
    result = fromBits(ir.CreateXor(bits(y), sign), x);
  }
  if (which != 1) // keeps the sign of zero
    result = sel(eq(x, c(x, 0)), x, result);
  V finite = lt(abs(x), c(x, HUGE_VAL));
  return sel(finite, result, c(x, NAN));
}

// The smaller over the larger, brought below tan(pi/8), and the series.
llvm::Value *Math::atan264(V y, V x) {
  V a = abs(x), b = abs(y);
  V steep = gt(b, a);
  V numerator = sel(steep, a, b), denominator = sel(steep, b, a);
  V bothInfinite = eq(numerator, c(x, HUGE_VAL));
  V bothZero = eq(denominator, c(x, 0));
  V t = div(numerator, denominator);
  t = sel(bothInfinite, c(x, 1), sel(bothZero, c(x, 0), t));
  V far = gt(t, c(x, 0.41421356237309503));
  V u = sel(far, div(sub(t, c(x, 1)), add(t, c(x, 1))), t);
  V z = mul(u, u);
  llvm::SmallVector<double> series;
  for (int k = 22; k >= 1; --k)
    series.push_back((k % 2 ? -1.0 : 1.0) / (2 * k + 1));
  V angle = fma(mul(u, z), poly(z, series), u);
  V pi4 = c(x, 0.78539816339744828), pi2 = c(x, 1.5707963267948966),
    pi = c(x, 3.1415926535897931);
  angle = sel(far, add(pi4, angle), angle);
  angle = sel(steep, sub(pi2, angle), angle);
  V isLeft = ir.CreateICmpSLT(bits(x), ci(x, 0));
  angle = sel(isLeft, sub(pi, angle), angle);
  angle = copySign(angle, y);
  return sel(ir.CreateFCmpUNO(x, y), c(x, NAN), angle);
}

// Long division: each step takes off a multiple of the divisor, scaled by a
// power of two so that the quotient has at most 27 bits; all of it is exact.
llvm::Value *Math::fmod64(V x, V y, unsigned steps) {
  V a = abs(x), b = abs(y);
  // Denormals are scaled, so that they have an exponent, too.
  auto exponent = [&](V v) {
    V tiny = lt(v, c(x, 1e-290));
    V e = ir.CreateLShr(bits(sel(tiny, mul(v, c(x, 0x1p500)), v)), ci(x, 52));
    return ir.CreateSub(e, sel(tiny, ci(x, 500), ci(x, 0)));
  };
  V bExponent = exponent(b);
  llvm::AllocaInst *remainder = kernel.variable(x->getType(), a);
  kernel.loop(kernel.index(0), kernel.index(steps), 1, [&](V) {
    V r = kernel.get(remainder);
    V k = ir.CreateSub(ir.CreateSub(exponent(r), bExponent), ci(x, 26));
    k = ir.CreateBinaryIntrinsic(llvm::Intrinsic::smax, k, ci(x, 0));
    // 2^k may overflow although the product does not.
    V fourth = ir.CreateLShr(k, ci(x, 2));
    V power = pow2(fourth, x);
    V d = mul(mul(mul(b, power), power), power);
    d = mul(d, pow2(ir.CreateSub(k, ir.CreateMul(fourth, ci(x, 3))), x));
    V q = trunc(div(r, d));
    V next = fma(neg(q), d, r);
    next = sel(lt(next, c(x, 0)), add(next, d), next);
    next = sel(ir.CreateFCmpOGE(next, d), sub(next, d), next);
    kernel.set(remainder, sel(lt(r, b), r, next));
  });
  V r = copySign(kernel.get(remainder), x);
  V infinity = c(x, HUGE_VAL);
  r = sel(eq(b, infinity), x, r);
  V undefined = ir.CreateOr(eq(b, c(x, 0)), ir.CreateNot(lt(a, infinity)));
  undefined = ir.CreateOr(undefined, isNan(y));
  return sel(undefined, c(x, NAN), r);
}

} // namespace zcc
