// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module {
func.func @main(%w: tensor<3x4x5xf32> {zcc.parameter = "w"}, %x: tensor<6x4xf32> {zcc.input = "x"}, %g: tensor<3xi32> {zcc.input = "g"}) -> (tensor<f32>) {
%y = "chlo.ragged_dot"(%x, %w, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<6x4xf32>, tensor<3x4x5xf32>, tensor<3xi32>) -> tensor<6x5xf32>
%q = stablehlo.tanh %y : tensor<6x5xf32>
%z = stablehlo.constant dense<0.0> : tensor<f32>
%sq = stablehlo.multiply %q, %q : tensor<6x5xf32>
%r = stablehlo.reduce(%sq init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x5xf32>, tensor<f32>) -> tensor<f32>
return %r : tensor<f32>
}
}
