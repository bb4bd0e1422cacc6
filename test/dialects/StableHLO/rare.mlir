// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that JAX does not print, or hardly, in the form of the StableHLO release
// that JAX 0.10 has: read, and printed the same.
// RUN: zcc-opt %s | FileCheck %s
// RUN: zcc-opt %s --mlir-print-op-generic | zcc-opt | FileCheck %s

// CHECK-LABEL: func.func @tokens_and_rare
func.func @tokens_and_rare(%arg0: tensor<4x8xf32>, %arg1: tensor<8x4xf32>, %arg2: tensor<2x3xi32>, %arg3: tensor<f32>, %arg4: tensor<i1>, %arg5: tensor<4xi32>, %arg6: tensor<2xi32>, %arg7: tensor<4xcomplex<f32>>, %arg8: tensor<2xi64>, %arg9: tensor<3xi64>) {
  // CHECK: stablehlo.create_token : !stablehlo.token
  %0 = stablehlo.create_token : !stablehlo.token
  // CHECK: stablehlo.after_all %{{[^ ,():]+}}, %{{[^ ,():]+}} : !stablehlo.token
  %1 = stablehlo.after_all %0, %0 : !stablehlo.token
  // CHECK: stablehlo.after_all  : !stablehlo.token
  %2 = stablehlo.after_all  : !stablehlo.token
  // CHECK: stablehlo.einsum %{{[^ ,():]+}}, %{{[^ ,():]+}}, config = "ij,jk->ik" : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %3 = stablehlo.einsum %arg0, %arg1, config = "ij,jk->ik" : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  // CHECK: stablehlo.unary_einsum %{{[^ ,():]+}}, config = "ij->i" : (tensor<4x8xf32>) -> tensor<4xf32>
  %4 = stablehlo.unary_einsum %arg0, config = "ij->i" : (tensor<4x8xf32>) -> tensor<4xf32>
  // CHECK: "stablehlo.torch_index_select"(%{{[^ ,():]+}}, %{{[^ ,():]+}}) <{batch_dims = 0 : i64, dim = 0 : i64}> : (tensor<4x8xf32>, tensor<2x3xi32>) -> tensor<2x3x8xf32>
  %5 = "stablehlo.torch_index_select"(%arg0, %arg2) <{batch_dims = 0 : i64, dim = 0 : i64}> : (tensor<4x8xf32>, tensor<2x3xi32>) -> tensor<2x3x8xf32>
  // CHECK: stablehlo.dynamic_reshape %{{[^ ,():]+}}, %{{[^ ,():]+}} : (tensor<4x8xf32>, tensor<2xi32>) -> tensor<8x4xf32>
  %6 = stablehlo.dynamic_reshape %arg0, %arg6 : (tensor<4x8xf32>, tensor<2xi32>) -> tensor<8x4xf32>
  // CHECK: stablehlo.dynamic_iota %{{[^ ,():]+}}, dim = 0 : (tensor<2xi32>) -> tensor<8x4xf32>
  %7 = stablehlo.dynamic_iota %arg6, dim = 0 : (tensor<2xi32>) -> tensor<8x4xf32>
  // CHECK: stablehlo.dynamic_broadcast_in_dim %{{[^ ,():]+}}, %{{[^ ,():]+}}, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<8x4xf32>
  %8 = stablehlo.dynamic_broadcast_in_dim %arg3, %arg6, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<8x4xf32>
  // CHECK: stablehlo.dynamic_pad %{{[^ ,():]+}}, %{{[^ ,():]+}}, %{{[^ ,():]+}}, %{{[^ ,():]+}}, %{{[^ ,():]+}} : (tensor<4x8xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<4x8xf32>
  %9 = stablehlo.dynamic_pad %arg0, %arg3, %arg8, %arg8, %arg8 : (tensor<4x8xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<4x8xf32>
  // CHECK: stablehlo.real_dynamic_slice %{{[^ ,():]+}}, %{{[^ ,():]+}}, %{{[^ ,():]+}}, %{{[^ ,():]+}} : (tensor<4x8xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<4x8xf32>
  %10 = stablehlo.real_dynamic_slice %arg0, %arg8, %arg8, %arg8 : (tensor<4x8xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<4x8xf32>
  // CHECK: "stablehlo.dynamic_gather"(%{{[^ ,():]+}}, %{{[^ ,():]+}}, %{{[^ ,():]+}}) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>}> : (tensor<4x8xf32>, tensor<2x3xi32>, tensor<2xi64>) -> tensor<2x8x3xf32>
  %11 = "stablehlo.dynamic_gather"(%arg0, %arg2, %arg8) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>}> : (tensor<4x8xf32>, tensor<2x3xi32>, tensor<2xi64>) -> tensor<2x8x3xf32>
  // CHECK: stablehlo.custom_call @foo(%{{[^ ,():]+}}, %{{[^ ,():]+}}) {has_side_effect = true} : (!stablehlo.token, tensor<4x8xf32>) -> !stablehlo.token
  %12 = stablehlo.custom_call @foo(%0, %arg0) {has_side_effect = true} : (!stablehlo.token, tensor<4x8xf32>) -> !stablehlo.token
  // CHECK: stablehlo.optimization_barrier %{{[^ ,():]+}} : !stablehlo.token
  %13 = stablehlo.optimization_barrier %0 : !stablehlo.token
  return
}
// CHECK-LABEL: func.func @algebra
func.func @algebra(%arg0: tensor<2x3x8x8xf32>, %arg1: tensor<3x3x3x16xf32>, %arg2: tensor<2x2xi64>, %arg3: tensor<i32>, %arg4: tensor<3x4x4xf32>, %arg5: tensor<3x4x2xf32>) {
  // CHECK: "stablehlo.dynamic_conv"(%{{[^ ,():]+}}, %{{[^ ,():]+}}, %{{[^ ,():]+}}) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, f, 0, 1]x[0, 1, i, o]->[b, f, 0, 1]>, feature_group_count = 1 : i64, window_strides = array<i64: 2, 2>}> : (tensor<2x3x8x8xf32>, tensor<3x3x3x16xf32>, tensor<2x2xi64>) -> tensor<2x16x4x4xf32>
  %0 = "stablehlo.dynamic_conv"(%arg0, %arg1, %arg2) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, f, 0, 1]x[0, 1, i, o]->[b, f, 0, 1]>, feature_group_count = 1 : i64, window_strides = array<i64: 2, 2>}> : (tensor<2x3x8x8xf32>, tensor<3x3x3x16xf32>, tensor<2x2xi64>) -> tensor<2x16x4x4xf32>
  // CHECK: "stablehlo.triangular_solve"(%{{[^ ,():]+}}, %{{[^ ,():]+}}) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<3x4x4xf32>, tensor<3x4x2xf32>) -> tensor<3x4x2xf32>
  %1 = "stablehlo.triangular_solve"(%arg4, %arg5) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<3x4x4xf32>, tensor<3x4x2xf32>) -> tensor<3x4x2xf32>
  return
}
// CHECK-LABEL: func.func @chlo
func.func @chlo(%arg0: tensor<4x8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<4x8xi32>, %arg3: tensor<8xi32>, %arg4: tensor<f32>, %arg5: tensor<i1>, %arg6: tensor<2xi32>, %arg7: tensor<2x8x3xf32>, %arg8: tensor<4xcomplex<f32>>) {
  // CHECK: chlo.broadcast_add %{{[^ ,():]+}}, %{{[^ ,():]+}} {broadcast_dimensions = array<i64: 1>} : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %0 = chlo.broadcast_add %arg0, %arg1 {broadcast_dimensions = array<i64: 1>} : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  // CHECK: chlo.broadcast_and %{{[^ ,():]+}}, %{{[^ ,():]+}} : (tensor<4x8xi32>, tensor<8xi32>) -> tensor<4x8xi32>
  %1 = chlo.broadcast_and %arg2, %arg3 : (tensor<4x8xi32>, tensor<8xi32>) -> tensor<4x8xi32>
  // CHECK: chlo.broadcast_compare %{{[^ ,():]+}}, %{{[^ ,():]+}} {compare_type = #chlo<comparison_type FLOAT>, comparison_direction = #chlo<comparison_direction LT>} : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xi1>
  %2 = chlo.broadcast_compare %arg0, %arg1 {compare_type = #chlo<comparison_type FLOAT>, comparison_direction = #chlo<comparison_direction LT>} : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xi1>
  // CHECK: chlo.broadcast_complex %{{[^ ,():]+}}, %{{[^ ,():]+}} : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xcomplex<f32>>
  %3 = chlo.broadcast_complex %arg0, %arg1 : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xcomplex<f32>>
  // CHECK: chlo.broadcast_select %{{[^ ,():]+}}, %{{[^ ,():]+}}, %{{[^ ,():]+}} : (tensor<i1>, tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %4 = chlo.broadcast_select %arg5, %arg0, %arg1 : (tensor<i1>, tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  // CHECK: chlo.broadcast_polygamma %{{[^ ,():]+}}, %{{[^ ,():]+}} : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %5 = chlo.broadcast_polygamma %arg0, %arg1 : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  // CHECK: "chlo.ragged_dot"(%{{[^ ,():]+}}, %{{[^ ,():]+}}, %{{[^ ,():]+}}) <{precision_config = [#chlo<precision DEFAULT>, #chlo<precision DEFAULT>], ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<4x8xf32>, tensor<2x8x3xf32>, tensor<2xi32>) -> tensor<4x3xf32>
  %6 = "chlo.ragged_dot"(%arg0, %arg7, %arg6) <{precision_config = [#chlo<precision DEFAULT>, #chlo<precision DEFAULT>], ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<4x8xf32>, tensor<2x8x3xf32>, tensor<2xi32>) -> tensor<4x3xf32>
  // CHECK: chlo._asin_acos_kernel %{{[^ ,():]+}} : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
  %7 = chlo._asin_acos_kernel %arg8 : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
  // CHECK: "chlo.constant_like"(%{{[^ ,():]+}}) <{value = 1.000000e+00 : f32}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %8 = "chlo.constant_like"(%arg0) <{value = 1.000000e+00 : f32}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: chlo.constant dense<1.000000e+00> : tensor<2xf32>
  %9 = chlo.constant dense<1.000000e+00> : tensor<2xf32>
  // CHECK: chlo.mulhi %{{[^ ,():]+}}, %{{[^ ,():]+}} : tensor<4x8xi32>, tensor<4x8xi32> -> tensor<4x8xi32>
  %10 = chlo.mulhi %arg2, %arg2 : tensor<4x8xi32>, tensor<4x8xi32> -> tensor<4x8xi32>
  return
}
// CHECK-LABEL: func.func @scan
func.func @scan(%arg0: tensor<4x8xf32>, %arg1: tensor<8xf32>) {
  // CHECK: chlo.scan(%{{[^ ,():]+}}) inits (%{{[^ ,():]+}}) dimension=0  attributes {is_associative = true, is_reverse = true} {
  %0:2 = chlo.scan(%arg0) inits (%arg1) dimension=0  attributes {is_associative = true, is_reverse = true} {
  ^bb0(%input: tensor<8xf32>, %carry: tensor<8xf32>):
  // CHECK: stablehlo.add %{{[^ ,():]+}}, %{{[^ ,():]+}} : tensor<8xf32>
    %2 = stablehlo.add %input, %carry : tensor<8xf32>
  // CHECK: stablehlo.return %{{[^ ,():]+}}, %{{[^ ,():]+}} : tensor<8xf32>, tensor<8xf32>
    stablehlo.return %2, %2 : tensor<8xf32>, tensor<8xf32>
  } : (tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>)
  // CHECK: chlo.scan(%{{[^ ,():]+}}) inits () dimension=0  {
  %1 = chlo.scan(%arg0) inits () dimension=0  {
  ^bb0(%input: tensor<8xf32>):
  // CHECK: stablehlo.return %{{[^ ,():]+}} : tensor<8xf32>
    stablehlo.return %input : tensor<8xf32>
  } : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}
// CHECK-LABEL: func.func @normalization
func.func @normalization(%arg0: tensor<4x3x5xf32>, %arg1: tensor<3xf32>, %arg2: tensor<4x6xcomplex<f32>>, %arg3: tensor<4x6xf32>, %arg4: tensor<f32>, %arg5: tensor<2xi64>, %arg6: tensor<2xui64>, %arg7: tensor<2x4xf32>) {
  %output, %batch_mean, %batch_var = "stablehlo.batch_norm_training"(%arg0, %arg1, %arg1) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<4x3x5xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<4x3x5xf32>, tensor<3xf32>, tensor<3xf32>)
  // CHECK: "stablehlo.batch_norm_inference"(%{{[^ ,():]+}}, %{{[^ ,():]+}}, %{{[^ ,():]+}}, %{{[^ ,():]+}}, %{{[^ ,():]+}}) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<4x3x5xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<4x3x5xf32>
  %0 = "stablehlo.batch_norm_inference"(%arg0, %arg1, %arg1, %arg1, %arg1) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<4x3x5xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<4x3x5xf32>
  %grad_operand, %grad_scale, %grad_offset = "stablehlo.batch_norm_grad"(%arg0, %arg1, %arg1, %arg1, %arg0) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<4x3x5xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<4x3x5xf32>) -> (tensor<4x3x5xf32>, tensor<3xf32>, tensor<3xf32>)
  // CHECK: stablehlo.fft %{{[^ ,():]+}}, type = RFFT, length = [6] : (tensor<4x6xf32>) -> tensor<4x4xcomplex<f32>>
  %1 = stablehlo.fft %arg3, type = RFFT, length = [6] : (tensor<4x6xf32>) -> tensor<4x4xcomplex<f32>>
  // CHECK: stablehlo.rng %{{[^ ,():]+}}, %{{[^ ,():]+}}, %{{[^ ,():]+}}, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<2x3xf32>
  %2 = stablehlo.rng %arg4, %arg4, %arg5, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<2x3xf32>
  // CHECK: "stablehlo.map"(%{{[^ ,():]+}}) <{dimensions = array<i64: 0, 1>}> ({
  %3 = "stablehlo.map"(%arg3) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%arg8: tensor<f32>):
  // CHECK: stablehlo.return %{{[^ ,():]+}} : tensor<f32>
    stablehlo.return %arg8 : tensor<f32>
  }) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  // CHECK: stablehlo.bitcast_convert %{{[^ ,():]+}} : (tensor<4x6xf32>) -> tensor<4x6x4xui8>
  %4 = stablehlo.bitcast_convert %arg3 : (tensor<4x6xf32>) -> tensor<4x6x4xui8>
  return
}
