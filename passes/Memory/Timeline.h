// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Represents one step of a stage as a line of time, with the live ranges of its
// memory. A launch, collective, copy or transfer is one tick. `init`, if there
// is one, runs before the step. The line is unrolled over the action table; the
// program is not.
#ifndef ZCC_PASSES_MEMORY_TIMELINE_H
#define ZCC_PASSES_MEMORY_TIMELINE_H

#include "planning/MemoryProblem.h"
#include "dialects/Dist/Dist.h"
#include "passes/Memory/TaskInfo.h"
#include <map>

namespace zcc {

// The alignment of every offset in an arena. Sizes are rounded up to it.
inline constexpr int64_t arenaAlignment = 64;

// The alignment of workspaces, and of the tables beside them.
inline constexpr int64_t workspaceAlignment = 256;
// Attributes of a table whose kernels use memory beside their operands: the
// bytes for each stream (array), the bytes of the tables in which kernels find
// their buffers, and in a planned module the offset of all that.
inline constexpr llvm::StringLiteral workspacesAttrName = "exec.workspaces";
inline constexpr llvm::StringLiteral tableBytesAttrName = "exec.table_bytes";
inline constexpr llvm::StringLiteral workspaceOffsetAttrName =
    "exec.workspace_offset";

struct TimelineBuffer {
  exec::BufferSpace space = exec::BufferSpace::Temporary;
  llvm::StringRef name, task; // `task` of temporaries
  dist::MemoryCategory category = dist::MemoryCategory::Temporary;
  int64_t microbatch = -1; // of values and parts of inputs; else -1
  int64_t size = 0;    // a multiple of arenaAlignment
  int64_t offset = -1; // in the space's arena, once planned
  MemorySpace memory = MemorySpace::Device;
  std::vector<planning::Interval> live;
  bool fixed = false; // lives for the whole step
  // The caller of the step has it; its offset is behind the device's arena.
  bool isCallers = false;

  /// Returns true if it has a place in the arena of that space.
  bool isIn(MemorySpace space) const { return memory == space && !isCallers; }

  /// Returns a name for listings: "forward/t3", "h1#2".
  std::string label() const;
};

struct TimelineAction {
  // Dist.run, send or receive; for an init its task.
  mlir::Operation *op = nullptr;
  int task = -1; // the task that it runs; -1: none
  int64_t start = 0;
  llvm::SmallVector<unsigned> slots; // buffers; for a transfer its value
};

class StageTimeline {
public:
  /// Builds the timeline of a stage. Reports errors at the op that breaks the
  /// rules.
  static mlir::FailureOr<StageTimeline> build(mlir::ModuleOp module,
                                              dist::ScheduleOp table);

  dist::ScheduleOp table;
  int64_t length = 0;
  std::vector<TimelineBuffer> buffers;
  std::vector<TaskInfo> tasks;
  std::vector<TimelineAction> inits; // actions that run once, before the others
  std::vector<TimelineAction> actions;
  /// The buffer of each exec.buffer that is not a slot.
  llvm::DenseMap<mlir::Operation *, unsigned> placed;
  /// The buffers of dist.state, dist.output and (first part) dist.input ops.
  llvm::DenseMap<mlir::Operation *, unsigned> declared;
  unsigned hyper = 0, coordinates = 0;
  int key = -1, workspace = -1; // -1: none
  dist::MeshOp mesh;

  /// Returns the timeline's buffer for a task's buffer in an action that runs
  /// the task.
  static unsigned indexOf(const TaskBuffer &buffer,
                          const TimelineAction &action) {
    return buffer.slot < 0 ? buffer.placed : action.slots[buffer.slot];
  }
  /// Returns true if a step is on another stream than the main one.
  bool hasStreams() const;
  /// Returns true if the stage sends to another stage or receives.
  bool hasTransfers() const;

  /// The buffer that an operand of a repeat's steps names in one turn.
  using Names = llvm::DenseMap<mlir::Value, mlir::Value>;
  /// A step of a task or a transfer, in the order of the line. If there are
  /// transfers, the begin of each run is a moment, too, before its first step.
  /// A repeat with steps on other streams is several moments, all at its tick:
  /// for each turn its begin, which writes the member, and the steps, as they
  /// are enqueued.
  struct Moment {
    mlir::Operation *op;
    int64_t tick;
    const TimelineAction &action;
    const Names *names = nullptr; // set in a turn of such a repeat
    int64_t step = -1;            // of the task; -1: no step, or in a turn
  };
  void forEachMoment(llvm::ArrayRef<TimelineAction> of,
                     llvm::function_ref<void(const Moment &)> visit) const;
  /// Returns the buffer that a task's value is at that moment.
  unsigned bufferOf(const Moment &moment, mlir::Value value) const;
  /// Calls visit(buffer, part, writes) for each buffer that is read or written
  /// at that moment. `part` says which bytes of it; null: all.
  void forEachAccess(const Moment &moment,
                     llvm::function_ref<void(unsigned buffer,
                                             exec::BufferOp part, bool writes)>
                         visit) const;
};

/// Calls `act` for the timelines of all stages, in parallel. Fails if one call
/// fails. Stages have no ops in common that `act` may change.
mlir::LogicalResult forEachTimeline(
    mlir::ModuleOp module,
    llvm::function_ref<mlir::LogicalResult(StageTimeline &timeline)> act);

/// Memory of which steps use parts is cut into pieces that each step uses whole
/// or not at all. If all steps use all of a memory, it is one piece.
class MemoryPieces {
public:
  explicit MemoryPieces(const StageTimeline &timeline);

  /// Returns the number of pieces of all buffers of the timeline.
  unsigned size() const { return firsts.back(); }
  /// Returns the first piece of a buffer of the timeline; its other pieces
  /// follow.
  unsigned first(unsigned buffer) const { return firsts[buffer]; }
  unsigned count(const TaskBuffer &buffer) const;
  /// Calls visit(i) for the pieces that `buffer` has of its memory, counted
  /// from the memory's first piece.
  void forEach(exec::BufferOp buffer,
               llvm::function_ref<void(unsigned piece)> visit) const;
  /// Calls visit(piece, writes) for each piece that is read or written at a
  /// moment.
  void forEachAccess(
      const StageTimeline::Moment &moment,
      llvm::function_ref<void(unsigned piece, bool writes)> visit) const;

private:
  using Key = std::pair<exec::BufferSpace, llvm::StringRef>; // space, name
  /// Returns where the memory of that name is cut, ascending; null: nowhere.
  const std::vector<int64_t> *cutsOf(exec::BufferSpace space,
                                     llvm::StringRef name) const;

  const StageTimeline &timeline;
  std::map<Key, std::vector<int64_t>> cuts; // only names that are cut
  std::vector<unsigned> firsts; // by buffer; the last is the number of pieces
};

/// Returns the number of parts of an input: the size of the temporal axis if it
/// is split over one, else 1.
int64_t inputParts(dist::MeshOp mesh, dist::InputOp input);
/// Returns the bytes of a shard of a tensor.
int64_t shardBytes(dist::MeshOp mesh, mlir::RankedTensorType type,
                   dist::ShardingAttr sharding);

} // namespace zcc

#endif
