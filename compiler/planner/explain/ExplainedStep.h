// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A step that is explained: its shardings, where they came from, and what they
// cost.
#ifndef ZCC_COMPILER_PLANNER_EXPLAIN_EXPLAINEDSTEP_H
#define ZCC_COMPILER_PLANNER_EXPLAIN_EXPLAINEDSTEP_H

#include "compiler/planner/explain/ExplainTrials.h"
#include "compiler/planner/explain/TellOrigins.h"

namespace zcc::planner {

struct ExplainedStep {
  // Explains a module of phase `step` after buildMeshPipeline().
  ExplainedStep(mlir::ModuleOp module, const DistributeOptions &options);
  // Decides the step's shardings. Reports errors. `peak`: the bytes of a device
  // by memory planning; 0: not known.
  mlir::LogicalResult decide(double peak);

  const distribute::MeshAxes &mesh() const { return trials.mesh(); }
  distribute::PlacedStep placed() const {
    return {mesh(), decided.step, decided.partials};
  }
  OriginTexts originTexts() const { return {mesh(), *origins, mixed}; }

  StepTrials trials;
  // True if the pins are those of a mixture that was chosen, not of a plan's
  // file.
  bool mixed;
  std::shared_ptr<distribute::ShardingOrigins> origins =
      std::make_shared<distribute::ShardingOrigins>();
  distribute::DecidedSharding decided;
  // The estimate of the step, by StepTrials::measureFitted().
  distribute::StepCost::Figures figures;
  // The estimate to which trials of other shardings are compared: nothing is
  // computed again in either.
  distribute::StepCost::Figures plain;
};

} // namespace zcc::planner

#endif
