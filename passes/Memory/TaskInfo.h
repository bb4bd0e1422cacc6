// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects the buffers that a task uses at each step.
#ifndef ZCC_PASSES_MEMORY_TASKINFO_H
#define ZCC_PASSES_MEMORY_TASKINFO_H

#include "dialects/Exec/Exec.h"
#include <vector>

namespace zcc {

/// A piece of memory that a task names by (space, name).
struct TaskBuffer {
  llvm::SmallVector<exec::BufferOp> ops;
  MemorySpace memory = MemorySpace::Device; // of the first of `ops`
  bool isScattered = false; // some of `ops` are in another memory
  // First and last tick of the task that uses it; -1: none.
  int64_t first = -1, last = -1;
  bool readFirst = false;
  int64_t size = 0;
  // Number of a buffer that is bound for each action; -1: not so.
  int64_t slot = -1;
  int64_t placed = -1; // index in the timeline of a buffer that is not
};

/// A buffer that a step reads or writes.
struct TaskAccess {
  unsigned buffer;     // index into `buffers`
  exec::BufferOp part; // null: all of it
  bool writes;
};

struct TaskInfo {
  exec::TaskOp op;
  std::vector<TaskBuffer> buffers;   // in the order of their first exec.buffer
  llvm::SmallVector<unsigned> slots; // indices into `buffers`
  std::vector<mlir::Operation *> steps; // one for each tick
  std::vector<TaskAccess> accesses;     // of all steps, one after the other
  std::vector<unsigned> accessEnds;     // by step
  llvm::DenseMap<mlir::Value, unsigned> byValue; // indices into `buffers`
  int64_t ticks = 1;

  llvm::ArrayRef<TaskAccess> accessesOf(size_t step) const {
    unsigned begin = step == 0 ? 0 : accessEnds[step - 1];
    return llvm::ArrayRef(accesses).slice(begin, accessEnds[step] - begin);
  }
};

/// `isSlot`: returns true if the buffer is bound for each action. Reports an
/// error at an op that is no step.
mlir::FailureOr<TaskInfo>
readTask(exec::TaskOp task, llvm::function_ref<bool(exec::BufferOp)> isSlot);

} // namespace zcc

#endif
