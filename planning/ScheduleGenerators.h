// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Schedules by name. A generator gives the order in which a stage runs its
// tasks. For all of them, values that cross stages are sent as soon as they are
// made, and received right before they are read.

#ifndef ZCC_PLANNING_SCHEDULEGENERATORS_H
#define ZCC_PLANNING_SCHEDULEGENERATORS_H

#include "planning/ActionText.h"
#include "planning/NamedSchedule.h"

namespace zcc::planning {

struct TaskRun {
  size_t task = 0;
  int64_t microbatch = 0;
};
/// The runs of each stage, in order.
using TaskOrder = std::vector<std::vector<TaskRun>>;

struct ScheduleGenerator {
  ScheduleKind kind;
  /// The name; `interleaved:V` takes a number of chunks after the colon, and
  /// after another one the size of its groups.
  const char *name;
  const char *help;
  int64_t chunks; // per stage; 0: the number in the name
  bool splits;    // weights' gradients have separate tasks
  bool goesBack;  // see makeChain()
  /// `group`: see NamedSchedule::countGroup().
  TaskOrder (*order)(const ScheduleProblem &problem, int64_t group);
};

const std::vector<ScheduleGenerator> &getScheduleGenerators();
/// Returns `auto` and the names of the schedules, separated by '|'.
std::string listSchedules();

/// Finds the properties of stages and tasks that the rows ask for, or, without
/// rows, the schedule. Returns an error text, or "".
[[nodiscard]] std::string findShape(const NamedSchedule &schedule,
                                    const std::vector<std::string> &rows,
                                    ActionShape &shape);

/// Makes and verifies tables that run tasks in that order. Returns an error
/// text, or "".
[[nodiscard]] std::string makeTables(const ScheduleProblem &problem,
                                     const TaskOrder &order,
                                     std::vector<ActionTable> &tables);
/// Makes and verifies the tables of that schedule. Returns an error text, or
/// "".
[[nodiscard]] std::string makeSchedule(const NamedSchedule &schedule,
                                       const ScheduleProblem &problem,
                                       std::vector<ActionTable> &tables);

} // namespace zcc::planning

#endif // ZCC_PLANNING_SCHEDULEGENERATORS_H
