// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expansions of single ops of stablehlo and chlo into simpler ones of
// stablehlo. Each function returns the values of the results, or an error that
// it has emitted at the op.
#ifndef ZCC_PASSES_IMPORT_EXPANDOPS_H
#define ZCC_PASSES_IMPORT_EXPANDOPS_H

#include "dialects/StableHLO/StableHLO.h"
#include "mlir/IR/Builders.h"

namespace zcc {

using Expansion = mlir::FailureOr<llvm::SmallVector<mlir::Value>>;

/// Builds ops of stablehlo at one place.
struct HloBuilder {
  mlir::OpBuilder &b;
  mlir::Location loc;

  using Value = mlir::Value;
  static mlir::RankedTensorType typeOf(Value v) {
    return mlir::cast<mlir::RankedTensorType>(v.getType());
  }
  static llvm::ArrayRef<int64_t> shapeOf(Value v) {
    return typeOf(v).getShape();
  }
  /// Returns a constant of the type of `like`.
  Value splat(Value like, double value);
  Value broadcast(Value v, llvm::ArrayRef<int64_t> shape,
                  llvm::ArrayRef<int64_t> dims);
  Value reshape(Value v, llvm::ArrayRef<int64_t> shape);
  Value transpose(Value v, llvm::ArrayRef<int64_t> permutation);
  Value sum(Value v, llvm::ArrayRef<int64_t> dims);
  Value iota(llvm::ArrayRef<int64_t> shape, mlir::Type element, int64_t dim);
  template <typename Op> Value binary(Value x, Value y) {
    return Op::create(b, loc, x.getType(), x, y);
  }
  Value add(Value x, Value y) { return binary<stablehlo::AddOp>(x, y); }
  Value sub(Value x, Value y) { return binary<stablehlo::SubtractOp>(x, y); }
  Value mul(Value x, Value y) { return binary<stablehlo::MulOp>(x, y); }
  Value div(Value x, Value y) { return binary<stablehlo::DivOp>(x, y); }
};

// These are in ExpandProducts.cpp.
Expansion expandEinsum(mlir::Operation *op, llvm::StringRef config,
                       mlir::OpBuilder &b);
Expansion expandIndexSelect(stablehlo::TorchIndexSelectOp op,
                            mlir::OpBuilder &b);
Expansion expandRaggedDot(chlo::RaggedDotOp op, mlir::OpBuilder &b);
// This is in ExpandBatchNorm.cpp.
Expansion expandBatchNorm(mlir::Operation *op, mlir::OpBuilder &b);

} // namespace zcc

#endif
