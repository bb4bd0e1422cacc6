// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds the train.attention for the parts that RecognizeAttention has matched,
// with the dims of operands in the order of the op.
#include "dialects/Train/Attention.h"
#include "dialects/Train/Gradients.h"
#include "passes/Import/AttentionPattern.h"

using namespace mlir;
using zcc::train::ElementIndex;
using zcc::train::IndexExpr;
using zcc::train::IndexVar;
using zcc::train::shapeOf;
using zcc::train::tensorType;

namespace zcc {
namespace {

class AttentionBuilder {
public:
  AttentionBuilder(train::IndexContext &context, AttentionPattern &pattern)
      : context(context), pattern(pattern), weights(pattern.weights),
        scores(pattern.scores), second(pattern.second), b(second),
        loc(second.getLoc()) {}

  void run();

private:
  AttentionOperand peelRepetition(const AttentionOperand &operand,
                                  int64_t &repeats);
  /// Returns `operand` with its dims in this order, as a tensor of `shape`.
  Value arrange(const AttentionOperand &operand, const IndexVars &order,
                ArrayRef<int64_t> shape);
  Value arrangeScores(const ScoreTerm &term);
  Value buildBias();
  Value buildPredicate(ArrayRef<ScorePredicate> parts, Value seen);
  Value shareWithSink(Value attention, Value lse);
  Value buildResult(Value attention, Value lse);

