// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module @jit_loss attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x1x2xf32> {zcc.parameter = "kernel"}, %arg1: tensor<6xf32> {zcc.parameter = "scale"}, %arg2: tensor<5x6xf32> {zcc.parameter = "table"}, %arg3: tensor<6x6xf32> {zcc.parameter = "w"}, %arg4: tensor<8xi32> {zcc.input = "label"}, %arg5: tensor<8x6x6xf32> {zcc.input = "q"}, %arg6: tensor<8x3xi32> {zcc.input = "spots"}, %arg7: tensor<8x6xf32> {zcc.input = "x"}) -> (tensor<f32> {jax.result_info = "result", zcc.result = "loss"}) {
    %0 = stablehlo.iota dim = 0 : tensor<8xi32>
    %1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<8x2xf32>
    %5 = stablehlo.constant dense<0> : tensor<i32>
    %6:12 = stablehlo.while(%arg8 = %0, %arg9 = %arg7, %arg10 = %arg4, %arg11 = %arg6, %arg12 = %arg5, %arg13 = %arg3, %arg14 = %arg2, %arg15 = %arg1, %arg16 = %arg0, %arg17 = %5, %arg18 = %2, %arg19 = %4) : tensor<8xi32>, tensor<8x6xf32>, tensor<8xi32>, tensor<8x3xi32>, tensor<8x6x6xf32>, tensor<6x6xf32>, tensor<5x6xf32>, tensor<6xf32>, tensor<3x1x2xf32>, tensor<i32>, tensor<8xf32>, tensor<8x2xf32>
    cond {
      %17 = stablehlo.constant dense<8> : tensor<i32>
      %18 = stablehlo.compare LT, %arg17, %17, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %18 : tensor<i1>
    } do {
      %17 = func.call @dynamic_index_in_dim(%arg8, %arg17) : (tensor<8xi32>, tensor<i32>) -> tensor<i32>
      %18 = func.call @dynamic_index_in_dim_0(%arg9, %arg17) : (tensor<8x6xf32>, tensor<i32>) -> tensor<6xf32>
      %19 = func.call @dynamic_index_in_dim(%arg10, %arg17) : (tensor<8xi32>, tensor<i32>) -> tensor<i32>
      %20 = func.call @dynamic_index_in_dim_1(%arg11, %arg17) : (tensor<8x3xi32>, tensor<i32>) -> tensor<3xi32>
      %21 = func.call @dynamic_index_in_dim_2(%arg12, %arg17) : (tensor<8x6x6xf32>, tensor<i32>) -> tensor<6x6xf32>
      %22:2 = func.call @closed_call(%arg13, %arg14, %arg15, %arg16, %17, %18, %19, %20, %21) : (tensor<6x6xf32>, tensor<5x6xf32>, tensor<6xf32>, tensor<3x1x2xf32>, tensor<i32>, tensor<6xf32>, tensor<i32>, tensor<3xi32>, tensor<6x6xf32>) -> (tensor<f32>, tensor<2xf32>)
      %23 = func.call @dynamic_update_index_in_dim_9(%arg18, %22#0, %arg17) : (tensor<8xf32>, tensor<f32>, tensor<i32>) -> tensor<8xf32>
      %24 = func.call @dynamic_update_index_in_dim_10(%arg19, %22#1, %arg17) : (tensor<8x2xf32>, tensor<2xf32>, tensor<i32>) -> tensor<8x2xf32>
      %25 = stablehlo.constant dense<1> : tensor<i32>
      %26 = stablehlo.add %arg17, %25 : tensor<i32>
      stablehlo.return %arg8, %arg9, %arg10, %arg11, %arg12, %arg13, %arg14, %arg15, %arg16, %26, %23, %24 : tensor<8xi32>, tensor<8x6xf32>, tensor<8xi32>, tensor<8x3xi32>, tensor<8x6x6xf32>, tensor<6x6xf32>, tensor<5x6xf32>, tensor<6xf32>, tensor<3x1x2xf32>, tensor<i32>, tensor<8xf32>, tensor<8x2xf32>
    }
    %7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.reduce(%6#10 init: %7) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
    %9 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %10 = stablehlo.divide %8, %9 : tensor<f32>
    %11 = stablehlo.multiply %6#11, %6#11 : tensor<8x2xf32>
    %12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.reduce(%11 init: %12) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x2xf32>, tensor<f32>) -> tensor<f32>
    %14 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %15 = stablehlo.divide %13, %14 : tensor<f32>
    %16 = stablehlo.add %10, %15 : tensor<f32>
    return %16 : tensor<f32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<8xi32>, %arg1: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.dynamic_slice %arg0, %arg1, sizes = [1] : (tensor<8xi32>, tensor<i32>) -> tensor<1xi32>
    %1 = stablehlo.reshape %0 : (tensor<1xi32>) -> tensor<i32>
    return %1 : tensor<i32>
  }
  func.func private @dynamic_index_in_dim_0(%arg0: tensor<8x6xf32>, %arg1: tensor<i32>) -> tensor<6xf32> {
    %0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_slice %arg0, %arg1, %0, sizes = [1, 6] : (tensor<8x6xf32>, tensor<i32>, tensor<i32>) -> tensor<1x6xf32>
    %2 = stablehlo.reshape %1 : (tensor<1x6xf32>) -> tensor<6xf32>
    return %2 : tensor<6xf32>
  }
  func.func private @dynamic_index_in_dim_1(%arg0: tensor<8x3xi32>, %arg1: tensor<i32>) -> tensor<3xi32> {
    %0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_slice %arg0, %arg1, %0, sizes = [1, 3] : (tensor<8x3xi32>, tensor<i32>, tensor<i32>) -> tensor<1x3xi32>
    %2 = stablehlo.reshape %1 : (tensor<1x3xi32>) -> tensor<3xi32>
    return %2 : tensor<3xi32>
  }
  func.func private @dynamic_index_in_dim_2(%arg0: tensor<8x6x6xf32>, %arg1: tensor<i32>) -> tensor<6x6xf32> {
    %0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.constant dense<0> : tensor<i32>
    %2 = stablehlo.dynamic_slice %arg0, %arg1, %0, %1, sizes = [1, 6, 6] : (tensor<8x6x6xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x6x6xf32>
    %3 = stablehlo.reshape %2 : (tensor<1x6x6xf32>) -> tensor<6x6xf32>
    return %3 : tensor<6x6xf32>
  }
  func.func private @closed_call(%arg0: tensor<6x6xf32>, %arg1: tensor<5x6xf32>, %arg2: tensor<6xf32>, %arg3: tensor<3x1x2xf32>, %arg4: tensor<i32>, %arg5: tensor<6xf32>, %arg6: tensor<i32>, %arg7: tensor<3xi32>, %arg8: tensor<6x6xf32>) -> (tensor<f32>, tensor<2xf32>) {
    %0 = stablehlo.dot_general %arg5, %arg0, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6xf32>, tensor<6x6xf32>) -> tensor<6xf32>
    %1 = stablehlo.tanh %0 : tensor<6xf32>
    %2 = stablehlo.dot_general %arg0, %1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %3 = stablehlo.dot_general %arg8, %1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %4 = stablehlo.dot_general %1, %arg8, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6xf32>, tensor<6x6xf32>) -> tensor<6xf32>
    %5 = stablehlo.add %3, %4 : tensor<6xf32>
    %6 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.compare LT, %arg6, %6, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %8 = stablehlo.constant dense<5> : tensor<i32>
    %9 = stablehlo.add %arg6, %8 : tensor<i32>
    %10 = stablehlo.select %7, %9, %arg6 : tensor<i1>, tensor<i32>
    %11 = stablehlo.constant dense<0> : tensor<i32>
    %12 = stablehlo.constant dense<0> : tensor<i32>
    %13 = stablehlo.compare LT, %11, %12, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %14 = stablehlo.constant dense<0> : tensor<i32>
    %15 = stablehlo.constant dense<6> : tensor<i32>
    %16 = stablehlo.add %14, %15 : tensor<i32>
    %17 = stablehlo.constant dense<0> : tensor<i32>
    %18 = stablehlo.select %13, %16, %17 : tensor<i1>, tensor<i32>
    %19 = stablehlo.dynamic_slice %arg1, %10, %18, sizes = [1, 6] : (tensor<5x6xf32>, tensor<i32>, tensor<i32>) -> tensor<1x6xf32>
    %20 = stablehlo.reshape %19 : (tensor<1x6xf32>) -> tensor<6xf32>
    %21 = stablehlo.constant dense<0> : tensor<i32>
    %22 = stablehlo.compare LT, %arg6, %21, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %23 = stablehlo.constant dense<5> : tensor<i32>
    %24 = stablehlo.add %arg6, %23 : tensor<i32>
    %25 = stablehlo.select %22, %24, %arg6 : tensor<i1>, tensor<i32>
    %26 = stablehlo.broadcast_in_dim %25, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %27 = "stablehlo.scatter"(%arg1, %26, %1) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = true}> ({
    ^bb0(%arg9: tensor<f32>, %arg10: tensor<f32>):
      %264 = stablehlo.add %arg9, %arg10 : tensor<f32>
      stablehlo.return %264 : tensor<f32>
    }) : (tensor<5x6xf32>, tensor<1xi32>, tensor<6xf32>) -> tensor<5x6xf32>
    %28 = stablehlo.constant dense<1> : tensor<i32>
    %29 = stablehlo.add %arg6, %28 : tensor<i32>
    %30 = stablehlo.constant dense<4> : tensor<i32>
    %31 = stablehlo.minimum %29, %30 : tensor<i32>
    %32 = stablehlo.constant dense<0> : tensor<i32>
    %33 = stablehlo.compare LT, %31, %32, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %34 = stablehlo.constant dense<5> : tensor<i32>
    %35 = stablehlo.add %31, %34 : tensor<i32>
    %36 = stablehlo.select %33, %35, %31 : tensor<i1>, tensor<i32>
    %37 = stablehlo.constant dense<0> : tensor<i32>
    %38 = stablehlo.constant dense<0> : tensor<i32>
    %39 = stablehlo.compare LT, %37, %38, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %40 = stablehlo.constant dense<0> : tensor<i32>
    %41 = stablehlo.constant dense<6> : tensor<i32>
    %42 = stablehlo.add %40, %41 : tensor<i32>
    %43 = stablehlo.constant dense<0> : tensor<i32>
    %44 = stablehlo.select %39, %42, %43 : tensor<i1>, tensor<i32>
    %45 = stablehlo.dynamic_slice %27, %36, %44, sizes = [1, 6] : (tensor<5x6xf32>, tensor<i32>, tensor<i32>) -> tensor<1x6xf32>
    %46 = stablehlo.reshape %45 : (tensor<1x6xf32>) -> tensor<6xf32>
    %47 = stablehlo.add %20, %46 : tensor<6xf32>
    %48 = stablehlo.constant dense<0> : tensor<i32>
    %49 = stablehlo.broadcast_in_dim %48, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %50 = stablehlo.compare LT, %arg7, %49, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %51 = stablehlo.constant dense<6> : tensor<i32>
    %52 = stablehlo.broadcast_in_dim %51, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %53 = stablehlo.add %arg7, %52 : tensor<3xi32>
    %54 = stablehlo.select %50, %53, %arg7 : tensor<3xi1>, tensor<3xi32>
    %55 = stablehlo.broadcast_in_dim %54, dims = [0] : (tensor<3xi32>) -> tensor<3x1xi32>
    %56 = "stablehlo.gather"(%1, %55) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1>}> : (tensor<6xf32>, tensor<3x1xi32>) -> tensor<3xf32>
    %57 = call @_take(%arg2, %arg7) : (tensor<6xf32>, tensor<3xi32>) -> tensor<3xf32>
    %58 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %59 = stablehlo.broadcast_in_dim %58, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %60 = stablehlo.multiply %56, %57 : tensor<3xf32>
    %61 = stablehlo.constant dense<0> : tensor<i32>
    %62 = stablehlo.broadcast_in_dim %61, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %63 = stablehlo.compare LT, %arg7, %62, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %64 = stablehlo.constant dense<6> : tensor<i32>
    %65 = stablehlo.broadcast_in_dim %64, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %66 = stablehlo.add %arg7, %65 : tensor<3xi32>
    %67 = stablehlo.select %63, %66, %arg7 : tensor<3xi1>, tensor<3xi32>
    %68 = stablehlo.broadcast_in_dim %67, dims = [0] : (tensor<3xi32>) -> tensor<3x1xi32>
    %69 = "stablehlo.scatter"(%59, %68, %60) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg9: tensor<f32>, %arg10: tensor<f32>):
      %264 = stablehlo.add %arg9, %arg10 : tensor<f32>
      stablehlo.return %264 : tensor<f32>
    }) : (tensor<6xf32>, tensor<3x1xi32>, tensor<3xf32>) -> tensor<6xf32>
    %70 = stablehlo.multiply %1, %2 : tensor<6xf32>
    %71 = call @sort(%70) : (tensor<6xf32>) -> tensor<6xf32>
    %72 = stablehlo.reverse %71, dims = [0] : tensor<6xf32>
    %values, %indices = chlo.top_k(%5, k = 2) : tensor<6xf32> -> (tensor<2xf32>, tensor<2xi32>)
    %73 = call @cumsum(%1) : (tensor<6xf32>) -> tensor<6xf32>
    %74 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %75 = stablehlo.reduce(%1 init: %74) applies stablehlo.maximum across dimensions = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<f32>
    %76 = call @argmax(%5) : (tensor<6xf32>) -> tensor<i32>
    %77 = stablehlo.convert %76 : (tensor<i32>) -> tensor<f32>
    %78 = stablehlo.slice %5 [1:4] : (tensor<6xf32>) -> tensor<3xf32>
    %79 = stablehlo.concatenate %1, %arg2, %78, dim = 0 : (tensor<6xf32>, tensor<6xf32>, tensor<3xf32>) -> tensor<15xf32>
    %80 = stablehlo.constant dense<0> : tensor<i32>
    %81 = call @_pad(%79, %80) : (tensor<15xf32>, tensor<i32>) -> tensor<18xf32>
    %82 = stablehlo.reshape %arg5 : (tensor<6xf32>) -> tensor<1x6x1xf32>
    %83 = stablehlo.convolution(%82, %arg3) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [1], pad = [[1, 1]], lhs_dilate = [1], rhs_dilate = [1], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x6x1xf32>, tensor<3x1x2xf32>) -> tensor<1x6x2xf32>
    %84 = stablehlo.reshape %83 : (tensor<1x6x2xf32>) -> tensor<12xf32>
    %85 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %86 = stablehlo.broadcast_in_dim %85, dims = [] : (tensor<f32>) -> tensor<f32>
    %87 = "stablehlo.reduce_window"(%1, %86) <{base_dilations = array<i64: 1>, padding = dense<0> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
    ^bb0(%arg9: tensor<f32>, %arg10: tensor<f32>):
      %264 = stablehlo.maximum %arg9, %arg10 : tensor<f32>
      stablehlo.return %264 : tensor<f32>
    }) : (tensor<6xf32>, tensor<f32>) -> tensor<3xf32>
    %88 = stablehlo.constant dense<2> : tensor<i32>
    %89 = stablehlo.compare GT, %arg6, %88, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %90 = call @_where_4(%89, %1, %arg2) : (tensor<i1>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %91 = stablehlo.abs %75 : tensor<f32>
    %92 = stablehlo.constant dense<-3.000000e-01> : tensor<f32>
    %93 = call @clip(%1, %92, %91) : (tensor<6xf32>, tensor<f32>, tensor<f32>) -> tensor<6xf32>
    %94 = stablehlo.constant dense<2> : tensor<i32>
    %95 = call @remainder(%arg6, %94) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %96 = stablehlo.constant dense<0> : tensor<i32>
    %97 = stablehlo.compare EQ, %95, %96, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %98 = stablehlo.convert %97 : (tensor<i1>) -> tensor<i32>
    %99 = "stablehlo.case"(%98) ({
      %264 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %265 = stablehlo.broadcast_in_dim %264, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %266 = stablehlo.multiply %1, %265 : tensor<6xf32>
      stablehlo.return %266 : tensor<6xf32>
    }, {
      %264 = stablehlo.sine %1 : tensor<6xf32>
      stablehlo.return %264 : tensor<6xf32>
    }) : (tensor<i32>) -> tensor<6xf32>
    %100 = stablehlo.constant dense<3> : tensor<i32>
    %101 = call @remainder(%arg6, %100) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %102 = stablehlo.constant dense<0> : tensor<i32>
    %103 = stablehlo.constant dense<2> : tensor<i32>
    %104 = stablehlo.clamp %102, %101, %103 : tensor<i32>
    %105 = "stablehlo.case"(%104) ({
      stablehlo.return %1 : tensor<6xf32>
    }, {
      %264 = stablehlo.exponential %1 : tensor<6xf32>
      stablehlo.return %264 : tensor<6xf32>
    }, {
      %264 = stablehlo.negate %1 : tensor<6xf32>
      stablehlo.return %264 : tensor<6xf32>
    }) : (tensor<i32>) -> tensor<6xf32>
    %106 = stablehlo.constant dense<0> : tensor<i32>
    %107:4 = stablehlo.while(%arg9 = %arg8, %arg10 = %1, %arg11 = %106, %arg12 = %2) : tensor<6x6xf32>, tensor<6xf32>, tensor<i32>, tensor<6xf32>
    cond {
      %264 = stablehlo.constant dense<6> : tensor<i32>
      %265 = stablehlo.compare LT, %arg11, %264, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %265 : tensor<i1>
    } do {
      %264 = func.call @dynamic_index_in_dim_6(%arg9, %arg11) : (tensor<6x6xf32>, tensor<i32>) -> tensor<6xf32>
      %265 = func.call @closed_call_7(%arg10, %arg12, %264) : (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
      %266 = stablehlo.constant dense<1> : tensor<i32>
      %267 = stablehlo.add %arg11, %266 : tensor<i32>
      stablehlo.return %arg9, %arg10, %267, %265 : tensor<6x6xf32>, tensor<6xf32>, tensor<i32>, tensor<6xf32>
    }
    %108 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %109 = stablehlo.broadcast_in_dim %108, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %110 = stablehlo.constant dense<0> : tensor<i32>
    %111:4 = stablehlo.while(%arg9 = %arg8, %arg10 = %1, %arg11 = %110, %arg12 = %109) : tensor<6x6xf32>, tensor<6xf32>, tensor<i32>, tensor<6xf32>
    cond {
      %264 = stablehlo.constant dense<6> : tensor<i32>
      %265 = stablehlo.compare LT, %arg11, %264, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %265 : tensor<i1>
    } do {
      %264 = func.call @dynamic_index_in_dim_6(%arg9, %arg11) : (tensor<6x6xf32>, tensor<i32>) -> tensor<6xf32>
      %265 = func.call @closed_call_8(%arg10, %264) : (tensor<6xf32>, tensor<6xf32>) -> tensor<f32>
      %266 = func.call @dynamic_update_index_in_dim(%arg12, %265, %arg11) : (tensor<6xf32>, tensor<f32>, tensor<i32>) -> tensor<6xf32>
      %267 = stablehlo.constant dense<1> : tensor<i32>
      %268 = stablehlo.add %arg11, %267 : tensor<i32>
      stablehlo.return %arg9, %arg10, %268, %266 : tensor<6x6xf32>, tensor<6xf32>, tensor<i32>, tensor<6xf32>
    }
    %112 = stablehlo.convert %arg4 : (tensor<i32>) -> tensor<f32>
    %113 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %114 = stablehlo.multiply %112, %113 : tensor<f32>
    %115 = stablehlo.dot_general %arg8, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x6xf32>, tensor<6x6xf32>) -> tensor<6x6xf32>
    %116 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %117 = stablehlo.reduce(%115 init: %116) applies stablehlo.maximum across dimensions = [1] : (tensor<6x6xf32>, tensor<f32>) -> tensor<6xf32>
    %118 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %119 = stablehlo.broadcast_in_dim %118, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %120 = stablehlo.maximum %119, %117 : tensor<6xf32>
    %121 = stablehlo.broadcast_in_dim %120, dims = [0] : (tensor<6xf32>) -> tensor<6x1xf32>
    %122 = stablehlo.custom_call @zcc.stop_gradient(%121) {backend_config = "", mhlo.backend_config = {}, operand_layouts = [dense<[1, 0]> : tensor<2xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>]} : (tensor<6x1xf32>) -> tensor<6x1xf32>
    %123 = stablehlo.broadcast_in_dim %122, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x6xf32>
    %124 = stablehlo.subtract %115, %123 : tensor<6x6xf32>
    %125 = stablehlo.exponential %124 : tensor<6x6xf32>
    %126 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %127 = stablehlo.reduce(%125 init: %126) applies stablehlo.add across dimensions = [1] : (tensor<6x6xf32>, tensor<f32>) -> tensor<6xf32>
    %128 = stablehlo.broadcast_in_dim %127, dims = [0] : (tensor<6xf32>) -> tensor<6x1xf32>
    %129 = stablehlo.broadcast_in_dim %128, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x6xf32>
    %130 = stablehlo.divide %125, %129 : tensor<6x6xf32>
    %131 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %132 = stablehlo.reduce(%130 init: %131) applies stablehlo.add across dimensions = [0] : (tensor<6x6xf32>, tensor<f32>) -> tensor<6xf32>
    %133 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %134 = stablehlo.broadcast_in_dim %133, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %135 = stablehlo.multiply %1, %134 : tensor<6xf32>
    %136 = call @round(%135) : (tensor<6xf32>) -> tensor<6xf32>
    %137 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %138 = stablehlo.broadcast_in_dim %137, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %139 = stablehlo.divide %136, %138 : tensor<6xf32>
    %140 = stablehlo.custom_call @zcc.custom_derivative(%139, %1) {called_computations = [@straight_rule]} : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %141 = stablehlo.custom_call @zcc.stop_gradient(%2) {backend_config = "", mhlo.backend_config = {}, operand_layouts = [dense<0> : tensor<1xindex>], result_layouts = [dense<0> : tensor<1xindex>]} : (tensor<6xf32>) -> tensor<6xf32>
    %142 = stablehlo.multiply %141, %1 : tensor<6xf32>
    %143 = stablehlo.slice %5 [0:2] : (tensor<6xf32>) -> tensor<2xf32>
    %144 = stablehlo.constant dense<2> : tensor<i32>
    %145 = stablehlo.dynamic_update_slice %1, %143, %144 : (tensor<6xf32>, tensor<2xf32>, tensor<i32>) -> tensor<6xf32>
    %146 = call @_roll_static(%1) : (tensor<6xf32>) -> tensor<6xf32>
    %147 = stablehlo.dot_general %1, %5, contracting_dims = [] x [], precision = [DEFAULT, DEFAULT] : (tensor<6xf32>, tensor<6xf32>) -> tensor<6x6xf32>
    %148 = stablehlo.transpose %147, dims = [1, 0] : (tensor<6x6xf32>) -> tensor<6x6xf32>
    %149 = stablehlo.reshape %148 : (tensor<6x6xf32>) -> tensor<4x9xf32>
    %150 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %151 = stablehlo.reduce(%149 init: %150) applies stablehlo.add across dimensions = [1] : (tensor<4x9xf32>, tensor<f32>) -> tensor<4xf32>
    %152 = stablehlo.multiply %1, %2 : tensor<6xf32>
    %153 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %154 = stablehlo.reduce(%152 init: %153) applies stablehlo.add across dimensions = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<f32>
    %155 = stablehlo.multiply %5, %5 : tensor<6xf32>
    %156 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %157 = stablehlo.reduce(%155 init: %156) applies stablehlo.add across dimensions = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<f32>
    %158 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %159 = stablehlo.multiply %157, %158 : tensor<f32>
    %160 = stablehlo.add %154, %159 : tensor<f32>
    %161 = stablehlo.multiply %47, %1 : tensor<6xf32>
    %162 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %163 = stablehlo.reduce(%161 init: %162) applies stablehlo.add across dimensions = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<f32>
    %164 = stablehlo.add %160, %163 : tensor<f32>
    %165 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %166 = stablehlo.reduce(%56 init: %165) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
    %167 = stablehlo.add %164, %166 : tensor<f32>
    %168 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %169 = stablehlo.reduce(%69 init: %168) applies stablehlo.add across dimensions = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<f32>
    %170 = stablehlo.add %167, %169 : tensor<f32>
    %171 = stablehlo.slice %72 [0:1] : (tensor<6xf32>) -> tensor<1xf32>
    %172 = stablehlo.reshape %171 : (tensor<1xf32>) -> tensor<f32>
    %173 = stablehlo.slice %72 [2:3] : (tensor<6xf32>) -> tensor<1xf32>
    %174 = stablehlo.reshape %173 : (tensor<1xf32>) -> tensor<f32>
    %175 = stablehlo.multiply %172, %174 : tensor<f32>
    %176 = stablehlo.add %170, %175 : tensor<f32>
    %177 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %178 = stablehlo.reduce(%values init: %177) applies stablehlo.add across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
    %179 = stablehlo.add %176, %178 : tensor<f32>
    %180 = stablehlo.multiply %73, %73 : tensor<6xf32>
    %181 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %182 = stablehlo.reduce(%180 init: %181) applies stablehlo.add across dimensions = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<f32>
    %183 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %184 = stablehlo.multiply %182, %183 : tensor<f32>
    %185 = stablehlo.add %179, %184 : tensor<f32>
    %186 = stablehlo.add %185, %75 : tensor<f32>
    %187 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %188 = stablehlo.multiply %77, %187 : tensor<f32>
    %189 = stablehlo.multiply %188, %75 : tensor<f32>
    %190 = stablehlo.add %186, %189 : tensor<f32>
    %191 = stablehlo.multiply %81, %81 : tensor<18xf32>
    %192 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %193 = stablehlo.reduce(%191 init: %192) applies stablehlo.add across dimensions = [0] : (tensor<18xf32>, tensor<f32>) -> tensor<f32>
    %194 = stablehlo.add %190, %193 : tensor<f32>
    %195 = stablehlo.iota dim = 0 : tensor<12xi32>
    %196 = stablehlo.convert %195 : (tensor<12xi32>) -> tensor<12xf32>
    %197 = stablehlo.multiply %84, %196 : tensor<12xf32>
    %198 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %199 = stablehlo.reduce(%197 init: %198) applies stablehlo.add across dimensions = [0] : (tensor<12xf32>, tensor<f32>) -> tensor<f32>
    %200 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %201 = stablehlo.multiply %199, %200 : tensor<f32>
    %202 = stablehlo.add %194, %201 : tensor<f32>
    %203 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %204 = stablehlo.reduce(%87 init: %203) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
    %205 = stablehlo.add %202, %204 : tensor<f32>
    %206 = stablehlo.multiply %90, %90 : tensor<6xf32>
    %207 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %208 = stablehlo.reduce(%206 init: %207) applies stablehlo.add across dimensions = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<f32>
    %209 = stablehlo.add %205, %208 : tensor<f32>
    %210 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %211 = stablehlo.reduce(%93 init: %210) applies stablehlo.add across dimensions = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<f32>
    %212 = stablehlo.add %209, %211 : tensor<f32>
    %213 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %214 = stablehlo.reduce(%99 init: %213) applies stablehlo.add across dimensions = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<f32>
    %215 = stablehlo.add %212, %214 : tensor<f32>
    %216 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %217 = stablehlo.reduce(%105 init: %216) applies stablehlo.add across dimensions = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<f32>
    %218 = stablehlo.add %215, %217 : tensor<f32>
    %219 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %220 = stablehlo.reduce(%107#3 init: %219) applies stablehlo.add across dimensions = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<f32>
    %221 = stablehlo.add %218, %220 : tensor<f32>
    %222 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %223 = stablehlo.reduce(%111#3 init: %222) applies stablehlo.add across dimensions = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<f32>
    %224 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %225 = stablehlo.multiply %223, %224 : tensor<f32>
    %226 = stablehlo.add %221, %225 : tensor<f32>
    %227 = stablehlo.broadcast_in_dim %114, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %228 = stablehlo.multiply %227, %1 : tensor<6xf32>
    %229 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %230 = stablehlo.reduce(%228 init: %229) applies stablehlo.add across dimensions = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<f32>
    %231 = stablehlo.add %226, %230 : tensor<f32>
    %232 = stablehlo.multiply %132, %1 : tensor<6xf32>
    %233 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %234 = stablehlo.reduce(%232 init: %233) applies stablehlo.add across dimensions = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<f32>
    %235 = stablehlo.add %231, %234 : tensor<f32>
    %236 = stablehlo.multiply %140, %2 : tensor<6xf32>
    %237 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %238 = stablehlo.reduce(%236 init: %237) applies stablehlo.add across dimensions = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<f32>
    %239 = stablehlo.add %235, %238 : tensor<f32>
    %240 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %241 = stablehlo.reduce(%142 init: %240) applies stablehlo.add across dimensions = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<f32>
    %242 = stablehlo.add %239, %241 : tensor<f32>
    %243 = stablehlo.multiply %145, %1 : tensor<6xf32>
    %244 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %245 = stablehlo.reduce(%243 init: %244) applies stablehlo.add across dimensions = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<f32>
    %246 = stablehlo.add %242, %245 : tensor<f32>
    %247 = stablehlo.multiply %146, %1 : tensor<6xf32>
    %248 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %249 = stablehlo.reduce(%247 init: %248) applies stablehlo.add across dimensions = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<f32>
    %250 = stablehlo.add %246, %249 : tensor<f32>
    %251 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %252 = stablehlo.reduce(%151 init: %251) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %253 = stablehlo.add %250, %252 : tensor<f32>
    %254 = stablehlo.slice %1 [0:2] : (tensor<6xf32>) -> tensor<2xf32>
    %255 = stablehlo.constant dense<0> : tensor<i32>
    %256 = stablehlo.compare LT, %arg6, %255, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %257 = stablehlo.constant dense<6> : tensor<i32>
    %258 = stablehlo.add %arg6, %257 : tensor<i32>
    %259 = stablehlo.select %256, %258, %arg6 : tensor<i1>, tensor<i32>
    %260 = stablehlo.dynamic_slice %arg5, %259, sizes = [1] : (tensor<6xf32>, tensor<i32>) -> tensor<1xf32>
    %261 = stablehlo.reshape %260 : (tensor<1xf32>) -> tensor<f32>
    %262 = stablehlo.broadcast_in_dim %261, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %263 = stablehlo.add %254, %262 : tensor<2xf32>
    return %253, %263 : tensor<f32>, tensor<2xf32>
  }
  func.func private @_take(%arg0: tensor<6xf32>, %arg1: tensor<3xi32>) -> tensor<3xf32> {
    %0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %2 = stablehlo.compare LT, %arg1, %1, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %3 = stablehlo.constant dense<6> : tensor<i32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %5 = stablehlo.add %arg1, %4 : tensor<3xi32>
    %6 = call @_where(%2, %5, %arg1) : (tensor<3xi1>, tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<3xi32>) -> tensor<3x1xi32>
    %8 = stablehlo.constant dense<5> : tensor<1xi32>
    %9 = stablehlo.constant dense<0> : tensor<i32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i32>) -> tensor<3x1xi32>
    %11 = stablehlo.compare GE, %7, %10, SIGNED : (tensor<3x1xi32>, tensor<3x1xi32>) -> tensor<3x1xi1>
    %12 = stablehlo.broadcast_in_dim %8, dims = [1] : (tensor<1xi32>) -> tensor<1x1xi32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0, 1] : (tensor<1x1xi32>) -> tensor<3x1xi32>
    %14 = stablehlo.compare LE, %7, %13, SIGNED : (tensor<3x1xi32>, tensor<3x1xi32>) -> tensor<3x1xi1>
    %15 = stablehlo.and %11, %14 : tensor<3x1xi1>
    %16 = stablehlo.constant dense<true> : tensor<i1>
    %17 = stablehlo.reduce(%15 init: %16) applies stablehlo.and across dimensions = [1] : (tensor<3x1xi1>, tensor<i1>) -> tensor<3xi1>
    %18 = "stablehlo.gather"(%arg0, %7) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1>}> : (tensor<6xf32>, tensor<3x1xi32>) -> tensor<3xf32>
    %19 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %19, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %21 = stablehlo.select %17, %18, %20 : tensor<3xi1>, tensor<3xf32>
    return %21 : tensor<3xf32>
  }
  func.func private @_where(%arg0: tensor<3xi1>, %arg1: tensor<3xi32>, %arg2: tensor<3xi32>) -> tensor<3xi32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<3xi1>, tensor<3xi32>
    return %0 : tensor<3xi32>
  }
  func.func private @sort(%arg0: tensor<6xf32>) -> tensor<6xf32> {
    %0 = "stablehlo.sort"(%arg0) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %2 = stablehlo.compare EQ, %arg1, %1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %4 = stablehlo.select %2, %3, %arg1 : tensor<i1>, tensor<f32>
      %5 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %6 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %7 = stablehlo.select %5, %6, %4 : tensor<i1>, tensor<f32>
      %8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %9 = stablehlo.compare EQ, %arg2, %8, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %11 = stablehlo.select %9, %10, %arg2 : tensor<i1>, tensor<f32>
      %12 = stablehlo.compare NE, %arg2, %arg2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %13 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %14 = stablehlo.select %12, %13, %11 : tensor<i1>, tensor<f32>
      %15 = stablehlo.compare LT, %7, %14, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %15 : tensor<i1>
    }) : (tensor<6xf32>) -> tensor<6xf32>
    return %0 : tensor<6xf32>
  }
  func.func private @cumsum(%arg0: tensor<6xf32>) -> tensor<6xf32> {
    %0 = call @cumsum_3(%arg0) : (tensor<6xf32>) -> tensor<6xf32>
    return %0 : tensor<6xf32>
  }
  func.func private @cumsum_3(%arg0: tensor<6xf32>) -> tensor<6xf32> {
    %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<f32>
    %2 = "stablehlo.reduce_window"(%arg0, %1) <{base_dilations = array<i64: 1>, padding = dense<[[5, 0]]> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 6>, window_strides = array<i64: 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %3 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %3 : tensor<f32>
    }) : (tensor<6xf32>, tensor<f32>) -> tensor<6xf32>
    return %2 : tensor<6xf32>
  }
  func.func private @argmax(%arg0: tensor<6xf32>) -> tensor<i32> {
    %0 = stablehlo.iota dim = 0 : tensor<6xi32>
    %1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %2 = stablehlo.constant dense<0> : tensor<i32>
    %3:2 = stablehlo.reduce(%arg0 init: %1), (%0 init: %2) across dimensions = [0] : (tensor<6xf32>, tensor<6xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
     reducer(%arg1: tensor<f32>, %arg3: tensor<f32>) (%arg2: tensor<i32>, %arg4: tensor<i32>)  {
      %4 = stablehlo.compare GT, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %5 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %6 = stablehlo.or %4, %5 : tensor<i1>
      %7 = stablehlo.compare EQ, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %8 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %9 = stablehlo.and %7, %8 : tensor<i1>
      %10 = stablehlo.or %6, %9 : tensor<i1>
      %11 = stablehlo.select %6, %arg1, %arg3 : tensor<i1>, tensor<f32>
      %12 = stablehlo.select %10, %arg2, %arg4 : tensor<i1>, tensor<i32>
      stablehlo.return %11, %12 : tensor<f32>, tensor<i32>
    }
    return %3#1 : tensor<i32>
  }
  func.func private @_pad(%arg0: tensor<15xf32>, %arg1: tensor<i32>) -> tensor<18xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.pad %arg0, %0, low = [1], high = [2], interior = [0] : (tensor<15xf32>, tensor<f32>) -> tensor<18xf32>
    return %1 : tensor<18xf32>
  }
  func.func private @_where_4(%arg0: tensor<i1>, %arg1: tensor<6xf32>, %arg2: tensor<6xf32>) -> tensor<6xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<6xf32>
    return %0 : tensor<6xf32>
  }
  func.func private @clip(%arg0: tensor<6xf32>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<6xf32> {
    %0 = stablehlo.convert %arg1 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %2 = stablehlo.maximum %1, %arg0 : tensor<6xf32>
    %3 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %4 = stablehlo.minimum %3, %2 : tensor<6xf32>
    return %4 : tensor<6xf32>
  }
  func.func private @remainder(%arg0: tensor<i32>, %arg1: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %1 = stablehlo.constant dense<0> : tensor<i32>
    %2 = stablehlo.compare EQ, %0, %1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %3 = stablehlo.constant dense<1> : tensor<i32>
    %4 = call @_where_5(%2, %3, %0) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %5 = stablehlo.remainder %arg0, %4 : tensor<i32>
    %6 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.compare NE, %5, %6, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %8 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.compare LT, %5, %8, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %10 = stablehlo.constant dense<0> : tensor<i32>
    %11 = stablehlo.compare LT, %4, %10, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %12 = stablehlo.compare NE, %9, %11, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %13 = stablehlo.and %12, %7 : tensor<i1>
    %14 = stablehlo.add %5, %4 : tensor<i32>
    %15 = stablehlo.select %13, %14, %5 : tensor<i1>, tensor<i32>
    return %15 : tensor<i32>
  }
  func.func private @_where_5(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
  func.func private @dynamic_index_in_dim_6(%arg0: tensor<6x6xf32>, %arg1: tensor<i32>) -> tensor<6xf32> {
    %0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_slice %arg0, %arg1, %0, sizes = [1, 6] : (tensor<6x6xf32>, tensor<i32>, tensor<i32>) -> tensor<1x6xf32>
    %2 = stablehlo.reshape %1 : (tensor<1x6xf32>) -> tensor<6xf32>
    return %2 : tensor<6xf32>
  }
  func.func private @closed_call_7(%arg0: tensor<6xf32>, %arg1: tensor<6xf32>, %arg2: tensor<6xf32>) -> tensor<6xf32> {
    %0 = stablehlo.multiply %arg1, %arg2 : tensor<6xf32>
    %1 = stablehlo.add %0, %arg0 : tensor<6xf32>
    %2 = stablehlo.tanh %1 : tensor<6xf32>
    return %2 : tensor<6xf32>
  }
  func.func private @closed_call_8(%arg0: tensor<6xf32>, %arg1: tensor<6xf32>) -> tensor<f32> {
    %0 = stablehlo.multiply %arg1, %arg0 : tensor<6xf32>
    %1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.reduce(%0 init: %1) applies stablehlo.add across dimensions = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<f32>
    %3 = stablehlo.multiply %2, %2 : tensor<f32>
    return %3 : tensor<f32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<6xf32>, %arg1: tensor<f32>, %arg2: tensor<i32>) -> tensor<6xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2 : (tensor<6xf32>, tensor<1xf32>, tensor<i32>) -> tensor<6xf32>
    return %1 : tensor<6xf32>
  }
  func.func private @round(%arg0: tensor<6xf32>) -> tensor<6xf32> {
    %0 = stablehlo.round_nearest_even %arg0 : tensor<6xf32>
    return %0 : tensor<6xf32>
  }
  func.func private @straight_rule(%arg0: tensor<6xf32>, %arg1: tensor<6xf32>) -> tensor<6xf32> {
    %0 = stablehlo.constant dense<1.500000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %2 = stablehlo.multiply %arg1, %1 : tensor<6xf32>
    return %2 : tensor<6xf32>
  }
  func.func private @_roll_static(%arg0: tensor<6xf32>) -> tensor<6xf32> {
    %0 = stablehlo.slice %arg0 [5:6] : (tensor<6xf32>) -> tensor<1xf32>
    %1 = stablehlo.slice %arg0 [0:5] : (tensor<6xf32>) -> tensor<5xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<1xf32>, tensor<5xf32>) -> tensor<6xf32>
    return %2 : tensor<6xf32>
  }
  func.func private @dynamic_update_index_in_dim_9(%arg0: tensor<8xf32>, %arg1: tensor<f32>, %arg2: tensor<i32>) -> tensor<8xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2 : (tensor<8xf32>, tensor<1xf32>, tensor<i32>) -> tensor<8xf32>
    return %1 : tensor<8xf32>
  }
  func.func private @dynamic_update_index_in_dim_10(%arg0: tensor<8x2xf32>, %arg1: tensor<2xf32>, %arg2: tensor<i32>) -> tensor<8x2xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<2xf32>) -> tensor<1x2xf32>
    %1 = stablehlo.constant dense<0> : tensor<i32>
    %2 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %1 : (tensor<8x2xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<8x2xf32>
    return %2 : tensor<8x2xf32>
  }
}

