// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Large constants of predicates are a byte an element in texts of newer writers, a bit in older ones: both are read.
// RUN: zcc %s --compile-to=graph --quiet -o - | FileCheck %s
// CHECK-LABEL: func.func public @loss
// CHECK: %[[P:.*]] = train.constant dense<{{\[\[}}true, false, false, false, true], [true, true, false, false, true]]> : tensor<2x5xi1>
// CHECK: train.select %[[P]], %arg0, %arg1
// CHECK: train.select %[[P]], %arg1, %arg0
func.func public @main(%x: tensor<2x5xf32> loc("p['x']"), %y: tensor<2x5xf32> loc("batch['y']")) -> tensor<f32> {
  %bytes = stablehlo.constant dense<"0x01000000010101000001"> : tensor<2x5xi1>
  %bits = stablehlo.constant dense<"0x7102"> : tensor<2x5xi1>
  %0 = stablehlo.select %bytes, %x, %y : tensor<2x5xi1>, tensor<2x5xf32>
  %1 = stablehlo.select %bits, %y, %x : tensor<2x5xi1>, tensor<2x5xf32>
  %2 = stablehlo.multiply %0, %1 : tensor<2x5xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x5xf32>, tensor<f32>) -> tensor<f32>
  return %3 : tensor<f32>
}
