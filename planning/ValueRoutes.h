// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the stage from which each stage gets a value that several stages
// read: the one that makes it, or one that reads it earlier and passes it on.

#ifndef ZCC_PLANNING_VALUEROUTES_H
#define ZCC_PLANNING_VALUEROUTES_H

#include "planning/ScheduleProblem.h"

#include <functional>

namespace zcc::planning {

/// A value that a task makes for each microbatch and tasks of other stages
/// read.
struct CrossingValue {
  size_t maker = 0;            // a task of the problem
  std::vector<size_t> readers; // ascending; none of the maker's stage
  double bytes = 0;
};

/// Stage `stage` gets the value from the stage of task `from`. `from` is the
/// maker, which sends the value after it ran, or the first reader on a stage
/// that got it from another one, which passes it on before it runs.
struct ValueRoute {
  size_t value = 0, from = 0;
  int64_t stage = 0;

  bool operator==(const ValueRoute &other) const {
    return value == other.value && from == other.from && stage == other.stage;
  }
};

/// Returns the seconds to send so many bytes from one stage to another.
using TransferSeconds =
    std::function<double(int64_t from, int64_t to, double bytes)>;

/// Returns a route for each value and stage that reads it, with the values in
/// order. `problem` has all reads between tasks, whichever stage provides the
/// value. A stage passes a value on only to a stage whose readers wait for its
/// own reader anyway, so that no task waits for others than before. Among these
/// stages and the maker's, it takes the one from which the value arrives first
/// over the links, after what else that stage sends; ties go to the maker, then
/// to the earliest reader. If `seconds` is null, the maker sends everything.
std::vector<ValueRoute> routeValues(const ScheduleProblem &problem,
                                    const std::vector<CrossingValue> &values,
                                    const TransferSeconds &seconds);

/// Infers the routes that tables were written for: each transfer that a stage
/// receives carries at least one value, if possible. For values that the tables
/// leave open, the maker sends, or the first stage that may pass it on.
std::vector<ValueRoute> findRoutes(const ScheduleProblem &problem,
                                   const std::vector<CrossingValue> &values,
                                   const std::vector<ActionTable> &tables);

/// Returns the seconds from the first begin to the last end on any stage, of
/// tables that findFault() accepts for these routes. `task` has the seconds of
/// each task per microbatch. A stage sends while its tasks run, one value after
/// the other; a receive waits.
double timeRoutes(const ScheduleProblem &problem,
                  const std::vector<ActionTable> &tables,
                  const std::vector<CrossingValue> &values,
                  const std::vector<ValueRoute> &routes,
                  const std::vector<double> &task,
                  const TransferSeconds &seconds);

} // namespace zcc::planning

#endif // ZCC_PLANNING_VALUEROUTES_H
