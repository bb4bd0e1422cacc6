// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What RecognizeAttention finds: the parts of an attention that is spelled as
// two products and a softmax between them.
#ifndef ZCC_PASSES_IMPORT_ATTENTIONPATTERN_H
#define ZCC_PASSES_IMPORT_ATTENTIONPATTERN_H

#include "dialects/Exec/KernelIndex.h"
#include "dialects/Train/Train.h"

namespace zcc {

/// A value and the element of it that belongs to one score. Indices are in the
/// variables of the weights' dims.
struct ScoreTerm {
  mlir::Value value;
  exec::Index index;
};

/// Which keys a query sees.
class AttentionMask {
public:
  AttentionMask(exec::IndexContext &context) : context(context) {}

  /// Takes a predicate (its complement if `negated`) as one more condition.
  /// `query` and `key` are the variables of a query's and a key's position.
  void add(ScoreTerm predicate, bool negated, const exec::IndexVar *query,
           const exec::IndexVar *key);

  std::optional<int64_t> before, after; // see train.attention
  // Conditions that are no band: the value or its complement.
  llvm::SmallVector<std::pair<ScoreTerm, bool>, 2> others;

private:
  /// Takes a comparison of positions; false if it is none.
  bool addBand(const exec::IndexExpr &difference,
               train::CompareDirection direction, const exec::IndexVar *query,
               const exec::IndexVar *key);
  std::optional<exec::IndexExpr> affine(mlir::Value v,
                                        const exec::Index &index);
  exec::IndexContext &context;
};

/// Follows movement that only repeats, reshapes or permutes.
ScoreTerm skipMovement(exec::IndexContext &context, ScoreTerm term);

/// The variable that `expr` is; null if it is none.
inline const exec::IndexVar *asVariable(const exec::IndexExpr &expr) {
  return expr.constant == 0 && expr.terms.size() == 1 &&
                 expr.terms[0].second == 1
             ? expr.terms[0].first
             : nullptr;
}

/// Matches one second product, and replaces it.
class AttentionRecognizer {
public:
  explicit AttentionRecognizer(train::DotGeneralOp second) : second(second) {}

  bool run() {
    return match(second.getLhs(), second.getLhsBatching(),
                 second.getLhsContracting(), second.getRhs(),
                 second.getRhsBatching(), second.getRhsContracting(), true) ||
           match(second.getRhs(), second.getRhsBatching(),
                 second.getRhsContracting(), second.getLhs(),
                 second.getLhsBatching(), second.getLhsContracting(), false);
  }

private:
  using Value = mlir::Value;
  using Index = exec::Index;
  using IndexVar = exec::IndexVar;
  using Dims = llvm::ArrayRef<int64_t>;

  bool match(Value weights, Dims weightsBatching, Dims weightsContracting,
             Value value, Dims valueBatching, Dims valueContracting,
             bool weightsFirst);
  bool matchSoftmax(ScoreTerm term, ScoreTerm &scores);
  bool matchRow(Value row, Value whole, train::ReduceKind kind,
                const Index &index);
  bool matchScores(ScoreTerm term);
  bool matchProduct(ScoreTerm term);
  bool matchSides(Value queryOperand, Dims queryContracting, Value keyOperand,
                  Dims keyContracting, const Index &index, Dims queryBatching,
                  Dims keyBatching, bool queryFirst);
  bool chooseRoles();
  void build();

  /// An operand of a product: which variable each dim is; null: extent 1.
  struct Operand {
    Value value;
    llvm::SmallVector<const IndexVar *> dims;
  };
  Operand peelRepetition(const Operand &operand, int64_t &repeats);
  /// `operand` with its dims in this order, as a tensor of `shape`.
  Value arrange(const Operand &operand, llvm::ArrayRef<const IndexVar *> order,
                llvm::ArrayRef<int64_t> shape);
  bool fitsScores(const ScoreTerm &term);
  Value arrangeScores(const ScoreTerm &term);

  train::DotGeneralOp second;
  exec::IndexContext context;
  llvm::SmallVector<const IndexVar *> weightVars; // of the weights' dims
  Operand query, key, value;
  const IndexVar *queryVar = nullptr, *keyVar = nullptr, *headVar = nullptr,
                 *groupVar = nullptr, *depthVar = nullptr, *valueVar = nullptr;
  llvm::SmallVector<const IndexVar *> batchVars, batchAndHead, queryFree;
  bool weightsAreLhs = false;
  double scale = 1;
  std::optional<double> fill;
  std::optional<ScoreTerm> bias;
  llvm::SmallVector<std::pair<ScoreTerm, bool>, 2> predicates;
  std::optional<AttentionMask> mask;
  int64_t repeats = 1;
};

} // namespace zcc

#endif
