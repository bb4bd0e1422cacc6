// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The initial parameters are named by what JAX says of the results.
// RUN: zcc-opt %s --split-input-file --verify-diagnostics --zcc-name-arguments=role=init | FileCheck %s

// CHECK: @main(%{{.*}}: tensor<2xui32> {zcc.input = "key"}) -> (tensor<f32> {{{.*}}zcc.parameter = "blocks.0.w"}, tensor<4xf32> {{{.*}}zcc.parameter = "b"})
func.func @main(%k: tensor<2xui32> loc("key")) -> (tensor<f32> {jax.result_info = "result['blocks'][0]['w']"}, tensor<4xf32> {jax.result_info = "result['b']"}) {
  %0 = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = stablehlo.constant dense<0.0> : tensor<4xf32>
  return %0, %1 : tensor<f32>, tensor<4xf32>
}

// -----
// expected-error @+1 {{expected a key, tensor<2xui32> or an integer, got 'tensor<2xf32>'}}
func.func @main(%k: tensor<2xf32>) -> (tensor<f32> {jax.result_info = "result['b']"}) {
  %0 = stablehlo.constant dense<0.0> : tensor<f32>
  return %0 : tensor<f32>
}

// -----
// expected-error @+1 {{result 0 has no name}}
func.func @main(%k: tensor<i32>) -> tensor<f32> {
  %0 = stablehlo.constant dense<0.0> : tensor<f32>
  return %0 : tensor<f32>
}
