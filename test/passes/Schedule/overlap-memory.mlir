// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --zcc-overlap-collectives --zcc-place-events --zcc-verify-schedule | FileCheck %s

// The operand of a collective that overlaps with computation is live until its reader has waited for it, not to the end
// of the step. So the plan needs no more memory than with one stream, and all collectives run on another one.

dist.mesh @mesh [#dist.axis<"data" = 2>]
func.func private @negate(%a: tensor<2097152xf32>) -> tensor<2097152xf32> attributes {exec.kernel} {
  %0 = train.negate %a : (tensor<2097152xf32>) -> tensor<2097152xf32>
  return %0 : tensor<2097152xf32>
}

// CHECK-LABEL: exec.task @forward
// CHECK-COUNT-3: exec.collective all_reduce {{.*}}stream = 1 : i64
exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  %a = exec.buffer "temporary" "a" {category = "temporary"} : <tensor<2097152xf32>>
  %b = exec.buffer "temporary" "b" {category = "temporary"} : <tensor<2097152xf32>>
  %u = exec.buffer "temporary" "u" {category = "temporary"} : <tensor<2097152xf32>>
  %r = exec.buffer "temporary" "r" {category = "temporary"} : <tensor<2097152xf32>>
  %s = exec.buffer "temporary" "s" {category = "temporary"} : <tensor<2097152xf32>>
  %t = exec.buffer "temporary" "t" {category = "temporary"} : <tensor<2097152xf32>>
  exec.fill %a {value = 0 : i64} : <tensor<2097152xf32>>
  exec.launch @negate(%a) -> (%r) : (!exec.buffer<tensor<2097152xf32>>) -> !exec.buffer<tensor<2097152xf32>>
  exec.collective "all_reduce" %r -> %r {axes = ["data"], reduction = "add", what = "gradient", value = "r", why = ""} : <tensor<2097152xf32>> -> <tensor<2097152xf32>>
  exec.launch @negate(%a) -> (%u) : (!exec.buffer<tensor<2097152xf32>>) -> !exec.buffer<tensor<2097152xf32>>
  exec.launch @negate(%r) -> (%b) : (!exec.buffer<tensor<2097152xf32>>) -> !exec.buffer<tensor<2097152xf32>>
  exec.launch @negate(%b) -> (%s) : (!exec.buffer<tensor<2097152xf32>>) -> !exec.buffer<tensor<2097152xf32>>
  exec.collective "all_reduce" %s -> %s {axes = ["data"], reduction = "add", what = "gradient", value = "s", why = ""} : <tensor<2097152xf32>> -> <tensor<2097152xf32>>
  exec.launch @negate(%a) -> (%u) : (!exec.buffer<tensor<2097152xf32>>) -> !exec.buffer<tensor<2097152xf32>>
  exec.launch @negate(%s) -> (%b) : (!exec.buffer<tensor<2097152xf32>>) -> !exec.buffer<tensor<2097152xf32>>
  exec.launch @negate(%b) -> (%t) : (!exec.buffer<tensor<2097152xf32>>) -> !exec.buffer<tensor<2097152xf32>>
  exec.collective "all_reduce" %t -> %t {axes = ["data"], reduction = "add", what = "gradient", value = "t", why = ""} : <tensor<2097152xf32>> -> <tensor<2097152xf32>>
  exec.launch @negate(%a) -> (%u) : (!exec.buffer<tensor<2097152xf32>>) -> !exec.buffer<tensor<2097152xf32>>
  exec.launch @negate(%t) -> (%b) : (!exec.buffer<tensor<2097152xf32>>) -> !exec.buffer<tensor<2097152xf32>>
}
dist.schedule attributes {stage = 0 : i64} {
  dist.run @forward {microbatch = 0 : i64}
}
