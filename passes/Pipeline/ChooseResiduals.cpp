// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Pipeline/ChooseResiduals.h"
#include "dialects/Train/Train.h"
#include "passes/Distribute/CollectiveAccount.h"
#include "passes/Distribute/Distribute.h"
#include "passes/Distribute/Place/Placement.h"
#include "passes/Pipeline/DecidedResiduals.h"
#include "passes/Pipeline/RematWishes.h"
#include "planning/MemoryPrice.h"
#include "planning/ScheduleSearch.h"
#include <algorithm>

using namespace mlir;
using namespace zcc;

static ResidualGraph makeGraph(const StepTasks &tasks, int64_t stage,
                               const ResidualFormats &formats,
                               dist::MeshOp mesh,
                               const planning::CostModel &model,
                               unsigned together) {
  SmallVector<Operation *> forward = tasks.getForward(), backward;
  llvm::erase_if(forward, [&](Operation *op) {
    return isa<dist::AccumulateOp>(op) || dist::getStage(op) != stage;
  });
  for (const StepTask &task : tasks.getTasks())
    if (task.isBackward() && task.stage == stage)
      backward.append(task.own.begin(), task.own.end());
  dist::CollectiveAccounts accounts(mesh);
  auto isLinked = [](Operation *op) {
    return isa<dist::CollectiveOpInterface>(op);
  };
  return ResidualGraph(
      forward, backward, DenseMap<Operation *, Operation *>(),
      {[&](Value v) { return tasks.isFree(v); },
       [&](Operation *op) { return op->hasAttr(dist::categoryAttrName); },
       [&](Value v) { return formats.bytesOf(v); },
       [&](Operation *op) {
         return isLinked(op) ? 0 : accounts.secondsOf(op, model);
       },
       [&](Operation *op) {
         return isLinked(op) ? accounts.secondsOf(op, model) : 0;
       },
       [&](Operation *op) {
         auto sent = accounts.of(cast<dist::CollectiveOpInterface>(op));
         return model.linkLevel(sent.group);
       },
       model.overlaps()},
      together);
}

ResidualChoice::ResidualChoice(const StepTasks &tasks, int64_t stage,
                               const ResidualFormats &formats,
                               dist::MeshOp mesh,
                               const planning::CostModel &model, Solved &solved,
                               double bytes, double memory) {
  for (unsigned together = 1;; together *= 2) {
    std::unique_ptr<Level> level = std::make_unique<Level>(
        makeGraph(tasks, stage, formats, mesh, model, together), solved);
    if (!points.empty() && level->leastThere() >= levels.back()->leastThere())
      break;
    levels.push_back(std::move(level));
    addPoints();
    if (levels.size() == 1)
      dropWorthless(memory);
    if (points.back().bytes <= bytes)
      break;
  }
  size_t at = 0;
  while (at + 1 < points.size() && points[at].bytes > bytes)
    ++at;
  kept = points[at].bytes;
  // Several blocks at once save bytes at little cost, so the price is the
  // highest on the way here: no byte is cheaper than one that was given up
  // before. Steps that save next to no bytes say nothing.
  constexpr double step = 1e-3;
  for (size_t from = 0, to = 1; to <= at; ++to) {
    double bytes = points[from].bytes - points[to].bytes;
    if (bytes < step * points.front().bytes)
      continue;
    price =
        std::max(price, (points[to].seconds - points[from].seconds) / bytes);
    from = to;
  }
  const Level &level = *levels[sources[at].level];
  graph = &level.graph;
  chosen = level.frontier.get(graph->getProblem(), sources[at].point);
}

// Adds the points of the last level that go on from those that there are: with
// fewer bytes, and no fewer seconds.
void ResidualChoice::addPoints() {
  const Level &level = *levels.back();
  for (auto [i, own] : llvm::enumerate(level.frontier.getPoints())) {
    Point point = own;
    point.bytes += level.graph.getBytesBetween();
    if (!points.empty() && (point.bytes >= points.back().bytes ||
                            point.seconds < points.back().seconds))
      continue;
    points.push_back(point);
    sources.push_back({levels.size() - 1, i});
  }
}

