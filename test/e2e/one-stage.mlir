// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loss that two-stages.mlir trains, as `train` text.
module {
  func.func @loss(%w1: tensor<8x16xf32> {zcc.parameter = "w1"}, %w2: tensor<16x4xf32> {zcc.parameter = "w2"},
      %x: tensor<8x8xf32> {zcc.input = "x"}, %y: tensor<8x4xf32> {zcc.input = "y"}) -> (tensor<f32> {zcc.result = "loss"}) {
    %0 = train.dot_general %x, %w1 {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>} : (tensor<8x8xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %h = train.tanh %0 : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %1 = train.dot_general %h, %w2 {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>} : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
    %d = train.subtract %1, %y : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
    %s = train.multiply %d, %d : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
    %r = train.reduce %s {dims = array<i64: 0, 1>, kind = #train<reduce_kind add>} : (tensor<8x4xf32>) -> tensor<f32>
    %c = train.constant dense<0.03125> : tensor<f32>
    %loss = train.multiply %r, %c : (tensor<f32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}
