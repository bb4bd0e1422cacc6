// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Searches, under --offload=auto and if a plan does not fit even with full
// recomputation, how much of it lives in the host's memory and how much less
// must then be computed again. Both have a price in seconds, and the sum is
// minimized. Peaks are known only of compiled tries; the search compiles few.
#ifndef ZCC_COMPILER_PLANNER_FIT_OFFLOADSEARCH_H
#define ZCC_COMPILER_PLANNER_FIT_OFFLOADSEARCH_H

#include "planning/OffloadChoice.h"
#include "planning/Recomputation.h"
#include <optional>
#include <vector>

namespace zcc::planner {

class OffloadSearch {
public:
  using Frontier = std::vector<planning::RecomputationFrontier::Point>;

  // `memory` is the bytes of a device. `microbatches` is their number per step;
  // the frontier is for one of them.
  OffloadSearch(double memory, double microbatches)
      : memory(memory), microbatches(microbatches) {}

  // Notes a compiled try: the bytes of residuals that are kept, the bytes that
  // were moved of those of `problem`, and the peak bytes of a device. The first
  // try has moved nothing, and its problem is empty. The frontier is empty if
  // the kept residuals are not to be chosen.
  void note(const Frontier &frontier, double kept,
            const planning::OffloadProblem &problem, double moved, double peak);
  struct Try {
    double kept;  // at most
    double moved; // at least
  };
  // Returns the next try; nullopt if the search is over.
  std::optional<Try> next();
  bool found() const { return hasFit; }
  // Returns true if the try noted last is the best one so far.
  bool isBest() const { return improved; }

private:
  std::optional<Try> findCheapest() const;

  double memory, microbatches;
  Frontier points;
  planning::OffloadProblem problem;
  Try asked{0, 0};
  double kept = 0, moved = 0, peak = 0; // of the last try
  double leastPeak = 0;
  int tries = 0;
  int priced = 0; // how often findCheapest() ran
  bool hasFit = false, improved = false, wasAll = false;
};

} // namespace zcc::planner

#endif
