// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Distribute/DecideSharding.h"
#include "passes/Distribute/StateLayout.h"
#include "passes/Distribute/StepParameters.h"
#include "passes/Distribute/Window.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;

static StepSharding makeRules(func::FuncOp func) {
  StepSharding step;
  collectRules(func.getBody().front(), step);
  for (auto &[op, sharding] : step.ops)
    if (isa<train::AdamWOp, train::SgdOp, train::SumOfSquaresOp>(op))
      sharding.fixed = sharding.update = true;
  return step;
}

void ShardingOptions::addPlan(ModuleOp module) {
  auto plan = module->getAttrOfType<DictionaryAttr>(planAttrName);
  if (!plan)
    return;
  if (auto list = plan.getAs<ArrayAttr>("shard"))
    for (auto text : list.getAsRange<StringAttr>())
      shard.push_back(text.str());
  if (auto sequence = plan.getAs<BoolAttr>("shard_sequence"))
    shardSequence &= sequence.getValue();
  if (auto stage = plan.getAs<IntegerAttr>("zero"); stage && zero < 0)
    zero = static_cast<int>(stage.getInt());
  if (auto list = plan.getAs<ArrayAttr>("zero_axes"); list && zeroAxes.empty())
    for (auto text : list.getAsRange<StringAttr>())
      zeroAxes.push_back(text.str());
}

ShardingRequest ShardingOptions::request() const {
  ShardingRequest request;
  request.seeds = {notBatched, shard, shardSequence};
  request.zero = zero;
  request.zeroAxes = zeroAxes;
  request.disable = disable;
  return request;
}

StepRules::StepRules(func::FuncOp func)
    : step(makeRules(func)),
      units(func.getBody().front(),
            [&](Operation *op) -> const train::FactorRule * {
              auto it = step.ops.find(op);
              return it == step.ops.end() ? nullptr : &it->second.rule;
            }) {}

// Axes over which state may be split.
static FailureOr<AxisList> findStateAxes(func::FuncOp func,
                                         const MeshAxes &mesh,
                                         ArrayRef<std::string> names,
                                         const StepSharding &step) {
  AxisList axes;
  for (const std::string &name : names) {
    std::optional<AxisList> named = mesh.findAll(name);
    if (!named)
      return func.emitError("--zero-axes: the mesh has no axis '")
             << name << "'";
    axes.append(*named);
  }
  if (names.empty())
    for (unsigned axis : step.batchAxes)
      if (!mesh.isTemporal(axis))
        axes.push_back(axis);
  llvm::erase_if(axes, [&](unsigned axis) { return mesh.sizeOf(axis) == 1; });
  return axes;
}

// Sums cross the network in the type in which they are read (as Megatron's
// do), where the graph converts them first thing.
static void markNarrowing(Block &block) {
  for (auto convert : block.getOps<train::ConvertOp>()) {
    auto from = dyn_cast<FloatType>(
             train::tensorType(convert.getOperand()).getElementType()),
         to = dyn_cast<FloatType>(
             train::tensorType(convert.getResult()).getElementType());
    if (from && to && to.getWidth() < from.getWidth())
      convert->setAttr(narrowPartialAttrName,
                       UnitAttr::get(convert.getContext()));
  }
}

// "AXIS+AXIS/EXTENT": how a dim or a factor is sharded.
static std::string printShards(const MeshAxes &mesh, ArrayRef<unsigned> axes,
                               int64_t extent) {
  std::string text;
  for (unsigned axis : axes)
    text += (text.empty() ? "" : "+") + mesh.nameOf(axis).str();
  return text + "/" + std::to_string(extent);
}

static bool parseShards(const MeshAxes &mesh, StringRef text, AxisList &axes,
                        int64_t &extent) {
  auto [names, number] = text.split('/');
  axes.clear();
  SmallVector<StringRef> list;
  names.split(list, '+', -1, /*KeepEmpty=*/false);
  for (StringRef name : list) {
    std::optional<unsigned> axis = mesh.find(name);
    if (!axis)
      return false;
    axes.push_back(*axis);
  }
  return !number.getAsInteger(10, extent) &&
         extent % std::max<int64_t>(mesh.shards(axes), 1) == 0;
}

void dist::pinSharding(func::FuncOp func, const MeshAxes &mesh,
                       const StepSharding &step) {
  Builder b(func.getContext());
  SmallVector<Attribute> seeds;
  for (BlockArgument argument : func.getArguments()) {
    SmallVector<Attribute> dims;
    const Placement &own = step.seeds.find(argument)->second;
    for (auto [axes, extent] : llvm::zip_equal(own.dims, own.extents))
      dims.push_back(b.getStringAttr(printShards(mesh, axes, extent)));
    seeds.push_back(b.getArrayAttr(dims));
  }
  setArgumentAttributes(func, pinAttrName, seeds);
  for (Operation &op : func.getBody().front()) {
    auto it = step.ops.find(&op);
    if (it == step.ops.end() || it->second.update)
      continue;
    SmallVector<Attribute> factors;
    for (const FactorShards &own : it->second.factors)
      factors.push_back(
          b.getStringAttr(printShards(mesh, own.axes, own.padded)));
    op.setAttr(pinAttrName, b.getArrayAttr(factors));
  }
}

