// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes @init, which computes whole parameters from a key, the task that fills
// the states of this device.
#include "passes/Distribute/Localize.h"
#include "passes/Distribute/ValueNames.h"
#include "passes/Pipeline/Pipeline.h"
#include "passes/Train/StateNames.h"
#include "llvm/ADT/StringSet.h"

namespace zcc {
using namespace mlir;
using namespace dist;
#define GEN_PASS_DEF_SPLITINIT
#include "passes/Pipeline/Passes.h.inc"

namespace {
struct Initializer {
  func::FuncOp init;
  MeshAxes mesh;
  Block &block;
  OpBuilder b;
  Origins origins;

  Initializer(func::FuncOp init, MeshOp meshOp)
      : init(init), mesh(meshOp), block(init.getBody().front()),
        b(block.getTerminator()), origins(block, mesh) {}

  // The part of the file tensor that the state holds, on this device.
  FailureOr<Value> part(StateOp state, Value whole) {
    auto file = cast<RankedTensorType>(state.getFileType());
    Location loc = state.getLoc();
    if (file.getShape() != train::shapeOf(whole))
      return init.emitError("@init gives parameter '")
             << state.getParameter() << "' the type " << whole.getType()
             << ", expected the shape of " << file;
    SmallVector<int64_t> limit;
    for (auto [start, extent] :
         llvm::zip_equal(state.getStart(), state.getExtent()))
      limit.push_back(start + extent);
    Value v = whole;
    if (!llvm::equal(state.getExtent(), file.getShape()))
      v = train::slice(b, loc, v, state.getStart(), limit,
                       SmallVector<int64_t>(limit.size(), 1));
    DimAxes dims = mesh.fromAttr(state.getSharding())->dims;
    if (llvm::any_of(dims, [](const AxisList &axes) { return !axes.empty(); }))
      v = sliceLocal(b, loc, v, dims, mesh, origins);
    auto type = cast<RankedTensorType>(state.getType());
    if (train::shapeOf(v) != type.getShape())
      v = train::reshape(b, loc, v, type.getShape());
    if (train::tensorType(v).getElementType() != type.getElementType())
      v = train::convert(b, loc, v, type.getElementType());
    return v;
  }

  LogicalResult run(ModuleOp module) {
    Operation *terminator = block.getTerminator();
    llvm::StringMap<Value> valueOf;
    for (auto [i, v] : llvm::enumerate(terminator->getOperands())) {
      auto name = init.getResultAttrOfType<StringAttr>(i, parameterAttrName);
      if (!name)
        return init.emitError("@init: result ")
               << i << " does not say which parameter it is";
      if (!valueOf.try_emplace(name.getValue(), v).second)
        return init.emitError("@init gives parameter '")
               << name.getValue() << "' twice";
    }
    llvm::StringSet<> read;
    SmallVector<Value> results;
    SmallVector<Attribute> attributes;
    for (StateOp state : module.getOps<StateOp>()) {
      if (state.getKind() != "parameter" && state.getKind() != "master")
        continue;
      auto it = valueOf.find(state.getParameter());
      if (it == valueOf.end())
        return init.emitError("@init gives no value to parameter '")
               << state.getParameter() << "'";
      read.insert(state.getParameter());
      FailureOr<Value> v = part(state, it->second);
      if (failed(v))
        return failure();
      results.push_back(*v);
      attributes.push_back(b.getDictionaryAttr(
          {b.getNamedAttr(stateAttrName, state.getSymNameAttr())}));
    }
    for (auto [i, v] : llvm::enumerate(terminator->getOperands()))
      if (auto name =
              init.getResultAttrOfType<StringAttr>(i, parameterAttrName);
          !read.contains(name.getValue()))
        return init.emitError("@init gives a value to '")
               << name.getValue() << "', which is no parameter";
    if (init.getNumArguments() != 1)
      return init.emitError(
                 "expected @init to have one argument, the key, found ")
             << init.getNumArguments();

    SmallVector<Type> types;
    for (Value v : results)
      types.push_back(v.getType());
    terminator->setOperands(results);
    init.setFunctionType(b.getFunctionType(block.getArgumentTypes(), types));
    init.setAllResultAttrs(attributes);
    init.setArgAttrs(
        0, b.getDictionaryAttr({b.getNamedAttr(keyAttrName, b.getUnitAttr())}));
    init->setAttr(taskAttrName, b.getStringAttr("init"));
    init->setAttr(stageAttrName, b.getI64IntegerAttr(0));
    for (Operation &op : block) {
      op.removeAttr(shardingsAttrName);
      op.removeAttr(train::tagAttrName);
    }
    return success();
  }
};

struct SplitInit : impl::SplitInitBase<SplitInit> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto init = module.lookupSymbol<func::FuncOp>("init");
    if (!init || init->hasAttr(taskAttrName))
      return;
    if (failed(Initializer(init, getMesh(module)).run(module)))
      return signalPassFailure();
    init->moveAfter(&module.getBody()->back());
  }
};
} // namespace
} // namespace zcc
