// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes the final choice of a plan for a mesh without axis names. The few plans
// that the search considers best are compiled to phase `scheduled` and
// simulated; the module of the winner is taken over, not compiled again. The
// results of memory planning for it correct the search's estimates, category by
// category, for another try. For stages with an open schedule, another order of
// the tasks is searched for with the simulated times, and simulated, too.
#ifndef ZCC_COMPILER_PLANNER_SEARCH_PLANTRIALS_H
#define ZCC_COMPILER_PLANNER_SEARCH_PLANTRIALS_H

#include "compiler/backend/Target.h"
#include "compiler/phases/Options.h"
#include "compiler/emission/Report.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "compiler/planner/search/ChoosePlan.h"
#include "passes/Pipeline/Pipeline.h"

namespace zcc {

/// A plan that the search considered.
struct ConsideredPlan {
  dist::Candidate candidate;
  std::optional<double> simulated; // seconds of a step
  bool chosen = false;
};

class PlanTrials {
public:
  PlanTrials(const Options &options, const planning::Plan &asked,
             const planning::Machine &machine, const Target &target,
             bool wantsActions = false)
      : options(options), asked(asked), machine(machine), target(target),
        wantsActions(wantsActions) {}

  /// Chooses how a module of phase `step` is distributed, within `memory` bytes
  /// per device. `facts` are for the passes. Plans that are known to take
  /// `within` seconds or more are not compiled. Fails after reporting an error.
  mlir::LogicalResult
  choose(mlir::ModuleOp module, const planning::MachineFacts &facts,
         double memory,
         double within = std::numeric_limits<double>::infinity());
  struct Scheduled {
    // The modules of phases `scheduled` and `partitioned`.
    mlir::OwningOpRef<mlir::ModuleOp> module, partitioned;
    std::vector<std::pair<std::string, double>> seconds; // by phase
    ResidualBudget residuals;
    std::vector<std::string> actions; // one row per stage, if requested
  };
  /// Returns the compiled module of the chosen plan, once. Returns nullopt if
  /// it was not compiled, or if its passes have diagnostics to print.
  std::optional<Scheduled> takeScheduled();

  /// Notes the result of memory planning for the chosen plan, of which `kept`
  /// bytes are gathered parameters that could be gathered again, and the
  /// predicted seconds of a step.
  void notePlanned(const MemoryReport &memory, double kept, double seconds);
  /// Returns true if a plan that is faster than the chosen one by its estimate
  /// did not fit the memory of the last search.
  bool isLimited() const { return limited; }
  /// Returns true if memory of the plan chosen last was planned.
  bool wasPlanned() const { return known.planned.count(picked.key()) != 0; }
  /// Returns the estimate that would have been right for it; its memory must
  /// have been planned.
  double estimatePlanned() const {
    return known.planned.at(picked.key()).estimate;
  }
  /// Returns the bytes per microbatch that each stage may keep by the estimate;
  /// negative: all.
  static double keptOf(const dist::Candidate &candidate);
  /// Returns the simulated seconds of a step of the plan chosen last, before it
  /// was fitted into memory, or an expected value if simulating it was not
  /// worthwhile; nullopt if it was not compared with others.
  std::optional<double> simulatedSeconds() const { return pickedSeconds; }
  /// Returns the plan chosen last.
  const dist::Candidate &chosen() const { return picked; }
  /// Returns all plans that the last choice considered, in the order of the
  /// search.
  const std::vector<ConsideredPlan> &considered() const { return looked; }

private:
  struct Simulated {
    std::optional<double> seconds; // of a step; nullopt if it does not compile
    std::vector<StagePrediction> stages;
  };
  struct Trial {
    Simulated found;
    std::optional<Scheduled> scheduled; // not set if it was simulated before
  };
  Trial simulate(mlir::ModuleOp module, const dist::Candidate &candidate,
                 const planning::MachineFacts &facts);
  /// Simulates candidates in parallel; plans that were simulated or planned
  /// before get only their figures. `next` are plans that are likely to be
  /// asked for later, which idle threads simulate at the same time.
  std::vector<Trial> simulateNew(mlir::ModuleOp module,
                                 llvm::ArrayRef<dist::Candidate> candidates,
                                 llvm::ArrayRef<dist::Candidate> next,
                                 const planning::MachineFacts &facts);
  bool refuse(llvm::ArrayRef<dist::Candidate> plans);
  void noteConsidered(const dist::PlanChoice &choice, size_t chosen,
                      llvm::ArrayRef<std::optional<double>> simulated);

  const Options &options;
  planning::Plan asked;
  const planning::Machine &machine;
  const Target &target;
  bool wantsActions;
  dist::PlanFigures known;
  dist::Slowdowns slowdowns;
  dist::Candidate picked;
  std::optional<double> pickedSeconds;
  std::vector<ConsideredPlan> looked;
  bool limited = false;
  std::optional<Scheduled> compiled;
  // The results of simulated plans. Keys also have the memory that passes may
  // use and the limit of residuals.
  using TrialKey = std::tuple<double, double, planning::Plan>;
  std::map<TrialKey, Simulated> simulated;
  // Simulated plans of the current choice that were not asked for yet; the
  // choice does not depend on them.
  std::map<TrialKey, std::optional<Scheduled>> ahead;
};

} // namespace zcc

#endif
