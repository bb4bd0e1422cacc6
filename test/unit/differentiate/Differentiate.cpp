// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whole functions: the gradients that the pass appends against central
// differences of the loss, by the reference evaluator in double. The passes
// around it may change gradients by rounding only.
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "passes/Train/Train.h"
#include "test/unit/evaluate/Evaluator.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace mlir;
using namespace zcc::train;

namespace {

// Layer norm, softmax with a stopped maximum, a table that is read twice, a
// sort of which one result is used.
const char *text = R"(
func.func @loss(%table: tensor<7x4xf32> {zcc.parameter = "table"}, %w: tensor<4x4xf32> {zcc.parameter = "w"},
    %b: tensor<4xf32> {zcc.parameter = "b"}, %unused: tensor<2xf32> {zcc.parameter = "unused"},
    %i: tensor<6x1xi32> {zcc.input = "i"}) -> tensor<f32> {
  %h = train.gather %table, %i {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>,
    operand_batching_dims = array<i64>, indices_batching_dims = array<i64>, start_index_map = array<i64: 0>,
    index_vector_dim = 1 : i64, slice_sizes = array<i64: 1, 4>} : (tensor<7x4xf32>, tensor<6x1xi32>) -> tensor<6x4xf32>
  %s = train.reduce %h {dims = array<i64: 1>, kind = #train<reduce_kind add>} : (tensor<6x4xf32>) -> tensor<6xf32>
  %four = train.constant dense<4.0> : tensor<6xf32>
  %m = train.divide %s, %four : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
  %mb = train.broadcast_in_dim %m {dims = array<i64: 0>} : (tensor<6xf32>) -> tensor<6x4xf32>
  %d = train.subtract %h, %mb : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x4xf32>
  %d2 = train.multiply %d, %d : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x4xf32>
  %v = train.reduce %d2 {dims = array<i64: 1>, kind = #train<reduce_kind add>} : (tensor<6x4xf32>) -> tensor<6xf32>
  %r = train.rsqrt %v : (tensor<6xf32>) -> tensor<6xf32>
  %rb = train.broadcast_in_dim %r {dims = array<i64: 0>} : (tensor<6xf32>) -> tensor<6x4xf32>
  %y = train.multiply %d, %rb : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x4xf32>
  %z = train.dot_general %y, %w {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>,
    rhs_contracting = array<i64: 0>} : (tensor<6x4xf32>, tensor<4x4xf32>) -> tensor<6x4xf32>
  %bb = train.broadcast_in_dim %b {dims = array<i64: 1>} : (tensor<4xf32>) -> tensor<6x4xf32>
  %zb = train.add %z, %bb : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x4xf32>
  %u = train.add %h, %zb : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x4xf32>
  %l = train.dot_general %u, %table {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>,
    rhs_contracting = array<i64: 1>} : (tensor<6x4xf32>, tensor<7x4xf32>) -> tensor<6x7xf32>
  %max = train.reduce %l {dims = array<i64: 1>, kind = #train<reduce_kind maximum>} : (tensor<6x7xf32>) -> tensor<6xf32>
  %stop = train.stop_gradient %max : (tensor<6xf32>) -> tensor<6xf32>
  %maxb = train.broadcast_in_dim %stop {dims = array<i64: 0>} : (tensor<6xf32>) -> tensor<6x7xf32>
  %sh = train.subtract %l, %maxb : (tensor<6x7xf32>, tensor<6x7xf32>) -> tensor<6x7xf32>
  %e = train.exponential %sh : (tensor<6x7xf32>) -> tensor<6x7xf32>
  %es = train.reduce %e {dims = array<i64: 1>, kind = #train<reduce_kind add>} : (tensor<6x7xf32>) -> tensor<6xf32>
  %esb = train.broadcast_in_dim %es {dims = array<i64: 0>} : (tensor<6xf32>) -> tensor<6x7xf32>
  %p = train.divide %e, %esb : (tensor<6x7xf32>, tensor<6x7xf32>) -> tensor<6x7xf32>
  %order:2 = train.sort %p, %sh {dim = 1 : i64} : (tensor<6x7xf32>, tensor<6x7xf32>) -> (tensor<6x7xf32>, tensor<6x7xf32>)
  %first = train.slice %order#0 {start = array<i64: 0, 0>, limit = array<i64: 6, 3>, stride = array<i64: 1, 1>}
    : (tensor<6x7xf32>) -> tensor<6x3xf32>
  %loss = train.reduce %first {dims = array<i64: 0, 1>, kind = #train<reduce_kind add>} : (tensor<6x3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
})";

class DifferentiateTest : public ::testing::Test {
protected:
  DifferentiateTest() {
    context.loadDialect<TrainDialect, func::FuncDialect>();
    double x = 0.3;
    auto next = [&] { return x = std::fmod(x * 7.13 + 0.37, 1.0); };
    auto add = [&](std::vector<int64_t> shape, unsigned count) {
      Tensor t{RankedTensorType::get(shape, Float32Type::get(&context)), {}};
      for (unsigned i = 0; i < count; ++i)
        t.values.push_back(static_cast<float>(next() * 2 - 1));
      inputs.push_back(t);
    };
    add({7, 4}, 28);
    add({4, 4}, 16);
    add({4}, 4);
    add({2}, 2);
    inputs.push_back(
        {RankedTensorType::get({6, 1}, IntegerType::get(&context, 32)),
         {0, 3, 3, 6, 1, 3}});
  }

  using Pipeline = llvm::function_ref<void(OpPassManager &)>;
  // Results of @loss after the passes.
  SmallVector<Tensor> run(Pipeline build, bool asDouble) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    PassManager manager(&context);
    build(manager);
    EXPECT_TRUE(succeeded(manager.run(*module)));
    EvaluateOptions options;
    options.asDouble = asDouble;
    SmallVector<Tensor> results;
    std::string error;
    EXPECT_TRUE(evaluate(module->lookupSymbol<func::FuncOp>("loss"), inputs,
                         results, error, options))
        << error;
    return results;
  }

  MLIRContext context;
  std::vector<Tensor> inputs;
};

TEST_F(DifferentiateTest, AgreesWithCentralDifferences) {
  auto gradients = run(
      [](OpPassManager &pm) { pm.addPass(zcc::createDifferentiate()); }, true);
  ASSERT_EQ(gradients.size(), 5u);
  for (unsigned i = 0; i < 4; ++i)
    for (size_t j = 0; j < inputs[i].values.size(); ++j) {
      constexpr double step = 1e-5;
      double &x = inputs[i].values[j], saved = x;
      x = saved + step;
      double above = run([](OpPassManager &) {}, true)[0].values[0];
      x = saved - step;
      double below = run([](OpPassManager &) {}, true)[0].values[0];
      x = saved;
      ASSERT_NEAR(gradients[i + 1].values[j], (above - below) / (2 * step),
                  1e-7)
          << "parameter " << i << " at " << j;
    }
}

// Simplification and merging leave every bit as it is.
TEST_F(DifferentiateTest, SimplificationKeepsTheBits) {
  auto plain = run(
      [](OpPassManager &pm) { pm.addPass(zcc::createDifferentiate()); }, false);
  auto simple = run(
      [](OpPassManager &pm) {
        pm.addPass(zcc::createDifferentiate());
        pm.addPass(zcc::createSimplifyTrain());
        pm.addPass(createCSEPass());
      },
      false);
  ASSERT_EQ(plain.size(), simple.size());
  for (size_t i = 0; i < plain.size(); ++i)
    EXPECT_EQ(plain[i].values, simple[i].values) << "result " << i;
}

// Mixed precision moves the gradients by what a narrow type rounds.
TEST_F(DifferentiateTest, NarrowGradientsAreClose) {
  auto exact = run(
      [](OpPassManager &pm) { pm.addPass(zcc::createDifferentiate()); }, true);
  for (auto [type, bound] :
       {std::pair("bf16", 0.1), std::pair("f16", 0.0125)}) {
    auto narrow = run(
        [type = type](OpPassManager &pm) {
          pm.addPass(zcc::createApplyPrecision({type}));
          pm.addPass(zcc::createDifferentiate());
          pm.addPass(zcc::createSimplifyTrain());
          pm.addPass(zcc::createNarrowResiduals({type}));
        },
        false);
    for (size_t i = 0; i < exact.size(); ++i) {
      double largest = 0, error = 0;
      for (size_t j = 0; j < exact[i].values.size(); ++j) {
        largest = std::max(largest, std::abs(exact[i].values[j]));
        error =
            std::max(error, std::abs(exact[i].values[j] - narrow[i].values[j]));
      }
      EXPECT_LE(error, bound * largest) << type << ", result " << i;
    }
  }
}

} // namespace
