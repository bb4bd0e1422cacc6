// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits train.attention with the scores in shared memory: a block does 48
// queries of a head, and goes through the keys twice, 32 at a time. The first
// pass finds each query's largest score; the second one computes the
// exponentials, their sum, and the sum of values. Scores are computed twice
// rather than held. The order of all sums is that of the op, like in the
// generator for cores.
#include "compiler/codegen/Math.h"
#include "compiler/cuda/AttentionTiles.h"
#include "compiler/cuda/Generators.h"

using namespace mlir;

namespace zcc::cuda {
namespace {

using V = llvm::Value *;

constexpr int64_t keyTile = 32, ownQueries = 4;

class SharedAttention : AttentionTiles {
public:
  SharedAttention(CudaKernelBuilder &kernel, Operation *op)
      : AttentionTiles(kernel, op), query(operand(a.query)),
        key(operand(a.key)), value(operand(a.value)), result(results(0)),
        lse(results(1)), rowStride(a.depth + 1),
        ownColumns(llvm::divideCeil(a.valueDepth, across)) {
    static_assert(queryBlock == threads / across * ownQueries,
                  "every query has its threads");
  }
  void emit();
  static int64_t countFloats(const train::Attention &a) {
    int64_t columns = llvm::alignTo(a.valueDepth, across);
    return queryBlock * (a.depth + 1) +
           keyTile * std::max(a.depth + 1, columns) +
           (a.kept ? 2 : 1) * queryBlock * scoreStride + 2 * queryBlock + 16;
  }

private:
  static constexpr int64_t scoreStride = keyTile + 1;
  static constexpr int64_t ownKeys = keyTile / across;

  void begin();
  void score(V keys, llvm::function_ref<void(int64_t, int64_t, V)> take);
  void findLargest();
  void sumTile(V keys, V end);
  void sum();
  void store();
  V ownQuery(int64_t i) { return add(times(down, ownQueries), number(i)); }
  V ownKey(int64_t j) { return add(side, number(j * across)); }

