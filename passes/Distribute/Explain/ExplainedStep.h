// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A step that is explained: what was decided of it, why, and what it costs.
#ifndef ZCC_PASSES_DISTRIBUTE_EXPLAIN_EXPLAINEDSTEP_H
#define ZCC_PASSES_DISTRIBUTE_EXPLAIN_EXPLAINEDSTEP_H

#include "passes/Distribute/Explain/ExplainTrials.h"
#include "passes/Distribute/Explain/TellOrigins.h"

namespace zcc::dist {

struct ExplainedStep {
  // Of a module of phase `step` after buildMeshPipeline().
  ExplainedStep(mlir::ModuleOp module, const DistributeOptions &options);
  // Decides the step's shardings. Reports errors.
  mlir::LogicalResult decide();

  const MeshAxes &mesh() const { return trials.mesh(); }
  PlacedStep placed() const { return {mesh(), decided.step, decided.partials}; }
  OriginTexts originTexts() const { return {mesh(), *origins, mixed}; }

  StepTrials trials;
  // Pins are those of a mixture that was chosen, not of a plan's file.
  bool mixed;
  std::shared_ptr<ShardingOrigins> origins =
      std::make_shared<ShardingOrigins>();
  DecidedSharding decided;
  StepCost::Figures figures; // of what was decided
};

} // namespace zcc::dist

#endif
