// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kinds, spaces and categories are text, but only the names that there are.
// RUN: zcc-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{attribute 'kind' failed to satisfy constraint: a kind of task: prologue, forward, backward, weight_backward, epilogue, init}}
exec.task @w attributes {kind = "weights", stage = 0 : i64} {
}

// -----

exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  // expected-error @below {{attribute 'space' failed to satisfy constraint: a space of buffers: accumulator, coordinates, hyper, input, key, output, state, temporary, value}}
  %0 = exec.buffer "attic" "v" {category = "temporary"} : <tensor<4xf32>>
}

// -----

exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  // expected-error @below {{attribute 'category' failed to satisfy constraint: a category of memory: gradients, optimizer, parameters, residuals, temporary, workspace}}
  %0 = exec.buffer "value" "v" {category = "gradient"} : <tensor<4xf32>>
}

// -----

exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  %0 = exec.buffer "temporary" "v" {category = "temporary"} : <tensor<4xf32>>
  // expected-error @below {{attribute 'what' failed to satisfy constraint: a kind of value that a collective moves or that is summed: activation, gradient, optimizer, parameter, scalar}}
  exec.collective all_reduce %0 -> %0 {axes = ["data"], reduction = "add", what = "", value = "v", why = ""} : <tensor<4xf32>> -> <tensor<4xf32>>
}

// -----

// expected-error @below {{attribute 'kind' failed to satisfy constraint: a kind of reported value: loss, metric, gradient_norm, finite, gradient_squares}}
dist.output @loss : tensor<f32> {kind = "los", output = "loss", stage = 0 : i64}
