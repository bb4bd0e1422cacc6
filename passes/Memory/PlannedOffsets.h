// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The offsets of a stage's buffers, to the text of phase `planned` and back.
#ifndef ZCC_PASSES_MEMORY_PLANNEDOFFSETS_H
#define ZCC_PASSES_MEMORY_PLANNEDOFFSETS_H

#include "passes/Memory/Timeline.h"

namespace zcc {

void writeOffsets(const StageTimeline &timeline);

/// Errors are at what has no offset, or another one than elsewhere.
mlir::LogicalResult readOffsets(StageTimeline &timeline);

} // namespace zcc

#endif
