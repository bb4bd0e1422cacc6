// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// train.attention_gradient with the scores in shared memory. Some blocks do 24
// keys of a key head, and go through all queries of its heads, 48 at a time;
// the others do 48 queries of a head, and go through its keys, 32 at a time.
// Both compute scores and the weights' cotangents (Dao, FlashAttention-2, the
// backward pass, with a loop for each side in place of atomic sums). The order
// of all sums is that of the generator for cores: keys in blocks of 96, queries
// in blocks of 48.
#include "compiler/codegen/Math.h"
#include "compiler/cuda/AttentionTiles.h"
#include "compiler/cuda/Generators.h"

using namespace mlir;

namespace zcc::cuda {
namespace {

using V = llvm::Value *;

class SharedGradient : AttentionTiles {
public:
  SharedGradient(CudaKernelBuilder &kernel, train::AttentionGradientOp op)
      : AttentionTiles(kernel, op), query(operand(a.query)),
        key(operand(a.key)), value(operand(a.value)), lse(operand(op.getLse())),
        delta(operand(op.getDelta())), gradient(operand(op.getGradient())),
        queryResult(results(0)), keyResult(results(1)), valueResult(results(2)),
        rowStride(a.depth + 1), valueStride(a.valueDepth + 1),
        columns(llvm::divideCeil(a.depth, across)),
        valueColumns(llvm::divideCeil(a.valueDepth, across)) {}
  void emit();
  static int64_t countFloats(const train::Attention &a) {
    int64_t row = a.depth + a.valueDepth + 2;
    int64_t byKeys =
        (queryBlock + ownKeyBlock) * row + 2 * ownKeyBlock * (queryBlock + 1);
    int64_t byQueries =
        (queryBlock + keyTile) * row + queryBlock * (keyTile + 1);
    // Columns beyond the last one must be readable, too.
    return std::max(byKeys, byQueries) + 2 * queryBlock + across;
  }

private:
  // The keys of a block as in the generator for cores, of a tile, and of the
  // blocks that make the keys' gradients.
  static constexpr int64_t keyBlock = 96, keyTile = 32, ownKeyBlock = 24;
  // The queries and keys of the tiles that a thread computes.
  struct Own {
    int64_t queries, keys;
    Place queryAt, keyAt;
  };

  V carve(int64_t n) {
    V at = element(base, number(used));
    used += n;
    return at;
  }
  void carveQueries();
  void loadQueries();
  void loadKeys(V first, int64_t rows);
  void weigh(const ScoreBlock &block, const Own &own,
             llvm::function_ref<void(V, V, V, V)> take);
  void weighOne(const ScoreBlock &block, V key, V query, V score, V cotangent,
                llvm::AllocaInst *weight, llvm::AllocaInst *change);
  void emitKeys(V item);
  void emitQueriesOfKeys(V low);
  void emitQueries(V item);
  void emitKeysOfQueries(V start, V end);
  void addStep(const Variables &sums, ArrayRef<V> left, V right, int64_t count);
  void store(ArrayRef<Tensor> tensors, V row, V head,
             ArrayRef<llvm::AllocaInst *> totals, int64_t depth, bool scaled);
  void fold(const Variables &totals, const Variables &sums) {
    for (auto [total, sum] : llvm::zip(totals, sums))
      kernel.set(total, ir.CreateFAdd(kernel.get(total), kernel.get(sum)));
  }
  void clear(const Variables &sums) {
    for (llvm::AllocaInst *sum : sums)
      kernel.set(sum, floats(0));
  }
  V column(int64_t j) { return add(side, number(j * across)); }
  V numberOf(V base, int64_t each, int64_t i) {
    return add(times(base, each), number(i));
  }

