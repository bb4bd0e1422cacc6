// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --zcc-overlap-collectives --zcc-place-events --zcc-verify-schedule | FileCheck %s

// A gather that the first microbatch reads first, and whose operand a kernel has to make, does not wait behind all gathers whose operands are
// there from the start: a link is given no more than keeps it busy until the next kernel ends.

dist.mesh @mesh [#dist.axis<"data" = 2>]
dist.state @a : tensor<1048576xf32> {kind = "parameter", parameter = "a", file_type = tensor<2097152xf32>, start = array<i64: 0>, extent = array<i64: 2097152>, sharding = #dist.sharding<@mesh, [{"data"}]>, stage = 0 : i64}
dist.state @b : tensor<1048576xf32> {kind = "parameter", parameter = "b", file_type = tensor<2097152xf32>, start = array<i64: 0>, extent = array<i64: 2097152>, sharding = #dist.sharding<@mesh, [{"data"}]>, stage = 0 : i64}
dist.state @c : tensor<1048576xf32> {kind = "parameter", parameter = "c", file_type = tensor<2097152xf32>, start = array<i64: 0>, extent = array<i64: 2097152>, sharding = #dist.sharding<@mesh, [{"data"}]>, stage = 0 : i64}
dist.state @d : tensor<1048576xf32> {kind = "parameter", parameter = "d", file_type = tensor<2097152xf32>, start = array<i64: 0>, extent = array<i64: 2097152>, sharding = #dist.sharding<@mesh, [{"data"}]>, stage = 0 : i64}
func.func private @part(%a: tensor<1048576xf32>) -> tensor<1048576xf32> attributes {exec.kernel} {
  %0 = train.negate %a : (tensor<1048576xf32>) -> tensor<1048576xf32>
  return %0 : tensor<1048576xf32>
}
func.func private @negate(%a: tensor<2097152xf32>) -> tensor<2097152xf32> attributes {exec.kernel} {
  %0 = train.negate %a : (tensor<2097152xf32>) -> tensor<2097152xf32>
  return %0 : tensor<2097152xf32>
}

// CHECK-LABEL: exec.task @prologue
// CHECK: exec.collective all_gather {{.*}}stream = 1 : i64, value = "b"
// CHECK: exec.launch @part
// CHECK: exec.collective all_gather {{.*}}stream = 1 : i64, value = "a"
// CHECK: exec.collective all_gather {{.*}}stream = 1 : i64, value = "c"
// CHECK: exec.collective all_gather {{.*}}stream = 1 : i64, value = "d"
// CHECK-LABEL: exec.task @forward
exec.task @prologue attributes {kind = "prologue", stage = 0 : i64} {
  %sum = exec.buffer "accumulator" "sum" {category = "gradients"} : <tensor<2097152xf32>>
  %d = exec.buffer "state" "d" {category = "parameters"} : <tensor<1048576xf32>>
  %wd = exec.buffer "value" "whole.d" {category = "parameters"} : <tensor<2097152xf32>>
  %b = exec.buffer "state" "b" {category = "parameters"} : <tensor<1048576xf32>>
  %wb = exec.buffer "value" "whole.b" {category = "parameters"} : <tensor<2097152xf32>>
  %c = exec.buffer "state" "c" {category = "parameters"} : <tensor<1048576xf32>>
  %wc = exec.buffer "value" "whole.c" {category = "parameters"} : <tensor<2097152xf32>>
  %a = exec.buffer "state" "a" {category = "parameters"} : <tensor<1048576xf32>>
  %part = exec.buffer "temporary" "part" {category = "temporary"} : <tensor<1048576xf32>>
  %wa = exec.buffer "value" "whole.a" {category = "parameters"} : <tensor<2097152xf32>>
  exec.fill %sum {value = 0 : i64} : <tensor<2097152xf32>>
  exec.launch @part(%a) -> (%part) : (!exec.buffer<tensor<1048576xf32>>) -> !exec.buffer<tensor<1048576xf32>>
  exec.collective "all_gather" %d -> %wd {axes = ["data"], what = "parameter", value = "d", why = ""} : <tensor<1048576xf32>> -> <tensor<2097152xf32>>
  exec.collective "all_gather" %b -> %wb {axes = ["data"], what = "parameter", value = "b", why = ""} : <tensor<1048576xf32>> -> <tensor<2097152xf32>>
  exec.collective "all_gather" %c -> %wc {axes = ["data"], what = "parameter", value = "c", why = ""} : <tensor<1048576xf32>> -> <tensor<2097152xf32>>
  exec.collective "all_gather" %part -> %wa {axes = ["data"], what = "parameter", value = "a", why = ""} : <tensor<1048576xf32>> -> <tensor<2097152xf32>>
}
exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  %sum = exec.buffer "accumulator" "sum" {category = "gradients"} : <tensor<2097152xf32>>
  %wa = exec.buffer "value" "whole.a" {category = "parameters"} : <tensor<2097152xf32>>
  %wb = exec.buffer "value" "whole.b" {category = "parameters"} : <tensor<2097152xf32>>
  %wc = exec.buffer "value" "whole.c" {category = "parameters"} : <tensor<2097152xf32>>
  %wd = exec.buffer "value" "whole.d" {category = "parameters"} : <tensor<2097152xf32>>
  %t = exec.buffer "temporary" "t" {category = "temporary"} : <tensor<2097152xf32>>
  exec.launch @negate(%wa) -> (%t) : (!exec.buffer<tensor<2097152xf32>>) -> !exec.buffer<tensor<2097152xf32>>
  exec.launch @negate(%t) -> (%sum) : (!exec.buffer<tensor<2097152xf32>>) -> !exec.buffer<tensor<2097152xf32>>
  exec.launch @negate(%wb) -> (%t) : (!exec.buffer<tensor<2097152xf32>>) -> !exec.buffer<tensor<2097152xf32>>
  exec.launch @negate(%t) -> (%sum) : (!exec.buffer<tensor<2097152xf32>>) -> !exec.buffer<tensor<2097152xf32>>
  exec.launch @negate(%wc) -> (%t) : (!exec.buffer<tensor<2097152xf32>>) -> !exec.buffer<tensor<2097152xf32>>
  exec.launch @negate(%t) -> (%sum) : (!exec.buffer<tensor<2097152xf32>>) -> !exec.buffer<tensor<2097152xf32>>
  exec.launch @negate(%wd) -> (%t) : (!exec.buffer<tensor<2097152xf32>>) -> !exec.buffer<tensor<2097152xf32>>
  exec.launch @negate(%t) -> (%sum) : (!exec.buffer<tensor<2097152xf32>>) -> !exec.buffer<tensor<2097152xf32>>
}
dist.schedule attributes {stage = 0 : i64} {
  dist.run @prologue {microbatch = 0 : i64}
  dist.run @forward {microbatch = 0 : i64}
  dist.run @forward {microbatch = 1 : i64}
}
