// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --zcc-split-tasks --zcc-split-init --zcc-lower-coordinates --zcc-place-schedule --zcc-verify-tasks --zcc-verify-fates | FileCheck %s

// The survey runs for every microbatch and only adds; what follows from its sum runs once and is there for every microbatch;
// gradients and the loss are added up. The parameter is gathered by every task that reads it, right before its first use.

#rows = #dist.sharding<@mesh, [{"micro"}, {}]>
dist.mesh @mesh [#dist.axis<"micro" = 3 temporal>, #dist.axis<"data" = 2>]
// CHECK-LABEL: func.func @survey
// CHECK-SAME: %[[X:.+]]: tensor<4x4xf32> {dist.input = "x"}) -> (tensor<f32> {dist.accumulate = "m", dist.what = "scalar"}) attributes {dist.region = "survey", {{.*}}dist.task = "prologue"}
// CHECK-LABEL: func.func @prologue
// CHECK-SAME: %{{.+}}: tensor<f32> {dist.value = "m"}) -> (tensor<f32> {dist.value = "[[ROOT:.*]]"}) attributes {dist.region = "before", {{.*}}dist.task = "prologue"}
// CHECK-NOT: dist.all_gather
// CHECK-LABEL: func.func @forward
// CHECK-SAME: %{{.+}}: tensor<f32> {dist.value = "[[ROOT]]"}
// CHECK-SAME: -> (tensor<4x4xf32> {dist.fate = #dist.fate<"keep">, dist.value = "[[H:.*]]"}, tensor<f32> {dist.accumulate = "loss", dist.what = "scalar"}) attributes {dist.region = "micro"
// CHECK: train.tanh
// CHECK-NEXT: train.convert
// CHECK-NEXT: train.convert {{.*}}dist.again
// CHECK-NEXT: dist.all_gather
// CHECK-NEXT: train.dot_general
// CHECK-LABEL: func.func @backward
// CHECK-SAME: -> (tensor<4x4xf32> {dist.accumulate = "w:gradient", dist.what = "gradient"})
// CHECK: train.multiply
// CHECK-NEXT: train.convert {{.*}}{train.tag
// CHECK-NEXT: train.convert {{.*}}dist.again
// CHECK-NEXT: dist.all_gather {{.*}}dist.again
// CHECK-NEXT: train.dot_general
// CHECK-LABEL: func.func @epilogue
// CHECK-DAG: {dist.value = "w:gradient"}
// CHECK-DAG: {dist.value = "loss"}
// CHECK: dist.schedule attributes {generator = "1f1b", microbatches = 3 : i64
// CHECK-COUNT-3: dist.run @survey
// CHECK-NEXT: dist.run @prologue {microbatch = 0 : i64}
// CHECK-NEXT: dist.run @forward {microbatch = 0 : i64}
// CHECK-NEXT: dist.run @backward {microbatch = 0 : i64}
// CHECK-NEXT: dist.run @forward {microbatch = 1 : i64}
// CHECK-NEXT: dist.run @backward {microbatch = 1 : i64}
// CHECK-NEXT: dist.run @forward {microbatch = 2 : i64}
// CHECK-NEXT: dist.run @backward {microbatch = 2 : i64}
// CHECK-NEXT: dist.run @epilogue {microbatch = 0 : i64}
func.func @step(%w: tensor<2x4xf32> {dist.global = tensor<4x4xf32>, dist.sharding = #dist.sharding<@mesh, [{"data"}, {}]>, zcc.kind = "parameter", zcc.parameter = "w"},
    %x: tensor<4x4xf32> {dist.global = tensor<12x4xf32>, dist.sharding = #rows, zcc.kind = "input", zcc.input = "x"})
    -> (tensor<2x4xf32> {zcc.kind = "parameter", zcc.parameter = "w"}, tensor<f32> {zcc.kind = "output", zcc.output = "loss"}) {
  %c = train.reduce %x {dims = array<i64: 0, 1>, kind = #train<reduce_kind add>, dist.region = "survey"} : (tensor<4x4xf32>) -> tensor<f32>
  %sum = dist.accumulate %c {reduction = "add", what = "scalar", value = "m", why = ""} : tensor<f32>
  %root = train.exponential %sum {dist.region = "before"} : (tensor<f32>) -> tensor<f32>
  // Asked for before the loop, but gathered again: nothing of it is left there.
  %n = train.convert %w {dist.region = "before"} : (tensor<2x4xf32>) -> tensor<2x4xbf16>
  %g = dist.all_gather %n {axes = ["data"], dim = 0 : i64, what = "parameter", value = "w", why = "", dist.fate = #dist.fate<"gather-again">, dist.region = "before"} : (tensor<2x4xbf16>) -> tensor<4x4xbf16>
  %t = train.tanh %x {dist.region = "micro"} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %t16 = train.convert %t {dist.region = "micro"} : (tensor<4x4xf32>) -> tensor<4x4xbf16>
  %p = train.dot_general %t16, %g {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>, dist.region = "micro"} : (tensor<4x4xbf16>, tensor<4x4xbf16>) -> tensor<4x4xf32>
  %h = train.exponential %p {dist.region = "micro"} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %s = train.reduce %h {dims = array<i64: 0, 1>, kind = #train<reduce_kind add>, dist.region = "micro"} : (tensor<4x4xf32>) -> tensor<f32>
  %l = train.multiply %s, %root {dist.region = "micro"} : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %b = train.multiply %h, %h {dist.region = "micro", train.tag = "backward"} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %b16 = train.convert %b {dist.region = "micro", train.tag = "backward"} : (tensor<4x4xf32>) -> tensor<4x4xbf16>
  %gw = train.dot_general %b16, %g {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>, dist.region = "micro", train.tag = "backward"} : (tensor<4x4xbf16>, tensor<4x4xbf16>) -> tensor<4x4xf32>
  %ga = dist.accumulate %gw {reduction = "add", what = "gradient", value = "w", why = ""} : tensor<4x4xf32>
  %la = dist.accumulate %l {reduction = "add", what = "scalar", value = "loss", why = ""} : tensor<f32>
  %part = dist.reduce_scatter %ga {axes = ["data"], dim = 0 : i64, reduction = "add", what = "gradient", value = "w", why = "", dist.region = "after", train.tag = "update"} : (tensor<4x4xf32>) -> tensor<2x4xf32>
  %new = train.subtract %w, %part {dist.region = "after", train.tag = "update"} : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %new, %la : tensor<2x4xf32>, tensor<f32>
}
