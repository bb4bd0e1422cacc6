// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Closes the phase `partitioned`. It checks: no reshard is left; arguments'
// types are the shards of `dist.global`; every op has a region, and no op reads
// a value of a later one; a collective is over axes of the mesh and leads from
// the sharding of its operand to that of its result; an op's stage and chunk,
// if it has them, exist in the mesh. (The ops' own verifiers check that types
// within an op agree.)
#include "dialects/Train/AttributeNames.h"
#include "passes/Distribute/Distribute.h"
#include "passes/Distribute/Partition/Dealing.h"
#include "passes/Distribute/Sharding/Placement.h"

namespace zcc {
using namespace mlir;
using namespace dist;
using namespace distribute;
#define GEN_PASS_DEF_VERIFYPARTITIONED
#include "passes/Distribute/Passes.h.inc"

namespace {
// A value that is computed once may be read by all that follows. A value of a
// microbatch may be read only there, or through an accumulated sum.
bool mayRead(Operation *op, StepRegion region, StepRegion source, bool isLoop) {
  if (isa<AccumulateOp>(op))
    return (region == StepRegion::Before && source == StepRegion::Survey) ||
           (region == StepRegion::After && source == StepRegion::Micro);
  if (!isLoop)
    return source <= region;
  return source == region || (!isOfMicrobatch(source) && source < region);
}

// Returns where the result of a collective lives if the operand lives at
// `from`; nullopt if the operand cannot live there.
std::optional<Placement> follow(Operation *op, Placement from,
                                ArrayRef<unsigned> axes, const MeshAxes &mesh) {
  auto reduce = [&](StringAttr reduction) {
    size_t before = from.partial.size();
    llvm::erase_if(from.partial, [&](unsigned axis) {
      return llvm::is_contained(axes, axis);
    });
    // Reductions of i1 are written as logical ones.
    return before - from.partial.size() == axes.size() &&
           (reduction.getValue().starts_with("logical") ||
            reduction.getValue() == train::stringifyReduceKind(from.reduction));
  };
  auto drop = [&](uint64_t dim) {
    AxisList &list = from.dims[dim];
    if (list.size() < axes.size() ||
        ArrayRef<unsigned>(list).take_back(axes.size()) != axes)
      return false;
    list.pop_back_n(axes.size());
    return true;
  };
  bool fits = false;
  if (auto all = dyn_cast<AllReduceOp>(op)) {
    fits = reduce(all.getReductionAttr());
  } else if (auto scatter = dyn_cast<ReduceScatterOp>(op)) {
    fits = reduce(scatter.getReductionAttr());
    from.dims[scatter.getDim()].append(axes.begin(), axes.end());
  } else if (auto gather = dyn_cast<AllGatherOp>(op)) {
    fits = drop(gather.getDim());
  } else if (auto exchange = dyn_cast<AllToAllOp>(op)) {
    fits = drop(exchange.getConcatDim());
    from.dims[exchange.getSplitDim()].append(axes.begin(), axes.end());
  } else if (auto boxes = dyn_cast<ExchangeBoxesOp>(op)) {
    std::optional<Placement> own = mesh.fromAttr(boxes.getFrom(),
                                                 boxes.getShape()),
                             target =
                                 mesh.fromAttr(boxes.getTo(), boxes.getShape());
    fits = own && target && own->dims.size() == from.dims.size();
    for (unsigned d = 0; fits && d < from.dims.size(); ++d) {
      AxisList &list = from.dims[d];
      ArrayRef<unsigned> moved = own->dims[d];
      fits = list.size() >= moved.size() &&
             ArrayRef<unsigned>(list).take_back(moved.size()) == moved;
      if (!fits)
        break;
      list.pop_back_n(moved.size());
      list.append(target->dims[d]);
    }
    for (unsigned axis : from.partial)
      fits &= !from.uses(axis);
  }
  return fits ? std::optional<Placement>(from) : std::nullopt;
}

struct VerifyPartitioned : impl::VerifyPartitionedBase<VerifyPartitioned> {
  LogicalResult checkArguments(func::FuncOp func, const MeshAxes &mesh) {
    for (BlockArgument argument : func.getArguments()) {
      unsigned i = argument.getArgNumber();
      auto global = func.getArgAttrOfType<TypeAttr>(i, globalAttrName);
      auto sharding = func.getArgAttrOfType<ShardingAttr>(i, shardingAttrName);
      auto type = global ? dyn_cast<RankedTensorType>(global.getValue())
                         : RankedTensorType();
      std::optional<Placement> placement =
          sharding && type ? mesh.fromAttr(sharding, type.getShape())
                           : std::nullopt;
      if (!placement)
        return emitError(argument.getLoc(), "argument ")
               << i
               << ": expected 'dist.global' and a sharding of its rank on this "
                  "mesh";
      RankedTensorType local = mesh.localType(type, *placement);
      if (local != argument.getType())
        return emitError(argument.getLoc(), "argument ")
               << i << ": expected the shard " << local << " of " << type
               << ", found " << argument.getType();
    }
    return success();
  }

