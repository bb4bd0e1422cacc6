// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of matrices in memory are the library's, whatever the order of their dims, and rounded once; what else is computed stays apart.
// RUN: zcc %s --target=cuda --cuda-arch=host --precision=bf16 --compile-to=scheduled --quiet | FileCheck %s
// RUN: zcc %s --target=cuda --cuda-arch=host --precision=bf16 --compile-to=scheduled --quiet --disable=libraries | FileCheck %s --check-prefix=OFF
// RUN: zcc %s --target=cuda --cuda-arch=host --precision=bf16 --compile-to=scheduled --quiet --exact | FileCheck %s --check-prefix=OFF
// RUN: zcc %s --target=cuda --cuda-arch=host --precision=bf16 --quiet -o %t.zexe && zrun --check %t.zexe

// OFF-NOT: exec.library

// The middle one of three dims is contracted; the sum is rounded in the library.
// CHECK: func.func private @[[FIRST:k[0-9]+_dot_general]]({{.*}}) -> tensor<4x8x16xbf16> attributes {exec.kernel, exec.library = "cublasLtMatmul"}
// CHECK-NEXT: train.dot_general
// CHECK-NEXT: train.convert
// CHECK-NEXT: return
// The sine of an operand is another kernel's.
// CHECK: func.func private @k{{[0-9]+}}_sine
// CHECK: func.func private @k{{[0-9]+}}_dot_general{{.*}}exec.library
// Integers have no library.
// CHECK: func.func private @k{{[0-9]+}}_dot_general({{.*}}xi32>{{.*}}attributes {exec.kernel} {
module {
  func.func public @main(%w: tensor<4x32x16xf32> loc("params['w']"), %v: tensor<16x24xf32> loc("params['v']"), %x: tensor<4x32x8xf32> loc("batch['x']"), %n: tensor<8x8xi32> loc("batch['n']")) -> (tensor<f32> {jax.result_info = ""}) {
    %0 = stablehlo.dot_general %x, %w, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<4x32x8xf32>, tensor<4x32x16xf32>) -> tensor<4x8x16xf32>
    %1 = stablehlo.sine %0 : tensor<4x8x16xf32>
    %2 = stablehlo.dot_general %1, %v, contracting_dims = [2] x [0] : (tensor<4x8x16xf32>, tensor<16x24xf32>) -> tensor<4x8x24xf32>
    %i = stablehlo.dot_general %n, %n, contracting_dims = [1] x [0] : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi32>
    %f = stablehlo.convert %i : (tensor<8x8xi32>) -> tensor<8x8xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<4x8x24xf32>, tensor<f32>) -> tensor<f32>
    %4 = stablehlo.reduce(%f init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x8xf32>, tensor<f32>) -> tensor<f32>
    %5 = stablehlo.add %3, %4 : tensor<f32>
    return %5 : tensor<f32>
  }
}
