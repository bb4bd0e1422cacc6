// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Searches how many residuals are kept so that a plan fits: the point of a
// frontier (planning/Recomputation.h) that takes the fewest seconds among those
// whose planned peak is within the memory. Peaks are known only of compiled
// points; the search compiles few.
#ifndef ZCC_COMPILER_PLANNER_FIT_RESIDUALSEARCH_H
#define ZCC_COMPILER_PLANNER_FIT_RESIDUALSEARCH_H

#include "planning/Recomputation.h"
#include <limits>
#include <optional>
#include <vector>

namespace zcc::planner {

class ResidualSearch {
public:
  using Frontier = std::vector<planning::RecomputationFrontier::Point>;

  // `memory` is the bytes of a device, `held` the number of microbatches whose
  // residuals are live at a time. `fromLeast`: the first try keeps as little as
  // possible.
  explicit ResidualSearch(double memory, double held = 1,
                          bool fromLeast = false)
      : memory(memory), held(held), askedLeast(fromLeast) {}

  // Notes a compiled try: a point of the frontier, given by its bytes (or, with
  // an empty frontier, all that is worth keeping), and the peak bytes of a
  // device. The frontier may be longer than before.
  void note(const Frontier &frontier, double kept, double peak);
  // Returns the most bytes to keep in the next try; nullopt if the search is
  // over.
  std::optional<double> next();
  // Returns true if some try fits.
  bool found() const { return fits.has_value(); }
  // Returns true if the try noted last is better than all before.
  bool isBest() const { return improved; }

private:
  struct Try {
    size_t point; // the index + 1; 0: all is kept
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
  size_t seen = 0; // points of the frontier that were seen
  double leastPeak = std::numeric_limits<double>::infinity();
  std::optional<Try> tooMuch; // the smallest try that does not fit
  std::optional<Try> fits;    // the largest try that fits
  int tries = 0;
  bool askedLeast, improved = false;
};

} // namespace zcc::planner

#endif
