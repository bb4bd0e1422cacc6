// A contrastive loss: the other diagonal of one matrix is picked after a softmax along each dim (of the diagonal itself, rows
// would be counted). Its indices are kept in memory for the backward pass; what reads them there may not take them for the
// affine positions that they are.
// RUN: zcc %s --parameters=1 --quiet -o %t.zexe
// RUN: zcc %s --parameters=1 --quiet --compile-to=scheduled -o - | FileCheck %s
// CHECK: func.func private @{{.*}}tensor<10x1xi32>
// CHECK: train.scatter %{{.*}}, %arg0,
module @jit_A attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<10x10xf32>, %arg1: tensor<10x10xf32>) -> (tensor<f32> {jax.result_info = "result"}) {
    %0 = stablehlo.dot_general %arg1, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<10x10xf32>, tensor<10x10xf32>) -> tensor<10x10xf32>
    %1 = stablehlo.iota dim = 0 : tensor<10xi32>
    %2 = call @log_softmax(%0) : (tensor<10x10xf32>) -> tensor<10x10xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<10xi32>
    %4 = stablehlo.compare LT, %1, %3, SIGNED : (tensor<10xi32>, tensor<10xi32>) -> tensor<10xi1>
    %c_0 = stablehlo.constant dense<10> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<10xi32>
    %6 = stablehlo.add %1, %5 : tensor<10xi32>
    %c_7b = stablehlo.constant dense<9> : tensor<10xi32>
    %7 = stablehlo.subtract %c_7b, %1 : tensor<10xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<10xi32>
    %9 = stablehlo.compare LT, %1, %8, SIGNED : (tensor<10xi32>, tensor<10xi32>) -> tensor<10xi1>
    %c_2 = stablehlo.constant dense<10> : tensor<i32>
    %10 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<10xi32>
    %11 = stablehlo.add %1, %10 : tensor<10xi32>
    %c_12 = stablehlo.constant dense<9> : tensor<10xi32>
    %12 = stablehlo.subtract %c_12, %7 : tensor<10xi32>
    %13 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<10xi32>) -> tensor<10x1xi32>
    %14 = stablehlo.broadcast_in_dim %12, dims = [0] : (tensor<10xi32>) -> tensor<10x1xi32>
    %15 = stablehlo.concatenate %13, %14, dim = 1 : (tensor<10x1xi32>, tensor<10x1xi32>) -> tensor<10x2xi32>
    %16 = "stablehlo.gather"(%2, %15) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<10x10xf32>, tensor<10x2xi32>) -> tensor<10xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %17 = stablehlo.reduce(%16 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<10xf32>, tensor<f32>) -> tensor<f32>
    %cst_3 = stablehlo.constant dense<1.000000e+01> : tensor<f32>
    %18 = stablehlo.divide %17, %cst_3 : tensor<f32>
    %19 = stablehlo.negate %18 : tensor<f32>
    %20 = call @log_softmax_0(%0) : (tensor<10x10xf32>) -> tensor<10x10xf32>
    %c_4 = stablehlo.constant dense<0> : tensor<i32>
    %21 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<10xi32>
    %22 = stablehlo.compare LT, %1, %21, SIGNED : (tensor<10xi32>, tensor<10xi32>) -> tensor<10xi1>
    %c_5 = stablehlo.constant dense<10> : tensor<i32>
    %23 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<10xi32>
    %24 = stablehlo.add %1, %23 : tensor<10xi32>
    %25 = stablehlo.subtract %c_7b, %1 : tensor<10xi32>
    %c_6 = stablehlo.constant dense<0> : tensor<i32>
    %26 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i32>) -> tensor<10xi32>
    %27 = stablehlo.compare LT, %1, %26, SIGNED : (tensor<10xi32>, tensor<10xi32>) -> tensor<10xi1>
    %c_7 = stablehlo.constant dense<10> : tensor<i32>
    %28 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i32>) -> tensor<10xi32>
    %29 = stablehlo.add %1, %28 : tensor<10xi32>
    %30 = stablehlo.subtract %c_12, %25 : tensor<10xi32>
    %31 = stablehlo.broadcast_in_dim %25, dims = [0] : (tensor<10xi32>) -> tensor<10x1xi32>
    %32 = stablehlo.broadcast_in_dim %30, dims = [0] : (tensor<10xi32>) -> tensor<10x1xi32>
    %33 = stablehlo.concatenate %31, %32, dim = 1 : (tensor<10x1xi32>, tensor<10x1xi32>) -> tensor<10x2xi32>
    %34 = "stablehlo.gather"(%20, %33) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<10x10xf32>, tensor<10x2xi32>) -> tensor<10xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %35 = stablehlo.reduce(%34 init: %cst_8) applies stablehlo.add across dimensions = [0] : (tensor<10xf32>, tensor<f32>) -> tensor<f32>
    %cst_9 = stablehlo.constant dense<1.000000e+01> : tensor<f32>
    %36 = stablehlo.divide %35, %cst_9 : tensor<f32>
    %37 = stablehlo.subtract %19, %36 : tensor<f32>
    return %37 : tensor<f32>
  }
  func.func private @log_softmax(%arg0: tensor<10x10xf32>) -> tensor<10x10xf32> {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [0] : (tensor<10x10xf32>, tensor<f32>) -> tensor<10xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %2 = stablehlo.maximum %1, %0 : tensor<10xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [1] : (tensor<10xf32>) -> tensor<1x10xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<1x10xf32>) -> tensor<10x10xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<10x10xf32>
    %6 = stablehlo.exponential %5 : tensor<10x10xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [0] : (tensor<10x10xf32>, tensor<f32>) -> tensor<10xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [1] : (tensor<10xf32>) -> tensor<1x10xf32>
    %9 = stablehlo.log %8 : tensor<1x10xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<1x10xf32>) -> tensor<10x10xf32>
    %11 = stablehlo.subtract %5, %10 : tensor<10x10xf32>
    return %11 : tensor<10x10xf32>
  }
  func.func private @log_softmax_0(%arg0: tensor<10x10xf32>) -> tensor<10x10xf32> {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<10x10xf32>, tensor<f32>) -> tensor<10xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %2 = stablehlo.maximum %1, %0 : tensor<10xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<10xf32>) -> tensor<10x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<10x1xf32>) -> tensor<10x10xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<10x10xf32>
    %6 = stablehlo.exponential %5 : tensor<10x10xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<10x10xf32>, tensor<f32>) -> tensor<10xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<10xf32>) -> tensor<10x1xf32>
    %9 = stablehlo.log %8 : tensor<10x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<10x1xf32>) -> tensor<10x10xf32>
    %11 = stablehlo.subtract %5, %10 : tensor<10x10xf32>
    return %11 : tensor<10x10xf32>
  }
}
