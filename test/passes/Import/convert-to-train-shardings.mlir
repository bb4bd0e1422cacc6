// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// JAX's sharding annotations go to arguments, constraints and the module.
// RUN: zcc-opt %s --zcc-convert-to-train --verify-diagnostics | FileCheck %s
// RUN: zcc-opt %s | FileCheck %s --check-prefix=TEXT

// CHECK: module attributes {zcc.mesh_axes = ["data", "model"], zcc.mesh_sizes = array<i64: 4, 2>}
module {
  func.func private @first() { // loads stablehlo, which loads sdy
    %0 = stablehlo.constant dense<0> : tensor<i32>
    return
  }
  // TEXT: sdy.mesh @mesh = <["data"=4, "model"=2]>
  sdy.mesh @mesh = <["data"=4, "model"=2]> {stablehlo.mesh = {axes = [{name = "data", size = 4 : i64}]}}
  // The same axes, and no axes: no other mesh.
  sdy.mesh @mesh_0 = <["data"=4, "model"=2]>
  sdy.mesh @empty = <[]>
  // CHECK: @loss(%[[W:.*]]: tensor<8x8xf32> {zcc.sharding = {{\[\[}}], ["model"]]}, %{{.*}}: tensor<16x8xf32> {zcc.replicated = ["model:(2)1"], zcc.sharding = {{\[\[}}"data", "model:(1)2"], ["?"]]},
  // TEXT: #sdy.sharding<@mesh, [{"data", "model":(1)2}, {?}], replicated={"model":(2)1}>
  func.func public @main(%w: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}p1]>},
      %x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data", "model":(1)2}, {?}], replicated={"model":(2)1}>},
      // A part of a stack has the sharding of the stack.
      // CHECK-SAME: zcc.sharding = {{\[\[}}], [], ["model"]]
      %s: tensor<8x8xf32> {zcc.parameter = "s", zcc.part = array<i64: 1, 0, 0>, zcc.file_shape = array<i64: 2, 8, 8>, sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"model"}]>},
      // expected-warning @+1 {{the sharding of argument 3 is ignored: expected sdy.sharding}}
      %y: tensor<16x8xf32> {mhlo.sharding = "{replicated}"}) -> tensor<16x8xf32> {
    // A constraint on a parameter stays one on its use.
    // CHECK: %[[V:.*]] = train.sharding_constraint %[[W]] {sharding = {{\[\[}}], []]}
    %v = sdy.sharding_constraint %w <@mesh, [{}, {}]> : tensor<8x8xf32>
    // CHECK: %[[DOT:.*]] = train.dot_general
    %0 = stablehlo.dot_general %x, %v, contracting_dims = [1] x [0] : (tensor<16x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
    // CHECK: %[[A:.*]] = train.sharding_constraint %[[DOT]] {replicated = ["model"], sharding = {{\[\[}}"data"], ["?"]]}
    // TEXT: sdy.sharding_constraint %{{.*}} <@mesh, [{"data"}, {?}], replicated={"model"}> : tensor<16x8xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{"data"}, {?}], replicated={"model"}> : tensor<16x8xf32>
    // One after the other: both are asked for.
    // CHECK: %[[B:.*]] = train.sharding_constraint %[[A]] {sharding = {{\[\[}}"data"], ["model"]]}
    %2 = sdy.sharding_constraint %1 <@mesh, [{"data"}, {"model"}]> : tensor<16x8xf32>
    // Says nothing.
    // CHECK: train.tanh %[[B]]
    %3 = sdy.sharding_constraint %2 <@mesh, [{?}, {?}]> : tensor<16x8xf32>
    %4 = stablehlo.tanh %3 : tensor<16x8xf32>
    return %4 : tensor<16x8xf32>
  }
}
