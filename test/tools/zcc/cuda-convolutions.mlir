// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolutions and both of their gradients are cuDNN's; a filter that lies as JAX has them is transposed before, its gradient after.
// RUN: zcc %s --target=cuda --cuda-arch=host --compile-to=scheduled --quiet | FileCheck %s
// RUN: zcc %s --target=cuda --cuda-arch=host --precision=bf16 --compile-to=scheduled --quiet | FileCheck %s --check-prefix=NARROW
// RUN: zcc %s --target=cuda --cuda-arch=host --compile-to=scheduled --quiet --disable=libraries | FileCheck %s --check-prefix=OFF
// RUN: zcc %s --target=cuda --cuda-arch=host --quiet -o %t.zexe && zrun --check %t.zexe

// OFF-NOT: exec.library

// CHECK: func.func private @{{k[0-9]+_transpose}}{{.*}} -> tensor<16x3x3x8xf32>
// CHECK: func.func private @{{k[0-9]+_convolution}}({{.*}}tensor<16x3x3x8xf32>{{.*}}) -> tensor<4x5x5x16xf32> attributes {exec.kernel, exec.library = "cudnnBackendExecute"}
// CHECK-NEXT: train.convolution
// CHECK-NEXT: return
// Ops beside a convolution are in another kernel.
// CHECK: func.func private @{{k[0-9]+_cosine}}
// CHECK-DAG: func.func private @{{k[0-9]+_convolution}}({{.*}}) -> tensor<4x10x10x8xf32> attributes {exec.kernel, exec.library = "cudnnBackendExecute"}
// CHECK-DAG: func.func private @{{k[0-9]+_convolution}}({{.*}}) -> tensor<16x3x3x8xf32> attributes {exec.kernel, exec.library = "cudnnBackendExecute"}

// Rounded in the library.
// NARROW: func.func private @{{k[0-9]+_convolution}}({{.*}}) -> tensor<4x5x5x16xbf16> attributes {exec.kernel, exec.library = "cudnnBackendExecute"}
// NARROW-NEXT: train.convolution
// NARROW-NEXT: return
// The gradients of weights are f32, which cuDNN does not make of bf16, but of the same numbers in f32, by tensor cores.
// NARROW-DAG: func.func private @{{k[0-9]+_convolution}}(%arg0: tensor<4x10x10x8xf32>{{.*}}tensor<4x5x5x16xf32>{{.*}}) -> tensor<16x3x3x8xf32> attributes {exec.kernel, exec.library = "cudnnBackendExecute"}
// NARROW-DAG: train.convolution {{.*}} {exec.fits_tf32,
// NARROW-DAG: -> tensor<4x10x10x8xbf16> attributes {exec.kernel, exec.library = "cudnnBackendExecute"}
module {
  func.func public @main(%v: tensor<8xf32> loc("params['v']"), %w: tensor<3x3x8x16xf32> loc("params['w']"), %x: tensor<4x10x10x8xf32> loc("batch['x']")) -> (tensor<f32> {jax.result_info = ""}) {
    %b = stablehlo.broadcast_in_dim %v, dims = [3] : (tensor<8xf32>) -> tensor<4x10x10x8xf32>
    %s = stablehlo.multiply %x, %b : tensor<4x10x10x8xf32>
    %t = stablehlo.sine %s : tensor<4x10x10x8xf32>
    %0 = stablehlo.convolution(%t, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[0, 1], [0, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x10x10x8xf32>, tensor<3x3x8x16xf32>) -> tensor<4x5x5x16xf32>
    %1 = stablehlo.sine %0 : tensor<4x5x5x16xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<4x5x5x16xf32>, tensor<f32>) -> tensor<f32>
    return %2 : tensor<f32>
  }
}
