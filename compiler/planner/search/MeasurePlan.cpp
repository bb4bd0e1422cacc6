// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Measures what a plan costs: its sharding is decided in memory and measured
// (StepCost.h). Several plans can be measured in parallel.
#include "compiler/planner/search/MicrobatchCheck.h"
#include "compiler/planner/search/PlanSearch.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Threading.h"
#include "passes/Distribute/Estimate/ResidualCurve.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;
using namespace zcc::planner;

using planning::Plan;

// A sharding does not depend on the schedule, and the propagated one does not
// depend on how state is stored either.
static Plan withoutSchedule(Plan plan) {
  plan.schedule = {};
  return plan;
}

static Plan withoutState(Plan plan) {
  plan.schedule = {};
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
  // Numbers the ops now: otherwise the threads would do so at the first
  // question for their order.
  func.getBody().front().recomputeOpOrder();
  {
    ScopedDiagnosticHandler silence(module.getContext(),
                                    [](Diagnostic &) { return success(); });
    parallelFor(module.getContext(), 0, candidates.size(), [&](size_t i) {
      const Candidate &candidate = candidates[i];
      MeshAxes mesh = makeAxes(module, candidate.plan);
      shardings[i] = decideNew(candidate.plan, mesh);
      // A plan that the user asked for and that cannot be is refused later,
      // with a reason.
      if (failed(shardings[i]))
        return;
      PlacedStep placed = {mesh, shardings[i]->step, shardings[i]->partials};
      // So are stages of a step that returns arrays.
      bool isRefused =
          candidate.stages() > 1 && !shardings[i]->step.arrays.empty();
      if (asked.microbatches == 0 && !isRefused &&
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
      // With stages, these are the figures of all stages: measuring its
      // schedules asks for the curve if needed.
      if (own.figures &&
          wantsCurve(countAll(known.correct(candidate.key(), *own.figures))))
        own.curve = std::make_shared<ResidualCurve>(
            measureResiduals(block, placed, cost));
    });
  }
  // Count down, so that the first candidate, which is looked at now, is
  // remembered as the last decided.
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
