// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SequenceFolder small ops of stablehlo and train on constants (the names and
// meanings of their ops agree). Folding is exact: it does only integer
// arithmetic, data movement, and float operations that round once.
#ifndef ZCC_PASSES_IMPORT_CONSTANTFOLD_H
#define ZCC_PASSES_IMPORT_CONSTANTFOLD_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace zcc {

/// The largest constant that folding makes, in bytes.
inline constexpr int64_t foldedBytes = 1024;

/// Returns the value of `v` if it is the result of a constant op, else null.
mlir::DenseElementsAttr getConstant(mlir::Value v);

/// Returns the only result of `op` if its operands have these values (null:
/// unknown); null if the result is not known.
mlir::DenseElementsAttr
foldOp(mlir::Operation *op, llvm::ArrayRef<mlir::DenseElementsAttr> operands);

/// SequenceFolder `op` on the operands that are constant ops; null if that is
/// not possible.
mlir::DenseElementsAttr foldOp(mlir::Operation *op);

/// Returns the constant that every element of `v` has, looking through
/// broadcasts, reshapes and converts; null if there is none.
mlir::Attribute getSplatAttr(mlir::Value v);
bool isZero(mlir::Value v);
/// Returns true if every element is the largest (`sign` +1) or smallest (-1)
/// value of its type; for floats that is an infinity.
bool isExtreme(mlir::Value v, int sign);
bool isExtreme(mlir::Attribute element, int sign);

} // namespace zcc

#endif
