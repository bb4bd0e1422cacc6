// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the plan back from the module and plays the step. Here every instance
// of every value and every temporary of every run is a buffer of its own, so
// that the sharing of places is checked, too.
#include "passes/Memory/Memory.h"
#include "passes/Memory/PlannedOffsets.h"

namespace zcc {

#define GEN_PASS_DEF_VERIFYPLAN
#include "passes/Memory/Passes.h.inc"

namespace {

using namespace mlir;

struct VerifyPlan : impl::VerifyPlanBase<VerifyPlan> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(forEachTimeline(
            module, [&](StageTimeline &own) { return verify(own); })))
      signalPassFailure();
  }

  LogicalResult verify(StageTimeline &timeline) {
    if (failed(readOffsets(timeline)))
      return failure();
    for (Memory memory : allMemories)
      if (failed(verify(timeline, timeline.table, memory)))
        return failure();
    return success();
  }

  LogicalResult verify(const StageTimeline &timeline, dist::ScheduleOp table,
                       Memory memory) {
    StringRef name = memory == Memory::Host ? exec::hostBytesAttrName
                                            : exec::deviceBytesAttrName;
    auto bytes = table->getAttrOfType<IntegerAttr>(name);
    if (!bytes && memory == Memory::Device)
      return table.emitError() << "has no " << name;
    planning::MemoryProblem problem;
    planning::MemoryPlacement placement;
    problem.alignment = arenaAlignment;
    for (const TimelineBuffer &buffer : timeline.buffers) {
      if (buffer.live.empty() || buffer.memory != memory)
        continue;
      problem.buffers.push_back({buffer.label(), buffer.size, buffer.live});
      placement.offsets.push_back(buffer.offset);
      placement.height =
          std::max(placement.height, buffer.offset + buffer.size);
    }
    int64_t has = bytes ? bytes.getInt() : 0;
    if (placement.height > has)
      return table.emitError()
             << "the arena " << (memory == Memory::Host ? "of the host " : "")
             << "has " << has << " bytes, its buffers end at "
             << placement.height;
    std::string wrong = planning::verifyPlacement(problem, placement);
    if (!wrong.empty())
      return table.emitError() << wrong;
    return success();
  }
};

} // namespace
} // namespace zcc
