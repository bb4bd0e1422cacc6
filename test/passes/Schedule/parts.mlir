// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --zcc-place-events --zcc-verify-schedule | FileCheck %s
// RUN: zcc-opt %s --zcc-place-events --zcc-plan-memory --zcc-verify-plan --zcc-verify-order | FileCheck %s --check-prefix=PLANNED
// RUN: not zcc-opt %s --zcc-plan-memory --zcc-verify-order 2>&1 | FileCheck %s --check-prefix=UNORDERED

// Who reads a part of a buffer waits for what writes this part, who reads all of it for the last part; who overwrites a part waits for
// its readers. The proof by address knows parts.

dist.mesh @mesh [#dist.axis<"data" = 2>]
dist.state @a : tensor<8x16xf32> {kind = "parameter", parameter = "a", file_type = tensor<16x16xf32>, start = array<i64: 0, 0>, extent = array<i64: 16, 16>, sharding = #dist.sharding<@mesh, [{"data"}, {}]>, stage = 0 : i64}
func.func private @negate(%a: tensor<8x16xf32>) -> tensor<8x16xf32> attributes {exec.kernel} {
  %0 = train.negate %a : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}
func.func private @abs(%a: tensor<16x16xf32>) -> tensor<16x16xf32> attributes {exec.kernel} {
  %0 = train.abs %a : (tensor<16x16xf32>) -> tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}

// CHECK-LABEL: exec.task @forward
// CHECK: exec.collective all_reduce %{{.*}} -> %[[G0:[0-9]+]] {{{.*}}exec.event = [[FIRST:[0-9]+]] : i64, exec.part = 0
// CHECK: exec.collective all_reduce %{{.*}} {{{.*}}exec.part = 1
// CHECK: exec.launch @negate(%[[G0]]) -> (%{{.*}}) {exec.event = [[READ:[0-9]+]] : i64, exec.waits = array<i64: [[FIRST]]>}
// CHECK: exec.collective all_reduce %{{.*}} -> %[[G0]] {{{.*}}exec.event = [[LAST:[0-9]+]] : i64, exec.waits = array<i64: [[READ]]>
// CHECK: exec.launch @abs(%{{.*}}) -> (%{{.*}}) {{{.*}}exec.waits = array<i64: [[LAST]]>}
// PLANNED: exec.buffer "value" "g" {begin = 0 : i64, category = "temporary", slot = 0 : i64}
// PLANNED: exec.buffer "value" "g" {begin = 512 : i64, category = "temporary", slot = 0 : i64}
// UNORDERED: error: uses bytes {{[0-9]+}} to {{[0-9]+}} on stream 0, and no event orders it after what writes them before
exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  %a = exec.buffer "state" "a" {category = "parameters"} : <tensor<8x16xf32>>
  %g0 = exec.buffer "value" "g" {begin = 0 : i64, category = "temporary"} : <tensor<8x16xf32>>
  %g1 = exec.buffer "value" "g" {begin = 512 : i64, category = "temporary"} : <tensor<8x16xf32>>
  %g = exec.buffer "value" "g" {category = "temporary"} : <tensor<16x16xf32>>
  %t = exec.buffer "temporary" "t" {category = "temporary"} : <tensor<8x16xf32>>
  %u = exec.buffer "temporary" "u" {category = "temporary"} : <tensor<16x16xf32>>
  exec.collective "all_reduce" %a -> %g0 {axes = ["data"], reduction = "add", exec.part = 0 : i64, stream = 1 : i64, what = "activation", value = "a", why = ""} : <tensor<8x16xf32>> -> <tensor<8x16xf32>>
  exec.collective "all_reduce" %a -> %g1 {axes = ["data"], reduction = "add", exec.part = 1 : i64, stream = 1 : i64, what = "activation", value = "a", why = ""} : <tensor<8x16xf32>> -> <tensor<8x16xf32>>
  exec.launch @negate(%g0) -> (%t) : (!exec.buffer<tensor<8x16xf32>>) -> !exec.buffer<tensor<8x16xf32>>
  exec.collective "all_reduce" %a -> %g0 {axes = ["data"], reduction = "add", stream = 1 : i64, what = "activation", value = "a", why = ""} : <tensor<8x16xf32>> -> <tensor<8x16xf32>>
  exec.launch @abs(%g) -> (%u) : (!exec.buffer<tensor<16x16xf32>>) -> !exec.buffer<tensor<16x16xf32>>
}
dist.schedule attributes {stage = 0 : i64} {
  dist.run @forward {microbatch = 0 : i64}
}
