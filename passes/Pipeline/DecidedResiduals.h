// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decisions on single residuals, as a plan's file has them: by the op's name
// and its number among the forward pass's ops of that name.
#ifndef ZCC_PASSES_PIPELINE_DECIDEDRESIDUALS_H
#define ZCC_PASSES_PIPELINE_DECIDEDRESIDUALS_H

#include "passes/Pipeline/Pipeline.h"
#include "passes/Pipeline/StepTasks.h"

namespace zcc {

// What became of forward values that backward tasks read; `tasks` have found
// their reads. Not told: gathered parameters, which have choices of their own,
// and what is next to free and so always computed again.
std::vector<planning::PlanDecision> tellDecisions(const StepTasks &tasks);

// The wishes that `pins` are; they decide on all that they name, and what they
// do not name is kept where that is worth it. Errors, at the pin's place: the
// forward pass has no such op, or not so many, or it may not run again. In
// other programs of the model, as of another precision, ops that change types
// or move data may lack; where there is no backward pass nothing is decided.
struct FollowedDecisions {
  llvm::DenseMap<mlir::Operation *, Keep> wishes;
  // What is handed over to tasks of weights' gradients.
  llvm::DenseSet<mlir::Operation *> handed;
};
mlir::FailureOr<FollowedDecisions> followDecisions(const StepTasks &tasks,
                                                   const ResidualPins &pins);

} // namespace zcc

#endif
