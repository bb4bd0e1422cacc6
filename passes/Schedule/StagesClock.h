// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plays the tables of all stages against each other, each on the clock of its
// device.
#ifndef ZCC_PASSES_SCHEDULE_STAGESCLOCK_H
#define ZCC_PASSES_SCHEDULE_STAGESCLOCK_H

#include "passes/Schedule/StepTimer.h"
#include "llvm/ADT/StringMap.h"

namespace zcc {

struct StagesTimes {
  /// Seconds until the last stage has ended; infinity if stages wait for each
  /// other in a circle.
  double end = 0;
  /// Seconds in which a stage does not wait for other stages; the sum of all.
  double busy = 0;
  /// Mean seconds of a run, by task.
  llvm::StringMap<double> ofRun;
};

/// Plays a module whose steps have streams and events (zcc-place-events).
/// Transfers run beside tasks, those of a stage one after the other. The
/// simulator of the compiler plays programs in the same way.
StagesTimes playStages(mlir::ModuleOp module, StepTimer &timer);

} // namespace zcc

#endif
