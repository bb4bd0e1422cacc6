// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds sets of ops that are one product of a library, cublasLtMatmul: one
// dot_general of matrices in memory, whatever the order of their dims, its
// result in memory row-major. The sum may get a bias that is in memory in the
// result's type, and be rounded to the operands' type; no other ops are
// included (docs/decisions/cuda/0033-epilogues-of-products.md).
#ifndef ZCC_COMPILER_CUDA_LIBRARYPRODUCT_H
#define ZCC_COMPILER_CUDA_LIBRARYPRODUCT_H

#include "compiler/cuda/ProductOperand.h"
#include <optional>
#include <string>

namespace zcc::cuda {

/// A product: result[b, i, j] = sum over k of left[b, i, k] right[b, k, j],
/// plus bias[j].
struct LibraryProduct {
  int64_t batches = 1, rows = 1, columns = 1, steps = 1; // positive
  LibraryMatrix left, right, result;
  mlir::Value bias; // null: none
};

/// Returns the product that `ops`, in any order, compute with the single
/// output; nullopt if they are none.
std::optional<LibraryProduct>
findLibraryProduct(llvm::ArrayRef<mlir::Operation *> ops,
                   llvm::ArrayRef<mlir::Value> outputs);

/// Returns a serialized rt::format::Kernel with the product of a kernel, whose
/// buffers are the arguments and the result; nullopt if it is no product of the
/// library. `asTf32` allows it to round operands in f32 to tf32.
std::optional<std::string> buildProduct(mlir::func::FuncOp kernel,
                                        bool asTf32 = false);

} // namespace zcc::cuda

#endif
