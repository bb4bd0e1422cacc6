// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the parts of the reference evaluator share: arrays, index spaces,
// rounding, and the combiners of reductions. Only Evaluat*.cpp includes it.

#ifndef ZCC_DIALECTS_TRAIN_EVALUATE_H
#define ZCC_DIALECTS_TRAIN_EVALUATE_H

#include "dialects/Train/Evaluator.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace zcc::train::evaluation {

using mlir::ArrayRef;
using mlir::Type;

/// Elements of a float type are in `floats`, of an integer type in `ints`,
/// extended to 64 bits by the sign of the type.
struct Array {
  mlir::RankedTensorType type;
  std::vector<double> floats;
  std::vector<int64_t> ints;

  Array() = default;
  explicit Array(mlir::RankedTensorType type) : type(type) {
    (isFloat() ? floats.resize(size()) : (void)ints.resize(size()));
  }
  bool isFloat() const { return mlir::isa<mlir::FloatType>(element()); }
  Type element() const { return type.getElementType(); }
  ArrayRef<int64_t> shape() const { return type.getShape(); }
  int64_t rank() const { return type.getRank(); }
  int64_t size() const { return type.getNumElements(); }
  /// Copies one element of an array of the same element type.
  void set(int64_t to, const Array &source, int64_t from) {
    if (isFloat())
      floats[to] = source.floats[from];
    else
      ints[to] = source.ints[from];
  }
  /// An element as an index; what does not fit becomes the largest one.
  int64_t indexAt(int64_t i) const;
};

/// What an op is evaluated with.
struct Context {
  mlir::Operation *op;
  ArrayRef<const Array *> operands;
  llvm::SmallVectorImpl<Array> &results; // allocated, zero
  bool asDouble;

  const Array &in(unsigned i) const { return *operands[i]; }
  Array &out(unsigned i = 0) const { return results[i]; }
};

/// Each evaluates the ops of its kind and returns false for all others.
bool evaluateElementwise(Context &c);
bool evaluateMovement(Context &c);
bool evaluateReduction(Context &c);
bool evaluateProduct(Context &c);
bool evaluateIndexed(Context &c);
bool evaluateAttention(Context &c);

// ---- index spaces

using Index = llvm::SmallVector<int64_t, 6>;

int64_t linear(ArrayRef<int64_t> shape, ArrayRef<int64_t> index);
/// Calls `visit` with every index of `shape`, row-major.
void forEachIndex(ArrayRef<int64_t> shape,
                  llvm::function_ref<void(ArrayRef<int64_t>)> visit);

// ---- scalars

/// The nearest value of a float type, ties to even.
double roundTo(double x, Type type);
inline double finish(double x, Type type, bool asDouble) {
  return asDouble ? x : roundTo(x, type);
}
/// The low bits of x, extended as the integer type says (i1: 0 or 1).
int64_t wrap(int64_t x, Type type);
/// i1 and unsigned integers.
bool isUnsigned(Type type);
/// Sums of this float type are made in f32.
bool accumulatesInSingle(Type type, bool asDouble);

double maximum(double a, double b);
double minimum(double a, double b);
int64_t divideIntegers(int64_t a, int64_t b, Type type, bool remainder);

/// The combiner of a reduction; floats are rounded to f32 if `single`.
struct Combiner {
  ReduceKind kind;
  Type type; // of the elements
  bool single;

  Combiner(ReduceKind kind, Type type, bool asDouble)
      : kind(kind), type(type), single(accumulatesInSingle(type, asDouble)) {}
  double identity() const;
  int64_t identityInteger() const;
  double operator()(double a, double b) const;
  int64_t integers(int64_t a, int64_t b) const;
};

/// The tree over 16 lanes: lane i += lane i + 8, then 4, 2, 1.
template <typename T, typename F> T foldLanes(T (&lanes)[16], F &&combine) {
  for (int half = 8; half >= 1; half /= 2)
    for (int i = 0; i < half; ++i)
      lanes[i] = combine(lanes[i], lanes[i + half]);
  return lanes[0];
}

} // namespace zcc::train::evaluation

#endif // ZCC_DIALECTS_TRAIN_EVALUATE_H
