// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The last word on a plan for a bare mesh. The few that the search holds for
// best are compiled to phase `scheduled` and simulated; the module of the one
// that wins is taken over, not compiled again. What memory planning finds of
// it corrects the search's estimates, part by part, for another try.
#ifndef ZCC_COMPILER_DRIVER_PLANTRIALS_H
#define ZCC_COMPILER_DRIVER_PLANTRIALS_H

#include "compiler/backend/Target.h"
#include "compiler/driver/Options.h"
#include "compiler/emission/Report.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "passes/Distribute/Choose/ChoosePlan.h"

namespace zcc {

class PlanTrials {
public:
  PlanTrials(const Options &options, const planning::Machine &machine,
             const Target &target)
      : options(options), machine(machine), target(target) {}

  /// Chooses how a module of phase `step` is distributed, in `memory` bytes of
  /// a device, and applies it. `facts` are for the passes. Reports errors.
  mlir::LogicalResult choose(mlir::ModuleOp module,
                             const planning::MachineFacts &facts,
                             double memory);
  /// Applies what was chosen last.
  void applyAgain(mlir::ModuleOp module) const;

  struct Scheduled {
    mlir::OwningOpRef<mlir::ModuleOp> module;            // of phase `scheduled`
    std::vector<std::pair<std::string, double>> seconds; // of its phases
  };
  /// The plan that was chosen, compiled; once, and nullopt where it was not, or
  /// where its passes have something to say.
  std::optional<Scheduled> takeScheduled();

  /// What memory planning found of the plan that was chosen, of which `kept`
  /// bytes are of gathered parameters that could be gathered again.
  void notePlanned(const MemoryReport &memory, double kept);
  /// Whether some plan did not fit the last search's memory.
  bool isLimited() const { return limited; }
  /// Whether memory planning has seen the plan that was chosen last.
  bool wasPlanned() const {
    return known.planned.count(dist::keyOf(plan)) != 0;
  }
  /// The plan that was chosen last.
  const dist::ChosenPlan &chosen() const { return plan; }

private:
  struct Trial {
    std::optional<double> seconds; // of a step; nullopt: does not compile
    std::optional<Scheduled> scheduled;
  };
  Trial simulate(mlir::ModuleOp module, const planning::MachineFacts &facts);

  const Options &options;
  const planning::Machine &machine;
  const Target &target;
  dist::PlanFigures known;
  dist::ChosenPlan plan;
  mlir::Attribute considered;
  bool limited = false;
  std::optional<Scheduled> compiled;
  // Of plans that were simulated, by what they write into the module.
  llvm::DenseMap<mlir::Attribute, std::optional<double>> simulated;
};

/// How many plans a choice looked at; 0 if there was none.
size_t countConsidered(mlir::ModuleOp module);

} // namespace zcc

#endif
