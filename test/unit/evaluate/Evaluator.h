// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates train ops on numbers, with the interpreter of the reference
// backend. Kernels, gradients, folders and passes are tested against it.

#ifndef ZCC_TEST_UNIT_EVALUATE_EVALUATOR_H
#define ZCC_TEST_UNIT_EVALUATE_EVALUATOR_H

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

/// Between a tensor and memory: little endian, i1 in a byte. Floats are
/// rounded.
std::string toBytes(const Tensor &tensor);
Tensor fromBytes(mlir::RankedTensorType type, llvm::StringRef bytes);

struct EvaluateOptions {
  /// Computes every float in double and never rounds to the element type.
  bool asDouble = false;
};

/// Evaluates the body of a function of train ops (one block). False with a
/// message in `error` if inputs do not fit or an op cannot be run.
bool evaluate(mlir::func::FuncOp function, llvm::ArrayRef<Tensor> inputs,
              llvm::SmallVectorImpl<Tensor> &results, std::string &error,
              EvaluateOptions options = {});

/// The same for one op.
bool evaluate(mlir::Operation *op, llvm::ArrayRef<Tensor> operands,
              llvm::SmallVectorImpl<Tensor> &results, std::string &error,
              EvaluateOptions options = {});

} // namespace zcc::train

#endif // ZCC_TEST_UNIT_EVALUATE_EVALUATOR_H
