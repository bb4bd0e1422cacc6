// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits sums of squares over blocks of elements: half a warp does a block, with
// a thread for each of its 16 lanes.
#include "compiler/codegen/ElementEmitter.h"
#include "compiler/cuda/Generators.h"
#include "llvm/IR/Intrinsics.h"

using namespace mlir;
using zcc::train::IndexExpr;

namespace zcc::cuda {

static constexpr int64_t squareLanes = 16, squaresBlockThreads = 128;
// With fewer threads, blocks are of one warp, so that there are more of them.
static constexpr int64_t squaresWantedThreads = 1 << 15;
// The number of steps whose elements are loaded before the first one is added.
static constexpr int64_t squaresAhead = 4;

LogicalResult emitSquaresKernel(CudaKernelBuilder &kernel,
                                const codegen::KernelForm &form) {
  auto op = cast<train::SumOfSquaresOp>(form.root);
  mlir::Value operand = op.getOperand();
  int64_t count = train::tensorType(operand).getNumElements();
  int64_t size = train::squaresBlock, blocks = llvm::divideCeil(count, size);
  int64_t threads = blocks * squareLanes < squaresWantedThreads
                        ? int64_t(warpThreads)
                        : squaresBlockThreads;
  int64_t perBlock = threads / squareLanes;
  kernel.setBlocks(llvm::divideCeil(blocks, perBlock), threads);

  train::IndexContext context;
  ElementEmitter emitter(kernel, context);
  const train::IndexVar *position = context.loopVar(count);
  train::ElementIndex index =
      context.delinearize(IndexExpr(position), train::shapeOf(operand));
  llvm::IRBuilder<> &ir = kernel.ir;
  llvm::Type *i64 = ir.getInt64Ty(), *f32 = ir.getFloatTy();
  llvm::Value *thread = kernel.thread();
  llvm::Value *lane =
      ir.CreateZExt(ir.CreateAnd(thread, ir.getInt32(squareLanes - 1)), i64);
  llvm::Value *item = ir.CreateNSWAdd(
      ir.CreateNSWMul(kernel.block(), kernel.index(perBlock)),
      ir.CreateZExt(ir.CreateUDiv(thread, ir.getInt32(squareLanes)), i64));
  llvm::Value *isItem = ir.CreateICmpULT(item, kernel.index(blocks));
  llvm::AllocaInst *sum =
      kernel.variable(f32, llvm::Constant::getNullValue(f32));
  kernel.ifThenElse(isItem, [&] {
    llvm::Value *low = ir.CreateNSWMul(item, kernel.index(size));
    llvm::Value *high = ir.CreateBinaryIntrinsic(
        llvm::Intrinsic::smin, ir.CreateNSWAdd(low, kernel.index(size)),
        kernel.index(count));
    auto steps = [&](llvm::Value *from, int64_t number) {
      SmallVector<llvm::Value *> elements;
      for (int64_t k = 0; k < number; ++k) {
        ElementEmitter::Scope scope(emitter);
        emitter.bind(position,
                     ir.CreateNSWAdd(from, kernel.index(k * squareLanes)));
        elements.push_back(ir.CreateFPCast(emitter.emit(operand, index), f32));
      }
      for (llvm::Value *x : elements)
        kernel.set(sum, kernel.fma(x, x, kernel.get(sum)));
    };
    int64_t wide = squaresAhead * squareLanes;
    llvm::Value *whole = ir.CreateNSWAdd(
        low, ir.CreateAnd(ir.CreateNSWSub(high, low), kernel.index(-wide)));
    kernel.loop(ir.CreateNSWAdd(low, lane), whole, wide,
                [&](llvm::Value *from) { steps(from, squaresAhead); });
    if (count % wide != 0)
      kernel.loop(ir.CreateNSWAdd(whole, lane), high, squareLanes,
                  [&](llvm::Value *from) { steps(from, 1); });
  });
  llvm::Value *warpLane = ir.CreateAnd(thread, ir.getInt32(warpThreads - 1));
  llvm::Value *total = kernel.get(sum);
  for (int64_t distance = squareLanes / 2; distance >= 1; distance /= 2)
    total = ir.CreateFAdd(
        total,
        kernel.shuffle(total, ir.CreateXor(warpLane, ir.getInt32(distance))));
  kernel.ifThenElse(
      ir.CreateAnd(isItem, ir.CreateICmpEQ(lane, kernel.index(0))),
      [&] { kernel.storeScalar(total, kernel.result(0), item); });
  return success();
}

} // namespace zcc::cuda
