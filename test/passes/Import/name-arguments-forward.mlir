// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The results of a forward program may be arrays. Numbers stay the loss and metrics.
// RUN: zcc-opt %s --split-input-file --verify-diagnostics --zcc-name-arguments=forward | FileCheck %s

// A dictionary: names are its keys. The first result is no loss.
// CHECK: @main
// CHECK-SAME: -> (tensor<4x2xf32> {jax.result_info = "result['logits']", zcc.array, zcc.result = "logits"}, tensor<f32> {jax.result_info = "result['mean']", zcc.result = "mean"},
// CHECK-SAME: tensor<4xi1> {jax.result_info = "result['mask']", zcc.array, zcc.result = "mask"})
func.func @main(%a: tensor<4x2xf32> {zcc.parameter = "a"}, %b: tensor<f32> {zcc.parameter = "b"}, %c: tensor<4xi1> {zcc.input = "c"})
    -> (tensor<4x2xf32> {jax.result_info = "result['logits']"}, tensor<f32> {jax.result_info = "result['mean']"}, tensor<4xi1> {jax.result_info = "result['mask']"}) {
  return %a, %b, %c : tensor<4x2xf32>, tensor<f32>, tensor<4xi1>
}

// -----
// The loss comes first; results without a key are named by their places, and an attribute wins.
// CHECK: @main
// CHECK-SAME: -> (tensor<f32> {zcc.result = "loss"}, tensor<4xf32> {zcc.array, zcc.result = "output1"}, tensor<i32> {zcc.result = "metric2"}, tensor<4xf32> {zcc.array, zcc.result = "mine"})
func.func @main(%a: tensor<4xf32> {zcc.parameter = "a"}, %b: tensor<f32> {zcc.parameter = "b"}, %c: tensor<i32> {zcc.input = "c"})
    -> (tensor<f32>, tensor<4xf32>, tensor<i32>, tensor<4xf32> {zcc.result = "mine"}) {
  return %b, %a, %c, %a : tensor<f32>, tensor<4xf32>, tensor<i32>, tensor<4xf32>
}

// -----
// Equal keys of two dictionaries: the second one's name is its whole path.
// CHECK: @main
// CHECK-SAME: zcc.result = "x"}, {{.*}} zcc.result = "1.x"})
func.func @main(%a: tensor<4xf32> {zcc.parameter = "a"})
    -> (tensor<4xf32> {jax.result_info = "result[0]['x']"}, tensor<4xf32> {jax.result_info = "result[1]['x']"}) {
  return %a, %a : tensor<4xf32>, tensor<4xf32>
}

// -----
// A first number that is no float is no loss.
// CHECK: @main
// CHECK-SAME: -> (tensor<i32> {zcc.array, zcc.result = "output0"}, tensor<f32> {zcc.result = "metric1"})
func.func @main(%a: tensor<i32> {zcc.input = "a"}, %b: tensor<f32> {zcc.parameter = "b"}) -> (tensor<i32>, tensor<f32>) {
  return %a, %b : tensor<i32>, tensor<f32>
}

// -----
// expected-error @+2 {{results 0 and 1 are both named 'x'}}
// expected-note @+1 {{return a dictionary of other keys, or give other names by zcc.result}}
func.func @main(%a: tensor<4xf32> {zcc.parameter = "a"}) -> (tensor<4xf32> {zcc.result = "x"}, tensor<4xf32> {zcc.result = "x"}) {
  return %a, %a : tensor<4xf32>, tensor<4xf32>
}
