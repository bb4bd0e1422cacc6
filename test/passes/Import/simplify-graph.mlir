// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --zcc-simplify-graph | FileCheck %s

// CHECK-LABEL: func.func @loss(
// CHECK-SAME: %[[A:[^:]*]]: tensor<4x8xf32>, %[[R:[^:]*]]: tensor<8xf32>, %[[P:[^:]*]]: tensor<4x8xi1>)
func.func @loss(%a: tensor<4x8xf32>, %r: tensor<8xf32>, %p: tensor<4x8xi1>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xi1>, tensor<3xi32>, tensor<4x8xf32>, tensor<4xf32>) {
  // Two broadcasts are one.
  // CHECK-DAG: %[[B:.*]] = train.broadcast_in_dim %[[R]] {dims = array<i64: 1>} : (tensor<8xf32>) -> tensor<4x8xf32>
  %0 = train.broadcast_in_dim %r {dims = array<i64: 1>} : (tensor<8xf32>) -> tensor<1x8xf32>
  %1 = train.broadcast_in_dim %0 {dims = array<i64: 0, 1>} : (tensor<1x8xf32>) -> tensor<4x8xf32>
  // A constant that is the same everywhere is a broadcast scalar; a maximum with -inf is nothing.
  %2 = train.constant dense<0xFF800000> : tensor<4x8xf32>
  %3 = train.maximum %2, %a : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %4 = train.constant dense<true> : tensor<4x8xi1>
  %5 = train.constant dense<false> : tensor<4x8xi1>
  %6 = train.select %p, %4, %5 : (tensor<4x8xi1>, tensor<4x8xi1>, tensor<4x8xi1>) -> tensor<4x8xi1>
  // CHECK-DAG: %[[C:.*]] = train.constant dense<[5, 6, 7]> : tensor<3xi32>
  %7 = train.constant dense<[1, 2, 3]> : tensor<3xi32>
  %8 = train.constant dense<4> : tensor<3xi32>
  %9 = train.add %7, %8 : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
  // CHECK-DAG: %[[H:.*]] = train.constant dense<5.000000e-01> : tensor<f32>
  // CHECK-DAG: %[[S:.*]] = train.broadcast_in_dim %[[H]] {dims = array<i64>} : (tensor<f32>) -> tensor<4x8xf32>
  %10 = train.constant dense<0.5> : tensor<4x8xf32>
  // A sum is left alone: it makes 0 of -0.
  // CHECK-DAG: %[[SUM:.*]] = train.reduce
  %11 = train.reshape %r : (tensor<8xf32>) -> tensor<8x1xf32>
  %12 = train.slice %11 {limit = array<i64: 4, 1>, start = array<i64: 0, 0>, stride = array<i64: 1, 1>} : (tensor<8x1xf32>) -> tensor<4x1xf32>
  %13 = train.reduce %12 {dims = array<i64: 1>, kind = #train<reduce_kind add>} : (tensor<4x1xf32>) -> tensor<4xf32>
  // CHECK: return %[[B]], %[[A]], %[[P]], %[[C]], %[[S]], %[[SUM]]
  return %1, %3, %6, %9, %10, %13 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xi1>, tensor<3xi32>, tensor<4x8xf32>, tensor<4xf32>
}
