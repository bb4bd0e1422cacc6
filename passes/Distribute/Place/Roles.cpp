// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Distribute/Place/Roles.h"
#include "passes/Distribute/Place/Seeder.h"
#include "passes/Distribute/Place/ValueNames.h"
#include "passes/Train/StateNames.h"
#include "llvm/ADT/StringSet.h"
#include <map>

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using planning::AxisRole;

static StringRef kindOf(func::FuncOp func, BlockArgument argument) {
  auto kind =
      func.getArgAttrOfType<StringAttr>(argument.getArgNumber(), kindAttrName);
  return kind ? kind.getValue() : StringRef();
}

Seeder::Seeder(func::FuncOp func, const MeshAxes &mesh, const Units &units,
               const SeedRequest &request, StepSharding &step)
    : func(func), mesh(mesh), units(units), request(request), step(step),
      block(func.getBody().front()), micro(mesh.find("micro")) {
  if (micro && (!mesh.isTemporal(*micro) || mesh.sizeOf(*micro) == 1))
    micro = std::nullopt;
}

StringRef Seeder::kindOf(BlockArgument argument) {
  return ::kindOf(func, argument);
}

std::string Seeder::nameOf(BlockArgument argument) {
  return stateSymbolOf(func.getArgAttrDict(argument.getArgNumber()));
}

AxisList Seeder::withRole(AxisRole role) {
  AxisList axes;
  for (unsigned axis = 0; axis < mesh.size(); ++axis)
    if (planning::roleOf(mesh.nameOf(axis)) == role && mesh.sizeOf(axis) > 1)
      axes.push_back(axis);
  return axes;
}

void Seeder::note(Value v, ArrayRef<unsigned> axes, const Origin &origin) {
  if (step.origins)
    for (unsigned axis : axes)
      step.origins->note(v, axis, origin);
}

void Seeder::noteAnnotation(Operation *op, const OpSharding &sharding,
                            StringRef who, Location at) {
  if (!step.origins)
    return;
  std::string text = who.str(), place = locationName(at);
  if (!place.empty() && !who.starts_with("--"))
    text += " at " + place;
  for (unsigned axis = 0; axis < mesh.size(); ++axis)
    if (sharding.uses(axis))
      step.origins->note(op, axis, {Origin::Annotated, text});
}

void Seeder::give(Value v, unsigned d, ArrayRef<unsigned> axes,
                  Origin::Kind why) {
  note(v, axes, {why});
  Placement &placement = step.seeds.find(v)->second;
  placement.dims[d].append(axes.begin(), axes.end());
  placement.extents[d] =
      mesh.pad(train::shapeOf(v)[d], units.of(v, d), placement.dims[d]);
}

// --------------------------------------------------------------- the batch

LogicalResult Seeder::findBatch() {
  llvm::StringSet<> names;
  for (BlockArgument argument : func.getArguments())
    if (auto name = func.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                      zcc::inputAttrName))
      names.insert(name.getValue());
  for (const std::string &name : request.notBatched)
    if (!names.contains(name))
      return func.emitError("no input is named '")
             << name << "', which is said not to be batched";
  batched = findBatched(func, request.notBatched);
  return success();
}

void Seeder::seedBatch() {
  AxisList axes; // in the order of the mesh
  for (unsigned axis = 0; axis < mesh.size(); ++axis) {
    StringRef name = mesh.wholeNameOf(axis);
    AxisRole role = planning::roleOf(mesh.nameOf(axis));
    bool shards =
        axis == micro || role == AxisRole::Data || role == AxisRole::Expert;
    if (!shards || mesh.sizeOf(axis) == 1)
      continue;
    if (batched.empty()) {
      func.emitWarning("no input has a batch: every device of axis '")
          << name << "' does the same work";
      continue;
    }
    axes.push_back(axis);
  }
  for (BlockArgument input : batched) {
    if (!annotated.contains(input))
      give(input, 0, axes, Origin::Batch);
    else if (micro && !step.seeds.find(input)->second.uses(*micro))
      prepend(input, *micro);
  }
  // What annotations split the batch by counts too.
  for (BlockArgument input : batched)
    for (unsigned axis : step.seeds.find(input)->second.dims[0])
      if (!llvm::is_contained(step.batchAxes, axis))
        step.batchAxes.push_back(axis);
  llvm::sort(step.batchAxes);
}

