// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A softmax of one column more than keys, whose weight is dropped, is an attention times the logistic of lse - sink.
// RUN: zcc-opt %s --split-input-file --zcc-recognize-attention | FileCheck %s

// The last column; every query sees a key.
// CHECK-LABEL: func.func @loss
// CHECK-SAME: %[[SINK:[^ ]+]]: tensor<3xf32>)
// CHECK: %[[OUT:.+]], %[[LSE:.+]] = train.attention %{{.+}}, %{{.+}}, %{{.+}} {fill
// CHECK: %[[ROWS:.+]] = train.broadcast_in_dim %{{.+}} {dims = array<i64: 0, 1, 2>} : (tensor<1x1x3xf32>) -> tensor<2x8x3xf32>
// CHECK: %[[REST:.+]] = train.subtract %[[LSE]], %[[ROWS]]
// CHECK: %[[SHARE:.+]] = train.logistic %[[REST]]
// CHECK: %[[WIDE:.+]] = train.broadcast_in_dim %[[SHARE]]
// CHECK: train.multiply %[[OUT]], %[[WIDE]]
// CHECK-NOT: train.exponential
// CHECK: return
func.func @loss(%q: tensor<2x3x8x4xf32>, %k: tensor<2x3x8x4xf32>, %v: tensor<2x3x8x4xf32>, %z: tensor<3xf32>) -> tensor<2x3x8x4xf32> {
  %s = train.dot_general %q, %k {lhs_batching = array<i64: 0, 1>, lhs_contracting = array<i64: 3>, rhs_batching = array<i64: 0, 1>, rhs_contracting = array<i64: 3>} : (tensor<2x3x8x4xf32>, tensor<2x3x8x4xf32>) -> tensor<2x3x8x8xf32>
  %zb = train.broadcast_in_dim %z {dims = array<i64: 1>} : (tensor<3xf32>) -> tensor<2x3x8x1xf32>
  %y = train.concatenate %s, %zb {dim = 3 : i64} : (tensor<2x3x8x8xf32>, tensor<2x3x8x1xf32>) -> tensor<2x3x8x9xf32>
  %m = train.reduce %y {dims = array<i64: 3>, kind = #train<reduce_kind maximum>} : (tensor<2x3x8x9xf32>) -> tensor<2x3x8xf32>
  %mb = train.broadcast_in_dim %m {dims = array<i64: 0, 1, 2>} : (tensor<2x3x8xf32>) -> tensor<2x3x8x9xf32>
  %d = train.subtract %y, %mb : (tensor<2x3x8x9xf32>, tensor<2x3x8x9xf32>) -> tensor<2x3x8x9xf32>
  %e = train.exponential %d : (tensor<2x3x8x9xf32>) -> tensor<2x3x8x9xf32>
  %n = train.reduce %e {dims = array<i64: 3>, kind = #train<reduce_kind add>} : (tensor<2x3x8x9xf32>) -> tensor<2x3x8xf32>
  %nb = train.broadcast_in_dim %n {dims = array<i64: 0, 1, 2>} : (tensor<2x3x8xf32>) -> tensor<2x3x8x9xf32>
  %p = train.divide %e, %nb : (tensor<2x3x8x9xf32>, tensor<2x3x8x9xf32>) -> tensor<2x3x8x9xf32>
  %w = train.slice %p {limit = array<i64: 2, 3, 8, 8>, start = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1, 1, 1>} : (tensor<2x3x8x9xf32>) -> tensor<2x3x8x8xf32>
  %o = train.dot_general %w, %v {lhs_batching = array<i64: 0, 1>, lhs_contracting = array<i64: 3>, rhs_batching = array<i64: 0, 1>, rhs_contracting = array<i64: 2>} : (tensor<2x3x8x8xf32>, tensor<2x3x8x4xf32>) -> tensor<2x3x8x4xf32>
  return %o : tensor<2x3x8x4xf32>
}

// -----

// The first column.
// CHECK-LABEL: func.func @loss
// CHECK-SAME: %[[SINK:[^ ]+]]: tensor<3xf32>)
// CHECK: %[[OUT:.+]], %[[LSE:.+]] = train.attention %{{.+}}, %{{.+}}, %{{.+}} {fill
// CHECK: %[[ROWS:.+]] = train.broadcast_in_dim %{{.+}} {dims = array<i64: 0, 1, 2>} : (tensor<1x1x3xf32>) -> tensor<2x8x3xf32>
// CHECK: %[[REST:.+]] = train.subtract %[[LSE]], %[[ROWS]]
// CHECK: %[[SHARE:.+]] = train.logistic %[[REST]]
// CHECK: %[[WIDE:.+]] = train.broadcast_in_dim %[[SHARE]]
// CHECK: train.multiply %[[OUT]], %[[WIDE]]
// CHECK-NOT: train.exponential
// CHECK: return
func.func @loss(%q: tensor<2x3x8x4xf32>, %k: tensor<2x3x8x4xf32>, %v: tensor<2x3x8x4xf32>, %z: tensor<3xf32>) -> tensor<2x3x8x4xf32> {
  %s = train.dot_general %q, %k {lhs_batching = array<i64: 0, 1>, lhs_contracting = array<i64: 3>, rhs_batching = array<i64: 0, 1>, rhs_contracting = array<i64: 3>} : (tensor<2x3x8x4xf32>, tensor<2x3x8x4xf32>) -> tensor<2x3x8x8xf32>
  %zb = train.broadcast_in_dim %z {dims = array<i64: 1>} : (tensor<3xf32>) -> tensor<2x3x8x1xf32>
  %y = train.concatenate %zb, %s {dim = 3 : i64} : (tensor<2x3x8x1xf32>, tensor<2x3x8x8xf32>) -> tensor<2x3x8x9xf32>
  %m = train.reduce %y {dims = array<i64: 3>, kind = #train<reduce_kind maximum>} : (tensor<2x3x8x9xf32>) -> tensor<2x3x8xf32>
  %mb = train.broadcast_in_dim %m {dims = array<i64: 0, 1, 2>} : (tensor<2x3x8xf32>) -> tensor<2x3x8x9xf32>
  %d = train.subtract %y, %mb : (tensor<2x3x8x9xf32>, tensor<2x3x8x9xf32>) -> tensor<2x3x8x9xf32>
  %e = train.exponential %d : (tensor<2x3x8x9xf32>) -> tensor<2x3x8x9xf32>
  %n = train.reduce %e {dims = array<i64: 3>, kind = #train<reduce_kind add>} : (tensor<2x3x8x9xf32>) -> tensor<2x3x8xf32>
  %nb = train.broadcast_in_dim %n {dims = array<i64: 0, 1, 2>} : (tensor<2x3x8xf32>) -> tensor<2x3x8x9xf32>
  %p = train.divide %e, %nb : (tensor<2x3x8x9xf32>, tensor<2x3x8x9xf32>) -> tensor<2x3x8x9xf32>
  %w = train.slice %p {limit = array<i64: 2, 3, 8, 9>, start = array<i64: 0, 0, 0, 1>, stride = array<i64: 1, 1, 1, 1>} : (tensor<2x3x8x9xf32>) -> tensor<2x3x8x8xf32>
  %o = train.dot_general %w, %v {lhs_batching = array<i64: 0, 1>, lhs_contracting = array<i64: 3>, rhs_batching = array<i64: 0, 1>, rhs_contracting = array<i64: 2>} : (tensor<2x3x8x8xf32>, tensor<2x3x8x4xf32>) -> tensor<2x3x8x4xf32>
  return %o : tensor<2x3x8x4xf32>
}

// -----

// A row that sees no key gives 0, because the sink has all of its weight.
// CHECK-LABEL: func.func @loss
// CHECK: %[[OUT:.+]], %[[LSE:.+]] = train.attention %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}} {fill = -1.000000e+30 : f64
// CHECK: train.logistic
// CHECK: %[[SUM:.+]] = train.multiply
// CHECK: %[[SEES:.+]] = train.compare %[[LSE]], %{{.+}} {direction = #train<compare_direction NE>}
// CHECK: train.select %{{.+}}, %[[SUM]],
// CHECK-NOT: train.exponential
// CHECK: return
func.func @loss(%q: tensor<2x3x8x4xf32>, %k: tensor<2x3x8x4xf32>, %v: tensor<2x3x8x4xf32>, %z: tensor<3xf32>, %mask: tensor<2x8xi1>) -> tensor<2x3x8x4xf32> {
  %s = train.dot_general %q, %k {lhs_batching = array<i64: 0, 1>, lhs_contracting = array<i64: 3>, rhs_batching = array<i64: 0, 1>, rhs_contracting = array<i64: 3>} : (tensor<2x3x8x4xf32>, tensor<2x3x8x4xf32>) -> tensor<2x3x8x8xf32>
  %mb0 = train.broadcast_in_dim %mask {dims = array<i64: 0, 3>} : (tensor<2x8xi1>) -> tensor<2x3x8x8xi1>
  %f = train.constant dense<-1.0e9> : tensor<2x3x8x8xf32>
  %x = train.select %mb0, %s, %f : (tensor<2x3x8x8xi1>, tensor<2x3x8x8xf32>, tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  %zb = train.broadcast_in_dim %z {dims = array<i64: 1>} : (tensor<3xf32>) -> tensor<2x3x8x1xf32>
  %y = train.concatenate %x, %zb {dim = 3 : i64} : (tensor<2x3x8x8xf32>, tensor<2x3x8x1xf32>) -> tensor<2x3x8x9xf32>
  %m = train.reduce %y {dims = array<i64: 3>, kind = #train<reduce_kind maximum>} : (tensor<2x3x8x9xf32>) -> tensor<2x3x8xf32>
  %mb = train.broadcast_in_dim %m {dims = array<i64: 0, 1, 2>} : (tensor<2x3x8xf32>) -> tensor<2x3x8x9xf32>
  %d = train.subtract %y, %mb : (tensor<2x3x8x9xf32>, tensor<2x3x8x9xf32>) -> tensor<2x3x8x9xf32>
  %e = train.exponential %d : (tensor<2x3x8x9xf32>) -> tensor<2x3x8x9xf32>
  %n = train.reduce %e {dims = array<i64: 3>, kind = #train<reduce_kind add>} : (tensor<2x3x8x9xf32>) -> tensor<2x3x8xf32>
  %nb = train.broadcast_in_dim %n {dims = array<i64: 0, 1, 2>} : (tensor<2x3x8xf32>) -> tensor<2x3x8x9xf32>
  %p = train.divide %e, %nb : (tensor<2x3x8x9xf32>, tensor<2x3x8x9xf32>) -> tensor<2x3x8x9xf32>
  %w = train.slice %p {limit = array<i64: 2, 3, 8, 8>, start = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1, 1, 1>} : (tensor<2x3x8x9xf32>) -> tensor<2x3x8x8xf32>
  %o = train.dot_general %w, %v {lhs_batching = array<i64: 0, 1>, lhs_contracting = array<i64: 3>, rhs_batching = array<i64: 0, 1>, rhs_contracting = array<i64: 2>} : (tensor<2x3x8x8xf32>, tensor<2x3x8x4xf32>) -> tensor<2x3x8x4xf32>
  return %o : tensor<2x3x8x4xf32>
}

// -----

// One more in the sum: a sink of 0.
// CHECK-LABEL: func.func @loss
// CHECK: %[[OUT:.+]], %[[LSE:.+]] = train.attention
// CHECK: train.logistic %[[LSE]]
// CHECK-NOT: train.exponential
// CHECK: return
func.func @loss(%q: tensor<2x8x4xf32>, %k: tensor<2x8x4xf32>, %v: tensor<2x8x4xf32>) -> tensor<2x8x4xf32> {
  %s = train.dot_general %q, %k {lhs_batching = array<i64: 0>, lhs_contracting = array<i64: 2>, rhs_batching = array<i64: 0>, rhs_contracting = array<i64: 2>} : (tensor<2x8x4xf32>, tensor<2x8x4xf32>) -> tensor<2x8x8xf32>
  %e = train.exponential %s : (tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %n = train.reduce %e {dims = array<i64: 2>, kind = #train<reduce_kind add>} : (tensor<2x8x8xf32>) -> tensor<2x8xf32>
  %one = train.constant dense<1.0> : tensor<2x8xf32>
  %r = train.add %n, %one : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %nb = train.broadcast_in_dim %r {dims = array<i64: 0, 1>} : (tensor<2x8xf32>) -> tensor<2x8x8xf32>
  %p = train.divide %e, %nb : (tensor<2x8x8xf32>, tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %o = train.dot_general %p, %v {lhs_batching = array<i64: 0>, lhs_contracting = array<i64: 2>, rhs_batching = array<i64: 0>, rhs_contracting = array<i64: 1>} : (tensor<2x8x8xf32>, tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %o : tensor<2x8x4xf32>
}

// -----

// The exponential of a sink in the sum, less the same maximum.
// CHECK-LABEL: func.func @loss
// CHECK-SAME: %[[SINK:[^ ]+]]: tensor<2xf32>)
// CHECK: %[[OUT:.+]], %[[LSE:.+]] = train.attention
// CHECK: %[[REST:.+]] = train.subtract %[[LSE]],
// CHECK: train.logistic %[[REST]]
// CHECK-NOT: train.exponential
// CHECK: return
func.func @loss(%q: tensor<2x8x4xf32>, %k: tensor<2x8x4xf32>, %v: tensor<2x8x4xf32>, %z: tensor<2xf32>) -> tensor<2x8x4xf32> {
  %s = train.dot_general %q, %k {lhs_batching = array<i64: 0>, lhs_contracting = array<i64: 2>, rhs_batching = array<i64: 0>, rhs_contracting = array<i64: 2>} : (tensor<2x8x4xf32>, tensor<2x8x4xf32>) -> tensor<2x8x8xf32>
  %zb = train.broadcast_in_dim %z {dims = array<i64: 0>} : (tensor<2xf32>) -> tensor<2x8xf32>
  %ms = train.reduce %s {dims = array<i64: 2>, kind = #train<reduce_kind maximum>} : (tensor<2x8x8xf32>) -> tensor<2x8xf32>
  %mz = train.maximum %ms, %zb : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %m = train.stop_gradient %mz : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %mb = train.broadcast_in_dim %m {dims = array<i64: 0, 1>} : (tensor<2x8xf32>) -> tensor<2x8x8xf32>
  %d = train.subtract %s, %mb : (tensor<2x8x8xf32>, tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %e = train.exponential %d : (tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %n = train.reduce %e {dims = array<i64: 2>, kind = #train<reduce_kind add>} : (tensor<2x8x8xf32>) -> tensor<2x8xf32>
  %dz = train.subtract %zb, %m : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %ez = train.exponential %dz : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %r = train.add %ez, %n : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %nb = train.broadcast_in_dim %r {dims = array<i64: 0, 1>} : (tensor<2x8xf32>) -> tensor<2x8x8xf32>
  %p = train.divide %e, %nb : (tensor<2x8x8xf32>, tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %o = train.dot_general %p, %v {lhs_batching = array<i64: 0>, lhs_contracting = array<i64: 2>, rhs_batching = array<i64: 0>, rhs_contracting = array<i64: 1>} : (tensor<2x8x8xf32>, tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %o : tensor<2x8x4xf32>
}
