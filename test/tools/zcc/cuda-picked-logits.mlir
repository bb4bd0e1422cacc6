// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The gradient of a loss that picks one logit of each row puts one number into each row of zeros. On GPUs kernels compute that element by element:
// neither the scatter nor its f32 rows are in memory. CPUs scatter.
// RUN: zcc %s --target=cuda --cuda-arch=host --precision=bf16 --compile-to=scheduled --quiet | FileCheck %s
// RUN: zcc %s --target=cpu --precision=bf16 --compile-to=scheduled --quiet | FileCheck %s --check-prefix=CPU
// RUN: zcc %s --target=cuda --cuda-arch=host --precision=bf16 --quiet -o %t.zexe && zrun --check %t.zexe

// CHECK-NOT: train.scatter
// CHECK-NOT: exec.buffer {{.*}}tensor<64x512xf32>
// CHECK: train.iota
// CHECK-NOT: train.scatter
// CPU: train.scatter
module {
  func.func public @main(%w: tensor<32x512xf32> loc("params['w']"), %x: tensor<64x32xf32> loc("batch['x']"), %y: tensor<64x1x1xi32> loc("batch['y']"))
      -> (tensor<f32> {jax.result_info = ""}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<64x32xf32>, tensor<32x512xf32>) -> tensor<64x512xf32>
    %1 = stablehlo.reduce(%0 init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<64x512xf32>, tensor<f32>) -> tensor<64xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<64xf32>) -> tensor<64x512xf32>
    %3 = stablehlo.subtract %0, %2 : tensor<64x512xf32>
    %4 = stablehlo.exponential %3 : tensor<64x512xf32>
    %5 = stablehlo.reduce(%4 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<64x512xf32>, tensor<f32>) -> tensor<64xf32>
    %6 = stablehlo.log %5 : tensor<64xf32>
    %7 = stablehlo.add %6, %1 : tensor<64xf32>
    %8 = "stablehlo.gather"(%0, %y) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}> : (tensor<64x512xf32>, tensor<64x1x1xi32>) -> tensor<64x1xf32>
    %9 = stablehlo.reshape %8 : (tensor<64x1xf32>) -> tensor<64xf32>
    %10 = stablehlo.subtract %7, %9 : tensor<64xf32>
    %11 = stablehlo.reduce(%10 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<64xf32>, tensor<f32>) -> tensor<f32>
    return %11 : tensor<f32>
  }
}
