// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands of products in the form that a library reads: a batch of matrices in
// memory, with one stride each for batches, rows and columns.
#ifndef ZCC_COMPILER_CUDA_PRODUCTOPERAND_H
#define ZCC_COMPILER_CUDA_PRODUCTOPERAND_H

#include "dialects/Train/Train.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include <optional>

namespace zcc::cuda {

/// A batch of matrices in memory. Strides are in elements; that of rows or that
/// of columns is 1.
struct LibraryMatrix {
  mlir::Value memory;
  mlir::Type elementType;
  int64_t batchStride = 0, rowStride = 0, columnStride = 0;
};

/// One side of a dot_general.
struct ProductSide {
  mlir::Value value;
  llvm::SmallVector<int64_t> batching, contracting, free; // dims, in order

  /// `index` is 0 for the left side, 1 for the right side.
  ProductSide(train::DotGeneralOp dot, unsigned index);
  llvm::SmallVector<int64_t> extents(llvm::ArrayRef<int64_t> dims) const;
  int64_t count(llvm::ArrayRef<int64_t> dims) const;
};

using OpSet = llvm::SetVector<mlir::Operation *>;

/// Returns the operand as a matrix of free dims by contracted ones, followed to
/// memory through movement and widening ops in `ops`, which are added to
/// `used`; nullopt if it has no such layout.
std::optional<LibraryMatrix>
readOperand(const ProductSide &side, const OpSet &ops,
            llvm::SmallPtrSetImpl<mlir::Operation *> &used);

/// Returns the movement and widening ops before the operand.
OpSet findMovement(const ProductSide &side);

/// Returns true for a conversion from a 16-bit type to f32, which changes no
/// value.
bool isWidening(mlir::Operation *op);
/// Returns true for f16 and bf16.
bool isNarrow(mlir::Type type);

/// Returns the element type of a tensor.
mlir::Type elementOf(mlir::Value value);

/// Transposes operands in memory that do not have the layout of the library,
/// once for all products that need the same, at the end of `task`; then the
/// library computes all products whose types it supports.
void orderOperands(mlir::func::FuncOp task);

/// Returns the operands that orderOperands() has transposed, which must be
/// stored.
llvm::SmallVector<mlir::Value> getOrdered(train::DotGeneralOp dot);

} // namespace zcc::cuda

#endif
