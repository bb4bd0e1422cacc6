// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns @init, which computes whole parameters from a key, into the task that
// fills the states of this device.
#include "dialects/Dist/Dist.h"
#include "dialects/Train/Train.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/Distribute/Sharding/ValueNames.h"
#include "passes/Pipeline/Pipeline.h"
#include "passes/Train/StateNames.h"
#include "llvm/ADT/StringSet.h"
#include <set>

namespace zcc {
using namespace mlir;
using namespace dist;
using namespace distribute;
#define GEN_PASS_DEF_SPLITINIT
#include "passes/Pipeline/Passes.h.inc"

namespace {
struct Initializer {
  func::FuncOp init;
  MeshOp mesh;
  Block &block;
  OpBuilder b;
  // The coordinates of this device, by axes.
  DenseMap<Attribute, Value> coordinates;

  Initializer(func::FuncOp init, MeshOp mesh)
      : init(init), mesh(mesh), block(init.getBody().front()),
        b(block.getTerminator()) {}

  // Returns this device's shard of `v`, filled up with zeros if it is padded.
  Value shardOf(Location loc, Value v, ShardingAttr sharding) {
    SmallVector<int64_t> shape(train::shapeOf(v)), high, sizes;
    Value zero =
        train::splat(b, loc, RankedTensorType::get({}, b.getI32Type()), 0);
    SmallVector<Value> starts;
    for (auto [i, extent] : llvm::enumerate(shape)) {
      auto axes = cast<ArrayAttr>(sharding.getDims()[i]);
      int64_t shards = 1;
      for (StringRef axis : sharding.getAxes(i))
        shards *= mesh.getAxisSize(axis).value_or(1);
      sizes.push_back(
          llvm::divideCeil(sharding.getPaddedExtent(i, extent), shards));
      high.push_back(sizes.back() * shards - extent);
      if (shards == 1) {
        starts.push_back(zero);
        continue;
      }
      Value &index = coordinates[axes];
      if (!index)
        index = CoordinateOp::create(b, loc, zero.getType(), axes);
      starts.push_back(train::MulOp::create(
          b, loc, index,
          train::splat(b, loc, zero.getType(), double(sizes.back()))));
    }
    Type element = train::tensorType(v).getElementType();
    SmallVector<int64_t> none(shape.size(), 0);
    if (llvm::any_of(high, [](int64_t n) { return n != 0; })) {
      for (auto [extent, more] : llvm::zip_equal(shape, high))
        extent += more;
      v = train::PadOp::create(
          b, loc, RankedTensorType::get(shape, element), v,
          train::splat(b, loc, RankedTensorType::get({}, element), 0), none,
          high, none);
    }
    return train::DynamicSliceOp::create(
        b, loc, RankedTensorType::get(sizes, element), v, starts,
        b.getDenseI64ArrayAttr(sizes));
  }

  // Returns the part of the file tensor that the state holds on this device.
  FailureOr<Value> part(StateOp state, Value whole) {
    auto file = cast<RankedTensorType>(state.getFileType());
    Location loc = state.getLoc();
    if (file.getShape() != train::shapeOf(whole))
      return init.emitError("@init gives parameter '")
             << state.getFileName() << "' the type " << whole.getType()
             << ", expected the shape of " << file;
    SmallVector<int64_t> limit;
    for (auto [start, extent] :
         llvm::zip_equal(state.getStart(), state.getExtent()))
      limit.push_back(start + extent);
    Value v = whole;
    if (!llvm::equal(state.getExtent(), file.getShape()))
      v = train::slice(b, loc, v, state.getStart(), limit,
                       SmallVector<int64_t>(limit.size(), 1));
    if (!state.getSharding().isReplicated())
      v = shardOf(loc, v, state.getSharding());
    auto type = cast<RankedTensorType>(state.getType());
    if (train::shapeOf(v) != type.getShape())
      v = train::reshape(b, loc, v, type.getShape());
    if (train::tensorType(v).getElementType() != type.getElementType())
      v = train::convert(b, loc, v, type.getElementType());
    return v;
  }

  // Fills the states of `stage`.
  LogicalResult run(ModuleOp module, int64_t stage) {
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
      if (!isInFiles(state.getKind()))
        continue;
      auto it = valueOf.find(state.getFileName());
      if (it == valueOf.end())
        return init.emitError("@init gives no value to parameter '")
               << state.getFileName() << "'";
      read.insert(state.getFileName());
      if (static_cast<int64_t>(state.getStage()) != stage)
        continue;
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
    setTaskKind(init, TaskKind::Init);
    init->setAttr(stageAttrName, b.getI64IntegerAttr(stage));
    // Erase the ops for states that other stages hold.
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (isOpTriviallyDead(&op))
        op.erase();
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
    auto init = module.lookupSymbol<func::FuncOp>(initFunctionName);
    if (!init || init->hasAttr(taskAttrName))
      return;
    std::set<int64_t> stages{0};
    for (StateOp state : module.getOps<StateOp>())
      stages.insert(static_cast<int64_t>(state.getStage()));
    OpBuilder b(init);
    for (int64_t stage : stages) {
      func::FuncOp own = init;
      if (stage != *stages.rbegin()) {
        own = cast<func::FuncOp>(b.clone(*init));
        own.setSymName((initFunctionName + Twine(stage)).str());
      }
      if (failed(Initializer(own, getMesh(module)).run(module, stage)))
        return signalPassFailure();
      own->moveAfter(&module.getBody()->back());
    }
  }
};
} // namespace
} // namespace zcc
