// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Explains the choice of a plan: why the other plans lost.
#ifndef ZCC_COMPILER_PLANNER_EXPLAIN_CHOICETEXT_H
#define ZCC_COMPILER_PLANNER_EXPLAIN_CHOICETEXT_H

#include "compiler/planner/search/PlanSimulations.h"

namespace zcc::planner {

/// The figures of the compiled program. Texts have them for the chosen plan in
/// place of the search's figures, which are from before its memory was planned.
/// Those that are not known are absent.
struct CompiledFigures {
  std::optional<double> seconds; // of a step, simulated
  std::optional<double> bytes;   // of a device
  std::optional<distribute::StepCost::Figures> estimate;
};

class ChoiceText {
public:
  /// `considered` must outlive this. `memory` is the bytes of a device, or 0 if
  /// unknown. `bare`: the search also chose the axes.
  ChoiceText(llvm::ArrayRef<ConsideredPlan> considered, double memory,
             bool bare, CompiledFigures compiled = {});

  bool isChosen(const ConsideredPlan &entry) const { return &entry == chosen; }
  /// Returns the figures that texts tell of a plan: its estimate, the simulated
  /// seconds of a step, the bytes of a device.
  const distribute::StepCost::Figures &
  estimateOf(const ConsideredPlan &entry) const;
  std::optional<double> simulatedOf(const ConsideredPlan &entry) const;
  double bytesOf(const ConsideredPlan &entry) const;
  /// Returns how many seconds a step of `entry` takes more than one of the
  /// chosen plan; there must be one.
  double secondsMore(const ConsideredPlan &entry) const;
  /// Returns why a plan was not chosen; "" for the chosen one, or if nothing is
  /// known.
  std::string whyNot(const ConsideredPlan &entry) const;
  /// Returns how often the model's work is done, if much of it is repeated; or
  /// "".
  static std::string tellRepeats(const ConsideredPlan &entry);
  std::string why() const;
  /// Returns comments for the text of the plan, one per line: the chosen plan
  /// and the next best ones.
  std::string formatComments() const;

private:
  bool fits(const ConsideredPlan &entry) const;
  std::string tellSlower(const ConsideredPlan &entry) const;

  llvm::ArrayRef<ConsideredPlan> considered;
  double memory;
  bool bare;
  CompiledFigures compiled;
  const ConsideredPlan *chosen = nullptr;
};

} // namespace zcc::planner

#endif
