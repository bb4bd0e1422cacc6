// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A custom derivative has a cotangent for each value, and a gradient for each input.
// RUN: zcc-opt %s --split-input-file --verify-diagnostics

func.func @f(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @below {{expected cotangent 0 to be a train.cotangent}}
  %z = train.custom_derivative %x cotangents(%x) inputs(%x) gradients(%x) : tensor<f32> for(tensor<f32>)
  return %z : tensor<f32>
}

// -----

func.func @f(%x: tensor<f32>) -> tensor<f32> {
  %d = train.cotangent : tensor<f32>
  // expected-error @below {{expected cotangent 0 to be that of one result alone}}
  %z = train.custom_derivative %x cotangents(%d) inputs(%x) gradients(%d) : tensor<f32> for(tensor<f32>)
  %y = train.custom_derivative %z cotangents(%d) inputs(%z) gradients(%d) : tensor<f32> for(tensor<f32>)
  return %y : tensor<f32>
}

// -----

func.func @f(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @below {{number of operands and types do not match}}
  %z = train.custom_derivative %x cotangents() inputs(%x) gradients(%x) : tensor<f32> for(tensor<f32>)
  return %z : tensor<f32>
}

// -----

func.func @f(%x: tensor<f32>) -> tensor<f32> {
  %d = train.cotangent : tensor<f32>
  // expected-error @below {{number of operands and types do not match}}
  %z = train.custom_derivative %x cotangents(%d) inputs(%x) gradients() : tensor<f32> for(tensor<f32>)
  return %z : tensor<f32>
}

// -----

func.func @f(%x: tensor<f32>, %w: tensor<4xf32>) -> tensor<f32> {
  %d = train.cotangent : tensor<f32>
  // expected-error @below {{each gradient has the type of its input}}
  %z = "train.custom_derivative"(%x, %d, %w, %x) {operandSegmentSizes = array<i32: 1, 1, 1, 1>} : (tensor<f32>, tensor<f32>, tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %z : tensor<f32>
}
