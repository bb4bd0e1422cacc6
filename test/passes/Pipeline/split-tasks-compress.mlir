// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --zcc-split-tasks=compress=bf16 --zcc-verify-fates | FileCheck %s --check-prefixes=CHECK,BF16
// RUN: zcc-opt %s --zcc-split-tasks=compress=f8 --zcc-verify-fates | FileCheck %s --check-prefixes=CHECK,F8
// RUN: zcc-opt %s --zcc-split-tasks=compress=int8 --zcc-verify-fates | FileCheck %s --check-prefixes=CHECK,INT8
// RUN: not zcc-opt %s --zcc-split-tasks=compress=f4 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: zcc-opt %s --zcc-split-tasks=compress=f8 --zcc-split-init --zcc-lower-coordinates --zcc-place-schedule --zcc-verify-tasks --zcc-verify-fates -o %t

// Residuals are stored narrower right after they are made, and widened right before they are read. A value with short
// rows (:46) is stored as bf16. Not narrowed are statistics (:44), values compared for equality (:47), values with the
// constant of a mask (:51), integers (:48), and values that no gradients flow through.

// BF16: dist.compressed = [{bytes = 512 : i64, format = #dist.format<bf16>, stage = 0 : i64, value = "{{.*}}:43", whole = 1024 : i64},
// F8: dist.compressed = [{bytes = 272 : i64, format = #dist.format<f8>, stage = 0 : i64, value = "{{.*}}:43", whole = 1024 : i64}, {bytes = 512 : i64, format = #dist.format<bf16>, stage = 0 : i64, value = "{{.*}}:46", whole = 1024 : i64}]
// INT8: dist.compressed = [{bytes = 288 : i64, format = #dist.format<int8>,
// CHECK-LABEL: func.func @forward
// CHECK-SAME: tensor<4xf32> {dist.fate = #dist.fate<"keep">, dist.value = "{{.*}}:44"}
// CHECK-SAME: tensor<4x64xf32> {dist.fate = #dist.fate<"keep">, dist.value = "{{.*}}:47"}
// CHECK-SAME: tensor<4xi32> {dist.fate = #dist.fate<"keep">, dist.value = "{{.*}}:48"}
// CHECK-SAME: tensor<4x64xf32> {dist.fate = #dist.fate<"keep">, dist.value = "{{.*}}:51"}
// BF16-SAME: tensor<4x64xbf16> {dist.fate = #dist.fate<"narrow", bf16>, dist.value = "{{.*}}:43:bf16"}
// F8-SAME: tensor<4x64xf8E4M3FN> {dist.fate = #dist.fate<"narrow", f8>, dist.value = "{{.*}}:43:f8"}, tensor<4xf32> {dist.fate = #dist.fate<"narrow", f8>, dist.value = "{{.*}}:43:f8:scale"}
// INT8-SAME: tensor<4x2x32xi8> {dist.fate = #dist.fate<"narrow", int8>, dist.value = "{{.*}}:43:int8"}, tensor<4x2xf32> {dist.fate = #dist.fate<"narrow", int8>, dist.value = "{{.*}}:43:int8:scale"}
// CHECK-SAME: tensor<4x16x4xbf16>{{.*}}dist.fate = #dist.fate<"narrow"
// CHECK: %[[E:.*]] = train.exponential
// BF16-NEXT: train.convert %[[E]] {train.tag = "forward"} : (tensor<4x64xf32>) -> tensor<4x64xbf16>
// F8-NEXT: train.abs %[[E]]
// F8-NEXT: train.reduce {{.*}}maximum
// INT8-NEXT: train.reshape %[[E]] {train.tag = "forward"} : (tensor<4x64xf32>) -> tensor<4x2x32xf32>
// CHECK: train.reduce %[[E]]
// CHECK-LABEL: func.func @backward
// CHECK-NOT: dist.again
// BF16: %[[W:.*]] = train.convert %arg{{[0-9]+}} {train.tag = "backward"} : (tensor<4x64xbf16>) -> tensor<4x64xf32>
// F8: train.convert %arg{{[0-9]+}} {train.tag = "backward"} : (tensor<4x64xf8E4M3FN>) -> tensor<4x64xf32>
// F8: %[[W:.*]] = train.multiply {{.*}} {train.tag = "backward"}
// INT8: train.convert %arg{{[0-9]+}} {train.tag = "backward"} : (tensor<4x2x32xi8>) -> tensor<4x2x32xf32>
// INT8: %[[W:.*]] = train.reshape {{.*}} -> tensor<4x64xf32>
// CHECK: train.multiply %[[W]], %[[W]]
// BAD: for the --compress option: expected one of none, bf16, f8, int8, found 'f4'

