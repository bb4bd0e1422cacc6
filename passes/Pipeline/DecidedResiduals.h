// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decisions on single residuals, as a plan's file has them. They name an op by
// its name and its number among the forward pass's ops of that name.
#ifndef ZCC_PASSES_PIPELINE_DECIDEDRESIDUALS_H
#define ZCC_PASSES_PIPELINE_DECIDEDRESIDUALS_H

#include "passes/Pipeline/Pipeline.h"
#include "passes/Pipeline/StepTasks.h"

namespace zcc {

// Returns the decision for each forward value that backward tasks read. `tasks`
// must have found their reads. Gathered parameters are left out, because they
// have choices of their own; so are values that are next to free, because they
// are always computed again.
std::vector<planning::PlanDecision> tellDecisions(const StepTasks &tasks);

// The decisions of `pins` on ops of the step. They decide on every op that they
// name; other values are kept if that is worth it. It is an error, at the pin's
// place, if the forward pass has no such op, or fewer of them, or if the op may
// not run again. Ops that change types or move data may be missing, because
// other programs of the model (of another precision, say) lack them. Without a
// backward pass nothing is decided.
struct FollowedDecisions {
  llvm::DenseMap<mlir::Operation *, Keep> wishes;
  // Ops whose results are handed over to tasks of weights' gradients.
  llvm::DenseSet<mlir::Operation *> handed;
};
mlir::FailureOr<FollowedDecisions> followDecisions(const StepTasks &tasks,
                                                   const ResidualPins &pins);

} // namespace zcc

#endif
