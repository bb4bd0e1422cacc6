// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels of models and random graphs; see complete.py.
func.func @dot_general_f62c7ec2b2939094(%arg0: tensor<64x13xf32>, %arg1: tensor<13x32xf32>, %arg2: tensor<32xf32>) -> (tensor<64x32xi1>, tensor<64x32xf32>) {
  %0 = train.dot_general %arg0, %arg1 {lhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_batching = array<i64>, rhs_contracting = array<i64: 0>} : (tensor<64x13xf32>, tensor<13x32xf32>) -> tensor<64x32xf32>
  %1 = train.broadcast_in_dim %arg2 {dims = array<i64: 1>} : (tensor<32xf32>) -> tensor<64x32xf32>
  %2 = train.add %0, %1 : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
  %3 = train.constant dense<0.000000e+00> : tensor<f32>
  %4 = train.broadcast_in_dim %3 {dims = array<i64>} : (tensor<f32>) -> tensor<64x32xf32>
  %5 = train.compare %2, %4 {direction = #train<compare_direction LE>} : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x32xi1>
  %6 = train.select %5, %4, %2 : (tensor<64x32xi1>, tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
  return %5, %6 : tensor<64x32xi1>, tensor<64x32xf32>
}
func.func @dot_general_6513d81e437473db(%arg0: tensor<64x32xf32>, %arg1: tensor<32x1xf32>, %arg2: tensor<1xf32>, %arg3: tensor<64xf32>) -> (tensor<64x1xf32>, tensor<64xf32>, tensor<64xf32>) {
  %0 = train.constant dense<0.000000e+00> : tensor<f32>
  %1 = train.dot_general %arg0, %arg1 {lhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_batching = array<i64>, rhs_contracting = array<i64: 0>} : (tensor<64x32xf32>, tensor<32x1xf32>) -> tensor<64x1xf32>
  %2 = train.broadcast_in_dim %arg2 {dims = array<i64: 1>} : (tensor<1xf32>) -> tensor<64x1xf32>
  %3 = train.add %1, %2 : (tensor<64x1xf32>, tensor<64x1xf32>) -> tensor<64x1xf32>
  %4 = train.reshape %3 : (tensor<64x1xf32>) -> tensor<64xf32>
  %5 = train.broadcast_in_dim %0 {dims = array<i64>} : (tensor<f32>) -> tensor<64xf32>
  %6 = train.maximum %4, %5 : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %7 = train.multiply %4, %arg3 : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %8 = train.subtract %6, %7 : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %9 = train.abs %4 : (tensor<64xf32>) -> tensor<64xf32>
  %10 = train.negate %9 : (tensor<64xf32>) -> tensor<64xf32>
  %11 = train.exponential %10 : (tensor<64xf32>) -> tensor<64xf32>
  %12 = train.log_plus_one %11 : (tensor<64xf32>) -> tensor<64xf32>
  %13 = train.add %8, %12 : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  return %3, %11, %13 : tensor<64x1xf32>, tensor<64xf32>, tensor<64xf32>
}
func.func @reduce_21b084dabebd215b(%arg0: tensor<64xf32>) -> tensor<f32> {
  %0 = train.reduce %arg0 {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<64xf32>) -> tensor<f32>
  %1 = train.constant dense<6.400000e+01> : tensor<f32>
  %2 = train.divide %0, %1 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %2 : tensor<f32>
}
func.func @reduce_4b0064141550a9a2(%arg0: tensor<64xf32>, %arg1: tensor<64xf32>, %arg2: tensor<64xf32>) -> (tensor<64xf32>, tensor<1xf32>) {
  %0 = train.constant dense<1.000000e+00> : tensor<f32>
  %1 = train.constant dense<6.400000e+01> : tensor<f32>
  %2 = train.divide %0, %1 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %3 = train.broadcast_in_dim %2 {dims = array<i64>} : (tensor<f32>) -> tensor<64xf32>
  %4 = train.negate %3 : (tensor<64xf32>) -> tensor<64xf32>
  %5 = train.multiply %4, %arg0 : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %6 = train.add %arg1, %5 : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %7 = train.add %6, %arg2 : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %8 = train.reshape %7 : (tensor<64xf32>) -> tensor<64x1xf32>
  %9 = train.reduce %8 {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<64x1xf32>) -> tensor<1xf32>
  return %7, %9 : tensor<64xf32>, tensor<1xf32>
}
func.func @scatter_85a3503a4385905a(%arg0: tensor<21x2xi32>, %arg1: tensor<64x21xf32>) -> tensor<64x7x7xf32> {
  %0 = train.constant dense<0.000000e+00> : tensor<64x7x7xf32>
  %1 = train.scatter %0, %arg0, %arg1 {clamp_starts = true, index_vector_dim = 1 : i64, indices_batching_dims = array<i64>, inserted_window_dims = array<i64: 1, 2>, kind = #train<reduce_kind add>, operand_batching_dims = array<i64>, operand_dims_map = array<i64: 1, 2>, update_window_dims = array<i64: 0>} : (tensor<64x7x7xf32>, tensor<21x2xi32>, tensor<64x21xf32>) -> tensor<64x7x7xf32>
  return %1 : tensor<64x7x7xf32>
}
func.func @reduce_69b264bbe5156578(%arg0: tensor<64x37xf32>, %arg1: tensor<64x7x16xf32>, %arg2: tensor<64x16xi1>) -> (tensor<64x1x16xf32>, tensor<64x1x16xf32>, tensor<64x1x16xf32>, tensor<64x1x16xf32>, tensor<64x1x16xf32>, tensor<64x1x16xf32>, tensor<64x16xf32>, tensor<16xf32>) {
  %0 = train.slice %arg0 {limit = array<i64: 64, 16>, start = array<i64: 0, 0>, stride = array<i64: 1, 1>} : (tensor<64x37xf32>) -> tensor<64x16xf32>
  %1 = train.slice %arg1 {limit = array<i64: 64, 1, 16>, start = array<i64: 0, 0, 0>, stride = array<i64: 1, 1, 1>} : (tensor<64x7x16xf32>) -> tensor<64x1x16xf32>
  %2 = train.slice %arg1 {limit = array<i64: 64, 2, 16>, start = array<i64: 0, 1, 0>, stride = array<i64: 1, 1, 1>} : (tensor<64x7x16xf32>) -> tensor<64x1x16xf32>
  %3 = train.slice %arg1 {limit = array<i64: 64, 3, 16>, start = array<i64: 0, 2, 0>, stride = array<i64: 1, 1, 1>} : (tensor<64x7x16xf32>) -> tensor<64x1x16xf32>
  %4 = train.slice %arg1 {limit = array<i64: 64, 4, 16>, start = array<i64: 0, 3, 0>, stride = array<i64: 1, 1, 1>} : (tensor<64x7x16xf32>) -> tensor<64x1x16xf32>
  %5 = train.slice %arg1 {limit = array<i64: 64, 5, 16>, start = array<i64: 0, 4, 0>, stride = array<i64: 1, 1, 1>} : (tensor<64x7x16xf32>) -> tensor<64x1x16xf32>
  %6 = train.slice %arg1 {limit = array<i64: 64, 6, 16>, start = array<i64: 0, 5, 0>, stride = array<i64: 1, 1, 1>} : (tensor<64x7x16xf32>) -> tensor<64x1x16xf32>
  %7 = train.slice %arg1 {limit = array<i64: 64, 7, 16>, start = array<i64: 0, 6, 0>, stride = array<i64: 1, 1, 1>} : (tensor<64x7x16xf32>) -> tensor<64x1x16xf32>
  %8 = train.reshape %1 : (tensor<64x1x16xf32>) -> tensor<64x16xf32>
  %9 = train.add %0, %8 : (tensor<64x16xf32>, tensor<64x16xf32>) -> tensor<64x16xf32>
  %10 = train.constant dense<0.000000e+00> : tensor<64x16xf32>
  %11 = train.select %arg2, %10, %9 : (tensor<64x16xi1>, tensor<64x16xf32>, tensor<64x16xf32>) -> tensor<64x16xf32>
  %12 = train.reduce %11 {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<64x16xf32>) -> tensor<16xf32>
  return %2, %3, %4, %5, %6, %7, %11, %12 : tensor<64x1x16xf32>, tensor<64x1x16xf32>, tensor<64x1x16xf32>, tensor<64x1x16xf32>, tensor<64x1x16xf32>, tensor<64x1x16xf32>, tensor<64x16xf32>, tensor<16xf32>
}
func.func @adamw_c6dc7a717267a2fc(%arg0: tensor<1xf32>, %arg1: tensor<1xf32>, %arg2: tensor<1xf32>, %arg3: tensor<1xf32>, %arg4: tensor<1xf32>, %arg5: tensor<1xf32>, %arg6: tensor<1xf32>, %arg7: tensor<1xf32>, %arg8: tensor<1xf32>, %arg9: tensor<1xf32>, %arg10: tensor<1xf32>, %arg11: tensor<1xf32>, %arg12: tensor<1xf32>, %arg13: tensor<1xf32>, %arg14: tensor<16xf32>, %arg15: tensor<1xf32>, %arg16: tensor<1xf32>, %arg17: tensor<1xf32>, %arg18: tensor<1xf32>) -> (tensor<14xf32>, tensor<f32>, tensor<i1>, tensor<f32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) {
  %0 = train.concatenate %arg0, %arg1, %arg2, %arg3, %arg4, %arg5, %arg6, %arg7, %arg8, %arg9, %arg10, %arg11, %arg12, %arg13 {dim = 0 : i64} : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<14xf32>
  %1 = train.reduce %0 {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<14xf32>) -> tensor<f32>
  %2 = train.sqrt %1 : (tensor<f32>) -> tensor<f32>
  %3 = train.is_finite %1 : (tensor<f32>) -> tensor<i1>
  %4 = train.constant dense<9.99999997E-7> : tensor<f32>
  %5 = train.add %2, %4 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %6 = train.constant dense<1.000000e+00> : tensor<f32>
  %7 = train.slice %arg14 {limit = array<i64: 7>, start = array<i64: 6>, stride = array<i64: 1>} : (tensor<16xf32>) -> tensor<1xf32>
  %8 = train.reshape %7 : (tensor<1xf32>) -> tensor<f32>
  %9 = train.divide %8, %5 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %10 = train.minimum %6, %9 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %new_parameter, %new_moment1, %new_moment2 = train.update %arg15, %arg16, %arg17, %arg18, %arg14, %10, %3 {optimizer = "adamw", decay = false} : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<16xf32>, tensor<f32>, tensor<i1>) -> (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
  return %0, %2, %3, %10, %new_parameter, %new_moment1, %new_moment2 : tensor<14xf32>, tensor<f32>, tensor<i1>, tensor<f32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
}
func.func @reduce_30fbfd72273351c7(%arg0: tensor<2xi32>, %arg1: tensor<32x6xi32>) -> (tensor<32x1xi32>, tensor<32xi1>) {
  %0 = train.constant dense<500> : tensor<i32>
  %1 = train.slice %arg0 {limit = array<i64: 2>, start = array<i64: 1>, stride = array<i64: 1>} : (tensor<2xi32>) -> tensor<1xi32>
  %2 = train.reshape %1 : (tensor<1xi32>) -> tensor<i32>
  %3 = train.multiply %2, %0 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %4 = train.slice %arg1 {limit = array<i64: 32, 1>, start = array<i64: 0, 0>, stride = array<i64: 1, 1>} : (tensor<32x6xi32>) -> tensor<32x1xi32>
  %5 = train.reshape %4 : (tensor<32x1xi32>) -> tensor<32xi32>
  %6 = train.constant dense<0> : tensor<i32>
  %7 = train.broadcast_in_dim %6 {dims = array<i64>} : (tensor<i32>) -> tensor<32xi32>
  %8 = train.compare %5, %7 {direction = #train<compare_direction LT>} : (tensor<32xi32>, tensor<32xi32>) -> tensor<32xi1>
  %9 = train.constant dense<1000> : tensor<i32>
  %10 = train.broadcast_in_dim %9 {dims = array<i64>} : (tensor<i32>) -> tensor<32xi32>
  %11 = train.add %5, %10 : (tensor<32xi32>, tensor<32xi32>) -> tensor<32xi32>
  %12 = train.select %8, %11, %5 : (tensor<32xi1>, tensor<32xi32>, tensor<32xi32>) -> tensor<32xi32>
  %13 = train.reshape %12 : (tensor<32xi32>) -> tensor<32x1xi32>
  %14 = train.reshape %3 : (tensor<i32>) -> tensor<1xi32>
  %15 = train.constant dense<999> : tensor<1xi32>
  %16 = train.constant dense<500> : tensor<1xi32>
  %17 = train.constant dense<0> : tensor<32x1xi32>
  %18 = train.broadcast_in_dim %15 {dims = array<i64: 1>} : (tensor<1xi32>) -> tensor<32x1xi32>
  %19 = train.clamp %17, %13, %18 : (tensor<32x1xi32>, tensor<32x1xi32>, tensor<32x1xi32>) -> tensor<32x1xi32>
  %20 = train.broadcast_in_dim %14 {dims = array<i64: 1>} : (tensor<1xi32>) -> tensor<32x1xi32>
  %21 = train.subtract %19, %20 : (tensor<32x1xi32>, tensor<32x1xi32>) -> tensor<32x1xi32>
  %22 = train.compare %21, %17 {direction = #train<compare_direction GE>} : (tensor<32x1xi32>, tensor<32x1xi32>) -> tensor<32x1xi1>
  %23 = train.broadcast_in_dim %16 {dims = array<i64: 1>} : (tensor<1xi32>) -> tensor<32x1xi32>
  %24 = train.compare %21, %23 {direction = #train<compare_direction LT>} : (tensor<32x1xi32>, tensor<32x1xi32>) -> tensor<32x1xi1>
  %25 = train.and %22, %24 : (tensor<32x1xi1>, tensor<32x1xi1>) -> tensor<32x1xi1>
  %26 = train.reduce %25 {dims = array<i64: 1>, kind = #train<reduce_kind logical_and>} : (tensor<32x1xi1>) -> tensor<32xi1>
  return %21, %26 : tensor<32x1xi32>, tensor<32xi1>
}
func.func @reduce_f215a1f5ac7c0633(%arg0: tensor<1xf32>, %arg1: tensor<32x1xf32>, %arg2: tensor<32xf32>) -> (tensor<32x1xf32>, tensor<32xf32>, tensor<f32>) {
  %0 = train.constant dense<0.000000e+00> : tensor<f32>
  %1 = train.broadcast_in_dim %arg0 {dims = array<i64: 1>} : (tensor<1xf32>) -> tensor<32x1xf32>
  %2 = train.add %arg1, %1 : (tensor<32x1xf32>, tensor<32x1xf32>) -> tensor<32x1xf32>
  %3 = train.reshape %2 : (tensor<32x1xf32>) -> tensor<32xf32>
  %4 = train.broadcast_in_dim %0 {dims = array<i64>} : (tensor<f32>) -> tensor<32xf32>
  %5 = train.maximum %3, %4 : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
  %6 = train.multiply %3, %arg2 : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
  %7 = train.subtract %5, %6 : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
  %8 = train.abs %3 : (tensor<32xf32>) -> tensor<32xf32>
  %9 = train.negate %8 : (tensor<32xf32>) -> tensor<32xf32>
  %10 = train.exponential %9 : (tensor<32xf32>) -> tensor<32xf32>
  %11 = train.log_plus_one %10 : (tensor<32xf32>) -> tensor<32xf32>
  %12 = train.add %7, %11 : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
  %13 = train.reduce %12 {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<32xf32>) -> tensor<f32>
  %14 = train.constant dense<6.400000e+01> : tensor<f32>
  %15 = train.divide %13, %14 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %2, %10, %15 : tensor<32x1xf32>, tensor<32xf32>, tensor<f32>
}
func.func @sum_of_squares_204350cc0afb1ea(%arg0: tensor<2xi32>, %arg1: tensor<2x8xf32>) -> tensor<1xf32> {
  %0 = train.constant dense<2> : tensor<i32>
  %1 = train.slice %arg0 {limit = array<i64: 2>, start = array<i64: 1>, stride = array<i64: 1>} : (tensor<2xi32>) -> tensor<1xi32>
  %2 = train.reshape %1 : (tensor<1xi32>) -> tensor<i32>
  %3 = train.multiply %2, %0 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %4 = train.constant dense<0.000000e+00> : tensor<2x8xf32>
  %5 = train.iota %3 {dim = 0 : i64} : (tensor<i32>) -> tensor<2xi32>
  %6 = train.constant dense<3> : tensor<2xi32>
  %7 = train.compare %5, %6 {direction = #train<compare_direction LT>} : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
  %8 = train.broadcast_in_dim %7 {dims = array<i64: 0>} : (tensor<2xi1>) -> tensor<2x8xi1>
  %9 = train.select %8, %arg1, %4 : (tensor<2x8xi1>, tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %10 = train.sum_of_squares %9 : (tensor<2x8xf32>) -> tensor<1xf32>
  return %10 : tensor<1xf32>
}
func.func @dot_general_2369e796adbd0370(%arg0: tensor<32x13xf32>, %arg1: tensor<13x16xbf16>, %arg2: tensor<16xf32>) -> (tensor<32x16xi1>, tensor<32x16xbf16>) {
  %0 = train.convert %arg0 : (tensor<32x13xf32>) -> tensor<32x13xbf16>
  %1 = train.dot_general %0, %arg1 {lhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_batching = array<i64>, rhs_contracting = array<i64: 0>} : (tensor<32x13xbf16>, tensor<13x16xbf16>) -> tensor<32x16xf32>
  %2 = train.convert %1 : (tensor<32x16xf32>) -> tensor<32x16xbf16>
  %3 = train.convert %2 : (tensor<32x16xbf16>) -> tensor<32x16xf32>
  %4 = train.broadcast_in_dim %arg2 {dims = array<i64: 1>} : (tensor<16xf32>) -> tensor<32x16xf32>
  %5 = train.add %3, %4 : (tensor<32x16xf32>, tensor<32x16xf32>) -> tensor<32x16xf32>
  %6 = train.convert %5 : (tensor<32x16xf32>) -> tensor<32x16xbf16>
  %7 = train.convert %6 : (tensor<32x16xbf16>) -> tensor<32x16xf32>
  %8 = train.constant dense<0.000000e+00> : tensor<f32>
  %9 = train.broadcast_in_dim %8 {dims = array<i64>} : (tensor<f32>) -> tensor<32x16xf32>
  %10 = train.compare %7, %9 {direction = #train<compare_direction LE>} : (tensor<32x16xf32>, tensor<32x16xf32>) -> tensor<32x16xi1>
  %11 = train.select %10, %9, %7 : (tensor<32x16xi1>, tensor<32x16xf32>, tensor<32x16xf32>) -> tensor<32x16xf32>
  %12 = train.convert %11 : (tensor<32x16xf32>) -> tensor<32x16xbf16>
  return %10, %12 : tensor<32x16xi1>, tensor<32x16xbf16>
}
func.func @reduce_7741813f63e46a7b(%arg0: tensor<32x1xbf16>, %arg1: tensor<1xf32>, %arg2: tensor<32xf32>) -> (tensor<32xbf16>, tensor<32xbf16>, tensor<f32>) {
  %0 = train.constant dense<0.000000e+00> : tensor<f32>
  %1 = train.convert %arg0 : (tensor<32x1xbf16>) -> tensor<32x1xf32>
  %2 = train.broadcast_in_dim %arg1 {dims = array<i64: 1>} : (tensor<1xf32>) -> tensor<32x1xf32>
  %3 = train.add %1, %2 : (tensor<32x1xf32>, tensor<32x1xf32>) -> tensor<32x1xf32>
  %4 = train.reshape %3 : (tensor<32x1xf32>) -> tensor<32xf32>
  %5 = train.convert %4 : (tensor<32xf32>) -> tensor<32xbf16>
  %6 = train.broadcast_in_dim %0 {dims = array<i64>} : (tensor<f32>) -> tensor<32xf32>
  %7 = train.maximum %4, %6 : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
  %8 = train.multiply %4, %arg2 : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
  %9 = train.subtract %7, %8 : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
  %10 = train.abs %4 : (tensor<32xf32>) -> tensor<32xf32>
  %11 = train.negate %10 : (tensor<32xf32>) -> tensor<32xf32>
  %12 = train.exponential %11 : (tensor<32xf32>) -> tensor<32xf32>
  %13 = train.convert %12 : (tensor<32xf32>) -> tensor<32xbf16>
  %14 = train.log_plus_one %12 : (tensor<32xf32>) -> tensor<32xf32>
  %15 = train.add %9, %14 : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
  %16 = train.reduce %15 {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<32xf32>) -> tensor<f32>
  %17 = train.constant dense<6.400000e+01> : tensor<f32>
  %18 = train.divide %16, %17 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %5, %13, %18 : tensor<32xbf16>, tensor<32xbf16>, tensor<f32>
}
func.func @reduce_c2fd89485258cfae(%arg0: tensor<32x16xbf16>) -> tensor<16xf32> {
  %0 = train.convert %arg0 : (tensor<32x16xbf16>) -> tensor<32x16xf32>
  %1 = train.reduce %0 {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<32x16xf32>) -> tensor<16xf32>
  return %1 : tensor<16xf32>
}
func.func @dot_general_fd73e03d2204ae04(%arg0: tensor<32x7x7xbf16>, %arg1: tensor<32x7x16xbf16>, %arg2: tensor<32x7x16xbf16>) -> tensor<32x7x16xbf16> {
  %0 = train.dot_general %arg0, %arg1 {lhs_batching = array<i64: 0>, lhs_contracting = array<i64: 1>, rhs_batching = array<i64: 0>, rhs_contracting = array<i64: 1>} : (tensor<32x7x7xbf16>, tensor<32x7x16xbf16>) -> tensor<32x7x16xf32>
  %1 = train.convert %0 : (tensor<32x7x16xf32>) -> tensor<32x7x16xbf16>
  %2 = train.add %1, %arg2 : (tensor<32x7x16xbf16>, tensor<32x7x16xbf16>) -> tensor<32x7x16xbf16>
  return %2 : tensor<32x7x16xbf16>
}
func.func @reduce_30c148f6553b4d2d(%arg0: tensor<32x7x16xbf16>, %arg1: tensor<32x16xbf16>, %arg2: tensor<32x16xi1>) -> (tensor<32x16xf32>, tensor<32x16xf32>, tensor<32x16xf32>, tensor<32x16xf32>, tensor<32x16xf32>, tensor<32x16xf32>, tensor<32x16xbf16>, tensor<16xf32>) {
  %0 = train.slice %arg0 {limit = array<i64: 32, 1, 16>, start = array<i64: 0, 0, 0>, stride = array<i64: 1, 1, 1>} : (tensor<32x7x16xbf16>) -> tensor<32x1x16xbf16>
  %1 = train.slice %arg0 {limit = array<i64: 32, 2, 16>, start = array<i64: 0, 1, 0>, stride = array<i64: 1, 1, 1>} : (tensor<32x7x16xbf16>) -> tensor<32x1x16xbf16>
  %2 = train.slice %arg0 {limit = array<i64: 32, 3, 16>, start = array<i64: 0, 2, 0>, stride = array<i64: 1, 1, 1>} : (tensor<32x7x16xbf16>) -> tensor<32x1x16xbf16>
  %3 = train.slice %arg0 {limit = array<i64: 32, 4, 16>, start = array<i64: 0, 3, 0>, stride = array<i64: 1, 1, 1>} : (tensor<32x7x16xbf16>) -> tensor<32x1x16xbf16>
  %4 = train.slice %arg0 {limit = array<i64: 32, 5, 16>, start = array<i64: 0, 4, 0>, stride = array<i64: 1, 1, 1>} : (tensor<32x7x16xbf16>) -> tensor<32x1x16xbf16>
  %5 = train.slice %arg0 {limit = array<i64: 32, 6, 16>, start = array<i64: 0, 5, 0>, stride = array<i64: 1, 1, 1>} : (tensor<32x7x16xbf16>) -> tensor<32x1x16xbf16>
  %6 = train.slice %arg0 {limit = array<i64: 32, 7, 16>, start = array<i64: 0, 6, 0>, stride = array<i64: 1, 1, 1>} : (tensor<32x7x16xbf16>) -> tensor<32x1x16xbf16>
  %7 = train.reshape %6 : (tensor<32x1x16xbf16>) -> tensor<32x16xbf16>
  %8 = train.reshape %5 : (tensor<32x1x16xbf16>) -> tensor<32x16xbf16>
  %9 = train.reshape %4 : (tensor<32x1x16xbf16>) -> tensor<32x16xbf16>
  %10 = train.reshape %3 : (tensor<32x1x16xbf16>) -> tensor<32x16xbf16>
  %11 = train.reshape %2 : (tensor<32x1x16xbf16>) -> tensor<32x16xbf16>
  %12 = train.reshape %1 : (tensor<32x1x16xbf16>) -> tensor<32x16xbf16>
  %13 = train.reshape %0 : (tensor<32x1x16xbf16>) -> tensor<32x16xbf16>
  %14 = train.add %arg1, %13 : (tensor<32x16xbf16>, tensor<32x16xbf16>) -> tensor<32x16xbf16>
  %15 = train.convert %7 : (tensor<32x16xbf16>) -> tensor<32x16xf32>
  %16 = train.convert %8 : (tensor<32x16xbf16>) -> tensor<32x16xf32>
  %17 = train.convert %9 : (tensor<32x16xbf16>) -> tensor<32x16xf32>
  %18 = train.convert %10 : (tensor<32x16xbf16>) -> tensor<32x16xf32>
  %19 = train.convert %11 : (tensor<32x16xbf16>) -> tensor<32x16xf32>
  %20 = train.convert %12 : (tensor<32x16xbf16>) -> tensor<32x16xf32>
  %21 = train.convert %14 : (tensor<32x16xbf16>) -> tensor<32x16xf32>
  %22 = train.constant dense<0.000000e+00> : tensor<32x16xf32>
  %23 = train.select %arg2, %22, %21 : (tensor<32x16xi1>, tensor<32x16xf32>, tensor<32x16xf32>) -> tensor<32x16xf32>
  %24 = train.convert %23 : (tensor<32x16xf32>) -> tensor<32x16xbf16>
  %25 = train.convert %24 : (tensor<32x16xbf16>) -> tensor<32x16xf32>
  %26 = train.reduce %25 {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<32x16xf32>) -> tensor<16xf32>
  return %15, %16, %17, %18, %19, %20, %24, %26 : tensor<32x16xf32>, tensor<32x16xf32>, tensor<32x16xf32>, tensor<32x16xf32>, tensor<32x16xf32>, tensor<32x16xf32>, tensor<32x16xbf16>, tensor<16xf32>
}
func.func @adamw_ae4886e59c0c7766(%arg0: tensor<13x8xf32>, %arg1: tensor<13x8xf32>, %arg2: tensor<13x8xf32>, %arg3: tensor<13x8xf32>, %arg4: tensor<16xf32>, %arg5: tensor<f32>, %arg6: tensor<i1>) -> (tensor<13x8xf32>, tensor<13x8xf32>, tensor<13x8xf32>, tensor<13x8xbf16>) {
  %new_parameter, %new_moment1, %new_moment2, %copy = train.update %arg0, %arg1, %arg2, %arg3, %arg4, %arg5, %arg6 {optimizer = "adamw", decay = true} : (tensor<13x8xf32>, tensor<13x8xf32>, tensor<13x8xf32>, tensor<13x8xf32>, tensor<16xf32>, tensor<f32>, tensor<i1>) -> (tensor<13x8xf32>, tensor<13x8xf32>, tensor<13x8xf32>, tensor<13x8xbf16>)
  return %new_parameter, %new_moment1, %new_moment2, %copy : tensor<13x8xf32>, tensor<13x8xf32>, tensor<13x8xf32>, tensor<13x8xbf16>
}
func.func @adamw_512ab4fdec8c5777(%arg0: tensor<2xi32>, %arg1: tensor<16xf32>, %arg2: tensor<16xf32>, %arg3: tensor<8xf32>, %arg4: tensor<8xf32>, %arg5: tensor<8xf32>, %arg6: tensor<16xf32>, %arg7: tensor<f32>, %arg8: tensor<i1>, %arg9: tensor<8xf32>, %arg10: tensor<8xf32>, %arg11: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0 = train.constant dense<8> : tensor<i32>
  %1 = train.slice %arg0 {limit = array<i64: 1>, start = array<i64: 0>, stride = array<i64: 1>} : (tensor<2xi32>) -> tensor<1xi32>
  %2 = train.reshape %1 : (tensor<1xi32>) -> tensor<i32>
  %3 = train.multiply %2, %0 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %4 = train.dynamic_slice %arg1, %3 {sizes = array<i64: 8>} : (tensor<16xf32>, tensor<i32>) -> tensor<8xf32>
  %5 = train.dynamic_slice %arg2, %3 {sizes = array<i64: 8>} : (tensor<16xf32>, tensor<i32>) -> tensor<8xf32>
  %new_parameter, %new_moment1, %new_moment2 = train.update %5, %arg3, %arg4, %arg5, %arg6, %arg7, %arg8 {optimizer = "adamw", decay = false} : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<16xf32>, tensor<f32>, tensor<i1>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>)
  %new_parameter_0, %new_moment1_1, %new_moment2_2 = train.update %4, %arg9, %arg10, %arg11, %arg6, %arg7, %arg8 {optimizer = "adamw", decay = false} : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<16xf32>, tensor<f32>, tensor<i1>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>)
  return %new_parameter, %new_moment1, %new_moment2, %new_parameter_0, %new_moment1_1, %new_moment2_2 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
func.func @dot_general_322d623287dc91f1(%arg0: tensor<16x13xf32>, %arg1: tensor<13x32xf16>, %arg2: tensor<32xf32>) -> (tensor<16x32xi1>, tensor<16x32xf16>) {
  %0 = train.convert %arg0 : (tensor<16x13xf32>) -> tensor<16x13xf16>
  %1 = train.dot_general %0, %arg1 {lhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_batching = array<i64>, rhs_contracting = array<i64: 0>} : (tensor<16x13xf16>, tensor<13x32xf16>) -> tensor<16x32xf32>
  %2 = train.convert %1 : (tensor<16x32xf32>) -> tensor<16x32xf16>
  %3 = train.convert %2 : (tensor<16x32xf16>) -> tensor<16x32xf32>
  %4 = train.broadcast_in_dim %arg2 {dims = array<i64: 1>} : (tensor<32xf32>) -> tensor<16x32xf32>
  %5 = train.add %3, %4 : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
  %6 = train.convert %5 : (tensor<16x32xf32>) -> tensor<16x32xf16>
  %7 = train.convert %6 : (tensor<16x32xf16>) -> tensor<16x32xf32>
  %8 = train.constant dense<0.000000e+00> : tensor<f32>
  %9 = train.broadcast_in_dim %8 {dims = array<i64>} : (tensor<f32>) -> tensor<16x32xf32>
  %10 = train.compare %7, %9 {direction = #train<compare_direction LE>} : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xi1>
  %11 = train.select %10, %9, %7 : (tensor<16x32xi1>, tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
  %12 = train.convert %11 : (tensor<16x32xf32>) -> tensor<16x32xf16>
  return %10, %12 : tensor<16x32xi1>, tensor<16x32xf16>
}
func.func @concatenate_251053e7df52c04f(%arg0: tensor<16x1x16xf16>, %arg1: tensor<16x1x16xf16>, %arg2: tensor<16x1x16xf16>, %arg3: tensor<16x1x16xf16>, %arg4: tensor<16x1x16xf16>, %arg5: tensor<16x1x16xf16>, %arg6: tensor<16x1x16xf16>) -> tensor<16x7x16xf16> {
  %0 = train.concatenate %arg0, %arg1, %arg2, %arg3, %arg4, %arg5, %arg6 {dim = 1 : i64} : (tensor<16x1x16xf16>, tensor<16x1x16xf16>, tensor<16x1x16xf16>, tensor<16x1x16xf16>, tensor<16x1x16xf16>, tensor<16x1x16xf16>, tensor<16x1x16xf16>) -> tensor<16x7x16xf16>
  return %0 : tensor<16x7x16xf16>
}
func.func @concatenate_4b7da6b8be95aaf6(%arg0: tensor<16x7x7xf16>, %arg1: tensor<16x16xf16>) -> tensor<16x37xf16> {
  %0 = train.constant dense<[1, 2, 2, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 5, 6, 6, 6, 6, 6, 6]> : tensor<21xi32>
  %1 = train.constant dense<[0, 0, 1, 0, 1, 2, 0, 1, 2, 3, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 5]> : tensor<21xi32>
  %2 = train.reshape %0 : (tensor<21xi32>) -> tensor<21x1xi32>
  %3 = train.reshape %1 : (tensor<21xi32>) -> tensor<21x1xi32>
  %4 = train.concatenate %2, %3 {dim = 1 : i64} : (tensor<21x1xi32>, tensor<21x1xi32>) -> tensor<21x2xi32>
  %5 = train.gather %arg0, %4 {collapsed_slice_dims = array<i64: 1, 2>, index_vector_dim = 1 : i64, indices_batching_dims = array<i64>, offset_dims = array<i64: 0>, operand_batching_dims = array<i64>, slice_sizes = array<i64: 16, 1, 1>, start_index_map = array<i64: 1, 2>} : (tensor<16x7x7xf16>, tensor<21x2xi32>) -> tensor<16x21xf16>
  %6 = train.concatenate %arg1, %5 {dim = 1 : i64} : (tensor<16x16xf16>, tensor<16x21xf16>) -> tensor<16x37xf16>
  return %6 : tensor<16x37xf16>
}
func.func @reduce_78aec09d6b70051b(%arg0: tensor<16xf16>, %arg1: tensor<16xf32>, %arg2: tensor<16xf16>, %arg3: tensor<16xf32>) -> (tensor<16xf32>, tensor<1xf32>) {
  %0 = train.constant dense<1.000000e+00> : tensor<16xf32>
  %1 = train.convert %arg0 : (tensor<16xf16>) -> tensor<16xf32>
  %2 = train.add %1, %0 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %3 = train.slice %arg1 {limit = array<i64: 10>, start = array<i64: 9>, stride = array<i64: 1>} : (tensor<16xf32>) -> tensor<1xf32>
  %4 = train.reshape %3 : (tensor<1xf32>) -> tensor<f32>
  %5 = train.constant dense<6.400000e+01> : tensor<f32>
  %6 = train.divide %4, %5 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %7 = train.broadcast_in_dim %6 {dims = array<i64>} : (tensor<f32>) -> tensor<16xf32>
  %8 = train.divide %7, %2 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %9 = train.multiply %8, %1 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %10 = train.negate %9 : (tensor<16xf32>) -> tensor<16xf32>
  %11 = train.convert %arg2 : (tensor<16xf16>) -> tensor<16xf32>
  %12 = train.sign %11 : (tensor<16xf32>) -> tensor<16xf32>
  %13 = train.multiply %10, %12 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %14 = train.negate %7 : (tensor<16xf32>) -> tensor<16xf32>
  %15 = train.multiply %14, %arg3 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %16 = train.add %13, %15 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %17 = train.constant dense<0.000000e+00> : tensor<f32>
  %18 = train.broadcast_in_dim %17 {dims = array<i64>} : (tensor<f32>) -> tensor<16xf32>
  %19 = train.compare %11, %18 {direction = #train<compare_direction EQ>} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xi1>
  %20 = train.constant dense<0.000000e+00> : tensor<16xf32>
  %21 = train.constant dense<5.000000e-01> : tensor<16xf32>
  %22 = train.multiply %7, %21 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %23 = train.select %19, %22, %20 : (tensor<16xi1>, tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %24 = train.compare %11, %18 {direction = #train<compare_direction GT>} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xi1>
  %25 = train.select %24, %7, %23 : (tensor<16xi1>, tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %26 = train.add %16, %25 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %27 = train.reshape %26 : (tensor<16xf32>) -> tensor<16x1xf32>
  %28 = train.reduce %27 {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<16x1xf32>) -> tensor<1xf32>
  return %26, %28 : tensor<16xf32>, tensor<1xf32>
}
func.func @reduce_7c9c2b85fda022f4(%arg0: tensor<16x32xf16>) -> tensor<32xf16> {
  %0 = train.convert %arg0 : (tensor<16x32xf16>) -> tensor<16x32xf32>
  %1 = train.reduce %0 {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<16x32xf32>) -> tensor<32xf32>
  %2 = train.convert %1 : (tensor<32xf32>) -> tensor<32xf16>
  return %2 : tensor<32xf16>
}
func.func @convert_fb12c087d59423e8(%arg0: tensor<16x37xf16>) -> tensor<16x21xf32> {
  %0 = train.slice %arg0 {limit = array<i64: 16, 37>, start = array<i64: 0, 16>, stride = array<i64: 1, 1>} : (tensor<16x37xf16>) -> tensor<16x21xf16>
  %1 = train.convert %0 : (tensor<16x21xf16>) -> tensor<16x21xf32>
  return %1 : tensor<16x21xf32>
}
func.func @dot_general_a6b3e19ae517c282(%arg0: tensor<16x7x7xf16>, %arg1: tensor<16x7x16xf16>, %arg2: tensor<16x7x16xf16>) -> tensor<16x7x16xf16> {
  %0 = train.dot_general %arg0, %arg1 {lhs_batching = array<i64: 0>, lhs_contracting = array<i64: 1>, rhs_batching = array<i64: 0>, rhs_contracting = array<i64: 1>} : (tensor<16x7x7xf16>, tensor<16x7x16xf16>) -> tensor<16x7x16xf32>
  %1 = train.convert %0 : (tensor<16x7x16xf32>) -> tensor<16x7x16xf16>
  %2 = train.add %1, %arg2 : (tensor<16x7x16xf16>, tensor<16x7x16xf16>) -> tensor<16x7x16xf16>
  return %2 : tensor<16x7x16xf16>
}
func.func @reduce_1a833c2137e8c510(%arg0: tensor<16x37xf16>, %arg1: tensor<16x7x16xf16>, %arg2: tensor<16x16xi1>) -> (tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf16>, tensor<16xf16>) {
  %0 = train.slice %arg0 {limit = array<i64: 16, 16>, start = array<i64: 0, 0>, stride = array<i64: 1, 1>} : (tensor<16x37xf16>) -> tensor<16x16xf16>
  %1 = train.slice %arg1 {limit = array<i64: 16, 1, 16>, start = array<i64: 0, 0, 0>, stride = array<i64: 1, 1, 1>} : (tensor<16x7x16xf16>) -> tensor<16x1x16xf16>
  %2 = train.slice %arg1 {limit = array<i64: 16, 2, 16>, start = array<i64: 0, 1, 0>, stride = array<i64: 1, 1, 1>} : (tensor<16x7x16xf16>) -> tensor<16x1x16xf16>
  %3 = train.slice %arg1 {limit = array<i64: 16, 3, 16>, start = array<i64: 0, 2, 0>, stride = array<i64: 1, 1, 1>} : (tensor<16x7x16xf16>) -> tensor<16x1x16xf16>
  %4 = train.slice %arg1 {limit = array<i64: 16, 4, 16>, start = array<i64: 0, 3, 0>, stride = array<i64: 1, 1, 1>} : (tensor<16x7x16xf16>) -> tensor<16x1x16xf16>
  %5 = train.slice %arg1 {limit = array<i64: 16, 5, 16>, start = array<i64: 0, 4, 0>, stride = array<i64: 1, 1, 1>} : (tensor<16x7x16xf16>) -> tensor<16x1x16xf16>
  %6 = train.slice %arg1 {limit = array<i64: 16, 6, 16>, start = array<i64: 0, 5, 0>, stride = array<i64: 1, 1, 1>} : (tensor<16x7x16xf16>) -> tensor<16x1x16xf16>
  %7 = train.slice %arg1 {limit = array<i64: 16, 7, 16>, start = array<i64: 0, 6, 0>, stride = array<i64: 1, 1, 1>} : (tensor<16x7x16xf16>) -> tensor<16x1x16xf16>
  %8 = train.reshape %7 : (tensor<16x1x16xf16>) -> tensor<16x16xf16>
  %9 = train.reshape %6 : (tensor<16x1x16xf16>) -> tensor<16x16xf16>
  %10 = train.reshape %5 : (tensor<16x1x16xf16>) -> tensor<16x16xf16>
  %11 = train.reshape %4 : (tensor<16x1x16xf16>) -> tensor<16x16xf16>
  %12 = train.reshape %3 : (tensor<16x1x16xf16>) -> tensor<16x16xf16>
  %13 = train.reshape %2 : (tensor<16x1x16xf16>) -> tensor<16x16xf16>
  %14 = train.reshape %1 : (tensor<16x1x16xf16>) -> tensor<16x16xf16>
  %15 = train.add %0, %14 : (tensor<16x16xf16>, tensor<16x16xf16>) -> tensor<16x16xf16>
  %16 = train.convert %8 : (tensor<16x16xf16>) -> tensor<16x16xf32>
  %17 = train.convert %9 : (tensor<16x16xf16>) -> tensor<16x16xf32>
  %18 = train.convert %10 : (tensor<16x16xf16>) -> tensor<16x16xf32>
  %19 = train.convert %11 : (tensor<16x16xf16>) -> tensor<16x16xf32>
  %20 = train.convert %12 : (tensor<16x16xf16>) -> tensor<16x16xf32>
  %21 = train.convert %13 : (tensor<16x16xf16>) -> tensor<16x16xf32>
  %22 = train.convert %15 : (tensor<16x16xf16>) -> tensor<16x16xf32>
  %23 = train.constant dense<0.000000e+00> : tensor<16x16xf32>
  %24 = train.select %arg2, %23, %22 : (tensor<16x16xi1>, tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %25 = train.convert %24 : (tensor<16x16xf32>) -> tensor<16x16xf16>
  %26 = train.convert %25 : (tensor<16x16xf16>) -> tensor<16x16xf32>
  %27 = train.reduce %26 {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<16x16xf32>) -> tensor<16xf32>
  %28 = train.convert %27 : (tensor<16xf32>) -> tensor<16xf16>
  return %16, %17, %18, %19, %20, %21, %25, %28 : tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf16>, tensor<16xf16>
}
func.func @adamw_d7ffc431f9ad9096(%arg0: tensor<1xf32>, %arg1: tensor<1xf32>, %arg2: tensor<1xf32>, %arg3: tensor<1xf32>, %arg4: tensor<1xf32>, %arg5: tensor<1xf32>, %arg6: tensor<1xf32>, %arg7: tensor<1xf32>, %arg8: tensor<1xf32>, %arg9: tensor<1xf32>, %arg10: tensor<1xf32>, %arg11: tensor<1xf32>, %arg12: tensor<1xf32>, %arg13: tensor<1xf32>, %arg14: tensor<16xf32>, %arg15: tensor<f32>, %arg16: tensor<1xf32>, %arg17: tensor<1xf32>, %arg18: tensor<1xf32>, %arg19: tensor<1xf16>) -> (tensor<14xf32>, tensor<f32>, tensor<i1>, tensor<f32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) {
  %0 = train.constant dense<1.000000e+00> : tensor<f32>
  %1 = train.concatenate %arg0, %arg1, %arg2, %arg3, %arg4, %arg5, %arg6, %arg7, %arg8, %arg9, %arg10, %arg11, %arg12, %arg13 {dim = 0 : i64} : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<14xf32>
  %2 = train.reduce %1 {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<14xf32>) -> tensor<f32>
  %3 = train.sqrt %2 : (tensor<f32>) -> tensor<f32>
  %4 = train.is_finite %2 : (tensor<f32>) -> tensor<i1>
  %5 = train.constant dense<9.99999997E-7> : tensor<f32>
  %6 = train.add %3, %5 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %7 = train.slice %arg14 {limit = array<i64: 7>, start = array<i64: 6>, stride = array<i64: 1>} : (tensor<16xf32>) -> tensor<1xf32>
  %8 = train.reshape %7 : (tensor<1xf32>) -> tensor<f32>
  %9 = train.divide %8, %6 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %10 = train.minimum %0, %9 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %11 = train.multiply %10, %arg15 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %new_parameter, %new_moment1, %new_moment2 = train.update %arg16, %arg17, %arg18, %arg19, %arg14, %11, %4 {optimizer = "adamw", decay = false} : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf16>, tensor<16xf32>, tensor<f32>, tensor<i1>) -> (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
  return %1, %3, %4, %11, %new_parameter, %new_moment1, %new_moment2 : tensor<14xf32>, tensor<f32>, tensor<i1>, tensor<f32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
}
func.func @adamw_3d54f6163ad53ef8(%arg0: tensor<2xi32>, %arg1: tensor<32xf32>, %arg2: tensor<16xf32>, %arg3: tensor<16xf32>, %arg4: tensor<16xf16>, %arg5: tensor<16xf32>, %arg6: tensor<f32>, %arg7: tensor<i1>) -> (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) {
  %0 = train.constant dense<16> : tensor<i32>
  %1 = train.slice %arg0 {limit = array<i64: 2>, start = array<i64: 1>, stride = array<i64: 1>} : (tensor<2xi32>) -> tensor<1xi32>
  %2 = train.reshape %1 : (tensor<1xi32>) -> tensor<i32>
  %3 = train.multiply %2, %0 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %4 = train.dynamic_slice %arg1, %3 {sizes = array<i64: 16>} : (tensor<32xf32>, tensor<i32>) -> tensor<16xf32>
  %new_parameter, %new_moment1, %new_moment2 = train.update %4, %arg2, %arg3, %arg4, %arg5, %arg6, %arg7 {optimizer = "adamw", decay = false} : (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf16>, tensor<16xf32>, tensor<f32>, tensor<i1>) -> (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>)
  return %new_parameter, %new_moment1, %new_moment2 : tensor<16xf32>, tensor<16xf32>, tensor<16xf32>
}
func.func @dot_general_c6c2105b3e535556(%arg0: tensor<3x16xf32>, %arg1: tensor<32x1xi32>, %arg2: tensor<32x1x16xf32>, %arg3: tensor<32x1x16xf32>, %arg4: tensor<32x1x16xf32>, %arg5: tensor<32x1x16xf32>, %arg6: tensor<32x1x16xf32>, %arg7: tensor<32x1x16xf32>) -> tensor<32x7x7xf32> {
  %0 = train.gather %arg0, %arg1 {collapsed_slice_dims = array<i64: 0>, index_vector_dim = 1 : i64, indices_batching_dims = array<i64>, offset_dims = array<i64: 1>, operand_batching_dims = array<i64>, slice_sizes = array<i64: 1, 16>, start_index_map = array<i64: 0>} : (tensor<3x16xf32>, tensor<32x1xi32>) -> tensor<32x16xf32>
  %1 = train.reshape %0 : (tensor<32x16xf32>) -> tensor<32x1x16xf32>
  %2 = train.concatenate %arg2, %arg3, %arg4, %arg5, %arg6, %arg7, %1 {dim = 1 : i64} : (tensor<32x1x16xf32>, tensor<32x1x16xf32>, tensor<32x1x16xf32>, tensor<32x1x16xf32>, tensor<32x1x16xf32>, tensor<32x1x16xf32>, tensor<32x1x16xf32>) -> tensor<32x7x16xf32>
  %3 = train.dot_general %2, %2 {lhs_batching = array<i64: 0>, lhs_contracting = array<i64: 2>, rhs_batching = array<i64: 0>, rhs_contracting = array<i64: 2>} : (tensor<32x7x16xf32>, tensor<32x7x16xf32>) -> tensor<32x7x7xf32>
  return %3 : tensor<32x7x7xf32>
}
func.func @dot_general_a73805f9d16c9fa5(%arg0: tensor<32x7x7xf32>, %arg1: tensor<32x16xf32>, %arg2: tensor<37x32xf32>) -> tensor<32x32xf32> {
  %0 = train.constant dense<[1, 2, 2, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 5, 6, 6, 6, 6, 6, 6]> : tensor<21xi32>
  %1 = train.constant dense<[0, 0, 1, 0, 1, 2, 0, 1, 2, 3, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 5]> : tensor<21xi32>
  %2 = train.reshape %0 : (tensor<21xi32>) -> tensor<21x1xi32>
  %3 = train.reshape %1 : (tensor<21xi32>) -> tensor<21x1xi32>
  %4 = train.concatenate %2, %3 {dim = 1 : i64} : (tensor<21x1xi32>, tensor<21x1xi32>) -> tensor<21x2xi32>
  %5 = train.gather %arg0, %4 {collapsed_slice_dims = array<i64: 1, 2>, index_vector_dim = 1 : i64, indices_batching_dims = array<i64>, offset_dims = array<i64: 0>, operand_batching_dims = array<i64>, slice_sizes = array<i64: 32, 1, 1>, start_index_map = array<i64: 1, 2>} : (tensor<32x7x7xf32>, tensor<21x2xi32>) -> tensor<32x21xf32>
  %6 = train.concatenate %arg1, %5 {dim = 1 : i64} : (tensor<32x16xf32>, tensor<32x21xf32>) -> tensor<32x37xf32>
  %7 = train.dot_general %6, %arg2 {lhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_batching = array<i64>, rhs_contracting = array<i64: 0>} : (tensor<32x37xf32>, tensor<37x32xf32>) -> tensor<32x32xf32>
  return %7 : tensor<32x32xf32>
}
func.func @sgd_5b79acc1af9009f7(%arg0: tensor<1xf32>, %arg1: tensor<1xf32>, %arg2: tensor<1xf32>, %arg3: tensor<1xf32>, %arg4: tensor<1xf32>, %arg5: tensor<1xf32>, %arg6: tensor<1xf32>, %arg7: tensor<1xf32>, %arg8: tensor<1xf32>, %arg9: tensor<1xf32>, %arg10: tensor<1xf32>, %arg11: tensor<1xf32>, %arg12: tensor<1xf32>, %arg13: tensor<1xf32>, %arg14: tensor<16xf32>, %arg15: tensor<1xf32>, %arg16: tensor<1xf32>, %arg17: tensor<1xf32>) -> (tensor<14xf32>, tensor<f32>, tensor<i1>, tensor<f32>, tensor<1xf32>, tensor<1xf32>) {
  %0 = train.concatenate %arg0, %arg1, %arg2, %arg3, %arg4, %arg5, %arg6, %arg7, %arg8, %arg9, %arg10, %arg11, %arg12, %arg13 {dim = 0 : i64} : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<14xf32>
  %1 = train.reduce %0 {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<14xf32>) -> tensor<f32>
  %2 = train.sqrt %1 : (tensor<f32>) -> tensor<f32>
  %3 = train.is_finite %1 : (tensor<f32>) -> tensor<i1>
  %4 = train.constant dense<9.99999997E-7> : tensor<f32>
  %5 = train.add %2, %4 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %6 = train.constant dense<1.000000e+00> : tensor<f32>
  %7 = train.slice %arg14 {limit = array<i64: 7>, start = array<i64: 6>, stride = array<i64: 1>} : (tensor<16xf32>) -> tensor<1xf32>
  %8 = train.reshape %7 : (tensor<1xf32>) -> tensor<f32>
  %9 = train.divide %8, %5 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %10 = train.minimum %6, %9 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %new_parameter, %new_momentum = train.update %arg15, %arg16, %arg17, %arg14, %10, %3 {optimizer = "sgd", decay = false} : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<16xf32>, tensor<f32>, tensor<i1>) -> (tensor<1xf32>, tensor<1xf32>)
  return %0, %2, %3, %10, %new_parameter, %new_momentum : tensor<14xf32>, tensor<f32>, tensor<i1>, tensor<f32>, tensor<1xf32>, tensor<1xf32>
}
func.func @dot_general_6a775b1cd58f7c7e(%arg0: tensor<1xi32>, %arg1: tensor<64x13xf32>, %arg2: tensor<13x11xf32>, %arg3: tensor<11xf32>) -> tensor<64x11xf32> {
  %0 = train.constant dense<11> : tensor<i32>
  %1 = train.slice %arg0 {limit = array<i64: 1>, start = array<i64: 0>, stride = array<i64: 1>} : (tensor<1xi32>) -> tensor<1xi32>
  %2 = train.reshape %1 : (tensor<1xi32>) -> tensor<i32>
  %3 = train.multiply %2, %0 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %4 = train.dot_general %arg1, %arg2 {lhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_batching = array<i64>, rhs_contracting = array<i64: 0>} : (tensor<64x13xf32>, tensor<13x11xf32>) -> tensor<64x11xf32>
  %5 = train.broadcast_in_dim %arg3 {dims = array<i64: 1>} : (tensor<11xf32>) -> tensor<64x11xf32>
  %6 = train.add %4, %5 : (tensor<64x11xf32>, tensor<64x11xf32>) -> tensor<64x11xf32>
  %7 = train.constant dense<0.000000e+00> : tensor<f32>
  %8 = train.broadcast_in_dim %7 {dims = array<i64>} : (tensor<f32>) -> tensor<64x11xf32>
  %9 = train.compare %6, %8 {direction = #train<compare_direction LE>} : (tensor<64x11xf32>, tensor<64x11xf32>) -> tensor<64x11xi1>
  %10 = train.select %9, %8, %6 : (tensor<64x11xi1>, tensor<64x11xf32>, tensor<64x11xf32>) -> tensor<64x11xf32>
  %11 = train.constant dense<0.000000e+00> : tensor<64x11xf32>
  %12 = train.iota %3 {dim = 0 : i64} : (tensor<i32>) -> tensor<11xi32>
  %13 = train.constant dense<32> : tensor<11xi32>
  %14 = train.compare %12, %13 {direction = #train<compare_direction LT>} : (tensor<11xi32>, tensor<11xi32>) -> tensor<11xi1>
  %15 = train.broadcast_in_dim %14 {dims = array<i64: 1>} : (tensor<11xi1>) -> tensor<64x11xi1>
  %16 = train.select %15, %10, %11 : (tensor<64x11xi1>, tensor<64x11xf32>, tensor<64x11xf32>) -> tensor<64x11xf32>
  return %16 : tensor<64x11xf32>
}
func.func @reduce_1c79bf1bfe38937d(%arg0: tensor<6x8xi1>, %arg1: tensor<6x8xf32>) -> (tensor<f32>, tensor<6x8xf32>) {
  %0 = train.constant dense<0.000000e+00> : tensor<f32>
  %1 = train.broadcast_in_dim %0 {dims = array<i64>} : (tensor<f32>) -> tensor<6x8xf32>
  %2 = train.select %arg0, %1, %arg1 : (tensor<6x8xi1>, tensor<6x8xf32>, tensor<6x8xf32>) -> tensor<6x8xf32>
  %3 = train.abs %2 : (tensor<6x8xf32>) -> tensor<6x8xf32>
  %4 = train.reduce %3 {dims = array<i64: 0, 1>, kind = #train<reduce_kind maximum>} : (tensor<6x8xf32>) -> tensor<f32>
  %5 = train.constant dense<1.000000e+00> : tensor<f32>
  %6 = train.add %5, %4 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %7 = train.divide %5, %6 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %8 = train.broadcast_in_dim %7 {dims = array<i64>} : (tensor<f32>) -> tensor<6x8xf32>
  %9 = train.multiply %2, %8 : (tensor<6x8xf32>, tensor<6x8xf32>) -> tensor<6x8xf32>
  return %7, %9 : tensor<f32>, tensor<6x8xf32>
}
func.func @reduce_40e424e3c8e925ea(%arg0: tensor<6x2xf32>, %arg1: tensor<6x1xi32>, %arg2: tensor<6x1xi1>) -> (tensor<6x2xf32>, tensor<6xf32>, tensor<6x1xf32>) {
  %0 = train.reduce %arg0 {dims = array<i64: 1>, kind = #train<reduce_kind maximum>} : (tensor<6x2xf32>) -> tensor<6xf32>
  %1 = train.broadcast_in_dim %0 {dims = array<i64: 0>} : (tensor<6xf32>) -> tensor<6x2xf32>
  %2 = train.subtract %arg0, %1 : (tensor<6x2xf32>, tensor<6x2xf32>) -> tensor<6x2xf32>
  %3 = train.exponential %2 : (tensor<6x2xf32>) -> tensor<6x2xf32>
  %4 = train.reduce %3 {dims = array<i64: 1>, kind = #train<reduce_kind add>} : (tensor<6x2xf32>) -> tensor<6xf32>
  %5 = train.reshape %4 : (tensor<6xf32>) -> tensor<6x1xf32>
  %6 = train.log %5 : (tensor<6x1xf32>) -> tensor<6x1xf32>
  %7 = train.broadcast_in_dim %6 {dims = array<i64: 0, 1>} : (tensor<6x1xf32>) -> tensor<6x2xf32>
  %8 = train.subtract %2, %7 : (tensor<6x2xf32>, tensor<6x2xf32>) -> tensor<6x2xf32>
  %9 = train.constant dense<0> : tensor<i32>
  %10 = train.broadcast_in_dim %9 {dims = array<i64>} : (tensor<i32>) -> tensor<6x1xi32>
  %11 = train.compare %arg1, %10 {direction = #train<compare_direction LT>} : (tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi1>
  %12 = train.constant dense<2> : tensor<i32>
  %13 = train.broadcast_in_dim %12 {dims = array<i64>} : (tensor<i32>) -> tensor<6x1xi32>
  %14 = train.add %arg1, %13 : (tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi32>
  %15 = train.select %11, %14, %arg1 : (tensor<6x1xi1>, tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi32>
  %16 = train.reshape %15 : (tensor<6x1xi32>) -> tensor<6x1x1xi32>
  %17 = train.gather %8, %16 {collapsed_slice_dims = array<i64: 1>, index_vector_dim = 2 : i64, indices_batching_dims = array<i64: 0>, offset_dims = array<i64>, operand_batching_dims = array<i64: 0>, slice_sizes = array<i64: 1, 1>, start_index_map = array<i64: 1>} : (tensor<6x2xf32>, tensor<6x1x1xi32>) -> tensor<6x1xf32>
  %18 = train.constant dense<0x7FC00000> : tensor<f32>
  %19 = train.broadcast_in_dim %18 {dims = array<i64>} : (tensor<f32>) -> tensor<6x1xf32>
  %20 = train.select %arg2, %17, %19 : (tensor<6x1xi1>, tensor<6x1xf32>, tensor<6x1xf32>) -> tensor<6x1xf32>
  return %3, %4, %20 : tensor<6x2xf32>, tensor<6xf32>, tensor<6x1xf32>
}
func.func @reduce_bc1e851b1d68631e(%arg0: tensor<6xi1>) -> tensor<f32> {
  %0 = train.convert %arg0 : (tensor<6xi1>) -> tensor<6xf32>
  %1 = train.reduce %0 {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<6xf32>) -> tensor<f32>
  %2 = train.constant dense<6.000000e+00> : tensor<f32>
  %3 = train.divide %1, %2 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %3 : tensor<f32>
}
func.func @add_d5f5d0bd4a8ec318(%arg0: tensor<2xui32>) -> (tensor<2xui32>, tensor<2xui32>) {
  %0 = train.slice %arg0 {limit = array<i64: 1>, start = array<i64: 0>, stride = array<i64: 1>} : (tensor<2xui32>) -> tensor<1xui32>
  %1 = train.reshape %0 : (tensor<1xui32>) -> tensor<ui32>
  %2 = train.slice %arg0 {limit = array<i64: 2>, start = array<i64: 1>, stride = array<i64: 1>} : (tensor<2xui32>) -> tensor<1xui32>
  %3 = train.reshape %2 : (tensor<1xui32>) -> tensor<ui32>
  %4 = train.iota  {dim = 0 : i64} : () -> tensor<2xui64>
  %5 = train.constant dense<32> : tensor<ui64>
  %6 = train.broadcast_in_dim %5 {dims = array<i64>} : (tensor<ui64>) -> tensor<2xui64>
  %7 = train.shift_right_logical %4, %6 : (tensor<2xui64>, tensor<2xui64>) -> tensor<2xui64>
  %8 = train.convert %4 : (tensor<2xui64>) -> tensor<2xui32>
  %9 = train.convert %7 : (tensor<2xui64>) -> tensor<2xui32>
  %10 = train.xor %1, %3 : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
  %11 = train.constant dense<466688986> : tensor<ui32>
  %12 = train.xor %10, %11 : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
  %13 = train.broadcast_in_dim %1 {dims = array<i64>} : (tensor<ui32>) -> tensor<2xui32>
  %14 = train.add %9, %13 : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
  %15 = train.broadcast_in_dim %3 {dims = array<i64>} : (tensor<ui32>) -> tensor<2xui32>
  %16 = train.add %8, %15 : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
  %17 = train.add %14, %16 : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
  %18 = train.constant dense<13> : tensor<ui32>
  %19 = train.broadcast_in_dim %18 {dims = array<i64>} : (tensor<ui32>) -> tensor<2xui32>
  %20 = train.shift_left %16, %19 : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
  %21 = train.constant dense<19> : tensor<ui32>
  %22 = train.broadcast_in_dim %21 {dims = array<i64>} : (tensor<ui32>) -> tensor<2xui32>
  %23 = train.shift_right_logical %16, %22 : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
  %24 = train.or %20, %23 : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
  %25 = train.xor %17, %24 : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
  %26 = train.add %17, %25 : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
  %27 = train.constant dense<15> : tensor<ui32>
  %28 = train.broadcast_in_dim %27 {dims = array<i64>} : (tensor<ui32>) -> tensor<2xui32>
  %29 = train.shift_left %25, %28 : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
  %30 = train.constant dense<17> : tensor<ui32>
  %31 = train.broadcast_in_dim %30 {dims = array<i64>} : (tensor<ui32>) -> tensor<2xui32>
  %32 = train.shift_right_logical %25, %31 : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
  %33 = train.or %29, %32 : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
  %34 = train.xor %26, %33 : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
  %35 = train.add %26, %34 : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
  %36 = train.constant dense<26> : tensor<ui32>
  %37 = train.broadcast_in_dim %36 {dims = array<i64>} : (tensor<ui32>) -> tensor<2xui32>
  %38 = train.shift_left %34, %37 : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
  %39 = train.constant dense<6> : tensor<ui32>
  %40 = train.broadcast_in_dim %39 {dims = array<i64>} : (tensor<ui32>) -> tensor<2xui32>
  %41 = train.shift_right_logical %34, %40 : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
  %42 = train.or %38, %41 : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
  %43 = train.xor %35, %42 : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
  %44 = train.add %35, %43 : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
  %45 = train.shift_left %43, %40 : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
  %46 = train.shift_right_logical %43, %37 : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
  %47 = train.or %45, %46 : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
  %48 = train.xor %44, %47 : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
  %49 = train.add %44, %15 : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
  %50 = train.broadcast_in_dim %12 {dims = array<i64>} : (tensor<ui32>) -> tensor<2xui32>
  %51 = train.add %48, %50 : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
  %52 = train.constant dense<1> : tensor<ui32>
  %53 = train.broadcast_in_dim %52 {dims = array<i64>} : (tensor<ui32>) -> tensor<2xui32>
  %54 = train.add %51, %53 : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
  %55 = train.add %49, %54 : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
  %56 = train.shift_left %54, %31 : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
  %57 = train.shift_right_logical %54, %28 : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
  %58 = train.or %56, %57 : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
  %59 = train.xor %55, %58 : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
  %60 = train.add %55, %59 : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
  %61 = train.constant dense<29> : tensor<ui32>
  %62 = train.broadcast_in_dim %61 {dims = array<i64>} : (tensor<ui32>) -> tensor<2xui32>
  %63 = train.shift_left %59, %62 : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
  %64 = train.constant dense<3> : tensor<ui32>
  %65 = train.broadcast_in_dim %64 {dims = array<i64>} : (tensor<ui32>) -> tensor<2xui32>
  %66 = train.shift_right_logical %59, %65 : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
  %67 = train.or %63, %66 : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
  %68 = train.xor %60, %67 : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
  %69 = train.add %60, %68 : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
  %70 = train.constant dense<16> : tensor<ui32>
  %71 = train.broadcast_in_dim %70 {dims = array<i64>} : (tensor<ui32>) -> tensor<2xui32>
  %72 = train.shift_left %68, %71 : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
  %73 = train.shift_right_logical %68, %71 : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
  %74 = train.or %72, %73 : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
  %75 = train.xor %69, %74 : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
  %76 = train.add %69, %75 : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
  %77 = train.constant dense<24> : tensor<ui32>
  %78 = train.broadcast_in_dim %77 {dims = array<i64>} : (tensor<ui32>) -> tensor<2xui32>
  %79 = train.shift_left %75, %78 : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
  %80 = train.constant dense<8> : tensor<ui32>
  %81 = train.broadcast_in_dim %80 {dims = array<i64>} : (tensor<ui32>) -> tensor<2xui32>
  %82 = train.shift_right_logical %75, %81 : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
  %83 = train.or %79, %82 : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
  %84 = train.xor %76, %83 : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
  %85 = train.add %76, %50 : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
  %86 = train.add %84, %13 : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
  %87 = train.constant dense<2> : tensor<ui32>
  %88 = train.broadcast_in_dim %87 {dims = array<i64>} : (tensor<ui32>) -> tensor<2xui32>
  %89 = train.add %86, %88 : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
  %90 = train.add %85, %89 : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
  %91 = train.shift_left %89, %19 : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
  %92 = train.shift_right_logical %89, %22 : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
  %93 = train.or %91, %92 : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
  %94 = train.xor %90, %93 : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
  %95 = train.add %90, %94 : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
  return %94, %95 : tensor<2xui32>, tensor<2xui32>
}
func.func @add_f42c01b780c47261(%arg0: tensor<2xui32>, %arg1: tensor<2x1xui32>) -> (tensor<1x2xui32>, tensor<1x2xui32>) {
  %0 = train.constant dense<5> : tensor<ui32>
  %1 = train.broadcast_in_dim %0 {dims = array<i64>} : (tensor<ui32>) -> tensor<2xui32>
  %2 = train.add %arg0, %1 : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
  %3 = train.reshape %2 : (tensor<2xui32>) -> tensor<2x1xui32>
  %4 = train.concatenate %arg1, %3 {dim = 1 : i64} : (tensor<2x1xui32>, tensor<2x1xui32>) -> tensor<2x2xui32>
  %5 = train.slice %4 {limit = array<i64: 1, 2>, start = array<i64: 0, 0>, stride = array<i64: 1, 1>} : (tensor<2x2xui32>) -> tensor<1x2xui32>
  %6 = train.slice %4 {limit = array<i64: 2, 2>, start = array<i64: 1, 0>, stride = array<i64: 1, 1>} : (tensor<2x2xui32>) -> tensor<1x2xui32>
  return %5, %6 : tensor<1x2xui32>, tensor<1x2xui32>
}
func.func @reduce_413a9b130d371fda(%arg0: tensor<3x8xf32>) -> (tensor<3x8xf32>, tensor<f32>) {
  %0 = train.constant dense<0.000000e+00> : tensor<f32>
  %1 = train.broadcast_in_dim %0 {dims = array<i64>} : (tensor<f32>) -> tensor<3x8xf32>
  %2 = train.compare %arg0, %1 {direction = #train<compare_direction LE>} : (tensor<3x8xf32>, tensor<3x8xf32>) -> tensor<3x8xi1>
  %3 = train.select %2, %1, %arg0 : (tensor<3x8xi1>, tensor<3x8xf32>, tensor<3x8xf32>) -> tensor<3x8xf32>
  %4 = train.abs %3 : (tensor<3x8xf32>) -> tensor<3x8xf32>
  %5 = train.reduce %4 {dims = array<i64: 0, 1>, kind = #train<reduce_kind maximum>} : (tensor<3x8xf32>) -> tensor<f32>
  return %3, %5 : tensor<3x8xf32>, tensor<f32>
}
func.func @dot_general_bcfcadb239c4f5c0(%arg0: tensor<f32>, %arg1: tensor<3x8xf32>, %arg2: tensor<8x2xf32>) -> tensor<3x2xf32> {
  %0 = train.constant dense<1.000000e+00> : tensor<f32>
  %1 = train.add %0, %arg0 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %2 = train.divide %0, %1 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %3 = train.broadcast_in_dim %2 {dims = array<i64>} : (tensor<f32>) -> tensor<3x8xf32>
  %4 = train.multiply %arg1, %3 : (tensor<3x8xf32>, tensor<3x8xf32>) -> tensor<3x8xf32>
  %5 = train.dot_general %4, %arg2 {lhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_batching = array<i64>, rhs_contracting = array<i64: 0>} : (tensor<3x8xf32>, tensor<8x2xf32>) -> tensor<3x2xf32>
  return %5 : tensor<3x2xf32>
}
func.func @reduce_78662605d20b8432(%arg0: tensor<8x64x64xf32>, %arg1: tensor<8x64x64xi1>) -> (tensor<8x64x64xf32>, tensor<8x64x64xf32>, tensor<8x64x1xf32>, tensor<8x64x1xf32>) {
  %0 = train.constant dense<0.000000e+00> : tensor<f32>
  %1 = train.broadcast_in_dim %0 {dims = array<i64>} : (tensor<f32>) -> tensor<8x64x64xf32>
  %2 = train.constant dense<0.899999976> : tensor<f32>
  %3 = train.broadcast_in_dim %2 {dims = array<i64>} : (tensor<f32>) -> tensor<8x64x64xf32>
  %4 = train.divide %arg0, %3 : (tensor<8x64x64xf32>, tensor<8x64x64xf32>) -> tensor<8x64x64xf32>
  %5 = train.select %arg1, %4, %1 : (tensor<8x64x64xi1>, tensor<8x64x64xf32>, tensor<8x64x64xf32>) -> tensor<8x64x64xf32>
  %6 = train.reduce %5 {dims = array<i64: 2>, kind = #train<reduce_kind add>} : (tensor<8x64x64xf32>) -> tensor<8x64xf32>
  %7 = train.reshape %6 : (tensor<8x64xf32>) -> tensor<8x64x1xf32>
  %8 = train.constant dense<6.400000e+01> : tensor<f32>
  %9 = train.broadcast_in_dim %8 {dims = array<i64>} : (tensor<f32>) -> tensor<8x64x1xf32>
  %10 = train.divide %7, %9 : (tensor<8x64x1xf32>, tensor<8x64x1xf32>) -> tensor<8x64x1xf32>
  %11 = train.broadcast_in_dim %10 {dims = array<i64: 0, 1, 2>} : (tensor<8x64x1xf32>) -> tensor<8x64x64xf32>
  %12 = train.subtract %5, %11 : (tensor<8x64x64xf32>, tensor<8x64x64xf32>) -> tensor<8x64x64xf32>
  %13 = train.multiply %12, %12 : (tensor<8x64x64xf32>, tensor<8x64x64xf32>) -> tensor<8x64x64xf32>
  %14 = train.reduce %13 {dims = array<i64: 2>, kind = #train<reduce_kind add>} : (tensor<8x64x64xf32>) -> tensor<8x64xf32>
  %15 = train.reshape %14 : (tensor<8x64xf32>) -> tensor<8x64x1xf32>
  %16 = train.divide %15, %9 : (tensor<8x64x1xf32>, tensor<8x64x1xf32>) -> tensor<8x64x1xf32>
  %17 = train.constant dense<9.99999974E-6> : tensor<f32>
  %18 = train.broadcast_in_dim %17 {dims = array<i64>} : (tensor<f32>) -> tensor<8x64x1xf32>
  %19 = train.add %16, %18 : (tensor<8x64x1xf32>, tensor<8x64x1xf32>) -> tensor<8x64x1xf32>
  %20 = train.rsqrt %19 : (tensor<8x64x1xf32>) -> tensor<8x64x1xf32>
  return %4, %5, %10, %20 : tensor<8x64x64xf32>, tensor<8x64x64xf32>, tensor<8x64x1xf32>, tensor<8x64x1xf32>
}
func.func @dot_general_5faf1eb18b71a4c7(%arg0: tensor<8x64x1xf32>, %arg1: tensor<8x64x64xf32>, %arg2: tensor<8x64x1xf32>, %arg3: tensor<64xf32>, %arg4: tensor<64xf32>, %arg5: tensor<64x3x4x16xf32>, %arg6: tensor<3x4x16xf32>) -> tensor<3x8x64x4x16xf32> {
  %0 = train.broadcast_in_dim %arg0 {dims = array<i64: 0, 1, 2>} : (tensor<8x64x1xf32>) -> tensor<8x64x64xf32>
  %1 = train.subtract %arg1, %0 : (tensor<8x64x64xf32>, tensor<8x64x64xf32>) -> tensor<8x64x64xf32>
  %2 = train.broadcast_in_dim %arg2 {dims = array<i64: 0, 1, 2>} : (tensor<8x64x1xf32>) -> tensor<8x64x64xf32>
  %3 = train.multiply %1, %2 : (tensor<8x64x64xf32>, tensor<8x64x64xf32>) -> tensor<8x64x64xf32>
  %4 = train.broadcast_in_dim %arg3 {dims = array<i64: 2>} : (tensor<64xf32>) -> tensor<8x64x64xf32>
  %5 = train.multiply %3, %4 : (tensor<8x64x64xf32>, tensor<8x64x64xf32>) -> tensor<8x64x64xf32>
  %6 = train.broadcast_in_dim %arg4 {dims = array<i64: 2>} : (tensor<64xf32>) -> tensor<8x64x64xf32>
  %7 = train.add %5, %6 : (tensor<8x64x64xf32>, tensor<8x64x64xf32>) -> tensor<8x64x64xf32>
  %8 = train.dot_general %7, %arg5 {lhs_batching = array<i64>, lhs_contracting = array<i64: 2>, rhs_batching = array<i64>, rhs_contracting = array<i64: 0>} : (tensor<8x64x64xf32>, tensor<64x3x4x16xf32>) -> tensor<8x64x3x4x16xf32>
  %9 = train.transpose %8 {permutation = array<i64: 2, 0, 1, 3, 4>} : (tensor<8x64x3x4x16xf32>) -> tensor<3x8x64x4x16xf32>
  %10 = train.broadcast_in_dim %arg6 {dims = array<i64: 0, 3, 4>} : (tensor<3x4x16xf32>) -> tensor<3x8x64x4x16xf32>
  %11 = train.add %9, %10 : (tensor<3x8x64x4x16xf32>, tensor<3x8x64x4x16xf32>) -> tensor<3x8x64x4x16xf32>
  return %11 : tensor<3x8x64x4x16xf32>
}
func.func @attention_fc3ce627883e5eeb(%arg0: tensor<3x8x64x4x16xf32>) -> (tensor<8x64x4x16xf32>, tensor<8x64x4xf32>) {
  %0 = train.slice %arg0 {limit = array<i64: 1, 8, 64, 4, 16>, start = array<i64: 0, 0, 0, 0, 0>, stride = array<i64: 1, 1, 1, 1, 1>} : (tensor<3x8x64x4x16xf32>) -> tensor<1x8x64x4x16xf32>
  %1 = train.reshape %0 : (tensor<1x8x64x4x16xf32>) -> tensor<8x64x4x16xf32>
  %2 = train.slice %arg0 {limit = array<i64: 2, 8, 64, 4, 16>, start = array<i64: 1, 0, 0, 0, 0>, stride = array<i64: 1, 1, 1, 1, 1>} : (tensor<3x8x64x4x16xf32>) -> tensor<1x8x64x4x16xf32>
  %3 = train.reshape %2 : (tensor<1x8x64x4x16xf32>) -> tensor<8x64x4x16xf32>
  %4 = train.slice %arg0 {limit = array<i64: 3, 8, 64, 4, 16>, start = array<i64: 2, 0, 0, 0, 0>, stride = array<i64: 1, 1, 1, 1, 1>} : (tensor<3x8x64x4x16xf32>) -> tensor<1x8x64x4x16xf32>
  %5 = train.reshape %4 : (tensor<1x8x64x4x16xf32>) -> tensor<8x64x4x16xf32>
  %result, %lse = train.attention %1, %3, %5 {after = 0 : i64, fill = -3.4028234663852886E+38 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0>, scale = 2.500000e-01 : f64} : (tensor<8x64x4x16xf32>, tensor<8x64x4x16xf32>, tensor<8x64x4x16xf32>) -> (tensor<8x64x4x16xf32>, tensor<8x64x4xf32>)
  return %result, %lse : tensor<8x64x4x16xf32>, tensor<8x64x4xf32>
}
func.func @dot_general_ed04ea27dea45258(%arg0: tensor<8x64x64xf32>, %arg1: tensor<64x256xf32>, %arg2: tensor<256xf32>) -> (tensor<8x64x256xf32>, tensor<8x64x256xf32>, tensor<8x64x256xf32>) {
  %0 = train.constant dense<1.000000e+00> : tensor<f32>
  %1 = train.dot_general %arg0, %arg1 {lhs_batching = array<i64>, lhs_contracting = array<i64: 2>, rhs_batching = array<i64>, rhs_contracting = array<i64: 0>} : (tensor<8x64x64xf32>, tensor<64x256xf32>) -> tensor<8x64x256xf32>
  %2 = train.broadcast_in_dim %arg2 {dims = array<i64: 2>} : (tensor<256xf32>) -> tensor<8x64x256xf32>
  %3 = train.add %1, %2 : (tensor<8x64x256xf32>, tensor<8x64x256xf32>) -> tensor<8x64x256xf32>
  %4 = train.multiply %3, %3 : (tensor<8x64x256xf32>, tensor<8x64x256xf32>) -> tensor<8x64x256xf32>
  %5 = train.multiply %4, %3 : (tensor<8x64x256xf32>, tensor<8x64x256xf32>) -> tensor<8x64x256xf32>
  %6 = train.constant dense<4.471500e-02> : tensor<f32>
  %7 = train.broadcast_in_dim %6 {dims = array<i64>} : (tensor<f32>) -> tensor<8x64x256xf32>
  %8 = train.multiply %7, %5 : (tensor<8x64x256xf32>, tensor<8x64x256xf32>) -> tensor<8x64x256xf32>
  %9 = train.add %3, %8 : (tensor<8x64x256xf32>, tensor<8x64x256xf32>) -> tensor<8x64x256xf32>
  %10 = train.constant dense<0.797884583> : tensor<f32>
  %11 = train.broadcast_in_dim %10 {dims = array<i64>} : (tensor<f32>) -> tensor<8x64x256xf32>
  %12 = train.multiply %11, %9 : (tensor<8x64x256xf32>, tensor<8x64x256xf32>) -> tensor<8x64x256xf32>
  %13 = train.tanh %12 : (tensor<8x64x256xf32>) -> tensor<8x64x256xf32>
  %14 = train.broadcast_in_dim %0 {dims = array<i64>} : (tensor<f32>) -> tensor<8x64x256xf32>
  %15 = train.add %14, %13 : (tensor<8x64x256xf32>, tensor<8x64x256xf32>) -> tensor<8x64x256xf32>
  %16 = train.constant dense<5.000000e-01> : tensor<f32>
  %17 = train.broadcast_in_dim %16 {dims = array<i64>} : (tensor<f32>) -> tensor<8x64x256xf32>
  %18 = train.multiply %17, %15 : (tensor<8x64x256xf32>, tensor<8x64x256xf32>) -> tensor<8x64x256xf32>
  %19 = train.multiply %3, %18 : (tensor<8x64x256xf32>, tensor<8x64x256xf32>) -> tensor<8x64x256xf32>
  return %3, %13, %19 : tensor<8x64x256xf32>, tensor<8x64x256xf32>, tensor<8x64x256xf32>
}
func.func @reduce_452d1891438ba24e(%arg0: tensor<8x64x1xi32>, %arg1: tensor<8x64x256xf32>, %arg2: tensor<8x64xf32>) -> tensor<f32> {
  %0 = train.constant dense<0> : tensor<i32>
  %1 = train.constant dense<256> : tensor<i32>
  %2 = train.broadcast_in_dim %0 {dims = array<i64>} : (tensor<i32>) -> tensor<8x64x1xi32>
  %3 = train.compare %arg0, %2 {direction = #train<compare_direction LT>} : (tensor<8x64x1xi32>, tensor<8x64x1xi32>) -> tensor<8x64x1xi1>
  %4 = train.broadcast_in_dim %1 {dims = array<i64>} : (tensor<i32>) -> tensor<8x64x1xi32>
  %5 = train.add %arg0, %4 : (tensor<8x64x1xi32>, tensor<8x64x1xi32>) -> tensor<8x64x1xi32>
  %6 = train.select %3, %5, %arg0 : (tensor<8x64x1xi1>, tensor<8x64x1xi32>, tensor<8x64x1xi32>) -> tensor<8x64x1xi32>
  %7 = train.reshape %6 : (tensor<8x64x1xi32>) -> tensor<8x64x1x1xi32>
  %8 = train.broadcast_in_dim %0 {dims = array<i64>} : (tensor<i32>) -> tensor<8x64x1x1xi32>
  %9 = train.compare %7, %8 {direction = #train<compare_direction GE>} : (tensor<8x64x1x1xi32>, tensor<8x64x1x1xi32>) -> tensor<8x64x1x1xi1>
  %10 = train.constant dense<255> : tensor<i32>
  %11 = train.broadcast_in_dim %10 {dims = array<i64>} : (tensor<i32>) -> tensor<8x64x1x1xi32>
  %12 = train.compare %7, %11 {direction = #train<compare_direction LE>} : (tensor<8x64x1x1xi32>, tensor<8x64x1x1xi32>) -> tensor<8x64x1x1xi1>
  %13 = train.and %9, %12 : (tensor<8x64x1x1xi1>, tensor<8x64x1x1xi1>) -> tensor<8x64x1x1xi1>
  %14 = train.reshape %13 : (tensor<8x64x1x1xi1>) -> tensor<8x64x1xi1>
  %15 = train.gather %arg1, %7 {collapsed_slice_dims = array<i64: 2>, index_vector_dim = 3 : i64, indices_batching_dims = array<i64: 0, 1>, offset_dims = array<i64>, operand_batching_dims = array<i64: 0, 1>, slice_sizes = array<i64: 1, 1, 1>, start_index_map = array<i64: 2>} : (tensor<8x64x256xf32>, tensor<8x64x1x1xi32>) -> tensor<8x64x1xf32>
  %16 = train.constant dense<0x7FC00000> : tensor<f32>
  %17 = train.broadcast_in_dim %16 {dims = array<i64>} : (tensor<f32>) -> tensor<8x64x1xf32>
  %18 = train.select %14, %15, %17 : (tensor<8x64x1xi1>, tensor<8x64x1xf32>, tensor<8x64x1xf32>) -> tensor<8x64x1xf32>
  %19 = train.reshape %18 : (tensor<8x64x1xf32>) -> tensor<8x64xf32>
  %20 = train.subtract %arg2, %19 : (tensor<8x64xf32>, tensor<8x64xf32>) -> tensor<8x64xf32>
  %21 = train.reduce %20 {dims = array<i64: 0, 1>, kind = #train<reduce_kind add>} : (tensor<8x64xf32>) -> tensor<f32>
  %22 = train.constant dense<5.120000e+02> : tensor<f32>
  %23 = train.divide %21, %22 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %23 : tensor<f32>
}
func.func @reduce_18a076cead04a6a6(%arg0: tensor<64xf32>, %arg1: tensor<8x64x64xf32>, %arg2: tensor<8x64x64xi1>, %arg3: tensor<8x64x64xf32>, %arg4: tensor<8x64x64xf32>, %arg5: tensor<8x64x1xf32>, %arg6: tensor<8x64x1xf32>) -> (tensor<8x64x64xf32>, tensor<64xf32>, tensor<8x64x64xf32>) {
  %0 = train.broadcast_in_dim %arg0 {dims = array<i64: 2>} : (tensor<64xf32>) -> tensor<8x64x64xf32>
  %1 = train.multiply %arg1, %0 : (tensor<8x64x64xf32>, tensor<8x64x64xf32>) -> tensor<8x64x64xf32>
  %2 = train.constant dense<0.000000e+00> : tensor<f32>
  %3 = train.broadcast_in_dim %2 {dims = array<i64>} : (tensor<f32>) -> tensor<8x64x64xf32>
  %4 = train.select %arg2, %arg3, %3 : (tensor<8x64x64xi1>, tensor<8x64x64xf32>, tensor<8x64x64xf32>) -> tensor<8x64x64xf32>
  %5 = train.add %arg4, %4 : (tensor<8x64x64xf32>, tensor<8x64x64xf32>) -> tensor<8x64x64xf32>
  %6 = train.broadcast_in_dim %arg5 {dims = array<i64: 0, 1, 2>} : (tensor<8x64x1xf32>) -> tensor<8x64x64xf32>
  %7 = train.subtract %5, %6 : (tensor<8x64x64xf32>, tensor<8x64x64xf32>) -> tensor<8x64x64xf32>
  %8 = train.broadcast_in_dim %arg6 {dims = array<i64: 0, 1, 2>} : (tensor<8x64x1xf32>) -> tensor<8x64x64xf32>
  %9 = train.multiply %7, %8 : (tensor<8x64x64xf32>, tensor<8x64x64xf32>) -> tensor<8x64x64xf32>
  %10 = train.multiply %arg1, %9 : (tensor<8x64x64xf32>, tensor<8x64x64xf32>) -> tensor<8x64x64xf32>
  %11 = train.reduce %10 {dims = array<i64: 0, 1>, kind = #train<reduce_kind add>} : (tensor<8x64x64xf32>) -> tensor<64xf32>
  %12 = train.multiply %1, %7 : (tensor<8x64x64xf32>, tensor<8x64x64xf32>) -> tensor<8x64x64xf32>
  return %7, %11, %12 : tensor<8x64x64xf32>, tensor<64xf32>, tensor<8x64x64xf32>
}
func.func @attention_gradient_e9f583c8060a7d63(%arg0: tensor<3x8x64x4x16xf32>, %arg1: tensor<8x64x4xf32>, %arg2: tensor<8x64x4xf32>, %arg3: tensor<8x64x4x16xf32>) -> (tensor<8x64x4x16xf32>, tensor<8x64x4x16xf32>, tensor<8x64x4x16xf32>) {
  %0 = train.slice %arg0 {limit = array<i64: 1, 8, 64, 4, 16>, start = array<i64: 0, 0, 0, 0, 0>, stride = array<i64: 1, 1, 1, 1, 1>} : (tensor<3x8x64x4x16xf32>) -> tensor<1x8x64x4x16xf32>
  %1 = train.reshape %0 : (tensor<1x8x64x4x16xf32>) -> tensor<8x64x4x16xf32>
  %2 = train.slice %arg0 {limit = array<i64: 2, 8, 64, 4, 16>, start = array<i64: 1, 0, 0, 0, 0>, stride = array<i64: 1, 1, 1, 1, 1>} : (tensor<3x8x64x4x16xf32>) -> tensor<1x8x64x4x16xf32>
  %3 = train.reshape %2 : (tensor<1x8x64x4x16xf32>) -> tensor<8x64x4x16xf32>
  %4 = train.slice %arg0 {limit = array<i64: 3, 8, 64, 4, 16>, start = array<i64: 2, 0, 0, 0, 0>, stride = array<i64: 1, 1, 1, 1, 1>} : (tensor<3x8x64x4x16xf32>) -> tensor<1x8x64x4x16xf32>
  %5 = train.reshape %4 : (tensor<1x8x64x4x16xf32>) -> tensor<8x64x4x16xf32>
  %query_gradient, %key_gradient, %value_gradient = train.attention_gradient %1, %3, %5, %arg1, %arg2, %arg3 {after = 0 : i64, fill = -3.4028234663852886E+38 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 0>, scale = 2.500000e-01 : f64} : (tensor<8x64x4x16xf32>, tensor<8x64x4x16xf32>, tensor<8x64x4x16xf32>, tensor<8x64x4xf32>, tensor<8x64x4xf32>, tensor<8x64x4x16xf32>) -> (tensor<8x64x4x16xf32>, tensor<8x64x4x16xf32>, tensor<8x64x4x16xf32>)
  return %query_gradient, %key_gradient, %value_gradient : tensor<8x64x4x16xf32>, tensor<8x64x4x16xf32>, tensor<8x64x4x16xf32>
}
func.func @reduce_96666c4fc1b0325d(%arg0: tensor<1x8x64x4x16xf32>, %arg1: tensor<1x8x64x4x16xf32>, %arg2: tensor<1x8x64x4x16xf32>) -> (tensor<3x8x64x4x16xf32>, tensor<3x4x16xf32>) {
  %0 = train.constant dense<0.000000e+00> : tensor<f32>
  %1 = train.pad %arg0, %0 {high = array<i64: 0, 0, 0, 0, 0>, interior = array<i64: 0, 0, 0, 0, 0>, low = array<i64: 2, 0, 0, 0, 0>} : (tensor<1x8x64x4x16xf32>, tensor<f32>) -> tensor<3x8x64x4x16xf32>
  %2 = train.pad %arg1, %0 {high = array<i64: 1, 0, 0, 0, 0>, interior = array<i64: 0, 0, 0, 0, 0>, low = array<i64: 1, 0, 0, 0, 0>} : (tensor<1x8x64x4x16xf32>, tensor<f32>) -> tensor<3x8x64x4x16xf32>
  %3 = train.add %1, %2 : (tensor<3x8x64x4x16xf32>, tensor<3x8x64x4x16xf32>) -> tensor<3x8x64x4x16xf32>
  %4 = train.pad %arg2, %0 {high = array<i64: 2, 0, 0, 0, 0>, interior = array<i64: 0, 0, 0, 0, 0>, low = array<i64: 0, 0, 0, 0, 0>} : (tensor<1x8x64x4x16xf32>, tensor<f32>) -> tensor<3x8x64x4x16xf32>
  %5 = train.add %3, %4 : (tensor<3x8x64x4x16xf32>, tensor<3x8x64x4x16xf32>) -> tensor<3x8x64x4x16xf32>
  %6 = train.reduce %5 {dims = array<i64: 1, 2>, kind = #train<reduce_kind add>} : (tensor<3x8x64x4x16xf32>) -> tensor<3x4x16xf32>
  return %5, %6 : tensor<3x8x64x4x16xf32>, tensor<3x4x16xf32>
}
func.func @xor_dd8f3be05a4a0705(%arg0: tensor<2xi32>, %arg1: tensor<ui32>, %arg2: tensor<ui32>, %arg3: tensor<ui32>) -> (tensor<4x32x64xui64>, tensor<4x32x64xui32>, tensor<4x32x64xui32>) {
  %0 = train.constant dense<32> : tensor<i32>
  %1 = train.slice %arg0 {limit = array<i64: 2>, start = array<i64: 1>, stride = array<i64: 1>} : (tensor<2xi32>) -> tensor<1xi32>
  %2 = train.reshape %1 : (tensor<1xi32>) -> tensor<i32>
  %3 = train.multiply %2, %0 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %4 = train.constant dense<4> : tensor<i32>
  %5 = train.slice %arg0 {limit = array<i64: 1>, start = array<i64: 0>, stride = array<i64: 1>} : (tensor<2xi32>) -> tensor<1xi32>
  %6 = train.reshape %5 : (tensor<1xi32>) -> tensor<i32>
  %7 = train.multiply %6, %4 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %8 = train.constant dense<13> : tensor<ui32>
  %9 = train.constant dense<19> : tensor<ui32>
  %10 = train.constant dense<15> : tensor<ui32>
  %11 = train.constant dense<17> : tensor<ui32>
  %12 = train.constant dense<26> : tensor<ui32>
  %13 = train.constant dense<6> : tensor<ui32>
  %14 = train.constant dense<1> : tensor<ui32>
  %15 = train.constant dense<29> : tensor<ui32>
  %16 = train.constant dense<3> : tensor<ui32>
  %17 = train.constant dense<16> : tensor<ui32>
  %18 = train.constant dense<24> : tensor<ui32>
  %19 = train.constant dense<8> : tensor<ui32>
  %20 = train.iota %7 {dim = 0 : i64} : (tensor<i32>) -> tensor<4x32x64xui64>
  %21 = train.iota %3 {dim = 1 : i64} : (tensor<i32>) -> tensor<4x32x64xui64>
  %22 = train.iota  {dim = 2 : i64} : () -> tensor<4x32x64xui64>
  %23 = train.constant dense<4096> : tensor<ui64>
  %24 = train.broadcast_in_dim %23 {dims = array<i64>} : (tensor<ui64>) -> tensor<4x32x64xui64>
  %25 = train.multiply %24, %20 : (tensor<4x32x64xui64>, tensor<4x32x64xui64>) -> tensor<4x32x64xui64>
  %26 = train.constant dense<64> : tensor<ui64>
  %27 = train.broadcast_in_dim %26 {dims = array<i64>} : (tensor<ui64>) -> tensor<4x32x64xui64>
  %28 = train.multiply %27, %21 : (tensor<4x32x64xui64>, tensor<4x32x64xui64>) -> tensor<4x32x64xui64>
  %29 = train.add %25, %28 : (tensor<4x32x64xui64>, tensor<4x32x64xui64>) -> tensor<4x32x64xui64>
  %30 = train.add %29, %22 : (tensor<4x32x64xui64>, tensor<4x32x64xui64>) -> tensor<4x32x64xui64>
  %31 = train.constant dense<32> : tensor<ui64>
  %32 = train.broadcast_in_dim %31 {dims = array<i64>} : (tensor<ui64>) -> tensor<4x32x64xui64>
  %33 = train.shift_right_logical %30, %32 : (tensor<4x32x64xui64>, tensor<4x32x64xui64>) -> tensor<4x32x64xui64>
  %34 = train.convert %30 : (tensor<4x32x64xui64>) -> tensor<4x32x64xui32>
  %35 = train.convert %33 : (tensor<4x32x64xui64>) -> tensor<4x32x64xui32>
  %36 = train.broadcast_in_dim %arg1 {dims = array<i64>} : (tensor<ui32>) -> tensor<4x32x64xui32>
  %37 = train.add %35, %36 : (tensor<4x32x64xui32>, tensor<4x32x64xui32>) -> tensor<4x32x64xui32>
  %38 = train.broadcast_in_dim %arg2 {dims = array<i64>} : (tensor<ui32>) -> tensor<4x32x64xui32>
  %39 = train.add %34, %38 : (tensor<4x32x64xui32>, tensor<4x32x64xui32>) -> tensor<4x32x64xui32>
  %40 = train.add %37, %39 : (tensor<4x32x64xui32>, tensor<4x32x64xui32>) -> tensor<4x32x64xui32>
  %41 = train.broadcast_in_dim %8 {dims = array<i64>} : (tensor<ui32>) -> tensor<4x32x64xui32>
  %42 = train.shift_left %39, %41 : (tensor<4x32x64xui32>, tensor<4x32x64xui32>) -> tensor<4x32x64xui32>
  %43 = train.broadcast_in_dim %9 {dims = array<i64>} : (tensor<ui32>) -> tensor<4x32x64xui32>
  %44 = train.shift_right_logical %39, %43 : (tensor<4x32x64xui32>, tensor<4x32x64xui32>) -> tensor<4x32x64xui32>
  %45 = train.or %42, %44 : (tensor<4x32x64xui32>, tensor<4x32x64xui32>) -> tensor<4x32x64xui32>
  %46 = train.xor %40, %45 : (tensor<4x32x64xui32>, tensor<4x32x64xui32>) -> tensor<4x32x64xui32>
  %47 = train.add %40, %46 : (tensor<4x32x64xui32>, tensor<4x32x64xui32>) -> tensor<4x32x64xui32>
  %48 = train.broadcast_in_dim %10 {dims = array<i64>} : (tensor<ui32>) -> tensor<4x32x64xui32>
  %49 = train.shift_left %46, %48 : (tensor<4x32x64xui32>, tensor<4x32x64xui32>) -> tensor<4x32x64xui32>
  %50 = train.broadcast_in_dim %11 {dims = array<i64>} : (tensor<ui32>) -> tensor<4x32x64xui32>
  %51 = train.shift_right_logical %46, %50 : (tensor<4x32x64xui32>, tensor<4x32x64xui32>) -> tensor<4x32x64xui32>
  %52 = train.or %49, %51 : (tensor<4x32x64xui32>, tensor<4x32x64xui32>) -> tensor<4x32x64xui32>
  %53 = train.xor %47, %52 : (tensor<4x32x64xui32>, tensor<4x32x64xui32>) -> tensor<4x32x64xui32>
  %54 = train.add %47, %53 : (tensor<4x32x64xui32>, tensor<4x32x64xui32>) -> tensor<4x32x64xui32>
  %55 = train.broadcast_in_dim %12 {dims = array<i64>} : (tensor<ui32>) -> tensor<4x32x64xui32>
  %56 = train.shift_left %53, %55 : (tensor<4x32x64xui32>, tensor<4x32x64xui32>) -> tensor<4x32x64xui32>
  %57 = train.broadcast_in_dim %13 {dims = array<i64>} : (tensor<ui32>) -> tensor<4x32x64xui32>
  %58 = train.shift_right_logical %53, %57 : (tensor<4x32x64xui32>, tensor<4x32x64xui32>) -> tensor<4x32x64xui32>
  %59 = train.or %56, %58 : (tensor<4x32x64xui32>, tensor<4x32x64xui32>) -> tensor<4x32x64xui32>
  %60 = train.xor %54, %59 : (tensor<4x32x64xui32>, tensor<4x32x64xui32>) -> tensor<4x32x64xui32>
  %61 = train.add %54, %60 : (tensor<4x32x64xui32>, tensor<4x32x64xui32>) -> tensor<4x32x64xui32>
  %62 = train.shift_left %60, %57 : (tensor<4x32x64xui32>, tensor<4x32x64xui32>) -> tensor<4x32x64xui32>
  %63 = train.shift_right_logical %60, %55 : (tensor<4x32x64xui32>, tensor<4x32x64xui32>) -> tensor<4x32x64xui32>
  %64 = train.or %62, %63 : (tensor<4x32x64xui32>, tensor<4x32x64xui32>) -> tensor<4x32x64xui32>
  %65 = train.xor %61, %64 : (tensor<4x32x64xui32>, tensor<4x32x64xui32>) -> tensor<4x32x64xui32>
  %66 = train.add %61, %38 : (tensor<4x32x64xui32>, tensor<4x32x64xui32>) -> tensor<4x32x64xui32>
  %67 = train.broadcast_in_dim %arg3 {dims = array<i64>} : (tensor<ui32>) -> tensor<4x32x64xui32>
  %68 = train.add %65, %67 : (tensor<4x32x64xui32>, tensor<4x32x64xui32>) -> tensor<4x32x64xui32>
  %69 = train.broadcast_in_dim %14 {dims = array<i64>} : (tensor<ui32>) -> tensor<4x32x64xui32>
  %70 = train.add %68, %69 : (tensor<4x32x64xui32>, tensor<4x32x64xui32>) -> tensor<4x32x64xui32>
  %71 = train.add %66, %70 : (tensor<4x32x64xui32>, tensor<4x32x64xui32>) -> tensor<4x32x64xui32>
  %72 = train.shift_left %70, %50 : (tensor<4x32x64xui32>, tensor<4x32x64xui32>) -> tensor<4x32x64xui32>
  %73 = train.shift_right_logical %70, %48 : (tensor<4x32x64xui32>, tensor<4x32x64xui32>) -> tensor<4x32x64xui32>
  %74 = train.or %72, %73 : (tensor<4x32x64xui32>, tensor<4x32x64xui32>) -> tensor<4x32x64xui32>
  %75 = train.xor %71, %74 : (tensor<4x32x64xui32>, tensor<4x32x64xui32>) -> tensor<4x32x64xui32>
  %76 = train.add %71, %75 : (tensor<4x32x64xui32>, tensor<4x32x64xui32>) -> tensor<4x32x64xui32>
  %77 = train.broadcast_in_dim %15 {dims = array<i64>} : (tensor<ui32>) -> tensor<4x32x64xui32>
  %78 = train.shift_left %75, %77 : (tensor<4x32x64xui32>, tensor<4x32x64xui32>) -> tensor<4x32x64xui32>
  %79 = train.broadcast_in_dim %16 {dims = array<i64>} : (tensor<ui32>) -> tensor<4x32x64xui32>
  %80 = train.shift_right_logical %75, %79 : (tensor<4x32x64xui32>, tensor<4x32x64xui32>) -> tensor<4x32x64xui32>
  %81 = train.or %78, %80 : (tensor<4x32x64xui32>, tensor<4x32x64xui32>) -> tensor<4x32x64xui32>
  %82 = train.xor %76, %81 : (tensor<4x32x64xui32>, tensor<4x32x64xui32>) -> tensor<4x32x64xui32>
  %83 = train.add %76, %82 : (tensor<4x32x64xui32>, tensor<4x32x64xui32>) -> tensor<4x32x64xui32>
  %84 = train.broadcast_in_dim %17 {dims = array<i64>} : (tensor<ui32>) -> tensor<4x32x64xui32>
  %85 = train.shift_left %82, %84 : (tensor<4x32x64xui32>, tensor<4x32x64xui32>) -> tensor<4x32x64xui32>
  %86 = train.shift_right_logical %82, %84 : (tensor<4x32x64xui32>, tensor<4x32x64xui32>) -> tensor<4x32x64xui32>
  %87 = train.or %85, %86 : (tensor<4x32x64xui32>, tensor<4x32x64xui32>) -> tensor<4x32x64xui32>
  %88 = train.xor %83, %87 : (tensor<4x32x64xui32>, tensor<4x32x64xui32>) -> tensor<4x32x64xui32>
  %89 = train.add %83, %88 : (tensor<4x32x64xui32>, tensor<4x32x64xui32>) -> tensor<4x32x64xui32>
  %90 = train.broadcast_in_dim %18 {dims = array<i64>} : (tensor<ui32>) -> tensor<4x32x64xui32>
  %91 = train.shift_left %88, %90 : (tensor<4x32x64xui32>, tensor<4x32x64xui32>) -> tensor<4x32x64xui32>
  %92 = train.broadcast_in_dim %19 {dims = array<i64>} : (tensor<ui32>) -> tensor<4x32x64xui32>
  %93 = train.shift_right_logical %88, %92 : (tensor<4x32x64xui32>, tensor<4x32x64xui32>) -> tensor<4x32x64xui32>
  %94 = train.or %91, %93 : (tensor<4x32x64xui32>, tensor<4x32x64xui32>) -> tensor<4x32x64xui32>
  %95 = train.xor %89, %94 : (tensor<4x32x64xui32>, tensor<4x32x64xui32>) -> tensor<4x32x64xui32>
  return %30, %89, %95 : tensor<4x32x64xui64>, tensor<4x32x64xui32>, tensor<4x32x64xui32>
}
func.func @reduce_5f083e386159f8e9(%arg0: tensor<2xi32>, %arg1: tensor<4x64x1x1xi32>, %arg2: tensor<4x64x128xf32>) -> tensor<4x64x1xf32> {
  %0 = train.constant dense<128> : tensor<i32>
  %1 = train.slice %arg0 {limit = array<i64: 2>, start = array<i64: 1>, stride = array<i64: 1>} : (tensor<2xi32>) -> tensor<1xi32>
  %2 = train.reshape %1 : (tensor<1xi32>) -> tensor<i32>
  %3 = train.multiply %2, %0 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %4 = train.reshape %3 : (tensor<i32>) -> tensor<1xi32>
  %5 = train.constant dense<255> : tensor<1xi32>
  %6 = train.constant dense<128> : tensor<1xi32>
  %7 = train.constant dense<0> : tensor<4x64x1x1xi32>
  %8 = train.broadcast_in_dim %5 {dims = array<i64: 3>} : (tensor<1xi32>) -> tensor<4x64x1x1xi32>
  %9 = train.clamp %7, %arg1, %8 : (tensor<4x64x1x1xi32>, tensor<4x64x1x1xi32>, tensor<4x64x1x1xi32>) -> tensor<4x64x1x1xi32>
  %10 = train.broadcast_in_dim %4 {dims = array<i64: 3>} : (tensor<1xi32>) -> tensor<4x64x1x1xi32>
  %11 = train.subtract %9, %10 : (tensor<4x64x1x1xi32>, tensor<4x64x1x1xi32>) -> tensor<4x64x1x1xi32>
  %12 = train.compare %11, %7 {direction = #train<compare_direction GE>} : (tensor<4x64x1x1xi32>, tensor<4x64x1x1xi32>) -> tensor<4x64x1x1xi1>
  %13 = train.broadcast_in_dim %6 {dims = array<i64: 3>} : (tensor<1xi32>) -> tensor<4x64x1x1xi32>
  %14 = train.compare %11, %13 {direction = #train<compare_direction LT>} : (tensor<4x64x1x1xi32>, tensor<4x64x1x1xi32>) -> tensor<4x64x1x1xi1>
  %15 = train.and %12, %14 : (tensor<4x64x1x1xi1>, tensor<4x64x1x1xi1>) -> tensor<4x64x1x1xi1>
  %16 = train.reduce %15 {dims = array<i64: 3>, kind = #train<reduce_kind logical_and>} : (tensor<4x64x1x1xi1>) -> tensor<4x64x1xi1>
  %17 = train.gather %arg2, %11 {collapsed_slice_dims = array<i64: 2>, index_vector_dim = 3 : i64, indices_batching_dims = array<i64: 0, 1>, offset_dims = array<i64>, operand_batching_dims = array<i64: 0, 1>, slice_sizes = array<i64: 1, 1, 1>, start_index_map = array<i64: 2>} : (tensor<4x64x128xf32>, tensor<4x64x1x1xi32>) -> tensor<4x64x1xf32>
  %18 = train.broadcast_in_dim %16 {dims = array<i64: 0, 1, 2>} : (tensor<4x64x1xi1>) -> tensor<4x64x1xi1>
  %19 = train.constant dense<0.000000e+00> : tensor<4x64x1xf32>
  %20 = train.select %18, %17, %19 : (tensor<4x64x1xi1>, tensor<4x64x1xf32>, tensor<4x64x1xf32>) -> tensor<4x64x1xf32>
  return %20 : tensor<4x64x1xf32>
}
func.func @dot_general_1e7f2e4f4ac3ef2d(%arg0: tensor<4x64x64xbf16>, %arg1: tensor<64x3x2x16xbf16>, %arg2: tensor<3x2x16xf32>) -> tensor<3x4x64x2x16xbf16> {
  %0 = train.dot_general %arg0, %arg1 {lhs_batching = array<i64>, lhs_contracting = array<i64: 2>, rhs_batching = array<i64>, rhs_contracting = array<i64: 0>} : (tensor<4x64x64xbf16>, tensor<64x3x2x16xbf16>) -> tensor<4x64x3x2x16xf32>
  %1 = train.convert %0 : (tensor<4x64x3x2x16xf32>) -> tensor<4x64x3x2x16xbf16>
  %2 = train.transpose %1 {permutation = array<i64: 2, 0, 1, 3, 4>} : (tensor<4x64x3x2x16xbf16>) -> tensor<3x4x64x2x16xbf16>
  %3 = train.convert %2 : (tensor<3x4x64x2x16xbf16>) -> tensor<3x4x64x2x16xf32>
  %4 = train.broadcast_in_dim %arg2 {dims = array<i64: 0, 3, 4>} : (tensor<3x2x16xf32>) -> tensor<3x4x64x2x16xf32>
  %5 = train.add %3, %4 : (tensor<3x4x64x2x16xf32>, tensor<3x4x64x2x16xf32>) -> tensor<3x4x64x2x16xf32>
  %6 = train.convert %5 : (tensor<3x4x64x2x16xf32>) -> tensor<3x4x64x2x16xbf16>
  return %6 : tensor<3x4x64x2x16xbf16>
}
func.func @attention_c6abe72c63a76c04(%arg0: tensor<3x4x64x2x16xbf16>) -> (tensor<4x64x2x16xbf16>, tensor<4x64x2xf32>) {
  %0 = train.slice %arg0 {limit = array<i64: 1, 4, 64, 2, 16>, start = array<i64: 0, 0, 0, 0, 0>, stride = array<i64: 1, 1, 1, 1, 1>} : (tensor<3x4x64x2x16xbf16>) -> tensor<1x4x64x2x16xbf16>
  %1 = train.reshape %0 : (tensor<1x4x64x2x16xbf16>) -> tensor<4x64x2x16xbf16>
  %2 = train.slice %arg0 {limit = array<i64: 2, 4, 64, 2, 16>, start = array<i64: 1, 0, 0, 0, 0>, stride = array<i64: 1, 1, 1, 1, 1>} : (tensor<3x4x64x2x16xbf16>) -> tensor<1x4x64x2x16xbf16>
  %3 = train.reshape %2 : (tensor<1x4x64x2x16xbf16>) -> tensor<4x64x2x16xbf16>
  %4 = train.slice %arg0 {limit = array<i64: 3, 4, 64, 2, 16>, start = array<i64: 2, 0, 0, 0, 0>, stride = array<i64: 1, 1, 1, 1, 1>} : (tensor<3x4x64x2x16xbf16>) -> tensor<1x4x64x2x16xbf16>
  %5 = train.reshape %4 : (tensor<1x4x64x2x16xbf16>) -> tensor<4x64x2x16xbf16>
  %result, %lse = train.attention %1, %3, %5 {after = 0 : i64, fill = -3.4028234663852886E+38 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0>, scale = 2.500000e-01 : f64} : (tensor<4x64x2x16xbf16>, tensor<4x64x2x16xbf16>, tensor<4x64x2x16xbf16>) -> (tensor<4x64x2x16xbf16>, tensor<4x64x2xf32>)
  return %result, %lse : tensor<4x64x2x16xbf16>, tensor<4x64x2xf32>
}
func.func @reduce_7d5d7a52e4a784e3(%arg0: tensor<2xi32>, %arg1: tensor<4x64x1xi32>, %arg2: tensor<4x64x128xbf16>) -> (tensor<4x64x1x1xi1>, tensor<4x64x1xbf16>) {
  %0 = train.constant dense<128> : tensor<i32>
  %1 = train.slice %arg0 {limit = array<i64: 2>, start = array<i64: 1>, stride = array<i64: 1>} : (tensor<2xi32>) -> tensor<1xi32>
  %2 = train.reshape %1 : (tensor<1xi32>) -> tensor<i32>
  %3 = train.multiply %2, %0 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %4 = train.constant dense<0> : tensor<i32>
  %5 = train.constant dense<256> : tensor<i32>
  %6 = train.broadcast_in_dim %4 {dims = array<i64>} : (tensor<i32>) -> tensor<4x64x1xi32>
  %7 = train.compare %arg1, %6 {direction = #train<compare_direction LT>} : (tensor<4x64x1xi32>, tensor<4x64x1xi32>) -> tensor<4x64x1xi1>
  %8 = train.broadcast_in_dim %5 {dims = array<i64>} : (tensor<i32>) -> tensor<4x64x1xi32>
  %9 = train.add %arg1, %8 : (tensor<4x64x1xi32>, tensor<4x64x1xi32>) -> tensor<4x64x1xi32>
  %10 = train.select %7, %9, %arg1 : (tensor<4x64x1xi1>, tensor<4x64x1xi32>, tensor<4x64x1xi32>) -> tensor<4x64x1xi32>
  %11 = train.reshape %10 : (tensor<4x64x1xi32>) -> tensor<4x64x1x1xi32>
  %12 = train.broadcast_in_dim %4 {dims = array<i64>} : (tensor<i32>) -> tensor<4x64x1x1xi32>
  %13 = train.compare %11, %12 {direction = #train<compare_direction GE>} : (tensor<4x64x1x1xi32>, tensor<4x64x1x1xi32>) -> tensor<4x64x1x1xi1>
  %14 = train.constant dense<255> : tensor<i32>
  %15 = train.broadcast_in_dim %14 {dims = array<i64>} : (tensor<i32>) -> tensor<4x64x1x1xi32>
  %16 = train.compare %11, %15 {direction = #train<compare_direction LE>} : (tensor<4x64x1x1xi32>, tensor<4x64x1x1xi32>) -> tensor<4x64x1x1xi1>
  %17 = train.and %13, %16 : (tensor<4x64x1x1xi1>, tensor<4x64x1x1xi1>) -> tensor<4x64x1x1xi1>
  %18 = train.reshape %3 : (tensor<i32>) -> tensor<1xi32>
  %19 = train.constant dense<255> : tensor<1xi32>
  %20 = train.constant dense<128> : tensor<1xi32>
  %21 = train.constant dense<0> : tensor<4x64x1x1xi32>
  %22 = train.broadcast_in_dim %19 {dims = array<i64: 3>} : (tensor<1xi32>) -> tensor<4x64x1x1xi32>
  %23 = train.clamp %21, %11, %22 : (tensor<4x64x1x1xi32>, tensor<4x64x1x1xi32>, tensor<4x64x1x1xi32>) -> tensor<4x64x1x1xi32>
  %24 = train.broadcast_in_dim %18 {dims = array<i64: 3>} : (tensor<1xi32>) -> tensor<4x64x1x1xi32>
  %25 = train.subtract %23, %24 : (tensor<4x64x1x1xi32>, tensor<4x64x1x1xi32>) -> tensor<4x64x1x1xi32>
  %26 = train.compare %25, %21 {direction = #train<compare_direction GE>} : (tensor<4x64x1x1xi32>, tensor<4x64x1x1xi32>) -> tensor<4x64x1x1xi1>
  %27 = train.broadcast_in_dim %20 {dims = array<i64: 3>} : (tensor<1xi32>) -> tensor<4x64x1x1xi32>
  %28 = train.compare %25, %27 {direction = #train<compare_direction LT>} : (tensor<4x64x1x1xi32>, tensor<4x64x1x1xi32>) -> tensor<4x64x1x1xi1>
  %29 = train.and %26, %28 : (tensor<4x64x1x1xi1>, tensor<4x64x1x1xi1>) -> tensor<4x64x1x1xi1>
  %30 = train.reduce %29 {dims = array<i64: 3>, kind = #train<reduce_kind logical_and>} : (tensor<4x64x1x1xi1>) -> tensor<4x64x1xi1>
  %31 = train.gather %arg2, %25 {collapsed_slice_dims = array<i64: 2>, index_vector_dim = 3 : i64, indices_batching_dims = array<i64: 0, 1>, offset_dims = array<i64>, operand_batching_dims = array<i64: 0, 1>, slice_sizes = array<i64: 1, 1, 1>, start_index_map = array<i64: 2>} : (tensor<4x64x128xbf16>, tensor<4x64x1x1xi32>) -> tensor<4x64x1xbf16>
  %32 = train.broadcast_in_dim %30 {dims = array<i64: 0, 1, 2>} : (tensor<4x64x1xi1>) -> tensor<4x64x1xi1>
  %33 = train.constant dense<0.000000e+00> : tensor<4x64x1xbf16>
  %34 = train.select %32, %31, %33 : (tensor<4x64x1xi1>, tensor<4x64x1xbf16>, tensor<4x64x1xbf16>) -> tensor<4x64x1xbf16>
  return %17, %34 : tensor<4x64x1x1xi1>, tensor<4x64x1xbf16>
}
func.func @attention_gradient_eda9195c5ef8f07c(%arg0: tensor<3x4x64x2x16xbf16>, %arg1: tensor<4x64x2xf32>, %arg2: tensor<4x64x2xf32>, %arg3: tensor<4x64x2x16xbf16>) -> (tensor<4x64x2x16xbf16>, tensor<4x64x2x16xbf16>, tensor<4x64x2x16xbf16>) {
  %0 = train.slice %arg0 {limit = array<i64: 1, 4, 64, 2, 16>, start = array<i64: 0, 0, 0, 0, 0>, stride = array<i64: 1, 1, 1, 1, 1>} : (tensor<3x4x64x2x16xbf16>) -> tensor<1x4x64x2x16xbf16>
  %1 = train.reshape %0 : (tensor<1x4x64x2x16xbf16>) -> tensor<4x64x2x16xbf16>
  %2 = train.slice %arg0 {limit = array<i64: 2, 4, 64, 2, 16>, start = array<i64: 1, 0, 0, 0, 0>, stride = array<i64: 1, 1, 1, 1, 1>} : (tensor<3x4x64x2x16xbf16>) -> tensor<1x4x64x2x16xbf16>
  %3 = train.reshape %2 : (tensor<1x4x64x2x16xbf16>) -> tensor<4x64x2x16xbf16>
  %4 = train.slice %arg0 {limit = array<i64: 3, 4, 64, 2, 16>, start = array<i64: 2, 0, 0, 0, 0>, stride = array<i64: 1, 1, 1, 1, 1>} : (tensor<3x4x64x2x16xbf16>) -> tensor<1x4x64x2x16xbf16>
  %5 = train.reshape %4 : (tensor<1x4x64x2x16xbf16>) -> tensor<4x64x2x16xbf16>
  %query_gradient, %key_gradient, %value_gradient = train.attention_gradient %1, %3, %5, %arg1, %arg2, %arg3 {after = 0 : i64, fill = -3.4028234663852886E+38 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 0>, scale = 2.500000e-01 : f64} : (tensor<4x64x2x16xbf16>, tensor<4x64x2x16xbf16>, tensor<4x64x2x16xbf16>, tensor<4x64x2xf32>, tensor<4x64x2xf32>, tensor<4x64x2x16xbf16>) -> (tensor<4x64x2x16xbf16>, tensor<4x64x2x16xbf16>, tensor<4x64x2x16xbf16>)
  return %query_gradient, %key_gradient, %value_gradient : tensor<4x64x2x16xbf16>, tensor<4x64x2x16xbf16>, tensor<4x64x2x16xbf16>
}
func.func @reduce_fc4a2e6b1400fa0e(%arg0: tensor<1x4x64x2x16xbf16>, %arg1: tensor<1x4x64x2x16xbf16>, %arg2: tensor<1x4x64x2x16xbf16>) -> (tensor<3x4x64x2x16xbf16>, tensor<3x2x16xf32>) {
  %0 = train.constant dense<0.000000e+00> : tensor<bf16>
  %1 = train.pad %arg0, %0 {high = array<i64: 0, 0, 0, 0, 0>, interior = array<i64: 0, 0, 0, 0, 0>, low = array<i64: 2, 0, 0, 0, 0>} : (tensor<1x4x64x2x16xbf16>, tensor<bf16>) -> tensor<3x4x64x2x16xbf16>
  %2 = train.pad %arg1, %0 {high = array<i64: 1, 0, 0, 0, 0>, interior = array<i64: 0, 0, 0, 0, 0>, low = array<i64: 1, 0, 0, 0, 0>} : (tensor<1x4x64x2x16xbf16>, tensor<bf16>) -> tensor<3x4x64x2x16xbf16>
  %3 = train.add %1, %2 : (tensor<3x4x64x2x16xbf16>, tensor<3x4x64x2x16xbf16>) -> tensor<3x4x64x2x16xbf16>
  %4 = train.pad %arg2, %0 {high = array<i64: 2, 0, 0, 0, 0>, interior = array<i64: 0, 0, 0, 0, 0>, low = array<i64: 0, 0, 0, 0, 0>} : (tensor<1x4x64x2x16xbf16>, tensor<bf16>) -> tensor<3x4x64x2x16xbf16>
  %5 = train.add %3, %4 : (tensor<3x4x64x2x16xbf16>, tensor<3x4x64x2x16xbf16>) -> tensor<3x4x64x2x16xbf16>
  %6 = train.convert %5 : (tensor<3x4x64x2x16xbf16>) -> tensor<3x4x64x2x16xf32>
  %7 = train.reduce %6 {dims = array<i64: 1, 2>, kind = #train<reduce_kind add>} : (tensor<3x4x64x2x16xf32>) -> tensor<3x2x16xf32>
  return %5, %7 : tensor<3x4x64x2x16xbf16>, tensor<3x2x16xf32>
}
func.func @adamw_6c57600475f0e7e3(%arg0: tensor<2xi32>, %arg1: tensor<3x2x16xf32>, %arg2: tensor<3x1x16xf32>, %arg3: tensor<3x1x16xf32>, %arg4: tensor<3x1x16xf32>, %arg5: tensor<16xf32>, %arg6: tensor<f32>, %arg7: tensor<i1>) -> (tensor<3x1x16xf32>, tensor<3x1x16xf32>, tensor<3x1x16xf32>) {
  %0 = train.constant dense<0> : tensor<i32>
  %1 = train.constant dense<1> : tensor<i32>
  %2 = train.slice %arg0 {limit = array<i64: 1>, start = array<i64: 0>, stride = array<i64: 1>} : (tensor<2xi32>) -> tensor<1xi32>
  %3 = train.reshape %2 : (tensor<1xi32>) -> tensor<i32>
  %4 = train.multiply %3, %1 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %5 = train.dynamic_slice %arg1, %0, %4, %0 {sizes = array<i64: 3, 1, 16>} : (tensor<3x2x16xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x1x16xf32>
  %new_parameter, %new_moment1, %new_moment2 = train.update %5, %arg2, %arg3, %arg4, %arg5, %arg6, %arg7 {optimizer = "adamw", decay = true} : (tensor<3x1x16xf32>, tensor<3x1x16xf32>, tensor<3x1x16xf32>, tensor<3x1x16xf32>, tensor<16xf32>, tensor<f32>, tensor<i1>) -> (tensor<3x1x16xf32>, tensor<3x1x16xf32>, tensor<3x1x16xf32>)
  return %new_parameter, %new_moment1, %new_moment2 : tensor<3x1x16xf32>, tensor<3x1x16xf32>, tensor<3x1x16xf32>
}
func.func @reduce_f20b5cc19a59a0d1(%arg0: tensor<2x64x64xf32>, %arg1: tensor<2x64x64xi1>, %arg2: tensor<64xf32>, %arg3: tensor<64xf32>) -> (tensor<2x64x64xf16>, tensor<2x64x64xf16>, tensor<2x64x1xf32>, tensor<2x64x1xf32>, tensor<2x64x64xf16>) {
  %0 = train.constant dense<0.000000e+00> : tensor<f32>
  %1 = train.broadcast_in_dim %0 {dims = array<i64>} : (tensor<f32>) -> tensor<2x64x64xf32>
  %2 = train.constant dense<0.899999976> : tensor<f32>
  %3 = train.broadcast_in_dim %2 {dims = array<i64>} : (tensor<f32>) -> tensor<2x64x64xf32>
  %4 = train.divide %arg0, %3 : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
  %5 = train.convert %4 : (tensor<2x64x64xf32>) -> tensor<2x64x64xf16>
  %6 = train.select %arg1, %4, %1 : (tensor<2x64x64xi1>, tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
  %7 = train.convert %6 : (tensor<2x64x64xf32>) -> tensor<2x64x64xf16>
  %8 = train.convert %7 : (tensor<2x64x64xf16>) -> tensor<2x64x64xf32>
  %9 = train.reduce %8 {dims = array<i64: 2>, kind = #train<reduce_kind add>} : (tensor<2x64x64xf32>) -> tensor<2x64xf32>
  %10 = train.reshape %9 : (tensor<2x64xf32>) -> tensor<2x64x1xf32>
  %11 = train.constant dense<6.400000e+01> : tensor<f32>
  %12 = train.broadcast_in_dim %11 {dims = array<i64>} : (tensor<f32>) -> tensor<2x64x1xf32>
  %13 = train.divide %10, %12 : (tensor<2x64x1xf32>, tensor<2x64x1xf32>) -> tensor<2x64x1xf32>
  %14 = train.broadcast_in_dim %13 {dims = array<i64: 0, 1, 2>} : (tensor<2x64x1xf32>) -> tensor<2x64x64xf32>
  %15 = train.subtract %8, %14 : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
  %16 = train.convert %15 : (tensor<2x64x64xf32>) -> tensor<2x64x64xf16>
  %17 = train.convert %16 : (tensor<2x64x64xf16>) -> tensor<2x64x64xf32>
  %18 = train.multiply %17, %17 : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
  %19 = train.reduce %18 {dims = array<i64: 2>, kind = #train<reduce_kind add>} : (tensor<2x64x64xf32>) -> tensor<2x64xf32>
  %20 = train.reshape %19 : (tensor<2x64xf32>) -> tensor<2x64x1xf32>
  %21 = train.divide %20, %12 : (tensor<2x64x1xf32>, tensor<2x64x1xf32>) -> tensor<2x64x1xf32>
  %22 = train.constant dense<9.99999974E-6> : tensor<f32>
  %23 = train.broadcast_in_dim %22 {dims = array<i64>} : (tensor<f32>) -> tensor<2x64x1xf32>
  %24 = train.add %21, %23 : (tensor<2x64x1xf32>, tensor<2x64x1xf32>) -> tensor<2x64x1xf32>
  %25 = train.rsqrt %24 : (tensor<2x64x1xf32>) -> tensor<2x64x1xf32>
  %26 = train.broadcast_in_dim %25 {dims = array<i64: 0, 1, 2>} : (tensor<2x64x1xf32>) -> tensor<2x64x64xf32>
  %27 = train.multiply %17, %26 : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
  %28 = train.broadcast_in_dim %arg2 {dims = array<i64: 2>} : (tensor<64xf32>) -> tensor<2x64x64xf32>
  %29 = train.multiply %27, %28 : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
  %30 = train.broadcast_in_dim %arg3 {dims = array<i64: 2>} : (tensor<64xf32>) -> tensor<2x64x64xf32>
  %31 = train.add %29, %30 : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
  %32 = train.convert %31 : (tensor<2x64x64xf32>) -> tensor<2x64x64xf16>
  return %5, %7, %13, %25, %32 : tensor<2x64x64xf16>, tensor<2x64x64xf16>, tensor<2x64x1xf32>, tensor<2x64x1xf32>, tensor<2x64x64xf16>
}
func.func @dot_general_f88fb23011582cf9(%arg0: tensor<2x64x64xf16>, %arg1: tensor<64x3x4x16xf16>, %arg2: tensor<3x4x16xf32>) -> tensor<3x2x64x4x16xf16> {
  %0 = train.dot_general %arg0, %arg1 {lhs_batching = array<i64>, lhs_contracting = array<i64: 2>, rhs_batching = array<i64>, rhs_contracting = array<i64: 0>} : (tensor<2x64x64xf16>, tensor<64x3x4x16xf16>) -> tensor<2x64x3x4x16xf32>
  %1 = train.convert %0 : (tensor<2x64x3x4x16xf32>) -> tensor<2x64x3x4x16xf16>
  %2 = train.transpose %1 {permutation = array<i64: 2, 0, 1, 3, 4>} : (tensor<2x64x3x4x16xf16>) -> tensor<3x2x64x4x16xf16>
  %3 = train.convert %2 : (tensor<3x2x64x4x16xf16>) -> tensor<3x2x64x4x16xf32>
  %4 = train.broadcast_in_dim %arg2 {dims = array<i64: 0, 3, 4>} : (tensor<3x4x16xf32>) -> tensor<3x2x64x4x16xf32>
  %5 = train.add %3, %4 : (tensor<3x2x64x4x16xf32>, tensor<3x2x64x4x16xf32>) -> tensor<3x2x64x4x16xf32>
  %6 = train.convert %5 : (tensor<3x2x64x4x16xf32>) -> tensor<3x2x64x4x16xf16>
  return %6 : tensor<3x2x64x4x16xf16>
}
func.func @attention_9b516d785dfcd23d(%arg0: tensor<3x2x64x4x16xf16>) -> (tensor<2x64x4x16xf16>, tensor<2x64x4xf32>) {
  %0 = train.slice %arg0 {limit = array<i64: 1, 2, 64, 4, 16>, start = array<i64: 0, 0, 0, 0, 0>, stride = array<i64: 1, 1, 1, 1, 1>} : (tensor<3x2x64x4x16xf16>) -> tensor<1x2x64x4x16xf16>
  %1 = train.reshape %0 : (tensor<1x2x64x4x16xf16>) -> tensor<2x64x4x16xf16>
  %2 = train.slice %arg0 {limit = array<i64: 2, 2, 64, 4, 16>, start = array<i64: 1, 0, 0, 0, 0>, stride = array<i64: 1, 1, 1, 1, 1>} : (tensor<3x2x64x4x16xf16>) -> tensor<1x2x64x4x16xf16>
  %3 = train.reshape %2 : (tensor<1x2x64x4x16xf16>) -> tensor<2x64x4x16xf16>
  %4 = train.slice %arg0 {limit = array<i64: 3, 2, 64, 4, 16>, start = array<i64: 2, 0, 0, 0, 0>, stride = array<i64: 1, 1, 1, 1, 1>} : (tensor<3x2x64x4x16xf16>) -> tensor<1x2x64x4x16xf16>
  %5 = train.reshape %4 : (tensor<1x2x64x4x16xf16>) -> tensor<2x64x4x16xf16>
  %result, %lse = train.attention %1, %3, %5 {after = 0 : i64, fill = -3.4028234663852886E+38 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0>, scale = 2.500000e-01 : f64} : (tensor<2x64x4x16xf16>, tensor<2x64x4x16xf16>, tensor<2x64x4x16xf16>) -> (tensor<2x64x4x16xf16>, tensor<2x64x4xf32>)
  return %result, %lse : tensor<2x64x4x16xf16>, tensor<2x64x4xf32>
}
func.func @reduce_580c303a6bc2afa1(%arg0: tensor<2x64x1xi32>, %arg1: tensor<2x64x256xf16>, %arg2: tensor<2x64xf32>, %arg3: tensor<f32>) -> tensor<f32> {
  %0 = train.constant dense<0> : tensor<i32>
  %1 = train.constant dense<256> : tensor<i32>
  %2 = train.broadcast_in_dim %0 {dims = array<i64>} : (tensor<i32>) -> tensor<2x64x1xi32>
  %3 = train.compare %arg0, %2 {direction = #train<compare_direction LT>} : (tensor<2x64x1xi32>, tensor<2x64x1xi32>) -> tensor<2x64x1xi1>
  %4 = train.broadcast_in_dim %1 {dims = array<i64>} : (tensor<i32>) -> tensor<2x64x1xi32>
  %5 = train.add %arg0, %4 : (tensor<2x64x1xi32>, tensor<2x64x1xi32>) -> tensor<2x64x1xi32>
  %6 = train.select %3, %5, %arg0 : (tensor<2x64x1xi1>, tensor<2x64x1xi32>, tensor<2x64x1xi32>) -> tensor<2x64x1xi32>
  %7 = train.reshape %6 : (tensor<2x64x1xi32>) -> tensor<2x64x1x1xi32>
  %8 = train.broadcast_in_dim %0 {dims = array<i64>} : (tensor<i32>) -> tensor<2x64x1x1xi32>
  %9 = train.compare %7, %8 {direction = #train<compare_direction GE>} : (tensor<2x64x1x1xi32>, tensor<2x64x1x1xi32>) -> tensor<2x64x1x1xi1>
  %10 = train.constant dense<255> : tensor<i32>
  %11 = train.broadcast_in_dim %10 {dims = array<i64>} : (tensor<i32>) -> tensor<2x64x1x1xi32>
  %12 = train.compare %7, %11 {direction = #train<compare_direction LE>} : (tensor<2x64x1x1xi32>, tensor<2x64x1x1xi32>) -> tensor<2x64x1x1xi1>
  %13 = train.and %9, %12 : (tensor<2x64x1x1xi1>, tensor<2x64x1x1xi1>) -> tensor<2x64x1x1xi1>
  %14 = train.reshape %13 : (tensor<2x64x1x1xi1>) -> tensor<2x64x1xi1>
  %15 = train.gather %arg1, %7 {collapsed_slice_dims = array<i64: 2>, index_vector_dim = 3 : i64, indices_batching_dims = array<i64: 0, 1>, offset_dims = array<i64>, operand_batching_dims = array<i64: 0, 1>, slice_sizes = array<i64: 1, 1, 1>, start_index_map = array<i64: 2>} : (tensor<2x64x256xf16>, tensor<2x64x1x1xi32>) -> tensor<2x64x1xf16>
  %16 = train.convert %15 : (tensor<2x64x1xf16>) -> tensor<2x64x1xf32>
  %17 = train.constant dense<0x7FC00000> : tensor<f32>
  %18 = train.broadcast_in_dim %17 {dims = array<i64>} : (tensor<f32>) -> tensor<2x64x1xf32>
  %19 = train.select %14, %16, %18 : (tensor<2x64x1xi1>, tensor<2x64x1xf32>, tensor<2x64x1xf32>) -> tensor<2x64x1xf32>
  %20 = train.reshape %19 : (tensor<2x64x1xf32>) -> tensor<2x64xf32>
  %21 = train.subtract %arg2, %20 : (tensor<2x64xf32>, tensor<2x64xf32>) -> tensor<2x64xf32>
  %22 = train.reduce %21 {dims = array<i64: 0, 1>, kind = #train<reduce_kind add>} : (tensor<2x64xf32>) -> tensor<f32>
  %23 = train.constant dense<5.120000e+02> : tensor<f32>
  %24 = train.divide %22, %23 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %25 = train.add %arg3, %24 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %25 : tensor<f32>
}
func.func @attention_gradient_1e8d72ea81aed757(%arg0: tensor<3x2x64x4x16xf16>, %arg1: tensor<2x64x4xf32>, %arg2: tensor<2x64x4xf32>, %arg3: tensor<2x64x4x16xf16>) -> (tensor<2x64x4x16xf16>, tensor<2x64x4x16xf16>, tensor<2x64x4x16xf16>) {
  %0 = train.slice %arg0 {limit = array<i64: 1, 2, 64, 4, 16>, start = array<i64: 0, 0, 0, 0, 0>, stride = array<i64: 1, 1, 1, 1, 1>} : (tensor<3x2x64x4x16xf16>) -> tensor<1x2x64x4x16xf16>
  %1 = train.reshape %0 : (tensor<1x2x64x4x16xf16>) -> tensor<2x64x4x16xf16>
  %2 = train.slice %arg0 {limit = array<i64: 2, 2, 64, 4, 16>, start = array<i64: 1, 0, 0, 0, 0>, stride = array<i64: 1, 1, 1, 1, 1>} : (tensor<3x2x64x4x16xf16>) -> tensor<1x2x64x4x16xf16>
  %3 = train.reshape %2 : (tensor<1x2x64x4x16xf16>) -> tensor<2x64x4x16xf16>
  %4 = train.slice %arg0 {limit = array<i64: 3, 2, 64, 4, 16>, start = array<i64: 2, 0, 0, 0, 0>, stride = array<i64: 1, 1, 1, 1, 1>} : (tensor<3x2x64x4x16xf16>) -> tensor<1x2x64x4x16xf16>
  %5 = train.reshape %4 : (tensor<1x2x64x4x16xf16>) -> tensor<2x64x4x16xf16>
  %query_gradient, %key_gradient, %value_gradient = train.attention_gradient %1, %3, %5, %arg1, %arg2, %arg3 {after = 0 : i64, fill = -3.4028234663852886E+38 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 0>, scale = 2.500000e-01 : f64} : (tensor<2x64x4x16xf16>, tensor<2x64x4x16xf16>, tensor<2x64x4x16xf16>, tensor<2x64x4xf32>, tensor<2x64x4xf32>, tensor<2x64x4x16xf16>) -> (tensor<2x64x4x16xf16>, tensor<2x64x4x16xf16>, tensor<2x64x4x16xf16>)
  return %query_gradient, %key_gradient, %value_gradient : tensor<2x64x4x16xf16>, tensor<2x64x4x16xf16>, tensor<2x64x4x16xf16>
}
func.func @reduce_bde9fe423e3a2969(%arg0: tensor<1x2x64x4x16xf16>, %arg1: tensor<1x2x64x4x16xf16>, %arg2: tensor<1x2x64x4x16xf16>) -> (tensor<3x2x64x4x16xf16>, tensor<3x4x16xf16>) {
  %0 = train.constant dense<0.000000e+00> : tensor<f16>
  %1 = train.pad %arg0, %0 {high = array<i64: 0, 0, 0, 0, 0>, interior = array<i64: 0, 0, 0, 0, 0>, low = array<i64: 2, 0, 0, 0, 0>} : (tensor<1x2x64x4x16xf16>, tensor<f16>) -> tensor<3x2x64x4x16xf16>
  %2 = train.pad %arg1, %0 {high = array<i64: 1, 0, 0, 0, 0>, interior = array<i64: 0, 0, 0, 0, 0>, low = array<i64: 1, 0, 0, 0, 0>} : (tensor<1x2x64x4x16xf16>, tensor<f16>) -> tensor<3x2x64x4x16xf16>
  %3 = train.add %1, %2 : (tensor<3x2x64x4x16xf16>, tensor<3x2x64x4x16xf16>) -> tensor<3x2x64x4x16xf16>
  %4 = train.pad %arg2, %0 {high = array<i64: 2, 0, 0, 0, 0>, interior = array<i64: 0, 0, 0, 0, 0>, low = array<i64: 0, 0, 0, 0, 0>} : (tensor<1x2x64x4x16xf16>, tensor<f16>) -> tensor<3x2x64x4x16xf16>
  %5 = train.add %3, %4 : (tensor<3x2x64x4x16xf16>, tensor<3x2x64x4x16xf16>) -> tensor<3x2x64x4x16xf16>
  %6 = train.convert %5 : (tensor<3x2x64x4x16xf16>) -> tensor<3x2x64x4x16xf32>
  %7 = train.reduce %6 {dims = array<i64: 1, 2>, kind = #train<reduce_kind add>} : (tensor<3x2x64x4x16xf32>) -> tensor<3x4x16xf32>
  %8 = train.convert %7 : (tensor<3x4x16xf32>) -> tensor<3x4x16xf16>
  return %5, %8 : tensor<3x2x64x4x16xf16>, tensor<3x4x16xf16>
}
func.func @attention_block_a9ce2e724c3a3f1e(%arg0: tensor<4x32x4x16xf32>, %arg1: tensor<4x32x4x16xf32>, %arg2: tensor<4x32x4x16xf32>, %arg3: tensor<i32>, %arg4: tensor<i32>, %arg5: tensor<4x32x4xf32>, %arg6: tensor<4x32x4xf32>, %arg7: tensor<4x32x4x16xf32>) -> (tensor<4x32x4xf32>, tensor<4x32x4xf32>, tensor<4x32x4x16xf32>) {
  %new_largest, %new_total, %new_sums = train.attention_block %arg0, %arg1, %arg2, %arg3, %arg4, %arg5, %arg6, %arg7 {after = 0 : i64, all_keys = 64 : i64, fill = -3.4028234663852886E+38 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 1, 1, 1, 1, 1>, scale = 2.500000e-01 : f64} : (tensor<4x32x4x16xf32>, tensor<4x32x4x16xf32>, tensor<4x32x4x16xf32>, tensor<i32>, tensor<i32>, tensor<4x32x4xf32>, tensor<4x32x4xf32>, tensor<4x32x4x16xf32>) -> (tensor<4x32x4xf32>, tensor<4x32x4xf32>, tensor<4x32x4x16xf32>)
  return %new_largest, %new_total, %new_sums : tensor<4x32x4xf32>, tensor<4x32x4xf32>, tensor<4x32x4x16xf32>
}
func.func @reduce_dfea578f84283078(%arg0: tensor<4x32x256xf32>, %arg1: tensor<4x32x256xf32>) -> tensor<4x32x256xf32> {
  %0 = train.constant dense<1.000000e+00> : tensor<f32>
  %1 = train.constant dense<5.120000e+02> : tensor<f32>
  %2 = train.divide %0, %1 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %3 = train.broadcast_in_dim %2 {dims = array<i64>} : (tensor<f32>) -> tensor<4x32xf32>
  %4 = train.constant dense<0.000000e+00> : tensor<f32>
  %5 = train.reduce %arg0 {dims = array<i64: 2>, kind = #train<reduce_kind maximum>} : (tensor<4x32x256xf32>) -> tensor<4x32xf32>
  %6 = train.is_finite %5 : (tensor<4x32xf32>) -> tensor<4x32xi1>
  %7 = train.broadcast_in_dim %4 {dims = array<i64>} : (tensor<f32>) -> tensor<4x32xf32>
  %8 = train.select %6, %5, %7 : (tensor<4x32xi1>, tensor<4x32xf32>, tensor<4x32xf32>) -> tensor<4x32xf32>
  %9 = train.broadcast_in_dim %8 {dims = array<i64: 0, 1>} : (tensor<4x32xf32>) -> tensor<4x32x256xf32>
  %10 = train.subtract %arg0, %9 : (tensor<4x32x256xf32>, tensor<4x32x256xf32>) -> tensor<4x32x256xf32>
  %11 = train.exponential %10 : (tensor<4x32x256xf32>) -> tensor<4x32x256xf32>
  %12 = train.reduce %11 {dims = array<i64: 2>, kind = #train<reduce_kind add>} : (tensor<4x32x256xf32>) -> tensor<4x32xf32>
  %13 = train.abs %12 : (tensor<4x32xf32>) -> tensor<4x32xf32>
  %14 = train.divide %3, %13 : (tensor<4x32xf32>, tensor<4x32xf32>) -> tensor<4x32xf32>
  %15 = train.sign %12 : (tensor<4x32xf32>) -> tensor<4x32xf32>
  %16 = train.multiply %14, %15 : (tensor<4x32xf32>, tensor<4x32xf32>) -> tensor<4x32xf32>
  %17 = train.broadcast_in_dim %16 {dims = array<i64: 0, 1>} : (tensor<4x32xf32>) -> tensor<4x32x256xf32>
  %18 = train.multiply %17, %11 : (tensor<4x32x256xf32>, tensor<4x32x256xf32>) -> tensor<4x32x256xf32>
  %19 = train.add %arg1, %18 : (tensor<4x32x256xf32>, tensor<4x32x256xf32>) -> tensor<4x32x256xf32>
  return %19 : tensor<4x32x256xf32>
}
func.func @attention_block_gradient_683105c29311cd76(%arg0: tensor<4x32x4x16xf32>, %arg1: tensor<4x32x4x16xf32>, %arg2: tensor<4x32x4x16xf32>, %arg3: tensor<i32>, %arg4: tensor<i32>, %arg5: tensor<4x32x4xf32>, %arg6: tensor<4x32x4xf32>, %arg7: tensor<4x32x4x16xf32>, %arg8: tensor<4x32x4x16xf32>, %arg9: tensor<4x32x4x16xf32>, %arg10: tensor<4x32x4x16xf32>) -> (tensor<4x32x4x16xf32>, tensor<4x32x4x16xf32>, tensor<4x32x4x16xf32>) {
  %query_gradient, %key_gradient, %value_gradient = train.attention_block_gradient %arg0, %arg1, %arg2, %arg3, %arg4, %arg5, %arg6, %arg7, %arg8, %arg9, %arg10 {after = 0 : i64, all_keys = 64 : i64, fill = -3.4028234663852886E+38 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1>, scale = 2.500000e-01 : f64} : (tensor<4x32x4x16xf32>, tensor<4x32x4x16xf32>, tensor<4x32x4x16xf32>, tensor<i32>, tensor<i32>, tensor<4x32x4xf32>, tensor<4x32x4xf32>, tensor<4x32x4x16xf32>, tensor<4x32x4x16xf32>, tensor<4x32x4x16xf32>, tensor<4x32x4x16xf32>) -> (tensor<4x32x4x16xf32>, tensor<4x32x4x16xf32>, tensor<4x32x4x16xf32>)
  return %query_gradient, %key_gradient, %value_gradient : tensor<4x32x4x16xf32>, tensor<4x32x4x16xf32>, tensor<4x32x4x16xf32>
}
func.func @multiply_f60a5235a63733db(%arg0: tensor<2xi32>, %arg1: tensor<64x3x4x16xf32>) -> tensor<32x3x4x16xf32> {
  %0 = train.constant dense<0> : tensor<i32>
  %1 = train.constant dense<32> : tensor<i32>
  %2 = train.slice %arg0 {limit = array<i64: 1>, start = array<i64: 0>, stride = array<i64: 1>} : (tensor<2xi32>) -> tensor<1xi32>
  %3 = train.reshape %2 : (tensor<1xi32>) -> tensor<i32>
  %4 = train.multiply %3, %1 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %5 = train.dynamic_slice %arg1, %4, %0, %0, %0 {sizes = array<i64: 32, 3, 4, 16>} : (tensor<64x3x4x16xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<32x3x4x16xf32>
  return %5 : tensor<32x3x4x16xf32>
}
func.func @reduce_26832005d29536ef(%arg0: tensor<22x64xf32>, %arg1: tensor<8x22x64xf32>, %arg2: tensor<ui32>, %arg3: tensor<8x22x64xui32>, %arg4: tensor<8x22x64xui32>, %arg5: tensor<64xf32>, %arg6: tensor<64xf32>) -> (tensor<8x22x64xf32>, tensor<8x22x64xf32>) {
  %0 = train.broadcast_in_dim %arg0 {dims = array<i64: 1, 2>} : (tensor<22x64xf32>) -> tensor<8x22x64xf32>
  %1 = train.add %arg1, %0 : (tensor<8x22x64xf32>, tensor<8x22x64xf32>) -> tensor<8x22x64xf32>
  %2 = train.constant dense<5> : tensor<ui32>
  %3 = train.constant dense<0.000000e+00> : tensor<f32>
  %4 = train.broadcast_in_dim %arg2 {dims = array<i64>} : (tensor<ui32>) -> tensor<8x22x64xui32>
  %5 = train.add %arg3, %4 : (tensor<8x22x64xui32>, tensor<8x22x64xui32>) -> tensor<8x22x64xui32>
  %6 = train.broadcast_in_dim %2 {dims = array<i64>} : (tensor<ui32>) -> tensor<8x22x64xui32>
  %7 = train.add %arg4, %6 : (tensor<8x22x64xui32>, tensor<8x22x64xui32>) -> tensor<8x22x64xui32>
  %8 = train.xor %5, %7 : (tensor<8x22x64xui32>, tensor<8x22x64xui32>) -> tensor<8x22x64xui32>
  %9 = train.constant dense<9> : tensor<ui32>
  %10 = train.broadcast_in_dim %9 {dims = array<i64>} : (tensor<ui32>) -> tensor<8x22x64xui32>
  %11 = train.shift_right_logical %8, %10 : (tensor<8x22x64xui32>, tensor<8x22x64xui32>) -> tensor<8x22x64xui32>
  %12 = train.constant dense<1065353216> : tensor<ui32>
  %13 = train.broadcast_in_dim %12 {dims = array<i64>} : (tensor<ui32>) -> tensor<8x22x64xui32>
  %14 = train.or %11, %13 : (tensor<8x22x64xui32>, tensor<8x22x64xui32>) -> tensor<8x22x64xui32>
  %15 = train.bitcast_convert %14 : (tensor<8x22x64xui32>) -> tensor<8x22x64xf32>
  %16 = train.constant dense<1.000000e+00> : tensor<f32>
  %17 = train.broadcast_in_dim %16 {dims = array<i64>} : (tensor<f32>) -> tensor<8x22x64xf32>
  %18 = train.subtract %15, %17 : (tensor<8x22x64xf32>, tensor<8x22x64xf32>) -> tensor<8x22x64xf32>
  %19 = train.broadcast_in_dim %3 {dims = array<i64>} : (tensor<f32>) -> tensor<8x22x64xf32>
  %20 = train.add %18, %19 : (tensor<8x22x64xf32>, tensor<8x22x64xf32>) -> tensor<8x22x64xf32>
  %21 = train.maximum %19, %20 : (tensor<8x22x64xf32>, tensor<8x22x64xf32>) -> tensor<8x22x64xf32>
  %22 = train.constant dense<0.899999976> : tensor<f32>
  %23 = train.broadcast_in_dim %22 {dims = array<i64>} : (tensor<f32>) -> tensor<8x22x64xf32>
  %24 = train.compare %21, %23 {direction = #train<compare_direction LT>} : (tensor<8x22x64xf32>, tensor<8x22x64xf32>) -> tensor<8x22x64xi1>
  %25 = train.divide %1, %23 : (tensor<8x22x64xf32>, tensor<8x22x64xf32>) -> tensor<8x22x64xf32>
  %26 = train.select %24, %25, %19 : (tensor<8x22x64xi1>, tensor<8x22x64xf32>, tensor<8x22x64xf32>) -> tensor<8x22x64xf32>
  %27 = train.reduce %26 {dims = array<i64: 2>, kind = #train<reduce_kind add>} : (tensor<8x22x64xf32>) -> tensor<8x22xf32>
  %28 = train.reshape %27 : (tensor<8x22xf32>) -> tensor<8x22x1xf32>
  %29 = train.constant dense<6.400000e+01> : tensor<f32>
  %30 = train.broadcast_in_dim %29 {dims = array<i64>} : (tensor<f32>) -> tensor<8x22x1xf32>
  %31 = train.divide %28, %30 : (tensor<8x22x1xf32>, tensor<8x22x1xf32>) -> tensor<8x22x1xf32>
  %32 = train.broadcast_in_dim %31 {dims = array<i64: 0, 1, 2>} : (tensor<8x22x1xf32>) -> tensor<8x22x64xf32>
  %33 = train.subtract %26, %32 : (tensor<8x22x64xf32>, tensor<8x22x64xf32>) -> tensor<8x22x64xf32>
  %34 = train.multiply %33, %33 : (tensor<8x22x64xf32>, tensor<8x22x64xf32>) -> tensor<8x22x64xf32>
  %35 = train.reduce %34 {dims = array<i64: 2>, kind = #train<reduce_kind add>} : (tensor<8x22x64xf32>) -> tensor<8x22xf32>
  %36 = train.reshape %35 : (tensor<8x22xf32>) -> tensor<8x22x1xf32>
  %37 = train.divide %36, %30 : (tensor<8x22x1xf32>, tensor<8x22x1xf32>) -> tensor<8x22x1xf32>
  %38 = train.constant dense<9.99999974E-6> : tensor<f32>
  %39 = train.broadcast_in_dim %38 {dims = array<i64>} : (tensor<f32>) -> tensor<8x22x1xf32>
  %40 = train.add %37, %39 : (tensor<8x22x1xf32>, tensor<8x22x1xf32>) -> tensor<8x22x1xf32>
  %41 = train.rsqrt %40 : (tensor<8x22x1xf32>) -> tensor<8x22x1xf32>
  %42 = train.broadcast_in_dim %41 {dims = array<i64: 0, 1, 2>} : (tensor<8x22x1xf32>) -> tensor<8x22x64xf32>
  %43 = train.multiply %33, %42 : (tensor<8x22x64xf32>, tensor<8x22x64xf32>) -> tensor<8x22x64xf32>
  %44 = train.broadcast_in_dim %arg5 {dims = array<i64: 2>} : (tensor<64xf32>) -> tensor<8x22x64xf32>
  %45 = train.multiply %43, %44 : (tensor<8x22x64xf32>, tensor<8x22x64xf32>) -> tensor<8x22x64xf32>
  %46 = train.broadcast_in_dim %arg6 {dims = array<i64: 2>} : (tensor<64xf32>) -> tensor<8x22x64xf32>
  %47 = train.add %45, %46 : (tensor<8x22x64xf32>, tensor<8x22x64xf32>) -> tensor<8x22x64xf32>
  return %26, %47 : tensor<8x22x64xf32>, tensor<8x22x64xf32>
}
func.func @dot_general_3c473f3eb989d24a(%arg0: tensor<8x66x64xf32>, %arg1: tensor<64x3x2x16xf32>, %arg2: tensor<3x2x16xf32>) -> tensor<3x8x64x2x16xf32> {
  %0 = train.slice %arg0 {limit = array<i64: 8, 64, 64>, start = array<i64: 0, 0, 0>, stride = array<i64: 1, 1, 1>} : (tensor<8x66x64xf32>) -> tensor<8x64x64xf32>
  %1 = train.dot_general %0, %arg1 {lhs_batching = array<i64>, lhs_contracting = array<i64: 2>, rhs_batching = array<i64>, rhs_contracting = array<i64: 0>} : (tensor<8x64x64xf32>, tensor<64x3x2x16xf32>) -> tensor<8x64x3x2x16xf32>
  %2 = train.transpose %1 {permutation = array<i64: 2, 0, 1, 3, 4>} : (tensor<8x64x3x2x16xf32>) -> tensor<3x8x64x2x16xf32>
  %3 = train.broadcast_in_dim %arg2 {dims = array<i64: 0, 3, 4>} : (tensor<3x2x16xf32>) -> tensor<3x8x64x2x16xf32>
  %4 = train.add %2, %3 : (tensor<3x8x64x2x16xf32>, tensor<3x8x64x2x16xf32>) -> tensor<3x8x64x2x16xf32>
  return %4 : tensor<3x8x64x2x16xf32>
}
func.func @reduce_cf8165edc898d02c(%arg0: tensor<1xi32>, %arg1: tensor<8x64x86xf32>) -> tensor<8x64xf32> {
  %0 = train.constant dense<86> : tensor<i32>
  %1 = train.slice %arg0 {limit = array<i64: 1>, start = array<i64: 0>, stride = array<i64: 1>} : (tensor<1xi32>) -> tensor<1xi32>
  %2 = train.reshape %1 : (tensor<1xi32>) -> tensor<i32>
  %3 = train.multiply %2, %0 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %4 = train.constant dense<0xFF800000> : tensor<8x64x86xf32>
  %5 = train.iota %3 {dim = 0 : i64} : (tensor<i32>) -> tensor<86xi32>
  %6 = train.constant dense<256> : tensor<86xi32>
  %7 = train.compare %5, %6 {direction = #train<compare_direction LT>} : (tensor<86xi32>, tensor<86xi32>) -> tensor<86xi1>
  %8 = train.broadcast_in_dim %7 {dims = array<i64: 2>} : (tensor<86xi1>) -> tensor<8x64x86xi1>
  %9 = train.select %8, %arg1, %4 : (tensor<8x64x86xi1>, tensor<8x64x86xf32>, tensor<8x64x86xf32>) -> tensor<8x64x86xf32>
  %10 = train.reduce %9 {dims = array<i64: 2>, kind = #train<reduce_kind maximum>} : (tensor<8x64x86xf32>) -> tensor<8x64xf32>
  return %10 : tensor<8x64xf32>
}
func.func @reduce_f8983c282fa61408(%arg0: tensor<2xi32>, %arg1: tensor<4x128xf32>, %arg2: tensor<4x64x1x1xi32>, %arg3: tensor<4x64x1xf32>, %arg4: tensor<4x64xf32>) -> tensor<f32> {
  %0 = train.constant dense<0> : tensor<i32>
  %1 = train.constant dense<64> : tensor<i32>
  %2 = train.slice %arg0 {limit = array<i64: 2>, start = array<i64: 1>, stride = array<i64: 1>} : (tensor<2xi32>) -> tensor<1xi32>
  %3 = train.reshape %2 : (tensor<1xi32>) -> tensor<i32>
  %4 = train.multiply %3, %1 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %5 = train.dynamic_slice %arg1, %0, %4 {sizes = array<i64: 4, 64>} : (tensor<4x128xf32>, tensor<i32>, tensor<i32>) -> tensor<4x64xf32>
  %6 = train.constant dense<0> : tensor<i32>
  %7 = train.constant dense<255> : tensor<i32>
  %8 = train.broadcast_in_dim %6 {dims = array<i64>} : (tensor<i32>) -> tensor<4x64x1x1xi32>
  %9 = train.compare %arg2, %8 {direction = #train<compare_direction GE>} : (tensor<4x64x1x1xi32>, tensor<4x64x1x1xi32>) -> tensor<4x64x1x1xi1>
  %10 = train.broadcast_in_dim %7 {dims = array<i64>} : (tensor<i32>) -> tensor<4x64x1x1xi32>
  %11 = train.compare %arg2, %10 {direction = #train<compare_direction LE>} : (tensor<4x64x1x1xi32>, tensor<4x64x1x1xi32>) -> tensor<4x64x1x1xi1>
  %12 = train.and %9, %11 : (tensor<4x64x1x1xi1>, tensor<4x64x1x1xi1>) -> tensor<4x64x1x1xi1>
  %13 = train.reshape %12 : (tensor<4x64x1x1xi1>) -> tensor<4x64x1xi1>
  %14 = train.constant dense<0x7FC00000> : tensor<f32>
  %15 = train.broadcast_in_dim %14 {dims = array<i64>} : (tensor<f32>) -> tensor<4x64x1xf32>
  %16 = train.select %13, %arg3, %15 : (tensor<4x64x1xi1>, tensor<4x64x1xf32>, tensor<4x64x1xf32>) -> tensor<4x64x1xf32>
  %17 = train.reshape %16 : (tensor<4x64x1xf32>) -> tensor<4x64xf32>
  %18 = train.subtract %arg4, %17 : (tensor<4x64xf32>, tensor<4x64xf32>) -> tensor<4x64xf32>
  %19 = train.multiply %18, %5 : (tensor<4x64xf32>, tensor<4x64xf32>) -> tensor<4x64xf32>
  %20 = train.reduce %19 {dims = array<i64: 0, 1>, kind = #train<reduce_kind add>} : (tensor<4x64xf32>) -> tensor<f32>
  return %20 : tensor<f32>
}
func.func @reduce_5339f22d3e481196(%arg0: tensor<1xi32>, %arg1: tensor<8x128xf32>, %arg2: tensor<8x43x1x1xi32>, %arg3: tensor<8x43x1xf32>, %arg4: tensor<8x43xf32>) -> tensor<f32> {
  %0 = train.constant dense<0> : tensor<i32>
  %1 = train.constant dense<43> : tensor<i32>
  %2 = train.slice %arg0 {limit = array<i64: 1>, start = array<i64: 0>, stride = array<i64: 1>} : (tensor<1xi32>) -> tensor<1xi32>
  %3 = train.reshape %2 : (tensor<1xi32>) -> tensor<i32>
  %4 = train.multiply %3, %1 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %5 = train.constant dense<0.000000e+00> : tensor<f32>
  %6 = train.pad %arg1, %5 {high = array<i64: 0, 1>, interior = array<i64: 0, 0>, low = array<i64: 0, 0>} : (tensor<8x128xf32>, tensor<f32>) -> tensor<8x129xf32>
  %7 = train.dynamic_slice %6, %0, %4 {sizes = array<i64: 8, 43>} : (tensor<8x129xf32>, tensor<i32>, tensor<i32>) -> tensor<8x43xf32>
  %8 = train.constant dense<0> : tensor<i32>
  %9 = train.constant dense<255> : tensor<i32>
  %10 = train.broadcast_in_dim %8 {dims = array<i64>} : (tensor<i32>) -> tensor<8x43x1x1xi32>
  %11 = train.compare %arg2, %10 {direction = #train<compare_direction GE>} : (tensor<8x43x1x1xi32>, tensor<8x43x1x1xi32>) -> tensor<8x43x1x1xi1>
  %12 = train.broadcast_in_dim %9 {dims = array<i64>} : (tensor<i32>) -> tensor<8x43x1x1xi32>
  %13 = train.compare %arg2, %12 {direction = #train<compare_direction LE>} : (tensor<8x43x1x1xi32>, tensor<8x43x1x1xi32>) -> tensor<8x43x1x1xi1>
  %14 = train.and %11, %13 : (tensor<8x43x1x1xi1>, tensor<8x43x1x1xi1>) -> tensor<8x43x1x1xi1>
  %15 = train.reshape %14 : (tensor<8x43x1x1xi1>) -> tensor<8x43x1xi1>
  %16 = train.constant dense<0x7FC00000> : tensor<f32>
  %17 = train.broadcast_in_dim %16 {dims = array<i64>} : (tensor<f32>) -> tensor<8x43x1xf32>
  %18 = train.select %15, %arg3, %17 : (tensor<8x43x1xi1>, tensor<8x43x1xf32>, tensor<8x43x1xf32>) -> tensor<8x43x1xf32>
  %19 = train.reshape %18 : (tensor<8x43x1xf32>) -> tensor<8x43xf32>
  %20 = train.subtract %arg4, %19 : (tensor<8x43xf32>, tensor<8x43xf32>) -> tensor<8x43xf32>
  %21 = train.multiply %20, %7 : (tensor<8x43xf32>, tensor<8x43xf32>) -> tensor<8x43xf32>
  %22 = train.constant dense<0.000000e+00> : tensor<8x43xf32>
  %23 = train.iota %4 {dim = 0 : i64} : (tensor<i32>) -> tensor<43xi32>
  %24 = train.constant dense<128> : tensor<43xi32>
  %25 = train.compare %23, %24 {direction = #train<compare_direction LT>} : (tensor<43xi32>, tensor<43xi32>) -> tensor<43xi1>
  %26 = train.broadcast_in_dim %25 {dims = array<i64: 1>} : (tensor<43xi1>) -> tensor<8x43xi1>
  %27 = train.select %26, %21, %22 : (tensor<8x43xi1>, tensor<8x43xf32>, tensor<8x43xf32>) -> tensor<8x43xf32>
  %28 = train.reduce %27 {dims = array<i64: 0, 1>, kind = #train<reduce_kind add>} : (tensor<8x43xf32>) -> tensor<f32>
  return %28 : tensor<f32>
}
func.func @add_33111972766ac7de(%arg0: tensor<2x128x2x16xf16>, %arg1: tensor<2x128x2x16xf16>) -> tensor<2x128x2x32xf16> {
  %0 = train.constant dense<0.000000e+00> : tensor<f16>
  %1 = train.pad %arg0, %0 {high = array<i64: 0, 0, 0, 0>, interior = array<i64: 0, 0, 0, 0>, low = array<i64: 0, 0, 0, 16>} : (tensor<2x128x2x16xf16>, tensor<f16>) -> tensor<2x128x2x32xf16>
  %2 = train.pad %arg1, %0 {high = array<i64: 0, 0, 0, 16>, interior = array<i64: 0, 0, 0, 0>, low = array<i64: 0, 0, 0, 0>} : (tensor<2x128x2x16xf16>, tensor<f16>) -> tensor<2x128x2x32xf16>
  %3 = train.add %1, %2 : (tensor<2x128x2x32xf16>, tensor<2x128x2x32xf16>) -> tensor<2x128x2x32xf16>
  return %3 : tensor<2x128x2x32xf16>
}
func.func @sum_of_squares_7c1168a50af0a889(%arg0: tensor<3xi32>, %arg1: tensor<3xf32>) -> tensor<1xf32> {
  %0 = train.constant dense<3> : tensor<i32>
  %1 = train.slice %arg0 {limit = array<i64: 2>, start = array<i64: 1>, stride = array<i64: 1>} : (tensor<3xi32>) -> tensor<1xi32>
  %2 = train.reshape %1 : (tensor<1xi32>) -> tensor<i32>
  %3 = train.slice %arg0 {limit = array<i64: 3>, start = array<i64: 2>, stride = array<i64: 1>} : (tensor<3xi32>) -> tensor<1xi32>
  %4 = train.reshape %3 : (tensor<1xi32>) -> tensor<i32>
  %5 = train.constant dense<2> : tensor<i32>
  %6 = train.multiply %2, %5 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %7 = train.add %6, %4 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %8 = train.multiply %7, %0 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %9 = train.constant dense<0.000000e+00> : tensor<3xf32>
  %10 = train.iota %8 {dim = 0 : i64} : (tensor<i32>) -> tensor<3xi32>
  %11 = train.constant dense<10> : tensor<3xi32>
  %12 = train.compare %10, %11 {direction = #train<compare_direction LT>} : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
  %13 = train.broadcast_in_dim %12 {dims = array<i64: 0>} : (tensor<3xi1>) -> tensor<3xi1>
  %14 = train.select %13, %arg1, %9 : (tensor<3xi1>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %15 = train.sum_of_squares %14 : (tensor<3xf32>) -> tensor<1xf32>
  return %15 : tensor<1xf32>
}
func.func @attention_cd09591575c3c050(%arg0: tensor<8x64x3x4x16xf32>) -> (tensor<8x64x4x16xf32>, tensor<8x64x4xf32>) {
  %0 = train.transpose %arg0 {permutation = array<i64: 2, 0, 1, 3, 4>} : (tensor<8x64x3x4x16xf32>) -> tensor<3x8x64x4x16xf32>
  %1 = train.slice %0 {limit = array<i64: 1, 8, 64, 4, 16>, start = array<i64: 0, 0, 0, 0, 0>, stride = array<i64: 1, 1, 1, 1, 1>} : (tensor<3x8x64x4x16xf32>) -> tensor<1x8x64x4x16xf32>
  %2 = train.reshape %1 : (tensor<1x8x64x4x16xf32>) -> tensor<8x64x4x16xf32>
  %3 = train.slice %0 {limit = array<i64: 2, 8, 64, 4, 16>, start = array<i64: 1, 0, 0, 0, 0>, stride = array<i64: 1, 1, 1, 1, 1>} : (tensor<3x8x64x4x16xf32>) -> tensor<1x8x64x4x16xf32>
  %4 = train.reshape %3 : (tensor<1x8x64x4x16xf32>) -> tensor<8x64x4x16xf32>
  %5 = train.slice %0 {limit = array<i64: 3, 8, 64, 4, 16>, start = array<i64: 2, 0, 0, 0, 0>, stride = array<i64: 1, 1, 1, 1, 1>} : (tensor<3x8x64x4x16xf32>) -> tensor<1x8x64x4x16xf32>
  %6 = train.reshape %5 : (tensor<1x8x64x4x16xf32>) -> tensor<8x64x4x16xf32>
  %result, %lse = train.attention %2, %4, %6 {after = 0 : i64, fill = -3.4028234663852886E+38 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0>, scale = 2.500000e-01 : f64} : (tensor<8x64x4x16xf32>, tensor<8x64x4x16xf32>, tensor<8x64x4x16xf32>) -> (tensor<8x64x4x16xf32>, tensor<8x64x4xf32>)
  return %result, %lse : tensor<8x64x4x16xf32>, tensor<8x64x4xf32>
}
func.func @arg_reduce_ec6ef02dd663bd51(%arg0: tensor<8x64x8xf32>) -> (tensor<8x64xf32>, tensor<8x64x8xf32>, tensor<8x64x8xf32>, tensor<8x64x8xf32>) {
  %0 = train.reduce %arg0 {dims = array<i64: 2>, kind = #train<reduce_kind maximum>} : (tensor<8x64x8xf32>) -> tensor<8x64xf32>
  %1 = train.broadcast_in_dim %0 {dims = array<i64: 0, 1>} : (tensor<8x64xf32>) -> tensor<8x64x8xf32>
  %2 = train.subtract %arg0, %1 : (tensor<8x64x8xf32>, tensor<8x64x8xf32>) -> tensor<8x64x8xf32>
  %3 = train.exponential %2 : (tensor<8x64x8xf32>) -> tensor<8x64x8xf32>
  %4 = train.reduce %3 {dims = array<i64: 2>, kind = #train<reduce_kind add>} : (tensor<8x64x8xf32>) -> tensor<8x64xf32>
  %5 = train.broadcast_in_dim %4 {dims = array<i64: 0, 1>} : (tensor<8x64xf32>) -> tensor<8x64x8xf32>
  %6 = train.divide %3, %5 : (tensor<8x64x8xf32>, tensor<8x64x8xf32>) -> tensor<8x64x8xf32>
  %7 = train.arg_reduce %6 {dim = 2 : i64, kind = #train<reduce_kind maximum>} : (tensor<8x64x8xf32>) -> tensor<8x64xi32>
  %8 = train.iota  {dim = 2 : i64} : () -> tensor<1x1x8xi32>
  %9 = train.broadcast_in_dim %7 {dims = array<i64: 0, 1>} : (tensor<8x64xi32>) -> tensor<8x64x8xi32>
  %10 = train.broadcast_in_dim %8 {dims = array<i64: 0, 1, 2>} : (tensor<1x1x8xi32>) -> tensor<8x64x8xi32>
  %11 = train.compare %9, %10 {direction = #train<compare_direction EQ>} : (tensor<8x64x8xi32>, tensor<8x64x8xi32>) -> tensor<8x64x8xi1>
  %12 = train.convert %11 : (tensor<8x64x8xi1>) -> tensor<8x64x8xf32>
  %13 = train.constant dense<1.000000e+00> : tensor<f32>
  %14 = train.broadcast_in_dim %13 {dims = array<i64>} : (tensor<f32>) -> tensor<8x64x8xf32>
  %15 = train.subtract %14, %12 : (tensor<8x64x8xf32>, tensor<8x64x8xf32>) -> tensor<8x64x8xf32>
  %16 = train.multiply %6, %15 : (tensor<8x64x8xf32>, tensor<8x64x8xf32>) -> tensor<8x64x8xf32>
  %17 = train.arg_reduce %16 {dim = 2 : i64, kind = #train<reduce_kind maximum>} : (tensor<8x64x8xf32>) -> tensor<8x64xi32>
  %18 = train.broadcast_in_dim %17 {dims = array<i64: 0, 1>} : (tensor<8x64xi32>) -> tensor<8x64x8xi32>
  %19 = train.compare %18, %10 {direction = #train<compare_direction EQ>} : (tensor<8x64x8xi32>, tensor<8x64x8xi32>) -> tensor<8x64x8xi1>
  %20 = train.convert %19 : (tensor<8x64x8xi1>) -> tensor<8x64x8xf32>
  return %4, %6, %12, %20 : tensor<8x64xf32>, tensor<8x64x8xf32>, tensor<8x64x8xf32>, tensor<8x64x8xf32>
}
func.func @dot_general_43e60c9beacc0b87(%arg0: tensor<8x64xf32>, %arg1: tensor<8x64x8xf32>) -> tensor<8x64x8x24xf32> {
  %0 = train.convert %arg0 : (tensor<8x64xf32>) -> tensor<8x64xi32>
  %1 = train.iota  {dim = 2 : i64} : () -> tensor<1x1x24xi32>
  %2 = train.broadcast_in_dim %0 {dims = array<i64: 0, 1>} : (tensor<8x64xi32>) -> tensor<8x64x24xi32>
  %3 = train.broadcast_in_dim %1 {dims = array<i64: 0, 1, 2>} : (tensor<1x1x24xi32>) -> tensor<8x64x24xi32>
  %4 = train.compare %2, %3 {direction = #train<compare_direction EQ>} : (tensor<8x64x24xi32>, tensor<8x64x24xi32>) -> tensor<8x64x24xi1>
  %5 = train.convert %4 : (tensor<8x64x24xi1>) -> tensor<8x64x24xf32>
  %6 = train.dot_general %arg1, %5 {lhs_batching = array<i64: 0, 1>, lhs_contracting = array<i64>, rhs_batching = array<i64: 0, 1>, rhs_contracting = array<i64>} : (tensor<8x64x8xf32>, tensor<8x64x24xf32>) -> tensor<8x64x8x24xf32>
  %7 = train.constant dense<0.000000e+00> : tensor<f32>
  %8 = train.broadcast_in_dim %7 {dims = array<i64>} : (tensor<f32>) -> tensor<8x64x8x24xf32>
  %9 = train.add %8, %6 : (tensor<8x64x8x24xf32>, tensor<8x64x8x24xf32>) -> tensor<8x64x8x24xf32>
  return %9 : tensor<8x64x8x24xf32>
}
func.func @reduce_fdcb0dd2cdf72705(%arg0: tensor<8x64x8xf32>, %arg1: tensor<8x8xf32>, %arg2: tensor<8x64x8xf32>, %arg3: tensor<8x64x8xf32>, %arg4: tensor<8x64x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x64x8xf32>, tensor<8x64x8xf32>, tensor<8x64x8xf32>) {
  %0 = train.constant dense<6.400000e+01> : tensor<f32>
  %1 = train.broadcast_in_dim %0 {dims = array<i64>} : (tensor<f32>) -> tensor<8x8xf32>
  %2 = train.reduce %arg0 {dims = array<i64: 1>, kind = #train<reduce_kind add>} : (tensor<8x64x8xf32>) -> tensor<8x8xf32>
  %3 = train.divide %2, %1 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %4 = train.multiply %arg1, %3 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %5 = train.broadcast_in_dim %2 {dims = array<i64: 0, 2>} : (tensor<8x8xf32>) -> tensor<8x64x8xf32>
  %6 = train.add %arg2, %5 : (tensor<8x64x8xf32>, tensor<8x64x8xf32>) -> tensor<8x64x8xf32>
  %7 = train.multiply %6, %arg3 : (tensor<8x64x8xf32>, tensor<8x64x8xf32>) -> tensor<8x64x8xf32>
  %8 = train.subtract %7, %arg3 : (tensor<8x64x8xf32>, tensor<8x64x8xf32>) -> tensor<8x64x8xf32>
  %9 = train.constant dense<2.400000e+01> : tensor<f32>
  %10 = train.broadcast_in_dim %9 {dims = array<i64>} : (tensor<f32>) -> tensor<8x64x8xf32>
  %11 = train.compare %8, %10 {direction = #train<compare_direction LT>} : (tensor<8x64x8xf32>, tensor<8x64x8xf32>) -> tensor<8x64x8xi1>
  %12 = train.convert %11 : (tensor<8x64x8xi1>) -> tensor<8x64x8xf32>
  %13 = train.multiply %arg3, %12 : (tensor<8x64x8xf32>, tensor<8x64x8xf32>) -> tensor<8x64x8xf32>
  %14 = train.multiply %8, %13 : (tensor<8x64x8xf32>, tensor<8x64x8xf32>) -> tensor<8x64x8xf32>
  %15 = train.multiply %arg4, %13 : (tensor<8x64x8xf32>, tensor<8x64x8xf32>) -> tensor<8x64x8xf32>
  return %3, %4, %13, %14, %15 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x64x8xf32>, tensor<8x64x8xf32>, tensor<8x64x8xf32>
}
func.func @attention_9eb7fa94b81a0a6(%arg0: tensor<4x64x3x2x16xbf16>) -> (tensor<4x64x2x16xbf16>, tensor<4x64x2xf32>) {
  %0 = train.transpose %arg0 {permutation = array<i64: 2, 0, 1, 3, 4>} : (tensor<4x64x3x2x16xbf16>) -> tensor<3x4x64x2x16xbf16>
  %1 = train.slice %0 {limit = array<i64: 1, 4, 64, 2, 16>, start = array<i64: 0, 0, 0, 0, 0>, stride = array<i64: 1, 1, 1, 1, 1>} : (tensor<3x4x64x2x16xbf16>) -> tensor<1x4x64x2x16xbf16>
  %2 = train.reshape %1 : (tensor<1x4x64x2x16xbf16>) -> tensor<4x64x2x16xbf16>
  %3 = train.slice %0 {limit = array<i64: 2, 4, 64, 2, 16>, start = array<i64: 1, 0, 0, 0, 0>, stride = array<i64: 1, 1, 1, 1, 1>} : (tensor<3x4x64x2x16xbf16>) -> tensor<1x4x64x2x16xbf16>
  %4 = train.reshape %3 : (tensor<1x4x64x2x16xbf16>) -> tensor<4x64x2x16xbf16>
  %5 = train.slice %0 {limit = array<i64: 3, 4, 64, 2, 16>, start = array<i64: 2, 0, 0, 0, 0>, stride = array<i64: 1, 1, 1, 1, 1>} : (tensor<3x4x64x2x16xbf16>) -> tensor<1x4x64x2x16xbf16>
  %6 = train.reshape %5 : (tensor<1x4x64x2x16xbf16>) -> tensor<4x64x2x16xbf16>
  %result, %lse = train.attention %2, %4, %6 {after = 0 : i64, fill = -3.4028234663852886E+38 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0>, scale = 2.500000e-01 : f64} : (tensor<4x64x2x16xbf16>, tensor<4x64x2x16xbf16>, tensor<4x64x2x16xbf16>) -> (tensor<4x64x2x16xbf16>, tensor<4x64x2xf32>)
  return %result, %lse : tensor<4x64x2x16xbf16>, tensor<4x64x2xf32>
}
func.func @dot_general_8467e207b1ffae2e(%arg0: tensor<4x64xf32>, %arg1: tensor<4x64x4xbf16>) -> tensor<4x64x4x24xbf16> {
  %0 = train.convert %arg0 : (tensor<4x64xf32>) -> tensor<4x64xi32>
  %1 = train.iota  {dim = 2 : i64} : () -> tensor<1x1x24xi32>
  %2 = train.broadcast_in_dim %0 {dims = array<i64: 0, 1>} : (tensor<4x64xi32>) -> tensor<4x64x24xi32>
  %3 = train.broadcast_in_dim %1 {dims = array<i64: 0, 1, 2>} : (tensor<1x1x24xi32>) -> tensor<4x64x24xi32>
  %4 = train.compare %2, %3 {direction = #train<compare_direction EQ>} : (tensor<4x64x24xi32>, tensor<4x64x24xi32>) -> tensor<4x64x24xi1>
  %5 = train.convert %4 : (tensor<4x64x24xi1>) -> tensor<4x64x24xbf16>
  %6 = train.dot_general %arg1, %5 {lhs_batching = array<i64: 0, 1>, lhs_contracting = array<i64>, rhs_batching = array<i64: 0, 1>, rhs_contracting = array<i64>} : (tensor<4x64x4xbf16>, tensor<4x64x24xbf16>) -> tensor<4x64x4x24xf32>
  %7 = train.convert %6 : (tensor<4x64x4x24xf32>) -> tensor<4x64x4x24xbf16>
  return %7 : tensor<4x64x4x24xbf16>
}
func.func @attention_b56d5a63c28fe9b8(%arg0: tensor<2x64x3x4x16xf16>) -> (tensor<2x64x4x16xf16>, tensor<2x64x4xf32>) {
  %0 = train.transpose %arg0 {permutation = array<i64: 2, 0, 1, 3, 4>} : (tensor<2x64x3x4x16xf16>) -> tensor<3x2x64x4x16xf16>
  %1 = train.slice %0 {limit = array<i64: 1, 2, 64, 4, 16>, start = array<i64: 0, 0, 0, 0, 0>, stride = array<i64: 1, 1, 1, 1, 1>} : (tensor<3x2x64x4x16xf16>) -> tensor<1x2x64x4x16xf16>
  %2 = train.reshape %1 : (tensor<1x2x64x4x16xf16>) -> tensor<2x64x4x16xf16>
  %3 = train.slice %0 {limit = array<i64: 2, 2, 64, 4, 16>, start = array<i64: 1, 0, 0, 0, 0>, stride = array<i64: 1, 1, 1, 1, 1>} : (tensor<3x2x64x4x16xf16>) -> tensor<1x2x64x4x16xf16>
  %4 = train.reshape %3 : (tensor<1x2x64x4x16xf16>) -> tensor<2x64x4x16xf16>
  %5 = train.slice %0 {limit = array<i64: 3, 2, 64, 4, 16>, start = array<i64: 2, 0, 0, 0, 0>, stride = array<i64: 1, 1, 1, 1, 1>} : (tensor<3x2x64x4x16xf16>) -> tensor<1x2x64x4x16xf16>
  %6 = train.reshape %5 : (tensor<1x2x64x4x16xf16>) -> tensor<2x64x4x16xf16>
  %result, %lse = train.attention %2, %4, %6 {after = 0 : i64, fill = -3.4028234663852886E+38 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0>, scale = 2.500000e-01 : f64} : (tensor<2x64x4x16xf16>, tensor<2x64x4x16xf16>, tensor<2x64x4x16xf16>) -> (tensor<2x64x4x16xf16>, tensor<2x64x4xf32>)
  return %result, %lse : tensor<2x64x4x16xf16>, tensor<2x64x4xf32>
}
func.func @dot_general_a43f75600bf7adb7(%arg0: tensor<2x64xf32>, %arg1: tensor<2x64x8xf16>) -> tensor<2x64x8x24xf16> {
  %0 = train.convert %arg0 : (tensor<2x64xf32>) -> tensor<2x64xi32>
  %1 = train.iota  {dim = 2 : i64} : () -> tensor<1x1x24xi32>
  %2 = train.broadcast_in_dim %0 {dims = array<i64: 0, 1>} : (tensor<2x64xi32>) -> tensor<2x64x24xi32>
  %3 = train.broadcast_in_dim %1 {dims = array<i64: 0, 1, 2>} : (tensor<1x1x24xi32>) -> tensor<2x64x24xi32>
  %4 = train.compare %2, %3 {direction = #train<compare_direction EQ>} : (tensor<2x64x24xi32>, tensor<2x64x24xi32>) -> tensor<2x64x24xi1>
  %5 = train.convert %4 : (tensor<2x64x24xi1>) -> tensor<2x64x24xf16>
  %6 = train.dot_general %arg1, %5 {lhs_batching = array<i64: 0, 1>, lhs_contracting = array<i64>, rhs_batching = array<i64: 0, 1>, rhs_contracting = array<i64>} : (tensor<2x64x8xf16>, tensor<2x64x24xf16>) -> tensor<2x64x8x24xf32>
  %7 = train.convert %6 : (tensor<2x64x8x24xf32>) -> tensor<2x64x8x24xf16>
  return %7 : tensor<2x64x8x24xf16>
}
func.func @reduce_9faa08a548710b89(%arg0: tensor<2xi32>, %arg1: tensor<4x2x8xf32>) -> tensor<4x8xf32> {
  %0 = train.constant dense<1> : tensor<i32>
  %1 = train.slice %arg0 {limit = array<i64: 2>, start = array<i64: 1>, stride = array<i64: 1>} : (tensor<2xi32>) -> tensor<1xi32>
  %2 = train.reshape %1 : (tensor<1xi32>) -> tensor<i32>
  %3 = train.multiply %2, %0 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %4 = train.iota  {dim = 0 : i64} : () -> tensor<2xi32>
  %5 = train.broadcast_in_dim %3 {dims = array<i64>} : (tensor<i32>) -> tensor<2xi32>
  %6 = train.compare %4, %5 {direction = #train<compare_direction LT>} : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
  %7 = train.broadcast_in_dim %6 {dims = array<i64: 1>} : (tensor<2xi1>) -> tensor<4x2x8xi1>
  %8 = train.constant dense<0.000000e+00> : tensor<4x2x8xf32>
  %9 = train.select %7, %arg1, %8 : (tensor<4x2x8xi1>, tensor<4x2x8xf32>, tensor<4x2x8xf32>) -> tensor<4x2x8xf32>
  %10 = train.reduce %9 {dims = array<i64: 1>, kind = #train<reduce_kind add>} : (tensor<4x2x8xf32>) -> tensor<4x8xf32>
  return %10 : tensor<4x8xf32>
}
func.func @reduce_6fd9e4a6f1b45b1a(%arg0: tensor<4x8xf32>, %arg1: tensor<4x32x8xf32>, %arg2: tensor<4x32x8xf32>, %arg3: tensor<4x32x8xf32>) -> (tensor<4x32xi32>, tensor<4x32x8xf32>) {
  %0 = train.broadcast_in_dim %arg0 {dims = array<i64: 0, 2>} : (tensor<4x8xf32>) -> tensor<4x32x8xf32>
  %1 = train.add %0, %arg1 : (tensor<4x32x8xf32>, tensor<4x32x8xf32>) -> tensor<4x32x8xf32>
  %2 = train.multiply %1, %arg2 : (tensor<4x32x8xf32>, tensor<4x32x8xf32>) -> tensor<4x32x8xf32>
  %3 = train.subtract %2, %arg2 : (tensor<4x32x8xf32>, tensor<4x32x8xf32>) -> tensor<4x32x8xf32>
  %4 = train.constant dense<2.400000e+01> : tensor<f32>
  %5 = train.broadcast_in_dim %4 {dims = array<i64>} : (tensor<f32>) -> tensor<4x32x8xf32>
  %6 = train.compare %3, %5 {direction = #train<compare_direction LT>} : (tensor<4x32x8xf32>, tensor<4x32x8xf32>) -> tensor<4x32x8xi1>
  %7 = train.convert %6 : (tensor<4x32x8xi1>) -> tensor<4x32x8xf32>
  %8 = train.multiply %arg2, %7 : (tensor<4x32x8xf32>, tensor<4x32x8xf32>) -> tensor<4x32x8xf32>
  %9 = train.multiply %3, %8 : (tensor<4x32x8xf32>, tensor<4x32x8xf32>) -> tensor<4x32x8xf32>
  %10 = train.reduce %9 {dims = array<i64: 2>, kind = #train<reduce_kind add>} : (tensor<4x32x8xf32>) -> tensor<4x32xf32>
  %11 = train.convert %10 : (tensor<4x32xf32>) -> tensor<4x32xi32>
  %12 = train.multiply %arg3, %8 : (tensor<4x32x8xf32>, tensor<4x32x8xf32>) -> tensor<4x32x8xf32>
  return %11, %12 : tensor<4x32xi32>, tensor<4x32x8xf32>
}
func.func @reduce_4f181c1967d6b189(%arg0: tensor<32x8x8x16xf32>, %arg1: tensor<16xf32>, %arg2: tensor<16xf32>) -> (tensor<32x8x8x16xf32>, tensor<16xf32>, tensor<32x8x8x16xf32>) {
  %0 = train.reduce %arg0 {dims = array<i64: 0, 1, 2>, kind = #train<reduce_kind add>} : (tensor<32x8x8x16xf32>) -> tensor<16xf32>
  %1 = train.constant dense<2.048000e+03> : tensor<f32>
  %2 = train.broadcast_in_dim %1 {dims = array<i64>} : (tensor<f32>) -> tensor<16xf32>
  %3 = train.divide %0, %2 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %4 = train.broadcast_in_dim %3 {dims = array<i64: 3>} : (tensor<16xf32>) -> tensor<32x8x8x16xf32>
  %5 = train.subtract %arg0, %4 : (tensor<32x8x8x16xf32>, tensor<32x8x8x16xf32>) -> tensor<32x8x8x16xf32>
  %6 = train.multiply %5, %5 : (tensor<32x8x8x16xf32>, tensor<32x8x8x16xf32>) -> tensor<32x8x8x16xf32>
  %7 = train.reduce %6 {dims = array<i64: 0, 1, 2>, kind = #train<reduce_kind add>} : (tensor<32x8x8x16xf32>) -> tensor<16xf32>
  %8 = train.divide %7, %2 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %9 = train.constant dense<9.99999974E-6> : tensor<f32>
  %10 = train.broadcast_in_dim %9 {dims = array<i64>} : (tensor<f32>) -> tensor<16xf32>
  %11 = train.add %8, %10 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %12 = train.rsqrt %11 : (tensor<16xf32>) -> tensor<16xf32>
  %13 = train.broadcast_in_dim %12 {dims = array<i64: 3>} : (tensor<16xf32>) -> tensor<32x8x8x16xf32>
  %14 = train.multiply %5, %13 : (tensor<32x8x8x16xf32>, tensor<32x8x8x16xf32>) -> tensor<32x8x8x16xf32>
  %15 = train.broadcast_in_dim %arg1 {dims = array<i64: 3>} : (tensor<16xf32>) -> tensor<32x8x8x16xf32>
  %16 = train.multiply %14, %15 : (tensor<32x8x8x16xf32>, tensor<32x8x8x16xf32>) -> tensor<32x8x8x16xf32>
  %17 = train.broadcast_in_dim %arg2 {dims = array<i64: 3>} : (tensor<16xf32>) -> tensor<32x8x8x16xf32>
  %18 = train.add %16, %17 : (tensor<32x8x8x16xf32>, tensor<32x8x8x16xf32>) -> tensor<32x8x8x16xf32>
  %19 = train.constant dense<0.000000e+00> : tensor<f32>
  %20 = train.broadcast_in_dim %19 {dims = array<i64>} : (tensor<f32>) -> tensor<32x8x8x16xf32>
  %21 = train.compare %18, %20 {direction = #train<compare_direction LE>} : (tensor<32x8x8x16xf32>, tensor<32x8x8x16xf32>) -> tensor<32x8x8x16xi1>
  %22 = train.select %21, %20, %18 : (tensor<32x8x8x16xi1>, tensor<32x8x8x16xf32>, tensor<32x8x8x16xf32>) -> tensor<32x8x8x16xf32>
  return %5, %12, %22 : tensor<32x8x8x16xf32>, tensor<16xf32>, tensor<32x8x8x16xf32>
}
func.func @convolution_325e95bd7b77309b(%arg0: tensor<32xf32>, %arg1: tensor<32x4x4x32xf32>, %arg2: tensor<32xf32>, %arg3: tensor<32xf32>, %arg4: tensor<32x8x8x16xf32>, %arg5: tensor<1x1x16x32xf32>) -> (tensor<32x4x4x32xi1>, tensor<32x4x4x32xf32>) {
  %0 = train.constant dense<0.000000e+00> : tensor<f32>
  %1 = train.broadcast_in_dim %0 {dims = array<i64>} : (tensor<f32>) -> tensor<32x4x4x32xf32>
  %2 = train.broadcast_in_dim %arg0 {dims = array<i64: 3>} : (tensor<32xf32>) -> tensor<32x4x4x32xf32>
  %3 = train.multiply %arg1, %2 : (tensor<32x4x4x32xf32>, tensor<32x4x4x32xf32>) -> tensor<32x4x4x32xf32>
  %4 = train.broadcast_in_dim %arg2 {dims = array<i64: 3>} : (tensor<32xf32>) -> tensor<32x4x4x32xf32>
  %5 = train.multiply %3, %4 : (tensor<32x4x4x32xf32>, tensor<32x4x4x32xf32>) -> tensor<32x4x4x32xf32>
  %6 = train.broadcast_in_dim %arg3 {dims = array<i64: 3>} : (tensor<32xf32>) -> tensor<32x4x4x32xf32>
  %7 = train.add %5, %6 : (tensor<32x4x4x32xf32>, tensor<32x4x4x32xf32>) -> tensor<32x4x4x32xf32>
  %8 = train.convolution %arg4, %arg5 {input_dims = array<i64: 0, 3, 1, 2>, kernel_dims = array<i64: 2, 3, 0, 1>, lhs_dilation = array<i64: 1, 1>, output_dims = array<i64: 0, 3, 1, 2>, pad_high = array<i64: 0, 0>, pad_low = array<i64: 0, 0>, reversal = array<i1: false, false>, rhs_dilation = array<i64: 1, 1>, strides = array<i64: 2, 2>} : (tensor<32x8x8x16xf32>, tensor<1x1x16x32xf32>) -> tensor<32x4x4x32xf32>
  %9 = train.add %8, %7 : (tensor<32x4x4x32xf32>, tensor<32x4x4x32xf32>) -> tensor<32x4x4x32xf32>
  %10 = train.compare %9, %1 {direction = #train<compare_direction LE>} : (tensor<32x4x4x32xf32>, tensor<32x4x4x32xf32>) -> tensor<32x4x4x32xi1>
  %11 = train.select %10, %1, %9 : (tensor<32x4x4x32xi1>, tensor<32x4x4x32xf32>, tensor<32x4x4x32xf32>) -> tensor<32x4x4x32xf32>
  return %10, %11 : tensor<32x4x4x32xi1>, tensor<32x4x4x32xf32>
}
func.func @convolution_cdda39d42f0761e9(%arg0: tensor<32xf32>, %arg1: tensor<16x2x4x32xf32>, %arg2: tensor<32xf32>, %arg3: tensor<32xf32>, %arg4: tensor<16x4x8x16xf32>, %arg5: tensor<1x1x16x32xf32>) -> (tensor<16x2x4x32xi1>, tensor<16x2x4x32xf32>) {
  %0 = train.constant dense<0.000000e+00> : tensor<f32>
  %1 = train.broadcast_in_dim %0 {dims = array<i64>} : (tensor<f32>) -> tensor<16x2x4x32xf32>
  %2 = train.broadcast_in_dim %arg0 {dims = array<i64: 3>} : (tensor<32xf32>) -> tensor<16x2x4x32xf32>
  %3 = train.multiply %arg1, %2 : (tensor<16x2x4x32xf32>, tensor<16x2x4x32xf32>) -> tensor<16x2x4x32xf32>
  %4 = train.broadcast_in_dim %arg2 {dims = array<i64: 3>} : (tensor<32xf32>) -> tensor<16x2x4x32xf32>
  %5 = train.multiply %3, %4 : (tensor<16x2x4x32xf32>, tensor<16x2x4x32xf32>) -> tensor<16x2x4x32xf32>
  %6 = train.broadcast_in_dim %arg3 {dims = array<i64: 3>} : (tensor<32xf32>) -> tensor<16x2x4x32xf32>
  %7 = train.add %5, %6 : (tensor<16x2x4x32xf32>, tensor<16x2x4x32xf32>) -> tensor<16x2x4x32xf32>
  %8 = train.slice %arg4 {limit = array<i64: 16, 3, 8, 16>, start = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1, 1, 1>} : (tensor<16x4x8x16xf32>) -> tensor<16x3x8x16xf32>
  %9 = train.convolution %8, %arg5 {input_dims = array<i64: 0, 3, 1, 2>, kernel_dims = array<i64: 2, 3, 0, 1>, lhs_dilation = array<i64: 1, 1>, output_dims = array<i64: 0, 3, 1, 2>, pad_high = array<i64: 0, 0>, pad_low = array<i64: 0, 0>, reversal = array<i1: false, false>, rhs_dilation = array<i64: 1, 1>, strides = array<i64: 2, 2>} : (tensor<16x3x8x16xf32>, tensor<1x1x16x32xf32>) -> tensor<16x2x4x32xf32>
  %10 = train.add %9, %7 : (tensor<16x2x4x32xf32>, tensor<16x2x4x32xf32>) -> tensor<16x2x4x32xf32>
  %11 = train.compare %10, %1 {direction = #train<compare_direction LE>} : (tensor<16x2x4x32xf32>, tensor<16x2x4x32xf32>) -> tensor<16x2x4x32xi1>
  %12 = train.select %11, %1, %10 : (tensor<16x2x4x32xi1>, tensor<16x2x4x32xf32>, tensor<16x2x4x32xf32>) -> tensor<16x2x4x32xf32>
  return %11, %12 : tensor<16x2x4x32xi1>, tensor<16x2x4x32xf32>
}
func.func @multiply_54281c1af1c89481(%arg0: tensor<2xi32>, %arg1: tensor<16x8x8x1xf32>) -> tensor<16x4x8x1xbf16> {
  %0 = train.constant dense<0> : tensor<i32>
  %1 = train.constant dense<4> : tensor<i32>
  %2 = train.slice %arg0 {limit = array<i64: 2>, start = array<i64: 1>, stride = array<i64: 1>} : (tensor<2xi32>) -> tensor<1xi32>
  %3 = train.reshape %2 : (tensor<1xi32>) -> tensor<i32>
  %4 = train.multiply %3, %1 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %5 = train.convert %arg1 : (tensor<16x8x8x1xf32>) -> tensor<16x8x8x1xbf16>
  %6 = train.dynamic_slice %5, %0, %4, %0, %0 {sizes = array<i64: 16, 4, 8, 1>} : (tensor<16x8x8x1xbf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<16x4x8x1xbf16>
  return %6 : tensor<16x4x8x1xbf16>
}
func.func @convolution_c8f3011f4e9948f2(%arg0: tensor<4x3x1x16xbf16>, %arg1: tensor<16x6x8x1xbf16>) -> tensor<16x4x8x16xbf16> {
  %0 = train.slice %arg0 {limit = array<i64: 3, 3, 1, 16>, start = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1, 1, 1>} : (tensor<4x3x1x16xbf16>) -> tensor<3x3x1x16xbf16>
  %1 = train.convolution %arg1, %0 {input_dims = array<i64: 0, 3, 1, 2>, kernel_dims = array<i64: 2, 3, 0, 1>, lhs_dilation = array<i64: 1, 1>, output_dims = array<i64: 0, 3, 1, 2>, pad_high = array<i64: 0, 1>, pad_low = array<i64: 0, 1>, reversal = array<i1: false, false>, rhs_dilation = array<i64: 1, 1>, strides = array<i64: 1, 1>} : (tensor<16x6x8x1xbf16>, tensor<3x3x1x16xbf16>) -> tensor<16x4x8x16xf32>
  %2 = train.convert %1 : (tensor<16x4x8x16xf32>) -> tensor<16x4x8x16xbf16>
  return %2 : tensor<16x4x8x16xbf16>
}
func.func @convolution_193ec683a5390e12(%arg0: tensor<16x3x4x32xbf16>, %arg1: tensor<3x3x16x32xbf16>, %arg2: tensor<16x4x8x16xbf16>) -> tensor<16x4x8x16xbf16> {
  %0 = train.convolution %arg0, %arg1 {input_dims = array<i64: 0, 3, 1, 2>, kernel_dims = array<i64: 3, 2, 0, 1>, lhs_dilation = array<i64: 2, 2>, output_dims = array<i64: 0, 3, 1, 2>, pad_high = array<i64: 1, 1>, pad_low = array<i64: 0, 2>, reversal = array<i1: true, true>, rhs_dilation = array<i64: 1, 1>, strides = array<i64: 1, 1>} : (tensor<16x3x4x32xbf16>, tensor<3x3x16x32xbf16>) -> tensor<16x4x8x16xf32>
  %1 = train.convert %0 : (tensor<16x4x8x16xf32>) -> tensor<16x4x8x16xbf16>
  %2 = train.add %arg2, %1 : (tensor<16x4x8x16xbf16>, tensor<16x4x8x16xbf16>) -> tensor<16x4x8x16xbf16>
  return %2 : tensor<16x4x8x16xbf16>
}
func.func @convolution_a73a7d0921a3cdbd(%arg0: tensor<16x4x8x16xbf16>, %arg1: tensor<16xf32>, %arg2: tensor<16x6x8x1xbf16>) -> tensor<3x3x1x16xf32> {
  %0 = train.convert %arg0 : (tensor<16x4x8x16xbf16>) -> tensor<16x4x8x16xf32>
  %1 = train.broadcast_in_dim %arg1 {dims = array<i64: 3>} : (tensor<16xf32>) -> tensor<16x4x8x16xf32>
  %2 = train.add %0, %1 : (tensor<16x4x8x16xf32>, tensor<16x4x8x16xf32>) -> tensor<16x4x8x16xf32>
  %3 = train.convert %2 : (tensor<16x4x8x16xf32>) -> tensor<16x4x8x16xbf16>
  %4 = train.convolution %arg2, %3 {input_dims = array<i64: 3, 0, 1, 2>, kernel_dims = array<i64: 0, 3, 1, 2>, lhs_dilation = array<i64: 1, 1>, output_dims = array<i64: 2, 3, 0, 1>, pad_high = array<i64: 0, 1>, pad_low = array<i64: 0, 1>, reversal = array<i1: false, false>, rhs_dilation = array<i64: 1, 1>, strides = array<i64: 1, 1>} : (tensor<16x6x8x1xbf16>, tensor<16x4x8x16xbf16>) -> tensor<3x3x1x16xf32>
  return %4 : tensor<3x3x1x16xf32>
}
func.func @convolution_78826618746a11e6(%arg0: tensor<32xf32>, %arg1: tensor<16x2x4x32xf32>, %arg2: tensor<32xf32>, %arg3: tensor<32xf32>, %arg4: tensor<32xf32>, %arg5: tensor<16x4x8x16xf32>, %arg6: tensor<1x1x16x32xf32>) -> (tensor<16x2x4x32xf32>, tensor<16x2x4x32xf32>) {
  %0 = train.constant dense<0.000000e+00> : tensor<f32>
  %1 = train.broadcast_in_dim %0 {dims = array<i64>} : (tensor<f32>) -> tensor<16x2x4x32xf32>
  %2 = train.broadcast_in_dim %arg0 {dims = array<i64: 3>} : (tensor<32xf32>) -> tensor<16x2x4x32xf32>
  %3 = train.subtract %arg1, %2 : (tensor<16x2x4x32xf32>, tensor<16x2x4x32xf32>) -> tensor<16x2x4x32xf32>
  %4 = train.broadcast_in_dim %arg2 {dims = array<i64: 3>} : (tensor<32xf32>) -> tensor<16x2x4x32xf32>
  %5 = train.multiply %3, %4 : (tensor<16x2x4x32xf32>, tensor<16x2x4x32xf32>) -> tensor<16x2x4x32xf32>
  %6 = train.broadcast_in_dim %arg3 {dims = array<i64: 3>} : (tensor<32xf32>) -> tensor<16x2x4x32xf32>
  %7 = train.multiply %5, %6 : (tensor<16x2x4x32xf32>, tensor<16x2x4x32xf32>) -> tensor<16x2x4x32xf32>
  %8 = train.broadcast_in_dim %arg4 {dims = array<i64: 3>} : (tensor<32xf32>) -> tensor<16x2x4x32xf32>
  %9 = train.add %7, %8 : (tensor<16x2x4x32xf32>, tensor<16x2x4x32xf32>) -> tensor<16x2x4x32xf32>
  %10 = train.slice %arg5 {limit = array<i64: 16, 3, 8, 16>, start = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1, 1, 1>} : (tensor<16x4x8x16xf32>) -> tensor<16x3x8x16xf32>
  %11 = train.convolution %10, %arg6 {input_dims = array<i64: 0, 3, 1, 2>, kernel_dims = array<i64: 2, 3, 0, 1>, lhs_dilation = array<i64: 1, 1>, output_dims = array<i64: 0, 3, 1, 2>, pad_high = array<i64: 0, 0>, pad_low = array<i64: 0, 0>, reversal = array<i1: false, false>, rhs_dilation = array<i64: 1, 1>, strides = array<i64: 2, 2>} : (tensor<16x3x8x16xf32>, tensor<1x1x16x32xf32>) -> tensor<16x2x4x32xf32>
  %12 = train.add %11, %9 : (tensor<16x2x4x32xf32>, tensor<16x2x4x32xf32>) -> tensor<16x2x4x32xf32>
  %13 = train.compare %12, %1 {direction = #train<compare_direction LE>} : (tensor<16x2x4x32xf32>, tensor<16x2x4x32xf32>) -> tensor<16x2x4x32xi1>
  %14 = train.select %13, %1, %12 : (tensor<16x2x4x32xi1>, tensor<16x2x4x32xf32>, tensor<16x2x4x32xf32>) -> tensor<16x2x4x32xf32>
  return %12, %14 : tensor<16x2x4x32xf32>, tensor<16x2x4x32xf32>
}
func.func @reduce_a0161d60b8955ffe(%arg0: tensor<1xi32>, %arg1: tensor<32x3x8x16xf32>) -> tensor<16xf32> {
  %0 = train.constant dense<3> : tensor<i32>
  %1 = train.slice %arg0 {limit = array<i64: 1>, start = array<i64: 0>, stride = array<i64: 1>} : (tensor<1xi32>) -> tensor<1xi32>
  %2 = train.reshape %1 : (tensor<1xi32>) -> tensor<i32>
  %3 = train.multiply %2, %0 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %4 = train.constant dense<0.000000e+00> : tensor<32x3x8x16xf32>
  %5 = train.iota %3 {dim = 0 : i64} : (tensor<i32>) -> tensor<3xi32>
  %6 = train.constant dense<8> : tensor<3xi32>
  %7 = train.compare %5, %6 {direction = #train<compare_direction LT>} : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
  %8 = train.broadcast_in_dim %7 {dims = array<i64: 1>} : (tensor<3xi1>) -> tensor<32x3x8x16xi1>
  %9 = train.select %8, %arg1, %4 : (tensor<32x3x8x16xi1>, tensor<32x3x8x16xf32>, tensor<32x3x8x16xf32>) -> tensor<32x3x8x16xf32>
  %10 = train.reduce %9 {dims = array<i64: 0, 1, 2>, kind = #train<reduce_kind add>} : (tensor<32x3x8x16xf32>) -> tensor<16xf32>
  %11 = train.constant dense<2.048000e+03> : tensor<f32>
  %12 = train.broadcast_in_dim %11 {dims = array<i64>} : (tensor<f32>) -> tensor<16xf32>
  %13 = train.divide %10, %12 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  return %13 : tensor<16xf32>
}
func.func @convolution_a4c0a465b81baa26(%arg0: tensor<1xi32>, %arg1: tensor<33xf32>, %arg2: tensor<32x2x4x32xf32>, %arg3: tensor<33xf32>, %arg4: tensor<33xf32>, %arg5: tensor<33xf32>, %arg6: tensor<1x1x16x33xf32>, %arg7: tensor<32x3x8x16xf32>) -> tensor<32x2x4x32xf32> {
  %0 = train.constant dense<2> : tensor<i32>
  %1 = train.slice %arg0 {limit = array<i64: 1>, start = array<i64: 0>, stride = array<i64: 1>} : (tensor<1xi32>) -> tensor<1xi32>
  %2 = train.reshape %1 : (tensor<1xi32>) -> tensor<i32>
  %3 = train.multiply %2, %0 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %4 = train.constant dense<0.000000e+00> : tensor<f32>
  %5 = train.broadcast_in_dim %4 {dims = array<i64>} : (tensor<f32>) -> tensor<32x2x4x32xf32>
  %6 = train.slice %arg1 {limit = array<i64: 32>, start = array<i64: 0>, stride = array<i64: 1>} : (tensor<33xf32>) -> tensor<32xf32>
  %7 = train.broadcast_in_dim %6 {dims = array<i64: 3>} : (tensor<32xf32>) -> tensor<32x2x4x32xf32>
  %8 = train.subtract %arg2, %7 : (tensor<32x2x4x32xf32>, tensor<32x2x4x32xf32>) -> tensor<32x2x4x32xf32>
  %9 = train.slice %arg3 {limit = array<i64: 32>, start = array<i64: 0>, stride = array<i64: 1>} : (tensor<33xf32>) -> tensor<32xf32>
  %10 = train.broadcast_in_dim %9 {dims = array<i64: 3>} : (tensor<32xf32>) -> tensor<32x2x4x32xf32>
  %11 = train.multiply %8, %10 : (tensor<32x2x4x32xf32>, tensor<32x2x4x32xf32>) -> tensor<32x2x4x32xf32>
  %12 = train.slice %arg4 {limit = array<i64: 32>, start = array<i64: 0>, stride = array<i64: 1>} : (tensor<33xf32>) -> tensor<32xf32>
  %13 = train.broadcast_in_dim %12 {dims = array<i64: 3>} : (tensor<32xf32>) -> tensor<32x2x4x32xf32>
  %14 = train.multiply %11, %13 : (tensor<32x2x4x32xf32>, tensor<32x2x4x32xf32>) -> tensor<32x2x4x32xf32>
  %15 = train.slice %arg5 {limit = array<i64: 32>, start = array<i64: 0>, stride = array<i64: 1>} : (tensor<33xf32>) -> tensor<32xf32>
  %16 = train.broadcast_in_dim %15 {dims = array<i64: 3>} : (tensor<32xf32>) -> tensor<32x2x4x32xf32>
  %17 = train.add %14, %16 : (tensor<32x2x4x32xf32>, tensor<32x2x4x32xf32>) -> tensor<32x2x4x32xf32>
  %18 = train.slice %arg6 {limit = array<i64: 1, 1, 16, 32>, start = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1, 1, 1>} : (tensor<1x1x16x33xf32>) -> tensor<1x1x16x32xf32>
  %19 = train.convolution %arg7, %18 {input_dims = array<i64: 0, 3, 1, 2>, kernel_dims = array<i64: 2, 3, 0, 1>, lhs_dilation = array<i64: 1, 1>, output_dims = array<i64: 0, 3, 1, 2>, pad_high = array<i64: 0, 0>, pad_low = array<i64: 0, 0>, reversal = array<i1: false, false>, rhs_dilation = array<i64: 1, 1>, strides = array<i64: 2, 2>} : (tensor<32x3x8x16xf32>, tensor<1x1x16x32xf32>) -> tensor<32x2x4x32xf32>
  %20 = train.add %19, %17 : (tensor<32x2x4x32xf32>, tensor<32x2x4x32xf32>) -> tensor<32x2x4x32xf32>
  %21 = train.compare %20, %5 {direction = #train<compare_direction LE>} : (tensor<32x2x4x32xf32>, tensor<32x2x4x32xf32>) -> tensor<32x2x4x32xi1>
  %22 = train.select %21, %5, %20 : (tensor<32x2x4x32xi1>, tensor<32x2x4x32xf32>, tensor<32x2x4x32xf32>) -> tensor<32x2x4x32xf32>
  %23 = train.iota %3 {dim = 0 : i64} : (tensor<i32>) -> tensor<2xi32>
  %24 = train.constant dense<4> : tensor<2xi32>
  %25 = train.compare %23, %24 {direction = #train<compare_direction LT>} : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
  %26 = train.broadcast_in_dim %25 {dims = array<i64: 1>} : (tensor<2xi1>) -> tensor<32x2x4x32xi1>
  %27 = train.constant dense<0.000000e+00> : tensor<32x2x4x32xf32>
  %28 = train.select %26, %22, %27 : (tensor<32x2x4x32xi1>, tensor<32x2x4x32xf32>, tensor<32x2x4x32xf32>) -> tensor<32x2x4x32xf32>
  %29 = train.constant dense<0xFF800000> : tensor<32x2x4x32xf32>
  %30 = train.iota %3 {dim = 0 : i64} : (tensor<i32>) -> tensor<2xi32>
  %31 = train.constant dense<4> : tensor<2xi32>
  %32 = train.compare %30, %31 {direction = #train<compare_direction LT>} : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
  %33 = train.broadcast_in_dim %32 {dims = array<i64: 1>} : (tensor<2xi1>) -> tensor<32x2x4x32xi1>
  %34 = train.select %33, %28, %29 : (tensor<32x2x4x32xi1>, tensor<32x2x4x32xf32>, tensor<32x2x4x32xf32>) -> tensor<32x2x4x32xf32>
  return %34 : tensor<32x2x4x32xf32>
}
func.func @reduce_d8936dab9643eff8(%arg0: tensor<4x9xf32>, %arg1: tensor<4x9xf32>) -> (tensor<4x9x2xui16>, tensor<4x9x4xf32>) {
  %0 = train.iota  {dim = 2 : i64} : () -> tensor<4x9x4xui32>
  %1 = train.constant dense<8> : tensor<ui32>
  %2 = train.broadcast_in_dim %1 {dims = array<i64>} : (tensor<ui32>) -> tensor<4x9x4xui32>
  %3 = train.multiply %0, %2 : (tensor<4x9x4xui32>, tensor<4x9x4xui32>) -> tensor<4x9x4xui32>
  %4 = train.bitcast_convert %arg0 : (tensor<4x9xf32>) -> tensor<4x9xui32>
  %5 = train.broadcast_in_dim %4 {dims = array<i64: 0, 1>} : (tensor<4x9xui32>) -> tensor<4x9x4xui32>
  %6 = train.shift_right_logical %5, %3 : (tensor<4x9x4xui32>, tensor<4x9x4xui32>) -> tensor<4x9x4xui32>
  %7 = train.constant dense<255> : tensor<ui32>
  %8 = train.broadcast_in_dim %7 {dims = array<i64>} : (tensor<ui32>) -> tensor<4x9x4xui32>
  %9 = train.and %6, %8 : (tensor<4x9x4xui32>, tensor<4x9x4xui32>) -> tensor<4x9x4xui32>
  %10 = train.convert %9 : (tensor<4x9x4xui32>) -> tensor<4x9x4xui8>
  %11 = train.reshape %10 : (tensor<4x9x4xui8>) -> tensor<4x9x2x2xui8>
  %12 = train.iota  {dim = 3 : i64} : () -> tensor<4x9x2x2xui16>
  %13 = train.constant dense<8> : tensor<ui16>
  %14 = train.broadcast_in_dim %13 {dims = array<i64>} : (tensor<ui16>) -> tensor<4x9x2x2xui16>
  %15 = train.multiply %12, %14 : (tensor<4x9x2x2xui16>, tensor<4x9x2x2xui16>) -> tensor<4x9x2x2xui16>
  %16 = train.convert %11 : (tensor<4x9x2x2xui8>) -> tensor<4x9x2x2xui16>
  %17 = train.shift_left %16, %15 : (tensor<4x9x2x2xui16>, tensor<4x9x2x2xui16>) -> tensor<4x9x2x2xui16>
  %18 = train.reduce %17 {dims = array<i64: 3>, kind = #train<reduce_kind add>} : (tensor<4x9x2x2xui16>) -> tensor<4x9x2xui16>
  %19 = train.convert %10 : (tensor<4x9x4xui8>) -> tensor<4x9x4xf32>
  %20 = train.constant dense<2.550000e+02> : tensor<f32>
  %21 = train.broadcast_in_dim %20 {dims = array<i64>} : (tensor<f32>) -> tensor<4x9x4xf32>
  %22 = train.divide %19, %21 : (tensor<4x9x4xf32>, tensor<4x9x4xf32>) -> tensor<4x9x4xf32>
  %23 = train.broadcast_in_dim %arg1 {dims = array<i64: 0, 1>} : (tensor<4x9xf32>) -> tensor<4x9x4xf32>
  %24 = train.multiply %23, %22 : (tensor<4x9x4xf32>, tensor<4x9x4xf32>) -> tensor<4x9x4xf32>
  %25 = train.iota  {dim = 0 : i64} : () -> tensor<4xf32>
  %26 = train.constant dense<1.000000e+00> : tensor<f32>
  %27 = train.broadcast_in_dim %26 {dims = array<i64>} : (tensor<f32>) -> tensor<4xf32>
  %28 = train.add %27, %25 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %29 = train.broadcast_in_dim %28 {dims = array<i64: 2>} : (tensor<4xf32>) -> tensor<4x9x4xf32>
  %30 = train.multiply %24, %29 : (tensor<4x9x4xf32>, tensor<4x9x4xf32>) -> tensor<4x9x4xf32>
  return %18, %30 : tensor<4x9x2xui16>, tensor<4x9x4xf32>
}
func.func @reduce_a849d87e19a1950c(%arg0: tensor<4x9x2xui16>, %arg1: tensor<4x9xf32>) -> (tensor<4x9xf32>, tensor<4x9xf32>) {
  %0 = train.iota  {dim = 2 : i64} : () -> tensor<4x9x2xui32>
  %1 = train.constant dense<16> : tensor<ui32>
  %2 = train.broadcast_in_dim %1 {dims = array<i64>} : (tensor<ui32>) -> tensor<4x9x2xui32>
  %3 = train.multiply %0, %2 : (tensor<4x9x2xui32>, tensor<4x9x2xui32>) -> tensor<4x9x2xui32>
  %4 = train.convert %arg0 : (tensor<4x9x2xui16>) -> tensor<4x9x2xui32>
  %5 = train.shift_left %4, %3 : (tensor<4x9x2xui32>, tensor<4x9x2xui32>) -> tensor<4x9x2xui32>
  %6 = train.reduce %5 {dims = array<i64: 2>, kind = #train<reduce_kind add>} : (tensor<4x9x2xui32>) -> tensor<4x9xui32>
  %7 = train.bitcast_convert %6 : (tensor<4x9xui32>) -> tensor<4x9xf32>
  %8 = train.multiply %arg1, %7 : (tensor<4x9xf32>, tensor<4x9xf32>) -> tensor<4x9xf32>
  return %7, %8 : tensor<4x9xf32>, tensor<4x9xf32>
}
func.func @reduce_8d0cc41283de0998(%arg0: tensor<4x3x5xf32>, %arg1: tensor<4x3x5xf32>, %arg2: tensor<3xf32>, %arg3: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<4x3x5xf32>, tensor<4x3x5xf32>) {
  %0 = train.multiply %arg0, %arg1 : (tensor<4x3x5xf32>, tensor<4x3x5xf32>) -> tensor<4x3x5xf32>
  %1 = train.reduce %0 {dims = array<i64: 0, 2>, kind = #train<reduce_kind add>} : (tensor<4x3x5xf32>) -> tensor<3xf32>
  %2 = train.constant dense<2.000000e+01> : tensor<f32>
  %3 = train.broadcast_in_dim %2 {dims = array<i64>} : (tensor<f32>) -> tensor<3xf32>
  %4 = train.divide %1, %3 : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %5 = train.broadcast_in_dim %4 {dims = array<i64: 1>} : (tensor<3xf32>) -> tensor<4x3x5xf32>
  %6 = train.subtract %0, %5 : (tensor<4x3x5xf32>, tensor<4x3x5xf32>) -> tensor<4x3x5xf32>
  %7 = train.multiply %6, %6 : (tensor<4x3x5xf32>, tensor<4x3x5xf32>) -> tensor<4x3x5xf32>
  %8 = train.reduce %7 {dims = array<i64: 0, 2>, kind = #train<reduce_kind add>} : (tensor<4x3x5xf32>) -> tensor<3xf32>
  %9 = train.divide %8, %3 : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %10 = train.constant dense<1.000000e-03> : tensor<f32>
  %11 = train.broadcast_in_dim %10 {dims = array<i64>} : (tensor<f32>) -> tensor<3xf32>
  %12 = train.add %9, %11 : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %13 = train.sqrt %12 : (tensor<3xf32>) -> tensor<3xf32>
  %14 = train.broadcast_in_dim %13 {dims = array<i64: 1>} : (tensor<3xf32>) -> tensor<4x3x5xf32>
  %15 = train.divide %6, %14 : (tensor<4x3x5xf32>, tensor<4x3x5xf32>) -> tensor<4x3x5xf32>
  %16 = train.broadcast_in_dim %arg2 {dims = array<i64: 1>} : (tensor<3xf32>) -> tensor<4x3x5xf32>
  %17 = train.multiply %15, %16 : (tensor<4x3x5xf32>, tensor<4x3x5xf32>) -> tensor<4x3x5xf32>
  %18 = train.broadcast_in_dim %arg3 {dims = array<i64: 1>} : (tensor<3xf32>) -> tensor<4x3x5xf32>
  %19 = train.add %17, %18 : (tensor<4x3x5xf32>, tensor<4x3x5xf32>) -> tensor<4x3x5xf32>
  %20 = train.tanh %19 : (tensor<4x3x5xf32>) -> tensor<4x3x5xf32>
  %21 = train.subtract %20, %5 : (tensor<4x3x5xf32>, tensor<4x3x5xf32>) -> tensor<4x3x5xf32>
  %22 = train.divide %21, %14 : (tensor<4x3x5xf32>, tensor<4x3x5xf32>) -> tensor<4x3x5xf32>
  %23 = train.multiply %22, %18 : (tensor<4x3x5xf32>, tensor<4x3x5xf32>) -> tensor<4x3x5xf32>
  %24 = train.add %23, %16 : (tensor<4x3x5xf32>, tensor<4x3x5xf32>) -> tensor<4x3x5xf32>
  return %4, %13, %20, %24 : tensor<3xf32>, tensor<3xf32>, tensor<4x3x5xf32>, tensor<4x3x5xf32>
}
func.func @reduce_e65663dd315560e1(%arg0: tensor<2xi32>, %arg1: tensor<4x3x5xf32>, %arg2: tensor<2x3x5xf32>) -> (tensor<2x3x5xbf16>, tensor<3xf32>) {
  %0 = train.constant dense<2> : tensor<i32>
  %1 = train.slice %arg0 {limit = array<i64: 1>, start = array<i64: 0>, stride = array<i64: 1>} : (tensor<2xi32>) -> tensor<1xi32>
  %2 = train.reshape %1 : (tensor<1xi32>) -> tensor<i32>
  %3 = train.multiply %2, %0 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %4 = train.constant dense<0> : tensor<i32>
  %5 = train.dynamic_slice %arg1, %3, %4, %4 {sizes = array<i64: 2, 3, 5>} : (tensor<4x3x5xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x3x5xf32>
  %6 = train.multiply %arg2, %5 : (tensor<2x3x5xf32>, tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  %7 = train.convert %6 : (tensor<2x3x5xf32>) -> tensor<2x3x5xbf16>
  %8 = train.convert %7 : (tensor<2x3x5xbf16>) -> tensor<2x3x5xf32>
  %9 = train.reduce %8 {dims = array<i64: 0, 2>, kind = #train<reduce_kind add>} : (tensor<2x3x5xf32>) -> tensor<3xf32>
  %10 = train.constant dense<2.000000e+01> : tensor<f32>
  %11 = train.broadcast_in_dim %10 {dims = array<i64>} : (tensor<f32>) -> tensor<3xf32>
  %12 = train.divide %9, %11 : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %7, %12 : tensor<2x3x5xbf16>, tensor<3xf32>
}
func.func @reduce_21dd66fe24e0b9d7(%arg0: tensor<3x4x6xf32>) -> tensor<6x4xf32> {
  %0 = train.transpose %arg0 {permutation = array<i64: 2, 1, 0>} : (tensor<3x4x6xf32>) -> tensor<6x4x3xf32>
  %1 = train.reduce %0 {dims = array<i64: 2>, kind = #train<reduce_kind add>} : (tensor<6x4x3xf32>) -> tensor<6x4xf32>
  return %1 : tensor<6x4xf32>
}
func.func @reduce_f55917981d6f7e92(%arg0: tensor<6x4xf32>) -> tensor<6xf32> {
  %0 = train.transpose %arg0 {permutation = array<i64: 1, 0>} : (tensor<6x4xf32>) -> tensor<4x6xf32>
  %1 = train.reduce %0 {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<4x6xf32>) -> tensor<6xf32>
  return %1 : tensor<6xf32>
}
func.func @dot_general_cb6ffe6db15e9de5(%arg0: tensor<2xi32>, %arg1: tensor<3x5x3xbf16>, %arg2: tensor<2x4x5xf32>) -> tensor<2x4x3xbf16> {
  %0 = train.constant dense<2> : tensor<i32>
  %1 = train.slice %arg0 {limit = array<i64: 1>, start = array<i64: 0>, stride = array<i64: 1>} : (tensor<2xi32>) -> tensor<1xi32>
  %2 = train.reshape %1 : (tensor<1xi32>) -> tensor<i32>
  %3 = train.multiply %2, %0 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %4 = train.constant dense<0> : tensor<i32>
  %5 = train.constant dense<0.000000e+00> : tensor<bf16>
  %6 = train.pad %arg1, %5 {high = array<i64: 1, 0, 0>, interior = array<i64: 0, 0, 0>, low = array<i64: 0, 0, 0>} : (tensor<3x5x3xbf16>, tensor<bf16>) -> tensor<4x5x3xbf16>
  %7 = train.dynamic_slice %6, %3, %4, %4 {sizes = array<i64: 2, 5, 3>} : (tensor<4x5x3xbf16>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x5x3xbf16>
  %8 = train.convert %arg2 : (tensor<2x4x5xf32>) -> tensor<2x4x5xbf16>
  %9 = train.dot_general %8, %7 {lhs_batching = array<i64: 0>, lhs_contracting = array<i64: 2>, rhs_batching = array<i64: 0>, rhs_contracting = array<i64: 1>} : (tensor<2x4x5xbf16>, tensor<2x5x3xbf16>) -> tensor<2x4x3xf32>
  %10 = train.convert %9 : (tensor<2x4x3xf32>) -> tensor<2x4x3xbf16>
  return %10 : tensor<2x4x3xbf16>
}
func.func @reduce_3230de23b1289be6(%arg0: tensor<2xi32>, %arg1: tensor<2x4x3xbf16>) -> tensor<3x4xbf16> {
  %0 = train.constant dense<2> : tensor<i32>
  %1 = train.slice %arg0 {limit = array<i64: 1>, start = array<i64: 0>, stride = array<i64: 1>} : (tensor<2xi32>) -> tensor<1xi32>
  %2 = train.reshape %1 : (tensor<1xi32>) -> tensor<i32>
  %3 = train.multiply %2, %0 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %4 = train.transpose %arg1 {permutation = array<i64: 2, 1, 0>} : (tensor<2x4x3xbf16>) -> tensor<3x4x2xbf16>
  %5 = train.convert %4 : (tensor<3x4x2xbf16>) -> tensor<3x4x2xf32>
  %6 = train.constant dense<0.000000e+00> : tensor<3x4x2xf32>
  %7 = train.iota %3 {dim = 0 : i64} : (tensor<i32>) -> tensor<2xi32>
  %8 = train.constant dense<3> : tensor<2xi32>
  %9 = train.compare %7, %8 {direction = #train<compare_direction LT>} : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
  %10 = train.broadcast_in_dim %9 {dims = array<i64: 2>} : (tensor<2xi1>) -> tensor<3x4x2xi1>
  %11 = train.select %10, %5, %6 : (tensor<3x4x2xi1>, tensor<3x4x2xf32>, tensor<3x4x2xf32>) -> tensor<3x4x2xf32>
  %12 = train.reduce %11 {dims = array<i64: 2>, kind = #train<reduce_kind add>} : (tensor<3x4x2xf32>) -> tensor<3x4xf32>
  %13 = train.convert %12 : (tensor<3x4xf32>) -> tensor<3x4xbf16>
  return %13 : tensor<3x4xbf16>
}
func.func @reduce_39f00e9851dafd80(%arg0: tensor<3x4xbf16>) -> tensor<3xbf16> {
  %0 = train.transpose %arg0 {permutation = array<i64: 1, 0>} : (tensor<3x4xbf16>) -> tensor<4x3xbf16>
  %1 = train.convert %0 : (tensor<4x3xbf16>) -> tensor<4x3xf32>
  %2 = train.reduce %1 {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<4x3xf32>) -> tensor<3xf32>
  %3 = train.convert %2 : (tensor<3xf32>) -> tensor<3xbf16>
  return %3 : tensor<3xbf16>
}
func.func @dot_general_8fa31634a61e10af(%arg0: tensor<2xi32>, %arg1: tensor<3x5x6xf32>, %arg2: tensor<2x2x5xf32>) -> tensor<2x2x6xf32> {
  %0 = train.constant dense<0> : tensor<i32>
  %1 = train.constant dense<2> : tensor<i32>
  %2 = train.slice %arg0 {limit = array<i64: 1>, start = array<i64: 0>, stride = array<i64: 1>} : (tensor<2xi32>) -> tensor<1xi32>
  %3 = train.reshape %2 : (tensor<1xi32>) -> tensor<i32>
  %4 = train.multiply %3, %1 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %5 = train.constant dense<0.000000e+00> : tensor<f32>
  %6 = train.pad %arg1, %5 {high = array<i64: 1, 0, 0>, interior = array<i64: 0, 0, 0>, low = array<i64: 0, 0, 0>} : (tensor<3x5x6xf32>, tensor<f32>) -> tensor<4x5x6xf32>
  %7 = train.dynamic_slice %6, %4, %0, %0 {sizes = array<i64: 2, 5, 6>} : (tensor<4x5x6xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x5x6xf32>
  %8 = train.dot_general %arg2, %7 {lhs_batching = array<i64: 0>, lhs_contracting = array<i64: 2>, rhs_batching = array<i64: 0>, rhs_contracting = array<i64: 1>} : (tensor<2x2x5xf32>, tensor<2x5x6xf32>) -> tensor<2x2x6xf32>
  return %8 : tensor<2x2x6xf32>
}
func.func @reduce_8f15b8ec5bb66f3d(%arg0: tensor<2xi32>, %arg1: tensor<3x4x5x1xf32>, %arg2: tensor<2x7xi32>, %arg3: tensor<2x3xi32>) -> (tensor<2x2x3x7x1xbf16>, tensor<f32>) {
  %0 = train.constant dense<0> : tensor<i32>
  %1 = train.constant dense<2> : tensor<i32>
  %2 = train.slice %arg0 {limit = array<i64: 1>, start = array<i64: 0>, stride = array<i64: 1>} : (tensor<2xi32>) -> tensor<1xi32>
  %3 = train.reshape %2 : (tensor<1xi32>) -> tensor<i32>
  %4 = train.multiply %3, %1 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %5 = train.constant dense<0.000000e+00> : tensor<f32>
  %6 = train.pad %arg1, %5 {high = array<i64: 1, 0, 0, 0>, interior = array<i64: 0, 0, 0, 0>, low = array<i64: 0, 0, 0, 0>} : (tensor<3x4x5x1xf32>, tensor<f32>) -> tensor<4x4x5x1xf32>
  %7 = train.dynamic_slice %6, %4, %0, %0, %0 {sizes = array<i64: 2, 4, 5, 1>} : (tensor<4x4x5x1xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x4x5x1xf32>
  %8 = train.gather %7, %arg2 {collapsed_slice_dims = array<i64: 2>, index_vector_dim = 2 : i64, indices_batching_dims = array<i64: 0>, offset_dims = array<i64: 1, 3>, operand_batching_dims = array<i64: 0>, slice_sizes = array<i64: 1, 4, 1, 1>, start_index_map = array<i64: 2>} : (tensor<2x4x5x1xf32>, tensor<2x7xi32>) -> tensor<2x4x7x1xf32>
  %9 = train.convert %8 : (tensor<2x4x7x1xf32>) -> tensor<2x4x7x1xbf16>
  %10 = train.gather %9, %arg3 {collapsed_slice_dims = array<i64: 1>, index_vector_dim = 2 : i64, indices_batching_dims = array<i64>, offset_dims = array<i64: 0, 3, 4>, operand_batching_dims = array<i64>, slice_sizes = array<i64: 2, 1, 7, 1>, start_index_map = array<i64: 1>} : (tensor<2x4x7x1xbf16>, tensor<2x3xi32>) -> tensor<2x2x3x7x1xbf16>
  %11 = train.convert %10 : (tensor<2x2x3x7x1xbf16>) -> tensor<2x2x3x7x1xf32>
  %12 = train.multiply %11, %11 : (tensor<2x2x3x7x1xf32>, tensor<2x2x3x7x1xf32>) -> tensor<2x2x3x7x1xf32>
  %13 = train.constant dense<0.000000e+00> : tensor<2x2x3x7x1xf32>
  %14 = train.iota %4 {dim = 0 : i64} : (tensor<i32>) -> tensor<2xi32>
  %15 = train.constant dense<3> : tensor<2xi32>
  %16 = train.compare %14, %15 {direction = #train<compare_direction LT>} : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
  %17 = train.broadcast_in_dim %16 {dims = array<i64: 0>} : (tensor<2xi1>) -> tensor<2x2x3x7x1xi1>
  %18 = train.select %17, %12, %13 : (tensor<2x2x3x7x1xi1>, tensor<2x2x3x7x1xf32>, tensor<2x2x3x7x1xf32>) -> tensor<2x2x3x7x1xf32>
  %19 = train.reduce %18 {dims = array<i64: 0, 1, 2, 3, 4>, kind = #train<reduce_kind add>} : (tensor<2x2x3x7x1xf32>) -> tensor<f32>
  return %10, %19 : tensor<2x2x3x7x1xbf16>, tensor<f32>
}
func.func @reduce_d9711b512d4f23f1(%arg0: tensor<4x5xf32>, %arg1: tensor<4x5xf32>) -> (tensor<4x5xf32>, tensor<4x5xf32>, tensor<f32>) {
  %0 = train.constant dense<2.000000e+00> : tensor<f32>
  %1 = train.broadcast_in_dim %0 {dims = array<i64>} : (tensor<f32>) -> tensor<4x5xf32>
  %2 = train.multiply %arg0, %1 : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  %3 = train.compare %2, %arg1 {direction = #train<compare_direction LT>} : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xi1>
  %4 = train.tanh %2 : (tensor<4x5xf32>) -> tensor<4x5xf32>
  %5 = train.constant dense<0.000000e+00> : tensor<f32>
  %6 = train.broadcast_in_dim %5 {dims = array<i64>} : (tensor<f32>) -> tensor<4x5xf32>
  %7 = train.compare %arg1, %6 {direction = #train<compare_direction LT>} : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xi1>
  %8 = train.constant dense<-1.000000e+00> : tensor<f32>
  %9 = train.broadcast_in_dim %8 {dims = array<i64>} : (tensor<f32>) -> tensor<4x5xf32>
  %10 = train.constant dense<1.000000e+00> : tensor<f32>
  %11 = train.broadcast_in_dim %10 {dims = array<i64>} : (tensor<f32>) -> tensor<4x5xf32>
  %12 = train.select %7, %9, %11 : (tensor<4x5xi1>, tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  %13 = train.multiply %12, %arg1 : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  %14 = train.compare %11, %13 {direction = #train<compare_direction LE>} : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xi1>
  %15 = train.select %14, %11, %13 : (tensor<4x5xi1>, tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  %16 = train.exponential_minus_one %15 : (tensor<4x5xf32>) -> tensor<4x5xf32>
  %17 = train.constant dense<5.000000e-01> : tensor<f32>
  %18 = train.broadcast_in_dim %17 {dims = array<i64>} : (tensor<f32>) -> tensor<4x5xf32>
  %19 = train.add %16, %11 : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  %20 = train.divide %16, %19 : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  %21 = train.add %16, %20 : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  %22 = train.multiply %18, %21 : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  %23 = train.constant dense<0.693147182> : tensor<f32>
  %24 = train.broadcast_in_dim %23 {dims = array<i64>} : (tensor<f32>) -> tensor<4x5xf32>
  %25 = train.subtract %13, %24 : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  %26 = train.exponential %25 : (tensor<4x5xf32>) -> tensor<4x5xf32>
  %27 = train.negate %13 : (tensor<4x5xf32>) -> tensor<4x5xf32>
  %28 = train.subtract %27, %24 : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  %29 = train.exponential %28 : (tensor<4x5xf32>) -> tensor<4x5xf32>
  %30 = train.subtract %26, %29 : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  %31 = train.select %14, %30, %22 : (tensor<4x5xi1>, tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  %32 = train.multiply %12, %31 : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  %33 = train.multiply %32, %4 : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  %34 = train.select %3, %4, %33 : (tensor<4x5xi1>, tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  %35 = train.multiply %34, %34 : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  %36 = train.reduce %35 {dims = array<i64: 0, 1>, kind = #train<reduce_kind add>} : (tensor<4x5xf32>) -> tensor<f32>
  return %4, %32, %36 : tensor<4x5xf32>, tensor<4x5xf32>, tensor<f32>
}
func.func @dot_general_9549ea333cca0122(%arg0: tensor<2xi32>, %arg1: tensor<3x2x4xf16>, %arg2: tensor<2x5xf16>) -> tensor<3x4x5xf16> {
  %0 = train.constant dense<0.000000e+00> : tensor<3x2x4xf16>
  %1 = train.constant dense<2> : tensor<i32>
  %2 = train.slice %arg0 {limit = array<i64: 1>, start = array<i64: 0>, stride = array<i64: 1>} : (tensor<2xi32>) -> tensor<1xi32>
  %3 = train.reshape %2 : (tensor<1xi32>) -> tensor<i32>
  %4 = train.slice %arg0 {limit = array<i64: 2>, start = array<i64: 1>, stride = array<i64: 1>} : (tensor<2xi32>) -> tensor<1xi32>
  %5 = train.reshape %4 : (tensor<1xi32>) -> tensor<i32>
  %6 = train.constant dense<2> : tensor<i32>
  %7 = train.multiply %3, %6 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %8 = train.add %7, %5 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %9 = train.multiply %8, %1 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %10 = train.iota %9 {dim = 0 : i64} : (tensor<i32>) -> tensor<2xi32>
  %11 = train.constant dense<6> : tensor<2xi32>
  %12 = train.compare %10, %11 {direction = #train<compare_direction LT>} : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
  %13 = train.broadcast_in_dim %12 {dims = array<i64: 1>} : (tensor<2xi1>) -> tensor<3x2x4xi1>
  %14 = train.select %13, %arg1, %0 : (tensor<3x2x4xi1>, tensor<3x2x4xf16>, tensor<3x2x4xf16>) -> tensor<3x2x4xf16>
  %15 = train.constant dense<0.000000e+00> : tensor<2x5xf16>
  %16 = train.iota %9 {dim = 0 : i64} : (tensor<i32>) -> tensor<2xi32>
  %17 = train.constant dense<6> : tensor<2xi32>
  %18 = train.compare %16, %17 {direction = #train<compare_direction LT>} : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
  %19 = train.broadcast_in_dim %18 {dims = array<i64: 0>} : (tensor<2xi1>) -> tensor<2x5xi1>
  %20 = train.select %19, %arg2, %15 : (tensor<2x5xi1>, tensor<2x5xf16>, tensor<2x5xf16>) -> tensor<2x5xf16>
  %21 = train.dot_general %14, %20 {lhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_batching = array<i64>, rhs_contracting = array<i64: 0>} : (tensor<3x2x4xf16>, tensor<2x5xf16>) -> tensor<3x4x5xf32>
  %22 = train.convert %21 : (tensor<3x4x5xf32>) -> tensor<3x4x5xf16>
  return %22 : tensor<3x4x5xf16>
}
func.func @dot_general_85d7dbef636c52a3(%arg0: tensor<3xi32>, %arg1: tensor<3x1x4xbf16>, %arg2: tensor<1x5xbf16>) -> tensor<3x4x5xf32> {
  %0 = train.constant dense<0.000000e+00> : tensor<3x1x4xbf16>
  %1 = train.constant dense<1> : tensor<i32>
  %2 = train.slice %arg0 {limit = array<i64: 1>, start = array<i64: 0>, stride = array<i64: 1>} : (tensor<3xi32>) -> tensor<1xi32>
  %3 = train.reshape %2 : (tensor<1xi32>) -> tensor<i32>
  %4 = train.slice %arg0 {limit = array<i64: 2>, start = array<i64: 1>, stride = array<i64: 1>} : (tensor<3xi32>) -> tensor<1xi32>
  %5 = train.reshape %4 : (tensor<1xi32>) -> tensor<i32>
  %6 = train.constant dense<2> : tensor<i32>
  %7 = train.multiply %3, %6 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %8 = train.add %7, %5 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %9 = train.slice %arg0 {limit = array<i64: 3>, start = array<i64: 2>, stride = array<i64: 1>} : (tensor<3xi32>) -> tensor<1xi32>
  %10 = train.reshape %9 : (tensor<1xi32>) -> tensor<i32>
  %11 = train.constant dense<2> : tensor<i32>
  %12 = train.multiply %8, %11 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %13 = train.add %12, %10 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %14 = train.multiply %13, %1 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %15 = train.iota %14 {dim = 0 : i64} : (tensor<i32>) -> tensor<1xi32>
  %16 = train.constant dense<6> : tensor<1xi32>
  %17 = train.compare %15, %16 {direction = #train<compare_direction LT>} : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi1>
  %18 = train.broadcast_in_dim %17 {dims = array<i64: 1>} : (tensor<1xi1>) -> tensor<3x1x4xi1>
  %19 = train.select %18, %arg1, %0 : (tensor<3x1x4xi1>, tensor<3x1x4xbf16>, tensor<3x1x4xbf16>) -> tensor<3x1x4xbf16>
  %20 = train.constant dense<0.000000e+00> : tensor<1x5xbf16>
  %21 = train.iota %14 {dim = 0 : i64} : (tensor<i32>) -> tensor<1xi32>
  %22 = train.constant dense<6> : tensor<1xi32>
  %23 = train.compare %21, %22 {direction = #train<compare_direction LT>} : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi1>
  %24 = train.broadcast_in_dim %23 {dims = array<i64: 0>} : (tensor<1xi1>) -> tensor<1x5xi1>
  %25 = train.select %24, %arg2, %20 : (tensor<1x5xi1>, tensor<1x5xbf16>, tensor<1x5xbf16>) -> tensor<1x5xbf16>
  %26 = train.dot_general %19, %25 {lhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_batching = array<i64>, rhs_contracting = array<i64: 0>} : (tensor<3x1x4xbf16>, tensor<1x5xbf16>) -> tensor<3x4x5xf32>
  return %26 : tensor<3x4x5xf32>
}
func.func @dot_general_60d8225dc20535a4(%arg0: tensor<3xi32>, %arg1: tensor<3xi32>, %arg2: tensor<6x4xf32>, %arg3: tensor<3x4x2xf32>) -> tensor<6x2xf32> {
  %0 = train.iota  {dim = 1 : i64} : () -> tensor<3x6xi32>
  %1 = train.broadcast_in_dim %arg0 {dims = array<i64: 0>} : (tensor<3xi32>) -> tensor<3x6xi32>
  %2 = train.compare %0, %1 {direction = #train<compare_direction GE>} : (tensor<3x6xi32>, tensor<3x6xi32>) -> tensor<3x6xi1>
  %3 = train.broadcast_in_dim %arg1 {dims = array<i64: 0>} : (tensor<3xi32>) -> tensor<3x6xi32>
  %4 = train.compare %0, %3 {direction = #train<compare_direction LT>} : (tensor<3x6xi32>, tensor<3x6xi32>) -> tensor<3x6xi1>
  %5 = train.and %2, %4 : (tensor<3x6xi1>, tensor<3x6xi1>) -> tensor<3x6xi1>
  %6 = train.broadcast_in_dim %arg2 {dims = array<i64: 1, 2>} : (tensor<6x4xf32>) -> tensor<3x6x4xf32>
  %7 = train.broadcast_in_dim %5 {dims = array<i64: 0, 1>} : (tensor<3x6xi1>) -> tensor<3x6x4xi1>
  %8 = train.constant dense<0.000000e+00> : tensor<f32>
  %9 = train.broadcast_in_dim %8 {dims = array<i64>} : (tensor<f32>) -> tensor<3x6x4xf32>
  %10 = train.select %7, %6, %9 : (tensor<3x6x4xi1>, tensor<3x6x4xf32>, tensor<3x6x4xf32>) -> tensor<3x6x4xf32>
  %11 = train.dot_general %10, %arg3 {lhs_batching = array<i64>, lhs_contracting = array<i64: 0, 2>, rhs_batching = array<i64>, rhs_contracting = array<i64: 0, 1>} : (tensor<3x6x4xf32>, tensor<3x4x2xf32>) -> tensor<6x2xf32>
  %12 = train.tanh %11 : (tensor<6x2xf32>) -> tensor<6x2xf32>
  return %12 : tensor<6x2xf32>
}
func.func @attention_b272c29ac11a024d(%arg0: tensor<2x22x4x4xf32>, %arg1: tensor<2x22x4x4xf32>, %arg2: tensor<2x22x4x4xf32>, %arg3: tensor<1x4x22x22xf32>) -> (tensor<2x22x4x4xf32>, tensor<2x22x4xf32>) {
  %result, %lse = train.attention %arg0, %arg1, %arg2, %arg3 {fill = 0xFFF0000000000000 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 0>, scale = 5.000000e-01 : f64} : (tensor<2x22x4x4xf32>, tensor<2x22x4x4xf32>, tensor<2x22x4x4xf32>, tensor<1x4x22x22xf32>) -> (tensor<2x22x4x4xf32>, tensor<2x22x4xf32>)
  return %result, %lse : tensor<2x22x4x4xf32>, tensor<2x22x4xf32>
}
func.func @attention_885f9bd59925b9d4(%arg0: tensor<2x22x4x4xf32>, %arg1: tensor<2x22x4x4xf32>, %arg2: tensor<2x22x4x4xf32>, %arg3: tensor<2x1x1x22xi1>) -> (tensor<2x22x4x4xf32>, tensor<2x22x4xf32>) {
  %result, %lse = train.attention %arg0, %arg1, %arg2, %arg3 {after = 0 : i64, fill = -1.0000000150474662E+30 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 0, 0, 0>, scale = 5.000000e-01 : f64} : (tensor<2x22x4x4xf32>, tensor<2x22x4x4xf32>, tensor<2x22x4x4xf32>, tensor<2x1x1x22xi1>) -> (tensor<2x22x4x4xf32>, tensor<2x22x4xf32>)
  return %result, %lse : tensor<2x22x4x4xf32>, tensor<2x22x4xf32>
}
func.func @attention_gradient_ac70683adbb7ca6c(%arg0: tensor<2x22x4x4xf32>, %arg1: tensor<2x22x4x4xf32>, %arg2: tensor<2x22x4x4xf32>, %arg3: tensor<2x1x1x22xi1>, %arg4: tensor<2x22x4xf32>, %arg5: tensor<2x22x4xf32>, %arg6: tensor<2x22x4x4xf32>) -> (tensor<2x22x4x4xf32>, tensor<2x22x4x4xf32>, tensor<2x22x4x4xf32>) {
  %query_gradient, %key_gradient, %value_gradient = train.attention_gradient %arg0, %arg1, %arg2, %arg3, %arg4, %arg5, %arg6 {after = 0 : i64, fill = -1.0000000150474662E+30 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 0, 0, 1, 1, 1, 0>, scale = 5.000000e-01 : f64} : (tensor<2x22x4x4xf32>, tensor<2x22x4x4xf32>, tensor<2x22x4x4xf32>, tensor<2x1x1x22xi1>, tensor<2x22x4xf32>, tensor<2x22x4xf32>, tensor<2x22x4x4xf32>) -> (tensor<2x22x4x4xf32>, tensor<2x22x4x4xf32>, tensor<2x22x4x4xf32>)
  return %query_gradient, %key_gradient, %value_gradient : tensor<2x22x4x4xf32>, tensor<2x22x4x4xf32>, tensor<2x22x4x4xf32>
}
func.func @attention_gradient_ec6925d8ffb89cd8(%arg0: tensor<2x22x4x4xf32>, %arg1: tensor<2x22x4x4xf32>, %arg2: tensor<2x22x4x4xf32>, %arg3: tensor<1x4x22x22xf32>, %arg4: tensor<2x22x4xf32>, %arg5: tensor<2x22x4xf32>, %arg6: tensor<2x22x4x4xf32>) -> (tensor<2x22x4x4xf32>, tensor<2x22x4x4xf32>, tensor<2x22x4x4xf32>) {
  %query_gradient, %key_gradient, %value_gradient = train.attention_gradient %arg0, %arg1, %arg2, %arg3, %arg4, %arg5, %arg6 {fill = 0xFFF0000000000000 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 1, 1, 1, 0>, scale = 5.000000e-01 : f64} : (tensor<2x22x4x4xf32>, tensor<2x22x4x4xf32>, tensor<2x22x4x4xf32>, tensor<1x4x22x22xf32>, tensor<2x22x4xf32>, tensor<2x22x4xf32>, tensor<2x22x4x4xf32>) -> (tensor<2x22x4x4xf32>, tensor<2x22x4x4xf32>, tensor<2x22x4x4xf32>)
  return %query_gradient, %key_gradient, %value_gradient : tensor<2x22x4x4xf32>, tensor<2x22x4x4xf32>, tensor<2x22x4x4xf32>
}
func.func @attention_e474be4c01fdc527(%arg0: tensor<1x22x2x4xbf16>, %arg1: tensor<1x22x2x4xbf16>, %arg2: tensor<1x22x2x4xbf16>, %arg3: tensor<1x2x22x22xf32>) -> (tensor<1x22x2x4xbf16>, tensor<1x22x2xf32>) {
  %result, %lse = train.attention %arg0, %arg1, %arg2, %arg3 {fill = 0xFFF0000000000000 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 0>, scale = 5.000000e-01 : f64} : (tensor<1x22x2x4xbf16>, tensor<1x22x2x4xbf16>, tensor<1x22x2x4xbf16>, tensor<1x2x22x22xf32>) -> (tensor<1x22x2x4xbf16>, tensor<1x22x2xf32>)
  return %result, %lse : tensor<1x22x2x4xbf16>, tensor<1x22x2xf32>
}
func.func @attention_788c44786eaeaa70(%arg0: tensor<1x22x2x4xbf16>, %arg1: tensor<1x22x1x4xbf16>, %arg2: tensor<1x22x1x4xbf16>, %arg3: tensor<1x1x22x22xi1>) -> (tensor<1x22x2x4xbf16>, tensor<1x22x2xf32>) {
  %result, %lse = train.attention %arg0, %arg1, %arg2, %arg3 {fill = -1.0000000150474662E+30 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 0, 0, 0>, scale = 5.000000e-01 : f64} : (tensor<1x22x2x4xbf16>, tensor<1x22x1x4xbf16>, tensor<1x22x1x4xbf16>, tensor<1x1x22x22xi1>) -> (tensor<1x22x2x4xbf16>, tensor<1x22x2xf32>)
  return %result, %lse : tensor<1x22x2x4xbf16>, tensor<1x22x2xf32>
}
func.func @attention_gradient_2a3d31c13f29610d(%arg0: tensor<1x22x2x4xbf16>, %arg1: tensor<1x22x2x4xbf16>, %arg2: tensor<1x22x2x4xbf16>, %arg3: tensor<1x1x1x22xi1>, %arg4: tensor<1x22x2xf32>, %arg5: tensor<1x22x2xf32>, %arg6: tensor<1x22x2x4xbf16>) -> (tensor<1x22x2x4xbf16>, tensor<1x22x2x4xbf16>, tensor<1x22x2x4xbf16>) {
  %query_gradient, %key_gradient, %value_gradient = train.attention_gradient %arg0, %arg1, %arg2, %arg3, %arg4, %arg5, %arg6 {after = 0 : i64, fill = -1.0000000150474662E+30 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 0, 0, 1, 1, 1, 0>, scale = 5.000000e-01 : f64} : (tensor<1x22x2x4xbf16>, tensor<1x22x2x4xbf16>, tensor<1x22x2x4xbf16>, tensor<1x1x1x22xi1>, tensor<1x22x2xf32>, tensor<1x22x2xf32>, tensor<1x22x2x4xbf16>) -> (tensor<1x22x2x4xbf16>, tensor<1x22x2x4xbf16>, tensor<1x22x2x4xbf16>)
  return %query_gradient, %key_gradient, %value_gradient : tensor<1x22x2x4xbf16>, tensor<1x22x2x4xbf16>, tensor<1x22x2x4xbf16>
}
func.func @attention_gradient_70e9b8b3c121883c(%arg0: tensor<1x22x2x4xbf16>, %arg1: tensor<1x22x2x4xbf16>, %arg2: tensor<1x22x2x4xbf16>, %arg3: tensor<1x2x22x22xf32>, %arg4: tensor<1x22x2xf32>, %arg5: tensor<1x22x2xf32>, %arg6: tensor<1x22x2x4xbf16>) -> (tensor<1x22x2x4xbf16>, tensor<1x22x2x4xbf16>, tensor<1x22x2x4xbf16>) {
  %query_gradient, %key_gradient, %value_gradient = train.attention_gradient %arg0, %arg1, %arg2, %arg3, %arg4, %arg5, %arg6 {fill = 0xFFF0000000000000 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 1, 1, 1, 0>, scale = 5.000000e-01 : f64} : (tensor<1x22x2x4xbf16>, tensor<1x22x2x4xbf16>, tensor<1x22x2x4xbf16>, tensor<1x2x22x22xf32>, tensor<1x22x2xf32>, tensor<1x22x2xf32>, tensor<1x22x2x4xbf16>) -> (tensor<1x22x2x4xbf16>, tensor<1x22x2x4xbf16>, tensor<1x22x2x4xbf16>)
  return %query_gradient, %key_gradient, %value_gradient : tensor<1x22x2x4xbf16>, tensor<1x22x2x4xbf16>, tensor<1x22x2x4xbf16>
}
func.func @attention_b4fb2ee0c7ace39b(%arg0: tensor<1x22x4x4xf16>, %arg1: tensor<1x22x4x4xf16>, %arg2: tensor<1x22x4x4xf16>, %arg3: tensor<1x4x22x22xf32>) -> (tensor<1x22x4x4xf16>, tensor<1x22x4xf32>) {
  %result, %lse = train.attention %arg0, %arg1, %arg2, %arg3 {fill = 0xFFF0000000000000 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 0>, scale = 5.000000e-01 : f64} : (tensor<1x22x4x4xf16>, tensor<1x22x4x4xf16>, tensor<1x22x4x4xf16>, tensor<1x4x22x22xf32>) -> (tensor<1x22x4x4xf16>, tensor<1x22x4xf32>)
  return %result, %lse : tensor<1x22x4x4xf16>, tensor<1x22x4xf32>
}
func.func @attention_9870d47a08e70586(%arg0: tensor<1x22x4x4xf16>, %arg1: tensor<1x22x2x4xf16>, %arg2: tensor<1x22x2x4xf16>, %arg3: tensor<1x1x22x22xi1>) -> (tensor<1x22x4x4xf16>, tensor<1x22x4xf32>) {
  %result, %lse = train.attention %arg0, %arg1, %arg2, %arg3 {fill = -1.0000000150474662E+30 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 0, 0, 0>, scale = 5.000000e-01 : f64} : (tensor<1x22x4x4xf16>, tensor<1x22x2x4xf16>, tensor<1x22x2x4xf16>, tensor<1x1x22x22xi1>) -> (tensor<1x22x4x4xf16>, tensor<1x22x4xf32>)
  return %result, %lse : tensor<1x22x4x4xf16>, tensor<1x22x4xf32>
}
func.func @attention_gradient_922551dc7832bed7(%arg0: tensor<1x22x4x4xf16>, %arg1: tensor<1x22x4x4xf16>, %arg2: tensor<1x22x4x4xf16>, %arg3: tensor<1x1x1x22xi1>, %arg4: tensor<1x22x4xf32>, %arg5: tensor<1x22x4xf32>, %arg6: tensor<1x22x4x4xf16>) -> (tensor<1x22x4x4xf16>, tensor<1x22x4x4xf16>, tensor<1x22x4x4xf16>) {
  %query_gradient, %key_gradient, %value_gradient = train.attention_gradient %arg0, %arg1, %arg2, %arg3, %arg4, %arg5, %arg6 {after = 0 : i64, fill = -1.0000000150474662E+30 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 0, 0, 1, 1, 1, 0>, scale = 5.000000e-01 : f64} : (tensor<1x22x4x4xf16>, tensor<1x22x4x4xf16>, tensor<1x22x4x4xf16>, tensor<1x1x1x22xi1>, tensor<1x22x4xf32>, tensor<1x22x4xf32>, tensor<1x22x4x4xf16>) -> (tensor<1x22x4x4xf16>, tensor<1x22x4x4xf16>, tensor<1x22x4x4xf16>)
  return %query_gradient, %key_gradient, %value_gradient : tensor<1x22x4x4xf16>, tensor<1x22x4x4xf16>, tensor<1x22x4x4xf16>
}
func.func @attention_gradient_6912af7299584c16(%arg0: tensor<1x22x4x4xf16>, %arg1: tensor<1x22x4x4xf16>, %arg2: tensor<1x22x4x4xf16>, %arg3: tensor<1x4x22x22xf32>, %arg4: tensor<1x22x4xf32>, %arg5: tensor<1x22x4xf32>, %arg6: tensor<1x22x4x4xf16>) -> (tensor<1x22x4x4xf16>, tensor<1x22x4x4xf16>, tensor<1x22x4x4xf16>) {
  %query_gradient, %key_gradient, %value_gradient = train.attention_gradient %arg0, %arg1, %arg2, %arg3, %arg4, %arg5, %arg6 {fill = 0xFFF0000000000000 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 1, 1, 1, 0>, scale = 5.000000e-01 : f64} : (tensor<1x22x4x4xf16>, tensor<1x22x4x4xf16>, tensor<1x22x4x4xf16>, tensor<1x4x22x22xf32>, tensor<1x22x4xf32>, tensor<1x22x4xf32>, tensor<1x22x4x4xf16>) -> (tensor<1x22x4x4xf16>, tensor<1x22x4x4xf16>, tensor<1x22x4x4xf16>)
  return %query_gradient, %key_gradient, %value_gradient : tensor<1x22x4x4xf16>, tensor<1x22x4x4xf16>, tensor<1x22x4x4xf16>
}
func.func @attention_block_b4708f79350357a4(%arg0: tensor<1x11x4x4xf32>, %arg1: tensor<1x11x4x4xf32>, %arg2: tensor<1x11x4x4xf32>, %arg3: tensor<1x4x11x22xf32>, %arg4: tensor<i32>, %arg5: tensor<1x11x4xf32>, %arg6: tensor<1x11x4xf32>, %arg7: tensor<1x11x4x4xf32>) -> (tensor<1x11x4xf32>, tensor<1x11x4xf32>, tensor<1x11x4x4xf32>) {
  %new_largest, %new_total, %new_sums = train.attention_block %arg0, %arg1, %arg2, %arg3, %arg4, %arg5, %arg6, %arg7 {all_keys = 22 : i64, fill = 0xFFF0000000000000 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1, 1, 1, 1>, scale = 5.000000e-01 : f64} : (tensor<1x11x4x4xf32>, tensor<1x11x4x4xf32>, tensor<1x11x4x4xf32>, tensor<1x4x11x22xf32>, tensor<i32>, tensor<1x11x4xf32>, tensor<1x11x4xf32>, tensor<1x11x4x4xf32>) -> (tensor<1x11x4xf32>, tensor<1x11x4xf32>, tensor<1x11x4x4xf32>)
  return %new_largest, %new_total, %new_sums : tensor<1x11x4xf32>, tensor<1x11x4xf32>, tensor<1x11x4x4xf32>
}
func.func @attention_block_81b665fd98a12044(%arg0: tensor<1x11x4x4xf32>, %arg1: tensor<1x11x2x4xf32>, %arg2: tensor<1x11x2x4xf32>, %arg3: tensor<1x1x11x22xi1>, %arg4: tensor<i32>, %arg5: tensor<1x11x4xf32>, %arg6: tensor<1x11x4xf32>, %arg7: tensor<1x11x4x4xf32>) -> (tensor<1x11x4xf32>, tensor<1x11x4xf32>, tensor<1x11x4x4xf32>) {
  %new_largest, %new_total, %new_sums = train.attention_block %arg0, %arg1, %arg2, %arg3, %arg4, %arg5, %arg6, %arg7 {all_keys = 22 : i64, fill = -1.0000000150474662E+30 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 0, 1, 1, 1, 1>, scale = 5.000000e-01 : f64} : (tensor<1x11x4x4xf32>, tensor<1x11x2x4xf32>, tensor<1x11x2x4xf32>, tensor<1x1x11x22xi1>, tensor<i32>, tensor<1x11x4xf32>, tensor<1x11x4xf32>, tensor<1x11x4x4xf32>) -> (tensor<1x11x4xf32>, tensor<1x11x4xf32>, tensor<1x11x4x4xf32>)
  return %new_largest, %new_total, %new_sums : tensor<1x11x4xf32>, tensor<1x11x4xf32>, tensor<1x11x4x4xf32>
}
func.func @attention_block_9fc71973a0d5a88(%arg0: tensor<1x11x4x4xf32>, %arg1: tensor<1x11x4x4xf32>, %arg2: tensor<1x11x4x4xf32>, %arg3: tensor<1x1x1x22xi1>, %arg4: tensor<i32>, %arg5: tensor<i32>, %arg6: tensor<1x11x4xf32>, %arg7: tensor<1x11x4xf32>, %arg8: tensor<1x11x4x4xf32>) -> (tensor<1x11x4xf32>, tensor<1x11x4xf32>, tensor<1x11x4x4xf32>) {
  %new_largest, %new_total, %new_sums = train.attention_block %arg0, %arg1, %arg2, %arg3, %arg4, %arg5, %arg6, %arg7, %arg8 {after = 0 : i64, all_keys = 22 : i64, fill = -1.0000000150474662E+30 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 1, 1, 1, 1, 1>, scale = 5.000000e-01 : f64} : (tensor<1x11x4x4xf32>, tensor<1x11x4x4xf32>, tensor<1x11x4x4xf32>, tensor<1x1x1x22xi1>, tensor<i32>, tensor<i32>, tensor<1x11x4xf32>, tensor<1x11x4xf32>, tensor<1x11x4x4xf32>) -> (tensor<1x11x4xf32>, tensor<1x11x4xf32>, tensor<1x11x4x4xf32>)
  return %new_largest, %new_total, %new_sums : tensor<1x11x4xf32>, tensor<1x11x4xf32>, tensor<1x11x4x4xf32>
}
func.func @attention_block_gradient_ad69e500e516d09c(%arg0: tensor<1x11x4x4xf32>, %arg1: tensor<1x11x4x4xf32>, %arg2: tensor<1x11x4x4xf32>, %arg3: tensor<1x1x1x22xi1>, %arg4: tensor<i32>, %arg5: tensor<i32>, %arg6: tensor<1x11x4xf32>, %arg7: tensor<1x11x4xf32>, %arg8: tensor<1x11x4x4xf32>, %arg9: tensor<1x11x4x4xf32>, %arg10: tensor<1x11x4x4xf32>, %arg11: tensor<1x11x4x4xf32>) -> (tensor<1x11x4x4xf32>, tensor<1x11x4x4xf32>, tensor<1x11x4x4xf32>) {
  %query_gradient, %key_gradient, %value_gradient = train.attention_block_gradient %arg0, %arg1, %arg2, %arg3, %arg4, %arg5, %arg6, %arg7, %arg8, %arg9, %arg10, %arg11 {after = 0 : i64, all_keys = 22 : i64, fill = -1.0000000150474662E+30 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1>, scale = 5.000000e-01 : f64} : (tensor<1x11x4x4xf32>, tensor<1x11x4x4xf32>, tensor<1x11x4x4xf32>, tensor<1x1x1x22xi1>, tensor<i32>, tensor<i32>, tensor<1x11x4xf32>, tensor<1x11x4xf32>, tensor<1x11x4x4xf32>, tensor<1x11x4x4xf32>, tensor<1x11x4x4xf32>, tensor<1x11x4x4xf32>) -> (tensor<1x11x4x4xf32>, tensor<1x11x4x4xf32>, tensor<1x11x4x4xf32>)
  return %query_gradient, %key_gradient, %value_gradient : tensor<1x11x4x4xf32>, tensor<1x11x4x4xf32>, tensor<1x11x4x4xf32>
}
func.func @attention_block_gradient_822177605e12ba52(%arg0: tensor<1x11x4x4xf32>, %arg1: tensor<1x11x2x4xf32>, %arg2: tensor<1x11x2x4xf32>, %arg3: tensor<1x1x11x22xi1>, %arg4: tensor<i32>, %arg5: tensor<1x11x4xf32>, %arg6: tensor<1x11x4xf32>, %arg7: tensor<1x11x4x4xf32>, %arg8: tensor<1x11x4x4xf32>, %arg9: tensor<1x11x2x4xf32>, %arg10: tensor<1x11x2x4xf32>) -> (tensor<1x11x4x4xf32>, tensor<1x11x2x4xf32>, tensor<1x11x2x4xf32>) {
  %query_gradient, %key_gradient, %value_gradient = train.attention_block_gradient %arg0, %arg1, %arg2, %arg3, %arg4, %arg5, %arg6, %arg7, %arg8, %arg9, %arg10 {all_keys = 22 : i64, fill = -1.0000000150474662E+30 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1, 1, 1>, scale = 5.000000e-01 : f64} : (tensor<1x11x4x4xf32>, tensor<1x11x2x4xf32>, tensor<1x11x2x4xf32>, tensor<1x1x11x22xi1>, tensor<i32>, tensor<1x11x4xf32>, tensor<1x11x4xf32>, tensor<1x11x4x4xf32>, tensor<1x11x4x4xf32>, tensor<1x11x2x4xf32>, tensor<1x11x2x4xf32>) -> (tensor<1x11x4x4xf32>, tensor<1x11x2x4xf32>, tensor<1x11x2x4xf32>)
  return %query_gradient, %key_gradient, %value_gradient : tensor<1x11x4x4xf32>, tensor<1x11x2x4xf32>, tensor<1x11x2x4xf32>
}
func.func @attention_block_gradient_c3c1cc781c476453(%arg0: tensor<1x11x4x4xf32>, %arg1: tensor<1x11x4x4xf32>, %arg2: tensor<1x11x4x4xf32>, %arg3: tensor<1x4x11x22xf32>, %arg4: tensor<i32>, %arg5: tensor<1x11x4xf32>, %arg6: tensor<1x11x4xf32>, %arg7: tensor<1x11x4x4xf32>, %arg8: tensor<1x11x4x4xf32>, %arg9: tensor<1x11x4x4xf32>, %arg10: tensor<1x11x4x4xf32>) -> (tensor<1x11x4x4xf32>, tensor<1x11x4x4xf32>, tensor<1x11x4x4xf32>) {
  %query_gradient, %key_gradient, %value_gradient = train.attention_block_gradient %arg0, %arg1, %arg2, %arg3, %arg4, %arg5, %arg6, %arg7, %arg8, %arg9, %arg10 {all_keys = 22 : i64, fill = 0xFFF0000000000000 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1, 1>, scale = 5.000000e-01 : f64} : (tensor<1x11x4x4xf32>, tensor<1x11x4x4xf32>, tensor<1x11x4x4xf32>, tensor<1x4x11x22xf32>, tensor<i32>, tensor<1x11x4xf32>, tensor<1x11x4xf32>, tensor<1x11x4x4xf32>, tensor<1x11x4x4xf32>, tensor<1x11x4x4xf32>, tensor<1x11x4x4xf32>) -> (tensor<1x11x4x4xf32>, tensor<1x11x4x4xf32>, tensor<1x11x4x4xf32>)
  return %query_gradient, %key_gradient, %value_gradient : tensor<1x11x4x4xf32>, tensor<1x11x4x4xf32>, tensor<1x11x4x4xf32>
}
func.func @reduce_f3caa79b83462f67(%arg0: tensor<1x4x11x22xf32>, %arg1: tensor<1x4x11x22xf32>, %arg2: tensor<1x11x4xf32>, %arg3: tensor<1x11x4xf32>, %arg4: tensor<1x4x11x22xf32>) -> tensor<4x11x22xf32> {
  %0 = train.add %arg0, %arg1 : (tensor<1x4x11x22xf32>, tensor<1x4x11x22xf32>) -> tensor<1x4x11x22xf32>
  %1 = train.broadcast_in_dim %arg2 {dims = array<i64: 0, 2, 1>} : (tensor<1x11x4xf32>) -> tensor<1x4x11x22xf32>
  %2 = train.subtract %0, %1 : (tensor<1x4x11x22xf32>, tensor<1x4x11x22xf32>) -> tensor<1x4x11x22xf32>
  %3 = train.exponential %2 : (tensor<1x4x11x22xf32>) -> tensor<1x4x11x22xf32>
  %4 = train.broadcast_in_dim %arg3 {dims = array<i64: 0, 2, 1>} : (tensor<1x11x4xf32>) -> tensor<1x4x11x22xf32>
  %5 = train.subtract %arg4, %4 : (tensor<1x4x11x22xf32>, tensor<1x4x11x22xf32>) -> tensor<1x4x11x22xf32>
  %6 = train.multiply %3, %5 : (tensor<1x4x11x22xf32>, tensor<1x4x11x22xf32>) -> tensor<1x4x11x22xf32>
  %7 = train.reduce %6 {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<1x4x11x22xf32>) -> tensor<4x11x22xf32>
  return %7 : tensor<4x11x22xf32>
}
func.func @reduce_d61db0d630fecc54(%arg0: tensor<2xi32>, %arg1: tensor<2x5xf32>, %arg2: tensor<2x5xf32>, %arg3: tensor<6xf32>) -> tensor<2x5xf32> {
  %0 = train.constant dense<1> : tensor<i32>
  %1 = train.slice %arg0 {limit = array<i64: 1>, start = array<i64: 0>, stride = array<i64: 1>} : (tensor<2xi32>) -> tensor<1xi32>
  %2 = train.reshape %1 : (tensor<1xi32>) -> tensor<i32>
  %3 = train.multiply %2, %0 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %4 = train.iota  {dim = 0 : i64} : () -> tensor<2xi32>
  %5 = train.broadcast_in_dim %3 {dims = array<i64>} : (tensor<i32>) -> tensor<2xi32>
  %6 = train.compare %4, %5 {direction = #train<compare_direction LT>} : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
  %7 = train.broadcast_in_dim %6 {dims = array<i64: 0>} : (tensor<2xi1>) -> tensor<2x5xi1>
  %8 = train.constant dense<0.000000e+00> : tensor<2x5xf32>
  %9 = train.select %7, %arg1, %8 : (tensor<2x5xi1>, tensor<2x5xf32>, tensor<2x5xf32>) -> tensor<2x5xf32>
  %10 = train.reduce %9 {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<2x5xf32>) -> tensor<5xf32>
  %11 = train.broadcast_in_dim %10 {dims = array<i64: 1>} : (tensor<5xf32>) -> tensor<2x5xf32>
  %12 = train.add %11, %arg2 : (tensor<2x5xf32>, tensor<2x5xf32>) -> tensor<2x5xf32>
  %13 = train.slice %arg3 {limit = array<i64: 5>, start = array<i64: 0>, stride = array<i64: 1>} : (tensor<6xf32>) -> tensor<5xf32>
  %14 = train.broadcast_in_dim %13 {dims = array<i64: 1>} : (tensor<5xf32>) -> tensor<2x5xf32>
  %15 = train.add %14, %12 : (tensor<2x5xf32>, tensor<2x5xf32>) -> tensor<2x5xf32>
  %16 = train.tanh %15 : (tensor<2x5xf32>) -> tensor<2x5xf32>
  return %16 : tensor<2x5xf32>
}
func.func @reduce_baab5d8a10b36872(%arg0: tensor<2x5xf32>, %arg1: tensor<2xi32>) -> (tensor<2x5xf32>, tensor<2x5xf32>, tensor<5xf32>) {
  %0 = train.constant dense<1.000000e+00> : tensor<f32>
  %1 = train.add %arg0, %arg0 : (tensor<2x5xf32>, tensor<2x5xf32>) -> tensor<2x5xf32>
  %2 = train.broadcast_in_dim %0 {dims = array<i64>} : (tensor<f32>) -> tensor<5xf32>
  %3 = train.constant dense<1.000000e+00> : tensor<2x5xf32>
  %4 = train.subtract %3, %arg0 : (tensor<2x5xf32>, tensor<2x5xf32>) -> tensor<2x5xf32>
  %5 = train.add %3, %arg0 : (tensor<2x5xf32>, tensor<2x5xf32>) -> tensor<2x5xf32>
  %6 = train.multiply %4, %5 : (tensor<2x5xf32>, tensor<2x5xf32>) -> tensor<2x5xf32>
  %7 = train.multiply %1, %6 : (tensor<2x5xf32>, tensor<2x5xf32>) -> tensor<2x5xf32>
  %8 = train.reshape %2 : (tensor<5xf32>) -> tensor<1x5xf32>
  %9 = train.constant dense<0.000000e+00> : tensor<f32>
  %10 = train.constant dense<0.000000e+00> : tensor<f32>
  %11 = train.pad %8, %10 {high = array<i64: 2, 0>, interior = array<i64: 0, 0>, low = array<i64: 0, 0>} : (tensor<1x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %12 = train.constant dense<2> : tensor<i32>
  %13 = train.slice %arg1 {limit = array<i64: 1>, start = array<i64: 0>, stride = array<i64: 1>} : (tensor<2xi32>) -> tensor<1xi32>
  %14 = train.reshape %13 : (tensor<1xi32>) -> tensor<i32>
  %15 = train.multiply %14, %12 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %16 = train.constant dense<0> : tensor<i32>
  %17 = train.dynamic_slice %11, %15, %16 {sizes = array<i64: 2, 5>} : (tensor<3x5xf32>, tensor<i32>, tensor<i32>) -> tensor<2x5xf32>
  %18 = train.broadcast_in_dim %9 {dims = array<i64>} : (tensor<f32>) -> tensor<2x5xf32>
  %19 = train.iota %15 {dim = 0 : i64} : (tensor<i32>) -> tensor<2xi32>
  %20 = train.constant dense<1> : tensor<2xi32>
  %21 = train.compare %19, %20 {direction = #train<compare_direction LT>} : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
  %22 = train.broadcast_in_dim %21 {dims = array<i64: 0>} : (tensor<2xi1>) -> tensor<2x5xi1>
  %23 = train.select %22, %17, %18 : (tensor<2x5xi1>, tensor<2x5xf32>, tensor<2x5xf32>) -> tensor<2x5xf32>
  %24 = train.pad %23, %9 {high = array<i64: 0, 0>, interior = array<i64: 0, 0>, low = array<i64: 0, 0>} : (tensor<2x5xf32>, tensor<f32>) -> tensor<2x5xf32>
  %25 = train.add %24, %7 : (tensor<2x5xf32>, tensor<2x5xf32>) -> tensor<2x5xf32>
  %26 = train.reduce %25 {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<2x5xf32>) -> tensor<5xf32>
  return %7, %24, %26 : tensor<2x5xf32>, tensor<2x5xf32>, tensor<5xf32>
}
func.func @sort_2927dfb471e555a(%arg0: tensor<4x9xf32>, %arg1: tensor<4x9xi32>, %arg2: tensor<4x9xf32>) -> (tensor<4x9xf32>, tensor<4x9xi32>, tensor<4x9xf32>) {
  %0:3 = train.sort %arg0, %arg1, %arg2 {dim = 1 : i64} : (tensor<4x9xf32>, tensor<4x9xi32>, tensor<4x9xf32>) -> (tensor<4x9xf32>, tensor<4x9xi32>, tensor<4x9xf32>)
  return %0#0, %0#1, %0#2 : tensor<4x9xf32>, tensor<4x9xi32>, tensor<4x9xf32>
}
func.func @sort_273968073197ac4e(%arg0: tensor<4x9xi32>, %arg1: tensor<4x9xf32>, %arg2: tensor<4x9xf32>) -> (tensor<4x9xi32>, tensor<4x9xf32>, tensor<4x9xf32>) {
  %0:3 = train.sort %arg0, %arg1, %arg2 {dim = 1 : i64} : (tensor<4x9xi32>, tensor<4x9xf32>, tensor<4x9xf32>) -> (tensor<4x9xi32>, tensor<4x9xf32>, tensor<4x9xf32>)
  return %0#0, %0#1, %0#2 : tensor<4x9xi32>, tensor<4x9xf32>, tensor<4x9xf32>
}
func.func @reduce_91edf9fc2a2dad0f(%arg0: tensor<4x9xf32>, %arg1: tensor<4x9xi32>) -> (tensor<4x9xf32>, tensor<f32>) {
  %0 = train.iota  {dim = 0 : i64} : () -> tensor<9xf32>
  %1 = train.constant dense<1.000000e+00> : tensor<f32>
  %2 = train.broadcast_in_dim %1 {dims = array<i64>} : (tensor<f32>) -> tensor<9xf32>
  %3 = train.add %2, %0 : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xf32>
  %4 = train.constant dense<7.000000e+00> : tensor<f32>
  %5 = train.broadcast_in_dim %4 {dims = array<i64>} : (tensor<f32>) -> tensor<9xf32>
  %6 = train.divide %3, %5 : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xf32>
  %7 = train.broadcast_in_dim %6 {dims = array<i64: 1>} : (tensor<9xf32>) -> tensor<4x9xf32>
  %8 = train.multiply %arg0, %7 : (tensor<4x9xf32>, tensor<4x9xf32>) -> tensor<4x9xf32>
  %9 = train.convert %arg1 : (tensor<4x9xi32>) -> tensor<4x9xf32>
  %10 = train.multiply %9, %arg0 : (tensor<4x9xf32>, tensor<4x9xf32>) -> tensor<4x9xf32>
  %11 = train.reduce %10 {dims = array<i64: 0, 1>, kind = #train<reduce_kind add>} : (tensor<4x9xf32>) -> tensor<f32>
  return %8, %11 : tensor<4x9xf32>, tensor<f32>
}
func.func @sort_cb5e73d164825486(%arg0: tensor<9x4xf32>, %arg1: tensor<9x4xi32>, %arg2: tensor<9x4xf32>, %arg3: tensor<9x4xf32>) -> (tensor<9x4xf32>, tensor<9x4xi32>, tensor<9x4xf32>, tensor<9x4xf32>) {
  %0:4 = train.sort %arg0, %arg1, %arg2, %arg3 {dim = 0 : i64} : (tensor<9x4xf32>, tensor<9x4xi32>, tensor<9x4xf32>, tensor<9x4xf32>) -> (tensor<9x4xf32>, tensor<9x4xi32>, tensor<9x4xf32>, tensor<9x4xf32>)
  return %0#0, %0#1, %0#2, %0#3 : tensor<9x4xf32>, tensor<9x4xi32>, tensor<9x4xf32>, tensor<9x4xf32>
}
func.func @sort_a8a8f0101604da1e(%arg0: tensor<9x4xi32>, %arg1: tensor<9x4xf32>, %arg2: tensor<9x4xf32>, %arg3: tensor<9x4xf32>) -> (tensor<9x4xi32>, tensor<9x4xf32>, tensor<9x4xf32>, tensor<9x4xf32>) {
  %0:4 = train.sort %arg0, %arg1, %arg2, %arg3 {dim = 0 : i64} : (tensor<9x4xi32>, tensor<9x4xf32>, tensor<9x4xf32>, tensor<9x4xf32>) -> (tensor<9x4xi32>, tensor<9x4xf32>, tensor<9x4xf32>, tensor<9x4xf32>)
  return %0#0, %0#1, %0#2, %0#3 : tensor<9x4xi32>, tensor<9x4xf32>, tensor<9x4xf32>, tensor<9x4xf32>
}
func.func @dot_general_d0b1cd2ac4fade37(%arg0: tensor<1x12x6xf32>, %arg1: tensor<6x2x4xf16>) -> (tensor<1x12x2x4xf16>, tensor<1x12x2x4xbf16>) {
  %0 = train.convert %arg0 : (tensor<1x12x6xf32>) -> tensor<1x12x6xf16>
  %1 = train.dot_general %0, %arg1 {lhs_batching = array<i64>, lhs_contracting = array<i64: 2>, rhs_batching = array<i64>, rhs_contracting = array<i64: 0>} : (tensor<1x12x6xf16>, tensor<6x2x4xf16>) -> tensor<1x12x2x4xf32>
  %2 = train.convert %1 : (tensor<1x12x2x4xf32>) -> tensor<1x12x2x4xf16>
  %3 = train.convert %2 : (tensor<1x12x2x4xf16>) -> tensor<1x12x2x4xbf16>
  return %2, %3 : tensor<1x12x2x4xf16>, tensor<1x12x2x4xbf16>
}
func.func @dot_general_e9b979e56701c655(%arg0: tensor<1x12x2x4xbf16>, %arg1: tensor<i32>, %arg2: tensor<1x12x6xf32>) -> tensor<6x2x4xf16> {
  %0 = train.convert %arg0 : (tensor<1x12x2x4xbf16>) -> tensor<1x12x2x4xf16>
  %1 = train.constant dense<0.000000e+00> : tensor<1x12x6xf16>
  %2 = train.iota %arg1 {dim = 0 : i64} : (tensor<i32>) -> tensor<1xi32>
  %3 = train.constant dense<2> : tensor<1xi32>
  %4 = train.compare %2, %3 {direction = #train<compare_direction LT>} : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi1>
  %5 = train.broadcast_in_dim %4 {dims = array<i64: 0>} : (tensor<1xi1>) -> tensor<1x12x6xi1>
  %6 = train.convert %arg2 : (tensor<1x12x6xf32>) -> tensor<1x12x6xf16>
  %7 = train.select %5, %6, %1 : (tensor<1x12x6xi1>, tensor<1x12x6xf16>, tensor<1x12x6xf16>) -> tensor<1x12x6xf16>
  %8 = train.constant dense<0.000000e+00> : tensor<1x12x2x4xf16>
  %9 = train.iota %arg1 {dim = 0 : i64} : (tensor<i32>) -> tensor<1xi32>
  %10 = train.constant dense<2> : tensor<1xi32>
  %11 = train.compare %9, %10 {direction = #train<compare_direction LT>} : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi1>
  %12 = train.broadcast_in_dim %11 {dims = array<i64: 0>} : (tensor<1xi1>) -> tensor<1x12x2x4xi1>
  %13 = train.select %12, %0, %8 : (tensor<1x12x2x4xi1>, tensor<1x12x2x4xf16>, tensor<1x12x2x4xf16>) -> tensor<1x12x2x4xf16>
  %14 = train.dot_general %7, %13 {lhs_batching = array<i64>, lhs_contracting = array<i64: 0, 1>, rhs_batching = array<i64>, rhs_contracting = array<i64: 0, 1>} : (tensor<1x12x6xf16>, tensor<1x12x2x4xf16>) -> tensor<6x2x4xf32>
  %15 = train.convert %14 : (tensor<6x2x4xf32>) -> tensor<6x2x4xf16>
  return %15 : tensor<6x2x4xf16>
}
func.func @attention_block_dc01856ebb3b04d3(%arg0: tensor<1x6x2x4xbf16>, %arg1: tensor<1x6x2x4xbf16>, %arg2: tensor<1x6x2x4xbf16>, %arg3: tensor<i32>, %arg4: tensor<i32>, %arg5: tensor<1x6x2xf32>, %arg6: tensor<1x6x2xf32>, %arg7: tensor<1x6x2x4xf32>) -> (tensor<1x6x2xf32>, tensor<1x6x2xf32>, tensor<1x6x2x4xf32>) {
  %new_largest, %new_total, %new_sums = train.attention_block %arg0, %arg1, %arg2, %arg3, %arg4, %arg5, %arg6, %arg7 {after = 0 : i64, all_keys = 12 : i64, fill = -1.000000e+09 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 1, 1, 1, 1, 1>, scale = 5.000000e-01 : f64} : (tensor<1x6x2x4xbf16>, tensor<1x6x2x4xbf16>, tensor<1x6x2x4xbf16>, tensor<i32>, tensor<i32>, tensor<1x6x2xf32>, tensor<1x6x2xf32>, tensor<1x6x2x4xf32>) -> (tensor<1x6x2xf32>, tensor<1x6x2xf32>, tensor<1x6x2x4xf32>)
  return %new_largest, %new_total, %new_sums : tensor<1x6x2xf32>, tensor<1x6x2xf32>, tensor<1x6x2x4xf32>
}
func.func @attention_block_gradient_1fbd923ae8a3edf7(%arg0: tensor<1x6x2x4xbf16>, %arg1: tensor<1x6x2x4xbf16>, %arg2: tensor<1x6x2x4xbf16>, %arg3: tensor<i32>, %arg4: tensor<i32>, %arg5: tensor<1x6x2xf32>, %arg6: tensor<1x6x2xf32>, %arg7: tensor<1x6x2x4xbf16>, %arg8: tensor<1x6x2x4xf32>, %arg9: tensor<1x6x2x4xf32>, %arg10: tensor<1x6x2x4xf32>) -> (tensor<1x6x2x4xf32>, tensor<1x6x2x4xf32>, tensor<1x6x2x4xf32>) {
  %query_gradient, %key_gradient, %value_gradient = train.attention_block_gradient %arg0, %arg1, %arg2, %arg3, %arg4, %arg5, %arg6, %arg7, %arg8, %arg9, %arg10 {after = 0 : i64, all_keys = 12 : i64, fill = -1.000000e+09 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1>, scale = 5.000000e-01 : f64} : (tensor<1x6x2x4xbf16>, tensor<1x6x2x4xbf16>, tensor<1x6x2x4xbf16>, tensor<i32>, tensor<i32>, tensor<1x6x2xf32>, tensor<1x6x2xf32>, tensor<1x6x2x4xbf16>, tensor<1x6x2x4xf32>, tensor<1x6x2x4xf32>, tensor<1x6x2x4xf32>) -> (tensor<1x6x2x4xf32>, tensor<1x6x2x4xf32>, tensor<1x6x2x4xf32>)
  return %query_gradient, %key_gradient, %value_gradient : tensor<1x6x2x4xf32>, tensor<1x6x2x4xf32>, tensor<1x6x2x4xf32>
}
func.func @attention_block_4ec053a67242245(%arg0: tensor<1x6x2x4xf32>, %arg1: tensor<1x6x2x4xf32>, %arg2: tensor<1x6x2x4xf32>, %arg3: tensor<1x2x6x12xf32>, %arg4: tensor<i32>, %arg5: tensor<i32>, %arg6: tensor<1x6x2xf32>, %arg7: tensor<1x6x2xf32>, %arg8: tensor<1x6x2x4xf32>) -> (tensor<1x6x2xf32>, tensor<1x6x2xf32>, tensor<1x6x2x4xf32>) {
  %new_largest, %new_total, %new_sums = train.attention_block %arg0, %arg1, %arg2, %arg3, %arg4, %arg5, %arg6, %arg7, %arg8 {after = 0 : i64, all_keys = 12 : i64, fill = -1.000000e+09 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 1, 1, 1, 1, 1>, scale = 5.000000e-01 : f64} : (tensor<1x6x2x4xf32>, tensor<1x6x2x4xf32>, tensor<1x6x2x4xf32>, tensor<1x2x6x12xf32>, tensor<i32>, tensor<i32>, tensor<1x6x2xf32>, tensor<1x6x2xf32>, tensor<1x6x2x4xf32>) -> (tensor<1x6x2xf32>, tensor<1x6x2xf32>, tensor<1x6x2x4xf32>)
  return %new_largest, %new_total, %new_sums : tensor<1x6x2xf32>, tensor<1x6x2xf32>, tensor<1x6x2x4xf32>
}
func.func @attention_block_gradient_ee712513d2ac3147(%arg0: tensor<1x6x2x4xf32>, %arg1: tensor<1x6x2x4xf32>, %arg2: tensor<1x6x2x4xf32>, %arg3: tensor<1x2x6x12xf32>, %arg4: tensor<i32>, %arg5: tensor<i32>, %arg6: tensor<1x6x2xf32>, %arg7: tensor<1x6x2xf32>, %arg8: tensor<1x6x2x4xf32>, %arg9: tensor<1x6x2x4xf32>, %arg10: tensor<1x6x2x4xf32>, %arg11: tensor<1x6x2x4xf32>) -> (tensor<1x6x2x4xf32>, tensor<1x6x2x4xf32>, tensor<1x6x2x4xf32>) {
  %query_gradient, %key_gradient, %value_gradient = train.attention_block_gradient %arg0, %arg1, %arg2, %arg3, %arg4, %arg5, %arg6, %arg7, %arg8, %arg9, %arg10, %arg11 {after = 0 : i64, all_keys = 12 : i64, fill = -1.0000000150474662E+30 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1>, scale = 5.000000e-01 : f64} : (tensor<1x6x2x4xf32>, tensor<1x6x2x4xf32>, tensor<1x6x2x4xf32>, tensor<1x2x6x12xf32>, tensor<i32>, tensor<i32>, tensor<1x6x2xf32>, tensor<1x6x2xf32>, tensor<1x6x2x4xf32>, tensor<1x6x2x4xf32>, tensor<1x6x2x4xf32>, tensor<1x6x2x4xf32>) -> (tensor<1x6x2x4xf32>, tensor<1x6x2x4xf32>, tensor<1x6x2x4xf32>)
  return %query_gradient, %key_gradient, %value_gradient : tensor<1x6x2x4xf32>, tensor<1x6x2x4xf32>, tensor<1x6x2x4xf32>
}
func.func @reduce_70a447c6706fbf16(%arg0: tensor<i32>, %arg1: tensor<1x2x6x12xf32>, %arg2: tensor<1x2x6x12xf32>, %arg3: tensor<1x6x2xf32>, %arg4: tensor<1x6x2xf32>, %arg5: tensor<1x2x6x12xf32>) -> tensor<2x6x12xf32> {
  %0 = train.iota %arg0 {dim = 0 : i64} : (tensor<i32>) -> tensor<6x12xi32>
  %1 = train.iota  {dim = 1 : i64} : () -> tensor<6x12xi32>
  %2 = train.constant dense<0> : tensor<6x12xi32>
  %3 = train.add %0, %2 : (tensor<6x12xi32>, tensor<6x12xi32>) -> tensor<6x12xi32>
  %4 = train.compare %1, %3 {direction = #train<compare_direction LE>} : (tensor<6x12xi32>, tensor<6x12xi32>) -> tensor<6x12xi1>
  %5 = train.broadcast_in_dim %4 {dims = array<i64: 2, 3>} : (tensor<6x12xi1>) -> tensor<1x2x6x12xi1>
  %6 = train.add %arg1, %arg2 : (tensor<1x2x6x12xf32>, tensor<1x2x6x12xf32>) -> tensor<1x2x6x12xf32>
  %7 = train.constant dense<-1.000000e+09> : tensor<1x2x6x12xf32>
  %8 = train.select %5, %6, %7 : (tensor<1x2x6x12xi1>, tensor<1x2x6x12xf32>, tensor<1x2x6x12xf32>) -> tensor<1x2x6x12xf32>
  %9 = train.broadcast_in_dim %arg3 {dims = array<i64: 0, 2, 1>} : (tensor<1x6x2xf32>) -> tensor<1x2x6x12xf32>
  %10 = train.subtract %8, %9 : (tensor<1x2x6x12xf32>, tensor<1x2x6x12xf32>) -> tensor<1x2x6x12xf32>
  %11 = train.exponential %10 : (tensor<1x2x6x12xf32>) -> tensor<1x2x6x12xf32>
  %12 = train.broadcast_in_dim %arg4 {dims = array<i64: 0, 2, 1>} : (tensor<1x6x2xf32>) -> tensor<1x2x6x12xf32>
  %13 = train.subtract %arg5, %12 : (tensor<1x2x6x12xf32>, tensor<1x2x6x12xf32>) -> tensor<1x2x6x12xf32>
  %14 = train.multiply %11, %13 : (tensor<1x2x6x12xf32>, tensor<1x2x6x12xf32>) -> tensor<1x2x6x12xf32>
  %15 = train.reduce %14 {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<1x2x6x12xf32>) -> tensor<2x6x12xf32>
  return %15 : tensor<2x6x12xf32>
}
func.func @reduce_ac4a1ec40ece6ea4(%arg0: tensor<2x2x4xf32>, %arg1: tensor<i32>, %arg2: tensor<f32>) -> (tensor<2x1x2xf32>, tensor<f32>) {
  %0 = train.slice %arg0 {limit = array<i64: 2, 1, 4>, start = array<i64: 0, 0, 0>, stride = array<i64: 1, 1, 2>} : (tensor<2x2x4xf32>) -> tensor<2x1x2xf32>
  %1 = train.iota %arg1 {dim = 0 : i64} : (tensor<i32>) -> tensor<2x1x2xf32>
  %2 = train.cosine %1 : (tensor<2x1x2xf32>) -> tensor<2x1x2xf32>
  %3 = train.multiply %0, %2 : (tensor<2x1x2xf32>, tensor<2x1x2xf32>) -> tensor<2x1x2xf32>
  %4 = train.constant dense<0.000000e+00> : tensor<2x1x2xf32>
  %5 = train.iota %arg1 {dim = 0 : i64} : (tensor<i32>) -> tensor<2xi32>
  %6 = train.constant dense<7> : tensor<2xi32>
  %7 = train.compare %5, %6 {direction = #train<compare_direction LT>} : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
  %8 = train.broadcast_in_dim %7 {dims = array<i64: 0>} : (tensor<2xi1>) -> tensor<2x1x2xi1>
  %9 = train.select %8, %3, %4 : (tensor<2x1x2xi1>, tensor<2x1x2xf32>, tensor<2x1x2xf32>) -> tensor<2x1x2xf32>
  %10 = train.reduce %9 {dims = array<i64: 0, 1, 2>, kind = #train<reduce_kind add>} : (tensor<2x1x2xf32>) -> tensor<f32>
  %11 = train.constant dense<0.142857149> : tensor<f32>
  %12 = train.multiply %10, %11 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %13 = train.add %arg2, %12 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %2, %13 : tensor<2x1x2xf32>, tensor<f32>
}
func.func @convolution_c9640b1deaf18f9f(%arg0: tensor<2x2x4xf32>, %arg1: tensor<1x4x2xf32>, %arg2: tensor<i32>) -> (tensor<2x1x1xf32>, tensor<2x1x1xf32>) {
  %0 = train.convolution %arg0, %arg1 {input_dims = array<i64: 0, 2, 1>, kernel_dims = array<i64: 1, 0, 2>, lhs_dilation = array<i64: 2>, output_dims = array<i64: 0, 2, 1>, pad_high = array<i64: 0>, pad_low = array<i64: 0>, reversal = array<i1: true>, rhs_dilation = array<i64: 2>, strides = array<i64: 1>} : (tensor<2x2x4xf32>, tensor<1x4x2xf32>) -> tensor<2x1x1xf32>
  %1 = train.tanh %0 : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32>
  %2 = train.constant dense<0.000000e+00> : tensor<2x1x1xf32>
  %3 = train.iota %arg2 {dim = 0 : i64} : (tensor<i32>) -> tensor<2xi32>
  %4 = train.constant dense<7> : tensor<2xi32>
  %5 = train.compare %3, %4 {direction = #train<compare_direction LT>} : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
  %6 = train.broadcast_in_dim %5 {dims = array<i64: 0>} : (tensor<2xi1>) -> tensor<2x1x1xi1>
  %7 = train.select %6, %1, %2 : (tensor<2x1x1xi1>, tensor<2x1x1xf32>, tensor<2x1x1xf32>) -> tensor<2x1x1xf32>
  return %1, %7 : tensor<2x1x1xf32>, tensor<2x1x1xf32>
}
func.func @convolution_d22289c0e6836785(%arg0: tensor<2x1x2xf32>, %arg1: tensor<2x1x1xf32>, %arg2: tensor<1x4x2xf32>, %arg3: tensor<2x2x4xf32>) -> tensor<2x2x4xf32> {
  %0 = train.constant dense<0.142857149> : tensor<f32>
  %1 = train.broadcast_in_dim %0 {dims = array<i64>} : (tensor<f32>) -> tensor<2x1x2xf32>
  %2 = train.multiply %1, %arg0 : (tensor<2x1x2xf32>, tensor<2x1x2xf32>) -> tensor<2x1x2xf32>
  %3 = train.convolution %arg1, %arg2 {input_dims = array<i64: 0, 2, 1>, kernel_dims = array<i64: 0, 1, 2>, lhs_dilation = array<i64: 1>, output_dims = array<i64: 0, 2, 1>, pad_high = array<i64: 2>, pad_low = array<i64: 2>, reversal = array<i1: false>, rhs_dilation = array<i64: 2>, strides = array<i64: 2>} : (tensor<2x1x1xf32>, tensor<1x4x2xf32>) -> tensor<2x2x4xf32>
  %4 = train.constant dense<0.000000e+00> : tensor<f32>
  %5 = train.pad %2, %4 {high = array<i64: 0, 1, 1>, interior = array<i64: 0, 0, 1>, low = array<i64: 0, 0, 0>} : (tensor<2x1x2xf32>, tensor<f32>) -> tensor<2x2x4xf32>
  %6 = train.add %3, %5 : (tensor<2x2x4xf32>, tensor<2x2x4xf32>) -> tensor<2x2x4xf32>
  %7 = train.constant dense<1.000000e+00> : tensor<2x2x4xf32>
  %8 = train.subtract %7, %arg3 : (tensor<2x2x4xf32>, tensor<2x2x4xf32>) -> tensor<2x2x4xf32>
  %9 = train.add %7, %arg3 : (tensor<2x2x4xf32>, tensor<2x2x4xf32>) -> tensor<2x2x4xf32>
  %10 = train.multiply %8, %9 : (tensor<2x2x4xf32>, tensor<2x2x4xf32>) -> tensor<2x2x4xf32>
  %11 = train.multiply %6, %10 : (tensor<2x2x4xf32>, tensor<2x2x4xf32>) -> tensor<2x2x4xf32>
  return %11 : tensor<2x2x4xf32>
}
func.func @reduce_4721fb7ea9421e05(%arg0: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  %0 = train.constant dense<0> : tensor<i32>
  %1 = train.dynamic_update_slice %arg0, %arg0, %0, %0 : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
  %2 = train.reduce %1 {dims = array<i64: 1>, kind = #train<reduce_kind add>} : (tensor<4x8xf32>) -> tensor<4xf32>
  %3 = train.constant dense<1.250000e-01> : tensor<f32>
  %4 = train.broadcast_in_dim %3 {dims = array<i64>} : (tensor<f32>) -> tensor<4xf32>
  %5 = train.multiply %2, %4 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %6 = train.tanh %5 : (tensor<4xf32>) -> tensor<4xf32>
  return %1, %6 : tensor<4x8xf32>, tensor<4xf32>
}
func.func @reduce_8d75f8f881eec074(%arg0: tensor<1x12xf32>, %arg1: tensor<2x1xi32>, %arg2: tensor<2x1xi1>) -> tensor<2x1xf32> {
  %0 = train.gather %arg0, %arg1 {collapsed_slice_dims = array<i64: 1>, index_vector_dim = 1 : i64, indices_batching_dims = array<i64>, offset_dims = array<i64: 1>, operand_batching_dims = array<i64>, slice_sizes = array<i64: 1, 1>, start_index_map = array<i64: 1>} : (tensor<1x12xf32>, tensor<2x1xi32>) -> tensor<2x1xf32>
  %1 = train.constant dense<0.000000e+00> : tensor<2x1xf32>
  %2 = train.select %arg2, %0, %1 : (tensor<2x1xi1>, tensor<2x1xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
  %3 = train.convert %arg1 : (tensor<2x1xi32>) -> tensor<2x1xi64>
  %4 = train.constant dense<11> : tensor<1xi64>
  %5 = train.broadcast_in_dim %4 {dims = array<i64: 1>} : (tensor<1xi64>) -> tensor<2x1xi64>
  %6 = train.constant dense<0> : tensor<2x1xi64>
  %7 = train.compare %3, %6 {direction = #train<compare_direction GE>} : (tensor<2x1xi64>, tensor<2x1xi64>) -> tensor<2x1xi1>
  %8 = train.compare %3, %5 {direction = #train<compare_direction LE>} : (tensor<2x1xi64>, tensor<2x1xi64>) -> tensor<2x1xi1>
  %9 = train.and %7, %8 : (tensor<2x1xi1>, tensor<2x1xi1>) -> tensor<2x1xi1>
  %10 = train.reduce %9 {dims = array<i64: 1>, kind = #train<reduce_kind logical_and>} : (tensor<2x1xi1>) -> tensor<2xi1>
  %11 = train.reshape %10 : (tensor<2xi1>) -> tensor<2x1xi1>
  %12 = train.select %11, %2, %1 : (tensor<2x1xi1>, tensor<2x1xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
  return %12 : tensor<2x1xf32>
}
func.func @reduce_cd92bf5b03a535b7(%arg0: tensor<2x2xf32>) -> tensor<2xf32> {
  %0 = train.floor %arg0 : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = train.multiply %0, %0 : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %2 = train.reduce %1 {dims = array<i64: 1>, kind = #train<reduce_kind add>} : (tensor<2x2xf32>) -> tensor<2xf32>
  %3 = train.constant dense<5.000000e-01> : tensor<2xf32>
  %4 = train.multiply %2, %3 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %5 = train.tanh %4 : (tensor<2xf32>) -> tensor<2xf32>
  return %5 : tensor<2xf32>
}
func.func @reduce_ae0901dfffe61994(%arg0: tensor<2x2xf32>) -> tensor<f32> {
  %0 = train.round_nearest_even %arg0 : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = train.constant dense<1.250000e-01> : tensor<f32>
  %2 = train.iota  {dim = 1 : i64} : () -> tensor<2x2xf32>
  %3 = train.cosine %2 : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %4 = train.multiply %0, %3 : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %5 = train.reduce %4 {dims = array<i64: 0, 1>, kind = #train<reduce_kind add>} : (tensor<2x2xf32>) -> tensor<f32>
  %6 = train.multiply %5, %1 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %6 : tensor<f32>
}
func.func @reduce_941b8df7ce8efb9f(%arg0: tensor<2xi32>, %arg1: tensor<3xf32>, %arg2: tensor<f32>, %arg3: tensor<f32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<f32>) {
  %0 = train.constant dense<3> : tensor<i32>
  %1 = train.slice %arg0 {limit = array<i64: 1>, start = array<i64: 0>, stride = array<i64: 1>} : (tensor<2xi32>) -> tensor<1xi32>
  %2 = train.reshape %1 : (tensor<1xi32>) -> tensor<i32>
  %3 = train.multiply %2, %0 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %4 = train.tanh %arg1 : (tensor<3xf32>) -> tensor<3xf32>
  %5 = train.broadcast_in_dim %arg2 {dims = array<i64>} : (tensor<f32>) -> tensor<3xf32>
  %6 = train.multiply %5, %5 : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %7 = train.constant dense<5.000000e-01> : tensor<f32>
  %8 = train.broadcast_in_dim %7 {dims = array<i64>} : (tensor<f32>) -> tensor<3xf32>
  %9 = train.add %6, %8 : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %10 = train.power %9, %4 : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %11 = train.multiply %10, %10 : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %12 = train.constant dense<0.000000e+00> : tensor<3xf32>
  %13 = train.iota %3 {dim = 0 : i64} : (tensor<i32>) -> tensor<3xi32>
  %14 = train.constant dense<7> : tensor<3xi32>
  %15 = train.compare %13, %14 {direction = #train<compare_direction LT>} : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
  %16 = train.broadcast_in_dim %15 {dims = array<i64: 0>} : (tensor<3xi1>) -> tensor<3xi1>
  %17 = train.select %16, %11, %12 : (tensor<3xi1>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %18 = train.reduce %17 {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<3xf32>) -> tensor<f32>
  %19 = train.constant dense<0.142857149> : tensor<f32>
  %20 = train.multiply %18, %19 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %21 = train.add %arg3, %20 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %4, %10, %21 : tensor<3xf32>, tensor<3xf32>, tensor<f32>
}
func.func @reduce_ee5be3329e417559(%arg0: tensor<3x4x1x7xf32>) -> tensor<f32> {
  %0 = train.constant dense<-4.500000e+00> : tensor<3x4x1x7xf32>
  %1 = train.constant dense<4.500000e+00> : tensor<f32>
  %2 = train.broadcast_in_dim %1 {dims = array<i64>} : (tensor<f32>) -> tensor<3x4x1x7xf32>
  %3 = train.clamp %0, %arg0, %2 : (tensor<3x4x1x7xf32>, tensor<3x4x1x7xf32>, tensor<3x4x1x7xf32>) -> tensor<3x4x1x7xf32>
  %4 = train.reduce %3 {dims = array<i64: 0, 1, 2, 3>, kind = #train<reduce_kind add>} : (tensor<3x4x1x7xf32>) -> tensor<f32>
  %5 = train.constant dense<0.0238095243> : tensor<f32>
  %6 = train.multiply %4, %5 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %6 : tensor<f32>
}
func.func @arg_reduce_c377f3a6a34ab0d4(%arg0: tensor<6x5x2x8xf32>) -> tensor<6x5x8xf32> {
  %0 = train.arg_reduce %arg0 {dim = 2 : i64, kind = #train<reduce_kind maximum>} : (tensor<6x5x2x8xf32>) -> tensor<6x5x8xi32>
  %1 = train.convert %0 : (tensor<6x5x8xi32>) -> tensor<6x5x8xf32>
  return %1 : tensor<6x5x8xf32>
}
func.func @reduce_d4b85cb2d1022978(%arg0: tensor<7x8xf32>, %arg1: tensor<f32>, %arg2: tensor<f32>, %arg3: tensor<f32>, %arg4: tensor<f32>) -> tensor<f32> {
  %0 = train.reverse %arg0 {dims = array<i64: 0, 1>} : (tensor<7x8xf32>) -> tensor<7x8xf32>
  %1 = train.negate %0 : (tensor<7x8xf32>) -> tensor<7x8xf32>
  %2 = train.multiply %1, %1 : (tensor<7x8xf32>, tensor<7x8xf32>) -> tensor<7x8xf32>
  %3 = train.reduce %2 {dims = array<i64: 0, 1>, kind = #train<reduce_kind add>} : (tensor<7x8xf32>) -> tensor<f32>
  %4 = train.constant dense<0.00892857183> : tensor<f32>
  %5 = train.multiply %3, %4 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %6 = train.add %arg1, %5 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %7 = train.add %6, %arg2 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %8 = train.add %7, %arg3 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %9 = train.add %8, %arg4 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %9 : tensor<f32>
}
func.func @reduce_32fbaf0475059374(%arg0: tensor<2xi32>, %arg1: tensor<f32>, %arg2: tensor<2x6x3xf32>) -> (tensor<1x6x3xf32>, tensor<1x6x3xf32>, tensor<f32>) {
  %0 = train.constant dense<3> : tensor<i32>
  %1 = train.slice %arg0 {limit = array<i64: 2>, start = array<i64: 1>, stride = array<i64: 1>} : (tensor<2xi32>) -> tensor<1xi32>
  %2 = train.reshape %1 : (tensor<1xi32>) -> tensor<i32>
  %3 = train.multiply %2, %0 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %4 = train.broadcast_in_dim %arg1 {dims = array<i64>} : (tensor<f32>) -> tensor<1x6x3xf32>
  %5 = train.multiply %4, %4 : (tensor<1x6x3xf32>, tensor<1x6x3xf32>) -> tensor<1x6x3xf32>
  %6 = train.constant dense<5.000000e-01> : tensor<1x6x3xf32>
  %7 = train.add %5, %6 : (tensor<1x6x3xf32>, tensor<1x6x3xf32>) -> tensor<1x6x3xf32>
  %8 = train.slice %arg2 {limit = array<i64: 1, 6, 3>, start = array<i64: 0, 0, 0>, stride = array<i64: 1, 1, 1>} : (tensor<2x6x3xf32>) -> tensor<1x6x3xf32>
  %9 = train.tanh %8 : (tensor<1x6x3xf32>) -> tensor<1x6x3xf32>
  %10 = train.power %7, %9 : (tensor<1x6x3xf32>, tensor<1x6x3xf32>) -> tensor<1x6x3xf32>
  %11 = train.convert %9 : (tensor<1x6x3xf32>) -> tensor<1x6x3xf64>
  %12 = train.multiply %11, %11 : (tensor<1x6x3xf64>, tensor<1x6x3xf64>) -> tensor<1x6x3xf64>
  %13 = train.convert %12 : (tensor<1x6x3xf64>) -> tensor<1x6x3xf32>
  %14 = train.constant dense<0.000000e+00> : tensor<1x6x3xf32>
  %15 = train.iota %3 {dim = 0 : i64} : (tensor<i32>) -> tensor<3xi32>
  %16 = train.constant dense<5> : tensor<3xi32>
  %17 = train.compare %15, %16 {direction = #train<compare_direction LT>} : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
  %18 = train.broadcast_in_dim %17 {dims = array<i64: 2>} : (tensor<3xi1>) -> tensor<1x6x3xi1>
  %19 = train.select %18, %13, %14 : (tensor<1x6x3xi1>, tensor<1x6x3xf32>, tensor<1x6x3xf32>) -> tensor<1x6x3xf32>
  %20 = train.reduce %19 {dims = array<i64: 0, 1, 2>, kind = #train<reduce_kind add>} : (tensor<1x6x3xf32>) -> tensor<f32>
  %21 = train.constant dense<0.0333333351> : tensor<f32>
  %22 = train.multiply %20, %21 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %9, %10, %22 : tensor<1x6x3xf32>, tensor<1x6x3xf32>, tensor<f32>
}
func.func @sum_of_squares_9551b4af0f1b6838(%arg0: tensor<1x6x6xf32>) -> tensor<1xf32> {
  %0 = train.slice %arg0 {limit = array<i64: 1, 6, 5>, start = array<i64: 0, 0, 0>, stride = array<i64: 1, 1, 1>} : (tensor<1x6x6xf32>) -> tensor<1x6x5xf32>
  %1 = train.sum_of_squares %0 : (tensor<1x6x5xf32>) -> tensor<1xf32>
  return %1 : tensor<1xf32>
}
func.func @adamw_e3dd6d936f449948(%arg0: tensor<2xf32>, %arg1: tensor<2xf32>, %arg2: tensor<4x2xf32>, %arg3: tensor<4x2xf32>, %arg4: tensor<2xi32>, %arg5: tensor<1xf32>, %arg6: tensor<1xf32>, %arg7: tensor<1xf32>, %arg8: tensor<1xf32>, %arg9: tensor<16xf32>, %arg10: tensor<f32>, %arg11: tensor<f32>, %arg12: tensor<f32>, %arg13: tensor<f32>, %arg14: tensor<4x1xf32>, %arg15: tensor<4x1xf32>, %arg16: tensor<1xf32>, %arg17: tensor<1xf32>) -> (tensor<4xf32>, tensor<f32>, tensor<i1>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) {
  %0 = train.slice %arg0 {limit = array<i64: 1>, start = array<i64: 0>, stride = array<i64: 1>} : (tensor<2xf32>) -> tensor<1xf32>
  %1 = train.slice %arg1 {limit = array<i64: 1>, start = array<i64: 0>, stride = array<i64: 1>} : (tensor<2xf32>) -> tensor<1xf32>
  %2 = train.slice %arg2 {limit = array<i64: 4, 1>, start = array<i64: 0, 0>, stride = array<i64: 1, 1>} : (tensor<4x2xf32>) -> tensor<4x1xf32>
  %3 = train.slice %arg3 {limit = array<i64: 4, 1>, start = array<i64: 0, 0>, stride = array<i64: 1, 1>} : (tensor<4x2xf32>) -> tensor<4x1xf32>
  %4 = train.constant dense<1> : tensor<i32>
  %5 = train.slice %arg4 {limit = array<i64: 1>, start = array<i64: 0>, stride = array<i64: 1>} : (tensor<2xi32>) -> tensor<1xi32>
  %6 = train.reshape %5 : (tensor<1xi32>) -> tensor<i32>
  %7 = train.multiply %6, %4 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %8 = train.constant dense<0> : tensor<i32>
  %9 = train.slice %arg4 {limit = array<i64: 2>, start = array<i64: 1>, stride = array<i64: 1>} : (tensor<2xi32>) -> tensor<1xi32>
  %10 = train.reshape %9 : (tensor<1xi32>) -> tensor<i32>
  %11 = train.multiply %10, %4 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %12 = train.concatenate %arg5, %arg6, %arg7, %arg8 {dim = 0 : i64} : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<4xf32>
  %13 = train.reduce %12 {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<4xf32>) -> tensor<f32>
  %14 = train.sqrt %13 : (tensor<f32>) -> tensor<f32>
  %15 = train.is_finite %13 : (tensor<f32>) -> tensor<i1>
  %16 = train.constant dense<9.99999997E-7> : tensor<f32>
  %17 = train.add %14, %16 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %18 = train.constant dense<1.000000e+00> : tensor<f32>
  %19 = train.slice %arg9 {limit = array<i64: 7>, start = array<i64: 6>, stride = array<i64: 1>} : (tensor<16xf32>) -> tensor<1xf32>
  %20 = train.reshape %19 : (tensor<1xf32>) -> tensor<f32>
  %21 = train.divide %20, %17 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %22 = train.minimum %18, %21 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %new_parameter, %new_moment1, %new_moment2 = train.update %arg10, %arg11, %arg12, %arg13, %arg9, %22, %15 {optimizer = "adamw", decay = false} : (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<16xf32>, tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<f32>, tensor<f32>)
  %new_parameter_0, %new_moment1_1, %new_moment2_2 = train.update %arg14, %3, %2, %arg15, %arg9, %22, %15 {optimizer = "adamw", decay = true} : (tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x1xf32>, tensor<16xf32>, tensor<f32>, tensor<i1>) -> (tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x1xf32>)
  %23 = train.constant dense<0.000000e+00> : tensor<f32>
  %24 = train.pad %new_moment2_2, %23 {high = array<i64: 0, 1>, interior = array<i64: 0, 0>, low = array<i64: 0, 0>} : (tensor<4x1xf32>, tensor<f32>) -> tensor<4x2xf32>
  %25 = train.dynamic_slice %24, %8, %11 {sizes = array<i64: 4, 1>} : (tensor<4x2xf32>, tensor<i32>, tensor<i32>) -> tensor<4x1xf32>
  %26 = train.constant dense<0.000000e+00> : tensor<f32>
  %27 = train.pad %new_moment1_1, %26 {high = array<i64: 0, 1>, interior = array<i64: 0, 0>, low = array<i64: 0, 0>} : (tensor<4x1xf32>, tensor<f32>) -> tensor<4x2xf32>
  %28 = train.dynamic_slice %27, %8, %11 {sizes = array<i64: 4, 1>} : (tensor<4x2xf32>, tensor<i32>, tensor<i32>) -> tensor<4x1xf32>
  %29 = train.constant dense<0.000000e+00> : tensor<f32>
  %30 = train.pad %new_parameter_0, %29 {high = array<i64: 0, 1>, interior = array<i64: 0, 0>, low = array<i64: 0, 0>} : (tensor<4x1xf32>, tensor<f32>) -> tensor<4x2xf32>
  %31 = train.dynamic_slice %30, %8, %11 {sizes = array<i64: 4, 1>} : (tensor<4x2xf32>, tensor<i32>, tensor<i32>) -> tensor<4x1xf32>
  %new_parameter_3, %new_moment1_4, %new_moment2_5 = train.update %arg16, %1, %0, %arg17, %arg9, %22, %15 {optimizer = "adamw", decay = false} : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<16xf32>, tensor<f32>, tensor<i1>) -> (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
  %32 = train.constant dense<0.000000e+00> : tensor<f32>
  %33 = train.pad %new_moment2_5, %32 {high = array<i64: 1>, interior = array<i64: 0>, low = array<i64: 0>} : (tensor<1xf32>, tensor<f32>) -> tensor<2xf32>
  %34 = train.dynamic_slice %33, %7 {sizes = array<i64: 1>} : (tensor<2xf32>, tensor<i32>) -> tensor<1xf32>
  %35 = train.constant dense<0.000000e+00> : tensor<f32>
  %36 = train.pad %new_moment1_4, %35 {high = array<i64: 1>, interior = array<i64: 0>, low = array<i64: 0>} : (tensor<1xf32>, tensor<f32>) -> tensor<2xf32>
  %37 = train.dynamic_slice %36, %7 {sizes = array<i64: 1>} : (tensor<2xf32>, tensor<i32>) -> tensor<1xf32>
  %38 = train.constant dense<0.000000e+00> : tensor<f32>
  %39 = train.pad %new_parameter_3, %38 {high = array<i64: 1>, interior = array<i64: 0>, low = array<i64: 0>} : (tensor<1xf32>, tensor<f32>) -> tensor<2xf32>
  %40 = train.dynamic_slice %39, %7 {sizes = array<i64: 1>} : (tensor<2xf32>, tensor<i32>) -> tensor<1xf32>
  return %12, %14, %15, %22, %new_parameter, %new_moment1, %new_moment2, %25, %28, %31, %34, %37, %40 : tensor<4xf32>, tensor<f32>, tensor<i1>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
}
func.func @reduce_d0ddc003a19fcfc(%arg0: tensor<1x1xi32>) -> tensor<1xi32> {
  %0 = train.reduce %arg0 {dims = array<i64: 1>, kind = #train<reduce_kind add>} : (tensor<1x1xi32>) -> tensor<1xi32>
  %1 = train.constant dense<7> : tensor<1xi32>
  %2 = train.and %0, %1 : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>
  return %2 : tensor<1xi32>
}
func.func @reduce_de19903df6d35d90(%arg0: tensor<1xi32>, %arg1: tensor<1xf32>) -> (tensor<1xf32>, tensor<1xf32>, tensor<f32>, tensor<f32>, tensor<f32>) {
  %0 = train.constant dense<1> : tensor<i32>
  %1 = train.slice %arg0 {limit = array<i64: 1>, start = array<i64: 0>, stride = array<i64: 1>} : (tensor<1xi32>) -> tensor<1xi32>
  %2 = train.reshape %1 : (tensor<1xi32>) -> tensor<i32>
  %3 = train.multiply %2, %0 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %4 = train.floor %arg1 : (tensor<1xf32>) -> tensor<1xf32>
  %5 = train.round_nearest_afz %4 : (tensor<1xf32>) -> tensor<1xf32>
  %6 = train.multiply %5, %5 : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
  %7 = train.constant dense<5.000000e-01> : tensor<f32>
  %8 = train.broadcast_in_dim %7 {dims = array<i64>} : (tensor<f32>) -> tensor<1xf32>
  %9 = train.add %6, %8 : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
  %10 = train.cbrt %9 : (tensor<1xf32>) -> tensor<1xf32>
  %11 = train.tanh %10 : (tensor<1xf32>) -> tensor<1xf32>
  %12 = train.add %11, %4 : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
  %13 = train.iota %3 {dim = 0 : i64} : (tensor<i32>) -> tensor<1xf32>
  %14 = train.constant dense<1.500000e-01> : tensor<f32>
  %15 = train.broadcast_in_dim %14 {dims = array<i64>} : (tensor<f32>) -> tensor<1xf32>
  %16 = train.multiply %13, %15 : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
  %17 = train.sine %5 : (tensor<1xf32>) -> tensor<1xf32>
  %18 = train.constant dense<0.000000e+00> : tensor<1xf32>
  %19 = train.iota %3 {dim = 0 : i64} : (tensor<i32>) -> tensor<1xi32>
  %20 = train.constant dense<3> : tensor<1xi32>
  %21 = train.compare %19, %20 {direction = #train<compare_direction LT>} : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi1>
  %22 = train.broadcast_in_dim %21 {dims = array<i64: 0>} : (tensor<1xi1>) -> tensor<1xi1>
  %23 = train.select %22, %16, %18 : (tensor<1xi1>, tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
  %24 = train.reduce %23 {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<1xf32>) -> tensor<f32>
  %25 = train.constant dense<0.333333343> : tensor<f32>
  %26 = train.multiply %24, %25 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %27 = train.tanh %12 : (tensor<1xf32>) -> tensor<1xf32>
  %28 = train.constant dense<0.000000e+00> : tensor<1xf32>
  %29 = train.iota %3 {dim = 0 : i64} : (tensor<i32>) -> tensor<1xi32>
  %30 = train.constant dense<3> : tensor<1xi32>
  %31 = train.compare %29, %30 {direction = #train<compare_direction LT>} : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi1>
  %32 = train.broadcast_in_dim %31 {dims = array<i64: 0>} : (tensor<1xi1>) -> tensor<1xi1>
  %33 = train.select %32, %27, %28 : (tensor<1xi1>, tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
  %34 = train.reduce %33 {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<1xf32>) -> tensor<f32>
  %35 = train.constant dense<0.666666686> : tensor<f32>
  %36 = train.multiply %34, %35 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %37 = train.cosine %13 : (tensor<1xf32>) -> tensor<1xf32>
  %38 = train.multiply %17, %37 : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
  %39 = train.constant dense<0.000000e+00> : tensor<1xf32>
  %40 = train.iota %3 {dim = 0 : i64} : (tensor<i32>) -> tensor<1xi32>
  %41 = train.constant dense<3> : tensor<1xi32>
  %42 = train.compare %40, %41 {direction = #train<compare_direction LT>} : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi1>
  %43 = train.broadcast_in_dim %42 {dims = array<i64: 0>} : (tensor<1xi1>) -> tensor<1xi1>
  %44 = train.select %43, %38, %39 : (tensor<1xi1>, tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
  %45 = train.reduce %44 {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<1xf32>) -> tensor<f32>
  %46 = train.multiply %45, %35 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %5, %11, %26, %36, %46 : tensor<1xf32>, tensor<1xf32>, tensor<f32>, tensor<f32>, tensor<f32>
}
func.func @reduce_cde8dcc98fa74ee4(%arg0: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>) {
  %0 = train.iota  {dim = 1 : i64} : () -> tensor<4x8xf32>
  %1 = train.cosine %0 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = train.multiply %arg0, %1 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %3 = train.reduce %2 {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<4x8xf32>) -> tensor<8xf32>
  %4 = train.constant dense<2.500000e-01> : tensor<f32>
  %5 = train.broadcast_in_dim %4 {dims = array<i64>} : (tensor<f32>) -> tensor<8xf32>
  %6 = train.multiply %3, %5 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %7 = train.tanh %6 : (tensor<8xf32>) -> tensor<8xf32>
  return %1, %7 : tensor<4x8xf32>, tensor<8xf32>
}
func.func @reduce_435cd1ea05812492(%arg0: tensor<3x7x12xf32>, %arg1: tensor<7xf32>) -> (tensor<3x7x12xf32>, tensor<3x7xf32>, tensor<3x7xf32>) {
  %0 = train.round_nearest_even %arg0 : (tensor<3x7x12xf32>) -> tensor<3x7x12xf32>
  %1 = train.constant dense<0> : tensor<i32>
  %2 = train.dynamic_update_slice %arg1, %arg1, %1 : (tensor<7xf32>, tensor<7xf32>, tensor<i32>) -> tensor<7xf32>
  %3 = train.reduce %0 {dims = array<i64: 2>, kind = #train<reduce_kind add>} : (tensor<3x7x12xf32>) -> tensor<3x7xf32>
  %4 = train.constant dense<0.0833333358> : tensor<f32>
  %5 = train.broadcast_in_dim %4 {dims = array<i64>} : (tensor<f32>) -> tensor<3x7xf32>
  %6 = train.multiply %3, %5 : (tensor<3x7xf32>, tensor<3x7xf32>) -> tensor<3x7xf32>
  %7 = train.broadcast_in_dim %2 {dims = array<i64: 1>} : (tensor<7xf32>) -> tensor<3x7xf32>
  %8 = train.multiply %6, %7 : (tensor<3x7xf32>, tensor<3x7xf32>) -> tensor<3x7xf32>
  return %0, %6, %8 : tensor<3x7x12xf32>, tensor<3x7xf32>, tensor<3x7xf32>
}
func.func @sort_312c69a27f72b4ad(%arg0: tensor<3x7xf32>) -> tensor<3x7xf32> {
  %0 = train.sort %arg0 {dim = 1 : i64} : (tensor<3x7xf32>) -> tensor<3x7xf32>
  return %0 : tensor<3x7xf32>
}
func.func @sort_1a73a70d13326a31(%arg0: tensor<3x7xi32>, %arg1: tensor<3x7xf32>) -> (tensor<3x7xi32>, tensor<3x7xf32>) {
  %0:2 = train.sort %arg0, %arg1 {dim = 1 : i64} : (tensor<3x7xi32>, tensor<3x7xf32>) -> (tensor<3x7xi32>, tensor<3x7xf32>)
  return %0#0, %0#1 : tensor<3x7xi32>, tensor<3x7xf32>
}
func.func @add_943521ecb92d72b5(%arg0: tensor<21xf32>, %arg1: tensor<7xf32>) -> tensor<7xf32> {
  %0 = train.slice %arg0 {limit = array<i64: 7>, start = array<i64: 0>, stride = array<i64: 1>} : (tensor<21xf32>) -> tensor<7xf32>
  %1 = train.slice %arg0 {limit = array<i64: 14>, start = array<i64: 7>, stride = array<i64: 1>} : (tensor<21xf32>) -> tensor<7xf32>
  %2 = train.slice %arg0 {limit = array<i64: 21>, start = array<i64: 14>, stride = array<i64: 1>} : (tensor<21xf32>) -> tensor<7xf32>
  %3 = train.constant dense<0.000000e+00> : tensor<7xf32>
  %4 = train.constant dense<0> : tensor<i32>
  %5 = train.dynamic_update_slice %arg1, %3, %4 : (tensor<7xf32>, tensor<7xf32>, tensor<i32>) -> tensor<7xf32>
  %6 = train.dynamic_slice %arg1, %4 {sizes = array<i64: 7>} : (tensor<7xf32>, tensor<i32>) -> tensor<7xf32>
  %7 = train.add %5, %6 : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
  %8 = train.add %7, %0 : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
  %9 = train.add %8, %1 : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
  %10 = train.add %9, %2 : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
  return %10 : tensor<7xf32>
}
func.func @dot_general_3a35cd6cf212b940(%arg0: tensor<f32>, %arg1: tensor<4xf32>, %arg2: tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>) {
  %0 = train.broadcast_in_dim %arg0 {dims = array<i64>} : (tensor<f32>) -> tensor<4xf32>
  %1 = train.subtract %arg1, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = train.dot_general %arg2, %1 {lhs_batching = array<i64: 0>, lhs_contracting = array<i64>, rhs_batching = array<i64: 0>, rhs_contracting = array<i64>} : (tensor<4x3xf32>, tensor<4xf32>) -> tensor<4x3xf32>
  %3 = train.tanh %2 : (tensor<4x3xf32>) -> tensor<4x3xf32>
  %4 = train.cosine %3 : (tensor<4x3xf32>) -> tensor<4x3xf32>
  %5 = train.minimum %4, %3 : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  return %3, %4, %5 : tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>
}
func.func @dot_general_d845c3706edb8733(%arg0: tensor<4x3xf32>, %arg1: tensor<4xf32>) -> tensor<4x3xf32> {
  %0 = train.reverse %arg0 {dims = array<i64: 1>} : (tensor<4x3xf32>) -> tensor<4x3xf32>
  %1 = train.dot_general %arg1, %0 {lhs_batching = array<i64: 0>, lhs_contracting = array<i64>, rhs_batching = array<i64: 0>, rhs_contracting = array<i64>} : (tensor<4xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  return %1 : tensor<4x3xf32>
}
func.func @reduce_fc852a77ddd9c5f0(%arg0: tensor<4xi32>, %arg1: tensor<4xf32>, %arg2: tensor<f32>, %arg3: tensor<f32>, %arg4: tensor<f32>) -> (tensor<4xf32>, tensor<f32>) {
  %0 = train.abs %arg0 : (tensor<4xi32>) -> tensor<4xi32>
  %1 = train.constant dense<7> : tensor<i32>
  %2 = train.broadcast_in_dim %1 {dims = array<i64>} : (tensor<i32>) -> tensor<4xi32>
  %3 = train.and %0, %2 : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %4 = train.constant dense<2.500000e-01> : tensor<f32>
  %5 = train.constant dense<1.250000e-01> : tensor<f32>
  %6 = train.tanh %arg1 : (tensor<4xf32>) -> tensor<4xf32>
  %7 = train.reduce %6 {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<4xf32>) -> tensor<f32>
  %8 = train.multiply %7, %4 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %9 = train.convert %3 : (tensor<4xi32>) -> tensor<4xf32>
  %10 = train.iota  {dim = 0 : i64} : () -> tensor<4xf32>
  %11 = train.cosine %10 : (tensor<4xf32>) -> tensor<4xf32>
  %12 = train.multiply %9, %11 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %13 = train.reduce %12 {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<4xf32>) -> tensor<f32>
  %14 = train.multiply %13, %5 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %15 = train.add %arg2, %arg3 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %16 = train.add %15, %arg4 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %17 = train.add %16, %8 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %18 = train.add %17, %14 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %6, %18 : tensor<4xf32>, tensor<f32>
}
func.func @dot_general_43e7a92f2f474c8a(%arg0: tensor<4xf32>, %arg1: tensor<4x5xf32>, %arg2: tensor<4x3xf32>, %arg3: tensor<i32>) -> (tensor<4x5xf32>, tensor<4x5xf32>) {
  %0 = train.dot_general %arg0, %arg1 {lhs_batching = array<i64: 0>, lhs_contracting = array<i64>, rhs_batching = array<i64: 0>, rhs_contracting = array<i64>} : (tensor<4xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  %1 = train.constant dense<0.000000e+00> : tensor<f32>
  %2 = train.pad %arg2, %1 {high = array<i64: 0, 0>, interior = array<i64: 0, 1>, low = array<i64: 0, 1>} : (tensor<4x3xf32>, tensor<f32>) -> tensor<4x6xf32>
  %3 = train.constant dense<0> : tensor<i32>
  %4 = train.dynamic_slice %2, %3, %arg3 {sizes = array<i64: 4, 5>} : (tensor<4x6xf32>, tensor<i32>, tensor<i32>) -> tensor<4x5xf32>
  %5 = train.constant dense<0.000000e+00> : tensor<4x5xf32>
  %6 = train.compare %4, %5 {direction = #train<compare_direction EQ>} : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xi1>
  %7 = train.select %6, %0, %5 : (tensor<4x5xi1>, tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  return %0, %7 : tensor<4x5xf32>, tensor<4x5xf32>
}
func.func @dot_general_7e41c940e946c670(%arg0: tensor<2x6x3xf32>, %arg1: tensor<i32>) -> tensor<6x2xf32> {
  %0 = train.dot_general %arg0, %arg0 {lhs_batching = array<i64: 1, 0>, lhs_contracting = array<i64: 2>, rhs_batching = array<i64: 1, 0>, rhs_contracting = array<i64: 2>} : (tensor<2x6x3xf32>, tensor<2x6x3xf32>) -> tensor<6x2xf32>
  %1 = train.constant dense<0.577350259> : tensor<f32>
  %2 = train.broadcast_in_dim %1 {dims = array<i64>} : (tensor<f32>) -> tensor<6x2xf32>
  %3 = train.multiply %0, %2 : (tensor<6x2xf32>, tensor<6x2xf32>) -> tensor<6x2xf32>
  %4 = train.iota %arg1 {dim = 1 : i64} : (tensor<i32>) -> tensor<6x2xi32>
  %5 = train.constant dense<4> : tensor<6x2xi32>
  %6 = train.compare %4, %5 {direction = #train<compare_direction GE>} : (tensor<6x2xi32>, tensor<6x2xi32>) -> tensor<6x2xi1>
  %7 = train.constant dense<0.000000e+00> : tensor<6x2xf32>
  %8 = train.select %6, %7, %3 : (tensor<6x2xi1>, tensor<6x2xf32>, tensor<6x2xf32>) -> tensor<6x2xf32>
  %9 = train.iota %arg1 {dim = 1 : i64} : (tensor<i32>) -> tensor<6x2xf32>
  %10 = train.cosine %9 : (tensor<6x2xf32>) -> tensor<6x2xf32>
  %11 = train.multiply %8, %10 : (tensor<6x2xf32>, tensor<6x2xf32>) -> tensor<6x2xf32>
  return %11 : tensor<6x2xf32>
}
func.func @sum_of_squares_9d68e2d9e226ded6(%arg0: tensor<3xi32>, %arg1: tensor<6xf32>) -> tensor<1xf32> {
  %0 = train.constant dense<3> : tensor<i32>
  %1 = train.slice %arg0 {limit = array<i64: 2>, start = array<i64: 1>, stride = array<i64: 1>} : (tensor<3xi32>) -> tensor<1xi32>
  %2 = train.reshape %1 : (tensor<1xi32>) -> tensor<i32>
  %3 = train.multiply %2, %0 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %4 = train.dynamic_slice %arg1, %3 {sizes = array<i64: 3>} : (tensor<6xf32>, tensor<i32>) -> tensor<3xf32>
  %5 = train.sum_of_squares %4 : (tensor<3xf32>) -> tensor<1xf32>
  return %5 : tensor<1xf32>
}
func.func @lion_d24498ec42973065(%arg0: tensor<1xf32>, %arg1: tensor<1xf32>, %arg2: tensor<1xf32>, %arg3: tensor<1xf32>, %arg4: tensor<1xf32>, %arg5: tensor<1xf32>, %arg6: tensor<1xf32>, %arg7: tensor<1xf32>, %arg8: tensor<1xf32>, %arg9: tensor<1xf32>, %arg10: tensor<1xf32>, %arg11: tensor<1xf32>, %arg12: tensor<1xf32>, %arg13: tensor<1xf32>, %arg14: tensor<16xf32>, %arg15: tensor<1xf32>, %arg16: tensor<1xf32>, %arg17: tensor<1xf32>) -> (tensor<14xf32>, tensor<f32>, tensor<i1>, tensor<f32>, tensor<1xf32>, tensor<1xf32>) {
  %0 = train.concatenate %arg0, %arg1, %arg2, %arg3, %arg4, %arg5, %arg6, %arg7, %arg8, %arg9, %arg10, %arg11, %arg12, %arg13 {dim = 0 : i64} : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<14xf32>
  %1 = train.reduce %0 {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<14xf32>) -> tensor<f32>
  %2 = train.sqrt %1 : (tensor<f32>) -> tensor<f32>
  %3 = train.is_finite %1 : (tensor<f32>) -> tensor<i1>
  %4 = train.constant dense<9.99999997E-7> : tensor<f32>
  %5 = train.add %2, %4 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %6 = train.constant dense<1.000000e+00> : tensor<f32>
  %7 = train.slice %arg14 {limit = array<i64: 7>, start = array<i64: 6>, stride = array<i64: 1>} : (tensor<16xf32>) -> tensor<1xf32>
  %8 = train.reshape %7 : (tensor<1xf32>) -> tensor<f32>
  %9 = train.divide %8, %5 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %10 = train.minimum %6, %9 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %new_parameter, %more = train.update %arg15, %arg16, %arg17, %arg14, %10, %3 {decay = false, optimizer = "lion"} : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<16xf32>, tensor<f32>, tensor<i1>) -> (tensor<1xf32>, tensor<1xf32>)
  return %0, %2, %3, %10, %new_parameter, %more : tensor<14xf32>, tensor<f32>, tensor<i1>, tensor<f32>, tensor<1xf32>, tensor<1xf32>
}
func.func @lion_7dd81d95f4fd4e5b(%arg0: tensor<13x16xf32>, %arg1: tensor<13x16xf32>, %arg2: tensor<13x16xf32>, %arg3: tensor<16xf32>, %arg4: tensor<f32>, %arg5: tensor<i1>) -> (tensor<13x16xf32>, tensor<13x16xf32>, tensor<13x16xbf16>) {
  %new_parameter, %more:2 = train.update %arg0, %arg1, %arg2, %arg3, %arg4, %arg5 {decay = true, optimizer = "lion"} : (tensor<13x16xf32>, tensor<13x16xf32>, tensor<13x16xf32>, tensor<16xf32>, tensor<f32>, tensor<i1>) -> (tensor<13x16xf32>, tensor<13x16xf32>, tensor<13x16xbf16>)
  return %new_parameter, %more#0, %more#1 : tensor<13x16xf32>, tensor<13x16xf32>, tensor<13x16xbf16>
}
func.func @attention_f2e10f6d0ab93d6e(%arg0: tensor<2xi32>, %arg1: tensor<i32>, %arg2: tensor<ui32>, %arg3: tensor<ui32>, %arg4: tensor<ui32>, %arg5: tensor<1x6x2x4xf32>, %arg6: tensor<1x12x2x4xf32>, %arg7: tensor<1x12x2x4xf32>) -> tensor<1x6x2x4xf32> {
  %0 = train.constant dense<1> : tensor<i32>
  %1 = train.slice %arg0 {limit = array<i64: 1>, start = array<i64: 0>, stride = array<i64: 1>} : (tensor<2xi32>) -> tensor<1xi32>
  %2 = train.reshape %1 : (tensor<1xi32>) -> tensor<i32>
  %3 = train.multiply %2, %0 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %4 = train.constant dense<3> : tensor<ui32>
  %5 = train.constant dense<13> : tensor<ui32>
  %6 = train.constant dense<19> : tensor<ui32>
  %7 = train.constant dense<15> : tensor<ui32>
  %8 = train.constant dense<17> : tensor<ui32>
  %9 = train.constant dense<26> : tensor<ui32>
  %10 = train.constant dense<6> : tensor<ui32>
  %11 = train.constant dense<1> : tensor<ui32>
  %12 = train.constant dense<29> : tensor<ui32>
  %13 = train.constant dense<16> : tensor<ui32>
  %14 = train.constant dense<24> : tensor<ui32>
  %15 = train.constant dense<8> : tensor<ui32>
  %16 = train.constant dense<2> : tensor<ui32>
  %17 = train.constant dense<4> : tensor<ui32>
  %18 = train.constant dense<5> : tensor<ui32>
  %19 = train.constant dense<7.500000e-01> : tensor<f32>
  %20 = train.constant dense<0.000000e+00> : tensor<f32>
  %21 = train.constant dense<144> : tensor<ui64>
  %22 = train.constant dense<12> : tensor<ui64>
  %23 = train.constant dense<32> : tensor<ui64>
  %24 = train.constant dense<9> : tensor<ui32>
  %25 = train.constant dense<1065353216> : tensor<ui32>
  %26 = train.constant dense<1.000000e+00> : tensor<f32>
  %27 = train.iota %3 {dim = 0 : i64} : (tensor<i32>) -> tensor<1x2x6x12xui64>
  %28 = train.iota  {dim = 1 : i64} : () -> tensor<1x2x6x12xui64>
  %29 = train.iota %arg1 {dim = 2 : i64} : (tensor<i32>) -> tensor<1x2x6x12xui64>
  %30 = train.iota  {dim = 3 : i64} : () -> tensor<1x2x6x12xui64>
  %31 = train.constant dense<288> : tensor<ui64>
  %32 = train.broadcast_in_dim %31 {dims = array<i64>} : (tensor<ui64>) -> tensor<1x2x6x12xui64>
  %33 = train.multiply %32, %27 : (tensor<1x2x6x12xui64>, tensor<1x2x6x12xui64>) -> tensor<1x2x6x12xui64>
  %34 = train.broadcast_in_dim %21 {dims = array<i64>} : (tensor<ui64>) -> tensor<1x2x6x12xui64>
  %35 = train.multiply %34, %28 : (tensor<1x2x6x12xui64>, tensor<1x2x6x12xui64>) -> tensor<1x2x6x12xui64>
  %36 = train.broadcast_in_dim %22 {dims = array<i64>} : (tensor<ui64>) -> tensor<1x2x6x12xui64>
  %37 = train.multiply %36, %29 : (tensor<1x2x6x12xui64>, tensor<1x2x6x12xui64>) -> tensor<1x2x6x12xui64>
  %38 = train.add %33, %35 : (tensor<1x2x6x12xui64>, tensor<1x2x6x12xui64>) -> tensor<1x2x6x12xui64>
  %39 = train.add %38, %37 : (tensor<1x2x6x12xui64>, tensor<1x2x6x12xui64>) -> tensor<1x2x6x12xui64>
  %40 = train.add %39, %30 : (tensor<1x2x6x12xui64>, tensor<1x2x6x12xui64>) -> tensor<1x2x6x12xui64>
  %41 = train.broadcast_in_dim %23 {dims = array<i64>} : (tensor<ui64>) -> tensor<1x2x6x12xui64>
  %42 = train.shift_right_logical %40, %41 : (tensor<1x2x6x12xui64>, tensor<1x2x6x12xui64>) -> tensor<1x2x6x12xui64>
  %43 = train.convert %40 : (tensor<1x2x6x12xui64>) -> tensor<1x2x6x12xui32>
  %44 = train.convert %42 : (tensor<1x2x6x12xui64>) -> tensor<1x2x6x12xui32>
  %45 = train.broadcast_in_dim %arg2 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x6x12xui32>
  %46 = train.add %44, %45 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %47 = train.broadcast_in_dim %arg3 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x6x12xui32>
  %48 = train.add %43, %47 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %49 = train.add %46, %48 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %50 = train.broadcast_in_dim %5 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x6x12xui32>
  %51 = train.shift_left %48, %50 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %52 = train.broadcast_in_dim %6 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x6x12xui32>
  %53 = train.shift_right_logical %48, %52 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %54 = train.or %51, %53 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %55 = train.xor %49, %54 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %56 = train.add %49, %55 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %57 = train.broadcast_in_dim %7 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x6x12xui32>
  %58 = train.shift_left %55, %57 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %59 = train.broadcast_in_dim %8 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x6x12xui32>
  %60 = train.shift_right_logical %55, %59 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %61 = train.or %58, %60 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %62 = train.xor %56, %61 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %63 = train.add %56, %62 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %64 = train.broadcast_in_dim %9 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x6x12xui32>
  %65 = train.shift_left %62, %64 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %66 = train.broadcast_in_dim %10 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x6x12xui32>
  %67 = train.shift_right_logical %62, %66 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %68 = train.or %65, %67 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %69 = train.xor %63, %68 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %70 = train.add %63, %69 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %71 = train.shift_left %69, %66 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %72 = train.shift_right_logical %69, %64 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %73 = train.or %71, %72 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %74 = train.xor %70, %73 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %75 = train.add %70, %47 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %76 = train.broadcast_in_dim %arg4 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x6x12xui32>
  %77 = train.add %74, %76 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %78 = train.broadcast_in_dim %11 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x6x12xui32>
  %79 = train.add %77, %78 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %80 = train.add %75, %79 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %81 = train.shift_left %79, %59 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %82 = train.shift_right_logical %79, %57 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %83 = train.or %81, %82 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %84 = train.xor %80, %83 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %85 = train.add %80, %84 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %86 = train.broadcast_in_dim %12 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x6x12xui32>
  %87 = train.shift_left %84, %86 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %88 = train.broadcast_in_dim %4 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x6x12xui32>
  %89 = train.shift_right_logical %84, %88 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %90 = train.or %87, %89 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %91 = train.xor %85, %90 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %92 = train.add %85, %91 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %93 = train.broadcast_in_dim %13 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x6x12xui32>
  %94 = train.shift_left %91, %93 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %95 = train.shift_right_logical %91, %93 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %96 = train.or %94, %95 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %97 = train.xor %92, %96 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %98 = train.add %92, %97 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %99 = train.broadcast_in_dim %14 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x6x12xui32>
  %100 = train.shift_left %97, %99 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %101 = train.broadcast_in_dim %15 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x6x12xui32>
  %102 = train.shift_right_logical %97, %101 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %103 = train.or %100, %102 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %104 = train.xor %98, %103 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %105 = train.add %98, %76 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %106 = train.add %104, %45 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %107 = train.broadcast_in_dim %16 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x6x12xui32>
  %108 = train.add %106, %107 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %109 = train.add %105, %108 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %110 = train.shift_left %108, %50 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %111 = train.shift_right_logical %108, %52 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %112 = train.or %110, %111 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %113 = train.xor %109, %112 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %114 = train.add %109, %113 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %115 = train.shift_left %113, %57 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %116 = train.shift_right_logical %113, %59 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %117 = train.or %115, %116 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %118 = train.xor %114, %117 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %119 = train.add %114, %118 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %120 = train.shift_left %118, %64 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %121 = train.shift_right_logical %118, %66 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %122 = train.or %120, %121 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %123 = train.xor %119, %122 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %124 = train.add %119, %123 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %125 = train.shift_left %123, %66 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %126 = train.shift_right_logical %123, %64 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %127 = train.or %125, %126 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %128 = train.xor %124, %127 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %129 = train.add %124, %45 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %130 = train.add %128, %47 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %131 = train.add %130, %88 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %132 = train.add %129, %131 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %133 = train.shift_left %131, %59 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %134 = train.shift_right_logical %131, %57 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %135 = train.or %133, %134 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %136 = train.xor %132, %135 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %137 = train.add %132, %136 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %138 = train.shift_left %136, %86 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %139 = train.shift_right_logical %136, %88 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %140 = train.or %138, %139 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %141 = train.xor %137, %140 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %142 = train.add %137, %141 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %143 = train.shift_left %141, %93 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %144 = train.shift_right_logical %141, %93 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %145 = train.or %143, %144 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %146 = train.xor %142, %145 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %147 = train.add %142, %146 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %148 = train.shift_left %146, %99 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %149 = train.shift_right_logical %146, %101 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %150 = train.or %148, %149 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %151 = train.xor %147, %150 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %152 = train.add %147, %47 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %153 = train.add %151, %76 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %154 = train.broadcast_in_dim %17 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x6x12xui32>
  %155 = train.add %153, %154 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %156 = train.add %152, %155 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %157 = train.shift_left %155, %50 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %158 = train.shift_right_logical %155, %52 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %159 = train.or %157, %158 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %160 = train.xor %156, %159 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %161 = train.add %156, %160 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %162 = train.shift_left %160, %57 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %163 = train.shift_right_logical %160, %59 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %164 = train.or %162, %163 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %165 = train.xor %161, %164 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %166 = train.add %161, %165 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %167 = train.shift_left %165, %64 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %168 = train.shift_right_logical %165, %66 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %169 = train.or %167, %168 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %170 = train.xor %166, %169 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %171 = train.add %166, %170 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %172 = train.shift_left %170, %66 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %173 = train.shift_right_logical %170, %64 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %174 = train.or %172, %173 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %175 = train.xor %171, %174 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %176 = train.add %171, %76 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %177 = train.add %175, %45 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %178 = train.broadcast_in_dim %18 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x6x12xui32>
  %179 = train.add %177, %178 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %180 = train.xor %176, %179 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %181 = train.broadcast_in_dim %24 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x6x12xui32>
  %182 = train.shift_right_logical %180, %181 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %183 = train.broadcast_in_dim %25 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x6x12xui32>
  %184 = train.or %182, %183 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %185 = train.bitcast_convert %184 : (tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xf32>
  %186 = train.broadcast_in_dim %26 {dims = array<i64>} : (tensor<f32>) -> tensor<1x2x6x12xf32>
  %187 = train.subtract %185, %186 : (tensor<1x2x6x12xf32>, tensor<1x2x6x12xf32>) -> tensor<1x2x6x12xf32>
  %188 = train.broadcast_in_dim %20 {dims = array<i64>} : (tensor<f32>) -> tensor<1x2x6x12xf32>
  %189 = train.add %187, %188 : (tensor<1x2x6x12xf32>, tensor<1x2x6x12xf32>) -> tensor<1x2x6x12xf32>
  %190 = train.maximum %188, %189 : (tensor<1x2x6x12xf32>, tensor<1x2x6x12xf32>) -> tensor<1x2x6x12xf32>
  %191 = train.broadcast_in_dim %19 {dims = array<i64>} : (tensor<f32>) -> tensor<1x2x6x12xf32>
  %192 = train.compare %190, %191 {direction = #train<compare_direction LT>} : (tensor<1x2x6x12xf32>, tensor<1x2x6x12xf32>) -> tensor<1x2x6x12xi1>
  %result, %lse = train.attention %arg5, %arg6, %arg7, %arg1, %192 {after = 0 : i64, fill = -3.4028234663852886E+38 : f64, kept_scale = 1.3333333333333333 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 1, 0, 1>, scale = 1.000000e+00 : f64} : (tensor<1x6x2x4xf32>, tensor<1x12x2x4xf32>, tensor<1x12x2x4xf32>, tensor<i32>, tensor<1x2x6x12xi1>) -> (tensor<1x6x2x4xf32>, tensor<1x6x2xf32>)
  return %result : tensor<1x6x2x4xf32>
}
func.func @reduce_42f5290c329ab02d(%arg0: tensor<2xi32>, %arg1: tensor<1x12x4xbf16>, %arg2: tensor<1x12x1x4xbf16>) -> (tensor<1x12x4xbf16>, tensor<1x12x1xf32>) {
  %0 = train.constant dense<0.000000e+00> : tensor<bf16>
  %1 = train.broadcast_in_dim %0 {dims = array<i64>} : (tensor<bf16>) -> tensor<1x12x4xbf16>
  %2 = train.constant dense<4> : tensor<i32>
  %3 = train.slice %arg0 {limit = array<i64: 2>, start = array<i64: 1>, stride = array<i64: 1>} : (tensor<2xi32>) -> tensor<1xi32>
  %4 = train.reshape %3 : (tensor<1xi32>) -> tensor<i32>
  %5 = train.multiply %4, %2 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %6 = train.iota %5 {dim = 0 : i64} : (tensor<i32>) -> tensor<4xi32>
  %7 = train.constant dense<6> : tensor<4xi32>
  %8 = train.compare %6, %7 {direction = #train<compare_direction LT>} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  %9 = train.broadcast_in_dim %8 {dims = array<i64: 2>} : (tensor<4xi1>) -> tensor<1x12x4xi1>
  %10 = train.select %9, %arg1, %1 : (tensor<1x12x4xi1>, tensor<1x12x4xbf16>, tensor<1x12x4xbf16>) -> tensor<1x12x4xbf16>
  %11 = train.pad %10, %0 {high = array<i64: 0, 0, 0>, interior = array<i64: 0, 0, 0>, low = array<i64: 0, 0, 0>} : (tensor<1x12x4xbf16>, tensor<bf16>) -> tensor<1x12x4xbf16>
  %12 = train.reshape %11 : (tensor<1x12x4xbf16>) -> tensor<1x12x1x4xbf16>
  %13 = train.convert %12 : (tensor<1x12x1x4xbf16>) -> tensor<1x12x1x4xf32>
  %14 = train.convert %arg2 : (tensor<1x12x1x4xbf16>) -> tensor<1x12x1x4xf32>
  %15 = train.multiply %13, %14 : (tensor<1x12x1x4xf32>, tensor<1x12x1x4xf32>) -> tensor<1x12x1x4xf32>
  %16 = train.reduce %15 {dims = array<i64: 3>, kind = #train<reduce_kind add>} : (tensor<1x12x1x4xf32>) -> tensor<1x12x1xf32>
  return %11, %16 : tensor<1x12x4xbf16>, tensor<1x12x1xf32>
}
func.func @attention_gradient_74068684ae2c4b91(%arg0: tensor<12x12xf32>, %arg1: tensor<1x12x1x4xbf16>, %arg2: tensor<1x12x1x4xbf16>, %arg3: tensor<1x12x1x4xbf16>, %arg4: tensor<1x1x12x12xf32>, %arg5: tensor<1x12x1xf32>, %arg6: tensor<1x12x1xf32>, %arg7: tensor<1x12x1x4xbf16>) -> (tensor<1x12x1x4xbf16>, tensor<1x12x1x4xbf16>, tensor<1x12x1x4xbf16>) {
  %0 = train.constant dense<7.500000e-01> : tensor<f32>
  %1 = train.broadcast_in_dim %0 {dims = array<i64>} : (tensor<f32>) -> tensor<12x12xf32>
  %2 = train.compare %arg0, %1 {direction = #train<compare_direction LT>} : (tensor<12x12xf32>, tensor<12x12xf32>) -> tensor<12x12xi1>
  %3 = train.reshape %2 : (tensor<12x12xi1>) -> tensor<1x1x12x12xi1>
  %query_gradient, %key_gradient, %value_gradient = train.attention_gradient %arg1, %arg2, %arg3, %arg4, %arg5, %arg6, %arg7, %3 {fill = 0xFFF0000000000000 : f64, kept_scale = 1.3333333333333333 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 1, 1, 1, 1>, scale = 5.000000e-01 : f64} : (tensor<1x12x1x4xbf16>, tensor<1x12x1x4xbf16>, tensor<1x12x1x4xbf16>, tensor<1x1x12x12xf32>, tensor<1x12x1xf32>, tensor<1x12x1xf32>, tensor<1x12x1x4xbf16>, tensor<1x1x12x12xi1>) -> (tensor<1x12x1x4xbf16>, tensor<1x12x1x4xbf16>, tensor<1x12x1x4xbf16>)
  return %query_gradient, %key_gradient, %value_gradient : tensor<1x12x1x4xbf16>, tensor<1x12x1x4xbf16>, tensor<1x12x1x4xbf16>
}
func.func @attention_gradient_83d221fcefc7ee32(%arg0: tensor<12x12xf32>, %arg1: tensor<1x12x1x4xf32>, %arg2: tensor<1x12x1x4xf32>, %arg3: tensor<1x12x1x4xf32>, %arg4: tensor<1x1x12x12xf32>, %arg5: tensor<1x12x1xf32>, %arg6: tensor<1x12x1xf32>, %arg7: tensor<1x12x1x4xf32>) -> (tensor<1x12x1x4xf32>, tensor<1x12x1x4xf32>, tensor<1x12x1x4xf32>) {
  %0 = train.constant dense<7.500000e-01> : tensor<f32>
  %1 = train.broadcast_in_dim %0 {dims = array<i64>} : (tensor<f32>) -> tensor<12x12xf32>
  %2 = train.compare %arg0, %1 {direction = #train<compare_direction LT>} : (tensor<12x12xf32>, tensor<12x12xf32>) -> tensor<12x12xi1>
  %3 = train.reshape %2 : (tensor<12x12xi1>) -> tensor<1x1x12x12xi1>
  %query_gradient, %key_gradient, %value_gradient = train.attention_gradient %arg1, %arg2, %arg3, %arg4, %arg5, %arg6, %arg7, %3 {fill = 0xFFF0000000000000 : f64, kept_scale = 1.3333333333333333 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 1, 1, 1, 1>, scale = 5.000000e-01 : f64} : (tensor<1x12x1x4xf32>, tensor<1x12x1x4xf32>, tensor<1x12x1x4xf32>, tensor<1x1x12x12xf32>, tensor<1x12x1xf32>, tensor<1x12x1xf32>, tensor<1x12x1x4xf32>, tensor<1x1x12x12xi1>) -> (tensor<1x12x1x4xf32>, tensor<1x12x1x4xf32>, tensor<1x12x1x4xf32>)
  return %query_gradient, %key_gradient, %value_gradient : tensor<1x12x1x4xf32>, tensor<1x12x1x4xf32>, tensor<1x12x1x4xf32>
}
func.func @dot_general_10f6c6ed4ff30c69(%arg0: tensor<1x12x6xf32>, %arg1: tensor<6x1x4xbf16>) -> tensor<1x12x1x4xf32> {
  %0 = train.convert %arg0 : (tensor<1x12x6xf32>) -> tensor<1x12x6xbf16>
  %1 = train.dot_general %0, %arg1 {lhs_batching = array<i64>, lhs_contracting = array<i64: 2>, rhs_batching = array<i64>, rhs_contracting = array<i64: 0>} : (tensor<1x12x6xbf16>, tensor<6x1x4xbf16>) -> tensor<1x12x1x4xf32>
  %2 = train.convert %1 : (tensor<1x12x1x4xf32>) -> tensor<1x12x1x4xbf16>
  %3 = train.convert %2 : (tensor<1x12x1x4xbf16>) -> tensor<1x12x1x4xf32>
  %4 = train.constant dense<4.000000e+00> : tensor<f32>
  %5 = train.sqrt %4 : (tensor<f32>) -> tensor<f32>
  %6 = train.broadcast_in_dim %5 {dims = array<i64>} : (tensor<f32>) -> tensor<1x12x1x4xf32>
  %7 = train.divide %3, %6 : (tensor<1x12x1x4xf32>, tensor<1x12x1x4xf32>) -> tensor<1x12x1x4xf32>
  return %7 : tensor<1x12x1x4xf32>
}
func.func @reduce_2dc5041b7038025c(%arg0: tensor<1x12x3xbf16>, %arg1: tensor<1x12x3xbf16>) -> (tensor<1x12x3xbf16>, tensor<f32>) {
  %0 = train.convert %arg0 : (tensor<1x12x3xbf16>) -> tensor<1x12x3xf32>
  %1 = train.slice %arg1 {limit = array<i64: 1, 12, 3>, start = array<i64: 0, 0, 0>, stride = array<i64: 1, 1, 1>} : (tensor<1x12x3xbf16>) -> tensor<1x12x3xbf16>
  %2 = train.convert %1 : (tensor<1x12x3xbf16>) -> tensor<1x12x3xf32>
  %3 = train.add %0, %2 : (tensor<1x12x3xf32>, tensor<1x12x3xf32>) -> tensor<1x12x3xf32>
  %4 = train.convert %3 : (tensor<1x12x3xf32>) -> tensor<1x12x3xbf16>
  %5 = train.multiply %3, %3 : (tensor<1x12x3xf32>, tensor<1x12x3xf32>) -> tensor<1x12x3xf32>
  %6 = train.reduce %5 {dims = array<i64: 0, 1, 2>, kind = #train<reduce_kind add>} : (tensor<1x12x3xf32>) -> tensor<f32>
  %7 = train.constant dense<1.440000e+02> : tensor<f32>
  %8 = train.divide %6, %7 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %4, %8 : tensor<1x12x3xbf16>, tensor<f32>
}
func.func @dot_general_400bc69d70a3c22e(%arg0: tensor<2x12x4xbf16>, %arg1: tensor<i32>, %arg2: tensor<12x1x6xbf16>) -> tensor<6x8xf32> {
  %0 = train.convert %arg0 : (tensor<2x12x4xbf16>) -> tensor<2x12x4xf32>
  %1 = train.constant dense<5.000000e-01> : tensor<f32>
  %2 = train.broadcast_in_dim %1 {dims = array<i64>} : (tensor<f32>) -> tensor<2x12x4xf32>
  %3 = train.multiply %0, %2 : (tensor<2x12x4xf32>, tensor<2x12x4xf32>) -> tensor<2x12x4xf32>
  %4 = train.convert %3 : (tensor<2x12x4xf32>) -> tensor<2x12x4xbf16>
  %5 = train.transpose %4 {permutation = array<i64: 1, 0, 2>} : (tensor<2x12x4xbf16>) -> tensor<12x2x4xbf16>
  %6 = train.reshape %5 : (tensor<12x2x4xbf16>) -> tensor<12x1x8xbf16>
  %7 = train.constant dense<0.000000e+00> : tensor<12x1x6xbf16>
  %8 = train.iota %arg1 {dim = 0 : i64} : (tensor<i32>) -> tensor<1xi32>
  %9 = train.constant dense<2> : tensor<1xi32>
  %10 = train.compare %8, %9 {direction = #train<compare_direction LT>} : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi1>
  %11 = train.broadcast_in_dim %10 {dims = array<i64: 1>} : (tensor<1xi1>) -> tensor<12x1x6xi1>
  %12 = train.select %11, %arg2, %7 : (tensor<12x1x6xi1>, tensor<12x1x6xbf16>, tensor<12x1x6xbf16>) -> tensor<12x1x6xbf16>
  %13 = train.constant dense<0.000000e+00> : tensor<12x1x8xbf16>
  %14 = train.iota %arg1 {dim = 0 : i64} : (tensor<i32>) -> tensor<1xi32>
  %15 = train.constant dense<2> : tensor<1xi32>
  %16 = train.compare %14, %15 {direction = #train<compare_direction LT>} : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi1>
  %17 = train.broadcast_in_dim %16 {dims = array<i64: 1>} : (tensor<1xi1>) -> tensor<12x1x8xi1>
  %18 = train.select %17, %6, %13 : (tensor<12x1x8xi1>, tensor<12x1x8xbf16>, tensor<12x1x8xbf16>) -> tensor<12x1x8xbf16>
  %19 = train.dot_general %12, %18 {lhs_batching = array<i64>, lhs_contracting = array<i64: 0, 1>, rhs_batching = array<i64>, rhs_contracting = array<i64: 0, 1>} : (tensor<12x1x6xbf16>, tensor<12x1x8xbf16>) -> tensor<6x8xf32>
  return %19 : tensor<6x8xf32>
}
func.func @attention_a7711d74b05c6c6(%arg0: tensor<ui32>, %arg1: tensor<ui32>, %arg2: tensor<ui32>, %arg3: tensor<1x12x1x4xbf16>, %arg4: tensor<1x12x1x4xbf16>, %arg5: tensor<1x12x1x4xbf16>, %arg6: tensor<1x1x12x12xf32>) -> (tensor<1x12x1x4xbf16>, tensor<1x12x1xf32>) {
  %0 = train.constant dense<3> : tensor<ui32>
  %1 = train.constant dense<13> : tensor<ui32>
  %2 = train.constant dense<19> : tensor<ui32>
  %3 = train.constant dense<15> : tensor<ui32>
  %4 = train.constant dense<17> : tensor<ui32>
  %5 = train.constant dense<26> : tensor<ui32>
  %6 = train.constant dense<6> : tensor<ui32>
  %7 = train.constant dense<1> : tensor<ui32>
  %8 = train.constant dense<29> : tensor<ui32>
  %9 = train.constant dense<16> : tensor<ui32>
  %10 = train.constant dense<24> : tensor<ui32>
  %11 = train.constant dense<8> : tensor<ui32>
  %12 = train.constant dense<2> : tensor<ui32>
  %13 = train.constant dense<4> : tensor<ui32>
  %14 = train.constant dense<5> : tensor<ui32>
  %15 = train.constant dense<7.500000e-01> : tensor<f32>
  %16 = train.constant dense<0.000000e+00> : tensor<f32>
  %17 = train.constant dense<12> : tensor<ui64>
  %18 = train.constant dense<32> : tensor<ui64>
  %19 = train.constant dense<9> : tensor<ui32>
  %20 = train.constant dense<1065353216> : tensor<ui32>
  %21 = train.constant dense<1.000000e+00> : tensor<f32>
  %22 = train.iota  {dim = 0 : i64} : () -> tensor<12x12xui64>
  %23 = train.iota  {dim = 1 : i64} : () -> tensor<12x12xui64>
  %24 = train.broadcast_in_dim %17 {dims = array<i64>} : (tensor<ui64>) -> tensor<12x12xui64>
  %25 = train.multiply %24, %22 : (tensor<12x12xui64>, tensor<12x12xui64>) -> tensor<12x12xui64>
  %26 = train.add %25, %23 : (tensor<12x12xui64>, tensor<12x12xui64>) -> tensor<12x12xui64>
  %27 = train.broadcast_in_dim %18 {dims = array<i64>} : (tensor<ui64>) -> tensor<12x12xui64>
  %28 = train.shift_right_logical %26, %27 : (tensor<12x12xui64>, tensor<12x12xui64>) -> tensor<12x12xui64>
  %29 = train.convert %26 : (tensor<12x12xui64>) -> tensor<12x12xui32>
  %30 = train.convert %28 : (tensor<12x12xui64>) -> tensor<12x12xui32>
  %31 = train.broadcast_in_dim %arg0 {dims = array<i64>} : (tensor<ui32>) -> tensor<12x12xui32>
  %32 = train.add %30, %31 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %33 = train.broadcast_in_dim %arg1 {dims = array<i64>} : (tensor<ui32>) -> tensor<12x12xui32>
  %34 = train.add %29, %33 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %35 = train.add %32, %34 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %36 = train.broadcast_in_dim %1 {dims = array<i64>} : (tensor<ui32>) -> tensor<12x12xui32>
  %37 = train.shift_left %34, %36 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %38 = train.broadcast_in_dim %2 {dims = array<i64>} : (tensor<ui32>) -> tensor<12x12xui32>
  %39 = train.shift_right_logical %34, %38 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %40 = train.or %37, %39 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %41 = train.xor %35, %40 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %42 = train.add %35, %41 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %43 = train.broadcast_in_dim %3 {dims = array<i64>} : (tensor<ui32>) -> tensor<12x12xui32>
  %44 = train.shift_left %41, %43 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %45 = train.broadcast_in_dim %4 {dims = array<i64>} : (tensor<ui32>) -> tensor<12x12xui32>
  %46 = train.shift_right_logical %41, %45 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %47 = train.or %44, %46 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %48 = train.xor %42, %47 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %49 = train.add %42, %48 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %50 = train.broadcast_in_dim %5 {dims = array<i64>} : (tensor<ui32>) -> tensor<12x12xui32>
  %51 = train.shift_left %48, %50 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %52 = train.broadcast_in_dim %6 {dims = array<i64>} : (tensor<ui32>) -> tensor<12x12xui32>
  %53 = train.shift_right_logical %48, %52 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %54 = train.or %51, %53 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %55 = train.xor %49, %54 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %56 = train.add %49, %55 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %57 = train.shift_left %55, %52 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %58 = train.shift_right_logical %55, %50 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %59 = train.or %57, %58 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %60 = train.xor %56, %59 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %61 = train.add %56, %33 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %62 = train.broadcast_in_dim %arg2 {dims = array<i64>} : (tensor<ui32>) -> tensor<12x12xui32>
  %63 = train.add %60, %62 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %64 = train.broadcast_in_dim %7 {dims = array<i64>} : (tensor<ui32>) -> tensor<12x12xui32>
  %65 = train.add %63, %64 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %66 = train.add %61, %65 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %67 = train.shift_left %65, %45 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %68 = train.shift_right_logical %65, %43 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %69 = train.or %67, %68 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %70 = train.xor %66, %69 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %71 = train.add %66, %70 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %72 = train.broadcast_in_dim %8 {dims = array<i64>} : (tensor<ui32>) -> tensor<12x12xui32>
  %73 = train.shift_left %70, %72 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %74 = train.broadcast_in_dim %0 {dims = array<i64>} : (tensor<ui32>) -> tensor<12x12xui32>
  %75 = train.shift_right_logical %70, %74 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %76 = train.or %73, %75 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %77 = train.xor %71, %76 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %78 = train.add %71, %77 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %79 = train.broadcast_in_dim %9 {dims = array<i64>} : (tensor<ui32>) -> tensor<12x12xui32>
  %80 = train.shift_left %77, %79 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %81 = train.shift_right_logical %77, %79 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %82 = train.or %80, %81 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %83 = train.xor %78, %82 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %84 = train.add %78, %83 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %85 = train.broadcast_in_dim %10 {dims = array<i64>} : (tensor<ui32>) -> tensor<12x12xui32>
  %86 = train.shift_left %83, %85 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %87 = train.broadcast_in_dim %11 {dims = array<i64>} : (tensor<ui32>) -> tensor<12x12xui32>
  %88 = train.shift_right_logical %83, %87 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %89 = train.or %86, %88 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %90 = train.xor %84, %89 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %91 = train.add %84, %62 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %92 = train.add %90, %31 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %93 = train.broadcast_in_dim %12 {dims = array<i64>} : (tensor<ui32>) -> tensor<12x12xui32>
  %94 = train.add %92, %93 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %95 = train.add %91, %94 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %96 = train.shift_left %94, %36 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %97 = train.shift_right_logical %94, %38 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %98 = train.or %96, %97 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %99 = train.xor %95, %98 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %100 = train.add %95, %99 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %101 = train.shift_left %99, %43 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %102 = train.shift_right_logical %99, %45 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %103 = train.or %101, %102 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %104 = train.xor %100, %103 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %105 = train.add %100, %104 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %106 = train.shift_left %104, %50 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %107 = train.shift_right_logical %104, %52 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %108 = train.or %106, %107 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %109 = train.xor %105, %108 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %110 = train.add %105, %109 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %111 = train.shift_left %109, %52 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %112 = train.shift_right_logical %109, %50 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %113 = train.or %111, %112 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %114 = train.xor %110, %113 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %115 = train.add %110, %31 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %116 = train.add %114, %33 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %117 = train.add %116, %74 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %118 = train.add %115, %117 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %119 = train.shift_left %117, %45 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %120 = train.shift_right_logical %117, %43 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %121 = train.or %119, %120 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %122 = train.xor %118, %121 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %123 = train.add %118, %122 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %124 = train.shift_left %122, %72 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %125 = train.shift_right_logical %122, %74 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %126 = train.or %124, %125 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %127 = train.xor %123, %126 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %128 = train.add %123, %127 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %129 = train.shift_left %127, %79 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %130 = train.shift_right_logical %127, %79 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %131 = train.or %129, %130 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %132 = train.xor %128, %131 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %133 = train.add %128, %132 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %134 = train.shift_left %132, %85 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %135 = train.shift_right_logical %132, %87 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %136 = train.or %134, %135 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %137 = train.xor %133, %136 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %138 = train.add %133, %33 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %139 = train.add %137, %62 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %140 = train.broadcast_in_dim %13 {dims = array<i64>} : (tensor<ui32>) -> tensor<12x12xui32>
  %141 = train.add %139, %140 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %142 = train.add %138, %141 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %143 = train.shift_left %141, %36 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %144 = train.shift_right_logical %141, %38 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %145 = train.or %143, %144 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %146 = train.xor %142, %145 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %147 = train.add %142, %146 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %148 = train.shift_left %146, %43 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %149 = train.shift_right_logical %146, %45 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %150 = train.or %148, %149 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %151 = train.xor %147, %150 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %152 = train.add %147, %151 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %153 = train.shift_left %151, %50 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %154 = train.shift_right_logical %151, %52 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %155 = train.or %153, %154 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %156 = train.xor %152, %155 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %157 = train.add %152, %156 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %158 = train.shift_left %156, %52 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %159 = train.shift_right_logical %156, %50 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %160 = train.or %158, %159 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %161 = train.xor %157, %160 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %162 = train.add %157, %62 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %163 = train.add %161, %31 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %164 = train.broadcast_in_dim %14 {dims = array<i64>} : (tensor<ui32>) -> tensor<12x12xui32>
  %165 = train.add %163, %164 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %166 = train.xor %162, %165 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %167 = train.broadcast_in_dim %19 {dims = array<i64>} : (tensor<ui32>) -> tensor<12x12xui32>
  %168 = train.shift_right_logical %166, %167 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %169 = train.broadcast_in_dim %20 {dims = array<i64>} : (tensor<ui32>) -> tensor<12x12xui32>
  %170 = train.or %168, %169 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %171 = train.bitcast_convert %170 : (tensor<12x12xui32>) -> tensor<12x12xf32>
  %172 = train.broadcast_in_dim %21 {dims = array<i64>} : (tensor<f32>) -> tensor<12x12xf32>
  %173 = train.subtract %171, %172 : (tensor<12x12xf32>, tensor<12x12xf32>) -> tensor<12x12xf32>
  %174 = train.broadcast_in_dim %16 {dims = array<i64>} : (tensor<f32>) -> tensor<12x12xf32>
  %175 = train.add %173, %174 : (tensor<12x12xf32>, tensor<12x12xf32>) -> tensor<12x12xf32>
  %176 = train.maximum %174, %175 : (tensor<12x12xf32>, tensor<12x12xf32>) -> tensor<12x12xf32>
  %177 = train.broadcast_in_dim %15 {dims = array<i64>} : (tensor<f32>) -> tensor<12x12xf32>
  %178 = train.compare %176, %177 {direction = #train<compare_direction LT>} : (tensor<12x12xf32>, tensor<12x12xf32>) -> tensor<12x12xi1>
  %179 = train.reshape %178 : (tensor<12x12xi1>) -> tensor<1x1x12x12xi1>
  %result, %lse = train.attention %arg3, %arg4, %arg5, %arg6, %179 {fill = 0xFFF0000000000000 : f64, kept_scale = 1.3333333333333333 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 1>, scale = 5.000000e-01 : f64} : (tensor<1x12x1x4xbf16>, tensor<1x12x1x4xbf16>, tensor<1x12x1x4xbf16>, tensor<1x1x12x12xf32>, tensor<1x1x12x12xi1>) -> (tensor<1x12x1x4xbf16>, tensor<1x12x1xf32>)
  return %result, %lse : tensor<1x12x1x4xbf16>, tensor<1x12x1xf32>
}
func.func @attention_896687f9594cdf9a(%arg0: tensor<ui32>, %arg1: tensor<ui32>, %arg2: tensor<ui32>, %arg3: tensor<1x12x1x4xf32>, %arg4: tensor<1x12x1x4xf32>, %arg5: tensor<1x12x1x4xf32>, %arg6: tensor<1x1x12x12xf32>) -> (tensor<1x12x1x4xf32>, tensor<1x12x1xf32>) {
  %0 = train.constant dense<3> : tensor<ui32>
  %1 = train.constant dense<13> : tensor<ui32>
  %2 = train.constant dense<19> : tensor<ui32>
  %3 = train.constant dense<15> : tensor<ui32>
  %4 = train.constant dense<17> : tensor<ui32>
  %5 = train.constant dense<26> : tensor<ui32>
  %6 = train.constant dense<6> : tensor<ui32>
  %7 = train.constant dense<1> : tensor<ui32>
  %8 = train.constant dense<29> : tensor<ui32>
  %9 = train.constant dense<16> : tensor<ui32>
  %10 = train.constant dense<24> : tensor<ui32>
  %11 = train.constant dense<8> : tensor<ui32>
  %12 = train.constant dense<2> : tensor<ui32>
  %13 = train.constant dense<4> : tensor<ui32>
  %14 = train.constant dense<5> : tensor<ui32>
  %15 = train.constant dense<7.500000e-01> : tensor<f32>
  %16 = train.constant dense<0.000000e+00> : tensor<f32>
  %17 = train.constant dense<12> : tensor<ui64>
  %18 = train.constant dense<32> : tensor<ui64>
  %19 = train.constant dense<9> : tensor<ui32>
  %20 = train.constant dense<1065353216> : tensor<ui32>
  %21 = train.constant dense<1.000000e+00> : tensor<f32>
  %22 = train.iota  {dim = 0 : i64} : () -> tensor<12x12xui64>
  %23 = train.iota  {dim = 1 : i64} : () -> tensor<12x12xui64>
  %24 = train.broadcast_in_dim %17 {dims = array<i64>} : (tensor<ui64>) -> tensor<12x12xui64>
  %25 = train.multiply %24, %22 : (tensor<12x12xui64>, tensor<12x12xui64>) -> tensor<12x12xui64>
  %26 = train.add %25, %23 : (tensor<12x12xui64>, tensor<12x12xui64>) -> tensor<12x12xui64>
  %27 = train.broadcast_in_dim %18 {dims = array<i64>} : (tensor<ui64>) -> tensor<12x12xui64>
  %28 = train.shift_right_logical %26, %27 : (tensor<12x12xui64>, tensor<12x12xui64>) -> tensor<12x12xui64>
  %29 = train.convert %26 : (tensor<12x12xui64>) -> tensor<12x12xui32>
  %30 = train.convert %28 : (tensor<12x12xui64>) -> tensor<12x12xui32>
  %31 = train.broadcast_in_dim %arg0 {dims = array<i64>} : (tensor<ui32>) -> tensor<12x12xui32>
  %32 = train.add %30, %31 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %33 = train.broadcast_in_dim %arg1 {dims = array<i64>} : (tensor<ui32>) -> tensor<12x12xui32>
  %34 = train.add %29, %33 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %35 = train.add %32, %34 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %36 = train.broadcast_in_dim %1 {dims = array<i64>} : (tensor<ui32>) -> tensor<12x12xui32>
  %37 = train.shift_left %34, %36 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %38 = train.broadcast_in_dim %2 {dims = array<i64>} : (tensor<ui32>) -> tensor<12x12xui32>
  %39 = train.shift_right_logical %34, %38 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %40 = train.or %37, %39 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %41 = train.xor %35, %40 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %42 = train.add %35, %41 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %43 = train.broadcast_in_dim %3 {dims = array<i64>} : (tensor<ui32>) -> tensor<12x12xui32>
  %44 = train.shift_left %41, %43 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %45 = train.broadcast_in_dim %4 {dims = array<i64>} : (tensor<ui32>) -> tensor<12x12xui32>
  %46 = train.shift_right_logical %41, %45 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %47 = train.or %44, %46 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %48 = train.xor %42, %47 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %49 = train.add %42, %48 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %50 = train.broadcast_in_dim %5 {dims = array<i64>} : (tensor<ui32>) -> tensor<12x12xui32>
  %51 = train.shift_left %48, %50 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %52 = train.broadcast_in_dim %6 {dims = array<i64>} : (tensor<ui32>) -> tensor<12x12xui32>
  %53 = train.shift_right_logical %48, %52 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %54 = train.or %51, %53 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %55 = train.xor %49, %54 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %56 = train.add %49, %55 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %57 = train.shift_left %55, %52 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %58 = train.shift_right_logical %55, %50 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %59 = train.or %57, %58 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %60 = train.xor %56, %59 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %61 = train.add %56, %33 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %62 = train.broadcast_in_dim %arg2 {dims = array<i64>} : (tensor<ui32>) -> tensor<12x12xui32>
  %63 = train.add %60, %62 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %64 = train.broadcast_in_dim %7 {dims = array<i64>} : (tensor<ui32>) -> tensor<12x12xui32>
  %65 = train.add %63, %64 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %66 = train.add %61, %65 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %67 = train.shift_left %65, %45 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %68 = train.shift_right_logical %65, %43 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %69 = train.or %67, %68 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %70 = train.xor %66, %69 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %71 = train.add %66, %70 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %72 = train.broadcast_in_dim %8 {dims = array<i64>} : (tensor<ui32>) -> tensor<12x12xui32>
  %73 = train.shift_left %70, %72 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %74 = train.broadcast_in_dim %0 {dims = array<i64>} : (tensor<ui32>) -> tensor<12x12xui32>
  %75 = train.shift_right_logical %70, %74 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %76 = train.or %73, %75 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %77 = train.xor %71, %76 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %78 = train.add %71, %77 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %79 = train.broadcast_in_dim %9 {dims = array<i64>} : (tensor<ui32>) -> tensor<12x12xui32>
  %80 = train.shift_left %77, %79 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %81 = train.shift_right_logical %77, %79 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %82 = train.or %80, %81 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %83 = train.xor %78, %82 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %84 = train.add %78, %83 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %85 = train.broadcast_in_dim %10 {dims = array<i64>} : (tensor<ui32>) -> tensor<12x12xui32>
  %86 = train.shift_left %83, %85 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %87 = train.broadcast_in_dim %11 {dims = array<i64>} : (tensor<ui32>) -> tensor<12x12xui32>
  %88 = train.shift_right_logical %83, %87 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %89 = train.or %86, %88 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %90 = train.xor %84, %89 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %91 = train.add %84, %62 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %92 = train.add %90, %31 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %93 = train.broadcast_in_dim %12 {dims = array<i64>} : (tensor<ui32>) -> tensor<12x12xui32>
  %94 = train.add %92, %93 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %95 = train.add %91, %94 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %96 = train.shift_left %94, %36 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %97 = train.shift_right_logical %94, %38 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %98 = train.or %96, %97 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %99 = train.xor %95, %98 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %100 = train.add %95, %99 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %101 = train.shift_left %99, %43 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %102 = train.shift_right_logical %99, %45 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %103 = train.or %101, %102 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %104 = train.xor %100, %103 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %105 = train.add %100, %104 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %106 = train.shift_left %104, %50 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %107 = train.shift_right_logical %104, %52 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %108 = train.or %106, %107 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %109 = train.xor %105, %108 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %110 = train.add %105, %109 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %111 = train.shift_left %109, %52 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %112 = train.shift_right_logical %109, %50 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %113 = train.or %111, %112 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %114 = train.xor %110, %113 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %115 = train.add %110, %31 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %116 = train.add %114, %33 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %117 = train.add %116, %74 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %118 = train.add %115, %117 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %119 = train.shift_left %117, %45 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %120 = train.shift_right_logical %117, %43 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %121 = train.or %119, %120 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %122 = train.xor %118, %121 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %123 = train.add %118, %122 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %124 = train.shift_left %122, %72 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %125 = train.shift_right_logical %122, %74 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %126 = train.or %124, %125 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %127 = train.xor %123, %126 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %128 = train.add %123, %127 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %129 = train.shift_left %127, %79 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %130 = train.shift_right_logical %127, %79 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %131 = train.or %129, %130 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %132 = train.xor %128, %131 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %133 = train.add %128, %132 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %134 = train.shift_left %132, %85 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %135 = train.shift_right_logical %132, %87 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %136 = train.or %134, %135 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %137 = train.xor %133, %136 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %138 = train.add %133, %33 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %139 = train.add %137, %62 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %140 = train.broadcast_in_dim %13 {dims = array<i64>} : (tensor<ui32>) -> tensor<12x12xui32>
  %141 = train.add %139, %140 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %142 = train.add %138, %141 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %143 = train.shift_left %141, %36 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %144 = train.shift_right_logical %141, %38 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %145 = train.or %143, %144 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %146 = train.xor %142, %145 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %147 = train.add %142, %146 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %148 = train.shift_left %146, %43 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %149 = train.shift_right_logical %146, %45 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %150 = train.or %148, %149 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %151 = train.xor %147, %150 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %152 = train.add %147, %151 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %153 = train.shift_left %151, %50 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %154 = train.shift_right_logical %151, %52 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %155 = train.or %153, %154 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %156 = train.xor %152, %155 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %157 = train.add %152, %156 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %158 = train.shift_left %156, %52 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %159 = train.shift_right_logical %156, %50 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %160 = train.or %158, %159 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %161 = train.xor %157, %160 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %162 = train.add %157, %62 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %163 = train.add %161, %31 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %164 = train.broadcast_in_dim %14 {dims = array<i64>} : (tensor<ui32>) -> tensor<12x12xui32>
  %165 = train.add %163, %164 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %166 = train.xor %162, %165 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %167 = train.broadcast_in_dim %19 {dims = array<i64>} : (tensor<ui32>) -> tensor<12x12xui32>
  %168 = train.shift_right_logical %166, %167 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %169 = train.broadcast_in_dim %20 {dims = array<i64>} : (tensor<ui32>) -> tensor<12x12xui32>
  %170 = train.or %168, %169 : (tensor<12x12xui32>, tensor<12x12xui32>) -> tensor<12x12xui32>
  %171 = train.bitcast_convert %170 : (tensor<12x12xui32>) -> tensor<12x12xf32>
  %172 = train.broadcast_in_dim %21 {dims = array<i64>} : (tensor<f32>) -> tensor<12x12xf32>
  %173 = train.subtract %171, %172 : (tensor<12x12xf32>, tensor<12x12xf32>) -> tensor<12x12xf32>
  %174 = train.broadcast_in_dim %16 {dims = array<i64>} : (tensor<f32>) -> tensor<12x12xf32>
  %175 = train.add %173, %174 : (tensor<12x12xf32>, tensor<12x12xf32>) -> tensor<12x12xf32>
  %176 = train.maximum %174, %175 : (tensor<12x12xf32>, tensor<12x12xf32>) -> tensor<12x12xf32>
  %177 = train.broadcast_in_dim %15 {dims = array<i64>} : (tensor<f32>) -> tensor<12x12xf32>
  %178 = train.compare %176, %177 {direction = #train<compare_direction LT>} : (tensor<12x12xf32>, tensor<12x12xf32>) -> tensor<12x12xi1>
  %179 = train.reshape %178 : (tensor<12x12xi1>) -> tensor<1x1x12x12xi1>
  %result, %lse = train.attention %arg3, %arg4, %arg5, %arg6, %179 {fill = 0xFFF0000000000000 : f64, kept_scale = 1.3333333333333333 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 1>, scale = 5.000000e-01 : f64} : (tensor<1x12x1x4xf32>, tensor<1x12x1x4xf32>, tensor<1x12x1x4xf32>, tensor<1x1x12x12xf32>, tensor<1x1x12x12xi1>) -> (tensor<1x12x1x4xf32>, tensor<1x12x1xf32>)
  return %result, %lse : tensor<1x12x1x4xf32>, tensor<1x12x1xf32>
}
func.func @attention_gradient_63587fd02795bc7d(%arg0: tensor<2xi32>, %arg1: tensor<i32>, %arg2: tensor<ui32>, %arg3: tensor<ui32>, %arg4: tensor<ui32>, %arg5: tensor<1x6x2x4xf32>, %arg6: tensor<1x12x2x4xf32>, %arg7: tensor<1x12x2x4xf32>, %arg8: tensor<1x6x2xf32>, %arg9: tensor<1x6x2xf32>, %arg10: tensor<1x6x2x4xf32>) -> (tensor<1x6x2x4xf32>, tensor<1x12x2x4xf32>, tensor<1x12x2x4xf32>) {
  %0 = train.constant dense<1.000000e+00> : tensor<f32>
  %1 = train.constant dense<0.000000e+00> : tensor<f32>
  %2 = train.constant dense<12> : tensor<ui64>
  %3 = train.constant dense<32> : tensor<ui64>
  %4 = train.constant dense<13> : tensor<ui32>
  %5 = train.constant dense<19> : tensor<ui32>
  %6 = train.constant dense<15> : tensor<ui32>
  %7 = train.constant dense<17> : tensor<ui32>
  %8 = train.constant dense<26> : tensor<ui32>
  %9 = train.constant dense<6> : tensor<ui32>
  %10 = train.constant dense<1> : tensor<ui32>
  %11 = train.constant dense<29> : tensor<ui32>
  %12 = train.constant dense<3> : tensor<ui32>
  %13 = train.constant dense<16> : tensor<ui32>
  %14 = train.constant dense<24> : tensor<ui32>
  %15 = train.constant dense<8> : tensor<ui32>
  %16 = train.constant dense<2> : tensor<ui32>
  %17 = train.constant dense<4> : tensor<ui32>
  %18 = train.constant dense<5> : tensor<ui32>
  %19 = train.constant dense<9> : tensor<ui32>
  %20 = train.constant dense<1065353216> : tensor<ui32>
  %21 = train.constant dense<7.500000e-01> : tensor<f32>
  %22 = train.constant dense<1> : tensor<i32>
  %23 = train.slice %arg0 {limit = array<i64: 1>, start = array<i64: 0>, stride = array<i64: 1>} : (tensor<2xi32>) -> tensor<1xi32>
  %24 = train.reshape %23 : (tensor<1xi32>) -> tensor<i32>
  %25 = train.multiply %24, %22 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %26 = train.broadcast_in_dim %1 {dims = array<i64>} : (tensor<f32>) -> tensor<1x2x6x12xf32>
  %27 = train.constant dense<288> : tensor<ui64>
  %28 = train.broadcast_in_dim %27 {dims = array<i64>} : (tensor<ui64>) -> tensor<1x2x6x12xui64>
  %29 = train.iota %25 {dim = 0 : i64} : (tensor<i32>) -> tensor<1x2x6x12xui64>
  %30 = train.multiply %28, %29 : (tensor<1x2x6x12xui64>, tensor<1x2x6x12xui64>) -> tensor<1x2x6x12xui64>
  %31 = train.constant dense<144> : tensor<ui64>
  %32 = train.broadcast_in_dim %31 {dims = array<i64>} : (tensor<ui64>) -> tensor<1x2x6x12xui64>
  %33 = train.iota  {dim = 1 : i64} : () -> tensor<1x2x6x12xui64>
  %34 = train.multiply %32, %33 : (tensor<1x2x6x12xui64>, tensor<1x2x6x12xui64>) -> tensor<1x2x6x12xui64>
  %35 = train.add %30, %34 : (tensor<1x2x6x12xui64>, tensor<1x2x6x12xui64>) -> tensor<1x2x6x12xui64>
  %36 = train.broadcast_in_dim %2 {dims = array<i64>} : (tensor<ui64>) -> tensor<1x2x6x12xui64>
  %37 = train.iota %arg1 {dim = 2 : i64} : (tensor<i32>) -> tensor<1x2x6x12xui64>
  %38 = train.multiply %36, %37 : (tensor<1x2x6x12xui64>, tensor<1x2x6x12xui64>) -> tensor<1x2x6x12xui64>
  %39 = train.add %35, %38 : (tensor<1x2x6x12xui64>, tensor<1x2x6x12xui64>) -> tensor<1x2x6x12xui64>
  %40 = train.iota  {dim = 3 : i64} : () -> tensor<1x2x6x12xui64>
  %41 = train.add %39, %40 : (tensor<1x2x6x12xui64>, tensor<1x2x6x12xui64>) -> tensor<1x2x6x12xui64>
  %42 = train.broadcast_in_dim %3 {dims = array<i64>} : (tensor<ui64>) -> tensor<1x2x6x12xui64>
  %43 = train.shift_right_logical %41, %42 : (tensor<1x2x6x12xui64>, tensor<1x2x6x12xui64>) -> tensor<1x2x6x12xui64>
  %44 = train.convert %43 : (tensor<1x2x6x12xui64>) -> tensor<1x2x6x12xui32>
  %45 = train.convert %41 : (tensor<1x2x6x12xui64>) -> tensor<1x2x6x12xui32>
  %46 = train.broadcast_in_dim %4 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x6x12xui32>
  %47 = train.broadcast_in_dim %5 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x6x12xui32>
  %48 = train.broadcast_in_dim %6 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x6x12xui32>
  %49 = train.broadcast_in_dim %7 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x6x12xui32>
  %50 = train.broadcast_in_dim %8 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x6x12xui32>
  %51 = train.broadcast_in_dim %9 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x6x12xui32>
  %52 = train.broadcast_in_dim %10 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x6x12xui32>
  %53 = train.broadcast_in_dim %11 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x6x12xui32>
  %54 = train.broadcast_in_dim %12 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x6x12xui32>
  %55 = train.broadcast_in_dim %13 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x6x12xui32>
  %56 = train.broadcast_in_dim %14 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x6x12xui32>
  %57 = train.broadcast_in_dim %15 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x6x12xui32>
  %58 = train.broadcast_in_dim %16 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x6x12xui32>
  %59 = train.broadcast_in_dim %17 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x6x12xui32>
  %60 = train.broadcast_in_dim %18 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x6x12xui32>
  %61 = train.broadcast_in_dim %19 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x6x12xui32>
  %62 = train.broadcast_in_dim %20 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x6x12xui32>
  %63 = train.broadcast_in_dim %0 {dims = array<i64>} : (tensor<f32>) -> tensor<1x2x6x12xf32>
  %64 = train.broadcast_in_dim %21 {dims = array<i64>} : (tensor<f32>) -> tensor<1x2x6x12xf32>
  %65 = train.broadcast_in_dim %arg2 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x6x12xui32>
  %66 = train.add %44, %65 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %67 = train.broadcast_in_dim %arg3 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x6x12xui32>
  %68 = train.add %45, %67 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %69 = train.add %66, %68 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %70 = train.shift_left %68, %46 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %71 = train.shift_right_logical %68, %47 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %72 = train.or %70, %71 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %73 = train.xor %69, %72 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %74 = train.add %69, %73 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %75 = train.shift_left %73, %48 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %76 = train.shift_right_logical %73, %49 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %77 = train.or %75, %76 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %78 = train.xor %74, %77 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %79 = train.add %74, %78 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %80 = train.shift_left %78, %50 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %81 = train.shift_right_logical %78, %51 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %82 = train.or %80, %81 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %83 = train.xor %79, %82 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %84 = train.add %79, %83 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %85 = train.add %84, %67 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %86 = train.shift_left %83, %51 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %87 = train.shift_right_logical %83, %50 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %88 = train.or %86, %87 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %89 = train.xor %84, %88 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %90 = train.broadcast_in_dim %arg4 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x6x12xui32>
  %91 = train.add %89, %90 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %92 = train.add %91, %52 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %93 = train.add %85, %92 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %94 = train.shift_left %92, %49 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %95 = train.shift_right_logical %92, %48 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %96 = train.or %94, %95 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %97 = train.xor %93, %96 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %98 = train.add %93, %97 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %99 = train.shift_left %97, %53 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %100 = train.shift_right_logical %97, %54 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %101 = train.or %99, %100 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %102 = train.xor %98, %101 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %103 = train.add %98, %102 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %104 = train.shift_left %102, %55 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %105 = train.shift_right_logical %102, %55 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %106 = train.or %104, %105 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %107 = train.xor %103, %106 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %108 = train.add %103, %107 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %109 = train.add %108, %90 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %110 = train.shift_left %107, %56 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %111 = train.shift_right_logical %107, %57 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %112 = train.or %110, %111 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %113 = train.xor %108, %112 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %114 = train.add %113, %65 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %115 = train.add %114, %58 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %116 = train.add %109, %115 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %117 = train.shift_left %115, %46 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %118 = train.shift_right_logical %115, %47 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %119 = train.or %117, %118 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %120 = train.xor %116, %119 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %121 = train.add %116, %120 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %122 = train.shift_left %120, %48 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %123 = train.shift_right_logical %120, %49 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %124 = train.or %122, %123 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %125 = train.xor %121, %124 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %126 = train.add %121, %125 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %127 = train.shift_left %125, %50 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %128 = train.shift_right_logical %125, %51 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %129 = train.or %127, %128 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %130 = train.xor %126, %129 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %131 = train.add %126, %130 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %132 = train.add %131, %65 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %133 = train.shift_left %130, %51 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %134 = train.shift_right_logical %130, %50 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %135 = train.or %133, %134 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %136 = train.xor %131, %135 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %137 = train.add %136, %67 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %138 = train.add %137, %54 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %139 = train.add %132, %138 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %140 = train.shift_left %138, %49 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %141 = train.shift_right_logical %138, %48 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %142 = train.or %140, %141 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %143 = train.xor %139, %142 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %144 = train.add %139, %143 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %145 = train.shift_left %143, %53 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %146 = train.shift_right_logical %143, %54 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %147 = train.or %145, %146 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %148 = train.xor %144, %147 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %149 = train.add %144, %148 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %150 = train.shift_left %148, %55 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %151 = train.shift_right_logical %148, %55 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %152 = train.or %150, %151 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %153 = train.xor %149, %152 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %154 = train.add %149, %153 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %155 = train.add %154, %67 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %156 = train.shift_left %153, %56 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %157 = train.shift_right_logical %153, %57 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %158 = train.or %156, %157 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %159 = train.xor %154, %158 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %160 = train.add %159, %90 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %161 = train.add %160, %59 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %162 = train.add %155, %161 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %163 = train.shift_left %161, %46 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %164 = train.shift_right_logical %161, %47 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %165 = train.or %163, %164 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %166 = train.xor %162, %165 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %167 = train.add %162, %166 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %168 = train.shift_left %166, %48 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %169 = train.shift_right_logical %166, %49 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %170 = train.or %168, %169 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %171 = train.xor %167, %170 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %172 = train.add %167, %171 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %173 = train.shift_left %171, %50 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %174 = train.shift_right_logical %171, %51 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %175 = train.or %173, %174 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %176 = train.xor %172, %175 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %177 = train.add %172, %176 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %178 = train.add %177, %90 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %179 = train.shift_left %176, %51 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %180 = train.shift_right_logical %176, %50 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %181 = train.or %179, %180 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %182 = train.xor %177, %181 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %183 = train.add %182, %65 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %184 = train.add %183, %60 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %185 = train.xor %178, %184 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %186 = train.shift_right_logical %185, %61 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %187 = train.or %186, %62 : (tensor<1x2x6x12xui32>, tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xui32>
  %188 = train.bitcast_convert %187 : (tensor<1x2x6x12xui32>) -> tensor<1x2x6x12xf32>
  %189 = train.subtract %188, %63 : (tensor<1x2x6x12xf32>, tensor<1x2x6x12xf32>) -> tensor<1x2x6x12xf32>
  %190 = train.add %189, %26 : (tensor<1x2x6x12xf32>, tensor<1x2x6x12xf32>) -> tensor<1x2x6x12xf32>
  %191 = train.maximum %26, %190 : (tensor<1x2x6x12xf32>, tensor<1x2x6x12xf32>) -> tensor<1x2x6x12xf32>
  %192 = train.compare %191, %64 {direction = #train<compare_direction LT>} : (tensor<1x2x6x12xf32>, tensor<1x2x6x12xf32>) -> tensor<1x2x6x12xi1>
  %query_gradient, %key_gradient, %value_gradient = train.attention_gradient %arg5, %arg6, %arg7, %arg1, %arg8, %arg9, %arg10, %192 {after = 0 : i64, fill = -3.4028234663852886E+38 : f64, kept_scale = 1.3333333333333333 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 1, 0, 1, 1, 1, 1>, scale = 1.000000e+00 : f64} : (tensor<1x6x2x4xf32>, tensor<1x12x2x4xf32>, tensor<1x12x2x4xf32>, tensor<i32>, tensor<1x6x2xf32>, tensor<1x6x2xf32>, tensor<1x6x2x4xf32>, tensor<1x2x6x12xi1>) -> (tensor<1x6x2x4xf32>, tensor<1x12x2x4xf32>, tensor<1x12x2x4xf32>)
  return %query_gradient, %key_gradient, %value_gradient : tensor<1x6x2x4xf32>, tensor<1x12x2x4xf32>, tensor<1x12x2x4xf32>
}
func.func @attention_31a0adb8a04d8f59(%arg0: tensor<2xi32>, %arg1: tensor<ui32>, %arg2: tensor<ui32>, %arg3: tensor<ui32>, %arg4: tensor<1x12x1x4xbf16>, %arg5: tensor<1x12x1x4xbf16>, %arg6: tensor<1x12x1x4xbf16>, %arg7: tensor<1x1x1x12xi1>) -> (tensor<1x12x1x4xbf16>, tensor<1x12x1xf32>) {
  %0 = train.constant dense<1> : tensor<i32>
  %1 = train.slice %arg0 {limit = array<i64: 1>, start = array<i64: 0>, stride = array<i64: 1>} : (tensor<2xi32>) -> tensor<1xi32>
  %2 = train.reshape %1 : (tensor<1xi32>) -> tensor<i32>
  %3 = train.multiply %2, %0 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %4 = train.slice %arg0 {limit = array<i64: 2>, start = array<i64: 1>, stride = array<i64: 1>} : (tensor<2xi32>) -> tensor<1xi32>
  %5 = train.reshape %4 : (tensor<1xi32>) -> tensor<i32>
  %6 = train.multiply %5, %0 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %7 = train.constant dense<3> : tensor<ui32>
  %8 = train.constant dense<13> : tensor<ui32>
  %9 = train.constant dense<19> : tensor<ui32>
  %10 = train.constant dense<15> : tensor<ui32>
  %11 = train.constant dense<17> : tensor<ui32>
  %12 = train.constant dense<26> : tensor<ui32>
  %13 = train.constant dense<6> : tensor<ui32>
  %14 = train.constant dense<1> : tensor<ui32>
  %15 = train.constant dense<29> : tensor<ui32>
  %16 = train.constant dense<16> : tensor<ui32>
  %17 = train.constant dense<24> : tensor<ui32>
  %18 = train.constant dense<8> : tensor<ui32>
  %19 = train.constant dense<2> : tensor<ui32>
  %20 = train.constant dense<4> : tensor<ui32>
  %21 = train.constant dense<5> : tensor<ui32>
  %22 = train.constant dense<7.500000e-01> : tensor<f32>
  %23 = train.constant dense<0.000000e+00> : tensor<f32>
  %24 = train.constant dense<144> : tensor<ui64>
  %25 = train.constant dense<12> : tensor<ui64>
  %26 = train.constant dense<32> : tensor<ui64>
  %27 = train.constant dense<9> : tensor<ui32>
  %28 = train.constant dense<1065353216> : tensor<ui32>
  %29 = train.constant dense<1.000000e+00> : tensor<f32>
  %30 = train.iota %3 {dim = 0 : i64} : (tensor<i32>) -> tensor<1x1x12x12xui64>
  %31 = train.iota %6 {dim = 1 : i64} : (tensor<i32>) -> tensor<1x1x12x12xui64>
  %32 = train.iota  {dim = 2 : i64} : () -> tensor<1x1x12x12xui64>
  %33 = train.iota  {dim = 3 : i64} : () -> tensor<1x1x12x12xui64>
  %34 = train.constant dense<288> : tensor<ui64>
  %35 = train.broadcast_in_dim %34 {dims = array<i64>} : (tensor<ui64>) -> tensor<1x1x12x12xui64>
  %36 = train.multiply %35, %30 : (tensor<1x1x12x12xui64>, tensor<1x1x12x12xui64>) -> tensor<1x1x12x12xui64>
  %37 = train.broadcast_in_dim %24 {dims = array<i64>} : (tensor<ui64>) -> tensor<1x1x12x12xui64>
  %38 = train.multiply %37, %31 : (tensor<1x1x12x12xui64>, tensor<1x1x12x12xui64>) -> tensor<1x1x12x12xui64>
  %39 = train.broadcast_in_dim %25 {dims = array<i64>} : (tensor<ui64>) -> tensor<1x1x12x12xui64>
  %40 = train.multiply %39, %32 : (tensor<1x1x12x12xui64>, tensor<1x1x12x12xui64>) -> tensor<1x1x12x12xui64>
  %41 = train.add %36, %38 : (tensor<1x1x12x12xui64>, tensor<1x1x12x12xui64>) -> tensor<1x1x12x12xui64>
  %42 = train.add %41, %40 : (tensor<1x1x12x12xui64>, tensor<1x1x12x12xui64>) -> tensor<1x1x12x12xui64>
  %43 = train.add %42, %33 : (tensor<1x1x12x12xui64>, tensor<1x1x12x12xui64>) -> tensor<1x1x12x12xui64>
  %44 = train.broadcast_in_dim %26 {dims = array<i64>} : (tensor<ui64>) -> tensor<1x1x12x12xui64>
  %45 = train.shift_right_logical %43, %44 : (tensor<1x1x12x12xui64>, tensor<1x1x12x12xui64>) -> tensor<1x1x12x12xui64>
  %46 = train.convert %43 : (tensor<1x1x12x12xui64>) -> tensor<1x1x12x12xui32>
  %47 = train.convert %45 : (tensor<1x1x12x12xui64>) -> tensor<1x1x12x12xui32>
  %48 = train.broadcast_in_dim %8 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %49 = train.broadcast_in_dim %9 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %50 = train.broadcast_in_dim %10 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %51 = train.broadcast_in_dim %11 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %52 = train.broadcast_in_dim %12 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %53 = train.broadcast_in_dim %13 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %54 = train.broadcast_in_dim %14 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %55 = train.broadcast_in_dim %15 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %56 = train.broadcast_in_dim %7 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %57 = train.broadcast_in_dim %16 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %58 = train.broadcast_in_dim %17 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %59 = train.broadcast_in_dim %18 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %60 = train.broadcast_in_dim %19 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %61 = train.broadcast_in_dim %20 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %62 = train.broadcast_in_dim %21 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %63 = train.broadcast_in_dim %27 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %64 = train.broadcast_in_dim %28 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %65 = train.broadcast_in_dim %29 {dims = array<i64>} : (tensor<f32>) -> tensor<1x1x12x12xf32>
  %66 = train.broadcast_in_dim %23 {dims = array<i64>} : (tensor<f32>) -> tensor<1x1x12x12xf32>
  %67 = train.broadcast_in_dim %22 {dims = array<i64>} : (tensor<f32>) -> tensor<1x1x12x12xf32>
  %68 = train.broadcast_in_dim %arg1 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %69 = train.add %47, %68 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %70 = train.broadcast_in_dim %arg2 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %71 = train.add %46, %70 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %72 = train.add %69, %71 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %73 = train.shift_left %71, %48 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %74 = train.shift_right_logical %71, %49 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %75 = train.or %73, %74 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %76 = train.xor %72, %75 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %77 = train.add %72, %76 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %78 = train.shift_left %76, %50 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %79 = train.shift_right_logical %76, %51 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %80 = train.or %78, %79 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %81 = train.xor %77, %80 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %82 = train.add %77, %81 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %83 = train.shift_left %81, %52 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %84 = train.shift_right_logical %81, %53 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %85 = train.or %83, %84 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %86 = train.xor %82, %85 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %87 = train.add %82, %86 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %88 = train.shift_left %86, %53 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %89 = train.shift_right_logical %86, %52 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %90 = train.or %88, %89 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %91 = train.xor %87, %90 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %92 = train.add %87, %70 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %93 = train.broadcast_in_dim %arg3 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %94 = train.add %91, %93 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %95 = train.add %94, %54 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %96 = train.add %92, %95 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %97 = train.shift_left %95, %51 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %98 = train.shift_right_logical %95, %50 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %99 = train.or %97, %98 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %100 = train.xor %96, %99 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %101 = train.add %96, %100 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %102 = train.shift_left %100, %55 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %103 = train.shift_right_logical %100, %56 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %104 = train.or %102, %103 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %105 = train.xor %101, %104 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %106 = train.add %101, %105 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %107 = train.shift_left %105, %57 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %108 = train.shift_right_logical %105, %57 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %109 = train.or %107, %108 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %110 = train.xor %106, %109 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %111 = train.add %106, %110 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %112 = train.shift_left %110, %58 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %113 = train.shift_right_logical %110, %59 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %114 = train.or %112, %113 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %115 = train.xor %111, %114 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %116 = train.add %111, %93 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %117 = train.add %115, %68 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %118 = train.add %117, %60 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %119 = train.add %116, %118 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %120 = train.shift_left %118, %48 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %121 = train.shift_right_logical %118, %49 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %122 = train.or %120, %121 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %123 = train.xor %119, %122 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %124 = train.add %119, %123 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %125 = train.shift_left %123, %50 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %126 = train.shift_right_logical %123, %51 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %127 = train.or %125, %126 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %128 = train.xor %124, %127 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %129 = train.add %124, %128 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %130 = train.shift_left %128, %52 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %131 = train.shift_right_logical %128, %53 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %132 = train.or %130, %131 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %133 = train.xor %129, %132 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %134 = train.add %129, %133 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %135 = train.shift_left %133, %53 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %136 = train.shift_right_logical %133, %52 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %137 = train.or %135, %136 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %138 = train.xor %134, %137 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %139 = train.add %134, %68 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %140 = train.add %138, %70 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %141 = train.add %140, %56 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %142 = train.add %139, %141 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %143 = train.shift_left %141, %51 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %144 = train.shift_right_logical %141, %50 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %145 = train.or %143, %144 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %146 = train.xor %142, %145 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %147 = train.add %142, %146 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %148 = train.shift_left %146, %55 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %149 = train.shift_right_logical %146, %56 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %150 = train.or %148, %149 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %151 = train.xor %147, %150 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %152 = train.add %147, %151 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %153 = train.shift_left %151, %57 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %154 = train.shift_right_logical %151, %57 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %155 = train.or %153, %154 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %156 = train.xor %152, %155 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %157 = train.add %152, %156 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %158 = train.shift_left %156, %58 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %159 = train.shift_right_logical %156, %59 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %160 = train.or %158, %159 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %161 = train.xor %157, %160 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %162 = train.add %157, %70 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %163 = train.add %161, %93 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %164 = train.add %163, %61 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %165 = train.add %162, %164 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %166 = train.shift_left %164, %48 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %167 = train.shift_right_logical %164, %49 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %168 = train.or %166, %167 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %169 = train.xor %165, %168 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %170 = train.add %165, %169 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %171 = train.shift_left %169, %50 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %172 = train.shift_right_logical %169, %51 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %173 = train.or %171, %172 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %174 = train.xor %170, %173 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %175 = train.add %170, %174 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %176 = train.shift_left %174, %52 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %177 = train.shift_right_logical %174, %53 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %178 = train.or %176, %177 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %179 = train.xor %175, %178 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %180 = train.add %175, %179 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %181 = train.shift_left %179, %53 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %182 = train.shift_right_logical %179, %52 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %183 = train.or %181, %182 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %184 = train.xor %180, %183 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %185 = train.add %180, %93 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %186 = train.add %184, %68 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %187 = train.add %186, %62 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %188 = train.xor %185, %187 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %189 = train.shift_right_logical %188, %63 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %190 = train.or %189, %64 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %191 = train.bitcast_convert %190 : (tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xf32>
  %192 = train.subtract %191, %65 : (tensor<1x1x12x12xf32>, tensor<1x1x12x12xf32>) -> tensor<1x1x12x12xf32>
  %193 = train.add %192, %66 : (tensor<1x1x12x12xf32>, tensor<1x1x12x12xf32>) -> tensor<1x1x12x12xf32>
  %194 = train.maximum %66, %193 : (tensor<1x1x12x12xf32>, tensor<1x1x12x12xf32>) -> tensor<1x1x12x12xf32>
  %195 = train.compare %194, %67 {direction = #train<compare_direction LT>} : (tensor<1x1x12x12xf32>, tensor<1x1x12x12xf32>) -> tensor<1x1x12x12xi1>
  %result, %lse = train.attention %arg4, %arg5, %arg6, %arg7, %195 {fill = -1.000000e+30 : f64, kept_scale = 1.3333333730697632 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 0, 0, 1>, scale = 1.000000e+00 : f64} : (tensor<1x12x1x4xbf16>, tensor<1x12x1x4xbf16>, tensor<1x12x1x4xbf16>, tensor<1x1x1x12xi1>, tensor<1x1x12x12xi1>) -> (tensor<1x12x1x4xbf16>, tensor<1x12x1xf32>)
  return %result, %lse : tensor<1x12x1x4xbf16>, tensor<1x12x1xf32>
}
func.func @attention_gradient_5ca0f6fee99e3217(%arg0: tensor<2xi32>, %arg1: tensor<ui32>, %arg2: tensor<ui32>, %arg3: tensor<ui32>, %arg4: tensor<1x12x1x4xbf16>, %arg5: tensor<1x12x1x4xbf16>, %arg6: tensor<1x12x1x4xbf16>, %arg7: tensor<1x1x1x12xi1>, %arg8: tensor<1x12x1xf32>, %arg9: tensor<1x12x1xf32>, %arg10: tensor<1x12x1x4xbf16>) -> (tensor<1x12x1x4xbf16>, tensor<1x12x1x4xbf16>, tensor<1x12x1x4xbf16>) {
  %0 = train.constant dense<1.000000e+00> : tensor<f32>
  %1 = train.constant dense<0.000000e+00> : tensor<f32>
  %2 = train.constant dense<12> : tensor<ui64>
  %3 = train.constant dense<32> : tensor<ui64>
  %4 = train.constant dense<13> : tensor<ui32>
  %5 = train.constant dense<19> : tensor<ui32>
  %6 = train.constant dense<15> : tensor<ui32>
  %7 = train.constant dense<17> : tensor<ui32>
  %8 = train.constant dense<26> : tensor<ui32>
  %9 = train.constant dense<6> : tensor<ui32>
  %10 = train.constant dense<1> : tensor<ui32>
  %11 = train.constant dense<29> : tensor<ui32>
  %12 = train.constant dense<3> : tensor<ui32>
  %13 = train.constant dense<16> : tensor<ui32>
  %14 = train.constant dense<24> : tensor<ui32>
  %15 = train.constant dense<8> : tensor<ui32>
  %16 = train.constant dense<2> : tensor<ui32>
  %17 = train.constant dense<4> : tensor<ui32>
  %18 = train.constant dense<5> : tensor<ui32>
  %19 = train.constant dense<9> : tensor<ui32>
  %20 = train.constant dense<1065353216> : tensor<ui32>
  %21 = train.constant dense<7.500000e-01> : tensor<f32>
  %22 = train.broadcast_in_dim %1 {dims = array<i64>} : (tensor<f32>) -> tensor<1x1x12x12xf32>
  %23 = train.constant dense<288> : tensor<ui64>
  %24 = train.broadcast_in_dim %23 {dims = array<i64>} : (tensor<ui64>) -> tensor<1x1x12x12xui64>
  %25 = train.constant dense<1> : tensor<i32>
  %26 = train.slice %arg0 {limit = array<i64: 1>, start = array<i64: 0>, stride = array<i64: 1>} : (tensor<2xi32>) -> tensor<1xi32>
  %27 = train.reshape %26 : (tensor<1xi32>) -> tensor<i32>
  %28 = train.multiply %27, %25 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %29 = train.iota %28 {dim = 0 : i64} : (tensor<i32>) -> tensor<1x1x12x12xui64>
  %30 = train.multiply %24, %29 : (tensor<1x1x12x12xui64>, tensor<1x1x12x12xui64>) -> tensor<1x1x12x12xui64>
  %31 = train.constant dense<144> : tensor<ui64>
  %32 = train.broadcast_in_dim %31 {dims = array<i64>} : (tensor<ui64>) -> tensor<1x1x12x12xui64>
  %33 = train.slice %arg0 {limit = array<i64: 2>, start = array<i64: 1>, stride = array<i64: 1>} : (tensor<2xi32>) -> tensor<1xi32>
  %34 = train.reshape %33 : (tensor<1xi32>) -> tensor<i32>
  %35 = train.multiply %34, %25 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %36 = train.iota %35 {dim = 1 : i64} : (tensor<i32>) -> tensor<1x1x12x12xui64>
  %37 = train.multiply %32, %36 : (tensor<1x1x12x12xui64>, tensor<1x1x12x12xui64>) -> tensor<1x1x12x12xui64>
  %38 = train.add %30, %37 : (tensor<1x1x12x12xui64>, tensor<1x1x12x12xui64>) -> tensor<1x1x12x12xui64>
  %39 = train.broadcast_in_dim %2 {dims = array<i64>} : (tensor<ui64>) -> tensor<1x1x12x12xui64>
  %40 = train.iota  {dim = 2 : i64} : () -> tensor<1x1x12x12xui64>
  %41 = train.multiply %39, %40 : (tensor<1x1x12x12xui64>, tensor<1x1x12x12xui64>) -> tensor<1x1x12x12xui64>
  %42 = train.add %38, %41 : (tensor<1x1x12x12xui64>, tensor<1x1x12x12xui64>) -> tensor<1x1x12x12xui64>
  %43 = train.iota  {dim = 3 : i64} : () -> tensor<1x1x12x12xui64>
  %44 = train.add %42, %43 : (tensor<1x1x12x12xui64>, tensor<1x1x12x12xui64>) -> tensor<1x1x12x12xui64>
  %45 = train.broadcast_in_dim %3 {dims = array<i64>} : (tensor<ui64>) -> tensor<1x1x12x12xui64>
  %46 = train.shift_right_logical %44, %45 : (tensor<1x1x12x12xui64>, tensor<1x1x12x12xui64>) -> tensor<1x1x12x12xui64>
  %47 = train.convert %46 : (tensor<1x1x12x12xui64>) -> tensor<1x1x12x12xui32>
  %48 = train.broadcast_in_dim %arg1 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %49 = train.add %47, %48 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %50 = train.convert %44 : (tensor<1x1x12x12xui64>) -> tensor<1x1x12x12xui32>
  %51 = train.broadcast_in_dim %arg2 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %52 = train.add %50, %51 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %53 = train.add %49, %52 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %54 = train.broadcast_in_dim %4 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %55 = train.shift_left %52, %54 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %56 = train.broadcast_in_dim %5 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %57 = train.shift_right_logical %52, %56 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %58 = train.or %55, %57 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %59 = train.xor %53, %58 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %60 = train.add %53, %59 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %61 = train.broadcast_in_dim %6 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %62 = train.shift_left %59, %61 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %63 = train.broadcast_in_dim %7 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %64 = train.shift_right_logical %59, %63 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %65 = train.or %62, %64 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %66 = train.xor %60, %65 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %67 = train.add %60, %66 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %68 = train.broadcast_in_dim %8 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %69 = train.shift_left %66, %68 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %70 = train.broadcast_in_dim %9 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %71 = train.shift_right_logical %66, %70 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %72 = train.or %69, %71 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %73 = train.xor %67, %72 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %74 = train.add %67, %73 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %75 = train.add %74, %51 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %76 = train.shift_left %73, %70 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %77 = train.shift_right_logical %73, %68 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %78 = train.or %76, %77 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %79 = train.xor %74, %78 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %80 = train.broadcast_in_dim %arg3 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %81 = train.add %79, %80 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %82 = train.broadcast_in_dim %10 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %83 = train.add %81, %82 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %84 = train.add %75, %83 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %85 = train.shift_left %83, %63 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %86 = train.shift_right_logical %83, %61 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %87 = train.or %85, %86 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %88 = train.xor %84, %87 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %89 = train.add %84, %88 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %90 = train.broadcast_in_dim %11 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %91 = train.shift_left %88, %90 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %92 = train.broadcast_in_dim %12 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %93 = train.shift_right_logical %88, %92 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %94 = train.or %91, %93 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %95 = train.xor %89, %94 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %96 = train.add %89, %95 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %97 = train.broadcast_in_dim %13 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %98 = train.shift_left %95, %97 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %99 = train.shift_right_logical %95, %97 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %100 = train.or %98, %99 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %101 = train.xor %96, %100 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %102 = train.add %96, %101 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %103 = train.add %102, %80 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %104 = train.broadcast_in_dim %14 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %105 = train.shift_left %101, %104 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %106 = train.broadcast_in_dim %15 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %107 = train.shift_right_logical %101, %106 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %108 = train.or %105, %107 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %109 = train.xor %102, %108 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %110 = train.add %109, %48 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %111 = train.broadcast_in_dim %16 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %112 = train.add %110, %111 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %113 = train.add %103, %112 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %114 = train.shift_left %112, %54 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %115 = train.shift_right_logical %112, %56 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %116 = train.or %114, %115 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %117 = train.xor %113, %116 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %118 = train.add %113, %117 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %119 = train.shift_left %117, %61 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %120 = train.shift_right_logical %117, %63 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %121 = train.or %119, %120 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %122 = train.xor %118, %121 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %123 = train.add %118, %122 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %124 = train.shift_left %122, %68 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %125 = train.shift_right_logical %122, %70 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %126 = train.or %124, %125 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %127 = train.xor %123, %126 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %128 = train.add %123, %127 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %129 = train.add %128, %48 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %130 = train.shift_left %127, %70 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %131 = train.shift_right_logical %127, %68 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %132 = train.or %130, %131 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %133 = train.xor %128, %132 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %134 = train.add %133, %51 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %135 = train.add %134, %92 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %136 = train.add %129, %135 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %137 = train.shift_left %135, %63 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %138 = train.shift_right_logical %135, %61 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %139 = train.or %137, %138 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %140 = train.xor %136, %139 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %141 = train.add %136, %140 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %142 = train.shift_left %140, %90 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %143 = train.shift_right_logical %140, %92 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %144 = train.or %142, %143 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %145 = train.xor %141, %144 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %146 = train.add %141, %145 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %147 = train.shift_left %145, %97 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %148 = train.shift_right_logical %145, %97 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %149 = train.or %147, %148 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %150 = train.xor %146, %149 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %151 = train.add %146, %150 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %152 = train.add %151, %51 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %153 = train.shift_left %150, %104 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %154 = train.shift_right_logical %150, %106 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %155 = train.or %153, %154 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %156 = train.xor %151, %155 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %157 = train.add %156, %80 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %158 = train.broadcast_in_dim %17 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %159 = train.add %157, %158 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %160 = train.add %152, %159 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %161 = train.shift_left %159, %54 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %162 = train.shift_right_logical %159, %56 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %163 = train.or %161, %162 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %164 = train.xor %160, %163 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %165 = train.add %160, %164 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %166 = train.shift_left %164, %61 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %167 = train.shift_right_logical %164, %63 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %168 = train.or %166, %167 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %169 = train.xor %165, %168 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %170 = train.add %165, %169 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %171 = train.shift_left %169, %68 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %172 = train.shift_right_logical %169, %70 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %173 = train.or %171, %172 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %174 = train.xor %170, %173 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %175 = train.add %170, %174 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %176 = train.add %175, %80 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %177 = train.shift_left %174, %70 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %178 = train.shift_right_logical %174, %68 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %179 = train.or %177, %178 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %180 = train.xor %175, %179 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %181 = train.add %180, %48 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %182 = train.broadcast_in_dim %18 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %183 = train.add %181, %182 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %184 = train.xor %176, %183 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %185 = train.broadcast_in_dim %19 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %186 = train.shift_right_logical %184, %185 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %187 = train.broadcast_in_dim %20 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %188 = train.or %186, %187 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %189 = train.bitcast_convert %188 : (tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xf32>
  %190 = train.broadcast_in_dim %0 {dims = array<i64>} : (tensor<f32>) -> tensor<1x1x12x12xf32>
  %191 = train.subtract %189, %190 : (tensor<1x1x12x12xf32>, tensor<1x1x12x12xf32>) -> tensor<1x1x12x12xf32>
  %192 = train.add %191, %22 : (tensor<1x1x12x12xf32>, tensor<1x1x12x12xf32>) -> tensor<1x1x12x12xf32>
  %193 = train.maximum %22, %192 : (tensor<1x1x12x12xf32>, tensor<1x1x12x12xf32>) -> tensor<1x1x12x12xf32>
  %194 = train.broadcast_in_dim %21 {dims = array<i64>} : (tensor<f32>) -> tensor<1x1x12x12xf32>
  %195 = train.compare %193, %194 {direction = #train<compare_direction LT>} : (tensor<1x1x12x12xf32>, tensor<1x1x12x12xf32>) -> tensor<1x1x12x12xi1>
  %query_gradient, %key_gradient, %value_gradient = train.attention_gradient %arg4, %arg5, %arg6, %arg7, %arg8, %arg9, %arg10, %195 {fill = -1.000000e+30 : f64, kept_scale = 1.3333333730697632 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 0, 0, 1, 1, 1, 1>, scale = 1.000000e+00 : f64} : (tensor<1x12x1x4xbf16>, tensor<1x12x1x4xbf16>, tensor<1x12x1x4xbf16>, tensor<1x1x1x12xi1>, tensor<1x12x1xf32>, tensor<1x12x1xf32>, tensor<1x12x1x4xbf16>, tensor<1x1x12x12xi1>) -> (tensor<1x12x1x4xbf16>, tensor<1x12x1x4xbf16>, tensor<1x12x1x4xbf16>)
  return %query_gradient, %key_gradient, %value_gradient : tensor<1x12x1x4xbf16>, tensor<1x12x1x4xbf16>, tensor<1x12x1x4xbf16>
}
func.func @attention_524e8237208b9b64(%arg0: tensor<2xi32>, %arg1: tensor<ui32>, %arg2: tensor<ui32>, %arg3: tensor<ui32>, %arg4: tensor<1x12x1x4xf32>, %arg5: tensor<1x12x1x4xf32>, %arg6: tensor<1x12x1x4xf32>, %arg7: tensor<1x1x1x12xi1>) -> (tensor<1x12x1x4xf32>, tensor<1x12x1xf32>) {
  %0 = train.constant dense<1> : tensor<i32>
  %1 = train.slice %arg0 {limit = array<i64: 1>, start = array<i64: 0>, stride = array<i64: 1>} : (tensor<2xi32>) -> tensor<1xi32>
  %2 = train.reshape %1 : (tensor<1xi32>) -> tensor<i32>
  %3 = train.multiply %2, %0 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %4 = train.slice %arg0 {limit = array<i64: 2>, start = array<i64: 1>, stride = array<i64: 1>} : (tensor<2xi32>) -> tensor<1xi32>
  %5 = train.reshape %4 : (tensor<1xi32>) -> tensor<i32>
  %6 = train.multiply %5, %0 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %7 = train.constant dense<3> : tensor<ui32>
  %8 = train.constant dense<13> : tensor<ui32>
  %9 = train.constant dense<19> : tensor<ui32>
  %10 = train.constant dense<15> : tensor<ui32>
  %11 = train.constant dense<17> : tensor<ui32>
  %12 = train.constant dense<26> : tensor<ui32>
  %13 = train.constant dense<6> : tensor<ui32>
  %14 = train.constant dense<1> : tensor<ui32>
  %15 = train.constant dense<29> : tensor<ui32>
  %16 = train.constant dense<16> : tensor<ui32>
  %17 = train.constant dense<24> : tensor<ui32>
  %18 = train.constant dense<8> : tensor<ui32>
  %19 = train.constant dense<2> : tensor<ui32>
  %20 = train.constant dense<4> : tensor<ui32>
  %21 = train.constant dense<5> : tensor<ui32>
  %22 = train.constant dense<7.500000e-01> : tensor<f32>
  %23 = train.constant dense<0.000000e+00> : tensor<f32>
  %24 = train.constant dense<144> : tensor<ui64>
  %25 = train.constant dense<12> : tensor<ui64>
  %26 = train.constant dense<32> : tensor<ui64>
  %27 = train.constant dense<9> : tensor<ui32>
  %28 = train.constant dense<1065353216> : tensor<ui32>
  %29 = train.constant dense<1.000000e+00> : tensor<f32>
  %30 = train.iota %3 {dim = 0 : i64} : (tensor<i32>) -> tensor<1x1x12x12xui64>
  %31 = train.iota %6 {dim = 1 : i64} : (tensor<i32>) -> tensor<1x1x12x12xui64>
  %32 = train.iota  {dim = 2 : i64} : () -> tensor<1x1x12x12xui64>
  %33 = train.iota  {dim = 3 : i64} : () -> tensor<1x1x12x12xui64>
  %34 = train.constant dense<288> : tensor<ui64>
  %35 = train.broadcast_in_dim %34 {dims = array<i64>} : (tensor<ui64>) -> tensor<1x1x12x12xui64>
  %36 = train.multiply %35, %30 : (tensor<1x1x12x12xui64>, tensor<1x1x12x12xui64>) -> tensor<1x1x12x12xui64>
  %37 = train.broadcast_in_dim %24 {dims = array<i64>} : (tensor<ui64>) -> tensor<1x1x12x12xui64>
  %38 = train.multiply %37, %31 : (tensor<1x1x12x12xui64>, tensor<1x1x12x12xui64>) -> tensor<1x1x12x12xui64>
  %39 = train.broadcast_in_dim %25 {dims = array<i64>} : (tensor<ui64>) -> tensor<1x1x12x12xui64>
  %40 = train.multiply %39, %32 : (tensor<1x1x12x12xui64>, tensor<1x1x12x12xui64>) -> tensor<1x1x12x12xui64>
  %41 = train.add %36, %38 : (tensor<1x1x12x12xui64>, tensor<1x1x12x12xui64>) -> tensor<1x1x12x12xui64>
  %42 = train.add %41, %40 : (tensor<1x1x12x12xui64>, tensor<1x1x12x12xui64>) -> tensor<1x1x12x12xui64>
  %43 = train.add %42, %33 : (tensor<1x1x12x12xui64>, tensor<1x1x12x12xui64>) -> tensor<1x1x12x12xui64>
  %44 = train.broadcast_in_dim %26 {dims = array<i64>} : (tensor<ui64>) -> tensor<1x1x12x12xui64>
  %45 = train.shift_right_logical %43, %44 : (tensor<1x1x12x12xui64>, tensor<1x1x12x12xui64>) -> tensor<1x1x12x12xui64>
  %46 = train.convert %43 : (tensor<1x1x12x12xui64>) -> tensor<1x1x12x12xui32>
  %47 = train.convert %45 : (tensor<1x1x12x12xui64>) -> tensor<1x1x12x12xui32>
  %48 = train.broadcast_in_dim %8 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %49 = train.broadcast_in_dim %9 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %50 = train.broadcast_in_dim %10 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %51 = train.broadcast_in_dim %11 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %52 = train.broadcast_in_dim %12 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %53 = train.broadcast_in_dim %13 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %54 = train.broadcast_in_dim %14 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %55 = train.broadcast_in_dim %15 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %56 = train.broadcast_in_dim %7 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %57 = train.broadcast_in_dim %16 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %58 = train.broadcast_in_dim %17 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %59 = train.broadcast_in_dim %18 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %60 = train.broadcast_in_dim %19 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %61 = train.broadcast_in_dim %20 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %62 = train.broadcast_in_dim %21 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %63 = train.broadcast_in_dim %27 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %64 = train.broadcast_in_dim %28 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %65 = train.broadcast_in_dim %29 {dims = array<i64>} : (tensor<f32>) -> tensor<1x1x12x12xf32>
  %66 = train.broadcast_in_dim %23 {dims = array<i64>} : (tensor<f32>) -> tensor<1x1x12x12xf32>
  %67 = train.broadcast_in_dim %22 {dims = array<i64>} : (tensor<f32>) -> tensor<1x1x12x12xf32>
  %68 = train.broadcast_in_dim %arg1 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %69 = train.add %47, %68 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %70 = train.broadcast_in_dim %arg2 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %71 = train.add %46, %70 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %72 = train.add %69, %71 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %73 = train.shift_left %71, %48 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %74 = train.shift_right_logical %71, %49 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %75 = train.or %73, %74 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %76 = train.xor %72, %75 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %77 = train.add %72, %76 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %78 = train.shift_left %76, %50 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %79 = train.shift_right_logical %76, %51 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %80 = train.or %78, %79 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %81 = train.xor %77, %80 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %82 = train.add %77, %81 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %83 = train.shift_left %81, %52 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %84 = train.shift_right_logical %81, %53 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %85 = train.or %83, %84 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %86 = train.xor %82, %85 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %87 = train.add %82, %86 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %88 = train.shift_left %86, %53 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %89 = train.shift_right_logical %86, %52 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %90 = train.or %88, %89 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %91 = train.xor %87, %90 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %92 = train.add %87, %70 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %93 = train.broadcast_in_dim %arg3 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %94 = train.add %91, %93 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %95 = train.add %94, %54 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %96 = train.add %92, %95 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %97 = train.shift_left %95, %51 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %98 = train.shift_right_logical %95, %50 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %99 = train.or %97, %98 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %100 = train.xor %96, %99 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %101 = train.add %96, %100 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %102 = train.shift_left %100, %55 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %103 = train.shift_right_logical %100, %56 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %104 = train.or %102, %103 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %105 = train.xor %101, %104 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %106 = train.add %101, %105 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %107 = train.shift_left %105, %57 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %108 = train.shift_right_logical %105, %57 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %109 = train.or %107, %108 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %110 = train.xor %106, %109 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %111 = train.add %106, %110 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %112 = train.shift_left %110, %58 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %113 = train.shift_right_logical %110, %59 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %114 = train.or %112, %113 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %115 = train.xor %111, %114 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %116 = train.add %111, %93 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %117 = train.add %115, %68 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %118 = train.add %117, %60 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %119 = train.add %116, %118 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %120 = train.shift_left %118, %48 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %121 = train.shift_right_logical %118, %49 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %122 = train.or %120, %121 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %123 = train.xor %119, %122 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %124 = train.add %119, %123 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %125 = train.shift_left %123, %50 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %126 = train.shift_right_logical %123, %51 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %127 = train.or %125, %126 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %128 = train.xor %124, %127 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %129 = train.add %124, %128 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %130 = train.shift_left %128, %52 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %131 = train.shift_right_logical %128, %53 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %132 = train.or %130, %131 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %133 = train.xor %129, %132 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %134 = train.add %129, %133 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %135 = train.shift_left %133, %53 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %136 = train.shift_right_logical %133, %52 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %137 = train.or %135, %136 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %138 = train.xor %134, %137 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %139 = train.add %134, %68 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %140 = train.add %138, %70 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %141 = train.add %140, %56 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %142 = train.add %139, %141 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %143 = train.shift_left %141, %51 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %144 = train.shift_right_logical %141, %50 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %145 = train.or %143, %144 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %146 = train.xor %142, %145 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %147 = train.add %142, %146 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %148 = train.shift_left %146, %55 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %149 = train.shift_right_logical %146, %56 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %150 = train.or %148, %149 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %151 = train.xor %147, %150 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %152 = train.add %147, %151 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %153 = train.shift_left %151, %57 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %154 = train.shift_right_logical %151, %57 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %155 = train.or %153, %154 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %156 = train.xor %152, %155 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %157 = train.add %152, %156 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %158 = train.shift_left %156, %58 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %159 = train.shift_right_logical %156, %59 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %160 = train.or %158, %159 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %161 = train.xor %157, %160 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %162 = train.add %157, %70 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %163 = train.add %161, %93 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %164 = train.add %163, %61 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %165 = train.add %162, %164 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %166 = train.shift_left %164, %48 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %167 = train.shift_right_logical %164, %49 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %168 = train.or %166, %167 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %169 = train.xor %165, %168 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %170 = train.add %165, %169 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %171 = train.shift_left %169, %50 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %172 = train.shift_right_logical %169, %51 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %173 = train.or %171, %172 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %174 = train.xor %170, %173 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %175 = train.add %170, %174 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %176 = train.shift_left %174, %52 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %177 = train.shift_right_logical %174, %53 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %178 = train.or %176, %177 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %179 = train.xor %175, %178 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %180 = train.add %175, %179 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %181 = train.shift_left %179, %53 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %182 = train.shift_right_logical %179, %52 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %183 = train.or %181, %182 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %184 = train.xor %180, %183 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %185 = train.add %180, %93 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %186 = train.add %184, %68 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %187 = train.add %186, %62 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %188 = train.xor %185, %187 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %189 = train.shift_right_logical %188, %63 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %190 = train.or %189, %64 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %191 = train.bitcast_convert %190 : (tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xf32>
  %192 = train.subtract %191, %65 : (tensor<1x1x12x12xf32>, tensor<1x1x12x12xf32>) -> tensor<1x1x12x12xf32>
  %193 = train.add %192, %66 : (tensor<1x1x12x12xf32>, tensor<1x1x12x12xf32>) -> tensor<1x1x12x12xf32>
  %194 = train.maximum %66, %193 : (tensor<1x1x12x12xf32>, tensor<1x1x12x12xf32>) -> tensor<1x1x12x12xf32>
  %195 = train.compare %194, %67 {direction = #train<compare_direction LT>} : (tensor<1x1x12x12xf32>, tensor<1x1x12x12xf32>) -> tensor<1x1x12x12xi1>
  %result, %lse = train.attention %arg4, %arg5, %arg6, %arg7, %195 {fill = -1.000000e+30 : f64, kept_scale = 1.3333333730697632 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 0, 0, 1>, scale = 1.000000e+00 : f64} : (tensor<1x12x1x4xf32>, tensor<1x12x1x4xf32>, tensor<1x12x1x4xf32>, tensor<1x1x1x12xi1>, tensor<1x1x12x12xi1>) -> (tensor<1x12x1x4xf32>, tensor<1x12x1xf32>)
  return %result, %lse : tensor<1x12x1x4xf32>, tensor<1x12x1xf32>
}
func.func @attention_gradient_62f443ab341128d0(%arg0: tensor<2xi32>, %arg1: tensor<ui32>, %arg2: tensor<ui32>, %arg3: tensor<ui32>, %arg4: tensor<1x12x1x4xf32>, %arg5: tensor<1x12x1x4xf32>, %arg6: tensor<1x12x1x4xf32>, %arg7: tensor<1x1x1x12xi1>, %arg8: tensor<1x12x1xf32>, %arg9: tensor<1x12x1xf32>, %arg10: tensor<1x12x1x4xf32>) -> (tensor<1x12x1x4xf32>, tensor<1x12x1x4xf32>, tensor<1x12x1x4xf32>) {
  %0 = train.constant dense<1.000000e+00> : tensor<f32>
  %1 = train.constant dense<0.000000e+00> : tensor<f32>
  %2 = train.constant dense<12> : tensor<ui64>
  %3 = train.constant dense<32> : tensor<ui64>
  %4 = train.constant dense<13> : tensor<ui32>
  %5 = train.constant dense<19> : tensor<ui32>
  %6 = train.constant dense<15> : tensor<ui32>
  %7 = train.constant dense<17> : tensor<ui32>
  %8 = train.constant dense<26> : tensor<ui32>
  %9 = train.constant dense<6> : tensor<ui32>
  %10 = train.constant dense<1> : tensor<ui32>
  %11 = train.constant dense<29> : tensor<ui32>
  %12 = train.constant dense<3> : tensor<ui32>
  %13 = train.constant dense<16> : tensor<ui32>
  %14 = train.constant dense<24> : tensor<ui32>
  %15 = train.constant dense<8> : tensor<ui32>
  %16 = train.constant dense<2> : tensor<ui32>
  %17 = train.constant dense<4> : tensor<ui32>
  %18 = train.constant dense<5> : tensor<ui32>
  %19 = train.constant dense<9> : tensor<ui32>
  %20 = train.constant dense<1065353216> : tensor<ui32>
  %21 = train.constant dense<7.500000e-01> : tensor<f32>
  %22 = train.broadcast_in_dim %1 {dims = array<i64>} : (tensor<f32>) -> tensor<1x1x12x12xf32>
  %23 = train.constant dense<288> : tensor<ui64>
  %24 = train.broadcast_in_dim %23 {dims = array<i64>} : (tensor<ui64>) -> tensor<1x1x12x12xui64>
  %25 = train.constant dense<1> : tensor<i32>
  %26 = train.slice %arg0 {limit = array<i64: 1>, start = array<i64: 0>, stride = array<i64: 1>} : (tensor<2xi32>) -> tensor<1xi32>
  %27 = train.reshape %26 : (tensor<1xi32>) -> tensor<i32>
  %28 = train.multiply %27, %25 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %29 = train.iota %28 {dim = 0 : i64} : (tensor<i32>) -> tensor<1x1x12x12xui64>
  %30 = train.multiply %24, %29 : (tensor<1x1x12x12xui64>, tensor<1x1x12x12xui64>) -> tensor<1x1x12x12xui64>
  %31 = train.constant dense<144> : tensor<ui64>
  %32 = train.broadcast_in_dim %31 {dims = array<i64>} : (tensor<ui64>) -> tensor<1x1x12x12xui64>
  %33 = train.slice %arg0 {limit = array<i64: 2>, start = array<i64: 1>, stride = array<i64: 1>} : (tensor<2xi32>) -> tensor<1xi32>
  %34 = train.reshape %33 : (tensor<1xi32>) -> tensor<i32>
  %35 = train.multiply %34, %25 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %36 = train.iota %35 {dim = 1 : i64} : (tensor<i32>) -> tensor<1x1x12x12xui64>
  %37 = train.multiply %32, %36 : (tensor<1x1x12x12xui64>, tensor<1x1x12x12xui64>) -> tensor<1x1x12x12xui64>
  %38 = train.add %30, %37 : (tensor<1x1x12x12xui64>, tensor<1x1x12x12xui64>) -> tensor<1x1x12x12xui64>
  %39 = train.broadcast_in_dim %2 {dims = array<i64>} : (tensor<ui64>) -> tensor<1x1x12x12xui64>
  %40 = train.iota  {dim = 2 : i64} : () -> tensor<1x1x12x12xui64>
  %41 = train.multiply %39, %40 : (tensor<1x1x12x12xui64>, tensor<1x1x12x12xui64>) -> tensor<1x1x12x12xui64>
  %42 = train.add %38, %41 : (tensor<1x1x12x12xui64>, tensor<1x1x12x12xui64>) -> tensor<1x1x12x12xui64>
  %43 = train.iota  {dim = 3 : i64} : () -> tensor<1x1x12x12xui64>
  %44 = train.add %42, %43 : (tensor<1x1x12x12xui64>, tensor<1x1x12x12xui64>) -> tensor<1x1x12x12xui64>
  %45 = train.broadcast_in_dim %3 {dims = array<i64>} : (tensor<ui64>) -> tensor<1x1x12x12xui64>
  %46 = train.shift_right_logical %44, %45 : (tensor<1x1x12x12xui64>, tensor<1x1x12x12xui64>) -> tensor<1x1x12x12xui64>
  %47 = train.convert %46 : (tensor<1x1x12x12xui64>) -> tensor<1x1x12x12xui32>
  %48 = train.broadcast_in_dim %arg1 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %49 = train.add %47, %48 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %50 = train.convert %44 : (tensor<1x1x12x12xui64>) -> tensor<1x1x12x12xui32>
  %51 = train.broadcast_in_dim %arg2 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %52 = train.add %50, %51 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %53 = train.add %49, %52 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %54 = train.broadcast_in_dim %4 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %55 = train.shift_left %52, %54 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %56 = train.broadcast_in_dim %5 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %57 = train.shift_right_logical %52, %56 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %58 = train.or %55, %57 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %59 = train.xor %53, %58 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %60 = train.add %53, %59 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %61 = train.broadcast_in_dim %6 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %62 = train.shift_left %59, %61 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %63 = train.broadcast_in_dim %7 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %64 = train.shift_right_logical %59, %63 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %65 = train.or %62, %64 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %66 = train.xor %60, %65 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %67 = train.add %60, %66 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %68 = train.broadcast_in_dim %8 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %69 = train.shift_left %66, %68 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %70 = train.broadcast_in_dim %9 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %71 = train.shift_right_logical %66, %70 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %72 = train.or %69, %71 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %73 = train.xor %67, %72 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %74 = train.add %67, %73 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %75 = train.add %74, %51 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %76 = train.shift_left %73, %70 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %77 = train.shift_right_logical %73, %68 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %78 = train.or %76, %77 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %79 = train.xor %74, %78 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %80 = train.broadcast_in_dim %arg3 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %81 = train.add %79, %80 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %82 = train.broadcast_in_dim %10 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %83 = train.add %81, %82 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %84 = train.add %75, %83 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %85 = train.shift_left %83, %63 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %86 = train.shift_right_logical %83, %61 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %87 = train.or %85, %86 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %88 = train.xor %84, %87 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %89 = train.add %84, %88 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %90 = train.broadcast_in_dim %11 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %91 = train.shift_left %88, %90 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %92 = train.broadcast_in_dim %12 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %93 = train.shift_right_logical %88, %92 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %94 = train.or %91, %93 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %95 = train.xor %89, %94 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %96 = train.add %89, %95 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %97 = train.broadcast_in_dim %13 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %98 = train.shift_left %95, %97 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %99 = train.shift_right_logical %95, %97 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %100 = train.or %98, %99 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %101 = train.xor %96, %100 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %102 = train.add %96, %101 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %103 = train.add %102, %80 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %104 = train.broadcast_in_dim %14 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %105 = train.shift_left %101, %104 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %106 = train.broadcast_in_dim %15 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %107 = train.shift_right_logical %101, %106 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %108 = train.or %105, %107 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %109 = train.xor %102, %108 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %110 = train.add %109, %48 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %111 = train.broadcast_in_dim %16 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %112 = train.add %110, %111 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %113 = train.add %103, %112 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %114 = train.shift_left %112, %54 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %115 = train.shift_right_logical %112, %56 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %116 = train.or %114, %115 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %117 = train.xor %113, %116 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %118 = train.add %113, %117 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %119 = train.shift_left %117, %61 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %120 = train.shift_right_logical %117, %63 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %121 = train.or %119, %120 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %122 = train.xor %118, %121 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %123 = train.add %118, %122 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %124 = train.shift_left %122, %68 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %125 = train.shift_right_logical %122, %70 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %126 = train.or %124, %125 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %127 = train.xor %123, %126 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %128 = train.add %123, %127 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %129 = train.add %128, %48 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %130 = train.shift_left %127, %70 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %131 = train.shift_right_logical %127, %68 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %132 = train.or %130, %131 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %133 = train.xor %128, %132 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %134 = train.add %133, %51 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %135 = train.add %134, %92 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %136 = train.add %129, %135 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %137 = train.shift_left %135, %63 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %138 = train.shift_right_logical %135, %61 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %139 = train.or %137, %138 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %140 = train.xor %136, %139 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %141 = train.add %136, %140 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %142 = train.shift_left %140, %90 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %143 = train.shift_right_logical %140, %92 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %144 = train.or %142, %143 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %145 = train.xor %141, %144 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %146 = train.add %141, %145 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %147 = train.shift_left %145, %97 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %148 = train.shift_right_logical %145, %97 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %149 = train.or %147, %148 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %150 = train.xor %146, %149 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %151 = train.add %146, %150 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %152 = train.add %151, %51 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %153 = train.shift_left %150, %104 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %154 = train.shift_right_logical %150, %106 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %155 = train.or %153, %154 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %156 = train.xor %151, %155 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %157 = train.add %156, %80 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %158 = train.broadcast_in_dim %17 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %159 = train.add %157, %158 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %160 = train.add %152, %159 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %161 = train.shift_left %159, %54 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %162 = train.shift_right_logical %159, %56 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %163 = train.or %161, %162 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %164 = train.xor %160, %163 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %165 = train.add %160, %164 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %166 = train.shift_left %164, %61 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %167 = train.shift_right_logical %164, %63 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %168 = train.or %166, %167 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %169 = train.xor %165, %168 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %170 = train.add %165, %169 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %171 = train.shift_left %169, %68 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %172 = train.shift_right_logical %169, %70 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %173 = train.or %171, %172 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %174 = train.xor %170, %173 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %175 = train.add %170, %174 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %176 = train.add %175, %80 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %177 = train.shift_left %174, %70 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %178 = train.shift_right_logical %174, %68 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %179 = train.or %177, %178 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %180 = train.xor %175, %179 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %181 = train.add %180, %48 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %182 = train.broadcast_in_dim %18 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %183 = train.add %181, %182 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %184 = train.xor %176, %183 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %185 = train.broadcast_in_dim %19 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %186 = train.shift_right_logical %184, %185 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %187 = train.broadcast_in_dim %20 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x1x12x12xui32>
  %188 = train.or %186, %187 : (tensor<1x1x12x12xui32>, tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xui32>
  %189 = train.bitcast_convert %188 : (tensor<1x1x12x12xui32>) -> tensor<1x1x12x12xf32>
  %190 = train.broadcast_in_dim %0 {dims = array<i64>} : (tensor<f32>) -> tensor<1x1x12x12xf32>
  %191 = train.subtract %189, %190 : (tensor<1x1x12x12xf32>, tensor<1x1x12x12xf32>) -> tensor<1x1x12x12xf32>
  %192 = train.add %191, %22 : (tensor<1x1x12x12xf32>, tensor<1x1x12x12xf32>) -> tensor<1x1x12x12xf32>
  %193 = train.maximum %22, %192 : (tensor<1x1x12x12xf32>, tensor<1x1x12x12xf32>) -> tensor<1x1x12x12xf32>
  %194 = train.broadcast_in_dim %21 {dims = array<i64>} : (tensor<f32>) -> tensor<1x1x12x12xf32>
  %195 = train.compare %193, %194 {direction = #train<compare_direction LT>} : (tensor<1x1x12x12xf32>, tensor<1x1x12x12xf32>) -> tensor<1x1x12x12xi1>
  %query_gradient, %key_gradient, %value_gradient = train.attention_gradient %arg4, %arg5, %arg6, %arg7, %arg8, %arg9, %arg10, %195 {fill = -1.000000e+30 : f64, kept_scale = 1.3333333730697632 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 0, 0, 1, 1, 1, 1>, scale = 1.000000e+00 : f64} : (tensor<1x12x1x4xf32>, tensor<1x12x1x4xf32>, tensor<1x12x1x4xf32>, tensor<1x1x1x12xi1>, tensor<1x12x1xf32>, tensor<1x12x1xf32>, tensor<1x12x1x4xf32>, tensor<1x1x12x12xi1>) -> (tensor<1x12x1x4xf32>, tensor<1x12x1x4xf32>, tensor<1x12x1x4xf32>)
  return %query_gradient, %key_gradient, %value_gradient : tensor<1x12x1x4xf32>, tensor<1x12x1x4xf32>, tensor<1x12x1x4xf32>
}
func.func @dot_general_7140374411e17d78(%arg0: tensor<2x128x128xf16>, %arg1: tensor<2x2x128x2x32xf16>, %arg2: tensor<4x32x128xf16>) -> tensor<2x128x128xf16> {
  %0 = train.convert %arg0 : (tensor<2x128x128xf16>) -> tensor<2x128x128xf32>
  %1 = train.transpose %arg1 {permutation = array<i64: 0, 1, 3, 4, 2>} : (tensor<2x2x128x2x32xf16>) -> tensor<2x2x2x32x128xf16>
  %2 = train.reshape %1 : (tensor<2x2x2x32x128xf16>) -> tensor<2x4x32x128xf16>
  %3 = train.dot_general %2, %arg2 {lhs_batching = array<i64>, lhs_contracting = array<i64: 1, 2>, rhs_batching = array<i64>, rhs_contracting = array<i64: 0, 1>} : (tensor<2x4x32x128xf16>, tensor<4x32x128xf16>) -> tensor<2x128x128xf32>
  %4 = train.convert %3 : (tensor<2x128x128xf32>) -> tensor<2x128x128xf16>
  %5 = train.convert %4 : (tensor<2x128x128xf16>) -> tensor<2x128x128xf32>
  %6 = train.add %0, %5 : (tensor<2x128x128xf32>, tensor<2x128x128xf32>) -> tensor<2x128x128xf32>
  %7 = train.convert %6 : (tensor<2x128x128xf32>) -> tensor<2x128x128xf16>
  return %7 : tensor<2x128x128xf16>
}
func.func @add_2114986eab193af6(%arg0: tensor<2x2x128x32xf16>, %arg1: tensor<128x16xf32>, %arg2: tensor<128x16xf32>) -> (tensor<2x128x2x16xf16>, tensor<2x128x2x16xf16>) {
  %0 = train.transpose %arg0 {permutation = array<i64: 0, 2, 1, 3>} : (tensor<2x2x128x32xf16>) -> tensor<2x128x2x32xf16>
  %1 = train.slice %0 {limit = array<i64: 2, 128, 2, 16>, start = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1, 1, 1>} : (tensor<2x128x2x32xf16>) -> tensor<2x128x2x16xf16>
  %2 = train.slice %0 {limit = array<i64: 2, 128, 2, 32>, start = array<i64: 0, 0, 0, 16>, stride = array<i64: 1, 1, 1, 1>} : (tensor<2x128x2x32xf16>) -> tensor<2x128x2x16xf16>
  %3 = train.convert %2 : (tensor<2x128x2x16xf16>) -> tensor<2x128x2x16xf32>
  %4 = train.convert %1 : (tensor<2x128x2x16xf16>) -> tensor<2x128x2x16xf32>
  %5 = train.broadcast_in_dim %arg1 {dims = array<i64: 1, 3>} : (tensor<128x16xf32>) -> tensor<2x128x2x16xf32>
  %6 = train.multiply %3, %5 : (tensor<2x128x2x16xf32>, tensor<2x128x2x16xf32>) -> tensor<2x128x2x16xf32>
  %7 = train.broadcast_in_dim %arg2 {dims = array<i64: 1, 3>} : (tensor<128x16xf32>) -> tensor<2x128x2x16xf32>
  %8 = train.multiply %3, %7 : (tensor<2x128x2x16xf32>, tensor<2x128x2x16xf32>) -> tensor<2x128x2x16xf32>
  %9 = train.negate %4 : (tensor<2x128x2x16xf32>) -> tensor<2x128x2x16xf32>
  %10 = train.multiply %9, %5 : (tensor<2x128x2x16xf32>, tensor<2x128x2x16xf32>) -> tensor<2x128x2x16xf32>
  %11 = train.add %8, %10 : (tensor<2x128x2x16xf32>, tensor<2x128x2x16xf32>) -> tensor<2x128x2x16xf32>
  %12 = train.multiply %4, %7 : (tensor<2x128x2x16xf32>, tensor<2x128x2x16xf32>) -> tensor<2x128x2x16xf32>
  %13 = train.add %6, %12 : (tensor<2x128x2x16xf32>, tensor<2x128x2x16xf32>) -> tensor<2x128x2x16xf32>
  %14 = train.convert %11 : (tensor<2x128x2x16xf32>) -> tensor<2x128x2x16xf16>
  %15 = train.convert %13 : (tensor<2x128x2x16xf32>) -> tensor<2x128x2x16xf16>
  return %14, %15 : tensor<2x128x2x16xf16>, tensor<2x128x2x16xf16>
}
func.func @add_72ab19288c6726d6(%arg0: tensor<2x2x128x2x32xf16>, %arg1: tensor<128x16xf32>, %arg2: tensor<128x16xf32>) -> (tensor<2x128x4x16xf16>, tensor<2x128x4x16xf16>) {
  %0 = train.transpose %arg0 {permutation = array<i64: 0, 2, 1, 3, 4>} : (tensor<2x2x128x2x32xf16>) -> tensor<2x128x2x2x32xf16>
  %1 = train.reshape %0 : (tensor<2x128x2x2x32xf16>) -> tensor<2x128x4x32xf16>
  %2 = train.slice %1 {limit = array<i64: 2, 128, 4, 16>, start = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1, 1, 1>} : (tensor<2x128x4x32xf16>) -> tensor<2x128x4x16xf16>
  %3 = train.slice %1 {limit = array<i64: 2, 128, 4, 32>, start = array<i64: 0, 0, 0, 16>, stride = array<i64: 1, 1, 1, 1>} : (tensor<2x128x4x32xf16>) -> tensor<2x128x4x16xf16>
  %4 = train.convert %3 : (tensor<2x128x4x16xf16>) -> tensor<2x128x4x16xf32>
  %5 = train.convert %2 : (tensor<2x128x4x16xf16>) -> tensor<2x128x4x16xf32>
  %6 = train.broadcast_in_dim %arg1 {dims = array<i64: 1, 3>} : (tensor<128x16xf32>) -> tensor<2x128x4x16xf32>
  %7 = train.multiply %4, %6 : (tensor<2x128x4x16xf32>, tensor<2x128x4x16xf32>) -> tensor<2x128x4x16xf32>
  %8 = train.broadcast_in_dim %arg2 {dims = array<i64: 1, 3>} : (tensor<128x16xf32>) -> tensor<2x128x4x16xf32>
  %9 = train.multiply %4, %8 : (tensor<2x128x4x16xf32>, tensor<2x128x4x16xf32>) -> tensor<2x128x4x16xf32>
  %10 = train.negate %5 : (tensor<2x128x4x16xf32>) -> tensor<2x128x4x16xf32>
  %11 = train.multiply %10, %6 : (tensor<2x128x4x16xf32>, tensor<2x128x4x16xf32>) -> tensor<2x128x4x16xf32>
  %12 = train.add %9, %11 : (tensor<2x128x4x16xf32>, tensor<2x128x4x16xf32>) -> tensor<2x128x4x16xf32>
  %13 = train.multiply %5, %8 : (tensor<2x128x4x16xf32>, tensor<2x128x4x16xf32>) -> tensor<2x128x4x16xf32>
  %14 = train.add %7, %13 : (tensor<2x128x4x16xf32>, tensor<2x128x4x16xf32>) -> tensor<2x128x4x16xf32>
  %15 = train.convert %12 : (tensor<2x128x4x16xf32>) -> tensor<2x128x4x16xf16>
  %16 = train.convert %14 : (tensor<2x128x4x16xf32>) -> tensor<2x128x4x16xf16>
  return %15, %16 : tensor<2x128x4x16xf16>, tensor<2x128x4x16xf16>
}
func.func @reduce_9917d5dea3ff0f1(%arg0: tensor<2xi32>, %arg1: tensor<2xui32>, %arg2: tensor<1x12x2x4xf32>) -> (tensor<f32>, tensor<1xui32>, tensor<1xui32>) {
  %0 = train.constant dense<1> : tensor<i32>
  %1 = train.slice %arg0 {limit = array<i64: 1>, start = array<i64: 0>, stride = array<i64: 1>} : (tensor<2xi32>) -> tensor<1xi32>
  %2 = train.reshape %1 : (tensor<1xi32>) -> tensor<i32>
  %3 = train.slice %arg0 {limit = array<i64: 2>, start = array<i64: 1>, stride = array<i64: 1>} : (tensor<2xi32>) -> tensor<1xi32>
  %4 = train.reshape %3 : (tensor<1xi32>) -> tensor<i32>
  %5 = train.constant dense<2> : tensor<i32>
  %6 = train.multiply %2, %5 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %7 = train.add %6, %4 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %8 = train.multiply %7, %0 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %9 = train.slice %arg1 {limit = array<i64: 1>, start = array<i64: 0>, stride = array<i64: 1>} : (tensor<2xui32>) -> tensor<1xui32>
  %10 = train.reshape %9 : (tensor<1xui32>) -> tensor<ui32>
  %11 = train.slice %arg1 {limit = array<i64: 2>, start = array<i64: 1>, stride = array<i64: 1>} : (tensor<2xui32>) -> tensor<1xui32>
  %12 = train.reshape %11 : (tensor<1xui32>) -> tensor<ui32>
  %13 = train.constant dense<3> : tensor<ui32>
  %14 = train.reshape %13 : (tensor<ui32>) -> tensor<1xui32>
  %15 = train.xor %10, %12 : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
  %16 = train.constant dense<466688986> : tensor<ui32>
  %17 = train.xor %15, %16 : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
  %18 = train.constant dense<13> : tensor<ui32>
  %19 = train.reshape %18 : (tensor<ui32>) -> tensor<1xui32>
  %20 = train.constant dense<19> : tensor<ui32>
  %21 = train.reshape %20 : (tensor<ui32>) -> tensor<1xui32>
  %22 = train.constant dense<15> : tensor<ui32>
  %23 = train.reshape %22 : (tensor<ui32>) -> tensor<1xui32>
  %24 = train.constant dense<17> : tensor<ui32>
  %25 = train.reshape %24 : (tensor<ui32>) -> tensor<1xui32>
  %26 = train.constant dense<26> : tensor<ui32>
  %27 = train.reshape %26 : (tensor<ui32>) -> tensor<1xui32>
  %28 = train.constant dense<6> : tensor<ui32>
  %29 = train.reshape %28 : (tensor<ui32>) -> tensor<1xui32>
  %30 = train.reshape %17 : (tensor<ui32>) -> tensor<1xui32>
  %31 = train.constant dense<1> : tensor<ui32>
  %32 = train.reshape %31 : (tensor<ui32>) -> tensor<1xui32>
  %33 = train.constant dense<29> : tensor<ui32>
  %34 = train.reshape %33 : (tensor<ui32>) -> tensor<1xui32>
  %35 = train.constant dense<16> : tensor<ui32>
  %36 = train.reshape %35 : (tensor<ui32>) -> tensor<1xui32>
  %37 = train.constant dense<24> : tensor<ui32>
  %38 = train.reshape %37 : (tensor<ui32>) -> tensor<1xui32>
  %39 = train.constant dense<8> : tensor<ui32>
  %40 = train.reshape %39 : (tensor<ui32>) -> tensor<1xui32>
  %41 = train.multiply %arg2, %arg2 : (tensor<1x12x2x4xf32>, tensor<1x12x2x4xf32>) -> tensor<1x12x2x4xf32>
  %42 = train.constant dense<0.000000e+00> : tensor<1x12x2x4xf32>
  %43 = train.iota %8 {dim = 0 : i64} : (tensor<i32>) -> tensor<1xi32>
  %44 = train.constant dense<2> : tensor<1xi32>
  %45 = train.compare %43, %44 {direction = #train<compare_direction LT>} : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi1>
  %46 = train.broadcast_in_dim %45 {dims = array<i64: 0>} : (tensor<1xi1>) -> tensor<1x12x2x4xi1>
  %47 = train.select %46, %41, %42 : (tensor<1x12x2x4xi1>, tensor<1x12x2x4xf32>, tensor<1x12x2x4xf32>) -> tensor<1x12x2x4xf32>
  %48 = train.reduce %47 {dims = array<i64: 0, 1, 2, 3>, kind = #train<reduce_kind add>} : (tensor<1x12x2x4xf32>) -> tensor<f32>
  %49 = train.constant dense<1.920000e+02> : tensor<f32>
  %50 = train.divide %48, %49 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %51 = train.add %32, %11 : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
  %52 = train.add %9, %51 : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
  %53 = train.shift_left %51, %19 : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
  %54 = train.shift_right_logical %51, %21 : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
  %55 = train.or %53, %54 : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
  %56 = train.xor %52, %55 : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
  %57 = train.add %52, %56 : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
  %58 = train.shift_left %56, %23 : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
  %59 = train.shift_right_logical %56, %25 : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
  %60 = train.or %58, %59 : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
  %61 = train.xor %57, %60 : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
  %62 = train.add %57, %61 : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
  %63 = train.shift_left %61, %27 : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
  %64 = train.shift_right_logical %61, %29 : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
  %65 = train.or %63, %64 : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
  %66 = train.xor %62, %65 : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
  %67 = train.add %62, %66 : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
  %68 = train.shift_left %66, %29 : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
  %69 = train.shift_right_logical %66, %27 : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
  %70 = train.or %68, %69 : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
  %71 = train.xor %67, %70 : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
  %72 = train.add %67, %11 : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
  %73 = train.add %71, %30 : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
  %74 = train.add %73, %32 : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
  %75 = train.add %72, %74 : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
  %76 = train.shift_left %74, %25 : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
  %77 = train.shift_right_logical %74, %23 : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
  %78 = train.or %76, %77 : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
  %79 = train.xor %75, %78 : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
  %80 = train.add %75, %79 : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
  %81 = train.shift_left %79, %34 : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
  %82 = train.shift_right_logical %79, %14 : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
  %83 = train.or %81, %82 : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
  %84 = train.xor %80, %83 : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
  %85 = train.add %80, %84 : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
  %86 = train.shift_left %84, %36 : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
  %87 = train.shift_right_logical %84, %36 : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
  %88 = train.or %86, %87 : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
  %89 = train.xor %85, %88 : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
  %90 = train.add %85, %89 : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
  %91 = train.shift_left %89, %38 : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
  %92 = train.shift_right_logical %89, %40 : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
  %93 = train.or %91, %92 : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
  %94 = train.xor %90, %93 : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
  %95 = train.add %90, %30 : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
  return %50, %94, %95 : tensor<f32>, tensor<1xui32>, tensor<1xui32>
}
func.func @attention_ce7572a251773c57(%arg0: tensor<2xi32>, %arg1: tensor<ui32>, %arg2: tensor<ui32>, %arg3: tensor<ui32>, %arg4: tensor<1x2x12x4xf16>, %arg5: tensor<1x12x2x4xf16>, %arg6: tensor<1x12x2x4xf16>) -> (tensor<1x12x2x4xf16>, tensor<1x12x2xf32>) {
  %0 = train.constant dense<2> : tensor<i32>
  %1 = train.slice %arg0 {limit = array<i64: 1>, start = array<i64: 0>, stride = array<i64: 1>} : (tensor<2xi32>) -> tensor<1xi32>
  %2 = train.reshape %1 : (tensor<1xi32>) -> tensor<i32>
  %3 = train.slice %arg0 {limit = array<i64: 2>, start = array<i64: 1>, stride = array<i64: 1>} : (tensor<2xi32>) -> tensor<1xi32>
  %4 = train.reshape %3 : (tensor<1xi32>) -> tensor<i32>
  %5 = train.constant dense<2> : tensor<i32>
  %6 = train.multiply %2, %5 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %7 = train.add %6, %4 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %8 = train.multiply %7, %0 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %9 = train.constant dense<3> : tensor<ui32>
  %10 = train.constant dense<13> : tensor<ui32>
  %11 = train.constant dense<19> : tensor<ui32>
  %12 = train.constant dense<15> : tensor<ui32>
  %13 = train.constant dense<17> : tensor<ui32>
  %14 = train.constant dense<26> : tensor<ui32>
  %15 = train.constant dense<6> : tensor<ui32>
  %16 = train.constant dense<1> : tensor<ui32>
  %17 = train.constant dense<29> : tensor<ui32>
  %18 = train.constant dense<16> : tensor<ui32>
  %19 = train.constant dense<24> : tensor<ui32>
  %20 = train.constant dense<8> : tensor<ui32>
  %21 = train.constant dense<2> : tensor<ui32>
  %22 = train.constant dense<4> : tensor<ui32>
  %23 = train.constant dense<5> : tensor<ui32>
  %24 = train.constant dense<7.500000e-01> : tensor<f32>
  %25 = train.constant dense<0.000000e+00> : tensor<f32>
  %26 = train.iota %8 {dim = 0 : i64} : (tensor<i32>) -> tensor<2x12x12xui64>
  %27 = train.iota  {dim = 1 : i64} : () -> tensor<2x12x12xui64>
  %28 = train.iota  {dim = 2 : i64} : () -> tensor<2x12x12xui64>
  %29 = train.constant dense<144> : tensor<ui64>
  %30 = train.broadcast_in_dim %29 {dims = array<i64>} : (tensor<ui64>) -> tensor<2x12x12xui64>
  %31 = train.multiply %30, %26 : (tensor<2x12x12xui64>, tensor<2x12x12xui64>) -> tensor<2x12x12xui64>
  %32 = train.constant dense<12> : tensor<ui64>
  %33 = train.broadcast_in_dim %32 {dims = array<i64>} : (tensor<ui64>) -> tensor<2x12x12xui64>
  %34 = train.multiply %33, %27 : (tensor<2x12x12xui64>, tensor<2x12x12xui64>) -> tensor<2x12x12xui64>
  %35 = train.add %31, %34 : (tensor<2x12x12xui64>, tensor<2x12x12xui64>) -> tensor<2x12x12xui64>
  %36 = train.add %35, %28 : (tensor<2x12x12xui64>, tensor<2x12x12xui64>) -> tensor<2x12x12xui64>
  %37 = train.constant dense<32> : tensor<ui64>
  %38 = train.broadcast_in_dim %37 {dims = array<i64>} : (tensor<ui64>) -> tensor<2x12x12xui64>
  %39 = train.shift_right_logical %36, %38 : (tensor<2x12x12xui64>, tensor<2x12x12xui64>) -> tensor<2x12x12xui64>
  %40 = train.convert %36 : (tensor<2x12x12xui64>) -> tensor<2x12x12xui32>
  %41 = train.convert %39 : (tensor<2x12x12xui64>) -> tensor<2x12x12xui32>
  %42 = train.broadcast_in_dim %arg1 {dims = array<i64>} : (tensor<ui32>) -> tensor<2x12x12xui32>
  %43 = train.add %41, %42 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %44 = train.broadcast_in_dim %arg2 {dims = array<i64>} : (tensor<ui32>) -> tensor<2x12x12xui32>
  %45 = train.add %40, %44 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %46 = train.add %43, %45 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %47 = train.broadcast_in_dim %10 {dims = array<i64>} : (tensor<ui32>) -> tensor<2x12x12xui32>
  %48 = train.shift_left %45, %47 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %49 = train.broadcast_in_dim %11 {dims = array<i64>} : (tensor<ui32>) -> tensor<2x12x12xui32>
  %50 = train.shift_right_logical %45, %49 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %51 = train.or %48, %50 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %52 = train.xor %46, %51 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %53 = train.add %46, %52 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %54 = train.broadcast_in_dim %12 {dims = array<i64>} : (tensor<ui32>) -> tensor<2x12x12xui32>
  %55 = train.shift_left %52, %54 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %56 = train.broadcast_in_dim %13 {dims = array<i64>} : (tensor<ui32>) -> tensor<2x12x12xui32>
  %57 = train.shift_right_logical %52, %56 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %58 = train.or %55, %57 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %59 = train.xor %53, %58 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %60 = train.add %53, %59 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %61 = train.broadcast_in_dim %14 {dims = array<i64>} : (tensor<ui32>) -> tensor<2x12x12xui32>
  %62 = train.shift_left %59, %61 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %63 = train.broadcast_in_dim %15 {dims = array<i64>} : (tensor<ui32>) -> tensor<2x12x12xui32>
  %64 = train.shift_right_logical %59, %63 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %65 = train.or %62, %64 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %66 = train.xor %60, %65 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %67 = train.add %60, %66 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %68 = train.shift_left %66, %63 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %69 = train.shift_right_logical %66, %61 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %70 = train.or %68, %69 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %71 = train.xor %67, %70 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %72 = train.add %67, %44 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %73 = train.broadcast_in_dim %arg3 {dims = array<i64>} : (tensor<ui32>) -> tensor<2x12x12xui32>
  %74 = train.add %71, %73 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %75 = train.broadcast_in_dim %16 {dims = array<i64>} : (tensor<ui32>) -> tensor<2x12x12xui32>
  %76 = train.add %74, %75 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %77 = train.add %72, %76 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %78 = train.shift_left %76, %56 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %79 = train.shift_right_logical %76, %54 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %80 = train.or %78, %79 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %81 = train.xor %77, %80 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %82 = train.add %77, %81 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %83 = train.broadcast_in_dim %17 {dims = array<i64>} : (tensor<ui32>) -> tensor<2x12x12xui32>
  %84 = train.shift_left %81, %83 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %85 = train.broadcast_in_dim %9 {dims = array<i64>} : (tensor<ui32>) -> tensor<2x12x12xui32>
  %86 = train.shift_right_logical %81, %85 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %87 = train.or %84, %86 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %88 = train.xor %82, %87 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %89 = train.add %82, %88 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %90 = train.broadcast_in_dim %18 {dims = array<i64>} : (tensor<ui32>) -> tensor<2x12x12xui32>
  %91 = train.shift_left %88, %90 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %92 = train.shift_right_logical %88, %90 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %93 = train.or %91, %92 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %94 = train.xor %89, %93 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %95 = train.add %89, %94 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %96 = train.broadcast_in_dim %19 {dims = array<i64>} : (tensor<ui32>) -> tensor<2x12x12xui32>
  %97 = train.shift_left %94, %96 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %98 = train.broadcast_in_dim %20 {dims = array<i64>} : (tensor<ui32>) -> tensor<2x12x12xui32>
  %99 = train.shift_right_logical %94, %98 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %100 = train.or %97, %99 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %101 = train.xor %95, %100 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %102 = train.add %95, %73 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %103 = train.add %101, %42 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %104 = train.broadcast_in_dim %21 {dims = array<i64>} : (tensor<ui32>) -> tensor<2x12x12xui32>
  %105 = train.add %103, %104 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %106 = train.add %102, %105 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %107 = train.shift_left %105, %47 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %108 = train.shift_right_logical %105, %49 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %109 = train.or %107, %108 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %110 = train.xor %106, %109 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %111 = train.add %106, %110 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %112 = train.shift_left %110, %54 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %113 = train.shift_right_logical %110, %56 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %114 = train.or %112, %113 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %115 = train.xor %111, %114 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %116 = train.add %111, %115 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %117 = train.shift_left %115, %61 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %118 = train.shift_right_logical %115, %63 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %119 = train.or %117, %118 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %120 = train.xor %116, %119 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %121 = train.add %116, %120 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %122 = train.shift_left %120, %63 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %123 = train.shift_right_logical %120, %61 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %124 = train.or %122, %123 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %125 = train.xor %121, %124 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %126 = train.add %121, %42 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %127 = train.add %125, %44 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %128 = train.add %127, %85 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %129 = train.add %126, %128 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %130 = train.shift_left %128, %56 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %131 = train.shift_right_logical %128, %54 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %132 = train.or %130, %131 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %133 = train.xor %129, %132 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %134 = train.add %129, %133 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %135 = train.shift_left %133, %83 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %136 = train.shift_right_logical %133, %85 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %137 = train.or %135, %136 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %138 = train.xor %134, %137 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %139 = train.add %134, %138 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %140 = train.shift_left %138, %90 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %141 = train.shift_right_logical %138, %90 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %142 = train.or %140, %141 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %143 = train.xor %139, %142 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %144 = train.add %139, %143 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %145 = train.shift_left %143, %96 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %146 = train.shift_right_logical %143, %98 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %147 = train.or %145, %146 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %148 = train.xor %144, %147 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %149 = train.add %144, %44 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %150 = train.add %148, %73 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %151 = train.broadcast_in_dim %22 {dims = array<i64>} : (tensor<ui32>) -> tensor<2x12x12xui32>
  %152 = train.add %150, %151 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %153 = train.add %149, %152 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %154 = train.shift_left %152, %47 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %155 = train.shift_right_logical %152, %49 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %156 = train.or %154, %155 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %157 = train.xor %153, %156 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %158 = train.add %153, %157 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %159 = train.shift_left %157, %54 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %160 = train.shift_right_logical %157, %56 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %161 = train.or %159, %160 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %162 = train.xor %158, %161 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %163 = train.add %158, %162 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %164 = train.shift_left %162, %61 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %165 = train.shift_right_logical %162, %63 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %166 = train.or %164, %165 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %167 = train.xor %163, %166 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %168 = train.add %163, %167 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %169 = train.shift_left %167, %63 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %170 = train.shift_right_logical %167, %61 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %171 = train.or %169, %170 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %172 = train.xor %168, %171 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %173 = train.add %168, %73 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %174 = train.add %172, %42 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %175 = train.broadcast_in_dim %23 {dims = array<i64>} : (tensor<ui32>) -> tensor<2x12x12xui32>
  %176 = train.add %174, %175 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %177 = train.xor %173, %176 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %178 = train.constant dense<9> : tensor<ui32>
  %179 = train.broadcast_in_dim %178 {dims = array<i64>} : (tensor<ui32>) -> tensor<2x12x12xui32>
  %180 = train.shift_right_logical %177, %179 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %181 = train.constant dense<1065353216> : tensor<ui32>
  %182 = train.broadcast_in_dim %181 {dims = array<i64>} : (tensor<ui32>) -> tensor<2x12x12xui32>
  %183 = train.or %180, %182 : (tensor<2x12x12xui32>, tensor<2x12x12xui32>) -> tensor<2x12x12xui32>
  %184 = train.bitcast_convert %183 : (tensor<2x12x12xui32>) -> tensor<2x12x12xf32>
  %185 = train.constant dense<1.000000e+00> : tensor<f32>
  %186 = train.broadcast_in_dim %185 {dims = array<i64>} : (tensor<f32>) -> tensor<2x12x12xf32>
  %187 = train.subtract %184, %186 : (tensor<2x12x12xf32>, tensor<2x12x12xf32>) -> tensor<2x12x12xf32>
  %188 = train.broadcast_in_dim %25 {dims = array<i64>} : (tensor<f32>) -> tensor<2x12x12xf32>
  %189 = train.add %187, %188 : (tensor<2x12x12xf32>, tensor<2x12x12xf32>) -> tensor<2x12x12xf32>
  %190 = train.maximum %188, %189 : (tensor<2x12x12xf32>, tensor<2x12x12xf32>) -> tensor<2x12x12xf32>
  %191 = train.broadcast_in_dim %24 {dims = array<i64>} : (tensor<f32>) -> tensor<2x12x12xf32>
  %192 = train.compare %190, %191 {direction = #train<compare_direction LT>} : (tensor<2x12x12xf32>, tensor<2x12x12xf32>) -> tensor<2x12x12xi1>
  %193 = train.transpose %arg4 {permutation = array<i64: 0, 2, 1, 3>} : (tensor<1x2x12x4xf16>) -> tensor<1x12x2x4xf16>
  %194 = train.reshape %192 : (tensor<2x12x12xi1>) -> tensor<1x2x12x12xi1>
  %result, %lse = train.attention %193, %arg5, %arg6, %194 {fill = 0xFFF0000000000000 : f64, kept_scale = 1.3333333333333333 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 1>, scale = 1.000000e+00 : f64} : (tensor<1x12x2x4xf16>, tensor<1x12x2x4xf16>, tensor<1x12x2x4xf16>, tensor<1x2x12x12xi1>) -> (tensor<1x12x2x4xf16>, tensor<1x12x2xf32>)
  return %result, %lse : tensor<1x12x2x4xf16>, tensor<1x12x2xf32>
}
func.func @reduce_bf26741630edd361(%arg0: tensor<1x12x2x4xf16>, %arg1: tensor<i32>, %arg2: tensor<f32>) -> tensor<f32> {
  %0 = train.transpose %arg0 {permutation = array<i64: 0, 2, 1, 3>} : (tensor<1x12x2x4xf16>) -> tensor<1x2x12x4xf16>
  %1 = train.reshape %0 : (tensor<1x2x12x4xf16>) -> tensor<2x12x4xf16>
  %2 = train.transpose %1 {permutation = array<i64: 1, 0, 2>} : (tensor<2x12x4xf16>) -> tensor<12x2x4xf16>
  %3 = train.reshape %2 : (tensor<12x2x4xf16>) -> tensor<12x1x2x4xf16>
  %4 = train.transpose %3 {permutation = array<i64: 1, 0, 2, 3>} : (tensor<12x1x2x4xf16>) -> tensor<1x12x2x4xf16>
  %5 = train.convert %4 : (tensor<1x12x2x4xf16>) -> tensor<1x12x2x4xf32>
  %6 = train.multiply %5, %5 : (tensor<1x12x2x4xf32>, tensor<1x12x2x4xf32>) -> tensor<1x12x2x4xf32>
  %7 = train.constant dense<0.000000e+00> : tensor<1x12x2x4xf32>
  %8 = train.iota %arg1 {dim = 0 : i64} : (tensor<i32>) -> tensor<1xi32>
  %9 = train.constant dense<2> : tensor<1xi32>
  %10 = train.compare %8, %9 {direction = #train<compare_direction LT>} : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi1>
  %11 = train.broadcast_in_dim %10 {dims = array<i64: 0>} : (tensor<1xi1>) -> tensor<1x12x2x4xi1>
  %12 = train.select %11, %6, %7 : (tensor<1x12x2x4xi1>, tensor<1x12x2x4xf32>, tensor<1x12x2x4xf32>) -> tensor<1x12x2x4xf32>
  %13 = train.reduce %12 {dims = array<i64: 0, 1, 2, 3>, kind = #train<reduce_kind add>} : (tensor<1x12x2x4xf32>) -> tensor<f32>
  %14 = train.constant dense<1.920000e+02> : tensor<f32>
  %15 = train.divide %13, %14 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %16 = train.add %arg2, %15 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %16 : tensor<f32>
}
func.func @attention_b1e4705a8889cf62(%arg0: tensor<i32>, %arg1: tensor<ui32>, %arg2: tensor<ui32>, %arg3: tensor<ui32>, %arg4: tensor<1x2x12x4xf16>, %arg5: tensor<1x2x12x4xf16>, %arg6: tensor<1x12x2x4xf16>, %arg7: tensor<1x1x1x12xi1>) -> (tensor<1x12x2x4xf16>, tensor<1x12x2xf32>) {
  %0 = train.constant dense<3> : tensor<ui32>
  %1 = train.constant dense<13> : tensor<ui32>
  %2 = train.constant dense<19> : tensor<ui32>
  %3 = train.constant dense<15> : tensor<ui32>
  %4 = train.constant dense<17> : tensor<ui32>
  %5 = train.constant dense<26> : tensor<ui32>
  %6 = train.constant dense<6> : tensor<ui32>
  %7 = train.constant dense<1> : tensor<ui32>
  %8 = train.constant dense<29> : tensor<ui32>
  %9 = train.constant dense<16> : tensor<ui32>
  %10 = train.constant dense<24> : tensor<ui32>
  %11 = train.constant dense<8> : tensor<ui32>
  %12 = train.constant dense<2> : tensor<ui32>
  %13 = train.constant dense<4> : tensor<ui32>
  %14 = train.constant dense<5> : tensor<ui32>
  %15 = train.constant dense<7.500000e-01> : tensor<f32>
  %16 = train.constant dense<0.000000e+00> : tensor<f32>
  %17 = train.constant dense<144> : tensor<ui64>
  %18 = train.constant dense<12> : tensor<ui64>
  %19 = train.constant dense<32> : tensor<ui64>
  %20 = train.constant dense<9> : tensor<ui32>
  %21 = train.constant dense<1065353216> : tensor<ui32>
  %22 = train.constant dense<1.000000e+00> : tensor<f32>
  %23 = train.iota %arg0 {dim = 0 : i64} : (tensor<i32>) -> tensor<1x2x12x12xui64>
  %24 = train.iota  {dim = 1 : i64} : () -> tensor<1x2x12x12xui64>
  %25 = train.iota  {dim = 2 : i64} : () -> tensor<1x2x12x12xui64>
  %26 = train.iota  {dim = 3 : i64} : () -> tensor<1x2x12x12xui64>
  %27 = train.constant dense<288> : tensor<ui64>
  %28 = train.broadcast_in_dim %27 {dims = array<i64>} : (tensor<ui64>) -> tensor<1x2x12x12xui64>
  %29 = train.multiply %28, %23 : (tensor<1x2x12x12xui64>, tensor<1x2x12x12xui64>) -> tensor<1x2x12x12xui64>
  %30 = train.broadcast_in_dim %17 {dims = array<i64>} : (tensor<ui64>) -> tensor<1x2x12x12xui64>
  %31 = train.multiply %30, %24 : (tensor<1x2x12x12xui64>, tensor<1x2x12x12xui64>) -> tensor<1x2x12x12xui64>
  %32 = train.broadcast_in_dim %18 {dims = array<i64>} : (tensor<ui64>) -> tensor<1x2x12x12xui64>
  %33 = train.multiply %32, %25 : (tensor<1x2x12x12xui64>, tensor<1x2x12x12xui64>) -> tensor<1x2x12x12xui64>
  %34 = train.add %29, %31 : (tensor<1x2x12x12xui64>, tensor<1x2x12x12xui64>) -> tensor<1x2x12x12xui64>
  %35 = train.add %34, %33 : (tensor<1x2x12x12xui64>, tensor<1x2x12x12xui64>) -> tensor<1x2x12x12xui64>
  %36 = train.add %35, %26 : (tensor<1x2x12x12xui64>, tensor<1x2x12x12xui64>) -> tensor<1x2x12x12xui64>
  %37 = train.broadcast_in_dim %19 {dims = array<i64>} : (tensor<ui64>) -> tensor<1x2x12x12xui64>
  %38 = train.shift_right_logical %36, %37 : (tensor<1x2x12x12xui64>, tensor<1x2x12x12xui64>) -> tensor<1x2x12x12xui64>
  %39 = train.convert %36 : (tensor<1x2x12x12xui64>) -> tensor<1x2x12x12xui32>
  %40 = train.convert %38 : (tensor<1x2x12x12xui64>) -> tensor<1x2x12x12xui32>
  %41 = train.broadcast_in_dim %1 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x12x12xui32>
  %42 = train.broadcast_in_dim %2 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x12x12xui32>
  %43 = train.broadcast_in_dim %3 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x12x12xui32>
  %44 = train.broadcast_in_dim %4 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x12x12xui32>
  %45 = train.broadcast_in_dim %5 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x12x12xui32>
  %46 = train.broadcast_in_dim %6 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x12x12xui32>
  %47 = train.broadcast_in_dim %7 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x12x12xui32>
  %48 = train.broadcast_in_dim %8 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x12x12xui32>
  %49 = train.broadcast_in_dim %0 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x12x12xui32>
  %50 = train.broadcast_in_dim %9 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x12x12xui32>
  %51 = train.broadcast_in_dim %10 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x12x12xui32>
  %52 = train.broadcast_in_dim %11 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x12x12xui32>
  %53 = train.broadcast_in_dim %12 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x12x12xui32>
  %54 = train.broadcast_in_dim %13 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x12x12xui32>
  %55 = train.broadcast_in_dim %14 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x12x12xui32>
  %56 = train.broadcast_in_dim %20 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x12x12xui32>
  %57 = train.broadcast_in_dim %21 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x12x12xui32>
  %58 = train.broadcast_in_dim %22 {dims = array<i64>} : (tensor<f32>) -> tensor<1x2x12x12xf32>
  %59 = train.broadcast_in_dim %16 {dims = array<i64>} : (tensor<f32>) -> tensor<1x2x12x12xf32>
  %60 = train.broadcast_in_dim %15 {dims = array<i64>} : (tensor<f32>) -> tensor<1x2x12x12xf32>
  %61 = train.broadcast_in_dim %arg1 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x12x12xui32>
  %62 = train.add %40, %61 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %63 = train.broadcast_in_dim %arg2 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x12x12xui32>
  %64 = train.add %39, %63 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %65 = train.add %62, %64 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %66 = train.shift_left %64, %41 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %67 = train.shift_right_logical %64, %42 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %68 = train.or %66, %67 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %69 = train.xor %65, %68 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %70 = train.add %65, %69 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %71 = train.shift_left %69, %43 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %72 = train.shift_right_logical %69, %44 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %73 = train.or %71, %72 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %74 = train.xor %70, %73 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %75 = train.add %70, %74 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %76 = train.shift_left %74, %45 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %77 = train.shift_right_logical %74, %46 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %78 = train.or %76, %77 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %79 = train.xor %75, %78 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %80 = train.add %75, %79 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %81 = train.shift_left %79, %46 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %82 = train.shift_right_logical %79, %45 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %83 = train.or %81, %82 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %84 = train.xor %80, %83 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %85 = train.add %80, %63 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %86 = train.broadcast_in_dim %arg3 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x12x12xui32>
  %87 = train.add %84, %86 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %88 = train.add %87, %47 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %89 = train.add %85, %88 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %90 = train.shift_left %88, %44 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %91 = train.shift_right_logical %88, %43 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %92 = train.or %90, %91 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %93 = train.xor %89, %92 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %94 = train.add %89, %93 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %95 = train.shift_left %93, %48 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %96 = train.shift_right_logical %93, %49 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %97 = train.or %95, %96 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %98 = train.xor %94, %97 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %99 = train.add %94, %98 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %100 = train.shift_left %98, %50 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %101 = train.shift_right_logical %98, %50 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %102 = train.or %100, %101 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %103 = train.xor %99, %102 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %104 = train.add %99, %103 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %105 = train.shift_left %103, %51 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %106 = train.shift_right_logical %103, %52 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %107 = train.or %105, %106 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %108 = train.xor %104, %107 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %109 = train.add %104, %86 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %110 = train.add %108, %61 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %111 = train.add %110, %53 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %112 = train.add %109, %111 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %113 = train.shift_left %111, %41 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %114 = train.shift_right_logical %111, %42 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %115 = train.or %113, %114 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %116 = train.xor %112, %115 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %117 = train.add %112, %116 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %118 = train.shift_left %116, %43 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %119 = train.shift_right_logical %116, %44 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %120 = train.or %118, %119 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %121 = train.xor %117, %120 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %122 = train.add %117, %121 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %123 = train.shift_left %121, %45 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %124 = train.shift_right_logical %121, %46 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %125 = train.or %123, %124 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %126 = train.xor %122, %125 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %127 = train.add %122, %126 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %128 = train.shift_left %126, %46 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %129 = train.shift_right_logical %126, %45 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %130 = train.or %128, %129 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %131 = train.xor %127, %130 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %132 = train.add %127, %61 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %133 = train.add %131, %63 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %134 = train.add %133, %49 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %135 = train.add %132, %134 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %136 = train.shift_left %134, %44 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %137 = train.shift_right_logical %134, %43 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %138 = train.or %136, %137 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %139 = train.xor %135, %138 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %140 = train.add %135, %139 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %141 = train.shift_left %139, %48 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %142 = train.shift_right_logical %139, %49 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %143 = train.or %141, %142 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %144 = train.xor %140, %143 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %145 = train.add %140, %144 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %146 = train.shift_left %144, %50 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %147 = train.shift_right_logical %144, %50 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %148 = train.or %146, %147 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %149 = train.xor %145, %148 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %150 = train.add %145, %149 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %151 = train.shift_left %149, %51 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %152 = train.shift_right_logical %149, %52 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %153 = train.or %151, %152 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %154 = train.xor %150, %153 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %155 = train.add %150, %63 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %156 = train.add %154, %86 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %157 = train.add %156, %54 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %158 = train.add %155, %157 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %159 = train.shift_left %157, %41 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %160 = train.shift_right_logical %157, %42 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %161 = train.or %159, %160 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %162 = train.xor %158, %161 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %163 = train.add %158, %162 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %164 = train.shift_left %162, %43 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %165 = train.shift_right_logical %162, %44 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %166 = train.or %164, %165 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %167 = train.xor %163, %166 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %168 = train.add %163, %167 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %169 = train.shift_left %167, %45 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %170 = train.shift_right_logical %167, %46 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %171 = train.or %169, %170 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %172 = train.xor %168, %171 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %173 = train.add %168, %172 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %174 = train.shift_left %172, %46 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %175 = train.shift_right_logical %172, %45 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %176 = train.or %174, %175 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %177 = train.xor %173, %176 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %178 = train.add %173, %86 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %179 = train.add %177, %61 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %180 = train.add %179, %55 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %181 = train.xor %178, %180 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %182 = train.shift_right_logical %181, %56 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %183 = train.or %182, %57 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %184 = train.bitcast_convert %183 : (tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xf32>
  %185 = train.subtract %184, %58 : (tensor<1x2x12x12xf32>, tensor<1x2x12x12xf32>) -> tensor<1x2x12x12xf32>
  %186 = train.add %185, %59 : (tensor<1x2x12x12xf32>, tensor<1x2x12x12xf32>) -> tensor<1x2x12x12xf32>
  %187 = train.maximum %59, %186 : (tensor<1x2x12x12xf32>, tensor<1x2x12x12xf32>) -> tensor<1x2x12x12xf32>
  %188 = train.compare %187, %60 {direction = #train<compare_direction LT>} : (tensor<1x2x12x12xf32>, tensor<1x2x12x12xf32>) -> tensor<1x2x12x12xi1>
  %189 = train.transpose %arg4 {permutation = array<i64: 0, 2, 1, 3>} : (tensor<1x2x12x4xf16>) -> tensor<1x12x2x4xf16>
  %190 = train.transpose %arg5 {permutation = array<i64: 0, 2, 1, 3>} : (tensor<1x2x12x4xf16>) -> tensor<1x12x2x4xf16>
  %result, %lse = train.attention %189, %190, %arg6, %arg7, %188 {fill = -1.000000e+30 : f64, kept_scale = 1.3333333730697632 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 0, 0, 1>, scale = 1.000000e+00 : f64} : (tensor<1x12x2x4xf16>, tensor<1x12x2x4xf16>, tensor<1x12x2x4xf16>, tensor<1x1x1x12xi1>, tensor<1x2x12x12xi1>) -> (tensor<1x12x2x4xf16>, tensor<1x12x2xf32>)
  return %result, %lse : tensor<1x12x2x4xf16>, tensor<1x12x2xf32>
}
func.func @attention_b0a7d6ac79ac40f5(%arg0: tensor<1x12x2x4xf16>, %arg1: tensor<1x12x2x4xf16>, %arg2: tensor<1x12x2x4xf16>, %arg3: tensor<1x2x12x12xf32>, %arg4: tensor<1x1x12x12xi1>) -> (tensor<1x12x2x4xf16>, tensor<1x12x2xf32>) {
  %result, %lse = train.attention %arg0, %arg1, %arg2, %arg3, %arg4 {fill = 0xFFF0000000000000 : f64, kept_scale = 1.3333333333333333 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 1>, scale = 5.000000e-01 : f64} : (tensor<1x12x2x4xf16>, tensor<1x12x2x4xf16>, tensor<1x12x2x4xf16>, tensor<1x2x12x12xf32>, tensor<1x1x12x12xi1>) -> (tensor<1x12x2x4xf16>, tensor<1x12x2xf32>)
  return %result, %lse : tensor<1x12x2x4xf16>, tensor<1x12x2xf32>
}
func.func @reduce_f1e646de03665f2b(%arg0: tensor<1x12x6xf16>, %arg1: tensor<1x12x8xf16>, %arg2: tensor<i32>, %arg3: tensor<f32>) -> tensor<f32> {
  %0 = train.convert %arg0 : (tensor<1x12x6xf16>) -> tensor<1x12x6xf32>
  %1 = train.slice %arg1 {limit = array<i64: 1, 12, 6>, start = array<i64: 0, 0, 0>, stride = array<i64: 1, 1, 1>} : (tensor<1x12x8xf16>) -> tensor<1x12x6xf16>
  %2 = train.convert %1 : (tensor<1x12x6xf16>) -> tensor<1x12x6xf32>
  %3 = train.add %0, %2 : (tensor<1x12x6xf32>, tensor<1x12x6xf32>) -> tensor<1x12x6xf32>
  %4 = train.multiply %3, %3 : (tensor<1x12x6xf32>, tensor<1x12x6xf32>) -> tensor<1x12x6xf32>
  %5 = train.constant dense<0.000000e+00> : tensor<1x12x6xf32>
  %6 = train.iota %arg2 {dim = 0 : i64} : (tensor<i32>) -> tensor<1xi32>
  %7 = train.constant dense<2> : tensor<1xi32>
  %8 = train.compare %6, %7 {direction = #train<compare_direction LT>} : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi1>
  %9 = train.broadcast_in_dim %8 {dims = array<i64: 0>} : (tensor<1xi1>) -> tensor<1x12x6xi1>
  %10 = train.select %9, %4, %5 : (tensor<1x12x6xi1>, tensor<1x12x6xf32>, tensor<1x12x6xf32>) -> tensor<1x12x6xf32>
  %11 = train.reduce %10 {dims = array<i64: 0, 1, 2>, kind = #train<reduce_kind add>} : (tensor<1x12x6xf32>) -> tensor<f32>
  %12 = train.constant dense<1.440000e+02> : tensor<f32>
  %13 = train.divide %11, %12 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %14 = train.add %arg3, %13 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %14 : tensor<f32>
}
func.func @reduce_7bed74de7a822656(%arg0: tensor<1x12x6xf32>, %arg1: tensor<1x12x2x4xf16>) -> (tensor<1x12x8xf16>, tensor<1x12x2xf32>) {
  %0 = train.add %arg0, %arg0 : (tensor<1x12x6xf32>, tensor<1x12x6xf32>) -> tensor<1x12x6xf32>
  %1 = train.convert %0 : (tensor<1x12x6xf32>) -> tensor<1x12x6xf16>
  %2 = train.constant dense<0.000000e+00> : tensor<f16>
  %3 = train.pad %1, %2 {high = array<i64: 0, 0, 2>, interior = array<i64: 0, 0, 0>, low = array<i64: 0, 0, 0>} : (tensor<1x12x6xf16>, tensor<f16>) -> tensor<1x12x8xf16>
  %4 = train.reshape %3 : (tensor<1x12x8xf16>) -> tensor<1x12x2x4xf16>
  %5 = train.convert %4 : (tensor<1x12x2x4xf16>) -> tensor<1x12x2x4xf32>
  %6 = train.convert %arg1 : (tensor<1x12x2x4xf16>) -> tensor<1x12x2x4xf32>
  %7 = train.multiply %5, %6 : (tensor<1x12x2x4xf32>, tensor<1x12x2x4xf32>) -> tensor<1x12x2x4xf32>
  %8 = train.reduce %7 {dims = array<i64: 3>, kind = #train<reduce_kind add>} : (tensor<1x12x2x4xf32>) -> tensor<1x12x2xf32>
  return %3, %8 : tensor<1x12x8xf16>, tensor<1x12x2xf32>
}
func.func @attention_gradient_69c41ff9a35f0314(%arg0: tensor<1x12x2x4xf16>, %arg1: tensor<1x12x2x4xf16>, %arg2: tensor<1x12x2x4xf16>, %arg3: tensor<1x2x12x12xf32>, %arg4: tensor<1x12x2xf32>, %arg5: tensor<1x12x2xf32>, %arg6: tensor<1x12x2x4xf16>, %arg7: tensor<1x1x12x12xi1>) -> (tensor<1x12x2x4xf16>, tensor<1x12x2x4xf16>, tensor<1x12x2x4xf16>) {
  %query_gradient, %key_gradient, %value_gradient = train.attention_gradient %arg0, %arg1, %arg2, %arg3, %arg4, %arg5, %arg6, %arg7 {fill = 0xFFF0000000000000 : f64, kept_scale = 1.3333333333333333 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 1, 1, 1, 1>, scale = 5.000000e-01 : f64} : (tensor<1x12x2x4xf16>, tensor<1x12x2x4xf16>, tensor<1x12x2x4xf16>, tensor<1x2x12x12xf32>, tensor<1x12x2xf32>, tensor<1x12x2xf32>, tensor<1x12x2x4xf16>, tensor<1x1x12x12xi1>) -> (tensor<1x12x2x4xf16>, tensor<1x12x2x4xf16>, tensor<1x12x2x4xf16>)
  return %query_gradient, %key_gradient, %value_gradient : tensor<1x12x2x4xf16>, tensor<1x12x2x4xf16>, tensor<1x12x2x4xf16>
}
func.func @attention_gradient_4328d13d11be65c1(%arg0: tensor<1x2x12x4xf16>, %arg1: tensor<1x2x12x4xf16>, %arg2: tensor<i32>, %arg3: tensor<ui32>, %arg4: tensor<ui32>, %arg5: tensor<ui32>, %arg6: tensor<1x12x2x4xf16>, %arg7: tensor<1x1x1x12xi1>, %arg8: tensor<1x12x2xf32>, %arg9: tensor<1x12x2xf32>, %arg10: tensor<1x12x2x4xf16>) -> (tensor<1x12x2x4xf16>, tensor<1x12x2x4xf16>, tensor<1x12x2x4xf16>) {
  %0 = train.constant dense<0.000000e+00> : tensor<f32>
  %1 = train.constant dense<12> : tensor<ui64>
  %2 = train.constant dense<32> : tensor<ui64>
  %3 = train.constant dense<13> : tensor<ui32>
  %4 = train.constant dense<19> : tensor<ui32>
  %5 = train.constant dense<15> : tensor<ui32>
  %6 = train.constant dense<17> : tensor<ui32>
  %7 = train.constant dense<26> : tensor<ui32>
  %8 = train.constant dense<6> : tensor<ui32>
  %9 = train.constant dense<1> : tensor<ui32>
  %10 = train.constant dense<29> : tensor<ui32>
  %11 = train.constant dense<3> : tensor<ui32>
  %12 = train.constant dense<16> : tensor<ui32>
  %13 = train.constant dense<24> : tensor<ui32>
  %14 = train.constant dense<8> : tensor<ui32>
  %15 = train.constant dense<2> : tensor<ui32>
  %16 = train.constant dense<4> : tensor<ui32>
  %17 = train.constant dense<5> : tensor<ui32>
  %18 = train.constant dense<9> : tensor<ui32>
  %19 = train.constant dense<1065353216> : tensor<ui32>
  %20 = train.constant dense<1.000000e+00> : tensor<f32>
  %21 = train.constant dense<7.500000e-01> : tensor<f32>
  %22 = train.transpose %arg0 {permutation = array<i64: 0, 2, 1, 3>} : (tensor<1x2x12x4xf16>) -> tensor<1x12x2x4xf16>
  %23 = train.transpose %arg1 {permutation = array<i64: 0, 2, 1, 3>} : (tensor<1x2x12x4xf16>) -> tensor<1x12x2x4xf16>
  %24 = train.broadcast_in_dim %0 {dims = array<i64>} : (tensor<f32>) -> tensor<1x2x12x12xf32>
  %25 = train.constant dense<288> : tensor<ui64>
  %26 = train.broadcast_in_dim %25 {dims = array<i64>} : (tensor<ui64>) -> tensor<1x2x12x12xui64>
  %27 = train.iota %arg2 {dim = 0 : i64} : (tensor<i32>) -> tensor<1x2x12x12xui64>
  %28 = train.multiply %26, %27 : (tensor<1x2x12x12xui64>, tensor<1x2x12x12xui64>) -> tensor<1x2x12x12xui64>
  %29 = train.constant dense<144> : tensor<ui64>
  %30 = train.broadcast_in_dim %29 {dims = array<i64>} : (tensor<ui64>) -> tensor<1x2x12x12xui64>
  %31 = train.iota  {dim = 1 : i64} : () -> tensor<1x2x12x12xui64>
  %32 = train.multiply %30, %31 : (tensor<1x2x12x12xui64>, tensor<1x2x12x12xui64>) -> tensor<1x2x12x12xui64>
  %33 = train.add %28, %32 : (tensor<1x2x12x12xui64>, tensor<1x2x12x12xui64>) -> tensor<1x2x12x12xui64>
  %34 = train.broadcast_in_dim %1 {dims = array<i64>} : (tensor<ui64>) -> tensor<1x2x12x12xui64>
  %35 = train.iota  {dim = 2 : i64} : () -> tensor<1x2x12x12xui64>
  %36 = train.multiply %34, %35 : (tensor<1x2x12x12xui64>, tensor<1x2x12x12xui64>) -> tensor<1x2x12x12xui64>
  %37 = train.add %33, %36 : (tensor<1x2x12x12xui64>, tensor<1x2x12x12xui64>) -> tensor<1x2x12x12xui64>
  %38 = train.iota  {dim = 3 : i64} : () -> tensor<1x2x12x12xui64>
  %39 = train.add %37, %38 : (tensor<1x2x12x12xui64>, tensor<1x2x12x12xui64>) -> tensor<1x2x12x12xui64>
  %40 = train.broadcast_in_dim %2 {dims = array<i64>} : (tensor<ui64>) -> tensor<1x2x12x12xui64>
  %41 = train.shift_right_logical %39, %40 : (tensor<1x2x12x12xui64>, tensor<1x2x12x12xui64>) -> tensor<1x2x12x12xui64>
  %42 = train.convert %41 : (tensor<1x2x12x12xui64>) -> tensor<1x2x12x12xui32>
  %43 = train.broadcast_in_dim %arg3 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x12x12xui32>
  %44 = train.add %42, %43 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %45 = train.convert %39 : (tensor<1x2x12x12xui64>) -> tensor<1x2x12x12xui32>
  %46 = train.broadcast_in_dim %arg4 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x12x12xui32>
  %47 = train.add %45, %46 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %48 = train.add %44, %47 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %49 = train.broadcast_in_dim %3 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x12x12xui32>
  %50 = train.shift_left %47, %49 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %51 = train.broadcast_in_dim %4 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x12x12xui32>
  %52 = train.shift_right_logical %47, %51 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %53 = train.or %50, %52 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %54 = train.xor %48, %53 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %55 = train.add %48, %54 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %56 = train.broadcast_in_dim %5 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x12x12xui32>
  %57 = train.shift_left %54, %56 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %58 = train.broadcast_in_dim %6 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x12x12xui32>
  %59 = train.shift_right_logical %54, %58 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %60 = train.or %57, %59 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %61 = train.xor %55, %60 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %62 = train.add %55, %61 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %63 = train.broadcast_in_dim %7 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x12x12xui32>
  %64 = train.shift_left %61, %63 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %65 = train.broadcast_in_dim %8 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x12x12xui32>
  %66 = train.shift_right_logical %61, %65 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %67 = train.or %64, %66 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %68 = train.xor %62, %67 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %69 = train.add %62, %68 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %70 = train.add %69, %46 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %71 = train.shift_left %68, %65 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %72 = train.shift_right_logical %68, %63 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %73 = train.or %71, %72 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %74 = train.xor %69, %73 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %75 = train.broadcast_in_dim %arg5 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x12x12xui32>
  %76 = train.add %74, %75 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %77 = train.broadcast_in_dim %9 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x12x12xui32>
  %78 = train.add %76, %77 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %79 = train.add %70, %78 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %80 = train.shift_left %78, %58 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %81 = train.shift_right_logical %78, %56 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %82 = train.or %80, %81 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %83 = train.xor %79, %82 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %84 = train.add %79, %83 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %85 = train.broadcast_in_dim %10 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x12x12xui32>
  %86 = train.shift_left %83, %85 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %87 = train.broadcast_in_dim %11 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x12x12xui32>
  %88 = train.shift_right_logical %83, %87 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %89 = train.or %86, %88 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %90 = train.xor %84, %89 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %91 = train.add %84, %90 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %92 = train.broadcast_in_dim %12 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x12x12xui32>
  %93 = train.shift_left %90, %92 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %94 = train.shift_right_logical %90, %92 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %95 = train.or %93, %94 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %96 = train.xor %91, %95 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %97 = train.add %91, %96 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %98 = train.add %97, %75 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %99 = train.broadcast_in_dim %13 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x12x12xui32>
  %100 = train.shift_left %96, %99 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %101 = train.broadcast_in_dim %14 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x12x12xui32>
  %102 = train.shift_right_logical %96, %101 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %103 = train.or %100, %102 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %104 = train.xor %97, %103 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %105 = train.add %104, %43 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %106 = train.broadcast_in_dim %15 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x12x12xui32>
  %107 = train.add %105, %106 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %108 = train.add %98, %107 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %109 = train.shift_left %107, %49 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %110 = train.shift_right_logical %107, %51 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %111 = train.or %109, %110 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %112 = train.xor %108, %111 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %113 = train.add %108, %112 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %114 = train.shift_left %112, %56 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %115 = train.shift_right_logical %112, %58 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %116 = train.or %114, %115 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %117 = train.xor %113, %116 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %118 = train.add %113, %117 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %119 = train.shift_left %117, %63 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %120 = train.shift_right_logical %117, %65 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %121 = train.or %119, %120 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %122 = train.xor %118, %121 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %123 = train.add %118, %122 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %124 = train.add %123, %43 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %125 = train.shift_left %122, %65 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %126 = train.shift_right_logical %122, %63 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %127 = train.or %125, %126 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %128 = train.xor %123, %127 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %129 = train.add %128, %46 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %130 = train.add %129, %87 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %131 = train.add %124, %130 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %132 = train.shift_left %130, %58 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %133 = train.shift_right_logical %130, %56 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %134 = train.or %132, %133 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %135 = train.xor %131, %134 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %136 = train.add %131, %135 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %137 = train.shift_left %135, %85 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %138 = train.shift_right_logical %135, %87 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %139 = train.or %137, %138 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %140 = train.xor %136, %139 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %141 = train.add %136, %140 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %142 = train.shift_left %140, %92 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %143 = train.shift_right_logical %140, %92 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %144 = train.or %142, %143 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %145 = train.xor %141, %144 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %146 = train.add %141, %145 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %147 = train.add %146, %46 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %148 = train.shift_left %145, %99 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %149 = train.shift_right_logical %145, %101 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %150 = train.or %148, %149 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %151 = train.xor %146, %150 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %152 = train.add %151, %75 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %153 = train.broadcast_in_dim %16 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x12x12xui32>
  %154 = train.add %152, %153 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %155 = train.add %147, %154 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %156 = train.shift_left %154, %49 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %157 = train.shift_right_logical %154, %51 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %158 = train.or %156, %157 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %159 = train.xor %155, %158 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %160 = train.add %155, %159 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %161 = train.shift_left %159, %56 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %162 = train.shift_right_logical %159, %58 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %163 = train.or %161, %162 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %164 = train.xor %160, %163 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %165 = train.add %160, %164 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %166 = train.shift_left %164, %63 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %167 = train.shift_right_logical %164, %65 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %168 = train.or %166, %167 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %169 = train.xor %165, %168 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %170 = train.add %165, %169 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %171 = train.add %170, %75 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %172 = train.shift_left %169, %65 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %173 = train.shift_right_logical %169, %63 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %174 = train.or %172, %173 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %175 = train.xor %170, %174 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %176 = train.add %175, %43 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %177 = train.broadcast_in_dim %17 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x12x12xui32>
  %178 = train.add %176, %177 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %179 = train.xor %171, %178 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %180 = train.broadcast_in_dim %18 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x12x12xui32>
  %181 = train.shift_right_logical %179, %180 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %182 = train.broadcast_in_dim %19 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x2x12x12xui32>
  %183 = train.or %181, %182 : (tensor<1x2x12x12xui32>, tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xui32>
  %184 = train.bitcast_convert %183 : (tensor<1x2x12x12xui32>) -> tensor<1x2x12x12xf32>
  %185 = train.broadcast_in_dim %20 {dims = array<i64>} : (tensor<f32>) -> tensor<1x2x12x12xf32>
  %186 = train.subtract %184, %185 : (tensor<1x2x12x12xf32>, tensor<1x2x12x12xf32>) -> tensor<1x2x12x12xf32>
  %187 = train.add %186, %24 : (tensor<1x2x12x12xf32>, tensor<1x2x12x12xf32>) -> tensor<1x2x12x12xf32>
  %188 = train.maximum %24, %187 : (tensor<1x2x12x12xf32>, tensor<1x2x12x12xf32>) -> tensor<1x2x12x12xf32>
  %189 = train.broadcast_in_dim %21 {dims = array<i64>} : (tensor<f32>) -> tensor<1x2x12x12xf32>
  %190 = train.compare %188, %189 {direction = #train<compare_direction LT>} : (tensor<1x2x12x12xf32>, tensor<1x2x12x12xf32>) -> tensor<1x2x12x12xi1>
  %query_gradient, %key_gradient, %value_gradient = train.attention_gradient %22, %23, %arg6, %arg7, %arg8, %arg9, %arg10, %190 {fill = -1.000000e+30 : f64, kept_scale = 1.3333333730697632 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 0, 0, 1, 1, 1, 1>, scale = 1.000000e+00 : f64} : (tensor<1x12x2x4xf16>, tensor<1x12x2x4xf16>, tensor<1x12x2x4xf16>, tensor<1x1x1x12xi1>, tensor<1x12x2xf32>, tensor<1x12x2xf32>, tensor<1x12x2x4xf16>, tensor<1x2x12x12xi1>) -> (tensor<1x12x2x4xf16>, tensor<1x12x2x4xf16>, tensor<1x12x2x4xf16>)
  return %query_gradient, %key_gradient, %value_gradient : tensor<1x12x2x4xf16>, tensor<1x12x2x4xf16>, tensor<1x12x2x4xf16>
}
func.func @attention_251eac49d280bade(%arg0: tensor<1xi32>, %arg1: tensor<ui32>, %arg2: tensor<ui32>, %arg3: tensor<ui32>, %arg4: tensor<12x2x1x4xf32>, %arg5: tensor<12x2x1x4xf32>, %arg6: tensor<2x12x1x4xf32>) -> tensor<2x12x1x4xf32> {
  %0 = train.constant dense<0> : tensor<i32>
  %1 = train.constant dense<1> : tensor<i32>
  %2 = train.slice %arg0 {limit = array<i64: 1>, start = array<i64: 0>, stride = array<i64: 1>} : (tensor<1xi32>) -> tensor<1xi32>
  %3 = train.reshape %2 : (tensor<1xi32>) -> tensor<i32>
  %4 = train.multiply %3, %1 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %5 = train.constant dense<3> : tensor<ui32>
  %6 = train.constant dense<13> : tensor<ui32>
  %7 = train.constant dense<19> : tensor<ui32>
  %8 = train.constant dense<15> : tensor<ui32>
  %9 = train.constant dense<17> : tensor<ui32>
  %10 = train.constant dense<26> : tensor<ui32>
  %11 = train.constant dense<6> : tensor<ui32>
  %12 = train.constant dense<1> : tensor<ui32>
  %13 = train.constant dense<29> : tensor<ui32>
  %14 = train.constant dense<16> : tensor<ui32>
  %15 = train.constant dense<24> : tensor<ui32>
  %16 = train.constant dense<8> : tensor<ui32>
  %17 = train.constant dense<2> : tensor<ui32>
  %18 = train.constant dense<4> : tensor<ui32>
  %19 = train.constant dense<5> : tensor<ui32>
  %20 = train.constant dense<7.500000e-01> : tensor<f32>
  %21 = train.constant dense<0.000000e+00> : tensor<f32>
  %22 = train.iota  {dim = 0 : i64} : () -> tensor<4x12x12xui64>
  %23 = train.iota  {dim = 1 : i64} : () -> tensor<4x12x12xui64>
  %24 = train.iota  {dim = 2 : i64} : () -> tensor<4x12x12xui64>
  %25 = train.constant dense<144> : tensor<ui64>
  %26 = train.broadcast_in_dim %25 {dims = array<i64>} : (tensor<ui64>) -> tensor<4x12x12xui64>
  %27 = train.multiply %26, %22 : (tensor<4x12x12xui64>, tensor<4x12x12xui64>) -> tensor<4x12x12xui64>
  %28 = train.constant dense<12> : tensor<ui64>
  %29 = train.broadcast_in_dim %28 {dims = array<i64>} : (tensor<ui64>) -> tensor<4x12x12xui64>
  %30 = train.multiply %29, %23 : (tensor<4x12x12xui64>, tensor<4x12x12xui64>) -> tensor<4x12x12xui64>
  %31 = train.add %27, %30 : (tensor<4x12x12xui64>, tensor<4x12x12xui64>) -> tensor<4x12x12xui64>
  %32 = train.add %31, %24 : (tensor<4x12x12xui64>, tensor<4x12x12xui64>) -> tensor<4x12x12xui64>
  %33 = train.constant dense<32> : tensor<ui64>
  %34 = train.broadcast_in_dim %33 {dims = array<i64>} : (tensor<ui64>) -> tensor<4x12x12xui64>
  %35 = train.shift_right_logical %32, %34 : (tensor<4x12x12xui64>, tensor<4x12x12xui64>) -> tensor<4x12x12xui64>
  %36 = train.convert %32 : (tensor<4x12x12xui64>) -> tensor<4x12x12xui32>
  %37 = train.convert %35 : (tensor<4x12x12xui64>) -> tensor<4x12x12xui32>
  %38 = train.broadcast_in_dim %arg1 {dims = array<i64>} : (tensor<ui32>) -> tensor<4x12x12xui32>
  %39 = train.add %37, %38 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %40 = train.broadcast_in_dim %arg2 {dims = array<i64>} : (tensor<ui32>) -> tensor<4x12x12xui32>
  %41 = train.add %36, %40 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %42 = train.add %39, %41 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %43 = train.broadcast_in_dim %6 {dims = array<i64>} : (tensor<ui32>) -> tensor<4x12x12xui32>
  %44 = train.shift_left %41, %43 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %45 = train.broadcast_in_dim %7 {dims = array<i64>} : (tensor<ui32>) -> tensor<4x12x12xui32>
  %46 = train.shift_right_logical %41, %45 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %47 = train.or %44, %46 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %48 = train.xor %42, %47 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %49 = train.add %42, %48 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %50 = train.broadcast_in_dim %8 {dims = array<i64>} : (tensor<ui32>) -> tensor<4x12x12xui32>
  %51 = train.shift_left %48, %50 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %52 = train.broadcast_in_dim %9 {dims = array<i64>} : (tensor<ui32>) -> tensor<4x12x12xui32>
  %53 = train.shift_right_logical %48, %52 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %54 = train.or %51, %53 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %55 = train.xor %49, %54 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %56 = train.add %49, %55 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %57 = train.broadcast_in_dim %10 {dims = array<i64>} : (tensor<ui32>) -> tensor<4x12x12xui32>
  %58 = train.shift_left %55, %57 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %59 = train.broadcast_in_dim %11 {dims = array<i64>} : (tensor<ui32>) -> tensor<4x12x12xui32>
  %60 = train.shift_right_logical %55, %59 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %61 = train.or %58, %60 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %62 = train.xor %56, %61 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %63 = train.add %56, %62 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %64 = train.shift_left %62, %59 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %65 = train.shift_right_logical %62, %57 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %66 = train.or %64, %65 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %67 = train.xor %63, %66 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %68 = train.add %63, %40 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %69 = train.broadcast_in_dim %arg3 {dims = array<i64>} : (tensor<ui32>) -> tensor<4x12x12xui32>
  %70 = train.add %67, %69 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %71 = train.broadcast_in_dim %12 {dims = array<i64>} : (tensor<ui32>) -> tensor<4x12x12xui32>
  %72 = train.add %70, %71 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %73 = train.add %68, %72 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %74 = train.shift_left %72, %52 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %75 = train.shift_right_logical %72, %50 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %76 = train.or %74, %75 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %77 = train.xor %73, %76 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %78 = train.add %73, %77 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %79 = train.broadcast_in_dim %13 {dims = array<i64>} : (tensor<ui32>) -> tensor<4x12x12xui32>
  %80 = train.shift_left %77, %79 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %81 = train.broadcast_in_dim %5 {dims = array<i64>} : (tensor<ui32>) -> tensor<4x12x12xui32>
  %82 = train.shift_right_logical %77, %81 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %83 = train.or %80, %82 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %84 = train.xor %78, %83 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %85 = train.add %78, %84 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %86 = train.broadcast_in_dim %14 {dims = array<i64>} : (tensor<ui32>) -> tensor<4x12x12xui32>
  %87 = train.shift_left %84, %86 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %88 = train.shift_right_logical %84, %86 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %89 = train.or %87, %88 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %90 = train.xor %85, %89 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %91 = train.add %85, %90 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %92 = train.broadcast_in_dim %15 {dims = array<i64>} : (tensor<ui32>) -> tensor<4x12x12xui32>
  %93 = train.shift_left %90, %92 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %94 = train.broadcast_in_dim %16 {dims = array<i64>} : (tensor<ui32>) -> tensor<4x12x12xui32>
  %95 = train.shift_right_logical %90, %94 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %96 = train.or %93, %95 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %97 = train.xor %91, %96 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %98 = train.add %91, %69 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %99 = train.add %97, %38 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %100 = train.broadcast_in_dim %17 {dims = array<i64>} : (tensor<ui32>) -> tensor<4x12x12xui32>
  %101 = train.add %99, %100 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %102 = train.add %98, %101 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %103 = train.shift_left %101, %43 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %104 = train.shift_right_logical %101, %45 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %105 = train.or %103, %104 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %106 = train.xor %102, %105 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %107 = train.add %102, %106 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %108 = train.shift_left %106, %50 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %109 = train.shift_right_logical %106, %52 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %110 = train.or %108, %109 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %111 = train.xor %107, %110 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %112 = train.add %107, %111 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %113 = train.shift_left %111, %57 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %114 = train.shift_right_logical %111, %59 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %115 = train.or %113, %114 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %116 = train.xor %112, %115 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %117 = train.add %112, %116 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %118 = train.shift_left %116, %59 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %119 = train.shift_right_logical %116, %57 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %120 = train.or %118, %119 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %121 = train.xor %117, %120 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %122 = train.add %117, %38 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %123 = train.add %121, %40 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %124 = train.add %123, %81 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %125 = train.add %122, %124 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %126 = train.shift_left %124, %52 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %127 = train.shift_right_logical %124, %50 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %128 = train.or %126, %127 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %129 = train.xor %125, %128 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %130 = train.add %125, %129 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %131 = train.shift_left %129, %79 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %132 = train.shift_right_logical %129, %81 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %133 = train.or %131, %132 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %134 = train.xor %130, %133 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %135 = train.add %130, %134 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %136 = train.shift_left %134, %86 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %137 = train.shift_right_logical %134, %86 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %138 = train.or %136, %137 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %139 = train.xor %135, %138 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %140 = train.add %135, %139 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %141 = train.shift_left %139, %92 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %142 = train.shift_right_logical %139, %94 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %143 = train.or %141, %142 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %144 = train.xor %140, %143 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %145 = train.add %140, %40 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %146 = train.add %144, %69 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %147 = train.broadcast_in_dim %18 {dims = array<i64>} : (tensor<ui32>) -> tensor<4x12x12xui32>
  %148 = train.add %146, %147 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %149 = train.add %145, %148 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %150 = train.shift_left %148, %43 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %151 = train.shift_right_logical %148, %45 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %152 = train.or %150, %151 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %153 = train.xor %149, %152 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %154 = train.add %149, %153 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %155 = train.shift_left %153, %50 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %156 = train.shift_right_logical %153, %52 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %157 = train.or %155, %156 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %158 = train.xor %154, %157 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %159 = train.add %154, %158 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %160 = train.shift_left %158, %57 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %161 = train.shift_right_logical %158, %59 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %162 = train.or %160, %161 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %163 = train.xor %159, %162 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %164 = train.add %159, %163 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %165 = train.shift_left %163, %59 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %166 = train.shift_right_logical %163, %57 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %167 = train.or %165, %166 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %168 = train.xor %164, %167 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %169 = train.add %164, %69 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %170 = train.add %168, %38 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %171 = train.broadcast_in_dim %19 {dims = array<i64>} : (tensor<ui32>) -> tensor<4x12x12xui32>
  %172 = train.add %170, %171 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %173 = train.xor %169, %172 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %174 = train.constant dense<9> : tensor<ui32>
  %175 = train.broadcast_in_dim %174 {dims = array<i64>} : (tensor<ui32>) -> tensor<4x12x12xui32>
  %176 = train.shift_right_logical %173, %175 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %177 = train.constant dense<1065353216> : tensor<ui32>
  %178 = train.broadcast_in_dim %177 {dims = array<i64>} : (tensor<ui32>) -> tensor<4x12x12xui32>
  %179 = train.or %176, %178 : (tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> tensor<4x12x12xui32>
  %180 = train.bitcast_convert %179 : (tensor<4x12x12xui32>) -> tensor<4x12x12xf32>
  %181 = train.constant dense<1.000000e+00> : tensor<f32>
  %182 = train.broadcast_in_dim %181 {dims = array<i64>} : (tensor<f32>) -> tensor<4x12x12xf32>
  %183 = train.subtract %180, %182 : (tensor<4x12x12xf32>, tensor<4x12x12xf32>) -> tensor<4x12x12xf32>
  %184 = train.broadcast_in_dim %21 {dims = array<i64>} : (tensor<f32>) -> tensor<4x12x12xf32>
  %185 = train.add %183, %184 : (tensor<4x12x12xf32>, tensor<4x12x12xf32>) -> tensor<4x12x12xf32>
  %186 = train.maximum %184, %185 : (tensor<4x12x12xf32>, tensor<4x12x12xf32>) -> tensor<4x12x12xf32>
  %187 = train.broadcast_in_dim %20 {dims = array<i64>} : (tensor<f32>) -> tensor<4x12x12xf32>
  %188 = train.compare %186, %187 {direction = #train<compare_direction LT>} : (tensor<4x12x12xf32>, tensor<4x12x12xf32>) -> tensor<4x12x12xi1>
  %189 = train.transpose %arg4 {permutation = array<i64: 1, 0, 2, 3>} : (tensor<12x2x1x4xf32>) -> tensor<2x12x1x4xf32>
  %190 = train.transpose %arg5 {permutation = array<i64: 1, 0, 2, 3>} : (tensor<12x2x1x4xf32>) -> tensor<2x12x1x4xf32>
  %191 = train.reshape %188 : (tensor<4x12x12xi1>) -> tensor<2x2x12x12xi1>
  %192 = train.constant dense<false> : tensor<i1>
  %193 = train.pad %191, %192 {high = array<i64: 0, 1, 0, 0>, interior = array<i64: 0, 0, 0, 0>, low = array<i64: 0, 0, 0, 0>} : (tensor<2x2x12x12xi1>, tensor<i1>) -> tensor<2x3x12x12xi1>
  %194 = train.dynamic_slice %193, %0, %4, %0, %0 {sizes = array<i64: 2, 1, 12, 12>} : (tensor<2x3x12x12xi1>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x1x12x12xi1>
  %result, %lse = train.attention %arg6, %189, %190, %194 {fill = 0xFFF0000000000000 : f64, kept_scale = 1.3333333333333333 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 1>, scale = 1.000000e+00 : f64} : (tensor<2x12x1x4xf32>, tensor<2x12x1x4xf32>, tensor<2x12x1x4xf32>, tensor<2x1x12x12xi1>) -> (tensor<2x12x1x4xf32>, tensor<2x12x1xf32>)
  return %result : tensor<2x12x1x4xf32>
}
func.func @multiply_ae3cf8bf49805c20(%arg0: tensor<2xi32>, %arg1: tensor<3x4x5x2xf32>) -> tensor<3x2x5x2xf16> {
  %0 = train.constant dense<0> : tensor<i32>
  %1 = train.constant dense<2> : tensor<i32>
  %2 = train.slice %arg0 {limit = array<i64: 2>, start = array<i64: 1>, stride = array<i64: 1>} : (tensor<2xi32>) -> tensor<1xi32>
  %3 = train.reshape %2 : (tensor<1xi32>) -> tensor<i32>
  %4 = train.multiply %3, %1 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %5 = train.convert %arg1 : (tensor<3x4x5x2xf32>) -> tensor<3x4x5x2xf16>
  %6 = train.dynamic_slice %5, %0, %4, %0, %0 {sizes = array<i64: 3, 2, 5, 2>} : (tensor<3x4x5x2xf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x2x5x2xf16>
  return %6 : tensor<3x2x5x2xf16>
}
func.func @reduce_7cb565b6d1d9a789(%arg0: tensor<7xf32>, %arg1: tensor<7xbf16>, %arg2: tensor<7x1xbf16>, %arg3: tensor<7x1xf32>) -> (tensor<7xbf16>, tensor<7x1xi1>, tensor<7xf32>) {
  %0 = train.convert %arg0 : (tensor<7xf32>) -> tensor<7xbf16>
  %1 = train.add %arg1, %0 : (tensor<7xbf16>, tensor<7xbf16>) -> tensor<7xbf16>
  %2 = train.convert %arg2 : (tensor<7x1xbf16>) -> tensor<7x1xf32>
  %3 = train.compare %2, %arg3 {direction = #train<compare_direction EQ>} : (tensor<7x1xf32>, tensor<7x1xf32>) -> tensor<7x1xi1>
  %4 = train.convert %3 : (tensor<7x1xi1>) -> tensor<7x1xf32>
  %5 = train.reduce %4 {dims = array<i64: 1>, kind = #train<reduce_kind add>} : (tensor<7x1xf32>) -> tensor<7xf32>
  return %1, %3, %5 : tensor<7xbf16>, tensor<7x1xi1>, tensor<7xf32>
}
func.func @reduce_61a27330adf27434(%arg0: tensor<2xf32>) -> tensor<2xf32> {
  %0 = train.ceil %arg0 : (tensor<2xf32>) -> tensor<2xf32>
  %1 = train.broadcast_in_dim %0 {dims = array<i64: 0>} : (tensor<2xf32>) -> tensor<2x5xf32>
  %2 = train.tanh %1 : (tensor<2x5xf32>) -> tensor<2x5xf32>
  %3 = train.reduce %2 {dims = array<i64: 1>, kind = #train<reduce_kind add>} : (tensor<2x5xf32>) -> tensor<2xf32>
  %4 = train.constant dense<2.000000e-01> : tensor<f32>
  %5 = train.broadcast_in_dim %4 {dims = array<i64>} : (tensor<f32>) -> tensor<2xf32>
  %6 = train.multiply %3, %5 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %7 = train.tanh %6 : (tensor<2xf32>) -> tensor<2xf32>
  return %7 : tensor<2xf32>
}
func.func @sum_of_squares_9b02cfe202d72f36(%arg0: tensor<3xi32>, %arg1: tensor<5x3x8xf32>) -> tensor<1xf32> {
  %0 = train.constant dense<0> : tensor<i32>
  %1 = train.constant dense<4> : tensor<i32>
  %2 = train.slice %arg0 {limit = array<i64: 2>, start = array<i64: 1>, stride = array<i64: 1>} : (tensor<3xi32>) -> tensor<1xi32>
  %3 = train.reshape %2 : (tensor<1xi32>) -> tensor<i32>
  %4 = train.multiply %3, %1 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %5 = train.dynamic_slice %arg1, %0, %0, %4 {sizes = array<i64: 5, 3, 4>} : (tensor<5x3x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<5x3x4xf32>
  %6 = train.sum_of_squares %5 : (tensor<5x3x4xf32>) -> tensor<1xf32>
  return %6 : tensor<1xf32>
}
func.func @sum_of_squares_2bb3926677a2384(%arg0: tensor<3xi32>, %arg1: tensor<3xf32>) -> tensor<1xf32> {
  %0 = train.constant dense<2> : tensor<i32>
  %1 = train.slice %arg0 {limit = array<i64: 2>, start = array<i64: 1>, stride = array<i64: 1>} : (tensor<3xi32>) -> tensor<1xi32>
  %2 = train.reshape %1 : (tensor<1xi32>) -> tensor<i32>
  %3 = train.multiply %2, %0 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %4 = train.constant dense<0.000000e+00> : tensor<f32>
  %5 = train.pad %arg1, %4 {high = array<i64: 1>, interior = array<i64: 0>, low = array<i64: 0>} : (tensor<3xf32>, tensor<f32>) -> tensor<4xf32>
  %6 = train.dynamic_slice %5, %3 {sizes = array<i64: 2>} : (tensor<4xf32>, tensor<i32>) -> tensor<2xf32>
  %7 = train.constant dense<0.000000e+00> : tensor<2xf32>
  %8 = train.iota %3 {dim = 0 : i64} : (tensor<i32>) -> tensor<2xi32>
  %9 = train.constant dense<3> : tensor<2xi32>
  %10 = train.compare %8, %9 {direction = #train<compare_direction LT>} : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
  %11 = train.broadcast_in_dim %10 {dims = array<i64: 0>} : (tensor<2xi1>) -> tensor<2xi1>
  %12 = train.select %11, %6, %7 : (tensor<2xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %13 = train.sum_of_squares %12 : (tensor<2xf32>) -> tensor<1xf32>
  return %13 : tensor<1xf32>
}
func.func @sum_of_squares_8a26f473f22e0ce6(%arg0: tensor<3xi32>, %arg1: tensor<8x1xf32>) -> tensor<1xf32> {
  %0 = train.constant dense<0> : tensor<i32>
  %1 = train.constant dense<4> : tensor<i32>
  %2 = train.slice %arg0 {limit = array<i64: 2>, start = array<i64: 1>, stride = array<i64: 1>} : (tensor<3xi32>) -> tensor<1xi32>
  %3 = train.reshape %2 : (tensor<1xi32>) -> tensor<i32>
  %4 = train.multiply %3, %1 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %5 = train.dynamic_slice %arg1, %4, %0 {sizes = array<i64: 4, 1>} : (tensor<8x1xf32>, tensor<i32>, tensor<i32>) -> tensor<4x1xf32>
  %6 = train.sum_of_squares %5 : (tensor<4x1xf32>) -> tensor<1xf32>
  return %6 : tensor<1xf32>
}
func.func @reduce_8efe92133001b047(%arg0: tensor<2xi32>, %arg1: tensor<4x1xf32>) -> (tensor<4x1xf32>, tensor<1xf32>) {
  %0 = train.constant dense<4> : tensor<i32>
  %1 = train.slice %arg0 {limit = array<i64: 2>, start = array<i64: 1>, stride = array<i64: 1>} : (tensor<2xi32>) -> tensor<1xi32>
  %2 = train.reshape %1 : (tensor<1xi32>) -> tensor<i32>
  %3 = train.multiply %2, %0 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %4 = train.constant dense<0.000000e+00> : tensor<f32>
  %5 = train.broadcast_in_dim %4 {dims = array<i64>} : (tensor<f32>) -> tensor<4x1xf32>
  %6 = train.minimum %arg1, %5 : (tensor<4x1xf32>, tensor<4x1xf32>) -> tensor<4x1xf32>
  %7 = train.tanh %6 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %8 = train.constant dense<0.000000e+00> : tensor<4x1xf32>
  %9 = train.iota %3 {dim = 0 : i64} : (tensor<i32>) -> tensor<4xi32>
  %10 = train.constant dense<7> : tensor<4xi32>
  %11 = train.compare %9, %10 {direction = #train<compare_direction LT>} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  %12 = train.broadcast_in_dim %11 {dims = array<i64: 0>} : (tensor<4xi1>) -> tensor<4x1xi1>
  %13 = train.select %12, %7, %8 : (tensor<4x1xi1>, tensor<4x1xf32>, tensor<4x1xf32>) -> tensor<4x1xf32>
  %14 = train.reduce %13 {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<4x1xf32>) -> tensor<1xf32>
  return %7, %14 : tensor<4x1xf32>, tensor<1xf32>
}
func.func @reduce_a23ee786f9d83767(%arg0: tensor<3xi32>, %arg1: tensor<2xui32>, %arg2: tensor<1x6x8x8xf32>, %arg3: tensor<16xf32>) -> (tensor<f32>, tensor<1x6x8x8xf32>) {
  %0 = train.constant dense<1> : tensor<i32>
  %1 = train.slice %arg0 {limit = array<i64: 3>, start = array<i64: 2>, stride = array<i64: 1>} : (tensor<3xi32>) -> tensor<1xi32>
  %2 = train.reshape %1 : (tensor<1xi32>) -> tensor<i32>
  %3 = train.multiply %2, %0 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %4 = train.slice %arg1 {limit = array<i64: 1>, start = array<i64: 0>, stride = array<i64: 1>} : (tensor<2xui32>) -> tensor<1xui32>
  %5 = train.reshape %4 : (tensor<1xui32>) -> tensor<ui32>
  %6 = train.slice %arg1 {limit = array<i64: 2>, start = array<i64: 1>, stride = array<i64: 1>} : (tensor<2xui32>) -> tensor<1xui32>
  %7 = train.reshape %6 : (tensor<1xui32>) -> tensor<ui32>
  %8 = train.broadcast_in_dim %5 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x6x8x8xui32>
  %9 = train.broadcast_in_dim %7 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x6x8x8xui32>
  %10 = train.iota %3 {dim = 0 : i64} : (tensor<i32>) -> tensor<1x6x8x8xui32>
  %11 = train.constant dense<2654435> : tensor<ui32>
  %12 = train.broadcast_in_dim %11 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x6x8x8xui32>
  %13 = train.multiply %8, %12 : (tensor<1x6x8x8xui32>, tensor<1x6x8x8xui32>) -> tensor<1x6x8x8xui32>
  %14 = train.xor %13, %10 : (tensor<1x6x8x8xui32>, tensor<1x6x8x8xui32>) -> tensor<1x6x8x8xui32>
  %15 = train.iota  {dim = 1 : i64} : () -> tensor<1x6x8x8xui32>
  %16 = train.constant dense<2654436> : tensor<ui32>
  %17 = train.broadcast_in_dim %16 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x6x8x8xui32>
  %18 = train.multiply %14, %17 : (tensor<1x6x8x8xui32>, tensor<1x6x8x8xui32>) -> tensor<1x6x8x8xui32>
  %19 = train.xor %18, %15 : (tensor<1x6x8x8xui32>, tensor<1x6x8x8xui32>) -> tensor<1x6x8x8xui32>
  %20 = train.iota  {dim = 2 : i64} : () -> tensor<1x6x8x8xui32>
  %21 = train.constant dense<2654437> : tensor<ui32>
  %22 = train.broadcast_in_dim %21 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x6x8x8xui32>
  %23 = train.multiply %19, %22 : (tensor<1x6x8x8xui32>, tensor<1x6x8x8xui32>) -> tensor<1x6x8x8xui32>
  %24 = train.xor %23, %20 : (tensor<1x6x8x8xui32>, tensor<1x6x8x8xui32>) -> tensor<1x6x8x8xui32>
  %25 = train.iota  {dim = 3 : i64} : () -> tensor<1x6x8x8xui32>
  %26 = train.constant dense<2654438> : tensor<ui32>
  %27 = train.broadcast_in_dim %26 {dims = array<i64>} : (tensor<ui32>) -> tensor<1x6x8x8xui32>
  %28 = train.multiply %24, %27 : (tensor<1x6x8x8xui32>, tensor<1x6x8x8xui32>) -> tensor<1x6x8x8xui32>
  %29 = train.xor %28, %25 : (tensor<1x6x8x8xui32>, tensor<1x6x8x8xui32>) -> tensor<1x6x8x8xui32>
  %30 = train.add %29, %9 : (tensor<1x6x8x8xui32>, tensor<1x6x8x8xui32>) -> tensor<1x6x8x8xui32>
  %31 = train.constant dense<7> : tensor<1x6x8x8xui32>
  %32 = train.and %30, %31 : (tensor<1x6x8x8xui32>, tensor<1x6x8x8xui32>) -> tensor<1x6x8x8xui32>
  %33 = train.constant dense<6> : tensor<1x6x8x8xui32>
  %34 = train.compare %32, %33 {direction = #train<compare_direction LT>} : (tensor<1x6x8x8xui32>, tensor<1x6x8x8xui32>) -> tensor<1x6x8x8xi1>
  %35 = train.constant dense<0.000000e+00> : tensor<1x6x8x8xf32>
  %36 = train.select %34, %arg2, %35 : (tensor<1x6x8x8xi1>, tensor<1x6x8x8xf32>, tensor<1x6x8x8xf32>) -> tensor<1x6x8x8xf32>
  %37 = train.multiply %36, %36 : (tensor<1x6x8x8xf32>, tensor<1x6x8x8xf32>) -> tensor<1x6x8x8xf32>
  %38 = train.reduce %37 {dims = array<i64: 0, 1, 2, 3>, kind = #train<reduce_kind add>} : (tensor<1x6x8x8xf32>) -> tensor<f32>
  %39 = train.constant dense<0.00130208337> : tensor<f32>
  %40 = train.multiply %38, %39 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %41 = train.slice %arg3 {limit = array<i64: 10>, start = array<i64: 9>, stride = array<i64: 1>} : (tensor<16xf32>) -> tensor<1xf32>
  %42 = train.reshape %41 : (tensor<1xf32>) -> tensor<f32>
  %43 = train.constant dense<0.00130208337> : tensor<f32>
  %44 = train.multiply %42, %43 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %45 = train.broadcast_in_dim %44 {dims = array<i64>} : (tensor<f32>) -> tensor<1x6x8x8xf32>
  %46 = train.constant dense<0.000000e+00> : tensor<1x6x8x8xf32>
  %47 = train.select %34, %arg2, %46 : (tensor<1x6x8x8xi1>, tensor<1x6x8x8xf32>, tensor<1x6x8x8xf32>) -> tensor<1x6x8x8xf32>
  %48 = train.multiply %45, %47 : (tensor<1x6x8x8xf32>, tensor<1x6x8x8xf32>) -> tensor<1x6x8x8xf32>
  %49 = train.add %48, %48 : (tensor<1x6x8x8xf32>, tensor<1x6x8x8xf32>) -> tensor<1x6x8x8xf32>
  %50 = train.select %34, %49, %46 : (tensor<1x6x8x8xi1>, tensor<1x6x8x8xf32>, tensor<1x6x8x8xf32>) -> tensor<1x6x8x8xf32>
  return %40, %50 : tensor<f32>, tensor<1x6x8x8xf32>
}
func.func @sum_of_squares_3532c1567663f898(%arg0: tensor<7xf32>) -> tensor<1xf32> {
  %0 = train.broadcast_in_dim %arg0 {dims = array<i64: 1>} : (tensor<7xf32>) -> tensor<12x7xf32>
  %1 = train.sum_of_squares %0 : (tensor<12x7xf32>) -> tensor<1xf32>
  return %1 : tensor<1xf32>
}
func.func @reduce_9085ad631c6c672(%arg0: tensor<1x2xf32>, %arg1: tensor<5x1xi32>, %arg2: tensor<5x1xi1>, %arg3: tensor<5x1xi1>) -> tensor<1xf32> {
  %0 = train.gather %arg0, %arg1 {collapsed_slice_dims = array<i64: 1>, index_vector_dim = 1 : i64, indices_batching_dims = array<i64>, offset_dims = array<i64: 1>, operand_batching_dims = array<i64>, slice_sizes = array<i64: 1, 1>, start_index_map = array<i64: 1>} : (tensor<1x2xf32>, tensor<5x1xi32>) -> tensor<5x1xf32>
  %1 = train.constant dense<0.000000e+00> : tensor<5x1xf32>
  %2 = train.select %arg2, %0, %1 : (tensor<5x1xi1>, tensor<5x1xf32>, tensor<5x1xf32>) -> tensor<5x1xf32>
  %3 = train.select %arg3, %2, %1 : (tensor<5x1xi1>, tensor<5x1xf32>, tensor<5x1xf32>) -> tensor<5x1xf32>
  %4 = train.reduce %3 {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<5x1xf32>) -> tensor<1xf32>
  return %4 : tensor<1xf32>
}
func.func @reduce_8197b318899132a8(%arg0: tensor<4x5x5xf32>) -> tensor<5x5xf32> {
  %0 = train.constant dense<0.000000e+00> : tensor<4x5x5xf32>
  %1 = train.maximum %arg0, %0 : (tensor<4x5x5xf32>, tensor<4x5x5xf32>) -> tensor<4x5x5xf32>
  %2 = train.constant dense<2.500000e-01> : tensor<f32>
  %3 = train.multiply %1, %1 : (tensor<4x5x5xf32>, tensor<4x5x5xf32>) -> tensor<4x5x5xf32>
  %4 = train.reduce %3 {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<4x5x5xf32>) -> tensor<5x5xf32>
  %5 = train.broadcast_in_dim %2 {dims = array<i64>} : (tensor<f32>) -> tensor<5x5xf32>
  %6 = train.multiply %4, %5 : (tensor<5x5xf32>, tensor<5x5xf32>) -> tensor<5x5xf32>
  %7 = train.tanh %6 : (tensor<5x5xf32>) -> tensor<5x5xf32>
  return %7 : tensor<5x5xf32>
}
func.func @dot_general_94d2301870b8e900(%arg0: tensor<f32>, %arg1: tensor<4xf32>) -> tensor<4xf32> {
  %0 = train.constant dense<2.500000e-01> : tensor<f32>
  %1 = train.broadcast_in_dim %0 {dims = array<i64>} : (tensor<f32>) -> tensor<4xf32>
  %2 = train.iota  {dim = 0 : i64} : () -> tensor<4xf32>
  %3 = train.cosine %2 : (tensor<4xf32>) -> tensor<4xf32>
  %4 = train.multiply %1, %3 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %5 = train.constant dense<2.000000e+00> : tensor<f32>
  %6 = train.multiply %5, %arg0 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %7 = train.add %6, %6 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %8 = train.constant dense<1.000000e+00> : tensor<f32>
  %9 = train.subtract %8, %arg0 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %10 = train.add %8, %arg0 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %11 = train.multiply %9, %10 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %12 = train.multiply %7, %11 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %13 = train.dot_general %12, %arg1 {lhs_batching = array<i64>, lhs_contracting = array<i64>, rhs_batching = array<i64>, rhs_contracting = array<i64>} : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  %14 = train.add %13, %13 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %15 = train.add %14, %4 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %15 : tensor<4xf32>
}
func.func @reduce_b5c93746e561aa81(%arg0: tensor<16xf32>, %arg1: tensor<8xf32>, %arg2: tensor<2xf32>, %arg3: tensor<12xf32>) -> (tensor<16xf32>, tensor<2x8xf32>, tensor<8xf32>) {
  %0 = train.slice %arg0 {limit = array<i64: 10>, start = array<i64: 9>, stride = array<i64: 1>} : (tensor<16xf32>) -> tensor<1xf32>
  %1 = train.reshape %0 : (tensor<1xf32>) -> tensor<f32>
  %2 = train.constant dense<1.250000e-01> : tensor<f32>
  %3 = train.multiply %1, %2 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %4 = train.broadcast_in_dim %3 {dims = array<i64>} : (tensor<f32>) -> tensor<2x8xf32>
  %5 = train.constant dense<1.000000e+00> : tensor<2x8xf32>
  %6 = train.constant dense<0.000000e+00> : tensor<f32>
  %7 = train.broadcast_in_dim %6 {dims = array<i64>} : (tensor<f32>) -> tensor<8xf32>
  %8 = train.maximum %arg1, %7 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %9 = train.broadcast_in_dim %arg2 {dims = array<i64: 0>} : (tensor<2xf32>) -> tensor<2x8xf32>
  %10 = train.broadcast_in_dim %8 {dims = array<i64: 1>} : (tensor<8xf32>) -> tensor<2x8xf32>
  %11 = train.multiply %9, %10 : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %12 = train.tanh %11 : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %13 = train.subtract %5, %12 : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %14 = train.add %5, %12 : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %15 = train.multiply %13, %14 : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %16 = train.multiply %4, %15 : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %17 = train.constant dense<3.125000e-02> : tensor<f32>
  %18 = train.multiply %1, %17 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %19 = train.broadcast_in_dim %18 {dims = array<i64>} : (tensor<f32>) -> tensor<16xf32>
  %20 = train.constant dense<1.000000e+00> : tensor<16xf32>
  %21 = train.concatenate %arg3, %arg2, %arg2 {dim = 0 : i64} : (tensor<12xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<16xf32>
  %22 = train.tanh %21 : (tensor<16xf32>) -> tensor<16xf32>
  %23 = train.subtract %20, %22 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %24 = train.add %20, %22 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %25 = train.multiply %23, %24 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %26 = train.multiply %19, %25 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %27 = train.broadcast_in_dim %8 {dims = array<i64: 1>} : (tensor<8xf32>) -> tensor<2x8xf32>
  %28 = train.multiply %16, %27 : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %29 = train.broadcast_in_dim %arg2 {dims = array<i64: 0>} : (tensor<2xf32>) -> tensor<2x8xf32>
  %30 = train.multiply %16, %29 : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %31 = train.reduce %30 {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<2x8xf32>) -> tensor<8xf32>
  %32 = train.constant dense<0.000000e+00> : tensor<f32>
  %33 = train.broadcast_in_dim %32 {dims = array<i64>} : (tensor<f32>) -> tensor<8xf32>
  %34 = train.compare %arg1, %33 {direction = #train<compare_direction EQ>} : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
  %35 = train.constant dense<5.000000e-01> : tensor<8xf32>
  %36 = train.multiply %31, %35 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %37 = train.constant dense<0.000000e+00> : tensor<8xf32>
  %38 = train.select %34, %36, %37 : (tensor<8xi1>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %39 = train.compare %arg1, %33 {direction = #train<compare_direction GT>} : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
  %40 = train.select %39, %31, %38 : (tensor<8xi1>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %26, %28, %40 : tensor<16xf32>, tensor<2x8xf32>, tensor<8xf32>
}
func.func @sum_of_squares_f16a53dc014a4984(%arg0: tensor<16xf32>) -> tensor<1xf32> {
  %0 = train.slice %arg0 {limit = array<i64: 10>, start = array<i64: 9>, stride = array<i64: 1>} : (tensor<16xf32>) -> tensor<1xf32>
  %1 = train.reshape %0 : (tensor<1xf32>) -> tensor<f32>
  %2 = train.constant dense<0.0833333358> : tensor<f32>
  %3 = train.multiply %1, %2 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %4 = train.broadcast_in_dim %3 {dims = array<i64>} : (tensor<f32>) -> tensor<12xf32>
  %5 = train.sum_of_squares %4 : (tensor<12xf32>) -> tensor<1xf32>
  return %5 : tensor<1xf32>
}
func.func @dynamic_update_slice_841640b2180b504(%arg0: tensor<8x8x8xf32>) -> tensor<8x8x8xf32> {
  %0 = train.constant dense<0> : tensor<i32>
  %1 = train.dynamic_update_slice %arg0, %arg0, %0, %0, %0 : (tensor<8x8x8xf32>, tensor<8x8x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<8x8x8xf32>
  return %1 : tensor<8x8x8xf32>
}
func.func @sort_7efb0950df5a2081(%arg0: tensor<8x8x8xf32>) -> (tensor<8x8x8xf32>, tensor<8x8x8xf32>) {
  %0:2 = train.sort %arg0, %arg0 {dim = 1 : i64} : (tensor<8x8x8xf32>, tensor<8x8x8xf32>) -> (tensor<8x8x8xf32>, tensor<8x8x8xf32>)
  return %0#0, %0#1 : tensor<8x8x8xf32>, tensor<8x8x8xf32>
}
func.func @reduce_230135f1e017e2e4(%arg0: tensor<3x12xi32>) -> tensor<f32> {
  %0 = train.constant dense<5> : tensor<i32>
  %1 = train.broadcast_in_dim %0 {dims = array<i64>} : (tensor<i32>) -> tensor<3x12xi32>
  %2 = train.xor %arg0, %1 : (tensor<3x12xi32>, tensor<3x12xi32>) -> tensor<3x12xi32>
  %3 = train.constant dense<7> : tensor<3x12xi32>
  %4 = train.and %2, %3 : (tensor<3x12xi32>, tensor<3x12xi32>) -> tensor<3x12xi32>
  %5 = train.convert %4 : (tensor<3x12xi32>) -> tensor<3x12xf32>
  %6 = train.tanh %5 : (tensor<3x12xf32>) -> tensor<3x12xf32>
  %7 = train.reduce %6 {dims = array<i64: 0, 1>, kind = #train<reduce_kind add>} : (tensor<3x12xf32>) -> tensor<f32>
  %8 = train.constant dense<0.0069444445> : tensor<f32>
  %9 = train.multiply %7, %8 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %9 : tensor<f32>
}
func.func @sum_of_squares_60c7e1b346d26e09(%arg0: tensor<8x1x4xf32>) -> tensor<1xf32> {
  %0 = train.constant dense<1.562500e-02> : tensor<f32>
  %1 = train.broadcast_in_dim %0 {dims = array<i64>} : (tensor<f32>) -> tensor<8x1x4xf32>
  %2 = train.multiply %1, %arg0 : (tensor<8x1x4xf32>, tensor<8x1x4xf32>) -> tensor<8x1x4xf32>
  %3 = train.add %2, %1 : (tensor<8x1x4xf32>, tensor<8x1x4xf32>) -> tensor<8x1x4xf32>
  %4 = train.sum_of_squares %3 : (tensor<8x1x4xf32>) -> tensor<1xf32>
  return %4 : tensor<1xf32>
}
func.func @adamw_aace6fe83d317f2b(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xf32>, %arg2: tensor<4x8xf32>, %arg3: tensor<4x8xf32>, %arg4: tensor<16xf32>, %arg5: tensor<f32>, %arg6: tensor<i1>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf16>) {
  %new_parameter, %more:3 = train.update %arg0, %arg1, %arg2, %arg3, %arg4, %arg5, %arg6 {decay = true, optimizer = "adamw"} : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<16xf32>, tensor<f32>, tensor<i1>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf16>)
  return %new_parameter, %more#0, %more#1, %more#2 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf16>
}
func.func @reduce_12ee41cf275dfaf6(%arg0: tensor<4x12xf32>) -> (tensor<3x4x12xf32>, tensor<1xf32>) {
  %0 = train.broadcast_in_dim %arg0 {dims = array<i64: 1, 2>} : (tensor<4x12xf32>) -> tensor<3x4x12xf32>
  %1 = train.erf %0 : (tensor<3x4x12xf32>) -> tensor<3x4x12xf32>
  %2 = train.reshape %1 : (tensor<3x4x12xf32>) -> tensor<3x1x4x6x2xf32>
  %3 = train.reduce %2 {dims = array<i64: 0, 2, 3, 4>, kind = #train<reduce_kind add>} : (tensor<3x1x4x6x2xf32>) -> tensor<1xf32>
  %4 = train.constant dense<0.0069444445> : tensor<1xf32>
  %5 = train.multiply %3, %4 : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
  return %1, %5 : tensor<3x4x12xf32>, tensor<1xf32>
}
func.func @reduce_4d0bfd7598193c34(%arg0: tensor<2xi32>, %arg1: tensor<3x1x4x6x2xf32>, %arg2: tensor<3x4x12xf32>) -> (tensor<4x6x2xf32>, tensor<4x12xf32>, tensor<4x12xf32>) {
  %0 = train.constant dense<1> : tensor<i32>
  %1 = train.slice %arg0 {limit = array<i64: 1>, start = array<i64: 0>, stride = array<i64: 1>} : (tensor<2xi32>) -> tensor<1xi32>
  %2 = train.reshape %1 : (tensor<1xi32>) -> tensor<i32>
  %3 = train.slice %arg0 {limit = array<i64: 2>, start = array<i64: 1>, stride = array<i64: 1>} : (tensor<2xi32>) -> tensor<1xi32>
  %4 = train.reshape %3 : (tensor<1xi32>) -> tensor<i32>
  %5 = train.constant dense<2> : tensor<i32>
  %6 = train.multiply %2, %5 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %7 = train.add %6, %4 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %8 = train.multiply %7, %0 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %9 = train.constant dense<0x7F800000> : tensor<3x1x4x6x2xf32>
  %10 = train.iota %8 {dim = 0 : i64} : (tensor<i32>) -> tensor<1xi32>
  %11 = train.constant dense<2> : tensor<1xi32>
  %12 = train.compare %10, %11 {direction = #train<compare_direction LT>} : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi1>
  %13 = train.broadcast_in_dim %12 {dims = array<i64: 1>} : (tensor<1xi1>) -> tensor<3x1x4x6x2xi1>
  %14 = train.select %13, %arg1, %9 : (tensor<3x1x4x6x2xi1>, tensor<3x1x4x6x2xf32>, tensor<3x1x4x6x2xf32>) -> tensor<3x1x4x6x2xf32>
  %15 = train.reduce %14 {dims = array<i64: 0, 1>, kind = #train<reduce_kind minimum>} : (tensor<3x1x4x6x2xf32>) -> tensor<4x6x2xf32>
  %16 = train.reduce %arg2 {dims = array<i64: 0>, kind = #train<reduce_kind minimum>} : (tensor<3x4x12xf32>) -> tensor<4x12xf32>
  %17 = train.negate %16 : (tensor<4x12xf32>) -> tensor<4x12xf32>
  %18 = train.constant dense<-8.000000e-01> : tensor<f32>
  %19 = train.broadcast_in_dim %18 {dims = array<i64>} : (tensor<f32>) -> tensor<4x12xf32>
  %20 = train.constant dense<0.899999976> : tensor<f32>
  %21 = train.broadcast_in_dim %20 {dims = array<i64>} : (tensor<f32>) -> tensor<4x12xf32>
  %22 = train.clamp %19, %17, %21 : (tensor<4x12xf32>, tensor<4x12xf32>, tensor<4x12xf32>) -> tensor<4x12xf32>
  return %15, %16, %22 : tensor<4x6x2xf32>, tensor<4x12xf32>, tensor<4x12xf32>
}
func.func @reduce_de804981b8d4de47(%arg0: tensor<f32>, %arg1: tensor<2xf32>, %arg2: tensor<1xf32>) -> tensor<2xf32> {
  %0 = train.broadcast_in_dim %arg0 {dims = array<i64>} : (tensor<f32>) -> tensor<12x2xf32>
  %1 = train.convert %0 : (tensor<12x2xf32>) -> tensor<12x2xf64>
  %2 = train.broadcast_in_dim %arg1 {dims = array<i64: 1>} : (tensor<2xf32>) -> tensor<12x2xf32>
  %3 = train.convert %2 : (tensor<12x2xf32>) -> tensor<12x2xf64>
  %4 = train.multiply %1, %3 : (tensor<12x2xf64>, tensor<12x2xf64>) -> tensor<12x2xf64>
  %5 = train.add %4, %4 : (tensor<12x2xf64>, tensor<12x2xf64>) -> tensor<12x2xf64>
  %6 = train.convert %5 : (tensor<12x2xf64>) -> tensor<12x2xf32>
  %7 = train.reduce %6 {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<12x2xf32>) -> tensor<2xf32>
  %8 = train.constant dense<0.000000e+00> : tensor<f32>
  %9 = train.pad %arg2, %8 {high = array<i64: 0>, interior = array<i64: 1>, low = array<i64: 1>} : (tensor<1xf32>, tensor<f32>) -> tensor<2xf32>
  %10 = train.add %7, %9 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %10 : tensor<2xf32>
}
func.func @sum_of_squares_e12eb1bbe046e36d(%arg0: tensor<f32>) -> tensor<1xf32> {
  %0 = train.iota  {dim = 1 : i64} : () -> tensor<3x5x3xf32>
  %1 = train.cosine %0 : (tensor<3x5x3xf32>) -> tensor<3x5x3xf32>
  %2 = train.broadcast_in_dim %arg0 {dims = array<i64>} : (tensor<f32>) -> tensor<3x5x3xf32>
  %3 = train.multiply %2, %1 : (tensor<3x5x3xf32>, tensor<3x5x3xf32>) -> tensor<3x5x3xf32>
  %4 = train.sum_of_squares %3 : (tensor<3x5x3xf32>) -> tensor<1xf32>
  return %4 : tensor<1xf32>
}
func.func @reduce_ecae0edf7f7af526(%arg0: tensor<3x7x12xf32>) -> tensor<3x12xf32> {
  %0 = train.floor %arg0 : (tensor<3x7x12xf32>) -> tensor<3x7x12xf32>
  %1 = train.multiply %0, %0 : (tensor<3x7x12xf32>, tensor<3x7x12xf32>) -> tensor<3x7x12xf32>
  %2 = train.reduce %1 {dims = array<i64: 1>, kind = #train<reduce_kind add>} : (tensor<3x7x12xf32>) -> tensor<3x12xf32>
  %3 = train.constant dense<0.142857149> : tensor<f32>
  %4 = train.broadcast_in_dim %3 {dims = array<i64>} : (tensor<f32>) -> tensor<3x12xf32>
  %5 = train.multiply %2, %4 : (tensor<3x12xf32>, tensor<3x12xf32>) -> tensor<3x12xf32>
  %6 = train.tanh %5 : (tensor<3x12xf32>) -> tensor<3x12xf32>
  return %6 : tensor<3x12xf32>
}
func.func @sgd_f8d17c1d563183c(%arg0: tensor<1x3xf32>, %arg1: tensor<1x3xf32>, %arg2: tensor<1x3xf32>, %arg3: tensor<16xf32>, %arg4: tensor<f32>, %arg5: tensor<i1>, %arg6: tensor<3xf32>, %arg7: tensor<3xf32>, %arg8: tensor<3xf32>) -> (tensor<1x3xf32>, tensor<1x3xf32>, tensor<1x3xbf16>, tensor<3xf32>, tensor<3xf32>) {
  %new_parameter, %more:2 = train.update %arg0, %arg1, %arg2, %arg3, %arg4, %arg5 {decay = true, optimizer = "sgd"} : (tensor<1x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>, tensor<16xf32>, tensor<f32>, tensor<i1>) -> (tensor<1x3xf32>, tensor<1x3xf32>, tensor<1x3xbf16>)
  %new_parameter_0, %more_1 = train.update %arg6, %arg7, %arg8, %arg3, %arg4, %arg5 {decay = false, optimizer = "sgd"} : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<16xf32>, tensor<f32>, tensor<i1>) -> (tensor<3xf32>, tensor<3xf32>)
  return %new_parameter, %more#0, %more#1, %new_parameter_0, %more_1 : tensor<1x3xf32>, tensor<1x3xf32>, tensor<1x3xbf16>, tensor<3xf32>, tensor<3xf32>
}
func.func @convolution_ce5fd949df778a8c(%arg0: tensor<1x3x3x6xf32>, %arg1: tensor<1x6x2x1xf32>, %arg2: tensor<10x6x5x1xf32>) -> (tensor<10x6x5x1xf32>, tensor<10x6x5x1xf32>) {
  %0 = train.convolution %arg0, %arg1 {feature_groups = 3 : i64, input_dims = array<i64: 0, 2, 1, 3>, kernel_dims = array<i64: 3, 1, 0, 2>, lhs_dilation = array<i64: 1, 2>, output_dims = array<i64: 3, 1, 2, 0>, pad_high = array<i64: 0, 1>, pad_low = array<i64: 2, -1>, reversal = array<i1: false, false>, rhs_dilation = array<i64: 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x3x3x6xf32>, tensor<1x6x2x1xf32>) -> tensor<10x6x5x1xf32>
  %1 = train.tanh %0 : (tensor<10x6x5x1xf32>) -> tensor<10x6x5x1xf32>
  %2 = train.minimum %1, %arg2 : (tensor<10x6x5x1xf32>, tensor<10x6x5x1xf32>) -> tensor<10x6x5x1xf32>
  return %1, %2 : tensor<10x6x5x1xf32>, tensor<10x6x5x1xf32>
}
func.func @convolution_159993cc9099b307(%arg0: tensor<10x6x5x1xf32>, %arg1: tensor<10x6x5x1xf32>, %arg2: tensor<i32>, %arg3: tensor<1x3x3x6xf32>, %arg4: tensor<1x6x2x1xf32>) -> tensor<1x6x2x1xf32> {
  %0 = train.constant dense<3.125000e-02> : tensor<f32>
  %1 = train.broadcast_in_dim %0 {dims = array<i64>} : (tensor<f32>) -> tensor<4x1x1x1x1xf32>
  %2 = train.constant dense<0.000000e+00> : tensor<4x1x1x1x1xf32>
  %3 = train.constant dense<-8.000000e-01> : tensor<f32>
  %4 = train.broadcast_in_dim %3 {dims = array<i64>} : (tensor<f32>) -> tensor<4x1x1x1x1xf32>
  %5 = train.constant dense<0.899999976> : tensor<f32>
  %6 = train.broadcast_in_dim %5 {dims = array<i64>} : (tensor<f32>) -> tensor<4x1x1x1x1xf32>
  %7 = train.slice %arg0 {limit = array<i64: 10, 5, 4, 1>, start = array<i64: 6, 4, 3, 0>, stride = array<i64: 1, 3, 1, 1>} : (tensor<10x6x5x1xf32>) -> tensor<4x1x1x1xf32>
  %8 = train.reshape %7 : (tensor<4x1x1x1xf32>) -> tensor<4x1x1x1x1xf32>
  %9 = train.compare %8, %4 {direction = #train<compare_direction GT>} : (tensor<4x1x1x1x1xf32>, tensor<4x1x1x1x1xf32>) -> tensor<4x1x1x1x1xi1>
  %10 = train.compare %6, %8 {direction = #train<compare_direction GT>} : (tensor<4x1x1x1x1xf32>, tensor<4x1x1x1x1xf32>) -> tensor<4x1x1x1x1xi1>
  %11 = train.and %9, %10 : (tensor<4x1x1x1x1xi1>, tensor<4x1x1x1x1xi1>) -> tensor<4x1x1x1x1xi1>
  %12 = train.select %11, %1, %2 : (tensor<4x1x1x1x1xi1>, tensor<4x1x1x1x1xf32>, tensor<4x1x1x1x1xf32>) -> tensor<4x1x1x1x1xf32>
  %13 = train.reshape %12 : (tensor<4x1x1x1x1xf32>) -> tensor<4x1x1x1xf32>
  %14 = train.constant dense<0.000000e+00> : tensor<f32>
  %15 = train.pad %13, %14 {high = array<i64: 0, 1, 1, 0>, interior = array<i64: 0, 2, 0, 0>, low = array<i64: 6, 4, 3, 0>} : (tensor<4x1x1x1xf32>, tensor<f32>) -> tensor<10x6x5x1xf32>
  %16 = train.add %arg1, %15 : (tensor<10x6x5x1xf32>, tensor<10x6x5x1xf32>) -> tensor<10x6x5x1xf32>
  %17 = train.constant dense<1.000000e+00> : tensor<10x6x5x1xf32>
  %18 = train.subtract %17, %arg0 : (tensor<10x6x5x1xf32>, tensor<10x6x5x1xf32>) -> tensor<10x6x5x1xf32>
  %19 = train.add %17, %arg0 : (tensor<10x6x5x1xf32>, tensor<10x6x5x1xf32>) -> tensor<10x6x5x1xf32>
  %20 = train.multiply %18, %19 : (tensor<10x6x5x1xf32>, tensor<10x6x5x1xf32>) -> tensor<10x6x5x1xf32>
  %21 = train.multiply %16, %20 : (tensor<10x6x5x1xf32>, tensor<10x6x5x1xf32>) -> tensor<10x6x5x1xf32>
  %22 = train.constant dense<0.000000e+00> : tensor<1x3x3x6xf32>
  %23 = train.iota %arg2 {dim = 0 : i64} : (tensor<i32>) -> tensor<1xi32>
  %24 = train.constant dense<8> : tensor<1xi32>
  %25 = train.compare %23, %24 {direction = #train<compare_direction LT>} : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi1>
  %26 = train.broadcast_in_dim %25 {dims = array<i64: 0>} : (tensor<1xi1>) -> tensor<1x3x3x6xi1>
  %27 = train.select %26, %arg3, %22 : (tensor<1x3x3x6xi1>, tensor<1x3x3x6xf32>, tensor<1x3x3x6xf32>) -> tensor<1x3x3x6xf32>
  %28 = train.constant dense<0.000000e+00> : tensor<10x6x5x1xf32>
  %29 = train.iota %arg2 {dim = 0 : i64} : (tensor<i32>) -> tensor<1xi32>
  %30 = train.constant dense<8> : tensor<1xi32>
  %31 = train.compare %29, %30 {direction = #train<compare_direction LT>} : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi1>
  %32 = train.broadcast_in_dim %31 {dims = array<i64: 3>} : (tensor<1xi1>) -> tensor<10x6x5x1xi1>
  %33 = train.select %32, %21, %28 : (tensor<10x6x5x1xi1>, tensor<10x6x5x1xf32>, tensor<10x6x5x1xf32>) -> tensor<10x6x5x1xf32>
  %34 = train.convolution %27, %33 {batch_groups = 3 : i64, input_dims = array<i64: 2, 0, 1, 3>, kernel_dims = array<i64: 3, 1, 2, 0>, lhs_dilation = array<i64: 1, 2>, output_dims = array<i64: 3, 1, 0, 2>, pad_high = array<i64: 0, 1>, pad_low = array<i64: 2, -1>, reversal = array<i1: false, false>, rhs_dilation = array<i64: 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x3x3x6xf32>, tensor<10x6x5x1xf32>) -> tensor<1x6x2x1xf32>
  %35 = train.add %arg4, %34 : (tensor<1x6x2x1xf32>, tensor<1x6x2x1xf32>) -> tensor<1x6x2x1xf32>
  return %35 : tensor<1x6x2x1xf32>
}
func.func @convolution_ca6ae4a00a795a1e(%arg0: tensor<5x5x6xf32>, %arg1: tensor<3x6x3xf32>) -> tensor<3x1x5x10xf32> {
  %0 = train.subtract %arg0, %arg0 : (tensor<5x5x6xf32>, tensor<5x5x6xf32>) -> tensor<5x5x6xf32>
  %1 = train.convolution %0, %arg1 {input_dims = array<i64: 1, 2, 0>, kernel_dims = array<i64: 1, 2, 0>, lhs_dilation = array<i64: 2>, output_dims = array<i64: 1, 0, 2>, pad_high = array<i64: 2>, pad_low = array<i64: 1>, reversal = array<i1: false>, rhs_dilation = array<i64: 1>, strides = array<i64: 1>} : (tensor<5x5x6xf32>, tensor<3x6x3xf32>) -> tensor<3x5x10xf32>
  %2 = train.tanh %1 : (tensor<3x5x10xf32>) -> tensor<3x5x10xf32>
  %3 = train.reshape %2 : (tensor<3x5x10xf32>) -> tensor<3x1x5x10xf32>
  %4 = train.iota  {dim = 1 : i64} : () -> tensor<3x1x5x10xf32>
  %5 = train.cosine %4 : (tensor<3x1x5x10xf32>) -> tensor<3x1x5x10xf32>
  %6 = train.multiply %3, %5 : (tensor<3x1x5x10xf32>, tensor<3x1x5x10xf32>) -> tensor<3x1x5x10xf32>
  return %6 : tensor<3x1x5x10xf32>
}
func.func @dot_general_2988e092449145c4(%arg0: tensor<7x2xf32>, %arg1: tensor<2x2xf16>) -> tensor<7x2xf32> {
  %0 = train.convert %arg0 : (tensor<7x2xf32>) -> tensor<7x2xf16>
  %1 = train.reverse %0 {dims = array<i64: 0, 1>} : (tensor<7x2xf16>) -> tensor<7x2xf16>
  %2 = train.dot_general %1, %arg1 {lhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_batching = array<i64>, rhs_contracting = array<i64: 0>} : (tensor<7x2xf16>, tensor<2x2xf16>) -> tensor<7x2xf32>
  %3 = train.tanh %2 : (tensor<7x2xf32>) -> tensor<7x2xf32>
  return %3 : tensor<7x2xf32>
}
func.func @reduce_a9e8a13005a20d0b(%arg0: tensor<7x2xf16>, %arg1: tensor<7x2xf32>, %arg2: tensor<7x7x2xf32>) -> tensor<7x7x2xf32> {
  %0 = train.reverse %arg0 {dims = array<i64: 0, 1>} : (tensor<7x2xf16>) -> tensor<7x2xf16>
  %1 = train.convert %0 : (tensor<7x2xf16>) -> tensor<7x2xf32>
  %2 = train.broadcast_in_dim %arg1 {dims = array<i64: 1, 2>} : (tensor<7x2xf32>) -> tensor<7x7x2xf32>
  %3 = train.compare %arg2, %2 {direction = #train<compare_direction EQ>} : (tensor<7x7x2xf32>, tensor<7x7x2xf32>) -> tensor<7x7x2xi1>
  %4 = train.convert %3 : (tensor<7x7x2xi1>) -> tensor<7x7x2xf32>
  %5 = train.reduce %4 {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<7x7x2xf32>) -> tensor<7x2xf32>
  %6 = train.divide %1, %5 : (tensor<7x2xf32>, tensor<7x2xf32>) -> tensor<7x2xf32>
  %7 = train.broadcast_in_dim %6 {dims = array<i64: 1, 2>} : (tensor<7x2xf32>) -> tensor<7x7x2xf32>
  %8 = train.constant dense<0.000000e+00> : tensor<7x7x2xf32>
  %9 = train.select %3, %7, %8 : (tensor<7x7x2xi1>, tensor<7x7x2xf32>, tensor<7x7x2xf32>) -> tensor<7x7x2xf32>
  return %9 : tensor<7x7x2xf32>
}
func.func @sgd_2b7a54246e768084(%arg0: tensor<7x7x7xf32>, %arg1: tensor<7x7x7xf32>, %arg2: tensor<7x7x7xf32>, %arg3: tensor<16xf32>, %arg4: tensor<f32>, %arg5: tensor<i1>) -> (tensor<7x7x7xf32>, tensor<7x7x7xf32>, tensor<7x7x7xf16>) {
  %new_parameter, %more:2 = train.update %arg0, %arg1, %arg2, %arg3, %arg4, %arg5 {decay = true, optimizer = "sgd"} : (tensor<7x7x7xf32>, tensor<7x7x7xf32>, tensor<7x7x7xf32>, tensor<16xf32>, tensor<f32>, tensor<i1>) -> (tensor<7x7x7xf32>, tensor<7x7x7xf32>, tensor<7x7x7xf16>)
  return %new_parameter, %more#0, %more#1 : tensor<7x7x7xf32>, tensor<7x7x7xf32>, tensor<7x7x7xf16>
}
func.func @dot_general_d1e2e50be20be9c7(%arg0: tensor<32xi32>, %arg1: tensor<3x16xf32>, %arg2: tensor<32x1x16xf32>, %arg3: tensor<32x1x16xf32>, %arg4: tensor<32x1x16xf32>, %arg5: tensor<32x1x16xf32>, %arg6: tensor<32x1x16xf32>, %arg7: tensor<32x1x16xf32>) -> tensor<32x7x7xf32> {
  %0 = train.constant dense<0> : tensor<i32>
  %1 = train.broadcast_in_dim %0 {dims = array<i64>} : (tensor<i32>) -> tensor<32xi32>
  %2 = train.compare %arg0, %1 {direction = #train<compare_direction LT>} : (tensor<32xi32>, tensor<32xi32>) -> tensor<32xi1>
  %3 = train.constant dense<3> : tensor<i32>
  %4 = train.broadcast_in_dim %3 {dims = array<i64>} : (tensor<i32>) -> tensor<32xi32>
  %5 = train.add %arg0, %4 : (tensor<32xi32>, tensor<32xi32>) -> tensor<32xi32>
  %6 = train.select %2, %5, %arg0 : (tensor<32xi1>, tensor<32xi32>, tensor<32xi32>) -> tensor<32xi32>
  %7 = train.reshape %6 : (tensor<32xi32>) -> tensor<32x1xi32>
  %8 = train.gather %arg1, %7 {collapsed_slice_dims = array<i64: 0>, index_vector_dim = 1 : i64, indices_batching_dims = array<i64>, offset_dims = array<i64: 1>, operand_batching_dims = array<i64>, slice_sizes = array<i64: 1, 16>, start_index_map = array<i64: 0>} : (tensor<3x16xf32>, tensor<32x1xi32>) -> tensor<32x16xf32>
  %9 = train.reshape %8 : (tensor<32x16xf32>) -> tensor<32x1x16xf32>
  %10 = train.concatenate %arg2, %arg3, %arg4, %arg5, %arg6, %arg7, %9 {dim = 1 : i64} : (tensor<32x1x16xf32>, tensor<32x1x16xf32>, tensor<32x1x16xf32>, tensor<32x1x16xf32>, tensor<32x1x16xf32>, tensor<32x1x16xf32>, tensor<32x1x16xf32>) -> tensor<32x7x16xf32>
  %11 = train.dot_general %10, %10 {lhs_batching = array<i64: 0>, lhs_contracting = array<i64: 2>, rhs_batching = array<i64: 0>, rhs_contracting = array<i64: 2>} : (tensor<32x7x16xf32>, tensor<32x7x16xf32>) -> tensor<32x7x7xf32>
  return %11 : tensor<32x7x7xf32>
}
func.func @dot_general_96b69481a09c0099(%arg0: tensor<2x6x3xbf16>, %arg1: tensor<2x4x5xf32>) -> tensor<2x4x3xbf16> {
  %0 = train.slice %arg0 {limit = array<i64: 2, 5, 3>, start = array<i64: 0, 0, 0>, stride = array<i64: 1, 1, 1>} : (tensor<2x6x3xbf16>) -> tensor<2x5x3xbf16>
  %1 = train.convert %arg1 : (tensor<2x4x5xf32>) -> tensor<2x4x5xbf16>
  %2 = train.dot_general %1, %0 {lhs_batching = array<i64: 0>, lhs_contracting = array<i64: 2>, rhs_batching = array<i64: 0>, rhs_contracting = array<i64: 1>} : (tensor<2x4x5xbf16>, tensor<2x5x3xbf16>) -> tensor<2x4x3xf32>
  %3 = train.convert %2 : (tensor<2x4x3xf32>) -> tensor<2x4x3xbf16>
  return %3 : tensor<2x4x3xbf16>
}
func.func @reduce_6bcc4c9771156b26(%arg0: tensor<4x32xf32>, %arg1: tensor<4x32x64xf32>, %arg2: tensor<ui32>, %arg3: tensor<4x32x64xui32>, %arg4: tensor<4x32x64xui32>) -> (tensor<4x32x64xf32>, tensor<64xf32>) {
  %0 = train.constant dense<1.000000e+00> : tensor<f32>
  %1 = train.constant dense<0.000000e+00> : tensor<f32>
  %2 = train.broadcast_in_dim %arg0 {dims = array<i64: 0, 1>} : (tensor<4x32xf32>) -> tensor<4x32x64xf32>
  %3 = train.add %arg1, %2 : (tensor<4x32x64xf32>, tensor<4x32x64xf32>) -> tensor<4x32x64xf32>
  %4 = train.constant dense<0.000000e+00> : tensor<4x32x64xf32>
  %5 = train.constant dense<5> : tensor<ui32>
  %6 = train.broadcast_in_dim %5 {dims = array<i64>} : (tensor<ui32>) -> tensor<4x32x64xui32>
  %7 = train.constant dense<9> : tensor<ui32>
  %8 = train.broadcast_in_dim %7 {dims = array<i64>} : (tensor<ui32>) -> tensor<4x32x64xui32>
  %9 = train.constant dense<1065353216> : tensor<ui32>
  %10 = train.broadcast_in_dim %9 {dims = array<i64>} : (tensor<ui32>) -> tensor<4x32x64xui32>
  %11 = train.broadcast_in_dim %0 {dims = array<i64>} : (tensor<f32>) -> tensor<4x32x64xf32>
  %12 = train.broadcast_in_dim %1 {dims = array<i64>} : (tensor<f32>) -> tensor<4x32x64xf32>
  %13 = train.constant dense<0.899999976> : tensor<f32>
  %14 = train.broadcast_in_dim %13 {dims = array<i64>} : (tensor<f32>) -> tensor<4x32x64xf32>
  %15 = train.broadcast_in_dim %arg2 {dims = array<i64>} : (tensor<ui32>) -> tensor<4x32x64xui32>
  %16 = train.add %arg3, %15 : (tensor<4x32x64xui32>, tensor<4x32x64xui32>) -> tensor<4x32x64xui32>
  %17 = train.add %arg4, %6 : (tensor<4x32x64xui32>, tensor<4x32x64xui32>) -> tensor<4x32x64xui32>
  %18 = train.xor %16, %17 : (tensor<4x32x64xui32>, tensor<4x32x64xui32>) -> tensor<4x32x64xui32>
  %19 = train.shift_right_logical %18, %8 : (tensor<4x32x64xui32>, tensor<4x32x64xui32>) -> tensor<4x32x64xui32>
  %20 = train.or %19, %10 : (tensor<4x32x64xui32>, tensor<4x32x64xui32>) -> tensor<4x32x64xui32>
  %21 = train.bitcast_convert %20 : (tensor<4x32x64xui32>) -> tensor<4x32x64xf32>
  %22 = train.subtract %21, %11 : (tensor<4x32x64xf32>, tensor<4x32x64xf32>) -> tensor<4x32x64xf32>
  %23 = train.add %22, %12 : (tensor<4x32x64xf32>, tensor<4x32x64xf32>) -> tensor<4x32x64xf32>
  %24 = train.maximum %12, %23 : (tensor<4x32x64xf32>, tensor<4x32x64xf32>) -> tensor<4x32x64xf32>
  %25 = train.compare %24, %14 {direction = #train<compare_direction LT>} : (tensor<4x32x64xf32>, tensor<4x32x64xf32>) -> tensor<4x32x64xi1>
  %26 = train.select %25, %3, %4 : (tensor<4x32x64xi1>, tensor<4x32x64xf32>, tensor<4x32x64xf32>) -> tensor<4x32x64xf32>
  %27 = train.divide %26, %14 : (tensor<4x32x64xf32>, tensor<4x32x64xf32>) -> tensor<4x32x64xf32>
  %28 = train.reduce %27 {dims = array<i64: 0, 1>, kind = #train<reduce_kind add>} : (tensor<4x32x64xf32>) -> tensor<64xf32>
  return %27, %28 : tensor<4x32x64xf32>, tensor<64xf32>
}
func.func @reduce_6be4480ba8745110(%arg0: tensor<2xi32>, %arg1: tensor<4x2x2x16xi32>, %arg2: tensor<4x32x256xf32>, %arg3: tensor<4x32xf32>) -> tensor<f32> {
  %0 = train.constant dense<0> : tensor<i32>
  %1 = train.constant dense<32> : tensor<i32>
  %2 = train.slice %arg0 {limit = array<i64: 2>, start = array<i64: 1>, stride = array<i64: 1>} : (tensor<2xi32>) -> tensor<1xi32>
  %3 = train.reshape %2 : (tensor<1xi32>) -> tensor<i32>
  %4 = train.multiply %3, %1 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %5 = train.constant dense<0> : tensor<i32>
  %6 = train.constant dense<256> : tensor<i32>
  %7 = train.slice %arg1 {limit = array<i64: 4, 1, 2, 16>, start = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1, 1, 1>} : (tensor<4x2x2x16xi32>) -> tensor<4x1x2x16xi32>
  %8 = train.reshape %7 : (tensor<4x1x2x16xi32>) -> tensor<4x2x1x16xi32>
  %9 = train.slice %arg1 {limit = array<i64: 4, 2, 2, 16>, start = array<i64: 0, 1, 0, 0>, stride = array<i64: 1, 1, 1, 1>} : (tensor<4x2x2x16xi32>) -> tensor<4x1x2x16xi32>
  %10 = train.reverse %9 {dims = array<i64: 2>} : (tensor<4x1x2x16xi32>) -> tensor<4x1x2x16xi32>
  %11 = train.reshape %10 : (tensor<4x1x2x16xi32>) -> tensor<4x2x1x16xi32>
  %12 = train.concatenate %8, %11 {dim = 2 : i64} : (tensor<4x2x1x16xi32>, tensor<4x2x1x16xi32>) -> tensor<4x2x2x16xi32>
  %13 = train.reshape %12 : (tensor<4x2x2x16xi32>) -> tensor<4x64xi32>
  %14 = train.dynamic_slice %13, %0, %4 {sizes = array<i64: 4, 32>} : (tensor<4x64xi32>, tensor<i32>, tensor<i32>) -> tensor<4x32xi32>
  %15 = train.reshape %14 : (tensor<4x32xi32>) -> tensor<4x32x1xi32>
  %16 = train.broadcast_in_dim %5 {dims = array<i64>} : (tensor<i32>) -> tensor<4x32x1xi32>
  %17 = train.compare %15, %16 {direction = #train<compare_direction LT>} : (tensor<4x32x1xi32>, tensor<4x32x1xi32>) -> tensor<4x32x1xi1>
  %18 = train.broadcast_in_dim %6 {dims = array<i64>} : (tensor<i32>) -> tensor<4x32x1xi32>
  %19 = train.add %15, %18 : (tensor<4x32x1xi32>, tensor<4x32x1xi32>) -> tensor<4x32x1xi32>
  %20 = train.select %17, %19, %15 : (tensor<4x32x1xi1>, tensor<4x32x1xi32>, tensor<4x32x1xi32>) -> tensor<4x32x1xi32>
  %21 = train.reshape %20 : (tensor<4x32x1xi32>) -> tensor<4x32x1x1xi32>
  %22 = train.broadcast_in_dim %5 {dims = array<i64>} : (tensor<i32>) -> tensor<4x32x1x1xi32>
  %23 = train.compare %21, %22 {direction = #train<compare_direction GE>} : (tensor<4x32x1x1xi32>, tensor<4x32x1x1xi32>) -> tensor<4x32x1x1xi1>
  %24 = train.constant dense<255> : tensor<i32>
  %25 = train.broadcast_in_dim %24 {dims = array<i64>} : (tensor<i32>) -> tensor<4x32x1x1xi32>
  %26 = train.compare %21, %25 {direction = #train<compare_direction LE>} : (tensor<4x32x1x1xi32>, tensor<4x32x1x1xi32>) -> tensor<4x32x1x1xi1>
  %27 = train.and %23, %26 : (tensor<4x32x1x1xi1>, tensor<4x32x1x1xi1>) -> tensor<4x32x1x1xi1>
  %28 = train.reshape %27 : (tensor<4x32x1x1xi1>) -> tensor<4x32x1xi1>
  %29 = train.gather %arg2, %21 {collapsed_slice_dims = array<i64: 2>, index_vector_dim = 3 : i64, indices_batching_dims = array<i64: 0, 1>, offset_dims = array<i64>, operand_batching_dims = array<i64: 0, 1>, slice_sizes = array<i64: 1, 1, 1>, start_index_map = array<i64: 2>} : (tensor<4x32x256xf32>, tensor<4x32x1x1xi32>) -> tensor<4x32x1xf32>
  %30 = train.constant dense<0x7FC00000> : tensor<f32>
  %31 = train.broadcast_in_dim %30 {dims = array<i64>} : (tensor<f32>) -> tensor<4x32x1xf32>
  %32 = train.select %28, %29, %31 : (tensor<4x32x1xi1>, tensor<4x32x1xf32>, tensor<4x32x1xf32>) -> tensor<4x32x1xf32>
  %33 = train.reshape %32 : (tensor<4x32x1xf32>) -> tensor<4x32xf32>
  %34 = train.subtract %arg3, %33 : (tensor<4x32xf32>, tensor<4x32xf32>) -> tensor<4x32xf32>
  %35 = train.reduce %34 {dims = array<i64: 0, 1>, kind = #train<reduce_kind add>} : (tensor<4x32xf32>) -> tensor<f32>
  %36 = train.constant dense<5.120000e+02> : tensor<f32>
  %37 = train.divide %35, %36 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %37 : tensor<f32>
}
func.func @reduce_908c136196ece769(%arg0: tensor<4x32xf32>, %arg1: tensor<4x32x64xf32>, %arg2: tensor<ui32>, %arg3: tensor<ui32>, %arg4: tensor<4x32x64xui32>, %arg5: tensor<4x32x64xui32>) -> (tensor<4x32x64xf32>, tensor<64xf32>) {
  %0 = train.constant dense<1.000000e+00> : tensor<f32>
  %1 = train.constant dense<0.000000e+00> : tensor<f32>
  %2 = train.broadcast_in_dim %arg0 {dims = array<i64: 0, 1>} : (tensor<4x32xf32>) -> tensor<4x32x64xf32>
  %3 = train.add %arg1, %2 : (tensor<4x32x64xf32>, tensor<4x32x64xf32>) -> tensor<4x32x64xf32>
  %4 = train.constant dense<0.000000e+00> : tensor<4x32x64xf32>
  %5 = train.constant dense<26> : tensor<ui32>
  %6 = train.constant dense<6> : tensor<ui32>
  %7 = train.constant dense<5> : tensor<ui32>
  %8 = train.broadcast_in_dim %5 {dims = array<i64>} : (tensor<ui32>) -> tensor<4x32x64xui32>
  %9 = train.broadcast_in_dim %6 {dims = array<i64>} : (tensor<ui32>) -> tensor<4x32x64xui32>
  %10 = train.broadcast_in_dim %7 {dims = array<i64>} : (tensor<ui32>) -> tensor<4x32x64xui32>
  %11 = train.constant dense<9> : tensor<ui32>
  %12 = train.broadcast_in_dim %11 {dims = array<i64>} : (tensor<ui32>) -> tensor<4x32x64xui32>
  %13 = train.constant dense<1065353216> : tensor<ui32>
  %14 = train.broadcast_in_dim %13 {dims = array<i64>} : (tensor<ui32>) -> tensor<4x32x64xui32>
  %15 = train.broadcast_in_dim %0 {dims = array<i64>} : (tensor<f32>) -> tensor<4x32x64xf32>
  %16 = train.broadcast_in_dim %1 {dims = array<i64>} : (tensor<f32>) -> tensor<4x32x64xf32>
  %17 = train.constant dense<0.899999976> : tensor<f32>
  %18 = train.broadcast_in_dim %17 {dims = array<i64>} : (tensor<f32>) -> tensor<4x32x64xf32>
  %19 = train.broadcast_in_dim %arg2 {dims = array<i64>} : (tensor<ui32>) -> tensor<4x32x64xui32>
  %20 = train.broadcast_in_dim %arg3 {dims = array<i64>} : (tensor<ui32>) -> tensor<4x32x64xui32>
  %21 = train.shift_left %arg4, %9 : (tensor<4x32x64xui32>, tensor<4x32x64xui32>) -> tensor<4x32x64xui32>
  %22 = train.shift_right_logical %arg4, %8 : (tensor<4x32x64xui32>, tensor<4x32x64xui32>) -> tensor<4x32x64xui32>
  %23 = train.or %21, %22 : (tensor<4x32x64xui32>, tensor<4x32x64xui32>) -> tensor<4x32x64xui32>
  %24 = train.xor %arg5, %23 : (tensor<4x32x64xui32>, tensor<4x32x64xui32>) -> tensor<4x32x64xui32>
  %25 = train.add %arg5, %20 : (tensor<4x32x64xui32>, tensor<4x32x64xui32>) -> tensor<4x32x64xui32>
  %26 = train.add %24, %19 : (tensor<4x32x64xui32>, tensor<4x32x64xui32>) -> tensor<4x32x64xui32>
  %27 = train.add %26, %10 : (tensor<4x32x64xui32>, tensor<4x32x64xui32>) -> tensor<4x32x64xui32>
  %28 = train.xor %25, %27 : (tensor<4x32x64xui32>, tensor<4x32x64xui32>) -> tensor<4x32x64xui32>
  %29 = train.shift_right_logical %28, %12 : (tensor<4x32x64xui32>, tensor<4x32x64xui32>) -> tensor<4x32x64xui32>
  %30 = train.or %29, %14 : (tensor<4x32x64xui32>, tensor<4x32x64xui32>) -> tensor<4x32x64xui32>
  %31 = train.bitcast_convert %30 : (tensor<4x32x64xui32>) -> tensor<4x32x64xf32>
  %32 = train.subtract %31, %15 : (tensor<4x32x64xf32>, tensor<4x32x64xf32>) -> tensor<4x32x64xf32>
  %33 = train.add %32, %16 : (tensor<4x32x64xf32>, tensor<4x32x64xf32>) -> tensor<4x32x64xf32>
  %34 = train.maximum %16, %33 : (tensor<4x32x64xf32>, tensor<4x32x64xf32>) -> tensor<4x32x64xf32>
  %35 = train.compare %34, %18 {direction = #train<compare_direction LT>} : (tensor<4x32x64xf32>, tensor<4x32x64xf32>) -> tensor<4x32x64xi1>
  %36 = train.select %35, %3, %4 : (tensor<4x32x64xi1>, tensor<4x32x64xf32>, tensor<4x32x64xf32>) -> tensor<4x32x64xf32>
  %37 = train.divide %36, %18 : (tensor<4x32x64xf32>, tensor<4x32x64xf32>) -> tensor<4x32x64xf32>
  %38 = train.reduce %37 {dims = array<i64: 0, 1>, kind = #train<reduce_kind add>} : (tensor<4x32x64xf32>) -> tensor<64xf32>
  return %37, %38 : tensor<4x32x64xf32>, tensor<64xf32>
}
func.func @attention_block_8c7596057f0873ea(%arg0: tensor<4x4x1x16xf32>, %arg1: tensor<4x4x1x16xf32>, %arg2: tensor<4x4x1x16xf32>, %arg3: tensor<i32>, %arg4: tensor<4x4x1xf32>, %arg5: tensor<4x4x1xf32>, %arg6: tensor<4x4x1x16xf32>) -> (tensor<4x4x1xf32>, tensor<4x4x1xf32>, tensor<4x4x1x16xf32>) {
  %new_largest, %new_total, %new_sums = train.attention_block %arg0, %arg1, %arg2, %arg3, %arg4, %arg5, %arg6 {all_keys = 8 : i64, fill = 0xFFF0000000000000 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 1, 1, 1, 1>, scale = 2.500000e-01 : f64} : (tensor<4x4x1x16xf32>, tensor<4x4x1x16xf32>, tensor<4x4x1x16xf32>, tensor<i32>, tensor<4x4x1xf32>, tensor<4x4x1xf32>, tensor<4x4x1x16xf32>) -> (tensor<4x4x1xf32>, tensor<4x4x1xf32>, tensor<4x4x1x16xf32>)
  return %new_largest, %new_total, %new_sums : tensor<4x4x1xf32>, tensor<4x4x1xf32>, tensor<4x4x1x16xf32>
}
func.func @attention_block_gradient_8bf78972c2d50f30(%arg0: tensor<4x4x1x16xf32>, %arg1: tensor<4x4x1x16xf32>, %arg2: tensor<4x4x1x16xf32>, %arg3: tensor<i32>, %arg4: tensor<4x4x1xf32>, %arg5: tensor<4x4x1xf32>, %arg6: tensor<4x4x1x16xf32>, %arg7: tensor<4x4x1x16xf32>, %arg8: tensor<4x4x1x16xf32>, %arg9: tensor<4x4x1x16xf32>) -> (tensor<4x4x1x16xf32>, tensor<4x4x1x16xf32>, tensor<4x4x1x16xf32>) {
  %query_gradient, %key_gradient, %value_gradient = train.attention_block_gradient %arg0, %arg1, %arg2, %arg3, %arg4, %arg5, %arg6, %arg7, %arg8, %arg9 {all_keys = 8 : i64, fill = 0xFFF0000000000000 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1>, scale = 2.500000e-01 : f64} : (tensor<4x4x1x16xf32>, tensor<4x4x1x16xf32>, tensor<4x4x1x16xf32>, tensor<i32>, tensor<4x4x1xf32>, tensor<4x4x1xf32>, tensor<4x4x1x16xf32>, tensor<4x4x1x16xf32>, tensor<4x4x1x16xf32>, tensor<4x4x1x16xf32>) -> (tensor<4x4x1x16xf32>, tensor<4x4x1x16xf32>, tensor<4x4x1x16xf32>)
  return %query_gradient, %key_gradient, %value_gradient : tensor<4x4x1x16xf32>, tensor<4x4x1x16xf32>, tensor<4x4x1x16xf32>
}
func.func @dot_general_8b157c70d8f96e22(%arg0: tensor<1xi32>, %arg1: tensor<8x8x1x16xf32>, %arg2: tensor<6x16xf32>) -> tensor<8x8x16xf32> {
  %0 = train.constant dense<0> : tensor<i32>
  %1 = train.constant dense<6> : tensor<i32>
  %2 = train.slice %arg0 {limit = array<i64: 1>, start = array<i64: 0>, stride = array<i64: 1>} : (tensor<1xi32>) -> tensor<1xi32>
  %3 = train.reshape %2 : (tensor<1xi32>) -> tensor<i32>
  %4 = train.multiply %3, %1 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %5 = train.constant dense<0.000000e+00> : tensor<f32>
  %6 = train.pad %arg1, %5 {high = array<i64: 0, 0, 0, 2>, interior = array<i64: 0, 0, 0, 0>, low = array<i64: 0, 0, 0, 0>} : (tensor<8x8x1x16xf32>, tensor<f32>) -> tensor<8x8x1x18xf32>
  %7 = train.dynamic_slice %6, %0, %0, %0, %4 {sizes = array<i64: 8, 8, 1, 6>} : (tensor<8x8x1x18xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<8x8x1x6xf32>
  %8 = train.reshape %7 : (tensor<8x8x1x6xf32>) -> tensor<8x8x6xf32>
  %9 = train.constant dense<0.000000e+00> : tensor<8x8x6xf32>
  %10 = train.iota %4 {dim = 0 : i64} : (tensor<i32>) -> tensor<6xi32>
  %11 = train.constant dense<16> : tensor<6xi32>
  %12 = train.compare %10, %11 {direction = #train<compare_direction LT>} : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
  %13 = train.broadcast_in_dim %12 {dims = array<i64: 2>} : (tensor<6xi1>) -> tensor<8x8x6xi1>
  %14 = train.select %13, %8, %9 : (tensor<8x8x6xi1>, tensor<8x8x6xf32>, tensor<8x8x6xf32>) -> tensor<8x8x6xf32>
  %15 = train.constant dense<0.000000e+00> : tensor<6x16xf32>
  %16 = train.iota %4 {dim = 0 : i64} : (tensor<i32>) -> tensor<6xi32>
  %17 = train.constant dense<16> : tensor<6xi32>
  %18 = train.compare %16, %17 {direction = #train<compare_direction LT>} : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
  %19 = train.broadcast_in_dim %18 {dims = array<i64: 0>} : (tensor<6xi1>) -> tensor<6x16xi1>
  %20 = train.select %19, %arg2, %15 : (tensor<6x16xi1>, tensor<6x16xf32>, tensor<6x16xf32>) -> tensor<6x16xf32>
  %21 = train.dot_general %14, %20 {lhs_batching = array<i64>, lhs_contracting = array<i64: 2>, rhs_batching = array<i64>, rhs_contracting = array<i64: 0>} : (tensor<8x8x6xf32>, tensor<6x16xf32>) -> tensor<8x8x16xf32>
  return %21 : tensor<8x8x16xf32>
}
func.func @convolution_990484be0d745f79(%arg0: tensor<8x2x2x16xf32>, %arg1: tensor<8x4x4x8xf32>, %arg2: tensor<3x3x24x8xf32>) -> tensor<8x4x4x8xf32> {
  %0 = train.broadcast_in_dim %arg0 {dims = array<i64: 0, 1, 3, 4>} : (tensor<8x2x2x16xf32>) -> tensor<8x2x2x2x16xf32>
  %1 = train.reshape %0 : (tensor<8x2x2x2x16xf32>) -> tensor<8x4x2x16xf32>
  %2 = train.broadcast_in_dim %1 {dims = array<i64: 0, 1, 2, 4>} : (tensor<8x4x2x16xf32>) -> tensor<8x4x2x2x16xf32>
  %3 = train.reshape %2 : (tensor<8x4x2x2x16xf32>) -> tensor<8x4x4x16xf32>
  %4 = train.concatenate %3, %arg1 {dim = 3 : i64} : (tensor<8x4x4x16xf32>, tensor<8x4x4x8xf32>) -> tensor<8x4x4x24xf32>
  %5 = train.convolution %4, %arg2 {input_dims = array<i64: 0, 3, 1, 2>, kernel_dims = array<i64: 2, 3, 0, 1>, lhs_dilation = array<i64: 1, 1>, output_dims = array<i64: 0, 3, 1, 2>, pad_high = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, reversal = array<i1: false, false>, rhs_dilation = array<i64: 1, 1>, strides = array<i64: 1, 1>} : (tensor<8x4x4x24xf32>, tensor<3x3x24x8xf32>) -> tensor<8x4x4x8xf32>
  %6 = train.tanh %5 : (tensor<8x4x4x8xf32>) -> tensor<8x4x4x8xf32>
  return %6 : tensor<8x4x4x8xf32>
}
func.func @convolution_fd129a64b9af95a2(%arg0: tensor<8x2x2x16xf32>, %arg1: tensor<3x3x8x16xf32>) -> tensor<8x2x2x8xf32> {
  %0 = train.convolution %arg0, %arg1 {input_dims = array<i64: 0, 3, 1, 2>, kernel_dims = array<i64: 3, 2, 0, 1>, lhs_dilation = array<i64: 1, 1>, output_dims = array<i64: 0, 3, 1, 2>, pad_high = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, reversal = array<i1: true, true>, rhs_dilation = array<i64: 1, 1>, strides = array<i64: 1, 1>} : (tensor<8x2x2x16xf32>, tensor<3x3x8x16xf32>) -> tensor<8x2x2x8xf32>
  %1 = train.constant dense<4.000000e+00> : tensor<f32>
  %2 = train.broadcast_in_dim %1 {dims = array<i64>} : (tensor<f32>) -> tensor<8x2x2x8xf32>
  %3 = train.divide %0, %2 : (tensor<8x2x2x8xf32>, tensor<8x2x2x8xf32>) -> tensor<8x2x2x8xf32>
  return %3 : tensor<8x2x2x8xf32>
}
func.func @adamw_8a270e0d8b635816(%arg0: tensor<11xf32>, %arg1: tensor<16xf32>, %arg2: tensor<1x1x1x1xf32>, %arg3: tensor<1x1x1x1xf32>, %arg4: tensor<1x1x1x1xf32>, %arg5: tensor<1x1x1x1xf32>) -> (tensor<f32>, tensor<i1>, tensor<f32>, tensor<1x1x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1x1x1x1xbf16>) {
  %0 = train.reduce %arg0 {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<11xf32>) -> tensor<f32>
  %1 = train.sqrt %0 : (tensor<f32>) -> tensor<f32>
  %2 = train.is_finite %0 : (tensor<f32>) -> tensor<i1>
  %3 = train.constant dense<9.99999997E-7> : tensor<f32>
  %4 = train.add %1, %3 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %5 = train.constant dense<1.000000e+00> : tensor<f32>
  %6 = train.slice %arg1 {limit = array<i64: 7>, start = array<i64: 6>, stride = array<i64: 1>} : (tensor<16xf32>) -> tensor<1xf32>
  %7 = train.reshape %6 : (tensor<1xf32>) -> tensor<f32>
  %8 = train.divide %7, %4 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %9 = train.minimum %5, %8 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %new_parameter, %more:3 = train.update %arg2, %arg3, %arg4, %arg5, %arg1, %9, %2 {decay = true, optimizer = "adamw"} : (tensor<1x1x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1x1x1x1xf32>, tensor<16xf32>, tensor<f32>, tensor<i1>) -> (tensor<1x1x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1x1x1x1xbf16>)
  return %1, %2, %9, %new_parameter, %more#0, %more#1, %more#2 : tensor<f32>, tensor<i1>, tensor<f32>, tensor<1x1x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1x1x1x1xbf16>
}
func.func @convolution_374462f003512e1e(%arg0: tensor<2x8x8x1xf32>, %arg1: tensor<3x3x1x4xf16>) -> tensor<2x8x8x4xf16> {
  %0 = train.convert %arg0 : (tensor<2x8x8x1xf32>) -> tensor<2x8x8x1xf16>
  %1 = train.convolution %0, %arg1 {input_dims = array<i64: 0, 3, 1, 2>, kernel_dims = array<i64: 2, 3, 0, 1>, lhs_dilation = array<i64: 1, 1>, output_dims = array<i64: 0, 3, 1, 2>, pad_high = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, reversal = array<i1: false, false>, rhs_dilation = array<i64: 1, 1>, strides = array<i64: 1, 1>} : (tensor<2x8x8x1xf16>, tensor<3x3x1x4xf16>) -> tensor<2x8x8x4xf32>
  %2 = train.convert %1 : (tensor<2x8x8x4xf32>) -> tensor<2x8x8x4xf16>
  %3 = train.convert %2 : (tensor<2x8x8x4xf16>) -> tensor<2x8x8x4xf32>
  %4 = train.tanh %3 : (tensor<2x8x8x4xf32>) -> tensor<2x8x8x4xf32>
  %5 = train.convert %4 : (tensor<2x8x8x4xf32>) -> tensor<2x8x8x4xf16>
  return %5 : tensor<2x8x8x4xf16>
}
func.func @convolution_472d68626b717579(%arg0: tensor<2x2x2x16xf16>, %arg1: tensor<2x4x4x8xf16>, %arg2: tensor<3x3x24x8xf16>) -> tensor<2x4x4x8xf16> {
  %0 = train.broadcast_in_dim %arg0 {dims = array<i64: 0, 1, 3, 4>} : (tensor<2x2x2x16xf16>) -> tensor<2x2x2x2x16xf16>
  %1 = train.reshape %0 : (tensor<2x2x2x2x16xf16>) -> tensor<2x4x2x16xf16>
  %2 = train.broadcast_in_dim %1 {dims = array<i64: 0, 1, 2, 4>} : (tensor<2x4x2x16xf16>) -> tensor<2x4x2x2x16xf16>
  %3 = train.reshape %2 : (tensor<2x4x2x2x16xf16>) -> tensor<2x4x4x16xf16>
  %4 = train.concatenate %3, %arg1 {dim = 3 : i64} : (tensor<2x4x4x16xf16>, tensor<2x4x4x8xf16>) -> tensor<2x4x4x24xf16>
  %5 = train.convolution %4, %arg2 {input_dims = array<i64: 0, 3, 1, 2>, kernel_dims = array<i64: 2, 3, 0, 1>, lhs_dilation = array<i64: 1, 1>, output_dims = array<i64: 0, 3, 1, 2>, pad_high = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, reversal = array<i1: false, false>, rhs_dilation = array<i64: 1, 1>, strides = array<i64: 1, 1>} : (tensor<2x4x4x24xf16>, tensor<3x3x24x8xf16>) -> tensor<2x4x4x8xf32>
  %6 = train.convert %5 : (tensor<2x4x4x8xf32>) -> tensor<2x4x4x8xf16>
  %7 = train.convert %6 : (tensor<2x4x4x8xf16>) -> tensor<2x4x4x8xf32>
  %8 = train.tanh %7 : (tensor<2x4x4x8xf32>) -> tensor<2x4x4x8xf32>
  %9 = train.convert %8 : (tensor<2x4x4x8xf32>) -> tensor<2x4x4x8xf16>
  return %9 : tensor<2x4x4x8xf16>
}
func.func @convolution_9e2c7d44e21b8cf0(%arg0: tensor<1x2x2x16xbf16>, %arg1: tensor<1x4x4x8xbf16>, %arg2: tensor<3x3x24x8xbf16>) -> tensor<1x4x4x8xbf16> {
  %0 = train.broadcast_in_dim %arg0 {dims = array<i64: 0, 1, 3, 4>} : (tensor<1x2x2x16xbf16>) -> tensor<1x2x2x2x16xbf16>
  %1 = train.reshape %0 : (tensor<1x2x2x2x16xbf16>) -> tensor<1x4x2x16xbf16>
  %2 = train.broadcast_in_dim %1 {dims = array<i64: 0, 1, 2, 4>} : (tensor<1x4x2x16xbf16>) -> tensor<1x4x2x2x16xbf16>
  %3 = train.reshape %2 : (tensor<1x4x2x2x16xbf16>) -> tensor<1x4x4x16xbf16>
  %4 = train.concatenate %3, %arg1 {dim = 3 : i64} : (tensor<1x4x4x16xbf16>, tensor<1x4x4x8xbf16>) -> tensor<1x4x4x24xbf16>
  %5 = train.convolution %4, %arg2 {input_dims = array<i64: 0, 3, 1, 2>, kernel_dims = array<i64: 2, 3, 0, 1>, lhs_dilation = array<i64: 1, 1>, output_dims = array<i64: 0, 3, 1, 2>, pad_high = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, reversal = array<i1: false, false>, rhs_dilation = array<i64: 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x4x4x24xbf16>, tensor<3x3x24x8xbf16>) -> tensor<1x4x4x8xf32>
  %6 = train.convert %5 : (tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xbf16>
  %7 = train.convert %6 : (tensor<1x4x4x8xbf16>) -> tensor<1x4x4x8xf32>
  %8 = train.tanh %7 : (tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32>
  %9 = train.convert %8 : (tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xbf16>
  return %9 : tensor<1x4x4x8xbf16>
}
func.func @compare_6da2ebea27fd8dcd() -> (tensor<1x12xi64>, tensor<1x1x12x1xi1>) {
  %0 = train.constant dense<0> : tensor<i64>
  %1 = train.broadcast_in_dim %0 {dims = array<i64>} : (tensor<i64>) -> tensor<1x512xi64>
  %2 = train.constant dense<[[[0], [1], [2], [3], [4], [5], [6], [7], [8], [9], [10], [11]]]> : tensor<1x12x1xi64>
  %3 = train.gather %1, %2 {collapsed_slice_dims = array<i64: 1>, index_vector_dim = 2 : i64, indices_batching_dims = array<i64: 0>, offset_dims = array<i64>, operand_batching_dims = array<i64: 0>, slice_sizes = array<i64: 1, 1>, start_index_map = array<i64: 1>} : (tensor<1x512xi64>, tensor<1x12x1xi64>) -> tensor<1x12xi64>
  %4 = train.iota  {dim = 0 : i64} : () -> tensor<12xi64>
  %5 = train.reshape %4 : (tensor<12xi64>) -> tensor<1x1x12x1xi64>
  %6 = train.broadcast_in_dim %0 {dims = array<i64>} : (tensor<i64>) -> tensor<1x1x12x1xi64>
  %7 = train.compare %5, %6 {direction = #train<compare_direction GE>} : (tensor<1x1x12x1xi64>, tensor<1x1x12x1xi64>) -> tensor<1x1x12x1xi1>
  return %3, %7 : tensor<1x12xi64>, tensor<1x1x12x1xi1>
}
func.func @reduce_8ae8b081c9a00cc6(%arg0: tensor<12xi64>, %arg1: tensor<32x16xf32>, %arg2: tensor<8x12x1xi64>, %arg3: tensor<2x16xf32>, %arg4: tensor<512x16xf32>, %arg5: tensor<16xf32>, %arg6: tensor<16xf32>) -> (tensor<8x12x16xf32>, tensor<8x12x1xf32>, tensor<8x12x16xf32>) {
  %0 = train.constant dense<[[[0], [1], [2], [3], [4], [5], [6], [7], [8], [9], [10], [11]]]> : tensor<1x12x1xi64>
  %1 = train.broadcast_in_dim %arg0 {dims = array<i64: 1>} : (tensor<12xi64>) -> tensor<8x12xi64>
  %2 = train.gather %arg1, %arg2 {collapsed_slice_dims = array<i64: 0>, index_vector_dim = 2 : i64, indices_batching_dims = array<i64>, offset_dims = array<i64: 2>, operand_batching_dims = array<i64>, slice_sizes = array<i64: 1, 16>, start_index_map = array<i64: 0>} : (tensor<32x16xf32>, tensor<8x12x1xi64>) -> tensor<8x12x16xf32>
  %3 = train.reshape %1 : (tensor<8x12xi64>) -> tensor<8x12x1xi64>
  %4 = train.gather %arg3, %3 {collapsed_slice_dims = array<i64: 0>, index_vector_dim = 2 : i64, indices_batching_dims = array<i64>, offset_dims = array<i64: 2>, operand_batching_dims = array<i64>, slice_sizes = array<i64: 1, 16>, start_index_map = array<i64: 0>} : (tensor<2x16xf32>, tensor<8x12x1xi64>) -> tensor<8x12x16xf32>
  %5 = train.add %2, %4 : (tensor<8x12x16xf32>, tensor<8x12x16xf32>) -> tensor<8x12x16xf32>
  %6 = train.gather %arg4, %0 {collapsed_slice_dims = array<i64: 0>, index_vector_dim = 2 : i64, indices_batching_dims = array<i64>, offset_dims = array<i64: 2>, operand_batching_dims = array<i64>, slice_sizes = array<i64: 1, 16>, start_index_map = array<i64: 0>} : (tensor<512x16xf32>, tensor<1x12x1xi64>) -> tensor<1x12x16xf32>
  %7 = train.reshape %6 : (tensor<1x12x16xf32>) -> tensor<12x16xf32>
  %8 = train.broadcast_in_dim %7 {dims = array<i64: 1, 2>} : (tensor<12x16xf32>) -> tensor<8x12x16xf32>
  %9 = train.add %5, %8 : (tensor<8x12x16xf32>, tensor<8x12x16xf32>) -> tensor<8x12x16xf32>
  %10 = train.reduce %9 {dims = array<i64: 2>, kind = #train<reduce_kind add>} : (tensor<8x12x16xf32>) -> tensor<8x12xf32>
  %11 = train.reshape %10 : (tensor<8x12xf32>) -> tensor<8x12x1xf32>
  %12 = train.constant dense<1.600000e+01> : tensor<f32>
  %13 = train.broadcast_in_dim %12 {dims = array<i64>} : (tensor<f32>) -> tensor<8x12x1xf32>
  %14 = train.divide %11, %13 : (tensor<8x12x1xf32>, tensor<8x12x1xf32>) -> tensor<8x12x1xf32>
  %15 = train.reshape %14 : (tensor<8x12x1xf32>) -> tensor<8x12xf32>
  %16 = train.broadcast_in_dim %15 {dims = array<i64: 0, 1>} : (tensor<8x12xf32>) -> tensor<8x12x16xf32>
  %17 = train.subtract %9, %16 : (tensor<8x12x16xf32>, tensor<8x12x16xf32>) -> tensor<8x12x16xf32>
  %18 = train.multiply %17, %17 : (tensor<8x12x16xf32>, tensor<8x12x16xf32>) -> tensor<8x12x16xf32>
  %19 = train.reduce %18 {dims = array<i64: 2>, kind = #train<reduce_kind add>} : (tensor<8x12x16xf32>) -> tensor<8x12xf32>
  %20 = train.reshape %19 : (tensor<8x12xf32>) -> tensor<8x12x1xf32>
  %21 = train.divide %20, %13 : (tensor<8x12x1xf32>, tensor<8x12x1xf32>) -> tensor<8x12x1xf32>
  %22 = train.constant dense<9.99999996E-13> : tensor<f32>
  %23 = train.broadcast_in_dim %22 {dims = array<i64>} : (tensor<f32>) -> tensor<8x12x1xf32>
  %24 = train.add %21, %23 : (tensor<8x12x1xf32>, tensor<8x12x1xf32>) -> tensor<8x12x1xf32>
  %25 = train.rsqrt %24 : (tensor<8x12x1xf32>) -> tensor<8x12x1xf32>
  %26 = train.reshape %25 : (tensor<8x12x1xf32>) -> tensor<8x12xf32>
  %27 = train.broadcast_in_dim %26 {dims = array<i64: 0, 1>} : (tensor<8x12xf32>) -> tensor<8x12x16xf32>
  %28 = train.multiply %17, %27 : (tensor<8x12x16xf32>, tensor<8x12x16xf32>) -> tensor<8x12x16xf32>
  %29 = train.broadcast_in_dim %arg5 {dims = array<i64: 2>} : (tensor<16xf32>) -> tensor<8x12x16xf32>
  %30 = train.multiply %28, %29 : (tensor<8x12x16xf32>, tensor<8x12x16xf32>) -> tensor<8x12x16xf32>
  %31 = train.broadcast_in_dim %arg6 {dims = array<i64: 2>} : (tensor<16xf32>) -> tensor<8x12x16xf32>
  %32 = train.add %30, %31 : (tensor<8x12x16xf32>, tensor<8x12x16xf32>) -> tensor<8x12x16xf32>
  return %17, %25, %32 : tensor<8x12x16xf32>, tensor<8x12x1xf32>, tensor<8x12x16xf32>
}
func.func @dot_general_3122b0b08e1be88e(%arg0: tensor<8x12x16xf32>, %arg1: tensor<32x16xf32>, %arg2: tensor<32xf32>) -> (tensor<8x12x32xf32>, tensor<8x12x32xf32>, tensor<8x12x32xf32>) {
  %0 = train.dot_general %arg0, %arg1 {lhs_batching = array<i64>, lhs_contracting = array<i64: 2>, rhs_batching = array<i64>, rhs_contracting = array<i64: 1>} : (tensor<8x12x16xf32>, tensor<32x16xf32>) -> tensor<8x12x32xf32>
  %1 = train.broadcast_in_dim %arg2 {dims = array<i64: 2>} : (tensor<32xf32>) -> tensor<8x12x32xf32>
  %2 = train.add %0, %1 : (tensor<8x12x32xf32>, tensor<8x12x32xf32>) -> tensor<8x12x32xf32>
  %3 = train.constant dense<5.000000e-01> : tensor<f32>
  %4 = train.broadcast_in_dim %3 {dims = array<i64>} : (tensor<f32>) -> tensor<8x12x32xf32>
  %5 = train.constant dense<1.000000e+00> : tensor<f32>
  %6 = train.broadcast_in_dim %5 {dims = array<i64>} : (tensor<f32>) -> tensor<8x12x32xf32>
  %7 = train.constant dense<0.707106769> : tensor<f32>
  %8 = train.broadcast_in_dim %7 {dims = array<i64>} : (tensor<f32>) -> tensor<8x12x32xf32>
  %9 = train.multiply %2, %8 : (tensor<8x12x32xf32>, tensor<8x12x32xf32>) -> tensor<8x12x32xf32>
  %10 = train.erf %9 : (tensor<8x12x32xf32>) -> tensor<8x12x32xf32>
  %11 = train.multiply %2, %4 : (tensor<8x12x32xf32>, tensor<8x12x32xf32>) -> tensor<8x12x32xf32>
  %12 = train.add %10, %6 : (tensor<8x12x32xf32>, tensor<8x12x32xf32>) -> tensor<8x12x32xf32>
  %13 = train.multiply %11, %12 : (tensor<8x12x32xf32>, tensor<8x12x32xf32>) -> tensor<8x12x32xf32>
  return %2, %12, %13 : tensor<8x12x32xf32>, tensor<8x12x32xf32>, tensor<8x12x32xf32>
}
func.func @reduce_1a5e1e30658aa9e0(%arg0: tensor<96x32xf32>, %arg1: tensor<96xi64>) -> (tensor<96x32xf32>, tensor<96xf32>, tensor<96xf32>) {
  %0 = train.constant dense<0> : tensor<i64>
  %1 = train.reduce %arg0 {dims = array<i64: 1>, kind = #train<reduce_kind maximum>} : (tensor<96x32xf32>) -> tensor<96xf32>
  %2 = train.broadcast_in_dim %1 {dims = array<i64: 0>} : (tensor<96xf32>) -> tensor<96x32xf32>
  %3 = train.subtract %arg0, %2 : (tensor<96x32xf32>, tensor<96x32xf32>) -> tensor<96x32xf32>
  %4 = train.exponential %3 : (tensor<96x32xf32>) -> tensor<96x32xf32>
  %5 = train.reduce %4 {dims = array<i64: 1>, kind = #train<reduce_kind add>} : (tensor<96x32xf32>) -> tensor<96xf32>
  %6 = train.reshape %5 : (tensor<96xf32>) -> tensor<96x1xf32>
  %7 = train.log %6 : (tensor<96x1xf32>) -> tensor<96x1xf32>
  %8 = train.reshape %7 : (tensor<96x1xf32>) -> tensor<96xf32>
  %9 = train.broadcast_in_dim %8 {dims = array<i64: 0>} : (tensor<96xf32>) -> tensor<96x32xf32>
  %10 = train.subtract %3, %9 : (tensor<96x32xf32>, tensor<96x32xf32>) -> tensor<96x32xf32>
  %11 = train.constant dense<-100> : tensor<i64>
  %12 = train.broadcast_in_dim %11 {dims = array<i64>} : (tensor<i64>) -> tensor<96xi64>
  %13 = train.compare %arg1, %12 {direction = #train<compare_direction NE>} : (tensor<96xi64>, tensor<96xi64>) -> tensor<96xi1>
  %14 = train.broadcast_in_dim %0 {dims = array<i64>} : (tensor<i64>) -> tensor<96xi64>
  %15 = train.select %13, %arg1, %14 : (tensor<96xi1>, tensor<96xi64>, tensor<96xi64>) -> tensor<96xi64>
  %16 = train.constant dense<0.000000e+00> : tensor<f32>
  %17 = train.broadcast_in_dim %16 {dims = array<i64>} : (tensor<f32>) -> tensor<96xf32>
  %18 = train.reshape %15 : (tensor<96xi64>) -> tensor<96x1xi64>
  %19 = train.gather %10, %18 {collapsed_slice_dims = array<i64: 1>, index_vector_dim = 1 : i64, indices_batching_dims = array<i64: 0>, offset_dims = array<i64>, operand_batching_dims = array<i64: 0>, slice_sizes = array<i64: 1, 1>, start_index_map = array<i64: 1>} : (tensor<96x32xf32>, tensor<96x1xi64>) -> tensor<96xf32>
  %20 = train.negate %19 : (tensor<96xf32>) -> tensor<96xf32>
  %21 = train.select %13, %20, %17 : (tensor<96xi1>, tensor<96xf32>, tensor<96xf32>) -> tensor<96xf32>
  return %4, %5, %21 : tensor<96x32xf32>, tensor<96xf32>, tensor<96xf32>
}
func.func @scatter_aaca681043c3737a(%arg0: tensor<96x1xi64>, %arg1: tensor<96xf32>) -> tensor<96x32xf32> {
  %0 = train.constant dense<0.000000e+00> : tensor<96x32xf32>
  %1 = train.scatter %0, %arg0, %arg1 {clamp_starts = true, index_vector_dim = 1 : i64, indices_batching_dims = array<i64: 0>, inserted_window_dims = array<i64: 1>, kind = #train<reduce_kind add>, operand_batching_dims = array<i64: 0>, operand_dims_map = array<i64: 1>, update_window_dims = array<i64>} : (tensor<96x32xf32>, tensor<96x1xi64>, tensor<96xf32>) -> tensor<96x32xf32>
  return %1 : tensor<96x32xf32>
}
func.func @multiply_d1b22360df55ceec(%arg0: tensor<2xi32>) -> (tensor<1x6x1xi64>, tensor<1x6xi64>) {
  %0 = train.constant dense<0> : tensor<i32>
  %1 = train.constant dense<6> : tensor<i32>
  %2 = train.slice %arg0 {limit = array<i64: 2>, start = array<i64: 1>, stride = array<i64: 1>} : (tensor<2xi32>) -> tensor<1xi32>
  %3 = train.reshape %2 : (tensor<1xi32>) -> tensor<i32>
  %4 = train.multiply %3, %1 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %5 = train.constant dense<0> : tensor<i64>
  %6 = train.broadcast_in_dim %5 {dims = array<i64>} : (tensor<i64>) -> tensor<1x512xi64>
  %7 = train.constant dense<[[[0], [1], [2], [3], [4], [5], [6], [7], [8], [9], [10], [11]]]> : tensor<1x12x1xi64>
  %8 = train.dynamic_slice %7, %0, %4, %0 {sizes = array<i64: 1, 6, 1>} : (tensor<1x12x1xi64>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x6x1xi64>
  %9 = train.gather %6, %8 {collapsed_slice_dims = array<i64: 1>, index_vector_dim = 2 : i64, indices_batching_dims = array<i64: 0>, offset_dims = array<i64>, operand_batching_dims = array<i64: 0>, slice_sizes = array<i64: 1, 1>, start_index_map = array<i64: 1>} : (tensor<1x512xi64>, tensor<1x6x1xi64>) -> tensor<1x6xi64>
  return %8, %9 : tensor<1x6x1xi64>, tensor<1x6xi64>
}
func.func @reduce_1f85cfe30795e1c1(%arg0: tensor<2xi32>, %arg1: tensor<4x12x1xi64>) -> (tensor<4x12x1xi32>, tensor<4x12xi1>) {
  %0 = train.constant dense<16> : tensor<i32>
  %1 = train.slice %arg0 {limit = array<i64: 2>, start = array<i64: 1>, stride = array<i64: 1>} : (tensor<2xi32>) -> tensor<1xi32>
  %2 = train.reshape %1 : (tensor<1xi32>) -> tensor<i32>
  %3 = train.multiply %2, %0 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %4 = train.convert %arg1 : (tensor<4x12x1xi64>) -> tensor<4x12x1xi32>
  %5 = train.reshape %3 : (tensor<i32>) -> tensor<1xi32>
  %6 = train.constant dense<31> : tensor<1xi32>
  %7 = train.constant dense<16> : tensor<1xi32>
  %8 = train.constant dense<0> : tensor<4x12x1xi32>
  %9 = train.broadcast_in_dim %6 {dims = array<i64: 2>} : (tensor<1xi32>) -> tensor<4x12x1xi32>
  %10 = train.clamp %8, %4, %9 : (tensor<4x12x1xi32>, tensor<4x12x1xi32>, tensor<4x12x1xi32>) -> tensor<4x12x1xi32>
  %11 = train.broadcast_in_dim %5 {dims = array<i64: 2>} : (tensor<1xi32>) -> tensor<4x12x1xi32>
  %12 = train.subtract %10, %11 : (tensor<4x12x1xi32>, tensor<4x12x1xi32>) -> tensor<4x12x1xi32>
  %13 = train.compare %12, %8 {direction = #train<compare_direction GE>} : (tensor<4x12x1xi32>, tensor<4x12x1xi32>) -> tensor<4x12x1xi1>
  %14 = train.broadcast_in_dim %7 {dims = array<i64: 2>} : (tensor<1xi32>) -> tensor<4x12x1xi32>
  %15 = train.compare %12, %14 {direction = #train<compare_direction LT>} : (tensor<4x12x1xi32>, tensor<4x12x1xi32>) -> tensor<4x12x1xi1>
  %16 = train.and %13, %15 : (tensor<4x12x1xi1>, tensor<4x12x1xi1>) -> tensor<4x12x1xi1>
  %17 = train.reduce %16 {dims = array<i64: 2>, kind = #train<reduce_kind logical_and>} : (tensor<4x12x1xi1>) -> tensor<4x12xi1>
  return %12, %17 : tensor<4x12x1xi32>, tensor<4x12xi1>
}
func.func @reduce_733f161d498fcc40(%arg0: tensor<2xi32>, %arg1: tensor<1x12x1xi64>) -> (tensor<1x12x1xi32>, tensor<1x12xi1>, tensor<1x1x12x1xi1>) {
  %0 = train.constant dense<256> : tensor<i32>
  %1 = train.slice %arg0 {limit = array<i64: 2>, start = array<i64: 1>, stride = array<i64: 1>} : (tensor<2xi32>) -> tensor<1xi32>
  %2 = train.reshape %1 : (tensor<1xi32>) -> tensor<i32>
  %3 = train.multiply %2, %0 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %4 = train.constant dense<0> : tensor<i64>
  %5 = train.convert %arg1 : (tensor<1x12x1xi64>) -> tensor<1x12x1xi32>
  %6 = train.reshape %3 : (tensor<i32>) -> tensor<1xi32>
  %7 = train.constant dense<511> : tensor<1xi32>
  %8 = train.constant dense<256> : tensor<1xi32>
  %9 = train.constant dense<0> : tensor<1x12x1xi32>
  %10 = train.broadcast_in_dim %7 {dims = array<i64: 2>} : (tensor<1xi32>) -> tensor<1x12x1xi32>
  %11 = train.clamp %9, %5, %10 : (tensor<1x12x1xi32>, tensor<1x12x1xi32>, tensor<1x12x1xi32>) -> tensor<1x12x1xi32>
  %12 = train.broadcast_in_dim %6 {dims = array<i64: 2>} : (tensor<1xi32>) -> tensor<1x12x1xi32>
  %13 = train.subtract %11, %12 : (tensor<1x12x1xi32>, tensor<1x12x1xi32>) -> tensor<1x12x1xi32>
  %14 = train.compare %13, %9 {direction = #train<compare_direction GE>} : (tensor<1x12x1xi32>, tensor<1x12x1xi32>) -> tensor<1x12x1xi1>
  %15 = train.broadcast_in_dim %8 {dims = array<i64: 2>} : (tensor<1xi32>) -> tensor<1x12x1xi32>
  %16 = train.compare %13, %15 {direction = #train<compare_direction LT>} : (tensor<1x12x1xi32>, tensor<1x12x1xi32>) -> tensor<1x12x1xi1>
  %17 = train.and %14, %16 : (tensor<1x12x1xi1>, tensor<1x12x1xi1>) -> tensor<1x12x1xi1>
  %18 = train.reduce %17 {dims = array<i64: 2>, kind = #train<reduce_kind logical_and>} : (tensor<1x12x1xi1>) -> tensor<1x12xi1>
  %19 = train.iota  {dim = 0 : i64} : () -> tensor<12xi64>
  %20 = train.reshape %19 : (tensor<12xi64>) -> tensor<1x1x12x1xi64>
  %21 = train.broadcast_in_dim %4 {dims = array<i64>} : (tensor<i64>) -> tensor<1x1x12x1xi64>
  %22 = train.compare %20, %21 {direction = #train<compare_direction GE>} : (tensor<1x1x12x1xi64>, tensor<1x1x12x1xi64>) -> tensor<1x1x12x1xi1>
  return %13, %18, %22 : tensor<1x12x1xi32>, tensor<1x12xi1>, tensor<1x1x12x1xi1>
}
func.func @gather_2b3196d3dd5c31c3(%arg0: tensor<512x16xf32>) -> tensor<1x12x16xf32> {
  %0 = train.constant dense<[[[0], [1], [2], [3], [4], [5], [6], [7], [8], [9], [10], [11]]]> : tensor<1x12x1xi64>
  %1 = train.gather %arg0, %0 {collapsed_slice_dims = array<i64: 0>, index_vector_dim = 2 : i64, indices_batching_dims = array<i64>, offset_dims = array<i64: 2>, operand_batching_dims = array<i64>, slice_sizes = array<i64: 1, 16>, start_index_map = array<i64: 0>} : (tensor<512x16xf32>, tensor<1x12x1xi64>) -> tensor<1x12x16xf32>
  return %1 : tensor<1x12x16xf32>
}
func.func @add_1d931483d7624054(%arg0: tensor<2xi32>, %arg1: tensor<32x16xf32>, %arg2: tensor<32x16xf32>) -> tensor<16x16xf16> {
  %0 = train.constant dense<16> : tensor<i32>
  %1 = train.slice %arg0 {limit = array<i64: 2>, start = array<i64: 1>, stride = array<i64: 1>} : (tensor<2xi32>) -> tensor<1xi32>
  %2 = train.reshape %1 : (tensor<1xi32>) -> tensor<i32>
  %3 = train.multiply %2, %0 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %4 = train.constant dense<0> : tensor<i32>
  %5 = train.constant dense<0.000000e+00> : tensor<32x16xf32>
  %6 = train.iota  {dim = 0 : i64} : () -> tensor<32x16xi32>
  %7 = train.constant dense<0> : tensor<i32>
  %8 = train.broadcast_in_dim %7 {dims = array<i64>} : (tensor<i32>) -> tensor<32x16xi32>
  %9 = train.compare %6, %8 {direction = #train<compare_direction EQ>} : (tensor<32x16xi32>, tensor<32x16xi32>) -> tensor<32x16xi1>
  %10 = train.select %9, %5, %arg1 : (tensor<32x16xi1>, tensor<32x16xf32>, tensor<32x16xf32>) -> tensor<32x16xf32>
  %11 = train.add %10, %arg2 : (tensor<32x16xf32>, tensor<32x16xf32>) -> tensor<32x16xf32>
  %12 = train.convert %11 : (tensor<32x16xf32>) -> tensor<32x16xf16>
  %13 = train.dynamic_slice %12, %3, %4 {sizes = array<i64: 16, 16>} : (tensor<32x16xf16>, tensor<i32>, tensor<i32>) -> tensor<16x16xf16>
  return %13 : tensor<16x16xf16>
}
func.func @reduce_69a81fac7f582f0f(%arg0: tensor<2xi32>, %arg1: tensor<32x16xf32>, %arg2: tensor<4x6x1xi64>, %arg3: tensor<2x16xf32>, %arg4: tensor<512x16xf32>, %arg5: tensor<16xf32>, %arg6: tensor<16xf32>) -> tensor<4x6x16xf32> {
  %0 = train.constant dense<0> : tensor<i32>
  %1 = train.constant dense<6> : tensor<i32>
  %2 = train.slice %arg0 {limit = array<i64: 2>, start = array<i64: 1>, stride = array<i64: 1>} : (tensor<2xi32>) -> tensor<1xi32>
  %3 = train.reshape %2 : (tensor<1xi32>) -> tensor<i32>
  %4 = train.multiply %3, %1 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %5 = train.constant dense<0> : tensor<i64>
  %6 = train.broadcast_in_dim %5 {dims = array<i64>} : (tensor<i64>) -> tensor<1x512xi64>
  %7 = train.constant dense<[[[0], [1], [2], [3], [4], [5], [6], [7], [8], [9], [10], [11]]]> : tensor<1x12x1xi64>
  %8 = train.dynamic_slice %7, %0, %4, %0 {sizes = array<i64: 1, 6, 1>} : (tensor<1x12x1xi64>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x6x1xi64>
  %9 = train.gather %6, %8 {collapsed_slice_dims = array<i64: 1>, index_vector_dim = 2 : i64, indices_batching_dims = array<i64: 0>, offset_dims = array<i64>, operand_batching_dims = array<i64: 0>, slice_sizes = array<i64: 1, 1>, start_index_map = array<i64: 1>} : (tensor<1x512xi64>, tensor<1x6x1xi64>) -> tensor<1x6xi64>
  %10 = train.reshape %9 : (tensor<1x6xi64>) -> tensor<6xi64>
  %11 = train.broadcast_in_dim %10 {dims = array<i64: 1>} : (tensor<6xi64>) -> tensor<4x6xi64>
  %12 = train.gather %arg1, %arg2 {collapsed_slice_dims = array<i64: 0>, index_vector_dim = 2 : i64, indices_batching_dims = array<i64>, offset_dims = array<i64: 2>, operand_batching_dims = array<i64>, slice_sizes = array<i64: 1, 16>, start_index_map = array<i64: 0>} : (tensor<32x16xf32>, tensor<4x6x1xi64>) -> tensor<4x6x16xf32>
  %13 = train.reshape %11 : (tensor<4x6xi64>) -> tensor<4x6x1xi64>
  %14 = train.gather %arg3, %13 {collapsed_slice_dims = array<i64: 0>, index_vector_dim = 2 : i64, indices_batching_dims = array<i64>, offset_dims = array<i64: 2>, operand_batching_dims = array<i64>, slice_sizes = array<i64: 1, 16>, start_index_map = array<i64: 0>} : (tensor<2x16xf32>, tensor<4x6x1xi64>) -> tensor<4x6x16xf32>
  %15 = train.add %12, %14 : (tensor<4x6x16xf32>, tensor<4x6x16xf32>) -> tensor<4x6x16xf32>
  %16 = train.gather %arg4, %8 {collapsed_slice_dims = array<i64: 0>, index_vector_dim = 2 : i64, indices_batching_dims = array<i64>, offset_dims = array<i64: 2>, operand_batching_dims = array<i64>, slice_sizes = array<i64: 1, 16>, start_index_map = array<i64: 0>} : (tensor<512x16xf32>, tensor<1x6x1xi64>) -> tensor<1x6x16xf32>
  %17 = train.reshape %16 : (tensor<1x6x16xf32>) -> tensor<6x16xf32>
  %18 = train.broadcast_in_dim %17 {dims = array<i64: 1, 2>} : (tensor<6x16xf32>) -> tensor<4x6x16xf32>
  %19 = train.add %15, %18 : (tensor<4x6x16xf32>, tensor<4x6x16xf32>) -> tensor<4x6x16xf32>
  %20 = train.reduce %19 {dims = array<i64: 2>, kind = #train<reduce_kind add>} : (tensor<4x6x16xf32>) -> tensor<4x6xf32>
  %21 = train.reshape %20 : (tensor<4x6xf32>) -> tensor<4x6x1xf32>
  %22 = train.constant dense<1.600000e+01> : tensor<f32>
  %23 = train.broadcast_in_dim %22 {dims = array<i64>} : (tensor<f32>) -> tensor<4x6x1xf32>
  %24 = train.divide %21, %23 : (tensor<4x6x1xf32>, tensor<4x6x1xf32>) -> tensor<4x6x1xf32>
  %25 = train.reshape %24 : (tensor<4x6x1xf32>) -> tensor<4x6xf32>
  %26 = train.broadcast_in_dim %25 {dims = array<i64: 0, 1>} : (tensor<4x6xf32>) -> tensor<4x6x16xf32>
  %27 = train.subtract %19, %26 : (tensor<4x6x16xf32>, tensor<4x6x16xf32>) -> tensor<4x6x16xf32>
  %28 = train.multiply %27, %27 : (tensor<4x6x16xf32>, tensor<4x6x16xf32>) -> tensor<4x6x16xf32>
  %29 = train.reduce %28 {dims = array<i64: 2>, kind = #train<reduce_kind add>} : (tensor<4x6x16xf32>) -> tensor<4x6xf32>
  %30 = train.reshape %29 : (tensor<4x6xf32>) -> tensor<4x6x1xf32>
  %31 = train.divide %30, %23 : (tensor<4x6x1xf32>, tensor<4x6x1xf32>) -> tensor<4x6x1xf32>
  %32 = train.constant dense<9.99999996E-13> : tensor<f32>
  %33 = train.broadcast_in_dim %32 {dims = array<i64>} : (tensor<f32>) -> tensor<4x6x1xf32>
  %34 = train.add %31, %33 : (tensor<4x6x1xf32>, tensor<4x6x1xf32>) -> tensor<4x6x1xf32>
  %35 = train.rsqrt %34 : (tensor<4x6x1xf32>) -> tensor<4x6x1xf32>
  %36 = train.reshape %35 : (tensor<4x6x1xf32>) -> tensor<4x6xf32>
  %37 = train.broadcast_in_dim %36 {dims = array<i64: 0, 1>} : (tensor<4x6xf32>) -> tensor<4x6x16xf32>
  %38 = train.multiply %27, %37 : (tensor<4x6x16xf32>, tensor<4x6x16xf32>) -> tensor<4x6x16xf32>
  %39 = train.broadcast_in_dim %arg5 {dims = array<i64: 2>} : (tensor<16xf32>) -> tensor<4x6x16xf32>
  %40 = train.multiply %38, %39 : (tensor<4x6x16xf32>, tensor<4x6x16xf32>) -> tensor<4x6x16xf32>
  %41 = train.broadcast_in_dim %arg6 {dims = array<i64: 2>} : (tensor<16xf32>) -> tensor<4x6x16xf32>
  %42 = train.add %40, %41 : (tensor<4x6x16xf32>, tensor<4x6x16xf32>) -> tensor<4x6x16xf32>
  return %42 : tensor<4x6x16xf32>
}
func.func @reduce_d3358e7f7dea9221(%arg0: tensor<2xi32>, %arg1: tensor<4x12x32xf32>) -> tensor<32xf32> {
  %0 = train.constant dense<0> : tensor<i32>
  %1 = train.constant dense<6> : tensor<i32>
  %2 = train.slice %arg0 {limit = array<i64: 2>, start = array<i64: 1>, stride = array<i64: 1>} : (tensor<2xi32>) -> tensor<1xi32>
  %3 = train.reshape %2 : (tensor<1xi32>) -> tensor<i32>
  %4 = train.multiply %3, %1 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %5 = train.dynamic_slice %arg1, %0, %4, %0 {sizes = array<i64: 4, 6, 32>} : (tensor<4x12x32xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<4x6x32xf32>
  %6 = train.reduce %5 {dims = array<i64: 0, 1>, kind = #train<reduce_kind add>} : (tensor<4x6x32xf32>) -> tensor<32xf32>
  return %6 : tensor<32xf32>
}
func.func @reduce_87730b28555c7745(%arg0: tensor<32x16xf32>, %arg1: tensor<8x12x1xi64>, %arg2: tensor<16xf32>, %arg3: tensor<16xf32>, %arg4: tensor<16xf32>, %arg5: tensor<16xf32>) -> (tensor<96x16xf32>, tensor<1x16xf32>, tensor<96x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<96x16xf32>, tensor<96x16xf32>) {
  %0 = train.gather %arg0, %arg1 {collapsed_slice_dims = array<i64: 0>, index_vector_dim = 2 : i64, indices_batching_dims = array<i64>, offset_dims = array<i64: 2>, operand_batching_dims = array<i64>, slice_sizes = array<i64: 1, 16>, start_index_map = array<i64: 0>} : (tensor<32x16xf32>, tensor<8x12x1xi64>) -> tensor<8x12x16xf32>
  %1 = train.reshape %0 : (tensor<8x12x16xf32>) -> tensor<96x16xf32>
  %2 = train.reduce %1 {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<96x16xf32>) -> tensor<16xf32>
  %3 = train.reshape %2 : (tensor<16xf32>) -> tensor<1x16xf32>
  %4 = train.constant dense<9.600000e+01> : tensor<f32>
  %5 = train.broadcast_in_dim %4 {dims = array<i64>} : (tensor<f32>) -> tensor<1x16xf32>
  %6 = train.divide %3, %5 : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
  %7 = train.reshape %6 : (tensor<1x16xf32>) -> tensor<16xf32>
  %8 = train.broadcast_in_dim %7 {dims = array<i64: 1>} : (tensor<16xf32>) -> tensor<96x16xf32>
  %9 = train.subtract %1, %8 : (tensor<96x16xf32>, tensor<96x16xf32>) -> tensor<96x16xf32>
  %10 = train.multiply %9, %9 : (tensor<96x16xf32>, tensor<96x16xf32>) -> tensor<96x16xf32>
  %11 = train.reduce %10 {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<96x16xf32>) -> tensor<16xf32>
  %12 = train.reshape %11 : (tensor<16xf32>) -> tensor<1x16xf32>
  %13 = train.divide %12, %5 : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
  %14 = train.constant dense<9.99999974E-6> : tensor<f32>
  %15 = train.broadcast_in_dim %14 {dims = array<i64>} : (tensor<f32>) -> tensor<1x16xf32>
  %16 = train.add %13, %15 : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
  %17 = train.rsqrt %16 : (tensor<1x16xf32>) -> tensor<1x16xf32>
  %18 = train.reshape %17 : (tensor<1x16xf32>) -> tensor<16xf32>
  %19 = train.broadcast_in_dim %18 {dims = array<i64: 1>} : (tensor<16xf32>) -> tensor<96x16xf32>
  %20 = train.multiply %9, %19 : (tensor<96x16xf32>, tensor<96x16xf32>) -> tensor<96x16xf32>
  %21 = train.broadcast_in_dim %arg2 {dims = array<i64: 1>} : (tensor<16xf32>) -> tensor<96x16xf32>
  %22 = train.multiply %20, %21 : (tensor<96x16xf32>, tensor<96x16xf32>) -> tensor<96x16xf32>
  %23 = train.broadcast_in_dim %arg3 {dims = array<i64: 1>} : (tensor<16xf32>) -> tensor<96x16xf32>
  %24 = train.add %22, %23 : (tensor<96x16xf32>, tensor<96x16xf32>) -> tensor<96x16xf32>
  %25 = train.reshape %13 : (tensor<1x16xf32>) -> tensor<16xf32>
  %26 = train.constant dense<1.0105263> : tensor<f32>
  %27 = train.broadcast_in_dim %26 {dims = array<i64>} : (tensor<f32>) -> tensor<16xf32>
  %28 = train.multiply %25, %27 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %29 = train.constant dense<0.899999976> : tensor<f32>
  %30 = train.broadcast_in_dim %29 {dims = array<i64>} : (tensor<f32>) -> tensor<16xf32>
  %31 = train.multiply %arg4, %30 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %32 = train.constant dense<1.000000e-01> : tensor<f32>
  %33 = train.broadcast_in_dim %32 {dims = array<i64>} : (tensor<f32>) -> tensor<16xf32>
  %34 = train.multiply %7, %33 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %35 = train.add %31, %34 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %36 = train.multiply %arg5, %30 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %37 = train.multiply %28, %33 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %38 = train.add %36, %37 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %39 = train.logistic %24 : (tensor<96x16xf32>) -> tensor<96x16xf32>
  %40 = train.multiply %24, %39 : (tensor<96x16xf32>, tensor<96x16xf32>) -> tensor<96x16xf32>
  %41 = train.constant dense<4.000000e+00> : tensor<f32>
  %42 = train.broadcast_in_dim %41 {dims = array<i64>} : (tensor<f32>) -> tensor<96x16xf32>
  %43 = train.multiply %40, %42 : (tensor<96x16xf32>, tensor<96x16xf32>) -> tensor<96x16xf32>
  %44 = train.round_nearest_even %43 : (tensor<96x16xf32>) -> tensor<96x16xf32>
  %45 = train.divide %44, %42 : (tensor<96x16xf32>, tensor<96x16xf32>) -> tensor<96x16xf32>
  return %9, %17, %24, %35, %38, %39, %45 : tensor<96x16xf32>, tensor<1x16xf32>, tensor<96x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<96x16xf32>, tensor<96x16xf32>
}
func.func @reduce_60f5cff79c91a126(%arg0: tensor<16xf32>, %arg1: tensor<48x16xf32>, %arg2: tensor<16xf32>, %arg3: tensor<16xf32>) -> (tensor<48x16xf32>, tensor<48xf32>, tensor<48x16xf32>) {
  %0 = train.broadcast_in_dim %arg0 {dims = array<i64: 1>} : (tensor<16xf32>) -> tensor<48x16xf32>
  %1 = train.multiply %arg1, %0 : (tensor<48x16xf32>, tensor<48x16xf32>) -> tensor<48x16xf32>
  %2 = train.broadcast_in_dim %arg2 {dims = array<i64: 1>} : (tensor<16xf32>) -> tensor<48x16xf32>
  %3 = train.multiply %1, %2 : (tensor<48x16xf32>, tensor<48x16xf32>) -> tensor<48x16xf32>
  %4 = train.broadcast_in_dim %arg3 {dims = array<i64: 1>} : (tensor<16xf32>) -> tensor<48x16xf32>
  %5 = train.add %3, %4 : (tensor<48x16xf32>, tensor<48x16xf32>) -> tensor<48x16xf32>
  %6 = train.logistic %5 : (tensor<48x16xf32>) -> tensor<48x16xf32>
  %7 = train.multiply %5, %6 : (tensor<48x16xf32>, tensor<48x16xf32>) -> tensor<48x16xf32>
  %8 = train.constant dense<4.000000e+00> : tensor<f32>
  %9 = train.broadcast_in_dim %8 {dims = array<i64>} : (tensor<f32>) -> tensor<48x16xf32>
  %10 = train.multiply %7, %9 : (tensor<48x16xf32>, tensor<48x16xf32>) -> tensor<48x16xf32>
  %11 = train.round_nearest_even %10 : (tensor<48x16xf32>) -> tensor<48x16xf32>
  %12 = train.divide %11, %9 : (tensor<48x16xf32>, tensor<48x16xf32>) -> tensor<48x16xf32>
  %13 = train.reduce %5 {dims = array<i64: 1>, kind = #train<reduce_kind maximum>} : (tensor<48x16xf32>) -> tensor<48xf32>
  %14 = train.broadcast_in_dim %13 {dims = array<i64: 0>} : (tensor<48xf32>) -> tensor<48x16xf32>
  %15 = train.multiply %5, %14 : (tensor<48x16xf32>, tensor<48x16xf32>) -> tensor<48x16xf32>
  %16 = train.add %12, %15 : (tensor<48x16xf32>, tensor<48x16xf32>) -> tensor<48x16xf32>
  return %6, %13, %16 : tensor<48x16xf32>, tensor<48xf32>, tensor<48x16xf32>
}
func.func @dot_general_17b1ce2ab5a363df(%arg0: tensor<48x16xf32>, %arg1: tensor<32x16xf32>) -> tensor<48x32xf32> {
  %0 = train.constant dense<0> : tensor<i32>
  %1 = train.constant dense<0.000000e+00> : tensor<f32>
  %2 = train.constant dense<5.000000e-01> : tensor<f32>
  %3 = train.slice %arg0 {limit = array<i64: 48, 16>, start = array<i64: 0, 0>, stride = array<i64: 1, 2>} : (tensor<48x16xf32>) -> tensor<48x8xf32>
  %4 = train.broadcast_in_dim %2 {dims = array<i64>} : (tensor<f32>) -> tensor<48x8xf32>
  %5 = train.multiply %3, %4 : (tensor<48x8xf32>, tensor<48x8xf32>) -> tensor<48x8xf32>
  %6 = train.pad %5, %1 {high = array<i64: 0, 1>, interior = array<i64: 0, 1>, low = array<i64: 0, 0>} : (tensor<48x8xf32>, tensor<f32>) -> tensor<48x16xf32>
  %7 = train.iota  {dim = 1 : i64} : () -> tensor<48x16xi32>
  %8 = train.broadcast_in_dim %0 {dims = array<i64>} : (tensor<i32>) -> tensor<48x16xi32>
  %9 = train.constant dense<2> : tensor<i32>
  %10 = train.broadcast_in_dim %9 {dims = array<i64>} : (tensor<i32>) -> tensor<48x16xi32>
  %11 = train.remainder %7, %10 : (tensor<48x16xi32>, tensor<48x16xi32>) -> tensor<48x16xi32>
  %12 = train.compare %11, %8 {direction = #train<compare_direction EQ>} : (tensor<48x16xi32>, tensor<48x16xi32>) -> tensor<48x16xi1>
  %13 = train.compare %7, %8 {direction = #train<compare_direction GE>} : (tensor<48x16xi32>, tensor<48x16xi32>) -> tensor<48x16xi1>
  %14 = train.and %12, %13 : (tensor<48x16xi1>, tensor<48x16xi1>) -> tensor<48x16xi1>
  %15 = train.constant dense<15> : tensor<i32>
  %16 = train.broadcast_in_dim %15 {dims = array<i64>} : (tensor<i32>) -> tensor<48x16xi32>
  %17 = train.compare %7, %16 {direction = #train<compare_direction LT>} : (tensor<48x16xi32>, tensor<48x16xi32>) -> tensor<48x16xi1>
  %18 = train.and %14, %17 : (tensor<48x16xi1>, tensor<48x16xi1>) -> tensor<48x16xi1>
  %19 = train.select %18, %6, %arg0 : (tensor<48x16xi1>, tensor<48x16xf32>, tensor<48x16xf32>) -> tensor<48x16xf32>
  %20 = train.dot_general %19, %arg1 {lhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_batching = array<i64>, rhs_contracting = array<i64: 1>} : (tensor<48x16xf32>, tensor<32x16xf32>) -> tensor<48x32xf32>
  return %20 : tensor<48x32xf32>
}
func.func @reduce_d1a23b88a0c10(%arg0: tensor<48x32xbf16>, %arg1: tensor<48xi64>) -> (tensor<48x32xbf16>, tensor<48xf32>, tensor<48xf32>, tensor<48xf32>) {
  %0 = train.constant dense<0.000000e+00> : tensor<f32>
  %1 = train.convert %arg0 : (tensor<48x32xbf16>) -> tensor<48x32xf32>
  %2 = train.reduce %1 {dims = array<i64: 1>, kind = #train<reduce_kind maximum>} : (tensor<48x32xf32>) -> tensor<48xf32>
  %3 = train.broadcast_in_dim %2 {dims = array<i64: 0>} : (tensor<48xf32>) -> tensor<48x32xf32>
  %4 = train.subtract %1, %3 : (tensor<48x32xf32>, tensor<48x32xf32>) -> tensor<48x32xf32>
  %5 = train.convert %4 : (tensor<48x32xf32>) -> tensor<48x32xbf16>
  %6 = train.convert %5 : (tensor<48x32xbf16>) -> tensor<48x32xf32>
  %7 = train.exponential %6 : (tensor<48x32xf32>) -> tensor<48x32xf32>
  %8 = train.convert %7 : (tensor<48x32xf32>) -> tensor<48x32xbf16>
  %9 = train.reduce %7 {dims = array<i64: 1>, kind = #train<reduce_kind add>} : (tensor<48x32xf32>) -> tensor<48xf32>
  %10 = train.reshape %9 : (tensor<48xf32>) -> tensor<48x1xf32>
  %11 = train.log %10 : (tensor<48x1xf32>) -> tensor<48x1xf32>
  %12 = train.reshape %11 : (tensor<48x1xf32>) -> tensor<48xf32>
  %13 = train.broadcast_in_dim %12 {dims = array<i64: 0>} : (tensor<48xf32>) -> tensor<48x32xf32>
  %14 = train.subtract %6, %13 : (tensor<48x32xf32>, tensor<48x32xf32>) -> tensor<48x32xf32>
  %15 = train.convert %14 : (tensor<48x32xf32>) -> tensor<48x32xbf16>
  %16 = train.convert %15 : (tensor<48x32xbf16>) -> tensor<48x32xf32>
  %17 = train.constant dense<-100> : tensor<i64>
  %18 = train.broadcast_in_dim %17 {dims = array<i64>} : (tensor<i64>) -> tensor<48xi64>
  %19 = train.compare %arg1, %18 {direction = #train<compare_direction NE>} : (tensor<48xi64>, tensor<48xi64>) -> tensor<48xi1>
  %20 = train.constant dense<0> : tensor<i64>
  %21 = train.broadcast_in_dim %20 {dims = array<i64>} : (tensor<i64>) -> tensor<48xi64>
  %22 = train.select %19, %arg1, %21 : (tensor<48xi1>, tensor<48xi64>, tensor<48xi64>) -> tensor<48xi64>
  %23 = train.broadcast_in_dim %0 {dims = array<i64>} : (tensor<f32>) -> tensor<48xf32>
  %24 = train.reshape %22 : (tensor<48xi64>) -> tensor<48x1xi64>
  %25 = train.gather %15, %24 {collapsed_slice_dims = array<i64: 1>, index_vector_dim = 1 : i64, indices_batching_dims = array<i64: 0>, offset_dims = array<i64>, operand_batching_dims = array<i64: 0>, slice_sizes = array<i64: 1, 1>, start_index_map = array<i64: 1>} : (tensor<48x32xbf16>, tensor<48x1xi64>) -> tensor<48xbf16>
  %26 = train.convert %25 : (tensor<48xbf16>) -> tensor<48xf32>
  %27 = train.negate %26 : (tensor<48xf32>) -> tensor<48xf32>
  %28 = train.select %19, %27, %23 : (tensor<48xi1>, tensor<48xf32>, tensor<48xf32>) -> tensor<48xf32>
  %29 = train.reduce %16 {dims = array<i64: 1>, kind = #train<reduce_kind add>} : (tensor<48x32xf32>) -> tensor<48xf32>
  %30 = train.negate %29 : (tensor<48xf32>) -> tensor<48xf32>
  %31 = train.select %19, %30, %23 : (tensor<48xi1>, tensor<48xf32>, tensor<48xf32>) -> tensor<48xf32>
  return %8, %9, %28, %31 : tensor<48x32xbf16>, tensor<48xf32>, tensor<48xf32>, tensor<48xf32>
}
func.func @dot_general_a5d82fbab30d7025(%arg0: tensor<8x12xf32>, %arg1: tensor<8x12x16xf32>, %arg2: tensor<16xf32>, %arg3: tensor<32x16xf32>) -> (tensor<8x12x32xf32>, tensor<8x12x32xf32>, tensor<8x12x32xf32>) {
  %0 = train.broadcast_in_dim %arg0 {dims = array<i64: 0, 1>} : (tensor<8x12xf32>) -> tensor<8x12x16xf32>
  %1 = train.multiply %arg1, %0 : (tensor<8x12x16xf32>, tensor<8x12x16xf32>) -> tensor<8x12x16xf32>
  %2 = train.broadcast_in_dim %arg2 {dims = array<i64: 2>} : (tensor<16xf32>) -> tensor<8x12x16xf32>
  %3 = train.multiply %2, %1 : (tensor<8x12x16xf32>, tensor<8x12x16xf32>) -> tensor<8x12x16xf32>
  %4 = train.dot_general %3, %arg3 {lhs_batching = array<i64>, lhs_contracting = array<i64: 2>, rhs_batching = array<i64>, rhs_contracting = array<i64: 1>} : (tensor<8x12x16xf32>, tensor<32x16xf32>) -> tensor<8x12x32xf32>
  %5 = train.logistic %4 : (tensor<8x12x32xf32>) -> tensor<8x12x32xf32>
  %6 = train.multiply %4, %5 : (tensor<8x12x32xf32>, tensor<8x12x32xf32>) -> tensor<8x12x32xf32>
  return %4, %5, %6 : tensor<8x12x32xf32>, tensor<8x12x32xf32>, tensor<8x12x32xf32>
}
func.func @reduce_9688259edfdd34f0(%arg0: tensor<8x12xi64>, %arg1: tensor<96x32xf32>) -> (tensor<96x32xf32>, tensor<96xf32>, tensor<96xf32>) {
  %0 = train.constant dense<-100> : tensor<i64>
  %1 = train.pad %arg0, %0 {high = array<i64: 0, 1>, interior = array<i64: 0, 0>, low = array<i64: 0, 0>} : (tensor<8x12xi64>, tensor<i64>) -> tensor<8x13xi64>
  %2 = train.slice %1 {limit = array<i64: 8, 13>, start = array<i64: 0, 1>, stride = array<i64: 1, 1>} : (tensor<8x13xi64>) -> tensor<8x12xi64>
  %3 = train.reshape %2 : (tensor<8x12xi64>) -> tensor<96xi64>
  %4 = train.reduce %arg1 {dims = array<i64: 1>, kind = #train<reduce_kind maximum>} : (tensor<96x32xf32>) -> tensor<96xf32>
  %5 = train.broadcast_in_dim %4 {dims = array<i64: 0>} : (tensor<96xf32>) -> tensor<96x32xf32>
  %6 = train.subtract %arg1, %5 : (tensor<96x32xf32>, tensor<96x32xf32>) -> tensor<96x32xf32>
  %7 = train.exponential %6 : (tensor<96x32xf32>) -> tensor<96x32xf32>
  %8 = train.reduce %7 {dims = array<i64: 1>, kind = #train<reduce_kind add>} : (tensor<96x32xf32>) -> tensor<96xf32>
  %9 = train.reshape %8 : (tensor<96xf32>) -> tensor<96x1xf32>
  %10 = train.log %9 : (tensor<96x1xf32>) -> tensor<96x1xf32>
  %11 = train.reshape %10 : (tensor<96x1xf32>) -> tensor<96xf32>
  %12 = train.broadcast_in_dim %11 {dims = array<i64: 0>} : (tensor<96xf32>) -> tensor<96x32xf32>
  %13 = train.subtract %6, %12 : (tensor<96x32xf32>, tensor<96x32xf32>) -> tensor<96x32xf32>
  %14 = train.broadcast_in_dim %0 {dims = array<i64>} : (tensor<i64>) -> tensor<96xi64>
  %15 = train.compare %3, %14 {direction = #train<compare_direction NE>} : (tensor<96xi64>, tensor<96xi64>) -> tensor<96xi1>
  %16 = train.constant dense<0> : tensor<i64>
  %17 = train.broadcast_in_dim %16 {dims = array<i64>} : (tensor<i64>) -> tensor<96xi64>
  %18 = train.select %15, %3, %17 : (tensor<96xi1>, tensor<96xi64>, tensor<96xi64>) -> tensor<96xi64>
  %19 = train.constant dense<0.000000e+00> : tensor<f32>
  %20 = train.broadcast_in_dim %19 {dims = array<i64>} : (tensor<f32>) -> tensor<96xf32>
  %21 = train.reshape %18 : (tensor<96xi64>) -> tensor<96x1xi64>
  %22 = train.gather %13, %21 {collapsed_slice_dims = array<i64: 1>, index_vector_dim = 1 : i64, indices_batching_dims = array<i64: 0>, offset_dims = array<i64>, operand_batching_dims = array<i64: 0>, slice_sizes = array<i64: 1, 1>, start_index_map = array<i64: 1>} : (tensor<96x32xf32>, tensor<96x1xi64>) -> tensor<96xf32>
  %23 = train.negate %22 : (tensor<96xf32>) -> tensor<96xf32>
  %24 = train.select %15, %23, %20 : (tensor<96xi1>, tensor<96xf32>, tensor<96xf32>) -> tensor<96xf32>
  return %7, %8, %24 : tensor<96x32xf32>, tensor<96xf32>, tensor<96xf32>
}
func.func @select_2b175af342b006d1(%arg0: tensor<f32>, %arg1: tensor<8x12xi64>) -> (tensor<96xf32>, tensor<96xi64>) {
  %0 = train.constant dense<1.000000e+00> : tensor<f32>
  %1 = train.divide %0, %arg0 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %2 = train.broadcast_in_dim %1 {dims = array<i64>} : (tensor<f32>) -> tensor<96xf32>
  %3 = train.constant dense<0.000000e+00> : tensor<96xf32>
  %4 = train.constant dense<-100> : tensor<i64>
  %5 = train.pad %arg1, %4 {high = array<i64: 0, 1>, interior = array<i64: 0, 0>, low = array<i64: 0, 0>} : (tensor<8x12xi64>, tensor<i64>) -> tensor<8x13xi64>
  %6 = train.slice %5 {limit = array<i64: 8, 13>, start = array<i64: 0, 1>, stride = array<i64: 1, 1>} : (tensor<8x13xi64>) -> tensor<8x12xi64>
  %7 = train.reshape %6 : (tensor<8x12xi64>) -> tensor<96xi64>
  %8 = train.broadcast_in_dim %4 {dims = array<i64>} : (tensor<i64>) -> tensor<96xi64>
  %9 = train.compare %7, %8 {direction = #train<compare_direction NE>} : (tensor<96xi64>, tensor<96xi64>) -> tensor<96xi1>
  %10 = train.select %9, %2, %3 : (tensor<96xi1>, tensor<96xf32>, tensor<96xf32>) -> tensor<96xf32>
  %11 = train.negate %10 : (tensor<96xf32>) -> tensor<96xf32>
  %12 = train.constant dense<0> : tensor<i64>
  %13 = train.broadcast_in_dim %12 {dims = array<i64>} : (tensor<i64>) -> tensor<96xi64>
  %14 = train.select %9, %7, %13 : (tensor<96xi1>, tensor<96xi64>, tensor<96xi64>) -> tensor<96xi64>
  return %11, %14 : tensor<96xf32>, tensor<96xi64>
}
func.func @multiply_8802b438eb32f686(%arg0: tensor<2xi32>, %arg1: tensor<4x12xi64>) -> tensor<4x6xi64> {
  %0 = train.constant dense<0> : tensor<i32>
  %1 = train.constant dense<6> : tensor<i32>
  %2 = train.slice %arg0 {limit = array<i64: 2>, start = array<i64: 1>, stride = array<i64: 1>} : (tensor<2xi32>) -> tensor<1xi32>
  %3 = train.reshape %2 : (tensor<1xi32>) -> tensor<i32>
  %4 = train.multiply %3, %1 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %5 = train.dynamic_slice %arg1, %0, %4 {sizes = array<i64: 4, 6>} : (tensor<4x12xi64>, tensor<i32>, tensor<i32>) -> tensor<4x6xi64>
  return %5 : tensor<4x6xi64>
}
func.func @reduce_f53bf4023bcfad73(%arg0: tensor<2xi32>, %arg1: tensor<4x2x2x3xi64>, %arg2: tensor<32x16xf32>) -> (tensor<4x6x16xf32>, tensor<4x6xf32>, tensor<4x6x1xf32>) {
  %0 = train.constant dense<0> : tensor<i32>
  %1 = train.constant dense<6> : tensor<i32>
  %2 = train.slice %arg0 {limit = array<i64: 2>, start = array<i64: 1>, stride = array<i64: 1>} : (tensor<2xi32>) -> tensor<1xi32>
  %3 = train.reshape %2 : (tensor<1xi32>) -> tensor<i32>
  %4 = train.multiply %3, %1 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %5 = train.slice %arg1 {limit = array<i64: 4, 1, 2, 3>, start = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1, 1, 1>} : (tensor<4x2x2x3xi64>) -> tensor<4x1x2x3xi64>
  %6 = train.reshape %5 : (tensor<4x1x2x3xi64>) -> tensor<4x2x1x3xi64>
  %7 = train.slice %arg1 {limit = array<i64: 4, 2, 2, 3>, start = array<i64: 0, 1, 0, 0>, stride = array<i64: 1, 1, 1, 1>} : (tensor<4x2x2x3xi64>) -> tensor<4x1x2x3xi64>
  %8 = train.reverse %7 {dims = array<i64: 2>} : (tensor<4x1x2x3xi64>) -> tensor<4x1x2x3xi64>
  %9 = train.reshape %8 : (tensor<4x1x2x3xi64>) -> tensor<4x2x1x3xi64>
  %10 = train.concatenate %6, %9 {dim = 2 : i64} : (tensor<4x2x1x3xi64>, tensor<4x2x1x3xi64>) -> tensor<4x2x2x3xi64>
  %11 = train.reshape %10 : (tensor<4x2x2x3xi64>) -> tensor<4x12xi64>
  %12 = train.dynamic_slice %11, %0, %4 {sizes = array<i64: 4, 6>} : (tensor<4x12xi64>, tensor<i32>, tensor<i32>) -> tensor<4x6xi64>
  %13 = train.reshape %12 : (tensor<4x6xi64>) -> tensor<4x6x1xi64>
  %14 = train.gather %arg2, %13 {collapsed_slice_dims = array<i64: 0>, index_vector_dim = 2 : i64, indices_batching_dims = array<i64>, offset_dims = array<i64: 2>, operand_batching_dims = array<i64>, slice_sizes = array<i64: 1, 16>, start_index_map = array<i64: 0>} : (tensor<32x16xf32>, tensor<4x6x1xi64>) -> tensor<4x6x16xf32>
  %15 = train.multiply %14, %14 : (tensor<4x6x16xf32>, tensor<4x6x16xf32>) -> tensor<4x6x16xf32>
  %16 = train.reduce %15 {dims = array<i64: 2>, kind = #train<reduce_kind add>} : (tensor<4x6x16xf32>) -> tensor<4x6xf32>
  %17 = train.reshape %16 : (tensor<4x6xf32>) -> tensor<4x6x1xf32>
  %18 = train.constant dense<1.600000e+01> : tensor<f32>
  %19 = train.broadcast_in_dim %18 {dims = array<i64>} : (tensor<f32>) -> tensor<4x6x1xf32>
  %20 = train.divide %17, %19 : (tensor<4x6x1xf32>, tensor<4x6x1xf32>) -> tensor<4x6x1xf32>
  %21 = train.constant dense<9.99999997E-7> : tensor<f32>
  %22 = train.broadcast_in_dim %21 {dims = array<i64>} : (tensor<f32>) -> tensor<4x6x1xf32>
  %23 = train.add %20, %22 : (tensor<4x6x1xf32>, tensor<4x6x1xf32>) -> tensor<4x6x1xf32>
  %24 = train.rsqrt %23 : (tensor<4x6x1xf32>) -> tensor<4x6x1xf32>
  return %14, %16, %24 : tensor<4x6x16xf32>, tensor<4x6xf32>, tensor<4x6x1xf32>
}
func.func @multiply_553ddcbe67fb0eba(%arg0: tensor<2xi32>, %arg1: tensor<4x2x2x3xi64>) -> tensor<4x6xi64> {
  %0 = train.constant dense<0> : tensor<i32>
  %1 = train.constant dense<6> : tensor<i32>
  %2 = train.slice %arg0 {limit = array<i64: 2>, start = array<i64: 1>, stride = array<i64: 1>} : (tensor<2xi32>) -> tensor<1xi32>
  %3 = train.reshape %2 : (tensor<1xi32>) -> tensor<i32>
  %4 = train.multiply %3, %1 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %5 = train.slice %arg1 {limit = array<i64: 4, 1, 2, 3>, start = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1, 1, 1>} : (tensor<4x2x2x3xi64>) -> tensor<4x1x2x3xi64>
  %6 = train.reshape %5 : (tensor<4x1x2x3xi64>) -> tensor<4x2x1x3xi64>
  %7 = train.slice %arg1 {limit = array<i64: 4, 2, 2, 3>, start = array<i64: 0, 1, 0, 0>, stride = array<i64: 1, 1, 1, 1>} : (tensor<4x2x2x3xi64>) -> tensor<4x1x2x3xi64>
  %8 = train.reverse %7 {dims = array<i64: 2>} : (tensor<4x1x2x3xi64>) -> tensor<4x1x2x3xi64>
  %9 = train.reshape %8 : (tensor<4x1x2x3xi64>) -> tensor<4x2x1x3xi64>
  %10 = train.concatenate %6, %9 {dim = 2 : i64} : (tensor<4x2x1x3xi64>, tensor<4x2x1x3xi64>) -> tensor<4x2x2x3xi64>
  %11 = train.reshape %10 : (tensor<4x2x2x3xi64>) -> tensor<4x12xi64>
  %12 = train.dynamic_slice %11, %0, %4 {sizes = array<i64: 4, 6>} : (tensor<4x12xi64>, tensor<i32>, tensor<i32>) -> tensor<4x6xi64>
  return %12 : tensor<4x6xi64>
}
func.func @reduce_543ce6b3dd96c41(%arg0: tensor<8x2x12x12xf32>) -> tensor<2x12x12xf32> {
  %0 = train.iota  {dim = 0 : i64} : () -> tensor<12xi64>
  %1 = train.constant dense<0.000000e+00> : tensor<8x2x12x12xf32>
  %2 = train.broadcast_in_dim %0 {dims = array<i64: 3>} : (tensor<12xi64>) -> tensor<1x1x12x12xi64>
  %3 = train.broadcast_in_dim %0 {dims = array<i64: 2>} : (tensor<12xi64>) -> tensor<1x1x12x12xi64>
  %4 = train.compare %2, %3 {direction = #train<compare_direction LE>} : (tensor<1x1x12x12xi64>, tensor<1x1x12x12xi64>) -> tensor<1x1x12x12xi1>
  %5 = train.reshape %4 : (tensor<1x1x12x12xi1>) -> tensor<1x12x12xi1>
  %6 = train.broadcast_in_dim %5 {dims = array<i64: 1, 2, 3>} : (tensor<1x12x12xi1>) -> tensor<8x1x12x12xi1>
  %7 = train.reshape %6 : (tensor<8x1x12x12xi1>) -> tensor<8x12x12xi1>
  %8 = train.broadcast_in_dim %7 {dims = array<i64: 0, 2, 3>} : (tensor<8x12x12xi1>) -> tensor<8x2x12x12xi1>
  %9 = train.select %8, %arg0, %1 : (tensor<8x2x12x12xi1>, tensor<8x2x12x12xf32>, tensor<8x2x12x12xf32>) -> tensor<8x2x12x12xf32>
  %10 = train.reduce %9 {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<8x2x12x12xf32>) -> tensor<2x12x12xf32>
  return %10 : tensor<2x12x12xf32>
}
func.func @reduce_dbc7cb3139c461fb(%arg0: tensor<8x2x12x12xf32>) -> tensor<2x12x12xf32> {
  %0 = train.constant dense<0> : tensor<i64>
  %1 = train.iota  {dim = 0 : i64} : () -> tensor<12xi64>
  %2 = train.reshape %1 : (tensor<12xi64>) -> tensor<1x1x12x1xi64>
  %3 = train.broadcast_in_dim %0 {dims = array<i64>} : (tensor<i64>) -> tensor<1x1x12x1xi64>
  %4 = train.compare %2, %3 {direction = #train<compare_direction GE>} : (tensor<1x1x12x1xi64>, tensor<1x1x12x1xi64>) -> tensor<1x1x12x1xi1>
  %5 = train.reshape %4 : (tensor<1x1x12x1xi1>) -> tensor<1x12xi1>
  %6 = train.constant dense<0.000000e+00> : tensor<8x2x12x12xf32>
  %7 = train.broadcast_in_dim %5 {dims = array<i64: 1, 2>} : (tensor<1x12xi1>) -> tensor<8x1x12x12xi1>
  %8 = train.reshape %7 : (tensor<8x1x12x12xi1>) -> tensor<8x12x12xi1>
  %9 = train.broadcast_in_dim %8 {dims = array<i64: 0, 2, 3>} : (tensor<8x12x12xi1>) -> tensor<8x2x12x12xi1>
  %10 = train.select %9, %arg0, %6 : (tensor<8x2x12x12xi1>, tensor<8x2x12x12xf32>, tensor<8x2x12x12xf32>) -> tensor<8x2x12x12xf32>
  %11 = train.reduce %10 {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<8x2x12x12xf32>) -> tensor<2x12x12xf32>
  return %11 : tensor<2x12x12xf32>
}
func.func @reduce_8372d1d5cc5fcac2(%arg0: tensor<32x16xf16>, %arg1: tensor<2x12x1xi64>, %arg2: tensor<16xf32>) -> (tensor<2x12x16xf16>, tensor<2x12x1xf32>, tensor<2x12x16xf16>) {
  %0 = train.gather %arg0, %arg1 {collapsed_slice_dims = array<i64: 0>, index_vector_dim = 2 : i64, indices_batching_dims = array<i64>, offset_dims = array<i64: 2>, operand_batching_dims = array<i64>, slice_sizes = array<i64: 1, 16>, start_index_map = array<i64: 0>} : (tensor<32x16xf16>, tensor<2x12x1xi64>) -> tensor<2x12x16xf16>
  %1 = train.convert %0 : (tensor<2x12x16xf16>) -> tensor<2x12x16xf32>
  %2 = train.multiply %1, %1 : (tensor<2x12x16xf32>, tensor<2x12x16xf32>) -> tensor<2x12x16xf32>
  %3 = train.reduce %2 {dims = array<i64: 2>, kind = #train<reduce_kind add>} : (tensor<2x12x16xf32>) -> tensor<2x12xf32>
  %4 = train.reshape %3 : (tensor<2x12xf32>) -> tensor<2x12x1xf32>
  %5 = train.constant dense<1.600000e+01> : tensor<f32>
  %6 = train.broadcast_in_dim %5 {dims = array<i64>} : (tensor<f32>) -> tensor<2x12x1xf32>
  %7 = train.divide %4, %6 : (tensor<2x12x1xf32>, tensor<2x12x1xf32>) -> tensor<2x12x1xf32>
  %8 = train.constant dense<9.99999997E-7> : tensor<f32>
  %9 = train.broadcast_in_dim %8 {dims = array<i64>} : (tensor<f32>) -> tensor<2x12x1xf32>
  %10 = train.add %7, %9 : (tensor<2x12x1xf32>, tensor<2x12x1xf32>) -> tensor<2x12x1xf32>
  %11 = train.rsqrt %10 : (tensor<2x12x1xf32>) -> tensor<2x12x1xf32>
  %12 = train.reshape %11 : (tensor<2x12x1xf32>) -> tensor<2x12xf32>
  %13 = train.broadcast_in_dim %12 {dims = array<i64: 0, 1>} : (tensor<2x12xf32>) -> tensor<2x12x16xf32>
  %14 = train.multiply %1, %13 : (tensor<2x12x16xf32>, tensor<2x12x16xf32>) -> tensor<2x12x16xf32>
  %15 = train.broadcast_in_dim %arg2 {dims = array<i64: 2>} : (tensor<16xf32>) -> tensor<2x12x16xf32>
  %16 = train.multiply %15, %14 : (tensor<2x12x16xf32>, tensor<2x12x16xf32>) -> tensor<2x12x16xf32>
  %17 = train.convert %16 : (tensor<2x12x16xf32>) -> tensor<2x12x16xf16>
  return %0, %11, %17 : tensor<2x12x16xf16>, tensor<2x12x1xf32>, tensor<2x12x16xf16>
}
func.func @reduce_2ea4cacb06491478(%arg0: tensor<2xi32>, %arg1: tensor<4x2x6x12xf32>) -> tensor<2x6x12xf32> {
  %0 = train.constant dense<0> : tensor<i64>
  %1 = train.constant dense<6> : tensor<i32>
  %2 = train.slice %arg0 {limit = array<i64: 2>, start = array<i64: 1>, stride = array<i64: 1>} : (tensor<2xi32>) -> tensor<1xi32>
  %3 = train.reshape %2 : (tensor<1xi32>) -> tensor<i32>
  %4 = train.multiply %3, %1 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %5 = train.iota %4 {dim = 0 : i64} : (tensor<i32>) -> tensor<6xi64>
  %6 = train.reshape %5 : (tensor<6xi64>) -> tensor<1x1x6x1xi64>
  %7 = train.broadcast_in_dim %0 {dims = array<i64>} : (tensor<i64>) -> tensor<1x1x6x1xi64>
  %8 = train.compare %6, %7 {direction = #train<compare_direction GE>} : (tensor<1x1x6x1xi64>, tensor<1x1x6x1xi64>) -> tensor<1x1x6x1xi1>
  %9 = train.reshape %8 : (tensor<1x1x6x1xi1>) -> tensor<1x6xi1>
  %10 = train.broadcast_in_dim %9 {dims = array<i64: 1, 2>} : (tensor<1x6xi1>) -> tensor<4x1x6x12xi1>
  %11 = train.reshape %10 : (tensor<4x1x6x12xi1>) -> tensor<4x6x12xi1>
  %12 = train.broadcast_in_dim %11 {dims = array<i64: 0, 2, 3>} : (tensor<4x6x12xi1>) -> tensor<4x2x6x12xi1>
  %13 = train.constant dense<0.000000e+00> : tensor<4x2x6x12xf32>
  %14 = train.select %12, %arg1, %13 : (tensor<4x2x6x12xi1>, tensor<4x2x6x12xf32>, tensor<4x2x6x12xf32>) -> tensor<4x2x6x12xf32>
  %15 = train.reduce %14 {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<4x2x6x12xf32>) -> tensor<2x6x12xf32>
  return %15 : tensor<2x6x12xf32>
}
func.func @convolution_36396e71b64b888c(%arg0: tensor<8x6x1xf32>, %arg1: tensor<3x1x2xf32>) -> tensor<8x12xf32> {
  %0 = train.convolution %arg0, %arg1 {input_dims = array<i64: 0, 2, 1>, kernel_dims = array<i64: 1, 2, 0>, lhs_dilation = array<i64: 1>, output_dims = array<i64: 0, 2, 1>, pad_high = array<i64: 1>, pad_low = array<i64: 1>, reversal = array<i1: false>, rhs_dilation = array<i64: 1>, strides = array<i64: 1>} : (tensor<8x6x1xf32>, tensor<3x1x2xf32>) -> tensor<8x6x2xf32>
  %1 = train.reshape %0 : (tensor<8x6x2xf32>) -> tensor<8x12xf32>
  %2 = train.iota  {dim = 0 : i64} : () -> tensor<12xi32>
  %3 = train.convert %2 : (tensor<12xi32>) -> tensor<12xf32>
  %4 = train.broadcast_in_dim %3 {dims = array<i64: 1>} : (tensor<12xf32>) -> tensor<8x12xf32>
  %5 = train.multiply %1, %4 : (tensor<8x12xf32>, tensor<8x12xf32>) -> tensor<8x12xf32>
  return %5 : tensor<8x12xf32>
}
func.func @dot_general_1232ef93ae42e666(%arg0: tensor<8x6xf32>, %arg1: tensor<6x6xf32>, %arg2: tensor<6xf32>, %arg3: tensor<8xi32>, %arg4: tensor<8xi1>, %arg5: tensor<8xi1>, %arg6: tensor<8xi1>, %arg7: tensor<8x6xf32>) -> (tensor<8x6xf32>, tensor<8x6xf32>, tensor<8x6xf32>, tensor<8x6xf32>, tensor<8x6xf32>, tensor<8x6xf32>, tensor<8x6xf32>) {
  %0 = train.dot_general %arg0, %arg1 {lhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_batching = array<i64>, rhs_contracting = array<i64: 0>} : (tensor<8x6xf32>, tensor<6x6xf32>) -> tensor<8x6xf32>
  %1 = train.tanh %0 : (tensor<8x6xf32>) -> tensor<8x6xf32>
  %2 = train.broadcast_in_dim %arg2 {dims = array<i64: 1>} : (tensor<6xf32>) -> tensor<8x6xf32>
  %3 = train.constant dense<2> : tensor<i32>
  %4 = train.broadcast_in_dim %3 {dims = array<i64>} : (tensor<i32>) -> tensor<8xi32>
  %5 = train.compare %arg3, %4 {direction = #train<compare_direction GT>} : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
  %6 = train.broadcast_in_dim %5 {dims = array<i64: 0>} : (tensor<8xi1>) -> tensor<8x6xi1>
  %7 = train.select %6, %1, %2 : (tensor<8x6xi1>, tensor<8x6xf32>, tensor<8x6xf32>) -> tensor<8x6xf32>
  %8 = train.sine %1 : (tensor<8x6xf32>) -> tensor<8x6xf32>
  %9 = train.constant dense<2.000000e+00> : tensor<f32>
  %10 = train.broadcast_in_dim %9 {dims = array<i64>} : (tensor<f32>) -> tensor<8x6xf32>
  %11 = train.multiply %1, %10 : (tensor<8x6xf32>, tensor<8x6xf32>) -> tensor<8x6xf32>
  %12 = train.broadcast_in_dim %arg4 {dims = array<i64: 0>} : (tensor<8xi1>) -> tensor<8x6xi1>
  %13 = train.select %12, %11, %8 : (tensor<8x6xi1>, tensor<8x6xf32>, tensor<8x6xf32>) -> tensor<8x6xf32>
  %14 = train.negate %1 : (tensor<8x6xf32>) -> tensor<8x6xf32>
  %15 = train.exponential %1 : (tensor<8x6xf32>) -> tensor<8x6xf32>
  %16 = train.broadcast_in_dim %arg5 {dims = array<i64: 0>} : (tensor<8xi1>) -> tensor<8x6xi1>
  %17 = train.select %16, %15, %14 : (tensor<8x6xi1>, tensor<8x6xf32>, tensor<8x6xf32>) -> tensor<8x6xf32>
  %18 = train.broadcast_in_dim %arg6 {dims = array<i64: 0>} : (tensor<8xi1>) -> tensor<8x6xi1>
  %19 = train.select %18, %1, %17 : (tensor<8x6xi1>, tensor<8x6xf32>, tensor<8x6xf32>) -> tensor<8x6xf32>
  %20 = train.constant dense<4.000000e+00> : tensor<f32>
  %21 = train.broadcast_in_dim %20 {dims = array<i64>} : (tensor<f32>) -> tensor<8x6xf32>
  %22 = train.multiply %1, %21 : (tensor<8x6xf32>, tensor<8x6xf32>) -> tensor<8x6xf32>
  %23 = train.round_nearest_even %22 : (tensor<8x6xf32>) -> tensor<8x6xf32>
  %24 = train.divide %23, %21 : (tensor<8x6xf32>, tensor<8x6xf32>) -> tensor<8x6xf32>
  %25 = train.multiply %arg7, %1 : (tensor<8x6xf32>, tensor<8x6xf32>) -> tensor<8x6xf32>
  return %1, %7, %13, %15, %19, %24, %25 : tensor<8x6xf32>, tensor<8x6xf32>, tensor<8x6xf32>, tensor<8x6xf32>, tensor<8x6xf32>, tensor<8x6xf32>, tensor<8x6xf32>
}
func.func @reduce_223dda660fc8e641(%arg0: tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>, tensor<8xi1>, tensor<8xi32>) {
  %0 = train.constant dense<0> : tensor<i32>
  %1 = train.constant dense<5> : tensor<i32>
  %2 = train.broadcast_in_dim %0 {dims = array<i64>} : (tensor<i32>) -> tensor<8xi32>
  %3 = train.broadcast_in_dim %1 {dims = array<i64>} : (tensor<i32>) -> tensor<8xi32>
  %4 = train.constant dense<4> : tensor<i32>
  %5 = train.broadcast_in_dim %4 {dims = array<i64>} : (tensor<i32>) -> tensor<8xi32>
  %6 = train.constant dense<1> : tensor<i32>
  %7 = train.broadcast_in_dim %6 {dims = array<i64>} : (tensor<i32>) -> tensor<8xi32>
  %8 = train.add %arg0, %7 : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
  %9 = train.minimum %8, %5 : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
  %10 = train.compare %9, %2 {direction = #train<compare_direction LT>} : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
  %11 = train.add %9, %3 : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
  %12 = train.select %10, %11, %9 : (tensor<8xi1>, tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
  %13 = train.clamp %2, %12, %5 : (tensor<8xi32>, tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
  %14 = train.compare %arg0, %2 {direction = #train<compare_direction LT>} : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
  %15 = train.add %arg0, %3 : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
  %16 = train.select %14, %15, %arg0 : (tensor<8xi1>, tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
  %17 = train.reshape %16 : (tensor<8xi32>) -> tensor<8x1xi32>
  %18 = train.convert %17 : (tensor<8x1xi32>) -> tensor<8x1xi64>
  %19 = train.constant dense<4> : tensor<1xi64>
  %20 = train.broadcast_in_dim %19 {dims = array<i64: 1>} : (tensor<1xi64>) -> tensor<8x1xi64>
  %21 = train.constant dense<0> : tensor<8x1xi64>
  %22 = train.compare %18, %21 {direction = #train<compare_direction GE>} : (tensor<8x1xi64>, tensor<8x1xi64>) -> tensor<8x1xi1>
  %23 = train.compare %18, %20 {direction = #train<compare_direction LE>} : (tensor<8x1xi64>, tensor<8x1xi64>) -> tensor<8x1xi1>
  %24 = train.and %22, %23 : (tensor<8x1xi1>, tensor<8x1xi1>) -> tensor<8x1xi1>
  %25 = train.reduce %24 {dims = array<i64: 1>, kind = #train<reduce_kind logical_and>} : (tensor<8x1xi1>) -> tensor<8xi1>
  %26 = train.clamp %2, %16, %5 : (tensor<8xi32>, tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
  return %13, %16, %25, %26 : tensor<8xi32>, tensor<8xi32>, tensor<8xi1>, tensor<8xi32>
}
func.func @reduce_3dcf157ebad4fabe(%arg0: tensor<4x6xbf16>, %arg1: tensor<4x6xbf16>, %arg2: tensor<4x6xf32>, %arg3: tensor<4xf32>) -> tensor<4xf32> {
  %0 = train.slice %arg0 {limit = array<i64: 4, 2>, start = array<i64: 0, 0>, stride = array<i64: 1, 1>} : (tensor<4x6xbf16>) -> tensor<4x2xbf16>
  %1 = train.slice %arg1 {limit = array<i64: 4, 2>, start = array<i64: 0, 0>, stride = array<i64: 1, 1>} : (tensor<4x6xbf16>) -> tensor<4x2xbf16>
  %2 = train.slice %arg1 {limit = array<i64: 4, 6>, start = array<i64: 0, 4>, stride = array<i64: 1, 1>} : (tensor<4x6xbf16>) -> tensor<4x2xbf16>
  %3 = train.concatenate %1, %0, %2 {dim = 1 : i64} : (tensor<4x2xbf16>, tensor<4x2xbf16>, tensor<4x2xbf16>) -> tensor<4x6xbf16>
  %4 = train.convert %3 : (tensor<4x6xbf16>) -> tensor<4x6xf32>
  %5 = train.multiply %4, %arg2 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %6 = train.reduce %5 {dims = array<i64: 1>, kind = #train<reduce_kind add>} : (tensor<4x6xf32>) -> tensor<4xf32>
  %7 = train.add %arg3, %6 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %7 : tensor<4xf32>
}
func.func @reduce_ba2c40dff9c8f994(%arg0: tensor<4x6xbf16>, %arg1: tensor<4x6xbf16>, %arg2: tensor<4xi32>, %arg3: tensor<6xf32>, %arg4: tensor<4xi1>, %arg5: tensor<4x15xf32>, %arg6: tensor<6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<6xf32>) {
  %0 = train.constant dense<1.000000e+00> : tensor<f32>
  %1 = train.constant dense<8.000000e+00> : tensor<f32>
  %2 = train.divide %0, %1 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %3 = train.broadcast_in_dim %2 {dims = array<i64>} : (tensor<f32>) -> tensor<4xf32>
  %4 = train.broadcast_in_dim %2 {dims = array<i64>} : (tensor<f32>) -> tensor<4x6xf32>
  %5 = train.convert %arg0 : (tensor<4x6xbf16>) -> tensor<4x6xf32>
  %6 = train.multiply %4, %5 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %7 = train.slice %arg0 {limit = array<i64: 4, 6>, start = array<i64: 0, 5>, stride = array<i64: 1, 1>} : (tensor<4x6xbf16>) -> tensor<4x1xbf16>
  %8 = train.slice %arg0 {limit = array<i64: 4, 5>, start = array<i64: 0, 0>, stride = array<i64: 1, 1>} : (tensor<4x6xbf16>) -> tensor<4x5xbf16>
  %9 = train.concatenate %7, %8 {dim = 1 : i64} : (tensor<4x1xbf16>, tensor<4x5xbf16>) -> tensor<4x6xbf16>
  %10 = train.convert %9 : (tensor<4x6xbf16>) -> tensor<4x6xf32>
  %11 = train.multiply %4, %10 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %12 = train.slice %arg1 {limit = array<i64: 4, 2>, start = array<i64: 0, 0>, stride = array<i64: 1, 1>} : (tensor<4x6xbf16>) -> tensor<4x2xbf16>
  %13 = train.slice %arg0 {limit = array<i64: 4, 2>, start = array<i64: 0, 0>, stride = array<i64: 1, 1>} : (tensor<4x6xbf16>) -> tensor<4x2xbf16>
  %14 = train.slice %arg0 {limit = array<i64: 4, 6>, start = array<i64: 0, 4>, stride = array<i64: 1, 1>} : (tensor<4x6xbf16>) -> tensor<4x2xbf16>
  %15 = train.concatenate %13, %12, %14 {dim = 1 : i64} : (tensor<4x2xbf16>, tensor<4x2xbf16>, tensor<4x2xbf16>) -> tensor<4x6xbf16>
  %16 = train.convert %15 : (tensor<4x6xbf16>) -> tensor<4x6xf32>
  %17 = train.multiply %4, %16 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %18 = train.add %11, %17 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %19 = train.convert %arg0 : (tensor<4x6xbf16>) -> tensor<4x6xf32>
  %20 = train.constant dense<4.000000e+00> : tensor<f32>
  %21 = train.broadcast_in_dim %20 {dims = array<i64>} : (tensor<f32>) -> tensor<4x6xf32>
  %22 = train.multiply %19, %21 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %23 = train.round_nearest_even %22 : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %24 = train.divide %23, %21 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %25 = train.convert %24 : (tensor<4x6xf32>) -> tensor<4x6xbf16>
  %26 = train.convert %25 : (tensor<4x6xbf16>) -> tensor<4x6xf32>
  %27 = train.multiply %4, %26 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %28 = train.constant dense<1.000000e-01> : tensor<f32>
  %29 = train.broadcast_in_dim %28 {dims = array<i64>} : (tensor<f32>) -> tensor<4xf32>
  %30 = train.multiply %3, %29 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %31 = train.broadcast_in_dim %30 {dims = array<i64: 0>} : (tensor<4xf32>) -> tensor<4x6xf32>
  %32 = train.constant dense<2> : tensor<i32>
  %33 = train.broadcast_in_dim %32 {dims = array<i64>} : (tensor<i32>) -> tensor<4xi32>
  %34 = train.compare %arg2, %33 {direction = #train<compare_direction GT>} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  %35 = train.broadcast_in_dim %34 {dims = array<i64: 0>} : (tensor<4xi1>) -> tensor<4x6xi1>
  %36 = train.broadcast_in_dim %arg3 {dims = array<i64: 1>} : (tensor<6xf32>) -> tensor<4x6xf32>
  %37 = train.select %35, %5, %36 : (tensor<4x6xi1>, tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %38 = train.multiply %4, %37 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %39 = train.add %38, %38 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %40 = train.convert %arg1 : (tensor<4x6xbf16>) -> tensor<4x6xf32>
  %41 = train.multiply %31, %40 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %42 = train.convert %6 : (tensor<4x6xf32>) -> tensor<4x6xbf16>
  %43 = train.constant dense<0.000000e+00> : tensor<4x6xf32>
  %44 = train.broadcast_in_dim %arg4 {dims = array<i64: 0>} : (tensor<4xi1>) -> tensor<4x6xi1>
  %45 = train.select %44, %43, %4 : (tensor<4x6xi1>, tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %46 = train.cosine %5 : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %47 = train.multiply %45, %46 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %48 = train.select %35, %43, %39 : (tensor<4x6xi1>, tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %49 = train.slice %arg5 {limit = array<i64: 4, 12>, start = array<i64: 0, 6>, stride = array<i64: 1, 1>} : (tensor<4x15xf32>) -> tensor<4x6xf32>
  %50 = train.add %48, %49 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %51 = train.reduce %50 {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<4x6xf32>) -> tensor<6xf32>
  %52 = train.convert %42 : (tensor<4x6xbf16>) -> tensor<4x6xf32>
  %53 = train.add %arg6, %51 : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
  return %6, %18, %27, %38, %40, %41, %47, %52, %53 : tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<6xf32>
}
func.func @reduce_978477540d693ccf(%arg0: tensor<2x6xf16>, %arg1: tensor<2x6x6xf32>) -> (tensor<2x6xf32>, tensor<2x6xf16>) {
  %0 = train.broadcast_in_dim %arg0 {dims = array<i64: 0, 2>} : (tensor<2x6xf16>) -> tensor<2x6x6xf16>
  %1 = train.convert %0 : (tensor<2x6x6xf16>) -> tensor<2x6x6xf32>
  %2 = train.multiply %arg1, %1 : (tensor<2x6x6xf32>, tensor<2x6x6xf32>) -> tensor<2x6x6xf32>
  %3 = train.reduce %2 {dims = array<i64: 2>, kind = #train<reduce_kind add>} : (tensor<2x6x6xf32>) -> tensor<2x6xf32>
  %4 = train.convert %3 : (tensor<2x6xf32>) -> tensor<2x6xf16>
  return %3, %4 : tensor<2x6xf32>, tensor<2x6xf16>
}
func.func @reduce_1c811534f0b17381(%arg0: tensor<2xi32>, %arg1: tensor<2x6xf16>, %arg2: tensor<2xf32>, %arg3: tensor<2x6xf16>, %arg4: tensor<2x6xf16>, %arg5: tensor<2x6xf32>, %arg6: tensor<2x6xf32>, %arg7: tensor<2xf32>, %arg8: tensor<2xf32>, %arg9: tensor<2x6xf32>) -> (tensor<2xf32>, tensor<2x1xf16>, tensor<2x1xf16>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %0 = train.constant dense<0> : tensor<i32>
  %1 = train.broadcast_in_dim %0 {dims = array<i64>} : (tensor<i32>) -> tensor<2xi32>
  %2 = train.compare %arg0, %1 {direction = #train<compare_direction LT>} : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
  %3 = train.constant dense<5> : tensor<i32>
  %4 = train.broadcast_in_dim %3 {dims = array<i64>} : (tensor<i32>) -> tensor<2xi32>
  %5 = train.constant dense<6> : tensor<i32>
  %6 = train.reverse %arg1 {dims = array<i64: 1>} : (tensor<2x6xf16>) -> tensor<2x6xf16>
  %7 = train.convert %arg2 : (tensor<2xf32>) -> tensor<2xf16>
  %8 = train.convert %7 : (tensor<2xf16>) -> tensor<2xf32>
  %9 = train.slice %arg3 {limit = array<i64: 2, 2>, start = array<i64: 0, 0>, stride = array<i64: 1, 1>} : (tensor<2x6xf16>) -> tensor<2x2xf16>
  %10 = train.slice %arg4 {limit = array<i64: 2, 2>, start = array<i64: 0, 0>, stride = array<i64: 1, 1>} : (tensor<2x6xf16>) -> tensor<2x2xf16>
  %11 = train.slice %arg4 {limit = array<i64: 2, 6>, start = array<i64: 0, 4>, stride = array<i64: 1, 1>} : (tensor<2x6xf16>) -> tensor<2x2xf16>
  %12 = train.concatenate %10, %9, %11 {dim = 1 : i64} : (tensor<2x2xf16>, tensor<2x2xf16>, tensor<2x2xf16>) -> tensor<2x6xf16>
  %13 = train.convert %12 : (tensor<2x6xf16>) -> tensor<2x6xf32>
  %14 = train.slice %arg4 {limit = array<i64: 2, 6>, start = array<i64: 0, 5>, stride = array<i64: 1, 1>} : (tensor<2x6xf16>) -> tensor<2x1xf16>
  %15 = train.slice %arg4 {limit = array<i64: 2, 5>, start = array<i64: 0, 0>, stride = array<i64: 1, 1>} : (tensor<2x6xf16>) -> tensor<2x5xf16>
  %16 = train.concatenate %14, %15 {dim = 1 : i64} : (tensor<2x1xf16>, tensor<2x5xf16>) -> tensor<2x6xf16>
  %17 = train.convert %16 : (tensor<2x6xf16>) -> tensor<2x6xf32>
  %18 = train.multiply %arg5, %arg6 : (tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<2x6xf32>
  %19 = train.reduce %18 {dims = array<i64: 1>, kind = #train<reduce_kind add>} : (tensor<2x6xf32>) -> tensor<2xf32>
  %20 = train.add %arg7, %19 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %21 = train.slice %6 {limit = array<i64: 2, 1>, start = array<i64: 0, 0>, stride = array<i64: 1, 1>} : (tensor<2x6xf16>) -> tensor<2x1xf16>
  %22 = train.slice %6 {limit = array<i64: 2, 3>, start = array<i64: 0, 2>, stride = array<i64: 1, 1>} : (tensor<2x6xf16>) -> tensor<2x1xf16>
  %23 = train.constant dense<0.00999999977> : tensor<f32>
  %24 = train.broadcast_in_dim %23 {dims = array<i64>} : (tensor<f32>) -> tensor<2xf32>
  %25 = train.multiply %arg8, %24 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %26 = train.multiply %25, %8 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %27 = train.multiply %13, %arg6 : (tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<2x6xf32>
  %28 = train.reduce %27 {dims = array<i64: 1>, kind = #train<reduce_kind add>} : (tensor<2x6xf32>) -> tensor<2xf32>
  %29 = train.multiply %17, %arg6 : (tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<2x6xf32>
  %30 = train.reduce %29 {dims = array<i64: 1>, kind = #train<reduce_kind add>} : (tensor<2x6xf32>) -> tensor<2xf32>
  %31 = train.broadcast_in_dim %5 {dims = array<i64>} : (tensor<i32>) -> tensor<2xi32>
  %32 = train.add %arg0, %31 : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  %33 = train.select %2, %32, %arg0 : (tensor<2xi1>, tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  %34 = train.clamp %1, %33, %4 : (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  %35 = train.reshape %34 : (tensor<2xi32>) -> tensor<2x1xi32>
  %36 = train.gather %arg9, %35 {collapsed_slice_dims = array<i64: 1>, index_vector_dim = 1 : i64, indices_batching_dims = array<i64: 0>, offset_dims = array<i64>, operand_batching_dims = array<i64: 0>, slice_sizes = array<i64: 1, 1>, start_index_map = array<i64: 1>} : (tensor<2x6xf32>, tensor<2x1xi32>) -> tensor<2xf32>
  return %20, %21, %22, %25, %26, %28, %30, %36 : tensor<2xf32>, tensor<2x1xf16>, tensor<2x1xf16>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}
func.func @add_9adf328277fab1cd(%arg0: tensor<2x6xf16>, %arg1: tensor<2x6xf16>, %arg2: tensor<2x1xf16>, %arg3: tensor<2x1xf16>, %arg4: tensor<2x6xf32>, %arg5: tensor<2x6xf32>, %arg6: tensor<2x6xf16>) -> (tensor<2x6xf32>, tensor<2x6xf32>, tensor<2x6xf16>) {
  %0 = train.convert %arg0 : (tensor<2x6xf16>) -> tensor<2x6xf32>
  %1 = train.convert %arg1 : (tensor<2x6xf16>) -> tensor<2x6xf32>
  %2 = train.constant dense<0.000000e+00> : tensor<f16>
  %3 = train.pad %arg2, %2 {high = array<i64: 0, 3>, interior = array<i64: 0, 0>, low = array<i64: 0, 2>} : (tensor<2x1xf16>, tensor<f16>) -> tensor<2x6xf16>
  %4 = train.pad %arg3, %2 {high = array<i64: 0, 5>, interior = array<i64: 0, 0>, low = array<i64: 0, 0>} : (tensor<2x1xf16>, tensor<f16>) -> tensor<2x6xf16>
  %5 = train.add %3, %4 : (tensor<2x6xf16>, tensor<2x6xf16>) -> tensor<2x6xf16>
  %6 = train.add %arg4, %arg4 : (tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<2x6xf32>
  %7 = train.add %6, %arg5 : (tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<2x6xf32>
  %8 = train.reverse %5 {dims = array<i64: 1>} : (tensor<2x6xf16>) -> tensor<2x6xf16>
  %9 = train.convert %8 : (tensor<2x6xf16>) -> tensor<2x6xf32>
  %10 = train.multiply %0, %1 : (tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<2x6xf32>
  %11 = train.convert %10 : (tensor<2x6xf32>) -> tensor<2x6xf16>
  %12 = train.convert %11 : (tensor<2x6xf16>) -> tensor<2x6xf32>
  %13 = train.convert %7 : (tensor<2x6xf32>) -> tensor<2x6xf16>
  %14 = train.add %arg6, %13 : (tensor<2x6xf16>, tensor<2x6xf16>) -> tensor<2x6xf16>
  return %9, %12, %14 : tensor<2x6xf32>, tensor<2x6xf32>, tensor<2x6xf16>
}
func.func @dot_general_613b7cd74d4488e6(%arg0: tensor<4x6xf32>, %arg1: tensor<6x6xf32>, %arg2: tensor<6xf32>, %arg3: tensor<4xi32>, %arg4: tensor<4xi1>, %arg5: tensor<4xi32>, %arg6: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>) {
  %0 = train.dot_general %arg0, %arg1 {lhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_batching = array<i64>, rhs_contracting = array<i64: 0>} : (tensor<4x6xf32>, tensor<6x6xf32>) -> tensor<4x6xf32>
  %1 = train.tanh %0 : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %2 = train.constant dense<0> : tensor<i32>
  %3 = train.broadcast_in_dim %2 {dims = array<i64>} : (tensor<i32>) -> tensor<4xi32>
  %4 = train.constant dense<1> : tensor<i32>
  %5 = train.broadcast_in_dim %4 {dims = array<i64>} : (tensor<i32>) -> tensor<4xi32>
  %6 = train.broadcast_in_dim %arg2 {dims = array<i64: 1>} : (tensor<6xf32>) -> tensor<4x6xf32>
  %7 = train.constant dense<2> : tensor<i32>
  %8 = train.broadcast_in_dim %7 {dims = array<i64>} : (tensor<i32>) -> tensor<4xi32>
  %9 = train.compare %arg3, %8 {direction = #train<compare_direction GT>} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  %10 = train.broadcast_in_dim %9 {dims = array<i64: 0>} : (tensor<4xi1>) -> tensor<4x6xi1>
  %11 = train.select %10, %1, %6 : (tensor<4x6xi1>, tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %12 = train.convert %arg4 : (tensor<4xi1>) -> tensor<4xi32>
  %13 = train.sine %1 : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %14 = train.constant dense<2.000000e+00> : tensor<f32>
  %15 = train.broadcast_in_dim %14 {dims = array<i64>} : (tensor<f32>) -> tensor<4x6xf32>
  %16 = train.multiply %1, %15 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %17 = train.compare %12, %3 {direction = #train<compare_direction EQ>} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  %18 = train.broadcast_in_dim %17 {dims = array<i64: 0>} : (tensor<4xi1>) -> tensor<4x6xi1>
  %19 = train.select %18, %16, %13 : (tensor<4x6xi1>, tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %20 = train.clamp %3, %arg5, %8 : (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %21 = train.negate %1 : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %22 = train.exponential %1 : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %23 = train.compare %20, %5 {direction = #train<compare_direction EQ>} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  %24 = train.broadcast_in_dim %23 {dims = array<i64: 0>} : (tensor<4xi1>) -> tensor<4x6xi1>
  %25 = train.select %24, %22, %21 : (tensor<4x6xi1>, tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %26 = train.compare %20, %3 {direction = #train<compare_direction EQ>} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  %27 = train.broadcast_in_dim %26 {dims = array<i64: 0>} : (tensor<4xi1>) -> tensor<4x6xi1>
  %28 = train.select %27, %1, %25 : (tensor<4x6xi1>, tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %29 = train.constant dense<4.000000e+00> : tensor<f32>
  %30 = train.broadcast_in_dim %29 {dims = array<i64>} : (tensor<f32>) -> tensor<4x6xf32>
  %31 = train.multiply %1, %30 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %32 = train.round_nearest_even %31 : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %33 = train.divide %32, %30 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %34 = train.multiply %arg6, %1 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %1, %11, %19, %28, %33, %34 : tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>
}
func.func @reduce_a709109b5f19c185(%arg0: tensor<4x6xf32>, %arg1: tensor<4x18xf32>, %arg2: tensor<4xi1>, %arg3: tensor<4x6xf32>, %arg4: tensor<4x6xf32>, %arg5: tensor<4xf32>, %arg6: tensor<4xf32>, %arg7: tensor<4xi32>, %arg8: tensor<4x6xf32>, %arg9: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = train.constant dense<1.000000e+00> : tensor<f32>
  %1 = train.constant dense<0> : tensor<i32>
  %2 = train.broadcast_in_dim %1 {dims = array<i64>} : (tensor<i32>) -> tensor<4xi32>
  %3 = train.constant dense<8.000000e+00> : tensor<f32>
  %4 = train.divide %0, %3 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %5 = train.broadcast_in_dim %4 {dims = array<i64>} : (tensor<f32>) -> tensor<4x6xf32>
  %6 = train.add %arg0, %arg0 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %7 = train.add %arg1, %arg1 : (tensor<4x18xf32>, tensor<4x18xf32>) -> tensor<4x18xf32>
  %8 = train.constant dense<0.000000e+00> : tensor<4x6xf32>
  %9 = train.constant dense<2> : tensor<i32>
  %10 = train.broadcast_in_dim %9 {dims = array<i64>} : (tensor<i32>) -> tensor<4xi32>
  %11 = train.convert %arg2 : (tensor<4xi1>) -> tensor<4xi32>
  %12 = train.compare %11, %2 {direction = #train<compare_direction EQ>} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  %13 = train.broadcast_in_dim %12 {dims = array<i64: 0>} : (tensor<4xi1>) -> tensor<4x6xi1>
  %14 = train.select %13, %8, %5 : (tensor<4x6xi1>, tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %15 = train.cosine %arg3 : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %16 = train.multiply %14, %15 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %17 = train.add %arg4, %16 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %18 = train.abs %arg5 : (tensor<4xf32>) -> tensor<4xf32>
  %19 = train.constant dense<-3.000000e-01> : tensor<f32>
  %20 = train.broadcast_in_dim %19 {dims = array<i64>} : (tensor<f32>) -> tensor<4x6xf32>
  %21 = train.maximum %20, %arg3 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %22 = train.broadcast_in_dim %18 {dims = array<i64: 0>} : (tensor<4xf32>) -> tensor<4x6xf32>
  %23 = train.compare %22, %21 {direction = #train<compare_direction EQ>} : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
  %24 = train.constant dense<5.000000e-01> : tensor<4x6xf32>
  %25 = train.multiply %5, %24 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %26 = train.select %23, %25, %8 : (tensor<4x6xi1>, tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %27 = train.compare %22, %21 {direction = #train<compare_direction LT>} : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
  %28 = train.select %27, %5, %26 : (tensor<4x6xi1>, tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %29 = train.compare %21, %22 {direction = #train<compare_direction LT>} : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
  %30 = train.select %29, %5, %26 : (tensor<4x6xi1>, tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %31 = train.reduce %28 {dims = array<i64: 1>, kind = #train<reduce_kind add>} : (tensor<4x6xf32>) -> tensor<4xf32>
  %32 = train.compare %20, %arg3 {direction = #train<compare_direction EQ>} : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
  %33 = train.multiply %30, %24 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %34 = train.select %32, %33, %8 : (tensor<4x6xi1>, tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %35 = train.compare %arg3, %20 {direction = #train<compare_direction GT>} : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
  %36 = train.select %35, %30, %34 : (tensor<4x6xi1>, tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %37 = train.add %17, %36 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %38 = train.constant dense<0.000000e+00> : tensor<4xf32>
  %39 = train.compare %arg5, %38 {direction = #train<compare_direction GE>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %40 = train.negate %31 : (tensor<4xf32>) -> tensor<4xf32>
  %41 = train.select %39, %31, %40 : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %42 = train.add %arg6, %41 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %43 = train.compare %arg7, %10 {direction = #train<compare_direction GT>} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  %44 = train.broadcast_in_dim %43 {dims = array<i64: 0>} : (tensor<4xi1>) -> tensor<4x6xi1>
  %45 = train.select %44, %6, %8 : (tensor<4x6xi1>, tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %46 = train.add %37, %45 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %47 = train.add %46, %arg8 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %48 = train.slice %7 {limit = array<i64: 4, 16>, start = array<i64: 0, 1>, stride = array<i64: 1, 1>} : (tensor<4x18xf32>) -> tensor<4x15xf32>
  %49 = train.slice %48 {limit = array<i64: 4, 6>, start = array<i64: 0, 0>, stride = array<i64: 1, 1>} : (tensor<4x15xf32>) -> tensor<4x6xf32>
  %50 = train.add %47, %49 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %51 = train.broadcast_in_dim %arg5 {dims = array<i64: 0>} : (tensor<4xf32>) -> tensor<4x6xf32>
  %52 = train.compare %arg3, %51 {direction = #train<compare_direction EQ>} : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
  %53 = train.convert %52 : (tensor<4x6xi1>) -> tensor<4x6xf32>
  %54 = train.reduce %53 {dims = array<i64: 1>, kind = #train<reduce_kind add>} : (tensor<4x6xf32>) -> tensor<4xf32>
  %55 = train.divide %42, %54 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %56 = train.broadcast_in_dim %55 {dims = array<i64: 0>} : (tensor<4xf32>) -> tensor<4x6xf32>
  %57 = train.select %52, %56, %8 : (tensor<4x6xi1>, tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %58 = train.add %50, %57 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %59 = train.add %58, %arg9 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %59 : tensor<4x6xf32>
}
func.func @reduce_14605615dc80b80f(%arg0: tensor<1xi32>, %arg1: tensor<1x6xbf16>, %arg2: tensor<1xf32>, %arg3: tensor<1x6xbf16>, %arg4: tensor<1x6xbf16>, %arg5: tensor<1x6xf32>, %arg6: tensor<1x6xf32>, %arg7: tensor<1xf32>, %arg8: tensor<1xf32>, %arg9: tensor<1x6xf32>) -> (tensor<1xf32>, tensor<1x1xbf16>, tensor<1x1xbf16>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) {
  %0 = train.constant dense<0> : tensor<i32>
  %1 = train.broadcast_in_dim %0 {dims = array<i64>} : (tensor<i32>) -> tensor<1xi32>
  %2 = train.compare %arg0, %1 {direction = #train<compare_direction LT>} : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi1>
  %3 = train.constant dense<5> : tensor<i32>
  %4 = train.broadcast_in_dim %3 {dims = array<i64>} : (tensor<i32>) -> tensor<1xi32>
  %5 = train.constant dense<6> : tensor<i32>
  %6 = train.reverse %arg1 {dims = array<i64: 1>} : (tensor<1x6xbf16>) -> tensor<1x6xbf16>
  %7 = train.convert %arg2 : (tensor<1xf32>) -> tensor<1xbf16>
  %8 = train.convert %7 : (tensor<1xbf16>) -> tensor<1xf32>
  %9 = train.slice %arg3 {limit = array<i64: 1, 2>, start = array<i64: 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x6xbf16>) -> tensor<1x2xbf16>
  %10 = train.slice %arg4 {limit = array<i64: 1, 2>, start = array<i64: 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x6xbf16>) -> tensor<1x2xbf16>
  %11 = train.slice %arg4 {limit = array<i64: 1, 6>, start = array<i64: 0, 4>, stride = array<i64: 1, 1>} : (tensor<1x6xbf16>) -> tensor<1x2xbf16>
  %12 = train.concatenate %10, %9, %11 {dim = 1 : i64} : (tensor<1x2xbf16>, tensor<1x2xbf16>, tensor<1x2xbf16>) -> tensor<1x6xbf16>
  %13 = train.convert %12 : (tensor<1x6xbf16>) -> tensor<1x6xf32>
  %14 = train.slice %arg4 {limit = array<i64: 1, 6>, start = array<i64: 0, 5>, stride = array<i64: 1, 1>} : (tensor<1x6xbf16>) -> tensor<1x1xbf16>
  %15 = train.slice %arg4 {limit = array<i64: 1, 5>, start = array<i64: 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x6xbf16>) -> tensor<1x5xbf16>
  %16 = train.concatenate %14, %15 {dim = 1 : i64} : (tensor<1x1xbf16>, tensor<1x5xbf16>) -> tensor<1x6xbf16>
  %17 = train.convert %16 : (tensor<1x6xbf16>) -> tensor<1x6xf32>
  %18 = train.multiply %arg5, %arg6 : (tensor<1x6xf32>, tensor<1x6xf32>) -> tensor<1x6xf32>
  %19 = train.reduce %18 {dims = array<i64: 1>, kind = #train<reduce_kind add>} : (tensor<1x6xf32>) -> tensor<1xf32>
  %20 = train.add %arg7, %19 : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
  %21 = train.slice %6 {limit = array<i64: 1, 1>, start = array<i64: 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x6xbf16>) -> tensor<1x1xbf16>
  %22 = train.slice %6 {limit = array<i64: 1, 3>, start = array<i64: 0, 2>, stride = array<i64: 1, 1>} : (tensor<1x6xbf16>) -> tensor<1x1xbf16>
  %23 = train.constant dense<0.00999999977> : tensor<f32>
  %24 = train.broadcast_in_dim %23 {dims = array<i64>} : (tensor<f32>) -> tensor<1xf32>
  %25 = train.multiply %arg8, %24 : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
  %26 = train.multiply %25, %8 : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
  %27 = train.multiply %13, %arg6 : (tensor<1x6xf32>, tensor<1x6xf32>) -> tensor<1x6xf32>
  %28 = train.reduce %27 {dims = array<i64: 1>, kind = #train<reduce_kind add>} : (tensor<1x6xf32>) -> tensor<1xf32>
  %29 = train.multiply %17, %arg6 : (tensor<1x6xf32>, tensor<1x6xf32>) -> tensor<1x6xf32>
  %30 = train.reduce %29 {dims = array<i64: 1>, kind = #train<reduce_kind add>} : (tensor<1x6xf32>) -> tensor<1xf32>
  %31 = train.broadcast_in_dim %5 {dims = array<i64>} : (tensor<i32>) -> tensor<1xi32>
  %32 = train.add %arg0, %31 : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>
  %33 = train.select %2, %32, %arg0 : (tensor<1xi1>, tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>
  %34 = train.clamp %1, %33, %4 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>
  %35 = train.reshape %34 : (tensor<1xi32>) -> tensor<1x1xi32>
  %36 = train.gather %arg9, %35 {collapsed_slice_dims = array<i64: 1>, index_vector_dim = 1 : i64, indices_batching_dims = array<i64: 0>, offset_dims = array<i64>, operand_batching_dims = array<i64: 0>, slice_sizes = array<i64: 1, 1>, start_index_map = array<i64: 1>} : (tensor<1x6xf32>, tensor<1x1xi32>) -> tensor<1xf32>
  return %20, %21, %22, %25, %26, %28, %30, %36 : tensor<1xf32>, tensor<1x1xbf16>, tensor<1x1xbf16>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
}
func.func @reduce_50257f9f27dd77bb(%arg0: tensor<1xi32>, %arg1: tensor<8xi32>, %arg2: tensor<8x6xf32>) -> (tensor<8x1xi32>, tensor<8xi1>, tensor<8x1xi32>, tensor<8x1xi32>, tensor<8xi1>, tensor<8xi32>, tensor<8xi32>, tensor<8xf32>) {
  %0 = train.constant dense<2> : tensor<i32>
  %1 = train.slice %arg0 {limit = array<i64: 1>, start = array<i64: 0>, stride = array<i64: 1>} : (tensor<1xi32>) -> tensor<1xi32>
  %2 = train.reshape %1 : (tensor<1xi32>) -> tensor<i32>
  %3 = train.multiply %2, %0 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %4 = train.constant dense<0> : tensor<i32>
  %5 = train.broadcast_in_dim %4 {dims = array<i64>} : (tensor<i32>) -> tensor<8xi32>
  %6 = train.compare %arg1, %5 {direction = #train<compare_direction LT>} : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
  %7 = train.constant dense<5> : tensor<i32>
  %8 = train.broadcast_in_dim %7 {dims = array<i64>} : (tensor<i32>) -> tensor<8xi32>
  %9 = train.add %arg1, %8 : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
  %10 = train.select %6, %9, %arg1 : (tensor<8xi1>, tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
  %11 = train.constant dense<4> : tensor<i32>
  %12 = train.broadcast_in_dim %11 {dims = array<i64>} : (tensor<i32>) -> tensor<8xi32>
  %13 = train.clamp %5, %10, %12 : (tensor<8xi32>, tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
  %14 = train.reshape %13 : (tensor<8xi32>) -> tensor<8x1xi32>
  %15 = train.reshape %3 : (tensor<i32>) -> tensor<1xi32>
  %16 = train.constant dense<4> : tensor<1xi32>
  %17 = train.constant dense<2> : tensor<1xi32>
  %18 = train.constant dense<0> : tensor<8x1xi32>
  %19 = train.broadcast_in_dim %16 {dims = array<i64: 1>} : (tensor<1xi32>) -> tensor<8x1xi32>
  %20 = train.clamp %18, %14, %19 : (tensor<8x1xi32>, tensor<8x1xi32>, tensor<8x1xi32>) -> tensor<8x1xi32>
  %21 = train.broadcast_in_dim %15 {dims = array<i64: 1>} : (tensor<1xi32>) -> tensor<8x1xi32>
  %22 = train.subtract %20, %21 : (tensor<8x1xi32>, tensor<8x1xi32>) -> tensor<8x1xi32>
  %23 = train.compare %22, %18 {direction = #train<compare_direction GE>} : (tensor<8x1xi32>, tensor<8x1xi32>) -> tensor<8x1xi1>
  %24 = train.broadcast_in_dim %17 {dims = array<i64: 1>} : (tensor<1xi32>) -> tensor<8x1xi32>
  %25 = train.compare %22, %24 {direction = #train<compare_direction LT>} : (tensor<8x1xi32>, tensor<8x1xi32>) -> tensor<8x1xi1>
  %26 = train.and %23, %25 : (tensor<8x1xi1>, tensor<8x1xi1>) -> tensor<8x1xi1>
  %27 = train.reduce %26 {dims = array<i64: 1>, kind = #train<reduce_kind logical_and>} : (tensor<8x1xi1>) -> tensor<8xi1>
  %28 = train.reshape %10 : (tensor<8xi32>) -> tensor<8x1xi32>
  %29 = train.reshape %3 : (tensor<i32>) -> tensor<1xi32>
  %30 = train.broadcast_in_dim %29 {dims = array<i64: 1>} : (tensor<1xi32>) -> tensor<8x1xi32>
  %31 = train.subtract %28, %30 : (tensor<8x1xi32>, tensor<8x1xi32>) -> tensor<8x1xi32>
  %32 = train.constant dense<1> : tensor<i32>
  %33 = train.broadcast_in_dim %32 {dims = array<i64>} : (tensor<i32>) -> tensor<8xi32>
  %34 = train.add %arg1, %33 : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
  %35 = train.minimum %34, %12 : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
  %36 = train.compare %35, %5 {direction = #train<compare_direction LT>} : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
  %37 = train.add %35, %8 : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
  %38 = train.select %36, %37, %35 : (tensor<8xi1>, tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
  %39 = train.clamp %5, %38, %12 : (tensor<8xi32>, tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
  %40 = train.reshape %39 : (tensor<8xi32>) -> tensor<8x1xi32>
  %41 = train.reshape %3 : (tensor<i32>) -> tensor<1xi32>
  %42 = train.constant dense<4> : tensor<1xi32>
  %43 = train.constant dense<2> : tensor<1xi32>
  %44 = train.constant dense<0> : tensor<8x1xi32>
  %45 = train.broadcast_in_dim %42 {dims = array<i64: 1>} : (tensor<1xi32>) -> tensor<8x1xi32>
  %46 = train.clamp %44, %40, %45 : (tensor<8x1xi32>, tensor<8x1xi32>, tensor<8x1xi32>) -> tensor<8x1xi32>
  %47 = train.broadcast_in_dim %41 {dims = array<i64: 1>} : (tensor<1xi32>) -> tensor<8x1xi32>
  %48 = train.subtract %46, %47 : (tensor<8x1xi32>, tensor<8x1xi32>) -> tensor<8x1xi32>
  %49 = train.compare %48, %44 {direction = #train<compare_direction GE>} : (tensor<8x1xi32>, tensor<8x1xi32>) -> tensor<8x1xi1>
  %50 = train.broadcast_in_dim %43 {dims = array<i64: 1>} : (tensor<1xi32>) -> tensor<8x1xi32>
  %51 = train.compare %48, %50 {direction = #train<compare_direction LT>} : (tensor<8x1xi32>, tensor<8x1xi32>) -> tensor<8x1xi1>
  %52 = train.and %49, %51 : (tensor<8x1xi1>, tensor<8x1xi1>) -> tensor<8x1xi1>
  %53 = train.reduce %52 {dims = array<i64: 1>, kind = #train<reduce_kind logical_and>} : (tensor<8x1xi1>) -> tensor<8xi1>
  %54 = train.constant dense<6> : tensor<i32>
  %55 = train.constant dense<2> : tensor<i32>
  %56 = train.broadcast_in_dim %55 {dims = array<i64>} : (tensor<i32>) -> tensor<8xi32>
  %57 = train.remainder %arg1, %56 : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
  %58 = train.compare %57, %5 {direction = #train<compare_direction NE>} : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
  %59 = train.compare %57, %5 {direction = #train<compare_direction LT>} : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
  %60 = train.constant dense<false> : tensor<i1>
  %61 = train.broadcast_in_dim %60 {dims = array<i64>} : (tensor<i1>) -> tensor<8xi1>
  %62 = train.compare %59, %61 {direction = #train<compare_direction NE>} : (tensor<8xi1>, tensor<8xi1>) -> tensor<8xi1>
  %63 = train.and %62, %58 : (tensor<8xi1>, tensor<8xi1>) -> tensor<8xi1>
  %64 = train.add %57, %56 : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
  %65 = train.select %63, %64, %57 : (tensor<8xi1>, tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
  %66 = train.constant dense<3> : tensor<i32>
  %67 = train.broadcast_in_dim %66 {dims = array<i64>} : (tensor<i32>) -> tensor<8xi32>
  %68 = train.remainder %arg1, %67 : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
  %69 = train.compare %68, %5 {direction = #train<compare_direction NE>} : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
  %70 = train.compare %68, %5 {direction = #train<compare_direction LT>} : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
  %71 = train.compare %70, %61 {direction = #train<compare_direction NE>} : (tensor<8xi1>, tensor<8xi1>) -> tensor<8xi1>
  %72 = train.and %71, %69 : (tensor<8xi1>, tensor<8xi1>) -> tensor<8xi1>
  %73 = train.add %68, %67 : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
  %74 = train.select %72, %73, %68 : (tensor<8xi1>, tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
  %75 = train.clamp %5, %74, %56 : (tensor<8xi32>, tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
  %76 = train.broadcast_in_dim %54 {dims = array<i64>} : (tensor<i32>) -> tensor<8xi32>
  %77 = train.add %arg1, %76 : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
  %78 = train.select %6, %77, %arg1 : (tensor<8xi1>, tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
  %79 = train.clamp %5, %78, %8 : (tensor<8xi32>, tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
  %80 = train.reshape %79 : (tensor<8xi32>) -> tensor<8x1xi32>
  %81 = train.gather %arg2, %80 {collapsed_slice_dims = array<i64: 1>, index_vector_dim = 1 : i64, indices_batching_dims = array<i64: 0>, offset_dims = array<i64>, operand_batching_dims = array<i64: 0>, slice_sizes = array<i64: 1, 1>, start_index_map = array<i64: 1>} : (tensor<8x6xf32>, tensor<8x1xi32>) -> tensor<8xf32>
  return %22, %27, %31, %48, %53, %65, %75, %81 : tensor<8x1xi32>, tensor<8xi1>, tensor<8x1xi32>, tensor<8x1xi32>, tensor<8xi1>, tensor<8xi32>, tensor<8xi32>, tensor<8xf32>
}
func.func @multiply_7807df2f59306d39(%arg0: tensor<1x4x2x4x4xf32>, %arg1: tensor<2xi32>) -> tensor<1x2x2x4x4xf32> {
  %0 = train.constant dense<1.000000e+00> : tensor<f32>
  %1 = train.constant dense<1.920000e+02> : tensor<f32>
  %2 = train.divide %0, %1 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %3 = train.broadcast_in_dim %2 {dims = array<i64>} : (tensor<f32>) -> tensor<3x4x2x4xf32>
  %4 = train.slice %arg0 {limit = array<i64: 1, 3, 2, 4, 4>, start = array<i64: 0, 0, 0, 0, 0>, stride = array<i64: 1, 1, 1, 1, 1>} : (tensor<1x4x2x4x4xf32>) -> tensor<1x3x2x4x4xf32>
  %5 = train.reshape %4 : (tensor<1x3x2x4x4xf32>) -> tensor<3x2x4x4xf32>
  %6 = train.transpose %5 {permutation = array<i64: 0, 3, 1, 2>} : (tensor<3x2x4x4xf32>) -> tensor<3x4x2x4xf32>
  %7 = train.multiply %3, %6 : (tensor<3x4x2x4xf32>, tensor<3x4x2x4xf32>) -> tensor<3x4x2x4xf32>
  %8 = train.add %7, %7 : (tensor<3x4x2x4xf32>, tensor<3x4x2x4xf32>) -> tensor<3x4x2x4xf32>
  %9 = train.transpose %8 {permutation = array<i64: 0, 2, 3, 1>} : (tensor<3x4x2x4xf32>) -> tensor<3x2x4x4xf32>
  %10 = train.reshape %9 : (tensor<3x2x4x4xf32>) -> tensor<1x3x2x4x4xf32>
  %11 = train.constant dense<0.000000e+00> : tensor<f32>
  %12 = train.pad %10, %11 {high = array<i64: 0, 1, 0, 0, 0>, interior = array<i64: 0, 0, 0, 0, 0>, low = array<i64: 0, 0, 0, 0, 0>} : (tensor<1x3x2x4x4xf32>, tensor<f32>) -> tensor<1x4x2x4x4xf32>
  %13 = train.constant dense<0> : tensor<i32>
  %14 = train.constant dense<2> : tensor<i32>
  %15 = train.slice %arg1 {limit = array<i64: 2>, start = array<i64: 1>, stride = array<i64: 1>} : (tensor<2xi32>) -> tensor<1xi32>
  %16 = train.reshape %15 : (tensor<1xi32>) -> tensor<i32>
  %17 = train.multiply %16, %14 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %18 = train.dynamic_slice %12, %13, %17, %13, %13, %13 {sizes = array<i64: 1, 2, 2, 4, 4>} : (tensor<1x4x2x4x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x2x2x4x4xf32>
  return %18 : tensor<1x2x2x4x4xf32>
}
func.func @reduce_22464da001fa80bd(%arg0: tensor<4xi32>) -> tensor<ui32> {
  %0 = train.reduce %arg0 {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<4xi32>) -> tensor<i32>
  %1 = train.convert %0 : (tensor<i32>) -> tensor<ui32>
  return %1 : tensor<ui32>
}
func.func @reduce_f2a596ec6d4796a1(%arg0: tensor<2xi32>, %arg1: tensor<3x4xf32>, %arg2: tensor<3xf32>, %arg3: tensor<4xf32>) -> tensor<4xf32> {
  %0 = train.constant dense<0.000000e+00> : tensor<f32>
  %1 = train.constant dense<4> : tensor<i32>
  %2 = train.slice %arg0 {limit = array<i64: 2>, start = array<i64: 1>, stride = array<i64: 1>} : (tensor<2xi32>) -> tensor<1xi32>
  %3 = train.reshape %2 : (tensor<1xi32>) -> tensor<i32>
  %4 = train.multiply %3, %1 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %5 = train.broadcast_in_dim %0 {dims = array<i64>} : (tensor<f32>) -> tensor<3x4xf32>
  %6 = train.constant dense<-5> : tensor<i32>
  %7 = train.add %4, %6 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %8 = train.iota %7 {dim = 0 : i64} : (tensor<i32>) -> tensor<4xi32>
  %9 = train.constant dense<0> : tensor<4xi32>
  %10 = train.compare %8, %9 {direction = #train<compare_direction GE>} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  %11 = train.constant dense<1> : tensor<4xi32>
  %12 = train.compare %8, %11 {direction = #train<compare_direction LT>} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  %13 = train.and %10, %12 : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  %14 = train.broadcast_in_dim %13 {dims = array<i64: 1>} : (tensor<4xi1>) -> tensor<3x4xi1>
  %15 = train.select %14, %arg1, %5 : (tensor<3x4xi1>, tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %16 = train.pad %15, %0 {high = array<i64: 0, 0>, interior = array<i64: 0, 0>, low = array<i64: 0, 0>} : (tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xf32>
  %17 = train.broadcast_in_dim %arg2 {dims = array<i64: 0>} : (tensor<3xf32>) -> tensor<3x4xf32>
  %18 = train.multiply %16, %17 : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %19 = train.constant dense<0.000000e+00> : tensor<3x4xf32>
  %20 = train.constant dense<3> : tensor<i32>
  %21 = train.slice %arg0 {limit = array<i64: 1>, start = array<i64: 0>, stride = array<i64: 1>} : (tensor<2xi32>) -> tensor<1xi32>
  %22 = train.reshape %21 : (tensor<1xi32>) -> tensor<i32>
  %23 = train.multiply %22, %20 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %24 = train.iota %23 {dim = 0 : i64} : (tensor<i32>) -> tensor<3xi32>
  %25 = train.constant dense<5> : tensor<3xi32>
  %26 = train.compare %24, %25 {direction = #train<compare_direction LT>} : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
  %27 = train.broadcast_in_dim %26 {dims = array<i64: 0>} : (tensor<3xi1>) -> tensor<3x4xi1>
  %28 = train.select %27, %18, %19 : (tensor<3x4xi1>, tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %29 = train.reduce %28 {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<3x4xf32>) -> tensor<4xf32>
  %30 = train.add %arg3, %29 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %30 : tensor<4xf32>
}
func.func @reduce_3fbe265c36ee452f(%arg0: tensor<2x6x6x5xf32>, %arg1: tensor<f32>) -> (tensor<f32>, tensor<2x6x6x5xf32>) {
  %0 = train.convert %arg0 : (tensor<2x6x6x5xf32>) -> tensor<2x6x6x5xf64>
  %1 = train.multiply %0, %0 : (tensor<2x6x6x5xf64>, tensor<2x6x6x5xf64>) -> tensor<2x6x6x5xf64>
  %2 = train.convert %1 : (tensor<2x6x6x5xf64>) -> tensor<2x6x6x5xf32>
  %3 = train.tanh %2 : (tensor<2x6x6x5xf32>) -> tensor<2x6x6x5xf32>
  %4 = train.reduce %3 {dims = array<i64: 0, 1, 2, 3>, kind = #train<reduce_kind add>} : (tensor<2x6x6x5xf32>) -> tensor<f32>
  %5 = train.constant dense<0.00138888892> : tensor<f32>
  %6 = train.multiply %4, %5 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %7 = train.add %arg1, %6 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %8 = train.constant dense<0.00138888892> : tensor<f32>
  %9 = train.broadcast_in_dim %8 {dims = array<i64>} : (tensor<f32>) -> tensor<2x6x6x5xf32>
  %10 = train.constant dense<1.000000e+00> : tensor<2x6x6x5xf32>
  %11 = train.subtract %10, %3 : (tensor<2x6x6x5xf32>, tensor<2x6x6x5xf32>) -> tensor<2x6x6x5xf32>
  %12 = train.add %10, %3 : (tensor<2x6x6x5xf32>, tensor<2x6x6x5xf32>) -> tensor<2x6x6x5xf32>
  %13 = train.multiply %11, %12 : (tensor<2x6x6x5xf32>, tensor<2x6x6x5xf32>) -> tensor<2x6x6x5xf32>
  %14 = train.multiply %9, %13 : (tensor<2x6x6x5xf32>, tensor<2x6x6x5xf32>) -> tensor<2x6x6x5xf32>
  %15 = train.convert %14 : (tensor<2x6x6x5xf32>) -> tensor<2x6x6x5xf64>
  %16 = train.convert %arg0 : (tensor<2x6x6x5xf32>) -> tensor<2x6x6x5xf64>
  %17 = train.multiply %15, %16 : (tensor<2x6x6x5xf64>, tensor<2x6x6x5xf64>) -> tensor<2x6x6x5xf64>
  %18 = train.add %17, %17 : (tensor<2x6x6x5xf64>, tensor<2x6x6x5xf64>) -> tensor<2x6x6x5xf64>
  %19 = train.convert %18 : (tensor<2x6x6x5xf64>) -> tensor<2x6x6x5xf32>
  return %7, %19 : tensor<f32>, tensor<2x6x6x5xf32>
}
func.func @reduce_50da640c96681900(%arg0: tensor<8x8x8xf32>) -> tensor<f32> {
  %0 = train.constant dense<0> : tensor<i32>
  %1 = train.dynamic_update_slice %arg0, %arg0, %0, %0, %0 : (tensor<8x8x8xf32>, tensor<8x8x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<8x8x8xf32>
  %2 = train.iota  {dim = 0 : i64} : () -> tensor<8x8x8xf32>
  %3 = train.cosine %2 : (tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
  %4 = train.multiply %1, %3 : (tensor<8x8x8xf32>, tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
  %5 = train.reduce %4 {dims = array<i64: 0, 1, 2>, kind = #train<reduce_kind add>} : (tensor<8x8x8xf32>) -> tensor<f32>
  %6 = train.constant dense<0.001953125> : tensor<f32>
  %7 = train.multiply %5, %6 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %7 : tensor<f32>
}
func.func @sum_of_squares_5b1a5ead59aab01b(%arg0: tensor<2xi32>) -> tensor<1xf32> {
  %0 = train.constant dense<0> : tensor<i32>
  %1 = train.constant dense<7.71604944E-4> : tensor<f32>
  %2 = train.broadcast_in_dim %1 {dims = array<i64>} : (tensor<f32>) -> tensor<9x6x12xf32>
  %3 = train.constant dense<0.000000e+00> : tensor<f32>
  %4 = train.pad %2, %3 {high = array<i64: 0, 0, 0>, interior = array<i64: 0, 0, 0>, low = array<i64: 0, 0, 1>} : (tensor<9x6x12xf32>, tensor<f32>) -> tensor<9x6x13xf32>
  %5 = train.slice %4 {limit = array<i64: 9, 4, 10>, start = array<i64: 1, 3, 0>, stride = array<i64: 1, 1, 3>} : (tensor<9x6x13xf32>) -> tensor<8x1x4xf32>
  %6 = train.reverse %5 {dims = array<i64: 1>} : (tensor<8x1x4xf32>) -> tensor<8x1x4xf32>
  %7 = train.reverse %6 {dims = array<i64: 1>} : (tensor<8x1x4xf32>) -> tensor<8x1x4xf32>
  %8 = train.constant dense<2> : tensor<i32>
  %9 = train.slice %arg0 {limit = array<i64: 2>, start = array<i64: 1>, stride = array<i64: 1>} : (tensor<2xi32>) -> tensor<1xi32>
  %10 = train.reshape %9 : (tensor<1xi32>) -> tensor<i32>
  %11 = train.slice %arg0 {limit = array<i64: 1>, start = array<i64: 0>, stride = array<i64: 1>} : (tensor<2xi32>) -> tensor<1xi32>
  %12 = train.reshape %11 : (tensor<1xi32>) -> tensor<i32>
  %13 = train.constant dense<2> : tensor<i32>
  %14 = train.multiply %10, %13 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %15 = train.add %14, %12 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %16 = train.multiply %15, %8 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %17 = train.dynamic_slice %7, %16, %0, %0 {sizes = array<i64: 2, 1, 4>} : (tensor<8x1x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x1x4xf32>
  %18 = train.sum_of_squares %17 : (tensor<2x1x4xf32>) -> tensor<1xf32>
  return %18 : tensor<1xf32>
}
func.func @reduce_3950a64838e078de(%arg0: tensor<3xi32>, %arg1: tensor<1x6x2xf32>, %arg2: tensor<1x6x2xf32>) -> (tensor<1x6x2xf32>, tensor<6x2xf32>) {
  %0 = train.constant dense<0.00793650839> : tensor<f32>
  %1 = train.broadcast_in_dim %0 {dims = array<i64>} : (tensor<f32>) -> tensor<1x6x2xf32>
  %2 = train.constant dense<1> : tensor<i32>
  %3 = train.slice %arg0 {limit = array<i64: 3>, start = array<i64: 2>, stride = array<i64: 1>} : (tensor<3xi32>) -> tensor<1xi32>
  %4 = train.reshape %3 : (tensor<1xi32>) -> tensor<i32>
  %5 = train.multiply %4, %2 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %6 = train.iota %5 {dim = 0 : i64} : (tensor<i32>) -> tensor<1x6x2xf32>
  %7 = train.cosine %6 : (tensor<1x6x2xf32>) -> tensor<1x6x2xf32>
  %8 = train.multiply %1, %7 : (tensor<1x6x2xf32>, tensor<1x6x2xf32>) -> tensor<1x6x2xf32>
  %9 = train.divide %8, %arg1 : (tensor<1x6x2xf32>, tensor<1x6x2xf32>) -> tensor<1x6x2xf32>
  %10 = train.multiply %9, %arg2 : (tensor<1x6x2xf32>, tensor<1x6x2xf32>) -> tensor<1x6x2xf32>
  %11 = train.negate %10 : (tensor<1x6x2xf32>) -> tensor<1x6x2xf32>
  %12 = train.reduce %11 {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<1x6x2xf32>) -> tensor<6x2xf32>
  return %9, %12 : tensor<1x6x2xf32>, tensor<6x2xf32>
}
func.func @convolution_9e98df1d5d91b3dc(%arg0: tensor<3xi32>, %arg1: tensor<2x8x4xf32>, %arg2: tensor<1x6x2xf32>, %arg3: tensor<4x1x3xf32>) -> tensor<4x1x3xf32> {
  %0 = train.constant dense<0.000000e+00> : tensor<2x8x4xf32>
  %1 = train.constant dense<2> : tensor<i32>
  %2 = train.slice %arg0 {limit = array<i64: 1>, start = array<i64: 0>, stride = array<i64: 1>} : (tensor<3xi32>) -> tensor<1xi32>
  %3 = train.reshape %2 : (tensor<1xi32>) -> tensor<i32>
  %4 = train.slice %arg0 {limit = array<i64: 2>, start = array<i64: 1>, stride = array<i64: 1>} : (tensor<3xi32>) -> tensor<1xi32>
  %5 = train.reshape %4 : (tensor<1xi32>) -> tensor<i32>
  %6 = train.constant dense<2> : tensor<i32>
  %7 = train.multiply %3, %6 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %8 = train.add %7, %5 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %9 = train.multiply %8, %1 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %10 = train.iota %9 {dim = 0 : i64} : (tensor<i32>) -> tensor<2xi32>
  %11 = train.constant dense<7> : tensor<2xi32>
  %12 = train.compare %10, %11 {direction = #train<compare_direction LT>} : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
  %13 = train.broadcast_in_dim %12 {dims = array<i64: 0>} : (tensor<2xi1>) -> tensor<2x8x4xi1>
  %14 = train.select %13, %arg1, %0 : (tensor<2x8x4xi1>, tensor<2x8x4xf32>, tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  %15 = train.constant dense<0.000000e+00> : tensor<1x6x2xf32>
  %16 = train.broadcast_in_dim %12 {dims = array<i64: 2>} : (tensor<2xi1>) -> tensor<1x6x2xi1>
  %17 = train.select %16, %arg2, %15 : (tensor<1x6x2xi1>, tensor<1x6x2xf32>, tensor<1x6x2xf32>) -> tensor<1x6x2xf32>
  %18 = train.convolution %14, %17 {input_dims = array<i64: 2, 0, 1>, kernel_dims = array<i64: 2, 0, 1>, lhs_dilation = array<i64: 1>, output_dims = array<i64: 0, 1, 2>, pad_high = array<i64: 1>, pad_low = array<i64: -1>, reversal = array<i1: false>, rhs_dilation = array<i64: 1>, strides = array<i64: 1>} : (tensor<2x8x4xf32>, tensor<1x6x2xf32>) -> tensor<4x1x3xf32>
  %19 = train.add %arg3, %18 : (tensor<4x1x3xf32>, tensor<4x1x3xf32>) -> tensor<4x1x3xf32>
  return %19 : tensor<4x1x3xf32>
}
func.func @dot_general_4377aa640ef41b14(%arg0: tensor<8xf16>, %arg1: tensor<3x1x1xi32>) -> (tensor<1x3xf32>, tensor<1x3xf16>) {
  %0 = train.gather %arg0, %arg1 {collapsed_slice_dims = array<i64>, index_vector_dim = 2 : i64, indices_batching_dims = array<i64>, offset_dims = array<i64: 1>, operand_batching_dims = array<i64>, slice_sizes = array<i64: 7>, start_index_map = array<i64: 0>} : (tensor<8xf16>, tensor<3x1x1xi32>) -> tensor<3x7x1xf16>
  %1 = train.dot_general %0, %0 {lhs_batching = array<i64: 2, 0>, lhs_contracting = array<i64: 1>, rhs_batching = array<i64: 2, 0>, rhs_contracting = array<i64: 1>} : (tensor<3x7x1xf16>, tensor<3x7x1xf16>) -> tensor<1x3xf32>
  %2 = train.convert %1 : (tensor<1x3xf32>) -> tensor<1x3xf16>
  %3 = train.convert %2 : (tensor<1x3xf16>) -> tensor<1x3xf32>
  %4 = train.tanh %3 : (tensor<1x3xf32>) -> tensor<1x3xf32>
  %5 = train.multiply %4, %4 : (tensor<1x3xf32>, tensor<1x3xf32>) -> tensor<1x3xf32>
  %6 = train.convert %5 : (tensor<1x3xf32>) -> tensor<1x3xf16>
  %7 = train.convert %6 : (tensor<1x3xf16>) -> tensor<1x3xf32>
  %8 = train.constant dense<5.000000e-01> : tensor<f32>
  %9 = train.broadcast_in_dim %8 {dims = array<i64>} : (tensor<f32>) -> tensor<1x3xf32>
  %10 = train.add %7, %9 : (tensor<1x3xf32>, tensor<1x3xf32>) -> tensor<1x3xf32>
  %11 = train.cbrt %10 : (tensor<1x3xf32>) -> tensor<1x3xf32>
  %12 = train.convert %11 : (tensor<1x3xf32>) -> tensor<1x3xf16>
  return %7, %12 : tensor<1x3xf32>, tensor<1x3xf16>
}
func.func @dot_general_f8136e397380fb30(%arg0: tensor<1x1xf32>, %arg1: tensor<4x3x4xf16>) -> tensor<4x3x1xf32> {
  %0 = train.add %arg0, %arg0 : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
  %1 = train.convert %0 : (tensor<1x1xf32>) -> tensor<1x1xf16>
  %2 = train.slice %arg1 {limit = array<i64: 4, 3, 3>, start = array<i64: 0, 0, 2>, stride = array<i64: 1, 1, 1>} : (tensor<4x3x4xf16>) -> tensor<4x3x1xf16>
  %3 = train.dot_general %2, %1 {lhs_batching = array<i64>, lhs_contracting = array<i64: 2>, rhs_batching = array<i64>, rhs_contracting = array<i64: 1>} : (tensor<4x3x1xf16>, tensor<1x1xf16>) -> tensor<4x3x1xf32>
  %4 = train.tanh %3 : (tensor<4x3x1xf32>) -> tensor<4x3x1xf32>
  return %4 : tensor<4x3x1xf32>
}
func.func @reduce_e625a6dedc47d9fb(%arg0: tensor<8x8xi32>, %arg1: tensor<3x1x1xi32>, %arg2: tensor<3x1x8xi32>, %arg3: tensor<2xi32>, %arg4: tensor<3x1x4xf32>) -> tensor<1xf32> {
  %0 = train.constant dense<0.000000e+00> : tensor<3x1x4xf32>
  %1 = train.constant dense<4> : tensor<i32>
  %2 = train.gather %arg0, %arg1 {collapsed_slice_dims = array<i64: 1>, index_vector_dim = 2 : i64, indices_batching_dims = array<i64>, offset_dims = array<i64: 2>, operand_batching_dims = array<i64>, slice_sizes = array<i64: 8, 1>, start_index_map = array<i64: 1>} : (tensor<8x8xi32>, tensor<3x1x1xi32>) -> tensor<3x1x8xi32>
  %3 = train.compare %2, %arg2 {direction = #train<compare_direction EQ>} : (tensor<3x1x8xi32>, tensor<3x1x8xi32>) -> tensor<3x1x8xi1>
  %4 = train.constant dense<0> : tensor<i32>
  %5 = train.slice %arg3 {limit = array<i64: 2>, start = array<i64: 1>, stride = array<i64: 1>} : (tensor<2xi32>) -> tensor<1xi32>
  %6 = train.reshape %5 : (tensor<1xi32>) -> tensor<i32>
  %7 = train.multiply %6, %1 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %8 = train.dynamic_slice %3, %4, %4, %7 {sizes = array<i64: 3, 1, 4>} : (tensor<3x1x8xi1>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x1x4xi1>
  %9 = train.select %8, %arg4, %0 : (tensor<3x1x4xi1>, tensor<3x1x4xf32>, tensor<3x1x4xf32>) -> tensor<3x1x4xf32>
  %10 = train.reduce %9 {dims = array<i64: 0, 2>, kind = #train<reduce_kind add>} : (tensor<3x1x4xf32>) -> tensor<1xf32>
  return %10 : tensor<1xf32>
}
