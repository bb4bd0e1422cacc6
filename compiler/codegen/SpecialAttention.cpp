// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits train.attention. An item is a few blocks of the queries of one head;
// only the scores of one block, [keys, 48], are held at a time. For one block
// of the keys (train.attention_block) the sums so far are rescaled to the new
// largest score (online softmax: Milakov, Gimelshein 2018), and added to.
#include "compiler/codegen/SpecialAttention.h"
#include "compiler/codegen/Math.h"

using namespace mlir;

namespace zcc {
namespace {

using V = llvm::Value *;

class ForwardKernel : AttentionKernel {
public:
  ForwardKernel(KernelBuilder &kernel, Operation *op)
      : AttentionKernel(kernel, op), query(operand(a.query)),
        key(operand(a.key)), value(operand(a.value)) {
    if (auto block = dyn_cast<train::AttentionBlockOp>(op)) {
      before = Before{operand(block.getLargest()), operand(block.getTotal()),
                      operand(block.getSums())};
      newLargest = results(0);
      newTotal = results(1);
      result = results(2);
    } else {
      result = results(0);
      lse = results(1);
    }
  }
  void emit();

private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  // The blocks of an item: enough that copying its keys costs little.
  static constexpr int64_t itemBlocks = 8;

  void block(V batch, V keyHead, V head, V block, V low);
  void softmax(const ScoreBlock &block, V rows);
  void carryOn(V count, V rows);
  /// Emits the largest score of each of a vector of queries.
  V findLargest(V column, V rows);
  V maximum(V x, V y) {
    // A NaN is not lost: its exponential is NaN.
    return ir.CreateSelect(ir.CreateFCmpOGT(x, y), x, y);
  }
  /// Emits, for a vector of queries, the sum of the exponentials of the scores
  /// minus `base`. The scores become these exponentials. If `block` is given,
  /// exponentials that dropout does not keep become 0 after they are summed.
  V sumExponentials(V column, V rows, V base, const ScoreBlock *block = nullptr,
                    V i = nullptr);

