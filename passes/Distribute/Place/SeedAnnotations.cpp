// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Distribute/Place/SeedAnnotations.h"
#include "dialects/Train/AttributeNames.h"
#include "dialects/Train/Place.h"
#include "passes/Distribute/Place/Annotation.h"
#include "passes/Distribute/Sharding/ValueNames.h"
#include "passes/Train/Globs.h"
#include "passes/Train/StateNames.h"
#include "planning/PlanValues.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;

namespace {

// Annotations of arguments, from the text or from an option that matches them.
class ArgumentAnnotations {
public:
  ArgumentAnnotations(StepSeeds &seeds, const SeedOverrides *instead)
      : seeds(seeds), instead(instead) {}

  LogicalResult annotate(BlockArgument argument, const Annotation &annotation,
                         StringRef who);
  // Reads the attributes 'zcc.sharding' and 'zcc.replicated'.
  LogicalResult readText(BlockArgument argument);

private:
  StepSeeds &seeds;
  const SeedOverrides *instead;
  llvm::DenseMap<Value, std::string> known; // the annotation that placed it
};

// Annotations of values that ops compute.
class OpAnnotations {
public:
  OpAnnotations(StepSeeds &seeds, const SeedOverrides *instead)
      : seeds(seeds), instead(instead) {}

  // Annotates all ops for whose location `is` returns true. It is enough if
  // some of them can be sharded so. If there is no such op, that is an error if
  // `must` is true.
  LogicalResult annotateAt(Block &block, const Annotation &annotation,
                           StringRef who, function_ref<bool(StringRef)> is,
                           bool must);
  LogicalResult constrain(train::ShardingConstraintOp op);

private:
  // The outcome for an op that an annotation names.
  enum class Fixed { Yes, Overridden, CannotBe };
  FailureOr<Fixed> fix(Operation *op, const Placement &placement, StringRef who,
                       EmitAnnotation emit);
  // Sets the factors; returns false if the op's rule cannot express the
  // placement.
  bool setFactors(OpSharding &sharding, const Placement &placement) const;
  LogicalResult checkAgreement(Operation *op, ArrayRef<FactorShards> before,
                               StringRef who, EmitAnnotation emit);

  StepSeeds &seeds;
  const SeedOverrides *instead;
  // the annotation that fixed it
  llvm::DenseMap<Operation *, std::string> known;
};

} // namespace

// ------------------------------------------------------------- of arguments

LogicalResult ArgumentAnnotations::annotate(BlockArgument argument,
                                            const Annotation &annotation,
                                            StringRef who) {
  Location at = argument.getLoc();
  auto emit = [&]() {
    return emitError(at, "")
           << who << " of '" << argumentName(argument) << "': ";
  };
  auto file = seeds.func.getArgAttrOfType<DenseI64ArrayAttr>(
      argument.getArgNumber(), fileShapeAttrName);
  size_t rank = file ? file.size() : rankOf(argument);
  if (annotation.dims.size() != rank) {
    emit() << "expected " << rank << " entries, one a dim, found "
           << annotation.dims.size();
    return failure();
  }
  FailureOr<Placement> placement =
      placeAnnotation(seeds.mesh, seeds.units, argument, annotation, emit);
  if (failed(placement))
    return failure();
  if (instead && instead->arguments.contains(argument))
    return success();
  auto other = known.find(argument);
  if (other != known.end() && seeds.at(argument) != *placement) {
    InFlightDiagnostic diagnostic = emit();
    diagnostic << "contradicts another annotation";
    diagnostic.attachNote(at) << "which is " << other->second;
    return failure();
  }
  known.try_emplace(argument, who.str());
  seeds.place(argument, *placement);
  seeds.setAnnotated(argument);
  for (const AxisList &axes : placement->dims)
    seeds.note(argument, axes,
               {Origin::Annotated, who.starts_with("--")
                                       ? who.str()
                                       : (who + " in the text").str()});
  if (!annotation.isOpen())
    seeds.close(argument);
  return success();
}

