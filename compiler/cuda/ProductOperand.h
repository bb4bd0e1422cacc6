// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands of products as a library takes them: a batch of matrices in memory,
// one stride each for batches, rows and columns.
#ifndef ZCC_COMPILER_CUDA_PRODUCTOPERAND_H
#define ZCC_COMPILER_CUDA_PRODUCTOPERAND_H

#include "dialects/Train/Train.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include <optional>

namespace zcc::cuda {

/// A batch of matrices in memory; strides in elements, of which that of rows or
/// that of columns is 1.
struct LibraryMatrix {
  mlir::Value memory;
  mlir::Type elementType;
  int64_t batchStride = 0, rowStride = 0, columnStride = 0;
};

/// One side of a dot_general.
struct ProductSide {
  mlir::Value value;
  llvm::SmallVector<int64_t> batching, contracting, free; // dims, in order

  /// `index`: 0 the left one, 1 the right one.
  ProductSide(train::DotGeneralOp dot, unsigned index);
  llvm::SmallVector<int64_t> extents(llvm::ArrayRef<int64_t> dims) const;
  int64_t count(llvm::ArrayRef<int64_t> dims) const;
};

using OpSet = llvm::SetVector<mlir::Operation *>;

/// The operand as a matrix of free dims by contracted ones, followed to memory
/// through movement and widening in `ops`, which `used` then has as well.
/// Nothing where it does not lie like that.
std::optional<LibraryMatrix>
readOperand(const ProductSide &side, const OpSet &ops,
            llvm::SmallPtrSetImpl<mlir::Operation *> &used);

/// The movement and widening before the operand.
OpSet findMovement(const ProductSide &side);

/// Whether an f32 has it from a type of 16 bits, which changes nothing.
bool isWidening(mlir::Operation *op);
/// f16 or bf16.
bool isNarrow(mlir::Type type);

/// Returns the element type of a tensor.
mlir::Type elementOf(mlir::Value value);

/// Transposes in memory what does not lie as a library takes it, once for all
/// products that want it so: in the end of `task`, products of the library's
/// types are the library's.
void orderOperands(mlir::func::FuncOp task);

/// The operands that orderOperands() has transposed: they are stored.
llvm::SmallVector<mlir::Value> getOrdered(train::DotGeneralOp dot);

} // namespace zcc::cuda

#endif
