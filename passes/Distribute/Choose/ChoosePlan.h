// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Choosing how to distribute a step where the options name only a number of
// devices: axes, ZeRO stage, microbatches, annotations, and where it pays the
// sharding of single ops. On axes with names: microbatches and their schedule.
#ifndef ZCC_PASSES_DISTRIBUTE_CHOOSE_CHOOSEPLAN_H
#define ZCC_PASSES_DISTRIBUTE_CHOOSE_CHOOSEPLAN_H

#include "compiler/planning/ScheduleGenerators.h"
#include "passes/Distribute/Choose/PlanVariants.h"
#include "passes/Distribute/Distribute.h"
#include "passes/Distribute/Place/DecideSharding.h"
#include "passes/Distribute/Place/PipelineEstimate.h"
#include "passes/Distribute/Place/StepCost.h"
#include <set>

namespace zcc::dist {

// How many times their estimates plans took that were simulated. Others of the
// same mesh are taken to be as far off.
class Slowdowns {
public:
  void note(const Candidate &plan, double seconds) {
    double &own = most.try_emplace(plan.plan.mesh, 1).first->second;
    own =
        std::max(own, plan.figures.slowed(seconds) / plan.figures.overlapped());
  }
  double of(const Candidate &plan) const {
    auto own = most.find(plan.plan.mesh);
    return own != most.end() ? own->second : 1;
  }

private:
  std::map<std::vector<planning::PlanAxis>, double> most;
};

struct PlanChoice {
  // Best first; the estimates of the first few are too near to each other to be
  // the last word. What comes after `atOnce` of them is only of interest if
  // those turn out slower than its estimate.
  std::vector<Candidate> best;
  size_t atOnce = 0;
  // Of each of these, where it has stages and their schedule was not asked for:
  // in which the tasks' order may be searched for.
  std::vector<std::optional<planning::ScheduleRequest>> requests;
  std::vector<Candidate> considered; // all, in the order of the search

  // Whether one that was considered does not fit `memory` bytes of a device (0:
  // there is no limit), and takes less than `seconds` without what it computes
  // again.
  bool isLimited(double memory, double seconds) const;
  // Drops from `best` what would not take less than `least` seconds, as they
  // count, if its estimate is as far off as is known of its mesh; not the first
  // `simulated`.
  void forgetSlower(size_t simulated, const Slowdowns &slowdowns, double least);
};

// Estimates of plans that were looked at, none where a plan is impossible. They
// do not depend on the memory that there is, so a search that knows more of it
// takes them up.
struct PlanFigures {
  std::map<Candidate::Key, std::optional<StepCost::Figures>> figures;
  // Of those with stages, whose figures are of all stages together and under
  // no schedule.
  std::map<Candidate::Key, StepProfile> profiles;
  // Of those that did not fit.
  std::map<Candidate::Key, std::shared_ptr<const ResidualCurve>> curves;
  // What memory planning found of the last plan that was compiled, over its
  // estimate.
  StepCost::MemoryScale scale;
  // Of each plan that was compiled: bytes of a device, the seconds of a step
  // that are predicted now that it is in its memory, and the estimate that
  // would have said so, beside those of others.
  struct Planned {
    double bytes, seconds, estimate;
  };
  std::map<Candidate::Key, Planned> planned;
  // Of those that were compiled, what computes something again: its figures do
  // not say so any more.
  std::set<Candidate::Key> recomputing;
  // Numbers of stages that the step cannot be cut into for a schedule.
  std::set<std::pair<int64_t, std::string>> notCut;

  // Whether it cannot be cut into so many, whatever the schedule; then not into
  // more either.
  bool isNeverCut(int64_t stages) const {
    return llvm::any_of(notCut, [&](const auto &stagesAndSchedule) {
      return stagesAndSchedule.first <= stages &&
             stagesAndSchedule.second == planning::defaultSchedule;
    });
  }
  // The estimate with what is known of memory.
  StepCost::Figures correct(const Candidate::Key &key,
                            const StepCost::Figures &estimate) const {
    StepCost::Figures figures = estimate.scaled(scale);
    if (auto it = planned.find(key); it != planned.end()) {
      figures.planned = it->second.bytes;
      figures.plannedSeconds = it->second.estimate;
    }
    return figures;
  }
};

// Of a module of phase `step` without a mesh, for the axes or the number of
// devices that the options' plan asks for; its open fields are filled. What
// fits the memory comes first; where nothing does, what needs least. Failure,
// reported, if the step cannot be distributed at all.
mlir::FailureOr<PlanChoice> choosePlans(mlir::ModuleOp module,
                                        const DistributeOptions &options,
                                        PlanFigures &known);

} // namespace zcc::dist

#endif
