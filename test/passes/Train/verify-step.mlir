// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --zcc-verify-step --split-input-file --verify-diagnostics

// expected-error @below {{expected a function @step of one block}}
module {
}

// -----

// expected-error @below {{argument 0 of @step: expected 'zcc.kind' input, hyper or a kind of state, parameter, master, slot, variable or ema}}
func.func @step(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}

// -----

func.func @step(%x: tensor<f32> {zcc.kind = "input", zcc.input = "x"},
    // expected-error @below {{argument 1 of @step: a parameter stands too late}}
    %w: tensor<f32> {zcc.kind = "parameter", zcc.parameter = "w"}) -> tensor<f32> {
  return %x : tensor<f32>
}

// -----

// expected-error @below {{'w:moment1' is never updated}}
func.func @step(%w: tensor<f32> {zcc.kind = "parameter", zcc.parameter = "w"}, %m: tensor<f32> {zcc.kind = "slot", zcc.slot = "moment1", zcc.initial = 0.0 : f64, zcc.parameter = "w"})
    -> (tensor<f32> {zcc.kind = "output", zcc.output = "loss", zcc.result = "loss"}) {
  return %w : tensor<f32>
}

// -----

// expected-error @below {{result 0: 'w' goes in as 'tensor<f32>' and comes out as 'tensor<bf16>'}}
func.func @step(%w: tensor<f32> {zcc.kind = "parameter", zcc.parameter = "w"}) -> (tensor<bf16> {zcc.kind = "parameter", zcc.parameter = "w"},
    tensor<f32> {zcc.kind = "output", zcc.output = "loss", zcc.result = "loss"}) {
  %0 = train.convert %w {train.tag = "update"} : (tensor<f32>) -> tensor<bf16>
  return %0, %w : tensor<bf16>, tensor<f32>
}

// -----

func.func @step(%w: tensor<f32> {zcc.kind = "parameter", zcc.parameter = "w"})
    -> (tensor<f32> {zcc.kind = "output", zcc.output = "loss", zcc.result = "loss"}) {
  // expected-note @below {{tagged "backward"}}
  %0 = train.negate %w {train.tag = "backward"} : (tensor<f32>) -> tensor<f32>
  // expected-error @below {{reads a value of a later tag}}
  %1 = train.negate %0 {train.tag = "forward"} : (tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}

// -----

func.func @step(%w: tensor<f32> {zcc.kind = "parameter", zcc.parameter = "w"})
    -> (tensor<f32> {zcc.kind = "output", zcc.output = "loss", zcc.result = "loss"}) {
  // expected-error @below {{expected 'train.tag' forward, backward or update}}
  %0 = train.negate %w : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @step(%w: tensor<f32> {zcc.kind = "parameter", zcc.parameter = "w"})
    -> (tensor<f32> {zcc.kind = "output", zcc.output = "loss", zcc.result = "loss"}) {
  // expected-error @below {{names @v, which is no parameter}}
  dist.observe %w {scaled = false, states = [@v], train.tag = "update"} : tensor<f32>
  return %w : tensor<f32>
}

// -----

func.func @step(%w: tensor<4x2xf32> {zcc.kind = "parameter", zcc.parameter = "w"},
    // expected-error @below {{argument 1 of @step: expected 'zcc.slot' of a slot}}
    %m: tensor<4x2xf32> {zcc.kind = "slot", zcc.parameter = "w"}) -> tensor<4x2xf32> {
  return %w : tensor<4x2xf32>
}

// -----

func.func @step(%w: tensor<4x2xf32> {zcc.kind = "parameter", zcc.parameter = "w"},
    // expected-error @below {{argument 1 of @step: expected the shape of dims array<i64: 1> of 'tensor<4x2xf32>', found 'tensor<4xf32>'}}
    %m: tensor<4xf32> {zcc.kind = "slot", zcc.slot = "rows", zcc.initial = 0.0 : f64, zcc.dims = array<i64: 1>, zcc.parameter = "w"}) -> tensor<4x2xf32> {
  return %w : tensor<4x2xf32>
}

// -----

func.func @step(%w: tensor<4x2xf32> {zcc.kind = "parameter", zcc.parameter = "w"},
    // expected-error @below {{argument 1 of @step: expected ascending dims of 'tensor<4x2xf32>' in 'zcc.dims', found array<i64: 2>}}
    %m: tensor<4xf32> {zcc.kind = "slot", zcc.slot = "rows", zcc.initial = 0.0 : f64, zcc.dims = array<i64: 2>, zcc.parameter = "w"}) -> tensor<4x2xf32> {
  return %w : tensor<4x2xf32>
}

// -----

// expected-error @below {{result 0: expected 'zcc.output' to be loss, metric, gradient_norm, finite, gradient_squares or array, found "los"}}
func.func @step(%x: tensor<f32> {zcc.kind = "input", zcc.input = "x"}) -> (tensor<f32> {zcc.kind = "output", zcc.output = "los", zcc.result = "loss"}) {
  return %x : tensor<f32>
}

// -----

func.func @step(%w: tensor<4xf32> {zcc.kind = "parameter", zcc.parameter = "w"},
    // expected-error @below {{argument 1 of @step: expected 'zcc.state' of a variable}}
    %m: tensor<4xf32> {zcc.kind = "variable"}) -> tensor<4xf32> {
  return %w : tensor<4xf32>
}

// -----

func.func @step(%m: tensor<4xf32> {zcc.kind = "variable", zcc.state = "m"},
    // expected-error @below {{argument 1 of @step: a parameter stands too late}}
    %w: tensor<4xf32> {zcc.kind = "parameter", zcc.parameter = "w"}) -> tensor<4xf32> {
  return %w : tensor<4xf32>
}

// -----

// Without hyper an array may stand first.
func.func @step(%w: tensor<4xf32> {zcc.kind = "parameter", zcc.parameter = "w"}) -> (tensor<4xf32> {zcc.kind = "output", zcc.output = "array", zcc.result = "y"}) {
  return %w : tensor<4xf32>
}

// -----

// expected-error @below {{result 0: an array, in a step that has gradients}}
func.func @step(%w: tensor<4xf32> {zcc.kind = "parameter", zcc.parameter = "w"}, %h: tensor<16xf32> {zcc.kind = "hyper"})
    -> (tensor<4xf32> {zcc.kind = "output", zcc.output = "array", zcc.result = "y"}) {
  return %w : tensor<4xf32>
}
