// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Schedules by name. A generator says in which order a stage runs its tasks;
// that what crosses stages is sent as soon as it is made, and received right
// before it is read, is the same for all.

#ifndef ZCC_PLANNING_SCHEDULEGENERATORS_H
#define ZCC_PLANNING_SCHEDULEGENERATORS_H

#include "planning/ActionText.h"

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
  int64_t chunks; // of a stage; 0: as many as the name says
  bool splits;    // gradients of weights are tasks of their own
  bool goesBack;  // see makeChain()
  TaskOrder (*order)(const ScheduleProblem &problem);
};

const std::vector<ScheduleGenerator> &getScheduleGenerators();
/// What `auto` is.
inline constexpr std::string_view defaultSchedule = "1f1b";
/// Their names after `auto`, separated by '|'.
std::string listSchedules();

/// The generator that `name` asks for. An error text (what there is), or empty.
[[nodiscard]] std::string findSchedule(std::string_view name,
                                       const ScheduleGenerator *&found);

/// How many chunks a stage has under a name that findSchedule() takes.
int64_t countChunks(std::string_view name);

/// What is asked of the cut and of the tasks: by rows, or where there are none
/// by the schedule of that name. An error text, or empty.
[[nodiscard]] std::string findShape(std::string_view name,
                                    const std::vector<std::string> &rows,
                                    ActionShape &shape);

/// Tables that run tasks in that order, verified. An error text, or empty.
[[nodiscard]] std::string makeTables(const ScheduleProblem &problem,
                                     const TaskOrder &order,
                                     std::vector<ActionTable> &tables);
/// Tables by that generator, verified. An error text, or empty.
[[nodiscard]] std::string makeSchedule(const ScheduleGenerator &generator,
                                       const ScheduleProblem &problem,
                                       std::vector<ActionTable> &tables);

} // namespace zcc::planning

#endif // ZCC_PLANNING_SCHEDULEGENERATORS_H
