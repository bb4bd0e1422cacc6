// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Distribute/Localize.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;

void Origins::seek() {
  if (last)
    builder.setInsertionPointAfter(last);
  else
    builder.setInsertionPointToStart(&block);
}

Value Origins::constant(Location loc, int64_t value) {
  Value &v = constants[value];
  if (!v) {
    seek();
    auto type = RankedTensorType::get({}, builder.getI32Type());
    v = train::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(
            type, builder.getI32IntegerAttr(static_cast<int32_t>(value))));
    last = v.getDefiningOp();
  }
  return v;
}

Value Origins::zero(Location loc) { return constant(loc, 0); }

Value Origins::get(Location loc, ArrayRef<unsigned> axes, int64_t extent) {
  if (axes.empty())
    return zero(loc);
  std::pair<std::vector<unsigned>, int64_t> key({axes.begin(), axes.end()},
                                                extent);
  if (auto known = origins.find(key); known != origins.end())
    return known->second;
  auto type = RankedTensorType::get({}, builder.getI32Type());
  Value size = constant(loc, extent);
  seek();
  Value coordinate =
      CoordinateOp::create(builder, loc, type, mesh.nameAttr(axes));
  Value origin = train::MulOp::create(builder, loc, coordinate, size);
  last = origin.getDefiningOp();
  origins[key] = origin;
  return origin;
}

Value dist::sliceLocal(OpBuilder &b, Location loc, Value whole,
                       ArrayRef<AxisList> dims, const MeshAxes &mesh,
                       Origins &origins) {
  RankedTensorType type = mesh.localType(train::tensorType(whole), dims);
  SmallVector<Value> starts;
  for (auto [axes, extent] : llvm::zip_equal(dims, type.getShape()))
    starts.push_back(origins.get(loc, axes, extent));
  return train::DynamicSliceOp::create(b, loc, type, whole, starts,
                                       b.getDenseI64ArrayAttr(type.getShape()));
}

// `sizes` with the local extent where the operand is sharded.
static DenseI64ArrayAttr localSizes(Builder &b, ArrayRef<int64_t> sizes,
                                    Value operand, const Placement &placement) {
  SmallVector<int64_t> local(sizes);
  for (auto [d, axes] : llvm::enumerate(placement.dims))
    if (!axes.empty())
      local[d] = train::shapeOf(operand)[d];
  return b.getDenseI64ArrayAttr(local);
}

void dist::localize(Operation *op, ArrayRef<Placement> operands,
                    ArrayRef<Placement> results, const MeshAxes &mesh,
                    Origins &origins) {
  OpBuilder b(op);
  Location loc = op->getLoc();
  if (auto constant = dyn_cast<train::ConstantOp>(op)) {
    RankedTensorType local = mesh.localType(
        train::tensorType(constant.getResult()), results[0].dims);
    if (local == constant.getType())
      return;
    auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
    if (dense && dense.isSplat()) {
      constant.setValueAttr(dense.resizeSplat(local));
      constant.getResult().setType(local);
      return;
    }
    b.setInsertionPointAfter(op);
    Value part = sliceLocal(b, loc, constant.getResult(), results[0].dims, mesh,
                            origins);
    Operation *slice = part.getDefiningOp();
    slice->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    constant.getResult().replaceAllUsesExcept(part, slice);
    Placement whole{DimAxes(local.getRank()), {}};
    op->setAttr(shardingsAttrName, b.getArrayAttr({mesh.toAttr(whole)}));
    return;
  }
  for (auto [result, placement] : llvm::zip_equal(op->getResults(), results))
    result.setType(mesh.localType(train::tensorType(result), placement.dims));
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](train::IotaOp iota) {
        const AxisList &axes = results[0].dims[iota.getDim()];
        if (!axes.empty())
          iota.getOriginMutable().assign(origins.get(
              loc, axes, train::shapeOf(iota.getResult())[iota.getDim()]));
      })
      // What is sharded is whole in these ops, and starts at 0.
      .Case([&](train::SliceOp slice) {
        slice.setLimitAttr(
            localSizes(b, slice.getLimit(), slice.getOperand(), operands[0]));
      })
      .Case([&](train::DynamicSliceOp slice) {
        slice.setSizesAttr(
            localSizes(b, slice.getSizes(), slice.getOperand(), operands[0]));
      })
      .Case([&](train::GatherOp gather) {
        SmallVector<int64_t> sizes(localSizes(b, gather.getSliceSizes(),
                                              gather.getOperand(), operands[0])
                                       .asArrayRef());
        for (int64_t batching : gather.getOperandBatchingDims())
          sizes[batching] = gather.getSliceSizes()[batching];
        gather.setSliceSizesAttr(b.getDenseI64ArrayAttr(sizes));
      })
      .Case([&](train::ConvolutionOp conv) {
        // A sharded group leaves fewer groups; their sizes stay.
        ArrayRef<int64_t> lhs = train::shapeOf(conv.getLhs()),
                          rhs = train::shapeOf(conv.getRhs());
        conv.setFeatureGroups(lhs[conv.getInputDims()[1]] /
                              rhs[conv.getKernelDims()[0]]);
        conv.setBatchGroups(
            lhs[conv.getInputDims()[0]] /
            train::shapeOf(conv.getResult())[conv.getOutputDims()[0]]);
      });
}
