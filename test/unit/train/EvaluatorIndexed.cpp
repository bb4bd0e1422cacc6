// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gather, scatter and dynamic slices against the examples of StableHLO's
// specification and cases worked by hand.

#include "test/unit/train/EvaluateText.h"
#include <numeric>

using namespace zcc::train;

namespace {

Values upTo(int n) {
  Values values(n);
  std::iota(values.begin(), values.end(), 1);
  return values;
}

TEST_F(EvaluateText, GathersSlicesAsTheSpecificationSays) {
  EXPECT_EQ(run(R"(
    func.func @f(%operand: tensor<3x4x2xi32>, %indices: tensor<2x3x2xi64>) -> tensor<2x3x2x2xi32> {
      %r = train.gather %operand, %indices {offset_dims = array<i64: 2, 3>,
        collapsed_slice_dims = array<i64: 0>, operand_batching_dims = array<i64>,
        indices_batching_dims = array<i64>, start_index_map = array<i64: 1, 0>,
        index_vector_dim = 2 : i64, slice_sizes = array<i64: 1, 2, 2>}
        : (tensor<3x4x2xi32>, tensor<2x3x2xi64>) -> tensor<2x3x2x2xi32>
      return %r : tensor<2x3x2x2xi32>
    })",
                {upTo(24), {0, 0, 1, 0, 2, 1, 0, 1, 1, 1, 0, 2}}),
            Values({1, 2,  3,  4,  3,  4,  5,  6,  13, 14, 15, 16,
                    9, 10, 11, 12, 11, 12, 13, 14, 17, 18, 19, 20}));
}

constexpr const char *rows = R"(
    func.func @f(%operand: tensor<3x2xf32>, %indices: tensor<4xi32>) -> tensor<4x2xf32> {
      %r = train.gather %operand, %indices {offset_dims = array<i64: 1>,
        collapsed_slice_dims = array<i64: 0>, operand_batching_dims = array<i64>,
        indices_batching_dims = array<i64>, start_index_map = array<i64: 0>,
        index_vector_dim = 1 : i64, slice_sizes = array<i64: 1, 2>}
        : (tensor<3x2xf32>, tensor<4xi32>) -> tensor<4x2xf32>
      return %r : tensor<4x2xf32>
    })";

TEST_F(EvaluateText, GatherClampsItsStarts) {
  EXPECT_EQ(run(rows, {upTo(6), {2, -5, 99, 1}}),
            Values({5, 6, 1, 2, 5, 6, 3, 4}));
}

TEST_F(EvaluateText, GathersAlongBatchingDims) {
  EXPECT_EQ(run(R"(
    func.func @f(%operand: tensor<2x3xf32>, %indices: tensor<2x2x1xi32>) -> tensor<2x2xf32> {
      %r = train.gather %operand, %indices {offset_dims = array<i64>,
        collapsed_slice_dims = array<i64: 1>, operand_batching_dims = array<i64: 0>,
        indices_batching_dims = array<i64: 0>, start_index_map = array<i64: 1>,
        index_vector_dim = 2 : i64, slice_sizes = array<i64: 1, 1>}
        : (tensor<2x3xf32>, tensor<2x2x1xi32>) -> tensor<2x2xf32>
      return %r : tensor<2x2xf32>
    })",
                {upTo(6), {2, 0, 1, 1}}),
            Values({3, 1, 5, 5}));
}

TEST_F(EvaluateText, ScattersAsTheSpecificationSays) {
  EXPECT_EQ(
      run(R"(
    func.func @f(%operand: tensor<3x4x2xi32>, %indices: tensor<2x3x2xi64>, %updates: tensor<2x3x2x2xi32>) -> tensor<3x4x2xi32> {
      %r = train.scatter %operand, %indices, %updates {update_window_dims = array<i64: 2, 3>,
        inserted_window_dims = array<i64: 0>, operand_batching_dims = array<i64>,
        indices_batching_dims = array<i64>, operand_dims_map = array<i64: 1, 0>,
        index_vector_dim = 2 : i64, kind = #train<reduce_kind add>}
        : (tensor<3x4x2xi32>, tensor<2x3x2xi64>, tensor<2x3x2x2xi32>) -> tensor<3x4x2xi32>
      return %r : tensor<3x4x2xi32>
    })",
          {upTo(24), {0, 2, 1, 0, 2, 1, 0, 1, 1, 0, 2, 0}, Values(24, 1)}),
      Values({1,  2,  5,  6,  8,  9,  8,  9,  10, 11, 12, 13,
              14, 15, 16, 17, 18, 19, 20, 21, 21, 22, 23, 24}));
}

std::string scatterRows(const char *kind, const char *more = "") {
  return std::string(R"(
    func.func @f(%operand: tensor<3x2xf32>, %indices: tensor<4xi32>, %updates: tensor<4x2xf32>) -> tensor<3x2xf32> {
      %r = train.scatter %operand, %indices, %updates {update_window_dims = array<i64: 1>,
        inserted_window_dims = array<i64: 0>, operand_batching_dims = array<i64>,
        indices_batching_dims = array<i64>, operand_dims_map = array<i64: 0>,
        index_vector_dim = 1 : i64, kind = #train<reduce_kind )") +
         kind + ">" + more + R"(}
        : (tensor<3x2xf32>, tensor<4xi32>, tensor<4x2xf32>) -> tensor<3x2xf32>
      return %r : tensor<3x2xf32>
    })";
}

TEST_F(EvaluateText, ScatterLeavesOutWhatIsOutside) {
  std::vector<Values> in = {
      {1, 1, 1, 1, 1, 1}, {2, -1, 3, 2}, {10, 20, 30, 40, 50, 60, 70, 80}};
  EXPECT_EQ(run(scatterRows("add"), in), Values({1, 1, 1, 1, 81, 101}));
  EXPECT_EQ(run(scatterRows("replace"), in), Values({1, 1, 1, 1, 70, 80}));
  EXPECT_EQ(run(scatterRows("minimum"), in), Values({1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(run(scatterRows("multiply"), in), Values({1, 1, 1, 1, 700, 1600}));
  EXPECT_EQ(run(scatterRows("add", ", clamp_starts = true"), in),
            Values({31, 41, 1, 1, 131, 161}));
}

TEST_F(EvaluateText, DynamicSlicesAreClamped) {
  const char *slice = R"(
    func.func @f(%operand: tensor<3x3xi32>, %i: tensor<i64>, %j: tensor<i64>) -> tensor<2x2xi32> {
      %r = train.dynamic_slice %operand, %i, %j {sizes = array<i64: 2, 2>}
        : (tensor<3x3xi32>, tensor<i64>, tensor<i64>) -> tensor<2x2xi32>
      return %r : tensor<2x2xi32>
    })";
  EXPECT_EQ(run(slice, {upTo(9), {-1}, {3}}), Values({2, 3, 5, 6}));
  EXPECT_EQ(run(slice, {upTo(9), {1}, {0}}), Values({4, 5, 7, 8}));
  EXPECT_EQ(run(R"(
    func.func @f(%operand: tensor<3x3xi32>, %update: tensor<1x2xi32>, %i: tensor<ui32>, %j: tensor<ui32>) -> tensor<3x3xi32> {
      %r = train.dynamic_update_slice %operand, %update, %i, %j
        : (tensor<3x3xi32>, tensor<1x2xi32>, tensor<ui32>, tensor<ui32>) -> tensor<3x3xi32>
      return %r : tensor<3x3xi32>
    })",
                {upTo(9), {0, 0}, {4000000000}, {2}}),
            Values({1, 2, 3, 4, 5, 6, 7, 0, 0}));
}

} // namespace
