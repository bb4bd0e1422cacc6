// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --split-input-file --zcc-lay-out-exchanges --zcc-assign-regions --zcc-verify-partitioned | FileCheck %s

// A device has three experts. Their rows come one expert after the other, products read them so, and what leaves is in that order already.
dist.mesh @mesh [#dist.axis<"expert" = 2>]
// CHECK-LABEL: func.func @step
// CHECK-SAME: %[[X:arg[0-9]+]]: tensor<1x6x8x32xf32>
// CHECK: %[[VIEW:.*]] = train.reshape %[[X]] {{.*}}[{}, {}, {"expert"}, {}, {}]>{{.*}} -> tensor<2x3x1x8x32xf32>
// CHECK: %[[IN:.*]] = dist.all_to_all %[[VIEW]] {{.*}}concat_dim = 2 : i64{{.*}}[{"expert"}, {}, {}, {}, {}]>{{.*}}split_dim = 0 : i64{{.*}} -> tensor<1x3x2x8x32xf32>
// CHECK: %[[ROWS:.*]] = train.reshape %[[IN]] {{.*}}[{"expert"}, {}, {}, {}]>{{.*}} -> tensor<3x2x8x32xf32>
// CHECK: %[[Y:.*]] = train.dot_general %[[ROWS]], %arg1 {{.*}}lhs_batching = array<i64: 0>, lhs_contracting = array<i64: 3>
// CHECK: train.dot_general %[[ROWS]], %[[Y]] {{.*}}lhs_batching = array<i64: 0>, lhs_contracting = array<i64: 1, 2>
// CHECK-NOT: train.transpose
// CHECK: %[[OUT:.*]] = train.reshape %[[Y]] {{.*}}[{"expert"}, {}, {}, {}, {}]>{{.*}} -> tensor<1x3x2x8x32xf32>
// CHECK: %[[BACK:.*]] = dist.all_to_all %[[OUT]] {{.*}}concat_dim = 0 : i64{{.*}}[{}, {}, {"expert"}, {}, {}]>{{.*}}split_dim = 2 : i64{{.*}} -> tensor<2x3x1x8x32xf32>
// CHECK: train.reshape %[[BACK]] {{.*}}[{}, {"expert"}, {}, {}]>{{.*}} -> tensor<6x1x8x32xf32>
func.func @step(%x: tensor<1x6x8x32xf32> {dist.global = tensor<2x6x8x32xf32>, dist.sharding = #dist.sharding<@mesh, [{"expert"}, {}, {}, {}]>},
                %w: tensor<3x32x32xf32> {dist.global = tensor<6x32x32xf32>, dist.sharding = #dist.sharding<@mesh, [{"expert"}, {}, {}]>, zcc.parameter = "w"})
    -> (tensor<6x1x8x32xf32>, tensor<3x32x32xf32>) {
  %rows = dist.all_to_all %x {axes = ["expert"], split_dim = 1 : i64, concat_dim = 0 : i64, what = "activation", value = "", why = "", dist.shardings = [#dist.sharding<@mesh, [{}, {"expert"}, {}, {}]>]} : (tensor<1x6x8x32xf32>) -> tensor<2x3x8x32xf32>
  %y = train.dot_general %rows, %w {lhs_batching = array<i64: 1>, rhs_batching = array<i64: 0>, lhs_contracting = array<i64: 3>, rhs_contracting = array<i64: 1>, dist.shardings = [#dist.sharding<@mesh, [{"expert"}, {}, {}, {}]>]} : (tensor<2x3x8x32xf32>, tensor<3x32x32xf32>) -> tensor<3x2x8x32xf32>
  %g = train.dot_general %rows, %y {lhs_batching = array<i64: 1>, rhs_batching = array<i64: 0>, lhs_contracting = array<i64: 0, 2>, rhs_contracting = array<i64: 1, 2>} : (tensor<2x3x8x32xf32>, tensor<3x2x8x32xf32>) -> tensor<3x32x32xf32>
  %back = dist.all_to_all %y {axes = ["expert"], split_dim = 1 : i64, concat_dim = 0 : i64, what = "activation", value = "", why = "", dist.shardings = [#dist.sharding<@mesh, [{}, {"expert"}, {}, {}]>]} : (tensor<3x2x8x32xf32>) -> tensor<6x1x8x32xf32>
  return %back, %g : tensor<6x1x8x32xf32>, tensor<3x32x32xf32>
}

// -----

// What lies between has the rows of the devices in front: it is brought into this order behind the one exchange and in front of the other. So are
// the four groups of a device on the other side.
dist.mesh @mesh [#dist.axis<"expert" = 2>]
// CHECK-LABEL: func.func @step
// CHECK: %[[FIRST:.*]] = train.transpose %arg0 {{.*}}[{}, {"expert"}, {}]>{{.*}} -> tensor<6x4x8xf32>
// CHECK: train.reshape %[[FIRST]] {{.*}}[{}, {}, {"expert"}, {}]>{{.*}} -> tensor<2x3x4x8xf32>
// CHECK: dist.all_to_all {{.*}} -> tensor<1x3x8x8xf32>
// CHECK: %[[IN:.*]] = train.transpose %{{.*}} {{.*}}[{}, {"expert"}, {}]>{{.*}} -> tensor<8x3x8xf32>
// CHECK: %[[A:.*]] = train.tanh %[[IN]]
// CHECK: %[[Y:.*]] = train.dot_general %[[A]]
// CHECK: %[[OUT:.*]] = train.transpose %[[Y]] {{.*}}[{"expert"}, {}, {}]>{{.*}} -> tensor<3x8x8xf32>
// CHECK: train.reshape %[[OUT]] {{.*}} -> tensor<1x3x8x8xf32>
// CHECK: dist.all_to_all {{.*}} -> tensor<2x3x4x8xf32>
// CHECK: %[[BACK:.*]] = train.reshape {{.*}} -> tensor<6x4x8xf32>
// CHECK: train.transpose %[[BACK]] {{.*}}[{"expert"}, {}, {}]>{{.*}} -> tensor<4x6x8xf32>
func.func @step(%x: tensor<4x6x8xf32> {dist.global = tensor<8x6x8xf32>, dist.sharding = #dist.sharding<@mesh, [{"expert"}, {}, {}]>},
                %w: tensor<3x8x8xf32> {dist.global = tensor<6x8x8xf32>, dist.sharding = #dist.sharding<@mesh, [{"expert"}, {}, {}]>, zcc.parameter = "w"}) -> tensor<4x6x8xf32> {
  %rows = dist.all_to_all %x {axes = ["expert"], split_dim = 1 : i64, concat_dim = 0 : i64, what = "activation", value = "", why = "", dist.shardings = [#dist.sharding<@mesh, [{}, {"expert"}, {}]>]} : (tensor<4x6x8xf32>) -> tensor<8x3x8xf32>
  %a = train.tanh %rows : (tensor<8x3x8xf32>) -> tensor<8x3x8xf32>
  %each = train.broadcast_in_dim %w {dims = array<i64: 1, 2, 3>} : (tensor<3x8x8xf32>) -> tensor<8x3x8x8xf32>
  %y = train.dot_general %a, %each {lhs_batching = array<i64: 0, 1>, rhs_batching = array<i64: 0, 1>, lhs_contracting = array<i64: 2>, rhs_contracting = array<i64: 2>, dist.shardings = [#dist.sharding<@mesh, [{}, {"expert"}, {}]>]} : (tensor<8x3x8xf32>, tensor<8x3x8x8xf32>) -> tensor<8x3x8xf32>
  %back = dist.all_to_all %y {axes = ["expert"], split_dim = 0 : i64, concat_dim = 1 : i64, what = "activation", value = "", why = "", dist.shardings = [#dist.sharding<@mesh, [{"expert"}, {}, {}]>]} : (tensor<8x3x8xf32>) -> tensor<4x6x8xf32>
  return %back : tensor<4x6x8xf32>
}

// -----

// A swap that is there already, with a conversion behind it, is taken away.
dist.mesh @mesh [#dist.axis<"expert" = 2>]
// CHECK-LABEL: func.func @step
// CHECK: %[[Y:.*]] = train.dot_general
// CHECK-NEXT: %[[NARROW:.*]] = train.convert %[[Y]] {{.*}}[{"expert"}, {}, {}]>{{.*}} -> tensor<3x8x8xbf16>
// CHECK-NEXT: train.reshape %[[NARROW]] {{.*}} -> tensor<1x3x8x8xbf16>
func.func @step(%x: tensor<3x8x8xf32> {dist.global = tensor<6x8x8xf32>, dist.sharding = #dist.sharding<@mesh, [{"expert"}, {}, {}]>},
                %w: tensor<3x8x8xf32> {dist.global = tensor<6x8x8xf32>, dist.sharding = #dist.sharding<@mesh, [{"expert"}, {}, {}]>, zcc.parameter = "w"}) -> tensor<4x6x8xbf16> {
  %y = train.dot_general %x, %w {lhs_batching = array<i64: 0>, rhs_batching = array<i64: 0>, lhs_contracting = array<i64: 2>, rhs_contracting = array<i64: 1>} : (tensor<3x8x8xf32>, tensor<3x8x8xf32>) -> tensor<3x8x8xf32>
  %swapped = train.transpose %y {permutation = array<i64: 1, 0, 2>} : (tensor<3x8x8xf32>) -> tensor<8x3x8xf32>
  %narrow = train.convert %swapped {dist.shardings = [#dist.sharding<@mesh, [{}, {"expert"}, {}]>]} : (tensor<8x3x8xf32>) -> tensor<8x3x8xbf16>
  %back = dist.all_to_all %narrow {axes = ["expert"], split_dim = 0 : i64, concat_dim = 1 : i64, what = "activation", value = "", why = "", dist.shardings = [#dist.sharding<@mesh, [{"expert"}, {}, {}]>]} : (tensor<8x3x8xbf16>) -> tensor<4x6x8xbf16>
  return %back : tensor<4x6x8xbf16>
}

// -----

// A parameter that is gathered first tells the experts, too.
dist.mesh @mesh [#dist.axis<"expert" = 2>, #dist.axis<"data" = 3>]
// CHECK-LABEL: func.func @step
// CHECK: dist.all_to_all {{.*}} -> tensor<1x3x2x8xf32>
func.func @step(%x: tensor<1x6x8xf32> {dist.global = tensor<2x6x8xf32>, dist.sharding = #dist.sharding<@mesh, [{"expert"}, {}, {}]>},
                %w: tensor<1x8x8xf32> {dist.global = tensor<6x8x8xf32>, dist.sharding = #dist.sharding<@mesh, [{"expert", "data"}, {}, {}]>, zcc.parameter = "w"}) -> tensor<3x2x8xf32> {
  %whole = dist.all_gather %w {axes = ["data"], dim = 0 : i64, what = "parameter", value = "", why = "", dist.shardings = [#dist.sharding<@mesh, [{"expert"}, {}, {}]>]} : (tensor<1x8x8xf32>) -> tensor<3x8x8xf32>
  %rows = dist.all_to_all %x {axes = ["expert"], split_dim = 1 : i64, concat_dim = 0 : i64, what = "activation", value = "", why = "", dist.shardings = [#dist.sharding<@mesh, [{}, {"expert"}, {}]>]} : (tensor<1x6x8xf32>) -> tensor<2x3x8xf32>
  %y = train.dot_general %rows, %whole {lhs_batching = array<i64: 1>, rhs_batching = array<i64: 0>, lhs_contracting = array<i64: 2>, rhs_contracting = array<i64: 1>} : (tensor<2x3x8xf32>, tensor<3x8x8xf32>) -> tensor<3x2x8xf32>
  return %y : tensor<3x2x8xf32>
}

// -----

// With one expert a device there is nothing to lay out; nor where no parameter is a shard of that dim, nor where no product runs once for each.
dist.mesh @mesh [#dist.axis<"expert" = 2>]
// CHECK-LABEL: func.func @step
// CHECK-NOT: train.reshape
func.func @step(%x: tensor<1x2x8xf32> {dist.global = tensor<2x2x8xf32>, dist.sharding = #dist.sharding<@mesh, [{"expert"}, {}, {}]>},
                %y: tensor<1x4x8xf32> {dist.global = tensor<2x4x8xf32>, dist.sharding = #dist.sharding<@mesh, [{"expert"}, {}, {}]>},
                %w: tensor<1x8x8xf32> {dist.global = tensor<2x8x8xf32>, dist.sharding = #dist.sharding<@mesh, [{"expert"}, {}, {}]>, zcc.parameter = "w"},
                %v: tensor<2x8x8xf32> {dist.global = tensor<4x8x8xf32>, dist.sharding = #dist.sharding<@mesh, [{"expert"}, {}, {}]>},
                %s: tensor<2xf32> {dist.global = tensor<4xf32>, dist.sharding = #dist.sharding<@mesh, [{"expert"}]>, zcc.parameter = "s"})
    -> (tensor<1x2x8xf32>, tensor<2x2x8xf32>, tensor<2x2x8xf32>) {
  %one = dist.all_to_all %x {axes = ["expert"], split_dim = 1 : i64, concat_dim = 0 : i64, what = "activation", value = "", why = "", dist.shardings = [#dist.sharding<@mesh, [{}, {"expert"}, {}]>]} : (tensor<1x2x8xf32>) -> tensor<2x1x8xf32>
  %p = train.dot_general %one, %w {lhs_batching = array<i64: 1>, rhs_batching = array<i64: 0>, lhs_contracting = array<i64: 2>, rhs_contracting = array<i64: 1>} : (tensor<2x1x8xf32>, tensor<1x8x8xf32>) -> tensor<1x2x8xf32>
  %input = dist.all_to_all %y {axes = ["expert"], split_dim = 1 : i64, concat_dim = 0 : i64, what = "activation", value = "", why = "", dist.shardings = [#dist.sharding<@mesh, [{}, {"expert"}, {}]>]} : (tensor<1x4x8xf32>) -> tensor<2x2x8xf32>
  %q = train.dot_general %input, %v {lhs_batching = array<i64: 1>, rhs_batching = array<i64: 0>, lhs_contracting = array<i64: 2>, rhs_contracting = array<i64: 1>} : (tensor<2x2x8xf32>, tensor<2x8x8xf32>) -> tensor<2x2x8xf32>
  %scaled = dist.all_to_all %y {axes = ["expert"], split_dim = 1 : i64, concat_dim = 0 : i64, what = "activation", value = "s", why = "", dist.shardings = [#dist.sharding<@mesh, [{}, {"expert"}, {}]>]} : (tensor<1x4x8xf32>) -> tensor<2x2x8xf32>
  %scales = train.broadcast_in_dim %s {dims = array<i64: 1>} : (tensor<2xf32>) -> tensor<2x2x8xf32>
  %r = train.multiply %scaled, %scales : (tensor<2x2x8xf32>, tensor<2x2x8xf32>) -> tensor<2x2x8xf32>
  return %p, %q, %r : tensor<1x2x8xf32>, tensor<2x2x8xf32>, tensor<2x2x8xf32>
}
