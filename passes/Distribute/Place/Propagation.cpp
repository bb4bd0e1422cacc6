// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sharding propagation: one mesh axis at a time, in rounds. In a round, every
// op beside a value that got the axis in the round before chooses the factor
// that carries it, and proposes the dims of that factor to its other operands
// and results. Then all proposals are applied at once. So a round depends on
// the graph, not on the order of its ops. Every op and value is settled once:
// the work is linear. The batch is carried first, then parameters and
// annotations. Conflicts are decided by the bytes that would move. At the end,
// local search moves ops where that saves bytes (ImproveSharding.h). After
// GSPMD (Xu et al., 2021) and Shardy's factor propagation.
#include "passes/Distribute/Place/Propagation.h"
#include "dialects/Train/AttributeNames.h"
#include "passes/Distribute/Estimate/PlacementCost.h"
#include "passes/Distribute/Place/ExplainOrigins.h"
#include "passes/Distribute/Place/ImproveSharding.h"
#include "passes/Distribute/Sharding/PlacedStep.h"
#include "passes/Distribute/Sharding/Window.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;
using train::FactorRule;

// Returns the cost of all ops of the block before the update. Sums are reduced
// where that costs least (Partials.cpp).
static double totalCost(const StepSharding &step, const MeshAxes &mesh,
                        Block &block) {
  Partials partials = placePartials(block, mesh, step);
  PlacedStep placed{mesh, step, partials};
  double cost = 0;
  for (Value argument : block.getArguments())
    cost += costOf(step, mesh, argument);
  for (Operation &op : block) {
    auto it = step.ops.find(&op);
    if (it == step.ops.end() || it->second.update)
      continue;
    cost += haloBytes(&op, mesh, it->second);
    for (Value v : op.getResults()) {
      Placement from = placed.computed(v);
      double own = 0;
      for (const PlacedStep::Demand &demand : placed.demands(v)) {
        // Uses by the update are not counted: it is the same however the step
        // is sharded.
        bool read = llvm::any_of(demand.uses, [&](OpOperand *use) {
          auto user = step.ops.find(use->getOwner());
          return user != step.ops.end() && !user->second.update;
        });
        if (read)
          own += moveCost(v, mesh, from, demand.to);
      }
      if (own != 0)
        cost += own * movedShare(v, from);
    }
  }
  return cost;
}

namespace {
class AxisPropagation {
public:
  AxisPropagation(Block &block, const MeshAxes &mesh, const DimUnits &units,
                  StepSharding &step, DenseMap<Value, Placement> &known,
                  unsigned axis)
      : block(block), mesh(mesh), units(units), step(step), known(known),
        axis(axis), choices(mesh, units, axis) {}

