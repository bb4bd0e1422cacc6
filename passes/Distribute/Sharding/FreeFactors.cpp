// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Distribute/Sharding/FreeFactors.h"
#include "dialects/Train/Attention.h"
#include "dialects/Train/Train.h"

using namespace mlir;
using namespace zcc;
using llvm::SmallBitVector;
using train::FactorRule;

SmallBitVector distribute::freeFactors(Operation *op, const FactorRule &rule,
                                       bool knowsPlaces) {
  SmallBitVector free(rule.factors.size());
  for (auto [f, factor] : llvm::enumerate(rule.factors))
    if ((factor.kind == FactorRule::Kind::Pass ||
         factor.kind == FactorRule::Kind::Reduce) &&
        !rule.needsNeighbors(f))
      free.set(f);
  auto bind = [&](const FactorRule::Tensor &tensor) {
    for (const FactorRule::Dim &dim : tensor)
      for (unsigned f : dim)
        free.reset(f);
  };
  // The elements of a dim of several factors stand in the order of the major
  // one.
  for (const auto *tensors : {&rule.operands, &rule.results})
    for (const FactorRule::Tensor &tensor : *tensors)
      for (const FactorRule::Dim &dim : tensor)
        if (dim.size() > 1)
          bind({dim});
  if (auto iota = dyn_cast<train::IotaOp>(op)) {
    bind({rule.results[0][iota.getDim()]});
  } else if (isa<train::ConstantOp>(op)) {
    if (!train::getSplat(op->getResult(0)))
      bind(rule.results[0]);
  } else if (isa<train::GatherOp, train::ScatterOp>(op)) {
    // Only dims of the rows that are moved are free; indices name positions
    // of the other dims.
    SmallBitVector passed(rule.factors.size());
    const FactorRule::Tensor &moved =
        isa<train::GatherOp>(op) ? rule.results[0] : rule.operands[2];
    for (const FactorRule::Dim &dim : moved)
      for (unsigned f : dim)
        passed.set(f);
    free &= passed;
  } else if (isa<train::AttentionOp, train::AttentionGradientOp>(op) &&
             !knowsPlaces) {
    auto a = train::Attention::of(op);
    if (a.hasBand() || a.bias || a.mask || a.kept)
      for (unsigned operand : {0u, 1u})
        bind({rule.operands[operand][a.batch.size()]});
  }
  return free;
}

distribute::DimTies::DimTies(Operation *op) {
  for (Value v : op->getOperands())
    operands.emplace_back(rankOf(v));
  for (Value v : op->getResults())
    results.emplace_back(rankOf(v));
}

void distribute::DimTies::tieFreeFactors(Operation *op, bool knowsPlaces) {
  auto shardable = dyn_cast<train::ShardableOpInterface>(op);
  if (!shardable || train::hasTag(op, train::Tag::Update))
    return;
  FactorRule rule = shardable.getFactorRule();
  SmallBitVector free = freeFactors(op, rule, knowsPlaces);
  auto fill = [&](ArrayRef<FactorRule::Tensor> tensors,
                  SmallVectorImpl<SmallBitVector> &out) {
    for (auto [tensor, dims] : llvm::zip_equal(tensors, out))
      for (auto [d, dim] : llvm::enumerate(tensor))
        if (dim.size() == 1 && free.test(dim.front()))
          dims.set(d);
  };
  fill(rule.operands, operands);
  fill(rule.results, results);
}

void distribute::DimTies::join(
    Operation *op, bool passesOn,
    llvm::function_ref<unsigned(Value, unsigned)> idOf,
    llvm::IntEqClasses &classes) const {
  if (passesOn) {
    for (unsigned d : results[0].set_bits())
      classes.join(idOf(op->getOperand(0), d), idOf(op->getResult(0), d));
    return;
  }
  auto shardable = dyn_cast<train::ShardableOpInterface>(op);
  if (!shardable)
    return;
  FactorRule rule = shardable.getFactorRule();
  DenseMap<unsigned, unsigned> seen; // an id of each factor's dims
  auto tie = [&](ValueRange values, ArrayRef<FactorRule::Tensor> tensors,
                 ArrayRef<SmallBitVector> tied) {
    for (auto [v, tensor, dims] : llvm::zip_equal(values, tensors, tied))
      for (unsigned d : dims.set_bits()) {
        auto [it, isNew] = seen.insert({tensor[d].front(), idOf(v, d)});
        if (!isNew)
          classes.join(it->second, idOf(v, d));
      }
  };
  tie(op->getOperands(), rule.operands, operands);
  tie(op->getResults(), rule.results, results);
}
