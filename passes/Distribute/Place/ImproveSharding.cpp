// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Local search on cut costs. Ops move from one neighbor's factor to another's
// as long as that saves bytes; in each round those move that save more than
// each of their neighbors would. A group of elementwise ops between two
// products gains nothing until all of it moves. So such clusters are tried as a
// whole, together with what the products beside them would do then; the
// clusters that save most are moved first. Ties are decided by what ops
// compute, so that the order of the text does not matter.
#include "passes/Distribute/Place/ImproveSharding.h"
#include "dialects/Train/Train.h"
#include "passes/Distribute/Estimate/PlacementCost.h"
#include "passes/Distribute/Place/ExplainOrigins.h"
#include "passes/Distribute/Sharding/OpWeights.h"
#include "passes/Distribute/Sharding/Window.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;

static bool sameFactors(ArrayRef<FactorShards> a, ArrayRef<FactorShards> b) {
  return llvm::equal(a, b, [](const FactorShards &x, const FactorShards &y) {
    return x.axes == y.axes && x.padded == y.padded;
  });
}

namespace {
class Improvement {
public:
  Improvement(Block &block, const AxisChoices &choices, StepSharding &step)
      : block(block), choices(choices), mesh(choices.mesh), axis(choices.axis),
        step(step) {}

  void moveOps() {
    SetVector<Operation *> work;
    for (Operation &op : block) {
      auto it = step.ops.find(&op);
      if (it != step.ops.end() && !it->second.fixed)
        work.insert(&op);
    }
    auto neighbors = [&](Operation *op, auto visit) {
      for (Value v : op->getOperands()) {
        if (Operation *source = v.getDefiningOp())
          visit(source);
        for (Operation *user : v.getUsers())
          visit(user);
      }
      for (Operation *user : op->getUsers())
        visit(user);
    };
    constexpr int mostRounds = 64; // far more than chains of moves are long
    for (int round = 0; round < mostRounds && !work.empty(); ++round) {
      llvm::MapVector<Operation *, Move> moves;
      for (Operation *op : work)
        if (std::optional<Move> move = bestMove(op, step.ops.find(op)->second))
          moves[op] = std::move(*move);
      work.clear();
      SmallVector<Operation *> chosen;
      for (auto &[op, move] : moves) {
        bool most = true;
        neighbors(op, [&, self = op, gain = move.gain](Operation *other) {
          auto it = moves.find(other);
          if (other == self || it == moves.end())
            return;
          most &= isBefore(gain, self, it->second.gain, other);
        });
        if (most)
          chosen.push_back(op);
        else
          work.insert(op);
      }
      for (Operation *op : chosen) {
        step.ops.find(op)->second.factors = std::move(moves[op].factors);
        noteMove(op, moves[op].gain);
        neighbors(op, [&](Operation *other) {
          auto it = step.ops.find(other);
          if (it != step.ops.end() && !it->second.fixed)
            work.insert(other);
        });
      }
    }
  }

  // Tries a cluster wherever a light op has a value otherwise sharded than its
  // neighbor.
  bool moveClusters() {
    SmallVector<Start> starts;
    for (Operation &op : block) {
      auto it = step.ops.find(&op);
      if (it == step.ops.end() || it->second.update || !it->second.uses(axis))
        continue;
      for (auto [i, v] : llvm::enumerate(op.getOperands())) {
        auto source = v.getDefiningOp() ? step.ops.find(v.getDefiningOp())
                                        : step.ops.end();
        if (source == step.ops.end() || !source->second.uses(axis))
          continue;
        Placement has = producedAt(step, mesh, v),
                  wants = it->second.operand(mesh, i);
        if (has.dims == wants.dims)
          continue;
        if (isLight(&op))
          starts.push_back({&op, v, has});
        else if (isLight(v.getDefiningOp()))
          starts.push_back({v.getDefiningOp(), v, wants});
      }
    }
    // Try each cluster once, whichever of its ops it starts from.
    llvm::stable_sort(starts, [&](const Start &a, const Start &b) {
      return a.first != b.first && step.keys->less(a.first, b.first);
    });
    Clusters tried;
    for (Start &start : starts) {
      const OpSharding &op = step.ops.find(start.first)->second;
      auto factors =
          choices.following(start.first, op, start.v, start.placement);
      if (factors &&
          llvm::none_of(tried[start.first], [&](const FactorPlacement &known) {
            return sameFactors(known, *factors);
          }))
        start.gain = moveCluster(start, /*keep=*/false, &tried);
    }
    llvm::erase_if(starts, [](const Start &start) { return start.gain <= 0; });
    llvm::stable_sort(starts, [&](const Start &a, const Start &b) {
      return isBefore(a.gain, a.first, b.gain, b.first);
    });
    // Earlier moves may have changed what a cluster gains.
    bool any = false;
    for (const Start &start : starts)
      any |= moveCluster(start, /*keep=*/true) > 0;
    return any;
  }

private:
  // The start of a cluster: `first`, and the ops around it, get the sharding
  // that `v` has in `placement`.
  struct Start {
    Operation *first;
    Value v;
    Placement placement;
    double gain = 0;
  };

