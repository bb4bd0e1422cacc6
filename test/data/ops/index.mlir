// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module {
func.func @main(%w: tensor<3x4x5x2xf32> {zcc.parameter = "w"}, %i: tensor<3x7xi32> {zcc.input = "i"}, %j: tensor<2x3xi32> {zcc.input = "j"}) -> (tensor<f32>) {
%e = "stablehlo.torch_index_select"(%w, %i) <{batch_dims = 1 : i64, dim = 2 : i64}> : (tensor<3x4x5x2xf32>, tensor<3x7xi32>) -> tensor<3x4x7x2xf32>
%f = "stablehlo.torch_index_select"(%e, %j) <{batch_dims = 0 : i64, dim = 1 : i64}> : (tensor<3x4x7x2xf32>, tensor<2x3xi32>) -> tensor<3x2x3x7x2xf32>
%z = stablehlo.constant dense<0.0> : tensor<f32>
%sq = stablehlo.multiply %f, %f : tensor<3x2x3x7x2xf32>
%r = stablehlo.reduce(%sq init: %z) applies stablehlo.add across dimensions = [0, 1, 2, 3, 4] : (tensor<3x2x3x7x2xf32>, tensor<f32>) -> tensor<f32>
return %r : tensor<f32>
}
}
