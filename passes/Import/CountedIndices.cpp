// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// x[arange(n), labels] reads one element of each row. So the rows are a batch
// of both the table and the labels, and no index. If they were an index (as in
// JAX's gather and scatter, and in PyTorch's with whole index tensors), the
// table would have to be whole wherever a row is looked up. If every entry
// counts, nothing is looked up: table[arange(n)] is a slice.
#include "dialects/Train/ElementIndex.h"
#include "dialects/Train/Train.h"
#include "passes/Import/Entry.h"
#include "passes/Import/Import.h"

using namespace mlir;
using zcc::train::shapeOf;
using zcc::train::tensorType;

namespace zcc {
#define GEN_PASS_DEF_COUNTEDINDICES
#include "passes/Import/Passes.h.inc"

namespace {
/// An entry of the index vectors that counts start, start + 1, ... along a dim
/// of the indices.
struct Counted {
  int64_t entry, operandDim, indicesDim, start;
};

/// Returns the entries that count, at most one for each dim of the indices.
/// `window(d)` returns the extent that is read or written along the operand's
/// dim d at each place.
SmallVector<Counted> findCounted(Value operand, Value indices,
                                 ArrayRef<int64_t> map, int64_t vectorDim,
                                 ArrayRef<int64_t> indicesBatching,
                                 llvm::function_ref<int64_t(int64_t)> window) {
  SmallVector<Counted> found;
  ArrayRef<int64_t> shape = shapeOf(indices);
  train::IndexContext context;
  train::ElementIndex at;
  for (int64_t extent : shape)
    at.push_back(extent == 1 ? train::IndexExpr(0)
                             : train::IndexExpr(context.loopVar(extent)));
  const train::ElementIndex loops = at;
  for (auto [entry, dim] : llvm::enumerate(map)) {
    int64_t extent = shapeOf(operand)[dim];
    if (window(dim) != 1 || extent < 2)
      continue;
    if (vectorDim < int64_t(shape.size()))
      at[vectorDim] = int64_t(entry);
    train::IndexExpr place = context.element(indices, at, extent);
    for (int64_t d = 0, e = shape.size(); d < e; ++d)
      if (shape[d] > 1 && d != vectorDim &&
          place - loops[d] == train::IndexExpr(place.constant) &&
          !llvm::is_contained(indicesBatching, d) &&
          llvm::none_of(found,
                        [&](const Counted &c) { return c.indicesDim == d; }))
        found.push_back({int64_t(entry), dim, d, place.constant});
  }
  return found;
}

/// Returns the indices without the entries that count; some must be left.
Value withoutEntries(OpBuilder &b, Location loc, Value indices,
                     int64_t vectorDim, ArrayRef<Counted> counted) {
  SmallVector<Value> rest;
  SmallVector<int64_t> start(shapeOf(indices).size(), 0),
      limit(shapeOf(indices)), stride(start.size(), 1);
  auto counts = [&](int64_t k) {
    return llvm::any_of(counted,
                        [&](const Counted &c) { return c.entry == k; });
  };
  auto joined = indices.getDefiningOp<train::ConcatenateOp>();
  // Parts of a concatenation without such entries stay as they are.
  SmallVector<Value> parts{indices};
  if (joined && int64_t(joined.getDim()) == vectorDim)
    parts.assign(joined.getInputs().begin(), joined.getInputs().end());
  int64_t entry = 0;
  for (Value part : parts) {
    int64_t length = shapeOf(part)[vectorDim];
    auto entries = llvm::seq<int64_t>(entry, entry + length);
    if (llvm::none_of(entries, counts)) {
      rest.push_back(part);
    } else {
      for (int64_t k : entries) {
        if (counts(k))
          continue;
        start[vectorDim] = k - entry;
        limit[vectorDim] = k - entry + 1;
        rest.push_back(train::slice(b, loc, part, start, limit, stride));
      }
    }
    entry += length;
  }
  if (rest.size() == 1)
    return rest.front();
  SmallVector<int64_t> shape(shapeOf(indices));
  shape[vectorDim] = shapeOf(indices)[vectorDim] - counted.size();
  return train::ConcatenateOp::create(b, loc, tensorType(indices).clone(shape),
                                      rest, vectorDim);
}

/// The dims of a gather or scatter without the entries that count.
struct Dims {
  SmallVector<int64_t> dropped, operandBatching, indicesBatching, map;