  // The factors that ops would have in clusters that were tried.
  using Clusters = llvm::DenseMap<Operation *, SmallVector<FactorPlacement, 1>>;

  void noteMove(Operation *op, double gain) const {
    if (step.origins)
      step.origins->note(op, axis, {Origin::Moved, "", {}, nullptr, gain});
  }

  // Orders by gain, largest first. Gains are compared as floats: sums of the
  // same bytes in another order count as equal.
  bool isBefore(double gain, Operation *op, double otherGain,
                Operation *other) const {
    auto a = static_cast<float>(gain), b = static_cast<float>(otherGain);
    return a != b ? a > b : step.keys->less(op, other);
  }

  // Returns the ops that make or read `v`, in an order that does not depend on
  // the text.
  SmallVector<Operation *> around(Value v) const {
    SmallVector<Operation *> ops(v.user_begin(), v.user_end());
    llvm::sort(ops, [&](Operation *a, Operation *b) {
      return a != b && step.keys->less(a, b);
    });
    ops.erase(llvm::unique(ops), ops.end());
    if (Operation *source = v.getDefiningOp())
      ops.insert(ops.begin(), source);
    return ops;
  }

  // Moves the light ops around the first as far as they can follow, then every
  // other op beside them to where it costs least. Returns the bytes that this
  // saves. If it saves none, or `keep` is false, nothing has moved.
  double moveCluster(const Start &start, bool keep, Clusters *tried = nullptr) {
    constexpr unsigned mostOps = 1024;
    llvm::MapVector<Operation *, FactorPlacement> before;
    SetVector<Value> values;
    SmallVector<std::pair<Operation *, FactorPlacement>> work;
    auto take = [&](Operation *op) {
      before[op] = step.ops.find(op)->second.factors;
      values.insert_range(op->getOperands());
      values.insert_range(op->getResults());
    };
    auto offer = [&](Operation *op, Value from, const Placement &wanted) {
      auto it = step.ops.find(op);
      if (it == step.ops.end() || it->second.fixed || it->second.update ||
          !it->second.uses(axis) || !isLight(op) || before.contains(op))
        return;
      auto factors = choices.following(op, it->second, from, wanted);
      if (!factors || sameFactors(*factors, it->second.factors))
        return;
      take(op);
      work.push_back({op, std::move(*factors)});
    };
    SmallVector<std::pair<Operation *, FactorPlacement>> after;
    offer(start.first, start.v, start.placement);
    while (!work.empty() && before.size() < mostOps) {
      auto [op, factors] = work.pop_back_val();
      OpSharding moved{step.ops.find(op)->second.rule, factors};
      for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
        Placement wanted = moved.operand(mesh, i);
        for (Operation *other : around(operand))
          offer(other, operand, wanted);
      }
      for (auto [i, result] : llvm::enumerate(op->getResults()))
        for (Operation *user : around(result))
          if (user != op)
            offer(user, result, moved.result(mesh, i));
      after.push_back({op, std::move(factors)});
    }
    if (tried)
      for (auto &[op, factors] : after)
        (*tried)[op].push_back(factors);
    if (!work.empty() || after.empty())
      return 0;
    SetVector<Operation *> beside;
    for (Value value : values.getArrayRef())
      for (Operation *op : around(value)) {
        auto it = step.ops.find(op);
        if (it != step.ops.end() && !it->second.fixed && !it->second.update &&
            !isLight(op) && it->second.uses(axis))
          beside.insert(op);
      }
    for (Operation *op : beside)
      take(op);
    auto total = [&]() {
      double cost = 0;
      for (Value value : values)
        cost += costOf(step, mesh, value);
      for (auto &[op, factors] : before)
        cost += haloBytes(op, mesh, step.ops.find(op)->second);
      return cost;
    };
    double now = total();
    for (auto &[op, factors] : after)
      step.ops.find(op)->second.factors = std::move(factors);
    for (Operation *op : beside)
      if (std::optional<Move> move = bestMove(op, step.ops.find(op)->second))
        step.ops.find(op)->second.factors = std::move(move->factors);
    double gain = now - total();
    if (gain <= now * 1e-6)
      gain = 0;
    if (!keep || gain == 0)
      for (auto &[op, factors] : before)
        step.ops.find(op)->second.factors = std::move(factors);
    else if (step.origins)
      for (auto &[op, factors] : before)
        if (!sameFactors(factors, step.ops.find(op)->second.factors))
          noteMove(op, gain);
    return gain;
  }

