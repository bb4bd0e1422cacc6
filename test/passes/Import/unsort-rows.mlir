// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows that a sort only puts into groups keep the batch's order.
// RUN: zcc-opt %s --split-input-file --zcc-unsort-rows --cse | FileCheck %s

// Three tokens of two experts each. Rows of expert e are those between the sums of the histogram before and after e.
// CHECK-LABEL: func.func @loss
// CHECK-SAME: %[[X:.*]]: tensor<3x5xf32>{{.*}}, %[[W:.*]]: tensor<4x5x7xf32>
// CHECK: %[[KEY:.*]] = train.reshape %{{.*}} : (tensor<3x2xi32>) -> tensor<6xi32>
// CHECK-NOT: train.sort
// CHECK-NOT: train.gather
// CHECK: %[[TWICE:.*]] = train.broadcast_in_dim %[[X]] {dims = array<i64: 0, 2>} : (tensor<3x5xf32>) -> tensor<3x2x5xf32>
// CHECK: %[[ROWS:.*]] = train.reshape %[[TWICE]] : (tensor<3x2x5xf32>) -> tensor<6x5xf32>
// CHECK: %[[FIRST:.*]] = train.constant dense<[0, 1, 2, 3]> : tensor<4xi32>
// CHECK: %[[FROM:.*]] = train.broadcast_in_dim %[[FIRST]] {dims = array<i64: 0>}
// CHECK: %[[OWN:.*]] = train.broadcast_in_dim %[[KEY]] {dims = array<i64: 1>} : (tensor<6xi32>) -> tensor<4x6xi32>
// CHECK: train.compare %[[OWN]], %[[FROM]] {direction = #train<compare_direction GE>}
// CHECK: %[[LAST:.*]] = train.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
// CHECK: %[[TO:.*]] = train.broadcast_in_dim %[[LAST]] {dims = array<i64: 0>}
// CHECK: train.compare %[[OWN]], %[[TO]] {direction = #train<compare_direction LT>}
// CHECK: %[[MADE:.*]] = train.dot_general
// CHECK: %[[PARTS:.*]] = train.reshape %[[MADE]] : (tensor<6x7xf32>) -> tensor<3x2x7xf32>
// CHECK: %[[SUM:.*]] = train.reduce %[[PARTS]] {dims = array<i64: 1>, kind = #train<reduce_kind add>}
// CHECK-NOT: train.scatter
// CHECK: return %[[SUM]]
func.func @loss(%x: tensor<3x5xf32> {zcc.input = "x"}, %w: tensor<4x5x7xf32> {zcc.parameter = "w"}, %s: tensor<3x4xf32> {zcc.input = "s"}) -> tensor<3x7xf32> {
  %expert = train.iota {dim = 1 : i64} : () -> tensor<3x4xi32>
  %best:2 = train.sort %s, %expert {descending = true, dim = 1 : i64} : (tensor<3x4xf32>, tensor<3x4xi32>) -> (tensor<3x4xf32>, tensor<3x4xi32>)
  %two = train.slice %best#1 {limit = array<i64: 3, 2>, start = array<i64: 0, 0>, stride = array<i64: 1, 1>} : (tensor<3x4xi32>) -> tensor<3x2xi32>
  %key = train.reshape %two : (tensor<3x2xi32>) -> tensor<6xi32>
  %at = train.iota {dim = 0 : i64} : () -> tensor<6xi32>
  %sorted:2 = train.sort %key, %at {dim = 0 : i64} : (tensor<6xi32>, tensor<6xi32>) -> (tensor<6xi32>, tensor<6xi32>)
  %chosen = train.constant dense<2> : tensor<6xi32>
  %token = train.divide %sorted#1, %chosen : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
  %tokens = train.reshape %token : (tensor<6xi32>) -> tensor<6x1xi32>
  %rows = train.gather %x, %tokens {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>, operand_batching_dims = array<i64>, indices_batching_dims = array<i64>, start_index_map = array<i64: 0>, index_vector_dim = 1 : i64, slice_sizes = array<i64: 1, 5>} : (tensor<3x5xf32>, tensor<6x1xi32>) -> tensor<6x5xf32>
  %none = train.constant dense<0> : tensor<4xi32>
  %ones = train.constant dense<1> : tensor<6xi32>
  %keys = train.reshape %key : (tensor<6xi32>) -> tensor<6x1xi32>
  %sizes = train.scatter %none, %keys, %ones {update_window_dims = array<i64>, inserted_window_dims = array<i64: 0>, operand_batching_dims = array<i64>, indices_batching_dims = array<i64>, operand_dims_map = array<i64: 0>, index_vector_dim = 1 : i64, kind = #train<reduce_kind add>} : (tensor<4xi32>, tensor<6x1xi32>, tensor<6xi32>) -> tensor<4xi32>
  %end = train.cumulative %sizes {dim = 0 : i64, kind = #train<reduce_kind add>} : (tensor<4xi32>) -> tensor<4xi32>
  %start = train.subtract %end, %sizes : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %row = train.iota {dim = 1 : i64} : () -> tensor<4x6xi32>
  %starts = train.broadcast_in_dim %start {dims = array<i64: 0>} : (tensor<4xi32>) -> tensor<4x6xi32>
  %ends = train.broadcast_in_dim %end {dims = array<i64: 0>} : (tensor<4xi32>) -> tensor<4x6xi32>
  %after = train.compare %row, %starts {direction = #train<compare_direction GE>} : (tensor<4x6xi32>, tensor<4x6xi32>) -> tensor<4x6xi1>
  %before = train.compare %row, %ends {direction = #train<compare_direction LT>} : (tensor<4x6xi32>, tensor<4x6xi32>) -> tensor<4x6xi1>
  %in = train.and %after, %before : (tensor<4x6xi1>, tensor<4x6xi1>) -> tensor<4x6xi1>
  %ins = train.broadcast_in_dim %in {dims = array<i64: 0, 1>} : (tensor<4x6xi1>) -> tensor<4x6x5xi1>
  %all = train.broadcast_in_dim %rows {dims = array<i64: 1, 2>} : (tensor<6x5xf32>) -> tensor<4x6x5xf32>
  %zero = train.constant dense<0.0> : tensor<4x6x5xf32>
  %masked = train.select %ins, %all, %zero : (tensor<4x6x5xi1>, tensor<4x6x5xf32>, tensor<4x6x5xf32>) -> tensor<4x6x5xf32>
  %made = train.dot_general %masked, %w {lhs_batching = array<i64>, lhs_contracting = array<i64: 0, 2>, rhs_batching = array<i64>, rhs_contracting = array<i64: 0, 1>} : (tensor<4x6x5xf32>, tensor<4x5x7xf32>) -> tensor<6x7xf32>
  %nothing = train.constant dense<0.0> : tensor<3x7xf32>
  %sum = train.scatter %nothing, %tokens, %made {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, operand_batching_dims = array<i64>, indices_batching_dims = array<i64>, operand_dims_map = array<i64: 0>, index_vector_dim = 1 : i64, kind = #train<reduce_kind add>} : (tensor<3x7xf32>, tensor<6x1xi32>, tensor<6x7xf32>) -> tensor<3x7xf32>
  return %sum : tensor<3x7xf32>
}

// -----
// Sorting by the permutation brings rows back, as does the inverse permutation, counted from the end where it is
// negative. A maximum over the rows does not depend on their order.
// CHECK-LABEL: func.func @loss
// CHECK-SAME: %[[X:.*]]: tensor<6x5xf32>
// CHECK-NOT: train.sort
// CHECK: %[[Y:.*]] = train.tanh %[[X]]
// CHECK: %[[BEST:.*]] = train.reduce %[[Y]] {dims = array<i64: 0>, kind = #train<reduce_kind maximum>}
// CHECK: return %[[Y]], %[[BEST]]
func.func @loss(%x: tensor<6x5xf32> {zcc.input = "x"}, %s: tensor<6x4xf32> {zcc.input = "s"}) -> (tensor<6x5xf32>, tensor<5xf32>) {
  %key = train.arg_reduce %s {dim = 1 : i64, kind = #train<reduce_kind maximum>} : (tensor<6x4xf32>) -> tensor<6xi32>
  %at = train.iota {dim = 0 : i64} : () -> tensor<6xi32>
  %sorted:2 = train.sort %key, %at {dim = 0 : i64} : (tensor<6xi32>, tensor<6xi32>) -> (tensor<6xi32>, tensor<6xi32>)
  %columns = train.reshape %sorted#1 : (tensor<6xi32>) -> tensor<6x1xi32>
  %rows = train.gather %x, %columns {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>, operand_batching_dims = array<i64>, indices_batching_dims = array<i64>, start_index_map = array<i64: 0>, index_vector_dim = 1 : i64, slice_sizes = array<i64: 1, 5>} : (tensor<6x5xf32>, tensor<6x1xi32>) -> tensor<6x5xf32>
  %y = train.tanh %rows : (tensor<6x5xf32>) -> tensor<6x5xf32>
  %back:2 = train.sort %sorted#1, %at {dim = 0 : i64} : (tensor<6xi32>, tensor<6xi32>) -> (tensor<6xi32>, tensor<6xi32>)
  %zero = train.constant dense<0> : tensor<6xi32>
  %six = train.constant dense<6> : tensor<6xi32>
  %negative = train.compare %back#1, %zero {direction = #train<compare_direction LT>} : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
  %wrapped = train.add %back#1, %six : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
  %place = train.select %negative, %wrapped, %back#1 : (tensor<6xi1>, tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
  %places = train.reshape %place : (tensor<6xi32>) -> tensor<6x1xi32>
  %own = train.gather %y, %places {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>, operand_batching_dims = array<i64>, indices_batching_dims = array<i64>, start_index_map = array<i64: 0>, index_vector_dim = 1 : i64, slice_sizes = array<i64: 1, 5>} : (tensor<6x5xf32>, tensor<6x1xi32>) -> tensor<6x5xf32>
  %best = train.reduce %y {dims = array<i64: 0>, kind = #train<reduce_kind maximum>} : (tensor<6x5xf32>) -> tensor<5xf32>
  return %own, %best : tensor<6x5xf32>, tensor<5xf32>
}

// -----
// The order matters: a running sum over the sorted rows, a weight for each place, and rows that are returned sorted.
// CHECK-LABEL: func.func @loss
// CHECK: train.sort %{{.*}}, %{{.*}} {dim = 0 : i64}
// CHECK: train.cumulative
// CHECK: return
func.func @loss(%x: tensor<6xf32> {zcc.input = "x"}, %s: tensor<6x4xf32> {zcc.input = "s"}) -> tensor<f32> {
  %key = train.arg_reduce %s {dim = 1 : i64, kind = #train<reduce_kind maximum>} : (tensor<6x4xf32>) -> tensor<6xi32>
  %sorted:2 = train.sort %key, %x {dim = 0 : i64} : (tensor<6xi32>, tensor<6xf32>) -> (tensor<6xi32>, tensor<6xf32>)
  %running = train.cumulative %sorted#1 {dim = 0 : i64, kind = #train<reduce_kind add>} : (tensor<6xf32>) -> tensor<6xf32>
  %loss = train.reduce %running {dims = array<i64: 0>, kind = #train<reduce_kind maximum>} : (tensor<6xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----
// CHECK-LABEL: func.func @loss
// CHECK: %[[SORTED:.*]]:2 = train.sort
// CHECK: train.multiply %[[SORTED]]#1, %{{.*}}
func.func @loss(%x: tensor<6xf32> {zcc.input = "x"}, %w: tensor<6xf32> {zcc.parameter = "w"}, %s: tensor<6x4xf32> {zcc.input = "s"}) -> tensor<f32> {
  %key = train.arg_reduce %s {dim = 1 : i64, kind = #train<reduce_kind maximum>} : (tensor<6x4xf32>) -> tensor<6xi32>
  %sorted:2 = train.sort %key, %x {dim = 0 : i64} : (tensor<6xi32>, tensor<6xf32>) -> (tensor<6xi32>, tensor<6xf32>)
  %weighted = train.multiply %sorted#1, %w : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
  %loss = train.reduce %weighted {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<6xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----
// CHECK-LABEL: func.func @loss
// CHECK: %[[SORTED:.*]]:2 = train.sort
// CHECK: return %[[SORTED]]#1
func.func @loss(%x: tensor<6xf32> {zcc.input = "x"}, %s: tensor<6x4xf32> {zcc.input = "s"}) -> tensor<6xf32> {
  %key = train.arg_reduce %s {dim = 1 : i64, kind = #train<reduce_kind maximum>} : (tensor<6x4xf32>) -> tensor<6xi32>
  %sorted:2 = train.sort %key, %x {dim = 0 : i64} : (tensor<6xi32>, tensor<6xf32>) -> (tensor<6xi32>, tensor<6xf32>)
  return %sorted#1 : tensor<6xf32>
}

// -----
// Keys of no known range make no groups.
// CHECK-LABEL: func.func @loss
// CHECK: train.sort
func.func @loss(%x: tensor<6xf32> {zcc.input = "x"}, %key: tensor<6xi32> {zcc.input = "key"}) -> tensor<f32> {
  %sorted:2 = train.sort %key, %x {dim = 0 : i64} : (tensor<6xi32>, tensor<6xf32>) -> (tensor<6xi32>, tensor<6xf32>)
  %loss = train.reduce %sorted#1 {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<6xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----
// As many rows as expert 1 has, but the first ones: those are no group.
// CHECK-LABEL: func.func @loss
// CHECK: train.sort
func.func @loss(%x: tensor<6xf32> {zcc.input = "x"}, %s: tensor<6x4xf32> {zcc.input = "s"}) -> tensor<f32> {
  %key = train.arg_reduce %s {dim = 1 : i64, kind = #train<reduce_kind maximum>} : (tensor<6x4xf32>) -> tensor<6xi32>
  %sorted:2 = train.sort %key, %x {dim = 0 : i64} : (tensor<6xi32>, tensor<6xf32>) -> (tensor<6xi32>, tensor<6xf32>)
  %expert = train.constant dense<1> : tensor<6xi32>
  %same = train.compare %key, %expert {direction = #train<compare_direction EQ>} : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
  %one = train.convert %same : (tensor<6xi1>) -> tensor<6xi32>
  %size = train.reduce %one {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<6xi32>) -> tensor<i32>
  %sizes = train.broadcast_in_dim %size {dims = array<i64>} : (tensor<i32>) -> tensor<6xi32>
  %at = train.iota {dim = 0 : i64} : () -> tensor<6xi32>
  %in = train.compare %at, %sizes {direction = #train<compare_direction LT>} : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
  %zero = train.constant dense<0.0> : tensor<6xf32>
  %some = train.select %in, %sorted#1, %zero : (tensor<6xi1>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
  %loss = train.reduce %some {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<6xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----
// The number of keys that are less than the sorted ones in their places is no bound of a group, and neither is the
// number of keys that are less than others.
// CHECK-LABEL: func.func @loss
// CHECK: train.sort %{{.*}} {dim = 0 : i64}
// CHECK: train.sort %{{.*}} {dim = 0 : i64}
func.func @loss(%x: tensor<4xf32> {zcc.input = "x"}, %s: tensor<4x2xf32> {zcc.input = "s"}, %t: tensor<2x2x2xf32> {zcc.input = "t"}) -> (tensor<f32>, tensor<f32>) {
  %zero = train.constant dense<0.0> : tensor<4xf32>
  %at = train.iota {dim = 0 : i64} : () -> tensor<4xi32>
  %key = train.arg_reduce %s {dim = 1 : i64, kind = #train<reduce_kind maximum>} : (tensor<4x2xf32>) -> tensor<4xi32>
  %sorted:2 = train.sort %key, %x {dim = 0 : i64} : (tensor<4xi32>, tensor<4xf32>) -> (tensor<4xi32>, tensor<4xf32>)
  %one = train.constant dense<1> : tensor<4xi32>
  %same = train.compare %key, %sorted#0 {direction = #train<compare_direction LT>} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  %number = train.convert %same : (tensor<4xi1>) -> tensor<4xi32>
  %size = train.reduce %number {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<4xi32>) -> tensor<i32>
  %sizes = train.broadcast_in_dim %size {dims = array<i64>} : (tensor<i32>) -> tensor<4xi32>
  %in = train.compare %at, %sizes {direction = #train<compare_direction LT>} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  %some = train.select %in, %sorted#1, %zero : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %first = train.reduce %some {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<4xf32>) -> tensor<f32>
  %chosen = train.arg_reduce %t {dim = 2 : i64, kind = #train<reduce_kind maximum>} : (tensor<2x2x2xf32>) -> tensor<2x2xi32>
  %flat = train.reshape %chosen : (tensor<2x2xi32>) -> tensor<4xi32>
  %others:2 = train.sort %flat, %x {dim = 0 : i64} : (tensor<4xi32>, tensor<4xf32>) -> (tensor<4xi32>, tensor<4xf32>)
  %turned = train.transpose %chosen {permutation = array<i64: 1, 0>} : (tensor<2x2xi32>) -> tensor<2x2xi32>
  %less = train.compare %chosen, %turned {direction = #train<compare_direction LT>} : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi1>
  %count = train.convert %less : (tensor<2x2xi1>) -> tensor<2x2xi32>
  %total = train.reduce %count {dims = array<i64: 0, 1>, kind = #train<reduce_kind add>} : (tensor<2x2xi32>) -> tensor<i32>
  %totals = train.broadcast_in_dim %total {dims = array<i64>} : (tensor<i32>) -> tensor<4xi32>
  %before = train.compare %at, %totals {direction = #train<compare_direction LT>} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  %few = train.select %before, %others#1, %zero : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %second = train.reduce %few {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<4xf32>) -> tensor<f32>
  return %first, %second : tensor<f32>, tensor<f32>
}

// -----
// The number of rows of expert 0, from the choices of all tokens.
// CHECK-LABEL: func.func @loss
// CHECK-NOT: train.sort
// CHECK: %[[TO:.*]] = train.constant dense<1> : tensor<i32>
// CHECK: train.compare %{{.*}}, %{{.*}} {direction = #train<compare_direction LT>} : (tensor<4xi32>, tensor<4xi32>)
// CHECK: return
func.func @loss(%x: tensor<4xf32> {zcc.input = "x"}, %t: tensor<2x2x2xf32> {zcc.input = "t"}) -> tensor<f32> {
  %zero = train.constant dense<0.0> : tensor<4xf32>
  %at = train.iota {dim = 0 : i64} : () -> tensor<4xi32>
  %chosen = train.arg_reduce %t {dim = 2 : i64, kind = #train<reduce_kind maximum>} : (tensor<2x2x2xf32>) -> tensor<2x2xi32>
  %flat = train.reshape %chosen : (tensor<2x2xi32>) -> tensor<4xi32>
  %sorted:2 = train.sort %flat, %x {dim = 0 : i64} : (tensor<4xi32>, tensor<4xf32>) -> (tensor<4xi32>, tensor<4xf32>)
  %expert = train.constant dense<0> : tensor<2x2xi32>
  %same = train.compare %chosen, %expert {direction = #train<compare_direction EQ>} : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi1>
  %count = train.convert %same : (tensor<2x2xi1>) -> tensor<2x2xi32>
  %total = train.reduce %count {dims = array<i64: 0, 1>, kind = #train<reduce_kind add>} : (tensor<2x2xi32>) -> tensor<i32>
  %totals = train.broadcast_in_dim %total {dims = array<i64>} : (tensor<i32>) -> tensor<4xi32>
  %before = train.compare %at, %totals {direction = #train<compare_direction LT>} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  %few = train.select %before, %sorted#1, %zero : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %loss = train.reduce %few {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<4xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
