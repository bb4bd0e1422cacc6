// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The textual forms that JAX prints are read and printed the same.
// RUN: zcc-opt %s | FileCheck %s
// RUN: zcc-opt %s --mlir-print-op-generic | zcc-opt | FileCheck %s

// CHECK-LABEL: func.func @elementwise
func.func @elementwise(%a: tensor<4x8xf32>, %i: tensor<4x8xi32>, %p: tensor<i1>, %s: tensor<f32>, %z: tensor<4xcomplex<f32>>) {
  // CHECK: stablehlo.add %{{.*}}, %{{.*}} : tensor<4x8xf32>
  %0 = stablehlo.add %a, %a : tensor<4x8xf32>
  // CHECK: stablehlo.convert %{{.*}} : (tensor<4x8xf32>) -> tensor<4x8xbf16>
  %1 = stablehlo.convert %a : (tensor<4x8xf32>) -> tensor<4x8xbf16>
  // CHECK: stablehlo.convert %{{.*}} : tensor<4x8xf32>
  %2 = stablehlo.convert %a : tensor<4x8xf32>
  // CHECK: stablehlo.compare LT, %{{.*}}, %{{.*}}, SIGNED : (tensor<4x8xi32>, tensor<4x8xi32>) -> tensor<4x8xi1>
  %3 = stablehlo.compare LT, %i, %i, SIGNED : (tensor<4x8xi32>, tensor<4x8xi32>) -> tensor<4x8xi1>
  // CHECK: stablehlo.compare EQ, %{{.*}}, %{{.*}} : (
  %4 = stablehlo.compare EQ, %a, %a : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xi1>
  // CHECK: stablehlo.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<i1>, tensor<4x8xf32>
  %5 = stablehlo.select %p, %a, %a : tensor<i1>, tensor<4x8xf32>
  // CHECK: stablehlo.clamp %{{.*}}, %{{.*}}, %{{.*}} : (tensor<f32>, tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %6 = stablehlo.clamp %s, %a, %s : (tensor<f32>, tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  // CHECK: stablehlo.reduce_precision %{{.*}}, format = e5m10 : tensor<4x8xf32>
  %7 = stablehlo.reduce_precision %a, format = e5m10 : tensor<4x8xf32>
  // CHECK: stablehlo.is_finite %{{.*}} : (tensor<4x8xf32>) -> tensor<4x8xi1>
  %8 = stablehlo.is_finite %a : (tensor<4x8xf32>) -> tensor<4x8xi1>
  // CHECK: stablehlo.exponential %{{.*}} {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>}
  %9 = stablehlo.exponential %a {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<4x8xf32>
  // CHECK: %[[R:.*]] = stablehlo.real %{{.*}} : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %10 = stablehlo.real %z : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  // CHECK: stablehlo.complex %[[R]], %[[R]] : tensor<4xcomplex<f32>>
  %11 = stablehlo.complex %10, %10 : tensor<4xcomplex<f32>>
  return
}

// CHECK-LABEL: func.func @movement
func.func @movement(%a: tensor<4x8xf32>, %s: tensor<f32>, %i: tensor<i32>) {
  // CHECK: stablehlo.iota dim = 0 : tensor<4x4xi32>
  %0 = stablehlo.iota dim = 0 : tensor<4x4xi32>
  // CHECK: stablehlo.broadcast_in_dim %{{.*}}, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
  %1 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
  // CHECK: stablehlo.broadcast %{{.*}}, sizes = [4, 8] :
  %2 = stablehlo.broadcast %s, sizes = [4, 8] : (tensor<f32>) -> tensor<4x8xf32>
  // CHECK: stablehlo.slice %{{.*}} [0:2, 0:8:2] :
  %3 = stablehlo.slice %a [0:2, 0:8:2] : (tensor<4x8xf32>) -> tensor<2x4xf32>
  // CHECK: stablehlo.dynamic_slice %{{.*}}, %{{.*}}, %{{.*}}, sizes = [1, 2] :
  %4 = stablehlo.dynamic_slice %a, %i, %i, sizes = [1, 2] : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
  // CHECK: stablehlo.dynamic_update_slice %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} :
  %5 = stablehlo.dynamic_update_slice %a, %4, %i, %i : (tensor<4x8xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
  // CHECK: stablehlo.pad %{{.*}}, %{{.*}}, low = [0, 1], high = [2, -1], interior = [0, 1] :
  %6 = stablehlo.pad %a, %s, low = [0, 1], high = [2, -1], interior = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<6x15xf32>
  // CHECK: stablehlo.concatenate %{{.*}}, %{{.*}}, dim = 0 :
  %7 = stablehlo.concatenate %a, %a, dim = 0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  // CHECK: stablehlo.reverse %{{.*}}, dims = [0] : tensor<4x8xf32>
  %8 = stablehlo.reverse %a, dims = [0] : tensor<4x8xf32>
  // CHECK: stablehlo.transpose %{{.*}}, dims = [1, 0] :
  %9 = stablehlo.transpose %a, dims = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
  // CHECK: stablehlo.get_dimension_size %{{.*}}, dim = 1 :
  %10 = stablehlo.get_dimension_size %a, dim = 1 : (tensor<4x8xf32>) -> tensor<i32>
  // CHECK: stablehlo.optimization_barrier %{{.*}}, %{{.*}} : tensor<4x8xf32>, tensor<f32>
  %11:2 = stablehlo.optimization_barrier %a, %s : tensor<4x8xf32>, tensor<f32>
  // CHECK: stablehlo.tuple %{{.*}}, %{{.*}} : tuple<tensor<4x8xf32>, tensor<f32>>
  %12 = stablehlo.tuple %a, %s : tuple<tensor<4x8xf32>, tensor<f32>>
  // CHECK: stablehlo.get_tuple_element %{{.*}}[1] :
  %13 = stablehlo.get_tuple_element %12[1] : (tuple<tensor<4x8xf32>, tensor<f32>>) -> tensor<f32>
  return
}

// CHECK-LABEL: func.func @products
func.func @products(%a: tensor<4x4xf32>, %b: tensor<4x8xf32>, %q: tensor<2x3x4x5xf32>, %x: tensor<2x3x8x8xf32>, %w: tensor<3x3x3x16xf32>) {
  // CHECK: stablehlo.dot %{{.*}}, %{{.*}}, precision = [HIGHEST, DEFAULT] : (
  %0 = stablehlo.dot %a, %b, precision = [HIGHEST, DEFAULT] : (tensor<4x4xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: stablehlo.dot_general %{{.*}}, %{{.*}}, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (
  %1 = stablehlo.dot_general %q, %q, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x3x4x5xf32>, tensor<2x3x4x5xf32>) -> tensor<2x4x3x3xf32>
  // CHECK: stablehlo.dot_general %{{.*}}, %{{.*}}, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = tf32, {{.*}}, allow_imprecise_accumulation = false> : (
  %2 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<4x4xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: stablehlo.convolution(%{{.*}}, %{{.*}}) dim_numbers = [b, f, 0, 1]x[0, 1, i, o]->[b, f, 0, 1], window = {stride = [2, 2], pad = {{\[\[}}1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} :
  %3 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0, 1]x[0, 1, i, o]->[b, f, 0, 1], window = {stride = [2, 2], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x3x8x8xf32>, tensor<3x3x3x16xf32>) -> tensor<2x16x4x4xf32>
  return
}

// CHECK-LABEL: func.func @calls
func.func @calls(%a: tensor<4x8xf32>, %z: tensor<4xcomplex<f32>>, %m: tensor<4x4xf32>, %k: tensor<2xui64>) {
  // CHECK: stablehlo.custom_call @foo(%{{.*}}) {has_side_effect = true, mhlo.x = 1 : i32} : (
  %0 = stablehlo.custom_call @foo(%a) {has_side_effect = true, mhlo.x = 1 : i32} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: stablehlo.composite "my.op" %{{.*}} {composite_attributes = {n = 1 : i64}, decomposition = @g} :
  %1 = stablehlo.composite "my.op" %a {composite_attributes = {n = 1 : i64}, decomposition = @g} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: stablehlo.fft %{{.*}}, type = FFT, length = [4] :
  %2 = stablehlo.fft %z, type = FFT, length = [4] : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  // CHECK: stablehlo.cholesky %{{.*}}, lower = true : tensor<4x4xf32>
  %3 = stablehlo.cholesky %m, lower = true : tensor<4x4xf32>
  // CHECK: stablehlo.rng_bit_generator %{{.*}}, algorithm = THREE_FRY :
  %4, %5 = stablehlo.rng_bit_generator %k, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
  return
}
func.func private @g(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  return %a : tensor<4x8xf32>
}
