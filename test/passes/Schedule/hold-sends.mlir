// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --zcc-hold-sends | FileCheck %s
// RUN: zcc-opt %s --zcc-hold-sends --zcc-plan-memory | FileCheck %s --check-prefix=PLANNED

// Stage 0 has sent the second "x" when stage 1 has a long task to do with the first: what it would write its third one over is there till then. Its tasks come
// after what is received at their time: the first "x" is received before the second is made. Buffers are no steps.

dist.mesh @mesh [#dist.axis<"pipe" = 2>, #dist.axis<"micro" = 3 temporal>]
func.func private @make() -> tensor<64xf32> attributes {exec.kernel} {
  %0 = train.constant dense<1.0> : tensor<64xf32>
  return %0 : tensor<64xf32>
}
func.func private @negate(%a: tensor<64xf32>) -> tensor<64xf32> attributes {exec.kernel} {
  %0 = train.negate %a : (tensor<64xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}
exec.task @first attributes {kind = "forward", stage = 0 : i64} {
  %x = exec.buffer "value" "x" {category = "residuals"} : <tensor<64xf32>>
  %0 = exec.buffer "temporary" "0" {category = "temporary"} : <tensor<64xf32>>
  %1 = exec.buffer "temporary" "1" {category = "temporary"} : <tensor<64xf32>>
  %2 = exec.buffer "temporary" "2" {category = "temporary"} : <tensor<64xf32>>
  %3 = exec.buffer "temporary" "3" {category = "temporary"} : <tensor<64xf32>>
  exec.launch @make() -> (%x) : () -> !exec.buffer<tensor<64xf32>>
}
exec.task @second attributes {kind = "forward", stage = 1 : i64} {
  %x = exec.buffer "value" "x" {category = "residuals"} : <tensor<64xf32>>
  %a = exec.buffer "temporary" "a" {category = "temporary"} : <tensor<64xf32>>
  %b = exec.buffer "temporary" "b" {category = "temporary"} : <tensor<64xf32>>
  exec.launch @negate(%x) -> (%a) : (!exec.buffer<tensor<64xf32>>) -> !exec.buffer<tensor<64xf32>>
  exec.launch @negate(%a) -> (%b) : (!exec.buffer<tensor<64xf32>>) -> !exec.buffer<tensor<64xf32>>
  exec.launch @negate(%b) -> (%a) : (!exec.buffer<tensor<64xf32>>) -> !exec.buffer<tensor<64xf32>>
}
// CHECK: dist.schedule attributes {{.*}}stage = 0
// CHECK: dist.send "x" {exec.received = 2 : i64, microbatch = 0 : i64, peer = 1 : i64}
// CHECK: dist.send "x" {exec.received = 6 : i64, microbatch = 1 : i64, peer = 1 : i64}
// CHECK: dist.send "x" {exec.received = 6 : i64, microbatch = 2 : i64, peer = 1 : i64}
// PLANNED: dist.send "x" {exec.received = 2 : i64, microbatch = 0 : i64, offset = [[FIRST:[0-9]+]] : i64
// PLANNED: dist.send "x" {exec.received = 6 : i64, microbatch = 1 : i64, offset = [[SECOND:[0-9]+]] : i64
// PLANNED-NOT: dist.send "x" {{.*}}microbatch = 2 : i64, offset = [[SECOND]] : i64
// PLANNED: dist.schedule
dist.schedule attributes {stage = 0 : i64, microbatches = 3 : i64} {
  dist.run @first {microbatch = 0 : i64}
  dist.send "x" {microbatch = 0 : i64, peer = 1 : i64}
  dist.run @first {microbatch = 1 : i64}
  dist.send "x" {microbatch = 1 : i64, peer = 1 : i64}
  dist.run @first {microbatch = 2 : i64}
  dist.send "x" {microbatch = 2 : i64, peer = 1 : i64}
}
dist.schedule attributes {stage = 1 : i64, microbatches = 3 : i64} {
  dist.receive "x" {microbatch = 0 : i64, peer = 0 : i64}
  dist.run @second {microbatch = 0 : i64}
  dist.receive "x" {microbatch = 1 : i64, peer = 0 : i64}
  dist.run @second {microbatch = 1 : i64}
  dist.receive "x" {microbatch = 2 : i64, peer = 0 : i64}
  dist.run @second {microbatch = 2 : i64}
}
