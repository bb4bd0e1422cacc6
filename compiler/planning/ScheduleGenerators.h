// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Schedules by name. A generator says in which order a stage runs its tasks;
// that what crosses stages is sent as soon as it is made, and received right
// before it is read, is the same for all.

#ifndef ZCC_COMPILER_PLANNING_SCHEDULEGENERATORS_H
#define ZCC_COMPILER_PLANNING_SCHEDULEGENERATORS_H

#include "compiler/planning/ScheduleProblem.h"

namespace zcc::planning {

struct TaskRun {
  size_t task = 0;
  int64_t microbatch = 0;
};
/// Of each stage, in its order.
using TaskOrder = std::vector<std::vector<TaskRun>>;

struct ScheduleGenerator {
  /// `interleaved:V` stands for a number of chunks after the colon.
  const char *name;
  const char *help;
  TaskOrder (*order)(const ScheduleProblem &problem); // null: not yet
};

const std::vector<ScheduleGenerator> &getScheduleGenerators();
/// What `auto` is.
inline constexpr std::string_view defaultSchedule = "1f1b";
/// Their names after `auto`, separated by '|'; all, or those that work.
std::string listSchedules(bool all);

/// The generator that `name` asks for. An error text (what there is), or empty.
[[nodiscard]] std::string findSchedule(std::string_view name,
                                       const ScheduleGenerator *&found);

/// Tables by that generator, verified. An error text, or empty.
[[nodiscard]] std::string makeSchedule(const ScheduleGenerator &generator,
                                       const ScheduleProblem &problem,
                                       std::vector<ActionTable> &tables);

} // namespace zcc::planning

#endif // ZCC_COMPILER_PLANNING_SCHEDULEGENERATORS_H
