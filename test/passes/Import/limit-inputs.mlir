// Integer inputs get the bounds of what they index.
// RUN: zcc-opt %s --split-input-file --zcc-limit-inputs | FileCheck %s

// Negative indices are counted from the end; the smaller table bounds.
// CHECK-LABEL: func.func @loss
// CHECK-SAME: zcc.input = "x", zcc.limit = array<i64: -256, 256>
// CHECK-SAME: zcc.input = "y", zcc.limit = array<i64: 0, 8>
// CHECK-SAME: %{{[a-z0-9]+}}: tensor<4xi32> {zcc.input = "replaced"}
func.func @loss(%x: tensor<4xi32> {zcc.input = "x"}, %y: tensor<4xi64> {zcc.input = "y"}, %m: tensor<4xi32> {zcc.input = "replaced"},
                %t: tensor<256x8xf32> {zcc.parameter = "t"}, %s: tensor<300x8xf32> {zcc.parameter = "s"}) -> tensor<4xf32> {
  %zero = train.constant dense<0> : tensor<4xi32>
  %n = train.constant dense<256> : tensor<4xi32>
  %negative = train.compare %x, %zero {direction = #train<compare_direction LT>} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  %sum = train.add %x, %n : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %wrapped = train.select %negative, %sum, %x : (tensor<4xi1>, tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %i = train.reshape %wrapped : (tensor<4xi32>) -> tensor<4x1xi32>
  %rows = train.gather %t, %i {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>, operand_batching_dims = array<i64>, indices_batching_dims = array<i64>, start_index_map = array<i64: 0>, index_vector_dim = 1 : i64, slice_sizes = array<i64: 1, 8>} : (tensor<256x8xf32>, tensor<4x1xi32>) -> tensor<4x8xf32>
  %more = train.gather %s, %i {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>, operand_batching_dims = array<i64>, indices_batching_dims = array<i64>, start_index_map = array<i64: 0>, index_vector_dim = 1 : i64, slice_sizes = array<i64: 1, 8>} : (tensor<300x8xf32>, tensor<4x1xi32>) -> tensor<4x8xf32>
  %both = train.add %rows, %more : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  // Labels: pairs of a row and a column.
  %row = train.iota {dim = 0 : i64} : () -> tensor<4x1xi32>
  %label = train.convert %y : (tensor<4xi64>) -> tensor<4xi32>
  %column = train.broadcast_in_dim %label {dims = array<i64: 0>} : (tensor<4xi32>) -> tensor<4x1xi32>
  %pairs = train.concatenate %row, %column {dim = 1 : i64} : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x2xi32>
  %picked = train.gather %both, %pairs {offset_dims = array<i64>, collapsed_slice_dims = array<i64: 0, 1>, operand_batching_dims = array<i64>, indices_batching_dims = array<i64>, start_index_map = array<i64: 0, 1>, index_vector_dim = 1 : i64, slice_sizes = array<i64: 1, 1>} : (tensor<4x8xf32>, tensor<4x2xi32>) -> tensor<4xf32>
  // An index that is replaced before its use has no limits.
  %unknown = train.compare %m, %zero {direction = #train<compare_direction LT>} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  %known = train.select %unknown, %zero, %m : (tensor<4xi1>, tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %k = train.reshape %known : (tensor<4xi32>) -> tensor<4x1xi32>
  %other = train.gather %picked, %k {offset_dims = array<i64>, collapsed_slice_dims = array<i64: 0>, operand_batching_dims = array<i64>, indices_batching_dims = array<i64>, start_index_map = array<i64: 0>, index_vector_dim = 1 : i64, slice_sizes = array<i64: 1>} : (tensor<4xf32>, tensor<4x1xi32>) -> tensor<4xf32>
  return %other : tensor<4xf32>
}

// -----
// Columns of their own tables: the widest bound; one column unbounded: none.
// CHECK-LABEL: func.func @loss
// CHECK-SAME: zcc.input = "a", zcc.limit = array<i64: 0, 30>
// CHECK-SAME: %{{[a-z0-9]+}}: tensor<4x3xi32> {zcc.input = "b"}
func.func @loss(%a: tensor<4x2xi32> {zcc.input = "a"}, %b: tensor<4x3xi32> {zcc.input = "b"}, %t: tensor<20xf32> {zcc.parameter = "t"}, %s: tensor<30xf32> {zcc.parameter = "s"}) -> (tensor<4xf32>, tensor<4xf32>, tensor<4x2xf32>) {
  %a0 = train.slice %a {start = array<i64: 0, 0>, limit = array<i64: 4, 1>, stride = array<i64: 1, 1>} : (tensor<4x2xi32>) -> tensor<4x1xi32>
  %a1 = train.slice %a {start = array<i64: 0, 1>, limit = array<i64: 4, 2>, stride = array<i64: 1, 1>} : (tensor<4x2xi32>) -> tensor<4x1xi32>
  %b0 = train.slice %b {start = array<i64: 0, 0>, limit = array<i64: 4, 2>, stride = array<i64: 1, 1>} : (tensor<4x3xi32>) -> tensor<4x2xi32>
  %0 = train.gather %t, %a0 {offset_dims = array<i64>, collapsed_slice_dims = array<i64: 0>, operand_batching_dims = array<i64>, indices_batching_dims = array<i64>, start_index_map = array<i64: 0>, index_vector_dim = 1 : i64, slice_sizes = array<i64: 1>} : (tensor<20xf32>, tensor<4x1xi32>) -> tensor<4xf32>
  %1 = train.gather %s, %a1 {offset_dims = array<i64>, collapsed_slice_dims = array<i64: 0>, operand_batching_dims = array<i64>, indices_batching_dims = array<i64>, start_index_map = array<i64: 0>, index_vector_dim = 1 : i64, slice_sizes = array<i64: 1>} : (tensor<30xf32>, tensor<4x1xi32>) -> tensor<4xf32>
  %2 = train.gather %s, %b0 {offset_dims = array<i64>, collapsed_slice_dims = array<i64: 0>, operand_batching_dims = array<i64>, indices_batching_dims = array<i64>, start_index_map = array<i64: 0>, index_vector_dim = 2 : i64, slice_sizes = array<i64: 1>} : (tensor<30xf32>, tensor<4x2xi32>) -> tensor<4x2xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4x2xf32>
}
