// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What annotations say, of the text and of `--shard`: the first of all seeds.
#include "compiler/planning/PlanValues.h"
#include "dialects/Train/AttributeNames.h"
#include "passes/Distribute/Place/Seeder.h"
#include "passes/Distribute/Place/ValueNames.h"
#include "passes/Train/Globs.h"
#include "passes/Train/StateNames.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using train::FactorRule;

FailureOr<Placement> Seeder::place(Value v, const Annotation &annotation,
                                   Emit emit) {
  Placement placement(train::shapeOf(v));
  // The first dims of a stack are not those of its parts.
  size_t lead = annotation.size() - placement.dims.size();
  SmallVector<int> used(mesh.size(), -1);
  for (auto [d, entry] : llvm::enumerate(annotation)) {
    for (const std::string &name : entry.axes) {
      std::optional<AxisList> axes = mesh.findAll(name);
      if (!axes) {
        emit() << "the mesh has no axis '" << name << "'";
        return failure();
      }
      for (unsigned axis : *axes) {
        if (mesh.isTemporal(axis)) {
          emit() << "axis '" << name << "' divides time, not a value";
          return failure();
        }
        if (used[axis] >= 0) {
          emit() << "axis '" << name << "' shards dims " << used[axis]
                 << " and " << d;
          return failure();
        }
        used[axis] = d;
      }
      if (d < lead) {
        emit() << "not yet: dim " << d
               << " of a stack that is split into its layers is sharded "
                  "over '"
               << name << "'";
        return failure();
      }
      for (unsigned axis : *axes)
        if (mesh.sizeOf(axis) > 1)
          placement.dims[d - lead].push_back(axis);
    }
    if (d >= lead)
      placement.extents[d - lead] =
          mesh.pad(train::shapeOf(v)[d - lead], units.of(v, d - lead),
                   placement.dims[d - lead]);
  }
  return placement;
}

static std::optional<Annotation> parse(ArrayAttr attr) {
  Annotation annotation;
  for (Attribute dim : attr) {
    auto list = dyn_cast<ArrayAttr>(dim);
    if (!list)
      return std::nullopt;
    DimAnnotation &entry = annotation.emplace_back();
    for (Attribute a : list) {
      auto name = dyn_cast<StringAttr>(a);
      if (!name)
        return std::nullopt;
      if (name.getValue() == "?")
        entry.open = true;
      else
        entry.axes.push_back(name.str());
    }
  }
  return annotation;
}

LogicalResult Seeder::annotate(BlockArgument argument,
                               const Annotation &annotation, Location at,
                               StringRef who) {
  auto emit = [&]() {
    return emitError(at, "")
           << who << " of '" << argumentName(argument) << "': ";
  };
  auto file = func.getArgAttrOfType<DenseI64ArrayAttr>(argument.getArgNumber(),
                                                       fileShapeAttrName);
  size_t rank = file ? file.size() : rankOf(argument);
  if (annotation.size() != rank) {
    emit() << "expected " << rank << " entries, one a dim, found "
           << annotation.size();
    return failure();
  }
  FailureOr<Placement> placement = place(argument, annotation, emit);
  if (failed(placement))
    return failure();
  if (request.instead && request.instead->arguments.contains(argument))
    return success();
  auto known = annotated.find(argument);
  Placement &own = step.seeds.find(argument)->second;
  if (known != annotated.end() && own != *placement) {
    InFlightDiagnostic diagnostic = emit();
    diagnostic << "contradicts another annotation";
    diagnostic.attachNote(known->second.first)
        << "which is " << known->second.second;
    return failure();
  }
  own = *placement;
  annotated.try_emplace(argument, std::make_pair(at, who.str()));
  for (const AxisList &axes : own.dims)
    note(argument, axes,
         {Origin::Annotated,
          who.starts_with("--") ? who.str() : (who + " in the text").str()});
  bool open = llvm::any_of(
      annotation, [](const DimAnnotation &entry) { return entry.open; });
  if (!open)
    step.open.erase(argument);
  return success();
}

void Seeder::takeOverrides() {
  if (!request.instead)
    return;
  for (auto &[argument, placement] : request.instead->arguments) {
    step.seeds[argument] = placement;
    step.open.erase(argument);
    annotated.try_emplace(argument, argument.getLoc(), "");
  }
  for (auto &[op, factors] : request.instead->ops) {
    OpSharding &sharding = step.ops.find(op)->second;
    sharding.factors = factors;
    sharding.fixed = true;
  }
}
LogicalResult Seeder::readAnnotations() {
  takeOverrides();
  // Of the text.
  for (BlockArgument argument : func.getArguments()) {
    auto attr = func.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(),
                                                 textShardingAttrName);
    if (!attr)
      continue;
    std::optional<Annotation> annotation = parse(attr);
    if (!annotation)
      return emitError(argument.getLoc(),
                       "expected lists of axes in 'zcc.sharding', found ")
             << attr;
    if (failed(
            annotate(argument, *annotation, argument.getLoc(), "the sharding")))
      return failure();
    FailureOr<AxisList> without =
        findWithout(func.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(),
                                                     textReplicatedAttrName),
                    step.seeds.find(argument)->second, [&]() {
                      return emitError(argument.getLoc(), "the sharding of '")
                             << argumentName(argument) << "': ";
                    });
    if (failed(without))
      return failure();
    if (!without->empty())
      step.without[argument] = *without;
  }
  for (const planning::PlanAnnotation &option : request.shard)
    if (failed(readOption(option)))
      return failure();
  for (Operation &op : block)
    if (auto constraint = dyn_cast<train::ShardingConstraintOp>(&op))
      if (failed(constrain(constraint)))
        return failure();
  return success();
}

