// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What cannot be trained through is refused by name and place.
// RUN: zcc-opt %s --split-input-file --verify-diagnostics --zcc-convert-to-train

func.func @main(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @+1 {{'stablehlo.cholesky' cannot be used in training}}
  %0 = stablehlo.cholesky %a, lower = true : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'stablehlo.complex' cannot be used in training: expected float or integer tensors, got tensor<4xcomplex<f32>>}}
  %0 = stablehlo.complex %a, %a : tensor<4xcomplex<f32>>
  %1 = stablehlo.real %0 : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'stablehlo.custom_call' cannot be used in training: the custom call @lapack_spotrf_ffi is not known}}
  %0 = stablehlo.custom_call @lapack_spotrf_ffi(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----
func.func @main(%a: tensor<4x8xf32>, %s: tensor<f32>) -> tensor<4xf32> {
  // expected-error @+1 {{'stablehlo.reduce' cannot be used in training: expected a reducer that adds}}
  %0 = stablehlo.reduce(%a init: %s) across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
   reducer(%x: tensor<f32>, %y: tensor<f32>)  {
    %1 = stablehlo.atan2 %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }
  return %0 : tensor<4xf32>
}

// -----
func.func @main(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{'stablehlo.sort' cannot be used in training: expected a comparator that orders by one operand after the other}}
  %0:2 = "stablehlo.sort"(%a, %b) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>, %u: tensor<f32>, %v: tensor<f32>):
    %s = stablehlo.add %x, %u : tensor<f32>
    %t = stablehlo.add %y, %v : tensor<f32>
    %1 = stablehlo.compare LT, %s, %t : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<4x8xf32>, tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>)
  return %0#0 : tensor<4x8xf32>
}

// -----
func.func @main(%a: tensor<f32>, %n: tensor<2xi64>) -> tensor<2x3xf32> {
  // expected-error @+1 {{'stablehlo.rng' cannot be used in training: its numbers depend on a hidden state}}
  %0 = stablehlo.rng %a, %a, %n, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----
func.func @main(%k: tensor<2xui64>) -> tensor<4xui32> {
  // expected-error @+1 {{'stablehlo.rng_bit_generator' cannot be used in training: its bits are every implementation's own}}
  %0, %1 = stablehlo.rng_bit_generator %k, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
  return %1 : tensor<4xui32>
}

// -----
// What jax.shard_map prints.
func.func private @first() { // loads stablehlo, which loads sdy
  %0 = stablehlo.constant dense<0> : tensor<i32>
  return
}
sdy.mesh @mesh = <["data"=2]>
func.func @main(%a: tensor<8x4xf32>) -> tensor<8x4xf32> {
  // expected-error @+1 {{'sdy.manual_computation' cannot be used in training: it distributes by hand (jax.shard_map)}}
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"data"}, {}]>] out_shardings=[<@mesh, [{"data"}, {}]>] manual_axes={"data"} (%arg0: tensor<4x4xf32>) {
    %1 = "stablehlo.all_reduce"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %2 = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<4x4xf32>) -> tensor<4x4xf32>
    sdy.return %1 : tensor<4x4xf32>
  } : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// -----
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.create_token : !stablehlo.token
  // expected-error @+1 {{'stablehlo.custom_call' cannot be used in training: expected float or integer tensors, got !stablehlo.token}}
  %1:2 = stablehlo.custom_call @print(%0, %a) {has_side_effect = true} : (!stablehlo.token, tensor<4xf32>) -> (!stablehlo.token, tensor<4xf32>)
  return %1#1 : tensor<4xf32>
}

// -----
// expected-note @+1 {{the other mesh is here}}
sdy.mesh @mesh = <["data"=2]>
// expected-error @+1 {{expected one mesh, got one with other axes}}
sdy.mesh @mesh_0 = <["model"=2]>
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.abs %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}