  void run() {
    // Start with the batch of inputs.
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

  // Sequence parallelism (Korthikanti et al., 2022): values between sums over
  // the axis that do not carry it may be sharded along the sequence. Each sum
  // is scattered (only once, if several are added up), and gathered before the
  // next op that needs it whole. The change is kept if it moves no more than
  // the sums did.
  void shardSequence() {
    Journal changes;
    journal = &changes;
    auto scattered = [&](Value v) -> std::optional<Placement> {
      auto sequence = step.sequenceDims.find(v);
      auto op = step.ops.find(v.getDefiningOp());
      if (sequence == step.sequenceDims.end() || op == step.ops.end() ||
          op->second.update)
        return std::nullopt;
      unsigned d = sequence->second;
      Placement has =
          op->second.result(mesh, cast<OpResult>(v).getResultNumber());
      bool free = llvm::all_of(has.dims[d], [&](unsigned other) {
        return llvm::is_contained(step.sequenceAxes, other);
      });
      Placement placement(train::shapeOf(v));
      placement.dims[d].push_back(axis);
      int64_t extent = train::shapeOf(v)[d],
              padded = mesh.pad(extent, units.of(v, d), placement.dims[d]);
      placement.extents[d] = padded;
      // Do not pad much: padding is moved, too.
      constexpr int64_t leastShare = 16;
      if (!free || (padded - extent) * leastShare > extent)
        return std::nullopt;
      return placement;
    };
    ScatteredSums sums = placeScatters(block, mesh, step, axis, [&](Value v) {
      return scattered(v).has_value();
    });
    SmallVector<Value> frontier;
    for (Value v : sums.values)
      if (note(v, *scattered(v)))
        frontier.push_back(v);
    adders = &sums.adders;
    double before = frontier.empty() ? 0 : totalCost(step, mesh, block);
    // There is no local search here: products would take the sequence, too, and
    // gather the parameters that the axis is to shard.
    spread(frontier);
    journal = nullptr;
    adders = nullptr;
    if (frontier.empty())
      return;
    // Tolerate a little: the memory that is saved is worth more than what
    // scalars move.
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
    for (auto &[op, factors] : changes.ops)
      step.ops.find(op)->second.factors = std::move(factors);
    changes.seeds.undo(step.seeds);
    changes.known.undo(known);
  }

  void spread(SmallVector<Value> frontier) {
    while (!frontier.empty())
      frontier = round(frontier);
  }

  // Notes where a value lives; returns false if that was known.
  bool note(Value v, const Placement &placement) {
    if (step.seeds.contains(v) || !placement.uses(axis))
      return false;
    auto [it, isNew] = known.try_emplace(v, Placement(train::shapeOf(v)));
    Placement &own = it->second;
    if (own.uses(axis))
      return false;
    if (journal)
      journal->known.note(v, own, isNew);
    for (auto [d, list] : llvm::enumerate(placement.dims))
      if (llvm::is_contained(list, axis)) {
        own.dims[d].push_back(axis);
        own.extents[d] =
            mesh.pad(train::shapeOf(v)[d], units.of(v, d), own.dims[d]);
      }
    return true;
  }

  // Decides on which factor the op carries the axis. Returns false if it does
  // not carry it, or did before.
  bool settle(Operation *operation, OpSharding &op) {
    // Annotations are about devices: microbatches divide annotated ops, too.
    if (op.update || (op.fixed && !mesh.isTemporal(axis)) || op.uses(axis) ||
        (adders && adders->contains(operation)))
      return false;
    auto at = [&](Value v) -> const Placement * {
      auto it = known.find(v);
      return it == known.end() ? nullptr : &it->second;
    };
    SmallVector<AxisChoices::Candidate> list =
        choices.candidates(operation, op, at);
    if (list.empty())
      return false;
    if (journal)
      journal->ops.push_back({operation, op.factors});
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

  // Notes from which of its neighbors the op has the axis.
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
        proposals; // for each value, the number of votes for each dim
    for (Operation *operation : beside) {
      auto it = step.ops.find(operation);
      if (it == step.ops.end() || !settle(operation, it->second))
        continue;
      OpSharding &op = it->second;
      noteSource(operation, op);
      auto carries = [&](const FactorRule::Dim &dim) {
        return llvm::any_of(dim, [&](unsigned factor) {
          return llvm::is_contained(op.factors[factor].axes, axis);
        });
      };
      auto propose = [&](Value v, const FactorRule::Tensor &wanted) {
        if (step.seeds.contains(v) && !(mayOpen && step.open.contains(v)))
          return;
        if (auto without = step.without.find(v);
            without != step.without.end() &&
            llvm::is_contained(without->second, axis))
          return;
        if (auto own = known.find(v);
            own != known.end() && own->second.uses(axis))
          return;
        for (auto [d, dim] : llvm::enumerate(wanted))
          if (carries(dim)) {
            auto &votes = proposals[v];
            votes.resize(wanted.size());
            ++votes[d];
            if (step.origins && !step.origins->find(v, axis))
              step.origins->note(v, axis, {Origin::Carried, "", {}, operation});
          }
      };
      for (auto [i, v] : llvm::enumerate(operation->getOperands()))
        propose(v, op.rule.operands[i]);
      for (auto [i, v] : llvm::enumerate(operation->getResults()))
        propose(v, op.rule.results[i]);
    }
    SmallVector<Value> next;
    for (auto &[v, votes] : proposals) {
      unsigned best = llvm::max_element(votes) - votes.begin();
      auto [it, isNew] = known.try_emplace(v, Placement(train::shapeOf(v)));
      Placement &own = it->second;
      if (journal)
        journal->known.note(v, own, isNew);
      own.dims[best].push_back(axis);
      own.extents[best] =
          mesh.pad(train::shapeOf(v)[best], units.of(v, best), own.dims[best]);
      if (step.open.contains(v)) {
        auto [seed, isNew] = step.seeds.try_emplace(v, own);
        if (journal)
          journal->seeds.note(v, seed->second, isNew);
        seed->second = own;
      }
      next.push_back(v);
    }
    return next;
  }

  // The changes, so that they can be undone.
  struct Journal {
    struct Placements {
      SmallVector<std::pair<Value, std::optional<Placement>>> before;
      void note(Value v, const Placement &placement, bool isNew) {
        before.emplace_back(v, isNew ? std::nullopt
                                     : std::optional<Placement>(placement));
      }
      void undo(DenseMap<Value, Placement> &map) {
        for (auto &[v, placement] : llvm::reverse(before))
          if (placement)
            map[v] = std::move(*placement);
          else
            map.erase(v);
      }
    };
    SmallVector<std::pair<Operation *, FactorPlacement>> ops;
    Placements known, seeds;
  };

  Block &block;
  const MeshAxes &mesh;
  const DimUnits &units;
  StepSharding &step;
  DenseMap<Value, Placement> &known;
  unsigned axis;
  AxisChoices choices;
  Journal *journal = nullptr;
  // they do not take the sequence
  const DenseSet<Operation *> *adders = nullptr;
  // open arguments may take the axis
  bool mayOpen = false;
};
} // namespace

void distribute::propagate(Block &block, const MeshAxes &mesh,
                           const DimUnits &units, StepSharding &step) {
  DenseMap<Value, Placement> known = step.seeds;
  SmallVector<unsigned> order(step.batchAxes.begin(), step.batchAxes.end());
  for (unsigned axis = 0; axis < mesh.size(); ++axis)
    if (!llvm::is_contained(order, axis))
      order.push_back(axis);
  for (unsigned axis : order)
    if (mesh.sizeOf(axis) > 1)
      AxisPropagation(block, mesh, units, step, known, axis).run();
}
