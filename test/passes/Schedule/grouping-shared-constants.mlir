// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --zcc-schedule-tasks --zcc-verify-schedule | FileCheck %s

// An attention asks for its bias in memory, and a number from which the bias is
// repeated is stored. The scatter begins with the same number: its kernel has
// the constant itself, since it takes inputs and splat constants only.

// CHECK-LABEL: exec.task @forward
// CHECK-DAG: exec.launch @[[SCATTER:k[0-9]+_scatter]](
// CHECK-DAG: exec.launch @[[ATTENTION:k[0-9]+_attention]](
// CHECK: func.func private @[[SCATTER]](%{{.+}}: tensor<9x1xi64>, %{{.+}}: tensor<9x12xf32>) -> tensor<4x12xf32>
// CHECK-NEXT: train.constant dense<0.000000e+00> : tensor<f32>
// CHECK: func.func private @[[ATTENTION]](%{{.+}}: tensor<f32>, %{{.+}}: tensor<8x17x1x6xf32>)
// CHECK-NOT: train.constant
// CHECK: return
dist.mesh @mesh [#dist.axis<"micro" = 1 temporal>, #dist.axis<"data" = 1>]
dist.input @q : tensor<8x17x1x6xf32> {input = "q", sharding = #dist.sharding<@mesh, [{}, {}, {}, {}]>, stage = 0 : i64}
dist.input @at : tensor<9x1xi64> {input = "at", sharding = #dist.sharding<@mesh, [{}, {}]>, stage = 0 : i64}
dist.input @rows : tensor<9x12xf32> {input = "rows", sharding = #dist.sharding<@mesh, [{}, {}]>, stage = 0 : i64}
func.func @forward(%q: tensor<8x17x1x6xf32> {dist.input = @q}, %at: tensor<9x1xi64> {dist.input = @at}, %rows: tensor<9x12xf32> {dist.input = @rows}) -> (tensor<8x17x1x6xf32> {dist.value = "y"}, tensor<4x12xf32> {dist.value = "sums"}) attributes {dist.task = "forward", dist.stage = 0 : i64} {
  %zero = train.constant dense<0.0> : tensor<f32>
  %zeros = train.broadcast_in_dim %zero {dims = array<i64>} : (tensor<f32>) -> tensor<4x12xf32>
  %sums = train.scatter %zeros, %at, %rows {index_vector_dim = 1 : i64, indices_batching_dims = array<i64>, inserted_window_dims = array<i64: 0>, kind = #train<reduce_kind add>, operand_batching_dims = array<i64>, operand_dims_map = array<i64: 0>, update_window_dims = array<i64: 1>} : (tensor<4x12xf32>, tensor<9x1xi64>, tensor<9x12xf32>) -> tensor<4x12xf32>
  %bias = train.broadcast_in_dim %zero {dims = array<i64>} : (tensor<f32>) -> tensor<1x1x17x17xf32>
  %a, %l = train.attention %q, %q, %q, %bias {scale = 0.35, fill = 0xFFF0000000000000 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 0>} : (tensor<8x17x1x6xf32>, tensor<8x17x1x6xf32>, tensor<8x17x1x6xf32>, tensor<1x1x17x17xf32>) -> (tensor<8x17x1x6xf32>, tensor<8x17x1xf32>)
  return %a, %sums : tensor<8x17x1x6xf32>, tensor<4x12xf32>
}