  Tensor query, key, value, lse, delta, gradient;
  SmallVector<Tensor, 1> queryResult, keyResult, valueResult;
  int64_t rowStride, valueStride, columns, valueColumns;
  int64_t used = 0; // used floats of `base`
  V base, down, side;
  V batch, head, keyHead, first, count;
  // Arrays in shared memory.
  V queries, gradients, logs, deltas, keys, values, weights, changes;
};

void SharedGradient::carveQueries() {
  queries = carve(queryBlock * rowStride);
  gradients = carve(queryBlock * valueStride);
  logs = carve(queryBlock);
  deltas = carve(queryBlock);
}

void SharedGradient::loadQueries() {
  V limit = add(first, count);
  loadTile(queries, rowStride, query, a.depth, batch, head, first, limit,
           queryBlock, a.scale == 1 ? nullptr : floats(a.scale));
  loadTile(gradients, valueStride, gradient, a.valueDepth, batch, head, first,
           limit, queryBlock, nullptr);
  kernel.ifThenElse(ir.CreateICmpSLT(thread, count), [&] {
    auto copy = [&](V to, const Tensor &tensor) {
      V at = place(tensor, batch, {add(first, thread), head});
      storeLanes(kernel.loadScalar(tensor.buffer, at), element(to, thread));
    };
    copy(logs, lse);
    copy(deltas, delta);
  });
}

void SharedGradient::loadKeys(V first, int64_t rows) {
  loadTile(keys, rowStride, key, a.depth, batch, keyHead, first, keyCount, rows,
           nullptr);
  loadTile(values, valueStride, value, a.valueDepth, batch, keyHead, first,
           keyCount, rows, nullptr);
}

// Turns a score into a weight, and the weight's cotangent into that of the
// score.
void SharedGradient::weighOne(const ScoreBlock &block, V key, V query, V score,
                              V cotangent, llvm::AllocaInst *weight,
                              llvm::AllocaInst *change) {
  V at = add(block.low, key);
  score = finishScore(score, at, query, batch, head, first, count);
  V log = load(logs, query);
  V w = Math(kernel).emit(MathFunction::Exp, ir.CreateFSub(score, log));
  V kept = keptLanes(block, key, query);
  auto drop = [&](V x) {
    if (a.keptScale != 1)
      x = ir.CreateFMul(x, floats(a.keptScale));
    return whereKept(kept, x);
  };
  V g = ir.CreateFMul(w, ir.CreateFSub(drop(cotangent), load(deltas, query)));
  if (anyKey) {
    V seesNone = ir.CreateFCmpOEQ(log, floats(infinity));
    w = ir.CreateSelect(seesNone, floats(1.0 / a.allKeys), w);
    g = ir.CreateSelect(seesNone, floats(0), g);
  }
  kernel.set(weight, drop(w));
  kernel.set(change, g);
}

// Calls take(query, key, weight, cotangent of the score) for each score of the
// thread; weight and cotangent are 0 if there is no such query or key.
void SharedGradient::weigh(const ScoreBlock &block, const Own &own,
                           llvm::function_ref<void(V, V, V, V)> take) {
  int64_t n = own.queries * own.keys;
  Variables scores = variables(n, 0), cotangents = variables(n, 0);
  addProducts(scores, queries, own.queries, own.queryAt, keys, own.keys,
              own.keyAt, a.depth);
  addProducts(cotangents, gradients, own.queries, own.queryAt, values, own.keys,
              own.keyAt, a.valueDepth);
  for (int64_t i = 0; i < own.queries; ++i)
    for (int64_t j = 0; j < own.keys; ++j) {
      V query = own.queryAt(i), key = own.keyAt(j);
      llvm::AllocaInst *score = scores[i * own.keys + j],
                       *cotangent = cotangents[i * own.keys + j];
      V exists = ir.CreateAnd(ir.CreateICmpSLT(query, count),
                              ir.CreateICmpSLT(add(block.low, key), keyCount));
      kernel.ifThenElse(
          exists,
          [&] {
            weighOne(block, key, query, kernel.get(score),
                     kernel.get(cotangent), score, cotangent);
          },
          [&] {
            kernel.set(score, floats(0));
            kernel.set(cotangent, floats(0));
          });
      take(query, key, kernel.get(score), kernel.get(cotangent));
    }
}

// Emits sums[i * count + j] += left[i] * right[column j].
void SharedGradient::addStep(const Variables &sums, ArrayRef<V> left, V right,
                             int64_t count) {
  for (int64_t j = 0; j < count; ++j) {
    V y = load(right, column(j));
    for (auto [i, x] : llvm::enumerate(left)) {
      llvm::AllocaInst *sum = sums[static_cast<int64_t>(i) * count + j];
      kernel.set(sum, kernel.fma(x, y, kernel.get(sum)));
    }
  }
}

void SharedGradient::store(ArrayRef<Tensor> tensors, V row, V head,
                           ArrayRef<llvm::AllocaInst *> totals, int64_t depth,
                           bool scaled) {
  for (int64_t j = 0; j < static_cast<int64_t>(totals.size()); ++j)
    kernel.ifThenElse(ir.CreateICmpSLT(column(j), number(depth)), [&] {
      V x = kernel.get(totals[j]);
      if (scaled)
        x = ir.CreateFMul(x, floats(a.scale));
      for (const Tensor &tensor : tensors)
        kernel.storeScalar(kernel.roundTo(tensor.buffer.elementType, x),
                           tensor.buffer,
                           add(place(tensor, batch, {row, head}), column(j)));
    });
}

// ---------------------------------------------------------------- keys

void SharedGradient::emitKeys(V item) {
  V block = takeDim(item, llvm::divideCeil(a.keys, ownKeyBlock));
  keyHead = takeDim(item, a.keyHeads);
  batch = item;
  V low = times(block, ownKeyBlock);
  used = 0;
  carveQueries();
  keys = carve(ownKeyBlock * rowStride);
  values = carve(ownKeyBlock * valueStride);
  weights = carve(ownKeyBlock * (queryBlock + 1));
  changes = carve(ownKeyBlock * (queryBlock + 1));
  loadKeys(low, ownKeyBlock);
  emitQueriesOfKeys(low);
}

void SharedGradient::emitQueriesOfKeys(V low) {
  // A thread has two keys of the sums, and three queries and two keys of the
  // scores.
  constexpr int64_t sumKeys = 2, keysAcross = 12, scoreQueries = 3;
  static_assert(threads / across * sumKeys == ownKeyBlock &&
                    threads / keysAcross * scoreQueries == queryBlock,
                "every row has its threads");
  V scoreDown = ir.CreateUDiv(thread, number(keysAcross)),
    scoreSide = ir.CreateURem(thread, number(keysAcross));
  auto queryAt = [&](int64_t i) {
    return numberOf(scoreDown, scoreQueries, i);
  };
  auto keyAt = [&](int64_t j) {
    return add(scoreSide, number(j * keysAcross));
  };
  Variables keyTotals = variables(sumKeys * columns, 0),
            valueTotals = variables(sumKeys * valueColumns, 0),
            keySums = variables(sumKeys * columns, 0),
            valueSums = variables(sumKeys * valueColumns, 0);
  int64_t stride = queryBlock + 1;
  auto queriesFrom = [&](V from) {
    first = from;
    count = smaller(sub(number(a.queries), first), number(queryBlock));
    KeyRange range = keyRange(first, count);
    V isSeen = ir.CreateAnd(ir.CreateICmpSGE(low, range.low),
                            ir.CreateICmpSLT(low, range.high));
    kernel.ifThenElse(isSeen, [&] {
      gpu.barrier();
      loadQueries();
      gpu.barrier();
      weigh({batch, head, first, count, low},
            {scoreQueries, ownKeyBlock / keysAcross, queryAt, keyAt},
            [&](V query, V key, V weight, V change) {
              V at = add(times(key, stride), query);
              storeLanes(weight, element(weights, at));
              storeLanes(change, element(changes, at));
            });
      gpu.barrier();
      clear(keySums);
      clear(valueSums);
      kernel.loop(number(0), count, 1, [&](V q) {
        auto ofKeys = [&](V matrix) {
          SmallVector<V> out;
          for (int64_t i = 0; i < sumKeys; ++i)
            out.push_back(load(
                matrix, add(times(numberOf(down, sumKeys, i), stride), q)));
          return out;
        };
        addStep(valueSums, ofKeys(weights),
                element(gradients, times(q, valueStride)), valueColumns);
        addStep(keySums, ofKeys(changes), element(queries, times(q, rowStride)),
                columns);
      });
      fold(keyTotals, keySums);
      fold(valueTotals, valueSums);
    });
  };
  kernel.loop(number(0), number(a.group()), 1, [&](V group) {
    head = add(times(keyHead, a.group()), group);
    kernel.loop(number(0), number(a.queries), queryBlock, queriesFrom);
  });
  for (int64_t i = 0; i < sumKeys; ++i) {
    V row = add(low, numberOf(down, sumKeys, i));
    kernel.ifThenElse(ir.CreateICmpSLT(row, number(a.keys)), [&] {
      store(keyResult, row, keyHead,
            ArrayRef(keyTotals).slice(i * columns, columns), a.depth, false);
      store(valueResult, row, keyHead,
            ArrayRef(valueTotals).slice(i * valueColumns, valueColumns),
            a.valueDepth, false);
    });
  }
}

// ---------------------------------------------------------------- queries

void SharedGradient::emitQueries(V item) {
  V block = takeDim(item, llvm::divideCeil(a.queries, queryBlock)),
    group = takeDim(item, a.group());
  keyHead = takeDim(item, a.keyHeads);
  batch = item;
  head = add(times(keyHead, a.group()), group);
  first = times(block, queryBlock);
  count = smaller(sub(number(a.queries), first), number(queryBlock));
  used = 0;
  carveQueries();
  keys = carve(keyTile * rowStride);
  values = carve(keyTile * valueStride);
  changes = carve(queryBlock * (keyTile + 1));
  loadQueries();
  KeyRange range = keyRange(first, count);
  emitKeysOfQueries(range.low, smaller(range.high, keyCount));
}

void SharedGradient::emitKeysOfQueries(V low, V last) {
  constexpr int64_t ownQueries = 4;
  static_assert(threads / across * ownQueries == queryBlock,
                "every query has its threads");
  auto queryAt = [&](int64_t i) { return numberOf(down, ownQueries, i); };
  auto keyAt = [&](int64_t j) { return column(j); };
  Variables totals = variables(ownQueries * columns, 0),
            sums = variables(ownQueries * columns, 0);
  int64_t stride = keyTile + 1;
  auto tile = [&](V from, V end) {
    gpu.barrier();
    loadKeys(from, keyTile);
    gpu.barrier();
    weigh({batch, head, first, count, from},
          {ownQueries, keyTile / across, queryAt, keyAt},
          [&](V query, V key, V, V change) {
            storeLanes(change,
                       element(changes, add(times(query, stride), key)));
          });
    gpu.barrier();
    kernel.loop(
        number(0), smaller(number(keyTile), sub(end, from)), 1, [&](V k) {
          SmallVector<V> left;
          for (int64_t i = 0; i < ownQueries; ++i)
            left.push_back(load(changes, add(times(queryAt(i), stride), k)));
          addStep(sums, left, element(keys, times(k, rowStride)), columns);
        });
  };
  kernel.loop(low, last, keyBlock, [&](V start) {
    clear(sums);
    V end = smaller(add(start, number(keyBlock)), last);
    kernel.loop(start, end, keyTile, [&](V from) { tile(from, end); });
    fold(totals, sums);
  });
  for (int64_t i = 0; i < ownQueries; ++i)
    kernel.ifThenElse(ir.CreateICmpSLT(queryAt(i), count), [&] {
      store(queryResult, add(first, queryAt(i)), head,
            ArrayRef(totals).slice(i * columns, columns), a.depth,
            a.scale != 1);
    });
}

void SharedGradient::emit() {
  int64_t byKeys =
              a.batches() * a.keyHeads * llvm::divideCeil(a.keys, ownKeyBlock),
          byQueries =
              a.batches() * a.heads * llvm::divideCeil(a.queries, queryBlock);
  gpu.setBlocks(byKeys + byQueries, threads);
  thread = ir.CreateZExt(gpu.thread(), ir.getInt64Ty());
  down = ir.CreateUDiv(thread, number(across));
  side = ir.CreateURem(thread, number(across));
  base = sharedFloats(countFloats(a));
  V item = gpu.block();
  kernel.ifThenElse(
      ir.CreateICmpSLT(item, number(byKeys)), [&] { emitKeys(item); },
      [&] { emitQueries(sub(item, number(byKeys))); });
}

} // namespace

bool suitsSharedGradient(Operation *op) {
  if (!isa<train::AttentionGradientOp>(op))
    return false;
  train::Attention a = train::Attention::of(op);
  // Products must be one chain, and sums must fit into registers.
  return std::max(a.depth, a.valueDepth) <= 128 &&
         SharedGradient::countFloats(a) * 4 <= int64_t(maxShared);
}

void emitSharedGradient(CudaKernelBuilder &kernel, Operation *op) {
  SharedGradient(kernel, cast<train::AttentionGradientOp>(op)).emit();
}

} // namespace zcc::cuda
