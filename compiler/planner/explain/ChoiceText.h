// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Explains the choice of a plan: why the other plans lost.
#ifndef ZCC_COMPILER_PLANNER_EXPLAIN_CHOICETEXT_H
#define ZCC_COMPILER_PLANNER_EXPLAIN_CHOICETEXT_H

#include "compiler/planner/search/PlanSimulations.h"

namespace zcc::planner {

class ChoiceText {
public:
  /// `considered` must outlive this. `memory` is the bytes of a device, or 0 if
  /// unknown. `bare`: the search also chose the axes.
  ChoiceText(llvm::ArrayRef<ConsideredPlan> considered, double memory,
             bool bare);

  bool isChosen(const ConsideredPlan &entry) const { return &entry == chosen; }
  /// Returns why a plan was not chosen; "" for the chosen one, or if nothing is
  /// known.
  std::string whyNot(const ConsideredPlan &entry) const;
  std::string why() const;
  /// Returns comments for the text of the plan, one per line: the chosen plan
  /// and the next best ones.
  std::string formatComments() const;

private:
  bool fits(const ConsideredPlan &entry) const;

  llvm::ArrayRef<ConsideredPlan> considered;
  double memory;
  bool bare;
  const ConsideredPlan *chosen = nullptr;
};

} // namespace zcc::planner

#endif
