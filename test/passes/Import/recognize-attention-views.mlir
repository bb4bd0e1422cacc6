// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Views between the products, and queries that have fewer dims than keys.
// RUN: zcc-opt %s --split-input-file --zcc-recognize-attention | FileCheck %s

// Unit dims, as a decomposed einsum of PyTorch has them, of scores and of weights.
// CHECK-LABEL: func.func @loss
// CHECK: train.attention %{{.*}}, %{{.*}}, %{{.*}} {fill
// CHECK-NOT: train.exponential
// CHECK: return
func.func @loss(%q: tensor<2x3x8x4xf32>, %k: tensor<2x3x8x4xf32>, %v: tensor<2x3x8x4xf32>) -> tensor<2x3x8x4xf32> {
  %s = train.dot_general %q, %k {lhs_batching = array<i64: 0, 1>, lhs_contracting = array<i64: 3>, rhs_batching = array<i64: 0, 1>, rhs_contracting = array<i64: 3>} : (tensor<2x3x8x4xf32>, tensor<2x3x8x4xf32>) -> tensor<2x3x8x8xf32>
  %su = train.broadcast_in_dim %s {dims = array<i64: 0, 1, 2, 3>} : (tensor<2x3x8x8xf32>) -> tensor<2x3x8x8x1xf32>
  %sr = train.reshape %su : (tensor<2x3x8x8x1xf32>) -> tensor<2x3x8x8xf32>
  %m = train.reduce %sr {dims = array<i64: 3>, kind = #train<reduce_kind maximum>} : (tensor<2x3x8x8xf32>) -> tensor<2x3x8xf32>
  %mb = train.broadcast_in_dim %m {dims = array<i64: 0, 1, 2>} : (tensor<2x3x8xf32>) -> tensor<2x3x8x8xf32>
  %d = train.subtract %sr, %mb : (tensor<2x3x8x8xf32>, tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  %e = train.exponential %d : (tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  %n = train.reduce %e {dims = array<i64: 3>, kind = #train<reduce_kind add>} : (tensor<2x3x8x8xf32>) -> tensor<2x3x8xf32>
  %nb = train.broadcast_in_dim %n {dims = array<i64: 0, 1, 2>} : (tensor<2x3x8xf32>) -> tensor<2x3x8x8xf32>
  %p = train.divide %e, %nb : (tensor<2x3x8x8xf32>, tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  %pu = train.broadcast_in_dim %p {dims = array<i64: 0, 1, 2, 3>} : (tensor<2x3x8x8xf32>) -> tensor<2x3x8x8x1xf32>
  %pt = train.transpose %pu {permutation = array<i64: 0, 1, 2, 4, 3>} : (tensor<2x3x8x8x1xf32>) -> tensor<2x3x8x1x8xf32>
  %pr = train.reshape %pt : (tensor<2x3x8x1x8xf32>) -> tensor<2x3x8x8xf32>
  %o = train.dot_general %pr, %v {lhs_batching = array<i64: 0, 1>, lhs_contracting = array<i64: 3>, rhs_batching = array<i64: 0, 1>, rhs_contracting = array<i64: 2>} : (tensor<2x3x8x8xf32>, tensor<2x3x8x4xf32>) -> tensor<2x3x8x4xf32>
  return %o : tensor<2x3x8x4xf32>
}

// -----

// Scores that are repeated for several heads of values are no attention of these heads.
// CHECK-LABEL: func.func @loss
// CHECK-NOT: train.attention
// CHECK: return
func.func @loss(%q: tensor<2x8x4xf32>, %k: tensor<2x8x4xf32>, %v: tensor<2x3x8x4xf32>) -> tensor<2x3x8x4xf32> {
  %s = train.dot_general %q, %k {lhs_batching = array<i64: 0>, lhs_contracting = array<i64: 2>, rhs_batching = array<i64: 0>, rhs_contracting = array<i64: 2>} : (tensor<2x8x4xf32>, tensor<2x8x4xf32>) -> tensor<2x8x8xf32>
  %m = train.reduce %s {dims = array<i64: 2>, kind = #train<reduce_kind maximum>} : (tensor<2x8x8xf32>) -> tensor<2x8xf32>
  %mb = train.broadcast_in_dim %m {dims = array<i64: 0, 1>} : (tensor<2x8xf32>) -> tensor<2x8x8xf32>
  %d = train.subtract %s, %mb : (tensor<2x8x8xf32>, tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %e = train.exponential %d : (tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %n = train.reduce %e {dims = array<i64: 2>, kind = #train<reduce_kind add>} : (tensor<2x8x8xf32>) -> tensor<2x8xf32>
  %nb = train.broadcast_in_dim %n {dims = array<i64: 0, 1>} : (tensor<2x8xf32>) -> tensor<2x8x8xf32>
  %p = train.divide %e, %nb : (tensor<2x8x8xf32>, tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %pb = train.broadcast_in_dim %p {dims = array<i64: 0, 2, 3>} : (tensor<2x8x8xf32>) -> tensor<2x3x8x8xf32>
  %o = train.dot_general %pb, %v {lhs_batching = array<i64: 0, 1>, lhs_contracting = array<i64: 3>, rhs_batching = array<i64: 0, 1>, rhs_contracting = array<i64: 2>} : (tensor<2x3x8x8xf32>, tensor<2x3x8x4xf32>) -> tensor<2x3x8x4xf32>
  return %o : tensor<2x3x8x4xf32>
}

// -----

// Learned queries, which all batches share.
// CHECK-LABEL: func.func @loss(%arg0: tensor<3x8x4xf32>,
// CHECK: %[[Q:.+]] = train.broadcast_in_dim %arg0 {dims = array<i64: 1, 2, 3>} : (tensor<3x8x4xf32>) -> tensor<2x3x8x4xf32>
// CHECK: %[[T:.+]] = train.transpose %[[Q]]
// CHECK: train.attention %[[T]],
// CHECK-NOT: train.exponential
// CHECK: return
func.func @loss(%q: tensor<3x8x4xf32>, %k: tensor<2x3x8x4xf32>, %v: tensor<2x3x8x4xf32>) -> tensor<2x3x8x4xf32> {
  %st = train.dot_general %q, %k {lhs_batching = array<i64: 0>, lhs_contracting = array<i64: 2>, rhs_batching = array<i64: 1>, rhs_contracting = array<i64: 3>} : (tensor<3x8x4xf32>, tensor<2x3x8x4xf32>) -> tensor<3x8x2x8xf32>
  %s = train.transpose %st {permutation = array<i64: 2, 0, 1, 3>} : (tensor<3x8x2x8xf32>) -> tensor<2x3x8x8xf32>
  %m = train.reduce %s {dims = array<i64: 3>, kind = #train<reduce_kind maximum>} : (tensor<2x3x8x8xf32>) -> tensor<2x3x8xf32>
  %mb = train.broadcast_in_dim %m {dims = array<i64: 0, 1, 2>} : (tensor<2x3x8xf32>) -> tensor<2x3x8x8xf32>
  %d = train.subtract %s, %mb : (tensor<2x3x8x8xf32>, tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  %e = train.exponential %d : (tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  %n = train.reduce %e {dims = array<i64: 3>, kind = #train<reduce_kind add>} : (tensor<2x3x8x8xf32>) -> tensor<2x3x8xf32>
  %nb = train.broadcast_in_dim %n {dims = array<i64: 0, 1, 2>} : (tensor<2x3x8xf32>) -> tensor<2x3x8x8xf32>
  %p = train.divide %e, %nb : (tensor<2x3x8x8xf32>, tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  %o = train.dot_general %p, %v {lhs_batching = array<i64: 0, 1>, lhs_contracting = array<i64: 3>, rhs_batching = array<i64: 0, 1>, rhs_contracting = array<i64: 2>} : (tensor<2x3x8x8xf32>, tensor<2x3x8x4xf32>) -> tensor<2x3x8x4xf32>
  return %o : tensor<2x3x8x4xf32>
}

// -----

// Rows of -inf, put to 0 before and after the softmax, by a bias: it hides what it makes -inf.
// CHECK-LABEL: func.func @loss
// CHECK: %[[SEEN:.+]] = train.compare %{{.+}}, %{{.+}} {direction = #train<compare_direction NE>}
// CHECK: %[[OUT:.+]], %[[LSE:.+]] = train.attention %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}, %[[SEEN]] {fill = -1.000000e+30 : f64
// CHECK: %[[SEES:.+]] = train.compare %[[LSE]],
// CHECK: train.select %{{.+}}, %[[OUT]],
// CHECK-NOT: train.exponential
// CHECK: return
func.func @loss(%q: tensor<2x8x4xf32>, %k: tensor<2x8x4xf32>, %v: tensor<2x8x4xf32>, %b: tensor<8x8xf32>) -> tensor<2x8x4xf32> {
  %s = train.dot_general %q, %k {lhs_batching = array<i64: 0>, lhs_contracting = array<i64: 2>, rhs_batching = array<i64: 0>, rhs_contracting = array<i64: 2>} : (tensor<2x8x4xf32>, tensor<2x8x4xf32>) -> tensor<2x8x8xf32>
  %bb = train.broadcast_in_dim %b {dims = array<i64: 1, 2>} : (tensor<8x8xf32>) -> tensor<2x8x8xf32>
  %x = train.add %s, %bb : (tensor<2x8x8xf32>, tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %i = train.constant dense<0xFF800000> : tensor<2x8x8xf32>
  %z = train.constant dense<0.0> : tensor<2x8x8xf32>
  %low = train.compare %x, %i {direction = #train<compare_direction EQ>} : (tensor<2x8x8xf32>, tensor<2x8x8xf32>) -> tensor<2x8x8xi1>
  %all = train.reduce %low {dims = array<i64: 2>, kind = #train<reduce_kind logical_and>} : (tensor<2x8x8xi1>) -> tensor<2x8xi1>
  %none = train.broadcast_in_dim %all {dims = array<i64: 0, 1>} : (tensor<2x8xi1>) -> tensor<2x8x8xi1>
  %y = train.select %none, %z, %x : (tensor<2x8x8xi1>, tensor<2x8x8xf32>, tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %m = train.reduce %y {dims = array<i64: 2>, kind = #train<reduce_kind maximum>} : (tensor<2x8x8xf32>) -> tensor<2x8xf32>
  %mb = train.broadcast_in_dim %m {dims = array<i64: 0, 1>} : (tensor<2x8xf32>) -> tensor<2x8x8xf32>
  %d = train.subtract %y, %mb : (tensor<2x8x8xf32>, tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %e = train.exponential %d : (tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %n = train.reduce %e {dims = array<i64: 2>, kind = #train<reduce_kind add>} : (tensor<2x8x8xf32>) -> tensor<2x8xf32>
  %nb = train.broadcast_in_dim %n {dims = array<i64: 0, 1>} : (tensor<2x8xf32>) -> tensor<2x8x8xf32>
  %p = train.divide %e, %nb : (tensor<2x8x8xf32>, tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %w = train.select %none, %z, %p : (tensor<2x8x8xi1>, tensor<2x8x8xf32>, tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %o = train.dot_general %w, %v {lhs_batching = array<i64: 0>, lhs_contracting = array<i64: 2>, rhs_batching = array<i64: 0>, rhs_contracting = array<i64: 1>} : (tensor<2x8x8xf32>, tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %o : tensor<2x8x4xf32>
}
