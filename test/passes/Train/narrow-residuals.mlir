// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --zcc-differentiate --zcc-narrow-residuals=type=f16 --split-input-file | FileCheck %s

// The large residual is read narrow by the backward pass, the statistic is not; the forward pass reads both exactly.
// CHECK-LABEL: @loss
// CHECK:      %[[T:.*]] = train.tanh %{{.*}} {train.tag = "forward"} : {{.*}} tensor<16x32xf32>
// CHECK-NEXT: %[[N:.*]] = train.convert %[[T]] {train.tag = "forward"} : {{.*}} -> tensor<16x32xf16>
// CHECK-NEXT: %[[R:.*]] = train.reduce %[[T]]
// CHECK-NEXT: %[[E:.*]] = train.exponential %[[R]]
// CHECK-NOT:  train.convert
// CHECK:      train.multiply %{{.*}}, %[[E]] {train.tag = "backward"}
// CHECK:      %[[U:.*]] = train.convert %[[N]] {train.tag = "backward"} : {{.*}} -> tensor<16x32xf32>
// CHECK-NEXT: train.subtract %{{.*}}, %[[U]]
func.func @loss(%w: tensor<32xf32> {zcc.parameter = "w"}, %x: tensor<16x32xf32> {zcc.input = "x"}) -> tensor<f32> {
  %b = train.broadcast_in_dim %w {dims = array<i64: 1>} : (tensor<32xf32>) -> tensor<16x32xf32>
  %m = train.multiply %b, %x : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
  %t = train.tanh %m : (tensor<16x32xf32>) -> tensor<16x32xf32>
  %r = train.reduce %t {dims = array<i64: 1>, kind = #train<reduce_kind add>} : (tensor<16x32xf32>) -> tensor<16xf32>
  %e = train.exponential %r : (tensor<16xf32>) -> tensor<16xf32>
  %l = train.reduce %e {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<16xf32>) -> tensor<f32>
  return %l : tensor<f32>
}

// -----

// A value that the backward pass compares with the values that it was selected from stays exact, moved or not: if it
// were rounded, no element would be equal to it, and none would have a gradient.
// CHECK-LABEL: @loss
// CHECK-NOT:   f16
// CHECK:       return
func.func @loss(%w: tensor<4xf32> {zcc.parameter = "w"}, %x: tensor<16x4xf32> {zcc.input = "x"}) -> tensor<f32> {
  %b = train.broadcast_in_dim %w {dims = array<i64: 1>} : (tensor<4xf32>) -> tensor<16x4xf32>
  %m = train.multiply %b, %x : (tensor<16x4xf32>, tensor<16x4xf32>) -> tensor<16x4xf32>
  %r = train.reduce %m {dims = array<i64: 1>, kind = #train<reduce_kind maximum>} : (tensor<16x4xf32>) -> tensor<16xf32>
  %l = train.reduce %r {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<16xf32>) -> tensor<f32>
  return %l : tensor<f32>
}
