// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products, convolutions and the optimizers' steps.

#include "test/unit/train/EvaluateText.h"
#include <cmath>

using namespace zcc::train;

namespace {

TEST_F(EvaluateText, DotGeneralAsTheSpecificationSays) {
  EXPECT_EQ(run(R"(
    func.func @f(%a: tensor<2x2x2xi64>, %b: tensor<2x2x2xi64>) -> tensor<2x2x2xi64> {
      %0 = train.dot_general %a, %b {lhs_batching = array<i64: 0>, rhs_batching = array<i64: 0>,
        lhs_contracting = array<i64: 2>, rhs_contracting = array<i64: 1>}
        : (tensor<2x2x2xi64>, tensor<2x2x2xi64>) -> tensor<2x2x2xi64>
      return %0 : tensor<2x2x2xi64>
    })",
                {{1, 2, 3, 4, 5, 6, 7, 8}, {1, 0, 0, 1, 1, 0, 0, 1}}),
            Values({1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST_F(EvaluateText, DotGeneralContractsSeveralDims) {
  // result[j, i] = sum over k, l of a[k, j, l] b[i, l, k]
  EXPECT_EQ(
      run(R"(
    func.func @f(%a: tensor<2x1x2xf32>, %b: tensor<2x2x2xf32>) -> tensor<1x2xf32> {
      %0 = train.dot_general %a, %b {lhs_batching = array<i64>, rhs_batching = array<i64>,
        lhs_contracting = array<i64: 0, 2>, rhs_contracting = array<i64: 2, 1>}
        : (tensor<2x1x2xf32>, tensor<2x2x2xf32>) -> tensor<1x2xf32>
      return %0 : tensor<1x2xf32>
    })",
          {{1, 2, 3, 4}, {1, 2, 3, 4, 5, 6, 7, 8}}),
      Values({1 * 1 + 2 * 3 + 3 * 2 + 4 * 4, 1 * 5 + 2 * 7 + 3 * 6 + 4 * 8}));
}

TEST_F(EvaluateText, ProductsAreFusedChainsInBlocks) {
  const char *text = R"(
    func.func @f(%a: tensor<1x300xf32>, %b: tensor<300x1xf32>) -> tensor<1x1xf32> {
      %0 = train.dot_general %a, %b {lhs_batching = array<i64>, rhs_batching = array<i64>,
        lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>}
        : (tensor<1x300xf32>, tensor<300x1xf32>) -> tensor<1x1xf32>
      return %0 : tensor<1x1xf32>
    })";
  // Ones after 2^24 are lost within the block of 256, the other 44 are kept.
  Values a(300, 1), b(300, 1);
  a[0] = 16777216;
  EXPECT_EQ(run(text, {a, b}), Values({16777216 + 44}));
  // (1 + 2^-12)^2 - (1 + 2^-11) is 2^-24, which only a fused add keeps.
  Values c(300, 0), d(300, 0);
  c[0] = 1 + std::ldexp(1, -11);
  d[0] = -1;
  c[1] = d[1] = 1 + std::ldexp(1, -12);
  EXPECT_EQ(run(text, {c, d}), Values({std::ldexp(1, -24)}));
}

std::string convolution(const char *attributes, const char *lhs,
                        const char *rhs, const char *out) {
  std::string types = std::string("(") + lhs + ", " + rhs + ") -> " + out;
  return std::string("func.func @f(%a: ") + lhs + ", %b: " + rhs + ") -> " +
         out + " { %0 = train.convolution %a, %b {" + attributes +
         "} : " + types + " return %0 : " + out + " }";
}

TEST_F(EvaluateText, ConvolutionAsTheSpecificationSays) {
  std::string text = convolution(
      R"(strides = array<i64: 4, 4>, pad_low = array<i64: 0, 0>,
         pad_high = array<i64: 0, 0>, lhs_dilation = array<i64: 2, 2>,
         rhs_dilation = array<i64: 1, 1>, reversal = array<i1: false, false>,
         input_dims = array<i64: 0, 3, 1, 2>, kernel_dims = array<i64: 2, 3, 0, 1>,
         output_dims = array<i64: 0, 3, 1, 2>)",
      "tensor<1x4x4x1xf32>", "tensor<3x3x1x1xf32>", "tensor<1x2x2x1xf32>");
  EXPECT_EQ(run(text, {{1, 2, 5, 6, 3, 4, 7, 8, 10, 11, 14, 15, 12, 13, 16, 17},
                       Values(9, 1)}),
            Values({10, 26, 46, 62}));
}

std::string line(const char *more, const char *lhs, const char *rhs,
                 const char *out, const char *reversal = "false") {
  std::string attributes =
      std::string(R"(strides = array<i64: 1>, lhs_dilation = array<i64: 1>,
        rhs_dilation = array<i64: 1>, reversal = array<i1: )") +
      reversal + R"(>, input_dims = array<i64: 0, 1, 2>,
        kernel_dims = array<i64: 1, 0, 2>, output_dims = array<i64: 0, 1, 2>, )" +
      more;
  return convolution(attributes.c_str(), lhs, rhs, out);
}

