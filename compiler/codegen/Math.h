// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transcendental functions as LLVM IR, on float or double, scalars or vectors
// (the same operations, so the same bits). Floats: within 2.5 ulp everywhere,
// denormals, infinities and NaN included. Doubles: a few ulp. Functions that
// training seldom uses compute floats in double.
#ifndef ZCC_COMPILER_CODEGEN_MATH_H
#define ZCC_COMPILER_CODEGEN_MATH_H

#include "compiler/codegen/KernelBuilder.h"

namespace zcc {

enum class MathFunction {
  Exp,
  Expm1,
  Log,
  Log1p,
  Tanh,
  Logistic,
  Erf,
  Erfc,
  ErfInv,
  Sin,
  Cos,
  Tan,
  Rsqrt,
  Cbrt,
};

class Math {
public:
  explicit Math(KernelBuilder &kernel) : kernel(kernel), ir(kernel.ir) {}
  llvm::Value *emit(MathFunction f, llvm::Value *x);
  llvm::Value *pow(llvm::Value *x, llvm::Value *y);
  llvm::Value *atan2(llvm::Value *y, llvm::Value *x);
  // Returns the exact remainder, with the sign of x.
  llvm::Value *fmod(llvm::Value *x, llvm::Value *y);

private:
  using V = llvm::Value *;

  // ---- MathExp.cpp: float and double
  V exp(V x);
  V expm1(V x);
  V tanh(V x);
  V logistic(V x);
  // x - n ln 2 is about r, where n is integral; `t` has n in its low bits.
  struct Reduced {
    V n, r, t;
  };
  Reduced reduceExp(V x);
  // e^r - 1 for |r| <= ln(2) / 2.
  V expm1Reduced(V r);
  // ---- MathLog.cpp
  V log(V x);
  V log1p(V x);
  V cbrt64(V x);
  V pow64(V x, V y);
  // log(1 + f) + e ln 2, f in [sqrt(1/2) - 1, sqrt(2) - 1].
  V logReduced(V f, V e);
  // ---- MathError.cpp
  V erf(V x);
  V erfSmall(V x);
  V erfc(V x);
  V erfInv64(V x);
  // ---- MathTrig.cpp; which: 0 sine, 1 cosine, 2 tangent
  V trig64(V x, int which);
  V atan264(V y, V x);
  // x - quadrant * pi / 2 = high + low.
  struct Angle {
    V high, low, quadrant;
  };
  Angle reduceLarge(V x);
  // The same by a call of a function that the module has once for a type.
  Angle callReduceLarge(V x);
  V fmod64(V x, V y, unsigned steps);

  // ---- helpers; constants are of the type of `like`
  bool isDouble(V x) const {
    return x->getType()->getScalarType()->isDoubleTy();
  }
  // Computes `f` in double, also for floats.
  V viaDouble(V x, llvm::function_ref<V(V)> f);
  V c(V like, double value) {
    return llvm::ConstantFP::get(like->getType(), value);
  }
  V ci(V like, int64_t value) {
    return llvm::ConstantInt::get(intType(like), value, true);
  }
  llvm::Type *intType(V like) {
    return like->getType()->getWithNewType(
        ir.getIntNTy(like->getType()->getScalarSizeInBits()));
  }
  V bits(V x);
  V fromBits(V i, V like) { return ir.CreateBitCast(i, like->getType()); }
  unsigned mantissa(V x) { return isDouble(x) ? 52 : 23; }
  // Adding it rounds to an integer and leaves that integer in the low bits.
  double magic(V x) { return isDouble(x) ? 6755399441055744.0 : 12582912.0; }
  V fma(V a, V b, V c) { return kernel.fma(a, b, c); }
  V add(V a, V b) { return ir.CreateFAdd(a, b); }
  V sub(V a, V b) { return ir.CreateFSub(a, b); }
  V mul(V a, V b) { return ir.CreateFMul(a, b); }
  V div(V a, V b) { return ir.CreateFDiv(a, b); }
  V neg(V a) { return ir.CreateFNeg(a); }
  V sel(V m, V a, V b) { return ir.CreateSelect(m, a, b); }
  V lt(V a, V b) { return ir.CreateFCmpOLT(a, b); }
  V gt(V a, V b) { return ir.CreateFCmpOGT(a, b); }
  V eq(V a, V b) { return ir.CreateFCmpOEQ(a, b); }
  V isNan(V a) { return ir.CreateFCmpUNO(a, a); }
  V abs(V a);
  V sqrt(V a);
  V trunc(V a);
  V copySign(V magnitude, V sign);
  // NaN is unchanged.
  V clampLow(V x, double low) { return sel(lt(x, c(x, low)), c(x, low), x); }
  V clampHigh(V x, double high) {
    return sel(gt(x, c(x, high)), c(x, high), x);
  }
  // Horner's scheme by fused multiply-add, highest coefficient first.
  V poly(V x, llvm::ArrayRef<double> coefficients);
  // Returns the integer in the low bits of `t` (see magic).
  V lowInteger(V t) { return ir.CreateSub(bits(t), bits(c(t, magic(t)))); }
  // Return a small integer as a float of the type of `like`, and 2^i.
  V integerToFloat(V i, V like);
  V pow2(V i, V like);
  // Returns x 2^i, also if the result is denormal or infinite.
  V scale(V x, V i);

  KernelBuilder &kernel;
  llvm::IRBuilder<> &ir;
};

} // namespace zcc

#endif
