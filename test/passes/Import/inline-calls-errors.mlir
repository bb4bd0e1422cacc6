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

// -----
func.func @main(%a: tensor<f32>) -> tensor<f32> {
  // expected-error @+2 {{expected the rule of @zcc.custom_derivative as the only entry of 'called_computations', got none}}
  // expected-note @+1 {{write {called_computations = [@rule]}}}
  %0 = stablehlo.custom_call @zcc.custom_derivative(%a, %a) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----
func.func @main(%a: tensor<f32>) -> tensor<f32> {
  // expected-error @+2 {{expected the rule of @zcc.custom_derivative as the only entry of 'called_computations', got [@r, @r]}}
  // expected-note @+1 {{write {called_computations = [@rule]}}}
  %0 = stablehlo.custom_call @zcc.custom_derivative(%a, %a) {called_computations = [@r, @r]} : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func private @r(%x: tensor<f32>, %d: tensor<f32>) -> tensor<f32> {
  return %d : tensor<f32>
}

// -----
func.func @main(%a: tensor<f32>) -> tensor<f32> {
  // expected-error @+2 {{expected a function @r with a body, got none}}
  // expected-note @+1 {{the text holds @main and all functions that it calls}}
  %0 = stablehlo.custom_call @zcc.custom_derivative(%a, %a) {called_computations = [@r]} : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----
func.func @main(%a: tensor<f32>, %i: tensor<i32>) -> tensor<i32> {
  // expected-error @+2 {{expected floating-point results of the types of the first operands in a call of @zcc.custom_derivative}}
  // expected-note @+1 {{the operands are the values y that the results have, then the operands x of the function}}
  %0 = stablehlo.custom_call @zcc.custom_derivative(%i, %a) {called_computations = [@r]} : (tensor<i32>, tensor<f32>) -> tensor<i32>
  return %0 : tensor<i32>
}
func.func private @r(%x: tensor<f32>, %d: tensor<i32>) -> tensor<f32> {
  return %x : tensor<f32>
}

// -----
func.func @main(%a: tensor<f32>, %b: tensor<4xf32>) -> tensor<f32> {
  // expected-error @+2 {{expected floating-point results of the types of the first operands in a call of @zcc.custom_derivative}}
  // expected-note @+1 {{the operands are the values y}}
  %0 = stablehlo.custom_call @zcc.custom_derivative(%b, %a) {called_computations = [@r]} : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----
// The rule does not cover the second operand, and gives an integer a cotangent.
func.func @main(%a: tensor<f32>, %b: tensor<4xf32>, %i: tensor<i32>) -> tensor<f32> {
  // expected-error @+2 {{expected the rule @r to be of type '(tensor<f32>, tensor<4xf32>, tensor<i32>, tensor<f32>) -> (tensor<f32>, tensor<4xf32>)', got '(tensor<f32>, tensor<4xf32>, tensor<i32>, tensor<f32>) -> (tensor<f32>, tensor<i32>)'}}
  // expected-note @+1 {{a rule takes the operands and a cotangent for each result, and returns a cotangent for each floating-point operand}}
  %0 = stablehlo.custom_call @zcc.custom_derivative(%a, %a, %b, %i) {called_computations = [@r]} : (tensor<f32>, tensor<f32>, tensor<4xf32>, tensor<i32>) -> tensor<f32>
  return %0 : tensor<f32>
}
// expected-note @+1 {{the rule is here}}
func.func private @r(%x: tensor<f32>, %y: tensor<4xf32>, %i: tensor<i32>, %d: tensor<f32>) -> (tensor<f32>, tensor<i32>) {
  return %d, %i : tensor<f32>, tensor<i32>
}

// -----
func.func @main(%a: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.custom_call @zcc.custom_derivative(%a, %a) {called_computations = [@r]} : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
// expected-note @+1 {{@r is here}}
func.func private @r(%x: tensor<f32>, %d: tensor<f32>) -> tensor<f32> {
  // expected-error @+2 {{function @r calls itself, which cannot be inlined}}
  // expected-note @+1 {{write the recursion as a loop}}
  %0 = stablehlo.custom_call @zcc.custom_derivative(%d, %x) {called_computations = [@r]} : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
