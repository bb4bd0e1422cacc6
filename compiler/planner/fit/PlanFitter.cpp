// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The choice of a plan and its compilation. FitMeasures.cpp has the measures
// that leave the plan as it is.
#include "compiler/planner/fit/PlanFitter.h"
#include "compiler/emission/ReportMemory.h"
#include "compiler/phases/Machine.h"
#include "compiler/planner/FitLimits.h"
#include "compiler/planner/search/PlanChoice.h"
#include "compiler/simulator/Prediction.h"
#include "dialects/Dist/Dist.h"
#include "dialects/Train/AttributeNames.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "passes/Distribute/Distribute.h"
#include <cmath>

using namespace mlir;

namespace zcc::planner {

PlanFitter::PlanFitter(const CompileContext &context, FitRequest request,
                       StepCompilation start)
    : context(context), request(std::move(request)) {
  fitted.compiled = std::move(start);
  current().limits = MemoryLimits(current().plan);
  // The phases that a resumed text still runs through use the memory that the
  // fit of the text left to them. The fit begins anew if all was given up for
  // memory but the text has no tasks yet.
  FailureOr<MemoryDecisions> decided = MemoryDecisions::read(*current().module);
  if (succeeded(decided) && // else it was reported
      !(decided->leastMemory && current().phase < Phase::tasks)) {
    current().limits.withheld = decided->withheld;
    current().limits.leastMemory = decided->leastMemory;
  }
  current().wantsActions = this->request.wantsActions;
}

LogicalResult PlanFitter::refuse(const std::string &message) {
  errors = "error: " + message + "\n";
  return failure();
}

LogicalResult PlanFitter::run() {
  bool mayFit = current().phase < Phase::planned;
  while (true) {
    if (current().phase == Phase::step) {
      if (failed(placePlan()) || failed(shard()))
        return failure();
      if (request.onPhase &&
          failed(request.onPhase(current().phase, *current().module)))
        return failure();
    }
    while (current().phase < request.to) {
      Phase phase = getNext(current().phase);
      current().keepsPartitioned = mayReplaceTasks();
      if (phase == Phase::tasks && !current().plan.offload.empty() &&
          !(current().plan.offloadsByPrice() &&
            current().limits.offloadBytes <= 0) &&
          context.machine.bytesPerDevice(
              countDevices(*current().module, current().plan),
              MemorySpace::Host) <= 0)
        return refuse("--offload: the description of '" + context.machine.name +
                      "' has no memory named host");
      if (failed(compileTo(context, current(), phase)))
        return failure();
      // A try that does not fit is not the module of phase `planned`.
      if (request.onPhase && phase != Phase::planned &&
          failed(request.onPhase(phase, *current().module)))
        return failure();
    }
    if (current().phase != Phase::planned || !mayFit)
      break;
    FailureOr<bool> again = tryLess();
    if (failed(again))
      return failure();
    if (*again)
      continue;
    if (request.onPhase &&
        failed(request.onPhase(Phase::planned, *current().module)))
      return failure();
    break;
  }
  if (failed(dropSearchData(*current().module)))
    return failure();
  if (simulations && current().phase >= Phase::sharded)
    (*current().module)
        ->setAttr(dist::consideredAttrName,
                  Builder(current().module->getContext())
                      .getI64IntegerAttr(fitted.considered.size()));
  if (request.wantsDecided && request.wantsActions &&
      !current().actions.empty()) {
    fitted.decided.schedule = {};
    fitted.decided.actions.clear();
    for (std::string &row : current().actions)
      fitted.decided.actions.push_back({std::move(row)});
  }
  return success();
}

// Gives the module of phase `step` its plan: that of a file, a chosen one, or
// the plan that follows from named axes, where nothing is left to choose.
LogicalResult PlanFitter::placePlan() {
  if (placed)
    return success();
  placed = true;
  planning::Plan &plan = current().plan;
  // Plans, their choice and explanations see the same ops.
  PassManager pm(current().module->getContext());
  pm.enableVerifier(false);
  pm.addPass(createSplitConstants());
  if (failed(pm.run(*current().module)))
    return failure();
  if (!request.planFile.empty()) {
    errors =
        followPlan(*current().module, request.planFile, context.options, plan);
    if (!errors.empty())
      return failure();
    current().limits = MemoryLimits(plan);
  } else if (context.options.get("axis-order") == "roles" &&
             context.machine.devicesPerNode > 0 &&
             plan.countDevices() > context.machine.devicesPerNode) {
    planning::orderByRole(plan.mesh);
  }
  if (std::string message =
          checkNodes(context.machine, countDevices(*current().module, plan));
      !message.empty())
    return refuse(message);
  current().limits.mayFall = plan.residuals.empty();
  // Axes with names and no stages have one microbatch, unless a choice was
  // asked for.
  if (!context.options.isGiven("microbatches") && !plan.isBare() &&
      planning::sizeOf(plan.mesh, {planning::AxisRole::Pipe}) == 1)
    plan.microbatches = std::max<int64_t>(plan.microbatches, 1);
  bool chooses = plan.isOpen() && !dist::getMesh(*current().module);
  // A refusal reads the step to say which plan would fit.
  if (chooses || request.to >= Phase::planned)
    fitted.step = current().module->clone();
  if (!chooses)
    return success();
  simulations.emplace(context, plan, request.wantsActions);
  return choosePlan(facts().deviceMemory);
}

// Chooses a plan for the step that needs at most `memory` bytes of a device, by
// estimate. Plans that take `within` seconds or more are not looked for.
LogicalResult PlanFitter::choosePlan(double memory, double within) {
  OwningOpRef<ModuleOp> module = fitted.step->clone();
  if (failed(simulations->choose(*module, current().limits.withheld, memory,
                                 within)))
    return failure();
  current() = current().restartWith(std::move(module), Phase::step);
  current().plan = simulations->chosen().plan;
  fitted.considered = simulations->considered();
  setLimits(simulations->limitsOf(simulations->chosen()));
  residualSearch.reset();
  return success();
}

// Compiles the module of phase `step` to phase `sharded`, or takes the module
// that the search has compiled by the plan already.
LogicalResult PlanFitter::shard() {
  if (request.wantsExplained)
    fitted.explained = current().module->clone();
  planning::Plan decided;
  if (request.wantsDecided) {
    decided = current().plan;
    decided.values = findValues(*current().module);
  }
  std::optional<StepCompilation> scheduled;
  if (simulations && !request.onPhase && request.to >= Phase::scheduled &&
      !current().limits.compress)
    scheduled = simulations->takeScheduled();
  if (scheduled) {
    PhaseSeconds before = std::move(current().seconds);
    current() = std::move(*scheduled);
    current().seconds.insert(current().seconds.begin(), before.begin(),
                             before.end());
    if (!mayReplaceTasks())
      current().partitioned = {};
    if (failed(mlir::verify(*current().module)))
      return failure();
  } else if (failed(compileTo(context, current(), Phase::sharded))) {
    return failure();
  }
  if (request.wantsDecided)
    fitted.decided = decidedPlan(*current().module, std::move(decided));
  return success();
}

PlanFitter::Spare PlanFitter::putAside(double seconds) {
  StepCompilation own = current().restartWith(std::move(current().module),
                                              current().phase);
  own.actions = current().actions;
  return {std::move(own), std::move(fitted.explained), fitted.decided,
          fitted.considered, seconds};
}

void PlanFitter::restore(std::optional<Spare> &from) {
  current() = std::move(from->compiled);
  fitted.explained = std::move(from->explained);
  fitted.decided = std::move(from->decided);
  fitted.considered = std::move(from->considered);
  from.reset();
}

void PlanFitter::setLimits(MemoryLimits limits) {
  limits.withheld = current().limits.withheld;
  current().limits = std::move(limits);
}

void PlanFitter::shardAgain() {
  residualSearch.reset();
  current().partitioned = {};
  replaceTasks();
}

// Memory planning has found what the plan needs: with more memory than there is
// fewer gathered parameters are kept, or another plan is chosen, now that the
// estimate is better; at last the smallest one. Where memory is left, more is
// kept, or a faster plan is tried that may fit.
FailureOr<bool> PlanFitter::planAgain(const Need &need) {
  if (!placed || current().limits.compress)
    return false;
  ++compiles;
  auto bytesOf = [&](StringRef name) {
    auto bytes = (*current().module)->getAttrOfType<IntegerAttr>(name);
    return bytes ? static_cast<double>(bytes.getInt()) : 0;
  };
  PlanOutcome outcome;
  outcome.memory = need.memory;
  outcome.excess = need.excess();
  outcome.kept = bytesOf(keptBytesAttrName);
  outcome.notKept = bytesOf(notKeptBytesAttrName);
  outcome.hasSpare = spare.has_value();
  outcome.chosen = simulations.has_value();
  outcome.limited = simulations && simulations->isLimited();
  outcome.compiles = compiles;
  std::optional<double> seconds; // predicted once
  auto secondsOf = [&]() {
    if (!seconds) {
      std::optional<Prediction> predicted = predictStep(
          *current().module, context.target, context.machine,
          context.options.get("precision"), 0);
      seconds = predicted ? predicted->stepSeconds : 0;
    }
    return *seconds;
  };
  if (simulations)
    simulations->notePlanned(need.worst, outcome.kept, secondsOf());
  double &withheld = current().limits.withheld;
  switch (decideNextPlan(outcome)) {
  case NextPlan::Accept:
    return false;
  case NextPlan::TakeFaster:
    if (spare->seconds <= secondsOf())
      restore(spare);
    return false;
  case NextPlan::TakeSpare:
    restore(spare);
    return false;
  case NextPlan::KeepMore:
    spare = putAside(secondsOf());
    withheld += searchLimits.shrink * outcome.excess;
    shardAgain();
    return true;
  case NextPlan::KeepLess:
    withheld = std::min(outcome.memory - 1,
                        withheld + outcome.excess +
                            searchLimits.leastRoom * outcome.memory);
    shardAgain();
    return true;
  case NextPlan::ChooseFaster:
    return chooseFaster(outcome.memory, secondsOf());
  case NextPlan::ChooseSmaller:
    return chooseSmaller(
        outcome.memory * std::pow(searchLimits.shrink, compiles),
        outcome.memory);
  }
  llvm_unreachable("all cases return");
}

// Puts the plan aside, which takes `seconds`, for one that is faster by the
// corrected estimates. Returns whether there is one.
FailureOr<bool> PlanFitter::chooseFaster(double memory, double seconds) {
  double estimate = simulations->estimatePlanned();
  spare = putAside(seconds);
  if (failed(choosePlan(memory, searchLimits.worthwhile * seconds)))
    return failure();
  std::optional<double> simulated = simulations->simulatedSeconds();
  if (!simulations->wasPlanned() &&
      (simulated ? *simulated <= searchLimits.worthwhile * seconds
                 : simulations->chosen().figures.overlapped() <=
                       searchLimits.worthwhile * estimate))
    return true;
  restore(spare);
  return false;
}

// Chooses a plan of at most `wanted` bytes, of the `memory` that there is, or
// the smallest. Returns whether there is one that was not compiled before.
FailureOr<bool> PlanFitter::chooseSmaller(double wanted, double memory) {
  current().limits.withheld = 0;
  Spare last = putAside(0);
  int most = searchLimits.mostCompiles;
  if (failed(choosePlan(compiles < most ? wanted : 1)))
    return failure();
  // Nothing fits, or the plan that fits by its estimate did not.
  if (simulations->wasPlanned() && compiles < most) {
    compiles = most;
    if (failed(choosePlan(1)))
      return failure();
  }
  if (simulations->wasPlanned()) {
    // The smallest plan is known to need too much, as the last one does. The
    // smallest one is ordered for memory alone next.
    current().module = std::move(last.compiled.module);
    current().phase = last.compiled.phase;
    fitted.explained = std::move(last.explained);
    return false;
  }
  if (simulations->chosen().figures.bytes() > memory)
    compiles = most; // it is the last one
  return true;
}

} // namespace zcc::planner
