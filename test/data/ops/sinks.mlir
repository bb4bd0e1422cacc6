module @jit_loss attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<6x2x4xf32> loc("p['added']['k']"), %arg1: tensor<6x2x4xf32> loc("p['added']['q']"), %arg2: tensor<6x2x4xf32> loc("p['added']['v']"), %arg3: tensor<2xf32> loc("p['added']['z']"), %arg4: tensor<6x2x4xf32> loc("p['column']['k']"), %arg5: tensor<6x2x4xf32> loc("p['column']['q']"), %arg6: tensor<6x2x4xf32> loc("p['column']['v']"), %arg7: tensor<2xf32> loc("p['column']['z']"), %arg8: tensor<6x2x4xf32> loc("p['learned']['k']"), %arg9: tensor<12x2x4xf32> loc("p['learned']['q']"), %arg10: tensor<6x2x4xf32> loc("p['learned']['v']"), %arg11: tensor<6x2x4xf32> loc("p['safe']['k']"), %arg12: tensor<6x2x4xf32> loc("p['safe']['q']"), %arg13: tensor<6x2x4xf32> loc("p['safe']['v']"), %arg14: tensor<3x4x4xf32> loc("p['window']['bias']"), %arg15: tensor<6x2x4xf32> loc("p['window']['k']"), %arg16: tensor<6x2x4xf32> loc("p['window']['q']"), %arg17: tensor<6x2x4xf32> loc("p['window']['v']"), %arg18: tensor<2xi32> loc("b['len']"), %arg19: tensor<2x12x6xf32> loc("b['x']")) -> (tensor<f32> {jax.result_info = "result"}) {
    %0 = stablehlo.iota dim = 0 : tensor<12xi32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<12xi32>) -> tensor<12x1xi32>
    %2 = stablehlo.iota dim = 0 : tensor<12xi32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [1] : (tensor<12xi32>) -> tensor<1x12xi32>
    %4 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<12x1xi32>) -> tensor<12x12xi32>
    %5 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<1x12xi32>) -> tensor<12x12xi32>
    %6 = stablehlo.compare GE, %4, %5, SIGNED : (tensor<12x12xi32>, tensor<12x12xi32>) -> tensor<12x12xi1>
    %7 = stablehlo.iota dim = 0 : tensor<12xi32>
    %8 = stablehlo.broadcast_in_dim %arg18, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
    %9 = stablehlo.broadcast_in_dim %7, dims = [1] : (tensor<12xi32>) -> tensor<1x12xi32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<1x12xi32>) -> tensor<2x12xi32>
    %11 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<2x1xi32>) -> tensor<2x12xi32>
    %12 = stablehlo.compare LT, %10, %11, SIGNED : (tensor<2x12xi32>, tensor<2x12xi32>) -> tensor<2x12xi1>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0, 3] : (tensor<2x12xi1>) -> tensor<2x1x1x12xi1>
    %14 = stablehlo.dot_general %arg19, %arg5, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x12x6xf32>, tensor<6x2x4xf32>) -> tensor<2x12x2x4xf32>
    %15 = stablehlo.dot_general %arg19, %arg4, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x12x6xf32>, tensor<6x2x4xf32>) -> tensor<2x12x2x4xf32>
    %16 = stablehlo.dot_general %arg19, %arg6, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x12x6xf32>, tensor<6x2x4xf32>) -> tensor<2x12x2x4xf32>
    %17 = stablehlo.broadcast_in_dim %6, dims = [2, 3] : (tensor<12x12xi1>) -> tensor<1x1x12x12xi1>
    %18 = stablehlo.broadcast_in_dim %17, dims = [0, 1, 2, 3] : (tensor<1x1x12x12xi1>) -> tensor<2x1x12x12xi1>
    %19 = stablehlo.broadcast_in_dim %13, dims = [0, 1, 2, 3] : (tensor<2x1x1x12xi1>) -> tensor<2x1x12x12xi1>
    %20 = stablehlo.and %18, %19 : tensor<2x1x12x12xi1>
    %21 = stablehlo.dot_general %14, %15, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x12x2x4xf32>, tensor<2x12x2x4xf32>) -> tensor<2x2x12x12xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x2x12x12xf32>
    %23 = stablehlo.divide %21, %22 : tensor<2x2x12x12xf32>
    %cst_0 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %24 = call @_where(%20, %23, %cst_0) : (tensor<2x1x12x12xi1>, tensor<2x2x12x12xf32>, tensor<f32>) -> tensor<2x2x12x12xf32>
    %25 = stablehlo.broadcast_in_dim %arg7, dims = [0] : (tensor<2xf32>) -> tensor<2x1x1xf32>
    %26 = stablehlo.broadcast_in_dim %25, dims = [1, 2, 3] : (tensor<2x1x1xf32>) -> tensor<2x2x12x1xf32>
    %27 = stablehlo.concatenate %24, %26, dim = 3 : (tensor<2x2x12x12xf32>, tensor<2x2x12x1xf32>) -> tensor<2x2x12x13xf32>
    %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %28 = stablehlo.reduce(%27 init: %cst_1) applies stablehlo.maximum across dimensions = [3] : (tensor<2x2x12x13xf32>, tensor<f32>) -> tensor<2x2x12xf32>
    %29 = stablehlo.broadcast_in_dim %28, dims = [0, 1, 2] : (tensor<2x2x12xf32>) -> tensor<2x2x12x1xf32>
    %30 = stablehlo.broadcast_in_dim %29, dims = [0, 1, 2, 3] : (tensor<2x2x12x1xf32>) -> tensor<2x2x12x13xf32>
    %31 = stablehlo.subtract %27, %30 : tensor<2x2x12x13xf32>
    %cst_2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %32 = stablehlo.reduce(%31 init: %cst_2) applies stablehlo.maximum across dimensions = [3] : (tensor<2x2x12x13xf32>, tensor<f32>) -> tensor<2x2x12xf32>
    %cst_3 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<2x2x12xf32>
    %34 = stablehlo.maximum %33, %32 : tensor<2x2x12xf32>
    %35 = stablehlo.broadcast_in_dim %34, dims = [0, 1, 2] : (tensor<2x2x12xf32>) -> tensor<2x2x12x1xf32>
    %36 = stablehlo.custom_call @zcc.stop_gradient(%35) {backend_config = "", mhlo.backend_config = {}, operand_layouts = [dense<[3, 2, 1, 0]> : tensor<4xindex>], result_layouts = [dense<[3, 2, 1, 0]> : tensor<4xindex>]} : (tensor<2x2x12x1xf32>) -> tensor<2x2x12x1xf32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [0, 1, 2, 3] : (tensor<2x2x12x1xf32>) -> tensor<2x2x12x13xf32>
    %38 = stablehlo.subtract %31, %37 : tensor<2x2x12x13xf32>
    %39 = stablehlo.exponential %38 : tensor<2x2x12x13xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %40 = stablehlo.reduce(%39 init: %cst_4) applies stablehlo.add across dimensions = [3] : (tensor<2x2x12x13xf32>, tensor<f32>) -> tensor<2x2x12xf32>
    %41 = stablehlo.broadcast_in_dim %40, dims = [0, 1, 2] : (tensor<2x2x12xf32>) -> tensor<2x2x12x1xf32>
    %42 = stablehlo.broadcast_in_dim %41, dims = [0, 1, 2, 3] : (tensor<2x2x12x1xf32>) -> tensor<2x2x12x13xf32>
    %43 = stablehlo.divide %39, %42 : tensor<2x2x12x13xf32>
    %44 = stablehlo.slice %43 [0:2, 0:2, 0:12, 0:12] : (tensor<2x2x12x13xf32>) -> tensor<2x2x12x12xf32>
    %45 = stablehlo.dot_general %16, %44, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x12x2x4xf32>, tensor<2x2x12x12xf32>) -> tensor<2x2x4x12xf32>
    %46 = stablehlo.transpose %45, dims = [0, 3, 1, 2] : (tensor<2x2x4x12xf32>) -> tensor<2x12x2x4xf32>
    %47 = stablehlo.multiply %46, %46 : tensor<2x12x2x4xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %48 = stablehlo.reduce(%47 init: %cst_5) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<2x12x2x4xf32>, tensor<f32>) -> tensor<f32>
    %cst_6 = stablehlo.constant dense<1.920000e+02> : tensor<f32>
    %49 = stablehlo.divide %48, %cst_6 : tensor<f32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %50 = stablehlo.add %cst_7, %49 : tensor<f32>
    %51 = stablehlo.dot_general %arg19, %arg1, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x12x6xf32>, tensor<6x2x4xf32>) -> tensor<2x12x2x4xf32>
    %52 = stablehlo.dot_general %arg19, %arg0, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x12x6xf32>, tensor<6x2x4xf32>) -> tensor<2x12x2x4xf32>
    %53 = stablehlo.dot_general %arg19, %arg2, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x12x6xf32>, tensor<6x2x4xf32>) -> tensor<2x12x2x4xf32>
    %54 = stablehlo.dot_general %51, %52, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x12x2x4xf32>, tensor<2x12x2x4xf32>) -> tensor<2x2x12x12xf32>
    %cst_8 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %55 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<2x2x12x12xf32>
    %56 = stablehlo.divide %54, %55 : tensor<2x2x12x12xf32>
    %cst_9 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %57 = call @_where_0(%6, %56, %cst_9) : (tensor<12x12xi1>, tensor<2x2x12x12xf32>, tensor<f32>) -> tensor<2x2x12x12xf32>
    %58 = stablehlo.broadcast_in_dim %arg3, dims = [0] : (tensor<2xf32>) -> tensor<2x1x1xf32>
    %cst_10 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %59 = stablehlo.reduce(%57 init: %cst_10) applies stablehlo.maximum across dimensions = [3] : (tensor<2x2x12x12xf32>, tensor<f32>) -> tensor<2x2x12xf32>
    %60 = stablehlo.broadcast_in_dim %59, dims = [0, 1, 2] : (tensor<2x2x12xf32>) -> tensor<2x2x12x1xf32>
    %61 = stablehlo.broadcast_in_dim %58, dims = [1, 2, 3] : (tensor<2x1x1xf32>) -> tensor<1x2x1x1xf32>
    %62 = stablehlo.broadcast_in_dim %61, dims = [0, 1, 2, 3] : (tensor<1x2x1x1xf32>) -> tensor<2x2x12x1xf32>
    %63 = stablehlo.maximum %60, %62 : tensor<2x2x12x1xf32>
    %64 = stablehlo.custom_call @zcc.stop_gradient(%63) {backend_config = "", mhlo.backend_config = {}, operand_layouts = [dense<[3, 2, 1, 0]> : tensor<4xindex>], result_layouts = [dense<[3, 2, 1, 0]> : tensor<4xindex>]} : (tensor<2x2x12x1xf32>) -> tensor<2x2x12x1xf32>
    %65 = stablehlo.broadcast_in_dim %64, dims = [0, 1, 2, 3] : (tensor<2x2x12x1xf32>) -> tensor<2x2x12x12xf32>
    %66 = stablehlo.subtract %57, %65 : tensor<2x2x12x12xf32>
    %67 = stablehlo.exponential %66 : tensor<2x2x12x12xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %68 = stablehlo.reduce(%67 init: %cst_11) applies stablehlo.add across dimensions = [3] : (tensor<2x2x12x12xf32>, tensor<f32>) -> tensor<2x2x12xf32>
    %69 = stablehlo.broadcast_in_dim %68, dims = [0, 1, 2] : (tensor<2x2x12xf32>) -> tensor<2x2x12x1xf32>
    %70 = stablehlo.broadcast_in_dim %58, dims = [1, 2, 3] : (tensor<2x1x1xf32>) -> tensor<1x2x1x1xf32>
    %71 = stablehlo.broadcast_in_dim %70, dims = [0, 1, 2, 3] : (tensor<1x2x1x1xf32>) -> tensor<2x2x12x1xf32>
    %72 = stablehlo.subtract %71, %64 : tensor<2x2x12x1xf32>
    %73 = stablehlo.exponential %72 : tensor<2x2x12x1xf32>
    %74 = stablehlo.add %69, %73 : tensor<2x2x12x1xf32>
    %75 = stablehlo.broadcast_in_dim %74, dims = [0, 1, 2, 3] : (tensor<2x2x12x1xf32>) -> tensor<2x2x12x12xf32>
    %76 = stablehlo.divide %67, %75 : tensor<2x2x12x12xf32>
    %77 = stablehlo.dot_general %53, %76, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x12x2x4xf32>, tensor<2x2x12x12xf32>) -> tensor<2x2x4x12xf32>
    %78 = stablehlo.transpose %77, dims = [0, 3, 1, 2] : (tensor<2x2x4x12xf32>) -> tensor<2x12x2x4xf32>
    %79 = stablehlo.multiply %78, %78 : tensor<2x12x2x4xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %80 = stablehlo.reduce(%79 init: %cst_12) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<2x12x2x4xf32>, tensor<f32>) -> tensor<f32>
    %cst_13 = stablehlo.constant dense<1.920000e+02> : tensor<f32>
    %81 = stablehlo.divide %80, %cst_13 : tensor<f32>
    %82 = stablehlo.add %50, %81 : tensor<f32>
    %83 = stablehlo.dot_general %arg19, %arg8, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x12x6xf32>, tensor<6x2x4xf32>) -> tensor<2x12x2x4xf32>
    %84 = stablehlo.dot_general %arg19, %arg10, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x12x6xf32>, tensor<6x2x4xf32>) -> tensor<2x12x2x4xf32>
    %85 = stablehlo.dot_general %83, %arg9, batching_dims = [2] x [1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x12x2x4xf32>, tensor<12x2x4xf32>) -> tensor<2x2x12x12xf32>
    %86 = stablehlo.transpose %85, dims = [1, 0, 3, 2] : (tensor<2x2x12x12xf32>) -> tensor<2x2x12x12xf32>
    %cst_14 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %87 = stablehlo.reduce(%86 init: %cst_14) applies stablehlo.maximum across dimensions = [3] : (tensor<2x2x12x12xf32>, tensor<f32>) -> tensor<2x2x12xf32>
    %cst_15 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %88 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<2x2x12xf32>
    %89 = stablehlo.maximum %88, %87 : tensor<2x2x12xf32>
    %90 = stablehlo.broadcast_in_dim %89, dims = [0, 1, 2] : (tensor<2x2x12xf32>) -> tensor<2x2x12x1xf32>
    %91 = stablehlo.custom_call @zcc.stop_gradient(%90) {backend_config = "", mhlo.backend_config = {}, operand_layouts = [dense<[3, 2, 1, 0]> : tensor<4xindex>], result_layouts = [dense<[3, 2, 1, 0]> : tensor<4xindex>]} : (tensor<2x2x12x1xf32>) -> tensor<2x2x12x1xf32>
    %92 = stablehlo.broadcast_in_dim %91, dims = [0, 1, 2, 3] : (tensor<2x2x12x1xf32>) -> tensor<2x2x12x12xf32>
    %93 = stablehlo.subtract %86, %92 : tensor<2x2x12x12xf32>
    %94 = stablehlo.exponential %93 : tensor<2x2x12x12xf32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %95 = stablehlo.reduce(%94 init: %cst_16) applies stablehlo.add across dimensions = [3] : (tensor<2x2x12x12xf32>, tensor<f32>) -> tensor<2x2x12xf32>
    %96 = stablehlo.broadcast_in_dim %95, dims = [0, 1, 2] : (tensor<2x2x12xf32>) -> tensor<2x2x12x1xf32>
    %97 = stablehlo.broadcast_in_dim %96, dims = [0, 1, 2, 3] : (tensor<2x2x12x1xf32>) -> tensor<2x2x12x12xf32>
    %98 = stablehlo.divide %94, %97 : tensor<2x2x12x12xf32>
    %99 = stablehlo.dot_general %84, %98, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x12x2x4xf32>, tensor<2x2x12x12xf32>) -> tensor<2x2x4x12xf32>
    %100 = stablehlo.transpose %99, dims = [0, 3, 1, 2] : (tensor<2x2x4x12xf32>) -> tensor<2x12x2x4xf32>
    %101 = stablehlo.multiply %100, %100 : tensor<2x12x2x4xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %102 = stablehlo.reduce(%101 init: %cst_17) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<2x12x2x4xf32>, tensor<f32>) -> tensor<f32>
    %cst_18 = stablehlo.constant dense<1.920000e+02> : tensor<f32>
    %103 = stablehlo.divide %102, %cst_18 : tensor<f32>
    %104 = stablehlo.add %82, %103 : tensor<f32>
    %105 = stablehlo.dot_general %arg19, %arg12, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x12x6xf32>, tensor<6x2x4xf32>) -> tensor<2x12x2x4xf32>
    %106 = stablehlo.dot_general %arg19, %arg11, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x12x6xf32>, tensor<6x2x4xf32>) -> tensor<2x12x2x4xf32>
    %107 = stablehlo.dot_general %arg19, %arg13, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x12x6xf32>, tensor<6x2x4xf32>) -> tensor<2x12x2x4xf32>
    %108 = stablehlo.dot_general %105, %106, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x12x2x4xf32>, tensor<2x12x2x4xf32>) -> tensor<2x2x12x12xf32>
    %cst_19 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %109 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<2x2x12x12xf32>
    %110 = stablehlo.divide %108, %109 : tensor<2x2x12x12xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %cst_20 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %111 = call @_where_1(%13, %c, %cst_20) : (tensor<2x1x1x12xi1>, tensor<i32>, tensor<f32>) -> tensor<2x1x1x12xf32>
    %112 = stablehlo.convert %111 : tensor<2x1x1x12xf32>
    %113 = stablehlo.broadcast_in_dim %112, dims = [0, 1, 2, 3] : (tensor<2x1x1x12xf32>) -> tensor<2x2x12x12xf32>
    %114 = stablehlo.add %110, %113 : tensor<2x2x12x12xf32>
    %cst_21 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %115 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<2x2x12x12xf32>
    %116 = stablehlo.compare EQ, %114, %115, FLOAT : (tensor<2x2x12x12xf32>, tensor<2x2x12x12xf32>) -> tensor<2x2x12x12xi1>
    %c_22 = stablehlo.constant dense<true> : tensor<i1>
    %117 = stablehlo.reduce(%116 init: %c_22) applies stablehlo.and across dimensions = [3] : (tensor<2x2x12x12xi1>, tensor<i1>) -> tensor<2x2x12xi1>
    %118 = stablehlo.broadcast_in_dim %117, dims = [0, 1, 2] : (tensor<2x2x12xi1>) -> tensor<2x2x12x1xi1>
    %c_23 = stablehlo.constant dense<0> : tensor<i32>
    %119 = call @_where_2(%118, %c_23, %114) : (tensor<2x2x12x1xi1>, tensor<i32>, tensor<2x2x12x12xf32>) -> tensor<2x2x12x12xf32>
    %cst_24 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %120 = stablehlo.reduce(%119 init: %cst_24) applies stablehlo.maximum across dimensions = [3] : (tensor<2x2x12x12xf32>, tensor<f32>) -> tensor<2x2x12xf32>
    %cst_25 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %121 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<2x2x12xf32>
    %122 = stablehlo.maximum %121, %120 : tensor<2x2x12xf32>
    %123 = stablehlo.broadcast_in_dim %122, dims = [0, 1, 2] : (tensor<2x2x12xf32>) -> tensor<2x2x12x1xf32>
    %124 = stablehlo.custom_call @zcc.stop_gradient(%123) {backend_config = "", mhlo.backend_config = {}, operand_layouts = [dense<[3, 2, 1, 0]> : tensor<4xindex>], result_layouts = [dense<[3, 2, 1, 0]> : tensor<4xindex>]} : (tensor<2x2x12x1xf32>) -> tensor<2x2x12x1xf32>
    %125 = stablehlo.broadcast_in_dim %124, dims = [0, 1, 2, 3] : (tensor<2x2x12x1xf32>) -> tensor<2x2x12x12xf32>
    %126 = stablehlo.subtract %119, %125 : tensor<2x2x12x12xf32>
    %127 = stablehlo.exponential %126 : tensor<2x2x12x12xf32>
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %128 = stablehlo.reduce(%127 init: %cst_26) applies stablehlo.add across dimensions = [3] : (tensor<2x2x12x12xf32>, tensor<f32>) -> tensor<2x2x12xf32>
    %129 = stablehlo.broadcast_in_dim %128, dims = [0, 1, 2] : (tensor<2x2x12xf32>) -> tensor<2x2x12x1xf32>
    %130 = stablehlo.broadcast_in_dim %129, dims = [0, 1, 2, 3] : (tensor<2x2x12x1xf32>) -> tensor<2x2x12x12xf32>
    %131 = stablehlo.divide %127, %130 : tensor<2x2x12x12xf32>
    %c_27 = stablehlo.constant dense<0> : tensor<i32>
    %132 = call @_where_2(%118, %c_27, %131) : (tensor<2x2x12x1xi1>, tensor<i32>, tensor<2x2x12x12xf32>) -> tensor<2x2x12x12xf32>
    %133 = stablehlo.dot_general %107, %132, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x12x2x4xf32>, tensor<2x2x12x12xf32>) -> tensor<2x2x4x12xf32>
    %134 = stablehlo.transpose %133, dims = [0, 3, 1, 2] : (tensor<2x2x4x12xf32>) -> tensor<2x12x2x4xf32>
    %135 = stablehlo.multiply %134, %134 : tensor<2x12x2x4xf32>
    %cst_28 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %136 = stablehlo.reduce(%135 init: %cst_28) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<2x12x2x4xf32>, tensor<f32>) -> tensor<f32>
    %cst_29 = stablehlo.constant dense<1.920000e+02> : tensor<f32>
    %137 = stablehlo.divide %136, %cst_29 : tensor<f32>
    %138 = stablehlo.add %104, %137 : tensor<f32>
    %139 = stablehlo.dot_general %arg19, %arg16, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x12x6xf32>, tensor<6x2x4xf32>) -> tensor<2x12x2x4xf32>
    %140 = stablehlo.reshape %139 : (tensor<2x12x2x4xf32>) -> tensor<6x4x2x4xf32>
    %141 = stablehlo.dot_general %arg19, %arg15, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x12x6xf32>, tensor<6x2x4xf32>) -> tensor<2x12x2x4xf32>
    %142 = stablehlo.reshape %141 : (tensor<2x12x2x4xf32>) -> tensor<6x4x2x4xf32>
    %143 = stablehlo.dot_general %arg19, %arg17, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x12x6xf32>, tensor<6x2x4xf32>) -> tensor<2x12x2x4xf32>
    %144 = stablehlo.reshape %143 : (tensor<2x12x2x4xf32>) -> tensor<6x4x2x4xf32>
    %145 = stablehlo.dot_general %140, %142, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x4x2x4xf32>, tensor<6x4x2x4xf32>) -> tensor<6x2x4x4xf32>
    %cst_30 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %146 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<6x2x4x4xf32>
    %147 = stablehlo.divide %145, %146 : tensor<6x2x4x4xf32>
    %148 = stablehlo.reshape %147 : (tensor<6x2x4x4xf32>) -> tensor<2x3x2x4x4xf32>
    %149 = stablehlo.broadcast_in_dim %arg14, dims = [0, 2, 3] : (tensor<3x4x4xf32>) -> tensor<3x1x4x4xf32>
    %150 = stablehlo.broadcast_in_dim %149, dims = [1, 2, 3, 4] : (tensor<3x1x4x4xf32>) -> tensor<1x3x1x4x4xf32>
    %151 = stablehlo.broadcast_in_dim %150, dims = [0, 1, 2, 3, 4] : (tensor<1x3x1x4x4xf32>) -> tensor<2x3x2x4x4xf32>
    %152 = stablehlo.add %148, %151 : tensor<2x3x2x4x4xf32>
    %153 = stablehlo.reshape %152 : (tensor<2x3x2x4x4xf32>) -> tensor<6x2x4x4xf32>
    %cst_31 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %154 = stablehlo.reduce(%153 init: %cst_31) applies stablehlo.maximum across dimensions = [3] : (tensor<6x2x4x4xf32>, tensor<f32>) -> tensor<6x2x4xf32>
    %cst_32 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %155 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<6x2x4xf32>
    %156 = stablehlo.maximum %155, %154 : tensor<6x2x4xf32>
    %157 = stablehlo.broadcast_in_dim %156, dims = [0, 1, 2] : (tensor<6x2x4xf32>) -> tensor<6x2x4x1xf32>
    %158 = stablehlo.custom_call @zcc.stop_gradient(%157) {backend_config = "", mhlo.backend_config = {}, operand_layouts = [dense<[3, 2, 1, 0]> : tensor<4xindex>], result_layouts = [dense<[3, 2, 1, 0]> : tensor<4xindex>]} : (tensor<6x2x4x1xf32>) -> tensor<6x2x4x1xf32>
    %159 = stablehlo.broadcast_in_dim %158, dims = [0, 1, 2, 3] : (tensor<6x2x4x1xf32>) -> tensor<6x2x4x4xf32>
    %160 = stablehlo.subtract %153, %159 : tensor<6x2x4x4xf32>
    %161 = stablehlo.exponential %160 : tensor<6x2x4x4xf32>
    %cst_33 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %162 = stablehlo.reduce(%161 init: %cst_33) applies stablehlo.add across dimensions = [3] : (tensor<6x2x4x4xf32>, tensor<f32>) -> tensor<6x2x4xf32>
    %163 = stablehlo.broadcast_in_dim %162, dims = [0, 1, 2] : (tensor<6x2x4xf32>) -> tensor<6x2x4x1xf32>
    %164 = stablehlo.broadcast_in_dim %163, dims = [0, 1, 2, 3] : (tensor<6x2x4x1xf32>) -> tensor<6x2x4x4xf32>
    %165 = stablehlo.divide %161, %164 : tensor<6x2x4x4xf32>
    %166 = stablehlo.dot_general %144, %165, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x4x2x4xf32>, tensor<6x2x4x4xf32>) -> tensor<6x2x4x4xf32>
    %167 = stablehlo.transpose %166, dims = [0, 3, 1, 2] : (tensor<6x2x4x4xf32>) -> tensor<6x4x2x4xf32>
    %168 = stablehlo.multiply %167, %167 : tensor<6x4x2x4xf32>
    %cst_34 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %169 = stablehlo.reduce(%168 init: %cst_34) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<6x4x2x4xf32>, tensor<f32>) -> tensor<f32>
    %cst_35 = stablehlo.constant dense<1.920000e+02> : tensor<f32>
    %170 = stablehlo.divide %169, %cst_35 : tensor<f32>
    %171 = stablehlo.add %138, %170 : tensor<f32>
    return %171 : tensor<f32>
  }
  func.func private @_where(%arg0: tensor<2x1x12x12xi1> loc(unknown), %arg1: tensor<2x2x12x12xf32> loc(unknown), %arg2: tensor<f32> loc(unknown)) -> tensor<2x2x12x12xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1, 2, 3] : (tensor<2x1x12x12xi1>) -> tensor<2x2x12x12xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<2x2x12x12xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<2x2x12x12xi1>, tensor<2x2x12x12xf32>
    return %3 : tensor<2x2x12x12xf32>
  }
  func.func private @_where_0(%arg0: tensor<12x12xi1> loc(unknown), %arg1: tensor<2x2x12x12xf32> loc(unknown), %arg2: tensor<f32> loc(unknown)) -> tensor<2x2x12x12xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [2, 3] : (tensor<12x12xi1>) -> tensor<2x2x12x12xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<2x2x12x12xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<2x2x12x12xi1>, tensor<2x2x12x12xf32>
    return %3 : tensor<2x2x12x12xf32>
  }
  func.func private @_where_1(%arg0: tensor<2x1x1x12xi1> loc(unknown), %arg1: tensor<i32> loc(unknown), %arg2: tensor<f32> loc(unknown)) -> tensor<2x1x1x12xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<2x1x1x12xf32>
    %2 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<2x1x1x12xf32>
    %3 = stablehlo.select %arg0, %1, %2 : tensor<2x1x1x12xi1>, tensor<2x1x1x12xf32>
    return %3 : tensor<2x1x1x12xf32>
  }
  func.func private @_where_2(%arg0: tensor<2x2x12x1xi1> loc(unknown), %arg1: tensor<i32> loc(unknown), %arg2: tensor<2x2x12x12xf32> loc(unknown)) -> tensor<2x2x12x12xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1, 2, 3] : (tensor<2x2x12x1xi1>) -> tensor<2x2x12x12xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<2x2x12x12xf32>
    %3 = stablehlo.select %1, %2, %arg2 : tensor<2x2x12x12xi1>, tensor<2x2x12x12xf32>
    return %3 : tensor<2x2x12x12xf32>
  }
}
