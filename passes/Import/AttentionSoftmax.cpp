// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A softmax does not change if a value that is the same for all keys is
// subtracted from its scores. So any such shift is skipped: the maximum, with
// or without care for rows of -inf. The rest is e / sum(e), e * (1 / sum(e)) or
// exp(x - log(sum(exp(x)))). Zeros for unseen keys (jax.nn.softmax's `where`)
// are conditions: those in the sum hold for the weights. Other zeros drop
// weights (dropout), which a number may scale. Rows of -inf may be put to 0
// (PyTorch's safe softmax), also before the softmax. The scores may have one
// more column, whose weight is dropped (an attention sink), or the sum one more
// exponential, as of 0.
#include "passes/Import/AttentionSoftmax.h"
#include <cmath>

using namespace mlir;
using zcc::train::ElementIndex;
using zcc::train::IndexExpr;
using zcc::train::shapeOf;
using zcc::train::tensorType;

namespace zcc {

/// Reads an op at `term` that gives 0 by a predicate, and else another term
/// times `factor`. Returns false if the op does not.
bool SoftmaxReader::readZeros(Operation *op, ScoreTerm &term,
                              ScorePredicate &zeros, double &factor) {
  if (auto select = dyn_cast_or_null<train::SelectOp>(op)) {
    bool t = train::getSplat(select.getOnTrue()) == 0,
         f = train::getSplat(select.getOnFalse()) == 0;
    if (t == f)
      return false;
    zeros = {skipMovement(context, {select.getPred(), term.index}), t};
    term.value = t ? select.getOnFalse() : select.getOnTrue();
    return true;
  }
  if (!isa_and_nonnull<train::MulOp>(op))
    return false;
  for (unsigned i : {0u, 1u}) {
    double whereTrue = 0, whereFalse = 0;
    std::optional<ScoreTerm> predicate = readTwoValued(
        context, {op->getOperand(i), term.index}, whereTrue, whereFalse);
    if (!predicate || (whereTrue == 0) == (whereFalse == 0))
      continue;
    factor *= whereTrue + whereFalse;
    zeros = {*predicate, whereTrue == 0};
    term.value = op->getOperand(1 - i);
    return true;
  }
  return false;
}

ScoreTerm SoftmaxReader::skipZeros(ScoreTerm term, ScorePredicates &to,
                                   double &factor) {
  ScorePredicate zeros;
  while (true) {
    term = skipForm(context, term);
    if (!readZeros(term.value.getDefiningOp(), term, zeros, factor))
      return term;
    to.push_back(zeros);
  }
}

static bool depends(const ElementIndex &index, const train::IndexVar *var) {
  return llvm::any_of(
      index, [&](const IndexExpr &e) { return train::dependsOn(e, var); });
}

/// Returns the term that `row` sums over the keys; nullopt if it is no such
/// sum.
std::optional<ScoreTerm> SoftmaxReader::readSum(ScoreTerm row) {
  row = skipForm(context, row);
  auto reduce = row.value.getDefiningOp<train::ReduceOp>();
  if (!reduce || reduce.getKind() != train::ReduceKind::add ||
      reduce.getDims().size() != 1 || depends(row.index, key) ||
      shapeOf(reduce.getOperand())[reduce.getDims()[0]] != key->extent)
    return std::nullopt;
  row.index.insert(row.index.begin() + reduce.getDims()[0], IndexExpr(key));
  return ScoreTerm{reduce.getOperand(), row.index};
}

/// Splits a row that is the same for all keys into summands. It stops at a
/// stop_gradient, because the value behind that has another derivative.
void SoftmaxReader::flattenRow(ScoreTerm row, bool negated, Terms &plus,
                               Terms &minus) {
  row = skipForm(context, row);
  Operation *op = row.value.getDefiningOp();
  if (isa_and_nonnull<train::AddOp, train::SubOp>(op)) {
    flattenRow({op->getOperand(0), row.index}, negated, plus, minus);
    return flattenRow({op->getOperand(1), row.index},
                      negated != isa<train::SubOp>(op), plus, minus);
  }
  if (isa_and_nonnull<train::NegOp>(op))
    return flattenRow({op->getOperand(0), row.index}, !negated, plus, minus);
  (negated ? minus : plus).push_back(row);
}

/// Reads a sum over the keys to which `more` is added.
std::optional<ScoreTerm> SoftmaxReader::readSumAndMore(ScoreTerm row,
                                                       ScoreTerm &more) {
  row = skipForm(context, row);
  auto add = row.value.getDefiningOp<train::AddOp>();
  if (!add)
    return std::nullopt;
  for (unsigned i : {0u, 1u}) {
    more = skipForm(context, {add->getOperand(1 - i), row.index});
    if (depends(more.index, key))
      continue;
    if (std::optional<ScoreTerm> sum = readSum({add->getOperand(i), row.index}))
      return sum;
  }
  return std::nullopt;
}

/// Reads a summand that is added to the sum as the exponential of a sink, which
/// must be shifted like the scores.
bool SoftmaxReader::readAddedSink(const ScoreTerm &more, const Terms &plus,
                                  const Terms &minus) {
  Terms ofSink, shifts;
  if (auto exp = more.value.getDefiningOp<train::ExpOp>())
    flattenRow({exp.getOperand(), more.index}, false, ofSink, shifts);
  else if (train::getSplat(more.value) != 1)
    return false;
  ofSink.append(minus);
  shifts.append(plus);
  for (const ScoreTerm &shift : shifts) {
    auto *same = llvm::find(ofSink, shift);
    if (same == ofSink.end())
      return false;
    ofSink.erase(same);
  }
  if (ofSink.size() > 1 || keysOfColumns)
    return false;
  sink = ofSink.empty() ? ScoreTerm() : ofSink[0];
  return true;
}

ScoreTerm SoftmaxReader::skipShifts(ScoreTerm term, Terms &plus, Terms &minus) {
  while (true) {
    term = skipForm(context, term);
    Operation *op = term.value.getDefiningOp();
    if (!isa_and_nonnull<train::AddOp, train::SubOp>(op))
      return term;
    ScoreTerm operands[] = {skipForm(context, {op->getOperand(0), term.index}),
                            skipForm(context, {op->getOperand(1), term.index})};
    bool subtracts = isa<train::SubOp>(op);
    if (!depends(operands[1].index, key)) {
      flattenRow(operands[1], subtracts, plus, minus);
      term = operands[0];
    } else if (!subtracts && !depends(operands[0].index, key)) {
      flattenRow(operands[0], false, plus, minus);
      term = operands[1];
    } else {
      return term;
    }
  }
}

std::optional<ScoreTerm> SoftmaxReader::matchQuotient(ScoreTerm numerator,
                                                      ScoreTerm sum) {
  std::optional<ScoreTerm> summed = readSum(sum);
  ScoreTerm more;
  if (!summed)
    summed = readSumAndMore(sum, more);
  Operation *divisor = skipForm(context, sum).value.getDefiningOp();
  if (!summed)
    return stopAt(divisor);
  double ofSum = 1;
  numerator = skipZeros(numerator, partZeros, factor);
  auto exp = numerator.value.getDefiningOp<train::ExpOp>();
  if (!exp)
    return stopAt(numerator.value.getDefiningOp());
  ScoreTerm exponentials = skipZeros(*summed, sumZeros, ofSum);
  if (!(exponentials == numerator) || ofSum != 1)
    return stopAt(summed->value.getDefiningOp());
  for (Operation *user : exp->getUsers())
    if (!isa<train::DivOp, train::MulOp, train::SelectOp, train::ConvertOp,
             train::ReduceOp, train::ReshapeOp, train::TransposeOp>(user))
      return stopAt(user);
  Terms plus, minus;
  ScoreTerm scores =
      skipShifts({exp.getOperand(), numerator.index}, plus, minus);
  if (more.value && !readAddedSink(more, plus, minus))
    return stopAt(divisor);
  return scores;
}

// Matches exp(x - log(sum(exp(x)))). It splits x and the logarithm into parts
// that depend on the key and parts that do not, so that the order of the parts
// does not matter.
std::optional<ScoreTerm>
SoftmaxReader::matchLogarithm(const ScoreTerm &weights) {
  auto exp = weights.value.getDefiningOp<train::ExpOp>();
  Terms plus, minus;
  ScoreTerm scores = skipShifts({exp.getOperand(), weights.index}, plus, minus);
  for (unsigned i = 0; i < minus.size(); ++i) {
    auto log = minus[i].value.getDefiningOp<train::LogOp>();
    std::optional<ScoreTerm> sum;
    if (!log)
      continue;
    // jax.nn.logsumexp takes the absolute value of this sum, which is not
    // negative.
    Value positive = log.getOperand();
    if (auto abs = positive.getDefiningOp<train::AbsOp>())
      positive = abs.getOperand();
    if (!(sum = readSum({positive, minus[i].index})))
      continue;
    double ofSum = 1;
    ScoreTerm summed = skipZeros(*sum, sumZeros, ofSum);
    auto inner = summed.value.getDefiningOp<train::ExpOp>();
    if (!inner || ofSum != 1)
      return stopAt(summed.value.getDefiningOp());
    Terms innerPlus, innerMinus;
    if (!(skipShifts({inner.getOperand(), summed.index}, innerPlus,
                     innerMinus) == scores))
      return stopAt(inner);
    minus.erase(minus.begin() + i);
    // This checks plus - minus = innerPlus - innerMinus without signs.
    plus.append(innerMinus);
    innerPlus.append(minus);
    for (const ScoreTerm &part : plus) {
      auto *same = llvm::find(innerPlus, part);
      if (same == innerPlus.end())
        return stopAt(exp);
      innerPlus.erase(same);
    }
    return innerPlus.empty() ? std::optional(scores) : stopAt(exp);
  }
  return stopAt(exp);
}

/// Returns true if the predicate is that all numbers along the keys are -inf.
bool SoftmaxReader::readInfiniteRows(ScorePredicate zeros) {
  const ScorePredicate given = zeros;
  auto &[term, negated] = zeros;
  while (auto op = term.value.getDefiningOp<train::NotOp>()) {
    term = skipMovement(context, {op.getOperand(), term.index});
    negated = !negated;
  }
  auto reduce = term.value.getDefiningOp<train::ReduceOp>();
  if (!reduce || reduce.getDims().size() != 1 || depends(term.index, key) ||
      shapeOf(reduce.getOperand())[reduce.getDims()[0]] != key->extent)
    return false;
  bool all = reduce.getKind() == train::ReduceKind::logical_and;
  if (!all && reduce.getKind() != train::ReduceKind::logical_or)
    return false;
  term.index.insert(term.index.begin() + reduce.getDims()[0], IndexExpr(key));
  term = skipMovement(context, {reduce.getOperand(), term.index});
  bool equal = all;
  while (auto op = term.value.getDefiningOp<train::NotOp>()) {
    term = skipMovement(context, {op.getOperand(), term.index});
    equal = !equal;
  }
  auto compare = term.value.getDefiningOp<train::CompareOp>();
  if (!compare || negated != all ||
      compare.getDirection() !=
          (equal ? train::CompareDirection::EQ : train::CompareDirection::NE))
    return false;
  for (unsigned i : {0u, 1u})
    if (train::getSplat(compare->getOperand(i)) ==
        -std::numeric_limits<double>::infinity()) {
      infiniteRows =
          skipForm(context, {compare->getOperand(1 - i), term.index});
      infiniteRowsZeros = given;
      return true;
    }
  return false;
}

/// Returns true if `infiniteRows` are rows of these scores, or of scores plus
/// numbers.
bool SoftmaxReader::areInfiniteRowsOf(const ScoreTerm &scores) const {
  ScoreTerm term = *infiniteRows;
  while (!(term == scores)) {
    Operation *op = term.value.getDefiningOp();
    if (!isa_and_nonnull<train::AddOp, train::SubOp>(op))
      return false;
    auto isNumber = [&](unsigned i) {
      std::optional<double> x = train::getSplat(op->getOperand(i));
      return x && std::isfinite(*x);
    };
    unsigned other = isNumber(0) && isa<train::AddOp>(op) ? 1 : 0;
    if (!isNumber(1 - other))
      return false;
    term = skipForm(context, {op->getOperand(other), term.index});
  }
  return true;
}

/// Skips a select that puts the scores of these rows to 0, so that their
/// weights and derivatives are numbers before they are put to 0.
void SoftmaxReader::skipSafeRows(ScoreTerm &scores) {
  ScoreTerm before = scores;
  ScorePredicate zeros;
  double none = 1;
  if (isa_and_nonnull<train::SelectOp>(scores.value.getDefiningOp()) &&
      readZeros(scores.value.getDefiningOp(), before, zeros, none) &&
      zeros == infiniteRowsZeros)
    scores = skipForm(context, before);
}

/// Goes through a slice along the keys to a softmax of one column more.
bool SoftmaxReader::enterColumns(Operation *slice, ScoreTerm &term) {
  auto from = context.sources(slice, term.index);
  term = {from[0].value, from[0].index};
  if (keysOfColumns)
    return false;
  for (auto [extent, e] : llvm::zip_equal(shapeOf(term.value), term.index)) {
    if (!train::dependsOn(e, key))
      continue;
    if (keysOfColumns || e.terms.size() != 1 || e.coefficientOf(key) != 1 ||
        extent != key->extent + 1)
      return false;
    keysOfColumns = key;
    firstKey = e.constant;
    key = context.loopVar(extent);
    e = IndexExpr(key);
  }
  return keysOfColumns;
}

/// Separates the sink from the scores of the keys, which it returns in
/// `scores`. Nothing else may treat columns differently.
bool SoftmaxReader::takeSink(ScoreTerm &scores) {
  auto columns = scores.value.getDefiningOp<train::ConcatenateOp>();
  int64_t dim = columns ? columns.getDim() : 0;
  if (!columns || scores.index[dim] != IndexExpr(key) ||
      columns.getInputs().size() != 2 || infiniteRows || !partZeros.empty() ||
      !sumZeros.empty() ||
      llvm::any_of(weightZeros, [&](const ScorePredicate &zeros) {
        return depends(zeros.first.index, key);
      }))
    return false;
  // The dropped column is the last one, or the first one.
  unsigned ofKeys = firstKey == 0 ? 0 : 1;
  ScoreTerm all = scores;
  if (shapeOf(columns.getInputs()[ofKeys])[dim] != keysOfColumns->extent)
    return false;
  scores = {columns.getInputs()[ofKeys], all.index};
  scores.index[dim] = IndexExpr(keysOfColumns);
  sink = {columns.getInputs()[1 - ofKeys], all.index};
  sink->index[dim] = IndexExpr(0);
  return true;
}

/// Skips a product or quotient with a number.
bool SoftmaxReader::skipFactor(Operation *op, ScoreTerm &term) {
  if (!isa<train::MulOp, train::DivOp>(op))
    return false;
  std::optional<double> by = train::getSplat(op->getOperand(1));
  unsigned other = 0;
  if (!by && isa<train::MulOp>(op)) {
    by = train::getSplat(op->getOperand(0));
    other = 1;
  }
  double scaled = !by ? 0 : isa<train::MulOp>(op) ? factor * *by : factor / *by;
  if (!by || !std::isfinite(scaled) || scaled == 0)
    return false;
  factor = scaled;
  term.value = op->getOperand(other);
  return true;
}

std::optional<ScoreTerm> SoftmaxReader::read(ScoreTerm weights) {
  std::optional<ScoreTerm> scores = readWeights(weights);
  if (scores && keysOfColumns && !takeSink(*scores))
    return stopAt(scores->value.getDefiningOp());
  if (!scores || !infiniteRows)
    return scores;
  skipSafeRows(*scores);
  if (!areInfiniteRowsOf(*scores))
    return stopAt(infiniteRows->value.getDefiningOp());
  return scores;
}

std::optional<ScoreTerm> SoftmaxReader::readWeights(ScoreTerm term) {
  while (true) {
    Operation *op = term.value.getDefiningOp();
    if (!op)
      return std::nullopt;
    if (!op->hasOneUse()) {
      // The op that stops the match is a reader other than the product.
      for (Operation *user : op->getUsers())
        if (!isa<train::DotGeneralOp>(user) || !stop)
          stop = user;
      readElsewhere = true;
      return std::nullopt;
    }
    ScorePredicate zeros;
    if (isView(op)) {
      auto from = context.sources(op, term.index);
      term = {from[0].value, from[0].index};
    } else if (isa<train::SliceOp>(op)) {
      if (!enterColumns(op, term))
        return stopAt(op);
    } else if (isWorkConversion(op)) {
      term.value = op->getOperand(0);
    } else if (isa<train::ExpOp>(op)) {
      return matchLogarithm(term);
    } else if (skipFactor(op, term)) {
      continue;
    } else if (isa<train::DivOp>(op)) {
      return matchQuotient({op->getOperand(0), term.index},
                           {op->getOperand(1), term.index});
    } else if (readZeros(op, term, zeros, factor)) {
      if (!readInfiniteRows(zeros))
        weightZeros.push_back(zeros);
    } else if (isa<train::MulOp>(op)) {
      for (unsigned i : {0u, 1u}) {
        ScoreTerm one = skipForm(context, {op->getOperand(i), term.index});
        auto div = one.value.getDefiningOp<train::DivOp>();
        if (div && train::getSplat(div.getLhs()) == 1)
          return matchQuotient({op->getOperand(1 - i), term.index},
                               {div.getRhs(), one.index});
      }
      return stopAt(op);
    } else {
      return stopAt(op);
    }
  }
}

bool SoftmaxReader::takeZeros(AttentionScores &scores) const {
  ScorePredicates &predicates = scores.predicates;
  auto among = [](ArrayRef<ScorePredicate> list, const ScorePredicate &p) {
    return llvm::is_contained(list, p);
  };
  scores.keptScale = factor;
  scores.zeroInfinite = infiniteRows.has_value();
  bool leavesOut = !sumZeros.empty();
  for (auto *zeros : {&weightZeros, &partZeros})
    for (const ScorePredicate &p : *zeros)
      if (among(predicates, p) || among(sumZeros, p))
        leavesOut = true;
      else
        scores.kept.push_back(p);
  for (const ScorePredicate &p : sumZeros) {
    if (among(predicates, p))
      continue;
    if (!among(weightZeros, p) && !among(partZeros, p))
      return false;
    predicates.push_back(p);
  }
  if (!leavesOut)
    return true;
  // A row without keys gives 0 if the weights are put to 0 last. Else it gives
  // the quotient of 0 by 0, or the result of the fill.
  scores.zeroRows = llvm::all_of(predicates, [&](const ScorePredicate &p) {
    return among(weightZeros, p);
  });
  scores.needsKeys |= !scores.zeroRows;
  return true;
}

} // namespace zcc
