// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Distribute/StepCost.h"
#include "passes/Distribute/Window.h"
#include <array>

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using planning::AxisGroup;
using planning::CollectiveKind;
using train::FactorRule;

// Becomes part of the kernels beside it.
static bool isFused(Operation *op) {
  return op->hasTrait<train::ElementwiseOp>() || isa<train::ReduceOp>(op);
}

// Is no kernel of its own, or costs nothing beside those that are.
static bool isFree(Operation *op) {
  return op->hasTrait<train::DataMovementOp>() ||
         isa<train::ConstantOp, train::IotaOp, train::BroadcastOp,
             train::ShardingConstraintOp, ObserveOp>(op);
}

static bool isTranscendental(Operation *op) {
  return isa<train::ExpOp, train::LogOp, train::TanhOp, train::LogisticOp,
             train::SinOp, train::CosOp, train::PowOp, train::ErfOp>(op);
}

static StringRef nameOf(Type type) {
  if (type.isBF16())
    return "bf16";
  if (type.isF16())
    return "f16";
  if (type.isF64())
    return "f64";
  return "f32";
}

StepCost::StepCost(Block &block, const MeshAxes &mesh,
                   const planning::CostModel &model)
    : block(block), mesh(mesh), model(model) {
  for (unsigned axis = 0; axis < mesh.size(); ++axis)
    if (mesh.isTemporal(axis))
      microbatches *= static_cast<double>(mesh.sizeOf(axis));
}

AxisGroup StepCost::groupOf(unsigned axis) const {
  AxisGroup group{mesh.sizeOf(axis), 1};
  for (unsigned minor = axis + 1; minor < mesh.size(); ++minor)
    if (!mesh.isTemporal(minor))
      group.stride *= mesh.sizeOf(minor);
  return group;
}

bool StepCost::usesTime(const Placement &placement) const {
  return llvm::any_of(placement.dims, [&](const AxisList &list) {
    return llvm::any_of(list,
                        [&](unsigned axis) { return mesh.isTemporal(axis); });
  });
}

double StepCost::localBytes(Value v, const Placement &placement) const {
  double bytes = bytesOf(v);
  for (auto [d, extent] : llvm::enumerate(train::shapeOf(v)))
    bytes *= static_cast<double>(placement.extents[d]) /
             static_cast<double>(std::max<int64_t>(extent, 1)) /
             static_cast<double>(mesh.shards(placement.dims[d]));
  return bytes;
}

bool StepCost::isResidual(Value v) {
  auto isBackward = [](Operation *op) {
    auto tag = op->getAttrOfType<StringAttr>(train::tagAttrName);
    return tag && tag.getValue() == "backward";
  };
  Operation *op = v.getDefiningOp();
  return op && !isBackward(op) && !isFree(op) &&
         llvm::any_of(v.getUsers(), isBackward);
}

