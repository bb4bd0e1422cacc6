// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads a softmax over the keys, however it is spelled.
//
// A softmax does not change when something that is the same for all keys is
// subtracted from its scores, so any such shift is skipped: the maximum, with
// or without care for rows of -inf. What is left is e / sum(e), e * (1 /
// sum(e)) or exp(x - log(sum(exp(x)))). Zeros that are put where keys are not
// seen (jax.nn. softmax's `where`) are conditions: those of the sum hold for
// the weights.
#include "passes/Import/AttentionPattern.h"

using namespace mlir;
using zcc::train::ElementIndex;
using zcc::train::IndexExpr;
using zcc::train::shapeOf;
using zcc::train::tensorType;

namespace zcc {

bool isWorkConversion(Operation *op) {
  return isa<train::ConvertOp>(op) && isWorkFloat(op->getOperand(0)) &&
         isWorkFloat(op->getResult(0));
}

/// Through movement and conversions.
ScoreTerm AttentionRecognizer::skipForm(ScoreTerm term) {
  while (true) {
    term = skipMovement(context, term);
    Operation *op = term.value.getDefiningOp();
    if (!op || !isWorkConversion(op))
      return term;
    term.value = op->getOperand(0);
  }
}

/// `op` at the place of `term` is another number, or 0 by a predicate.
bool AttentionRecognizer::readZeros(Operation *op, ScoreTerm &term,
                                    ScorePredicate &zeros) {
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
    if (!predicate || std::min(whereTrue, whereFalse) != 0 ||
        std::max(whereTrue, whereFalse) != 1)
      continue;
    zeros = {*predicate, whereTrue == 0};
    term.value = op->getOperand(1 - i);
    return true;
  }
  return false;
}

ScoreTerm AttentionRecognizer::skipZeros(ScoreTerm term,
                                         SmallVector<ScorePredicate, 2> &to) {
  ScorePredicate zeros;
  while (true) {
    term = skipForm(term);
    if (!readZeros(term.value.getDefiningOp(), term, zeros))
      return term;
    to.push_back(zeros);
  }
}

static bool depends(const ElementIndex &index, const train::IndexVar *var) {
  return llvm::any_of(
      index, [&](const IndexExpr &e) { return train::dependsOn(e, var); });
}

/// What `row` is the sum of over the keys.
std::optional<ScoreTerm> AttentionRecognizer::readSum(ScoreTerm row) {
  row = skipForm(row);
  auto reduce = row.value.getDefiningOp<train::ReduceOp>();
  if (!reduce || reduce.getKind() != train::ReduceKind::add ||
      reduce.getDims().size() != 1 || depends(row.index, keyVar) ||
      shapeOf(reduce.getOperand())[reduce.getDims()[0]] != keyVar->extent)
    return std::nullopt;
  row.index.insert(row.index.begin() + reduce.getDims()[0], IndexExpr(keyVar));
  return ScoreTerm{reduce.getOperand(), row.index};
}

/// The summands of what is the same for all keys. A stop_gradient stays: what
/// is behind it has another derivative.
void AttentionRecognizer::flattenRow(ScoreTerm row, bool negated, Terms &plus,
                                     Terms &minus) {
  row = skipForm(row);
  Operation *op = row.value.getDefiningOp();
  if (isa_and_nonnull<train::AddOp, train::SubOp>(op)) {
    flattenRow({op->getOperand(0), row.index}, negated, plus, minus);
    return flattenRow({op->getOperand(1), row.index},
                      negated != isa<train::SubOp>(op), plus, minus);
  }
  (negated ? minus : plus).push_back(row);
}

ScoreTerm AttentionRecognizer::skipShifts(ScoreTerm term, Terms &plus,
                                          Terms &minus) {
  while (true) {
    term = skipForm(term);
    Operation *op = term.value.getDefiningOp();
    if (!isa_and_nonnull<train::AddOp, train::SubOp>(op))
      return term;
    ScoreTerm operands[] = {skipForm({op->getOperand(0), term.index}),
                            skipForm({op->getOperand(1), term.index})};
    bool subtracts = isa<train::SubOp>(op);
    if (!depends(operands[1].index, keyVar)) {
      flattenRow(operands[1], subtracts, plus, minus);
      term = operands[0];
    } else if (!subtracts && !depends(operands[0].index, keyVar)) {
      flattenRow(operands[0], false, plus, minus);
      term = operands[1];
    } else {
      return term;
    }
  }
}

bool AttentionRecognizer::matchQuotient(ScoreTerm numerator, ScoreTerm sum,
                                        ScoreTerm &scores) {
  std::optional<ScoreTerm> summed = readSum(sum);
  if (!summed)
    return false;
  numerator = skipZeros(numerator, partZeros);
  auto exp = numerator.value.getDefiningOp<train::ExpOp>();
  if (!exp || !(skipZeros(*summed, sumZeros) == numerator))
    return false;
  for (Operation *user : exp->getUsers())
    if (!isa<train::DivOp, train::MulOp, train::SelectOp, train::ConvertOp,
             train::ReduceOp>(user))
      return false;
  Terms plus, minus;
  scores = skipShifts({exp.getOperand(), numerator.index}, plus, minus);
  return true;
}