// Of all arguments at once: one at a time is quadratic in their number.
static void unpinArguments(func::FuncOp func) {
  SmallVector<DictionaryAttr> all;
  func.getAllArgAttrs(all);
  for (DictionaryAttr &attributes : all) {
    NamedAttrList list(attributes);
    list.erase(pinAttrName);
    attributes = list.getDictionary(func.getContext());
  }
  func.setAllArgAttrs(all);
}

void dist::unpinSharding(func::FuncOp func) {
  unpinArguments(func);
  for (Operation &op : func.getBody().front())
    op.removeAttr(pinAttrName);
}

static bool hasPins(func::FuncOp func, const StepSharding &step) {
  for (unsigned i = 0; i < func.getNumArguments(); ++i)
    if (func.getArgAttr(i, pinAttrName))
      return true;
  return llvm::any_of(step.ops, [](const auto &entry) {
    return entry.first->hasAttr(pinAttrName);
  });
}

// Takes what was pinned as fixed points; true if that is every op, so that
// nothing is left to propagate. Reports pins that do not fit.
static FailureOr<bool> takePins(func::FuncOp func, const MeshAxes &mesh,
                                StepSharding &step) {
  for (BlockArgument argument : func.getArguments()) {
    auto pins =
        func.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(), pinAttrName);
    if (!pins)
      continue;
    Placement placement(train::shapeOf(argument));
    bool right = pins.size() == placement.dims.size();
    for (size_t d = 0; right && d < pins.size(); ++d) {
      right = parseShards(mesh, cast<StringAttr>(pins[d]).getValue(),
                          placement.dims[d], placement.extents[d]) &&
              placement.extents[d] >= train::shapeOf(argument)[d];
    }
    if (!right)
      return emitError(argument.getLoc(), "the plan's shards ")
             << pins << " do not fit the argument";
    step.seeds[argument] = placement;
    step.open.erase(argument);
  }
  unpinArguments(func);
  size_t pinned = 0, updates = 0;
  for (auto &[op, sharding] : step.ops) {
    updates += sharding.update;
    auto pins = op->getAttrOfType<ArrayAttr>(pinAttrName);
    if (!pins)
      continue;
    bool right = pins.size() == sharding.factors.size();
    for (size_t f = 0; right && f < pins.size(); ++f) {
      FactorShards &own = sharding.factors[f];
      right = parseShards(mesh, cast<StringAttr>(pins[f]).getValue(), own.axes,
                          own.padded) &&
              own.padded >= sharding.rule.factors[f].size;
    }
    for (const auto *side : {&sharding.rule.operands, &sharding.rule.results})
      for (const train::FactorRule::Tensor &tensor : *side)
        right =
            right &&
            mesh.toDims(sharding.rule, tensor, sharding.factors).has_value();
    if (!right)
      return op->emitError("the plan's shards ")
             << pins << " do not fit the op";
    op->removeAttr(pinAttrName);
    sharding.fixed = true;
    ++pinned;
  }
  return pinned == step.ops.size() - updates;
}

LogicalResult dist::finishSharding(func::FuncOp func, const MeshAxes &mesh,
                                   const ShardingRequest &request,
                                   DecidedSharding &decided) {
  StepSharding &step = decided.step;
  FailureOr<AxisList> axes = findStateAxes(func, mesh, request.zeroAxes, step);
  if (failed(axes))
    return failure();
  step.stateAxes = *axes;
  // Splitting state costs nothing: what is gathered was reduced before.
  decided.zero = request.zero >= 0 ? request.zero : axes->empty() ? 0 : 1;
  placeState(func, mesh, decided.zero, *axes, step);
  if (!llvm::is_contained(request.disable, "narrow-sums"))
    markNarrowing(func.getBody().front());
  decided.partials =
      placePartials(func.getBody().front(), mesh, step,
                    !llvm::is_contained(request.disable, "keep-partial"));
  return success();
}

FailureOr<DecidedSharding>
dist::decideSharding(func::FuncOp func, const MeshAxes &mesh,
                     const StepRules &rules, const ShardingRequest &request) {
  DecidedSharding decided;
  decided.step = rules.step;
  forbidDisabled(decided.step, request.disable);
  Block &block = func.getBody().front();
  if (func.getSymName() != "step") {
    for (BlockArgument argument : func.getArguments())
      decided.step.arguments[argument] = Placement(train::shapeOf(argument));
    return decided;
  }
  SeedRequest seeds = request.seeds;
  seeds.pinned = hasPins(func, decided.step);
  if (failed(placeSeeds(func, mesh, rules.units, seeds, decided.step)))
    return failure();
  for (const StepParameters::Gradient &gradient :
       StepParameters(func).gradients())
    if (gradient.parameter)
      decided.step.parameterOf[gradient.use->get()] = gradient.parameter;
  FailureOr<bool> all = false;
  if (seeds.pinned)
    all = takePins(func, mesh, decided.step);
  if (failed(all))
    return failure();
  if (!*all)
    propagate(block, mesh, rules.units, decided.step);
  if (failed(finishSharding(func, mesh, request, decided)))
    return failure();
  return decided;
}
