// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A stack that is read one element at a time becomes an argument an element; others stay.
// RUN: zcc-opt %s --split-input-file --zcc-split-stacks | FileCheck %s

// CHECK-LABEL: @main(
// CHECK-SAME: %[[A:.*]]: tensor<3xf32> {zcc.file_shape = array<i64: 2, 3>, zcc.parameter = "layers.w", zcc.part = array<i64: 0, 0>},
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

// -----
// Ops that work on stacks element by element of the first dim work on the slices: here a cast times a broadcast number plus another
// stack, and a transpose, a stopped gradient and a sum over another dim.
// CHECK-LABEL: @main(
// CHECK-SAME: %[[A:.*]]: tensor<3xf32> {zcc.file_shape = array<i64: 2, 3>, zcc.parameter = "w", zcc.part = array<i64: 0, 0>},
// CHECK-SAME: %[[B:.*]]: tensor<3xf32> {zcc.file_shape = array<i64: 2, 3>, zcc.parameter = "w", zcc.part = array<i64: 1, 0>},
// CHECK-SAME: %[[C:.*]]: tensor<3xbf16> {zcc.file_shape = array<i64: 2, 3>, zcc.parameter = "v", zcc.part = array<i64: 0, 0>},
// CHECK-SAME: %[[D:.*]]: tensor<3xbf16> {zcc.file_shape = array<i64: 2, 3>, zcc.parameter = "v", zcc.part = array<i64: 1, 0>},
// CHECK-SAME: %[[E:.*]]: tensor<4x3xf32> {zcc.file_shape = array<i64: 2, 4, 3>, zcc.parameter = "u", zcc.part = array<i64: 0, 0, 0>},
// CHECK-NOT: tensor<2x
// CHECK-DAG: %[[A1:.*]] = stablehlo.reshape %[[A]] : (tensor<3xf32>) -> tensor<1x3xf32>
// CHECK-DAG: %[[A2:.*]] = stablehlo.convert %[[A1]] : (tensor<1x3xf32>) -> tensor<1x3xbf16>
// CHECK-DAG: %[[H:.*]] = stablehlo.broadcast_in_dim %{{.*}}, dims = [] : (tensor<bf16>) -> tensor<1x3xbf16>
// CHECK-DAG: %[[A3:.*]] = stablehlo.multiply %[[A2]], %[[H]] : tensor<1x3xbf16>
// CHECK-DAG: %[[C1:.*]] = stablehlo.reshape %[[C]] : (tensor<3xbf16>) -> tensor<1x3xbf16>
// CHECK: stablehlo.add %[[A3]], %[[C1]] : tensor<1x3xbf16>
// CHECK: stablehlo.custom_call @zcc.stop_gradient(%{{.*}}) : (tensor<1x4x3xf32>) -> tensor<1x4x3xf32>
// CHECK: stablehlo.transpose %{{.*}}, dims = [0, 2, 1] : (tensor<1x4x3xf32>) -> tensor<1x3x4xf32>
// CHECK: stablehlo.slice %{{.*}} [0:1, 0:3, 0:2] : (tensor<1x3x4xf32>) -> tensor<1x3x2xf32>
// CHECK: stablehlo.reduce(%{{.*}} init: %{{.*}}) applies stablehlo.add across dimensions = [1] : (tensor<1x3x2xf32>, tensor<f32>) -> tensor<1x2xf32>
func.func @main(%w: tensor<2x3xf32> {zcc.parameter = "w"}, %v: tensor<2x3xbf16> {zcc.parameter = "v"}, %u: tensor<2x4x3xf32> {zcc.parameter = "u"}, %h: tensor<bf16> {zcc.parameter = "h"}) -> (tensor<1x3xbf16>, tensor<1x3xbf16>, tensor<1x2xf32>, tensor<1x2xf32>) {
  %0 = stablehlo.convert %w : (tensor<2x3xf32>) -> tensor<2x3xbf16>
  %1 = stablehlo.broadcast_in_dim %h, dims = [] : (tensor<bf16>) -> tensor<2x3xbf16>
  %2 = stablehlo.multiply %0, %1 : tensor<2x3xbf16>
  %3 = stablehlo.add %2, %v : tensor<2x3xbf16>
  %4 = stablehlo.slice %3 [0:1, 0:3] : (tensor<2x3xbf16>) -> tensor<1x3xbf16>
  %5 = stablehlo.slice %3 [1:2, 0:3] : (tensor<2x3xbf16>) -> tensor<1x3xbf16>
  %6 = stablehlo.custom_call @zcc.stop_gradient(%u) : (tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
  %7 = stablehlo.transpose %6, dims = [0, 2, 1] : (tensor<2x4x3xf32>) -> tensor<2x3x4xf32>
  %8 = stablehlo.slice %7 [0:2, 0:3, 0:2] : (tensor<2x3x4xf32>) -> tensor<2x3x2xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %9 = stablehlo.reduce(%8 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x3x2xf32>, tensor<f32>) -> tensor<2x2xf32>
  %10 = stablehlo.slice %9 [0:1, 0:2] : (tensor<2x2xf32>) -> tensor<1x2xf32>
  %11 = stablehlo.slice %9 [1:2, 0:2] : (tensor<2x2xf32>) -> tensor<1x2xf32>
  return %4, %5, %10, %11 : tensor<1x3xbf16>, tensor<1x3xbf16>, tensor<1x2xf32>, tensor<1x2xf32>
}

// -----
// Nothing moves if the stack, or what is computed of it, is also read as a whole, or if elements of the first dim mix.
// CHECK-LABEL: @main(
// CHECK-SAME: %[[W:.*]]: tensor<2x3xf32> {zcc.parameter = "w"}, %[[V:.*]]: tensor<2x3xf32> {zcc.parameter = "v"}, %[[U:.*]]: tensor<2x3xf32> {zcc.parameter = "u"})
// CHECK: stablehlo.convert %[[W]] : (tensor<2x3xf32>) -> tensor<2x3xbf16>
// CHECK: stablehlo.reverse %[[V]], dims = [0]
// CHECK: stablehlo.convert %[[U]] : (tensor<2x3xf32>) -> tensor<2x3xbf16>
func.func @main(%w: tensor<2x3xf32> {zcc.parameter = "w"}, %v: tensor<2x3xf32> {zcc.parameter = "v"}, %u: tensor<2x3xf32> {zcc.parameter = "u"}) -> (tensor<1x3xbf16>, tensor<1x3xbf16>, tensor<1x3xf32>, tensor<1x3xf32>, tensor<2x3xbf16>, tensor<1x3xbf16>, tensor<1x3xbf16>, tensor<2x3xf32>) {
  %0 = stablehlo.convert %w : (tensor<2x3xf32>) -> tensor<2x3xbf16>
  %1 = stablehlo.slice %0 [0:1, 0:3] : (tensor<2x3xbf16>) -> tensor<1x3xbf16>
  %2 = stablehlo.slice %0 [1:2, 0:3] : (tensor<2x3xbf16>) -> tensor<1x3xbf16>
  %3 = stablehlo.reverse %v, dims = [0] : tensor<2x3xf32>
  %4 = stablehlo.slice %3 [0:1, 0:3] : (tensor<2x3xf32>) -> tensor<1x3xf32>
  %5 = stablehlo.slice %3 [1:2, 0:3] : (tensor<2x3xf32>) -> tensor<1x3xf32>
  %6 = stablehlo.convert %u : (tensor<2x3xf32>) -> tensor<2x3xbf16>
  %7 = stablehlo.slice %6 [0:1, 0:3] : (tensor<2x3xbf16>) -> tensor<1x3xbf16>
  %8 = stablehlo.slice %6 [1:2, 0:3] : (tensor<2x3xbf16>) -> tensor<1x3xbf16>
  return %1, %2, %4, %5, %0, %7, %8, %u : tensor<1x3xbf16>, tensor<1x3xbf16>, tensor<1x3xf32>, tensor<1x3xf32>, tensor<2x3xbf16>, tensor<1x3xbf16>, tensor<1x3xbf16>, tensor<2x3xf32>
}

// -----
// A bias that is added to products of an input, which are sliced apart, stays whole.
// CHECK-LABEL: @main(
// CHECK-SAME: %[[BIAS:.*]]: tensor<3x4xf32> {zcc.parameter = "b"}
// CHECK: stablehlo.broadcast_in_dim %[[BIAS]]
// CHECK: stablehlo.add {{.*}} : tensor<3x2x4xf32>
func.func @main(%b: tensor<3x4xf32> {zcc.parameter = "b"}, %x: tensor<3x2x4xf32> {zcc.input = "x"}) -> (tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>) {
  %0 = stablehlo.broadcast_in_dim %b, dims = [0, 2] : (tensor<3x4xf32>) -> tensor<3x2x4xf32>
  %1 = stablehlo.add %x, %0 : tensor<3x2x4xf32>
  %2 = stablehlo.slice %1 [0:1, 0:2, 0:4] : (tensor<3x2x4xf32>) -> tensor<1x2x4xf32>
  %3 = stablehlo.slice %1 [1:2, 0:2, 0:4] : (tensor<3x2x4xf32>) -> tensor<1x2x4xf32>
  %4 = stablehlo.slice %1 [2:3, 0:2, 0:4] : (tensor<3x2x4xf32>) -> tensor<1x2x4xf32>
  return %2, %3, %4 : tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>
}
