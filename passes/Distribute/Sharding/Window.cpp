// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Distribute/Sharding/Window.h"
#include "dialects/Train/AttributeNames.h"
#include "passes/Distribute/Sharding/StepSharding.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;
using Traffic = planning::CollectiveKind;
using train::FactorRule;
using FactorKind = FactorRule::Kind;

bool BoxWindow::leaves(int64_t extent, int64_t shards) const {
  // Starts only grow or only fall with the index.
  int64_t first = start(0), last = start(shards - 1);
  return std::min(first, last) < 0 || std::max(first, last) + size > extent;
}

WindowPlan distribute::planWindow(const FactorRule::Window &window,
                                  int64_t local, int64_t shards,
                                  int64_t extent) {
  int64_t stride = window.stride, dilation = window.dilation;
  int64_t period = dilation / std::gcd(std::abs(stride), dilation);
  WindowPlan plan{};
  plan.align = shards == 1 || local % period == 0 ? 1 : period;
  plan.count = plan.align == 1 ? local : local + period - 1;
  int64_t base =
      stride > 0 ? window.low : (plan.count - 1) * stride + window.low;
  int64_t span = (plan.count - 1) * std::abs(stride) + window.extent;
  int64_t first = llvm::divideCeilSigned(base, dilation),
          last = llvm::divideFloorSigned(base + span - 1, dilation);
  if (shards == 1) {
    first = std::clamp<int64_t>(first, 0, extent - 1);
    last = std::clamp<int64_t>(last, first, extent - 1);
  }
  int64_t size = std::max<int64_t>(1, last - first + 1);
  plan.holesLow = first * dilation - base;
  plan.holesHigh = span - plan.holesLow - ((size - 1) * dilation + 1);
  plan.box = shards == 1 ? BoxWindow::fixed(first, size)
                         : BoxWindow{local, period, period * stride / dilation,
                                     first, size};
  return plan;
}

const FactorRule::Window *
distribute::leadingWindow(const FactorRule &rule, unsigned factor,
                          ArrayRef<FactorShards> factors) {
  const FactorRule::Window *first = nullptr;
  for (const FactorRule::Window &window : rule.windows) {
    if (window.factor != factor)
      continue;
    if (window.leader && !factors[*window.leader].axes.empty())
      return &window;
    if (!first)
      first = &window;
  }
  return first;
}

bool distribute::windowsFit(const MeshAxes &mesh, const FactorRule &rule,
                            ArrayRef<FactorShards> factors) {
  for (auto [f, own] : llvm::enumerate(factors))
    if (rule.needsNeighbors(f) && llvm::any_of(own.axes, [&](unsigned axis) {
          return mesh.isTemporal(axis);
        }))
      return false;
  SmallVector<unsigned> leaders(factors.size(), 0);
  for (const FactorRule::Window &window : rule.windows)
    if (window.leader && !factors[*window.leader].axes.empty() &&
        ++leaders[window.factor] > 1)
      return false;
  return true;
}

SmallVector<unsigned, 2> distribute::followersOf(const FactorRule &rule,
                                                 unsigned factor) {
  SmallVector<unsigned, 2> list;
  for (const FactorRule::Window &window : rule.windows)
    if (window.leader == factor && rule.factors[window.factor].size > 1)
      list.push_back(window.factor);
  return list;
}

static void forbidWindows(FactorRule &rule) {
  for (const FactorRule::Window &window : rule.windows) {
    rule.factors[window.factor].kind = FactorKind::Replicate;
    if (window.leader)
      rule.factors[*window.leader].kind = FactorKind::Replicate;
  }
  rule.windows.clear();
}

static void forbidScans(FactorRule &rule) {
  for (FactorRule::Factor &factor : rule.factors)
    if (factor.kind == FactorKind::Scan)
      factor.kind = FactorKind::Replicate;
}

static void forbidPicks(FactorRule &rule) {
  for (FactorRule::Factor &factor : rule.factors)
    if (factor.picked)
      factor.kind = FactorKind::Replicate;
}

void distribute::forbidDisabled(StepSharding &step,
                                ArrayRef<std::string> disable) {
  bool windows = llvm::is_contained(disable, "exchange-halos"),
       scans = llvm::is_contained(disable, "split-scans"),
       picks = llvm::is_contained(disable, "split-picks");
  for (FactorRule &rule : *step.rules) {
    if (windows)
      forbidWindows(rule);
    if (scans)
      forbidScans(rule);
    if (picks)
      forbidPicks(rule);
  }
}

