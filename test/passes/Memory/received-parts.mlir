// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --zcc-plan-memory --zcc-verify-plan | FileCheck %s

// A received value has room for all of its bytes, although the first task that reads it uses a part.

dist.mesh @mesh [#dist.axis<"pipe" = 2>]
func.func private @negate(%a: tensor<16xf32>) -> tensor<16xf32> attributes {exec.kernel} {
  %0 = train.negate %a : (tensor<16xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}
exec.task @make attributes {kind = "forward", stage = 0 : i64} {
  %x = exec.buffer "value" "x" {category = "residuals"} : <tensor<32xf32>>
  exec.fill %x {value = 0 : i64} : <tensor<32xf32>>
}
exec.task @half attributes {kind = "forward", stage = 1 : i64} {
  %x = exec.buffer "value" "x" {begin = 0 : i64, category = "residuals"} : <tensor<16xf32>>
  %t = exec.buffer "temporary" "t" {category = "temporary"} : <tensor<16xf32>>
  exec.launch @negate(%x) -> (%t) : (!exec.buffer<tensor<16xf32>>) -> !exec.buffer<tensor<16xf32>>
}
exec.task @other attributes {kind = "backward", stage = 1 : i64} {
  %x = exec.buffer "value" "x" {begin = 64 : i64, category = "residuals"} : <tensor<16xf32>>
  %t = exec.buffer "temporary" "t" {category = "temporary"} : <tensor<16xf32>>
  exec.launch @negate(%x) -> (%t) : (!exec.buffer<tensor<16xf32>>) -> !exec.buffer<tensor<16xf32>>
}
dist.schedule attributes {stage = 0 : i64} {
  dist.run @make {microbatch = 0 : i64}
  dist.send "x" {microbatch = 0 : i64, peer = 1 : i64}
}
// CHECK: dist.receive "x"
// CHECK-NEXT: dist.run @half
// CHECK-NEXT: dist.run @other
dist.schedule attributes {stage = 1 : i64} {
  dist.receive "x" {microbatch = 0 : i64, peer = 0 : i64}
  dist.run @half {microbatch = 0 : i64}
  dist.run @other {microbatch = 0 : i64}
}
