// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits elementwise ops on registers. Floats narrower than f32 are computed in
// f32 and rounded after the op.
#include "compiler/codegen/ElementEmitter.h"
#include "compiler/codegen/Math.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/IR/Intrinsics.h"

using namespace mlir;
namespace Intrinsic = llvm::Intrinsic;

namespace zcc {

namespace {

// Returns true if each element of `v`, which has a wider type, is representable
// in `narrow`, as for a ReLU or its gradient of narrow values.
bool hasElements(mlir::Value v, Type narrow, unsigned depth = 0) {
  Type type = getElementTypeOrSelf(v.getType());
  if (type == narrow)
    return true;
  Operation *op = v.getDefiningOp();
  if (!op || !isa<FloatType>(type) || depth > 4)
    return false;
  auto operands = [&](mlir::ValueRange values) {
    return llvm::all_of(values, [&](mlir::Value x) {
      return hasElements(x, narrow, depth + 1);
    });
  };
  if (isa<train::SelectOp>(op))
    return operands(op->getOperands().drop_front());
  if (auto constant = dyn_cast<train::ConstantOp>(op)) {
    auto elements = dyn_cast<DenseFPElementsAttr>(constant.getValue());
    if (!elements || !elements.isSplat())
      return false;
    bool loses;
    llvm::APFloat value = elements.getSplatValue<llvm::APFloat>();
    value.convert(cast<FloatType>(narrow).getFloatSemantics(),
                  llvm::APFloat::rmNearestTiesToEven, &loses);
    return !loses;
  }
  return isa<train::ConvertOp, train::BroadcastOp, train::ReshapeOp,
             train::TransposeOp, train::MaxOp, train::MinOp, train::NegOp,
             train::AbsOp>(op) &&
         operands(op->getOperands());
}

// Returns true if the value is only stored; storing rounds it
// (KernelBuilder::narrow).
bool isOnlyStored(mlir::Value v) {
  return llvm::all_of(v.getUsers(), [](Operation *user) {
    return user->hasTrait<OpTrait::IsTerminator>() ||
           (train::IndexContext::isMovement(user) &&
            isOnlyStored(user->getResult(0)));
  });
}

class ElementOps {
public:
  ElementOps(KernelBuilder &kernel, Operation *op,
             ArrayRef<llvm::Value *> operands)
      : kernel(kernel), ir(kernel.ir), op(op), x(operands),
        element(getElementTypeOrSelf(op->getResult(0).getType())),
        source(op->getNumOperands()
                   ? getElementTypeOrSelf(op->getOperand(0).getType())
                   : element),
        isFloat(isa<FloatType>(source)),
        isUnsigned(source.isUnsignedInteger() || source.isInteger(1)) {}

  llvm::Value *emit() {
    llvm::Value *v = isFloat ? floatOp() : integerOp();
    if (!v)
      v = anyOp();
    if (!v) {
      op->emitError("no code generation for this op");
      return nullptr;
    }
    // Ops that only select or move values need no rounding.
    bool exact =
        isa<train::SelectOp, train::MaxOp, train::MinOp, train::ClampOp,
            train::AbsOp, train::NegOp, train::SignOp, train::StopGradientOp,
            train::ShardingConstraintOp, train::BitcastOp, train::ConvertOp,
            train::FloorOp, train::CeilOp, train::RoundAfzOp,
            train::RoundEvenOp, train::CompareOp, train::IsFiniteOp>(op);
    return exact || !isa<FloatType>(element) ? v : kernel.roundTo(element, v);
  }

private:
  llvm::Value *unary(llvm::Intrinsic::ID id) {
    return ir.CreateUnaryIntrinsic(id, x[0]);
  }
  llvm::Value *k(llvm::Value *like, int64_t v) {
    return llvm::ConstantInt::get(like->getType(), v, true);
  }
  llvm::Value *f(llvm::Value *like, double v) {
    return llvm::ConstantFP::get(like->getType(), v);
  }

