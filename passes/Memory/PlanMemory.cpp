// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass takes one stage and one memory after the other. Buffers that live
// for the whole step go to the bottom of the arena. planning::placeBuffers()
// places all others above them, on the unrolled line of time. Temporaries have
// one offset for all runs of their task, and values one for each place. A
// device of any stage must have the memory that the fullest stage needs. So the
// other stages are placed, in parallel, with effort only if they would need
// more than that.
#include "mlir/IR/Threading.h"
#include "mlir/Pass/PassManager.h"
#include "passes/Memory/Memory.h"
#include "passes/Memory/PlannedOffsets.h"
#include "passes/Memory/ValuePlaces.h"
#include "planning/MemoryAlgorithms.h"
#include <map>

namespace zcc {

#define GEN_PASS_DEF_PLANMEMORY
#include "passes/Memory/Passes.h.inc"

namespace {

using namespace mlir;

/// If a placement is far from its bound (few buffers may never reach it), the
/// effort ends after so many steps a buffer. A placement that does not fit into
/// the device gets 1/shareBeyond of that.
constexpr int64_t stepsPerBuffer = 100'000, shareBeyond = 4;

/// The placement problem of buffers without a fixed place. All instances of a
/// value that share a place (ValuePlaces.h) are one buffer. With hundreds of
/// live microbatches these would be too many to place quickly. Then places of
/// one value form rows, each of which is one buffer, live while one of its
/// places is in use.
class PlacementRows {
public:
  PlacementRows(const StageTimeline &timeline, MemorySpace memory,
                int64_t places)
      : timeline(timeline), memory(memory),
        placeOf(placeValues(timeline, memory, places)),
        problemIndex(timeline.buffers.size()) {
    int64_t others = 0, most = 1;
    for (auto [i, buffer] : llvm::enumerate(timeline.buffers)) {
      if (!isPlaced(buffer))
        continue;
      if (placeOf[i] < 0) {
        ++others;
        continue;
      }
      Places &value = values[buffer.name];
      value.count = std::max(value.count, placeOf[i] + 1);
      value.size = std::max(value.size, buffer.size);
      most = std::max(most, value.count);
    }
    int64_t enough = std::max<int64_t>(
        places, 2 * (others + static_cast<int64_t>(values.size())));
    auto count = [&] {
      int64_t rows = others;
      for (const auto &value : values)
        rows += llvm::divideCeil(value.second.count, length);
      return rows;
    };
    while (length < most && count() > enough)
      length *= 2;
  }

  /// Returns the number of places in a row.
  int64_t getLength() const { return length; }

  planning::MemoryProblem makeProblem(int64_t length) {
    planning::MemoryProblem problem;
    problem.alignment = arenaAlignment;
    std::map<std::pair<StringRef, int64_t>, size_t> byRow;
    for (auto [i, buffer] : llvm::enumerate(timeline.buffers)) {
      if (!isPlaced(buffer))
        continue;
      size_t at = problem.buffers.size();
      if (placeOf[i] >= 0)
        at = byRow.insert({{buffer.name, placeOf[i] / length}, at})
                 .first->second;
      if (at == problem.buffers.size())
        problem.buffers.push_back({buffer.label(), buffer.size, {}});
      problemIndex[i] = at;
      planning::MemoryBuffer &own = problem.buffers[at];
      int64_t size = buffer.size;
      if (length > 1 && placeOf[i] >= 0) {
        const Places &value = values.find(buffer.name)->second;
        int64_t first = placeOf[i] / length * length;
        size = value.size * std::min(length, value.count - first);
      }
      own.size = std::max(own.size, size);
      own.live.insert(own.live.end(), buffer.live.begin(), buffer.live.end());
    }
    for (planning::MemoryBuffer &buffer : problem.buffers)
      planning::normalize(buffer.live);
    return problem;
  }

  /// Returns the offset of a buffer of the timeline, by a placement of the
  /// rows.
  int64_t offsetOf(size_t i, const planning::MemoryPlacement &placement) const {
    const TimelineBuffer &buffer = timeline.buffers[i];
    int64_t offset = placement.offsets[problemIndex[i]];
    if (length == 1 || placeOf[i] < 0)
      return offset;
    return offset +
           placeOf[i] % length * values.find(buffer.name)->second.size;
  }

private:
  struct Places {
    int64_t count = 0, size = 0;
  };
  bool isPlaced(const TimelineBuffer &buffer) const {
    return buffer.isIn(memory) && !buffer.fixed && !buffer.live.empty();
  }

  const StageTimeline &timeline;
  const MemorySpace memory;
  std::vector<int64_t> placeOf;         // by buffer
  std::map<StringRef, Places> values;   // by name
  int64_t length = 1;
  std::vector<size_t> problemIndex; // by buffer, in the last problem
};

struct PlanMemory : impl::PlanMemoryBase<PlanMemory> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<dist::ScheduleOp> tables(module.getOps<dist::ScheduleOp>());
    if (tables.empty())
      return;
    if (callerInputs)
      for (auto input : module.getOps<dist::InputOp>())
        input->setAttr(exec::callerAttrName, UnitAttr::get(&getContext()));
    std::vector<Stage> stages(tables.size());
    if (failed(failableParallelForEachN(
            &getContext(), 0, tables.size(), [&](size_t i) {
              FailureOr<StageTimeline> timeline =
                  StageTimeline::build(module, tables[i]);
              if (succeeded(timeline))
                stages[i].timeline = std::move(*timeline);
              return LogicalResult(timeline);
            })))
      return signalPassFailure();
    Heights enough{};
    if (stages.size() > 1)
      findFullest(stages, enough);
    planStage(stages.front().timeline, enough);
    // The height of the fullest stage is low enough for the others. These have
    // no memory and no ops in common.
    parallelForEach(&getContext(), llvm::drop_begin(stages),
                    [&](Stage &stage) {
                      Heights own = enough;
                      planStage(stage.timeline, own);
                    });
  }

