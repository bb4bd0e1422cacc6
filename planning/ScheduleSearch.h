// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of a pipeline's tasks, searched for under a bound of memory: the
// named schedules that fit, and orders that a policy makes task by task on the
// clock, for many policies (as the zero-bubble paper's heuristics do; Qi et
// al., 2024, section 3).

#ifndef ZCC_PLANNING_SCHEDULESEARCH_H
#define ZCC_PLANNING_SCHEDULESEARCH_H

#include "planning/ScheduleClock.h"
#include "planning/ScheduleGenerators.h"

#include <limits>
#include <optional>

namespace zcc::planning {

struct ScheduleRequest {
  int64_t microbatches = 1;
  std::vector<StageCost> stages;
  double weightMemory = 1; // see ScheduleCosts
  /// The bound of every stage, in microbatches of a full stage; or of each.
  double memory = std::numeric_limits<double>::infinity();
  std::vector<double> memories;
  bool countsMakespan = false; // else the rank cost
  bool hasOneChunk = false;    // a stage; else as many as are best
  /// Orders that are made on the clock, for each number of chunks, and actions
  /// of them all together; at least a few are.
  int64_t mostOrders = 1500, mostActions = 20'000'000;

  double memoryOf(size_t stage) const {
    return memories.empty() ? memory : memories[stage];
  }
};

struct FoundSchedule {
  std::string name; // of the generator, or `search`
  ScheduleProblem problem;
  std::vector<ActionTable> tables;
  ScheduleTimes times;
};

/// A chain of the request's stages under the named schedule; `early`: gradients
/// of inputs are sent before those of weights are made, where the schedule has
/// both as one. The memory is not looked at. An error text, or empty.
[[nodiscard]] std::string makeNamed(const ScheduleRequest &request,
                                    std::string_view name, bool early,
                                    FoundSchedule &out);

/// By stage: the most microbatches that it holds at a time where all tasks take
/// equally long; a chunk's counts by its share. By the rows of actions, or
/// where there are none by the schedule of that name; empty where that cannot
/// be.
std::vector<double> countHeld(std::string_view schedule,
                              const std::vector<std::string> &rows,
                              int64_t stages, int64_t microbatches);

/// The best that is found; nullopt: nothing holds as little.
std::optional<FoundSchedule> searchSchedule(const ScheduleRequest &request);

} // namespace zcc::planning

#endif // ZCC_PLANNING_SCHEDULESEARCH_H
