// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lets collectives run beside computation: each goes on the stream of its
// group's links, and the steps of a task are put into an order that is good for
// two resources, chosen by playing it. What frees memory is sent as soon as it
// is there; what takes memory so early that it arrives when it is needed; where
// the next kernel would wait for a link, a later one that need not wait comes
// first. Bits stay as they are: no step reads other values than before.
//
// Memory may grow by a share of the peak of the whole step; where an order
// needs more, kernels look less far ahead and collectives begin later, in
// halves, and at last stand where they stood. What does not pay is left alone:
// where ranks share a node that has no links, moving bytes is work of the same
// cores.
#include "compiler/planning/CostModel.h"
#include "dialects/Exec/Steps.h"
#include "passes/Distribute/Account.h"
#include "passes/Memory/Timeline.h"
#include "passes/Schedule/Schedule.h"
#include "passes/Schedule/StepOrder.h"
#include "llvm/ADT/StringMap.h"

namespace zcc {

#define GEN_PASS_DEF_OVERLAPCOLLECTIVES
#include "passes/Schedule/Passes.h.inc"

namespace {

using namespace mlir;

/// What a step takes.
struct StepTimes {
  double seconds = 0;
  int64_t stream = 0; // of a collective, if it runs beside computation
  int64_t freed = 0;  // bytes: those of sources less those of targets
  double moving = 0;  // seconds of the rank's own cores
  bool communicates = false;
};

class TaskOverlap {
public:
  TaskOverlap(const TaskInfo &task, std::vector<StepTimes> times)
      : task(task), times(std::move(times)) {
    findOrder();
  }

  /// Seconds in the order that the steps have, one after the other.
  double plainSeconds() const {
    double sum = 0;
    for (const StepTimes &own : times)
      sum += own.seconds;
    return sum;
  }

  struct Result {
    std::vector<unsigned> order;
    double seconds = 0;
  };
  /// `far`: how many steps a kernel may overtake; `lead`: how many times its
  /// own duration a collective that takes memory may begin before it is needed.
  Result play(unsigned far, double lead) const;

  void write(const Result &result) const {
    exec::TaskOp op = task.op;
    Block &body = op.getBody().front();
    for (unsigned step : result.order) {
      task.steps[step]->moveBefore(&body, body.end());
      if (times[step].stream != 0)
        exec::setStream(task.steps[step], times[step].stream);
    }
  }

private:
  void findOrder();

