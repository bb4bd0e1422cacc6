// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Pipeline/ChooseResiduals.h"
#include "dialects/Train/OpCost.h"
#include "dialects/Train/Train.h"
#include "mlir/IR/OperationSupport.h"
#include "passes/Distribute/Account.h"
#include "passes/Distribute/Place/OpWeights.h"
#include "passes/Distribute/Place/Placement.h"
#include "passes/Pipeline/RepeatedBlocks.h"

using namespace mlir;
using namespace zcc;

// Of an op of a partitioned step, on a device.
static double getSeconds(Operation *op, const planning::CostModel &model,
                         const dist::Accounts &accounts) {
  if (auto collective = dyn_cast<dist::CollectiveOpInterface>(op))
    return model.collectiveSeconds(accounts.of(collective));
  double seconds = 0;
  if (auto ring = dyn_cast<dist::RingOp>(op))
    for (const dist::Accounts::Repeated &sent : accounts.of(ring))
      seconds += static_cast<double>(sent.times) *
                 model.collectiveSeconds(sent.collective);
  if (dist::isFree(op))
    return seconds;
  // Bytes that cross the border of the kernel.
  bool fused = dist::isFused(op);
  planning::KernelWork work;
  for (Value v : op->getOperands()) {
    Operation *source = v.getDefiningOp();
    if (!source || !(dist::isFree(source) || (fused && dist::isFused(source))))
      work.bytes += dist::bytesOf(v);
  }
  for (Value v : op->getResults())
    if (!fused || llvm::any_of(v.getUsers(), [](Operation *user) {
          return !dist::isFused(user) && !dist::isFree(user);
        }))
      work.bytes += dist::bytesOf(v);
  train::OpCost cost = train::getCost(op);
  work.vectorOps = cost.additions;
  work.transcendentals = cost.functions;
  SmallVector<planning::ProductWork> products;
  for (const train::OpCost::Product &own : cost.products)
    products.push_back({{own.batch, own.m, own.n, own.k}, own.type, own.share});
  double kernel =
      model.kernelSeconds(work, "f32", products.data(), products.size());
  return seconds +
         (fused ? std::max(0.0, kernel - model.launchSeconds()) : kernel);
}

ResidualChoice::ResidualChoice(const StepTasks &tasks, dist::MeshOp mesh,
                               const planning::CostModel &model, double bytes) {
  SmallVector<Operation *> forward = tasks.getForward();
  llvm::erase_if(forward,
                 [](Operation *op) { return isa<dist::AccumulateOp>(op); });
  DenseSet<Value> between =
      valuesBetweenBlocks(forward, [&](Value v) { return tasks.isFree(v); });
  dist::Accounts accounts(mesh);
  DenseMap<Value, size_t> valueOf;
  for (Operation *op : forward) {
    if (op->hasAttr(dist::categoryAttrName) ||
        llvm::any_of(op->getResults(),
                     [&](Value v) { return between.contains(v); }))
      stays.insert(op);
    if (stays.contains(op) || op->hasAttr(dist::regatherAttrName) ||
        llvm::all_of(op->getResults(),
                     [&](Value v) { return tasks.isFree(v); }))
      continue;
    number[op] = problem.ops.size();
    planning::RecomputationProblem::Op &own = problem.ops.emplace_back();
    own.seconds = getSeconds(op, model, accounts);
    own.mayRunAgain = isMemoryEffectFree(op);
    for (Value v : op->getOperands())
      if (auto at = valueOf.find(v); at != valueOf.end())
        own.reads.push_back(at->second);
    for (Value v : op->getResults()) {
      valueOf[v] = problem.values.size();
      problem.values.push_back(
          {dist::bytesOf(v), static_cast<int>(number[op]), false});
    }
  }
  for (const StepTask &task : tasks.getTasks())
    if (task.part == Part::Backward)
      for (Operation *op : task.own)
        for (Value v : op->getOperands())
          if (auto at = valueOf.find(v); at != valueOf.end())
            problem.values[at->second].needed = true;
  frontier = std::make_unique<planning::RecomputationFrontier>(problem);
  ArrayRef points(frontier->getPoints());
  size_t point = 0;
  while (point + 1 < points.size() && points[point].bytes > bytes)
    ++point;
  chosen = frontier->get(point);
}

Keep ResidualChoice::wish(Operation *op) const {
  if (stays.contains(op))
    return Keep::Always;
  auto at = number.find(op);
  if (at == number.end())
    return Keep::IfWorth;
  return chosen.again[at->second] ? Keep::Never : Keep::Always;
}

double zcc::countResiduals(const StepTasks &tasks) {
  DenseSet<Operation *> forward;
  for (Operation *op : tasks.getForward())
    if (!op->hasAttr(dist::categoryAttrName))
      forward.insert(op);
  double bytes = 0;
  for (const StepTask &task : tasks.getTasks())
    if (task.part == Part::Backward)
      for (Value v : task.read)
        if (forward.contains(v.getDefiningOp()))
          bytes += dist::bytesOf(v);
  return bytes;
}

namespace {
// Ops that compute the same of the same operands, whatever part of the step
// they are of.
struct SameOp : llvm::DenseMapInfo<Operation *> {
  static constexpr auto flags = static_cast<OperationEquivalence::Flags>(
      OperationEquivalence::IgnoreLocations |
      OperationEquivalence::IgnoreDiscardableAttrs);

  static unsigned getHashValue(const Operation *op) {
    return static_cast<unsigned>(OperationEquivalence::computeHash(
        const_cast<Operation *>(op), OperationEquivalence::directHashValue,
        OperationEquivalence::ignoreHashValue, flags));
  }
  static bool isEqual(const Operation *a, const Operation *b) {
    auto isKey = [](const Operation *op) {
      return op != getEmptyKey() && op != getTombstoneKey();
    };
    return a == b ||
           (isKey(a) && isKey(b) &&
            OperationEquivalence::isEquivalentTo(
                const_cast<Operation *>(a), const_cast<Operation *>(b), flags));
  }
};
} // namespace

void zcc::mergeCopies(func::FuncOp step) {
  DenseSet<Operation *, SameOp> forward;
  auto isOf = [](Operation *op, StringRef tag) {
    auto region = op->getAttrOfType<StringAttr>(dist::regionAttrName);
    auto own = op->getAttrOfType<StringAttr>(train::tagAttrName);
    return region && region.getValue() == "micro" &&
           (own ? own.getValue() : "forward") == tag;
  };
  for (Operation &op : llvm::make_early_inc_range(
           step.getBody().front().without_terminator())) {
    if (op.getNumRegions() != 0 || !isMemoryEffectFree(&op))
      continue;
    if (isOf(&op, "forward")) {
      forward.insert(&op);
    } else if (isOf(&op, "backward")) {
      auto same = forward.find(&op);
      if (same == forward.end() || dist::getStage(*same) != dist::getStage(&op))
        continue;
      op.replaceAllUsesWith(*same);
      op.erase();
    }
  }
}
