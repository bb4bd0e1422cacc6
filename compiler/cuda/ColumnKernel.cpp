// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits kernels with reductions along columns. Up to 64 rows: a thread does a
// column. With more rows, a block does 32 neighboring columns. Its warps take
// one block of 64 rows each at a time, as train.reduce divides them; shared
// memory brings their sums to the first warp, which adds them in order. Large
// tensors without a second pass are reduced in two launches
// (ColumnSumsKernel.cpp).
#include "compiler/codegen/ElementEmitter.h"
#include "compiler/codegen/ReducePlan.h"
#include "compiler/codegen/Reduction.h"
#include "compiler/cuda/Generators.h"
#include "compiler/cuda/ReduceSteps.h"
#include "llvm/IR/Intrinsics.h"

using namespace mlir;

namespace zcc::cuda {

namespace {

constexpr int64_t maxWarps = 16;
// The rows whose elements a thread loads before it adds the first one.
constexpr int64_t columnRowsAhead = 8;

class ColumnKernel : ReducePlan {
public:
  explicit ColumnKernel(CudaKernelBuilder &kernel)
      : ReducePlan(kernel.func), kernel(kernel), ir(kernel.ir),
        emitter(kernel, context), rows(domain.outerReduced->extent),
        columns(domain.last->extent), outer(domain.kept->extent) {}
  void emit();

private:
  using Sums = std::vector<Accumulator>;
  Sums makeSums(Pass &pass) {
    Sums sums;
    for (Operation *op : pass.reductions)
      sums.emplace_back(kernel, op).reset();
    return sums;
  }
  void emitThread(llvm::Value *item);
  void emitBlock();
  void emitRounds(Pass &pass, Sums &totals);
  uint64_t sharedOfWarp();
  // Returns the addresses of the sums of warp `w`.
  SmallVector<llvm::Value *> places(Sums &sums, llvm::Value *w);

