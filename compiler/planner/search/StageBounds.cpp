// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bounds assume microbatches of one row. Then every stage holds the
// residuals of about one row of the whole model, and a device computes and
// exchanges along `tensor` as much as it would without stages.
#include "compiler/planner/search/StageBounds.h"
#include "passes/Distribute/Estimate/PipelineEstimate.h"
#include "planning/ScheduleGenerators.h"
#include <cmath>

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;
using namespace zcc::planner;

using planning::AxisRole;

static constexpr double unbounded = std::numeric_limits<double>::infinity();

StageBounds::StageBounds(const PlanFacts &facts, const PlanFigures &known,
                         int64_t devices, double memory)
    : facts(facts), known(known), devices(devices), memory(memory) {
  readFigures();
}

void StageBounds::readFigures() {
  for (const auto &[key, own] : known.figures) {
    if (!own)
      continue;
    // Figures of plans with stages are of all stages.
    auto stages = static_cast<double>(
        planning::sizeOf(key.mesh, {AxisRole::Pipe}));
    // Plans with other axes need not repeat or pad anything. Their work along
    // `tensor` is the same.
    compute = std::min(compute, own->compute / stages / own->executed());
    double rows = static_cast<double>(facts.batch) /
                  static_cast<double>(planning::sizeOf(
                      key.mesh, {AxisRole::Data, AxisRole::Expert}));
    int64_t tensor = planning::sizeOf(key.mesh, {AxisRole::Tensor});
    double &along = computeAlong.try_emplace(tensor, unbounded).first->second;
    along = std::min(along, own->compute / stages * std::min(rows, 1.0));
    rows = std::max(rows, 1.0); // no device has less
    auto microbatches =
        static_cast<double>(std::max<int64_t>(key.microbatches, 1));
    Known &at = byShare[planning::sizeOf(
        key.mesh, {AxisRole::Tensor, AxisRole::Context})];
    at.messages =
        std::min(at.messages, (own->communication - own->loose) / stages);
    at.rowBytes = std::min(at.rowBytes, own->residuals * microbatches / rows);
    if (auto curve = known.curves.find(key); curve != known.curves.end() &&
                                             curve->second && stages == 1 &&
                                             own->residuals > 0) {
      std::vector<Again> &shares = again.emplace_back();
      for (const ResidualCurve::Point &point : curve->second->points)
        shares.push_back(
            {point.saved / own->residuals, point.seconds / own->compute});
    }
    if (key.zero == 3 && stages == 1) {
      double again = own->loose / microbatches * rows;
      gathers = gathers > 0 ? std::min(gathers, again) : again;
    }
  }
}

StageBounds::Known StageBounds::guess(int64_t share) const {
  if (byShare.empty())
    return {0, 0};
  auto above = byShare.upper_bound(share);
  auto [nearest, known] =
      above == byShare.begin() ? *above : *std::prev(above);
  auto own = static_cast<double>(share), from = static_cast<double>(nearest);
  // Traffic grows with the rows that the devices of a group share. It is less
  // if the group spans few nodes.
  Known out{from > 1 ? known.messages * (own - 1) / (from - 1) : known.messages,
            known.rowBytes * from / own};
  for (const auto &[size, at] : byShare)
    if (size > 1 && size < share)
      out.messages =
          std::min(out.messages, at.messages * (own - 1) /
                                     (static_cast<double>(size) - 1));
  return out;
}

double StageBounds::computeAgain(double share) const {
  double least = unbounded;
  for (const std::vector<Again> &curve : again) {
    double saved = 0, most = 0;
    for (const Again &point : curve) {
      if (saved >= share)
        break;
      saved = std::max(saved, point.saved);
      most = point.computed;
    }
    least = std::min(least, most);
  }
  // Without any curve, about this share of the computation is done again for
  // all residuals.
  constexpr double some = 0.1;
  return std::isfinite(least) ? least : some * share;
}

