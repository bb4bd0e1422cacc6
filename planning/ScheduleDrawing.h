// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Draws a pipeline's schedule: one row per stage, time goes to the right.

#ifndef ZCC_PLANNING_SCHEDULEDRAWING_H
#define ZCC_PLANNING_SCHEDULEDRAWING_H

#include "planning/ScheduleClock.h"

namespace zcc::planning {

/// Returns one line per stage of at most about `columns` characters. A task is
/// drawn as its letter, its microbatch's number if there is room, and `=` up to
/// its end.
std::string drawScheduleText(const ScheduleProblem &problem,
                             const ScheduleTimes &times, size_t columns = 150);

struct SchedulePicture {
  std::string title = "Schedule"; // of which program, on which mesh
  bool inSeconds = true;          // else times have no unit
  // The length of the step and its gaps, in words, as other texts about the
  // program tell them; "": those of the schedule alone.
  std::string facts = {};
};
/// Returns a picture with a time axis and a legend. It is as wide as the
/// number of tasks needs, up to a limit; tasks that would be too narrow then
/// are joined to blocks that show the share of each kind.
std::string drawScheduleSvg(const ScheduleProblem &problem,
                            const ScheduleTimes &times,
                            const SchedulePicture &picture);

} // namespace zcc::planning

#endif // ZCC_PLANNING_SCHEDULEDRAWING_H
