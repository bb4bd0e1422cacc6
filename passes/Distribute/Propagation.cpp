// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sharding propagation: one mesh axis at a time, in rounds. In a round every op
// beside a value that got the axis in the round before chooses the factor that
// carries it, and proposes the dims of that factor to its other operands and
// results; then all proposals are applied at once. So a round depends on the
// graph, not on the order of its ops, and every op and value is settled once:
// the work is linear. The batch is carried first, then what parameters and
// annotations say. Conflicts are decided by the bytes that would move.
// Then local search moves ops where that saves bytes (ImproveSharding.h). After
// GSPMD (Xu et al., 2021) and Shardy's factor propagation.
#include "passes/Distribute/Propagation.h"
#include "dialects/Train/AttributeNames.h"
#include "passes/Distribute/ExplainOrigins.h"
#include "passes/Distribute/ImproveSharding.h"
#include "passes/Distribute/PlacementCost.h"
#include "passes/Distribute/Window.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using train::FactorRule;

static bool mentions(const FactorRule::Tensor &tensor, unsigned factor) {
  return llvm::any_of(tensor, [&](const FactorRule::Dim &dim) {
    return llvm::is_contained(dim, factor);
  });
}

Placement OpSharding::operand(const MeshAxes &mesh, unsigned i) const {
  return *mesh.toDims(rule, rule.operands[i], factors);
}

Placement OpSharding::result(const MeshAxes &mesh, unsigned i) const {
  Placement placement = *mesh.toDims(rule, rule.results[i], factors);
  for (auto [f, own] : llvm::enumerate(factors)) {
    const FactorRule::Factor &factor = rule.factors[f];
    if (factor.kind != FactorRule::Kind::Reduce || own.axes.empty() ||
        mentions(rule.results[i], f))
      continue;
    placement.partial.append(own.axes);
    placement.reduction = factor.reduction;
  }
  llvm::sort(placement.partial);
  return placement;
}

bool OpSharding::uses(unsigned axis) const {
  return llvm::any_of(factors, [&](const FactorShards &own) {
    return llvm::is_contained(own.axes, axis);
  });
}

void dist::collectRules(Block &block, StepSharding &step) {
  step.rules = std::make_shared<std::deque<FactorRule>>();
  step.keys = std::make_shared<OpKeys>(block);
  for (Operation &op : block)
    if (auto shardable = dyn_cast<train::ShardableOpInterface>(op)) {
      step.rules->push_back(shardable.getFactorRule());
      const FactorRule &rule = step.rules->back();
      step.ops.try_emplace(&op, OpSharding{rule, wholeFactors(rule)});
    }
}

namespace {
class AxisPropagation {
public:
  AxisPropagation(Block &block, const MeshAxes &mesh, const Units &units,
                  StepSharding &step, DenseMap<Value, Placement> &known,
                  unsigned axis)
      : block(block), mesh(mesh), units(units), step(step), known(known),
        axis(axis), choices(mesh, units, axis) {}

  void run() {
    // The batch of inputs first.
    bool isBatch = llvm::is_contained(step.batchAxes, axis);
    auto seedsWhere = [&](bool batch) {
      SmallVector<Value> frontier;
      for (BlockArgument argument : block.getArguments()) {
        auto it = step.seeds.find(argument);
        if (it == step.seeds.end() || !it->second.uses(axis))
          continue;
        bool first = isBatch && !it->second.dims.empty() &&
                     llvm::is_contained(it->second.dims[0], axis) &&
                     !step.open.contains(argument) && isInput(argument);
        if (first == batch)
          frontier.push_back(argument);
      }
      return frontier;
    };
    mayOpen = false;
    spread(seedsWhere(true));
    mayOpen = true;
    SmallVector<Value> rest = seedsWhere(false);
    for (Operation &op : block) {
      auto it = step.ops.find(&op);
      if (it == step.ops.end() || it->second.update || !it->second.uses(axis) ||
          !(it->second.fixed || isa<train::ShardingConstraintOp>(op)))
        continue;
      for (auto [i, v] : llvm::enumerate(op.getResults()))
        if (note(v, it->second.result(mesh, i)))
          rest.push_back(v);
      for (auto [i, v] : llvm::enumerate(op.getOperands()))
        if (note(v, it->second.operand(mesh, i)))
          rest.push_back(v);
    }
    spread(rest);
    improveSharding(block, choices, step);
    if (llvm::is_contained(step.sequenceAxes, axis))
      shardSequence();
  }

private:
  static bool isInput(BlockArgument argument) {
    auto func = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
    return func && func.getArgAttr(argument.getArgNumber(), zcc::inputAttrName);
  }

