// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verifiers name what they expected and what they found.
// RUN: zcc-opt %s --split-input-file --verify-diagnostics

func.func @dynamic(%a: tensor<?x4xf32>) {
  // expected-error @+1 {{must be statically shaped tensor}}
  %0 = stablehlo.abs %a : tensor<?x4xf32>
  return
}

// -----
func.func @unknown(%a: tensor<4xf32>) {
  // expected-error @+1 {{custom op 'stablehlo.frobnicate' is unknown}}
  %0 = stablehlo.frobnicate %a : tensor<4xf32>
  return
}

// -----
func.func @generic_unknown(%a: tensor<4xf32>) {
  // expected-error @+1 {{unregistered operation 'stablehlo.frobnicate'}}
  %0 = "stablehlo.frobnicate"(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----
func.func @broadcast(%a: tensor<3xf32>) {
  // expected-error @+1 {{expected operand dim 0 to be 1 or 4, as result dim 0 is, got 3}}
  %0 = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<3xf32>) -> tensor<4x8xf32>
  return
}

// -----
func.func @reshape(%a: tensor<3xf32>) {
  // expected-error @+1 {{expected 3 elements, as the operand has, got 4}}
  %0 = stablehlo.reshape %a : (tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----
func.func @slice(%a: tensor<3xf32>) {
  // expected-error @+1 {{expected 0 <= start <= limit <= 3 and a positive stride in dim 0, got 1:5:1}}
  %0 = stablehlo.slice %a [1:5] : (tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----
func.func @transpose(%a: tensor<3x4xf32>) {
  // expected-error @+1 {{expected a result of shape 4x3, got 3x4}}
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}

// -----
func.func @pad(%a: tensor<3xf32>, %s: tensor<i32>) {
  // expected-error @+1 {{expected a padding value of type 'tensor<f32>', got 'tensor<i32>'}}
  %0 = stablehlo.pad %a, %s, low = [1], high = [0], interior = [0] : (tensor<3xf32>, tensor<i32>) -> tensor<4xf32>
  return
}

// -----
func.func @concatenate(%a: tensor<3x4xf32>, %b: tensor<3x5xf32>) {
  // expected-error @+1 {{expected operand 1 to agree with 'tensor<3x4xf32>' outside dim 0, got 'tensor<3x5xf32>'}}
  %0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<3x4xf32>, tensor<3x5xf32>) -> tensor<6x4xf32>
  return
}

// -----
func.func @compare(%a: tensor<3xf32>) {
  // expected-error @+1 {{expected elements that SIGNED compares, got 'f32'}}
  %0 = stablehlo.compare LT, %a, %a, SIGNED : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  return
}

// -----
func.func @dot(%a: tensor<3x4xf32>, %b: tensor<5x6xf32>) {
  // expected-error @+1 {{expected equal extents of dim 1 of lhs and dim 0 of rhs, got 4 and 5}}
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<3x4xf32>, tensor<5x6xf32>) -> tensor<3x6xf32>
  return
}

// -----
func.func @convolution(%x: tensor<2x3x8x8xf32>, %w: tensor<3x3x4x16xf32>) {
  // expected-error @+1 {{expected 4 input features (the kernel's 4 times 1 groups), got 3}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0, 1]x[0, 1, i, o]->[b, f, 0, 1], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x3x8x8xf32>, tensor<3x3x4x16xf32>) -> tensor<2x16x6x6xf32>
  return
}

// -----
func.func @gather(%a: tensor<256x128xf32>, %i: tensor<8x1xi32>) {
  // expected-error @+1 {{expected a result of shape 8x128, got 8x64}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 128>}> : (tensor<256x128xf32>, tensor<8x1xi32>) -> tensor<8x64xf32>
  return
}

// -----
func.func @reduce(%a: tensor<4x8xf32>, %s: tensor<f32>) {
  // expected-error @+1 {{expected dims in [0, 2) in dimensions, got 2}}
  %0 = stablehlo.reduce(%a init: %s) applies stablehlo.add across dimensions = [2] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----
func.func @reducer(%a: tensor<4x8xf32>, %s: tensor<f32>) {
  // expected-error @+1 {{expected a region of 2 arguments, got 1}}
  %0 = "stablehlo.reduce"(%a, %s) <{dimensions = array<i64: 1>}> ({
  ^bb0(%x: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----
func.func @while(%n: tensor<i32>) {
  // expected-error @+1 {{expected returned value 0 of the condition to be 'tensor<i1>', got 'tensor<i32>'}}
  %0 = stablehlo.while(%i = %n) : tensor<i32>
  cond {
    stablehlo.return %i : tensor<i32>
  } do {
    stablehlo.return %i : tensor<i32>
  }
  return
}

// -----
func.func @top_k(%a: tensor<4x8xf32>) {
  // expected-error @+1 {{expected k between 0 and the last extent of the operand, got 9 and 4x8}}
  %0, %1 = chlo.top_k(%a, k = 9) : tensor<4x8xf32> -> (tensor<4x9xf32>, tensor<4x9xi32>)
  return
}

// -----
func.func @einsum(%a: tensor<4x8xf32>, %b: tensor<7x4xf32>) {
  // expected-error @+1 {{expected equal extents of a label in "ij,jk->ik", got 8 and 7}}
  %0 = stablehlo.einsum %a, %b, config = "ij,jk->ik" : (tensor<4x8xf32>, tensor<7x4xf32>) -> tensor<4x4xf32>
  return
}

// -----
func.func @einsum_rank(%a: tensor<4x8xf32>) {
  // expected-error @+1 {{expected 2 dims in 'ijk', got 3}}
  %0 = stablehlo.unary_einsum %a, config = "ijk->i" : (tensor<4x8xf32>) -> tensor<4xf32>
  return
}

// -----
func.func @index(%a: tensor<4x8xf32>, %i: tensor<3xi32>) {
  // expected-error @+1 {{expected a result of shape 4x3, got 3x4}}
  %0 = "stablehlo.torch_index_select"(%a, %i) <{batch_dims = 0 : i64, dim = 1 : i64}> : (tensor<4x8xf32>, tensor<3xi32>) -> tensor<3x4xf32>
  return
}

// -----
func.func @batch_norm(%a: tensor<4x8xf32>, %s: tensor<4xf32>) {
  // expected-error @+1 {{expected 'tensor<8xf32>' for each of the 8 features, got 'tensor<4xf32>'}}
  %0:3 = "stablehlo.batch_norm_training"(%a, %s, %s) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----
func.func @chlo_broadcast(%a: tensor<4x8xf32>, %b: tensor<4xf32>) {
  // expected-error @+1 {{expected an operand that can be broadcast to 4x8, got 4}}
  %0 = chlo.broadcast_add %a, %b : (tensor<4x8xf32>, tensor<4xf32>) -> tensor<4x8xf32>
  return
}

// -----
func.func @cholesky(%a: tensor<4x8xf32>) {
  // expected-error @+1 {{expected square matrices, got 4x8}}
  %0 = stablehlo.cholesky %a : tensor<4x8xf32>
  return
}

// -----
func.func @fft(%a: tensor<4x8xf32>) {
  // expected-error @+1 {{expected an operand of complex elements, got 'tensor<4x8xf32>'}}
  %0 = stablehlo.fft %a, type = FFT, length = [8] : (tensor<4x8xf32>) -> tensor<4x8xcomplex<f32>>
  return
}
