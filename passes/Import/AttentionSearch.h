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
  bool findsScores(const ScoreTerm &term) { return reachesScores({term}); }
  /// Returns true if no dim of the weights is one of queries.
  bool hasOneQuery() const;

private:
  /// A term, and the products that were passed on the way to it: one on this
  /// side of the softmax, or one on either side.
  struct Step {
    ScoreTerm term;
    bool passedProduct = false, wasMixed = false;
  };
  bool walk(const Step &from, llvm::function_ref<bool(const Step &)> isFound);
  bool reachesScores(const Step &from);
  bool isSummed(const ScoreTerm &exponentials) const;
  bool isScores(const Step &at);
  bool dependsOnQuery(const train::ElementIndex &index) const;
  train::IndexContext &context;
  const AttentionWeights &weights;
};

/// Returns both operands of a product for an element of it: of a dot_general,
/// or of a sum of products of elements. nullopt if the op is neither.
std::optional<std::pair<ScoreTerm, ScoreTerm>>
operandsOfProduct(train::IndexContext &context, mlir::Operation *op,
                  const train::ElementIndex &index);

/// Returns true if the op, which may be null, adds up products of elements.
bool isSumOfProducts(mlir::Operation *op);

/// Returns true if a sum of products of elements is that of values, with
/// weights that are computed from a softmax of scores. Sets `hasOneQuery` then.
bool isSumOfValues(train::ReduceOp sum, bool &hasOneQuery);

} // namespace zcc

#endif
