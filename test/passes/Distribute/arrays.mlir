// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An array leaves the step in the shards in which it is computed, and is noted with its whole type. Sums are finished.
// RUN: zcc-opt %s --split-input-file --verify-diagnostics --zcc-shard-step --zcc-verify-sharded --zcc-partition | FileCheck %s

// CHECK: func.func @step
// CHECK-SAME: -> (tensor<4x6xf32> {dist.global = tensor<8x6xf32>, dist.sharding = #dist.sharding<@mesh, [{"data"}, {}]>, zcc.kind = "output", zcc.output = "array", zcc.result = "y"},
// CHECK-SAME: tensor<6xf32> {dist.global = tensor<6xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>, zcc.kind = "output", zcc.output = "array", zcc.result = "sum"})
// CHECK-NOT: all_gather
// CHECK: dist.all_reduce
// CHECK-NOT: all_gather
dist.mesh @mesh [#dist.axis<"data" = 2>]
func.func @step(%w: tensor<4x6xf32> {zcc.kind = "parameter", zcc.parameter = "w"}, %x: tensor<8x4xf32> {zcc.kind = "input", zcc.input = "x"})
    -> (tensor<8x6xf32> {zcc.kind = "output", zcc.output = "array", zcc.result = "y"}, tensor<6xf32> {zcc.kind = "output", zcc.output = "array", zcc.result = "sum"}) {
  %0 = train.dot_general %x, %w {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>, train.tag = "forward"} : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  %1 = train.reduce %0 {dims = array<i64: 0>, kind = #train<reduce_kind add>, train.tag = "forward"} : (tensor<8x6xf32>) -> tensor<6xf32>
  return %0, %1 : tensor<8x6xf32>, tensor<6xf32>
}

// -----

dist.mesh @mesh [#dist.axis<"micro" = 2 temporal>]
func.func @step(%w: tensor<4xf32> {zcc.kind = "parameter", zcc.parameter = "w"}, %x: tensor<8x4xf32> {zcc.kind = "input", zcc.input = "x"})
    -> (tensor<8x4xf32> {zcc.kind = "output", zcc.output = "array", zcc.result = "y"}, tensor<f32> {zcc.kind = "output", zcc.output = "metric", zcc.result = "sum"}) {
  // expected-error @below {{not yet: the output "y", whose dim 0 is split into microbatches}}
  // expected-note @below {{use --microbatches=1}}
  %0 = train.negate %x {train.tag = "forward"} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %1 = train.reduce %0 {dims = array<i64: 0, 1>, kind = #train<reduce_kind add>, train.tag = "forward"} : (tensor<8x4xf32>) -> tensor<f32>
  return %0, %1 : tensor<8x4xf32>, tensor<f32>
}
