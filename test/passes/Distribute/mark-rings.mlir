// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --zcc-mark-rings | FileCheck %s

// Attention may have its sequence sharded, but for f64, which no kernel does in blocks, and where weights are dropped.
// CHECK-LABEL: @step
func.func @step(%q: tensor<6x2x4xf32>, %d: tensor<6x2x4xf64>, %l: tensor<6x2xf32>, %m: tensor<2x6x6xi1>) {
  // CHECK: train.attention %arg0, {{.*}}train.ring
  %0:2 = train.attention %q, %q, %q {scale = 0.5 : f64, fill = -1.0e30 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0>} : (tensor<6x2x4xf32>, tensor<6x2x4xf32>, tensor<6x2x4xf32>) -> (tensor<6x2x4xf32>, tensor<6x2xf32>)
  // CHECK: train.attention_gradient {{.*}}train.ring
  %1:3 = train.attention_gradient %q, %q, %q, %l, %l, %q {scale = 0.5 : f64, fill = -1.0e30 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 0>} : (tensor<6x2x4xf32>, tensor<6x2x4xf32>, tensor<6x2x4xf32>, tensor<6x2xf32>, tensor<6x2xf32>, tensor<6x2x4xf32>) -> (tensor<6x2x4xf32>, tensor<6x2x4xf32>, tensor<6x2x4xf32>)
  // CHECK: train.attention %arg1
  // CHECK-NOT: train.ring
  %2:2 = train.attention %d, %d, %d {scale = 0.5 : f64, fill = -1.0e30 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0>} : (tensor<6x2x4xf64>, tensor<6x2x4xf64>, tensor<6x2x4xf64>) -> (tensor<6x2x4xf64>, tensor<6x2xf64>)
  // CHECK: train.attention %arg0, {{.*}}, %arg3
  // CHECK-NOT: train.ring
  %3:2 = train.attention %q, %q, %q, %m {scale = 0.5 : f64, fill = -1.0e30 : f64, kept_scale = 2.0, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 1>} : (tensor<6x2x4xf32>, tensor<6x2x4xf32>, tensor<6x2x4xf32>, tensor<2x6x6xi1>) -> (tensor<6x2x4xf32>, tensor<6x2xf32>)
  return
}
