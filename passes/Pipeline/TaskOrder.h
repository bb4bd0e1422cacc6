// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of a task's ops.
#ifndef ZCC_PASSES_PIPELINE_TASKORDER_H
#define ZCC_PASSES_PIPELINE_TASKORDER_H

#include "passes/Pipeline/StepTasks.h"

namespace zcc {

// Returns the ops of the task in the order of the step, with two exceptions.
// Values that are computed again and gathered parameters come right before
// their first reader, so that only one block's values live at a time. Gradients
// are reduced right after they are made.
llvm::SmallVector<mlir::Operation *> orderOps(const StepTasks &tasks,
                                              const StepTask &task);

} // namespace zcc

#endif
