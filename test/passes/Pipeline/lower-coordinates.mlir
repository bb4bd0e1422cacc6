// RUN: zcc-opt %s --zcc-lower-coordinates | FileCheck %s

dist.mesh @mesh [#dist.axis<"data" = 2>, #dist.axis<"tensor" = 4>]
// The index in a group is row-major over its axes.
// CHECK-LABEL: func.func @f
// CHECK-SAME: (%[[A:.*]]: tensor<i32> {dist.value = "a"}, %[[C:.*]]: tensor<2xi32> {dist.coordinates})
// CHECK: %[[D:.*]] = train.slice %[[C]] {limit = array<i64: 1>, start = array<i64: 0>
// CHECK: %[[DATA:.*]] = train.reshape %[[D]]
// CHECK: %[[T:.*]] = train.slice %[[C]] {limit = array<i64: 2>, start = array<i64: 1>
// CHECK: %[[TENSOR:.*]] = train.reshape %[[T]]
// CHECK: %[[FOUR:.*]] = train.constant dense<4>
// CHECK: %[[MAJOR:.*]] = train.multiply %[[DATA]], %[[FOUR]]
// CHECK: %[[INDEX:.*]] = train.add %[[MAJOR]], %[[TENSOR]]
// CHECK: train.add %[[A]], %[[INDEX]]
func.func @f(%a: tensor<i32> {dist.value = "a"}) -> (tensor<i32> {dist.value = "b"}) attributes {dist.task = "forward", dist.stage = 0 : i64} {
  %0 = dist.coordinate ["data", "tensor"] : tensor<i32>
  %1 = train.add %a, %0 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  return %1 : tensor<i32>
}
// A task that asks for none gets none.
// CHECK-LABEL: func.func @g()
func.func @g() attributes {dist.task = "backward", dist.stage = 0 : i64} {
  return
}