  Dims(ArrayRef<int64_t> droppedBefore, ArrayRef<int64_t> operandBefore,
       ArrayRef<int64_t> indicesBefore, ArrayRef<int64_t> mapBefore,
       ArrayRef<Counted> counted) {
    SmallVector<std::pair<int64_t, int64_t>> pairs;
    for (auto [o, i] : llvm::zip_equal(operandBefore, indicesBefore))
      pairs.push_back({o, i});
    for (const Counted &c : counted)
      pairs.push_back({c.operandDim, c.indicesDim});
    llvm::sort(pairs);
    for (auto [o, i] : pairs) {
      operandBatching.push_back(o);
      indicesBatching.push_back(i);
    }
    auto counts = [&](int64_t dim) {
      return llvm::any_of(
          counted, [&](const Counted &c) { return c.operandDim == dim; });
    };
    llvm::copy_if(droppedBefore, std::back_inserter(dropped),
                  [&](int64_t d) { return !counts(d); });
    llvm::copy_if(mapBefore, std::back_inserter(map),
                  [&](int64_t d) { return !counts(d); });
  }
};

/// Returns the part of the operand that the entries count through.
Value countedPart(OpBuilder &b, train::GatherOp op, ArrayRef<Counted> counted) {
  ArrayRef<int64_t> shape = shapeOf(op.getOperand());
  SmallVector<int64_t> start(shape.size(), 0), limit(shape),
      stride(shape.size(), 1);
  for (const Counted &c : counted) {
    start[c.operandDim] = c.start;
    limit[c.operandDim] = c.start + shapeOf(op.getIndices())[c.indicesDim];
  }
  if (limit == shape && llvm::all_of(start, [](int64_t x) { return x == 0; }))
    return op.getOperand();
  return train::slice(b, op.getLoc(), op.getOperand(), start, limit, stride);
}

/// Returns the result if every entry counts and slices are whole: the operand
/// with its dims in another order, and copies along the dims of the indices
/// that count nothing. Returns null if a slice is not whole.
Value withoutGather(OpBuilder &b, train::GatherOp op, Value operand,
                    const Dims &dims) {
  SmallVector<int64_t> batch, to(shapeOf(operand).size());
  for (int64_t d = 0, e = shapeOf(op).size(); d < e; ++d)
    if (!llvm::is_contained(op.getOffsetDims(), d))
      batch.push_back(d);
  for (auto [o, i] :
       llvm::zip_equal(dims.operandBatching, dims.indicesBatching))
    to[o] = batch[i - (i > int64_t(op.getIndexVectorDim()))];
  const auto *offset = op.getOffsetDims().begin();
  for (int64_t d = 0, e = to.size(); d < e; ++d) {
    if (llvm::is_contained(dims.operandBatching, d))
      continue;
    if (llvm::is_contained(dims.dropped, d) ||
        op.getSliceSizes()[d] != shapeOf(operand)[d])
      return {};
    to[d] = *offset++;
  }
  SmallVector<int64_t> order =
      llvm::to_vector(llvm::seq<int64_t>(0, to.size()));
  llvm::sort(order, [&](int64_t x, int64_t y) { return to[x] < to[y]; });
  if (!llvm::is_sorted(order))
    operand = train::transpose(b, op.getLoc(), operand, order);
  llvm::sort(to);
  return train::broadcast(b, op.getLoc(), operand, shapeOf(op), to);
}

void rewrite(train::GatherOp op) {
  SmallVector<Counted> counted =
      findCounted(op.getOperand(), op.getIndices(), op.getStartIndexMap(),
                  op.getIndexVectorDim(), op.getIndicesBatchingDims(),
                  [&](int64_t d) { return op.getSliceSizes()[d]; });
  // A dim that is read one element wide and kept is no batch.
  llvm::erase_if(counted, [&](const Counted &c) {
    return !llvm::is_contained(op.getCollapsedSliceDims(), c.operandDim);
  });
  if (counted.empty())
    return;
  OpBuilder b(op);
  auto dims = [&] {
    return Dims(op.getCollapsedSliceDims(), op.getOperandBatchingDims(),
                op.getIndicesBatchingDims(), op.getStartIndexMap(), counted);
  };
  Value result;
  if (counted.size() == op.getStartIndexMap().size()) {
    result = withoutGather(b, op, countedPart(b, op, counted), dims());
    if (!result)
      counted.pop_back();
  }
  if (!result && counted.empty())
    return;
  if (!result) {
    Value operand = countedPart(b, op, counted);
    Dims d = dims();
    result = train::GatherOp::create(
        b, op.getLoc(), op.getType(), operand,
        withoutEntries(b, op.getLoc(), op.getIndices(), op.getIndexVectorDim(),
                       counted),
        op.getOffsetDims(), d.dropped, d.operandBatching, d.indicesBatching,
        d.map, op.getIndexVectorDim(), op.getSliceSizes());
  }
  op.replaceAllUsesWith(result);
  op.erase();
}

void rewrite(train::ScatterOp op) {
  // Other dims are written whole or not at all, so their windows are not
  // checked.
  SmallVector<Counted> counted = findCounted(
      op.getOperand(), op.getIndices(), op.getOperandDimsMap(),
      op.getIndexVectorDim(), op.getIndicesBatchingDims(), [&](int64_t d) {
        return llvm::is_contained(op.getInsertedWindowDims(), d) ? 1 : 0;
      });
  llvm::erase_if(counted, [&](const Counted &c) {
    return c.start != 0 || shapeOf(op.getOperand())[c.operandDim] !=
                               shapeOf(op.getIndices())[c.indicesDim];
  });
  if (!counted.empty() && counted.size() == op.getOperandDimsMap().size())
    counted.pop_back(); // it must stay a scatter
  if (counted.empty())
    return;
  OpBuilder b(op);
  Dims d(op.getInsertedWindowDims(), op.getOperandBatchingDims(),
         op.getIndicesBatchingDims(), op.getOperandDimsMap(), counted);
  Value result = train::ScatterOp::create(
      b, op.getLoc(), op.getType(), op.getOperand(),
      withoutEntries(b, op.getLoc(), op.getIndices(), op.getIndexVectorDim(),
                     counted),
      op.getUpdates(), op.getUpdateWindowDims(), d.dropped, d.operandBatching,
      d.indicesBatching, d.map, op.getIndexVectorDim(), op.getKind(),
      op.getClampStarts());
  op.replaceAllUsesWith(result);
  op.erase();
}

struct CountedIndices : impl::CountedIndicesBase<CountedIndices> {
  void runOnOperation() override {
    func::FuncOp entry = findEntry(getOperation());
    if (!entry)
      return;
    for (Operation &op : llvm::make_early_inc_range(entry.getBody().front())) {
      if (auto gather = dyn_cast<train::GatherOp>(op))
        rewrite(gather);
      else if (auto scatter = dyn_cast<train::ScatterOp>(op))
        rewrite(scatter);
    }
  }
};
} // namespace
} // namespace zcc
