// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits train.attention in 16 bits by products of tensor cores: a block does 64
// queries of a head, and goes through the keys once, 32 at a time. Sums are
// rescaled when a larger score appears (online softmax: Milakov, Gimelshein
// 2018; Dao, FlashAttention-2, 2023). Weights are rounded to the operands' type
// before they are multiplied by values.
#include "compiler/codegen/Math.h"
#include "compiler/cuda/Generators.h"
#include "compiler/cuda/MatrixTiles.h"

using namespace mlir;

namespace zcc::cuda {
namespace {

using V = llvm::Value *;

class MatrixAttention : MatrixTiles {
public:
  MatrixAttention(CudaKernelBuilder &kernel, Operation *op)
      : MatrixTiles(kernel, op), query(rowsOf(a.query, a.depth)),
        key(rowsOf(a.key, a.depth)), value(rowsOf(a.value, a.valueDepth)),
        result(results(0)), lse(results(1)) {}
  void emit();

private:
  static constexpr int64_t keyTile = 32, elements = keyTile / columnTile * 4;

  void beginBlock();
  void addTile(V keys);
  Values score(V keys);
  void store();

  Rows query, key, value;
  SmallVector<Tensor, 1> result, lse;
  V batch, head, keyHead, first, count, low, last;
  Values queries;
  Tile keyRows, valuePairs;
  // The thread has two rows; these are the largest score so far of each, and
  // the thread's part of the sum of exponentials.
  Variables largest, totals, sums;
};

void MatrixAttention::beginBlock() {
  int64_t blocks = llvm::divideCeil(a.queries, blockRows);
  begin(a.batches() * a.heads * blocks);
  V item = gpu.block();
  V block = takeDim(item, blocks), group = takeDim(item, a.group());
  keyHead = takeDim(item, a.keyHeads);
  batch = item;
  head = add(times(keyHead, a.group()), group);
  first = times(block, blockRows);
  count = smaller(sub(number(a.queries), first), number(blockRows));
  KeyRange range = keyRange(first, count);
  low = range.low;
  last = smaller(range.high, keyCount);
  keyRows = rowTile(keyTile, a.depth);
  valuePairs = pairTile(keyTile, a.valueDepth);
  queries = loadLeft(query, batch, head, first, add(first, count));
  largest = variables(2, -infinity);
  totals = variables(2, 0);
  sums = variables(a.valueDepth / columnTile * 4, 0);
}

/// Returns the scores of the tile of keys from `keys` on; those that do not
/// exist are -inf.
MatrixTiles::Values MatrixAttention::score(V keys) {
  Values scores = zeros(elements);
  multiplyRows(
      scores, [&](int64_t step) { return wordsOfStep(queries, step); }, keyRows,
      keyTile);
  for (auto [i, score] : llvm::enumerate(scores)) {
    V own = rowOfElement(i), at = add(keys, columnOfElement(i));
    V exists =
        ir.CreateAnd(ir.CreateICmpSLT(own, count), ir.CreateICmpSLT(at, last));
    if (a.scale != 1)
      score = ir.CreateFMul(score, floats(a.scale));
    score = finishScore(score, smaller(at, sub(last, number(1))),
                        smaller(own, sub(count, number(1))), batch, head, first,
                        count);
    score = ir.CreateSelect(exists, score, floats(-infinity));
  }
  return scores;
}

void MatrixAttention::addTile(V keys) {
  Fetched someKeys = fetch(key, batch, keyHead, keys, last, keyTile),
          someValues = fetch(value, batch, keyHead, keys, last, keyTile);
  // All threads have read the previous contents.
  gpu.barrier();
  putRows(keyRows, someKeys);
  putPairs(valuePairs, someValues);
  gpu.barrier();
  Values scores = score(keys);
  Math math(kernel);
  // A NaN is not lost: its exponential is NaN.
  auto maximum = [&](V x, V y) {
    return ir.CreateSelect(ir.CreateFCmpOGT(x, y), x, y);
  };
  V bases[2], factors[2], more[2];
  for (int64_t r = 0; r < 2; ++r) {
    V before = kernel.get(largest[r]), now = before;
    for (int64_t i = 0; i < elements; ++i)
      if (i % 4 / 2 == r)
        now = maximum(scores[i], now);
    now = acrossRow(now, maximum);
    kernel.set(largest[r], now);
    // As long as a row has seen no key, its exponentials are 0 and not NaN.
    bases[r] = ir.CreateSelect(ir.CreateFCmpOEQ(now, floats(-infinity)),
                               floats(0), now);
    factors[r] = math.emit(MathFunction::Exp, ir.CreateFSub(before, bases[r]));
    more[r] = floats(0);
  }
  ScoreBlock block{batch, head, first, count, keys};
  for (auto [i, score] : llvm::enumerate(scores)) {
    int64_t r = i % 4 / 2;
    score = math.emit(MathFunction::Exp, ir.CreateFSub(score, bases[r]));
    more[r] = ir.CreateFAdd(more[r], score);
    V own = smaller(rowOfElement(i), sub(count, number(1)));
    score = whereKept(keptLanes(block, columnOfElement(i), own), score);
  }
  for (int64_t r = 0; r < 2; ++r)
    kernel.set(totals[r],
               ir.CreateFAdd(ir.CreateFMul(kernel.get(totals[r]), factors[r]),
                             more[r]));
  for (auto [i, sum] : llvm::enumerate(sums))
    kernel.set(sum, ir.CreateFMul(kernel.get(sum), factors[i % 4 / 2]));
  for (int64_t step = 0; step < keyTile / stepTile; ++step)
    multiplyPairs(sums, roundLeft(ArrayRef(scores).slice(step * 8, 8)),
                  valuePairs, step);
}

void MatrixAttention::store() {
  Math math(kernel);
  for (int64_t r = 0; r < 2; ++r) {
    V total = acrossRow(kernel.get(totals[r]),
                        [&](V x, V y) { return ir.CreateFAdd(x, y); });
    V own = rowOfElement(r * 2), by = ir.CreateFDiv(floats(a.keptScale), total);
    V row = add(first, own);
    kernel.ifThenElse(ir.CreateICmpSLT(own, count), [&] {
      for (int64_t i = r * 2; i < int64_t(sums.size()); i += 4)
        storePair(result, batch, row, head, columnOfElement(i),
                  ir.CreateFMul(kernel.get(sums[i]), by),
                  ir.CreateFMul(kernel.get(sums[i + 1]), by));
      if (lse.empty())
        return;
      kernel.ifThenElse(ir.CreateICmpEQ(place4, number(0)), [&] {
        V m = kernel.get(largest[r]);
        V log = ir.CreateFAdd(m, math.emit(MathFunction::Log, total));
        if (anyKey)
          log = ir.CreateSelect(ir.CreateFCmpOLE(m, floats(a.fill)),
                                floats(infinity), log);
        for (const Tensor &tensor : lse)
          kernel.storeScalar(log, tensor.buffer,
                             place(tensor, batch, {row, head}));
      });
    });
  }
}

void MatrixAttention::emit() {
  beginBlock();
  kernel.loop(low, last, keyTile, [&](V keys) { addTile(keys); });
  store();
}

} // namespace

bool suitsMatrixAttention(Operation *op) {
  return isa<train::AttentionOp>(op) &&
         MatrixTiles::suits(train::Attention::of(op));
}

void emitMatrixAttention(CudaKernelBuilder &kernel, Operation *op) {
  MatrixAttention(kernel, op).emit();
}

} // namespace zcc::cuda
