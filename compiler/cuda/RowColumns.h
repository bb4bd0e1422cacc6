// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that reduce one matrix along its rows and along its columns, a form
// that only GPUs have (compiler/codegen/KernelForm.h has the others). An
// example is the gradient of a normalization: sums along the rows give the
// cotangent of its input, sums along the columns those of scale and bias, and
// all of them read the same tensors.
#ifndef ZCC_COMPILER_CUDA_ROWCOLUMNS_H
#define ZCC_COMPILER_CUDA_ROWCOLUMNS_H

#include "compiler/cuda/CudaKernelBuilder.h"
#include <optional>

namespace zcc::cuda {

struct RowColumns {
  /// The extents of the matrix.
  int64_t rowCount, columnCount;
  /// The reductions, in program order. Those along columns may depend on those
  /// along rows, in the same row.
  llvm::SmallVector<mlir::Operation *> rows, columns;
  /// The numbers of the outputs that have an element for each row, for each
  /// column, and for each element of the matrix.
  llvm::SmallVector<unsigned> rowOutputs, columnOutputs, fullOutputs;
  /// The operations of one execution, as in exec::KernelForm.
  double work = 0;
};

/// Returns the reductions of a kernel with the ops and outputs, which are loop
/// ops beside reductions of both kinds. Returns nullopt if the ops are no such
/// kernel, or if a block for each 64 rows would not occupy a device: then two
/// kernels read the tensors faster than one.
std::optional<RowColumns> findRowColumns(llvm::ArrayRef<mlir::Operation *> ops,
                                         llvm::ArrayRef<mlir::Value> outputs);
std::optional<RowColumns> findRowColumns(mlir::func::FuncOp kernel);

/// Emits such a kernel, as the generators of Generators.h do.
void emitRowColumns(CudaKernelBuilder &kernel, const RowColumns &form);

} // namespace zcc::cuda

#endif
