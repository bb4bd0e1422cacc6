// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Distribute/Place/DecideSharding.h"
#include "dialects/Train/AttributeNames.h"
#include "mlir/IR/Diagnostics.h"
#include "passes/Distribute/Place/ChooseStates.h"
#include "passes/Distribute/Place/ExplainOrigins.h"
#include "passes/Distribute/Place/Propagation.h"
#include "passes/Distribute/Place/StateLayout.h"
#include "passes/Distribute/Sharding/StepParameters.h"
#include "passes/Distribute/Sharding/ValueNames.h"
#include "passes/Distribute/Sharding/Window.h"
#include "planning/PlanValues.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;

static StepSharding makeRules(func::FuncOp func) {
  StepSharding step;
  collectRules(func.getBody().front(), step);
  for (auto &[op, sharding] : step.ops)
    if (StepParameters::isUpdate(op) || isa<train::SumOfSquaresOp>(op))
      sharding.fixed = sharding.update = true;
  return step;
}

MeshAxes distribute::makeAxes(ModuleOp module, const planning::Plan &plan) {
  MLIRContext *context = module.getContext();
  SmallVector<Attribute> list;
  if (plan.microbatches > 1)
    list.push_back(AxisAttr::get(context, planning::microAxisName,
                                 plan.microbatches, true));
  for (const planning::PlanAxis &axis : plan.mesh)
    list.push_back(AxisAttr::get(context, axis.name, axis.size, false));
  OpBuilder b(context); // not into the module, which others may read
  MeshOp op =
      MeshOp::create(b, module.getLoc(), meshName, b.getArrayAttr(list));
  MeshAxes axes(op);
  op.erase();
  return axes;
}

// Marks sums that are converted right away: they cross the network in the
// narrower type in which they are read (as Megatron's do).
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

StepRules::StepRules(func::FuncOp func, ArrayRef<std::string> disable)
    : step(makeRules(func)),
      units(func.getBody().front(),
            [&](Operation *op) -> const train::FactorRule * {
              auto it = step.ops.find(op);
              return it == step.ops.end() ? nullptr : &it->second.rule;
            }),
      batch(func, step) {
  if (func.getSymName() == stepFunctionName &&
      !llvm::is_contained(disable, "narrow-sums"))
    markNarrowing(func.getBody().front());
}

// Returns the axes of the mesh that `option` names.
static FailureOr<AxisList> findAxes(func::FuncOp func, const MeshAxes &mesh,
                                    ArrayRef<std::string> names,
                                    StringRef option) {
  AxisList axes;
  for (const std::string &name : names) {
    std::optional<AxisList> named = mesh.findAll(name);
    if (!named)
      return func.emitError(option)
             << ": the mesh has no axis '" << name << "'";
    axes.append(*named);
  }
  llvm::erase_if(axes, [&](unsigned axis) { return mesh.sizeOf(axis) == 1; });
  return axes;
}

// Returns the axes over which state may be split.
static FailureOr<AxisList> findStateAxes(func::FuncOp func,
                                         const MeshAxes &mesh,
                                         ArrayRef<std::string> names,
                                         const StepSharding &step) {
  if (!names.empty())
    return findAxes(func, mesh, names, "--zero-axes");
  AxisList axes;
  for (unsigned axis : step.batchAxes)
    if (!mesh.isTemporal(axis) && mesh.sizeOf(axis) > 1)
      axes.push_back(axis);
  return axes;
}

// Reads a pin's shards as axes of the mesh. Returns false if the mesh lacks an
// axis, or if the shards do not fit `size`, the extent without padding.
static bool readShards(const MeshAxes &mesh, const planning::PlanShards &shards,
                       int64_t size, AxisList &axes, int64_t &extent) {
  axes.clear();
  for (const std::string &name : shards.axes) {
    std::optional<unsigned> axis = mesh.find(name);
    if (!axis)
      return false;
    axes.push_back(*axis);
  }
  // Padding may add at most one piece for every device and microbatch.
  double most = static_cast<double>(size);
  for (unsigned axis = 0; axis < mesh.size(); ++axis)
    most *= static_cast<double>(mesh.sizeOf(axis));
  most += static_cast<double>(size);
  extent = shards.extent;
  return extent >= size && static_cast<double>(extent) <= most &&
         extent % std::max<int64_t>(mesh.shards(axes), 1) == 0;
}

