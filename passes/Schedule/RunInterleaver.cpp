// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Schedule/RunInterleaver.h"
#include "dialects/Exec/AttributeNames.h"
#include "dialects/Exec/Steps.h"
#include "mlir/IR/IRMapping.h"
#include <map>

namespace zcc {

using namespace mlir;
using exec::BufferSpace;

namespace {

BufferSpace spaceOf(const TaskBuffer &buffer) {
  exec::BufferOp first = buffer.ops.front();
  return first.getSpace();
}

/// Two runs that follow each other in a table.
struct Pair {
  unsigned runs[2]; // actions
  // In a stage of several, the run that goes on whenever it can, while the
  // other one fills its waits; none: they are alike.
  std::optional<unsigned> main;
  CutAt cutAt = CutAt::waits;
  bool bothSend = false; // to other stages
};

/// Returns the buffers of a stage that hold values which are sent.
llvm::DenseSet<unsigned> findSent(const StageTimeline &timeline) {
  llvm::DenseSet<unsigned> sent;
  for (const TimelineAction &action : timeline.actions)
    if (action.task < 0 && isa<dist::SendOp>(action.op))
      sent.insert(action.slots.front());
  return sent;
}

} // namespace

TakenNames::TakenNames(ModuleOp module) {
  for (Operation &op : *module.getBody())
    if (auto symbol = dyn_cast<SymbolOpInterface>(op))
      symbols.insert(symbol.getName());
  module.walk([&](exec::BufferOp buffer) {
    if (buffer.getSpace() == BufferSpace::Value)
      values.insert(buffer.getName());
  });
}

/// The runs of one stage.
class StageInterleaver {
public:
  StageInterleaver(ModuleOp module, StageTimeline own, ArrayRef<CutAt> cuts,
                   StepTimer &timer, TakenNames &names)
      : module(module), timeline(std::move(own)), timer(timer), names(names),
        sent(findSent(timeline)), uses(timeline.tasks.size()) {
    findPairs(cuts);
  }

  bool hasPairs() const { return !pairs.empty(); }

  /// Returns the stage's actions and pairs. `ofRun`: the seconds of a run, by
  /// task; 0: not known. `messages`: the numbers of all stages' messages.
  using Messages =
      std::map<std::tuple<int64_t, int64_t, StringRef, int64_t>, size_t>;
  planning::TurnStage describe(const llvm::StringMap<double> &ofRun,
                               Messages &messages) {
    planning::TurnStage out;
    std::vector<double> seconds;
    for (unsigned i = 0; i < timeline.tasks.size(); ++i) {
      exec::TaskOp task = timeline.tasks[i].op;
      seconds.push_back(ofRun.lookup(task.getSymName()));
    }
    for (const TimelineAction &action : timeline.actions)
      out.actions.push_back(describe(action, seconds, messages));
    for (const Pair &pair : pairs) {
      int tasks[2] = {taskOf(pair, 0), taskOf(pair, 1)};
      planning::TurnPair &own = out.pairs.emplace_back();
      double whole = 0, alone = 0;
      for (unsigned i : {0, 1}) {
        own.runs[i] = pair.runs[i];
        whole += seconds[tasks[i]];
        alone += secondsAlone(sectionsOf(tasks[i], pair.cutAt));
      }
      // The clock of sections does not know all that a run hides by itself.
      double scale = whole > 0 && alone > 0 ? whole / alone : 1;
      const Made &made = madeOf(pair);
      for (auto [i, turn] : llvm::enumerate(made.turns))
        own.turns.push_back({turn.run, made.played.empty()
                                           ? scale * playedShare * turn.seconds
                                           : made.played[i]});
    }
    return out;
  }

