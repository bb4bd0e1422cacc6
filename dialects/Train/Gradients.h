// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shorthands for derivatives: arithmetic on values at one place. Every
// buildGradient gets `operandGradients` with one null for each operand, and
// fills in those that flow.
#ifndef ZCC_DIALECTS_TRAIN_GRADIENTS_H
#define ZCC_DIALECTS_TRAIN_GRADIENTS_H

#include "dialects/Train/AttributeNames.h"
#include "dialects/Train/Train.h"

namespace zcc::train {

/// Returns the extent of a dim after `dilation - 1` elements were put between
/// each two of its elements.
inline int64_t dilated(int64_t extent, int64_t dilation) {
  return extent == 0 ? 0 : (extent - 1) * dilation + 1;
}

// Emits elementwise ops at the builder's insertion point with one location.
struct Arithmetic {
  mlir::OpBuilder &b;
  mlir::Location loc;

  mlir::Value add(mlir::Value x, mlir::Value y) {
    return AddOp::create(b, loc, x, y);
  }
  mlir::Value sub(mlir::Value x, mlir::Value y) {
    return SubOp::create(b, loc, x, y);
  }
  mlir::Value mul(mlir::Value x, mlir::Value y) {
    return MulOp::create(b, loc, x, y);
  }
  mlir::Value div(mlir::Value x, mlir::Value y) {
    return DivOp::create(b, loc, x, y);
  }
  mlir::Value neg(mlir::Value x) { return NegOp::create(b, loc, x); }
  mlir::Value exp(mlir::Value x) { return ExpOp::create(b, loc, x); }
  mlir::Value logicalAnd(mlir::Value x, mlir::Value y) {
    return AndOp::create(b, loc, x, y);
  }
  mlir::Value select(mlir::Value pred, mlir::Value x, mlir::Value y) {
    return SelectOp::create(b, loc, x.getType(), pred, x, y);
  }
  mlir::Value cmp(mlir::Value x, CompareDirection direction, mlir::Value y) {
    return compare(b, loc, x, y, direction);
  }
  // Returns a constant of the type of `like`.
  mlir::Value constant(mlir::Value like, double value) {
    return splat(b, loc, like.getType(), value);
  }
  mlir::Value zero(mlir::Value like) { return constant(like, 0.0); }
  mlir::Value scaled(mlir::Value x, double by) {
    return mul(x, constant(x, by));
  }
};

// Returns the neutral element of `kind` on floats: -inf for maximum, 1 for
// multiply, ...
double identityOf(ReduceKind kind);

// Returns `g`, a cotangent in a type narrower than `elementType`, without its
// rounding to that type: looks through the conversion at the end of a product
// or a sum. This keeps the gradients of master weights in f32.
mlir::Value widen(mlir::OpBuilder &b, mlir::Value g, mlir::Type elementType);

} // namespace zcc::train

#endif