// Applies the pins as fixed points. Returns true if they cover every op, so
// that nothing is left to propagate. Reports pins that do not fit.
static FailureOr<bool> applyPins(func::FuncOp func, const MeshAxes &mesh,
                                 const ShardingPins &pins,
                                 const planning::Plan &plan,
                                 const SeedOverrides *instead,
                                 StepSharding &step) {
  auto refuse = [&](const planning::PlanPin &pin, Location other) {
    return emitError(placeOf(plan, pin, func.getContext()).value_or(other),
                     "the plan's shards ")
           << planning::printShards(pin.shards) << " do not fit ";
  };
  for (BlockArgument argument : func.getArguments()) {
    auto pin = pins.arguments.find(argument);
    if (pin == pins.arguments.end() ||
        (instead && instead->arguments.contains(argument)))
      continue;
    ArrayRef<planning::PlanShards> shards = pin->second->shards;
    Placement placement(train::shapeOf(argument));
    bool right = shards.size() == placement.dims.size();
    for (size_t d = 0; right && d < shards.size(); ++d)
      right = readShards(mesh, shards[d], train::shapeOf(argument)[d],
                         placement.dims[d], placement.extents[d]);
    if (!right)
      return refuse(*pin->second, argument.getLoc()) << "the argument";
    step.seeds[argument] = placement;
    step.open.erase(argument);
    if (step.origins)
      for (const AxisList &axes : placement.dims)
        for (unsigned axis : axes)
          step.origins->note(Value(argument), axis, {Origin::Pinned});
  }
  size_t pinned = 0, updates = 0;
  for (Operation &op : func.getBody().front()) {
    auto own = step.ops.find(&op);
    if (own == step.ops.end())
      continue;
    OpSharding &sharding = own->second;
    updates += sharding.update;
    auto pin = pins.ops.find(&op);
    if (pin == pins.ops.end() || sharding.update)
      continue;
    ++pinned;
    if (instead && instead->ops.contains(&op))
      continue; // fixed already
    ArrayRef<planning::PlanShards> shards = pin->second->shards;
    bool right = shards.size() == sharding.factors.size();
    for (size_t f = 0; right && f < shards.size(); ++f) {
      FactorShards &own = sharding.factors[f];
      right = readShards(mesh, shards[f], sharding.rule.factors[f].size,
                         own.axes, own.padded);
    }
    for (const auto *side : {&sharding.rule.operands, &sharding.rule.results})
      for (const train::FactorRule::Tensor &tensor : *side)
        right =
            right &&
            mesh.toDims(sharding.rule, tensor, sharding.factors).has_value();
    if (!right)
      return refuse(*pin->second, op.getLoc()) << "the op";
    sharding.fixed = true;
    if (step.origins)
      for (unsigned axis = 0; axis < mesh.size(); ++axis)
        if (sharding.uses(axis))
          step.origins->note(&op, axis, {Origin::Pinned});
  }
  return pinned == step.ops.size() - updates;
}

LogicalResult distribute::finishSharding(func::FuncOp func,
                                         const MeshAxes &mesh,
                                         const ShardingRequest &request,
                                         DecidedSharding &decided) {
  StepSharding &step = decided.step;
  const planning::Plan &plan = *request.plan;
  FailureOr<AxisList> axes = findStateAxes(func, mesh, plan.zeroAxes, step);
  if (failed(axes))
    return failure();
  step.stateAxes = *axes;
  // By default state is split. That costs nothing: a gradient that would be
  // all-reduced is scattered, and the new parameter gathered.
  decided.zero = plan.zero >= 0 ? plan.zero : axes->empty() ? 0 : 1;
  step.exact = request.exact;
  if (failed(chooseStates(func, decided.zero, plan.state, step)))
    return failure();
  placeState(func, mesh, *axes, step);
  decided.partials =
      placePartials(func.getBody().front(), mesh, step,
                    !llvm::is_contained(request.disable, "keep-partial"));
  return success();
}

