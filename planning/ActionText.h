// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Action tables as text, for `zcc-solve pipeline`, for plans and for messages.
//
// F2 is the forward task for microbatch 2, B2 the backward task, W2 the task
// that computes the weights' gradients; F2.1 is the forward task of chunk 1.
// `F2>1` sends to stage 1 the results of F2, and those of the values read by F2
// that its stage passes on (ValueRoutes.h); `0>F2` receives these from stage 0.
// A row has the actions of one stage, separated by spaces.

#ifndef ZCC_PLANNING_ACTIONTEXT_H
#define ZCC_PLANNING_ACTIONTEXT_H

#include "planning/ScheduleProblem.h"

namespace zcc::planning {

std::string printTask(const ScheduleProblem &problem, size_t task,
                      int64_t microbatch);
std::string printAction(const ScheduleProblem &problem,
                        const StageAction &action);
std::string printRow(const ScheduleProblem &problem, const ActionTable &table);
/// Returns one line per stage.
std::string printSchedule(const ScheduleProblem &problem,
                          const std::vector<ActionTable> &tables);

/// Reads rows as printRow() writes them, one per stage. Returns the first
/// fault, if any. If gradients of weights have tasks of their own, a chunk may
/// have nothing left for one of its two backward tasks, which only the cut of
/// the step tells. A run of that task is left out.
[[nodiscard]] std::optional<ActionFault>
parseRows(const std::vector<std::string> &rows, const ScheduleProblem &problem,
          std::vector<ActionTable> &tables);
/// Reads text as printSchedule() writes it. Returns an error text, or "".
[[nodiscard]] std::string parseSchedule(std::string_view text,
                                        const ScheduleProblem &problem,
                                        std::vector<ActionTable> &tables);

/// The properties of the stages and tasks that rows imply.
struct ActionShape {
  int64_t chunks = 1;    // per stage
  bool splits = false;   // weights' gradients have separate tasks
  bool goesBack = false; // see makeChain()
};

/// Reads the shape of rows for so many microbatches. Returns the first fault,
/// if any; findFault() checks that tasks run in a valid order.
[[nodiscard]] std::optional<ActionFault>
readShape(const std::vector<std::string> &rows, int64_t microbatches,
          ActionShape &shape);

} // namespace zcc::planning

#endif // ZCC_PLANNING_ACTIONTEXT_H
