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
    if (failed(exec::expectPlanned(timeline.table)))
      return failure();
    for (const MemorySpaceInfo &row : memorySpaces)
      if (failed(verify(timeline, timeline.table, row.space)))
        return failure();
    return success();
  }

  LogicalResult verify(const StageTimeline &timeline, dist::ScheduleOp table,
                       MemorySpace memory) {
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
    int64_t has = exec::getArenaBytes(table, memory).value_or(0);
    if (placement.height > has) {
      std::string name = memory == MemorySpace::Device
                             ? ""
                             : "of the " + std::string(nameOf(memory)) + " ";
      return table.emitError()
             << "the arena " << name << "has " << has
             << " bytes, its buffers end at " << placement.height;
    }
    std::string wrong = planning::verifyPlacement(problem, placement);
    if (!wrong.empty())
      return table.emitError() << wrong;
    return success();
  }
};

} // namespace
} // namespace zcc
