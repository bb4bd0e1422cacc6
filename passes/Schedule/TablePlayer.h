// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plays the action table of a stage on one clock: what one task leaves running
// is still running in the next.
#ifndef ZCC_PASSES_SCHEDULE_TABLEPLAYER_H
#define ZCC_PASSES_SCHEDULE_TABLEPLAYER_H

#include "passes/Schedule/ListScheduler.h"
#include "passes/Schedule/StepTimer.h"

namespace zcc {

class TablePlayer {
public:
  /// `isClosed`: what a task sends it waits for.
  TablePlayer(const StageTimeline &timeline, StepTimer &timer, bool isClosed);

  struct Outcome {
    double seconds = 0;               // of a step of training
    std::map<int, StepsOrder> orders; // of steps, by task
    std::map<int, double> waits; // of its computation for collectives, by task
  };
  /// Chooses an order for each task.
  Outcome choose(const OrderChoice &choice) const;
  /// Whether steps of a task run part by part (zcc-split-steps).
  bool hasParts() const;
  /// Seconds of the step of training, one step after the other on one stream.
  double playInTurn() const;
  /// Bytes of the largest that is sent and not read after it.
  int64_t largestHeld() const;
  /// Puts the steps in order, collectives on their streams.
  void write(const Outcome &outcome) const;
  /// As they were, on one stream.
  void undo() const;

private:
  struct Run {
    const TimelineAction *action;
    unsigned more;                // runs like it
    std::vector<unsigned> pieces; // of the timeline, by piece of the task
    std::vector<double> reads;    // after the run, by piece of the task
  };

  void findReads();
  std::vector<unsigned> piecesOf(const TimelineAction &action) const;
  /// The first piece of each buffer of a task, and the end.
  std::vector<unsigned> firstPieces(const TaskInfo &task) const;
  std::vector<StepFacts> factsOf(const TaskInfo &task, StepTimer &timer) const;

  const StageTimeline &timeline;
  const MemoryPieces pieces;
  std::vector<TaskSteps> tasks;
  std::vector<Run> moments;
};

} // namespace zcc

#endif