  // Sequence parallelism (Korthikanti et al., 2022): what stands between sums
  // over the axis and does not carry it may have shards of the sequence; each
  // sum is scattered, and gathered before the next op that needs it whole. Kept
  // if that moves no more than the sums did.
  void shardSequence() {
    double before = totalCost(step, mesh, block);
    DenseMap<Value, Placement> knownBefore = known;
    SmallVector<Value> frontier;
    for (Operation &op : block) {
      auto it = step.ops.find(&op);
      if (it == step.ops.end() || it->second.update)
        continue;
      for (auto [i, v] : llvm::enumerate(op.getResults())) {
        auto sequence = step.sequenceDims.find(v);
        Placement result = it->second.result(mesh, i);
        if (sequence == step.sequenceDims.end() ||
            !llvm::is_contained(result.partial, axis))
          continue;
        unsigned d = sequence->second;
        Placement scattered(train::shapeOf(v));
        scattered.dims[d].push_back(axis);
        bool free = llvm::all_of(result.dims[d], [&](unsigned other) {
          return llvm::is_contained(step.sequenceAxes, other);
        });
        if (free &&
            train::shapeOf(v)[d] % mesh.shards(step.sequenceAxes) == 0 &&
            note(v, scattered))
          frontier.push_back(v);
      }
    }
    if (frontier.empty())
      return;
    SmallVector<std::pair<Operation *, FactorPlacement>> others;
    for (Operation &op : block) {
      auto it = step.ops.find(&op);
      if (it != step.ops.end() && !it->second.uses(axis))
        others.push_back({&op, it->second.factors});
    }
    DenseMap<Value, Placement> seeds = step.seeds;
    // No improvement: products would take the sequence too, and gather the
    // parameters that the axis is to shard.
    spread(frontier);
    // What scalars move is not worth the memory.
    double after = totalCost(step, mesh, block);
    bool kept = after <= before * (1 + 1e-3);
    if (step.origins) {
      step.origins->sequence.push_back({axis, before, after, kept});
      for (Value v : frontier)
        if (kept)
          step.origins->note(v, axis, {Origin::Sequence});
    }
    if (kept)
      return;
    for (auto &[op, factors] : others)
      step.ops.find(op)->second.factors = std::move(factors);
    step.seeds = std::move(seeds);
    known = std::move(knownBefore);
  }

  void spread(SmallVector<Value> frontier) {
    while (!frontier.empty())
      frontier = round(frontier);
  }

  // Takes down where a value lives; false if that was known.
  bool note(Value v, const Placement &placement) {
    if (step.seeds.contains(v) || !placement.uses(axis))
      return false;
    Placement &own =
        known.try_emplace(v, Placement(train::shapeOf(v))).first->second;
    if (own.uses(axis))
      return false;
    for (auto [d, list] : llvm::enumerate(placement.dims))
      if (llvm::is_contained(list, axis)) {
        own.dims[d].push_back(axis);
        own.extents[d] =
            mesh.pad(train::shapeOf(v)[d], units.of(v, d), own.dims[d]);
      }
    return true;
  }

  // Settles where the op carries the axis; false if it does not or did before.
  bool settle(Operation *operation, OpSharding &op) {
    // Annotations are of devices: microbatches divide what they divide.
    if (op.update || (op.fixed && !mesh.isTemporal(axis)) || op.uses(axis))
      return false;
    auto at = [&](Value v) -> const Placement * {
      auto it = known.find(v);
      return it == known.end() ? nullptr : &it->second;
    };
    SmallVector<AxisChoices::Candidate> list =
        choices.candidates(operation, op, at);
    if (list.empty())
      return false;
    if (list.size() == 1) {
      op.factors = std::move(list.front().factors);
      return true;
    }
    const AxisChoices::Candidate *best = nullptr;
    double least = 0;
    for (const AxisChoices::Candidate &candidate : list) {
      OpSharding tried{op.rule, candidate.factors};
      double cost = haloBytes(operation, mesh, tried);
      for (auto [i, v] : llvm::enumerate(operation->getOperands()))
        if (const Placement *from = at(v))
          cost += moveCost(v, mesh, *from, tried.operand(mesh, i));
      for (auto [i, v] : llvm::enumerate(operation->getResults())) {
        Placement result = tried.result(mesh, i), to = result;
        to.partial.clear();
        if (const Placement *user = at(v))
          to = *user;
        cost += moveCost(v, mesh, result, to);
      }
      if (!best || cost < least ||
          (cost == least && std::tie(best->bytes, candidate.factor) <
                                std::tie(candidate.bytes, best->factor))) {
        best = &candidate;
        least = cost;
      }
    }
    op.factors = best->factors;
    return true;
  }

