// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel of the prologue that only prepares a gathered value (a slice, where
// a dim does not divide) makes the prologue wait for links, although the first
// task that reads its result may run much later. In a stage of several, the
// pass moves such kernels into the first run that reads their results, each
// before its first reader. That run gets a task of its own: a copy that begins
// so. The collectives stay where they are and run beside the tasks before. If
// collectives run one by one, they would hold up those of the tasks before, and
// move along.
#include "dialects/Exec/CollectiveOrder.h"
#include "dialects/Exec/Steps.h"
#include "passes/Memory/Timeline.h"
#include "passes/Schedule/PeelRun.h"
#include "passes/Schedule/Schedule.h"
#include "passes/Schedule/StepTimer.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <map>

namespace zcc {

#define GEN_PASS_DEF_SINKSTEPS
#include "passes/Schedule/Passes.h.inc"

namespace {

using namespace mlir;
using exec::BufferSpace;

std::string uniqueName(llvm::StringSet<> &taken, const std::string &name) {
  std::string own = name;
  for (unsigned i = 2; !taken.insert(own).second; ++i)
    own = name + "#" + std::to_string(i);
  return own;
}

class Sinker {
public:
  /// `run`: the action that runs the prologue. `values`: names that are taken.
  Sinker(const StageTimeline &timeline, unsigned run, llvm::StringSet<> &values)
      : timeline(timeline), action(timeline.actions[run]),
        from(timeline.tasks[action.task]), values(values),
        firstUse(from.buffers.size(), none),
        firstWrite(from.buffers.size(), none),
        isOfMicrobatch(from.buffers.size()), targets(from.steps.size(), none) {
    findLaterUses(run);
    findTargets();
  }

  /// Returns the seconds of collectives that the prologue need not wait for.
  double secondsOfCollectives(StepTimer &timer) const {
    std::vector<bool> isRead(from.buffers.size());
    double sum = 0;
    for (unsigned i = from.steps.size(); i-- > 0;) {
      bool counts = targets[i] != none;
      for (const TaskAccess &access : from.accessesOf(i))
        counts |= access.writes && isRead[access.buffer];
      if (!counts)
        continue;
      if (exec::communicates(from.steps[i]))
        sum += planning::StreamClock().play(timer.of(from.steps[i])).end;
      for (const TaskAccess &access : from.accessesOf(i))
        if (!access.writes)
          isRead[access.buffer] = true;
    }
    return sum;
  }

  /// Moves all steps that have a target.
  void move(ModuleOp module);

private:
  static constexpr unsigned none = ~0u;

  BufferSpace spaceOf(unsigned buffer) const {
    exec::BufferOp first = from.buffers[buffer].ops.front();
    return first.getSpace();
  }

  /// Finds the first actions after the prologue that use and write its buffers.
  void findLaterUses(unsigned run) {
    std::vector<unsigned> use(timeline.buffers.size(), none), write = use;
    for (unsigned i = timeline.actions.size(); i-- > run + 1;) {
      const TimelineAction &later = timeline.actions[i];
      auto note = [&](unsigned buffer, bool writes) {
        use[buffer] = i;
        if (writes)
          write[buffer] = i;
      };
      if (later.task < 0) {
        note(later.slots[0], isa<dist::ReceiveOp>(later.op));
        continue;
      }
      const TaskInfo &task = timeline.tasks[later.task];
      for (const TaskAccess &access : task.accesses)
        note(StageTimeline::indexOf(task.buffers[access.buffer], later),
             access.writes);
    }
    std::map<std::pair<BufferSpace, StringRef>, unsigned> count;
    for (const TimelineBuffer &buffer : timeline.buffers)
      ++count[{buffer.space, buffer.name}];
    for (auto [i, buffer] : llvm::enumerate(from.buffers)) {
      unsigned index = StageTimeline::indexOf(buffer, action);
      firstUse[i] = use[index];
      firstWrite[i] = write[index];
      const TimelineBuffer &own = timeline.buffers[index];
      isOfMicrobatch[i] = own.space != BufferSpace::Temporary &&
                          count[{own.space, own.name}] > 1;
    }
  }

  bool mayMove(Operation *step) const {
    if (exec::communicates(step)) {
      dist::ScheduleOp table = timeline.table;
      return isa<exec::CollectiveOp>(step) &&
             table->hasAttr(exec::oneByOneAttrName);
    }
    return isa<exec::LaunchOp>(step) && !asksForMicrobatch(step);
  }

