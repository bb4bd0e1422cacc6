// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions, windows, sorts, and the order of their sums.

#include "test/unit/train/EvaluateText.h"
#include <cmath>
#include <limits>

using namespace zcc::train;

namespace {
constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

TEST_F(EvaluateText, ReducesAnyDims) {
  const char *text = R"(
    func.func @f(%a: tensor<2x3xi32>) -> (tensor<2xi32>, tensor<3xi32>, tensor<i32>, tensor<2x3xi32>) {
      %0 = train.reduce %a {dims = array<i64: 1>, kind = #train<reduce_kind add>} : (tensor<2x3xi32>) -> tensor<2xi32>
      %1 = train.reduce %a {dims = array<i64: 0>, kind = #train<reduce_kind maximum>} : (tensor<2x3xi32>) -> tensor<3xi32>
      %2 = train.reduce %a {dims = array<i64: 0, 1>, kind = #train<reduce_kind multiply>} : (tensor<2x3xi32>) -> tensor<i32>
      %3 = train.reduce %a {dims = array<i64>, kind = #train<reduce_kind minimum>} : (tensor<2x3xi32>) -> tensor<2x3xi32>
      return %0, %1, %2, %3 : tensor<2xi32>, tensor<3xi32>, tensor<i32>, tensor<2x3xi32>
    })";
  llvm::SmallVector<Tensor> r = evaluateText(text, {{1, 2, 3, -4, 5, 6}});
  ASSERT_EQ(r.size(), 4u) << error;
  EXPECT_EQ(r[0].values, Values({6, 7}));
  EXPECT_EQ(r[1].values, Values({1, 5, 6}));
  EXPECT_EQ(r[2].values, Values({-720}));
  EXPECT_EQ(r[3].values, Values({1, 2, 3, -4, 5, 6}));
}

TEST_F(EvaluateText, LanesOfTheLastDim) {
  // 2^24 + 1 is not an f32: it matters who adds to whom. Lane 0 has 2^24 and,
  // 16 elements on, 1, which is lost; lanes 1 and 2 make 2, which is not.
  Values x(20, 0);
  x[0] = 16777216;
  x[16] = 1;
  x[1] = x[2] = 1;
  const char *text = R"(
    func.func @f(%a: tensor<20xf32>) -> tensor<f32> {
      %0 = train.reduce %a {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<20xf32>) -> tensor<f32>
      return %0 : tensor<f32>
    })";
  // The tree: lane 0 gets lane 2, then lane 1: both times the 1 is lost.
  EXPECT_EQ(run(text, {x}), Values({16777216}));
  x[2] = 0;
  x[3] = 1; // now lane 1 gets lane 3 and is 2
  EXPECT_EQ(run(text, {x}), Values({16777218}));
}

TEST_F(EvaluateText, BlocksOfOtherDims) {
  // Within a block of 64 every 1 is lost against 2^24; another block keeps its
  // own, 36 of them.
  Values x(100, 1);
  x[0] = 16777216;
  EXPECT_EQ(run(R"(
    func.func @f(%a: tensor<100x1xf32>) -> tensor<1xf32> {
      %0 = train.reduce %a {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<100x1xf32>) -> tensor<1xf32>
      return %0 : tensor<1xf32>
    })",
                {x}),
            Values({16777216 + 36}));
}

TEST_F(EvaluateText, NarrowFloatsAreAddedInSingle) {
  EXPECT_EQ(run(R"(
    func.func @f(%a: tensor<3x1xbf16>) -> tensor<1xbf16> {
      %0 = train.reduce %a {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<3x1xbf16>) -> tensor<1xbf16>
      return %0 : tensor<1xbf16>
    })",
                {{256, 1, 1}}),
            Values({258}));
}

TEST_F(EvaluateText, ArgReduceTakesTheFirstOrNaN) {
  const char *text = R"(
    func.func @f(%a: tensor<3x4xf32>) -> (tensor<3xi32>, tensor<4xi32>) {
      %0 = train.arg_reduce %a {dim = 1, kind = #train<reduce_kind maximum>} : (tensor<3x4xf32>) -> tensor<3xi32>
      %1 = train.arg_reduce %a {dim = 0, kind = #train<reduce_kind minimum>} : (tensor<3x4xf32>) -> tensor<4xi32>
      return %0, %1 : tensor<3xi32>, tensor<4xi32>
    })";
  llvm::SmallVector<Tensor> r = evaluateText(
      text, {{1, 5, 5, 2, 9, notANumber, notANumber, 1, 0, 0, 0, 0}});
  ASSERT_EQ(r.size(), 2u) << error;
  EXPECT_EQ(r[0].values, Values({1, 1, 0}));
  EXPECT_EQ(r[1].values, Values({2, 1, 1, 2}));
}

TEST_F(EvaluateText, RunsAlongADim) {
  const char *text = R"(
    func.func @f(%a: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
      %0 = train.cumulative %a {dim = 1, kind = #train<reduce_kind add>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
      %1 = train.cumulative %a {dim = 1, kind = #train<reduce_kind maximum>, reverse = true} : (tensor<2x3xf32>) -> tensor<2x3xf32>
      return %0, %1 : tensor<2x3xf32>, tensor<2x3xf32>
    })";
  llvm::SmallVector<Tensor> r = evaluateText(text, {{1, 2, 3, 6, 5, 4}});
  ASSERT_EQ(r.size(), 2u) << error;
  EXPECT_EQ(r[0].values, Values({1, 3, 6, 6, 11, 15}));
  EXPECT_EQ(r[1].values, Values({3, 3, 3, 6, 5, 4}));
}

TEST_F(EvaluateText, ReduceWindowAsTheSpecificationSays) {
  EXPECT_EQ(run(R"(
    func.func @f(%a: tensor<3x2xi32>) -> tensor<2x2xi32> {
      %0 = train.reduce_window %a {window = array<i64: 2, 1>, strides = array<i64: 4, 1>,
        base_dilation = array<i64: 2, 1>, window_dilation = array<i64: 3, 1>,
        pad_low = array<i64: 2, 0>, pad_high = array<i64: 1, 0>, kind = #train<reduce_kind add>}
        : (tensor<3x2xi32>) -> tensor<2x2xi32>
      return %0 : tensor<2x2xi32>
    })",
                {{1, 2, 3, 4, 5, 6}}),
            Values({0, 0, 3, 4}));
}

TEST_F(EvaluateText, SelectAndScatterAsTheSpecificationSays) {
  const char *text = R"(
    func.func @f(%a: tensor<4x2xf32>, %s: tensor<2x2xf32>) -> tensor<4x2xf32> {
      %0 = train.select_and_scatter %a, %s {window = array<i64: 3, 1>, strides = array<i64: 2, 1>,
        pad_low = array<i64: 0, 0>, pad_high = array<i64: 1, 0>, kind = #train<reduce_kind maximum>}
        : (tensor<4x2xf32>, tensor<2x2xf32>) -> tensor<4x2xf32>
      return %0 : tensor<4x2xf32>
    })";
  EXPECT_EQ(run(text, {{1, 5, 2, 5, 3, 6, 4, 4}, {5, 6, 7, 8}}),
            Values({0, 0, 0, 0, 5, 14, 7, 0}));
  // The first of equals is selected, and NaN before everything.
  EXPECT_EQ(run(text, {{1, 5, 1, 5, 1, notANumber, 1, 6}, {5, 6, 7, 8}}),
            Values({5, 0, 0, 0, 7, 14, 0, 0}));
}

TEST_F(EvaluateText, SortsStablyWithNaNLast) {
  auto text = [](const char *descending) {
    return std::string(R"(
    func.func @f(%k: tensor<5xf32>, %v: tensor<5xi32>) -> (tensor<5xf32>, tensor<5xi32>) {
      %0:2 = train.sort %k, %v {dim = 0, descending = )") +
           descending +
           R"(} : (tensor<5xf32>, tensor<5xi32>) -> (tensor<5xf32>, tensor<5xi32>)
      return %0#0, %0#1 : tensor<5xf32>, tensor<5xi32>
    })";
  };
  std::vector<Values> in = {{0, notANumber, -0.0, 7, -3}, {0, 1, 2, 3, 4}};
  llvm::SmallVector<Tensor> r = evaluateText(text("false"), in);
  ASSERT_EQ(r.size(), 2u) << error;
  EXPECT_EQ(r[1].values, Values({4, 0, 2, 3, 1}));
  EXPECT_TRUE(std::signbit(r[0].values[2]));
  r = evaluateText(text("true"), in);
  EXPECT_EQ(r[1].values, Values({3, 0, 2, 4, 1}));
}

TEST_F(EvaluateText, SortsAlongOuterDims) {
  EXPECT_EQ(run(R"(
    func.func @f(%a: tensor<3x2xui8>) -> tensor<3x2xui8> {
      %0 = train.sort %a {dim = 0} : (tensor<3x2xui8>) -> tensor<3x2xui8>
      return %0 : tensor<3x2xui8>
    })",
                {{200, 1, 3, 255, 100, 0}}),
            Values({3, 0, 100, 1, 200, 255}));
}

TEST_F(EvaluateText, SquaresInBlocks) {
  Values x(4096 + 2, 0);
  x[0] = 3;
  x[4095] = 4;
  x[4096] = 1;
  x[4097] = 2;
  EXPECT_EQ(run(R"(
    func.func @f(%a: tensor<4098xbf16>) -> tensor<2xf32> {
      %0 = train.sum_of_squares %a : (tensor<4098xbf16>) -> tensor<2xf32>
      return %0 : tensor<2xf32>
    })",
                {x}),
            Values({25, 5}));
}

} // namespace
