// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The search follows one element backwards, and only what depends on the
// position of its key. So it ends at rows of keys, at parameters and at biases
// by query, and does not get into earlier layers. On each side of the softmax
// it passes at most one product, because heads may be mixed by one (talking
// heads). A product may be written as a sum of products of elements.
#include "passes/Import/AttentionSearch.h"

using namespace mlir;
using zcc::train::ElementIndex;
using zcc::train::IndexContext;
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

static std::pair<ScoreTerm, ScoreTerm> operandsOf(IndexContext &context,
                                                  train::DotGeneralOp dot,
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

/// Returns what an op, which may be null, adds up if these are products of
/// elements; else null.
static train::MulOp productsOf(Operation *op) {
  auto sum = dyn_cast_or_null<train::ReduceOp>(op);
  if (!sum || sum.getKind() != train::ReduceKind::add)
    return {};
  Value summed = sum.getOperand();
  while (auto convert = summed.getDefiningOp<train::ConvertOp>())
    summed = convert.getOperand();
  return summed.getDefiningOp<train::MulOp>();
}

std::optional<std::pair<ScoreTerm, ScoreTerm>>
operandsOfProduct(IndexContext &context, Operation *op,
                  const ElementIndex &index) {
  if (auto dot = dyn_cast_or_null<train::DotGeneralOp>(op))
    return operandsOf(context, dot, index);
  train::MulOp products = productsOf(op);
  if (!products)
    return std::nullopt;
  auto sum = cast<train::ReduceOp>(op);
  ElementIndex whole;
  size_t next = 0;
  for (auto [d, extent] : llvm::enumerate(shapeOf(sum.getOperand())))
    whole.push_back(llvm::is_contained(sum.getDims(), int64_t(d))
                        ? IndexExpr(context.loopVar(extent))
                        : index[next++]);
  // Behind repetitions each side has only the dims that it depends on.
  return std::pair(skipMovement(context, {products.getLhs(), whole}),
                   skipMovement(context, {products.getRhs(), whole}));
}

bool isSumOfProducts(Operation *op) { return bool(productsOf(op)); }

bool isSumOfValues(train::ReduceOp sum, bool &hasOneQuery) {
  if (!productsOf(sum) || sum.getDims().size() != 1)
    return false;
  IndexContext context;
  ElementIndex index;
  IndexVars vars;
  for (int64_t extent : shapeOf(sum)) {
    vars.push_back(extent == 1 ? nullptr : context.loopVar(extent));
    index.push_back(vars.back() ? IndexExpr(vars.back()) : IndexExpr(0));
  }
  auto [lhs, rhs] = *operandsOfProduct(context, sum, index);
  auto isSum = [&](const ScoreTerm &weights, const ScoreTerm &values) {
    // A mask that multiplies exponentials has no dim of its own.
    if (llvm::none_of(vars, [&](const IndexVar *var) {
          return var && anyDependsOn(values.index, var) &&
                 !anyDependsOn(weights.index, var);
        }))
      return false;
    AttentionWeights dims;
    for (const IndexExpr &e : weights.index)
      for (auto [var, coefficient] : e.terms) {
        if (llvm::is_contained(dims.dims, var))
          continue;
        dims.dims.push_back(var);
        if (!anyDependsOn(values.index, var))
          continue;
        if (var->kind == IndexVar::Kind::Loop && !llvm::is_contained(vars, var))
          dims.key = var;
        else
          dims.batching.push_back(var);
      }
    AttentionSearch search(context, dims);
    if (!dims.key || !search.findsSoftmax(weights))
      return false;
    hasOneQuery = search.hasOneQuery();
    return true;
  };
  return isSum(lhs, rhs) || isSum(rhs, lhs);
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
    const ScoreTerm &term = at.term;
    Operation *op = term.value.getDefiningOp();
    if (!op || !anyDependsOn(term.index, weights.key) ||
        !seen.insert(op).second)
      continue;
    if (isFound(at))
      return true;
    if (IndexContext::isMovement(op)) {
      for (const train::IndexSource &source : context.sources(op, term.index))
        open.push_back(
            {{source.value, source.index}, at.passedProduct, at.wasMixed});
    } else if (auto operands = operandsOfProduct(context, op, term.index)) {
      if (at.passedProduct)
        continue;
      open.push_back({operands->first, true, true});
      open.push_back({operands->second, true, true});
    } else if (op->hasTrait<train::ElementwiseOp>()) {
      for (Value operand : op->getOperands())
        if (shapeOf(operand) == shapeOf(term.value))
          open.push_back(
              {{operand, term.index}, at.passedProduct, at.wasMixed});
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
/// features that are summed to one. If heads were mixed, some of these dims are
/// dims of other values.
bool AttentionSearch::isScores(const Step &at) {
  auto operands =
      operandsOfProduct(context, at.term.value.getDefiningOp(), at.term.index);
  if (!operands)
    return false;
  auto fits = [&](const ScoreTerm &query, const ScoreTerm &key) {
    auto isOfKey = [&](const IndexVar *var) {
      return anyDependsOn(key.index, var);
    };
    return isOfKey(weights.key) && !dependsOnQuery(key.index) &&
           !anyDependsOn(query.index, weights.key) &&
           (hasOneQuery() || dependsOnQuery(query.index)) &&
           (at.wasMixed ? llvm::any_of(weights.batching, isOfKey)
                        : llvm::all_of(weights.batching, isOfKey));
  };
  return fits(operands->first, operands->second) ||
         fits(operands->second, operands->first);
}

bool AttentionSearch::reachesScores(const Step &from) {
  return walk(from, [&](const Step &at) { return isScores(at); });
}

bool AttentionSearch::findsSoftmax(const ScoreTerm &term) {
  return walk({term}, [&](const Step &at) {
    auto exp = at.term.value.getDefiningOp<train::ExpOp>();
    return exp && isSummed(at.term) &&
           reachesScores({{exp.getOperand(), at.term.index},
                          /*passedProduct=*/false,
                          at.wasMixed});
  });
}

} // namespace zcc
