// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cost of a sharding of the step in bytes that devices receive. It is small
// and pure; every algorithm that decides where values live asks here.
#ifndef ZCC_PASSES_DISTRIBUTE_ESTIMATE_PLACEMENTCOST_H
#define ZCC_PASSES_DISTRIBUTE_ESTIMATE_PLACEMENTCOST_H

#include "passes/Distribute/Sharding/StepSharding.h"

namespace zcc::distribute {

// Calls `visit` for each collective that moves `v` from one placement to
// another, with its axes and its larger end on a device. Axes that do the same
// go together. A device has `bytes` of the value then. Returns false if the
// move is impossible: no device has what other microbatches compute.
bool forEachMove(
    mlir::Value v, const MeshAxes &mesh, const Placement &from,
    const Placement &to, double bytes,
    llvm::function_ref<void(planning::CollectiveKind, llvm::ArrayRef<unsigned>,
                            double bytes)>
        visit);
// Returns the bytes that a device holds of a value, padding included.
double localBytes(mlir::Value v, const MeshAxes &mesh,
                  const Placement &placement);

// Returns the bytes that a device receives when `v` goes from one placement to
// another; 1e30 or more if that is impossible. Padding is not counted:
// otherwise a row of it could keep a dim whole.
double moveCost(mlir::Value v, const MeshAxes &mesh, const Placement &from,
                const Placement &to);

// Returns the ratio by which the bytes that are moved are narrower than `v`.
// Sums that are only read narrower are narrowed first, and values that were
// made wider are moved before that (WriteShardings.cpp).
double movedShare(mlir::Value v, const Placement &from);

// Returns where a value lives once it is computed, with its own partial sums:
// an argument at its seed, a result where its op leaves it.
Placement producedAt(const StepSharding &step, const MeshAxes &mesh,
                     mlir::Value v);

// Returns the cost of moving `v` from a placement to all its readers, each
// target counted once. The update reads gradients where their parameters are;
// it takes other values where they are, once they are summed up.
double costOf(const StepSharding &step, const MeshAxes &mesh, mlir::Value v,
              const Placement &from);
// The same, from where the value is computed.
double costOf(const StepSharding &step, const MeshAxes &mesh, mlir::Value v);

// Returns the cost of `sharding` for `op`: of moving its operands to it, of
// what it needs of its neighbors (Window.h), and of moving its results to their
// readers. The neighbors are sharded as in the step.
double costOf(const StepSharding &step, const MeshAxes &mesh,
              mlir::Operation *op, const OpSharding &sharding);

} // namespace zcc::distribute

#endif