dist.mesh @mesh [#dist.axis<"data" = 1>]
func.func @step(%w: tensor<64x64xf32> {dist.global = tensor<64x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {}]>, zcc.kind = "parameter", zcc.parameter = "w"}, %x: tensor<4x64xf32> {dist.global = tensor<4x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {}]>, zcc.kind = "input", zcc.input = "x"}) -> (tensor<f32> {zcc.kind = "output", zcc.output = "loss"}, tensor<64x64xf32> {zcc.kind = "parameter", zcc.parameter = "w"}) {
  %p = train.dot_general %x, %w {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>, train.tag = "forward"} : (tensor<4x64xf32>, tensor<64x64xf32>) -> tensor<4x64xf32>
  %e = train.exponential %p {train.tag = "forward"} : (tensor<4x64xf32>) -> tensor<4x64xf32>
  %s = train.reduce %e {dims = array<i64: 1>, kind = #train<reduce_kind add>, train.tag = "forward"} : (tensor<4x64xf32>) -> tensor<4xf32>
  %u = train.reshape %p {train.tag = "forward"} : (tensor<4x64xf32>) -> tensor<4x16x4xf32>
  %h = train.logistic %u {train.tag = "forward"} : (tensor<4x16x4xf32>) -> tensor<4x16x4xf32>
  %c = train.tanh %p {train.tag = "forward"} : (tensor<4x64xf32>) -> tensor<4x64xf32>
  %i = train.arg_reduce %c {dim = 1 : i64, kind = #train<reduce_kind maximum>, train.tag = "forward"} : (tensor<4x64xf32>) -> tensor<4xi32>
  %k = train.constant {train.tag = "forward"} dense<-1.0e30> : tensor<4x64xf32>
  %n = train.add %c, %k {train.tag = "forward"} : (tensor<4x64xf32>, tensor<4x64xf32>) -> tensor<4x64xf32>
  %m = train.cbrt %n {train.tag = "forward"} : (tensor<4x64xf32>) -> tensor<4x64xf32>
  %l = train.reduce %m {dims = array<i64: 0, 1>, kind = #train<reduce_kind add>, train.tag = "forward"} : (tensor<4x64xf32>) -> tensor<f32>
  %b1 = train.multiply %e, %e {train.tag = "backward"} : (tensor<4x64xf32>, tensor<4x64xf32>) -> tensor<4x64xf32>
  %sb = train.broadcast_in_dim %s {dims = array<i64: 0>, train.tag = "backward"} : (tensor<4xf32>) -> tensor<4x64xf32>
  %eq = train.compare %c, %sb {direction = #train<compare_direction EQ>, train.tag = "backward"} : (tensor<4x64xf32>, tensor<4x64xf32>) -> tensor<4x64xi1>
  %ib = train.broadcast_in_dim %i {dims = array<i64: 0>, train.tag = "backward"} : (tensor<4xi32>) -> tensor<4x64xi32>
  %if = train.convert %ib {train.tag = "backward"} : (tensor<4x64xi32>) -> tensor<4x64xf32>
  %b2 = train.select %eq, %b1, %if {train.tag = "backward"} : (tensor<4x64xi1>, tensor<4x64xf32>, tensor<4x64xf32>) -> tensor<4x64xf32>
  %b3 = train.multiply %b2, %m {train.tag = "backward"} : (tensor<4x64xf32>, tensor<4x64xf32>) -> tensor<4x64xf32>
  %hr = train.tanh %h {train.tag = "backward"} : (tensor<4x16x4xf32>) -> tensor<4x16x4xf32>
  %hs = train.reduce %hr {dims = array<i64: 1, 2>, kind = #train<reduce_kind add>, train.tag = "backward"} : (tensor<4x16x4xf32>) -> tensor<4xf32>
  %hb = train.broadcast_in_dim %hs {dims = array<i64: 0>, train.tag = "backward"} : (tensor<4xf32>) -> tensor<4x64xf32>
  %b4 = train.add %b3, %hb {train.tag = "backward"} : (tensor<4x64xf32>, tensor<4x64xf32>) -> tensor<4x64xf32>
  %g = train.dot_general %x, %b4 {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 0>, rhs_contracting = array<i64: 0>, train.tag = "backward"} : (tensor<4x64xf32>, tensor<4x64xf32>) -> tensor<64x64xf32>
  return %l, %g : tensor<f32>, tensor<64x64xf32>
}
