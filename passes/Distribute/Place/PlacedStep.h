// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The step once everything is decided: where each value is when it is computed,
// and where each use wants it. What differs is resharded.
#ifndef ZCC_PASSES_DISTRIBUTE_PLACE_PLACEDSTEP_H
#define ZCC_PASSES_DISTRIBUTE_PLACE_PLACEDSTEP_H

#include "passes/Distribute/Place/Propagation.h"

namespace zcc::dist {

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
  // What uses want otherwise than it is computed, by first user.
  llvm::SmallVector<Demand> demands(mlir::Value v) const;
};

} // namespace zcc::dist

#endif
