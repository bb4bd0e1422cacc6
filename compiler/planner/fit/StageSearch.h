// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs one search for residuals (ResidualSearch, LeastSearch) per stage: each
// looks at the peaks of its own stage, and all are tried together. A stage
// whose search is over stays at its best try.
#ifndef ZCC_COMPILER_PLANNER_FIT_STAGESEARCH_H
#define ZCC_COMPILER_PLANNER_FIT_STAGESEARCH_H

#include "planning/Recomputation.h"
#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace zcc::planner {

template <typename Search> class StageSearch {
public:
  using Frontier = std::vector<planning::RecomputationFrontier::Point>;
  // A compiled try of a stage, as arguments of Search::note().
  struct Tried {
    Frontier frontier;
    double kept = 0, peak = 0;
  };

  // `limits` is the most bytes that each stage may keep in the first try
  // (negative: all). `memory` is the bytes of a device, if a stage that once
  // fit must fit in the end.
  StageSearch(std::vector<double> limits,
              std::function<Search(size_t stage)> make,
              double memory = std::numeric_limits<double>::infinity())
      : make(std::move(make)), memory(memory), limits(std::move(limits)) {
    for (size_t stage = 0; stage < this->limits.size(); ++stage)
      stages.push_back({this->make(stage), this->limits[stage]});
  }

  void note(const std::vector<Tried> &tried) {
    for (size_t i = 0; i < stages.size(); ++i) {
      Stage &own = stages[i];
      // A stage that fit may not fit any more, since limits of other stages can
      // change the step: its search starts again.
      if (own.isOver && own.fits && tried[i].peak > memory && reopened < 2) {
        own = {make(i), limits[i]};
        ++reopened;
      }
      if (own.isOver)
        continue;
      own.search.note(tried[i].frontier, tried[i].kept, tried[i].peak);
      own.fits |= tried[i].peak <= memory;
      if (own.search.isBest())
        own.best = limits[i];
    }
    known.push_back(limits);
  }
  // Returns the most bytes that each stage may keep in the next try; nullopt if
  // the search is over and the best limits were tried.
  std::optional<std::vector<double>> next() {
    for (size_t i = 0; i < stages.size(); ++i) {
      Stage &own = stages[i];
      std::optional<double> limit;
      if (!own.isOver)
        limit = own.search.next();
      own.isOver = !limit;
      limits[i] = limit.value_or(own.best);
    }
    bool goesOn = false;
    for (size_t i = 0; i < stages.size(); ++i) {
      Stage &own = stages[i];
      // If one stage cannot fit, the others need no improvement once they fit.
      if (isHopeless() && own.fits) {
        own.isOver = true;
        limits[i] = own.best;
      }
      goesOn |= !own.isOver;
    }
    if (!goesOn && std::find(known.begin(), known.end(), limits) != known.end())
      return std::nullopt;
    return limits;
  }
  // Returns true if a stage cannot fit, whatever the others do.
  bool isHopeless() const {
    return std::any_of(stages.begin(), stages.end(), [](const Stage &own) {
      return own.isOver && !own.fits;
    });
  }
  // Returns true if every stage has its best limit so far in the try noted
  // last.
  bool isBest() const {
    for (size_t i = 0; i < stages.size(); ++i)
      if (stages[i].best != known.back()[i])
        return false;
    return true;
  }
  // Returns true if every stage has a try that fits.
  bool found() const {
    return std::all_of(stages.begin(), stages.end(),
                       [](const Stage &own) { return own.fits; });
  }
  // Returns the best limit of a stage; nullopt if none fits.
  std::optional<double> bestOf(size_t stage) const {
    return stages[stage].fits ? std::optional(stages[stage].best)
                              : std::nullopt;
  }

private:
  struct Stage {
    Search search;
    double best; // the best limit
    bool fits = false, isOver = false;
  };

  std::function<Search(size_t)> make;
  double memory;
  std::vector<double> limits; // of the current try
  std::vector<Stage> stages;
  std::vector<std::vector<double>> known; // limits that were tried
  int reopened = 0;
};

} // namespace zcc::planner

#endif
