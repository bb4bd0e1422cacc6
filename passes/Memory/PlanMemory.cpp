// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stage by stage: what lives for the whole step goes to the bottom of the
// arena, one after the other; everything else is placed above it by
// planning::placeBuffers() on the unrolled line of time. Temporaries have one
// offset for all runs of their task, values one for each color.
#include "compiler/planning/MemoryAlgorithms.h"
#include "mlir/Pass/PassManager.h"
#include "passes/Memory/Memory.h"
#include "passes/Memory/Timeline.h"
#include <map>

namespace zcc {

#define GEN_PASS_DEF_PLANMEMORY
#include "passes/Memory/Passes.h.inc"

namespace {

using namespace mlir;

struct PlanMemory : impl::PlanMemoryBase<PlanMemory> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    for (auto table : module.getOps<dist::ScheduleOp>()) {
      FailureOr<StageTimeline> timeline = StageTimeline::build(module, table);
      if (failed(timeline))
        return signalPassFailure();
      place(*timeline);
      writeOffsets(*timeline);
    }
  }

  /// Sets the offsets of all buffers, and the arena's size on the table.
  void place(StageTimeline &timeline) {
    int64_t base = 0;
    for (TimelineBuffer &buffer : timeline.buffers)
      if (buffer.fixed) {
        buffer.offset = base;
        base += buffer.size;
      }
    planning::MemoryProblem problem;
    problem.alignment = arenaAlignment;
    std::vector<size_t> problemIndex(timeline.buffers.size());
    std::map<std::pair<std::string, int64_t>, size_t> byColor;
    for (auto [i, buffer] : llvm::enumerate(timeline.buffers)) {
      if (buffer.fixed || buffer.live.empty())
        continue;
      size_t at = problem.buffers.size();
      if (buffer.color >= 0)
        at = byColor.insert({{buffer.name, buffer.color}, at}).first->second;
      if (at == problem.buffers.size())
        problem.buffers.push_back({buffer.label(), buffer.size, {}});
      problemIndex[i] = at;
      planning::MemoryBuffer &own = problem.buffers[at];
      own.size = std::max(own.size, buffer.size);
      own.live.insert(own.live.end(), buffer.live.begin(), buffer.live.end());
    }
    for (planning::MemoryBuffer &buffer : problem.buffers)
      planning::normalize(buffer.live);
    planning::MemoryPlacement placement = planning::placeBuffers(problem);
    assert(planning::verifyPlacement(problem, placement).empty());
    for (auto [i, buffer] : llvm::enumerate(timeline.buffers))
      if (!buffer.fixed) // what no action touches lies anywhere
        buffer.offset = buffer.live.empty()
                            ? base
                            : base + placement.offsets[problemIndex[i]];
    int64_t top = base + placement.height;
    for (TimelineBuffer &buffer : timeline.buffers)
      top = std::max(top, buffer.offset + buffer.size);
    Builder builder(&getContext());
    timeline.table->setAttr(exec::deviceBytesAttrName,
                            builder.getI64IntegerAttr(top));
    timeline.table->setAttr(
        exec::lowerBoundAttrName,
        builder.getI64IntegerAttr(base + planning::lowerBound(problem)));
  }

  void writeOffsets(StageTimeline &timeline) {
    Builder builder(&getContext());
    auto offset = [&](unsigned index) {
      return builder.getI64IntegerAttr(timeline.buffers[index].offset);
    };
    dist::MeshOp mesh = dist::getMesh(getOperation());
    for (auto [op, index] : timeline.declared) {
      if (auto input = dyn_cast<dist::InputOp>(op)) {
        SmallVector<int64_t> offsets;
        for (int64_t i = 0; i < inputParts(mesh, input); ++i)
          offsets.push_back(timeline.buffers[index + i].offset);
        op->setAttr(exec::offsetsAttrName,
                    builder.getDenseI64ArrayAttr(offsets));
      } else {
        op->setAttr(exec::offsetAttrName, offset(index));
      }
    }
    timeline.table->setAttr(exec::hyperOffsetAttrName, offset(timeline.hyper));
    timeline.table->setAttr(exec::coordinatesOffsetAttrName,
                            offset(timeline.coordinates));
    if (timeline.key >= 0)
      timeline.table->setAttr(exec::keyOffsetAttrName, offset(timeline.key));
    for (TaskInfo &task : timeline.tasks)
      for (TaskBuffer &buffer : task.buffers)
        for (exec::BufferOp op : buffer.ops) {
          if (buffer.slot >= 0)
            op.setSlot(buffer.slot);
          else
            op.setOffset(timeline.buffers[timeline.placed.lookup(op)].offset);
        }
    for (const TimelineAction &action : timeline.actions) {
      SmallVector<int64_t> offsets;
      for (unsigned index : action.slots)
        offsets.push_back(timeline.buffers[index].offset);
      if (auto run = dyn_cast<dist::RunOp>(action.op))
        run.setSlots(offsets);
      else if (auto send = dyn_cast<dist::SendOp>(action.op))
        send.setOffset(offsets.front());
      else
        cast<dist::ReceiveOp>(action.op).setOffset(offsets.front());
    }
  }
};

} // namespace

void buildMemoryPipeline(mlir::OpPassManager &pm, const MemoryOptions &) {
  pm.addPass(createPlanMemory());
  pm.addPass(createVerifyPlan());
}

} // namespace zcc
