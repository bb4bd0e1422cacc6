// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rings that send the next block while the kernel works on this one
// (zcc-overlap-collectives): permutes go on the stream of their links, and a
// turn begins with those of what it passes on. What the kernel adds to moves
// after it, and is waited for by the next turn.
#ifndef ZCC_PASSES_SCHEDULE_RINGOVERLAP_H
#define ZCC_PASSES_SCHEDULE_RINGOVERLAP_H

#include "dialects/Exec/Exec.h"
#include "passes/Schedule/StepTimer.h"

namespace zcc {

/// What a ring takes, one that overlaps as if it waited for what it must.
struct RingTime {
  double seconds = 0;
  int64_t link = 0;       // stream; 0: it sends on the main one
  double linkSeconds = 0; // that the links carry something
};
RingTime timeRing(StepTimer &timer, exec::RepeatOp ring);

/// Of those rings that get shorter by it.
void overlapRings(mlir::ModuleOp module, StepTimer &timer);

} // namespace zcc

#endif
