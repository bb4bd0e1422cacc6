// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ZCC_COMPILER_CUDA_PLACESELECTION_H
#define ZCC_COMPILER_CUDA_PLACESELECTION_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace zcc::cuda {

/// Replaces scatters that put one number into each row of zeros by arithmetic
/// on each element: the number where its position is the row's index, else 0.
/// Kernels compute that on the way, so that the rows of zeros are never in
/// memory. Results are the same bits.
void selectPlaces(mlir::func::FuncOp task);

} // namespace zcc::cuda

#endif
