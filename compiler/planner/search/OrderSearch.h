// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Searches for another order of the tasks of a plan with stages that was
// simulated, by the seconds that they took there, within the estimated memory
// of stages.
#ifndef ZCC_COMPILER_PLANNER_SEARCH_ORDERSEARCH_H
#define ZCC_COMPILER_PLANNER_SEARCH_ORDERSEARCH_H

#include "compiler/simulator/Prediction.h"
#include "compiler/planner/search/ChoosePlan.h"

namespace zcc::planner {

/// Returns the plan with the best action table that it finds; nullopt if none
/// gains enough to justify another compilation. `request` is that of the plan;
/// its costs are replaced by those in `stages`, from its simulation.
std::optional<Candidate>
searchOrder(const Candidate &plan, planning::ScheduleRequest request,
            const std::vector<StagePrediction> &stages);

} // namespace zcc::planner

#endif
