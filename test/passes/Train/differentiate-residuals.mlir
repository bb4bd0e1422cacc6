// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --zcc-differentiate --zcc-simplify-train --cse | FileCheck %s

// For h + 0.1 h^3 only h is a residual: the square and its multiple are computed again. The softmax keeps its result
// and its sum, not the exponential.
// CHECK-LABEL: func.func @loss
// CHECK:       %[[H:.*]] = train.tanh %{{.*}} {train.tag = "forward"}
// CHECK:       %[[E:.*]] = train.exponential %{{.*}} {train.tag = "forward"}
// CHECK:       %[[S:.*]] = train.reduce %[[E]] {{.*}}"forward"
// CHECK:       %[[P:.*]] = train.divide %[[E]], %{{.*}} {train.tag = "forward"}
// CHECK-NOT:   %[[E]]
// CHECK:       %[[SB:.*]] = train.broadcast_in_dim %[[S]] {{.*}}"backward"
// CHECK-NOT:   %[[E]]
// CHECK:       train.multiply %[[P]], %[[SB]] {train.tag = "backward"}
// CHECK-NOT:   %[[E]]
// CHECK:       train.multiply %[[H]], %[[H]] {train.tag = "backward"}
// CHECK-NOT:   %[[E]]
func.func @loss(%w: tensor<16x32xf32> {zcc.parameter = "w"}, %v: tensor<32x32xf32> {zcc.parameter = "v"}) -> tensor<f32> {
  %c = train.constant dense<1.0e-01> : tensor<16x32xf32>
  %h = train.tanh %w : (tensor<16x32xf32>) -> tensor<16x32xf32>
  %h2 = train.multiply %h, %h : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
  %h3 = train.multiply %h2, %h : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
  %m = train.multiply %h3, %c : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
  %a = train.add %h, %m : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
  %e = train.exponential %a : (tensor<16x32xf32>) -> tensor<16x32xf32>
  %s = train.reduce %e {dims = array<i64: 1>, kind = #train<reduce_kind add>} : (tensor<16x32xf32>) -> tensor<16xf32>
  %sb = train.broadcast_in_dim %s {dims = array<i64: 0>} : (tensor<16xf32>) -> tensor<16x32xf32>
  %p = train.divide %e, %sb : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
  %d = train.dot_general %p, %v {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>}
    : (tensor<16x32xf32>, tensor<32x32xf32>) -> tensor<16x32xf32>
  %l = train.reduce %d {dims = array<i64: 0, 1>, kind = #train<reduce_kind add>} : (tensor<16x32xf32>) -> tensor<f32>
  return %l : tensor<f32>
}
