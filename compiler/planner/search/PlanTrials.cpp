// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/planner/search/PlanTrials.h"
#include "compiler/planner/search/OrderSearch.h"
#include "compiler/phases/Pipelines.h"
#include "compiler/emission/Report.h"
#include "planning/ScheduleGenerators.h"
#include "compiler/simulator/Prediction.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Threading.h"
#include "llvm/ADT/ScopeExit.h"
#include <algorithm>
#include <atomic>
#include <chrono>

using namespace mlir;

namespace zcc {
// The estimate is for all stages together, which are assumed to be equal.
double PlanTrials::keptOf(const dist::Candidate &candidate) {
  return candidate.figures.residualBytes() /
         static_cast<double>(candidate.stages());
}

// Records the considered plans, for --explain.
void PlanTrials::noteConsidered(const dist::PlanChoice &choice, size_t chosen,
                                ArrayRef<std::optional<double>> simulated) {
  looked.clear();
  for (const dist::Candidate &candidate : choice.considered) {
    ConsideredPlan &entry = looked.emplace_back();
    entry.candidate = candidate;
    for (auto [i, best] : llvm::enumerate(choice.best)) {
      if (!(best.key() == candidate.key()))
        continue;
      if (i < simulated.size() && simulated[i])
        entry.simulated = simulated[i];
      entry.chosen |= i == chosen;
    }
  }
}

// Compiles the step by the plan to phase `scheduled` and simulates it.
PlanTrials::Trial PlanTrials::simulate(ModuleOp module,
                                       const dist::Candidate &candidate,
                                       const planning::MachineFacts &facts) {
  Trial trial;
  Scheduled scheduled{module.clone(), {}, {}, {}, {}};
  scheduled.residuals.hasPrice = true;
  scheduled.residuals.bytes = keptOf(candidate);
  scheduled.residuals.mayFall = candidate.plan.residuals.empty();
  for (Phase phase :
       {Phase::sharded, Phase::partitioned, Phase::tasks, Phase::scheduled}) {
    auto start = std::chrono::steady_clock::now();
    PassManager pm(module.getContext());
    pm.enableVerifier(false);
    addPhasePasses(phase, pm, options, candidate.plan, machine, facts, target,
                   &scheduled.residuals);
    if (failed(pm.run(*scheduled.module)))
      return trial;
    if (phase == Phase::partitioned) {
      recordAddedWork(*scheduled.module);
      scheduled.partitioned = scheduled.module->clone();
    }
    if (phase == Phase::tasks && wantsActions)
      scheduled.actions = printActions(*scheduled.module);
    scheduled.seconds.emplace_back(
        getName(phase),
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
            .count());
  }
  if (std::optional<Prediction> predicted = predictStep(
          *scheduled.module, target, machine, options.get("precision"), 0))
    trial.found = {predicted->stepSeconds, std::move(predicted->stages)};
  trial.scheduled = std::move(scheduled);
  return trial;
}

// Returns how many threads are idle during the last round of tasks.
static size_t countIdle(MLIRContext *context, size_t tasks) {
  size_t threads =
      context->isMultithreadingEnabled() ? context->getNumThreads() : 1;
  return (threads - tasks % threads) % threads;
}

std::vector<PlanTrials::Trial>
PlanTrials::simulateNew(ModuleOp module, ArrayRef<dist::Candidate> candidates,
                        ArrayRef<dist::Candidate> next,
                        const planning::MachineFacts &facts) {
  std::vector<Trial> trials(candidates.size());
  std::vector<const dist::Candidate *> isNew;
  auto keyOf = [&](const dist::Candidate &candidate) {
    return TrialKey(facts.deviceMemory, candidate.figures.residualBytes(),
                    candidate.plan);
  };
  // Plans that were planned or simulated before need no trial.
  auto wantsTrial = [&](const dist::Candidate &candidate) {
    return known.planned.count(candidate.key()) == 0 &&
           simulated.count(keyOf(candidate)) == 0;
  };
  for (const dist::Candidate &candidate : candidates)
    if (wantsTrial(candidate))
      isNew.push_back(&candidate);
  size_t most = isNew.empty() ? 0
                              : isNew.size() + countIdle(module.getContext(),
                                                         isNew.size());
  for (const dist::Candidate &candidate : next)
    if (isNew.size() < most && wantsTrial(candidate))
      isNew.push_back(&candidate);
  std::vector<Trial> found(isNew.size());
  std::atomic<bool> silent = true;
  {
    ScopedDiagnosticHandler quiet(module.getContext(), [&](Diagnostic &) {
      silent = false;
      return success();
    });
    parallelFor(module.getContext(), 0, isNew.size(), [&](size_t i) {
      found[i] = simulate(module, *isNew[i], facts);
    });
  }
  for (auto [candidate, trial] : llvm::zip(isNew, found)) {
    simulated[keyOf(*candidate)] = trial.found;
    // If there were diagnostics, the module is not kept: compiling it again
    // prints them.
    if (silent)
      ahead[keyOf(*candidate)] = std::move(trial.scheduled);
  }
  for (auto [candidate, trial] : llvm::zip(candidates, trials)) {
    if (auto planned = known.planned.find(candidate.key());
        planned != known.planned.end()) {
      trial.found.seconds = planned->second.seconds;
      continue;
    }
    trial.found = simulated.at(keyOf(candidate));
    if (auto taken = ahead.extract(keyOf(candidate)))
      trial.scheduled = std::move(taken.mapped());
  }
  return trials;
}

LogicalResult PlanTrials::choose(ModuleOp module,
                                 const planning::MachineFacts &facts,
                                 double memory, double within) {
  compiled.reset();
  llvm::scope_exit forget([this] { ahead.clear(); });
  DistributeOptions own = getDistributeOptions(options, asked, machine, facts);
  own.machine.deviceMemory = memory;
  FailureOr<dist::PlanChoice> choice = dist::choosePlans(module, own, known);
  if (failed(choice))
    return failure();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  size_t chosen = 0;
  SmallVector<std::optional<double>> seconds;
  double least = infinity;
  std::vector<StagePrediction> stages; // of the chosen plan
  // Simulates the next `count` of the best plans.
  auto attempt = [&](size_t count) {
    ArrayRef<dist::Candidate> rest =
        ArrayRef(choice->best).drop_front(seconds.size());
    ArrayRef<dist::Candidate> plans = rest.take_front(count);
    std::vector<dist::Candidate> next;
    // Plans on the same meshes are not simulated ahead, because the results of
    // these may rule them out.
    for (const dist::Candidate &other : rest.drop_front(count))
      if (llvm::none_of(plans, [&](const dist::Candidate &plan) {
            return plan.plan.mesh == other.plan.mesh;
          }))
        next.push_back(other);
    std::vector<Trial> trials = simulateNew(module, plans, next, facts);
    for (auto [plan, trial] : llvm::zip(plans, trials)) {
      const dist::StepCost::Figures &figures = plan.figures;
      double counts = figures.charge(
          figures.slowed(trial.found.seconds.value_or(infinity)));
      if (counts < least) {
        chosen = seconds.size();
        least = counts;
        compiled = std::move(trial.scheduled);
        stages = std::move(trial.found.stages);
      }
      if (trial.found.seconds)
        slowdowns.note(plan, *trial.found.seconds);
      seconds.push_back(trial.found.seconds);
    }
  };
  dist::Candidate front = choice->best.front();
  choice->forgetSlower(0, slowdowns, front.figures.charge(within));
  if (choice->best.empty()) {
    picked = front;
    pickedSeconds = slowdowns.of(front) * front.figures.overlapped();
    noteConsidered(*choice, chosen, seconds);
    return success();
  }
  // A plan with stages may turn out to be impossible to cut. The simulated time
  // of the best plan shows how far off its estimate is, which matters if memory
  // requires another choice.
  if (choice->best.size() > 1 || choice->best.front().stages() > 1 ||
      choice->isLimited(memory, infinity)) {
    attempt(choice->atOnce);
    choice->forgetSlower(seconds.size(), slowdowns, least);
    attempt(choice->best.size() - choice->atOnce);
  }
  if (chosen < choice->requests.size() && choice->requests[chosen] &&
      !stages.empty())
    if (std::optional<dist::Candidate> found = searchOrder(
            choice->best[chosen], *choice->requests[chosen], stages)) {
      found->figures = known.correct(found->key(), found->figures);
      if (memory <= 0 || found->figures.bytes() <= memory) {
        choice->considered.push_back(*found);
        choice->best.push_back(*found);
        attempt(1);
      }
    }
  picked = choice->best[chosen];
  pickedSeconds = chosen < seconds.size() ? seconds[chosen] : std::nullopt;
  limited =
      choice->isLimited(memory, std::min(least, picked.figures.charged()));
  if (picked.stages() > 1 && !seconds[chosen] && refuse(choice->best))
    return choose(module, facts, memory);
  noteConsidered(*choice, chosen, seconds);
  return success();
}

// Handles plans of which none can be compiled: other schedules may cut the step
// into other parts. On named axes, compiling the default schedule reports the
// reason. Returns true if there is something else to try.
bool PlanTrials::refuse(ArrayRef<dist::Candidate> plans) {
  bool isNew = false;
  for (const dist::Candidate &plan : plans)
    if (asked.isBare() || (asked.schedule.empty() &&
                           plan.plan.schedule != planning::defaultSchedule))
      isNew |= known.notCut.insert({plan.stages(), plan.plan.schedule}).second;
  return isNew;
}

std::optional<PlanTrials::Scheduled> PlanTrials::takeScheduled() {
  std::optional<Scheduled> taken = std::move(compiled);
  compiled.reset();
  return taken;
}

void PlanTrials::notePlanned(const MemoryReport &memory, double kept,
                             double seconds) {
  double peak = static_cast<double>(memory.peak) - kept;
  // Estimates are usually a little below the simulated time. An estimate far
  // below is wrong about this plan, which must not count against others.
  constexpr double usual = 1.1;
  double estimate = picked.figures.overlapped();
  if (pickedSeconds)
    estimate = std::max(estimate * seconds / *pickedSeconds, seconds / usual);
  known.planned[picked.key()] = {peak, seconds, estimate};
  if (picked.figures.recomputed)
    known.recomputing.insert(picked.key());
  // Each category is corrected by its bytes at the peak, and the sum by the
  // peak itself. Kept parameters are not estimated but decided.
  dist::StepCost::Figures own = picked.figures;
  own.planned = own.plannedSeconds = 0;
  own.residuals -= own.kept + own.saved();
  const MemoryShares &found = memory.atPeak;
  constexpr double most = 4; // larger ratios say little about other plans
  auto ratio = [&](double planned, double estimate) {
    return estimate > 0 ? std::clamp(planned / estimate, 1 / most, most) : 1;
  };
  auto asDouble = [](int64_t bytes) { return static_cast<double>(bytes); };
  dist::StepCost::MemoryScale scale;
  scale.recomputing = known.scale.recomputing;
  scale.recomputed = known.scale.recomputed;
  constexpr double slowest = 2;
  if (double share = own.recomputedShare(); share > 0 && pickedSeconds) {
    scale.recomputing = std::clamp(seconds / *pickedSeconds, 1.0, slowest);
    scale.recomputed = share;
  }
  scale.state = ratio(asDouble(found.parameters + found.optimizer), own.state);
  scale.gradients = ratio(asDouble(found.gradients), own.gradients);
  scale.residuals = ratio(asDouble(found.residuals), own.residuals);
  scale.largest = ratio(asDouble(found.temporary), own.largest);
  // Values that are computed again are no residuals, and there is no separate
  // estimate of them.
  if (own.recomputed)
    scale.residuals = scale.largest =
        ratio(asDouble(found.residuals + found.temporary),
              own.residuals + own.largest);
  own.recomputed.reset();
  double expected = own.scaled(scale).bytes(),
         rest = expected > 0 ? peak / expected : 1;
  for (double *part :
       {&scale.state, &scale.gradients, &scale.residuals, &scale.largest})
    *part *= rest;
  known.scale = scale;
}
} // namespace zcc
