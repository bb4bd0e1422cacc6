// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Splits dims that the batch was merged into as a minor part. torch's
// MultiheadAttention makes [length * batch, features] of [length, batch,
// features] for a product, and splits the rows again afterwards. An axis that
// divides the batch divides no run of such rows, so each device, or each
// microbatch, would need all of them.
//
// The pass follows the batch from the first dim of each input. Where a reshape
// puts other dims before it, the ops behind are computed with that dim in two
// parts, [length, batch]. They are so up to the reshapes that split it, which
// then have nothing left to do. An op that is not known here gets the merged
// value. Results keep their bits, but for sums over the merged dim, which are
// taken in the order of the two dims.
#include "dialects/Train/StridedView.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/Import/Entry.h"
#include "passes/Import/Import.h"
#include <map>

using namespace mlir;
using zcc::train::FactorRule;
using zcc::train::shapeOf;
using zcc::train::tensorType;

namespace zcc {
#define GEN_PASS_DEF_SPLITROWS
#include "passes/Import/Passes.h.inc"

namespace {
/// The dim that holds the batch: its index is (o * batch + b) * inner + i, with
/// o below `outer`.
struct BatchPart {
  int64_t dim, outer, batch, inner;
};

/// Returns where the batch is after a reshape; nullopt if it is in several
/// dims.
std::optional<BatchPart> throughReshape(const BatchPart &part,
                                        ArrayRef<int64_t> from,
                                        ArrayRef<int64_t> to) {
  int64_t stride = part.inner; // of the batch, in elements
  for (int64_t extent : from.drop_front(part.dim + 1))
    stride *= extent;
  if (stride == 0)
    return std::nullopt;
  int64_t below = 1; // the elements of one index of dim d
  for (int64_t d = int64_t(to.size()) - 1; d >= 0; below *= to[d--])
    if (stride < below * to[d]) {
      if (stride % below != 0 || below * to[d] % (stride * part.batch) != 0)
        return std::nullopt;
      return BatchPart{d, below * to[d] / (stride * part.batch), part.batch,
                       stride / below};
    }
  return std::nullopt;
}

/// Returns where the batch is in a result of an op that passes it on as a dim
/// of its own; nullopt for others.
std::optional<BatchPart> throughRule(const FactorRule &rule,
                                     const BatchPart &part, unsigned operand,
                                     unsigned result) {
  const FactorRule::Dim &from = rule.operands[operand][part.dim];
  if (from.size() != 1 ||
      rule.factors[from.front()].kind != FactorRule::Kind::Pass ||
      rule.needsNeighbors(from.front()))
    return std::nullopt;
  for (auto [d, to] : llvm::enumerate(rule.results[result]))
    if (to == from)
      return BatchPart{int64_t(d), part.outer, part.batch, part.inner};
  return std::nullopt;
}

/// Makes two dims of one where lists of dims name it.
struct DimSplit {
  int64_t dim, outer;

  int64_t moved(int64_t d) const { return d > dim ? d + 1 : d; }
  SmallVector<int64_t> shape(ArrayRef<int64_t> before) const {
    SmallVector<int64_t> after(before);
    after[dim] /= outer;
    after.insert(after.begin() + dim, outer);
    return after;
  }
  /// Returns the dims of a list, with both parts for the dim.
  SmallVector<int64_t> dims(ArrayRef<int64_t> before) const {
    SmallVector<int64_t> after;
    for (int64_t d : before) {
      after.push_back(moved(d));
      if (d == dim)
        after.push_back(d + 1);
    }
    return after;
  }
};

class RowSplitter {
public:
  explicit RowSplitter(func::FuncOp entry) : entry(entry) {}

