// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sharding propagation: one mesh axis at a time, in rounds. In a round every op
// beside a value that got the axis in the round before chooses the factor that
// carries it, and proposes the dims of that factor to its other operands and
// results; then all proposals are applied at once. So a round depends on the
// graph, not on the order of its ops, and every op and value is settled once:
// the work is linear. The batch is carried first, then what parameters and
// annotations say. Conflicts are decided by the bytes that would move.
//
// Then ops move from one of their neighbors' factors to another's while that
// saves bytes: in a round, those that save more than each of their neighbors
// would. What is elementwise between two products gains nothing before all of it
// moves, so such clusters are tried as a whole. After GSPMD (Xu et al., 2021),
// Shardy's factor propagation, and local search on cut costs.
#include "passes/Distribute/Propagation.h"
#include "dialects/Train/AttributeNames.h"
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
  for (Operation &op : block)
    if (auto shardable = dyn_cast<train::ShardableOpInterface>(op)) {
      OpSharding sharding{shardable.getFactorRule(), {}};
      sharding.factors = wholeFactors(sharding.rule);
      step.ops.try_emplace(&op, std::move(sharding));
    }
}

double dist::moveCost(Value v, const MeshAxes &mesh, const Placement &from,
                      const Placement &to) {
  // Any device can make a constant.
  if (from == to || v.getDefiningOp<train::ConstantOp>())
    return 0;
  constexpr int nowhere = -1, partial = -2;
  auto where = [&](const Placement &p, unsigned axis) {
    for (auto [d, list] : llvm::enumerate(p.dims))
      if (llvm::is_contained(list, axis))
        return static_cast<int>(d);
    return llvm::is_contained(p.partial, axis) ? partial : nowhere;
  };
  double whole = bytesOf(v), cost = 0;
  bool any = false;
  for (unsigned axis = 0; axis < mesh.size(); ++axis) {
    double k = static_cast<double>(mesh.sizeOf(axis));
    int a = where(from, axis), b = where(to, axis);
    if (k == 1 || a == b)
      continue;
    any = true;
    double bytes = whole; // on a device, but for this axis
    for (const AxisList &list : to.dims)
      for (unsigned other : list)
        if (other != axis)
          bytes /= static_cast<double>(mesh.sizeOf(other));
    if (mesh.isTemporal(axis)) {
      // What other microbatches compute cannot be had.
      if (a >= 0 && b != a)
        cost += 1e30;
      continue;
    }
    bytes *= (k - 1) / k;
    if (a == partial)
      cost += b == nowhere ? 2 * bytes : bytes;
    else if (a >= 0)
      cost += b >= 0 ? bytes / k : bytes;
  }
  return any ? cost : whole; // another order of axes, or another padding
}

namespace {
class AxisPropagation {
public:
  AxisPropagation(Block &block, const MeshAxes &mesh, const Units &units,
                  StepSharding &step, DenseMap<Value, Placement> &known,
                  unsigned axis)
      : block(block), mesh(mesh), units(units), step(step), known(known),
        axis(axis) {}

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
                     !step.open.contains(argument) &&
                     isInput(argument);
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
      if (it == step.ops.end() || it->second.update ||
          !it->second.uses(axis) ||
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
    improve();
    if (moveClusters())
      improve();
    if (step.sequenceAxis == axis)
      shardSequence();
  }

private:
  static bool isInput(BlockArgument argument) {
    auto func = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
    return func && func.getArgAttr(argument.getArgNumber(), zcc::inputAttrName);
  }

  double totalCost() const {
    double cost = 0;
    for (Operation &op : block) {
      auto it = step.ops.find(&op);
      if (it != step.ops.end() && !it->second.update)
        cost += costOf(&op, it->second);
    }
    return cost;
  }

