// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Properties of all steps of a task: the buffers that they read and write,
// their stream, the events that they wait for, and the event that their end is.
#ifndef ZCC_DIALECTS_EXEC_STEPS_H
#define ZCC_DIALECTS_EXEC_STEPS_H

#include "dialects/Exec/Exec.h"

namespace zcc::exec {

/// Calls visit for the buffers that a step of a task reads and writes, sources
/// first. A repeat counts as one step. Returns false if `op` is no step.
bool forEachAccess(
    mlir::Operation *op,
    llvm::function_ref<void(mlir::Value buffer, bool writes)> visit);

/// Calls visit for a step and for the steps within it that run as steps of
/// their own: those of a repeat, in the order of a turn.
void forEachStepOf(mlir::Operation *op,
                   llvm::function_ref<void(mlir::Operation *step)> visit);

/// Returns true if a repeat has steps on other streams, so that it is not one
/// step.
bool isOnStreams(mlir::Operation *op);

/// Returns the space that a buffer of a task lies in.
MemorySpace getMemorySpace(mlir::Value buffer);
/// Returns true if the step moves a buffer from one memory to another.
bool isTransfer(mlir::Operation *op);
/// Returns "load NAME" or "store NAME" for a transfer, with the name of the
/// moved buffer.
std::string describeTransfer(CopyOp copy);
/// Returns "NAME and 7 more", with the first kernel's name.
std::string describeBatch(BatchOp batch);

/// Returns true if the step, or a step within it, communicates.
bool communicates(mlir::Operation *op);

/// Returns the stream of a step; 0 is computation. A bucket has the stream of
/// its members. A repeat is on 0, whatever streams its steps are on.
int64_t getStream(mlir::Operation *op);
void setStream(mlir::Operation *op, int64_t stream);

/// A launch that uses memory which another launch writes.
struct LaunchConflict {
  LaunchOp user, writer;
  mlir::Value buffer; // of the user
};
/// A set of launches whose order does not matter, by the bytes that their
/// buffers name.
class UnorderedLaunches {
public:
  /// Returns a conflict of the launch with one in the set; nullopt if there is
  /// none.
  std::optional<LaunchConflict> find(LaunchOp launch) const;
  /// Adds the launch to the set, or returns a conflict with one in the set.
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
  /// The space of a memory and its name.
  using Key = std::pair<mlir::Attribute, mlir::Attribute>;
  static Key keyOf(BufferOp buffer) {
    return {buffer.getSpaceAttr(), buffer.getNameAttr()};
  }
  llvm::DenseMap<Key, Uses> uses;
};

/// Events are numbers of the stage. A wait is for the step that was last
/// enqueued with the event, in any task. A repeat waits at the begin of every
/// turn. Sends and receives may wait for events, too.
llvm::ArrayRef<int64_t> getWaits(mlir::Operation *op);
void setWaits(mlir::Operation *op, llvm::ArrayRef<int64_t> events);
std::optional<int64_t> getEvent(mlir::Operation *op);
void setEvent(mlir::Operation *op, int64_t event);

} // namespace zcc::exec

#endif
