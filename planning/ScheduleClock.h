// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Simulates when the tasks of a pipeline run, from the seconds that each takes,
// and how many microbatches stages hold meanwhile.

#ifndef ZCC_PLANNING_SCHEDULECLOCK_H
#define ZCC_PLANNING_SCHEDULECLOCK_H

#include "planning/ScheduleProblem.h"

namespace zcc::planning {

struct ScheduleCosts {
  std::vector<double> seconds; // per microbatch, by task of the problem
  std::vector<double> send;    // by stage: until a sent value has arrived
  /// The memory that a stage still holds for a microbatch between the gradient
  /// of its input and those of its weights, as a share of what it held before.
  double weightMemory = 1;
};

/// The seconds of a stage's tasks, which its chunks share equally. If weights'
/// gradients are not separate tasks, the backward tasks take their time, too.
struct StageCost {
  double forward = 1, backward = 1, weights = 1, send = 0; // seconds
};
ScheduleCosts makeCosts(const ScheduleProblem &problem,
                        const std::vector<StageCost> &stages);

/// The change of the number of microbatches that a stage holds when a task
/// begins and ends.
struct TaskShare {
  double atBegin = 0, atEnd = 0;
};
TaskShare makeShare(const ScheduleProblem &problem, const StageTask &task,
                    double weightMemory);

struct ScheduleTimes {
  struct Span {
    size_t task;
    int64_t microbatch;
    double begin, end; // seconds
  };
  std::vector<std::vector<Span>> spans; // by stage
  double makespan = 0; // from the first begin to the last end on any stage
  /// The longest time of any stage from its own first begin to its own last
  /// end: the time of a step if no stage waits for all others at its end.
  double rankCost = 0;
  double work = 0; // of the busiest stage, in seconds
  /// By stage: the most microbatches in flight. One of a chunk counts as its
  /// share of the stage.
  std::vector<double> peak;

  double worstPeak() const;
};

/// Returns the times of tables that verifySchedule() accepts. Each action
/// begins as soon as the one before it is over and its inputs have arrived;
/// transfers overlap with tasks.
ScheduleTimes timeSchedule(const ScheduleProblem &problem,
                           const std::vector<ActionTable> &tables,
                           const ScheduleCosts &costs);

} // namespace zcc::planning

#endif // ZCC_PLANNING_SCHEDULECLOCK_H
