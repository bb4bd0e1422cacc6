// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Propagates shardings through a block of ops, before the IR is touched:
// decides where every op's factors are sharded, and which values stay partial.
// The functions do not depend on the order of the ops.
#ifndef ZCC_PASSES_DISTRIBUTE_PLACE_PROPAGATION_H
#define ZCC_PASSES_DISTRIBUTE_PLACE_PROPAGATION_H

#include "passes/Distribute/Sharding/StepSharding.h"

namespace zcc::distribute {

// Carries the seeds along the factors of all ops of the block.
void propagate(mlir::Block &block, const MeshAxes &mesh, const DimUnits &units,
               StepSharding &step);

// Decides the partial values. Without `keep`, values are reduced where they are
// computed, over devices.
Partials placePartials(mlir::Block &block, const MeshAxes &mesh,
                       const StepSharding &step, bool keep = true);

// Sums over an axis that are scattered before anything else carries the axis
// there. Partial values that are added up anyway are scattered once, as their
// sum, if that is strictly less to send.
struct ScatteredSums {
  llvm::SmallVector<mlir::Value> values; // in the order of the block
  // Ops that add partial values and leave partial ones: they do not carry the
  // axis.
  llvm::DenseSet<mlir::Operation *> adders;
};
// Finds the sums to scatter. Those for which `canScatter` is false would be
// reduced as a whole.
ScatteredSums placeScatters(mlir::Block &block, const MeshAxes &mesh,
                            const StepSharding &step, unsigned axis,
                            llvm::function_ref<bool(mlir::Value)> canScatter);

// Returns true if the result of `op` is a partial value, to be combined by
// `kind`, when the operands for which `isPartial` holds are partial and the
// others are whole.
bool passesPartial(mlir::Operation *op, train::ReduceKind kind,
                   llvm::function_ref<bool(unsigned)> isPartial);

} // namespace zcc::distribute

#endif
