// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits kernels with reductions along rows: half a warp does a row, with one
// thread for each of the 16 lanes that train.reduce prescribes, and shuffles
// combine them by its tree. If rows are few and long, a block does one: all
// threads compute elements, into shared memory, and sixteen of them add those
// up.
#include "compiler/codegen/ElementEmitter.h"
#include "compiler/codegen/ReducePlan.h"
#include "compiler/codegen/Reduction.h"
#include "compiler/cuda/Generators.h"
#include "llvm/IR/Intrinsics.h"

using namespace mlir;

namespace zcc::cuda {

namespace {

constexpr int64_t rowLanes = 16, rowBlockThreads = 128;
// For rows with a block each: threads, and elements that are computed at a
// time.
constexpr int64_t longThreads = 256, longTile = 4 * longThreads;
// The threads that occupy a device, and the least extent of a row that gets a
// block.
constexpr int64_t rowWantedThreads = 1 << 14, longRow = 512;
// The number of steps whose elements are loaded before the first one is added.
constexpr int64_t rowsAhead = 4;

class RowKernel : ReducePlan {
public:
  explicit RowKernel(CudaKernelBuilder &kernel)
      : ReducePlan(kernel.func), kernel(kernel), ir(kernel.ir),
        emitter(kernel, context) {}
  void emit();

private:
  void emitPass(Pass &pass);
  void emitTree(Accumulator &sum);
  void emitLongPass(Pass &pass);
  void emitElements(Pass &pass, ArrayRef<llvm::Value *> memory,
                    llvm::Value *first);
  void addElements(Pass &pass, ArrayRef<llvm::Value *> memory,
                   SmallVectorImpl<Accumulator> &sums, llvm::Value *first);
  void placeRows();
  void storeKept(llvm::Value *isFirst);
  void walk(llvm::function_ref<void(llvm::Value *from, int64_t steps)> body);
  void emitSteps(Pass &pass, ArrayRef<Accumulator> sums, llvm::Value *from,
                 int64_t steps);
  void inRow(llvm::function_ref<void()> body);

