// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --split-input-file --zcc-deal-exchanges --zcc-assign-regions --zcc-verify-partitioned | FileCheck %s

// A device has one group of tokens, so the places of an expert are dealt, in four blocks. All that lies between stays as it is.
dist.mesh @mesh [#dist.axis<"expert" = 2>]
// CHECK-LABEL: func.func @step
// CHECK-SAME: %[[X:arg[0-9]+]]: tensor<1x2x8x32xf32>
// CHECK: %[[BLOCKS:.*]] = train.reshape %[[X]] {{.*}}[{}, {}, {}, {"expert"}, {}]>{{.*}} -> tensor<1x2x4x2x32xf32>
// CHECK: %[[IN:.*]] = dist.all_to_all %[[BLOCKS]] {{.*}}concat_dim = 3 : i64{{.*}}[{}, {"expert"}, {}, {}, {}]>{{.*}}split_dim = 1 : i64{{.*}} -> tensor<1x1x4x4x32xf32>
// CHECK: %[[ROWS:.*]] = train.reshape %[[IN]] {{.*}}[{}, {"expert"}, {}, {}]>{{.*}} -> tensor<2x1x8x32xf32>
// CHECK: %[[H:.*]] = train.dot_general %[[ROWS]], %arg1
// CHECK: %[[Y:.*]] = train.dot_general %{{.*}}, %arg2
// CHECK: train.dot_general %[[ROWS]], %[[H]]
// CHECK: %[[OUT:.*]] = train.reshape %[[Y]] {{.*}}[{"expert"}, {}, {}, {}, {}]>{{.*}} -> tensor<1x1x4x4x32xf32>
// CHECK: %[[BACK:.*]] = dist.all_to_all %[[OUT]] {{.*}}concat_dim = 0 : i64{{.*}}[{}, {}, {}, {"expert"}, {}]>{{.*}}split_dim = 3 : i64{{.*}} -> tensor<2x1x4x2x32xf32>
// CHECK: train.reshape %[[BACK]] {{.*}}[{}, {"expert"}, {}, {}]>{{.*}} -> tensor<2x1x8x32xf32>
func.func @step(%x: tensor<1x2x8x32xf32> {dist.global = tensor<2x2x8x32xf32>, dist.sharding = #dist.sharding<@mesh, [{"expert"}, {}, {}, {}]>},
                %wi: tensor<1x32x64xf32> {dist.global = tensor<2x32x64xf32>, dist.sharding = #dist.sharding<@mesh, [{"expert"}, {}, {}]>},
                %wo: tensor<1x64x32xf32> {dist.global = tensor<2x64x32xf32>, dist.sharding = #dist.sharding<@mesh, [{"expert"}, {}, {}]>})
    -> (tensor<2x1x8x32xf32>, tensor<1x32x64xf32>) {
  %rows = dist.all_to_all %x {axes = ["expert"], split_dim = 1 : i64, concat_dim = 0 : i64, what = "activation", value = "", why = "", dist.shardings = [#dist.sharding<@mesh, [{}, {"expert"}, {}, {}]>]} : (tensor<1x2x8x32xf32>) -> tensor<2x1x8x32xf32>
  %h = train.dot_general %rows, %wi {lhs_batching = array<i64: 1>, rhs_batching = array<i64: 0>, lhs_contracting = array<i64: 3>, rhs_contracting = array<i64: 1>} : (tensor<2x1x8x32xf32>, tensor<1x32x64xf32>) -> tensor<1x2x8x64xf32>
  %a = train.tanh %h : (tensor<1x2x8x64xf32>) -> tensor<1x2x8x64xf32>
  %y = train.dot_general %a, %wo {lhs_batching = array<i64: 0>, rhs_batching = array<i64: 0>, lhs_contracting = array<i64: 3>, rhs_contracting = array<i64: 1>, dist.shardings = [#dist.sharding<@mesh, [{"expert"}, {}, {}, {}]>]} : (tensor<1x2x8x64xf32>, tensor<1x64x32xf32>) -> tensor<1x2x8x32xf32>
  %g = train.dot_general %rows, %h {lhs_batching = array<i64: 1>, rhs_batching = array<i64: 0>, lhs_contracting = array<i64: 0, 2>, rhs_contracting = array<i64: 1, 2>} : (tensor<2x1x8x32xf32>, tensor<1x2x8x64xf32>) -> tensor<1x32x64xf32>
  %back = dist.all_to_all %y {axes = ["expert"], split_dim = 1 : i64, concat_dim = 0 : i64, what = "activation", value = "", why = "", dist.shardings = [#dist.sharding<@mesh, [{}, {"expert"}, {}, {}]>]} : (tensor<1x2x8x32xf32>) -> tensor<2x1x8x32xf32>
  return %back, %g : tensor<2x1x8x32xf32>, tensor<1x32x64xf32>
}

// -----

// A device has four groups of tokens, so groups are dealt; exchanges have contiguous parts on both sides.
dist.mesh @mesh [#dist.axis<"expert" = 2>]
// CHECK-LABEL: func.func @step
// CHECK-SAME: %[[X:arg[0-9]+]]: tensor<4x2x8xf32>
// CHECK: %[[BLOCKS:.*]] = train.reshape %[[X]] {{.*}}[{}, {"expert"}, {}, {}]>{{.*}} -> tensor<4x1x2x8xf32>
// CHECK: %[[IN:.*]] = dist.all_to_all %[[BLOCKS]] {{.*}}concat_dim = 1 : i64{{.*}}[{}, {}, {"expert"}, {}]>{{.*}}split_dim = 2 : i64{{.*}} -> tensor<4x2x1x8xf32>
// CHECK: %[[ROWS:.*]] = train.reshape %[[IN]] {{.*}} -> tensor<8x1x8xf32>
// CHECK: %[[Y:.*]] = train.tanh %[[ROWS]]
// CHECK: %[[OUT:.*]] = train.reshape %[[Y]] {{.*}} -> tensor<4x2x1x8xf32>
// CHECK: %[[BACK:.*]] = dist.all_to_all %[[OUT]] {{.*}}concat_dim = 2 : i64{{.*}}split_dim = 1 : i64{{.*}} -> tensor<4x1x2x8xf32>
// CHECK: train.reshape %[[BACK]] {{.*}} -> tensor<4x2x8xf32>
func.func @step(%x: tensor<4x2x8xf32> {dist.global = tensor<8x2x8xf32>, dist.sharding = #dist.sharding<@mesh, [{"expert"}, {}, {}]>}) -> tensor<4x2x8xf32> {
  %rows = dist.all_to_all %x {axes = ["expert"], split_dim = 1 : i64, concat_dim = 0 : i64, what = "activation", value = "", why = "", dist.shardings = [#dist.sharding<@mesh, [{}, {"expert"}, {}]>]} : (tensor<4x2x8xf32>) -> tensor<8x1x8xf32>
  %y = train.tanh %rows {dist.shardings = [#dist.sharding<@mesh, [{}, {"expert"}, {}]>]} : (tensor<8x1x8xf32>) -> tensor<8x1x8xf32>
  %back = dist.all_to_all %y {axes = ["expert"], split_dim = 0 : i64, concat_dim = 1 : i64, what = "activation", value = "", why = "", dist.shardings = [#dist.sharding<@mesh, [{"expert"}, {}, {}]>]} : (tensor<8x1x8xf32>) -> tensor<4x2x8xf32>
  return %back : tensor<4x2x8xf32>
}

// -----

// What is between knows the places of rows, so they stay in one piece: positions here.
dist.mesh @mesh [#dist.axis<"expert" = 2>]
// CHECK-LABEL: func.func @step
// CHECK-NOT: train.reshape
func.func @step(%x: tensor<4x2x8xf32> {dist.global = tensor<8x2x8xf32>, dist.sharding = #dist.sharding<@mesh, [{"expert"}, {}, {}]>}) -> tensor<4x2x8xf32> {
  %rows = dist.all_to_all %x {axes = ["expert"], split_dim = 1 : i64, concat_dim = 0 : i64, what = "activation", value = "", why = "", dist.shardings = [#dist.sharding<@mesh, [{}, {"expert"}, {}]>]} : (tensor<4x2x8xf32>) -> tensor<8x1x8xf32>
  %places = train.iota {dim = 0 : i64} : () -> tensor<8x1x8xf32>
  %y = train.add %rows, %places {dist.shardings = [#dist.sharding<@mesh, [{}, {"expert"}, {}]>]} : (tensor<8x1x8xf32>, tensor<8x1x8xf32>) -> tensor<8x1x8xf32>
  %back = dist.all_to_all %y {axes = ["expert"], split_dim = 0 : i64, concat_dim = 1 : i64, what = "activation", value = "", why = "", dist.shardings = [#dist.sharding<@mesh, [{"expert"}, {}, {}]>]} : (tensor<8x1x8xf32>) -> tensor<4x2x8xf32>
  return %back : tensor<4x2x8xf32>
}

// -----

// Rows that leave the step as they are, too.
dist.mesh @mesh [#dist.axis<"expert" = 2>]
// CHECK-LABEL: func.func @step
// CHECK-NOT: train.reshape
func.func @step(%x: tensor<4x2x8xf32> {dist.global = tensor<8x2x8xf32>, dist.sharding = #dist.sharding<@mesh, [{"expert"}, {}, {}]>}) -> tensor<8x1x8xf32> {
  %rows = dist.all_to_all %x {axes = ["expert"], split_dim = 1 : i64, concat_dim = 0 : i64, what = "activation", value = "", why = "", dist.shardings = [#dist.sharding<@mesh, [{}, {"expert"}, {}]>]} : (tensor<4x2x8xf32>) -> tensor<8x1x8xf32>
  return %rows : tensor<8x1x8xf32>
}

// -----

// A sum over the places of an expert alone leaves groups without them, so a row of both has no name any more.
dist.mesh @mesh [#dist.axis<"expert" = 2>]
// CHECK-LABEL: func.func @step
// CHECK-NOT: train.reshape
func.func @step(%x: tensor<1x2x8x32xf32> {dist.global = tensor<2x2x8x32xf32>, dist.sharding = #dist.sharding<@mesh, [{"expert"}, {}, {}, {}]>}) -> tensor<1x2x32xf32> {
  %rows = dist.all_to_all %x {axes = ["expert"], split_dim = 1 : i64, concat_dim = 0 : i64, what = "activation", value = "", why = "", dist.shardings = [#dist.sharding<@mesh, [{}, {"expert"}, {}, {}]>]} : (tensor<1x2x8x32xf32>) -> tensor<2x1x8x32xf32>
  %sum = train.reduce %rows {dims = array<i64: 2>, kind = #train<reduce_kind add>, dist.shardings = [#dist.sharding<@mesh, [{}, {"expert"}, {}]>]} : (tensor<2x1x8x32xf32>) -> tensor<2x1x32xf32>
  %back = dist.all_to_all %sum {axes = ["expert"], split_dim = 0 : i64, concat_dim = 1 : i64, what = "activation", value = "", why = "", dist.shardings = [#dist.sharding<@mesh, [{"expert"}, {}, {}]>]} : (tensor<2x1x32xf32>) -> tensor<1x2x32xf32>
  return %back : tensor<1x2x32xf32>
}

// -----

// Both sides of the exchange have the same rows: what is added ties them. They stay as they are.
dist.mesh @mesh [#dist.axis<"expert" = 2>]
// CHECK-LABEL: func.func @step
// CHECK-NOT: train.reshape
func.func @step(%p: tensor<4x1x8xf32> {dist.global = tensor<4x2x8xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"expert"}, {}]>}) -> tensor<4x8xf32> {
  %x = train.tanh %p {dist.shardings = [#dist.sharding<@mesh, [{}, {"expert"}, {}]>]} : (tensor<4x1x8xf32>) -> tensor<4x1x8xf32>
  %rows = dist.all_to_all %x {axes = ["expert"], split_dim = 0 : i64, concat_dim = 1 : i64, what = "activation", value = "", why = "", dist.shardings = [#dist.sharding<@mesh, [{"expert"}, {}, {}]>]} : (tensor<4x1x8xf32>) -> tensor<2x2x8xf32>
  %back = dist.all_to_all %rows {axes = ["expert"], split_dim = 1 : i64, concat_dim = 0 : i64, what = "activation", value = "b", why = "", dist.shardings = [#dist.sharding<@mesh, [{}, {"expert"}, {}]>]} : (tensor<2x2x8xf32>) -> tensor<4x1x8xf32>
  %sum = train.add %x, %back : (tensor<4x1x8xf32>, tensor<4x1x8xf32>) -> tensor<4x1x8xf32>
  %out = train.reduce %sum {dims = array<i64: 1>, kind = #train<reduce_kind add>} : (tensor<4x1x8xf32>) -> tensor<4x8xf32>
  return %out : tensor<4x8xf32>
}
