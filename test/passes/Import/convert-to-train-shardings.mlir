// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// JAX's sharding annotations go to arguments, ops and the module.
// RUN: zcc-opt %s --zcc-convert-to-train --verify-diagnostics | FileCheck %s
// RUN: zcc-opt %s | FileCheck %s --check-prefix=TEXT

// CHECK: module attributes {zcc.mesh_axes = ["data", "model"], zcc.mesh_sizes = array<i64: 4, 2>}
module {
  func.func private @first() { // loads stablehlo, which loads sdy
    %0 = stablehlo.constant dense<0> : tensor<i32>
    return
  }
  // TEXT: sdy.mesh @mesh = <["data"=4, "model"=2]>
  sdy.mesh @mesh = <["data"=4, "model"=2]>
  // CHECK: @loss(%{{.*}}: tensor<8x8xf32> {zcc.sharding = {{\[\[}}], ["model"]]}, %{{.*}}: tensor<16x8xf32> {zcc.sharding = {{\[\[}}"data", "model:(1)2"], ["?"]]})
  // TEXT: #sdy.sharding<@mesh, [{"data", "model":(1)2}, {?}], replicated={"model"}>
  func.func public @main(%w: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}p1]>},
      %x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data", "model":(1)2}, {?}], replicated={"model"}>}) -> tensor<16x8xf32> {
    // CHECK: train.dot_general {{.*}}zcc.sharding = {{\[\[}}"data"], ["?"]]}
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<16x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
    // TEXT: sdy.sharding_constraint %{{.*}} <@mesh, [{"data"}, {?}]> : tensor<16x8xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{"data"}, {?}]> : tensor<16x8xf32>
    // expected-warning @+1 {{this sharding constraint is ignored}}
    %2 = sdy.sharding_constraint %x <@mesh, [{"data"}, {}]> : tensor<16x8xf32>
    %3 = stablehlo.tanh %1 : tensor<16x8xf32>
    return %3 : tensor<16x8xf32>
  }
}
