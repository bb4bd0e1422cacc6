// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels with reductions along rows: half a warp does a row, a thread each of
// the 16 lanes that train.reduce prescribes, and shuffles combine them by its
// tree.
#include "compiler/codegen/ElementEmitter.h"
#include "compiler/codegen/ReducePlan.h"
#include "compiler/codegen/Reduction.h"
#include "compiler/cuda/Generators.h"

using namespace mlir;

namespace zcc::cuda {

using llvm::Value;
namespace {

constexpr int64_t rowLanes = 16, blockThreads = 128;
// Steps whose elements are asked for before the first is added.
constexpr int64_t ahead = 4;

class RowKernel : ReducePlan {
public:
  explicit RowKernel(CudaKernelBuilder &kernel)
      : ReducePlan(kernel.func), kernel(kernel), ir(kernel.ir),
        emitter(kernel, context) {}
  void emit();

private:
  void emitPass(Pass &pass);
  void walk(llvm::function_ref<void(Value *from, int64_t steps)> body);
  void emitSteps(Pass &pass, ArrayRef<Accumulator> sums, Value *from,
                 int64_t steps);
  void inRow(llvm::function_ref<void()> body);

  CudaKernelBuilder &kernel;
  llvm::IRBuilder<> &ir;
  ElementEmitter emitter;
  Value *row, *isRow, *lane, *warpLane;
};

// What only threads of a row do; shuffles and barriers take all.
void RowKernel::inRow(llvm::function_ref<void()> body) {
  kernel.ifThenElse(isRow, [&] {
    ElementEmitter::Scope scope(emitter);
    emitter.bind(domain.kept, row);
    body();
  });
}

// The elements from `from` on, a row of lanes after the other.
void RowKernel::emitSteps(Pass &pass, ArrayRef<Accumulator> sums, Value *from,
                          int64_t steps) {
  struct Step {
    SmallVector<Value *> reduced, positions;
  };
  SmallVector<Step> values(steps);
  for (auto [k, step] : llvm::enumerate(values)) {
    ElementEmitter::Scope scope(emitter);
    emitter.bind(domain.last,
                 ir.CreateNSWAdd(from, kernel.index(k * rowLanes)));
    for (Operation *op : pass.reductions) {
      train::ElementIndex index = domain.operandIndex(context, op);
      step.reduced.push_back(emitter.emit(op->getOperand(0), index));
      auto arg = dyn_cast<train::ArgReduceOp>(op);
      step.positions.push_back(arg ? emitter.vectorIndex(index[arg.getDim()])
                                   : nullptr);
    }
    for (unsigned i : pass.outputs) {
      mlir::Value v = results[i];
      emitter.store(emitter.emit(v, context.delinearize(domain.fullLinear,
                                                        train::shapeOf(v))),
                    kernel.result(i), domain.fullLinear);
    }
  }
  for (Step &step : values)
    for (auto [i, sum] : llvm::enumerate(sums))
      const_cast<Accumulator &>(sum).add(step.reduced[i], step.positions[i],
                                         nullptr);
}

// All steps of this thread along the row.
void RowKernel::walk(llvm::function_ref<void(Value *, int64_t)> body) {
  int64_t extent = domain.last->extent, wide = ahead * rowLanes;
  auto along = [&] {
    int64_t whole = extent / wide * wide;
    if (whole)
      kernel.loop(lane, kernel.index(whole), wide,
                  [&](Value *j) { body(j, ahead); });
    if (whole != extent)
      kernel.loop(ir.CreateNSWAdd(lane, kernel.index(whole)),
                  kernel.index(extent), rowLanes,
                  [&](Value *j) { body(j, 1); });
  };
  if (domain.outerReduced->extent == 1) {
    ElementEmitter::Scope scope(emitter);
    emitter.bind(domain.outerReduced, kernel.index(0));
    return along();
  }
  kernel.loop(kernel.index(0), kernel.index(domain.outerReduced->extent), 1,
              [&](Value *r) {
                ElementEmitter::Scope scope(emitter);
                emitter.bind(domain.outerReduced, r);
                along();
              });
}

void RowKernel::emitPass(Pass &pass) {
  SmallVector<Accumulator> sums;
  for (Operation *op : pass.reductions)
    sums.emplace_back(kernel, op).reset();
  inRow([&] {
    walk([&](Value *from, int64_t steps) {
      emitSteps(pass, sums, from, steps);
    });
  });
  for (auto [op, sum] : llvm::zip(pass.reductions, sums)) {
    for (int64_t distance = rowLanes / 2; distance >= 1; distance /= 2) {
      SmallVector<Value *, 2> other;
      for (Value *v : sum.values())
        other.push_back(
            kernel.shuffle(v, ir.CreateXor(warpLane, ir.getInt32(distance))));
      sum.add(other);
    }
    // Lane 0 has the sum; the others' may differ in the sign of a zero.
    Value *v = kernel.shuffle(sum.lanes(),
                              ir.CreateAnd(warpLane, ir.getInt32(-rowLanes)));
    emitter.provide(op->getResult(0),
                    [v](const train::ElementIndex &) { return v; });
  }
}

void RowKernel::emit() {
  int64_t rows = domain.kept->extent, rowsOfBlock = blockThreads / rowLanes;
  kernel.setBlocks(llvm::divideCeil(rows, rowsOfBlock), blockThreads);
  Value *thread = kernel.thread();
  llvm::Type *i64 = ir.getInt64Ty();
  lane = ir.CreateZExt(ir.CreateAnd(thread, ir.getInt32(rowLanes - 1)), i64);
  warpLane = ir.CreateAnd(thread, ir.getInt32(warpThreads - 1));
  row = ir.CreateNSWAdd(
      ir.CreateNSWMul(kernel.block(), kernel.index(rowsOfBlock)),
      ir.CreateZExt(ir.CreateUDiv(thread, ir.getInt32(rowLanes)), i64));
  isRow = ir.CreateICmpULT(row, kernel.index(rows));
  for (Pass &pass : passes) {
    ElementEmitter::Scope scope(emitter);
    emitPass(pass);
  }
  if (keptOutputs.empty())
    return;
  // A result of the reduced shape may lie where others still read.
  kernel.barrier();
  Value *isFirst = ir.CreateICmpEQ(lane, kernel.index(0));
  isRow = ir.CreateAnd(isRow, isFirst);
  inRow([&] {
    for (unsigned i : keptOutputs) {
      mlir::Value v = results[i];
      emitter.store(emitter.emit(v, context.delinearize(domain.keptLinear,
                                                        train::shapeOf(v))),
                    kernel.result(i), domain.keptLinear);
    }
  });
}

} // namespace

LogicalResult emitRowKernel(CudaKernelBuilder &kernel) {
  RowKernel(kernel).emit();
  return success();
}

} // namespace zcc::cuda