  const TaskInfo &task;
  const std::vector<StepTimes> times;           // by step
  std::vector<SmallVector<unsigned, 4>> before; // that a step comes after
  std::vector<SmallVector<unsigned, 4>> after;
};

void TaskOverlap::findOrder() {
  size_t count = task.steps.size();
  before.resize(count);
  after.resize(count);
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
  for (unsigned i = 0; i < count; ++i) {
    SmallVector<std::pair<unsigned, bool>> accesses;
    exec::forEachAccess(task.steps[i], [&](Value value, bool writes) {
      accesses.push_back({task.byValue.lookup(value), writes});
    });
    for (auto [buffer, writes] : accesses) {
      comesAfter(i, memory[buffer].written);
      if (writes)
        for (unsigned reader : memory[buffer].read)
          comesAfter(i, static_cast<int>(reader));
    }
    for (auto [buffer, writes] : accesses)
      if (!writes)
        memory[buffer].read.push_back(i);
    for (auto [buffer, writes] : accesses)
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
    if (isa<exec::RepeatOp>(task.steps[i]) && times[i].communicates) {
      comesAfter(i, lastSent);
      lastSent = static_cast<int>(i);
    }
  }
}

TaskOverlap::Result TaskOverlap::play(unsigned far, double lead) const {
  size_t count = times.size();
  Result out;
  out.order.reserve(count);
  std::vector<double> end(count, 0);
  std::vector<unsigned> missing(count); // steps before it that have no place
  std::vector<bool> placed(count, false);
  // Kernels in the order that they had, and how much of it lies before each.
  std::vector<unsigned> kernels;
  std::vector<double> reached(count, 0);
  double sum = 0;
  for (unsigned i = 0; i < count; ++i) {
    missing[i] = before[i].size();
    reached[i] = sum;
    if (times[i].stream == 0) {
      kernels.push_back(i);
      sum += times[i].seconds;
    }
  }
  // When, in that order, the first kernel comes that needs a collective.
  std::vector<double> needed(count, sum);
  for (unsigned i = count; i-- > 0;)
    if (times[i].stream != 0)
      for (unsigned next : after[i])
        needed[i] = std::min(needed[i], times[next].stream == 0 ? reached[next]
                                                                : needed[next]);

  double now = 0,
         done = 0; // of kernels: the clock, and how many seconds of them
  std::map<int64_t, double> links; // when they are free
  auto readyAt = [&](unsigned step) {
    double ready = 0;
    for (unsigned other : before[step])
      ready = std::max(ready, end[other]);
    return ready;
  };
  auto place = [&](unsigned step) {
    const StepTimes &own = times[step];
    double ready = readyAt(step);
    if (own.stream == 0) {
      now = std::max(now, ready) + own.seconds;
      done += own.seconds;
      end[step] = now;
    } else {
      double &link = links[own.stream];
      link = std::max({link, now, ready}) + own.seconds;
      end[step] = link;
      now += own.moving;
    }
    placed[step] = true;
    out.order.push_back(step);
    for (unsigned next : after[step])
      --missing[next];
  };
  // Collectives that wait for their turn, in order.
  std::vector<unsigned> waiting;
  for (unsigned i = 0; i < count; ++i)
    if (times[i].stream != 0)
      waiting.push_back(i);
  auto send = [&] {
    for (bool moved = true; moved;) {
      moved = false;
      // What waits for the link already comes before what begins now.
      double queued = 0;
      for (unsigned step : waiting) {
        if (placed[step] || missing[step] != 0)
          continue;
        double link = std::max(links[times[step].stream] - now, 0.0) + queued;
        if (times[step].freed < 0 &&
            needed[step] - done > link + (1 + lead) * times[step].seconds) {
          queued += times[step].seconds;
          continue;
        }
        place(step);
        moved = true;
      }
    }
    llvm::erase_if(waiting, [&](unsigned step) { return placed[step]; });
  };
  // All that a step needs and that has no place yet.
  std::function<void(unsigned)> force = [&](unsigned step) {
    SmallVector<unsigned, 4> all(before[step].begin(), before[step].end());
    llvm::sort(all);
    for (unsigned other : all)
      if (!placed[other]) {
        force(other);
        if (!placed[other])
          place(other);
      }
  };
  size_t next = 0;
  while (next < kernels.size()) {
    send();
    if (placed[kernels[next]]) {
      ++next;
      continue;
    }
    unsigned chosen = kernels[next];
    if (missing[chosen] != 0 || readyAt(chosen) > now) {
      unsigned seen = 0;
      for (size_t k = next + 1; k < kernels.size() && seen < far; ++k) {
        unsigned other = kernels[k];
        if (placed[other])
          continue;
        ++seen;
        if (missing[other] == 0 && readyAt(other) <= now) {
          chosen = other;
          break;
        }
      }
    }
    force(chosen);
    if (!placed[chosen])
      place(chosen);
  }
  send();
  for (unsigned step : waiting)
    if (!placed[step]) {
      force(step);
      if (!placed[step])
        place(step);
    }
  out.seconds = now;
  for (auto &[stream, link] : links)
    out.seconds = std::max(out.seconds, link);
  return out;
}

struct OverlapCollectives : impl::OverlapCollectivesBase<OverlapCollectives> {
  explicit OverlapCollectives(const ScheduleOptions &options)
      : machine(options.machine), kernelSeconds(options.kernelSeconds),
        memory(options.memory) {}
  planning::Machine machine;
  KernelSeconds kernelSeconds;
  int64_t memory;

  // What a collective on a stream of its own must save of the step.
  static constexpr double leastGain = 0.01;
  // By this share the peak of the whole step may grow in any case; of the
  // device's memory this share may be used.
  static constexpr int64_t peakShare = 256;
  static constexpr double memoryShare = 0.9;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    dist::MeshOp mesh = dist::getMesh(module);
    SmallVector<dist::ScheduleOp> tables(module.getOps<dist::ScheduleOp>());
    // Transfers between stages are on the main stream, and a transport takes
    // the calls of one thread.
    if (!mesh || tables.size() != 1 ||
        (machine.ranksShareNode && machine.links.empty()))
      return;
    dist::Accounts accounts(mesh);
    planning::CostModel model(machine, mesh.getDevices());
    FailureOr<StageTimeline> timeline =
        StageTimeline::build(module, tables.front());
    if (failed(timeline))
      return signalPassFailure();
    StepPeaks peaks(*timeline);
    std::map<Operation *, int64_t> runs;
    for (const TimelineAction &action : timeline->actions)
      if (action.task >= 0)
        ++runs[timeline->tasks[action.task].op];

