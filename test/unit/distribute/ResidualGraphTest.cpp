// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cost of having a forward value again in the backward pass.
#include "passes/Train/ResidualGraph.h"
#include "dialects/Train/Train.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace zcc;

namespace {
// A function that sends (exp, for the sake of it) what the backward pass reads.
constexpr const char *graphText = R"(
func.func @step(%x: tensor<8xf32>) -> tensor<8xf32> {
  %a = train.negate %x : (tensor<8xf32>) -> tensor<8xf32>
  %b = train.exponential %a : (tensor<8xf32>) -> tensor<8xf32>
  %c = train.tanh %b : (tensor<8xf32>) -> tensor<8xf32>
  %d = train.multiply %c, %b : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %d : tensor<8xf32>
})";

class ResidualGraphs : public ::testing::Test {
protected:
  ResidualGraphs() {
    context.loadDialect<train::TrainDialect, func::FuncDialect>();
    module = parseSourceString<ModuleOp>(graphText, &context);
    for (Operation &op :
         module->lookupSymbol<func::FuncOp>("step").getBody().front())
      if (op.getNumResults() == 1)
        ops.push_back(&op);
  }

  // Seconds of the op that sends 8, of which the backward pass computes
  // `backward`, sending for `sends`.
  double costOfSending(bool overlaps, double backward, double sends) {
    auto isSent = [&](Operation *op) { return op == ops[1]; };
    ResidualGraph graph(
        ArrayRef(ops).take_front(3), ArrayRef(ops).take_back(1),
        DenseMap<Operation *, Operation *>(),
        {[](Value v) { return !v.getDefiningOp(); },
         [](Operation *) { return false; }, [](Value) { return 32.; },
         [&](Operation *op) {
           return isSent(op) ? 0. : op == ops.back() ? backward : 1.;
         },
         [&](Operation *op) {
           return isSent(op) ? 8. : op == ops.back() ? sends : 0.;
         },
         [&](Operation *op) { return op == otherLink ? 1 : 0; }, overlaps});
    EXPECT_EQ(graph.getSeconds(), 2 + backward);
    std::optional<size_t> number = graph.find(ops[1]);
    return number ? graph.getProblem().ops[*number].seconds : -1;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  SmallVector<Operation *> ops;
  Operation *otherLink = nullptr;
};

TEST_F(ResidualGraphs, WhatIsSentAgainIsHiddenWhereThereIsRoom) {
  ASSERT_EQ(ops.size(), 4u);
  EXPECT_EQ(costOfSending(false, 100, 0), 8);
  EXPECT_NEAR(costOfSending(true, 100, 0), 0.8, 1e-9);
  // Links are in use, or there is little to hide it.
  EXPECT_NEAR(costOfSending(true, 100, 86), 8 * (1 - 0.9 * 0.5), 1e-9);
  EXPECT_EQ(costOfSending(true, 100, 95), 8);
  EXPECT_EQ(costOfSending(true, 0, 0), 8);
  // Other links are.
  otherLink = ops.back();
  EXPECT_NEAR(costOfSending(true, 100, 95), 0.8, 1e-9);
}
} // namespace
