// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random bits become a hash of positions, block by block. test/python/test_random.py compares the bits with JAX's.
// RUN: zcc-opt %s --split-input-file --zcc-convert-to-train | FileCheck %s

// The last dim is made of whole blocks of four words: no dim is mixed with another.
// CHECK-LABEL: func.func @loss
func.func @main(%k: tensor<2xui64>) -> (tensor<2xui64>, tensor<3x8xui32>) {
  // CHECK: train.iota {dim = 1 : i64} : () -> tensor<3x2xui64>
  // CHECK: train.iota {dim = 0 : i64} : () -> tensor<3x2xui64>
  // CHECK-COUNT-20: train.multiply {{.*}} : (tensor<3x2xui64>, tensor<3x2xui64>) -> tensor<3x2xui64>
  // CHECK: %[[BITS:.*]] = train.concatenate {{.*}} {dim = 2 : i64} : (tensor<3x2x1xui32>, tensor<3x2x1xui32>, tensor<3x2x1xui32>, tensor<3x2x1xui32>) -> tensor<3x2x4xui32>
  // CHECK: train.reshape %[[BITS]] : (tensor<3x2x4xui32>) -> tensor<3x8xui32>
  // CHECK: train.constant dense<6> : tensor<ui64>
  // CHECK: train.concatenate {{.*}} {dim = 0 : i64} : (tensor<1xui64>, tensor<1xui64>) -> tensor<2xui64>
  %0, %1 = stablehlo.rng_bit_generator %k, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x8xui32>)
  return %0, %1 : tensor<2xui64>, tensor<3x8xui32>
}

// -----
// Other shapes are cut from a row of blocks. Elements of 64 bits take two words.
// CHECK-LABEL: func.func @loss
func.func @main(%k: tensor<3xui64>) -> tensor<3x3xui64> {
  // CHECK: train.iota {dim = 0 : i64} : () -> tensor<5xui64>
  // CHECK: %[[BITS:.*]] = train.concatenate {{.*}} : (tensor<5x1xui64>, tensor<5x1xui64>) -> tensor<5x2xui64>
  // CHECK: %[[ROW:.*]] = train.reshape %[[BITS]] : (tensor<5x2xui64>) -> tensor<10xui64>
  // CHECK: %[[CUT:.*]] = train.slice %[[ROW]] {limit = array<i64: 9>
  // CHECK: train.reshape %[[CUT]] : (tensor<9xui64>) -> tensor<3x3xui64>
  // CHECK: train.concatenate {{.*}} : (tensor<1xui64>, tensor<1xui64>, tensor<1xui64>) -> tensor<3xui64>
  %0, %1 = stablehlo.rng_bit_generator %k, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<3x3xui64>)
  return %1 : tensor<3x3xui64>
}
