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
// in which it waits for a link. Bits stay as they are: no step reads other
// values than before.
//
// How far kernels may overtake others is tried; the order that takes least time
// and fits into memory is taken. Memory may grow by a share of the peak of the
// whole step, or to a share of the device's; where no order fits, collectives
// begin later, in halves, and at last stand where they stood. What does not pay
// is left alone: where ranks share a node that has no links, moving bytes is
// work of the same cores.
#include "dialects/Exec/Steps.h"
#include "passes/Memory/Timeline.h"
#include "passes/Schedule/Schedule.h"
#include "passes/Schedule/StepOrder.h"
#include "passes/Schedule/StepTimer.h"

namespace zcc {

#define GEN_PASS_DEF_OVERLAPCOLLECTIVES
#include "passes/Schedule/Passes.h.inc"

namespace {

using namespace mlir;

/// What a step takes, and does to memory.
struct StepFacts {
  double seconds = 0;
  int64_t stream = 0; // of a collective, if it runs beside computation
  double moving = 0;  // seconds that computation beside it is slower by
  int64_t freed = 0;  // bytes: those of sources less those of targets
  bool communicates = false;
  SmallVector<std::pair<unsigned, bool>, 4> accesses; // buffer of the task
};

/// The steps of a task, and what must come before what.
struct TaskSteps {
  TaskSteps(const TaskInfo &task, std::vector<StepFacts> steps);

  const TaskInfo &task;
  std::vector<StepFacts> steps;
  std::vector<SmallVector<unsigned, 4>> before, after; // by step
};

TaskSteps::TaskSteps(const TaskInfo &task, std::vector<StepFacts> list)
    : task(task), steps(std::move(list)), before(steps.size()),
      after(steps.size()) {
  struct Memory {
    int written = -1;
    SmallVector<unsigned, 4> read;
  };
  std::vector<Memory> memory(task.buffers.size());
  auto comesAfter = [&](unsigned step, int other) {
    if (other < 0 || static_cast<unsigned>(other) == step ||
        llvm::is_contained(before[step], static_cast<unsigned>(other)))
      return;
    before[step].push_back(other);
    after[other].push_back(step);
  };
  int lastObserve = -1, lastSent = -1;
  for (unsigned i = 0; i < steps.size(); ++i) {
    for (auto [buffer, writes] : steps[i].accesses) {
      comesAfter(i, memory[buffer].written);
      if (writes)
        for (unsigned reader : memory[buffer].read)
          comesAfter(i, static_cast<int>(reader));
    }
    for (auto [buffer, writes] : steps[i].accesses)
      if (!writes)
        memory[buffer].read.push_back(i);
    for (auto [buffer, writes] : steps[i].accesses)
      if (writes) {
        memory[buffer].written = static_cast<int>(i);
        memory[buffer].read.clear();
      }
    // What the host sees comes in the order that it had.
    if (isa<exec::ObserveOp>(task.steps[i])) {
      comesAfter(i, lastObserve);
      lastObserve = static_cast<int>(i);
    }
    // Rings send on the main stream.
    if (isa<exec::RepeatOp>(task.steps[i]) && steps[i].communicates) {
      comesAfter(i, lastSent);
      lastSent = static_cast<int>(i);
    }
  }
}

/// The clock of the device, while its table is played.
struct Clock {
  explicit Clock(size_t buffers) : written(buffers, 0), read(buffers, 0) {}

  double now = 0;                    // of computation
  std::map<int64_t, double> links;   // when they are free
  std::vector<double> written, read; // when that is over, by buffer

