// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits train.attention_gradient in 16 bits by products of tensor cores. Some
// blocks do 64 keys of a key head, and go through all queries of its heads; the
// others do 64 queries of a head, and go through all keys. Where the sums of
// both keys and values do not fit into registers, each has blocks of its own.
// Every kind of block computes the scores, so that every sum is one block's and
// has the same order every time. Weights and the cotangents of scores are
// rounded to the operands' type before they are multiplied.
#include "compiler/codegen/Math.h"
#include "compiler/cuda/Generators.h"
#include "compiler/cuda/MatrixTiles.h"

using namespace mlir;

namespace zcc::cuda {
namespace {

using V = llvm::Value *;

class MatrixGradient : MatrixTiles {
public:
  MatrixGradient(CudaKernelBuilder &kernel, train::AttentionGradientOp op)
      : MatrixTiles(kernel, op), query(rowsOf(a.query, a.depth)),
        key(rowsOf(a.key, a.depth)), value(rowsOf(a.value, a.valueDepth)),
        gradient(rowsOf(op.getGradient(), a.valueDepth)),
        lse(operand(op.getLse())), delta(operand(op.getDelta())),
        queryResult(results(0)), keyResult(results(1)), valueResult(results(2)),
        isSplit(a.depth + a.valueDepth > 128) {}
  void emit();

private:
  static constexpr int64_t keyTile = 32, queryTile = 32;

  /// The sums over queries that a block makes.
  enum class Sums { Keys, Values, Both };

  /// One element of a product has a key, counted over all, and a query, counted
  /// from `first`; `log` and `delta` belong to the query.
  struct Score {
    V key, query, log, delta;
  };
  void weigh(const ScoreBlock &block, const Score &at, V &score, V *cotangent);
  void emitKeys(V item, Sums made);
  void addQueries(V from);
  void emitQueries(V item);
  void addKeys(V keys);
  void store(ArrayRef<Tensor> tensors, V firstRow, V limit, V head,
             const Variables &sums, bool isScaled);
  void takeQueries(V from, int64_t most) {
    first = from;
    count = smaller(sub(number(a.queries), first), number(most));
  }
  V loadFloat(const Tensor &tensor, V query) {
    return kernel.loadScalar(tensor.buffer,
                             place(tensor, batch, {add(first, query), head}));
  }
  V floatAt(V base, V index) { return loadLanes(element(base, index)); }

