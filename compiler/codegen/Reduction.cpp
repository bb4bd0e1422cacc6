// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/Reduction.h"
#include "compiler/codegen/LaneReduction.h"

using namespace mlir;

namespace zcc {

Accumulator::Accumulator(KernelBuilder &kernel, Operation *op)
    : kernel(kernel), ir(kernel.ir), op(op),
      element(train::tensorType(op->getOperand(0)).getElementType()),
      isFloat(isa<FloatType>(element)) {
  if (auto arg = dyn_cast<train::ArgReduceOp>(op)) {
    kind = arg.getKind();
    form = Kind::Arg;
  } else {
    kind = cast<train::ReduceOp>(op).getKind();
    bool extreme = kind == train::ReduceKind::maximum ||
                   kind == train::ReduceKind::minimum;
    form = extreme && isFloat ? Kind::Extreme : Kind::Plain;
  }
  unsigned lanes = kernel.lanes();
  llvm::Type *type = kernel.vectorize(kernel.registerType(element), lanes);
  value = kernel.variable(type);
  if (form == Kind::Extreme)
    extra = kernel.variable(
        type->getWithNewType(ir.getIntNTy(type->getScalarSizeInBits())));
  else if (form == Kind::Arg)
    extra = kernel.variable(kernel.vectorize(kernel.vectorIndexType(), lanes));
}

Accumulator::State Accumulator::load() const {
  return {kernel.get(value), extra ? kernel.get(extra) : nullptr};
}

void Accumulator::store(State s) {
  kernel.set(value, s.value);
  if (extra)
    kernel.set(extra, s.extra);
}

void Accumulator::reset() {
  State s{reduceIdentity(kernel, kind, element, kernel.lanes()), nullptr};
  if (form == Kind::Extreme)
    s.extra = llvm::Constant::getNullValue(extra->getAllocatedType());
  else if (form == Kind::Arg) // no index yet
    s.extra = llvm::Constant::getAllOnesValue(extra->getAllocatedType());
  store(s);
}

// Returns true if a is better than b; neither is NaN.
llvm::Value *Accumulator::better(llvm::Value *a, llvm::Value *b) {
  bool largest = kind == train::ReduceKind::maximum;
  if (isFloat)
    return largest ? ir.CreateFCmpOGT(a, b) : ir.CreateFCmpOLT(a, b);
  if (element.isUnsignedInteger() || element.isInteger(1))
    return largest ? ir.CreateICmpUGT(a, b) : ir.CreateICmpULT(a, b);
  return largest ? ir.CreateICmpSGT(a, b) : ir.CreateICmpSLT(a, b);
}

Accumulator::State Accumulator::combine(State a, State b) {
  if (form == Kind::Plain)
    return {emitCombine(kernel, kind, element, a.value, b.value), nullptr};
  // x86's instruction returns its second operand if one is NaN
  if (form == Kind::Extreme)
    return {ir.CreateSelect(better(b.value, a.value), b.value, a.value),
            ir.CreateOr(a.extra, b.extra)};
  // The first of the best ones wins; a NaN is better than all numbers; an index
  // of all ones means no index.
  llvm::Value *none = llvm::Constant::getAllOnesValue(a.extra->getType());
  llvm::Value *beats = better(b.value, a.value), *equal;
  if (isFloat) {
    llvm::Value *aNan = ir.CreateFCmpUNO(a.value, a.value);
    llvm::Value *bNan = ir.CreateFCmpUNO(b.value, b.value);
    beats = ir.CreateOr(beats, ir.CreateAnd(bNan, ir.CreateNot(aNan)));
    equal = ir.CreateOr(ir.CreateFCmpOEQ(a.value, b.value),
                        ir.CreateAnd(aNan, bNan));
  } else {
    equal = ir.CreateICmpEQ(a.value, b.value);
  }
  // "No index" is the largest index, so that an empty side never wins a tie.
  llvm::Value *earlier = ir.CreateICmpULT(b.extra, a.extra);
  llvm::Value *take = ir.CreateOr(beats, ir.CreateAnd(equal, earlier));
  take = ir.CreateOr(take, ir.CreateICmpEQ(a.extra, none));
  take = ir.CreateAnd(take, ir.CreateICmpNE(b.extra, none));
  return {ir.CreateSelect(take, b.value, a.value),
          ir.CreateSelect(take, b.extra, a.extra)};
}

void Accumulator::add(llvm::Value *x, llvm::Value *position,
                      llvm::Value *mask) {
  State old = load(), next{kernel.toLanes(x), nullptr};
  if (form == Kind::Extreme)
    next.extra = ir.CreateSExt(ir.CreateFCmpUNO(next.value, next.value),
                               extra->getAllocatedType());
  else if (form == Kind::Arg)
    next.extra = kernel.toLanes(position);
  State s = combine(old, next);
  if (mask) {
    s.value = ir.CreateSelect(mask, s.value, old.value);
    if (s.extra)
      s.extra = ir.CreateSelect(mask, s.extra, old.extra);
  }
  store(s);
}

void Accumulator::add(const Accumulator &other) {
  store(combine(load(), other.load()));
}

SmallVector<llvm::Value *, 2> Accumulator::values() const {
  State s = load();
  SmallVector<llvm::Value *, 2> out{s.value};
  if (s.extra)
    out.push_back(s.extra);
  return out;
}

void Accumulator::set(ArrayRef<llvm::Value *> values) {
  store({values.front(), extra ? values.back() : nullptr});
}

void Accumulator::add(ArrayRef<llvm::Value *> values) {
  store(combine(load(), {values.front(), extra ? values.back() : nullptr}));
}

llvm::Value *Accumulator::finish(State s) {
  Type result = train::tensorType(op->getResult(0)).getElementType();
  if (form == Kind::Arg)
    return ir.CreateIntCast(
        s.extra,
        s.extra->getType()->getWithNewType(kernel.registerType(result)), false);
  if (form == Kind::Extreme) {
    llvm::Value *none = llvm::Constant::getNullValue(s.extra->getType());
    return ir.CreateSelect(ir.CreateICmpNE(s.extra, none),
                           llvm::ConstantFP::getNaN(s.value->getType()),
                           s.value);
  }
  return isFloat ? kernel.roundTo(result, s.value) : s.value;
}

llvm::Value *Accumulator::lanes() { return finish(load()); }

Accumulator::State Accumulator::slice(State s, unsigned from, unsigned count) {
  return {sliceLanes(kernel, s.value, from, count),
          s.extra ? sliceLanes(kernel, s.extra, from, count) : nullptr};
}

llvm::Value *Accumulator::tree(Accumulator *second) {
  State s = load();
  if (second)
    s = combine(s, second->load());
  else
    s = combine(slice(s, 0, 8), slice(s, 8, 8));
  for (unsigned count = 4; count >= 1; count /= 2)
    s = combine(slice(s, 0, count), slice(s, count, count));
  s.value = ir.CreateExtractElement(s.value, uint64_t(0));
  if (s.extra)
    s.extra = ir.CreateExtractElement(s.extra, uint64_t(0));
  return finish(s);
}

} // namespace zcc