  llvm::Value *math() {
    auto fn =
        llvm::TypeSwitch<Operation *, std::optional<MathFunction>>(op)
            .Case([](train::ExpOp) { return MathFunction::Exp; })
            .Case([](train::Expm1Op) { return MathFunction::Expm1; })
            .Case([](train::LogOp) { return MathFunction::Log; })
            .Case([](train::Log1pOp) { return MathFunction::Log1p; })
            .Case([](train::TanhOp) { return MathFunction::Tanh; })
            .Case([](train::LogisticOp) { return MathFunction::Logistic; })
            .Case([](train::ErfOp) { return MathFunction::Erf; })
            .Case([](train::ErfcOp) { return MathFunction::Erfc; })
            .Case([](train::ErfInvOp) { return MathFunction::ErfInv; })
            .Case([](train::SinOp) { return MathFunction::Sin; })
            .Case([](train::CosOp) { return MathFunction::Cos; })
            .Case([](train::TanOp) { return MathFunction::Tan; })
            .Case([](train::RsqrtOp) { return MathFunction::Rsqrt; })
            .Case([](train::CbrtOp) { return MathFunction::Cbrt; })
            .Default([](Operation *) { return std::nullopt; });
    return fn ? Math(kernel).emit(*fn, x[0]) : nullptr;
  }

  llvm::Value *floatOp() {
    if (llvm::Value *v = math())
      return v;
    return llvm::TypeSwitch<Operation *, llvm::Value *>(op)
        .Case([&](train::AbsOp) { return unary(Intrinsic::fabs); })
        .Case([&](train::NegOp) { return ir.CreateFNeg(x[0]); })
        .Case([&](train::SignOp) {
          // NaN and zeros (with their sign) are unchanged.
          llvm::Value *one =
              ir.CreateBinaryIntrinsic(Intrinsic::copysign, f(x[0], 1), x[0]);
          return ir.CreateSelect(ir.CreateFCmpONE(x[0], f(x[0], 0)), one, x[0]);
        })
        .Case([&](train::SqrtOp) { return unary(Intrinsic::sqrt); })
        .Case([&](train::FloorOp) { return unary(Intrinsic::floor); })
        .Case([&](train::CeilOp) { return unary(Intrinsic::ceil); })
        .Case([&](train::RoundEvenOp) { return unary(Intrinsic::roundeven); })
        .Case([&](train::RoundAfzOp) {
          // trunc(x) + 1 where the (exact) fraction is at least a half.
          llvm::Value *t = unary(Intrinsic::trunc);
          llvm::Value *rest =
              ir.CreateUnaryIntrinsic(Intrinsic::fabs, ir.CreateFSub(x[0], t));
          llvm::Value *one =
              ir.CreateBinaryIntrinsic(Intrinsic::copysign, f(x[0], 1), x[0]);
          llvm::Value *up = ir.CreateFAdd(t, one);
          llvm::Value *far = ir.CreateFCmpOGE(rest, f(x[0], 0.5));
          return ir.CreateSelect(far, up, t);
        })
        .Case([&](train::IsFiniteOp) {
          llvm::Value *a = unary(Intrinsic::fabs);
          return ir.CreateFCmpOLT(a, f(a, HUGE_VAL));
        })
        .Case([&](train::AddOp) { return ir.CreateFAdd(x[0], x[1]); })
        .Case([&](train::SubOp) { return ir.CreateFSub(x[0], x[1]); })
        .Case([&](train::MulOp) { return ir.CreateFMul(x[0], x[1]); })
        .Case([&](train::DivOp) { return ir.CreateFDiv(x[0], x[1]); })
        .Case([&](train::MaxOp) { return kernel.maximum(x[0], x[1]); })
        .Case([&](train::MinOp) { return kernel.minimum(x[0], x[1]); })
        .Case([&](train::ClampOp) {
          return kernel.minimum(kernel.maximum(x[1], x[0]), x[2]);
        })
        .Case([&](train::PowOp) { return Math(kernel).pow(x[0], x[1]); })
        .Case([&](train::Atan2Op) { return Math(kernel).atan2(x[0], x[1]); })
        .Case([&](train::RemOp) { return Math(kernel).fmod(x[0], x[1]); })
        .Case([&](train::CompareOp c) {
          static const llvm::CmpInst::Predicate table[] = {
              llvm::CmpInst::FCMP_OEQ, llvm::CmpInst::FCMP_UNE,
              llvm::CmpInst::FCMP_OLT, llvm::CmpInst::FCMP_OLE,
              llvm::CmpInst::FCMP_OGT, llvm::CmpInst::FCMP_OGE};
          return ir.CreateFCmp(table[unsigned(c.getDirection())], x[0], x[1]);
        })
        .Default([](Operation *) { return nullptr; });
  }

