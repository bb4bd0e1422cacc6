// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module {
func.func @main(%w: tensor<4x5xf32> {zcc.parameter = "w"}, %c: tensor<5xf32> {zcc.parameter = "c"}, %x: tensor<4x5xf32> {zcc.input = "x"}) -> (tensor<f32>) {
%xw = stablehlo.multiply %x, %w : tensor<4x5xf32>
%o:2 = chlo.scan(%xw) inits (%c) dimension=0  {
^bb0(%i: tensor<5xf32>, %k: tensor<5xf32>):
%s = stablehlo.add %i, %k : tensor<5xf32>
stablehlo.return %s, %s : tensor<5xf32>, tensor<5xf32>
} : (tensor<4x5xf32>, tensor<5xf32>) -> (tensor<4x5xf32>, tensor<5xf32>)
%u:2 = chlo.scan(%xw) inits (%c) dimension=0  attributes {is_reverse = true} {
^bb0(%i: tensor<5xf32>, %k: tensor<5xf32>):
%s = stablehlo.add %i, %k : tensor<5xf32>
stablehlo.return %s, %s : tensor<5xf32>, tensor<5xf32>
} : (tensor<4x5xf32>, tensor<5xf32>) -> (tensor<4x5xf32>, tensor<5xf32>)
%t = stablehlo.tanh %o#0 : tensor<4x5xf32>
%zz = stablehlo.constant dense<0.0> : tensor<f32>
%e = stablehlo.reduce(%u#1 init: %zz) applies stablehlo.add across dimensions = [0] : (tensor<5xf32>, tensor<f32>) -> tensor<f32>
%z = stablehlo.constant dense<0.0> : tensor<f32>
%sq = stablehlo.multiply %t, %t : tensor<4x5xf32>
%r = stablehlo.reduce(%sq init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x5xf32>, tensor<f32>) -> tensor<f32>
%r2 = stablehlo.add %r, %e : tensor<f32>
return %r2 : tensor<f32>
}
}
