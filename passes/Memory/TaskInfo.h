// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a task touches when.
#ifndef ZCC_PASSES_MEMORY_TASKINFO_H
#define ZCC_PASSES_MEMORY_TASKINFO_H

#include "dialects/Exec/Exec.h"
#include <vector>

namespace zcc {

/// A piece of memory that a task names, by (space, name).
struct TaskBuffer {
  llvm::SmallVector<exec::BufferOp> ops;
  int64_t first = -1, last = -1; // ticks of the task that touch it
  bool readFirst = false;
  int64_t size = 0;
  int64_t slot = -1; // bound for each action
};

struct TaskInfo {
  exec::TaskOp op;
  std::vector<TaskBuffer> buffers;   // in the order of their first exec.buffer
  llvm::SmallVector<unsigned> slots; // indices into `buffers`
  std::vector<mlir::Operation *> steps;          // one a tick
  llvm::DenseMap<mlir::Value, unsigned> byValue; // indices into `buffers`
  int64_t ticks = 1;
};

/// `isSlot`: the buffer is bound for each action. Errors are reported at what
/// is no step.
mlir::FailureOr<TaskInfo>
readTask(exec::TaskOp task, llvm::function_ref<bool(exec::BufferOp)> isSlot);

} // namespace zcc

#endif