  Rows query, key, value, gradient;
  Tensor lse, delta;
  SmallVector<Tensor, 1> queryResult, keyResult, valueResult;
  bool isSplit;
  bool makesKeys, makesValues; // the kind of block that is being emitted
  V shared;                    // the words of either kind of block
  int64_t used = 0;
  Tile carve(int64_t rows, int64_t columns, bool isPairs) {
    int64_t stride = isPairs ? pairTileStride(columns) : rowTileStride(columns);
    Tile tile{element(shared, number(used)), stride, columns};
    used +=
        isPairs ? pairTileWords(rows, columns) : rowTileWords(rows, columns);
    return tile;
  }
  int64_t wordsByKeys() const {
    int64_t shared = rowTileWords(queryTile, a.depth) + 2 * queryTile,
            ofValues = pairTileWords(queryTile, a.valueDepth),
            ofKeys = rowTileWords(blockRows, a.valueDepth) +
                     rowTileWords(queryTile, a.valueDepth) +
                     pairTileWords(queryTile, a.depth);
    return shared + (isSplit ? std::max(ofKeys, ofValues) : ofKeys + ofValues);
  }
  int64_t wordsByQueries() const {
    return rowTileWords(blockRows, a.valueDepth) +
           rowTileWords(keyTile, a.depth) +
           rowTileWords(keyTile, a.valueDepth) +
           pairTileWords(keyTile, a.depth);
  }
  V batch, head, keyHead, first, count;
  V low;       // the first key of a block that does keys
  Values left; // keys or queries, in registers
  Tile valueRows, queryRows, gradientRows, queryPairs, gradientPairs, keyRows,
      keyPairs;
  V logs, deltas;             // in shared memory, of a tile of queries
  V ownLogs[2], ownDeltas[2]; // of the thread's two rows
  Variables querySums, keySums, valueSums;
};

/// Turns a score, not yet scaled, into a weight, and the weight's cotangent
/// (may be null) into that of the score. Both are 0 if there is no such query
/// or key.
void MatrixGradient::weigh(const ScoreBlock &block, const Score &at, V &score,
                           V *cotangent) {
  V exists = ir.CreateAnd(ir.CreateICmpSLT(at.query, count),
                          ir.CreateICmpSLT(at.key, keyCount));
  V key = smaller(at.key, sub(keyCount, number(1))),
    query = smaller(at.query, sub(count, number(1)));
  if (a.scale != 1)
    score = ir.CreateFMul(score, floats(a.scale));
  score = finishScore(score, key, query, batch, head, first, count);
  V w = Math(kernel).emit(MathFunction::Exp, ir.CreateFSub(score, at.log));
  V kept = keptLanes(block, sub(key, block.low), query);
  auto drop = [&](V x) {
    if (a.keptScale != 1)
      x = ir.CreateFMul(x, floats(a.keptScale));
    return whereKept(kept, x);
  };
  V seesNone =
      anyKey ? ir.CreateFCmpOEQ(at.log, floats(infinity)) : ir.getFalse();
  if (cotangent) {
    V g = ir.CreateFMul(w, ir.CreateFSub(drop(*cotangent), at.delta));
    V isNothing = ir.CreateOr(seesNone, ir.CreateNot(exists));
    *cotangent = ir.CreateSelect(isNothing, floats(0), g);
  }
  w = ir.CreateSelect(seesNone, floats(1.0 / a.allKeys), w);
  score = ir.CreateSelect(exists, drop(w), floats(0));
}

void MatrixGradient::store(ArrayRef<Tensor> tensors, V firstRow, V limit,
                           V head, const Variables &sums, bool isScaled) {
  for (int64_t r = 0; r < 2; ++r) {
    V row = add(firstRow, rowOfElement(r * 2));
    kernel.ifThenElse(ir.CreateICmpSLT(row, limit), [&] {
      for (int64_t i = r * 2; i < int64_t(sums.size()); i += 4) {
        V both[2];
        for (int64_t j = 0; j < 2; ++j) {
          both[j] = kernel.get(sums[i + j]);
          if (isScaled && a.scale != 1)
            both[j] = ir.CreateFMul(both[j], floats(a.scale));
        }
        storePair(tensors, batch, row, head, columnOfElement(i), both[0],
                  both[1]);
      }
    });
  }
}

// ---------------------------------------------------------------- keys

void MatrixGradient::emitKeys(V item, Sums made) {
  makesKeys = made != Sums::Values;
  makesValues = made != Sums::Keys;
  V block = takeDim(item, llvm::divideCeil(a.keys, blockRows));
  keyHead = takeDim(item, a.keyHeads);
  batch = item;
  low = times(block, blockRows);
  used = 0;
  queryRows = carve(queryTile, a.depth, false);
  if (makesKeys) {
    valueRows = carve(blockRows, a.valueDepth, false);
    gradientRows = carve(queryTile, a.valueDepth, false);
    queryPairs = carve(queryTile, a.depth, true);
    // The first tile's barriers come before these are read.
    putRows(valueRows, fetch(value, batch, keyHead, low, keyCount, blockRows));
    keySums = variables(a.depth / columnTile * 4, 0);
  }
  if (makesValues) {
    gradientPairs = carve(queryTile, a.valueDepth, true);
    valueSums = variables(a.valueDepth / columnTile * 4, 0);
  }
  logs = element(shared, number(used));
  deltas = element(shared, number(used + queryTile));
  left = loadLeft(key, batch, keyHead, low, keyCount);
  kernel.loop(number(0), number(a.group()), 1, [&](V group) {
    head = add(times(keyHead, a.group()), group);
    kernel.loop(number(0), number(a.queries), queryTile, [&](V from) {
      takeQueries(from, queryTile);
      KeyRange range = keyRange(first, count);
      V end = add(low, number(blockRows));
      V isSeen = ir.CreateAnd(ir.CreateICmpSGT(end, range.low),
                              ir.CreateICmpSLT(low, range.high));
      kernel.ifThenElse(isSeen, [&] { addQueries(from); });
    });
  });
  if (makesKeys)
    store(keyResult, low, number(a.keys), keyHead, keySums, true);
  if (makesValues)
    store(valueResult, low, number(a.keys), keyHead, valueSums, false);
}

void MatrixGradient::addQueries(V from) {
  V limit = add(first, count);
  Fetched someQueries = fetch(query, batch, head, from, limit, queryTile),
          someGradients = fetch(gradient, batch, head, from, limit, queryTile);
  V own = smaller(thread, sub(count, number(1)));
  V log = loadFloat(lse, own), ownDelta = loadFloat(delta, own);
  // All threads have read the previous contents.
  gpu.barrier();
  putRows(queryRows, someQueries);
  if (makesKeys) {
    putPairs(queryPairs, someQueries);
    putRows(gradientRows, someGradients);
  }
  if (makesValues)
    putPairs(gradientPairs, someGradients);
  kernel.ifThenElse(ir.CreateICmpSLT(thread, number(queryTile)), [&] {
    storeLanes(log, element(logs, thread));
    storeLanes(ownDelta, element(deltas, thread));
  });
  gpu.barrier();
  // Keys are rows, queries are columns.
  int64_t n = queryTile / columnTile * 4;
  Values scores = zeros(n), cotangents = zeros(n);
  multiplyRows(
      scores, [&](int64_t step) { return wordsOfStep(left, step); }, queryRows,
      queryTile);
  if (makesKeys)
    multiplyRows(
        cotangents, [&](int64_t step) { return leftOf(valueRows, step); },
        gradientRows, queryTile);
  ScoreBlock block{batch, head, first, count, low};
  for (int64_t i = 0; i < n; ++i) {
    V query = columnOfElement(i);
    weigh(block,
          {add(low, rowOfElement(i)), query, floatAt(logs, query),
           floatAt(deltas, query)},
          scores[i], makesKeys ? &cotangents[i] : nullptr);
  }
  for (int64_t step = 0; step < queryTile / stepTile; ++step) {
    if (makesValues)
      multiplyPairs(valueSums, roundLeft(ArrayRef(scores).slice(step * 8, 8)),
                    gradientPairs, step);
    if (makesKeys)
      multiplyPairs(keySums, roundLeft(ArrayRef(cotangents).slice(step * 8, 8)),
                    queryPairs, step);
  }
}

// ---------------------------------------------------------------- queries

void MatrixGradient::emitQueries(V item) {
  V block = takeDim(item, llvm::divideCeil(a.queries, blockRows)),
    group = takeDim(item, a.group());
  keyHead = takeDim(item, a.keyHeads);
  batch = item;
  head = add(times(keyHead, a.group()), group);
  takeQueries(times(block, blockRows), blockRows);
  used = 0;
  gradientRows = carve(blockRows, a.valueDepth, false);
  keyRows = carve(keyTile, a.depth, false);
  valueRows = carve(keyTile, a.valueDepth, false);
  keyPairs = carve(keyTile, a.depth, true);
  V limit = add(first, count);
  left = loadLeft(query, batch, head, first, limit);
  // The first tile's barriers come before these are read.
  putRows(gradientRows, fetch(gradient, batch, head, first, limit, blockRows));
  for (int64_t r = 0; r < 2; ++r) {
    V own = smaller(rowOfElement(r * 2), sub(count, number(1)));
    ownLogs[r] = loadFloat(lse, own);
    ownDeltas[r] = loadFloat(delta, own);
  }
  querySums = variables(a.depth / columnTile * 4, 0);
  KeyRange range = keyRange(first, count);
  kernel.loop(range.low, smaller(range.high, keyCount), keyTile,
              [&](V keys) { addKeys(keys); });
  store(queryResult, first, limit, head, querySums, true);
}

void MatrixGradient::addKeys(V keys) {
  Fetched someKeys = fetch(key, batch, keyHead, keys, keyCount, keyTile),
          someValues = fetch(value, batch, keyHead, keys, keyCount, keyTile);
  gpu.barrier();
  putRows(keyRows, someKeys);
  putPairs(keyPairs, someKeys);
  putRows(valueRows, someValues);
  gpu.barrier();
  int64_t n = keyTile / columnTile * 4;
  Values scores = zeros(n), cotangents = zeros(n);
  multiplyRows(
      scores, [&](int64_t step) { return wordsOfStep(left, step); }, keyRows,
      keyTile);
  multiplyRows(
      cotangents, [&](int64_t step) { return leftOf(gradientRows, step); },
      valueRows, keyTile);
  ScoreBlock block{batch, head, first, count, keys};
  for (int64_t i = 0; i < n; ++i) {
    int64_t r = i % 4 / 2;
    weigh(block,
          {add(keys, columnOfElement(i)), rowOfElement(i), ownLogs[r],
           ownDeltas[r]},
          scores[i], &cotangents[i]);
  }
  for (int64_t step = 0; step < keyTile / stepTile; ++step)
    multiplyPairs(querySums, roundLeft(ArrayRef(cotangents).slice(step * 8, 8)),
                  keyPairs, step);
}

void MatrixGradient::emit() {
  int64_t byKeys =
              a.batches() * a.keyHeads * llvm::divideCeil(a.keys, blockRows),
          byQueries =
              a.batches() * a.heads * llvm::divideCeil(a.queries, blockRows);
  begin((isSplit ? 2 : 1) * byKeys + byQueries);
  shared = gpu.shared(std::max(wordsByKeys(), wordsByQueries()) * 4);
  V item = gpu.block();
  auto isBelow = [&](int64_t n) { return ir.CreateICmpSLT(item, number(n)); };
  kernel.ifThenElse(
      isBelow(byKeys),
      [&] { emitKeys(item, isSplit ? Sums::Keys : Sums::Both); },
      [&] {
        if (!isSplit)
          return emitQueries(sub(item, number(byKeys)));
        kernel.ifThenElse(
            isBelow(2 * byKeys),
            [&] { emitKeys(sub(item, number(byKeys)), Sums::Values); },
            [&] { emitQueries(sub(item, number(2 * byKeys))); });
      });
}

} // namespace

bool suitsMatrixGradient(Operation *op) {
  auto gradient = dyn_cast<train::AttentionGradientOp>(op);
  if (!gradient)
    return false;
  train::Attention a(gradient);
  // Delta is a number a row, and not the result, which cuDNN takes.
  return MatrixTiles::suits(a) &&
         getElementTypeOrSelf(gradient.getGradient()) ==
             getElementTypeOrSelf(a.query) &&
         train::tensorType(gradient.getDelta()).getRank() ==
             train::tensorType(gradient.getLse()).getRank();
}

void emitMatrixGradient(CudaKernelBuilder &kernel, Operation *op) {
  MatrixGradient(kernel, cast<train::AttentionGradientOp>(op)).emit();
}

} // namespace zcc::cuda
