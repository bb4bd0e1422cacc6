// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Extends the live ranges of buffers that steps of streams beside the main one
// use.
#ifndef ZCC_PASSES_MEMORY_STREAMLIFETIMES_H
#define ZCC_PASSES_MEMORY_STREAMLIFETIMES_H

#include "passes/Memory/Timeline.h"

namespace zcc {

/// A buffer that a step of another stream uses is in use until the main stream
/// has waited for the step. (The step begins when its turn comes in the order:
/// it waits for the step of the main stream before it.)
void extendUntilJoined(StageTimeline &timeline);

} // namespace zcc

#endif
