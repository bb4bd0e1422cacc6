// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --zcc-bucket-collectives=bytes=64 --zcc-verify-schedule | FileCheck %s

// Small collectives of one kind, group, type and reduction run together.

dist.mesh @mesh [#dist.axis<"data" = 2>, #dist.axis<"tensor" = 2>]
func.func private @negate(%a: tensor<4xf32>) -> tensor<4xf32> attributes {exec.kernel} {
  %0 = train.negate %a : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// The first waits for the second, over a launch that does not care; what reads
// its result comes after both.
// CHECK-LABEL: exec.task @waits
// CHECK: exec.launch @negate(%[[B:[0-9a-z]+]]) -> (%[[A:[0-9a-z]+]])
// CHECK-NEXT: exec.fill %[[T:[0-9a-z]+]]
// CHECK-NEXT: exec.bucket {
// CHECK-NEXT: exec.collective all_reduce %[[A]] -> %[[A]] {axes = ["data"], {{.*}}value = "a"
// CHECK-NEXT: exec.collective all_reduce %[[T]] -> %[[T]] {axes = ["data"], {{.*}}value = "b"
// CHECK-NEXT: {{^ *}}}
// CHECK-NEXT: exec.launch @negate(%[[A]])
exec.task @waits attributes {kind = "forward", stage = 0 : i64} {
  %a = exec.buffer "value" "a" {category = "residuals"} : <tensor<4xf32>>
  %b = exec.buffer "value" "b" {category = "residuals"} : <tensor<4xf32>>
  %t = exec.buffer "temporary" "t0" {category = "temporary"} : <tensor<4xf32>>
  exec.fill %b {value = 0 : i64} : <tensor<4xf32>>
  exec.launch @negate(%b) -> (%a) : (!exec.buffer<tensor<4xf32>>) -> !exec.buffer<tensor<4xf32>>
  exec.collective "all_reduce" %a -> %a {axes = ["data"], reduction = "add", what = "scalar", value = "a", why = ""} : <tensor<4xf32>> -> <tensor<4xf32>>
  exec.launch @negate(%a) -> (%b) : (!exec.buffer<tensor<4xf32>>) -> !exec.buffer<tensor<4xf32>>
  exec.fill %t {value = 0 : i64} : <tensor<4xf32>>
  exec.collective "all_reduce" %t -> %t {axes = ["data"], reduction = "add", what = "scalar", value = "b", why = ""} : <tensor<4xf32>> -> <tensor<4xf32>>
}

// Not those of which one needs the other; nor of another group, reduction,
// element type, or part of the step.
// CHECK-LABEL: exec.task @apart
// CHECK-NOT: exec.bucket
// CHECK: dist.schedule
exec.task @apart attributes {kind = "backward", stage = 0 : i64} {
  %a = exec.buffer "value" "a" {category = "residuals"} : <tensor<4xf32>>
  %b = exec.buffer "value" "b" {category = "residuals"} : <tensor<4xf32>>
  %c = exec.buffer "temporary" "c" {category = "temporary"} : <tensor<4xf32>>
  %d = exec.buffer "temporary" "d" {category = "temporary"} : <tensor<4xf32>>
  %i = exec.buffer "temporary" "i" {category = "temporary"} : <tensor<4xi32>>
  %big = exec.buffer "temporary" "big" {category = "temporary"} : <tensor<32xf32>>
  exec.fill %d {value = 0 : i64} : <tensor<4xf32>>
  exec.fill %i {value = 0 : i64} : <tensor<4xi32>>
  exec.fill %big {value = 0 : i64} : <tensor<32xf32>>
  exec.collective "all_reduce" %a -> %a {axes = ["data"], reduction = "add", what = "scalar", value = "a", why = ""} : <tensor<4xf32>> -> <tensor<4xf32>>
  exec.launch @negate(%a) -> (%c) : (!exec.buffer<tensor<4xf32>>) -> !exec.buffer<tensor<4xf32>>
  exec.collective "all_reduce" %c -> %c {axes = ["data"], reduction = "add", what = "scalar", value = "c", why = ""} : <tensor<4xf32>> -> <tensor<4xf32>>
  exec.collective "all_reduce" %b -> %b {axes = ["tensor"], reduction = "add", what = "scalar", value = "b", why = ""} : <tensor<4xf32>> -> <tensor<4xf32>>
  exec.collective "all_reduce" %d -> %d {axes = ["data"], reduction = "maximum", what = "scalar", value = "d", why = ""} : <tensor<4xf32>> -> <tensor<4xf32>>
  exec.collective "all_reduce" %i -> %i {axes = ["data"], reduction = "add", what = "scalar", value = "i", why = ""} : <tensor<4xi32>> -> <tensor<4xi32>>
  exec.collective "all_reduce" %b -> %b {axes = ["data"], reduction = "add", train.tag = "update", what = "scalar", value = "b", why = ""} : <tensor<4xf32>> -> <tensor<4xf32>>
  exec.collective "all_reduce" %big -> %big {axes = ["data"], reduction = "add", what = "scalar", value = "big", why = ""} : <tensor<32xf32>> -> <tensor<32xf32>>
}
dist.schedule attributes {stage = 0 : i64} {
  dist.run @waits {microbatch = 0 : i64}
  dist.run @apart {microbatch = 0 : i64}
}
