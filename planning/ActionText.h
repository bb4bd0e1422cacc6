// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Action tables in text: of `zcc-solve pipeline`, of plans and of messages.
//
// F2 is the forward task for microbatch 2, B2 the backward, W2 the
// weight-backward one; F2.1 that of chunk 1. `F2>1` sends to stage 1 what F2
// made, and what its stage passes on of what F2 reads (ValueRoutes.h); `0>F2`
// receives that from stage 0. A row is the actions of a stage, separated by
// spaces.

#ifndef ZCC_PLANNING_ACTIONTEXT_H
#define ZCC_PLANNING_ACTIONTEXT_H

#include "planning/ScheduleProblem.h"

namespace zcc::planning {

std::string printTask(const ScheduleProblem &problem, size_t task,
                      int64_t microbatch);
std::string printAction(const ScheduleProblem &problem,
                        const StageAction &action);
std::string printRow(const ScheduleProblem &problem, const ActionTable &table);
/// A line a stage.
std::string printSchedule(const ScheduleProblem &problem,
                          const std::vector<ActionTable> &tables);

/// Reads what printRow() writes for each stage.
[[nodiscard]] std::optional<ActionFault>
parseRows(const std::vector<std::string> &rows, const ScheduleProblem &problem,
          std::vector<ActionTable> &tables);
/// Reads what printSchedule() writes. An error text, or empty.
[[nodiscard]] std::string parseSchedule(std::string_view text,
                                        const ScheduleProblem &problem,
                                        std::vector<ActionTable> &tables);

/// What rows ask of the cut and of the tasks, before there are any.
struct ActionShape {
  int64_t chunks = 1;    // of a stage
  bool splits = false;   // gradients of weights are tasks of their own
  bool goesBack = false; // see makeChain()
};

/// The shape of rows for so many microbatches. Whether tasks run in the right
/// order is for findFault().
[[nodiscard]] std::optional<ActionFault>
readShape(const std::vector<std::string> &rows, int64_t microbatches,
          ActionShape &shape);

} // namespace zcc::planning

#endif // ZCC_PLANNING_ACTIONTEXT_H
