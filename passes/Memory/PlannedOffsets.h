// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the offsets of a stage's buffers to a module of phase `planned`, and
// reads them back.
#ifndef ZCC_PASSES_MEMORY_PLANNEDOFFSETS_H
#define ZCC_PASSES_MEMORY_PLANNEDOFFSETS_H

#include "passes/Memory/Timeline.h"

namespace zcc {

void writeOffsets(const StageTimeline &timeline);

/// Fails with an error at the op that has no offset, or another offset than
/// elsewhere.
mlir::LogicalResult readOffsets(StageTimeline &timeline);

} // namespace zcc

#endif
