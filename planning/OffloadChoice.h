// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the values that move to the host's memory if a device's memory does
// not suffice: as many bytes as necessary, those with the fewest seconds per
// byte first.

#ifndef ZCC_PLANNING_OFFLOADCHOICE_H
#define ZCC_PLANNING_OFFLOADCHOICE_H

#include <cstddef>
#include <string>
#include <vector>

namespace zcc::planning {

struct OffloadProblem {
  struct Value {
    double bytes = 0;
    /// The time of its copies in a step if they overlap with nothing.
    double seconds = 0;
    /// True if computation may hide its copies.
    bool hides = false;
  };
  std::vector<Value> values;
  /// The most seconds of copies of such values that computation hides, for all
  /// values together.
  double hiddenSeconds = 0;
};

struct OffloadChoice {
  std::vector<bool> moved; // by value
  double bytes = 0;        // of the moved values
  double seconds = 0;      // by which the step gets longer
};

/// Chooses values of at least `bytes` together, or all if they have fewer. It
/// prefers fewer seconds per byte, then larger values, then the given order; as
/// a knapsack it is exact up to one value.
OffloadChoice chooseOffload(const OffloadProblem &problem, double bytes);

/// Returns "" if enough values are moved, or all, and bytes and seconds are
/// right; else what is wrong.
std::string verifyOffload(const OffloadProblem &problem, double bytes,
                          const OffloadChoice &choice);

} // namespace zcc::planning

#endif // ZCC_PLANNING_OFFLOADCHOICE_H
