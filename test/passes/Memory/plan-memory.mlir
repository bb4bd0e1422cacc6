// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --zcc-plan-memory --zcc-verify-plan | FileCheck %s

// With hardly any effort, for more than there is, it is placed all the same:
// RUN: zcc-opt %s "--zcc-plan-memory=steps=8 limit=64" --zcc-verify-plan | FileCheck %s

// A state, an input in two parts, a residual for two microbatches. Both forward
// runs come first, so that the residual needs two places, bound by the runs; the
// temporaries of forward and backward have one each and share the same bytes.

dist.mesh @mesh [#dist.axis<"micro" = 2 temporal>, #dist.axis<"data" = 2>]
// CHECK: dist.state @w {{.*}}exec.offset = 0
dist.state @w : tensor<16xf32> {kind = "parameter", parameter = "w", file_type = tensor<16xf32>, start = array<i64: 0>, extent = array<i64: 16>, sharding = #dist.sharding<@mesh, [{}]>, stage = 0 : i64}
// CHECK: dist.input @x {{.*}}exec.offsets = array<i64: 64, 128>
dist.input @x : tensor<64xf32> {input = "x", sharding = #dist.sharding<@mesh, [{"micro", "data"}]>, stage = 0 : i64}

// CHECK-LABEL: exec.task @forward
// CHECK: exec.buffer "state" "w" {{.*}}offset = 0
// CHECK: exec.buffer "input" "x" {{.*}}slot = 0
// CHECK: exec.buffer "temporary" "t0" {{.*}}offset = [[T:[0-9]+]]
// CHECK: exec.buffer "value" "h" {{.*}}slot = 1
exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  %w = exec.buffer "state" "w" {category = "parameters"} : <tensor<16xf32>>
  %x = exec.buffer "input" "x" {category = "temporary"} : <tensor<16xf32>>
  %t = exec.buffer "temporary" "t0" {category = "temporary"} : <tensor<16xf32>>
  %h = exec.buffer "value" "h" {category = "residuals"} : <tensor<16xf32>>
  exec.copy %x -> %t : !exec.buffer<tensor<16xf32>> -> !exec.buffer<tensor<16xf32>>
  exec.copy %t -> %h : !exec.buffer<tensor<16xf32>> -> !exec.buffer<tensor<16xf32>>
}
// CHECK-LABEL: exec.task @backward
// CHECK: exec.buffer "value" "h" {{.*}}slot = 0
// CHECK: exec.buffer "temporary" "t0" {{.*}}offset = [[T]]
exec.task @backward attributes {kind = "backward", stage = 0 : i64} {
  %h = exec.buffer "value" "h" {category = "residuals"} : <tensor<16xf32>>
  %t = exec.buffer "temporary" "t0" {category = "temporary"} : <tensor<16xf32>>
  %w = exec.buffer "state" "w" {category = "parameters"} : <tensor<16xf32>>
  exec.copy %h -> %t : !exec.buffer<tensor<16xf32>> -> !exec.buffer<tensor<16xf32>>
  exec.copy %t -> %w : !exec.buffer<tensor<16xf32>> -> !exec.buffer<tensor<16xf32>>
}
// State, two parts of the input, hyperparameters, coordinates, two residuals and
// one temporary: eight places of 64 bytes.
// CHECK: dist.schedule attributes {{.*}}exec.arenas = {device = 512 : i64}, {{.*}}exec.lower_bound = 512
// CHECK-NEXT: dist.run @forward {microbatch = 0 : i64, slots = array<i64: 64, [[H0:[0-9]+]]>}
// CHECK-NEXT: dist.run @forward {microbatch = 1 : i64, slots = array<i64: 128, [[H1:[0-9]+]]>}
// CHECK-NEXT: dist.run @backward {microbatch = 0 : i64, slots = array<i64: [[H0]]>}
// CHECK-NEXT: dist.run @backward {microbatch = 1 : i64, slots = array<i64: [[H1]]>}
dist.schedule attributes {stage = 0 : i64, microbatches = 2 : i64} {
  dist.run @forward {microbatch = 0 : i64}
  dist.run @forward {microbatch = 1 : i64}
  dist.run @backward {microbatch = 0 : i64}
  dist.run @backward {microbatch = 1 : i64}
}
