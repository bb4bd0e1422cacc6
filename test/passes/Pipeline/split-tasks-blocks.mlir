// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --zcc-split-tasks=remat=full --zcc-verify-fates | FileCheck %s

// Each block has two sums of the same size, after a product of 8 x 32 x 8 and after one of 8 x 8 x 8. Blocks are cut at the former, whose product
// then is not computed again: nobody else reads it.

// CHECK-LABEL: func.func @forward
// CHECK-SAME: ({{.*}}) -> (tensor<8x8xf32> {dist.fate = #dist.fate<"keep">, dist.value = "{{.*}}:21"}, tensor<8x8xf32> {dist.fate = #dist.fate<"keep">, dist.value = "{{.*}}:28"}, tensor<8x8xf32> {dist.fate = #dist.fate<"keep">, dist.value = "{{.*}}:35"}, tensor<f32> {dist.output = "loss"})
// CHECK-LABEL: func.func @backward
// CHECK-NOT: train.dot_general {{.*}}(tensor<8x32xf32>, tensor<32x8xf32>) -> tensor<8x8xf32> {{.*}}dist.again

dist.mesh @mesh [#dist.axis<"data" = 1>]
func.func @step(%u: tensor<8x32xf32> {dist.global = tensor<8x32xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {}]>, zcc.kind = "parameter", zcc.parameter = "u"},
    %v: tensor<32x8xf32> {dist.global = tensor<32x8xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {}]>, zcc.kind = "parameter", zcc.parameter = "v"},
    %w: tensor<8x8xf32> {dist.global = tensor<8x8xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {}]>, zcc.kind = "parameter", zcc.parameter = "w"},
    %x0: tensor<8x8xf32> {dist.global = tensor<8x8xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {}]>, zcc.kind = "input", zcc.input = "x0"})
    -> (tensor<f32> {zcc.kind = "output", zcc.output = "loss"}, tensor<8x8xf32> {zcc.kind = "parameter", zcc.parameter = "w"}) {
  %p1 = train.dot_general %x0, %u {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>, train.tag = "forward"} : (tensor<8x8xf32>, tensor<8x32xf32>) -> tensor<8x32xf32>
  %e1 = train.exponential %p1 {train.tag = "forward"} : (tensor<8x32xf32>) -> tensor<8x32xf32>
  %d1 = train.dot_general %e1, %v {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>, train.tag = "forward"} : (tensor<8x32xf32>, tensor<32x8xf32>) -> tensor<8x8xf32>
  %y1 = train.add %d1, %x0 {train.tag = "forward"} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %q1 = train.exponential %y1 {train.tag = "forward"} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %o1 = train.dot_general %q1, %w {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>, train.tag = "forward"} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %x1 = train.add %o1, %y1 {train.tag = "forward"} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %p2 = train.dot_general %x1, %u {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>, train.tag = "forward"} : (tensor<8x8xf32>, tensor<8x32xf32>) -> tensor<8x32xf32>
  %e2 = train.exponential %p2 {train.tag = "forward"} : (tensor<8x32xf32>) -> tensor<8x32xf32>
  %d2 = train.dot_general %e2, %v {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>, train.tag = "forward"} : (tensor<8x32xf32>, tensor<32x8xf32>) -> tensor<8x8xf32>
  %y2 = train.add %d2, %x1 {train.tag = "forward"} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %q2 = train.exponential %y2 {train.tag = "forward"} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %o2 = train.dot_general %q2, %w {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>, train.tag = "forward"} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %x2 = train.add %o2, %y2 {train.tag = "forward"} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %p3 = train.dot_general %x2, %u {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>, train.tag = "forward"} : (tensor<8x8xf32>, tensor<8x32xf32>) -> tensor<8x32xf32>
  %e3 = train.exponential %p3 {train.tag = "forward"} : (tensor<8x32xf32>) -> tensor<8x32xf32>
  %d3 = train.dot_general %e3, %v {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>, train.tag = "forward"} : (tensor<8x32xf32>, tensor<32x8xf32>) -> tensor<8x8xf32>
  %y3 = train.add %d3, %x2 {train.tag = "forward"} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %q3 = train.exponential %y3 {train.tag = "forward"} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %o3 = train.dot_general %q3, %w {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>, train.tag = "forward"} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %x3 = train.add %o3, %y3 {train.tag = "forward"} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %l = train.reduce %x3 {dims = array<i64: 0, 1>, kind = #train<reduce_kind add>, train.tag = "forward"} : (tensor<8x8xf32>) -> tensor<f32>
  %a3 = train.multiply %w, %q3 {train.tag = "backward"} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %b3 = train.dot_general %a3, %v {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 1>, train.tag = "backward"} : (tensor<8x8xf32>, tensor<32x8xf32>) -> tensor<8x32xf32>
  %c3 = train.multiply %b3, %e3 {train.tag = "backward"} : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x32xf32>
  %g3 = train.dot_general %c3, %u {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 1>, train.tag = "backward"} : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x8xf32>
  %a2 = train.multiply %g3, %q2 {train.tag = "backward"} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %b2 = train.dot_general %a2, %v {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 1>, train.tag = "backward"} : (tensor<8x8xf32>, tensor<32x8xf32>) -> tensor<8x32xf32>
  %c2 = train.multiply %b2, %e2 {train.tag = "backward"} : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x32xf32>
  %g2 = train.dot_general %c2, %u {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 1>, train.tag = "backward"} : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x8xf32>
  %a1 = train.multiply %g2, %q1 {train.tag = "backward"} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %b1 = train.dot_general %a1, %v {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 1>, train.tag = "backward"} : (tensor<8x8xf32>, tensor<32x8xf32>) -> tensor<8x32xf32>
  %c1 = train.multiply %b1, %e1 {train.tag = "backward"} : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x32xf32>
  %g1 = train.dot_general %c1, %u {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 1>, train.tag = "backward"} : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x8xf32>
  return %l, %g1 : tensor<f32>, tensor<8x8xf32>
}
