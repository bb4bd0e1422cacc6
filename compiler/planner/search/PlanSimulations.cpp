// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/planner/search/PlanSimulations.h"
#include "compiler/emission/Report.h"
#include "compiler/phases/Pipelines.h"
#include "compiler/planner/FitLimits.h"
#include "compiler/planner/search/OrderSearch.h"
#include "compiler/simulator/Prediction.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Threading.h"
#include "planning/ScheduleGenerators.h"
#include "llvm/ADT/ScopeExit.h"
#include <algorithm>
#include <atomic>
#include <utility>

using namespace mlir;

namespace zcc::planner {
// The estimate is of all stages, which are cut into equal parts.
MemoryLimits PlanSimulations::limitsOf(const Candidate &candidate) {
  MemoryLimits limits;
  limits.hasPrice = true;
  limits.bytes = candidate.figures.residualBytes() /
                 static_cast<double>(candidate.stages());
  limits.mayFall = candidate.plan.residuals.empty();
  return limits;
}

// Notes which plans were considered, for --explain.
void PlanSimulations::noteConsidered(
    const PlanChoice &choice, size_t chosen,
    ArrayRef<std::optional<double>> simulated) {
  looked.clear();
  for (const Candidate &candidate : choice.considered) {
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

// Compiles the step by the plan to phase `scheduled`.
PlanSimulations::Trial PlanSimulations::simulate(ModuleOp module,
                                                 const Candidate &candidate,
                                                 double withheld) {
  Trial trial;
  StepCompilation step;
  step.module = module.clone();
  step.plan = candidate.plan;
  step.limits = limitsOf(candidate);
  step.limits.withheld = withheld;
  step.keepsPartitioned = true;
  step.wantsActions = wantsActions;
  if (failed(compileTo(context, step, Phase::scheduled, OpVerifier::LeaveOut)))
    return trial;
  if (std::optional<Prediction> predicted =
          predictStep(*step.module, context.target, context.machine,
                      context.options.get("precision"), 0))
    trial.found = {predicted->stepSeconds, std::move(predicted->stages)};
  trial.scheduled = std::move(step);
  return trial;
}

// Returns how many threads are idle during the last round of tasks.
static size_t countIdle(MLIRContext *context, size_t tasks) {
  size_t threads =
      context->isMultithreadingEnabled() ? context->getNumThreads() : 1;
  return (threads - tasks % threads) % threads;
}

std::vector<PlanSimulations::Trial>
PlanSimulations::simulateNew(ModuleOp module, ArrayRef<Candidate> candidates,
                             ArrayRef<Candidate> next, double withheld) {
  std::vector<Trial> trials(candidates.size());
  std::vector<const Candidate *> isNew;
  auto keyOf = [&](const Candidate &candidate) {
    return TrialKey(withheld, candidate.figures.residualBytes(),
                    candidate.plan);
  };
  // Plans that were planned or simulated before need no trial.
  auto wantsTrial = [&](const Candidate &candidate) {
    return known.planned.count(candidate.key()) == 0 &&
           simulated.count(keyOf(candidate)) == 0;
  };
  for (const Candidate &candidate : candidates)
    if (wantsTrial(candidate))
      isNew.push_back(&candidate);
  size_t most = isNew.empty() ? 0
                              : isNew.size() + countIdle(module.getContext(),
                                                         isNew.size());
  for (const Candidate &candidate : next)
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
      found[i] = simulate(module, *isNew[i], withheld);
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

LogicalResult PlanSimulations::choose(ModuleOp module, double withheld,
                                      double memory, double within) {
  compiled.reset();
  llvm::scope_exit forget([this] { ahead.clear(); });
  DistributeOptions own =
      getDistributeOptions(context.options, asked, context.machine,
                           findFacts(context.machine, module, asked, withheld));
  own.machine.deviceMemory = memory;
  FailureOr<PlanChoice> choice = planner::choosePlans(module, own, known);
  if (failed(choice))
    return failure();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  size_t chosen = 0;
  SmallVector<std::optional<double>> seconds;
  double least = infinity;
  std::vector<StagePrediction> stages; // of the chosen plan
  // Simulates the next `count` of the best plans.
  auto attempt = [&](size_t count) {
    ArrayRef<Candidate> rest =
        ArrayRef(choice->best).drop_front(seconds.size());
    ArrayRef<Candidate> plans = rest.take_front(count);
    std::vector<Candidate> next;
    // Plans on the same meshes are not simulated ahead, because the results of
    // these may rule them out.
    for (const Candidate &other : rest.drop_front(count))
      if (llvm::none_of(plans, [&](const Candidate &plan) {
            return plan.plan.mesh == other.plan.mesh;
          }))
        next.push_back(other);
    std::vector<Trial> trials = simulateNew(module, plans, next, withheld);
    for (auto [plan, trial] : llvm::zip(plans, trials)) {
      const distribute::StepCost::Figures &figures = plan.figures;
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
  Candidate front = choice->best.front();
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
  if (chosen < choice->orders.size() && !stages.empty()) {
    const PlanChoice::Orders &orders = choice->orders[chosen];
    std::vector<Candidate> others = orders.interleaved;
    llvm::erase_if(others, [&](const Candidate &other) {
      return choice->isAmongBest(other);
    });
    std::optional<Candidate> found;
    if (orders.request)
      found = searchOrder(choice->best[chosen], *orders.request, stages);
    if (found) {
      found->figures = known.correct(found->key(), found->figures);
      if (memory <= 0 || found->figures.bytes() <= memory)
        others.push_back(*found);
    }
    choice->considered.insert(choice->considered.end(), others.begin(),
                              others.end());
    choice->best.insert(choice->best.end(), others.begin(), others.end());
    attempt(others.size());
  }
  picked = choice->best[chosen];
  pickedSeconds = chosen < seconds.size() ? seconds[chosen] : std::nullopt;
  limited =
      choice->isLimited(memory, std::min(least, picked.figures.charged()));
  if (picked.stages() > 1 && !seconds[chosen] && refuse(choice->best))
    return choose(module, withheld, memory);
  noteConsidered(*choice, chosen, seconds);
  return success();
}

// Notes that none of the plans can be compiled. Other schedules may cut the
// step into other parts. If the axes have names, the default schedule is left:
// it says why there is no cut. Returns true if there is something else to look
// at.
bool PlanSimulations::refuse(ArrayRef<Candidate> plans) {
  bool isNew = false;
  for (const Candidate &plan : plans)
    if (asked.isBare() || (!asked.schedule.isNamed() &&
                           plan.plan.schedule != planning::defaultSchedule))
      isNew |= known.notCut.insert({plan.stages(), plan.plan.schedule}).second;
  return isNew;
}

std::optional<StepCompilation> PlanSimulations::takeScheduled() {
  return std::exchange(compiled, std::nullopt);
}

void PlanSimulations::notePlanned(const MemoryReport &memory, double kept,
                                  double seconds) {
  double peak = static_cast<double>(memory.peak) - kept;
  // An estimate is a little less than the simulated time. One that is much less
  // is wrong about this plan, and others are not to be held against it.
  double estimate = picked.figures.overlapped();
  if (pickedSeconds)
    estimate = std::max(estimate * seconds / *pickedSeconds,
                        seconds / searchLimits.usualUnderestimate);
  known.planned[picked.key()] = {peak, seconds, estimate};
  if (picked.figures.recomputed)
    known.recomputing.insert(picked.key());
  // Each category is corrected by its bytes at the peak, and the sum by the
  // peak itself. Kept parameters are not estimated but decided.
  distribute::StepCost::Figures own = picked.figures;
  own.planned = own.plannedSeconds = 0;
  own.residuals -= own.kept + own.saved();
  const MemoryShares &found = memory.atPeak;
  constexpr double most = searchLimits.mostCorrection;
  auto ratio = [&](double planned, double estimate) {
    return estimate > 0 ? std::clamp(planned / estimate, 1 / most, most) : 1;
  };
  auto asDouble = [](int64_t bytes) { return static_cast<double>(bytes); };
  distribute::StepCost::MemoryScale scale;
  scale.recomputing = known.scale.recomputing;
  scale.recomputed = known.scale.recomputed;
  if (double share = own.recomputedShare(); share > 0 && pickedSeconds) {
    scale.recomputing =
        std::clamp(seconds / *pickedSeconds, 1.0, searchLimits.mostSlowdown);
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
} // namespace zcc::planner
