// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a plan costs: its sharding, decided in memory and measured
// (StepCost.h), in as many microbatches and with state split as far as fits.
#include "dialects/Dist/AxisNames.h"
#include "mlir/IR/Diagnostics.h"
#include "passes/Distribute/Choose/Microbatches.h"
#include "passes/Distribute/Choose/PlanSearch.h"
#include "passes/Distribute/Place/ResidualCurve.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;

using planning::AxisRole;
using planning::Plan;
using planning::PlanAxis;

FailureOr<DecidedSharding>
PlanSearch::decide(const Plan &plan, const MeshAxes &mesh, bool quiet) {
  std::optional<ScopedDiagnosticHandler> silence;
  if (quiet)
    silence.emplace(module.getContext(),
                    [](Diagnostic &) { return success(); });
  // What is propagated does not depend on how state is stored, nothing on the
  // schedule.
  Plan key = plan;
  key.schedule.clear();
  if (last && last->first == key)
    return last->second;
  Plan own = key;
  key.zero = 0;
  key.zeroAxes.clear();
  key.state.clear();
  auto before = propagated.find(key);
  if (before == propagated.end()) {
    FailureOr<DecidedSharding> decided =
        decideSharding(func, mesh, rules, requestOf(plan));
    if (succeeded(decided)) {
      propagated.emplace(std::move(key), *decided);
      last.emplace(std::move(own), *decided);
    }
    return decided;
  }
  DecidedSharding decided = before->second;
  decided.step.demands.clear();
  if (failed(finishSharding(func, mesh, requestOf(plan), decided)))
    return failure();
  last.emplace(std::move(own), decided);
  return decided;
}

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
      Candidate &hybrid = layouts.emplace_back(variant);
      hybrid.plan.zero = 3;
      hybrid.plan.zeroAxes = {nameAxisPart({"data", size / near, near})};
      auto &axes = hybrid.plan.mesh;
      axes[data] = {nameAxisPart({"data", 1, size / near}), size / near};
      axes.insert(axes.begin() + data + 1,
                  PlanAxis{hybrid.plan.zeroAxes.front(), near});
    }
  }
  layouts.emplace_back(variant).plan.zero = 3;
  // What cannot fit is of use only where nothing does.
  llvm::stable_sort(layouts, [&](const Candidate &a, const Candidate &b) {
    return !cannotFit(a) && cannotFit(b);
  });
  return layouts;
}

bool PlanSearch::cannotFit(const Candidate &layout) const {
  const Plan &plan = layout.plan;
  // Annotations may shard what is stored over other axes.
  if (plan.zero == 3 && plan.zeroAxes.empty())
    return false;
  if (!asked.isBare() || !asked.shard.empty() ||
      layout.added != Candidate::Added::Nothing)
    return false;
  // Devices along `data` that hold the same; all other axes may divide it.
  int64_t same = planning::sizeOf(plan.mesh, {AxisRole::Data});
  for (const PlanAxis &axis : plan.mesh)
    if (llvm::is_contained(plan.zeroAxes, axis.name))
      same /= axis.size;
  double least = (plan.zeroAxes.empty() ? facts.parameters : facts.state) /
                 (static_cast<double>(devices) / static_cast<double>(same));
  return known.scale.state * least > budget();
}

std::optional<Candidate> PlanSearch::measure(Candidate candidate,
                                             int64_t count) {
  candidate.plan.microbatches = count;
  candidate.plan.schedule = asked.schedule;
  Candidate::Key base = baseOf(candidate);
  auto [it, added] = known.figures.try_emplace(base);
  if (added) {
    MeshAxes mesh = makeAxes(module, candidate.plan);
    FailureOr<DecidedSharding> decided = decide(candidate.plan, mesh);
    // What was asked for is refused with a reason, later.
    if (succeeded(decided) &&
        (asked.microbatches > 0 ||
         runsInMicrobatches(func, {mesh, decided->step, decided->partials},
                            options.perMicrobatch)))
      it->second = measureWhole(base, mesh, *decided);
    if (it->second && asked.microbatches == 0 &&
        !std::isfinite(it->second->seconds()))
      it->second = std::nullopt;
  }
  if (!it->second)
    return std::nullopt;
  if (candidate.stages() > 1)
    return measureSchedules(candidate, *it->second);
  return consider(candidate, *it->second);
}

