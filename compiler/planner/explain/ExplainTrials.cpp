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

// Returns the plan with the choice open which gathered parameters are kept, if
// it is from a file.
static planning::Plan withOpenGathers(planning::Plan plan) {
  if (!plan.file.empty())
    llvm::erase_if(plan.state, [](const planning::PlanState &own) {
      return own.fact != planning::PlanState::Fact::Stage;
    });
  return plan;
}

StepTrials::StepTrials(ModuleOp module, const DistributeOptions &options)
    : module(module), step(getStep(module)), options(options),
      followed(planOn(module, options.plan)), plan(withOpenGathers(followed)),
      planned(findPins(step, plan)), axes(getMesh(module)),
      model(options.model, getMesh(module).getDevices()),
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
  ShardingRequest request = requestOf(followed);
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

StepCost::Figures StepTrials::fit(StepCost::Figures figures,
                                  const planning::Plan &tried,
                                  const PlacedStep &placed,
                                  const StepCost &cost) const {
  Block &block = func().getBody().front();
  if (planning::sizeOf(tried.mesh, {planning::AxisRole::Pipe}) > 1) {
    DenseMap<Operation *, int64_t> none;
    planning::Plan own = tried;
    // A table of actions is taken to hold about as many microbatches.
    if (!own.schedule.isNamed())
      own.schedule = planning::defaultSchedule;
    if (auto stage = estimatePipeline(
            figures, measureProfile(block, placed, cost, /*pinned=*/none), own,
            model))
      figures = *stage;
  }
  figures = figures.scaled(scale).withKept(options.getMemory());
  if (llvm::is_contained(options.disable, "overlap"))
    figures.loose = figures.inWay = 0;
  if (fits(figures) || !plan.residuals.empty())
    return figures;
  figures.curve =
      std::make_shared<ResidualCurve>(measureResiduals(block, placed, cost));
  return figures.withRecomputed(options.getMemory());
}

std::optional<StepCost::Figures>
StepTrials::measureFitted(const planning::Plan &tried,
                          const DecidedSharding *decided) {
  ScopedDiagnosticHandler quiet(module.getContext(),
                                [](Diagnostic &) { return success(); });
  bool same =
      tried.mesh == plan.mesh && tried.microbatches == plan.microbatches;
  MeshAxes own = same ? axes : makeAxes(module, tried);
  FailureOr<DecidedSharding> found = failure();
  if (!decided) {
    ShardingRequest request = requestOf(tried);
    ShardingPins none;
    request.pins = same ? &planned : &none;
    found = decideSharding(step, own, stepRules, request);
    if (failed(found) ||
        !runsInMicrobatches(step, {own, found->step, found->partials},
                            options.perMicrobatch))
      return std::nullopt;
    decided = &*found;
  }
  PlacedStep placed{own, decided->step, decided->partials};
  StepCost cost(step.getBody().front(), own, model);
  StepCost::Figures figures = fit(cost.measure(placed), tried, placed, cost);
  if (!std::isfinite(figures.seconds()))
    return std::nullopt;
  return figures;
}

void StepTrials::correctMemory(double peak, const DecidedSharding &decided) {
  scale = {};
  std::optional<StepCost::Figures> figures = measureFitted(plan, &decided);
  if (!figures || figures->bytes() <= 0)
    return;
  double ratio = peak / figures->bytes();
  scale.state = scale.gradients = scale.residuals = scale.largest = ratio;
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
