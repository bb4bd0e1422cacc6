// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --zcc-split-tasks=remat=full --zcc-verify-fates | FileCheck %s
// RUN: zcc-opt %s --zcc-split-tasks=remat=none --zcc-verify-fates | FileCheck %s --check-prefix=NONE
// RUN: zcc-opt %s --zcc-split-tasks=globs=split-tasks-remat.mlir:38 | FileCheck %s --check-prefix=GLOB
// RUN: not zcc-opt %s --zcc-split-tasks=globs=nothing 2>&1 | FileCheck %s --check-prefix=BAD

// Three equal blocks. Values between them are kept; the rest is computed again, block by block, right before the block's
// first op of the backward pass. The first block follows from the input, the last one ends in the loss.

// CHECK-LABEL: func.func @forward
// CHECK-SAME: -> (tensor<8x8xf32> {dist.fate = #dist.fate<"keep">, dist.value = "{{.*}}:36"}, tensor<8x8xf32> {dist.fate = #dist.fate<"keep">, dist.value = "{{.*}}:40"}, tensor<8x8xf32> {dist.fate = #dist.fate<"keep">, dist.value = "{{.*}}:44"}, tensor<f32> {dist.output = "loss"})
// CHECK-LABEL: func.func @backward
// CHECK: train.dot_general %arg3, %arg0 {dist.again
// CHECK-NEXT: train.exponential {{.*}}dist.again
// CHECK-NEXT: train.multiply {{.*}} {train.tag = "backward"}
// CHECK-NEXT: train.dot_general {{.*}}contracting = array<i64: 1>, train.tag = "backward"
// CHECK-NEXT: train.dot_general %arg2, %arg0 {dist.again
// CHECK-NEXT: train.exponential
// CHECK-NEXT: train.multiply
// CHECK-NEXT: train.dot_general
// CHECK-NEXT: train.dot_general %arg1, %arg0 {dist.again
// NONE-LABEL: func.func @backward
// NONE-NOT: dist.again
// GLOB-LABEL: func.func @backward
// GLOB-COUNT-1: train.exponential {{.*}}dist.again
// GLOB-NOT: train.exponential {{.*}}dist.again
// BAD: error: --remat: no value of the forward pass is named 'nothing'

dist.mesh @mesh [#dist.axis<"data" = 1>]
func.func @step(%w: tensor<8x8xf32> {dist.global = tensor<8x8xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {}]>, zcc.kind = "parameter", zcc.parameter = "w"},
    %h0: tensor<8x8xf32> {dist.global = tensor<8x8xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {}]>, zcc.kind = "input", zcc.input = "x"})
    -> (tensor<f32> {zcc.kind = "output", zcc.output = "loss"}, tensor<8x8xf32> {zcc.kind = "parameter", zcc.parameter = "w"}) {
  %p1 = train.dot_general %h0, %w {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>, train.tag = "forward"} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %e1 = train.exponential %p1 {train.tag = "forward"} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %t1 = train.tanh %e1 {train.tag = "forward"} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %h1 = train.add %t1, %h0 {train.tag = "forward"} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %p2 = train.dot_general %h1, %w {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>, train.tag = "forward"} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %e2 = train.exponential %p2 {train.tag = "forward"} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %t2 = train.tanh %e2 {train.tag = "forward"} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %h2 = train.add %t2, %h1 {train.tag = "forward"} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %p3 = train.dot_general %h2, %w {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>, train.tag = "forward"} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %e3 = train.exponential %p3 {train.tag = "forward"} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %t3 = train.tanh %e3 {train.tag = "forward"} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %h3 = train.add %t3, %h2 {train.tag = "forward"} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %l = train.reduce %h3 {dims = array<i64: 0, 1>, kind = #train<reduce_kind add>, train.tag = "forward"} : (tensor<8x8xf32>) -> tensor<f32>
  %g3 = train.multiply %h3, %e3 {train.tag = "backward"} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %d3 = train.dot_general %g3, %w {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 1>, train.tag = "backward"} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %g2 = train.multiply %d3, %e2 {train.tag = "backward"} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %d2 = train.dot_general %g2, %w {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 1>, train.tag = "backward"} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %g1 = train.multiply %d2, %e1 {train.tag = "backward"} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %d1 = train.dot_general %g1, %w {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 1>, train.tag = "backward"} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %l, %d1 : tensor<f32>, tensor<8x8xf32>
}
