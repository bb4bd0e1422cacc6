// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that have no gradient are rejected by name and place.
// RUN: zcc-opt %s --split-input-file --verify-diagnostics --zcc-convert-to-train

func.func @main(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @below {{'stablehlo.cholesky' cannot be used in training}}
  // expected-note @below {{write the decomposition or solution with basic ops: a loop of jax.lax.fori_loop}}
  %0 = stablehlo.cholesky %a, lower = true : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+2 {{'stablehlo.complex' cannot be used in training: expected float or integer tensors, got tensor<4xcomplex<f32>>}}
  // expected-note @+1 {{write the real and the imaginary part as two float arrays}}
  %0 = stablehlo.complex %a, %a : tensor<4xcomplex<f32>>
  %1 = stablehlo.real %0 : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+2 {{'stablehlo.custom_call' cannot be used in training: the custom call @lapack_spotrf_ffi is not known: a Cholesky decomposition}}
  // expected-note @+1 {{write the decomposition or solution with basic ops}}
  %0 = stablehlo.custom_call @lapack_spotrf_ffi(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----
func.func @main(%a: tensor<4x8xf32>, %s: tensor<f32>) -> tensor<4xf32> {
  // expected-error @+2 {{'stablehlo.reduce' cannot be used in training: expected a reducer that adds}}
  // expected-note @+1 {{reduce with jnp.sum, prod, max}}
  %0 = stablehlo.reduce(%a init: %s) across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
   reducer(%x: tensor<f32>, %y: tensor<f32>)  {
    %1 = stablehlo.atan2 %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }
  return %0 : tensor<4xf32>
}

// -----
func.func @main(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+2 {{'stablehlo.sort' cannot be used in training: expected a comparator that orders by one operand after the other}}
  // expected-note @+1 {{compute one key to sort by}}
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
  // expected-error @+2 {{'stablehlo.rng' cannot be used in training: its numbers depend on a hidden state}}
  // expected-note @+1 {{use jax.random, whose keys are values}}
  %0 = stablehlo.rng %a, %a, %n, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----
func.func @main(%k: tensor<2xui64>) -> tensor<4xui32> {
  // expected-error @+2 {{'stablehlo.rng_bit_generator' cannot be used in training: expected the algorithm DEFAULT or PHILOX, got THREE_FRY}}
  // expected-note @+1 {{threefry2x32}}
  %0, %1 = stablehlo.rng_bit_generator %k, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
  return %1 : tensor<4xui32>
}

// -----
func.func @main(%k: tensor<4xui32>) -> tensor<4xui32> {
  // expected-error @+2 {{'stablehlo.rng_bit_generator' cannot be used in training: expected a state of 2 or 3 elements of ui64}}
  // expected-note @+1 {{threefry2x32}}
  %0, %1 = stablehlo.rng_bit_generator %k, algorithm = DEFAULT : (tensor<4xui32>) -> (tensor<4xui32>, tensor<4xui32>)
  return %1 : tensor<4xui32>
}

// -----
func.func @main(%k: tensor<2xui64>) -> tensor<4xf32> {
  // expected-error @+2 {{'stablehlo.rng_bit_generator' cannot be used in training: expected unsigned integers of 8 to 64 bits}}
  // expected-note @+1 {{threefry2x32}}
  %0, %1 = stablehlo.rng_bit_generator %k, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xf32>)
  return %1 : tensor<4xf32>
}

// -----
// Running log-sum-exps are converted, those of windows are not.
func.func @main(%a: tensor<4x8xf32>) -> tensor<4x7xf32> {
  %inf = stablehlo.constant dense<0xFF800000> : tensor<f32>
  // expected-error @+2 {{'stablehlo.reduce_window' cannot be used in training: expected a reducer that adds, multiplies or takes the maximum or minimum}}
  // expected-note @+1 {{associative_scan}}
  %0 = "stablehlo.reduce_window"(%a, %inf) <{window_dimensions = array<i64: 1, 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.maximum %x, %y : tensor<f32>
    %2 = stablehlo.subtract %x, %y : tensor<f32>
    %3 = stablehlo.compare NE, %2, %2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %4 = stablehlo.add %x, %y : tensor<f32>
    %5 = stablehlo.abs %2 : tensor<f32>
    %6 = stablehlo.negate %5 : tensor<f32>
    %7 = stablehlo.exponential %6 : tensor<f32>
    %8 = stablehlo.log_plus_one %7 : tensor<f32>
    %9 = stablehlo.add %1, %8 : tensor<f32>
    %10 = stablehlo.select %3, %4, %9 : tensor<i1>, tensor<f32>
    stablehlo.return %10 : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x7xf32>
  return %0 : tensor<4x7xf32>
}

// -----
// jax.shard_map prints this.
func.func private @first() { // loads stablehlo, which loads sdy
  %0 = stablehlo.constant dense<0> : tensor<i32>
  return
}
sdy.mesh @mesh = <["data"=2]>
func.func @main(%a: tensor<8x4xf32>) -> tensor<8x4xf32> {
  // expected-error @+2 {{'sdy.manual_computation' cannot be used in training: it distributes by hand (jax.shard_map)}}
  // expected-note @+1 {{write what one device would compute of the whole batch, and give the devices to --mesh}}
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
  // expected-error @+2 {{'stablehlo.custom_call' cannot be used in training: expected float or integer tensors, got !stablehlo.token}}
  // expected-note @+1 {{EQX_ON_ERROR=off}}
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

// -----
// jax.debug.print and jax.pure_callback print this.
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+2 {{the custom call @xla_ffi_python_cpu_callback is not known}}
  // expected-note @+1 {{it calls back into Python (jax.debug.print, jax.pure_callback, checks): remove the call}}
  %0 = stablehlo.custom_call @xla_ffi_python_cpu_callback(%a) {has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+2 {{the custom call @fast_norm is not known}}
  // expected-note @+1 {{kernels from outside have no derivative that is known here: use the implementation in plain jax.numpy}}
  %0 = stablehlo.custom_call @fast_norm(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
