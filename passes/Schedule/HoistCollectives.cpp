// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A collective at the beginning of a task may also end an earlier task: there
// it can run beside the computation that makes its operand. So gradients are
// reduced while the backward pass still runs, although the reductions belong to
// the update. In a pipeline, each chunk of a stage has a last backward task,
// and other tasks of the stage may come between that and the update.
//
// The pass moves collectives, and kernels that only lead to them, if all their
// operands are there when the earlier task ends, and nothing uses them between
// the two. Each goes to the place where
// its operands are there, so that memory is freed at once. Results that the
// rest of the task reads become values that go from task to task.
//
// If the earlier task runs for each microbatch, its last run gets a task of its
// own: a copy that ends with the collectives. Kernels are shared, and only the
// list of steps is there twice. The copy is made if it saves enough time.
#include "dialects/Exec/CollectiveOrder.h"
#include "dialects/Exec/Steps.h"
#include "passes/Memory/Timeline.h"
#include "passes/Schedule/PeelRun.h"
#include "passes/Schedule/Schedule.h"
#include "passes/Schedule/StepTimer.h"
#include "llvm/ADT/StringSet.h"

namespace zcc {

#define GEN_PASS_DEF_HOISTCOLLECTIVES
#include "passes/Schedule/Passes.h.inc"

namespace {

using namespace mlir;
using exec::BufferSpace;

/// The last actions before a run that write and use the buffers of its task;
/// -1: none.
struct EarlierUses {
  EarlierUses(const StageTimeline &timeline, unsigned run) {
    std::vector<int> all(timeline.buffers.size(), -1), writes = all;
    auto note = [&](unsigned buffer, int action, bool isWrite) {
      all[buffer] = action;
      if (isWrite)
        writes[buffer] = action;
    };
    for (unsigned i = 0; i < run; ++i) {
      const TimelineAction &action = timeline.actions[i];
      if (action.task < 0) {
        note(action.slots[0], i, isa<dist::ReceiveOp>(action.op));
        continue;
      }
      const TaskInfo &task = timeline.tasks[action.task];
      for (const TaskAccess &access : task.accesses)
        note(StageTimeline::indexOf(task.buffers[access.buffer], action), i,
             access.writes);
    }
    const TimelineAction &action = timeline.actions[run];
    for (const TaskBuffer &buffer : timeline.tasks[action.task].buffers) {
      unsigned index = StageTimeline::indexOf(buffer, action);
      used.push_back(all[index]);
      written.push_back(writes[index]);
    }
  }
  std::vector<int> written, used; // by the task's buffer
};

class Hoister {
public:
  /// Steps move from the task that action `run` runs to the one that action
  /// `earlier` runs. `values`: names that are taken.
  Hoister(const StageTimeline &timeline, unsigned run, unsigned earlier,
          const EarlierUses &uses, llvm::StringSet<> &values)
      : from(timeline.tasks[timeline.actions[run].task]), values(values),
        earlier(static_cast<int>(earlier)), uses(uses),
        isSameMicrobatch(microbatchOf(timeline.actions[run]) ==
                         microbatchOf(timeline.actions[earlier])),
        isOfMicrobatch(from.buffers.size()), isMoved(from.steps.size()) {
    findPerMicrobatch(timeline, timeline.actions[run]);
    findMovable();
    keepWhatLeads();
  }

  /// Leaves collectives in their task, the last ones first, so that of those
  /// that move at most so many bytes of temporaries are still to be sent after
  /// `most` seconds: these wait for the link, and computation for them.
  template <typename Seconds>
  void limit(double most, int64_t mostWaiting, Seconds secondsOf) {
    for (unsigned i = 0; i < from.steps.size(); ++i) {
      if (!isMoved[i] || !exec::communicates(from.steps[i]))
        continue;
      most -= secondsOf(from.steps[i]);
      if (most >= 0)
        continue;
      forEachAccess(i, [&](unsigned buffer, bool writes) {
        if (!writes && spaceOf(buffer) == BufferSpace::Temporary)
          mostWaiting -= from.buffers[buffer].size;
      });
      isMoved[i] = mostWaiting >= 0;
    }
    // A moved step may have needed one that stays.
    std::vector<bool> stays(from.buffers.size());
    for (unsigned i = 0; i < from.steps.size(); ++i) {
      bool moves = isMoved[i];
      forEachAccess(i, [&](unsigned buffer, bool) { moves &= !stays[buffer]; });
      isMoved[i] = moves;
      if (!moves)
        forEachAccess(i, [&](unsigned buffer, bool writes) {
          stays[buffer] = stays[buffer] || writes;
        });
    }
    keepWhatLeads();
  }

