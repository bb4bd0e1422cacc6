// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value has one instance for each microbatch. This chooses which instances
// share a place, that is an offset that is chosen once for all of them.
#ifndef ZCC_PASSES_MEMORY_VALUEPLACES_H
#define ZCC_PASSES_MEMORY_VALUEPLACES_H

#include "passes/Memory/Timeline.h"

namespace zcc {

/// Returns for each buffer of the timeline the number of its place among those
/// of its value; -1 if it is no value of this memory. Values use their places
/// in turn, all with one period. It is the least multiple of the number of
/// stages that suffices (or each instance has a place of its own). Schedules
/// repeat themselves with such periods, and so do then neighbours in memory. If
/// that makes more than `most` places, each value gets as few places as it can.
std::vector<int64_t> placeValues(const StageTimeline &timeline,
                                 MemorySpace memory, int64_t most);

} // namespace zcc

#endif
