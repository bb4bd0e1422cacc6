// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits scatter. An item is a part of the result: a range of rows (indices of
// the first dim with more than one element, or of all batching dims from there
// on), and of columns (the trailing run of the operand that a window covers
// contiguously). It copies the part from the operand, or fills it if that is
// one value. Then it goes through the updates in row-major order and combines
// those that fall into the part. Rows of batching dims have updates of their
// own; otherwise the number of row ranges is limited, because each of them has
// to look at all indices. On a GPU a block takes a part whose columns cannot be
// distributed: all its threads fill, one combines. Scatters of whole rows have
// another kernel there (compiler/cuda/RowScatterKernel.cpp).
#include "compiler/codegen/SingleOpKernel.h"

using namespace mlir;

namespace zcc {
namespace {

constexpr int64_t maxRanges = 64;

class Scatter {
public:
  Scatter(SingleOpKernel &s, train::ScatterOp op)
      : s(s), k(s.kernel), ir(s.ir), op(op), operand(s.sources[0]),
        indices(s.sources[1]), updates(s.sources[2]),
        shape(operand.type.getShape()), updateShape(updates.type.getShape()),
        strides(rowMajorStrides(shape)),
        updateStrides(rowMajorStrides(updateShape)) {
    classifyDims();
    findRun();
    divide();
  }

  void emit() {
    // The cost counts elements to set, elements to combine and indices to look
    // at.
    double elements = operand.type.getNumElements();
    double combined = updates.type.getNumElements();
    double cost = (0.2 * elements + (runLength == 1 ? 1.5 : 0.4) * combined) /
                      (ranges * chunks) +
                  1.0 * scatterCount / (isBatched() ? ranges : 1);
    s.items(ranges * chunks, cost, /*team=*/chunks == 1,
            [&](llvm::Value *item) {
              llvm::Value *range = s.quotient(item, chunks);
              llvm::Value *chunk = s.remainder(item, chunks);
              firstRow = s.times(range, rangeRows);
              endRow = clip(s.plus(firstRow, rangeRows), rows);
              firstColumn = s.times(chunk, chunkColumns);
              endColumn = clip(s.plus(firstColumn, chunkColumns), runLength);
              initialize();
              if (chunks == 1)
                k.together(ir.getInt64(0), ir.getInt64(1), 1,
                           [&](llvm::Value *) { combineAll(); });
              else
                combineAll();
            });
  }

private:
  llvm::Value *clip(llvm::Value *v, int64_t limit) {
    return ir.CreateBinaryIntrinsic(llvm::Intrinsic::smin, v,
                                    ir.getInt64(limit));
  }

  // Finds the dim of the updates, and the entry of an index vector, that moves
  // along each operand dim.
  void classifyDims() {
    size_t rank = shape.size();
    updateDim.assign(rank, -1);
    batchDim.assign(rank, -1);
    component.assign(rank, -1);
    for (auto [i, d] : llvm::enumerate(op.getOperandDimsMap()))
      component[d] = i;
    for (size_t d = 0; d < updateShape.size(); ++d)
      if (!llvm::is_contained(op.getUpdateWindowDims(), d))
        scatterDims.push_back(d);
    int64_t vectorDim = op.getIndexVectorDim();
    for (auto [o, i] :
         llvm::zip(op.getOperandBatchingDims(), op.getIndicesBatchingDims()))
      batchDim[o] = scatterDims[i < vectorDim ? i : i - 1];
    size_t w = 0;
    for (size_t d = 0; d < rank; ++d)
      if (!llvm::is_contained(op.getInsertedWindowDims(), d) &&
          !llvm::is_contained(op.getOperandBatchingDims(), d))
        updateDim[d] = op.getUpdateWindowDims()[w++];
    for (int64_t d : scatterDims)
      scatterCount *= updateShape[d];
  }

  int64_t windowSize(size_t d) const {
    return updateDim[d] < 0 ? 1 : updateShape[updateDim[d]];
  }

