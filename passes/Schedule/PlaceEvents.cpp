// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the steps that record events and the steps that wait for them. The
// pass plays the step of training twice, because collectives that one step
// leaves running are waited for in the next. A step waits for the steps of
// other streams that must come before it by the memory that it names, unless an
// earlier wait of its stream implies it. A wait holds for all runs of the step:
// it is for the last step that was enqueued with the event.
//
// Waits that are there already stay: the pass that put them there knows more.
//
// A step of another stream also waits for the step of the main stream before
// it, so that it begins when the order says. Memory is planned by that order.
//
// In a table with transfers, which record no events, the wait may be for the
// begin of the run. A transfer waits for the collective that makes the value
// that it sends, or that still reads the place into which it receives.
//
// For a repeat with steps on other streams, the pass plays its turns. When a
// kernel runs, it does not read the block that was sent last: the next block is
// on its way. So a turn begins when all the blocks that it holds are there.
#include "dialects/Exec/AttributeNames.h"
#include "dialects/Exec/CollectiveOrder.h"
#include "dialects/Exec/Steps.h"
#include "passes/Memory/Timeline.h"
#include "passes/Schedule/Schedule.h"
#include <map>

namespace zcc {

#define GEN_PASS_DEF_PLACEEVENTS
#include "passes/Schedule/Passes.h.inc"

namespace {

using namespace mlir;

class EventPlacer {
public:
  EventPlacer(const StageTimeline &timeline, bool isOneByOne)
      : timeline(timeline), isOneByOne(isOneByOne), pieces(timeline),
        memory(pieces.size() + 1) {}

  void run() {
    readWaits();
    place();
    write();
  }

private:
  using Clock = SmallVector<uint64_t, 4>; // steps, by stream
  /// A step that was played.
  struct Played {
    Operation *op = nullptr;
    uint64_t count = 0; // its number in its stream; 0: none
  };
  struct Memory {
    int64_t writer = 0; // stream
    Played written;
    std::map<int64_t, Played> read; // since that write, by stream
  };

  void place() {
    auto visit = [&](const StageTimeline::Moment &moment) { play(moment); };
    timeline.forEachMoment(timeline.inits, visit);
    timeline.forEachMoment(timeline.actions, visit);
    timeline.forEachMoment(timeline.actions, visit);
  }

  void readWaits() {
    DenseMap<int64_t, Operation *> events;
    auto forEachStep = [&](auto visit) {
      for (const TaskInfo &task : timeline.tasks)
        for (Operation *step : task.steps)
          visit(step);
    };
    forEachStep([&](Operation *step) {
      if (auto event = exec::getEvent(step))
        events[*event] = step;
      step->removeAttr(exec::eventAttrName);
    });
    forEachStep([&](Operation *step) {
      for (int64_t event : exec::getWaits(step))
        if (Operation *other = events.lookup(event))
          waits[step].insert(other);
      step->removeAttr(exec::waitsAttrName);
    });
    for (const TimelineAction &action : timeline.actions)
      if (action.task < 0)
        action.op->removeAttr(exec::waitsAttrName);
  }

  static uint64_t &at(Clock &clock, int64_t stream) {
    if (clock.size() <= static_cast<size_t>(stream))
      clock.resize(stream + 1);
    return clock[stream];
  }
  static void join(Clock &into, const Clock &other) {
    if (into.size() < other.size())
      into.resize(other.size());
    for (auto [own, more] : llvm::zip(into, other))
      own = std::max(own, more);
  }

