// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits reductions along the columns of large tensors in two launches, so that
// they occupy the whole device however few columns there are. In the first one
// a thread adds up a block of 64 rows, as train.reduce divides them, of as many
// neighboring columns as 16 bytes hold, and writes the sums to scratch. In the
// second one a warp adds the sums of all blocks of 32 columns, in order.
#include "compiler/cuda/ColumnSumsKernel.h"
#include "compiler/cuda/Generators.h"
#include "compiler/cuda/ReduceSteps.h"

using namespace mlir;

namespace zcc::cuda {

namespace {

// The elements of a tensor that is worth a second launch, the most bytes of
// scratch, and the threads that occupy a device.
constexpr int64_t largeElements = 1 << 20, mostScratch = 64 << 20,
                  wantedThreads = 1 << 14;
// The rows whose elements a thread loads before it adds the first one.
constexpr int64_t rowsAhead = 4;
constexpr int64_t firstThreads = 64;
// The second launch: warps of a block, and sums of a column that they load at a
// time.
constexpr int64_t secondWarps = 8, sumsAhead = 64;

} // namespace

static SmallVector<unsigned> columnSideOutputs(const RowColumns &form) {
  SmallVector<unsigned> out(form.fullOutputs);
  llvm::append_range(out, form.columnOutputs);
  return out;
}

ColumnSums::ColumnSums(CudaKernelBuilder &kernel, const RowColumns &form)
    : ReducePlan(kernel.func, form.columns, columnSideOutputs(form)),
      kernel(kernel), ir(kernel.ir), emitter(kernel, context),
      rows(form.rowCount), columns(form.columnCount), outer(1),
      rowBlocks(llvm::divideCeil(rows, columnBlock)) {}

bool ColumnSums::isSuited() {
  if (passes.size() != 1 || rowBlocks == 1 ||
      outer * rows * columns < largeElements)
    return false;
  int64_t bytes = 0;
  for (Operation *op : passes.front().reductions) {
    Type element = train::tensorType(op->getOperand(0)).getElementType();
    int64_t own = bytesOf(kernel.slotType(kernel.registerType(element)));
    bytes += own;
    // The second value of a state: an index, or marks of NaN.
    if (auto reduce = dyn_cast<train::ReduceOp>(op);
        !reduce || reduce.getKind() == train::ReduceKind::maximum ||
        reduce.getKind() == train::ReduceKind::minimum)
      bytes += reduce ? own : int64_t(sizeof(int64_t));
  }
  return bytes * sumCount() <= mostScratch &&
         bytes * sumsAhead * warpThreads <= int64_t(maxShared);
}

void ColumnSums::forEachState(
    Sums &sums, llvm::Value *at,
    llvm::function_ref<void(unsigned, llvm::Type *, llvm::Value *)> body) {
  uint64_t begin = 0;
  unsigned i = 0;
  for (Accumulator &sum : sums)
    for (llvm::Value *v : sum.values()) {
      llvm::Type *slot = kernel.slotType(v->getType())->getScalarType();
      llvm::Value *base = ir.CreateConstInBoundsGEP1_64(
          ir.getInt8Ty(), kernel.lastParameter(), begin);
      body(i++, v->getType(), ir.CreateGEP(slot, base, at));
      begin += llvm::alignTo(uint64_t(sumCount() * bytesOf(slot)), 64);
    }
  kernel.info.scratchBytes = begin;
}

void ColumnSums::emitFirst() {
  int64_t lines = outer * rowBlocks,
          lanes = lanesOf16Bytes(kernel.func, outer * rows * columns);
  while (lanes > 1 &&
         (columns % lanes != 0 || lines * (columns / lanes) < wantedThreads))
    lanes /= 2;
  int64_t vectors = columns / lanes, items = lines * vectors;
  kernel.setBlocks(llvm::divideCeil(items, firstThreads), firstThreads);
  kernel.info.second = KernelInfo::Launch();
  llvm::Value *item = ir.CreateNSWAdd(
      ir.CreateNSWMul(kernel.block(), kernel.index(firstThreads)),
      toIndex(kernel.thread()));
  kernel.ifThenElse(ir.CreateICmpSLT(item, kernel.index(items)), [&] {
    llvm::Value *line = kernel.divide(item, vectors, items);
    llvm::Value *own = kernel.divide(line, rowBlocks, lines);
    llvm::Value *block = kernel.modulo(line, rowBlocks, lines);
    llvm::Value *column = ir.CreateNSWMul(kernel.modulo(item, vectors, items),
                                          kernel.index(lanes));
    kernel.withLanes(lanes, [&] {
      ElementEmitter::Scope scope(emitter);
      emitter.bind(domain.kept, own);
      emitter.bindLanes(domain.last, column);
      Sums sums = makeSums();
      llvm::Value *from = ir.CreateNSWMul(block, kernel.index(columnBlock));
      llvm::Value *to =
          rows % columnBlock == 0
              ? ir.CreateNSWAdd(from, kernel.index(columnBlock))
              : ir.CreateBinaryIntrinsic(
                    llvm::Intrinsic::smin, kernel.index(rows),
                    ir.CreateNSWAdd(from, kernel.index(columnBlock)));
      addRows(sums, from, to);
      writeSums(sums, sumIndex(own, block, column));
    });
  });
}

void ColumnSums::addRows(Sums &sums, llvm::Value *from, llvm::Value *to) {
  emitReduceRows(emitter, *this, passes.front(), sums, from, to, rowsAhead);
}

void ColumnSums::writeSums(Sums &sums, llvm::Value *at) {
  SmallVector<llvm::Value *> states;
  for (Accumulator &sum : sums)
    llvm::append_range(states, sum.values());
  forEachState(sums, at, [&](unsigned i, llvm::Type *, llvm::Value *place) {
    kernel.storeSlot(states[i], place);
  });
}

void ColumnSums::addBlock(Sums &sums, llvm::Value *column, llvm::Value *from,
                          llvm::Value *to) {
  ElementEmitter::Scope scope(emitter);
  emitter.bind(domain.kept, kernel.index(0));
  emitter.bindLanes(domain.last, column);
  addRows(sums, from, to);
}

void ColumnSums::writeBlock(Sums &sums, llvm::Value *block,
                            llvm::Value *column) {
  writeSums(sums, sumIndex(kernel.index(0), block, column));
}

void ColumnSums::provideRow(Operation *op,
                            std::function<llvm::Value *(llvm::Value *)> load) {
  emitter.provide(op->getResult(0), [this, load = std::move(load)](
                                        const train::ElementIndex &) {
    return load(emitter.scalarIndex(train::IndexExpr(domain.outerReduced)));
  });
}

void ColumnSums::emitSecond() {
  int64_t tiles = llvm::divideCeil(columns, int64_t(warpThreads));
  kernel.setBlocks(outer * tiles, secondWarps * warpThreads);
  llvm::Value *thread = toIndex(kernel.thread());
  llvm::Value *lane = ir.CreateAnd(thread, kernel.index(warpThreads - 1));
  llvm::Value *warp = ir.CreateUDiv(thread, kernel.index(warpThreads));
  llvm::Value *own = kernel.divide(kernel.block(), tiles, outer * tiles);
  llvm::Value *column = ir.CreateNSWAdd(
      ir.CreateNSWMul(kernel.modulo(kernel.block(), tiles, outer * tiles),
                      kernel.index(warpThreads)),
      lane);
  llvm::Value *isColumn = ir.CreateICmpSLT(column, kernel.index(columns));
  llvm::Value *isAdder =
      ir.CreateAnd(isColumn, ir.CreateICmpEQ(warp, kernel.index(0)));
  Sums sums = makeSums();
  // Returns the address of state `i` of the sum `number` of those that are
  // loaded together.
  auto staged = [&](unsigned i, llvm::Type *type, llvm::Value *number) {
    llvm::Type *slot = kernel.slotType(type);
    llvm::Value *memory =
        kernel.sharedSlot(i, sumsAhead * warpThreads * bytesOf(slot));
    llvm::Value *at = ir.CreateNSWAdd(
        ir.CreateNSWMul(number, kernel.index(warpThreads)), lane);
    return ir.CreateGEP(slot, memory, at);
  };
  // Loads the sums of up to `sumsAhead` blocks of rows from `first` on, and
  // adds them.
  auto add = [&](llvm::Value *first, int64_t count) {
    for (int64_t k = 0; k < count; k += secondWarps) {
      llvm::Value *number = ir.CreateNSWAdd(warp, kernel.index(k));
      llvm::Value *isSum = isColumn;
      if (k + secondWarps > count)
        isSum =
            ir.CreateAnd(isSum, ir.CreateICmpSLT(number, kernel.index(count)));
      kernel.ifThenElse(isSum, [&] {
        forEachState(sums,
                     sumIndex(own, ir.CreateNSWAdd(first, number), column),
                     [&](unsigned i, llvm::Type *type, llvm::Value *place) {
                       kernel.storeSlot(kernel.loadSlot(type, place),
                                        staged(i, type, number));
                     });
      });
    }
    kernel.barrier();
    kernel.ifThenElse(isAdder, [&] {
      kernel.loop(kernel.index(0), kernel.index(count), 1,
                  [&](llvm::Value *number) {
                    unsigned i = 0;
                    for (Accumulator &sum : sums) {
                      SmallVector<llvm::Value *, 2> values;
                      for (llvm::Value *v : sum.values()) {
                        values.push_back(kernel.loadSlot(
                            v->getType(), staged(i, v->getType(), number)));
                        ++i;
                      }
                      sum.add(values);
                    }
                  });
    });
    kernel.barrier();
  };
  int64_t whole = rowBlocks / sumsAhead * sumsAhead;
  if (whole)
    kernel.loop(kernel.index(0), kernel.index(whole), sumsAhead,
                [&](llvm::Value *first) { add(first, sumsAhead); });
  if (whole != rowBlocks)
    add(kernel.index(whole), rowBlocks - whole);
  provideSums(emitter, passes.front(), sums);
  kernel.ifThenElse(isAdder, [&] {
    ElementEmitter::Scope scope(emitter);
    emitter.bind(domain.kept, own);
    emitter.bind(domain.last, column);
    storeKeptOutputs(emitter, *this);
  });
}

bool suitsColumnSums(CudaKernelBuilder &kernel) {
  return !kernel.isOfBatch() && ColumnSums(kernel).isSuited();
}

void emitColumnSums(CudaKernelBuilder &kernel) {
  ColumnSums sums(kernel);
  if (kernel.isSecond())
    sums.emitSecond();
  else
    sums.emitFirst();
}

} // namespace zcc::cuda