  double readyAt(const StepFacts &step, ArrayRef<unsigned> buffers) const {
    double ready = 0;
    for (auto [buffer, writes] : step.accesses) {
      ready = std::max(ready, written[buffers[buffer]]);
      if (writes)
        ready = std::max(ready, read[buffers[buffer]]);
    }
    return ready;
  }
  void play(const StepFacts &step, ArrayRef<unsigned> buffers) {
    double ready = readyAt(step, buffers), end;
    if (step.stream == 0) {
      end = now = std::max(now, ready) + step.seconds;
    } else {
      double &link = links[step.stream];
      end = link = std::max({link, now, ready}) + step.seconds;
      now += step.moving;
    }
    for (auto [buffer, writes] : step.accesses) {
      double &own = (writes ? written : read)[buffers[buffer]];
      own = std::max(own, end);
    }
  }
  /// When all that runs is done.
  double end() const {
    double last = now;
    for (auto &[stream, link] : links)
      last = std::max(last, link);
    return last;
  }
  /// What was played since `before` took, is taken again.
  void repeat(double seconds) {
    now += seconds;
    for (auto &[stream, link] : links)
      link += seconds;
    for (std::vector<double> *times : {&written, &read})
      for (double &time : *times)
        time += seconds;
  }
};

/// Sums of the first so many of a row of figures (Fenwick, 1994).
class PrefixSums {
public:
  explicit PrefixSums(size_t count) : sums(count + 1, 0) {}
  void add(size_t at, double figure) {
    for (++at; at < sums.size(); at += at & -at)
      sums[at] += figure;
  }
  double before(size_t end) const {
    double sum = 0;
    for (; end > 0; end -= end & -end)
      sum += sums[end];
    return sum;
  }

private:
  std::vector<double> sums;
};

/// Chooses an order for a task that begins on a clock, and plays it.
class ListScheduler {
public:
  /// `far`: how many steps a kernel may overtake; `lead`: how many times its
  /// own duration a collective that takes memory may begin before it is needed.
  /// `reads`: seconds of computation after the task until its buffers are read
  /// again.
  ListScheduler(const TaskSteps &task, ArrayRef<unsigned> buffers,
                ArrayRef<double> reads, Clock &clock, unsigned far, double lead)
      : task(task), buffers(buffers), reads(reads), clock(clock), far(far),
        lead(lead), count(task.steps.size()), missing(count),
        placed(count, false), tails(count, 0), places(count, 0),
        ranks(count, 0), readers(count), leftByPlace(count), leftByRank(count) {
  }

  std::vector<unsigned> run();

private:
  void findTails();
  void findReaders();
  void place(unsigned step);
  void send(double next);
  /// All that a step needs and that has no place yet, then the step.
  void force(unsigned step);
  unsigned chooseKernel(size_t next) const;
  /// Seconds of computation between the task and who reads what a step makes;
  /// 0 if a step of the task waits for it.
  double readLater(unsigned step) const;
  /// Seconds of kernels before the first that needs a collective, if they go
  /// on as they stood or as they are wanted.
  double neededIn(unsigned step) const;

  // A kernel is not begun for a wait that is a smaller share of it.
  static constexpr double worthFilling = 0.1;

