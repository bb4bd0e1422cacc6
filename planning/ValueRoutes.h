// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From which stage each stage gets a value that several stages read: from the
// one that makes it, or from one that reads it earlier and passes it on.

#ifndef ZCC_PLANNING_VALUEROUTES_H
#define ZCC_PLANNING_VALUEROUTES_H

#include "planning/ScheduleProblem.h"

#include <functional>

namespace zcc::planning {

/// What a task makes of each microbatch and tasks of other stages read.
struct CrossingValue {
  size_t maker = 0;            // a task of the problem
  std::vector<size_t> readers; // ascending; none of the maker's stage
  double bytes = 0;
};

/// That stage gets the value of the stage of `from`: once the maker has run, or
/// before the first reader runs on a stage that has it of somebody else.
struct ValueRoute {
  size_t value = 0, from = 0;
  int64_t stage = 0;

  bool operator==(const ValueRoute &other) const {
    return value == other.value && from == other.from && stage == other.stage;
  }
};

/// Of a link from one stage to another, for so many bytes.
using TransferSeconds =
    std::function<double(int64_t from, int64_t to, double bytes)>;

/// A route for each value and stage that reads it, values in order. `problem`:
/// with what the tasks read of each other, wherever they get it. A stage passes
/// on only to one whose readers wait for its own reader anyway, so that no task
/// waits for others than before. Of these, and the maker, the one from which a
/// microbatch's value is there first by the links, after what else the stage
/// sends; of equal ones the maker, then the earliest. Null seconds: always the
/// maker.
std::vector<ValueRoute> routeValues(const ScheduleProblem &problem,
                                    const std::vector<CrossingValue> &values,
                                    const TransferSeconds &seconds);

/// Routes that tables were written for, as far as they say: each transfer that
/// a stage receives is of a value at least, where that can be. Of what is left
/// open the maker sends, or who passed it on first.
std::vector<ValueRoute> findRoutes(const ScheduleProblem &problem,
                                   const std::vector<CrossingValue> &values,
                                   const std::vector<ActionTable> &tables);

/// Seconds from the first begin to the last end of all stages, of tables that
/// findFault() takes for what tasks read by these routes. `task`: seconds of
/// each task for a microbatch. A stage sends beside its tasks, one value after
/// the other; a receive waits.
double timeRoutes(const ScheduleProblem &problem,
                  const std::vector<ActionTable> &tables,
                  const std::vector<CrossingValue> &values,
                  const std::vector<ValueRoute> &routes,
                  const std::vector<double> &task,
                  const TransferSeconds &seconds);

} // namespace zcc::planning

#endif // ZCC_PLANNING_VALUEROUTES_H
