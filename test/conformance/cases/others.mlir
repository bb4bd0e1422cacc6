// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Movement, reductions, products and access at computed places: an op a kernel.
func.func @constant_f32() -> (tensor<3xf32>) {
  %r = train.constant dense<[1.5, -2.0, 3.0]> : tensor<3xf32>
  return %r : tensor<3xf32>
}
func.func @broadcast_f32(%a: tensor<3x1xf32>) -> (tensor<2x3x5xf32>) {
  %r = train.broadcast_in_dim %a {dims = array<i64: 1, 2>} : (tensor<3x1xf32>) -> tensor<2x3x5xf32>
  return %r : tensor<2x3x5xf32>
}
func.func @reshape_f32(%a: tensor<6x10xf32>) -> (tensor<4x15xf32>) {
  %r = train.reshape %a : (tensor<6x10xf32>) -> tensor<4x15xf32>
  return %r : tensor<4x15xf32>
}
func.func @transpose_f32(%a: tensor<3x4x5xf32>) -> (tensor<5x3x4xf32>) {
  %r = train.transpose %a {permutation = array<i64: 2, 0, 1>} : (tensor<3x4x5xf32>) -> tensor<5x3x4xf32>
  return %r : tensor<5x3x4xf32>
}
func.func @slice_f32(%a: tensor<9x10xf32>) -> (tensor<3x4xf32>) {
  %r = train.slice %a {start = array<i64: 1, 2>, limit = array<i64: 8, 10>, stride = array<i64: 3, 2>} : (tensor<9x10xf32>) -> tensor<3x4xf32>
  return %r : tensor<3x4xf32>
}
func.func @pad_f32(%a: tensor<3x5xf32>, %b: tensor<f32>) -> (tensor<8x4xf32>) {
  %r = train.pad %a, %b {low = array<i64: 1, -2>, high = array<i64: 2, 1>, interior = array<i64: 1, 0>} : (tensor<3x5xf32>, tensor<f32>) -> tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}
func.func @concatenate_f32(%a: tensor<3x2xf32>, %b: tensor<3x4xf32>, %c: tensor<3x1xf32>) -> (tensor<3x7xf32>) {
  %r = train.concatenate %a, %b, %c {dim = 1 : i64} : (tensor<3x2xf32>, tensor<3x4xf32>, tensor<3x1xf32>) -> tensor<3x7xf32>
  return %r : tensor<3x7xf32>
}
func.func @reverse_f32(%a: tensor<4x5xf32>) -> (tensor<4x5xf32>) {
  %r = train.reverse %a {dims = array<i64: 0, 1>} : (tensor<4x5xf32>) -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}
func.func @dynamic_slice_f32(%a: tensor<40x9xf32>, %b: tensor<i32>, %c: tensor<i32>) -> (tensor<8x4xf32>) {
  %r = train.dynamic_slice %a, %b, %c {sizes = array<i64: 8, 4>} : (tensor<40x9xf32>, tensor<i32>, tensor<i32>) -> tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}
