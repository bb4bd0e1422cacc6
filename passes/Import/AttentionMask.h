// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ZCC_PASSES_IMPORT_ATTENTIONMASK_H
#define ZCC_PASSES_IMPORT_ATTENTIONMASK_H

#include "passes/Import/ScoreTerm.h"

namespace zcc {

/// Describes which keys a query sees.
class AttentionMask {
public:
  /// `query` and `key` are the variables of a query's and a key's position.
  AttentionMask(train::IndexContext &context, const train::IndexVar *query,
                const train::IndexVar *key)
      : context(context), query(query), key(key) {}

  /// Takes a predicate (its complement if `negated`) as one more condition.
  void add(ScoreTerm predicate, bool negated);
  /// Takes a term that is added to the scores as a condition, if it is 0 where
  /// a key is seen, and elsewhere a number that is at most `largestFill`; sets
  /// `fill` to that number. Returns false if the term is no mask; conditions
  /// may have been added anyway.
  bool addHidden(ScoreTerm numbers, double factor, double &fill);
  /// Returns true if every query sees a key, whatever the operands are.
  bool everyQuerySees() const;

  std::optional<int64_t> before, after; // see train.attention
  // Conditions that are not a band: each is a value or its complement.
  ScorePredicates others;

private:
  /// Takes a constant as a condition that holds for elements for which `seen`
  /// is true, if these form a band.
  bool addConstant(const ScoreTerm &constant,
                   llvm::function_ref<bool(int64_t)> seen);
  /// Narrows the band to keys from i - `newBefore` to i + `newAfter`.
  void narrow(std::optional<int64_t> newBefore,
              std::optional<int64_t> newAfter);
  /// Takes a comparison of positions; returns false if it is none.
  bool addBand(const train::IndexExpr &difference,
               train::CompareDirection direction);
  train::IndexContext &context;
  const train::IndexVar *query, *key;
};

} // namespace zcc

#endif
