// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes the seconds that more or less device memory is worth when residuals
// that are not kept are computed again.

#ifndef ZCC_PLANNING_MEMORYPRICE_H
#define ZCC_PLANNING_MEMORYPRICE_H

#include "planning/Recomputation.h"

namespace zcc::planning {

struct MemoryPrice {
  double bytes = 0;   // change of the device's memory in use
  double seconds = 0; // change of a microbatch's work
  /// For less memory: true if the frontier can free as much as is missing. For
  /// more memory: true if some residuals are still computed again.
  bool enough = true;
};

/// Returns the least additional memory that saves time, and the time that it
/// saves; zeros if nothing is computed again. For the arguments see
/// priceMemory().
MemoryPrice priceNext(const std::vector<RecomputationFrontier::Point> &frontier,
                      double kept, double live);

/// Returns the price of a change of memory by `change` bytes of a device
/// (negative: less memory). A microbatch now keeps `kept` bytes of residuals;
/// `live` is the number of microbatches whose residuals are live at a time. The
/// price is that of the frontier's point that `change` leads to.
MemoryPrice
priceMemory(const std::vector<RecomputationFrontier::Point> &frontier,
            double kept, double change, double live);

/// Returns the point of a frontier at which it pays to trade time for memory
/// even if the budget does not demand it: a share of the device's memory counts
/// as an eighth of that share of the step, and at most a hundredth of the step
/// is spent. `seconds` is the step's time per microbatch, `memory` the bytes of
/// the device. Returns 0 if less than a sixty-fourth of the memory would be
/// saved.
size_t findWorthwhile(const std::vector<RecomputationFrontier::Point> &frontier,
                      double seconds, double memory);
/// Returns the seconds of the step that findWorthwhile() counts a byte of the
/// device as.
double worthOfByte(double seconds, double memory);
/// Returns the least bytes that must be saved for findWorthwhile() to return
/// another point than 0.
double leastWorthwhile(double memory);

} // namespace zcc::planning

#endif // ZCC_PLANNING_MEMORYPRICE_H