  /// Returns the steps that can end the task before, in order.
  SmallVector<Operation *> steps() const {
    SmallVector<Operation *> out;
    for (auto [step, moved] : llvm::zip(from.steps, isMoved))
      if (moved)
        out.push_back(step);
    return out;
  }

  void moveInto(exec::TaskOp task);

private:
  static bool mayMove(Operation *step) {
    return isa<exec::CollectiveOp, exec::BucketOp, exec::LaunchOp,
               exec::CopyOp>(step);
  }

  static int64_t microbatchOf(const TimelineAction &action) {
    return cast<dist::RunOp>(action.op).getMicrobatch();
  }

  template <typename Visit> void forEachAccess(unsigned step, Visit visit) {
    exec::forEachAccess(from.steps[step], [&](Value value, bool writes) {
      visit(from.byValue.lookup(value), writes);
    });
  }

  void findPerMicrobatch(const StageTimeline &timeline,
                         const TimelineAction &action) {
    std::map<std::pair<BufferSpace, StringRef>, unsigned> count;
    for (const TimelineBuffer &buffer : timeline.buffers)
      ++count[{buffer.space, buffer.name}];
    for (unsigned i : from.slots) {
      const TimelineBuffer &own =
          timeline.buffers[action.slots[from.buffers[i].slot]];
      isOfMicrobatch[i] = count[{own.space, own.name}] > 1;
    }
  }

  // Finds movable steps in order. No earlier step that stays may use memory
  // that a moved step writes, or write memory that it uses. Memory with a place
  // for the whole step of training is there at all times.
  void findMovable() {
    std::vector<bool> read(from.buffers.size()), written(from.buffers.size()),
        made(from.buffers.size());
    for (unsigned i = 0; i < from.steps.size(); ++i) {
      bool moves = mayMove(from.steps[i]) &&
                   (isSameMicrobatch || !asksForMicrobatch(from.steps[i]));
      forEachAccess(i, [&](unsigned buffer, bool writes) {
        BufferSpace space = spaceOf(buffer);
        moves &= !written[buffer] && !(writes && read[buffer]);
        if (space != BufferSpace::Temporary)
          moves &= (writes ? uses.used : uses.written)[buffer] <= earlier;
        if (!writes)
          moves &= made[buffer] || space != BufferSpace::Temporary;
        // State stays as it is until the task runs. A value that goes to other
        // tasks is made at its old place. Only a reduction in place may write
        // it.
        else
          moves &= space == BufferSpace::Temporary ||
                   (exec::communicates(from.steps[i]) &&
                    space != BufferSpace::State);
        moves &= !isOfMicrobatch[buffer];
      });
      isMoved[i] = moves;
      forEachAccess(i, [&](unsigned buffer, bool writes) {
        if (moves)
          made[buffer] = made[buffer] || writes;
        else
          (writes ? written : read)[buffer] = true;
      });
    }
  }

  /// Returns true if the step writes no more bytes than it reads. (A gather
  /// writes more, and its result is needed later.)
  static bool frees(Operation *step) {
    int64_t freed = 0;
    exec::forEachAccess(step, [&](Value value, bool writes) {
      int64_t bytes = cast<exec::BufferType>(value.getType()).getBytes();
      freed += writes ? -bytes : bytes;
    });
    return freed >= 0;
  }

  // Kernels that no moved collective needs stay.
  void keepWhatLeads() {
    std::vector<bool> wanted(from.buffers.size());
    for (unsigned i = from.steps.size(); i-- > 0;) {
      if (!isMoved[i])
        continue;
      bool leads = exec::communicates(from.steps[i]) && frees(from.steps[i]);
      forEachAccess(i, [&](unsigned buffer, bool writes) {
        leads |= writes && wanted[buffer];
      });
      isMoved[i] = leads;
      if (leads)
        forEachAccess(i, [&](unsigned buffer, bool writes) {
          if (!writes)
            wanted[buffer] = true;
        });
    }
  }

