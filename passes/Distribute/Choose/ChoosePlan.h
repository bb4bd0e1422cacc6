// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Choosing how to distribute a step where the options name only a number of
// devices: axes, ZeRO stage, microbatches, annotations, and where it pays the
// sharding of single ops.
#ifndef ZCC_PASSES_DISTRIBUTE_CHOOSE_CHOOSEPLAN_H
#define ZCC_PASSES_DISTRIBUTE_CHOOSE_CHOOSEPLAN_H

#include "passes/Distribute/Place/DecideSharding.h"
#include "passes/Distribute/Distribute.h"
#include "passes/Distribute/Choose/PlanVariants.h"
#include "passes/Distribute/Place/StepCost.h"

namespace zcc::dist {

struct ChosenPlan {
  PlanVariant variant;
  int zero = -1;
  std::vector<std::string> zeroAxes; // empty: all that shard the batch
  std::vector<std::string> state;    // of single parameters (StateChoice.h)
  int64_t microbatches = 1;
  StepCost::Figures figures;
  // Of a mixture of variants: every op is pinned.
  std::shared_ptr<StepSharding> pins;
};

struct PlanChoice {
  // Best first; the estimates of the first few are too near to each other to be
  // the last word.
  std::vector<ChosenPlan> best;
  std::vector<ChosenPlan> considered; // all, in the order of the search
};

// Estimates of plans that were looked at, none where a plan is impossible, by
// the plan's key. They do not depend on the memory that there is, so a search
// that knows more of it takes them up.
struct PlanFigures {
  std::map<std::string, std::optional<StepCost::Figures>> figures;
  // What memory planning found of the last plan that was compiled, over its
  // estimate; and of each plan that was compiled, bytes of a device.
  StepCost::MemoryScale scale;
  std::map<std::string, double> planned;

  // The estimate with what is known of memory.
  StepCost::Figures correct(const std::string &key,
                            const StepCost::Figures &estimate) const {
    StepCost::Figures figures = estimate.scaled(scale);
    if (auto it = planned.find(key); it != planned.end())
      figures.planned = it->second;
    return figures;
  }
};
std::string keyOf(const ChosenPlan &plan);

// Of a module of phase `step` without a mesh, for as many devices as the options
// ask for. What fits the memory comes first; where nothing does, what needs
// least. Failure, reported, if the step cannot be distributed at all.
mlir::FailureOr<PlanChoice> choosePlans(mlir::ModuleOp module,
                                        const DistributeOptions &options,
                                        PlanFigures &known);

// Writes the plan into a module of phase `step`: the mesh, the attribute
// `dist.plan`, pins. ShardStep follows them.
void applyPlan(mlir::ModuleOp module, const ChosenPlan &plan);
void removePlan(mlir::ModuleOp module);

} // namespace zcc::dist

#endif
