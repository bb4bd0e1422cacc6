// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Pipeline/ChooseResiduals.h"
#include "dialects/Train/Train.h"
#include "passes/Distribute/Account.h"
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
    if (task.part == Part::Backward)
      backward.append(task.own.begin(), task.own.end());
  dist::Accounts accounts(mesh);
  return ResidualGraph(
      forward, backward, DenseMap<Operation *, Operation *>(),
      {[&](Value v) { return tasks.isFree(v); },
       [&](Operation *op) { return op->hasAttr(dist::categoryAttrName); },
       [&](Value v) { return forms.bytesOf(v); },
       [&](Operation *op) { return accounts.secondsOf(op, model); }},
      together);
}

ResidualChoice::ResidualChoice(const StepTasks &tasks,
                               const ResidualForms &forms, dist::MeshOp mesh,
                               const planning::CostModel &model, double bytes) {
  for (unsigned together = 1;; together *= 2) {
    std::unique_ptr<Level> level =
        std::make_unique<Level>(makeGraph(tasks, forms, mesh, model, together));
    if (!points.empty() && level->leastThere() >= levels.back()->leastThere())
      break;
    levels.push_back(std::move(level));
    addPoints();
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

Keep ResidualChoice::wish(Operation *op) const {
  if (graph->stays(op))
    return Keep::Always;
  std::optional<size_t> number = graph->find(op);
  if (!number)
    return Keep::IfWorth;
  return chosen.again[*number] ? Keep::Never : Keep::Always;
}

void zcc::chooseReads(StepTasks &tasks, const ResidualForms &forms,
                      dist::MeshOp mesh, const planning::Machine &machine,
                      StringRef remat, Globs &globs, ResidualBudget &limit) {
  if (limit.bytes < 0) {
    tasks.findReads(readWishes(tasks, remat, globs));
    limit.kept = countResiduals(tasks, forms);
    return;
  }
  planning::CostModel model(machine, mesh.getDevices());
  ResidualChoice choice(tasks, forms, mesh, model, limit.bytes);
  limit.frontier = choice.getFrontier();
  limit.kept = choice.getBytes();
  tasks.findReads([&](Operation *op) { return choice.wish(op); });
}

double zcc::countResiduals(const StepTasks &tasks, const ResidualForms &forms) {
  DenseSet<Operation *> forward;
  for (Operation *op : tasks.getForward())
    if (!op->hasAttr(dist::categoryAttrName))
      forward.insert(op);
  double bytes = 0;
  for (const StepTask &task : tasks.getTasks())
    if (task.part == Part::Backward)
      for (Value v : task.read)
        if (forward.contains(v.getDefiningOp()))
          bytes += forms.bytesOf(v);
  return bytes;
}

void zcc::mergeCopies(func::FuncOp step) {
  Block &block = step.getBody().front();
  DenseMap<Operation *, Operation *> copies = findForwardCopies(block);
  auto isMerged = [&](Operation &op) {
    Operation *own = copies.lookup(&op);
    return own && dist::getStage(own) == dist::getStage(&op) &&
           own->getAttr(dist::regionAttrName) ==
               op.getAttr(dist::regionAttrName);
  };
  for (Operation &op : llvm::make_early_inc_range(block.without_terminator()))
    if (isMerged(op)) {
      op.replaceAllUsesWith(copies.lookup(&op));
      op.erase();
    }
}
