// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which point of a frontier (planning/Recomputation.h) needs least
// memory, before a plan is refused. It need not be the last one: what is
// computed again is there while the backward pass is in it. Which points are
// compiled does not depend on the memory that there is, so that a budget of as
// many bytes as a refusal names is met.
#ifndef ZCC_COMPILER_PLANNER_FIT_LEASTSEARCH_H
#define ZCC_COMPILER_PLANNER_FIT_LEASTSEARCH_H

#include "planning/Recomputation.h"
#include <limits>
#include <map>
#include <optional>
#include <vector>

namespace zcc {

class LeastSearch {
public:
  using Frontier = std::vector<planning::RecomputationFrontier::Point>;

  // `mostTries`: points that are compiled.
  explicit LeastSearch(size_t mostTries) : mostTries(mostTries) {}

  // What was compiled, by the bytes of its point, and what a device needs; the
  // last point first. Later frontiers are the first one, or its begin. An empty
  // one: nothing is computed again.
  void note(const Frontier &frontier, double kept, double peak);
  // What may be kept at most in the next try, negative: all; nullopt: the
  // search is over.
  std::optional<double> next();
  // Whether the last that was noted needs less than all before.
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

} // namespace zcc

#endif
