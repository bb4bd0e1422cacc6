// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --zcc-overlap-collectives --zcc-place-events --zcc-verify-schedule | FileCheck %s

// If there are several stages, a collective runs beside computation whatever comes after its task; a send waits for the
// one that makes what it sends. A gather before any kernel comes after what was received: all runs begin with one event.

dist.mesh @mesh [#dist.axis<"pipe" = 2>, #dist.axis<"data" = 2>]
dist.state @w : tensor<1048576xf32> {kind = "parameter", parameter = "w", file_type = tensor<2097152xf32>, start = array<i64: 0>, extent = array<i64: 2097152>, sharding = #dist.sharding<@mesh, [{"data"}]>, stage = 1 : i64}
func.func private @negate(%a: tensor<2097152xf32>) -> tensor<2097152xf32> attributes {exec.kernel} {
  %0 = train.negate %a : (tensor<2097152xf32>) -> tensor<2097152xf32>
  return %0 : tensor<2097152xf32>
}

// CHECK-LABEL: exec.task @forward
// CHECK: exec.collective all_gather {{.*}}exec.event = [[THERE:[0-9]+]] : i64, exec.waits = array<i64: 0>, stream = [[LINK:[1-9]]] : i64, value = "w"
// CHECK: exec.launch @negate(%{{.*}}) -> (%{{.*}}) : (
// CHECK: exec.launch @negate(%{{.*}}) -> (%{{.*}}) {{{.*}}exec.waits = array<i64: [[THERE]]>
// CHECK: exec.collective all_reduce {{.*}}exec.event = [[MADE:[0-9]+]] : i64{{.*}}stream = [[LINK]] : i64
// CHECK: dist.schedule
// CHECK: dist.run @forward {exec.event = 0 : i64
// CHECK-NEXT: dist.send "y" {exec.waits = array<i64: [[MADE]]>
// CHECK: dist.run @forward {exec.event = 0 : i64
// CHECK-NEXT: dist.send "y" {exec.waits = array<i64: [[MADE]]>
exec.task @forward attributes {kind = "forward", stage = 1 : i64} {
  %x = exec.buffer "value" "x" {category = "residuals"} : <tensor<2097152xf32>>
  %t = exec.buffer "temporary" "t" {category = "temporary"} : <tensor<2097152xf32>>
  %w = exec.buffer "state" "w" {category = "parameters"} : <tensor<1048576xf32>>
  %ww = exec.buffer "temporary" "whole.w" {category = "parameters"} : <tensor<2097152xf32>>
  %y = exec.buffer "value" "y" {category = "residuals"} : <tensor<2097152xf32>>
  exec.launch @negate(%x) -> (%t) : (!exec.buffer<tensor<2097152xf32>>) -> !exec.buffer<tensor<2097152xf32>>
  exec.collective "all_gather" %w -> %ww {axes = ["data"], what = "parameter", value = "w", why = ""} : <tensor<1048576xf32>> -> <tensor<2097152xf32>>
  exec.launch @negate(%ww) -> (%y) : (!exec.buffer<tensor<2097152xf32>>) -> !exec.buffer<tensor<2097152xf32>>
  exec.collective "all_reduce" %y -> %y {axes = ["data"], reduction = "add", what = "activation", value = "y", why = ""} : <tensor<2097152xf32>> -> <tensor<2097152xf32>>
}
// Needs more memory than the other.
exec.task @epilogue attributes {kind = "epilogue", stage = 1 : i64} {
  %a = exec.buffer "temporary" "a" {category = "temporary"} : <tensor<2097152xf32>>
  %b = exec.buffer "temporary" "b" {category = "temporary"} : <tensor<2097152xf32>>
  %c = exec.buffer "temporary" "c" {category = "temporary"} : <tensor<2097152xf32>>
  %d = exec.buffer "temporary" "d" {category = "temporary"} : <tensor<2097152xf32>>
  exec.fill %a {value = 0 : i64} : <tensor<2097152xf32>>
  exec.launch @negate(%a) -> (%b) : (!exec.buffer<tensor<2097152xf32>>) -> !exec.buffer<tensor<2097152xf32>>
  exec.launch @negate(%a) -> (%c) : (!exec.buffer<tensor<2097152xf32>>) -> !exec.buffer<tensor<2097152xf32>>
  exec.launch @negate(%a) -> (%d) : (!exec.buffer<tensor<2097152xf32>>) -> !exec.buffer<tensor<2097152xf32>>
  exec.launch @negate(%b) -> (%a) : (!exec.buffer<tensor<2097152xf32>>) -> !exec.buffer<tensor<2097152xf32>>
  exec.launch @negate(%c) -> (%a) : (!exec.buffer<tensor<2097152xf32>>) -> !exec.buffer<tensor<2097152xf32>>
  exec.launch @negate(%d) -> (%a) : (!exec.buffer<tensor<2097152xf32>>) -> !exec.buffer<tensor<2097152xf32>>
}
dist.schedule attributes {stage = 0 : i64, microbatches = 2 : i64} {
}
dist.schedule attributes {stage = 1 : i64, microbatches = 2 : i64} {
  dist.receive "x" {microbatch = 0 : i64, peer = 0 : i64}
  dist.run @forward {microbatch = 0 : i64}
  dist.send "y" {microbatch = 0 : i64, peer = 0 : i64}
  dist.receive "x" {microbatch = 1 : i64, peer = 0 : i64}
  dist.run @forward {microbatch = 1 : i64}
  dist.send "y" {microbatch = 1 : i64, peer = 0 : i64}
  dist.run @epilogue {microbatch = 0 : i64}
}
