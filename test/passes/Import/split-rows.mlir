// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dims that the batch was merged into behind other dims are two dims where something is computed.
// RUN: zcc-opt %s --split-input-file --zcc-split-rows | FileCheck %s

// torch's MultiheadAttention: the rows of a product are [length * batch]. The reshapes around it are gone.
// CHECK-LABEL: func.func @loss(%arg0: tensor<2x3x4xf32>
// CHECK-NEXT: %[[T:.+]] = train.transpose %arg0 {permutation = array<i64: 1, 0, 2>} : (tensor<2x3x4xf32>) -> tensor<3x2x4xf32>
// CHECK-NEXT: %[[P:.+]] = train.dot_general %[[T]], %arg1 {lhs_batching = array<i64>, lhs_contracting = array<i64: 2>, rhs_batching = array<i64>, rhs_contracting = array<i64: 1>} : (tensor<3x2x4xf32>, tensor<5x4xf32>) -> tensor<3x2x5xf32>
// CHECK-NEXT: %[[B:.+]] = train.broadcast_in_dim %arg2 {dims = array<i64: 2>} : (tensor<5xf32>) -> tensor<3x2x5xf32>
// CHECK-NEXT: %[[S:.+]] = train.add %[[P]], %[[B]] : (tensor<3x2x5xf32>, tensor<3x2x5xf32>) -> tensor<3x2x5xf32>
// CHECK-NEXT: return %[[S]]
func.func @loss(%x: tensor<2x3x4xf32> {zcc.input = "x"}, %w: tensor<5x4xf32> {zcc.parameter = "w"}, %b: tensor<5xf32> {zcc.parameter = "b"}) -> tensor<3x2x5xf32> {
  %0 = train.transpose %x {permutation = array<i64: 1, 0, 2>} : (tensor<2x3x4xf32>) -> tensor<3x2x4xf32>
  %1 = train.reshape %0 : (tensor<3x2x4xf32>) -> tensor<6x4xf32>
  %2 = train.dot_general %1, %w {lhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_batching = array<i64>, rhs_contracting = array<i64: 1>} : (tensor<6x4xf32>, tensor<5x4xf32>) -> tensor<6x5xf32>
  %3 = train.broadcast_in_dim %b {dims = array<i64: 1>} : (tensor<5xf32>) -> tensor<6x5xf32>
  %4 = train.add %2, %3 : (tensor<6x5xf32>, tensor<6x5xf32>) -> tensor<6x5xf32>
  %5 = train.reshape %4 : (tensor<6x5xf32>) -> tensor<3x2x5xf32>
  return %5 : tensor<3x2x5xf32>
}

// -----

// Llama 4's experts: tokens are repeated for each expert; what multiplies them was split from its own merged form.
// CHECK-LABEL: func.func @loss
// CHECK-NOT: tensor<24x
// CHECK: %[[X:.+]] = train.broadcast_in_dim {{.*}} : (tensor<6x4xf32>) -> tensor<4x6x4xf32>
// CHECK: train.multiply %[[X]], {{.*}} : (tensor<4x6x4xf32>, tensor<4x6x4xf32>) -> tensor<4x6x4xf32>
// CHECK: train.dot_general {{.*}}lhs_batching = array<i64: 0>
func.func @loss(%x: tensor<2x3x4xf32> {zcc.input = "x"}, %s: tensor<2x3x4xf32> {zcc.input = "s"}, %w: tensor<4x4x5xf32> {zcc.parameter = "w"}) -> tensor<4x6x5xf32> {
  %0 = train.reshape %x : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
  %1 = train.broadcast_in_dim %0 {dims = array<i64: 1, 2>} : (tensor<6x4xf32>) -> tensor<4x6x4xf32>
  %2 = train.reshape %1 : (tensor<4x6x4xf32>) -> tensor<24x4xf32>
  %3 = train.reshape %s : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
  %4 = train.transpose %3 {permutation = array<i64: 1, 0>} : (tensor<6x4xf32>) -> tensor<4x6xf32>
  %5 = train.reshape %4 : (tensor<4x6xf32>) -> tensor<24xf32>
  %6 = train.broadcast_in_dim %5 {dims = array<i64: 0>} : (tensor<24xf32>) -> tensor<24x4xf32>
  %7 = train.multiply %2, %6 : (tensor<24x4xf32>, tensor<24x4xf32>) -> tensor<24x4xf32>
  %8 = train.reshape %7 : (tensor<24x4xf32>) -> tensor<4x6x4xf32>
  %9 = train.dot_general %8, %w {lhs_batching = array<i64: 0>, lhs_contracting = array<i64: 2>, rhs_batching = array<i64: 0>, rhs_contracting = array<i64: 1>} : (tensor<4x6x4xf32>, tensor<4x4x5xf32>) -> tensor<4x6x5xf32>
  return %9 : tensor<4x6x5xf32>
}