    std::vector<TaskOverlap> tasks;
    for (const TaskInfo &task : timeline->tasks)
      tasks.emplace_back(task, timesOf(task, module, accounts, model));
    // As it is, to go back to.
    std::vector<std::vector<Operation *>> first;
    for (const TaskInfo &task : timeline->tasks)
      first.push_back(task.steps);
    double plain = 0;
    for (auto [task, info] : llvm::zip_equal(tasks, timeline->tasks))
      plain += static_cast<double>(runs[info.op]) * task.plainSeconds();

    constexpr unsigned farthest = 64;
    for (unsigned far = farthest;; far /= 2) {
      double seconds = 0;
      std::vector<TaskOverlap::Result> results;
      for (auto [task, info] : llvm::zip_equal(tasks, timeline->tasks)) {
        results.push_back(
            task.play(far, 2.0 * static_cast<double>(far) / farthest));
        seconds += static_cast<double>(runs[info.op]) * results.back().seconds;
      }
      if (seconds > (1 - leastGain) * plain)
        return undo(*timeline, first);
      for (auto [task, result] : llvm::zip_equal(tasks, results))
        task.write(result);
      FailureOr<StageTimeline> now =
          StageTimeline::build(module, tables.front());
      if (failed(now))
        return signalPassFailure();
      if (StepPeaks(*now).peak <=
          std::max(
              peaks.peak + peaks.peak / peakShare,
              static_cast<int64_t>(memoryShare * static_cast<double>(memory))))
        return;
      if (far == 0)
        return undo(*timeline, first);
    }
  }

  static void undo(const StageTimeline &timeline,
                   ArrayRef<std::vector<Operation *>> first) {
    for (auto [task, steps] : llvm::zip_equal(timeline.tasks, first)) {
      exec::TaskOp op = task.op;
      Block &body = op.getBody().front();
      for (Operation *step : steps) {
        step->moveBefore(&body, body.end());
        if (exec::getStream(step) != 0)
          exec::setStream(step, 0);
      }
    }
  }

  std::vector<StepTimes> timesOf(const TaskInfo &task, ModuleOp module,
                                 const dist::Accounts &accounts,
                                 const planning::CostModel &model) {
    std::vector<StepTimes> out;
    auto bytesOf = [](Value buffer) {
      return cast<exec::BufferType>(buffer.getType()).getBytes();
    };
    for (Operation *op : task.steps) {
      StepTimes own;
      planning::KernelWork work;
      exec::forEachAccess(op, [&](Value buffer, bool) {
        work.bytes += static_cast<double>(bytesOf(buffer));
      });
      own.communicates = exec::communicates(op);
      if (auto launch = dyn_cast<exec::LaunchOp>(op)) {
        auto [at, isNew] = kernels.try_emplace(launch.getKernel(), 0);
        if (isNew)
          if (auto kernel =
                  module.lookupSymbol<func::FuncOp>(launch.getKernel()))
            at->second = kernelSeconds ? kernelSeconds(kernel, model)
                                       : model.kernelSeconds(work);
        own.seconds = at->second;
      } else if (isa<exec::CollectiveOp, exec::BucketOp>(op)) {
        std::optional<planning::Collective> all;
        auto add = [&](exec::CollectiveOp member) {
          planning::Collective one = accounts.of(member);
          if (all)
            one.bytes += all->bytes;
          all = std::move(one);
          own.freed +=
              bytesOf(member.getSource()) - bytesOf(member.getTarget());
        };
        if (auto collective = dyn_cast<exec::CollectiveOp>(op))
          add(collective);
        for (Region &region : op->getRegions())
          for (auto member : region.getOps<exec::CollectiveOp>())
            add(member);
        own.seconds = model.collectiveSeconds(*all);
        own.stream = 1 + model.linkLevel(all->group);
        if (machine.ranksShareNode)
          own.moving = model.kernelSeconds(work);
      } else if (!isa<exec::RepeatOp, exec::ObserveOp>(op)) {
        own.seconds = model.kernelSeconds(work);
      }
      out.push_back(own);
    }
    return out;
  }

  llvm::StringMap<double> kernels; // seconds
};

} // namespace

std::unique_ptr<mlir::Pass>
createOverlapCollectives(const ScheduleOptions &options) {
  return std::make_unique<OverlapCollectives>(options);
}

} // namespace zcc
