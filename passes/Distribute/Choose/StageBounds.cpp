// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Microbatches of one row: every stage then holds residuals of about one row of
// the whole model, and what a device computes and exchanges along `tensor` is
// what it would without stages.
#include "passes/Distribute/Choose/StageBounds.h"
#include "compiler/planning/ScheduleGenerators.h"
#include <cmath>

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;

using planning::AxisRole;

StageBounds::StageBounds(const PlanFacts &facts, const PlanFigures &known,
                         int64_t devices, double memory)
    : facts(facts), known(known), devices(devices), memory(memory) {
  readFigures();
}

void StageBounds::readFigures() {
  for (const auto &[key, own] : known.figures) {
    if (!own || planning::sizeOf(key.mesh, {AxisRole::Pipe}) > 1)
      continue;
    auto rows = static_cast<double>(facts.batch) /
                static_cast<double>(planning::sizeOf(
                    key.mesh, {AxisRole::Data, AxisRole::Expert}));
    auto microbatches =
        static_cast<double>(std::max<int64_t>(key.microbatches, 1));
    compute = std::min(compute, own->compute);
    Known &at = byTensor[planning::sizeOf(key.mesh, {AxisRole::Tensor})];
    at.messages = std::min(at.messages, own->communication - own->loose);
    at.rowBytes = std::min(at.rowBytes, own->residuals * microbatches / rows);
    if (key.zero == 3) {
      double again = own->loose / microbatches * rows;
      gathers = gathers > 0 ? std::min(gathers, again) : again;
    }
  }
}

StageBounds::Known StageBounds::guess(int64_t tensor) const {
  if (byTensor.empty())
    return {0, 0};
  auto above = byTensor.upper_bound(tensor);
  auto [nearest, known] =
      above == byTensor.begin() ? *above : *std::prev(above);
  auto own = static_cast<double>(tensor), from = static_cast<double>(nearest);
  // What is exchanged grows with the rows that the devices of a group share.
  return {from > 1 ? known.messages * (own - 1) / (from - 1) : known.messages,
          known.rowBytes * from / own};
}

std::optional<double> StageBounds::bound(VariantShape shape) const {
  // By which good schedules shorten the way through all stages.
  constexpr double shorter = 3;
  // Of gathers, what runs beside the rest; of all that is computed, what is the
  // least to compute again so that nothing is kept.
  constexpr double beside = 0.9, again = 0.1;
  double stages = static_cast<double>(shape.pipe),
         tensor = static_cast<double>(shape.tensor),
         context = static_cast<double>(shape.context),
         rows =
             static_cast<double>(devices) / stages / tensor / context; // shards
  double microbatches =
      std::max(std::floor(static_cast<double>(facts.batch) / rows), 1.0);
  // A sequence over `context` is exchanged, too.
  Known own = guess(shape.tensor * shape.context);
  double work = compute + own.messages;
  if (!std::isfinite(work))
    return std::nullopt;
  double best = std::numeric_limits<double>::infinity();
  auto take = [&](double held, double extra) {
    if (held > memory)
      return;
    double lacks = held + own.rowBytes - memory;
    if (lacks > 0)
      extra += again * work * std::min(lacks / own.rowBytes, 1.0);
    best = std::min(best, extra);
  };
  take((facts.parameters + facts.gradients +
        (facts.state - facts.parameters) / rows / context) /
           stages / tensor,
       0);
  take((facts.state + facts.gradients) / static_cast<double>(devices),
       std::max(0.0, gathers * context - beside * work));
  if (!std::isfinite(best))
    return std::nullopt;
  return work * (1 + (stages - 1) / shorter / microbatches) + best;
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
      for (int64_t context : std::set<int64_t>{1, contextFor(shape)}) {
        shape.context = context;
        if (devices / pipe / tensor / context > facts.batch)
          continue;
        if (std::optional<double> seconds = bound(shape))
          shapes.push_back({shape, *seconds});
      }
    }
  llvm::sort(shapes, [](const Shape &a, const Shape &b) {
    return std::tie(a.seconds, a.pipe, a.tensor, a.context) <
           std::tie(b.seconds, b.pipe, b.tensor, b.context);
  });
  return shapes;
}