  /// Decides from the last step on, since no step that stays may use the
  /// results of one that moves.
  void findTargets() {
    std::vector<bool> isGathered(from.buffers.size());
    std::vector<bool> waits(from.steps.size()); // for a collective
    for (unsigned i = 0; i < from.steps.size(); ++i) {
      bool isBehind = exec::communicates(from.steps[i]);
      for (const TaskAccess &access : from.accessesOf(i))
        isBehind |= !access.writes && isGathered[access.buffer];
      waits[i] = isBehind;
      for (const TaskAccess &access : from.accessesOf(i))
        if (access.writes)
          isGathered[access.buffer] = isBehind;
    }
    // The first action that reads a buffer that moved steps read, and whether a
    // step that stays uses or writes a buffer.
    std::vector<unsigned> wanted = firstUse;
    std::vector<bool> isUsed(from.buffers.size()), isWritten = isUsed;
    for (unsigned i = from.steps.size(); i-- > 0;) {
      bool moves = waits[i] && mayMove(from.steps[i]);
      unsigned target = none;
      for (const TaskAccess &access : from.accessesOf(i)) {
        BufferSpace space = spaceOf(access.buffer);
        moves &= !isOfMicrobatch[access.buffer];
        if (access.writes) {
          moves &= !isUsed[access.buffer] && (space == BufferSpace::Value ||
                                              space == BufferSpace::Temporary);
          target = std::min(target, wanted[access.buffer]);
        } else {
          moves &= !isWritten[access.buffer];
        }
      }
      moves &= target != none && timeline.actions[target].task >= 0;
      for (const TaskAccess &access : from.accessesOf(i))
        moves &= access.writes || firstWrite[access.buffer] == none ||
                 firstWrite[access.buffer] > target;
      if (moves)
        targets[i] = target;
      for (const TaskAccess &access : from.accessesOf(i)) {
        if (moves) {
          if (!access.writes)
            wanted[access.buffer] = std::min(wanted[access.buffer], target);
        } else {
          isUsed[access.buffer] = true;
          isWritten[access.buffer] = isWritten[access.buffer] || access.writes;
        }
      }
    }
  }

  /// Moves the steps with that target into a task.
  void moveInto(exec::TaskOp task, unsigned target);

