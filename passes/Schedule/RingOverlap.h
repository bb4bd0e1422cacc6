// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lets rings send the next block while the kernel works on this one
// (zcc-overlap-collectives). Permutes go on the stream of their links, and a
// turn begins with the permutes of passed blocks. A block that the kernel adds
// to moves after the kernel, and the next turn waits for it.
#ifndef ZCC_PASSES_SCHEDULE_RINGOVERLAP_H
#define ZCC_PASSES_SCHEDULE_RINGOVERLAP_H

#include "dialects/Exec/Exec.h"
#include "passes/Schedule/StepTimer.h"

namespace zcc {

/// The estimated time of a ring; a ring that overlaps counts its waits.
struct RingTime {
  double seconds = 0;
  int64_t link = 0;       // its stream; 0: it sends on the main stream
  double linkSeconds = 0; // seconds for which the links are busy
};
RingTime timeRing(StepTimer &timer, exec::RepeatOp ring);

/// Lets those rings overlap that get shorter by it.
void overlapRings(mlir::ModuleOp module, StepTimer &timer);

} // namespace zcc

#endif
