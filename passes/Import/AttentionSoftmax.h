// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ZCC_PASSES_IMPORT_ATTENTIONSOFTMAX_H
#define ZCC_PASSES_IMPORT_ATTENTIONSOFTMAX_H

#include "passes/Import/AttentionPattern.h"

namespace zcc {

/// Reads a softmax over the keys in any of its spellings.
class SoftmaxReader {
public:
  SoftmaxReader(train::IndexContext &context, const train::IndexVar *key)
      : context(context), key(key) {}

  /// Returns the scores, if `weights` is a softmax of them that may be
  /// converted and moved, and nothing else reads it.
  std::optional<ScoreTerm> read(ScoreTerm weights);

  /// Adds the conditions of zeros in the softmax to the scores' own conditions.
  /// Weights that are 0 although they were summed are dropped weights. Returns
  /// false if the sums leave out terms that have a weight.
  bool takeZeros(AttentionScores &scores) const;
  /// Returns, after success, the score of one more column of the softmax, whose
  /// weight is dropped (an attention sink), 0 if its value is null; nullopt if
  /// all columns are keys.
  const std::optional<ScoreTerm> &getSink() const { return sink; }
  /// Returns true, after a failure, if another op than the product reads the
  /// weights.
  bool isReadElsewhere() const { return readElsewhere; }
  /// Returns, after a failure, the op that is in the way; may be null.
  mlir::Operation *stoppedAt() const { return stop; }

private:
  /// Terms that are added to the scores of exponentials, or subtracted.
  using Terms = llvm::SmallVector<ScoreTerm, 2>;
  std::optional<ScoreTerm> readWeights(ScoreTerm weights);
  std::optional<ScoreTerm> matchQuotient(ScoreTerm numerator, ScoreTerm sum);
  std::optional<ScoreTerm> matchLogarithm(const ScoreTerm &weights);
  ScoreTerm skipZeros(ScoreTerm term, ScorePredicates &to, double &factor);
  bool readZeros(mlir::Operation *op, ScoreTerm &term, ScorePredicate &zeros,
                 double &factor);
  bool readInfiniteRows(ScorePredicate zeros);
  bool areInfiniteRowsOf(const ScoreTerm &scores) const;
  void skipSafeRows(ScoreTerm &scores);
  bool enterColumns(mlir::Operation *slice, ScoreTerm &term);
  bool takeSink(ScoreTerm &scores);
  bool skipFactor(mlir::Operation *op, ScoreTerm &term);
  std::nullopt_t stopAt(mlir::Operation *op) {
    stop = op;
    return std::nullopt;
  }
  std::optional<ScoreTerm> readSum(ScoreTerm row);
  std::optional<ScoreTerm> readSumAndMore(ScoreTerm row, ScoreTerm &more);
  bool readAddedSink(const ScoreTerm &more, const Terms &plus,
                     const Terms &minus);
  ScoreTerm skipShifts(ScoreTerm term, Terms &plus, Terms &minus);
  void flattenRow(ScoreTerm row, bool negated, Terms &plus, Terms &minus);

  train::IndexContext &context;
  /// The variable along which the softmax sums: the keys, or all columns.
  const train::IndexVar *key;
  /// If the softmax has more columns than keys, these are the keys, and the
  /// column of the first of them.
  const train::IndexVar *keysOfColumns = nullptr;
  int64_t firstKey = 0;
  std::optional<ScoreTerm> sink;
  /// The places where the input puts 0: after the division, before it, and in
  /// the sum.
  ScorePredicates weightZeros, partZeros, sumZeros;
  /// Scores whose rows are put to 0 if they are all -inf.
  std::optional<ScoreTerm> infiniteRows;
  ScorePredicate infiniteRowsZeros;
  double factor = 1; // of the weights, applied before or after the division
  mlir::Operation *stop = nullptr;
  bool readElsewhere = false;
};

} // namespace zcc

#endif
