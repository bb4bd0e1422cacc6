// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The result of RecognizeAttention: the parts of an attention that is written
// as two products with a softmax between them.
#ifndef ZCC_PASSES_IMPORT_ATTENTIONPATTERN_H
#define ZCC_PASSES_IMPORT_ATTENTIONPATTERN_H

#include "passes/Import/AttentionMask.h"

namespace zcc {

using IndexVars = llvm::SmallVector<const train::IndexVar *>;

/// An operand of a product, and the variable of each of its dims; null: extent
/// 1.
struct AttentionOperand {
  mlir::Value value;
  IndexVars dims;
};

/// The dims of the weights; null: extent 1.
struct AttentionWeights {
  IndexVars dims;
  // The variable that the second product contracts.
  const train::IndexVar *key = nullptr;
  IndexVars batching;                   // of the second product, without nulls
};

/// scale * query * key + biases, masked. AttentionScores.h reads it.
struct AttentionScores {
  AttentionOperand query, key;
  IndexVars queryFree; // dims of the query alone
  const train::IndexVar *depth = nullptr;
  double scale = 1;
  /// The number that the scores of unseen keys get.
  std::optional<double> fill;
  /// Terms that are added to the scores, and the factor of each.
  llvm::SmallVector<std::pair<ScoreTerm, double>, 2> biases;
  ScorePredicates predicates;
  /// True if the input and the op agree only if every query sees some key.
  bool needsKeys = false;
  /// True if the result is 0 for a query that sees no key.
  bool zeroRows = false;
  /// zeroInfinite: rows whose scores are all -inf give 0. maskInfinite: a bias
  /// of -inf is a mask.
  bool zeroInfinite = false, maskInfinite = false;
  /// Conditions for weights that are kept, not dropped, and the factor of
  /// weights.
  ScorePredicates kept;
  double keptScale = 1;
  /// A score of one more column of the softmax, whose weight is dropped; 0 if
  /// its value is null.
  std::optional<ScoreTerm> sink;
};

struct AttentionPattern {
  train::DotGeneralOp second;
  bool weightsAreLhs;
  AttentionWeights weights = {};
  AttentionScores scores = {};
  AttentionOperand value = {};
  // The dim that only the value has.
  const train::IndexVar *valueDepth = nullptr;

  // Roles of dims, once they are chosen; null: no dim has the role.
  const train::IndexVar *query = nullptr, *head = nullptr, *group = nullptr;
  IndexVars batch = {};
  std::optional<AttentionMask> mask = {};
};

/// Finds which dims are batches, heads, groups and queries, and expresses the
/// predicates and the biases in these. Returns "" if this is an attention; else
/// returns the reason why not, and sets `stop` to the op that is in the way (or
/// null).
llvm::StringRef chooseRoles(train::IndexContext &context,
                            AttentionPattern &pattern, mlir::Operation *&stop);

/// Replaces the second product by a train.attention.
void buildAttention(train::IndexContext &context, AttentionPattern &pattern);

} // namespace zcc

#endif