  void run() {
    Block &block = entry.getBody().front();
    for (BlockArgument arg : block.getArguments())
      if (entry.getArgAttr(arg.getArgNumber(), inputAttrName) &&
          !entry.getArgAttr(arg.getArgNumber(), randomKeyAttrName) &&
          !shapeOf(arg).empty() && shapeOf(arg)[0] > 1)
        parts[arg] = {0, 1, shapeOf(arg)[0], 1};
    for (Operation &op : llvm::make_early_inc_range(block))
      if (!op.hasTrait<OpTrait::IsTerminator>())
        visit(&op);
    if (splits.empty())
      return;
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (isOpTriviallyDead(&op))
        op.erase();
  }

private:
  func::FuncOp entry;
  llvm::DenseMap<Value, BatchPart> parts;
  /// Values with a dim in two parts, by the merged value and that dim.
  std::map<std::pair<void *, int64_t>, Value> splits;

  /// Returns the split of a value whose batch is a minor part of its dim.
  std::optional<DimSplit> splitOf(Value v) const {
    auto it = parts.find(v);
    if (it == parts.end() || it->second.outer == 1)
      return std::nullopt;
    return DimSplit{it->second.dim, it->second.outer};
  }

  /// Returns `v` with a dim in two parts.
  Value inParts(OpBuilder &b, Location loc, Value v, DimSplit split) {
    SmallVector<int64_t> shape = split.shape(shapeOf(v));
    if (auto it = splits.find({v.getAsOpaquePointer(), split.dim});
        it != splits.end() && shapeOf(it->second) == ArrayRef<int64_t>(shape))
      return it->second;
    // A value that does not vary along the dim is broadcast into both parts.
    auto broadcast = v.getDefiningOp<train::BroadcastOp>();
    if (broadcast && !llvm::is_contained(broadcast.getDims(), split.dim))
      return train::broadcast(
          b, loc, broadcast.getOperand(), shape,
          llvm::map_to_vector(broadcast.getDims(),
                              [&](int64_t d) { return split.moved(d); }));
    return train::reshape(b, loc, train::beforeReshapes(v), shape);
  }

  void follow(Operation *op) {
    auto shardable = dyn_cast<train::ShardableOpInterface>(op);
    if (!shardable)
      return;
    std::optional<FactorRule> rule;
    for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
      auto it = parts.find(operand);
      if (it == parts.end())
        continue;
      BatchPart part = it->second;
      if (!rule)
        rule = shardable.getFactorRule();
      for (auto [r, result] : llvm::enumerate(op->getResults()))
        if (auto next = throughRule(*rule, part, i, r))
          parts.try_emplace(result, *next);
    }
  }

  void visit(Operation *op) {
    if (auto reshape = dyn_cast<train::ReshapeOp>(op)) {
      auto it = parts.find(reshape.getOperand());
      if (it == parts.end())
        return;
      if (auto next = throughReshape(it->second, shapeOf(reshape.getOperand()),
                                     shapeOf(reshape)))
        parts.try_emplace(reshape, *next);
    } else {
      follow(op);
    }
    bool anySplit =
        llvm::any_of(op->getOperands(), [&](Value v) { return splitOf(v); });
    if (!anySplit && (op->getNumResults() != 1 || !splitOf(op->getResult(0))))
      return;
    rewrite(op);
  }

  /// Says that `whole`, the result of an op, is computed as `value`, with a dim
  /// in two parts.
  void replace(OpBuilder &b, Operation *op, DimSplit split, Value value) {
    Value whole = op->getResult(0);
    Value merged = train::reshape(b, op->getLoc(), value, shapeOf(whole));
    BatchPart part = parts.find(whole)->second;
    parts[merged] = part;
    splits[{merged.getAsOpaquePointer(), split.dim}] = value;
    whole.replaceAllUsesWith(merged);
  }

  /// Clones an op on other operands, with a result of another shape.
  static Operation *cloneOn(OpBuilder &b, Operation *op,
                            ArrayRef<Value> operands, ArrayRef<int64_t> shape) {
    OperationState state(op->getLoc(), op->getName(), operands,
                         tensorType(op->getResult(0)).clone(shape),
                         op->getAttrs());
    return b.create(state);
  }

