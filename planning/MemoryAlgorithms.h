// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Algorithms for memory placement. All are deterministic: ties are broken by
// the place in the problem, and searches stop by count, never by the clock.

#ifndef ZCC_PLANNING_MEMORYALGORITHMS_H
#define ZCC_PLANNING_MEMORYALGORITHMS_H

#include "planning/MemoryProblem.h"

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
  /// A height that must do: it is stopped there, and ten times the effort is
  /// made before. Negative: as low as is found.
  int64_t target = -1;
  /// A height that is low enough: no effort is made to come lower.
  int64_t enough = 0;
  /// What is looked at (gaps, open buffers), some nanoseconds each.
  int64_t steps = 160'000'000;
};

/// Depth-first search for a placement of at most `height`; nothing if there is
/// none or none was found in so many steps. For up to some thousand buffers.
std::optional<MemoryPlacement> searchPlacement(const MemoryProblem &problem,
                                               int64_t height, int64_t steps);

/// The best of all static orders with both fits; what is above the target moves
/// to the front of the best order, some times; then searchPlacement() for the
/// target, and for heights between it and the best.
MemoryPlacement placeBuffers(const MemoryProblem &problem,
                             const PlacementOptions &options = {});

} // namespace zcc::planning

#endif // ZCC_PLANNING_MEMORYALGORITHMS_H
