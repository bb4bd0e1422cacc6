// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Pipeline/ChooseResiduals.h"
#include "compiler/planning/MemoryPrice.h"
#include "dialects/Train/Train.h"
#include "passes/Distribute/Account.h"
#include "passes/Distribute/Distribute.h"
#include "passes/Distribute/Place/Placement.h"
#include "passes/Pipeline/DecidedResiduals.h"
#include "passes/Pipeline/RematWishes.h"

using namespace mlir;
using namespace zcc;

static ResidualGraph makeGraph(const StepTasks &tasks,
                               const ResidualForms &forms, dist::MeshOp mesh,
                               const planning::CostModel &model,
                               unsigned together) {
  SmallVector<Operation *> forward = tasks.getForward(), backward;
  llvm::erase_if(forward,
                 [](Operation *op) { return isa<dist::AccumulateOp>(op); });
  for (const StepTask &task : tasks.getTasks())
    if (task.isBackward())
      backward.append(task.own.begin(), task.own.end());
  dist::Accounts accounts(mesh);
  auto isLinked = [](Operation *op) {
    return isa<dist::CollectiveOpInterface>(op);
  };
  return ResidualGraph(
      forward, backward, DenseMap<Operation *, Operation *>(),
      {[&](Value v) { return tasks.isFree(v); },
       [&](Operation *op) { return op->hasAttr(dist::categoryAttrName); },
       [&](Value v) { return forms.bytesOf(v); },
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

ResidualChoice::ResidualChoice(const StepTasks &tasks,
                               const ResidualForms &forms, dist::MeshOp mesh,
                               const planning::CostModel &model, double bytes,
                               double memory) {
  for (unsigned together = 1;; together *= 2) {
    std::unique_ptr<Level> level =
        std::make_unique<Level>(makeGraph(tasks, forms, mesh, model, together));
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
  graph = &levels[sources[at].level]->graph;
  chosen = levels[sources[at].level]->frontier.get(sources[at].point);
}

// Of the last level, what goes on from the points that there are.
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

LogicalResult zcc::chooseReads(StepTasks &tasks, const ResidualForms &forms,
                               dist::MeshOp mesh,
                               const planning::Machine &machine,
                               StringRef remat, Globs &globs,
                               const ResidualPins &pins,
                               ResidualBudget &limit) {
  if (!pins.decisions.empty()) {
    auto wishes = followDecisions(tasks, pins);
    if (failed(wishes))
      return failure();
    tasks.findReads([&](Operation *op) {
      auto wish = wishes->find(op);
      return wish == wishes->end() ? Keep::IfWorth : wish->second;
    });
    limit.kept = countResiduals(tasks, forms);
    limit.decisions = tellDecisions(tasks);
    return success();
  }
  if (limit.bytes < 0) {
    tasks.findReads(readWishes(tasks, remat, globs));
    limit.kept = countResiduals(tasks, forms);
    limit.decisions = tellDecisions(tasks);
    return success();
  }
  planning::CostModel model(machine, mesh.getDevices());
  ResidualChoice choice(
      tasks, forms, mesh, model, limit.bytes,
      limit.hasPrice ? machine.bytesPerDevice(mesh.getDevices()) : 0);
  limit.frontier = choice.getFrontier();
  limit.kept = choice.getBytes();
  tasks.findReads([&](Operation *op) { return choice.wish(op); });
  limit.decisions = tellDecisions(tasks);
  return success();
}

double zcc::countResiduals(const StepTasks &tasks, const ResidualForms &forms) {
  DenseSet<Operation *> forward;
  for (Operation *op : tasks.getForward())
    if (!op->hasAttr(dist::categoryAttrName))
      forward.insert(op);
  double bytes = 0;
  for (const StepTask &task : tasks.getTasks())
    if (task.isBackward())
      for (Value v : task.read)
        if (forward.contains(v.getDefiningOp()))
          bytes += forms.bytesOf(v);
  return bytes;
}

// What the backward pass reads of the forward pass, views and all: no less than
// residuals.
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

double zcc::findPricedBytes(ModuleOp module, StoredForm form,
                            const planning::Machine &machine) {
  double memory = machine.bytesPerDevice(dist::getMesh(module).getDevices());
  if (!(memory > 0) || countReads(dist::getStep(module).getBody().front()) <
                           planning::leastWorthwhile(memory))
    return -1;
  OwningOpRef<ModuleOp> tried = module.clone();
  func::FuncOp step = dist::getStep(*tried);
  mergeForwardCopies(step);
  Declarations names(*tried, step);
  StepTasks tasks(step);
  ScopedDiagnosticHandler quiet(module.getContext(),
                                [](Diagnostic &) { return success(); });
  if (failed(names.run()) || failed(tasks.assign(names)))
    return -1; // reported where it is done
  planning::CostModel model(machine, dist::getMesh(*tried).getDevices());
  ResidualChoice choice(tasks, ResidualForms(step, form), dist::getMesh(*tried),
                        model, std::numeric_limits<double>::infinity(), memory);
  return choice.isPriced() ? choice.getBytes() : -1;
}
