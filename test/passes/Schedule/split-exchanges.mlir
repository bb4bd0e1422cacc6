// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --zcc-split-steps=parts=2 --zcc-verify-schedule | FileCheck %s
// RUN: zcc-opt %s --zcc-split-steps=parts=2 --zcc-overlap-collectives --zcc-place-events --zcc-plan-memory --zcc-verify-plan --zcc-verify-order
// RUN: zcc-opt %s --zcc-split-steps=parts=3 | FileCheck %s --check-prefix=THREE

// Rows that all-to-alls bring together go part by part. On the side of the tokens a part has holes, so there the whole buffer is used: all of it is
// written before the first part is sent, and read after the last one has come.

dist.mesh @mesh [#dist.axis<"expert" = 2>]
dist.state @w : tensor<32x32xf32> {kind = "parameter", parameter = "w", file_type = tensor<64x32xf32>, start = array<i64: 0, 0>, extent = array<i64: 64, 32>, sharding = #dist.sharding<@mesh, [{"expert"}, {}]>, stage = 0 : i64}
dist.input @x : tensor<2x4x2x32xf32> {input = "x", sharding = #dist.sharding<@mesh, [{}, {}, {}, {}]>, stage = 0 : i64}

// CHECK-LABEL: func private @product_part2(%{{.*}}: tensor<8x32xf32>, %{{.*}}: tensor<32x32xf32>) -> tensor<8x32xf32>
func.func private @product(%a: tensor<16x32xf32>, %w: tensor<32x32xf32>) -> tensor<16x32xf32> attributes {exec.kernel} {
  %0 = train.dot_general %a, %w {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>} : (tensor<16x32xf32>, tensor<32x32xf32>) -> tensor<16x32xf32>
  return %0 : tensor<16x32xf32>
}
func.func private @negate(%a: tensor<2x4x2x32xf32>) -> tensor<2x4x2x32xf32> attributes {exec.kernel} {
  %0 = train.negate %a : (tensor<2x4x2x32xf32>) -> tensor<2x4x2x32xf32>
  return %0 : tensor<2x4x2x32xf32>
}

// CHECK-LABEL: exec.task @forward
// CHECK: exec.launch @negate(%{{.*}}) -> (%[[IN:[0-9a-z]+]])
// CHECK: exec.collective all_to_all %[[IN]] -> %[[R0:[0-9a-z]+]] {{{.*}}concat_dim = 2 : i64, exec.part = 0 : i64, source_part = array<i64: 1, 0, 2>{{.*}} : <tensor<2x4x2x32xf32>> -> <tensor<1x2x4x32xf32>>
// CHECK: exec.collective all_to_all %[[IN]] -> %[[R1:[0-9a-z]+]] {{{.*}}exec.part = 1 : i64, source_part = array<i64: 1, 1, 2>
// CHECK: exec.launch @product_part2(
// CHECK: exec.collective all_to_all %{{[0-9a-z]+}} -> %[[OUT:[0-9a-z]+]] {{{.*}}exec.part = 0 : i64, split_dim = 2 : i64, target_part = array<i64: 1, 0, 2>{{.*}} : <tensor<1x2x4x32xf32>> -> <tensor<2x4x2x32xf32>>
// CHECK: exec.launch @product_part2(
// CHECK: exec.collective all_to_all %{{[0-9a-z]+}} -> %[[OUT]] {{{.*}}exec.part = 1 : i64, split_dim = 2 : i64, target_part = array<i64: 1, 1, 2>
// CHECK: exec.launch @negate(%[[OUT]])
// THREE-NOT: _part
exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  %x = exec.buffer "input" "x" {category = "temporary"} : <tensor<2x4x2x32xf32>>
  %w = exec.buffer "state" "w" {category = "parameters"} : <tensor<32x32xf32>>
  %in = exec.buffer "temporary" "in" {category = "temporary"} : <tensor<2x4x2x32xf32>>
  %r = exec.buffer "temporary" "r" {category = "temporary"} : <tensor<1x4x4x32xf32>>
  %rows = exec.buffer "temporary" "r" {category = "temporary"} : <tensor<16x32xf32>>
  %y = exec.buffer "temporary" "y" {category = "temporary"} : <tensor<16x32xf32>>
  %q = exec.buffer "temporary" "y" {category = "temporary"} : <tensor<1x4x4x32xf32>>
  %out = exec.buffer "temporary" "out" {category = "temporary"} : <tensor<2x4x2x32xf32>>
  %z = exec.buffer "temporary" "z" {category = "temporary"} : <tensor<2x4x2x32xf32>>
  exec.launch @negate(%x) -> (%in) : (!exec.buffer<tensor<2x4x2x32xf32>>) -> !exec.buffer<tensor<2x4x2x32xf32>>
  exec.collective "all_to_all" %in -> %r {axes = ["expert"], split_dim = 0 : i64, concat_dim = 2 : i64, what = "activation", value = "x", why = ""} : <tensor<2x4x2x32xf32>> -> <tensor<1x4x4x32xf32>>
  exec.launch @product(%rows, %w) -> (%y) : (!exec.buffer<tensor<16x32xf32>>, !exec.buffer<tensor<32x32xf32>>) -> !exec.buffer<tensor<16x32xf32>>
  exec.collective "all_to_all" %q -> %out {axes = ["expert"], split_dim = 2 : i64, concat_dim = 0 : i64, what = "activation", value = "y", why = ""} : <tensor<1x4x4x32xf32>> -> <tensor<2x4x2x32xf32>>
  exec.launch @negate(%out) -> (%z) : (!exec.buffer<tensor<2x4x2x32xf32>>) -> !exec.buffer<tensor<2x4x2x32xf32>>
}
dist.schedule attributes {stage = 0 : i64} {
  dist.run @forward {microbatch = 0 : i64}
}
