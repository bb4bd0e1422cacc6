// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions among f32, bf16 and f16 are skipped: the op computes in f32.
// RUN: zcc-opt %s --split-input-file --zcc-recognize-attention | FileCheck %s

// Products in bf16 around a softmax in f32.
// CHECK-LABEL: func.func @loss
// CHECK: train.attention %{{.*}}, %{{.*}}, %{{.*}} {fill = {{.*}}scale = 5.000000e-01 : f64} : (tensor<2x8x1x4xbf16>, tensor<2x8x1x4xbf16>, tensor<2x8x1x4xbf16>) -> (tensor<2x8x1x4xbf16>,
// CHECK-NOT: train.exponential
// CHECK: return
func.func @loss(%q: tensor<2x8x1x4xbf16>, %k: tensor<2x8x1x4xbf16>, %v: tensor<2x8x1x4xbf16>) -> tensor<2x1x8x4xbf16> {
  %s = train.dot_general %q, %k {lhs_batching = array<i64: 0, 2>, lhs_contracting = array<i64: 3>, rhs_batching = array<i64: 0, 2>, rhs_contracting = array<i64: 3>} : (tensor<2x8x1x4xbf16>, tensor<2x8x1x4xbf16>) -> tensor<2x1x8x8xbf16>
  %c = train.constant dense<0.5> : tensor<2x1x8x8xbf16>
  %x = train.multiply %s, %c : (tensor<2x1x8x8xbf16>, tensor<2x1x8x8xbf16>) -> tensor<2x1x8x8xbf16>
  %y = train.convert %x : (tensor<2x1x8x8xbf16>) -> tensor<2x1x8x8xf32>
  %m = train.reduce %y {dims = array<i64: 3>, kind = #train<reduce_kind maximum>} : (tensor<2x1x8x8xf32>) -> tensor<2x1x8xf32>
  %mb = train.broadcast_in_dim %m {dims = array<i64: 0, 1, 2>} : (tensor<2x1x8xf32>) -> tensor<2x1x8x8xf32>
  %d = train.subtract %y, %mb : (tensor<2x1x8x8xf32>, tensor<2x1x8x8xf32>) -> tensor<2x1x8x8xf32>
  %e = train.exponential %d : (tensor<2x1x8x8xf32>) -> tensor<2x1x8x8xf32>
  %n = train.reduce %e {dims = array<i64: 3>, kind = #train<reduce_kind add>} : (tensor<2x1x8x8xf32>) -> tensor<2x1x8xf32>
  %nb = train.broadcast_in_dim %n {dims = array<i64: 0, 1, 2>} : (tensor<2x1x8xf32>) -> tensor<2x1x8x8xf32>
  %p = train.divide %e, %nb : (tensor<2x1x8x8xf32>, tensor<2x1x8x8xf32>) -> tensor<2x1x8x8xf32>
  %w = train.convert %p : (tensor<2x1x8x8xf32>) -> tensor<2x1x8x8xbf16>
  %o = train.dot_general %w, %v {lhs_batching = array<i64: 0, 1>, lhs_contracting = array<i64: 3>, rhs_batching = array<i64: 0, 2>, rhs_contracting = array<i64: 1>} : (tensor<2x1x8x8xbf16>, tensor<2x8x1x4xbf16>) -> tensor<2x1x8x4xbf16>
  return %o : tensor<2x1x8x4xbf16>
}

// -----

// Weights and values in f32 of queries and keys in bf16: no result is narrower than the text's.
// CHECK-LABEL: func.func @loss
// CHECK-DAG: %[[Q:.*]] = train.convert %{{.*}} : (tensor<2x8x1x4xbf16>) -> tensor<2x8x1x4xf32>
// CHECK-DAG: %[[K:.*]] = train.convert %{{.*}} : (tensor<2x8x1x4xbf16>) -> tensor<2x8x1x4xf32>
// CHECK: train.attention %[[Q]], %[[K]], {{.*}} -> (tensor<2x8x1x4xf32>,
func.func @loss(%q: tensor<2x8x4xbf16>, %k: tensor<2x8x4xbf16>, %v: tensor<2x8x4xf32>) -> tensor<2x8x4xf32> {
  %s = train.dot_general %q, %k {lhs_batching = array<i64: 0>, lhs_contracting = array<i64: 2>, rhs_batching = array<i64: 0>, rhs_contracting = array<i64: 2>} : (tensor<2x8x4xbf16>, tensor<2x8x4xbf16>) -> tensor<2x8x8xbf16>
  %y = train.convert %s : (tensor<2x8x8xbf16>) -> tensor<2x8x8xf32>
  %e = train.exponential %y : (tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %n = train.reduce %e {dims = array<i64: 2>, kind = #train<reduce_kind add>} : (tensor<2x8x8xf32>) -> tensor<2x8xf32>
  %nb = train.broadcast_in_dim %n {dims = array<i64: 0, 1>} : (tensor<2x8xf32>) -> tensor<2x8x8xf32>
  %p = train.divide %e, %nb : (tensor<2x8x8xf32>, tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %o = train.dot_general %p, %v {lhs_batching = array<i64: 0>, lhs_contracting = array<i64: 2>, rhs_batching = array<i64: 0>, rhs_contracting = array<i64: 1>} : (tensor<2x8x8xf32>, tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %o : tensor<2x8x4xf32>
}
