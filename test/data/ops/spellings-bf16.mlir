module @jit_loss16 attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<6x2x4xf32> loc("p['k']"), %arg1: tensor<6x2x4xf32> loc("p['q']"), %arg2: tensor<6x2x4xf32> loc("p['v']"), %arg3: tensor<2x12x6xf32> loc("b['x']")) -> (tensor<f32> {jax.result_info = "result"}) {
    %0 = stablehlo.dot_general %arg3, %arg1, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x12x6xf32>, tensor<6x2x4xf32>) -> tensor<2x12x2x4xf32>
    %1 = stablehlo.convert %0 : (tensor<2x12x2x4xf32>) -> tensor<2x12x2x4xbf16>
    %2 = stablehlo.dot_general %arg3, %arg0, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x12x6xf32>, tensor<6x2x4xf32>) -> tensor<2x12x2x4xf32>
    %3 = stablehlo.convert %2 : (tensor<2x12x2x4xf32>) -> tensor<2x12x2x4xbf16>
    %4 = stablehlo.dot_general %arg3, %arg2, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x12x6xf32>, tensor<6x2x4xf32>) -> tensor<2x12x2x4xf32>
    %5 = stablehlo.convert %4 : (tensor<2x12x2x4xf32>) -> tensor<2x12x2x4xbf16>
    %6 = stablehlo.dot_general %1, %3, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x12x2x4xbf16>, tensor<2x12x2x4xbf16>) -> tensor<2x2x12x12xbf16>
    %cst = stablehlo.constant dense<5.000000e-01> : tensor<bf16>
    %7 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<2x2x12x12xbf16>
    %8 = stablehlo.multiply %6, %7 : tensor<2x2x12x12xbf16>
    %9 = stablehlo.iota dim = 0 : tensor<12xi32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0] : (tensor<12xi32>) -> tensor<12x1xi32>
    %11 = stablehlo.broadcast_in_dim %9, dims = [1] : (tensor<12xi32>) -> tensor<1x12xi32>
    %12 = stablehlo.broadcast_in_dim %10, dims = [0, 1] : (tensor<12x1xi32>) -> tensor<12x12xi32>
    %13 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<1x12xi32>) -> tensor<12x12xi32>
    %14 = stablehlo.compare GE, %12, %13, SIGNED : (tensor<12x12xi32>, tensor<12x12xi32>) -> tensor<12x12xi1>
    %15 = stablehlo.convert %8 : (tensor<2x2x12x12xbf16>) -> tensor<2x2x12x12xf32>
    %cst_0 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %16 = call @_where(%14, %15, %cst_0) : (tensor<12x12xi1>, tensor<2x2x12x12xf32>, tensor<f32>) -> tensor<2x2x12x12xf32>
    %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %17 = stablehlo.reduce(%16 init: %cst_1) applies stablehlo.maximum across dimensions = [3] : (tensor<2x2x12x12xf32>, tensor<f32>) -> tensor<2x2x12xf32>
    %cst_2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<2x2x12xf32>
    %19 = stablehlo.maximum %18, %17 : tensor<2x2x12xf32>
    %20 = stablehlo.broadcast_in_dim %19, dims = [0, 1, 2] : (tensor<2x2x12xf32>) -> tensor<2x2x12x1xf32>
    %21 = stablehlo.broadcast_in_dim %20, dims = [0, 1, 2, 3] : (tensor<2x2x12x1xf32>) -> tensor<2x2x12x12xf32>
    %22 = stablehlo.subtract %16, %21 : tensor<2x2x12x12xf32>
    %23 = stablehlo.exponential %22 : tensor<2x2x12x12xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %24 = stablehlo.reduce(%23 init: %cst_3) applies stablehlo.add across dimensions = [3] : (tensor<2x2x12x12xf32>, tensor<f32>) -> tensor<2x2x12xf32>
    %25 = stablehlo.broadcast_in_dim %24, dims = [0, 1, 2] : (tensor<2x2x12xf32>) -> tensor<2x2x12x1xf32>
    %26 = stablehlo.broadcast_in_dim %25, dims = [0, 1, 2, 3] : (tensor<2x2x12x1xf32>) -> tensor<2x2x12x12xf32>
    %27 = stablehlo.divide %23, %26 : tensor<2x2x12x12xf32>
    %28 = stablehlo.convert %27 : (tensor<2x2x12x12xf32>) -> tensor<2x2x12x12xbf16>
    %29 = stablehlo.dot_general %5, %28, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x12x2x4xbf16>, tensor<2x2x12x12xbf16>) -> tensor<2x2x4x12xbf16>
    %30 = stablehlo.transpose %29, dims = [0, 3, 1, 2] : (tensor<2x2x4x12xbf16>) -> tensor<2x12x2x4xbf16>
    %31 = stablehlo.convert %30 : (tensor<2x12x2x4xbf16>) -> tensor<2x12x2x4xf32>
    %32 = stablehlo.multiply %31, %31 : tensor<2x12x2x4xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %33 = stablehlo.reduce(%32 init: %cst_4) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<2x12x2x4xf32>, tensor<f32>) -> tensor<f32>
    %cst_5 = stablehlo.constant dense<1.920000e+02> : tensor<f32>
    %34 = stablehlo.divide %33, %cst_5 : tensor<f32>
    return %34 : tensor<f32>
  }
  func.func private @_where(%arg0: tensor<12x12xi1> loc(unknown), %arg1: tensor<2x2x12x12xf32> loc(unknown), %arg2: tensor<f32> loc(unknown)) -> tensor<2x2x12x12xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [2, 3] : (tensor<12x12xi1>) -> tensor<2x2x12x12xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<2x2x12x12xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<2x2x12x12xi1>, tensor<2x2x12x12xf32>
    return %3 : tensor<2x2x12x12xf32>
  }
}
