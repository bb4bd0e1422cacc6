// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Distribute/Estimate/StepCost.h"
#include "dialects/Train/OpCost.h"
#include "passes/Distribute/Estimate/PlacementCost.h"
#include "passes/Distribute/Sharding/OpWeights.h"
#include "passes/Distribute/Sharding/StepParameters.h"
#include "passes/Distribute/Sharding/ValueNames.h"
#include "passes/Distribute/Sharding/Window.h"
#include "llvm/ADT/SetVector.h"
#include <cmath>

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;
using Traffic = planning::CollectiveKind;
using train::FactorRule;

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

bool StepCost::usesTime(const Placement &placement) const {
  return llvm::any_of(placement.dims, [&](const AxisList &list) {
    return llvm::any_of(list,
                        [&](unsigned axis) { return mesh.isTemporal(axis); });
  });
}

double StepCost::localBytes(Value v, const Placement &placement) const {
  return distribute::localBytes(v, mesh, placement);
}

bool StepCost::isResidual(Value v) {
  auto isBackward = [](Operation *op) {
    return train::hasTag(op, train::Tag::Backward);
  };
  Operation *op = v.getDefiningOp();
  return op && !isBackward(op) && !isFree(op) &&
         llvm::any_of(v.getUsers(), isBackward);
}

// Returns a device's share of a product: a share of the batch, then of the
// rows.
static planning::ProductWork getShare(const train::OpCost::Product &own,
                                      double share) {
  planning::ProductWork out{
      {own.batch, own.m, own.n, own.k}, own.type, own.share, own.kind};
  for (int64_t *extent : {&out.shape.batch, &out.shape.m}) {
    auto before = static_cast<double>(*extent);
    *extent = std::max<int64_t>(1, std::llround(before * share));
    share *= before / static_cast<double>(*extent);
  }
  out.share *= share;
  return out;
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
  planning::KernelWork work;
  work.bytes = outsideBytes(
      op,
      [&](unsigned i) {
        return localBytes(op->getOperand(i), sharding.operand(mesh, i));
      },
      [&](unsigned i) {
        return localBytes(op->getResult(i), sharding.result(mesh, i));
      });

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
    Type type = train::tensorType(dot.getLhs()).getElementType();
    return times *
           model.productSeconds(train::getTypeName(type), shape, work.bytes);
  }
  train::OpCost cost = train::getCost(op);
  work.vectorOps = share * cost.additions;
  work.transcendentals = share * cost.functions;
  SmallVector<planning::ProductWork> products;
  for (const train::OpCost::Product &own : cost.products)
    products.push_back(getShare(own, share));
  double seconds =
      model.kernelSeconds(work, "f32", products.data(), products.size());
  if (isFused(op)) // launched with others
    seconds = std::max(0.0, seconds - model.launchSeconds());
  return times * seconds;
}

double StepCost::edgeSeconds(
    Operation *op, const OpSharding &sharding,
    function_ref<void(const planning::Collective &, double)> visit) const {
  bool inTime = llvm::any_of(sharding.factors, [&](const FactorShards &own) {
    return llvm::any_of(own.axes,
                        [&](unsigned axis) { return mesh.isTemporal(axis); });
  });
  double all = 0;
  for (const Exchange &exchange : exchangesOf(op, mesh, sharding)) {
    double seconds = (inTime ? microbatches : 1) * exchange.times *
                     model.collectiveSeconds(exchange.collective);
    all += seconds;
    if (visit)
      visit(exchange.collective, seconds);
  }
  return all;
}

const StepCost::Move &StepCost::moveOf(Value v, const Placement &from,
                                       const Placement &to) const {
  static const Move none;
  if (from == to || v.getDefiningOp<train::ConstantOp>())
    return none;
  Type element = train::tensorType(v).getElementType();
  std::vector<int64_t> key = {
      static_cast<int64_t>(bytesOf(v)),
      reinterpret_cast<intptr_t>(element.getAsOpaquePointer())};
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

  bool possible = forEachMove(
      v, mesh, from, to, localBytes(v, to),
      [&](Traffic kind, ArrayRef<unsigned> axes, double bytes) {
        move.messages.push_back(
            {kind, mesh.groupOf(axes), bytes, train::getTypeName(element)});
        move.seconds += model.collectiveSeconds(move.messages.back());
      });
  if (!possible)
    move.seconds = std::numeric_limits<double>::infinity();
  return move;
}

