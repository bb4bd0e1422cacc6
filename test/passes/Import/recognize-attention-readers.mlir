// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention of another number of keys or of dims than queries, and weights that something else reads, are told, too.
// RUN: zcc-opt %s --split-input-file --zcc-recognize-attention=warn=true --verify-diagnostics -o /dev/null

// More keys than queries (cross attention).
func.func @loss(%q: tensor<2x8x4xf32>, %k: tensor<2x9x4xf32>, %v: tensor<2x9x4xf32>) -> tensor<2x8x4xf32> {
  %s = train.dot_general %q, %k {lhs_batching = array<i64: 0>, lhs_contracting = array<i64: 2>, rhs_batching = array<i64: 0>, rhs_contracting = array<i64: 2>} : (tensor<2x8x4xf32>, tensor<2x9x4xf32>) -> tensor<2x8x9xf32>
  // expected-note @below {{'train.tanh' is in the way}}
  %y = train.tanh %s : (tensor<2x8x9xf32>) -> tensor<2x8x9xf32>
  %m = train.reduce %y {dims = array<i64: 2>, kind = #train<reduce_kind maximum>} : (tensor<2x8x9xf32>) -> tensor<2x8xf32>
  %mb = train.broadcast_in_dim %m {dims = array<i64: 0, 1>} : (tensor<2x8xf32>) -> tensor<2x8x9xf32>
  %d = train.subtract %y, %mb : (tensor<2x8x9xf32>, tensor<2x8x9xf32>) -> tensor<2x8x9xf32>
  %e = train.exponential %d : (tensor<2x8x9xf32>) -> tensor<2x8x9xf32>
  %n = train.reduce %e {dims = array<i64: 2>, kind = #train<reduce_kind add>} : (tensor<2x8x9xf32>) -> tensor<2x8xf32>
  %nb = train.broadcast_in_dim %n {dims = array<i64: 0, 1>} : (tensor<2x8xf32>) -> tensor<2x8x9xf32>
  %p = train.divide %e, %nb : (tensor<2x8x9xf32>, tensor<2x8x9xf32>) -> tensor<2x8x9xf32>
  // expected-warning @below {{this attention is computed as products and a softmax, with keys and values gathered over context: its scores are not a product of queries and keys times a number, plus biases, masked}}
  %o = train.dot_general %p, %v {lhs_batching = array<i64: 0>, lhs_contracting = array<i64: 2>, rhs_batching = array<i64: 0>, rhs_contracting = array<i64: 1>} : (tensor<2x8x9xf32>, tensor<2x9x4xf32>) -> tensor<2x8x4xf32>
  return %o : tensor<2x8x4xf32>
}

// -----

// The loss reads the weights.
func.func @loss(%q: tensor<2x8x4xf32>, %k: tensor<2x8x4xf32>, %v: tensor<2x8x4xf32>) -> (tensor<2x8x4xf32>, tensor<2x8x8xf32>) {
  %s = train.dot_general %q, %k {lhs_batching = array<i64: 0>, lhs_contracting = array<i64: 2>, rhs_batching = array<i64: 0>, rhs_contracting = array<i64: 2>} : (tensor<2x8x4xf32>, tensor<2x8x4xf32>) -> tensor<2x8x8xf32>
  %m = train.reduce %s {dims = array<i64: 2>, kind = #train<reduce_kind maximum>} : (tensor<2x8x8xf32>) -> tensor<2x8xf32>
  %mb = train.broadcast_in_dim %m {dims = array<i64: 0, 1>} : (tensor<2x8xf32>) -> tensor<2x8x8xf32>
  %d = train.subtract %s, %mb : (tensor<2x8x8xf32>, tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %e = train.exponential %d : (tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %n = train.reduce %e {dims = array<i64: 2>, kind = #train<reduce_kind add>} : (tensor<2x8x8xf32>) -> tensor<2x8xf32>
  %nb = train.broadcast_in_dim %n {dims = array<i64: 0, 1>} : (tensor<2x8xf32>) -> tensor<2x8x8xf32>
  %p = train.divide %e, %nb : (tensor<2x8x8xf32>, tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  // expected-note @below {{'train.multiply' is in the way}}
  %w = train.multiply %p, %p : (tensor<2x8x8xf32>, tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  // expected-warning @below {{this attention is computed as products and a softmax, with keys and values gathered over context: something else reads its weights}}
  %o = train.dot_general %p, %v {lhs_batching = array<i64: 0>, lhs_contracting = array<i64: 2>, rhs_batching = array<i64: 0>, rhs_contracting = array<i64: 1>} : (tensor<2x8x8xf32>, tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %o, %w : tensor<2x8x4xf32>, tensor<2x8x8xf32>
}

// -----

// Keys of two dims.
func.func @loss(%q: tensor<2x8x4xf32>, %k: tensor<2x3x5x4xf32>, %v: tensor<2x3x5x4xf32>) -> tensor<2x8x4xf32> {
  %s = train.dot_general %q, %k {lhs_batching = array<i64: 0>, lhs_contracting = array<i64: 2>, rhs_batching = array<i64: 0>, rhs_contracting = array<i64: 3>} : (tensor<2x8x4xf32>, tensor<2x3x5x4xf32>) -> tensor<2x8x3x5xf32>
  %e = train.exponential %s : (tensor<2x8x3x5xf32>) -> tensor<2x8x3x5xf32>
  %n = train.reduce %e {dims = array<i64: 2, 3>, kind = #train<reduce_kind add>} : (tensor<2x8x3x5xf32>) -> tensor<2x8xf32>
  %nb = train.broadcast_in_dim %n {dims = array<i64: 0, 1>} : (tensor<2x8xf32>) -> tensor<2x8x3x5xf32>
  %p = train.divide %e, %nb : (tensor<2x8x3x5xf32>, tensor<2x8x3x5xf32>) -> tensor<2x8x3x5xf32>
  // expected-note @+2 {{'train.dot_general' is in the way}}
  // expected-warning @below {{this attention is computed as products and a softmax, with keys and values gathered over context: its keys have more than one dim}}
  %o = train.dot_general %p, %v {lhs_batching = array<i64: 0>, lhs_contracting = array<i64: 2, 3>, rhs_batching = array<i64: 0>, rhs_contracting = array<i64: 1, 2>} : (tensor<2x8x3x5xf32>, tensor<2x3x5x4xf32>) -> tensor<2x8x4xf32>
  return %o : tensor<2x8x4xf32>
}

// -----

// Features whose softmax is over positions (linear attention) have no queries: there is nothing to tell.
func.func @loss(%x: tensor<2x8x6xf32>, %w: tensor<6x3x4xf32>, %v: tensor<2x8x3x4xf32>) -> tensor<2x3x4x4xf32> {
  %s = train.dot_general %x, %w {lhs_batching = array<i64>, lhs_contracting = array<i64: 2>, rhs_batching = array<i64>, rhs_contracting = array<i64: 0>} : (tensor<2x8x6xf32>, tensor<6x3x4xf32>) -> tensor<2x8x3x4xf32>
  %e = train.exponential %s : (tensor<2x8x3x4xf32>) -> tensor<2x8x3x4xf32>
  %n = train.reduce %e {dims = array<i64: 1>, kind = #train<reduce_kind add>} : (tensor<2x8x3x4xf32>) -> tensor<2x3x4xf32>
  %nb = train.broadcast_in_dim %n {dims = array<i64: 0, 2, 3>} : (tensor<2x3x4xf32>) -> tensor<2x8x3x4xf32>
  %p = train.divide %e, %nb : (tensor<2x8x3x4xf32>, tensor<2x8x3x4xf32>) -> tensor<2x8x3x4xf32>
  %o = train.dot_general %p, %v {lhs_batching = array<i64: 0, 2>, lhs_contracting = array<i64: 1>, rhs_batching = array<i64: 0, 2>, rhs_contracting = array<i64: 1>} : (tensor<2x8x3x4xf32>, tensor<2x8x3x4xf32>) -> tensor<2x3x4x4xf32>
  return %o : tensor<2x3x4x4xf32>
}
