// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A product's cotangent that is summed for a bias, and that the product's gradient reads transposed, is written once: transposed, by the kernel that
// sums it.
// RUN: zcc %s --target=cuda --cuda-arch=host --precision=bf16 --compile-to=scheduled --quiet | FileCheck %s
// RUN: zcc %s --target=cuda --cuda-arch=host --precision=bf16 --quiet -o %t.zexe && zrun --check %t.zexe

// CHECK: func.func private @[[SUM:k[0-9]+_reduce]]({{.*}}) -> (tensor<8x16x3x128xbf16>, tensor<3x128xf32>)
// CHECK: train.reduce {{.*}}dims = array<i64: 0, 1>
// CHECK-NOT: func.func private @k{{[0-9]+}}_transpose
module {
  func.func public @main(%w: tensor<32x3x128xf32> loc("params['w']"), %b: tensor<3x128xf32> loc("params['b']"), %v: tensor<128x64xf32> loc("params['v']"), %x: tensor<8x16x32xf32> loc("batch['x']"))
      -> (tensor<f32> {jax.result_info = ""}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [2] x [0] : (tensor<8x16x32xf32>, tensor<32x3x128xf32>) -> tensor<8x16x3x128xf32>
    %1 = stablehlo.transpose %0, dims = [2, 0, 1, 3] : (tensor<8x16x3x128xf32>) -> tensor<3x8x16x128xf32>
    %2 = stablehlo.broadcast_in_dim %b, dims = [0, 3] : (tensor<3x128xf32>) -> tensor<3x8x16x128xf32>
    %3 = stablehlo.add %1, %2 : tensor<3x8x16x128xf32>
    %4 = stablehlo.dot_general %3, %v, contracting_dims = [3] x [0] : (tensor<3x8x16x128xf32>, tensor<128x64xf32>) -> tensor<3x8x16x64xf32>
    %5 = stablehlo.sine %4 : tensor<3x8x16x64xf32>
    %6 = stablehlo.reduce(%5 init: %zero) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<3x8x16x64xf32>, tensor<f32>) -> tensor<f32>
    return %6 : tensor<f32>
  }
}
