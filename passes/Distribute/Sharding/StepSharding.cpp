// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Distribute/Sharding/StepSharding.h"
#include "passes/Distribute/Sharding/ValueNames.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;
using train::FactorRule;

static bool mentions(const FactorRule::Tensor &tensor, unsigned factor) {
  return llvm::any_of(tensor, [&](const FactorRule::Dim &dim) {
    return llvm::is_contained(dim, factor);
  });
}

// Does the same as MeshAxes::toDims(), for factors that are known to be
// writable. It is the innermost of all loops, so it allocates nothing it need
// not.
static void place(const FactorRule::Tensor &tensor,
                  ArrayRef<FactorShards> factors, Placement &placement) {
  placement.dims.resize(tensor.size());
  placement.extents.resize(tensor.size(), 1);
  for (auto [dim, list, extent] :
       llvm::zip_equal(tensor, placement.dims, placement.extents))
    for (unsigned factor : dim) {
      extent *= factors[factor].padded;
      list.append(factors[factor].axes);
    }
}

Placement OpSharding::operand(const MeshAxes &, unsigned i) const {
  Placement placement;
  place(rule.operands[i], factors, placement);
  return placement;
}

Placement OpSharding::result(const MeshAxes &, unsigned i) const {
  Placement placement;
  place(rule.results[i], factors, placement);
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

bool OpSharding::isAt(const FactorRule::Tensor &tensor,
                      const Placement &placement) const {
  for (auto [dim, axes, extent] :
       llvm::zip_equal(tensor, placement.dims, placement.extents)) {
    if (dim.size() == 1) {
      const FactorShards &own = factors[dim.front()];
      if (own.padded != extent || own.axes != axes)
        return false;
      continue;
    }
    int64_t padded = 1;
    ArrayRef<unsigned> rest = axes;
    for (unsigned factor : dim) {
      const FactorShards &own = factors[factor];
      padded *= own.padded;
      if (rest.take_front(own.axes.size()) != ArrayRef<unsigned>(own.axes))
        return false;
      rest = rest.drop_front(own.axes.size());
    }
    if (padded != extent || !rest.empty())
      return false;
  }
  return true;
}

bool distribute::sameDims(const OpSharding &a, const FactorRule::Tensor &ofA,
                          const OpSharding &b, const FactorRule::Tensor &ofB) {
  auto look = [](const OpSharding &op, const FactorRule::Dim &dim,
                 AxisList &axes) {
    int64_t padded = 1;
    for (unsigned factor : dim) {
      padded *= op.factors[factor].padded;
      axes.append(op.factors[factor].axes);
    }
    return padded;
  };
  for (auto [x, y] : llvm::zip_equal(ofA, ofB)) {
    if (x.size() == 1 && y.size() == 1) {
      const FactorShards &one = a.factors[x.front()],
                         &other = b.factors[y.front()];
      if (one.padded != other.padded || one.axes != other.axes)
        return false;
      continue;
    }
    AxisList one, other;
    if (look(a, x, one) != look(b, y, other) || one != other)
      return false;
  }
  return true;
}

std::optional<train::ReduceKind> OpSharding::partialOver(unsigned axis,
                                                         unsigned i) const {
  for (auto [f, own] : llvm::enumerate(factors))
    if (llvm::is_contained(own.axes, axis) &&
        rule.factors[f].kind == FactorRule::Kind::Reduce &&
        !mentions(rule.results[i], f))
      return rule.factors[f].reduction;
  return std::nullopt;
}

bool OpSharding::uses(unsigned axis) const {
  return llvm::any_of(factors, [&](const FactorShards &own) {
    return llvm::is_contained(own.axes, axis);
  });
}

void distribute::collectRules(Block &block, StepSharding &step) {
  step.rules = std::make_shared<std::deque<FactorRule>>();
  step.keys = std::make_shared<OpKeys>(block);
  step.ops.reserve(block.getOperations().size());
  for (Operation &op : block)
    if (auto shardable = dyn_cast<train::ShardableOpInterface>(op)) {
      step.rules->push_back(shardable.getFactorRule());
      const FactorRule &rule = step.rules->back();
      step.ops.try_emplace(&op, OpSharding{rule, wholeFactors(rule)});
    }
  auto func = dyn_cast<func::FuncOp>(block.getParentOp());
  if (!func)
    return;
  for (OpOperand &use : block.getTerminator()->getOpOperands())
    if (isArrayResult(func, use.getOperandNumber()))
      step.arrays.insert(&use);
}
