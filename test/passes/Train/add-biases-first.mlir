// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --split-input-file --zcc-add-biases-first | FileCheck %s
// RUN: echo 'module {}' | not zcc-opt --zcc-add-biases-first 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: expected a function @loss of one block

// The bias of queries, keys and values, by einsum: it is added to the product, and the sum is transposed.
// CHECK-LABEL: func.func @loss(
// CHECK-SAME: %[[X:[^:]*]]: tensor<2x8x5xf32>, %[[W:[^:]*]]: tensor<5x3x2x4xf32>, %[[B:[^:]*]]: tensor<3x1x2x4xf32>)
// CHECK: %[[P:.*]] = train.dot_general %[[X]], %[[W]]
// CHECK: %[[V:.*]] = train.reshape %[[B]] : (tensor<3x1x2x4xf32>) -> tensor<3x2x4xf32>
// CHECK: %[[A:.*]] = train.broadcast_in_dim %[[V]] {dims = array<i64: 2, 3, 4>} : (tensor<3x2x4xf32>) -> tensor<2x8x3x2x4xf32>
// CHECK: %[[S:.*]] = train.add %[[P]], %[[A]]
// CHECK: %[[T:.*]] = train.transpose %[[S]] {permutation = array<i64: 2, 0, 1, 3, 4>}
// CHECK: train.slice %[[T]]
func.func @loss(%x: tensor<2x8x5xf32>, %w: tensor<5x3x2x4xf32>, %b: tensor<3x1x2x4xf32>) -> tensor<2x8x2x4xf32> {
  %0 = train.dot_general %x, %w {lhs_batching = array<i64>, lhs_contracting = array<i64: 2>, rhs_batching = array<i64>, rhs_contracting = array<i64: 0>} : (tensor<2x8x5xf32>, tensor<5x3x2x4xf32>) -> tensor<2x8x3x2x4xf32>
  %1 = train.transpose %0 {permutation = array<i64: 2, 0, 1, 3, 4>} : (tensor<2x8x3x2x4xf32>) -> tensor<3x2x8x2x4xf32>
  %2 = train.broadcast_in_dim %b {dims = array<i64: 0, 2, 3, 4>} : (tensor<3x1x2x4xf32>) -> tensor<3x2x8x2x4xf32>
  %3 = train.add %1, %2 : (tensor<3x2x8x2x4xf32>, tensor<3x2x8x2x4xf32>) -> tensor<3x2x8x2x4xf32>
  %s0 = train.slice %3 {start = array<i64: 0, 0, 0, 0, 0>, limit = array<i64: 1, 2, 8, 2, 4>, stride = array<i64: 1, 1, 1, 1, 1>} : (tensor<3x2x8x2x4xf32>) -> tensor<1x2x8x2x4xf32>
  %q = train.reshape %s0 : (tensor<1x2x8x2x4xf32>) -> tensor<2x8x2x4xf32>
  %s1 = train.slice %3 {start = array<i64: 1, 0, 0, 0, 0>, limit = array<i64: 2, 2, 8, 2, 4>, stride = array<i64: 1, 1, 1, 1, 1>} : (tensor<3x2x8x2x4xf32>) -> tensor<1x2x8x2x4xf32>
  %k = train.reshape %s1 : (tensor<1x2x8x2x4xf32>) -> tensor<2x8x2x4xf32>
  %s2 = train.slice %3 {start = array<i64: 2, 0, 0, 0, 0>, limit = array<i64: 3, 2, 8, 2, 4>, stride = array<i64: 1, 1, 1, 1, 1>} : (tensor<3x2x8x2x4xf32>) -> tensor<1x2x8x2x4xf32>
  %v = train.reshape %s2 : (tensor<1x2x8x2x4xf32>) -> tensor<2x8x2x4xf32>
  %o, %l = train.attention %q, %k, %v {scale = 1.0 : f64, fill = -1.0e30 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0>} : (tensor<2x8x2x4xf32>, tensor<2x8x2x4xf32>, tensor<2x8x2x4xf32>) -> (tensor<2x8x2x4xf32>, tensor<2x8x2xf32>)
  return %o : tensor<2x8x2x4xf32>
}

// -----
// A transpose that others than attention read is left alone.
// CHECK-LABEL: func.func @loss(
// CHECK: train.dot_general
// CHECK-NEXT: train.transpose
// CHECK-NEXT: train.broadcast_in_dim
// CHECK-NEXT: train.add
// CHECK-NEXT: return
func.func @loss(%x: tensor<8x5xf32>, %w: tensor<5x3x4xf32>, %b: tensor<3x4xf32>) -> tensor<3x8x4xf32> {
  %0 = train.dot_general %x, %w {lhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_batching = array<i64>, rhs_contracting = array<i64: 0>} : (tensor<8x5xf32>, tensor<5x3x4xf32>) -> tensor<8x3x4xf32>
  %1 = train.transpose %0 {permutation = array<i64: 1, 0, 2>} : (tensor<8x3x4xf32>) -> tensor<3x8x4xf32>
  %2 = train.broadcast_in_dim %b {dims = array<i64: 0, 2>} : (tensor<3x4xf32>) -> tensor<3x8x4xf32>
  %3 = train.add %1, %2 : (tensor<3x8x4xf32>, tensor<3x8x4xf32>) -> tensor<3x8x4xf32>
  return %3 : tensor<3x8x4xf32>
}

// -----
// So is a bias whose dims would change places.
// CHECK-LABEL: func.func @loss(
// CHECK: train.dot_general
// CHECK-NEXT: train.transpose
// CHECK-NEXT: train.broadcast_in_dim
// CHECK-NEXT: train.add
// CHECK-NEXT: train.attention
func.func @loss(%x: tensor<8x2x5xf32>, %w: tensor<5x4x2xf32>, %b: tensor<2x4xf32>) -> tensor<8x2x2x4xf32> {
  %0 = train.dot_general %x, %w {lhs_batching = array<i64>, lhs_contracting = array<i64: 2>, rhs_batching = array<i64>, rhs_contracting = array<i64: 0>} : (tensor<8x2x5xf32>, tensor<5x4x2xf32>) -> tensor<8x2x4x2xf32>
  %1 = train.transpose %0 {permutation = array<i64: 0, 1, 3, 2>} : (tensor<8x2x4x2xf32>) -> tensor<8x2x2x4xf32>
  %2 = train.broadcast_in_dim %b {dims = array<i64: 2, 3>} : (tensor<2x4xf32>) -> tensor<8x2x2x4xf32>
  %3 = train.add %1, %2 : (tensor<8x2x2x4xf32>, tensor<8x2x2x4xf32>) -> tensor<8x2x2x4xf32>
  %o, %l = train.attention %3, %3, %3 {scale = 1.0 : f64, fill = -1.0e30 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0>} : (tensor<8x2x2x4xf32>, tensor<8x2x2x4xf32>, tensor<8x2x2x4xf32>) -> (tensor<8x2x2x4xf32>, tensor<8x2x2xf32>)
  return %o : tensor<8x2x2x4xf32>
}