  // From which of its neighbors the op has the axis.
  void noteSource(Operation *operation, const OpSharding &op) const {
    if (!step.origins)
      return;
    auto note = [&](Value v, const Placement &own) {
      auto it = known.find(v);
      if (it == known.end())
        return false;
      for (auto [mine, its] : llvm::zip_equal(own.dims, it->second.dims))
        if (llvm::is_contained(mine, axis) && llvm::is_contained(its, axis)) {
          step.origins->note(operation, axis, {Origin::Carried, "", v});
          return true;
        }
      return false;
    };
    for (auto [i, v] : llvm::enumerate(operation->getOperands()))
      if (note(v, op.operand(mesh, i)))
        return;
    for (auto [i, v] : llvm::enumerate(operation->getResults()))
      if (note(v, op.result(mesh, i)))
        return;
  }

  SmallVector<Value> round(ArrayRef<Value> frontier) {
    SetVector<Operation *> beside;
    for (Value v : frontier) {
      if (Operation *op = v.getDefiningOp())
        beside.insert(op);
      beside.insert_range(v.getUsers());
    }
    llvm::MapVector<Value, SmallVector<unsigned>>
        proposals; // value: votes by dim
    for (Operation *operation : beside) {
      auto it = step.ops.find(operation);
      if (it == step.ops.end() || !settle(operation, it->second))
        continue;
      OpSharding &op = it->second;
      noteSource(operation, op);
      auto propose = [&](Value v, const Placement &wanted) {
        if (step.seeds.contains(v) && !(mayOpen && step.open.contains(v)))
          return;
        if (auto own = known.find(v);
            own != known.end() && own->second.uses(axis))
          return;
        for (auto [d, list] : llvm::enumerate(wanted.dims))
          if (llvm::is_contained(list, axis)) {
            auto &votes = proposals[v];
            votes.resize(wanted.dims.size());
            ++votes[d];
            if (step.origins && !step.origins->find(v, axis))
              step.origins->note(v, axis,
                                 {Origin::Carried, "", {}, operation});
          }
      };
      for (auto [i, v] : llvm::enumerate(operation->getOperands()))
        propose(v, op.operand(mesh, i));
      for (auto [i, v] : llvm::enumerate(operation->getResults()))
        propose(v, op.result(mesh, i));
    }
    SmallVector<Value> next;
    for (auto &[v, votes] : proposals) {
      unsigned best = llvm::max_element(votes) - votes.begin();
      Placement &own =
          known.try_emplace(v, Placement(train::shapeOf(v))).first->second;
      own.dims[best].push_back(axis);
      own.extents[best] =
          mesh.pad(train::shapeOf(v)[best], units.of(v, best), own.dims[best]);
      if (step.open.contains(v))
        step.seeds[v] = own;
      next.push_back(v);
    }
    return next;
  }

  Block &block;
  const MeshAxes &mesh;
  const Units &units;
  StepSharding &step;
  DenseMap<Value, Placement> &known;
  unsigned axis;
  AxisChoices choices;
  bool mayOpen = false; // open arguments take axes
};
} // namespace

void dist::propagate(Block &block, const MeshAxes &mesh, const Units &units,
                     StepSharding &step) {
  DenseMap<Value, Placement> known = step.seeds;
  SmallVector<unsigned> order(step.batchAxes.begin(), step.batchAxes.end());
  for (unsigned axis = 0; axis < mesh.size(); ++axis)
    if (!llvm::is_contained(order, axis))
      order.push_back(axis);
  for (unsigned axis : order)
    if (mesh.sizeOf(axis) > 1)
      AxisPropagation(block, mesh, units, step, known, axis).run();
}
