// RUN: zcc-opt %s --split-input-file --zcc-shard-step="zero=0" --zcc-verify-sharded | FileCheck %s

// Two products whose sums over the axis are added: the parts are, and their sum is scattered onto the sequence once. The ops that
// follow have shards of the sequence, which the next product gathers.
dist.mesh @mesh [#dist.axis<"tensor" = 4>]
// CHECK-LABEL: func.func @step
func.func @step(%x: tensor<8x16x32xf32> {zcc.kind = "input", zcc.input = "x"},
    %a: tensor<32x64xf32> {zcc.kind = "parameter", zcc.parameter = "a"}, %b: tensor<32x64xf32> {zcc.kind = "parameter", zcc.parameter = "b"},
    %c: tensor<64x32xf32> {zcc.kind = "parameter", zcc.parameter = "c"}, %d: tensor<64x32xf32> {zcc.kind = "parameter", zcc.parameter = "d"}, %e: tensor<32x64xf32> {zcc.kind = "parameter", zcc.parameter = "e"})
    -> (tensor<f32> {zcc.kind = "output"}) {
  %h = train.dot_general %x, %a {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 2>, rhs_contracting = array<i64: 0>} : (tensor<8x16x32xf32>, tensor<32x64xf32>) -> tensor<8x16x64xf32>
  %g = train.dot_general %x, %b {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 2>, rhs_contracting = array<i64: 0>} : (tensor<8x16x32xf32>, tensor<32x64xf32>) -> tensor<8x16x64xf32>
  %s = train.tanh %h : (tensor<8x16x64xf32>) -> tensor<8x16x64xf32>
  %t = train.tanh %g : (tensor<8x16x64xf32>) -> tensor<8x16x64xf32>
  // CHECK: %[[P:.*]] = train.dot_general {{.*}}[{}, {}, {}], partial = add {"tensor"}
  // CHECK-NEXT: %[[Q:.*]] = train.dot_general {{.*}}[{}, {}, {}], partial = add {"tensor"}
  %p = train.dot_general %s, %c {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 2>, rhs_contracting = array<i64: 0>} : (tensor<8x16x64xf32>, tensor<64x32xf32>) -> tensor<8x16x32xf32>
  %q = train.dot_general %t, %d {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 2>, rhs_contracting = array<i64: 0>} : (tensor<8x16x64xf32>, tensor<64x32xf32>) -> tensor<8x16x32xf32>
  // CHECK-NEXT: %[[SUM:.*]] = train.add %[[P]], %[[Q]] {{.*}}[{}, {}, {}], partial = add {"tensor"}
  // CHECK-NEXT: dist.reshard %[[SUM]] {{.*}}to = #dist.sharding<@mesh, [{}, {"tensor"}, {}]>
  // CHECK-NEXT: %[[N:.*]] = train.exponential {{.*}}[{}, {"tensor"}, {}]
  // CHECK-NEXT: %[[WHOLE:.*]] = dist.reshard %[[N]] {{.*}}to = #dist.sharding<@mesh, [{}, {}, {}]>
  // CHECK-NEXT: train.dot_general %[[WHOLE]], {{.*}}[{}, {}, {"tensor"}]
  %u = train.add %p, %q : (tensor<8x16x32xf32>, tensor<8x16x32xf32>) -> tensor<8x16x32xf32>
  %n = train.exponential %u : (tensor<8x16x32xf32>) -> tensor<8x16x32xf32>
  %r = train.dot_general %n, %e {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 2>, rhs_contracting = array<i64: 0>} : (tensor<8x16x32xf32>, tensor<32x64xf32>) -> tensor<8x16x64xf32>
  %l = train.reduce %r {dims = array<i64: 0, 1, 2>, kind = #train<reduce_kind add>} : (tensor<8x16x64xf32>) -> tensor<f32>
  return %l : tensor<f32>
}

// -----

// One product: scattered at once, though what follows it would take parts of a sum.
dist.mesh @mesh [#dist.axis<"tensor" = 4>]
// CHECK-LABEL: func.func @step
func.func @step(%x: tensor<8x16x32xf32> {zcc.kind = "input", zcc.input = "x"},
    %a: tensor<32x64xf32> {zcc.kind = "parameter", zcc.parameter = "a"}, %c: tensor<64x32xf32> {zcc.kind = "parameter", zcc.parameter = "c"}, %e: tensor<32x64xf32> {zcc.kind = "parameter", zcc.parameter = "e"})
    -> (tensor<f32> {zcc.kind = "output"}) {
  %h = train.dot_general %x, %a {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 2>, rhs_contracting = array<i64: 0>} : (tensor<8x16x32xf32>, tensor<32x64xf32>) -> tensor<8x16x64xf32>
  %s = train.tanh %h : (tensor<8x16x64xf32>) -> tensor<8x16x64xf32>
  // CHECK: %[[P:.*]] = train.dot_general {{.*}}[{}, {}, {}], partial = add {"tensor"}
  // CHECK-NEXT: %[[SHARD:.*]] = dist.reshard %[[P]] {{.*}}to = #dist.sharding<@mesh, [{}, {"tensor"}, {}]>
  // CHECK-NEXT: train.negate %[[SHARD]] {{.*}}[{}, {"tensor"}, {}]
  %p = train.dot_general %s, %c {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 2>, rhs_contracting = array<i64: 0>} : (tensor<8x16x64xf32>, tensor<64x32xf32>) -> tensor<8x16x32xf32>
  %m = train.negate %p : (tensor<8x16x32xf32>) -> tensor<8x16x32xf32>
  %n = train.exponential %m : (tensor<8x16x32xf32>) -> tensor<8x16x32xf32>
  %r = train.dot_general %n, %e {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 2>, rhs_contracting = array<i64: 0>} : (tensor<8x16x32xf32>, tensor<32x64xf32>) -> tensor<8x16x64xf32>
  %l = train.reduce %r {dims = array<i64: 0, 1, 2>, kind = #train<reduce_kind add>} : (tensor<8x16x64xf32>) -> tensor<f32>
  return %l : tensor<f32>
}

// -----

// A sequence that does not divide is padded, by a part that hardly counts.
dist.mesh @mesh [#dist.axis<"tensor" = 4>]
// CHECK-LABEL: func.func @step
func.func @step(%x: tensor<8x31x32xf32> {zcc.kind = "input", zcc.input = "x"},
    %a: tensor<32x64xf32> {zcc.kind = "parameter", zcc.parameter = "a"}, %c: tensor<64x32xf32> {zcc.kind = "parameter", zcc.parameter = "c"}, %e: tensor<32x64xf32> {zcc.kind = "parameter", zcc.parameter = "e"})
    -> (tensor<f32> {zcc.kind = "output"}) {
  %h = train.dot_general %x, %a {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 2>, rhs_contracting = array<i64: 0>} : (tensor<8x31x32xf32>, tensor<32x64xf32>) -> tensor<8x31x64xf32>
  %s = train.tanh %h : (tensor<8x31x64xf32>) -> tensor<8x31x64xf32>
  // CHECK: dist.reshard {{.*}}partial = add {"tensor"}{{.*}}to = #dist.sharding<@mesh, [{}, {"tensor"}, {}], padded = [8, 32, 32]>
  // CHECK-NEXT: train.exponential {{.*}}[{}, {"tensor"}, {}]
  %p = train.dot_general %s, %c {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 2>, rhs_contracting = array<i64: 0>} : (tensor<8x31x64xf32>, tensor<64x32xf32>) -> tensor<8x31x32xf32>
  %n = train.exponential %p : (tensor<8x31x32xf32>) -> tensor<8x31x32xf32>
  %r = train.dot_general %n, %e {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 2>, rhs_contracting = array<i64: 0>} : (tensor<8x31x32xf32>, tensor<32x64xf32>) -> tensor<8x31x64xf32>
  %l = train.reduce %r {dims = array<i64: 0, 1, 2>, kind = #train<reduce_kind add>} : (tensor<8x31x64xf32>) -> tensor<f32>
  return %l : tensor<f32>
}

// -----

// Not by more: that would be moved too.
dist.mesh @mesh [#dist.axis<"tensor" = 4>]
// CHECK-LABEL: func.func @step
func.func @step(%x: tensor<8x13x32xf32> {zcc.kind = "input", zcc.input = "x"},
    %a: tensor<32x64xf32> {zcc.kind = "parameter", zcc.parameter = "a"}, %c: tensor<64x32xf32> {zcc.kind = "parameter", zcc.parameter = "c"}, %e: tensor<32x64xf32> {zcc.kind = "parameter", zcc.parameter = "e"})
    -> (tensor<f32> {zcc.kind = "output"}) {
  %h = train.dot_general %x, %a {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 2>, rhs_contracting = array<i64: 0>} : (tensor<8x13x32xf32>, tensor<32x64xf32>) -> tensor<8x13x64xf32>
  %s = train.tanh %h : (tensor<8x13x64xf32>) -> tensor<8x13x64xf32>
  // CHECK: dist.reshard {{.*}}partial = add {"tensor"}{{.*}}to = #dist.sharding<@mesh, [{}, {}, {}]>
  // CHECK-NEXT: train.exponential {{.*}}[{}, {}, {}]
  %p = train.dot_general %s, %c {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 2>, rhs_contracting = array<i64: 0>} : (tensor<8x13x64xf32>, tensor<64x32xf32>) -> tensor<8x13x32xf32>
  %n = train.exponential %p : (tensor<8x13x32xf32>) -> tensor<8x13x32xf32>
  %r = train.dot_general %n, %e {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 2>, rhs_contracting = array<i64: 0>} : (tensor<8x13x32xf32>, tensor<32x64xf32>) -> tensor<8x13x64xf32>
  %l = train.reduce %r {dims = array<i64: 0, 1, 2>, kind = #train<reduce_kind add>} : (tensor<8x13x64xf32>) -> tensor<f32>
  return %l : tensor<f32>
}
