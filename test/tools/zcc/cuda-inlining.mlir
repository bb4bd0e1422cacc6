// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Under bf16 a GPU's kernels compute again what is cheap beside its bytes. So the gradient of a norm is one kernel along the rows and one along
// the columns, and no f32 value of all elements is in memory. On CPUs there is one.
// RUN: zcc %s --target=cuda --cuda-arch=host --machine=h100-dgx --precision=bf16 --compile-to=scheduled --quiet | FileCheck %s
// RUN: zcc %s --target=cpu --machine=h100-dgx --precision=bf16 --compile-to=scheduled --quiet | FileCheck %s --check-prefix=CPU
// RUN: zcc %s --target=cuda --cuda-arch=host --machine=h100-dgx --precision=bf16 --quiet -o %t.zexe && zrun --check %t.zexe

// CHECK-NOT: exec.buffer "{{temporary|value}}" {{.*}}tensor<64x8x128xf32>
// CPU: exec.buffer "temporary" {{.*}}tensor<64x8x128xf32>
module {
  func.func public @main(%w: tensor<128x128xf32> loc("params['w']"), %v: tensor<128x128xf32> loc("params['v']"), %s: tensor<128xf32> loc("params['s']"),
      %b: tensor<128xf32> loc("params['b']"), %x: tensor<64x8x128xf32> loc("batch['x']")) -> (tensor<f32> {jax.result_info = ""}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %n = stablehlo.constant dense<1.280000e+02> : tensor<64x8x1xf32>
    %eps = stablehlo.constant dense<1.000000e-05> : tensor<64x8x1xf32>
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [2] x [0] : (tensor<64x8x128xf32>, tensor<128x128xf32>) -> tensor<64x8x128xf32>
    %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<64x8x128xf32>, tensor<f32>) -> tensor<64x8xf32>
    %2 = stablehlo.reshape %1 : (tensor<64x8xf32>) -> tensor<64x8x1xf32>
    %3 = stablehlo.divide %2, %n : tensor<64x8x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<64x8x1xf32>) -> tensor<64x8x128xf32>
    %5 = stablehlo.subtract %0, %4 : tensor<64x8x128xf32>
    %6 = stablehlo.multiply %5, %5 : tensor<64x8x128xf32>
    %7 = stablehlo.reduce(%6 init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<64x8x128xf32>, tensor<f32>) -> tensor<64x8xf32>
    %8 = stablehlo.reshape %7 : (tensor<64x8xf32>) -> tensor<64x8x1xf32>
    %9 = stablehlo.divide %8, %n : tensor<64x8x1xf32>
    %10 = stablehlo.add %9, %eps : tensor<64x8x1xf32>
    %11 = stablehlo.rsqrt %10 : tensor<64x8x1xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1, 2] : (tensor<64x8x1xf32>) -> tensor<64x8x128xf32>
    %13 = stablehlo.multiply %5, %12 : tensor<64x8x128xf32>
    %14 = stablehlo.broadcast_in_dim %s, dims = [2] : (tensor<128xf32>) -> tensor<64x8x128xf32>
    %15 = stablehlo.multiply %13, %14 : tensor<64x8x128xf32>
    %16 = stablehlo.broadcast_in_dim %b, dims = [2] : (tensor<128xf32>) -> tensor<64x8x128xf32>
    %17 = stablehlo.add %15, %16 : tensor<64x8x128xf32>
    %18 = stablehlo.dot_general %17, %v, contracting_dims = [2] x [0] : (tensor<64x8x128xf32>, tensor<128x128xf32>) -> tensor<64x8x128xf32>
    %19 = stablehlo.add %18, %0 : tensor<64x8x128xf32>
    %20 = stablehlo.tanh %19 : tensor<64x8x128xf32>
    %21 = stablehlo.reduce(%20 init: %zero) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<64x8x128xf32>, tensor<f32>) -> tensor<f32>
    return %21 : tensor<f32>
  }
}
