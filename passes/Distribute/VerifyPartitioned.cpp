// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Closes the phase `partitioned`. Established: no reshard is left; arguments'
// types are the shards of `dist.global`; every op has a region, and no op reads
// a value of a later one; a collective is over axes of the mesh and leads from
// the sharding of its operand to that of its result. (That types within an op
// agree is what the ops' own verifiers say.)
#include "passes/Distribute/Distribute.h"
#include "passes/Distribute/Placement.h"
#include "llvm/ADT/StringSwitch.h"

namespace zcc {
using namespace mlir;
using namespace dist;
#define GEN_PASS_DEF_VERIFYPARTITIONED
#include "passes/Distribute/Passes.h.inc"

namespace {
int regionOf(Operation *op) {
  auto region = op->getAttrOfType<StringAttr>("dist.region");
  if (!region)
    return -1;
  return llvm::StringSwitch<int>(region.getValue())
      .Case("before", 0)
      .Case("micro", 1)
      .Case("after", 2)
      .Default(-1);
}

// Where the result of a collective lives if the operand lives at `from`;
// nullopt if the operand cannot.
std::optional<Placement> follow(Operation *op, Placement from,
                                ArrayRef<unsigned> axes) {
  auto reduce = [&](StringAttr reduction) {
    size_t before = from.partial.size();
    llvm::erase_if(from.partial, [&](unsigned axis) {
      return llvm::is_contained(axes, axis);
    });
    // Sums of i1 are written as what they are.
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
  }
  return fits ? std::optional<Placement>(from) : std::nullopt;
}

struct VerifyPartitioned : impl::VerifyPartitionedBase<VerifyPartitioned> {
  LogicalResult checkArguments(func::FuncOp func, const MeshAxes &mesh) {
    for (BlockArgument argument : func.getArguments()) {
      unsigned i = argument.getArgNumber();
      auto global = func.getArgAttrOfType<TypeAttr>(i, "dist.global");
      auto sharding = func.getArgAttrOfType<ShardingAttr>(i, shardingAttrName);
      auto type = global ? dyn_cast<RankedTensorType>(global.getValue())
                         : RankedTensorType();
      std::optional<Placement> placement =
          sharding ? mesh.fromAttr(sharding) : std::nullopt;
      if (!type || !placement ||
          static_cast<int64_t>(placement->dims.size()) != type.getRank())
        return emitError(argument.getLoc(), "argument ")
               << i
               << ": expected 'dist.global' and a sharding of its rank on this "
                  "mesh";
      RankedTensorType local = mesh.localType(type, placement->dims);
      if (local != argument.getType())
        return emitError(argument.getLoc(), "argument ")
               << i << ": expected the shard " << local << " of " << type
               << ", found " << argument.getType();
    }
    return success();
  }

  ShardingAttr shardingOf(func::FuncOp func, Value v) {
    if (auto argument = dyn_cast<BlockArgument>(v))
      return func.getArgAttrOfType<ShardingAttr>(argument.getArgNumber(),
                                                 shardingAttrName);
    auto shardings =
        v.getDefiningOp()->getAttrOfType<ArrayAttr>(shardingsAttrName);
    return shardings ? dyn_cast<ShardingAttr>(
                           shardings[cast<OpResult>(v).getResultNumber()])
                     : ShardingAttr();
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
    ShardingAttr from = shardingOf(func, op->getOperand(0)),
                 to = shardingOf(func, op->getResult(0));
    std::optional<Placement> start = from ? mesh.fromAttr(from) : std::nullopt;
    if (!start || !to)
      return op->emitOpError(
          "expected shardings of its operand and result on this mesh");
    std::optional<Placement> end = follow(op, *start, axes);
    if (!end || mesh.toAttr(*end) != to)
      return op->emitOpError("does not lead from ") << from << " to " << to;
    return success();
  }

  LogicalResult check(func::FuncOp func, Operation *op, const MeshAxes &mesh,
                      bool needsRegion) {
    if (isa<ReshardOp>(op))
      return op->emitOpError("is left after partitioning");
    if (isa<AllReduceOp, AllGatherOp, ReduceScatterOp, AllToAllOp,
            CoordinateOp>(op) &&
        failed(checkCollective(func, op, mesh)))
      return failure();
    if (!needsRegion || op->hasTrait<OpTrait::IsTerminator>())
      return success();
    int region = regionOf(op);
    if (region < 0)
      return op->emitOpError(
          "expected 'dist.region' to be before, micro or after");
    for (Value v : op->getOperands())
      if (Operation *source = v.getDefiningOp();
          source && regionOf(source) > region) {
        InFlightDiagnostic diagnostic =
            op->emitOpError("reads a value of a later region");
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
    for (func::FuncOp func : getOperation().getOps<func::FuncOp>()) {
      if (failed(checkArguments(func, mesh)))
        return signalPassFailure();
      for (Operation &op : func.getBody().front())
        if (failed(check(func, &op, mesh, func.getSymName() == "step")))
          return signalPassFailure();
    }
  }
};
} // namespace
} // namespace zcc
