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

// -----

// One that is broadcast is too: the rule of a scatter asks whether its operand is zero.
dist.mesh @mesh [#dist.axis<"data" = 2>]
// CHECK-LABEL: func.func @step
// CHECK: %[[ZERO:.*]] = train.constant {dist.shardings = [#dist.sharding<@mesh, [{}]>]} dense<0.0{{.*}} tensor<6xf32>
// CHECK: train.scatter %[[ZERO]], {{.*}}partial = add {"data"}
func.func @step(%i: tensor<64x1xi32> {zcc.kind = "input", zcc.input = "i"}, %x: tensor<64xf32> {zcc.kind = "input", zcc.input = "x"}) -> (tensor<6xf32> {zcc.kind = "output"}, tensor<6xf32> {zcc.kind = "output"}) {
  %c = train.constant dense<0.0> : tensor<f32>
  %z = train.broadcast_in_dim %c {dims = array<i64>} : (tensor<f32>) -> tensor<6xf32>
  %d = train.sharding_constraint %z {sharding = [["data"]]} : (tensor<6xf32>) -> tensor<6xf32>
  %r = train.scatter %z, %i, %x {update_window_dims = array<i64>, inserted_window_dims = array<i64: 0>, operand_batching_dims = array<i64>, indices_batching_dims = array<i64>, operand_dims_map = array<i64: 0>, index_vector_dim = 1 : i64, kind = #train<reduce_kind add>} : (tensor<6xf32>, tensor<64x1xi32>, tensor<64xf32>) -> tensor<6xf32>
  return %r, %d : tensor<6xf32>, tensor<6xf32>
}