  // Emits a division that never traps: undefined ones give 0 or all bits set.
  llvm::Value *divide(bool remainder) {
    llvm::Value *zero = ir.CreateICmpEQ(x[1], k(x[1], 0));
    llvm::Value *bad = zero;
    if (!isUnsigned) {
      unsigned bits = x[0]->getType()->getScalarSizeInBits();
      llvm::Value *lowest = llvm::ConstantInt::get(
          x[0]->getType(), APInt::getSignedMinValue(bits));
      bad = ir.CreateOr(zero, ir.CreateAnd(ir.CreateICmpEQ(x[0], lowest),
                                           ir.CreateICmpEQ(x[1], k(x[1], -1))));
    }
    llvm::Value *safe = ir.CreateSelect(bad, k(x[1], 1), x[1]);
    if (remainder) {
      llvm::Value *r =
          isUnsigned ? ir.CreateURem(x[0], safe) : ir.CreateSRem(x[0], safe);
      return ir.CreateSelect(zero, x[0], r);
    }
    llvm::Value *q =
        isUnsigned ? ir.CreateUDiv(x[0], safe) : ir.CreateSDiv(x[0], safe);
    return ir.CreateSelect(zero, k(x[0], -1), q);
  }

  // Emits the power by repeated squaring, over the bits of the exponent.
  llvm::Value *integerPower() {
    llvm::Type *type = x[0]->getType();
    llvm::AllocaInst *result = kernel.variable(type, k(x[0], 1));
    llvm::AllocaInst *base = kernel.variable(type, x[0]);
    llvm::AllocaInst *rest = kernel.variable(type, x[1]);
    kernel.loop(
        kernel.index(0), kernel.index(type->getScalarSizeInBits()), 1,
        [&](llvm::Value *) {
          llvm::Value *b = kernel.get(base), *e = kernel.get(rest);
          llvm::Value *r = kernel.get(result);
          llvm::Value *odd = ir.CreateICmpNE(ir.CreateAnd(e, k(e, 1)), k(e, 0));
          kernel.set(result, ir.CreateSelect(odd, ir.CreateMul(r, b), r));
          kernel.set(base, ir.CreateMul(b, b));
          kernel.set(rest, ir.CreateLShr(e, k(e, 1)));
        });
    llvm::Value *r = kernel.get(result);
    if (isUnsigned)
      return r;
    // 1 / x^-y is 0 unless x is 1 or -1.
    llvm::Value *one = ir.CreateICmpEQ(x[0], k(x[0], 1));
    llvm::Value *minusOne = ir.CreateICmpEQ(x[0], k(x[0], -1));
    llvm::Value *odd =
        ir.CreateICmpNE(ir.CreateAnd(x[1], k(x[1], 1)), k(x[1], 0));
    llvm::Value *negative = ir.CreateSelect(
        one, k(x[0], 1),
        ir.CreateSelect(minusOne, ir.CreateSelect(odd, k(x[0], -1), k(x[0], 1)),
                        k(x[0], 0)));
    return ir.CreateSelect(ir.CreateICmpSLT(x[1], k(x[1], 0)), negative, r);
  }

  llvm::Value *shift() {
    unsigned bits = x[0]->getType()->getScalarSizeInBits();
    llvm::Value *inside = ir.CreateICmpULT(x[1], k(x[1], bits));
    llvm::Value *amount = ir.CreateSelect(inside, x[1], k(x[1], 0));
    if (isa<train::ShraOp>(op)) {
      amount = ir.CreateSelect(inside, x[1], k(x[1], bits - 1));
      return ir.CreateAShr(x[0], amount);
    }
    llvm::Value *v = isa<train::ShlOp>(op) ? ir.CreateShl(x[0], amount)
                                           : ir.CreateLShr(x[0], amount);
    return ir.CreateSelect(inside, v, k(x[0], 0));
  }

