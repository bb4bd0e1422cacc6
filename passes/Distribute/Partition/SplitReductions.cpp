// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Splits float sums over several dims with few results: they have too little to
// share out among threads, so their leading reduced dims are left to a second
// sum. Only the extents decide if and where a sum is split. A sum of squares
// becomes those of its blocks, and their sum.
#include "passes/Distribute/Distribute.h"
#include "passes/Distribute/Sharding/Placement.h"

namespace zcc {
using namespace mlir;
using namespace dist;
using namespace distribute;
#define GEN_PASS_DEF_SPLITREDUCTIONS
#include "passes/Distribute/Passes.h.inc"

namespace {
constexpr int64_t fewResults =
    32; // enough for the cores of a device, several times
constexpr int64_t smallSum =
    1 << 15; // below, one thread is done before others have begun
constexpr int64_t leastInner = 256; // elements of an inner sum

void split(train::ReduceOp reduce) {
  ArrayRef<int64_t> dims = reduce.getDims(),
                    shape = train::shapeOf(reduce.getOperand());
  int64_t results = train::tensorType(reduce.getResult()).getNumElements();
  int64_t inner = train::tensorType(reduce.getOperand()).getNumElements() /
                  std::max<int64_t>(results, 1);
  if (reduce.getKind() != train::ReduceKind::add ||
      !train::isFloat(reduce.getOperand()) || results == 0 ||
      results >= fewResults || results * inner < smallSum)
    return;
  SmallVector<int64_t> sorted(dims);
  llvm::sort(sorted);
  size_t outer = 0;
  int64_t parallel = results;
  while (parallel < fewResults && outer + 1 < sorted.size() &&
         inner / shape[sorted[outer]] >= leastInner) {
    parallel *= shape[sorted[outer]];
    inner /= shape[sorted[outer++]];
  }
  if (parallel == results)
    return;
  OpBuilder b(reduce);
  // Narrow types are added in f32 and rounded once, so the partial sums are
  // f32.
  Value operand = reduce.getOperand();
  Type element = train::tensorType(operand).getElementType(), wide = element;
  if (element.getIntOrFloatBitWidth() < 32)
    operand =
        train::convert(b, reduce.getLoc(), operand, wide = b.getF32Type());
  Value parts = train::reduce(b, reduce.getLoc(), operand,
                              ArrayRef<int64_t>(sorted).drop_front(outer),
                              train::ReduceKind::add);
  // The outer dims come before all dims that are gone by now, so their numbers
  // are the same.
  Value sum = train::reduce(b, reduce.getLoc(), parts,
                            ArrayRef<int64_t>(sorted).take_front(outer),
                            train::ReduceKind::add);
  if (wide != element)
    sum = train::convert(b, reduce.getLoc(), sum, element);
  // Nobody decided a sharding of the partial sums.
  SmallVector<Operation *> made = {parts.getDefiningOp(), sum.getDefiningOp()};
  if (wide != element)
    made.append({operand.getDefiningOp(),
                 sum.getDefiningOp()->getOperand(0).getDefiningOp()});
  for (Operation *op : made) {
    op->setDiscardableAttrs(reduce->getDiscardableAttrDictionary());
    if (op != sum.getDefiningOp())
      op->removeAttr(shardingsAttrName);
  }
  reduce.getResult().replaceAllUsesWith(sum);
  reduce.erase();
}

// Splits a sum of squares into blocks, so that threads share the work, and
// their sum.
void split(train::SumOfSquaresOp squares) {
  if (train::tensorType(squares.getResult()).getRank() != 0)
    return;
  OpBuilder b(squares);
  int64_t blocks =
      (train::tensorType(squares.getOperand()).getNumElements() +
       train::squaresBlock - 1) /
      train::squaresBlock;
  Value parts = train::SumOfSquaresOp::create(
      b, squares.getLoc(), RankedTensorType::get({blocks}, b.getF32Type()),
      squares.getOperand());
  Value sum = train::reduce(b, squares.getLoc(), parts, {0},
                            train::ReduceKind::add);
  for (Value v : {parts, sum})
    v.getDefiningOp()->setDiscardableAttrs(
        squares->getDiscardableAttrDictionary());
  parts.getDefiningOp()->removeAttr(shardingsAttrName);
  squares.getResult().replaceAllUsesWith(sum);
  squares.erase();
}

struct SplitReductions : impl::SplitReductionsBase<SplitReductions> {
  void runOnOperation() override {
    SmallVector<train::SumOfSquaresOp> squares;
    getOperation().walk(
        [&](train::SumOfSquaresOp op) { squares.push_back(op); });
    for (train::SumOfSquaresOp op : squares)
      split(op);
    SmallVector<train::ReduceOp> reduces;
    getOperation().walk(
        [&](train::ReduceOp reduce) { reduces.push_back(reduce); });
    for (train::ReduceOp reduce : reduces)
      split(reduce);
  }
};
} // namespace
} // namespace zcc