  /// Lets runs take turns. `stage` is what describe() returned. Returns true if
  /// any do.
  bool apply(const planning::TurnStage &stage,
             const std::vector<bool> &chosen) {
    bool any = false;
    for (auto [i, pair] : llvm::enumerate(pairs))
      if (chosen[i]) {
        interleave(pair, stage, stage.pairs[i]);
        any = true;
      }
    if (!any)
      return false;
    // A task all of whose runs take turns is not run any more.
    llvm::StringSet<> used;
    dist::ScheduleOp table = timeline.table;
    for (auto run : table.getOps<dist::RunOp>())
      used.insert(run.getTask());
    for (const TaskInfo &info : timeline.tasks) {
      exec::TaskOp task = info.op;
      if (task.getKind() != dist::TaskKind::Init &&
          !used.contains(task.getSymName()))
        task.erase();
    }
    return true;
  }

  /// Learns the seconds of turns from a copy of the stage that was played with
  /// `ofRun`.
  void learn(const StageInterleaver &copy,
             const llvm::StringMap<double> &ofRun) {
    double expected = 0, played = 0;
    for (const auto &[key, other] : copy.made) {
      Made &own = made.at(key);
      own.played.clear();
      for (const std::string &task : other.tasks)
        own.played.push_back(ofRun.lookup(task));
      for (unsigned i = 0; i < own.played.size(); ++i) {
        played += own.played[i];
        expected += own.turns[i].seconds;
      }
    }
    playedShare = expected > 0 ? played / expected : 1;
  }

private:
  struct Made {
    std::vector<Turn> turns;
    std::vector<std::string> tasks; // by turn; empty until they are made
    std::vector<double> played;     // seconds by turn; empty: not known
  };
  /// The buffers that a task uses, and whether it writes them.
  struct Uses {
    std::vector<std::pair<unsigned, bool>> buffers;
    bool observes = false, isFree = false;
  };

  int taskOf(const Pair &pair, unsigned run) const {
    return timeline.actions[pair.runs[run]].task;
  }

  void findPairs(ArrayRef<CutAt> cuts) {
    ArrayRef<TimelineAction> actions = timeline.actions;
    const bool isAlone = !timeline.hasTransfers();
    for (unsigned i = 0, next = 0; i < actions.size(); i = next) {
      next = i + 1;
      while (next < actions.size() && actions[next].task < 0)
        ++next;
      if (next == actions.size())
        break;
      if (actions[i].task < 0)
        continue;
      Pair pair;
      pair.runs[0] = i;
      pair.runs[1] = next;
      if (isAlone) {
        addPairs(pair, cuts);
        continue;
      }
      bool sends[2] = {isSentOn(actions[i]), isSentOn(actions[next])};
      pair.bothSend = sends[0] && sends[1];
      for (unsigned main : {0, 1})
        if (pair.bothSend || main == (sends[0] ? 0U : 1U)) {
          pair.main = main;
          addPairs(pair, cuts);
        }
    }
  }

  /// Adds the pair, cut in each of the ways.
  void addPairs(Pair pair, ArrayRef<CutAt> cuts) {
    if (!usesOf(taskOf(pair, 0)).isFree || !usesOf(taskOf(pair, 1)).isFree)
      return;
    size_t first = pairs.size();
    for (CutAt cutAt : cuts) {
      pair.cutAt = cutAt;
      if (!madeOf(pair).turns.empty())
        pairs.push_back(pair);
    }
    if (pairs.size() > first && !areIndependent(pair))
      pairs.resize(first);
  }

  planning::TurnAction describe(const TimelineAction &action,
                                ArrayRef<double> seconds, Messages &messages) {
    using planning::TurnAction;
    dist::ScheduleOp table = timeline.table;
    auto stage = static_cast<int64_t>(table.getStage());
    auto numberOf = [&](int64_t to, int64_t from, auto op) {
      return messages
          .try_emplace({to, from, op.getValue(),
                        static_cast<int64_t>(op.getMicrobatch())},
                       messages.size())
          .first->second;
    };
    if (auto send = dyn_cast<dist::SendOp>(action.op)) {
      auto peer = static_cast<int64_t>(send.getPeer());
      const distribute::CollectiveAccounts &accounts = timer.accounts();
      auto bytes =
          static_cast<double>(timeline.buffers[action.slots.front()].size);
      return {TurnAction::Send,
              timer.model().sendSeconds(accounts.rankOfStage(stage),
                                        accounts.rankOfStage(peer), bytes),
              numberOf(peer, stage, send), static_cast<size_t>(peer)};
    }
    if (auto receive = dyn_cast<dist::ReceiveOp>(action.op)) {
      auto peer = static_cast<int64_t>(receive.getPeer());
      return {TurnAction::Receive, 0, numberOf(stage, peer, receive),
              static_cast<size_t>(peer)};
    }
    return {TurnAction::Run, seconds[action.task]};
  }

