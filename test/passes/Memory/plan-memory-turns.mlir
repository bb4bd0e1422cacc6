// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --zcc-plan-memory --zcc-verify-plan | FileCheck %s --check-prefixes=CHECK,TURNS
// RUN: zcc-opt %s --zcc-plan-memory=places=5 --zcc-verify-plan | FileCheck %s --check-prefixes=CHECK,FEWEST

// Two values are there at a time, of three that follow each other, and the first comes again before the last is gone. In one
// place a value they are all in each other's way; so the microbatches use two in turn, one for each stage, if so many places
// may be made: the next h lies where g was.

dist.mesh @mesh [#dist.axis<"pipe" = 2>, #dist.axis<"micro" = 2 temporal>]
dist.input @x : tensor<16xf32> {input = "x", sharding = #dist.sharding<@mesh, [{}]>, stage = 0 : i64}
exec.task @f0 attributes {kind = "forward", stage = 0 : i64, chunk = 0 : i64} {
  %h = exec.buffer "value" "h" {category = "residuals"} : <tensor<16xf32>>
  exec.fill %h {value = 0 : i64} : !exec.buffer<tensor<16xf32>>
}
exec.task @f1 attributes {kind = "forward", stage = 0 : i64, chunk = 1 : i64} {
  %h = exec.buffer "value" "h" {category = "residuals"} : <tensor<16xf32>>
  %g = exec.buffer "value" "g" {category = "residuals"} : <tensor<16xf32>>
  exec.copy %h -> %g : !exec.buffer<tensor<16xf32>> -> !exec.buffer<tensor<16xf32>>
}
exec.task @b attributes {kind = "backward", stage = 0 : i64, chunk = 0 : i64} {
  %g = exec.buffer "value" "g" {category = "residuals"} : <tensor<16xf32>>
  %k = exec.buffer "value" "k" {category = "residuals"} : <tensor<16xf32>>
  exec.copy %g -> %k : !exec.buffer<tensor<16xf32>> -> !exec.buffer<tensor<16xf32>>
}
exec.task @w attributes {kind = "weight_backward", stage = 0 : i64, chunk = 0 : i64} {
  %k = exec.buffer "value" "k" {category = "residuals"} : <tensor<16xf32>>
  %x = exec.buffer "input" "x" {category = "temporary"} : <tensor<16xf32>>
  exec.copy %k -> %x : !exec.buffer<tensor<16xf32>> -> !exec.buffer<tensor<16xf32>>
}
// Hyperparameters, coordinates, the input, and two or three values.
// TURNS: dist.schedule attributes {{{.*}}exec.arenas = {device = 320 : i64}, {{.*}}exec.lower_bound = 320 : i64
// FEWEST: dist.schedule attributes {{{.*}}exec.arenas = {device = 384 : i64}, {{.*}}exec.lower_bound = 320 : i64
// TURNS-NEXT: dist.run @f0 {microbatch = 0 : i64, slots = array<i64: [[#H:]]>}
// TURNS-NEXT: dist.run @f1 {microbatch = 0 : i64, slots = array<i64: [[#H]], [[#G:]]>}
// TURNS-NEXT: dist.run @b {microbatch = 0 : i64, slots = array<i64: [[#G]], [[#H]]>}
// TURNS-NEXT: dist.run @f0 {microbatch = 1 : i64, slots = array<i64: [[#G]]>}
// FEWEST-NEXT: dist.run @f0 {microbatch = 0 : i64, slots = array<i64: [[#H:]]>}
// FEWEST: dist.run @f0 {microbatch = 1 : i64, slots = array<i64: [[#H]]>}
// CHECK: dist.run @w {microbatch = 1
dist.schedule attributes {stage = 0 : i64, microbatches = 2 : i64} {
  dist.run @f0 {microbatch = 0 : i64}
  dist.run @f1 {microbatch = 0 : i64}
  dist.run @b {microbatch = 0 : i64}
  dist.run @f0 {microbatch = 1 : i64}
  dist.run @w {microbatch = 0 : i64}
  dist.run @f1 {microbatch = 1 : i64}
  dist.run @b {microbatch = 1 : i64}
  dist.run @w {microbatch = 1 : i64}
}
