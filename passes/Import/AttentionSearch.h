// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Says which products are an attention whose form RecognizeAttention does not
// know, so that it can say why.
#ifndef ZCC_PASSES_IMPORT_ATTENTIONSEARCH_H
#define ZCC_PASSES_IMPORT_ATTENTIONSEARCH_H

#include "passes/Import/AttentionPattern.h"

namespace zcc {

/// Searches the ops that compute the weights of a product, whatever stands
/// between, for the parts of an attention. The dims of these weights say what
/// is a query and what is a key.
class AttentionSearch {
public:
  AttentionSearch(train::IndexContext &context, const AttentionWeights &weights)
      : context(context), weights(weights) {}

  /// Returns true if `term` is computed from exponentials that are summed over
  /// the keys, and these from a product of queries and keys.
  bool findsSoftmax(const ScoreTerm &term);
  /// Returns true if `term` is computed from a product of queries and keys.
  bool findsScores(const ScoreTerm &term) {
    return reachesScores({term, false});
  }
  /// Returns true if no dim of the weights is one of queries.
  bool hasOneQuery() const;

private:
  /// A term, and whether a product was passed on the way to it.
  struct Step {
    ScoreTerm term;
    bool passedProduct;
  };
  bool walk(const Step &from, llvm::function_ref<bool(const Step &)> isFound);
  bool reachesScores(const Step &from);
  bool isSummed(const ScoreTerm &exponentials) const;
  bool isScores(const Step &at);
  bool dependsOnQuery(const train::ElementIndex &index) const;
  /// Returns the indices of both operands for an element of a product.
  std::pair<ScoreTerm, ScoreTerm> operandsOf(train::DotGeneralOp dot,
                                             const train::ElementIndex &index);

  train::IndexContext &context;
  const AttentionWeights &weights;
};

} // namespace zcc

#endif