  // Sequence parallelism (Korthikanti et al., 2022): what stands between sums
  // over the axis and does not carry it may have shards of the sequence; each
  // sum is scattered, and gathered before the next op that needs it whole. Kept
  // if that moves no more than the sums did.
  void shardSequence() {
    double before = totalCost();
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
        if (result.dims[d].empty() &&
            train::shapeOf(v)[d] % mesh.sizeOf(axis) == 0 &&
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
    if (totalCost() <= before * (1 + 1e-9))
      return;
    for (auto &[op, factors] : others)
      step.ops.find(op)->second.factors = std::move(factors);
    step.seeds = std::move(seeds);
  }

  void spread(SmallVector<Value> frontier) {
    while (!frontier.empty())
      frontier = round(frontier);
  }

  // Takes down where a value lives; false if that was known.
  bool note(Value v, const Placement &placement) {
    if (step.seeds.contains(v) || !placement.uses(axis))
      return false;
    Placement &own = known.try_emplace(v, Placement(train::shapeOf(v)))
                         .first->second;
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

  // The factor on which `axis` falls in a tensor sharded so; nullopt if none
  // may carry it. `order`: the axes of that factor there.
  std::optional<unsigned> factorOf(const OpSharding &op,
                                   const FactorRule::Tensor &tensor,
                                   const Placement &placement,
                                   AxisList &order) const {
    FactorPlacement factors = wholeFactors(op.rule);
    if (mesh.toFactors(op.rule, tensor, placement, factors)) {
      for (auto [factor, own] : llvm::enumerate(factors))
        if (llvm::is_contained(own.axes, axis) &&
            op.rule.factors[factor].kind != FactorRule::Kind::Replicate) {
          order = own.axes;
          return factor;
        }
      return std::nullopt;
    }
    // The padding is not the op's: the major factor may still carry the axis.
    for (auto [dim, list] : llvm::zip_equal(tensor, placement.dims))
      if (llvm::is_contained(list, axis) && !dim.empty() &&
          op.rule.factors[dim.front()].kind != FactorRule::Kind::Replicate) {
        order = list;
        return dim.front();
      }
    return std::nullopt;
  }

  // The op with `axis` on `factor` too; nullopt if a tensor of it cannot be
  // written down.
  std::optional<FactorPlacement> with(Operation *operation,
                                      const OpSharding &op, unsigned factor,
                                      ArrayRef<unsigned> order) const {
    const FactorRule::Factor &f = op.rule.factors[factor];
    for (auto [other, own] : llvm::zip_equal(op.rule.factors, op.factors))
      if (f.kind == FactorRule::Kind::Reduce &&
          other.kind == FactorRule::Kind::Reduce && !own.axes.empty() &&
          other.reduction != f.reduction)
        return std::nullopt; // a value is partial under one reduction
    FactorPlacement factors = op.factors;
    AxisList &axes = factors[factor].axes;
    axes.push_back(axis);
    // In the order in which the neighbor has them.
    llvm::stable_sort(axes, [&](unsigned a, unsigned b) {
      return llvm::find(order, a) < llvm::find(order, b);
    });
    factors[factor].padded =
        mesh.pad(f.size, units.of(operation, op.rule, factor), axes);
    auto writable = [&](const FactorRule::Tensor &tensor) {
      return mesh.toDims(op.rule, tensor, factors).has_value();
    };
    if (!llvm::all_of(op.rule.operands, writable) ||
        !llvm::all_of(op.rule.results, writable))
      return std::nullopt;
    return factors;
  }

  struct Candidate {
    unsigned factor;
    FactorPlacement factors;
    double bytes = 0; // of the values that have it so
  };
  // What the op may do to have the axis as one of its neighbors has it; `at`
  // gives the neighbors' placements, null where nothing is known.
  SmallVector<Candidate>
  candidates(Operation *operation, const OpSharding &op,
             function_ref<const Placement *(Value)> at) const {
    SmallVector<Candidate> list;
    auto look = [&](Value v, const FactorRule::Tensor &tensor) {
      const Placement *placement = at(v);
      if (!placement || !placement->uses(axis))
        return;
      AxisList order;
      std::optional<unsigned> factor = factorOf(op, tensor, *placement, order);
      if (!factor)
        return;
      auto *it = llvm::find_if(
          list, [&](const Candidate &c) { return c.factor == *factor; });
      if (it == list.end()) {
        auto factors = with(operation, op, *factor, order);
        if (!factors)
          return;
        list.push_back({*factor, *factors});
        it = &list.back();
      }
      it->bytes += bytesOf(v);
    };
    for (auto [v, tensor] :
         llvm::zip_equal(operation->getOperands(), op.rule.operands))
      look(v, tensor);
    for (auto [v, tensor] :
         llvm::zip_equal(operation->getResults(), op.rule.results))
      look(v, tensor);
    return list;
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
    SmallVector<Candidate> list = candidates(operation, op, at);
    if (list.empty())
      return false;
    if (list.size() == 1) {
      op.factors = std::move(list.front().factors);
      return true;
    }
    const Candidate *best = nullptr;
    double least = 0;
    for (const Candidate &candidate : list) {
      OpSharding tried{op.rule, candidate.factors};
      double cost = 0;
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
          (cost == least &&
           std::tie(best->bytes, candidate.factor) <
               std::tie(candidate.bytes, best->factor))) {
        best = &candidate;
        least = cost;
      }
    }
    op.factors = best->factors;
    return true;
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
      Placement &own = known.try_emplace(v, Placement(train::shapeOf(v)))
                           .first->second;
      own.dims[best].push_back(axis);
      own.extents[best] = mesh.pad(train::shapeOf(v)[best], units.of(v, best),
                                   own.dims[best]);
      if (step.open.contains(v))
        step.seeds[v] = own;
      next.push_back(v);
    }
    return next;
  }