  train::IndexContext &context;
  AttentionPattern &pattern;
  const AttentionWeights &weights;
  AttentionScores &scores;
  train::DotGeneralOp second;
  OpBuilder b;
  Location loc;
};

} // namespace

Value AttentionBuilder::arrange(const AttentionOperand &operand,
                                const IndexVars &order,
                                ArrayRef<int64_t> shape) {
  SmallVector<int64_t> permutation;
  for (const IndexVar *var : order)
    if (var)
      permutation.push_back(llvm::find(operand.dims, var) -
                            operand.dims.begin());
  for (auto [d, var] : llvm::enumerate(operand.dims))
    if (!var)
      permutation.push_back(d);
  Value moved = train::transpose(b, loc, operand.value, permutation);
  return train::reshape(b, loc, moved, shape);
}

/// Returns [batch..., heads, queries, keys], with extents 1 for dims along
/// which the term is constant.
Value AttentionBuilder::arrangeScores(const ScoreTerm &term) {
  AttentionOperand operand{term.value, {}};
  for (auto [extent, e] : llvm::zip_equal(shapeOf(term.value), term.index))
    operand.dims.push_back(extent == 1 ? nullptr : asVariable(e));
  auto has = [&](const IndexVar *var) {
    return var && llvm::is_contained(operand.dims, var);
  };
  IndexVars order;
  SmallVector<int64_t> shape;
  for (const IndexVar *var : pattern.batch) {
    order.push_back(has(var) ? var : nullptr);
    shape.push_back(has(var) ? var->extent : 1);
  }
  int64_t headDim = shape.size();
  for (const IndexVar *var :
       {pattern.head, pattern.group, pattern.query, weights.key}) {
    order.push_back(has(var) ? var : nullptr);
    shape.push_back(has(var) ? var->extent : 1);
  }
  Value v = arrange(operand, order, shape);
  // If it has only one of heads and groups, it is repeated for the other.
  if (has(pattern.head) != has(pattern.group) && pattern.group &&
      pattern.head) {
    shape[headDim] = pattern.head->extent;
    shape[headDim + 1] = pattern.group->extent;
    v = train::broadcast(
        b, loc, v, shape,
        llvm::to_vector(llvm::seq<int64_t>(0, int64_t(shape.size()))));
  }
  shape[headDim] *= shape[headDim + 1];
  shape.erase(shape.begin() + headDim + 1);
  return train::reshape(b, loc, v, shape);
}

/// Keys and values may be repeated for each query head (jax.numpy.repeat).
/// Returns the operand before that, with the head's dim `repeats` times
/// shorter.
AttentionOperand
AttentionBuilder::peelRepetition(const AttentionOperand &operand,
                                 int64_t &repeats) {
  repeats = 1;
  AttentionOperand best = operand;
  ScoreTerm term{operand.value, {}};
  for (const IndexVar *var : operand.dims)
    term.index.push_back(var ? IndexExpr(var) : IndexExpr(0));
  while (Operation *op = term.value.getDefiningOp()) {
    if (!isView(op))
      break;
    auto from = context.sources(op, term.index);
    term = {from[0].value, from[0].index};
    AttentionOperand candidate{term.value, {}};
    int64_t divisor = 1;
    bool fits = true;
    for (auto [extent, e] : llvm::zip_equal(shapeOf(term.value), term.index)) {
      const IndexVar *var = extent == 1 ? nullptr : asVariable(e);
      if (var && var->kind == IndexVar::Quotient &&
          asVariable(var->of) == pattern.head) {
        divisor = var->divisor;
        var = pattern.head;
      } else if (extent != 1) {
        fits &= var && var->extent == extent &&
                llvm::is_contained(operand.dims, var);
      }
      candidate.dims.push_back(var);
    }
    for (const IndexVar *var : operand.dims)
      fits &= !var || var == pattern.head ||
              llvm::is_contained(candidate.dims, var);
    if (!llvm::is_contained(candidate.dims, pattern.head)) {
      divisor = pattern.head->extent; // all heads share one key
    }
    if (fits && divisor > 1) {
      best = candidate;
      repeats = divisor;
    }
  }
  return best;
}

void AttentionBuilder::run() {
  AttentionOperand key = scores.key, value = pattern.value;
  int64_t heads = pattern.head ? pattern.head->extent : 1;
  int64_t group = pattern.group ? pattern.group->extent : 1, keyHeads = heads;
  if (pattern.head && !pattern.group) {
    int64_t keyRepeats, valueRepeats;
    AttentionOperand k = peelRepetition(key, keyRepeats),
                     v = peelRepetition(value, valueRepeats);
    if (keyRepeats == valueRepeats && heads % keyRepeats == 0) {
      key = k;
      value = v;
      keyHeads /= keyRepeats;
    }
  }
  SmallVector<int64_t> batch;
  for (const IndexVar *var : pattern.batch)
    batch.push_back(var->extent);
  auto build = [&](const AttentionOperand &operand, const IndexVar *rows,
                   bool isQuery, const IndexVar *depth) {
    IndexVars order(pattern.batch);
    order.push_back(rows);
    if (pattern.head && llvm::is_contained(operand.dims, pattern.head))
      order.push_back(pattern.head);
    if (isQuery && pattern.group)
      order.push_back(pattern.group);
    order.push_back(depth);
    SmallVector<int64_t> shape(batch);
    shape.append(
        {rows->extent, isQuery ? heads * group : keyHeads, depth->extent});
    return arrange(operand, order, shape);
  };
  // With several types the op computes in f32, so that none of them loses bits.
  Value operands[] = {build(scores.query, pattern.query, true, scores.depth),
                      build(key, weights.key, false, scores.depth),
                      build(value, weights.key, false, pattern.valueDepth)};
  Type element = tensorType(second).getElementType();
  for (Value v : operands)
    if (tensorType(v).getElementType() != element)
      element = b.getF32Type();
  for (Value &v : operands)
    v = train::convert(b, loc, v, element);
  // Rows that see no key must not be NaN if they are put to 0.
  if (scores.zeroRows)
    scores.fill = -1e30;

  SmallVector<int64_t> rowShape(batch);
  rowShape.append({pattern.query->extent, heads * group});
  SmallVector<int64_t> shape(rowShape);
  shape.push_back(pattern.valueDepth->extent);
  auto distance = [&](std::optional<int64_t> d) {
    return d ? b.getI64IntegerAttr(*d) : IntegerAttr();
  };
  Value bias = buildBias(), mask;
  if (scores.maskInfinite) {
    train::Arithmetic math{b, loc};
    mask =
        math.cmp(bias, train::CompareDirection::NE,
                 math.constant(bias, -std::numeric_limits<double>::infinity()));
  }
  mask = buildPredicate(pattern.mask->others, mask);
  Value kept = buildPredicate(scores.kept, {});
  auto attention = train::AttentionOp::create(
      b, loc,
      TypeRange{RankedTensorType::get(shape, element),
                RankedTensorType::get(rowShape, b.getF32Type())},
      operands[0], operands[1], operands[2], bias, mask, Value(), Value(), kept,
      b.getF64FloatAttr(scores.scale), distance(pattern.mask->before),
      distance(pattern.mask->after),
      b.getF64FloatAttr(
          scores.fill.value_or(-std::numeric_limits<double>::infinity())),
      b.getF64FloatAttr(scores.keptScale));

  second.getResult().replaceAllUsesWith(
      buildResult(attention.getResult(), attention.getLse()));
}

/// Repeats terms of the scores' shape, or with extents 1, to equal shapes.
static void repeatAlike(OpBuilder &b, Location loc, Value &x, Value &y) {
  SmallVector<int64_t> shape;
  for (auto [m, n] : llvm::zip_equal(shapeOf(x), shapeOf(y)))
    shape.push_back(std::max(m, n));
  auto dims = llvm::to_vector(llvm::seq<int64_t>(0, int64_t(shape.size())));
  for (Value *v : {&x, &y})
    if (shapeOf(*v) != ArrayRef<int64_t>(shape))
      *v = train::broadcast(b, loc, *v, shape, dims);
}

Value AttentionBuilder::buildBias() {
  train::Arithmetic math{b, loc};
  // The smallest biases come first: so sums are no larger than necessary.
  llvm::stable_sort(scores.biases, [](auto &x, auto &y) {
    return tensorType(x.first.value).getNumElements() <
           tensorType(y.first.value).getNumElements();
  });
  Value sum;
  for (auto &[term, factor] : scores.biases) {
    Value v = arrangeScores(term);
    if (factor != 1 || scores.biases.size() > 1)
      v = train::convert(b, loc, v, b.getF32Type());
    if (factor == -1)
      v = math.neg(v);
    else if (factor != 1)
      v = math.scaled(v, factor);
    if (sum) {
      repeatAlike(b, loc, sum, v);
      v = math.add(sum, v);
    }
    sum = v;
  }
  return sum;
}

/// Returns the predicate that all parts hold, and `seen`, if it is not null.
Value AttentionBuilder::buildPredicate(ArrayRef<ScorePredicate> parts,
                                       Value seen) {
  for (auto &[term, negated] : parts) {
    Value m = arrangeScores(term);
    if (negated)
      m = train::NotOp::create(b, loc, m);
    if (seen) {
      repeatAlike(b, loc, seen, m);
      m = train::AndOp::create(b, loc, seen, m);
    }
    seen = m;
  }
  return seen;
}

/// Multiplies each row by the part of the weights that the sink leaves: with
/// z = exp(lse) that is z / (z + exp(sink)), the logistic of lse - sink.
Value AttentionBuilder::shareWithSink(Value attention, Value lse) {
  train::Arithmetic math{b, loc};
  auto dims = llvm::to_vector(llvm::seq<int64_t>(0, shapeOf(lse).size()));
  Value share = lse;
  if (scores.sink->value) {
    Value sink = train::convert(b, loc, arrangeScores(*scores.sink),
                                tensorType(lse).getElementType());
    // [batch..., heads, queries, 1] becomes [batch..., queries, heads].
    sink = train::reshape(b, loc, sink, shapeOf(sink).drop_back());
    SmallVector<int64_t> permutation(dims);
    std::swap(permutation.back(), permutation[permutation.size() - 2]);
    sink = train::transpose(b, loc, sink, permutation);
    sink = train::broadcast(b, loc, sink, shapeOf(lse), dims);
    share = math.sub(lse, sink);
  }
  share = train::LogisticOp::create(b, loc, share);
  share = train::broadcast(b, loc, share, shapeOf(attention), dims);
  return math.mul(
      train::convert(b, loc, attention, tensorType(lse).getElementType()),
      share);
}

/// Returns the op's result in the form of the product's.
Value AttentionBuilder::buildResult(Value attention, Value lse) {
  if (scores.sink)
    attention = shareWithSink(attention, lse);
  if (scores.zeroRows) {
    train::Arithmetic math{b, loc};
    Value sees =
        math.cmp(lse, train::CompareDirection::NE,
                 math.constant(lse, std::numeric_limits<double>::infinity()));
    sees = train::broadcast(
        b, loc, sees, shapeOf(attention),
        llvm::to_vector(llvm::seq<int64_t>(0, shapeOf(lse).size())));
    attention = math.select(sees, attention, math.zero(attention));
  }
  attention =
      train::convert(b, loc, attention, tensorType(second).getElementType());
  AttentionOperand result{attention, {}};
  result.dims.append(pattern.batch);
  result.dims.push_back(pattern.query);
  ArrayRef<int64_t> whole = shapeOf(attention);
  SmallVector<int64_t> split(whole.drop_back(2));
  for (const IndexVar *var : {pattern.head, pattern.group})
    if (var) {
      result.dims.push_back(var);
      split.push_back(var->extent);
    }
  result.dims.push_back(pattern.valueDepth);
  split.push_back(pattern.valueDepth->extent);
  result.value = train::reshape(b, loc, result.value, split);
  IndexVars order;
  auto batching =
      pattern.weightsAreLhs ? second.getLhsBatching() : second.getRhsBatching();
  auto contracting = pattern.weightsAreLhs ? second.getLhsContracting()
                                           : second.getRhsContracting();
  IndexVars free;
  for (auto [d, var] : llvm::enumerate(weights.dims))
    if (var && !llvm::is_contained(batching, int64_t(d)) &&
        !llvm::is_contained(contracting, int64_t(d)))
      free.push_back(var);
  for (int64_t d : batching)
    if (weights.dims[d])
      order.push_back(weights.dims[d]);
  if (!pattern.weightsAreLhs)
    order.push_back(pattern.valueDepth);
  order.append(free);
  if (pattern.weightsAreLhs)
    order.push_back(pattern.valueDepth);
  return arrange(result, order, shapeOf(second.getResult()));
}

void buildAttention(train::IndexContext &context, AttentionPattern &pattern) {
  AttentionBuilder(context, pattern).run();
}

} // namespace zcc
