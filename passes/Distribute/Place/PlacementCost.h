// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a sharding of the step costs: bytes that devices receive. Small and
// pure; every algorithm that decides where values live asks here.
#ifndef ZCC_PASSES_DISTRIBUTE_PLACE_PLACEMENTCOST_H
#define ZCC_PASSES_DISTRIBUTE_PLACE_PLACEMENTCOST_H

#include "passes/Distribute/Place/Propagation.h"

namespace zcc::dist {

// The collectives that bring `v` from one placement to another, where a device
// then has `bytes` of it, axes that do the same together: `visit` gets each
// with its axes and its larger end on a device. False where that cannot be:
// what other microbatches compute cannot be had.
bool forEachMove(
    mlir::Value v, const MeshAxes &mesh, const Placement &from,
    const Placement &to, double bytes,
    llvm::function_ref<void(planning::CollectiveKind, llvm::ArrayRef<unsigned>,
                            double bytes)>
        visit);
// Bytes that a device holds of a value, padding included.
double localBytes(mlir::Value v, const MeshAxes &mesh,
                  const Placement &placement);

// Bytes that a device receives when `v` goes from one placement to another,
// padding not counted, lest a row of it keep a dim whole;
// 1e30 and more where that cannot be.
double moveCost(mlir::Value v, const MeshAxes &mesh, const Placement &from,
                const Placement &to);

// Where a value lives once it is computed, its own partial sums included: an
// argument where its seed is, a result where its op leaves it.
Placement producedAt(const StepSharding &step, const MeshAxes &mesh,
                     mlir::Value v);

// What it costs to bring `v` from a placement to all that read it, each place
// once. The update reads gradients where their parameters are, and takes other
// values as they are once they are summed up.
double costOf(const StepSharding &step, const MeshAxes &mesh, mlir::Value v,
              const Placement &from);
// From where it is computed.
double costOf(const StepSharding &step, const MeshAxes &mesh, mlir::Value v);

// What `sharding` of `op` costs: its operands on the way to it, what it needs
// of its neighbors (Window.h), its results on the way to their readers. Its
// neighbors are as the step has them.
double costOf(const StepSharding &step, const MeshAxes &mesh,
              mlir::Operation *op, const OpSharding &sharding);

// Of all ops of the block before the update, sums reduced where that costs
// least (Partials.cpp).
double totalCost(const StepSharding &step, const MeshAxes &mesh,
                 mlir::Block &block);

} // namespace zcc::dist

#endif
