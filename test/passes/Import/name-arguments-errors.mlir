// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --split-input-file --verify-diagnostics --zcc-name-arguments

// expected-error @+1 {{expected a function @main}}
module {
  func.func @f() {
    return
  }
}

// -----
// expected-error @+1 {{expected the loss, a float scalar, as the first result, got 'tensor<4xf32>'}}
func.func @main(%a: tensor<4xf32> {zcc.parameter = "a"}) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}

// -----
// expected-error @+1 {{expected a scalar metric as result 1, got 'tensor<4xf32>'}}
func.func @main(%a: tensor<4xf32> {zcc.parameter = "a"}, %b: tensor<f32> {zcc.parameter = "b"}) -> (tensor<f32>, tensor<4xf32>) {
  return %b, %a : tensor<f32>, tensor<4xf32>
}

// -----
// expected-error @+1 {{expected at least one parameter among the arguments, got none}}
func.func @main(%a: tensor<f32> {zcc.input = "a"}) -> tensor<f32> {
  return %a : tensor<f32>
}

// -----
// expected-error @+2 {{expected argument 0 of static shape, got 'tensor<?xf32>'}}
func.func @main(
    %a: tensor<?xf32> {zcc.parameter = "a"}, %b: tensor<f32> {zcc.parameter = "b"}) -> tensor<f32> {
  return %b : tensor<f32>
}

// -----
func.func @main(
    // expected-note @+1 {{argument 0 is the other}}
    %a: tensor<f32> {zcc.parameter = "w"},
    // expected-error @+1 {{two parameters are named 'w'}}
    %b: tensor<f32> {zcc.parameter = "w"}) -> tensor<f32> {
  return %b : tensor<f32>
}

// -----
func.func @main(
    // expected-error @+1 {{argument 0 is both a parameter and an input}}
    %a: tensor<f32> {zcc.parameter = "w", zcc.input = "w"}) -> tensor<f32> {
  return %a : tensor<f32>
}
