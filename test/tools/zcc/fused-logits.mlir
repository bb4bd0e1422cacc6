// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For devices that compute beside their memory traffic, the gradient of a cross entropy reads the logits in 16 bits and one number for each row, and
// computes exponentials again: no other value of the logits' size is kept. Cores keep the exponentials.
// RUN: zcc %s --machine=h100-dgx --precision=bf16 --compile-to=tasks --quiet | FileCheck %s
// RUN: zcc %s --machine=h100-dgx --precision=bf16 --remat=none --compile-to=tasks --quiet | FileCheck %s
// RUN: zcc %s --precision=bf16 --compile-to=tasks --quiet | FileCheck %s --check-prefix=CORES
// RUN: zcc %s --target=cuda --cuda-arch=host --machine=h100-dgx --precision=bf16 --compile-to=scheduled --quiet | FileCheck %s --check-prefix=KERNELS
// RUN: zcc %s --target=cuda --cuda-arch=host --machine=h100-dgx --precision=bf16 --quiet -o %t.zexe && zrun --check %t.zexe

// CHECK-LABEL: func.func @backward(
// CHECK-SAME: tensor<64x1024xbf16>
// CHECK-NOT: tensor<64x1024xf32> {dist.value
// CHECK: train.exponential
// CHECK-LABEL: dist.schedule

// CORES-LABEL: func.func @backward
// CORES-NOT: train.exponential
// CORES-LABEL: dist.schedule

// KERNELS-NOT: exec.buffer {{.*}}tensor<64x1024xf32>
module {
  func.func public @main(%w: tensor<32x1024xf32> loc("params['w']"), %x: tensor<64x32xf32> loc("batch['x']"), %y: tensor<64x1xi32> loc("batch['y']"))
      -> (tensor<f32> {jax.result_info = ""}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<64x32xf32>, tensor<32x1024xf32>) -> tensor<64x1024xf32>
    %1 = stablehlo.reduce(%0 init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<64x1024xf32>, tensor<f32>) -> tensor<64xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<64xf32>) -> tensor<64x1024xf32>
    %3 = stablehlo.subtract %0, %2 : tensor<64x1024xf32>
    %4 = stablehlo.exponential %3 : tensor<64x1024xf32>
    %5 = stablehlo.reduce(%4 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<64x1024xf32>, tensor<f32>) -> tensor<64xf32>
    %6 = stablehlo.log %5 : tensor<64xf32>
    %7 = stablehlo.add %6, %1 : tensor<64xf32>
    %8 = "stablehlo.gather"(%0, %y) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<64x1024xf32>, tensor<64x1xi32>) -> tensor<64xf32>
    %9 = stablehlo.subtract %7, %8 : tensor<64xf32>
    %10 = stablehlo.reduce(%9 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<64xf32>, tensor<f32>) -> tensor<f32>
    return %10 : tensor<f32>
  }
}
