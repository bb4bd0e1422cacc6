// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Under --offload=auto, where a plan does not fit whatever is computed again:
// how much of it lives in the host's memory, and how much less need then be
// computed again. Both have a price in seconds; the sum is to be least. Peaks
// are known only of what was compiled; the search looks at few.
#ifndef ZCC_COMPILER_PLANNER_FIT_OFFLOADSEARCH_H
#define ZCC_COMPILER_PLANNER_FIT_OFFLOADSEARCH_H

#include "planning/OffloadChoice.h"
#include "planning/Recomputation.h"
#include <optional>
#include <vector>

namespace zcc {

class OffloadSearch {
public:
  using Frontier = std::vector<planning::RecomputationFrontier::Point>;

  // `memory`: bytes of a device. `microbatches` of a step: the frontier is of
  // one.
  OffloadSearch(double memory, double microbatches)
      : memory(memory), microbatches(microbatches) {}

  // What was compiled: what is kept for the backward pass, what was moved of
  // what could be, and what a device needs. The first has moved nothing, and
  // its problem is empty. The frontier is empty where it is not to be chosen
  // what is kept.
  void note(const Frontier &frontier, double kept,
            const planning::OffloadProblem &problem, double moved, double peak);
  struct Try {
    double kept;  // at most
    double moved; // at least
  };
  // nullopt: the search is over.
  std::optional<Try> next();
  bool found() const { return hasFit; }
  // Whether the last that was noted is the one to take, of those so far.
  bool isBest() const { return improved; }

private:
  std::optional<Try> findCheapest() const;

  double memory, microbatches;
  Frontier points;
  planning::OffloadProblem problem;
  Try asked{0, 0};
  double kept = 0, moved = 0, peak = 0; // of the last
  double leastPeak = 0;
  int tries = 0;
  int priced = 0; // how often the cheapest was looked for
  bool hasFit = false, improved = false, wasAll = false;
};

} // namespace zcc

#endif
