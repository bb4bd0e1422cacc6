// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Orders the steps of a task for two resources, computation and the links of
// collectives. It simulates them on a clock.
#ifndef ZCC_PASSES_SCHEDULE_LISTSCHEDULER_H
#define ZCC_PASSES_SCHEDULE_LISTSCHEDULER_H

#include "passes/Memory/Timeline.h"
#include <limits>
#include <map>

namespace zcc {

/// The time that a step takes, and its effect on memory.
struct StepFacts {
  double seconds = 0;
  int64_t stream = 0; // of a collective that runs beside computation; else 0
  double moving = 0;  // seconds by which it slows down computation beside it
  // For a ring that sends beside its own kernels: the stream of its links, and
  // the seconds for which they are busy.
  int64_t link = 0;
  double linkSeconds = 0;
  int64_t freed = 0; // bytes of sources less bytes of targets
  int64_t held = 0;  // bytes of sources that no later step reads
  bool communicates = false;
  // Pieces of the task's memory (MemoryPieces) that the step uses, and whether
  // it writes them.
  llvm::SmallVector<std::pair<unsigned, bool>, 4> accesses;
};

/// The steps of a task, and the order that they must keep.
struct TaskSteps {
  /// `pieces`: the number of pieces in the memory of all its buffers.
  TaskSteps(const TaskInfo &task, unsigned pieces,
            std::vector<StepFacts> steps);

  const TaskInfo &task;
  std::vector<StepFacts> steps;
  // Dependences of each step.
  std::vector<llvm::SmallVector<unsigned, 4>> before, after;
};

/// The clock of a device, while the simulation plays its table.
struct DeviceClock {
  explicit DeviceClock(size_t pieces) : written(pieces, 0), read(pieces, 0) {}

  double now = 0;    // computation's own time
  double waited = 0; // seconds that computation waited for collectives
  std::map<int64_t, double> links; // when each link is free
  // When the last write or read of each piece ends.
  std::vector<double> written, read;

  /// Returns when the memory of the step is ready. `pieces`: the table's piece
  /// for each piece of the task.
  double readyAt(const StepFacts &step, llvm::ArrayRef<unsigned> pieces) const;
  /// Plays a step and returns the time when it ends.
  double play(const StepFacts &step, llvm::ArrayRef<unsigned> pieces);
  /// Returns the time when all steps have ended.
  double end() const;
  /// Makes computation wait until that time.
  void waitUntil(double time);
  /// Repeats the last steps, which took so many seconds.
  void repeat(double seconds);
};

/// The parameters of an order.
struct OrderChoice {
  unsigned far; // steps that a kernel may overtake
  // A collective that takes memory may begin so many times its duration before
  // it is needed.
  double lead;
  // The next kernel is the first in the old order, rather than the one with the
  // longest way to the end.
  bool inOrder = false;
  // Bytes that only links need: data that is being sent or waits for it. Beyond
  // these, steps that make more of such data wait.
  int64_t window = std::numeric_limits<int64_t>::max();
};

struct StepsOrder {
  std::vector<unsigned> steps;
  /// Waits that are not due to memory: a step of computation, and the
  /// collective that it waits for, in the order of the former.
  std::vector<std::pair<unsigned, unsigned>> joins;
};

/// Returns an order for a task that begins on `clock`, and plays it. `pieces`:
/// the table's piece for each piece of the task. `reads`: for each piece, the
/// seconds of computation between the task and the next read of the piece.
StepsOrder orderSteps(const TaskSteps &task, llvm::ArrayRef<unsigned> pieces,
                      llvm::ArrayRef<double> reads, DeviceClock &clock,
                      const OrderChoice &choice);
/// Plays an order again.
void playOrder(const TaskSteps &task, llvm::ArrayRef<unsigned> pieces,
               const StepsOrder &order, DeviceClock &clock);

} // namespace zcc

#endif