  /// Returns true if a value that the run makes is sent to another stage.
  bool isSentOn(const TimelineAction &run) const {
    const TaskInfo &task = timeline.tasks[run.task];
    return llvm::any_of(task.accesses, [&](const TaskAccess &access) {
      const TaskBuffer &buffer = task.buffers[access.buffer];
      return access.writes && spaceOf(buffer) == BufferSpace::Value &&
             sent.contains(StageTimeline::indexOf(buffer, run));
    });
  }

  const Uses &usesOf(int index) {
    std::optional<Uses> &own = uses[index];
    if (own)
      return *own;
    own.emplace();
    const TaskInfo &task = timeline.tasks[index];
    std::vector<std::optional<bool>> found(task.buffers.size());
    for (const TaskAccess &access : task.accesses)
      found[access.buffer] =
          found[access.buffer].value_or(false) || access.writes;
    // Each run has temporaries of its own.
    for (auto [i, writes] : llvm::enumerate(found))
      if (writes && spaceOf(task.buffers[i]) != BufferSpace::Temporary)
        own->buffers.push_back({static_cast<unsigned>(i), *writes});
    own->observes = llvm::any_of(
        task.steps, [](Operation *step) { return isa<exec::ObserveOp>(step); });
    // Copies between memories are placed around whole tasks.
    own->isFree = llvm::all_of(task.buffers, [](const TaskBuffer &buffer) {
      return buffer.memory == MemorySpace::Device && !buffer.isScattered;
    });
    return *own;
  }

  /// Returns true if neither run writes memory that the other one uses, and
  /// transfers that move past a run have nothing to do with it.
  bool areIndependent(const Pair &pair) {
    llvm::DenseMap<unsigned, bool> used[2]; // whether it is written, by buffer
    for (unsigned i : {0, 1}) {
      const TimelineAction &run = timeline.actions[pair.runs[i]];
      const TaskInfo &task = timeline.tasks[run.task];
      for (auto [buffer, writes] : usesOf(run.task).buffers)
        used[i][StageTimeline::indexOf(task.buffers[buffer], run)] |= writes;
    }
    // The host must see observations in their order.
    if (usesOf(taskOf(pair, 0)).observes && usesOf(taskOf(pair, 1)).observes)
      return false;
    ArrayRef<TimelineAction> actions = timeline.actions;
    for (unsigned i = pair.runs[0] + 1; pair.main && i < actions.size(); ++i) {
      if (i == pair.runs[1])
        continue;
      bool sends = isa<dist::SendOp>(actions[i].op);
      if (i > pair.runs[1] && !sends)
        break;
      // A run moves past the receives before the second run, and, if it sends
      // nothing itself, past the sends of the other one. It must not use what
      // these transfers move.
      unsigned buffer = actions[i].slots.front();
      if (pair.bothSend ? !sends && used[0].contains(buffer)
                        : used[1 - *pair.main].contains(buffer))
        return false;
    }
    return llvm::none_of(used[0], [&](const auto &use) {
      auto other = used[1].find(use.first);
      return other != used[1].end() && (use.second || other->second);
    });
  }

  const std::vector<Section> &sectionsOf(int task, CutAt cutAt) {
    auto [at, isNew] = sections.try_emplace({task, cutAt});
    if (isNew)
      at->second = cutTask(timeline.tasks[task], cutAt, timer);
    return at->second;
  }

