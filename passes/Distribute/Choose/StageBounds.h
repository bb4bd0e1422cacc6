// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which shapes with stages are worth a look, before any is, and which without
// that the walk over sizes of `tensor` did not come to: the least that a step
// takes on each, by what the plans that were measured are known to take.
#ifndef ZCC_PASSES_DISTRIBUTE_CHOOSE_STAGEBOUNDS_H
#define ZCC_PASSES_DISTRIBUTE_CHOOSE_STAGEBOUNDS_H

#include "passes/Distribute/Choose/ChoosePlan.h"

namespace zcc::dist {

class StageBounds {
public:
  struct Shape : VariantShape {
    // Of a step, at least; and if as many messages are hidden as can be.
    double seconds = 0, least = 0;
  };

  // `facts`, `known`: outlive this; `memory`: bytes of a device.
  StageBounds(const PlanFacts &facts, const PlanFigures &known, int64_t devices,
              double memory);

  // Those that can fit, by their bound; without stages only if nothing with as
  // many devices along `tensor` was `looked` at.
  std::vector<Shape> list(const std::set<int64_t> &looked) const;

private:
  // Of plans with so many devices along `tensor` and `context` together.
  struct Known {
    // Seconds of a step that microbatches wait for, but for arithmetic.
    double messages = std::numeric_limits<double>::infinity();
    double rowBytes = std::numeric_limits<double>::infinity(); // of residuals
  };
  void readFigures();
  // Of what is known, scaled.
  Known guess(int64_t share) const;
  // Of all that is computed, what is the least to compute again so that this
  // share of the residuals is not kept.
  double computeAgain(double share) const;
  std::optional<Shape> bound(VariantShape shape) const;
  // Devices along `context` that leave others for a batch in as many
  // microbatches as there are stages; 1 where the batch has them anyway.
  int64_t contextFor(VariantShape shape) const;

  const PlanFacts &facts;
  const PlanFigures &known;
  int64_t devices;
  double memory;
  double compute = std::numeric_limits<double>::infinity(); // seconds of a step
  // Of gathering all parameters again for each row of a device.
  double gathers = 0;
  std::map<int64_t, double> computeAlong; // likewise, by size of `tensor`
  std::map<int64_t, Known> byShare;
  // Of residuals and of all that is computed: shares.
  struct Again {
    double saved, computed;
  };
  std::vector<std::vector<Again>> again; // by plan without stages
};

} // namespace zcc::dist

#endif
