// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How much of the forward pass is kept for the backward pass, so that a plan
// fits: the point of a frontier (planning/Recomputation.h) that takes
// fewest seconds of those whose planned peak is within the memory. Peaks are
// known only of points that were compiled; the search looks at few.
#ifndef ZCC_COMPILER_PLANNER_FIT_RESIDUALSEARCH_H
#define ZCC_COMPILER_PLANNER_FIT_RESIDUALSEARCH_H

#include "planning/Recomputation.h"
#include <limits>
#include <optional>
#include <vector>

namespace zcc {

class ResidualSearch {
public:
  using Frontier = std::vector<planning::RecomputationFrontier::Point>;

  // `memory`: bytes of a device; `held`: microbatches whose residuals it has at
  // a time; `fromLeast`: the first try keeps the least that there is.
  explicit ResidualSearch(double memory, double held = 1,
                          bool fromLeast = false)
      : memory(memory), held(held), askedLeast(fromLeast) {}

  // What was compiled: a point of the frontier, by its bytes, or with an empty
  // frontier what keeps all that is worth it; and what a device needs. The
  // frontier may be longer than before.
  void note(const Frontier &frontier, double kept, double peak);
  // What may be kept at most in the next try; nullopt: the search is over.
  std::optional<double> next();
  // Whether something fits.
  bool found() const { return fits.has_value(); }
  // Whether the last that was noted is better than all before.
  bool isBest() const { return improved; }

private:
  struct Try {
    size_t point; // one past it; 0: all is kept
    double kept, peak;
  };
  size_t findWithin(double bytes) const;
  double secondsOf(size_t point) const {
    return point == 0 ? 0 : points[point - 1].seconds;
  }
  std::optional<double> nextBelow();
  std::optional<double> nextAbove();
  std::optional<double> nextBetween();

  double memory, held;
  Frontier points; // known after the first try
  size_t seen = 0; // of the frontier
  double leastPeak = std::numeric_limits<double>::infinity();
  std::optional<Try> tooMuch; // the least of those that do not fit
  std::optional<Try> fits;    // the most of those that do
  int tries = 0;
  bool askedLeast, improved = false;
};

} // namespace zcc

#endif
