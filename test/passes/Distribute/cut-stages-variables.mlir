// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A variable that changes once a step is on each stage that reads it, which computes its new value after the loop.
// RUN: zcc %s --quiet --compile-to=partitioned --mesh=pipe=2 --microbatches=2 --optimizer=sgd --stage=u=0 --stage=v=1 --per-microbatch=* | FileCheck %s
// One that changes with each microbatch is on the stage that makes its new value. Others are sent it.

// CHECK: func.func @step(
// CHECK-SAME: %[[MEAN:arg[0-9]+]]: tensor<4xf32> {dist.global{{[^%]*}}zcc.kind = "variable", zcc.state = "mean"}
// CHECK-SAME: %[[COUNT:arg[0-9]+]]: tensor<f32> {dist.global{{[^%]*}}zcc.kind = "variable", zcc.state = "count"}
// CHECK-SAME: %[[COPY:arg[0-9]+]]: tensor<f32> {dist.copy = 1 : i64, {{[^%]*}}zcc.kind = "variable", zcc.state = "count"}
// CHECK: train.reshape %[[MEAN]] {dist.category = "residuals", dist.region = "micro", dist.shardings = [#dist.sharding<@mesh, [{}]>],{{.*}} train.tag = "forward"}
func.func @main(%u: tensor<4x4xf32> {zcc.parameter = "u"}, %v: tensor<4x4xf32> {zcc.parameter = "v"}, %mean: tensor<4xf32> {zcc.state = "mean"},
    %count: tensor<f32> {zcc.state = "count"}, %x: tensor<8x4xf32> {zcc.input = "x"}, %y: tensor<8xf32> {zcc.input = "y"})
    -> (tensor<f32>, tensor<4xf32> {zcc.state = "mean"}, tensor<f32> {zcc.state = "count"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %eight = stablehlo.constant dense<8.0> : tensor<4xf32>
  %counts = stablehlo.broadcast_in_dim %count, dims = [] : (tensor<f32>) -> tensor<8x4xf32>
  %scaled = stablehlo.multiply %x, %counts : tensor<8x4xf32>
  %h = stablehlo.dot_general %scaled, %u, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %sum = stablehlo.reduce(%h init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8x4xf32>, tensor<f32>) -> tensor<4xf32>
  %own = stablehlo.divide %sum, %eight : tensor<4xf32>
  %new = stablehlo.add %mean, %own : tensor<4xf32>
  %owns = stablehlo.broadcast_in_dim %own, dims = [1] : (tensor<4xf32>) -> tensor<8x4xf32>
  %c = stablehlo.subtract %h, %owns : tensor<8x4xf32>
  %t = stablehlo.tanh %c : tensor<8x4xf32>
  %o = stablehlo.dot_general %t, %v, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %means = stablehlo.broadcast_in_dim %mean, dims = [1] : (tensor<4xf32>) -> tensor<8x4xf32>
  %p = stablehlo.add %o, %means : tensor<8x4xf32>
  %q = stablehlo.multiply %p, %counts : tensor<8x4xf32>
  %z = stablehlo.tanh %q : tensor<8x4xf32>
  %loss = stablehlo.reduce(%z init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<f32>
  %all = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
  %next = stablehlo.add %count, %all : tensor<f32>
  return %loss, %new, %next : tensor<f32>, tensor<4xf32>, tensor<f32>
}
