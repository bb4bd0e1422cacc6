// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a step would cost under other options: its shardings are decided anew,
// in memory, and measured (StepCost.h). This is how every "what else, and at
// what cost" is answered.
#ifndef ZCC_PASSES_DISTRIBUTE_EXPLAIN_EXPLAINTRIALS_H
#define ZCC_PASSES_DISTRIBUTE_EXPLAIN_EXPLAINTRIALS_H

#include "passes/Distribute/Choose/PlanVariants.h"
#include "passes/Distribute/Distribute.h"
#include "passes/Distribute/Place/DecideSharding.h"
#include "passes/Distribute/Place/PipelineEstimate.h"
#include "passes/Distribute/Place/StepCost.h"

namespace zcc::dist {

class StepTrials {
public:
  // Of a module of phase `step` after buildMeshPipeline().
  StepTrials(mlir::ModuleOp module, const DistributeOptions &options);

  // The plan, with the module's mesh.
  const planning::Plan &base() const { return plan; }
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
  measure(const planning::Plan &tried, const SeedOverrides *instead = nullptr);
  // With what computing again saves, and takes (Figures::withRecomputed()).
  std::optional<StepCost::Figures>
  measureRecomputed(const planning::Plan &tried);
  // Of the base, with where the decisions came from in `origins`, if it is not
  // null.
  mlir::FailureOr<DecidedSharding>
  decide(std::shared_ptr<ShardingOrigins> origins);
  // Of another plan on the mesh of the base; says nothing where there is none.
  mlir::FailureOr<DecidedSharding> decide(const planning::Plan &tried);
  StepCost::Figures measure(const DecidedSharding &decided) const;
  StepCost cost() const;
  // Of the base: of the fullest stage, where there are several.
  DeviceShare shareOfDevice(const PlacedStep &placed) const;

private:
  std::optional<StepCost::Figures> measure(const planning::Plan &tried,
                                           const SeedOverrides *instead,
                                           bool recomputed);
  ShardingRequest requestOf(const planning::Plan &tried) const {
    return {&tried, options.notBatched, options.disable, options.exact};
  }

  mlir::ModuleOp module;
  mlir::func::FuncOp step;
  DistributeOptions options;
  planning::Plan plan;
  ShardingPins planned; // of the plan
  MeshAxes axes;
  planning::CostModel model;
  StepRules stepRules;
  PlanFacts facts;
  bool fixed; // every op is pinned
};

} // namespace zcc::dist

#endif
