// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps of a task in an order that may still change: what must come before
// what, by the memory that they read and write, and the bytes in use at each.
#ifndef ZCC_PASSES_SCHEDULE_STEPORDER_H
#define ZCC_PASSES_SCHEDULE_STEPORDER_H

#include "passes/Memory/Timeline.h"

namespace zcc {

/// Bytes in use over a whole step, tick by tick, before anything was moved.
class StepPeaks {
public:
  explicit StepPeaks(const StageTimeline &timeline);

  const StageTimeline &timeline;
  std::vector<int64_t> used; // by tick
  int64_t peak = 0;

  /// The run of a task in which most is in use; null if none runs it.
  const TimelineAction *worstRun(exec::TaskOp task) const;
};

class StepOrder {
public:
  StepOrder(const TaskInfo &task, const StepPeaks &peaks);

  /// The steps' ops in the order that they had at first.
  llvm::ArrayRef<mlir::Operation *> operations() const { return first; }
  /// The step that an op belongs to.
  unsigned stepOf(mlir::Operation *op) const { return steps.lookup(op); }

  /// Makes one step of two collectives (`later` stands behind `earlier`, at
  /// most `farthest` steps), which keeps the number of `earlier`. False, and
  /// nothing done, if one needs the other, or if the step would need more
  /// memory than it does now.
  bool join(unsigned earlier, unsigned later, unsigned farthest);

  /// Puts the ops in order; joined ones into an exec.bucket.
  void write();

private:
  struct Step {
    llvm::SmallVector<mlir::Operation *, 1> ops;
    llvm::SmallVector<unsigned, 4> reads, writes; // buffers
    bool opaque = false;                          // reads and writes anything
  };
  struct Life {
    int64_t size = 0;
    int first = INT_MAX, last = -1;     // positions; `last` included
    bool before = false, after = false; // in use before the task, after it
  };
  /// What a set of steps reads and writes.
  struct Touched {
    llvm::DenseSet<unsigned> reads, writes;
    bool opaque = false;
    void add(const Step &step);
    bool conflicts(const Step &step) const;
  };
  /// The highest and the summed use of memory in a part of the order.
  struct Use {
    int64_t peak = 0, sum = 0;
  };

  void addStep(mlir::Operation *op,
               const llvm::DenseMap<mlir::Value, unsigned> &buffers);
  void readLives(const StepPeaks &peaks);
  void countUse(int from, int to);
  /// Of `window` in the place of the steps from `begin` on.
  Use useOf(llvm::ArrayRef<unsigned> window, int begin) const;
  template <typename Visit>
  void forEachBuffer(unsigned step, Visit visit) const;
  void place(llvm::ArrayRef<unsigned> window, int begin, int end);
  /// The life of a buffer that steps of a window touch, from their positions.
  Life lifeIn(unsigned buffer, int begin, int end, int low, int high) const;

  const TaskInfo &task;
  llvm::SmallVector<mlir::Operation *> first;
  std::vector<Step> all;
  std::vector<unsigned> order; // steps; positions are indices of this
  std::vector<int> position;   // by step
  llvm::DenseMap<mlir::Operation *, unsigned> steps;
  std::vector<Life> lives;    // by buffer of the task
  std::vector<int64_t> use;   // by position
  int64_t budget = INT64_MAX; // of what the task's own buffers may use
};

} // namespace zcc

#endif
