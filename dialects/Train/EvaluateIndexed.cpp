// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Indexed access in the reference evaluator, in the words of StableHLO's
// specification of gather, scatter, dynamic_slice and dynamic_update_slice.

#include "dialects/Train/Evaluate.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace zcc::train::evaluation {
namespace {

// What gather and scatter share: how an index of the batched side (gather's
// result, scatter's updates) leads to one of the operand.
struct Places {
  const Array &operand, &indices;
  ArrayRef<int64_t> windowDims;  // offset_dims, update_window_dims
  ArrayRef<int64_t> droppedDims; // collapsed_slice_dims, inserted_window_dims
  ArrayRef<int64_t> operandBatch, indicesBatch;
  ArrayRef<int64_t> indexMap; // start_index_map, operand_dims_map
  int64_t indexVectorDim;
  SmallVector<int64_t> sizes; // of a window, one entry an operand dim

  // Fills in the window's first index in the operand and the index within it.
  void find(ArrayRef<int64_t> index, Index &start, Index &offset) const {
    Index batch;
    for (auto [d, i] : llvm::enumerate(index))
      if (!llvm::is_contained(windowDims, static_cast<int64_t>(d)))
        batch.push_back(i);

    start.assign(operand.rank(), 0);
    for (auto [k, dim] : llvm::enumerate(indexMap)) {
      Index at(batch);
      if (indexVectorDim < indices.rank())
        at.insert(at.begin() + indexVectorDim, k);
      start[dim] = indices.indexAt(linear(indices.shape(), at));
    }
    for (auto [o, i] : llvm::zip(operandBatch, indicesBatch))
      start[o] = batch[i < indexVectorDim ? i : i - 1];

    offset.assign(operand.rank(), 0);
    size_t w = 0;
    for (int64_t d = 0; d < operand.rank(); ++d)
      if (!isDropped(d))
        offset[d] = index[windowDims[w++]];
  }
  bool isDropped(int64_t d) const {
    return llvm::is_contained(droppedDims, d) ||
           llvm::is_contained(operandBatch, d);
  }
  void clamp(Index &start) const {
    for (int64_t d : indexMap)
      start[d] = std::max<int64_t>(
          0, std::min(start[d], operand.shape()[d] - sizes[d]));
  }
  bool isInside(const Index &start) const {
    for (int64_t d = 0; d < operand.rank(); ++d)
      if (start[d] < 0 || start[d] > operand.shape()[d] - sizes[d])
        return false;
    return true;
  }
};

int64_t placeOf(ArrayRef<int64_t> shape, const Index &start,
                ArrayRef<int64_t> offset) {
  Index at(start);
  for (size_t d = 0; d < at.size(); ++d)
    at[d] += offset[d];
  return linear(shape, at);
}

void evaluateGather(Context &c, GatherOp op) {
  Array &out = c.out();
  Places places{c.in(0),
                c.in(1),
                op.getOffsetDims(),
                op.getCollapsedSliceDims(),
                op.getOperandBatchingDims(),
                op.getIndicesBatchingDims(),
                op.getStartIndexMap(),
                static_cast<int64_t>(op.getIndexVectorDim()),
                SmallVector<int64_t>(op.getSliceSizes())};
  Index start, offset;
  int64_t to = 0;
  forEachIndex(out.shape(), [&](ArrayRef<int64_t> index) {
    places.find(index, start, offset);
    places.clamp(start);
    out.set(to++, c.in(0), placeOf(c.in(0).shape(), start, offset));
  });
}

void evaluateScatter(Context &c, ScatterOp op) {
  const Array &updates = c.in(2);
  Array &out = c.out();
  out = c.in(0);
  Places places{c.in(0),
                c.in(1),
                op.getUpdateWindowDims(),
                op.getInsertedWindowDims(),
                op.getOperandBatchingDims(),
                op.getIndicesBatchingDims(),
                op.getOperandDimsMap(),
                static_cast<int64_t>(op.getIndexVectorDim()),
                {}};
  size_t w = 0;
  for (int64_t d = 0; d < out.rank(); ++d)
    places.sizes.push_back(
        places.isDropped(d) ? 1
                            : updates.shape()[op.getUpdateWindowDims()[w++]]);

  Combiner combine(op.getKind(), out.element(), c.asDouble);
  Index start, offset;
  int64_t from = -1;
  forEachIndex(updates.shape(), [&](ArrayRef<int64_t> index) {
    ++from;
    places.find(index, start, offset);
    if (op.getClampStarts())
      places.clamp(start);
    if (!places.isInside(start))
      return;
    int64_t to = placeOf(out.shape(), start, offset);
    if (out.isFloat())
      out.floats[to] = finish(combine(out.floats[to], updates.floats[from]),
                              out.element(), c.asDouble);
    else
      out.ints[to] = combine.integers(out.ints[to], updates.ints[from]);
  });
}

// Starts from operand `first` on, clamped so that a window of `sizes` fits.
Index clampedStarts(const Context &c, unsigned first, ArrayRef<int64_t> shape,
                    ArrayRef<int64_t> sizes) {
  Index starts;
  for (size_t d = 0; d < shape.size(); ++d)
    starts.push_back(std::max<int64_t>(
        0, std::min(c.in(first + d).indexAt(0), shape[d] - sizes[d])));
  return starts;
}

} // namespace

bool evaluateIndexed(Context &c) {
  return llvm::TypeSwitch<Operation *, bool>(c.op)
      .Case([&](GatherOp op) {
        evaluateGather(c, op);
        return true;
      })
      .Case([&](ScatterOp op) {
        evaluateScatter(c, op);
        return true;
      })
      .Case([&](DynamicSliceOp op) {
        const Array &in = c.in(0);
        Index starts = clampedStarts(c, 1, in.shape(), op.getSizes());
        int64_t to = 0;
        forEachIndex(c.out().shape(), [&](ArrayRef<int64_t> index) {
          c.out().set(to++, in, placeOf(in.shape(), starts, index));
        });
        return true;
      })
      .Case([&](DynamicUpdateSliceOp op) {
        const Array &update = c.in(1);
        Array &out = c.out();
        out = c.in(0);
        Index starts = clampedStarts(c, 2, out.shape(), update.shape());
        int64_t from = 0;
        forEachIndex(update.shape(), [&](ArrayRef<int64_t> index) {
          out.set(placeOf(out.shape(), starts, index), update, from++);
        });
        return true;
      })
      .Default([](Operation *) { return false; });
}

} // namespace zcc::train::evaluation
