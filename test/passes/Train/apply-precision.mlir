// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --zcc-apply-precision=type=bf16 --zcc-simplify-train --cse --split-input-file | FileCheck %s

// Products read bf16 and give f32, which is rounded; arithmetic and sums between are f32. A value with two readers is
// rounded. The table is read narrow by the gather too, since a product reads it; the scale stays f32.
// CHECK-LABEL: func.func @loss
// CHECK-SAME:    (%[[T:.*]]: tensor<50x32xf32> {{.*}}, %[[S:.*]]: tensor<32xf32> {{.*}}, %[[I:.*]]: tensor<16x1xi32>
// CHECK:         %[[TN:.*]] = train.convert %[[T]] : (tensor<50x32xf32>) -> tensor<50x32xbf16>
// CHECK:         %[[H:.*]] = train.gather %[[TN]], %[[I]] {{.*}} -> tensor<16x32xbf16>
// CHECK:         %[[HU:.*]] = train.convert %[[H]]
// CHECK:         %[[SB:.*]] = train.broadcast_in_dim %[[S]]
// CHECK:         %[[M:.*]] = train.multiply %[[HU]], %[[SB]] : {{.*}} -> tensor<16x32xf32>
// CHECK:         %[[MN:.*]] = train.convert %[[M]] : {{.*}} -> tensor<16x32xbf16>
// CHECK:         %[[MU:.*]] = train.convert %[[MN]] : {{.*}} -> tensor<16x32xf32>
// CHECK:         %[[TANH:.*]] = train.tanh %[[MU]]
// CHECK:         %[[A:.*]] = train.add %[[MU]], %[[TANH]]
// CHECK:         %[[AN:.*]] = train.convert %[[A]] : {{.*}} -> tensor<16x32xbf16>
// CHECK:         %[[D:.*]] = train.dot_general %[[AN]], %[[TN]] {{.*}} (tensor<16x32xbf16>, tensor<50x32xbf16>) -> tensor<16x50xf32>
// CHECK:         %[[DN:.*]] = train.convert %[[D]] : {{.*}} -> tensor<16x50xbf16>
// CHECK:         %[[DU:.*]] = train.convert %[[DN]]
// CHECK:         train.reduce %[[DU]] {{.*}} -> tensor<f32>
func.func @loss(%table: tensor<50x32xf32> {zcc.parameter = "table"}, %scale: tensor<32xf32> {zcc.parameter = "scale"},
                %i: tensor<16x1xi32> {zcc.input = "i"}) -> tensor<f32> {
  %h = train.gather %table, %i {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>, operand_batching_dims = array<i64>,
    indices_batching_dims = array<i64>, start_index_map = array<i64: 0>, index_vector_dim = 1 : i64, slice_sizes = array<i64: 1, 32>}
    : (tensor<50x32xf32>, tensor<16x1xi32>) -> tensor<16x32xf32>
  %s = train.broadcast_in_dim %scale {dims = array<i64: 1>} : (tensor<32xf32>) -> tensor<16x32xf32>
  %m = train.multiply %h, %s : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
  %t = train.tanh %m : (tensor<16x32xf32>) -> tensor<16x32xf32>
  %a = train.add %m, %t : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
  %d = train.dot_general %a, %table {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 1>}
    : (tensor<16x32xf32>, tensor<50x32xf32>) -> tensor<16x50xf32>
  %l = train.reduce %d {dims = array<i64: 0, 1>, kind = #train<reduce_kind add>} : (tensor<16x50xf32>) -> tensor<f32>
  return %l : tensor<f32>
}

// -----

// Masking constants out of range, and what follows until the exponential, are never rounded; statistics are not either.
// CHECK-LABEL: func.func @loss
// CHECK:         %[[D:.*]] = train.dot_general
// CHECK:         %[[N:.*]] = train.convert %[[D]] : {{.*}} -> tensor<16x16xbf16>
// CHECK:         %[[U:.*]] = train.convert %[[N]]
// CHECK:         %[[S:.*]] = train.select %{{.*}}, %[[U]]
// CHECK-NEXT:    %[[M:.*]] = train.reduce %[[S]]
// CHECK-NEXT:    %[[B:.*]] = train.broadcast_in_dim %[[M]]
// CHECK-NEXT:    %[[X:.*]] = train.subtract %[[S]], %[[B]]
// CHECK-NEXT:    %[[E:.*]] = train.exponential %[[X]]
// CHECK-NEXT:    %[[R:.*]] = train.reduce %[[E]]
// CHECK-NEXT:    %[[L:.*]] = train.log %[[R]]
// CHECK-NEXT:    %[[Q:.*]] = train.multiply %[[R]], %[[L]]
func.func @loss(%w: tensor<32x16xf32> {zcc.parameter = "w"}, %x: tensor<16x32xf32> {zcc.input = "x"},
                %mask: tensor<16x16xi1> {zcc.input = "mask"}) -> tensor<f32> {
  %d = train.dot_general %x, %w {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>}
    : (tensor<16x32xf32>, tensor<32x16xf32>) -> tensor<16x16xf32>
  %c = train.constant dense<-3.40282347E+38> : tensor<16x16xf32>
  %s = train.select %mask, %d, %c : (tensor<16x16xi1>, tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %m = train.reduce %s {dims = array<i64: 1>, kind = #train<reduce_kind maximum>} : (tensor<16x16xf32>) -> tensor<16xf32>
  %b = train.broadcast_in_dim %m {dims = array<i64: 0>} : (tensor<16xf32>) -> tensor<16x16xf32>
  %z = train.subtract %s, %b : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %e = train.exponential %z : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %r = train.reduce %e {dims = array<i64: 1>, kind = #train<reduce_kind add>} : (tensor<16x16xf32>) -> tensor<16xf32>
  %l = train.log %r : (tensor<16xf32>) -> tensor<16xf32>
  %q = train.multiply %r, %l : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %t = train.reduce %q {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<16xf32>) -> tensor<f32>
  return %t : tensor<f32>
}
