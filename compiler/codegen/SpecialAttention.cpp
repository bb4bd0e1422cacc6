// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// train.attention: an item is a few blocks of the queries of one head. The
// scores of one block, [keys, 48], are held and no more.
#include "compiler/codegen/SpecialAttention.h"
#include "compiler/codegen/Math.h"

using namespace mlir;

namespace zcc {
namespace {

using V = llvm::Value *;

class ForwardKernel : AttentionKernel {
public:
  ForwardKernel(KernelBuilder &kernel, train::AttentionOp op)
      : AttentionKernel(kernel, op), query(operand(a.query)),
        key(operand(a.key)), value(operand(a.value)), result(results(0)),
        lse(results(1)) {}
  void emit();

private:
  // Blocks of an item: enough that copying its keys costs little.
  static constexpr int64_t itemBlocks = 8;

  void block(V batch, V keyHead, V head, V block, V low);
  void softmax(V count, V rows);

  Tensor query, key, value;
  SmallVector<Tensor, 1> result, lse;
  V keys, values, queries, queriesByDepth, scores, sums, scales, logs;
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
  double scoresOfItem = 1.0 * perItem * queryBlock * a.keys;
  items(a.batches() * a.heads * chunks,
        scoresOfItem * (0.5 + 0.03 * (a.depth + a.valueDepth)), [&](V item) {
          V chunk = takeDim(item, chunks), group = takeDim(item, a.group()),
            keyHead = takeDim(item, a.keyHeads), batch = item;
          V head = add(times(keyHead, a.group()), group);
          V first = times(chunk, perItem);
          V end = smaller(add(first, number(perItem)), number(blocks));
          V start = times(first, queryBlock);
          V limit = smaller(times(end, queryBlock), number(a.queries));
          KeyRange all = keyRange(start, sub(limit, start));
          V last = smaller(all.high, number(a.keys));
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
  copyRows(queries, paddedDepth, query, a.depth, batch, head, first,
           add(first, count), a.scale == 1 ? nullptr : floats(a.scale));
  transposeBlock(queriesByDepth, queries, paddedDepth);
  KeyRange range = keyRange(first, count);
  V rows = sub(range.high, range.low), skipped = sub(range.low, low);
  multiplyScores("scores", rowOf(keys, skipped, paddedDepth), a.depth,
                 queriesByDepth, scores, rows, count);
  finishScores(scores, range.low, range.high, range, batch, head, first, count);
  softmax(count, rows);
  Product p{
      1,       queryBlock, paddedValueDepth, paddedValueDepth, paddedValueDepth,
      "values"};
  multiply(p, scores, rowOf(values, skipped, paddedValueDepth), sums,
           roundUp(count, tileRows),
           sub(smaller(range.high, number(a.keys)), range.low), ir.getFalse());
  storeRows(result, sums, paddedValueDepth, a.valueDepth, batch, head, first,
            count, scales, nullptr);
  if (!lse.empty())
    kernel.loop(number(0), count, 1, [&](V i) {
      V x = ir.CreateAlignedLoad(f32, element(logs, i), llvm::Align(4));
      for (const Tensor &tensor : lse)
        kernel.storeScalar(x, tensor.buffer,
                           place(tensor, batch, {add(first, i), head}));
    });
}

/// Scores become exponentials; what they are divided by goes to `scales`.
void ForwardKernel::softmax(V count, V rows) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Math math(kernel);
  llvm::AllocaInst *largest[4], *sum = kernel.variable(vector),
                                *total = kernel.variable(vector);
  for (llvm::AllocaInst *&v : largest)
    v = kernel.variable(vector);
  auto maximum = [&](V x, V y) {
    // A NaN comes back through its exponential.
    return ir.CreateSelect(ir.CreateFCmpOGT(x, y), x, y);
  };
  forEachLanes(count, [&](V i) {
    V column = element(scores, i);
    for (llvm::AllocaInst *v : largest)
      kernel.set(v, floats(-infinity));
    kernel.loop(number(0), rows, 4, [&](V row) {
      for (int64_t k = 0; k < 4; ++k) {
        V x = loadLanes(rowOf(column, add(row, number(k)), queryBlock));
        kernel.set(largest[k], maximum(x, kernel.get(largest[k])));
      }
    });
    V m = maximum(maximum(kernel.get(largest[0]), kernel.get(largest[1])),
                  maximum(kernel.get(largest[2]), kernel.get(largest[3])));
    kernel.set(total, floats(0));
    kernel.loop(number(0), rows, chain, [&](V start) {
      kernel.set(sum, floats(0));
      kernel.loop(
          start, smaller(add(start, number(chain)), rows), 1, [&](V row) {
            V at = rowOf(column, row, queryBlock);
            V e = math.emit(MathFunction::Exp, ir.CreateFSub(loadLanes(at), m));
            storeLanes(e, at);
            kernel.set(sum, ir.CreateFAdd(kernel.get(sum), e));
          });
      kernel.set(total, ir.CreateFAdd(kernel.get(total), kernel.get(sum)));
    });
    V t = kernel.get(total);
    storeLanes(ir.CreateFDiv(floats(1), t), element(scales, i));
    if (lse.empty())
      return;
    V log = ir.CreateFAdd(m, math.emit(MathFunction::Log, t));
    if (anyKey)
      log = ir.CreateSelect(ir.CreateFCmpOLE(m, floats(a.fill)),
                            floats(infinity), log);
    storeLanes(log, element(logs, i));
  });
}

} // namespace

LogicalResult emitAttention(KernelBuilder &kernel, Operation *op) {
  ForwardKernel(kernel, cast<train::AttentionOp>(op)).emit();
  return success();
}

} // namespace zcc
