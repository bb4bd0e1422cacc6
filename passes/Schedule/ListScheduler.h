// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Orders the steps of a task for two resources, computation and the links of
// collectives, by playing them on a clock.
#ifndef ZCC_PASSES_SCHEDULE_LISTSCHEDULER_H
#define ZCC_PASSES_SCHEDULE_LISTSCHEDULER_H

#include "passes/Memory/Timeline.h"
#include <limits>
#include <map>

namespace zcc {

/// What a step takes, and does to memory.
struct StepFacts {
  double seconds = 0;
  int64_t stream = 0; // of a collective, if it runs beside computation
  double moving = 0;  // seconds that computation beside it is slower by
  // Of a ring that sends beside its own kernels: the stream of its links, and
  // the seconds that they carry.
  int64_t link = 0;
  double linkSeconds = 0;
  int64_t freed = 0; // bytes: those of sources less those of targets
  int64_t held = 0;  // bytes of sources that nothing after it reads
  bool communicates = false;
  // Pieces of the task's memory (MemoryPieces), and whether it writes them.
  llvm::SmallVector<std::pair<unsigned, bool>, 4> accesses;
};

/// The steps of a task, and what must come before what.
struct TaskSteps {
  /// `pieces`: of the memory of all its buffers.
  TaskSteps(const TaskInfo &task, unsigned pieces,
            std::vector<StepFacts> steps);
  /// Leaves collectives on the main stream that no computation of the task
  /// comes after: what the others send is waited for within the task.
  void close();

  const TaskInfo &task;
  std::vector<StepFacts> steps;
  std::vector<llvm::SmallVector<unsigned, 4>> before, after; // by step
};

/// The clock of the device, while its table is played.
struct DeviceClock {
  explicit DeviceClock(size_t pieces) : written(pieces, 0), read(pieces, 0) {}

  double now = 0;                    // of computation
  double waited = 0;                 // of that, for collectives
  std::map<int64_t, double> links;   // when they are free
  std::vector<double> written, read; // when that is over, by piece

  /// `pieces`: of the table, by piece of the task.
  double readyAt(const StepFacts &step, llvm::ArrayRef<unsigned> pieces) const;
  /// Gives the time of its end.
  double play(const StepFacts &step, llvm::ArrayRef<unsigned> pieces);
  /// When all that runs is done.
  double end() const;
  /// Computation goes on at that time, not before.
  void waitUntil(double time);
  /// What was played last took so long, and is played again.
  void repeat(double seconds);
};

/// By what an order is chosen.
struct OrderChoice {
  unsigned far; // steps that a kernel may overtake
  double lead;  // how many times its own duration a collective that takes
                // memory may begin before it is needed
  // The next kernel is the first in the order as it stood, not that which most
  // is behind.
  bool inOrder = false;
  // Bytes that wait for links, or are on them, and that nothing else needs:
  // where there are more, what makes more of them waits.
  int64_t window = std::numeric_limits<int64_t>::max();
};

struct StepsOrder {
  std::vector<unsigned> steps;
  /// Besides what it needs, what a step of computation waits for: that step,
  /// and the collective. In the order of those steps.
  std::vector<std::pair<unsigned, unsigned>> joins;
};

/// An order for a task that begins on a clock, which plays it. `pieces`: of the
/// table, by piece of the task; `reads`: seconds of computation after the task
/// until they are read again.
StepsOrder orderSteps(const TaskSteps &task, llvm::ArrayRef<unsigned> pieces,
                      llvm::ArrayRef<double> reads, DeviceClock &clock,
                      const OrderChoice &choice);
/// Plays an order again.
void playOrder(const TaskSteps &task, llvm::ArrayRef<unsigned> pieces,
               const StepsOrder &order, DeviceClock &clock);

} // namespace zcc

#endif
