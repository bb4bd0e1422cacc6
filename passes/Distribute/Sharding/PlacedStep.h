// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The step once everything is decided: the placement in which each value is
// computed, and the one in which each use wants it. Where they differ the value
// is resharded.
#ifndef ZCC_PASSES_DISTRIBUTE_SHARDING_PLACEDSTEP_H
#define ZCC_PASSES_DISTRIBUTE_SHARDING_PLACEDSTEP_H

#include "passes/Distribute/Sharding/StepSharding.h"

namespace zcc::distribute {

struct PlacedStep {
  const MeshAxes &mesh;
  const StepSharding &step; // with the layout of state (StateLayout.h)
  const Partials &partials;

  Placement computed(mlir::Value v) const;
  Placement demanded(mlir::OpOperand &use) const;

  struct Demand {
    Placement to;
    llvm::SmallVector<mlir::OpOperand *> uses;
  };
  // Returns the placements that uses want and that differ from the one in which
  // the value is computed, by first user.
  llvm::SmallVector<Demand> demands(mlir::Value v) const;
};

} // namespace zcc::distribute

#endif
