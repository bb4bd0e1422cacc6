// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits sums of squares over blocks: 16 lanes with fused multiply-adds, which
// are then combined by the tree of train.reduce.
#include "compiler/codegen/ElementEmitter.h"
#include "compiler/codegen/ElementWalk.h"
#include "compiler/codegen/LaneReduction.h"
#include "compiler/cpu/Generators.h"
#include "llvm/IR/Intrinsics.h"

using namespace mlir;
using zcc::train::IndexContext;
using zcc::train::IndexExpr;
using zcc::train::IndexVar;

namespace zcc {

LogicalResult emitSquaresKernel(KernelBuilder &kernel,
                                const codegen::KernelForm &form) {
  auto op = cast<train::SumOfSquaresOp>(form.root);
  mlir::Value operand = op.getOperand();
  int64_t count = train::tensorType(operand).getNumElements();
  int64_t block = train::squaresBlock;
  int64_t blocks = (count + block - 1) / block;
  kernel.info.items = blocks;
  kernel.info.itemNanoseconds =
      std::max(1.0, form.work / count * std::min(block, count) *
                            codegen::additionNanoseconds +
                        1);

  IndexContext context;
  ElementEmitter emitter(kernel, context);
  const IndexVar *position = context.loopVar(count);
  train::ElementIndex index =
      context.delinearize(IndexExpr(position), train::shapeOf(operand));
  llvm::IRBuilder<> &ir = kernel.ir;
  unsigned lanes = kernel.lanes(), parts = 16 / lanes;
  llvm::Type *vector = kernel.vectorize(ir.getFloatTy(), lanes);

  kernel.forEachItem([&](llvm::Value *item) {
    llvm::Value *low = ir.CreateNSWMul(item, kernel.index(block));
    llvm::Value *high = ir.CreateBinaryIntrinsic(
        llvm::Intrinsic::smin, ir.CreateNSWAdd(low, kernel.index(block)),
        kernel.index(count));
    SmallVector<llvm::AllocaInst *> sums;
    for (unsigned p = 0; p < parts; ++p)
      sums.push_back(
          kernel.variable(vector, llvm::Constant::getNullValue(vector)));
    auto body = [&](llvm::Value *i, bool masked) {
      for (unsigned p = 0; p < parts; ++p) {
        ElementEmitter::Scope scope(emitter);
        llvm::Value *at = p ? ir.CreateNSWAdd(i, kernel.index(p * lanes)) : i;
        emitter.bindLanes(position, at);
        llvm::Value *mask = masked ? kernel.tailMask(at, high) : nullptr;
        emitter.setMask(mask);
        llvm::Value *x = kernel.toLanes(emitter.emit(operand, index));
        x = ir.CreateFPCast(x, vector);
        llvm::Value *old = kernel.get(sums[p]);
        llvm::Value *sum = kernel.fma(x, x, old);
        kernel.set(sums[p], mask ? ir.CreateSelect(mask, sum, old) : sum);
      }
    };
    llvm::Value *whole =
        ir.CreateNSWAdd(low, ir.CreateAnd(ir.CreateSub(high, low), -16));
    kernel.loop(low, whole, 16, [&](llvm::Value *i) { body(i, false); });
    if (count % 16 != 0)
      kernel.loop(whole, high, 16, [&](llvm::Value *i) { body(i, true); });
    SmallVector<llvm::Value *> values;
    for (llvm::AllocaInst *s : sums)
      values.push_back(kernel.get(s));
    llvm::Value *sum = reduceLanes(kernel, train::ReduceKind::add,
                                   Float32Type::get(op.getContext()), values);
    kernel.storeScalar(sum, kernel.result(0), item);
  });
  return success();
}

} // namespace zcc