LogicalResult ArgumentAnnotations::readText(BlockArgument argument) {
  unsigned number = argument.getArgNumber();
  auto attr =
      seeds.func.getArgAttrOfType<ArrayAttr>(number, textShardingAttrName);
  if (!attr)
    return success();
  std::optional<Annotation> annotation = Annotation::parse(attr);
  if (!annotation)
    return emitError(argument.getLoc(),
                     "expected lists of axes in 'zcc.sharding', found ")
           << attr;
  if (failed(annotate(argument, *annotation, "the sharding")))
    return failure();
  FailureOr<AxisList> without = findReplicated(
      seeds.mesh,
      seeds.func.getArgAttrOfType<ArrayAttr>(number, textReplicatedAttrName),
      seeds.at(argument), [&]() {
        return emitError(argument.getLoc(), "the sharding of '")
               << argumentName(argument) << "': ";
      });
  if (failed(without))
    return failure();
  if (!without->empty())
    seeds.step.without[argument] = *without;
  return success();
}

// ------------------------------------------------------------------- of ops

bool OpAnnotations::setFactors(OpSharding &sharding,
                               const Placement &placement) const {
  const train::FactorRule::Tensor &tensor = sharding.rule.results[0];
  FactorPlacement factors = wholeFactors(sharding.rule);
  Placement own = placement;
  for (auto [d, dim] : llvm::enumerate(tensor))
    if (dim.empty()) { // an extent of 1: nothing to shard
      own.dims[d].clear();
      own.extents[d] = 1;
    }
  if (!seeds.mesh.toFactors(sharding.rule, tensor, own, factors))
    return false;
  sharding.factors = std::move(factors);
  sharding.fixed = true;
  return true;
}

// Reports an error if two annotations disagree. `before`: the factors of the op
// before `who` fixed it.
LogicalResult OpAnnotations::checkAgreement(Operation *op,
                                            ArrayRef<FactorShards> before,
                                            StringRef who,
                                            EmitAnnotation emit) {
  auto [other, isNew] = known.try_emplace(op, who.str());
  auto same = [](const FactorShards &a, const FactorShards &b) {
    return a.axes == b.axes && a.padded == b.padded;
  };
  if (isNew ||
      llvm::equal(before, seeds.step.ops.find(op)->second.factors, same))
    return success();
  InFlightDiagnostic diagnostic = emit();
  diagnostic << "contradicts another annotation";
  diagnostic.attachNote(op->getLoc()) << "which is " << other->second;
  return diagnostic;
}

FailureOr<OpAnnotations::Fixed> OpAnnotations::fix(Operation *op,
                                                   const Placement &placement,
                                                   StringRef who,
                                                   EmitAnnotation emit) {
  if (instead && instead->ops.contains(op))
    return Fixed::Overridden;
  OpSharding &sharding = seeds.step.ops.find(op)->second;
  FactorPlacement before = sharding.factors;
  if (!setFactors(sharding, placement))
    return Fixed::CannotBe;
  if (failed(checkAgreement(op, before, who, emit)))
    return failure();
  std::string text = who.str(), place = locationName(op->getLoc());
  if (!place.empty() && !who.starts_with("--"))
    text += " at " + place;
  seeds.note(op, sharding, {Origin::Annotated, text});
  return Fixed::Yes;
}

LogicalResult OpAnnotations::annotateAt(Block &block,
                                        const Annotation &annotation,
                                        StringRef who,
                                        function_ref<bool(StringRef)> is,
                                        bool must) {
  Operation *otherRank = nullptr, *refused = nullptr;
  for (Operation &op : block) {
    auto it = seeds.step.ops.find(&op);
    if (it == seeds.step.ops.end() || it->second.update ||
        op.getNumResults() != 1 || !is(locationName(op.getLoc())))
      continue;
    auto emit = [&]() { return op.emitError(who) << ": "; };
    if (annotation.dims.size() != rankOf(op.getResult(0))) {
      otherRank = otherRank ? otherRank : &op;
      continue;
    }
    FailureOr<Placement> placement = placeAnnotation(
        seeds.mesh, seeds.units, op.getResult(0), annotation, emit);
    if (failed(placement))
      return failure();
    FailureOr<Fixed> fixed = fix(&op, *placement, who, emit);
    if (failed(fixed))
      return failure();
    if (*fixed == Fixed::CannotBe)
      refused = refused ? refused : &op;
    else
      must = false;
  }
  if (must && refused)
    return refused->emitError(who) << ": cannot be written down";
  if (must && otherRank)
    return otherRank->emitError(who)
           << ": expected " << rankOf(otherRank->getResult(0))
           << " entries, one a dim of what is computed here, found "
           << annotation.dims.size();
  return success();
}

