// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Searches for the point of a frontier (planning/Recomputation.h) that needs
// the least memory, before a plan is reported as too large. It need not be the
// last one, because values that are computed again are live while the backward
// pass is in their part. The points that are compiled do not depend on the
// memory of the machine, so that a budget of as many bytes as an error names is
// met.
#ifndef ZCC_COMPILER_PLANNER_FIT_LEASTSEARCH_H
#define ZCC_COMPILER_PLANNER_FIT_LEASTSEARCH_H

#include "planning/Recomputation.h"
#include <limits>
#include <map>
#include <optional>
#include <vector>

namespace zcc::planner {

class LeastSearch {
public:
  using Frontier = std::vector<planning::RecomputationFrontier::Point>;

  // `mostTries` is the most points that are compiled.
  explicit LeastSearch(size_t mostTries) : mostTries(mostTries) {}

  // Notes a compiled point: the bytes that it keeps and the peak bytes of a
  // device. The last point comes first. Later frontiers must be the first one,
  // or its begin. An empty frontier means that nothing is computed again.
  void note(const Frontier &frontier, double kept, double peak);
  // Returns the most bytes to keep in the next try (negative: all); nullopt if
  // the search is over.
  std::optional<double> next();
  // Returns true if the point noted last needs less memory than all before.
  bool isBest() const { return improved; }

private:
  std::optional<double> nextPoint() const;

  size_t mostTries;
  Frontier points;
  std::map<size_t, double> peaks; // by point
  size_t least = 0;
  double leastPeak = std::numeric_limits<double>::infinity();
  bool improved = false, askedForAll = false;
};

} // namespace zcc::planner

#endif
