// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Schedule/TablePlayer.h"
#include "dialects/Exec/AttributeNames.h"
#include "dialects/Exec/Steps.h"
#include "passes/Schedule/RingOverlap.h"

using namespace mlir;

namespace zcc {

TablePlayer::TablePlayer(const StageTimeline &timeline, StepTimer &timer)
    : timeline(timeline), pieces(timeline) {
  for (const TaskInfo &task : timeline.tasks)
    tasks.emplace_back(task, firstPieces(task).back(), factsOf(task, timer));
  std::map<int, unsigned> runs;
  for (const TimelineAction &action : timeline.actions)
    if (action.task >= 0)
      ++runs[action.task];
  std::map<int, unsigned> seen;
  bool isPlayed = false; // the last run
  for (const TimelineAction &action : timeline.actions)
    if (action.task >= 0) {
      unsigned turn = seen[action.task]++, all = runs[action.task];
      // The runs between the second and the last are like the second.
      isPlayed = turn < 2 || turn + 1 == all;
      if (isPlayed)
        moments.push_back({&action,
                           turn == 1 && all > 3 ? all - 3 : 0,
                           piecesOf(action),
                           {},
                           {}});
    } else if (isPlayed && isa<dist::SendOp>(action.op)) {
      for (unsigned i = pieces.first(action.slots[0]);
           i < pieces.first(action.slots[0] + 1); ++i)
        moments.back().sent.push_back(i);
    }
  findReads();
}

TablePlayer::Outcome TablePlayer::playInTurn() const {
  Outcome out;
  for (const Run &run : moments) {
    double &ofRun = out.ofRun[run.action->task] = 0;
    for (const StepFacts &step : tasks[run.action->task].steps) {
      double seconds = step.seconds * static_cast<double>(1 + run.more);
      ofRun += step.seconds;
      out.seconds += seconds;
      if (step.communicates)
        out.waits[run.action->task] += seconds;
    }
  }
  return out;
}

static bool hasParts(const TaskSteps &task) {
  return llvm::any_of(task.task.steps, [](Operation *step) {
    return step->hasAttr(exec::partAttrName);
  });
}

bool TablePlayer::hasParts() const {
  return llvm::any_of(tasks, zcc::hasParts);
}

TablePlayer::Outcome TablePlayer::choose(const OrderChoice &choice) const {
  Outcome out;
  std::map<int, double> runs; // by task
  DeviceClock clock(pieces.size());
  for (const Run &run : moments) {
    double before = clock.now, waited = clock.waited;
    const TaskSteps &task = tasks[run.action->task];
    auto [at, isNew] = out.orders.try_emplace(run.action->task);
    OrderChoice own = choice;
    own.inOrder &= zcc::hasParts(task);
    if (isNew)
      at->second = orderSteps(task, run.pieces, run.reads, clock, own);
    else
      playOrder(task, run.pieces, at->second, clock);
    for (unsigned piece : run.sent)
      clock.waitUntil(clock.written[piece]);
    if (run.more)
      clock.repeat(static_cast<double>(run.more) * (clock.now - before));
    const auto times = static_cast<double>(1 + run.more);
    out.waits[run.action->task] += times * (clock.waited - waited);
    out.ofRun[run.action->task] += clock.now - before;
    runs[run.action->task] += times;
  }
  for (auto &[task, seconds] : out.ofRun)
    seconds /= runs[task];
  out.seconds = clock.end();
  return out;
}

/// Removes events and waits, so that steps of a task wait only by the memory
/// that they use.
static void clearEvents(const TaskInfo &task) {
  for (Operation *step : task.steps) {
    step->removeAttr(exec::waitsAttrName);
    step->removeAttr(exec::eventAttrName);
  }
}

void TablePlayer::write(const Outcome &outcome) const {
  int64_t events = 0; // events so far
  for (auto &[index, order] : outcome.orders) {
    const TaskSteps &own = tasks[index];
    exec::TaskOp op = own.task.op;
    Block &body = op.getBody().front();
    clearEvents(own.task);
    for (unsigned step : order.steps) {
      own.task.steps[step]->moveBefore(&body, body.end());
      if (own.steps[step].stream != 0)
        exec::setStream(own.task.steps[step], own.steps[step].stream);
    }
    for (auto [step, sent] : order.joins) {
      Operation *target = own.task.steps[step], *source = own.task.steps[sent];
      SmallVector<int64_t> waits(exec::getWaits(target));
      waits.push_back(events);
      exec::setWaits(target, waits);
      exec::setEvent(source, events++);
    }
  }
  dist::ScheduleOp table = timeline.table;
  if (events > 0)
    table->setAttr(exec::moreWaitsAttrName, UnitAttr::get(table.getContext()));
  else
    table->removeAttr(exec::moreWaitsAttrName);
}

int64_t TablePlayer::largestHeld() const {
  int64_t largest = 0;
  for (const TaskSteps &task : tasks)
    for (const StepFacts &step : task.steps)
      largest = std::max(largest, step.held);
  return largest;
}

void TablePlayer::undo() const {
  dist::ScheduleOp table = timeline.table;
  table->removeAttr(exec::moreWaitsAttrName);
  for (const TaskSteps &own : tasks) {
    clearEvents(own.task);
    exec::TaskOp op = own.task.op;
    Block &body = op.getBody().front();
    for (Operation *step : own.task.steps) {
      step->moveBefore(&body, body.end());
      if (exec::getStream(step) != 0)
        exec::setStream(step, 0);
    }
  }
}

/// Finds when the results of a run are read, with steps in their old order.
void TablePlayer::findReads() {
  // A piece that nobody reads is wanted at the end.
  std::vector<double> next(pieces.size(), 0);
  double left = 0; // seconds from here to the end
  for (Run &run : llvm::reverse(moments)) {
    for (unsigned piece : run.sent)
      next[piece] = -left;
    for (unsigned piece : run.pieces)
      run.reads.push_back(next[piece] + left);
    for (const StepFacts &step : llvm::reverse(tasks[run.action->task].steps)) {
      left += step.stream == 0 ? step.seconds : 0;
      for (auto [piece, writes] : step.accesses)
        if (!writes)
          next[run.pieces[piece]] = -left;
    }
  }
}

std::vector<unsigned>
TablePlayer::piecesOf(const TimelineAction &action) const {
  std::vector<unsigned> out;
  for (const TaskBuffer &buffer : timeline.tasks[action.task].buffers) {
    unsigned index = StageTimeline::indexOf(buffer, action);
    for (unsigned i = 0; i < pieces.count(buffer); ++i)
      out.push_back(pieces.first(index) + i);
  }
  return out;
}

std::vector<unsigned> TablePlayer::firstPieces(const TaskInfo &task) const {
  std::vector<unsigned> out = {0};
  for (const TaskBuffer &buffer : task.buffers)
    out.push_back(out.back() + pieces.count(buffer));
  return out;
}

std::vector<StepFacts> TablePlayer::factsOf(const TaskInfo &task,
                                            StepTimer &timer) const {
  std::vector<unsigned> firsts = firstPieces(task);
  std::vector<StepFacts> out;
  for (Operation *op : task.steps) {
    StepFacts own;
    planning::TimedStep timed = timer.of(op);
    if (auto ring = dyn_cast<exec::RepeatOp>(op)) {
      RingTime time = timeRing(timer, ring);
      own.seconds = time.seconds;
      own.link = time.link;
      own.linkSeconds = time.linkSeconds;
    } else {
      own.seconds = planning::StreamClock().play(timed).end;
    }
    own.communicates = exec::communicates(op);
    bool beside = isa<exec::CollectiveOp, exec::BucketOp>(op);
    if (beside) {
      own.stream = timer.linkStream(timed.group);
      own.moving = timed.slows * timed.seconds;
    }
    exec::forEachAccess(op, [&](Value value, bool writes) {
      unsigned first = firsts[task.byValue.lookup(value)];
      pieces.forEach(value.getDefiningOp<exec::BufferOp>(), [&](unsigned i) {
        own.accesses.push_back({first + i, writes});
      });
      int64_t bytes = cast<exec::BufferType>(value.getType()).getBytes();
      if (beside)
        own.freed += writes ? -bytes : bytes;
      const TaskBuffer &buffer = task.buffers[task.byValue.lookup(value)];
      exec::BufferOp source = buffer.ops.front();
      if (beside && !writes &&
          source.getSpace() == exec::BufferSpace::Temporary &&
          buffer.last == static_cast<int64_t>(out.size()))
        own.held += buffer.size;
    });
    out.push_back(std::move(own));
  }
  return out;
}

} // namespace zcc