TEST_F(EvaluateText, ConvolutionPadsAndReverses) {
  const char *pad = "pad_low = array<i64: 1>, pad_high = array<i64: -1>";
  EXPECT_EQ(run(line(pad, "tensor<1x1x4xf32>", "tensor<1x1x2xf32>",
                     "tensor<1x1x3xf32>"),
                {{1, 2, 3, 4}, {10, 1}}),
            Values({1, 12, 23}));
  EXPECT_EQ(run(line(pad, "tensor<1x1x4xf32>", "tensor<1x1x2xf32>",
                     "tensor<1x1x3xf32>", "true"),
                {{1, 2, 3, 4}, {10, 1}}),
            Values({10, 21, 32}));
}

TEST_F(EvaluateText, ConvolutionGroups) {
  // Two features in two groups: each output feature sees its own input.
  EXPECT_EQ(
      run(line("pad_low = array<i64: 0>, pad_high = array<i64: 0>, "
               "feature_groups = 2 : i64",
               "tensor<1x2x2xf32>", "tensor<2x1x1xf32>", "tensor<1x2x2xf32>"),
          {{1, 2, 3, 4}, {10, 100}}),
      Values({10, 20, 300, 400}));
  // Two batches in two groups: output feature g comes from batch g alone.
  EXPECT_EQ(
      run(line("pad_low = array<i64: 0>, pad_high = array<i64: 0>, "
               "batch_groups = 2 : i64",
               "tensor<2x1x2xf32>", "tensor<2x1x1xf32>", "tensor<1x2x2xf32>"),
          {{1, 2, 3, 4}, {10, 100}}),
      Values({10, 20, 300, 400}));
}

TEST_F(EvaluateText, PadsAndMoves) {
  EXPECT_EQ(run(R"(
    func.func @f(%a: tensor<2x3xi32>, %v: tensor<i32>) -> tensor<5x9xi32> {
      %0 = train.pad %a, %v {low = array<i64: 0, 1>, high = array<i64: 2, 1>, interior = array<i64: 1, 2>}
        : (tensor<2x3xi32>, tensor<i32>) -> tensor<5x9xi32>
      return %0 : tensor<5x9xi32>
    })",
                {{1, 2, 3, 4, 5, 6}, {0}}),
            Values({0, 1, 0, 0, 2, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0,
                    0, 0, 0, 0, 4, 0, 0, 5, 0, 0, 6, 0, 0, 0, 0,
                    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(run(R"(
    func.func @f(%a: tensor<4xi32>, %v: tensor<i32>) -> tensor<5xi32> {
      %0 = train.pad %a, %v {low = array<i64: -1>, high = array<i64: -1>, interior = array<i64: 1>}
        : (tensor<4xi32>, tensor<i32>) -> tensor<5xi32>
      return %0 : tensor<5xi32>
    })",
                {{1, 2, 3, 4}, {9}}),
            Values({9, 2, 9, 3, 9}));
  EXPECT_EQ(run(R"(
    func.func @f(%a: tensor<2x3xi32>) -> tensor<2x2xi32> {
      %0 = train.transpose %a {permutation = array<i64: 1, 0>} : (tensor<2x3xi32>) -> tensor<3x2xi32>
      %1 = train.slice %0 {start = array<i64: 0, 0>, limit = array<i64: 3, 2>, stride = array<i64: 2, 1>} : (tensor<3x2xi32>) -> tensor<2x2xi32>
      %2 = train.reverse %1 {dims = array<i64: 0>} : (tensor<2x2xi32>) -> tensor<2x2xi32>
      return %2 : tensor<2x2xi32>
    })",
                {{1, 2, 3, 4, 5, 6}}),
            Values({3, 6, 1, 4}));
}

