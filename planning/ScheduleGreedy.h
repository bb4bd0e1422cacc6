// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An order of tasks made on the clock: a stage that is free takes what its
// policy says of what is ready.

#ifndef ZCC_PLANNING_SCHEDULEGREEDY_H
#define ZCC_PLANNING_SCHEDULEGREEDY_H

#include "planning/ScheduleClock.h"
#include "planning/ScheduleGenerators.h"

#include <optional>

namespace zcc::planning {

struct GreedyPolicy {
  /// By stage: the most microbatches between their forward task and the
  /// gradient of their input, a chunk's by its share.
  std::vector<double> ahead;
  /// Gradients of weights fill a pause of at least so many times their length.
  double patience = 0.75;
  bool forwardFirst = false; // where both may run

  bool operator<(const GreedyPolicy &other) const;
};

class GreedyScheduler {
public:
  /// Gradients of weights are tasks of their own. `memory`: microbatches that
  /// each stage may hold. References outlive the scheduler.
  GreedyScheduler(const ScheduleProblem &problem, const ScheduleCosts &costs,
                  std::vector<double> memory);

  struct Result {
    TaskOrder order;
    double makespan, rankCost; // seconds
  };
  /// nullopt: with that policy no stage can go on.
  std::optional<Result> run(const GreedyPolicy &policy) const;

private:
  friend class GreedyRun;
  struct Task {
    int64_t stage;
    StageTaskKind kind;
    double seconds, share; // of a microbatch of the full stage
    double room; // what must be free: its share, and one of each later chunk's
    TaskShare held;
    std::vector<std::pair<size_t, double>> sources; // seconds until it is there
    std::vector<std::pair<int64_t, double>> readers; // stages, likewise
  };
  std::vector<Task> tasks;
  /// By stage and kind, those of later chunks first.
  std::vector<std::vector<size_t>> own[3];
  int64_t stages, microbatches;
  std::vector<double> memory; // by stage
};

} // namespace zcc::planning

#endif // ZCC_PLANNING_SCHEDULEGREEDY_H