  void rewrite(Operation *op) {
    OpBuilder b(op);
    Location loc = op->getLoc();
    if (auto reshape = dyn_cast<train::ReshapeOp>(op)) {
      std::optional<DimSplit> from = splitOf(reshape.getOperand()),
                              to = splitOf(reshape);
      Value operand = from ? inParts(b, loc, reshape.getOperand(), *from)
                           : reshape.getOperand();
      operand = train::beforeReshapes(operand);
      if (to)
        replace(b, op, *to,
                train::reshape(b, loc, operand, to->shape(shapeOf(reshape))));
      else if (from)
        keepPart(reshape, train::reshape(b, loc, operand, shapeOf(reshape)));
      return;
    }
    if (auto reduce = dyn_cast<train::ReduceOp>(op)) {
      DimSplit from = *splitOf(reduce.getOperand());
      Value found =
          train::reduce(b, loc, inParts(b, loc, reduce.getOperand(), from),
                        from.dims(reduce.getDims()), reduce.getKind());
      if (auto to = splitOf(reduce))
        replace(b, op, *to, found);
      else
        keepPart(reduce, found);
      return;
    }
    if (auto dot = dyn_cast<train::DotGeneralOp>(op))
      return rewriteProduct(dot);
    auto to = op->getNumResults() == 1 ? splitOf(op->getResult(0))
                                       : std::optional<DimSplit>();
    if (!to)
      return;
    SmallVector<int64_t> shape = to->shape(shapeOf(op->getResult(0)));
    // A constraint speaks of the merged dim.
    if (isa<train::ShardingConstraintOp>(op))
      return;
    if (op->hasTrait<train::ElementwiseOp>()) {
      SmallVector<Value> operands;
      for (Value v : op->getOperands())
        operands.push_back(inParts(b, loc, v, *to));
      replace(b, op, *to, cloneOn(b, op, operands, shape)->getResult(0));
    } else if (auto transpose = dyn_cast<train::TransposeOp>(op)) {
      DimSplit from{transpose.getPermutation()[to->dim], to->outer};
      replace(b, op, *to,
              train::transpose(b, loc,
                               inParts(b, loc, transpose.getOperand(), from),
                               from.dims(transpose.getPermutation())));
    } else if (auto broadcast = dyn_cast<train::BroadcastOp>(op)) {
      const auto *at = llvm::find(broadcast.getDims(), to->dim);
      if (at == broadcast.getDims().end())
        return;
      DimSplit from{at - broadcast.getDims().begin(), to->outer};
      replace(b, op, *to,
              train::broadcast(b, loc,
                               inParts(b, loc, broadcast.getOperand(), from),
                               shape, to->dims(broadcast.getDims())));
    } else if (auto gather = dyn_cast<train::GatherOp>(op)) {
      rewriteGather(gather, *to);
    }
  }

  /// Replaces an op by a value of the same shape.
  void keepPart(Operation *op, Value value) {
    Value whole = op->getResult(0);
    if (auto it = parts.find(whole); it != parts.end()) {
      BatchPart part = it->second;
      parts[value] = part;
    }
    whole.replaceAllUsesWith(value);
  }

