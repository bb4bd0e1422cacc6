// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memories that the steps of a task name, who uses them when, and how many
// bytes are in use at each step; one may become a part of another one.
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
    // Used by a step of another stream than the main one, a member of a bucket,
    // something in a repeat.
    bool onStream = false, inBucket = false, inRepeat = false;

    llvm::StringRef space() const {
      exec::BufferOp op = buffers.front();
      return op.getSpace();
    }
    bool isTemporary() const { return space() == "temporary"; }
    bool isOnHost() const {
      exec::BufferOp op = buffers.front();
      return op.isOnHost();
    }
    /// Made by this task, which is the first to use it.
    bool isMadeHere() const {
      return (isTemporary() || space() == "value") && !uses.empty() &&
             uses.front().writes;
    }
    unsigned first() const { return uses.front().step; }
    unsigned last() const { return uses.back().step; }
    /// Whether a step in (after, until] writes it.
    bool isWritten(unsigned after, unsigned until) const;
  };

  explicit TaskMemory(exec::TaskOp task);

  /// In order; null where a step was erased.
  llvm::ArrayRef<mlir::Operation *> steps() const { return all; }
  /// Of a buffer that a step uses.
  Memory &of(mlir::Value buffer) const { return *byBuffer.lookup(buffer); }
  /// Whether the buffer is all that its memory has.
  bool isWhole(mlir::Value buffer) const;

  /// A buffer that is new, of the memory of `like`.
  void add(exec::BufferOp buffer, mlir::Value like);
  /// Makes `from` the part of `into` that begins after so many bytes.
  void merge(Memory &from, Memory &into, int64_t begin);
  /// The step does not use it any more.
  void forget(Memory &memory, unsigned step);
  void erase(unsigned step);

  /// Bytes in use at a step: temporaries and values from their first use to
  /// their last, as far as the task knows, everything else throughout.
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
