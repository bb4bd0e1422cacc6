// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A single query is in the report, but without a warning: its keys are not gathered.
// RUN: zcc-opt %s --split-input-file --zcc-recognize-attention=warn=true --verify-diagnostics | FileCheck %s

// CHECK: zcc.attentions = {left = [{at = "{{.*}}", op = "train.dot_general", place = "{{.*}}", why = "it has a single query"}], recognized = 0 : i64}
module {
func.func @loss(%q: tensor<2x1x4xf32>, %k: tensor<2x8x4xf32>, %v: tensor<2x8x4xf32>) -> tensor<2x1x4xf32> {
  %s = train.dot_general %q, %k {lhs_batching = array<i64: 0>, lhs_contracting = array<i64: 2>, rhs_batching = array<i64: 0>, rhs_contracting = array<i64: 2>} : (tensor<2x1x4xf32>, tensor<2x8x4xf32>) -> tensor<2x1x8xf32>
  %m = train.reduce %s {dims = array<i64: 2>, kind = #train<reduce_kind maximum>} : (tensor<2x1x8xf32>) -> tensor<2x1xf32>
  %mb = train.broadcast_in_dim %m {dims = array<i64: 0, 1>} : (tensor<2x1xf32>) -> tensor<2x1x8xf32>
  %d = train.subtract %s, %mb : (tensor<2x1x8xf32>, tensor<2x1x8xf32>) -> tensor<2x1x8xf32>
  %e = train.exponential %d : (tensor<2x1x8xf32>) -> tensor<2x1x8xf32>
  %n = train.reduce %e {dims = array<i64: 2>, kind = #train<reduce_kind add>} : (tensor<2x1x8xf32>) -> tensor<2x1xf32>
  %nb = train.broadcast_in_dim %n {dims = array<i64: 0, 1>} : (tensor<2x1xf32>) -> tensor<2x1x8xf32>
  %p = train.divide %e, %nb : (tensor<2x1x8xf32>, tensor<2x1x8xf32>) -> tensor<2x1x8xf32>
  %o = train.dot_general %p, %v {lhs_batching = array<i64: 0>, lhs_contracting = array<i64: 2>, rhs_batching = array<i64: 0>, rhs_contracting = array<i64: 1>} : (tensor<2x1x8xf32>, tensor<2x8x4xf32>) -> tensor<2x1x4xf32>
  return %o : tensor<2x1x4xf32>
}
}

// -----

// So is one whose products are multiplications and sums.
// CHECK: zcc.attentions = {left = [{at = "{{.*}}", op = "train.reduce", place = "{{.*}}", why = "it has a single query"}], recognized = 0 : i64}
module {
func.func @loss(%q: tensor<2x4xf32>, %k: tensor<2x8x4xf32>, %v: tensor<2x8x4xf32>) -> tensor<2x4xf32> {
  %qb = train.broadcast_in_dim %q {dims = array<i64: 0, 2>} : (tensor<2x4xf32>) -> tensor<2x8x4xf32>
  %qk = train.multiply %qb, %k : (tensor<2x8x4xf32>, tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  %s = train.reduce %qk {dims = array<i64: 2>, kind = #train<reduce_kind add>} : (tensor<2x8x4xf32>) -> tensor<2x8xf32>
  %m = train.reduce %s {dims = array<i64: 1>, kind = #train<reduce_kind maximum>} : (tensor<2x8xf32>) -> tensor<2xf32>
  %mb = train.broadcast_in_dim %m {dims = array<i64: 0>} : (tensor<2xf32>) -> tensor<2x8xf32>
  %d = train.subtract %s, %mb : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %e = train.exponential %d : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %n = train.reduce %e {dims = array<i64: 1>, kind = #train<reduce_kind add>} : (tensor<2x8xf32>) -> tensor<2xf32>
  %nb = train.broadcast_in_dim %n {dims = array<i64: 0>} : (tensor<2xf32>) -> tensor<2x8xf32>
  %p = train.divide %e, %nb : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %pb = train.broadcast_in_dim %p {dims = array<i64: 0, 1>} : (tensor<2x8xf32>) -> tensor<2x8x4xf32>
  %pv = train.multiply %pb, %v : (tensor<2x8x4xf32>, tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  %o = train.reduce %pv {dims = array<i64: 1>, kind = #train<reduce_kind add>} : (tensor<2x8x4xf32>) -> tensor<2x4xf32>
  return %o : tensor<2x4xf32>
}
}

// -----

// And one whose scores alone are.
// CHECK: zcc.attentions = {left = [{{.*}}why = "it has a single query"}], recognized = 0 : i64}
module {
func.func @loss(%q: tensor<2x4xf32>, %k: tensor<2x8x4xf32>, %v: tensor<2x8x4xf32>) -> tensor<2x4xf32> {
  %qb = train.broadcast_in_dim %q {dims = array<i64: 0, 2>} : (tensor<2x4xf32>) -> tensor<2x8x4xf32>
  %qk = train.multiply %qb, %k : (tensor<2x8x4xf32>, tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  %s = train.reduce %qk {dims = array<i64: 2>, kind = #train<reduce_kind add>} : (tensor<2x8x4xf32>) -> tensor<2x8xf32>
  %e = train.exponential %s : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %n = train.reduce %e {dims = array<i64: 1>, kind = #train<reduce_kind add>} : (tensor<2x8xf32>) -> tensor<2xf32>
  %nb = train.broadcast_in_dim %n {dims = array<i64: 0>} : (tensor<2xf32>) -> tensor<2x8xf32>
  %p = train.divide %e, %nb : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %o = train.dot_general %p, %v {lhs_batching = array<i64: 0>, lhs_contracting = array<i64: 1>, rhs_batching = array<i64: 0>, rhs_contracting = array<i64: 1>} : (tensor<2x8xf32>, tensor<2x8x4xf32>) -> tensor<2x4xf32>
  return %o : tensor<2x4xf32>
}
}

// -----

// Experts whose weights are a softmax have no keys of their own in each batch, and are none.
// CHECK-NOT: zcc.attentions
module {
func.func @loss(%x: tensor<2x4xf32>, %w: tensor<4x8xf32>, %v: tensor<2x8x4xf32>) -> tensor<2x4xf32> {
  %s = train.dot_general %x, %w {lhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_batching = array<i64>, rhs_contracting = array<i64: 0>} : (tensor<2x4xf32>, tensor<4x8xf32>) -> tensor<2x8xf32>
  %e = train.exponential %s : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %n = train.reduce %e {dims = array<i64: 1>, kind = #train<reduce_kind add>} : (tensor<2x8xf32>) -> tensor<2xf32>
  %nb = train.broadcast_in_dim %n {dims = array<i64: 0>} : (tensor<2xf32>) -> tensor<2x8xf32>
  %p = train.divide %e, %nb : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %pb = train.broadcast_in_dim %p {dims = array<i64: 0, 1>} : (tensor<2x8xf32>) -> tensor<2x8x4xf32>
  %pv = train.multiply %pb, %v : (tensor<2x8x4xf32>, tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  %o = train.reduce %pv {dims = array<i64: 1>, kind = #train<reduce_kind add>} : (tensor<2x8x4xf32>) -> tensor<2x4xf32>
  return %o : tensor<2x4xf32>
}
}
