// A value without data along a dim does not tie the dims of its readers: readers of other classes get copies of it.
// RUN: zcc-opt %s --split-input-file --zcc-split-constants | FileCheck %s
// Once is enough.
// RUN: zcc-opt %s --split-input-file --zcc-split-constants -o %t.once
// RUN: zcc-opt %t.once --split-input-file --zcc-split-constants -o %t.twice
// RUN: cmp %t.once %t.twice

// One splat of the batch and of positions. Readers whose dims something else ties share a copy: both read x. Scalars tie nothing.
// CHECK-LABEL: func.func @step
// CHECK: %[[ZERO:.*]] = train.constant dense<0.0{{.*}} : tensor<f32>
// CHECK-NEXT: %[[A:.*]] = train.broadcast_in_dim %[[ZERO]]
// CHECK-NEXT: %[[B:.*]] = train.broadcast_in_dim %[[ZERO]]
// CHECK-NEXT: train.maximum %arg0, %[[A]]
// CHECK-NEXT: train.maximum %arg1, %[[B]]
// CHECK-NEXT: train.minimum %arg0, %[[A]]
func.func @step(%x: tensor<8xf32>, %w: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %c = train.constant dense<0.0> : tensor<f32>
  %zero = train.broadcast_in_dim %c {dims = array<i64>} : (tensor<f32>) -> tensor<8xf32>
  %a = train.maximum %x, %zero : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %b = train.maximum %w, %zero : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %d = train.minimum %x, %zero : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %a, %b, %d : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// -----

// Indices, and what is computed of them: one copy of the positions for %x and one for %w, each with a splat of its own.
// CHECK-LABEL: func.func @step
// CHECK: %[[P:.*]] = train.iota
// CHECK-NEXT: %[[Q:.*]] = train.iota
// CHECK: %[[S:.*]] = train.constant dense<3> : tensor<8xi32>
// CHECK-NEXT: %[[T:.*]] = train.constant dense<3> : tensor<8xi32>
// CHECK-NEXT: %[[PS:.*]] = train.add %[[P]], %[[S]]
// CHECK-NEXT: %[[QT:.*]] = train.add %[[Q]], %[[T]]
// CHECK: train.compare %arg0, %[[PS]]
// CHECK: train.compare %arg1, %[[QT]]
func.func @step(%x: tensor<8xi32>, %w: tensor<8xi32>) -> (tensor<8xi1>, tensor<8xi1>) {
  %i = train.iota {dim = 0 : i64} : () -> tensor<8xi32>
  %c = train.constant dense<3> : tensor<8xi32>
  %p = train.add %i, %c : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
  %a = train.compare %x, %p {direction = #train<compare_direction LT>} : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
  %b = train.compare %w, %p {direction = #train<compare_direction LT>} : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
  return %a, %b : tensor<8xi1>, tensor<8xi1>
}

// -----

// A broadcast value ties its readers only by the dim along which it has data: layers with hidden units of their own
// read copies, those that share the batch read one. A mask by positions, which all layers use, is made once.
// CHECK-LABEL: func.func @step
// CHECK-COUNT-1: train.iota
// CHECK: %[[A:.*]] = train.broadcast_in_dim %arg0 {{.*}} -> tensor<8x4xf32>
// CHECK-NEXT: %[[B:.*]] = train.broadcast_in_dim %arg0 {{.*}} -> tensor<8x4xf32>
// CHECK: train.multiply %arg1, %[[A]]
// CHECK: train.add %arg1, %[[A]]
// CHECK: train.multiply %arg2, %[[B]]
// CHECK-NOT: train.iota
func.func @step(%x: tensor<8xf32>, %h: tensor<8x4xf32>, %k: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) {
  %i = train.iota {dim = 0 : i64} : () -> tensor<8xf32>
  %y = train.add %x, %i : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %z = train.multiply %x, %i : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %b = train.broadcast_in_dim %x {dims = array<i64: 0>} : (tensor<8xf32>) -> tensor<8x4xf32>
  %a = train.multiply %h, %b : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  %d = train.add %h, %b : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  %e = train.multiply %k, %b : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %a, %d, %e : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>
}

// -----

// An annotation is of all readers, and data is never computed twice: a sum of two broadcasts is not a constant.
// CHECK-LABEL: func.func @step
// CHECK: train.constant
// CHECK-NEXT: train.sharding_constraint
// CHECK-NEXT: train.maximum
// CHECK-NEXT: train.maximum
// CHECK-NEXT: train.broadcast_in_dim
// CHECK-NEXT: train.broadcast_in_dim
// CHECK-NEXT: train.multiply
// CHECK-NEXT: train.add
// CHECK-NEXT: train.subtract
func.func @step(%x: tensor<8xf32>, %w: tensor<8xf32>, %h: tensor<8x8xf32>, %k: tensor<8x8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %c = train.constant dense<1.0> : tensor<8xf32>
  %d = train.sharding_constraint %c {sharding = [["?"]]} : (tensor<8xf32>) -> tensor<8xf32>
  %a = train.maximum %x, %d : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %b = train.maximum %w, %d : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %rows = train.broadcast_in_dim %x {dims = array<i64: 0>} : (tensor<8xf32>) -> tensor<8x8xf32>
  %columns = train.broadcast_in_dim %w {dims = array<i64: 1>} : (tensor<8xf32>) -> tensor<8x8xf32>
  %outer = train.multiply %rows, %columns : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %e = train.add %h, %outer : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %f = train.subtract %k, %outer : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %a, %b, %e, %f : tensor<8xf32>, tensor<8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}
