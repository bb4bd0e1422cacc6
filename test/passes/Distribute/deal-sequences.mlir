// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --split-input-file --zcc-deal-sequences --zcc-assign-regions --zcc-verify-partitioned | FileCheck %s

// The rows between a scatter and a gather are dealt in four blocks. Values that are cut by the device's place are cut as they are dealt,
// positions are computed so, and sums over rows stay as they are. A column of state is brought into their order, and its gradient back into
// that of state.
dist.mesh @mesh [#dist.axis<"tensor" = 2>]
// CHECK-LABEL: func.func @step
// CHECK-SAME: %[[X:arg[0-9]+]]: tensor<1x16x32xf32>
// CHECK: %[[BLOCKS:.*]] = train.reshape %[[X]] {{.*}}[{}, {}, {}, {}], partial = add {"tensor"}>{{.*}} -> tensor<1x4x4x32xf32>
// CHECK: %[[OWN:.*]] = dist.reduce_scatter %[[BLOCKS]] {{.*}}dim = 2 : i64{{.*}}[{}, {}, {"tensor"}, {}]>{{.*}} -> tensor<1x4x2x32xf32>
// CHECK: %[[ROWS:.*]] = train.reshape %[[OWN]] {{.*}} -> tensor<1x8x32xf32>
// CHECK: %[[PLACES:.*]] = train.iota {dim = 1 : i64{{.*}} -> tensor<1x16x32xf32>
// CHECK: %[[SPLIT:.*]] = train.reshape %[[PLACES]] {{.*}} -> tensor<1x4x2x2x32xf32>
// CHECK: %[[DEVICE:.*]] = dist.coordinate ["tensor"]
// CHECK: %[[CUT:.*]] = train.dynamic_slice %[[SPLIT]], %{{.*}}, %{{.*}}, %[[DEVICE]], %{{.*}}, %{{.*}} {{.*}}sizes = array<i64: 1, 4, 1, 2, 32>
// CHECK: %[[OWNPLACES:.*]] = train.reshape %[[CUT]] {{.*}} -> tensor<1x8x32xf32>
// CHECK: train.add %[[ROWS]], %[[OWNPLACES]]
// CHECK: train.reshape %arg1 {{.*}} -> tensor<1x4x2x2x32xf32>
// CHECK: train.dynamic_slice
// CHECK: dist.all_gather %arg2 {{.*}}dim = 0 : i64{{.*}}[{}]>]{{.*}}why = "the sequence is dealt to devices, which these rows are not"{{.*}} -> tensor<16xf32>
// CHECK: train.reshape {{.*}} -> tensor<4x2x2xf32>
// CHECK: train.reduce %{{.*}} -> tensor<32xf32>
// CHECK: train.reshape {{.*}} -> tensor<1x4x2x32xf32>
// CHECK: dist.all_gather {{.*}}dim = 2 : i64{{.*}} -> tensor<1x4x4x32xf32>
// CHECK: %[[WHOLE:.*]] = train.reshape {{.*}} -> tensor<1x16x32xf32>
// CHECK: %[[COLUMN:.*]] = train.reduce {{.*}} -> tensor<8xf32>
// CHECK: train.reshape %[[COLUMN]] {{.*}} -> tensor<4x2xf32>
// CHECK: dist.all_gather {{.*}}dim = 1 : i64{{.*}} -> tensor<4x4xf32>
// CHECK: train.reshape {{.*}} -> tensor<16xf32>
// CHECK: train.reshape {{.*}} -> tensor<2x8xf32>
// CHECK: dist.coordinate ["tensor"]
// CHECK: %[[STATE:.*]] = train.reshape {{.*}} -> tensor<8xf32>
// CHECK: return %[[WHOLE]], %{{.*}}, %[[STATE]]
func.func @step(%x: tensor<1x16x32xf32> {dist.global = tensor<1x16x32xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {}, {}], partial = add {"tensor"}>},
                %all: tensor<1x16x32xf32> {dist.global = tensor<1x16x32xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {}, {}]>},
                %state: tensor<8xf32> {dist.global = tensor<16xf32>, dist.sharding = #dist.sharding<@mesh, [{"tensor"}]>})
    -> (tensor<1x16x32xf32>, tensor<32xf32>, tensor<8xf32>) {
  %zero = train.constant dense<0> : tensor<i32>
  %eight = train.constant dense<8> : tensor<i32>
  %device = dist.coordinate ["tensor"] : tensor<i32>
  %origin = train.multiply %device, %eight : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %rows = dist.reduce_scatter %x {axes = ["tensor"], dim = 1 : i64, reduction = "add", what = "activation", value = "", why = "", dist.shardings = [#dist.sharding<@mesh, [{}, {"tensor"}, {}]>]} : (tensor<1x16x32xf32>) -> tensor<1x8x32xf32>
  %places = train.iota %origin {dim = 1 : i64} : (tensor<i32>) -> tensor<1x8x32xf32>
  %a = train.add %rows, %places : (tensor<1x8x32xf32>, tensor<1x8x32xf32>) -> tensor<1x8x32xf32>
  %cut = train.dynamic_slice %all, %zero, %origin, %zero {sizes = array<i64: 1, 8, 32>} : (tensor<1x16x32xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x32xf32>
  %b = train.add %a, %cut : (tensor<1x8x32xf32>, tensor<1x8x32xf32>) -> tensor<1x8x32xf32>
  %column = train.broadcast_in_dim %state {dims = array<i64: 1>} : (tensor<8xf32>) -> tensor<1x8x32xf32>
  %c = train.multiply %b, %column {dist.shardings = [#dist.sharding<@mesh, [{}, {"tensor"}, {}]>]} : (tensor<1x8x32xf32>, tensor<1x8x32xf32>) -> tensor<1x8x32xf32>
  %sum = train.reduce %c {dims = array<i64: 0, 1>, kind = #train<reduce_kind add>} : (tensor<1x8x32xf32>) -> tensor<32xf32>
  %whole = dist.all_gather %c {axes = ["tensor"], dim = 1 : i64, what = "activation", value = "", why = "", dist.shardings = [#dist.sharding<@mesh, [{}, {}, {}]>]} : (tensor<1x8x32xf32>) -> tensor<1x16x32xf32>
  %own = train.reduce %c {dims = array<i64: 0, 2>, kind = #train<reduce_kind add>, dist.shardings = [#dist.sharding<@mesh, [{"tensor"}]>]} : (tensor<1x8x32xf32>) -> tensor<8xf32>
  return %whole, %sum, %own : tensor<1x16x32xf32>, tensor<32xf32>, tensor<8xf32>
}

// -----

// State that is as large as what is gathered stays in its order, and so does the sequence.
dist.mesh @mesh [#dist.axis<"tensor" = 2>]
// CHECK-LABEL: func.func @step
// CHECK-NOT: train.reshape
// CHECK: return
func.func @step(%state: tensor<1x8x32xf32> {dist.global = tensor<1x16x32xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"tensor"}, {}]>}) -> tensor<1x16x32xf32> {
  %a = train.tanh %state {dist.shardings = [#dist.sharding<@mesh, [{}, {"tensor"}, {}]>]} : (tensor<1x8x32xf32>) -> tensor<1x8x32xf32>
  %whole = dist.all_gather %a {axes = ["tensor"], dim = 1 : i64, what = "activation", value = "", why = "", dist.shardings = [#dist.sharding<@mesh, [{}, {}, {}]>]} : (tensor<1x8x32xf32>) -> tensor<1x16x32xf32>
  return %whole : tensor<1x16x32xf32>
}

// -----

// Two rows of a batch are parts already, and 7 rows of a device have no equal blocks.
dist.mesh @mesh [#dist.axis<"tensor" = 2>]
// CHECK-LABEL: func.func @step
// CHECK-NOT: train.reshape
// CHECK: return
func.func @step(%x: tensor<2x16x32xf32> {dist.global = tensor<2x16x32xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {}, {}], partial = add {"tensor"}>},
                %y: tensor<1x14x32xf32> {dist.global = tensor<1x14x32xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {}, {}], partial = add {"tensor"}>})
    -> (tensor<2x16x32xf32>, tensor<1x14x32xf32>) {
  %rows = dist.reduce_scatter %x {axes = ["tensor"], dim = 1 : i64, reduction = "add", what = "activation", value = "", why = "", dist.shardings = [#dist.sharding<@mesh, [{}, {"tensor"}, {}]>]} : (tensor<2x16x32xf32>) -> tensor<2x8x32xf32>
  %whole = dist.all_gather %rows {axes = ["tensor"], dim = 1 : i64, what = "activation", value = "", why = "", dist.shardings = [#dist.sharding<@mesh, [{}, {}, {}]>]} : (tensor<2x8x32xf32>) -> tensor<2x16x32xf32>
  %odd = dist.reduce_scatter %y {axes = ["tensor"], dim = 1 : i64, reduction = "add", what = "activation", value = "", why = "", dist.shardings = [#dist.sharding<@mesh, [{}, {"tensor"}, {}]>]} : (tensor<1x14x32xf32>) -> tensor<1x7x32xf32>
  %all = dist.all_gather %odd {axes = ["tensor"], dim = 1 : i64, what = "activation", value = "", why = "", dist.shardings = [#dist.sharding<@mesh, [{}, {}, {}]>]} : (tensor<1x7x32xf32>) -> tensor<1x14x32xf32>
  return %whole, %all : tensor<2x16x32xf32>, tensor<1x14x32xf32>
}

// -----

// Attention under a causal mask needs its queries in the order of places: too much would be moved for it. Without a mask they may stand in any.
dist.mesh @mesh [#dist.axis<"tensor" = 2>]
// CHECK-LABEL: func.func @step
// CHECK-NOT: train.reshape
// CHECK: return
func.func @step(%x: tensor<1x16x2x4xf32> {dist.global = tensor<1x16x2x4xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {}, {}, {}], partial = add {"tensor"}>},
                %k: tensor<1x16x2x4xf32> {dist.global = tensor<1x16x2x4xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {}, {}, {}]>}) -> tensor<1x8x2x4xf32> {
  %q = dist.reduce_scatter %x {axes = ["tensor"], dim = 1 : i64, reduction = "add", what = "activation", value = "", why = "", dist.shardings = [#dist.sharding<@mesh, [{}, {"tensor"}, {}, {}]>]} : (tensor<1x16x2x4xf32>) -> tensor<1x8x2x4xf32>
  %o, %l = train.attention %q, %k, %k {scale = 0.5 : f64, fill = -1.0e30 : f64, after = 0 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0>} : (tensor<1x8x2x4xf32>, tensor<1x16x2x4xf32>, tensor<1x16x2x4xf32>) -> (tensor<1x8x2x4xf32>, tensor<1x8x2xf32>)
  return %o : tensor<1x8x2x4xf32>
}
