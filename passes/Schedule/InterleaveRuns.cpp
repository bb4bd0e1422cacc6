// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In a forward pass of a mixture of experts every layer waits for its
// all-to-alls, and nothing of the same microbatch is left to run beside them.
// The backward pass of the microbatch before is independent of it. If two runs
// that follow each other in a table use nothing of each other, the pass lets
// them take turns: whenever one waits for a collective, the other computes
// (the idea of DualPipe in DeepSeek-V3, 2024, on one device).
//
// Each of the two tasks is cut into sections, which become tasks of their own
// that run for one microbatch as any task does. Temporaries that sections share
// become values. So later passes, the proof of the order and the executable
// know nothing new. Bits stay as they are: each microbatch does the same steps
// in the same order, and sums over microbatches keep theirs.
//
// A small clock decides when it is whose turn: a run goes on until it would
// wait for a collective of activations, or until the other one is far behind.
// The result is played on the table's clock, and kept if the step saves enough
// time within the memory.
#include "dialects/Exec/AttributeNames.h"
#include "dialects/Exec/Steps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OwningOpRef.h"
#include "passes/Memory/Timeline.h"
#include "passes/Schedule/OverlapCollectives.h"
#include "passes/Schedule/StagesClock.h"
#include "llvm/ADT/StringSet.h"
#include <map>

