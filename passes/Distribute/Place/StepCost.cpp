// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Distribute/Place/StepCost.h"
#include "passes/Distribute/Place/OpWeights.h"
#include "passes/Distribute/Place/StepParameters.h"
#include "passes/Distribute/Place/ValueNames.h"
#include "passes/Distribute/Place/Window.h"
#include "llvm/ADT/SetVector.h"
#include <array>
#include <cmath>

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using planning::AxisGroup;
using planning::CollectiveKind;
using train::FactorRule;

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
  for (auto gather : block.getOps<train::GatherOp>())
    if (BlockArgument table = underlyingArgument(gather.getOperand()))
      tables.insert(table);
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
          factor.kind == FactorRule::Kind::Scan || factor.picked)
        near.push_back(groupOf(axis));
    }
  return (inTime ? microbatches : 1) *
         model.collectiveSeconds(CollectiveKind::Permute,
                                 near.empty() ? any : near, bytes);
}

const StepCost::Move &StepCost::moveOf(Value v, const Placement &from,
                                       const Placement &to) const {
  static const Move none;
  if (from == to || v.getDefiningOp<train::ConstantOp>())
    return none;
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
  auto [it, added] = known.try_emplace(std::move(key));
  Move &move = it->second;
  if (!added)
    return move;

  bool any = false;
  // Axes that do the same in one collective.
  std::array<std::vector<AxisGroup>, 4> groups; // by kind
  std::array<double, 4> shrink = {1, 1, 1, 1};
  for (unsigned axis = 0; axis < mesh.size(); ++axis) {
    int a = from.whereIs(axis), b = to.whereIs(axis);
    // Rows are dealt to microbatches by the padded extent.
    if (mesh.isTemporal(axis) && a == b && a >= 0 &&
        from.extents[a] != to.extents[a])
      move.seconds = std::numeric_limits<double>::infinity();
    if (mesh.sizeOf(axis) == 1 || a == b)
      continue;
    any = true;
    if (mesh.isTemporal(axis)) {
      // What other microbatches compute cannot be had.
      if (a >= 0 || b == partial)
        move.seconds = std::numeric_limits<double>::infinity();
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
      move.messages.push_back({static_cast<CollectiveKind>(kind),
                               std::move(groups[kind]), bytes * shrink[kind]});
  if (!any) { // another order of axes, or another padding
    std::vector<AxisGroup> all;
    for (unsigned axis = 0; axis < mesh.size(); ++axis)
      if (!mesh.isTemporal(axis) && (from.uses(axis) || to.uses(axis)))
        all.push_back(groupOf(axis));
    if (!all.empty())
      move.messages.push_back({CollectiveKind::Permute, std::move(all), bytes});
  }
  for (const Message &message : move.messages)
    move.seconds +=
        model.collectiveSeconds(message.kind, message.groups, message.bytes);
  return move;
}

// Small collectives that nothing orders, which cross the network together
// (passes/Schedule/BucketCollectives.cpp).
class StepCost::Buckets {
public:
  explicit Buckets(const planning::CostModel &model) : model(model) {}

  // False if the message is large and goes alone. `times`: of a step.
  bool add(const Message &message, Type element, double times) {
    if (message.bytes > model.smallBytes(message.groups))
      return false;
    Key key = {static_cast<int64_t>(message.kind),
               reinterpret_cast<intptr_t>(element.getAsOpaquePointer()),
               static_cast<int64_t>(times)};
    for (const AxisGroup &group : message.groups) {
      key.push_back(group.size);
      key.push_back(group.stride);
    }
    Sum &sum = sums[key];
    sum.message = &message;
    sum.times = times;
    sum.bytes += message.bytes;
    ++sum.members;
    return true;
  }

  double seconds() const {
    double all = 0;
    for (const auto &[key, sum] : sums) {
      double most =
                 planning::bucketFactor * model.smallBytes(sum.message->groups),
             count = std::max(std::ceil(sum.bytes / most),
                              std::ceil(sum.members / planning::bucketMembers));
      count = std::clamp(count, 1.0, sum.members);
      all += sum.times * count *
             model.collectiveSeconds(sum.message->kind, sum.message->groups,
                                     sum.bytes / count);
    }
    return all;
  }

private:
  using Key = std::vector<int64_t>;
  struct Sum {
    const Message *message = nullptr; // any of them
    double times = 1, bytes = 0, members = 0;
  };
  const planning::CostModel &model;
  std::map<Key, Sum> sums;
};

// Of a move that nothing orders: small collectives pay for their share of a
// full bucket.
double StepCost::looseSeconds(Value v, const Placement &from,
                              const Placement &to) const {
  const Move &move = moveOf(v, from, to);
  if (!std::isfinite(move.seconds))
    return move.seconds;
  double seconds = 0;
  for (const Message &message : move.messages) {
    double full = planning::bucketFactor * model.smallBytes(message.groups),
           share = std::min(1.0, message.bytes / full);
    bool alone = message.bytes > full / planning::bucketFactor;
    seconds += (alone ? 1 : share) *
               model.collectiveSeconds(message.kind, message.groups,
                                       alone ? message.bytes : full);
  }
  return timesOf(to) * seconds;
}

// In the forward and in the backward pass, and for each microbatch.
StepCost::Gathers StepCost::gathersOf(const PlacedStep &placed,
                                      Value argument) const {
  Gathers gathers;
  Placement from = placed.computed(argument);
  for (auto &[to, uses] : placed.demands(argument)) {
    bool forward = false, backward = false, inTime = false;
    // What is free is done again by whoever reads it.
    llvm::SmallSetVector<Operation *, 8> readers;
    for (OpOperand *use : uses)
      readers.insert(use->getOwner());
    for (unsigned i = 0; i < readers.size(); ++i) {
      Operation *op = readers[i];
      if ((isFree(op) && !isa<ObserveOp>(op)) || isa<train::ConvertOp>(op)) {
        readers.insert(op->user_begin(), op->user_end());
        continue;
      }
      auto tag = op->getAttrOfType<StringAttr>(train::tagAttrName);
      forward |= tag && tag.getValue() == "forward";
      backward |= tag && tag.getValue() == "backward";
      auto it = placed.step.ops.find(op);
      inTime |= it != placed.step.ops.end() && op->getNumResults() > 0 &&
                usesTime(it->second.result(mesh, 0));
    }
    double times = (forward && backward ? 2 : 1) * (inTime ? microbatches : 1),
           once = looseSeconds(argument, from, to);
    gathers.first += once;
    gathers.again += (times - 1) * once;
    if (times > 1 && once > 0)
      gathers.bytes += localBytes(argument, to);
  }
  return gathers;
}

StepCost::Figures StepCost::measure(const PlacedStep &placed) const {
  Figures figures;
  const StepSharding &step = placed.step;
  for (Operation &op : block)
    if (auto it = step.ops.find(&op); it != step.ops.end()) {
      figures.compute += seconds(&op, it->second);
      figures.communication += edgeSeconds(&op, it->second);
    }

  Buckets buckets(model);
  // `loose`: nothing but the end of the step waits for it.
  auto send = [&](Value v, const Placement &from, const Placement &to,
                  double times, bool loose) {
    const Move &move = moveOf(v, from, to);
    times *= timesOf(to);
    // The gradient, and as much for the new value.
    if (tables.contains(step.parameterOf.lookup(v)))
      figures.tables += 2 * times * move.seconds;
    if (!loose || !std::isfinite(move.seconds)) {
      figures.communication += times * move.seconds;
      return;
    }
    Type element = train::tensorType(v).getElementType();
    for (const Message &message : move.messages)
      if (!buckets.add(message, element, times))
        figures.communication +=
            times * model.collectiveSeconds(message.kind, message.groups,
                                            message.bytes);
  };
  // Sums over time and devices, of which each device needs a shard.
  auto isScattered = [&](const Placement &from, const Placement &to) {
    bool inTime = false, scattered = false;
    for (unsigned axis : from.partial)
      (mesh.isTemporal(axis) ? inTime : scattered) |=
          mesh.isTemporal(axis) || to.uses(axis);
    return inTime && scattered;
  };

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
    if (argument) {
      for (const auto &demand : demands)
        figures.largest = std::max(figures.largest, localBytes(v, demand.to));
      Gathers gathers = gathersOf(placed, v);
      const StateChoice *state = step.stateOf(v);
      auto gathered = state ? state->gathered : StateChoice::Gathered::Again;
      figures.communication += gathers.first;
      if (tables.contains(v))
        figures.tables += gathers.first + gathers.again;
      if (gathered == StateChoice::Gathered::Kept)
        figures.residuals += gathers.bytes;
      else
        figures.communication += gathers.again;
      if (gathered == StateChoice::Gathered::Open) {
        figures.keptBytes += gathers.bytes;
        figures.keptSeconds += gathers.again;
      }
      return;
    }
    bool loose = step.parameterOf.contains(v) ||
                 StepParameters::isUpdate(v.getDefiningOp());
    if (demands.size() > 1 && demands.front().to.partial != from.partial) {
      Placement reduced = from;
      reduced.partial = demands.front().to.partial;
      send(v, from, reduced, 1, loose);
      from = reduced;
    }
    for (auto &[to, uses] : demands) {
      bool each = step.sumsFirst(v) && isScattered(from, to);
      send(v, from, to, each ? microbatches : 1, loose);
      if (isResidual(v) && !placed.computed(v).partial.empty())
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
          (microbatches == 1 || step.sumsFirst(gradient)))
        held = placed.demanded(use);
    figures.gradients += localBytes(gradient, held);
  }
  for (BlockArgument argument : block.getArguments())
    visit(argument);
  for (Operation &op : block)
    for (Value v : op.getResults())
      visit(v);
  figures.communication += buckets.seconds();
  return figures;
}
