// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits train.attention_gradient. An item is one key head of one batch. For
// each block of 48 queries by 96 keys, the scores and the weights' cotangents
// are computed, and added to all three results (Dao, FlashAttention-2,
// algorithm 2). With one block of the keys, the results are added to the sums
// of the blocks before.
#include "compiler/codegen/Math.h"
#include "compiler/codegen/SpecialAttention.h"

using namespace mlir;

namespace zcc {
namespace {

using V = llvm::Value *;

class GradientKernel : AttentionKernel {
public:
  template <typename Op>
  GradientKernel(KernelBuilder &kernel, Op op)
      : AttentionKernel(kernel, op), query(operand(a.query)),
        key(operand(a.key)), value(operand(a.value)), lse(operand(op.getLse())),
        delta(operand(op.getDelta())), gradient(operand(op.getGradient())),
        queryResult(results(0)), keyResult(results(1)),
        valueResult(results(2)) {
    if constexpr (std::is_same_v<Op, train::AttentionBlockGradientOp>) {
      querySum = operand(op.getQuerySum());
      keySum = operand(op.getKeySum());
      valueSum = operand(op.getValueSum());
    }
  }
  void emit();

private:
  static constexpr int64_t keyBlock = 96;

  void block(V batch, V head, V first);
  void weigh(const ScoreBlock &block, V rows);

