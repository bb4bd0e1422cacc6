// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --zcc-narrow-residuals=type=f16 | FileCheck %s

// A value that the backward pass computes again to compare it with its candidates is computed from exact values.
// CHECK-LABEL: @loss
// CHECK-NOT:   f16
// CHECK:       return
func.func @loss(%w: tensor<4xf32> {zcc.parameter = "w"}, %x: tensor<16x4xf32> {zcc.input = "x"}) -> tensor<f32> {
  %b = train.broadcast_in_dim %w {dims = array<i64: 1>, train.tag = "forward"} : (tensor<4xf32>) -> tensor<16x4xf32>
  %p = train.multiply %b, %x {train.tag = "forward"} : (tensor<16x4xf32>, tensor<16x4xf32>) -> tensor<16x4xf32>
  %t = train.tanh %p {train.tag = "forward"} : (tensor<16x4xf32>) -> tensor<16x4xf32>
  %m = train.multiply %t, %x {train.tag = "forward"} : (tensor<16x4xf32>, tensor<16x4xf32>) -> tensor<16x4xf32>
  %r = train.reduce %m {dims = array<i64: 1>, kind = #train<reduce_kind maximum>, train.tag = "forward"} : (tensor<16x4xf32>) -> tensor<16xf32>
  %again = train.multiply %t, %x {train.tag = "backward"} : (tensor<16x4xf32>, tensor<16x4xf32>) -> tensor<16x4xf32>
  %s = train.broadcast_in_dim %r {dims = array<i64: 0>, train.tag = "backward"} : (tensor<16xf32>) -> tensor<16x4xf32>
  %e = train.compare %again, %s {direction = #train<compare_direction EQ>, train.tag = "backward"} : (tensor<16x4xf32>, tensor<16x4xf32>) -> tensor<16x4xi1>
  %c = train.convert %e {train.tag = "backward"} : (tensor<16x4xi1>) -> tensor<16x4xf32>
  %l = train.reduce %c {dims = array<i64: 0, 1>, kind = #train<reduce_kind add>, train.tag = "backward"} : (tensor<16x4xf32>) -> tensor<f32>
  return %l : tensor<f32>
}
