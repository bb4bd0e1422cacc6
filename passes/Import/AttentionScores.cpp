// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Import/AttentionScores.h"
#include "dialects/Train/Attention.h"
#include "passes/Import/AttentionSearch.h"

using namespace mlir;
using zcc::train::ElementIndex;
using zcc::train::IndexExpr;
using zcc::train::IndexVar;
using zcc::train::shapeOf;

namespace zcc {

/// Takes a select between scores and a number that hides them, and goes on with
/// the scores.
bool ScoresReader::matchMask(train::SelectOp select, ScoreTerm &term,
                             double factor) {
  std::optional<double> t = train::getSplat(select.getOnTrue()),
                        f = train::getSplat(select.getOnFalse());
  if (t.has_value() == f.has_value())
    return false;
  double value = factor * (t ? *t : *f);
  if (!(value <= train::largestFill))
    return false;
  // Keys that are hidden by different numbers matter only in rows that see no
  // key; with -inf they do not differ.
  constexpr double infinity = std::numeric_limits<double>::infinity();
  bool plain = value == -infinity && found.fill.value_or(value) == value;
  found.needsKeys |=
      !plain && (!found.biases.empty() || (found.fill && *found.fill != value));
  found.fill = found.fill ? std::min(*found.fill, value) : value;
  found.predicates.push_back(
      {skipMovement(context, {select.getPred(), term.index}),
       /*negated=*/t.has_value()});
  term.value = t ? select.getOnFalse() : select.getOnTrue();
  return true;
}

/// Reads a sum: the product may be on either side, and the other side is a
/// bias. After a failure, the op that is in the way is on the side of the
/// product.
bool ScoresReader::matchSum(Operation *op, const ElementIndex &index,
                            double factor) {
  auto sign = [&](unsigned i) {
    return i == 1 && isa<train::SubOp>(op) ? -factor : factor;
  };
  AttentionScores before = found;
  Operation *inTheWay = op;
  AttentionSearch search(context, weights);
  for (unsigned side : {0u, 1u}) {
    found.biases.push_back({{op->getOperand(1 - side), index}, sign(1 - side)});
    if (match({op->getOperand(side), index}, sign(side)))
      return true;
    found = before;
    if (inTheWay == op && search.findsScores({op->getOperand(side), index}))
      inTheWay = stop;
  }
  stop = inTheWay;
  return false;
}

bool ScoresReader::match(ScoreTerm term, double factor) {
  // Both sides of every sum are tried, in a limited number of steps.
  while (++steps <= 256) {
    Operation *op = term.value.getDefiningOp();
    if (!op)
      return false;
    stop = op;
    if (isView(op)) {
      auto from = context.sources(op, term.index);
      term = {from[0].value, from[0].index};
    } else if (isWorkConversion(op)) {
      term.value = op->getOperand(0);
    } else if (auto select = dyn_cast<train::SelectOp>(op)) {
      if (!matchMask(select, term, factor))
        return false;
    } else if (isa<train::NegOp>(op)) {
      factor = -factor;
      term.value = op->getOperand(0);
    } else if (isa<train::MulOp, train::DivOp>(op)) {
      std::optional<double> by = train::getSplat(op->getOperand(1));
      unsigned other = 0;
      if (!by && isa<train::MulOp>(op)) {
        by = train::getSplat(op->getOperand(0));
        other = 1;
      }
      if (!by)
        return false;
      factor = isa<train::MulOp>(op) ? factor * *by : factor / *by;
      term.value = op->getOperand(other);
    } else if (isa<train::AddOp, train::SubOp>(op)) {
      return matchSum(op, term.index, factor);
    } else {
      found.scale = factor;
      return matchProduct(term);
    }
  }
  return false;
}

bool ScoresReader::matchProduct(const ScoreTerm &term) {
  auto dot = term.value.getDefiningOp<train::DotGeneralOp>();
  if (!dot)
    return false;
  if (!isWorkFloat(dot.getLhs()) || !isWorkFloat(dot.getRhs()) ||
      !isWorkFloat(dot))
    return false;
  Side lhs{dot.getLhs(), dot.getLhsBatching(), dot.getLhsContracting()},
      rhs{dot.getRhs(), dot.getRhsBatching(), dot.getRhsContracting()};
  return matchSides(lhs, rhs, term.index, true) ||
         matchSides(rhs, lhs, term.index, false);
}

bool ScoresReader::matchSides(const Side &q, const Side &k,
                              const ElementIndex &index, bool queryFirst) {
  AttentionOperand &query = found.query, &key = found.key;
  IndexVars &queryFree = found.queryFree;
  queryFree.clear();
  found.depth = nullptr;
  query = {q.value, IndexVars(shapeOf(q.value).size())};
  key = {k.value, IndexVars(shapeOf(k.value).size())};
  size_t next = 0;
  bool plain = true;
  auto take = [&](int64_t extent) -> const IndexVar * {
    const IndexExpr &e = index[next++];
    if (extent == 1)
      return nullptr;
    const IndexVar *var = asVariable(e);
    plain &=
        var && llvm::is_contained(weights.dims, var) && var->extent == extent;
    return var;
  };
  for (auto [x, y] : llvm::zip_equal(q.batching, k.batching)) {
    query.dims[x] = key.dims[y] = take(shapeOf(q.value)[x]);
    if (query.dims[x] && !llvm::is_contained(weights.batching, query.dims[x]))
      return false;
  }
  bool oneKey = true;
  auto free = [&](AttentionOperand &operand, const Side &side, bool isQuery) {
    for (size_t d = 0; d < operand.dims.size(); ++d) {
      if (llvm::is_contained(side.batching, int64_t(d)) ||
          llvm::is_contained(side.contracting, int64_t(d)))
        continue;
      operand.dims[d] = take(shapeOf(operand.value)[d]);
      if (!operand.dims[d])
        continue;
      if (isQuery)
        queryFree.push_back(operand.dims[d]);
      else
        oneKey &= operand.dims[d] == weights.key ||
                  llvm::is_contained(weights.batching, operand.dims[d]);
    }
  };
  free(queryFirst ? query : key, queryFirst ? q : k, queryFirst);
  free(queryFirst ? key : query, queryFirst ? k : q, !queryFirst);
  if (!plain || !oneKey || !llvm::is_contained(key.dims, weights.key) ||
      queryFree.empty() || queryFree.size() > 2)
    return false;
  for (auto [x, y] : llvm::zip_equal(q.contracting, k.contracting)) {
    int64_t extent = shapeOf(q.value)[x];
    if (extent == 1)
      continue;
    if (found.depth)
      return false;
    query.dims[x] = key.dims[y] = found.depth = context.loopVar(extent);
  }
  return found.depth && hasAllDims();
}

/// Returns true if every dim of the weights is one of the first product, and
/// each batch has its own keys. It is not if scores are repeated along a dim.
bool ScoresReader::hasAllDims() const {
  return llvm::all_of(weights.dims, [&](const IndexVar *var) {
    bool ofKey =
        var == weights.key || llvm::is_contained(weights.batching, var);
    return !var ||
           llvm::is_contained(ofKey ? found.key.dims : found.query.dims, var);
  });
}

} // namespace zcc
