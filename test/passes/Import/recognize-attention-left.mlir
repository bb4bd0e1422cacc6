// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where one attention would be another function, or the weights are needed anyway, the ops stay.
// RUN: zcc-opt %s --split-input-file --zcc-recognize-attention | FileCheck %s

// The first query sees nothing: not by position alone.
// CHECK-LABEL: func.func @loss
// CHECK-NOT: train.attention
// CHECK: return
func.func @loss(%q: tensor<2x8x4xf32>, %k: tensor<2x8x4xf32>, %v: tensor<2x8x4xf32>) -> tensor<2x8x4xf32> {
  %s = train.dot_general %q, %k {lhs_batching = array<i64: 0>, lhs_contracting = array<i64: 2>, rhs_batching = array<i64: 0>, rhs_contracting = array<i64: 2>} : (tensor<2x8x4xf32>, tensor<2x8x4xf32>) -> tensor<2x8x8xf32>
  %c = train.constant dense<2.0> : tensor<2x8x8xf32>
  %x = train.divide %s, %c : (tensor<2x8x8xf32>, tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %i = train.iota {dim = 0 : i64} : () -> tensor<8x8xi32>
  %j = train.iota {dim = 1 : i64} : () -> tensor<8x8xi32>
  %w = train.constant dense<3> : tensor<8x8xi32>
  %0 = train.compare %i, %j {direction = #train<compare_direction GT>} : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi1>
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

// Somebody else reads the weights.
// CHECK-LABEL: func.func @loss
// CHECK-NOT: train.attention
// CHECK: return
func.func @loss(%q: tensor<2x8x4xf32>, %k: tensor<2x8x4xf32>, %v: tensor<2x8x4xf32>) -> (tensor<2x8x4xf32>, tensor<2x8x8xf32>) {
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
  return %o, %p : tensor<2x8x4xf32>, tensor<2x8x8xf32>
}