  // Checks that the blocks that are passed on are the shards of one dim over
  // the ring's axes: no block is missing, and none comes twice.
  LogicalResult checkRing(func::FuncOp func, RingOp ring,
                          ArrayRef<unsigned> axes, const MeshAxes &mesh) {
    SmallVector<Value> blocks(ring.getOperands().take_back(ring.getPassed()));
    llvm::append_range(blocks, ring.getResults().take_back(ring.getMoved()));
    for (Value v : blocks) {
      ShardingAttr sharding = shardingOf(func, v);
      std::optional<Placement> placement =
          sharding ? mesh.fromAttr(sharding, train::shapeOf(v)) : std::nullopt;
      // Sums over query heads that other axes share out are partial over those
      // axes.
      bool whole = placement && (placement->partial.empty() ||
                                 (isa<OpResult>(v) && v.getDefiningOp() == ring &&
                                  llvm::none_of(placement->partial,
                                                [&](unsigned axis) {
                                                  return llvm::is_contained(
                                                      axes, axis);
                                                })));
      if (!whole ||
          llvm::none_of(placement->dims, [&](const AxisList &list) {
            return ArrayRef<unsigned>(list) == axes;
          }))
        return ring.emitOpError("expected blocks that are shards over its "
                                "axes, found ")
               << sharding;
    }
    return success();
  }

  // Checks that the operand is split as the op tells, but for axes that are the
  // same in all of the group.
  LogicalResult checkWindows(ExchangeBoxesOp boxes, ShardingAttr from,
                             const MeshAxes &mesh) {
    std::optional<Placement> whole =
                                 from ? mesh.fromAttr(
                                            from,
                                            train::shapeOf(boxes.getOperand()))
                                      : std::nullopt,
                             own = mesh.fromAttr(boxes.getFrom(),
                                                 boxes.getShape());
    bool fits = whole && own && own->dims.size() == whole->dims.size();
    for (unsigned d = 0; fits && d < own->dims.size(); ++d)
      fits = own->dims[d].empty() || own->dims[d] == whole->dims[d];
    if (!fits)
      return boxes.emitOpError("takes windows of ")
             << boxes.getFrom() << ", but the operand has " << from;
    return success();
  }

  LogicalResult checkCollective(func::FuncOp func, Operation *op,
                                const MeshAxes &mesh) {
    AxisList axes;
    for (Attribute name : op->getAttrOfType<ArrayAttr>("axes")) {
      unsigned axis = 0;
      while (axis < mesh.size() &&
             mesh.nameOf(axis) != cast<StringAttr>(name).getValue())
        ++axis;
      assert(axis < mesh.size() && "the op's verifier knows the mesh");
      axes.push_back(axis);
    }
    if (isa<CoordinateOp>(op))
      return success();
    if (auto ring = dyn_cast<RingOp>(op))
      return checkRing(func, ring, axes, mesh);
    ShardingAttr from = shardingOf(func, op->getOperand(0)),
                 to = shardingOf(func, op->getResult(0));
    // The op's verifier knows all about windows.
    if (auto boxes = dyn_cast<ExchangeBoxesOp>(op); boxes && boxes.getWindows())
      return checkWindows(boxes, from, mesh);
    // Extents follow from the types, which the ops' own verifiers check.
    std::optional<Placement>
        start = from ? mesh.fromAttr(from, train::shapeOf(op->getOperand(0)))
                     : std::nullopt,
        target = to ? mesh.fromAttr(to, train::shapeOf(op->getResult(0)))
                    : std::nullopt;
    if (!start || !target)
      return op->emitOpError(
          "expected shardings of its operand and result on this mesh");
    std::optional<Placement> end = follow(op, *start, axes, mesh);
    if (!end || end->dims != target->dims || end->partial != target->partial)
      return op->emitOpError("does not lead from ") << from << " to " << to;
    return success();
  }

  LogicalResult check(func::FuncOp func, Operation *op, const MeshAxes &mesh,
                      bool needsRegion, bool isLoop) {
    if (isa<ReshardOp>(op))
      return op->emitOpError("is left after partitioning");
    if (isa<CollectiveOpInterface, CoordinateOp, RingOp>(op) &&
        failed(checkCollective(func, op, mesh)))
      return failure();
    if (!needsRegion || op->hasTrait<OpTrait::IsTerminator>())
      return success();
    std::optional<StepRegion> region = regionOf(op);
    if (!region)
      return op->emitOpError(
          "expected 'dist.region' to be survey, before, micro or after");
    for (Value v : op->getOperands())
      if (Operation *source = v.getDefiningOp();
          source && !mayRead(op, *region, *regionOf(source), isLoop)) {
        InFlightDiagnostic diagnostic =
            op->emitOpError("reads a value of another region");
        diagnostic.attachNote(source->getLoc()) << "which is computed here";
        return diagnostic;
      }
    return success();
  }

  void runOnOperation() override {
    MeshOp meshOp = getMesh(getOperation());
    if (!meshOp) {
      getOperation().emitError("the module has no dist.mesh");
      return signalPassFailure();
    }
    MeshAxes mesh(meshOp);
    bool isLoop = false; // over microbatches
    for (unsigned axis = 0; axis < mesh.size(); ++axis)
      isLoop |= mesh.isTemporal(axis) && mesh.sizeOf(axis) > 1;
    for (func::FuncOp func : getOperation().getOps<func::FuncOp>()) {
      bool isStep = func.getSymName() == stepFunctionName;
      if (failed(checkArguments(func, mesh)))
        return signalPassFailure();
      for (Operation &op : func.getBody().front())
        if (failed(verifyStage(&op, meshOp)) ||
            failed(check(func, &op, mesh, isStep, isLoop)))
          return signalPassFailure();
    }
  }
};
} // namespace
} // namespace zcc
