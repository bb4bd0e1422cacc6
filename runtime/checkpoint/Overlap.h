// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks that the slices of a tensor do not overlap. If they also have as many
// elements as the tensor, they cover it.

#ifndef ZCC_RUNTIME_CHECKPOINT_OVERLAP_H
#define ZCC_RUNTIME_CHECKPOINT_OVERLAP_H

#include "runtime/checkpoint/CheckpointIndex.h"

#include <utility>

namespace zcc::rt {

/// Returns two slices that have an element in common, the smaller index first;
/// nothing if there are none. All must have the same number of dims, and ends
/// that do not overflow.
std::optional<std::pair<size_t, size_t>>
findOverlap(const std::vector<CheckpointIndex::Slice> &slices);

} // namespace zcc::rt

#endif // ZCC_RUNTIME_CHECKPOINT_OVERLAP_H
