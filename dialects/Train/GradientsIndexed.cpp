// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Derivatives of indexed access: that of a gather is a scatter-add, and the
// other way round. Updates that a scatter leaves out get zero.
#include "dialects/Train/Gradients.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace zcc::train {

void GatherOp::buildGradient(OpBuilder &builder, ValueRange gradients,
                             SmallVectorImpl<Value> &out) {
  Location loc = getLoc();
  auto type = tensorType(getOperand());
  Value g = gradients[0];
  // Rows of a table are hit many times. A narrow type would lose the small
  // addends, so this adds in f32.
  Type element = type.getElementType(),
       wide = element.getIntOrFloatBitWidth() < 32 ? builder.getF32Type()
                                                   : element;
  if (wide != element)
    g = convert(builder, loc, g, wide);
  auto wideType = RankedTensorType::get(type.getShape(), wide);
  Value sum = ScatterOp::create(
      builder, loc, wideType, splat(builder, loc, wideType, 0), getIndices(), g,
      getOffsetDims(), getCollapsedSliceDims(), getOperandBatchingDims(),
      getIndicesBatchingDims(), getStartIndexMap(), getIndexVectorDim(),
      ReduceKind::add,
      /*clamp_starts=*/true);
  out[0] = wide == element ? sum : convert(builder, loc, sum, element);
}

namespace {
// Builds the parts of a scatter's derivative.
struct ScatterParts {
  ScatterOp op;
  OpBuilder &b;
  Location loc;

  // Returns the extents of an update's window in the operand.
  SmallVector<int64_t> windowSizes() {
    SmallVector<int64_t> sizes;
    unsigned next = 0;
    for (int64_t i = 0, e = tensorType(op.getOperand()).getRank(); i < e; ++i) {
      bool absent = llvm::is_contained(op.getInsertedWindowDims(), i) ||
                    llvm::is_contained(op.getOperandBatchingDims(), i);
      sizes.push_back(
          absent ? 1
                 : shapeOf(op.getUpdates())[op.getUpdateWindowDims()[next++]]);
    }
    return sizes;
  }

  // Returns the elements of `operand`, which has the scatter's shape, at the
  // place of each update.
  Value gather(Value operand) {
    auto type = RankedTensorType::get(shapeOf(op.getUpdates()),
                                      tensorType(operand).getElementType());
    return GatherOp::create(
        b, loc, type, operand, op.getIndices(), op.getUpdateWindowDims(),
        op.getInsertedWindowDims(), op.getOperandBatchingDims(),
        op.getIndicesBatchingDims(), op.getOperandDimsMap(),
        op.getIndexVectorDim(), windowSizes());
  }

  Value scatter(Value operand, Value updates, ReduceKind kind) {
    return ScatterOp::create(
        b, loc, operand.getType(), operand, op.getIndices(), updates,
        op.getUpdateWindowDims(), op.getInsertedWindowDims(),
        op.getOperandBatchingDims(), op.getIndicesBatchingDims(),
        op.getOperandDimsMap(), op.getIndexVectorDim(), kind,
        op.getClampStarts());
  }

  // Returns an i1 tensor of the updates' shape: true if the update is applied.
  // Null if all are.
  Value applied() {
    if (op.getClampStarts())
      return {};
    Value indices = op.getIndices();
    auto element = cast<IntegerType>(tensorType(indices).getElementType());
    // This type holds every extent, whatever the indices' type.
    IntegerType wide =
        element.getWidth() >= 32 ? b.getI64Type() : b.getI32Type();
    if (element != wide)
      indices = convert(b, loc, indices, wide);
    SmallVector<int64_t> sizes = windowSizes();
    SmallVector<Attribute> last;
    for (int64_t dim : op.getOperandDimsMap())
      last.push_back(
          IntegerAttr::get(wide, shapeOf(op.getOperand())[dim] - sizes[dim]));
    int64_t at = op.getIndexVectorDim(), rank = tensorType(indices).getRank(),
            parts = last.size();
    auto listType = RankedTensorType::get(
        at < rank ? SmallVector<int64_t>{parts} : SmallVector<int64_t>{}, wide);
    Value list =
        ConstantOp::create(b, loc, DenseElementsAttr::get(listType, last));
    Value bound =
        broadcast(b, loc, list, shapeOf(indices),
                  at < rank ? ArrayRef<int64_t>(at) : ArrayRef<int64_t>());
    Value inside = AndOp::create(
        b, loc,
        compare(b, loc, indices, splat(b, loc, indices.getType(), 0),
                CompareDirection::GE),
        compare(b, loc, indices, bound, CompareDirection::LE));
    if (at < rank)
      inside = reduce(b, loc, inside, {at}, ReduceKind::logical_and);
    // Dims of the updates that are not in a window, in the order of the
    // indices.
    SmallVector<int64_t> places;
    for (int64_t i = 0, e = tensorType(op.getUpdates()).getRank(); i < e; ++i)
      if (!llvm::is_contained(op.getUpdateWindowDims(), i))
        places.push_back(i);
    return broadcast(b, loc, inside, shapeOf(op.getUpdates()), places);
  }