  struct Move {
    double gain = 0;
    unsigned factor = 0;
    FactorPlacement factors;
  };
  bool carries(const OpSharding &op,
               const train::FactorRule::Tensor &tensor) const {
    for (const train::FactorRule::Dim &dim : tensor)
      for (unsigned factor : dim)
        if (llvm::is_contained(op.factors[factor].axes, axis))
          return true;
    return false;
  }

  // Returns true if all neighbors that carry the axis have the values between
  // as the op has them, so that there is nothing to follow.
  bool agrees(Operation *operation, const OpSharding &op) const {
    if (!op.rule.windows.empty())
      return false;
    bool own = op.uses(axis);
    auto same = [&](const train::FactorRule::Tensor &tensor,
                    const OpSharding &other,
                    const train::FactorRule::Tensor &there) {
      return own ? !other.uses(axis) || sameDims(op, tensor, other, there)
                 : !carries(other, there);
    };
    auto isAt = [&](const train::FactorRule::Tensor &tensor, Value argument) {
      auto it = step.seeds.find(argument);
      return it == step.seeds.end() || !it->second.uses(axis) ||
             (own && op.isAt(tensor, it->second));
    };
    for (auto [v, tensor] :
         llvm::zip_equal(operation->getOperands(), op.rule.operands)) {
      if (auto result = dyn_cast<OpResult>(v)) {
        auto it = step.ops.find(result.getOwner());
        if (it != step.ops.end() &&
            !same(tensor, it->second,
                  it->second.rule.results[result.getResultNumber()]))
          return false;
      } else if (!isAt(tensor, v)) {
        return false;
      }
    }
    for (auto [v, tensor] :
         llvm::zip_equal(operation->getResults(), op.rule.results)) {
      if (auto parameter = step.parameterOf.find(v);
          parameter != step.parameterOf.end() &&
          !isAt(tensor, parameter->second))
        return false;
      for (OpOperand &use : v.getUses()) {
        auto it = step.ops.find(use.getOwner());
        if (it != step.ops.end() && !it->second.update &&
            !same(tensor, it->second,
                  it->second.rule.operands[use.getOperandNumber()]))
          return false;
      }
    }
    return true;
  }

  std::optional<Move> bestMove(Operation *operation,
                               const OpSharding &op) const {
    if (op.fixed || op.rule.factors.size() < 2 || agrees(operation, op))
      return std::nullopt;
    // The candidates are the neighbors' shards, as this op sees them.
    OpSharding bare = choices.without(operation, op);
    SmallVector<AxisChoices::Candidate> list;
    auto add = [&](Value v, const Placement &placement) {
      auto at = [&](Value other) -> const Placement * {
        return other == v ? &placement : nullptr;
      };
      for (AxisChoices::Candidate &c : choices.candidates(operation, bare, at))
        if (llvm::none_of(list, [&](const AxisChoices::Candidate &known) {
              return known.factor == c.factor;
            }))
          list.push_back(std::move(c));
    };
    for (Value v : operation->getOperands())
      add(v, producedAt(step, mesh, v));
    for (Value v : operation->getResults()) {
      if (auto parameter = step.parameterOf.find(v);
          parameter != step.parameterOf.end())
        add(v, producedAt(step, mesh, parameter->second));
      for (OpOperand &use : v.getUses()) {
        auto it = step.ops.find(use.getOwner());
        if (it != step.ops.end() && !it->second.update)
          add(v, it->second.operand(mesh, use.getOperandNumber()));
      }
    }
    llvm::erase_if(list, [&](const AxisChoices::Candidate &c) {
      return sameFactors(c.factors, op.factors);
    });
    if (list.empty())
      return std::nullopt;
    Move best;
    double now = costOf(step, mesh, operation, op);
    for (AxisChoices::Candidate &candidate : list) {
      OpSharding tried{op.rule, candidate.factors};
      double gain = now - costOf(step, mesh, operation, tried);
      if (gain > best.gain ||
          (gain == best.gain && gain > 0 && candidate.factor < best.factor))
        best = {gain, candidate.factor, std::move(candidate.factors)};
    }
    // Sums in another order may differ slightly: a tiny gain counts as none.
    if (best.gain <= 1e-6 * now)
      return std::nullopt;
    return best;
  }

  Block &block;
  const AxisChoices &choices;
  const MeshAxes &mesh;
  unsigned axis;
  StepSharding &step;
};
} // namespace

void distribute::improveSharding(Block &block, const AxisChoices &choices,
                                 StepSharding &step) {
  Improvement improvement(block, choices, step);
  improvement.moveOps();
  if (improvement.moveClusters())
    improvement.moveOps();
}
