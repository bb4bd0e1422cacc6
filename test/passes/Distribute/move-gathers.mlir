// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --zcc-move-gathers --zcc-verify-sharded | FileCheck %s

// Values move where they are smallest.
#whole = #dist.sharding<@mesh, [{}, {}]>
#rows = #dist.sharding<@mesh, [{"data"}, {}]>
#columns = #dist.sharding<@mesh, [{}, {"data"}]>
#row = #dist.sharding<@mesh, [{"data"}]>
#all = #dist.sharding<@mesh, [{}]>
#part = #dist.sharding<@mesh, [{}, {}], partial = add {"data"}>
dist.mesh @mesh [#dist.axis<"data" = 2>]

// A gather of truth values instead of numbers; the constant is remade.
// CHECK-LABEL: @compares
// CHECK-DAG: %[[ZERO:.+]] = train.constant {dist.shardings = [#dist.sharding<@mesh, [{"data"}, {}]>]} dense
// CHECK: %[[C:.+]] = train.compare %arg0, %[[ZERO]] {{.*}}dist.shardings = [#dist.sharding<@mesh, [{"data"}, {}]>]
// CHECK-NEXT: dist.reshard %[[C]] {{.*}} : tensor<4x4xi1>
// CHECK-NOT: dist.reshard
func.func @compares(%a: tensor<4x4xf32> {dist.sharding = #rows}) {
  %zero = train.constant {dist.shardings = [#whole]} dense<0.0> : tensor<4x4xf32>
  %0 = dist.reshard %a {from = #rows, to = #whole, dist.shardings = [#whole]} : tensor<4x4xf32>
  %1 = train.compare %0, %zero {direction = #train<compare_direction GT>, dist.shardings = [#whole]} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xi1>
  return
}

// The sum of two values is moved, not both.
// CHECK-LABEL: @adds
// CHECK: %[[S:.+]] = train.add %arg0, %arg1
// CHECK-NEXT: dist.reshard %[[S]]
// CHECK-NOT: dist.reshard
func.func @adds(%a: tensor<4x4xf32> {dist.sharding = #rows}, %b: tensor<4x4xf32> {dist.sharding = #rows}) {
  %0 = dist.reshard %a {from = #rows, to = #columns, dist.shardings = [#columns]} : tensor<4x4xf32>
  %1 = dist.reshard %b {from = #rows, to = #columns, dist.shardings = [#columns]} : tensor<4x4xf32>
  %2 = train.add %0, %1 {dist.shardings = [#columns]} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}

// A maximum over a dim that no device shares; not over one that is shared, and
// not a sum, whose order follows from its extents.
// CHECK-LABEL: @reduces
// CHECK: %[[M:.+]] = train.reduce %arg0 {{.*}}maximum
// CHECK-NEXT: dist.reshard %[[M]] {{.*}} : tensor<4xf32>
// CHECK: %[[B:.+]] = dist.reshard %arg1
// CHECK-NEXT: train.reduce %[[B]]
// CHECK: %[[C:.+]] = dist.reshard %arg2
// CHECK-NEXT: train.reduce %[[C]]
func.func @reduces(%a: tensor<4x4xf32> {dist.sharding = #rows}, %b: tensor<4x4xf32> {dist.sharding = #rows}, %c: tensor<4x4xf32> {dist.sharding = #rows}) {
  %0 = dist.reshard %a {from = #rows, to = #whole, dist.shardings = [#whole]} : tensor<4x4xf32>
  %1 = train.reduce %0 {dims = array<i64: 1>, kind = #train<reduce_kind maximum>, dist.shardings = [#all]} : (tensor<4x4xf32>) -> tensor<4xf32>
  %2 = dist.reshard %b {from = #rows, to = #whole, dist.shardings = [#whole]} : tensor<4x4xf32>
  %3 = train.reduce %2 {dims = array<i64: 0>, kind = #train<reduce_kind maximum>, dist.shardings = [#all]} : (tensor<4x4xf32>) -> tensor<4xf32>
  %4 = dist.reshard %c {from = #rows, to = #whole, dist.shardings = [#whole]} : tensor<4x4xf32>
  %5 = train.reduce %4 {dims = array<i64: 1>, kind = #train<reduce_kind add>, dist.shardings = [#all]} : (tensor<4x4xf32>) -> tensor<4xf32>
  return
}

// A value that is widened only to be moved is moved first, while it is narrow.
// CHECK-LABEL: @widens
// CHECK: %[[R:.+]] = dist.reshard %arg0 {{.*}} : tensor<4x4xi1>
// CHECK-NEXT: train.convert %[[R]]
func.func @widens(%a: tensor<4x4xi1> {dist.sharding = #rows}) {
  %0 = train.convert %a {dist.shardings = [#rows]} : (tensor<4x4xi1>) -> tensor<4x4xf32>
  %1 = dist.reshard %0 {from = #rows, to = #whole, dist.shardings = [#whole]} : tensor<4x4xf32>
  %2 = train.negate %1 {dist.shardings = [#whole]} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}

// Sums over devices stay, and so does what another op needs as it is.
// CHECK-LABEL: @stays
// CHECK: %[[A:.+]] = dist.reshard %arg0
// CHECK-NEXT: train.convert %[[A]]
// CHECK: %[[B:.+]] = dist.reshard %arg1
// CHECK-NEXT: train.convert %[[B]]
// CHECK-NEXT: train.negate %[[B]]
func.func @stays(%a: tensor<4x4xf32> {dist.sharding = #part}, %b: tensor<4x4xf32> {dist.sharding = #rows}) {
  %0 = dist.reshard %a {from = #part, to = #whole, dist.shardings = [#whole]} : tensor<4x4xf32>
  %1 = train.convert %0 {dist.shardings = [#whole]} : (tensor<4x4xf32>) -> tensor<4x4xbf16>
  %2 = dist.reshard %b {from = #rows, to = #whole, dist.shardings = [#whole]} : tensor<4x4xf32>
  %3 = train.convert %2 {dist.shardings = [#whole]} : (tensor<4x4xf32>) -> tensor<4x4xbf16>
  %4 = train.negate %2 {dist.shardings = [#whole]} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}
