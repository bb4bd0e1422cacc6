// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --zcc-hold-sends --zcc-interleave-runs=cut=waits --zcc-verify-schedule | FileCheck %s
// RUN: zcc-opt %s --zcc-hold-sends --zcc-interleave-runs=cut=fits --zcc-verify-schedule | FileCheck %s --check-prefix=FITS
// RUN: zcc-opt %s --zcc-hold-sends --zcc-interleave-runs=cut=waits --zcc-overlap-collectives --zcc-place-events --zcc-plan-memory --zcc-verify-plan --zcc-verify-order
// RUN: zcc-opt %s --zcc-hold-sends --zcc-interleave-runs=cut=fits --zcc-overlap-collectives --zcc-place-events --zcc-plan-memory --zcc-verify-plan --zcc-verify-order

// Two runs that both send take turns, here of one task. Each run has temporaries of its own. The second one receives before its first turn, and
// each sends when it has ended. Those of the last stage do not, since both add to one sum.

dist.mesh @mesh [#dist.axis<"pipe" = 2>, #dist.axis<"expert" = 2>, #dist.axis<"micro" = 2 temporal>]
func.func private @negate(%a: tensor<64xf32>) -> tensor<64xf32> attributes {exec.kernel} {
  %0 = train.negate %a : (tensor<64xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}
func.func private @add(%a: tensor<64xf32>, %b: tensor<64xf32>) -> tensor<64xf32> attributes {exec.kernel} {
  %0 = train.add %a, %b : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}
// CHECK-LABEL: exec.task @first_turn1 attributes
// CHECK: exec.buffer "value" "first/t"
// CHECK: exec.collective all_to_all
// CHECK-LABEL: exec.task @first_turn2 attributes
// CHECK-SAME: exec.section = 1
// CHECK: exec.buffer "value" "first/t"
// CHECK-LABEL: exec.task @first_turn1_2
// CHECK: exec.buffer "value" "first/t#2"
exec.task @first attributes {kind = "forward", stage = 0 : i64} {
  %x = exec.buffer "value" "x" {category = "residuals"} : <tensor<64xf32>>
  %s = exec.buffer "temporary" "s" {category = "temporary"} : <tensor<64xf32>>
  %t = exec.buffer "temporary" "t" {category = "temporary"} : <tensor<64xf32>>
  exec.fill %s {value = 0 : i64} : <tensor<64xf32>>
  exec.collective "all_to_all" %s -> %t {axes = ["expert"], what = "activation", value = "t", why = ""} : <tensor<64xf32>> -> <tensor<64xf32>>
  exec.launch @negate(%t) -> (%x) : (!exec.buffer<tensor<64xf32>>) -> !exec.buffer<tensor<64xf32>>
}
exec.task @begin attributes {kind = "prologue", stage = 1 : i64} {
  %a = exec.buffer "accumulator" "a" {category = "gradients"} : <tensor<64xf32>>
  exec.fill %a {value = 0 : i64} : <tensor<64xf32>>
}
exec.task @second attributes {kind = "forward", stage = 1 : i64} {
  %x = exec.buffer "value" "x" {category = "residuals"} : <tensor<64xf32>>
  %a = exec.buffer "accumulator" "a" {category = "gradients"} : <tensor<64xf32>>
  %r = exec.buffer "temporary" "r" {category = "temporary"} : <tensor<64xf32>>
  exec.collective "all_to_all" %x -> %r {axes = ["expert"], what = "activation", value = "r", why = ""} : <tensor<64xf32>> -> <tensor<64xf32>>
  exec.launch @add(%r, %a) -> (%a) : (!exec.buffer<tensor<64xf32>>, !exec.buffer<tensor<64xf32>>) -> !exec.buffer<tensor<64xf32>>
}
// CHECK: dist.schedule attributes {{.*}}stage = 0
// CHECK-NEXT: dist.run @first_turn1 {microbatch = 0
// CHECK-NEXT: dist.run @first_turn1_2 {microbatch = 1
// CHECK-NEXT: dist.run @first_turn2 {microbatch = 0
// CHECK-NEXT: dist.send "x" {{{.*}}microbatch = 0
// CHECK-NEXT: dist.run @first_turn2_2 {microbatch = 1
// CHECK-NEXT: dist.send "x" {{{.*}}microbatch = 1
// FITS: dist.schedule attributes {{.*}}stage = 0
// FITS-NEXT: dist.run @first_turn1 {microbatch = 0
// FITS-NEXT: dist.run @first_turn1_2 {microbatch = 1
// FITS-NEXT: dist.run @first_turn2 {microbatch = 0
// FITS-NEXT: dist.send "x" {{{.*}}microbatch = 0
// FITS-NEXT: dist.run @first_turn2_2 {microbatch = 1
// FITS-NEXT: dist.send "x" {{{.*}}microbatch = 1
dist.schedule attributes {stage = 0 : i64, microbatches = 2 : i64} {
  dist.run @first {microbatch = 0 : i64}
  dist.send "x" {microbatch = 0 : i64, peer = 1 : i64}
  dist.run @first {microbatch = 1 : i64}
  dist.send "x" {microbatch = 1 : i64, peer = 1 : i64}
}
// CHECK: dist.schedule attributes {{.*}}stage = 1
// CHECK: dist.run @second {microbatch = 0
// CHECK: dist.run @second {microbatch = 1
dist.schedule attributes {stage = 1 : i64, microbatches = 2 : i64} {
  dist.run @begin {microbatch = 0 : i64}
  dist.receive "x" {microbatch = 0 : i64, peer = 0 : i64}
  dist.run @second {microbatch = 0 : i64}
  dist.receive "x" {microbatch = 1 : i64, peer = 0 : i64}
  dist.run @second {microbatch = 1 : i64}
}
