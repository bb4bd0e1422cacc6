// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s "--zcc-plan-memory=caller-inputs" --zcc-verify-plan | FileCheck %s

// Inputs in the caller's memory are numbered behind the arena, whose bytes do
// not count them: one of two parts, which runs bind, and one for all.

dist.mesh @mesh [#dist.axis<"micro" = 2 temporal>, #dist.axis<"data" = 2>]
// CHECK: dist.state @w {{.*}}exec.offset = 0
dist.state @w : tensor<16xf32> {kind = "parameter", parameter = "w", file_type = tensor<16xf32>, start = array<i64: 0>, extent = array<i64: 16>, sharding = #dist.sharding<@mesh, [{}]>, stage = 0 : i64}
// CHECK: dist.input @x {{.*}}exec.caller{{.*}}exec.offsets = array<i64: 256, 320>
dist.input @x : tensor<64xf32> {input = "x", sharding = #dist.sharding<@mesh, [{"micro", "data"}]>, stage = 0 : i64}
// CHECK: dist.input @s {{.*}}exec.caller{{.*}}exec.offsets = array<i64: 384>
dist.input @s : tensor<16xf32> {input = "s", sharding = #dist.sharding<@mesh, [{}]>, stage = 0 : i64}

// CHECK-LABEL: exec.task @forward
// CHECK: exec.buffer "input" "x" {{.*}}slot = 0
// CHECK: exec.buffer "input" "s" {{.*}}offset = 384
// CHECK: exec.buffer "temporary" "t" {{.*}}offset = 192
exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  %w = exec.buffer "state" "w" {category = "parameters"} : <tensor<16xf32>>
  %x = exec.buffer "input" "x" {category = "temporary"} : <tensor<16xf32>>
  %s = exec.buffer "input" "s" {category = "temporary"} : <tensor<16xf32>>
  %t = exec.buffer "temporary" "t" {category = "temporary"} : <tensor<16xf32>>
  exec.copy %x -> %t : !exec.buffer<tensor<16xf32>> -> !exec.buffer<tensor<16xf32>>
  exec.copy %s -> %t : !exec.buffer<tensor<16xf32>> -> !exec.buffer<tensor<16xf32>>
  exec.copy %t -> %w : !exec.buffer<tensor<16xf32>> -> !exec.buffer<tensor<16xf32>>
}
// CHECK: dist.schedule attributes {{.*}}exec.arenas = {device = 256 : i64}, exec.caller_bytes = 192 : i64, {{.*}}exec.lower_bound = 256
// CHECK-NEXT: dist.run @forward {microbatch = 0 : i64, slots = array<i64: 256>}
// CHECK-NEXT: dist.run @forward {microbatch = 1 : i64, slots = array<i64: 320>}
dist.schedule attributes {stage = 0 : i64, microbatches = 2 : i64} {
  dist.run @forward {microbatch = 0 : i64}
  dist.run @forward {microbatch = 1 : i64}
}
