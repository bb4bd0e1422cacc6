// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/phases/Compile.h"
#include "compiler/emission/Report.h"
#include "compiler/phases/Pipelines.h"
#include "dialects/Dist/Dist.h"
#include "dialects/Train/AttributeNames.h"
#include "mlir/IR/Verifier.h"
#include <chrono>

using namespace mlir;

namespace zcc {

StepCompilation StepCompilation::restartWith(OwningOpRef<ModuleOp> module,
                                             Phase phase) const {
  StepCompilation again;
  again.module = std::move(module);
  again.phase = phase;
  again.plan = plan;
  again.limits = limits;
  again.decisions = decisions;
  again.keepsPartitioned = keepsPartitioned;
  again.wantsActions = wantsActions;
  for (const auto &[name, time] : seconds)
    if (std::optional<Phase> own = parsePhase(name); own && *own <= phase)
      again.seconds.emplace_back(name, time);
  return again;
}

int64_t countDevices(ModuleOp module, const planning::Plan &plan) {
  if (dist::MeshOp mesh = dist::getMesh(module))
    return mesh.getDevices();
  auto sizes = module->getAttrOfType<DenseI64ArrayAttr>(textMeshSizesAttrName);
  int64_t devices = plan.countDevices();
  if (plan.mesh.empty() && sizes)
    for (int64_t size : sizes.asArrayRef())
      devices *= size;
  return devices;
}

planning::MachineFacts findFacts(const planning::Machine &machine,
                                 ModuleOp module, const planning::Plan &plan,
                                 double withheld) {
  planning::MachineFacts facts = machine.getFacts(countDevices(module, plan));
  if (plan.memory > 0)
    facts.deviceMemory = plan.memory;
  // An edited text may say that more is withheld than there is.
  facts.deviceMemory = std::max(facts.deviceMemory - withheld, 1.0);
  return facts;
}

void stampPhase(const CompileContext &context, ModuleOp module, Phase phase) {
  Builder b(module.getContext());
  SmallVector<NamedAttribute> entries;
  for (auto &[name, values] : context.options.getConsumed(phase)) {
    SmallVector<Attribute> list;
    for (const std::string &value : values)
      list.push_back(b.getStringAttr(value));
    entries.push_back(b.getNamedAttr(name, b.getArrayAttr(list)));
  }
  module->setAttr(phaseAttrName, b.getStringAttr(StringRef(getName(phase))));
  module->setAttr(optionsAttrName, b.getDictionaryAttr(entries));
  if (phase >= Phase::sharded)
    module->setAttr(
        machineAttrName,
        b.getStringAttr(planning::printMachine(context.machine)));
}

// Passes that write decisions do not know the decisions of the fit.
static LogicalResult recordFit(ModuleOp module, const MemoryLimits &limits) {
  FailureOr<MemoryDecisions> decisions = MemoryDecisions::read(module);
  if (failed(decisions))
    return failure();
  if (decisions->withheld == limits.withheld &&
      decisions->leastMemory == limits.leastMemory)
    return success();
  decisions->withheld = limits.withheld;
  decisions->leastMemory = limits.leastMemory;
  decisions->write(module);
  return success();
}

static LogicalResult runPhase(const CompileContext &context,
                              StepCompilation &step, Phase phase,
                              OpVerifier verifier) {
  auto start = std::chrono::steady_clock::now();
  PassManager pm(step.module->getContext());
  // The phase's pipeline closes with its own verifier pass.
  pm.enableVerifier(false);
  addPhasePasses(
      phase, pm, context.options, step.plan, context.machine,
      findFacts(context.machine, *step.module, step.plan, step.limits.withheld),
      context.target, &step.limits);
  if (failed(pm.run(*step.module)) ||
      (verifier == OpVerifier::Run && failed(mlir::verify(*step.module))))
    return failure();
  if (phase == Phase::step)
    recordModelFlops(*step.module);
  if (phase == Phase::partitioned)
    recordAddedWork(*step.module);
  if (phase >= Phase::sharded && phase <= Phase::tasks &&
      failed(recordFit(*step.module, step.limits)))
    return failure();
  if (phase == Phase::tasks) {
    FailureOr<MemoryDecisions> decisions = MemoryDecisions::read(*step.module);
    if (failed(decisions))
      return failure();
    step.decisions = std::move(*decisions);
    if (!step.decisions.stages.empty())
      step.limits.limit(step.decisions.listLimits());
    if (step.decisions.offload)
      step.limits.offloadBytes = step.decisions.offload->asked;
  }
  if (phase == Phase::tasks && step.wantsActions)
    step.actions = printActions(*step.module);
  stampPhase(context, *step.module, phase);
  step.phase = phase;
  step.seconds.emplace_back(
      getName(phase),
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count());
  return success();
}

LogicalResult compileTo(const CompileContext &context, StepCompilation &step,
                        Phase phase, OpVerifier verifier) {
  while (step.phase < phase) {
    if (step.phase == Phase::partitioned && step.keepsPartitioned &&
        !step.partitioned)
      step.partitioned = step.module->clone();
    if (failed(runPhase(context, step, getNext(step.phase), verifier)))
      return failure();
  }
  return success();
}

} // namespace zcc
