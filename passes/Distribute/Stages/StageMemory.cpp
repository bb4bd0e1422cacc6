// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// States are held by parts whose forward ops read their parameter, and so are
// values that are computed from them before the loop. Sums over the
// microbatches are held where their terms are. Residuals are held where the
// backward pass reads them, for every microbatch in flight. They may be
// computed again, unless they lie between repeated blocks. The order of ops and
// the buffers of kernels are not known yet.
#include "passes/Distribute/Stages/StageMemory.h"
#include "dialects/Train/OpCost.h"
#include "dialects/Train/Train.h"
#include "passes/Distribute/Sharding/CollectiveAccount.h"
#include "passes/Distribute/Sharding/Placement.h"
#include "passes/Train/RepeatedBlocks.h"
#include "passes/Train/ResidualGraph.h"
#include "passes/Train/StateNames.h"
#include "llvm/ADT/MapVector.h"
#include <map>
#include <set>

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;

namespace {
using Held = planning::StageCutProblem::Held;

class StageMemory {
public:
  StageMemory(func::FuncOp step, const StageRow &row,
              const std::vector<planning::PlanResidual> &residuals,
              planning::StageCutProblem &problem)
      : step(step), block(step.getBody().front()), row(row),
        residuals(residuals), problem(problem) {}

  void run() {
    addStates();
    for (Operation &op : block.without_terminator())
      if (row.placeOf(&op))
        addOp(&op);
      else if (!isOfMicrobatch(&op))
        addMadeBefore(&op);
    for (auto &[v, places] : madeBefore)
      if (v.getDefiningOp()) // else a state or an input
        hold(bytesOf(v), places, Held::Step);
    addResiduals();
  }

private:
  // Returns the value that a view is of.
  static Value base(Value v) {
    while (auto *op = v.getDefiningOp()) {
      if (!isa<train::ReshapeOp, train::BroadcastOp>(op))
        break;
      v = op->getOperand(0);
    }
    return v;
  }

  using Places = std::set<size_t>;
  void hold(double bytes, const Places &places, Held::Time time) {
    if (bytes > 0 && !places.empty())
      problem.held.push_back({bytes, {places.begin(), places.end()}, time});
  }
  void addPlaces(Value v, Places &places) const {
    for (Operation *user : v.getUsers())
      if (auto place = row.placeOf(user))
        places.insert(static_cast<size_t>(*place));
  }

  // Adds a parameter together with the optimizer's state of it.
  void addStates() {
    std::map<std::string, std::pair<double, Places>> states;
    for (BlockArgument argument : block.getArguments()) {
      DictionaryAttr attributes = step.getArgAttrDict(argument.getArgNumber());
      std::string name = stateSymbol(attributes, /*ofParameter=*/true);
      if (name.empty())
        name = stateSymbol(attributes); // of a variable
      if (name.empty())
        continue;
      auto &[bytes, places] = states[name];
      bytes += bytesOf(argument);
      addPlaces(argument, places);
      for (int64_t place : row.readersOf(argument))
        places.insert(static_cast<size_t>(place));
    }
    for (auto &[name, own] : states) // stages without readers: the first
      hold(own.first, own.second.empty() ? Places{0} : own.second, Held::Step);
  }

  void addOp(Operation *op) {
    auto place = static_cast<size_t>(*row.placeOf(op));
    double temporary = 0;
    for (Value v : op->getOperands())
      temporary += v.getDefiningOp() ? bytesOf(v) : 0;
    for (Value v : op->getResults()) {
      temporary += bytesOf(v);
      addSums(v, place);
      for (Operation *user : v.getUsers())
        if (auto reader = row.placeOf(user);
            reader && isForward(op) && !isForward(user))
          readers[base(v)].insert(static_cast<size_t>(*reader));
    }
    double &most = problem.pieces[place].temporaryBytes;
    most = std::max(most, temporary);
  }

  // Adds sums and values that are read after the loop.
  void addSums(Value v, size_t place) {
    bool isRead = false;
    for (Operation *user : v.getUsers())
      if (auto sum = dyn_cast<AccumulateOp>(user))
        hold(bytesOf(sum.getResult()), {place}, Held::Step);
      else
        isRead |= !isOfMicrobatch(user);
    if (isRead)
      hold(bytesOf(v), {place}, Held::Step);
  }

  // Notes the readers of a value that is made before the loop or follows from
  // states alone, and of views of it.
  void addMadeBefore(Operation *op) {
    if (isa<AccumulateOp>(op))
      return;
    for (Value v : op->getResults())
      addPlaces(v, madeBefore[base(v)]);
  }

