// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/PlanChoice.h"
#include "compiler/driver/Optimizations.h"
#include "compiler/driver/OptionValues.h"
#include "compiler/driver/Pipelines.h"
#include "compiler/simulator/Prediction.h"
#include "mlir/IR/Diagnostics.h"
#include "passes/Distribute/ChoosePlan.h"
#include "passes/Distribute/ValueNames.h"
#include "passes/Train/StateNames.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;

namespace zcc {
namespace {
// Seconds of a step under the plan that was applied; nullopt where it does not
// compile.
std::optional<double> simulate(ModuleOp module, const Options &options,
                               const planning::Machine &machine,
                               const planning::MachineFacts &facts) {
  OwningOpRef<ModuleOp> tried = module.clone();
  ScopedDiagnosticHandler quiet(module.getContext(),
                                [](Diagnostic &) { return success(); });
  for (Phase phase :
       {Phase::sharded, Phase::partitioned, Phase::tasks, Phase::scheduled}) {
    PassManager pm(module.getContext());
    pm.enableVerifier(false);
    addPhasePasses(phase, pm, options, machine, facts);
    if (failed(pm.run(*tried)))
      return std::nullopt;
  }
  std::optional<Prediction> predicted =
      predictStep(*tried, machine, options.get("precision"), 0);
  if (!predicted)
    return std::nullopt;
  return predicted->stepSeconds;
}

// What was considered, for --explain.
void noteConsidered(ModuleOp module, const dist::PlanChoice &choice,
                    size_t chosen, ArrayRef<std::optional<double>> simulated) {
  Builder b(module.getContext());
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
    list.push_back(entry.getDictionary(module.getContext()));
  }
  module->setAttr(dist::consideredAttrName, b.getArrayAttr(list));
}

// Parameters and inputs as the text has them.
std::vector<planning::PlanValue> valuesOf(func::FuncOp step) {
  std::vector<planning::PlanValue> values;
  llvm::StringSet<> seen;
  for (BlockArgument argument : step.getArguments()) {
    unsigned number = argument.getArgNumber();
    auto kind = step.getArgAttrOfType<StringAttr>(number, kindAttrName);
    bool input = bool(step.getArgAttr(number, inputAttrName));
    StringRef name = dist::argumentName(argument);
    if (name.empty() || (!input && (!kind || kind.getValue() != "parameter")) ||
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

std::vector<std::string> textsOf(Attribute attr) {
  std::vector<std::string> texts;
  for (Attribute entry : cast<ArrayAttr>(attr))
    texts.push_back(cast<StringAttr>(entry).str());
  return texts;
}

// What is wrong with the plan's annotations; "" if nothing.
std::string checkShards(const planning::Plan &plan) {
  for (const std::string &text : plan.shard) {
    ShardRequest request;
    if (std::string message = parseShard(text, request); !message.empty())
      return StringRef(message).drop_front(2).str();
    for (const auto &axes : request.dims)
      for (const std::string &axis : axes)
        // An axis, or one that the mesh has in parts.
        if (llvm::none_of(plan.mesh, [&](const auto &own) {
              return own.first == axis ||
                     StringRef(own.first).split(':').first == axis;
            }))
          return "shard: '" + text + "' names the axis '" + axis +
                 "', which the plan's mesh does not have";
  }
  return "";
}

// Name and size; parts of an axis as that axis.
std::vector<std::pair<std::string, int64_t>>
wholeMesh(const planning::Plan &plan) {
  std::vector<std::pair<std::string, int64_t>> whole;
  for (const auto &[part, size] : plan.mesh) {
    std::string name = StringRef(part).split(':').first.str();
    if (whole.empty() || whole.back().first != name)
      whole.emplace_back(name, 1);
    whole.back().second *= size;
  }
  return whole;
}

// What the plan says otherwise than the options; "" if nothing.
std::string compareOptions(const planning::Plan &plan, const Options &options) {
  auto differs = [](const std::string &what, const std::string &asked,
                    const std::string &planned) {
    return "--" + what + "=" + asked + ": the plan has " + planned;
  };
  if (options.isGiven("mesh")) {
    std::vector<MeshAxis> axes;
    parseMesh(options.get("mesh"), axes);
    int64_t devices = 1, planned = 1;
    std::string text;
    auto mesh = wholeMesh(plan);
    bool same = axes.size() == mesh.size();
    for (auto [i, axis] : llvm::enumerate(mesh)) {
      text += (i ? "," : "") + axis.first + "=" + std::to_string(axis.second);
      planned *= axis.second;
      same = same && axes[i].name == axis.first && axes[i].size == axis.second;
    }
    for (const MeshAxis &axis : axes)
      devices *= axis.size;
    bool bare = axes.size() == 1 && axes[0].name.empty();
    if (bare ? devices != planned : !same)
      return differs("mesh", options.get("mesh"), text);
  }
  if (options.isGiven("zero") && plan.zero >= 0 &&
      options.get("zero") != "auto" &&
      options.get("zero") != std::to_string(plan.zero))
    return differs("zero", options.get("zero"), std::to_string(plan.zero));
  if (options.isGiven("microbatches") &&
      options.get("microbatches") != "auto" &&
      options.get("microbatches") != std::to_string(plan.microbatches))
    return differs("microbatches", options.get("microbatches"),
                   std::to_string(plan.microbatches));
  return "";
}
} // namespace

size_t countConsidered(ModuleOp module) {
  auto list = module->getAttrOfType<ArrayAttr>(dist::consideredAttrName);
  return list ? list.size() : 0;
}

std::string followPlan(ModuleOp module, const std::string &file,
                       const Options &options) {
  auto buffer = llvm::MemoryBuffer::getFile(file, /*IsText=*/true);
  if (!buffer)
    return "error: cannot read '" + file + "': " + buffer.getError().message() +
           "\n";
  planning::Plan plan;
  if (std::string errors =
          planning::parsePlan((*buffer)->getBuffer().str(), file, plan);
      !errors.empty())
    return errors;
  func::FuncOp step = dist::getStep(module);
  if (!step)
    return "error: the module has no step\n";
  if (dist::getMesh(module))
    return "error: " + file + ": the text has a mesh already\n";
  if (std::string differs = compareValues(plan, valuesOf(step));
      !differs.empty())
    return file + ": error: the plan is for another model:\n  " + differs +
           "\n";
  if (std::string differs = compareOptions(plan, options); !differs.empty())
    return file + ": error: " + differs + "\n";
  if (std::string wrong = checkShards(plan); !wrong.empty())
    return file + ": error: " + wrong + "\n";
  int64_t batch = dist::PlanFacts(step, options.getList("not-batched")).batch;
  if (plan.microbatches > std::max<int64_t>(batch, 1))
    return file +
           ": error: microbatches: " + std::to_string(plan.microbatches) +
           " of a batch of " + std::to_string(batch) + "\n";
  dist::ChosenPlan chosen;
  chosen.variant.axes = plan.mesh;
  chosen.variant.shard = plan.shard;
  chosen.variant.shardSequence = !plan.wholeSequence;
  chosen.variant.text = "followed";
  chosen.zero = plan.zero;
  chosen.zeroAxes = plan.zeroAxes;
  chosen.microbatches = plan.microbatches;
  dist::applyPlan(module, chosen);

  Builder b(module.getContext());
  auto pinAttr = [&](const planning::PlanPin &pin) {
    SmallVector<StringRef> texts(pin.shards.begin(), pin.shards.end());
    return b.getStrArrayAttr(texts);
  };
  for (const planning::PlanPin &pin : plan.arguments) {
    if (pin.number >= step.getNumArguments())
      return file + ": error: the step has no argument " +
             std::to_string(pin.number) + " ('" + pin.name + "')\n";
    step.setArgAttr(pin.number, dist::pinAttrName, pinAttr(pin));
  }
  SmallVector<Operation *> ops;
  for (Operation &op : step.getBody().front())
    ops.push_back(&op);
  for (const planning::PlanPin &pin : plan.ops) {
    if (pin.number >= static_cast<int64_t>(ops.size()) ||
        ops[pin.number]->getName().getStringRef() !=
            StringRef(pin.name).split(' ').first)
      return file + ": error: op " + std::to_string(pin.number) +
             " of the step is no '" + pin.name + "'\n";
    ops[pin.number]->setAttr(dist::pinAttrName, pinAttr(pin));
  }
  return "";
}

planning::Plan describePlan(ModuleOp module, const Options &options) {
  planning::Plan plan;
  func::FuncOp step = dist::getStep(module);
  if (!step)
    return plan;
  plan.values = valuesOf(step);
  plan.shard = options.getList("shard");
  plan.zeroAxes = parseAxes(options.get("zero-axes"));
  plan.wholeSequence =
      llvm::is_contained(getDisabled(options), "shard-sequence");
  if (auto chosen = module->getAttrOfType<DictionaryAttr>(dist::planAttrName)) {
    for (std::string &text : textsOf(chosen.get("shard")))
      plan.shard.push_back(std::move(text));
    plan.wholeSequence |= !chosen.getAs<BoolAttr>("shard_sequence").getValue();
    if (plan.zeroAxes.empty())
      plan.zeroAxes = textsOf(chosen.get("zero_axes"));
  }
  for (unsigned i = 0; i < step.getNumArguments(); ++i)
    if (Attribute pins = step.getArgAttr(i, dist::pinAttrName))
      plan.arguments.push_back(
          {i, dist::argumentName(step.getArgument(i)).str(), textsOf(pins)});
  for (auto [i, op] : llvm::enumerate(step.getBody().front()))
    if (Attribute pins = op.getAttr(dist::pinAttrName)) {
      std::string at = dist::locationName(op.getLoc());
      plan.ops.push_back(
          {static_cast<int64_t>(i),
           op.getName().getStringRef().str() + (at.empty() ? "" : " " + at),
           textsOf(pins)});
    }
  return plan;
}

void completePlan(ModuleOp module, planning::Plan &plan) {
  if (dist::MeshOp mesh = dist::getMesh(module))
    for (auto axis : mesh.getAxes().getAsRange<dist::AxisAttr>())
      if (axis.getTemporal())
        plan.microbatches = axis.getSize();
      else
        plan.mesh.emplace_back(axis.getName().str(), axis.getSize());
  if (auto zero = module->getAttrOfType<IntegerAttr>("zcc.zero"))
    plan.zero = static_cast<int>(zero.getInt());
}

LogicalResult choosePlan(ModuleOp module, const Options &options,
                         const planning::Machine &machine,
                         const planning::MachineFacts &facts,
                         dist::PlanFigures &known) {
  FailureOr<dist::PlanChoice> choice = dist::choosePlans(
      module, getDistributeOptions(options, machine, facts), known);
  if (failed(choice))
    return failure();
  size_t chosen = 0;
  SmallVector<std::optional<double>> simulated;
  double least = std::numeric_limits<double>::infinity();
  if (choice->best.size() > 1)
    for (auto [i, plan] : llvm::enumerate(choice->best)) {
      dist::applyPlan(module, plan);
      std::optional<double> seconds = simulate(module, options, machine, facts);
      dist::removePlan(module);
      simulated.push_back(seconds);
      if (seconds && *seconds < least) {
        chosen = i;
        least = *seconds;
      }
    }
  dist::applyPlan(module, choice->best[chosen]);
  noteConsidered(module, *choice, chosen, simulated);
  return success();
}
} // namespace zcc
