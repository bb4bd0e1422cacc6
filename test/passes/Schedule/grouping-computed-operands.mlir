// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --zcc-schedule-tasks --zcc-verify-schedule --split-input-file | FileCheck %s

// The op that decides which weights of an attention are kept is computed in the attention's kernel, back to the random
// key, whatever that costs.

// CHECK-LABEL: exec.task @forward
// CHECK: exec.launch @[[ATTENTION:k[0-9]+_attention]]({{.*}}) -> ({{.*}}) : (!exec.buffer<tensor<2xui32>>, !exec.buffer<tensor<2x9x2x4xf32>>)
// CHECK-NOT: exec.launch
// CHECK: func.func private @[[ATTENTION]](
// CHECK: train.iota
// CHECK: train.xor
// CHECK: train.multiply
// CHECK: train.attention
dist.mesh @mesh [#dist.axis<"micro" = 1 temporal>, #dist.axis<"data" = 1>]
dist.input @x : tensor<2x9x2x4xf32> {input = "x", sharding = #dist.sharding<@mesh, [{}, {}, {}, {}]>, stage = 0 : i64}
dist.input @key : tensor<2xui32> {input = "key", sharding = #dist.sharding<@mesh, [{}]>, stage = 0 : i64}
func.func @forward(%x: tensor<2x9x2x4xf32> {dist.input = @x}, %key: tensor<2xui32> {dist.input = @key}) -> (tensor<2x9x2x4xf32> {dist.value = "y"}) attributes {dist.task = "forward", dist.stage = 0 : i64} {
  %i = train.iota {dim = 2 : i64} : () -> tensor<2x2x9x9xui32>
  %j = train.iota {dim = 3 : i64} : () -> tensor<2x2x9x9xui32>
  %s = train.slice %key {start = array<i64: 0>, limit = array<i64: 1>, stride = array<i64: 1>} : (tensor<2xui32>) -> tensor<1xui32>
  %k = train.reshape %s : (tensor<1xui32>) -> tensor<ui32>
  %kb = train.broadcast_in_dim %k {dims = array<i64>} : (tensor<ui32>) -> tensor<2x2x9x9xui32>
  %0 = train.xor %i, %kb : (tensor<2x2x9x9xui32>, tensor<2x2x9x9xui32>) -> tensor<2x2x9x9xui32>
  %1 = train.multiply %0, %j : (tensor<2x2x9x9xui32>, tensor<2x2x9x9xui32>) -> tensor<2x2x9x9xui32>
  %2 = train.multiply %1, %1 : (tensor<2x2x9x9xui32>, tensor<2x2x9x9xui32>) -> tensor<2x2x9x9xui32>
  %3 = train.xor %2, %0 : (tensor<2x2x9x9xui32>, tensor<2x2x9x9xui32>) -> tensor<2x2x9x9xui32>
  %4 = train.multiply %3, %3 : (tensor<2x2x9x9xui32>, tensor<2x2x9x9xui32>) -> tensor<2x2x9x9xui32>
  %5 = train.add %4, %1 : (tensor<2x2x9x9xui32>, tensor<2x2x9x9xui32>) -> tensor<2x2x9x9xui32>
  %c = train.constant dense<3000000000> : tensor<2x2x9x9xui32>
  %kept = train.compare %5, %c {direction = #train<compare_direction LT>} : (tensor<2x2x9x9xui32>, tensor<2x2x9x9xui32>) -> tensor<2x2x9x9xi1>
  %y, %l = train.attention %x, %x, %x, %kept {scale = 0.5, fill = -1.0e9, kept_scale = 1.25, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 1>} : (tensor<2x9x2x4xf32>, tensor<2x9x2x4xf32>, tensor<2x9x2x4xf32>, tensor<2x2x9x9xi1>) -> (tensor<2x9x2x4xf32>, tensor<2x9x2xf32>)
  return %y : tensor<2x9x2x4xf32>
}

// -----

// Somebody else reads it: it is computed once and stored.

// CHECK-LABEL: exec.task @forward
// CHECK: exec.launch @{{.+}}({{.*}}) -> (%[[KEPT:[0-9]+]])
// CHECK: exec.launch @{{k[0-9]+_attention}}(%{{.+}}, %{{.+}})
dist.mesh @mesh [#dist.axis<"micro" = 1 temporal>, #dist.axis<"data" = 1>]
dist.input @x : tensor<2x9x2x4xf32> {input = "x", sharding = #dist.sharding<@mesh, [{}, {}, {}, {}]>, stage = 0 : i64}
func.func @forward(%x: tensor<2x9x2x4xf32> {dist.input = @x}) -> (tensor<2x9x2x4xf32> {dist.value = "y"}, tensor<2x2x9x9xi1> {dist.value = "kept"}) attributes {dist.task = "forward", dist.stage = 0 : i64} {
  %i = train.iota {dim = 2 : i64} : () -> tensor<2x2x9x9xui32>
  %j = train.iota {dim = 3 : i64} : () -> tensor<2x2x9x9xui32>
  %0 = train.xor %i, %j : (tensor<2x2x9x9xui32>, tensor<2x2x9x9xui32>) -> tensor<2x2x9x9xui32>
  %1 = train.multiply %0, %0 : (tensor<2x2x9x9xui32>, tensor<2x2x9x9xui32>) -> tensor<2x2x9x9xui32>
  %c = train.constant dense<30> : tensor<2x2x9x9xui32>
  %kept = train.compare %1, %c {direction = #train<compare_direction LT>} : (tensor<2x2x9x9xui32>, tensor<2x2x9x9xui32>) -> tensor<2x2x9x9xi1>
  %y, %l = train.attention %x, %x, %x, %kept {scale = 0.5, fill = -1.0e9, kept_scale = 1.25, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 1>} : (tensor<2x9x2x4xf32>, tensor<2x9x2x4xf32>, tensor<2x9x2x4xf32>, tensor<2x2x9x9xi1>) -> (tensor<2x9x2x4xf32>, tensor<2x9x2xf32>)
  return %y, %kept : tensor<2x9x2x4xf32>, tensor<2x2x9x9xi1>
}
