// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chooses the number of microbatches of a variant, and how much of the state a
// device holds, so that it fits into memory.
#include "compiler/planner/search/PlanSearch.h"
#include "dialects/Dist/AxisNames.h"
#include "passes/Distribute/Estimate/ResidualCurve.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;
using namespace zcc::planner;

using planning::AxisRole;
using planning::Plan;
using planning::PlanAxis;

std::vector<Candidate> PlanSearch::layoutsOf(const Candidate &variant) const {
  if (!asked.isBare() || asked.zero >= 0 || !asked.zeroAxes.empty())
    return {variant};
  std::vector<Candidate> layouts = {variant};
  const std::vector<PlanAxis> &mesh = variant.plan.mesh;
  int64_t stride = 1; // ranks between neighbors along `data`
  size_t data = mesh.size();
  for (size_t i = mesh.size(); i-- > 0 && data > i;)
    if (mesh[i].role() == AxisRole::Data)
      data = i;
    else
      stride *= mesh[i].size;
  if (data < mesh.size()) {
    int64_t size = mesh[data].size,
            near = options.model.devicesPerNode / stride;
    if (near > 1 && near < size && size % near == 0) {
      const char *whole = planning::axisName(AxisRole::Data);
      Candidate &hybrid = layouts.emplace_back(variant);
      hybrid.plan.zero = 3;
      hybrid.plan.zeroAxes = {nameAxisPart({whole, size / near, near})};
      auto &axes = hybrid.plan.mesh;
      axes[data] = {nameAxisPart({whole, 1, size / near}), size / near};
      axes.insert(axes.begin() + data + 1,
                  PlanAxis{hybrid.plan.zeroAxes.front(), near});
    }
  }
  layouts.emplace_back(variant).plan.zero = 3;
  // Layouts that cannot fit come last: they are of use only where nothing fits.
  llvm::stable_sort(layouts, [&](const Candidate &a, const Candidate &b) {
    return !cannotFit(a) && cannotFit(b);
  });
  return layouts;
}

bool PlanSearch::cannotFit(const Candidate &layout) const {
  const Plan &plan = layout.plan;
  // Annotations may shard stored values over other axes.
  if (plan.zero == 3 && plan.zeroAxes.empty())
    return false;
  if (!asked.isBare() || !asked.shard.empty() ||
      layout.added != Candidate::Added::Nothing)
    return false;
  // `same`: devices along `data` that hold the same state. All other axes may
  // divide it.
  int64_t same = planning::sizeOf(plan.mesh, {AxisRole::Data});
  for (const PlanAxis &axis : plan.mesh)
    if (llvm::is_contained(plan.zeroAxes, axis.name))
      same /= axis.size;
  double least = (plan.zeroAxes.empty() ? facts.parameters : facts.state) /
                 (static_cast<double>(devices) / static_cast<double>(same));
  return known.scale.state * least > budget();
}

static double bytesOfRows(const StepCost::Figures &whole) {
  return whole.scale.residuals * whole.residuals +
         whole.scale.largest * whole.largest;
}

static double bytesIn(const StepCost::Figures &whole, int64_t microbatches) {
  const StepCost::MemoryScale &by = whole.scale;
  return by.state * whole.state + by.gradients * whole.gradients +
         bytesOfRows(whole) / static_cast<double>(microbatches);
}

int64_t PlanSearch::countThatFits(const Candidate &layout,
                                  const StepCost::Figures &whole) const {
  // Dividing the rows' share of memory below this share of all only costs time.
  constexpr double small = 1.0 / 64;
  int64_t count = 1, shards = rowShards(layout);
  while (2 * count * shards <= facts.batch &&
         bytesIn(whole, count) > budget() &&
         bytesOfRows(whole) / static_cast<double>(count) >
             small * bytesIn(whole, count))
    count *= 2;
  return count;
}

int64_t PlanSearch::countForTurns(const Candidate &plan) const {
  // Less than this share of a step is not worth more kernels.
  constexpr double little = 0.2;
  // All but one of so many microbatches take turns.
  constexpr int64_t most = 4;
  const StepCost::Figures &figures = plan.figures;
  int64_t count = 1, shards = rowShards(plan);
  if (asked.microbatches == 0 && model.overlaps() && plan.stages() == 1 &&
      figures.communication - figures.loose >= little * figures.seconds())
    while (2 * count <= most && 2 * count * shards <= facts.batch)
      count *= 2;
  return count;
}

