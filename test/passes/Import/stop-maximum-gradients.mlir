// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A maximum has no derivative only where shifting it changes nothing.
// RUN: zcc-opt %s --split-input-file --zcc-stop-maximum-gradients | FileCheck %s

// softmax
// CHECK-LABEL: func.func @loss
// CHECK: %[[M:.*]] = train.reduce %{{.*}} {{.*}}maximum
// CHECK: train.stop_gradient %[[M]]
func.func @loss(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %m = train.reduce %x {dims = array<i64: 1>, kind = #train<reduce_kind maximum>} : (tensor<4x8xf32>) -> tensor<4xf32>
  %mb = train.broadcast_in_dim %m {dims = array<i64: 0>} : (tensor<4xf32>) -> tensor<4x8xf32>
  %d = train.subtract %x, %mb : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %e = train.exponential %d : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %s = train.reduce %e {dims = array<i64: 1>, kind = #train<reduce_kind add>} : (tensor<4x8xf32>) -> tensor<4xf32>
  %sb = train.broadcast_in_dim %s {dims = array<i64: 0>} : (tensor<4xf32>) -> tensor<4x8xf32>
  %r = train.divide %e, %sb : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// -----
// log-sum-exp: the maximum, 0 if it is infinite, is added back
// CHECK-LABEL: func.func @loss
// CHECK: %[[C:.*]] = train.select
// CHECK: %[[S:.*]] = train.stop_gradient %[[C]]
// CHECK: train.add %{{.*}}, %[[S]]
func.func @loss(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %m = train.reduce %x {dims = array<i64: 1>, kind = #train<reduce_kind maximum>} : (tensor<4x8xf32>) -> tensor<4xf32>
  %f = train.is_finite %m : (tensor<4xf32>) -> tensor<4xi1>
  %z = train.constant dense<0.0> : tensor<4xf32>
  %c = train.select %f, %m, %z : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %mb = train.broadcast_in_dim %c {dims = array<i64: 0>} : (tensor<4xf32>) -> tensor<4x8xf32>
  %d = train.subtract %x, %mb : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %e = train.exponential %d : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %s = train.reduce %e {dims = array<i64: 1>, kind = #train<reduce_kind add>} : (tensor<4x8xf32>) -> tensor<4xf32>
  %l = train.log %s : (tensor<4xf32>) -> tensor<4xf32>
  %r = train.add %l, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----
// the logarithm of softmax
// CHECK-LABEL: func.func @loss
// CHECK: train.stop_gradient
func.func @loss(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %m = train.reduce %x {dims = array<i64: 1>, kind = #train<reduce_kind maximum>} : (tensor<4x8xf32>) -> tensor<4xf32>
  %mb = train.broadcast_in_dim %m {dims = array<i64: 0>} : (tensor<4xf32>) -> tensor<4x8xf32>
  %d = train.subtract %x, %mb : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %e = train.exponential %d : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %s = train.reduce %e {dims = array<i64: 1>, kind = #train<reduce_kind add>} : (tensor<4x8xf32>) -> tensor<4xf32>
  %l = train.log %s : (tensor<4xf32>) -> tensor<4xf32>
  %lb = train.broadcast_in_dim %l {dims = array<i64: 0>} : (tensor<4xf32>) -> tensor<4x8xf32>
  %r = train.subtract %d, %lb : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// -----
// exp(x - max) alone changes with the maximum, and so does a maximum that is used for itself.
// CHECK-LABEL: func.func @loss
// CHECK-NOT: train.stop_gradient
func.func @loss(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %m = train.reduce %x {dims = array<i64: 1>, kind = #train<reduce_kind maximum>} : (tensor<4x8xf32>) -> tensor<4xf32>
  %mb = train.broadcast_in_dim %m {dims = array<i64: 0>} : (tensor<4xf32>) -> tensor<4x8xf32>
  %d = train.subtract %x, %mb : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %e = train.exponential %d : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %e : tensor<4x8xf32>
}

// -----
// A quotient by the sum over the other dim depends on each row's maximum.
// CHECK-LABEL: func.func @loss
// CHECK-NOT: train.stop_gradient
func.func @loss(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %m = train.reduce %x {dims = array<i64: 1>, kind = #train<reduce_kind maximum>} : (tensor<8x8xf32>) -> tensor<8xf32>
  %mb = train.broadcast_in_dim %m {dims = array<i64: 0>} : (tensor<8xf32>) -> tensor<8x8xf32>
  %d = train.subtract %x, %mb : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %e = train.exponential %d : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %s = train.reduce %e {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<8x8xf32>) -> tensor<8xf32>
  %sb = train.broadcast_in_dim %s {dims = array<i64: 1>} : (tensor<8xf32>) -> tensor<8x8xf32>
  %r = train.divide %e, %sb : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
