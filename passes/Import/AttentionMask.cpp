// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads masks: conjunctions of comparisons of positions (causal, sliding
// window) and of other conditions.
#include "passes/Import/AttentionMask.h"
#include "dialects/Train/Attention.h"
#include "dialects/Train/Compare.h"

using namespace mlir;
using zcc::train::CompareDirection;
using zcc::train::ElementIndex;
using zcc::train::IndexExpr;
using zcc::train::IndexVar;

namespace zcc {

/// Returns an integer as an expression of positions; nullopt if it is none.
static std::optional<IndexExpr> affine(train::IndexContext &context, Value v,
                                       const ElementIndex &index) {
  if (std::optional<double> value = train::getSplat(v)) {
    if (*value != std::floor(*value) || std::abs(*value) > 1e9)
      return std::nullopt;
    return IndexExpr(static_cast<int64_t>(*value));
  }
  Operation *op = v.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (auto iota = dyn_cast<train::IotaOp>(op)) {
    if (iota.getOrigin())
      return std::nullopt;
    return index[iota.getDim()];
  }
  // This constant may be a folded iota.
  if (auto constant = dyn_cast<train::ConstantOp>(op)) {
    auto dense = dyn_cast<DenseIntElementsAttr>(constant.getValue());
    if (!dense || dense.getType().getRank() != 1 || dense.size() < 2)
      return std::nullopt;
    SmallVector<APInt> values(dense.getValues<APInt>());
    int64_t first = values[0].getSExtValue(),
            step = values[1].getSExtValue() - first;
    for (auto [i, value] : llvm::enumerate(values))
      if (value.getSExtValue() != first + static_cast<int64_t>(i) * step)
        return std::nullopt;
    return index[0] * step + IndexExpr(first);
  }
  if (isView(op)) {
    ScoreTerm from = skipMovement(context, {v, index});
    return from.value == v ? std::nullopt
                           : affine(context, from.value, from.index);
  }
  if (isa<train::ConvertOp>(op))
    return affine(context, op->getOperand(0), index);
  if (!isa<train::AddOp, train::SubOp>(op))
    return std::nullopt;
  std::optional<IndexExpr> x = affine(context, op->getOperand(0), index),
                           y = affine(context, op->getOperand(1), index);
  if (!x || !y)
    return std::nullopt;
  return isa<train::AddOp>(op) ? *x + *y : *x - *y;
}

static CompareDirection complement(CompareDirection direction) {
  switch (direction) {
  case CompareDirection::EQ:
    return CompareDirection::NE;
  case CompareDirection::NE:
    return CompareDirection::EQ;
  case CompareDirection::LT:
    return CompareDirection::GE;
  case CompareDirection::LE:
    return CompareDirection::GT;
  case CompareDirection::GT:
    return CompareDirection::LE;
  case CompareDirection::GE:
    return CompareDirection::LT;
  }
  llvm_unreachable("unknown direction");
}

bool AttentionMask::addBand(const IndexExpr &difference,
                            CompareDirection direction) {
  // The condition is difference >= 0, with 1 subtracted for strict comparisons.
  IndexExpr d = difference;
  if (direction == CompareDirection::LE || direction == CompareDirection::LT)
    d = d * -1;
  else if (direction != CompareDirection::GE &&
           direction != CompareDirection::GT)
    return false;
  if (direction == CompareDirection::LT || direction == CompareDirection::GT)
    d = d - IndexExpr(1);
  if (d.terms.size() != 2)
    return false;
  int64_t q = d.coefficientOf(query), k = d.coefficientOf(key);
  if (q == 1 && k == -1)
    narrow({}, d.constant);
  else if (q == -1 && k == 1)
    narrow(d.constant, {});
  else
    return false;
  return true;
}

void AttentionMask::narrow(std::optional<int64_t> newBefore,
                           std::optional<int64_t> newAfter) {
  auto take = [](std::optional<int64_t> &edge, std::optional<int64_t> to) {
    if (to)
      edge = edge ? std::min(*edge, *to) : *to;
  };
  take(before, newBefore);
  take(after, newAfter);
}

/// Reads a mask that was computed when the text was made. The furthest seen key
/// on each side gives the band; then the rest of the constant must agree.
bool AttentionMask::addConstant(const ScoreTerm &constant,
                                llvm::function_ref<bool(int64_t)> seen) {
  ArrayRef<int64_t> shape = train::shapeOf(constant.value);
  int64_t queryStride = 0, keyStride = 0, stride = 1;
  for (unsigned d = shape.size(); d-- > 0; stride *= shape[d]) {
    if (shape[d] == 1)
      continue;
    const IndexVar *var = asVariable(constant.index[d]);
    int64_t &of = var == key ? keyStride : queryStride;
    if (!var || (var != key && var != query) || var->extent != shape[d] || of)
      return false;
    of = stride;
  }
  if (!queryStride || !keyStride)
    return false;
  int64_t queries = query->extent, keys = key->extent;
  int64_t least = keys, most = -queries; // of key minus query
  auto each = [&](auto visit) {
    for (int64_t i = 0; i < queries; ++i)
      for (int64_t j = 0; j < keys; ++j)
        if (!visit(j - i, seen(i * queryStride + j * keyStride)))
          return false;
    return true;
  };
  each([&](int64_t distance, bool isSeen) {
    if (isSeen) {
      least = std::min(least, distance);
      most = std::max(most, distance);
    }
    return true;
  });
  if (!each([&](int64_t distance, bool isSeen) {
        return isSeen == (least <= distance && distance <= most);
      }))
    return false;
  narrow(least > 1 - queries ? std::optional<int64_t>(-least) : std::nullopt,
         most < keys - 1 ? std::optional<int64_t>(most) : std::nullopt);
  return true;
}

bool AttentionMask::everyQuerySees() const {
  // The first and the last query are the critical ones.
  return others.empty() && (!after || *after >= 0) &&
         (!before || query->extent - 1 - *before <= key->extent - 1) &&
         (!before || !after || -*before <= *after);
}

bool AttentionMask::addHidden(ScoreTerm numbers, double factor, double &fill) {
  auto hides = [&](double v) { return factor * v <= train::largestFill; };
  double whereTrue = 0, whereFalse = 0;
  if (std::optional<ScoreTerm> p =
          readTwoValued(context, numbers, whereTrue, whereFalse)) {
    bool hidesTrue = whereFalse == 0 && hides(whereTrue);
    if (!hidesTrue && !(whereTrue == 0 && hides(whereFalse)))
      return false;
    fill = factor * (hidesTrue ? whereTrue : whereFalse);
    add(*p, hidesTrue);
    return true;
  }
  numbers = skipMovement(context, numbers);
  auto constant = numbers.value.getDefiningOp<train::ConstantOp>();
  auto dense = constant ? dyn_cast<DenseFPElementsAttr>(constant.getValue())
                        : DenseFPElementsAttr();
  if (!dense || dense.isSplat())
    return false;
  auto values = dense.getValues<APFloat>();
  SmallVector<bool> seen;
  std::optional<double> hidden;
  for (const APFloat &value : values) {
    APFloat wide = value;
    bool loses;
    wide.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &loses);
    double v = wide.convertToDouble();
    seen.push_back(v == 0);
    if (v == 0)
      continue;
    if (!hides(v) || (hidden && *hidden != v))
      return false;
    hidden = v;
  }
  if (!hidden || !addConstant(numbers, [&](int64_t i) { return seen[i]; }))
    return false;
  fill = factor * *hidden;
  return true;
}

