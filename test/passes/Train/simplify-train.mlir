// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --zcc-simplify-train | FileCheck %s

// CHECK-LABEL: func.func @movement
// CHECK-SAME:    (%[[X:.*]]: tensor<2x3x4xf32>, %[[V:.*]]: tensor<4xf32>)
func.func @movement(%x: tensor<2x3x4xf32>, %v: tensor<4xf32>) -> (tensor<3x8xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<1x2x12xf32>) {
  // CHECK: %[[T:.*]] = train.transpose %[[X]] {permutation = array<i64: 1, 0, 2>}
  // CHECK: %[[R:.*]] = train.reshape %[[T]]
  %0 = train.transpose %x {permutation = array<i64: 2, 0, 1>} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  %1 = train.transpose %0 {permutation = array<i64: 2, 1, 0>} : (tensor<4x2x3xf32>) -> tensor<3x2x4xf32>
  %2 = train.reshape %1 : (tensor<3x2x4xf32>) -> tensor<24xf32>
  %3 = train.reshape %2 : (tensor<24xf32>) -> tensor<3x8xf32>
  // There and back.
  %4 = train.transpose %0 {permutation = array<i64: 1, 2, 0>} : (tensor<4x2x3xf32>) -> tensor<2x3x4xf32>
  // CHECK: %[[B:.*]] = train.broadcast_in_dim %[[V]] {dims = array<i64: 2>} : (tensor<4xf32>) -> tensor<2x3x4xf32>
  %5 = train.reshape %v : (tensor<4xf32>) -> tensor<1x1x4xf32>
  %6 = train.broadcast_in_dim %5 {dims = array<i64: 0, 1, 2>} : (tensor<1x1x4xf32>) -> tensor<2x3x4xf32>
  // A transpose that moves no data becomes a reshape.
  // CHECK: %[[N:.*]] = train.reshape %[[X]] : (tensor<2x3x4xf32>) -> tensor<1x2x12xf32>
  %7 = train.reshape %x : (tensor<2x3x4xf32>) -> tensor<2x1x12xf32>
  %8 = train.transpose %7 {permutation = array<i64: 1, 0, 2>} : (tensor<2x1x12xf32>) -> tensor<1x2x12xf32>
  // CHECK: return %[[R]], %[[X]], %[[B]], %[[N]]
  return %3, %4, %6, %8 : tensor<3x8xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<1x2x12xf32>
}

// CHECK-LABEL: func.func @products
// CHECK-SAME:    (%[[A:.*]]: tensor<5x2x3xf32>, %[[B:.*]]: tensor<4x3xf32>)
func.func @products(%a: tensor<5x2x3xf32>, %b: tensor<4x3xf32>) -> (tensor<5x2x4xf32>, tensor<4x5x2xf32>) {
  // CHECK: %[[D:.*]] = train.dot_general %[[A]], %[[B]] {{.*}}lhs_contracting = array<i64: 2>, {{.*}}rhs_contracting = array<i64: 1>
  %0 = train.transpose %b {permutation = array<i64: 1, 0>} : (tensor<4x3xf32>) -> tensor<3x4xf32>
  %1 = train.dot_general %a, %0 {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 2>, rhs_contracting = array<i64: 0>}
    : (tensor<5x2x3xf32>, tensor<3x4xf32>) -> tensor<5x2x4xf32>
  // CHECK: %[[E:.*]] = train.dot_general %[[B]], %[[A]]
  %2 = train.dot_general %a, %b {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 2>, rhs_contracting = array<i64: 1>}
    : (tensor<5x2x3xf32>, tensor<4x3xf32>) -> tensor<5x2x4xf32>
  %3 = train.transpose %2 {permutation = array<i64: 2, 0, 1>} : (tensor<5x2x4xf32>) -> tensor<4x5x2xf32>
  // CHECK: return %[[D]], %[[E]]
  return %1, %3 : tensor<5x2x4xf32>, tensor<4x5x2xf32>
}

// CHECK-LABEL: func.func @arithmetic
// CHECK-SAME:    (%[[X:.*]]: tensor<4xf32>, %[[N:.*]]: tensor<4xbf16>)
func.func @arithmetic(%x: tensor<4xf32>, %n: tensor<4xbf16>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xbf16>, tensor<4xf32>, tensor<4xf32>) {
  %one = train.constant dense<1.0> : tensor<4xf32>
  %zero = train.constant dense<0.0> : tensor<4xf32>
  %true = train.constant dense<true> : tensor<4xi1>
  %0 = train.multiply %one, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // x + 0 is not x where x is -0.
  // CHECK: %[[S:.*]] = train.add %[[X]]
  %1 = train.add %x, %zero : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // Widening and narrowing again is exact, the other way round is not.
  %2 = train.convert %n : (tensor<4xbf16>) -> tensor<4xf32>
  %3 = train.convert %2 : (tensor<4xf32>) -> tensor<4xbf16>
  // CHECK: %[[C:.*]] = train.convert %[[X]]
  // CHECK: %[[D:.*]] = train.convert %[[C]]
  %4 = train.convert %x : (tensor<4xf32>) -> tensor<4xbf16>
  %5 = train.convert %4 : (tensor<4xbf16>) -> tensor<4xf32>
  %6 = train.select %true, %0, %1 : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: return %[[X]], %[[S]], %[[N]], %[[D]], %[[X]]
  return %0, %1, %3, %5, %6 : tensor<4xf32>, tensor<4xf32>, tensor<4xbf16>, tensor<4xf32>, tensor<4xf32>
}

// Ops of different tags are left alone: what the backward pass reads would change.
// CHECK-LABEL: func.func @tags
// CHECK: train.reshape
// CHECK: train.reshape
func.func @tags(%x: tensor<4xf32>) -> tensor<1x4xf32> {
  %0 = train.reshape %x {train.tag = "forward"} : (tensor<4xf32>) -> tensor<2x2xf32>
  %1 = train.reshape %0 {train.tag = "backward"} : (tensor<2x2xf32>) -> tensor<1x4xf32>
  return %1 : tensor<1x4xf32>
}
