// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes an order of tasks by simulation: a stage that becomes free runs one of
// the ready tasks, which its policy chooses.

#ifndef ZCC_PLANNING_SCHEDULEGREEDY_H
#define ZCC_PLANNING_SCHEDULEGREEDY_H

#include "planning/ScheduleClock.h"
#include "planning/ScheduleGenerators.h"

#include <optional>

namespace zcc::planning {

struct GreedyPolicy {
  /// By stage: the most microbatches between their forward task and the
  /// gradient of their input. One of a chunk counts as its share of the stage.
  std::vector<double> ahead;
  /// Weights' gradients run in a pause that is at least so many times as long.
  double patience = 0.75;
  bool forwardFirst = false; // if both may run

  bool operator<(const GreedyPolicy &other) const;
};

class GreedyScheduler {
public:
  /// The problem must have separate tasks for weights' gradients. `memory` is
  /// the number of microbatches that each stage may hold. The references must
  /// outlive the scheduler.
  GreedyScheduler(const ScheduleProblem &problem, const ScheduleCosts &costs,
                  std::vector<double> memory);

  struct Result {
    TaskOrder order;
    double makespan, rankCost; // seconds
  };
  /// Returns the order that the policy leads to; nullopt if it reaches a point
  /// at which no stage can go on.
  std::optional<Result> run(const GreedyPolicy &policy) const;

private:
  friend class GreedyRun;
  struct Task {
    int64_t stage;
    StageTaskKind kind;
    double seconds, share; // as a share of a microbatch of the full stage
    double room; // what must be free: its share and one of each later chunk
    TaskShare held;
    std::vector<std::pair<size_t, double>> sources; // seconds until it is there
    std::vector<std::pair<int64_t, double>> readers; // stages, likewise
  };
  std::vector<Task> tasks;
  /// The tasks by kind and stage, those of later chunks first.
  std::vector<std::vector<size_t>> own[3];
  int64_t stages, microbatches;
  std::vector<double> memory; // by stage
};

} // namespace zcc::planning

#endif // ZCC_PLANNING_SCHEDULEGREEDY_H
