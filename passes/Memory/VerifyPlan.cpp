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
    return verifyCallers(timeline, timeline.table);
  }

  /// Checks the inputs that the caller has: they lie one beside the other
  /// behind the device's arena, and steps only read them.
  LogicalResult verifyCallers(const StageTimeline &timeline,
                              dist::ScheduleOp table) {
    int64_t arena = exec::getArenaBytes(table).value_or(0);
    int64_t bytes = exec::getCallerBytes(table);
    planning::MemoryProblem problem;
    planning::MemoryPlacement placement;
    problem.alignment = arenaAlignment;
    placement.height = bytes;
    for (const TimelineBuffer &buffer : timeline.buffers) {
      if (!buffer.isCallers)
        continue;
      if (buffer.offset < arena || buffer.offset + buffer.size > arena + bytes)
        return table.emitError()
               << "the caller's input '" << buffer.label() << "' is at "
               << buffer.offset << ", expected bytes between " << arena
               << " and " << arena + bytes;
      problem.buffers.push_back({buffer.label(), buffer.size, buffer.live});
      placement.offsets.push_back(buffer.offset - arena);
    }
    if (std::string wrong = planning::verifyPlacement(problem, placement);
        !wrong.empty())
      return table.emitError() << wrong;
    LogicalResult result = success();
    auto check = [&](const StageTimeline::Moment &moment) {
      timeline.forEachAccess(moment, [&](unsigned buffer, exec::BufferOp,
                                         bool writes) {
        if (writes && timeline.buffers[buffer].isCallers && succeeded(result))
          result = moment.op->emitError()
                   << "writes the input '" << timeline.buffers[buffer].label()
                   << "', which is in the caller's memory";
      });
    };
    if (bytes != 0) {
      timeline.forEachMoment(timeline.inits, check);
      timeline.forEachMoment(timeline.actions, check);
    }
    return result;
  }

  LogicalResult verify(const StageTimeline &timeline, dist::ScheduleOp table,
                       MemorySpace memory) {
    planning::MemoryProblem problem;
    planning::MemoryPlacement placement;
    problem.alignment = arenaAlignment;
    for (const TimelineBuffer &buffer : timeline.buffers) {
      if (buffer.live.empty() || !buffer.isIn(memory))
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