void AttentionMask::add(ScoreTerm term, bool negated) {
  ScoreTerm from = skipMovement(context, term);
  Value v = from.value;
  Operation *op = v.getDefiningOp();
  if (std::optional<double> value = train::getSplat(v);
      value && (*value != 0) != negated)
    return; // the condition always holds
  auto operand = [&](unsigned i) {
    return ScoreTerm{op->getOperand(i), from.index};
  };
  if (op && isa<train::NotOp>(op))
    return add(operand(0), !negated);
  if (op && (negated ? isa<train::OrOp, train::AddOp>(op)
                     : isa<train::AndOp, train::MulOp>(op))) {
    add(operand(0), negated);
    return add(operand(1), negated);
  }
  double whereTrue = 0, whereFalse = 0;
  if (std::optional<ScoreTerm> p =
          readTwoValued(context, from, whereTrue, whereFalse))
    if ((whereTrue != 0) != (whereFalse != 0))
      return add(*p, negated != (whereTrue == 0));
  if (auto constant = dyn_cast_or_null<train::ConstantOp>(op)) {
    auto dense = dyn_cast<DenseIntElementsAttr>(constant.getValue());
    if (dense && dense.getElementType().isInteger(1)) {
      auto values = dense.getValues<bool>();
      auto seen = [&](int64_t i) { return values[i] != negated; };
      if (addConstant(from, seen))
        return;
    }
  }
  if (auto compare = dyn_cast_or_null<train::CompareOp>(op)) {
    CompareDirection direction =
        negated ? complement(compare.getDirection()) : compare.getDirection();
    std::optional<IndexExpr> x = affine(context, compare.getLhs(), from.index),
                             y = affine(context, compare.getRhs(), from.index);
    if (x && y && addBand(*x - *y, direction))
      return;
    std::optional<double> limit = train::getSplat(compare.getRhs());
    if (limit)
      if (std::optional<ScoreTerm> p =
              readTwoValued(context, operand(0), whereTrue, whereFalse)) {
        bool t = train::holds<double>(direction, whereTrue, *limit),
             f = train::holds<double>(direction, whereFalse, *limit);
        if (t && f)
          return;
        if (t != f)
          return add(*p, f);
      }
  }
  others.push_back({from, negated});
}

} // namespace zcc
