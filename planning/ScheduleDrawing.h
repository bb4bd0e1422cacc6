// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pictures of a pipeline's schedule: a row a stage, time to the right.

#ifndef ZCC_PLANNING_SCHEDULEDRAWING_H
#define ZCC_PLANNING_SCHEDULEDRAWING_H

#include "planning/ScheduleClock.h"

namespace zcc::planning {

/// A line a stage of at most about `columns` characters; a task is its letter,
/// its microbatch's number where there is room, and `=` up to its end.
std::string drawScheduleText(const ScheduleProblem &problem,
                             const ScheduleTimes &times, size_t columns = 150);
std::string drawScheduleSvg(const ScheduleProblem &problem,
                            const ScheduleTimes &times);

} // namespace zcc::planning

#endif // ZCC_PLANNING_SCHEDULEDRAWING_H
