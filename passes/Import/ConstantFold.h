// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds small ops on constants, of stablehlo and of train alike (their names
// and meanings agree). Exact: only integer arithmetic, data movement, and float
// operations that are rounded once.
#ifndef ZCC_PASSES_IMPORT_CONSTANTFOLD_H
#define ZCC_PASSES_IMPORT_CONSTANTFOLD_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace zcc {

/// The largest constant that folding makes, in bytes.
inline constexpr int64_t foldedBytes = 1024;

/// The value of `v` if it is the result of a constant op, else null.
mlir::DenseElementsAttr getConstant(mlir::Value v);

/// The only result of `op` if its operands have these values (null: unknown),
/// or null if that is not known.
mlir::DenseElementsAttr
foldOp(mlir::Operation *op, llvm::ArrayRef<mlir::DenseElementsAttr> operands);

/// Folds `op` on operands that are constant ops.
mlir::DenseElementsAttr foldOp(mlir::Operation *op);

/// The constant that every element of `v` is: through broadcasts, reshapes and
/// converts. Null if there is none.
mlir::Attribute getSplatAttr(mlir::Value v);
bool isZero(mlir::Value v);
/// Every element is the largest (`sign` +1) or smallest (-1) value of its type:
/// infinity for floats.
bool isExtreme(mlir::Value v, int sign);
bool isExtreme(mlir::Attribute element, int sign);

} // namespace zcc

#endif
