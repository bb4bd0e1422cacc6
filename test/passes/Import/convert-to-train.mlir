// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One spelling for what StableHLO can say in several ways.
// RUN: zcc-opt %s --split-input-file --zcc-convert-to-train --allow-unregistered-dialect | FileCheck %s

// CHECK-LABEL: func.func @loss(
// CHECK-SAME: %[[A:[^:]*]]: tensor<4x8xf32>, %[[P:[^:]*]]: tensor<i1>, %[[S:[^:]*]]: tensor<f32>, %[[B:[^:]*]]: tensor<4x8xi1>)
func.func @main(%a: tensor<4x8xf32>, %p: tensor<i1>, %s: tensor<f32>, %b: tensor<4x8xi1>) -> tensor<4x8xf32> {
  // Scalar predicates and bounds are broadcast.
  // CHECK: %[[Q:.*]] = train.broadcast_in_dim %[[P]]
  // CHECK: train.select %[[Q]], %[[A]], %[[A]]
  %0 = stablehlo.select %p, %a, %a : tensor<i1>, tensor<4x8xf32>
  // CHECK: train.broadcast_in_dim %[[S]]
  // CHECK: train.clamp
  %1 = stablehlo.clamp %s, %0, %s : (tensor<f32>, tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  // CHECK: train.or %[[B]], %[[B]]
  %2 = stablehlo.add %b, %b : tensor<4x8xi1>
  // Broadcast dims ascend.
  // CHECK: %[[T:.*]] = train.transpose %[[A]] {permutation = array<i64: 1, 0>}
  // CHECK: train.broadcast_in_dim %[[T]] {dims = array<i64: 1, 2>}
  %3 = stablehlo.broadcast_in_dim %a, dims = [2, 1] : (tensor<4x8xf32>) -> tensor<2x8x4xf32>
  // A constant start is a slice, clamped.
  // CHECK: train.slice %[[A]] {limit = array<i64: 4, 8>, start = array<i64: 3, 0>, stride = array<i64: 1, 1>}
  %k = stablehlo.constant dense<9> : tensor<i32>
  %4 = stablehlo.dynamic_slice %a, %k, %k, sizes = [1, 8] : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<1x8xf32>
  // CHECK: train.stop_gradient %[[A]]
  %5 = stablehlo.custom_call @zcc.stop_gradient(%a) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // relu: 0 where x <= 0, else x
  // CHECK: %[[L:.*]] = train.compare %[[A]], %[[Z:.*]] {direction = #train<compare_direction LE>}
  // CHECK: train.select %[[L]], %[[Z]], %[[A]]
  %z = stablehlo.constant dense<0.0> : tensor<4x8xf32>
  %6 = stablehlo.maximum %a, %z {zcc.relu} : tensor<4x8xf32>
  // The upper end of relu6: 6 where x >= 6, else x
  // CHECK: %[[SIX:.*]] = train.constant dense<6.000000e+00>
  // CHECK: %[[M:.*]] = train.compare %[[A]], %[[SIX]] {direction = #train<compare_direction GE>}
  // CHECK: train.select %[[M]], %[[SIX]], %[[A]]
  %six = stablehlo.constant dense<6.0> : tensor<4x8xf32>
  %six_min = stablehlo.minimum %a, %six {zcc.relu} : tensor<4x8xf32>
  // CHECK: train.convert %{{.*}} : (tensor<4x8xf32>) -> tensor<4x8xbf16>
  // CHECK: train.convert %{{.*}} : (tensor<4x8xbf16>) -> tensor<4x8xf32>
  %7 = stablehlo.reduce_precision %a, format = e8m7 : tensor<4x8xf32>
  // CHECK: %[[SORTED:.*]]:2 = train.sort %{{.*}}, %{{.*}} {descending = true, dim = 1 : i64}
  // CHECK: train.slice %[[SORTED]]#0
  %8, %9 = chlo.top_k(%a, k = 2) : tensor<4x8xf32> -> (tensor<4x2xf32>, tensor<4x2xi32>)
  return %1 : tensor<4x8xf32>
}

// -----
// A scan's stacked results are a concatenation.
// CHECK-LABEL: func.func @loss(
// CHECK: train.concatenate %arg1, %arg2, %arg1 {dim = 0 : i64} : (tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<3x4xf32>
// CHECK-NEXT: return
func.func @main(%a: tensor<3x4xf32>, %x: tensor<1x4xf32>, %y: tensor<1x4xf32>) -> tensor<3x4xf32> {
  %0 = stablehlo.constant dense<0> : tensor<i32>
  %1 = stablehlo.constant dense<1> : tensor<i32>
  %2 = stablehlo.constant dense<2> : tensor<i32>
  %b = stablehlo.dynamic_update_slice %a, %x, %0, %0 : (tensor<3x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<3x4xf32>
  %c = stablehlo.dynamic_update_slice %b, %y, %1, %0 : (tensor<3x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<3x4xf32>
  %d = stablehlo.dynamic_update_slice %c, %x, %2, %0 : (tensor<3x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<3x4xf32>
  return %d : tensor<3x4xf32>
}