// Collects small collectives that nothing orders, which cross the network
// together (passes/Schedule/BucketCollectives.cpp). Collectives that wait for
// others share a bucket if they are of one wave: if the same number of
// collectives comes before them on the way from the arguments.
class StepCost::Buckets {
public:
  explicit Buckets(const planning::CostModel &model) : model(model) {}

  // The wave of messages that nothing waits for before the step ends.
  static constexpr int64_t atEnd = -1;

  // Adds a message; returns false if it is large and goes alone. `times`: how
  // often a step sends it.
  bool add(const planning::Collective &message, double times, int64_t wave) {
    if (!model.isSmall(message))
      return false;
    Key key = {std::string(message.type),
               {static_cast<int64_t>(message.kind), static_cast<int64_t>(times),
                wave}};
    for (const planning::AxisGroup &axis : message.group) {
      key.second.push_back(axis.size);
      key.second.push_back(axis.stride);
    }
    Sum &sum =
        sums.try_emplace(std::move(key), Sum{message, times}).first->second;
    sum.bytes += message.bytes;
    ++sum.members;
    return true;
  }

  void forEach(function_ref<void(const planning::Collective &, double seconds)>
                   visit) const {
    for (const auto &[key, sum] : sums) {
      double count =
          std::max(std::ceil(sum.bytes / model.bucketBytes(sum.message.group)),
                   std::ceil(sum.members / planning::Buckets::mostMembers));
      count = std::clamp(count, 1.0, sum.members);
      planning::Collective full = sum.message;
      full.bytes = sum.bytes / count;
      visit(full, sum.times * count * model.collectiveSeconds(full));
    }
  }

private:
  using Key = std::pair<std::string, std::vector<int64_t>>;
  struct Sum {
    planning::Collective message; // any of them
    double times = 1, bytes = 0, members = 0;
  };
  const planning::CostModel &model;
  std::map<Key, Sum> sums;
};

// Returns the seconds of a move that nothing orders. Small collectives pay for
// their share of a full bucket.
double StepCost::looseSeconds(Value v, const Placement &from,
                              const Placement &to) const {
  const Move &move = moveOf(v, from, to);
  if (!std::isfinite(move.seconds))
    return move.seconds;
  double seconds = 0;
  for (const planning::Collective &message : move.messages) {
    if (!model.isSmall(message)) {
      seconds += model.collectiveSeconds(message);
      continue;
    }
    planning::Collective full = message;
    full.bytes = model.bucketBytes(message.group);
    seconds += message.bytes / full.bytes * model.collectiveSeconds(full);
  }
  return timesOf(to) * seconds;
}

