// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Algorithms for memory placement. All are deterministic: ties are broken by
// the place in the problem, and searches stop after a number of steps, never by
// the clock.

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

/// The static orders that placeBuffers() tries: by descending size, area,
/// lifetime or number of conflicts, or by ascending start.
enum class PlacementOrder { Size, Area, Lifetime, Conflicts, Start };
std::vector<size_t> makeOrder(const MemoryProblem &problem,
                              PlacementOrder order);

struct PlacementOptions {
  /// A height (bytes) that the placement must reach: the search stops there,
  /// and makes ten times the effort before. Negative: the search goes as low as
  /// it can.
  int64_t target = -1;
  /// A height (bytes) that is low enough: the search makes no effort to go
  /// lower.
  int64_t enough = 0;
  /// The most gaps and open buffers that the search looks at; each takes some
  /// nanoseconds.
  int64_t steps = 160'000'000;
};

/// Searches depth-first for a placement of at most `height` bytes. Returns
/// nullopt if there is none, or if it found none in so many steps. It is meant
/// for up to some thousand buffers.
std::optional<MemoryPlacement> searchPlacement(const MemoryProblem &problem,
                                               int64_t height, int64_t steps);

/// Returns the best placement that it finds. It tries all static orders with
/// both fits; then it moves buffers that end above the target to the front of
/// the best order, several times; then it runs searchPlacement() for the
/// target, and for heights between it and the best.
MemoryPlacement placeBuffers(const MemoryProblem &problem,
                             const PlacementOptions &options = {});

} // namespace zcc::planning

#endif // ZCC_PLANNING_MEMORYALGORITHMS_H
