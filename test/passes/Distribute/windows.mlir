// RUN: zcc-opt %s --zcc-shard-step --zcc-verify-sharded | FileCheck %s
// RUN: zcc-opt %s --zcc-shard-step="disable=exchange-halos,split-scans" --zcc-verify-sharded | FileCheck %s --check-prefix=OFF

// Ops that move data along a sharded dim keep it sharded if that sends less; a single element goes to all devices.
dist.mesh @mesh [#dist.axis<"x" = 2>]
// CHECK: train.convolution {{.*}}[{}, {"x"}, {}]
// CHECK: train.reverse {{.*}}[{}, {"x"}, {}]
// CHECK: train.cumulative {{.*}}[{}, {"x"}, {}]
// CHECK-NOT: dist.reshard
// CHECK: train.slice {{.*}}[{}, {}, {}]
// OFF: dist.reshard {{.*}}train.convolution needs it whole
// OFF: train.convolution {{.*}}[{}, {}, {}]
func.func @step(%k: tensor<3x2x2xf32> {zcc.kind = "parameter", zcc.parameter = "k"}, %a: tensor<1x8x2xf32> {zcc.kind = "input", zcc.input = "a", zcc.sharding = [[], ["x"], []]})
    -> (tensor<1x1x2xf32> {zcc.kind = "output"}) {
  %0 = train.convolution %a, %k {strides = array<i64: 1>, pad_low = array<i64: 1>, pad_high = array<i64: 1>, lhs_dilation = array<i64: 1>, rhs_dilation = array<i64: 1>, reversal = array<i1: false>, input_dims = array<i64: 0, 2, 1>, kernel_dims = array<i64: 1, 2, 0>, output_dims = array<i64: 0, 2, 1>} : (tensor<1x8x2xf32>, tensor<3x2x2xf32>) -> tensor<1x8x2xf32>
  %1 = train.reverse %0 {dims = array<i64: 1>} : (tensor<1x8x2xf32>) -> tensor<1x8x2xf32>
  %2 = train.cumulative %1 {dim = 1 : i64, kind = #train<reduce_kind add>} : (tensor<1x8x2xf32>) -> tensor<1x8x2xf32>
  %3 = train.slice %2 {start = array<i64: 0, 7, 0>, limit = array<i64: 1, 8, 2>, stride = array<i64: 1, 1, 1>} : (tensor<1x8x2xf32>) -> tensor<1x1x2xf32>
  return %3 : tensor<1x1x2xf32>
}
