// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plays the tables of all stages against each other, each run as one piece of
// work.
#ifndef ZCC_PASSES_SCHEDULE_STAGESCLOCK_H
#define ZCC_PASSES_SCHEDULE_STAGESCLOCK_H

#include "passes/Schedule/StepTimer.h"
#include "llvm/ADT/StringMap.h"

namespace zcc {

/// Returns the seconds until the last stage has ended, if a run takes as long
/// as `ofRun` says of its task, and transfers run beside tasks.
double playStages(mlir::ModuleOp module, const llvm::StringMap<double> &ofRun,
                  const StepTimer &timer);

} // namespace zcc

#endif
