// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Biases of products in 16 bits. The graph rounds such a product, adds the bias
// in f32 and rounds the sum; cuBLASLt adds a bias in the result's type to the
// product's f32 sum and rounds once
// (docs/decisions/cuda/0066-biases-in-16-bits.md).
#ifndef ZCC_COMPILER_CUDA_PRODUCTBIAS_H
#define ZCC_COMPILER_CUDA_PRODUCTBIAS_H

#include "dialects/Train/Train.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace zcc::cuda {

/// Rounds biases in place of products, where a product is read by the sum with
/// its bias alone, and the sum is rounded: a product's f32 result plus the
/// rounded bias, which is a vector with an element for each column, is rounded
/// once. This changes roundings.
void roundBiases(mlir::func::FuncOp task);

/// Returns the rounded bias of a product that roundBiases() has changed, which
/// must be in memory; null for other products.
mlir::Value getRoundedBias(train::DotGeneralOp dot);

/// Returns true if the value is the rounded sum of a product and its rounded
/// bias. The library's call stores it, so that readers find it in memory.
bool isBiasedProduct(mlir::Value value);

/// Returns the f32 sum of a product and its rounded bias if `op` rounds it;
/// else null. The library's call never stores it.
mlir::Value getBiasedProduct(mlir::Operation *op);

} // namespace zcc::cuda

#endif
