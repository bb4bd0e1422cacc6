// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cotangent of a custom derivative's result is put in place of its train.cotangent, and the ops that only the rule
// needs are moved to the backward pass. Values of the forward pass are read from there.
// RUN: zcc-opt %s --zcc-differentiate | FileCheck %s --implicit-check-not=train.cotangent --implicit-check-not=train.custom
// RUN: zcc-opt %s --zcc-differentiate=freeze=w | FileCheck %s --check-prefix=FROZEN --implicit-check-not=backward --implicit-check-not=train.cotangent --implicit-check-not=train.custom
// RUN: zcc-opt %s --zcc-differentiate=forward | FileCheck %s --check-prefix=FORWARD --implicit-check-not=backward --implicit-check-not=train.cotangent --implicit-check-not=train.custom

// CHECK-LABEL: func.func @loss
// CHECK-SAME:    %[[W:.*]]: tensor<4xf32> {zcc.parameter = "w"}
// CHECK:         %[[Y:.*]] = train.sine %[[W]] {train.tag = "forward"}
// CHECK:         %[[S:.*]] = train.subtract %[[Y]], %[[W]] {train.tag = "forward"}
// CHECK:         %[[LOSS:.*]] = train.reduce %[[S]]
// CHECK:         %[[ONE:.*]] = train.constant {train.tag = "backward"} dense<1.0
// CHECK:         %[[G:.*]] = train.broadcast_in_dim %[[ONE]] {{.*}}"backward"
// CHECK:         %[[N:.*]] = train.negate %[[G]] {train.tag = "backward"}
// CHECK:         %[[A:.*]] = train.abs %[[W]] {train.tag = "backward"}
// CHECK:         %[[R:.*]] = train.multiply %[[G]], %[[A]] {train.tag = "backward"}
// CHECK:         %[[M:.*]] = train.multiply %[[R]], %[[Y]] {train.tag = "backward"}
// CHECK:         %[[D:.*]] = train.add %[[M]], %[[N]] {train.tag = "backward"}
// CHECK:         return %[[LOSS]], %[[D]]

// FROZEN:        %[[Y:.*]] = train.sine
// FROZEN-NEXT:   train.subtract %[[Y]]
// FROZEN-NEXT:   train.reduce
// FROZEN-NEXT:   return

// FORWARD:       %[[Y:.*]] = train.sine
// FORWARD-NEXT:  train.subtract %[[Y]]
// FORWARD-NEXT:  train.reduce
// FORWARD-NEXT:  return
func.func @loss(%w: tensor<4xf32> {zcc.parameter = "w"}) -> tensor<f32> {
  %y = train.sine %w : (tensor<4xf32>) -> tensor<4xf32>
  %d = train.cotangent : tensor<4xf32>
  %a = train.abs %w : (tensor<4xf32>) -> tensor<4xf32>
  %r = train.multiply %d, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %m = train.multiply %r, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %unread = train.negate %r : (tensor<4xf32>) -> tensor<4xf32>
  %z = train.custom_derivative %y cotangents(%d) inputs(%w) gradients(%m) : tensor<4xf32> for(tensor<4xf32>)
  %s = train.subtract %z, %w : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %loss = train.reduce %s {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<4xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
