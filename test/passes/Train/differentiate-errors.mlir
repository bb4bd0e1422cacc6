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
