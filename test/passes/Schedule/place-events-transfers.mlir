// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --split-input-file --zcc-overlap-collectives --zcc-share-buffers --zcc-place-events --zcc-plan-memory --zcc-verify-order | FileCheck %s

// A send waits for the collective that makes a part of what it sends, since the kernel between them is no more: its operands became parts of
// what it made.

dist.mesh @mesh [#dist.axis<"pipe" = 2>, #dist.axis<"data" = 2>]
dist.state @w : tensor<1048576xf32> {kind = "parameter", parameter = "w", file_type = tensor<2097152xf32>, start = array<i64: 0>, extent = array<i64: 2097152>, sharding = #dist.sharding<@mesh, [{"data"}]>, stage = 1 : i64}
func.func private @negate(%a: tensor<2097152xf32>) -> tensor<2097152xf32> attributes {exec.kernel} {
  %0 = train.negate %a : (tensor<2097152xf32>) -> tensor<2097152xf32>
  return %0 : tensor<2097152xf32>
}
func.func private @join(%a: tensor<2097152xf32>, %b: tensor<2097152xf32>) -> tensor<4194304xf32> attributes {exec.kernel} {
  %1 = train.concatenate %a, %b {dim = 0 : i64} : (tensor<2097152xf32>, tensor<2097152xf32>) -> tensor<4194304xf32>
  return %1 : tensor<4194304xf32>
}
// CHECK-LABEL: exec.task @forward
// CHECK: exec.collective all_gather {{.*}}exec.event = [[MADE:[0-9]+]] : i64{{.*}}stream = 1
// CHECK: dist.schedule
// CHECK: dist.send "y" {exec.waits = array<i64: [[MADE]]>
exec.task @forward attributes {kind = "forward", stage = 1 : i64} {
  %x = exec.buffer "value" "x" {category = "residuals"} : <tensor<2097152xf32>>
  %t = exec.buffer "temporary" "t" {category = "temporary"} : <tensor<2097152xf32>>
  %w = exec.buffer "state" "w" {category = "parameters"} : <tensor<1048576xf32>>
  %ww = exec.buffer "temporary" "whole.w" {category = "parameters"} : <tensor<2097152xf32>>
  %y = exec.buffer "value" "y" {category = "residuals"} : <tensor<4194304xf32>>
  exec.launch @negate(%x) -> (%t) : (!exec.buffer<tensor<2097152xf32>>) -> !exec.buffer<tensor<2097152xf32>>
  exec.collective "all_gather" %w -> %ww {axes = ["data"], what = "parameter", value = "w", why = ""} : <tensor<1048576xf32>> -> <tensor<2097152xf32>>
  exec.launch @join(%t, %ww) -> (%y) : (!exec.buffer<tensor<2097152xf32>>, !exec.buffer<tensor<2097152xf32>>) -> !exec.buffer<tensor<4194304xf32>>
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
}

// -----

// So it does for what a ring sends last, where the task does not read it.

dist.mesh @mesh [#dist.axis<"pipe" = 2>, #dist.axis<"context" = 4>]
func.func private @add(%a: tensor<2097152xf32>, %b: tensor<2097152xf32>) -> tensor<2097152xf32> attributes {exec.kernel} {
  %0 = train.add %a, %b : (tensor<2097152xf32>, tensor<2097152xf32>) -> tensor<2097152xf32>
  return %0 : tensor<2097152xf32>
}
// CHECK-LABEL: exec.task @forward
// CHECK: exec.repeat
// CHECK: exec.collective permute {{.*}}exec.event = [[MADE:[0-9]+]] : i64{{.*}}stream = 1
// CHECK: dist.schedule
// CHECK: dist.send "s" {exec.waits = array<i64: {{.*}}[[MADE]]
exec.task @forward attributes {kind = "forward", stage = 1 : i64} {
  %k = exec.buffer "value" "k" {category = "residuals"} : <tensor<2097152xf32>>
  %k1 = exec.buffer "temporary" "k1" {category = "temporary"} : <tensor<2097152xf32>>
  %k2 = exec.buffer "temporary" "k2" {category = "temporary"} : <tensor<2097152xf32>>
  %s = exec.buffer "value" "s" {category = "residuals"} : <tensor<2097152xf32>>
  %s1 = exec.buffer "temporary" "s1" {category = "temporary"} : <tensor<2097152xf32>>
  %m = exec.buffer "temporary" "m" {category = "temporary"} : <tensor<i32>>
  exec.fill %s {value = 0 : i64} : <tensor<2097152xf32>>
  exec.repeat over ["context"] member %m : <tensor<i32>> held(%k, %s : !exec.buffer<tensor<2097152xf32>>, !exec.buffer<tensor<2097152xf32>>) next(%k1, %s1 : !exec.buffer<tensor<2097152xf32>>, !exec.buffer<tensor<2097152xf32>>) spare(%k2, %s : !exec.buffer<tensor<2097152xf32>>, !exec.buffer<tensor<2097152xf32>>) attributes {value = ""} {
    exec.launch @add(%k, %s) -> (%s) : (!exec.buffer<tensor<2097152xf32>>, !exec.buffer<tensor<2097152xf32>>) -> !exec.buffer<tensor<2097152xf32>>
    exec.collective "permute" %s -> %s1 {axes = ["context"], shift = 1 : i64, what = "activation", value = "s", why = ""} : <tensor<2097152xf32>> -> <tensor<2097152xf32>>
  } between {
    exec.collective "permute" %k -> %k1 {axes = ["context"], shift = 1 : i64, what = "activation", value = "k", why = ""} : <tensor<2097152xf32>> -> <tensor<2097152xf32>>
  }
}
dist.schedule attributes {stage = 0 : i64, microbatches = 2 : i64} {
}
dist.schedule attributes {stage = 1 : i64, microbatches = 2 : i64} {
  dist.receive "k" {microbatch = 0 : i64, peer = 0 : i64}
  dist.run @forward {microbatch = 0 : i64}
  dist.send "s" {microbatch = 0 : i64, peer = 0 : i64}
  dist.receive "k" {microbatch = 1 : i64, peer = 0 : i64}
  dist.run @forward {microbatch = 1 : i64}
  dist.send "s" {microbatch = 1 : i64, peer = 0 : i64}
}