  // ------------------------------------------------------------ improvement

  Placement produced(Value v) const {
    if (auto result = dyn_cast<OpResult>(v)) {
      auto it = step.ops.find(result.getOwner());
      if (it != step.ops.end())
        return it->second.result(mesh, result.getResultNumber());
      return Placement(train::shapeOf(v));
    }
    auto it = step.seeds.find(v);
    return it == step.seeds.end() ? Placement(train::shapeOf(v)) : it->second;
  }

  // What it costs to bring a value to all who read it.
  double costOf(Value v) const {
    Placement from = produced(v);
    double cost = 0;
    SmallVector<Placement> seen;
    for (OpOperand &use : v.getUses()) {
      auto it = step.ops.find(use.getOwner());
      if (it == step.ops.end() || it->second.update)
        continue;
      Placement to = it->second.operand(mesh, use.getOperandNumber());
      if (llvm::is_contained(seen, to))
        continue;
      seen.push_back(to);
      cost += moveCost(v, mesh, from, to);
    }
    return cost;
  }

  static bool isLight(Operation *op) {
    return op->hasTrait<train::ElementwiseOp>() ||
           op->hasTrait<train::DataMovementOp>() || isa<train::ReduceOp>(op);
  }

  // The op with the axis where `placement` of the neighboring value `v` has it.
  std::optional<FactorPlacement> following(Operation *operation,
                                           const OpSharding &op, Value v,
                                           const Placement &placement) const {
    OpSharding bare = without(operation, op);
    auto at = [&](Value other) -> const Placement * {
      return other == v ? &placement : nullptr;
    };
    SmallVector<Candidate> list = candidates(operation, bare, at);
    if (list.empty())
      return std::nullopt;
    return std::move(list.front().factors);
  }

  // Moves the light ops around `first` to what `v` has, as far as they can
  // follow; undone if that saves nothing.
  bool moveCluster(Operation *first, Value v, const Placement &placement) {
    constexpr unsigned mostOps = 1024;
    llvm::MapVector<Operation *, FactorPlacement> before;
    SetVector<Value> values;
    SmallVector<std::pair<Operation *, FactorPlacement>> work;
    auto offer = [&](Operation *op, Value from, const Placement &wanted) {
      auto it = step.ops.find(op);
      if (it == step.ops.end() || it->second.fixed || it->second.update ||
          !it->second.uses(axis) || !isLight(op) || before.contains(op))
        return;
      auto factors = following(op, it->second, from, wanted);
      if (!factors || sameFactors(*factors, it->second.factors))
        return;
      before[op] = it->second.factors;
      for (Value operand : op->getOperands())
        values.insert(operand);
      for (Value result : op->getResults())
        values.insert(result);
      work.push_back({op, std::move(*factors)});
    };
    SmallVector<std::pair<Operation *, FactorPlacement>> after;
    offer(first, v, placement);
    while (!work.empty() && before.size() < mostOps) {
      auto [op, factors] = work.pop_back_val();
      OpSharding moved{step.ops.find(op)->second.rule, factors};
      for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
        Placement wanted = moved.operand(mesh, i);
        if (Operation *source = operand.getDefiningOp())
          offer(source, operand, wanted);
        for (Operation *user : operand.getUsers())
          offer(user, operand, wanted);
      }
      for (auto [i, result] : llvm::enumerate(op->getResults()))
        for (Operation *user : result.getUsers())
          offer(user, result, moved.result(mesh, i));
      after.push_back({op, std::move(factors)});
    }
    if (!work.empty() || after.empty())
      return false;
    auto total = [&]() {
      double cost = 0;
      for (Value value : values)
        cost += costOf(value);
      return cost;
    };
    double now = total();
    for (auto &[op, factors] : after)
      step.ops.find(op)->second.factors = std::move(factors);
    if (total() < now * (1 - 1e-6))
      return true;
    for (auto &[op, factors] : before)
      step.ops.find(op)->second.factors = std::move(factors);
    return false;
  }

  static bool sameFactors(ArrayRef<FactorShards> a, ArrayRef<FactorShards> b) {
    return llvm::equal(a, b, [](const FactorShards &x, const FactorShards &y) {
      return x.axes == y.axes && x.padded == y.padded;
    });
  }

