// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Extents, verifiers and costs of train.attention and its gradient, and of
// their forms for one block of keys.
#include "dialects/Train/Attention.h"
#include <cmath>
#include <numeric>

using namespace mlir;

namespace zcc::train {

template <typename Op> void Attention::read(Op op) {
  query = op.getQuery();
  key = op.getKey();
  value = op.getValue();
  bias = op.getBias();
  mask = op.getMask();
  queryOrigin = op.getQueryOrigin();
  scale = op.getScale().convertToDouble();
  fill = op.getFill().convertToDouble();
  before = op.getBefore();
  after = op.getAfter();
  ArrayRef<int64_t> q = shapeOf(query), v = shapeOf(value);
  batch.assign(q.begin(), q.end() - 3);
  queries = q[q.size() - 3];
  heads = q[q.size() - 2];
  depth = q.back();
  keys = v[v.size() - 3];
  keyHeads = v[v.size() - 2];
  valueDepth = v.back();
  allKeys = keys;
}

template <typename Op> void Attention::readWhole(Op op) {
  read(op);
  keyOrigin = op.getKeyOrigin();
  kept = op.getKept();
  keptScale = op.getKeptScale().convertToDouble();
}

template <typename Op> void Attention::readBlock(Op op) {
  read(op);
  block = op.getBlock();
  allKeys = op.getAllKeys();
}

Attention::Attention(AttentionOp op) { readWhole(op); }
Attention::Attention(AttentionGradientOp op) { readWhole(op); }
Attention::Attention(AttentionBlockOp op) { readBlock(op); }
Attention::Attention(AttentionBlockGradientOp op) { readBlock(op); }

bool Attention::isAttention(Operation *op) {
  return isa<AttentionOp, AttentionGradientOp, AttentionBlockOp,
             AttentionBlockGradientOp>(op);
}

Attention Attention::of(Operation *op) {
  if (auto attention = dyn_cast<AttentionOp>(op))
    return Attention(attention);
  if (auto block = dyn_cast<AttentionBlockOp>(op))
    return Attention(block);
  if (auto block = dyn_cast<AttentionBlockGradientOp>(op))
    return Attention(block);
  return Attention(cast<AttentionGradientOp>(op));
}

int64_t Attention::batches() const {
  return std::accumulate(batch.begin(), batch.end(), int64_t(1),
                         std::multiplies<int64_t>());
}

SmallVector<int64_t> Attention::rowShape() const {
  SmallVector<int64_t> shape(batch);
  shape.append({queries, heads});
  return shape;
}

SmallVector<int64_t> Attention::resultShape() const {
  SmallVector<int64_t> shape = rowShape();
  shape.push_back(valueDepth);
  return shape;
}

SmallVector<int64_t> Attention::scoreShape() const {
  SmallVector<int64_t> shape(batch);
  shape.append({heads, queries, keys});
  return shape;
}

bool Attention::isFolded() const {
  return block && queryOrigin && tensorType(queryOrigin).getRank() == 1;
}

bool Attention::bandSeesAll() const {
  if (queries == 0)
    return true;
  // The first and the last query are the critical ones.
  return (!after || *after >= 0) &&
         (!before || queries - 1 - *before <= keys - 1) &&
         (!before || !after || -*before <= *after) && keys > 0;
}

Type Attention::wideType() const {
  MLIRContext *context = query.getContext();
  return tensorType(query).getElementType().isF64()
             ? Type(Float64Type::get(context))
             : Type(Float32Type::get(context));
}

// ---------------------------------------------------------------- verifiers

static LogicalResult expectShape(Operation *op, StringRef name, Value v,
                                 ArrayRef<int64_t> shape, Type element) {
  if (shapeOf(v) != shape)
    return op->emitOpError("expected ")
           << name << " of shape " << shapeText(shape) << ", found "
           << shapeText(shapeOf(v));
  if (tensorType(v).getElementType() != element)
    return op->emitOpError("expected ")
           << name << " of " << element << ", found "
           << tensorType(v).getElementType();
  return success();
}

template <typename Op> static LogicalResult verifyOperands(Op op) {
  ArrayRef<int64_t> q = shapeOf(op.getQuery()), k = shapeOf(op.getKey()),
                    v = shapeOf(op.getValue());
  if (q.size() < 3)
    return op.emitOpError("expected a query of rank 3 or more, found ")
           << q.size();
  if (v.size() != q.size() || k.size() != q.size() || v[v.size() - 2] == 0 ||
      q[q.size() - 2] % v[v.size() - 2] != 0)
    return op.emitOpError("expected key and value of the query's rank whose "
                          "heads divide its heads, found ")
           << op.getQuery().getType() << ", " << op.getKey().getType()
           << " and " << op.getValue().getType();
  Attention a(op);
  Type element = tensorType(a.query).getElementType();
  SmallVector<int64_t> shape(a.batch);
  shape.append({a.keys, a.keyHeads, a.depth});
  if (failed(expectShape(op, "a key", a.key, shape, element)))
    return failure();
  shape.back() = a.valueDepth;
  if (failed(expectShape(op, "a value", a.value, shape, element)))
    return failure();
  SmallVector<int64_t> scores = a.scoreShape();
  scores.back() = a.allKeys;
  for (auto [v, name] : {std::pair<Value, StringRef>(a.bias, "bias"),
                         {a.mask, "mask"},
                         {a.kept, "kept"}}) {
    if (!v)
      continue;
    bool fits = shapeOf(v).size() == scores.size();
    for (size_t i = 0; fits && i < scores.size(); ++i)
      fits = shapeOf(v)[i] == 1 || shapeOf(v)[i] == scores[i];
    if (!fits)
      return op.emitOpError("expected a ")
             << name << " that broadcasts to " << shapeText(scores)
             << ", found " << shapeText(shapeOf(v));
  }
  for (Value v : {a.queryOrigin, a.keyOrigin, a.block})
    if (v && ((tensorType(v).getRank() != 0 &&
               !(v == a.queryOrigin && a.isFolded())) ||
              !tensorType(v).getElementType().isSignlessInteger(32)))
      return op.emitOpError("expected an i32 scalar as origin, found ")
             << v.getType();
  if (a.isFolded() &&
      (shapeOf(a.queryOrigin) != ArrayRef<int64_t>{2} || a.bias || a.mask ||
       a.queries % 2 != 0 || a.queries != a.keys || a.allKeys % a.keys != 0))
    return op.emitOpError("expected two origins, two equal stripes of queries "
                          "and of keys, no bias and no mask in a folded "
                          "sequence, found ")
           << a.queries << " queries, " << a.keys << " keys of " << a.allKeys
           << " and " << a.queryOrigin.getType();
  if (!std::isfinite(a.keptScale))
    return op.emitOpError("expected a finite kept_scale, found ")
           << a.keptScale;
  if (!(a.fill <= largestFill))
    return op.emitOpError("expected a fill of at most -1e4, found ") << a.fill;
  if (a.hasBand() && !a.mask && !a.queryOrigin && !a.keyOrigin && !a.block &&
      !a.bandSeesAll())
    return op.emitOpError("expected every query to see a key");
  return success();
}

LogicalResult AttentionOp::verify() {
  if (failed(verifyOperands(*this)))
    return failure();
  Attention a(*this);
  if (failed(
          expectShape(*this, "an lse", getLse(), a.rowShape(), a.wideType())))
    return failure();
  return expectShape(*this, "a result", getResult(), a.resultShape(),
                     tensorType(a.query).getElementType());
}

template <typename Op> static LogicalResult verifyGradientOperands(Op op) {
  if (failed(verifyOperands(op)))
    return failure();
  Attention a(op);
  return failure(
      failed(
          expectShape(op, "an lse", op.getLse(), a.rowShape(), a.wideType())) ||
      failed(expectShape(op, "a delta", op.getDelta(), a.rowShape(),
                         a.wideType())) ||
      failed(expectShape(op, "a gradient", op.getGradient(), a.resultShape(),
                         tensorType(a.query).getElementType())));
}

/// Checks an op with the attention's result in place of `delta`, and `lse`
/// transposed.
static LogicalResult verifyGradientOfResult(AttentionGradientOp op) {
  if (failed(verifyOperands(op)))
    return failure();
  Attention a(op);
  SmallVector<int64_t> rows(a.batch);
  rows.append({a.heads, a.queries});
  Type element = tensorType(a.query).getElementType();
  return failure(failed(expectShape(op, "an lse", op.getLse(), rows,
                                    a.wideType())) ||
                 failed(expectShape(op, "a result", op.getDelta(),
                                    a.resultShape(), element)) ||
                 failed(expectShape(op, "a gradient", op.getGradient(),
                                    a.resultShape(), element)));
}

LogicalResult AttentionGradientOp::verify() {
  bool takesResult =
      tensorType(getDelta()).getRank() == tensorType(getQuery()).getRank();
  if (failed(takesResult ? verifyGradientOfResult(*this)
                         : verifyGradientOperands(*this)))
    return failure();
  Attention a(*this);
  for (auto [result, operand] :
       {std::pair<Value, Value>(getQueryGradient(), a.query),
        {getKeyGradient(), a.key},
        {getValueGradient(), a.value}})
    if (result.getType() != operand.getType())
      return emitOpError("expected a result of type ")
             << operand.getType() << ", found " << result.getType();
  return success();
}

/// Checks the values that are carried from block to block.
static LogicalResult
verifyCarried(Operation *op, const Attention &a,
              ArrayRef<std::tuple<Value, Value, SmallVector<int64_t>>> pairs) {
  if (a.allKeys < 1)
    return op->emitOpError("expected at least one key, found ") << a.allKeys;
  for (const auto &[before, after, shape] : pairs)
    if (failed(expectShape(op, "a sum so far", before, shape, a.wideType())) ||
        failed(expectShape(op, "a result", after, shape, a.wideType())))
      return failure();
  return success();
}

LogicalResult AttentionBlockOp::verify() {
  if (failed(verifyOperands(*this)))
    return failure();
  Attention a(*this);
  return verifyCarried(*this, a,
                       {{getLargest(), getNewLargest(), a.rowShape()},
                        {getTotal(), getNewTotal(), a.rowShape()},
                        {getSums(), getNewSums(), a.resultShape()}});
}

LogicalResult AttentionBlockGradientOp::verify() {
  if (failed(verifyGradientOperands(*this)))
    return failure();
  Attention a(*this);
  auto shape = [](Value v) { return SmallVector<int64_t>(shapeOf(v)); };
  return verifyCarried(*this, a,
                       {{getQuerySum(), getQueryGradient(), shape(a.query)},
                        {getKeySum(), getKeyGradient(), shape(a.key)},
                        {getValueSum(), getValueGradient(), shape(a.value)}});
}

// ---------------------------------------------------------------- cost

/// Returns the operations of the products. Scores that a band hides count, as
/// in the decomposed graph.
static double productFlops(const Attention &a, int64_t depth) {
  return 2.0 * a.batches() * a.heads * a.queries * a.keys * depth;
}

static double forwardFlops(const Attention &a) {
  return productFlops(a, a.depth + a.valueDepth);
}

/// There are five products, one of which the forward op has computed already.
static double gradientFlops(const Attention &a) {
  return productFlops(a, 3 * a.depth + 2 * a.valueDepth);
}

double AttentionOp::getFlops() { return forwardFlops(Attention(*this)); }
double AttentionBlockOp::getFlops() { return forwardFlops(Attention(*this)); }
double AttentionGradientOp::getFlops() {
  return gradientFlops(Attention(*this));
}
double AttentionBlockGradientOp::getFlops() {
  return gradientFlops(Attention(*this));
}

} // namespace zcc::train