std::optional<StageBounds::Shape>
StageBounds::bound(VariantShape shape) const {
  // The best schedules shorten the way through all stages by this factor: the
  // number of chunks, or the gain of splitting the backward tasks in two.
  constexpr int64_t split = 3;
  auto shorter =
      static_cast<double>(std::max(split, mostChunks(shape.pipe)));
  // the share of the rest that gathers run beside
  constexpr double beside = 0.9;
  double stages = static_cast<double>(shape.pipe),
         tensor = static_cast<double>(shape.tensor),
         context = static_cast<double>(shape.context),
         rows =
             static_cast<double>(devices) / stages / tensor / context; // shards
  double microbatches =
      std::max(std::floor(static_cast<double>(facts.batch) / rows), 1.0);
  // A sequence over `context` is exchanged as well.
  Known own = guess(shape.tensor * shape.context);
  // If a smaller `tensor` pads dims, a larger one pads no less.
  double least = compute;
  if (auto above = computeAlong.upper_bound(shape.tensor);
      above != computeAlong.begin())
    least = std::prev(above)->second;
  double work = least + own.messages;
  if (!std::isfinite(work))
    return std::nullopt;
  double best = unbounded;
  auto take = [&](double held, double extra) {
    if (held > memory)
      return;
    double lacks = held + own.rowBytes - memory;
    if (lacks > 0)
      extra += least * computeAgain(std::min(lacks / own.rowBytes, 1.0));
    best = std::min(best, extra);
  };
  take((facts.parameters + facts.gradients +
        (facts.state - facts.parameters) / rows) /
           stages / tensor,
       0);
  take((facts.state + facts.gradients) / static_cast<double>(devices),
       std::max(0.0, gathers * context - beside * work));
  if (!std::isfinite(best))
    return std::nullopt;
  // Gradients of weights hide messages of the backward pass along `tensor`: at
  // most half of the messages, and a third of the computation.
  double hidden =
      shape.tensor > 1 ? std::min(own.messages / 2, least / 3) : 0;
  double slow = 1 + (stages - 1) / shorter / microbatches;
  return Shape{shape, work * slow + best, (work - hidden) * slow + best};
}

int64_t StageBounds::contextFor(VariantShape shape) const {
  if (shape.pipe == 1 || facts.sequence <= 1)
    return 1;
  int64_t rest = devices / shape.pipe / shape.tensor;
  for (int64_t size : divisorsOf(rest))
    if (facts.sequence % size == 0 && facts.batch / (rest / size) >= shape.pipe)
      return size;
  return 1;
}

std::vector<StageBounds::Shape>
StageBounds::list(const std::set<int64_t> &looked) const {
  std::vector<Shape> shapes;
  for (int64_t pipe : divisorsOf(devices))
    for (int64_t tensor : divisorsOf(devices / pipe)) {
      if ((pipe == 1 && looked.count(tensor) != 0) || known.isNeverCut(pipe))
        continue;
      VariantShape shape = {pipe, tensor};
      // Twice as many leave fewer devices waiting, at the price of more
      // messages.
      int64_t least = contextFor(shape), rest = devices / pipe / tensor;
      std::set<int64_t> sizes{1, least};
      if (least > 1 && facts.sequence % (2 * least) == 0)
        sizes.insert(2 * least);
      for (int64_t context : sizes) {
        shape.context = context;
        if (rest % context != 0 || rest / context > facts.batch)
          continue;
        if (std::optional<Shape> known = bound(shape))
          shapes.push_back(*known);
      }
    }
  // Among bounds that hardly differ, the shape with the fewest stages comes
  // first: its bound is the closest to what can be reached.
  constexpr double hardly = 1.02;
  auto rank = [&](const Shape &shape) {
    auto step =
        static_cast<int64_t>(std::log(shape.seconds) / std::log(hardly));
    return std::make_tuple(step, shape.pipe, shape.seconds, shape.tensor,
                           shape.context);
  };
  llvm::sort(shapes, [&](const Shape &a, const Shape &b) {
    return rank(a) < rank(b);
  });
  return shapes;
}