func.func @dynamic_update_slice_f32(%a: tensor<40x9xf32>, %b: tensor<8x4xf32>, %c: tensor<i32>, %d: tensor<i32>) -> (tensor<40x9xf32>) {
  %r = train.dynamic_update_slice %a, %b, %c, %d  : (tensor<40x9xf32>, tensor<8x4xf32>, tensor<i32>, tensor<i32>) -> tensor<40x9xf32>
  return %r : tensor<40x9xf32>
}
func.func @gather_f32(%a: tensor<37x6xf32>, %b: tensor<5x4x1xi32>) -> (tensor<5x4x6xf32>) {
  %r = train.gather %a, %b {offset_dims = array<i64: 2>, collapsed_slice_dims = array<i64: 0>, operand_batching_dims = array<i64>, indices_batching_dims = array<i64>, start_index_map = array<i64: 0>, index_vector_dim = 2 : i64, slice_sizes = array<i64: 1, 6>} : (tensor<37x6xf32>, tensor<5x4x1xi32>) -> tensor<5x4x6xf32>
  return %r : tensor<5x4x6xf32>
}
func.func @constant_bf16() -> (tensor<3xbf16>) {
  %r = train.constant dense<[1.5, -2.0, 3.0]> : tensor<3xbf16>
  return %r : tensor<3xbf16>
}
func.func @broadcast_bf16(%a: tensor<3x1xbf16>) -> (tensor<2x3x5xbf16>) {
  %r = train.broadcast_in_dim %a {dims = array<i64: 1, 2>} : (tensor<3x1xbf16>) -> tensor<2x3x5xbf16>
  return %r : tensor<2x3x5xbf16>
}
func.func @reshape_bf16(%a: tensor<6x10xbf16>) -> (tensor<4x15xbf16>) {
  %r = train.reshape %a : (tensor<6x10xbf16>) -> tensor<4x15xbf16>
  return %r : tensor<4x15xbf16>
}
func.func @transpose_bf16(%a: tensor<3x4x5xbf16>) -> (tensor<5x3x4xbf16>) {
  %r = train.transpose %a {permutation = array<i64: 2, 0, 1>} : (tensor<3x4x5xbf16>) -> tensor<5x3x4xbf16>
  return %r : tensor<5x3x4xbf16>
}
func.func @slice_bf16(%a: tensor<9x10xbf16>) -> (tensor<3x4xbf16>) {
  %r = train.slice %a {start = array<i64: 1, 2>, limit = array<i64: 8, 10>, stride = array<i64: 3, 2>} : (tensor<9x10xbf16>) -> tensor<3x4xbf16>
  return %r : tensor<3x4xbf16>
}
func.func @pad_bf16(%a: tensor<3x5xbf16>, %b: tensor<bf16>) -> (tensor<8x4xbf16>) {
  %r = train.pad %a, %b {low = array<i64: 1, -2>, high = array<i64: 2, 1>, interior = array<i64: 1, 0>} : (tensor<3x5xbf16>, tensor<bf16>) -> tensor<8x4xbf16>
  return %r : tensor<8x4xbf16>
}
func.func @concatenate_bf16(%a: tensor<3x2xbf16>, %b: tensor<3x4xbf16>, %c: tensor<3x1xbf16>) -> (tensor<3x7xbf16>) {
  %r = train.concatenate %a, %b, %c {dim = 1 : i64} : (tensor<3x2xbf16>, tensor<3x4xbf16>, tensor<3x1xbf16>) -> tensor<3x7xbf16>
  return %r : tensor<3x7xbf16>
}
func.func @reverse_bf16(%a: tensor<4x5xbf16>) -> (tensor<4x5xbf16>) {
  %r = train.reverse %a {dims = array<i64: 0, 1>} : (tensor<4x5xbf16>) -> tensor<4x5xbf16>
  return %r : tensor<4x5xbf16>
}
func.func @dynamic_slice_bf16(%a: tensor<40x9xbf16>, %b: tensor<i32>, %c: tensor<i32>) -> (tensor<8x4xbf16>) {
  %r = train.dynamic_slice %a, %b, %c {sizes = array<i64: 8, 4>} : (tensor<40x9xbf16>, tensor<i32>, tensor<i32>) -> tensor<8x4xbf16>
  return %r : tensor<8x4xbf16>
}
func.func @dynamic_update_slice_bf16(%a: tensor<40x9xbf16>, %b: tensor<8x4xbf16>, %c: tensor<i32>, %d: tensor<i32>) -> (tensor<40x9xbf16>) {
  %r = train.dynamic_update_slice %a, %b, %c, %d  : (tensor<40x9xbf16>, tensor<8x4xbf16>, tensor<i32>, tensor<i32>) -> tensor<40x9xbf16>
  return %r : tensor<40x9xbf16>
}
func.func @gather_bf16(%a: tensor<37x6xbf16>, %b: tensor<5x4x1xi32>) -> (tensor<5x4x6xbf16>) {
  %r = train.gather %a, %b {offset_dims = array<i64: 2>, collapsed_slice_dims = array<i64: 0>, operand_batching_dims = array<i64>, indices_batching_dims = array<i64>, start_index_map = array<i64: 0>, index_vector_dim = 2 : i64, slice_sizes = array<i64: 1, 6>} : (tensor<37x6xbf16>, tensor<5x4x1xi32>) -> tensor<5x4x6xbf16>
  return %r : tensor<5x4x6xbf16>
}
func.func @constant_f64() -> (tensor<3xf64>) {
  %r = train.constant dense<[1.5, -2.0, 3.0]> : tensor<3xf64>
  return %r : tensor<3xf64>
}
func.func @broadcast_f64(%a: tensor<3x1xf64>) -> (tensor<2x3x5xf64>) {
  %r = train.broadcast_in_dim %a {dims = array<i64: 1, 2>} : (tensor<3x1xf64>) -> tensor<2x3x5xf64>
  return %r : tensor<2x3x5xf64>
}
func.func @reshape_f64(%a: tensor<6x10xf64>) -> (tensor<4x15xf64>) {
  %r = train.reshape %a : (tensor<6x10xf64>) -> tensor<4x15xf64>
  return %r : tensor<4x15xf64>
}
func.func @transpose_f64(%a: tensor<3x4x5xf64>) -> (tensor<5x3x4xf64>) {
  %r = train.transpose %a {permutation = array<i64: 2, 0, 1>} : (tensor<3x4x5xf64>) -> tensor<5x3x4xf64>
  return %r : tensor<5x3x4xf64>
}
func.func @slice_f64(%a: tensor<9x10xf64>) -> (tensor<3x4xf64>) {
  %r = train.slice %a {start = array<i64: 1, 2>, limit = array<i64: 8, 10>, stride = array<i64: 3, 2>} : (tensor<9x10xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
func.func @pad_f64(%a: tensor<3x5xf64>, %b: tensor<f64>) -> (tensor<8x4xf64>) {
  %r = train.pad %a, %b {low = array<i64: 1, -2>, high = array<i64: 2, 1>, interior = array<i64: 1, 0>} : (tensor<3x5xf64>, tensor<f64>) -> tensor<8x4xf64>
  return %r : tensor<8x4xf64>
}
func.func @concatenate_f64(%a: tensor<3x2xf64>, %b: tensor<3x4xf64>, %c: tensor<3x1xf64>) -> (tensor<3x7xf64>) {
  %r = train.concatenate %a, %b, %c {dim = 1 : i64} : (tensor<3x2xf64>, tensor<3x4xf64>, tensor<3x1xf64>) -> tensor<3x7xf64>
  return %r : tensor<3x7xf64>
}
func.func @reverse_f64(%a: tensor<4x5xf64>) -> (tensor<4x5xf64>) {
  %r = train.reverse %a {dims = array<i64: 0, 1>} : (tensor<4x5xf64>) -> tensor<4x5xf64>
  return %r : tensor<4x5xf64>
}
func.func @dynamic_slice_f64(%a: tensor<40x9xf64>, %b: tensor<i32>, %c: tensor<i32>) -> (tensor<8x4xf64>) {
  %r = train.dynamic_slice %a, %b, %c {sizes = array<i64: 8, 4>} : (tensor<40x9xf64>, tensor<i32>, tensor<i32>) -> tensor<8x4xf64>
  return %r : tensor<8x4xf64>
}
func.func @dynamic_update_slice_f64(%a: tensor<40x9xf64>, %b: tensor<8x4xf64>, %c: tensor<i32>, %d: tensor<i32>) -> (tensor<40x9xf64>) {
  %r = train.dynamic_update_slice %a, %b, %c, %d  : (tensor<40x9xf64>, tensor<8x4xf64>, tensor<i32>, tensor<i32>) -> tensor<40x9xf64>
  return %r : tensor<40x9xf64>
}
func.func @gather_f64(%a: tensor<37x6xf64>, %b: tensor<5x4x1xi32>) -> (tensor<5x4x6xf64>) {
  %r = train.gather %a, %b {offset_dims = array<i64: 2>, collapsed_slice_dims = array<i64: 0>, operand_batching_dims = array<i64>, indices_batching_dims = array<i64>, start_index_map = array<i64: 0>, index_vector_dim = 2 : i64, slice_sizes = array<i64: 1, 6>} : (tensor<37x6xf64>, tensor<5x4x1xi32>) -> tensor<5x4x6xf64>
  return %r : tensor<5x4x6xf64>
}
func.func @constant_i32() -> (tensor<3xi32>) {
  %r = train.constant dense<[1, -2, 3]> : tensor<3xi32>
  return %r : tensor<3xi32>
}
func.func @broadcast_i32(%a: tensor<3x1xi32>) -> (tensor<2x3x5xi32>) {
  %r = train.broadcast_in_dim %a {dims = array<i64: 1, 2>} : (tensor<3x1xi32>) -> tensor<2x3x5xi32>
  return %r : tensor<2x3x5xi32>
}
func.func @reshape_i32(%a: tensor<6x10xi32>) -> (tensor<4x15xi32>) {
  %r = train.reshape %a : (tensor<6x10xi32>) -> tensor<4x15xi32>
  return %r : tensor<4x15xi32>
}
func.func @transpose_i32(%a: tensor<3x4x5xi32>) -> (tensor<5x3x4xi32>) {
  %r = train.transpose %a {permutation = array<i64: 2, 0, 1>} : (tensor<3x4x5xi32>) -> tensor<5x3x4xi32>
  return %r : tensor<5x3x4xi32>
}
func.func @slice_i32(%a: tensor<9x10xi32>) -> (tensor<3x4xi32>) {
  %r = train.slice %a {start = array<i64: 1, 2>, limit = array<i64: 8, 10>, stride = array<i64: 3, 2>} : (tensor<9x10xi32>) -> tensor<3x4xi32>
  return %r : tensor<3x4xi32>
}
func.func @pad_i32(%a: tensor<3x5xi32>, %b: tensor<i32>) -> (tensor<8x4xi32>) {
  %r = train.pad %a, %b {low = array<i64: 1, -2>, high = array<i64: 2, 1>, interior = array<i64: 1, 0>} : (tensor<3x5xi32>, tensor<i32>) -> tensor<8x4xi32>
  return %r : tensor<8x4xi32>
}
func.func @concatenate_i32(%a: tensor<3x2xi32>, %b: tensor<3x4xi32>, %c: tensor<3x1xi32>) -> (tensor<3x7xi32>) {
  %r = train.concatenate %a, %b, %c {dim = 1 : i64} : (tensor<3x2xi32>, tensor<3x4xi32>, tensor<3x1xi32>) -> tensor<3x7xi32>
  return %r : tensor<3x7xi32>
}
func.func @reverse_i32(%a: tensor<4x5xi32>) -> (tensor<4x5xi32>) {
  %r = train.reverse %a {dims = array<i64: 0, 1>} : (tensor<4x5xi32>) -> tensor<4x5xi32>
  return %r : tensor<4x5xi32>
}
func.func @dynamic_slice_i32(%a: tensor<40x9xi32>, %b: tensor<i32>, %c: tensor<i32>) -> (tensor<8x4xi32>) {
  %r = train.dynamic_slice %a, %b, %c {sizes = array<i64: 8, 4>} : (tensor<40x9xi32>, tensor<i32>, tensor<i32>) -> tensor<8x4xi32>
  return %r : tensor<8x4xi32>
}
func.func @dynamic_update_slice_i32(%a: tensor<40x9xi32>, %b: tensor<8x4xi32>, %c: tensor<i32>, %d: tensor<i32>) -> (tensor<40x9xi32>) {
  %r = train.dynamic_update_slice %a, %b, %c, %d  : (tensor<40x9xi32>, tensor<8x4xi32>, tensor<i32>, tensor<i32>) -> tensor<40x9xi32>
  return %r : tensor<40x9xi32>
}
func.func @gather_i32(%a: tensor<37x6xi32>, %b: tensor<5x4x1xi32>) -> (tensor<5x4x6xi32>) {
  %r = train.gather %a, %b {offset_dims = array<i64: 2>, collapsed_slice_dims = array<i64: 0>, operand_batching_dims = array<i64>, indices_batching_dims = array<i64>, start_index_map = array<i64: 0>, index_vector_dim = 2 : i64, slice_sizes = array<i64: 1, 6>} : (tensor<37x6xi32>, tensor<5x4x1xi32>) -> tensor<5x4x6xi32>
  return %r : tensor<5x4x6xi32>
}
func.func @constant_i8() -> (tensor<3xi8>) {
  %r = train.constant dense<[1, -2, 3]> : tensor<3xi8>
  return %r : tensor<3xi8>
}
func.func @broadcast_i8(%a: tensor<3x1xi8>) -> (tensor<2x3x5xi8>) {
  %r = train.broadcast_in_dim %a {dims = array<i64: 1, 2>} : (tensor<3x1xi8>) -> tensor<2x3x5xi8>
  return %r : tensor<2x3x5xi8>
}
func.func @reshape_i8(%a: tensor<6x10xi8>) -> (tensor<4x15xi8>) {
  %r = train.reshape %a : (tensor<6x10xi8>) -> tensor<4x15xi8>
  return %r : tensor<4x15xi8>
}
func.func @transpose_i8(%a: tensor<3x4x5xi8>) -> (tensor<5x3x4xi8>) {
  %r = train.transpose %a {permutation = array<i64: 2, 0, 1>} : (tensor<3x4x5xi8>) -> tensor<5x3x4xi8>
  return %r : tensor<5x3x4xi8>
}
func.func @slice_i8(%a: tensor<9x10xi8>) -> (tensor<3x4xi8>) {
  %r = train.slice %a {start = array<i64: 1, 2>, limit = array<i64: 8, 10>, stride = array<i64: 3, 2>} : (tensor<9x10xi8>) -> tensor<3x4xi8>
  return %r : tensor<3x4xi8>
}
func.func @pad_i8(%a: tensor<3x5xi8>, %b: tensor<i8>) -> (tensor<8x4xi8>) {
  %r = train.pad %a, %b {low = array<i64: 1, -2>, high = array<i64: 2, 1>, interior = array<i64: 1, 0>} : (tensor<3x5xi8>, tensor<i8>) -> tensor<8x4xi8>
  return %r : tensor<8x4xi8>
}
func.func @concatenate_i8(%a: tensor<3x2xi8>, %b: tensor<3x4xi8>, %c: tensor<3x1xi8>) -> (tensor<3x7xi8>) {
  %r = train.concatenate %a, %b, %c {dim = 1 : i64} : (tensor<3x2xi8>, tensor<3x4xi8>, tensor<3x1xi8>) -> tensor<3x7xi8>
  return %r : tensor<3x7xi8>
}
func.func @reverse_i8(%a: tensor<4x5xi8>) -> (tensor<4x5xi8>) {
  %r = train.reverse %a {dims = array<i64: 0, 1>} : (tensor<4x5xi8>) -> tensor<4x5xi8>
  return %r : tensor<4x5xi8>
}
func.func @dynamic_slice_i8(%a: tensor<40x9xi8>, %b: tensor<i32>, %c: tensor<i32>) -> (tensor<8x4xi8>) {
  %r = train.dynamic_slice %a, %b, %c {sizes = array<i64: 8, 4>} : (tensor<40x9xi8>, tensor<i32>, tensor<i32>) -> tensor<8x4xi8>
  return %r : tensor<8x4xi8>
}
func.func @dynamic_update_slice_i8(%a: tensor<40x9xi8>, %b: tensor<8x4xi8>, %c: tensor<i32>, %d: tensor<i32>) -> (tensor<40x9xi8>) {
  %r = train.dynamic_update_slice %a, %b, %c, %d  : (tensor<40x9xi8>, tensor<8x4xi8>, tensor<i32>, tensor<i32>) -> tensor<40x9xi8>
  return %r : tensor<40x9xi8>
}
func.func @gather_i8(%a: tensor<37x6xi8>, %b: tensor<5x4x1xi32>) -> (tensor<5x4x6xi8>) {
  %r = train.gather %a, %b {offset_dims = array<i64: 2>, collapsed_slice_dims = array<i64: 0>, operand_batching_dims = array<i64>, indices_batching_dims = array<i64>, start_index_map = array<i64: 0>, index_vector_dim = 2 : i64, slice_sizes = array<i64: 1, 6>} : (tensor<37x6xi8>, tensor<5x4x1xi32>) -> tensor<5x4x6xi8>
  return %r : tensor<5x4x6xi8>
}
func.func @constant_i1() -> (tensor<3xi1>) {
  %r = train.constant dense<[true, false, true]> : tensor<3xi1>
  return %r : tensor<3xi1>
}
func.func @broadcast_i1(%a: tensor<3x1xi1>) -> (tensor<2x3x5xi1>) {
  %r = train.broadcast_in_dim %a {dims = array<i64: 1, 2>} : (tensor<3x1xi1>) -> tensor<2x3x5xi1>
  return %r : tensor<2x3x5xi1>
}
func.func @reshape_i1(%a: tensor<6x10xi1>) -> (tensor<4x15xi1>) {
  %r = train.reshape %a : (tensor<6x10xi1>) -> tensor<4x15xi1>
  return %r : tensor<4x15xi1>
}
func.func @transpose_i1(%a: tensor<3x4x5xi1>) -> (tensor<5x3x4xi1>) {
  %r = train.transpose %a {permutation = array<i64: 2, 0, 1>} : (tensor<3x4x5xi1>) -> tensor<5x3x4xi1>
  return %r : tensor<5x3x4xi1>
}
func.func @slice_i1(%a: tensor<9x10xi1>) -> (tensor<3x4xi1>) {
  %r = train.slice %a {start = array<i64: 1, 2>, limit = array<i64: 8, 10>, stride = array<i64: 3, 2>} : (tensor<9x10xi1>) -> tensor<3x4xi1>
  return %r : tensor<3x4xi1>
}
func.func @pad_i1(%a: tensor<3x5xi1>, %b: tensor<i1>) -> (tensor<8x4xi1>) {
  %r = train.pad %a, %b {low = array<i64: 1, -2>, high = array<i64: 2, 1>, interior = array<i64: 1, 0>} : (tensor<3x5xi1>, tensor<i1>) -> tensor<8x4xi1>
  return %r : tensor<8x4xi1>
}
func.func @concatenate_i1(%a: tensor<3x2xi1>, %b: tensor<3x4xi1>, %c: tensor<3x1xi1>) -> (tensor<3x7xi1>) {
  %r = train.concatenate %a, %b, %c {dim = 1 : i64} : (tensor<3x2xi1>, tensor<3x4xi1>, tensor<3x1xi1>) -> tensor<3x7xi1>
  return %r : tensor<3x7xi1>
}
func.func @reverse_i1(%a: tensor<4x5xi1>) -> (tensor<4x5xi1>) {
  %r = train.reverse %a {dims = array<i64: 0, 1>} : (tensor<4x5xi1>) -> tensor<4x5xi1>
  return %r : tensor<4x5xi1>
}
func.func @dynamic_slice_i1(%a: tensor<40x9xi1>, %b: tensor<i32>, %c: tensor<i32>) -> (tensor<8x4xi1>) {
  %r = train.dynamic_slice %a, %b, %c {sizes = array<i64: 8, 4>} : (tensor<40x9xi1>, tensor<i32>, tensor<i32>) -> tensor<8x4xi1>
  return %r : tensor<8x4xi1>
}
func.func @dynamic_update_slice_i1(%a: tensor<40x9xi1>, %b: tensor<8x4xi1>, %c: tensor<i32>, %d: tensor<i32>) -> (tensor<40x9xi1>) {
  %r = train.dynamic_update_slice %a, %b, %c, %d  : (tensor<40x9xi1>, tensor<8x4xi1>, tensor<i32>, tensor<i32>) -> tensor<40x9xi1>
  return %r : tensor<40x9xi1>
}
func.func @gather_i1(%a: tensor<37x6xi1>, %b: tensor<5x4x1xi32>) -> (tensor<5x4x6xi1>) {
  %r = train.gather %a, %b {offset_dims = array<i64: 2>, collapsed_slice_dims = array<i64: 0>, operand_batching_dims = array<i64>, indices_batching_dims = array<i64>, start_index_map = array<i64: 0>, index_vector_dim = 2 : i64, slice_sizes = array<i64: 1, 6>} : (tensor<37x6xi1>, tensor<5x4x1xi32>) -> tensor<5x4x6xi1>
  return %r : tensor<5x4x6xi1>
}
func.func @iota_f32() -> (tensor<3x7xf32>) {
  %r = train.iota {dim = 1 : i64} : () -> tensor<3x7xf32>
  return %r : tensor<3x7xf32>
}
func.func @iota_origin_f32(%a: tensor<i32>) -> (tensor<3x7xf32>) {
  %r = train.iota %a {dim = 0 : i64} : (tensor<i32>) -> tensor<3x7xf32>
  return %r : tensor<3x7xf32>
}
func.func @scatter_add_f32(%a: tensor<37x6xf32>, %b: tensor<60x1xi32>, %c: tensor<60x6xf32>) -> (tensor<37x6xf32>) {
  %r = train.scatter %a, %b, %c {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, operand_batching_dims = array<i64>, indices_batching_dims = array<i64>, operand_dims_map = array<i64: 0>, index_vector_dim = 1 : i64, kind = #train<reduce_kind add>, clamp_starts = true} : (tensor<37x6xf32>, tensor<60x1xi32>, tensor<60x6xf32>) -> tensor<37x6xf32>
  return %r : tensor<37x6xf32>
}
func.func @scatter_maximum_f32(%a: tensor<37x6xf32>, %b: tensor<60x1xi32>, %c: tensor<60x6xf32>) -> (tensor<37x6xf32>) {
  %r = train.scatter %a, %b, %c {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, operand_batching_dims = array<i64>, indices_batching_dims = array<i64>, operand_dims_map = array<i64: 0>, index_vector_dim = 1 : i64, kind = #train<reduce_kind maximum>} : (tensor<37x6xf32>, tensor<60x1xi32>, tensor<60x6xf32>) -> tensor<37x6xf32>
  return %r : tensor<37x6xf32>
}
func.func @scatter_minimum_f32(%a: tensor<37x6xf32>, %b: tensor<60x1xi32>, %c: tensor<60x6xf32>) -> (tensor<37x6xf32>) {
  %r = train.scatter %a, %b, %c {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, operand_batching_dims = array<i64>, indices_batching_dims = array<i64>, operand_dims_map = array<i64: 0>, index_vector_dim = 1 : i64, kind = #train<reduce_kind minimum>} : (tensor<37x6xf32>, tensor<60x1xi32>, tensor<60x6xf32>) -> tensor<37x6xf32>
  return %r : tensor<37x6xf32>
}
func.func @scatter_replace_f32(%a: tensor<37x6xf32>, %b: tensor<60x1xi32>, %c: tensor<60x6xf32>) -> (tensor<37x6xf32>) {
  %r = train.scatter %a, %b, %c {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, operand_batching_dims = array<i64>, indices_batching_dims = array<i64>, operand_dims_map = array<i64: 0>, index_vector_dim = 1 : i64, kind = #train<reduce_kind replace>} : (tensor<37x6xf32>, tensor<60x1xi32>, tensor<60x6xf32>) -> tensor<37x6xf32>
  return %r : tensor<37x6xf32>
}
func.func @scatter_multiply_f32(%a: tensor<37x6xf32>, %b: tensor<60x1xi32>, %c: tensor<60x6xf32>) -> (tensor<37x6xf32>) {
  %r = train.scatter %a, %b, %c {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, operand_batching_dims = array<i64>, indices_batching_dims = array<i64>, operand_dims_map = array<i64: 0>, index_vector_dim = 1 : i64, kind = #train<reduce_kind multiply>} : (tensor<37x6xf32>, tensor<60x1xi32>, tensor<60x6xf32>) -> tensor<37x6xf32>
  return %r : tensor<37x6xf32>
}
func.func @iota_bf16() -> (tensor<3x7xbf16>) {
  %r = train.iota {dim = 1 : i64} : () -> tensor<3x7xbf16>
  return %r : tensor<3x7xbf16>
}
func.func @iota_origin_bf16(%a: tensor<i32>) -> (tensor<3x7xbf16>) {
  %r = train.iota %a {dim = 0 : i64} : (tensor<i32>) -> tensor<3x7xbf16>
  return %r : tensor<3x7xbf16>
}
func.func @scatter_add_bf16(%a: tensor<37x6xbf16>, %b: tensor<60x1xi32>, %c: tensor<60x6xbf16>) -> (tensor<37x6xbf16>) {
  %r = train.scatter %a, %b, %c {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, operand_batching_dims = array<i64>, indices_batching_dims = array<i64>, operand_dims_map = array<i64: 0>, index_vector_dim = 1 : i64, kind = #train<reduce_kind add>, clamp_starts = true} : (tensor<37x6xbf16>, tensor<60x1xi32>, tensor<60x6xbf16>) -> tensor<37x6xbf16>
  return %r : tensor<37x6xbf16>
}
func.func @scatter_maximum_bf16(%a: tensor<37x6xbf16>, %b: tensor<60x1xi32>, %c: tensor<60x6xbf16>) -> (tensor<37x6xbf16>) {
  %r = train.scatter %a, %b, %c {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, operand_batching_dims = array<i64>, indices_batching_dims = array<i64>, operand_dims_map = array<i64: 0>, index_vector_dim = 1 : i64, kind = #train<reduce_kind maximum>} : (tensor<37x6xbf16>, tensor<60x1xi32>, tensor<60x6xbf16>) -> tensor<37x6xbf16>
  return %r : tensor<37x6xbf16>
}
func.func @scatter_minimum_bf16(%a: tensor<37x6xbf16>, %b: tensor<60x1xi32>, %c: tensor<60x6xbf16>) -> (tensor<37x6xbf16>) {
  %r = train.scatter %a, %b, %c {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, operand_batching_dims = array<i64>, indices_batching_dims = array<i64>, operand_dims_map = array<i64: 0>, index_vector_dim = 1 : i64, kind = #train<reduce_kind minimum>} : (tensor<37x6xbf16>, tensor<60x1xi32>, tensor<60x6xbf16>) -> tensor<37x6xbf16>
  return %r : tensor<37x6xbf16>
}
func.func @scatter_replace_bf16(%a: tensor<37x6xbf16>, %b: tensor<60x1xi32>, %c: tensor<60x6xbf16>) -> (tensor<37x6xbf16>) {
  %r = train.scatter %a, %b, %c {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, operand_batching_dims = array<i64>, indices_batching_dims = array<i64>, operand_dims_map = array<i64: 0>, index_vector_dim = 1 : i64, kind = #train<reduce_kind replace>} : (tensor<37x6xbf16>, tensor<60x1xi32>, tensor<60x6xbf16>) -> tensor<37x6xbf16>
  return %r : tensor<37x6xbf16>
}
func.func @iota_f16() -> (tensor<3x7xf16>) {
  %r = train.iota {dim = 1 : i64} : () -> tensor<3x7xf16>
  return %r : tensor<3x7xf16>
}
func.func @iota_origin_f16(%a: tensor<i32>) -> (tensor<3x7xf16>) {
  %r = train.iota %a {dim = 0 : i64} : (tensor<i32>) -> tensor<3x7xf16>
  return %r : tensor<3x7xf16>
}
func.func @scatter_add_f16(%a: tensor<37x6xf16>, %b: tensor<60x1xi32>, %c: tensor<60x6xf16>) -> (tensor<37x6xf16>) {
  %r = train.scatter %a, %b, %c {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, operand_batching_dims = array<i64>, indices_batching_dims = array<i64>, operand_dims_map = array<i64: 0>, index_vector_dim = 1 : i64, kind = #train<reduce_kind add>, clamp_starts = true} : (tensor<37x6xf16>, tensor<60x1xi32>, tensor<60x6xf16>) -> tensor<37x6xf16>
  return %r : tensor<37x6xf16>
}
func.func @scatter_maximum_f16(%a: tensor<37x6xf16>, %b: tensor<60x1xi32>, %c: tensor<60x6xf16>) -> (tensor<37x6xf16>) {
  %r = train.scatter %a, %b, %c {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, operand_batching_dims = array<i64>, indices_batching_dims = array<i64>, operand_dims_map = array<i64: 0>, index_vector_dim = 1 : i64, kind = #train<reduce_kind maximum>} : (tensor<37x6xf16>, tensor<60x1xi32>, tensor<60x6xf16>) -> tensor<37x6xf16>
  return %r : tensor<37x6xf16>
}
func.func @scatter_minimum_f16(%a: tensor<37x6xf16>, %b: tensor<60x1xi32>, %c: tensor<60x6xf16>) -> (tensor<37x6xf16>) {
  %r = train.scatter %a, %b, %c {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, operand_batching_dims = array<i64>, indices_batching_dims = array<i64>, operand_dims_map = array<i64: 0>, index_vector_dim = 1 : i64, kind = #train<reduce_kind minimum>} : (tensor<37x6xf16>, tensor<60x1xi32>, tensor<60x6xf16>) -> tensor<37x6xf16>
  return %r : tensor<37x6xf16>
}
func.func @scatter_replace_f16(%a: tensor<37x6xf16>, %b: tensor<60x1xi32>, %c: tensor<60x6xf16>) -> (tensor<37x6xf16>) {
  %r = train.scatter %a, %b, %c {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, operand_batching_dims = array<i64>, indices_batching_dims = array<i64>, operand_dims_map = array<i64: 0>, index_vector_dim = 1 : i64, kind = #train<reduce_kind replace>} : (tensor<37x6xf16>, tensor<60x1xi32>, tensor<60x6xf16>) -> tensor<37x6xf16>
  return %r : tensor<37x6xf16>
}
func.func @iota_f64() -> (tensor<3x7xf64>) {
  %r = train.iota {dim = 1 : i64} : () -> tensor<3x7xf64>
  return %r : tensor<3x7xf64>
}
func.func @iota_origin_f64(%a: tensor<i32>) -> (tensor<3x7xf64>) {
  %r = train.iota %a {dim = 0 : i64} : (tensor<i32>) -> tensor<3x7xf64>
  return %r : tensor<3x7xf64>
}
func.func @scatter_add_f64(%a: tensor<37x6xf64>, %b: tensor<60x1xi32>, %c: tensor<60x6xf64>) -> (tensor<37x6xf64>) {
  %r = train.scatter %a, %b, %c {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, operand_batching_dims = array<i64>, indices_batching_dims = array<i64>, operand_dims_map = array<i64: 0>, index_vector_dim = 1 : i64, kind = #train<reduce_kind add>, clamp_starts = true} : (tensor<37x6xf64>, tensor<60x1xi32>, tensor<60x6xf64>) -> tensor<37x6xf64>
  return %r : tensor<37x6xf64>
}
func.func @scatter_maximum_f64(%a: tensor<37x6xf64>, %b: tensor<60x1xi32>, %c: tensor<60x6xf64>) -> (tensor<37x6xf64>) {
  %r = train.scatter %a, %b, %c {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, operand_batching_dims = array<i64>, indices_batching_dims = array<i64>, operand_dims_map = array<i64: 0>, index_vector_dim = 1 : i64, kind = #train<reduce_kind maximum>} : (tensor<37x6xf64>, tensor<60x1xi32>, tensor<60x6xf64>) -> tensor<37x6xf64>
  return %r : tensor<37x6xf64>
}
func.func @scatter_minimum_f64(%a: tensor<37x6xf64>, %b: tensor<60x1xi32>, %c: tensor<60x6xf64>) -> (tensor<37x6xf64>) {
  %r = train.scatter %a, %b, %c {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, operand_batching_dims = array<i64>, indices_batching_dims = array<i64>, operand_dims_map = array<i64: 0>, index_vector_dim = 1 : i64, kind = #train<reduce_kind minimum>} : (tensor<37x6xf64>, tensor<60x1xi32>, tensor<60x6xf64>) -> tensor<37x6xf64>
  return %r : tensor<37x6xf64>
}
func.func @scatter_replace_f64(%a: tensor<37x6xf64>, %b: tensor<60x1xi32>, %c: tensor<60x6xf64>) -> (tensor<37x6xf64>) {
  %r = train.scatter %a, %b, %c {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, operand_batching_dims = array<i64>, indices_batching_dims = array<i64>, operand_dims_map = array<i64: 0>, index_vector_dim = 1 : i64, kind = #train<reduce_kind replace>} : (tensor<37x6xf64>, tensor<60x1xi32>, tensor<60x6xf64>) -> tensor<37x6xf64>
  return %r : tensor<37x6xf64>
}
func.func @iota_i32() -> (tensor<3x7xi32>) {
  %r = train.iota {dim = 1 : i64} : () -> tensor<3x7xi32>
  return %r : tensor<3x7xi32>
}
func.func @iota_origin_i32(%a: tensor<i32>) -> (tensor<3x7xi32>) {
  %r = train.iota %a {dim = 0 : i64} : (tensor<i32>) -> tensor<3x7xi32>
  return %r : tensor<3x7xi32>
}
func.func @scatter_add_i32(%a: tensor<37x6xi32>, %b: tensor<60x1xi32>, %c: tensor<60x6xi32>) -> (tensor<37x6xi32>) {
  %r = train.scatter %a, %b, %c {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, operand_batching_dims = array<i64>, indices_batching_dims = array<i64>, operand_dims_map = array<i64: 0>, index_vector_dim = 1 : i64, kind = #train<reduce_kind add>, clamp_starts = true} : (tensor<37x6xi32>, tensor<60x1xi32>, tensor<60x6xi32>) -> tensor<37x6xi32>
  return %r : tensor<37x6xi32>
}
func.func @scatter_maximum_i32(%a: tensor<37x6xi32>, %b: tensor<60x1xi32>, %c: tensor<60x6xi32>) -> (tensor<37x6xi32>) {
  %r = train.scatter %a, %b, %c {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, operand_batching_dims = array<i64>, indices_batching_dims = array<i64>, operand_dims_map = array<i64: 0>, index_vector_dim = 1 : i64, kind = #train<reduce_kind maximum>} : (tensor<37x6xi32>, tensor<60x1xi32>, tensor<60x6xi32>) -> tensor<37x6xi32>
  return %r : tensor<37x6xi32>
}
func.func @scatter_minimum_i32(%a: tensor<37x6xi32>, %b: tensor<60x1xi32>, %c: tensor<60x6xi32>) -> (tensor<37x6xi32>) {
  %r = train.scatter %a, %b, %c {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, operand_batching_dims = array<i64>, indices_batching_dims = array<i64>, operand_dims_map = array<i64: 0>, index_vector_dim = 1 : i64, kind = #train<reduce_kind minimum>} : (tensor<37x6xi32>, tensor<60x1xi32>, tensor<60x6xi32>) -> tensor<37x6xi32>
  return %r : tensor<37x6xi32>
}
func.func @scatter_replace_i32(%a: tensor<37x6xi32>, %b: tensor<60x1xi32>, %c: tensor<60x6xi32>) -> (tensor<37x6xi32>) {
  %r = train.scatter %a, %b, %c {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, operand_batching_dims = array<i64>, indices_batching_dims = array<i64>, operand_dims_map = array<i64: 0>, index_vector_dim = 1 : i64, kind = #train<reduce_kind replace>} : (tensor<37x6xi32>, tensor<60x1xi32>, tensor<60x6xi32>) -> tensor<37x6xi32>
  return %r : tensor<37x6xi32>
}
func.func @iota_i64() -> (tensor<3x7xi64>) {
  %r = train.iota {dim = 1 : i64} : () -> tensor<3x7xi64>
  return %r : tensor<3x7xi64>
}
func.func @iota_origin_i64(%a: tensor<i32>) -> (tensor<3x7xi64>) {
  %r = train.iota %a {dim = 0 : i64} : (tensor<i32>) -> tensor<3x7xi64>
  return %r : tensor<3x7xi64>
}
func.func @scatter_add_i64(%a: tensor<37x6xi64>, %b: tensor<60x1xi32>, %c: tensor<60x6xi64>) -> (tensor<37x6xi64>) {
  %r = train.scatter %a, %b, %c {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, operand_batching_dims = array<i64>, indices_batching_dims = array<i64>, operand_dims_map = array<i64: 0>, index_vector_dim = 1 : i64, kind = #train<reduce_kind add>, clamp_starts = true} : (tensor<37x6xi64>, tensor<60x1xi32>, tensor<60x6xi64>) -> tensor<37x6xi64>
  return %r : tensor<37x6xi64>
}
func.func @scatter_maximum_i64(%a: tensor<37x6xi64>, %b: tensor<60x1xi32>, %c: tensor<60x6xi64>) -> (tensor<37x6xi64>) {
  %r = train.scatter %a, %b, %c {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, operand_batching_dims = array<i64>, indices_batching_dims = array<i64>, operand_dims_map = array<i64: 0>, index_vector_dim = 1 : i64, kind = #train<reduce_kind maximum>} : (tensor<37x6xi64>, tensor<60x1xi32>, tensor<60x6xi64>) -> tensor<37x6xi64>
  return %r : tensor<37x6xi64>
}
func.func @scatter_minimum_i64(%a: tensor<37x6xi64>, %b: tensor<60x1xi32>, %c: tensor<60x6xi64>) -> (tensor<37x6xi64>) {
  %r = train.scatter %a, %b, %c {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, operand_batching_dims = array<i64>, indices_batching_dims = array<i64>, operand_dims_map = array<i64: 0>, index_vector_dim = 1 : i64, kind = #train<reduce_kind minimum>} : (tensor<37x6xi64>, tensor<60x1xi32>, tensor<60x6xi64>) -> tensor<37x6xi64>
  return %r : tensor<37x6xi64>
}
func.func @scatter_replace_i64(%a: tensor<37x6xi64>, %b: tensor<60x1xi32>, %c: tensor<60x6xi64>) -> (tensor<37x6xi64>) {
  %r = train.scatter %a, %b, %c {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, operand_batching_dims = array<i64>, indices_batching_dims = array<i64>, operand_dims_map = array<i64: 0>, index_vector_dim = 1 : i64, kind = #train<reduce_kind replace>} : (tensor<37x6xi64>, tensor<60x1xi32>, tensor<60x6xi64>) -> tensor<37x6xi64>
  return %r : tensor<37x6xi64>
}
func.func @iota_ui32() -> (tensor<3x7xui32>) {
  %r = train.iota {dim = 1 : i64} : () -> tensor<3x7xui32>
  return %r : tensor<3x7xui32>
}
func.func @iota_origin_ui32(%a: tensor<i32>) -> (tensor<3x7xui32>) {
  %r = train.iota %a {dim = 0 : i64} : (tensor<i32>) -> tensor<3x7xui32>
  return %r : tensor<3x7xui32>
}
func.func @scatter_add_ui32(%a: tensor<37x6xui32>, %b: tensor<60x1xi32>, %c: tensor<60x6xui32>) -> (tensor<37x6xui32>) {
  %r = train.scatter %a, %b, %c {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, operand_batching_dims = array<i64>, indices_batching_dims = array<i64>, operand_dims_map = array<i64: 0>, index_vector_dim = 1 : i64, kind = #train<reduce_kind add>, clamp_starts = true} : (tensor<37x6xui32>, tensor<60x1xi32>, tensor<60x6xui32>) -> tensor<37x6xui32>
  return %r : tensor<37x6xui32>
}
func.func @scatter_maximum_ui32(%a: tensor<37x6xui32>, %b: tensor<60x1xi32>, %c: tensor<60x6xui32>) -> (tensor<37x6xui32>) {
  %r = train.scatter %a, %b, %c {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, operand_batching_dims = array<i64>, indices_batching_dims = array<i64>, operand_dims_map = array<i64: 0>, index_vector_dim = 1 : i64, kind = #train<reduce_kind maximum>} : (tensor<37x6xui32>, tensor<60x1xi32>, tensor<60x6xui32>) -> tensor<37x6xui32>
  return %r : tensor<37x6xui32>
}
func.func @scatter_minimum_ui32(%a: tensor<37x6xui32>, %b: tensor<60x1xi32>, %c: tensor<60x6xui32>) -> (tensor<37x6xui32>) {
  %r = train.scatter %a, %b, %c {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, operand_batching_dims = array<i64>, indices_batching_dims = array<i64>, operand_dims_map = array<i64: 0>, index_vector_dim = 1 : i64, kind = #train<reduce_kind minimum>} : (tensor<37x6xui32>, tensor<60x1xi32>, tensor<60x6xui32>) -> tensor<37x6xui32>
  return %r : tensor<37x6xui32>
}
func.func @scatter_replace_ui32(%a: tensor<37x6xui32>, %b: tensor<60x1xi32>, %c: tensor<60x6xui32>) -> (tensor<37x6xui32>) {
  %r = train.scatter %a, %b, %c {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, operand_batching_dims = array<i64>, indices_batching_dims = array<i64>, operand_dims_map = array<i64: 0>, index_vector_dim = 1 : i64, kind = #train<reduce_kind replace>} : (tensor<37x6xui32>, tensor<60x1xi32>, tensor<60x6xui32>) -> tensor<37x6xui32>
  return %r : tensor<37x6xui32>
}
func.func @reduce_row_add_f32(%a: tensor<5x7x100xf32>) -> (tensor<5xf32>) {
  %r = train.reduce %a {dims = array<i64: 1, 2>, kind = #train<reduce_kind add>} : (tensor<5x7x100xf32>) -> tensor<5xf32>
  return %r : tensor<5xf32>
}
func.func @reduce_column_add_f32(%a: tensor<150x7xf32>) -> (tensor<7xf32>) {
  %r = train.reduce %a {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<150x7xf32>) -> tensor<7xf32>
  return %r : tensor<7xf32>
}
func.func @cumulative_add_f32(%a: tensor<5x70xf32>) -> (tensor<5x70xf32>) {
  %r = train.cumulative %a {dim = 1 : i64, kind = #train<reduce_kind add>, reverse = true} : (tensor<5x70xf32>) -> tensor<5x70xf32>
  return %r : tensor<5x70xf32>
}
func.func @cumulative_groups_f32(%a: tensor<2x96x3xf32>) -> (tensor<2x96x3xf32>) {
  %r = train.cumulative %a {dim = 1 : i64, kind = #train<reduce_kind add>} : (tensor<2x96x3xf32>) -> tensor<2x96x3xf32>
  return %r : tensor<2x96x3xf32>
}
func.func @cumulative_group_and_one_f32(%a: tensor<33x5xf32>) -> (tensor<33x5xf32>) {
  %r = train.cumulative %a {dim = 0 : i64, kind = #train<reduce_kind add>, reverse = true} : (tensor<33x5xf32>) -> tensor<33x5xf32>
  return %r : tensor<33x5xf32>
}
func.func @cumulative_groups_but_one_bf16(%a: tensor<4x63xbf16>) -> (tensor<4x63xbf16>) {
  %r = train.cumulative %a {dim = 1 : i64, kind = #train<reduce_kind maximum>} : (tensor<4x63xbf16>) -> tensor<4x63xbf16>
  return %r : tensor<4x63xbf16>
}
func.func @cumulative_one_group_i32(%a: tensor<3x32xi32>) -> (tensor<3x32xi32>) {
  %r = train.cumulative %a {dim = 1 : i64, kind = #train<reduce_kind add>, reverse = true} : (tensor<3x32xi32>) -> tensor<3x32xi32>
  return %r : tensor<3x32xi32>
}
func.func @reduce_column_group_f32(%a: tensor<8x6xf32>) -> (tensor<6xf32>) {
  %r = train.reduce %a {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<8x6xf32>) -> tensor<6xf32>
  return %r : tensor<6xf32>
}
func.func @reduce_column_group_and_one_f32(%a: tensor<73x6xf32>) -> (tensor<6xf32>) {
  %r = train.reduce %a {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<73x6xf32>) -> tensor<6xf32>
  return %r : tensor<6xf32>
}
func.func @reduce_window_add_f32(%a: tensor<2x9x10xf32>) -> (tensor<2x4x9xf32>) {
  %r = train.reduce_window %a {window = array<i64: 1, 3, 2>, strides = array<i64: 1, 2, 1>, base_dilation = array<i64: 1, 1, 1>, window_dilation = array<i64: 1, 1, 1>, pad_low = array<i64: 0, 0, 0>, pad_high = array<i64: 0, 0, 0>, kind = #train<reduce_kind add>} : (tensor<2x9x10xf32>) -> tensor<2x4x9xf32>
  return %r : tensor<2x4x9xf32>
}
func.func @reduce_row_multiply_f32(%a: tensor<5x7x100xf32>) -> (tensor<5xf32>) {
  %r = train.reduce %a {dims = array<i64: 1, 2>, kind = #train<reduce_kind multiply>} : (tensor<5x7x100xf32>) -> tensor<5xf32>
  return %r : tensor<5xf32>
}
func.func @reduce_column_multiply_f32(%a: tensor<150x7xf32>) -> (tensor<7xf32>) {
  %r = train.reduce %a {dims = array<i64: 0>, kind = #train<reduce_kind multiply>} : (tensor<150x7xf32>) -> tensor<7xf32>
  return %r : tensor<7xf32>
}
func.func @cumulative_multiply_f32(%a: tensor<5x70xf32>) -> (tensor<5x70xf32>) {
  %r = train.cumulative %a {dim = 1 : i64, kind = #train<reduce_kind multiply>} : (tensor<5x70xf32>) -> tensor<5x70xf32>
  return %r : tensor<5x70xf32>
}
func.func @reduce_window_multiply_f32(%a: tensor<2x9x10xf32>) -> (tensor<2x4x9xf32>) {
  %r = train.reduce_window %a {window = array<i64: 1, 3, 2>, strides = array<i64: 1, 2, 1>, base_dilation = array<i64: 1, 1, 1>, window_dilation = array<i64: 1, 1, 1>, pad_low = array<i64: 0, 0, 0>, pad_high = array<i64: 0, 0, 0>, kind = #train<reduce_kind multiply>} : (tensor<2x9x10xf32>) -> tensor<2x4x9xf32>
  return %r : tensor<2x4x9xf32>
}
func.func @reduce_row_maximum_f32(%a: tensor<5x7x100xf32>) -> (tensor<5xf32>) {
  %r = train.reduce %a {dims = array<i64: 1, 2>, kind = #train<reduce_kind maximum>} : (tensor<5x7x100xf32>) -> tensor<5xf32>
  return %r : tensor<5xf32>
}
func.func @reduce_column_maximum_f32(%a: tensor<150x7xf32>) -> (tensor<7xf32>) {
  %r = train.reduce %a {dims = array<i64: 0>, kind = #train<reduce_kind maximum>} : (tensor<150x7xf32>) -> tensor<7xf32>
  return %r : tensor<7xf32>
}
func.func @cumulative_maximum_f32(%a: tensor<5x70xf32>) -> (tensor<5x70xf32>) {
  %r = train.cumulative %a {dim = 1 : i64, kind = #train<reduce_kind maximum>} : (tensor<5x70xf32>) -> tensor<5x70xf32>
  return %r : tensor<5x70xf32>
}
func.func @reduce_window_maximum_f32(%a: tensor<2x9x10xf32>) -> (tensor<2x4x9xf32>) {
  %r = train.reduce_window %a {window = array<i64: 1, 3, 2>, strides = array<i64: 1, 2, 1>, base_dilation = array<i64: 1, 1, 1>, window_dilation = array<i64: 1, 1, 1>, pad_low = array<i64: 0, 0, 0>, pad_high = array<i64: 0, 0, 0>, kind = #train<reduce_kind maximum>} : (tensor<2x9x10xf32>) -> tensor<2x4x9xf32>
  return %r : tensor<2x4x9xf32>
}
func.func @reduce_row_minimum_f32(%a: tensor<5x7x100xf32>) -> (tensor<5xf32>) {
  %r = train.reduce %a {dims = array<i64: 1, 2>, kind = #train<reduce_kind minimum>} : (tensor<5x7x100xf32>) -> tensor<5xf32>
  return %r : tensor<5xf32>
}
func.func @reduce_column_minimum_f32(%a: tensor<150x7xf32>) -> (tensor<7xf32>) {
  %r = train.reduce %a {dims = array<i64: 0>, kind = #train<reduce_kind minimum>} : (tensor<150x7xf32>) -> tensor<7xf32>
  return %r : tensor<7xf32>
}
func.func @cumulative_minimum_f32(%a: tensor<5x70xf32>) -> (tensor<5x70xf32>) {
  %r = train.cumulative %a {dim = 1 : i64, kind = #train<reduce_kind minimum>} : (tensor<5x70xf32>) -> tensor<5x70xf32>
  return %r : tensor<5x70xf32>
}
func.func @reduce_window_minimum_f32(%a: tensor<2x9x10xf32>) -> (tensor<2x4x9xf32>) {
  %r = train.reduce_window %a {window = array<i64: 1, 3, 2>, strides = array<i64: 1, 2, 1>, base_dilation = array<i64: 1, 1, 1>, window_dilation = array<i64: 1, 1, 1>, pad_low = array<i64: 0, 0, 0>, pad_high = array<i64: 0, 0, 0>, kind = #train<reduce_kind minimum>} : (tensor<2x9x10xf32>) -> tensor<2x4x9xf32>
  return %r : tensor<2x4x9xf32>
}
func.func @arg_maximum_f32(%a: tensor<5x33xf32>) -> (tensor<5xi32>) {
  %r = train.arg_reduce %a {dim = 1 : i64, kind = #train<reduce_kind maximum>} : (tensor<5x33xf32>) -> tensor<5xi32>
  return %r : tensor<5xi32>
}
func.func @arg_minimum_f32(%a: tensor<5x33xf32>) -> (tensor<5xi32>) {
  %r = train.arg_reduce %a {dim = 1 : i64, kind = #train<reduce_kind minimum>} : (tensor<5x33xf32>) -> tensor<5xi32>
  return %r : tensor<5xi32>
}
func.func @sort_f32(%a: tensor<5x33xf32>, %b: tensor<5x33xi32>) -> (tensor<5x33xf32>, tensor<5x33xi32>) {
  %r:2 = train.sort %a, %b {dim = 1 : i64, descending = true} : (tensor<5x33xf32>, tensor<5x33xi32>) -> (tensor<5x33xf32>, tensor<5x33xi32>)
  return %r#0, %r#1 : tensor<5x33xf32>, tensor<5x33xi32>
}
func.func @reduce_row_add_bf16(%a: tensor<5x7x100xbf16>) -> (tensor<5xbf16>) {
  %r = train.reduce %a {dims = array<i64: 1, 2>, kind = #train<reduce_kind add>} : (tensor<5x7x100xbf16>) -> tensor<5xbf16>
  return %r : tensor<5xbf16>
}
func.func @reduce_column_add_bf16(%a: tensor<150x7xbf16>) -> (tensor<7xbf16>) {
  %r = train.reduce %a {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<150x7xbf16>) -> tensor<7xbf16>
  return %r : tensor<7xbf16>
}
func.func @cumulative_add_bf16(%a: tensor<5x70xbf16>) -> (tensor<5x70xbf16>) {
  %r = train.cumulative %a {dim = 1 : i64, kind = #train<reduce_kind add>, reverse = true} : (tensor<5x70xbf16>) -> tensor<5x70xbf16>
  return %r : tensor<5x70xbf16>
}
func.func @reduce_window_add_bf16(%a: tensor<2x9x10xbf16>) -> (tensor<2x4x9xbf16>) {
  %r = train.reduce_window %a {window = array<i64: 1, 3, 2>, strides = array<i64: 1, 2, 1>, base_dilation = array<i64: 1, 1, 1>, window_dilation = array<i64: 1, 1, 1>, pad_low = array<i64: 0, 0, 0>, pad_high = array<i64: 0, 0, 0>, kind = #train<reduce_kind add>} : (tensor<2x9x10xbf16>) -> tensor<2x4x9xbf16>
  return %r : tensor<2x4x9xbf16>
}
func.func @reduce_row_maximum_bf16(%a: tensor<5x7x100xbf16>) -> (tensor<5xbf16>) {
  %r = train.reduce %a {dims = array<i64: 1, 2>, kind = #train<reduce_kind maximum>} : (tensor<5x7x100xbf16>) -> tensor<5xbf16>
  return %r : tensor<5xbf16>
}
func.func @reduce_column_maximum_bf16(%a: tensor<150x7xbf16>) -> (tensor<7xbf16>) {
  %r = train.reduce %a {dims = array<i64: 0>, kind = #train<reduce_kind maximum>} : (tensor<150x7xbf16>) -> tensor<7xbf16>
  return %r : tensor<7xbf16>
}
func.func @cumulative_maximum_bf16(%a: tensor<5x70xbf16>) -> (tensor<5x70xbf16>) {
  %r = train.cumulative %a {dim = 1 : i64, kind = #train<reduce_kind maximum>} : (tensor<5x70xbf16>) -> tensor<5x70xbf16>
  return %r : tensor<5x70xbf16>
}
func.func @reduce_window_maximum_bf16(%a: tensor<2x9x10xbf16>) -> (tensor<2x4x9xbf16>) {
  %r = train.reduce_window %a {window = array<i64: 1, 3, 2>, strides = array<i64: 1, 2, 1>, base_dilation = array<i64: 1, 1, 1>, window_dilation = array<i64: 1, 1, 1>, pad_low = array<i64: 0, 0, 0>, pad_high = array<i64: 0, 0, 0>, kind = #train<reduce_kind maximum>} : (tensor<2x9x10xbf16>) -> tensor<2x4x9xbf16>
  return %r : tensor<2x4x9xbf16>
}
func.func @reduce_row_minimum_bf16(%a: tensor<5x7x100xbf16>) -> (tensor<5xbf16>) {
  %r = train.reduce %a {dims = array<i64: 1, 2>, kind = #train<reduce_kind minimum>} : (tensor<5x7x100xbf16>) -> tensor<5xbf16>
  return %r : tensor<5xbf16>
}
func.func @reduce_column_minimum_bf16(%a: tensor<150x7xbf16>) -> (tensor<7xbf16>) {
  %r = train.reduce %a {dims = array<i64: 0>, kind = #train<reduce_kind minimum>} : (tensor<150x7xbf16>) -> tensor<7xbf16>
  return %r : tensor<7xbf16>
}
func.func @cumulative_minimum_bf16(%a: tensor<5x70xbf16>) -> (tensor<5x70xbf16>) {
  %r = train.cumulative %a {dim = 1 : i64, kind = #train<reduce_kind minimum>} : (tensor<5x70xbf16>) -> tensor<5x70xbf16>
  return %r : tensor<5x70xbf16>
}
func.func @reduce_window_minimum_bf16(%a: tensor<2x9x10xbf16>) -> (tensor<2x4x9xbf16>) {
  %r = train.reduce_window %a {window = array<i64: 1, 3, 2>, strides = array<i64: 1, 2, 1>, base_dilation = array<i64: 1, 1, 1>, window_dilation = array<i64: 1, 1, 1>, pad_low = array<i64: 0, 0, 0>, pad_high = array<i64: 0, 0, 0>, kind = #train<reduce_kind minimum>} : (tensor<2x9x10xbf16>) -> tensor<2x4x9xbf16>
  return %r : tensor<2x4x9xbf16>
}
func.func @arg_maximum_bf16(%a: tensor<5x33xbf16>) -> (tensor<5xi32>) {
  %r = train.arg_reduce %a {dim = 1 : i64, kind = #train<reduce_kind maximum>} : (tensor<5x33xbf16>) -> tensor<5xi32>
  return %r : tensor<5xi32>
}
func.func @arg_minimum_bf16(%a: tensor<5x33xbf16>) -> (tensor<5xi32>) {
  %r = train.arg_reduce %a {dim = 1 : i64, kind = #train<reduce_kind minimum>} : (tensor<5x33xbf16>) -> tensor<5xi32>
  return %r : tensor<5xi32>
}
func.func @sort_bf16(%a: tensor<5x33xbf16>, %b: tensor<5x33xi32>) -> (tensor<5x33xbf16>, tensor<5x33xi32>) {
  %r:2 = train.sort %a, %b {dim = 1 : i64, descending = true} : (tensor<5x33xbf16>, tensor<5x33xi32>) -> (tensor<5x33xbf16>, tensor<5x33xi32>)
  return %r#0, %r#1 : tensor<5x33xbf16>, tensor<5x33xi32>
}
func.func @reduce_row_add_f16(%a: tensor<5x7x100xf16>) -> (tensor<5xf16>) {
  %r = train.reduce %a {dims = array<i64: 1, 2>, kind = #train<reduce_kind add>} : (tensor<5x7x100xf16>) -> tensor<5xf16>
  return %r : tensor<5xf16>
}
func.func @reduce_column_add_f16(%a: tensor<150x7xf16>) -> (tensor<7xf16>) {
  %r = train.reduce %a {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<150x7xf16>) -> tensor<7xf16>
  return %r : tensor<7xf16>
}
func.func @cumulative_add_f16(%a: tensor<5x70xf16>) -> (tensor<5x70xf16>) {
  %r = train.cumulative %a {dim = 1 : i64, kind = #train<reduce_kind add>, reverse = true} : (tensor<5x70xf16>) -> tensor<5x70xf16>
  return %r : tensor<5x70xf16>
}
func.func @reduce_window_add_f16(%a: tensor<2x9x10xf16>) -> (tensor<2x4x9xf16>) {
  %r = train.reduce_window %a {window = array<i64: 1, 3, 2>, strides = array<i64: 1, 2, 1>, base_dilation = array<i64: 1, 1, 1>, window_dilation = array<i64: 1, 1, 1>, pad_low = array<i64: 0, 0, 0>, pad_high = array<i64: 0, 0, 0>, kind = #train<reduce_kind add>} : (tensor<2x9x10xf16>) -> tensor<2x4x9xf16>
  return %r : tensor<2x4x9xf16>
}
func.func @reduce_row_maximum_f16(%a: tensor<5x7x100xf16>) -> (tensor<5xf16>) {
  %r = train.reduce %a {dims = array<i64: 1, 2>, kind = #train<reduce_kind maximum>} : (tensor<5x7x100xf16>) -> tensor<5xf16>
  return %r : tensor<5xf16>
}
func.func @reduce_column_maximum_f16(%a: tensor<150x7xf16>) -> (tensor<7xf16>) {
  %r = train.reduce %a {dims = array<i64: 0>, kind = #train<reduce_kind maximum>} : (tensor<150x7xf16>) -> tensor<7xf16>
  return %r : tensor<7xf16>
}
func.func @cumulative_maximum_f16(%a: tensor<5x70xf16>) -> (tensor<5x70xf16>) {
  %r = train.cumulative %a {dim = 1 : i64, kind = #train<reduce_kind maximum>} : (tensor<5x70xf16>) -> tensor<5x70xf16>
  return %r : tensor<5x70xf16>
}
func.func @reduce_window_maximum_f16(%a: tensor<2x9x10xf16>) -> (tensor<2x4x9xf16>) {
  %r = train.reduce_window %a {window = array<i64: 1, 3, 2>, strides = array<i64: 1, 2, 1>, base_dilation = array<i64: 1, 1, 1>, window_dilation = array<i64: 1, 1, 1>, pad_low = array<i64: 0, 0, 0>, pad_high = array<i64: 0, 0, 0>, kind = #train<reduce_kind maximum>} : (tensor<2x9x10xf16>) -> tensor<2x4x9xf16>
  return %r : tensor<2x4x9xf16>
}
func.func @reduce_row_minimum_f16(%a: tensor<5x7x100xf16>) -> (tensor<5xf16>) {
  %r = train.reduce %a {dims = array<i64: 1, 2>, kind = #train<reduce_kind minimum>} : (tensor<5x7x100xf16>) -> tensor<5xf16>
  return %r : tensor<5xf16>
}
func.func @reduce_column_minimum_f16(%a: tensor<150x7xf16>) -> (tensor<7xf16>) {
  %r = train.reduce %a {dims = array<i64: 0>, kind = #train<reduce_kind minimum>} : (tensor<150x7xf16>) -> tensor<7xf16>
  return %r : tensor<7xf16>
}
func.func @cumulative_minimum_f16(%a: tensor<5x70xf16>) -> (tensor<5x70xf16>) {
  %r = train.cumulative %a {dim = 1 : i64, kind = #train<reduce_kind minimum>} : (tensor<5x70xf16>) -> tensor<5x70xf16>
  return %r : tensor<5x70xf16>
}
func.func @reduce_window_minimum_f16(%a: tensor<2x9x10xf16>) -> (tensor<2x4x9xf16>) {
  %r = train.reduce_window %a {window = array<i64: 1, 3, 2>, strides = array<i64: 1, 2, 1>, base_dilation = array<i64: 1, 1, 1>, window_dilation = array<i64: 1, 1, 1>, pad_low = array<i64: 0, 0, 0>, pad_high = array<i64: 0, 0, 0>, kind = #train<reduce_kind minimum>} : (tensor<2x9x10xf16>) -> tensor<2x4x9xf16>
  return %r : tensor<2x4x9xf16>
}
func.func @arg_maximum_f16(%a: tensor<5x33xf16>) -> (tensor<5xi32>) {
  %r = train.arg_reduce %a {dim = 1 : i64, kind = #train<reduce_kind maximum>} : (tensor<5x33xf16>) -> tensor<5xi32>
  return %r : tensor<5xi32>
}
func.func @arg_minimum_f16(%a: tensor<5x33xf16>) -> (tensor<5xi32>) {
  %r = train.arg_reduce %a {dim = 1 : i64, kind = #train<reduce_kind minimum>} : (tensor<5x33xf16>) -> tensor<5xi32>
  return %r : tensor<5xi32>
}
func.func @sort_f16(%a: tensor<5x33xf16>, %b: tensor<5x33xi32>) -> (tensor<5x33xf16>, tensor<5x33xi32>) {
  %r:2 = train.sort %a, %b {dim = 1 : i64, descending = true} : (tensor<5x33xf16>, tensor<5x33xi32>) -> (tensor<5x33xf16>, tensor<5x33xi32>)
  return %r#0, %r#1 : tensor<5x33xf16>, tensor<5x33xi32>
}
func.func @reduce_row_add_f64(%a: tensor<5x7x100xf64>) -> (tensor<5xf64>) {
  %r = train.reduce %a {dims = array<i64: 1, 2>, kind = #train<reduce_kind add>} : (tensor<5x7x100xf64>) -> tensor<5xf64>
  return %r : tensor<5xf64>
}
func.func @reduce_column_add_f64(%a: tensor<150x7xf64>) -> (tensor<7xf64>) {
  %r = train.reduce %a {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<150x7xf64>) -> tensor<7xf64>
  return %r : tensor<7xf64>
}
func.func @cumulative_add_f64(%a: tensor<5x70xf64>) -> (tensor<5x70xf64>) {
  %r = train.cumulative %a {dim = 1 : i64, kind = #train<reduce_kind add>, reverse = true} : (tensor<5x70xf64>) -> tensor<5x70xf64>
  return %r : tensor<5x70xf64>
}
func.func @reduce_window_add_f64(%a: tensor<2x9x10xf64>) -> (tensor<2x4x9xf64>) {
  %r = train.reduce_window %a {window = array<i64: 1, 3, 2>, strides = array<i64: 1, 2, 1>, base_dilation = array<i64: 1, 1, 1>, window_dilation = array<i64: 1, 1, 1>, pad_low = array<i64: 0, 0, 0>, pad_high = array<i64: 0, 0, 0>, kind = #train<reduce_kind add>} : (tensor<2x9x10xf64>) -> tensor<2x4x9xf64>
  return %r : tensor<2x4x9xf64>
}
func.func @reduce_row_maximum_f64(%a: tensor<5x7x100xf64>) -> (tensor<5xf64>) {
  %r = train.reduce %a {dims = array<i64: 1, 2>, kind = #train<reduce_kind maximum>} : (tensor<5x7x100xf64>) -> tensor<5xf64>
  return %r : tensor<5xf64>
}
func.func @reduce_column_maximum_f64(%a: tensor<150x7xf64>) -> (tensor<7xf64>) {
  %r = train.reduce %a {dims = array<i64: 0>, kind = #train<reduce_kind maximum>} : (tensor<150x7xf64>) -> tensor<7xf64>
  return %r : tensor<7xf64>
}
func.func @cumulative_maximum_f64(%a: tensor<5x70xf64>) -> (tensor<5x70xf64>) {
  %r = train.cumulative %a {dim = 1 : i64, kind = #train<reduce_kind maximum>} : (tensor<5x70xf64>) -> tensor<5x70xf64>
  return %r : tensor<5x70xf64>
}
func.func @reduce_window_maximum_f64(%a: tensor<2x9x10xf64>) -> (tensor<2x4x9xf64>) {
  %r = train.reduce_window %a {window = array<i64: 1, 3, 2>, strides = array<i64: 1, 2, 1>, base_dilation = array<i64: 1, 1, 1>, window_dilation = array<i64: 1, 1, 1>, pad_low = array<i64: 0, 0, 0>, pad_high = array<i64: 0, 0, 0>, kind = #train<reduce_kind maximum>} : (tensor<2x9x10xf64>) -> tensor<2x4x9xf64>
  return %r : tensor<2x4x9xf64>
}
func.func @reduce_row_minimum_f64(%a: tensor<5x7x100xf64>) -> (tensor<5xf64>) {
  %r = train.reduce %a {dims = array<i64: 1, 2>, kind = #train<reduce_kind minimum>} : (tensor<5x7x100xf64>) -> tensor<5xf64>
  return %r : tensor<5xf64>
}
func.func @reduce_column_minimum_f64(%a: tensor<150x7xf64>) -> (tensor<7xf64>) {
  %r = train.reduce %a {dims = array<i64: 0>, kind = #train<reduce_kind minimum>} : (tensor<150x7xf64>) -> tensor<7xf64>
  return %r : tensor<7xf64>
}
func.func @cumulative_minimum_f64(%a: tensor<5x70xf64>) -> (tensor<5x70xf64>) {
  %r = train.cumulative %a {dim = 1 : i64, kind = #train<reduce_kind minimum>} : (tensor<5x70xf64>) -> tensor<5x70xf64>
  return %r : tensor<5x70xf64>
}
func.func @reduce_window_minimum_f64(%a: tensor<2x9x10xf64>) -> (tensor<2x4x9xf64>) {
  %r = train.reduce_window %a {window = array<i64: 1, 3, 2>, strides = array<i64: 1, 2, 1>, base_dilation = array<i64: 1, 1, 1>, window_dilation = array<i64: 1, 1, 1>, pad_low = array<i64: 0, 0, 0>, pad_high = array<i64: 0, 0, 0>, kind = #train<reduce_kind minimum>} : (tensor<2x9x10xf64>) -> tensor<2x4x9xf64>
  return %r : tensor<2x4x9xf64>
}
func.func @arg_maximum_f64(%a: tensor<5x33xf64>) -> (tensor<5xi32>) {
  %r = train.arg_reduce %a {dim = 1 : i64, kind = #train<reduce_kind maximum>} : (tensor<5x33xf64>) -> tensor<5xi32>
  return %r : tensor<5xi32>
}
func.func @arg_minimum_f64(%a: tensor<5x33xf64>) -> (tensor<5xi32>) {
  %r = train.arg_reduce %a {dim = 1 : i64, kind = #train<reduce_kind minimum>} : (tensor<5x33xf64>) -> tensor<5xi32>
  return %r : tensor<5xi32>
}
func.func @sort_f64(%a: tensor<5x33xf64>, %b: tensor<5x33xi32>) -> (tensor<5x33xf64>, tensor<5x33xi32>) {
  %r:2 = train.sort %a, %b {dim = 1 : i64, descending = true} : (tensor<5x33xf64>, tensor<5x33xi32>) -> (tensor<5x33xf64>, tensor<5x33xi32>)
  return %r#0, %r#1 : tensor<5x33xf64>, tensor<5x33xi32>
}
func.func @reduce_row_add_i32(%a: tensor<5x7x100xi32>) -> (tensor<5xi32>) {
  %r = train.reduce %a {dims = array<i64: 1, 2>, kind = #train<reduce_kind add>} : (tensor<5x7x100xi32>) -> tensor<5xi32>
  return %r : tensor<5xi32>
}
func.func @reduce_column_add_i32(%a: tensor<150x7xi32>) -> (tensor<7xi32>) {
  %r = train.reduce %a {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<150x7xi32>) -> tensor<7xi32>
  return %r : tensor<7xi32>
}
func.func @cumulative_add_i32(%a: tensor<5x70xi32>) -> (tensor<5x70xi32>) {
  %r = train.cumulative %a {dim = 1 : i64, kind = #train<reduce_kind add>, reverse = true} : (tensor<5x70xi32>) -> tensor<5x70xi32>
  return %r : tensor<5x70xi32>
}
func.func @reduce_window_add_i32(%a: tensor<2x9x10xi32>) -> (tensor<2x4x9xi32>) {
  %r = train.reduce_window %a {window = array<i64: 1, 3, 2>, strides = array<i64: 1, 2, 1>, base_dilation = array<i64: 1, 1, 1>, window_dilation = array<i64: 1, 1, 1>, pad_low = array<i64: 0, 0, 0>, pad_high = array<i64: 0, 0, 0>, kind = #train<reduce_kind add>} : (tensor<2x9x10xi32>) -> tensor<2x4x9xi32>
  return %r : tensor<2x4x9xi32>
}
func.func @reduce_row_multiply_i32(%a: tensor<5x7x100xi32>) -> (tensor<5xi32>) {
  %r = train.reduce %a {dims = array<i64: 1, 2>, kind = #train<reduce_kind multiply>} : (tensor<5x7x100xi32>) -> tensor<5xi32>
  return %r : tensor<5xi32>
}
func.func @reduce_column_multiply_i32(%a: tensor<150x7xi32>) -> (tensor<7xi32>) {
  %r = train.reduce %a {dims = array<i64: 0>, kind = #train<reduce_kind multiply>} : (tensor<150x7xi32>) -> tensor<7xi32>
  return %r : tensor<7xi32>
}
func.func @cumulative_multiply_i32(%a: tensor<5x70xi32>) -> (tensor<5x70xi32>) {
  %r = train.cumulative %a {dim = 1 : i64, kind = #train<reduce_kind multiply>} : (tensor<5x70xi32>) -> tensor<5x70xi32>
  return %r : tensor<5x70xi32>
}
func.func @reduce_window_multiply_i32(%a: tensor<2x9x10xi32>) -> (tensor<2x4x9xi32>) {
  %r = train.reduce_window %a {window = array<i64: 1, 3, 2>, strides = array<i64: 1, 2, 1>, base_dilation = array<i64: 1, 1, 1>, window_dilation = array<i64: 1, 1, 1>, pad_low = array<i64: 0, 0, 0>, pad_high = array<i64: 0, 0, 0>, kind = #train<reduce_kind multiply>} : (tensor<2x9x10xi32>) -> tensor<2x4x9xi32>
  return %r : tensor<2x4x9xi32>
}
func.func @reduce_row_maximum_i32(%a: tensor<5x7x100xi32>) -> (tensor<5xi32>) {
  %r = train.reduce %a {dims = array<i64: 1, 2>, kind = #train<reduce_kind maximum>} : (tensor<5x7x100xi32>) -> tensor<5xi32>
  return %r : tensor<5xi32>
}
func.func @reduce_column_maximum_i32(%a: tensor<150x7xi32>) -> (tensor<7xi32>) {
  %r = train.reduce %a {dims = array<i64: 0>, kind = #train<reduce_kind maximum>} : (tensor<150x7xi32>) -> tensor<7xi32>
  return %r : tensor<7xi32>
}
func.func @cumulative_maximum_i32(%a: tensor<5x70xi32>) -> (tensor<5x70xi32>) {
  %r = train.cumulative %a {dim = 1 : i64, kind = #train<reduce_kind maximum>} : (tensor<5x70xi32>) -> tensor<5x70xi32>
  return %r : tensor<5x70xi32>
}
func.func @reduce_window_maximum_i32(%a: tensor<2x9x10xi32>) -> (tensor<2x4x9xi32>) {
  %r = train.reduce_window %a {window = array<i64: 1, 3, 2>, strides = array<i64: 1, 2, 1>, base_dilation = array<i64: 1, 1, 1>, window_dilation = array<i64: 1, 1, 1>, pad_low = array<i64: 0, 0, 0>, pad_high = array<i64: 0, 0, 0>, kind = #train<reduce_kind maximum>} : (tensor<2x9x10xi32>) -> tensor<2x4x9xi32>
  return %r : tensor<2x4x9xi32>
}
func.func @reduce_row_minimum_i32(%a: tensor<5x7x100xi32>) -> (tensor<5xi32>) {
  %r = train.reduce %a {dims = array<i64: 1, 2>, kind = #train<reduce_kind minimum>} : (tensor<5x7x100xi32>) -> tensor<5xi32>
  return %r : tensor<5xi32>
}
func.func @reduce_column_minimum_i32(%a: tensor<150x7xi32>) -> (tensor<7xi32>) {
  %r = train.reduce %a {dims = array<i64: 0>, kind = #train<reduce_kind minimum>} : (tensor<150x7xi32>) -> tensor<7xi32>
  return %r : tensor<7xi32>
}
func.func @cumulative_minimum_i32(%a: tensor<5x70xi32>) -> (tensor<5x70xi32>) {
  %r = train.cumulative %a {dim = 1 : i64, kind = #train<reduce_kind minimum>} : (tensor<5x70xi32>) -> tensor<5x70xi32>
  return %r : tensor<5x70xi32>
}
func.func @reduce_window_minimum_i32(%a: tensor<2x9x10xi32>) -> (tensor<2x4x9xi32>) {
  %r = train.reduce_window %a {window = array<i64: 1, 3, 2>, strides = array<i64: 1, 2, 1>, base_dilation = array<i64: 1, 1, 1>, window_dilation = array<i64: 1, 1, 1>, pad_low = array<i64: 0, 0, 0>, pad_high = array<i64: 0, 0, 0>, kind = #train<reduce_kind minimum>} : (tensor<2x9x10xi32>) -> tensor<2x4x9xi32>
  return %r : tensor<2x4x9xi32>
}
func.func @arg_maximum_i32(%a: tensor<5x33xi32>) -> (tensor<5xi32>) {
  %r = train.arg_reduce %a {dim = 1 : i64, kind = #train<reduce_kind maximum>} : (tensor<5x33xi32>) -> tensor<5xi32>
  return %r : tensor<5xi32>
}
func.func @arg_minimum_i32(%a: tensor<5x33xi32>) -> (tensor<5xi32>) {
  %r = train.arg_reduce %a {dim = 1 : i64, kind = #train<reduce_kind minimum>} : (tensor<5x33xi32>) -> tensor<5xi32>
  return %r : tensor<5xi32>
}
func.func @sort_i32(%a: tensor<5x33xi32>, %b: tensor<5x33xi32>) -> (tensor<5x33xi32>, tensor<5x33xi32>) {
  %r:2 = train.sort %a, %b {dim = 1 : i64, descending = true} : (tensor<5x33xi32>, tensor<5x33xi32>) -> (tensor<5x33xi32>, tensor<5x33xi32>)
  return %r#0, %r#1 : tensor<5x33xi32>, tensor<5x33xi32>
}
func.func @reduce_row_add_i64(%a: tensor<5x7x100xi64>) -> (tensor<5xi64>) {
  %r = train.reduce %a {dims = array<i64: 1, 2>, kind = #train<reduce_kind add>} : (tensor<5x7x100xi64>) -> tensor<5xi64>
  return %r : tensor<5xi64>
}
func.func @reduce_column_add_i64(%a: tensor<150x7xi64>) -> (tensor<7xi64>) {
  %r = train.reduce %a {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<150x7xi64>) -> tensor<7xi64>
  return %r : tensor<7xi64>
}
func.func @cumulative_add_i64(%a: tensor<5x70xi64>) -> (tensor<5x70xi64>) {
  %r = train.cumulative %a {dim = 1 : i64, kind = #train<reduce_kind add>, reverse = true} : (tensor<5x70xi64>) -> tensor<5x70xi64>
  return %r : tensor<5x70xi64>
}
func.func @reduce_window_add_i64(%a: tensor<2x9x10xi64>) -> (tensor<2x4x9xi64>) {
  %r = train.reduce_window %a {window = array<i64: 1, 3, 2>, strides = array<i64: 1, 2, 1>, base_dilation = array<i64: 1, 1, 1>, window_dilation = array<i64: 1, 1, 1>, pad_low = array<i64: 0, 0, 0>, pad_high = array<i64: 0, 0, 0>, kind = #train<reduce_kind add>} : (tensor<2x9x10xi64>) -> tensor<2x4x9xi64>
  return %r : tensor<2x4x9xi64>
}
func.func @reduce_row_maximum_i64(%a: tensor<5x7x100xi64>) -> (tensor<5xi64>) {
  %r = train.reduce %a {dims = array<i64: 1, 2>, kind = #train<reduce_kind maximum>} : (tensor<5x7x100xi64>) -> tensor<5xi64>
  return %r : tensor<5xi64>
}
func.func @reduce_column_maximum_i64(%a: tensor<150x7xi64>) -> (tensor<7xi64>) {
  %r = train.reduce %a {dims = array<i64: 0>, kind = #train<reduce_kind maximum>} : (tensor<150x7xi64>) -> tensor<7xi64>
  return %r : tensor<7xi64>
}
func.func @cumulative_maximum_i64(%a: tensor<5x70xi64>) -> (tensor<5x70xi64>) {
  %r = train.cumulative %a {dim = 1 : i64, kind = #train<reduce_kind maximum>} : (tensor<5x70xi64>) -> tensor<5x70xi64>
  return %r : tensor<5x70xi64>
}
func.func @reduce_window_maximum_i64(%a: tensor<2x9x10xi64>) -> (tensor<2x4x9xi64>) {
  %r = train.reduce_window %a {window = array<i64: 1, 3, 2>, strides = array<i64: 1, 2, 1>, base_dilation = array<i64: 1, 1, 1>, window_dilation = array<i64: 1, 1, 1>, pad_low = array<i64: 0, 0, 0>, pad_high = array<i64: 0, 0, 0>, kind = #train<reduce_kind maximum>} : (tensor<2x9x10xi64>) -> tensor<2x4x9xi64>
  return %r : tensor<2x4x9xi64>
}
func.func @reduce_row_minimum_i64(%a: tensor<5x7x100xi64>) -> (tensor<5xi64>) {
  %r = train.reduce %a {dims = array<i64: 1, 2>, kind = #train<reduce_kind minimum>} : (tensor<5x7x100xi64>) -> tensor<5xi64>
  return %r : tensor<5xi64>
}
func.func @reduce_column_minimum_i64(%a: tensor<150x7xi64>) -> (tensor<7xi64>) {
  %r = train.reduce %a {dims = array<i64: 0>, kind = #train<reduce_kind minimum>} : (tensor<150x7xi64>) -> tensor<7xi64>
  return %r : tensor<7xi64>
}
func.func @cumulative_minimum_i64(%a: tensor<5x70xi64>) -> (tensor<5x70xi64>) {
  %r = train.cumulative %a {dim = 1 : i64, kind = #train<reduce_kind minimum>} : (tensor<5x70xi64>) -> tensor<5x70xi64>
  return %r : tensor<5x70xi64>
}
func.func @reduce_window_minimum_i64(%a: tensor<2x9x10xi64>) -> (tensor<2x4x9xi64>) {
  %r = train.reduce_window %a {window = array<i64: 1, 3, 2>, strides = array<i64: 1, 2, 1>, base_dilation = array<i64: 1, 1, 1>, window_dilation = array<i64: 1, 1, 1>, pad_low = array<i64: 0, 0, 0>, pad_high = array<i64: 0, 0, 0>, kind = #train<reduce_kind minimum>} : (tensor<2x9x10xi64>) -> tensor<2x4x9xi64>
  return %r : tensor<2x4x9xi64>
}
func.func @arg_maximum_i64(%a: tensor<5x33xi64>) -> (tensor<5xi32>) {
  %r = train.arg_reduce %a {dim = 1 : i64, kind = #train<reduce_kind maximum>} : (tensor<5x33xi64>) -> tensor<5xi32>
  return %r : tensor<5xi32>
}
func.func @arg_minimum_i64(%a: tensor<5x33xi64>) -> (tensor<5xi32>) {
  %r = train.arg_reduce %a {dim = 1 : i64, kind = #train<reduce_kind minimum>} : (tensor<5x33xi64>) -> tensor<5xi32>
  return %r : tensor<5xi32>
}
func.func @sort_i64(%a: tensor<5x33xi64>, %b: tensor<5x33xi32>) -> (tensor<5x33xi64>, tensor<5x33xi32>) {
  %r:2 = train.sort %a, %b {dim = 1 : i64, descending = true} : (tensor<5x33xi64>, tensor<5x33xi32>) -> (tensor<5x33xi64>, tensor<5x33xi32>)
  return %r#0, %r#1 : tensor<5x33xi64>, tensor<5x33xi32>
}
func.func @reduce_row_add_ui32(%a: tensor<5x7x100xui32>) -> (tensor<5xui32>) {
  %r = train.reduce %a {dims = array<i64: 1, 2>, kind = #train<reduce_kind add>} : (tensor<5x7x100xui32>) -> tensor<5xui32>
  return %r : tensor<5xui32>
}
func.func @reduce_column_add_ui32(%a: tensor<150x7xui32>) -> (tensor<7xui32>) {
  %r = train.reduce %a {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<150x7xui32>) -> tensor<7xui32>
  return %r : tensor<7xui32>
}
func.func @cumulative_add_ui32(%a: tensor<5x70xui32>) -> (tensor<5x70xui32>) {
  %r = train.cumulative %a {dim = 1 : i64, kind = #train<reduce_kind add>, reverse = true} : (tensor<5x70xui32>) -> tensor<5x70xui32>
  return %r : tensor<5x70xui32>
}
func.func @reduce_window_add_ui32(%a: tensor<2x9x10xui32>) -> (tensor<2x4x9xui32>) {
  %r = train.reduce_window %a {window = array<i64: 1, 3, 2>, strides = array<i64: 1, 2, 1>, base_dilation = array<i64: 1, 1, 1>, window_dilation = array<i64: 1, 1, 1>, pad_low = array<i64: 0, 0, 0>, pad_high = array<i64: 0, 0, 0>, kind = #train<reduce_kind add>} : (tensor<2x9x10xui32>) -> tensor<2x4x9xui32>
  return %r : tensor<2x4x9xui32>
}
func.func @reduce_row_maximum_ui32(%a: tensor<5x7x100xui32>) -> (tensor<5xui32>) {
  %r = train.reduce %a {dims = array<i64: 1, 2>, kind = #train<reduce_kind maximum>} : (tensor<5x7x100xui32>) -> tensor<5xui32>
  return %r : tensor<5xui32>
}
func.func @reduce_column_maximum_ui32(%a: tensor<150x7xui32>) -> (tensor<7xui32>) {
  %r = train.reduce %a {dims = array<i64: 0>, kind = #train<reduce_kind maximum>} : (tensor<150x7xui32>) -> tensor<7xui32>
  return %r : tensor<7xui32>
}
func.func @cumulative_maximum_ui32(%a: tensor<5x70xui32>) -> (tensor<5x70xui32>) {
  %r = train.cumulative %a {dim = 1 : i64, kind = #train<reduce_kind maximum>} : (tensor<5x70xui32>) -> tensor<5x70xui32>
  return %r : tensor<5x70xui32>
}
func.func @reduce_window_maximum_ui32(%a: tensor<2x9x10xui32>) -> (tensor<2x4x9xui32>) {
  %r = train.reduce_window %a {window = array<i64: 1, 3, 2>, strides = array<i64: 1, 2, 1>, base_dilation = array<i64: 1, 1, 1>, window_dilation = array<i64: 1, 1, 1>, pad_low = array<i64: 0, 0, 0>, pad_high = array<i64: 0, 0, 0>, kind = #train<reduce_kind maximum>} : (tensor<2x9x10xui32>) -> tensor<2x4x9xui32>
  return %r : tensor<2x4x9xui32>
}
func.func @reduce_row_minimum_ui32(%a: tensor<5x7x100xui32>) -> (tensor<5xui32>) {
  %r = train.reduce %a {dims = array<i64: 1, 2>, kind = #train<reduce_kind minimum>} : (tensor<5x7x100xui32>) -> tensor<5xui32>
  return %r : tensor<5xui32>
}
func.func @reduce_column_minimum_ui32(%a: tensor<150x7xui32>) -> (tensor<7xui32>) {
  %r = train.reduce %a {dims = array<i64: 0>, kind = #train<reduce_kind minimum>} : (tensor<150x7xui32>) -> tensor<7xui32>
  return %r : tensor<7xui32>
}
func.func @cumulative_minimum_ui32(%a: tensor<5x70xui32>) -> (tensor<5x70xui32>) {
  %r = train.cumulative %a {dim = 1 : i64, kind = #train<reduce_kind minimum>} : (tensor<5x70xui32>) -> tensor<5x70xui32>
  return %r : tensor<5x70xui32>
}
func.func @reduce_window_minimum_ui32(%a: tensor<2x9x10xui32>) -> (tensor<2x4x9xui32>) {
  %r = train.reduce_window %a {window = array<i64: 1, 3, 2>, strides = array<i64: 1, 2, 1>, base_dilation = array<i64: 1, 1, 1>, window_dilation = array<i64: 1, 1, 1>, pad_low = array<i64: 0, 0, 0>, pad_high = array<i64: 0, 0, 0>, kind = #train<reduce_kind minimum>} : (tensor<2x9x10xui32>) -> tensor<2x4x9xui32>
  return %r : tensor<2x4x9xui32>
}
func.func @arg_maximum_ui32(%a: tensor<5x33xui32>) -> (tensor<5xi32>) {
  %r = train.arg_reduce %a {dim = 1 : i64, kind = #train<reduce_kind maximum>} : (tensor<5x33xui32>) -> tensor<5xi32>
  return %r : tensor<5xi32>
}
func.func @arg_minimum_ui32(%a: tensor<5x33xui32>) -> (tensor<5xi32>) {
  %r = train.arg_reduce %a {dim = 1 : i64, kind = #train<reduce_kind minimum>} : (tensor<5x33xui32>) -> tensor<5xi32>
  return %r : tensor<5xi32>
}
func.func @sort_ui32(%a: tensor<5x33xui32>, %b: tensor<5x33xi32>) -> (tensor<5x33xui32>, tensor<5x33xi32>) {
  %r:2 = train.sort %a, %b {dim = 1 : i64, descending = true} : (tensor<5x33xui32>, tensor<5x33xi32>) -> (tensor<5x33xui32>, tensor<5x33xi32>)
  return %r#0, %r#1 : tensor<5x33xui32>, tensor<5x33xi32>
}
func.func @reduce_row_add_i8(%a: tensor<5x7x100xi8>) -> (tensor<5xi8>) {
  %r = train.reduce %a {dims = array<i64: 1, 2>, kind = #train<reduce_kind add>} : (tensor<5x7x100xi8>) -> tensor<5xi8>
  return %r : tensor<5xi8>
}
func.func @reduce_column_add_i8(%a: tensor<150x7xi8>) -> (tensor<7xi8>) {
  %r = train.reduce %a {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<150x7xi8>) -> tensor<7xi8>
  return %r : tensor<7xi8>
}
func.func @cumulative_add_i8(%a: tensor<5x70xi8>) -> (tensor<5x70xi8>) {
  %r = train.cumulative %a {dim = 1 : i64, kind = #train<reduce_kind add>, reverse = true} : (tensor<5x70xi8>) -> tensor<5x70xi8>
  return %r : tensor<5x70xi8>
}
func.func @reduce_window_add_i8(%a: tensor<2x9x10xi8>) -> (tensor<2x4x9xi8>) {
  %r = train.reduce_window %a {window = array<i64: 1, 3, 2>, strides = array<i64: 1, 2, 1>, base_dilation = array<i64: 1, 1, 1>, window_dilation = array<i64: 1, 1, 1>, pad_low = array<i64: 0, 0, 0>, pad_high = array<i64: 0, 0, 0>, kind = #train<reduce_kind add>} : (tensor<2x9x10xi8>) -> tensor<2x4x9xi8>
  return %r : tensor<2x4x9xi8>
}
func.func @reduce_row_maximum_i8(%a: tensor<5x7x100xi8>) -> (tensor<5xi8>) {
  %r = train.reduce %a {dims = array<i64: 1, 2>, kind = #train<reduce_kind maximum>} : (tensor<5x7x100xi8>) -> tensor<5xi8>
  return %r : tensor<5xi8>
}
func.func @reduce_column_maximum_i8(%a: tensor<150x7xi8>) -> (tensor<7xi8>) {
  %r = train.reduce %a {dims = array<i64: 0>, kind = #train<reduce_kind maximum>} : (tensor<150x7xi8>) -> tensor<7xi8>
  return %r : tensor<7xi8>
}
func.func @cumulative_maximum_i8(%a: tensor<5x70xi8>) -> (tensor<5x70xi8>) {
  %r = train.cumulative %a {dim = 1 : i64, kind = #train<reduce_kind maximum>} : (tensor<5x70xi8>) -> tensor<5x70xi8>
  return %r : tensor<5x70xi8>
}
func.func @reduce_window_maximum_i8(%a: tensor<2x9x10xi8>) -> (tensor<2x4x9xi8>) {
  %r = train.reduce_window %a {window = array<i64: 1, 3, 2>, strides = array<i64: 1, 2, 1>, base_dilation = array<i64: 1, 1, 1>, window_dilation = array<i64: 1, 1, 1>, pad_low = array<i64: 0, 0, 0>, pad_high = array<i64: 0, 0, 0>, kind = #train<reduce_kind maximum>} : (tensor<2x9x10xi8>) -> tensor<2x4x9xi8>
  return %r : tensor<2x4x9xi8>
}
func.func @reduce_row_minimum_i8(%a: tensor<5x7x100xi8>) -> (tensor<5xi8>) {
  %r = train.reduce %a {dims = array<i64: 1, 2>, kind = #train<reduce_kind minimum>} : (tensor<5x7x100xi8>) -> tensor<5xi8>
  return %r : tensor<5xi8>
}
func.func @reduce_column_minimum_i8(%a: tensor<150x7xi8>) -> (tensor<7xi8>) {
  %r = train.reduce %a {dims = array<i64: 0>, kind = #train<reduce_kind minimum>} : (tensor<150x7xi8>) -> tensor<7xi8>
  return %r : tensor<7xi8>
}
func.func @cumulative_minimum_i8(%a: tensor<5x70xi8>) -> (tensor<5x70xi8>) {
  %r = train.cumulative %a {dim = 1 : i64, kind = #train<reduce_kind minimum>} : (tensor<5x70xi8>) -> tensor<5x70xi8>
  return %r : tensor<5x70xi8>
}
func.func @reduce_window_minimum_i8(%a: tensor<2x9x10xi8>) -> (tensor<2x4x9xi8>) {
  %r = train.reduce_window %a {window = array<i64: 1, 3, 2>, strides = array<i64: 1, 2, 1>, base_dilation = array<i64: 1, 1, 1>, window_dilation = array<i64: 1, 1, 1>, pad_low = array<i64: 0, 0, 0>, pad_high = array<i64: 0, 0, 0>, kind = #train<reduce_kind minimum>} : (tensor<2x9x10xi8>) -> tensor<2x4x9xi8>
  return %r : tensor<2x4x9xi8>
}
func.func @arg_maximum_i8(%a: tensor<5x33xi8>) -> (tensor<5xi32>) {
  %r = train.arg_reduce %a {dim = 1 : i64, kind = #train<reduce_kind maximum>} : (tensor<5x33xi8>) -> tensor<5xi32>
  return %r : tensor<5xi32>
}
func.func @arg_minimum_i8(%a: tensor<5x33xi8>) -> (tensor<5xi32>) {
  %r = train.arg_reduce %a {dim = 1 : i64, kind = #train<reduce_kind minimum>} : (tensor<5x33xi8>) -> tensor<5xi32>
  return %r : tensor<5xi32>
}
func.func @sort_i8(%a: tensor<5x33xi8>, %b: tensor<5x33xi32>) -> (tensor<5x33xi8>, tensor<5x33xi32>) {
  %r:2 = train.sort %a, %b {dim = 1 : i64, descending = true} : (tensor<5x33xi8>, tensor<5x33xi32>) -> (tensor<5x33xi8>, tensor<5x33xi32>)
  return %r#0, %r#1 : tensor<5x33xi8>, tensor<5x33xi32>
}
func.func @reduce_logical_and_i1(%a: tensor<5x100xi1>) -> (tensor<5xi1>) {
  %r = train.reduce %a {dims = array<i64: 1>, kind = #train<reduce_kind logical_and>} : (tensor<5x100xi1>) -> tensor<5xi1>
  return %r : tensor<5xi1>
}
func.func @reduce_logical_and_i32(%a: tensor<5x100xi32>) -> (tensor<5xi32>) {
  %r = train.reduce %a {dims = array<i64: 1>, kind = #train<reduce_kind logical_and>} : (tensor<5x100xi32>) -> tensor<5xi32>
  return %r : tensor<5xi32>
}
func.func @reduce_logical_or_i1(%a: tensor<5x100xi1>) -> (tensor<5xi1>) {
  %r = train.reduce %a {dims = array<i64: 1>, kind = #train<reduce_kind logical_or>} : (tensor<5x100xi1>) -> tensor<5xi1>
  return %r : tensor<5xi1>
}
func.func @reduce_logical_or_i32(%a: tensor<5x100xi32>) -> (tensor<5xi32>) {
  %r = train.reduce %a {dims = array<i64: 1>, kind = #train<reduce_kind logical_or>} : (tensor<5x100xi32>) -> tensor<5xi32>
  return %r : tensor<5xi32>
}
func.func @reduce_logical_xor_i1(%a: tensor<5x100xi1>) -> (tensor<5xi1>) {
  %r = train.reduce %a {dims = array<i64: 1>, kind = #train<reduce_kind logical_xor>} : (tensor<5x100xi1>) -> tensor<5xi1>
  return %r : tensor<5xi1>
}
func.func @reduce_logical_xor_i32(%a: tensor<5x100xi32>) -> (tensor<5xi32>) {
  %r = train.reduce %a {dims = array<i64: 1>, kind = #train<reduce_kind logical_xor>} : (tensor<5x100xi32>) -> tensor<5xi32>
  return %r : tensor<5xi32>
}
func.func @select_and_scatter_maximum_f32(%a: tensor<2x9x10xf32>, %b: tensor<2x4x9xf32>) -> (tensor<2x9x10xf32>) {
  %r = train.select_and_scatter %a, %b {window = array<i64: 1, 3, 2>, strides = array<i64: 1, 2, 1>, pad_low = array<i64: 0, 0, 0>, pad_high = array<i64: 0, 0, 0>, kind = #train<reduce_kind maximum>} : (tensor<2x9x10xf32>, tensor<2x4x9xf32>) -> tensor<2x9x10xf32>
  return %r : tensor<2x9x10xf32>
}
func.func @select_and_scatter_minimum_f32(%a: tensor<2x9x10xf32>, %b: tensor<2x4x9xf32>) -> (tensor<2x9x10xf32>) {
  %r = train.select_and_scatter %a, %b {window = array<i64: 1, 3, 2>, strides = array<i64: 1, 2, 1>, pad_low = array<i64: 0, 0, 0>, pad_high = array<i64: 0, 0, 0>, kind = #train<reduce_kind minimum>} : (tensor<2x9x10xf32>, tensor<2x4x9xf32>) -> tensor<2x9x10xf32>
  return %r : tensor<2x9x10xf32>
}
func.func @sum_of_squares_f32(%a: tensor<5x800xf32>) -> (tensor<f32>) {
  %r = train.sum_of_squares %a  : (tensor<5x800xf32>) -> tensor<f32>
  return %r : tensor<f32>
}
func.func @sum_of_squares_blocks_f32(%a: tensor<5x1000xf32>) -> (tensor<2xf32>) {
  %r = train.sum_of_squares %a  : (tensor<5x1000xf32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}
func.func @dot_f32_f32(%a: tensor<3x7x300xf32>, %b: tensor<300x3x17xf32>) -> (tensor<3x7x17xf32>) {
  %r = train.dot_general %a, %b {lhs_batching = array<i64: 0>, rhs_batching = array<i64: 1>, lhs_contracting = array<i64: 2>, rhs_contracting = array<i64: 0>} : (tensor<3x7x300xf32>, tensor<300x3x17xf32>) -> tensor<3x7x17xf32>
  return %r : tensor<3x7x17xf32>
}
func.func @convolution_f32_f32(%a: tensor<2x9x10x6xf32>, %b: tensor<3x3x3x8xf32>) -> (tensor<2x5x10x8xf32>) {
  %r = train.convolution %a, %b {strides = array<i64: 2, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, reversal = array<i1: false, false>, input_dims = array<i64: 0, 3, 1, 2>, kernel_dims = array<i64: 2, 3, 0, 1>, output_dims = array<i64: 0, 3, 1, 2>, feature_groups = 2 : i64} : (tensor<2x9x10x6xf32>, tensor<3x3x3x8xf32>) -> tensor<2x5x10x8xf32>
  return %r : tensor<2x5x10x8xf32>
}
func.func @select_and_scatter_maximum_bf16(%a: tensor<2x9x10xbf16>, %b: tensor<2x4x9xbf16>) -> (tensor<2x9x10xbf16>) {
  %r = train.select_and_scatter %a, %b {window = array<i64: 1, 3, 2>, strides = array<i64: 1, 2, 1>, pad_low = array<i64: 0, 0, 0>, pad_high = array<i64: 0, 0, 0>, kind = #train<reduce_kind maximum>} : (tensor<2x9x10xbf16>, tensor<2x4x9xbf16>) -> tensor<2x9x10xbf16>
  return %r : tensor<2x9x10xbf16>
}
func.func @select_and_scatter_minimum_bf16(%a: tensor<2x9x10xbf16>, %b: tensor<2x4x9xbf16>) -> (tensor<2x9x10xbf16>) {
  %r = train.select_and_scatter %a, %b {window = array<i64: 1, 3, 2>, strides = array<i64: 1, 2, 1>, pad_low = array<i64: 0, 0, 0>, pad_high = array<i64: 0, 0, 0>, kind = #train<reduce_kind minimum>} : (tensor<2x9x10xbf16>, tensor<2x4x9xbf16>) -> tensor<2x9x10xbf16>
  return %r : tensor<2x9x10xbf16>
}
func.func @sum_of_squares_bf16(%a: tensor<5x800xbf16>) -> (tensor<f32>) {
  %r = train.sum_of_squares %a  : (tensor<5x800xbf16>) -> tensor<f32>
  return %r : tensor<f32>
}
func.func @sum_of_squares_blocks_bf16(%a: tensor<5x1000xbf16>) -> (tensor<2xf32>) {
  %r = train.sum_of_squares %a  : (tensor<5x1000xbf16>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}
func.func @dot_bf16_bf16(%a: tensor<3x7x300xbf16>, %b: tensor<300x3x17xbf16>) -> (tensor<3x7x17xbf16>) {
  %r = train.dot_general %a, %b {lhs_batching = array<i64: 0>, rhs_batching = array<i64: 1>, lhs_contracting = array<i64: 2>, rhs_contracting = array<i64: 0>} : (tensor<3x7x300xbf16>, tensor<300x3x17xbf16>) -> tensor<3x7x17xbf16>
  return %r : tensor<3x7x17xbf16>
}
func.func @convolution_bf16_bf16(%a: tensor<2x9x10x6xbf16>, %b: tensor<3x3x3x8xbf16>) -> (tensor<2x5x10x8xbf16>) {
  %r = train.convolution %a, %b {strides = array<i64: 2, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, reversal = array<i1: false, false>, input_dims = array<i64: 0, 3, 1, 2>, kernel_dims = array<i64: 2, 3, 0, 1>, output_dims = array<i64: 0, 3, 1, 2>, feature_groups = 2 : i64} : (tensor<2x9x10x6xbf16>, tensor<3x3x3x8xbf16>) -> tensor<2x5x10x8xbf16>
  return %r : tensor<2x5x10x8xbf16>
}
func.func @dot_bf16_f32(%a: tensor<3x7x300xbf16>, %b: tensor<300x3x17xbf16>) -> (tensor<3x7x17xf32>) {
  %r = train.dot_general %a, %b {lhs_batching = array<i64: 0>, rhs_batching = array<i64: 1>, lhs_contracting = array<i64: 2>, rhs_contracting = array<i64: 0>} : (tensor<3x7x300xbf16>, tensor<300x3x17xbf16>) -> tensor<3x7x17xf32>
  return %r : tensor<3x7x17xf32>
}
func.func @convolution_bf16_f32(%a: tensor<2x9x10x6xbf16>, %b: tensor<3x3x3x8xbf16>) -> (tensor<2x5x10x8xf32>) {
  %r = train.convolution %a, %b {strides = array<i64: 2, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, reversal = array<i1: false, false>, input_dims = array<i64: 0, 3, 1, 2>, kernel_dims = array<i64: 2, 3, 0, 1>, output_dims = array<i64: 0, 3, 1, 2>, feature_groups = 2 : i64} : (tensor<2x9x10x6xbf16>, tensor<3x3x3x8xbf16>) -> tensor<2x5x10x8xf32>
  return %r : tensor<2x5x10x8xf32>
}
func.func @select_and_scatter_maximum_f16(%a: tensor<2x9x10xf16>, %b: tensor<2x4x9xf16>) -> (tensor<2x9x10xf16>) {
  %r = train.select_and_scatter %a, %b {window = array<i64: 1, 3, 2>, strides = array<i64: 1, 2, 1>, pad_low = array<i64: 0, 0, 0>, pad_high = array<i64: 0, 0, 0>, kind = #train<reduce_kind maximum>} : (tensor<2x9x10xf16>, tensor<2x4x9xf16>) -> tensor<2x9x10xf16>
  return %r : tensor<2x9x10xf16>
}
func.func @select_and_scatter_minimum_f16(%a: tensor<2x9x10xf16>, %b: tensor<2x4x9xf16>) -> (tensor<2x9x10xf16>) {
  %r = train.select_and_scatter %a, %b {window = array<i64: 1, 3, 2>, strides = array<i64: 1, 2, 1>, pad_low = array<i64: 0, 0, 0>, pad_high = array<i64: 0, 0, 0>, kind = #train<reduce_kind minimum>} : (tensor<2x9x10xf16>, tensor<2x4x9xf16>) -> tensor<2x9x10xf16>
  return %r : tensor<2x9x10xf16>
}
func.func @sum_of_squares_f16(%a: tensor<5x800xf16>) -> (tensor<f32>) {
  %r = train.sum_of_squares %a  : (tensor<5x800xf16>) -> tensor<f32>
  return %r : tensor<f32>
}
func.func @sum_of_squares_blocks_f16(%a: tensor<5x1000xf16>) -> (tensor<2xf32>) {
  %r = train.sum_of_squares %a  : (tensor<5x1000xf16>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}
func.func @dot_f16_f16(%a: tensor<3x7x300xf16>, %b: tensor<300x3x17xf16>) -> (tensor<3x7x17xf16>) {
  %r = train.dot_general %a, %b {lhs_batching = array<i64: 0>, rhs_batching = array<i64: 1>, lhs_contracting = array<i64: 2>, rhs_contracting = array<i64: 0>} : (tensor<3x7x300xf16>, tensor<300x3x17xf16>) -> tensor<3x7x17xf16>
  return %r : tensor<3x7x17xf16>
}
func.func @convolution_f16_f16(%a: tensor<2x9x10x6xf16>, %b: tensor<3x3x3x8xf16>) -> (tensor<2x5x10x8xf16>) {
  %r = train.convolution %a, %b {strides = array<i64: 2, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, reversal = array<i1: false, false>, input_dims = array<i64: 0, 3, 1, 2>, kernel_dims = array<i64: 2, 3, 0, 1>, output_dims = array<i64: 0, 3, 1, 2>, feature_groups = 2 : i64} : (tensor<2x9x10x6xf16>, tensor<3x3x3x8xf16>) -> tensor<2x5x10x8xf16>
  return %r : tensor<2x5x10x8xf16>
}
func.func @dot_f16_f32(%a: tensor<3x7x300xf16>, %b: tensor<300x3x17xf16>) -> (tensor<3x7x17xf32>) {
  %r = train.dot_general %a, %b {lhs_batching = array<i64: 0>, rhs_batching = array<i64: 1>, lhs_contracting = array<i64: 2>, rhs_contracting = array<i64: 0>} : (tensor<3x7x300xf16>, tensor<300x3x17xf16>) -> tensor<3x7x17xf32>
  return %r : tensor<3x7x17xf32>
}
func.func @convolution_f16_f32(%a: tensor<2x9x10x6xf16>, %b: tensor<3x3x3x8xf16>) -> (tensor<2x5x10x8xf32>) {
  %r = train.convolution %a, %b {strides = array<i64: 2, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, reversal = array<i1: false, false>, input_dims = array<i64: 0, 3, 1, 2>, kernel_dims = array<i64: 2, 3, 0, 1>, output_dims = array<i64: 0, 3, 1, 2>, feature_groups = 2 : i64} : (tensor<2x9x10x6xf16>, tensor<3x3x3x8xf16>) -> tensor<2x5x10x8xf32>
  return %r : tensor<2x5x10x8xf32>
}
func.func @select_and_scatter_maximum_f64(%a: tensor<2x9x10xf64>, %b: tensor<2x4x9xf64>) -> (tensor<2x9x10xf64>) {
  %r = train.select_and_scatter %a, %b {window = array<i64: 1, 3, 2>, strides = array<i64: 1, 2, 1>, pad_low = array<i64: 0, 0, 0>, pad_high = array<i64: 0, 0, 0>, kind = #train<reduce_kind maximum>} : (tensor<2x9x10xf64>, tensor<2x4x9xf64>) -> tensor<2x9x10xf64>
  return %r : tensor<2x9x10xf64>
}
func.func @select_and_scatter_minimum_f64(%a: tensor<2x9x10xf64>, %b: tensor<2x4x9xf64>) -> (tensor<2x9x10xf64>) {
  %r = train.select_and_scatter %a, %b {window = array<i64: 1, 3, 2>, strides = array<i64: 1, 2, 1>, pad_low = array<i64: 0, 0, 0>, pad_high = array<i64: 0, 0, 0>, kind = #train<reduce_kind minimum>} : (tensor<2x9x10xf64>, tensor<2x4x9xf64>) -> tensor<2x9x10xf64>
  return %r : tensor<2x9x10xf64>
}
func.func @dot_f64_f64(%a: tensor<3x7x300xf64>, %b: tensor<300x3x17xf64>) -> (tensor<3x7x17xf64>) {
  %r = train.dot_general %a, %b {lhs_batching = array<i64: 0>, rhs_batching = array<i64: 1>, lhs_contracting = array<i64: 2>, rhs_contracting = array<i64: 0>} : (tensor<3x7x300xf64>, tensor<300x3x17xf64>) -> tensor<3x7x17xf64>
  return %r : tensor<3x7x17xf64>
}
func.func @convolution_f64_f64(%a: tensor<2x9x10x6xf64>, %b: tensor<3x3x3x8xf64>) -> (tensor<2x5x10x8xf64>) {
  %r = train.convolution %a, %b {strides = array<i64: 2, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, reversal = array<i1: false, false>, input_dims = array<i64: 0, 3, 1, 2>, kernel_dims = array<i64: 2, 3, 0, 1>, output_dims = array<i64: 0, 3, 1, 2>, feature_groups = 2 : i64} : (tensor<2x9x10x6xf64>, tensor<3x3x3x8xf64>) -> tensor<2x5x10x8xf64>
  return %r : tensor<2x5x10x8xf64>
}
func.func @dot_i32(%a: tensor<7x30xi32>, %b: tensor<30x17xi32>) -> (tensor<7x17xi32>) {
  %r = train.dot_general %a, %b {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>} : (tensor<7x30xi32>, tensor<30x17xi32>) -> tensor<7x17xi32>
  return %r : tensor<7x17xi32>
}
func.func @adamw_f32(%a: tensor<5x33xf32>, %b: tensor<5x33xf32>, %c: tensor<5x33xf32>, %d: tensor<5x33xf32>, %e: tensor<16xf32>, %f: tensor<f32>, %g: tensor<i1>) -> (tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>) {
  %r:3 = train.update %a, %b, %c, %d, %e, %f, %g {optimizer = "adamw", decay = true} : (tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<16xf32>, tensor<f32>, tensor<i1>) -> (tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>)
  return %r#0, %r#1, %r#2 : tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>
}
func.func @adamw_ema_bf16(%a: tensor<5x33xf32>, %b: tensor<5x33xf32>, %c: tensor<5x33xf32>, %d: tensor<5x33xf32>, %e: tensor<5x33xbf16>, %f: tensor<16xf32>, %g: tensor<f32>, %h: tensor<i1>) -> (tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xbf16>) {
  %r:5 = train.update %a, %b, %c, %d, %e, %f, %g, %h {optimizer = "adamw", decay = true, ema = 0.9 : f64} : (tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xbf16>, tensor<16xf32>, tensor<f32>, tensor<i1>) -> (tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xbf16>)
  return %r#0, %r#1, %r#2, %r#3, %r#4 : tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xbf16>
}
func.func @sgd_ema_f32(%a: tensor<5x33xf32>, %b: tensor<5x33xf32>, %c: tensor<5x33xf32>, %d: tensor<5x33xf32>, %e: tensor<16xf32>, %f: tensor<f32>, %g: tensor<i1>) -> (tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>) {
  %r:3 = train.update %a, %b, %c, %d, %e, %f, %g {optimizer = "sgd", decay = false, ema = 0.9 : f64} : (tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<16xf32>, tensor<f32>, tensor<i1>) -> (tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>)
  return %r#0, %r#1, %r#2 : tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>
}
func.func @lion_f32(%a: tensor<5x33xf32>, %b: tensor<5x33xf32>, %c: tensor<5x33xf32>, %d: tensor<16xf32>, %e: tensor<f32>, %f: tensor<i1>) -> (tensor<5x33xf32>, tensor<5x33xf32>) {
  %r:2 = train.update %a, %b, %c, %d, %e, %f {optimizer = "lion", decay = true} : (tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<16xf32>, tensor<f32>, tensor<i1>) -> (tensor<5x33xf32>, tensor<5x33xf32>)
  return %r#0, %r#1 : tensor<5x33xf32>, tensor<5x33xf32>
}
func.func @lion_bf16(%a: tensor<5x33xf32>, %b: tensor<5x33xf32>, %c: tensor<5x33xbf16>, %d: tensor<16xf32>, %e: tensor<f32>, %f: tensor<i1>) -> (tensor<5x33xf32>, tensor<5x33xf32>) {
  %r:2 = train.update %a, %b, %c, %d, %e, %f {optimizer = "lion", decay = true} : (tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xbf16>, tensor<16xf32>, tensor<f32>, tensor<i1>) -> (tensor<5x33xf32>, tensor<5x33xf32>)
  return %r#0, %r#1 : tensor<5x33xf32>, tensor<5x33xf32>
}
func.func @lion_f16(%a: tensor<5x33xf32>, %b: tensor<5x33xf32>, %c: tensor<5x33xf16>, %d: tensor<16xf32>, %e: tensor<f32>, %f: tensor<i1>) -> (tensor<5x33xf32>, tensor<5x33xf32>) {
  %r:2 = train.update %a, %b, %c, %d, %e, %f {optimizer = "lion", decay = true} : (tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf16>, tensor<16xf32>, tensor<f32>, tensor<i1>) -> (tensor<5x33xf32>, tensor<5x33xf32>)
  return %r#0, %r#1 : tensor<5x33xf32>, tensor<5x33xf32>
}
func.func @sgd_f32(%a: tensor<5x33xf32>, %b: tensor<5x33xf32>, %c: tensor<5x33xf32>, %d: tensor<16xf32>, %e: tensor<f32>, %f: tensor<i1>) -> (tensor<5x33xf32>, tensor<5x33xf32>) {
  %r:2 = train.update %a, %b, %c, %d, %e, %f {optimizer = "sgd", decay = false} : (tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<16xf32>, tensor<f32>, tensor<i1>) -> (tensor<5x33xf32>, tensor<5x33xf32>)
  return %r#0, %r#1 : tensor<5x33xf32>, tensor<5x33xf32>
}
func.func @adamw_bf16(%a: tensor<5x33xf32>, %b: tensor<5x33xf32>, %c: tensor<5x33xf32>, %d: tensor<5x33xbf16>, %e: tensor<16xf32>, %f: tensor<f32>, %g: tensor<i1>) -> (tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xbf16>) {
  %r:4 = train.update %a, %b, %c, %d, %e, %f, %g {optimizer = "adamw", decay = true} : (tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xbf16>, tensor<16xf32>, tensor<f32>, tensor<i1>) -> (tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xbf16>)
  return %r#0, %r#1, %r#2, %r#3 : tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xbf16>
}
func.func @sgd_bf16(%a: tensor<5x33xf32>, %b: tensor<5x33xf32>, %c: tensor<5x33xbf16>, %d: tensor<16xf32>, %e: tensor<f32>, %f: tensor<i1>) -> (tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xbf16>) {
  %r:3 = train.update %a, %b, %c, %d, %e, %f {optimizer = "sgd", decay = false} : (tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xbf16>, tensor<16xf32>, tensor<f32>, tensor<i1>) -> (tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xbf16>)
  return %r#0, %r#1, %r#2 : tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xbf16>
}
func.func @adamw_f16(%a: tensor<5x33xf32>, %b: tensor<5x33xf32>, %c: tensor<5x33xf32>, %d: tensor<5x33xf16>, %e: tensor<16xf32>, %f: tensor<f32>, %g: tensor<i1>) -> (tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf16>) {
  %r:4 = train.update %a, %b, %c, %d, %e, %f, %g {optimizer = "adamw", decay = true} : (tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf16>, tensor<16xf32>, tensor<f32>, tensor<i1>) -> (tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf16>)
  return %r#0, %r#1, %r#2, %r#3 : tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf16>
}
func.func @sgd_f16(%a: tensor<5x33xf32>, %b: tensor<5x33xf32>, %c: tensor<5x33xf16>, %d: tensor<16xf32>, %e: tensor<f32>, %f: tensor<i1>) -> (tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf16>) {
  %r:3 = train.update %a, %b, %c, %d, %e, %f {optimizer = "sgd", decay = false} : (tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf16>, tensor<16xf32>, tensor<f32>, tensor<i1>) -> (tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf16>)
  return %r#0, %r#1, %r#2 : tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf16>
}
func.func @attention_f32(%a: tensor<2x9x4x8xf32>, %b: tensor<2x11x2x8xf32>, %c: tensor<2x11x2x6xf32>) -> (tensor<2x9x4x6xf32>, tensor<2x9x4xf32>) {
  %r:2 = train.attention %a, %b, %c {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0>, scale = 0.35 : f64, before = 3 : i64, after = 2 : i64, fill = -1.0e9 : f64} : (tensor<2x9x4x8xf32>, tensor<2x11x2x8xf32>, tensor<2x11x2x6xf32>) -> (tensor<2x9x4x6xf32>, tensor<2x9x4xf32>)
  return %r#0, %r#1 : tensor<2x9x4x6xf32>, tensor<2x9x4xf32>
}
func.func @attention_bf16(%a: tensor<2x9x4x8xbf16>, %b: tensor<2x11x2x8xbf16>, %c: tensor<2x11x2x6xbf16>) -> (tensor<2x9x4x6xbf16>, tensor<2x9x4xf32>) {
  %r:2 = train.attention %a, %b, %c {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0>, scale = 0.35 : f64, before = 3 : i64, after = 2 : i64, fill = -1.0e9 : f64} : (tensor<2x9x4x8xbf16>, tensor<2x11x2x8xbf16>, tensor<2x11x2x6xbf16>) -> (tensor<2x9x4x6xbf16>, tensor<2x9x4xf32>)
  return %r#0, %r#1 : tensor<2x9x4x6xbf16>, tensor<2x9x4xf32>
}
func.func @attention_f16(%a: tensor<2x9x4x8xf16>, %b: tensor<2x11x2x8xf16>, %c: tensor<2x11x2x6xf16>) -> (tensor<2x9x4x6xf16>, tensor<2x9x4xf32>) {
  %r:2 = train.attention %a, %b, %c {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0>, scale = 0.35 : f64, before = 3 : i64, after = 2 : i64, fill = -1.0e9 : f64} : (tensor<2x9x4x8xf16>, tensor<2x11x2x8xf16>, tensor<2x11x2x6xf16>) -> (tensor<2x9x4x6xf16>, tensor<2x9x4xf32>)
  return %r#0, %r#1 : tensor<2x9x4x6xf16>, tensor<2x9x4xf32>
}
func.func @attention_dropped_f32(%a: tensor<2x9x4x8xf32>, %x: tensor<2x11x2x8xf32>, %y: tensor<2x11x2x6xf32>) -> (tensor<2x9x4x6xf32>, tensor<2x9x4xf32>) {
  %b = train.iota {dim = 0 : i64} : () -> tensor<2x4x9x11xui32>
  %h = train.iota {dim = 1 : i64} : () -> tensor<2x4x9x11xui32>
  %i = train.iota {dim = 2 : i64} : () -> tensor<2x4x9x11xui32>
  %j = train.iota {dim = 3 : i64} : () -> tensor<2x4x9x11xui32>
  %c = train.constant dense<4> : tensor<2x4x9x11xui32>
  %d = train.constant dense<9> : tensor<2x4x9x11xui32>
  %e = train.constant dense<11> : tensor<2x4x9x11xui32>
  %s = train.constant dense<13> : tensor<2x4x9x11xui32>
  %m = train.constant dense<1540483477> : tensor<2x4x9x11xui32>
  %u = train.constant dense<3000000000> : tensor<2x4x9x11xui32>
  %0 = train.multiply %b, %c : (tensor<2x4x9x11xui32>, tensor<2x4x9x11xui32>) -> tensor<2x4x9x11xui32>
  %1 = train.add %0, %h : (tensor<2x4x9x11xui32>, tensor<2x4x9x11xui32>) -> tensor<2x4x9x11xui32>
  %2 = train.multiply %1, %d : (tensor<2x4x9x11xui32>, tensor<2x4x9x11xui32>) -> tensor<2x4x9x11xui32>
  %3 = train.add %2, %i : (tensor<2x4x9x11xui32>, tensor<2x4x9x11xui32>) -> tensor<2x4x9x11xui32>
  %4 = train.multiply %3, %e : (tensor<2x4x9x11xui32>, tensor<2x4x9x11xui32>) -> tensor<2x4x9x11xui32>
  %5 = train.add %4, %j : (tensor<2x4x9x11xui32>, tensor<2x4x9x11xui32>) -> tensor<2x4x9x11xui32>
  %6 = train.multiply %5, %m : (tensor<2x4x9x11xui32>, tensor<2x4x9x11xui32>) -> tensor<2x4x9x11xui32>
  %7 = train.shift_right_logical %6, %s : (tensor<2x4x9x11xui32>, tensor<2x4x9x11xui32>) -> tensor<2x4x9x11xui32>
  %8 = train.xor %6, %7 : (tensor<2x4x9x11xui32>, tensor<2x4x9x11xui32>) -> tensor<2x4x9x11xui32>
  %9 = train.multiply %8, %m : (tensor<2x4x9x11xui32>, tensor<2x4x9x11xui32>) -> tensor<2x4x9x11xui32>
  %kept = train.compare %9, %u {direction = #train<compare_direction LT>} : (tensor<2x4x9x11xui32>, tensor<2x4x9x11xui32>) -> tensor<2x4x9x11xi1>
  %r:2 = train.attention %a, %x, %y, %kept {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 1>, scale = 0.35 : f64, fill = -1.0e9 : f64, kept_scale = 1.25 : f64} : (tensor<2x9x4x8xf32>, tensor<2x11x2x8xf32>, tensor<2x11x2x6xf32>, tensor<2x4x9x11xi1>) -> (tensor<2x9x4x6xf32>, tensor<2x9x4xf32>)
  return %r#0, %r#1 : tensor<2x9x4x6xf32>, tensor<2x9x4xf32>
}
func.func @attention_gradient_dropped_f32(%a: tensor<2x9x4x8xf32>, %x: tensor<2x11x2x8xf32>, %y: tensor<2x11x2x6xf32>, %l: tensor<2x9x4xf32>, %t: tensor<2x9x4xf32>, %g: tensor<2x9x4x6xf32>) -> (tensor<2x9x4x8xf32>, tensor<2x11x2x8xf32>, tensor<2x11x2x6xf32>) {
  %b = train.iota {dim = 0 : i64} : () -> tensor<2x4x9x11xui32>
  %h = train.iota {dim = 1 : i64} : () -> tensor<2x4x9x11xui32>
  %i = train.iota {dim = 2 : i64} : () -> tensor<2x4x9x11xui32>
  %j = train.iota {dim = 3 : i64} : () -> tensor<2x4x9x11xui32>
  %c = train.constant dense<4> : tensor<2x4x9x11xui32>
  %d = train.constant dense<9> : tensor<2x4x9x11xui32>
  %e = train.constant dense<11> : tensor<2x4x9x11xui32>
  %s = train.constant dense<13> : tensor<2x4x9x11xui32>
  %m = train.constant dense<1540483477> : tensor<2x4x9x11xui32>
  %u = train.constant dense<3000000000> : tensor<2x4x9x11xui32>
  %0 = train.multiply %b, %c : (tensor<2x4x9x11xui32>, tensor<2x4x9x11xui32>) -> tensor<2x4x9x11xui32>
  %1 = train.add %0, %h : (tensor<2x4x9x11xui32>, tensor<2x4x9x11xui32>) -> tensor<2x4x9x11xui32>
  %2 = train.multiply %1, %d : (tensor<2x4x9x11xui32>, tensor<2x4x9x11xui32>) -> tensor<2x4x9x11xui32>
  %3 = train.add %2, %i : (tensor<2x4x9x11xui32>, tensor<2x4x9x11xui32>) -> tensor<2x4x9x11xui32>
  %4 = train.multiply %3, %e : (tensor<2x4x9x11xui32>, tensor<2x4x9x11xui32>) -> tensor<2x4x9x11xui32>
  %5 = train.add %4, %j : (tensor<2x4x9x11xui32>, tensor<2x4x9x11xui32>) -> tensor<2x4x9x11xui32>
  %6 = train.multiply %5, %m : (tensor<2x4x9x11xui32>, tensor<2x4x9x11xui32>) -> tensor<2x4x9x11xui32>
  %7 = train.shift_right_logical %6, %s : (tensor<2x4x9x11xui32>, tensor<2x4x9x11xui32>) -> tensor<2x4x9x11xui32>
  %8 = train.xor %6, %7 : (tensor<2x4x9x11xui32>, tensor<2x4x9x11xui32>) -> tensor<2x4x9x11xui32>
  %9 = train.multiply %8, %m : (tensor<2x4x9x11xui32>, tensor<2x4x9x11xui32>) -> tensor<2x4x9x11xui32>
  %kept = train.compare %9, %u {direction = #train<compare_direction LT>} : (tensor<2x4x9x11xui32>, tensor<2x4x9x11xui32>) -> tensor<2x4x9x11xi1>
  %r:3 = train.attention_gradient %a, %x, %y, %l, %t, %g, %kept {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1>, scale = 0.35 : f64, fill = -1.0e9 : f64, kept_scale = 1.25 : f64} : (tensor<2x9x4x8xf32>, tensor<2x11x2x8xf32>, tensor<2x11x2x6xf32>, tensor<2x9x4xf32>, tensor<2x9x4xf32>, tensor<2x9x4x6xf32>, tensor<2x4x9x11xi1>) -> (tensor<2x9x4x8xf32>, tensor<2x11x2x8xf32>, tensor<2x11x2x6xf32>)
  return %r#0, %r#1, %r#2 : tensor<2x9x4x8xf32>, tensor<2x11x2x8xf32>, tensor<2x11x2x6xf32>
}
func.func @attention_dropped_bf16(%a: tensor<2x9x4x8xbf16>, %x: tensor<2x11x2x8xbf16>, %y: tensor<2x11x2x6xbf16>) -> (tensor<2x9x4x6xbf16>, tensor<2x9x4xf32>) {
  %b = train.iota {dim = 0 : i64} : () -> tensor<2x4x9x11xui32>
  %h = train.iota {dim = 1 : i64} : () -> tensor<2x4x9x11xui32>
  %i = train.iota {dim = 2 : i64} : () -> tensor<2x4x9x11xui32>
  %j = train.iota {dim = 3 : i64} : () -> tensor<2x4x9x11xui32>
  %c = train.constant dense<4> : tensor<2x4x9x11xui32>
  %d = train.constant dense<9> : tensor<2x4x9x11xui32>
  %e = train.constant dense<11> : tensor<2x4x9x11xui32>
  %s = train.constant dense<13> : tensor<2x4x9x11xui32>
  %m = train.constant dense<1540483477> : tensor<2x4x9x11xui32>
  %u = train.constant dense<3000000000> : tensor<2x4x9x11xui32>
  %0 = train.multiply %b, %c : (tensor<2x4x9x11xui32>, tensor<2x4x9x11xui32>) -> tensor<2x4x9x11xui32>
  %1 = train.add %0, %h : (tensor<2x4x9x11xui32>, tensor<2x4x9x11xui32>) -> tensor<2x4x9x11xui32>
  %2 = train.multiply %1, %d : (tensor<2x4x9x11xui32>, tensor<2x4x9x11xui32>) -> tensor<2x4x9x11xui32>
  %3 = train.add %2, %i : (tensor<2x4x9x11xui32>, tensor<2x4x9x11xui32>) -> tensor<2x4x9x11xui32>
  %4 = train.multiply %3, %e : (tensor<2x4x9x11xui32>, tensor<2x4x9x11xui32>) -> tensor<2x4x9x11xui32>
  %5 = train.add %4, %j : (tensor<2x4x9x11xui32>, tensor<2x4x9x11xui32>) -> tensor<2x4x9x11xui32>
  %6 = train.multiply %5, %m : (tensor<2x4x9x11xui32>, tensor<2x4x9x11xui32>) -> tensor<2x4x9x11xui32>
  %7 = train.shift_right_logical %6, %s : (tensor<2x4x9x11xui32>, tensor<2x4x9x11xui32>) -> tensor<2x4x9x11xui32>
  %8 = train.xor %6, %7 : (tensor<2x4x9x11xui32>, tensor<2x4x9x11xui32>) -> tensor<2x4x9x11xui32>
  %9 = train.multiply %8, %m : (tensor<2x4x9x11xui32>, tensor<2x4x9x11xui32>) -> tensor<2x4x9x11xui32>
  %kept = train.compare %9, %u {direction = #train<compare_direction LT>} : (tensor<2x4x9x11xui32>, tensor<2x4x9x11xui32>) -> tensor<2x4x9x11xi1>
  %r:2 = train.attention %a, %x, %y, %kept {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 1>, scale = 0.35 : f64, fill = -1.0e9 : f64, kept_scale = 1.25 : f64} : (tensor<2x9x4x8xbf16>, tensor<2x11x2x8xbf16>, tensor<2x11x2x6xbf16>, tensor<2x4x9x11xi1>) -> (tensor<2x9x4x6xbf16>, tensor<2x9x4xf32>)
  return %r#0, %r#1 : tensor<2x9x4x6xbf16>, tensor<2x9x4xf32>
}
func.func @attention_gradient_dropped_bf16(%a: tensor<2x9x4x8xbf16>, %x: tensor<2x11x2x8xbf16>, %y: tensor<2x11x2x6xbf16>, %l: tensor<2x9x4xf32>, %t: tensor<2x9x4xf32>, %g: tensor<2x9x4x6xbf16>) -> (tensor<2x9x4x8xbf16>, tensor<2x11x2x8xbf16>, tensor<2x11x2x6xbf16>) {
  %b = train.iota {dim = 0 : i64} : () -> tensor<2x4x9x11xui32>
  %h = train.iota {dim = 1 : i64} : () -> tensor<2x4x9x11xui32>
  %i = train.iota {dim = 2 : i64} : () -> tensor<2x4x9x11xui32>
  %j = train.iota {dim = 3 : i64} : () -> tensor<2x4x9x11xui32>
  %c = train.constant dense<4> : tensor<2x4x9x11xui32>
  %d = train.constant dense<9> : tensor<2x4x9x11xui32>
  %e = train.constant dense<11> : tensor<2x4x9x11xui32>
  %s = train.constant dense<13> : tensor<2x4x9x11xui32>
  %m = train.constant dense<1540483477> : tensor<2x4x9x11xui32>
  %u = train.constant dense<3000000000> : tensor<2x4x9x11xui32>
  %0 = train.multiply %b, %c : (tensor<2x4x9x11xui32>, tensor<2x4x9x11xui32>) -> tensor<2x4x9x11xui32>
  %1 = train.add %0, %h : (tensor<2x4x9x11xui32>, tensor<2x4x9x11xui32>) -> tensor<2x4x9x11xui32>
  %2 = train.multiply %1, %d : (tensor<2x4x9x11xui32>, tensor<2x4x9x11xui32>) -> tensor<2x4x9x11xui32>
  %3 = train.add %2, %i : (tensor<2x4x9x11xui32>, tensor<2x4x9x11xui32>) -> tensor<2x4x9x11xui32>
  %4 = train.multiply %3, %e : (tensor<2x4x9x11xui32>, tensor<2x4x9x11xui32>) -> tensor<2x4x9x11xui32>
  %5 = train.add %4, %j : (tensor<2x4x9x11xui32>, tensor<2x4x9x11xui32>) -> tensor<2x4x9x11xui32>
  %6 = train.multiply %5, %m : (tensor<2x4x9x11xui32>, tensor<2x4x9x11xui32>) -> tensor<2x4x9x11xui32>
  %7 = train.shift_right_logical %6, %s : (tensor<2x4x9x11xui32>, tensor<2x4x9x11xui32>) -> tensor<2x4x9x11xui32>
  %8 = train.xor %6, %7 : (tensor<2x4x9x11xui32>, tensor<2x4x9x11xui32>) -> tensor<2x4x9x11xui32>
  %9 = train.multiply %8, %m : (tensor<2x4x9x11xui32>, tensor<2x4x9x11xui32>) -> tensor<2x4x9x11xui32>
  %kept = train.compare %9, %u {direction = #train<compare_direction LT>} : (tensor<2x4x9x11xui32>, tensor<2x4x9x11xui32>) -> tensor<2x4x9x11xi1>
  %r:3 = train.attention_gradient %a, %x, %y, %l, %t, %g, %kept {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1>, scale = 0.35 : f64, fill = -1.0e9 : f64, kept_scale = 1.25 : f64} : (tensor<2x9x4x8xbf16>, tensor<2x11x2x8xbf16>, tensor<2x11x2x6xbf16>, tensor<2x9x4xf32>, tensor<2x9x4xf32>, tensor<2x9x4x6xbf16>, tensor<2x4x9x11xi1>) -> (tensor<2x9x4x8xbf16>, tensor<2x11x2x8xbf16>, tensor<2x11x2x6xbf16>)
  return %r#0, %r#1, %r#2 : tensor<2x9x4x8xbf16>, tensor<2x11x2x8xbf16>, tensor<2x11x2x6xbf16>
}
func.func @attention_dropped_f16(%a: tensor<2x9x4x8xf16>, %x: tensor<2x11x2x8xf16>, %y: tensor<2x11x2x6xf16>) -> (tensor<2x9x4x6xf16>, tensor<2x9x4xf32>) {
  %b = train.iota {dim = 0 : i64} : () -> tensor<2x4x9x11xui32>
  %h = train.iota {dim = 1 : i64} : () -> tensor<2x4x9x11xui32>
  %i = train.iota {dim = 2 : i64} : () -> tensor<2x4x9x11xui32>
  %j = train.iota {dim = 3 : i64} : () -> tensor<2x4x9x11xui32>
  %c = train.constant dense<4> : tensor<2x4x9x11xui32>
  %d = train.constant dense<9> : tensor<2x4x9x11xui32>
  %e = train.constant dense<11> : tensor<2x4x9x11xui32>
  %s = train.constant dense<13> : tensor<2x4x9x11xui32>
  %m = train.constant dense<1540483477> : tensor<2x4x9x11xui32>
  %u = train.constant dense<3000000000> : tensor<2x4x9x11xui32>
  %0 = train.multiply %b, %c : (tensor<2x4x9x11xui32>, tensor<2x4x9x11xui32>) -> tensor<2x4x9x11xui32>
  %1 = train.add %0, %h : (tensor<2x4x9x11xui32>, tensor<2x4x9x11xui32>) -> tensor<2x4x9x11xui32>
  %2 = train.multiply %1, %d : (tensor<2x4x9x11xui32>, tensor<2x4x9x11xui32>) -> tensor<2x4x9x11xui32>
  %3 = train.add %2, %i : (tensor<2x4x9x11xui32>, tensor<2x4x9x11xui32>) -> tensor<2x4x9x11xui32>
  %4 = train.multiply %3, %e : (tensor<2x4x9x11xui32>, tensor<2x4x9x11xui32>) -> tensor<2x4x9x11xui32>
  %5 = train.add %4, %j : (tensor<2x4x9x11xui32>, tensor<2x4x9x11xui32>) -> tensor<2x4x9x11xui32>
  %6 = train.multiply %5, %m : (tensor<2x4x9x11xui32>, tensor<2x4x9x11xui32>) -> tensor<2x4x9x11xui32>
  %7 = train.shift_right_logical %6, %s : (tensor<2x4x9x11xui32>, tensor<2x4x9x11xui32>) -> tensor<2x4x9x11xui32>
  %8 = train.xor %6, %7 : (tensor<2x4x9x11xui32>, tensor<2x4x9x11xui32>) -> tensor<2x4x9x11xui32>
  %9 = train.multiply %8, %m : (tensor<2x4x9x11xui32>, tensor<2x4x9x11xui32>) -> tensor<2x4x9x11xui32>
  %kept = train.compare %9, %u {direction = #train<compare_direction LT>} : (tensor<2x4x9x11xui32>, tensor<2x4x9x11xui32>) -> tensor<2x4x9x11xi1>
  %r:2 = train.attention %a, %x, %y, %kept {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 1>, scale = 0.35 : f64, fill = -1.0e9 : f64, kept_scale = 1.25 : f64} : (tensor<2x9x4x8xf16>, tensor<2x11x2x8xf16>, tensor<2x11x2x6xf16>, tensor<2x4x9x11xi1>) -> (tensor<2x9x4x6xf16>, tensor<2x9x4xf32>)
  return %r#0, %r#1 : tensor<2x9x4x6xf16>, tensor<2x9x4xf32>
}
func.func @attention_gradient_dropped_f16(%a: tensor<2x9x4x8xf16>, %x: tensor<2x11x2x8xf16>, %y: tensor<2x11x2x6xf16>, %l: tensor<2x9x4xf32>, %t: tensor<2x9x4xf32>, %g: tensor<2x9x4x6xf16>) -> (tensor<2x9x4x8xf16>, tensor<2x11x2x8xf16>, tensor<2x11x2x6xf16>) {
  %b = train.iota {dim = 0 : i64} : () -> tensor<2x4x9x11xui32>
  %h = train.iota {dim = 1 : i64} : () -> tensor<2x4x9x11xui32>
  %i = train.iota {dim = 2 : i64} : () -> tensor<2x4x9x11xui32>
  %j = train.iota {dim = 3 : i64} : () -> tensor<2x4x9x11xui32>
  %c = train.constant dense<4> : tensor<2x4x9x11xui32>
  %d = train.constant dense<9> : tensor<2x4x9x11xui32>
  %e = train.constant dense<11> : tensor<2x4x9x11xui32>
  %s = train.constant dense<13> : tensor<2x4x9x11xui32>
  %m = train.constant dense<1540483477> : tensor<2x4x9x11xui32>
  %u = train.constant dense<3000000000> : tensor<2x4x9x11xui32>
  %0 = train.multiply %b, %c : (tensor<2x4x9x11xui32>, tensor<2x4x9x11xui32>) -> tensor<2x4x9x11xui32>
  %1 = train.add %0, %h : (tensor<2x4x9x11xui32>, tensor<2x4x9x11xui32>) -> tensor<2x4x9x11xui32>
  %2 = train.multiply %1, %d : (tensor<2x4x9x11xui32>, tensor<2x4x9x11xui32>) -> tensor<2x4x9x11xui32>
  %3 = train.add %2, %i : (tensor<2x4x9x11xui32>, tensor<2x4x9x11xui32>) -> tensor<2x4x9x11xui32>
  %4 = train.multiply %3, %e : (tensor<2x4x9x11xui32>, tensor<2x4x9x11xui32>) -> tensor<2x4x9x11xui32>
  %5 = train.add %4, %j : (tensor<2x4x9x11xui32>, tensor<2x4x9x11xui32>) -> tensor<2x4x9x11xui32>
  %6 = train.multiply %5, %m : (tensor<2x4x9x11xui32>, tensor<2x4x9x11xui32>) -> tensor<2x4x9x11xui32>
  %7 = train.shift_right_logical %6, %s : (tensor<2x4x9x11xui32>, tensor<2x4x9x11xui32>) -> tensor<2x4x9x11xui32>
  %8 = train.xor %6, %7 : (tensor<2x4x9x11xui32>, tensor<2x4x9x11xui32>) -> tensor<2x4x9x11xui32>
  %9 = train.multiply %8, %m : (tensor<2x4x9x11xui32>, tensor<2x4x9x11xui32>) -> tensor<2x4x9x11xui32>
  %kept = train.compare %9, %u {direction = #train<compare_direction LT>} : (tensor<2x4x9x11xui32>, tensor<2x4x9x11xui32>) -> tensor<2x4x9x11xi1>
  %r:3 = train.attention_gradient %a, %x, %y, %l, %t, %g, %kept {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1>, scale = 0.35 : f64, fill = -1.0e9 : f64, kept_scale = 1.25 : f64} : (tensor<2x9x4x8xf16>, tensor<2x11x2x8xf16>, tensor<2x11x2x6xf16>, tensor<2x9x4xf32>, tensor<2x9x4xf32>, tensor<2x9x4x6xf16>, tensor<2x4x9x11xi1>) -> (tensor<2x9x4x8xf16>, tensor<2x11x2x8xf16>, tensor<2x11x2x6xf16>)
  return %r#0, %r#1, %r#2 : tensor<2x9x4x8xf16>, tensor<2x11x2x8xf16>, tensor<2x11x2x6xf16>
}
// The values that --compress stores, and those that it reads again.
func.func @compress_f8(%x: tensor<9x40xf32>) -> (tensor<9x40xf8E4M3FN>, tensor<9xf32>) {
  %a = train.abs %x : (tensor<9x40xf32>) -> tensor<9x40xf32>
  %m = train.reduce %a {dims = array<i64: 1>, kind = #train<reduce_kind maximum>} : (tensor<9x40xf32>) -> tensor<9xf32>
  %b = train.bitcast_convert %m : (tensor<9xf32>) -> tensor<9xi32>
  %e = train.constant dense<2139095040> : tensor<9xi32>
  %n = train.and %b, %e : (tensor<9xi32>, tensor<9xi32>) -> tensor<9xi32>
  %q = train.bitcast_convert %n : (tensor<9xi32>) -> tensor<9xf32>
  %l = train.constant dense<7.8886090522101181e-31> : tensor<9xf32>
  %p = train.maximum %q, %l : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xf32>
  %t = train.constant dense<128.0> : tensor<9xf32>
  %i = train.divide %t, %p : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xf32>
  %f = train.broadcast_in_dim %i {dims = array<i64: 0>} : (tensor<9xf32>) -> tensor<9x40xf32>
  %y = train.multiply %x, %f : (tensor<9x40xf32>, tensor<9x40xf32>) -> tensor<9x40xf32>
  %ay = train.abs %y : (tensor<9x40xf32>) -> tensor<9x40xf32>
  %k = train.constant dense<0.001953125> : tensor<9x40xf32>
  %c = train.compare %ay, %k {direction = #train<compare_direction LT>} : (tensor<9x40xf32>, tensor<9x40xf32>) -> tensor<9x40xi1>
  %s = train.sign %x : (tensor<9x40xf32>) -> tensor<9x40xf32>
  %z = train.multiply %s, %k : (tensor<9x40xf32>, tensor<9x40xf32>) -> tensor<9x40xf32>
  %v = train.select %c, %z, %y : (tensor<9x40xi1>, tensor<9x40xf32>, tensor<9x40xf32>) -> tensor<9x40xf32>
  %r = train.convert %v : (tensor<9x40xf32>) -> tensor<9x40xf8E4M3FN>
  %w = train.constant dense<0.0078125> : tensor<9xf32>
  %o = train.multiply %p, %w : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xf32>
  return %r, %o : tensor<9x40xf8E4M3FN>, tensor<9xf32>
}
func.func @expanded_f8_in_product(%a: tensor<24x40xui8>, %s: tensor<24xf32>, %y: tensor<24x16xf32>) -> tensor<40x16xf32> {
  %k = train.constant dense<119> : tensor<24x40xui8>
  %b = train.and %a, %k : (tensor<24x40xui8>, tensor<24x40xui8>) -> tensor<24x40xui8>
  %c = train.bitcast_convert %b : (tensor<24x40xui8>) -> tensor<24x40xf8E4M3FN>
  %x = train.convert %c : (tensor<24x40xf8E4M3FN>) -> tensor<24x40xf32>
  %f = train.broadcast_in_dim %s {dims = array<i64: 0>} : (tensor<24xf32>) -> tensor<24x40xf32>
  %v = train.multiply %x, %f : (tensor<24x40xf32>, tensor<24x40xf32>) -> tensor<24x40xf32>
  %r = train.dot_general %v, %y {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 0>, rhs_contracting = array<i64: 0>} : (tensor<24x40xf32>, tensor<24x16xf32>) -> tensor<40x16xf32>
  return %r : tensor<40x16xf32>
}
func.func @compress_int8(%x: tensor<9x3x32xf32>) -> (tensor<9x3x32xi8>, tensor<9x3xf32>) {
  %a = train.abs %x : (tensor<9x3x32xf32>) -> tensor<9x3x32xf32>
  %m = train.reduce %a {dims = array<i64: 2>, kind = #train<reduce_kind maximum>} : (tensor<9x3x32xf32>) -> tensor<9x3xf32>
  %t = train.constant dense<127.0> : tensor<9x3xf32>
  %i = train.divide %t, %m : (tensor<9x3xf32>, tensor<9x3xf32>) -> tensor<9x3xf32>
  %f = train.broadcast_in_dim %i {dims = array<i64: 0, 1>} : (tensor<9x3xf32>) -> tensor<9x3x32xf32>
  %y = train.multiply %x, %f : (tensor<9x3x32xf32>, tensor<9x3x32xf32>) -> tensor<9x3x32xf32>
  %n = train.round_nearest_even %y : (tensor<9x3x32xf32>) -> tensor<9x3x32xf32>
  %r = train.convert %n : (tensor<9x3x32xf32>) -> tensor<9x3x32xi8>
  %w = train.constant dense<0.00787401574> : tensor<9x3xf32>
  %o = train.multiply %m, %w : (tensor<9x3xf32>, tensor<9x3xf32>) -> tensor<9x3xf32>
  return %r, %o : tensor<9x3x32xi8>, tensor<9x3xf32>
}
func.func @scatter_add_of_rows_f32(%b: tensor<4x30x3x1xi32>, %c: tensor<4x30x3xf32>) -> (tensor<4x30x37xf32>) {
  %a = train.constant dense<0.0> : tensor<4x30x37xf32>
  %r = train.scatter %a, %b, %c {update_window_dims = array<i64>, inserted_window_dims = array<i64: 2>, operand_batching_dims = array<i64: 0, 1>, indices_batching_dims = array<i64: 0, 1>, operand_dims_map = array<i64: 2>, index_vector_dim = 3 : i64, kind = #train<reduce_kind add>} : (tensor<4x30x37xf32>, tensor<4x30x3x1xi32>, tensor<4x30x3xf32>) -> tensor<4x30x37xf32>
  return %r : tensor<4x30x37xf32>
}
func.func @scatter_add_of_rows_bf16(%b: tensor<4x30x3x1xi32>, %c: tensor<4x30x3xbf16>) -> (tensor<4x30x37xbf16>) {
  %a = train.constant dense<0.0> : tensor<4x30x37xbf16>
  %r = train.scatter %a, %b, %c {update_window_dims = array<i64>, inserted_window_dims = array<i64: 2>, operand_batching_dims = array<i64: 0, 1>, indices_batching_dims = array<i64: 0, 1>, operand_dims_map = array<i64: 2>, index_vector_dim = 3 : i64, kind = #train<reduce_kind add>} : (tensor<4x30x37xbf16>, tensor<4x30x3x1xi32>, tensor<4x30x3xbf16>) -> tensor<4x30x37xbf16>
  return %r : tensor<4x30x37xbf16>
}
// Columns of large tensors, whose rows are no multiple of a block; with a second result.
func.func @columns_large_f32(%a: tensor<4164x256xf32>, %b: tensor<256xf32>) -> (tensor<4164x256xf32>, tensor<256xf32>) {
  %0 = train.multiply %a, %a : (tensor<4164x256xf32>, tensor<4164x256xf32>) -> tensor<4164x256xf32>
  %1 = train.reduce %0 {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<4164x256xf32>) -> tensor<256xf32>
  %2 = train.add %1, %b : (tensor<256xf32>, tensor<256xf32>) -> tensor<256xf32>
  return %0, %2 : tensor<4164x256xf32>, tensor<256xf32>
}
func.func @columns_large_bf16(%a: tensor<8200x264xbf16>) -> (tensor<264xf32>, tensor<264xf32>) {
  %0 = train.convert %a : (tensor<8200x264xbf16>) -> tensor<8200x264xf32>
  %1 = train.reduce %0 {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<8200x264xf32>) -> tensor<264xf32>
  %2 = train.reduce %0 {dims = array<i64: 0>, kind = #train<reduce_kind maximum>} : (tensor<8200x264xf32>) -> tensor<264xf32>
  return %1, %2 : tensor<264xf32>, tensor<264xf32>
}
// Rows in several chunks, and a part of one.
func.func @rows_in_chunks_bf16(%a: tensor<40x1320xbf16>, %b: tensor<40xf32>) -> (tensor<40x1320xbf16>, tensor<40xf32>) {
  %0 = train.convert %a : (tensor<40x1320xbf16>) -> tensor<40x1320xf32>
  %1 = train.reduce %0 {dims = array<i64: 1>, kind = #train<reduce_kind maximum>} : (tensor<40x1320xf32>) -> tensor<40xf32>
  %2 = train.broadcast_in_dim %1 {dims = array<i64: 0>} : (tensor<40xf32>) -> tensor<40x1320xf32>
  %3 = train.subtract %0, %2 : (tensor<40x1320xf32>, tensor<40x1320xf32>) -> tensor<40x1320xf32>
  %4 = train.convert %3 : (tensor<40x1320xf32>) -> tensor<40x1320xbf16>
  %5 = train.reduce %3 {dims = array<i64: 1>, kind = #train<reduce_kind add>} : (tensor<40x1320xf32>) -> tensor<40xf32>
  %6 = train.add %5, %b : (tensor<40xf32>, tensor<40xf32>) -> tensor<40xf32>
  return %4, %6 : tensor<40x1320xbf16>, tensor<40xf32>
}
func.func @rows_many_bf16(%a: tensor<1030x136xbf16>) -> (tensor<1030xf32>, tensor<1030xi32>) {
  %0 = train.convert %a : (tensor<1030x136xbf16>) -> tensor<1030x136xf32>
  %1 = train.reduce %0 {dims = array<i64: 1>, kind = #train<reduce_kind add>} : (tensor<1030x136xf32>) -> tensor<1030xf32>
  %2 = train.arg_reduce %0 {dim = 1 : i64, kind = #train<reduce_kind maximum>} : (tensor<1030x136xf32>) -> tensor<1030xi32>
  return %1, %2 : tensor<1030xf32>, tensor<1030xi32>
}
// Attention in 16 bits that GPUs multiply in tensor cores: rows and keys that fill no tile, a band beside a mask, a bias, weights that
// are dropped, heads that share a key, deep heads.
func.func @attention_of_tensor_cores(%q: tensor<2x70x4x64xbf16>, %k: tensor<2x50x2x64xbf16>, %v: tensor<2x50x2x40xbf16>, %m: tensor<2x1x1x50xi1>, %d: tensor<2x4x70x50xi1>) -> (tensor<2x70x4x40xbf16>, tensor<2x70x4xf32>) {
  %r, %l = train.attention %q, %k, %v, %m, %d {after = 20 : i64, exec.tensor_cores, fill = -1.0E+30 : f64, kept_scale = 1.25 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 0, 0, 1>, scale = 1.250000e-01 : f64} : (tensor<2x70x4x64xbf16>, tensor<2x50x2x64xbf16>, tensor<2x50x2x40xbf16>, tensor<2x1x1x50xi1>, tensor<2x4x70x50xi1>) -> (tensor<2x70x4x40xbf16>, tensor<2x70x4xf32>)
  return %r, %l : tensor<2x70x4x40xbf16>, tensor<2x70x4xf32>
}
func.func @attention_gradient_of_tensor_cores(%q: tensor<2x70x4x64xbf16>, %k: tensor<2x50x2x64xbf16>, %v: tensor<2x50x2x40xbf16>, %m: tensor<2x1x1x50xi1>, %l: tensor<2x70x4xf32>, %t: tensor<2x70x4xf32>, %g: tensor<2x70x4x40xbf16>, %d: tensor<2x4x70x50xi1>) -> (tensor<2x70x4x64xbf16>, tensor<2x50x2x64xbf16>, tensor<2x50x2x40xbf16>) {
  %a, %b, %c = train.attention_gradient %q, %k, %v, %m, %l, %t, %g, %d {after = 20 : i64, exec.tensor_cores, fill = -1.0E+30 : f64, kept_scale = 1.25 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 0, 0, 1, 1, 1, 1>, scale = 1.250000e-01 : f64} : (tensor<2x70x4x64xbf16>, tensor<2x50x2x64xbf16>, tensor<2x50x2x40xbf16>, tensor<2x1x1x50xi1>, tensor<2x70x4xf32>, tensor<2x70x4xf32>, tensor<2x70x4x40xbf16>, tensor<2x4x70x50xi1>) -> (tensor<2x70x4x64xbf16>, tensor<2x50x2x64xbf16>, tensor<2x50x2x40xbf16>)
  return %a, %b, %c : tensor<2x70x4x64xbf16>, tensor<2x50x2x64xbf16>, tensor<2x50x2x40xbf16>
}
func.func @attention_of_tensor_cores_f16(%q: tensor<1x40x1x128xf16>, %k: tensor<1x70x1x128xf16>, %v: tensor<1x70x1x128xf16>, %b: tensor<1x1x40x70xf32>) -> (tensor<1x40x1x128xf16>, tensor<1x40x1xf32>) {
  %r, %l = train.attention %q, %k, %v, %b {before = 30 : i64, exec.tensor_cores, fill = -1.0E+30 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 0>, scale = 8.8388347648318447E-2 : f64} : (tensor<1x40x1x128xf16>, tensor<1x70x1x128xf16>, tensor<1x70x1x128xf16>, tensor<1x1x40x70xf32>) -> (tensor<1x40x1x128xf16>, tensor<1x40x1xf32>)
  return %r, %l : tensor<1x40x1x128xf16>, tensor<1x40x1xf32>
}
func.func @attention_gradient_of_tensor_cores_128(%q: tensor<1x40x1x128xbf16>, %k: tensor<1x70x1x128xbf16>, %v: tensor<1x70x1x128xbf16>, %b: tensor<1x1x40x70xf32>, %l: tensor<1x40x1xf32>, %t: tensor<1x40x1xf32>, %g: tensor<1x40x1x128xbf16>) -> (tensor<1x40x1x128xbf16>, tensor<1x70x1x128xbf16>, tensor<1x70x1x128xbf16>) {
  %x, %y, %z = train.attention_gradient %q, %k, %v, %b, %l, %t, %g {before = 30 : i64, exec.tensor_cores, fill = -1.0E+30 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 1, 1, 1, 0>, scale = 8.8388347648318447E-2 : f64} : (tensor<1x40x1x128xbf16>, tensor<1x70x1x128xbf16>, tensor<1x70x1x128xbf16>, tensor<1x1x40x70xf32>, tensor<1x40x1xf32>, tensor<1x40x1xf32>, tensor<1x40x1x128xbf16>) -> (tensor<1x40x1x128xbf16>, tensor<1x70x1x128xbf16>, tensor<1x70x1x128xbf16>)
  return %x, %y, %z : tensor<1x40x1x128xbf16>, tensor<1x70x1x128xbf16>, tensor<1x70x1x128xbf16>
}
func.func @attention_gradient_joined(%q: tensor<2x24x2x8xf32>, %k: tensor<2x24x2x8xf32>, %v: tensor<2x24x2x8xf32>, %l: tensor<2x24x2xf32>, %d: tensor<2x24x2xf32>, %g: tensor<2x24x2x8xf32>) -> (tensor<2x24x3x2x8xf32>) {
  %r:3 = train.attention_gradient %q, %k, %v, %l, %d, %g {after = 0 : i64, fill = -1.000000e+30 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 0>, scale = 2.500000e-01 : f64} : (tensor<2x24x2x8xf32>, tensor<2x24x2x8xf32>, tensor<2x24x2x8xf32>, tensor<2x24x2xf32>, tensor<2x24x2xf32>, tensor<2x24x2x8xf32>) -> (tensor<2x24x2x8xf32>, tensor<2x24x2x8xf32>, tensor<2x24x2x8xf32>)
  %0 = train.reshape %r#0 : (tensor<2x24x2x8xf32>) -> tensor<1x2x24x2x8xf32>
  %1 = train.reshape %r#1 : (tensor<2x24x2x8xf32>) -> tensor<1x2x24x2x8xf32>
  %2 = train.reshape %r#2 : (tensor<2x24x2x8xf32>) -> tensor<1x2x24x2x8xf32>
  %3 = train.concatenate %0, %1, %2 {dim = 0 : i64} : (tensor<1x2x24x2x8xf32>, tensor<1x2x24x2x8xf32>, tensor<1x2x24x2x8xf32>) -> tensor<3x2x24x2x8xf32>
  %4 = train.transpose %3 {permutation = array<i64: 1, 2, 0, 3, 4>} : (tensor<3x2x24x2x8xf32>) -> tensor<2x24x3x2x8xf32>
  return %4 : tensor<2x24x3x2x8xf32>
}
