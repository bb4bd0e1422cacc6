// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --zcc-verify-sharded --zcc-partition | FileCheck %s

#columns = #dist.sharding<@mesh, [{}, {"x"}]>
#rows = #dist.sharding<@mesh, [{"x"}, {}]>
#whole = #dist.sharding<@mesh, [{}, {}]>
#scalar = #dist.sharding<@mesh, []>
dist.mesh @mesh [#dist.axis<"x" = 4>]

// Each device looks through its shard; who has the maximum of all gives its index, the others one beyond all.
// CHECK-LABEL: @argmax
// CHECK-DAG: %[[OWN:.*]] = train.reduce %arg0 {{.*}}maximum{{.*}} -> tensor<2xf32>
// CHECK-DAG: %[[ALL:.*]] = dist.all_reduce %[[OWN]] {axes = ["x"]{{.*}}reduction = "maximum", {{.*}}why = "train.arg_reduce needs the maximum of all devices in dim 1 to know whose it is"
// CHECK-DAG: %[[BEST:.*]] = train.compare %[[OWN]], %[[ALL]] {direction = #train<compare_direction EQ>}
// CHECK-DAG: %[[NAN:.*]] = train.compare %[[OWN]], %[[OWN]] {direction = #train<compare_direction NE>}
// CHECK: %[[MINE:.*]] = train.or %[[BEST]], %[[NAN]]
// CHECK: %[[INDEX:.*]] = train.arg_reduce %arg0 {{.*}} : (tensor<2x4xf32>) -> tensor<2xi32>
// CHECK: %[[PLACE:.*]] = train.add %[[INDEX]],
// CHECK: %[[NONE:.*]] = train.constant dense<16> : tensor<2xi32>
// CHECK: train.select %[[MINE]], %[[PLACE]], %[[NONE]]
// CHECK: dist.all_reduce {{.*}}reduction = "minimum"
func.func @argmax(%a: tensor<2x16xf32> {dist.sharding = #columns}) {
  %0 = train.arg_reduce %a {dim = 1 : i64, kind = #train<reduce_kind maximum>, dist.shardings = [#dist.sharding<@mesh, [{}], partial = minimum {"x"}>]} : (tensor<2x16xf32>) -> tensor<2xi32>
  %1 = dist.reshard %0 {from = #dist.sharding<@mesh, [{}], partial = minimum {"x"}>, to = #dist.sharding<@mesh, [{}]>, dist.shardings = [#dist.sharding<@mesh, [{}]>]} : tensor<2xi32>
  return
}

// Two of the shard's elements are moved among zeros; nothing is exchanged but the slice.
// CHECK-LABEL: @slice
// CHECK-NOT: all_gather
// CHECK: %[[WINDOW:.*]] = train.dynamic_slice %arg0, {{.*}}sizes = array<i64: 2, 2>{{.*}} : (tensor<2x4xf32>
// CHECK: %[[WIDE:.*]] = train.pad %[[WINDOW]], {{.*}}high = array<i64: 0, 2>, {{.*}}low = array<i64: 0, 2>{{.*}} -> tensor<2x6xf32>
// CHECK: %[[PART:.*]] = train.dynamic_slice %[[WIDE]], {{.*}} -> tensor<2x2xf32>
// CHECK: dist.all_reduce %[[PART]] {{.*}}reduction = "add"
func.func @slice(%a: tensor<2x16xf32> {dist.sharding = #columns}, %i: tensor<i32> {dist.sharding = #scalar}, %j: tensor<i32> {dist.sharding = #scalar}) {
  %0 = train.dynamic_slice %a, %i, %j {sizes = array<i64: 2, 2>, dist.shardings = [#dist.sharding<@mesh, [{}, {}], partial = add {"x"}>]} : (tensor<2x16xf32>, tensor<i32>, tensor<i32>) -> tensor<2x2xf32>
  %1 = dist.reshard %0 {from = #dist.sharding<@mesh, [{}, {}], partial = add {"x"}>, to = #whole, dist.shardings = [#whole]} : tensor<2x2xf32>
  return
}

// Along another dim than the one that is split nothing is exchanged at all.
// CHECK-LABEL: @beside
// CHECK-NOT: dist.all
// CHECK: train.dynamic_slice %arg0, %arg1, %arg2 {{.*}}sizes = array<i64: 1, 2>{{.*}} : (tensor<1x16xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
// CHECK-NEXT: return
func.func @beside(%a: tensor<4x16xf32> {dist.sharding = #rows}, %i: tensor<i32> {dist.sharding = #scalar}, %j: tensor<i32> {dist.sharding = #scalar}) {
  %0 = train.dynamic_slice %a, %i, %j {sizes = array<i64: 4, 2>, dist.shardings = [#rows]} : (tensor<4x16xf32>, tensor<i32>, tensor<i32>) -> tensor<4x2xf32>
  return
}

// An update changes what falls onto the shard, and stays where it is.
// CHECK-LABEL: @update
// CHECK-NOT: dist.all
// CHECK: %[[OLD:.*]] = train.dynamic_slice %arg0, {{.*}} -> tensor<2x2xf32>
// CHECK: %[[WIDE:.*]] = train.pad %arg1, {{.*}} -> tensor<2x6xf32>
// CHECK: %[[NEW:.*]] = train.dynamic_slice %[[WIDE]]
// CHECK: %[[BOTH:.*]] = train.select %{{.*}}, %[[NEW]], %[[OLD]]
// CHECK: train.dynamic_update_slice %arg0, %[[BOTH]], {{.*}} -> tensor<2x4xf32>
func.func @update(%a: tensor<2x16xf32> {dist.sharding = #columns}, %u: tensor<2x2xf32> {dist.sharding = #whole}, %i: tensor<i32> {dist.sharding = #scalar}, %j: tensor<i32> {dist.sharding = #scalar}) {
  %0 = train.dynamic_update_slice %a, %u, %i, %j {dist.shardings = [#columns]} : (tensor<2x16xf32>, tensor<2x2xf32>, tensor<i32>, tensor<i32>) -> tensor<2x16xf32>
  return
}

// Parts of an update into zeros are parts of a sum.
// CHECK-LABEL: @part
// CHECK: train.dynamic_update_slice %{{.*}}, %arg0, %{{.*}} : (tensor<2x16xf32>, tensor<2x1xf32>, {{.*}} -> tensor<2x16xf32>
func.func @part(%u: tensor<2x4xf32> {dist.sharding = #columns}, %i: tensor<i32> {dist.sharding = #scalar}, %j: tensor<i32> {dist.sharding = #scalar}) {
  %z = train.constant {dist.shardings = [#whole]} dense<0.0> : tensor<2x16xf32>
  %0 = train.dynamic_update_slice %z, %u, %i, %j {dist.shardings = [#dist.sharding<@mesh, [{}, {}], partial = add {"x"}>]} : (tensor<2x16xf32>, tensor<2x4xf32>, tensor<i32>, tensor<i32>) -> tensor<2x16xf32>
  return
}
