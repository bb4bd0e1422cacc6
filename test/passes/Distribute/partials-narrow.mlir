// RUN: zcc-opt %s --zcc-shard-step --zcc-verify-sharded | FileCheck %s

// Parts of a sum that are rounded and widened again, and then meet a value that is not partial after all: what crosses the network
// are the narrow parts, not the wide ones.
dist.mesh @mesh [#dist.axis<"data" = 2>]
func.func @step(%x: tensor<8x4xf32> {zcc.kind = "input", zcc.input = "x"}) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  // Needed whole by the product, so reduced at once.
  // CHECK: %[[R:.*]] = train.dot_general {{.*}}partial = add
  // CHECK: %[[WHOLE:.*]] = dist.reshard %[[R]]
  %r = train.dot_general %x, %x {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 0>, rhs_contracting = array<i64: 0>} : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %square = train.multiply %r, %r : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %t = train.tanh %x : (tensor<8x4xf32>) -> tensor<8x4xf32>
  // CHECK: %[[P:.*]] = train.dot_general {{.*}}partial = add
  // CHECK: %[[NARROW:.*]] = train.convert %[[P]] {{.*}} -> tensor<4x4xbf16>
  // CHECK: %[[T:.*]] = train.transpose %[[NARROW]] {{.*}}partial = add
  // CHECK: %[[SENT:.*]] = dist.reshard %[[T]] {{.*}} : tensor<4x4xbf16>
  // CHECK: %[[WIDE:.*]] = train.convert %[[SENT]] {{.*}} -> tensor<4x4xf32>
  // CHECK: train.add %[[WHOLE]], %[[WIDE]]
  %p = train.dot_general %t, %x {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 0>, rhs_contracting = array<i64: 0>} : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %n = train.convert %p : (tensor<4x4xf32>) -> tensor<4x4xbf16>
  %nt = train.transpose %n {permutation = array<i64: 1, 0>} : (tensor<4x4xbf16>) -> tensor<4x4xbf16>
  %w = train.convert %nt : (tensor<4x4xbf16>) -> tensor<4x4xf32>
  %sum = train.add %r, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %sum, %square : tensor<4x4xf32>, tensor<4x4xf32>
}
