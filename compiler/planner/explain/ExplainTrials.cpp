// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/planner/explain/ExplainTrials.h"
#include "compiler/planner/search/MicrobatchCheck.h"
#include "mlir/IR/Diagnostics.h"
#include "passes/Distribute/Estimate/ResidualCurve.h"
#include "passes/Distribute/Place/ChooseStates.h"
#include "passes/Distribute/PlanAttribute.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;
using namespace zcc::planner;

// Returns the plan with the module's mesh.
static planning::Plan planOn(ModuleOp module, planning::Plan plan) {
  takeMesh(module, plan);
  return plan;
}

StepTrials::StepTrials(ModuleOp module, const DistributeOptions &options)
    : module(module), step(getStep(module)), options(options),
      plan(planOn(module, options.plan)), planned(findPins(step, plan)),
      axes(getMesh(module)), model(options.model, getMesh(module).getDevices()),
      stepRules(step, options.disable), facts(step, options.notBatched) {
  fixed = !planned.ops.empty() &&
          llvm::all_of(stepRules.step.ops, [&](const auto &entry) {
            return entry.second.update || planned.ops.contains(entry.first);
          });
}

std::optional<StepCost::Figures>
StepTrials::measure(const planning::Plan &tried, const SeedOverrides *instead) {
  return measure(tried, instead, /*recomputed=*/false);
}

std::optional<StepCost::Figures>
StepTrials::measureRecomputed(const planning::Plan &tried) {
  return measure(tried, nullptr, /*recomputed=*/true);
}

std::optional<StepCost::Figures>
StepTrials::measure(const planning::Plan &tried, const SeedOverrides *instead,
                    bool recomputed) {
  ScopedDiagnosticHandler quiet(module.getContext(),
                                [](Diagnostic &) { return success(); });
  bool same =
      tried.mesh == plan.mesh && tried.microbatches == plan.microbatches;
  MeshAxes own = same ? axes : makeAxes(module, tried);
  ShardingRequest request = requestOf(tried);
  request.instead = instead;
  ShardingPins none;
  request.pins = same ? &planned : &none;
  FailureOr<DecidedSharding> decided =
      decideSharding(step, own, stepRules, request);
  if (failed(decided) ||
      !runsInMicrobatches(step, {own, decided->step, decided->partials},
                          options.perMicrobatch))
    return std::nullopt;
  Block &block = step.getBody().front();
  PlacedStep placed{own, decided->step, decided->partials};
  StepCost cost(block, own, model);
  StepCost::Figures figures =
      cost.measure(placed).withKept(options.getMemory());
  // An infinite time means that the plan needs values that other microbatches
  // compute: it is impossible.
  if (!std::isfinite(figures.seconds()))
    return std::nullopt;
  if (recomputed)
    figures.curve =
        std::make_shared<ResidualCurve>(measureResiduals(block, placed, cost));
  return figures;
}

FailureOr<DecidedSharding>
StepTrials::decide(std::shared_ptr<ShardingOrigins> origins) {
  stepRules.step.origins = std::move(origins);
  ShardingRequest request = requestOf(plan);
  request.pins = &planned;
  FailureOr<DecidedSharding> decided =
      decideSharding(step, axes, stepRules, request);
  stepRules.step.origins = nullptr;
  if (succeeded(decided))
    keepGathered(step, {axes, decided->step, decided->partials}, cost(), plan,
                 model, options.getMemory(), decided->step);
  return decided;
}

FailureOr<DecidedSharding> StepTrials::decide(const planning::Plan &tried) {
  ScopedDiagnosticHandler quiet(module.getContext(),
                                [](Diagnostic &) { return success(); });
  ShardingRequest request = requestOf(tried);
  request.pins = &planned;
  return decideSharding(step, axes, stepRules, request);
}

StepCost StepTrials::cost() const {
  return StepCost(func().getBody().front(), axes, model);
}

DeviceShare StepTrials::shareOfDevice(const PlacedStep &placed) const {
  return distribute::shareOfDevice(func().getBody().front(), placed, cost(),
                                   plan, model);
}

StepCost::Figures StepTrials::measure(const DecidedSharding &decided) const {
  return cost().measure({axes, decided.step, decided.partials});
}
