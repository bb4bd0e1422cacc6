// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --split-input-file --verify-diagnostics --zcc-verify-graph

func.func @loss(%a: tensor<f32> {zcc.parameter = "a"}) -> (tensor<f32> {zcc.result = "loss"}) {
  %0 = train.negate %a : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----
func.func @loss(%a: tensor<f32> {zcc.parameter = "a"}) -> (tensor<f32> {zcc.result = "loss"}) {
  // expected-error @+1 {{expected an op of train, got 'stablehlo.negate'}}
  %0 = stablehlo.negate %a : tensor<f32>
  return %0 : tensor<f32>
}

// -----
func.func @loss(
    // expected-error @+1 {{expected argument 0 to have one of zcc.parameter, zcc.input and zcc.state, got 0}}
    %a: tensor<f32>) -> (tensor<f32> {zcc.result = "loss"}) {
  return %a : tensor<f32>
}

// -----
// expected-error @+1 {{expected the attribute zcc.result on result 0}}
func.func @loss(%a: tensor<f32> {zcc.parameter = "a"}) -> tensor<f32> {
  return %a : tensor<f32>
}

// -----
func.func @loss(
    // expected-error @+1 {{expected zcc.part within zcc.file_shape, got 2 of 2}}
    %a: tensor<f32> {zcc.parameter = "a", zcc.part = array<i64: 2>, zcc.file_shape = array<i64: 2>}) -> (tensor<f32> {zcc.result = "loss"}) {
  return %a : tensor<f32>
}

// -----
func.func @loss(%a: tensor<f32> {zcc.parameter = "a"}) -> (tensor<f32> {zcc.result = "loss"}) {
  // expected-error @+2 {{expected no values of f8E4M3FN, got 'tensor<f8E4M3FN>'}}
  // expected-note @+1 {{give such arrays as bf16, and write the rounding with ops on f32; --compress=f8 stores residuals in f8}}
  %0 = train.convert %a : (tensor<f32>) -> tensor<f8E4M3FN>
  %1 = train.convert %0 : (tensor<f8E4M3FN>) -> tensor<f32>
  return %1 : tensor<f32>
}

// -----
func.func @loss(%a: tensor<f32> {zcc.parameter = "a"}, %b: tensor<2xi32> {zcc.state = "b"})
    -> (tensor<f32> {zcc.result = "loss"}, tensor<2xi32> {zcc.state = "b"}) {
  return %a, %b : tensor<f32>, tensor<2xi32>
}

// -----
// expected-error @+1 {{expected result 1 to be the new value of an argument of its type with zcc.state = "b"}}
func.func @loss(%a: tensor<f32> {zcc.parameter = "a"}, %b: tensor<2xi32> {zcc.state = "b"})
    -> (tensor<f32> {zcc.result = "loss"}, tensor<f32> {zcc.state = "b"}) {
  return %a, %a : tensor<f32>, tensor<f32>
}

// -----
func.func @loss(%a: tensor<f32> {zcc.parameter = "a"},
    // expected-error @+2 {{expected argument 1, which has zcc.state, to be whole on all devices, got zcc.sharding = }}
    // expected-note @+1 {{leave out its annotation}}
    %b: tensor<2xf32> {zcc.state = "b", zcc.sharding = [["data"]]}) -> (tensor<f32> {zcc.result = "loss"}) {
  return %a : tensor<f32>
}

// -----
// Arrays are marked.
func.func @loss(%a: tensor<4xf32> {zcc.parameter = "a"}, %b: tensor<f32> {zcc.parameter = "b"})
    -> (tensor<4xf32> {zcc.result = "y", zcc.array}, tensor<f32> {zcc.result = "b"}) {
  return %a, %b : tensor<4xf32>, tensor<f32>
}

// -----
// expected-error @+2 {{expected result 1 to be a scalar, got 'tensor<4xf32>'}}
// expected-note @+1 {{reduce it: the loss and metrics are numbers}}
func.func @loss(%a: tensor<4xf32> {zcc.parameter = "a"}, %b: tensor<f32> {zcc.parameter = "b"})
    -> (tensor<f32> {zcc.result = "loss"}, tensor<4xf32> {zcc.result = "y"}) {
  return %b, %a : tensor<f32>, tensor<4xf32>
}