  CudaKernelBuilder &kernel;
  llvm::IRBuilder<> &ir;
  ElementEmitter emitter;
  llvm::Value *row, *isRow, *lane, *warpLane;
  bool isLong = false; // each row has a block
};

// Emits code for the threads of rows only; shuffles and barriers need all
// threads.
void RowKernel::inRow(llvm::function_ref<void()> body) {
  kernel.ifThenElse(isRow, [&] {
    ElementEmitter::Scope scope(emitter);
    emitter.bind(domain.kept, row);
    body();
  });
}

// Adds `steps` groups of lanes, from the element `from` on.
void RowKernel::emitSteps(Pass &pass, ArrayRef<Accumulator> sums,
                          llvm::Value *from, int64_t steps) {
  struct Step {
    SmallVector<llvm::Value *> reduced, positions;
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

// Emits all steps of this thread along the row.
void RowKernel::walk(llvm::function_ref<void(llvm::Value *, int64_t)> body) {
  int64_t extent = domain.last->extent, wide = rowsAhead * rowLanes;
  auto along = [&] {
    int64_t whole = extent / wide * wide;
    if (whole)
      kernel.loop(lane, kernel.index(whole), wide,
                  [&](llvm::Value *j) { body(j, rowsAhead); });
    if (whole != extent)
      kernel.loop(ir.CreateNSWAdd(lane, kernel.index(whole)),
                  kernel.index(extent), rowLanes,
                  [&](llvm::Value *j) { body(j, 1); });
  };
  if (domain.outerReduced->extent == 1) {
    ElementEmitter::Scope scope(emitter);
    emitter.bind(domain.outerReduced, kernel.index(0));
    return along();
  }
  kernel.loop(kernel.index(0), kernel.index(domain.outerReduced->extent), 1,
              [&](llvm::Value *r) {
                ElementEmitter::Scope scope(emitter);
                emitter.bind(domain.outerReduced, r);
                along();
              });
}

void RowKernel::emitTree(Accumulator &sum) {
  for (int64_t distance = rowLanes / 2; distance >= 1; distance /= 2) {
    SmallVector<llvm::Value *, 2> other;
    for (llvm::Value *v : sum.values())
      other.push_back(
          kernel.shuffle(v, ir.CreateXor(warpLane, ir.getInt32(distance))));
    sum.add(other);
  }
}

void RowKernel::emitPass(Pass &pass) {
  SmallVector<Accumulator> sums;
  for (Operation *op : pass.reductions)
    sums.emplace_back(kernel, op).reset();
  inRow([&] {
    walk([&](llvm::Value *from, int64_t steps) {
      emitSteps(pass, sums, from, steps);
    });
  });
  for (auto [op, sum] : llvm::zip(pass.reductions, sums)) {
    emitTree(sum);
    // Lane 0 has the sum; the others' may differ in the sign of a zero.
    llvm::Value *v = kernel.shuffle(
        sum.lanes(), ir.CreateAnd(warpLane, ir.getInt32(-rowLanes)));
    emitter.provide(op->getResult(0),
                    [v](const train::ElementIndex &) { return v; });
  }
}

// ---------------------------------------------------------------- long rows

// Computes the elements that the reductions read in a tile, from `first` on
// along the row.
void RowKernel::emitElements(Pass &pass, ArrayRef<llvm::Value *> memory,
                             llvm::Value *first) {
  llvm::Value *thread = ir.CreateZExt(kernel.thread(), ir.getInt64Ty());
  for (int64_t u = 0; u < longTile; u += longThreads) {
    llvm::Value *at = ir.CreateNSWAdd(thread, kernel.index(u));
    llvm::Value *j = ir.CreateNSWAdd(first, at);
    llvm::Value *isElement =
        ir.CreateICmpSLT(j, kernel.index(domain.last->extent));
    kernel.ifThenElse(isElement, [&] {
      ElementEmitter::Scope scope(emitter);
      emitter.bind(domain.last, j);
      for (auto [op, base] : llvm::zip(pass.reductions, memory)) {
        llvm::Value *x =
            emitter.emit(op->getOperand(0), domain.operandIndex(context, op));
        kernel.storeSlot(x,
                         ir.CreateGEP(kernel.slotType(x->getType()), base, at));
      }
      for (unsigned i : pass.outputs) {
        mlir::Value v = results[i];
        emitter.store(emitter.emit(v, context.delinearize(domain.fullLinear,
                                                          train::shapeOf(v))),
                      kernel.result(i), domain.fullLinear);
      }
    });
  }
}

void RowKernel::addElements(Pass &pass, ArrayRef<llvm::Value *> memory,
                            SmallVectorImpl<Accumulator> &sums,
                            llvm::Value *first) {
  llvm::Value *count = ir.CreateBinaryIntrinsic(
      llvm::Intrinsic::smin, kernel.index(longTile),
      ir.CreateNSWSub(kernel.index(domain.last->extent), first));
  kernel.loop(lane, count, rowLanes, [&](llvm::Value *at) {
    ElementEmitter::Scope scope(emitter);
    emitter.bind(domain.last, ir.CreateNSWAdd(first, at));
    for (auto [i, op] : llvm::enumerate(pass.reductions)) {
      llvm::Value *position = nullptr;
      if (auto arg = dyn_cast<train::ArgReduceOp>(op))
        position =
            emitter.vectorIndex(domain.operandIndex(context, op)[arg.getDim()]);
      llvm::Type *type = sums[i].values().front()->getType();
      llvm::Value *place = ir.CreateGEP(kernel.slotType(type), memory[i], at);
      sums[i].add(kernel.loadSlot(type, place), position, nullptr);
    }
  });
}

void RowKernel::emitLongPass(Pass &pass) {
  SmallVector<Accumulator> sums;
  SmallVector<llvm::Value *> memory;
  auto slot = [&](unsigned number, llvm::Type *type, int64_t count) {
    uint64_t bytes = kernel.slotType(type)->getPrimitiveSizeInBits() / 8;
    return kernel.sharedSlot(number, count * bytes);
  };
  for (Operation *op : pass.reductions) {
    sums.emplace_back(kernel, op).reset();
    memory.push_back(
        slot(memory.size(), sums.back().values().front()->getType(), longTile));
  }
  llvm::Value *isLane =
      ir.CreateICmpULT(kernel.thread(), ir.getInt32(rowLanes));
  auto tile = [&](llvm::Value *r, llvm::Value *first) {
    ElementEmitter::Scope scope(emitter);
    emitter.bind(domain.kept, row);
    emitter.bind(domain.outerReduced, r);
    emitElements(pass, memory, first);
    if (sums.empty())
      return;
    kernel.barrier();
    kernel.ifThenElse(isLane, [&] { addElements(pass, memory, sums, first); });
    kernel.barrier();
  };
  kernel.loop(kernel.index(0), kernel.index(domain.outerReduced->extent), 1,
              [&](llvm::Value *r) {
                kernel.loop(kernel.index(0), kernel.index(domain.last->extent),
                            longTile,
                            [&](llvm::Value *first) { tile(r, first); });
              });
  llvm::Value *isFirst = ir.CreateICmpEQ(kernel.thread(), ir.getInt32(0));
  for (auto [i, sum] : llvm::enumerate(sums)) {
    emitTree(sum);
    llvm::Value *total = sum.lanes();
    llvm::Value *place = slot(sums.size() + i, total->getType(), 1);
    kernel.ifThenElse(isFirst, [&] { kernel.storeSlot(total, place); });
    kernel.barrier();
    llvm::Value *v = kernel.loadSlot(total->getType(), place);
    // All must have read before another pass or sum writes to the same memory.
    kernel.barrier();
    emitter.provide(pass.reductions[i]->getResult(0),
                    [v](const train::ElementIndex &) { return v; });
  }
}

// ---------------------------------------------------------------- kernel

void RowKernel::placeRows() {
  int64_t rows = domain.kept->extent, rowsOfBlock = rowBlockThreads / rowLanes;
  if (isLong)
    kernel.setBlocks(rows, longThreads);
  else
    kernel.setBlocks(llvm::divideCeil(rows, rowsOfBlock), rowBlockThreads);
  llvm::Value *thread = kernel.thread();
  llvm::Type *i64 = ir.getInt64Ty();
  lane = ir.CreateZExt(ir.CreateAnd(thread, ir.getInt32(rowLanes - 1)), i64);
  warpLane = ir.CreateAnd(thread, ir.getInt32(warpThreads - 1));
  row = kernel.block();
  isRow = ir.getTrue();
  if (isLong)
    return;
  row = ir.CreateNSWAdd(
      ir.CreateNSWMul(row, kernel.index(rowsOfBlock)),
      ir.CreateZExt(ir.CreateUDiv(thread, ir.getInt32(rowLanes)), i64));
  isRow = ir.CreateICmpULT(row, kernel.index(rows));
}

void RowKernel::storeKept(llvm::Value *isFirst) {
  // A result of the reduced shape may reuse memory that other threads still
  // read.
  kernel.barrier();
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

// Returns the bytes of shared memory of the largest pass, if each row has a
// block.
static uint64_t sharedOf(ArrayRef<ReducePlan::Pass> passes) {
  uint64_t most = 0;
  for (const ReducePlan::Pass &pass : passes) {
    uint64_t bytes = 0;
    for (Operation *op : pass.reductions)
      bytes +=
          longTile * KernelBuilder::memoryBytes(
                         train::tensorType(op->getOperand(0)).getElementType());
    // Floats narrower than f32 are stored as f32.
    most = std::max(most, 2 * bytes);
  }
  return most;
}

void RowKernel::emit() {
  isLong = domain.kept->extent * rowLanes < rowWantedThreads &&
           domain.last->extent >= longRow && sharedOf(passes) <= maxShared;
  placeRows();
  for (Pass &pass : passes) {
    ElementEmitter::Scope scope(emitter);
    if (isLong)
      emitLongPass(pass);
    else
      emitPass(pass);
  }
  if (!keptOutputs.empty())
    storeKept(isLong ? ir.CreateICmpEQ(kernel.thread(), ir.getInt32(0))
                     : ir.CreateICmpEQ(lane, kernel.index(0)));
}

} // namespace

LogicalResult emitRowKernel(CudaKernelBuilder &kernel) {
  RowKernel(kernel).emit();
  return success();
}

} // namespace zcc::cuda
