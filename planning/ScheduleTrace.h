// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads from a trace when the tasks of a pipeline ran, as predicted (zcc
// --trace) or as measured (zrun --trace), for drawing (ScheduleDrawing.h).

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
  ScheduleTimes times;     // `peak` is not set
};

/// Returns the tasks of the first rank of each stage; a task lasts from its
/// first step to its last. Steps that run once per training step (the update)
/// are left out.
TimedTasks gatherTasks(const std::vector<TaskStep> &steps);

/// Reads the steps of a trace's text. Returns an error text, or "".
[[nodiscard]] std::string parseTaskSteps(std::string_view text,
                                         std::vector<TaskStep> &steps);

} // namespace zcc::planning

#endif // ZCC_PLANNING_SCHEDULETRACE_H
