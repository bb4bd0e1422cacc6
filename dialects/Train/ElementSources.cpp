// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds where each element of a movement op's result comes from.
#include "dialects/Train/ElementIndex.h"

using namespace mlir;

namespace zcc::train {

bool IndexContext::isMovement(Operation *op) {
  return isa<train::BroadcastOp, train::ReshapeOp, train::TransposeOp,
             train::SliceOp, train::ReverseOp, train::PadOp,
             train::ConcatenateOp, train::GatherOp, train::DynamicSliceOp,
             train::DynamicUpdateSliceOp>(op);
}

// Drops conditions that always hold, and sources with one that never holds.
// Sources after an unconditional one do not matter.
static SmallVector<IndexSource, 2>
simplify(SmallVector<IndexSource, 2> sources) {
  SmallVector<IndexSource, 2> kept;
  for (IndexSource &source : sources) {
    SmallVector<IndexCondition, 2> conditions;
    bool never = false;
    for (IndexCondition &c : source.conditions) {
      auto [low, high] = c.expr.range();
      never |= high < c.lower || low >= c.upper;
      if (low < c.lower || high >= c.upper)
        conditions.push_back(c);
    }
    if (never)
      continue;
    source.conditions = std::move(conditions);
    kept.push_back(std::move(source));
    if (kept.back().conditions.empty())
      break;
  }
  return kept;
}

static IndexSource mapGather(IndexContext &context, train::GatherOp op,
                             const ElementIndex &index) {
  ArrayRef<int64_t> operandShape = train::shapeOf(op.getOperand());
  ArrayRef<int64_t> offsetDims = op.getOffsetDims();
  // Dims of the result that are not offset dims index the starts.
  ElementIndex batch, offsets;
  for (auto [d, i] : llvm::enumerate(index))
    (llvm::is_contained(offsetDims, int64_t(d)) ? offsets : batch).push_back(i);
  ElementIndex startIndex(batch);
  auto indexDim = static_cast<int64_t>(op.getIndexVectorDim());
  bool vectorDim = indexDim < int64_t(train::shapeOf(op.getIndices()).size());
  if (vectorDim)
    startIndex.insert(startIndex.begin() + indexDim, IndexExpr(0));
  auto batchDim = [&](int64_t indicesDim) {
    return vectorDim && indicesDim > indexDim ? indicesDim - 1 : indicesDim;
  };
  ElementIndex operandIndex(operandShape.size());
  unsigned nextOffset = 0;
  for (int64_t d = 0, e = operandShape.size(); d < e; ++d) {
    if (llvm::is_contained(op.getCollapsedSliceDims(), d))
      continue;
    const auto *b = llvm::find(op.getOperandBatchingDims(), d);
    if (b != op.getOperandBatchingDims().end()) {
      int64_t which = b - op.getOperandBatchingDims().begin();
      operandIndex[d] = batch[batchDim(op.getIndicesBatchingDims()[which])];
      continue;
    }
    operandIndex[d] = offsets[nextOffset++];
  }
  for (auto [k, d] : llvm::enumerate(op.getStartIndexMap())) {
    if (vectorDim)
      startIndex[op.getIndexVectorDim()] = IndexExpr(int64_t(k));
    operandIndex[d] =
        operandIndex[d] +
        context.element(op.getIndices(), startIndex,
                        operandShape[d] - op.getSliceSizes()[d] + 1);
  }
  return {{}, op.getOperand(), operandIndex};
}

SmallVector<IndexSource, 2> IndexContext::sources(Operation *op,
                                                  const ElementIndex &index) {
  if (auto broadcast = dyn_cast<train::BroadcastOp>(op)) {
    ElementIndex from;
    for (auto [extent, d] :
         llvm::zip(train::shapeOf(broadcast.getOperand()), broadcast.getDims()))
      from.push_back(extent == 1 ? IndexExpr(0) : index[d]);
    return {{{}, broadcast.getOperand(), from}};
  }
  if (auto reshape = dyn_cast<train::ReshapeOp>(op)) {
    IndexExpr linear = linearize(index, train::shapeOf(reshape.getResult()));
    return {{{},
             reshape.getOperand(),
             delinearize(linear, train::shapeOf(reshape.getOperand()))}};
  }
  if (auto transpose = dyn_cast<train::TransposeOp>(op)) {
    ElementIndex from(index.size());
    for (auto [d, p] : llvm::enumerate(transpose.getPermutation()))
      from[p] = index[d];
    return {{{}, transpose.getOperand(), from}};
  }
  if (auto slice = dyn_cast<train::SliceOp>(op)) {
    ElementIndex from;
    for (auto [i, start, stride] :
         llvm::zip(index, slice.getStart(), slice.getStride()))
      from.push_back(i * stride + start);
    return {{{}, slice.getOperand(), from}};
  }
  if (auto reverse = dyn_cast<train::ReverseOp>(op)) {
    ElementIndex from(index);
    for (int64_t d : reverse.getDims())
      from[d] =
          IndexExpr(train::shapeOf(reverse.getOperand())[d] - 1) - index[d];
    return {{{}, reverse.getOperand(), from}};
  }
  if (auto pad = dyn_cast<train::PadOp>(op)) {
    IndexSource inside{{}, pad.getOperand(), {}};
    for (auto [d, extent] : llvm::enumerate(train::shapeOf(pad.getOperand()))) {
      IndexExpr position = index[d] - IndexExpr(pad.getLow()[d]);
      int64_t step = pad.getInterior()[d] + 1;
      inside.conditions.push_back({position, 0, (extent - 1) * step + 1});
      if (extent == 0)
        inside.conditions.back().upper = 0;
      if (step > 1)
        inside.conditions.push_back({remainder(position, step), 0, 1});
      inside.index.push_back(quotient(position, step));
    }
    return simplify({inside, {{}, pad.getValue(), {}}});
  }
  if (auto concatenate = dyn_cast<train::ConcatenateOp>(op)) {
    SmallVector<IndexSource, 2> from;
    int64_t dim = concatenate.getDim(), start = 0;
    for (Value input : concatenate.getInputs()) {
      int64_t extent = train::shapeOf(input)[dim];
      if (extent == 0)
        continue;
      ElementIndex inner(index);
      inner[dim] = index[dim] - IndexExpr(start);
      from.push_back({{{index[dim], start, start + extent}}, input, inner});
      start += extent;
    }
    if (!from.empty())
      from.back().conditions.clear();
    return simplify(from);
  }
  if (auto gather = dyn_cast<train::GatherOp>(op))
    return {mapGather(*this, gather, index)};
  if (auto slice = dyn_cast<train::DynamicSliceOp>(op)) {
    ElementIndex from;
    for (auto [d, start] : llvm::enumerate(slice.getStarts()))
      from.push_back(index[d] + element(start, {},
                                        train::shapeOf(slice.getOperand())[d] -
                                            slice.getSizes()[d] + 1));
    return {{{}, slice.getOperand(), from}};
  }
  if (auto update = dyn_cast<train::DynamicUpdateSliceOp>(op)) {
    IndexSource inside{{}, update.getUpdate(), {}};
    for (auto [d, start] : llvm::enumerate(update.getStarts())) {
      int64_t size = train::shapeOf(update.getUpdate())[d];
      IndexExpr position =
          index[d] -
          element(start, {}, train::shapeOf(update.getOperand())[d] - size + 1);
      inside.conditions.push_back({position, 0, size});
      inside.index.push_back(position);
    }
    return simplify({inside, {{}, update.getOperand(), index}});
  }
  return {};
}

} // namespace zcc::train
