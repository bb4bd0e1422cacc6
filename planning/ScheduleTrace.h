// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When the tasks of a pipeline ran, from a trace, predicted (zcc --trace) or
// measured (zrun --trace): for pictures (ScheduleDrawing.h).

#ifndef ZCC_PLANNING_SCHEDULETRACE_H
#define ZCC_PLANNING_SCHEDULETRACE_H

#include "planning/ScheduleClock.h"

namespace zcc::planning {

/// A step of a task on a rank's main stream.
struct TaskStep {
  int64_t rank = 0;
  std::string name; // "forward: add"
  int64_t stage = 0, chunk = 0, microbatch = 0;
  double begin = 0, end = 0; // seconds
};

struct TimedTasks {
  ScheduleProblem problem; // without reads
  ScheduleTimes times;     // without what stages hold
};

/// Of the first rank of each stage; a task runs from its first step to its last
/// one. What runs once a step of training (the update) is left out.
TimedTasks gatherTasks(const std::vector<TaskStep> &steps);

/// The steps of a trace's text. An error text, or empty.
[[nodiscard]] std::string parseTaskSteps(std::string_view text,
                                         std::vector<TaskStep> &steps);

} // namespace zcc::planning

#endif // ZCC_PLANNING_SCHEDULETRACE_H