TEST_F(EvaluateText, BroadcastsCountsAndJoins) {
  EXPECT_EQ(run(R"(
    func.func @f(%a: tensor<2x1xi32>, %o: tensor<i32>) -> tensor<3x4xi32> {
      %0 = train.broadcast_in_dim %a {dims = array<i64: 1, 0>} : (tensor<2x1xi32>) -> tensor<3x2xi32>
      %1 = train.iota %o {dim = 0} : (tensor<i32>) -> tensor<3x1xi32>
      %2 = train.iota {dim = 0} : () -> tensor<3x1xi32>
      %3 = train.concatenate %1, %0, %2 {dim = 1} : (tensor<3x1xi32>, tensor<3x2xi32>, tensor<3x1xi32>) -> tensor<3x4xi32>
      return %3 : tensor<3x4xi32>
    })",
                {{7, 8}, {10}}),
            Values({10, 7, 8, 0, 11, 7, 8, 1, 12, 7, 8, 2}));
}

TEST_F(EvaluateText, StepsOfAdamWAndSgd) {
  const char *adamw = R"(
    func.func @f(%p: tensor<1xf32>, %m: tensor<1xf32>, %v: tensor<1xf32>, %g: tensor<1xbf16>,
                 %h: tensor<16xf32>, %s: tensor<f32>, %ok: tensor<i1>)
        -> (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xbf16>) {
      %0:4 = train.update %p, %m, %v, %g, %h, %s, %ok {optimizer = "adamw", decay = true}
        : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xbf16>, tensor<16xf32>, tensor<f32>, tensor<i1>)
        -> (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xbf16>)
      return %0#0, %0#1, %0#2, %0#3 : tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xbf16>
    })";
  // lr, b1, b2, eps, wd, momentum, clip, bias1, bias2, scale, 1-b1, 1-b2
  Values h = {0.1,  0.5, 0.75, 0,    0.5, 0.5, 0, 0.5,
              0.25, 1,   0.5,  0.25, 0,   0,   0, 0};
  EvaluateOptions exact;
  exact.asDouble = true;
  llvm::SmallVector<Tensor> r =
      evaluateText(adamw, {{2}, {0}, {0}, {4}, h, {0.5}, {1}}, exact);
  ASSERT_EQ(r.size(), 4u) << error;
  EXPECT_EQ(r[1].values, Values({1})); // 0.5 * 2
  EXPECT_EQ(r[2].values, Values({1})); // 0.25 * 4
  // 2 - 0.1 * 0.5 * 2 - 0.1 * (1 / 0.5) / sqrt(1 / 0.25)
  EXPECT_DOUBLE_EQ(r[0].values[0], 1.8);
  EXPECT_EQ(r[3].values, r[0].values);
  r = evaluateText(adamw, {{2.001953125}, {3}, {5}, {4}, h, {0.5}, {0}});
  EXPECT_EQ(r[0].values, Values({2.001953125}));
  EXPECT_EQ(r[1].values, Values({3}));
  EXPECT_EQ(r[2].values, Values({5}));
  EXPECT_EQ(r[3].values, Values({2}));

  EXPECT_DOUBLE_EQ(run(R"(
    func.func @f(%p: tensor<1xf32>, %b: tensor<1xf32>, %g: tensor<1xf32>, %h: tensor<16xf32>, %s: tensor<f32>, %ok: tensor<i1>) -> tensor<1xf32> {
      %0:2 = train.update %p, %b, %g, %h, %s, %ok {optimizer = "sgd", decay = true}
        : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<16xf32>, tensor<f32>, tensor<i1>) -> (tensor<1xf32>, tensor<1xf32>)
      return %0#0 : tensor<1xf32>
    })",
                       {{2}, {4}, {1}, h, {1}, {1}}, exact)[0],
                   2 - 0.1 * (3 + 0.5 * 2));
}

} // namespace
