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

// -----
// Labels whose picks the loss replaces, as by 0 where they are -100, may be anything; NaN in place of a pick is no such
// value, and a label that is also picked elsewhere has its bound.
// CHECK-LABEL: func.func @loss
// CHECK-SAME: %{{[a-z0-9]+}}: tensor<4xi32> {zcc.input = "masked"}
// CHECK-SAME: zcc.input = "filled", zcc.limit = array<i64: 0, 20>
// CHECK-SAME: zcc.input = "summed", zcc.limit = array<i64: 0, 20>
func.func @loss(%a: tensor<4xi32> {zcc.input = "masked"}, %b: tensor<4xi32> {zcc.input = "filled"}, %c: tensor<4xi32> {zcc.input = "summed"},
                %t: tensor<20xf32> {zcc.parameter = "t"}) -> (tensor<4xf32>, tensor<4xf32>, tensor<f32>) {
  %ignored = train.constant dense<-100> : tensor<4xi32>
  %zero = train.constant dense<0.0> : tensor<4xf32>
  %nan = train.constant dense<0x7FC00000> : tensor<4xf32>
  %is = train.compare %a, %ignored {direction = #train<compare_direction EQ>} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  %ia = train.reshape %a : (tensor<4xi32>) -> tensor<4x1xi32>
  %pa = train.gather %t, %ia {offset_dims = array<i64>, collapsed_slice_dims = array<i64: 0>, operand_batching_dims = array<i64>, indices_batching_dims = array<i64>, start_index_map = array<i64: 0>, index_vector_dim = 1 : i64, slice_sizes = array<i64: 1>} : (tensor<20xf32>, tensor<4x1xi32>) -> tensor<4xf32>
  %fa = train.select %is, %nan, %pa : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %na = train.negate %fa : (tensor<4xf32>) -> tensor<4xf32>
  %ra = train.select %is, %zero, %na : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %below = train.compare %b, %ignored {direction = #train<compare_direction EQ>} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  %ib = train.reshape %b : (tensor<4xi32>) -> tensor<4x1xi32>
  %pb = train.gather %t, %ib {offset_dims = array<i64>, collapsed_slice_dims = array<i64: 0>, operand_batching_dims = array<i64>, indices_batching_dims = array<i64>, start_index_map = array<i64: 0>, index_vector_dim = 1 : i64, slice_sizes = array<i64: 1>} : (tensor<20xf32>, tensor<4x1xi32>) -> tensor<4xf32>
  %rb = train.select %below, %nan, %pb : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %out = train.compare %c, %ignored {direction = #train<compare_direction EQ>} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  %ic = train.reshape %c : (tensor<4xi32>) -> tensor<4x1xi32>
  %pc = train.gather %t, %ic {offset_dims = array<i64>, collapsed_slice_dims = array<i64: 0>, operand_batching_dims = array<i64>, indices_batching_dims = array<i64>, start_index_map = array<i64: 0>, index_vector_dim = 1 : i64, slice_sizes = array<i64: 1>} : (tensor<20xf32>, tensor<4x1xi32>) -> tensor<4xf32>
  %rc = train.select %out, %zero, %pc : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %sum = train.reduce %pc {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<4xf32>) -> tensor<f32>
  return %ra, %rb, %sum : tensor<4xf32>, tensor<4xf32>, tensor<f32>
}
