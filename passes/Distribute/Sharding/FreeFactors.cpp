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
