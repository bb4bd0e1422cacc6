// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --zcc-plan-memory --zcc-verify-plan | FileCheck %s

// All buffers of a repeat are in use while it runs: none of them shares its place with another, though the blocks' values
// are read for the last time and the result is written for the first.
dist.mesh @mesh [#dist.axis<"context" = 3>]
dist.input @x : tensor<48xf32> {input = "x", sharding = #dist.sharding<@mesh, [{"context"}]>, stage = 0 : i64}

// CHECK-LABEL: exec.task @forward
// CHECK-DAG: exec.buffer "temporary" "k" {{.*}}offset = [[K:[0-9]+]]
// CHECK-DAG: exec.buffer "temporary" "k1" {{.*}}offset = [[K1:[0-9]+]]
// CHECK-DAG: exec.buffer "temporary" "k2" {{.*}}offset = [[K2:[0-9]+]]
// CHECK-DAG: exec.buffer "temporary" "s" {{.*}}offset = [[S:[0-9]+]]
// CHECK-DAG: exec.buffer "temporary" "m" {{.*}}offset = [[M:[0-9]+]]
exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  %x = exec.buffer "input" "x" {category = "temporary"} : <tensor<16xf32>>
  %k = exec.buffer "temporary" "k" {category = "temporary"} : <tensor<16xf32>>
  %k1 = exec.buffer "temporary" "k1" {category = "temporary"} : <tensor<16xf32>>
  %k2 = exec.buffer "temporary" "k2" {category = "temporary"} : <tensor<16xf32>>
  %s = exec.buffer "temporary" "s" {category = "temporary"} : <tensor<16xf32>>
  %m = exec.buffer "temporary" "m" {category = "temporary"} : <tensor<i32>>
  exec.copy %x -> %k : !exec.buffer<tensor<16xf32>> -> !exec.buffer<tensor<16xf32>>
  exec.repeat over ["context"] member %m : <tensor<i32>> held(%k : !exec.buffer<tensor<16xf32>>) next(%k1 : !exec.buffer<tensor<16xf32>>) spare(%k2 : !exec.buffer<tensor<16xf32>>) attributes {value = ""} {
    exec.launch @k0(%k) -> (%s) : (!exec.buffer<tensor<16xf32>>) -> !exec.buffer<tensor<16xf32>>
  } between {
    exec.collective "permute" %k -> %k1 {axes = ["context"], shift = 1 : i64, what = "activation", value = "k", why = ""} : <tensor<16xf32>> -> <tensor<16xf32>>
  }
  exec.copy %s -> %x : !exec.buffer<tensor<16xf32>> -> !exec.buffer<tensor<16xf32>>
}
func.func private @k0(%a: tensor<16xf32>) -> tensor<16xf32> attributes {exec.kernel} {
  %0 = train.abs %a : (tensor<16xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}
// Input, hyperparameters, coordinates and the five: eight places of 64 bytes.
// CHECK: dist.schedule attributes {{.*}}exec.arenas = {device = 512 : i64}
dist.schedule attributes {stage = 0 : i64} {
  dist.run @forward {microbatch = 0 : i64}
}
