// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/PlanTrials.h"
#include "compiler/driver/Pipelines.h"
#include "compiler/simulator/Prediction.h"
#include "mlir/IR/Diagnostics.h"
#include <algorithm>
#include <chrono>

using namespace mlir;

namespace zcc {
namespace {
// All that applyPlan() has written, and the memory that passes may use.
Attribute meaningOf(ModuleOp module, const planning::MachineFacts &facts) {
  Builder b(module.getContext());
  SmallVector<Attribute> list = {b.getF64FloatAttr(facts.deviceMemory),
                                 module->getAttr(dist::planAttrName),
                                 dist::getMesh(module)->getAttrDictionary()};
  func::FuncOp step = dist::getStep(module);
  for (unsigned i = 0; i < step.getNumArguments(); ++i)
    if (Attribute pins = step.getArgAttr(i, dist::pinAttrName))
      list.append({b.getI64IntegerAttr(i), pins});
  for (auto [i, op] : llvm::enumerate(step.getBody().front()))
    if (Attribute pins = op.getAttr(dist::pinAttrName))
      list.append({b.getI64IntegerAttr(static_cast<int64_t>(i)), pins});
  return b.getArrayAttr(list);
}

// What was considered, for --explain.
ArrayAttr listConsidered(MLIRContext *context, const dist::PlanChoice &choice,
                         size_t chosen,
                         ArrayRef<std::optional<double>> simulated) {
  Builder b(context);
  SmallVector<Attribute> list;
  for (const dist::ChosenPlan &plan : choice.considered) {
    NamedAttrList entry(
        {b.getNamedAttr("text", b.getStringAttr(plan.variant.text)),
         b.getNamedAttr("zero", b.getI64IntegerAttr(plan.zero)),
         b.getNamedAttr("microbatches", b.getI64IntegerAttr(plan.microbatches)),
         b.getNamedAttr("compute", b.getF64FloatAttr(plan.figures.compute)),
         b.getNamedAttr("communication",
                        b.getF64FloatAttr(plan.figures.communication)),
         b.getNamedAttr("bytes", b.getF64FloatAttr(plan.figures.bytes()))});
    for (auto [i, best] : llvm::enumerate(choice.best)) {
      if (best.variant.text != plan.variant.text || best.zero != plan.zero ||
          best.microbatches != plan.microbatches)
        continue;
      if (i < simulated.size() && simulated[i])
        entry.set("simulated", b.getF64FloatAttr(*simulated[i]));
      if (i == chosen)
        entry.set("chosen", b.getUnitAttr());
    }
    list.push_back(entry.getDictionary(context));
  }
  return b.getArrayAttr(list);
}
} // namespace

size_t countConsidered(ModuleOp module) {
  auto list = module->getAttrOfType<ArrayAttr>(dist::consideredAttrName);
  return list ? list.size() : 0;
}

// Compiles what was applied to phase `scheduled`.
PlanTrials::Trial PlanTrials::simulate(ModuleOp module,
                                       const planning::MachineFacts &facts) {
  Trial trial;
  Scheduled scheduled{module.clone(), {}};
  bool silent = true;
  ScopedDiagnosticHandler quiet(module.getContext(), [&](Diagnostic &) {
    silent = false;
    return success();
  });
  for (Phase phase :
       {Phase::sharded, Phase::partitioned, Phase::tasks, Phase::scheduled}) {
    auto start = std::chrono::steady_clock::now();
    PassManager pm(module.getContext());
    pm.enableVerifier(false);
    addPhasePasses(phase, pm, options, machine, facts, target);
    if (failed(pm.run(*scheduled.module)))
      return trial;
    scheduled.seconds.emplace_back(
        getName(phase),
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
            .count());
  }
  if (std::optional<Prediction> predicted = predictStep(
          *scheduled.module, target, machine, options.get("precision"), 0))
    trial.seconds = predicted->stepSeconds;
  if (silent)
    trial.scheduled = std::move(scheduled);
  return trial;
}

LogicalResult PlanTrials::choose(ModuleOp module,
                                 const planning::MachineFacts &facts,
                                 double memory) {
  compiled.reset();
  DistributeOptions own = getDistributeOptions(options, machine, facts);
  own.machine.deviceMemory = memory;
  FailureOr<dist::PlanChoice> choice = dist::choosePlans(module, own, known);
  if (failed(choice))
    return failure();
  limited = llvm::any_of(choice->considered, [&](const dist::ChosenPlan &some) {
    return memory > 0 && some.figures.bytes() > memory;
  });
  size_t chosen = 0;
  SmallVector<std::optional<double>> seconds;
  double least = std::numeric_limits<double>::infinity();
  if (choice->best.size() > 1)
    for (auto [i, candidate] : llvm::enumerate(choice->best)) {
      dist::applyPlan(module, candidate);
      Attribute key = meaningOf(module, facts);
      Trial trial;
      if (auto before = simulated.find(key); before != simulated.end())
        trial.seconds = before->second;
      else
        trial = simulate(module, facts);
      simulated[key] = trial.seconds;
      dist::removePlan(module);
      seconds.push_back(trial.seconds);
      if (trial.seconds && *trial.seconds < least) {
        chosen = i;
        least = *trial.seconds;
        compiled = std::move(trial.scheduled);
      }
    }
  plan = choice->best[chosen];
  considered = listConsidered(module.getContext(), *choice, chosen, seconds);
  applyAgain(module);
  if (compiled)
    (*compiled->module)->setAttr(dist::consideredAttrName, considered);
  return success();
}

void PlanTrials::applyAgain(ModuleOp module) const {
  dist::applyPlan(module, plan);
  module->setAttr(dist::consideredAttrName, considered);
}

std::optional<PlanTrials::Scheduled> PlanTrials::takeScheduled() {
  std::optional<Scheduled> taken = std::move(compiled);
  compiled.reset();
  return taken;
}

void PlanTrials::notePlanned(const MemoryReport &memory, double kept) {
  double peak = static_cast<double>(memory.peak) - kept;
  known.planned[dist::keyOf(plan)] = peak;
  // Each part on its own, as it is where most is in use, and all together as
  // much as there is. What is kept is not estimated, but decided.
  dist::StepCost::Figures own = plan.figures;
  own.planned = 0;
  own.residuals -= own.kept;
  const MemoryShares &found = memory.atPeak;
  constexpr double most = 4; // what differs more says little of other plans
  auto ratio = [&](double planned, double estimate) {
    return estimate > 0 ? std::clamp(planned / estimate, 1 / most, most) : 1;
  };
  auto asDouble = [](int64_t bytes) { return static_cast<double>(bytes); };
  dist::StepCost::MemoryScale scale;
  scale.state = ratio(asDouble(found.parameters + found.optimizer), own.state);
  scale.gradients = ratio(asDouble(found.gradients), own.gradients);
  scale.residuals = ratio(asDouble(found.residuals), own.residuals);
  scale.largest = ratio(asDouble(found.temporary), own.largest);
  double estimate = own.scaled(scale).bytes(),
         rest = estimate > 0 ? peak / estimate : 1;
  for (double *part :
       {&scale.state, &scale.gradients, &scale.residuals, &scale.largest})
    *part *= rest;
  known.scale = scale;
}
} // namespace zcc
