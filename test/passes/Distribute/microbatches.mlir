// The regions of a step: a survey of the mask, what is computed once before the loop, the loop, and what follows it.
// RUN: zcc-opt %s --zcc-place-mesh="microbatches=2" --zcc-shard-step --zcc-verify-sharded --zcc-partition --zcc-assign-regions --zcc-verify-partitioned | FileCheck %s
// RUN: not zcc %data/resnet/loss.mlir --quiet --microbatches=2 --compile-to=partitioned 2>&1 | FileCheck %s --check-prefix=STATISTICS
// RUN: zcc %data/resnet/loss.mlir --quiet --microbatches=2 --per-microbatch='*' --compile-to=partitioned -o %t
// RUN: not zcc %data/resnet/loss.mlir --quiet --microbatches=2 --per-microbatch='zo.py:*' --compile-to=partitioned 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: --per-microbatch: no sum over the batch that the loop reads is at 'zo.py:*'

// Statistics of a batch that depend on parameters are refused at their op.
// STATISTICS: error: needs the whole batch at once, and depends on '{{.*}}': it cannot be split into microbatches
// STATISTICS: note: which is read here

// CHECK-LABEL: func.func @step
func.func @step(%x: tensor<8x4xf32> {zcc.kind = "input", zcc.input = "x"}, %mask: tensor<8xf32> {zcc.kind = "input", zcc.input = "mask"},
    %w: tensor<4x4xf32> {zcc.kind = "parameter", zcc.parameter = "w"}) -> (tensor<4x4xf32> {zcc.kind = "output"}, tensor<f32> {zcc.kind = "output"}) {
  // The number of rows that count is needed by every microbatch.
  // CHECK: train.reduce %arg1 {{.*}}dist.region = "survey"
  // CHECK: %[[N:.*]] = dist.accumulate {{.*}}dist.region = "before"
  %n = train.reduce %mask {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<8xf32>) -> tensor<f32>
  // CHECK: train.divide %arg1, {{.*}}dist.region = "micro"
  %nb = train.broadcast_in_dim %n {dims = array<i64>} : (tensor<f32>) -> tensor<8xf32>
  %weight = train.divide %mask, %nb : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  // Values that are the same for all microbatches are computed once.
  // CHECK: train.tanh %arg2 {{.*}}dist.region = "before"
  %t = train.tanh %w : (tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: train.dot_general {{.*}}dist.region = "micro"{{.*}}(tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %h = train.dot_general %x, %t {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>} : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %wb = train.broadcast_in_dim %weight {dims = array<i64: 0>} : (tensor<8xf32>) -> tensor<8x4xf32>
  %s = train.multiply %h, %wb : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  %loss = train.reduce %s {dims = array<i64: 0, 1>, kind = #train<reduce_kind add>} : (tensor<8x4xf32>) -> tensor<f32>
  // Sums over the batch are accumulated.
  // CHECK: %[[G:.*]] = train.dot_general %arg0, {{.*}}dist.region = "micro"
  // CHECK: dist.accumulate %[[G]] {{.*}}dist.region = "after"
  %g = train.dot_general %x, %wb {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 0>, rhs_contracting = array<i64: 0>} : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  return %g, %loss : tensor<4x4xf32>, tensor<f32>
}
