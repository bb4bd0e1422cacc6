// RUN: zcc-opt %s --zcc-partition | FileCheck %s

#rows = #dist.sharding<@mesh, [{"data"}, {}]>
#columns = #dist.sharding<@mesh, [{}, {"data"}]>
#whole = #dist.sharding<@mesh, [{}, {}]>
dist.mesh @mesh [#dist.axis<"data" = 2>]

// Indices are global: an iota starts where the device's part does. A constant is sliced; a splat is only smaller.
// CHECK-LABEL: @sources
// CHECK: %[[EXTENT:.*]] = train.constant {{.*}}dense<2> : tensor<i32>
// CHECK: %[[C:.*]] = dist.coordinate ["data"]
// CHECK: %[[ORIGIN:.*]] = train.multiply %[[C]], %[[EXTENT]]
// CHECK: train.iota %[[ORIGIN]] {dim = 0 : i64{{.*}} -> tensor<2x2xi32>
// CHECK: train.iota {dim = 1 : i64{{.*}} -> tensor<2x2xi32>
// CHECK: %[[K:.*]] = train.constant {{.*}}tensor<4x2xi32>
// CHECK: train.dynamic_slice %[[K]], %[[ORIGIN]], %{{.*}} -> tensor<2x2xi32>
// CHECK: train.constant {{.*}}dense<7> : tensor<2x2xi32>
func.func @sources() {
  %0 = train.iota {dim = 0 : i64, dist.shardings = [#rows]} : () -> tensor<4x2xi32>
  %1 = train.iota {dim = 1 : i64, dist.shardings = [#rows]} : () -> tensor<4x2xi32>
  %2 = train.constant {dist.shardings = [#rows]} dense<[[1, 2], [3, 4], [5, 6], [7, 8]]> : tensor<4x2xi32>
  %3 = train.constant {dist.shardings = [#rows]} dense<7> : tensor<4x2xi32>
  %4 = train.add %0, %2 {dist.shardings = [#rows]} : (tensor<4x2xi32>, tensor<4x2xi32>) -> tensor<4x2xi32>
  return
}

// A slice takes sharded dims whole.
// CHECK-LABEL: @movement
// CHECK: train.slice {{.*}}limit = array<i64: 2, 3>
func.func @movement(%a: tensor<4x4xf32> {dist.sharding = #rows}) {
  %0 = train.slice %a {start = array<i64: 0, 1>, limit = array<i64: 4, 3>, stride = array<i64: 1, 1>, dist.shardings = [#rows]} : (tensor<4x4xf32>) -> tensor<4x2xf32>
  return
}

// CHECK-LABEL: @reshards
// CHECK: dist.all_gather %arg0 {{.*}}dim = 0{{.*}}what = "activation"{{.*}} : (tensor<2x4xf32>) -> tensor<4x4xf32>
// CHECK: dist.all_to_all %arg0 {{.*}}concat_dim = 0{{.*}}split_dim = 1{{.*}} : (tensor<2x4xf32>) -> tensor<4x2xf32>
// CHECK: train.dynamic_slice %arg1
// CHECK: dist.reduce_scatter %arg2 {{.*}}dim = 0{{.*}}reduction = "maximum"{{.*}} : (tensor<4x4xf32>) -> tensor<2x4xf32>
func.func @reshards(%a: tensor<4x4xf32> {dist.sharding = #rows}, %b: tensor<4x4xf32> {dist.sharding = #whole},
    %c: tensor<4x4xf32> {dist.sharding = #dist.sharding<@mesh, [{}, {}], partial = maximum {"data"}>}) {
  %0 = dist.reshard %a {from = #rows, to = #whole, dist.shardings = [#whole]} : tensor<4x4xf32>
  %1 = dist.reshard %a {from = #rows, to = #columns, dist.shardings = [#columns]} : tensor<4x4xf32>
  %2 = dist.reshard %b {from = #whole, to = #columns, dist.shardings = [#columns]} : tensor<4x4xf32>
  %3 = dist.reshard %c {from = #dist.sharding<@mesh, [{}, {}], partial = maximum {"data"}>, to = #rows, dist.shardings = [#rows]} : tensor<4x4xf32>
  return
}
