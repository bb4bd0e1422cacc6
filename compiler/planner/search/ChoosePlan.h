// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chooses how to distribute a step whose options name only a number of devices:
// the axes, the ZeRO stage, the microbatches, annotations, and where it pays
// the sharding of single ops. If the options name the axes, it chooses the
// microbatches and their schedule.
#ifndef ZCC_COMPILER_PLANNER_SEARCH_CHOOSEPLAN_H
#define ZCC_COMPILER_PLANNER_SEARCH_CHOOSEPLAN_H

#include "compiler/planner/search/PlanVariants.h"
#include "passes/Distribute/Distribute.h"
#include "passes/Distribute/Estimate/PipelineEstimate.h"
#include "passes/Distribute/Estimate/StepCost.h"
#include "passes/Distribute/Place/DecideSharding.h"
#include "planning/ScheduleGenerators.h"
#include <set>

namespace zcc::planner {

// Remembers how many times their estimates the simulated plans took. Other
// plans of the same mesh are taken to be as far off.
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
  // The plans that may be chosen, best first. The estimates of the first few
  // are too close to each other to decide between them. The first `atOnce` are
  // simulated in any case; the others only if those turn out slower than the
  // estimates of the others.
  std::vector<Candidate> best;
  size_t atOnce = 0;
  // Other orders of the tasks of a plan, to be looked at if it turns out to be
  // the best one.
  struct Orders {
    // The same plan under the interleaved schedule with the best estimate, and
    // under that one with the largest groups of microbatches that fit.
    // Simulations differ from estimates in the cost of collectives between
    // tasks, and such schedules hide the most of it.
    std::vector<Candidate> interleaved;
    std::optional<planning::ScheduleRequest> request; // to search for one
  };
  // The orders of each plan in `best`. There are none for a plan without
  // stages, or if the user asked for a schedule.
  std::vector<Orders> orders;
  std::vector<Candidate> considered; // all, in the order of the search

  bool isAmongBest(const Candidate &plan) const {
    return llvm::any_of(
        best, [&](const Candidate &own) { return own.key() == plan.key(); });
  }
  // Returns true if some plan that was considered does not fit into `memory`
  // bytes of a device (0: there is no limit), but would take less than
  // `seconds` without what it computes again. Memory is then what limits the
  // choice.
  bool isLimited(double memory, double seconds) const;
  // Drops plans from `best` that would not take less than `least` seconds (as
  // seconds are charged) if their estimates are as far off as those of their
  // mesh. Keeps the first `simulated`.
  void forgetSlower(size_t simulated, const Slowdowns &slowdowns, double least);
};

// Estimates of the plans that were looked at; nullopt if a plan is impossible.
// They do not depend on how much memory there is, so that a later search that
// knows more of the memory can use them again.
struct PlanFigures {
  std::map<Candidate::Key, std::optional<distribute::StepCost::Figures>>
      figures;
  // The profiles of plans with stages. Their `figures` are of all stages
  // together, without a schedule.
  std::map<Candidate::Key, distribute::StepProfile> profiles;
  // For plans that did not fit: the memory that computing values again saves.
  std::map<Candidate::Key, std::shared_ptr<const distribute::ResidualCurve>>
      curves;
  // The bytes that memory planning found for the last plan that was compiled,
  // over its estimate.
  distribute::StepCost::MemoryScale scale;
  // Facts of a plan that was compiled: bytes of a device; predicted seconds of
  // a step, with what its memory makes it compute again; and the estimate that
  // would have predicted them, on the scale of other plans' estimates.
  struct Planned {
    double bytes, seconds, estimate;
  };
  std::map<Candidate::Key, Planned> planned;
  // Those of the compiled plans that compute something again. Their figures do
  // not say so any more.
  std::set<Candidate::Key> recomputing;
  // Numbers of stages that the step cannot be cut into for a schedule.
  std::set<std::pair<int64_t, planning::NamedSchedule>> notCut;

  // Returns true if the step cannot be cut into so many stages under any
  // schedule. Then it cannot be cut into more either.
  bool isNeverCut(int64_t stages) const {
    return llvm::any_of(notCut, [&](const auto &stagesAndSchedule) {
      return stagesAndSchedule.first <= stages &&
             stagesAndSchedule.second == planning::defaultSchedule;
    });
  }
  // Returns the estimate, corrected by what is known of memory.
  distribute::StepCost::Figures
  correct(const Candidate::Key &key,
          const distribute::StepCost::Figures &estimate) const {
    distribute::StepCost::Figures figures = estimate.scaled(scale);
    if (auto it = planned.find(key); it != planned.end()) {
      figures.planned = it->second.bytes;
      figures.plannedSeconds = it->second.estimate;
    }
    return figures;
  }
};

// Chooses plans for a module of phase `step` without a mesh. The options' plan
// asks for axes or for a number of devices; its open fields are filled. Plans
// that fit into memory come first. If none fits, the one that needs the least
// memory is returned. Fails, and reports why, if the step cannot be distributed
// at all.
mlir::FailureOr<PlanChoice> choosePlans(mlir::ModuleOp module,
                                        const DistributeOptions &options,
                                        PlanFigures &known);

} // namespace zcc::planner

#endif
