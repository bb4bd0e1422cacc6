// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What RecognizeAttention finds: the parts of an attention that is spelled as
// two products and a softmax between them.
#ifndef ZCC_PASSES_IMPORT_ATTENTIONPATTERN_H
#define ZCC_PASSES_IMPORT_ATTENTIONPATTERN_H

#include "passes/Import/AttentionMask.h"

namespace zcc {

using IndexVars = llvm::SmallVector<const train::IndexVar *>;

/// An operand of a product: which variable each dim is; null: extent 1.
struct AttentionOperand {
  mlir::Value value;
  IndexVars dims;
};

/// The dims of the weights. Null: extent 1.
struct AttentionWeights {
  IndexVars dims;
  const train::IndexVar *key = nullptr; // that the second product contracts
  IndexVars batching;                   // of the second product, without nulls
};

/// scale * query * key + biases, masked. AttentionScores.h reads it.
struct AttentionScores {
  AttentionOperand query, key;
  IndexVars queryFree; // dims of the query alone
  const train::IndexVar *depth = nullptr;
  double scale = 1;
  /// The scores of keys that are not seen.
  std::optional<double> fill;
  /// What is added to the scores, and what it is multiplied by.
  llvm::SmallVector<std::pair<ScoreTerm, double>, 2> biases;
  ScorePredicates predicates;
  /// The text and the op agree only if every query sees some key.
  bool needsKeys = false;
  /// The result is 0 where a query sees no key.
  bool zeroRows = false;
  /// Rows whose scores are all -inf are 0; what biases hide by -inf is a mask.
  bool zeroInfinite = false, maskInfinite = false;
  /// Weights that are not dropped, and what weights are multiplied by.
  ScorePredicates kept;
  double keptScale = 1;
};

struct AttentionPattern {
  train::DotGeneralOp second;
  bool weightsAreLhs;
  AttentionWeights weights = {};
  AttentionScores scores = {};
  AttentionOperand value = {};
  const train::IndexVar *valueDepth = nullptr; // the dim of the value alone

  // Roles of dims, once chosen. Null: there is none.
  const train::IndexVar *query = nullptr, *head = nullptr, *group = nullptr;
  IndexVars batch = {};
  std::optional<AttentionMask> mask = {};
};

/// Finds which dims are batches, heads, groups and queries, and what the
/// predicates and the biases say in these terms; if it is no attention, why,
/// and the op that is in the way (or null).
llvm::StringRef chooseRoles(train::IndexContext &context,
                            AttentionPattern &pattern, mlir::Operation *&stop);

/// Replaces the second product by a train.attention.
void buildAttention(train::IndexContext &context, AttentionPattern &pattern);

} // namespace zcc

#endif