  // Finds the trailing dims that are contiguous in operand and updates: the
  // last one, and those before it as long as the ones behind are covered whole.
  void findRun() {
    int64_t d = static_cast<int64_t>(shape.size()) - 1;
    int64_t u = static_cast<int64_t>(updateShape.size()) - 1;
    while (d >= 0 && u >= 0 && updateDim[d] == u) {
      runLength *= updateShape[u];
      ++runRank;
      // If a dim is covered in part, or at a computed index, then the element
      // before it in the operand is not the one before it in the updates.
      bool whole = updateShape[u--] == shape[d] && component[d] < 0;
      --d;
      if (!whole)
        break;
    }
    outerUpdates = updateShape.size() - runRank;
    runStartDim = shape.size() - runRank;
  }

  void divide() {
    // The run may begin anywhere along its first dim. Only if that dim is
    // covered whole are columns of the run columns of the operand.
    wholeRun = runRank == 0 || (windowSize(runStartDim) == shape[runStartDim] &&
                                component[runStartDim] < 0);
    size_t outer = shape.size() - runRank;
    while (rowDim < outer && shape[rowDim] == 1)
      ++rowDim;
    hasRows = rowDim < outer;
    rowEnd = hasRows ? rowDim + 1 : rowDim;
    if (isBatched())
      while (rowEnd < outer && batchDim[rowEnd] >= 0)
        ++rowEnd;
    for (size_t d = rowDim; d < rowEnd; ++d)
      rows *= shape[d];
    int64_t elements = operand.type.getNumElements();
    int64_t work = elements + updates.type.getNumElements();
    // Ranges of a dim that the updates share restrict a loop; for others every
    // item looks at all indices again.
    bool direct = hasRows && directDim() >= 0;
    int64_t most =
        std::min(maxRanges, work / (4 * std::max<int64_t>(1, scatterCount)));
    if (direct)
      most = llvm::divideCeil(rows,
                              k.neighbours(llvm::divideCeil(rows, maxRanges)));
    ranges = std::max<int64_t>(1, std::min(most, rows));
    rangeRows = llvm::divideCeil(rows, ranges);
    ranges = llvm::divideCeil(rows, rangeRows);
    // On a GPU each thread takes a column.
    int64_t columnChunk = k.neighbours(64);
    bool split = wholeRun && (ranges < maxRanges / 4 || columnChunk == 1) &&
                 runLength >= 2 * columnChunk;
    chunkColumns = split ? columnChunk : std::max<int64_t>(1, runLength);
    chunks = std::max<int64_t>(1, llvm::divideCeil(runLength, chunkColumns));
  }

  // Returns true if each row has updates of its own.
  bool isBatched() const { return hasRows && batchDim[rowDim] >= 0; }

  // Returns the dim of the updates that goes along the rows without an index,
  // or -1.
  int64_t directDim() const {
    if (batchDim[rowDim] >= 0)
      return batchDim[rowDim];
    return component[rowDim] < 0 ? updateDim[rowDim] : -1;
  }

  // Copies or fills this item's part of the result.
  void initialize() {
    int64_t rowElements =
        hasRows ? strides[rowEnd - 1] : operand.type.getNumElements();
    if (chunks == 1) {
      llvm::Value *first = s.times(firstRow, rowElements);
      copy(first, s.times(endRow, rowElements), /*shared=*/true);
      return;
    }
    // Here the run is covered whole, so the operand consists of lines of
    // runLength.
    int64_t lines = rowElements / runLength;
    k.loop(s.times(firstRow, lines), s.times(endRow, lines), 1,
           [&](llvm::Value *line) {
             llvm::Value *base = s.times(line, runLength);
             copy(s.plus(base, firstColumn), s.plus(base, endColumn),
                  /*shared=*/false);
           });
  }

  void copy(llvm::Value *first, llvm::Value *end, bool shared) {
    overVectors(first, end, shared, [&](llvm::Value *at, llvm::Value *mask) {
      s.store(s.load(operand, at, true, mask), 0, at, true, mask);
    });
  }

