// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --zcc-split-tasks --split-input-file --verify-diagnostics

dist.mesh @mesh [#dist.axis<"micro" = 2 temporal>]
func.func @step(%x: tensor<4xf32> {dist.global = tensor<8xf32>, dist.sharding = #dist.sharding<@mesh, [{"micro"}]>, zcc.kind = "input", zcc.input = "x"})
    -> (tensor<4xf32> {zcc.kind = "output", zcc.output = "metric"}) {
  // expected-note @below {{which is computed here}}
  %0 = train.tanh %x {dist.region = "micro", train.tag = "forward"} : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @below {{in the task 'epilogue' reads a value of the task 'forward', of a single microbatch}}
  %1 = train.tanh %0 {dist.region = "after", train.tag = "update"} : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

dist.mesh @mesh [#dist.axis<"micro" = 2 temporal>]
func.func @step(%x: tensor<4xf32> {dist.global = tensor<8xf32>, dist.sharding = #dist.sharding<@mesh, [{"micro"}]>, zcc.kind = "input", zcc.input = "x"})
    -> (tensor<4xf32> {zcc.kind = "output", zcc.output = "metric"}) {
  %0 = train.tanh %x {dist.region = "micro", train.tag = "forward"} : (tensor<4xf32>) -> tensor<4xf32>
  // expected-note @below {{which is computed here}}
  %1 = dist.accumulate %0 {reduction = "add", what = "activation", value = "", why = ""} : tensor<4xf32>
  // expected-error @below {{in the task 'backward' reads a value of the task 'forward', before the last microbatch}}
  %2 = train.tanh %1 {dist.region = "micro", train.tag = "backward"} : (tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

dist.mesh @mesh [#dist.axis<"data" = 2>]
func.func @step(%x: tensor<4xf32> {dist.global = tensor<8xf32>, dist.sharding = #dist.sharding<@mesh, [{"data"}]>, zcc.kind = "input", zcc.input = "x"})
    -> (tensor<4xf32> {zcc.kind = "output", zcc.output = "metric"}) {
  // expected-note @below {{which is computed here}}
  %0 = train.tanh %x {dist.region = "micro", train.tag = "backward"} : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @below {{in the task 'forward' reads a value of the task 'backward', of a later task}}
  %1 = train.tanh %0 {dist.region = "micro", train.tag = "forward"} : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

dist.mesh @mesh [#dist.axis<"data" = 2>]
func.func @step(%x: tensor<4xf32> {dist.global = tensor<8xf32>, dist.sharding = #dist.sharding<@mesh, [{"data"}]>, zcc.kind = "input", zcc.input = "x"})
    -> (tensor<4xf32> {zcc.kind = "output", zcc.output = "metric"}) {
  // expected-error @below {{to be survey, before, micro or after, found "during"}}
  %0 = train.tanh %x {dist.region = "during", train.tag = "forward"} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

dist.mesh @mesh [#dist.axis<"micro" = 2 temporal>]
func.func @step(%x: tensor<4xf32> {dist.global = tensor<8xf32>, dist.sharding = #dist.sharding<@mesh, [{"micro"}]>, zcc.kind = "input", zcc.input = "x"})
    -> (tensor<4xf32> {zcc.kind = "output", zcc.output = "metric"}) {
  // expected-error @below {{in the task 'epilogue', which runs once, asks for what a microbatch has}}
  %0 = train.tanh %x {dist.region = "after", train.tag = "update"} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Each task computes for itself what is next to free: a constant, the place of the rows; but not after the loop what differs
// between the microbatches.
dist.mesh @mesh [#dist.axis<"micro" = 2 temporal>, #dist.axis<"data" = 2>]
func.func @step(%x: tensor<4xf32> {dist.global = tensor<8xf32>, dist.sharding = #dist.sharding<@mesh, [{"micro"}]>, zcc.kind = "input", zcc.input = "x"})
    -> (tensor<4xf32> {zcc.kind = "output", zcc.output = "metric"}) {
  %one = train.constant {dist.region = "micro", train.tag = "forward"} dense<1.0> : tensor<4xf32>
  // expected-note @below {{which is computed here}}
  %two = train.add %x, %one {dist.region = "micro", train.tag = "forward"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %0 = train.tanh %two {dist.region = "survey", train.tag = "forward"} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = dist.accumulate %0 {reduction = "add", what = "activation", value = "", why = ""} : tensor<4xf32>
  %2 = train.add %1, %one {dist.region = "after", train.tag = "update"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // expected-error @below {{in the task 'epilogue' reads a value of the task 'forward', of a single microbatch}}
  %3 = train.add %2, %two {dist.region = "after", train.tag = "update"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}

// -----

dist.mesh @mesh [#dist.axis<"pipe" = 2>]
func.func @step(%x: tensor<4xf32> {dist.global = tensor<4xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>, zcc.kind = "input", zcc.input = "x"})
    -> (tensor<4xf32> {zcc.kind = "output", zcc.output = "metric"}) {
  %0 = train.tanh %x {train.tag = "forward"} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = train.tanh %0 {dist.stage = 1 : i64, train.tag = "forward"} : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @below {{in the task 'forward' of stage 0 reads a value of stage 1, which itself waits for it}}
  %2 = train.tanh %1 {train.tag = "forward"} : (tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

dist.mesh @mesh [#dist.axis<"pipe" = 2>]
// expected-error @below {{'x' is used on stages 0 and 1, but can live on one alone (not yet)}}
func.func @step(%x: tensor<4xf32> {dist.global = tensor<4xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>, zcc.kind = "input", zcc.input = "x"})
    -> (tensor<4xf32> {zcc.kind = "output", zcc.output = "metric"}) {
  %0 = train.tanh %x {train.tag = "forward"} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = train.add %0, %x {dist.stage = 1 : i64, train.tag = "forward"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

dist.mesh @mesh [#dist.axis<"data" = 2>]
func.func @step(%x: tensor<4xf32> {dist.global = tensor<8xf32>, dist.sharding = #dist.sharding<@mesh, [{"data"}]>, zcc.kind = "input", zcc.input = "x"})
    -> (tensor<4xf32> {zcc.kind = "output", zcc.output = "metric"}) {
  // expected-error @below {{expected 'dist.chunk' to be an i64 from 0 to 65535, found "first"}}
  %0 = train.tanh %x {dist.chunk = "first", train.tag = "forward"} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
