// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Distribute/Place/PlanPins.h"
#include "passes/Distribute/Sharding/ValueNames.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;
using planning::Plan;
using planning::PlanPin;

// Calls `visit` with each op that can be pinned, its name, and its number among
// the ops of that name.
static void
forEachOp(func::FuncOp step,
          llvm::function_ref<void(Operation &, StringRef, int64_t)> visit) {
  llvm::StringMap<int64_t> numbers; // of the next op of each name
  for (Operation &op : step.getBody().front())
    if (isa<train::ShardableOpInterface>(op)) {
      std::string name = pinName(&op);
      visit(op, name, numbers[name]++);
    }
}

ShardingPins distribute::findPins(func::FuncOp step, const Plan &plan) {
  ShardingPins pins;
  if (!plan.hasPins())
    return pins;
  llvm::StringMap<const PlanPin *> named;
  for (const PlanPin &pin : plan.arguments)
    named[pin.name] = &pin;
  for (BlockArgument argument : step.getArguments())
    if (std::string name = pinName(argument); !name.empty())
      if (auto found = named.find(name); found != named.end())
        pins.arguments[argument] = found->second;
  llvm::StringMap<SmallVector<const PlanPin *>> ops;
  for (const PlanPin &pin : plan.ops)
    ops[pin.name].push_back(&pin);
  forEachOp(step, [&](Operation &op, StringRef name, int64_t number) {
    if (auto found = ops.find(name); found != ops.end())
      for (const PlanPin *pin : found->second)
        if (pin->number == number)
          pins.ops[&op] = pin;
  });
  return pins;
}

std::optional<Location> distribute::placeOf(const Plan &plan,
                                            const PlanPin &pin,
                                            MLIRContext *context) {
  if (pin.line == 0)
    return std::nullopt;
  return Location(
      FileLineColLoc::get(context, plan.file, pin.line, pin.column));
}

static planning::PlanShards shardsOf(const MeshAxes &mesh,
                                     ArrayRef<unsigned> axes, int64_t extent) {
  planning::PlanShards shards;
  shards.extent = extent;
  for (unsigned axis : axes)
    shards.axes.push_back(mesh.nameOf(axis).str());
  return shards;
}

void distribute::pinSharding(func::FuncOp func, const MeshAxes &mesh,
                             const StepSharding &step, Plan &plan) {
  plan.arguments.clear();
  plan.ops.clear();
  for (BlockArgument argument : func.getArguments()) {
    std::string name = pinName(argument);
    if (name.empty()) // lives where its parameter does
      continue;
    PlanPin &pin = plan.arguments.emplace_back();
    pin.name = name;
    const Placement &own = step.seeds.find(argument)->second;
    for (auto [axes, extent] : llvm::zip_equal(own.dims, own.extents))
      pin.shards.push_back(shardsOf(mesh, axes, extent));
  }
  forEachOp(func, [&](Operation &op, StringRef name, int64_t number) {
    auto it = step.ops.find(&op);
    if (it == step.ops.end() || it->second.update)
      return;
    PlanPin &pin = plan.ops.emplace_back();
    pin.number = number;
    pin.name = name;
    for (const FactorShards &own : it->second.factors)
      pin.shards.push_back(shardsOf(mesh, own.axes, own.padded));
  });
}

PinnedOpName::PinnedOpName(StringRef name) {
  std::tie(op, place) = name.split(' ');
  for (StringRef tag : {train::stringifyTag(train::Tag::Backward),
                        train::stringifyTag(train::Tag::Update)})
    if (place == tag) {
      pass = std::exchange(place, "");
    } else if (place.ends_with((" " + tag).str())) {
      pass = tag;
      place = place.drop_back(tag.size() + 1);
    }
}

// Returns true if the op's factors have the pin's extents, but for padding.
static bool fits(Operation *op, const PlanPin &pin) {
  train::FactorRule rule =
      cast<train::ShardableOpInterface>(op).getFactorRule();
  if (rule.factors.size() != pin.shards.size())
    return false;
  for (auto [factor, shards] : llvm::zip_equal(rule.factors, pin.shards))
    if (shards.extent < factor.size ||
        (shards.axes.empty() && shards.extent >= 2 * factor.size))
      return false;
  return true;
}

static std::string errorAt(const Plan &plan, const PlanPin &pin) {
  return plan.file + ":" + std::to_string(pin.line) + ":" +
         std::to_string(pin.column) + ": error: ";
}

std::string distribute::adaptPins(func::FuncOp step, Plan &plan) {
  llvm::StringSet<> arguments;
  std::vector<std::string> names; // of arguments, in their order
  llvm::StringMap<SmallVector<Operation *>> ops;
  llvm::StringSet<> places; // of all ops and arguments
  for (BlockArgument argument : step.getArguments()) {
    if (std::string name = pinName(argument);
        !name.empty() && arguments.insert(name).second)
      names.push_back(name);
    places.insert(locationName(argument.getLoc()));
  }
  for (Operation &op : step.getBody().front())
    places.insert(locationName(op.getLoc()));
  places.insert("");
  forEachOp(step, [&](Operation &op, StringRef name, int64_t) {
    ops[name].push_back(&op);
  });
  for (const PlanPin &pin : plan.arguments)
    if (!arguments.contains(pin.name))
      return errorAt(plan, pin) +
             "arguments: the step has no parameter or input '" + pin.name +
             "'" +
             (arguments.contains(pin.name + "#0")
                  ? ", a stack, but its parts, '" + pin.name + "#0' and so on"
                  : "") +
             "\n";
  std::vector<PlanPin> own;
  llvm::StringMap<const PlanPin *> named;
  for (const PlanPin &pin : plan.arguments)
    named[pin.name] = &pin;
  for (const std::string &name : names)
    if (const PlanPin *pin = named.lookup(name))
      own.push_back(*pin);
  plan.arguments = std::move(own);
  llvm::DenseMap<Operation *, const PlanPin *> pinned;
  for (const PlanPin &pin : plan.ops) {
    auto found = ops.find(pin.name);
    ArrayRef<Operation *> list;
    if (found != ops.end())
      list = found->second;
    size_t number = static_cast<size_t>(pin.number);
    PinnedOpName name(pin.name);
    bool optional = !name.pass.empty() ||
                    name.op == train::ConvertOp::getOperationName() ||
                    name.op == train::ConstantOp::getOperationName();
    Operation *op = number < list.size() ? list[number] : nullptr;
    if (!op && optional && places.contains(name.place))
      continue;
    if (list.empty())
      return errorAt(plan, pin) + "ops: the step has no '" + pin.name + "'\n";
    if (!op)
      return errorAt(plan, pin) + "ops: the step has " +
             std::to_string(list.size()) + " of '" + pin.name +
             "', the last of number " + std::to_string(list.size() - 1) +
             ", not " + std::to_string(number) + "\n";
    // Another program may have more or fewer ops of the name, so the numbers
    // may differ.
    if (optional && !fits(op, pin)) {
      auto other = llvm::find_if(list, [&](Operation *op) {
        return !pinned.contains(op) && fits(op, pin);
      });
      if (other == list.end()) {
        emitWarning(*placeOf(plan, pin, step.getContext()), "no '")
            << pin.name << "' of this program has such factors: the pin is "
            << "left out";
        continue;
      }
      op = *other;
    }
    pinned[op] = &pin;
  }
  own.clear();
  forEachOp(step, [&](Operation &op, StringRef, int64_t number) {
    if (const PlanPin *pin = pinned.lookup(&op))
      own.emplace_back(*pin).number = number;
  });
  plan.ops = std::move(own);
  return "";
}
