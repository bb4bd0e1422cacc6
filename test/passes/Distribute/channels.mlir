// The axis `tensor` splits the channels of convolutions: groups of channels stay together, and the few channels of a group, which
// cannot be split before the groups are, do not stand in their way.
// RUN: zcc %s --quiet --zero=0 --compile-to=sharded --mesh=tensor=2 -o %t && FileCheck %s --input-file=%t
// RUN: zcc %s --quiet --zero=0 --compile-to=partitioned --mesh=tensor=2 -o %t --report - | FileCheck %s --check-prefix=WORK

// CHECK: func.func @step
// CHECK-SAME: #dist.sharding<@mesh, [{}, {}, {}, {"tensor"}]>, zcc.kind = "parameter", zcc.parameter = "narrow"
// CHECK-SAME: #dist.sharding<@mesh, [{}, {}, {}, {"tensor"}]>, zcc.kind = "parameter", zcc.parameter = "grouped"
// CHECK-SAME: #dist.sharding<@mesh, [{}, {}, {"tensor"}, {}]>, zcc.kind = "parameter", zcc.parameter = "wide"
// CHECK: train.convolution {{.*}}[{}, {}, {}, {"tensor"}]>]
// CHECK: train.convolution {{.*}}[{}, {}, {}, {"tensor"}]>], feature_groups = 4
// CHECK: train.convolution {{.*}}[{}, {}, {}, {}], partial = add {"tensor"}>]
// Only sums of scalars remain.
// WORK: "repeated": {{[0-9][.]}}

func.func @main(%narrow: tensor<1x1x16x16xf32> loc("p['narrow']"), %grouped: tensor<3x3x4x16xf32> loc("p['grouped']"), %wide: tensor<1x1x16x16xf32> loc("p['wide']"), %image: tensor<2x8x8x16xf32> loc("b['image']"), %target: tensor<2x8x8x16xf32> loc("b['target']")) -> tensor<f32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.convolution(%image, %narrow) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x16xf32>, tensor<1x1x16x16xf32>) -> tensor<2x8x8x16xf32>
  %1 = stablehlo.tanh %0 : tensor<2x8x8x16xf32>
  %2 = stablehlo.convolution(%1, %grouped) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 4 : i64} : (tensor<2x8x8x16xf32>, tensor<3x3x4x16xf32>) -> tensor<2x8x8x16xf32>
  %3 = stablehlo.tanh %2 : tensor<2x8x8x16xf32>
  %4 = stablehlo.convolution(%3, %wide) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x16xf32>, tensor<1x1x16x16xf32>) -> tensor<2x8x8x16xf32>
  %5 = stablehlo.subtract %4, %target : tensor<2x8x8x16xf32>
  %6 = stablehlo.multiply %5, %5 : tensor<2x8x8x16xf32>
  %7 = stablehlo.reduce(%6 init: %z) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<2x8x8x16xf32>, tensor<f32>) -> tensor<f32>
  return %7 : tensor<f32>
}
