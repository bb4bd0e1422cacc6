// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gradients of queries, keys and values that are parts of one tensor. Attention
// then writes its results to their places in that tensor.
#ifndef ZCC_COMPILER_CUDA_JOINEDGRADIENTS_H
#define ZCC_COMPILER_CUDA_JOINEDGRADIENTS_H

#include "dialects/Train/Train.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace zcc::cuda {

/// Replaces sums of padded results of an attention's gradient by their
/// concatenation, if each element of the sum is in one of the results. The bits
/// stay, except that a result of -0 is not made +0.
void joinGradients(mlir::func::FuncOp task);

/// Returns the operands of a product, or the values that they are views of,
/// that are concatenations of an attention's results and must be stored.
llvm::SmallVector<mlir::Value> getJoined(train::DotGeneralOp dot);

} // namespace zcc::cuda

#endif