  // Wherever a value changes hands differently sharded, beside a light op.
  bool moveClusters() {
    bool any = false;
    for (Operation &op : block) {
      auto it = step.ops.find(&op);
      if (it == step.ops.end() || it->second.update || !it->second.uses(axis))
        continue;
      for (auto [i, v] : llvm::enumerate(op.getOperands())) {
        auto source = v.getDefiningOp() ? step.ops.find(v.getDefiningOp())
                                        : step.ops.end();
        if (source == step.ops.end() || !source->second.uses(axis))
          continue;
        Placement has = produced(v), wants = it->second.operand(mesh, i);
        if (has.dims == wants.dims)
          continue;
        if (isLight(&op))
          any |= moveCluster(&op, v, has);
        else if (isLight(v.getDefiningOp()))
          any |= moveCluster(v.getDefiningOp(), v, wants);
      }
    }
    return any;
  }

  double costOf(Operation *operation, const OpSharding &op) const {
    double cost = 0;
    for (auto [i, v] : llvm::enumerate(operation->getOperands()))
      cost += moveCost(v, mesh, produced(v), op.operand(mesh, i));
    for (auto [i, v] : llvm::enumerate(operation->getResults())) {
      Placement from = op.result(mesh, i);
      SmallVector<Placement> seen;
      for (OpOperand &use : v.getUses()) {
        auto it = step.ops.find(use.getOwner());
        Placement to(train::shapeOf(v));
        if (it != step.ops.end() && !it->second.update) {
          to = it->second.operand(mesh, use.getOperandNumber());
        } else if (auto parameter = step.parameterOf.find(v);
                   parameter != step.parameterOf.end()) {
          to = produced(parameter->second);
        } else {
          to = from;
          to.partial.clear();
        }
        if (llvm::is_contained(seen, to))
          continue;
        seen.push_back(to);
        cost += moveCost(v, mesh, from, to);
      }
    }
    return cost;
  }

  OpSharding without(Operation *operation, const OpSharding &op) const {
    OpSharding bare = op;
    for (auto [f, own] : llvm::enumerate(bare.factors)) {
      if (!llvm::is_contained(own.axes, axis))
        continue;
      llvm::erase(own.axes, axis);
      own.padded = mesh.pad(op.rule.factors[f].size,
                            units.of(operation, op.rule, f), own.axes);
    }
    return bare;
  }

  struct Move {
    double gain = 0;
    FactorPlacement factors;
  };
  std::optional<Move> bestMove(Operation *operation,
                               const OpSharding &op) const {
    if (op.fixed || op.rule.factors.size() < 2)
      return std::nullopt;
    // Neighbors' shards, as this op sees them.
    OpSharding bare = without(operation, op);
    SmallVector<Candidate> list;
    auto add = [&](Value v, const Placement &placement) {
      auto at = [&](Value other) -> const Placement * {
        return other == v ? &placement : nullptr;
      };
      for (Candidate &c : candidates(operation, bare, at))
        if (llvm::none_of(list, [&](const Candidate &known) {
              return known.factor == c.factor;
            }))
          list.push_back(std::move(c));
    };
    for (Value v : operation->getOperands())
      add(v, produced(v));
    for (Value v : operation->getResults()) {
      if (auto parameter = step.parameterOf.find(v);
          parameter != step.parameterOf.end())
        add(v, produced(parameter->second));
      for (OpOperand &use : v.getUses()) {
        auto it = step.ops.find(use.getOwner());
        if (it != step.ops.end() && !it->second.update)
          add(v, it->second.operand(mesh, use.getOperandNumber()));
      }
    }
    if (list.size() < 2 && op.uses(axis))
      return std::nullopt;
    Move best;
    double now = costOf(operation, op);
    for (Candidate &candidate : list) {
      OpSharding tried{op.rule, candidate.factors};
      double gain = now - costOf(operation, tried);
      if (gain > best.gain)
        best = {gain, std::move(candidate.factors)};
    }
    // Bytes are summed in another order: what is equal may look a bit less.
    if (best.gain <= 1e-6 * now)
      return std::nullopt;
    return best;
  }

  void improve() {
    DenseMap<Operation *, unsigned> position;
    SetVector<Operation *> work;
    for (auto [i, op] : llvm::enumerate(block)) {
      position[&op] = i;
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
          most &= it->second.gain < gain ||
                  (it->second.gain == gain && position[self] < position[other]);
        });
        if (most)
          chosen.push_back(op);
        else
          work.insert(op);
      }
      for (Operation *op : chosen) {
        step.ops.find(op)->second.factors = std::move(moves[op].factors);
        neighbors(op, [&](Operation *other) {
          auto it = step.ops.find(other);
          if (it != step.ops.end() && !it->second.fixed)
            work.insert(other);
        });
      }
    }
  }

  Block &block;
  const MeshAxes &mesh;
  const Units &units;
  StepSharding &step;
  DenseMap<Value, Placement> &known;
  unsigned axis;
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
