// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lets collectives run beside computation: each goes on the stream of its
// group's links, and the steps of a task are put into an order that is good for
// two resources, chosen by playing the action table: what one task leaves
// running is still running in the next. What frees memory is sent as soon as it
// is there and the link is free; what takes memory so early that it arrives
// when it is needed; of several that wait for a link the first needed comes
// first. Of the next kernels that comes first which the longest way to the end
// leads from; what nothing waits for (the gradients of weights) fills the time
// in which it waits for a link. A ring, which stays one step, sends its next
// block while it works on this one (RingOverlap.h). Bits stay as they are: no
// step reads other values than before.
//
// How far kernels may overtake others is tried; the order that takes least time
// and fits into memory is taken. Memory may grow by a share of the peak of the
// whole step, or to a share of the device's; where no order fits, collectives
// begin later, in halves, and at last stand where they stood. What does not pay
// is left alone: where ranks share a node that has no links, moving bytes is
// work of the same cores.
#include "dialects/Exec/Steps.h"
#include "passes/Memory/Timeline.h"
#include "passes/Schedule/ListScheduler.h"
#include "passes/Schedule/RingOverlap.h"
#include "passes/Schedule/Schedule.h"
#include "passes/Schedule/StepOrder.h"
#include "passes/Schedule/StepTimer.h"

namespace zcc {

#define GEN_PASS_DEF_OVERLAPCOLLECTIVES
#include "passes/Schedule/Passes.h.inc"

namespace {

using namespace mlir;

/// The table of a stage, played.
class TablePlayer {
public:
  TablePlayer(const StageTimeline &timeline, StepTimer &timer)
      : timeline(timeline) {
    for (const TaskInfo &task : timeline.tasks)
      tasks.emplace_back(task, factsOf(task, timer));
    std::map<int, unsigned> runs;
    for (const TimelineAction &action : timeline.actions)
      if (action.task >= 0)
        ++runs[action.task];
    std::map<int, unsigned> seen;
    for (const TimelineAction &action : timeline.actions)
      if (action.task >= 0) {
        unsigned turn = seen[action.task]++, all = runs[action.task];
        // Between the second run and the last each is like the second.
        if (turn < 2 || turn + 1 == all)
          moments.push_back({&action,
                             turn == 1 && all > 3 ? all - 3 : 0,
                             buffersOf(action),
                             {}});
      }
    findReads();
  }

  using Orders = std::map<int, std::vector<unsigned>>; // by task
  /// Seconds of the step of training, one step after the other on one stream.
  double playInTurn() const {
    double sum = 0;
    for (const Run &run : moments)
      for (const StepFacts &step : tasks[run.action->task].steps)
        sum += step.seconds * static_cast<double>(1 + run.more);
    return sum;
  }
  /// Chooses an order for each task.
  double choose(unsigned far, double lead, Orders &orders) const {
    LinkClock clock(timeline.buffers.size());
    for (const Run &run : moments) {
      double before = clock.now;
      const TaskSteps &task = tasks[run.action->task];
      auto [at, isNew] = orders.try_emplace(run.action->task);
      if (isNew)
        at->second =
            ListScheduler(task, run.buffers, run.reads, clock, far, lead).run();
      else
        for (unsigned step : at->second)
          clock.play(task.steps[step], run.buffers);
      if (run.more)
        clock.repeat(static_cast<double>(run.more) * (clock.now - before));
    }
    return clock.end();
  }
  void write(const Orders &orders) const {
    for (auto &[index, order] : orders) {
      const TaskSteps &own = tasks[index];
      exec::TaskOp op = own.task.op;
      Block &body = op.getBody().front();
      for (unsigned step : order) {
        own.task.steps[step]->moveBefore(&body, body.end());
        if (own.steps[step].stream != 0)
          exec::setStream(own.task.steps[step], own.steps[step].stream);
      }
    }
  }
  /// As they were, on one stream.
  void undo() const {
    for (const TaskSteps &own : tasks) {
      exec::TaskOp op = own.task.op;
      Block &body = op.getBody().front();
      for (Operation *step : own.task.steps) {
        step->moveBefore(&body, body.end());
        if (exec::getStream(step) != 0)
          exec::setStream(step, 0);
      }
    }
  }

private:
  struct Run {
    const TimelineAction *action;
    unsigned more;                 // runs like it
    std::vector<unsigned> buffers; // of the timeline, by buffer of the task
    std::vector<double> reads;     // after the run, by buffer of the task
  };

  /// When what a run leaves is read, if all goes on as it stood.
  void findReads() {
    // What nobody reads is wanted at the end.
    std::vector<double> next(timeline.buffers.size(), 0);
    double left = 0; // seconds from the begin of what follows to the end
    for (Run &run : llvm::reverse(moments)) {
      for (unsigned buffer : run.buffers)
        run.reads.push_back(next[buffer] + left);
      for (const StepFacts &step :
           llvm::reverse(tasks[run.action->task].steps)) {
        left += step.stream == 0 ? step.seconds : 0;
        for (auto [buffer, writes] : step.accesses)
          if (!writes)
            next[run.buffers[buffer]] = -left;
      }
    }
  }