double StepCost::seconds(Operation *op, const OpSharding &sharding) const {
  if (isFree(op))
    return 0;
  // The share of the work that a device does, padding included.
  double share = 1;
  bool inTime = false;
  SmallVector<double> local; // of each factor
  for (auto [own, factor] :
       llvm::zip_equal(sharding.factors, sharding.rule.factors)) {
    double size = static_cast<double>(own.padded) /
                  static_cast<double>(mesh.shards(own.axes));
    local.push_back(size);
    share *= size / static_cast<double>(std::max<int64_t>(factor.size, 1));
    inTime |= llvm::any_of(
        own.axes, [&](unsigned axis) { return mesh.isTemporal(axis); });
  }
  double times = inTime ? microbatches : 1;
  auto costed = dyn_cast<train::CostedOpInterface>(op);
  double flops = costed ? costed.getFlops() * share : 0;

  // Bytes that cross the border of the kernel.
  planning::KernelWork work;
  for (auto [i, v] : llvm::enumerate(op->getOperands())) {
    Operation *source = v.getDefiningOp();
    if (source && (isFree(source) || (isFused(op) && isFused(source))))
      continue;
    work.bytes += localBytes(v, sharding.operand(mesh, i));
  }
  for (auto [i, v] : llvm::enumerate(op->getResults()))
    if (!isFused(op) || llvm::any_of(v.getUsers(), [](Operation *user) {
          return !isFused(user) && !isFree(user);
        }))
      work.bytes += localBytes(v, sharding.result(mesh, i));

  Type type = train::tensorType(op->getResult(0)).getElementType();
  if (auto dot = dyn_cast<train::DotGeneralOp>(op)) {
    planning::ProductShape shape;
    auto stands = [](const FactorRule::Tensor &tensor, unsigned factor) {
      return llvm::any_of(tensor, [&](const FactorRule::Dim &dim) {
        return llvm::is_contained(dim, factor);
      });
    };
    for (auto [f, size] : llvm::enumerate(local)) {
      bool left = stands(sharding.rule.operands[0], f),
           right = stands(sharding.rule.operands[1], f),
           out = stands(sharding.rule.results[0], f);
      int64_t &extent = left && right ? (out ? shape.batch : shape.k)
                        : left        ? shape.m
                                      : shape.n;
      extent *= static_cast<int64_t>(size);
    }
    type = train::tensorType(dot.getLhs()).getElementType();
    return times * model.productSeconds(nameOf(type), shape, work.bytes);
  }
  // Products of another form: as many tiles as make their arithmetic.
  bool isProduct =
      isa<train::ConvolutionOp, train::AttentionOp, train::AttentionGradientOp,
          train::AttentionBlockOp, train::AttentionBlockGradientOp>(op);
  if (isProduct) {
    planning::ProductShape tile{1, 128, 128, 64};
    tile.batch = std::max<int64_t>(1, flops / tile.flops());
    type = train::tensorType(op->getOperand(0)).getElementType();
    return times * model.productSeconds(nameOf(type), tile, work.bytes);
  }
  work.vectorOps = flops;
  if (isTranscendental(op))
    std::swap(work.vectorOps, work.transcendentals);
  double cost = model.kernelSeconds(work);
  if (isFused(op)) // launched with others
    cost = std::max(0.0, cost - model.launchSeconds());
  return times * cost;
}

double StepCost::edgeSeconds(Operation *op, const OpSharding &sharding) const {
  double bytes = haloBytes(op, mesh, sharding);
  if (bytes == 0)
    return 0;
  // Between neighbors, along the axes of what moves; a ring's go along those of
  // the sequence, which may be any.
  std::vector<AxisGroup> near, any;
  bool inTime = false;
  for (auto [own, factor] :
       llvm::zip_equal(sharding.factors, sharding.rule.factors))
    for (unsigned axis : own.axes) {
      inTime |= mesh.isTemporal(axis);
      if (mesh.isTemporal(axis))
        continue;
      any.push_back(groupOf(axis));
      if (factor.kind == FactorRule::Kind::Window ||
          factor.kind == FactorRule::Kind::Scan)
        near.push_back(groupOf(axis));
    }
  return (inTime ? microbatches : 1) *
         model.collectiveSeconds(CollectiveKind::Permute,
                                 near.empty() ? any : near, bytes);
}

