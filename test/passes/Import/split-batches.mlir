// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Batches and heads that were merged for a product are dims of their own again.
// RUN: zcc-opt %s --split-input-file --zcc-split-batches | FileCheck %s

// The operand's reshape says how; the views that merged them are gone.
// CHECK-LABEL: func.func @loss(%arg0: tensor<2x3x8x4xf32>, %arg1: tensor<2x3x4x8xf32>)
// CHECK-NEXT: %[[P:.+]] = train.dot_general %arg0, %arg1 {lhs_batching = array<i64: 0, 1>, lhs_contracting = array<i64: 3>, rhs_batching = array<i64: 0, 1>, rhs_contracting = array<i64: 2>} : (tensor<2x3x8x4xf32>, tensor<2x3x4x8xf32>) -> tensor<2x3x8x8xf32>
// CHECK-NEXT: return %[[P]]
func.func @loss(%q: tensor<2x3x8x4xf32>, %k: tensor<2x3x4x8xf32>) -> tensor<2x3x8x8xf32> {
  %0 = train.reshape %q : (tensor<2x3x8x4xf32>) -> tensor<6x8x4xf32>
  %1 = train.reshape %k : (tensor<2x3x4x8xf32>) -> tensor<6x4x8xf32>
  %2 = train.dot_general %0, %1 {lhs_batching = array<i64: 0>, lhs_contracting = array<i64: 2>, rhs_batching = array<i64: 0>, rhs_contracting = array<i64: 1>} : (tensor<6x8x4xf32>, tensor<6x4x8xf32>) -> tensor<6x8x8xf32>
  %3 = train.reshape %2 : (tensor<6x8x8xf32>) -> tensor<2x3x8x8xf32>
  return %3 : tensor<2x3x8x8xf32>
}

// -----

// So do two heads.
// CHECK-LABEL: func.func @loss(%arg0: tensor<3x2x8x4xf32>, %arg1: tensor<6x4x8xf32>)
// CHECK: train.dot_general %arg0, {{.*}} : (tensor<3x2x8x4xf32>, tensor<3x2x4x8xf32>) -> tensor<3x2x8x8xf32>
func.func @loss(%q: tensor<3x2x8x4xf32>, %k: tensor<6x4x8xf32>) -> tensor<6x8x8xf32> {
  %0 = train.reshape %q : (tensor<3x2x8x4xf32>) -> tensor<6x8x4xf32>
  %1 = train.dot_general %0, %k {lhs_batching = array<i64: 0>, lhs_contracting = array<i64: 2>, rhs_batching = array<i64: 0>, rhs_contracting = array<i64: 1>} : (tensor<6x8x4xf32>, tensor<6x4x8xf32>) -> tensor<6x8x8xf32>
  return %1 : tensor<6x8x8xf32>
}

// -----

// The sequence first: batches are merged with a part of the features.
// CHECK-LABEL: func.func @loss(%arg0: tensor<8x2x12xf32>, %arg1: tensor<6x8x5xf32>)
// CHECK: %[[Q:.+]] = train.reshape %arg0 : (tensor<8x2x12xf32>) -> tensor<8x2x3x4xf32>
// CHECK: %[[T:.+]] = train.transpose %[[Q]] {permutation = array<i64: 1, 2, 0, 3>}
// CHECK: %[[R:.+]] = train.reshape %arg1 : (tensor<6x8x5xf32>) -> tensor<2x3x8x5xf32>
// CHECK: %[[P:.+]] = train.dot_general %[[T]], %[[R]] {lhs_batching = array<i64: 0, 1>, lhs_contracting = array<i64: 2>, rhs_batching = array<i64: 0, 1>, rhs_contracting = array<i64: 2>}
// CHECK: %[[O:.+]] = train.reshape %[[P]] : (tensor<2x3x4x5xf32>) -> tensor<6x4x5xf32>
// CHECK: return %[[O]]
func.func @loss(%x: tensor<8x2x12xf32>, %y: tensor<6x8x5xf32>) -> tensor<6x4x5xf32> {
  %0 = train.reshape %x : (tensor<8x2x12xf32>) -> tensor<8x6x4xf32>
  %1 = train.transpose %0 {permutation = array<i64: 1, 0, 2>} : (tensor<8x6x4xf32>) -> tensor<6x8x4xf32>
  %2 = train.dot_general %1, %y {lhs_batching = array<i64: 0>, lhs_contracting = array<i64: 1>, rhs_batching = array<i64: 0>, rhs_contracting = array<i64: 1>} : (tensor<6x8x4xf32>, tensor<6x8x5xf32>) -> tensor<6x4x5xf32>
  return %2 : tensor<6x4x5xf32>
}

// -----

