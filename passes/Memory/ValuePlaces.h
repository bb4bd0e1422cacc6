// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which instances of a value, one a microbatch, lie at one place: an offset
// that is chosen once for all of them.
#ifndef ZCC_PASSES_MEMORY_VALUEPLACES_H
#define ZCC_PASSES_MEMORY_VALUEPLACES_H

#include "passes/Memory/Timeline.h"

namespace zcc {

/// By buffer of the timeline: the number of its place among those of its value;
/// -1 for what is no value of this memory. Values use their places in turn, all
/// with one period, the least multiple of the number of stages that is enough
/// (or each instance has a place of its own): schedules repeat themselves with
/// such periods, and so does then what lies beside each other. Where that makes
/// more than `most` places, each value has as few as it can.
std::vector<int64_t> placeValues(const StageTimeline &timeline, Memory memory,
                                 int64_t most);

} // namespace zcc

#endif
