// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds attention and its derivative of elementary ops. The derivative is that
// of Dao et al., FlashAttention, appendix B.
#include "dialects/Train/Attention.h"
#include "dialects/Train/Gradients.h"

using namespace mlir;

namespace zcc::train {

static SmallVector<int64_t> counted(int64_t from, int64_t to) {
  return llvm::to_vector(llvm::seq<int64_t>(from, to));
}

/// Repeats `v`, of the rank of the scores, to their shape.
static Value repeat(OpBuilder &b, Location loc, Value v,
                    ArrayRef<int64_t> shape) {
  if (shapeOf(v) == shape)
    return v;
  return broadcast(b, loc, v, shape, counted(0, shape.size()));
}

Value Attention::buildSeen(OpBuilder &b, Location loc) const {
  SmallVector<int64_t> shape = scoreShape();
  int64_t rank = shape.size();
  Value seen;
  auto both = [&](Value v) {
    seen = seen ? Value(AndOp::create(b, loc, seen, v)) : v;
  };
  if (hasBand()) {
    auto type = RankedTensorType::get({queries, keys}, b.getI32Type());
    Value i = IotaOp::create(b, loc, type, queryOrigin, b.getI64IntegerAttr(0));
    Value j = IotaOp::create(b, loc, type, keyOrigin, b.getI64IntegerAttr(1));
    auto edge = [&](int64_t distance, CompareDirection direction) {
      Value limit =
          AddOp::create(b, loc, i, splat(b, loc, type, double(distance)));
      both(compare(b, loc, j, limit, direction));
    };
    if (before)
      edge(-*before, CompareDirection::GE);
    if (after)
      edge(*after, CompareDirection::LE);
    seen = broadcast(b, loc, seen, shape, {rank - 2, rank - 1});
  }
  if (mask)
    both(repeat(b, loc, mask, shape));
  return seen;
}

// Reshapes [..., heads, n] to [..., keyHeads, group, n].
static Value splitHeads(OpBuilder &b, Location loc, const Attention &a, Value v,
                        int64_t headDim) {
  SmallVector<int64_t> shape(shapeOf(v));
  shape[headDim] = a.group();
  shape.insert(shape.begin() + headDim, a.keyHeads);
  return reshape(b, loc, v, shape);
}
static Value joinHeads(OpBuilder &b, Location loc, const Attention &a, Value v,
                       int64_t headDim) {
  SmallVector<int64_t> shape(shapeOf(v));
  shape.erase(shape.begin() + headDim);
  shape[headDim] = a.heads;
  return reshape(b, loc, v, shape);
}

// With n batch dims, rows are [n.., queries, keyHeads, group, x], keys [n..,
// keys, keyHeads, x], and scores [n.., keyHeads, group, queries, keys].
Value Attention::rowsTimesKeys(OpBuilder &b, Location loc, Value rows,
                               Value keyRows) const {
  int64_t n = batch.size();
  rows = splitHeads(b, loc, *this, rows, n + 1);
  SmallVector<int64_t> batching = counted(0, n);
  batching.push_back(n + 1);
  Value product = dotGeneral(b, loc, rows, keyRows, batching, batching, {n + 3},
                             {n + 2}, wideType());
  // [n.., keyHeads, queries, group, keys]
  SmallVector<int64_t> permutation = counted(0, n + 4);
  std::swap(permutation[n + 1], permutation[n + 2]);
  return joinHeads(b, loc, *this, transpose(b, loc, product, permutation), n);
}

Value Attention::scoresTimesKeys(OpBuilder &b, Location loc, Value scores,
                                 Value keyRows) const {
  int64_t n = batch.size();
  scores = splitHeads(b, loc, *this, scores, n);
  SmallVector<int64_t> batching = counted(0, n), keyBatching = batching;
  batching.push_back(n);
  keyBatching.push_back(n + 1);
  keyRows = convert(b, loc, keyRows, wideType());
  Value product = dotGeneral(b, loc, scores, keyRows, batching, keyBatching,
                             {n + 3}, {n}, wideType());
  // [n.., keyHeads, group, queries, x]
  SmallVector<int64_t> permutation = counted(0, n);
  permutation.append({n + 2, n, n + 1, n + 3});
  return joinHeads(b, loc, *this, transpose(b, loc, product, permutation),
                   n + 1);
}

Value Attention::scoresTimesRows(OpBuilder &b, Location loc, Value scores,
                                 Value rows) const {
  int64_t n = batch.size();
  scores = splitHeads(b, loc, *this, scores, n);
  rows = convert(b, loc, splitHeads(b, loc, *this, rows, n + 1), wideType());
  SmallVector<int64_t> batching = counted(0, n), rowBatching = batching;
  batching.push_back(n);
  rowBatching.push_back(n + 1);
  Value product = dotGeneral(b, loc, scores, rows, batching, rowBatching,
                             {n + 1, n + 2}, {n + 2, n}, wideType());
  // [n.., keyHeads, keys, x]
  SmallVector<int64_t> permutation = counted(0, n + 3);
  std::swap(permutation[n], permutation[n + 1]);
  return transpose(b, loc, product, permutation);
}

Value Attention::rowsToScores(OpBuilder &b, Location loc, Value rows) const {
  int64_t n = batch.size();
  SmallVector<int64_t> dims = counted(0, n);
  dims.append({n + 1, n}); // rows are [n.., queries, heads]
  return broadcast(b, loc, rows, scoreShape(), dims);
}

Value Attention::buildScores(OpBuilder &b, Location loc, Value seen) const {
  Arithmetic math{b, loc};
  Value scores = rowsTimesKeys(b, loc, query, key);
  if (scale != 1)
    scores = math.scaled(scores, scale);
  if (bias)
    scores = math.add(scores, repeat(b, loc, convert(b, loc, bias, wideType()),
                                     scoreShape()));
  return seen ? math.select(seen, scores, math.constant(scores, fill)) : scores;
}

Value Attention::buildWeights(OpBuilder &b, Location loc, Value scores,
                              Value lse) const {
  Arithmetic math{b, loc};
  // The lse of a row that sees no key is of no use.
  if (lse && !mask)
    return math.exp(math.sub(scores, rowsToScores(b, loc, lse)));
  int64_t last = tensorType(scores).getRank() - 1;
  auto along = [&](Value v, ReduceKind kind) {
    return broadcast(b, loc, reduce(b, loc, v, {last}, kind), shapeOf(v),
                     counted(0, last));
  };
  Value exponentials =
      math.exp(math.sub(scores, along(scores, ReduceKind::maximum)));
  return math.div(exponentials, along(exponentials, ReduceKind::add));
}

Value Attention::buildKept(OpBuilder &b, Location loc, Value weights) const {
  Arithmetic math{b, loc};
  if (keptScale != 1)
    weights = math.scaled(weights, keptScale);
  return kept ? math.select(repeat(b, loc, kept, scoreShape()), weights,
                            math.zero(weights))
              : weights;
}

Value Attention::buildScoreGradient(OpBuilder &b, Location loc, Value weights,
                                    Value seen, Value gradient,
                                    Value delta) const {
  Arithmetic math{b, loc};
  Value g = buildKept(b, loc, rowsTimesKeys(b, loc, gradient, value));
  g = math.mul(weights, math.sub(g, rowsToScores(b, loc, delta)));
  // In a row that sees no key, keys that are not seen have weights.
  return mask ? math.select(seen, g, math.zero(g)) : g;
}

SmallVector<Value> decompose(OpBuilder &b, AttentionOp op) {
  Attention a(op);
  Location loc = op.getLoc();
  Arithmetic math{b, loc};
  Value seen = a.buildSeen(b, loc);
  Value scores = a.buildScores(b, loc, seen);
  Value weights = a.buildKept(b, loc, a.buildWeights(b, loc, scores, {}));
  Value result = a.scoresTimesKeys(b, loc, weights, a.value);
  result = convert(b, loc, result, tensorType(op.getResult()).getElementType());
  SmallVector<Value> results{result, Value()};
  if (op.getLse().use_empty())
    return results;
  int64_t last = tensorType(scores).getRank() - 1;
  Value largest = reduce(b, loc, scores, {last}, ReduceKind::maximum);
  Value exponentials = math.exp(math.sub(
      scores, broadcast(b, loc, largest, shapeOf(scores), counted(0, last))));
  Value sum = reduce(b, loc, exponentials, {last}, ReduceKind::add);
  Value lse = math.add(largest, LogOp::create(b, loc, sum));
  if (a.mask) {
    Value any = reduce(b, loc, seen, {last}, ReduceKind::logical_or);
    lse = math.select(
        any, lse, math.constant(lse, std::numeric_limits<double>::infinity()));
  }
  SmallVector<int64_t> permutation = counted(0, last);
  std::swap(permutation[last - 2], permutation[last - 1]);
  results[1] = transpose(b, loc, lse, permutation);
  return results;
}

SmallVector<Value> decompose(OpBuilder &b, AttentionGradientOp op) {
  Attention a(op);
  Location loc = op.getLoc();
  Arithmetic math{b, loc};
  Value seen = a.buildSeen(b, loc);
  Value weights =
      a.buildWeights(b, loc, a.buildScores(b, loc, seen), op.getLse());
  Value g = a.buildScoreGradient(b, loc, weights, seen, op.getGradient(),
                                 op.getDelta());
  if (a.scale != 1)
    g = math.scaled(g, a.scale);
  SmallVector<Value> results{a.scoresTimesKeys(b, loc, g, a.key),
                             a.scoresTimesRows(b, loc, g, a.query),
                             a.scoresTimesRows(b, loc,
                                               a.buildKept(b, loc, weights),
                                               op.getGradient())};
  for (Value &v : results)
    v = convert(b, loc, v, tensorType(a.query).getElementType());
  return results;
}

// Builds the cotangent of the bias: that of the scores, summed where the bias
// is repeated. It is built of elementary ops, which are dead if nobody uses it.
static Value biasGradient(OpBuilder &b, AttentionOp op, Value gradient,
                          Value delta) {
  Attention a(op);
  Location loc = op.getLoc();
  Value seen = a.buildSeen(b, loc);
  Value weights =
      a.buildWeights(b, loc, a.buildScores(b, loc, seen), op.getLse());
  Value g = a.buildScoreGradient(b, loc, weights, seen, gradient, delta);
  SmallVector<int64_t> repeated;
  for (auto [i, extent] : llvm::enumerate(shapeOf(a.bias)))
    if (extent == 1 && shapeOf(g)[i] != 1)
      repeated.push_back(i);
  g = reshape(b, loc, reduce(b, loc, g, repeated, ReduceKind::add),
              shapeOf(a.bias));
  return convert(b, loc, g, tensorType(a.bias).getElementType());
}

void AttentionOp::buildGradient(OpBuilder &b, ValueRange gradients,
                                SmallVectorImpl<Value> &out) {
  Attention a(*this);
  Location loc = getLoc();
  Arithmetic math{b, loc};
  Type wide = a.wideType();
  Value gradient = gradients[0];
  if (!gradient)
    gradient = math.zero(getResult());
  Value delta = reduce(b, loc,
                       math.mul(convert(b, loc, gradient, wide),
                                convert(b, loc, getResult(), wide)),
                       {tensorType(gradient).getRank() - 1}, ReduceKind::add);
  if (gradients[1])
    delta = math.sub(delta, gradients[1]);
  auto products = AttentionGradientOp::create(
      b, loc,
      TypeRange{getQuery().getType(), getKey().getType(), getValue().getType()},
      getQuery(), getKey(), getValue(), getBias(), getMask(), getQueryOrigin(),
      getKeyOrigin(), getLse(), delta, gradient, getKept(), getScaleAttr(),
      getBeforeAttr(), getAfterAttr(), getFillAttr(), getKeptScaleAttr());
  for (unsigned i = 0; i < 3; ++i)
    out[i] = products->getResult(i);
  if (a.bias)
    out[3] = biasGradient(b, *this, gradient, delta);
}

} // namespace zcc::train
