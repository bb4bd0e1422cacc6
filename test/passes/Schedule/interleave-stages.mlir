// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --zcc-hold-sends --zcc-interleave-runs=cut=steps --zcc-verify-schedule | FileCheck %s
// RUN: zcc-opt %s --zcc-hold-sends --zcc-interleave-runs=cut=steps --zcc-overlap-collectives --zcc-place-events --zcc-plan-memory --zcc-verify-plan --zcc-verify-order

// In a stage, a run whose results no stage receives fills the waits of the next run. The next run receives before both, and sends after both.
// A run that reads what the run before it has made stays behind it, and so does one whose results are sent.

dist.mesh @mesh [#dist.axis<"pipe" = 2>, #dist.axis<"expert" = 2>, #dist.axis<"micro" = 2 temporal>]
func.func private @negate(%a: tensor<64xf32>) -> tensor<64xf32> attributes {exec.kernel} {
  %0 = train.negate %a : (tensor<64xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}
exec.task @first attributes {kind = "forward", stage = 0 : i64} {
  %x = exec.buffer "value" "x" {category = "residuals"} : <tensor<64xf32>>
  exec.fill %x {value = 0 : i64} : <tensor<64xf32>>
}
exec.task @end attributes {kind = "epilogue", stage = 0 : i64} {
  %y = exec.buffer "value" "y" {category = "residuals"} : <tensor<64xf32>>
  %t = exec.buffer "temporary" "t" {category = "temporary"} : <tensor<64xf32>>
  exec.launch @negate(%y) -> (%t) : (!exec.buffer<tensor<64xf32>>) -> !exec.buffer<tensor<64xf32>>
}
exec.task @forward attributes {kind = "forward", stage = 1 : i64} {
  %x = exec.buffer "value" "x" {category = "residuals"} : <tensor<64xf32>>
  %r = exec.buffer "value" "r" {category = "residuals"} : <tensor<64xf32>>
  %y = exec.buffer "value" "y" {category = "residuals"} : <tensor<64xf32>>
  exec.collective "all_to_all" %x -> %r {axes = ["expert"], what = "activation", value = "r", why = ""} : <tensor<64xf32>> -> <tensor<64xf32>>
  exec.launch @negate(%r) -> (%y) : (!exec.buffer<tensor<64xf32>>) -> !exec.buffer<tensor<64xf32>>
}
exec.task @weights attributes {kind = "weight_backward", stage = 1 : i64} {
  %r = exec.buffer "value" "r" {category = "residuals"} : <tensor<64xf32>>
  %t = exec.buffer "temporary" "t" {category = "temporary"} : <tensor<64xf32>>
  %u = exec.buffer "temporary" "u" {category = "temporary"} : <tensor<64xf32>>
  exec.launch @negate(%r) -> (%t) : (!exec.buffer<tensor<64xf32>>) -> !exec.buffer<tensor<64xf32>>
  exec.launch @negate(%t) -> (%u) : (!exec.buffer<tensor<64xf32>>) -> !exec.buffer<tensor<64xf32>>
}
dist.schedule attributes {stage = 0 : i64, microbatches = 2 : i64} {
  dist.run @first {microbatch = 0 : i64}
  dist.send "x" {microbatch = 0 : i64, peer = 1 : i64}
  dist.run @first {microbatch = 1 : i64}
  dist.send "x" {microbatch = 1 : i64, peer = 1 : i64}
  dist.receive "y" {microbatch = 0 : i64, peer = 1 : i64}
  dist.receive "y" {microbatch = 1 : i64, peer = 1 : i64}
  dist.run @end {microbatch = 0 : i64}
}
// CHECK: dist.schedule attributes {{.*}}stage = 1
// CHECK-NEXT: dist.receive "x" {microbatch = 0
// CHECK-NEXT: dist.run @forward {microbatch = 0
// CHECK-NEXT: dist.send "y" {exec.received = {{.*}}microbatch = 0
// CHECK-NEXT: dist.receive "x" {microbatch = 1
// CHECK-NEXT: dist.run @forward_turn1 {microbatch = 1
// CHECK-NEXT: dist.run @weights_turn1 {microbatch = 0
// CHECK-NEXT: dist.run @forward_turn2 {microbatch = 1
// CHECK-NEXT: dist.send "y" {exec.received = {{.*}}microbatch = 1
// CHECK-NEXT: dist.run @weights {microbatch = 1
dist.schedule attributes {stage = 1 : i64, microbatches = 2 : i64} {
  dist.receive "x" {microbatch = 0 : i64, peer = 0 : i64}
  dist.run @forward {microbatch = 0 : i64}
  dist.send "y" {microbatch = 0 : i64, peer = 0 : i64}
  dist.run @weights {microbatch = 0 : i64}
  dist.receive "x" {microbatch = 1 : i64, peer = 0 : i64}
  dist.run @forward {microbatch = 1 : i64}
  dist.send "y" {microbatch = 1 : i64, peer = 0 : i64}
  dist.run @weights {microbatch = 1 : i64}
}