  const TaskSteps &task;
  ArrayRef<unsigned> buffers;
  ArrayRef<double> reads;
  Clock &clock;
  const unsigned far;
  const double lead;
  const size_t count;
  std::vector<unsigned> missing; // steps before it that have no place
  std::vector<bool> placed;
  // Seconds from its end to that of the task at least: on one resource what has
  // most behind it goes first (Jackson, 1955).
  std::vector<double> tails;
  std::vector<unsigned> kernels; // in the order that they had
  std::vector<unsigned> waiting; // collectives, those first with most behind
  // Of kernels: where they stood, and where by tails.
  std::vector<unsigned> places, ranks;
  std::vector<SmallVector<unsigned, 2>> readers; // kernels, by collective
  PrefixSums leftByPlace, leftByRank;            // seconds of kernels
  std::vector<unsigned> order;
};

void ListScheduler::findTails() {
  for (unsigned i = count; i-- > 0;)
    for (unsigned next : task.after[i])
      tails[i] = std::max(tails[i], tails[next] + task.steps[next].seconds);
}

void ListScheduler::findReaders() {
  for (unsigned i = 0; i < count; ++i) {
    missing[i] = task.before[i].size();
    (task.steps[i].stream == 0 ? kernels : waiting).push_back(i);
  }
  for (unsigned step : llvm::reverse(waiting))
    for (unsigned next : task.after[step])
      if (task.steps[next].stream == 0)
        readers[step].push_back(next);
      else
        readers[step].append(readers[next]);
  auto wantedFirst = [&](unsigned a, unsigned b) {
    return tails[a] > tails[b];
  };
  // What no step of the task waits for goes by who reads it after the task.
  llvm::stable_sort(waiting, [&](unsigned a, unsigned b) {
    return std::pair(-tails[a], readLater(a)) <
           std::pair(-tails[b], readLater(b));
  });
  std::vector<unsigned> wanted = kernels;
  llvm::stable_sort(wanted, wantedFirst);
  for (unsigned i = 0; i < kernels.size(); ++i) {
    places[kernels[i]] = i;
    ranks[wanted[i]] = i;
    leftByPlace.add(i, task.steps[kernels[i]].seconds);
    leftByRank.add(i, task.steps[wanted[i]].seconds);
  }
}

double ListScheduler::readLater(unsigned step) const {
  if (!task.after[step].empty())
    return 0;
  double first = std::numeric_limits<double>::infinity();
  for (auto [buffer, writes] : task.steps[step].accesses)
    if (writes)
      first = std::min(first, reads[buffer]);
  return first;
}

double ListScheduler::neededIn(unsigned step) const {
  double needed = leftByPlace.before(kernels.size());
  if (readers[step].empty())
    return needed + readLater(step);
  for (unsigned reader : readers[step])
    needed = std::min({needed, leftByPlace.before(places[reader]),
                       leftByRank.before(ranks[reader])});
  return needed;
}

void ListScheduler::place(unsigned step) {
  clock.play(task.steps[step], buffers);
  if (task.steps[step].stream == 0) {
    leftByPlace.add(places[step], -task.steps[step].seconds);
    leftByRank.add(ranks[step], -task.steps[step].seconds);
  }
  placed[step] = true;
  order.push_back(step);
  for (unsigned next : task.after[step])
    --missing[next];
}

/// Collectives whose turn it is, before a kernel that takes `next` seconds.
void ListScheduler::send(double next) {
  for (bool moved = true; moved;) {
    moved = false;
    // What waits for the link already comes before what begins now.
    struct Queue {
      double seconds = 0;
      std::vector<std::pair<unsigned, double>> steps; // when they are needed
    };
    std::map<int64_t, Queue> queues;
    for (unsigned step : waiting) {
      if (placed[step] || missing[step] != 0)
        continue;
      const StepFacts &own = task.steps[step];
      Queue &queue = queues[own.stream];
      double link = std::max(clock.links[own.stream] - clock.now, 0.0);
      double ahead = link + queue.seconds, needed = neededIn(step);
      bool early = needed > ahead + (1 + lead) * own.seconds;
      // Later there may be something that is needed more.
      if (early && (own.freed < 0 || link > next)) {
        queue.seconds += own.seconds;
        queue.steps.push_back({step, needed});
        continue;
      }
      if (!early)
        for (auto [other, otherNeeded] : queue.steps)
          if (otherNeeded <= needed) {
            place(other);
            queue.seconds -= task.steps[other].seconds;
          }
      llvm::erase_if(queue.steps,
                     [&](const auto &one) { return placed[one.first]; });
      place(step);
      moved = true;
    }
  }
  llvm::erase_if(waiting, [&](unsigned step) { return placed[step]; });
}

void ListScheduler::force(unsigned step) {
  SmallVector<unsigned, 4> all(task.before[step].begin(),
                               task.before[step].end());
  llvm::sort(all);
  for (unsigned other : all)
    if (!placed[other])
      force(other);
  if (!placed[step])
    place(step);
}

/// Of the next ones that which most is behind; while it waits for a link
/// another one, if that pays.
unsigned ListScheduler::chooseKernel(size_t next) const {
  unsigned chosen = kernels[next], seen = 0;
  std::optional<unsigned> wanted, filler;
  double wait = 0;
  for (size_t k = next; k < kernels.size() && seen <= far; ++k) {
    unsigned step = kernels[k];
    if (placed[step])
      continue;
    ++seen;
    if (missing[step] != 0)
      continue;
    double late = clock.readyAt(task.steps[step], buffers) - clock.now;
    if (!wanted || tails[step] > tails[*wanted]) {
      wanted = step;
      wait = late;
    }
    if (late <= 0 && (!filler || tails[step] > tails[*filler]))
      filler = step;
  }
  if (wanted)
    chosen = *wanted;
  if (filler && wait > worthFilling * task.steps[*filler].seconds)
    chosen = *filler;
  return chosen;
}

std::vector<unsigned> ListScheduler::run() {
  findTails();
  findReaders();
  size_t next = 0;
  while (next < kernels.size()) {
    send(task.steps[kernels[next]].seconds);
    if (placed[kernels[next]])
      ++next;
    else
      force(chooseKernel(next));
  }
  for (unsigned step : waiting)
    if (!placed[step])
      force(step);
  return std::move(order);
}

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
    Clock clock(timeline.buffers.size());
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
      own.seconds = planning::StreamClock().play(timed).end;
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
    StepTimer timer(module, mesh, machine, kernelSeconds);
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
