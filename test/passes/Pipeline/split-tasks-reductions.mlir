// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --zcc-split-tasks | FileCheck %s

// Gradients that are reduced for each microbatch are reduced right after they are made, wherever the reduction stands.

dist.mesh @mesh [#dist.axis<"data" = 2>]
// CHECK-LABEL: func.func @backward
// CHECK: train.multiply
// CHECK-NEXT: train.pad
// CHECK-NEXT: dist.reduce_scatter {{.*}}train.tag = "backward"
// CHECK-NEXT: train.tanh
func.func @step(%w: tensor<2xf32> {dist.global = tensor<3xf32>, dist.sharding = #dist.sharding<@mesh, [{"data"}], padded = [4]>, zcc.kind = "parameter", zcc.parameter = "w"},
    %x: tensor<3xf32> {dist.global = tensor<3xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>, zcc.kind = "input", zcc.input = "x"})
    -> (tensor<2xf32> {zcc.kind = "parameter", zcc.parameter = "w"}, tensor<3xf32> {zcc.kind = "output", zcc.output = "metric"}) {
  %zero = train.constant {dist.region = "micro", train.tag = "backward"} dense<0.0> : tensor<f32>
  %g = train.multiply %x, %x {dist.region = "micro", train.tag = "backward"} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %t = train.tanh %x {dist.region = "micro", train.tag = "backward"} : (tensor<3xf32>) -> tensor<3xf32>
  %p = train.pad %g, %zero {low = array<i64: 0>, high = array<i64: 1>, interior = array<i64: 0>, dist.region = "micro", train.tag = "update"} : (tensor<3xf32>, tensor<f32>) -> tensor<4xf32>
  %s = dist.reduce_scatter %p {axes = ["data"], dim = 0 : i64, reduction = "add", what = "gradient", value = "w", why = "", dist.region = "micro", train.tag = "update"} : (tensor<4xf32>) -> tensor<2xf32>
  %n = train.subtract %w, %s {dist.region = "after", train.tag = "update"} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %n, %t : tensor<2xf32>, tensor<3xf32>
}