  std::vector<unsigned> buffersOf(const TimelineAction &action) const {
    std::vector<unsigned> out;
    for (const TaskBuffer &buffer : timeline.tasks[action.task].buffers)
      out.push_back(buffer.slot < 0 ? timeline.placed.lookup(buffer.ops.front())
                                    : action.slots[buffer.slot]);
    return out;
  }

  static std::vector<StepFacts> factsOf(const TaskInfo &task,
                                        StepTimer &timer) {
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
        own.accesses.push_back({task.byValue.lookup(value), writes});
        int64_t bytes = cast<exec::BufferType>(value.getType()).getBytes();
        if (beside)
          own.freed += writes ? -bytes : bytes;
      });
      out.push_back(std::move(own));
    }
    return out;
  }

  const StageTimeline &timeline;
  std::vector<TaskSteps> tasks;
  std::vector<Run> moments;
};

struct OverlapCollectives : impl::OverlapCollectivesBase<OverlapCollectives> {
  explicit OverlapCollectives(const ScheduleOptions &options)
      : machine(options.machine), kernelSeconds(options.kernelSeconds),
        memory(options.memory), mayGrow(options.mayGrow) {}
  planning::Machine machine;
  KernelSeconds kernelSeconds;
  int64_t memory;
  bool mayGrow;

  // By this share the peak of the whole step may grow in any case; of the
  // device's memory this share may be used.
  static constexpr int64_t peakShare = 256;
  static constexpr double memoryShare = 0.9;
  // What is used of it where less may be kept instead.
  static constexpr double growthShare = 0.125;
  // Orders that differ by less are as good: estimates are no better.
  static constexpr double asGood = 0.005;
  // How many times its own duration a collective that takes memory begins
  // before it is needed, beside what waits for the link already.
  static constexpr double longestLead = 2, shortestLead = 0.125;
  // Steps that a kernel may overtake at most.
  static constexpr unsigned farthest = 64;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    dist::MeshOp mesh = dist::getMesh(module);
    if (!mesh || !mayOverlap(module) || !knowsLinks(machine))
      return;
    StepTimer timer(module, mesh, machine, kernelSeconds);
    overlapRings(module, timer);
    dist::ScheduleOp table = *module.getOps<dist::ScheduleOp>().begin();
    FailureOr<StageTimeline> timeline = StageTimeline::build(module, table);
    if (failed(timeline))
      return signalPassFailure();
    int64_t peak = StepPeaks(*timeline).peak;
    auto shareOf = [&](double share) {
      return static_cast<int64_t>(share * static_cast<double>(memory));
    };
    int64_t most =
        std::max({peak + peak / peakShare, shareOf(memoryShare),
                  mayGrow ? peak + shareOf(growthShare) : int64_t(0)});
    TablePlayer player(*timeline, timer);
    double plain = player.playInTurn();
    for (double lead = longestLead; lead >= shortestLead; lead /= 2)
      for (const TablePlayer::Orders &orders : tryOrders(player, lead, plain)) {
        player.write(orders);
        FailureOr<StageTimeline> now = StageTimeline::build(module, table);
        if (failed(now))
          return signalPassFailure();
        if (StepPeaks(*now).peak <= most)
          return;
      }
    player.undo();
  }

  /// Orders that pay, the best first; of those that are as good, first that in
  /// which kernels overtake least.
  static std::vector<TablePlayer::Orders> tryOrders(const TablePlayer &player,
                                                    double lead, double plain) {
    struct Trial {
      unsigned far;
      double seconds;
      TablePlayer::Orders orders;
    };
    std::vector<Trial> trials;
    auto run = [&](unsigned far) {
      Trial trial{far, 0, {}};
      double seconds = trial.seconds = player.choose(far, lead, trial.orders);
      if (seconds <= (1 - leastOverlapGain) * plain)
        trials.push_back(std::move(trial));
      return seconds;
    };
    double still = run(0);
    if (run(farthest) < (1 - asGood) * still)
      for (unsigned far = farthest / 2; far > 0; far /= 2)
        run(far);
    std::vector<TablePlayer::Orders> out;
    while (!trials.empty()) {
      double best = trials.front().seconds;
      for (const Trial &trial : trials)
        best = std::min(best, trial.seconds);
      auto first = trials.end();
      for (auto at = trials.begin(); at != trials.end(); ++at)
        if (at->seconds <= (1 + asGood) * best &&
            (first == trials.end() || at->far < first->far))
          first = at;
      out.push_back(std::move(first->orders));
      trials.erase(first);
    }
    return out;
  }
};

} // namespace

bool knowsLinks(const planning::Machine &machine) {
  return !machine.ranksShareNode || !machine.links.empty();
}

bool mayOverlap(ModuleOp module) {
  return llvm::hasSingleElement(module.getOps<dist::ScheduleOp>());
}

std::unique_ptr<mlir::Pass>
createOverlapCollectives(const ScheduleOptions &options) {
  return std::make_unique<OverlapCollectives>(options);
}

} // namespace zcc
