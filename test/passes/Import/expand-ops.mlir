// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that are several become those. Their numbers: test/e2e/ops.py.
// RUN: zcc-opt %s --zcc-expand-ops | FileCheck %s

// CHECK-LABEL: @einsum
func.func @einsum(%a: tensor<3x4x5xf32>, %b: tensor<3x5x6xf32>) -> tensor<6x4xf32> {
  // "c" of b alone is summed first; the batch is summed with the contraction.
  // CHECK: %[[DOT:.*]] = stablehlo.dot_general %{{.*}}, %{{.*}}, contracting_dims = [0, 2] x [0, 1] : (tensor<3x4x5xf32>, tensor<3x5x6xf32>) -> tensor<4x6xf32>
  // CHECK: stablehlo.transpose %[[DOT]], dims = [1, 0]
  %0 = stablehlo.einsum %a, %b, config = "abk,akd->db" : (tensor<3x4x5xf32>, tensor<3x5x6xf32>) -> tensor<6x4xf32>
  return %0 : tensor<6x4xf32>
}

// CHECK-LABEL: @unary
func.func @unary(%a: tensor<3x4x5xf32>) -> tensor<5x3xf32> {
  // CHECK: stablehlo.reduce({{.*}}) applies stablehlo.add across dimensions = [1]
  // CHECK: stablehlo.transpose {{.*}}, dims = [1, 0]
  %0 = stablehlo.unary_einsum %a, config = "...j->j..." : (tensor<3x4x5xf32>) -> tensor<5x3x4xf32>
  %1 = stablehlo.unary_einsum %a, config = "ijk->ki" : (tensor<3x4x5xf32>) -> tensor<5x3xf32>
  return %1 : tensor<5x3xf32>
}

// CHECK-LABEL: @index
func.func @index(%a: tensor<3x4x5xf32>, %i: tensor<3x7xi32>) -> tensor<3x4x7xf32> {
  // CHECK: dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [2], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [2], index_vector_dim = 2>
  %0 = "stablehlo.torch_index_select"(%a, %i) <{batch_dims = 1 : i64, dim = 2 : i64}> : (tensor<3x4x5xf32>, tensor<3x7xi32>) -> tensor<3x4x7xf32>
  return %0 : tensor<3x4x7xf32>
}

// CHECK-LABEL: @broadcast
func.func @broadcast(%a: tensor<4x8xf32>, %b: tensor<8xf32>, %c: tensor<4x1xf32>, %p: tensor<i1>) -> tensor<4x8xf32> {
  // CHECK: %[[B:.*]] = stablehlo.broadcast_in_dim %{{.*}}, dims = [1] : (tensor<8xf32>) -> tensor<4x8xf32>
  // CHECK: stablehlo.compare LT, %{{.*}}, %[[B]], FLOAT
  %0 = chlo.broadcast_compare %a, %b {compare_type = #chlo<comparison_type FLOAT>, comparison_direction = #chlo<comparison_direction LT>} : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xi1>
  // CHECK: %[[C:.*]] = stablehlo.broadcast_in_dim %{{.*}}, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x8xf32>
  // CHECK: chlo.next_after %{{.*}}, %[[C]]
  %1 = chlo.broadcast_next_after %a, %c : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  // CHECK: stablehlo.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<i1>, tensor<4x8xf32>
  %2 = chlo.broadcast_select %p, %1, %b : (tensor<i1>, tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// CHECK-LABEL: @map
func.func @map(%a: tensor<4x8xf32>, %s: tensor<f32>) -> tensor<4x8xf32> {
  // CHECK: %[[S:.*]] = stablehlo.broadcast_in_dim %{{.*}}, dims = []
  // CHECK: stablehlo.multiply %{{.*}}, %[[S]] : tensor<4x8xf32>
  // CHECK-NOT: stablehlo.map
  %0 = "stablehlo.map"(%a) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%x: tensor<f32>):
    %1 = stablehlo.multiply %x, %s : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @shapes
func.func @shapes(%a: tensor<4x8xf32>, %z: tensor<f32>, %n: tensor<2xi64>) -> tensor<3x8xf32> {
  // CHECK: stablehlo.reshape
  %0 = stablehlo.dynamic_reshape %a, %n : (tensor<4x8xf32>, tensor<2xi64>) -> tensor<8x4xf32>
  %low = stablehlo.constant dense<[0, 1]> : tensor<2xi64>
  %high = stablehlo.constant dense<[3, 9]> : tensor<2xi64>
  %one = stablehlo.constant dense<1> : tensor<2xi64>
  // CHECK: stablehlo.pad %{{.*}}, %{{.*}}, low = [0, 1], high = [0, 1], interior = [1, 1]
  %1 = stablehlo.dynamic_pad %a, %z, %low, %low, %one : (tensor<4x8xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<7x17xf32>
  // CHECK: stablehlo.slice %{{.*}} [0:3, 1:9]
  %2 = stablehlo.real_dynamic_slice %1, %low, %high, %one : (tensor<7x17xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<3x8xf32>
  return %2 : tensor<3x8xf32>
}
