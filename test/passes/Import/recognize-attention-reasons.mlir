// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An attention that is left alone is reported with the op that is in the way, whatever stands beside it.
// RUN: zcc-opt %s --split-input-file --zcc-recognize-attention=warn=true --verify-diagnostics -o /dev/null

// A cap of the scores, and then a mask: the cap is in the way, on whichever side of the sum it is.
func.func @loss(%q: tensor<2x8x4xf32>, %k: tensor<2x8x4xf32>, %v: tensor<2x8x4xf32>, %b: tensor<8x8xf32>) -> tensor<2x8x4xf32> {
  %s = train.dot_general %q, %k {lhs_batching = array<i64: 0>, lhs_contracting = array<i64: 2>, rhs_batching = array<i64: 0>, rhs_contracting = array<i64: 2>} : (tensor<2x8x4xf32>, tensor<2x8x4xf32>) -> tensor<2x8x8xf32>
  %c = train.constant dense<5.0e+01> : tensor<2x8x8xf32>
  %x = train.divide %s, %c : (tensor<2x8x8xf32>, tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  // expected-note @below {{'train.tanh' is in the way}}
  %t = train.tanh %x : (tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %u = train.multiply %t, %c : (tensor<2x8x8xf32>, tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %bb = train.broadcast_in_dim %b {dims = array<i64: 1, 2>} : (tensor<8x8xf32>) -> tensor<2x8x8xf32>
  %y = train.add %u, %bb : (tensor<2x8x8xf32>, tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
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

// A function of the weights.
func.func @loss(%q: tensor<2x8x4xf32>, %k: tensor<2x8x4xf32>, %v: tensor<2x8x4xf32>) -> tensor<2x8x4xf32> {
  %s = train.dot_general %q, %k {lhs_batching = array<i64: 0>, lhs_contracting = array<i64: 2>, rhs_batching = array<i64: 0>, rhs_contracting = array<i64: 2>} : (tensor<2x8x4xf32>, tensor<2x8x4xf32>) -> tensor<2x8x8xf32>
  %m = train.reduce %s {dims = array<i64: 2>, kind = #train<reduce_kind maximum>} : (tensor<2x8x8xf32>) -> tensor<2x8xf32>
  %mb = train.broadcast_in_dim %m {dims = array<i64: 0, 1>} : (tensor<2x8xf32>) -> tensor<2x8x8xf32>
  %d = train.subtract %s, %mb : (tensor<2x8x8xf32>, tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %e = train.exponential %d : (tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %n = train.reduce %e {dims = array<i64: 2>, kind = #train<reduce_kind add>} : (tensor<2x8x8xf32>) -> tensor<2x8xf32>
  %nb = train.broadcast_in_dim %n {dims = array<i64: 0, 1>} : (tensor<2x8xf32>) -> tensor<2x8x8xf32>
  %p = train.divide %e, %nb : (tensor<2x8x8xf32>, tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  // expected-note @below {{'train.tanh' is in the way}}
  %w = train.tanh %p : (tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  // expected-warning @below {{this attention is computed as products and a softmax, with keys and values gathered over context: its weights are not just a softmax of scores}}
  %o = train.dot_general %w, %v {lhs_batching = array<i64: 0>, lhs_contracting = array<i64: 2>, rhs_batching = array<i64: 0>, rhs_contracting = array<i64: 1>} : (tensor<2x8x8xf32>, tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %o : tensor<2x8x4xf32>
}

// -----

// Heads that are mixed (talking heads), before the softmax.
func.func @loss(%q: tensor<2x3x8x4xf32>, %k: tensor<2x3x8x4xf32>, %v: tensor<2x3x8x4xf32>, %h: tensor<3x3xf32>) -> tensor<2x3x8x4xf32> {
  %s = train.dot_general %q, %k {lhs_batching = array<i64: 0, 1>, lhs_contracting = array<i64: 3>, rhs_batching = array<i64: 0, 1>, rhs_contracting = array<i64: 3>} : (tensor<2x3x8x4xf32>, tensor<2x3x8x4xf32>) -> tensor<2x3x8x8xf32>
  // expected-note @below {{'train.dot_general' is in the way}}
  %yt = train.dot_general %s, %h {lhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_batching = array<i64>, rhs_contracting = array<i64: 0>} : (tensor<2x3x8x8xf32>, tensor<3x3xf32>) -> tensor<2x8x8x3xf32>
  %y = train.transpose %yt {permutation = array<i64: 0, 3, 1, 2>} : (tensor<2x8x8x3xf32>) -> tensor<2x3x8x8xf32>
  %m = train.reduce %y {dims = array<i64: 3>, kind = #train<reduce_kind maximum>} : (tensor<2x3x8x8xf32>) -> tensor<2x3x8xf32>
  %mb = train.broadcast_in_dim %m {dims = array<i64: 0, 1, 2>} : (tensor<2x3x8xf32>) -> tensor<2x3x8x8xf32>
  %d = train.subtract %y, %mb : (tensor<2x3x8x8xf32>, tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  %e = train.exponential %d : (tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  %n = train.reduce %e {dims = array<i64: 3>, kind = #train<reduce_kind add>} : (tensor<2x3x8x8xf32>) -> tensor<2x3x8xf32>
  %nb = train.broadcast_in_dim %n {dims = array<i64: 0, 1, 2>} : (tensor<2x3x8xf32>) -> tensor<2x3x8x8xf32>
  %p = train.divide %e, %nb : (tensor<2x3x8x8xf32>, tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  // expected-warning @below {{this attention is computed as products and a softmax, with keys and values gathered over context: its scores are not a product of queries and keys times a number, plus biases, masked}}
  %o = train.dot_general %p, %v {lhs_batching = array<i64: 0, 1>, lhs_contracting = array<i64: 3>, rhs_batching = array<i64: 0, 1>, rhs_contracting = array<i64: 2>} : (tensor<2x3x8x8xf32>, tensor<2x3x8x4xf32>) -> tensor<2x3x8x4xf32>
  return %o : tensor<2x3x8x4xf32>
}

// -----

// Heads that are mixed after the softmax.
func.func @loss(%q: tensor<2x3x8x4xf32>, %k: tensor<2x3x8x4xf32>, %v: tensor<2x3x8x4xf32>, %h: tensor<3x3xf32>) -> tensor<2x3x8x4xf32> {
  %s = train.dot_general %q, %k {lhs_batching = array<i64: 0, 1>, lhs_contracting = array<i64: 3>, rhs_batching = array<i64: 0, 1>, rhs_contracting = array<i64: 3>} : (tensor<2x3x8x4xf32>, tensor<2x3x8x4xf32>) -> tensor<2x3x8x8xf32>
  %m = train.reduce %s {dims = array<i64: 3>, kind = #train<reduce_kind maximum>} : (tensor<2x3x8x8xf32>) -> tensor<2x3x8xf32>
  %mb = train.broadcast_in_dim %m {dims = array<i64: 0, 1, 2>} : (tensor<2x3x8xf32>) -> tensor<2x3x8x8xf32>
  %d = train.subtract %s, %mb : (tensor<2x3x8x8xf32>, tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  %e = train.exponential %d : (tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  %n = train.reduce %e {dims = array<i64: 3>, kind = #train<reduce_kind add>} : (tensor<2x3x8x8xf32>) -> tensor<2x3x8xf32>
  %nb = train.broadcast_in_dim %n {dims = array<i64: 0, 1, 2>} : (tensor<2x3x8xf32>) -> tensor<2x3x8x8xf32>
  %p = train.divide %e, %nb : (tensor<2x3x8x8xf32>, tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  // expected-note @below {{'train.dot_general' is in the way}}
  %wt = train.dot_general %p, %h {lhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_batching = array<i64>, rhs_contracting = array<i64: 0>} : (tensor<2x3x8x8xf32>, tensor<3x3xf32>) -> tensor<2x8x8x3xf32>
  %w = train.transpose %wt {permutation = array<i64: 0, 3, 1, 2>} : (tensor<2x8x8x3xf32>) -> tensor<2x3x8x8xf32>
  // expected-warning @below {{this attention is computed as products and a softmax, with keys and values gathered over context: its weights are not just a softmax of scores}}
  %o = train.dot_general %w, %v {lhs_batching = array<i64: 0, 1>, lhs_contracting = array<i64: 3>, rhs_batching = array<i64: 0, 1>, rhs_contracting = array<i64: 2>} : (tensor<2x3x8x8xf32>, tensor<2x3x8x4xf32>) -> tensor<2x3x8x4xf32>
  return %o : tensor<2x3x8x4xf32>
}

// -----

// Two columns beside the keys, whose weights are dropped.
func.func @loss(%q: tensor<2x8x4xf32>, %k: tensor<2x8x4xf32>, %v: tensor<2x8x4xf32>, %z: tensor<2x8x2xf32>) -> tensor<2x8x4xf32> {
  %s = train.dot_general %q, %k {lhs_batching = array<i64: 0>, lhs_contracting = array<i64: 2>, rhs_batching = array<i64: 0>, rhs_contracting = array<i64: 2>} : (tensor<2x8x4xf32>, tensor<2x8x4xf32>) -> tensor<2x8x8xf32>
  %y = train.concatenate %s, %z {dim = 2 : i64} : (tensor<2x8x8xf32>, tensor<2x8x2xf32>) -> tensor<2x8x10xf32>
  %m = train.reduce %y {dims = array<i64: 2>, kind = #train<reduce_kind maximum>} : (tensor<2x8x10xf32>) -> tensor<2x8xf32>
  %mb = train.broadcast_in_dim %m {dims = array<i64: 0, 1>} : (tensor<2x8xf32>) -> tensor<2x8x10xf32>
  %d = train.subtract %y, %mb : (tensor<2x8x10xf32>, tensor<2x8x10xf32>) -> tensor<2x8x10xf32>
  %e = train.exponential %d : (tensor<2x8x10xf32>) -> tensor<2x8x10xf32>
  %n = train.reduce %e {dims = array<i64: 2>, kind = #train<reduce_kind add>} : (tensor<2x8x10xf32>) -> tensor<2x8xf32>
  %nb = train.broadcast_in_dim %n {dims = array<i64: 0, 1>} : (tensor<2x8xf32>) -> tensor<2x8x10xf32>
  %p = train.divide %e, %nb : (tensor<2x8x10xf32>, tensor<2x8x10xf32>) -> tensor<2x8x10xf32>
  // expected-note @below {{'train.slice' is in the way}}
  %w = train.slice %p {limit = array<i64: 2, 8, 8>, start = array<i64: 0, 0, 0>, stride = array<i64: 1, 1, 1>} : (tensor<2x8x10xf32>) -> tensor<2x8x8xf32>
  // expected-warning @below {{this attention is computed as products and a softmax, with keys and values gathered over context: its weights are not just a softmax of scores}}
  %o = train.dot_general %w, %v {lhs_batching = array<i64: 0>, lhs_contracting = array<i64: 2>, rhs_batching = array<i64: 0>, rhs_contracting = array<i64: 1>} : (tensor<2x8x8xf32>, tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %o : tensor<2x8x4xf32>
}

// -----

// Heads that are mixed before the softmax and after it.
func.func @loss(%q: tensor<2x3x8x4xf32>, %k: tensor<2x3x8x4xf32>, %v: tensor<2x3x8x4xf32>, %h: tensor<3x3xf32>, %g: tensor<3x3xf32>) -> tensor<2x3x8x4xf32> {
  %s = train.dot_general %q, %k {lhs_batching = array<i64: 0, 1>, lhs_contracting = array<i64: 3>, rhs_batching = array<i64: 0, 1>, rhs_contracting = array<i64: 3>} : (tensor<2x3x8x4xf32>, tensor<2x3x8x4xf32>) -> tensor<2x3x8x8xf32>
  %yt = train.dot_general %s, %h {lhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_batching = array<i64>, rhs_contracting = array<i64: 0>} : (tensor<2x3x8x8xf32>, tensor<3x3xf32>) -> tensor<2x8x8x3xf32>
  %y = train.transpose %yt {permutation = array<i64: 0, 3, 1, 2>} : (tensor<2x8x8x3xf32>) -> tensor<2x3x8x8xf32>
  %m = train.reduce %y {dims = array<i64: 3>, kind = #train<reduce_kind maximum>} : (tensor<2x3x8x8xf32>) -> tensor<2x3x8xf32>
  %mb = train.broadcast_in_dim %m {dims = array<i64: 0, 1, 2>} : (tensor<2x3x8xf32>) -> tensor<2x3x8x8xf32>
  %d = train.subtract %y, %mb : (tensor<2x3x8x8xf32>, tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  %e = train.exponential %d : (tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  %n = train.reduce %e {dims = array<i64: 3>, kind = #train<reduce_kind add>} : (tensor<2x3x8x8xf32>) -> tensor<2x3x8xf32>
  %nb = train.broadcast_in_dim %n {dims = array<i64: 0, 1, 2>} : (tensor<2x3x8xf32>) -> tensor<2x3x8x8xf32>
  %p = train.divide %e, %nb : (tensor<2x3x8x8xf32>, tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  // expected-note @below {{'train.dot_general' is in the way}}
  %wt = train.dot_general %p, %g {lhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_batching = array<i64>, rhs_contracting = array<i64: 0>} : (tensor<2x3x8x8xf32>, tensor<3x3xf32>) -> tensor<2x8x8x3xf32>
  %w = train.transpose %wt {permutation = array<i64: 0, 3, 1, 2>} : (tensor<2x8x8x3xf32>) -> tensor<2x3x8x8xf32>
  // expected-warning @below {{this attention is computed as products and a softmax, with keys and values gathered over context: its weights are not just a softmax of scores}}
  %o = train.dot_general %w, %v {lhs_batching = array<i64: 0, 1>, lhs_contracting = array<i64: 3>, rhs_batching = array<i64: 0, 1>, rhs_contracting = array<i64: 2>} : (tensor<2x3x8x8xf32>, tensor<2x3x8x4xf32>) -> tensor<2x3x8x4xf32>
  return %o : tensor<2x3x8x4xf32>
}

// -----

// Scores that are multiplied and summed.
func.func @loss(%q: tensor<2x8x4xf32>, %k: tensor<2x8x4xf32>, %v: tensor<2x8x4xf32>) -> tensor<2x8x4xf32> {
  %qb = train.broadcast_in_dim %q {dims = array<i64: 0, 1, 3>} : (tensor<2x8x4xf32>) -> tensor<2x8x8x4xf32>
  %kb = train.broadcast_in_dim %k {dims = array<i64: 0, 2, 3>} : (tensor<2x8x4xf32>) -> tensor<2x8x8x4xf32>
  %qk = train.multiply %qb, %kb : (tensor<2x8x8x4xf32>, tensor<2x8x8x4xf32>) -> tensor<2x8x8x4xf32>
  // expected-note @below {{'train.reduce' is in the way}}
  %s = train.reduce %qk {dims = array<i64: 3>, kind = #train<reduce_kind add>} : (tensor<2x8x8x4xf32>) -> tensor<2x8x8xf32>
  %m = train.reduce %s {dims = array<i64: 2>, kind = #train<reduce_kind maximum>} : (tensor<2x8x8xf32>) -> tensor<2x8xf32>
  %mb = train.broadcast_in_dim %m {dims = array<i64: 0, 1>} : (tensor<2x8xf32>) -> tensor<2x8x8xf32>
  %d = train.subtract %s, %mb : (tensor<2x8x8xf32>, tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %e = train.exponential %d : (tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %n = train.reduce %e {dims = array<i64: 2>, kind = #train<reduce_kind add>} : (tensor<2x8x8xf32>) -> tensor<2x8xf32>
  %nb = train.broadcast_in_dim %n {dims = array<i64: 0, 1>} : (tensor<2x8xf32>) -> tensor<2x8x8xf32>
  %p = train.divide %e, %nb : (tensor<2x8x8xf32>, tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  // expected-warning @below {{this attention is computed as products and a softmax, with keys and values gathered over context: its scores are written as a multiplication and a sum, not as a product (matmul, einsum)}}
  %o = train.dot_general %p, %v {lhs_batching = array<i64: 0>, lhs_contracting = array<i64: 2>, rhs_batching = array<i64: 0>, rhs_contracting = array<i64: 1>} : (tensor<2x8x8xf32>, tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %o : tensor<2x8x4xf32>
}

// -----

// Weights and values that are multiplied and summed.
func.func @loss(%q: tensor<2x8x4xf32>, %k: tensor<2x8x4xf32>, %v: tensor<2x8x4xf32>) -> tensor<2x8x4xf32> {
  %s = train.dot_general %q, %k {lhs_batching = array<i64: 0>, lhs_contracting = array<i64: 2>, rhs_batching = array<i64: 0>, rhs_contracting = array<i64: 2>} : (tensor<2x8x4xf32>, tensor<2x8x4xf32>) -> tensor<2x8x8xf32>
  %m = train.reduce %s {dims = array<i64: 2>, kind = #train<reduce_kind maximum>} : (tensor<2x8x8xf32>) -> tensor<2x8xf32>
  %mb = train.broadcast_in_dim %m {dims = array<i64: 0, 1>} : (tensor<2x8xf32>) -> tensor<2x8x8xf32>
  %d = train.subtract %s, %mb : (tensor<2x8x8xf32>, tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %e = train.exponential %d : (tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %n = train.reduce %e {dims = array<i64: 2>, kind = #train<reduce_kind add>} : (tensor<2x8x8xf32>) -> tensor<2x8xf32>
  %nb = train.broadcast_in_dim %n {dims = array<i64: 0, 1>} : (tensor<2x8xf32>) -> tensor<2x8x8xf32>
  %p = train.divide %e, %nb : (tensor<2x8x8xf32>, tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %pb = train.broadcast_in_dim %p {dims = array<i64: 0, 1, 2>} : (tensor<2x8x8xf32>) -> tensor<2x8x8x4xf32>
  %vb = train.broadcast_in_dim %v {dims = array<i64: 0, 2, 3>} : (tensor<2x8x4xf32>) -> tensor<2x8x8x4xf32>
  %pv = train.multiply %pb, %vb : (tensor<2x8x8x4xf32>, tensor<2x8x8x4xf32>) -> tensor<2x8x8x4xf32>
  // expected-warning @below {{this attention is computed as products and a softmax, with keys and values gathered over context: its weights and values are multiplied and summed, not contracted by a product (matmul, einsum)}}
  // expected-note @below {{'train.reduce' is in the way}}
  %o = train.reduce %pv {dims = array<i64: 2>, kind = #train<reduce_kind add>} : (tensor<2x8x8x4xf32>) -> tensor<2x8x4xf32>
  return %o : tensor<2x8x4xf32>
}

// -----

// Both.
func.func @loss(%q: tensor<2x8x4xf32>, %k: tensor<2x8x4xf32>, %v: tensor<2x8x4xf32>) -> tensor<2x8x4xf32> {
  %qb = train.broadcast_in_dim %q {dims = array<i64: 0, 1, 3>} : (tensor<2x8x4xf32>) -> tensor<2x8x8x4xf32>
  %kb = train.broadcast_in_dim %k {dims = array<i64: 0, 2, 3>} : (tensor<2x8x4xf32>) -> tensor<2x8x8x4xf32>
  %qk = train.multiply %qb, %kb : (tensor<2x8x8x4xf32>, tensor<2x8x8x4xf32>) -> tensor<2x8x8x4xf32>
  %s = train.reduce %qk {dims = array<i64: 3>, kind = #train<reduce_kind add>} : (tensor<2x8x8x4xf32>) -> tensor<2x8x8xf32>
  %m = train.reduce %s {dims = array<i64: 2>, kind = #train<reduce_kind maximum>} : (tensor<2x8x8xf32>) -> tensor<2x8xf32>
  %mb = train.broadcast_in_dim %m {dims = array<i64: 0, 1>} : (tensor<2x8xf32>) -> tensor<2x8x8xf32>
  %d = train.subtract %s, %mb : (tensor<2x8x8xf32>, tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %e = train.exponential %d : (tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %n = train.reduce %e {dims = array<i64: 2>, kind = #train<reduce_kind add>} : (tensor<2x8x8xf32>) -> tensor<2x8xf32>
  %nb = train.broadcast_in_dim %n {dims = array<i64: 0, 1>} : (tensor<2x8xf32>) -> tensor<2x8x8xf32>
  %p = train.divide %e, %nb : (tensor<2x8x8xf32>, tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %pb = train.broadcast_in_dim %p {dims = array<i64: 0, 1, 2>} : (tensor<2x8x8xf32>) -> tensor<2x8x8x4xf32>
  %vb = train.broadcast_in_dim %v {dims = array<i64: 0, 2, 3>} : (tensor<2x8x4xf32>) -> tensor<2x8x8x4xf32>
  %pv = train.multiply %pb, %vb : (tensor<2x8x8x4xf32>, tensor<2x8x8x4xf32>) -> tensor<2x8x8x4xf32>
  // expected-warning @below {{this attention is computed as products and a softmax, with keys and values gathered over context: its weights and values are multiplied and summed, not contracted by a product (matmul, einsum)}}
  // expected-note @below {{'train.reduce' is in the way}}
  %o = train.reduce %pv {dims = array<i64: 2>, kind = #train<reduce_kind add>} : (tensor<2x8x8x4xf32>) -> tensor<2x8x4xf32>
  return %o : tensor<2x8x4xf32>
}

// -----

// Weights times numbers of the keys: no values of several numbers each, so no attention.
func.func @loss(%q: tensor<2x8x4xf32>, %k: tensor<2x8x4xf32>, %v: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %s = train.dot_general %q, %k {lhs_batching = array<i64: 0>, lhs_contracting = array<i64: 2>, rhs_batching = array<i64: 0>, rhs_contracting = array<i64: 2>} : (tensor<2x8x4xf32>, tensor<2x8x4xf32>) -> tensor<2x8x8xf32>
  %m = train.reduce %s {dims = array<i64: 2>, kind = #train<reduce_kind maximum>} : (tensor<2x8x8xf32>) -> tensor<2x8xf32>
  %mb = train.broadcast_in_dim %m {dims = array<i64: 0, 1>} : (tensor<2x8xf32>) -> tensor<2x8x8xf32>
  %d = train.subtract %s, %mb : (tensor<2x8x8xf32>, tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %e = train.exponential %d : (tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %n = train.reduce %e {dims = array<i64: 2>, kind = #train<reduce_kind add>} : (tensor<2x8x8xf32>) -> tensor<2x8xf32>
  %nb = train.broadcast_in_dim %n {dims = array<i64: 0, 1>} : (tensor<2x8xf32>) -> tensor<2x8x8xf32>
  %p = train.divide %e, %nb : (tensor<2x8x8xf32>, tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %vb = train.broadcast_in_dim %v {dims = array<i64: 0, 2>} : (tensor<2x8xf32>) -> tensor<2x8x8xf32>
  %pv = train.multiply %p, %vb : (tensor<2x8x8xf32>, tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %o = train.reduce %pv {dims = array<i64: 2>, kind = #train<reduce_kind add>} : (tensor<2x8x8xf32>) -> tensor<2x8xf32>
  return %o : tensor<2x8xf32>
}