namespace zcc {

#define GEN_PASS_DEF_INTERLEAVERUNS
#include "passes/Schedule/Passes.h.inc"

namespace {

using namespace mlir;
using exec::BufferSpace;

/// Steps of a task that stay together, from `begin` to before `end`.
struct Section {
  unsigned begin = 0, end = 0;
  // It reads what collectives of activations made since the last such section.
  bool waits = false;
  // Seconds of its kernels, and of its collectives of activations.
  double computes = 0, sends = 0;
};

bool movesActivations(Operation *step) {
  bool any = false;
  step->walk([&](exec::CollectiveOp collective) {
    any |= collective.getWhat() == dist::MovedKind::Activation;
  });
  return any && isa<exec::CollectiveOp, exec::BucketOp>(step);
}

BufferSpace spaceOf(const TaskBuffer &buffer) {
  exec::BufferOp first = buffer.ops.front();
  return first.getSpace();
}

/// The places where runs may be cut are before steps that wait for collectives
/// of activations, or before any step. Longer sections leave later passes more
/// freedom; if one run waits more often than the other, shorter ones fill more.
enum class CutAt { waits, steps };

/// Returns the sections of a task. Steps that make parts of one buffer stay
/// together, since a value is made by one task.
std::vector<Section> cutTask(const TaskInfo &task, CutAt cutAt,
                             StepTimer &timer) {
  // Steps count although the machine's figures may say nothing of them.
  constexpr double leastSeconds = 1e-9;
  const unsigned count = task.steps.size();
  std::vector<bool> isJoined(count); // to the step before it
  auto join = [&](unsigned first, unsigned last) {
    std::fill(isJoined.begin() + first + 1, isJoined.begin() + last + 1, true);
  };
  std::vector<int> read(task.buffers.size(), -1); // the last step that reads it
  std::vector<unsigned> written(task.buffers.size()); // anew: the last step
  for (unsigned i = 0; i < count; ++i)
    for (const TaskAccess &access : task.accessesOf(i)) {
      if (!access.writes)
        read[access.buffer] = static_cast<int>(i);
      else if (read[access.buffer] != static_cast<int>(i))
        written[access.buffer] = i;
    }
  for (auto [buffer, last] : llvm::zip(task.buffers, written)) {
    BufferSpace space = spaceOf(buffer);
    if (buffer.first >= 0 && last > buffer.first &&
        (space == BufferSpace::Temporary || space == BufferSpace::Value))
      join(buffer.first, last);
  }
  std::vector<Section> out;
  std::vector<bool> isSent(task.buffers.size());
  for (unsigned i = 0; i < count; ++i) {
    bool waits = false;
    for (const TaskAccess &access : task.accessesOf(i))
      waits |= isSent[access.buffer];
    if (i == 0 || (!isJoined[i] && (waits || cutAt == CutAt::steps)))
      out.push_back({i, i});
    Section &own = out.back();
    own.end = i + 1;
    if (waits)
      isSent.assign(isSent.size(), false);
    own.waits |= waits;
    double seconds =
        std::max(planning::StreamClock().play(timer.of(task.steps[i])).end,
                 leastSeconds);
    if (movesActivations(task.steps[i])) {
      own.sends += seconds;
      for (const TaskAccess &access : task.accessesOf(i))
        if (access.writes)
          isSent[access.buffer] = true;
    } else if (!exec::communicates(task.steps[i])) {
      own.computes += seconds;
    }
  }
  return out;
}

/// Two runs that follow each other in a table. In a stage of several, other
/// stages wait for what `main` sends, and nobody for the other one.
struct Pair {
  const TimelineAction *runs[2];
  ArrayRef<TimelineAction> around; // from one to the other, and sends behind
  std::optional<unsigned> main;
};

/// A section that runs, of one of the two.
struct Turn {
  unsigned run = 0;
  unsigned begin = 0, end = 0; // steps
};

/// Orders the sections of two tasks on a clock of computation and links: a run
/// goes on until it waits, or until the other one, which could go on, is behind
/// by more than `slack` of its work. If there is a main one, the other one only
/// fills its waits.
std::vector<Turn> takeTurns(const std::vector<Section> (&sections)[2],
                            std::optional<unsigned> main) {
  constexpr double slack = 0.01;
  struct Progress {
    unsigned next = 0;
    double left = 0, all = 0, ready = 0;
  } runs[2];
  auto workOf = [](const Section &own) { return own.computes + own.sends; };
  for (unsigned i : {0, 1}) {
    for (const Section &own : sections[i])
      runs[i].all += workOf(own);
    runs[i].left = runs[i].all;
  }
  double now = 0, link = 0;
  auto isDone = [&](unsigned i) { return runs[i].next == sections[i].size(); };
  auto readyAt = [&](unsigned i) {
    return sections[i][runs[i].next].waits ? runs[i].ready : 0;
  };
  std::vector<Turn> out;
  unsigned run = main.value_or(0);
  while (!isDone(0) || !isDone(1)) {
    unsigned other = 1 - run;
    if (isDone(run)) {
      run = other;
    } else if (!isDone(other)) {
      bool goesOn = readyAt(run) <= now, otherGoesOn = readyAt(other) <= now;
      bool isBehind = main ? other == *main
                           : runs[other].left / runs[other].all >
                                 runs[run].left / runs[run].all + slack;
      if (goesOn != otherGoesOn ? otherGoesOn
          : goesOn              ? isBehind
                                : readyAt(other) < readyAt(run))
        run = other;
    }
    Progress &own = runs[run];
    now = std::max(now, readyAt(run));
    const Section &section = sections[run][own.next++];
    now += section.computes;
    if (section.sends > 0)
      own.ready = link = std::max(link, now) + section.sends;
    own.left -= workOf(section);
    if (!out.empty() && out.back().run == run)
      out.back().end = section.end;
    else
      out.push_back({run, section.begin, section.end});
  }
  return out;
}

/// Returns true if neither run writes memory that the other one uses, and what
/// is sent and received between them has nothing to do with the one that moves.
bool areIndependent(const StageTimeline &timeline, const Pair &pair) {
  std::map<unsigned, bool> uses[2]; // whether it is written, by buffer
  bool observes[2] = {false, false};
  for (unsigned i : {0, 1}) {
    const TaskInfo &task = timeline.tasks[pair.runs[i]->task];
    for (const TaskAccess &access : task.accesses)
      uses[i][StageTimeline::indexOf(task.buffers[access.buffer],
                                     *pair.runs[i])] |= access.writes;
    observes[i] = llvm::any_of(
        task.steps, [](Operation *step) { return isa<exec::ObserveOp>(step); });
  }
  // The host must see observations in their order.
  if (observes[0] && observes[1])
    return false;
  if (pair.main && llvm::any_of(pair.around, [&](const auto &other) {
        return other.task < 0 &&
               uses[1 - *pair.main].count(other.slots.front()) > 0;
      }))
    return false;
  return llvm::none_of(uses[0], [&](const auto &use) {
    auto other = uses[1].find(use.first);
    return other != uses[1].end() && (use.second || other->second);
  });
}

/// Returns the buffers of a stage that hold values which are sent.
llvm::DenseSet<unsigned> findSent(const StageTimeline &timeline) {
  llvm::DenseSet<unsigned> sent;
  for (const TimelineAction &action : timeline.actions)
    if (action.task < 0 && isa<dist::SendOp>(action.op))
      sent.insert(action.slots.front());
  return sent;
}

class Interleaver {
public:
  Interleaver(ModuleOp module, const StageTimeline &timeline, CutAt cutAt,
              StepTimer &timer)
      : module(module), timeline(timeline), cutAt(cutAt), timer(timer),
        sent(findSent(timeline)) {
    for (Operation &op : *module.getBody())
      if (auto symbol = dyn_cast<SymbolOpInterface>(op))
        symbols.insert(symbol.getName());
    module.walk([&](exec::BufferOp buffer) {
      if (buffer.getSpace() == BufferSpace::Value)
        values.insert(buffer.getName());
    });
  }

