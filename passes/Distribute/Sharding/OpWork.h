// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Divides the work of an op among the devices. Along an axis of the mesh that
// shards one of the op's factors they divide it; along any other axis all do
// the same.
#ifndef ZCC_PASSES_DISTRIBUTE_SHARDING_OPWORK_H
#define ZCC_PASSES_DISTRIBUTE_SHARDING_OPWORK_H

#include "passes/Distribute/Sharding/StepSharding.h"

namespace zcc::distribute {

// If other devices repeat more than this share of a model's operations, it is
// reported, and it counts against a plan.
inline constexpr double mostRepeated = 0.1;

// Operations of an op in a step, summed over all devices.
struct OpWork {
  double model = 0;    // of the op, counted once
  double padding = 0;  // on the padding of its dims, counted once
  double repeated = 0; // by all devices that do the same, but one of them
  AxisList over;       // axes along which it is repeated
  double executed() const { return model + padding + repeated; }
};

// Returns the work of an op. `rule`: null if the op has none, and all devices
// do it. Work is not counted if it is computed again later, or if it is on
// elements of neighbors.
OpWork workOf(mlir::Operation *op, const MeshAxes &mesh,
              const train::FactorRule *rule,
              llvm::ArrayRef<FactorShards> factors);

// Returns the work of an op of a step whose sharding is decided.
OpWork workOf(mlir::Operation *op, const MeshAxes &mesh,
              const StepSharding &step);

} // namespace zcc::distribute

#endif