  /// For each memory, the bytes that are low enough; 0: none are.
  using Heights = BySpace<int64_t>;
  struct Stage {
    StageTimeline timeline;
    Heights least{};
  };

  void planStage(StageTimeline &timeline, Heights &enough) {
    for (const MemorySpaceInfo &row : memorySpaces)
      place(timeline, row.space, enough[row.space]);
    placeBehind(timeline);
    writeOffsets(timeline);
  }

  /// Puts the stage first that has the largest lower bound, and remembers the
  /// largest bounds: to place another stage lower saves no device anything.
  void findFullest(std::vector<Stage> &stages, Heights &enough) {
    parallelForEach(&getContext(), stages, [&](Stage &stage) {
      for (const MemorySpaceInfo &row : memorySpaces)
        stage.least[row.space] = findLeast(stage.timeline, row.space);
    });
    for (const Stage &stage : stages)
      for (const MemorySpaceInfo &row : memorySpaces)
        enough[row.space] = std::max(enough[row.space], stage.least[row.space]);
    std::swap(stages.front(),
              *llvm::max_element(stages, [](const auto &a, const auto &b) {
                return a.least[MemorySpace::Device] <
                       b.least[MemorySpace::Device];
              }));
  }

  int64_t findLeast(const StageTimeline &timeline, MemorySpace memory) const {
    int64_t least = 0;
    for (const TimelineBuffer &buffer : timeline.buffers)
      if (buffer.isIn(memory) && buffer.fixed)
        least += buffer.size;
    PlacementRows rows(timeline, memory, places);
    return least + planning::lowerBound(rows.makeProblem(rows.getLength()));
  }

  /// Numbers the bytes of inputs that the caller has, from the end of the
  /// device's arena on.
  static void placeBehind(StageTimeline &timeline) {
    int64_t arena = exec::getArenaBytes(timeline.table).value_or(0);
    int64_t end = arena;
    for (TimelineBuffer &buffer : timeline.buffers)
      if (buffer.isCallers) {
        buffer.offset = end;
        end += buffer.size;
      }
    if (end != arena)
      timeline.table->setAttr(
          exec::callerBytesAttrName,
          Builder(timeline.table.getContext()).getI64IntegerAttr(end - arena));
  }

  /// Sets the offsets of all buffers of a memory, and the size of its arena on
  /// the table.
  void place(StageTimeline &timeline, MemorySpace memory, int64_t &most) {
    int64_t base = 0;
    SmallVector<unsigned> own;
    for (auto [i, buffer] : llvm::enumerate(timeline.buffers)) {
      if (!buffer.isIn(memory))
        continue;
      own.push_back(i);
      if (buffer.fixed) {
        buffer.offset = base;
        base += buffer.size;
      }
    }
    if (own.empty() && memory != MemorySpace::Device)
      return;
    PlacementRows rows(timeline, memory, places);
    planning::MemoryProblem problem = rows.makeProblem(rows.getLength());
    planning::PlacementOptions effort;
    int64_t bound = planning::lowerBound(problem);
    bool isBeyond =
        memory == MemorySpace::Device && limit > 0 && base + bound > limit;
    effort.steps = std::min<int64_t>(
        isBeyond ? steps / shareBeyond : steps,
        stepsPerBuffer * static_cast<int64_t>(problem.buffers.size()));
    effort.enough = most - base;
    planning::MemoryPlacement placement =
        planning::placeBuffers(problem, effort);
    assert(planning::verifyPlacement(problem, placement).empty());
    int64_t top = base + placement.height;
    for (unsigned i : own) {
      TimelineBuffer &buffer = timeline.buffers[i];
      if (!buffer.fixed) // a buffer that no action uses may lie anywhere
        buffer.offset =
            buffer.live.empty() ? base : base + rows.offsetOf(i, placement);
      top = std::max(top, buffer.offset + buffer.size);
    }
    if (most > 0)
      most = std::max(most, top);
    exec::setArenaBytes(timeline.table, memory, top);
    if (memory != MemorySpace::Device)
      return;
    Builder builder(&getContext());
    timeline.table->setAttr(
        exec::lowerBoundAttrName,
        builder.getI64IntegerAttr(
            base + planning::lowerBound(
                       rows.getLength() == 1 ? problem : rows.makeProblem(1))));
  }
};

} // namespace

void buildMemoryPipeline(mlir::OpPassManager &pm,
                         const MemoryOptions &options) {
  PlanMemoryOptions own;
  own.steps = options.steps;
  own.limit = options.limit;
  own.callerInputs = options.callerInputs;
  pm.addPass(createPlanMemory(own));
  pm.addPass(createVerifyPlan());
}

} // namespace zcc