  /// Lets runs take turns. Returns false if none can.
  bool run() {
    ArrayRef<TimelineAction> actions = timeline.actions;
    const bool isAlone = !timeline.hasTransfers();
    bool any = false;
    for (unsigned i = 0, next = 0; i < actions.size(); i = next) {
      next = i + 1;
      while (next < actions.size() && actions[next].task < 0)
        ++next;
      if (next == actions.size())
        break;
      if (actions[i].task < 0)
        continue;
      unsigned end = next + 1;
      while (end < actions.size() && isa<dist::SendOp>(actions[end].op))
        ++end;
      Pair pair{{&actions[i], &actions[next]},
                actions.slice(i + 1, end - i - 1),
                std::nullopt};
      if (!isAlone) {
        bool sends[2] = {isSentOn(actions[i]), isSentOn(actions[next])};
        if (sends[0] && sends[1])
          continue;
        pair.main = sends[0] ? 0 : 1;
      }
      if (interleave(pair)) {
        any = true;
        ++next;
      }
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

private:
  struct Made {
    std::vector<Turn> turns;
    std::vector<std::string> tasks; // by turn
  };

  /// Returns true if a value that the run makes is sent to another stage.
  bool isSentOn(const TimelineAction &run) const {
    const TaskInfo &task = timeline.tasks[run.task];
    return llvm::any_of(task.accesses, [&](const TaskAccess &access) {
      const TaskBuffer &buffer = task.buffers[access.buffer];
      return access.writes && spaceOf(buffer) == BufferSpace::Value &&
             sent.contains(StageTimeline::indexOf(buffer, run));
    });
  }

  bool mayTakeTurns(const TimelineAction &action) {
    if (action.task < 0)
      return false;
    // Copies between memories are placed around whole tasks.
    return llvm::all_of(
        timeline.tasks[action.task].buffers, [](const TaskBuffer &buffer) {
          return buffer.memory == MemorySpace::Device && !buffer.isScattered;
        });
  }

  const std::vector<Section> &sectionsOf(int task) {
    auto [at, isNew] = sections.try_emplace(task);
    if (isNew)
      at->second = cutTask(timeline.tasks[task], cutAt, timer);
    return at->second;
  }

  bool interleave(const Pair &pair) {
    if (!mayTakeTurns(*pair.runs[0]) || !mayTakeTurns(*pair.runs[1]) ||
        !areIndependent(timeline, pair))
      return false;
    int tasks[2] = {pair.runs[0]->task, pair.runs[1]->task};
    auto [at, isNew] = made.try_emplace(
        {tasks[0], tasks[1], pair.main ? static_cast<int>(*pair.main) : -1});
    Made &own = at->second;
    if (isNew)
      own = make(tasks, pair.main);
    if (own.turns.empty())
      return false;
    Operation *runs[2] = {pair.runs[0]->op, pair.runs[1]->op};
    // The sends of the main run follow when it has ended.
    Operation *place = runs[pair.main.value_or(1)], *last = place;
    while (isa_and_nonnull<dist::SendOp>(last->getNextNode()))
      last = last->getNextNode();
    unsigned ended = own.turns.size();
    for (unsigned i = own.turns.size(); pair.main && i-- > 0;)
      if (own.turns[i].run == *pair.main) {
        ended = i + 1;
        break;
      }
    OpBuilder b(place);
    for (unsigned i = 0; i < own.turns.size(); ++i) {
      if (i == ended)
        b.setInsertionPointAfter(last);
      auto run = cast<dist::RunOp>(b.clone(*runs[own.turns[i].run]));
      run.setTask(own.tasks[i]);
    }
    runs[0]->erase();
    runs[1]->erase();
    return true;
  }

  /// Makes the tasks of the turns; none if neither of the two waits.
  Made make(const int (&tasks)[2], std::optional<unsigned> main) {
    const std::vector<Section> both[2] = {sectionsOf(tasks[0]),
                                          sectionsOf(tasks[1])};
    auto waits = [](const Section &section) { return section.waits; };
    if (main ? llvm::none_of(both[*main], waits)
             : llvm::none_of(both[0], waits) && llvm::none_of(both[1], waits))
      return {};
    Made out{takeTurns(both, main), {}};
    if (out.turns.size() < 3)
      return {};
    out.tasks.resize(out.turns.size());
    for (unsigned i : {0, 1})
      makeTasks(timeline.tasks[tasks[i]], i, out);
    return out;
  }

  std::string uniqueTask(const std::string &base) {
    std::string name = base;
    for (unsigned i = 2; !symbols.insert(name).second; ++i)
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
      for (unsigned i = 2; !values.insert(name).second; ++i)
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
  const StageTimeline &timeline;
  const CutAt cutAt;
  StepTimer &timer;
  const llvm::DenseSet<unsigned> sent;
  llvm::StringSet<> values, symbols;              // names that are taken
  std::map<int, std::vector<Section>> sections;   // by task
  std::map<std::tuple<int, int, int>, Made> made; // by the tasks and the main
};

struct InterleaveRuns : impl::InterleaveRunsBase<InterleaveRuns> {
  explicit InterleaveRuns(const ScheduleOptions &options) : options(options) {}
  ScheduleOptions options;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (!dist::getMesh(module))
      return;
    if (!cut.empty()) {
      if (cut != "waits" && cut != "steps") {
        module.emitError() << "--zcc-interleave-runs: expected cut=waits or "
                              "cut=steps, found cut="
                           << cut;
        return signalPassFailure();
      }
      if (failed(
              interleave(module, cut == "waits" ? CutAt::waits : CutAt::steps)))
        signalPassFailure();
      return;
    }
    // Later passes save less in sections than in whole tasks, so where all is
    // ordered for memory alone runs stay whole.
    if (knowsLinks(options.machine) && !options.leastMemory &&
        failed(decide(module)))
      signalPassFailure();
  }

  /// Lets runs take turns as saves most time, if it saves enough.
  LogicalResult decide(ModuleOp module) {
    std::optional<CutAt> best;
    double least = 0;
    int64_t mostMemory = 0;
    for (CutAt cutAt : {CutAt::waits, CutAt::steps}) {
      OwningOpRef<ModuleOp> trial(module.clone());
      FailureOr<bool> any = interleave(*trial, cutAt);
      if (failed(any))
        return failure();
      if (!*any)
        return success();
      if (mostMemory == 0) {
        FailureOr<OverlapOutcome> now = overlapWithout(module);
        if (failed(now))
          return failure();
        least = (1 - leastOverlapGain) * secondsOf(module, *now);
        mostMemory = now->mostMemory;
      }
      FailureOr<OverlapOutcome> own =
          overlapCollectives(*trial, options, OverlapEffort::estimate);
      if (failed(own))
        return failure();
      double seconds = secondsOf(*trial, *own);
      if (seconds > least || own->peak > mostMemory)
        continue;
      least = seconds;
      best = cutAt;
    }
    return best ? LogicalResult(interleave(module, *best)) : success();
  }

  /// Returns the outcome if runs stay whole.
  FailureOr<OverlapOutcome> overlapWithout(ModuleOp module) {
    if (auto known = getCachedAnalysis<KnownOverlap>();
        known && known->get().outcome)
      return std::move(*known->get().outcome);
    OwningOpRef<ModuleOp> before(module.clone());
    return overlapCollectives(*before, options, OverlapEffort::estimate);
  }

  /// Returns the seconds of the step. Stages wait for each other.
  double secondsOf(ModuleOp module, const OverlapOutcome &outcome) {
    if (hasOneStage(module))
      return outcome.seconds;
    StepTimer timer(module, dist::getMesh(module), options.machine,
                    options.kernelCosts);
    return playStages(module, outcome.ofRun, timer);
  }

  /// Returns false if no runs can take turns.
  FailureOr<bool> interleave(ModuleOp module, CutAt cutAt) {
    StepTimer timer(module, dist::getMesh(module), options.machine,
                    options.kernelCosts);
    bool any = false;
    for (auto table : module.getOps<dist::ScheduleOp>()) {
      FailureOr<StageTimeline> timeline = StageTimeline::build(module, table);
      if (failed(timeline))
        return failure();
      any |= Interleaver(module, *timeline, cutAt, timer).run();
    }
    // Places in tables have changed.
    if (any && !hasOneStage(module)) {
      module.walk(
          [](dist::SendOp send) { send->removeAttr(exec::receivedAttrName); });
      holdSends(module);
    }
    return any;
  }
};

} // namespace

std::unique_ptr<mlir::Pass>
createInterleaveRuns(const ScheduleOptions &options) {
  return std::make_unique<InterleaveRuns>(options);
}

} // namespace zcc
