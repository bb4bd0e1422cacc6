// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Distribute/Estimate/PlacementCost.h"
#include "passes/Distribute/Sharding/PlacedStep.h"
#include "passes/Distribute/Sharding/Window.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;

using Traffic = planning::CollectiveKind;

double distribute::localBytes(Value v, const MeshAxes &mesh,
                              const Placement &placement) {
  double bytes = bytesOf(v);
  for (auto [d, extent] : llvm::enumerate(train::shapeOf(v)))
    bytes *= static_cast<double>(placement.extents[d]) /
             static_cast<double>(std::max<int64_t>(extent, 1)) /
             static_cast<double>(mesh.shards(placement.dims[d]));
  return bytes;
}

bool distribute::forEachMove(
    Value v, const MeshAxes &mesh, const Placement &from, const Placement &to,
    double bytes,
    function_ref<void(Traffic, ArrayRef<unsigned>, double)> visit) {
  // Constants are not moved: any device can make one.
  if (from == to || v.getDefiningOp<train::ConstantOp>())
    return true;
  constexpr int nowhere = Placement::nowhere, partial = Placement::partOfSum;
  bool possible = true, any = false;
  struct Group {
    Traffic kind;
    AxisList axes;
  };
  Group groups[] = {{Traffic::AllReduce, {}},
                    {Traffic::AllGather, {}},
                    {Traffic::ReduceScatter, {}},
                    {Traffic::AllToAll, {}}};
  auto join = [&](Traffic kind, unsigned axis) {
    for (Group &group : groups)
      if (group.kind == kind)
        group.axes.push_back(axis);
  };
  for (unsigned axis = 0; axis < mesh.size(); ++axis) {
    int a = from.whereIs(axis), b = to.whereIs(axis);
    // Rows are dealt to microbatches by the padded extent, so it must not
    // change.
    if (mesh.isTemporal(axis) && a == b && a >= 0 &&
        from.extents[a] != to.extents[a])
      possible = false;
    if (mesh.sizeOf(axis) == 1 || a == b)
      continue;
    any = true;
    if (mesh.isTemporal(axis))
      possible &= a < 0 && b != partial;
    else if (b == partial || (a == nowhere && b >= 0))
      continue; // a select, a slice
    else if (a == partial)
      join(b == nowhere ? Traffic::AllReduce : Traffic::ReduceScatter, axis);
    else
      join(b == nowhere ? Traffic::AllGather : Traffic::AllToAll, axis);
  }
  for (const Group &group : groups)
    if (!group.axes.empty())
      // The larger end of a reduce-scatter is the target's shard times its
      // devices.
      visit(group.kind, group.axes,
            group.kind == Traffic::ReduceScatter
                ? bytes * static_cast<double>(mesh.shards(group.axes))
                : bytes);
  if (any)
    return possible;
  // Only the order of axes or the padding differs.
  AxisList all;
  for (unsigned axis = 0; axis < mesh.size(); ++axis)
    if (!mesh.isTemporal(axis) && (from.uses(axis) || to.uses(axis)))
      all.push_back(axis);
  if (!all.empty())
    visit(Traffic::Permute, all, bytes);
  return possible;
}

double distribute::moveCost(Value v, const MeshAxes &mesh,
                            const Placement &from, const Placement &to) {
  double cost = 0, held = bytesOf(v);
  for (const AxisList &axes : to.dims)
    held /= static_cast<double>(mesh.shards(axes));
  bool possible =
      forEachMove(v, mesh, from, to, held,
                  [&](Traffic kind, ArrayRef<unsigned> axes, double bytes) {
                    auto devices = static_cast<double>(mesh.shards(axes));
                    cost += planning::crossings(kind) *
                            planning::sentOnce(kind, devices, bytes);
                  });
  return possible ? cost : 1e30;
}

Placement distribute::producedAt(const StepSharding &step, const MeshAxes &mesh,
                                 Value v) {
  if (auto result = dyn_cast<OpResult>(v)) {
    auto it = step.ops.find(result.getOwner());
    if (it != step.ops.end())
      return it->second.result(mesh, result.getResultNumber());
    return Placement(train::shapeOf(v));
  }
  auto it = step.seeds.find(v);
  return it == step.seeds.end() ? Placement(train::shapeOf(v)) : it->second;
}

double distribute::movedShare(Value v, const Placement &from) {
  auto widthOf = [](Value other) -> double {
    auto type = dyn_cast<FloatType>(train::tensorType(other).getElementType());
    return type ? type.getWidth() : 0;
  };
  double own = widthOf(v), least = own;
  if (own <= 16)
    return 1;
  if (!from.partial.empty()) {
    least = 0;
    for (Operation *user : v.getUsers())
      least = std::max(least, isa<train::ConvertOp>(user)
                                  ? widthOf(user->getResult(0))
                                  : own);
  } else if (auto convert = v.getDefiningOp<train::ConvertOp>()) {
    least = widthOf(convert.getOperand());
  }
  return least > 0 && least < own ? least / own : 1;
}

double distribute::costOf(const StepSharding &step, const MeshAxes &mesh,
                          Value v, const Placement &from) {
  double cost = 0;
  SmallVector<Placement> seen;
  for (OpOperand &use : v.getUses()) {
    auto it = step.ops.find(use.getOwner());
    bool reads = it != step.ops.end() && !it->second.update;
    unsigned i = use.getOperandNumber();
    if (reads && from.partial.empty() &&
        it->second.isAt(it->second.rule.operands[i], from))
      continue; // it is there
    Placement to = [&]() -> Placement {
      if (reads)
        return it->second.operand(mesh, i);
      if (auto parameter = step.parameterOf.find(v);
          parameter != step.parameterOf.end())
        return producedAt(step, mesh, parameter->second);
      Placement whole = from;
      whole.partial.clear();
      return whole;
    }();
    if (llvm::is_contained(seen, to))
      continue;
    cost += moveCost(v, mesh, from, to);
    seen.push_back(std::move(to));
  }
  return cost == 0 ? 0 : cost * movedShare(v, from);
}

double distribute::costOf(const StepSharding &step, const MeshAxes &mesh,
                          Value v) {
  return costOf(step, mesh, v, producedAt(step, mesh, v));
}

double distribute::costOf(const StepSharding &step, const MeshAxes &mesh,
                          Operation *op, const OpSharding &sharding) {
  double cost = haloBytes(op, mesh, sharding);
  for (auto [i, v] : llvm::enumerate(op->getOperands())) {
    Placement from = producedAt(step, mesh, v);
    if (double bytes = moveCost(v, mesh, from, sharding.operand(mesh, i)))
      cost += bytes * movedShare(v, from);
  }
  for (auto [i, v] : llvm::enumerate(op->getResults()))
    cost += costOf(step, mesh, v, sharding.result(mesh, i));
  return cost;
}
