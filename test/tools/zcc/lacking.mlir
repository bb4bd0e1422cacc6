// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not zcc %s --quiet -o %t.zexe 2>&1 | FileCheck %s
// RUN: zcc %s --quiet --compile-to=tasks -o %t.mlir

// Arithmetic that the target lacks is named, at the model's line; phases that know no target have it.
// CHECK: m.py:7:4: error: the target 'cpu' has no arithmetic in 'f8E5M2'; it has 'f64', 'f32', 'f16', 'bf16', 'i1'
module {
  func.func public @main(%arg0: tensor<4x4xf32> loc("params['w']"), %arg1: tensor<4x4xf32> loc("batch['x']")) -> (tensor<f32> {jax.result_info = ""}) {
    %0 = stablehlo.convert %arg1 : (tensor<4x4xf32>) -> tensor<4x4xf8E5M2> loc("m.py":7:4)
    %1 = stablehlo.convert %0 : (tensor<4x4xf8E5M2>) -> tensor<4x4xf32> loc("m.py":8:4)
    %2 = stablehlo.dot_general %1, %arg0, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %cst = stablehlo.constant dense<0.0> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<f32>
    return %3 : tensor<f32>
  }
}
