// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One step of a stage as a line of time, and when each piece of memory is in
// use on it. A launch, collective or copy is one tick, a transfer as well;
// `init`, if there is one, runs before the step. The line is unrolled over the
// action table; the program is not.
#ifndef ZCC_PASSES_MEMORY_TIMELINE_H
#define ZCC_PASSES_MEMORY_TIMELINE_H

#include "planning/MemoryProblem.h"
#include "dialects/Dist/Dist.h"
#include "passes/Memory/TaskInfo.h"
#include <map>

namespace zcc {

// Of every offset in an arena; sizes are rounded up to it.
inline constexpr int64_t arenaAlignment = 64;

// Of workspaces, and of the tables beside them.
inline constexpr int64_t workspaceAlignment = 256;
// Of a table whose kernels use memory beside their operands: bytes by stream
// (array), those of the tables that kernels find their buffers by, and in a
// planned module where all of that begins.
inline constexpr llvm::StringLiteral workspacesAttrName = "exec.workspaces";
inline constexpr llvm::StringLiteral tableBytesAttrName = "exec.table_bytes";
inline constexpr llvm::StringLiteral workspaceOffsetAttrName =
    "exec.workspace_offset";

/// Each has an arena of its own.
enum class Memory : unsigned { Device, Host };
inline constexpr Memory allMemories[] = {Memory::Device, Memory::Host};

struct TimelineBuffer {
  llvm::StringRef space, name, category, task; // `task` of temporaries
  int64_t microbatch = -1;                 // of values and parts of inputs
  int64_t size = 0;    // a multiple of arenaAlignment
  int64_t offset = -1; // in the memory's arena, once planned
  Memory memory = Memory::Device;
  std::vector<planning::Interval> live;
  bool fixed = false; // lives for the whole step

  /// For listings: "forward/t3", "h1#2".
  std::string label() const;
};

struct TimelineAction {
  mlir::Operation *op = nullptr; // dist.run, send, receive; init: its task
  int task = -1;                 // that is run
  int64_t start = 0;
  llvm::SmallVector<unsigned> slots; // buffers; for a transfer the value
};

class StageTimeline {
public:
  /// Errors are reported at the op that breaks the rules.
  static mlir::FailureOr<StageTimeline> build(mlir::ModuleOp module,
                                              dist::ScheduleOp table);

  dist::ScheduleOp table;
  int64_t length = 0;
  std::vector<TimelineBuffer> buffers;
  std::vector<TaskInfo> tasks;
  std::vector<TimelineAction> inits; // what runs once, before the actions
  std::vector<TimelineAction> actions;
  /// The buffer behind an exec.buffer that is not a slot.
  llvm::DenseMap<mlir::Operation *, unsigned> placed;
  /// The buffers of dist.state, dist.output and (first part) dist.input ops.
  llvm::DenseMap<mlir::Operation *, unsigned> declared;
  unsigned hyper = 0, coordinates = 0;
  int key = -1, workspace = -1; // -1: none
  dist::MeshOp mesh;

  /// The buffer that a task's buffer is in an action that runs it.
  static unsigned indexOf(const TaskBuffer &buffer,
                          const TimelineAction &action) {
    return buffer.slot < 0 ? buffer.placed : action.slots[buffer.slot];
  }
  /// Whether a step is on another stream than the main one.
  bool hasStreams() const;
  /// Whether something is sent to another stage, or received.
  bool hasTransfers() const;

  /// Which buffer an operand of a repeat's steps names in a turn.
  using Names = llvm::DenseMap<mlir::Value, mlir::Value>;
  /// A step of a task, or a transfer, in the order of the line; where there are
  /// transfers, the begin of each run before its first step. A repeat with
  /// steps on other streams is several, all at its tick: for each turn its
  /// begin, which writes the member, and the steps, as they are enqueued.
  struct Moment {
    mlir::Operation *op;
    int64_t tick;
    const TimelineAction &action;
    const Names *names = nullptr; // of such a repeat's turn
    int64_t step = -1;            // of the task; -1: no step, or a turn's
  };
  void forEachMoment(llvm::ArrayRef<TimelineAction> of,
                     llvm::function_ref<void(const Moment &)> visit) const;
  /// The buffer that a task's value is then.
  unsigned bufferOf(const Moment &moment, mlir::Value value) const;
  /// Calls visit(buffer, part, writes) for what is read and written then;
  /// `part` says which bytes of it, all where it is null.
  void forEachAccess(const Moment &moment,
                     llvm::function_ref<void(unsigned buffer,
                                             exec::BufferOp part, bool writes)>
                         visit) const;
};

/// Side by side, for the timelines of all stages; failure if one is. Stages
/// have no ops in common that `act` may change.
mlir::LogicalResult forEachTimeline(
    mlir::ModuleOp module,
    llvm::function_ref<mlir::LogicalResult(StageTimeline &timeline)> act);

/// Memory of which steps use parts, in pieces that each step uses whole or not
/// at all. Where all steps use all of it there is one.
class MemoryPieces {
public:
  explicit MemoryPieces(const StageTimeline &timeline);

  /// Pieces of all buffers of the timeline.
  unsigned size() const { return firsts.back(); }
  /// The first one of a buffer of the timeline; the others come after it.
  unsigned first(unsigned buffer) const { return firsts[buffer]; }
  unsigned count(const TaskBuffer &buffer) const;
  /// Calls visit(i) for the pieces of its memory that `buffer` has, counted
  /// from the first one of it.
  void forEach(exec::BufferOp buffer,
               llvm::function_ref<void(unsigned piece)> visit) const;
  /// Calls visit(piece, writes) for what is read and written at a moment.
  void forEachAccess(
      const StageTimeline::Moment &moment,
      llvm::function_ref<void(unsigned piece, bool writes)> visit) const;

private:
  using Key = std::pair<llvm::StringRef, llvm::StringRef>; // space, name
  /// Where the memory of a name is cut, ascending.
  const std::vector<int64_t> *cutsOf(llvm::StringRef space,
                                     llvm::StringRef name) const;

  const StageTimeline &timeline;
  std::map<Key, std::vector<int64_t>> cuts; // of names that are cut
  std::vector<unsigned> firsts;             // by buffer, and the end
};

/// Parts of an input: the size of the temporal axis if it is split over one.
int64_t inputParts(dist::MeshOp mesh, dist::InputOp input);
/// Bytes of a shard of a tensor.
int64_t shardBytes(dist::MeshOp mesh, mlir::RankedTensorType type,
                   dist::ShardingAttr sharding);

} // namespace zcc

#endif
