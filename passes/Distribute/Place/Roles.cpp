// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes the seeds of the batch and of the experts, and runs all steps that make
// seeds in their order.
#include "passes/Distribute/Place/Roles.h"
#include "dialects/Train/Place.h"
#include "passes/Distribute/Place/SeedAnnotations.h"
#include "passes/Distribute/Place/SeedRoles.h"
#include "passes/Distribute/Sharding/ValueNames.h"
#include "passes/Train/Globs.h"
#include "passes/Train/StateNames.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;
using planning::AxisRole;

// --------------------------------------------------------------- the batch

static LogicalResult checkNotBatched(func::FuncOp func,
                                     ArrayRef<std::string> notBatched) {
  SmallVector<StringRef> names;
  for (BlockArgument argument : func.getArguments())
    if (auto name = func.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                      zcc::inputAttrName))
      names.push_back(name.getValue());
  for (const std::string &name : notBatched)
    if (!llvm::is_contained(names, name))
      return withHelp(func.emitError("no input is named '")
                          << name << "', which is said not to be batched",
                      listNames(names));
  return success();
}

void distribute::seedBatch(StepSeeds &seeds, Inputs batched) {
  const MeshAxes &mesh = seeds.mesh;
  std::optional<unsigned> micro = mesh.find(planning::microAxisName);
  if (micro && (!mesh.isTemporal(*micro) || mesh.sizeOf(*micro) == 1))
    micro = std::nullopt;
  AxisList axes; // in the order of the mesh
  for (unsigned axis = 0; axis < mesh.size(); ++axis) {
    StringRef name = mesh.wholeNameOf(axis);
    AxisRole role = planning::roleOf(mesh.nameOf(axis));
    bool shards =
        axis == micro || role == AxisRole::Data || role == AxisRole::Expert;
    if (!shards || mesh.sizeOf(axis) == 1)
      continue;
    if (batched.empty()) {
      seeds.func.emitWarning("no input has a batch: every device of axis '")
          << name << "' does the same work";
      continue;
    }
    axes.push_back(axis);
  }
  for (BlockArgument input : batched) {
    if (!seeds.isAnnotated(input))
      seeds.give(input, 0, axes, {Origin::Batch});
    else if (micro && !seeds.at(input).uses(*micro))
      seeds.prepend(input, 0, *micro);
  }
  // Axes by which annotations split the batch are axes of the batch, too.
  AxisList &all = seeds.step.batchAxes;
  for (BlockArgument input : batched)
    for (unsigned axis : seeds.at(input).dims[0])
      if (!llvm::is_contained(all, axis))
        all.push_back(axis);
  llvm::sort(all);
}

// ------------------------------------------------------------- the experts

SmallVector<ExpertDim> distribute::findExperts(func::FuncOp func) {
  SmallVector<ExpertDim> experts;
  for (auto dot : func.getBody().front().getOps<train::DotGeneralOp>())
    for (bool left : {true, false}) {
      Value operand = left ? dot.getLhs() : dot.getRhs();
      BlockArgument argument = underlyingArgument(operand);
      if (!argument || !isParameter(argument))
        continue;
      for (int64_t d : left ? dot.getLhsBatching() : dot.getRhsBatching())
        experts.push_back({operand, static_cast<unsigned>(d), argument});
    }
  return experts;
}

LogicalResult distribute::seedExperts(StepSeeds &seeds, ArrayRef<unsigned> axes,
                                      ArrayRef<unsigned> folded,
                                      const DimClasses &classes) {
  for (unsigned axis : folded)
    if (AxisRole role = planning::roleOf(seeds.mesh.nameOf(axis));
        role == AxisRole::Expert || role == AxisRole::Pipe)
      return seeds.func.emitError("--fold: axis '")
             << seeds.mesh.wholeNameOf(axis) << "' "
             << (role == AxisRole::Pipe
                     ? "holds the stages of a pipeline, and a layer's experts "
                       "stand in one of them"
                     : "shards experts anyway")
             << "; expected data, tensor or context";
  AxisList all(axes);
  all.append(folded.begin(), folded.end());
  DenseSet<unsigned> experts;
  DenseSet<Value> owners; // other dims of these values are left whole
  for (const ExpertDim &expert : findExperts(seeds.func)) {
    experts.insert(classes.of(expert.operand, expert.dim));
    owners.insert(expert.parameter);
  }
  if (!folded.empty() && experts.empty())
    return seeds.func.emitError(
        "--fold: no product reads a stack of experts, one for each group of "
        "rows");
  for (BlockArgument argument : seeds.func.getArguments())
    if (owners.contains(argument) && !seeds.isAnnotated(argument))
      for (unsigned d = 0; d < rankOf(argument); ++d)
        if (int64_t count = train::shapeOf(argument)[d];
            experts.contains(classes.of(argument, d)) && count > 1) {
          int64_t shards = seeds.mesh.shards(all);
          if (!folded.empty() && count % shards != 0)
            return withHelp(emitError(argument.getLoc(), "--fold: ")
                                << shards << " devices do not divide the "
                                << count << " experts of '"
                                << argumentName(argument) << "'",
                            "fold fewer axes");
          seeds.give(argument, d, all, {Origin::Expert});
          seeds.close(argument);
          break;
        }
  return success();
}

