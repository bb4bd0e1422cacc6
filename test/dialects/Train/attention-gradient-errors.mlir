// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The form of libraries: the attention's result in the place of delta, statistics by heads.
// RUN: zcc-opt %s --split-input-file --verify-diagnostics

func.func @good(%q: tensor<2x6x4x8xbf16>, %s: tensor<2x4x6xf32>) -> tensor<2x6x4x8xbf16> {
  %a, %b, %c = train.attention_gradient %q, %q, %q, %s, %q, %q {fill = -1.0e9 : f64, scale = 1.0 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 0>} : (tensor<2x6x4x8xbf16>, tensor<2x6x4x8xbf16>, tensor<2x6x4x8xbf16>, tensor<2x4x6xf32>, tensor<2x6x4x8xbf16>, tensor<2x6x4x8xbf16>) -> (tensor<2x6x4x8xbf16>, tensor<2x6x4x8xbf16>, tensor<2x6x4x8xbf16>)
  return %a : tensor<2x6x4x8xbf16>
}

// -----

func.func @statistics(%q: tensor<2x6x4x8xbf16>, %s: tensor<2x6x4xf32>) -> tensor<2x6x4x8xbf16> {
  // expected-error@+1 {{expected an lse of shape [2x4x6], found [2x6x4]}}
  %a, %b, %c = train.attention_gradient %q, %q, %q, %s, %q, %q {fill = -1.0e9 : f64, scale = 1.0 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 0>} : (tensor<2x6x4x8xbf16>, tensor<2x6x4x8xbf16>, tensor<2x6x4x8xbf16>, tensor<2x6x4xf32>, tensor<2x6x4x8xbf16>, tensor<2x6x4x8xbf16>) -> (tensor<2x6x4x8xbf16>, tensor<2x6x4x8xbf16>, tensor<2x6x4x8xbf16>)
  return %a : tensor<2x6x4x8xbf16>
}

// -----

func.func @result(%q: tensor<2x6x4x8xbf16>, %s: tensor<2x4x6xf32>, %r: tensor<2x6x4x7xbf16>) -> tensor<2x6x4x8xbf16> {
  // expected-error@+1 {{expected a result of shape [2x6x4x8], found [2x6x4x7]}}
  %a, %b, %c = train.attention_gradient %q, %q, %q, %s, %r, %q {fill = -1.0e9 : f64, scale = 1.0 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 0>} : (tensor<2x6x4x8xbf16>, tensor<2x6x4x8xbf16>, tensor<2x6x4x8xbf16>, tensor<2x4x6xf32>, tensor<2x6x4x7xbf16>, tensor<2x6x4x8xbf16>) -> (tensor<2x6x4x8xbf16>, tensor<2x6x4x8xbf16>, tensor<2x6x4x8xbf16>)
  return %a : tensor<2x6x4x8xbf16>
}
