// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --zcc-hoist-collectives --zcc-verify-schedule | FileCheck %s

// Kernels that need the microbatch's number stay in its run; those that need the device's index join the run before.

dist.mesh @mesh [#dist.axis<"micro" = 2 temporal>, #dist.axis<"data" = 2>]
dist.state @w : tensor<64xf32> {kind = "parameter", parameter = "w", file_type = tensor<64xf32>, start = array<i64: 0>, extent = array<i64: 64>, sharding = #dist.sharding<@mesh, [{}]>, stage = 0 : i64}
func.func private @rows(%at: tensor<2xi32>, %w: tensor<64xf32>) -> tensor<32xf32> attributes {exec.kernel} {
  %0 = train.slice %at {start = array<i64: 0>, limit = array<i64: 1>, stride = array<i64: 1>} : (tensor<2xi32>) -> tensor<1xi32>
  %1 = train.reshape %0 : (tensor<1xi32>) -> tensor<i32>
  %2 = train.dynamic_slice %w, %1 {sizes = array<i64: 32>} : (tensor<64xf32>, tensor<i32>) -> tensor<32xf32>
  return %2 : tensor<32xf32>
}
func.func private @shard(%at: tensor<2xi32>, %w: tensor<64xf32>) -> tensor<32xf32> attributes {exec.kernel} {
  %0 = train.slice %at {start = array<i64: 1>, limit = array<i64: 2>, stride = array<i64: 1>} : (tensor<2xi32>) -> tensor<1xi32>
  %1 = train.reshape %0 : (tensor<1xi32>) -> tensor<i32>
  %2 = train.dynamic_slice %w, %1 {sizes = array<i64: 32>} : (tensor<64xf32>, tensor<i32>) -> tensor<32xf32>
  return %2 : tensor<32xf32>
}

// CHECK-LABEL: exec.task @first
// CHECK: exec.fill
// CHECK-NOT: @rows
// CHECK-LABEL: exec.task @second
// CHECK: exec.launch @rows
// CHECK: exec.collective all_reduce
// CHECK-NOT: @shard
// CHECK-LABEL: exec.task @last
exec.task @first attributes {kind = "forward", stage = 0 : i64} {
  %v = exec.buffer "accumulator" "v" {category = "residuals"} : <tensor<32xf32>>
  exec.fill %v {value = 0 : i64} : <tensor<32xf32>>
}
exec.task @second attributes {kind = "forward", stage = 0 : i64} {
  %at = exec.buffer "coordinates" "coordinates" {category = "temporary"} : <tensor<2xi32>>
  %w = exec.buffer "state" "w" {category = "parameters"} : <tensor<64xf32>>
  %r = exec.buffer "temporary" "r" {category = "temporary"} : <tensor<32xf32>>
  %s = exec.buffer "temporary" "s" {category = "temporary"} : <tensor<32xf32>>
  exec.launch @rows(%at, %w) -> (%r) : (!exec.buffer<tensor<2xi32>>, !exec.buffer<tensor<64xf32>>) -> !exec.buffer<tensor<32xf32>>
  exec.collective "all_reduce" %r -> %r {axes = ["data"], reduction = "add", what = "activation", value = "r", why = ""} : <tensor<32xf32>> -> <tensor<32xf32>>
  exec.launch @shard(%at, %w) -> (%s) : (!exec.buffer<tensor<2xi32>>, !exec.buffer<tensor<64xf32>>) -> !exec.buffer<tensor<32xf32>>
  exec.collective "all_reduce" %s -> %s {axes = ["data"], reduction = "add", what = "activation", value = "s", why = ""} : <tensor<32xf32>> -> <tensor<32xf32>>
}
exec.task @last attributes {kind = "epilogue", stage = 0 : i64} {
  %v = exec.buffer "accumulator" "v" {category = "residuals"} : <tensor<32xf32>>
  exec.fill %v {value = 0 : i64} : <tensor<32xf32>>
}
dist.schedule attributes {stage = 0 : i64} {
  dist.run @first {microbatch = 0 : i64}
  dist.run @second {microbatch = 1 : i64}
  dist.run @last {microbatch = 0 : i64}
}
