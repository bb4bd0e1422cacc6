// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Closes the phase `partitioned`. Established: no reshard is left; arguments' types are the shards of `dist.global`; every
// op has a region, and no op reads a value of a later one; collectives are over axes of the mesh that are not temporal.
// (That types within an op agree is what the ops' own verifiers say.)
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
  return llvm::StringSwitch<int>(region.getValue()).Case("before", 0).Case("micro", 1).Case("after", 2).Default(-1);
}

struct VerifyPartitioned : impl::VerifyPartitionedBase<VerifyPartitioned> {
  LogicalResult checkArguments(func::FuncOp func, const MeshAxes &mesh) {
    for (BlockArgument argument : func.getArguments()) {
      unsigned i = argument.getArgNumber();
      auto global = func.getArgAttrOfType<TypeAttr>(i, "dist.global");
      auto sharding = func.getArgAttrOfType<ShardingAttr>(i, shardingAttrName);
      auto type = global ? dyn_cast<RankedTensorType>(global.getValue()) : RankedTensorType();
      std::optional<Placement> placement = sharding ? mesh.fromAttr(sharding) : std::nullopt;
      if (!type || !placement || static_cast<int64_t>(placement->dims.size()) != type.getRank())
        return emitError(argument.getLoc(), "argument ")
               << i << ": expected 'dist.global' and a sharding of its rank on this mesh";
      RankedTensorType local = mesh.localType(type, placement->dims);
      if (local != argument.getType())
        return emitError(argument.getLoc(), "argument ")
               << i << ": expected the shard " << local << " of " << type << ", found " << argument.getType();
    }
    return success();
  }

  LogicalResult check(Operation *op, MeshOp mesh, bool needsRegion) {
    if (isa<ReshardOp>(op))
      return op->emitOpError("is left after partitioning");
    if (isa<AllReduceOp, AllGatherOp, ReduceScatterOp, AllToAllOp, CoordinateOp>(op))
      for (Attribute name : op->getAttrOfType<ArrayAttr>("axes")) {
        StringRef axis = cast<StringAttr>(name).getValue();
        if (!mesh.getAxisSize(axis))
          return op->emitOpError("is over axis '") << axis << "', which the mesh lacks";
      }
    if (!needsRegion || op->hasTrait<OpTrait::IsTerminator>())
      return success();
    int region = regionOf(op);
    if (region < 0)
      return op->emitOpError("expected 'dist.region' to be before, micro or after");
    for (Value v : op->getOperands())
      if (Operation *source = v.getDefiningOp(); source && regionOf(source) > region) {
        InFlightDiagnostic diagnostic = op->emitOpError("reads a value of a later region");
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
        if (failed(check(&op, meshOp, func.getSymName() == "step")))
          return signalPassFailure();
    }
  }
};
} // namespace
} // namespace zcc
