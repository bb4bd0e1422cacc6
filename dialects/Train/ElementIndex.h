// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Symbolic element indices. A fused kernel asks for elements of its results and
// follows the graph backwards: which element of which operand gives this one?
// Indices are affine in variables. These are loop variables, quotients by
// constants, and integers that the kernel computes (gather, dynamic_slice).
// Quotients suffice for reshapes: x mod d is x - d (x div d), so that splitting
// and joining dims cancels. Variables are uniqued, so equal indices compare
// equal.
#ifndef ZCC_DIALECTS_TRAIN_ELEMENTINDEX_H
#define ZCC_DIALECTS_TRAIN_ELEMENTINDEX_H

#include "dialects/Train/Train.h"
#include "llvm/ADT/SetVector.h"
#include <deque>
#include <map>

namespace zcc::train {

struct IndexVar;

// An index: constant + sum of coefficient * variable. Variables are in
// ascending order of id, and no coefficient is 0.
class IndexExpr {
public:
  IndexExpr() : constant(0) {}
  template <typename T, typename = std::enable_if_t<std::is_integral_v<T>>>
  IndexExpr(T constant) : constant(static_cast<int64_t>(constant)) {}
  IndexExpr(const IndexVar *var, int64_t coefficient = 1);

  IndexExpr operator+(const IndexExpr &other) const;
  IndexExpr operator-(const IndexExpr &other) const {
    return *this + other * -1;
  }
  IndexExpr operator*(int64_t factor) const;
  bool operator==(const IndexExpr &other) const {
    return constant == other.constant && terms == other.terms;
  }
  bool operator!=(const IndexExpr &other) const { return !(*this == other); }
  bool operator<(const IndexExpr &other) const;

  bool isConstant() const { return terms.empty(); }
  int64_t coefficientOf(const IndexVar *var) const;
  // Returns the smallest and largest value that the variables' ranges allow.
  std::pair<int64_t, int64_t> range() const;

  int64_t constant;
  llvm::SmallVector<std::pair<const IndexVar *, int64_t>, 4> terms;
};

using ElementIndex = llvm::SmallVector<IndexExpr, 4>; // one entry for each dim

struct IndexVar {
  enum Kind {
    Loop,     // bound by the caller
    Quotient, // of div divisor, rounded down
    Element,  // max(0, min(value[index], extent - 1)) of an integer tensor
  };
  Kind kind;
  unsigned id;
  int64_t extent;    // values are in [low, low + extent)
  IndexExpr of;      // Quotient
  int64_t divisor;   // Quotient
  mlir::Value value; // Element
  ElementIndex index; // Element
  int64_t low = 0;   // negative for quotients of positions in padding
};

// The condition lower <= expr < upper.
struct IndexCondition {
  IndexExpr expr;
  int64_t lower, upper;
};

// The source of an element if all the conditions hold.
struct IndexSource {
  llvm::SmallVector<IndexCondition, 2> conditions;
  mlir::Value value;
  ElementIndex index;
};

// Owns variables, and builds indices from them.
class IndexContext {
public:
  // `ops`: the ops of the future kernel, if their function has others; null:
  // all are. Results of others are only known as elements in memory.
  explicit IndexContext(const llvm::SetVector<mlir::Operation *> *ops = nullptr)
      : ops(ops) {}

  const IndexVar *loopVar(int64_t extent);
  IndexExpr quotient(const IndexExpr &expr, int64_t divisor);
  IndexExpr remainder(const IndexExpr &expr, int64_t divisor) {
    return expr - quotient(expr, divisor) * divisor;
  }
  // Returns value[index] clamped into [0, extent), as an affine expression if
  // that is known.
  IndexExpr element(mlir::Value value, const ElementIndex &index,
                    int64_t extent);

  // Convert between indices and row-major positions.
  IndexExpr linearize(const ElementIndex &index, llvm::ArrayRef<int64_t> shape);
  ElementIndex delinearize(const IndexExpr &linear,
                           llvm::ArrayRef<int64_t> shape);

  // Returns true if `op` only moves elements (or picks among operands by
  // index): broadcast, reshape, transpose, slice, reverse, pad, concatenate,
  // gather, dynamic_slice, dynamic_update_slice.
  static bool isMovement(mlir::Operation *op);
  // Returns the sources of element `index` of the result of the movement `op`.
  // The element comes from the first source whose conditions hold; the last has
  // none. Conditions that always or never hold are resolved.
  llvm::SmallVector<IndexSource, 2> sources(mlir::Operation *op,
                                            const ElementIndex &index);

private:
  bool knows(mlir::Operation *op) const { return !ops || ops->contains(op); }
  // Returns the integer value[index] as an affine expression, if it is one.
  std::optional<IndexExpr>
  affineElement(mlir::Value value, const ElementIndex &index, unsigned depth);

  const llvm::SetVector<mlir::Operation *> *ops;
  std::deque<IndexVar> vars;
  std::map<std::pair<IndexExpr, int64_t>, const IndexVar *> quotients;
  std::map<std::tuple<const void *, std::vector<IndexExpr>, int64_t>,
           const IndexVar *>
      elements;
};

// Returns true if `expr` depends on `var`, maybe through quotients and
// elements.
bool dependsOn(const IndexExpr &expr, const IndexVar *var);

} // namespace zcc::train

#endif
