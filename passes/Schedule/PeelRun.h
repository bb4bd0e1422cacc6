// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A single run of a task may get a task of its own.
#ifndef ZCC_PASSES_SCHEDULE_PEELRUN_H
#define ZCC_PASSES_SCHEDULE_PEELRUN_H

#include "dialects/Dist/Dist.h"
#include "dialects/Exec/Exec.h"

namespace zcc {

/// Makes a copy of a task, which that action runs instead. Its name is the
/// task's, with `suffix` and, if need be, a number. Kernels are shared.
exec::TaskOp peelRun(mlir::ModuleOp module, exec::TaskOp task, dist::RunOp run,
                     llvm::StringRef suffix);

/// Returns true if a kernel depends on the microbatch: in another task's run it
/// would see another one.
bool asksForMicrobatch(mlir::Operation *step);

} // namespace zcc

#endif
