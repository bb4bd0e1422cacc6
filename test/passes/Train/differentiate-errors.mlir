// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --zcc-differentiate=freeze=v* --split-input-file --verify-diagnostics

// expected-error @below {{--freeze: no parameter matches 'v*'}}
// expected-note @below {{there are 'w'}}
func.func @loss(%w: tensor<f32> {zcc.parameter = "w"}) -> tensor<f32> {
  return %w : tensor<f32>
}

// -----

// expected-error @below {{expected a loss that is a floating-point scalar, found 'tensor<4xf32>'}}
// expected-note @below {{return one number for the whole batch}}
func.func @loss(%v: tensor<4xf32> {zcc.parameter = "v"}) -> tensor<4xf32> {
  return %v : tensor<4xf32>
}

// -----

// expected-error @below {{expected a function @loss of one block}}
module {
}

// -----

// expected-error @below {{result 1, "y", is an array: expected the loss, metrics and new values of variables}}
// expected-note @below {{only --optimizer=forward returns arrays}}
func.func @loss(%v: tensor<f32> {zcc.parameter = "v"}, %x: tensor<4xf32> {zcc.input = "x"})
    -> (tensor<f32> {zcc.result = "loss"}, tensor<4xf32> {zcc.result = "y", zcc.array}) {
  return %v, %x : tensor<f32>, tensor<4xf32>
}

// -----

func.func @loss(%v: tensor<f32> {zcc.parameter = "v"}) -> tensor<f32> {
  // expected-error @below {{is read by an op that does not only serve the gradients of a train.custom_derivative}}
  %d = train.cotangent : tensor<f32>
  // expected-note @below {{the op is here}}
  %0 = train.negate %d : (tensor<f32>) -> tensor<f32>
  %z = train.custom_derivative %v cotangents(%d) inputs(%v) gradients(%0) : tensor<f32> for(tensor<f32>)
  %1 = train.add %z, %0 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}