  // Returns true if the backward pass computes the value rather than read it:
  // by a few ops of a few operations an element, from values that it reads
  // anyway.
  bool isMadeAgain(Value v, function_ref<bool(Value)> isFree,
                   int fewOps = 6) const {
    constexpr double fewOperations = 18;
    Operation *op = v.getDefiningOp();
    if (!op->hasTrait<train::ElementwiseOp>() &&
        !op->hasTrait<train::DataMovementOp>())
      return false;
    return train::getElementWeight(op) <= fewOperations &&
           llvm::all_of(op->getOperands(), [&](Value operand) {
             operand = base(operand);
             return isFree(operand) || readers.contains(operand) ||
                    (fewOps > 1 && isMadeAgain(operand, isFree, fewOps - 1));
           });
  }

  void addResiduals() {
    SmallVector<Operation *> forward;
    for (Operation &op : block.without_terminator())
      if (isForward(&op))
        forward.push_back(&op);
    auto isFree = [&](Value v) {
      Operation *op = v.getDefiningOp();
      return !op || !row.placeOf(op);
    };
    DenseSet<Value> between = valuesBetweenBlocks(forward, isFree, bytesOf);
    bool isFull = residuals.size() == 1 &&
                  residuals[0].policy == planning::RematPolicy::RecomputeBlocks;
    for (auto &[v, places] : readers) {
      if (isFree(v) || (!between.contains(v) && isMadeAgain(v, isFree)))
        continue;
      bool stays =
          between.contains(v) || !isMemoryEffectFree(v.getDefiningOp());
      if (stays || !isFull)
        hold(bytesOf(v), places,
             stays || !residuals.empty() ? Held::Microbatch : Held::Again);
    }
  }

  func::FuncOp step;
  Block &block;
  const StageRow &row;
  const std::vector<planning::PlanResidual> &residuals;
  planning::StageCutProblem &problem;
  // The places where the backward pass reads a forward value.
  llvm::MapVector<Value, Places> readers;
  // The places where microbatches read a value that is made before the loop.
  llvm::MapVector<Value, Places> madeBefore;
};
} // namespace

void distribute::describeMemory(
    func::FuncOp step, const StageRow &row,
    const std::vector<planning::PlanResidual> &residuals,
    planning::StageCutProblem &problem) {
  StageMemory(step, row, residuals, problem).run();
}

void distribute::describeRecomputation(func::FuncOp step, const StageRow &row,
                                       const planning::CostModel &model,
                                       planning::StageCutProblem &problem) {
  SmallVector<Operation *> forward, backward;
  for (Operation &op : step.getBody().front().without_terminator())
    if (isOfMicrobatch(&op))
      (isForward(&op) ? forward : backward).push_back(&op);
  CollectiveAccounts accounts(getMesh(step->getParentOfType<ModuleOp>()));
  auto isLinked = [](Operation *op) { return isa<CollectiveOpInterface>(op); };
  auto secondsOf = [&](Operation *op, bool linked) {
    return isLinked(op) == linked ? accounts.secondsOf(op, model) : 0;
  };
  ResidualGraph graph(
      forward, backward, DenseMap<Operation *, Operation *>(),
      {[&](Value v) {
         return !v.getDefiningOp() || !row.placeOf(v.getDefiningOp());
       },
       [&](Operation *op) { return op->hasAttr(categoryAttrName); },
       [&](Value v) { return bytesOf(v); },
       [&](Operation *op) { return secondsOf(op, /*linked=*/false); },
       [&](Operation *op) { return secondsOf(op, /*linked=*/true); },
       [&](Operation *op) {
         return model.linkLevel(
             accounts.of(cast<CollectiveOpInterface>(op)).group);
       },
       model.overlaps()});
  planning::RecomputationFrontier frontier(graph.getProblem());
  const auto &points = frontier.getPoints();
  double whole = 0, seconds = 0, least = points.back().bytes;
  for (const Held &own : problem.held)
    if (own.time == Held::Again)
      whole += own.bytes;
  for (const planning::StageCutProblem::Piece &piece : problem.pieces)
    seconds += piece.againSeconds;
  if (whole <= 0 || seconds <= 0)
    return;
  double stays = std::min(1.0, least / whole);
  for (size_t i = 0, count = problem.held.size(); i < count; ++i)
    if (problem.held[i].time == Held::Again) {
      Held rest = problem.held[i];
      rest.bytes *= stays;
      rest.time = Held::Microbatch;
      problem.held[i].bytes -= rest.bytes;
      problem.held.push_back(std::move(rest));
    }
  // Values that are next to free to compute again are not among those that are
  // held.
  problem.again.clear();
  for (const auto &point : points)
    if (double kept = point.bytes - least, most = (1 - stays) * whole;
        kept < most)
      problem.again.push_back({1 - kept / most, point.seconds / seconds});
}
