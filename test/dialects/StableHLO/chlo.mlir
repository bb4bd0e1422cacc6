// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of chlo that JAX leaves in its text.
// RUN: zcc-opt %s | FileCheck %s
// RUN: zcc-opt %s --mlir-print-op-generic | zcc-opt | FileCheck %s

// CHECK-LABEL: func.func @functions
func.func @functions(%a: tensor<4x8xf32>) {
  // CHECK: chlo.erf_inv %{{.*}} : tensor<4x8xf32> -> tensor<4x8xf32>
  %0 = chlo.erf_inv %a : tensor<4x8xf32> -> tensor<4x8xf32>
  // CHECK: chlo.next_after %{{.*}}, %{{.*}} : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %1 = chlo.next_after %a, %a : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  // CHECK: chlo.is_inf %{{.*}} : tensor<4x8xf32> -> tensor<4x8xi1>
  %2 = chlo.is_inf %a : tensor<4x8xf32> -> tensor<4x8xi1>
  // CHECK: chlo.top_k(%{{.*}}, k = 2) : tensor<4x8xf32> -> (tensor<4x2xf32>, tensor<4x2xi32>)
  %values, %indices = chlo.top_k(%a, k = 2) : tensor<4x8xf32> -> (tensor<4x2xf32>, tensor<4x2xi32>)
  return
}
