// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What zcc-overlap-collectives does to a module, for whoever wants to know what
// it would come to.
#ifndef ZCC_PASSES_SCHEDULE_OVERLAPCOLLECTIVES_H
#define ZCC_PASSES_SCHEDULE_OVERLAPCOLLECTIVES_H

#include "passes/Schedule/Schedule.h"
#include "llvm/ADT/StringMap.h"

namespace zcc {

/// Of the devices in a step of training, by estimate, the most of any stage's;
/// seconds.
struct OverlapOutcome {
  double seconds = 0;
  /// Bytes at its peak, and how many it may have.
  int64_t peak = 0, mostMemory = 0;
  /// That computation waits for collectives, by task.
  llvm::StringMap<double> waits;
};

/// Whether all orders are tried, or those that long tasks mostly get.
enum class OverlapEffort { whole, estimate };

/// Puts collectives on streams of their own, and steps in order, where that
/// pays. `machine` has links. Of several stages each task waits for its own.
mlir::FailureOr<OverlapOutcome>
overlapCollectives(mlir::ModuleOp module, const ScheduleOptions &options,
                   OverlapEffort effort);

} // namespace zcc

#endif
