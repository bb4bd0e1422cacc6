// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Computes a least fixpoint. If a factor stands before others in a dim, the
// dim's unit is a multiple of their product times the factor's unit. Elsewhere
// the factor's unit is the dim's. A unit that does not divide the extent is
// given up: a reshape does not keep the padding of such a dim.
#include "passes/Distribute/Sharding/DimUnits.h"
#include "llvm/ADT/SetVector.h"
#include <numeric>

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;
using train::FactorRule;

// Calls `visit(tensor value, dim, product of the minor factors)` for each dim
// of which `factor` is the most major.
template <typename Visit>
static void whereMajor(Operation *op, const FactorRule &rule, unsigned factor,
                       Visit visit) {
  auto look = [&](Value v, const FactorRule::Tensor &tensor) {
    for (auto [d, dim] : llvm::enumerate(tensor)) {
      if (dim.empty() || dim.front() != factor)
        continue;
      int64_t minor = 1;
      for (unsigned other : llvm::drop_begin(dim))
        minor *= rule.factors[other].size;
      visit(v, static_cast<unsigned>(d), minor);
    }
  };
  for (auto [v, tensor] : llvm::zip_equal(op->getOperands(), rule.operands))
    look(v, tensor);
  for (auto [v, tensor] : llvm::zip_equal(op->getResults(), rule.results))
    look(v, tensor);
}

int64_t DimUnits::of(Operation *op, const FactorRule &rule,
                     unsigned factor) const {
  int64_t unit = 1;
  whereMajor(op, rule, factor, [&](Value v, unsigned d, int64_t minor) {
    int64_t own = of(v, d);
    unit = std::lcm(unit, own / std::gcd(own, minor));
  });
  return rule.factors[factor].size % unit == 0 ? unit : 1;
}

bool DimUnits::raise(Value v, unsigned dim, int64_t unit) {
  int64_t to = std::lcm(of(v, dim), unit);
  if (to == of(v, dim) || train::shapeOf(v)[dim] % to != 0)
    return false;
  auto &list = units[v];
  list.resize(rankOf(v), 1);
  list[dim] = to;
  return true;
}

DimUnits::DimUnits(Block &block,
                   function_ref<const FactorRule *(Operation *)> ruleOf) {
  SetVector<Operation *> work;
  auto isMixed = [](ArrayRef<FactorRule::Tensor> tensors) {
    return llvm::any_of(tensors, [](const FactorRule::Tensor &tensor) {
      return llvm::any_of(
          tensor, [](const FactorRule::Dim &dim) { return dim.size() > 1; });
    });
  };
  for (Operation &op : block)
    if (const FactorRule *rule = ruleOf(&op);
        rule && (isMixed(rule->operands) || isMixed(rule->results)))
      work.insert(&op);
  while (!work.empty()) {
    Operation *op = work.pop_back_val();
    const FactorRule *rule = ruleOf(op);
    if (!rule)
      continue;
    for (unsigned factor = 0; factor < rule->factors.size(); ++factor) {
      int64_t unit = of(op, *rule, factor);
      whereMajor(op, *rule, factor, [&](Value v, unsigned d, int64_t minor) {
        if (!raise(v, d, unit * minor))
          return;
        if (Operation *source = v.getDefiningOp())
          work.insert(source);
        work.insert_range(v.getUsers());
      });
    }
  }
}