// Counts a gather in the forward and in the backward pass, and for each
// microbatch.
StepCost::Gathers StepCost::gathersOf(const PlacedStep &placed,
                                      Value argument) const {
  Gathers gathers;
  Placement from = placed.computed(argument);
  for (auto &[to, uses] : placed.demands(argument)) {
    bool forward = false, backward = false, inTime = false;
    // Ops that are free are done again by each reader, so count their readers.
    llvm::SmallSetVector<Operation *, 8> readers;
    for (OpOperand *use : uses)
      readers.insert(use->getOwner());
    for (unsigned i = 0; i < readers.size(); ++i) {
      Operation *op = readers[i];
      if ((isFree(op) && !isa<ObserveOp>(op)) || isa<train::ConvertOp>(op)) {
        readers.insert(op->user_begin(), op->user_end());
        continue;
      }
      forward |= train::isForward(op);
      backward |= train::hasTag(op, train::Tag::Backward);
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
  // Seconds of ordered messages, by level of the network. `looseLevel` is the
  // outermost level that loose messages use.
  SmallVector<double, 4> ordered(model.countLevels(), 0);
  size_t looseLevel = 0;
  auto noteLevel = [&](const planning::Collective &message, bool loose,
                       double seconds) {
    size_t level = model.linkLevel(message.group);
    if (loose)
      looseLevel = std::max(looseLevel, level);
    else
      ordered[level] += seconds;
  };
  for (Operation &op : block) {
    OpWork work = workOf(&op, mesh, step);
    figures.model += work.model;
    figures.repeated += work.repeated;
    figures.padding += work.padding;
    if (auto it = step.ops.find(&op); it != step.ops.end()) {
      figures.compute += seconds(&op, it->second);
      figures.communication +=
          edgeSeconds(&op, it->second,
                      [&](const planning::Collective &message, double seconds) {
                        noteLevel(message, /*loose=*/false, seconds);
                      });
    }
  }

  Buckets buckets(model), looseBuckets(model);
  DenseMap<Operation *, int64_t> waves; // the wave of what an op computes
  auto waveOf = [&](Value v) -> int64_t {
    Operation *source = v.getDefiningOp();
    return source ? waves.lookup(source) : 0;
  };
  auto send = [&](Value v, const Placement &from, const Placement &to,
                  double times, int64_t wave) {
    bool loose = wave == Buckets::atEnd;
    const Move &move = moveOf(v, from, to);
    times *= timesOf(to);
    // The gradient is sent, and about as much for the new value.
    if (tables.contains(step.parameterOf.lookup(v)))
      figures.tables += 2 * times * move.seconds;
    if (!std::isfinite(move.seconds)) {
      figures.communication += times * move.seconds;
      return;
    }
    for (const planning::Collective &message : move.messages) {
      if ((loose ? looseBuckets : buckets).add(message, times, wave))
        continue;
      double seconds = times * model.collectiveSeconds(message);
      noteLevel(message, loose, seconds);
      figures.communication += seconds;
      figures.loose += loose ? seconds : 0;
    }
  };
  // Returns true for sums over microbatches and devices of which each device
  // needs a shard.
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
      for (const auto &demand : demands) {
        figures.largest = std::max(figures.largest, localBytes(v, demand.to));
        for (const planning::Collective &message :
             moveOf(v, from, demand.to).messages)
          noteLevel(message, /*loose=*/true, 0);
      }
      Gathers gathers = gathersOf(placed, v);
      const StateChoice *state = step.stateOf(v);
      auto gathered = !state            ? StateChoice::Gathered::Again
                      : state->isKept() ? StateChoice::Gathered::Kept
                                        : state->gathered;
      figures.communication += gathers.first;
      figures.loose += gathers.first;
      if (tables.contains(v))
        figures.tables += gathers.first + gathers.again;
      if (state && state->hasCopy())
        figures.state += gathers.bytes;
      else if (gathered == StateChoice::Gathered::Kept)
        figures.residuals += gathers.bytes;
      if (gathered != StateChoice::Gathered::Kept) {
        figures.communication += gathers.again;
        figures.loose += gathers.again;
      }
      if (gathered == StateChoice::Gathered::Open) {
        figures.keptBytes += gathers.bytes;
        figures.keptSeconds += gathers.again;
      }
      return;
    }
    bool loose = step.parameterOf.contains(v) ||
                 StepParameters::isUpdate(v.getDefiningOp());
    int64_t wave = waveOf(v);
    auto orderOf = [&](int64_t own) { return loose ? Buckets::atEnd : own; };
    if (demands.size() > 1 && demands.front().to.partial != from.partial) {
      Placement reduced = from;
      reduced.partial = demands.front().to.partial;
      send(v, from, reduced, 1, orderOf(wave++));
      from = reduced;
    }
    for (auto &[to, uses] : demands) {
      bool each = step.sumsFirst(v) && isScattered(from, to);
      send(v, from, to, each ? microbatches : 1, orderOf(wave));
      for (OpOperand *use : uses) {
        int64_t &later = waves[use->getOwner()];
        later = std::max(later, wave + 1);
      }
      if (isResidual(v) && !placed.computed(v).partial.empty())
        figures.residuals += localBytes(v, to);
      figures.largest = std::max(figures.largest, localBytes(v, to));
    }
  };
  // With one microbatch, gradients wait for their norm in the shards of the
  // update. With several, they are accumulated as they are computed.
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
  for (Operation &op : block) {
    int64_t wave = waves.lookup(&op);
    for (Value v : op.getOperands())
      wave = std::max(wave, waveOf(v));
    waves[&op] = wave;
    for (Value v : op.getResults())
      visit(v);
  }
  for (const Buckets *own : {&buckets, &looseBuckets})
    own->forEach([&](const planning::Collective &message, double seconds) {
      bool loose = own == &looseBuckets;
      noteLevel(message, loose, seconds);
      figures.communication += seconds;
      figures.loose += loose ? seconds : 0;
    });
  if (!model.overlaps() || !std::isfinite(figures.communication))
    figures.loose = 0;
  if (figures.loose > 0)
    figures.inWay = ordered[looseLevel];
  return figures;
}
