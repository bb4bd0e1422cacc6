// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A collective at the beginning of a task may also end the task before it:
// there it can run beside the computation that makes its operand. So gradients
// are reduced while the backward pass still runs, although the reductions
// belong to the update.
//
// The pass moves collectives, and kernels that only lead to them, if all their
// operands are there when the task before ends. Each goes to the place where
// its operands are there, so that memory is freed at once. Results that the
// rest of the task reads become values that go from task to task.
//
// If the task before runs for each microbatch, its last run gets a task of its
// own: a copy that ends with the collectives. Kernels are shared, and only the
// list of steps is there twice. The copy is made if it saves enough time.
#include "dialects/Exec/Steps.h"
#include "dialects/Train/Train.h"
#include "passes/Memory/Timeline.h"
#include "passes/Schedule/Schedule.h"
#include "passes/Schedule/StepTimer.h"
#include "llvm/ADT/StringSet.h"

namespace zcc {

#define GEN_PASS_DEF_HOISTCOLLECTIVES
#include "passes/Schedule/Passes.h.inc"

namespace {

using namespace mlir;
using exec::BufferSpace;

class Hoister {
public:
  /// Steps move from the task that `action` runs to the one that `before` runs.
  /// `values`: names that are taken.
  Hoister(const StageTimeline &timeline, const TimelineAction &action,
          const TimelineAction &before, llvm::StringSet<> &values)
      : from(timeline.tasks[action.task]), values(values),
        isSameMicrobatch(microbatchOf(action) == microbatchOf(before)),
        isOfMicrobatch(from.buffers.size()), isMoved(from.steps.size()) {
    findPerMicrobatch(timeline, action);
    findMovable();
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

  /// Returns true if a kernel depends on the microbatch: in another task's run
  /// it would see another one.
  static bool asksForMicrobatch(Operation *step) {
    auto launch = dyn_cast<exec::LaunchOp>(step);
    auto isCoordinates = [](Value source) {
      return source.getDefiningOp<exec::BufferOp>().getSpace() ==
             BufferSpace::Coordinates;
    };
    if (!launch || llvm::none_of(launch.getSources(), isCoordinates))
      return false;
    auto module = step->getParentOfType<ModuleOp>();
    dist::MeshOp mesh = dist::getMesh(module);
    auto kernel = module.lookupSymbol<func::FuncOp>(launch.getKernel());
    if (!mesh || !kernel)
      return false;
    const auto *temporal = llvm::find_if(mesh.getAxes(), [](Attribute axis) {
      return cast<dist::AxisAttr>(axis).getTemporal();
    });
    if (temporal == mesh.getAxes().end())
      return false;
    int64_t axis = temporal - mesh.getAxes().begin();
    for (auto [i, source] : llvm::enumerate(launch.getSources())) {
      if (!isCoordinates(source))
        continue;
      for (Operation *user : kernel.getArgument(i).getUsers()) {
        auto slice = dyn_cast<train::SliceOp>(user);
        if (!slice ||
            (slice.getStart()[0] <= axis && axis < slice.getLimit()[0]))
          return true;
      }
    }
    return false;
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
      : machine(options.machine), kernelCosts(options.kernelCosts) {}
  planning::Machine machine;
  KernelCosts kernelCosts;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    llvm::StringSet<> values;
    module.walk([&](exec::BufferOp buffer) {
      if (buffer.getSpace() == BufferSpace::Value)
        values.insert(buffer.getName());
    });
    for (auto table : module.getOps<dist::ScheduleOp>())
      if (failed(runOnTable(module, table, values)))
        return signalPassFailure();
  }

  /// Collectives of such a task are in the right place: the backward pass
  /// itself leads to them.
  static bool computesGradients(exec::TaskOp task) {
    return dist::isBackward(task.getKind());
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
        runs.clear();
        for (const TimelineAction &action : timeline->actions)
          ++runs[action.task];
      }
      ArrayRef<TimelineAction> actions = timeline->actions;
      if (last + 1 >= actions.size())
        return success();
      const TimelineAction &from = actions[actions.size() - 1 - last],
                           &into = actions[actions.size() - 2 - last];
      if (from.task < 0 || into.task < 0 || runs[from.task] != 1 ||
          computesGradients(timeline->tasks[from.task].op))
        continue;
      Hoister hoister(*timeline, from, into, values);
      SmallVector<Operation *> steps = hoister.steps();
      exec::TaskOp task = timeline->tasks[into.task].op;
      if (runs[into.task] > 1 && !steps.empty())
        task = pays(module, *timeline, steps, into)
                   ? peel(module, task, cast<dist::RunOp>(into.op))
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
    if (!mesh || !mayOverlap(module))
      return false;
    StepTimer timer(module, mesh, machine, kernelCosts);
    TaskTimes times(timer, timeline);
    double sent = times.secondsOf(steps, [](bool sends) { return sends; }),
           beside = times.secondsOf(timeline.tasks[run.task].steps,
                                    [](bool sends) { return !sends; });
    return std::min(sent, beside) >= leastOverlapGain * times.ofStep();
  }

  /// Makes a copy of a task, which that action runs instead.
  static exec::TaskOp peel(ModuleOp module, exec::TaskOp task,
                           dist::RunOp run) {
    std::string name = task.getSymName().str() + "_last";
    for (unsigned i = 2; module.lookupSymbol(name); ++i)
      name = task.getSymName().str() + "_last" + std::to_string(i);
    OpBuilder b(task);
    b.setInsertionPointAfter(task);
    auto own = cast<exec::TaskOp>(b.clone(*task));
    own.setSymName(name);
    run.setTask(name);
    return own;
  }
};

} // namespace

std::unique_ptr<mlir::Pass>
createHoistCollectives(const ScheduleOptions &options) {
  return std::make_unique<HoistCollectives>(options);
}

} // namespace zcc
