// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text form of problems and answers of `zcc-solve pipeline`.

#ifndef ZCC_PLANNING_SCHEDULETEXT_H
#define ZCC_PLANNING_SCHEDULETEXT_H

#include "planning/ScheduleSearch.h"

namespace zcc::planning {

/// Reads `f=1,b=1,w=1,send=0` (seconds; `send` is optional). Returns an error
/// text, or "".
[[nodiscard]] std::string parseStageCost(std::string_view text,
                                         StageCost &cost);
/// Reads CSV with the columns stage, f, b, w and, optionally, send; each stage
/// has one row. Returns an error text with the line, or "".
[[nodiscard]] std::string parseStageCosts(std::string_view text,
                                          std::vector<StageCost> &costs);
/// Returns JSON with schedule, makespan, bubble, rank_cost, peak, buffers and
/// actions.
std::string printFoundSchedule(const FoundSchedule &found);

} // namespace zcc::planning

#endif // ZCC_PLANNING_SCHEDULETEXT_H
