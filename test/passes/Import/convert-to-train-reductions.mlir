// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions, windows and sorts are recognized by what their regions compute.
// RUN: zcc-opt %s --split-input-file --zcc-convert-to-train | FileCheck %s

// CHECK-LABEL: func.func @loss(
// CHECK-SAME: %[[A:[^:]*]]: tensor<4x8xf32>, %[[S:[^:]*]]: tensor<f32>)
func.func @main(%a: tensor<4x8xf32>, %s: tensor<f32>) -> tensor<4xi32> {
  %inf = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %zf = stablehlo.constant dense<0.0> : tensor<f32>
  %iota = stablehlo.iota dim = 1 : tensor<4x8xi32>
  // CHECK: train.arg_reduce %[[A]] {dim = 1 : i64, kind = #train<reduce_kind maximum>} : (tensor<4x8xf32>) -> tensor<4xi32>
  %0:2 = stablehlo.reduce(%a init: %inf), (%iota init: %zero) across dimensions = [1] : (tensor<4x8xf32>, tensor<4x8xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)
   reducer(%x: tensor<f32>, %y: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>)  {
    %1 = stablehlo.compare GT, %x, %y, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %2 = stablehlo.compare NE, %x, %x, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %3 = stablehlo.or %1, %2 : tensor<i1>
    %4 = stablehlo.compare EQ, %x, %y, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %5 = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %6 = stablehlo.and %4, %5 : tensor<i1>
    %7 = stablehlo.or %3, %6 : tensor<i1>
    %8 = stablehlo.select %3, %x, %y : tensor<i1>, tensor<f32>
    %9 = stablehlo.select %7, %i, %j : tensor<i1>, tensor<i32>
    stablehlo.return %8, %9 : tensor<f32>, tensor<i32>
  }
  // The initial value is not the identity: it is added after.
  // CHECK: %[[R:.*]] = train.reduce %[[A]] {dims = array<i64: 1>, kind = #train<reduce_kind add>}
  // CHECK: %[[I:.*]] = train.broadcast_in_dim %[[S]]
  // CHECK: train.add %[[I]], %[[R]]
  %10 = stablehlo.reduce(%a init: %s) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  // Dims stand in any order.
  // CHECK: train.reduce %[[A]] {dims = array<i64: 0, 1>, kind = #train<reduce_kind add>}
  %all = stablehlo.reduce(%a init: %zf) applies stablehlo.add across dimensions = [1, 0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
  // CHECK: train.cumulative %[[A]] {dim = 1 : i64, kind = #train<reduce_kind add>}
  %11 = "stablehlo.reduce_window"(%a, %zf) <{window_dimensions = array<i64: 1, 8>, padding = dense<[[0, 0], [7, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  // CHECK: train.cumulative %[[A]] {dim = 0 : i64, kind = #train<reduce_kind maximum>, reverse = true}
  %12 = "stablehlo.reduce_window"(%a, %inf) <{window_dimensions = array<i64: 4, 1>, padding = dense<[[0, 3], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  // CHECK: train.reduce_window %[[A]]
  %13 = "stablehlo.reduce_window"(%a, %inf) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<2x4xf32>
  // CHECK: train.sort %[[A]], %{{.*}} {dim = 1 : i64}
  %14:2 = "stablehlo.sort"(%a, %iota) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>, %i: tensor<i32>, %j: tensor<i32>):
    %1 = stablehlo.compare LT, %x, %y, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<4x8xf32>, tensor<4x8xi32>) -> (tensor<4x8xf32>, tensor<4x8xi32>)
  // CHECK: train.sort %[[A]] {descending = true, dim = 1 : i64}
  %15 = "stablehlo.sort"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.compare GT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0#1 : tensor<4xi32>
}

// -----
// A running log-sum-exp is a tree: pairs of neighbors are combined, then pairs of pairs, and the elements between follow.
// CHECK-LABEL: func.func @loss(
// CHECK-SAME: %[[A:[^:]*]]: tensor<4x3xf32>)
func.func @main(%a: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %inf = stablehlo.constant dense<0xFF800000> : tensor<f32>
  // CHECK: %[[REVERSED:.*]] = train.reverse %[[A]] {dims = array<i64: 1>}
  // CHECK: %[[X:.*]] = train.slice %[[REVERSED]] {limit = array<i64: 4, 2>, start = array<i64: 0, 0>, stride = array<i64: 1, 2>}
  // CHECK: %[[Y:.*]] = train.slice %[[REVERSED]] {limit = array<i64: 4, 3>, start = array<i64: 0, 1>, stride = array<i64: 1, 2>}
  // CHECK: %[[LARGE:.*]] = train.maximum %[[X]], %[[Y]] : (tensor<4x1xf32>, tensor<4x1xf32>) -> tensor<4x1xf32>
  // CHECK: %[[SMALL:.*]] = train.minimum %[[X]], %[[Y]]
  // CHECK: %[[D:.*]] = train.subtract %[[SMALL]], %[[LARGE]]
  // CHECK: %[[NAN:.*]] = train.compare %[[D]], %[[D]] {direction = #train<compare_direction NE>}
  // CHECK: %[[SAFE:.*]] = train.select %[[NAN]], %{{.*}}, %[[D]]
  // CHECK: %[[E:.*]] = train.exponential %[[SAFE]]
  // CHECK: %[[L:.*]] = train.log_plus_one %[[E]]
  // CHECK-DAG: %[[SUM:.*]] = train.add %[[X]], %[[Y]]
  // CHECK-DAG: %[[VALUE:.*]] = train.add %[[LARGE]], %[[L]]
  // CHECK: train.select %[[NAN]], %[[SUM]], %[[VALUE]]
  // CHECK: train.pad {{.*}} {high = array<i64: 0, 0>, interior = array<i64: 0, 1>, low = array<i64: 0, 0>} : (tensor<4x2xf32>, tensor<f32>) -> tensor<4x3xf32>
  // CHECK: %[[LAST:.*]] = train.reverse {{.*}} {dims = array<i64: 1>}
  // CHECK-NEXT: return %[[LAST]]
  %0 = "stablehlo.reduce_window"(%a, %inf) <{window_dimensions = array<i64: 1, 3>, padding = dense<[[0, 0], [0, 2]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.maximum %x, %y : tensor<f32>
    %2 = stablehlo.subtract %x, %y : tensor<f32>
    %3 = stablehlo.compare NE, %2, %2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %4 = stablehlo.add %x, %y : tensor<f32>
    %5 = stablehlo.abs %2 : tensor<f32>
    %6 = stablehlo.negate %5 : tensor<f32>
    %7 = stablehlo.exponential %6 : tensor<f32>
    %8 = stablehlo.log_plus_one %7 : tensor<f32>
    %9 = stablehlo.add %1, %8 : tensor<f32>
    %10 = stablehlo.select %3, %4, %9 : tensor<i1>, tensor<f32>
    stablehlo.return %10 : tensor<f32>
  }) : (tensor<4x3xf32>, tensor<f32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}
