// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --zcc-split-steps=parts=2 --zcc-verify-schedule | FileCheck %s
// RUN: zcc-opt %s --zcc-split-steps=parts=2 --zcc-plan-memory --zcc-verify-plan | FileCheck %s --check-prefix=PLANNED
// RUN: zcc-opt %s --zcc-split-steps=parts=3 | FileCheck %s --check-prefix=THREE
// RUN: zcc-opt %s --zcc-split-steps | FileCheck %s --check-prefix=WHOLE

// Rows of the batch go part by part through the gather, the product, and the sum over devices. What the gradient of the weight reads
// whole has parts in one place, what only parts use has a place for each.

dist.mesh @mesh [#dist.axis<"tensor" = 2>]
dist.state @w : tensor<512x256xf32> {kind = "parameter", parameter = "w", file_type = tensor<512x512xf32>, start = array<i64: 0, 0>, extent = array<i64: 512, 512>, sharding = #dist.sharding<@mesh, [{}, {"tensor"}]>, stage = 0 : i64}
dist.input @x : tensor<4x4096x512xf32> {input = "x", sharding = #dist.sharding<@mesh, [{}, {}, {}]>, stage = 0 : i64}

// CHECK-LABEL: func private @product_part2(%{{.*}}: tensor<2x4096x512xf32>, %{{.*}}: tensor<512x256xf32>) -> tensor<2x4096x256xf32>
func.func private @product(%a: tensor<4x4096x512xf32>, %w: tensor<512x256xf32>) -> tensor<4x4096x256xf32> attributes {exec.kernel} {
  %0 = train.dot_general %a, %w {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 2>, rhs_contracting = array<i64: 0>} : (tensor<4x4096x512xf32>, tensor<512x256xf32>) -> tensor<4x4096x256xf32>
  return %0 : tensor<4x4096x256xf32>
}
// CHECK-NOT: @product(
// CHECK-NOT: @gradient_part2
// CHECK: func private @gradient(
func.func private @gradient(%a: tensor<4x4096x512xf32>, %g: tensor<4x4096x256xf32>) -> tensor<512x256xf32> attributes {exec.kernel} {
  %0 = train.dot_general %a, %g {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 0, 1>, rhs_contracting = array<i64: 0, 1>} : (tensor<4x4096x512xf32>, tensor<4x4096x256xf32>) -> tensor<512x256xf32>
  return %0 : tensor<512x256xf32>
}
// CHECK: func private @mean_part2(%{{.*}}: tensor<2x2048x256xf32>) -> tensor<2x2048xf32>
func.func private @mean(%a: tensor<4x2048x256xf32>) -> tensor<4x2048xf32> attributes {exec.kernel} {
  %0 = train.reduce %a {dims = array<i64: 2>, kind = #train<reduce_kind add>} : (tensor<4x2048x256xf32>) -> tensor<4x2048xf32>
  return %0 : tensor<4x2048xf32>
}

// CHECK-LABEL: exec.task @forward
// CHECK-DAG: %[[X0:.*]] = exec.buffer "temporary" "x.0" {category = "temporary"} : <tensor<2x2048x512xf32>>
// CHECK-DAG: %[[G:.*]] = exec.buffer "temporary" "g" {category = "temporary"} : <tensor<4x4096x512xf32>>
// CHECK-DAG: %[[G0:.*]] = exec.buffer "temporary" "g" {begin = 0 : i64, category = "temporary"} : <tensor<2x4096x512xf32>>
// CHECK-DAG: %[[G1:.*]] = exec.buffer "temporary" "g" {begin = 16777216 : i64, category = "temporary"} : <tensor<2x4096x512xf32>>
// CHECK-DAG: %[[W:.*]] = exec.buffer "state" "w" {category = "parameters"} : <tensor<512x256xf32>>
// CHECK: exec.collective all_gather %{{.*}} -> %[[G0]] {{{.*}}exec.part = 0 : i64
// CHECK: exec.collective all_gather %{{.*}} -> %[[G1]] {{{.*}}exec.part = 1 : i64
// CHECK: exec.launch @product_part2(%[[G0]], %[[W]]) -> (%[[P0:[0-9a-z]+]])
// CHECK: exec.collective reduce_scatter %[[P0]] -> %[[S0:[0-9a-z]+]] {{{.*}}exec.part = 0 : i64
// CHECK: exec.launch @mean_part2(%[[S0]])
// CHECK: exec.launch @product_part2(%[[G1]], %[[W]]) -> (%[[P1:[0-9a-z]+]])
// CHECK: exec.collective reduce_scatter %[[P1]] -> %[[S1:[0-9a-z]+]] {{{.*}}exec.part = 1 : i64
// CHECK: exec.launch @mean_part2(%[[S1]])
// CHECK: exec.launch @gradient(%[[G]],

// Parts have the place of the whole, temporaries of their own are there for a part's time.
// PLANNED: exec.buffer "temporary" "g" {begin = 0 : i64, category = "temporary", offset = [[G:[0-9]+]] : i64}
// PLANNED: exec.buffer "temporary" "g" {begin = 16777216 : i64, category = "temporary", offset = [[G]] : i64}
// PLANNED: exec.buffer "temporary" "m.0" {category = "temporary", offset = [[M:[0-9]+]] : i64}
// PLANNED: exec.buffer "temporary" "m.1" {category = "temporary", offset = [[M]] : i64}

// 4 rows are not three equal parts; by what it saves on a machine of which nothing is known, nothing is split.
// THREE-NOT: _part
// WHOLE-NOT: _part
exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  %in = exec.buffer "input" "x" {category = "temporary"} : <tensor<4x4096x512xf32>>
  %w = exec.buffer "state" "w" {category = "parameters"} : <tensor<512x256xf32>>
  %x = exec.buffer "temporary" "x" {category = "temporary"} : <tensor<4x2048x512xf32>>
  %g = exec.buffer "temporary" "g" {category = "temporary"} : <tensor<4x4096x512xf32>>
  %p = exec.buffer "temporary" "p" {category = "temporary"} : <tensor<4x4096x256xf32>>
  %s = exec.buffer "temporary" "s" {category = "temporary"} : <tensor<4x2048x256xf32>>
  %m = exec.buffer "temporary" "m" {category = "temporary"} : <tensor<4x2048xf32>>
  %d = exec.buffer "temporary" "d" {category = "gradients"} : <tensor<512x256xf32>>
  exec.collective "reduce_scatter" %in -> %x {axes = ["tensor"], reduction = "add", split_dim = 1 : i64, what = "activation", value = "x", why = ""} : <tensor<4x4096x512xf32>> -> <tensor<4x2048x512xf32>>
  exec.collective "all_gather" %x -> %g {axes = ["tensor"], concat_dim = 1 : i64, what = "activation", value = "x", why = ""} : <tensor<4x2048x512xf32>> -> <tensor<4x4096x512xf32>>
  exec.launch @product(%g, %w) -> (%p) : (!exec.buffer<tensor<4x4096x512xf32>>, !exec.buffer<tensor<512x256xf32>>) -> !exec.buffer<tensor<4x4096x256xf32>>
  exec.collective "reduce_scatter" %p -> %s {axes = ["tensor"], reduction = "add", split_dim = 1 : i64, what = "activation", value = "p", why = ""} : <tensor<4x4096x256xf32>> -> <tensor<4x2048x256xf32>>
  exec.launch @mean(%s) -> (%m) : (!exec.buffer<tensor<4x2048x256xf32>>) -> !exec.buffer<tensor<4x2048xf32>>
  exec.launch @gradient(%g, %p) -> (%d) : (!exec.buffer<tensor<4x4096x512xf32>>, !exec.buffer<tensor<4x4096x256xf32>>) -> !exec.buffer<tensor<512x256xf32>>
}
dist.schedule attributes {stage = 0 : i64} {
  dist.run @forward {microbatch = 0 : i64}
}
