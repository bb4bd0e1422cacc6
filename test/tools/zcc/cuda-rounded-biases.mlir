// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In 16 bits a library's product adds its bias before it is rounded, if nobody else reads the product and the sum is rounded, too: the bias is rounded in
// memory, and no kernel adds it (round-biases). A product that the backward pass reads by itself, and a bias of each row, stay with the graph's roundings, as
// all do under --exact and where the optimization is off. The kernels of CPUs stay as they are.
// RUN: zcc %s --target=cuda --cuda-arch=host --precision=bf16 --compile-to=scheduled --quiet | FileCheck %s
// RUN: zcc %s --target=cuda --cuda-arch=host --precision=f16 --compile-to=scheduled --quiet | FileCheck %s
// RUN: zcc %s --target=cuda --cuda-arch=host --precision=bf16 --compile-to=scheduled --quiet --disable=round-biases | FileCheck %s --check-prefix=OFF
// RUN: zcc %s --target=cuda --cuda-arch=host --precision=bf16 --compile-to=scheduled --quiet --exact | FileCheck %s --check-prefix=OFF
// RUN: zcc %s --target=cpu --precision=bf16 --compile-to=scheduled --quiet | FileCheck %s --check-prefix=OFF
// RUN: zcc %s --target=cuda --cuda-arch=host --precision=bf16 --quiet -o %t.zexe && zrun --check %t.zexe
// RUN: zcc --list-optimizations | FileCheck %s --check-prefix=LIST
// LIST: round-biases
// LIST-SAME: 2e-2 in bf16

// CHECK: func.func private @k{{[0-9]+}}_convert({{.*}}tensor<3x8xf32>{{.*}}) -> tensor<3x8x[[T:b?f16]]>
// CHECK: func.func private @k{{[0-9]+}}_dot_general({{.*}}tensor<3x8x[[T]]>{{.*}}) -> tensor<32x{{.*}}x[[T]]> attributes {exec.kernel, exec.library
// CHECK: train.dot_general
// CHECK: train.add
// CHECK: train.convert
// CHECK-NEXT: return

// OFF-NOT: -> tensor<3x8x{{b?}}f16>
module {
  func.func public @main(%w: tensor<16x24xf32> loc("params['w']"), %b: tensor<3x8xf32> loc("params['b']"), %v: tensor<24x16xf32> loc("params['v']"), %c: tensor<32x1xf32> loc("params['c']"), %u: tensor<16x8xf32> loc("params['u']"), %x: tensor<32x16xf32> loc("batch['x']")) -> (tensor<f32> {jax.result_info = ""}) {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<32x16xf32>, tensor<16x24xf32>) -> tensor<32x24xf32>
    %1 = stablehlo.reshape %b : (tensor<3x8xf32>) -> tensor<24xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [1] : (tensor<24xf32>) -> tensor<32x24xf32>
    %3 = stablehlo.add %0, %2 : tensor<32x24xf32>
    %4 = stablehlo.dot_general %3, %v, contracting_dims = [1] x [0] : (tensor<32x24xf32>, tensor<24x16xf32>) -> tensor<32x16xf32>
    %5 = stablehlo.broadcast_in_dim %c, dims = [0, 1] : (tensor<32x1xf32>) -> tensor<32x16xf32>
    %6 = stablehlo.add %4, %5 : tensor<32x16xf32>
    %7 = stablehlo.dot_general %6, %u, contracting_dims = [1] x [0] : (tensor<32x16xf32>, tensor<16x8xf32>) -> tensor<32x8xf32>
    %8 = stablehlo.sine %7 : tensor<32x8xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %9 = stablehlo.reduce(%8 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<32x8xf32>, tensor<f32>) -> tensor<f32>
    return %9 : tensor<f32>
  }
}
