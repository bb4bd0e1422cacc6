// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --zcc-differentiate | FileCheck %s
// RUN: zcc-opt %s --zcc-differentiate=freeze=w | FileCheck %s --check-prefix=FROZEN
// RUN: zcc-opt %s --zcc-differentiate=forward | FileCheck %s --check-prefix=FORWARD
// RUN: zcc-opt %s --zcc-differentiate=scaled | FileCheck %s --check-prefix=SCALED

// A parameter that is used twice: one contribution a use, added in order of use (that of the square is made of two).
// The broadcast of the bias is not a residual, and nothing flows through stop_gradient.
func.func @loss(%w: tensor<4xf32> {zcc.parameter = "w"}, %b: tensor<f32> {zcc.parameter = "b"},
                %x: tensor<4xf32> {zcc.input = "x"}) -> (tensor<f32> {zcc.result = "loss"}, tensor<f32> {zcc.result = "size"}) {
  %0 = train.multiply %w, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = train.exponential %w : (tensor<4xf32>) -> tensor<4xf32>
  %2 = train.broadcast_in_dim %b {dims = array<i64>} : (tensor<f32>) -> tensor<4xf32>
  %3 = train.multiply %1, %2 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %4 = train.add %0, %3 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %5 = train.stop_gradient %0 : (tensor<4xf32>) -> tensor<4xf32>
  %6 = train.add %4, %5 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %7 = train.reduce %6 {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<4xf32>) -> tensor<f32>
  return %7, %7 : tensor<f32>, tensor<f32>
}

// CHECK-LABEL: func.func @loss
// CHECK-SAME:    %[[W:.*]]: tensor<4xf32> {zcc.parameter = "w"}, %[[B:.*]]: tensor<f32> {zcc.parameter = "b"}, %[[X:.*]]: tensor<4xf32>
// CHECK-SAME:    -> (tensor<f32> {zcc.result = "loss"}, tensor<f32> {zcc.result = "size"}, tensor<4xf32> {zcc.gradient = 0 : i64}, tensor<f32> {zcc.gradient = 1 : i64})
// CHECK:         train.multiply %[[W]], %[[X]] {train.tag = "forward"}
// CHECK:         %[[E:.*]] = train.exponential %[[W]] {train.tag = "forward"}
// CHECK-NOT:     stop_gradient
// CHECK:         %[[ONE:.*]] = train.constant {train.tag = "backward"} dense<1.0
// CHECK:         %[[G:.*]] = train.broadcast_in_dim %[[ONE]] {{.*}}"backward"
// CHECK:         %[[BB:.*]] = train.broadcast_in_dim %[[B]] {{.*}}"backward"
// CHECK:         %[[GE:.*]] = train.multiply %[[G]], %[[BB]] {train.tag = "backward"}
// CHECK:         %[[GB:.*]] = train.multiply %[[G]], %[[E]] {train.tag = "backward"}
// CHECK:         %[[DB:.*]] = train.reduce %[[GB]]
// CHECK:         %[[SECOND:.*]] = train.multiply %[[GE]], %[[E]] {train.tag = "backward"}
// CHECK:         %[[FIRST:.*]] = train.multiply %[[G]], %[[X]] {train.tag = "backward"}
// CHECK:         %[[DW:.*]] = train.add %[[FIRST]], %[[SECOND]] {train.tag = "backward"}
// CHECK:         return %{{.*}}, %{{.*}}, %[[DW]], %[[DB]]

// FROZEN:      -> (tensor<f32> {zcc.result = "loss"}, tensor<f32> {zcc.result = "size"}, tensor<f32> {zcc.gradient = 1 : i64})
// FROZEN-NOT:  train.add %{{.*}} {train.tag = "backward"}

// FORWARD-NOT: backward
// FORWARD-NOT: stop_gradient

// SCALED:      %[[HYPER:[a-z0-9]+]]: tensor<16xf32> {zcc.kind = "hyper"}
// SCALED:      %[[S:.*]] = train.slice %[[HYPER]] {limit = array<i64: 10>, start = array<i64: 9>
// SCALED:      train.reshape %[[S]]
