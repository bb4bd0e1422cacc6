// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays among the results of a forward program are outputs of the step, of kind array.
// RUN: zcc-opt %s --zcc-differentiate=forward --zcc-attach-optimizer=optimizer=forward --zcc-verify-step | FileCheck %s

// CHECK-LABEL: func.func @step
// CHECK-SAME: -> (tensor<4xf32> {zcc.kind = "output", zcc.output = "array", zcc.result = "y"}, tensor<f32> {zcc.kind = "output", zcc.output = "metric", zcc.result = "sum"})
func.func @loss(%w: tensor<4xf32> {zcc.parameter = "w"}) -> (tensor<4xf32> {zcc.result = "y", zcc.array}, tensor<f32> {zcc.result = "sum"}) {
  %0 = train.negate %w : (tensor<4xf32>) -> tensor<4xf32>
  %1 = train.reduce %0 {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<4xf32>) -> tensor<f32>
  return %0, %1 : tensor<4xf32>, tensor<f32>
}
