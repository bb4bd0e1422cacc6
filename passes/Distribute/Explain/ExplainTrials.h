// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a step would cost under other options: its shardings are decided anew,
// in memory, and measured (StepCost.h). This is how every "what else, and at
// what cost" is answered.
#ifndef ZCC_PASSES_DISTRIBUTE_EXPLAIN_EXPLAINTRIALS_H
#define ZCC_PASSES_DISTRIBUTE_EXPLAIN_EXPLAINTRIALS_H

#include "passes/Distribute/Place/DecideSharding.h"
#include "passes/Distribute/Distribute.h"
#include "passes/Distribute/Choose/PlanVariants.h"
#include "passes/Distribute/Place/StepCost.h"

namespace zcc::dist {

// Options under which a step is distributed.
struct StepSetup {
  std::vector<std::pair<std::string, int64_t>> axes; // of devices
  int64_t microbatches = 1;
  ShardingOptions options;
};

class StepTrials {
public:
  // Of a module of phase `step` after buildMeshPipeline().
  StepTrials(mlir::ModuleOp module, const DistributeOptions &options);

  const StepSetup &base() const { return setup; }
  mlir::func::FuncOp func() const { return step; }
  const MeshAxes &mesh() const { return axes; }
  const StepRules &rules() const { return stepRules; }
  // Rows of a step that a microbatch must have at least one of a device.
  int64_t batch() const { return facts.batch; }
  // What the plan pins, and whether that is every op.
  const ShardingPins &pins() const { return planned; }
  bool allPinned() const { return fixed; }

  // Nothing where the step cannot be distributed so. Overrides are of the mesh
  // of the base, and so are pins, which count where it is the same.
  std::optional<StepCost::Figures>
  measure(const StepSetup &tried, const SeedOverrides *instead = nullptr);
  // Of the base, with where the decisions came from in `origins`, if it is not
  // null.
  mlir::FailureOr<DecidedSharding>
  decide(std::shared_ptr<ShardingOrigins> origins);
  StepCost::Figures measure(const DecidedSharding &decided) const;
  StepCost cost() const;

private:
  MeshAxes axesOf(const StepSetup &tried);

  mlir::ModuleOp module;
  mlir::func::FuncOp step;
  ShardingPins planned; // taken out of the step
  MeshAxes axes;
  planning::CostModel model;
  StepRules stepRules;
  PlanFacts facts;
  StepSetup setup;
  double memory; // of a device
  bool fixed;    // every op is pinned
  std::vector<std::string> perMicrobatch;
};

} // namespace zcc::dist

#endif
