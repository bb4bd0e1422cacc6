// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Entries of index vectors that count positions are batching dims; where all count nothing is looked up.
// RUN: zcc-opt %s --split-input-file --zcc-counted-indices | FileCheck %s

// x[arange(n), labels], as JAX writes it: negative indices count from the end.
// CHECK-LABEL: func.func @loss
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>{{.*}}, %[[Y:.*]]: tensor<4xi32>
// CHECK: %[[COLUMN:.*]] = train.reshape %[[Y]] : (tensor<4xi32>) -> tensor<4x1xi32>
// CHECK: train.gather %[[X]], %[[COLUMN]] {collapsed_slice_dims = array<i64: 1>, index_vector_dim = 1 : i64, indices_batching_dims = array<i64: 0>, offset_dims = array<i64>, operand_batching_dims = array<i64: 0>, slice_sizes = array<i64: 1, 1>, start_index_map = array<i64: 1>}
func.func @loss(%x: tensor<4x8xf32> {zcc.parameter = "x"}, %y: tensor<4xi32> {zcc.input = "y"}) -> tensor<4xf32> {
  %row = train.iota {dim = 0 : i64} : () -> tensor<4xi32>
  %zero = train.constant dense<0> : tensor<4xi32>
  %four = train.constant dense<4> : tensor<4xi32>
  %negative = train.compare %row, %zero {direction = #train<compare_direction LT>} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  %wrapped = train.add %row, %four : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %r = train.select %negative, %wrapped, %row : (tensor<4xi1>, tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %rows = train.reshape %r : (tensor<4xi32>) -> tensor<4x1xi32>
  %columns = train.reshape %y : (tensor<4xi32>) -> tensor<4x1xi32>
  %pairs = train.concatenate %rows, %columns {dim = 1 : i64} : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x2xi32>
  %picked = train.gather %x, %pairs {offset_dims = array<i64>, collapsed_slice_dims = array<i64: 0, 1>, operand_batching_dims = array<i64>, indices_batching_dims = array<i64>, start_index_map = array<i64: 0, 1>, index_vector_dim = 1 : i64, slice_sizes = array<i64: 1, 1>} : (tensor<4x8xf32>, tensor<4x2xi32>) -> tensor<4xf32>
  return %picked : tensor<4xf32>
}

// -----
// A part of the rows, from the second on; of three entries two are left. The diagonal counts along one dim once.
// CHECK-LABEL: func.func @loss
// CHECK-SAME: %[[X:.*]]: tensor<6x8x5xf32>{{.*}}, %[[Y:.*]]: tensor<4x2xi32>{{.*}}, %[[Z:.*]]: tensor<4x4xf32>
// CHECK: %[[PART:.*]] = train.slice %[[X]] {limit = array<i64: 5, 8, 5>, start = array<i64: 1, 0, 0>
// CHECK: train.gather %[[PART]], %[[Y]] {collapsed_slice_dims = array<i64: 1, 2>,{{.*}} indices_batching_dims = array<i64: 0>,{{.*}} operand_batching_dims = array<i64: 0>,{{.*}} start_index_map = array<i64: 1, 2>}
// CHECK: train.gather %[[Z]], %{{.*}} {collapsed_slice_dims = array<i64: 1>,{{.*}} operand_batching_dims = array<i64: 0>,{{.*}} start_index_map = array<i64: 1>}
func.func @loss(%x: tensor<6x8x5xf32> {zcc.parameter = "x"}, %y: tensor<4x2xi32> {zcc.input = "y"}, %z: tensor<4x4xf32> {zcc.parameter = "z"}) -> (tensor<4xf32>, tensor<4xf32>) {
  %row = train.iota {dim = 0 : i64} : () -> tensor<4x1xi32>
  %one = train.constant dense<1> : tensor<4x1xi32>
  %next = train.add %row, %one : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x1xi32>
  %triples = train.concatenate %next, %y {dim = 1 : i64} : (tensor<4x1xi32>, tensor<4x2xi32>) -> tensor<4x3xi32>
  %picked = train.gather %x, %triples {offset_dims = array<i64>, collapsed_slice_dims = array<i64: 0, 1, 2>, operand_batching_dims = array<i64>, indices_batching_dims = array<i64>, start_index_map = array<i64: 0, 1, 2>, index_vector_dim = 1 : i64, slice_sizes = array<i64: 1, 1, 1>} : (tensor<6x8x5xf32>, tensor<4x3xi32>) -> tensor<4xf32>
  %twice = train.concatenate %row, %row {dim = 1 : i64} : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x2xi32>
  %diagonal = train.gather %z, %twice {offset_dims = array<i64>, collapsed_slice_dims = array<i64: 0, 1>, operand_batching_dims = array<i64>, indices_batching_dims = array<i64>, start_index_map = array<i64: 0, 1>, index_vector_dim = 1 : i64, slice_sizes = array<i64: 1, 1>} : (tensor<4x4xf32>, tensor<4x2xi32>) -> tensor<4xf32>
  return %picked, %diagonal : tensor<4xf32>, tensor<4xf32>
}

// -----
// Rows in order are a slice; read column by column they are transposed; a dim that counts nothing is a copy.
// CHECK-LABEL: func.func @loss
// CHECK-SAME: %[[T:.*]]: tensor<9x3xf32>
// CHECK-DAG: %[[ROWS:.*]] = train.slice %[[T]] {limit = array<i64: 4, 3>, start = array<i64: 0, 0>
// CHECK-DAG: train.broadcast_in_dim %[[ROWS]] {dims = array<i64: 1, 2>} : (tensor<4x3xf32>) -> tensor<2x4x3xf32>
// CHECK-DAG: %[[TURNED:.*]] = train.transpose %[[T]]
// CHECK-DAG: train.broadcast_in_dim %[[TURNED]] {dims = array<i64: 0, 1>} : (tensor<3x9xf32>) -> tensor<3x9xf32>
// CHECK-NOT: train.gather
func.func @loss(%t: tensor<9x3xf32> {zcc.parameter = "t"}) -> (tensor<2x4x3xf32>, tensor<3x9xf32>) {
  %i = train.iota {dim = 1 : i64} : () -> tensor<2x4x1xi32>
  %rows = train.gather %t, %i {offset_dims = array<i64: 2>, collapsed_slice_dims = array<i64: 0>, operand_batching_dims = array<i64>, indices_batching_dims = array<i64>, start_index_map = array<i64: 0>, index_vector_dim = 2 : i64, slice_sizes = array<i64: 1, 3>} : (tensor<9x3xf32>, tensor<2x4x1xi32>) -> tensor<2x4x3xf32>
  %a = train.iota {dim = 1 : i64} : () -> tensor<3x9x1xi32>
  %b = train.iota {dim = 0 : i64} : () -> tensor<3x9x1xi32>
  %ab = train.concatenate %a, %b {dim = 2 : i64} : (tensor<3x9x1xi32>, tensor<3x9x1xi32>) -> tensor<3x9x2xi32>
  %turned = train.gather %t, %ab {offset_dims = array<i64>, collapsed_slice_dims = array<i64: 0, 1>, operand_batching_dims = array<i64>, indices_batching_dims = array<i64>, start_index_map = array<i64: 0, 1>, index_vector_dim = 2 : i64, slice_sizes = array<i64: 1, 1>} : (tensor<9x3xf32>, tensor<3x9x2xi32>) -> tensor<3x9xf32>
  return %rows, %turned : tensor<2x4x3xf32>, tensor<3x9xf32>
}

// -----
// Only scatter entries that go through the whole dim count. Indices that may leave the table are clamped: not counted.
// CHECK-LABEL: func.func @loss
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>{{.*}}, %[[Y:.*]]: tensor<4x1xi32>{{.*}}, %[[U:.*]]: tensor<4xf32>
// CHECK: train.scatter %[[X]], %[[Y]], %[[U]] {{{.*}} indices_batching_dims = array<i64: 0>, inserted_window_dims = array<i64: 1>, kind = #train<reduce_kind add>, operand_batching_dims = array<i64: 0>, operand_dims_map = array<i64: 1>
// CHECK: train.scatter {{.*}} operand_batching_dims = array<i64>,
// CHECK: train.gather {{.*}} operand_batching_dims = array<i64>,
func.func @loss(%x: tensor<4x8xf32> {zcc.parameter = "x"}, %y: tensor<4x1xi32> {zcc.input = "y"}, %u: tensor<4xf32> {zcc.parameter = "u"}, %z: tensor<5x8xf32> {zcc.parameter = "z"}) -> (tensor<4x8xf32>, tensor<5x8xf32>, tensor<4xf32>) {
  %row = train.iota {dim = 0 : i64} : () -> tensor<4x1xi32>
  %pairs = train.concatenate %row, %y {dim = 1 : i64} : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x2xi32>
  %added = train.scatter %x, %pairs, %u {update_window_dims = array<i64>, inserted_window_dims = array<i64: 0, 1>, operand_batching_dims = array<i64>, indices_batching_dims = array<i64>, operand_dims_map = array<i64: 0, 1>, index_vector_dim = 1 : i64, kind = #train<reduce_kind add>} : (tensor<4x8xf32>, tensor<4x2xi32>, tensor<4xf32>) -> tensor<4x8xf32>
  %some = train.scatter %z, %pairs, %u {update_window_dims = array<i64>, inserted_window_dims = array<i64: 0, 1>, operand_batching_dims = array<i64>, indices_batching_dims = array<i64>, operand_dims_map = array<i64: 0, 1>, index_vector_dim = 1 : i64, kind = #train<reduce_kind add>} : (tensor<5x8xf32>, tensor<4x2xi32>, tensor<4xf32>) -> tensor<5x8xf32>
  %one = train.constant dense<1> : tensor<4x1xi32>
  %next = train.add %row, %one : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x1xi32>
  %beyond = train.concatenate %next, %y {dim = 1 : i64} : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x2xi32>
  %clamped = train.gather %x, %beyond {offset_dims = array<i64>, collapsed_slice_dims = array<i64: 0, 1>, operand_batching_dims = array<i64>, indices_batching_dims = array<i64>, start_index_map = array<i64: 0, 1>, index_vector_dim = 1 : i64, slice_sizes = array<i64: 1, 1>} : (tensor<4x8xf32>, tensor<4x2xi32>) -> tensor<4xf32>
  return %added, %some, %clamped : tensor<4x8xf32>, tensor<5x8xf32>, tensor<4xf32>
}

// -----
// A scatter without entries has none that count.
// CHECK-LABEL: func.func @loss
// CHECK: train.scatter {{.*}} operand_dims_map = array<i64>
func.func @loss(%x: tensor<4x8xf32> {zcc.parameter = "x"}, %u: tensor<4x8xf32> {zcc.parameter = "u"}) -> tensor<4x8xf32> {
  %none = train.constant dense<> : tensor<0xi32>
  %set = train.scatter %x, %none, %u {update_window_dims = array<i64: 0, 1>, inserted_window_dims = array<i64>, operand_batching_dims = array<i64>, indices_batching_dims = array<i64>, operand_dims_map = array<i64>, index_vector_dim = 0 : i64, kind = #train<reduce_kind replace>} : (tensor<4x8xf32>, tensor<0xi32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %set : tensor<4x8xf32>
}

// -----
// All entries count, beside dims of extent 1 (transformers' masks of padding): nothing is looked up.
// CHECK-LABEL: func.func @loss
// CHECK-NOT: train.gather
// CHECK: %[[R:.+]] = train.broadcast_in_dim %arg0 {dims = array<i64: 0, 3>} : (tensor<8x16xi1>) -> tensor<8x1x1x16xi1>
// CHECK: return %[[R]]
func.func @loss(%m: tensor<8x16xi1> {zcc.input = "m"}) -> tensor<8x1x1x16xi1> {
  %row = train.iota {dim = 0 : i64} : () -> tensor<8x1x1x1xi64>
  %flat = train.reshape %row : (tensor<8x1x1x1xi64>) -> tensor<8x1x1xi64>
  %rows = train.broadcast_in_dim %flat {dims = array<i64: 0, 1, 2>} : (tensor<8x1x1xi64>) -> tensor<8x1x1x16xi64>
  %first = train.reshape %rows : (tensor<8x1x1x16xi64>) -> tensor<8x1x1x16x1xi64>
  %second = train.iota {dim = 3 : i64} : () -> tensor<8x1x1x16x1xi64>
  %pairs = train.concatenate %first, %second {dim = 4 : i64} : (tensor<8x1x1x16x1xi64>, tensor<8x1x1x16x1xi64>) -> tensor<8x1x1x16x2xi64>
  %g = train.gather %m, %pairs {offset_dims = array<i64>, collapsed_slice_dims = array<i64: 0, 1>, operand_batching_dims = array<i64>, indices_batching_dims = array<i64>, start_index_map = array<i64: 0, 1>, index_vector_dim = 4 : i64, slice_sizes = array<i64: 1, 1>} : (tensor<8x16xi1>, tensor<8x1x1x16x2xi64>) -> tensor<8x1x1x16xi1>
  return %g : tensor<8x1x1x16xi1>
}

// -----
// The last rows of a table, up to its end (positions behind a context).
// CHECK-LABEL: func.func @loss
// CHECK: %[[R:.+]] = train.slice %arg0 {limit = array<i64: 12, 8>, start = array<i64: 8, 0>, stride = array<i64: 1, 1>} : (tensor<12x8xf32>) -> tensor<4x8xf32>
// CHECK-NOT: train.gather
func.func @loss(%t: tensor<12x8xf32> {zcc.parameter = "t"}) -> tensor<4x8xf32> {
  %row = train.iota {dim = 0 : i64} : () -> tensor<4x1xi32>
  %eight = train.constant dense<8> : tensor<4x1xi32>
  %at = train.add %row, %eight : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x1xi32>
  %g = train.gather %t, %at {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>, operand_batching_dims = array<i64>, indices_batching_dims = array<i64>, start_index_map = array<i64: 0>, index_vector_dim = 1 : i64, slice_sizes = array<i64: 1, 8>} : (tensor<12x8xf32>, tensor<4x1xi32>) -> tensor<4x8xf32>
  return %g : tensor<4x8xf32>
}
