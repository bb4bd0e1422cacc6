// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists the memories that the steps of a task name, their uses, and the bytes
// in use at each step. One memory can become a part of another.
#ifndef ZCC_PASSES_SCHEDULE_TASKMEMORY_H
#define ZCC_PASSES_SCHEDULE_TASKMEMORY_H

#include "dialects/Exec/Exec.h"
#include "llvm/ADT/MapVector.h"
#include <memory>

namespace zcc {

class TaskMemory {
public:
  struct Use {
    unsigned step;
    bool writes;
  };
  struct Memory {
    llvm::SmallVector<exec::BufferOp> buffers;
    std::vector<Use> uses; // by step
    int64_t size = 0;      // bytes
    // It is used by a step of another stream than the main one, by a member of
    // a bucket, or inside a repeat.
    bool onStream = false, inBucket = false, inRepeat = false;

    exec::BufferSpace space() const {
      exec::BufferOp op = buffers.front();
      return op.getSpace();
    }
    bool isTemporary() const { return space() == exec::BufferSpace::Temporary; }
    bool isOnDevice() const {
      exec::BufferOp op = buffers.front();
      return op.getMemorySpace() == MemorySpace::Device;
    }
    /// Returns true if this task makes it and is the first to use it.
    bool isMadeHere() const {
      return (isTemporary() || space() == exec::BufferSpace::Value) &&
             !uses.empty() && uses.front().writes;
    }
    unsigned first() const { return uses.front().step; }
    unsigned last() const { return uses.back().step; }
    /// Returns true if a step in (after, until] writes it.
    bool isWritten(unsigned after, unsigned until) const;
  };

  explicit TaskMemory(exec::TaskOp task);

  /// Returns the steps in order; null for a step that was erased.
  llvm::ArrayRef<mlir::Operation *> steps() const { return all; }
  /// Returns the memory of a buffer that a step uses.
  Memory &of(mlir::Value buffer) const { return *byBuffer.lookup(buffer); }
  /// Returns true if the buffer covers all of its memory.
  bool isWhole(mlir::Value buffer) const;

  /// Adds a new buffer of the memory of `like`.
  void add(exec::BufferOp buffer, mlir::Value like);
  /// Makes `from` the part of `into` that begins at byte `begin`.
  void merge(Memory &from, Memory &into, int64_t begin);
  /// Removes the uses of `memory` by the step.
  void forget(Memory &memory, unsigned step);
  void erase(unsigned step);

  /// Returns the bytes in use at a step. Temporaries and values count from
  /// their first use to their last, as far as the task knows; everything else
  /// counts throughout.
  int64_t inUse(unsigned step) const { return use[step]; }
  int64_t peak() const;

private:
  std::pair<unsigned, unsigned> lifeOf(const Memory &memory) const;
  void count(const Memory &memory, int sign);

  llvm::SmallVector<mlir::Operation *> all;
  std::vector<std::unique_ptr<Memory>> memories;
  llvm::DenseMap<mlir::Value, Memory *> byBuffer;
  std::vector<int64_t> use;
};

} // namespace zcc

#endif
