// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Holds the steps of a task in an order that may still change. It knows their
// dependences by the memory that they read and write, and the bytes in use at
// each step.
#ifndef ZCC_PASSES_SCHEDULE_STEPORDER_H
#define ZCC_PASSES_SCHEDULE_STEPORDER_H

#include "passes/Memory/Timeline.h"

namespace zcc {

/// Bytes in use at each tick of a whole step of training, before any step was
/// moved.
class StepPeaks {
public:
  explicit StepPeaks(const StageTimeline &timeline);

  const StageTimeline &timeline;
  std::vector<int64_t> used; // by tick
  int64_t peak = 0;

  /// Returns the run of a task with the most bytes in use; null if no action
  /// runs the task.
  const TimelineAction *worstRun(exec::TaskOp task) const;
};

class StepOrder {
public:
  StepOrder(const TaskInfo &task, const StepPeaks &peaks);

  /// Returns the steps' ops in their first order.
  llvm::ArrayRef<mlir::Operation *> operations() const { return first; }
  /// Returns the step that an op belongs to.
  unsigned stepOf(mlir::Operation *op) const { return steps.lookup(op); }

  /// Makes one step of two collectives, which keeps the number of `earlier`.
  /// `later` comes at most `farthest` steps after `earlier`. Returns false, and
  /// does nothing, if one needs the other, or if the peak of memory would grow
  /// too much.
  bool join(unsigned earlier, unsigned later, unsigned farthest);

  /// Writes the order to the module. Joined ops become an exec.bucket.
  void write();

private:
  struct Step {
    llvm::SmallVector<mlir::Operation *, 1> ops;
    llvm::SmallVector<unsigned, 4> reads, writes; // indices of buffers
    bool opaque = false;                          // may read and write anything
  };
  struct Life {
    int64_t size = 0;
    int first = INT_MAX, last = -1;     // positions, both included
    bool before = false, after = false; // in use before or after the task
  };
  /// The buffers that a set of steps reads and writes.
  struct Touched {
    llvm::DenseSet<unsigned> reads, writes;
    bool opaque = false;
    void add(const Step &step);
    bool conflicts(const Step &step) const;
  };
  /// The highest and the summed bytes in use in a part of the order.
  struct Use {
    int64_t peak = 0, sum = 0;
  };

  void addStep(mlir::Operation *op,
               const llvm::DenseMap<mlir::Value, unsigned> &buffers);
  void readLives(const StepPeaks &peaks);
  void countUse(int from, int to);
  /// Returns the use of memory with `window` in place of the steps at `begin`.
  Use useOf(llvm::ArrayRef<unsigned> window, int begin) const;
  template <typename Visit>
  void forEachBuffer(unsigned step, Visit visit) const;
  void place(llvm::ArrayRef<unsigned> window, int begin, int end);
  /// Returns the life of a buffer that steps of a window use, from their
  /// positions.
  Life lifeIn(unsigned buffer, int begin, int end, int low, int high) const;

  const TaskInfo &task;
  llvm::SmallVector<mlir::Operation *> first;
  std::vector<Step> all;
  std::vector<unsigned> order; // steps; positions are indices of this
  std::vector<int> position;   // by step
  llvm::DenseMap<mlir::Operation *, unsigned> steps;
  std::vector<Life> lives;    // by buffer of the task
  std::vector<int64_t> use;   // by position
  int64_t budget = INT64_MAX; // most bytes that the task's own buffers may use
};

} // namespace zcc

#endif