  static std::string unique(llvm::StringSet<> &taken, const std::string &name) {
    std::string own = name;
    for (unsigned i = 2; !taken.insert(own).second; ++i)
      own = name + "#" + std::to_string(i);
    return own;
  }

  BufferSpace spaceOf(unsigned buffer) {
    exec::BufferOp first = from.buffers[buffer].ops.front();
    return first.getSpace();
  }

  const TaskInfo &from;
  llvm::StringSet<> &values;
  const int earlier; // action
  const EarlierUses &uses;
  const bool isSameMicrobatch;      // the other run is of the same
  std::vector<bool> isOfMicrobatch; // by buffer: each microbatch has its own
  std::vector<bool> isMoved;        // by step
};

/// Finds places for steps that join a task, in order: each goes after the last
/// step that it needs, so that memory is freed at once.
class Places {
public:
  explicit Places(Block &body) {
    for (Operation &op : body)
      if (exec::forEachAccess(&op, [](Value, bool) {})) {
        steps.push_back(&op);
        note(&op, steps.size());
      }
    added.resize(steps.size() + 1);
  }

  void add(Operation *step) {
    unsigned at = 0; // number of steps before it
    exec::forEachAccess(step, [&](Value buffer, bool writes) {
      const Use &use = uses[keyOf(buffer)];
      at = std::max({at, use.written, writes ? use.read : 0});
    });
    note(step, at);
    added[at].push_back(step);
  }

  /// Moves the steps to their places. `begin`: the op before all steps.
  void move(Operation *begin) {
    for (unsigned at = 0; at < added.size(); ++at) {
      Operation *last = at == 0 ? begin : steps[at - 1];
      for (Operation *step : added[at]) {
        step->moveAfter(last);
        last = step;
      }
    }
  }

private:
  // The last steps that write and read it, counted from 1.
  struct Use {
    unsigned written = 0, read = 0;
  };
  using Key = std::pair<BufferSpace, StringRef>;

  static Key keyOf(Value buffer) {
    auto op = buffer.getDefiningOp<exec::BufferOp>();
    return {op.getSpace(), op.getName()};
  }
  void note(Operation *step, unsigned at) {
    exec::forEachAccess(step, [&](Value buffer, bool writes) {
      unsigned &last =
          writes ? uses[keyOf(buffer)].written : uses[keyOf(buffer)].read;
      last = std::max(last, at);
    });
  }

  std::vector<Operation *> steps;
  std::map<Key, Use> uses;
  std::vector<SmallVector<Operation *, 1>> added;
};

void Hoister::moveInto(exec::TaskOp task) {
  std::vector<bool> moved(from.buffers.size()), stays(from.buffers.size());
  for (unsigned i = 0; i < from.steps.size(); ++i)
    forEachAccess(i, [&](unsigned buffer, bool) {
      (isMoved[i] ? moved : stays)[buffer] = true;
    });
  Block &body = task.getBody().front();
  Places places(body);
  OpBuilder b = OpBuilder::atBlockBegin(&body);
  DenseMap<Value, Value> map;
  llvm::StringSet<> names;
  for (auto buffer : task.getOps<exec::BufferOp>())
    names.insert(buffer.getName());
  for (unsigned i = 0; i < from.buffers.size(); ++i) {
    if (!moved[i])
      continue;
    exec::BufferOp first = from.buffers[i].ops.front();
    bool isTemporary = first.getSpace() == BufferSpace::Temporary;
    std::string name = first.getName().str();
    if (isTemporary)
      name = unique(stays[i] ? values : names, name);
    for (exec::BufferOp op : from.buffers[i].ops) {
      if (isTemporary)
        op.setName(name);
      if (isTemporary && stays[i])
        op.setSpace(BufferSpace::Value);
      map[op] = b.clone(*op)->getResult(0);
    }
  }
  for (unsigned i = 0; i < from.steps.size(); ++i) {
    if (!isMoved[i])
      continue;
    Operation *step = from.steps[i];
    step->walk([&](Operation *op) {
      for (OpOperand &operand : op->getOpOperands())
        operand.set(map.lookup(operand.get()));
    });
    places.add(step);
  }
  places.move(&*std::prev(b.getInsertionPoint()));
  for (const TaskBuffer &buffer : from.buffers)
    for (exec::BufferOp op : buffer.ops)
      if (op.getResult().use_empty())
        op.erase();
}

/// The seconds of the tasks of a table, one step after the other.
class TaskTimes {
public:
  TaskTimes(StepTimer &timer, const StageTimeline &timeline) : timer(timer) {
    for (const TaskInfo &task : timeline.tasks)
      own.push_back(secondsOf(task.steps, [](bool) { return true; }));
    for (const TimelineAction &action : timeline.actions)
      if (action.task >= 0)
        all += own[action.task];
  }
  double ofStep() const { return all; }
  template <typename Select>
  double secondsOf(ArrayRef<Operation *> steps, Select isCounted) {
    double sum = 0;
    for (Operation *step : steps)
      if (isCounted(exec::communicates(step)))
        sum += planning::StreamClock().play(timer.of(step)).end;
    return sum;
  }

private:
  StepTimer &timer;
  std::vector<double> own; // by task
  double all = 0;
};

struct HoistCollectives : impl::HoistCollectivesBase<HoistCollectives> {
  explicit HoistCollectives(const ScheduleOptions &options)
      : machine(options.machine), kernelCosts(options.kernelCosts),
        memory(options.memory) {}
  planning::Machine machine;
  KernelCosts kernelCosts;
  int64_t memory; // of a device; 0: unknown

