// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the sharding pass decides before it touches the IR: where every op's
// factors are sharded, and which values stay partial. Plain functions on a
// block of ops, in any order.
#ifndef ZCC_PASSES_DISTRIBUTE_PROPAGATION_H
#define ZCC_PASSES_DISTRIBUTE_PROPAGATION_H

#include "passes/Distribute/Placement.h"
#include "llvm/ADT/DenseMap.h"

namespace zcc::dist {

// Per op its factor rule and the axes of its factors.
struct OpSharding {
  train::FactorRule rule;
  FactorAxes axes;

  // Placements that the op demands of an operand and yields for a result,
  // partial only over its own Reduce factors.
  Placement operand(const MeshAxes &mesh, unsigned i) const;
  Placement result(const MeshAxes &mesh, unsigned i) const;
  bool uses(unsigned axis) const;
};

struct StepSharding {
  llvm::DenseMap<mlir::Operation *, OpSharding> ops; // those with factor rules
  llvm::DenseMap<mlir::Value, DimAxes>
      fixed; // arguments, and demands of the user
};

// Carries the shardings in `step.fixed` along the factors of all ops of the
// block.
void propagate(mlir::Block &block, const MeshAxes &mesh, StepSharding &step);

// Values that are partial when they are computed: over which axes, and over
// which of them their users take them so; they are reduced over the others at
// once.
struct Partials {
  struct Entry {
    AxisList axes, kept; // ascending
    train::ReduceKind kind = train::ReduceKind::add;
  };
  llvm::DenseMap<mlir::Value, Entry> values;
};
Partials placePartials(mlir::Block &block, const MeshAxes &mesh,
                       const StepSharding &step);

// Whether the result of `op` is a part of its value, to be combined by `kind`,
// when the operands for which `isPartial` holds are parts of theirs and the
// others are whole.
bool passesPartial(mlir::Operation *op, train::ReduceKind kind,
                   llvm::function_ref<bool(unsigned)> isPartial);

} // namespace zcc::dist

#endif
