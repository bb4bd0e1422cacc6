// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Measures what a step would cost under other options: its shardings are
// decided anew, in memory, and measured (StepCost.h). All alternatives in
// explanations are answered in this way.
#ifndef ZCC_COMPILER_PLANNER_EXPLAIN_EXPLAINTRIALS_H
#define ZCC_COMPILER_PLANNER_EXPLAIN_EXPLAINTRIALS_H

#include "compiler/planner/search/PlanVariants.h"
#include "passes/Distribute/Distribute.h"
#include "passes/Distribute/Estimate/PipelineEstimate.h"
#include "passes/Distribute/Estimate/StepCost.h"
#include "passes/Distribute/Place/DecideSharding.h"

namespace zcc::planner {

class StepTrials {
public:
  // Tries variants of a module of phase `step` after buildMeshPipeline().
  StepTrials(mlir::ModuleOp module, const DistributeOptions &options);

  // The plan, with the module's mesh. If it was read from a file, the choice of
  // gathered parameters to keep is open in it: another plan would keep others.
  const planning::Plan &base() const { return plan; }
  mlir::func::FuncOp func() const { return step; }
  const distribute::MeshAxes &mesh() const { return axes; }
  const distribute::StepRules &rules() const { return stepRules; }
  // Rows of the batch: a device has at least one of them in each microbatch.
  int64_t batch() const { return facts.batch; }
  // The shardings that the plan pins, and whether it pins every op.
  const distribute::ShardingPins &pins() const { return planned; }
  bool allPinned() const { return fixed; }

  // Measures a plan. Nothing if the step cannot be distributed so. The
  // overrides must be for the mesh of the base. The pins are for it, too: they
  // count only if `tried` has the same mesh and microbatches.
  std::optional<distribute::StepCost::Figures>
  measure(const planning::Plan &tried,
          const distribute::SeedOverrides *instead = nullptr);
  // Measures a plan with its curve of residuals: the bytes that computing again
  // saves, and the seconds that it takes (Figures::withRecomputed()).
  std::optional<distribute::StepCost::Figures>
  measureRecomputed(const planning::Plan &tried);
  // Measures a plan as the search does: with the stages of a pipeline and their
  // schedule, the gathered parameters that fit, and the values that must be
  // computed again. `decided`: its sharding, if it is known.
  std::optional<distribute::StepCost::Figures>
  measureFitted(const planning::Plan &tried,
                const distribute::DecidedSharding *decided = nullptr);
  // Takes the bytes that memory planning found for the base plan: their ratio
  // to the estimate corrects the figures of measureFitted().
  void correctMemory(double peak, const distribute::DecidedSharding &decided);
  // Returns true if a device has the memory that such figures need.
  bool fits(const distribute::StepCost::Figures &figures) const {
    return figures.bytes() <= options.getMemory() * (1 + 1e-9);
  }
  // Decides the base plan. Notes where the decisions came from in `origins`, if
  // it is not null.
  mlir::FailureOr<distribute::DecidedSharding>
  decide(std::shared_ptr<distribute::ShardingOrigins> origins);
  // Decides another plan on the mesh of the base; fails silently.
  mlir::FailureOr<distribute::DecidedSharding>
  decide(const planning::Plan &tried);
  distribute::StepCost::Figures
  measure(const distribute::DecidedSharding &decided) const;
  distribute::StepCost cost() const;
  // Returns a device's share under the base plan: that of the fullest stage, if
  // there are several.
  distribute::DeviceShare
  shareOfDevice(const distribute::PlacedStep &placed) const;

private:
  std::optional<distribute::StepCost::Figures>
  measure(const planning::Plan &tried, const distribute::SeedOverrides *instead,
          bool recomputed);
  distribute::StepCost::Figures fit(distribute::StepCost::Figures figures,
                                    const planning::Plan &tried,
                                    const distribute::PlacedStep &placed,
                                    const distribute::StepCost &cost) const;
  distribute::ShardingRequest requestOf(const planning::Plan &tried) const {
    return {&tried, options.notBatched, options.disable, options.exact};
  }

  mlir::ModuleOp module;
  mlir::func::FuncOp step;
  DistributeOptions options;
  planning::Plan followed; // with all that its file has
  planning::Plan plan;
  distribute::StepCost::MemoryScale scale;
  distribute::ShardingPins planned; // the plan's pins
  distribute::MeshAxes axes;
  planning::CostModel model;
  distribute::StepRules stepRules;
  PlanFacts facts;
  bool fixed; // every op is pinned
};

} // namespace zcc::planner

#endif
