module @jit_loss attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<128x2x64xf32> loc("p['k']"), %arg1: tensor<2x64x128xf32> loc("p['o']"), %arg2: tensor<128x2x64xf32> loc("p['q']"), %arg3: tensor<128x2x64xf32> loc("p['v']"), %arg4: tensor<4xi32> loc("b['len']"), %arg5: tensor<4x128x128xf32> loc("b['x']")) -> (tensor<f32> {jax.result_info = "result"}) {
    %0 = stablehlo.dot_general %arg5, %arg2, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x128x128xf32>, tensor<128x2x64xf32>) -> tensor<4x128x2x64xf32>
    %1 = stablehlo.dot_general %arg5, %arg0, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x128x128xf32>, tensor<128x2x64xf32>) -> tensor<4x128x2x64xf32>
    %2 = stablehlo.dot_general %arg5, %arg3, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x128x128xf32>, tensor<128x2x64xf32>) -> tensor<4x128x2x64xf32>
    %3 = stablehlo.dot_general %0, %1, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<4x128x2x64xf32>, tensor<4x128x2x64xf32>) -> tensor<4x2x128x128xf32>
    %cst = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x2x128x128xf32>
    %5 = stablehlo.divide %3, %4 : tensor<4x2x128x128xf32>
    %6 = stablehlo.iota dim = 0 : tensor<128xi32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [1] : (tensor<128xi32>) -> tensor<1x128xi32>
    %8 = stablehlo.broadcast_in_dim %arg4, dims = [0] : (tensor<4xi32>) -> tensor<4x1xi32>
    %9 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<1x128xi32>) -> tensor<4x128xi32>
    %10 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<4x1xi32>) -> tensor<4x128xi32>
    %11 = stablehlo.compare LT, %9, %10, SIGNED : (tensor<4x128xi32>, tensor<4x128xi32>) -> tensor<4x128xi1>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 3] : (tensor<4x128xi1>) -> tensor<4x1x1x128xi1>
    %cst_0 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %13 = call @_where(%12, %5, %cst_0) : (tensor<4x1x1x128xi1>, tensor<4x2x128x128xf32>, tensor<f32>) -> tensor<4x2x128x128xf32>
    %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %14 = stablehlo.reduce(%13 init: %cst_1) applies stablehlo.maximum across dimensions = [3] : (tensor<4x2x128x128xf32>, tensor<f32>) -> tensor<4x2x128xf32>
    %cst_2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<4x2x128xf32>
    %16 = stablehlo.maximum %15, %14 : tensor<4x2x128xf32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [0, 1, 2] : (tensor<4x2x128xf32>) -> tensor<4x2x128x1xf32>
    %18 = stablehlo.custom_call @zcc.stop_gradient(%17) {backend_config = "", mhlo.backend_config = {}, operand_layouts = [dense<[3, 2, 1, 0]> : tensor<4xindex>], result_layouts = [dense<[3, 2, 1, 0]> : tensor<4xindex>]} : (tensor<4x2x128x1xf32>) -> tensor<4x2x128x1xf32>
    %19 = stablehlo.broadcast_in_dim %18, dims = [0, 1, 2, 3] : (tensor<4x2x128x1xf32>) -> tensor<4x2x128x128xf32>
    %20 = stablehlo.subtract %13, %19 : tensor<4x2x128x128xf32>
    %21 = stablehlo.exponential %20 : tensor<4x2x128x128xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %22 = stablehlo.reduce(%21 init: %cst_3) applies stablehlo.add across dimensions = [3] : (tensor<4x2x128x128xf32>, tensor<f32>) -> tensor<4x2x128xf32>
    %23 = stablehlo.broadcast_in_dim %22, dims = [0, 1, 2] : (tensor<4x2x128xf32>) -> tensor<4x2x128x1xf32>
    %24 = stablehlo.broadcast_in_dim %23, dims = [0, 1, 2, 3] : (tensor<4x2x128x1xf32>) -> tensor<4x2x128x128xf32>
    %25 = stablehlo.divide %21, %24 : tensor<4x2x128x128xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_4 = stablehlo.constant dense<32> : tensor<i32>
    %26 = stablehlo.shift_right_logical %c, %c_4 : tensor<i32>
    %27 = stablehlo.convert %26 : (tensor<i32>) -> tensor<ui32>
    %28 = stablehlo.broadcast_in_dim %27, dims = [] : (tensor<ui32>) -> tensor<1xui32>
    %c_5 = stablehlo.constant dense<-1> : tensor<i32>
    %29 = stablehlo.and %c, %c_5 : tensor<i32>
    %30 = stablehlo.convert %29 : (tensor<i32>) -> tensor<ui32>
    %31 = stablehlo.broadcast_in_dim %30, dims = [] : (tensor<ui32>) -> tensor<1xui32>
    %32 = stablehlo.concatenate %28, %31, dim = 0 : (tensor<1xui32>, tensor<1xui32>) -> tensor<2xui32>
    %c_6 = stablehlo.constant dense<0> : tensor<i32>
    %33 = stablehlo.reduce(%arg4 init: %c_6) applies stablehlo.add across dimensions = [0] : (tensor<4xi32>, tensor<i32>) -> tensor<i32>
    %34 = stablehlo.convert %33 : (tensor<i32>) -> tensor<ui32>
    %35 = call @_threefry_fold_in(%32, %34) : (tensor<2xui32>, tensor<ui32>) -> tensor<2xui32>
    %cst_7 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %36 = call @_bernoulli(%35, %cst_7) : (tensor<2xui32>, tensor<f32>) -> tensor<4x2x128x128xi1>
    %cst_8 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %37 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<4x2x128x128xf32>
    %38 = stablehlo.divide %25, %37 : tensor<4x2x128x128xf32>
    %c_9 = stablehlo.constant dense<0> : tensor<i32>
    %39 = call @_where_2(%36, %38, %c_9) : (tensor<4x2x128x128xi1>, tensor<4x2x128x128xf32>, tensor<i32>) -> tensor<4x2x128x128xf32>
    %40 = stablehlo.dot_general %2, %39, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<4x128x2x64xf32>, tensor<4x2x128x128xf32>) -> tensor<4x2x64x128xf32>
    %41 = stablehlo.transpose %40, dims = [0, 3, 1, 2] : (tensor<4x2x64x128xf32>) -> tensor<4x128x2x64xf32>
    %42 = stablehlo.dot_general %41, %arg1, contracting_dims = [3, 2] x [1, 0], precision = [DEFAULT, DEFAULT] : (tensor<4x128x2x64xf32>, tensor<2x64x128xf32>) -> tensor<4x128x128xf32>
    %43 = stablehlo.subtract %42, %arg5 : tensor<4x128x128xf32>
    %44 = stablehlo.multiply %43, %43 : tensor<4x128x128xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %45 = stablehlo.reduce(%44 init: %cst_10) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<4x128x128xf32>, tensor<f32>) -> tensor<f32>
    %cst_11 = stablehlo.constant dense<6.553600e+04> : tensor<f32>
    %46 = stablehlo.divide %45, %cst_11 : tensor<f32>
    return %46 : tensor<f32>
  }
  func.func private @_where(%arg0: tensor<4x1x1x128xi1>, %arg1: tensor<4x2x128x128xf32>, %arg2: tensor<f32>) -> tensor<4x2x128x128xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1, 2, 3] : (tensor<4x1x1x128xi1>) -> tensor<4x2x128x128xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<4x2x128x128xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<4x2x128x128xi1>, tensor<4x2x128x128xf32>
    return %3 : tensor<4x2x128x128xf32>
  }
  func.func private @_threefry_fold_in(%arg0: tensor<2xui32>, %arg1: tensor<ui32>) -> tensor<2xui32> {
    %c = stablehlo.constant dense<32> : tensor<ui32>
    %0 = stablehlo.shift_right_logical %arg1, %c : tensor<ui32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<ui32>) -> tensor<1xui32>
    %c_0 = stablehlo.constant dense<4294967295> : tensor<ui32>
    %2 = stablehlo.and %arg1, %c_0 : tensor<ui32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<ui32>) -> tensor<1xui32>
    %4 = stablehlo.concatenate %1, %3, dim = 0 : (tensor<1xui32>, tensor<1xui32>) -> tensor<2xui32>
    %5 = stablehlo.slice %arg0 [0:1] : (tensor<2xui32>) -> tensor<1xui32>
    %6 = stablehlo.reshape %5 : (tensor<1xui32>) -> tensor<ui32>
    %7 = stablehlo.slice %arg0 [1:2] : (tensor<2xui32>) -> tensor<1xui32>
    %8 = stablehlo.reshape %7 : (tensor<1xui32>) -> tensor<ui32>
    %9 = stablehlo.slice %4 [0:1] : (tensor<2xui32>) -> tensor<1xui32>
    %10 = stablehlo.slice %4 [1:2] : (tensor<2xui32>) -> tensor<1xui32>
    %11:2 = call @threefry2x32(%6, %8, %9, %10) : (tensor<ui32>, tensor<ui32>, tensor<1xui32>, tensor<1xui32>) -> (tensor<1xui32>, tensor<1xui32>)
    %12 = stablehlo.concatenate %11#0, %11#1, dim = 0 : (tensor<1xui32>, tensor<1xui32>) -> tensor<2xui32>
    return %12 : tensor<2xui32>
  }
  func.func private @threefry2x32(%arg0: tensor<ui32>, %arg1: tensor<ui32>, %arg2: tensor<1xui32>, %arg3: tensor<1xui32>) -> (tensor<1xui32>, tensor<1xui32>) {
    %c = stablehlo.constant dense<[13, 15, 26, 6]> : tensor<4xui32>
    %c_0 = stablehlo.constant dense<[17, 29, 16, 24]> : tensor<4xui32>
    %0 = stablehlo.xor %arg0, %arg1 : tensor<ui32>
    %c_1 = stablehlo.constant dense<466688986> : tensor<ui32>
    %1 = stablehlo.xor %0, %c_1 : tensor<ui32>
    %2 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<ui32>) -> tensor<1xui32>
    %3 = stablehlo.add %arg2, %2 : tensor<1xui32>
    %4 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<ui32>) -> tensor<1xui32>
    %5 = stablehlo.add %arg3, %4 : tensor<1xui32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %6:9 = stablehlo.while(%iterArg = %c_3, %iterArg_4 = %c_2, %iterArg_5 = %3, %iterArg_6 = %5, %iterArg_7 = %arg1, %iterArg_8 = %1, %iterArg_9 = %arg0, %iterArg_10 = %c, %iterArg_11 = %c_0) : tensor<i32>, tensor<i32>, tensor<1xui32>, tensor<1xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
    cond {
      %c_12 = stablehlo.constant dense<5> : tensor<i32>
      %7 = stablehlo.compare LT, %iterArg, %c_12, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %7 : tensor<i1>
    } do {
      %7:8 = func.call @closed_call(%iterArg_4, %iterArg_5, %iterArg_6, %iterArg_7, %iterArg_8, %iterArg_9, %iterArg_10, %iterArg_11) : (tensor<i32>, tensor<1xui32>, tensor<1xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i32>, tensor<1xui32>, tensor<1xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>)
      %c_12 = stablehlo.constant dense<1> : tensor<i32>
      %8 = stablehlo.add %iterArg, %c_12 : tensor<i32>
      stablehlo.return %8, %7#0, %7#1, %7#2, %7#3, %7#4, %7#5, %7#6, %7#7 : tensor<i32>, tensor<i32>, tensor<1xui32>, tensor<1xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
    }
    return %6#2, %6#3 : tensor<1xui32>, tensor<1xui32>
  }
  func.func private @closed_call(%arg0: tensor<i32>, %arg1: tensor<1xui32>, %arg2: tensor<1xui32>, %arg3: tensor<ui32>, %arg4: tensor<ui32>, %arg5: tensor<ui32>, %arg6: tensor<4xui32>, %arg7: tensor<4xui32>) -> (tensor<i32>, tensor<1xui32>, tensor<1xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg0, %c : tensor<i32>
    %1 = stablehlo.slice %arg6 [0:1] : (tensor<4xui32>) -> tensor<1xui32>
    %2 = stablehlo.reshape %1 : (tensor<1xui32>) -> tensor<ui32>
    %3 = stablehlo.add %arg1, %arg2 : tensor<1xui32>
    %4 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<ui32>) -> tensor<1xui32>
    %5 = stablehlo.shift_left %arg2, %4 : tensor<1xui32>
    %c_0 = stablehlo.constant dense<32> : tensor<ui32>
    %6 = stablehlo.subtract %c_0, %2 : tensor<ui32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<ui32>) -> tensor<1xui32>
    %8 = stablehlo.shift_right_logical %arg2, %7 : tensor<1xui32>
    %9 = stablehlo.or %5, %8 : tensor<1xui32>
    %10 = stablehlo.xor %3, %9 : tensor<1xui32>
    %11 = stablehlo.slice %arg6 [1:2] : (tensor<4xui32>) -> tensor<1xui32>
    %12 = stablehlo.reshape %11 : (tensor<1xui32>) -> tensor<ui32>
    %13 = stablehlo.add %3, %10 : tensor<1xui32>
    %14 = stablehlo.broadcast_in_dim %12, dims = [] : (tensor<ui32>) -> tensor<1xui32>
    %15 = stablehlo.shift_left %10, %14 : tensor<1xui32>
    %c_1 = stablehlo.constant dense<32> : tensor<ui32>
    %16 = stablehlo.subtract %c_1, %12 : tensor<ui32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [] : (tensor<ui32>) -> tensor<1xui32>
    %18 = stablehlo.shift_right_logical %10, %17 : tensor<1xui32>
    %19 = stablehlo.or %15, %18 : tensor<1xui32>
    %20 = stablehlo.xor %13, %19 : tensor<1xui32>
    %21 = stablehlo.slice %arg6 [2:3] : (tensor<4xui32>) -> tensor<1xui32>
    %22 = stablehlo.reshape %21 : (tensor<1xui32>) -> tensor<ui32>
    %23 = stablehlo.add %13, %20 : tensor<1xui32>
    %24 = stablehlo.broadcast_in_dim %22, dims = [] : (tensor<ui32>) -> tensor<1xui32>
    %25 = stablehlo.shift_left %20, %24 : tensor<1xui32>
    %c_2 = stablehlo.constant dense<32> : tensor<ui32>
    %26 = stablehlo.subtract %c_2, %22 : tensor<ui32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [] : (tensor<ui32>) -> tensor<1xui32>
    %28 = stablehlo.shift_right_logical %20, %27 : tensor<1xui32>
    %29 = stablehlo.or %25, %28 : tensor<1xui32>
    %30 = stablehlo.xor %23, %29 : tensor<1xui32>
    %31 = stablehlo.slice %arg6 [3:4] : (tensor<4xui32>) -> tensor<1xui32>
    %32 = stablehlo.reshape %31 : (tensor<1xui32>) -> tensor<ui32>
    %33 = stablehlo.add %23, %30 : tensor<1xui32>
    %34 = stablehlo.broadcast_in_dim %32, dims = [] : (tensor<ui32>) -> tensor<1xui32>
    %35 = stablehlo.shift_left %30, %34 : tensor<1xui32>
    %c_3 = stablehlo.constant dense<32> : tensor<ui32>
    %36 = stablehlo.subtract %c_3, %32 : tensor<ui32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [] : (tensor<ui32>) -> tensor<1xui32>
    %38 = stablehlo.shift_right_logical %30, %37 : tensor<1xui32>
    %39 = stablehlo.or %35, %38 : tensor<1xui32>
    %40 = stablehlo.xor %33, %39 : tensor<1xui32>
    %41 = stablehlo.broadcast_in_dim %arg3, dims = [] : (tensor<ui32>) -> tensor<1xui32>
    %42 = stablehlo.add %33, %41 : tensor<1xui32>
    %43 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<ui32>) -> tensor<1xui32>
    %44 = stablehlo.add %40, %43 : tensor<1xui32>
    %c_4 = stablehlo.constant dense<1> : tensor<i32>
    %45 = stablehlo.add %arg0, %c_4 : tensor<i32>
    %46 = stablehlo.convert %45 : (tensor<i32>) -> tensor<ui32>
    %47 = stablehlo.broadcast_in_dim %46, dims = [] : (tensor<ui32>) -> tensor<1xui32>
    %48 = stablehlo.add %44, %47 : tensor<1xui32>
    return %0, %42, %48, %arg4, %arg5, %arg3, %arg7, %arg6 : tensor<i32>, tensor<1xui32>, tensor<1xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
  }
  func.func private @_bernoulli(%arg0: tensor<2xui32>, %arg1: tensor<f32>) -> tensor<4x2x128x128xi1> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = call @_uniform(%arg0, %cst, %cst_0) : (tensor<2xui32>, tensor<f32>, tensor<f32>) -> tensor<4x2x128x128xf32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<4x2x128x128xf32>
    %2 = stablehlo.compare LT, %0, %1, FLOAT : (tensor<4x2x128x128xf32>, tensor<4x2x128x128xf32>) -> tensor<4x2x128x128xi1>
    return %2 : tensor<4x2x128x128xi1>
  }
  func.func private @_uniform(%arg0: tensor<2xui32>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<4x2x128x128xf32> {
    %0 = stablehlo.convert %arg1 : tensor<f32>
    %1 = stablehlo.convert %arg2 : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<1x1x1x1xf32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<1x1x1x1xf32>
    %4 = stablehlo.slice %arg0 [0:1] : (tensor<2xui32>) -> tensor<1xui32>
    %5 = stablehlo.reshape %4 : (tensor<1xui32>) -> tensor<ui32>
    %6 = stablehlo.slice %arg0 [1:2] : (tensor<2xui32>) -> tensor<1xui32>
    %7 = stablehlo.reshape %6 : (tensor<1xui32>) -> tensor<ui32>
    %8 = stablehlo.iota dim = 0 : tensor<4x2x128x128xui64>
    %9 = stablehlo.iota dim = 1 : tensor<4x2x128x128xui64>
    %10 = stablehlo.iota dim = 2 : tensor<4x2x128x128xui64>
    %11 = stablehlo.iota dim = 3 : tensor<4x2x128x128xui64>
    %c = stablehlo.constant dense<32768> : tensor<ui64>
    %12 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui64>) -> tensor<4x2x128x128xui64>
    %13 = stablehlo.multiply %12, %8 : tensor<4x2x128x128xui64>
    %c_0 = stablehlo.constant dense<16384> : tensor<ui64>
    %14 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<ui64>) -> tensor<4x2x128x128xui64>
    %15 = stablehlo.multiply %14, %9 : tensor<4x2x128x128xui64>
    %c_1 = stablehlo.constant dense<128> : tensor<ui64>
    %16 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<ui64>) -> tensor<4x2x128x128xui64>
    %17 = stablehlo.multiply %16, %10 : tensor<4x2x128x128xui64>
    %c_2 = stablehlo.constant dense<1> : tensor<ui64>
    %18 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<ui64>) -> tensor<4x2x128x128xui64>
    %19 = stablehlo.multiply %18, %11 : tensor<4x2x128x128xui64>
    %20 = stablehlo.add %13, %15 : tensor<4x2x128x128xui64>
    %21 = stablehlo.add %20, %17 : tensor<4x2x128x128xui64>
    %22 = stablehlo.add %21, %19 : tensor<4x2x128x128xui64>
    %c_3 = stablehlo.constant dense<32> : tensor<ui64>
    %23 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<ui64>) -> tensor<4x2x128x128xui64>
    %24 = stablehlo.shift_right_logical %22, %23 : tensor<4x2x128x128xui64>
    %25 = stablehlo.convert %22 : (tensor<4x2x128x128xui64>) -> tensor<4x2x128x128xui32>
    %26 = stablehlo.convert %24 : (tensor<4x2x128x128xui64>) -> tensor<4x2x128x128xui32>
    %27:2 = call @threefry2x32_0(%5, %7, %26, %25) : (tensor<ui32>, tensor<ui32>, tensor<4x2x128x128xui32>, tensor<4x2x128x128xui32>) -> (tensor<4x2x128x128xui32>, tensor<4x2x128x128xui32>)
    %28 = stablehlo.xor %27#0, %27#1 : tensor<4x2x128x128xui32>
    %c_4 = stablehlo.constant dense<9> : tensor<ui32>
    %29 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<ui32>) -> tensor<4x2x128x128xui32>
    %30 = stablehlo.shift_right_logical %28, %29 : tensor<4x2x128x128xui32>
    %c_5 = stablehlo.constant dense<1065353216> : tensor<ui32>
    %31 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<ui32>) -> tensor<4x2x128x128xui32>
    %32 = stablehlo.or %30, %31 : tensor<4x2x128x128xui32>
    %33 = stablehlo.bitcast_convert %32 : (tensor<4x2x128x128xui32>) -> tensor<4x2x128x128xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %34 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x2x128x128xf32>
    %35 = stablehlo.subtract %33, %34 : tensor<4x2x128x128xf32>
    %36 = stablehlo.subtract %3, %2 : tensor<1x1x1x1xf32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [0, 1, 2, 3] : (tensor<1x1x1x1xf32>) -> tensor<4x2x128x128xf32>
    %38 = stablehlo.multiply %35, %37 : tensor<4x2x128x128xf32>
    %39 = stablehlo.broadcast_in_dim %2, dims = [0, 1, 2, 3] : (tensor<1x1x1x1xf32>) -> tensor<4x2x128x128xf32>
    %40 = stablehlo.add %38, %39 : tensor<4x2x128x128xf32>
    %41 = stablehlo.broadcast_in_dim %2, dims = [0, 1, 2, 3] : (tensor<1x1x1x1xf32>) -> tensor<4x2x128x128xf32>
    %42 = stablehlo.maximum %41, %40 : tensor<4x2x128x128xf32>
    return %42 : tensor<4x2x128x128xf32>
  }
  func.func private @threefry2x32_0(%arg0: tensor<ui32>, %arg1: tensor<ui32>, %arg2: tensor<4x2x128x128xui32>, %arg3: tensor<4x2x128x128xui32>) -> (tensor<4x2x128x128xui32>, tensor<4x2x128x128xui32>) {
    %c = stablehlo.constant dense<[13, 15, 26, 6]> : tensor<4xui32>
    %c_0 = stablehlo.constant dense<[17, 29, 16, 24]> : tensor<4xui32>
    %0 = stablehlo.xor %arg0, %arg1 : tensor<ui32>
    %c_1 = stablehlo.constant dense<466688986> : tensor<ui32>
    %1 = stablehlo.xor %0, %c_1 : tensor<ui32>
    %2 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<ui32>) -> tensor<4x2x128x128xui32>
    %3 = stablehlo.add %arg2, %2 : tensor<4x2x128x128xui32>
    %4 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<ui32>) -> tensor<4x2x128x128xui32>
    %5 = stablehlo.add %arg3, %4 : tensor<4x2x128x128xui32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %6:9 = stablehlo.while(%iterArg = %c_3, %iterArg_4 = %c_2, %iterArg_5 = %3, %iterArg_6 = %5, %iterArg_7 = %arg1, %iterArg_8 = %1, %iterArg_9 = %arg0, %iterArg_10 = %c, %iterArg_11 = %c_0) : tensor<i32>, tensor<i32>, tensor<4x2x128x128xui32>, tensor<4x2x128x128xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
    cond {
      %c_12 = stablehlo.constant dense<5> : tensor<i32>
      %7 = stablehlo.compare LT, %iterArg, %c_12, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %7 : tensor<i1>
    } do {
      %7:8 = func.call @closed_call_1(%iterArg_4, %iterArg_5, %iterArg_6, %iterArg_7, %iterArg_8, %iterArg_9, %iterArg_10, %iterArg_11) : (tensor<i32>, tensor<4x2x128x128xui32>, tensor<4x2x128x128xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i32>, tensor<4x2x128x128xui32>, tensor<4x2x128x128xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>)
      %c_12 = stablehlo.constant dense<1> : tensor<i32>
      %8 = stablehlo.add %iterArg, %c_12 : tensor<i32>
      stablehlo.return %8, %7#0, %7#1, %7#2, %7#3, %7#4, %7#5, %7#6, %7#7 : tensor<i32>, tensor<i32>, tensor<4x2x128x128xui32>, tensor<4x2x128x128xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
    }
    return %6#2, %6#3 : tensor<4x2x128x128xui32>, tensor<4x2x128x128xui32>
  }
  func.func private @closed_call_1(%arg0: tensor<i32>, %arg1: tensor<4x2x128x128xui32>, %arg2: tensor<4x2x128x128xui32>, %arg3: tensor<ui32>, %arg4: tensor<ui32>, %arg5: tensor<ui32>, %arg6: tensor<4xui32>, %arg7: tensor<4xui32>) -> (tensor<i32>, tensor<4x2x128x128xui32>, tensor<4x2x128x128xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg0, %c : tensor<i32>
    %1 = stablehlo.slice %arg6 [0:1] : (tensor<4xui32>) -> tensor<1xui32>
    %2 = stablehlo.reshape %1 : (tensor<1xui32>) -> tensor<ui32>
    %3 = stablehlo.add %arg1, %arg2 : tensor<4x2x128x128xui32>
    %4 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<ui32>) -> tensor<4x2x128x128xui32>
    %5 = stablehlo.shift_left %arg2, %4 : tensor<4x2x128x128xui32>
    %c_0 = stablehlo.constant dense<32> : tensor<ui32>
    %6 = stablehlo.subtract %c_0, %2 : tensor<ui32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<ui32>) -> tensor<4x2x128x128xui32>
    %8 = stablehlo.shift_right_logical %arg2, %7 : tensor<4x2x128x128xui32>
    %9 = stablehlo.or %5, %8 : tensor<4x2x128x128xui32>
    %10 = stablehlo.xor %3, %9 : tensor<4x2x128x128xui32>
    %11 = stablehlo.slice %arg6 [1:2] : (tensor<4xui32>) -> tensor<1xui32>
    %12 = stablehlo.reshape %11 : (tensor<1xui32>) -> tensor<ui32>
    %13 = stablehlo.add %3, %10 : tensor<4x2x128x128xui32>
    %14 = stablehlo.broadcast_in_dim %12, dims = [] : (tensor<ui32>) -> tensor<4x2x128x128xui32>
    %15 = stablehlo.shift_left %10, %14 : tensor<4x2x128x128xui32>
    %c_1 = stablehlo.constant dense<32> : tensor<ui32>
    %16 = stablehlo.subtract %c_1, %12 : tensor<ui32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [] : (tensor<ui32>) -> tensor<4x2x128x128xui32>
    %18 = stablehlo.shift_right_logical %10, %17 : tensor<4x2x128x128xui32>
    %19 = stablehlo.or %15, %18 : tensor<4x2x128x128xui32>
    %20 = stablehlo.xor %13, %19 : tensor<4x2x128x128xui32>
    %21 = stablehlo.slice %arg6 [2:3] : (tensor<4xui32>) -> tensor<1xui32>
    %22 = stablehlo.reshape %21 : (tensor<1xui32>) -> tensor<ui32>
    %23 = stablehlo.add %13, %20 : tensor<4x2x128x128xui32>
    %24 = stablehlo.broadcast_in_dim %22, dims = [] : (tensor<ui32>) -> tensor<4x2x128x128xui32>
    %25 = stablehlo.shift_left %20, %24 : tensor<4x2x128x128xui32>
    %c_2 = stablehlo.constant dense<32> : tensor<ui32>
    %26 = stablehlo.subtract %c_2, %22 : tensor<ui32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [] : (tensor<ui32>) -> tensor<4x2x128x128xui32>
    %28 = stablehlo.shift_right_logical %20, %27 : tensor<4x2x128x128xui32>
    %29 = stablehlo.or %25, %28 : tensor<4x2x128x128xui32>
    %30 = stablehlo.xor %23, %29 : tensor<4x2x128x128xui32>
    %31 = stablehlo.slice %arg6 [3:4] : (tensor<4xui32>) -> tensor<1xui32>
    %32 = stablehlo.reshape %31 : (tensor<1xui32>) -> tensor<ui32>
    %33 = stablehlo.add %23, %30 : tensor<4x2x128x128xui32>
    %34 = stablehlo.broadcast_in_dim %32, dims = [] : (tensor<ui32>) -> tensor<4x2x128x128xui32>
    %35 = stablehlo.shift_left %30, %34 : tensor<4x2x128x128xui32>
    %c_3 = stablehlo.constant dense<32> : tensor<ui32>
    %36 = stablehlo.subtract %c_3, %32 : tensor<ui32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [] : (tensor<ui32>) -> tensor<4x2x128x128xui32>
    %38 = stablehlo.shift_right_logical %30, %37 : tensor<4x2x128x128xui32>
    %39 = stablehlo.or %35, %38 : tensor<4x2x128x128xui32>
    %40 = stablehlo.xor %33, %39 : tensor<4x2x128x128xui32>
    %41 = stablehlo.broadcast_in_dim %arg3, dims = [] : (tensor<ui32>) -> tensor<4x2x128x128xui32>
    %42 = stablehlo.add %33, %41 : tensor<4x2x128x128xui32>
    %43 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<ui32>) -> tensor<4x2x128x128xui32>
    %44 = stablehlo.add %40, %43 : tensor<4x2x128x128xui32>
    %c_4 = stablehlo.constant dense<1> : tensor<i32>
    %45 = stablehlo.add %arg0, %c_4 : tensor<i32>
    %46 = stablehlo.convert %45 : (tensor<i32>) -> tensor<ui32>
    %47 = stablehlo.broadcast_in_dim %46, dims = [] : (tensor<ui32>) -> tensor<4x2x128x128xui32>
    %48 = stablehlo.add %44, %47 : tensor<4x2x128x128xui32>
    return %0, %42, %48, %arg4, %arg5, %arg3, %arg7, %arg6 : tensor<i32>, tensor<4x2x128x128xui32>, tensor<4x2x128x128xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
  }
  func.func private @_where_2(%arg0: tensor<4x2x128x128xi1>, %arg1: tensor<4x2x128x128xf32>, %arg2: tensor<i32>) -> tensor<4x2x128x128xf32> {
    %0 = stablehlo.convert %arg2 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<4x2x128x128xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<4x2x128x128xi1>, tensor<4x2x128x128xf32>
    return %2 : tensor<4x2x128x128xf32>
  }
}
