// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a plan costs: its sharding, decided in memory and measured
// (StepCost.h), in as many microbatches and with state split as far as fits.
#include "dialects/Dist/AxisNames.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Threading.h"
#include "passes/Distribute/Choose/Microbatches.h"
#include "passes/Distribute/Choose/PlanSearch.h"
#include "passes/Distribute/Place/ResidualCurve.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;

using planning::AxisRole;
using planning::Plan;
using planning::PlanAxis;

// What is propagated does not depend on how state is stored, nothing on the
// schedule.
static Plan withoutSchedule(Plan plan) {
  plan.schedule.clear();
  return plan;
}

static Plan withoutState(Plan plan) {
  plan.schedule.clear();
  plan.zero = 0;
  plan.zeroAxes.clear();
  plan.state.clear();
  return plan;
}

FailureOr<DecidedSharding> PlanSearch::decideNew(const Plan &plan,
                                                 const MeshAxes &mesh) const {
  auto before = propagated.find(withoutState(plan));
  if (before == propagated.end())
    return decideSharding(func, mesh, rules, requestOf(plan));
  DecidedSharding decided = before->second;
  decided.step.demands.clear();
  if (failed(finishSharding(func, mesh, requestOf(plan), decided)))
    return failure();
  return decided;
}

void PlanSearch::remember(const Plan &plan, const DecidedSharding &decided) {
  propagated.emplace(withoutState(plan), decided);
  last.emplace(withoutSchedule(plan), decided);
}

