// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A fixture that evaluates functions written as text on numbers.

#ifndef ZCC_TEST_UNIT_TRAIN_EVALUATETEXT_H
#define ZCC_TEST_UNIT_TRAIN_EVALUATETEXT_H

#include "mlir/Parser/Parser.h"
#include "test/unit/evaluate/Evaluator.h"
#include "gtest/gtest.h"

namespace zcc::train {

using Values = std::vector<double>;

class EvaluateText : public ::testing::Test {
protected:
  EvaluateText() {
    context.loadDialect<TrainDialect, mlir::func::FuncDialect>();
  }

  /// Evaluates the function `text` on tensors of its argument types.
  llvm::SmallVector<Tensor> evaluateText(llvm::StringRef text,
                                         std::vector<Values> inputs,
                                         EvaluateOptions options = {}) {
    llvm::SmallVector<Tensor> results;
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    if (!module) {
      ADD_FAILURE() << "does not parse: " << text.str();
      return results;
    }
    auto function = *module->getOps<mlir::func::FuncOp>().begin();
    std::vector<Tensor> tensors;
    for (auto [type, values] : llvm::zip(function.getArgumentTypes(), inputs))
      tensors.push_back({mlir::cast<mlir::RankedTensorType>(type), values});
    if (!evaluate(function, tensors, results, error, options))
      results.clear();
    return results;
  }

  /// The first result of a function, which must evaluate.
  Values run(llvm::StringRef text, std::vector<Values> inputs,
             EvaluateOptions options = {}) {
    llvm::SmallVector<Tensor> results =
        evaluateText(text, std::move(inputs), options);
    EXPECT_FALSE(results.empty()) << error;
    return results.empty() ? Values() : results[0].values;
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::string error;
};

} // namespace zcc::train

#endif // ZCC_TEST_UNIT_TRAIN_EVALUATETEXT_H
