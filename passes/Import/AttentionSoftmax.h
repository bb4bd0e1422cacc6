// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ZCC_PASSES_IMPORT_ATTENTIONSOFTMAX_H
#define ZCC_PASSES_IMPORT_ATTENTIONSOFTMAX_H

#include "passes/Import/AttentionPattern.h"

namespace zcc {

/// Reads a softmax over the keys, however it is spelled.
class SoftmaxReader {
public:
  SoftmaxReader(train::IndexContext &context, const train::IndexVar *key)
      : context(context), key(key) {}

  /// The scores, if `weights` is a softmax of them, maybe converted and moved,
  /// and read by nothing else.
  std::optional<ScoreTerm> read(ScoreTerm weights);

  /// Adds what zeros in the softmax say to the scores' own conditions; false if
  /// the sums leave out what has a weight. Weights that are 0 though they were
  /// summed are dropped.
  bool takeZeros(AttentionScores &scores) const;
  /// After a failure: the op that is in the way; may be null.
  mlir::Operation *stoppedAt() const { return stop; }

private:
  /// The exponentials, and what is subtracted from their scores.
  using Terms = llvm::SmallVector<ScoreTerm, 2>;
  std::optional<ScoreTerm> readWeights(ScoreTerm weights);
  std::optional<ScoreTerm> matchQuotient(ScoreTerm numerator, ScoreTerm sum);
  std::optional<ScoreTerm> matchLogarithm(const ScoreTerm &weights);
  ScoreTerm skipZeros(ScoreTerm term, ScorePredicates &to, double &factor);
  bool readZeros(mlir::Operation *op, ScoreTerm &term, ScorePredicate &zeros,
                 double &factor);
  bool readInfiniteRows(ScorePredicate zeros);
  bool areInfiniteRowsOf(const ScoreTerm &scores) const;
  bool skipFactor(mlir::Operation *op, ScoreTerm &term);
  std::nullopt_t stopAt(mlir::Operation *op) {
    stop = op;
    return std::nullopt;
  }
  std::optional<ScoreTerm> readSum(ScoreTerm row);
  ScoreTerm skipShifts(ScoreTerm term, Terms &plus, Terms &minus);
  void flattenRow(ScoreTerm row, bool negated, Terms &plus, Terms &minus);

  train::IndexContext &context;
  const train::IndexVar *key;
  /// Where the text puts 0: after the division, before it, and in the sum.
  ScorePredicates weightZeros, partZeros, sumZeros;
  /// What rows whose numbers are all -inf are put to 0 by.
  std::optional<ScoreTerm> infiniteRows;
  double factor = 1; // that weights are multiplied by, once divided or before
  mlir::Operation *stop = nullptr;
};

/// Whether `weights` are made of exponentials that are summed, of a product.
bool looksLikeSoftmax(mlir::Value weights);

} // namespace zcc

#endif
