// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Computes ops of stablehlo for all trips of a loop at once, as jax.vmap does:
// values that differ among trips get a first dim for the trips.
#ifndef ZCC_PASSES_IMPORT_BATCHOPS_H
#define ZCC_PASSES_IMPORT_BATCHOPS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseSet.h"

namespace zcc {

/// Copies ops to the place of a builder. Values that it has not seen stay as
/// they are.
class OpBatcher {
public:
  OpBatcher(mlir::OpBuilder b, int64_t trips) : b(b), trips(trips) {}

  /// Says that `one`, which differs among trips, is `all` with the trips as
  /// the first dim.
  void set(mlir::Value one, mlir::Value all) {
    map.map(one, all);
    batched.insert(all);
  }
  /// Says that `counter` is the number of the trip, and `all` these numbers.
  void setCounter(mlir::Value counter, mlir::Value all) {
    set(counter, all);
    counters.insert(all);
  }

  /// Returns failure if the op cannot be computed for all trips at once; ops
  /// may have been made.
  mlir::LogicalResult add(mlir::Operation &op);

  /// Returns the value for all trips.
  mlir::Value all(mlir::Value one);

private:
  mlir::OpBuilder b;
  int64_t trips;
  mlir::IRMapping map;
  llvm::DenseSet<mlir::Value> batched, counters;

  mlir::Value in(mlir::Value v) const { return map.lookupOrDefault(v); }
  bool differs(mlir::Value one) const { return batched.contains(in(one)); }
};

} // namespace zcc

#endif
