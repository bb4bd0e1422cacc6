// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which dims of an attention are batches, heads, groups and queries.
#include "passes/Import/AttentionPattern.h"

using namespace mlir;
using zcc::train::IndexVar;
using zcc::train::shapeOf;

namespace zcc {

/// The head is the innermost dim that is batched over; alone and outside of the
/// queries it is a batch.
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

/// Of two free dims of the query, the one whose positions the predicates
/// compare are queries, the other is a group of heads.
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
    // Positions of the other dim would be left as conditions on it.
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

/// Whether every dim of the term is one of the scores' or of extent 1.
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

bool chooseRoles(train::IndexContext &context, AttentionPattern &pattern) {
  chooseHead(pattern);
  chooseQuery(context, pattern);
  AttentionScores &scores = pattern.scores;
  std::optional<AttentionMask> &mask = pattern.mask;
  bool sees = mask->everyQuerySees();
  if (mask->others.empty() && !sees)
    return false;
  if (scores.needsKeys && !sees)
    return false;
  scores.zeroRows &= !sees;
  for (auto &[term, negated] : mask->others)
    if (!fitsScores(pattern.weights, term))
      return false;
  // A bias of zeros and of numbers that hide: a mask, where every query sees
  // some key.
  llvm::erase_if(scores.biases, [&](auto &bias) {
    AttentionMask read(*mask);
    double hidden = 0;
    if (!sees || !read.addHidden(bias.first, bias.second, hidden) ||
        !read.everyQuerySees())
      return false;
    mask.emplace(read);
    scores.fill = scores.fill ? std::min(*scores.fill, hidden) : hidden;
    return true;
  });
  for (auto &[term, factor] : scores.biases) {
    term = skipMovement(context, term);
    if (!isWorkFloat(term.value) || !fitsScores(pattern.weights, term))
      return false;
  }
  return true;
}

} // namespace zcc
