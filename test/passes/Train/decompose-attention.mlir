// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention and its gradient as elementary ops: two products and a softmax, and five products.
// RUN: zcc-opt %s --split-input-file --zcc-decompose-attention | FileCheck %s

// CHECK-LABEL: func.func @loss
// CHECK-NOT: train.attention
// CHECK: train.dot_general {{.*}} -> tensor<2x2x8x2x6xf32>
// CHECK: train.select
// CHECK: train.exponential
// CHECK: train.divide
// CHECK: train.dot_general {{.*}} -> tensor<2x2x2x8x4xf32>
// CHECK-NOT: train.log
// CHECK: return
func.func @loss(%q: tensor<2x8x4x4xf32>, %k: tensor<2x6x2x4xf32>, %v: tensor<2x6x2x4xf32>) -> tensor<2x8x4x4xf32> {
  %o, %l = train.attention %q, %k, %v {scale = 0.5 : f64, after = 0 : i64, fill = -1.0e30 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0>} : (tensor<2x8x4x4xf32>, tensor<2x6x2x4xf32>, tensor<2x6x2x4xf32>) -> (tensor<2x8x4x4xf32>, tensor<2x8x4xf32>)
  return %o : tensor<2x8x4x4xf32>
}

// -----

// The weights come from lse; a row's keys are all alike if a mask hides all, which lse cannot say.
// CHECK-LABEL: func.func @gradient
// CHECK-NOT: train.divide
// CHECK-COUNT-5: train.dot_general
// CHECK-NOT: train.attention
// CHECK: return
func.func @gradient(%q: tensor<2x8x4x4xf32>, %k: tensor<2x6x2x4xf32>, %v: tensor<2x6x2x4xf32>, %l: tensor<2x8x4xf32>, %d: tensor<2x8x4xf32>, %g: tensor<2x8x4x4xf32>) -> (tensor<2x8x4x4xf32>, tensor<2x6x2x4xf32>, tensor<2x6x2x4xf32>) {
  %r:3 = train.attention_gradient %q, %k, %v, %l, %d, %g {scale = 0.5 : f64, fill = -1.0e30 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 0>} : (tensor<2x8x4x4xf32>, tensor<2x6x2x4xf32>, tensor<2x6x2x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4x4xf32>) -> (tensor<2x8x4x4xf32>, tensor<2x6x2x4xf32>, tensor<2x6x2x4xf32>)
  return %r#0, %r#1, %r#2 : tensor<2x8x4x4xf32>, tensor<2x6x2x4xf32>, tensor<2x6x2x4xf32>
}

// CHECK-LABEL: func.func @masked
// CHECK: train.divide
func.func @masked(%q: tensor<2x8x4x4xf32>, %k: tensor<2x6x2x4xf32>, %v: tensor<2x6x2x4xf32>, %m: tensor<2x1x1x6xi1>, %l: tensor<2x8x4xf32>, %d: tensor<2x8x4xf32>, %g: tensor<2x8x4x4xf32>) -> tensor<2x8x4x4xf32> {
  %r:3 = train.attention_gradient %q, %k, %v, %m, %l, %d, %g {scale = 0.5 : f64, fill = -1.0e30 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 0, 0, 1, 1, 1, 0>} : (tensor<2x8x4x4xf32>, tensor<2x6x2x4xf32>, tensor<2x6x2x4xf32>, tensor<2x1x1x6xi1>, tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4x4xf32>) -> (tensor<2x8x4x4xf32>, tensor<2x6x2x4xf32>, tensor<2x6x2x4xf32>)
  return %r#0 : tensor<2x8x4x4xf32>
}