  Value masked(Value v, Value mask) {
    return mask ? Value(SelectOp::create(b, loc, v.getType(), mask, v,
                                         splat(b, loc, v.getType(), 0)))
                : v;
  }
};
} // namespace

void ScatterOp::buildGradient(OpBuilder &builder, ValueRange gradients,
                              SmallVectorImpl<Value> &out) {
  Arithmetic m{builder, getLoc()};
  ScatterParts parts{*this, builder, getLoc()};
  Value g = gradients[0], updates = getUpdates();
  switch (getKind()) {
  case ReduceKind::add:
    out[0] = g;
    out[2] = parts.masked(parts.gather(g), parts.applied());
    return;
  case ReduceKind::replace: {
    // The last update at a place has its number there.
    out[0] = parts.scatter(g, m.zero(updates), ReduceKind::replace);
    auto numbersType =
        RankedTensorType::get(shapeOf(updates), builder.getI32Type());
    auto flat = RankedTensorType::get({numbersType.getNumElements()},
                                      builder.getI32Type());
    Value iota = IotaOp::create(builder, getLoc(), flat, Value(), 0);
    Value numbers = reshape(builder, getLoc(), m.add(iota, m.constant(iota, 1)),
                            numbersType.getShape());
    auto none =
        RankedTensorType::get(shapeOf(getOperand()), builder.getI32Type());
    Value owners = parts.scatter(splat(builder, getLoc(), none, 0), numbers,
                                 ReduceKind::replace);
    Value stands = m.cmp(parts.gather(owners), CompareDirection::EQ, numbers);
    out[2] = parts.masked(parts.gather(g), stands);
    return;
  }
  case ReduceKind::multiply: {
    // The product of the others is the operand if no other update hits, else a
    // quotient.
    out[0] = m.mul(
        g, parts.scatter(m.constant(g, 1), updates, ReduceKind::multiply));
    Value hits = parts.gather(
        parts.scatter(m.zero(g), m.constant(updates, 1), ReduceKind::add));
    Value alone = m.cmp(hits, CompareDirection::LE, m.constant(hits, 1));
    Value shared = m.div(parts.gather(m.mul(g, getResult())), updates);
    out[2] = parts.masked(
        m.select(alone, parts.gather(m.mul(g, getOperand())), shared),
        parts.applied());
    return;
  }
  case ReduceKind::maximum:
  case ReduceKind::minimum: {
    Value operandBest = m.cmp(getOperand(), CompareDirection::EQ, getResult());
    Value updateBest =
        m.cmp(updates, CompareDirection::EQ, parts.gather(getResult()));
    Type element = tensorType(g).getElementType();
    Value ones = convert(builder, getLoc(), updateBest, element);
    Value count =
        parts.scatter(convert(builder, getLoc(), operandBest, element), ones,
                      ReduceKind::add);
    Value share = m.div(g, count);
    out[0] = parts.masked(share, operandBest);
    out[2] = parts.masked(parts.masked(parts.gather(share), updateBest),
                          parts.applied());
    return;
  }
  default:
    return;
  }
}

void DynamicSliceOp::buildGradient(OpBuilder &builder, ValueRange gradients,
                                   SmallVectorImpl<Value> &out) {
  Value zeros = splat(builder, getLoc(), getOperand().getType(), 0);
  out[0] =
      DynamicUpdateSliceOp::create(builder, getLoc(), getOperand().getType(),
                                   zeros, gradients[0], getStarts());
}

void DynamicUpdateSliceOp::buildGradient(OpBuilder &builder,
                                         ValueRange gradients,
                                         SmallVectorImpl<Value> &out) {
  Value zeros = splat(builder, getLoc(), getUpdate().getType(), 0);
  out[0] =
      DynamicUpdateSliceOp::create(builder, getLoc(), getOperand().getType(),
                                   gradients[0], zeros, getStarts());
  out[1] =
      DynamicSliceOp::create(builder, getLoc(), getUpdate().getType(),
                             gradients[0], getStarts(), shapeOf(getUpdate()));
}

} // namespace zcc::train
