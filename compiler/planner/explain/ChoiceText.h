// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a choice of a plan says of itself: why the others lost.
#ifndef ZCC_COMPILER_PLANNER_EXPLAIN_CHOICETEXT_H
#define ZCC_COMPILER_PLANNER_EXPLAIN_CHOICETEXT_H

#include "compiler/planner/search/PlanTrials.h"

namespace zcc {

class ChoiceText {
public:
  /// `considered` outlives this; `memory`: bytes of a device, or 0; `bare`:
  /// axes were chosen, too.
  ChoiceText(llvm::ArrayRef<ConsideredPlan> considered, double memory,
             bool bare);

  bool isChosen(const ConsideredPlan &entry) const { return &entry == chosen; }
  /// "" of the one that was chosen, or where nothing is known.
  std::string whyNot(const ConsideredPlan &entry) const;
  std::string why() const;
  /// Comments for the plan's text, a line each: the choice and those that came
  /// nearest.
  std::string formatComments() const;

private:
  bool fits(const ConsideredPlan &entry) const;

  llvm::ArrayRef<ConsideredPlan> considered;
  double memory;
  bool bare;
  const ConsideredPlan *chosen = nullptr;
};

} // namespace zcc

#endif
