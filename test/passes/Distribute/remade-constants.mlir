// A constant of equal elements is made again where it is wanted otherwise; one of a single element has no dim that could be sharded, and is
// moved to where an annotation wants it.
// RUN: zcc-opt %s --split-input-file --zcc-shard-step="zero=0" --zcc-verify-sharded | FileCheck %s

dist.mesh @mesh [#dist.axis<"data" = 2>]
// CHECK-LABEL: func.func @step
// CHECK: train.constant {dist.shardings = [#dist.sharding<@mesh, [{}]>]} dense<1.0
// CHECK: %[[C:.*]] = train.constant {dist.shardings = [#dist.sharding<@mesh, [{"data"}]>]} dense<1.0
// CHECK-NEXT: train.sharding_constraint %[[C]]
func.func @step(%x: tensor<8xf32> {zcc.kind = "input", zcc.input = "x"}) -> (tensor<8xf32> {zcc.kind = "output"}, tensor<8xf32> {zcc.kind = "output"}) {
  %c = train.constant dense<1.0> : tensor<8xf32>
  %d = train.sharding_constraint %c {sharding = [["data"]]} : (tensor<8xf32>) -> tensor<8xf32>
  return %d, %c : tensor<8xf32>, tensor<8xf32>
}

// -----

dist.mesh @mesh [#dist.axis<"data" = 2>]
// CHECK-LABEL: func.func @step
// CHECK: %[[ONE:.*]] = train.constant {dist.shardings = [#dist.sharding<@mesh, [{}]>]}
// CHECK-NEXT: dist.reshard %[[ONE]] {{.*}}to = #dist.sharding<@mesh, [{"data"}], padded = [2]>
func.func @step(%x: tensor<8xf32> {zcc.kind = "input", zcc.input = "x"}, %p: tensor<1xf32> {zcc.kind = "parameter", zcc.parameter = "p", zcc.sharding = [["data"]]}) -> (tensor<1xf32> {zcc.kind = "parameter", zcc.parameter = "p"}) {
  %c = train.constant dense<1.0> : tensor<1xf32>
  return %c : tensor<1xf32>
}
