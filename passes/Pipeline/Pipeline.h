// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From phase `partitioned` to `tasks`.
#ifndef ZCC_PASSES_PIPELINE_PIPELINE_H
#define ZCC_PASSES_PIPELINE_PIPELINE_H

#include "planning/Machine.h"
#include "planning/OffloadChoice.h"
#include "planning/Plan.h"
#include "planning/Recomputation.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace mlir {
class ModuleOp;
}
namespace zcc {
#define GEN_PASS_DECL
#include "passes/Pipeline/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "passes/Pipeline/Passes.h.inc"

// What a stage keeps for its backward pass, bytes of a device and microbatch.
struct StageResiduals {
  double kept = 0;
  // Where there is a limit: what could be kept for which seconds.
  std::vector<planning::RecomputationFrontier::Point> frontier;
  // Microbatches that it holds at most at a time.
  double held = 1;
};

// What of the forward pass is kept for the backward pass, bytes a device and
// microbatch, of all that could be computed again.
struct ResidualBudget {
  ResidualBudget() = default;
  // What a plan says of it; with a price where it says nothing.
  explicit ResidualBudget(const planning::Plan &plan)
      : bytes(plan.residualBytes), hasPrice(plan.residualBytes < 0),
        offloadBytes(std::max(plan.offloadBytes, 0.0)) {}

  // At most, of any stage; negative: all that is worth it. With a price, where
  // memory is worth more than the time for some of it
  // (planning::findWorthwhile), the pass makes it the bytes of the rest, and
  // never keeps more.
  double bytes = -1;
  // Where stages differ, of each.
  std::vector<double> stageBytes;
  double limitOf(size_t stage) const {
    return stage < stageBytes.size() ? stageBytes[stage] : bytes;
  }
  void limit(double most) {
    bytes = most;
    stageBytes.clear();
  }
  // By stage. Where one has a limit, all that is worth it is one, too, of those
  // that have none: the step is the same for all.
  void limit(std::vector<double> most);
  // For plans: what `bytes` has to be if there is nothing else; a stage without
  // a limit has kept what it can.
  double mostBytes() const;
  bool hasPrice = false;
  // Less may be kept if that is too much: so what runs beside computation takes
  // the memory that it needs.
  bool mayFall = false;
  // Nothing fits: orders take no memory either, so that what is refused, with
  // its bytes, is what a budget of as many would get.
  bool leastMemory = false;
  // Whether what the backward pass computes again may be held longer than it
  // needs it.
  bool handsOver() const { return !leastMemory && mayFall; }
  // One of the tries that find out how much is kept.
  bool isTry() const { return mayFall && bytes >= 0; }
  // The form that --compress=auto has come to.
  std::string compress = "none";
  // Under --offload=auto, bytes a device that live in the host's memory at
  // least; infinite: all that may. The pass makes it what there is, if that is
  // less.
  double offloadBytes = 0;
  // Set by the pass: what could, and the bytes of what does.
  planning::OffloadProblem offloadable;
  double offloaded = 0;
  // Set by the pass: by stage.
  std::vector<StageResiduals> stages;
  bool keepsNothing() const {
    return std::all_of(stages.begin(), stages.end(),
                       [](const StageResiduals &own) { return own.kept == 0; });
  }
  // Parts of frontiers, for the next try.
  std::shared_ptr<planning::RecomputationFrontier::Solved> solved =
      std::make_shared<planning::RecomputationFrontier::Solved>();
  // Set by the pass: what became of single values.
  std::vector<planning::PlanDecision> decisions;
};

// A table that is given, by stage, and the file that it stands in.
struct ActionRows {
  std::string file;
  std::vector<planning::PlanRow> rows; // none: by the schedule

  std::vector<std::string> listTexts() const;
};

// Decisions that are given, and the file that they stand in.
struct ResidualPins {
  std::string file;
  std::vector<planning::PlanDecision> decisions;
};

struct PipelineOptions {
  // auto, none or full; `glob`: what the globs name is computed again.
  std::string remat = "auto";
  std::vector<std::string> rematGlobs;
  // What lives in the host's memory: optimizer, activations, parameters; auto:
  // as many bytes as `residuals` says.
  std::vector<std::string> offload;
  // none, bf16, f8 or int8: what is kept is stored so.
  std::string compress = "none";
  // Name of a schedule; see planning/ScheduleGenerators.h.
  std::string schedule = "auto";
  // In its place.
  ActionRows actions;
  // No optimization that reorders floating-point sums.
  bool exact = false;
  // Optimizations that are off, by name; under `exact` those that reorder too.
  std::vector<std::string> disable;
  // Under auto; null: all is kept that is worth it. Outlives the passes.
  ResidualBudget *residuals = nullptr;
  // Under auto, what is not to be chosen.
  ResidualPins pins;
  planning::Machine machine;
};

// The pass that knows the machine. `actions`: in place of the options' schedule.
std::unique_ptr<mlir::Pass> createSplitTasks(const SplitTasksOptions &options,
                                             const planning::Machine &machine,
                                             const ActionRows &actions,
                                             ResidualBudget *budget,
                                             const ResidualPins &pins = {});

std::unique_ptr<mlir::Pass>
createPlaceSchedule(const PlaceScheduleOptions &options,
                    const ActionRows &actions,
                    const planning::Machine &machine);

std::unique_ptr<mlir::Pass>
createOffloadValues(const OffloadValuesOptions &options,
                    const planning::Machine &machine, ResidualBudget *budget);

// `partitioned` to `tasks`.
void buildPipelinePipeline(mlir::OpPassManager &pm,
                           const PipelineOptions &options = {});

// The tables of a module of phase `tasks` in the form of plans, a row a stage:
// what runs for each microbatch, with what crosses stages.
std::vector<std::string> printActions(mlir::ModuleOp module);

// Fails with an error where a module's action tables were not made by the
// schedule of that name.
mlir::LogicalResult checkSchedule(mlir::ModuleOp module,
                                  llvm::StringRef schedule);

} // namespace zcc

#endif
