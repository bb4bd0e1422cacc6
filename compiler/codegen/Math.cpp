// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/Math.h"
#include "llvm/IR/Intrinsics.h"

namespace Intrinsic = llvm::Intrinsic;

namespace zcc {

llvm::Value *Math::emit(MathFunction f, V x) {
  switch (f) {
  case MathFunction::Exp:
    return exp(x);
  case MathFunction::Expm1:
    return expm1(x);
  case MathFunction::Log:
    return log(x);
  case MathFunction::Log1p:
    return log1p(x);
  case MathFunction::Tanh:
    return tanh(x);
  case MathFunction::Logistic:
    return logistic(x);
  case MathFunction::Erf:
    return erf(x);
  case MathFunction::Erfc:
    return erfc(x);
  case MathFunction::ErfInv:
    return viaDouble(x, [&](V v) { return erfInv64(v); });
  case MathFunction::Sin:
    return viaDouble(x, [&](V v) { return trig64(v, 0); });
  case MathFunction::Cos:
    return viaDouble(x, [&](V v) { return trig64(v, 1); });
  case MathFunction::Tan:
    return viaDouble(x, [&](V v) { return trig64(v, 2); });
  case MathFunction::Rsqrt:
    return div(c(x, 1), sqrt(x));
  case MathFunction::Cbrt:
    return viaDouble(x, [&](V v) { return cbrt64(v); });
  }
  llvm_unreachable("unknown function");
}

llvm::Value *Math::viaDouble(V x, llvm::function_ref<V(V)> f) {
  if (isDouble(x))
    return f(x);
  V wide = ir.CreateFPExt(x, x->getType()->getWithNewType(ir.getDoubleTy()));
  return ir.CreateFPTrunc(f(wide), x->getType());
}

llvm::Value *Math::pow(V x, V y) {
  llvm::Type *type = x->getType();
  llvm::Type *wide = type->getWithNewType(ir.getDoubleTy());
  return ir.CreateFPCast(
      pow64(ir.CreateFPCast(x, wide), ir.CreateFPCast(y, wide)), type);
}

llvm::Value *Math::atan2(V y, V x) {
  llvm::Type *type = x->getType();
  llvm::Type *wide = type->getWithNewType(ir.getDoubleTy());
  return ir.CreateFPCast(
      atan264(ir.CreateFPCast(y, wide), ir.CreateFPCast(x, wide)), type);
}

llvm::Value *Math::fmod(V x, V y) {
  llvm::Type *type = x->getType();
  llvm::Type *wide = type->getWithNewType(ir.getDoubleTy());
  // A step takes 26 bits off the quotient, of at most 278 or 2099 bits.
  unsigned steps = isDouble(x) ? 82 : 12;
  return ir.CreateFPCast(
      fmod64(ir.CreateFPCast(x, wide), ir.CreateFPCast(y, wide), steps), type);
}

llvm::Value *Math::bits(V x) { return ir.CreateBitCast(x, intType(x)); }
llvm::Value *Math::abs(V a) {
  return ir.CreateUnaryIntrinsic(Intrinsic::fabs, a);
}
llvm::Value *Math::sqrt(V a) {
  return ir.CreateUnaryIntrinsic(Intrinsic::sqrt, a);
}
llvm::Value *Math::trunc(V a) {
  return ir.CreateUnaryIntrinsic(Intrinsic::trunc, a);
}
llvm::Value *Math::copySign(V magnitude, V sign) {
  return ir.CreateBinaryIntrinsic(Intrinsic::copysign, magnitude, sign);
}

llvm::Value *Math::poly(V x, llvm::ArrayRef<double> coefficients) {
  V sum = c(x, coefficients.front());
  for (double k : coefficients.drop_front())
    sum = fma(sum, x, c(x, k));
  return sum;
}

llvm::Value *Math::integerToFloat(V i, V like) {
  V m = c(like, magic(like));
  return sub(fromBits(ir.CreateAdd(i, bits(m)), like), m);
}

llvm::Value *Math::pow2(V i, V like) {
  V biased = ir.CreateAdd(i, ci(like, isDouble(like) ? 1023 : 127));
  return fromBits(ir.CreateShl(biased, ci(like, mantissa(like))), like);
}

llvm::Value *Math::scale(V x, V i) {
  V half = ir.CreateAShr(i, ci(x, 1));
  return mul(mul(x, pow2(half, x)), pow2(ir.CreateSub(i, half), x));
}

} // namespace zcc
