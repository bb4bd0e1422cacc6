// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The generator of reductions along columns in two launches
// (ColumnSumsKernel.cpp), for kernels that have these alone, and for those that
// reduce along rows, too (RowColumnsKernel.cpp).
#ifndef ZCC_COMPILER_CUDA_COLUMNSUMSKERNEL_H
#define ZCC_COMPILER_CUDA_COLUMNSUMSKERNEL_H

#include "compiler/codegen/ElementEmitter.h"
#include "compiler/codegen/ReducePlan.h"
#include "compiler/codegen/Reduction.h"
#include "compiler/cuda/CudaKernelBuilder.h"
#include "compiler/cuda/RowColumns.h"

namespace zcc::cuda {

class ColumnSums : ReducePlan {
public:
  explicit ColumnSums(CudaKernelBuilder &kernel)
      : ReducePlan(kernel.func), kernel(kernel), ir(kernel.ir),
        emitter(kernel, context), rows(domain.outerReduced->extent),
        columns(domain.last->extent), outer(domain.kept->extent),
        rowBlocks(llvm::divideCeil(rows, columnBlock)) {}
  /// The columns of a kernel that reduces along rows, too, and the outputs that
  /// have the shape of the reduced tensors.
  ColumnSums(CudaKernelBuilder &kernel, const RowColumns &form);
  bool isSuited();
  void emitFirst();
  void emitSecond();

  using Sums = std::vector<Accumulator>;
  Sums makeSums() {
    Sums sums;
    for (mlir::Operation *op : passes.front().reductions)
      sums.emplace_back(kernel, op).reset();
    return sums;
  }
  /// Adds the rows [from, to) of the columns from `column` on, as many as there
  /// are lanes, to `sums`, and stores outputs of their elements.
  void addBlock(Sums &sums, llvm::Value *column, llvm::Value *from,
                llvm::Value *to);
  /// Writes the sums of a block of 64 rows to scratch.
  void writeBlock(Sums &sums, llvm::Value *block, llvm::Value *column);
  /// Makes `op`, a reduction of the row whose element is computed, have the
  /// value that `load` returns.
  void provideRow(mlir::Operation *op,
                  std::function<llvm::Value *(llvm::Value *row)> load);

private:
  // Adds the rows [from, to) of the bound columns.
  void addRows(Sums &sums, llvm::Value *from, llvm::Value *to);
  void writeSums(Sums &sums, llvm::Value *at);
  llvm::Value *toIndex(llvm::Value *thread) {
    return ir.CreateZExt(thread, ir.getInt64Ty());
  }
  // Calls `body` for each value of the state of `sums`, with its type in
  // memory and the address of element `at` of the scratch of such values.
  void forEachState(
      Sums &sums, llvm::Value *at,
      llvm::function_ref<void(unsigned i, llvm::Type *type, llvm::Value *place)>
          body);
  // Returns the place of the sums of a block of rows in scratch.
  llvm::Value *sumIndex(llvm::Value *own, llvm::Value *block,
                        llvm::Value *column) {
    llvm::Value *line =
        ir.CreateNSWAdd(ir.CreateNSWMul(own, kernel.index(rowBlocks)), block);
    return ir.CreateNSWAdd(ir.CreateNSWMul(line, kernel.index(columns)),
                           column);
  }
  int64_t sumCount() const { return outer * rowBlocks * columns; }
  static int64_t bytesOf(llvm::Type *type) {
    return type->getScalarSizeInBits() / 8;
  }

  CudaKernelBuilder &kernel;
  llvm::IRBuilder<> &ir;
  ElementEmitter emitter;
  const int64_t rows, columns, outer, rowBlocks;
};

} // namespace zcc::cuda

#endif
