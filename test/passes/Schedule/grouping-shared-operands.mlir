// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --zcc-schedule-tasks --zcc-verify-schedule | FileCheck %s

// Two attentions share a bias that is repeated from a number, and neither reads
// its query at strides: the operands of the first are stored, and so is the
// bias. It is a kernel of its own, since the second will read it, too.

// CHECK-LABEL: exec.task @forward
// CHECK: exec.launch @[[BIAS:k[0-9]+_broadcast_in_dim]]
// CHECK: exec.launch @[[ATTENTION:k[0-9]+_attention]](
// CHECK: exec.launch @[[ATTENTION]](
// CHECK: func.func private @[[BIAS]]() -> tensor<17x17xf32>
// CHECK: func.func private @[[ATTENTION]](
// CHECK-NOT: train.broadcast_in_dim
// CHECK: return
dist.mesh @mesh [#dist.axis<"micro" = 1 temporal>, #dist.axis<"data" = 1>]
dist.input @x : tensor<4x17x12xf32> {input = "x", sharding = #dist.sharding<@mesh, [{}, {}, {}]>, stage = 0 : i64}
func.func @forward(%x: tensor<4x17x12xf32> {dist.input = @x}) -> (tensor<8x17x1x6xf32> {dist.value = "y"}) attributes {dist.task = "forward", dist.stage = 0 : i64} {
  %zero = train.constant dense<0.0> : tensor<f32>
  %zeros = train.broadcast_in_dim %zero {dims = array<i64>} : (tensor<f32>) -> tensor<17x17xf32>
  %bias = train.reshape %zeros : (tensor<17x17xf32>) -> tensor<1x1x17x17xf32>
  %split = train.reshape %x : (tensor<4x17x12xf32>) -> tensor<4x17x2x6xf32>
  %heads = train.transpose %split {permutation = array<i64: 0, 2, 1, 3>} : (tensor<4x17x2x6xf32>) -> tensor<4x2x17x6xf32>
  %q = train.reshape %heads : (tensor<4x2x17x6xf32>) -> tensor<8x17x1x6xf32>
  %a, %l = train.attention %q, %q, %q, %bias {scale = 0.35, fill = 0xFFF0000000000000 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 0>} : (tensor<8x17x1x6xf32>, tensor<8x17x1x6xf32>, tensor<8x17x1x6xf32>, tensor<1x1x17x17xf32>) -> (tensor<8x17x1x6xf32>, tensor<8x17x1xf32>)
  %together = train.reshape %a : (tensor<8x17x1x6xf32>) -> tensor<4x2x17x6xf32>
  %back = train.transpose %together {permutation = array<i64: 0, 2, 1, 3>} : (tensor<4x2x17x6xf32>) -> tensor<4x17x2x6xf32>
  %flat = train.reshape %back : (tensor<4x17x2x6xf32>) -> tensor<4x17x12xf32>
  %sum = train.add %x, %flat : (tensor<4x17x12xf32>, tensor<4x17x12xf32>) -> tensor<4x17x12xf32>
  %again = train.reshape %sum : (tensor<4x17x12xf32>) -> tensor<4x17x2x6xf32>
  %moved = train.transpose %again {permutation = array<i64: 0, 2, 1, 3>} : (tensor<4x17x2x6xf32>) -> tensor<4x2x17x6xf32>
  %p = train.reshape %moved : (tensor<4x2x17x6xf32>) -> tensor<8x17x1x6xf32>
  %b, %m = train.attention %p, %p, %p, %bias {scale = 0.35, fill = 0xFFF0000000000000 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 0>} : (tensor<8x17x1x6xf32>, tensor<8x17x1x6xf32>, tensor<8x17x1x6xf32>, tensor<1x1x17x17xf32>) -> (tensor<8x17x1x6xf32>, tensor<8x17x1xf32>)
  return %b : tensor<8x17x1x6xf32>
}