  // Emits `body` for whole vectors, which are distributed over threads if
  // `shared`, then for one that is masked.
  void
  overVectors(llvm::Value *first, llvm::Value *end, bool shared,
              llvm::function_ref<void(llvm::Value *, llvm::Value *)> body) {
    int64_t lanes = k.lanes();
    llvm::Value *count = ir.CreateNSWSub(end, first);
    llvm::Value *whole = ir.CreateAnd(count, ir.getInt64(-lanes));
    llvm::Value *middle = s.plus(first, whole);
    auto vector = [&](llvm::Value *at) { body(at, nullptr); };
    if (shared)
      k.together(first, middle, lanes, vector);
    else
      k.loop(first, middle, lanes, vector);
    k.ifThenElse(ir.CreateICmpSLT(middle, end),
                 [&] { body(middle, k.tailMask(middle, end)); });
  }

  // Combines all updates of this item's rows.
  void combineAll() {
    SmallVector<llvm::Value *> index(updateShape.size());
    if (!isBatched())
      return walk(0, index);
    k.loop(firstRow, endRow, 1, [&](llvm::Value *row) {
      for (size_t d = rowEnd; d-- > rowDim;) {
        index[batchDim[d]] = d == rowDim ? row : s.remainder(row, shape[d]);
        row = d == rowDim ? row : s.quotient(row, shape[d]);
      }
      walk(0, index);
    });
  }

  // Loops over the updates' dims in order. The position in the operand is
  // computed as soon as all scatter dims are bound.
  void walk(size_t u, SmallVectorImpl<llvm::Value *> &index) {
    if (scatterDims.empty() ? u == 0
                            : u == static_cast<size_t>(scatterDims.back()) + 1)
      return findStart(u, index);
    walkDim(u, index, [&] { walk(u + 1, index); });
  }

  void walkDim(size_t u, SmallVectorImpl<llvm::Value *> &index,
               llvm::function_ref<void()> body) {
    if (index[u]) // bound by the row
      return body();
    llvm::Value *first = ir.getInt64(0), *end = ir.getInt64(updateShape[u]);
    if (hasRows && directDim() == static_cast<int64_t>(u)) {
      // A window may be smaller than the dim.
      first = clip(firstRow, updateShape[u]);
      end = clip(endRow, updateShape[u]);
    } else if (updateShape[u] == 1) {
      index[u] = first;
      return body();
    }
    k.loop(first, end, 1, [&](llvm::Value *i) {
      index[u] = i;
      body();
    });
  }

  // Finds the window's first element, and goes on if the window is inside the
  // operand.
  void findStart(size_t u, SmallVectorImpl<llvm::Value *> &index) {
    SmallVector<llvm::Value *> start(shape.size(), ir.getInt64(0));
    llvm::Value *inside = ir.getTrue();
    for (size_t d = 0; d < shape.size(); ++d) {
      if (batchDim[d] >= 0) {
        start[d] = index[batchDim[d]];
        continue;
      }
      if (component[d] < 0)
        continue;
      llvm::Value *x = loadIndex(component[d], index);
      llvm::Value *last = ir.getInt64(shape[d] - windowSize(d));
      if (op.getClampStarts()) {
        x = ir.CreateBinaryIntrinsic(llvm::Intrinsic::smin, x, last);
        x = ir.CreateBinaryIntrinsic(llvm::Intrinsic::smax, x, ir.getInt64(0));
      } else {
        inside = ir.CreateAnd(inside, ir.CreateICmpULE(x, last));
      }
      start[d] = x;
    }
    // A window that does not touch the rows of this item is skipped.
    if (hasRows && ranges > 1 && directDim() < 0) {
      llvm::Value *row = start[rowDim];
      llvm::Value *below = ir.CreateICmpSLT(row, endRow);
      llvm::Value *above =
          ir.CreateICmpSGE(s.plus(row, windowSize(rowDim) - 1), firstRow);
      inside = ir.CreateAnd(inside, ir.CreateAnd(below, above));
      // Windows are taken to be spread evenly over the items.
      return k.ifSeldom(
          inside, [&] { walkWindow(u, index, start); },
          static_cast<uint32_t>(ranges));
    }
    k.ifThenElse(inside, [&] { walkWindow(u, index, start); });
  }

