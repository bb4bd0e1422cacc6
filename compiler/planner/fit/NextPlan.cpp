// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/planner/fit/NextPlan.h"
#include "compiler/planner/FitLimits.h"

namespace zcc::planner {

NextPlan decideNextPlan(const PlanOutcome &outcome) {
  bool fits = outcome.excess <= 0, isFirst = outcome.compiles == 1,
       hasRoom = -outcome.excess > searchLimits.leastRoom * outcome.memory;
  if (outcome.hasSpare)
    return fits ? NextPlan::TakeFaster : NextPlan::TakeSpare;
  if (fits) {
    if (isFirst && outcome.notKept > 0 && hasRoom)
      return NextPlan::KeepMore;
    if (isFirst && outcome.chosen && outcome.limited)
      return NextPlan::ChooseFaster;
    return NextPlan::Accept;
  }
  bool isEnough = !outcome.chosen || outcome.kept >= outcome.excess;
  if (outcome.kept > 0 && isEnough &&
      outcome.compiles < searchLimits.mostCompiles)
    return NextPlan::KeepLess;
  if (outcome.chosen && outcome.compiles <= searchLimits.mostCompiles)
    return NextPlan::ChooseSmaller;
  return NextPlan::Accept;
}

} // namespace zcc::planner
