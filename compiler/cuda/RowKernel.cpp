// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits kernels with reductions along rows. A team of threads does a row: half
// a warp, so that a block does eight rows, or all threads of a block if rows
// are few and long. The team computes a chunk of the row, each thread as many
// neighboring elements as 16 bytes hold, and stages the reduced elements in
// shared memory. From there sixteen threads, one for each of the 16 lanes that
// train.reduce prescribes, add it up; shuffles combine the lanes by its tree.
// Rows of half a warp whose extent is odd, or whose chunks need too much shared
// memory, are read an element at a time, without staging.
#include "compiler/cuda/RowKernel.h"
#include "compiler/cuda/Generators.h"
#include "compiler/cuda/ReduceSteps.h"
#include "llvm/IR/Intrinsics.h"

using namespace mlir;

namespace zcc::cuda {

namespace {

// The threads of a block that does one row.
constexpr int64_t longThreads = 256;
// The threads that occupy a device, and the least extent of a row that gets a
// block.
constexpr int64_t rowWantedThreads = 1 << 14, longRow = 512;
// The most vectors that a thread loads before it stores the first one, and the
// elements that it adds up at a time.
constexpr int64_t vectorsAhead = 4, elementsAhead = 8;
// The number of steps whose elements are loaded before the first one is added,
// without staging.
constexpr int64_t rowsAhead = 4;
// The shared memory of a block that has a multiprocessor for itself, but for
// the results of its rows.
constexpr int64_t loneShared = 40 << 10;

} // namespace

RowKernel::RowKernel(CudaKernelBuilder &kernel, const RowColumns &form,
                     int64_t blockThreads)
    : ReducePlan(kernel.func, form.rows, form.rowOutputs), kernel(kernel),
      ir(kernel.ir), emitter(kernel, context), extent(domain.last->extent),
      blockThreads(blockThreads), wantedShared(loneShared) {
  choose();
  setTeams();
}

// Emits code for the threads of rows only; shuffles and barriers need all
// threads.
void RowKernel::inRow(llvm::function_ref<void()> body) {
  kernel.ifThenElse(isRow, [&] {
    ElementEmitter::Scope scope(emitter);
    emitter.bind(domain.kept, row);
    body();
  });
}

// ---------------------------------------------------------------- staged rows

// Returns the bytes of shared memory that the chunks of a pass need. Those of
// neighboring rows are 16 elements apart, so that their banks differ.
int64_t RowKernel::sharedOf(const Pass &pass) const {
  int64_t rows = team == rowLanes ? blockThreads / rowLanes : 1, bytes = 0;
  for (Operation *op : pass.reductions)
    bytes += rows * (chunkElements() + rowLanes) *
             int64_t(slotTypeOf(op)->getPrimitiveSizeInBits() / 8);
  return bytes;
}

// Chooses the team, the vectors and the chunk.
void RowKernel::choose() {
  bool isLong =
      domain.kept->extent * rowLanes < rowWantedThreads && extent >= longRow;
  int64_t full =
      domain.kept->extent * domain.outerReduced->extent * extent;
  int64_t widest = lanesOf16Bytes(kernel.func, full);
  while (widest > 1 && extent % widest != 0)
    widest /= 2;
  for (int64_t threads : {longThreads, rowLanes}) {
    if (threads == longThreads && !isLong)
      continue;
    team = threads;
    for (vector = widest; vector >= 1; vector /= 2) {
      // Each thread should have a part of a short row. Half a warp reads
      // single elements as well without staging.
      if ((vector > 1 && vector * team > extent) ||
          (vector == 1 && team == rowLanes))
        continue;
      for (ahead = vectorsAhead; ahead >= 1; ahead /= 2) {
        auto fits = [&](const Pass &pass) {
          return sharedOf(pass) <= wantedShared;
        };
        if ((ahead == 1 || chunkElements() <= extent) &&
            llvm::all_of(passes, fits))
          return;
      }
    }
  }
  vector = 0;
}

llvm::Value *RowKernel::stagedAt(Pass &pass, unsigned i, llvm::Value *at) {
  Operation *op = pass.reductions[i];
  int64_t rows = blockThreads / rowLanes, stride = chunkElements();
  if (team == rowLanes)
    stride += rowLanes;
  else
    rows = 1;
  llvm::Type *type = slotTypeOf(op);
  llvm::Value *memory = kernel.sharedSlot(
      i, rows * stride * type->getPrimitiveSizeInBits() / 8);
  if (rows > 1)
    at = ir.CreateNSWAdd(at, ir.CreateNSWMul(ownRow, kernel.index(stride)));
  return ir.CreateGEP(type, memory, at);
}

// Computes the elements of this thread in a chunk: stages what the reductions
// read, and stores outputs after all loads.
void RowKernel::computeElements(Pass &pass, Chunk chunk) {
  llvm::SmallVector<std::function<void()>> stores;
  auto compute = [&](int64_t k) {
    llvm::Value *at = ir.CreateNSWMul(
        ir.CreateNSWAdd(member, kernel.index(k * team)), kernel.index(vector));
    emitter.bindLanes(domain.last, ir.CreateNSWAdd(chunk.first, at));
    for (auto [i, op] : llvm::enumerate(pass.reductions)) {
      llvm::Value *x = kernel.toLanes(
          emitter.emit(op->getOperand(0), domain.operandIndex(context, op)));
      stores.push_back([this, &pass, i = unsigned(i), x, at] {
        kernel.storeSlot(x, stagedAt(pass, i, at));
      });
    }
    for (unsigned i : pass.outputs) {
      llvm::Value *x = emitOutput(emitter, *this, i);
      llvm::Value *position = emitter.scalarIndex(domain.fullLinear);
      stores.push_back([this, i, x, position] {
        kernel.storeVector(x, kernel.result(i), position, nullptr,
                           /*whole=*/true);
      });
    }
  };
  auto store = [&] {
    for (auto &one : stores)
      one();
    stores.clear();
  };
  kernel.withLanes(vector, [&] {
    int64_t step = team * vector, whole = chunk.count / step;
    for (int64_t k = 0; k < whole; ++k) {
      ElementEmitter::Scope scope(emitter);
      compute(k);
    }
    store();
    if (int64_t rest = chunk.count % step)
      kernel.ifThenElse(
          ir.CreateICmpSLT(member, kernel.index(rest / vector)), [&] {
            ElementEmitter::Scope scope(emitter);
            compute(whole);
            store();
          });
  });
}

// Adds this thread's lane of a chunk, which is staged.
void RowKernel::addElements(Pass &pass, Sums &sums, Chunk chunk) {
  auto add = [&](llvm::Value *from, int64_t steps) {
    SmallVector<SmallVector<llvm::Value *>> staged(steps);
    auto at = [&](int64_t k) {
      return ir.CreateNSWAdd(from, kernel.index(k * rowLanes));
    };
    for (int64_t k = 0; k < steps; ++k)
      for (auto [i, sum] : llvm::enumerate(sums))
        staged[k].push_back(kernel.loadSlot(sum.values().front()->getType(),
                                            stagedAt(pass, i, at(k))));
    for (int64_t k = 0; k < steps; ++k) {
      ElementEmitter::Scope scope(emitter);
      emitter.bind(domain.last, ir.CreateNSWAdd(chunk.first, at(k)));
      for (auto [i, op] : llvm::enumerate(pass.reductions)) {
        llvm::Value *position = nullptr;
        if (auto arg = dyn_cast<train::ArgReduceOp>(op))
          position = emitter.vectorIndex(
              domain.operandIndex(context, op)[arg.getDim()]);
        sums[i].add(staged[k][i], position, nullptr);
      }
    }
  };
  int64_t wide = elementsAhead * rowLanes, whole = chunk.count / wide * wide;
  if (whole)
    kernel.loop(member, kernel.index(whole), wide,
                [&](llvm::Value *from) { add(from, elementsAhead); });
  if (whole != chunk.count)
    kernel.loop(ir.CreateNSWAdd(member, kernel.index(whole)),
                kernel.index(chunk.count), rowLanes,
                [&](llvm::Value *from) { add(from, 1); });
}

void RowKernel::emitChunk(Pass &pass, Sums &sums, llvm::Value *r, Chunk chunk) {
  inRow([&] {
    emitter.bind(domain.outerReduced, r);
    computeElements(pass, chunk);
  });
  if (sums.empty())
    return;
  kernel.barrier();
  llvm::Value *isLane =
      ir.CreateICmpSLT(member, kernel.index(rowLanes));
  kernel.ifThenElse(ir.CreateAnd(isRow, isLane), [&] {
    ElementEmitter::Scope scope(emitter);
    emitter.bind(domain.kept, row);
    emitter.bind(domain.outerReduced, r);
    addElements(pass, sums, chunk);
  });
  kernel.barrier();
}

// ------------------------------------------------------------ rows unstaged

// Adds `steps` groups of lanes, from the element `from` on.
void RowKernel::emitSteps(Pass &pass, Sums &sums, llvm::Value *from,
                          int64_t steps) {
  emitReduceSteps(emitter, *this, pass, sums, steps, [&](int64_t k) {
    emitter.bind(domain.last,
                 ir.CreateNSWAdd(from, kernel.index(k * rowLanes)));
  });
}

// Emits all steps of this thread along the row.
void RowKernel::walk(llvm::function_ref<void(llvm::Value *, int64_t)> body) {
  int64_t wide = rowsAhead * rowLanes;
  auto along = [&] {
    int64_t whole = extent / wide * wide;
    if (whole)
      kernel.loop(member, kernel.index(whole), wide,
                  [&](llvm::Value *j) { body(j, rowsAhead); });
    if (whole != extent)
      kernel.loop(ir.CreateNSWAdd(member, kernel.index(whole)),
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

// ---------------------------------------------------------------- kernel

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
  Sums sums;
  for (Operation *op : pass.reductions)
    sums.emplace_back(kernel, op).reset();
  if (vector == 0)
    inRow([&] {
      walk([&](llvm::Value *from, int64_t steps) {
        emitSteps(pass, sums, from, steps);
      });
    });
  else
    kernel.loop(kernel.index(0), kernel.index(domain.outerReduced->extent), 1,
                [&](llvm::Value *r) {
                  ElementEmitter::Scope scope(emitter);
                  int64_t whole = extent / chunkElements() * chunkElements();
                  if (whole)
                    kernel.loop(kernel.index(0), kernel.index(whole),
                                chunkElements(), [&](llvm::Value *first) {
                                  emitChunk(pass, sums, r,
                                            {first, chunkElements()});
                                });
                  if (whole != extent)
                    emitChunk(pass, sums, r,
                              {kernel.index(whole), extent - whole});
                });
  for (auto [i, sum] : llvm::enumerate(sums)) {
    emitTree(sum);
    llvm::Value *v = sum.lanes();
    if (team == rowLanes) {
      // Lane 0 has the sum; the others' may differ in the sign of a zero.
      v = kernel.shuffle(v, ir.CreateAnd(warpLane, ir.getInt32(-rowLanes)));
    } else {
      llvm::Type *type = v->getType();
      llvm::Value *place = kernel.sharedSlot(
          sums.size() + i, kernel.slotType(type)->getPrimitiveSizeInBits() / 8);
      kernel.ifThenElse(ir.CreateICmpEQ(member, kernel.index(0)),
                        [&] { kernel.storeSlot(v, place); });
      kernel.barrier();
      v = kernel.loadSlot(type, place);
      // All must have read before another pass or sum writes to the same
      // memory.
      kernel.barrier();
    }
    reduced[pass.reductions[i]] = v;
    emitter.provide(pass.reductions[i]->getResult(0),
                    [v](const train::ElementIndex &) { return v; });
  }
}

void RowKernel::placeRows() {
  int64_t rows = domain.kept->extent;
  setTeams();
  if (team != rowLanes) {
    kernel.setBlocks(rows, team);
    row = kernel.block();
    isRow = ir.getTrue();
    return;
  }
  kernel.setBlocks(llvm::divideCeil(rows, rowsOfBlock()), blockThreads);
  setRow(ir.CreateNSWMul(kernel.block(), kernel.index(rowsOfBlock())),
         rowsOfBlock());
}

void RowKernel::setTeams() {
  llvm::Type *i64 = ir.getInt64Ty();
  llvm::Value *thread = kernel.thread();
  warpLane = ir.CreateAnd(thread, ir.getInt32(warpThreads - 1));
  if (team != rowLanes) {
    member = ir.CreateZExt(thread, i64);
    ownRow = kernel.index(0);
    return;
  }
  member = ir.CreateZExt(ir.CreateAnd(thread, ir.getInt32(rowLanes - 1)), i64);
  ownRow = ir.CreateZExt(ir.CreateUDiv(thread, ir.getInt32(rowLanes)), i64);
}

// Sets the row of this thread, where `first` is the first one of those that the
// block does at a time. Blocks do multiples of `unit` rows.
void RowKernel::setRow(llvm::Value *first, int64_t unit) {
  row = ir.CreateNSWAdd(first, ownRow);
  isRow = domain.kept->extent % unit == 0
              ? static_cast<llvm::Value *>(ir.getTrue())
              : ir.CreateICmpULT(row, kernel.index(domain.kept->extent));
}

void RowKernel::emitRows(llvm::Value *first) {
  setRow(first, columnBlock);
  emitPasses();
}

void RowKernel::inOneThread(
    llvm::function_ref<void(llvm::Value *ownRow)> body) {
  kernel.ifThenElse(
      ir.CreateAnd(isRow, ir.CreateICmpEQ(member, kernel.index(0))),
      [&] { body(ownRow); });
}

void RowKernel::storeKept() {
  // A result of the reduced shape may reuse memory that other threads still
  // read.
  kernel.barrier();
  isRow = ir.CreateAnd(isRow, ir.CreateICmpEQ(member, kernel.index(0)));
  inRow([&] { storeKeptOutputs(emitter, *this); });
}

void RowKernel::emitPasses() {
  for (Pass &pass : passes) {
    ElementEmitter::Scope scope(emitter);
    emitPass(pass);
  }
}

void RowKernel::emit() {
  choose();
  placeRows();
  emitPasses();
  if (!keptOutputs.empty())
    storeKept();
}

LogicalResult emitRowKernel(CudaKernelBuilder &kernel) {
  RowKernel(kernel).emit();
  return success();
}

} // namespace zcc::cuda
