// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ZCC_PASSES_IMPORT_ATTENTIONMASK_H
#define ZCC_PASSES_IMPORT_ATTENTIONMASK_H

#include "passes/Import/ScoreTerm.h"

namespace zcc {

/// Which keys a query sees.
class AttentionMask {
public:
  /// `query` and `key` are the variables of a query's and a key's position.
  AttentionMask(train::IndexContext &context, const train::IndexVar *query,
                const train::IndexVar *key)
      : context(context), query(query), key(key) {}

  /// Takes a predicate (its complement if `negated`) as one more condition.
  void add(ScoreTerm predicate, bool negated);
  /// Takes numbers that are added to the scores if they are 0 and, where a key
  /// is not seen, one that is at most `largestFill`: `fill` then. Conditions
  /// may be taken in either case.
  bool addHidden(ScoreTerm numbers, double factor, double &fill);
  /// Whether every query sees a key, whatever the operands are.
  bool everyQuerySees() const;

  std::optional<int64_t> before, after; // see train.attention
  // Conditions that are no band: the value or its complement.
  ScorePredicates others;

private:
  /// Takes a constant that is seen where it is `seen` if that is a band.
  bool addConstant(const ScoreTerm &constant,
                   llvm::function_ref<bool(int64_t)> seen);
  /// Makes the band as narrow as from i - `newBefore` to i + `newAfter`.
  void narrow(std::optional<int64_t> newBefore,
              std::optional<int64_t> newAfter);
  /// Takes a comparison of positions; false if it is none.
  bool addBand(const train::IndexExpr &difference,
               train::CompareDirection direction);
  train::IndexContext &context;
  const train::IndexVar *query, *key;
};

} // namespace zcc

#endif
