// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --zcc-plan-memory --zcc-verify-plan | FileCheck %s

// In the order forward, backward, forward, backward one place of the residual is
// enough. A value that a stage receives lives from there to its last use.

dist.mesh @mesh [#dist.axis<"pipe" = 2>]
exec.task @forward attributes {kind = "forward", stage = 1 : i64} {
  %x = exec.buffer "value" "x" {category = "residuals"} : <tensor<16xf32>>
  %h = exec.buffer "value" "h" {category = "residuals"} : <tensor<16xf32>>
  exec.copy %x -> %h : !exec.buffer<tensor<16xf32>> -> !exec.buffer<tensor<16xf32>>
}
exec.task @backward attributes {kind = "backward", stage = 1 : i64} {
  %h = exec.buffer "value" "h" {category = "residuals"} : <tensor<16xf32>>
  %g = exec.buffer "value" "g" {category = "residuals"} : <tensor<16xf32>>
  exec.copy %h -> %g : !exec.buffer<tensor<16xf32>> -> !exec.buffer<tensor<16xf32>>
}
// Two fixed places, and never more than two values at a time.
// CHECK: dist.schedule attributes {{.*}}exec.arenas = {device = 256 : i64}
// CHECK-NEXT: dist.receive "x" {microbatch = 0 : i64, offset = [[X:[0-9]+]] : i64, peer = 0 : i64}
// CHECK-NEXT: dist.run @forward {microbatch = 0 : i64, slots = array<i64: [[X]], [[H:[0-9]+]]>}
// CHECK-NEXT: dist.run @backward {microbatch = 0 : i64, slots = array<i64: [[H]], [[G:[0-9]+]]>}
// CHECK-NEXT: dist.send "g" {microbatch = 0 : i64, offset = [[G]] : i64, peer = 0 : i64}
// CHECK-NEXT: dist.receive "x" {microbatch = 1 : i64, offset = [[X]] : i64, peer = 0 : i64}
// CHECK-NEXT: dist.run @forward {microbatch = 1 : i64, slots = array<i64: [[X]], [[H]]>}
dist.schedule attributes {stage = 1 : i64, microbatches = 2 : i64} {
  dist.receive "x" {microbatch = 0 : i64, peer = 0 : i64}
  dist.run @forward {microbatch = 0 : i64}
  dist.run @backward {microbatch = 0 : i64}
  dist.send "g" {microbatch = 0 : i64, peer = 0 : i64}
  dist.receive "x" {microbatch = 1 : i64, peer = 0 : i64}
  dist.run @forward {microbatch = 1 : i64}
  dist.run @backward {microbatch = 1 : i64}
  dist.send "g" {microbatch = 1 : i64, peer = 0 : i64}
}