double StepCost::moveSeconds(Value v, const Placement &from,
                             const Placement &to) const {
  if (from == to || v.getDefiningOp<train::ConstantOp>())
    return 0;
  constexpr int nowhere = Placement::nowhere, partial = Placement::partOfSum;
  std::vector<int64_t> key = {static_cast<int64_t>(bytesOf(v))};
  for (const Placement *p : {&from, &to})
    for (auto [d, list] : llvm::enumerate(p->dims)) {
      key.push_back(p->extents[d]);
      key.push_back(train::shapeOf(v)[d]);
      key.insert(key.end(), list.begin(), list.end());
      key.push_back(-1);
    }
  for (const Placement *p : {&from, &to}) {
    key.insert(key.end(), p->partial.begin(), p->partial.end());
    key.push_back(-2);
  }
  auto [it, added] = known.try_emplace(key, 0);
  if (!added)
    return it->second;

  double times = usesTime(to) ? microbatches : 1, cost = 0;
  bool any = false;
  // Axes that do the same in one collective.
  std::array<std::vector<AxisGroup>, 4> groups; // by kind
  std::array<double, 4> shrink = {1, 1, 1, 1};
  for (unsigned axis = 0; axis < mesh.size(); ++axis) {
    int a = from.whereIs(axis), b = to.whereIs(axis);
    if (mesh.sizeOf(axis) == 1 || a == b)
      continue;
    any = true;
    if (mesh.isTemporal(axis)) {
      // What other microbatches compute cannot be had.
      if (a >= 0 || b == partial)
        cost = std::numeric_limits<double>::infinity();
      continue;
    }
    if (b == partial) // made partial: a select
      continue;
    CollectiveKind kind = a == partial && b == nowhere
                              ? CollectiveKind::AllReduce
                          : a == partial ? CollectiveKind::ReduceScatter
                          : a == nowhere ? CollectiveKind::Send // a slice
                          : b == nowhere ? CollectiveKind::AllGather
                                         : CollectiveKind::AllToAll;
    if (kind == CollectiveKind::Send)
      continue;
    groups[static_cast<size_t>(kind)].push_back(groupOf(axis));
    shrink[static_cast<size_t>(kind)] *=
        kind == CollectiveKind::ReduceScatter
            ? static_cast<double>(mesh.sizeOf(axis))
            : 1;
  }
  double bytes = localBytes(v, to);
  for (size_t kind = 0; kind < groups.size(); ++kind)
    if (!groups[kind].empty())
      // The larger end: what is scattered has the shards of the target times
      // its devices.
      cost +=
          times * model.collectiveSeconds(static_cast<CollectiveKind>(kind),
                                          groups[kind], bytes * shrink[kind]);
  if (!any) { // another order of axes, or another padding
    std::vector<AxisGroup> all;
    for (unsigned axis = 0; axis < mesh.size(); ++axis)
      if (!mesh.isTemporal(axis) && (from.uses(axis) || to.uses(axis)))
        all.push_back(groupOf(axis));
    if (!all.empty())
      cost =
          times * model.collectiveSeconds(CollectiveKind::Permute, all, bytes);
  }
  return known[key] = cost;
}

StepCost::Figures StepCost::measure(const PlacedStep &placed) const {
  Figures figures;
  const StepSharding &step = placed.step;
  for (Operation &op : block)
    if (auto it = step.ops.find(&op); it != step.ops.end()) {
      figures.compute += seconds(&op, it->second);
      figures.communication += edgeSeconds(&op, it->second);
    }

  auto visit = [&](Value v) {
    Placement from = placed.computed(v);
    double held = localBytes(v, from);
    auto argument = dyn_cast<BlockArgument>(v);
    if (argument)
      figures.state += held;
    else if (isResidual(v) && from.partial.empty())
      figures.residuals += held;
    figures.largest = std::max(figures.largest, held);
    SmallVector<PlacedStep::Demand> demands = placed.demands(v);
    if (demands.empty())
      return;
    if (demands.size() > 1 && demands.front().to.partial != from.partial) {
      Placement reduced = from;
      reduced.partial = demands.front().to.partial;
      figures.communication += moveSeconds(v, from, reduced);
      from = reduced;
    }
    for (auto &[to, uses] : demands) {
      double times = 1;
      if (argument) { // gathered in the forward and in the backward pass
        bool forward = false, backward = false, inTime = false;
        for (OpOperand *use : uses) {
          auto tag =
              use->getOwner()->getAttrOfType<StringAttr>(train::tagAttrName);
          forward |= tag && tag.getValue() == "forward";
          backward |= tag && tag.getValue() == "backward";
          auto it = step.ops.find(use->getOwner());
          inTime |=
              it != step.ops.end() && usesTime(it->second.result(mesh, 0));
        }
        times = (forward && backward ? 2 : 1) * (inTime ? microbatches : 1);
      }
      figures.communication += times * moveSeconds(v, from, to);
      if (!argument && isResidual(v) && !placed.computed(v).partial.empty())
        figures.residuals += localBytes(v, to);
      figures.largest = std::max(figures.largest, localBytes(v, to));
    }
  };
  // Gradients wait for their norm, in the shards of the update; over several
  // microbatches they are accumulated as they are computed.
  for (auto [gradient, parameter] : step.parameterOf) {
    Placement held = placed.computed(gradient);
    for (OpOperand &use : gradient.getUses())
      if (isa<ObserveOp>(use.getOwner()) &&
          (microbatches == 1 || placed.sumsFirst))
        held = placed.demanded(use);
    figures.gradients += localBytes(gradient, held);
  }
  for (BlockArgument argument : block.getArguments())
    visit(argument);
  for (Operation &op : block)
    for (Value v : op.getResults())
      visit(v);
  return figures;
}
