// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module @jit_s3 attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<9x4xf32> loc("p['x']"), %arg1: tensor<9x4xf32> loc("b['f']"), %arg2: tensor<9x4xi32> loc("b['k']"), %arg3: tensor<9x4xf32> loc("b['m']")) -> (tensor<f32> {jax.result_info = "result"}) {
    %0 = stablehlo.multiply %arg0, %arg3 : tensor<9x4xf32>
    %1 = stablehlo.multiply %0, %0 : tensor<9x4xf32>
    %2:4 = "stablehlo.sort"(%arg1, %arg2, %0, %1) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>, %arg6: tensor<i32>, %arg7: tensor<i32>, %arg8: tensor<f32>, %arg9: tensor<f32>, %arg10: tensor<f32>, %arg11: tensor<f32>):
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %16 = stablehlo.compare EQ, %arg4, %cst_2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %17 = stablehlo.select %16, %cst_3, %arg4 : tensor<i1>, tensor<f32>
      %18 = stablehlo.compare NE, %arg4, %arg4, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_4 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %19 = stablehlo.select %18, %cst_4, %17 : tensor<i1>, tensor<f32>
      %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %20 = stablehlo.compare EQ, %arg5, %cst_5, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %21 = stablehlo.select %20, %cst_6, %arg5 : tensor<i1>, tensor<f32>
      %22 = stablehlo.compare NE, %arg5, %arg5, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_7 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %23 = stablehlo.select %22, %cst_7, %21 : tensor<i1>, tensor<f32>
      %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %24 = stablehlo.compare EQ, %arg8, %cst_8, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %25 = stablehlo.select %24, %cst_9, %arg8 : tensor<i1>, tensor<f32>
      %26 = stablehlo.compare NE, %arg8, %arg8, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_10 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %27 = stablehlo.select %26, %cst_10, %25 : tensor<i1>, tensor<f32>
      %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %28 = stablehlo.compare EQ, %arg9, %cst_11, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %29 = stablehlo.select %28, %cst_12, %arg9 : tensor<i1>, tensor<f32>
      %30 = stablehlo.compare NE, %arg9, %arg9, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_13 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %31 = stablehlo.select %30, %cst_13, %29 : tensor<i1>, tensor<f32>
      %32 = stablehlo.compare LT, %27, %31, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %33 = stablehlo.compare LT, %arg6, %arg7, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %34 = stablehlo.compare EQ, %arg6, %arg7, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %35 = stablehlo.and %34, %32 : tensor<i1>
      %36 = stablehlo.or %33, %35 : tensor<i1>
      %37 = stablehlo.compare LT, %19, %23, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %38 = stablehlo.compare EQ, %19, %23, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %39 = stablehlo.and %38, %36 : tensor<i1>
      %40 = stablehlo.or %37, %39 : tensor<i1>
      stablehlo.return %40 : tensor<i1>
    }) : (tensor<9x4xf32>, tensor<9x4xi32>, tensor<9x4xf32>, tensor<9x4xf32>) -> (tensor<9x4xf32>, tensor<9x4xi32>, tensor<9x4xf32>, tensor<9x4xf32>)
    %3 = stablehlo.iota dim = 0 : tensor<9xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %5 = stablehlo.add %4, %3 : tensor<9xf32>
    %cst_0 = stablehlo.constant dense<7.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %7 = stablehlo.divide %5, %6 : tensor<9xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<9xf32>) -> tensor<9x1xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<9x1xf32>) -> tensor<9x4xf32>
    %10 = stablehlo.multiply %2#2, %9 : tensor<9x4xf32>
    %11 = stablehlo.multiply %8, %8 : tensor<9x1xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<9x1xf32>) -> tensor<9x4xf32>
    %13 = stablehlo.multiply %2#3, %12 : tensor<9x4xf32>
    %14 = stablehlo.add %10, %13 : tensor<9x4xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.reduce(%14 init: %cst_1) applies stablehlo.add across dimensions = [0, 1] : (tensor<9x4xf32>, tensor<f32>) -> tensor<f32>
    return %15 : tensor<f32>
  }
}