  llvm::Value *integerOp() {
    bool boolean = source.isInteger(1);
    auto binary = [&](llvm::Intrinsic::ID s, llvm::Intrinsic::ID u,
                      llvm::Value *a, llvm::Value *b) -> llvm::Value * {
      return ir.CreateBinaryIntrinsic(isUnsigned ? u : s, a, b);
    };
    return llvm::TypeSwitch<Operation *, llvm::Value *>(op)
        .Case([&](train::AbsOp) -> llvm::Value * {
          return isUnsigned ? x[0]
                            : ir.CreateBinaryIntrinsic(Intrinsic::abs, x[0],
                                                       ir.getFalse());
        })
        .Case([&](train::NegOp) { return ir.CreateNeg(x[0]); })
        .Case([&](train::SignOp) -> llvm::Value * {
          llvm::Value *some =
              ir.CreateZExt(ir.CreateICmpNE(x[0], k(x[0], 0)), x[0]->getType());
          if (isUnsigned)
            return some;
          return ir.CreateOr(
              some,
              ir.CreateAShr(x[0], x[0]->getType()->getScalarSizeInBits() - 1));
        })
        .Case([&](train::NotOp) { return ir.CreateNot(x[0]); })
        .Case([&](train::PopcntOp) { return unary(Intrinsic::ctpop); })
        .Case([&](train::ClzOp) {
          return ir.CreateBinaryIntrinsic(Intrinsic::ctlz, x[0], ir.getFalse());
        })
        .Case([&](train::AddOp) {
          return boolean ? ir.CreateOr(x[0], x[1]) : ir.CreateAdd(x[0], x[1]);
        })
        .Case([&](train::SubOp) { return ir.CreateSub(x[0], x[1]); })
        .Case([&](train::MulOp) {
          return boolean ? ir.CreateAnd(x[0], x[1]) : ir.CreateMul(x[0], x[1]);
        })
        .Case([&](train::DivOp) { return divide(false); })
        .Case([&](train::RemOp) { return divide(true); })
        .Case([&](train::MaxOp) {
          return binary(Intrinsic::smax, Intrinsic::umax, x[0], x[1]);
        })
        .Case([&](train::MinOp) {
          return binary(Intrinsic::smin, Intrinsic::umin, x[0], x[1]);
        })
        .Case([&](train::ClampOp) {
          return binary(Intrinsic::smin, Intrinsic::umin,
                        binary(Intrinsic::smax, Intrinsic::umax, x[1], x[0]),
                        x[2]);
        })
        .Case([&](train::PowOp) { return integerPower(); })
        .Case([&](train::AndOp) { return ir.CreateAnd(x[0], x[1]); })
        .Case([&](train::OrOp) { return ir.CreateOr(x[0], x[1]); })
        .Case([&](train::XorOp) { return ir.CreateXor(x[0], x[1]); })
        .Case<train::ShlOp, train::ShrlOp, train::ShraOp>(
            [&](auto) { return shift(); })
        .Case([&](train::CompareOp c) {
          using P = llvm::CmpInst::Predicate;
          static const P table[2][6] = {{P::ICMP_EQ, P::ICMP_NE, P::ICMP_SLT,
                                         P::ICMP_SLE, P::ICMP_SGT, P::ICMP_SGE},
                                        {P::ICMP_EQ, P::ICMP_NE, P::ICMP_ULT,
                                         P::ICMP_ULE, P::ICMP_UGT,
                                         P::ICMP_UGE}};
          return ir.CreateICmp(table[isUnsigned][unsigned(c.getDirection())],
                               x[0], x[1]);
        })
        .Default([](Operation *) { return nullptr; });
  }

