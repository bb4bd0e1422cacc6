// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --zcc-merge-collectives | FileCheck %s

// One value goes to one place once, whoever asked for it.
#whole = #dist.sharding<@mesh, [{}]>
#parts = #dist.sharding<@mesh, [{"data"}]>
#other = #dist.sharding<@mesh, [{"tensor"}]>
dist.mesh @mesh [#dist.axis<"data" = 2>, #dist.axis<"tensor" = 2>]

// CHECK-LABEL: @reshards
// CHECK: %[[W:.+]] = dist.reshard %arg0 {{.*}}why = "for the first"
// CHECK-NEXT: train.negate %[[W]]
// CHECK-NEXT: train.exponential %[[W]]
func.func @reshards(%a: tensor<4xf32> {dist.sharding = #parts}) {
  %0 = dist.reshard %a {from = #parts, to = #whole, why = "for the first", train.tag = "forward", dist.shardings = [#whole]} : tensor<4xf32>
  %1 = train.negate %0 {train.tag = "forward", dist.shardings = [#whole]} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = dist.reshard %a {from = #parts, to = #whole, why = "for the second", train.tag = "forward", dist.shardings = [#whole]} : tensor<4xf32>
  %3 = train.exponential %2 {train.tag = "forward", dist.shardings = [#whole]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// A reshard back to the original sharding returns the original value; the first reshard stays if another op reads it.
// CHECK-LABEL: @back
// CHECK-NOT: dist.reshard
// CHECK: train.negate %arg0
// CHECK-NEXT: %[[W:.+]] = dist.reshard %arg1
// CHECK-NEXT: train.negate %[[W]]
// CHECK-NEXT: train.negate %arg1
func.func @back(%a: tensor<4xf32> {dist.sharding = #parts}, %b: tensor<4xf32> {dist.sharding = #parts}) {
  %0 = dist.reshard %a {from = #parts, to = #other, dist.shardings = [#other]} : tensor<4xf32>
  %1 = dist.reshard %0 {from = #other, to = #parts, dist.shardings = [#parts]} : tensor<4xf32>
  %2 = train.negate %1 {dist.shardings = [#parts]} : (tensor<4xf32>) -> tensor<4xf32>
  %3 = dist.reshard %b {from = #parts, to = #whole, dist.shardings = [#whole]} : tensor<4xf32>
  %4 = train.negate %3 {dist.shardings = [#whole]} : (tensor<4xf32>) -> tensor<4xf32>
  %5 = dist.reshard %3 {from = #whole, to = #parts, dist.shardings = [#parts]} : tensor<4xf32>
  %6 = train.negate %5 {dist.shardings = [#parts]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// Collectives that paths have in common; not of two parts of the step, nor a
// parameter that is gathered again with one that is not.
// CHECK-LABEL: @collectives
// CHECK: %[[G:.+]] = dist.all_gather %arg0 {{.*}}value = "a"
// CHECK-NEXT: dist.all_gather %[[G]] {axes = ["tensor"]
// CHECK-NEXT: dist.all_reduce %[[G]]
// CHECK-NEXT: %[[B:.+]] = dist.all_gather %arg0 {{.*}}train.tag = "backward"
// CHECK-NEXT: %[[R:.+]] = dist.all_gather %arg0 {{.*}}#dist.fate<"gather-again">
// CHECK-NEXT: train.add %[[B]], %[[R]]
func.func @collectives(%a: tensor<2xf32>) {
  %0 = dist.all_gather %a {axes = ["data"], dim = 0 : i64, what = "activation", value = "a", why = "", train.tag = "forward"} : (tensor<2xf32>) -> tensor<4xf32>
  %1 = dist.all_gather %0 {axes = ["tensor"], dim = 0 : i64, what = "activation", value = "a", why = "", train.tag = "forward"} : (tensor<4xf32>) -> tensor<8xf32>
  %2 = dist.all_gather %a {axes = ["data"], dim = 0 : i64, what = "scalar", value = "b", why = "another", train.tag = "forward"} : (tensor<2xf32>) -> tensor<4xf32>
  %3 = dist.all_reduce %2 {axes = ["tensor"], reduction = "add", what = "activation", value = "a", why = "", train.tag = "forward"} : (tensor<4xf32>) -> tensor<4xf32>
  %4 = dist.all_gather %a {axes = ["data"], dim = 0 : i64, what = "activation", value = "a", why = "", train.tag = "backward"} : (tensor<2xf32>) -> tensor<4xf32>
  %5 = dist.all_gather %a {axes = ["data"], dim = 0 : i64, what = "parameter", value = "a", why = "", train.tag = "backward", dist.fate = #dist.fate<"gather-again">} : (tensor<2xf32>) -> tensor<4xf32>
  %6 = train.add %4, %5 {train.tag = "backward"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}
