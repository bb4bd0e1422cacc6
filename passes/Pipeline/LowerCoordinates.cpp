// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns dist.coordinate into arithmetic on an argument that holds the device's
// coordinates.
#include "passes/Distribute/Sharding/Placement.h"
#include "passes/Pipeline/Pipeline.h"

namespace zcc {
using namespace mlir;
using namespace dist;
using namespace distribute;
#define GEN_PASS_DEF_LOWERCOORDINATES
#include "passes/Pipeline/Passes.h.inc"

namespace {
Value coordinatesOf(func::FuncOp func, unsigned axes) {
  for (BlockArgument argument : func.getArguments())
    if (func.getArgAttr(argument.getArgNumber(), coordinatesAttrName))
      return argument;
  Builder b(func.getContext());
  unsigned last = func.getNumArguments();
  (void)func.insertArgument(last, RankedTensorType::get({axes}, b.getI32Type()),
                            b.getDictionaryAttr({b.getNamedAttr(
                                coordinatesAttrName, b.getUnitAttr())}),
                            func.getLoc());
  return func.getArgument(last);
}

// Computes the row-major index of the device in its group.
void lower(CoordinateOp op, Value coordinates, MeshOp meshOp) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  Operation *before = op->getPrevNode();
  Value index;
  for (Attribute name : op.getAxes()) {
    ArrayRef<Attribute> axes = meshOp.getAxes().getValue();
    const auto *it = llvm::find_if(axes, [&](Attribute a) {
      return cast<AxisAttr>(a).getName() == cast<StringAttr>(name).getValue();
    });
    int64_t axis = it - axes.begin();
    Value own = train::reshape(
        b, loc, train::slice(b, loc, coordinates, {axis}, {axis + 1}, {1}), {});
    if (!index) {
      index = own;
      continue;
    }
    Value size =
        train::splat(b, loc, own.getType(), cast<AxisAttr>(*it).getSize());
    index = train::AddOp::create(
        b, loc, train::MulOp::create(b, loc, index, size), own);
  }
  if (!index)
    index = train::splat(b, loc, op.getType(), 0);
  for (Operation *made = op->getPrevNode(); made != before;
       made = made->getPrevNode())
    made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  op.replaceAllUsesWith(index);
  op.erase();
}

struct LowerCoordinates : impl::LowerCoordinatesBase<LowerCoordinates> {
  void runOnOperation() override {
    MeshOp mesh = getMesh(getOperation());
    for (func::FuncOp func : getOperation().getOps<func::FuncOp>()) {
      SmallVector<CoordinateOp> ops;
      func.walk([&](CoordinateOp op) { ops.push_back(op); });
      for (CoordinateOp op : ops)
        if (op.use_empty())
          op.erase();
        else
          lower(op, coordinatesOf(func, mesh.getAxes().size()), mesh);
    }
  }
};
} // namespace
} // namespace zcc