  // Data that only links need may take 1/waitingShare of the memory; more would
  // make computation wait (zcc-overlap-collectives has a window of twice that).
  static constexpr int64_t waitingShare = 64;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    llvm::StringSet<> values;
    module.walk([&](exec::BufferOp buffer) {
      if (buffer.getSpace() == BufferSpace::Value)
        values.insert(buffer.getName());
    });
    bool isAlone = hasOneStage(module);
    for (auto table : module.getOps<dist::ScheduleOp>())
      if (failed(isAlone ? runOnTable(module, table, values)
                         : runOnStage(module, table, values)))
        return signalPassFailure();
  }

  /// Collectives of such a task are in the right place: the backward pass
  /// itself leads to them.
  static bool computesGradients(exec::TaskOp task) {
    return dist::isBackward(task.getKind());
  }

  /// Returns how often each task runs.
  static std::map<int, unsigned> countRuns(const StageTimeline &timeline) {
    std::map<int, unsigned> runs;
    for (const TimelineAction &action : timeline.actions)
      ++runs[action.task];
    return runs;
  }

  /// Moves steps of a stage of several to the last run before them that makes
  /// their operands.
  LogicalResult runOnStage(ModuleOp module, dist::ScheduleOp table,
                           llvm::StringSet<> &values) {
    FailureOr<StageTimeline> timeline = StageTimeline::build(module, table);
    if (failed(timeline))
      return failure();
    std::map<int, unsigned> runs = countRuns(*timeline);
    std::optional<Timed> timed;
    for (unsigned run = timeline->actions.size(); run-- > 1;) {
      int index = timeline->actions[run].task;
      if (index < 0 || runs[index] != 1 ||
          computesGradients(timeline->tasks[index].op))
        continue;
      std::optional<EarlierUses> uses;
      for (unsigned earlier = 0; earlier < run; ++earlier) {
        if (!uses)
          uses.emplace(*timeline, run);
        // Nothing becomes movable with other actions.
        while (earlier < run &&
               !llvm::is_contained(uses->written, int(earlier)))
          ++earlier;
        if (earlier == run || timeline->actions[earlier].task < 0)
          continue;
        if (!move(module, *timeline, run, earlier, *uses, runs, timed, values))
          continue;
        timeline = StageTimeline::build(module, table);
        if (failed(timeline))
          return failure();
        runs = countRuns(*timeline);
        uses.reset();
        timed.reset();
      }
    }
    return success();
  }

  /// The seconds of a timeline's tasks, and the timer that they come from.
  struct Timed {
    Timed(ModuleOp module, const HoistCollectives &pass,
          const StageTimeline &timeline)
        : timer(module, timeline.mesh, pass.machine, pass.kernelCosts),
          times(timer, timeline) {}
    StepTimer timer;
    TaskTimes times;
  };

