module @jit_loss attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x12x12xf32> loc("p['bias']"), %arg1: tensor<6x2x4xf32> loc("p['biases']['k']"), %arg2: tensor<6x2x4xf32> loc("p['biases']['q']"), %arg3: tensor<6x2x4xf32> loc("p['biases']['v']"), %arg4: tensor<6x2x4xf32> loc("p['constant']['k']"), %arg5: tensor<6x2x4xf32> loc("p['constant']['q']"), %arg6: tensor<6x2x4xf32> loc("p['constant']['v']"), %arg7: tensor<6x2x4xf32> loc("p['logarithm']['k']"), %arg8: tensor<6x2x4xf32> loc("p['logarithm']['q']"), %arg9: tensor<6x2x4xf32> loc("p['logarithm']['v']"), %arg10: tensor<6x2x4xf32> loc("p['number']['k']"), %arg11: tensor<6x2x4xf32> loc("p['number']['q']"), %arg12: tensor<6x2x4xf32> loc("p['number']['v']"), %arg13: tensor<6x2x4xf32> loc("p['slope']['k']"), %arg14: tensor<6x2x4xf32> loc("p['slope']['q']"), %arg15: tensor<6x2x4xf32> loc("p['slope']['v']"), %arg16: tensor<6x2x4xf32> loc("p['where']['k']"), %arg17: tensor<6x2x4xf32> loc("p['where']['q']"), %arg18: tensor<6x2x4xf32> loc("p['where']['v']"), %arg19: tensor<2xi32> loc("b['len']"), %arg20: tensor<2x12x6xf32> loc("b['x']")) -> (tensor<f32> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<"0x010000000000000000000000010100000000000000000000010101000000000000000000010101010000000000000000010101010100000000000000010101010101000000000000010101010101010000000000010101010101010100000000010101010101010101000000010101010101010101010000010101010101010101010100010101010101010101010101"> : tensor<12x12xi1>
    %cst = stablehlo.constant dense<[5.000000e-01, 2.500000e-01]> : tensor<2xf32>
    %0 = stablehlo.dot_general %arg20, %arg2, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x12x6xf32>, tensor<6x2x4xf32>) -> tensor<2x12x2x4xf32>
    %1 = stablehlo.dot_general %arg20, %arg1, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x12x6xf32>, tensor<6x2x4xf32>) -> tensor<2x12x2x4xf32>
    %2 = stablehlo.dot_general %arg20, %arg3, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x12x6xf32>, tensor<6x2x4xf32>) -> tensor<2x12x2x4xf32>
    %3 = stablehlo.dot_general %0, %1, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x12x2x4xf32>, tensor<2x12x2x4xf32>) -> tensor<2x2x12x12xf32>
    %cst_0 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x2x12x12xf32>
    %5 = stablehlo.multiply %3, %4 : tensor<2x2x12x12xf32>
    %6 = stablehlo.broadcast_in_dim %arg0, dims = [1, 2, 3] : (tensor<2x12x12xf32>) -> tensor<1x2x12x12xf32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0, 1, 2, 3] : (tensor<1x2x12x12xf32>) -> tensor<2x2x12x12xf32>
    %8 = stablehlo.add %5, %7 : tensor<2x2x12x12xf32>
    %9 = stablehlo.iota dim = 0 : tensor<12xi32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0] : (tensor<12xi32>) -> tensor<12x1xi32>
    %11 = stablehlo.broadcast_in_dim %9, dims = [1] : (tensor<12xi32>) -> tensor<1x12xi32>
    %12 = stablehlo.broadcast_in_dim %10, dims = [0, 1] : (tensor<12x1xi32>) -> tensor<12x12xi32>
    %13 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<1x12xi32>) -> tensor<12x12xi32>
    %14 = stablehlo.compare GE, %12, %13, SIGNED : (tensor<12x12xi32>, tensor<12x12xi32>) -> tensor<12x12xi1>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %cst_2 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %15 = call @_where(%14, %c_1, %cst_2) : (tensor<12x12xi1>, tensor<i32>, tensor<f32>) -> tensor<12x12xf32>
    %16 = stablehlo.convert %15 : tensor<12x12xf32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [2, 3] : (tensor<12x12xf32>) -> tensor<1x1x12x12xf32>
    %18 = stablehlo.broadcast_in_dim %17, dims = [0, 1, 2, 3] : (tensor<1x1x12x12xf32>) -> tensor<2x2x12x12xf32>
    %19 = stablehlo.add %8, %18 : tensor<2x2x12x12xf32>
    %cst_3 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %20 = stablehlo.reduce(%19 init: %cst_3) applies stablehlo.maximum across dimensions = [3] : (tensor<2x2x12x12xf32>, tensor<f32>) -> tensor<2x2x12xf32>
    %cst_4 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<2x2x12xf32>
    %22 = stablehlo.maximum %21, %20 : tensor<2x2x12xf32>
    %23 = stablehlo.broadcast_in_dim %22, dims = [0, 1, 2] : (tensor<2x2x12xf32>) -> tensor<2x2x12x1xf32>
    %24 = stablehlo.broadcast_in_dim %23, dims = [0, 1, 2, 3] : (tensor<2x2x12x1xf32>) -> tensor<2x2x12x12xf32>
    %25 = stablehlo.subtract %19, %24 : tensor<2x2x12x12xf32>
    %26 = stablehlo.exponential %25 : tensor<2x2x12x12xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %27 = stablehlo.reduce(%26 init: %cst_5) applies stablehlo.add across dimensions = [3] : (tensor<2x2x12x12xf32>, tensor<f32>) -> tensor<2x2x12xf32>
    %28 = stablehlo.broadcast_in_dim %27, dims = [0, 1, 2] : (tensor<2x2x12xf32>) -> tensor<2x2x12x1xf32>
    %29 = stablehlo.broadcast_in_dim %28, dims = [0, 1, 2, 3] : (tensor<2x2x12x1xf32>) -> tensor<2x2x12x12xf32>
    %30 = stablehlo.divide %26, %29 : tensor<2x2x12x12xf32>
    %31 = stablehlo.dot_general %2, %30, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x12x2x4xf32>, tensor<2x2x12x12xf32>) -> tensor<2x2x4x12xf32>
    %32 = stablehlo.transpose %31, dims = [0, 3, 1, 2] : (tensor<2x2x4x12xf32>) -> tensor<2x12x2x4xf32>
    %33 = stablehlo.multiply %32, %32 : tensor<2x12x2x4xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %34 = stablehlo.reduce(%33 init: %cst_6) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<2x12x2x4xf32>, tensor<f32>) -> tensor<f32>
    %cst_7 = stablehlo.constant dense<1.920000e+02> : tensor<f32>
    %35 = stablehlo.divide %34, %cst_7 : tensor<f32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %36 = stablehlo.add %cst_8, %35 : tensor<f32>
    %37 = stablehlo.dot_general %arg20, %arg17, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x12x6xf32>, tensor<6x2x4xf32>) -> tensor<2x12x2x4xf32>
    %38 = stablehlo.dot_general %arg20, %arg16, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x12x6xf32>, tensor<6x2x4xf32>) -> tensor<2x12x2x4xf32>
    %39 = stablehlo.dot_general %arg20, %arg18, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x12x6xf32>, tensor<6x2x4xf32>) -> tensor<2x12x2x4xf32>
    %40 = stablehlo.dot_general %37, %38, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x12x2x4xf32>, tensor<2x12x2x4xf32>) -> tensor<2x2x12x12xf32>
    %cst_9 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %41 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<2x2x12x12xf32>
    %42 = stablehlo.multiply %40, %41 : tensor<2x2x12x12xf32>
    %43 = stablehlo.iota dim = 0 : tensor<12xi32>
    %44 = stablehlo.broadcast_in_dim %43, dims = [1] : (tensor<12xi32>) -> tensor<1x12xi32>
    %45 = stablehlo.broadcast_in_dim %arg19, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
    %46 = stablehlo.broadcast_in_dim %44, dims = [0, 1] : (tensor<1x12xi32>) -> tensor<2x12xi32>
    %47 = stablehlo.broadcast_in_dim %45, dims = [0, 1] : (tensor<2x1xi32>) -> tensor<2x12xi32>
    %48 = stablehlo.compare LT, %46, %47, SIGNED : (tensor<2x12xi32>, tensor<2x12xi32>) -> tensor<2x12xi1>
    %49 = stablehlo.broadcast_in_dim %48, dims = [0, 3] : (tensor<2x12xi1>) -> tensor<2x1x1x12xi1>
    %cst_10 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %50 = call @_where_0(%49, %42, %cst_10) : (tensor<2x1x1x12xi1>, tensor<2x2x12x12xf32>, tensor<f32>) -> tensor<2x2x12x12xf32>
    %cst_11 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %51 = stablehlo.reduce(%50 init: %cst_11) applies stablehlo.maximum across dimensions = [3] : (tensor<2x2x12x12xf32>, tensor<f32>) -> tensor<2x2x12xf32>
    %cst_12 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %52 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<2x2x12xf32>
    %53 = stablehlo.maximum %52, %51 : tensor<2x2x12xf32>
    %54 = stablehlo.broadcast_in_dim %53, dims = [0, 1, 2] : (tensor<2x2x12xf32>) -> tensor<2x2x12x1xf32>
    %cst_13 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %55 = call @_where_1(%49, %42, %cst_13) : (tensor<2x1x1x12xi1>, tensor<2x2x12x12xf32>, tensor<f32>) -> tensor<2x2x12x12xf32>
    %56 = stablehlo.broadcast_in_dim %54, dims = [0, 1, 2, 3] : (tensor<2x2x12x1xf32>) -> tensor<2x2x12x12xf32>
    %57 = stablehlo.subtract %55, %56 : tensor<2x2x12x12xf32>
    %58 = stablehlo.exponential %57 : tensor<2x2x12x12xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %59 = call @_where_0(%49, %58, %cst_14) : (tensor<2x1x1x12xi1>, tensor<2x2x12x12xf32>, tensor<f32>) -> tensor<2x2x12x12xf32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %60 = stablehlo.reduce(%59 init: %cst_15) applies stablehlo.add across dimensions = [3] : (tensor<2x2x12x12xf32>, tensor<f32>) -> tensor<2x2x12xf32>
    %61 = stablehlo.broadcast_in_dim %60, dims = [0, 1, 2] : (tensor<2x2x12xf32>) -> tensor<2x2x12x1xf32>
    %62 = stablehlo.broadcast_in_dim %61, dims = [0, 1, 2, 3] : (tensor<2x2x12x1xf32>) -> tensor<2x2x12x12xf32>
    %63 = stablehlo.divide %58, %62 : tensor<2x2x12x12xf32>
    %c_16 = stablehlo.constant dense<0> : tensor<i32>
    %64 = call @_where_2(%49, %63, %c_16) : (tensor<2x1x1x12xi1>, tensor<2x2x12x12xf32>, tensor<i32>) -> tensor<2x2x12x12xf32>
    %65 = stablehlo.dot_general %39, %64, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x12x2x4xf32>, tensor<2x2x12x12xf32>) -> tensor<2x2x4x12xf32>
    %66 = stablehlo.transpose %65, dims = [0, 3, 1, 2] : (tensor<2x2x4x12xf32>) -> tensor<2x12x2x4xf32>
    %67 = stablehlo.multiply %66, %66 : tensor<2x12x2x4xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %68 = stablehlo.reduce(%67 init: %cst_17) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<2x12x2x4xf32>, tensor<f32>) -> tensor<f32>
    %cst_18 = stablehlo.constant dense<1.920000e+02> : tensor<f32>
    %69 = stablehlo.divide %68, %cst_18 : tensor<f32>
    %70 = stablehlo.add %36, %69 : tensor<f32>
    %71 = stablehlo.dot_general %arg20, %arg8, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x12x6xf32>, tensor<6x2x4xf32>) -> tensor<2x12x2x4xf32>
    %72 = stablehlo.dot_general %arg20, %arg7, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x12x6xf32>, tensor<6x2x4xf32>) -> tensor<2x12x2x4xf32>
    %73 = stablehlo.dot_general %arg20, %arg9, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x12x6xf32>, tensor<6x2x4xf32>) -> tensor<2x12x2x4xf32>
    %74 = stablehlo.dot_general %71, %72, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x12x2x4xf32>, tensor<2x12x2x4xf32>) -> tensor<2x2x12x12xf32>
    %cst_19 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %75 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<2x2x12x12xf32>
    %76 = stablehlo.multiply %74, %75 : tensor<2x2x12x12xf32>
    %77 = stablehlo.iota dim = 0 : tensor<12xi32>
    %78 = stablehlo.broadcast_in_dim %77, dims = [0] : (tensor<12xi32>) -> tensor<12x1xi32>
    %79 = stablehlo.broadcast_in_dim %77, dims = [1] : (tensor<12xi32>) -> tensor<1x12xi32>
    %80 = stablehlo.broadcast_in_dim %78, dims = [0, 1] : (tensor<12x1xi32>) -> tensor<12x12xi32>
    %81 = stablehlo.broadcast_in_dim %79, dims = [0, 1] : (tensor<1x12xi32>) -> tensor<12x12xi32>
    %82 = stablehlo.compare GE, %80, %81, SIGNED : (tensor<12x12xi32>, tensor<12x12xi32>) -> tensor<12x12xi1>
    %cst_20 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %83 = call @_where_3(%82, %76, %cst_20) : (tensor<12x12xi1>, tensor<2x2x12x12xf32>, tensor<f32>) -> tensor<2x2x12x12xf32>
    %cst_21 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %84 = stablehlo.reduce(%83 init: %cst_21) applies stablehlo.maximum across dimensions = [3] : (tensor<2x2x12x12xf32>, tensor<f32>) -> tensor<2x2x12xf32>
    %cst_22 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %85 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<2x2x12xf32>
    %86 = stablehlo.maximum %85, %84 : tensor<2x2x12xf32>
    %87 = stablehlo.broadcast_in_dim %86, dims = [0, 1, 2] : (tensor<2x2x12xf32>) -> tensor<2x2x12x1xf32>
    %88 = stablehlo.is_finite %87 : (tensor<2x2x12x1xf32>) -> tensor<2x2x12x1xi1>
    %cst_23 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %89 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<2x2x12x1xf32>
    %90 = stablehlo.select %88, %87, %89 : tensor<2x2x12x1xi1>, tensor<2x2x12x1xf32>
    %91 = stablehlo.broadcast_in_dim %90, dims = [0, 1, 2, 3] : (tensor<2x2x12x1xf32>) -> tensor<2x2x12x12xf32>
    %92 = stablehlo.subtract %83, %91 : tensor<2x2x12x12xf32>
    %93 = stablehlo.exponential %92 : tensor<2x2x12x12xf32>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %94 = stablehlo.reduce(%93 init: %cst_24) applies stablehlo.add across dimensions = [3] : (tensor<2x2x12x12xf32>, tensor<f32>) -> tensor<2x2x12xf32>
    %95 = stablehlo.broadcast_in_dim %94, dims = [0, 1, 2] : (tensor<2x2x12xf32>) -> tensor<2x2x12x1xf32>
    %96 = stablehlo.abs %95 : tensor<2x2x12x1xf32>
    %97 = stablehlo.log %96 : tensor<2x2x12x1xf32>
    %98 = stablehlo.add %97, %90 : tensor<2x2x12x1xf32>
    %99 = stablehlo.broadcast_in_dim %98, dims = [0, 1, 2, 3] : (tensor<2x2x12x1xf32>) -> tensor<2x2x12x12xf32>
    %100 = stablehlo.subtract %83, %99 : tensor<2x2x12x12xf32>
    %101 = stablehlo.exponential %100 : tensor<2x2x12x12xf32>
    %102 = stablehlo.dot_general %73, %101, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x12x2x4xf32>, tensor<2x2x12x12xf32>) -> tensor<2x2x4x12xf32>
    %103 = stablehlo.transpose %102, dims = [0, 3, 1, 2] : (tensor<2x2x4x12xf32>) -> tensor<2x12x2x4xf32>
    %104 = stablehlo.multiply %103, %103 : tensor<2x12x2x4xf32>
    %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %105 = stablehlo.reduce(%104 init: %cst_25) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<2x12x2x4xf32>, tensor<f32>) -> tensor<f32>
    %cst_26 = stablehlo.constant dense<1.920000e+02> : tensor<f32>
    %106 = stablehlo.divide %105, %cst_26 : tensor<f32>
    %107 = stablehlo.add %70, %106 : tensor<f32>
    %108 = stablehlo.dot_general %arg20, %arg5, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x12x6xf32>, tensor<6x2x4xf32>) -> tensor<2x12x2x4xf32>
    %109 = stablehlo.dot_general %arg20, %arg4, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x12x6xf32>, tensor<6x2x4xf32>) -> tensor<2x12x2x4xf32>
    %110 = stablehlo.dot_general %arg20, %arg6, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x12x6xf32>, tensor<6x2x4xf32>) -> tensor<2x12x2x4xf32>
    %111 = stablehlo.dot_general %108, %109, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x12x2x4xf32>, tensor<2x12x2x4xf32>) -> tensor<2x2x12x12xf32>
    %cst_27 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %112 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<2x2x12x12xf32>
    %113 = stablehlo.multiply %111, %112 : tensor<2x2x12x12xf32>
    %cst_28 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %114 = call @_where_3(%c, %113, %cst_28) : (tensor<12x12xi1>, tensor<2x2x12x12xf32>, tensor<f32>) -> tensor<2x2x12x12xf32>
    %cst_29 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %115 = stablehlo.reduce(%114 init: %cst_29) applies stablehlo.maximum across dimensions = [3] : (tensor<2x2x12x12xf32>, tensor<f32>) -> tensor<2x2x12xf32>
    %cst_30 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %116 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<2x2x12xf32>
    %117 = stablehlo.maximum %116, %115 : tensor<2x2x12xf32>
    %118 = stablehlo.broadcast_in_dim %117, dims = [0, 1, 2] : (tensor<2x2x12xf32>) -> tensor<2x2x12x1xf32>
    %119 = stablehlo.broadcast_in_dim %118, dims = [0, 1, 2, 3] : (tensor<2x2x12x1xf32>) -> tensor<2x2x12x12xf32>
    %120 = stablehlo.subtract %114, %119 : tensor<2x2x12x12xf32>
    %121 = stablehlo.exponential %120 : tensor<2x2x12x12xf32>
    %cst_31 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %122 = stablehlo.reduce(%121 init: %cst_31) applies stablehlo.add across dimensions = [3] : (tensor<2x2x12x12xf32>, tensor<f32>) -> tensor<2x2x12xf32>
    %123 = stablehlo.broadcast_in_dim %122, dims = [0, 1, 2] : (tensor<2x2x12xf32>) -> tensor<2x2x12x1xf32>
    %124 = stablehlo.broadcast_in_dim %123, dims = [0, 1, 2, 3] : (tensor<2x2x12x1xf32>) -> tensor<2x2x12x12xf32>
    %125 = stablehlo.divide %121, %124 : tensor<2x2x12x12xf32>
    %126 = stablehlo.dot_general %110, %125, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x12x2x4xf32>, tensor<2x2x12x12xf32>) -> tensor<2x2x4x12xf32>
    %127 = stablehlo.transpose %126, dims = [0, 3, 1, 2] : (tensor<2x2x4x12xf32>) -> tensor<2x12x2x4xf32>
    %128 = stablehlo.multiply %127, %127 : tensor<2x12x2x4xf32>
    %cst_32 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %129 = stablehlo.reduce(%128 init: %cst_32) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<2x12x2x4xf32>, tensor<f32>) -> tensor<f32>
    %cst_33 = stablehlo.constant dense<1.920000e+02> : tensor<f32>
    %130 = stablehlo.divide %129, %cst_33 : tensor<f32>
    %131 = stablehlo.add %107, %130 : tensor<f32>
    %132 = stablehlo.dot_general %arg20, %arg11, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x12x6xf32>, tensor<6x2x4xf32>) -> tensor<2x12x2x4xf32>
    %133 = stablehlo.dot_general %arg20, %arg10, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x12x6xf32>, tensor<6x2x4xf32>) -> tensor<2x12x2x4xf32>
    %134 = stablehlo.dot_general %arg20, %arg12, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x12x6xf32>, tensor<6x2x4xf32>) -> tensor<2x12x2x4xf32>
    %135 = stablehlo.dot_general %132, %133, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x12x2x4xf32>, tensor<2x12x2x4xf32>) -> tensor<2x2x12x12xf32>
    %cst_34 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %136 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<2x2x12x12xf32>
    %137 = stablehlo.multiply %135, %136 : tensor<2x2x12x12xf32>
    %138 = stablehlo.iota dim = 0 : tensor<12xi32>
    %139 = stablehlo.broadcast_in_dim %138, dims = [0] : (tensor<12xi32>) -> tensor<12x1xi32>
    %140 = stablehlo.broadcast_in_dim %138, dims = [1] : (tensor<12xi32>) -> tensor<1x12xi32>
    %141 = stablehlo.broadcast_in_dim %139, dims = [0, 1] : (tensor<12x1xi32>) -> tensor<12x12xi32>
    %142 = stablehlo.broadcast_in_dim %140, dims = [0, 1] : (tensor<1x12xi32>) -> tensor<12x12xi32>
    %143 = stablehlo.compare GE, %141, %142, SIGNED : (tensor<12x12xi32>, tensor<12x12xi32>) -> tensor<12x12xi1>
    %144 = stablehlo.convert %143 : (tensor<12x12xi1>) -> tensor<12x12xf32>
    %cst_35 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %145 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<12x12xf32>
    %146 = stablehlo.subtract %145, %144 : tensor<12x12xf32>
    %cst_36 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %147 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f32>) -> tensor<12x12xf32>
    %148 = stablehlo.multiply %146, %147 : tensor<12x12xf32>
    %149 = stablehlo.broadcast_in_dim %148, dims = [2, 3] : (tensor<12x12xf32>) -> tensor<1x1x12x12xf32>
    %150 = stablehlo.broadcast_in_dim %149, dims = [0, 1, 2, 3] : (tensor<1x1x12x12xf32>) -> tensor<2x2x12x12xf32>
    %151 = stablehlo.add %137, %150 : tensor<2x2x12x12xf32>
    %cst_37 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %152 = stablehlo.reduce(%151 init: %cst_37) applies stablehlo.maximum across dimensions = [3] : (tensor<2x2x12x12xf32>, tensor<f32>) -> tensor<2x2x12xf32>
    %cst_38 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %153 = stablehlo.broadcast_in_dim %cst_38, dims = [] : (tensor<f32>) -> tensor<2x2x12xf32>
    %154 = stablehlo.maximum %153, %152 : tensor<2x2x12xf32>
    %155 = stablehlo.broadcast_in_dim %154, dims = [0, 1, 2] : (tensor<2x2x12xf32>) -> tensor<2x2x12x1xf32>
    %156 = stablehlo.broadcast_in_dim %155, dims = [0, 1, 2, 3] : (tensor<2x2x12x1xf32>) -> tensor<2x2x12x12xf32>
    %157 = stablehlo.subtract %151, %156 : tensor<2x2x12x12xf32>
    %158 = stablehlo.exponential %157 : tensor<2x2x12x12xf32>
    %cst_39 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %159 = stablehlo.reduce(%158 init: %cst_39) applies stablehlo.add across dimensions = [3] : (tensor<2x2x12x12xf32>, tensor<f32>) -> tensor<2x2x12xf32>
    %160 = stablehlo.broadcast_in_dim %159, dims = [0, 1, 2] : (tensor<2x2x12xf32>) -> tensor<2x2x12x1xf32>
    %161 = stablehlo.broadcast_in_dim %160, dims = [0, 1, 2, 3] : (tensor<2x2x12x1xf32>) -> tensor<2x2x12x12xf32>
    %162 = stablehlo.divide %158, %161 : tensor<2x2x12x12xf32>
    %163 = stablehlo.dot_general %134, %162, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x12x2x4xf32>, tensor<2x2x12x12xf32>) -> tensor<2x2x4x12xf32>
    %164 = stablehlo.transpose %163, dims = [0, 3, 1, 2] : (tensor<2x2x4x12xf32>) -> tensor<2x12x2x4xf32>
    %165 = stablehlo.multiply %164, %164 : tensor<2x12x2x4xf32>
    %cst_40 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %166 = stablehlo.reduce(%165 init: %cst_40) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<2x12x2x4xf32>, tensor<f32>) -> tensor<f32>
    %cst_41 = stablehlo.constant dense<1.920000e+02> : tensor<f32>
    %167 = stablehlo.divide %166, %cst_41 : tensor<f32>
    %168 = stablehlo.add %131, %167 : tensor<f32>
    %169 = stablehlo.dot_general %arg20, %arg14, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x12x6xf32>, tensor<6x2x4xf32>) -> tensor<2x12x2x4xf32>
    %170 = stablehlo.dot_general %arg20, %arg13, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x12x6xf32>, tensor<6x2x4xf32>) -> tensor<2x12x2x4xf32>
    %171 = stablehlo.dot_general %arg20, %arg15, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x12x6xf32>, tensor<6x2x4xf32>) -> tensor<2x12x2x4xf32>
    %172 = stablehlo.dot_general %169, %170, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x12x2x4xf32>, tensor<2x12x2x4xf32>) -> tensor<2x2x12x12xf32>
    %cst_42 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %173 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f32>) -> tensor<2x2x12x12xf32>
    %174 = stablehlo.multiply %172, %173 : tensor<2x2x12x12xf32>
    %175 = stablehlo.iota dim = 0 : tensor<12xi32>
    %176 = stablehlo.broadcast_in_dim %175, dims = [0] : (tensor<12xi32>) -> tensor<12x1xi32>
    %177 = stablehlo.broadcast_in_dim %175, dims = [1] : (tensor<12xi32>) -> tensor<1x12xi32>
    %178 = stablehlo.broadcast_in_dim %176, dims = [0, 1] : (tensor<12x1xi32>) -> tensor<12x12xi32>
    %179 = stablehlo.broadcast_in_dim %177, dims = [0, 1] : (tensor<1x12xi32>) -> tensor<12x12xi32>
    %180 = stablehlo.compare GE, %178, %179, SIGNED : (tensor<12x12xi32>, tensor<12x12xi32>) -> tensor<12x12xi1>
    %181 = stablehlo.iota dim = 0 : tensor<12xi32>
    %182 = stablehlo.broadcast_in_dim %181, dims = [0] : (tensor<12xi32>) -> tensor<12x1xi32>
    %183 = stablehlo.iota dim = 0 : tensor<12xi32>
    %184 = stablehlo.broadcast_in_dim %183, dims = [1] : (tensor<12xi32>) -> tensor<1x12xi32>
    %185 = stablehlo.broadcast_in_dim %182, dims = [0, 1] : (tensor<12x1xi32>) -> tensor<12x12xi32>
    %186 = stablehlo.broadcast_in_dim %184, dims = [0, 1] : (tensor<1x12xi32>) -> tensor<12x12xi32>
    %187 = stablehlo.subtract %185, %186 : tensor<12x12xi32>
    %188 = stablehlo.abs %187 : tensor<12x12xi32>
    %189 = stablehlo.broadcast_in_dim %cst, dims = [0] : (tensor<2xf32>) -> tensor<2x1x1xf32>
    %190 = stablehlo.convert %188 : (tensor<12x12xi32>) -> tensor<12x12xf32>
    %191 = stablehlo.broadcast_in_dim %190, dims = [1, 2] : (tensor<12x12xf32>) -> tensor<1x12x12xf32>
    %192 = stablehlo.broadcast_in_dim %191, dims = [0, 1, 2] : (tensor<1x12x12xf32>) -> tensor<2x12x12xf32>
    %193 = stablehlo.broadcast_in_dim %189, dims = [0, 1, 2] : (tensor<2x1x1xf32>) -> tensor<2x12x12xf32>
    %194 = stablehlo.multiply %192, %193 : tensor<2x12x12xf32>
    %195 = stablehlo.broadcast_in_dim %194, dims = [1, 2, 3] : (tensor<2x12x12xf32>) -> tensor<1x2x12x12xf32>
    %196 = stablehlo.broadcast_in_dim %195, dims = [0, 1, 2, 3] : (tensor<1x2x12x12xf32>) -> tensor<2x2x12x12xf32>
    %197 = stablehlo.subtract %174, %196 : tensor<2x2x12x12xf32>
    %cst_43 = stablehlo.constant dense<-1.000000e+30> : tensor<f32>
    %198 = call @_where_3(%180, %197, %cst_43) : (tensor<12x12xi1>, tensor<2x2x12x12xf32>, tensor<f32>) -> tensor<2x2x12x12xf32>
    %cst_44 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %199 = stablehlo.reduce(%198 init: %cst_44) applies stablehlo.maximum across dimensions = [3] : (tensor<2x2x12x12xf32>, tensor<f32>) -> tensor<2x2x12xf32>
    %cst_45 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %200 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<2x2x12xf32>
    %201 = stablehlo.maximum %200, %199 : tensor<2x2x12xf32>
    %202 = stablehlo.broadcast_in_dim %201, dims = [0, 1, 2] : (tensor<2x2x12xf32>) -> tensor<2x2x12x1xf32>
    %203 = stablehlo.broadcast_in_dim %202, dims = [0, 1, 2, 3] : (tensor<2x2x12x1xf32>) -> tensor<2x2x12x12xf32>
    %204 = stablehlo.subtract %198, %203 : tensor<2x2x12x12xf32>
    %205 = stablehlo.exponential %204 : tensor<2x2x12x12xf32>
    %cst_46 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %206 = stablehlo.reduce(%205 init: %cst_46) applies stablehlo.add across dimensions = [3] : (tensor<2x2x12x12xf32>, tensor<f32>) -> tensor<2x2x12xf32>
    %207 = stablehlo.broadcast_in_dim %206, dims = [0, 1, 2] : (tensor<2x2x12xf32>) -> tensor<2x2x12x1xf32>
    %208 = stablehlo.broadcast_in_dim %207, dims = [0, 1, 2, 3] : (tensor<2x2x12x1xf32>) -> tensor<2x2x12x12xf32>
    %209 = stablehlo.divide %205, %208 : tensor<2x2x12x12xf32>
    %210 = stablehlo.dot_general %171, %209, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x12x2x4xf32>, tensor<2x2x12x12xf32>) -> tensor<2x2x4x12xf32>
    %211 = stablehlo.transpose %210, dims = [0, 3, 1, 2] : (tensor<2x2x4x12xf32>) -> tensor<2x12x2x4xf32>
    %212 = stablehlo.multiply %211, %211 : tensor<2x12x2x4xf32>
    %cst_47 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %213 = stablehlo.reduce(%212 init: %cst_47) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<2x12x2x4xf32>, tensor<f32>) -> tensor<f32>
    %cst_48 = stablehlo.constant dense<1.920000e+02> : tensor<f32>
    %214 = stablehlo.divide %213, %cst_48 : tensor<f32>
    %215 = stablehlo.add %168, %214 : tensor<f32>
    return %215 : tensor<f32>
  }
  func.func private @_where(%arg0: tensor<12x12xi1> loc(unknown), %arg1: tensor<i32> loc(unknown), %arg2: tensor<f32> loc(unknown)) -> tensor<12x12xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<12x12xf32>
    %2 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<12x12xf32>
    %3 = stablehlo.select %arg0, %1, %2 : tensor<12x12xi1>, tensor<12x12xf32>
    return %3 : tensor<12x12xf32>
  }
  func.func private @_where_0(%arg0: tensor<2x1x1x12xi1> loc(unknown), %arg1: tensor<2x2x12x12xf32> loc(unknown), %arg2: tensor<f32> loc(unknown)) -> tensor<2x2x12x12xf32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1, 2, 3] : (tensor<2x1x1x12xi1>) -> tensor<2x2x12x12xi1>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<2x2x12x12xf32>
    %2 = stablehlo.select %0, %arg1, %1 : tensor<2x2x12x12xi1>, tensor<2x2x12x12xf32>
    return %2 : tensor<2x2x12x12xf32>
  }
  func.func private @_where_1(%arg0: tensor<2x1x1x12xi1> loc(unknown), %arg1: tensor<2x2x12x12xf32> loc(unknown), %arg2: tensor<f32> loc(unknown)) -> tensor<2x2x12x12xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1, 2, 3] : (tensor<2x1x1x12xi1>) -> tensor<2x2x12x12xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<2x2x12x12xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<2x2x12x12xi1>, tensor<2x2x12x12xf32>
    return %3 : tensor<2x2x12x12xf32>
  }
  func.func private @_where_2(%arg0: tensor<2x1x1x12xi1> loc(unknown), %arg1: tensor<2x2x12x12xf32> loc(unknown), %arg2: tensor<i32> loc(unknown)) -> tensor<2x2x12x12xf32> {
    %0 = stablehlo.convert %arg2 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1, 2, 3] : (tensor<2x1x1x12xi1>) -> tensor<2x2x12x12xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<2x2x12x12xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<2x2x12x12xi1>, tensor<2x2x12x12xf32>
    return %3 : tensor<2x2x12x12xf32>
  }
  func.func private @_where_3(%arg0: tensor<12x12xi1> loc(unknown), %arg1: tensor<2x2x12x12xf32> loc(unknown), %arg2: tensor<f32> loc(unknown)) -> tensor<2x2x12x12xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [2, 3] : (tensor<12x12xi1>) -> tensor<2x2x12x12xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<2x2x12x12xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<2x2x12x12xi1>, tensor<2x2x12x12xf32>
    return %3 : tensor<2x2x12x12xf32>
  }
}
