// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes from phase `partitioned` to phase `tasks`.
#ifndef ZCC_PASSES_PIPELINE_PIPELINE_H
#define ZCC_PASSES_PIPELINE_PIPELINE_H

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "passes/Distribute/PlanParsers.h"
#include "planning/Machine.h"
#include "planning/Plan.h"
#include "planning/Recomputation.h"
#include <algorithm>
#include <memory>
#include <optional>
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

// The limits that the fit of a plan to the memory sets on passes, beside the
// plan. Bytes of residuals are those of a device and microbatch that could be
// computed again.
struct MemoryLimits {
  MemoryLimits() = default;
  // Takes the limits of a plan. Memory has a price if the plan has no limit.
  explicit MemoryLimits(const planning::Plan &plan)
      : bytes(plan.residualBytes), hasPrice(plan.residualBytes < 0),
        offloadBytes(std::max(plan.offloadBytes, 0.0)) {}

  // The most bytes of residuals that any stage may keep; negative: all values
  // that are worth it.
  double bytes = -1;
  // The limit of each stage, if they differ.
  std::vector<double> stageBytes;
  double limitOf(size_t stage) const {
    return stage < stageBytes.size() ? stageBytes[stage] : bytes;
  }
  void limit(double most) {
    bytes = most;
    stageBytes.clear();
  }
  // Sets a limit for each stage; negative: none. If some stage has a limit, a
  // stage without one gets an infinite limit, because all stages are parts of
  // one step.
  void limit(std::vector<double> most);
  // Set if residuals that save less time than their memory is worth are not
  // kept (planning::findWorthwhile). It holds where there is no limit.
  bool hasPrice = false;
  // A later try may keep less if memory does not suffice. So ops that run
  // beside computation may take the memory that they need.
  bool mayFall = false;
  // Set if nothing fits. Then the order of ops takes the least memory, too, so
  // that the bytes in the error are those that would suffice as a budget.
  bool leastMemory = false;
  // Returns true if values that the backward pass computes again may be held
  // longer than it needs them.
  bool handsOver() const { return !leastMemory && mayFall; }
  // Returns true during one of the tries that find out how much is kept.
  bool isTry() const { return mayFall && bytes >= 0; }
  // The format that --compress=auto has chosen; none: residuals are whole.
  std::optional<planning::NumberFormat> compress;
  // Under --offload=auto, the least bytes of a device that live in the host's
  // memory; infinite: all that may.
  double offloadBytes = 0;
  // Bytes of a device's memory that no pass may use.
  double withheld = 0;
  // Solved parts of frontiers, which the next try uses again. A compilation has
  // its own, since compilations run side by side.
  std::shared_ptr<planning::RecomputationFrontier::Solved> solved =
      std::make_shared<planning::RecomputationFrontier::Solved>();
};

// A given action table, one row a stage, and the file that it is in.
struct ActionRows {
  std::string file;
  std::vector<planning::PlanRow> rows; // empty: the schedule's

  std::vector<std::string> listTexts() const;
};

// Given decisions on residuals, and the file that they are in.
struct ResidualPins {
  std::string file;
  std::vector<planning::PlanDecision> decisions;
};

struct PipelineOptions {
  // The policies that were asked for; if there are none, passes choose.
  std::vector<planning::PlanResidual> residuals;
  bool choosesResiduals() const { return residuals.empty(); }
  // RecomputeBlocks, or Keep: then values that getGlobs() names are computed
  // again.
  planning::RematPolicy getPolicy() const;
  std::vector<std::string> getGlobs() const;
  // Values that live in the host's memory; under `isAuto`, as many bytes as
  // `limits` says.
  planning::PlanOffload offload;
  // The format in which residuals are stored; none: they are whole.
  std::optional<planning::NumberFormat> compress;
  planning::NamedSchedule schedule;
  // Given action tables, in place of the schedule.
  ActionRows actions;
  // Turns off optimizations that reorder floating-point sums.
  bool exact = false;
  // Names of optimizations that are off; `exact` turns off more.
  std::vector<std::string> disable;
  // If passes choose residuals; null: all values that are worth it are kept.
  std::optional<MemoryLimits> limits;
  // Given decisions, if passes choose residuals: on values that are not to be
  // chosen.
  ResidualPins pins;
  planning::Machine machine;
};

// Creates the pass with the machine's figures. `actions` replace the schedule
// of the options.
std::unique_ptr<mlir::Pass>
createSplitTasks(const SplitTasksOptions &options,
                 const planning::Machine &machine, const ActionRows &actions,
                 const std::optional<MemoryLimits> &limits,
                 const ResidualPins &pins = {});

std::unique_ptr<mlir::Pass>
createPlaceSchedule(const PlaceScheduleOptions &options,
                    const ActionRows &actions,
                    const planning::Machine &machine);

std::unique_ptr<mlir::Pass>
createOffloadValues(const OffloadValuesOptions &options,
                    const planning::Machine &machine);

// Adds the passes from phase `partitioned` to `tasks`.
void buildPipelinePipeline(mlir::OpPassManager &pm,
                           const PipelineOptions &options = {});

// Returns the tables of a module of phase `tasks` in the form of plans, one row
// a stage. A row lists the tasks of each microbatch, with sends and receives.
std::vector<std::string> printActions(mlir::ModuleOp module);

// Fails with an error if a module's action tables were not made by the
// schedule, unless it is that of `auto`.
mlir::LogicalResult checkSchedule(mlir::ModuleOp module,
                                  const planning::NamedSchedule &schedule);

} // namespace zcc

#endif
