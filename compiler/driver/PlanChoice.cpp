// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/PlanChoice.h"
#include "compiler/driver/Optimizations.h"
#include "compiler/driver/OptionValues.h"
#include "compiler/driver/Pipelines.h"
#include "passes/Distribute/Choose/ChoosePlan.h"
#include "passes/Distribute/Place/ValueNames.h"
#include "passes/Train/Globs.h"
#include "passes/Train/StateNames.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;

namespace zcc {
namespace {
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

// "FILE:LINE:COLUMN: error: ".
std::string errorAt(const std::string &file, const planning::PlanPin &pin) {
  return file + ":" + std::to_string(pin.line) + ":" +
         std::to_string(pin.column) + ": error: ";
}

// "train.add m.py:3 backward" is "train.add", "m.py:3" and "backward".
struct OpName {
  explicit OpName(StringRef name) {
    std::tie(op, place) = name.split(' ');
    for (StringRef tag : {"backward", "update"})
      if (place == tag) {
        pass = std::exchange(place, "");
      } else if (place.ends_with((" " + tag).str())) {
        pass = tag;
        place = place.drop_back(tag.size() + 1);
      }
  }
  StringRef op, place, pass;
};

// Options that place what pins place; "" if there are none. What the plan was
// made with stays.
std::string compareShards(const planning::Plan &plan, const std::string &file,
                          const Options &options) {
  for (const std::string &text : options.getList("shard")) {
    ShardRequest request;
    Globs globs;
    if (llvm::is_contained(plan.shard, text) ||
        !parseShard(text, request).empty() ||
        !globs.parse({request.glob}, [&] { return InFlightDiagnostic(); }))
      continue;
    auto differs = [&](const planning::PlanPin &pin, StringRef name) {
      return errorAt(file, pin) + "--shard=" + text + ": the plan pins '" +
             name.str() +
             "' here; change or remove the pin, or leave out the "
             "option\n";
    };
    for (const planning::PlanPin &pin : plan.arguments)
      if (StringRef name = StringRef(pin.name).split('#').first;
          globs.match(name))
        return differs(pin, name);
    for (const planning::PlanPin &pin : plan.ops)
      if (StringRef place = OpName(pin.name).place; globs.match(place))
        return differs(pin, place);
  }
  return "";
}

// Whether the op has factors of the pin's extents, but for padding.
bool fits(Operation *op, const planning::PlanPin &pin) {
  train::FactorRule rule =
      cast<train::ShardableOpInterface>(op).getFactorRule();
  if (rule.factors.size() != pin.shards.size())
    return false;
  for (auto [factor, text] : llvm::zip_equal(rule.factors, pin.shards)) {
    auto [axes, number] = StringRef(text).rsplit('/');
    int64_t extent = 0;
    if (number.getAsInteger(10, extent) || extent < factor.size ||
        (axes.empty() && extent >= 2 * factor.size))
      return false;
  }
  return true;
}

// Pins stand for what they name, so that they hold in other programs of the
// model: for evaluation, another optimizer, another precision. What those do
// without, passes but the forward one and changes of type, is left out.
std::string applyPins(func::FuncOp step, const planning::Plan &plan,
                      const std::string &file) {
  Builder b(step.getContext());
  llvm::StringMap<BlockArgument> arguments;
  llvm::StringMap<SmallVector<Operation *>> ops;
  llvm::StringSet<> places; // where there is anything
  for (BlockArgument argument : step.getArguments()) {
    if (std::string name = dist::pinName(argument); !name.empty())
      arguments.try_emplace(name, argument);
    places.insert(dist::locationName(argument.getLoc()));
  }
  for (Operation &op : step.getBody().front()) {
    places.insert(dist::locationName(op.getLoc()));
    if (isa<train::ShardableOpInterface>(op))
      ops[dist::pinName(&op)].push_back(&op);
  }
  places.insert("");
  auto shardsOf = [&](const planning::PlanPin &pin) {
    SmallVector<StringRef> texts(pin.shards.begin(), pin.shards.end());
    return b.getStrArrayAttr(texts);
  };
  auto placeOf = [&](const planning::PlanPin &pin) {
    return LocationAttr(
        FileLineColLoc::get(b.getStringAttr(file), pin.line, pin.column));
  };
  // All arguments at once: one at a time is quadratic in their number.
  SmallVector<Attribute> shards(step.getNumArguments()),
      at(step.getNumArguments());
  for (const planning::PlanPin &pin : plan.arguments) {
    auto found = arguments.find(pin.name);
    if (found == arguments.end())
      return errorAt(file, pin) +
             "arguments: the step has no parameter or input '" + pin.name +
             "'" +
             (arguments.contains(pin.name + "#0")
                  ? ", a stack, but its parts, '" + pin.name + "#0' and so on"
                  : "") +
             "\n";
    shards[found->second.getArgNumber()] = shardsOf(pin);
    at[found->second.getArgNumber()] = placeOf(pin);
  }
  if (!plan.arguments.empty()) {
    dist::setArgumentAttributes(step, dist::pinAttrName, shards);
    dist::setArgumentAttributes(step, dist::pinPlaceAttrName, at);
  }
  for (const planning::PlanPin &pin : plan.ops) {
    auto found = ops.find(pin.name);
    ArrayRef<Operation *> list;
    if (found != ops.end())
      list = found->second;
    size_t number = static_cast<size_t>(pin.number);
    OpName name(pin.name);
    bool optional = !name.pass.empty() ||
                    name.op == train::ConvertOp::getOperationName() ||
                    name.op == train::ConstantOp::getOperationName();
    Operation *op = number < list.size() ? list[number] : nullptr;
    if (!op && optional && places.contains(name.place))
      continue;
    if (list.empty())
      return errorAt(file, pin) + "ops: the step has no '" + pin.name + "'\n";
    if (!op)
      return errorAt(file, pin) + "ops: the step has " +
             std::to_string(list.size()) + " of '" + pin.name +
             "', the last of number " + std::to_string(list.size() - 1) +
             ", not " + std::to_string(number) + "\n";
    // Where others are there or missing, numbers are not the same.
    if (optional && !fits(op, pin)) {
      auto other = llvm::find_if(list, [&](Operation *op) {
        return !op->hasAttr(dist::pinAttrName) && fits(op, pin);
      });
      if (other == list.end()) {
        emitWarning(Location(placeOf(pin)), "no '")
            << pin.name << "' of this program has such factors: the pin is "
            << "left out";
        continue;
      }
      op = *other;
    }
    op->setAttr(dist::pinAttrName, shardsOf(pin));
    op->setAttr(dist::pinPlaceAttrName, placeOf(pin));
  }
  return "";
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
  if (std::string differs = compareShards(plan, file, options);
      !differs.empty())
    return differs;
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
  chosen.state = plan.state;
  chosen.microbatches = plan.microbatches;
  dist::applyPlan(module, chosen);

  return applyPins(step, plan, file);
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
          {0, dist::pinName(step.getArgument(i)), textsOf(pins)});
  llvm::StringMap<int64_t> numbers; // of the next op of a name
  for (Operation &op : step.getBody().front()) {
    if (!isa<train::ShardableOpInterface>(op))
      continue;
    std::string name = dist::pinName(&op);
    int64_t number = numbers[name]++;
    if (Attribute pins = op.getAttr(dist::pinAttrName))
      plan.ops.push_back({number, name, textsOf(pins)});
  }
  return plan;
}

void completePlan(ModuleOp module, planning::Plan &plan) {
  if (dist::MeshOp mesh = dist::getMesh(module))
    for (auto axis : mesh.getAxes().getAsRange<dist::AxisAttr>()) {
      if (axis.getTemporal())
        plan.microbatches = axis.getSize();
      else
        plan.mesh.emplace_back(axis.getName().str(), axis.getSize());
    }
  if (auto zero = module->getAttrOfType<IntegerAttr>("zcc.zero"))
    plan.zero = static_cast<int>(zero.getInt());
  if (auto state = module->getAttrOfType<ArrayAttr>(dist::statesAttrName))
    plan.state = textsOf(state);
}
} // namespace zcc
