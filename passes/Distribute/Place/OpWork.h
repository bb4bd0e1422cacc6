// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whose work an op's is: along each axis of the mesh its devices divide it,
// where the axis shards one of its factors, or all do the same.
#ifndef ZCC_PASSES_DISTRIBUTE_PLACE_OPWORK_H
#define ZCC_PASSES_DISTRIBUTE_PLACE_OPWORK_H

#include "passes/Distribute/Place/Propagation.h"

namespace zcc::dist {

// More than this share of a model's operations, done again by other devices, is
// worth a word, and counts against a plan.
inline constexpr double mostRepeated = 0.1;

// Operations in a step, of all devices: together what is executed.
struct OpWork {
  double model = 0;    // of the op, once
  double padding = 0;  // on what pads its dims, once
  double repeated = 0; // what more than one device does, but for one of them
  AxisList over;       // axes along which that is
  double executed() const { return model + padding + repeated; }
};

// `rule`: null if the op has none, and is done by all devices. What is computed
// again later, and what an op computes of its neighbors' elements, is not in
// it.
OpWork workOf(mlir::Operation *op, const MeshAxes &mesh,
              const train::FactorRule *rule,
              llvm::ArrayRef<FactorShards> factors);

// Of an op of a step that is decided.
OpWork workOf(mlir::Operation *op, const MeshAxes &mesh,
              const StepSharding &step);

} // namespace zcc::dist

#endif
