// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Unknown attributes of functions, arguments and ops are kept.
// RUN: zcc-opt %s | FileCheck %s

// CHECK: module @m attributes {mhlo.num_partitions = 1 : i32}
module @m attributes {mhlo.num_partitions = 1 : i32} {
  // CHECK: func.func public @main(%{{.*}}: tensor<f32> {jax.buffer_donor = true, tf.aliasing_output = 0 : i32}) -> (tensor<f32> {jax.result_info = "result"})
  func.func public @main(%a: tensor<f32> {jax.buffer_donor = true, tf.aliasing_output = 0 : i32}) -> (tensor<f32> {jax.result_info = "result"}) {
    // CHECK: stablehlo.abs %{{.*}} {mhlo.frontend_attributes = {a = "b"}, x = #stablehlo.some_new_attribute<dims = [1], mode = FAST>}
    %0 = stablehlo.abs %a {mhlo.frontend_attributes = {a = "b"}, x = #stablehlo.some_new_attribute<dims = [1], mode = FAST>} : tensor<f32>
    return %0 : tensor<f32>
  }
}
