// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loop that never ends in reasonable time is refused as quickly.
// RUN: not zcc-opt %s --zcc-unroll-loops 2>&1 | FileCheck %s

func.func @main(%s: tensor<f32>) -> tensor<f32> {
  %n = stablehlo.constant dense<0> : tensor<i32>
  // CHECK: error: unrolling this loop of more than 1000000 trips and 3 ops a trip makes more than 200000 ops
  %0:2 = stablehlo.while(%i = %n, %x = %s) : tensor<i32>, tensor<f32>
  cond {
    %z = stablehlo.constant dense<2000000> : tensor<i32>
    %p = stablehlo.compare LT, %i, %z, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %m = stablehlo.add %i, %one : tensor<i32>
    %y = stablehlo.sine %x : tensor<f32>
    stablehlo.return %m, %y : tensor<i32>, tensor<f32>
  }
  return %0#1 : tensor<f32>
}
