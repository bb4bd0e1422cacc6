// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ZCC_PASSES_IMPORT_ATTENTIONSCORES_H
#define ZCC_PASSES_IMPORT_ATTENTIONSCORES_H

#include "passes/Import/AttentionPattern.h"

namespace zcc {

/// Reads scores: the first product times a number, plus any number of biases,
/// masked.
class ScoresReader {
public:
  ScoresReader(train::IndexContext &context, const AttentionWeights &weights)
      : context(context), weights(weights) {}

  std::optional<AttentionScores> read(const ScoreTerm &scores) {
    return match(scores, 1) ? std::optional(found) : std::nullopt;
  }
  /// Returns, after a failure, the op that is in the way; may be null.
  mlir::Operation *stoppedAt() const { return stop; }

private:
  using Dims = llvm::ArrayRef<int64_t>;
  /// One side of the first product.
  struct Side {
    mlir::Value value;
    Dims batching, contracting;
  };

  bool match(ScoreTerm term, double factor);
  bool matchMask(train::SelectOp select, ScoreTerm &term, double factor);
  bool matchSum(mlir::Operation *op, const train::ElementIndex &index,
                double factor);
  bool hasAllDims() const;
  bool matchProduct(const ScoreTerm &term);
  bool matchSides(const Side &query, const Side &key,
                  const train::ElementIndex &index, bool queryFirst);

  train::IndexContext &context;
  const AttentionWeights &weights;
  AttentionScores found;
  unsigned steps = 0; // taken by match()
  mlir::Operation *stop = nullptr;
};

} // namespace zcc

#endif
