// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --split-input-file --verify-diagnostics --zcc-inline-calls

func.func @main(%a: tensor<f32>) -> tensor<f32> {
  %0 = call @f(%a) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
// expected-note @+1 {{@f is here}}
func.func private @f(%a: tensor<f32>) -> tensor<f32> {
  %0 = call @g(%a) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func private @g(%a: tensor<f32>) -> tensor<f32> {
  // expected-error @+2 {{function @f calls itself, which cannot be inlined}}
  // expected-note @+1 {{write the recursion as a loop}}
  %0 = call @f(%a) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----
func.func @main(%a: tensor<f32>) -> tensor<f32> {
  // expected-error @+2 {{expected a function @f with a body, got a declaration}}
  // expected-note @+1 {{the text holds @main and all functions that it calls}}
  %0 = call @f(%a) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func private @f(tensor<f32>) -> tensor<f32>
