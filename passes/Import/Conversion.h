// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converts ops of stablehlo and chlo to train, one after the other. Not a
// rewrite driver: one walk, one map of values. Ops are converted by families,
// each in a file: a function that knows its ops by type.
#ifndef ZCC_PASSES_IMPORT_CONVERSION_H
#define ZCC_PASSES_IMPORT_CONVERSION_H

#include "dialects/Train/Train.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "passes/Import/Refusals.h"

namespace zcc {

/// Where the walk stands: what has been converted, and where more is put.
struct Conversion {
  mlir::OpBuilder b;
  /// The function makes initial weights, which have to be JAX's own.
  bool initial;
  mlir::IRMapping map = {};

  mlir::Value in(mlir::Value v) const { return map.lookup(v); }
  /// The value of an op with one result.
  mlir::LogicalResult set(mlir::Operation *op, mlir::Value value) {
    map.map(op->getResult(0), value);
    return mlir::success();
  }
  mlir::Value constant(mlir::Location loc, mlir::Value like, double value) {
    return train::splat(b, loc, like.getType(), value);
  }
};

/// A scalar broadcast to the shape of `like`, if it is one.
inline mlir::Value spread(Conversion &c, mlir::Location loc, mlir::Value v,
                          mlir::Value like) {
  return train::tensorType(v).getRank() == 0
             ? train::splatLike(c.b, loc, v, like)
             : v;
}

/// Nothing if the op is none of the family; else its results are in the map, or
/// an error was reported at the op.
using Converted = std::optional<mlir::LogicalResult>;

/// Constants and ops that move elements.
Converted convertMovement(Conversion &c, mlir::Operation *op);
/// Products and indexed access.
Converted convertProduct(Conversion &c, mlir::Operation *op);
/// Reductions, of windows too, and running ones.
Converted convertReduction(Conversion &c, mlir::Operation *op);
Converted convertSort(Conversion &c, mlir::Operation *op);
/// What is computed element by element by an op of train.
Converted convertElementwise(Conversion &c, mlir::Operation *op);
/// Functions of chlo that train lacks.
Converted convertFunction(Conversion &c, mlir::Operation *op);
/// Calls and shardings: what a text asks for beside arithmetic.
Converted convertRequest(Conversion &c, mlir::Operation *op);

} // namespace zcc

#endif
