// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --zcc-split-tasks --zcc-place-schedule=schedule=gpipe --zcc-verify-tasks --zcc-verify-fates | FileCheck %s

// A step of two stages: one task of a kind and stage. The value of stage 0 that stage 1 reads is sent, though it is next to
// free to compute again from the input, which only stage 0 has; a constant is made again by each.

// CHECK-DAG: dist.state @w {{.*}}stage = 1 : i64
// CHECK-DAG: dist.input @x {{.*}}stage = 0 : i64
// CHECK-DAG: dist.output @loss {{.*}}stage = 1 : i64
// CHECK-LABEL: func.func @forward0
// CHECK-SAME: %{{.+}}: tensor<4xf32> {dist.input = "x"}) -> (tensor<4xf32> {dist.value = "[[N:.*]]"}, tensor<4xf32> {dist.fate = #dist.fate<"keep">, dist.value = "[[H:.*]]"}) attributes {dist.region = "micro", dist.stage = 0 : i64, dist.task = "forward"}
// CHECK-LABEL: func.func @forward1
// CHECK-SAME: dist.state = "w"
// CHECK-SAME: {dist.value = "[[N]]"}, %{{.+}}: tensor<4xf32> {dist.value = "[[H]]"}) -> (tensor<f32> {dist.accumulate = "loss", dist.what = "scalar"})
// CHECK-SAME: dist.stage = 1 : i64, dist.task = "forward"
// CHECK: train.constant {{.*}}dist.again
// CHECK-NOT: dist.stage
// CHECK-LABEL: func.func @backward1
// CHECK-SAME: {dist.value = "[[H]]"}) -> (tensor<4xf32> {dist.value = "[[G:.*]]"}, tensor<4xf32> {dist.accumulate = "w:gradient", dist.what = "gradient"})
// CHECK-SAME: dist.stage = 1 : i64, dist.task = "backward"
// CHECK-LABEL: func.func @backward0
// CHECK-SAME: {dist.value = "[[G]]"}) -> (tensor<f32> {dist.accumulate = "metric", dist.what = "scalar"})
// CHECK-SAME: dist.stage = 0 : i64, dist.task = "backward"
// CHECK-LABEL: func.func @epilogue1
// CHECK-LABEL: func.func @epilogue0
// CHECK: dist.schedule attributes {generator = "gpipe", microbatches = 2 : i64, stage = 0 : i64} {
// CHECK-NEXT: dist.run @forward0 {microbatch = 0 : i64}
// CHECK-NEXT: dist.send "[[N]]" {microbatch = 0 : i64, peer = 1 : i64}
// CHECK-NEXT: dist.send "[[H]]" {microbatch = 0 : i64, peer = 1 : i64}
// CHECK: dist.receive "[[G]]" {microbatch = 1 : i64, peer = 1 : i64}
// CHECK-NEXT: dist.run @backward0 {microbatch = 1 : i64}
// CHECK-NEXT: dist.run @epilogue0 {microbatch = 0 : i64}
#rows = #dist.sharding<@mesh, [{"micro"}]>
dist.mesh @mesh [#dist.axis<"micro" = 2 temporal>, #dist.axis<"pipe" = 2>]
func.func @step(%w: tensor<4xf32> {dist.global = tensor<4xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>, zcc.kind = "parameter", zcc.parameter = "w"},
    %x: tensor<4xf32> {dist.global = tensor<8xf32>, dist.sharding = #rows, zcc.kind = "input", zcc.input = "x"})
    -> (tensor<4xf32> {zcc.kind = "parameter", zcc.parameter = "w"}, tensor<f32> {zcc.kind = "output", zcc.output = "loss"}, tensor<f32> {zcc.kind = "output", zcc.output = "metric"}) {
  %c = train.constant {dist.region = "micro", train.tag = "forward"} dense<2.0> : tensor<4xf32>
  %n = train.negate %x {dist.region = "micro", train.tag = "forward"} : (tensor<4xf32>) -> tensor<4xf32>
  %h = train.tanh %x {dist.region = "micro", train.tag = "forward"} : (tensor<4xf32>) -> tensor<4xf32>
  %p = train.multiply %h, %w {dist.region = "micro", dist.stage = 1 : i64, train.tag = "forward"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %q = train.multiply %p, %c {dist.region = "micro", dist.stage = 1 : i64, train.tag = "forward"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r = train.add %q, %n {dist.region = "micro", dist.stage = 1 : i64, train.tag = "forward"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %s = train.reduce %r {dims = array<i64: 0>, kind = #train<reduce_kind add>, dist.region = "micro", dist.stage = 1 : i64, train.tag = "forward"} : (tensor<4xf32>) -> tensor<f32>
  %g = train.exponential %h {dist.region = "micro", dist.stage = 1 : i64, train.tag = "backward"} : (tensor<4xf32>) -> tensor<4xf32>
  %k = train.reduce %g {dims = array<i64: 0>, kind = #train<reduce_kind add>, dist.region = "micro", train.tag = "backward"} : (tensor<4xf32>) -> tensor<f32>
  %gs = dist.accumulate %g {reduction = "add", what = "gradient", value = "w", why = ""} : tensor<4xf32>
  %ls = dist.accumulate %s {reduction = "add", what = "scalar", value = "loss", why = ""} : tensor<f32>
  %ks = dist.accumulate %k {reduction = "add", what = "scalar", value = "metric", why = ""} : tensor<f32>
  %new = train.subtract %w, %gs {dist.region = "after", dist.stage = 1 : i64, train.tag = "update"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %new, %ls, %ks : tensor<4xf32>, tensor<f32>, tensor<f32>
}