  const StageTimeline &timeline;
  const TimelineAction &action;
  const TaskInfo &from;
  llvm::StringSet<> &values;
  std::vector<unsigned> firstUse, firstWrite; // later actions, by buffer
  std::vector<bool> isOfMicrobatch;           // by buffer
  std::vector<unsigned> targets; // actions, by step; none: it stays
};

void Sinker::moveInto(exec::TaskOp task, unsigned target) {
  Block &body = task.getBody().front();
  using Key = std::pair<BufferSpace, StringRef>;
  auto keyOf = [](Value buffer) {
    auto op = buffer.getDefiningOp<exec::BufferOp>();
    return Key(op.getSpace(), op.getName());
  };
  // The first step that uses each memory.
  std::map<Key, Operation *> first;
  auto note = [&](Operation *step) {
    exec::forEachAccess(step, [&](Value value, bool) {
      Operation *&at = first[keyOf(value)];
      if (!at || step->isBeforeInBlock(at))
        at = step;
    });
  };
  for (Operation &op : body)
    note(&op);
  // Temporaries get names that the task does not have.
  llvm::StringSet<> names;
  for (auto buffer : task.getOps<exec::BufferOp>())
    names.insert(buffer.getName());
  llvm::StringMap<std::string> renamed;
  OpBuilder b = OpBuilder::atBlockBegin(&body);
  DenseMap<Value, Value> map;
  auto cloneBuffer = [&](Value value) -> Value {
    Value &own = map[value];
    if (own)
      return own;
    auto clone = cast<exec::BufferOp>(b.clone(*value.getDefiningOp()));
    if (clone.getSpace() == BufferSpace::Temporary) {
      auto [at, isNew] = renamed.try_emplace(clone.getName());
      if (isNew)
        at->second = uniqueName(names, clone.getName().str());
      clone.setName(at->second);
    }
    return own = clone.getResult();
  };
  for (unsigned i = from.steps.size(); i-- > 0;) {
    if (targets[i] != target)
      continue;
    Operation *step = from.steps[i], *reader = nullptr;
    step->walk([&](Operation *op) {
      for (OpOperand &operand : op->getOpOperands())
        operand.set(cloneBuffer(operand.get()));
    });
    exec::forEachAccess(step, [&](Value value, bool writes) {
      auto at = first.find(keyOf(value));
      if (writes && at != first.end() &&
          (!reader || at->second->isBeforeInBlock(reader)))
        reader = at->second;
    });
    step->moveBefore(reader);
    note(step);
  }
}

void Sinker::move(ModuleOp module) {
  // A temporary that steps of two tasks share becomes a value.
  for (auto [index, buffer] : llvm::enumerate(from.buffers)) {
    if (spaceOf(index) != BufferSpace::Temporary)
      continue;
    std::optional<unsigned> user;
    bool isShared = false;
    for (unsigned i = 0; i < from.steps.size(); ++i)
      for (const TaskAccess &access : from.accessesOf(i))
        if (access.buffer == index) {
          isShared |= user && *user != targets[i];
          user = targets[i];
        }
    if (!isShared)
      continue;
    exec::BufferOp like = buffer.ops.front();
    std::string own = uniqueName(values, like.getName().str());
    for (exec::BufferOp op : buffer.ops) {
      op.setName(own);
      op.setSpace(BufferSpace::Value);
    }
  }
  std::map<int, unsigned> runs;
  for (const TimelineAction &each : timeline.actions)
    ++runs[each.task];
  llvm::SmallVector<unsigned> all;
  for (unsigned target : targets)
    if (target != none && !llvm::is_contained(all, target))
      all.push_back(target);
  llvm::sort(all);
  for (unsigned target : all) {
    const TimelineAction &into = timeline.actions[target];
    exec::TaskOp task = timeline.tasks[into.task].op;
    if (runs[into.task] > 1)
      task = peelRun(module, task, cast<dist::RunOp>(into.op), "first");
    moveInto(task, target);
  }
  for (const TaskBuffer &buffer : from.buffers)
    for (exec::BufferOp op : buffer.ops)
      if (op.getResult().use_empty())
        op.erase();
}

struct SinkSteps : impl::SinkStepsBase<SinkSteps> {
  explicit SinkSteps(const ScheduleOptions &options)
      : machine(options.machine), kernelCosts(options.kernelCosts) {}
  planning::Machine machine;
  KernelCosts kernelCosts;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    dist::MeshOp mesh = dist::getMesh(module);
    if (!mesh || hasOneStage(module))
      return;
    llvm::StringSet<> values;
    module.walk([&](exec::BufferOp buffer) {
      if (buffer.getSpace() == BufferSpace::Value)
        values.insert(buffer.getName());
    });
    StepTimer timer(module, mesh, machine, kernelCosts);
    for (auto table : module.getOps<dist::ScheduleOp>()) {
      FailureOr<StageTimeline> timeline = StageTimeline::build(module, table);
      if (failed(timeline))
        return signalPassFailure();
      runOnStage(module, *timeline, timer, values);
    }
  }

  static void runOnStage(ModuleOp module, const StageTimeline &timeline,
                         StepTimer &timer, llvm::StringSet<> &values) {
    if (timeline.actions.empty() || timeline.actions.front().task < 0)
      return;
    exec::TaskOp task = timeline.tasks[timeline.actions.front().task].op;
    if (task.getKind() != dist::TaskKind::Prologue)
      return;
    Sinker sinker(timeline, 0, values);
    double seconds = 0;
    std::map<int, double> own;
    for (auto [i, info] : llvm::enumerate(timeline.tasks))
      for (Operation *step : info.steps)
        own[static_cast<int>(i)] +=
            planning::StreamClock().play(timer.of(step)).end;
    for (const TimelineAction &action : timeline.actions)
      if (action.task >= 0)
        seconds += own[action.task];
    if (sinker.secondsOfCollectives(timer) >= leastOverlapGain * seconds)
      sinker.move(module);
  }
};

} // namespace

std::unique_ptr<mlir::Pass> createSinkSteps(const ScheduleOptions &options) {
  return std::make_unique<SinkSteps>(options);
}

} // namespace zcc
