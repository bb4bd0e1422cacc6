// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Algorithms for memory placement. All are deterministic: ties are broken by
// the place in the problem, and searches stop by count, never by the clock.

#ifndef ZCC_COMPILER_PLANNING_MEMORYALGORITHMS_H
#define ZCC_COMPILER_PLANNING_MEMORYALGORITHMS_H

#include "compiler/planning/MemoryProblem.h"

#include <optional>

namespace zcc::planning {

enum class Fit {
  First, // the lowest gap that is large enough
  Best,  // the smallest such gap
};

/// Places the buffers one by one in the given order, each in a gap between the
/// placed buffers that it conflicts with.
MemoryPlacement placeInOrder(const MemoryProblem &problem,
                             const std::vector<size_t> &order, Fit fit);

/// The static orders that are tried: descending size, area, lifetime, number of
/// conflicts; ascending start.
enum class PlacementOrder { Size, Area, Lifetime, Conflicts, Start };
std::vector<size_t> makeOrder(const MemoryProblem &problem,
                              PlacementOrder order);

struct PlacementOptions {
  /// Stop as soon as a placement is at most this high; negative: the bound.
  int64_t target = -1;
  /// Steps that searchPlacement() may take for each height that is tried, if
  /// the static orders miss the target.
  int64_t nodes = 2000;
  /// Placements that the search after that tries.
  int64_t attempts = 400;
};

/// Depth-first search for a placement of at most `height`; nothing if there is
/// none or none was found in `nodes` steps (of each of three orders). For up to
/// some hundred buffers.
std::optional<MemoryPlacement> searchPlacement(const MemoryProblem &problem,
                                               int64_t height, int64_t nodes);

/// The best of all static orders with both fits; if that is above the target,
/// searchPlacement() for the target and a little more; then a search that moves
/// the buffers at the top of the best placement forward in its order.
MemoryPlacement placeBuffers(const MemoryProblem &problem,
                             const PlacementOptions &options = {});

} // namespace zcc::planning

#endif // ZCC_COMPILER_PLANNING_MEMORYALGORITHMS_H
