// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long steps of streams beside the main one hold what they use.
#ifndef ZCC_PASSES_MEMORY_STREAMLIFETIMES_H
#define ZCC_PASSES_MEMORY_STREAMLIFETIMES_H

#include "passes/Memory/Timeline.h"

namespace zcc {

/// What a step of another stream uses is in use until the main stream has
/// waited for it. (It begins when its turn comes in the order: it waits for the
/// step of the main stream before it.)
void extendUntilJoined(StageTimeline &timeline);

} // namespace zcc

#endif