// Finds the axes that shard the batch, because microbatches are padded for
// them. Roles and annotations tell them; where an axis has no role, seeds are
// placed to find out.
static FailureOr<MeshAxes>
findBatchAxes(func::FuncOp func, const MeshAxes &mesh, const StepRules &rules,
              const SeedRequest &seeds, const StepSharding &before) {
  bool inTime = false, withoutRole = false;
  for (unsigned axis = 0; axis < mesh.size(); ++axis) {
    inTime |= mesh.isTemporal(axis);
    withoutRole |=
        !mesh.isTemporal(axis) &&
        planning::roleOf(mesh.nameOf(axis)) == planning::AxisRole::None;
  }
  if (!inTime || !withoutRole)
    return mesh;
  StepSharding step = before;
  // Errors are reported now; warnings are given when the seeds are placed in
  // earnest.
  ScopedDiagnosticHandler quiet(func.getContext(), [](Diagnostic &diagnostic) {
    return success(diagnostic.getSeverity() != DiagnosticSeverity::Error);
  });
  if (failed(placeSeeds(func, mesh, rules.units, rules.batch, seeds, step)))
    return failure();
  AxisList axes = step.batchAxes;
  for (unsigned axis = 0; axis < mesh.size(); ++axis)
    if (llvm::any_of(step.ops, [&](const auto &entry) {
          return entry.second.fixed && entry.second.uses(axis);
        }))
      axes.push_back(axis); // annotated inside the step
  MeshAxes own = mesh;
  own.setBatchAxes(axes);
  return own;
}

FailureOr<DecidedSharding>
distribute::decideSharding(func::FuncOp func, const MeshAxes &meshAxes,
                           const StepRules &rules,
                           const ShardingRequest &request) {
  DecidedSharding decided;
  decided.step = rules.step;
  forbidDisabled(decided.step, request.disable);
  Block &block = func.getBody().front();
  if (func.getSymName() != stepFunctionName) {
    for (BlockArgument argument : func.getArguments())
      decided.step.arguments[argument] = Placement(train::shapeOf(argument));
    return decided;
  }
  const planning::Plan &plan = *request.plan;
  ShardingPins own;
  if (!request.pins)
    own = findPins(func, plan);
  const ShardingPins &pins = request.pins ? *request.pins : own;
  FailureOr<AxisList> expertAxes =
      findAxes(func, meshAxes, plan.expertAxes, "--fold");
  if (failed(expertAxes))
    return failure();
  SeedRequest seeds{request.notBatched, plan.shard,      *expertAxes,
                    plan.wholeSequence, request.instead, !pins.empty()};
  FailureOr<MeshAxes> mesh =
      findBatchAxes(func, meshAxes, rules, seeds, decided.step);
  if (failed(mesh))
    return failure();
  if (failed(placeSeeds(func, *mesh, rules.units, rules.batch, seeds,
                        decided.step)))
    return failure();
  for (const StepParameters::Gradient &gradient :
       StepParameters(func).gradients())
    if (gradient.parameter)
      decided.step.parameterOf[gradient.use->get()] = gradient.parameter;
  FailureOr<bool> all = false;
  if (seeds.pinned)
    all = applyPins(func, *mesh, pins, plan, seeds.instead, decided.step);
  if (failed(all))
    return failure();
  if (!*all)
    propagate(block, *mesh, rules.units, decided.step);
  if (failed(finishSharding(func, *mesh, request, decided)))
    return failure();
  return decided;
}
