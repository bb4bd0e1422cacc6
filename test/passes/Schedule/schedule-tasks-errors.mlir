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