  // The state that the blocks before have left.
  struct Before {
    Tensor largest, total, sums;
  };
  Tensor query, key, value;
  std::optional<Before> before;
  SmallVector<Tensor, 1> result, lse, newLargest, newTotal;
  V keys, values, queries, queriesByDepth, scores, sums, scales, logs;
  V largests, totals; // per query; read and updated
};

void ForwardKernel::emit() {
  int64_t blocks = llvm::divideCeil(a.queries, queryBlock);
  int64_t chunks = llvm::divideCeil(blocks, itemBlocks);
  int64_t perItem = llvm::divideCeil(blocks, chunks);
  keys = scratchFloats(paddedKeys * paddedDepth);
  values = scratchFloats(paddedKeys * paddedValueDepth);
  queries = scratchFloats(queryBlock * paddedDepth);
  queriesByDepth = scratchFloats(queryBlock * paddedDepth);
  scores = scratchFloats(paddedKeys * queryBlock);
  sums = scratchFloats(queryBlock * paddedValueDepth);
  scales = scratchFloats(queryBlock);
  logs = scratchFloats(queryBlock);
  if (before) {
    largests = scratchFloats(queryBlock);
    totals = scratchFloats(queryBlock);
  }
  double scoresOfItem = 1.0 * perItem * queryBlock * a.keys;
  items(a.batches() * a.heads * chunks,
        scoresOfItem *
            (0.5 + keptNanoseconds + 0.03 * (a.depth + a.valueDepth)),
        [&](V item) {
          V chunk = takeDim(item, chunks), group = takeDim(item, a.group()),
            keyHead = takeDim(item, a.keyHeads), batch = item;
          V head = add(times(keyHead, a.group()), group);
          V first = times(chunk, perItem);
          V end = smaller(add(first, number(perItem)), number(blocks));
          V start = times(first, queryBlock);
          V limit = smaller(times(end, queryBlock), number(a.queries));
          KeyRange all = keyRange(start, sub(limit, start));
          V last = smaller(all.high, keyCount);
          copyRows(keys, paddedDepth, key, a.depth, batch, keyHead, all.low,
                   last, nullptr);
          copyRows(values, paddedValueDepth, value, a.valueDepth, batch,
                   keyHead, all.low, last, nullptr);
          kernel.loop(first, end, 1,
                      [&](V b) { block(batch, keyHead, head, b, all.low); });
        });
}

void ForwardKernel::block(V batch, V keyHead, V head, V block, V low) {
  V first = times(block, queryBlock);
  V count = smaller(sub(number(a.queries), first), number(queryBlock));
  KeyRange range = keyRange(first, count);
  V rows = sub(range.high, range.low), skipped = sub(range.low, low);
  auto score = [&] {
    copyRows(queries, paddedDepth, query, a.depth, batch, head, first,
             add(first, count), a.scale == 1 ? nullptr : floats(a.scale));
    transposeBlock(queriesByDepth, queries, paddedDepth);
    multiplyScores("scores", rowOf(keys, skipped, paddedDepth), a.depth,
                   queriesByDepth, scores, rows, count);
    finishScores(scores, range.low, range.high, range, batch, head, first,
                 count);
  };
  Product p{
      1,       queryBlock, paddedValueDepth, paddedValueDepth, paddedValueDepth,
      "values"};
  auto sumValues = [&] {
    multiply(p, scores, rowOf(values, skipped, paddedValueDepth), sums,
             roundUp(count, tileRows),
             sub(smaller(range.high, keyCount), range.low),
             before ? ir.getTrue() : ir.getFalse());
  };
  if (!before) {
    score();
    softmax({batch, head, first, count, range.low}, rows);
    sumValues();
    storeRows(result, sums, paddedValueDepth, a.valueDepth, batch, head, first,
              count, scales, nullptr);
    if (!lse.empty())
      storeRow(lse, logs, batch, head, first, count);
    return;
  }
  loadRow(largests, before->largest, batch, head, first, count);
  loadRow(totals, before->total, batch, head, first, count);
  // It is possible that no query of the block sees any of the keys.
  V any = ir.CreateICmpSGT(rows, number(0));
  kernel.ifThenElse(any, score, [] {});
  carryOn(count, rows);
  copyRows(sums, paddedValueDepth, before->sums, a.valueDepth, batch, head,
           first, add(first, count), nullptr, scales);
  kernel.ifThenElse(any, sumValues, [] {});
  storeRows(result, sums, paddedValueDepth, a.valueDepth, batch, head, first,
            count, nullptr, nullptr);
  storeRow(newLargest, largests, batch, head, first, count);
  storeRow(newTotal, totals, batch, head, first, count);
}

V ForwardKernel::findLargest(V column, V rows) {
  llvm::AllocaInst *largest[4];
  for (llvm::AllocaInst *&v : largest) {
    v = kernel.variable(vector);
    kernel.set(v, floats(-infinity));
  }
  kernel.loop(number(0), rows, 4, [&](V row) {
    for (int64_t k = 0; k < 4; ++k) {
      V x = loadLanes(rowOf(column, add(row, number(k)), queryBlock));
      kernel.set(largest[k], maximum(x, kernel.get(largest[k])));
    }
  });
  return maximum(maximum(kernel.get(largest[0]), kernel.get(largest[1])),
                 maximum(kernel.get(largest[2]), kernel.get(largest[3])));
}

V ForwardKernel::sumExponentials(V column, V rows, V base,
                                 const ScoreBlock *block, V i) {
  Math math(kernel);
  llvm::AllocaInst *sum = kernel.variable(vector),
                   *total = kernel.variable(vector);
  kernel.set(total, floats(0));
  kernel.loop(number(0), rows, chain, [&](V start) {
    kernel.set(sum, floats(0));
    kernel.loop(start, smaller(add(start, number(chain)), rows), 1, [&](V row) {
      V at = rowOf(column, row, queryBlock);
      V e = math.emit(MathFunction::Exp, ir.CreateFSub(loadLanes(at), base));
      storeLanes(block ? whereKept(keptLanes(*block, row, i), e) : e, at);
      kernel.set(sum, ir.CreateFAdd(kernel.get(sum), e));
    });
    kernel.set(total, ir.CreateFAdd(kernel.get(total), kernel.get(sum)));
  });
  return kernel.get(total);
}

/// Turns scores into exponentials; `scales` gets their divisors.
void ForwardKernel::softmax(const ScoreBlock &block, V rows) {
  Math math(kernel);
  forEachLanes(block.count, [&](V i) {
    V column = element(scores, i), m = findLargest(column, rows),
      t = sumExponentials(column, rows, m, &block, i);
    storeLanes(ir.CreateFDiv(floats(a.keptScale), t), element(scales, i));
    if (lse.empty())
      return;
    V log = ir.CreateFAdd(m, math.emit(MathFunction::Log, t));
    if (anyKey)
      log = ir.CreateSelect(ir.CreateFCmpOLE(m, floats(a.fill)),
                            floats(infinity), log);
    storeLanes(log, element(logs, i));
  });
}

/// Turns scores into exponentials; `scales` gets the factors of the sums so
/// far.
void ForwardKernel::carryOn(V count, V rows) {
  Math math(kernel);
  forEachLanes(count, [&](V i) {
    V column = element(scores, i), old = loadLanes(element(largests, i));
    V m = maximum(findLargest(column, rows), old);
    // If no key was seen so far, the base is 0, since -inf - -inf is NaN.
    V base =
        ir.CreateSelect(ir.CreateFCmpOEQ(m, floats(-infinity)), floats(0), m);
    V worth = math.emit(MathFunction::Exp, ir.CreateFSub(old, base));
    V sum = sumExponentials(column, rows, base);
    V total =
        ir.CreateFAdd(ir.CreateFMul(loadLanes(element(totals, i)), worth), sum);
    storeLanes(m, element(largests, i));
    storeLanes(total, element(totals, i));
    storeLanes(worth, element(scales, i));
  });
}

} // namespace

LogicalResult emitAttention(KernelBuilder &kernel, Operation *op) {
  ForwardKernel(kernel, op).emit();
  return success();
}

} // namespace zcc
