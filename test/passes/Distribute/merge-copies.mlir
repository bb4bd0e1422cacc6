// Copies that live in one place become one; those that are sharded otherwise, or of another part of the step, stay.
// RUN: zcc-opt %s --zcc-merge-copies | FileCheck %s

dist.mesh @mesh [#dist.axis<"data" = 2>]
// CHECK-LABEL: func.func @step
// CHECK: %[[A:.*]] = train.broadcast_in_dim {{.*}}[{"data"}]
// CHECK-NEXT: %[[B:.*]] = train.broadcast_in_dim {{.*}}[{}]
// CHECK-NEXT: %[[C:.*]] = train.broadcast_in_dim {{.*}}[{"data"}]{{.*}}backward
// CHECK-NEXT: %[[N:.*]] = train.negate %[[A]]
// CHECK-NEXT: return %[[N]], %[[B]], %[[N]], %[[C]]
func.func @step(%x: tensor<f32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %a = train.broadcast_in_dim %x {dims = array<i64>, train.tag = "forward", dist.shardings = [#dist.sharding<@mesh, [{"data"}]>]} : (tensor<f32>) -> tensor<8xf32>
  %b = train.broadcast_in_dim %x {dims = array<i64>, train.tag = "forward", dist.shardings = [#dist.sharding<@mesh, [{}]>]} : (tensor<f32>) -> tensor<8xf32>
  %c = train.broadcast_in_dim %x {dims = array<i64>, train.tag = "backward", dist.shardings = [#dist.sharding<@mesh, [{"data"}]>]} : (tensor<f32>) -> tensor<8xf32>
  %d = train.broadcast_in_dim %x {dims = array<i64>, train.tag = "forward", dist.shardings = [#dist.sharding<@mesh, [{"data"}]>]} : (tensor<f32>) -> tensor<8xf32>
  %e = train.negate %a {dist.shardings = [#dist.sharding<@mesh, [{"data"}]>]} : (tensor<8xf32>) -> tensor<8xf32>
  %f = train.negate %d {dist.shardings = [#dist.sharding<@mesh, [{"data"}]>]} : (tensor<8xf32>) -> tensor<8xf32>
  return %e, %b, %f, %c : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
