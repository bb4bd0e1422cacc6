// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module {
func.func @main(%w: tensor<4x3x5xf32> {zcc.parameter = "w"}, %s: tensor<3xf32> {zcc.parameter = "s"}, %x: tensor<4x3x5xf32> {zcc.input = "x"}, %g: tensor<4x3x5xf32> {zcc.input = "g"}) -> (tensor<f32>) {
%xw = stablehlo.multiply %x, %w : tensor<4x3x5xf32>
%z3 = stablehlo.constant dense<0.0> : tensor<3xf32>
%y, %m, %v = "stablehlo.batch_norm_training"(%xw, %s, %z3) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<4x3x5xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<4x3x5xf32>, tensor<3xf32>, tensor<3xf32>)
%gx, %gs, %go = "stablehlo.batch_norm_grad"(%xw, %s, %m, %v, %g) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<4x3x5xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<4x3x5xf32>) -> (tensor<4x3x5xf32>, tensor<3xf32>, tensor<3xf32>)
%bs = stablehlo.broadcast_in_dim %gs, dims = [1] : (tensor<3xf32>) -> tensor<4x3x5xf32>
%q0 = stablehlo.multiply %gx, %bs : tensor<4x3x5xf32>
%q = chlo.broadcast_add %q0, %go {broadcast_dimensions = array<i64: 1>} : (tensor<4x3x5xf32>, tensor<3xf32>) -> tensor<4x3x5xf32>
%z = stablehlo.constant dense<0.0> : tensor<f32>
%sq = stablehlo.multiply %q, %q : tensor<4x3x5xf32>
%r = stablehlo.reduce(%sq init: %z) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<4x3x5xf32>, tensor<f32>) -> tensor<f32>
return %r : tensor<f32>
}
}
