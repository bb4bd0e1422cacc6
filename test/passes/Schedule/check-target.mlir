// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --zcc-check-target --split-input-file --verify-diagnostics
// RUN: not zcc-opt %s --zcc-check-target --split-input-file 2>&1 | FileCheck %s

// Types that the CPU lacks are reported at the op, with those that it has. f8E4M3FN is only converted and moved.
// CHECK: check-target.mlir:[[#@LINE+7]]:8: error: the target 'cpu' has no arithmetic in 'f8E4M3FN'; it has 'f64', 'f32', 'f16', 'bf16', 'i1', 'i8', 'ui8',
func.func @forward(%a: tensor<4xf32> {dist.value = "v"}) -> (tensor<4xf8E4M3FN> {dist.value = "w"}) attributes {dist.task = "forward", dist.stage = 0 : i64} {
  %0 = train.abs %a : (tensor<4xf32>) -> tensor<4xf32>
  %1 = train.convert %0 : (tensor<4xf32>) -> tensor<4xf8E4M3FN>
  %2 = train.reshape %1 : (tensor<4xf8E4M3FN>) -> tensor<2x2xf8E4M3FN>
  // expected-error @+2 {{the target 'cpu' has no arithmetic in 'f8E4M3FN'; it has}}
  // expected-note @+1 {{lower the loss in one of these}}
  %3 = train.abs %2 : (tensor<2x2xf8E4M3FN>) -> tensor<2x2xf8E4M3FN>
  %4 = train.reshape %3 : (tensor<2x2xf8E4M3FN>) -> tensor<4xf8E4M3FN>
  return %4 : tensor<4xf8E4M3FN>
}

// -----

func.func @forward(%a: tensor<4xi4> {dist.value = "v"}) -> (tensor<4xi4> {dist.value = "w"}) attributes {dist.task = "forward", dist.stage = 0 : i64} {
  // expected-error @+2 {{the target 'cpu' has no arithmetic in 'i4'}}
  // expected-note @+1 {{lower the loss in one of these}}
  %0 = train.add %a, %a : (tensor<4xi4>, tensor<4xi4>) -> tensor<4xi4>
  // expected-error @+2 {{the target 'cpu' has no arithmetic in 'i4'}}
  // expected-note @+1 {{lower the loss in one of these}}
  return %0 : tensor<4xi4>
}

// -----

// In a ring too.
dist.mesh @mesh [#dist.axis<"context" = 3>]
func.func @forward(%q: tensor<4x2x4xf64> {dist.value = "q"}) -> (tensor<4x2x4xf64> {dist.value = "o"}) attributes {dist.task = "forward", dist.stage = 0 : i64} {
  %0:3 = dist.ring %q, %q, %q {
  ^bb0(%b: tensor<i32>, %x: tensor<4x2x4xf64>, %y: tensor<4x2x4xf64>, %z: tensor<4x2x4xf64>, %m: tensor<4x2xf64>, %t: tensor<4x2xf64>, %s: tensor<4x2x4xf64>):
    // expected-error @+2 {{the target 'cpu' has no attention in f64}}
    // expected-note @+1 {{write it with other ops, or try --target=reference}}
    %1:3 = train.attention_block %x, %y, %z, %b, %m, %t, %s {after = 0 : i64, all_keys = 12 : i64, fill = -1.0e30 : f64, scale = 0.5 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 1, 1, 1, 1>} : (tensor<4x2x4xf64>, tensor<4x2x4xf64>, tensor<4x2x4xf64>, tensor<i32>, tensor<4x2xf64>, tensor<4x2xf64>, tensor<4x2x4xf64>) -> (tensor<4x2xf64>, tensor<4x2xf64>, tensor<4x2x4xf64>)
    dist.yield %1#0, %1#1, %1#2 : tensor<4x2xf64>, tensor<4x2xf64>, tensor<4x2x4xf64>
  } {axes = ["context"], moved = 0 : i64, passed = 2 : i64, starts = [0xFFF0000000000000 : f64, 0.0, 0.0], what = "activation", value = "m.py:1", why = ""} : (tensor<4x2x4xf64>, tensor<4x2x4xf64>, tensor<4x2x4xf64>) -> (tensor<4x2xf64>, tensor<4x2xf64>, tensor<4x2x4xf64>)
  return %0#2 : tensor<4x2x4xf64>
}
