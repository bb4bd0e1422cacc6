// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --zcc-split-tasks --zcc-place-schedule=schedule=gpipe --zcc-verify-tasks --zcc-verify-fates | FileCheck %s

// A value that is made once is sent once: before the loop if microbatches of the other stage read it, after the loop if
// it is a sum or follows from sums. Its readers are in a later task.

// CHECK-LABEL: func.func @prologue
// CHECK-SAME: {dist.value = "[[P:[^"]*]]"}) attributes {dist.region = "before", dist.stage = 0 : i64, dist.task = "prologue"}
// CHECK-LABEL: func.func @forward0
// CHECK-SAME: dist.accumulate = "[[S:[^"]*]]", dist.what = "scalar"
// CHECK-LABEL: func.func @forward1
// CHECK-SAME: dist.accumulate = "[[T:[^"]*]]", dist.what = "scalar"
// CHECK-LABEL: func.func @epilogue1.1
// CHECK-SAME: dist.value = "[[S]]"
// CHECK-SAME: dist.value = "[[D:[^"]*]]"}) attributes {dist.level = 1 : i64, dist.region = "after", dist.stage = 1 : i64, dist.task = "epilogue"}
// CHECK-LABEL: func.func @epilogue0.0
// CHECK-NOT: dist.level
// CHECK-LABEL: func.func @epilogue0.2
// CHECK-SAME: dist.value = "[[D]]"
// CHECK-SAME: attributes {dist.level = 2 : i64
// CHECK: dist.schedule {{.*}}stage = 0
// CHECK-NEXT: dist.run @prologue
// CHECK-NEXT: dist.send "[[P]]" {microbatch = 0 : i64, peer = 1 : i64}
// CHECK-NEXT: dist.run @forward0 {microbatch = 0 : i64}
// CHECK-NEXT: dist.run @forward0 {microbatch = 1 : i64}
// CHECK-NEXT: dist.send "[[S]]" {microbatch = 0 : i64, peer = 1 : i64}
// CHECK-NEXT: dist.run @epilogue0.0
// CHECK-NEXT: dist.receive "[[D]]" {microbatch = 0 : i64, peer = 1 : i64}
// CHECK-NEXT: dist.run @epilogue0.2
// CHECK: dist.schedule {{.*}}stage = 1
// CHECK-NEXT: dist.receive "[[P]]" {microbatch = 0 : i64, peer = 0 : i64}
// CHECK-NEXT: dist.run @forward1 {microbatch = 0 : i64}
// CHECK-NEXT: dist.run @forward1 {microbatch = 1 : i64}
// CHECK-NEXT: dist.receive "[[S]]" {microbatch = 0 : i64, peer = 0 : i64}
// CHECK-NEXT: dist.run @epilogue1.1
// CHECK-NEXT: dist.send "[[D]]" {microbatch = 0 : i64, peer = 0 : i64}
#rows = #dist.sharding<@mesh, [{"micro"}]>
#whole = #dist.sharding<@mesh, [{}]>
dist.mesh @mesh [#dist.axis<"micro" = 2 temporal>, #dist.axis<"pipe" = 2>]
func.func @step(%w: tensor<4xf32> {dist.global = tensor<4xf32>, dist.sharding = #whole, zcc.kind = "parameter", zcc.parameter = "w"},
    %x: tensor<4xf32> {dist.global = tensor<8xf32>, dist.sharding = #rows, zcc.kind = "input", zcc.input = "x"},
    %y: tensor<4xf32> {dist.global = tensor<8xf32>, dist.sharding = #rows, zcc.kind = "input", zcc.input = "y"})
    -> (tensor<4xf32> {zcc.kind = "parameter", zcc.parameter = "w"}, tensor<f32> {zcc.kind = "output", zcc.output = "metric"}) {
  %p = train.exponential %w {dist.region = "before", train.tag = "forward"} : (tensor<4xf32>) -> tensor<4xf32>
  %a = train.multiply %x, %x {dist.region = "micro", train.tag = "forward"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %s = train.reduce %a {dims = array<i64: 0>, kind = #train<reduce_kind add>, dist.region = "micro", train.tag = "forward"} : (tensor<4xf32>) -> tensor<f32>
  %b = train.multiply %y, %p {dist.region = "micro", dist.stage = 1 : i64, train.tag = "forward"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %t = train.reduce %b {dims = array<i64: 0>, kind = #train<reduce_kind add>, dist.region = "micro", dist.stage = 1 : i64, train.tag = "forward"} : (tensor<4xf32>) -> tensor<f32>
  %ss = dist.accumulate %s {reduction = "add", what = "scalar", value = "s", why = ""} : tensor<f32>
  %ts = dist.accumulate %t {reduction = "add", what = "scalar", value = "t", why = ""} : tensor<f32>
  %d = train.divide %ts, %ss {dist.region = "after", dist.stage = 1 : i64, train.tag = "update"} : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %q = train.sqrt %ss {dist.region = "after", train.tag = "update"} : (tensor<f32>) -> tensor<f32>
  %e = train.broadcast_in_dim %d {dims = array<i64>, dist.region = "after", train.tag = "update"} : (tensor<f32>) -> tensor<4xf32>
  %new = train.subtract %w, %e {dist.region = "after", train.tag = "update"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %new, %q : tensor<4xf32>, tensor<f32>
}
