// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --zcc-bucket-collectives=bytes=8192 --zcc-verify-schedule | FileCheck %s

// Gathered values that are read one after the other are not all there at once:
// each pair of them would raise the peak. The gathers of the second task are
// together: more is in use in the first one.

dist.mesh @mesh [#dist.axis<"data" = 2>]
dist.state @a : tensor<1024xf32> {kind = "parameter", parameter = "a", file_type = tensor<2048xf32>, start = array<i64: 0>, extent = array<i64: 2048>, sharding = #dist.sharding<@mesh, [{"data"}]>, stage = 0 : i64}
func.func private @sum(%a: tensor<2048xf32>) -> tensor<f32> attributes {exec.kernel} {
  %0 = train.reduce %a {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<2048xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: exec.task @peak
// CHECK-NOT: exec.bucket
// CHECK-LABEL: exec.task @below
// CHECK: exec.bucket {
// CHECK-NEXT: value = "first"
// CHECK-NEXT: value = "second"
exec.task @peak attributes {kind = "forward", stage = 0 : i64} {
  %a = exec.buffer "state" "a" {category = "parameters"} : <tensor<1024xf32>>
  %s = exec.buffer "temporary" "s" {category = "temporary"} : <tensor<f32>>
  %room = exec.buffer "temporary" "room" {category = "temporary"} : <tensor<4096xf32>>
  %g = exec.buffer "temporary" "g" {category = "temporary"} : <tensor<2048xf32>>
  %h = exec.buffer "temporary" "h" {category = "temporary"} : <tensor<2048xf32>>
  exec.fill %room {value = 0 : i64} : <tensor<4096xf32>>
  exec.collective "all_gather" %a -> %g {axes = ["data"], what = "parameter", value = "first", why = ""} : <tensor<1024xf32>> -> <tensor<2048xf32>>
  exec.launch @sum(%g) -> (%s) : (!exec.buffer<tensor<2048xf32>>) -> !exec.buffer<tensor<f32>>
  exec.collective "all_gather" %a -> %h {axes = ["data"], what = "parameter", value = "second", why = ""} : <tensor<1024xf32>> -> <tensor<2048xf32>>
  exec.launch @sum(%h) -> (%s) : (!exec.buffer<tensor<2048xf32>>) -> !exec.buffer<tensor<f32>>
  exec.copy %room -> %room : !exec.buffer<tensor<4096xf32>> -> !exec.buffer<tensor<4096xf32>>
}
exec.task @below attributes {kind = "backward", stage = 0 : i64} {
  %a = exec.buffer "state" "a" {category = "parameters"} : <tensor<1024xf32>>
  %s = exec.buffer "temporary" "s" {category = "temporary"} : <tensor<f32>>
  %g = exec.buffer "temporary" "g" {category = "temporary"} : <tensor<2048xf32>>
  %h = exec.buffer "temporary" "h" {category = "temporary"} : <tensor<2048xf32>>
  exec.collective "all_gather" %a -> %g {axes = ["data"], what = "parameter", value = "first", why = ""} : <tensor<1024xf32>> -> <tensor<2048xf32>>
  exec.launch @sum(%g) -> (%s) : (!exec.buffer<tensor<2048xf32>>) -> !exec.buffer<tensor<f32>>
  exec.collective "all_gather" %a -> %h {axes = ["data"], what = "parameter", value = "second", why = ""} : <tensor<1024xf32>> -> <tensor<2048xf32>>
  exec.launch @sum(%h) -> (%s) : (!exec.buffer<tensor<2048xf32>>) -> !exec.buffer<tensor<f32>>
}
dist.schedule attributes {stage = 0 : i64} {
  dist.run @peak {microbatch = 0 : i64}
  dist.run @below {microbatch = 0 : i64}
}
