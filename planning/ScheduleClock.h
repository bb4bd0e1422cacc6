// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When the tasks of a pipeline run, by the seconds that each takes, and what
// stages hold meanwhile.

#ifndef ZCC_PLANNING_SCHEDULECLOCK_H
#define ZCC_PLANNING_SCHEDULECLOCK_H

#include "planning/ScheduleProblem.h"

namespace zcc::planning {

struct ScheduleCosts {
  std::vector<double> seconds; // of a microbatch, by task of the problem
  std::vector<double> send;    // by stage: until what leaves it has arrived
  /// What a stage still holds of a microbatch between the gradient of its input
  /// and those of its weights: a share of what it held before.
  double weightMemory = 1;
};

/// A stage's task takes its share of these, by its chunks. Where gradients of
/// weights are no tasks of their own the backward tasks take theirs.
struct StageCost {
  double forward = 1, backward = 1, weights = 1, send = 0; // seconds
};
ScheduleCosts makeCosts(const ScheduleProblem &problem,
                        const std::vector<StageCost> &stages);

/// What a task changes of the microbatches that its stage holds.
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
  double makespan = 0; // from the first begin to the last end, of all stages
  /// The most of any stage from its own first begin to its own last end: what a
  /// step costs where no stage waits for all others at its end.
  double rankCost = 0;
  double work = 0; // of the stage that has most
  /// By stage: the most microbatches in flight; a chunk's counts by its share.
  std::vector<double> peak;

  double worstPeak() const;
};

/// Tables that verifySchedule() takes. Each action begins as soon as the one
/// before it is over and what it reads is there; transfers run beside.
ScheduleTimes timeSchedule(const ScheduleProblem &problem,
                           const std::vector<ActionTable> &tables,
                           const ScheduleCosts &costs);

} // namespace zcc::planning

#endif // ZCC_PLANNING_SCHEDULECLOCK_H