// exp(x - log(sum(exp(x)))): with x and the logarithm taken apart into what
// depends on the key and what does not, so that their parts may stand in any
// order.
bool AttentionRecognizer::matchLogarithm(ScoreTerm weights, ScoreTerm &scores) {
  auto exp = weights.value.getDefiningOp<train::ExpOp>();
  Terms plus, minus;
  scores = skipShifts({exp.getOperand(), weights.index}, plus, minus);
  for (unsigned i = 0; i < minus.size(); ++i) {
    auto log = minus[i].value.getDefiningOp<train::LogOp>();
    std::optional<ScoreTerm> sum;
    if (!log)
      continue;
    // jax.nn.logsumexp takes the absolute value of what cannot be negative.
    Value positive = log.getOperand();
    if (auto abs = positive.getDefiningOp<train::AbsOp>())
      positive = abs.getOperand();
    if (!(sum = readSum({positive, minus[i].index})))
      continue;
    ScoreTerm summed = skipZeros(*sum, sumZeros);
    auto inner = summed.value.getDefiningOp<train::ExpOp>();
    if (!inner)
      return false;
    Terms innerPlus, innerMinus;
    if (!(skipShifts({inner.getOperand(), summed.index}, innerPlus,
                     innerMinus) == scores))
      return false;
    minus.erase(minus.begin() + i);
    // plus - minus = innerPlus - innerMinus, without signs.
    plus.append(innerMinus);
    innerPlus.append(minus);
    for (const ScoreTerm &part : plus) {
      auto *same = llvm::find(innerPlus, part);
      if (same == innerPlus.end())
        return false;
      innerPlus.erase(same);
    }
    return innerPlus.empty();
  }
  return false;
}

// `term` is the weights, maybe converted and moved, and read by nothing else.
bool AttentionRecognizer::matchSoftmax(ScoreTerm term, ScoreTerm &scores) {
  while (true) {
    Operation *op = term.value.getDefiningOp();
    if (!op || !op->hasOneUse())
      return false;
    ScorePredicate zeros;
    if (isa<train::TransposeOp, train::ReshapeOp>(op)) {
      auto from = context.sources(op, term.index);
      term = {from[0].value, from[0].index};
    } else if (isWorkConversion(op)) {
      term.value = op->getOperand(0);
    } else if (isa<train::ExpOp>(op)) {
      return matchLogarithm(term, scores);
    } else if (isa<train::DivOp>(op)) {
      return matchQuotient({op->getOperand(0), term.index},
                           {op->getOperand(1), term.index}, scores);
    } else if (readZeros(op, term, zeros)) {
      weightZeros.push_back(zeros);
    } else if (isa<train::MulOp>(op)) {
      for (unsigned i : {0u, 1u}) {
        ScoreTerm one = skipForm({op->getOperand(i), term.index});
        auto div = one.value.getDefiningOp<train::DivOp>();
        if (div && train::getSplat(div.getLhs()) == 1)
          return matchQuotient({op->getOperand(1 - i), term.index},
                               {div.getRhs(), one.index}, scores);
      }
      return false;
    } else {
      return false;
    }
  }
}

/// What the zeros say together with the scores' own conditions; false if the
/// weights are not those of the keys that were summed.
bool AttentionRecognizer::takeZeros() {
  auto among = [](ArrayRef<ScorePredicate> list, const ScorePredicate &p) {
    return llvm::is_contained(list, p);
  };
  for (auto *zeros : {&weightZeros, &partZeros})
    for (const ScorePredicate &p : *zeros)
      if (!among(predicates, p) && !among(sumZeros, p))
        return false;
  for (const ScorePredicate &p : sumZeros) {
    if (among(predicates, p))
      continue;
    if (!among(weightZeros, p) && !among(partZeros, p))
      return false;
    predicates.push_back(p);
  }
  if (weightZeros.empty() && partZeros.empty() && sumZeros.empty())
    return true;
  // A row without keys: 0 where the weights are put to 0 at last, else what 0
  // divided by 0 and the fill make of it.
  zeroRows = llvm::all_of(predicates, [&](const ScorePredicate &p) {
    return among(weightZeros, p);
  });
  needsKeys |= !zeroRows;
  return true;
}

/// Whether `weights` are made of exponentials that are summed, of a product.
bool AttentionRecognizer::looksLikeSoftmax(Value weights) const {
  auto reaches = [](Value from, auto &&isIt, auto &&through) -> Operation * {
    SmallVector<Value> open{from};
    SmallPtrSet<Operation *, 16> seen;
    while (!open.empty() && seen.size() < 64) {
      Operation *op = open.pop_back_val().getDefiningOp();
      if (!op || !seen.insert(op).second)
        continue;
      if (isIt(op))
        return op;
      if (through(op))
        open.append(op->operand_begin(), op->operand_end());
    }
    return nullptr;
  };
  auto isSummed = [](Operation *op) {
    return isa<train::ExpOp>(op) &&
           llvm::any_of(op->getUsers(), [](Operation *user) {
             if (isa<train::ConvertOp, train::SelectOp>(user))
               user = *user->user_begin();
             auto reduce = dyn_cast<train::ReduceOp>(user);
             return reduce && reduce.getKind() == train::ReduceKind::add;
           });
  };
  auto isWeights = [](Operation *op) {
    return isa<train::TransposeOp, train::ReshapeOp, train::ConvertOp,
               train::SelectOp, train::MulOp, train::DivOp>(op);
  };
  Operation *exp = reaches(weights, isSummed, isWeights);
  return exp && reaches(
                    exp->getOperand(0),
                    [](Operation *op) { return isa<train::DotGeneralOp>(op); },
                    [&](Operation *op) {
                      return isWeights(op) ||
                             isa<train::AddOp, train::SubOp, train::TanhOp,
                                 train::NegOp>(op);
                    });
}

} // namespace zcc
