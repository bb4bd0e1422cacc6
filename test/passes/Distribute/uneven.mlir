// Dims that do not divide: padded at their end, and masked where the padding would count.
// RUN: zcc-opt %s --zcc-shard-step="zero=0" --zcc-verify-sharded -o %t && FileCheck %s --check-prefix=SHARDED --input-file=%t
// RUN: zcc-opt %t --zcc-partition --zcc-assign-regions --zcc-verify-partitioned | FileCheck %s

dist.mesh @mesh [#dist.axis<"data" = 3>]
// SHARDED: zcc.waste = [{axes = ["data"], bytes = {{[0-9]+}} : i64, dim = 0 : i64, extent = 7 : i64, padded = 9 : i64, value = "x"}]
// SHARDED: [{"data"}, {}], padded = [9, 4]>, zcc.input = "x"
// CHECK-LABEL: func.func @step
// CHECK-SAME: tensor<3x4xf32> {dist.global = tensor<7x4xf32>
func.func @step(%x: tensor<7x4xf32> {zcc.kind = "input", zcc.input = "x"}) -> (tensor<28xf32> {zcc.kind = "output"}, tensor<4xf32> {zcc.kind = "output"}) {
  // CHECK-NOT: train.select
  // CHECK: %[[E:.*]] = train.exponential %arg0 {{.*}}tensor<3x4xf32>
  %e = train.exponential %x : (tensor<7x4xf32>) -> tensor<7x4xf32>
  // A reshape keeps whole rows together: 28 elements are padded to 36, not 30.
  // SHARDED: train.reshape {{.*}}padded = [36]
  // CHECK: %[[F:.*]] = train.reshape %[[E]] {{.*}} -> tensor<12xf32>
  // Gathering removes the padding.
  // CHECK: dist.{{.*}} -> tensor<28xf32>
  %f = train.reshape %e : (tensor<7x4xf32>) -> tensor<28xf32>
  // Before a reduction padding becomes what changes nothing.
  // CHECK-DAG: %[[INSIDE:.*]] = train.compare {{.*}}direction = #train<compare_direction LT>
  // CHECK-DAG: %[[LOWEST:.*]] = train.constant {{.*}}dense<0xFF800000>
  // CHECK: %[[M:.*]] = train.select {{.*}}, %[[E]], %[[LOWEST]]
  // CHECK: train.reduce %[[M]]
  %m = train.reduce %e {dims = array<i64: 0>, kind = #train<reduce_kind maximum>} : (tensor<7x4xf32>) -> tensor<4xf32>
  return %f, %m : tensor<28xf32>, tensor<4xf32>
}
