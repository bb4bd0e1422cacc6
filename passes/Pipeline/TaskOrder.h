// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of a task's ops.
#ifndef ZCC_PASSES_PIPELINE_TASKORDER_H
#define ZCC_PASSES_PIPELINE_TASKORDER_H

#include "passes/Pipeline/StepTasks.h"

namespace zcc {

// The order of the step, but what is computed again and parameters that are
// gathered come right before their first reader, so that only one block's
// values live at a time; gradients are reduced right after they are made.
llvm::SmallVector<mlir::Operation *> orderOps(const StepTasks &tasks,
                                              const StepTask &task);

} // namespace zcc

#endif
