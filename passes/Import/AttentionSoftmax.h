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
  /// the weights are not those of the keys that were summed.
  bool takeZeros(AttentionScores &scores) const;

private:
  /// The exponentials, and what is subtracted from their scores.
  using Terms = llvm::SmallVector<ScoreTerm, 2>;
  std::optional<ScoreTerm> matchQuotient(ScoreTerm numerator, ScoreTerm sum);
  std::optional<ScoreTerm> matchLogarithm(const ScoreTerm &weights);
  ScoreTerm skipZeros(ScoreTerm term, ScorePredicates &to);
  bool readZeros(mlir::Operation *op, ScoreTerm &term, ScorePredicate &zeros);
  std::optional<ScoreTerm> readSum(ScoreTerm row);
  ScoreTerm skipShifts(ScoreTerm term, Terms &plus, Terms &minus);
  void flattenRow(ScoreTerm row, bool negated, Terms &plus, Terms &minus);

  train::IndexContext &context;
  const train::IndexVar *key;
  /// Where the text puts 0: after the division, before it, and in the sum.
  ScorePredicates weightZeros, partZeros, sumZeros;
};

/// Whether `weights` are made of exponentials that are summed, of a product.
bool looksLikeSoftmax(mlir::Value weights);

} // namespace zcc

#endif
