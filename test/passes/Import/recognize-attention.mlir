// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two products with a softmax between them are one attention, whatever is moved, masked or repeated in between.
// RUN: zcc-opt %s --split-input-file --zcc-recognize-attention | FileCheck %s

// A sliding window, one head.
// CHECK-LABEL: func.func @loss
// CHECK: %[[O:.*]], %{{.*}} = train.attention %{{.*}}, %{{.*}}, %{{.*}} {after = 0 : i64, before = 2 : i64, fill = -1.000000e+09 : f64, {{.*}}scale = 5.000000e-01 : f64} : (tensor<2x8x1x4xf32>,
// CHECK-NOT: train.exponential
// CHECK: return
func.func @loss(%q: tensor<2x8x4xf32>, %k: tensor<2x8x4xf32>, %v: tensor<2x8x4xf32>) -> tensor<2x8x4xf32> {
  %s = train.dot_general %q, %k {lhs_batching = array<i64: 0>, lhs_contracting = array<i64: 2>, rhs_batching = array<i64: 0>, rhs_contracting = array<i64: 2>} : (tensor<2x8x4xf32>, tensor<2x8x4xf32>) -> tensor<2x8x8xf32>
  %c = train.constant dense<2.0> : tensor<2x8x8xf32>
  %x = train.divide %s, %c : (tensor<2x8x8xf32>, tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %i = train.iota {dim = 0 : i64} : () -> tensor<8x8xi32>
  %j = train.iota {dim = 1 : i64} : () -> tensor<8x8xi32>
  %w = train.constant dense<3> : tensor<8x8xi32>
  %0 = train.compare %i, %j {direction = #train<compare_direction GE>} : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi1>
  %1 = train.subtract %i, %j : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi32>
  %2 = train.compare %1, %w {direction = #train<compare_direction LT>} : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi1>
  %3 = train.and %0, %2 : (tensor<8x8xi1>, tensor<8x8xi1>) -> tensor<8x8xi1>
  %4 = train.broadcast_in_dim %3 {dims = array<i64: 1, 2>} : (tensor<8x8xi1>) -> tensor<2x8x8xi1>
  %f = train.constant dense<-1.0e9> : tensor<2x8x8xf32>
  %y = train.select %4, %x, %f : (tensor<2x8x8xi1>, tensor<2x8x8xf32>, tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %m = train.reduce %y {dims = array<i64: 2>, kind = #train<reduce_kind maximum>} : (tensor<2x8x8xf32>) -> tensor<2x8xf32>
  %ms = train.stop_gradient %m : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %mb = train.broadcast_in_dim %ms {dims = array<i64: 0, 1>} : (tensor<2x8xf32>) -> tensor<2x8x8xf32>
  %d = train.subtract %y, %mb : (tensor<2x8x8xf32>, tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %e = train.exponential %d : (tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %n = train.reduce %e {dims = array<i64: 2>, kind = #train<reduce_kind add>} : (tensor<2x8x8xf32>) -> tensor<2x8xf32>
  %nb = train.broadcast_in_dim %n {dims = array<i64: 0, 1>} : (tensor<2x8xf32>) -> tensor<2x8x8xf32>
  %p = train.divide %e, %nb : (tensor<2x8x8xf32>, tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %o = train.dot_general %p, %v {lhs_batching = array<i64: 0>, lhs_contracting = array<i64: 2>, rhs_batching = array<i64: 0>, rhs_contracting = array<i64: 1>} : (tensor<2x8x8xf32>, tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %o : tensor<2x8x4xf32>
}

// -----

// Keys that two heads share, a bias added and a mask: both as they were before they were repeated. The result is where it was.
// CHECK-LABEL: func.func @loss
// CHECK: train.attention %arg0, %arg1, %arg2, %{{.*}}, %{{.*}} {fill = -1.000000e+10 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0>, scale = 1.000000e+00 : f64}
// CHECK-SAME: tensor<1x4x8x8xf32>, tensor<2x1x1x8xi1>
// CHECK-NOT: train.exponential
func.func @loss(%q: tensor<2x8x4x4xf32>, %k: tensor<2x8x2x4xf32>, %v: tensor<2x8x2x4xf32>, %b: tensor<4x8x8xf32>, %mask: tensor<2x8xi1>) -> tensor<2x8x4x4xf32> {
  %k5 = train.broadcast_in_dim %k {dims = array<i64: 0, 1, 2, 4>} : (tensor<2x8x2x4xf32>) -> tensor<2x8x2x2x4xf32>
  %kr = train.reshape %k5 : (tensor<2x8x2x2x4xf32>) -> tensor<2x8x4x4xf32>
  %v5 = train.broadcast_in_dim %v {dims = array<i64: 0, 1, 2, 4>} : (tensor<2x8x2x4xf32>) -> tensor<2x8x2x2x4xf32>
  %vr = train.reshape %v5 : (tensor<2x8x2x2x4xf32>) -> tensor<2x8x4x4xf32>
  %s = train.dot_general %q, %kr {lhs_batching = array<i64: 0, 2>, lhs_contracting = array<i64: 3>, rhs_batching = array<i64: 0, 2>, rhs_contracting = array<i64: 3>} : (tensor<2x8x4x4xf32>, tensor<2x8x4x4xf32>) -> tensor<2x4x8x8xf32>
  %bb = train.broadcast_in_dim %b {dims = array<i64: 1, 2, 3>} : (tensor<4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %x = train.add %s, %bb : (tensor<2x4x8x8xf32>, tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %4 = train.broadcast_in_dim %mask {dims = array<i64: 0, 3>} : (tensor<2x8xi1>) -> tensor<2x4x8x8xi1>
  %f = train.constant dense<-1.0e10> : tensor<2x4x8x8xf32>
  %y = train.select %4, %x, %f : (tensor<2x4x8x8xi1>, tensor<2x4x8x8xf32>, tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %m = train.reduce %y {dims = array<i64: 3>, kind = #train<reduce_kind maximum>} : (tensor<2x4x8x8xf32>) -> tensor<2x4x8xf32>
  %ms = train.stop_gradient %m : (tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %mb = train.broadcast_in_dim %ms {dims = array<i64: 0, 1, 2>} : (tensor<2x4x8xf32>) -> tensor<2x4x8x8xf32>
  %d = train.subtract %y, %mb : (tensor<2x4x8x8xf32>, tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %e = train.exponential %d : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %n = train.reduce %e {dims = array<i64: 3>, kind = #train<reduce_kind add>} : (tensor<2x4x8x8xf32>) -> tensor<2x4x8xf32>
  %nb = train.broadcast_in_dim %n {dims = array<i64: 0, 1, 2>} : (tensor<2x4x8xf32>) -> tensor<2x4x8x8xf32>
  %p = train.divide %e, %nb : (tensor<2x4x8x8xf32>, tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %o = train.dot_general %vr, %p {lhs_batching = array<i64: 0, 2>, lhs_contracting = array<i64: 1>, rhs_batching = array<i64: 0, 1>, rhs_contracting = array<i64: 3>} : (tensor<2x8x4x4xf32>, tensor<2x4x8x8xf32>) -> tensor<2x4x4x8xf32>
  %ot = train.transpose %o {permutation = array<i64: 0, 3, 1, 2>} : (tensor<2x4x4x8xf32>) -> tensor<2x8x4x4xf32>
  return %ot : tensor<2x8x4x4xf32>
}
