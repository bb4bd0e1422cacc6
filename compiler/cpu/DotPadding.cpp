// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products whose operands have padding: tiles multiply it as zeros, because a
// choice in each multiply-add would cost more than the product. Only an
// infinite or NaN partner shows: 0 * inf is NaN, and stays NaN in the sum. So
// the sums are looked through once, and those that are NaN are summed up again
// with the choice: the same blocks of fused multiply-adds in the same order,
// which give NaN again if a product that counts does.
#include "compiler/codegen/DotMicroKernel.h"
#include "compiler/cpu/DotProduct.h"

using namespace llvm;

namespace zcc {
namespace {

// The sum of the bound row and columns.
Value *emitSum(ElementEmitter &emitter, const Product &p) {
  KernelBuilder &kernel = emitter.kernel;
  IRBuilder<> &b = kernel.ir;
  Type *vector = kernel.vectorize(p.type, kernel.lanes());
  Constant *zero = Constant::getNullValue(vector);
  auto factor = [&](const ProductOperand &operand) {
    Value *v = kernel.toLanes(operand.emit(emitter));
    return v->getType() == vector ? v : b.CreateFPExt(v, vector);
  };
  AllocaInst *total = kernel.variable(vector, zero);
  AllocaInst *block = kernel.variable(vector, zero);
  kernel.loop(b.getInt64(0), b.getInt64(p.steps), blockSteps, [&](Value *from) {
    ElementEmitter::Scope blockScope(emitter);
    kernel.set(block, zero);
    Value *to =
        b.CreateBinaryIntrinsic(Intrinsic::smin, b.getInt64(p.steps),
                                b.CreateAdd(from, b.getInt64(blockSteps)));
    kernel.loop(from, to, 1, [&](Value *step) {
      ElementEmitter::Scope stepScope(emitter);
      emitter.bind(p.step, step);
      Value *counts = kernel.toLanes(p.inside(emitter));
      Value *sum = kernel.get(block);
      Value *next = multiplyAdd(b, factor(p.left), factor(p.right), sum);
      kernel.set(block, b.CreateSelect(counts, next, sum));
    });
    Value *sum = kernel.get(block);
    if (p.steps > blockSteps)
      sum = b.CreateSelect(b.CreateICmpEQ(from, b.getInt64(0)), sum,
                           b.CreateFAdd(kernel.get(total), sum));
    kernel.set(total, sum);
  });
  return kernel.get(total);
}

} // namespace

void emitPaddingRepair(ElementEmitter &emitter, const Product &p, Value *row0,
                       Value *row1, Value *column0, Value *column1,
                       function_ref<Value *(Value *, Value *)> place) {
  KernelBuilder &kernel = emitter.kernel;
  IRBuilder<> &b = kernel.ir;
  unsigned lanes = kernel.lanes();
  Type *vector = kernel.vectorize(p.type, lanes);
  Align align(p.type->getScalarSizeInBits() / 8);
  // The vector of sums from `column` on, and where it is.
  auto forVectors = [&](Value *row,
                        function_ref<void(Value *, Value *, Value *)> body) {
    kernel.loop(column0, column1, lanes, [&](Value *column) {
      ElementEmitter::Scope scope(emitter);
      emitter.bindLanes(p.column, column);
      Value *mask =
          p.columns % lanes ? kernel.tailMask(column, column1) : nullptr;
      emitter.setMask(mask);
      Value *at = place(row, column);
      Value *sums =
          mask ? (Value *)b.CreateMaskedLoad(vector, at, align, mask,
                                             Constant::getNullValue(vector))
               : b.CreateAlignedLoad(vector, at, align);
      body(sums, at, mask);
    });
  };
  kernel.loop(row0, row1, 1, [&](Value *row) {
    ElementEmitter::Scope scope(emitter);
    emitter.bind(p.row, row);
    Type *flags = kernel.vectorize(b.getInt1Ty(), lanes);
    AllocaInst *seen = kernel.variable(flags, Constant::getNullValue(flags));
    forVectors(row, [&](Value *sums, Value *, Value *) {
      kernel.set(seen,
                 b.CreateOr(kernel.get(seen), b.CreateFCmpUNO(sums, sums)));
    });
    kernel.ifThenElse(b.CreateOrReduce(kernel.get(seen)), [&] {
      ElementEmitter::Scope thenScope(emitter);
      forVectors(row, [&](Value *sums, Value *at, Value *mask) {
        Value *again = b.CreateSelect(b.CreateFCmpUNO(sums, sums),
                                      emitSum(emitter, p), sums);
        if (mask)
          b.CreateMaskedStore(again, at, align, mask);
        else
          b.CreateAlignedStore(again, at, align);
      });
    });
  });
}

} // namespace zcc
