// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --split-input-file --verify-diagnostics

// These errors can occur in an edited text.
dist.mesh @mesh [#dist.axis<"data" = 2>]
func.func @ring(%a: tensor<2xf32>) {
  // expected-error @below {{the mesh has no axis "other"}}
  %0 = dist.ring %a {
  ^bb0(%b: tensor<i32>, %x: tensor<2xf32>, %s: tensor<2xf32>):
    %1 = train.add %x, %s : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    dist.yield %1 : tensor<2xf32>
  } {axes = ["other"], moved = 0 : i64, passed = 1 : i64, starts = [0.0], what = "activation", value = "a", why = ""} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

dist.mesh @mesh [#dist.axis<"data" = 2>]
func.func @ring(%a: tensor<2xf32>) {
  // expected-error @below {{passes 2 of 1 operands and 0 of 1 results}}
  %0 = dist.ring %a {
  ^bb0(%b: tensor<i32>, %x: tensor<2xf32>, %s: tensor<2xf32>):
    %1 = train.add %x, %s : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    dist.yield %1 : tensor<2xf32>
  } {axes = ["data"], moved = 0 : i64, passed = 2 : i64, starts = [0.0], what = "activation", value = "a", why = ""} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

dist.mesh @mesh [#dist.axis<"data" = 2>]
func.func @ring(%a: tensor<2xf32>) {
  // expected-error @below {{expected a start for each of 1 results, found 2}}
  %0 = dist.ring %a {
  ^bb0(%b: tensor<i32>, %x: tensor<2xf32>, %s: tensor<2xf32>):
    %1 = train.add %x, %s : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    dist.yield %1 : tensor<2xf32>
  } {axes = ["data"], moved = 0 : i64, passed = 1 : i64, starts = [0.0, 0.0], what = "activation", value = "a", why = ""} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

dist.mesh @mesh [#dist.axis<"data" = 2>]
func.func @ring(%a: tensor<2xf32>) {
  // expected-error @below {{expected a body that takes the index of a device, the operands and the results}}
  %0 = dist.ring %a {
  ^bb0(%x: tensor<2xf32>, %s: tensor<2xf32>):
    dist.yield %s : tensor<2xf32>
  } {axes = ["data"], moved = 0 : i64, passed = 1 : i64, starts = [0.0], what = "activation", value = "a", why = ""} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

dist.mesh @mesh [#dist.axis<"data" = 2>]
func.func @ring(%a: tensor<2xf32>) {
  // expected-error @below {{expected a body that yields the results}}
  %0 = dist.ring %a {
  ^bb0(%b: tensor<i32>, %x: tensor<2xf32>, %s: tensor<2xf32>):
    dist.yield
  } {axes = ["data"], moved = 0 : i64, passed = 1 : i64, starts = [0.0], what = "activation", value = "a", why = ""} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @sums(%q: tensor<4x2x4xbf16>, %b: tensor<i32>, %m: tensor<4x2xf32>, %s: tensor<4x2x4xbf16>) {
  // expected-error @below {{expected a sum so far of 'f32', found 'bf16'}}
  %0:3 = train.attention_block %q, %q, %q, %b, %m, %m, %s {all_keys = 8 : i64, fill = -1.0e30 : f64, scale = 0.5 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 1, 1, 1, 1>} : (tensor<4x2x4xbf16>, tensor<4x2x4xbf16>, tensor<4x2x4xbf16>, tensor<i32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2x4xbf16>) -> (tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2x4xbf16>)
  return
}

// -----

func.func @mask(%q: tensor<4x2x4xf32>, %n: tensor<2x4x4xi1>, %b: tensor<i32>, %m: tensor<4x2xf32>) {
  // expected-error @below {{expected a mask that broadcasts to [2x4x8], found [2x4x4]}}
  %0:3 = train.attention_block %q, %q, %q, %n, %b, %m, %m, %q {all_keys = 8 : i64, fill = -1.0e30 : f64, scale = 0.5 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 0, 1, 1, 1, 1>} : (tensor<4x2x4xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>, tensor<2x4x4xi1>, tensor<i32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2x4xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2x4xf32>)
  return
}

// -----

func.func @keys(%q: tensor<4x2x4xf32>, %b: tensor<i32>, %m: tensor<4x2xf32>) {
  // expected-error @below {{expected at least one key, found 0}}
  %0:3 = train.attention_block %q, %q, %q, %b, %m, %m, %q {all_keys = 0 : i64, fill = -1.0e30 : f64, scale = 0.5 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 1, 1, 1, 1>} : (tensor<4x2x4xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>, tensor<i32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2x4xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2x4xf32>)
  return
}
