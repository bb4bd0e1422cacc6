// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The costs of ops, compared with figures computed by hand.
#include "dialects/Train/OpCost.h"
#include "dialects/Train/Train.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace zcc;

namespace {
class OpCosts : public ::testing::Test {
protected:
  OpCosts() { context.loadDialect<func::FuncDialect, train::TrainDialect>(); }

  /// The cost of the last op of the function's body.
  train::OpCost costOf(const std::string &arguments, const std::string &body) {
    module = parseSourceString<ModuleOp>(
        "func.func @f(" + arguments + ") {\n" + body + "\nreturn }", &context);
    EXPECT_TRUE(module) << body;
    if (!module)
      return {};
    Block &block = (*module->getOps<func::FuncOp>().begin()).front();
    op = block.getTerminator()->getPrevNode();
    return train::getCost(op);
  }
  double additions(const std::string &arguments, const std::string &body) {
    train::OpCost cost = costOf(arguments, body);
    EXPECT_EQ(cost.functions, 0) << body;
    EXPECT_TRUE(cost.products.empty()) << body;
    return cost.additions;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  Operation *op = nullptr;
};

TEST_F(OpCosts, ArithmeticIsAnAdditionAnElement) {
  const char *both = "%a: tensor<8x4xf32>, %b: tensor<8x4xf32>";
  for (const char *name : {"add", "multiply", "maximum"})
    EXPECT_EQ(additions(both, std::string("%0 = train.") + name +
                                  " %a, %b : (tensor<8x4xf32>, "
                                  "tensor<8x4xf32>) -> tensor<8x4xf32>"),
              32);
  // Views cost what reads them.
  EXPECT_EQ(additions("%a: tensor<8x4xf32>",
                      "%0 = train.transpose %a {permutation = array<i64: 1, "
                      "0>} : (tensor<8x4xf32>) -> tensor<4x8xf32>"),
            0);
}

// The three that machines are measured by are one function on average.
TEST_F(OpCosts, FunctionsAreInUnitsOfTheMachine) {
  double sum = 0;
  for (const char *name : {"exponential", "log", "tanh"}) {
    train::OpCost cost = costOf("%a: tensor<10xf32>",
                                std::string("%0 = train.") + name +
                                    " %a : (tensor<10xf32>) -> tensor<10xf32>");
    EXPECT_EQ(cost.additions, 0);
    EXPECT_EQ(cost.functions,
              10 * train::getElementWeight(op) / train::functionWeight);
    sum += cost.functions / 3;
  }
  EXPECT_DOUBLE_EQ(sum, 10);
}

// By the elements of what is reduced, however many are left.
TEST_F(OpCosts, ReductionsCountTheirOperand) {
  for (const char *dims : {"0", "1", "0, 1"}) {
    std::string type = std::string(dims) == "0"   ? "tensor<4xf32>"
                       : std::string(dims) == "1" ? "tensor<8xf32>"
                                                  : "tensor<f32>";
    EXPECT_EQ(
        additions("%a: tensor<8x4xf32>",
                  std::string("%0 = train.reduce %a {dims = array<i64: ") +
                      dims +
                      ">, kind = #train<reduce_kind add>} : "
                      "(tensor<8x4xf32>) -> " +
                      type),
        4 * 32);
  }
  EXPECT_EQ(additions("%a: tensor<8x4xf32>",
                      "%0 = train.sum_of_squares %a : (tensor<8x4xf32>) -> "
                      "tensor<f32>"),
            5 * 32);
}

TEST_F(OpCosts, SortsGrowWithTheLogarithm) {
  EXPECT_EQ(additions("%a: tensor<2x1024xf32>",
                      "%0 = train.sort %a {dim = 1 : i64} : "
                      "(tensor<2x1024xf32>) -> tensor<2x1024xf32>"),
            2048 * 200 * 10);
}

TEST_F(OpCosts, ProductsAreShapes) {
  train::OpCost cost =
      costOf("%a: tensor<3x8x5xbf16>, %b: tensor<3x5x7xbf16>",
             "%0 = train.dot_general %a, %b {lhs_batching = array<i64: 0>, "
             "rhs_batching = array<i64: 0>, lhs_contracting = array<i64: 2>, "
             "rhs_contracting = array<i64: 1>} : (tensor<3x8x5xbf16>, "
             "tensor<3x5x7xbf16>) -> tensor<3x8x7xbf16>");
  EXPECT_EQ(cost.additions, 0);
  ASSERT_EQ(cost.products.size(), 1u);
  const train::OpCost::Product &product = cost.products.front();
  EXPECT_EQ(product.type, "bf16");
  EXPECT_EQ(
      std::vector<int64_t>({product.batch, product.m, product.n, product.k}),
      std::vector<int64_t>({3, 8, 7, 5}));
  // 2mnk, as flops are counted.
  EXPECT_EQ(cast<train::CostedOpInterface>(op).getFlops(), 2.0 * 3 * 8 * 7 * 5);
}
} // namespace