  /// Returns the turns of two tasks; none if neither of the two waits.
  Made &madeOf(const Pair &pair) {
    int tasks[2] = {taskOf(pair, 0), taskOf(pair, 1)};
    auto [at, isNew] =
        made.try_emplace({tasks[0], tasks[1], pair.main, pair.cutAt});
    Made &own = at->second;
    if (!isNew)
      return own;
    const std::vector<Section> both[2] = {sectionsOf(tasks[0], pair.cutAt),
                                          sectionsOf(tasks[1], pair.cutAt)};
    auto waits = [](const Section &section) { return section.waits; };
    if (pair.main
            ? llvm::none_of(both[*pair.main], waits)
            : llvm::none_of(both[0], waits) && llvm::none_of(both[1], waits))
      return own;
    own.turns = takeTurns(both, pair.main, pair.cutAt == CutAt::fits);
    if (own.turns.size() < 3)
      own.turns.clear();
    return own;
  }

  void interleave(const Pair &pair, const planning::TurnStage &stage,
                  const planning::TurnPair &described) {
    Made &own = madeOf(pair);
    if (own.tasks.empty()) {
      own.tasks.resize(own.turns.size());
      for (unsigned i : {0, 1})
        makeTasks(timeline.tasks[taskOf(pair, i)], i, own);
    }
    ArrayRef<TimelineAction> actions = timeline.actions;
    Operation *runs[2] = {actions[pair.runs[0]].op, actions[pair.runs[1]].op};
    size_t end = 0;
    std::vector<planning::TurnPlace> places =
        planning::arrangePair(stage, described, &end);
    OpBuilder b(runs[0]);
    b.setInsertionPointAfter(actions[end - 1].op);
    Operation *last = actions[end - 1].op;
    for (const planning::TurnPlace &place : places) {
      if (place.isTurn) {
        b.setInsertionPointAfter(last);
        auto run =
            cast<dist::RunOp>(b.clone(*runs[own.turns[place.index].run]));
        run.setTask(own.tasks[place.index]);
        last = run;
      } else {
        Operation *transfer = actions[place.index].op;
        if (transfer != last)
          transfer->moveAfter(last);
        last = transfer;
      }
    }
    runs[0]->erase();
    runs[1]->erase();
  }

  std::string uniqueTask(const std::string &base) {
    std::string name = base;
    for (unsigned i = 2; !names.symbols.insert(name).second; ++i)
      name = base + "_" + std::to_string(i);
    return name;
  }

  void makeTasks(const TaskInfo &info, unsigned run, Made &out) {
    exec::TaskOp task = info.op;
    // A temporary that several turns use becomes a value.
    std::vector<unsigned> turnOf(info.steps.size());
    for (auto [i, turn] : llvm::enumerate(out.turns))
      if (turn.run == run)
        std::fill(turnOf.begin() + turn.begin, turnOf.begin() + turn.end, i);
    std::map<StringRef, std::string> renamed;
    for (const TaskBuffer &buffer : info.buffers) {
      if (spaceOf(buffer) != BufferSpace::Temporary || buffer.first < 0 ||
          turnOf[buffer.first] == turnOf[buffer.last])
        continue;
      exec::BufferOp op = buffer.ops.front();
      std::string base = (task.getSymName() + "/" + op.getName()).str(),
                  name = base;
      for (unsigned i = 2; !names.values.insert(name).second; ++i)
        name = base + "#" + std::to_string(i);
      renamed[op.getName()] = name;
    }
    OpBuilder b(task);
    unsigned number = 0;
    for (auto [i, turn] : llvm::enumerate(out.turns)) {
      if (turn.run != run)
        continue;
      auto own = cast<exec::TaskOp>(b.cloneWithoutRegions(*task));
      out.tasks[i] = uniqueTask(
          (task.getSymName() + "_turn" + std::to_string(++number)).str());
      own.setSymName(out.tasks[i]);
      if (number > 1) {
        own->setAttr(exec::sectionAttrName, b.getI64IntegerAttr(number - 1));
        // The first section counts the operations of all.
        own->setAttr(exec::flopsAttrName, b.getF64FloatAttr(0));
        own->removeAttr(exec::modelFlopsAttrName);
      }
      copySteps(task,
                ArrayRef(info.steps).slice(turn.begin, turn.end - turn.begin),
                own, renamed);
    }
  }

