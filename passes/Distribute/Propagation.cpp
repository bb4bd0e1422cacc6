// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sharding propagation: one mesh axis at a time, in rounds. In a round every op
// beside a value that got the axis in the round before chooses the factor that
// carries it, and proposes the dims of that factor to its other operands and
// results; then all proposals are applied at once. So a round depends on the
// graph, not on the order of its ops, and every op and value is settled once:
// the work is linear. Conflicts at an op are decided by the bytes that agree
// (the others will be resharded), at a value by the number of ops that ask;
// ties by the lowest factor or dim. After GSPMD (Xu et al., 2021) and Shardy's
// factor propagation.
#include "passes/Distribute/Propagation.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using train::FactorRule;

static AxisList partialAxes(const OpSharding &op, unsigned result,
                            train::ReduceKind &kind) {
  AxisList axes;
  for (auto [factor, list] : llvm::zip_equal(op.rule.factors, op.axes)) {
    if (factor.kind != FactorRule::Kind::Reduce || list.empty())
      continue;
    axes.append(list);
    kind = factor.reduction;
  }
  llvm::sort(axes);
  return axes;
}

Placement OpSharding::operand(const MeshAxes &mesh, unsigned i) const {
  return {*mesh.toDims(rule, rule.operands[i], axes), {}};
}

Placement OpSharding::result(const MeshAxes &mesh, unsigned i) const {
  Placement placement{*mesh.toDims(rule, rule.results[i], axes), {}};
  placement.partial = partialAxes(*this, i, placement.reduction);
  return placement;
}

bool OpSharding::uses(unsigned axis) const {
  return llvm::any_of(axes, [&](const AxisList &list) {
    return llvm::is_contained(list, axis);
  });
}

namespace {
class AxisPropagation {
public:
  AxisPropagation(const MeshAxes &mesh, StepSharding &step,
                  DenseMap<Value, DimAxes> &dims, unsigned axis)
      : mesh(mesh), step(step), dims(dims), axis(axis) {}

  void run(Block &block) {
    SmallVector<Value> frontier;
    auto seed = [&](Value v) {
      if (holds(dims.lookup(v)))
        frontier.push_back(v);
    };
    for (Value argument : block.getArguments())
      seed(argument);
    for (Operation &op : block)
      for (Value result : op.getResults())
        seed(result);
    while (!frontier.empty())
      frontier = round(frontier);
  }

private:
  bool holds(ArrayRef<AxisList> lists) const {
    return llvm::any_of(lists, [&](const AxisList &list) {
      return llvm::is_contained(list, axis);
    });
  }

  // The factor on which `axis` falls in a tensor sharded so; nullopt if none
  // may carry it.
  std::optional<unsigned> factorOf(const OpSharding &op,
                                   const FactorRule::Tensor &tensor,
                                   ArrayRef<AxisList> lists) const {
    FactorAxes axes(op.rule.factors.size());
    if (!mesh.toFactors(op.rule, tensor, lists, axes))
      return std::nullopt;
    for (auto [factor, list] : llvm::enumerate(axes))
      if (llvm::is_contained(list, axis) &&
          op.rule.factors[factor].kind != FactorRule::Kind::Replicate)
        return factor;
    return std::nullopt;
  }

  // Whether all tensors of the op can be written down with `axis` on `factor`
  // too.
  bool fits(const OpSharding &op, unsigned factor) const {
    const FactorRule::Factor &f = op.rule.factors[factor];
    if (f.size % (mesh.shards(op.axes[factor]) * mesh.sizeOf(axis)) != 0)
      return false;
    for (auto [other, list] : llvm::zip_equal(op.rule.factors, op.axes))
      if (f.kind == FactorRule::Kind::Reduce &&
          other.kind == FactorRule::Kind::Reduce && !list.empty() &&
          other.reduction != f.reduction)
        return false; // a value is partial under one reduction
    FactorAxes axes = op.axes;
    axes[factor].push_back(axis);
    auto writable = [&](const FactorRule::Tensor &tensor) {
      return mesh.toDims(op.rule, tensor, axes).has_value();
    };
    return llvm::all_of(op.rule.operands, writable) &&
           llvm::all_of(op.rule.results, writable);
  }

  // Settles where the op carries the axis; false if it does not or did before.
  bool settle(Operation *operation, OpSharding &op) {
    if (op.uses(axis))
      return false;
    SmallVector<double> agree(op.rule.factors.size(), 0);
    auto vote = [&](Value v, const FactorRule::Tensor &tensor) {
      auto it = dims.find(v);
      if (it == dims.end() || !holds(it->second))
        return;
      if (std::optional<unsigned> factor = factorOf(op, tensor, it->second))
        agree[*factor] += bytesOf(v);
    };
    for (auto [v, tensor] :
         llvm::zip_equal(operation->getOperands(), op.rule.operands))
      vote(v, tensor);
    for (auto [v, tensor] :
         llvm::zip_equal(operation->getResults(), op.rule.results))
      vote(v, tensor);
    int best = -1;
    for (auto [factor, bytes] : llvm::enumerate(agree))
      if (bytes > 0 && (best < 0 || bytes > agree[best]) && fits(op, factor))
        best = factor;
    if (best < 0)
      return false;
    op.axes[best].push_back(axis);
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
      auto propose = [&](Value v, const FactorRule::Tensor &tensor) {
        if (step.fixed.contains(v) || holds(dims.lookup(v)))
          return;
        DimAxes wanted = *mesh.toDims(op.rule, tensor, op.axes);
        for (auto [d, list] : llvm::enumerate(wanted))
          if (llvm::is_contained(list, axis)) {
            auto &votes = proposals[v];
            votes.resize(wanted.size());
            ++votes[d];
          }
      };
      for (auto [v, tensor] :
           llvm::zip_equal(operation->getOperands(), op.rule.operands))
        propose(v, tensor);
      for (auto [v, tensor] :
           llvm::zip_equal(operation->getResults(), op.rule.results))
        propose(v, tensor);
    }
    SmallVector<Value> next;
    for (auto &[v, votes] : proposals) {
      unsigned best = llvm::max_element(votes) - votes.begin();
      DimAxes &lists = dims[v];
      lists.resize(rankOf(v));
      lists[best].push_back(axis);
      next.push_back(v);
    }
    return next;
  }

  const MeshAxes &mesh;
  StepSharding &step;
  DenseMap<Value, DimAxes> &dims;
  unsigned axis;
};
} // namespace

void dist::propagate(Block &block, const MeshAxes &mesh, StepSharding &step) {
  for (Operation &op : block)
    if (auto shardable = dyn_cast<train::ShardableOpInterface>(op)) {
      OpSharding sharding{shardable.getFactorRule(), {}};
      sharding.axes.resize(sharding.rule.factors.size());
      step.ops.try_emplace(&op, std::move(sharding));
    }
  DenseMap<Value, DimAxes> dims = step.fixed;
  for (unsigned axis = 0; axis < mesh.size(); ++axis)
    if (mesh.sizeOf(axis) > 1)
      AxisPropagation(mesh, step, dims, axis).run(block);
}