void ResidualChoice::dropWorthless(double memory) {
  size_t first = planning::findWorthwhile(
      points, levels.front()->graph.getSeconds(), memory);
  priced = first > 0;
  points.erase(points.begin(), points.begin() + first);
  sources.erase(sources.begin(), sources.begin() + first);
}

Keep ResidualChoice::wish(Operation *op) const {
  if (graph->stays(op))
    return Keep::Always;
  std::optional<size_t> number = graph->find(op);
  if (!number)
    return Keep::IfWorth;
  return chosen.again[*number] ? Keep::Never : Keep::Always;
}

static double findStageMemory(const planning::Machine &machine,
                              dist::MeshOp mesh, const StageResiduals &stage) {
  return machine.bytesPerDevice(mesh.getDevices()) / std::max(stage.held, 1.0);
}

// Adds up the bytes, in stored formats, that backward tasks read of forward
// tasks of their stage. Parameters and values that are handed over do not
// count.
static void countResiduals(const StepTasks &tasks,
                           const ResidualFormats &formats,
                           MemoryDecisions &decided) {
  DenseSet<Operation *> forward;
  for (Operation *op : tasks.getForward())
    if (!op->hasAttr(dist::categoryAttrName))
      forward.insert(op);
  DenseSet<std::pair<int64_t, Value>> counted; // several tasks may read a value
  for (const StepTask &task : tasks.getTasks())
    if (task.isBackward())
      for (Value v : task.read)
        if (forward.contains(v.getDefiningOp()) && !task.handed.contains(v) &&
            counted.insert({task.stage, v}).second)
          decided.stages[task.stage].kept += formats.bytesOf(v);
}

void zcc::holdMicrobatches(dist::MeshOp mesh, StringRef schedule,
                           const std::vector<std::string> &rows,
                           MemoryDecisions &decided) {
  decided.stages.assign(mesh.getStages(), {});
  std::vector<double> held = planning::countHeld(
      schedule == "auto" ? std::string_view(planning::defaultSchedule)
                         : std::string_view(schedule),
      rows, mesh.getStages(), dist::countMicrobatches(mesh));
  for (auto [stage, own] : llvm::zip(decided.stages, held))
    stage.held = own;
}

// Returns the seconds of a stage and microbatch that a byte of memory is worth.
static double findWorth(const StepTasks &tasks, dist::MeshOp mesh,
                        const planning::CostModel &model,
                        const planning::Machine &machine) {
  dist::CollectiveAccounts accounts(mesh);
  double seconds = 0;
  for (const StepTask &task : tasks.getTasks())
    if (task.part == Part::Forward || task.isBackward())
      for (Operation *op : tasks.inOrder(task))
        seconds += accounts.secondsOf(op, model);
  return planning::worthOfByte(seconds / static_cast<double>(mesh.getStages()),
                               machine.bytesPerDevice(mesh.getDevices()));
}

// Finds the reads of tasks, and values that are handed over if `held` is given.
// `prices`: for each stage, the seconds that a byte of residuals costs for a
// microbatch; empty: they cost nothing.
static void findReads(StepTasks &tasks, function_ref<Keep(Operation *)> wish,
                      dist::MeshOp mesh, const planning::CostModel &model,
                      const planning::Machine &machine,
                      const MemoryDecisions &decided,
                      const HeldMicrobatches *held,
                      ArrayRef<double> prices = {}) {
  if (!held)
    return tasks.findReads(wish);
  double worth = findWorth(tasks, mesh, model, machine);
  tasks.findReads(wish, [&](const StepTask &backward, const StepTask &weights) {
    // The stage holds residuals of `held` microbatches at once.
    double own = prices.empty()
                     ? 0
                     : prices[weights.stage] /
                           std::max(decided.stages[weights.stage].held, 1.0);
    return chooseHandOver(tasks, backward, weights, wish, mesh, model,
                          std::max(own, worth) * held->untilWeights(weights));
  });
}

