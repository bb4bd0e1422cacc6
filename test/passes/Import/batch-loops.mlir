// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loop that carries nothing but a counter and results, of which trip i writes element i, is computed for all trips at once.
// RUN: zcc-opt %s --split-input-file --zcc-unroll-loops | FileCheck %s
// RUN: zcc-opt %s --split-input-file --zcc-unroll-loops=batch=false | FileCheck %s --check-prefix=OFF

// The elements in order are the operand; numbers of trips are an iota; what all trips share has no dim for them.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X:.*]]: tensor<3x4xf32>, %[[W:.*]]: tensor<5x4xf32>
// CHECK-NOT: while
// CHECK-DAG: %[[I:.*]] = stablehlo.iota dim = 0 : tensor<3xi32>
// CHECK-DAG: %[[ROWS:.*]] = stablehlo.reshape %[[X]] : (tensor<3x4xf32>) -> tensor<3x1x4xf32>
// CHECK-DAG: %[[V:.*]] = stablehlo.reshape %[[ROWS]] : (tensor<3x1x4xf32>) -> tensor<3x4xf32>
// CHECK-DAG: %[[U:.*]] = stablehlo.negate %[[W]] : tensor<5x4xf32>
// CHECK: %[[D:.*]] = stablehlo.dot_general %[[U]], %[[V]], contracting_dims = [1] x [1] : (tensor<5x4xf32>, tensor<3x4xf32>) -> tensor<5x3xf32>
// CHECK: %[[T:.*]] = stablehlo.transpose %[[D]], dims = [1, 0] : (tensor<5x3xf32>) -> tensor<3x5xf32>
// CHECK: %[[N:.*]] = stablehlo.convert %[[I]] : (tensor<3xi32>) -> tensor<3xf32>
// CHECK: %[[R:.*]] = stablehlo.reduce(%[[T]] init: %{{.*}}) applies stablehlo.maximum across dimensions = [1] : (tensor<3x5xf32>, tensor<f32>) -> tensor<3xf32>
// CHECK: %[[S:.*]] = stablehlo.add %[[R]], %[[N]] : tensor<3xf32>
// CHECK: return
// OFF-LABEL: func.func @main(
// OFF: stablehlo.dot_general
// OFF: stablehlo.dot_general
// OFF: stablehlo.dot_general
func.func @main(%x: tensor<3x4xf32>, %w: tensor<5x4xf32>) -> (tensor<3xf32>, tensor<i32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %empty = stablehlo.constant dense<0.0> : tensor<3xf32>
  %r:3 = stablehlo.while(%i = %zero, %ys = %empty, %xs = %x) : tensor<i32>, tensor<3xf32>, tensor<3x4xf32>
  cond {
    %p = stablehlo.compare LT, %i, %three, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %row = stablehlo.dynamic_slice %xs, %i, %zero, sizes = [1, 4] : (tensor<3x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
    %v = stablehlo.reshape %row : (tensor<1x4xf32>) -> tensor<4xf32>
    %u = stablehlo.negate %w : tensor<5x4xf32>
    %d = stablehlo.dot_general %u, %v, contracting_dims = [1] x [0] : (tensor<5x4xf32>, tensor<4xf32>) -> tensor<5xf32>
    %n = stablehlo.convert %i : (tensor<i32>) -> tensor<f32>
    %m = stablehlo.reduce(%d init: %low) applies stablehlo.maximum across dimensions = [0] : (tensor<5xf32>, tensor<f32>) -> tensor<f32>
    %y = stablehlo.add %m, %n : tensor<f32>
    %written = stablehlo.reshape %y : (tensor<f32>) -> tensor<1xf32>
    %all = stablehlo.dynamic_update_slice %ys, %written, %i : (tensor<3xf32>, tensor<1xf32>, tensor<i32>) -> tensor<3xf32>
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %all, %xs : tensor<i32>, tensor<3xf32>, tensor<3x4xf32>
  }
  return %r#1, %r#0 : tensor<3xf32>, tensor<i32>
}

// -----
// A slice at a place that differs among trips is a gather of places within the operand.
// CHECK-LABEL: func.func @main(
// CHECK: %[[C:.*]] = stablehlo.clamp %{{.*}}, %{{.*}}, %{{.*}} : (tensor<i32>, tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
// CHECK: %[[AT:.*]] = stablehlo.reshape %[[C]] : (tensor<3xi32>) -> tensor<3x1xi32>
// CHECK: "stablehlo.gather"(%arg0, %[[AT]])
// CHECK-SAME: offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1
// CHECK-SAME: slice_sizes = array<i64: 1, 4>
func.func @main(%table: tensor<5x4xf32>, %labels: tensor<3xi32>) -> tensor<3x4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %empty = stablehlo.constant dense<0.0> : tensor<3x4xf32>
  %r:2 = stablehlo.while(%i = %zero, %ys = %empty) : tensor<i32>, tensor<3x4xf32>
  cond {
    %p = stablehlo.compare LT, %i, %three, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %l = stablehlo.dynamic_slice %labels, %i, sizes = [1] : (tensor<3xi32>, tensor<i32>) -> tensor<1xi32>
    %label = stablehlo.reshape %l : (tensor<1xi32>) -> tensor<i32>
    %row = stablehlo.dynamic_slice %table, %label, %zero, sizes = [1, 4] : (tensor<5x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
    %all = stablehlo.dynamic_update_slice %ys, %row, %i, %zero : (tensor<3x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<3x4xf32>
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %all : tensor<i32>, tensor<3x4xf32>
  }
  return %r#1 : tensor<3x4xf32>
}

// -----
// Not such a loop: it reads what an earlier trip wrote.
// CHECK-LABEL: func.func @main(
// CHECK: stablehlo.add
// CHECK: stablehlo.add
// CHECK: stablehlo.add
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %ys = %x) : tensor<i32>, tensor<3xf32>
  cond {
    %p = stablehlo.compare LT, %i, %three, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %first = stablehlo.dynamic_slice %ys, %zero, sizes = [1] : (tensor<3xf32>, tensor<i32>) -> tensor<1xf32>
    %y = stablehlo.add %first, %first : tensor<1xf32>
    %all = stablehlo.dynamic_update_slice %ys, %y, %i : (tensor<3xf32>, tensor<1xf32>, tensor<i32>) -> tensor<3xf32>
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %all : tensor<i32>, tensor<3xf32>
  }
  return %r#1 : tensor<3xf32>
}

