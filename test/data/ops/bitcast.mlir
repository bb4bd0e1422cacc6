// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module @jit_bit attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x9xf32> loc("p['x']"), %arg1: tensor<4x9xf32> loc("b['m']")) -> (tensor<f32> {jax.result_info = "result"}) {
    %0 = stablehlo.bitcast_convert %arg1 : (tensor<4x9xf32>) -> tensor<4x9x4xui8>
    %1 = stablehlo.reshape %0 : (tensor<4x9x4xui8>) -> tensor<4x9x2x2xui8>
    %2 = stablehlo.bitcast_convert %1 : (tensor<4x9x2x2xui8>) -> tensor<4x9x2xui16>
    %3 = stablehlo.bitcast_convert %2 : (tensor<4x9x2xui16>) -> tensor<4x9xf32>
    %4 = stablehlo.convert %0 : (tensor<4x9x4xui8>) -> tensor<4x9x4xf32>
    %cst = stablehlo.constant dense<2.550000e+02> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x9x4xf32>
    %6 = stablehlo.divide %4, %5 : tensor<4x9x4xf32>
    %7 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1] : (tensor<4x9xf32>) -> tensor<4x9x1xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 2] : (tensor<4x9x1xf32>) -> tensor<4x9x4xf32>
    %9 = stablehlo.multiply %8, %6 : tensor<4x9x4xf32>
    %10 = stablehlo.iota dim = 0 : tensor<4xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %12 = stablehlo.add %11, %10 : tensor<4xf32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [2] : (tensor<4xf32>) -> tensor<1x1x4xf32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0, 1, 2] : (tensor<1x1x4xf32>) -> tensor<4x9x4xf32>
    %15 = stablehlo.multiply %9, %14 : tensor<4x9x4xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %16 = stablehlo.reduce(%15 init: %cst_1) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<4x9x4xf32>, tensor<f32>) -> tensor<f32>
    %17 = stablehlo.multiply %arg0, %3 : tensor<4x9xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %18 = stablehlo.reduce(%17 init: %cst_2) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x9xf32>, tensor<f32>) -> tensor<f32>
    %19 = stablehlo.add %16, %18 : tensor<f32>
    return %19 : tensor<f32>
  }
}
