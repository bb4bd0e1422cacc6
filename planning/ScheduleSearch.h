// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Searches for an order of a pipeline's tasks within a memory limit. It tries
// the named schedules that fit, and orders that policies make task by task in a
// simulation (like the heuristics of the zero-bubble paper; Qi et al., 2024,
// section 3).

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
  /// The memory limit of every stage, in microbatches of a full stage;
  /// `memories`, if not empty, has one limit per stage.
  double memory = std::numeric_limits<double>::infinity();
  std::vector<double> memories;
  bool countsMakespan = false; // minimizes the makespan, else the rank cost
  bool hasOneChunk = false;    // per stage; else the best number
  /// The most simulated orders for each number of chunks, and the most actions
  /// of all of them together; at least a few orders are made.
  int64_t mostOrders = 1500, mostActions = 20'000'000;

  double memoryOf(size_t stage) const {
    return memories.empty() ? memory : memories[stage];
  }
};

struct FoundSchedule {
  NamedSchedule schedule; // none if the tables follow no named one
  ScheduleProblem problem;
  std::vector<ActionTable> tables;
  ScheduleTimes times;
};

/// Makes a chain of the request's stages under the named schedule, whatever
/// memory it needs. `early`: gradients of inputs are sent before those of
/// weights are made, in schedules that make both in one task. Returns an error
/// text, or "".
[[nodiscard]] std::string makeNamed(const ScheduleRequest &request,
                                    const NamedSchedule &schedule, bool early,
                                    FoundSchedule &out);

/// Returns, by stage, the most microbatches that it holds at a time if all
/// tasks take equally long. One of a chunk counts as its share of the stage.
/// The order is that of `rows`, or, if there are none, that of the
/// schedule. Returns an empty list if the schedule is impossible.
std::vector<double> countHeld(const NamedSchedule &schedule,
                              const std::vector<std::string> &rows,
                              int64_t stages, int64_t microbatches);

/// Returns the best schedule that it finds; nullopt if none fits the memory.
std::optional<FoundSchedule> searchSchedule(const ScheduleRequest &request);

} // namespace zcc::planning

#endif // ZCC_PLANNING_SCHEDULESEARCH_H
