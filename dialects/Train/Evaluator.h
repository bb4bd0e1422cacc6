// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reference evaluator: what every op of the train dialect means, written
// as plainly as possible and independent of every code generator. Kernels,
// gradients, folders and passes are tested against it. It is slow.

#ifndef ZCC_DIALECTS_TRAIN_EVALUATOR_H
#define ZCC_DIALECTS_TRAIN_EVALUATOR_H

#include "dialects/Train/Train.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <string>
#include <vector>

namespace zcc::train {

/// A tensor's elements, row-major. Integers of 64 bits do not fit a double, so
/// they stand in `integers` too (sign- or zero-extended by their type; i1 is 0
/// or 1): results of an integer type have both, and an input's `integers` are
/// read if there are any, else its `values`.
struct Tensor {
  mlir::RankedTensorType type;
  std::vector<double> values;
  std::vector<int64_t> integers = {};
};

struct EvaluateOptions {
  /// Computes every float in double and never rounds to the element type.
  bool asDouble = false;
};

/// Evaluates the body of a function of train ops (one block). Floats are
/// rounded to the element type after each op; sums follow the order that the op
/// prescribes, in f32 for f16, bf16 and f32, and products use the fused
/// multiply-adds that it prescribes, so that those results are exact to the
/// bit; transcendental functions are those of libm in double, rounded once.
/// Where StableHLO leaves integers open: x / 0 is -1 (all bits set), the
/// remainder of x by 0 is x, and a negative power is 0 unless the base is 1 or
/// -1. False with a message in `error` if inputs do not fit or an op is not of
/// the dialect.
bool evaluate(mlir::func::FuncOp function, llvm::ArrayRef<Tensor> inputs,
              llvm::SmallVectorImpl<Tensor> &results, std::string &error,
              EvaluateOptions options = {});

/// The same for one op.
bool evaluate(mlir::Operation *op, llvm::ArrayRef<Tensor> operands,
              llvm::SmallVectorImpl<Tensor> &results, std::string &error,
              EvaluateOptions options = {});

} // namespace zcc::train

#endif // ZCC_DIALECTS_TRAIN_EVALUATOR_H
