// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What more or less of a device's memory is worth in seconds, where what is not
// kept for the backward pass is computed again.

#ifndef ZCC_PLANNING_MEMORYPRICE_H
#define ZCC_PLANNING_MEMORYPRICE_H

#include "planning/Recomputation.h"

namespace zcc::planning {

struct MemoryPrice {
  double bytes = 0;   // by which the device's memory in use changes
  double seconds = 0; // by which the work of a microbatch changes
  /// With less memory: that frees as much as there is less. With more: some is
  /// still computed again.
  bool enough = true;
};

/// The least memory more that saves any time, and what it saves; nothing where
/// nothing is computed again. As below.
MemoryPrice priceNext(const std::vector<RecomputationFrontier::Point> &frontier,
                      double kept, double live);

/// Where `kept` bytes of a microbatch are kept, of what the frontier could.
/// `change`: bytes of a device more, or less if negative. `live`: microbatches
/// whose residuals are there at a time. The price is of the point of the
/// frontier that `change` leads to.
MemoryPrice
priceMemory(const std::vector<RecomputationFrontier::Point> &frontier,
            double kept, double change, double live);

/// The point of a frontier at which memory is worth more than time, wherever
/// the budget lies: a share of the device's memory counts as an eighth of that
/// share of the step, and at most a hundredth of the step is spent on it.
/// `seconds`: of the step, a microbatch; `memory`: bytes of the device. 0 where
/// less than a sixty-fourth of the memory would be won: such a step has nothing
/// to gain from room.
size_t findWorthwhile(const std::vector<RecomputationFrontier::Point> &frontier,
                      double seconds, double memory);
/// Seconds of the step that a byte of the device counts as there.
double worthOfByte(double seconds, double memory);
/// What residuals must take at least for that point to be another than 0.
double leastWorthwhile(double memory);

} // namespace zcc::planning

#endif // ZCC_PLANNING_MEMORYPRICE_H
