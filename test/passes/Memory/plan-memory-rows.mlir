// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --zcc-plan-memory --zcc-verify-plan | FileCheck %s --check-prefixes=CHECK,ALONE
// RUN: zcc-opt %s --zcc-plan-memory=places=2 --zcc-verify-plan | FileCheck %s --check-prefixes=CHECK,ROWS

// Forward of all microbatches, then backward of all: each has a residual at once. Where that makes too many places, two of
// them stand in a row.

dist.mesh @mesh [#dist.axis<"micro" = 4 temporal>]
exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  %h = exec.buffer "value" "h" {category = "residuals"} : <tensor<16xf32>>
  exec.fill %h {value = 0 : i64} : !exec.buffer<tensor<16xf32>>
}
exec.task @backward attributes {kind = "backward", stage = 0 : i64} {
  %h = exec.buffer "value" "h" {category = "residuals"} : <tensor<16xf32>>
  %t = exec.buffer "temporary" "t" {category = "temporary"} : <tensor<32xf32>>
  exec.copy %h -> %t : !exec.buffer<tensor<16xf32>> -> !exec.buffer<tensor<32xf32>>
}
// Hyperparameters and coordinates, four residuals, and a temporary that is there beside the last of them.
// CHECK: dist.schedule attributes {exec.arenas = {device = 512 : i64}, {{.*}}exec.lower_bound = 512 : i64
// ROWS-NEXT: dist.run @forward {microbatch = 0 : i64, slots = array<i64: [[#A:]]>}
// ROWS-NEXT: dist.run @forward {microbatch = 1 : i64, slots = array<i64: [[#A+64]]>}
// ROWS-NEXT: dist.run @forward {microbatch = 2 : i64, slots = array<i64: [[#B:]]>}
// ROWS-NEXT: dist.run @forward {microbatch = 3 : i64, slots = array<i64: [[#B+64]]>}
// ALONE-NEXT: dist.run @forward {microbatch = 0 : i64, slots = array<i64: [[#A:]]>}
// ALONE: dist.run @backward {microbatch = 0 : i64, slots = array<i64: [[#A]]>}
dist.schedule attributes {stage = 0 : i64, microbatches = 4 : i64} {
  dist.run @forward {microbatch = 0 : i64}
  dist.run @forward {microbatch = 1 : i64}
  dist.run @forward {microbatch = 2 : i64}
  dist.run @forward {microbatch = 3 : i64}
  dist.run @backward {microbatch = 0 : i64}
  dist.run @backward {microbatch = 1 : i64}
  dist.run @backward {microbatch = 2 : i64}
  dist.run @backward {microbatch = 3 : i64}
}
