// A gradient that is summed over the axis of its parameter and over that of state: the former first, whether state is split or not, so that
// the stages of ZeRO give the same bits.
// RUN: zcc %s --quiet --compile-to=sharded --mesh=data=2,t=2 --zero=0 -o - | FileCheck %s --check-prefixes=CHECK,WHOLE
// RUN: zcc %s --quiet --compile-to=sharded --mesh=data=2,t=2 --zero=1 -o - | FileCheck %s --check-prefixes=CHECK,SPLIT

// CHECK: dist.reshard {{.*}}from = #dist.sharding<@mesh, [{}, {}], partial = add {"data", "t"}>, to = #dist.sharding<@mesh, [{"t"}, {}], partial = add {"data"}>
// WHOLE: dist.reshard {{.*}}from = #dist.sharding<@mesh, [{"t"}, {}], partial = add {"data"}>, to = #dist.sharding<@mesh, [{"t"}, {}]>
// SPLIT: dist.reshard {{.*}}from = #dist.sharding<@mesh, [{"t"}, {}], partial = add {"data"}>, to = #dist.sharding<@mesh, [{"t", "data"}, {}]>
module @sums {
  sdy.mesh @mesh = <["data"=2, "t"=2]>
  func.func public @main(%w: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"t"}, {}]>} loc("params['w']"), %x: tensor<16x6x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"t"}, {}]>} loc("batch['x']")) -> tensor<f32> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [2] x [0] : (tensor<16x6x8xf32>, tensor<8x4xf32>) -> tensor<16x6x4xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{"data"}, {"t"}, {}]> : tensor<16x6x4xf32>
    %2 = stablehlo.tanh %1 : tensor<16x6x4xf32>
    %3 = sdy.sharding_constraint %2 <@mesh, [{"data"}, {"t"}, {}]> : tensor<16x6x4xf32>
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %z) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<16x6x4xf32>, tensor<f32>) -> tensor<f32>
    return %4 : tensor<f32>
  }
}
