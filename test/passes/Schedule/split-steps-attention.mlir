// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --zcc-split-steps=parts=2 --zcc-verify-schedule | FileCheck %s

// With one sample, the queries are split. If the keys that they see depend on their position, all are computed at once.

dist.mesh @mesh [#dist.axis<"tensor" = 2>]
dist.input @x : tensor<1x64x4x16xf32> {input = "x", sharding = #dist.sharding<@mesh, [{}, {}, {}, {}]>, stage = 0 : i64}

// CHECK-LABEL: func private @seesall_part2(%{{.*}}: tensor<1x32x4x16xf32>, %{{.*}}: tensor<1x64x4x16xf32>)
// CHECK-NOT: @causal_part2
func.func private @seesall(%q: tensor<1x64x4x16xf32>, %k: tensor<1x64x4x16xf32>) -> (tensor<1x64x4x16xf32>, tensor<1x64x4xf32>) attributes {exec.kernel} {
  %r, %l = train.attention %q, %k, %k {scale = 0.5 : f64, fill = -1.0e30 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0>} : (tensor<1x64x4x16xf32>, tensor<1x64x4x16xf32>, tensor<1x64x4x16xf32>) -> (tensor<1x64x4x16xf32>, tensor<1x64x4xf32>)
  return %r, %l : tensor<1x64x4x16xf32>, tensor<1x64x4xf32>
}
func.func private @causal(%q: tensor<1x64x4x16xf32>, %k: tensor<1x64x4x16xf32>) -> (tensor<1x64x4x16xf32>, tensor<1x64x4xf32>) attributes {exec.kernel} {
  %r, %l = train.attention %q, %k, %k {scale = 0.5 : f64, fill = -1.0e30 : f64, after = 0 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0>} : (tensor<1x64x4x16xf32>, tensor<1x64x4x16xf32>, tensor<1x64x4x16xf32>) -> (tensor<1x64x4x16xf32>, tensor<1x64x4xf32>)
  return %r, %l : tensor<1x64x4x16xf32>, tensor<1x64x4xf32>
}

// CHECK-LABEL: exec.task @forward
// CHECK: exec.collective all_reduce {{.*}}exec.part = 1 : i64
// CHECK: exec.launch @causal(
// CHECK-COUNT-2: exec.launch @seesall_part2(
exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  %in = exec.buffer "input" "x" {category = "temporary"} : <tensor<1x64x4x16xf32>>
  %q = exec.buffer "temporary" "q" {category = "temporary"} : <tensor<1x64x4x16xf32>>
  %a = exec.buffer "temporary" "a" {category = "temporary"} : <tensor<1x64x4x16xf32>>
  %m = exec.buffer "temporary" "m" {category = "temporary"} : <tensor<1x64x4xf32>>
  %c = exec.buffer "temporary" "c" {category = "temporary"} : <tensor<1x64x4x16xf32>>
  %n = exec.buffer "temporary" "n" {category = "temporary"} : <tensor<1x64x4xf32>>
  exec.collective "all_reduce" %in -> %q {axes = ["tensor"], reduction = "add", what = "activation", value = "q", why = ""} : <tensor<1x64x4x16xf32>> -> <tensor<1x64x4x16xf32>>
  exec.launch @seesall(%q, %in) -> (%a, %m) : (!exec.buffer<tensor<1x64x4x16xf32>>, !exec.buffer<tensor<1x64x4x16xf32>>) -> (!exec.buffer<tensor<1x64x4x16xf32>>, !exec.buffer<tensor<1x64x4xf32>>)
  exec.launch @causal(%q, %in) -> (%c, %n) : (!exec.buffer<tensor<1x64x4x16xf32>>, !exec.buffer<tensor<1x64x4x16xf32>>) -> (!exec.buffer<tensor<1x64x4x16xf32>>, !exec.buffer<tensor<1x64x4xf32>>)
}
dist.schedule attributes {stage = 0 : i64} {
  dist.run @forward {microbatch = 0 : i64}
}
