// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --split-input-file --verify-diagnostics --zcc-name-arguments

// expected-error @+2 {{expected a function @main, the loss}}
// expected-note @+1 {{jax.jit(loss).lower(params, batch).as_text(debug_info=True)}}
module {
  func.func @f() {
    return
  }
}

// -----
// expected-error @+2 {{expected the loss, a float scalar, as the first result, got 'tensor<4xf32>'}}
// expected-note @+1 {{return one number for the whole batch, such as jnp.mean(...)}}
func.func @main(%a: tensor<4xf32> {zcc.parameter = "a"}) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}

// -----
// expected-error @+2 {{expected the loss, a float scalar, as the first result, got 'tensor<i32>'}}
// expected-note @+1 {{counts have no derivative}}
func.func @main(%a: tensor<i32> {zcc.parameter = "a"}) -> tensor<i32> {
  return %a : tensor<i32>
}

// -----
// At the place where it is computed.
func.func @main(%a: tensor<4xf32> {zcc.parameter = "a"}, %b: tensor<f32> {zcc.parameter = "b"}) -> (tensor<f32>, tensor<4xf32> {jax.result_info = "result[1]['each']"}) {
  // expected-error @+2 {{expected a scalar metric as result 1, 'each', got 'tensor<4xf32>'}}
  // expected-note @+1 {{return a number of it, such as jnp.mean(...), leave it out, or compile with --optimizer=forward}}
  %0 = stablehlo.abs %a : tensor<4xf32>
  return %b, %0 : tensor<f32>, tensor<4xf32>
}

// -----
// expected-error @+2 {{expected at least one parameter among the arguments, got none}}
// expected-note @+1 {{loss(params, batch)}}
func.func @main(%a: tensor<f32> {zcc.input = "a"}) -> tensor<f32> {
  return %a : tensor<f32>
}

// -----
func.func @main(
    // expected-error @+2 {{expected argument 0 of static shape, got 'tensor<?xf32>'}}
    // expected-note @+1 {{pad what varies and mask it}}
    %a: tensor<?xf32> {zcc.parameter = "a"}, %b: tensor<f32> {zcc.parameter = "b"}) -> tensor<f32> {
  return %b : tensor<f32>
}

// -----
func.func @main(
    // expected-note @+1 {{argument 0 is the other}}
    %a: tensor<f32> {zcc.parameter = "w"},
    // expected-error @+2 {{two parameters are named 'w'}}
    // expected-note @+1 {{rename one}}
    %b: tensor<f32> {zcc.parameter = "w"}) -> tensor<f32> {
  return %b : tensor<f32>
}

// -----
func.func @main(
    // expected-error @+2 {{argument 0 is both a parameter and an input}}
    // expected-note @+1 {{leave out zcc.parameter or zcc.input}}
    %a: tensor<f32> {zcc.parameter = "w", zcc.input = "w"}) -> tensor<f32> {
  return %a : tensor<f32>
}

// -----
func.func @main(%w: tensor<f32> {zcc.parameter = "w"},
    // expected-error @+2 {{argument 1 is both a variable and an input}}
    // expected-note @+1 {{leave out zcc.state or the other attribute}}
    %a: tensor<f32> {zcc.state = "a", zcc.input = "a"}) -> tensor<f32> {
  return %w : tensor<f32>
}

// -----
func.func @main(
    // expected-note @+1 {{argument 0 is the other}}
    %w: tensor<f32> {zcc.parameter = "w"},
    // expected-error @+2 {{two parameters or variables are named 'w'}}
    // expected-note @+1 {{rename one}}
    %a: tensor<f32> {zcc.state = "w"}) -> tensor<f32> {
  return %w : tensor<f32>
}

// -----
// expected-error @+2 {{expected the loss, a float scalar, as the first result, got the variable 'a'}}
// expected-note @+1 {{return (loss, new values of variables)}}
func.func @main(%w: tensor<f32> {zcc.parameter = "w"}, %a: tensor<f32> {zcc.state = "a"})
    -> (tensor<f32> {zcc.state = "a"}, tensor<f32>) {
  return %a, %w : tensor<f32>, tensor<f32>
}

// -----
// expected-error @+2 {{the variable 'a' goes in as 'tensor<2xf32>' and comes out as 'tensor<f32>'}}
// expected-note @+1 {{return a new value of the same type}}
func.func @main(%w: tensor<f32> {zcc.parameter = "w"}, %a: tensor<2xf32> {zcc.state = "a"})
    -> (tensor<f32>, tensor<f32> {zcc.state = "a"}) {
  return %w, %w : tensor<f32>, tensor<f32>
}

// -----
// expected-error @+2 {{result 1 is the variable 'b', which is no argument}}
// expected-note @+1 {{mark the argument with the old value by the same zcc.state}}
func.func @main(%w: tensor<f32> {zcc.parameter = "w"}, %a: tensor<f32> {zcc.state = "a"})
    -> (tensor<f32>, tensor<f32> {zcc.state = "b"}) {
  return %w, %a : tensor<f32>, tensor<f32>
}

// -----
// expected-error @+2 {{results 1 and 2 are both the variable 'a'}}
// expected-note @+1 {{return its new value once}}
func.func @main(%w: tensor<f32> {zcc.parameter = "w"}, %a: tensor<f32> {zcc.state = "a"})
    -> (tensor<f32>, tensor<f32> {zcc.state = "a"}, tensor<f32> {zcc.state = "a"}) {
  return %w, %a, %w : tensor<f32>, tensor<f32>, tensor<f32>
}

// -----
// expected-error @+2 {{expected argument 1, which has zcc.key, to be of type tensor<2xui32>, got 'tensor<4xui32>'}}
// expected-note @+1 {{pass a key of jax.random.key(seed, impl='threefry2x32')}}
func.func @main(%w: tensor<f32> {zcc.parameter = "w"}, %k: tensor<4xui32> {zcc.key, zcc.input = "k"}) -> tensor<f32> {
  return %w : tensor<f32>
}

// -----
// expected-error @+2 {{argument 0 is both a key and a parameter}}
// expected-note @+1 {{leave out zcc.key or the other attribute}}
func.func @main(%w: tensor<2xui32> {zcc.parameter = "w", zcc.key}) -> tensor<f32> {
  %c = stablehlo.constant dense<1.0> : tensor<f32>
  return %c : tensor<f32>
}
