// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A bias is added in a library's product where that rounds as the graph does: in f32. In bf16 (cuda-rounded-biases.mlir) it is not where the sum is not rounded.
// RUN: zcc %s --target=cuda --cuda-arch=host --optimizer=forward --compile-to=scheduled --quiet | FileCheck %s
// RUN: zcc %s --target=cuda --cuda-arch=host --optimizer=forward --precision=bf16 --compile-to=scheduled --quiet | FileCheck %s --check-prefix=NARROW
// RUN: zcc %s --target=cuda --cuda-arch=host --quiet -o %t.zexe && zrun --check %t.zexe

// CHECK: func.func private @k{{[0-9]+}}_dot_general({{.*}}) -> tensor<8x4x6xf32> attributes {exec.kernel, exec.library
// CHECK-NEXT: train.dot_general
// CHECK-NEXT: train.broadcast_in_dim
// CHECK-NEXT: train.add
// CHECK-NEXT: return
// A bias of rows, one a batch, and what is no vector are kernels of their own.
// CHECK: func.func private @k{{[0-9]+}}_dot_general({{.*}}exec.library
// CHECK-NEXT: train.dot_general
// CHECK-NEXT: return
// CHECK: func.func private @k{{[0-9]+}}_dot_general({{.*}}exec.library
// CHECK-NEXT: train.dot_general
// CHECK-NEXT: return
// NARROW: func.func private @k{{[0-9]+}}_dot_general({{.*}}) -> tensor<8x4x6xbf16> attributes {exec.kernel, exec.library
// NARROW-NEXT: train.dot_general
// NARROW-NEXT: train.convert
// NARROW-NEXT: return
module {
  func.func public @main(%w: tensor<16x4x6xf32> loc("params['w']"), %b: tensor<4x6xf32> loc("params['b']"), %v: tensor<24x10xf32> loc("params['v']"), %c: tensor<8x1xf32> loc("params['c']"), %u: tensor<2x5x3xf32> loc("params['u']"), %d: tensor<3xf32> loc("params['d']"), %x: tensor<8x16xf32> loc("batch['x']")) -> (tensor<f32> {jax.result_info = ""}) {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4x6xf32>) -> tensor<8x4x6xf32>
    %1 = stablehlo.broadcast_in_dim %b, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<8x4x6xf32>
    %2 = stablehlo.add %0, %1 : tensor<8x4x6xf32>
    %3 = stablehlo.sine %2 : tensor<8x4x6xf32>
    %4 = stablehlo.reshape %3 : (tensor<8x4x6xf32>) -> tensor<8x24xf32>
    %5 = stablehlo.dot_general %4, %v, contracting_dims = [1] x [0] : (tensor<8x24xf32>, tensor<24x10xf32>) -> tensor<8x10xf32>
    %6 = stablehlo.broadcast_in_dim %c, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x10xf32>
    %7 = stablehlo.add %5, %6 : tensor<8x10xf32>
    %8 = stablehlo.cosine %7 : tensor<8x10xf32>
    %9 = stablehlo.reshape %8 : (tensor<8x10xf32>) -> tensor<2x8x5xf32>
    %10 = stablehlo.dot_general %9, %u, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x8x5xf32>, tensor<2x5x3xf32>) -> tensor<2x8x3xf32>
    %11 = stablehlo.broadcast_in_dim %d, dims = [2] : (tensor<3xf32>) -> tensor<2x8x3xf32>
    %12 = stablehlo.add %10, %11 : tensor<2x8x3xf32>
    %13 = stablehlo.tanh %12 : tensor<2x8x3xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %14 = stablehlo.reduce(%13 init: %zero) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x8x3xf32>, tensor<f32>) -> tensor<f32>
    return %14 : tensor<f32>
  }
}
