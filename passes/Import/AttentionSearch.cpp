// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The search follows one element backwards, and only what depends on the
// position of its key. So it ends at rows of keys, at parameters and at biases
// by query, and does not get into earlier layers. On the way it passes at most
// one product, because heads may be mixed by one (talking heads).
#include "passes/Import/AttentionSearch.h"

using namespace mlir;
using zcc::train::ElementIndex;
using zcc::train::IndexExpr;
using zcc::train::IndexVar;
using zcc::train::shapeOf;

namespace zcc {

static bool anyDependsOn(const ElementIndex &index, const IndexVar *var) {
  return llvm::any_of(
      index, [&](const IndexExpr &e) { return train::dependsOn(e, var); });
}

/// Returns true if `expr` is the variable, maybe moved by a constant.
static bool isVariable(const IndexExpr &expr, const IndexVar *var) {
  return expr.terms.size() == 1 && expr.coefficientOf(var) == 1;
}

std::pair<ScoreTerm, ScoreTerm>
AttentionSearch::operandsOf(train::DotGeneralOp dot,
                            const ElementIndex &index) {
  ScoreTerm lhs{dot.getLhs(), ElementIndex(shapeOf(dot.getLhs()).size())},
      rhs{dot.getRhs(), ElementIndex(shapeOf(dot.getRhs()).size())};
  size_t next = 0;
  for (auto [x, y] :
       llvm::zip_equal(dot.getLhsBatching(), dot.getRhsBatching()))
    lhs.index[x] = rhs.index[y] = index[next++];
  for (auto [x, y] :
       llvm::zip_equal(dot.getLhsContracting(), dot.getRhsContracting()))
    lhs.index[x] = rhs.index[y] =
        IndexExpr(context.loopVar(shapeOf(dot.getLhs())[x]));
  auto takeFree = [&](ScoreTerm &side, ArrayRef<int64_t> batching,
                      ArrayRef<int64_t> contracting) {
    for (auto [d, e] : llvm::enumerate(side.index))
      if (!llvm::is_contained(batching, int64_t(d)) &&
          !llvm::is_contained(contracting, int64_t(d)))
        e = index[next++];
  };
  takeFree(lhs, dot.getLhsBatching(), dot.getLhsContracting());
  takeFree(rhs, dot.getRhsBatching(), dot.getRhsContracting());
  return {lhs, rhs};
}

/// Returns the dims of the weights that are of queries alone.
static auto queriesOf(const AttentionWeights &weights) {
  return llvm::make_filter_range(weights.dims, [&](const IndexVar *var) {
    return var && var != weights.key &&
           !llvm::is_contained(weights.batching, var);
  });
}

bool AttentionSearch::hasOneQuery() const {
  return llvm::none_of(queriesOf(weights), [](auto *) { return true; });
}

bool AttentionSearch::dependsOnQuery(const ElementIndex &index) const {
  return llvm::any_of(queriesOf(weights), [&](const IndexVar *var) {
    return anyDependsOn(index, var);
  });
}

bool AttentionSearch::walk(const Step &from,
                           function_ref<bool(const Step &)> isFound) {
  SmallVector<Step, 4> open{from};
  SmallPtrSet<Operation *, 16> seen;
  while (!open.empty() && seen.size() < 64) {
    Step at = open.pop_back_val();
    auto &[term, passedProduct] = at;
    Operation *op = term.value.getDefiningOp();
    if (!op || !anyDependsOn(term.index, weights.key) ||
        !seen.insert(op).second)
      continue;
    if (isFound(at))
      return true;
    if (train::IndexContext::isMovement(op)) {
      for (const train::IndexSource &source : context.sources(op, term.index))
        open.push_back({{source.value, source.index}, passedProduct});
    } else if (auto dot = dyn_cast<train::DotGeneralOp>(op)) {
      if (passedProduct)
        continue;
      auto [lhs, rhs] = operandsOf(dot, term.index);
      open.push_back({lhs, true});
      open.push_back({rhs, true});
    } else if (op->hasTrait<train::ElementwiseOp>()) {
      for (Value operand : op->getOperands())
        if (shapeOf(operand) == shapeOf(term.value))
          open.push_back({{operand, term.index}, passedProduct});
    }
  }
  return false;
}

/// Returns true if a sum over the keys has these exponentials, which a mask may
/// select or multiply before.
bool AttentionSearch::isSummed(const ScoreTerm &exponentials) const {
  auto isSum = [&](Operation *user) {
    auto reduce = dyn_cast<train::ReduceOp>(user);
    return reduce && reduce.getKind() == train::ReduceKind::add &&
           llvm::any_of(reduce.getDims(), [&](int64_t d) {
             return isVariable(exponentials.index[d], weights.key);
           });
  };
  for (Operation *user : exponentials.value.getUsers())
    if (isSum(user) ||
        (isa<train::ConvertOp, train::SelectOp, train::MulOp>(user) &&
         llvm::any_of(user->getResult(0).getUsers(), isSum)))
      return true;
  // The logarithm of a sum of exponentials may be subtracted from the scores
  // instead.
  Value v = exponentials.value.getDefiningOp()->getOperand(0);
  for (unsigned steps = 0; steps < 4; ++steps) {
    auto sub = v.getDefiningOp<train::SubOp>();
    if (!sub)
      return false;
    Operation *op = sub.getRhs().getDefiningOp();
    while (op && isView(op))
      op = op->getOperand(0).getDefiningOp();
    if (isa_and_nonnull<train::LogOp>(op))
      return true;
    v = sub.getLhs();
  }
  return false;
}

/// Returns true if one operand depends on the key alone, and the other on the
/// query. Each batch has keys of its own; else these are weights of experts, or
/// features that are summed to one. Where heads were mixed, some of these dims
/// are others.
bool AttentionSearch::isScores(const Step &at) {
  auto dot = at.term.value.getDefiningOp<train::DotGeneralOp>();
  if (!dot)
    return false;
  auto [lhs, rhs] = operandsOf(dot, at.term.index);
  auto fits = [&](const ScoreTerm &query, const ScoreTerm &key) {
    auto isOfKey = [&](const IndexVar *var) {
      return anyDependsOn(key.index, var);
    };
    return isOfKey(weights.key) && !dependsOnQuery(key.index) &&
           !anyDependsOn(query.index, weights.key) &&
           (hasOneQuery() || dependsOnQuery(query.index)) &&
           (at.passedProduct ? llvm::any_of(weights.batching, isOfKey)
                             : llvm::all_of(weights.batching, isOfKey));
  };
  return fits(lhs, rhs) || fits(rhs, lhs);
}

bool AttentionSearch::reachesScores(const Step &from) {
  return walk(from, [&](const Step &at) { return isScores(at); });
}

bool AttentionSearch::findsSoftmax(const ScoreTerm &term) {
  return walk({term, false}, [&](const Step &at) {
    auto exp = at.term.value.getDefiningOp<train::ExpOp>();
    return exp && isSummed(at.term) &&
           reachesScores({{exp.getOperand(), at.term.index}, at.passedProduct});
  });
}

} // namespace zcc