StepCost::Figures PlanSearch::measureWhole(const Candidate::Key &base,
                                           const MeshAxes &mesh,
                                           const DecidedSharding &decided) {
  Block &block = func.getBody().front();
  StepCost cost(block, mesh, model);
  PlacedStep placed = {mesh, decided.step, decided.partials};
  if (planning::sizeOf(base.mesh, {AxisRole::Pipe}) > 1)
    known.profiles.try_emplace(base,
                               measureProfile(block, placed, cost, pinned));
  return cost.measure(placed);
}

Candidate PlanSearch::consider(Candidate candidate,
                               const StepCost::Figures &estimate) {
  candidate.figures = countAll(known.correct(candidate.key(), estimate));
  recompute(candidate);
  considered.push_back(candidate);
  return candidate;
}

void PlanSearch::recompute(Candidate &candidate) {
  if (fits(candidate) || !asked.residuals.empty() ||
      candidate.figures.planned > 0)
    return;
  auto [it, added] = known.curves.try_emplace(baseOf(candidate));
  if (added) {
    MeshAxes mesh = makeAxes(module, candidate.plan);
    FailureOr<DecidedSharding> decided = decide(candidate.plan, mesh);
    if (succeeded(decided)) {
      Block &block = func.getBody().front();
      it->second = std::make_shared<ResidualCurve>(
          measureResiduals(block, {mesh, decided->step, decided->partials},
                           StepCost(block, mesh, model)));
    }
  }
  candidate.figures.curve = it->second;
  candidate.figures = candidate.figures.withRecomputed(budget());
}

std::optional<Candidate> PlanSearch::measure(const Candidate &variant) {
  if (variant.stages() > 1)
    return measureStages(variant);
  int64_t shards = rowShards(variant);
  bool mayDivide = asked.microbatches == 0;
  std::optional<Candidate> own;
  auto take = [&](std::optional<Candidate> plan) {
    if (plan && (!own || better(*plan, *own)))
      own = plan;
  };
  for (const Candidate &layout : layoutsOf(variant)) {
    if (own && fits(*own) && cannotFit(layout))
      break;
    int64_t count = std::max<int64_t>(asked.microbatches, 1);
    std::optional<Candidate> plan = measure(layout, count);
    take(plan);
    if (!plan)
      continue;
    // The others only cost more, but that some hide messages behind the next
    // microbatch, which no estimate knows.
    if (fits(*plan) && !plan->figures.recomputed) {
      if (mayDivide && !asked.isBare() && plan->figures.loose > 0 &&
          model.overlaps() && 2 * shards <= facts.batch)
        take(measure(layout, 2));
      break;
    }
    // In so many microbatches that it should fit; one row each at least.
    const StepCost::Figures &whole = plan->figures;
    double perRow = whole.scale.residuals * whole.residuals +
                    whole.scale.largest * whole.largest;
    // More of them than make this share of it small cost time alone.
    constexpr double small = 1.0 / 64;
    auto bytesIn = [&](int64_t n) {
      const StepCost::MemoryScale &by = whole.scale;
      return by.state * whole.state + by.gradients * whole.gradients +
             perRow / static_cast<double>(n);
    };
    while (mayDivide && 2 * count * shards <= facts.batch &&
           bytesIn(count) > budget() &&
           perRow / static_cast<double>(count) > small * bytesIn(count))
      count *= 2;
    // The work of a step, without what is computed again, does not become less;
    // rows that the batch is padded to are more of it.
    double work =
        whole.compute - (whole.recomputed ? whole.recomputed->seconds : 0);
    auto mayWin = [&](int64_t n) {
      return n > plan->plan.microbatches &&
             (!fits(*plan) ||
              work * padding(layout, n) <
                  plan->figures.charged() *
                      padding(layout, plan->plan.microbatches));
    };
    // While nothing fits, what needs least is looked for.
    bool tooLarge = bytesIn(count) > budget();
    if (mayWin(count) && !(tooLarge && best && fits(*best)))
      take(measure(layout, count));
    // In fewer, of which more is computed again.
    constexpr int64_t fewer = 4;
    if (plan->figures.curve && mayWin(count / fewer))
      take(measure(layout, count / fewer));
  }
  return own;
}
