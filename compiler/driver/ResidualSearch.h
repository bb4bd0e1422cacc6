// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How much of the forward pass is kept for the backward pass, so that a plan
// fits: the point of a frontier (compiler/planning/Recomputation.h) that takes
// fewest seconds of those whose planned peak is within the memory. Peaks are
// known only of points that were compiled; the search looks at few.
#ifndef ZCC_COMPILER_DRIVER_RESIDUALSEARCH_H
#define ZCC_COMPILER_DRIVER_RESIDUALSEARCH_H

#include "compiler/planning/Recomputation.h"
#include <optional>
#include <vector>

namespace zcc {

class ResidualSearch {
public:
  using Point = planning::RecomputationFrontier::Point;

  // `kept`: bytes of a microbatch where all is kept that is worth it, for
  // which a device needs `peak` bytes, more than the `memory` that there is.
  ResidualSearch(double memory, double kept, double peak)
      : memory(memory), tooMuch{0, kept, peak} {}

  // What may be kept at most in the next try; nullopt: the search is over.
  std::optional<double> next();
  // What was tried: a point of the frontier, by its bytes, and the peak.
  void note(const std::vector<Point> &frontier, double kept, double peak);

  // Whether the last try is better than all before.
  bool isBest() const { return improved; }

private:
  struct Try {
    size_t point; // one past it; 0: all is kept
    double kept, peak;
  };
  size_t findWithin(double bytes) const;

  double memory;
  std::vector<Point> points; // known after the first try
  Try tooMuch;               // the least of those that do not fit
  std::optional<Try> fits;   // the most of those that do
  int tries = 0;
  bool improved = false;
};

} // namespace zcc

#endif
