// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Pipeline/HandOver.h"
#include "passes/Distribute/Sharding/CollectiveAccount.h"
#include "passes/Distribute/Sharding/Placement.h"
#include "planning/Recomputation.h"
#include "planning/ScheduleGenerators.h"

using namespace mlir;
using namespace zcc;

using planning::StageTaskKind;

HeldMicrobatches::HeldMicrobatches(dist::MeshOp mesh,
                                   const planning::NamedSchedule &schedule,
                                   const ActionRows &actions) {
  int64_t microbatches = distribute::countMicrobatches(mesh);
  std::vector<std::string> rows = actions.listTexts();
  planning::ActionShape shape;
  if (!planning::findShape(schedule, rows, shape).empty())
    return;
  problem = planning::makeChain(mesh.getStages(), shape.chunks, microbatches,
                                /*trains=*/true, shape.splits, shape.goesBack);
  // Faults of the schedule are reported where the tables are written.
  bool made = rows.empty() ? makeSchedule(schedule, problem, tables).empty()
                           : !parseRows(rows, problem, tables);
  if (!made)
    tables.clear();
}

double HeldMicrobatches::untilWeights(const StepTask &weights) const {
  int64_t first = problem.find(weights.stage, weights.chunk,
                               StageTaskKind::Backward),
          last = problem.find(weights.stage, weights.chunk,
                              StageTaskKind::WeightBackward);
  if (static_cast<size_t>(weights.stage) >= tables.size() || first < 0 ||
      last < 0)
    return 1;
  return static_cast<double>(std::max<int64_t>(
      planning::countHeld(tables[weights.stage], static_cast<size_t>(first),
                          static_cast<size_t>(last)),
      1));
}

namespace {
class HandOverProblem {
public:
  HandOverProblem(const StepTasks &tasks, const StepTask &backward,
                  const StepTask &weights, FateWish wish, dist::MeshOp mesh,
                  const planning::CostModel &model)
      : tasks(tasks), backward(backward), weights(weights), accounts(mesh),
        model(model) {
    again.insert(weights.again.begin(), weights.again.end());
    DenseSet<Operation *> before(backward.again.begin(), backward.again.end());
    for (Operation *op : weights.again)
      if (std::optional<planning::Fate> fate = wish(op);
          before.contains(op) && fate && !isStored(*fate) && !isFree(op))
        mayCome.insert(op);
  }

  DenseSet<Operation *> solve(double price, std::string &wrong) {
    DenseSet<Operation *> handed;
    if (mayCome.empty())
      return handed;
    build();
    planning::RecomputationFrontier frontier(problem);
    const auto &points = frontier.getPoints();
    auto cost = [&](size_t point) {
      return points[point].seconds + price * points[point].bytes;
    };
    size_t best = 0;
    for (size_t point = 1; point < points.size(); ++point)
      if (cost(point) < cost(best))
        best = point;
    planning::Recomputation answer = frontier.get(problem, best);
    if (std::string found = verifyRecomputation(problem, answer);
        !found.empty())
      wrong = found;
    std::vector<bool> needed(problem.values.size());
    for (auto [value, own] : llvm::enumerate(problem.values))
      needed[value] = own.needed;
    for (auto [number, op] : llvm::enumerate(problem.ops))
      if (answer.again[number])
        for (size_t value : op.reads)
          needed[value] = true;
    for (auto [op, number] : numbers)
      if (!answer.again[number] && mayCome.contains(op) &&
          llvm::any_of(op->getResults(),
                       [&](Value v) { return needed[valueOf.lookup(v)]; }))
        handed.insert(op);
    return handed;
  }

private:
  bool isFree(Operation *op) const {
    return llvm::all_of(op->getResults(),
                        [&](Value v) { return tasks.isFree(v); });
  }

  void addOp(Operation *op, double seconds, bool mayRunAgain) {
    size_t number = problem.ops.size();
    numbers[op] = number;
    problem.ops.push_back({seconds, mayRunAgain, {}});
    for (Value v : op->getResults()) {
      valueOf[v] = problem.values.size();
      problem.values.push_back(
          {distribute::bytesOf(v), static_cast<int>(number), false});
    }
  }

  // A value that is read anyway costs its bytes: it is held longer than without
  // the split.
  void addRead(Value v) {
    Operation *op = v.getDefiningOp();
    if (!isa<dist::AccumulateOp>(op) && !backward.own.contains(op) &&
        !numbers.contains(op))
      addOp(op, 0, /*mayRunAgain=*/false);
  }

  // Calls `take` for each value that `reader` needs, looking through ops that
  // are free. Adds the seconds of gathers on the way.
  void read(Operation *reader, function_ref<void(size_t)> take,
            double &seconds) {
    SmallVector<Value> open(reader->getOperands());
    DenseSet<Operation *> seen;
    while (!open.empty()) {
      Value v = open.pop_back_val();
      if (auto at = valueOf.find(v); at != valueOf.end()) {
        take(at->second);
        continue;
      }
      Operation *op = v.getDefiningOp();
      if (!op || !again.contains(op) || !seen.insert(op).second)
        continue;
      if (isa<dist::CollectiveOpInterface>(op))
        seconds += accounts.secondsOf(op, model);
      open.append(op->operand_begin(), op->operand_end());
    }
  }

  void build() {
    for (Value v : weights.read)
      addRead(v);
    double nothing = 0;
    auto need = [&](size_t value) { problem.values[value].needed = true; };
    for (Operation *op : weights.again) {
      if (isFree(op))
        continue;
      // Ops that the backward task did not compute again run here in any case.
      if (!mayCome.contains(op)) {
        read(op, need, nothing);
        continue;
      }
      SmallVector<size_t> reads;
      double seconds = accounts.secondsOf(op, model);
      read(op, [&](size_t value) { reads.push_back(value); }, seconds);
      addOp(op, seconds, /*mayRunAgain=*/true);
      problem.ops.back().reads.assign(reads.begin(), reads.end());
    }
    for (Operation *op : weights.own)
      read(op, need, nothing);
  }

  const StepTasks &tasks;
  const StepTask &backward, &weights;
  distribute::CollectiveAccounts accounts;
  const planning::CostModel &model;
  DenseSet<Operation *> again, mayCome;
  planning::RecomputationProblem problem;
  DenseMap<Operation *, size_t> numbers;
  DenseMap<Value, size_t> valueOf;
};
} // namespace

DenseSet<Operation *> zcc::chooseHandOver(const StepTasks &tasks,
                                          const StepTask &backward,
                                          const StepTask &weights,
                                          FateWish wish, dist::MeshOp mesh,
                                          const planning::CostModel &model,
                                          double price, std::string &wrong) {
  return HandOverProblem(tasks, backward, weights, wish, mesh, model)
      .solve(price, wrong);
}
