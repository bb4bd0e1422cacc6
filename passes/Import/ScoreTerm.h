// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Follows the element of a value that belongs to one score of an attention
// through movement, by symbolic indices.
#ifndef ZCC_PASSES_IMPORT_SCORETERM_H
#define ZCC_PASSES_IMPORT_SCORETERM_H

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
using ScorePredicates = llvm::SmallVector<ScorePredicate, 2>;

/// Returns true if `op` only repeats, reshapes or permutes.
bool isView(mlir::Operation *op);

/// Follows movement that only repeats, reshapes or permutes.
ScoreTerm skipMovement(train::IndexContext &context, ScoreTerm term);

/// Returns true for f32, bf16 and f16, which an attention computes in f32.
inline bool isWorkFloat(mlir::Value v) {
  mlir::Type element = train::tensorType(v).getElementType();
  return element.isF32() || element.isF16() || element.isBF16();
}
/// Returns true if `op` converts between types that an attention computes in
/// f32.
bool isWorkConversion(mlir::Operation *op);

/// Follows movement and conversions between such types.
ScoreTerm skipForm(train::IndexContext &context, ScoreTerm term);

/// Returns the predicate of numbers that depend on it alone, and their two
/// values. Such numbers are select(p, a, b), p converted, and these times,
/// over, plus or minus constants. Returns nullopt for others.
std::optional<ScoreTerm> readTwoValued(train::IndexContext &context,
                                       ScoreTerm numbers, double &whereTrue,
                                       double &whereFalse);

/// Returns the variable that `expr` equals; null if it is none.
inline const train::IndexVar *asVariable(const train::IndexExpr &expr) {
  return expr.constant == 0 && expr.terms.size() == 1 &&
                 expr.terms[0].second == 1
             ? expr.terms[0].first
             : nullptr;
}

} // namespace zcc

#endif