// -----
// The limit of a place may not fit the index's own type.
// CHECK-LABEL: func.func @main(
// CHECK: stablehlo.convert %{{.*}} : (tensor<3xi8>) -> tensor<3xi64>
// CHECK: stablehlo.constant dense<199> : tensor<i64>
// CHECK: stablehlo.clamp %{{.*}}, %{{.*}}, %{{.*}} : (tensor<i64>, tensor<3xi64>, tensor<i64>) -> tensor<3xi64>
func.func @main(%table: tensor<200xf32>, %labels: tensor<3xi8>) -> tensor<3xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %empty = stablehlo.constant dense<0.0> : tensor<3xf32>
  %r:2 = stablehlo.while(%i = %zero, %ys = %empty) : tensor<i32>, tensor<3xf32>
  cond {
    %p = stablehlo.compare LT, %i, %three, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %l = stablehlo.dynamic_slice %labels, %i, sizes = [1] : (tensor<3xi8>, tensor<i32>) -> tensor<1xi8>
    %label = stablehlo.reshape %l : (tensor<1xi8>) -> tensor<i8>
    %row = stablehlo.dynamic_slice %table, %label, sizes = [1] : (tensor<200xf32>, tensor<i8>) -> tensor<1xf32>
    %all = stablehlo.dynamic_update_slice %ys, %row, %i : (tensor<3xf32>, tensor<1xf32>, tensor<i32>) -> tensor<3xf32>
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %all : tensor<i32>, tensor<3xf32>
  }
  return %r#1 : tensor<3xf32>
}