LogicalResult
zcc::chooseReads(StepTasks &tasks, const ResidualFormats &formats,
                 dist::MeshOp mesh, const planning::Machine &machine,
                 StringRef remat, Globs &globs, const ResidualPins &pins,
                 const MemoryLimits &limits, MemoryDecisions &decided,
                 const HeldMicrobatches *held) {
  planning::CostModel model(machine, mesh.getDevices());
  decided.stages.resize(mesh.getStages());
  for (auto [i, stage] : llvm::enumerate(decided.stages)) {
    stage.kept = 0;
    stage.limit = limits.limitOf(i);
    stage.frontier.clear();
  }
  if (!pins.decisions.empty()) {
    auto given = followDecisions(tasks, pins);
    if (failed(given))
      return failure();
    auto wish = [&](Operation *op) {
      auto own = given->wishes.find(op);
      return own == given->wishes.end() ? Keep::IfWorth : own->second;
    };
    tasks.findReads(wish, [&](const StepTask &backward, const StepTask &) {
      DenseSet<Operation *> handed;
      for (Operation *op : backward.again)
        if (held && given->handed.contains(op))
          handed.insert(op);
      return handed;
    });
    countResiduals(tasks, formats, decided);
  } else if (limits.bytes < 0) {
    findReads(tasks, readWishes(tasks, remat, globs), mesh, model, machine,
              decided, held);
    countResiduals(tasks, formats, decided);
  } else {
    std::vector<ResidualChoice> choices;
    std::vector<double> prices;
    for (auto [i, stage] : llvm::enumerate(decided.stages)) {
      const ResidualChoice &choice = choices.emplace_back(
          tasks, static_cast<int64_t>(i), formats, mesh, model, *limits.solved,
          limits.limitOf(i),
          limits.hasPrice ? findStageMemory(machine, mesh, stage) : 0);
      stage.frontier = choice.getFrontier();
      stage.kept = choice.getBytes();
      prices.push_back(choice.getPrice());
    }
    findReads(
        tasks,
        [&](Operation *op) { return choices[dist::getStage(op)].wish(op); },
        mesh, model, machine, decided, limits.handsOver() ? held : nullptr,
        prices);
  }
  decided.values = tellDecisions(tasks);
  return success();
}

// Returns the bytes of all values that the backward pass reads of the forward
// pass, views included. Residuals take no more than that.
static double countReads(Block &block) {
  auto isOf = [](Operation *op, StringRef pass) {
    auto tag = op->getAttrOfType<StringAttr>(train::tagAttrName);
    return tag && tag.getValue() == pass;
  };
  double bytes = 0;
  for (Operation &op : block)
    if (isOf(&op, "forward"))
      for (Value v : op.getResults())
        if (llvm::any_of(v.getUsers(), [&](Operation *user) {
              return isOf(user, "backward");
            }))
          bytes += dist::bytesOf(v);
  return bytes;
}

void zcc::priceResiduals(ModuleOp module,
                         std::optional<planning::NumberFormat> format,
                         const planning::Machine &machine,
                         const MemoryDecisions &decided, MemoryLimits &limits) {
  dist::MeshOp mesh = dist::getMesh(module);
  double least = findStageMemory(machine, mesh, decided.stages.front());
  for (const StageResiduals &stage : decided.stages)
    least = std::min(least, findStageMemory(machine, mesh, stage));
  if (!(least > 0) || countReads(dist::getStep(module).getBody().front()) <
                          planning::leastWorthwhile(least))
    return;
  OwningOpRef<ModuleOp> tried = module.clone();
  func::FuncOp step = dist::getStep(*tried);
  mergeForwardCopies(step);
  Declarations names(*tried, step);
  StepTasks tasks(step);
  ScopedDiagnosticHandler quiet(module.getContext(),
                                [](Diagnostic &) { return success(); });
  if (failed(names.run()) || failed(tasks.assign(names)))
    return; // reported by the pass itself
  planning::CostModel model(machine, mesh.getDevices());
  ResidualFormats formats(step, format);
  std::vector<double> bytes;
  for (auto [i, stage] : llvm::enumerate(decided.stages)) {
    ResidualChoice choice(tasks, static_cast<int64_t>(i), formats,
                          dist::getMesh(*tried), model, *limits.solved,
                          std::numeric_limits<double>::infinity(),
                          findStageMemory(machine, mesh, stage));
    bytes.push_back(choice.isPriced() ? choice.getBytes() : -1);
  }
  limits.limit(std::move(bytes));
}
