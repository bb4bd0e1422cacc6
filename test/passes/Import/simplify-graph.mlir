// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --split-input-file --zcc-simplify-graph | FileCheck %s

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
  // CHECK-DAG: %[[C:.*]] = train.constant dense<[5, 6, 9]> : tensor<3xi32>
  %7 = train.constant dense<[1, 2, 5]> : tensor<3xi32>
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

// -----
// A constant whose numbers rise evenly is an iota, times its step, plus its start.
// CHECK-LABEL: func.func @loss(
// CHECK: %[[I:.*]] = train.iota {dim = 0 : i64} : () -> tensor<4xi32>
// CHECK: %[[J:.*]] = train.iota {dim = 0 : i64} : () -> tensor<3xui8>
// CHECK: %[[STEP:.*]] = train.constant dense<254> : tensor<ui8>
// CHECK: %[[STEPS:.*]] = train.broadcast_in_dim %[[STEP]]
// CHECK: %[[DOWN:.*]] = train.multiply %[[J]], %[[STEPS]]
// CHECK: %[[START:.*]] = train.constant dense<2> : tensor<ui8>
// CHECK: %[[STARTS:.*]] = train.broadcast_in_dim %[[START]]
// CHECK: %[[SUM:.*]] = train.add %[[DOWN]], %[[STARTS]]
// CHECK: %[[ROW:.*]] = train.iota {dim = 0 : i64} : () -> tensor<2x3xi64>
// CHECK: %[[COLUMN:.*]] = train.iota {dim = 1 : i64} : () -> tensor<2x3xi64>
// CHECK: %[[TEN:.*]] = train.constant dense<10> : tensor<i64>
// CHECK: %[[TENS:.*]] = train.broadcast_in_dim %[[TEN]]
// CHECK: %[[COLUMNS:.*]] = train.multiply %[[COLUMN]], %[[TENS]]
// CHECK: %[[BOTH:.*]] = train.add %[[ROW]], %[[COLUMNS]]
// CHECK: %[[K:.*]] = train.iota {dim = 0 : i64} : () -> tensor<3xf32>
// CHECK: %[[HALF:.*]] = train.constant dense<5.000000e-01> : tensor<f32>
// CHECK: %[[HALVES:.*]] = train.broadcast_in_dim %[[HALF]]
// CHECK: %[[F:.*]] = train.multiply %[[K]], %[[HALVES]]
// CHECK: %[[ONE:.*]] = train.constant dense<1.000000e+00> : tensor<f32>
// CHECK: %[[ONES:.*]] = train.broadcast_in_dim %[[ONE]]
// CHECK: %[[G:.*]] = train.add %[[F]], %[[ONES]]
// CHECK: return %[[I]], %[[SUM]], %[[BOTH]], %[[G]]
func.func @loss() -> (tensor<4xi32>, tensor<3xui8>, tensor<2x3xi64>, tensor<3xf32>) {
  %0 = train.constant dense<[0, 1, 2, 3]> : tensor<4xi32>
  %1 = train.constant dense<[2, 0, 254]> : tensor<3xui8>
  %2 = train.constant dense<[[0, 10, 20], [1, 11, 21]]> : tensor<2x3xi64>
  %3 = train.constant dense<[1.0, 1.5, 2.0]> : tensor<3xf32>
  return %0, %1, %2, %3 : tensor<4xi32>, tensor<3xui8>, tensor<2x3xi64>, tensor<3xf32>
}

// -----
// These are none: numbers that arithmetic would round, a zero whose sign it would lose, truth values, two numbers that
// are no neighbors, a bend.
// CHECK-LABEL: func.func @loss(
// CHECK-NOT: train.iota
func.func @loss() -> (tensor<3xf32>, tensor<3xf32>, tensor<2xi1>, tensor<2xi32>, tensor<4xi32>) {
  %0 = train.constant dense<[0.1, 0.2, 0.3]> : tensor<3xf32>
  %1 = train.constant dense<[-0.0, 1.0, 2.0]> : tensor<3xf32>
  %2 = train.constant dense<[false, true]> : tensor<2xi1>
  %3 = train.constant dense<[0, 42]> : tensor<2xi32>
  %4 = train.constant dense<[0, 1, 2, 4]> : tensor<4xi32>
  return %0, %1, %2, %3, %4 : tensor<3xf32>, tensor<3xf32>, tensor<2xi1>, tensor<2xi32>, tensor<4xi32>
}

// -----
// A constant whose steps are all 0, but which has other numbers, is none either.
// CHECK-LABEL: func.func @loss(
// CHECK: train.constant dense<[0.000000e+00, 0.000000e+00, 5.000000e+00]> : tensor<3xf32>
func.func @loss() -> tensor<3xf32> {
  %0 = train.constant dense<[0.0, 0.0, 5.0]> : tensor<3xf32>
  return %0 : tensor<3xf32>
}