void Seeder::prepend(Value v, unsigned axis) {
  Placement &placement = step.seeds.find(v)->second;
  AxisList &axes = placement.dims[0];
  axes.insert(axes.begin(), axis);
  placement.extents[0] = mesh.pad(train::shapeOf(v)[0], units.of(v, 0), axes);
}

// ----------------------------------------------------------------- all roles

// An axis over which nothing is sharded.
void Seeder::warnUnused() {
  for (unsigned axis = 0; axis < mesh.size(); ++axis) {
    if (mesh.sizeOf(axis) == 1 || mesh.isTemporal(axis))
      continue;
    bool used = llvm::any_of(
        step.seeds, [&](const auto &entry) { return entry.second.uses(axis); });
    used |= llvm::any_of(step.ops, [&](const auto &entry) {
      return entry.second.uses(axis); // annotated
    });
    if (!used && !request.pinned && !batched.empty())
      func.emitWarning("nothing is sharded over axis '")
          << mesh.nameOf(axis) << "': its " << mesh.sizeOf(axis)
          << " devices do the same work";
  }
}

LogicalResult Seeder::run() {
  for (BlockArgument argument : func.getArguments()) {
    step.seeds.try_emplace(argument, Placement(train::shapeOf(argument)));
    if (isParameter(argument))
      step.open.insert(argument);
  }
  if (failed(findBatch()) || failed(readAnnotations()))
    return failure();
  seedBatch();
  AxisList context = withRole(AxisRole::Context),
           expert = withRole(AxisRole::Expert),
           tensor = withRole(AxisRole::Tensor);
  if (!context.empty() && failed(seedContext(context)))
    return failure();
  if (!expert.empty() || !tensor.empty()) {
    DimClasses classes(block, step);
    if (!expert.empty())
      seedExperts(expert, classes);
    if (!tensor.empty()) {
      seedTensor(tensor, classes);
      if (!request.wholeSequence)
        findSequence(tensor, classes);
    }
  }
  warnUnused();
  return success();
}

SmallVector<BlockArgument> dist::findBatched(func::FuncOp func,
                                             ArrayRef<std::string> notBatched) {
  SmallVector<BlockArgument> batched;
  std::map<int64_t, int> count; // by extent
  for (BlockArgument argument : func.getArguments()) {
    auto name = func.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                  zcc::inputAttrName);
    if (!name || rankOf(argument) == 0 ||
        llvm::is_contained(notBatched, name.getValue()))
      continue;
    batched.push_back(argument);
    ++count[train::shapeOf(argument)[0]];
  }
  int64_t batch = 0;
  for (auto [extent, times] : count) // ascending
    if (batch == 0 || times >= count[batch])
      batch = extent;
  llvm::erase_if(batched, [&](BlockArgument input) {
    return train::shapeOf(input)[0] != batch;
  });
  return batched;
}

SmallVector<ExpertDim> dist::findExperts(func::FuncOp func) {
  SmallVector<ExpertDim> experts;
  for (auto dot : func.getBody().front().getOps<train::DotGeneralOp>())
    for (bool left : {true, false}) {
      Value operand = left ? dot.getLhs() : dot.getRhs();
      BlockArgument argument = underlyingArgument(operand);
      if (!argument || kindOf(func, argument) != "parameter")
        continue;
      for (int64_t d : left ? dot.getLhsBatching() : dot.getRhsBatching())
        experts.push_back({operand, static_cast<unsigned>(d), argument});
    }
  return experts;
}

LogicalResult dist::placeSeeds(func::FuncOp func, const MeshAxes &mesh,
                               const Units &units, const SeedRequest &request,
                               StepSharding &step) {
  return Seeder(func, mesh, units, request, step).run();
}
