// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For devices that compute beside their memory traffic, an activation's gradient reads the product's result and computes tanh again. Cores keep tanh
// and the sum with the bias.
// RUN: zcc %s --machine=h100-dgx --precision=bf16 --compile-to=tasks --quiet | FileCheck %s
// RUN: zcc %s --machine=h100-dgx --precision=bf16 --remat=none --compile-to=tasks --quiet | FileCheck %s
// RUN: zcc %s --precision=bf16 --compile-to=tasks --quiet | FileCheck %s --check-prefix=CORES

// CHECK-LABEL: func.func @backward
// CHECK: train.add
// CHECK: train.tanh
// CHECK-NOT: train.tanh
// CHECK-LABEL: dist.schedule

// CORES: train.tanh
// CORES-LABEL: func.func @backward
// CORES-NOT: train.tanh
// CORES-LABEL: dist.schedule
module {
  func.func public @main(%w: tensor<32x256xf32> loc("params['w']"), %b: tensor<256xf32> loc("params['b']"), %v: tensor<256x32xf32> loc("params['v']"), %x: tensor<64x32xf32> loc("batch['x']"))
      -> (tensor<f32> {jax.result_info = ""}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %one = stablehlo.constant dense<1.0> : tensor<64x256xf32>
    %half = stablehlo.constant dense<0.5> : tensor<64x256xf32>
    %c = stablehlo.constant dense<0.044715> : tensor<64x256xf32>
    %r = stablehlo.constant dense<0.797884583> : tensor<64x256xf32>
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<64x32xf32>, tensor<32x256xf32>) -> tensor<64x256xf32>
    %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<256xf32>) -> tensor<64x256xf32>
    %2 = stablehlo.add %0, %1 : tensor<64x256xf32>
    %3 = stablehlo.multiply %2, %2 : tensor<64x256xf32>
    %4 = stablehlo.multiply %3, %2 : tensor<64x256xf32>
    %5 = stablehlo.multiply %c, %4 : tensor<64x256xf32>
    %6 = stablehlo.add %2, %5 : tensor<64x256xf32>
    %7 = stablehlo.multiply %r, %6 : tensor<64x256xf32>
    %8 = stablehlo.tanh %7 : tensor<64x256xf32>
    %9 = stablehlo.add %one, %8 : tensor<64x256xf32>
    %10 = stablehlo.multiply %half, %9 : tensor<64x256xf32>
    %11 = stablehlo.multiply %2, %10 : tensor<64x256xf32>
    %12 = stablehlo.dot_general %11, %v, contracting_dims = [1] x [0] : (tensor<64x256xf32>, tensor<256x32xf32>) -> tensor<64x32xf32>
    %13 = stablehlo.sine %12 : tensor<64x32xf32>
    %14 = stablehlo.reduce(%13 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<64x32xf32>, tensor<f32>) -> tensor<f32>
    return %14 : tensor<f32>
  }
}
