// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The generator of reductions along rows (RowKernel.cpp), for kernels that have
// these alone, and for those that reduce along columns, too
// (RowColumnsKernel.cpp).
#ifndef ZCC_COMPILER_CUDA_ROWKERNEL_H
#define ZCC_COMPILER_CUDA_ROWKERNEL_H

#include "compiler/codegen/ElementEmitter.h"
#include "compiler/codegen/ReducePlan.h"
#include "compiler/codegen/Reduction.h"
#include "compiler/cuda/CudaKernelBuilder.h"
#include "compiler/cuda/RowColumns.h"

namespace zcc::cuda {

class RowKernel : ReducePlan {
public:
  explicit RowKernel(CudaKernelBuilder &kernel)
      : ReducePlan(kernel.func), kernel(kernel), ir(kernel.ir),
        emitter(kernel, context), extent(domain.last->extent) {}
  /// The rows of a kernel that reduces along columns, too, in blocks of
  /// `blockThreads` threads. emitRows() is called in place of emit().
  RowKernel(CudaKernelBuilder &kernel, const RowColumns &form,
            int64_t blockThreads);
  void emit();

  /// Returns the rows that a block does at a time.
  int64_t rowsOfBlock() const { return blockThreads / rowLanes; }
  /// Reduces the rows from `first` on that a block does at a time; those that
  /// do not exist are left out.
  void emitRows(llvm::Value *first);
  /// Returns the result of a reduction, in all threads of the row.
  llvm::Value *resultOf(mlir::Operation *op) const {
    return reduced.lookup(op);
  }
  /// Emits code for one thread of each row. `body` gets the row's number within
  /// those that the block does at a time.
  void inOneThread(llvm::function_ref<void(llvm::Value *ownRow)> body);
  /// Stores the results that have one element for each row.
  void storeKept();
  bool hasKept() const { return !keptOutputs.empty(); }

private:
  /// The threads that add up a row: one for each of the 16 lanes that
  /// train.reduce prescribes.
  static constexpr int64_t rowLanes = 16;

  using Sums = llvm::SmallVector<Accumulator>;
  // The elements of a row that its team computes at a time, from `first` on.
  struct Chunk {
    llvm::Value *first;
    int64_t count;
  };

  void choose();
  int64_t sharedOf(const Pass &pass) const;
  void placeRows();
  void setTeams();
  void setRow(llvm::Value *first, int64_t unit);
  void emitPasses();
  void emitPass(Pass &pass);
  void emitChunk(Pass &pass, Sums &sums, llvm::Value *r, Chunk chunk);
  void computeElements(Pass &pass, Chunk chunk);
  void addElements(Pass &pass, Sums &sums, Chunk chunk);
  void emitTree(Accumulator &sum);
  void emitSteps(Pass &pass, Sums &sums, llvm::Value *from, int64_t steps);
  void walk(llvm::function_ref<void(llvm::Value *from, int64_t steps)> body);
  void inRow(llvm::function_ref<void()> body);
  // Returns the address of element `at` of a chunk that is staged for the
  // reduction `i` of a pass.
  llvm::Value *stagedAt(Pass &pass, unsigned i, llvm::Value *at);
  llvm::Type *slotTypeOf(mlir::Operation *reduction) const {
    return kernel.slotType(kernel.registerType(
        train::tensorType(reduction->getOperand(0)).getElementType()));
  }
  int64_t chunkElements() const { return team * vector * ahead; }

  CudaKernelBuilder &kernel;
  llvm::IRBuilder<> &ir;
  ElementEmitter emitter;
  const int64_t extent;
  // The threads of a block of rows of half a warp, and the shared memory that
  // leaves room for enough other blocks.
  const int64_t blockThreads = 128, wantedShared = 24 << 10;
  // Threads of a row; elements of a vector, 0 if nothing is staged; vectors
  // that a thread does of a chunk.
  int64_t team = rowLanes, vector = 0, ahead = 1;
  // The row, its number within the block, and the thread's within the team.
  llvm::Value *row, *ownRow, *isRow, *member, *warpLane;
  llvm::DenseMap<mlir::Operation *, llvm::Value *> reduced;
};

} // namespace zcc::cuda

#endif
