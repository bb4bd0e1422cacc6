// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A stack that is read one element at a time becomes an argument an element; others stay.
// RUN: zcc-opt %s --zcc-split-stacks | FileCheck %s

// CHECK: @main(%[[A:.*]]: tensor<3xf32> {zcc.file_shape = array<i64: 2, 3>, zcc.parameter = "layers.w", zcc.part = array<i64: 0, 0>},
// CHECK-SAME: %[[B:.*]]: tensor<3xf32> {zcc.file_shape = array<i64: 2, 3>, zcc.parameter = "layers.w", zcc.part = array<i64: 1, 0>},
// CHECK-SAME: %[[P:.*]]: tensor<2x3xf32> {zcc.parameter = "part"}, %[[X:.*]]: tensor<2x3xf32> {zcc.input = "x"})
// CHECK: stablehlo.add %[[A]], %{{.*}} : tensor<3xf32>
// CHECK: stablehlo.reshape %[[B]] : (tensor<3xf32>) -> tensor<1x3xf32>
// CHECK: stablehlo.slice %[[P]]
// CHECK: stablehlo.slice %[[X]]
func.func @main(%w: tensor<2x3xf32> {zcc.parameter = "layers.w"}, %p: tensor<2x3xf32> {zcc.parameter = "part"}, %x: tensor<2x3xf32> {zcc.input = "x"}) -> tensor<1x3xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_slice %w, %zero, %zero, sizes = [1, 3] : (tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x3xf32>
  %1 = stablehlo.reshape %0 : (tensor<1x3xf32>) -> tensor<3xf32>
  %2 = stablehlo.add %1, %1 : tensor<3xf32>
  %3 = stablehlo.slice %w [1:2, 0:3] : (tensor<2x3xf32>) -> tensor<1x3xf32>
  %4 = stablehlo.abs %3 : tensor<1x3xf32>
  // An element is not read: its gradient would be missing.
  %5 = stablehlo.slice %p [1:2, 0:3] : (tensor<2x3xf32>) -> tensor<1x3xf32>
  %6 = stablehlo.slice %x [0:1, 0:3] : (tensor<2x3xf32>) -> tensor<1x3xf32>
  %7 = stablehlo.slice %x [1:2, 0:3] : (tensor<2x3xf32>) -> tensor<1x3xf32>
  return %4 : tensor<1x3xf32>
}
