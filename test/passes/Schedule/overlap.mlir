// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --zcc-overlap-collectives --zcc-place-events --zcc-verify-schedule | FileCheck %s
// RUN: zcc-opt %s --zcc-place-events | FileCheck %s --check-prefix=ONE

// Collectives go on a stream of their own. A gather begins before the kernel that stands before its reader; a sum over devices
// begins as soon as its operand is there, before a kernel that stood in front of it; the reader waits.

dist.mesh @mesh [#dist.axis<"data" = 2>]
dist.state @a : tensor<1048576xf32> {kind = "parameter", parameter = "a", file_type = tensor<2097152xf32>, start = array<i64: 0>, extent = array<i64: 2097152>, sharding = #dist.sharding<@mesh, [{"data"}]>, stage = 0 : i64}
func.func private @negate(%a: tensor<2097152xf32>) -> tensor<2097152xf32> attributes {exec.kernel} {
  %0 = train.negate %a : (tensor<2097152xf32>) -> tensor<2097152xf32>
  return %0 : tensor<2097152xf32>
}

// CHECK-LABEL: exec.task @forward
// CHECK: exec.collective all_gather %{{.*}} -> %[[G:[0-9a-z]+]] {{{.*}}exec.event = [[GATHERED:[0-9]+]] : i64, exec.waits = array<i64: [[LAST:[0-9]+]]>, stream = 1 : i64
// CHECK-NEXT: exec.fill %[[S:[0-9a-z]+]] {value = 0
// CHECK-NEXT: exec.launch @negate(%[[S]]) -> (%[[T:[0-9a-z]+]])
// CHECK-NEXT: exec.launch @negate(%[[G]]) -> (%[[S]]) {exec.event = [[MADE:[0-9]+]] : i64, exec.waits = array<i64: [[GATHERED]]>}
// CHECK-NEXT: exec.collective all_reduce %[[S]] -> %[[S]] {{{.*}}exec.event = [[SUMMED:[0-9]+]] : i64, exec.waits = array<i64: [[MADE]]>, {{.*}}stream = 1 : i64
// CHECK-NEXT: exec.launch @negate(%[[T]]) -> (%[[T]]) :
// CHECK-NEXT: exec.launch @negate(%[[S]]) -> (%[[S]]) {exec.event = [[LAST]] : i64, exec.waits = array<i64: [[SUMMED]]>}

// All on one stream wait for nothing.
// ONE-NOT: exec.event
// ONE-NOT: exec.waits
exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  %a = exec.buffer "state" "a" {category = "parameters"} : <tensor<1048576xf32>>
  %s = exec.buffer "temporary" "s" {category = "temporary"} : <tensor<2097152xf32>>
  %t = exec.buffer "temporary" "t" {category = "temporary"} : <tensor<2097152xf32>>
  %g = exec.buffer "temporary" "g" {category = "temporary"} : <tensor<2097152xf32>>
  exec.fill %s {value = 0 : i64} : <tensor<2097152xf32>>
  exec.launch @negate(%s) -> (%t) : (!exec.buffer<tensor<2097152xf32>>) -> !exec.buffer<tensor<2097152xf32>>
  exec.collective "all_gather" %a -> %g {axes = ["data"], what = "parameter", value = "a", why = ""} : <tensor<1048576xf32>> -> <tensor<2097152xf32>>
  exec.launch @negate(%g) -> (%s) : (!exec.buffer<tensor<2097152xf32>>) -> !exec.buffer<tensor<2097152xf32>>
  exec.launch @negate(%t) -> (%t) : (!exec.buffer<tensor<2097152xf32>>) -> !exec.buffer<tensor<2097152xf32>>
  exec.collective "all_reduce" %s -> %s {axes = ["data"], reduction = "add", what = "gradient", value = "a", why = ""} : <tensor<2097152xf32>> -> <tensor<2097152xf32>>
  exec.launch @negate(%s) -> (%s) : (!exec.buffer<tensor<2097152xf32>>) -> !exec.buffer<tensor<2097152xf32>>
}
dist.schedule attributes {stage = 0 : i64} {
  dist.run @forward {microbatch = 0 : i64}
}
