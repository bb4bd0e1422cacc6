// RUN: zcc-opt %s --zcc-shard-step --zcc-verify-sharded | FileCheck %s

// Shardings flow backward into what is made from constants and parameters, wherever it stands.
dist.mesh @mesh [#dist.axis<"data" = 2>]
func.func @step(%w: tensor<4xf32> {zcc.kind = "parameter", zcc.parameter = "w"}, %x: tensor<8x4xf32> {zcc.kind = "input", zcc.input = "x"})
    -> (tensor<8x4xf32> {zcc.kind = "output"}) {
  // CHECK: train.iota {{.*}}[{"data"}, {}]
  // CHECK: train.convert {{.*}}[{"data"}, {}]
  // CHECK: train.broadcast_in_dim {{.*}}[{"data"}, {}]
  // CHECK: train.add {{.*}}[{"data"}, {}]
  // CHECK: train.multiply {{.*}}[{"data"}, {}]
  %i = train.iota {dim = 0 : i64} : () -> tensor<8x4xi32>
  %f = train.convert %i : (tensor<8x4xi32>) -> tensor<8x4xf32>
  %b = train.broadcast_in_dim %w {dims = array<i64: 1>} : (tensor<4xf32>) -> tensor<8x4xf32>
  %s = train.add %f, %b : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  %p = train.multiply %s, %x : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  // Results of the step are replicated.
  // CHECK: dist.reshard {{.*}}from = #dist.sharding<@mesh, [{"data"}, {}]>, to = #dist.sharding<@mesh, [{}, {}]>
  return %p : tensor<8x4xf32>
}