  CudaKernelBuilder &kernel;
  llvm::IRBuilder<> &ir;
  ElementEmitter emitter;
  int64_t rows, columns, outer;
  // The state for columns with many rows.
  int64_t warps = 1, rowBlocks = 1;
  llvm::Value *warp, *lane, *isColumn;
  SmallVector<llvm::Value *> sharedSums; // of the current pass
};

void ColumnKernel::emitThread(llvm::Value *item) {
  ElementEmitter::Scope scope(emitter);
  emitter.bind(domain.kept, kernel.divide(item, columns, outer * columns));
  emitter.bind(domain.last, kernel.modulo(item, columns, outer * columns));
  for (Pass &pass : passes) {
    ElementEmitter::Scope passScope(emitter);
    Sums sums = makeSums(pass);
    emitReduceRows(emitter, *this, pass, sums, kernel.index(0),
                   kernel.index(rows), columnRowsAhead);
    provideSums(emitter, pass, sums);
  }
  ElementEmitter::Scope keptScope(emitter);
  storeKeptOutputs(emitter, *this);
}

// ---------------------------------------------------------------- blocks

SmallVector<llvm::Value *> ColumnKernel::places(Sums &sums, llvm::Value *w) {
  SmallVector<llvm::Value *> out;
  size_t next = 0;
  for (Accumulator &sum : sums)
    for (llvm::Value *v : sum.values()) {
      llvm::Value *at =
          ir.CreateNSWAdd(ir.CreateNSWMul(w, kernel.index(warpThreads)), lane);
      out.push_back(
          ir.CreateGEP(kernel.slotType(v->getType()), sharedSums[next++], at));
    }
  return out;
}

void ColumnKernel::emitRounds(Pass &pass, Sums &totals) {
  sharedSums.clear();
  for (Accumulator &sum : totals)
    for (llvm::Value *v : sum.values())
      sharedSums.push_back(kernel.sharedSlot(
          sharedSums.size(),
          warps * warpThreads *
              kernel.slotType(v->getType())->getPrimitiveSizeInBits() / 8));
  llvm::Value *isFirst = ir.CreateICmpEQ(warp, kernel.index(0));
  auto write = [&](Sums &sums, llvm::Value *w) {
    SmallVector<llvm::Value *> at = places(sums, w);
    size_t next = 0;
    for (Accumulator &sum : sums)
      for (llvm::Value *v : sum.values())
        kernel.storeSlot(v, at[next++]);
  };
  auto read =
      [&](Sums &sums, llvm::Value *w,
          llvm::function_ref<void(Accumulator &, ArrayRef<llvm::Value *>)>
              take) {
        SmallVector<llvm::Value *> at = places(sums, w);
        size_t next = 0;
        for (Accumulator &sum : sums) {
          SmallVector<llvm::Value *, 2> values;
          for (llvm::Value *v : sum.values())
            values.push_back(kernel.loadSlot(v->getType(), at[next++]));
          take(sum, values);
        }
      };
  kernel.loop(
      kernel.index(0), kernel.index(rowBlocks), warps, [&](llvm::Value *round) {
        ElementEmitter::Scope scope(emitter);
        llvm::Value *own = ir.CreateNSWAdd(round, warp);
        Sums sums = makeSums(pass);
        llvm::Value *isBlock = ir.CreateICmpSLT(own, kernel.index(rowBlocks));
        kernel.ifThenElse(ir.CreateAnd(isColumn, isBlock), [&] {
          ElementEmitter::Scope blockScope(emitter);
          llvm::Value *from = ir.CreateNSWMul(own, kernel.index(columnBlock));
          llvm::Value *to = ir.CreateBinaryIntrinsic(
              llvm::Intrinsic::smin, kernel.index(rows),
              ir.CreateNSWAdd(from, kernel.index(columnBlock)));
          emitReduceRows(emitter, *this, pass, sums, from, to, columnRowsAhead);
        });
        if (totals.empty())
          return;
        write(sums, warp);
        kernel.barrier();
        kernel.ifThenElse(isFirst, [&] {
          llvm::Value *count = ir.CreateBinaryIntrinsic(
              llvm::Intrinsic::smin, kernel.index(warps),
              ir.CreateNSWSub(kernel.index(rowBlocks), round));
          kernel.loop(kernel.index(0), count, 1, [&](llvm::Value *w) {
            read(totals, w,
                 [](Accumulator &sum, ArrayRef<llvm::Value *> values) {
                   sum.add(values);
                 });
          });
        });
        kernel.barrier();
      });
  if (totals.empty())
    return;
  kernel.ifThenElse(isFirst, [&] { write(totals, kernel.index(0)); });
  kernel.barrier();
  read(totals, kernel.index(0),
       [](Accumulator &sum, ArrayRef<llvm::Value *> values) {
         sum.set(values);
       });
  // The next pass writes to the same memory.
  kernel.barrier();
}

void ColumnKernel::emitBlock() {
  int64_t tiles = llvm::divideCeil(columns, int64_t(warpThreads));
  kernel.setBlocks(outer * tiles, warps * warpThreads);
  llvm::Type *i64 = ir.getInt64Ty();
  llvm::Value *thread = ir.CreateZExt(kernel.thread(), i64);
  lane = ir.CreateAnd(thread, kernel.index(warpThreads - 1));
  warp = ir.CreateUDiv(thread, kernel.index(warpThreads));
  llvm::Value *column = ir.CreateNSWAdd(
      ir.CreateNSWMul(kernel.modulo(kernel.block(), tiles, outer * tiles),
                      kernel.index(warpThreads)),
      lane);
  isColumn = ir.CreateICmpSLT(column, kernel.index(columns));
  ElementEmitter::Scope scope(emitter);
  emitter.bind(domain.kept,
               kernel.divide(kernel.block(), tiles, outer * tiles));
  emitter.bind(domain.last, column);
  for (Pass &pass : passes) {
    ElementEmitter::Scope passScope(emitter);
    Sums totals = makeSums(pass);
    emitRounds(pass, totals);
    provideSums(emitter, pass, totals);
  }
  if (keptOutputs.empty())
    return;
  // A result of the reduced shape may reuse memory that other threads still
  // read.
  kernel.barrier();
  kernel.ifThenElse(
      ir.CreateAnd(isColumn, ir.CreateICmpEQ(warp, kernel.index(0))), [&] {
        ElementEmitter::Scope keptScope(emitter);
        storeKeptOutputs(emitter, *this);
      });
}

// Each reduction has at most two values of at most 8 bytes.
uint64_t ColumnKernel::sharedOfWarp() {
  size_t most = 0;
  for (Pass &pass : passes)
    most = std::max(most, pass.reductions.size());
  return most * warpThreads * 16;
}

void ColumnKernel::emit() {
  rowBlocks = llvm::divideCeil(rows, columnBlock);
  if (rowBlocks > 1) {
    warps = std::min(rowBlocks, maxWarps);
    while (warps > 1 && warps * sharedOfWarp() > maxShared)
      warps /= 2;
    return emitBlock();
  }
  kernel.info.items = outer * columns;
  kernel.forEachItem([&](llvm::Value *item) { emitThread(item); });
}

} // namespace

LogicalResult emitColumnKernel(CudaKernelBuilder &kernel) {
  if (suitsColumnSums(kernel)) {
    emitColumnSums(kernel);
    return success();
  }
  ColumnKernel(kernel).emit();
  return success();
}

} // namespace zcc::cuda
