// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module {
func.func @main(%w: tensor<4x5xf32> {zcc.parameter = "w"}, %x: tensor<4x5xf32> {zcc.input = "x"}) -> (tensor<f32>) {
%q = "stablehlo.map"(%w, %x) <{dimensions = array<i64: 0, 1>}> ({
^bb0(%a: tensor<f32>, %c: tensor<f32>):
%k = stablehlo.constant dense<2.0> : tensor<f32>
%d = stablehlo.multiply %a, %k : tensor<f32>
%p = stablehlo.compare LT, %d, %c : (tensor<f32>, tensor<f32>) -> tensor<i1>
%h = stablehlo.tanh %d : tensor<f32>
%e = chlo.sinh %c : tensor<f32> -> tensor<f32>
%m = stablehlo.multiply %e, %h : tensor<f32>
%s = stablehlo.select %p, %h, %m : tensor<i1>, tensor<f32>
stablehlo.return %s : tensor<f32>
}) : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
%z = stablehlo.constant dense<0.0> : tensor<f32>
%sq = stablehlo.multiply %q, %q : tensor<4x5xf32>
%r = stablehlo.reduce(%sq init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x5xf32>, tensor<f32>) -> tensor<f32>
return %r : tensor<f32>
}
}
