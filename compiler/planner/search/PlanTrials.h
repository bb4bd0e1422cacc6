// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The last word on a plan for a bare mesh. The few that the search holds for
// best are compiled to phase `scheduled` and simulated; the module of the one
// that wins is taken over, not compiled again. What memory planning finds of
// it corrects the search's estimates, part by part, for another try. Of stages
// whose schedule is open, another order of the tasks is searched for by what the
// simulation has found, and simulated, too.
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

/// A plan that a choice looked at.
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

  /// Chooses how a module of phase `step` is distributed, in `memory` bytes of
  /// a device. `facts` are for the passes. What is known to take `within`
  /// seconds or more is not compiled for it. Reports errors.
  mlir::LogicalResult
  choose(mlir::ModuleOp module, const planning::MachineFacts &facts,
         double memory,
         double within = std::numeric_limits<double>::infinity());
  struct Scheduled {
    // Of phases `scheduled` and `partitioned`.
    mlir::OwningOpRef<mlir::ModuleOp> module, partitioned;
    std::vector<std::pair<std::string, double>> seconds; // of its phases
    ResidualBudget residuals;
    std::vector<std::string> actions; // a row a stage, if they are wanted
  };
  /// The plan that was chosen, compiled; once, and nullopt where it was not, or
  /// where its passes have something to say.
  std::optional<Scheduled> takeScheduled();

  /// What memory planning found of the plan that was chosen, of which `kept`
  /// bytes are of gathered parameters that could be gathered again, and the
  /// seconds of a step that are predicted then.
  void notePlanned(const MemoryReport &memory, double kept, double seconds);
  /// Whether some plan did not fit the last search's memory that would be
  /// faster than the chosen one by its estimate.
  bool isLimited() const { return limited; }
  /// Whether memory planning has seen the plan that was chosen last.
  bool wasPlanned() const { return known.planned.count(picked.key()) != 0; }
  /// The estimate that would have been right of it, then.
  double estimatePlanned() const {
    return known.planned.at(picked.key()).estimate;
  }
  /// Bytes of a microbatch that each stage may keep by the estimate; negative:
  /// all.
  static double keptOf(const dist::Candidate &candidate);
  /// Seconds of a step of the plan that was chosen last, before it was in its
  /// memory, or what is to be expected where it is known not to be worth that;
  /// nullopt: it was not compared with others.
  std::optional<double> simulatedSeconds() const { return pickedSeconds; }
  /// The plan that was chosen last.
  const dist::Candidate &chosen() const { return picked; }
  /// All that the last choice looked at, in the order of the search.
  const std::vector<ConsideredPlan> &considered() const { return looked; }

private:
  struct Simulated {
    std::optional<double> seconds; // of a step; nullopt: does not compile
    std::vector<StagePrediction> stages;
  };
  struct Trial {
    Simulated found;
    std::optional<Scheduled> scheduled; // not where it was simulated before
  };
  Trial simulate(mlir::ModuleOp module, const dist::Candidate &candidate,
                 const planning::MachineFacts &facts);
  /// Side by side; of what was simulated or planned before only the figures.
  /// `next`: likely to be asked for after them, and simulated beside the last
  /// of them where threads have nothing else to do.
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
  // Plans that were simulated, with the memory that passes may use and how much
  // the backward pass may read.
  using TrialKey = std::tuple<double, double, planning::Plan>;
  std::map<TrialKey, Simulated> simulated;
  // Of those, what nobody has asked for yet: what is chosen does not depend on
  // it. Of one choice.
  std::map<TrialKey, std::optional<Scheduled>> ahead;
};

} // namespace zcc

#endif
