// RUN: zcc-opt %s --zcc-shard-step --zcc-verify-sharded | FileCheck %s

// An annotation may split a dim of extent 1, ops cannot: the value is gathered as it is, though it is read in a narrower type.
dist.mesh @mesh [#dist.axis<"x" = 2>]
// CHECK: %[[WHOLE:.*]] = dist.reshard %arg0 {{.*}} : tensor<4x1xf32>
// CHECK: train.convert %[[WHOLE]]
func.func @step(%a: tensor<4x1xf32> {zcc.kind = "input", zcc.input = "a", zcc.sharding = [[], ["x"]]}) -> (tensor<4x1xbf16> {zcc.kind = "output"}) {
  %0 = train.convert %a : (tensor<4x1xf32>) -> tensor<4x1xbf16>
  %1 = train.negate %0 : (tensor<4x1xbf16>) -> tensor<4x1xbf16>
  return %1 : tensor<4x1xbf16>
}