// Returns the bytes of an operand that the device that needs the most gets from
// others.
static double windowBytes(Value v, const FactorRule::Tensor &tensor,
                          const MeshAxes &mesh, const OpSharding &sharding) {
  const FactorRule &rule = sharding.rule;
  double needed = bytesOf(v), own = needed;
  bool moves = false;
  for (auto [d, dim] : llvm::enumerate(tensor)) {
    if (dim.empty())
      continue;
    int64_t extent = train::shapeOf(v)[d];
    double whole = static_cast<double>(extent);
    if (rule.factors[dim.front()].kind != FactorKind::Window) {
      for (unsigned f : dim) {
        double part = 1.0 / mesh.shards(sharding.factors[f].axes);
        needed *= part;
        own *= part;
      }
      continue;
    }
    const FactorShards &follower = sharding.factors[dim.front()];
    if (follower.axes.empty())
      continue; // cut from the whole
    moves = true;
    const FactorRule::Window *window =
        leadingWindow(rule, dim.front(), sharding.factors);
    ArrayRef<unsigned> axes;
    int64_t shards = 1, local = 1;
    if (window->leader) {
      const FactorShards &leader = sharding.factors[*window->leader];
      axes = leader.axes;
      shards = mesh.shards(axes);
      local = leader.padded / shards;
    }
    BoxWindow box = planWindow(*window, local, shards, extent).box;
    int64_t parts = mesh.shards(follower.axes), size = follower.padded / parts,
            most = 0, held = 0;
    // Looks at the device that has shard `part` and reads box `index`.
    auto look = [&](int64_t index, int64_t part) {
      int64_t begin = std::max<int64_t>(0, box.start(index)),
              end = std::max(begin,
                             std::min(extent, box.start(index) + box.size)),
              has = std::max<int64_t>(0, std::min(end, (part + 1) * size) -
                                             std::max(begin, part * size));
      if (end - begin - has >= most - held) {
        most = end - begin;
        held = has;
      }
    };
    if (axes == ArrayRef<unsigned>(follower.axes)) {
      // The needs of devices in between differ only by alignment.
      for (int64_t index :
           {int64_t(0), int64_t(1), shards / 2, shards - 2, shards - 1})
        if (index >= 0 && index < shards)
          look(index, index);
    } else {
      for (int64_t index : {int64_t(0), shards - 1})
        for (int64_t part : {int64_t(0), parts - 1})
          look(index, part);
    }
    needed *= most / whole;
    own *= held / whole;
  }
  return moves ? needed - own : 0;
}

// Adds the blocks that go round if the op becomes a ring.
static void addRing(Operation *op, const MeshAxes &mesh,
                    const OpSharding &sharding,
                    SmallVectorImpl<Exchange> &exchanges) {
  if (!op->hasAttr(ringAttrName))
    return;
  for (unsigned i : {1u, 2u}) {
    Value block = op->getOperand(i);
    Placement placement = sharding.operand(mesh, i);
    const AxisList &axes = placement.dims[placement.dims.size() - 3];
    auto devices = static_cast<double>(mesh.shards(axes));
    if (devices == 1)
      return;
    auto type = mesh.localType(train::tensorType(block), placement);
    auto elements = static_cast<double>(type.getNumElements());
    auto pass = [&](double width, double times) {
      exchanges.push_back(
          {{Traffic::Permute, mesh.groupOf(axes), width * elements}, times});
    };
    pass(type.getElementTypeBitWidth() / 8.0, devices - 1);
    // The sums of the gradients are f32, and go all the way round.
    if (isa<train::AttentionGradientOp>(op))
      pass(4, devices);
  }
}

SmallVector<Exchange, 1> distribute::exchangesOf(Operation *op,
                                                 const MeshAxes &mesh,
                                                 const OpSharding &sharding) {
  const FactorRule &rule = sharding.rule;
  SmallVector<Exchange, 1> exchanges;
  if (!rule.windows.empty()) {
    double bytes = 0;
    for (auto [v, tensor] : llvm::zip_equal(op->getOperands(), rule.operands))
      bytes += windowBytes(v, tensor, mesh, sharding);
    AxisList axes;
    for (auto [own, factor] : llvm::zip_equal(sharding.factors, rule.factors))
      if (factor.kind == FactorKind::Window)
        axes.append(own.axes);
    if (bytes > 0)
      exchanges.push_back({{Traffic::Permute, mesh.groupOf(axes), bytes}});
  }
  for (auto [f, own] : llvm::enumerate(sharding.factors)) {
    bool scans = rule.factors[f].kind == FactorKind::Scan,
         compares = isa<train::ArgReduceOp>(op) && rule.factors[f].picked;
    if (!(scans || compares) || own.axes.empty())
      continue;
    // Devices exchange one element of each line along the dim: the totals of
    // all others, or the maximum.
    double totals = bytesOf(op->getOperand(0)) / rule.factors[f].size;
    for (auto [g, other] : llvm::enumerate(sharding.factors))
      if (g != f)
        totals /= mesh.shards(other.axes);
    if (scans)
      exchanges.push_back({{Traffic::AllGather, mesh.groupOf(own.axes),
                            totals * mesh.shards(own.axes)}});
    else
      exchanges.push_back(
          {{Traffic::AllReduce, mesh.groupOf(own.axes), totals}});
  }
  addRing(op, mesh, sharding, exchanges);
  return exchanges;
}

double distribute::haloBytes(Operation *op, const MeshAxes &mesh,
                             const OpSharding &sharding) {
  double bytes = 0;
  for (const Exchange &exchange : exchangesOf(op, mesh, sharding))
    bytes += exchange.times * exchange.collective.bytesSent();
  return bytes;
}