  llvm::Value *anyOp() {
    return llvm::TypeSwitch<Operation *, llvm::Value *>(op)
        .Case([&](train::SelectOp) { return kernel.select(x[0], x[1], x[2]); })
        .Case<train::StopGradientOp, train::ShardingConstraintOp>(
            [&](auto) { return x[0]; })
        .Case([&](train::BitcastOp) {
          llvm::Value *memory = kernel.narrow(x[0], source);
          llvm::Value *same =
              kernel.bitcast(memory, kernel.memoryType(element));
          return kernel.widen(same, element);
        })
        .Case([&](train::ConvertOp) { return convert(); })
        .Default([](Operation *) { return nullptr; });
  }

  // Rounds a double to float so that rounding it again to fewer bits gives the
  // same as a single rounding: if it is inexact, the last bit is odd.
  llvm::Value *roundToOdd(llvm::Value *v) {
    llvm::Type *f32 = v->getType()->getWithNewType(ir.getFloatTy());
    llvm::Value *near = ir.CreateFPTrunc(v, f32);
    llvm::Value *back = ir.CreateFPExt(near, v->getType());
    llvm::Value *bits = kernel.bitcast(near, ir.getInt32Ty());
    llvm::Value *larger =
        ir.CreateFCmpOGT(ir.CreateUnaryIntrinsic(Intrinsic::fabs, v),
                         ir.CreateUnaryIntrinsic(Intrinsic::fabs, back));
    llvm::Value *step = ir.CreateSelect(larger, k(bits, 1), k(bits, -1));
    llvm::Value *even =
        ir.CreateICmpEQ(ir.CreateAnd(bits, k(bits, 1)), k(bits, 0));
    llvm::Value *inexact = ir.CreateFCmpONE(v, back);
    // Overflow to infinity is kept: such values overflow the narrow types
    // anyway.
    llvm::Value *adjust = ir.CreateAnd(even, inexact);
    llvm::Value *infinite =
        ir.CreateFCmpOEQ(ir.CreateUnaryIntrinsic(Intrinsic::fabs, back),
                         llvm::ConstantFP::getInfinity(back->getType()));
    adjust = ir.CreateAnd(adjust, ir.CreateNot(infinite));
    return kernel.bitcast(
        ir.CreateSelect(adjust, ir.CreateAdd(bits, step), bits),
        ir.getFloatTy());
  }

  llvm::Value *convert() {
    auto typed = [&](llvm::Type *t) {
      return x[0]->getType()->getWithNewType(t);
    };
    llvm::Type *to = typed(kernel.registerType(element));
    if (source == element)
      return x[0];
    if (element.isInteger(1)) {
      llvm::Value *zero = llvm::Constant::getNullValue(x[0]->getType());
      return isFloat ? ir.CreateFCmpUNE(x[0], zero)
                     : ir.CreateICmpNE(x[0], zero);
    }
    bool narrowFloat =
        isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32;
    if (isFloat && isa<FloatType>(element)) {
      if (element.isF64())
        return ir.CreateFPExt(x[0], to) == x[0] ? x[0]
                                                : ir.CreateFPExt(x[0], to);
      llvm::Value *v = x[0];
      bool exact = narrowFloat && hasElements(op->getOperand(0), element);
      if (source.isF64())
        v = narrowFloat && !exact ? roundToOdd(v) : ir.CreateFPTrunc(v, to);
      if (exact)
        return v;
      if (isa<Float8E4M3FNType>(element) && isOnlyStored(op->getResult(0)))
        return v; // because rounding is expensive
      return kernel.roundTo(element, v);
    }
    if (isFloat)
      return ir.CreateIntrinsic(element.isUnsignedInteger()
                                    ? Intrinsic::fptoui_sat
                                    : Intrinsic::fptosi_sat,
                                {to, x[0]->getType()}, {x[0]});
    if (!isa<FloatType>(element))
      return ir.CreateIntCast(x[0], to, !isUnsigned);
    llvm::Value *v = x[0];
    auto toFloat = [&](llvm::Type *t) {
      return isUnsigned ? ir.CreateUIToFP(v, t) : ir.CreateSIToFP(v, t);
    };
    if (!narrowFloat)
      return toFloat(to);
    if (source.getIntOrFloatBitWidth() > 53) {
      // The bits that a double lacks become one sticky bit.
      llvm::Value *low = ir.CreateAnd(v, k(v, 0x7FF));
      llvm::Value *sticky =
          ir.CreateZExt(ir.CreateICmpNE(low, k(v, 0)), v->getType());
      llvm::Value *high = ir.CreateOr(ir.CreateAnd(v, k(v, ~int64_t(0x7FF))),
                                      ir.CreateShl(sticky, k(v, 11)));
      llvm::Value *magnitude =
          isUnsigned
              ? v
              : ir.CreateBinaryIntrinsic(Intrinsic::abs, v, ir.getFalse());
      llvm::Value *large = ir.CreateICmpUGE(magnitude, k(v, int64_t(1) << 53));
      v = ir.CreateSelect(large, high, v);
    }
    return kernel.roundTo(element,
                          roundToOdd(toFloat(typed(ir.getDoubleTy()))));
  }

