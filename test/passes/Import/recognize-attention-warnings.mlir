// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// With a mesh that names context, what is left alone is told, and what is in the way; a softmax over what is no sequence is not.
// RUN: zcc-opt %s --split-input-file --zcc-recognize-attention=warn=true --verify-diagnostics -o /dev/null

func.func @loss(%q: tensor<2x8x4xf32>, %k: tensor<2x8x4xf32>, %v: tensor<2x8x4xf32>) -> tensor<2x8x4xf32> {
  %s = train.dot_general %q, %k {lhs_batching = array<i64: 0>, lhs_contracting = array<i64: 2>, rhs_batching = array<i64: 0>, rhs_contracting = array<i64: 2>} : (tensor<2x8x4xf32>, tensor<2x8x4xf32>) -> tensor<2x8x8xf32>
  // expected-note @below {{'train.tanh' is in the way}}
  %y = train.tanh %s : (tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %m = train.reduce %y {dims = array<i64: 2>, kind = #train<reduce_kind maximum>} : (tensor<2x8x8xf32>) -> tensor<2x8xf32>
  %mb = train.broadcast_in_dim %m {dims = array<i64: 0, 1>} : (tensor<2x8xf32>) -> tensor<2x8x8xf32>
  %d = train.subtract %y, %mb : (tensor<2x8x8xf32>, tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %e = train.exponential %d : (tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %n = train.reduce %e {dims = array<i64: 2>, kind = #train<reduce_kind add>} : (tensor<2x8x8xf32>) -> tensor<2x8xf32>
  %nb = train.broadcast_in_dim %n {dims = array<i64: 0, 1>} : (tensor<2x8xf32>) -> tensor<2x8x8xf32>
  %p = train.divide %e, %nb : (tensor<2x8x8xf32>, tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  // expected-warning @below {{this attention is computed as products and a softmax, with keys and values gathered over context: its scores are not a product of queries and keys times a number, plus biases, masked}}
  %o = train.dot_general %p, %v {lhs_batching = array<i64: 0>, lhs_contracting = array<i64: 2>, rhs_batching = array<i64: 0>, rhs_contracting = array<i64: 1>} : (tensor<2x8x8xf32>, tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %o : tensor<2x8x4xf32>
}

// -----

func.func @loss(%q: tensor<2x8x4xf32>, %k: tensor<2x8x4xf32>, %v: tensor<2x8x4xf32>, %keys: tensor<2x8xi1>) -> tensor<2x8x4xf32> {
  %s = train.dot_general %q, %k {lhs_batching = array<i64: 0>, lhs_contracting = array<i64: 2>, rhs_batching = array<i64: 0>, rhs_contracting = array<i64: 2>} : (tensor<2x8x4xf32>, tensor<2x8x4xf32>) -> tensor<2x8x8xf32>
  %kb = train.broadcast_in_dim %keys {dims = array<i64: 0, 2>} : (tensor<2x8xi1>) -> tensor<2x8x8xi1>
  %m = train.reduce %s {dims = array<i64: 2>, kind = #train<reduce_kind maximum>} : (tensor<2x8x8xf32>) -> tensor<2x8xf32>
  %mb = train.broadcast_in_dim %m {dims = array<i64: 0, 1>} : (tensor<2x8xf32>) -> tensor<2x8x8xf32>
  %d = train.subtract %s, %mb : (tensor<2x8x8xf32>, tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %e = train.exponential %d : (tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %n = train.reduce %e {dims = array<i64: 2>, kind = #train<reduce_kind add>} : (tensor<2x8x8xf32>) -> tensor<2x8xf32>
  %nb = train.broadcast_in_dim %n {dims = array<i64: 0, 1>} : (tensor<2x8xf32>) -> tensor<2x8x8xf32>
  %p = train.divide %e, %nb : (tensor<2x8x8xf32>, tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %z = train.constant dense<0.0> : tensor<2x8x8xf32>
  %w = train.select %kb, %p, %z : (tensor<2x8x8xi1>, tensor<2x8x8xf32>, tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  // expected-warning @below {{keys and values of this attention are gathered over context: it drops weights}}
  %o = train.dot_general %w, %v {lhs_batching = array<i64: 0>, lhs_contracting = array<i64: 2>, rhs_batching = array<i64: 0>, rhs_contracting = array<i64: 1>} : (tensor<2x8x8xf32>, tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %o : tensor<2x8x4xf32>
}

// -----

// Experts, weighed by a router.
func.func @loss(%x: tensor<16x4xf32>, %r: tensor<4x3xf32>, %y: tensor<16x3x4xf32>) -> tensor<16x4xf32> {
  %s = train.dot_general %x, %r {lhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_batching = array<i64>, rhs_contracting = array<i64: 0>} : (tensor<16x4xf32>, tensor<4x3xf32>) -> tensor<16x3xf32>
  %e = train.exponential %s : (tensor<16x3xf32>) -> tensor<16x3xf32>
  %n = train.reduce %e {dims = array<i64: 1>, kind = #train<reduce_kind add>} : (tensor<16x3xf32>) -> tensor<16xf32>
  %nb = train.broadcast_in_dim %n {dims = array<i64: 0>} : (tensor<16xf32>) -> tensor<16x3xf32>
  %p = train.divide %e, %nb : (tensor<16x3xf32>, tensor<16x3xf32>) -> tensor<16x3xf32>
  %o = train.dot_general %p, %y {lhs_batching = array<i64: 0>, lhs_contracting = array<i64: 1>, rhs_batching = array<i64: 0>, rhs_contracting = array<i64: 1>} : (tensor<16x3xf32>, tensor<16x3x4xf32>) -> tensor<16x4xf32>
  return %o : tensor<16x4xf32>
}
