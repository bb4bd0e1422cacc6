// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Walks from stablehlo to train. Each op goes to the family that knows it
// (Conversion.h).
#include "dialects/StableHLO/SDY.h"
#include "dialects/StableHLO/StableHLO.h"
#include "passes/Import/Conversion.h"
#include "passes/Import/Entry.h"
#include "passes/Import/Import.h"

using namespace mlir;

namespace zcc {
#define GEN_PASS_DEF_CONVERTTOTRAIN
#include "passes/Import/Passes.h.inc"

namespace {
struct Reason {
  StringRef why, help;
};
} // namespace

/// Returns the reason why an op cannot be used, if its name does not tell.
static Reason whyNot(Operation *op) {
  if (isa<sdy::ManualComputationOp, stablehlo::AllGatherOp,
          stablehlo::AllReduceOp, stablehlo::AllToAllOp,
          stablehlo::CollectiveBroadcastOp, stablehlo::CollectivePermuteOp,
          stablehlo::ReduceScatterOp, stablehlo::ReplicaIdOp,
          stablehlo::PartitionIdOp, stablehlo::SendOp, stablehlo::RecvOp>(op))
    return {"it distributes by hand (jax.shard_map), which zcc does itself",
            "write what one device would compute of the whole batch, and give "
            "the devices to --mesh"};
  if (isa<stablehlo::RngOp>(op))
    return {"its numbers depend on a hidden state",
            "use jax.random, whose keys are values"};
  return {};
}

/// Returns a type of an operand or result that values of train cannot have;
/// null if there is none.
static Type findForeignType(Operation *op) {
  auto isForeign = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return !tensor || !tensor.getElementType().isIntOrFloat();
  };
  for (TypeRange types :
       {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
    for (Type type : types)
      if (isForeign(type))
        return type;
  return {};
}

/// Converts one op, and puts its results into the map. Errors are at the op.
static LogicalResult convert(Conversion &c, Operation *op) {
  if (isa<train::TrainDialect>(op->getDialect())) {
    c.b.clone(*op, c.map);
    return success();
  }
  if (isa<stablehlo::CreateTokenOp, stablehlo::AfterAllOp>(op))
    return success(); // ops that need the order are refused
  if (Reason reason = whyNot(op); !reason.why.empty())
    return refuse(op, reason.why, reason.help);
  if (Type type = findForeignType(op)) {
    std::string text;
    llvm::raw_string_ostream(text) << type;
    return refuse(op, "expected float or integer tensors, got " + text);
  }
  for (auto *family :
       {convertMovement, convertElementwise, convertProduct, convertReduction,
        convertSort, convertRandom, convertRequest, convertFunction})
    if (Converted done = family(c, op))
      return *done;
  return refuse(op);
}

// ---------------------------------------------------------------- the pass

namespace {
struct ConvertToTrain : impl::ConvertToTrainBase<ConvertToTrain> {
  using ConvertToTrainBase::ConvertToTrainBase;

  void runOnOperation() override {
    func::FuncOp entry = findEntry(getOperation());
    if (!entry)
      return;
    if (!entry.getBody().hasOneBlock()) {
      entry.emitError() << "expected one block, got "
                        << entry.getBody().getBlocks().size();
      return signalPassFailure();
    }
    Block &old = entry.getBody().front();
    Region region;
    Block &block = region.emplaceBlock();
    OpBuilder b(&getContext()); // the region has no parent yet
    b.setInsertionPointToEnd(&block);
    bool isInit = role == initFunctionName;
    Conversion conversion{b, isInit};
    for (BlockArgument arg : old.getArguments())
      conversion.map.map(arg, block.addArgument(arg.getType(), arg.getLoc()));
    for (Operation &op : old.without_terminator())
      if (failed(convert(conversion, &op)))
        return signalPassFailure();
    b.clone(*old.getTerminator(), conversion.map);
    entry.getBody().takeBody(region);
    entry.setName(isInit ? initFunctionName : lossFunctionName);
    if (failed(convertAnnotations(entry)))
      return signalPassFailure();
  }

  /// Converts the shardings of arguments, and their mesh.
  LogicalResult convertAnnotations(func::FuncOp entry) {
    for (unsigned i = 0; i < entry.getNumArguments(); ++i) {
      if (entry.getArgAttr(i, "mhlo.sharding"))
        emitWarning(entry.getArgument(i).getLoc())
            << "the sharding of argument " << i
            << " is ignored: expected sdy.sharding, which JAX prints with "
               "jax_use_shardy_partitioner, got mhlo.sharding";
      auto sharding =
          entry.getArgAttrOfType<sdy::ShardingAttr>(i, "sdy.sharding");
      if (!sharding)
        continue;
      entry.removeArgAttr(i, "sdy.sharding");
      auto type = cast<RankedTensorType>(entry.getArgument(i).getType());
      ArrayRef<Attribute> dims = sharding.getDims().getValue();
      // A part of a stack has the sharding of the stack.
      auto file =
          entry.getArgAttrOfType<DenseI64ArrayAttr>(i, fileShapeAttrName);
      int64_t rank = file ? file.size() : type.getRank();
      if (static_cast<int64_t>(dims.size()) != rank)
        return emitError(entry.getArgument(i).getLoc())
               << "expected a sharding of " << rank << " dims for argument "
               << i << ", got " << dims.size();
      if (!sharding.getUnreduced().empty())
        return emitError(entry.getArgument(i).getLoc())
               << "argument " << i
               << " is said not to be reduced over an axis, which an argument "
                  "cannot be";
      entry.setArgAttr(i, textShardingAttrName,
                       ArrayAttr::get(&getContext(), dims));
      if (!sharding.getReplicated().empty())
        entry.setArgAttr(i, textReplicatedAttrName, sharding.getReplicated());
    }
    for (unsigned i = 0; i < entry.getNumResults(); ++i)
      entry.removeResultAttr(i, StringAttr::get(&getContext(), "sdy.sharding"));
    return convertMesh();
  }

  /// There must be one mesh. JAX prints it again for every way in which its
  /// axes are used.
  LogicalResult convertMesh() {
    sdy::MeshOp first;
    for (sdy::MeshOp mesh : getOperation().getOps<sdy::MeshOp>()) {
      if (mesh.getAxes().empty())
        continue;
      if (first && (mesh.getAxes() != first.getAxes() ||
                    mesh.getSizes() != first.getSizes())) {
        InFlightDiagnostic error =
            mesh.emitError("expected one mesh, got one with other axes");
        error.attachNote(first.getLoc()) << "the other mesh is here";
        return error;
      }
      first = mesh;
    }
    if (first) {
      getOperation()->setAttr(textMeshAxesAttrName, first.getAxes());
      getOperation()->setAttr(textMeshSizesAttrName, first.getSizesAttr());
    }
    for (sdy::MeshOp mesh :
         llvm::make_early_inc_range(getOperation().getOps<sdy::MeshOp>()))
      mesh.erase();
    return success();
  }
};
} // namespace
} // namespace zcc
