// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Near an attention, but another function: the ops stay.
// RUN: zcc-opt %s --split-input-file --zcc-recognize-attention | FileCheck %s

// Two more in the sum, where one would be a sink of 0.
// CHECK-LABEL: func.func @loss
// CHECK-NOT: train.attention
// CHECK: return
func.func @loss(%q: tensor<2x8x4xf32>, %k: tensor<2x8x4xf32>, %v: tensor<2x8x4xf32>) -> tensor<2x8x4xf32> {
  %s = train.dot_general %q, %k {lhs_batching = array<i64: 0>, lhs_contracting = array<i64: 2>, rhs_batching = array<i64: 0>, rhs_contracting = array<i64: 2>} : (tensor<2x8x4xf32>, tensor<2x8x4xf32>) -> tensor<2x8x8xf32>
  %e = train.exponential %s : (tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %n = train.reduce %e {dims = array<i64: 2>, kind = #train<reduce_kind add>} : (tensor<2x8x8xf32>) -> tensor<2x8xf32>
  %two = train.constant dense<2.0> : tensor<2x8xf32>
  %r = train.add %two, %n : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %nb = train.broadcast_in_dim %r {dims = array<i64: 0, 1>} : (tensor<2x8xf32>) -> tensor<2x8x8xf32>
  %p = train.divide %e, %nb : (tensor<2x8x8xf32>, tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %o = train.dot_general %p, %v {lhs_batching = array<i64: 0>, lhs_contracting = array<i64: 2>, rhs_batching = array<i64: 0>, rhs_contracting = array<i64: 1>} : (tensor<2x8x8xf32>, tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %o : tensor<2x8x4xf32>
}

// -----

// The logarithm is of other scores.
// CHECK-LABEL: func.func @loss
// CHECK-NOT: train.attention
// CHECK: return
func.func @loss(%q: tensor<2x8x4xf32>, %k: tensor<2x8x4xf32>, %v: tensor<2x8x4xf32>) -> tensor<2x8x4xf32> {
  %s = train.dot_general %q, %k {lhs_batching = array<i64: 0>, lhs_contracting = array<i64: 2>, rhs_batching = array<i64: 0>, rhs_contracting = array<i64: 2>} : (tensor<2x8x4xf32>, tensor<2x8x4xf32>) -> tensor<2x8x8xf32>
  %two = train.constant dense<2.0> : tensor<2x8x8xf32>
  %s2 = train.multiply %s, %two : (tensor<2x8x8xf32>, tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %e = train.exponential %s2 : (tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %n = train.reduce %e {dims = array<i64: 2>, kind = #train<reduce_kind add>} : (tensor<2x8x8xf32>) -> tensor<2x8xf32>
  %ln = train.log %n : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %nb = train.broadcast_in_dim %ln {dims = array<i64: 0, 1>} : (tensor<2x8xf32>) -> tensor<2x8x8xf32>
  %l = train.subtract %s, %nb : (tensor<2x8x8xf32>, tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %p = train.exponential %l : (tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %o = train.dot_general %p, %v {lhs_batching = array<i64: 0>, lhs_contracting = array<i64: 2>, rhs_batching = array<i64: 0>, rhs_contracting = array<i64: 1>} : (tensor<2x8x8xf32>, tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %o : tensor<2x8x4xf32>
}

// -----

// The sum's derivative is stopped.
// CHECK-LABEL: func.func @loss
// CHECK-NOT: train.attention
// CHECK: return
func.func @loss(%q: tensor<2x8x4xf32>, %k: tensor<2x8x4xf32>, %v: tensor<2x8x4xf32>) -> tensor<2x8x4xf32> {
  %s = train.dot_general %q, %k {lhs_batching = array<i64: 0>, lhs_contracting = array<i64: 2>, rhs_batching = array<i64: 0>, rhs_contracting = array<i64: 2>} : (tensor<2x8x4xf32>, tensor<2x8x4xf32>) -> tensor<2x8x8xf32>
  %e = train.exponential %s : (tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %n = train.reduce %e {dims = array<i64: 2>, kind = #train<reduce_kind add>} : (tensor<2x8x8xf32>) -> tensor<2x8xf32>
  %ns = train.stop_gradient %n : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %nb = train.broadcast_in_dim %ns {dims = array<i64: 0, 1>} : (tensor<2x8xf32>) -> tensor<2x8x8xf32>
  %p = train.divide %e, %nb : (tensor<2x8x8xf32>, tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %o = train.dot_general %p, %v {lhs_batching = array<i64: 0>, lhs_contracting = array<i64: 2>, rhs_batching = array<i64: 0>, rhs_contracting = array<i64: 1>} : (tensor<2x8x8xf32>, tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %o : tensor<2x8x4xf32>
}

// -----

// A bias added to what hides: in a row that sees no key it would count.
// CHECK-LABEL: func.func @loss
// CHECK-NOT: train.attention
// CHECK: return
func.func @loss(%q: tensor<2x8x4xf32>, %k: tensor<2x8x4xf32>, %v: tensor<2x8x4xf32>, %keys: tensor<2x8xi1>, %b: tensor<8x8xf32>) -> tensor<2x8x4xf32> {
  %s = train.dot_general %q, %k {lhs_batching = array<i64: 0>, lhs_contracting = array<i64: 2>, rhs_batching = array<i64: 0>, rhs_contracting = array<i64: 2>} : (tensor<2x8x4xf32>, tensor<2x8x4xf32>) -> tensor<2x8x8xf32>
  %kb = train.broadcast_in_dim %keys {dims = array<i64: 0, 2>} : (tensor<2x8xi1>) -> tensor<2x8x8xi1>
  %f = train.constant dense<-1.0e4> : tensor<2x8x8xf32>
  %x = train.select %kb, %s, %f : (tensor<2x8x8xi1>, tensor<2x8x8xf32>, tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %bb = train.broadcast_in_dim %b {dims = array<i64: 1, 2>} : (tensor<8x8xf32>) -> tensor<2x8x8xf32>
  %y = train.add %x, %bb : (tensor<2x8x8xf32>, tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %m = train.reduce %y {dims = array<i64: 2>, kind = #train<reduce_kind maximum>} : (tensor<2x8x8xf32>) -> tensor<2x8xf32>
  %mb = train.broadcast_in_dim %m {dims = array<i64: 0, 1>} : (tensor<2x8xf32>) -> tensor<2x8x8xf32>
  %d = train.subtract %y, %mb : (tensor<2x8x8xf32>, tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %e = train.exponential %d : (tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %n = train.reduce %e {dims = array<i64: 2>, kind = #train<reduce_kind add>} : (tensor<2x8x8xf32>) -> tensor<2x8xf32>
  %nb = train.broadcast_in_dim %n {dims = array<i64: 0, 1>} : (tensor<2x8xf32>) -> tensor<2x8x8xf32>
  %p = train.divide %e, %nb : (tensor<2x8x8xf32>, tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %o = train.dot_general %p, %v {lhs_batching = array<i64: 0>, lhs_contracting = array<i64: 2>, rhs_batching = array<i64: 0>, rhs_contracting = array<i64: 1>} : (tensor<2x8x8xf32>, tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %o : tensor<2x8x4xf32>
}

// -----

// tanh of the scores.
// CHECK-LABEL: func.func @loss
// CHECK-NOT: train.attention
// CHECK: return
func.func @loss(%q: tensor<2x8x4xf32>, %k: tensor<2x8x4xf32>, %v: tensor<2x8x4xf32>) -> tensor<2x8x4xf32> {
  %s = train.dot_general %q, %k {lhs_batching = array<i64: 0>, lhs_contracting = array<i64: 2>, rhs_batching = array<i64: 0>, rhs_contracting = array<i64: 2>} : (tensor<2x8x4xf32>, tensor<2x8x4xf32>) -> tensor<2x8x8xf32>
  %y = train.tanh %s : (tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %m = train.reduce %y {dims = array<i64: 2>, kind = #train<reduce_kind maximum>} : (tensor<2x8x8xf32>) -> tensor<2x8xf32>
  %mb = train.broadcast_in_dim %m {dims = array<i64: 0, 1>} : (tensor<2x8xf32>) -> tensor<2x8x8xf32>
  %d = train.subtract %y, %mb : (tensor<2x8x8xf32>, tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %e = train.exponential %d : (tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %n = train.reduce %e {dims = array<i64: 2>, kind = #train<reduce_kind add>} : (tensor<2x8x8xf32>) -> tensor<2x8xf32>
  %nb = train.broadcast_in_dim %n {dims = array<i64: 0, 1>} : (tensor<2x8xf32>) -> tensor<2x8x8xf32>
  %p = train.divide %e, %nb : (tensor<2x8x8xf32>, tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %o = train.dot_general %p, %v {lhs_batching = array<i64: 0>, lhs_contracting = array<i64: 2>, rhs_batching = array<i64: 0>, rhs_contracting = array<i64: 1>} : (tensor<2x8x8xf32>, tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %o : tensor<2x8x4xf32>
}