// -----

// A sum over the rows is one over both dims; a product over the rows contracts both.
// CHECK-LABEL: func.func @loss
// CHECK: %[[S:.+]] = train.reduce {{.*}} {dims = array<i64: 0, 1>, kind = #train<reduce_kind add>} : (tensor<3x2x4xf32>) -> tensor<4xf32>
// CHECK: %[[P:.+]] = train.dot_general {{.*}}lhs_contracting = array<i64: 0, 1>, rhs_batching = array<i64>, rhs_contracting = array<i64: 0, 1>} : (tensor<3x2x4xf32>, tensor<3x2x4xf32>) -> tensor<4x4xf32>
// CHECK: return %[[S]], %[[P]]
func.func @loss(%x: tensor<2x3x4xf32> {zcc.input = "x"}) -> (tensor<4xf32>, tensor<4x4xf32>) {
  %0 = train.transpose %x {permutation = array<i64: 1, 0, 2>} : (tensor<2x3x4xf32>) -> tensor<3x2x4xf32>
  %1 = train.reshape %0 : (tensor<3x2x4xf32>) -> tensor<6x4xf32>
  %2 = train.reduce %1 {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<6x4xf32>) -> tensor<4xf32>
  %3 = train.dot_general %1, %1 {lhs_batching = array<i64>, lhs_contracting = array<i64: 0>, rhs_batching = array<i64>, rhs_contracting = array<i64: 0>} : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<4x4xf32>
  return %2, %3 : tensor<4xf32>, tensor<4x4xf32>
}

// -----

// The labels of the rows pick logits, and rows of a table.
// CHECK-LABEL: func.func @loss
// CHECK: train.gather {{.*}} {collapsed_slice_dims = array<i64: 2>, index_vector_dim = 2 : i64, indices_batching_dims = array<i64: 0, 1>, offset_dims = array<i64>, operand_batching_dims = array<i64: 0, 1>, slice_sizes = array<i64: 1, 1, 1>, start_index_map = array<i64: 2>} : (tensor<3x2x5xf32>, tensor<3x2x1xi32>) -> tensor<3x2xf32>
// CHECK: train.gather {{.*}} {collapsed_slice_dims = array<i64: 0>, index_vector_dim = 2 : i64, indices_batching_dims = array<i64>, offset_dims = array<i64: 2>, operand_batching_dims = array<i64>, slice_sizes = array<i64: 1, 4>, start_index_map = array<i64: 0>} : (tensor<7x4xf32>, tensor<3x2x1xi32>) -> tensor<3x2x4xf32>
func.func @loss(%x: tensor<2x3x5xf32> {zcc.input = "x"}, %y: tensor<2x3xi32> {zcc.input = "y"}, %t: tensor<7x4xf32> {zcc.parameter = "t"}) -> (tensor<3x2xf32>, tensor<3x2x4xf32>) {
  %0 = train.transpose %x {permutation = array<i64: 1, 0, 2>} : (tensor<2x3x5xf32>) -> tensor<3x2x5xf32>
  %1 = train.reshape %0 : (tensor<3x2x5xf32>) -> tensor<6x5xf32>
  %2 = train.transpose %y {permutation = array<i64: 1, 0>} : (tensor<2x3xi32>) -> tensor<3x2xi32>
  %3 = train.reshape %2 : (tensor<3x2xi32>) -> tensor<6x1xi32>
  %4 = train.gather %1, %3 {offset_dims = array<i64>, collapsed_slice_dims = array<i64: 1>, operand_batching_dims = array<i64: 0>, indices_batching_dims = array<i64: 0>, start_index_map = array<i64: 1>, index_vector_dim = 1 : i64, slice_sizes = array<i64: 1, 1>} : (tensor<6x5xf32>, tensor<6x1xi32>) -> tensor<6xf32>
  %5 = train.reshape %4 : (tensor<6xf32>) -> tensor<3x2xf32>
  %6 = train.gather %t, %3 {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>, operand_batching_dims = array<i64>, indices_batching_dims = array<i64>, start_index_map = array<i64: 0>, index_vector_dim = 1 : i64, slice_sizes = array<i64: 1, 4>} : (tensor<7x4xf32>, tensor<6x1xi32>) -> tensor<6x4xf32>
  %7 = train.reshape %6 : (tensor<6x4xf32>) -> tensor<3x2x4xf32>
  return %5, %7 : tensor<3x2xf32>, tensor<3x2x4xf32>
}