  void play(const StageTimeline::Moment &moment) {
    int64_t stream = exec::getStream(moment.op);
    Clock &now = clocks[stream];
    for (Operation *op : waits[moment.op])
      join(now, ends[op]);

    SmallVector<std::pair<int64_t, Played>> needed;
    auto need = [&](int64_t other, const Played &step) {
      if (other != stream && step.count > at(now, other))
        needed.push_back({other, step});
    };
    bool isTurn = moment.names && isa<exec::RepeatOp>(moment.op);
    SmallVector<std::pair<unsigned, bool>> accesses;
    pieces.forEachAccess(moment, [&](unsigned piece, bool writes) {
      accesses.push_back({piece, writes});
    });
    // A transport takes collectives of one thread: the main stream's own, or
    // the one that does the work of all others. Or collectives run one by one.
    // Transfers may run beside collectives.
    bool isTransfer = moment.action.task < 0;
    if (exec::communicates(moment.op) && !isTurn && !isTransfer)
      accesses.push_back({pieces.size(), stream == 0 || isOneByOne});
    for (auto [piece, writes] : accesses) {
      need(memory[piece].writer, memory[piece].written);
      if (writes)
        for (auto &[other, step] : memory[piece].read)
          need(other, step);
    }
    if (isTurn)
      for (Value held : cast<exec::RepeatOp>(moment.op).getHeld()) {
        unsigned buffer = timeline.bufferOf(moment, held);
        for (unsigned i = pieces.first(buffer); i < pieces.first(buffer + 1);
             ++i)
          need(memory[i].writer, memory[i].written);
      }
    if (stream != 0)
      need(0, lastMain);
    // All runs begin with one event.
    dist::ScheduleOp table = timeline.table;
    Operation *recorded =
        isa<dist::RunOp>(moment.op) ? table.getOperation() : moment.op;
    // The latest comes first, because it may imply the others.
    llvm::sort(needed, [](const auto &a, const auto &b) {
      return std::tie(a.first, b.second.count) <
             std::tie(b.first, a.second.count);
    });
    for (auto &[other, step] : needed)
      if (step.count > at(now, other)) {
        waits[moment.op].insert(step.op);
        join(now, ends[step.op]);
      }

    Played own{recorded, ++counts[stream]};
    at(now, stream) = own.count;
    for (auto [piece, writes] : accesses)
      if (!writes)
        memory[piece].read[stream] = own;
    for (auto [piece, writes] : accesses)
      if (writes) {
        memory[piece].writer = stream;
        memory[piece].written = own;
        memory[piece].read.clear();
      }
    ends[recorded] = now;
    // The begin of a turn is no event, so nobody waits for it.
    if (stream == 0 && moment.action.task >= 0 && !isTurn)
      lastMain = own;
  }

  void write() {
    DenseSet<Operation *> waited;
    for (auto &[op, own] : waits)
      for (Operation *other : own)
        waited.insert(other);
    // Events are numbered in the order of the program.
    DenseMap<Operation *, int64_t> numbers;
    dist::ScheduleOp table = timeline.table;
    bool isBegin = waited.contains(table);
    if (isBegin)
      numbers[table] = 0;
    for (auto run : table.getOps<dist::RunOp>())
      if (isBegin)
        exec::setEvent(run, 0);
      else
        run->removeAttr(exec::eventAttrName);
    for (const TaskInfo &task : timeline.tasks)
      for (Operation *all : task.steps)
        exec::forEachStepOf(all, [&](Operation *step) {
          if (!waited.contains(step))
            return;
          int64_t number = static_cast<int64_t>(numbers.size());
          numbers[step] = number;
          exec::setEvent(step, number);
        });
    for (auto &[op, own] : waits) {
      SmallVector<int64_t> events;
      for (Operation *other : own)
        events.push_back(numbers.lookup(other));
      llvm::sort(events);
      if (!events.empty())
        exec::setWaits(op, events);
    }
  }

  const StageTimeline &timeline;
  const bool isOneByOne;
  const MemoryPieces pieces;
  std::vector<Memory> memory; // by piece; the last is the transport
  std::map<int64_t, Clock> clocks;
  std::map<int64_t, uint64_t> counts;
  DenseMap<Operation *, Clock> ends; // steps that ended before its last run did
  using Waits = DenseMap<Operation *, llvm::SmallPtrSet<Operation *, 4>>;
  Waits waits;
  Played lastMain;
};

struct PlaceEvents : impl::PlaceEventsBase<PlaceEvents> {
  void runOnOperation() override {
    if (failed(placeEvents(getOperation())))
      signalPassFailure();
  }
};

} // namespace

LogicalResult placeEvents(ModuleOp module) {
  return forEachTimeline(module, [](StageTimeline &own) {
    own.table->removeAttr(exec::moreWaitsAttrName);
    if (own.hasStreams())
      EventPlacer(own, own.table->hasAttr(exec::oneByOneAttrName)).run();
    return success();
  });
}

} // namespace zcc