  KernelBuilder &kernel;
  llvm::IRBuilder<> &ir;
  Operation *op;
  ArrayRef<llvm::Value *> x;
  Type element, source;
  bool isFloat, isUnsigned;
};

} // namespace

llvm::Value *emitElementwise(KernelBuilder &kernel, Operation *op,
                             ArrayRef<llvm::Value *> operands) {
  return ElementOps(kernel, op, operands).emit();
}

llvm::Value *emitCombine(KernelBuilder &kernel, train::ReduceKind kind, Type t,
                         llvm::Value *a, llvm::Value *b) {
  llvm::IRBuilder<> &ir = kernel.ir;
  bool isFloat = isa<FloatType>(t);
  bool isUnsigned = t.isUnsignedInteger() || t.isInteger(1);
  switch (kind) {
  case train::ReduceKind::add:
    if (t.isInteger(1))
      return ir.CreateOr(a, b);
    return isFloat ? ir.CreateFAdd(a, b) : ir.CreateAdd(a, b);
  case train::ReduceKind::multiply:
    return isFloat ? ir.CreateFMul(a, b) : ir.CreateMul(a, b);
  case train::ReduceKind::maximum:
    if (isFloat)
      return kernel.maximum(a, b);
    return ir.CreateBinaryIntrinsic(
        isUnsigned ? Intrinsic::umax : Intrinsic::smax, a, b);
  case train::ReduceKind::minimum:
    if (isFloat)
      return kernel.minimum(a, b);
    return ir.CreateBinaryIntrinsic(
        isUnsigned ? Intrinsic::umin : Intrinsic::smin, a, b);
  case train::ReduceKind::logical_and:
    return ir.CreateAnd(a, b);
  case train::ReduceKind::logical_or:
    return ir.CreateOr(a, b);
  case train::ReduceKind::logical_xor:
    return ir.CreateXor(a, b);
  case train::ReduceKind::replace:
    return b;
  }
  llvm_unreachable("unknown reduction");
}

llvm::Constant *reduceIdentity(KernelBuilder &kernel, train::ReduceKind kind,
                               Type t, unsigned lanes) {
  llvm::Type *type = kernel.vectorize(kernel.registerType(t), lanes);
  bool isFloat = isa<FloatType>(t);
  unsigned bits = type->getScalarSizeInBits();
  bool isUnsigned = t.isUnsignedInteger() || t.isInteger(1);
  switch (kind) {
  case train::ReduceKind::multiply:
    return kernel.constant(type, 1);
  case train::ReduceKind::logical_and:
    return llvm::Constant::getAllOnesValue(type);
  case train::ReduceKind::maximum:
    if (isFloat)
      return llvm::ConstantFP::getInfinity(type, true);
    return llvm::ConstantInt::get(type, isUnsigned
                                            ? APInt::getMinValue(bits)
                                            : APInt::getSignedMinValue(bits));
  case train::ReduceKind::minimum:
    if (isFloat)
      return llvm::ConstantFP::getInfinity(type, false);
    return llvm::ConstantInt::get(type, isUnsigned
                                            ? APInt::getMaxValue(bits)
                                            : APInt::getSignedMaxValue(bits));
  default:
    return llvm::Constant::getNullValue(type);
  }
}

} // namespace zcc
