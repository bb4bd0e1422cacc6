// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The last word on a plan for a bare mesh. The few that the search holds for
// best are compiled to phase `scheduled` and simulated; the module of the one
// that wins is taken over, not compiled again. Memory planning of that module
// corrects the search's estimates, part by part, for another try. If a plan has
// stages and its schedule is open, another order of the tasks is searched for
// with the seconds of the simulation, and simulated, too.
#ifndef ZCC_COMPILER_PLANNER_SEARCH_PLANSIMULATIONS_H
#define ZCC_COMPILER_PLANNER_SEARCH_PLANSIMULATIONS_H

#include "compiler/emission/Report.h"
#include "compiler/phases/Compile.h"
#include "compiler/planner/search/ChoosePlan.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "passes/Pipeline/Pipeline.h"

namespace zcc::planner {

/// A plan that the search considered.
struct ConsideredPlan {
  Candidate candidate;
  std::optional<double> simulated; // seconds of a step
  bool chosen = false;
};

class PlanSimulations {
public:
  /// `asked`: the plan whose open fields the choice fills. `wantsActions`: true
  /// if simulated plans are to have their action tables.
  PlanSimulations(const CompileContext &context, const planning::Plan &asked,
                  bool wantsActions = false)
      : context(context), asked(asked), wantsActions(wantsActions) {}

  /// Chooses how a module of phase `step` is distributed, in `memory` bytes of
  /// a device, by estimate. Passes may not use `withheld` bytes of it. A plan
  /// that is known to take `within` seconds or more is not compiled. Reports
  /// errors.
  mlir::LogicalResult
  choose(mlir::ModuleOp module, double withheld, double memory,
         double within = std::numeric_limits<double>::infinity());
  /// The plan that was chosen, compiled to phase `scheduled`; once, and nullopt
  /// where it was not compiled, or where its passes have something to say.
  std::optional<StepCompilation> takeScheduled();

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
  /// Returns how much each stage may keep of a microbatch by the estimate.
  static MemoryLimits limitsOf(const Candidate &candidate);
  /// Seconds of a step of the plan that was chosen last, before it was in its
  /// memory, or what is to be expected where it is known not to be worth that;
  /// nullopt: it was not compared with others.
  std::optional<double> simulatedSeconds() const { return pickedSeconds; }
  /// Returns the plan chosen last.
  const Candidate &chosen() const { return picked; }
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
    std::optional<StepCompilation>
        scheduled; // not where it was simulated before
  };
  Trial simulate(mlir::ModuleOp module, const Candidate &candidate,
                 double withheld);
  /// Simulates the candidates side by side. Those that were simulated or
  /// planned before have only their figures. `next`: candidates that are likely
  /// to be asked for later; they are simulated beside the last of the others,
  /// on threads that have nothing else to do.
  std::vector<Trial> simulateNew(mlir::ModuleOp module,
                                 llvm::ArrayRef<Candidate> candidates,
                                 llvm::ArrayRef<Candidate> next,
                                 double withheld);
  bool refuse(llvm::ArrayRef<Candidate> plans);
  void noteConsidered(const PlanChoice &choice, size_t chosen,
                      llvm::ArrayRef<std::optional<double>> simulated);

  CompileContext context;
  planning::Plan asked;
  bool wantsActions;
  PlanFigures known;
  Slowdowns slowdowns;
  Candidate picked;
  std::optional<double> pickedSeconds;
  std::vector<ConsideredPlan> looked;
  bool limited = false;
  std::optional<StepCompilation> compiled;
  // Plans that were simulated, with the memory that passes may not use and how
  // much the backward pass may read.
  using TrialKey = std::tuple<double, double, planning::Plan>;
  std::map<TrialKey, Simulated> simulated;
  // The simulated plans that nobody has asked for yet. They are kept for one
  // choice only, which does not depend on them.
  std::map<TrialKey, std::optional<StepCompilation>> ahead;
};

} // namespace zcc::planner

#endif