  llvm::Value *loadIndex(int64_t entry, ArrayRef<llvm::Value *> index) {
    SmallVector<int64_t> indexStrides =
        rowMajorStrides(indices.type.getShape());
    llvm::Value *offset = ir.getInt64(0);
    size_t scatter = 0;
    for (auto [d, stride] : llvm::enumerate(indexStrides)) {
      if (d == op.getIndexVectorDim())
        offset = s.plus(offset, entry * stride);
      else
        offset = s.plus(offset, s.times(index[scatterDims[scatter++]], stride));
    }
    llvm::Value *x = s.load(indices, offset, false);
    Type type = indices.type.getElementType();
    bool isUnsigned = type.isUnsignedInteger() || type.isInteger(1);
    if (!isUnsigned)
      return ir.CreateSExt(x, ir.getInt64Ty());
    x = ir.CreateZExt(x, ir.getInt64Ty());
    return ir.CreateBinaryIntrinsic(llvm::Intrinsic::umin, x,
                                    ir.getInt64(INT64_MAX));
  }

  void walkWindow(size_t u, SmallVectorImpl<llvm::Value *> &index,
                  ArrayRef<llvm::Value *> start) {
    if (u < outerUpdates)
      return walkDim(u, index, [&] { walkWindow(u + 1, index, start); });
    llvm::Value *to = ir.getInt64(0), *from = ir.getInt64(0), *row = nullptr;
    for (size_t d = 0; d < shape.size(); ++d) {
      llvm::Value *at = start[d];
      if (d < runStartDim && updateDim[d] >= 0)
        at = s.plus(at, index[updateDim[d]]);
      if (hasRows && d == rowDim)
        row = at;
      to = s.plus(to, s.times(at, strides[d]));
    }
    for (size_t d = 0; d < outerUpdates; ++d)
      from = s.plus(from, s.times(index[d], updateStrides[d]));
    auto update = [&] { combineRun(to, from); };
    // Only some rows of a window may belong to this item.
    if (row && ranges > 1 && directDim() < 0 && windowSize(rowDim) > 1)
      k.ifThenElse(ir.CreateAnd(ir.CreateICmpSGE(row, firstRow),
                                ir.CreateICmpSLT(row, endRow)),
                   update);
    else
      update();
  }

  void combineRun(llvm::Value *to, llvm::Value *from) {
    if (runLength == 1)
      return combineAt(to, from, false, nullptr);
    overVectors(firstColumn, endColumn, /*shared=*/false,
                [&](llvm::Value *column, llvm::Value *mask) {
                  combineAt(s.plus(to, column), s.plus(from, column), true,
                            mask);
                });
  }

  void combineAt(llvm::Value *to, llvm::Value *from, bool vector,
                 llvm::Value *mask) {
    llvm::Value *x = s.load(updates, from, vector, mask);
    if (op.getKind() != train::ReduceKind::replace)
      x = s.combine(op.getKind(), operand.type.getElementType(),
                    s.reload(0, to, vector, mask), x);
    s.store(x, 0, to, vector, mask);
  }

  SingleOpKernel &s;
  KernelBuilder &k;
  llvm::IRBuilder<> &ir;
  train::ScatterOp op;
  SingleOpKernel::Source &operand, &indices, &updates;
  ArrayRef<int64_t> shape, updateShape;
  SmallVector<int64_t> strides, updateStrides;
  // For each operand dim, or -1: the update dim that is its window, the update
  // dim that it shares with the indices, the entry of the index vector.
  SmallVector<int64_t> updateDim, batchDim, component;
  SmallVector<int64_t> scatterDims; // dims of the updates, ascending
  int64_t scatterCount = 1;
  // The run: the last runRank dims of the operand and the updates.
  int64_t runLength = 1;
  size_t runRank = 0, outerUpdates = 0, runStartDim = 0;
  bool wholeRun = false, hasRows = false;
  size_t rowDim = 0, rowEnd = 0; // the dims of the rows
  int64_t rows = 1, ranges = 1, rangeRows = 1, chunks = 1, chunkColumns = 1;
  llvm::Value *firstRow, *endRow, *firstColumn, *endColumn;
};

} // namespace

void emitScatter(SingleOpKernel &s, train::ScatterOp op) {
  Scatter(s, op).emit();
}

} // namespace zcc
