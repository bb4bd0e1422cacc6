// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --zcc-schedule-tasks --split-input-file --verify-diagnostics

// expected-error @+1 {{argument 0 of the task names no state, input, value or other source}}
func.func @forward(%a: tensor<4xf32>) attributes {dist.task = "forward", dist.stage = 0 : i64} {
  return
}

// -----

// expected-error @+1 {{result 0 of the task names no state, value or output}}
func.func @forward(%a: tensor<4xf32> {dist.value = "v"}) -> tensor<4xf32> attributes {dist.task = "forward", dist.stage = 0 : i64} {
  %0 = train.abs %a : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error @+1 {{stage 0 has accumulators but no dist.schedule}}
func.func @forward(%a: tensor<4xf32> {dist.value = "v"}) -> (tensor<4xf32> {dist.accumulate = "sum"}) attributes {dist.task = "forward", dist.stage = 0 : i64} {
  %0 = train.abs %a : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

dist.mesh @mesh [#dist.axis<"data" = 2>]
func.func @forward() -> (tensor<i32> {dist.value = "v"}) attributes {dist.task = "forward", dist.stage = 0 : i64} {
  // expected-error @+1 {{the mesh has no axis 'tensor'}}
  %0 = dist.coordinate ["tensor"] : tensor<i32>
  return %0 : tensor<i32>
}

// -----

dist.mesh @mesh [#dist.axis<"context" = 3>]
func.func @forward(%q: tensor<4x2x4xf64> {dist.value = "q"}) -> (tensor<4x2x4xf64> {dist.value = "o"}) attributes {dist.task = "forward", dist.stage = 0 : i64} {
  // expected-error @+1 {{no kernel can be made of a turn: attention in f64}}
  %0:3 = dist.ring %q, %q, %q {
  ^bb0(%b: tensor<i32>, %x: tensor<4x2x4xf64>, %y: tensor<4x2x4xf64>, %z: tensor<4x2x4xf64>, %m: tensor<4x2xf64>, %t: tensor<4x2xf64>, %s: tensor<4x2x4xf64>):
    %1:3 = train.attention_block %x, %y, %z, %b, %m, %t, %s {after = 0 : i64, all_keys = 12 : i64, fill = -1.0e30 : f64, scale = 0.5 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 1, 1, 1, 1>} : (tensor<4x2x4xf64>, tensor<4x2x4xf64>, tensor<4x2x4xf64>, tensor<i32>, tensor<4x2xf64>, tensor<4x2xf64>, tensor<4x2x4xf64>) -> (tensor<4x2xf64>, tensor<4x2xf64>, tensor<4x2x4xf64>)
    dist.yield %1#0, %1#1, %1#2 : tensor<4x2xf64>, tensor<4x2xf64>, tensor<4x2x4xf64>
  } {axes = ["context"], moved = 0 : i64, passed = 2 : i64, starts = [0xFFF0000000000000 : f64, 0.0, 0.0], what = "activation", value = "m.py:1", why = ""} : (tensor<4x2x4xf64>, tensor<4x2x4xf64>, tensor<4x2x4xf64>) -> (tensor<4x2xf64>, tensor<4x2xf64>, tensor<4x2x4xf64>)
  return %0#2 : tensor<4x2x4xf64>
}

// -----

// expected-error @+1 {{expected 'dist.task' to be a kind of task, found "sideways"}}
func.func @forward() attributes {dist.task = "sideways", dist.stage = 0 : i64} {
  return
}
