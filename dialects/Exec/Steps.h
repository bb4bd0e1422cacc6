// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What all steps of a task have: the buffers that they read and write, a
// stream, the events that they wait for, and the one that their end is.
#ifndef ZCC_DIALECTS_EXEC_STEPS_H
#define ZCC_DIALECTS_EXEC_STEPS_H

#include "dialects/Exec/Exec.h"

namespace zcc::exec {

/// Calls visit for the buffers that a step of a task reads and writes, sources
/// first. False if `op` is no step. All that a repeat does counts as one.
bool forEachAccess(
    mlir::Operation *op,
    llvm::function_ref<void(mlir::Value buffer, bool writes)> visit);

/// Calls visit for a step and for those within it that run as steps of their
/// own: a repeat's, in the order of a turn.
void forEachStepOf(mlir::Operation *op,
                   llvm::function_ref<void(mlir::Operation *step)> visit);

/// Whether a repeat has steps on other streams, so that it is not one step.
bool isOnStreams(mlir::Operation *op);

/// Whether a buffer of a task lies in the host's memory.
bool isOnHost(mlir::Value buffer);
/// Whether the step moves a buffer from one memory to another.
bool isTransfer(mlir::Operation *op);
/// Of a transfer: "load NAME" or "store NAME", what is moved.
std::string describeTransfer(CopyOp copy);
/// "NAME and 7 more", the first kernel's.
std::string describeBatch(BatchOp batch);

/// Whether the step, or one within it, sends anything.
bool communicates(mlir::Operation *op);

/// 0 is computation. A bucket's is that of its members; a repeat is on 0,
/// whatever its steps are on.
int64_t getStream(mlir::Operation *op);
void setStream(mlir::Operation *op, int64_t stream);

/// A launch that uses what another one writes.
struct LaunchConflict {
  LaunchOp user, writer;
  mlir::Value buffer; // of the user
};
/// Launches whose order does not matter, by the bytes that their buffers name.
class UnorderedLaunches {
public:
  /// One of those taken in with which the launch conflicts.
  std::optional<LaunchConflict> find(LaunchOp launch) const;
  /// Takes the launch in, or says with which of those taken in it conflicts.
  std::optional<LaunchConflict> add(LaunchOp launch);
  void clear() { uses.clear(); }

private:
  struct Use {
    LaunchOp by;
    mlir::Value buffer;
  };
  struct Uses {
    llvm::SmallVector<Use, 1> reads, writes;
  };
  /// The memory and the name within it.
  using Key = std::pair<mlir::Attribute, mlir::Attribute>;
  static Key keyOf(BufferOp buffer) {
    return {buffer.getSpaceAttr(), buffer.getNameAttr()};
  }
  llvm::DenseMap<Key, Uses> uses;
};

/// Events are numbers of the stage. A wait is for what was last enqueued as the
/// event, in any task. A repeat waits at the begin of every turn.
llvm::ArrayRef<int64_t> getWaits(mlir::Operation *op);
void setWaits(mlir::Operation *op, llvm::ArrayRef<int64_t> events);
std::optional<int64_t> getEvent(mlir::Operation *op);
void setEvent(mlir::Operation *op, int64_t event);

} // namespace zcc::exec

#endif