LogicalResult Seeder::readOption(const planning::PlanAnnotation &option) {
  std::string who = "--shard=" + planning::printAnnotation(option);
  Globs globs;
  if (!globs.parse({option.glob},
                   [&]() { return func.emitError("--shard: "); }))
    return failure();
  const Annotation &annotation = option.dims;
  bool isArgument = false;
  for (BlockArgument argument : func.getArguments()) {
    bool state = !kindOf(argument).empty() && !isParameter(argument) &&
                 kindOf(argument) != "input";
    StringRef name = argumentName(argument);
    if (state || name.empty() || !globs.match(name))
      continue;
    if (failed(annotate(argument, annotation, argument.getLoc(), who)))
      return failure();
    isArgument = true;
  }
  if (failed(annotateOps(
          annotation, who, [&](StringRef at) { return globs.match(at); },
          /*must=*/!isArgument)))
    return failure();
  if (globs.getUnmatched())
    return func.emitError(who) << ": no parameter, input or location "
                                  "matches '"
                               << option.glob << "'";
  return success();
}

// Any value that has no name goes by its location. Some of what is computed
// there is enough; if there is nothing, that is an error where one `must`.
LogicalResult Seeder::annotateOps(const Annotation &annotation, StringRef who,
                                  function_ref<bool(StringRef)> is, bool must) {
  Operation *otherRank = nullptr, *refused = nullptr;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    auto it = step.ops.find(&op);
    if (it == step.ops.end() || it->second.update || op.getNumResults() != 1 ||
        !is(locationName(op.getLoc())))
      continue;
    auto emit = [&]() { return op.emitError(who) << ": "; };
    if (annotation.size() != rankOf(op.getResult(0))) {
      otherRank = otherRank ? otherRank : &op;
      continue;
    }
    FailureOr<Placement> placement = place(op.getResult(0), annotation, emit);
    if (failed(placement))
      return failure();
    if (isOverridden(&op)) {
      must = false;
      continue;
    }
    FactorPlacement before = it->second.factors;
    if (!fix(&op, it->second, it->second.rule.results[0], *placement)) {
      refused = refused ? refused : &op;
      continue;
    }
    if (failed(checkAgreement(&op, before, who, emit)))
      return failure();
    noteAnnotation(&op, it->second, who, op.getLoc());
    must = false;
  }
  if (must && refused)
    return refused->emitError(who) << ": cannot be written down";
  if (must && otherRank)
    return otherRank->emitError(who)
           << ": expected " << rankOf(otherRank->getResult(0))
           << " entries, one a dim of what is computed here, found "
           << annotation.size();
  return success();
}

// `before`: the factors of the op before it was fixed as `who` says.
LogicalResult Seeder::checkAgreement(Operation *op,
                                     ArrayRef<FactorShards> before,
                                     StringRef who, Emit emit) {
  auto [known, isNew] = annotatedOps.try_emplace(op, who.str());
  auto same = [](const FactorShards &a, const FactorShards &b) {
    return a.axes == b.axes && a.padded == b.padded;
  };
  if (isNew || llvm::equal(before, step.ops.find(op)->second.factors, same))
    return success();
  InFlightDiagnostic diagnostic = emit();
  diagnostic << "contradicts another annotation";
  diagnostic.attachNote(op->getLoc()) << "which is " << known->second;
  return diagnostic;
}

bool Seeder::fix(Operation *op, OpSharding &sharding,
                 const FactorRule::Tensor &tensor, const Placement &placement) {
  FactorPlacement factors = wholeFactors(sharding.rule);
  Placement own = placement;
  for (auto [d, dim] : llvm::enumerate(tensor))
    if (dim.empty()) { // an extent of 1: nothing to shard
      own.dims[d].clear();
      own.extents[d] = 1;
    }
  if (!mesh.toFactors(sharding.rule, tensor, own, factors))
    return false;
  sharding.factors = std::move(factors);
  sharding.fixed = true;
  return true;
}

FailureOr<AxisList> Seeder::findWithout(ArrayAttr names,
                                        const Placement &placement, Emit emit) {
  AxisList all;
  if (!names)
    return all;
  for (auto name : names.getAsRange<StringAttr>()) {
    std::optional<AxisList> axes = mesh.findAll(name.getValue());
    if (!axes) {
      emit() << "the mesh has no axis '" << name.getValue() << "'";
      return failure();
    }
    for (unsigned axis : *axes)
      if (int d = placement.whereIs(axis); d >= 0) {
        emit() << "axis '" << name.getValue() << "' shards dim " << d
               << " and is replicated";
        return failure();
      }
    all.append(*axes);
  }
  return all;
}

LogicalResult Seeder::constrain(train::ShardingConstraintOp op) {
  std::optional<Annotation> annotation = parse(op.getSharding());
  if (!annotation)
    return op.emitOpError("expected lists of axes in 'sharding'");
  auto emit = [&]() { return op.emitError("the sharding constraint: "); };
  FailureOr<Placement> placement = place(op.getResult(), *annotation, emit);
  if (failed(placement) ||
      failed(findWithout(op.getReplicatedAttr(), *placement, emit)))
    return failure();
  if (isOverridden(op))
    return success();
  OpSharding &sharding = step.ops.find(op)->second;
  FactorPlacement before = sharding.factors;
  if (!fix(op, sharding, sharding.rule.results[0], *placement))
    return emit() << "cannot be written down";
  if (failed(checkAgreement(op, before, "the sharding constraint", emit)))
    return failure();
  noteAnnotation(op, sharding, "the sharding constraint", op.getLoc());
  bool open = llvm::any_of(
      *annotation, [](const DimAnnotation &entry) { return entry.open; });
  sharding.fixed = !open;
  return success();
}
