// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rotary positions of queries and keys are one kernel each way: it reads them, and writes them as attention reads them. Halves are never in memory. The
// tables of cosines and sines are, so they cost the kernel nothing.
// RUN: zcc %s --target=cuda --cuda-arch=host --machine=h100-dgx --precision=bf16 --compile-to=scheduled --quiet | FileCheck %s
// RUN: zcc %s --target=cuda --cuda-arch=host --machine=h100-dgx --precision=bf16 --quiet -o %t.zexe && zrun --check %t.zexe

// CHECK-NOT: exec.buffer {{.*}}tensor<16x128x4x8x{{b?}}f{{[0-9]+}}>
// CHECK: train.concatenate {{.*}}tensor<16x128x4x8xbf16>
// CHECK-NOT: exec.buffer {{.*}}tensor<16x128x4x8x{{b?}}f{{[0-9]+}}>
module {
  func.func public @main(%wq: tensor<64x64xf32> loc("params['wq']"), %wk: tensor<64x64xf32> loc("params['wk']"), %x: tensor<16x128x64xf32> loc("batch['x']"))
      -> (tensor<f32> {jax.result_info = ""}) {
    %position = stablehlo.iota dim = 0 : tensor<128x1x8xf32>
    %cos = stablehlo.cosine %position : tensor<128x1x8xf32>
    %sin = stablehlo.sine %position : tensor<128x1x8xf32>
    %cosines = stablehlo.broadcast_in_dim %cos, dims = [1, 2, 3] : (tensor<128x1x8xf32>) -> tensor<16x128x4x8xf32>
    %sines = stablehlo.broadcast_in_dim %sin, dims = [1, 2, 3] : (tensor<128x1x8xf32>) -> tensor<16x128x4x8xf32>
    %0 = stablehlo.dot_general %x, %wq, contracting_dims = [2] x [0] : (tensor<16x128x64xf32>, tensor<64x64xf32>) -> tensor<16x128x64xf32>
    %1 = stablehlo.reshape %0 : (tensor<16x128x64xf32>) -> tensor<16x128x4x16xf32>
    %2 = stablehlo.slice %1 [0:16, 0:128, 0:4, 0:8] : (tensor<16x128x4x16xf32>) -> tensor<16x128x4x8xf32>
    %3 = stablehlo.slice %1 [0:16, 0:128, 0:4, 8:16] : (tensor<16x128x4x16xf32>) -> tensor<16x128x4x8xf32>
    %4 = stablehlo.multiply %2, %cosines : tensor<16x128x4x8xf32>
    %5 = stablehlo.multiply %3, %sines : tensor<16x128x4x8xf32>
    %6 = stablehlo.subtract %4, %5 : tensor<16x128x4x8xf32>
    %7 = stablehlo.multiply %3, %cosines : tensor<16x128x4x8xf32>
    %8 = stablehlo.multiply %2, %sines : tensor<16x128x4x8xf32>
    %9 = stablehlo.add %7, %8 : tensor<16x128x4x8xf32>
    %q = stablehlo.concatenate %6, %9, dim = 3 : (tensor<16x128x4x8xf32>, tensor<16x128x4x8xf32>) -> tensor<16x128x4x16xf32>
    %10 = stablehlo.dot_general %x, %wk, contracting_dims = [2] x [0] : (tensor<16x128x64xf32>, tensor<64x64xf32>) -> tensor<16x128x64xf32>
    %11 = stablehlo.reshape %10 : (tensor<16x128x64xf32>) -> tensor<16x128x4x16xf32>
    %12 = stablehlo.slice %11 [0:16, 0:128, 0:4, 0:8] : (tensor<16x128x4x16xf32>) -> tensor<16x128x4x8xf32>
    %13 = stablehlo.slice %11 [0:16, 0:128, 0:4, 8:16] : (tensor<16x128x4x16xf32>) -> tensor<16x128x4x8xf32>
    %14 = stablehlo.multiply %12, %cosines : tensor<16x128x4x8xf32>
    %15 = stablehlo.multiply %13, %sines : tensor<16x128x4x8xf32>
    %16 = stablehlo.subtract %14, %15 : tensor<16x128x4x8xf32>
    %17 = stablehlo.multiply %13, %cosines : tensor<16x128x4x8xf32>
    %18 = stablehlo.multiply %12, %sines : tensor<16x128x4x8xf32>
    %19 = stablehlo.add %17, %18 : tensor<16x128x4x8xf32>
    %k = stablehlo.concatenate %16, %19, dim = 3 : (tensor<16x128x4x8xf32>, tensor<16x128x4x8xf32>) -> tensor<16x128x4x16xf32>
    %s = stablehlo.dot_general %q, %k, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] : (tensor<16x128x4x16xf32>, tensor<16x128x4x16xf32>) -> tensor<16x4x128x128xf32>
    %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %m = stablehlo.reduce(%s init: %low) applies stablehlo.maximum across dimensions = [3] : (tensor<16x4x128x128xf32>, tensor<f32>) -> tensor<16x4x128xf32>
    %mb = stablehlo.broadcast_in_dim %m, dims = [0, 1, 2] : (tensor<16x4x128xf32>) -> tensor<16x4x128x128xf32>
    %d = stablehlo.subtract %s, %mb : tensor<16x4x128x128xf32>
    %e = stablehlo.exponential %d : tensor<16x4x128x128xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %n = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [3] : (tensor<16x4x128x128xf32>, tensor<f32>) -> tensor<16x4x128xf32>
    %nb = stablehlo.broadcast_in_dim %n, dims = [0, 1, 2] : (tensor<16x4x128xf32>) -> tensor<16x4x128x128xf32>
    %p = stablehlo.divide %e, %nb : tensor<16x4x128x128xf32>
    %o = stablehlo.dot_general %p, %11, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1] : (tensor<16x4x128x128xf32>, tensor<16x128x4x16xf32>) -> tensor<16x4x128x16xf32>
    %t = stablehlo.sine %o : tensor<16x4x128x16xf32>
    %loss = stablehlo.reduce(%t init: %zero) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<16x4x128x16xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}