  void rewriteProduct(train::DotGeneralOp dot) {
    OpBuilder b(dot);
    Location loc = dot.getLoc();
    std::optional<DimSplit> left = splitOf(dot.getLhs()),
                            right = splitOf(dot.getRhs());
    // Dims of one side that belong to dims of the other are split with them.
    auto match = [](const std::optional<DimSplit> &of, ArrayRef<int64_t> own,
                    ArrayRef<int64_t> others) -> std::optional<DimSplit> {
      if (of)
        for (auto [d, other] : llvm::zip_equal(own, others))
          if (d == of->dim)
            return DimSplit{other, of->outer};
      return std::nullopt;
    };
    auto pairOf = [&](const std::optional<DimSplit> &of, bool fromLeft) {
      auto found = fromLeft
                       ? match(of, dot.getLhsBatching(), dot.getRhsBatching())
                       : match(of, dot.getRhsBatching(), dot.getLhsBatching());
      if (found)
        return found;
      return fromLeft
                 ? match(of, dot.getLhsContracting(), dot.getRhsContracting())
                 : match(of, dot.getRhsContracting(), dot.getLhsContracting());
    };
    std::optional<DimSplit> fromLeft = pairOf(left, true),
                            fromRight = pairOf(right, false);
    auto differ = [](const std::optional<DimSplit> &x,
                     const std::optional<DimSplit> &y) {
      return x && y && (x->dim != y->dim || x->outer != y->outer);
    };
    // Both sides would be split in two places.
    if (differ(right, fromLeft) || differ(left, fromRight) ||
        (left && right && !fromLeft))
      return;
    if (!left)
      left = fromRight;
    if (!right)
      right = fromLeft;
    std::optional<DimSplit> to = splitOf(dot);
    auto dims = [](const std::optional<DimSplit> &split,
                   ArrayRef<int64_t> before) {
      return split ? split->dims(before) : SmallVector<int64_t>(before);
    };
    Value lhs = left ? inParts(b, loc, dot.getLhs(), *left) : dot.getLhs();
    Value rhs = right ? inParts(b, loc, dot.getRhs(), *right) : dot.getRhs();
    Value product = train::dotGeneral(
        b, loc, lhs, rhs, dims(left, dot.getLhsBatching()),
        dims(right, dot.getRhsBatching()), dims(left, dot.getLhsContracting()),
        dims(right, dot.getRhsContracting()), tensorType(dot).getElementType());
    if (to)
      replace(b, dot, *to, product);
    else
      keepPart(dot, train::reshape(b, loc, product, shapeOf(dot)));
  }

  void rewriteGather(train::GatherOp gather, DimSplit to) {
    if (llvm::is_contained(gather.getOffsetDims(), to.dim))
      return;
    OpBuilder b(gather);
    // The dims of the indices but that of the vectors are, in order, those of
    // the result that are no offsets.
    int64_t number = 0;
    for (int64_t d = 0; d < to.dim; ++d)
      number += !llvm::is_contained(gather.getOffsetDims(), d);
    int64_t vector = gather.getIndexVectorDim();
    DimSplit indices{number + (number >= vector), to.outer};
    SmallVector<int64_t> operandBatching(gather.getOperandBatchingDims()),
        collapsed(gather.getCollapsedSliceDims()),
        map(gather.getStartIndexMap()), sizes(gather.getSliceSizes());
    Value operand = gather.getOperand();
    const auto *at = llvm::find(gather.getIndicesBatchingDims(), indices.dim);
    if (at != gather.getIndicesBatchingDims().end()) {
      DimSplit own{
          operandBatching[at - gather.getIndicesBatchingDims().begin()],
          to.outer};
      operand = inParts(b, gather.getLoc(), operand, own);
      operandBatching = own.dims(operandBatching);
      for (SmallVector<int64_t> *dims : {&collapsed, &map})
        for (int64_t &d : *dims)
          d = own.moved(d);
      sizes.insert(sizes.begin() + own.dim, 1);
    }
    SmallVector<int64_t> offset;
    for (int64_t d : gather.getOffsetDims())
      offset.push_back(to.moved(d));
    Value found = train::GatherOp::create(
        b, gather.getLoc(), tensorType(gather).clone(to.shape(shapeOf(gather))),
        operand, inParts(b, gather.getLoc(), gather.getIndices(), indices),
        offset, collapsed, operandBatching,
        at == gather.getIndicesBatchingDims().end()
            ? llvm::map_to_vector(gather.getIndicesBatchingDims(),
                                  [&](int64_t d) { return indices.moved(d); })
            : indices.dims(gather.getIndicesBatchingDims()),
        map, indices.moved(vector), sizes);
    replace(b, gather, to, found);
  }
};

struct SplitRows : impl::SplitRowsBase<SplitRows> {
  void runOnOperation() override {
    func::FuncOp entry = findEntry(getOperation());
    if (entry && llvm::hasSingleElement(entry.getBody()))
      RowSplitter(entry).run();
  }
};

} // namespace
} // namespace zcc
