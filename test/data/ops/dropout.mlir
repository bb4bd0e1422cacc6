module @jit_loss attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<6x2x4xf32> loc("p['flat']['k']"), %arg1: tensor<6x2x4xf32> loc("p['flat']['q']"), %arg2: tensor<6x2x4xf32> loc("p['flat']['v']"), %arg3: tensor<6x2x4xf32> loc("p['flax']['k']"), %arg4: tensor<6x2x4xf32> loc("p['flax']['q']"), %arg5: tensor<6x2x4xf32> loc("p['flax']['v']"), %arg6: tensor<6x2x4xf32> loc("p['sdpa']['k']"), %arg7: tensor<6x2x4xf32> loc("p['sdpa']['q']"), %arg8: tensor<6x2x4xf32> loc("p['sdpa']['v']"), %arg9: tensor<2x12x12xf32> loc("p['shared']['bias']"), %arg10: tensor<6x2x4xf32> loc("p['shared']['k']"), %arg11: tensor<6x2x4xf32> loc("p['shared']['q']"), %arg12: tensor<6x2x4xf32> loc("p['shared']['v']"), %arg13: tensor<2xui32> loc("b['key']"), %arg14: tensor<2xi32> loc("b['len']"), %arg15: tensor<2x12x6xf32> loc("b['x']")) -> (tensor<f32> {jax.result_info = "result"}) {
    %0 = stablehlo.transpose %arg15, dims = [1, 0, 2] : (tensor<2x12x6xf32>) -> tensor<12x2x6xf32>
    %1 = stablehlo.reshape %arg1 : (tensor<6x2x4xf32>) -> tensor<6x8xf32>
    %2 = stablehlo.dot_general %0, %1, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<12x2x6xf32>, tensor<6x8xf32>) -> tensor<12x2x8xf32>
    %3 = stablehlo.reshape %2 : (tensor<12x2x8xf32>) -> tensor<12x4x4xf32>
    %4 = stablehlo.transpose %3, dims = [1, 0, 2] : (tensor<12x4x4xf32>) -> tensor<4x12x4xf32>
    %5 = stablehlo.reshape %arg0 : (tensor<6x2x4xf32>) -> tensor<6x8xf32>
    %6 = stablehlo.dot_general %0, %5, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<12x2x6xf32>, tensor<6x8xf32>) -> tensor<12x2x8xf32>
    %7 = stablehlo.reshape %6 : (tensor<12x2x8xf32>) -> tensor<12x4x4xf32>
    %8 = stablehlo.transpose %7, dims = [1, 0, 2] : (tensor<12x4x4xf32>) -> tensor<4x12x4xf32>
    %9 = stablehlo.reshape %arg2 : (tensor<6x2x4xf32>) -> tensor<6x8xf32>
    %10 = stablehlo.dot_general %0, %9, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<12x2x6xf32>, tensor<6x8xf32>) -> tensor<12x2x8xf32>
    %11 = stablehlo.reshape %10 : (tensor<12x2x8xf32>) -> tensor<12x4x4xf32>
    %12 = stablehlo.transpose %11, dims = [1, 0, 2] : (tensor<12x4x4xf32>) -> tensor<4x12x4xf32>
    %cst = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x12x4xf32>
    %14 = stablehlo.multiply %4, %13 : tensor<4x12x4xf32>
    %15 = stablehlo.transpose %8, dims = [0, 2, 1] : (tensor<4x12x4xf32>) -> tensor<4x4x12xf32>
    %16 = stablehlo.dot_general %14, %15, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x12x4xf32>, tensor<4x4x12xf32>) -> tensor<4x12x12xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %17 = stablehlo.reduce(%16 init: %cst_0) applies stablehlo.maximum across dimensions = [2] : (tensor<4x12x12xf32>, tensor<f32>) -> tensor<4x12xf32>
    %18 = stablehlo.broadcast_in_dim %17, dims = [0, 1] : (tensor<4x12xf32>) -> tensor<4x12x1xf32>
    %19 = stablehlo.broadcast_in_dim %18, dims = [0, 1, 2] : (tensor<4x12x1xf32>) -> tensor<4x12x12xf32>
    %20 = stablehlo.subtract %16, %19 : tensor<4x12x12xf32>
    %21 = stablehlo.exponential %20 : tensor<4x12x12xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %22 = stablehlo.reduce(%21 init: %cst_1) applies stablehlo.add across dimensions = [2] : (tensor<4x12x12xf32>, tensor<f32>) -> tensor<4x12xf32>
    %23 = stablehlo.broadcast_in_dim %22, dims = [0, 1] : (tensor<4x12xf32>) -> tensor<4x12x1xf32>
    %24 = stablehlo.broadcast_in_dim %23, dims = [0, 1, 2] : (tensor<4x12x1xf32>) -> tensor<4x12x12xf32>
    %25 = stablehlo.divide %21, %24 : tensor<4x12x12xf32>
    %c = stablehlo.constant dense<3> : tensor<ui32>
    %26 = call @_threefry_fold_in(%arg13, %c) : (tensor<2xui32>, tensor<ui32>) -> tensor<2xui32>
    %cst_2 = stablehlo.constant dense<7.500000e-01> : tensor<f32>
    %27 = call @_bernoulli(%26, %cst_2) : (tensor<2xui32>, tensor<f32>) -> tensor<4x12x12xi1>
    %cst_3 = stablehlo.constant dense<7.500000e-01> : tensor<f32>
    %28 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<4x12x12xf32>
    %29 = stablehlo.divide %25, %28 : tensor<4x12x12xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %30 = call @_where(%27, %29, %cst_4) : (tensor<4x12x12xi1>, tensor<4x12x12xf32>, tensor<f32>) -> tensor<4x12x12xf32>
    %31 = stablehlo.dot_general %30, %12, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x12x12xf32>, tensor<4x12x4xf32>) -> tensor<4x12x4xf32>
    %32 = stablehlo.transpose %31, dims = [1, 0, 2] : (tensor<4x12x4xf32>) -> tensor<12x4x4xf32>
    %33 = stablehlo.reshape %32 : (tensor<12x4x4xf32>) -> tensor<12x2x2x4xf32>
    %34 = stablehlo.transpose %33, dims = [1, 0, 2, 3] : (tensor<12x2x2x4xf32>) -> tensor<2x12x2x4xf32>
    %35 = stablehlo.multiply %34, %34 : tensor<2x12x2x4xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %36 = stablehlo.reduce(%35 init: %cst_5) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<2x12x2x4xf32>, tensor<f32>) -> tensor<f32>
    %cst_6 = stablehlo.constant dense<1.920000e+02> : tensor<f32>
    %37 = stablehlo.divide %36, %cst_6 : tensor<f32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %38 = stablehlo.add %cst_7, %37 : tensor<f32>
    %39 = stablehlo.dot_general %arg15, %arg4, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x12x6xf32>, tensor<6x2x4xf32>) -> tensor<2x12x2x4xf32>
    %40 = stablehlo.dot_general %arg15, %arg3, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x12x6xf32>, tensor<6x2x4xf32>) -> tensor<2x12x2x4xf32>
    %41 = stablehlo.dot_general %arg15, %arg5, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x12x6xf32>, tensor<6x2x4xf32>) -> tensor<2x12x2x4xf32>
    %cst_8 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %42 = stablehlo.sqrt %cst_8 : tensor<f32>
    %43 = stablehlo.convert %42 : tensor<f32>
    %44 = stablehlo.broadcast_in_dim %43, dims = [] : (tensor<f32>) -> tensor<2x12x2x4xf32>
    %45 = stablehlo.divide %39, %44 : tensor<2x12x2x4xf32>
    %46 = stablehlo.dot_general %45, %40, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x12x2x4xf32>, tensor<2x12x2x4xf32>) -> tensor<2x2x12x12xf32>
    %c_9 = stablehlo.constant dense<true> : tensor<i1>
    %47 = stablehlo.broadcast_in_dim %c_9, dims = [] : (tensor<i1>) -> tensor<12x12xi1>
    %48 = call @tril(%47) : (tensor<12x12xi1>) -> tensor<12x12xi1>
    %cst_10 = stablehlo.constant dense<-3.40282347E+38> : tensor<f32>
    %49 = call @_where_2(%48, %46, %cst_10) : (tensor<12x12xi1>, tensor<2x2x12x12xf32>, tensor<f32>) -> tensor<2x2x12x12xf32>
    %cst_11 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %50 = stablehlo.reduce(%49 init: %cst_11) applies stablehlo.maximum across dimensions = [3] : (tensor<2x2x12x12xf32>, tensor<f32>) -> tensor<2x2x12xf32>
    %cst_12 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %51 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<2x2x12xf32>
    %52 = stablehlo.maximum %51, %50 : tensor<2x2x12xf32>
    %53 = stablehlo.broadcast_in_dim %52, dims = [0, 1, 2] : (tensor<2x2x12xf32>) -> tensor<2x2x12x1xf32>
    %54 = stablehlo.broadcast_in_dim %53, dims = [0, 1, 2, 3] : (tensor<2x2x12x1xf32>) -> tensor<2x2x12x12xf32>
    %55 = stablehlo.subtract %49, %54 : tensor<2x2x12x12xf32>
    %56 = stablehlo.exponential %55 : tensor<2x2x12x12xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %57 = stablehlo.reduce(%56 init: %cst_13) applies stablehlo.add across dimensions = [3] : (tensor<2x2x12x12xf32>, tensor<f32>) -> tensor<2x2x12xf32>
    %58 = stablehlo.broadcast_in_dim %57, dims = [0, 1, 2] : (tensor<2x2x12xf32>) -> tensor<2x2x12x1xf32>
    %59 = stablehlo.broadcast_in_dim %58, dims = [0, 1, 2, 3] : (tensor<2x2x12x1xf32>) -> tensor<2x2x12x12xf32>
    %60 = stablehlo.divide %56, %59 : tensor<2x2x12x12xf32>
    %c_14 = stablehlo.constant dense<1> : tensor<ui32>
    %61 = call @_threefry_fold_in(%arg13, %c_14) : (tensor<2xui32>, tensor<ui32>) -> tensor<2xui32>
    %cst_15 = stablehlo.constant dense<7.500000e-01> : tensor<f32>
    %62 = call @_bernoulli_3(%61, %cst_15) : (tensor<2xui32>, tensor<f32>) -> tensor<2x2x12x12xi1>
    %63 = stablehlo.convert %62 : (tensor<2x2x12x12xi1>) -> tensor<2x2x12x12xf32>
    %cst_16 = stablehlo.constant dense<7.500000e-01> : tensor<f32>
    %64 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<2x2x12x12xf32>
    %65 = stablehlo.divide %63, %64 : tensor<2x2x12x12xf32>
    %66 = stablehlo.multiply %60, %65 : tensor<2x2x12x12xf32>
    %67 = stablehlo.dot_general %41, %66, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x12x2x4xf32>, tensor<2x2x12x12xf32>) -> tensor<2x2x4x12xf32>
    %68 = stablehlo.transpose %67, dims = [0, 3, 1, 2] : (tensor<2x2x4x12xf32>) -> tensor<2x12x2x4xf32>
    %69 = stablehlo.multiply %68, %68 : tensor<2x12x2x4xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %70 = stablehlo.reduce(%69 init: %cst_17) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<2x12x2x4xf32>, tensor<f32>) -> tensor<f32>
    %cst_18 = stablehlo.constant dense<1.920000e+02> : tensor<f32>
    %71 = stablehlo.divide %70, %cst_18 : tensor<f32>
    %72 = stablehlo.add %38, %71 : tensor<f32>
    %73 = stablehlo.dot_general %arg15, %arg7, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x12x6xf32>, tensor<6x2x4xf32>) -> tensor<2x12x2x4xf32>
    %74 = stablehlo.dot_general %arg15, %arg6, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x12x6xf32>, tensor<6x2x4xf32>) -> tensor<2x12x2x4xf32>
    %75 = stablehlo.dot_general %arg15, %arg8, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x12x6xf32>, tensor<6x2x4xf32>) -> tensor<2x12x2x4xf32>
    %76 = stablehlo.transpose %73, dims = [0, 2, 1, 3] : (tensor<2x12x2x4xf32>) -> tensor<2x2x12x4xf32>
    %77 = stablehlo.transpose %74, dims = [0, 2, 1, 3] : (tensor<2x12x2x4xf32>) -> tensor<2x2x12x4xf32>
    %78 = stablehlo.transpose %75, dims = [0, 2, 1, 3] : (tensor<2x12x2x4xf32>) -> tensor<2x2x12x4xf32>
    %79 = stablehlo.iota dim = 0 : tensor<12xi32>
    %80 = stablehlo.broadcast_in_dim %79, dims = [1] : (tensor<12xi32>) -> tensor<1x12xi32>
    %81 = stablehlo.broadcast_in_dim %arg14, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
    %82 = stablehlo.broadcast_in_dim %80, dims = [0, 1] : (tensor<1x12xi32>) -> tensor<2x12xi32>
    %83 = stablehlo.broadcast_in_dim %81, dims = [0, 1] : (tensor<2x1xi32>) -> tensor<2x12xi32>
    %84 = stablehlo.compare LE, %82, %83, SIGNED : (tensor<2x12xi32>, tensor<2x12xi32>) -> tensor<2x12xi1>
    %cst_19 = stablehlo.constant dense<0.707106769> : tensor<f32>
    %85 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<2x2x12x4xf32>
    %86 = stablehlo.multiply %76, %85 : tensor<2x2x12x4xf32>
    %cst_20 = stablehlo.constant dense<0.707106769> : tensor<f32>
    %87 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<2x2x12x4xf32>
    %88 = stablehlo.multiply %77, %87 : tensor<2x2x12x4xf32>
    %89 = stablehlo.transpose %88, dims = [0, 1, 3, 2] : (tensor<2x2x12x4xf32>) -> tensor<2x2x4x12xf32>
    %90 = stablehlo.reshape %86 : (tensor<2x2x12x4xf32>) -> tensor<4x12x4xf32>
    %91 = stablehlo.reshape %89 : (tensor<2x2x4x12xf32>) -> tensor<4x4x12xf32>
    %92 = stablehlo.dot_general %90, %91, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x12x4xf32>, tensor<4x4x12xf32>) -> tensor<4x12x12xf32>
    %93 = stablehlo.reshape %92 : (tensor<4x12x12xf32>) -> tensor<2x2x12x12xf32>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_22 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %94 = call @_where_7(%84, %cst_21, %cst_22) : (tensor<2x12xi1>, tensor<f32>, tensor<f32>) -> tensor<2x12xf32>
    %95 = stablehlo.broadcast_in_dim %94, dims = [0, 3] : (tensor<2x12xf32>) -> tensor<2x1x1x12xf32>
    %96 = stablehlo.convert %95 : tensor<2x1x1x12xf32>
    %97 = stablehlo.broadcast_in_dim %96, dims = [0, 1, 2, 3] : (tensor<2x1x1x12xf32>) -> tensor<2x2x12x12xf32>
    %98 = stablehlo.add %93, %97 : tensor<2x2x12x12xf32>
    %cst_23 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %99 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<2x2x12x12xf32>
    %100 = stablehlo.compare EQ, %98, %99, FLOAT : (tensor<2x2x12x12xf32>, tensor<2x2x12x12xf32>) -> tensor<2x2x12x12xi1>
    %c_24 = stablehlo.constant dense<true> : tensor<i1>
    %101 = stablehlo.reduce(%100 init: %c_24) applies stablehlo.and across dimensions = [3] : (tensor<2x2x12x12xi1>, tensor<i1>) -> tensor<2x2x12xi1>
    %102 = stablehlo.broadcast_in_dim %101, dims = [0, 1, 2] : (tensor<2x2x12xi1>) -> tensor<2x2x12x1xi1>
    %cst_25 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %103 = stablehlo.reduce(%98 init: %cst_25) applies stablehlo.maximum across dimensions = [3] : (tensor<2x2x12x12xf32>, tensor<f32>) -> tensor<2x2x12xf32>
    %104 = stablehlo.broadcast_in_dim %103, dims = [0, 1, 2] : (tensor<2x2x12xf32>) -> tensor<2x2x12x1xf32>
    %105 = stablehlo.broadcast_in_dim %104, dims = [0, 1, 2, 3] : (tensor<2x2x12x1xf32>) -> tensor<2x2x12x12xf32>
    %106 = stablehlo.subtract %98, %105 : tensor<2x2x12x12xf32>
    %107 = stablehlo.exponential %106 : tensor<2x2x12x12xf32>
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %108 = stablehlo.reduce(%107 init: %cst_26) applies stablehlo.add across dimensions = [3] : (tensor<2x2x12x12xf32>, tensor<f32>) -> tensor<2x2x12xf32>
    %109 = stablehlo.broadcast_in_dim %108, dims = [0, 1, 2] : (tensor<2x2x12xf32>) -> tensor<2x2x12x1xf32>
    %110 = stablehlo.broadcast_in_dim %109, dims = [0, 1, 2, 3] : (tensor<2x2x12x1xf32>) -> tensor<2x2x12x12xf32>
    %111 = stablehlo.divide %107, %110 : tensor<2x2x12x12xf32>
    %cst_27 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %112 = call @_where_8(%102, %cst_27, %111) : (tensor<2x2x12x1xi1>, tensor<f32>, tensor<2x2x12x12xf32>) -> tensor<2x2x12x12xf32>
    %c_28 = stablehlo.constant dense<2> : tensor<ui32>
    %113 = call @_threefry_fold_in(%arg13, %c_28) : (tensor<2xui32>, tensor<ui32>) -> tensor<2xui32>
    %cst_29 = stablehlo.constant dense<7.500000e-01> : tensor<f32>
    %114 = call @_bernoulli_3(%113, %cst_29) : (tensor<2xui32>, tensor<f32>) -> tensor<2x2x12x12xi1>
    %115 = stablehlo.convert %114 : (tensor<2x2x12x12xi1>) -> tensor<2x2x12x12xf32>
    %116 = stablehlo.multiply %112, %115 : tensor<2x2x12x12xf32>
    %cst_30 = stablehlo.constant dense<1.33333337> : tensor<f32>
    %117 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<2x2x12x12xf32>
    %118 = stablehlo.multiply %116, %117 : tensor<2x2x12x12xf32>
    %119 = stablehlo.reshape %118 : (tensor<2x2x12x12xf32>) -> tensor<4x12x12xf32>
    %120 = stablehlo.reshape %78 : (tensor<2x2x12x4xf32>) -> tensor<4x12x4xf32>
    %121 = stablehlo.dot_general %119, %120, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x12x12xf32>, tensor<4x12x4xf32>) -> tensor<4x12x4xf32>
    %122 = stablehlo.reshape %121 : (tensor<4x12x4xf32>) -> tensor<2x2x12x4xf32>
    %123 = stablehlo.transpose %122, dims = [0, 2, 1, 3] : (tensor<2x2x12x4xf32>) -> tensor<2x12x2x4xf32>
    %124 = stablehlo.multiply %123, %123 : tensor<2x12x2x4xf32>
    %cst_31 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %125 = stablehlo.reduce(%124 init: %cst_31) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<2x12x2x4xf32>, tensor<f32>) -> tensor<f32>
    %cst_32 = stablehlo.constant dense<1.920000e+02> : tensor<f32>
    %126 = stablehlo.divide %125, %cst_32 : tensor<f32>
    %127 = stablehlo.add %72, %126 : tensor<f32>
    %c_33 = stablehlo.constant dense<4> : tensor<ui32>
    %128 = call @_threefry_fold_in(%arg13, %c_33) : (tensor<2xui32>, tensor<ui32>) -> tensor<2xui32>
    %cst_34 = stablehlo.constant dense<7.500000e-01> : tensor<f32>
    %129 = call @_bernoulli_9(%128, %cst_34) : (tensor<2xui32>, tensor<f32>) -> tensor<12x12xi1>
    %130 = stablehlo.dot_general %arg15, %arg11, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x12x6xf32>, tensor<6x2x4xf32>) -> tensor<2x12x2x4xf32>
    %131 = stablehlo.dot_general %arg15, %arg10, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x12x6xf32>, tensor<6x2x4xf32>) -> tensor<2x12x2x4xf32>
    %132 = stablehlo.dot_general %arg15, %arg12, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x12x6xf32>, tensor<6x2x4xf32>) -> tensor<2x12x2x4xf32>
    %133 = stablehlo.dot_general %130, %131, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x12x2x4xf32>, tensor<2x12x2x4xf32>) -> tensor<2x2x12x12xf32>
    %cst_35 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %134 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<2x2x12x12xf32>
    %135 = stablehlo.multiply %133, %134 : tensor<2x2x12x12xf32>
    %136 = stablehlo.broadcast_in_dim %arg9, dims = [1, 2, 3] : (tensor<2x12x12xf32>) -> tensor<1x2x12x12xf32>
    %137 = stablehlo.broadcast_in_dim %136, dims = [0, 1, 2, 3] : (tensor<1x2x12x12xf32>) -> tensor<2x2x12x12xf32>
    %138 = stablehlo.add %135, %137 : tensor<2x2x12x12xf32>
    %cst_36 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %139 = stablehlo.reduce(%138 init: %cst_36) applies stablehlo.maximum across dimensions = [3] : (tensor<2x2x12x12xf32>, tensor<f32>) -> tensor<2x2x12xf32>
    %cst_37 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %140 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<2x2x12xf32>
    %141 = stablehlo.maximum %140, %139 : tensor<2x2x12xf32>
    %142 = stablehlo.broadcast_in_dim %141, dims = [0, 1, 2] : (tensor<2x2x12xf32>) -> tensor<2x2x12x1xf32>
    %143 = stablehlo.broadcast_in_dim %142, dims = [0, 1, 2, 3] : (tensor<2x2x12x1xf32>) -> tensor<2x2x12x12xf32>
    %144 = stablehlo.subtract %138, %143 : tensor<2x2x12x12xf32>
    %145 = stablehlo.exponential %144 : tensor<2x2x12x12xf32>
    %cst_38 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %146 = stablehlo.reduce(%145 init: %cst_38) applies stablehlo.add across dimensions = [3] : (tensor<2x2x12x12xf32>, tensor<f32>) -> tensor<2x2x12xf32>
    %147 = stablehlo.broadcast_in_dim %146, dims = [0, 1, 2] : (tensor<2x2x12xf32>) -> tensor<2x2x12x1xf32>
    %148 = stablehlo.broadcast_in_dim %147, dims = [0, 1, 2, 3] : (tensor<2x2x12x1xf32>) -> tensor<2x2x12x12xf32>
    %149 = stablehlo.divide %145, %148 : tensor<2x2x12x12xf32>
    %cst_39 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %150 = call @_where_13(%129, %149, %cst_39) : (tensor<12x12xi1>, tensor<2x2x12x12xf32>, tensor<f32>) -> tensor<2x2x12x12xf32>
    %cst_40 = stablehlo.constant dense<7.500000e-01> : tensor<f32>
    %151 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<2x2x12x12xf32>
    %152 = stablehlo.divide %150, %151 : tensor<2x2x12x12xf32>
    %153 = stablehlo.dot_general %132, %152, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x12x2x4xf32>, tensor<2x2x12x12xf32>) -> tensor<2x2x4x12xf32>
    %154 = stablehlo.transpose %153, dims = [0, 3, 1, 2] : (tensor<2x2x4x12xf32>) -> tensor<2x12x2x4xf32>
    %155 = stablehlo.reshape %154 : (tensor<2x12x2x4xf32>) -> tensor<2x12x8xf32>
    %156 = stablehlo.slice %155 [0:2, 0:12, 0:6] : (tensor<2x12x8xf32>) -> tensor<2x12x6xf32>
    %157 = stablehlo.add %arg15, %156 : tensor<2x12x6xf32>
    %158 = stablehlo.dot_general %157, %arg11, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x12x6xf32>, tensor<6x2x4xf32>) -> tensor<2x12x2x4xf32>
    %159 = stablehlo.dot_general %157, %arg10, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x12x6xf32>, tensor<6x2x4xf32>) -> tensor<2x12x2x4xf32>
    %160 = stablehlo.dot_general %157, %arg12, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x12x6xf32>, tensor<6x2x4xf32>) -> tensor<2x12x2x4xf32>
    %161 = stablehlo.dot_general %158, %159, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x12x2x4xf32>, tensor<2x12x2x4xf32>) -> tensor<2x2x12x12xf32>
    %cst_41 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %162 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<2x2x12x12xf32>
    %163 = stablehlo.multiply %161, %162 : tensor<2x2x12x12xf32>
    %164 = stablehlo.broadcast_in_dim %arg9, dims = [1, 2, 3] : (tensor<2x12x12xf32>) -> tensor<1x2x12x12xf32>
    %165 = stablehlo.broadcast_in_dim %164, dims = [0, 1, 2, 3] : (tensor<1x2x12x12xf32>) -> tensor<2x2x12x12xf32>
    %166 = stablehlo.add %163, %165 : tensor<2x2x12x12xf32>
    %cst_42 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %167 = stablehlo.reduce(%166 init: %cst_42) applies stablehlo.maximum across dimensions = [3] : (tensor<2x2x12x12xf32>, tensor<f32>) -> tensor<2x2x12xf32>
    %cst_43 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %168 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f32>) -> tensor<2x2x12xf32>
    %169 = stablehlo.maximum %168, %167 : tensor<2x2x12xf32>
    %170 = stablehlo.broadcast_in_dim %169, dims = [0, 1, 2] : (tensor<2x2x12xf32>) -> tensor<2x2x12x1xf32>
    %171 = stablehlo.broadcast_in_dim %170, dims = [0, 1, 2, 3] : (tensor<2x2x12x1xf32>) -> tensor<2x2x12x12xf32>
    %172 = stablehlo.subtract %166, %171 : tensor<2x2x12x12xf32>
    %173 = stablehlo.exponential %172 : tensor<2x2x12x12xf32>
    %cst_44 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %174 = stablehlo.reduce(%173 init: %cst_44) applies stablehlo.add across dimensions = [3] : (tensor<2x2x12x12xf32>, tensor<f32>) -> tensor<2x2x12xf32>
    %175 = stablehlo.broadcast_in_dim %174, dims = [0, 1, 2] : (tensor<2x2x12xf32>) -> tensor<2x2x12x1xf32>
    %176 = stablehlo.broadcast_in_dim %175, dims = [0, 1, 2, 3] : (tensor<2x2x12x1xf32>) -> tensor<2x2x12x12xf32>
    %177 = stablehlo.divide %173, %176 : tensor<2x2x12x12xf32>
    %cst_45 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %178 = call @_where_13(%129, %177, %cst_45) : (tensor<12x12xi1>, tensor<2x2x12x12xf32>, tensor<f32>) -> tensor<2x2x12x12xf32>
    %cst_46 = stablehlo.constant dense<7.500000e-01> : tensor<f32>
    %179 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f32>) -> tensor<2x2x12x12xf32>
    %180 = stablehlo.divide %178, %179 : tensor<2x2x12x12xf32>
    %181 = stablehlo.dot_general %160, %180, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x12x2x4xf32>, tensor<2x2x12x12xf32>) -> tensor<2x2x4x12xf32>
    %182 = stablehlo.transpose %181, dims = [0, 3, 1, 2] : (tensor<2x2x4x12xf32>) -> tensor<2x12x2x4xf32>
    %183 = stablehlo.reshape %182 : (tensor<2x12x2x4xf32>) -> tensor<2x12x8xf32>
    %184 = stablehlo.slice %183 [0:2, 0:12, 0:6] : (tensor<2x12x8xf32>) -> tensor<2x12x6xf32>
    %185 = stablehlo.add %157, %184 : tensor<2x12x6xf32>
    %186 = stablehlo.multiply %185, %185 : tensor<2x12x6xf32>
    %cst_47 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %187 = stablehlo.reduce(%186 init: %cst_47) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x12x6xf32>, tensor<f32>) -> tensor<f32>
    %cst_48 = stablehlo.constant dense<1.440000e+02> : tensor<f32>
    %188 = stablehlo.divide %187, %cst_48 : tensor<f32>
    %189 = stablehlo.add %127, %188 : tensor<f32>
    return %189 : tensor<f32>
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
  func.func private @_bernoulli(%arg0: tensor<2xui32>, %arg1: tensor<f32>) -> tensor<4x12x12xi1> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = call @_uniform(%arg0, %cst, %cst_0) : (tensor<2xui32>, tensor<f32>, tensor<f32>) -> tensor<4x12x12xf32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<4x12x12xf32>
    %2 = stablehlo.compare LT, %0, %1, FLOAT : (tensor<4x12x12xf32>, tensor<4x12x12xf32>) -> tensor<4x12x12xi1>
    return %2 : tensor<4x12x12xi1>
  }
  func.func private @_uniform(%arg0: tensor<2xui32>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<4x12x12xf32> {
    %0 = stablehlo.convert %arg1 : tensor<f32>
    %1 = stablehlo.convert %arg2 : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<1x1x1xf32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<1x1x1xf32>
    %4 = stablehlo.slice %arg0 [0:1] : (tensor<2xui32>) -> tensor<1xui32>
    %5 = stablehlo.reshape %4 : (tensor<1xui32>) -> tensor<ui32>
    %6 = stablehlo.slice %arg0 [1:2] : (tensor<2xui32>) -> tensor<1xui32>
    %7 = stablehlo.reshape %6 : (tensor<1xui32>) -> tensor<ui32>
    %8 = stablehlo.iota dim = 0 : tensor<4x12x12xui64>
    %9 = stablehlo.iota dim = 1 : tensor<4x12x12xui64>
    %10 = stablehlo.iota dim = 2 : tensor<4x12x12xui64>
    %c = stablehlo.constant dense<144> : tensor<ui64>
    %11 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui64>) -> tensor<4x12x12xui64>
    %12 = stablehlo.multiply %11, %8 : tensor<4x12x12xui64>
    %c_0 = stablehlo.constant dense<12> : tensor<ui64>
    %13 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<ui64>) -> tensor<4x12x12xui64>
    %14 = stablehlo.multiply %13, %9 : tensor<4x12x12xui64>
    %c_1 = stablehlo.constant dense<1> : tensor<ui64>
    %15 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<ui64>) -> tensor<4x12x12xui64>
    %16 = stablehlo.multiply %15, %10 : tensor<4x12x12xui64>
    %17 = stablehlo.add %12, %14 : tensor<4x12x12xui64>
    %18 = stablehlo.add %17, %16 : tensor<4x12x12xui64>
    %c_2 = stablehlo.constant dense<32> : tensor<ui64>
    %19 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<ui64>) -> tensor<4x12x12xui64>
    %20 = stablehlo.shift_right_logical %18, %19 : tensor<4x12x12xui64>
    %21 = stablehlo.convert %18 : (tensor<4x12x12xui64>) -> tensor<4x12x12xui32>
    %22 = stablehlo.convert %20 : (tensor<4x12x12xui64>) -> tensor<4x12x12xui32>
    %23:2 = call @threefry2x32_0(%5, %7, %22, %21) : (tensor<ui32>, tensor<ui32>, tensor<4x12x12xui32>, tensor<4x12x12xui32>) -> (tensor<4x12x12xui32>, tensor<4x12x12xui32>)
    %24 = stablehlo.xor %23#0, %23#1 : tensor<4x12x12xui32>
    %c_3 = stablehlo.constant dense<9> : tensor<ui32>
    %25 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<ui32>) -> tensor<4x12x12xui32>
    %26 = stablehlo.shift_right_logical %24, %25 : tensor<4x12x12xui32>
    %c_4 = stablehlo.constant dense<1065353216> : tensor<ui32>
    %27 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<ui32>) -> tensor<4x12x12xui32>
    %28 = stablehlo.or %26, %27 : tensor<4x12x12xui32>
    %29 = stablehlo.bitcast_convert %28 : (tensor<4x12x12xui32>) -> tensor<4x12x12xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %30 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x12x12xf32>
    %31 = stablehlo.subtract %29, %30 : tensor<4x12x12xf32>
    %32 = stablehlo.subtract %3, %2 : tensor<1x1x1xf32>
    %33 = stablehlo.broadcast_in_dim %32, dims = [0, 1, 2] : (tensor<1x1x1xf32>) -> tensor<4x12x12xf32>
    %34 = stablehlo.multiply %31, %33 : tensor<4x12x12xf32>
    %35 = stablehlo.broadcast_in_dim %2, dims = [0, 1, 2] : (tensor<1x1x1xf32>) -> tensor<4x12x12xf32>
    %36 = stablehlo.add %34, %35 : tensor<4x12x12xf32>
    %37 = stablehlo.broadcast_in_dim %2, dims = [0, 1, 2] : (tensor<1x1x1xf32>) -> tensor<4x12x12xf32>
    %38 = stablehlo.maximum %37, %36 : tensor<4x12x12xf32>
    return %38 : tensor<4x12x12xf32>
  }
  func.func private @threefry2x32_0(%arg0: tensor<ui32>, %arg1: tensor<ui32>, %arg2: tensor<4x12x12xui32>, %arg3: tensor<4x12x12xui32>) -> (tensor<4x12x12xui32>, tensor<4x12x12xui32>) {
    %c = stablehlo.constant dense<[13, 15, 26, 6]> : tensor<4xui32>
    %c_0 = stablehlo.constant dense<[17, 29, 16, 24]> : tensor<4xui32>
    %0 = stablehlo.xor %arg0, %arg1 : tensor<ui32>
    %c_1 = stablehlo.constant dense<466688986> : tensor<ui32>
    %1 = stablehlo.xor %0, %c_1 : tensor<ui32>
    %2 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<ui32>) -> tensor<4x12x12xui32>
    %3 = stablehlo.add %arg2, %2 : tensor<4x12x12xui32>
    %4 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<ui32>) -> tensor<4x12x12xui32>
    %5 = stablehlo.add %arg3, %4 : tensor<4x12x12xui32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %6:9 = stablehlo.while(%iterArg = %c_3, %iterArg_4 = %c_2, %iterArg_5 = %3, %iterArg_6 = %5, %iterArg_7 = %arg1, %iterArg_8 = %1, %iterArg_9 = %arg0, %iterArg_10 = %c, %iterArg_11 = %c_0) : tensor<i32>, tensor<i32>, tensor<4x12x12xui32>, tensor<4x12x12xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
    cond {
      %c_12 = stablehlo.constant dense<5> : tensor<i32>
      %7 = stablehlo.compare LT, %iterArg, %c_12, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %7 : tensor<i1>
    } do {
      %7:8 = func.call @closed_call_1(%iterArg_4, %iterArg_5, %iterArg_6, %iterArg_7, %iterArg_8, %iterArg_9, %iterArg_10, %iterArg_11) : (tensor<i32>, tensor<4x12x12xui32>, tensor<4x12x12xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i32>, tensor<4x12x12xui32>, tensor<4x12x12xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>)
      %c_12 = stablehlo.constant dense<1> : tensor<i32>
      %8 = stablehlo.add %iterArg, %c_12 : tensor<i32>
      stablehlo.return %8, %7#0, %7#1, %7#2, %7#3, %7#4, %7#5, %7#6, %7#7 : tensor<i32>, tensor<i32>, tensor<4x12x12xui32>, tensor<4x12x12xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
    }
    return %6#2, %6#3 : tensor<4x12x12xui32>, tensor<4x12x12xui32>
  }
  func.func private @closed_call_1(%arg0: tensor<i32>, %arg1: tensor<4x12x12xui32>, %arg2: tensor<4x12x12xui32>, %arg3: tensor<ui32>, %arg4: tensor<ui32>, %arg5: tensor<ui32>, %arg6: tensor<4xui32>, %arg7: tensor<4xui32>) -> (tensor<i32>, tensor<4x12x12xui32>, tensor<4x12x12xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg0, %c : tensor<i32>
    %1 = stablehlo.slice %arg6 [0:1] : (tensor<4xui32>) -> tensor<1xui32>
    %2 = stablehlo.reshape %1 : (tensor<1xui32>) -> tensor<ui32>
    %3 = stablehlo.add %arg1, %arg2 : tensor<4x12x12xui32>
    %4 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<ui32>) -> tensor<4x12x12xui32>
    %5 = stablehlo.shift_left %arg2, %4 : tensor<4x12x12xui32>
    %c_0 = stablehlo.constant dense<32> : tensor<ui32>
    %6 = stablehlo.subtract %c_0, %2 : tensor<ui32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<ui32>) -> tensor<4x12x12xui32>
    %8 = stablehlo.shift_right_logical %arg2, %7 : tensor<4x12x12xui32>
    %9 = stablehlo.or %5, %8 : tensor<4x12x12xui32>
    %10 = stablehlo.xor %3, %9 : tensor<4x12x12xui32>
    %11 = stablehlo.slice %arg6 [1:2] : (tensor<4xui32>) -> tensor<1xui32>
    %12 = stablehlo.reshape %11 : (tensor<1xui32>) -> tensor<ui32>
    %13 = stablehlo.add %3, %10 : tensor<4x12x12xui32>
    %14 = stablehlo.broadcast_in_dim %12, dims = [] : (tensor<ui32>) -> tensor<4x12x12xui32>
    %15 = stablehlo.shift_left %10, %14 : tensor<4x12x12xui32>
    %c_1 = stablehlo.constant dense<32> : tensor<ui32>
    %16 = stablehlo.subtract %c_1, %12 : tensor<ui32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [] : (tensor<ui32>) -> tensor<4x12x12xui32>
    %18 = stablehlo.shift_right_logical %10, %17 : tensor<4x12x12xui32>
    %19 = stablehlo.or %15, %18 : tensor<4x12x12xui32>
    %20 = stablehlo.xor %13, %19 : tensor<4x12x12xui32>
    %21 = stablehlo.slice %arg6 [2:3] : (tensor<4xui32>) -> tensor<1xui32>
    %22 = stablehlo.reshape %21 : (tensor<1xui32>) -> tensor<ui32>
    %23 = stablehlo.add %13, %20 : tensor<4x12x12xui32>
    %24 = stablehlo.broadcast_in_dim %22, dims = [] : (tensor<ui32>) -> tensor<4x12x12xui32>
    %25 = stablehlo.shift_left %20, %24 : tensor<4x12x12xui32>
    %c_2 = stablehlo.constant dense<32> : tensor<ui32>
    %26 = stablehlo.subtract %c_2, %22 : tensor<ui32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [] : (tensor<ui32>) -> tensor<4x12x12xui32>
    %28 = stablehlo.shift_right_logical %20, %27 : tensor<4x12x12xui32>
    %29 = stablehlo.or %25, %28 : tensor<4x12x12xui32>
    %30 = stablehlo.xor %23, %29 : tensor<4x12x12xui32>
    %31 = stablehlo.slice %arg6 [3:4] : (tensor<4xui32>) -> tensor<1xui32>
    %32 = stablehlo.reshape %31 : (tensor<1xui32>) -> tensor<ui32>
    %33 = stablehlo.add %23, %30 : tensor<4x12x12xui32>
    %34 = stablehlo.broadcast_in_dim %32, dims = [] : (tensor<ui32>) -> tensor<4x12x12xui32>
    %35 = stablehlo.shift_left %30, %34 : tensor<4x12x12xui32>
    %c_3 = stablehlo.constant dense<32> : tensor<ui32>
    %36 = stablehlo.subtract %c_3, %32 : tensor<ui32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [] : (tensor<ui32>) -> tensor<4x12x12xui32>
    %38 = stablehlo.shift_right_logical %30, %37 : tensor<4x12x12xui32>
    %39 = stablehlo.or %35, %38 : tensor<4x12x12xui32>
    %40 = stablehlo.xor %33, %39 : tensor<4x12x12xui32>
    %41 = stablehlo.broadcast_in_dim %arg3, dims = [] : (tensor<ui32>) -> tensor<4x12x12xui32>
    %42 = stablehlo.add %33, %41 : tensor<4x12x12xui32>
    %43 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<ui32>) -> tensor<4x12x12xui32>
    %44 = stablehlo.add %40, %43 : tensor<4x12x12xui32>
    %c_4 = stablehlo.constant dense<1> : tensor<i32>
    %45 = stablehlo.add %arg0, %c_4 : tensor<i32>
    %46 = stablehlo.convert %45 : (tensor<i32>) -> tensor<ui32>
    %47 = stablehlo.broadcast_in_dim %46, dims = [] : (tensor<ui32>) -> tensor<4x12x12xui32>
    %48 = stablehlo.add %44, %47 : tensor<4x12x12xui32>
    return %0, %42, %48, %arg4, %arg5, %arg3, %arg7, %arg6 : tensor<i32>, tensor<4x12x12xui32>, tensor<4x12x12xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
  }
  func.func private @_where(%arg0: tensor<4x12x12xi1>, %arg1: tensor<4x12x12xf32>, %arg2: tensor<f32>) -> tensor<4x12x12xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<4x12x12xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<4x12x12xi1>, tensor<4x12x12xf32>
    return %2 : tensor<4x12x12xf32>
  }
  func.func private @tril(%arg0: tensor<12x12xi1>) -> tensor<12x12xi1> {
    %0 = stablehlo.iota dim = 0 : tensor<12x12xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<12x12xi32>
    %2 = stablehlo.add %0, %1 : tensor<12x12xi32>
    %3 = stablehlo.iota dim = 1 : tensor<12x12xi32>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<12x12xi32>, tensor<12x12xi32>) -> tensor<12x12xi1>
    %c_0 = stablehlo.constant dense<false> : tensor<i1>
    %5 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i1>) -> tensor<12x12xi1>
    %6 = stablehlo.select %4, %arg0, %5 : tensor<12x12xi1>, tensor<12x12xi1>
    return %6 : tensor<12x12xi1>
  }
  func.func private @_where_2(%arg0: tensor<12x12xi1>, %arg1: tensor<2x2x12x12xf32>, %arg2: tensor<f32>) -> tensor<2x2x12x12xf32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [2, 3] : (tensor<12x12xi1>) -> tensor<2x2x12x12xi1>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<2x2x12x12xf32>
    %2 = stablehlo.select %0, %arg1, %1 : tensor<2x2x12x12xi1>, tensor<2x2x12x12xf32>
    return %2 : tensor<2x2x12x12xf32>
  }
  func.func private @_bernoulli_3(%arg0: tensor<2xui32>, %arg1: tensor<f32>) -> tensor<2x2x12x12xi1> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = call @_uniform_4(%arg0, %cst, %cst_0) : (tensor<2xui32>, tensor<f32>, tensor<f32>) -> tensor<2x2x12x12xf32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<2x2x12x12xf32>
    %2 = stablehlo.compare LT, %0, %1, FLOAT : (tensor<2x2x12x12xf32>, tensor<2x2x12x12xf32>) -> tensor<2x2x12x12xi1>
    return %2 : tensor<2x2x12x12xi1>
  }
  func.func private @_uniform_4(%arg0: tensor<2xui32>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<2x2x12x12xf32> {
    %0 = stablehlo.convert %arg1 : tensor<f32>
    %1 = stablehlo.convert %arg2 : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<1x1x1x1xf32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<1x1x1x1xf32>
    %4 = stablehlo.slice %arg0 [0:1] : (tensor<2xui32>) -> tensor<1xui32>
    %5 = stablehlo.reshape %4 : (tensor<1xui32>) -> tensor<ui32>
    %6 = stablehlo.slice %arg0 [1:2] : (tensor<2xui32>) -> tensor<1xui32>
    %7 = stablehlo.reshape %6 : (tensor<1xui32>) -> tensor<ui32>
    %8 = stablehlo.iota dim = 0 : tensor<2x2x12x12xui64>
    %9 = stablehlo.iota dim = 1 : tensor<2x2x12x12xui64>
    %10 = stablehlo.iota dim = 2 : tensor<2x2x12x12xui64>
    %11 = stablehlo.iota dim = 3 : tensor<2x2x12x12xui64>
    %c = stablehlo.constant dense<288> : tensor<ui64>
    %12 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui64>) -> tensor<2x2x12x12xui64>
    %13 = stablehlo.multiply %12, %8 : tensor<2x2x12x12xui64>
    %c_0 = stablehlo.constant dense<144> : tensor<ui64>
    %14 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<ui64>) -> tensor<2x2x12x12xui64>
    %15 = stablehlo.multiply %14, %9 : tensor<2x2x12x12xui64>
    %c_1 = stablehlo.constant dense<12> : tensor<ui64>
    %16 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<ui64>) -> tensor<2x2x12x12xui64>
    %17 = stablehlo.multiply %16, %10 : tensor<2x2x12x12xui64>
    %c_2 = stablehlo.constant dense<1> : tensor<ui64>
    %18 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<ui64>) -> tensor<2x2x12x12xui64>
    %19 = stablehlo.multiply %18, %11 : tensor<2x2x12x12xui64>
    %20 = stablehlo.add %13, %15 : tensor<2x2x12x12xui64>
    %21 = stablehlo.add %20, %17 : tensor<2x2x12x12xui64>
    %22 = stablehlo.add %21, %19 : tensor<2x2x12x12xui64>
    %c_3 = stablehlo.constant dense<32> : tensor<ui64>
    %23 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<ui64>) -> tensor<2x2x12x12xui64>
    %24 = stablehlo.shift_right_logical %22, %23 : tensor<2x2x12x12xui64>
    %25 = stablehlo.convert %22 : (tensor<2x2x12x12xui64>) -> tensor<2x2x12x12xui32>
    %26 = stablehlo.convert %24 : (tensor<2x2x12x12xui64>) -> tensor<2x2x12x12xui32>
    %27:2 = call @threefry2x32_5(%5, %7, %26, %25) : (tensor<ui32>, tensor<ui32>, tensor<2x2x12x12xui32>, tensor<2x2x12x12xui32>) -> (tensor<2x2x12x12xui32>, tensor<2x2x12x12xui32>)
    %28 = stablehlo.xor %27#0, %27#1 : tensor<2x2x12x12xui32>
    %c_4 = stablehlo.constant dense<9> : tensor<ui32>
    %29 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<ui32>) -> tensor<2x2x12x12xui32>
    %30 = stablehlo.shift_right_logical %28, %29 : tensor<2x2x12x12xui32>
    %c_5 = stablehlo.constant dense<1065353216> : tensor<ui32>
    %31 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<ui32>) -> tensor<2x2x12x12xui32>
    %32 = stablehlo.or %30, %31 : tensor<2x2x12x12xui32>
    %33 = stablehlo.bitcast_convert %32 : (tensor<2x2x12x12xui32>) -> tensor<2x2x12x12xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %34 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x2x12x12xf32>
    %35 = stablehlo.subtract %33, %34 : tensor<2x2x12x12xf32>
    %36 = stablehlo.subtract %3, %2 : tensor<1x1x1x1xf32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [0, 1, 2, 3] : (tensor<1x1x1x1xf32>) -> tensor<2x2x12x12xf32>
    %38 = stablehlo.multiply %35, %37 : tensor<2x2x12x12xf32>
    %39 = stablehlo.broadcast_in_dim %2, dims = [0, 1, 2, 3] : (tensor<1x1x1x1xf32>) -> tensor<2x2x12x12xf32>
    %40 = stablehlo.add %38, %39 : tensor<2x2x12x12xf32>
    %41 = stablehlo.broadcast_in_dim %2, dims = [0, 1, 2, 3] : (tensor<1x1x1x1xf32>) -> tensor<2x2x12x12xf32>
    %42 = stablehlo.maximum %41, %40 : tensor<2x2x12x12xf32>
    return %42 : tensor<2x2x12x12xf32>
  }
  func.func private @threefry2x32_5(%arg0: tensor<ui32>, %arg1: tensor<ui32>, %arg2: tensor<2x2x12x12xui32>, %arg3: tensor<2x2x12x12xui32>) -> (tensor<2x2x12x12xui32>, tensor<2x2x12x12xui32>) {
    %c = stablehlo.constant dense<[13, 15, 26, 6]> : tensor<4xui32>
    %c_0 = stablehlo.constant dense<[17, 29, 16, 24]> : tensor<4xui32>
    %0 = stablehlo.xor %arg0, %arg1 : tensor<ui32>
    %c_1 = stablehlo.constant dense<466688986> : tensor<ui32>
    %1 = stablehlo.xor %0, %c_1 : tensor<ui32>
    %2 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<ui32>) -> tensor<2x2x12x12xui32>
    %3 = stablehlo.add %arg2, %2 : tensor<2x2x12x12xui32>
    %4 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<ui32>) -> tensor<2x2x12x12xui32>
    %5 = stablehlo.add %arg3, %4 : tensor<2x2x12x12xui32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %6:9 = stablehlo.while(%iterArg = %c_3, %iterArg_4 = %c_2, %iterArg_5 = %3, %iterArg_6 = %5, %iterArg_7 = %arg1, %iterArg_8 = %1, %iterArg_9 = %arg0, %iterArg_10 = %c, %iterArg_11 = %c_0) : tensor<i32>, tensor<i32>, tensor<2x2x12x12xui32>, tensor<2x2x12x12xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
    cond {
      %c_12 = stablehlo.constant dense<5> : tensor<i32>
      %7 = stablehlo.compare LT, %iterArg, %c_12, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %7 : tensor<i1>
    } do {
      %7:8 = func.call @closed_call_6(%iterArg_4, %iterArg_5, %iterArg_6, %iterArg_7, %iterArg_8, %iterArg_9, %iterArg_10, %iterArg_11) : (tensor<i32>, tensor<2x2x12x12xui32>, tensor<2x2x12x12xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i32>, tensor<2x2x12x12xui32>, tensor<2x2x12x12xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>)
      %c_12 = stablehlo.constant dense<1> : tensor<i32>
      %8 = stablehlo.add %iterArg, %c_12 : tensor<i32>
      stablehlo.return %8, %7#0, %7#1, %7#2, %7#3, %7#4, %7#5, %7#6, %7#7 : tensor<i32>, tensor<i32>, tensor<2x2x12x12xui32>, tensor<2x2x12x12xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
    }
    return %6#2, %6#3 : tensor<2x2x12x12xui32>, tensor<2x2x12x12xui32>
  }
  func.func private @closed_call_6(%arg0: tensor<i32>, %arg1: tensor<2x2x12x12xui32>, %arg2: tensor<2x2x12x12xui32>, %arg3: tensor<ui32>, %arg4: tensor<ui32>, %arg5: tensor<ui32>, %arg6: tensor<4xui32>, %arg7: tensor<4xui32>) -> (tensor<i32>, tensor<2x2x12x12xui32>, tensor<2x2x12x12xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg0, %c : tensor<i32>
    %1 = stablehlo.slice %arg6 [0:1] : (tensor<4xui32>) -> tensor<1xui32>
    %2 = stablehlo.reshape %1 : (tensor<1xui32>) -> tensor<ui32>
    %3 = stablehlo.add %arg1, %arg2 : tensor<2x2x12x12xui32>
    %4 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<ui32>) -> tensor<2x2x12x12xui32>
    %5 = stablehlo.shift_left %arg2, %4 : tensor<2x2x12x12xui32>
    %c_0 = stablehlo.constant dense<32> : tensor<ui32>
    %6 = stablehlo.subtract %c_0, %2 : tensor<ui32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<ui32>) -> tensor<2x2x12x12xui32>
    %8 = stablehlo.shift_right_logical %arg2, %7 : tensor<2x2x12x12xui32>
    %9 = stablehlo.or %5, %8 : tensor<2x2x12x12xui32>
    %10 = stablehlo.xor %3, %9 : tensor<2x2x12x12xui32>
    %11 = stablehlo.slice %arg6 [1:2] : (tensor<4xui32>) -> tensor<1xui32>
    %12 = stablehlo.reshape %11 : (tensor<1xui32>) -> tensor<ui32>
    %13 = stablehlo.add %3, %10 : tensor<2x2x12x12xui32>
    %14 = stablehlo.broadcast_in_dim %12, dims = [] : (tensor<ui32>) -> tensor<2x2x12x12xui32>
    %15 = stablehlo.shift_left %10, %14 : tensor<2x2x12x12xui32>
    %c_1 = stablehlo.constant dense<32> : tensor<ui32>
    %16 = stablehlo.subtract %c_1, %12 : tensor<ui32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [] : (tensor<ui32>) -> tensor<2x2x12x12xui32>
    %18 = stablehlo.shift_right_logical %10, %17 : tensor<2x2x12x12xui32>
    %19 = stablehlo.or %15, %18 : tensor<2x2x12x12xui32>
    %20 = stablehlo.xor %13, %19 : tensor<2x2x12x12xui32>
    %21 = stablehlo.slice %arg6 [2:3] : (tensor<4xui32>) -> tensor<1xui32>
    %22 = stablehlo.reshape %21 : (tensor<1xui32>) -> tensor<ui32>
    %23 = stablehlo.add %13, %20 : tensor<2x2x12x12xui32>
    %24 = stablehlo.broadcast_in_dim %22, dims = [] : (tensor<ui32>) -> tensor<2x2x12x12xui32>
    %25 = stablehlo.shift_left %20, %24 : tensor<2x2x12x12xui32>
    %c_2 = stablehlo.constant dense<32> : tensor<ui32>
    %26 = stablehlo.subtract %c_2, %22 : tensor<ui32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [] : (tensor<ui32>) -> tensor<2x2x12x12xui32>
    %28 = stablehlo.shift_right_logical %20, %27 : tensor<2x2x12x12xui32>
    %29 = stablehlo.or %25, %28 : tensor<2x2x12x12xui32>
    %30 = stablehlo.xor %23, %29 : tensor<2x2x12x12xui32>
    %31 = stablehlo.slice %arg6 [3:4] : (tensor<4xui32>) -> tensor<1xui32>
    %32 = stablehlo.reshape %31 : (tensor<1xui32>) -> tensor<ui32>
    %33 = stablehlo.add %23, %30 : tensor<2x2x12x12xui32>
    %34 = stablehlo.broadcast_in_dim %32, dims = [] : (tensor<ui32>) -> tensor<2x2x12x12xui32>
    %35 = stablehlo.shift_left %30, %34 : tensor<2x2x12x12xui32>
    %c_3 = stablehlo.constant dense<32> : tensor<ui32>
    %36 = stablehlo.subtract %c_3, %32 : tensor<ui32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [] : (tensor<ui32>) -> tensor<2x2x12x12xui32>
    %38 = stablehlo.shift_right_logical %30, %37 : tensor<2x2x12x12xui32>
    %39 = stablehlo.or %35, %38 : tensor<2x2x12x12xui32>
    %40 = stablehlo.xor %33, %39 : tensor<2x2x12x12xui32>
    %41 = stablehlo.broadcast_in_dim %arg3, dims = [] : (tensor<ui32>) -> tensor<2x2x12x12xui32>
    %42 = stablehlo.add %33, %41 : tensor<2x2x12x12xui32>
    %43 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<ui32>) -> tensor<2x2x12x12xui32>
    %44 = stablehlo.add %40, %43 : tensor<2x2x12x12xui32>
    %c_4 = stablehlo.constant dense<1> : tensor<i32>
    %45 = stablehlo.add %arg0, %c_4 : tensor<i32>
    %46 = stablehlo.convert %45 : (tensor<i32>) -> tensor<ui32>
    %47 = stablehlo.broadcast_in_dim %46, dims = [] : (tensor<ui32>) -> tensor<2x2x12x12xui32>
    %48 = stablehlo.add %44, %47 : tensor<2x2x12x12xui32>
    return %0, %42, %48, %arg4, %arg5, %arg3, %arg7, %arg6 : tensor<i32>, tensor<2x2x12x12xui32>, tensor<2x2x12x12xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
  }
  func.func private @_where_7(%arg0: tensor<2x12xi1>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<2x12xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<2x12xf32>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<2x12xf32>
    %2 = stablehlo.select %arg0, %0, %1 : tensor<2x12xi1>, tensor<2x12xf32>
    return %2 : tensor<2x12xf32>
  }
  func.func private @_where_8(%arg0: tensor<2x2x12x1xi1>, %arg1: tensor<f32>, %arg2: tensor<2x2x12x12xf32>) -> tensor<2x2x12x12xf32> {
    %0 = stablehlo.convert %arg1 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1, 2, 3] : (tensor<2x2x12x1xi1>) -> tensor<2x2x12x12xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<2x2x12x12xf32>
    %3 = stablehlo.select %1, %2, %arg2 : tensor<2x2x12x12xi1>, tensor<2x2x12x12xf32>
    return %3 : tensor<2x2x12x12xf32>
  }
  func.func private @_bernoulli_9(%arg0: tensor<2xui32>, %arg1: tensor<f32>) -> tensor<12x12xi1> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = call @_uniform_10(%arg0, %cst, %cst_0) : (tensor<2xui32>, tensor<f32>, tensor<f32>) -> tensor<12x12xf32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<12x12xf32>
    %2 = stablehlo.compare LT, %0, %1, FLOAT : (tensor<12x12xf32>, tensor<12x12xf32>) -> tensor<12x12xi1>
    return %2 : tensor<12x12xi1>
  }
  func.func private @_uniform_10(%arg0: tensor<2xui32>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<12x12xf32> {
    %0 = stablehlo.convert %arg1 : tensor<f32>
    %1 = stablehlo.convert %arg2 : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %4 = stablehlo.slice %arg0 [0:1] : (tensor<2xui32>) -> tensor<1xui32>
    %5 = stablehlo.reshape %4 : (tensor<1xui32>) -> tensor<ui32>
    %6 = stablehlo.slice %arg0 [1:2] : (tensor<2xui32>) -> tensor<1xui32>
    %7 = stablehlo.reshape %6 : (tensor<1xui32>) -> tensor<ui32>
    %8 = stablehlo.iota dim = 0 : tensor<12x12xui64>
    %9 = stablehlo.iota dim = 1 : tensor<12x12xui64>
    %c = stablehlo.constant dense<12> : tensor<ui64>
    %10 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui64>) -> tensor<12x12xui64>
    %11 = stablehlo.multiply %10, %8 : tensor<12x12xui64>
    %c_0 = stablehlo.constant dense<1> : tensor<ui64>
    %12 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<ui64>) -> tensor<12x12xui64>
    %13 = stablehlo.multiply %12, %9 : tensor<12x12xui64>
    %14 = stablehlo.add %11, %13 : tensor<12x12xui64>
    %c_1 = stablehlo.constant dense<32> : tensor<ui64>
    %15 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<ui64>) -> tensor<12x12xui64>
    %16 = stablehlo.shift_right_logical %14, %15 : tensor<12x12xui64>
    %17 = stablehlo.convert %14 : (tensor<12x12xui64>) -> tensor<12x12xui32>
    %18 = stablehlo.convert %16 : (tensor<12x12xui64>) -> tensor<12x12xui32>
    %19:2 = call @threefry2x32_11(%5, %7, %18, %17) : (tensor<ui32>, tensor<ui32>, tensor<12x12xui32>, tensor<12x12xui32>) -> (tensor<12x12xui32>, tensor<12x12xui32>)
    %20 = stablehlo.xor %19#0, %19#1 : tensor<12x12xui32>
    %c_2 = stablehlo.constant dense<9> : tensor<ui32>
    %21 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<ui32>) -> tensor<12x12xui32>
    %22 = stablehlo.shift_right_logical %20, %21 : tensor<12x12xui32>
    %c_3 = stablehlo.constant dense<1065353216> : tensor<ui32>
    %23 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<ui32>) -> tensor<12x12xui32>
    %24 = stablehlo.or %22, %23 : tensor<12x12xui32>
    %25 = stablehlo.bitcast_convert %24 : (tensor<12x12xui32>) -> tensor<12x12xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<12x12xf32>
    %27 = stablehlo.subtract %25, %26 : tensor<12x12xf32>
    %28 = stablehlo.subtract %3, %2 : tensor<1x1xf32>
    %29 = stablehlo.broadcast_in_dim %28, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<12x12xf32>
    %30 = stablehlo.multiply %27, %29 : tensor<12x12xf32>
    %31 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<12x12xf32>
    %32 = stablehlo.add %30, %31 : tensor<12x12xf32>
    %33 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<12x12xf32>
    %34 = stablehlo.maximum %33, %32 : tensor<12x12xf32>
    return %34 : tensor<12x12xf32>
  }
  func.func private @threefry2x32_11(%arg0: tensor<ui32>, %arg1: tensor<ui32>, %arg2: tensor<12x12xui32>, %arg3: tensor<12x12xui32>) -> (tensor<12x12xui32>, tensor<12x12xui32>) {
    %c = stablehlo.constant dense<[13, 15, 26, 6]> : tensor<4xui32>
    %c_0 = stablehlo.constant dense<[17, 29, 16, 24]> : tensor<4xui32>
    %0 = stablehlo.xor %arg0, %arg1 : tensor<ui32>
    %c_1 = stablehlo.constant dense<466688986> : tensor<ui32>
    %1 = stablehlo.xor %0, %c_1 : tensor<ui32>
    %2 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<ui32>) -> tensor<12x12xui32>
    %3 = stablehlo.add %arg2, %2 : tensor<12x12xui32>
    %4 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<ui32>) -> tensor<12x12xui32>
    %5 = stablehlo.add %arg3, %4 : tensor<12x12xui32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %6:9 = stablehlo.while(%iterArg = %c_3, %iterArg_4 = %c_2, %iterArg_5 = %3, %iterArg_6 = %5, %iterArg_7 = %arg1, %iterArg_8 = %1, %iterArg_9 = %arg0, %iterArg_10 = %c, %iterArg_11 = %c_0) : tensor<i32>, tensor<i32>, tensor<12x12xui32>, tensor<12x12xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
    cond {
      %c_12 = stablehlo.constant dense<5> : tensor<i32>
      %7 = stablehlo.compare LT, %iterArg, %c_12, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %7 : tensor<i1>
    } do {
      %7:8 = func.call @closed_call_12(%iterArg_4, %iterArg_5, %iterArg_6, %iterArg_7, %iterArg_8, %iterArg_9, %iterArg_10, %iterArg_11) : (tensor<i32>, tensor<12x12xui32>, tensor<12x12xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i32>, tensor<12x12xui32>, tensor<12x12xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>)
      %c_12 = stablehlo.constant dense<1> : tensor<i32>
      %8 = stablehlo.add %iterArg, %c_12 : tensor<i32>
      stablehlo.return %8, %7#0, %7#1, %7#2, %7#3, %7#4, %7#5, %7#6, %7#7 : tensor<i32>, tensor<i32>, tensor<12x12xui32>, tensor<12x12xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
    }
    return %6#2, %6#3 : tensor<12x12xui32>, tensor<12x12xui32>
  }
  func.func private @closed_call_12(%arg0: tensor<i32>, %arg1: tensor<12x12xui32>, %arg2: tensor<12x12xui32>, %arg3: tensor<ui32>, %arg4: tensor<ui32>, %arg5: tensor<ui32>, %arg6: tensor<4xui32>, %arg7: tensor<4xui32>) -> (tensor<i32>, tensor<12x12xui32>, tensor<12x12xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg0, %c : tensor<i32>
    %1 = stablehlo.slice %arg6 [0:1] : (tensor<4xui32>) -> tensor<1xui32>
    %2 = stablehlo.reshape %1 : (tensor<1xui32>) -> tensor<ui32>
    %3 = stablehlo.add %arg1, %arg2 : tensor<12x12xui32>
    %4 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<ui32>) -> tensor<12x12xui32>
    %5 = stablehlo.shift_left %arg2, %4 : tensor<12x12xui32>
    %c_0 = stablehlo.constant dense<32> : tensor<ui32>
    %6 = stablehlo.subtract %c_0, %2 : tensor<ui32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<ui32>) -> tensor<12x12xui32>
    %8 = stablehlo.shift_right_logical %arg2, %7 : tensor<12x12xui32>
    %9 = stablehlo.or %5, %8 : tensor<12x12xui32>
    %10 = stablehlo.xor %3, %9 : tensor<12x12xui32>
    %11 = stablehlo.slice %arg6 [1:2] : (tensor<4xui32>) -> tensor<1xui32>
    %12 = stablehlo.reshape %11 : (tensor<1xui32>) -> tensor<ui32>
    %13 = stablehlo.add %3, %10 : tensor<12x12xui32>
    %14 = stablehlo.broadcast_in_dim %12, dims = [] : (tensor<ui32>) -> tensor<12x12xui32>
    %15 = stablehlo.shift_left %10, %14 : tensor<12x12xui32>
    %c_1 = stablehlo.constant dense<32> : tensor<ui32>
    %16 = stablehlo.subtract %c_1, %12 : tensor<ui32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [] : (tensor<ui32>) -> tensor<12x12xui32>
    %18 = stablehlo.shift_right_logical %10, %17 : tensor<12x12xui32>
    %19 = stablehlo.or %15, %18 : tensor<12x12xui32>
    %20 = stablehlo.xor %13, %19 : tensor<12x12xui32>
    %21 = stablehlo.slice %arg6 [2:3] : (tensor<4xui32>) -> tensor<1xui32>
    %22 = stablehlo.reshape %21 : (tensor<1xui32>) -> tensor<ui32>
    %23 = stablehlo.add %13, %20 : tensor<12x12xui32>
    %24 = stablehlo.broadcast_in_dim %22, dims = [] : (tensor<ui32>) -> tensor<12x12xui32>
    %25 = stablehlo.shift_left %20, %24 : tensor<12x12xui32>
    %c_2 = stablehlo.constant dense<32> : tensor<ui32>
    %26 = stablehlo.subtract %c_2, %22 : tensor<ui32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [] : (tensor<ui32>) -> tensor<12x12xui32>
    %28 = stablehlo.shift_right_logical %20, %27 : tensor<12x12xui32>
    %29 = stablehlo.or %25, %28 : tensor<12x12xui32>
    %30 = stablehlo.xor %23, %29 : tensor<12x12xui32>
    %31 = stablehlo.slice %arg6 [3:4] : (tensor<4xui32>) -> tensor<1xui32>
    %32 = stablehlo.reshape %31 : (tensor<1xui32>) -> tensor<ui32>
    %33 = stablehlo.add %23, %30 : tensor<12x12xui32>
    %34 = stablehlo.broadcast_in_dim %32, dims = [] : (tensor<ui32>) -> tensor<12x12xui32>
    %35 = stablehlo.shift_left %30, %34 : tensor<12x12xui32>
    %c_3 = stablehlo.constant dense<32> : tensor<ui32>
    %36 = stablehlo.subtract %c_3, %32 : tensor<ui32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [] : (tensor<ui32>) -> tensor<12x12xui32>
    %38 = stablehlo.shift_right_logical %30, %37 : tensor<12x12xui32>
    %39 = stablehlo.or %35, %38 : tensor<12x12xui32>
    %40 = stablehlo.xor %33, %39 : tensor<12x12xui32>
    %41 = stablehlo.broadcast_in_dim %arg3, dims = [] : (tensor<ui32>) -> tensor<12x12xui32>
    %42 = stablehlo.add %33, %41 : tensor<12x12xui32>
    %43 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<ui32>) -> tensor<12x12xui32>
    %44 = stablehlo.add %40, %43 : tensor<12x12xui32>
    %c_4 = stablehlo.constant dense<1> : tensor<i32>
    %45 = stablehlo.add %arg0, %c_4 : tensor<i32>
    %46 = stablehlo.convert %45 : (tensor<i32>) -> tensor<ui32>
    %47 = stablehlo.broadcast_in_dim %46, dims = [] : (tensor<ui32>) -> tensor<12x12xui32>
    %48 = stablehlo.add %44, %47 : tensor<12x12xui32>
    return %0, %42, %48, %arg4, %arg5, %arg3, %arg7, %arg6 : tensor<i32>, tensor<12x12xui32>, tensor<12x12xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
  }
  func.func private @_where_13(%arg0: tensor<12x12xi1>, %arg1: tensor<2x2x12x12xf32>, %arg2: tensor<f32>) -> tensor<2x2x12x12xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [2, 3] : (tensor<12x12xi1>) -> tensor<2x2x12x12xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<2x2x12x12xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<2x2x12x12xi1>, tensor<2x2x12x12xf32>
    return %3 : tensor<2x2x12x12xf32>
  }
}
