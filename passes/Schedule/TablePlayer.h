// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plays the action table of a stage on one clock. Collectives that one task
// leaves running still run in the next.
#ifndef ZCC_PASSES_SCHEDULE_TABLEPLAYER_H
#define ZCC_PASSES_SCHEDULE_TABLEPLAYER_H

#include "passes/Schedule/ListScheduler.h"
#include "passes/Schedule/StepTimer.h"

namespace zcc {

class TablePlayer {
public:
  TablePlayer(const StageTimeline &timeline, StepTimer &timer);

  struct Outcome {
    double seconds = 0;               // of a step of training
    std::map<int, StepsOrder> orders; // by task
    // Seconds of one run, and seconds that computation waits for collectives in
    // all runs, by task.
    std::map<int, double> ofRun, waits;
  };
  /// Chooses an order for each task.
  Outcome choose(const OrderChoice &choice) const;
  /// Returns true if steps of a task run part by part (zcc-split-steps).
  bool hasParts() const;
  /// Returns the outcome if steps run one after the other on one stream; it has
  /// no orders.
  Outcome playInTurn() const;
  /// Returns the most bytes of one collective that it sends and no later step
  /// reads.
  int64_t largestHeld() const;
  /// Puts the steps in order, and collectives on their streams.
  void write(const Outcome &outcome) const;
  /// Restores the original order, on one stream.
  void undo() const;

private:
  struct Run {
    const TimelineAction *action;
    unsigned more; // runs that are alike
    // The timeline's piece for each piece of the task.
    std::vector<unsigned> pieces;
    std::vector<double> reads; // seconds until a piece is read after the run
    std::vector<unsigned> sent; // the timeline's pieces that are sent after it
  };

  void findReads();
  std::vector<unsigned> piecesOf(const TimelineAction &action) const;
  /// Returns the first piece of each buffer of a task, and the number of
  /// pieces.
  std::vector<unsigned> firstPieces(const TaskInfo &task) const;
  std::vector<StepFacts> factsOf(const TaskInfo &task, StepTimer &timer) const;

  const StageTimeline &timeline;
  const MemoryPieces pieces;
  std::vector<TaskSteps> tasks;
  std::vector<Run> moments;
};

} // namespace zcc

#endif
