// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops without an expansion are rejected by name and place.
// RUN: zcc-opt %s --split-input-file --verify-diagnostics --zcc-expand-ops

func.func @diagonal(%a: tensor<4x4xf32>) -> tensor<4xf32> {
  // expected-error @+2 {{'stablehlo.unary_einsum' cannot be used in training: expected each label of an operand once in "ii->i"}}
  // expected-note @+1 {{jnp.diagonal}}
  %0 = stablehlo.unary_einsum %a, config = "ii->i" : (tensor<4x4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----
func.func @map(%a: tensor<4xf32>, %b: tensor<2x2xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'stablehlo.map' cannot be used in training: expected a computation of elementwise ops, got 'stablehlo.cholesky'}}
  %0 = "stablehlo.map"(%a) <{dimensions = array<i64: 0>}> ({
  ^bb0(%x: tensor<f32>):
    // expected-note @+1 {{it is here}}
    %1 = stablehlo.cholesky %b : tensor<2x2xf32>
    stablehlo.return %x : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----
func.func @slice(%a: tensor<4xf32>, %n: tensor<1xi64>) -> tensor<2xf32> {
  // expected-error @+2 {{'stablehlo.real_dynamic_slice' cannot be used in training: expected a constant as operand 1}}
  // expected-note @+1 {{shapes and bounds are known when a program is compiled}}
  %0 = stablehlo.real_dynamic_slice %a, %n, %n, %n : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
