// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/emission/VerifyOrder.h"

#include "dialects/Dist/Dist.h"
#include "dialects/Exec/CollectiveOrder.h"
#include "dialects/Exec/Steps.h"
#include "passes/Memory/PlannedOffsets.h"
#include "runtime/format/OrderProof.h"

using namespace mlir;

namespace zcc {

namespace {

struct VerifyOrder : PassWrapper<VerifyOrder, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(VerifyOrder)

  StringRef getArgument() const override { return "zcc-verify-order"; }
  StringRef getDescription() const override {
    return "proves that events order all accesses of a planned module";
  }

  void runOnOperation() override {
    if (failed(forEachTimeline(getOperation(), [&](StageTimeline &own) {
          return failed(readOffsets(own)) ? failure() : verifyOrder(own);
        })))
      signalPassFailure();
  }

  /// Checks that streams and events order all accesses, by address, and all
  /// communication. It simulates two training steps, so that each is also
  /// checked against the next one.
  LogicalResult verifyOrder(const StageTimeline &timeline) {
    int64_t streams = 1, events = 0;
    llvm::DenseSet<int64_t> recorded;
    std::vector<std::pair<Operation *, int64_t>> waits;
    for (const TaskInfo &task : timeline.tasks)
      for (Operation *all : task.steps)
        exec::forEachStepOf(all, [&](Operation *step) {
          streams = std::max(streams, exec::getStream(step) + 1);
          if (auto event = exec::getEvent(step)) {
            events = std::max(events, *event + 1);
            recorded.insert(*event);
          }
          for (int64_t event : exec::getWaits(step))
            waits.push_back({step, event});
        });
    for (const TimelineAction &action : timeline.actions)
      if (action.task < 0) {
        for (int64_t event : exec::getWaits(action.op))
          waits.push_back({action.op, event});
      } else if (auto event = exec::getEvent(action.op);
                 event && isa<dist::RunOp>(action.op)) {
        events = std::max(events, *event + 1);
        recorded.insert(*event);
      }
    for (auto [step, event] : waits)
      if (!recorded.contains(event))
        return step->emitError()
               << "waits for event " << event << ", which no step is";
    if (streams > rt::mostStreams)
      return timeline.table->emitError()
             << "expected at most " << rt::mostStreams << " streams, found "
             << streams;
    if (streams == 1)
      return success(); // one stream runs in program order
    Operation *wrong = nullptr;
    for (const TaskInfo &task : timeline.tasks)
      for (Operation *all : task.steps)
        exec::forEachStepOf(all, [&](Operation *step) {
          if (!wrong && exec::getStream(step) != 0 &&
              !exec::communicates(step) && !isa<exec::CopyOp>(step))
            wrong = step;
        });
    if (wrong)
      return wrong->emitError()
             << "is neither a collective nor a copy, on stream "
             << exec::getStream(wrong) << ": expected stream 0";
    rt::OrderProof proof(streams, events);
    std::vector<Operation *> played;
    LogicalResult good = success();
    auto play = [&](const StageTimeline::Moment &moment) {
      if (failed(good))
        return;
      std::vector<rt::ByteAccess> accesses;
      timeline.forEachAccess(moment, [&](unsigned index, exec::BufferOp part,
                                         bool writes) {
        const TimelineBuffer &buffer = timeline.buffers[index];
        uint64_t start = static_cast<uint64_t>(buffer.offset) +
                         rt::firstByteOf(buffer.memory);
        int64_t begin = part ? part.getFirstByte() : 0,
                end = part ? part.getEndByte() : buffer.size;
        accesses.push_back({start + static_cast<uint64_t>(begin),
                            start + static_cast<uint64_t>(end), writes});
      });
      bool isTurn = moment.names && isa<exec::RepeatOp>(moment.op);
      bool isTransfer = moment.action.task < 0;
      if (exec::communicates(moment.op) && !isTurn && !isTransfer)
        accesses.push_back(rt::useOfTransport(
            uint32_t(exec::getStream(moment.op)),
            timeline.table->hasAttr(exec::oneByOneAttrName)));
      std::vector<uint32_t> waits(exec::getWaits(moment.op).begin(),
                                  exec::getWaits(moment.op).end());
      std::optional<uint32_t> event;
      // The event of a loop marks its end, which is not one of the begins of
      // its turns.
      if (auto own = exec::getEvent(moment.op); own && !isTurn)
        event = static_cast<uint32_t>(*own);
      auto conflict = proof.step(
          played.size(), static_cast<uint32_t>(exec::getStream(moment.op)),
          waits, accesses, event);
      played.push_back(moment.op);
      if (!conflict)
        return;
      InFlightDiagnostic diagnostic = moment.op->emitError();
      if (conflict->begin == rt::transportByte)
        diagnostic << "communicates on stream " << exec::getStream(moment.op)
                   << ", and no event orders it after what does before, on "
                      "another stream";
      else
        diagnostic << "uses " << rt::bytesText(conflict->begin, conflict->end)
                   << " on stream " << exec::getStream(moment.op)
                   << ", and no event orders it after what "
                   << (conflict->earlierWrites ? "writes" : "reads")
                   << " them before, on another stream";
      diagnostic.attachNote(played[conflict->earlier]->getLoc())
          << "which is here";
      good = failure();
    };
    auto endStep = [&] {
      proof.join(0);
      proof.fork(0);
    };
    timeline.forEachMoment(timeline.inits, play);
    endStep();
    for (int round = 0; round < 2; ++round) {
      timeline.forEachMoment(timeline.actions, play);
      endStep();
    }
    return good;
  }
};

} // namespace

std::unique_ptr<Pass> createVerifyOrder() {
  return std::make_unique<VerifyOrder>();
}

} // namespace zcc
