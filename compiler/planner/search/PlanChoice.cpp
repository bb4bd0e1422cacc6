// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/planner/search/PlanChoice.h"
#include "compiler/phases/Optimizations.h"
#include "compiler/planner/search/PlanVariants.h"
#include "dialects/Dist/Dist.h"
#include "passes/Distribute/Place/PlanPins.h"
#include "passes/Distribute/PlanAttribute.h"
#include "passes/Distribute/Sharding/ValueNames.h"
#include "passes/Train/Globs.h"
#include "passes/Train/StateNames.h"
#include "planning/PlanValues.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;

namespace zcc::planner {
std::vector<planning::PlanValue> findValues(ModuleOp module) {
  std::vector<planning::PlanValue> values;
  func::FuncOp step = distribute::getStep(module);
  if (!step)
    return values;
  llvm::StringSet<> seen;
  for (BlockArgument argument : step.getArguments()) {
    unsigned number = argument.getArgNumber();
    bool input = bool(step.getArgAttr(number, inputAttrName));
    StringRef name = distribute::argumentName(argument);
    if (name.empty() || (!input && !isParameter(argument)) ||
        !seen.insert(name).second)
      continue;
    ArrayRef<int64_t> shape = train::shapeOf(argument);
    if (auto file =
            step.getArgAttrOfType<DenseI64ArrayAttr>(number, fileShapeAttrName))
      shape = file.asArrayRef();
    values.push_back({name.str(), {shape.begin(), shape.end()}, input});
  }
  return values;
}

namespace {
// Returns an error if options shard values that the plan pins, or "".
// Annotations that the plan already has are no conflict.
std::string compareShards(const planning::Plan &plan,
                          const planning::Plan &asked) {
  for (const planning::PlanAnnotation &option : asked.shard) {
    Globs globs;
    if (llvm::is_contained(plan.shard, option) ||
        !globs.parse({option.glob}, [&] { return InFlightDiagnostic(); }))
      continue;
    auto differs = [&](const planning::PlanPin &pin, StringRef name) {
      return plan.file + ":" + std::to_string(pin.line) + ":" +
             std::to_string(pin.column) +
             ": error: --shard=" + planning::printAnnotation(option) +
             ": the plan pins '" + name.str() +
             "' here; change or remove the pin, or leave out the option\n";
    };
    for (const planning::PlanPin &pin : plan.arguments)
      if (StringRef name = StringRef(pin.name).split('#').first;
          globs.match(name))
        return differs(pin, name);
    for (const planning::PlanPin &pin : plan.ops)
      if (StringRef place = distribute::PinnedOpName(pin.name).place;
          globs.match(place))
        return differs(pin, place);
  }
  return "";
}

// Returns how the plan contradicts the options, or "".
std::string compareOptions(const planning::Plan &plan,
                           const planning::Plan &asked,
                           const Options &options) {
  auto differs = [&](const std::string &what, const std::string &planned) {
    return "--" + what + "=" + options.get(what) + ": the plan has " + planned;
  };
  if (!asked.mesh.empty()) {
    std::vector<planning::PlanAxis> mesh = planning::joinAxes(plan.mesh);
    bool bare = asked.mesh.size() == 1 && asked.mesh[0].name.empty();
    // A plan may have the axes in another order (--axis-order).
    if (bare ? asked.countDevices() != plan.countDevices()
             : !std::is_permutation(mesh.begin(), mesh.end(),
                                    asked.mesh.begin(), asked.mesh.end()))
      return differs("mesh", planning::printMesh(mesh));
  }
  if (asked.zero >= 0 && plan.zero >= 0 && asked.zero != plan.zero)
    return differs("zero", std::to_string(plan.zero));
  if (asked.microbatches > 0 && asked.microbatches != plan.microbatches)
    return differs("microbatches", std::to_string(plan.microbatches));
  if (asked.schedule.isNamed() && plan.schedule.isNamed() &&
      asked.schedule != plan.schedule)
    return differs("schedule", plan.schedule.print());
  if (asked.schedule.isNamed() && !plan.actions.empty())
    return differs("schedule", "actions of its own");
  if (!asked.residuals.empty() && !plan.residuals.empty() &&
      asked.residuals != plan.residuals)
    return differs("remat", planning::printRemat(plan.residuals));
  if (!asked.residuals.empty() && !plan.decisions.empty())
    return differs("remat", std::to_string(plan.decisions.size()) +
                                " decisions on single values");
  if (!asked.offload.empty() && !plan.offload.empty() &&
      asked.offload != plan.offload)
    return "--offload=" +
           llvm::join(planning::printOffload(asked.offload), ",") +
           ": the plan has " +
           llvm::join(planning::printOffload(plan.offload), ",");
  if (asked.compress && !asked.compress->isAuto && plan.compress &&
      *asked.compress != *plan.compress)
    return differs("compress", planning::printCompression(*plan.compress));
  return "";
}

// Returns `plan` with the additional requests of the options.
planning::Plan merge(planning::Plan plan, const planning::Plan &asked) {
  std::vector<planning::PlanAnnotation> shard = asked.shard;
  for (const planning::PlanAnnotation &own : plan.shard)
    if (!llvm::is_contained(asked.shard, own))
      shard.push_back(own);
  plan.shard = std::move(shard);
  plan.state.insert(plan.state.begin(), asked.state.begin(), asked.state.end());
  if (!asked.zeroAxes.empty())
    plan.zeroAxes = asked.zeroAxes;
  if (!asked.expertAxes.empty())
    plan.expertAxes = asked.expertAxes;
  if (asked.memory > 0)
    plan.memory = asked.memory;
  plan.fillOpen(asked);
  return plan;
}
} // namespace

planning::Plan askedPlan(const Options &options) {
  planning::Plan plan = options.getPlan();
  plan.wholeSequence =
      llvm::is_contained(getDisabled(options), "shard-sequence");
  return plan;
}

std::string followPlan(ModuleOp module, const std::string &file,
                       const Options &options, planning::Plan &plan) {
  auto buffer = llvm::MemoryBuffer::getFile(file, /*IsText=*/true);
  if (!buffer)
    return "error: cannot read '" + file + "': " + buffer.getError().message() +
           "\n";
  planning::Plan own;
  if (std::string errors =
          planning::parsePlan((*buffer)->getBuffer().str(), file, own);
      !errors.empty())
    return errors;
  func::FuncOp step = distribute::getStep(module);
  if (!step)
    return "error: the module has no step\n";
  auto refuse = [&](const std::string &message) {
    return message.empty() ? "" : file + ": error: " + message + "\n";
  };
  if (dist::getMesh(module))
    return "error: " + file + ": the text has a mesh already\n";
  if (std::string differs = compareValues(own, findValues(module));
      !differs.empty())
    return refuse("the plan is for another model:\n  " + differs);
  if (std::string differs = compareOptions(own, plan, options);
      !differs.empty())
    return refuse(differs);
  if (std::string differs = compareShards(own, plan); !differs.empty())
    return differs;
  if (std::string wrong =
          own.schedule.isNamed()
              ? Options::checkOption("schedule", own.schedule.print())
              : "";
      !wrong.empty())
    return refuse(wrong.substr(2)); // without the dashes of the option
  int64_t batch = PlanFacts(step, options.getList("not-batched")).batch;
  if (own.microbatches > std::max<int64_t>(batch, 1))
    return refuse("microbatches: " + std::to_string(own.microbatches) +
                  " of a batch of " + std::to_string(batch));
  plan = merge(std::move(own), plan);
  return distribute::adaptPins(step, plan);
}

planning::Plan decidedPlan(ModuleOp module, planning::Plan plan) {
  distribute::takeMesh(module, plan);
  FailureOr<planning::Plan> decided = distribute::getPlan(module);
  if (succeeded(decided)) {
    plan.zero = decided->zero;
    plan.state = decided->state;
  }
  return plan;
}

void resumePlan(ModuleOp module, planning::Plan &plan) {
  FailureOr<planning::Plan> carried = distribute::getPlan(module);
  if (succeeded(carried)) // else it was reported
    plan.fillOpen(*carried);
}
} // namespace zcc::planner
