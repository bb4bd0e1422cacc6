// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --zcc-overlap-collectives --zcc-place-events --zcc-verify-schedule --zcc-plan-memory --zcc-verify-plan --zcc-verify-order | FileCheck %s

// A ring sends the next block on the links' stream while its kernel works on this one: a turn begins when what it holds is there, the
// block goes ahead of the kernel, and is received where the kernel before has read. A block that the kernel adds to goes after it.

dist.mesh @mesh [#dist.axis<"context" = 4>]
func.func private @add(%a: tensor<2097152xf32>, %b: tensor<2097152xf32>) -> tensor<2097152xf32> attributes {exec.kernel} {
  %0 = train.add %a, %b : (tensor<2097152xf32>, tensor<2097152xf32>) -> tensor<2097152xf32>
  return %0 : tensor<2097152xf32>
}

// CHECK-LABEL: exec.task @forward
// CHECK: exec.fill %[[S:[0-9]+]] {exec.event = [[BEFORE:[0-9]+]] : i64
// CHECK-NEXT: exec.repeat {{.*}} held(%[[K:[0-9]+]], %[[S]] : {{.*}} attributes {ahead, exec.waits = array<i64: [[MOVED:[0-9]+]]>
// CHECK-NEXT: exec.launch @add(%[[K]], %[[S]]) -> (%[[S]]) {exec.event = [[ADDED:[0-9]+]] : i64}
// CHECK-NEXT: exec.collective permute %[[S]] -> %{{.*}} {{{.*}}exec.event = [[MOVED]] : i64, exec.waits = array<i64: [[ADDED]]>, {{.*}}stream = 1 : i64
// CHECK-NEXT: } between {
// CHECK-NEXT: exec.collective permute %[[K]] -> %{{.*}} {{{.*}}exec.waits = array<i64: [[BEFORE]]>, {{.*}}stream = 1 : i64
// CHECK-NEXT: {{^ *[}]}}
// CHECK-NEXT: exec.launch @add(%[[S]], %[[S]]) -> (%[[S]]) {exec.waits = array<i64: [[MOVED]]>}
exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  %k = exec.buffer "temporary" "k" {category = "temporary"} : <tensor<2097152xf32>>
  %k1 = exec.buffer "temporary" "k1" {category = "temporary"} : <tensor<2097152xf32>>
  %k2 = exec.buffer "temporary" "k2" {category = "temporary"} : <tensor<2097152xf32>>
  %s = exec.buffer "temporary" "s" {category = "temporary"} : <tensor<2097152xf32>>
  %s1 = exec.buffer "temporary" "s1" {category = "temporary"} : <tensor<2097152xf32>>
  %m = exec.buffer "temporary" "m" {category = "temporary"} : <tensor<i32>>
  exec.fill %k {value = 0 : i64} : <tensor<2097152xf32>>
  exec.fill %s {value = 0 : i64} : <tensor<2097152xf32>>
  exec.repeat over ["context"] member %m : <tensor<i32>> held(%k, %s : !exec.buffer<tensor<2097152xf32>>, !exec.buffer<tensor<2097152xf32>>) next(%k1, %s1 : !exec.buffer<tensor<2097152xf32>>, !exec.buffer<tensor<2097152xf32>>) spare(%k2, %s : !exec.buffer<tensor<2097152xf32>>, !exec.buffer<tensor<2097152xf32>>) attributes {value = ""} {
    exec.launch @add(%k, %s) -> (%s) : (!exec.buffer<tensor<2097152xf32>>, !exec.buffer<tensor<2097152xf32>>) -> !exec.buffer<tensor<2097152xf32>>
    exec.collective "permute" %s -> %s1 {axes = ["context"], shift = 1 : i64, what = "activation", value = "s", why = ""} : <tensor<2097152xf32>> -> <tensor<2097152xf32>>
  } between {
    exec.collective "permute" %k -> %k1 {axes = ["context"], shift = 1 : i64, what = "activation", value = "k", why = ""} : <tensor<2097152xf32>> -> <tensor<2097152xf32>>
  }
  exec.launch @add(%s, %s) -> (%s) : (!exec.buffer<tensor<2097152xf32>>, !exec.buffer<tensor<2097152xf32>>) -> !exec.buffer<tensor<2097152xf32>>
}
dist.schedule attributes {stage = 0 : i64} {
  dist.run @forward {microbatch = 0 : i64}
}