// Nothing says how, or what is said does not nest.
// CHECK-LABEL: func.func @loss
// CHECK: train.dot_general {{.*}} : (tensor<12x8x4xf32>, tensor<12x4x8xf32>)
func.func @loss(%q: tensor<2x6x8x4xf32>, %k: tensor<3x4x4x8xf32>) -> tensor<12x8x8xf32> {
  %0 = train.reshape %q : (tensor<2x6x8x4xf32>) -> tensor<12x8x4xf32>
  %1 = train.reshape %k : (tensor<3x4x4x8xf32>) -> tensor<12x4x8xf32>
  %2 = train.dot_general %0, %1 {lhs_batching = array<i64: 0>, lhs_contracting = array<i64: 2>, rhs_batching = array<i64: 0>, rhs_contracting = array<i64: 1>} : (tensor<12x8x4xf32>, tensor<12x4x8xf32>) -> tensor<12x8x8xf32>
  return %2 : tensor<12x8x8xf32>
}

// -----

// A mask by window (Swin): the reshape is behind a sum, on the way to the softmax, and that of the weights before it.
// CHECK-LABEL: func.func @loss
// CHECK: train.dot_general {{.*}} : (tensor<2x4x3x4x5xf32>, tensor<2x4x3x4x5xf32>) -> tensor<2x4x3x4x4xf32>
// CHECK: train.dot_general {{.*}} : (tensor<2x4x3x4x4xf32>, tensor<2x4x3x4x5xf32>) -> tensor<2x4x3x4x5xf32>
func.func @loss(%q: tensor<8x3x4x5xf32>, %k: tensor<8x3x4x5xf32>, %v: tensor<8x3x4x5xf32>, %r: tensor<3x4x4xf32>, %m: tensor<4x4x4xf32>) -> tensor<8x3x4x5xf32> {
  %s = train.dot_general %q, %k {lhs_batching = array<i64: 0, 1>, lhs_contracting = array<i64: 3>, rhs_batching = array<i64: 0, 1>, rhs_contracting = array<i64: 3>} : (tensor<8x3x4x5xf32>, tensor<8x3x4x5xf32>) -> tensor<8x3x4x4xf32>
  %rb = train.broadcast_in_dim %r {dims = array<i64: 1, 2, 3>} : (tensor<3x4x4xf32>) -> tensor<8x3x4x4xf32>
  %x = train.add %s, %rb : (tensor<8x3x4x4xf32>, tensor<8x3x4x4xf32>) -> tensor<8x3x4x4xf32>
  %x5 = train.reshape %x : (tensor<8x3x4x4xf32>) -> tensor<2x4x3x4x4xf32>
  %wb = train.broadcast_in_dim %m {dims = array<i64: 1, 3, 4>} : (tensor<4x4x4xf32>) -> tensor<2x4x3x4x4xf32>
  %y5 = train.add %x5, %wb : (tensor<2x4x3x4x4xf32>, tensor<2x4x3x4x4xf32>) -> tensor<2x4x3x4x4xf32>
  %y = train.reshape %y5 : (tensor<2x4x3x4x4xf32>) -> tensor<8x3x4x4xf32>
  %e = train.exponential %y : (tensor<8x3x4x4xf32>) -> tensor<8x3x4x4xf32>
  %n = train.reduce %e {dims = array<i64: 3>, kind = #train<reduce_kind add>} : (tensor<8x3x4x4xf32>) -> tensor<8x3x4xf32>
  %nb = train.broadcast_in_dim %n {dims = array<i64: 0, 1, 2>} : (tensor<8x3x4xf32>) -> tensor<8x3x4x4xf32>
  %p = train.divide %e, %nb : (tensor<8x3x4x4xf32>, tensor<8x3x4x4xf32>) -> tensor<8x3x4x4xf32>
  %o = train.dot_general %p, %v {lhs_batching = array<i64: 0, 1>, lhs_contracting = array<i64: 3>, rhs_batching = array<i64: 0, 1>, rhs_contracting = array<i64: 2>} : (tensor<8x3x4x4xf32>, tensor<8x3x4x5xf32>) -> tensor<8x3x4x5xf32>
  return %o : tensor<8x3x4x5xf32>
}

// -----

// A mask for all of them that is repeated by window beside the scores: its reshape tells.
// CHECK-LABEL: func.func @loss
// CHECK: train.dot_general {{.*}} : (tensor<2x4x3x4x5xf32>, tensor<2x4x3x4x5xf32>) -> tensor<2x4x3x4x4xf32>
func.func @loss(%q: tensor<8x3x4x5xf32>, %k: tensor<8x3x4x5xf32>, %m: tensor<4x4x4xf32>) -> tensor<8x3x4x4xf32> {
  %s = train.dot_general %q, %k {lhs_batching = array<i64: 0, 1>, lhs_contracting = array<i64: 3>, rhs_batching = array<i64: 0, 1>, rhs_contracting = array<i64: 3>} : (tensor<8x3x4x5xf32>, tensor<8x3x4x5xf32>) -> tensor<8x3x4x4xf32>
  %wb = train.broadcast_in_dim %m {dims = array<i64: 1, 3, 4>} : (tensor<4x4x4xf32>) -> tensor<2x4x3x4x4xf32>
  %w = train.reshape %wb : (tensor<2x4x3x4x4xf32>) -> tensor<8x3x4x4xf32>
  %x = train.add %s, %w : (tensor<8x3x4x4xf32>, tensor<8x3x4x4xf32>) -> tensor<8x3x4x4xf32>
  return %x : tensor<8x3x4x4xf32>
}
