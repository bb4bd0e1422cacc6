// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --zcc-split-tasks --zcc-place-schedule --zcc-verify-tasks --zcc-verify-fates | FileCheck %s

// A state is updated in place, so on the last level of its stage: what waits for the other stage's sum still reads what it was.

// CHECK-LABEL: func.func @epilogue
// CHECK-SAME: dist.state = "w"
// CHECK-SAME: dist.value = "t"
// CHECK-SAME: -> (tensor<4xf32> {dist.state = "w"}, tensor<f32> {dist.output = "metric"}) attributes {dist.level = 1 : i64
// CHECK-NOT: func.func @epilogue
#rows = #dist.sharding<@mesh, [{"micro"}]>
#whole = #dist.sharding<@mesh, [{}]>
dist.mesh @mesh [#dist.axis<"micro" = 2 temporal>, #dist.axis<"pipe" = 2>]
func.func @step(%w: tensor<4xf32> {dist.global = tensor<4xf32>, dist.sharding = #whole, zcc.kind = "parameter", zcc.parameter = "w"},
    %x: tensor<4xf32> {dist.global = tensor<8xf32>, dist.sharding = #rows, zcc.kind = "input", zcc.input = "x"},
    %y: tensor<4xf32> {dist.global = tensor<8xf32>, dist.sharding = #rows, zcc.kind = "input", zcc.input = "y"})
    -> (tensor<4xf32> {zcc.kind = "parameter", zcc.parameter = "w"}, tensor<f32> {zcc.kind = "output", zcc.output = "metric"}) {
  %a = train.multiply %x, %w {dist.region = "micro", train.tag = "forward"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %t = train.reduce %y {dims = array<i64: 0>, kind = #train<reduce_kind add>, dist.region = "micro", dist.stage = 1 : i64, train.tag = "forward"} : (tensor<4xf32>) -> tensor<f32>
  %as = dist.accumulate %a {reduction = "add", what = "gradient", value = "w", why = ""} : tensor<4xf32>
  %ts = dist.accumulate %t {reduction = "add", what = "scalar", value = "t", why = ""} : tensor<f32>
  %q = train.multiply %w, %w {dist.region = "after", train.tag = "forward"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r = train.reduce %q {dims = array<i64: 0>, kind = #train<reduce_kind add>, dist.region = "after", train.tag = "forward"} : (tensor<4xf32>) -> tensor<f32>
  %m = train.add %r, %ts {dist.region = "after", train.tag = "forward"} : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %new = train.subtract %w, %as {dist.region = "after", train.tag = "update"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %new, %m : tensor<4xf32>, tensor<f32>
}
