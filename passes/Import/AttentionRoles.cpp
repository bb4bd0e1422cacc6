// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chooses which dims of an attention are batches, heads, groups and queries.
#include "passes/Import/AttentionPattern.h"
#include <cmath>

using namespace mlir;
using zcc::train::IndexVar;
using zcc::train::shapeOf;

namespace zcc {

/// The head is the innermost dim that is batched over. If it is the only one
/// and outside of the queries, it is a batch.
static void chooseHead(AttentionPattern &pattern) {
  const AttentionScores &scores = pattern.scores;
  auto position = [&](const IndexVar *var) {
    return llvm::find(scores.query.dims, var) - scores.query.dims.begin();
  };
  IndexVars outer(pattern.weights.batching);
  pattern.head = nullptr;
  if (!outer.empty()) {
    auto innermost = llvm::max_element(
        outer, [&](auto *x, auto *y) { return position(x) < position(y); });
    bool inside = llvm::any_of(scores.queryFree, [&](const IndexVar *var) {
      return position(var) < position(*innermost);
    });
    if (outer.size() > 1 || inside || scores.queryFree.size() > 1) {
      pattern.head = *innermost;
      outer.erase(innermost);
    }
  }
  pattern.batch.assign(outer.begin(), outer.end());
  llvm::sort(pattern.batch, [&](const IndexVar *x, const IndexVar *y) {
    return position(x) < position(y);
  });
}

/// The query may have two free dims. The one whose positions the predicates
/// compare is the queries; the other is a group of heads.
static void chooseQuery(train::IndexContext &context,
                        AttentionPattern &pattern) {
  const IndexVars &free = pattern.scores.queryFree;
  for (unsigned which : {0u, 1u}) {
    if (which >= free.size())
      break;
    pattern.query = free[which];
    pattern.group = free.size() == 2 ? free[1 - which] : nullptr;
    pattern.mask.emplace(context, pattern.query, pattern.weights.key);
    for (auto &[term, negated] : pattern.scores.predicates)
      pattern.mask->add(term, negated);
    // If the choice is wrong, positions of the other dim are left as
    // conditions.
    bool misread =
        pattern.group && llvm::any_of(pattern.mask->others, [&](auto &other) {
          return llvm::any_of(other.first.index, [&](auto &e) {
            return train::dependsOn(e, pattern.group);
          });
        });
    if (!misread)
      break;
  }
}

/// Returns the variables whose row-major position is `expr`, outermost first;
/// empty if `expr` is something else.
static IndexVars asPosition(const train::IndexExpr &expr, int64_t extent) {
  auto terms = expr.terms;
  llvm::sort(terms, [](auto &x, auto &y) { return x.second > y.second; });
  IndexVars vars;
  int64_t stride = 1;
  for (auto [var, coefficient] : llvm::reverse(terms)) {
    if (coefficient != stride)
      return {};
    vars.insert(vars.begin(), var);
    stride *= var->extent;
  }
  return expr.constant == 0 && stride == extent ? vars : IndexVars();
}

/// Splits dims into which a reshape before the product merged several.
static void splitDims(train::DotGeneralOp second, ScoreTerm &term) {
  SmallVector<int64_t> shape;
  train::ElementIndex index;
  for (auto [extent, e] : llvm::zip_equal(shapeOf(term.value), term.index)) {
    IndexVars vars = asPosition(e, extent);
    if (vars.size() < 2) {
      shape.push_back(extent);
      index.push_back(e);
      continue;
    }
    for (const IndexVar *var : vars) {
      shape.push_back(var->extent);
      index.push_back(train::IndexExpr(var));
    }
  }
  OpBuilder b(second);
  term = {train::reshape(b, second.getLoc(), term.value, shape), index};
}

/// Returns true if every dim of the term is one of the scores' or of extent 1.
static bool fitsScores(const AttentionWeights &weights, const ScoreTerm &term) {
  SmallVector<const IndexVar *> seen;
  for (auto [extent, e] : llvm::zip_equal(shapeOf(term.value), term.index)) {
    if (extent == 1)
      continue;
    const IndexVar *var = asVariable(e);
    if (!var || var->extent != extent || llvm::is_contained(seen, var) ||
        !llvm::is_contained(weights.dims, var))
      return false;
    seen.push_back(var);
  }
  return true;
}

/// Turns biases of zeros and of numbers that hide into masks, if every query
/// sees some key, or if the numbers are -inf, which hides in any row. With a
/// sink all rows without keys are 0.
static void takeHidden(AttentionScores &scores,
                       std::optional<AttentionMask> &mask) {
  llvm::erase_if(scores.biases, [&](auto &bias) {
    AttentionMask read(*mask);
    double hidden = 0;
    if (!read.addHidden(bias.first, bias.second, hidden))
      return false;
    bool infinite =
        std::isinf(hidden) && scores.fill.value_or(hidden) == hidden;
    if (!infinite && !scores.sink &&
        !(mask->everyQuerySees() && read.everyQuerySees()))
      return false;
    mask.emplace(read);
    scores.fill = scores.fill ? std::min(*scores.fill, hidden) : hidden;
    return true;
  });
}

StringRef chooseRoles(train::IndexContext &context, AttentionPattern &pattern,
                      Operation *&stop) {
  chooseHead(pattern);
  chooseQuery(context, pattern);
  AttentionScores &scores = pattern.scores;
  std::optional<AttentionMask> &mask = pattern.mask;
  takeHidden(scores, mask);
  bool sees = mask->everyQuerySees();
  // A sink takes the whole weight of a row that sees no key.
  scores.zeroRows |= scores.sink.has_value();
  scores.needsKeys &= !scores.sink;
  if (!sees && (mask->others.empty() || scores.needsKeys))
    return "queries may see no key";
  auto fits = [&](ScoreTerm &term) {
    splitDims(pattern.second, term);
    stop = term.value.getDefiningOp();
    return fitsScores(pattern.weights, term);
  };
  for (auto &[term, negated] : mask->others)
    if (!fits(term))
      return "its mask is not of the dims of the scores";
  for (auto &[term, negated] : scores.kept)
    if (!fits(term))
      return "what is dropped is not of the dims of the scores";
  for (auto &[term, factor] : scores.biases) {
    term = skipMovement(context, term);
    if (!fits(term) || !isWorkFloat(term.value))
      return "its bias is not of the dims of the scores";
  }
  if (scores.sink && scores.sink->value) {
    *scores.sink = skipForm(context, *scores.sink);
    if (!fits(*scores.sink) || !isWorkFloat(scores.sink->value))
      return "its sink is not of the dims of the scores";
  }
  // Rows of -inf give 0: rows that see nothing by the mask, or by a bias.
  if (scores.sink ||
      (scores.zeroInfinite && std::isinf(scores.fill.value_or(-HUGE_VAL)))) {
    scores.maskInfinite = !scores.biases.empty();
    scores.zeroRows |= !sees;
  }
  scores.zeroRows &= !sees;
  scores.zeroRows |= scores.maskInfinite;
  return "";
}

} // namespace zcc
