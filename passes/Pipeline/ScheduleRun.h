// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the action tables of all stages against each other, without computing
// anything.
#ifndef ZCC_PASSES_PIPELINE_SCHEDULERUN_H
#define ZCC_PASSES_PIPELINE_SCHEDULERUN_H

#include "mlir/IR/BuiltinOps.h"

namespace zcc {

// Fails with an error if a table is missing, a task is not run or run twice for
// a microbatch, a value is read, sent or accumulated where it is not there, a
// send or receive has no counterpart, or the stages wait for each other
// forever.
mlir::LogicalResult runSchedules(mlir::ModuleOp module);

} // namespace zcc

#endif
