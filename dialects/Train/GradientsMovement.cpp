// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Derivatives of ops that move elements: the transposed movement, with a sum
// for each element that was repeated.
#include "dialects/Train/Gradients.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace zcc::train {

// Sums over the dims along which the operand was repeated, then puts the others
// in the operand's order.
void BroadcastOp::buildGradient(OpBuilder &builder, ValueRange gradients,
                                SmallVectorImpl<Value> &out) {
  ArrayRef<int64_t> from = shapeOf(getOperand()), to = shapeOf(getResult());
  // The operand dim that each result dim comes from; -1: none.
  SmallVector<int64_t> source(to.size(), -1);
  for (auto [i, dim] : llvm::enumerate(getDims()))
    if (from[i] == to[dim])
      source[dim] = i;
  // `kept`: operand dims of extent over 1, in the order of the result.
  SmallVector<int64_t> summed, kept;
  for (size_t i = 0; i < to.size(); ++i) {
    if (to[i] == 1)
      continue;
    if (source[i] < 0)
      summed.push_back(i);
    else
      kept.push_back(source[i]);
  }
  Value g = gradients[0];
  if (!summed.empty())
    g = reduce(builder, getLoc(), g, summed, ReduceKind::add);
  if (!llvm::is_sorted(kept)) {
    SmallVector<int64_t> shape, permutation;
    for (int64_t dim : kept)
      shape.push_back(from[dim]);
    g = reshape(builder, getLoc(), g, shape);
    SmallVector<int64_t> order(kept);
    llvm::sort(order);
    for (int64_t dim : order)
      permutation.push_back(llvm::find(kept, dim) - kept.begin());
    g = transpose(builder, getLoc(), g, permutation);
  }
  out[0] = shapeOf(g) == from ? g : reshape(builder, getLoc(), g, from);
}

void ReshapeOp::buildGradient(OpBuilder &builder, ValueRange gradients,
                              SmallVectorImpl<Value> &out) {
  out[0] = reshape(builder, getLoc(), gradients[0], shapeOf(getOperand()));
}

void TransposeOp::buildGradient(OpBuilder &builder, ValueRange gradients,
                                SmallVectorImpl<Value> &out) {
  SmallVector<int64_t> inverse(getPermutation().size());
  for (auto [i, dim] : llvm::enumerate(getPermutation()))
    inverse[dim] = i;
  out[0] = transpose(builder, getLoc(), gradients[0], inverse);
}

void SliceOp::buildGradient(OpBuilder &builder, ValueRange gradients,
                            SmallVectorImpl<Value> &out) {
  ArrayRef<int64_t> from = shapeOf(getOperand()), to = shapeOf(getResult());
  SmallVector<int64_t> high, interior;
  for (size_t i = 0; i < from.size(); ++i) {
    int64_t covered = to[i] == 0 ? 0 : (to[i] - 1) * getStride()[i] + 1;
    high.push_back(from[i] - getStart()[i] - covered);
    interior.push_back(getStride()[i] - 1);
  }
  auto scalar =
      RankedTensorType::get({}, tensorType(getResult()).getElementType());
  Value zero = splat(builder, getLoc(), scalar, 0);
  out[0] = PadOp::create(builder, getLoc(), getOperand().getType(),
                         gradients[0], zero, getStart(), high, interior);
}

void PadOp::buildGradient(OpBuilder &builder, ValueRange gradients,
                          SmallVectorImpl<Value> &out) {
  Location loc = getLoc();
  ArrayRef<int64_t> from = shapeOf(getOperand());
  Value g = gradients[0];
  Type scalar = getValue().getType();
  // Negative padding dropped elements: they come back as zeros before the rest
  // is cut off.
  SmallVector<int64_t> restoreLow, restoreHigh, start, limit, stride,
      zeros(from.size(), 0), grown;
  bool restore = false, empty = false;
  for (size_t i = 0; i < from.size(); ++i) {
    restoreLow.push_back(std::max<int64_t>(0, -getLow()[i]));
    restoreHigh.push_back(std::max<int64_t>(0, -getHigh()[i]));
    restore |= restoreLow[i] || restoreHigh[i];
    empty |= from[i] == 0;
    grown.push_back(shapeOf(g)[i] + restoreLow[i] + restoreHigh[i]);
    stride.push_back(getInterior()[i] + 1);
    start.push_back(std::max<int64_t>(0, getLow()[i]));
    limit.push_back(start[i] +
                    (from[i] == 0 ? 0 : (from[i] - 1) * stride[i] + 1));
  }
  if (empty) {
    out[0] = splat(builder, loc, getOperand().getType(), 0);
  } else {
    Value whole = g;
    if (restore)
      whole = PadOp::create(
          builder, loc,
          RankedTensorType::get(grown, tensorType(g).getElementType()), g,
          splat(builder, loc, scalar, 0), restoreLow, restoreHigh, zeros);
    out[0] = slice(builder, loc, whole, start, limit, stride);
  }
  if (getSplat(getValue()))
    return;
  // The gradient of the padding's value is the sum of the cotangents in the
  // padding. To find them, this pads ones with zeros.
  Arithmetic m{builder, loc};
  Value inside = PadOp::create(
      builder, loc, getType(), splat(builder, loc, getOperand().getType(), 1),
      splat(builder, loc, scalar, 0), getLow(), getHigh(), getInterior());
  Value outside =
      m.select(m.cmp(inside, CompareDirection::EQ, m.zero(g)), g, m.zero(g));
  out[1] = reduce(builder, loc, outside,
                  llvm::to_vector(llvm::seq<int64_t>(0, from.size())),
                  ReduceKind::add);
}

void ConcatenateOp::buildGradient(OpBuilder &builder, ValueRange gradients,
                                  SmallVectorImpl<Value> &out) {
  ArrayRef<int64_t> shape = shapeOf(getResult());
  SmallVector<int64_t> start(shape.size(), 0), limit(shape),
      stride(shape.size(), 1);
  int64_t place = 0;
  for (auto [i, input] : llvm::enumerate(getInputs())) {
    start[getDim()] = place;
    place += shapeOf(input)[getDim()];
    limit[getDim()] = place;
    out[i] = slice(builder, getLoc(), gradients[0], start, limit, stride);
  }
}

void ReverseOp::buildGradient(OpBuilder &builder, ValueRange gradients,
                              SmallVectorImpl<Value> &out) {
  out[0] = ReverseOp::create(builder, getLoc(), gradients[0], getDims());
}

} // namespace zcc::train
