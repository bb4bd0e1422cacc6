// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Schedules by name. A generator gives the order in which a stage runs its
// tasks. For all of them, values that cross stages are sent as soon as they are
// made, and received right before they are read.

#ifndef ZCC_PLANNING_SCHEDULEGENERATORS_H
#define ZCC_PLANNING_SCHEDULEGENERATORS_H

#include "planning/ActionText.h"

namespace zcc::planning {

struct TaskRun {
  size_t task = 0;
  int64_t microbatch = 0;
};
/// The runs of each stage, in order.
using TaskOrder = std::vector<std::vector<TaskRun>>;

struct ScheduleGenerator {
  /// The name; `interleaved:V` takes a number of chunks after the colon.
  const char *name;
  const char *help;
  int64_t chunks; // per stage; 0: the number in the name
  bool splits;    // weights' gradients have separate tasks
  bool goesBack;  // see makeChain()
  TaskOrder (*order)(const ScheduleProblem &problem);
};

const std::vector<ScheduleGenerator> &getScheduleGenerators();
/// The schedule that `auto` means.
inline constexpr std::string_view defaultSchedule = "1f1b";
/// Returns `auto` and the names of the schedules, separated by '|'.
std::string listSchedules();

/// Finds the generator that `name` asks for. Returns an error text that lists
/// the names, or "".
[[nodiscard]] std::string findSchedule(std::string_view name,
                                       const ScheduleGenerator *&found);

/// Returns the number of chunks per stage of a name that findSchedule()
/// accepts.
int64_t countChunks(std::string_view name);

/// A schedule by its name, read once. Without a name it is the one that `auto`
/// means.
class NamedSchedule {
public:
  NamedSchedule();

  /// Returns false if it is the one that `auto` means.
  bool isNamed() const { return named; }
  const ScheduleGenerator &getGenerator() const { return *generator; }
  int64_t countChunks() const { return chunks; } // per stage
  /// Returns the name as parseSchedule() takes it.
  std::string print() const;

private:
  friend std::string parseSchedule(std::string_view text,
                                   NamedSchedule &schedule);
  bool named = false;
  const ScheduleGenerator *generator;
  int64_t chunks = 1;
};
/// Reads `auto`, "" (the same) or the name of a schedule. Returns an error text
/// that lists the names, or "".
[[nodiscard]] std::string parseSchedule(std::string_view text,
                                        NamedSchedule &schedule);

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
/// Makes and verifies the tables of that generator. Returns an error text, or
/// "".
[[nodiscard]] std::string makeSchedule(const ScheduleGenerator &generator,
                                       const ScheduleProblem &problem,
                                       std::vector<ActionTable> &tables);

} // namespace zcc::planning

#endif // ZCC_PLANNING_SCHEDULEGENERATORS_H
