// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --split-input-file --zcc-hoist-collectives --zcc-verify-schedule | FileCheck %s

// The reduction of a gradient ends the backward pass, with the kernel that leads to it; what the update reads of it becomes a value, what
// nobody else reads stays a temporary. A gather that takes memory stays, and so does a kernel that only the update needs.

dist.mesh @mesh [#dist.axis<"data" = 2>]
dist.state @w : tensor<1048576xf32> {kind = "parameter", parameter = "w", file_type = tensor<2097152xf32>, start = array<i64: 0>, extent = array<i64: 2097152>, sharding = #dist.sharding<@mesh, [{"data"}]>, stage = 0 : i64}
func.func private @negate(%a: tensor<2097152xf32>) -> tensor<2097152xf32> attributes {exec.kernel} {
  %0 = train.negate %a : (tensor<2097152xf32>) -> tensor<2097152xf32>
  return %0 : tensor<2097152xf32>
}
func.func private @part(%a: tensor<1048576xf32>) -> tensor<1048576xf32> attributes {exec.kernel} {
  %0 = train.negate %a : (tensor<1048576xf32>) -> tensor<1048576xf32>
  return %0 : tensor<1048576xf32>
}

// CHECK-LABEL: exec.task @backward
// CHECK-DAG: %[[G:[0-9a-z]+]] = exec.buffer "value" "g"
// CHECK: exec.launch @negate(%[[G]])
// CHECK-DAG: %[[H:[0-9a-z]+]] = exec.buffer "temporary" "t#2"
// CHECK-DAG: %[[R:[0-9a-z]+]] = exec.buffer "value" "r"
// CHECK: exec.launch @negate(%{{.*}}) -> (%[[H]])
// CHECK-NEXT: exec.collective reduce_scatter %[[H]] -> %[[R]]
// CHECK-LABEL: exec.task @epilogue
// CHECK-NOT: "temporary" "t"
// CHECK-DAG: %[[V:[0-9a-z]+]] = exec.buffer "value" "r"
// CHECK-NOT: reduce_scatter
// CHECK: exec.launch @part(%{{.*}}) -> (%[[S:[0-9a-z]+]])
// CHECK: exec.launch @part(%[[V]])
// CHECK: exec.collective all_gather
exec.task @backward attributes {kind = "backward", stage = 0 : i64} {
  %g = exec.buffer "value" "g" {category = "gradients"} : <tensor<2097152xf32>>
  %t = exec.buffer "temporary" "t" {category = "temporary"} : <tensor<2097152xf32>>
  exec.fill %g {value = 0 : i64} : <tensor<2097152xf32>>
  exec.launch @negate(%g) -> (%t) : (!exec.buffer<tensor<2097152xf32>>) -> !exec.buffer<tensor<2097152xf32>>
  exec.launch @negate(%t) -> (%t) : (!exec.buffer<tensor<2097152xf32>>) -> !exec.buffer<tensor<2097152xf32>>
}
exec.task @epilogue attributes {kind = "epilogue", stage = 0 : i64} {
  %w = exec.buffer "state" "w" {category = "parameters"} : <tensor<1048576xf32>>
  %g = exec.buffer "value" "g" {category = "gradients"} : <tensor<2097152xf32>>
  %t = exec.buffer "temporary" "t" {category = "temporary"} : <tensor<2097152xf32>>
  %r = exec.buffer "temporary" "r" {category = "gradients"} : <tensor<1048576xf32>>
  %s = exec.buffer "temporary" "s" {category = "temporary"} : <tensor<1048576xf32>>
  %all = exec.buffer "temporary" "all" {category = "temporary"} : <tensor<2097152xf32>>
  exec.launch @negate(%g) -> (%t) : (!exec.buffer<tensor<2097152xf32>>) -> !exec.buffer<tensor<2097152xf32>>
  exec.collective "reduce_scatter" %t -> %r {axes = ["data"], reduction = "add", split_dim = 0 : i64, what = "gradient", value = "w", why = ""} : <tensor<2097152xf32>> -> <tensor<1048576xf32>>
  exec.launch @part(%w) -> (%s) : (!exec.buffer<tensor<1048576xf32>>) -> !exec.buffer<tensor<1048576xf32>>
  exec.launch @part(%r) -> (%w) : (!exec.buffer<tensor<1048576xf32>>) -> !exec.buffer<tensor<1048576xf32>>
  exec.collective "all_gather" %s -> %all {axes = ["data"], what = "parameter", value = "w", why = ""} : <tensor<1048576xf32>> -> <tensor<2097152xf32>>
}
dist.schedule attributes {stage = 0 : i64} {
  dist.run @backward {microbatch = 0 : i64}
  dist.run @epilogue {microbatch = 0 : i64}
}

// -----

// What a task that runs twice makes, or what something that stays writes first, stays; an all-reduce in place of what the task reads too.

dist.mesh @mesh [#dist.axis<"data" = 2>]
func.func private @negate(%a: tensor<2097152xf32>) -> tensor<2097152xf32> attributes {exec.kernel} {
  %0 = train.negate %a : (tensor<2097152xf32>) -> tensor<2097152xf32>
  return %0 : tensor<2097152xf32>
}
// CHECK-LABEL: exec.task @forward
// CHECK-NOT: all_reduce
// CHECK-LABEL: exec.task @epilogue
// CHECK: all_reduce
exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  %a = exec.buffer "accumulator" "a" {category = "gradients"} : <tensor<2097152xf32>>
  exec.launch @negate(%a) -> (%a) : (!exec.buffer<tensor<2097152xf32>>) -> !exec.buffer<tensor<2097152xf32>>
}
exec.task @epilogue attributes {kind = "epilogue", stage = 0 : i64} {
  %a = exec.buffer "accumulator" "a" {category = "gradients"} : <tensor<2097152xf32>>
  %t = exec.buffer "temporary" "t" {category = "temporary"} : <tensor<2097152xf32>>
  exec.collective "all_reduce" %a -> %t {axes = ["data"], reduction = "add", what = "gradient", value = "w", why = ""} : <tensor<2097152xf32>> -> <tensor<2097152xf32>>
}
exec.task @prologue attributes {kind = "prologue", stage = 0 : i64} {
  %a = exec.buffer "accumulator" "a" {category = "gradients"} : <tensor<2097152xf32>>
  exec.fill %a {value = 0 : i64} : <tensor<2097152xf32>>
}
dist.schedule attributes {stage = 0 : i64} {
  dist.run @prologue {microbatch = 0 : i64}
  dist.run @forward {microbatch = 0 : i64}
  dist.run @forward {microbatch = 0 : i64}
  dist.run @epilogue {microbatch = 0 : i64}
}
