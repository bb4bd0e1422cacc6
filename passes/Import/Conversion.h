// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converts ops of stablehlo and chlo to train, one after the other. This is no
// rewrite driver, but one walk with one map of values. Each family of ops has a
// file with a function that converts the ops it knows by type.
#ifndef ZCC_PASSES_IMPORT_CONVERSION_H
#define ZCC_PASSES_IMPORT_CONVERSION_H

#include "dialects/Train/Train.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "passes/Import/Refusals.h"

namespace zcc {

/// The state of the walk: the values converted so far, and the insertion point.
struct Conversion {
  mlir::OpBuilder b;
  /// True if the function makes initial weights, which must equal JAX's.
  bool initial;
  mlir::IRMapping map = {};

  mlir::Value in(mlir::Value v) const { return map.lookup(v); }
  /// Sets the value of an op with one result.
  mlir::LogicalResult set(mlir::Operation *op, mlir::Value value) {
    map.map(op->getResult(0), value);
    return mlir::success();
  }
  mlir::Value constant(mlir::Location loc, mlir::Value like, double value) {
    return train::splat(b, loc, like.getType(), value);
  }
};

/// Returns `v` broadcast to the shape of `like` if it is a scalar, else `v`.
inline mlir::Value spread(Conversion &c, mlir::Location loc, mlir::Value v,
                          mlir::Value like) {
  return train::tensorType(v).getRank() == 0
             ? train::splatLike(c.b, loc, v, like)
             : v;
}

/// nullopt if the op is not of the family. Else its results are in the map, or
/// an error was reported at the op.
using Converted = std::optional<mlir::LogicalResult>;

/// Converts constants and ops that move elements.
Converted convertMovement(Conversion &c, mlir::Operation *op);
/// Converts products and indexed access.
Converted convertProduct(Conversion &c, mlir::Operation *op);
/// Converts reductions, reductions of windows, and running ones.
Converted convertReduction(Conversion &c, mlir::Operation *op);
Converted convertSort(Conversion &c, mlir::Operation *op);
/// Converts generators of random bits, whose bits are those of JAX on CPUs.
Converted convertRandom(Conversion &c, mlir::Operation *op);
/// Converts elementwise ops that have an op of train.
Converted convertElementwise(Conversion &c, mlir::Operation *op);
/// Converts functions of chlo that train lacks.
Converted convertFunction(Conversion &c, mlir::Operation *op);
/// Converts calls and shardings: requests of the input beside arithmetic.
Converted convertRequest(Conversion &c, mlir::Operation *op);

} // namespace zcc

#endif