  /// Copies steps of a task into another one, and the buffers that they use.
  static void copySteps(exec::TaskOp from, ArrayRef<Operation *> steps,
                        exec::TaskOp to,
                        const std::map<StringRef, std::string> &renamed) {
    llvm::DenseSet<Operation *> used(steps.begin(), steps.end());
    for (Operation *step : steps)
      step->walk([&](Operation *op) {
        for (Value operand : op->getOperands())
          if (auto buffer = operand.getDefiningOp<exec::BufferOp>())
            used.insert(buffer);
      });
    OpBuilder b = OpBuilder::atBlockEnd(&to.getBody().emplaceBlock());
    IRMapping copies;
    for (Operation &op : from.getBody().front()) {
      if (!used.contains(&op))
        continue;
      auto buffer = dyn_cast<exec::BufferOp>(b.clone(op, copies));
      if (!buffer || buffer.getSpace() != BufferSpace::Temporary)
        continue;
      if (auto at = renamed.find(buffer.getName()); at != renamed.end()) {
        buffer.setName(at->second);
        buffer.setSpace(BufferSpace::Value);
      }
    }
  }

  ModuleOp module;
  StageTimeline timeline;
  StepTimer &timer;
  TakenNames &names;
  const llvm::DenseSet<unsigned> sent;
  std::vector<std::optional<Uses>> uses; // by task
  std::vector<Pair> pairs;
  // By task, and by the tasks and the main one.
  std::map<std::pair<int, CutAt>, std::vector<Section>> sections;
  std::map<std::tuple<int, int, std::optional<unsigned>, CutAt>, Made> made;
  double playedShare = 1; // of what is expected of turns
};

RunInterleaver::RunInterleaver(ModuleOp module, const ScheduleOptions &options,
                               ArrayRef<CutAt> cuts)
    : module(module), timer(module, dist::getMesh(module), options.machine,
                            options.kernelCosts),
      names(module), cuts(cuts) {}
RunInterleaver::~RunInterleaver() = default;

LogicalResult RunInterleaver::read() {
  for (auto table : module.getOps<dist::ScheduleOp>()) {
    FailureOr<StageTimeline> timeline = StageTimeline::build(module, table);
    if (failed(timeline))
      return failure();
    stages.push_back(std::make_unique<StageInterleaver>(
        module, std::move(*timeline), cuts, timer, names));
  }
  return success();
}

bool RunInterleaver::hasPairs() const {
  return llvm::any_of(stages,
                      [](const auto &stage) { return stage->hasPairs(); });
}

std::vector<planning::TurnStage>
RunInterleaver::describe(const llvm::StringMap<double> &ofRun) {
  StageInterleaver::Messages messages;
  std::vector<planning::TurnStage> out;
  for (auto &stage : stages)
    out.push_back(stage->describe(ofRun, messages));
  return out;
}

void RunInterleaver::learn(const RunInterleaver &copy,
                           const llvm::StringMap<double> &ofRun) {
  for (auto [own, other] : llvm::zip(stages, copy.stages))
    own->learn(*other, ofRun);
}

bool RunInterleaver::apply(const planning::ChosenTurns &chosen) {
  bool any = false;
  for (auto [own, stage, pairs] : llvm::zip(stages, describe(), chosen))
    any |= own->apply(stage, pairs);
  // Places in tables have changed.
  if (any && !hasOneStage(module)) {
    module.walk(
        [](dist::SendOp send) { send->removeAttr(exec::receivedAttrName); });
    holdSends(module);
  }
  return any;
}

} // namespace zcc
