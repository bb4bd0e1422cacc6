// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Pipeline/ChooseResiduals.h"
#include "dialects/Train/Train.h"
#include "passes/Distribute/Distribute.h"
#include "passes/Distribute/Sharding/CollectiveAccount.h"
#include "passes/Distribute/Sharding/Placement.h"
#include "passes/Pipeline/Fates.h"
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
  distribute::CollectiveAccounts accounts(mesh);
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

std::optional<planning::Fate> ResidualChoice::wish(Operation *op) const {
  using planning::Fate;
  if (graph->stays(op))
    return Fate::Kept;
  std::optional<size_t> number = graph->find(op);
  if (!number)
    return std::nullopt;
  return chosen.again[*number] ? Fate::Recomputed : Fate::Kept;
}

static double findStageMemory(const planning::Machine &machine,
                              dist::MeshOp mesh, const StageResiduals &stage) {
  return machine.bytesPerDevice(mesh.getDevices()) / std::max(stage.held, 1.0);
}

void zcc::holdMicrobatches(dist::MeshOp mesh,
                           const planning::NamedSchedule &schedule,
                           const std::vector<std::string> &rows,
                           MemoryDecisions &decided) {
  decided.stages.assign(mesh.getStages(), {});
  std::vector<double> held = planning::countHeld(
      schedule, rows, mesh.getStages(), distribute::countMicrobatches(mesh));
  for (auto [stage, own] : llvm::zip(decided.stages, held))
    stage.held = own;
}

namespace {
// Keeps the values that save the most time within the limits of bytes, stage by
// stage.
class KeepWithin : public FateDecider {
public:
  explicit KeepWithin(const FateRequest &request) : request(request) {}

  StringRef getName() const override { return "limit"; }

  LogicalResult decide(Fates &fates) override {
    const StepTasks &tasks = fates.getTasks();
    dist::MeshOp mesh = request.mesh;
    planning::CostModel model(request.machine, mesh.getDevices());
    std::vector<ResidualChoice> choices;
    std::vector<double> prices;
    for (auto [i, stage] : llvm::enumerate(fates.getDecided().stages)) {
      const ResidualChoice &choice = choices.emplace_back(
          tasks, static_cast<int64_t>(i), request.formats, mesh, model,
          *request.limits.solved, request.limits.limitOf(i),
          request.limits.hasPrice
              ? findStageMemory(request.machine, mesh, stage)
              : 0);
      if (std::string wrong = choice.verify(); !wrong.empty())
        return emitError(mesh.getLoc(), "fates: ")
               << getName() << ": the choice for stage " << i
               << " is wrong: " << wrong;
      stage.frontier = choice.getFrontier();
      stage.kept = choice.getBytes();
      prices.push_back(choice.getPrice());
    }
    for (Operation *op : tasks.getForward()) {
      const ResidualChoice &choice = choices[dist::getStage(op)];
      std::optional<planning::Fate> fate = choice.wish(op);
      // The cut may keep less in place of a value that kernels compute again on
      // the way.
      if (fate && !(fate == planning::Fate::Kept && !choice.stays(op) &&
                    tasks.isFused(op)))
        fates.set(op, *fate);
    }
    fates.setPrices(std::move(prices));
    return success();
  }

private:
  FateRequest request;
};
} // namespace

std::unique_ptr<FateDecider> zcc::createKeepWithin(const FateRequest &request) {
  return std::make_unique<KeepWithin>(request);
}

// Returns the bytes of all values that the backward pass reads of the forward
// pass, views included. Residuals take no more than that.
static double countReads(Block &block) {
  double bytes = 0;
  for (Operation &op : block)
    if (train::isForward(&op))
      for (Value v : op.getResults())
        if (llvm::any_of(v.getUsers(), [&](Operation *user) {
              return train::hasTag(user, train::Tag::Backward);
            }))
          bytes += distribute::bytesOf(v);
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
  if (!(least > 0) ||
      countReads(distribute::getStep(module).getBody().front()) <
          planning::leastWorthwhile(least))
    return;
  OwningOpRef<ModuleOp> tried = module.clone();
  func::FuncOp step = distribute::getStep(*tried);
  mergeForwardCopies(step);
  Declarations names(*tried, step);
  StepTasks tasks(step);
  tasks.setLimits(RecomputeLimits::of(machine, mesh.getDevices()));
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
