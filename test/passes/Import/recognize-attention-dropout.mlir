// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dropped weights are the op's `kept`, in the spellings of Equinox, Flax and Haiku; PyTorch's rows of -inf are 0.
// RUN: zcc-opt %s --split-input-file --zcc-recognize-attention | FileCheck %s

// where(kept, weights / 0.5, 0)
// CHECK-LABEL: func.func @loss
// CHECK-SAME: %[[KEPT:[^ ]+]]: tensor<2x3x8x8xi1>
// CHECK: %[[SPLIT:.+]] = train.reshape %[[KEPT]]
// CHECK: %[[WHOLE:.+]] = train.reshape %[[SPLIT]] : {{.*}} -> tensor<2x3x8x8xi1>
// CHECK: train.attention %{{.+}}, %{{.+}}, %{{.+}}, %[[WHOLE]] {{.*}}kept_scale = 2.000000e+00 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 1>
func.func @loss(%q: tensor<2x3x8x4xf32>, %k: tensor<2x3x8x4xf32>, %v: tensor<2x3x8x4xf32>, %kept: tensor<2x3x8x8xi1>) -> tensor<2x3x8x4xf32> {
  %s = train.dot_general %q, %k {lhs_batching = array<i64: 0, 1>, lhs_contracting = array<i64: 3>, rhs_batching = array<i64: 0, 1>, rhs_contracting = array<i64: 3>} : (tensor<2x3x8x4xf32>, tensor<2x3x8x4xf32>) -> tensor<2x3x8x8xf32>
  %m = train.reduce %s {dims = array<i64: 3>, kind = #train<reduce_kind maximum>} : (tensor<2x3x8x8xf32>) -> tensor<2x3x8xf32>
  %ms = train.stop_gradient %m : (tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %mb = train.broadcast_in_dim %ms {dims = array<i64: 0, 1, 2>} : (tensor<2x3x8xf32>) -> tensor<2x3x8x8xf32>
  %d = train.subtract %s, %mb : (tensor<2x3x8x8xf32>, tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  %e = train.exponential %d : (tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  %n = train.reduce %e {dims = array<i64: 3>, kind = #train<reduce_kind add>} : (tensor<2x3x8x8xf32>) -> tensor<2x3x8xf32>
  %nb = train.broadcast_in_dim %n {dims = array<i64: 0, 1, 2>} : (tensor<2x3x8xf32>) -> tensor<2x3x8x8xf32>
  %p = train.divide %e, %nb : (tensor<2x3x8x8xf32>, tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  %half = train.constant dense<0.5> : tensor<2x3x8x8xf32>
  %h = train.divide %p, %half : (tensor<2x3x8x8xf32>, tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  %z = train.constant dense<0.0> : tensor<2x3x8x8xf32>
  %w = train.select %kept, %h, %z : (tensor<2x3x8x8xi1>, tensor<2x3x8x8xf32>, tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  %o = train.dot_general %w, %v {lhs_batching = array<i64: 0, 1>, lhs_contracting = array<i64: 3>, rhs_batching = array<i64: 0, 1>, rhs_contracting = array<i64: 2>} : (tensor<2x3x8x8xf32>, tensor<2x3x8x4xf32>) -> tensor<2x3x8x4xf32>
  return %o : tensor<2x3x8x4xf32>
}

// -----

// weights * (kept / 0.5), one mask for all batches and heads
// CHECK-LABEL: func.func @loss
// CHECK-SAME: %[[KEPT:[^ ]+]]: tensor<8x8xi1>
// CHECK: %[[ONE:.+]] = train.reshape %[[KEPT]] : (tensor<8x8xi1>) -> tensor<1x1x1x8x8xi1>
// CHECK: %[[REPEATED:.+]] = train.reshape %[[ONE]] : {{.*}} -> tensor<1x1x8x8xi1>
// CHECK: train.attention %{{.+}}, %{{.+}}, %{{.+}}, %[[REPEATED]] {{.*}}kept_scale = 2.000000e+00 : f64
func.func @loss(%q: tensor<2x3x8x4xf32>, %k: tensor<2x3x8x4xf32>, %v: tensor<2x3x8x4xf32>, %kept: tensor<8x8xi1>) -> tensor<2x3x8x4xf32> {
  %s = train.dot_general %q, %k {lhs_batching = array<i64: 0, 1>, lhs_contracting = array<i64: 3>, rhs_batching = array<i64: 0, 1>, rhs_contracting = array<i64: 3>} : (tensor<2x3x8x4xf32>, tensor<2x3x8x4xf32>) -> tensor<2x3x8x8xf32>
  %m = train.reduce %s {dims = array<i64: 3>, kind = #train<reduce_kind maximum>} : (tensor<2x3x8x8xf32>) -> tensor<2x3x8xf32>
  %ms = train.stop_gradient %m : (tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %mb = train.broadcast_in_dim %ms {dims = array<i64: 0, 1, 2>} : (tensor<2x3x8xf32>) -> tensor<2x3x8x8xf32>
  %d = train.subtract %s, %mb : (tensor<2x3x8x8xf32>, tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  %e = train.exponential %d : (tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  %n = train.reduce %e {dims = array<i64: 3>, kind = #train<reduce_kind add>} : (tensor<2x3x8x8xf32>) -> tensor<2x3x8xf32>
  %nb = train.broadcast_in_dim %n {dims = array<i64: 0, 1, 2>} : (tensor<2x3x8xf32>) -> tensor<2x3x8x8xf32>
  %p = train.divide %e, %nb : (tensor<2x3x8x8xf32>, tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  %f = train.convert %kept : (tensor<8x8xi1>) -> tensor<8x8xf32>
  %half = train.constant dense<0.5> : tensor<8x8xf32>
  %g = train.divide %f, %half : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %gb = train.broadcast_in_dim %g {dims = array<i64: 2, 3>} : (tensor<8x8xf32>) -> tensor<2x3x8x8xf32>
  %w = train.multiply %p, %gb : (tensor<2x3x8x8xf32>, tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  %o = train.dot_general %w, %v {lhs_batching = array<i64: 0, 1>, lhs_contracting = array<i64: 3>, rhs_batching = array<i64: 0, 1>, rhs_contracting = array<i64: 2>} : (tensor<2x3x8x8xf32>, tensor<2x3x8x4xf32>) -> tensor<2x3x8x4xf32>
  return %o : tensor<2x3x8x4xf32>
}

// -----

// not dropped * weights / 0.5
// CHECK-LABEL: func.func @loss
// CHECK-SAME: %[[DROPPED:[^ ]+]]: tensor<2x3x8x8xi1>
// CHECK: %[[KEPT:.+]] = train.not %[[DROPPED]]
// CHECK: %[[SPLIT:.+]] = train.reshape %[[KEPT]]
// CHECK: %[[WHOLE:.+]] = train.reshape %[[SPLIT]] : {{.*}} -> tensor<2x3x8x8xi1>
// CHECK: train.attention %{{.+}}, %{{.+}}, %{{.+}}, %[[WHOLE]] {{.*}}kept_scale = 2.000000e+00 : f64
func.func @loss(%q: tensor<2x3x8x4xf32>, %k: tensor<2x3x8x4xf32>, %v: tensor<2x3x8x4xf32>, %dropped: tensor<2x3x8x8xi1>) -> tensor<2x3x8x4xf32> {
  %s = train.dot_general %q, %k {lhs_batching = array<i64: 0, 1>, lhs_contracting = array<i64: 3>, rhs_batching = array<i64: 0, 1>, rhs_contracting = array<i64: 3>} : (tensor<2x3x8x4xf32>, tensor<2x3x8x4xf32>) -> tensor<2x3x8x8xf32>
  %m = train.reduce %s {dims = array<i64: 3>, kind = #train<reduce_kind maximum>} : (tensor<2x3x8x8xf32>) -> tensor<2x3x8xf32>
  %ms = train.stop_gradient %m : (tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %mb = train.broadcast_in_dim %ms {dims = array<i64: 0, 1, 2>} : (tensor<2x3x8xf32>) -> tensor<2x3x8x8xf32>
  %d = train.subtract %s, %mb : (tensor<2x3x8x8xf32>, tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  %e = train.exponential %d : (tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  %n = train.reduce %e {dims = array<i64: 3>, kind = #train<reduce_kind add>} : (tensor<2x3x8x8xf32>) -> tensor<2x3x8xf32>
  %nb = train.broadcast_in_dim %n {dims = array<i64: 0, 1, 2>} : (tensor<2x3x8xf32>) -> tensor<2x3x8x8xf32>
  %p = train.divide %e, %nb : (tensor<2x3x8x8xf32>, tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  %x = train.not %dropped : (tensor<2x3x8x8xi1>) -> tensor<2x3x8x8xi1>
  %f = train.convert %x : (tensor<2x3x8x8xi1>) -> tensor<2x3x8x8xf32>
  %g = train.multiply %f, %p : (tensor<2x3x8x8xf32>, tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  %half = train.constant dense<0.5> : tensor<2x3x8x8xf32>
  %w = train.divide %g, %half : (tensor<2x3x8x8xf32>, tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  %o = train.dot_general %w, %v {lhs_batching = array<i64: 0, 1>, lhs_contracting = array<i64: 3>, rhs_batching = array<i64: 0, 1>, rhs_contracting = array<i64: 2>} : (tensor<2x3x8x8xf32>, tensor<2x3x8x4xf32>) -> tensor<2x3x8x4xf32>
  return %o : tensor<2x3x8x4xf32>
}

// -----

// A mask that is added as -inf, and rows of -inf that are 0.
// CHECK-LABEL: func.func @loss
// CHECK-SAME: %[[SEEN:[^ ]+]]: tensor<2x8xi1>
// CHECK: %[[MASK:.+]] = train.reshape %{{.+}} : (tensor<2x1x1x1x8xi1>) -> tensor<2x1x1x8xi1>
// CHECK: %[[OUT:.+]], %[[LSE:.+]] = train.attention %{{.+}}, %{{.+}}, %{{.+}}, %[[MASK]] {fill = -1.000000e+30 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 0, 0, 0>
// CHECK: %[[SEES:.+]] = train.compare %[[LSE]], %{{.+}} {direction = #train<compare_direction NE>}
// CHECK: train.select %{{.+}}, %[[OUT]],
func.func @loss(%q: tensor<2x3x8x4xf32>, %k: tensor<2x3x8x4xf32>, %v: tensor<2x3x8x4xf32>, %seen: tensor<2x8xi1>) -> tensor<2x3x8x4xf32> {
  %s = train.dot_general %q, %k {lhs_batching = array<i64: 0, 1>, lhs_contracting = array<i64: 3>, rhs_batching = array<i64: 0, 1>, rhs_contracting = array<i64: 3>} : (tensor<2x3x8x4xf32>, tensor<2x3x8x4xf32>) -> tensor<2x3x8x8xf32>
  %zero = train.constant dense<0.0> : tensor<2x8xf32>
  %inf = train.constant dense<0xFF800000> : tensor<2x8xf32>
  %b = train.select %seen, %zero, %inf : (tensor<2x8xi1>, tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %bb = train.broadcast_in_dim %b {dims = array<i64: 0, 3>} : (tensor<2x8xf32>) -> tensor<2x3x8x8xf32>
  %y = train.add %s, %bb : (tensor<2x3x8x8xf32>, tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  %m = train.reduce %y {dims = array<i64: 3>, kind = #train<reduce_kind maximum>} : (tensor<2x3x8x8xf32>) -> tensor<2x3x8xf32>
  %ms = train.stop_gradient %m : (tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %mb = train.broadcast_in_dim %ms {dims = array<i64: 0, 1, 2>} : (tensor<2x3x8xf32>) -> tensor<2x3x8x8xf32>
  %d = train.subtract %y, %mb : (tensor<2x3x8x8xf32>, tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  %e = train.exponential %d : (tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  %n = train.reduce %e {dims = array<i64: 3>, kind = #train<reduce_kind add>} : (tensor<2x3x8x8xf32>) -> tensor<2x3x8xf32>
  %nb = train.broadcast_in_dim %n {dims = array<i64: 0, 1, 2>} : (tensor<2x3x8xf32>) -> tensor<2x3x8x8xf32>
  %p = train.divide %e, %nb : (tensor<2x3x8x8xf32>, tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  %infs = train.constant dense<0xFF800000> : tensor<2x3x8x8xf32>
  %is = train.compare %y, %infs {direction = #train<compare_direction EQ>} : (tensor<2x3x8x8xf32>, tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xi1>
  %all = train.reduce %is {dims = array<i64: 3>, kind = #train<reduce_kind logical_and>} : (tensor<2x3x8x8xi1>) -> tensor<2x3x8xi1>
  %rows = train.broadcast_in_dim %all {dims = array<i64: 0, 1, 2>} : (tensor<2x3x8xi1>) -> tensor<2x3x8x8xi1>
  %z = train.constant dense<0.0> : tensor<2x3x8x8xf32>
  %w = train.select %rows, %z, %p : (tensor<2x3x8x8xi1>, tensor<2x3x8x8xf32>, tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  %o = train.dot_general %w, %v {lhs_batching = array<i64: 0, 1>, lhs_contracting = array<i64: 3>, rhs_batching = array<i64: 0, 1>, rhs_contracting = array<i64: 2>} : (tensor<2x3x8x8xf32>, tensor<2x3x8x4xf32>) -> tensor<2x3x8x4xf32>
  return %o : tensor<2x3x8x4xf32>
}
