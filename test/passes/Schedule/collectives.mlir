// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s | zcc-opt | FileCheck %s

// Attributes of a collective are the op's own; a kind may also be a string.

#rows = #dist.sharding<@mesh, [{"a"}]>
dist.mesh @mesh [#dist.axis<"a" = 2>]
// CHECK-LABEL: exec.task @kinds
exec.task @kinds attributes {kind = "forward", stage = 0 : i64} {
  %s = exec.buffer "value" "s" {category = "residuals"} : <tensor<4xf32>>
  %t = exec.buffer "value" "t" {category = "residuals"} : <tensor<8xf32>>
  // CHECK: exec.collective all_reduce %{{.*}} {axes = ["a"], reduction = "add", value = "s", what = "scalar", why = ""}
  exec.collective "all_reduce" %s -> %s {axes = ["a"], reduction = "add", what = "scalar", value = "s", why = ""} : <tensor<4xf32>> -> <tensor<4xf32>>
  // CHECK: exec.collective all_gather
  exec.collective all_gather %s -> %t {axes = ["a"], what = "parameter", value = "s", why = ""} : <tensor<4xf32>> -> <tensor<8xf32>>
  // CHECK: exec.collective permute %{{.*}} shift = 1 : i64
  exec.collective permute %s -> %s {axes = ["a"], shift = 1 : i64, what = "activation", value = "s", why = ""} : <tensor<4xf32>> -> <tensor<4xf32>>
  // CHECK: exec.collective exchange_boxes %{{.*}} from = #dist.sharding<@mesh, [{"a"}]>, shape = array<i64: 8>, to = #dist.sharding<@mesh, [{"a"}]>, {{.*}}windows = array<i64: 0, 1, 1, 0, 8>
  exec.collective exchange_boxes %s -> %t {axes = ["a"], shape = array<i64: 8>, from = #rows, to = #rows, windows = array<i64: 0, 1, 1, 0, 8>, what = "activation", value = "s", why = ""} : <tensor<4xf32>> -> <tensor<8xf32>>
}
