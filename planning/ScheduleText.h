// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problems and answers of `zcc-solve pipeline` in text.

#ifndef ZCC_PLANNING_SCHEDULETEXT_H
#define ZCC_PLANNING_SCHEDULETEXT_H

#include "planning/ScheduleSearch.h"

namespace zcc::planning {

/// `f=1,b=1,w=1,send=0`, the last one optional: seconds. An error text, or
/// empty.
[[nodiscard]] std::string parseStageCost(std::string_view text,
                                         StageCost &cost);
/// CSV with columns stage, f, b, w and, optionally, send; each stage once. An
/// error text with the line, or empty.
[[nodiscard]] std::string parseStageCosts(std::string_view text,
                                          std::vector<StageCost> &costs);
/// JSON: schedule, makespan, bubble, rank_cost, peak, buffers, actions.
std::string printFoundSchedule(const FoundSchedule &found);

} // namespace zcc::planning

#endif // ZCC_PLANNING_SCHEDULETEXT_H
