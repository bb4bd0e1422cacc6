// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --zcc-simplify-graph | FileCheck %s

// A product with ones is a movement; with another number, it is scaled. A sum over ones is left alone.
// CHECK-LABEL: func.func @loss(
// CHECK-SAME: %[[P:[^:]*]]: tensor<2x3x8xf32>)
// CHECK-DAG: %[[HEADS:.*]] = train.transpose %[[P]] {permutation = array<i64: 1, 0, 2>}
// CHECK-DAG: %[[OUTER:.*]] = train.broadcast_in_dim %[[P]] {dims = array<i64: 1, 2, 3>} : (tensor<2x3x8xf32>) -> tensor<5x2x3x8xf32>
// CHECK-DAG: %[[OTHER:.*]] = train.broadcast_in_dim %[[P]] {dims = array<i64: 0, 1, 2>} : (tensor<2x3x8xf32>) -> tensor<2x3x8x5xf32>
// CHECK-DAG: %[[TWICE:.*]] = train.multiply %[[OTHER]],
// CHECK-DAG: %[[SUM:.*]] = train.dot_general
// CHECK: return %[[HEADS]], %[[OUTER]], %[[TWICE]], %[[SUM]]
func.func @loss(%p: tensor<2x3x8xf32>) -> (tensor<3x2x8xf32>, tensor<5x2x3x8xf32>, tensor<2x3x8x5xf32>, tensor<2x8xf32>) {
  %h = train.constant dense<1.0> : tensor<3xf32>
  %five = train.constant dense<1.0> : tensor<5xf32>
  %two = train.constant dense<2.0> : tensor<5xf32>
  %0 = train.dot_general %h, %p {lhs_batching = array<i64: 0>, lhs_contracting = array<i64>, rhs_batching = array<i64: 1>, rhs_contracting = array<i64>} : (tensor<3xf32>, tensor<2x3x8xf32>) -> tensor<3x2x8xf32>
  %1 = train.dot_general %five, %p {lhs_batching = array<i64>, lhs_contracting = array<i64>, rhs_batching = array<i64>, rhs_contracting = array<i64>} : (tensor<5xf32>, tensor<2x3x8xf32>) -> tensor<5x2x3x8xf32>
  %2 = train.dot_general %p, %two {lhs_batching = array<i64>, lhs_contracting = array<i64>, rhs_batching = array<i64>, rhs_contracting = array<i64>} : (tensor<2x3x8xf32>, tensor<5xf32>) -> tensor<2x3x8x5xf32>
  %3 = train.dot_general %p, %h {lhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_batching = array<i64>, rhs_contracting = array<i64: 0>} : (tensor<2x3x8xf32>, tensor<3xf32>) -> tensor<2x8xf32>
  return %0, %1, %2, %3 : tensor<3x2x8xf32>, tensor<5x2x3x8xf32>, tensor<2x3x8x5xf32>, tensor<2x8xf32>
}
