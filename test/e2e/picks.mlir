// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// This is the loss that test/e2e/picks.py trains, as JAX prints it: it reads and writes a few positions of a sequence
// at a computed index, and the metrics are an argmax over the vocabulary and one over the sequence.
module @jit_loss attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<12xf32> loc("params['scale']"), %arg1: tensor<40x12xf32> loc("params['wte']"), %arg2: tensor<i32> loc("batch['at']"), %arg3: tensor<6x10xi32> loc("batch['x']")) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<f32> {jax.result_info = "result[1]['accuracy']"}, tensor<f32> {jax.result_info = "result[1]['worst']"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<6x10xi32>
    %1 = stablehlo.compare LT, %arg3, %0, SIGNED : (tensor<6x10xi32>, tensor<6x10xi32>) -> tensor<6x10xi1>
    %c_0 = stablehlo.constant dense<40> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<6x10xi32>
    %3 = stablehlo.add %arg3, %2 : tensor<6x10xi32>
    %4 = stablehlo.select %1, %3, %arg3 : tensor<6x10xi1>, tensor<6x10xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<6x10xi32>) -> tensor<6x10x1xi32>
    %6 = "stablehlo.gather"(%arg1, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 12>}> : (tensor<40x12xf32>, tensor<6x10x1xi32>) -> tensor<6x10x12xf32>
    %7 = stablehlo.tanh %6 : tensor<6x10x12xf32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %8 = stablehlo.compare LT, %arg2, %c_1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_2 = stablehlo.constant dense<10> : tensor<i32>
    %9 = stablehlo.add %arg2, %c_2 : tensor<i32>
    %10 = stablehlo.select %8, %9, %arg2 : tensor<i1>, tensor<i32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %c_4 = stablehlo.constant dense<0> : tensor<i32>
    %11 = stablehlo.dynamic_slice %7, %c_3, %10, %c_4, sizes = [6, 3, 12] : (tensor<6x10x12xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<6x3x12xf32>
    %12 = stablehlo.sine %11 : tensor<6x3x12xf32>
    %13 = stablehlo.broadcast_in_dim %arg0, dims = [2] : (tensor<12xf32>) -> tensor<1x1x12xf32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0, 1, 2] : (tensor<1x1x12xf32>) -> tensor<6x3x12xf32>
    %15 = stablehlo.multiply %12, %14 : tensor<6x3x12xf32>
    %c_5 = stablehlo.constant dense<2> : tensor<i32>
    %16 = stablehlo.add %arg2, %c_5 : tensor<i32>
    %c_6 = stablehlo.constant dense<0> : tensor<i32>
    %17 = stablehlo.compare LT, %16, %c_6, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_7 = stablehlo.constant dense<10> : tensor<i32>
    %18 = stablehlo.add %16, %c_7 : tensor<i32>
    %19 = stablehlo.select %17, %18, %16 : tensor<i1>, tensor<i32>
    %c_8 = stablehlo.constant dense<0> : tensor<i32>
    %c_9 = stablehlo.constant dense<0> : tensor<i32>
    %20 = stablehlo.dynamic_update_slice %7, %15, %c_8, %19, %c_9 : (tensor<6x10x12xf32>, tensor<6x3x12xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<6x10x12xf32>
    %21 = stablehlo.transpose %arg1, dims = [1, 0] : (tensor<40x12xf32>) -> tensor<12x40xf32>
    %22 = stablehlo.dot_general %20, %21, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x10x12xf32>, tensor<12x40xf32>) -> tensor<6x10x40xf32>
    %23 = call @_roll_static(%arg3) : (tensor<6x10xi32>) -> tensor<6x10xi32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %24 = stablehlo.reduce(%22 init: %cst) applies stablehlo.maximum across dimensions = [2] : (tensor<6x10x40xf32>, tensor<f32>) -> tensor<6x10xf32>
    %cst_10 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %25 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<6x10xf32>
    %26 = stablehlo.maximum %25, %24 : tensor<6x10xf32>
    %27 = stablehlo.is_finite %26 : (tensor<6x10xf32>) -> tensor<6x10xi1>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %28 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<6x10xf32>
    %29 = stablehlo.select %27, %26, %28 : tensor<6x10xi1>, tensor<6x10xf32>
    %30 = stablehlo.broadcast_in_dim %29, dims = [0, 1] : (tensor<6x10xf32>) -> tensor<6x10x1xf32>
    %31 = stablehlo.broadcast_in_dim %30, dims = [0, 1, 2] : (tensor<6x10x1xf32>) -> tensor<6x10x40xf32>
    %32 = stablehlo.subtract %22, %31 : tensor<6x10x40xf32>
    %33 = stablehlo.exponential %32 : tensor<6x10x40xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %34 = stablehlo.reduce(%33 init: %cst_12) applies stablehlo.add across dimensions = [2] : (tensor<6x10x40xf32>, tensor<f32>) -> tensor<6x10xf32>
    %35 = stablehlo.abs %34 : tensor<6x10xf32>
    %36 = stablehlo.log %35 : tensor<6x10xf32>
    %37 = stablehlo.add %36, %29 : tensor<6x10xf32>
    %38 = stablehlo.broadcast_in_dim %23, dims = [0, 1] : (tensor<6x10xi32>) -> tensor<6x10x1xi32>
    %39 = call @take_along_axis(%22, %38) : (tensor<6x10x40xf32>, tensor<6x10x1xi32>) -> tensor<6x10x1xf32>
    %40 = stablehlo.reshape %39 : (tensor<6x10x1xf32>) -> tensor<6x10xf32>
    %41 = stablehlo.subtract %37, %40 : tensor<6x10xf32>
    %42 = call @argmax(%22) : (tensor<6x10x40xf32>) -> tensor<6x10xi32>
    %43 = stablehlo.compare EQ, %42, %arg3, SIGNED : (tensor<6x10xi32>, tensor<6x10xi32>) -> tensor<6x10xi1>
    %44 = stablehlo.convert %43 : (tensor<6x10xi1>) -> tensor<6x10xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %45 = stablehlo.reduce(%44 init: %cst_13) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x10xf32>, tensor<f32>) -> tensor<f32>
    %cst_14 = stablehlo.constant dense<6.000000e+01> : tensor<f32>
    %46 = stablehlo.divide %45, %cst_14 : tensor<f32>
    %47 = call @argmax_0(%41) : (tensor<6x10xf32>) -> tensor<6xi32>
    %48 = stablehlo.convert %47 : (tensor<6xi32>) -> tensor<6xf32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %49 = stablehlo.reduce(%48 init: %cst_15) applies stablehlo.add across dimensions = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<f32>
    %cst_16 = stablehlo.constant dense<6.000000e+00> : tensor<f32>
    %50 = stablehlo.divide %49, %cst_16 : tensor<f32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %51 = stablehlo.reduce(%41 init: %cst_17) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x10xf32>, tensor<f32>) -> tensor<f32>
    %cst_18 = stablehlo.constant dense<6.000000e+01> : tensor<f32>
    %52 = stablehlo.divide %51, %cst_18 : tensor<f32>
    %53 = stablehlo.multiply %11, %11 : tensor<6x3x12xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %54 = stablehlo.reduce(%53 init: %cst_19) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<6x3x12xf32>, tensor<f32>) -> tensor<f32>
    %cst_20 = stablehlo.constant dense<2.160000e+02> : tensor<f32>
    %55 = stablehlo.divide %54, %cst_20 : tensor<f32>
    %56 = stablehlo.add %52, %55 : tensor<f32>
    return %56, %46, %50 : tensor<f32>, tensor<f32>, tensor<f32>
  }
  func.func private @_roll_static(%arg0: tensor<6x10xi32>) -> tensor<6x10xi32> {
    %0 = stablehlo.slice %arg0 [0:6, 1:10] : (tensor<6x10xi32>) -> tensor<6x9xi32>
    %1 = stablehlo.slice %arg0 [0:6, 0:1] : (tensor<6x10xi32>) -> tensor<6x1xi32>
    %2 = stablehlo.concatenate %0, %1, dim = 1 : (tensor<6x9xi32>, tensor<6x1xi32>) -> tensor<6x10xi32>
    return %2 : tensor<6x10xi32>
  }
  func.func private @take_along_axis(%arg0: tensor<6x10x40xf32>, %arg1: tensor<6x10x1xi32>) -> tensor<6x10x1xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<6x10x1xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<6x10x1xi32>, tensor<6x10x1xi32>) -> tensor<6x10x1xi1>
    %c_0 = stablehlo.constant dense<40> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<6x10x1xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<6x10x1xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<6x10x1xi1>, tensor<6x10x1xi32>
    %5 = stablehlo.reshape %4 : (tensor<6x10x1xi32>) -> tensor<6x10x1x1xi32>
    %c_1 = stablehlo.constant dense<39> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<6x10x1x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<6x10x1x1xi32>, tensor<6x10x1x1xi32>) -> tensor<6x10x1x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [3] : (tensor<1xi32>) -> tensor<1x1x1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2, 3] : (tensor<1x1x1x1xi32>) -> tensor<6x10x1x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<6x10x1x1xi32>, tensor<6x10x1x1xi32>) -> tensor<6x10x1x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<6x10x1x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c_3) applies stablehlo.and across dimensions = [3] : (tensor<6x10x1x1xi1>, tensor<i1>) -> tensor<6x10x1xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [2], operand_batching_dims = [0, 1], start_indices_batching_dims = [0, 1], start_index_map = [2], index_vector_dim = 3>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<6x10x40xf32>, tensor<6x10x1x1xi32>) -> tensor<6x10x1xf32>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x10x1xf32>
    %15 = stablehlo.select %12, %13, %14 : tensor<6x10x1xi1>, tensor<6x10x1xf32>
    return %15 : tensor<6x10x1xf32>
  }
  func.func private @argmax(%arg0: tensor<6x10x40xf32>) -> tensor<6x10xi32> {
    %0 = stablehlo.iota dim = 2 : tensor<6x10x40xi32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1:2 = stablehlo.reduce(%arg0 init: %cst), (%0 init: %c) across dimensions = [2] : (tensor<6x10x40xf32>, tensor<6x10x40xi32>, tensor<f32>, tensor<i32>) -> (tensor<6x10xf32>, tensor<6x10xi32>)
     reducer(%arg1: tensor<f32>, %arg3: tensor<f32>) (%arg2: tensor<i32>, %arg4: tensor<i32>)  {
      %2 = stablehlo.compare GT, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<f32>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i32>
      stablehlo.return %9, %10 : tensor<f32>, tensor<i32>
    }
    return %1#1 : tensor<6x10xi32>
  }
  func.func private @argmax_0(%arg0: tensor<6x10xf32>) -> tensor<6xi32> {
    %0 = stablehlo.iota dim = 1 : tensor<6x10xi32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1:2 = stablehlo.reduce(%arg0 init: %cst), (%0 init: %c) across dimensions = [1] : (tensor<6x10xf32>, tensor<6x10xi32>, tensor<f32>, tensor<i32>) -> (tensor<6xf32>, tensor<6xi32>)
     reducer(%arg1: tensor<f32>, %arg3: tensor<f32>) (%arg2: tensor<i32>, %arg4: tensor<i32>)  {
      %2 = stablehlo.compare GT, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<f32>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i32>
      stablehlo.return %9, %10 : tensor<f32>, tensor<i32>
    }
    return %1#1 : tensor<6xi32>
  }
}
