// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What RecognizeAttention finds: the parts of an attention that is spelled as
// two products and a softmax between them.
#ifndef ZCC_PASSES_IMPORT_ATTENTIONPATTERN_H
#define ZCC_PASSES_IMPORT_ATTENTIONPATTERN_H

#include "dialects/Train/ElementIndex.h"
#include "dialects/Train/Train.h"

namespace zcc {

/// A value and the element of it that belongs to one score. Indices are in the
/// variables of the weights' dims.
struct ScoreTerm {
  mlir::Value value;
  train::ElementIndex index;

  bool operator==(const ScoreTerm &other) const {
    return value == other.value && llvm::equal(index, other.index);
  }
};

/// A predicate, or its complement if `negated`.
using ScorePredicate = std::pair<ScoreTerm, bool>;

/// Which keys a query sees.
class AttentionMask {
public:
  AttentionMask(train::IndexContext &context) : context(context) {}

  /// Takes a predicate (its complement if `negated`) as one more condition.
  /// `query` and `key` are the variables of a query's and a key's position.
  void add(ScoreTerm predicate, bool negated, const train::IndexVar *query,
           const train::IndexVar *key);
  /// Takes numbers that are added to the scores if they are 0 and, where a key
  /// is not seen, one that is at most `largestFill`: `fill` then. Conditions
  /// may be taken in either case.
  bool addHidden(ScoreTerm numbers, double factor, const train::IndexVar *query,
                 const train::IndexVar *key, double &fill);
  /// Whether every query sees a key, whatever the operands are.
  bool everyQuerySees(const train::IndexVar *query,
                      const train::IndexVar *key) const;

  std::optional<int64_t> before, after; // see train.attention
  // Conditions that are no band: the value or its complement.
  llvm::SmallVector<ScorePredicate, 2> others;

private:
  /// Takes a constant that is seen where it is `seen` if that is a band.
  bool addConstant(const ScoreTerm &constant,
                   llvm::function_ref<bool(int64_t)> seen,
                   const train::IndexVar *query, const train::IndexVar *key);
  /// Makes the band as narrow as from i - `newBefore` to i + `newAfter`.
  void narrow(std::optional<int64_t> newBefore,
              std::optional<int64_t> newAfter);
  /// Takes a comparison of positions; false if it is none.
  bool addBand(const train::IndexExpr &difference,
               train::CompareDirection direction, const train::IndexVar *query,
               const train::IndexVar *key);
  std::optional<train::IndexExpr> affine(mlir::Value v,
                                         const train::ElementIndex &index);
  train::IndexContext &context;
};

/// Follows movement that only repeats, reshapes or permutes.
ScoreTerm skipMovement(train::IndexContext &context, ScoreTerm term);

/// f32, bf16 or f16: types that an attention computes in f32.
inline bool isWorkFloat(mlir::Value v) {
  mlir::Type element = train::tensorType(v).getElementType();
  return element.isF32() || element.isF16() || element.isBF16();
}
/// Whether `op` converts between types that an attention computes in f32.
bool isWorkConversion(mlir::Operation *op);

/// Numbers that depend on a predicate alone: select(p, a, b), p converted, and
/// these times, plus and less constants. Null if they do not.
std::optional<ScoreTerm> readTwoValued(train::IndexContext &context,
                                       ScoreTerm numbers, double &whereTrue,
                                       double &whereFalse);

/// The variable that `expr` is; null if it is none.
inline const train::IndexVar *asVariable(const train::IndexExpr &expr) {
  return expr.constant == 0 && expr.terms.size() == 1 &&
                 expr.terms[0].second == 1
             ? expr.terms[0].first
             : nullptr;
}

/// Matches one second product, and replaces it.
class AttentionRecognizer {
public:
  explicit AttentionRecognizer(train::DotGeneralOp second) : second(second) {}

  /// Whether the product was replaced.
  bool run() {
    return match(second.getLhs(), second.getLhsBatching(),
                 second.getLhsContracting(), second.getRhs(),
                 second.getRhsBatching(), second.getRhsContracting(), true) ||
           match(second.getRhs(), second.getRhsBatching(),
                 second.getRhsContracting(), second.getLhs(),
                 second.getLhsBatching(), second.getLhsContracting(), false);
  }
  /// After a run without success, if the product is one of a softmax of scores
  /// of as many queries as keys: why it is not an attention. Empty otherwise.
  llvm::StringRef whyLeft() const { return left; }

private:
  using Value = mlir::Value;
  using ElementIndex = train::ElementIndex;
  using IndexVar = train::IndexVar;
  using Dims = llvm::ArrayRef<int64_t>;

  bool match(Value weights, Dims weightsBatching, Dims weightsContracting,
             Value value, Dims valueBatching, Dims valueContracting,
             bool weightsFirst);
  bool matchSoftmax(ScoreTerm term, ScoreTerm &scores);
  /// The exponentials, and what is subtracted from their scores.
  using Terms = llvm::SmallVector<ScoreTerm, 2>;
  bool matchQuotient(ScoreTerm numerator, ScoreTerm sum, ScoreTerm &scores);
  bool matchLogarithm(ScoreTerm weights, ScoreTerm &scores);
  ScoreTerm skipForm(ScoreTerm term);
  ScoreTerm skipZeros(ScoreTerm term, llvm::SmallVector<ScorePredicate, 2> &to);
  bool readZeros(mlir::Operation *op, ScoreTerm &term, ScorePredicate &zeros);
  std::optional<ScoreTerm> readSum(ScoreTerm row);
  ScoreTerm skipShifts(ScoreTerm term, Terms &plus, Terms &minus);
  void flattenRow(ScoreTerm row, bool negated, Terms &plus, Terms &minus);
  bool takeZeros();
  bool looksLikeSoftmax(Value weights) const;
  bool matchScores(ScoreTerm term, double factor);
  bool matchProduct(ScoreTerm term);
  bool matchSides(Value queryOperand, Dims queryContracting, Value keyOperand,
                  Dims keyContracting, const ElementIndex &index,
                  Dims queryBatching, Dims keyBatching, bool queryFirst);
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
  Value buildBias();
  Value buildMask();
  Value buildResult(Value attention, Value lse);

  train::DotGeneralOp second;
  train::IndexContext context;
  llvm::SmallVector<const IndexVar *> weightVars; // of the weights' dims
  Operand query, key, value;
  const IndexVar *queryVar = nullptr, *keyVar = nullptr, *headVar = nullptr,
                 *groupVar = nullptr, *depthVar = nullptr, *valueVar = nullptr;
  llvm::SmallVector<const IndexVar *> batchVars, batchAndHead, queryFree;
  bool weightsAreLhs = false;
  double scale = 1;
  std::optional<double> fill;
  /// What is added to the scores, and what it is multiplied by.
  llvm::SmallVector<std::pair<ScoreTerm, double>, 2> biases;
  llvm::SmallVector<ScorePredicate, 2> predicates;
  /// Where the text puts 0: after the division, before it, and in the sum.
  llvm::SmallVector<ScorePredicate, 2> weightZeros, partZeros, sumZeros;
  /// The text and the op agree only if every query sees some key.
  bool needsKeys = false;
  /// The result is 0 where a query sees no key.
  bool zeroRows = false;
  unsigned steps = 0; // that matchScores has taken
  llvm::StringRef left;
  std::optional<AttentionMask> mask;
  int64_t repeats = 1;
};

} // namespace zcc

#endif