FailureOr<DecidedSharding>
PlanSearch::decide(const Plan &plan, const MeshAxes &mesh, bool quiet) {
  std::optional<ScopedDiagnosticHandler> silence;
  if (quiet)
    silence.emplace(module.getContext(),
                    [](Diagnostic &) { return success(); });
  if (last && last->first == withoutSchedule(plan))
    return last->second;
  FailureOr<DecidedSharding> decided = decideNew(plan, mesh);
  if (succeeded(decided))
    remember(plan, *decided);
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

Candidate PlanSearch::inMicrobatches(Candidate candidate, int64_t count) const {
  candidate.plan.microbatches = count;
  candidate.plan.schedule = asked.schedule;
  return candidate;
}

std::optional<Candidate> PlanSearch::measure(const Candidate &layout,
                                             int64_t count,
                                             ArrayRef<Candidate> next) {
  Candidate candidate = inMicrobatches(layout, count);
  Candidate::Key base = baseOf(candidate);
  if (known.figures.count(base) == 0) {
    if (ahead.count(base) == 0) {
      std::vector<Candidate> isNew = {candidate};
      if (module.getContext()->isMultithreadingEnabled())
        for (const Candidate &other : next)
          if (Candidate::Key key = baseOf(other); !(key == base) &&
                                                  known.figures.count(key) == 0 &&
                                                  ahead.count(key) == 0)
            isNew.push_back(other);
      measureNew(isNew);
    }
    take(base, std::move(ahead.extract(base).mapped()));
  }
  const std::optional<StepCost::Figures> &figures = known.figures.at(base);
  if (!figures)
    return std::nullopt;
  if (candidate.stages() > 1)
    return measureSchedules(candidate, *figures);
  return consider(candidate, *figures);
}

void PlanSearch::take(const Candidate::Key &base, Measured measured) {
  if (measured.profile)
    known.profiles.try_emplace(base, std::move(*measured.profile));
  if (measured.curve)
    known.curves.try_emplace(base, std::move(measured.curve));
  known.figures.try_emplace(base, std::move(measured.figures));
}

void PlanSearch::measureNew(ArrayRef<Candidate> candidates) {
  std::vector<Measured> measured(candidates.size());
  std::vector<FailureOr<DecidedSharding>> shardings(candidates.size(),
                                                    failure());
  // Not on the way, where one of them asks for it.
  func.getBody().front().recomputeOpOrder();
  {
    ScopedDiagnosticHandler silence(module.getContext(),
                                    [](Diagnostic &) { return success(); });
    parallelFor(module.getContext(), 0, candidates.size(), [&](size_t i) {
      const Candidate &candidate = candidates[i];
      MeshAxes mesh = makeAxes(module, candidate.plan);
      shardings[i] = decideNew(candidate.plan, mesh);
      // What was asked for is refused with a reason, later.
      if (failed(shardings[i]))
        return;
      PlacedStep placed = {mesh, shardings[i]->step, shardings[i]->partials};
      if (asked.microbatches == 0 &&
          !runsInMicrobatches(func, placed, options.perMicrobatch))
        return;
      Block &block = func.getBody().front();
      StepCost cost(block, mesh, model);
      Measured &own = measured[i];
      if (candidate.stages() > 1)
        own.profile = measureProfile(block, placed, cost, pinned);
      own.figures = cost.measure(placed);
      if (asked.microbatches == 0 && !std::isfinite(own.figures->seconds()))
        own.figures.reset();
      // With stages these are the figures of all: its schedules want it then.
      if (own.figures &&
          wantsCurve(countAll(known.correct(candidate.key(), *own.figures))))
        own.curve = std::make_shared<ResidualCurve>(
            measureResiduals(block, placed, cost));
    });
  }
  // The first one is what is looked at now.
  for (size_t i = candidates.size(); i-- > 0;) {
    if (succeeded(shardings[i]))
      remember(candidates[i].plan, *shardings[i]);
    ahead.insert_or_assign(baseOf(candidates[i]), std::move(measured[i]));
  }
}

Candidate PlanSearch::consider(Candidate candidate,
                               const StepCost::Figures &estimate) {
  candidate.figures = countAll(known.correct(candidate.key(), estimate));
  recompute(candidate);
  considered.push_back(candidate);
  return candidate;
}

bool PlanSearch::wantsCurve(const StepCost::Figures &figures) const {
  return figures.bytes() > budget() && asked.residuals.empty() &&
         figures.planned <= 0;
}

void PlanSearch::recompute(Candidate &candidate) {
  if (!wantsCurve(candidate.figures))
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
  // More of them than make this share of it small cost time alone.
  constexpr double small = 1.0 / 64;
  int64_t count = 1, shards = rowShards(layout);
  while (2 * count * shards <= facts.batch &&
         bytesIn(whole, count) > budget() &&
         bytesOfRows(whole) / static_cast<double>(count) >
             small * bytesIn(whole, count))
    count *= 2;
  return count;
}

std::vector<Candidate>
PlanSearch::inMicrobatchesThatFit(const Candidate &layout) const {
  Candidate one = inMicrobatches(layout, 1);
  std::optional<StepCost::Figures> whole;
  if (auto own = known.figures.find(baseOf(one)); own != known.figures.end())
    whole = own->second;
  else if (auto own = ahead.find(baseOf(one)); own != ahead.end())
    whole = own->second.figures;
  if (!whole)
    return {};
  int64_t count = countThatFits(layout, known.correct(one.key(), *whole));
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
    std::vector<Candidate> after;
    if (next)
      after.push_back(inMicrobatches(layoutsOf(*next).front(), count));
    std::optional<Candidate> plan = measure(layout, count, after);
    keep(plan);
    if (!plan)
      continue;
    // The others only cost more, but that some hide messages behind the next
    // microbatch, which no estimate knows.
    if (fits(*plan) && !plan->figures.recomputed) {
      if (mayDivide && !asked.isBare() && plan->figures.loose > 0 &&
          model.overlaps() && 2 * shards <= facts.batch)
        keep(measure(layout, 2));
      break;
    }
    const StepCost::Figures &whole = plan->figures;
    if (mayDivide)
      count = countThatFits(layout, whole);
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
    bool tooLarge = bytesIn(whole, count) > budget();
    // In fewer, of which more is computed again.
    constexpr int64_t fewer = 4;
    bool triesFewer = plan->figures.curve && mayWin(count / fewer);
    if (mayWin(count) && !(tooLarge && best && fits(*best))) {
      after.clear();
      if (triesFewer)
        after.push_back(inMicrobatches(layout, count / fewer));
      else if (next)
        after = inMicrobatchesThatFit(layoutsOf(*next).front());
      keep(measure(layout, count, after));
    }
    if (triesFewer)
      keep(measure(layout, count / fewer));
  }
  return own;
}
