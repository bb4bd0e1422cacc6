// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --zcc-split-tasks=residual-bytes=2000000 | FileCheck %s --check-prefix=ALL
// RUN: zcc-opt %s --zcc-split-tasks=residual-bytes=850000 | FileCheck %s --check-prefix=ONE
// RUN: zcc-opt %s --zcc-split-tasks=residual-bytes=0 | FileCheck %s --check-prefix=NONE

// Two products and their exponentials, which the backward pass reads; it does the first exponential once more by itself: the
// merged op is like any other. The value between the cuts (the first product) is there in any case. A product is the last to
// be computed again.

// ALL-LABEL: func.func @backward
// ALL-SAME: %arg1: tensor<256x512xf32> {dist.value = {{[^%]*}}%arg2: tensor<256x256xf32> {dist.value = {{[^%]*}}) ->
// ALL-NOT: dist.again
// ONE-LABEL: func.func @backward
// ONE-SAME: %arg1: tensor<256x512xf32> {dist.value = {{[^%]*}}%arg2: tensor<256x256xf32> {dist.value = {{[^%]*}}) ->
// ONE-NOT: train.dot_general {{.*}}dist.again
// ONE: train.exponential %arg1 {dist.again
// ONE-NOT: dist.again
// NONE-LABEL: func.func @backward
// NONE-SAME: %arg1: tensor<256x512xf32> {dist.value = {{[^%]*}}) ->
// NONE: train.exponential %arg1 {dist.again
// NONE-NEXT: train.dot_general {{.*}}dist.again
// NONE-NEXT: train.exponential {{.*}}dist.again
// NONE-NOT: dist.again

dist.mesh @mesh [#dist.axis<"data" = 1>]
func.func @step(%w: tensor<256x512xf32> {dist.global = tensor<256x512xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {}]>, zcc.kind = "parameter", zcc.parameter = "w"},
    %v: tensor<512x256xf32> {dist.global = tensor<512x256xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {}]>, zcc.kind = "parameter", zcc.parameter = "v"},
    %x: tensor<256x256xf32> {dist.global = tensor<256x256xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {}]>, zcc.kind = "input", zcc.input = "x"})
    -> (tensor<f32> {zcc.kind = "output", zcc.output = "loss"}, tensor<256x512xf32> {zcc.kind = "parameter", zcc.parameter = "w"}) {
  %p = train.dot_general %x, %w {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>, train.tag = "forward", dist.region = "micro"} : (tensor<256x256xf32>, tensor<256x512xf32>) -> tensor<256x512xf32>
  %e = train.exponential %p {train.tag = "forward", dist.region = "micro"} : (tensor<256x512xf32>) -> tensor<256x512xf32>
  %q = train.dot_general %e, %v {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>, train.tag = "forward", dist.region = "micro"} : (tensor<256x512xf32>, tensor<512x256xf32>) -> tensor<256x256xf32>
  %f = train.exponential %q {train.tag = "forward", dist.region = "micro"} : (tensor<256x256xf32>) -> tensor<256x256xf32>
  %l = train.reduce %f {dims = array<i64: 0, 1>, kind = #train<reduce_kind add>, train.tag = "forward", dist.region = "micro"} : (tensor<256x256xf32>) -> tensor<f32>
  %again = train.exponential %p {train.tag = "backward", dist.region = "micro"} : (tensor<256x512xf32>) -> tensor<256x512xf32>
  %dq = train.dot_general %f, %v {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 1>, train.tag = "backward", dist.region = "micro"} : (tensor<256x256xf32>, tensor<512x256xf32>) -> tensor<256x512xf32>
  %dp = train.multiply %dq, %again {train.tag = "backward", dist.region = "micro"} : (tensor<256x512xf32>, tensor<256x512xf32>) -> tensor<256x512xf32>
  return %l, %dp : tensor<f32>, tensor<256x512xf32>
}
