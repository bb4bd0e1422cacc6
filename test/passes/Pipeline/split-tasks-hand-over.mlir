// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --zcc-split-tasks="split-weights globs=split-tasks-hand-over.mlir:33,split-tasks-hand-over.mlir:34" --zcc-place-schedule=schedule=zb-h1 --zcc-verify-tasks --zcc-verify-fates | FileCheck %s
// RUN: zcc-opt %s --zcc-split-tasks="split-weights hand-over=false globs=split-tasks-hand-over.mlir:33,split-tasks-hand-over.mlir:34" --zcc-place-schedule=schedule=zb-h1 --zcc-verify-tasks --zcc-verify-fates | FileCheck %s --check-prefix=TWICE

// The backward task computes a hidden layer again, for its slope. The gradient of the weights behind it reads the layer, too: it gets
// it from there, under a name of its own.

// CHECK-LABEL: func.func @backward
// CHECK-SAME: {dist.fate = #dist.fate<"hand-over">, dist.value = "[[H:[^"]*]]:again"}
// CHECK: train.dot_general {{.*}}dist.again
// CHECK-NEXT: train.tanh {{.*}}dist.again
// CHECK-LABEL: func.func @weights
// CHECK-SAME: {dist.value = "[[H]]:again"}
// CHECK-NOT: train.tanh
// CHECK-LABEL: dist.schedule

// Off: once more.
// TWICE-LABEL: func.func @weights
// TWICE-NOT: :again
// TWICE: train.tanh {{.*}}dist.again

#whole = #dist.sharding<@mesh, [{}, {}]>
#rows = #dist.sharding<@mesh, [{"micro"}, {}]>
module {
  dist.mesh @mesh [#dist.axis<"micro" = 2 temporal>]
  func.func @step(
      %w1: tensor<8x16xf32> {dist.global = tensor<8x16xf32>, dist.sharding = #whole, zcc.kind = "parameter", zcc.parameter = "w1"},
      %w2: tensor<16x4xf32> {dist.global = tensor<16x4xf32>, dist.sharding = #whole, zcc.kind = "parameter", zcc.parameter = "w2"},
      %x: tensor<4x8xf32> {dist.global = tensor<8x8xf32>, dist.sharding = #rows, zcc.kind = "input", zcc.input = "x"},
      %y: tensor<4x4xf32> {dist.global = tensor<8x4xf32>, dist.sharding = #rows, zcc.kind = "input", zcc.input = "y"})
      -> (tensor<8x16xf32> {zcc.kind = "parameter", zcc.parameter = "w1"}, tensor<16x4xf32> {zcc.kind = "parameter", zcc.parameter = "w2"},
          tensor<f32> {zcc.kind = "output", zcc.output = "loss"}) {
    %0 = train.dot_general %x, %w1 {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>, dist.region = "micro", train.tag = "forward"} : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
    %h = train.tanh %0 {dist.region = "micro", train.tag = "forward"} : (tensor<4x16xf32>) -> tensor<4x16xf32>

    %1 = train.dot_general %h, %w2 {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>, dist.region = "micro", train.tag = "forward"} : (tensor<4x16xf32>, tensor<16x4xf32>) -> tensor<4x4xf32>
    %d = train.subtract %1, %y {dist.region = "micro", train.tag = "forward"} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %s = train.multiply %d, %d {dist.region = "micro", train.tag = "forward"} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %r = train.reduce %s {dims = array<i64: 0, 1>, kind = #train<reduce_kind add>, dist.region = "micro", train.tag = "forward"} : (tensor<4x4xf32>) -> tensor<f32>
    %c = train.constant {dist.region = "micro", train.tag = "forward"} dense<0.03125> : tensor<f32>
    %part = train.multiply %r, %c {dist.region = "micro", train.tag = "forward"} : (tensor<f32>, tensor<f32>) -> tensor<f32>

    %k = train.constant {dist.region = "micro", train.tag = "backward"} dense<0.0625> : tensor<4x4xf32>
    %g = train.multiply %d, %k {dist.region = "micro", train.tag = "backward"} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %dh = train.dot_general %g, %w2 {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 1>, dist.region = "micro", train.tag = "backward"} : (tensor<4x4xf32>, tensor<16x4xf32>) -> tensor<4x16xf32>
    %gw2 = train.dot_general %h, %g {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 0>, rhs_contracting = array<i64: 0>, dist.region = "micro", train.tag = "backward"} : (tensor<4x16xf32>, tensor<4x4xf32>) -> tensor<16x4xf32>

    %one = train.constant {dist.region = "micro", train.tag = "backward"} dense<1.0> : tensor<4x16xf32>
    %hh = train.multiply %h, %h {dist.region = "micro", train.tag = "backward"} : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
    %slope = train.subtract %one, %hh {dist.region = "micro", train.tag = "backward"} : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
    %g0 = train.multiply %dh, %slope {dist.region = "micro", train.tag = "backward"} : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
    %gw1 = train.dot_general %x, %g0 {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 0>, rhs_contracting = array<i64: 0>, dist.region = "micro", train.tag = "backward"} : (tensor<4x8xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>

    %a1 = dist.accumulate %gw1 {reduction = "add", what = "gradient", value = "w1", why = "microbatches"} : tensor<8x16xf32>
    %a2 = dist.accumulate %gw2 {reduction = "add", what = "gradient", value = "w2", why = "microbatches"} : tensor<16x4xf32>
    %loss = dist.accumulate %part {reduction = "add", what = "scalar", value = "loss", why = "microbatches"} : tensor<f32>
    dist.observe %a1 {scaled = false, states = [@w1], dist.operand_shardings = [#whole], dist.region = "after", train.tag = "update"} : tensor<8x16xf32>
    %rate1 = train.constant {dist.region = "after", train.tag = "update"} dense<0.1> : tensor<8x16xf32>
    %step1 = train.multiply %a1, %rate1 {dist.region = "after", train.tag = "update"} : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %new1 = train.subtract %w1, %step1 {dist.region = "after", train.tag = "update"} : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    dist.observe %a2 {scaled = false, states = [@w2], dist.operand_shardings = [#whole], dist.region = "after", train.tag = "update"} : tensor<16x4xf32>
    %rate2 = train.constant {dist.region = "after", train.tag = "update"} dense<0.1> : tensor<16x4xf32>
    %step2 = train.multiply %a2, %rate2 {dist.region = "after", train.tag = "update"} : (tensor<16x4xf32>, tensor<16x4xf32>) -> tensor<16x4xf32>
    %new2 = train.subtract %w2, %step2 {dist.region = "after", train.tag = "update"} : (tensor<16x4xf32>, tensor<16x4xf32>) -> tensor<16x4xf32>
    return %new1, %new2, %loss : tensor<8x16xf32>, tensor<16x4xf32>, tensor<f32>
  }
}
