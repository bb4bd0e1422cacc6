// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/phases/Pipelines.h"
#include "compiler/emission/SizeWorkspaces.h"
#include "compiler/emission/VerifyOrder.h"
#include "compiler/phases/Optimizations.h"
#include "compiler/phases/OptionValues.h"
#include "compiler/phases/VerifyStructure.h"
#include "dialects/Dist/Dist.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Distribute/PlanAttribute.h"
#include "passes/Import/Import.h"
#include "passes/Memory/Memory.h"
#include "passes/Pipeline/Decisions.h"
#include "passes/Pipeline/Pipeline.h"
#include "passes/Schedule/Schedule.h"
#include "passes/Train/Train.h"
#include "planning/StepExtent.h"

using namespace mlir;

namespace zcc {

DistributeOptions getDistributeOptions(const Options &options,
                                       const planning::Plan &plan,
                                       const planning::Machine &machine,
                                       const planning::MachineFacts &facts) {
  DistributeOptions out;
  out.plan = plan;
  out.notBatched = options.getList("not-batched");
  out.perMicrobatch = options.getList("per-microbatch");
  out.stages = options.getList("stage");
  out.exact = options.getFlag("exact");
  out.disable = getDisabled(options);
  out.machine = facts;
  out.model = machine;
  return out;
}

PipelineOptions getPipelineOptions(const Options &options,
                                   const planning::Plan &plan,
                                   const planning::Machine &machine,
                                   const MemoryLimits *limits) {
  PipelineOptions out;
  out.residuals = plan.residuals;
  if (plan.compressesWhereNeeded())
    out.compress = limits ? limits->compress : std::nullopt;
  else if (plan.compress)
    out.compress = plan.compress->format;
  out.schedule = plan.schedule;
  out.actions = {plan.file, plan.actions};
  if (!plan.offloadsByPrice() || (limits && limits->offloadBytes > 0))
    out.offload = plan.offload;
  out.exact = options.getFlag("exact");
  out.disable = getDisabled(options);
  out.machine = machine;
  if (limits)
    out.limits = *limits;
  out.pins = {plan.file, plan.decisions};
  return out;
}

static int64_t toBytes(double bytes) {
  constexpr double most = 1e18;
  return static_cast<int64_t>(std::min(bytes, most));
}

void addPhasePasses(Phase phase, OpPassManager &pm, const Options &options,
                    const planning::Plan &plan,
                    const planning::Machine &machine,
                    const planning::MachineFacts &facts, const Target &backend,
                    const MemoryLimits *limits) {
  switch (phase) {
  case Phase::input:
  case Phase::executable:
    return;
  case Phase::graph: {
    ImportOptions import;
    if (std::string n = options.get("parameters"); !n.empty())
      import.parameters = static_cast<unsigned>(std::stoul(n));
    import.forward = extentOf(options.get("optimizer")) == StepExtent::Forward;
    import.disable = getDisabled(options);
    import.checkIndices = options.get("indices") == "check";
    import.warnAttention = llvm::any_of(plan.mesh, [](const auto &axis) {
      return axis.role() == planning::AxisRole::Context;
  });
    import.warnFrozenRandom = options.get("optimizer") != "forward";
    return buildImportPipeline(pm, import);
  }
case Phase::step: {
  TrainOptions train;
  train.precision = options.get("precision");
  train.optimizer = options.get("optimizer");
  train.gradientType = options.get("gradient-type");
  train.ema = parseDecay(options.get("ema"));
  train.freeze = options.getList("freeze");
  train.noDecay = options.getList("no-decay");
  train.disable = getDisabled(options);
  train.addBiasesFirst = backend.addsBiases();
  return buildTrainPipeline(pm, train);
}
case Phase::sharded:
  return buildShardPipeline(
      pm, getDistributeOptions(options, plan, machine, facts));
case Phase::partitioned:
  return buildPartitionPipeline(
      pm, getDistributeOptions(options, plan, machine, facts));
case Phase::tasks:
  return buildPipelinePipeline(
      pm, getPipelineOptions(options, plan, machine, limits));
case Phase::scheduled: {
  ScheduleOptions schedule;
  using Switch = std::pair<StringRef, bool ScheduleOptions::*>;
  const std::vector<std::string> disabled = getDisabled(options);
  for (auto [name, isOn] :
       {Switch("fuse", &ScheduleOptions::fuse),
        Switch("bucket", &ScheduleOptions::bucket),
        Switch("overlap", &ScheduleOptions::overlap),
        Switch("split-steps", &ScheduleOptions::splitSteps),
        Switch("interleave-runs", &ScheduleOptions::interleaveRuns),
        Switch("share-buffers", &ScheduleOptions::shareBuffers),
        Switch("batch", &ScheduleOptions::batch)})
    schedule.*isOn = !llvm::is_contained(disabled, name);
  schedule.machine = machine;
  schedule.memory = toBytes(facts.deviceMemory);
  schedule.mayGrow = limits && limits->mayFall;
  schedule.leastMemory = limits && limits->leastMemory;
  schedule.kernelCosts = [&backend](func::FuncOp kernel) {
    return backend.getCost(kernel);
  };
  return buildSchedulePipeline(pm, backend, schedule);
}
case Phase::planned: {
  MemoryOptions memory;
  memory.callerInputs = options.get("inputs") == "caller";
  if (limits && limits->isTry())
    memory.steps /= 16;
  // There is no limit if steps are ordered to minimize memory.
  memory.limit =
      toBytes(limits && limits->leastMemory ? plan.memory : facts.deviceMemory);
  if (auto *own = dynamic_cast<const WorkspaceTarget *>(&backend))
    pm.addPass(createSizeWorkspaces(*own));
  buildMemoryPipeline(pm, memory);
  pm.addPass(createVerifyOrder());
  return;
}
}
} // namespace zcc

// Rejects attributes that only phase `sharded` may write in texts of earlier
// phases.
static LogicalResult refuseShardings(ModuleOp module) {
  auto refuse = [&](Location loc, DictionaryAttr attributes) {
    for (NamedAttribute attribute :
         attributes ? attributes.getValue() : ArrayRef<NamedAttribute>())
      if (attribute.getName().getValue().starts_with("dist."))
        return LogicalResult(emitError(loc, "'")
                             << attribute.getName().getValue()
                             << "' is of phase sharded");
    return success();
  };
  WalkResult result = module->walk([&](Operation *op) {
    if (failed(refuse(op->getLoc(), op->getDiscardableAttrDictionary())))
      return WalkResult::interrupt();
    if (auto func = dyn_cast<func::FuncOp>(op); func && !func.isExternal())
      for (BlockArgument argument : func.getArguments())
        if (failed(refuse(argument.getLoc(),
                          func.getArgAttrDict(argument.getArgNumber()))))
          return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult verifyText(Phase phase, ModuleOp module,
                         const exec::Backend &backend) {
  if (phase < Phase::sharded &&
      (failed(refuseShardings(module)) || failed(verifyTextMesh(module))))
    return failure();
  if (failed(verifyStructure(phase, module)))
    return failure();
  if (failed(distribute::getPlan(module)) ||
      failed(MemoryDecisions::read(module)))
    return failure();
  WalkResult observed = module->walk([](dist::ObserveOp op) {
    if (op.getValues().size() == op.getStates().size())
      return WalkResult::advance();
    op.emitOpError("expected a state for each of ")
        << op.getValues().size() << " values, found " << op.getStates().size();
    return WalkResult::interrupt();
  });
  if (observed.wasInterrupted())
    return failure();
  PassManager pm(module.getContext());
  pm.enableVerifier(false);
  switch (phase) {
  case Phase::input:
  case Phase::partitioned: // hand-written texts may lack facts for its verifier
  case Phase::executable:
    return success();
  case Phase::graph:
    pm.addPass(createVerifyGraph());
    break;
  case Phase::step:
    pm.addPass(createVerifyStep());
    break;
  case Phase::sharded:
    pm.addPass(createVerifySharded());
    break;
  case Phase::tasks:
    pm.addPass(createVerifyTasks());
    pm.addPass(createVerifyFates());
    break;
  case Phase::scheduled:
    pm.addPass(createVerifySchedule(backend));
    break;
  case Phase::planned:
    pm.addPass(createVerifySchedule(backend));
    pm.addPass(createVerifyPlan());
    pm.addPass(createVerifyOrder());
    break;
  }
  return pm.run(module);
}

LogicalResult addInit(ModuleOp module, ModuleOp init) {
  PassManager pm(module.getContext());
  pm.enableVerifier(false);
  ImportOptions import;
  import.role = ImportRole::Init;
  buildImportPipeline(pm, import);
  if (failed(pm.run(init)))
    return failure();
  auto function = init.lookupSymbol<func::FuncOp>(initFunctionName);
  function->remove();
  module.push_back(function);
  return success();
}

} // namespace zcc
