// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Repairs products whose operands have padding. Tiles multiply padding as
// zeros, because a select in each multiply-add would cost more than the
// product. This is wrong only if the other factor is infinite or NaN: 0 * inf
// is NaN, and the sum stays NaN. So the sums are checked once, and those that
// are NaN are computed again with the select: the same blocks of fused
// multiply-adds in the same order, which give NaN again if a product that
// counts does.
#include "compiler/codegen/DotMicroKernel.h"
#include "compiler/cpu/DotProduct.h"

namespace zcc {
namespace {

// Emits the sum of the bound row and columns.
llvm::Value *emitSum(ElementEmitter &emitter, const Product &p) {
  KernelBuilder &kernel = emitter.kernel;
  llvm::IRBuilder<> &b = kernel.ir;
  llvm::Type *vector = kernel.vectorize(p.type, kernel.lanes());
  llvm::Constant *zero = llvm::Constant::getNullValue(vector);
  auto factor = [&](const ProductOperand &operand) {
    llvm::Value *v = kernel.toLanes(operand.emit(emitter));
    return v->getType() == vector ? v : b.CreateFPExt(v, vector);
  };
  llvm::AllocaInst *total = kernel.variable(vector, zero);
  llvm::AllocaInst *block = kernel.variable(vector, zero);
  kernel.loop(
      b.getInt64(0), b.getInt64(p.steps), blockSteps, [&](llvm::Value *from) {
        ElementEmitter::Scope blockScope(emitter);
        kernel.set(block, zero);
        llvm::Value *to =
            b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, b.getInt64(p.steps),
                                    b.CreateAdd(from, b.getInt64(blockSteps)));
        kernel.loop(from, to, 1, [&](llvm::Value *step) {
          ElementEmitter::Scope stepScope(emitter);
          emitter.bind(p.step, step);
          llvm::Value *counts = kernel.toLanes(p.inside(emitter));
          llvm::Value *sum = kernel.get(block);
          llvm::Value *next =
              multiplyAdd(b, factor(p.left), factor(p.right), sum);
          kernel.set(block, b.CreateSelect(counts, next, sum));
        });
        llvm::Value *sum = kernel.get(block);
        if (p.steps > blockSteps)
          sum = b.CreateSelect(b.CreateICmpEQ(from, b.getInt64(0)), sum,
                               b.CreateFAdd(kernel.get(total), sum));
        kernel.set(total, sum);
      });
  return kernel.get(total);
}

} // namespace

void emitPaddingRepair(
    ElementEmitter &emitter, const Product &p, llvm::Value *row0,
    llvm::Value *row1, llvm::Value *column0, llvm::Value *column1,
    llvm::function_ref<llvm::Value *(llvm::Value *, llvm::Value *)> place) {
  KernelBuilder &kernel = emitter.kernel;
  llvm::IRBuilder<> &b = kernel.ir;
  unsigned lanes = kernel.lanes();
  llvm::Type *vector = kernel.vectorize(p.type, lanes);
  llvm::Align align(p.type->getScalarSizeInBits() / 8);
  // Calls `body` with each vector of sums, its column and its address.
  auto forVectors =
      [&](llvm::Value *row,
          llvm::function_ref<void(llvm::Value *, llvm::Value *, llvm::Value *)>
              body) {
        kernel.loop(column0, column1, lanes, [&](llvm::Value *column) {
          ElementEmitter::Scope scope(emitter);
          emitter.bindLanes(p.column, column);
          llvm::Value *mask =
              p.columns % lanes ? kernel.tailMask(column, column1) : nullptr;
          emitter.setMask(mask);
          llvm::Value *at = place(row, column);
          llvm::Value *sums = mask ? (llvm::Value *)b.CreateMaskedLoad(
                                         vector, at, align, mask,
                                         llvm::Constant::getNullValue(vector))
                                   : b.CreateAlignedLoad(vector, at, align);
          body(sums, at, mask);
        });
      };
  kernel.loop(row0, row1, 1, [&](llvm::Value *row) {
    ElementEmitter::Scope scope(emitter);
    emitter.bind(p.row, row);
    llvm::Type *flags = kernel.vectorize(b.getInt1Ty(), lanes);
    llvm::AllocaInst *seen =
        kernel.variable(flags, llvm::Constant::getNullValue(flags));
    forVectors(row, [&](llvm::Value *sums, llvm::Value *, llvm::Value *) {
      kernel.set(seen,
                 b.CreateOr(kernel.get(seen), b.CreateFCmpUNO(sums, sums)));
    });
    kernel.ifThenElse(b.CreateOrReduce(kernel.get(seen)), [&] {
      ElementEmitter::Scope thenScope(emitter);
      forVectors(row,
                 [&](llvm::Value *sums, llvm::Value *at, llvm::Value *mask) {
                   llvm::Value *again = b.CreateSelect(
                       b.CreateFCmpUNO(sums, sums), emitSum(emitter, p), sums);
                   if (mask)
                     b.CreateMaskedStore(again, at, align, mask);
                   else
                     b.CreateAlignedStore(again, at, align);
                 });
    });
  });
}

} // namespace zcc
