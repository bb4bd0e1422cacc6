// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module @jit_s2 attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x9xf32> loc("p['x']"), %arg1: tensor<4x9xi32> loc("b['k']"), %arg2: tensor<4x9xf32> loc("b['m']")) -> (tensor<f32> {jax.result_info = "result"}) {
    %0 = stablehlo.multiply %arg0, %arg2 : tensor<4x9xf32>
    %1 = stablehlo.tanh %0 : tensor<4x9xf32>
    %2 = stablehlo.multiply %1, %0 : tensor<4x9xf32>
    %3:3 = "stablehlo.sort"(%arg1, %0, %2) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>, %arg5: tensor<f32>, %arg6: tensor<f32>, %arg7: tensor<f32>, %arg8: tensor<f32>):
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %22 = stablehlo.compare EQ, %arg5, %cst_3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %23 = stablehlo.select %22, %cst_4, %arg5 : tensor<i1>, tensor<f32>
      %24 = stablehlo.compare NE, %arg5, %arg5, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_5 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %25 = stablehlo.select %24, %cst_5, %23 : tensor<i1>, tensor<f32>
      %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %26 = stablehlo.compare EQ, %arg6, %cst_6, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %27 = stablehlo.select %26, %cst_7, %arg6 : tensor<i1>, tensor<f32>
      %28 = stablehlo.compare NE, %arg6, %arg6, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_8 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %29 = stablehlo.select %28, %cst_8, %27 : tensor<i1>, tensor<f32>
      %30 = stablehlo.compare LT, %25, %29, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %31 = stablehlo.compare LT, %arg3, %arg4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %32 = stablehlo.compare EQ, %arg3, %arg4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %33 = stablehlo.and %32, %30 : tensor<i1>
      %34 = stablehlo.or %31, %33 : tensor<i1>
      stablehlo.return %34 : tensor<i1>
    }) : (tensor<4x9xi32>, tensor<4x9xf32>, tensor<4x9xf32>) -> (tensor<4x9xi32>, tensor<4x9xf32>, tensor<4x9xf32>)
    %4 = stablehlo.iota dim = 0 : tensor<9xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %6 = stablehlo.add %5, %4 : tensor<9xf32>
    %cst_0 = stablehlo.constant dense<7.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %8 = stablehlo.divide %6, %7 : tensor<9xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [1] : (tensor<9xf32>) -> tensor<1x9xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<1x9xf32>) -> tensor<4x9xf32>
    %11 = stablehlo.multiply %3#1, %10 : tensor<4x9xf32>
    %12 = stablehlo.multiply %8, %8 : tensor<9xf32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [1] : (tensor<9xf32>) -> tensor<1x9xf32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0, 1] : (tensor<1x9xf32>) -> tensor<4x9xf32>
    %15 = stablehlo.multiply %3#2, %14 : tensor<4x9xf32>
    %16 = stablehlo.add %11, %15 : tensor<4x9xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %17 = stablehlo.reduce(%16 init: %cst_1) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x9xf32>, tensor<f32>) -> tensor<f32>
    %18 = stablehlo.convert %3#0 : (tensor<4x9xi32>) -> tensor<4x9xf32>
    %19 = stablehlo.multiply %18, %3#1 : tensor<4x9xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %20 = stablehlo.reduce(%19 init: %cst_2) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x9xf32>, tensor<f32>) -> tensor<f32>
    %21 = stablehlo.add %17, %20 : tensor<f32>
    return %21 : tensor<f32>
  }
}
