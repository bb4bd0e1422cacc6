// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --split-input-file --zcc-place-events | FileCheck %s

// Collectives of two streams wait for each other where they are one by one, and only there.

dist.mesh @mesh [#dist.axis<"data" = 2>]
// CHECK: exec.task @forward
exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  %s = exec.buffer "temporary" "s" {category = "temporary"} : <tensor<16xf32>>
  %t = exec.buffer "temporary" "t" {category = "temporary"} : <tensor<16xf32>>
  exec.fill %s {value = 0 : i64, stream = 0 : i64} : <tensor<16xf32>>
  exec.fill %t {value = 0 : i64, stream = 0 : i64} : <tensor<16xf32>>
  // CHECK: exec.collective {{.*}}exec.event = 1 : i64, exec.waits = array<i64: 0>
  exec.collective "all_reduce" %s -> %s {axes = ["data"], stream = 1 : i64, reduction = "add", what = "activation", value = "", why = ""} : <tensor<16xf32>> -> <tensor<16xf32>>
  // CHECK: exec.collective {{.*}}exec.event = 2 : i64, exec.waits = array<i64: 0, 1>
  exec.collective "all_reduce" %t -> %t {axes = ["data"], stream = 2 : i64, reduction = "add", what = "activation", value = "", why = ""} : <tensor<16xf32>> -> <tensor<16xf32>>
}
dist.schedule attributes {stage = 0 : i64, exec.one_by_one} {
  dist.run @forward {microbatch = 0 : i64, slots = array<i64>}
}

// -----

dist.mesh @mesh [#dist.axis<"data" = 2>]
// CHECK: exec.task @forward
exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  %s = exec.buffer "temporary" "s" {category = "temporary"} : <tensor<16xf32>>
  %t = exec.buffer "temporary" "t" {category = "temporary"} : <tensor<16xf32>>
  exec.fill %s {value = 0 : i64, stream = 0 : i64} : <tensor<16xf32>>
  exec.fill %t {value = 0 : i64, stream = 0 : i64} : <tensor<16xf32>>
  // CHECK: exec.collective
  exec.collective "all_reduce" %s -> %s {axes = ["data"], stream = 1 : i64, reduction = "add", what = "activation", value = "", why = ""} : <tensor<16xf32>> -> <tensor<16xf32>>
  // CHECK: exec.collective {{.*}}exec.event = 2 : i64, exec.waits = array<i64: 0>,
  exec.collective "all_reduce" %t -> %t {axes = ["data"], stream = 2 : i64, reduction = "add", what = "activation", value = "", why = ""} : <tensor<16xf32>> -> <tensor<16xf32>>
}
dist.schedule attributes {stage = 0 : i64} {
  dist.run @forward {microbatch = 0 : i64, slots = array<i64>}
}