LogicalResult OpAnnotations::constrain(train::ShardingConstraintOp op) {
  std::optional<Annotation> annotation = Annotation::parse(op.getSharding());
  if (!annotation)
    return op.emitOpError("expected lists of axes in 'sharding'");
  auto emit = [&]() { return op.emitError("the sharding constraint: "); };
  FailureOr<Placement> placement = placeAnnotation(
      seeds.mesh, seeds.units, op.getResult(), *annotation, emit);
  if (failed(placement) ||
      failed(
          findReplicated(seeds.mesh, op.getReplicatedAttr(), *placement, emit)))
    return failure();
  FailureOr<Fixed> fixed = fix(op, *placement, "the sharding constraint", emit);
  if (failed(fixed))
    return failure();
  if (*fixed == Fixed::CannotBe)
    return emit() << "cannot be written down";
  if (*fixed == Fixed::Yes)
    seeds.step.ops.find(op)->second.fixed = !annotation->isOpen();
  return success();
}

// ----------------------------------------------------------------- all of them

static void takeOverrides(StepSeeds &seeds, const SeedOverrides &instead) {
  for (auto &[argument, placement] : instead.arguments) {
    seeds.place(argument, placement);
    seeds.close(argument);
    seeds.setAnnotated(argument);
  }
  for (auto &[op, factors] : instead.ops) {
    OpSharding &sharding = seeds.step.ops.find(op)->second;
    sharding.factors = factors;
    sharding.fixed = true;
  }
}

static LogicalResult readShardOption(const StepSeeds &seeds,
                                     const planning::PlanAnnotation &option,
                                     ArgumentAnnotations &arguments,
                                     OpAnnotations &ops) {
  func::FuncOp func = seeds.func;
  std::string who = "--shard=" + planning::printAnnotation(option);
  Globs globs;
  if (!globs.parse({option.glob},
                   [&]() { return func.emitError("--shard: "); }))
    return failure();
  Annotation annotation{option.dims};
  bool isArgument = false;
  for (BlockArgument argument : func.getArguments()) {
    StringRef name = argumentName(argument);
    if (name.empty() || !isPlacedByPlans(argument) || !globs.match(name))
      continue;
    if (failed(arguments.annotate(argument, annotation, who)))
      return failure();
    isArgument = true;
  }
  // Values other than arguments are named by their locations.
  if (failed(ops.annotateAt(
          func.getBody().front(), annotation, who,
          [&](StringRef at) { return globs.match(at); },
          /*must=*/!isArgument)))
    return failure();
  if (globs.getUnmatched()) {
    SmallVector<StringRef> names;
    for (BlockArgument argument : func.getArguments())
      if (StringRef name = argumentName(argument);
          !name.empty() && isPlacedByPlans(argument) &&
          !llvm::is_contained(names, name))
        names.push_back(name);
    return withHelp(func.emitError(who)
                        << ": no parameter, input or location matches '"
                        << option.glob << "'",
                    listNames(names));
  }
  return success();
}

LogicalResult distribute::seedAnnotations(StepSeeds &seeds,
                                          const SeedRequest &request) {
  if (request.instead)
    takeOverrides(seeds, *request.instead);
  ArgumentAnnotations arguments(seeds, request.instead);
  OpAnnotations ops(seeds, request.instead);
  for (BlockArgument argument : seeds.func.getArguments())
    if (failed(arguments.readText(argument)))
      return failure();
  for (const planning::PlanAnnotation &option : request.shard)
    if (failed(readShardOption(seeds, option, arguments, ops)))
      return failure();
  for (Operation &op : seeds.func.getBody().front())
    if (auto constraint = dyn_cast<train::ShardingConstraintOp>(&op))
      if (failed(ops.constrain(constraint)))
        return failure();
  return success();
}
