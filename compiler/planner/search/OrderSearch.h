// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For a plan with stages that was simulated: another order of its tasks, by the
// seconds that they take there, within the memory that stages have by estimate.
#ifndef ZCC_COMPILER_PLANNER_SEARCH_ORDERSEARCH_H
#define ZCC_COMPILER_PLANNER_SEARCH_ORDERSEARCH_H

#include "compiler/simulator/Prediction.h"
#include "compiler/planner/search/ChoosePlan.h"

namespace zcc {

/// The plan with the best table that is found; nullopt: none gains as much as
/// another compilation is worth. `request`: of the plan; its costs are replaced
/// by those of `stages`, of its simulation.
std::optional<dist::Candidate>
searchOrder(const dist::Candidate &plan, planning::ScheduleRequest request,
            const std::vector<StagePrediction> &stages);

} // namespace zcc

#endif
