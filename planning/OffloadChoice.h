// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What goes to the host's memory where a device's does not suffice: that which
// costs fewest seconds for its bytes, as much as must.

#ifndef ZCC_PLANNING_OFFLOADCHOICE_H
#define ZCC_PLANNING_OFFLOADCHOICE_H

#include <cstddef>
#include <string>
#include <vector>

namespace zcc::planning {

struct OffloadProblem {
  struct Value {
    double bytes = 0;
    /// Of its copies in a step, if nothing goes on beside them.
    double seconds = 0;
    /// Computation does.
    bool hides = false;
  };
  std::vector<Value> values;
  /// Of copies of those that hide, what computation hides of all together.
  double hiddenSeconds = 0;
};

struct OffloadChoice {
  std::vector<bool> moved; // by value
  double bytes = 0;        // of those
  double seconds = 0;      // that the step takes longer
};

/// At least `bytes`, or all that there is. By seconds a byte, then the larger
/// ones, then as they come; a knapsack that is exact to a value.
OffloadChoice chooseOffload(const OffloadProblem &problem, double bytes);

/// Empty if enough is moved, or all, and bytes and seconds are right; else what
/// is wrong.
std::string verifyOffload(const OffloadProblem &problem, double bytes,
                          const OffloadChoice &choice);

} // namespace zcc::planning

#endif // ZCC_PLANNING_OFFLOADCHOICE_H