// -----

// An op that treats rows in order gets them merged. A batch that comes first is left merged.
// CHECK-LABEL: func.func @loss
// CHECK: %[[R:.+]] = train.reshape {{.*}} : (tensor<3x2x4xf32>) -> tensor<6x4xf32>
// CHECK: train.reverse %[[R]] {dims = array<i64: 0>}
// CHECK: train.negate {{.*}} : (tensor<6x4xf32>) -> tensor<6x4xf32>
func.func @loss(%x: tensor<2x3x4xf32> {zcc.input = "x"}) -> (tensor<6x4xf32>, tensor<2x3x4xf32>) {
  %0 = train.transpose %x {permutation = array<i64: 1, 0, 2>} : (tensor<2x3x4xf32>) -> tensor<3x2x4xf32>
  %1 = train.negate %0 : (tensor<3x2x4xf32>) -> tensor<3x2x4xf32>
  %2 = train.reshape %1 : (tensor<3x2x4xf32>) -> tensor<6x4xf32>
  %3 = train.reverse %2 {dims = array<i64: 0>} : (tensor<6x4xf32>) -> tensor<6x4xf32>
  %4 = train.reshape %x : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
  %5 = train.negate %4 : (tensor<6x4xf32>) -> tensor<6x4xf32>
  %6 = train.reshape %5 : (tensor<6x4xf32>) -> tensor<2x3x4xf32>
  return %3, %6 : tensor<6x4xf32>, tensor<2x3x4xf32>
}

// -----

// A constraint speaks of the merged dim.
// CHECK-LABEL: func.func @loss
// CHECK: train.sharding_constraint {{.*}} -> tensor<6x4xf32>
// CHECK-LABEL: func.func @empty
func.func @loss(%x: tensor<2x3x4xf32> {zcc.input = "x"}) -> tensor<3x2x4xf32> {
  %0 = train.transpose %x {permutation = array<i64: 1, 0, 2>} : (tensor<2x3x4xf32>) -> tensor<3x2x4xf32>
  %1 = train.reshape %0 : (tensor<3x2x4xf32>) -> tensor<6x4xf32>
  %2 = train.sharding_constraint %1 {sharding = [[], []]} : (tensor<6x4xf32>) -> tensor<6x4xf32>
  %3 = train.negate %2 : (tensor<6x4xf32>) -> tensor<6x4xf32>
  %4 = train.reshape %3 : (tensor<6x4xf32>) -> tensor<3x2x4xf32>
  return %4 : tensor<3x2x4xf32>
}
func.func @empty(%x: tensor<2x0xf32> {zcc.input = "x"}) -> tensor<0x2xf32> {
  %0 = train.reshape %x : (tensor<2x0xf32>) -> tensor<0x2xf32>
  return %0 : tensor<0x2xf32>
}
