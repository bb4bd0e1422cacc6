// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which sets of ops are one product of a library, cublasLtMatmul: one
// dot_general of matrices in memory, whatever the order of their dims, its
// result in memory row-major. The result may be rounded to the operands' type,
// as the library does from its sum, or, in f32, get a bias that is in memory;
// nothing else is done to it (docs/decisions/0033-epilogues-of-products.md).
#ifndef ZCC_COMPILER_CUDA_LIBRARYPRODUCT_H
#define ZCC_COMPILER_CUDA_LIBRARYPRODUCT_H

#include "compiler/cuda/ProductOperand.h"
#include <optional>
#include <string>

namespace zcc::cuda {

/// result[b, i, j] = sum over k of left[b, i, k] right[b, k, j], plus bias[j]
struct LibraryProduct {
  int64_t batches = 1, rows = 1, columns = 1, steps = 1; // positive
  LibraryMatrix left, right, result;
  mlir::Value bias; // null: none
};

/// `ops` in any order, with the one output. Nothing if it is none.
std::optional<LibraryProduct>
findLibraryProduct(llvm::ArrayRef<mlir::Operation *> ops,
                   llvm::ArrayRef<mlir::Value> outputs);

/// A serialized rt::format::Kernel with the product of a kernel that is one,
/// its buffers the arguments and the result. `asTf32`: operands in f32 may be
/// rounded to tf32.
std::optional<std::string> buildProduct(mlir::func::FuncOp kernel,
                                        bool asTf32 = false);

} // namespace zcc::cuda

#endif