  Tensor query, key, value;
  SmallVector<Tensor, 1> result, lse;
  int64_t rowStride, ownColumns;
  // The thread's row and column: `across` threads are side by side.
  V down, side;
  V batch, head, keyHead, first, count, low, last;
  // Arrays in shared memory: queries, a tile of keys or values, exponentials,
  // those that dropout keeps, and for each query the factor of its sum and its
  // largest score.
  V queries, tile, exponentials, kept, worth, largestOf;
  Variables largest, sums, totals;
  // Sums of exponentials, one query per thread.
  llvm::AllocaInst *chainSum, *total;
};

void SharedAttention::begin() {
  int64_t blocks = llvm::divideCeil(a.queries, queryBlock);
  gpu.setBlocks(a.batches() * a.heads * blocks, threads);
  thread = ir.CreateZExt(gpu.thread(), ir.getInt64Ty());
  down = ir.CreateUDiv(thread, number(across));
  side = ir.CreateURem(thread, number(across));
  V item = gpu.block();
  V block = takeDim(item, blocks), group = takeDim(item, a.group());
  keyHead = takeDim(item, a.keyHeads);
  batch = item;
  head = add(times(keyHead, a.group()), group);
  first = times(block, queryBlock);
  count = smaller(sub(number(a.queries), first), number(queryBlock));
  KeyRange range = keyRange(first, count);
  low = range.low;
  last = smaller(range.high, keyCount);
  queries = sharedFloats(queryBlock * rowStride);
  tile = sharedFloats(keyTile * std::max(rowStride, ownColumns * across));
  exponentials = sharedFloats(queryBlock * scoreStride);
  kept = a.kept ? sharedFloats(queryBlock * scoreStride) : exponentials;
  worth = sharedFloats(queryBlock);
  largestOf = sharedFloats(queryBlock);
}

// Calls `take` with the scores of this thread's queries and keys in the tile
// from `keys` on; scores that do not exist are -inf.
void SharedAttention::score(
    V keys, llvm::function_ref<void(int64_t, int64_t, V)> take) {
  // All threads have read the previous contents.
  gpu.barrier();
  loadTile(tile, rowStride, key, a.depth, batch, keyHead, keys, last, keyTile,
           nullptr);
  gpu.barrier();
  Variables scores = variables(ownQueries * ownKeys, 0);
  addProducts(
      scores, queries, ownQueries, [&](int64_t i) { return ownQuery(i); }, tile,
      ownKeys, [&](int64_t j) { return ownKey(j); }, a.depth);
  for (int64_t i = 0; i < ownQueries; ++i)
    for (int64_t j = 0; j < ownKeys; ++j) {
      llvm::AllocaInst *s = scores[i * ownKeys + j];
      V own = ownQuery(i), at = add(keys, ownKey(j));
      V exists = ir.CreateAnd(ir.CreateICmpSLT(own, count),
                              ir.CreateICmpSLT(at, last));
      kernel.ifThenElse(
          exists,
          [&] {
            kernel.set(s, finishScore(kernel.get(s), at, own, batch, head,
                                      first, count));
          },
          [&] { kernel.set(s, floats(-infinity)); });
      take(i, j, kernel.get(s));
    }
}

// The first pass: finds the largest score of each query.
void SharedAttention::findLargest() {
  // A NaN is not lost: its exponential is NaN.
  auto maximum = [&](V x, V y) {
    return ir.CreateSelect(ir.CreateFCmpOGT(x, y), x, y);
  };
  largest = variables(ownQueries, -infinity);
  kernel.loop(low, last, keyTile, [&](V keys) {
    score(keys, [&](int64_t i, int64_t, V x) {
      kernel.set(largest[i], maximum(x, kernel.get(largest[i])));
    });
  });
  V lane = ir.CreateAnd(gpu.thread(), ir.getInt32(warpThreads - 1));
  for (int64_t i = 0; i < ownQueries; ++i) {
    V x = kernel.get(largest[i]);
    for (int64_t distance = across / 2; distance >= 1; distance /= 2)
      x = maximum(gpu.shuffle(x, ir.CreateXor(lane, ir.getInt32(distance))), x);
    // All threads of a query have the same zero.
    x = gpu.shuffle(x, ir.CreateAnd(lane, ir.getInt32(-across)));
    kernel.set(largest[i], x);
    kernel.ifThenElse(ir.CreateICmpEQ(side, number(0)),
                      [&] { storeLanes(x, element(largestOf, ownQuery(i))); });
  }
}

// Adds the tile of keys that begins at `keys` to the sums of the current chain,
// which ends at key `end`.
void SharedAttention::sumTile(V keys, V end) {
  Math math(kernel);
  score(keys, [&](int64_t i, int64_t j, V x) {
    V e =
        math.emit(MathFunction::Exp, ir.CreateFSub(x, kernel.get(largest[i])));
    V at = add(times(ownQuery(i), scoreStride), ownKey(j));
    storeLanes(e, element(exponentials, at));
    if (!a.kept)
      return;
    V own = ownQuery(i);
    kernel.ifThenElse(ir.CreateICmpSLT(own, count), [&] {
      ScoreBlock block{batch, head, first, count, keys};
      storeLanes(whereKept(keptLanes(block, ownKey(j), own), e),
                 element(kept, at));
    });
  });
  gpu.barrier();
  int64_t stride = ownColumns * across;
  loadTile(tile, stride, value, a.valueDepth, batch, keyHead, keys, last,
           keyTile, nullptr);
  V steps = smaller(number(keyTile), sub(end, keys));
  kernel.ifThenElse(ir.CreateICmpSLT(thread, number(queryBlock)), [&] {
    kernel.loop(number(0), steps, 1, [&](V k) {
      V e = load(exponentials, add(times(thread, scoreStride), k));
      kernel.set(chainSum, ir.CreateFAdd(kernel.get(chainSum), e));
    });
  });
  gpu.barrier();
  kernel.loop(number(0), steps, 1, [&](V k) {
    SmallVector<V> x;
    for (int64_t i = 0; i < ownQueries; ++i)
      x.push_back(load(kept, add(times(ownQuery(i), scoreStride), k)));
    for (int64_t j = 0; j < ownColumns; ++j) {
      V y = load(tile, add(times(k, stride), ownKey(j)));
      for (int64_t i = 0; i < ownQueries; ++i) {
        llvm::AllocaInst *s = sums[i * ownColumns + j];
        kernel.set(s, kernel.fma(x[i], y, kernel.get(s)));
      }
    }
  });
}

// The second pass: adds the exponentials into `total`, and the values that they
// weigh into `totals`. Keys are added in chains of `chain`, as the op
// prescribes, and then the sums of the chains are added in order.
void SharedAttention::sum() {
  sums = variables(ownQueries * ownColumns, 0);
  totals = variables(ownQueries * ownColumns, 0);
  chainSum = kernel.variable(f32);
  total = kernel.variable(f32, floats(0));
  kernel.loop(low, last, chain, [&](V start) {
    for (llvm::AllocaInst *s : sums)
      kernel.set(s, floats(0));
    kernel.set(chainSum, floats(0));
    V end = smaller(add(start, number(chain)), last);
    kernel.loop(start, end, keyTile, [&](V keys) { sumTile(keys, end); });
    V isFirst = ir.CreateICmpEQ(start, low);
    for (auto [s, t] : llvm::zip(sums, totals)) {
      V more = ir.CreateFAdd(kernel.get(t), kernel.get(s));
      kernel.set(t, ir.CreateSelect(isFirst, kernel.get(s), more));
    }
    kernel.set(total, ir.CreateFAdd(kernel.get(total), kernel.get(chainSum)));
  });
}

void SharedAttention::store() {
  Math math(kernel);
  // Each thread finishes the sum of exponentials of one query.
  kernel.ifThenElse(ir.CreateICmpSLT(thread, count), [&] {
    V t = kernel.get(total), m = load(largestOf, thread);
    storeLanes(ir.CreateFDiv(floats(a.keptScale), t), element(worth, thread));
    if (lse.empty())
      return;
    V log = ir.CreateFAdd(m, math.emit(MathFunction::Log, t));
    if (anyKey)
      log = ir.CreateSelect(ir.CreateFCmpOLE(m, floats(a.fill)),
                            floats(infinity), log);
    for (const Tensor &tensor : lse)
      kernel.storeScalar(log, tensor.buffer,
                         place(tensor, batch, {add(first, thread), head}));
  });
  gpu.barrier();
  for (int64_t i = 0; i < ownQueries; ++i) {
    V own = ownQuery(i);
    kernel.ifThenElse(ir.CreateICmpSLT(own, count), [&] {
      V by = load(worth, own);
      for (int64_t j = 0; j < ownColumns; ++j)
        kernel.ifThenElse(
            ir.CreateICmpSLT(ownKey(j), number(a.valueDepth)), [&] {
              V x = ir.CreateFMul(kernel.get(totals[i * ownColumns + j]), by);
              for (const Tensor &tensor : result) {
                V at = place(tensor, batch, {add(first, own), head});
                kernel.storeScalar(kernel.roundTo(tensor.buffer.elementType, x),
                                   tensor.buffer, add(at, ownKey(j)));
              }
            });
    });
  }
}

void SharedAttention::emit() {
  begin();
  loadTile(queries, rowStride, query, a.depth, batch, head, first,
           add(first, count), queryBlock,
           a.scale == 1 ? nullptr : floats(a.scale));
  findLargest();
  // The largest scores were written for other threads, too.
  gpu.barrier();
  sum();
  store();
}

} // namespace

bool suitsSharedAttention(Operation *op) {
  if (!isa<train::AttentionOp>(op))
    return false;
  train::Attention a = train::Attention::of(op);
  // Sums of columns must fit into registers.
  return a.valueDepth <= 128 && a.depth <= 256 &&
         SharedAttention::countFloats(a) * 4 <= int64_t(maxShared);
}

void emitSharedAttention(CudaKernelBuilder &kernel, Operation *op) {
  SharedAttention(kernel, op).emit();
}

} // namespace zcc::cuda
