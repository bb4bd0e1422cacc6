// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Distribute/Explain/ExplainTrials.h"
#include "mlir/IR/Diagnostics.h"
#include "passes/Distribute/Choose/Microbatches.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;

StepTrials::StepTrials(ModuleOp module, const DistributeOptions &options)
    : module(module), step(getStep(module)), planned(takePins(step)),
      axes(getMesh(module)), model(options.model, getMesh(module).getDevices()),
      stepRules(step), facts(step, options.notBatched) {
  for (unsigned axis = 0; axis < axes.size(); ++axis)
    if (axes.isTemporal(axis))
      setup.microbatches = axes.sizeOf(axis);
    else
      setup.axes.emplace_back(axes.nameOf(axis).str(), axes.sizeOf(axis));
  memory = options.getMemory();
  perMicrobatch = options.perMicrobatch;
  setup.options.notBatched = options.notBatched;
  setup.options.shard = options.shard;
  setup.options.zeroAxes = options.zeroAxes;
  setup.options.disable = options.disable;
  setup.options.shardSequence =
      !llvm::is_contained(options.disable, "shard-sequence");
  setup.options.zero = options.zero;
  setup.options.state = options.state;
  setup.options.exact = options.exact;
  setup.options.addPlan(module);
  fixed = !planned.ops.empty() &&
          llvm::all_of(stepRules.step.ops, [&](const auto &entry) {
            return entry.second.update || planned.ops.contains(entry.first);
          });
}

MeshAxes StepTrials::axesOf(const StepSetup &tried) {
  MLIRContext *context = module.getContext();
  SmallVector<Attribute> list;
  if (tried.microbatches > 1)
    list.push_back(AxisAttr::get(context, "micro", tried.microbatches, true));
  for (const auto &[name, size] : tried.axes)
    list.push_back(AxisAttr::get(context, name, size, false));
  OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
  MeshOp op = MeshOp::create(b, module.getLoc(), meshName,
                             ArrayAttr::get(context, list));
  MeshAxes made(op);
  op.erase();
  return made;
}

std::optional<StepCost::Figures>
StepTrials::measure(const StepSetup &tried, const SeedOverrides *instead) {
  ScopedDiagnosticHandler quiet(module.getContext(),
                                [](Diagnostic &) { return success(); });
  bool same =
      tried.axes == setup.axes && tried.microbatches == setup.microbatches;
  MeshAxes own = same ? axes : axesOf(tried);
  ShardingRequest request = tried.options.request();
  request.seeds.instead = instead;
  ShardingPins none;
  request.pins = same ? &planned : &none;
  FailureOr<DecidedSharding> decided =
      decideSharding(step, own, stepRules, request);
  if (failed(decided) ||
      !runsInMicrobatches(step, {own, decided->step, decided->partials},
                          perMicrobatch))
    return std::nullopt;
  StepCost::Figures figures =
      StepCost(step.getBody().front(), own, model)
          .measure({own, decided->step, decided->partials})
          .withKept(memory);
  // What other microbatches compute cannot be had.
  if (!std::isfinite(figures.seconds()))
    return std::nullopt;
  return figures;
}

FailureOr<DecidedSharding>
StepTrials::decide(std::shared_ptr<ShardingOrigins> origins) {
  stepRules.step.origins = std::move(origins);
  ShardingRequest request = setup.options.request();
  request.pins = &planned;
  FailureOr<DecidedSharding> decided =
      decideSharding(step, axes, stepRules, request);
  stepRules.step.origins = nullptr;
  if (succeeded(decided))
    keepGathered(step, {axes, decided->step, decided->partials}, cost(), memory,
                 decided->step);
  return decided;
}

StepCost StepTrials::cost() const {
  return StepCost(func().getBody().front(), axes, model);
}

StepCost::Figures StepTrials::measure(const DecidedSharding &decided) const {
  return cost().measure({axes, decided.step, decided.partials});
}
