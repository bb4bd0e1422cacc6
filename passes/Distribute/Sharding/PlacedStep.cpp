// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Distribute/Sharding/PlacedStep.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;

Placement PlacedStep::computed(Value v) const {
  auto result = dyn_cast<OpResult>(v);
  auto it = result ? step.ops.find(result.getOwner()) : step.ops.end();
  Placement placement = [&]() -> Placement { // constructed in place
    if (!result)
      return step.arguments.find(v)->second;
    if (it != step.ops.end())
      return it->second.result(mesh, result.getResultNumber());
    return Placement(train::shapeOf(v));
  }();
  auto partial = partials.values.find(v);
  if (partial != partials.values.end()) {
    placement.partial = partial->second.axes;
    placement.reduction = partial->second.kind;
  }
  return placement;
}

Placement PlacedStep::demanded(OpOperand &use) const {
  auto it = step.ops.find(use.getOwner());
  Placement placement = [&]() -> Placement {
    if (it != step.ops.end())
      return it->second.operand(mesh, use.getOperandNumber());
    if (auto demand = step.demands.find(&use); demand != step.demands.end())
      return demand->second;
    if (step.arrays.contains(&use)) {
      Placement own = computed(use.get());
      own.partial.clear();
      own.reduction = train::ReduceKind::add;
      return own;
    }
    return Placement(train::shapeOf(use.get()));
  }();
  auto partial = partials.values.find(use.get());
  if (partial != partials.values.end()) {
    placement.partial = partial->second.kept;
    placement.reduction = partial->second.kind;
  }
  if (auto made = partials.made.find(&use); made != partials.made.end()) {
    placement.partial.append(made->second);
    llvm::sort(placement.partial);
    placement.reduction = train::ReduceKind::add;
  }
  return placement;
}

SmallVector<PlacedStep::Demand> PlacedStep::demands(Value v) const {
  Placement from = computed(v);
  SmallVector<Demand> list;
  // Skip the many uses that want the value as it is.
  bool whole = from.partial.empty() && !partials.values.contains(v);
  for (OpOperand &use : v.getUses()) {
    auto op = whole ? step.ops.find(use.getOwner()) : step.ops.end();
    if (op != step.ops.end() && partials.made.empty() &&
        op->second.isAt(op->second.rule.operands[use.getOperandNumber()], from))
      continue;
    Placement to = demanded(use);
    if (to == from)
      continue;
    auto *it = llvm::find_if(list, [&](auto &d) { return d.to == to; });
    if (it == list.end())
      it = &list.emplace_back(Demand{to, {}});
    it->uses.push_back(&use);
  }
  auto before = [](OpOperand *a, OpOperand *b) {
    return a->getOwner()->isBeforeInBlock(b->getOwner());
  };
  // Order by first user: the order of the use list has no meaning.
  for (Demand &demand : list)
    llvm::sort(demand.uses, before);
  llvm::sort(list, [&](const Demand &a, const Demand &b) {
    return before(a.uses.front(), b.uses.front());
  });
  return list;
}