// --------------------------------------------------------------- all roles

// Returns the axes of a role: one axis, or its parts.
static AxisList axesOfRole(const MeshAxes &mesh, AxisRole role) {
  AxisList axes;
  for (unsigned axis = 0; axis < mesh.size(); ++axis)
    if (planning::roleOf(mesh.nameOf(axis)) == role && mesh.sizeOf(axis) > 1)
      axes.push_back(axis);
  return axes;
}

// Returns what to say of an axis whose name has no role: the axis that was
// probably meant, by a name that others use for it, or those that there are.
static std::string suggestAxis(StringRef name) {
  struct Known {
    AxisRole role;
    SmallVector<StringRef> names;
  };
  const Known all[] = {
      {AxisRole::Data, {"dp", "ddp", "fsdp", "batch", "replica"}},
      {AxisRole::Tensor, {"tp", "mp", "model", "mdl"}},
      {AxisRole::Pipe, {"pp", "pipeline", "stage", "stages"}},
      {AxisRole::Context, {"cp", "sp", "seq", "sequence"}},
      {AxisRole::Expert, {"ep", "experts", "moe"}}};
  std::string lower = name.lower(), list;
  for (const Known &known : all) {
    StringRef own = planning::axisName(known.role);
    if (llvm::is_contained(known.names, lower) ||
        StringRef(lower).edit_distance(own) <= 1)
      return "; did you mean '" + own.str() + "'?";
    list += (list.empty() ? "" : ", ") + own.str();
  }
  return "; without --shard, axes are used by their names: " + list;
}

// Warns of axes over which nothing is sharded.
static void warnUnused(const StepSeeds &seeds) {
  const MeshAxes &mesh = seeds.mesh;
  for (unsigned axis = 0; axis < mesh.size(); ++axis) {
    if (!mesh.mayDivide(axis))
      continue;
    auto uses = [&](const auto &entry) { return entry.second.uses(axis); };
    if (llvm::none_of(seeds.step.seeds, uses) &&
        llvm::none_of(seeds.step.ops, uses)) // annotated
      func::FuncOp(seeds.func).emitWarning("nothing is sharded over axis '")
          << mesh.nameOf(axis) << "': its " << mesh.sizeOf(axis)
          << " devices do the same work"
          << (planning::roleOf(mesh.nameOf(axis)) == AxisRole::None
                  ? suggestAxis(mesh.nameOf(axis))
                  : "");
  }
}

LogicalResult distribute::placeSeeds(func::FuncOp func, const MeshAxes &mesh,
                                     const DimUnits &units,
                                     const BatchChoice &batch,
                                     const SeedRequest &request,
                                     StepSharding &step) {
  StepSeeds seeds(func, mesh, units, step);
  if (failed(checkNotBatched(func, request.notBatched)) ||
      failed(seedAnnotations(seeds, request)))
    return failure();
  SmallVector<BlockArgument> batched = batch.find(request.notBatched);
  seedBatch(seeds, batched);
  AxisList context = axesOfRole(mesh, AxisRole::Context),
           expert = axesOfRole(mesh, AxisRole::Expert),
           tensor = axesOfRole(mesh, AxisRole::Tensor);
  if (!context.empty())
    seedContext(seeds, batched, context);
  if (!expert.empty() || !tensor.empty() || !request.expertAxes.empty()) {
    Block &block = func.getBody().front();
    DimClasses classes(block, step);
    if ((!expert.empty() || !request.expertAxes.empty()) &&
        failed(seedExperts(seeds, expert, request.expertAxes, classes)))
      return failure();
    if (!tensor.empty()) {
      seedTensor(seeds, batched, tensor, classes);
      if (!request.wholeSequence)
        findSequence(step, block, batched, tensor, classes);
    }
  }
  if (!request.pinned && !batched.empty())
    warnUnused(seeds);
  return success();
}
