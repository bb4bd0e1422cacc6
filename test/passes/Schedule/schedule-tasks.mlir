// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --zcc-schedule-tasks --zcc-verify-schedule --split-input-file | FileCheck %s
// RUN: zcc-opt %s --zcc-schedule-tasks="fuse=false" --zcc-verify-schedule --split-input-file | FileCheck %s --check-prefix=PLAIN

// Bias and activation go into the product; the state is updated in place; the
// reshape of a whole buffer is that buffer under another type.

dist.mesh @mesh [#dist.axis<"data" = 1>]
dist.state @w : tensor<8x4xf32> {kind = "parameter", parameter = "w", file_type = tensor<8x4xf32>, start = array<i64: 0, 0>, extent = array<i64: 8, 4>, sharding = #dist.sharding<@mesh, [{}, {}]>, stage = 0 : i64}
dist.input @x : tensor<2x3x8xf32> {input = "x", sharding = #dist.sharding<@mesh, [{}, {}, {}]>, stage = 0 : i64}
dist.output @loss : tensor<f32> {kind = "loss", output = "loss", stage = 0 : i64}

// CHECK-LABEL: exec.task @forward
// CHECK-DAG: %[[X:.+]] = exec.buffer "input" "x" {{.*}} : <tensor<6x8xf32>>
// CHECK-DAG: %[[W:.+]] = exec.buffer "state" "w" {{.*}} : <tensor<8x4xf32>>
// CHECK-DAG: %[[H:.+]] = exec.buffer "value" "h" {category = "residuals"} : <tensor<6x4xf32>>
// CHECK-DAG: %[[L:.+]] = exec.buffer "output" "loss"
// CHECK: exec.launch @[[DOT:k[0-9]+_dot_general]](%[[X]], %[[W]]) -> (%[[H]])
// CHECK-NEXT: exec.launch @[[SUM:k[0-9]+_reduce]](%[[H]]) -> (%[[L]])
// PLAIN-LABEL: exec.task @forward
// PLAIN: exec.launch @{{.*}}_dot_general
// PLAIN: exec.launch @{{.*}}_tanh
func.func @forward(%w: tensor<8x4xf32> {dist.state = @w}, %x: tensor<2x3x8xf32> {dist.input = @x})
    -> (tensor<6x4xf32> {dist.value = "h"}, tensor<f32> {dist.output = @loss}) attributes {dist.task = "forward", dist.stage = 0 : i64} {
  %0 = train.reshape %x : (tensor<2x3x8xf32>) -> tensor<6x8xf32>
  %1 = train.dot_general %0, %w {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>} : (tensor<6x8xf32>, tensor<8x4xf32>) -> tensor<6x4xf32>
  %2 = train.tanh %1 : (tensor<6x4xf32>) -> tensor<6x4xf32>
  %3 = train.reduce %2 {dims = array<i64: 0, 1>, kind = #train<reduce_kind add>} : (tensor<6x4xf32>) -> tensor<f32>
  return %2, %3 : tensor<6x4xf32>, tensor<f32>
}

// CHECK-LABEL: exec.task @backward
// CHECK-DAG: %[[W2:.+]] = exec.buffer "state" "w"
// CHECK: exec.launch @{{.*}}%[[W2]]) -> (%[[G:[0-9]+]], %[[W2]])
// CHECK-NEXT: exec.observe %[[G]]
func.func @backward(%w: tensor<8x4xf32> {dist.state = @w}, %x: tensor<2x3x8xf32> {dist.input = @x}, %h: tensor<6x4xf32> {dist.value = "h"})
    -> (tensor<8x4xf32> {dist.state = @w}) attributes {dist.task = "backward", dist.stage = 0 : i64} {
  %one = train.constant dense<1.0> : tensor<6x4xf32>
  %0 = train.multiply %h, %h : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x4xf32>
  %1 = train.subtract %one, %0 : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x4xf32>
  %2 = train.reshape %x : (tensor<2x3x8xf32>) -> tensor<6x8xf32>
  %3 = train.dot_general %2, %1 {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 0>, rhs_contracting = array<i64: 0>} : (tensor<6x8xf32>, tensor<6x4xf32>) -> tensor<8x4xf32>
  dist.observe %3 {states = [@w], scaled = false} : tensor<8x4xf32>
  %4 = train.subtract %w, %3 : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %4 : tensor<8x4xf32>
}
dist.schedule attributes {stage = 0 : i64} {
  dist.run @forward {microbatch = 0 : i64}
  dist.run @backward {microbatch = 0 : i64}
}

// CHECK: func.func private @[[DOT]]({{.*}}) -> tensor<6x4xf32> attributes {exec.kernel}
// CHECK: train.dot_general
// CHECK: train.tanh