std::optional<Candidate> PlanSearch::measureInTurns() {
  std::optional<Candidate> least;
  double leastSeconds = best->figures.charged();
  for (const Candidate &plan : considered) {
    const StepCost::Figures &figures = plan.figures;
    int64_t count = countForTurns(plan);
    if (count <= plan.plan.microbatches || !fits(plan) || figures.recomputed)
      continue;
    // Activations of one microbatch are not hidden. Gradients and parameters
    // travel beside one microbatch, as far as it takes so long.
    double share = 1.0 / static_cast<double>(count);
    double seconds = std::max(figures.compute, figures.communication) +
                     share * (figures.communication - figures.loose) +
                     std::max(figures.loose - share * figures.compute, 0.0);
    if (figures.charge(seconds) < leastSeconds) {
      leastSeconds = figures.charge(seconds);
      least = plan;
    }
  }
  return least ? measure(*least, countForTurns(*least)) : std::nullopt;
}

std::vector<Candidate> PlanSearch::firstOf(const Candidate &variant) const {
  Candidate layout = layoutsOf(variant).front();
  Candidate first =
      inMicrobatches(layout, std::max<int64_t>(asked.microbatches, 1));
  std::optional<StepCost::Figures> whole;
  if (auto own = known.figures.find(baseOf(first)); own != known.figures.end())
    whole = own->second;
  else if (auto own = ahead.find(baseOf(first)); own != ahead.end())
    whole = own->second.figures;
  else
    return {first};
  if (!whole || asked.microbatches > 0)
    return {};
  int64_t count = countThatFits(layout, known.correct(first.key(), *whole));
  if (count == 1)
    return {};
  return {inMicrobatches(layout, count)};
}

std::optional<Candidate> PlanSearch::measure(const Candidate &variant,
                                             const Candidate *next) {
  if (variant.stages() > 1)
    return measureStages(variant);
  int64_t shards = rowShards(variant);
  bool mayDivide = asked.microbatches == 0;
  std::optional<Candidate> own;
  auto keep = [&](std::optional<Candidate> plan) {
    if (plan && (!own || better(*plan, *own)))
      own = plan;
  };
  for (const Candidate &layout : layoutsOf(variant)) {
    if (own && fits(*own) && cannotFit(layout))
      break;
    int64_t count = std::max<int64_t>(asked.microbatches, 1);
    auto after = [&] {
      return next ? firstOf(*next) : std::vector<Candidate>();
    };
    std::optional<Candidate> plan = measure(layout, count, after());
    keep(plan);
    if (!plan)
      continue;
    // The other layouts only cost more. One with two microbatches may hide
    // messages behind the next microbatch, which no estimate knows.
    if (fits(*plan) && !plan->figures.recomputed) {
      if (mayDivide && !asked.isBare() && plan->figures.loose > 0 &&
          model.overlaps() && 2 * shards <= facts.batch)
        keep(measure(layout, 2, after()));
      if (int64_t turns = countForTurns(*plan); turns > 2 && !asked.isBare())
        keep(measure(layout, turns, after()));
      break;
    }
    const StepCost::Figures &whole = plan->figures;
    if (mayDivide)
      count = countThatFits(layout, whole);
    // More microbatches do not reduce the work of a step, apart from values
    // that are computed again. They may add rows of padding.
    double work =
        whole.compute - (whole.recomputed ? whole.recomputed->seconds : 0);
    auto mayWin = [&](int64_t n) {
      return n > plan->plan.microbatches &&
             (!fits(*plan) || work * padding(layout, n) <
                                  plan->figures.charged() *
                                      padding(layout, plan->plan.microbatches));
    };
    // While nothing fits, the plan that needs the least memory is looked for.
    bool tooLarge = bytesIn(whole, count) > budget();
    // Fewer microbatches that compute more again may be faster.
    constexpr int64_t fewer = 4;
    bool triesFewer = plan->figures.curve && mayWin(count / fewer);
    if (mayWin(count) && !(tooLarge && best && fits(*best))) {
      keep(measure(layout, count,
                   triesFewer
                       ? std::vector{inMicrobatches(layout, count / fewer)}
                       : after()));
    }
    if (triesFewer)
      keep(measure(layout, count / fewer, after()));
  }
  return own;
}
