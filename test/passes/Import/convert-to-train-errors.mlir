// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What cannot be trained through is refused by name and place.
// RUN: zcc-opt %s --split-input-file --verify-diagnostics --zcc-convert-to-train

func.func @main(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @+1 {{'stablehlo.cholesky' cannot be used in training}}
  %0 = stablehlo.cholesky %a, lower = true : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'stablehlo.complex' cannot be used in training: expected float or integer tensors, got tensor<4xcomplex<f32>>}}
  %0 = stablehlo.complex %a, %a : tensor<4xcomplex<f32>>
  %1 = stablehlo.real %0 : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'stablehlo.custom_call' cannot be used in training: the custom call @lapack_spotrf_ffi is not known}}
  %0 = stablehlo.custom_call @lapack_spotrf_ffi(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----
func.func @main(%a: tensor<4x8xf32>, %s: tensor<f32>) -> tensor<4xf32> {
  // expected-error @+1 {{'stablehlo.reduce' cannot be used in training: expected a reducer that adds}}
  %0 = stablehlo.reduce(%a init: %s) across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
   reducer(%x: tensor<f32>, %y: tensor<f32>)  {
    %1 = stablehlo.atan2 %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }
  return %0 : tensor<4xf32>
}

// -----
func.func @main(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{'stablehlo.sort' cannot be used in training: expected a comparator that orders by the first operand}}
  %0:2 = "stablehlo.sort"(%a, %b) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>, %u: tensor<f32>, %v: tensor<f32>):
    %1 = stablehlo.compare LT, %u, %v : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<4x8xf32>, tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>)
  return %0#0 : tensor<4x8xf32>
}
