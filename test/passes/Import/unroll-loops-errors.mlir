// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --split-input-file --verify-diagnostics --zcc-unroll-loops=max-ops=1000

func.func @main(%s: tensor<f32>, %n: tensor<i32>) -> tensor<f32> {
  // expected-error @+2 {{expected a loop whose trip count is known at compile time}}
  // expected-note @+1 {{use jax.lax.scan, or jax.lax.fori_loop with constant bounds}}
  %0:2 = stablehlo.while(%i = %n, %x = %s) : tensor<i32>, tensor<f32>
  cond {
    %z = stablehlo.constant dense<0> : tensor<i32>
    %p = stablehlo.compare GT, %i, %z, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %m = stablehlo.subtract %i, %one : tensor<i32>
    %y = stablehlo.sine %x : tensor<f32>
    stablehlo.return %m, %y : tensor<i32>, tensor<f32>
  }
  return %0#1 : tensor<f32>
}

// -----
func.func @main(%s: tensor<f32>) -> tensor<f32> {
  %n = stablehlo.constant dense<600> : tensor<i32>
  // expected-error @+2 {{unrolling this loop of 600 trips and 3 ops a trip makes more than 1000 ops}}
  // expected-note @+1 {{let a trip do more at once}}
  %0:2 = stablehlo.while(%i = %n, %x = %s) : tensor<i32>, tensor<f32>
  cond {
    %z = stablehlo.constant dense<0> : tensor<i32>
    %p = stablehlo.compare GT, %i, %z, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %m = stablehlo.subtract %i, %one : tensor<i32>
    %y = stablehlo.sine %x : tensor<f32>
    stablehlo.return %m, %y : tensor<i32>, tensor<f32>
  }
  return %0#1 : tensor<f32>
}
