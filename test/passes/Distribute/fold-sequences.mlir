// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Under a causal mask each device of a ring has two stripes of the sequence. Values that are tied to it are folded where they
// come from, once.
// RUN: zcc-opt %s --split-input-file --zcc-mark-rings --zcc-shard-step --zcc-fold-sequences --zcc-verify-sharded | FileCheck %s
// RUN: zcc-opt %s --split-input-file --zcc-mark-rings --zcc-shard-step --zcc-fold-sequences --zcc-verify-sharded --zcc-partition --zcc-assign-regions --zcc-verify-partitioned | FileCheck %s --check-prefix=RING

dist.mesh @mesh [#dist.axis<"context" = 2>]
// CHECK-LABEL: func.func @step(%arg0: tensor<2x8xf32>
// The input is whole on the way: stripes 0 and 1, and 2 and 3 in reverse, are put side by side.
// CHECK: %[[WHOLE:.*]] = dist.reshard %arg0
// CHECK-NEXT: %[[PARTS:.*]] = train.reshape %[[WHOLE]] {{.*}} -> tensor<2x2x2x2xf32>
// CHECK-NEXT: %[[LOW:.*]] = train.slice %[[PARTS]] {{.*}}limit = array<i64: 2, 1, 2, 2>
// CHECK-NEXT: %[[FIRST:.*]] = train.reshape %[[LOW]]
// CHECK-NEXT: %[[HIGH:.*]] = train.slice %[[PARTS]] {{.*}}start = array<i64: 0, 1, 0, 0>
// CHECK-NEXT: %[[BACK:.*]] = train.reverse %[[HIGH]] {{.*}}dims = array<i64: 2>
// CHECK-NEXT: %[[SECOND:.*]] = train.reshape %[[BACK]]
// CHECK-NEXT: %[[PAIRS:.*]] = train.concatenate %[[FIRST]], %[[SECOND]] {{.*}}dim = 2
// CHECK-NEXT: train.reshape %[[PAIRS]]
// CHECK-NEXT: %[[FOLDED:.*]] = dist.reshard
// CHECK: train.broadcast_in_dim %[[FOLDED]]
// Positions are computed where they are: nothing is moved for them, or for what is made of them.
// CHECK-NOT: dist.reshard
// CHECK: train.attention {{.*}}dist.folded = 2 : i64
// Results of the step have their original order again.
// CHECK: %[[SUM:.*]] = train.reduce
// CHECK: dist.reshard %[[SUM]]
// CHECK: train.concatenate {{.*}}dim = 1
// CHECK: return
// RING-LABEL: func.func @step
// RING: %[[ORIGINS:.*]] = train.concatenate {{.*}} -> tensor<2xi32>
// RING: dist.ring %{{.*}}, %[[ORIGINS]]
// RING: train.attention_block
// RING: why = "the sequence is split over context: keys and values pass by every device, which has two stripes of the sequence"
func.func @step(%x: tensor<2x8xf32> {zcc.kind = "input", zcc.input = "x"}) -> (tensor<2x8xf32> {zcc.kind = "output"}) {
  %q = train.broadcast_in_dim %x {dims = array<i64: 0, 1>} : (tensor<2x8xf32>) -> tensor<2x8x2x4xf32>
  %i = train.iota {dim = 1 : i64} : () -> tensor<2x8x2x4xf32>
  %p = train.add %q, %i : (tensor<2x8x2x4xf32>, tensor<2x8x2x4xf32>) -> tensor<2x8x2x4xf32>
  %o, %l = train.attention %p, %q, %q {scale = 0.5 : f64, fill = -1.0e30 : f64, after = 0 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0>} : (tensor<2x8x2x4xf32>, tensor<2x8x2x4xf32>, tensor<2x8x2x4xf32>) -> (tensor<2x8x2x4xf32>, tensor<2x8x2xf32>)
  %s = train.reduce %o {dims = array<i64: 2, 3>, kind = #train<reduce_kind add>} : (tensor<2x8x2x4xf32>) -> tensor<2x8xf32>
  return %s : tensor<2x8xf32>
}

// -----

// Attention that is not causal is left alone.
dist.mesh @mesh [#dist.axis<"context" = 2>]
// CHECK-LABEL: func.func @step
// CHECK-NEXT: train.attention
// CHECK-NOT: folded
func.func @step(%q: tensor<2x8x2x4xf32> {zcc.kind = "input", zcc.input = "q"}) -> (tensor<2x8x2x4xf32> {zcc.kind = "output"}) {
  %o, %l = train.attention %q, %q, %q {scale = 0.5 : f64, fill = -1.0e30 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0>} : (tensor<2x8x2x4xf32>, tensor<2x8x2x4xf32>, tensor<2x8x2x4xf32>) -> (tensor<2x8x2x4xf32>, tensor<2x8x2xf32>)
  return %o : tensor<2x8x2x4xf32>
}

// -----

// Six elements are no four stripes.
dist.mesh @mesh [#dist.axis<"context" = 2>]
// CHECK-LABEL: func.func @step
// CHECK-NEXT: train.attention {{.*}}dist.unfolded = "its 6 elements are no 4 equal stripes"
// RING: why = "the sequence is split over context: keys and values pass by every device; half of the work is masked, as its 6 elements are no 4 equal stripes"
func.func @step(%q: tensor<2x6x2x4xf32> {zcc.kind = "input", zcc.input = "q"}) -> (tensor<2x6x2x4xf32> {zcc.kind = "output"}) {
  %o, %l = train.attention %q, %q, %q {scale = 0.5 : f64, fill = -1.0e30 : f64, after = 0 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0>} : (tensor<2x6x2x4xf32>, tensor<2x6x2x4xf32>, tensor<2x6x2x4xf32>) -> (tensor<2x6x2x4xf32>, tensor<2x6x2xf32>)
  return %o : tensor<2x6x2x4xf32>
}

// -----

// A bias by query and key goes by positions.
dist.mesh @mesh [#dist.axis<"context" = 2>]
// CHECK-LABEL: func.func @step
// CHECK: train.attention {{.*}}dist.unfolded = "its bias or mask goes by positions"
func.func @step(%q: tensor<2x8x2x4xf32> {zcc.kind = "input", zcc.input = "q"}, %b: tensor<2x2x8x8xf32> {zcc.kind = "input", zcc.input = "b"}) -> (tensor<2x8x2x4xf32> {zcc.kind = "output"}) {
  %o, %l = train.attention %q, %q, %q, %b {scale = 0.5 : f64, fill = -1.0e30 : f64, after = 0 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 0>} : (tensor<2x8x2x4xf32>, tensor<2x8x2x4xf32>, tensor<2x8x2x4xf32>, tensor<2x2x8x8xf32>) -> (tensor<2x8x2x4xf32>, tensor<2x8x2xf32>)
  return %o : tensor<2x8x2x4xf32>
}
