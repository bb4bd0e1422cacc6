// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A library's product needs operands with constant strides: others are transposed in memory, once for all products.
// RUN: zcc %s --target=cuda --cuda-arch=host --compile-to=scheduled --quiet | FileCheck %s
// RUN: zcc %s --target=cuda --cuda-arch=host --compile-to=scheduled --quiet --disable=libraries | FileCheck %s --check-prefix=OFF

// OFF-NOT: train.transpose

// CHECK: func.func private @k{{[0-9]+}}_transpose(%arg0: tensor<3x8x16xf32>{{.*}}) -> tensor<8x3x16xf32>
// CHECK: func.func private @k{{[0-9]+}}_dot_general(%arg0: tensor<8x3x16xf32>{{.*}}, %arg1: tensor<3x16x24xf32>{{.*}}) -> tensor<8x24xf32> attributes {exec.kernel, exec.library
// CHECK-NOT: train.transpose
// The gradient reads the same one.
// CHECK: func.func private @k{{[0-9]+}}_dot_general({{.*}}tensor<8x3x16xf32>{{.*}}) -> tensor<{{.*}}> attributes {exec.kernel, exec.library
// CHECK-NOT: train.transpose
module {
  func.func public @main(%w: tensor<3x16x24xf32> loc("params['w']"), %x: tensor<3x8x16xf32> loc("batch['x']")) -> (tensor<f32> {jax.result_info = ""}) {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [0, 2] x [0, 1] : (tensor<3x8x16xf32>, tensor<3x16x24xf32>) -> tensor<8x24xf32>
    %1 = stablehlo.sine %0 : tensor<8x24xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x24xf32>, tensor<f32>) -> tensor<f32>
    return %2 : tensor<f32>
  }
}
