// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --split-input-file --zcc-sink-steps --zcc-verify-schedule | FileCheck %s

// A kernel on a gathered parameter runs where its result is first read, in a copy of the task that this run has for itself. The gather
// stays in the prologue. Kernels whose results a transfer sends, and those that read no gather, stay, too.

dist.mesh @mesh [#dist.axis<"pipe" = 2>, #dist.axis<"data" = 2>]
dist.state @w : tensor<1048576xf32> {kind = "parameter", parameter = "w", file_type = tensor<2097152xf32>, start = array<i64: 0>, extent = array<i64: 2097152>, sharding = #dist.sharding<@mesh, [{"data"}]>, stage = 0 : i64}
dist.state @v : tensor<1048576xf32> {kind = "parameter", parameter = "v", file_type = tensor<2097152xf32>, start = array<i64: 0>, extent = array<i64: 2097152>, sharding = #dist.sharding<@mesh, [{"data"}]>, stage = 0 : i64}
func.func private @negate(%a: tensor<2097152xf32>) -> tensor<2097152xf32> attributes {exec.kernel} {
  %0 = train.negate %a : (tensor<2097152xf32>) -> tensor<2097152xf32>
  return %0 : tensor<2097152xf32>
}

// CHECK-LABEL: exec.task @prologue
// CHECK-DAG: %[[T:[0-9a-z]+]] = exec.buffer "value" "t#2"
// CHECK-DAG: %[[U:[0-9a-z]+]] = exec.buffer "temporary" "u"
// CHECK-DAG: %[[O:[0-9a-z]+]] = exec.buffer "value" "o"
// CHECK: exec.collective all_gather %{{.*}} -> %[[T]]
// CHECK-NEXT: exec.collective all_gather %{{.*}} -> %[[U]]
// CHECK-NEXT: exec.launch @negate(%[[U]]) -> (%[[O]])
// CHECK-NOT: exec.launch
// CHECK-LABEL: exec.task @forward attributes
// CHECK-COUNT-2: exec.launch
// CHECK-NOT: exec.launch
// CHECK-LABEL: exec.task @forward_first attributes
// CHECK-DAG: %[[S:[0-9a-z]+]] = exec.buffer "temporary" "s#2"
// CHECK-DAG: %[[TT:[0-9a-z]+]] = exec.buffer "value" "t#2"
// CHECK: exec.launch @negate(%{{.*}}) -> (%{{.*}})
// CHECK-NEXT: exec.launch @negate(%[[TT]]) -> (%[[S]])
// CHECK-NEXT: exec.launch @negate(%[[S]]) -> (%[[W2:[0-9a-z]+]])
// CHECK-NEXT: exec.launch @negate
// CHECK: dist.run @prologue
// CHECK-NEXT: dist.send "o"
// CHECK-NEXT: dist.run @forward_first {microbatch = 0
// CHECK-NEXT: dist.run @forward {microbatch = 1
exec.task @prologue attributes {kind = "prologue", stage = 0 : i64} {
  %w = exec.buffer "state" "w" {category = "parameters"} : <tensor<1048576xf32>>
  %v = exec.buffer "state" "v" {category = "parameters"} : <tensor<1048576xf32>>
  %t = exec.buffer "temporary" "t" {category = "temporary"} : <tensor<2097152xf32>>
  %s = exec.buffer "temporary" "s" {category = "temporary"} : <tensor<2097152xf32>>
  %u = exec.buffer "temporary" "u" {category = "temporary"} : <tensor<2097152xf32>>
  %ww = exec.buffer "value" "whole.w" {category = "parameters"} : <tensor<2097152xf32>>
  %o = exec.buffer "value" "o" {category = "parameters"} : <tensor<2097152xf32>>
  exec.collective "all_gather" %w -> %t {axes = ["data"], what = "parameter", value = "w", why = ""} : <tensor<1048576xf32>> -> <tensor<2097152xf32>>
  exec.launch @negate(%t) -> (%s) : (!exec.buffer<tensor<2097152xf32>>) -> !exec.buffer<tensor<2097152xf32>>
  exec.launch @negate(%s) -> (%ww) : (!exec.buffer<tensor<2097152xf32>>) -> !exec.buffer<tensor<2097152xf32>>
  exec.collective "all_gather" %v -> %u {axes = ["data"], what = "parameter", value = "v", why = ""} : <tensor<1048576xf32>> -> <tensor<2097152xf32>>
  exec.launch @negate(%u) -> (%o) : (!exec.buffer<tensor<2097152xf32>>) -> !exec.buffer<tensor<2097152xf32>>
}
exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  %ww = exec.buffer "value" "whole.w" {category = "parameters"} : <tensor<2097152xf32>>
  %t = exec.buffer "value" "t" {category = "residuals"} : <tensor<2097152xf32>>
  %s = exec.buffer "temporary" "s" {category = "temporary"} : <tensor<2097152xf32>>
  exec.fill %s {value = 0 : i64} : <tensor<2097152xf32>>
  exec.launch @negate(%s) -> (%t) : (!exec.buffer<tensor<2097152xf32>>) -> !exec.buffer<tensor<2097152xf32>>
  exec.launch @negate(%ww) -> (%s) : (!exec.buffer<tensor<2097152xf32>>) -> !exec.buffer<tensor<2097152xf32>>
}
dist.schedule attributes {stage = 0 : i64} {
  dist.run @prologue {microbatch = 0 : i64}
  dist.send "o" {microbatch = 0 : i64, peer = 1 : i64}
  dist.run @forward {microbatch = 0 : i64}
  dist.run @forward {microbatch = 1 : i64}
}
dist.schedule attributes {stage = 1 : i64} {
}

// -----

// A step that moves comes before all that reads what it makes, also where the task's own first reader stands before other moved steps.

dist.mesh @mesh [#dist.axis<"pipe" = 2>, #dist.axis<"data" = 2>]
dist.state @w : tensor<1048576xf32> {kind = "parameter", parameter = "w", file_type = tensor<2097152xf32>, start = array<i64: 0>, extent = array<i64: 2097152>, sharding = #dist.sharding<@mesh, [{"data"}]>, stage = 0 : i64}
func.func private @negate(%a: tensor<2097152xf32>) -> tensor<2097152xf32> attributes {exec.kernel} {
  %0 = train.negate %a : (tensor<2097152xf32>) -> tensor<2097152xf32>
  return %0 : tensor<2097152xf32>
}
// CHECK-LABEL: exec.task @forward_first
// CHECK: exec.launch @negate(%{{.*}}) -> (%[[V1:[0-9]+]])
// CHECK-NEXT: exec.launch @negate(%{{[0-9]+}}) -> (%{{[0-9]+}})
// CHECK-NEXT: exec.launch @negate(%[[V1]]) -> (%{{[0-9]+}})
// CHECK-NEXT: exec.launch @negate(%{{[0-9]+}}) -> (%{{[0-9]+}})
exec.task @prologue attributes {kind = "prologue", stage = 0 : i64} {
  %w = exec.buffer "state" "w" {category = "parameters"} : <tensor<1048576xf32>>
  %t = exec.buffer "temporary" "t" {category = "temporary"} : <tensor<2097152xf32>>
  %v1 = exec.buffer "value" "v1" {category = "parameters"} : <tensor<2097152xf32>>
  %v2 = exec.buffer "value" "v2" {category = "parameters"} : <tensor<2097152xf32>>
  exec.collective "all_gather" %w -> %t {axes = ["data"], what = "parameter", value = "w", why = ""} : <tensor<1048576xf32>> -> <tensor<2097152xf32>>
  exec.launch @negate(%t) -> (%v1) : (!exec.buffer<tensor<2097152xf32>>) -> !exec.buffer<tensor<2097152xf32>>
  exec.launch @negate(%v1) -> (%v2) : (!exec.buffer<tensor<2097152xf32>>) -> !exec.buffer<tensor<2097152xf32>>
}
exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  %v1 = exec.buffer "value" "v1" {category = "parameters"} : <tensor<2097152xf32>>
  %v2 = exec.buffer "value" "v2" {category = "parameters"} : <tensor<2097152xf32>>
  %s = exec.buffer "temporary" "s" {category = "temporary"} : <tensor<2097152xf32>>
  %u = exec.buffer "temporary" "u" {category = "temporary"} : <tensor<2097152xf32>>
  exec.launch @negate(%v1) -> (%s) : (!exec.buffer<tensor<2097152xf32>>) -> !exec.buffer<tensor<2097152xf32>>
  exec.launch @negate(%v2) -> (%u) : (!exec.buffer<tensor<2097152xf32>>) -> !exec.buffer<tensor<2097152xf32>>
}
dist.schedule attributes {stage = 0 : i64} {
  dist.run @prologue {microbatch = 0 : i64}
  dist.run @forward {microbatch = 0 : i64}
  dist.run @forward {microbatch = 1 : i64}
}
dist.schedule attributes {stage = 1 : i64} {
}
