// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --zcc-plan-memory --zcc-verify-plan --zcc-verify-order | FileCheck %s

// A buffer that a link still reads when a ring begins shares no memory with the ring's results: the main stream waits
// for it only in the second turn, by the event of the next block on the same link.
dist.mesh @mesh [#dist.axis<"context" = 4>]

exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  %x = exec.buffer "temporary" "x" {category = "temporary"} : <tensor<16xf32>>
  %g = exec.buffer "temporary" "g" {category = "temporary"} : <tensor<16xf32>>
  %k = exec.buffer "temporary" "k" {category = "temporary"} : <tensor<16xf32>>
  %k1 = exec.buffer "temporary" "k1" {category = "temporary"} : <tensor<16xf32>>
  %k2 = exec.buffer "temporary" "k2" {category = "temporary"} : <tensor<16xf32>>
  %s = exec.buffer "temporary" "s" {category = "temporary"} : <tensor<16xf32>>
  %m = exec.buffer "temporary" "m" {category = "temporary"} : <tensor<i32>>
  exec.fill %x {exec.event = 0 : i64, value = 0 : i64} : <tensor<16xf32>>
  exec.collective "all_reduce" %x -> %g {axes = ["context"], exec.waits = array<i64: 0>, stream = 1 : i64, reduction = "add", what = "activation", value = "", why = ""} : <tensor<16xf32>> -> <tensor<16xf32>>
  exec.fill %k {exec.event = 3 : i64, value = 0 : i64} : <tensor<16xf32>>
  exec.repeat over ["context"] member %m : <tensor<i32>> held(%k : !exec.buffer<tensor<16xf32>>) next(%k1 : !exec.buffer<tensor<16xf32>>) spare(%k2 : !exec.buffer<tensor<16xf32>>) attributes {ahead, exec.waits = array<i64: 2>, value = ""} {
    exec.launch @k0(%k) -> (%s) {exec.event = 1 : i64} : (!exec.buffer<tensor<16xf32>>) -> !exec.buffer<tensor<16xf32>>
  } between {
    exec.collective "permute" %k -> %k1 {axes = ["context"], exec.event = 2 : i64, exec.waits = array<i64: 1, 3>, stream = 1 : i64, shift = 1 : i64, what = "activation", value = "", why = ""} : <tensor<16xf32>> -> <tensor<16xf32>>
  }
  exec.copy %g -> %s : !exec.buffer<tensor<16xf32>> -> !exec.buffer<tensor<16xf32>>
}
// Hyperparameters, coordinates and the seven: nine places of 64 bytes.
// CHECK: dist.schedule attributes {{.*}}exec.arenas = {device = 576 : i64}
dist.schedule attributes {stage = 0 : i64} {
  dist.run @forward {microbatch = 0 : i64}
}
