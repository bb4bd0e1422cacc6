// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads masks: conjunctions of comparisons of positions (causal, sliding
// window), and what is left of them.
#include "dialects/Train/Compare.h"
#include "passes/Import/AttentionPattern.h"

using namespace mlir;
using zcc::exec::Index;
using zcc::exec::IndexExpr;
using zcc::exec::IndexVar;
using zcc::train::CompareDirection;

namespace zcc {

static bool isView(Operation *op) {
  return isa<train::BroadcastOp, train::ReshapeOp, train::TransposeOp>(op);
}

ScoreTerm skipMovement(exec::IndexContext &context, ScoreTerm term) {
  while (Operation *op = term.value.getDefiningOp()) {
    if (!isView(op))
      break;
    auto sources = context.sources(op, term.index);
    if (sources.size() != 1 || !sources[0].conditions.empty())
      break;
    term = {sources[0].value, sources[0].index};
  }
  return term;
}

std::optional<IndexExpr> AttentionMask::affine(Value v, const Index &index) {
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
  // A folded iota.
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
    return from.value == v ? std::nullopt : affine(from.value, from.index);
  }
  if (isa<train::ConvertOp>(op))
    return affine(op->getOperand(0), index);
  if (!isa<train::AddOp, train::SubOp>(op))
    return std::nullopt;
  std::optional<IndexExpr> x = affine(op->getOperand(0), index),
                           y = affine(op->getOperand(1), index);
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
                            CompareDirection direction, const IndexVar *query,
                            const IndexVar *key) {
  // difference >= 0, with one more or less where it is not.
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
  auto narrow = [](std::optional<int64_t> &edge, int64_t to) {
    edge = edge ? std::min(*edge, to) : to;
    return true;
  };
  int64_t q = d.coefficientOf(query), k = d.coefficientOf(key);
  if (q == 1 && k == -1)
    return narrow(after, d.constant);
  return q == -1 && k == 1 && narrow(before, d.constant);
}

void AttentionMask::add(ScoreTerm term, bool negated, const IndexVar *query,
                        const IndexVar *key) {
  ScoreTerm from = skipMovement(context, term);
  Value v = from.value;
  Operation *op = v.getDefiningOp();
  if (std::optional<double> value = train::getSplat(v);
      value && (*value != 0) != negated)
    return; // always holds
  auto operand = [&](unsigned i) {
    return ScoreTerm{op->getOperand(i), from.index};
  };
  if (op && isa<train::NotOp>(op))
    return add(operand(0), !negated, query, key);
  if (op && (negated ? isa<train::OrOp, train::AddOp>(op)
                     : isa<train::AndOp, train::MulOp>(op))) {
    add(operand(0), negated, query, key);
    return add(operand(1), negated, query, key);
  }
  // A predicate as numbers: select(p, a, b), or p converted.
  auto numbers = [](Value v, double &whereTrue, double &whereFalse) -> Value {
    if (auto select = v.getDefiningOp<train::SelectOp>()) {
      std::optional<double> t = train::getSplat(select.getOnTrue()),
                            f = train::getSplat(select.getOnFalse());
      if (!t || !f)
        return {};
      whereTrue = *t;
      whereFalse = *f;
      return select.getPred();
    }
    auto convert = v.getDefiningOp<train::ConvertOp>();
    if (!convert ||
        !train::tensorType(convert.getOperand()).getElementType().isInteger(1))
      return {};
    whereTrue = 1;
    whereFalse = 0;
    return convert.getOperand();
  };
  double whereTrue = 0, whereFalse = 0;
  if (Value p = numbers(v, whereTrue, whereFalse))
    if ((whereTrue != 0) != (whereFalse != 0))
      return add({p, from.index}, negated != (whereTrue == 0), query, key);
  if (auto compare = dyn_cast_or_null<train::CompareOp>(op)) {
    CompareDirection direction =
        negated ? complement(compare.getDirection()) : compare.getDirection();
    std::optional<IndexExpr> x = affine(compare.getLhs(), from.index),
                             y = affine(compare.getRhs(), from.index);
    if (x && y && addBand(*x - *y, direction, query, key))
      return;
    std::optional<double> limit = train::getSplat(compare.getRhs());
    ScoreTerm number = skipMovement(context, operand(0));
    if (limit)
      if (Value p = numbers(number.value, whereTrue, whereFalse)) {
        bool t = train::holds<double>(direction, whereTrue, *limit),
             f = train::holds<double>(direction, whereFalse, *limit);
        if (t && f)
          return;
        if (t != f)
          return add({p, number.index}, f, query, key);
      }
  }
  others.push_back({from, negated});
}

} // namespace zcc
