// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A result that the loss does not need has a cotangent of 0, and a gradient may be a cotangent or a value of the forward
// pass itself. No gradient flows to the values.
// RUN: zcc-opt %s --zcc-differentiate | FileCheck %s --implicit-check-not=train.cotangent --implicit-check-not=train.custom --implicit-check-not=train.cosine

// CHECK-LABEL: func.func @loss
// CHECK-SAME:    %[[W:.*]]: tensor<4xf32> {zcc.parameter = "w"}, %[[V:.*]]: tensor<4xf32> {zcc.parameter = "v"}
// CHECK:         %[[ONE:.*]] = train.constant {train.tag = "backward"} dense<1.0
// CHECK:         %[[G:.*]] = train.broadcast_in_dim %[[ONE]] {{.*}}"backward"
// CHECK:         %[[Z:.*]] = train.constant {train.tag = "backward"} dense<0.0
// CHECK:         %[[DV:.*]] = train.multiply %[[Z]], %[[V]] {train.tag = "backward"}
// CHECK:         return %{{.*}}, %[[G]], %[[DV]]
func.func @loss(%w: tensor<4xf32> {zcc.parameter = "w"}, %v: tensor<4xf32> {zcc.parameter = "v"}) -> tensor<f32> {
  %y0 = train.sine %w : (tensor<4xf32>) -> tensor<4xf32>
  %y1 = train.exponential %v : (tensor<4xf32>) -> tensor<4xf32>
  %d0 = train.cotangent : tensor<4xf32>
  %d1 = train.cotangent : tensor<4xf32>
  %m = train.multiply %d1, %v : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %z:2 = train.custom_derivative %y0, %y1 cotangents(%d0, %d1) inputs(%w, %v) gradients(%d0, %m)
    : tensor<4xf32>, tensor<4xf32> for(tensor<4xf32>, tensor<4xf32>)
  %loss = train.reduce %z#0 {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<4xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
