// Results that are computed from tensors without elements are known; these tensors leave the program.
// RUN: zcc-opt %s --zcc-fold-empty --cse | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[X:.*]]: tensor<4x3xf32>, %[[E:.*]]: tensor<0x3xf32>, %[[S:.*]]: tensor<f32>)
func.func @main(%x: tensor<4x3xf32>, %e: tensor<0x3xf32>, %s: tensor<f32>)
    -> (tensor<3xf32>, tensor<4x3xf32>, tensor<2x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<5x3xf32>) {
  // CHECK-NOT: tensor<{{.*}}0x
  // A reduction has its initial value.
  // CHECK: %[[SUM:.*]] = stablehlo.broadcast_in_dim %[[S]], dims = [] : (tensor<f32>) -> tensor<3xf32>
  %sum = stablehlo.reduce(%e init: %s) applies stablehlo.add across dimensions = [0] : (tensor<0x3xf32>, tensor<f32>) -> tensor<3xf32>
  // A product over an empty dim is 0.
  %thin = stablehlo.slice %x [0:4, 0:0] : (tensor<4x3xf32>) -> tensor<4x0xf32>
  %low = stablehlo.reshape %e : (tensor<0x3xf32>) -> tensor<0x3xf32>
  // CHECK: %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<4x3xf32>
  %product = stablehlo.dot_general %thin, %low, contracting_dims = [1] x [0] : (tensor<4x0xf32>, tensor<0x3xf32>) -> tensor<4x3xf32>
  // Padding alone.
  // CHECK: %[[PADDED:.*]] = stablehlo.broadcast_in_dim %[[S]], dims = [] : (tensor<f32>) -> tensor<2x3xf32>
  %padded = stablehlo.pad %e, %s, low = [1, 0], high = [1, 0], interior = [0, 0] : (tensor<0x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  // A concatenation of one, and of two.
  %joined = stablehlo.concatenate %e, %x, %low, dim = 0 : (tensor<0x3xf32>, tensor<4x3xf32>, tensor<0x3xf32>) -> tensor<4x3xf32>
  // CHECK: %[[ROW:.*]] = stablehlo.slice
  %row = stablehlo.slice %x [0:1, 0:3] : (tensor<4x3xf32>) -> tensor<1x3xf32>
  // CHECK: %[[LONG:.*]] = stablehlo.concatenate %[[X]], %[[ROW]], dim = 0
  %long = stablehlo.concatenate %x, %e, %row, dim = 0 : (tensor<4x3xf32>, tensor<0x3xf32>, tensor<1x3xf32>) -> tensor<5x3xf32>
  %i = stablehlo.constant dense<0> : tensor<i32>
  %updated = stablehlo.dynamic_update_slice %x, %e, %i, %i : (tensor<4x3xf32>, tensor<0x3xf32>, tensor<i32>, tensor<i32>) -> tensor<4x3xf32>
  // CHECK: return %[[SUM]], %[[ZERO]], %[[PADDED]], %[[X]], %[[X]], %[[LONG]]
  return %sum, %product, %padded, %joined, %updated, %long
    : tensor<3xf32>, tensor<4x3xf32>, tensor<2x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<5x3xf32>
}
