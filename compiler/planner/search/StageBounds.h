// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lower bounds of the time of a step on shapes of the mesh, from the plans that
// were measured so far. They tell which shapes with stages are worth a look,
// and which without stages that the walk over sizes of `tensor` did not reach.
#ifndef ZCC_COMPILER_PLANNER_SEARCH_STAGEBOUNDS_H
#define ZCC_COMPILER_PLANNER_SEARCH_STAGEBOUNDS_H

#include "compiler/planner/search/ChoosePlan.h"

namespace zcc::planner {

class StageBounds {
public:
  struct Shape : VariantShape {
    // Lower bounds of the seconds of a step: as estimated, and if as many
    // messages are hidden as possible.
    double seconds = 0, least = 0;
  };

  // `facts` and `known` must outlive this. `memory`: bytes of a device.
  StageBounds(const PlanFacts &facts, const PlanFigures &known, int64_t devices,
              double memory);

  // Returns the shapes that can fit, by their bound. One without stages is
  // listed only if nothing with as many devices along `tensor` was `looked` at.
  std::vector<Shape> list(const std::set<int64_t> &looked) const;

private:
  // Facts of the plans that have so many devices along `tensor` and `context`
  // together.
  struct Known {
    // Seconds of a step that microbatches wait for, without the arithmetic.
    double messages = std::numeric_limits<double>::infinity();
    // bytes of a row's residuals
    double rowBytes = std::numeric_limits<double>::infinity();
  };
  void readFigures();
  // Returns the facts for that many devices, scaled from those that are known.
  Known guess(int64_t share) const;
  // Returns the share of all computation that must at least be done again so
  // that this share of the residuals is not kept.
  double computeAgain(double share) const;
  std::optional<Shape> bound(VariantShape shape) const;
  // Returns how many devices along `context` leave few enough for the batch
  // that each still has as many microbatches as there are stages; 1 if it has
  // them anyway.
  int64_t contextFor(VariantShape shape) const;

  const PlanFacts &facts;
  const PlanFigures &known;
  int64_t devices;
  double memory;
  double compute = std::numeric_limits<double>::infinity(); // seconds of a step
  // Seconds of gathering all parameters again for each row of a device.
  double gathers = 0;
  std::map<int64_t, double> computeAlong; // `compute`, by size of `tensor`
  std::map<int64_t, Known> byShare;
  // A point of a residual curve, as shares of the residuals and of all
  // computation.
  struct Again {
    double saved, computed;
  };
  std::vector<std::vector<Again>> again; // by plan without stages
};

} // namespace zcc::planner

#endif