  /// Moves the collectives that may end action `earlier`, if that pays. Returns
  /// false if nothing moves. `runs`: how often each task runs; `timed`: is made
  /// when it is needed, and holds until something moves.
  bool move(ModuleOp module, const StageTimeline &timeline, unsigned run,
            unsigned earlier, const EarlierUses &uses,
            const std::map<int, unsigned> &runs, std::optional<Timed> &timed,
            llvm::StringSet<> &values) {
    Hoister hoister(timeline, run, earlier, uses, values);
    if (!timeline.mesh || hoister.steps().empty())
      return false;
    if (!timed)
      timed.emplace(module, *this, timeline);
    TaskTimes &times = timed->times;
    auto isKernel = [](bool sends) { return !sends; };
    const TimelineAction &into = timeline.actions[earlier];
    double beside = times.secondsOf(timeline.tasks[into.task].steps, isKernel);
    if (earlier + 1 < run) {
      // Other stages wait for the runs between, which must not wait for links.
      // If collectives run one by one, those of the runs between would wait for
      // all of these.
      dist::ScheduleOp table = timeline.table;
      bool oneByOne = table->hasAttr(exec::oneByOneAttrName);
      hoister.limit(beside, oneByOne ? -1 : memory / waitingShare,
                    [&](Operation *step) {
                      return times.secondsOf({step}, [](bool) { return true; });
                    });
      for (unsigned i = earlier + 1; i < run && !oneByOne; ++i)
        if (int task = timeline.actions[i].task; task >= 0)
          beside += times.secondsOf(timeline.tasks[task].steps, isKernel);
    }
    SmallVector<Operation *> steps = hoister.steps();
    double sent = times.secondsOf(steps, [](bool sends) { return sends; });
    if (std::min(sent, beside) < leastOverlapGain * times.ofStep())
      return false;
    exec::TaskOp task = timeline.tasks[into.task].op;
    if (runs.at(into.task) > 1)
      task = peelRun(module, task, cast<dist::RunOp>(into.op), "last");
    hoister.moveInto(task);
    return true;
  }

  /// Last tasks come first, so that steps can move twice.
  LogicalResult runOnTable(ModuleOp module, dist::ScheduleOp table,
                           llvm::StringSet<> &values) {
    FailureOr<StageTimeline> timeline = failure();
    std::map<int, unsigned> runs;
    for (unsigned last = 0;; ++last) {
      if (failed(timeline)) { // it was never built, or steps have moved
        timeline = StageTimeline::build(module, table);
        if (failed(timeline))
          return failure();
        runs = countRuns(*timeline);
      }
      ArrayRef<TimelineAction> actions = timeline->actions;
      if (last + 1 >= actions.size())
        return success();
      const TimelineAction &from = actions[actions.size() - 1 - last],
                           &into = actions[actions.size() - 2 - last];
      if (from.task < 0 || into.task < 0 || runs[from.task] != 1 ||
          computesGradients(timeline->tasks[from.task].op))
        continue;
      unsigned run = actions.size() - 1 - last;
      EarlierUses uses(*timeline, run);
      Hoister hoister(*timeline, run, run - 1, uses, values);
      SmallVector<Operation *> steps = hoister.steps();
      exec::TaskOp task = timeline->tasks[into.task].op;
      if (runs[into.task] > 1 && !steps.empty())
        task = pays(module, *timeline, steps, into)
                   ? peelRun(module, task, cast<dist::RunOp>(into.op), "last")
                   : exec::TaskOp();
      if (task && !steps.empty()) {
        hoister.moveInto(task);
        timeline = failure();
      }
    }
  }

  /// Returns true if the step saves enough time when the steps run beside the
  /// last run of a task.
  bool pays(ModuleOp module, const StageTimeline &timeline,
            ArrayRef<Operation *> steps, const TimelineAction &run) {
    dist::MeshOp mesh = dist::getMesh(module);
    if (!mesh)
      return false;
    StepTimer timer(module, mesh, machine, kernelCosts);
    TaskTimes times(timer, timeline);
    double sent = times.secondsOf(steps, [](bool sends) { return sends; }),
           beside = times.secondsOf(timeline.tasks[run.task].steps,
                                    [](bool sends) { return !sends; });
    return std::min(sent, beside) >= leastOverlapGain * times.ofStep();
  }
};

} // namespace

std::unique_ptr<mlir::Pass>
createHoistCollectives(const ScheduleOptions &options) {
  return std::make_unique<HoistCollectives>(options);
}

} // namespace zcc
