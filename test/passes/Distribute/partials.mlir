// RUN: zcc-opt %s --zcc-shard-step --zcc-verify-sharded | FileCheck %s

// Partial values are reduced at these places. Inputs are sharded over the batch.
dist.mesh @mesh [#dist.axis<"data" = 2>]
func.func @step(%x: tensor<8x4xf32> {zcc.kind = "input", zcc.input = "x"}, %w: tensor<4x4xf32> {zcc.kind = "parameter", zcc.parameter = "w"})
    -> (tensor<4x4xf32>, tensor<8x4xf32>, tensor<f32>) {
  // Two uses of a parameter: their gradients are added device by device, then reduced once.
  // CHECK: %[[A:.*]] = train.dot_general {{.*}}partial = add
  %a = train.dot_general %x, %x {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 0>, rhs_contracting = array<i64: 0>} : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  // CHECK: %[[B:.*]] = train.transpose %[[A]] {{.*}}partial = add
  %b = train.transpose %a {permutation = array<i64: 1, 0>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: %[[SUM:.*]] = train.add %[[A]], %[[B]] {{.*}}partial = add
  // CHECK: dist.reshard %[[SUM]]
  %sum = train.add %a, %b : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>

  // A batch statistic is reduced before it meets values that are split over the batch, while it is small.
  // CHECK: %[[M:.*]] = train.reduce {{.*}}partial = add
  // CHECK: %[[WHOLE:.*]] = dist.reshard %[[M]]
  %m = train.reduce %x {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<8x4xf32>) -> tensor<4xf32>
  // CHECK: train.broadcast_in_dim %[[WHOLE]] {{.*}}[{"data"}, {}]
  %mb = train.broadcast_in_dim %m {dims = array<i64: 1>} : (tensor<4xf32>) -> tensor<8x4xf32>
  %y = train.subtract %x, %mb : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>

  // A product of two partial values is not linear: both are reduced first.
  // CHECK: %[[C:.*]] = train.reduce {{.*}}partial = add
  // CHECK: %[[CW:.*]] = dist.reshard %[[C]]
  // CHECK: train.multiply %[[CW]], %[[CW]] {{.*}}[#dist.sharding<@mesh, []>]
  %c = train.reduce %x {dims = array<i64: 0, 1>, kind = #train<reduce_kind add>} : (tensor<8x4xf32>) -> tensor<f32>
  %s = train.multiply %c, %c : (tensor<f32>, tensor<f32>) -> tensor<f32>
  // CHECK: return
  return %sum, %y, %s : tensor<4x4xf32>, tensor<8x4xf32>, tensor<f32>
}
