// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --zcc-overlap-collectives --zcc-place-events --zcc-verify-schedule | FileCheck %s

// Values that wait for links, or are being sent, do not pile up: the kernel of the third gradient waits until the first
// is sent, which costs nothing as that is complete by then. (The peak, mostly unused values, has room for all.)

dist.mesh @mesh [#dist.axis<"data" = 2>]
dist.state @a : tensor<4194304xf32> {kind = "parameter", parameter = "a", file_type = tensor<4194304xf32>, start = array<i64: 0>, extent = array<i64: 4194304>, sharding = #dist.sharding<@mesh, [{}]>, stage = 0 : i64}
dist.state @big : tensor<8589934592xf32> {kind = "parameter", parameter = "big", file_type = tensor<8589934592xf32>, start = array<i64: 0>, extent = array<i64: 8589934592>, sharding = #dist.sharding<@mesh, [{}]>, stage = 0 : i64}
func.func private @negate(%a: tensor<4194304xf32>) -> tensor<4194304xf32> attributes {exec.kernel} {
  %0 = train.negate %a : (tensor<4194304xf32>) -> tensor<4194304xf32>
  return %0 : tensor<4194304xf32>
}

// CHECK-LABEL: exec.task @backward
// CHECK: exec.launch @negate(%[[A:[0-9a-z]+]]) -> (%[[G0:[0-9a-z]+]])
// CHECK-NEXT: exec.collective reduce_scatter %[[G0]] -> {{.*}}exec.event = [[FIRST:[0-9]+]] : i64
// CHECK-NEXT: exec.launch
// CHECK-NEXT: exec.collective {{.*}}exec.event = [[SECOND:[0-9]+]] : i64
// CHECK-NEXT: exec.launch {{.*}}exec.waits = array<i64: [[FIRST]]>
// CHECK-NEXT: exec.collective {{.*}}exec.event = [[THIRD:[0-9]+]] : i64
// CHECK-NEXT: exec.launch {{.*}}exec.waits = array<i64: [[SECOND]]>
// CHECK: exec.launch {{.*}}exec.waits = array<i64: [[THIRD]]>
exec.task @backward attributes {kind = "backward", stage = 0 : i64} {
  %a = exec.buffer "state" "a" {category = "parameters"} : <tensor<4194304xf32>>
  %g0 = exec.buffer "temporary" "g0" {category = "gradients"} : <tensor<4194304xf32>>
  %g1 = exec.buffer "temporary" "g1" {category = "gradients"} : <tensor<4194304xf32>>
  %g2 = exec.buffer "temporary" "g2" {category = "gradients"} : <tensor<4194304xf32>>
  %g3 = exec.buffer "temporary" "g3" {category = "gradients"} : <tensor<4194304xf32>>
  %g4 = exec.buffer "temporary" "g4" {category = "gradients"} : <tensor<4194304xf32>>
  %r0 = exec.buffer "temporary" "r0" {category = "gradients"} : <tensor<2097152xf32>>
  %r1 = exec.buffer "temporary" "r1" {category = "gradients"} : <tensor<2097152xf32>>
  %r2 = exec.buffer "temporary" "r2" {category = "gradients"} : <tensor<2097152xf32>>
  %r3 = exec.buffer "temporary" "r3" {category = "gradients"} : <tensor<2097152xf32>>
  %r4 = exec.buffer "temporary" "r4" {category = "gradients"} : <tensor<2097152xf32>>
  exec.launch @negate(%a) -> (%g0) : (!exec.buffer<tensor<4194304xf32>>) -> !exec.buffer<tensor<4194304xf32>>
  exec.collective "reduce_scatter" %g0 -> %r0 {axes = ["data"], reduction = "add", what = "gradient", value = "a", why = ""} : <tensor<4194304xf32>> -> <tensor<2097152xf32>>
  exec.launch @negate(%a) -> (%g1) : (!exec.buffer<tensor<4194304xf32>>) -> !exec.buffer<tensor<4194304xf32>>
  exec.collective "reduce_scatter" %g1 -> %r1 {axes = ["data"], reduction = "add", what = "gradient", value = "a", why = ""} : <tensor<4194304xf32>> -> <tensor<2097152xf32>>
  exec.launch @negate(%a) -> (%g2) : (!exec.buffer<tensor<4194304xf32>>) -> !exec.buffer<tensor<4194304xf32>>
  exec.collective "reduce_scatter" %g2 -> %r2 {axes = ["data"], reduction = "add", what = "gradient", value = "a", why = ""} : <tensor<4194304xf32>> -> <tensor<2097152xf32>>
  exec.launch @negate(%a) -> (%g3) : (!exec.buffer<tensor<4194304xf32>>) -> !exec.buffer<tensor<4194304xf32>>
  exec.collective "reduce_scatter" %g3 -> %r3 {axes = ["data"], reduction = "add", what = "gradient", value = "a", why = ""} : <tensor<4194304xf32>> -> <tensor<2097152xf32>>
  exec.launch @negate(%a) -> (%g4) : (!exec.buffer<tensor<4194304xf32>>) -> !exec.buffer<tensor<4194304xf32>>
  exec.collective "reduce_scatter" %g4 -> %r4 {axes = ["data"], reduction = "add", what = "gradient", value = "a", why = ""} : <tensor<4194304xf32>> -> <tensor<2097152xf32>>
}
dist.schedule attributes {stage = 0 : i64} {
  dist.run @backward {microbatch = 0 : i64}
}
