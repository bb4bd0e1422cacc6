// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module {
func.func @main(%w: tensor<4x3x5xf32> {zcc.parameter = "w"}, %s: tensor<3xf32> {zcc.parameter = "s"}, %o: tensor<3xf32> {zcc.parameter = "o"}, %x: tensor<4x3x5xf32> {zcc.input = "x"}) -> (tensor<f32>) {
%xw = stablehlo.multiply %x, %w : tensor<4x3x5xf32>
%y, %m, %v = "stablehlo.batch_norm_training"(%xw, %s, %o) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<4x3x5xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<4x3x5xf32>, tensor<3xf32>, tensor<3xf32>)
%t = stablehlo.tanh %y : tensor<4x3x5xf32>
%q = "stablehlo.batch_norm_inference"(%t, %o, %s, %m, %v) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<4x3x5xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<4x3x5xf32>
%z = stablehlo.constant dense<0.0> : tensor<f32>
%sq = stablehlo.multiply %q, %q : tensor<4x3x5xf32>
%r = stablehlo.reduce(%sq init: %z) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<4x3x5xf32>, tensor<f32>) -> tensor<f32>
return %r : tensor<f32>
}
}
