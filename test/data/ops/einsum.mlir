// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module {
func.func @main(%b: tensor<3x4x5xf32> {zcc.input = "b"}, %w: tensor<3x5x6xf32> {zcc.parameter = "w"}) -> (tensor<f32>) {
%e = stablehlo.einsum %b, %w, config = "abc,acd->dba" : (tensor<3x4x5xf32>, tensor<3x5x6xf32>) -> tensor<6x4x3xf32>
%f = stablehlo.einsum %e, %w, config = "dba,xyz->bd" : (tensor<6x4x3xf32>, tensor<3x5x6xf32>) -> tensor<4x6xf32>
%g = stablehlo.unary_einsum %f, config = "xy->y" : (tensor<4x6xf32>) -> tensor<6xf32>
%h = stablehlo.einsum %f, %g, config = "...y,y->..." : (tensor<4x6xf32>, tensor<6xf32>) -> tensor<4xf32>
%z = stablehlo.constant dense<0.0> : tensor<f32>
%sq = stablehlo.multiply %h, %h : tensor<4xf32>
%r = stablehlo.reduce(%sq init: %z) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
return %r : tensor<f32>
}
}