  Tensor query, key, value, lse, delta, gradient;
  SmallVector<Tensor, 1> queryResult, keyResult, valueResult;
  // The sums of the blocks before.
  std::optional<Tensor> querySum, keySum, valueSum;
  static const Tensor *orNull(const std::optional<Tensor> &tensor) {
    return tensor ? &*tensor : nullptr;
  }
  // Scratch of the item.
  V keys, values, keySums, valueSums;
  // Scratch of a block of queries.
  V queries, queriesByDepth, gradients, gradientsByDepth, querySums, logs,
      deltas;
  // Scratch of a block of keys: scores, which become weights, and their
  // cotangents.
  V weights, cotangents;
};

void GradientKernel::emit() {
  keys = scratchFloats(paddedKeys * paddedDepth);
  values = scratchFloats(paddedKeys * paddedValueDepth);
  keySums = scratchFloats(paddedKeys * paddedDepth);
  valueSums = scratchFloats(paddedKeys * paddedValueDepth);
  queries = scratchFloats(queryBlock * paddedDepth);
  queriesByDepth = scratchFloats(queryBlock * paddedDepth);
  gradients = scratchFloats(queryBlock * paddedValueDepth);
  gradientsByDepth = scratchFloats(queryBlock * paddedValueDepth);
  querySums = scratchFloats(queryBlock * paddedDepth);
  logs = scratchFloats(queryBlock);
  deltas = scratchFloats(queryBlock);
  weights = scratchFloats(keyBlock * queryBlock);
  cotangents = scratchFloats(keyBlock * queryBlock);
  double scoresOfItem = 1.0 * a.group() * a.queries * a.keys;
  items(
      a.batches() * a.keyHeads,
      scoresOfItem * (0.5 + keptNanoseconds + 0.07 * (a.depth + a.valueDepth)),
      [&](V item) {
        V keyHead = takeDim(item, a.keyHeads), batch = item;
        copyRows(keys, paddedDepth, key, a.depth, batch, keyHead, number(0),
                 keyCount, nullptr);
        copyRows(values, paddedValueDepth, value, a.valueDepth, batch, keyHead,
                 number(0), keyCount, nullptr);
        zeroRows(keySums, paddedDepth, number(0), number(paddedKeys));
        zeroRows(valueSums, paddedValueDepth, number(0), number(paddedKeys));
        kernel.loop(number(0), number(a.group()), 1, [&](V group) {
          V head = add(times(keyHead, a.group()), group);
          kernel.loop(number(0), number(a.queries), queryBlock,
                      [&](V first) { block(batch, head, first); });
        });
        storeRows(keyResult, keySums, paddedDepth, a.depth, batch, keyHead,
                  number(0), number(a.keys), nullptr, nullptr, orNull(keySum));
        storeRows(valueResult, valueSums, paddedValueDepth, a.valueDepth, batch,
                  keyHead, number(0), number(a.keys), nullptr, nullptr,
                  orNull(valueSum));
      });
}

void GradientKernel::block(V batch, V head, V first) {
  V count = smaller(sub(number(a.queries), first), number(queryBlock));
  V limit = add(first, count);
  V scale = a.scale == 1 ? nullptr : floats(a.scale);
  copyRows(queries, paddedDepth, query, a.depth, batch, head, first, limit,
           scale);
  transposeBlock(queriesByDepth, queries, paddedDepth);
  copyRows(gradients, paddedValueDepth, gradient, a.valueDepth, batch, head,
           first, limit, nullptr);
  transposeBlock(gradientsByDepth, gradients, paddedValueDepth);
  zeroRows(querySums, paddedDepth, number(0), number(queryBlock));
  loadRow(logs, lse, batch, head, first, count);
  loadRow(deltas, delta, batch, head, first, count);
  KeyRange range = keyRange(first, count);
  kernel.loop(range.low, range.high, keyBlock, [&](V low) {
    V high = smaller(add(low, number(keyBlock)), range.high);
    V rows = sub(high, low);
    V keyRows = rowOf(keys, low, paddedDepth);
    multiplyScores("scores", keyRows, a.depth, queriesByDepth, weights, rows,
                   count);
    multiplyScores("cotangents", rowOf(values, low, paddedValueDepth),
                   a.valueDepth, gradientsByDepth, cotangents, rows, count);
    finishScores(weights, low, high, range, batch, head, first, count);
    weigh({batch, head, first, count, low}, rows);
    Product byKeys{queryBlock,       1,
                   paddedValueDepth, paddedValueDepth,
                   paddedValueDepth, "bykeys"};
    multiply(byKeys, weights, gradients,
             rowOf(valueSums, low, paddedValueDepth), rows, count,
             ir.getTrue());
    byKeys.bStep = byKeys.cRow = byKeys.columns = paddedDepth;
    multiply(byKeys, cotangents, queries, rowOf(keySums, low, paddedDepth),
             rows, count, ir.getTrue());
    Product byQueries{1,           queryBlock,  paddedDepth,
                      paddedDepth, paddedDepth, "byqueries"};
    multiply(byQueries, cotangents, keyRows, querySums,
             roundUp(count, tileRows), sub(smaller(high, keyCount), low),
             ir.getTrue());
  });
  storeRows(queryResult, querySums, paddedDepth, a.depth, batch, head, first,
            count, nullptr, scale, orNull(querySum));
}

/// Turns scores into weights, and cotangents of weights into those of scores.
void GradientKernel::weigh(const ScoreBlock &block, V rows) {
  Math math(kernel);
  forEachLanes(block.count, [&](V i) {
    V log = loadLanes(element(logs, i)), delta = loadLanes(element(deltas, i));
    V seesNone = nullptr;
    if (anyKey)
      seesNone = ir.CreateFCmpOEQ(
          log, floats(std::numeric_limits<double>::infinity()));
    kernel.loop(number(0), rows, 1, [&](V row) {
      V score = element(rowOf(weights, row, queryBlock), i);
      V cotangent = element(rowOf(cotangents, row, queryBlock), i);
      V weight =
          math.emit(MathFunction::Exp, ir.CreateFSub(loadLanes(score), log));
      V kept = keptLanes(block, row, i);
      auto drop = [&](V x) {
        if (a.keptScale != 1)
          x = ir.CreateFMul(x, floats(a.keptScale));
        return whereKept(kept, x);
      };
      V g = ir.CreateFMul(weight,
                          ir.CreateFSub(drop(loadLanes(cotangent)), delta));
      if (seesNone) {
        weight = ir.CreateSelect(seesNone, floats(1.0 / a.allKeys), weight);
        g = ir.CreateSelect(seesNone, floats(0), g);
      }
      storeLanes(drop(weight), score);
      storeLanes(g, cotangent);
    });
  });
}

} // namespace

LogicalResult emitAttentionGradient(KernelBuilder &kernel, Operation *op) {
  if (auto block = dyn_cast<train::AttentionBlockGradientOp>(op))
    GradientKernel(kernel, block).emit();
  else
    GradientKernel(kernel, cast<train::AttentionGradientOp>(op)).emit();
  return success();
}

} // namespace zcc
