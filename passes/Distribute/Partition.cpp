// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes every function of the module the program of one device: types become
// those of shards, attributes that hold extents follow, iotas start at the
// device's origin, reshards become collectives. In place, in the order of the
// ops.
#include "passes/Distribute/Distribute.h"
#include "passes/Distribute/LowerReshard.h"
#include "passes/Distribute/ValueNames.h"
#include "passes/Train/StateNames.h"

namespace zcc {
using namespace mlir;
using namespace dist;
#define GEN_PASS_DEF_PARTITION
#include "passes/Distribute/Passes.h.inc"

namespace {
struct Partitioner {
  func::FuncOp func;
  MeshAxes mesh;
  Block &block;
  Origins origins;
  DenseMap<Value, std::string>
      gradientOf; // the parameter that the value is the gradient of

  Partitioner(func::FuncOp func, MeshOp meshOp)
      : func(func), mesh(meshOp), block(func.getBody().front()),
        origins(block, mesh) {}

  Placement placementOf(Value v) {
    ShardingAttr attr;
    if (auto argument = dyn_cast<BlockArgument>(v))
      attr = func.getArgAttrOfType<ShardingAttr>(argument.getArgNumber(),
                                                 shardingAttrName);
    else if (auto shardings =
                 v.getDefiningOp()->getAttrOfType<ArrayAttr>(shardingsAttrName))
      attr = cast<ShardingAttr>(shardings[cast<OpResult>(v).getResultNumber()]);
    return attr ? *mesh.fromAttr(attr) : Placement{DimAxes(rankOf(v)), {}};
  }

  // Gradients, seen through what neither adds nor scales.
  void findGradients() {
    llvm::StringMap<std::string> parameterOf;
    for (BlockArgument argument : func.getArguments())
      if (std::string symbol =
              stateSymbolOf(func.getArgAttrDict(argument.getArgNumber()));
          !symbol.empty())
        parameterOf.try_emplace(symbol, argumentName(argument).str());
    for (ObserveOp observe : block.getOps<ObserveOp>())
      for (auto [v, state] :
           llvm::zip_equal(observe.getValues(), observe.getStates())) {
        std::string symbol =
            cast<SymbolRefAttr>(state).getRootReference().str();
        auto it = parameterOf.find(symbol);
        for (Value g = v;
             gradientOf
                 .try_emplace(g, it == parameterOf.end() ? symbol : it->second)
                 .second;) {
          Operation *op = g.getDefiningOp();
          if (!op || !(isa<train::ConvertOp, ReshardOp>(op) ||
                       op->hasTrait<train::DataMovementOp>()))
            break;
          g = op->getOperand(0);
        }
      }
  }

  Cause causeOf(ReshardOp reshard) {
    Builder b(reshard.getContext());
    std::string what = "activation", value = locationName(reshard.getLoc());
    if (BlockArgument argument = underlyingArgument(reshard.getOperand())) {
      value = argumentName(argument);
      auto kind = func.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                    kindAttrName);
      if (kind && kind.getValue() == "parameter")
        what = "parameter";
      else if (kind && (kind.getValue() == "master" ||
                        kind.getValue().starts_with("moment")))
        what = "optimizer";
    } else if (auto it = gradientOf.find(reshard.getOperand());
               it != gradientOf.end()) {
      what = "gradient";
      value = it->second;
    } else if (train::tensorType(reshard.getOperand()).getNumElements() == 1) {
      what = "scalar";
    }
    return {b.getStringAttr(what), b.getStringAttr(value),
            reshard.getWhyAttr() ? reshard.getWhyAttr() : b.getStringAttr("")};
  }

  void lower(ReshardOp reshard) {
    OpBuilder b(reshard);
    Cause cause = causeOf(reshard);
    Operation *before = reshard->getPrevNode();
    Placement to = *mesh.fromAttr(reshard.getTo());
    Value v = lowerReshard(b, reshard.getLoc(), reshard.getOperand(),
                           *mesh.fromAttr(reshard.getFrom()), to, cause, mesh,
                           origins);
    for (Operation *op = reshard->getPrevNode(); op != before;
         op = op->getPrevNode())
      if (Attribute tag = reshard->getAttr(train::tagAttrName))
        op->setAttr(train::tagAttrName, tag);
    reshard.replaceAllUsesWith(v);
    reshard.erase();
  }

  void run() {
    findGradients();
    bool isTagged = llvm::any_of(
        block, [](Operation &op) { return op.hasAttr(train::tagAttrName); });
    SmallVector<Operation *> ops;
    for (Operation &op : block)
      ops.push_back(&op);
    SmallVector<Attribute> globals;
    for (BlockArgument argument : func.getArguments()) {
      auto global = train::tensorType(argument);
      globals.push_back(TypeAttr::get(global));
      argument.setType(mesh.localType(global, placementOf(argument).dims));
    }
    setArgumentAttributes(func, "dist.global", globals);
    for (Operation *op : ops) {
      if (auto reshard = dyn_cast<ReshardOp>(op)) {
        lower(reshard);
        continue;
      }
      SmallVector<Placement> operands, results;
      for (Value v : op->getOperands())
        operands.push_back(placementOf(v));
      for (Value v : op->getResults())
        results.push_back(placementOf(v));
      localize(op, operands, results, mesh, origins);
    }
    // What the origins put in front runs with the first part of the step.
    for (Operation &op : block)
      if (isTagged && !op.hasAttr(train::tagAttrName) &&
          !isa<func::ReturnOp>(op))
        op.setAttr(train::tagAttrName,
                   StringAttr::get(func.getContext(), "forward"));
    func.setFunctionType(
        FunctionType::get(func.getContext(), block.getArgumentTypes(),
                          block.getTerminator()->getOperandTypes()));
  }
};

struct Partition : impl::PartitionBase<Partition> {
  void runOnOperation() override {
    MeshOp mesh = getMesh(getOperation());
    for (func::FuncOp func : getOperation().getOps<func::FuncOp>())
      Partitioner(func, mesh).run();
  }
};
} // namespace
} // namespace zcc
