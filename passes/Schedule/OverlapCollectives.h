// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the transformation of zcc-overlap-collectives on a module, also for
// callers that only want to know its estimates.
#ifndef ZCC_PASSES_SCHEDULE_OVERLAPCOLLECTIVES_H
#define ZCC_PASSES_SCHEDULE_OVERLAPCOLLECTIVES_H

#include "mlir/IR/OwningOpRef.h"
#include "passes/Schedule/Schedule.h"
#include "llvm/ADT/StringMap.h"

namespace zcc {

/// The estimate for a step of training: the maximum over the devices of all
/// stages.
struct OverlapOutcome {
  double seconds = 0;
  /// The peak of memory in bytes, and the bytes that it may reach.
  int64_t peak = 0, mostMemory = 0;
  /// Seconds of one run, and seconds that computation waits for collectives in
  /// all runs, by task.
  llvm::StringMap<double> ofRun, waits;
};

/// Hands on to later passes a pass's knowledge of the module that it leaves.
struct KnownOverlap {
  explicit KnownOverlap(mlir::Operation *) {}
  /// The outcome for the module (OverlapEffort::estimate), if it is known.
  std::optional<OverlapOutcome> outcome;
  /// The module without steps in parts, if some steps run in parts and there is
  /// one stage. (With several, to choose turns twice would take the compilation
  /// a fifth longer.)
  mlir::OwningOpRef<mlir::ModuleOp> unsplit;
};

/// whole: all orders are tried; estimate: only those that long tasks mostly
/// get.
enum class OverlapEffort { whole, estimate };

/// Puts collectives on streams of their own, and steps in order, if that saves
/// time. The machine must have links. If there are several stages, each task
/// waits for its own collectives.
mlir::FailureOr<OverlapOutcome>
overlapCollectives(mlir::ModuleOp module, const ScheduleOptions &options,
                   OverlapEffort effort);

} // namespace zcc

#endif
