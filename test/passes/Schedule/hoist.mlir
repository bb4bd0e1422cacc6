// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --split-input-file --zcc-hoist-collectives --zcc-verify-schedule | FileCheck %s

// The reduction of a gradient joins the backward pass as soon as the gradient is there, with the kernel that leads to it; what the update reads of it becomes a value, what
// nobody else reads stays a temporary. A gather that takes memory stays, and so does a kernel that only the update needs.

dist.mesh @mesh [#dist.axis<"data" = 2>]
dist.state @w : tensor<1048576xf32> {kind = "parameter", parameter = "w", file_type = tensor<2097152xf32>, start = array<i64: 0>, extent = array<i64: 2097152>, sharding = #dist.sharding<@mesh, [{"data"}]>, stage = 0 : i64}
func.func private @negate(%a: tensor<2097152xf32>) -> tensor<2097152xf32> attributes {exec.kernel} {
  %0 = train.negate %a : (tensor<2097152xf32>) -> tensor<2097152xf32>
  return %0 : tensor<2097152xf32>
}
func.func private @part(%a: tensor<1048576xf32>) -> tensor<1048576xf32> attributes {exec.kernel} {
  %0 = train.negate %a : (tensor<1048576xf32>) -> tensor<1048576xf32>
  return %0 : tensor<1048576xf32>
}

// CHECK-LABEL: exec.task @backward
// CHECK-DAG: %[[H:[0-9a-z]+]] = exec.buffer "temporary" "t#2"
// CHECK-DAG: %[[R:[0-9a-z]+]] = exec.buffer "value" "r"
// CHECK: exec.fill
// CHECK-NEXT: exec.launch @negate(%{{.*}}) -> (%[[H]])
// CHECK-NEXT: exec.collective reduce_scatter %[[H]] -> %[[R]]
// CHECK-NEXT: exec.launch @negate
// CHECK-LABEL: exec.task @epilogue
// CHECK-NOT: "temporary" "t"
// CHECK-DAG: %[[V:[0-9a-z]+]] = exec.buffer "value" "r"
// CHECK-NOT: reduce_scatter
// CHECK: exec.launch @part(%{{.*}}) -> (%[[S:[0-9a-z]+]])
// CHECK: exec.launch @part(%[[V]])
// CHECK: exec.collective all_gather
exec.task @backward attributes {kind = "backward", stage = 0 : i64} {
  %g = exec.buffer "value" "g" {category = "gradients"} : <tensor<2097152xf32>>
  %t = exec.buffer "temporary" "t" {category = "temporary"} : <tensor<2097152xf32>>
  exec.fill %g {value = 0 : i64} : <tensor<2097152xf32>>
  exec.launch @negate(%g) -> (%t) : (!exec.buffer<tensor<2097152xf32>>) -> !exec.buffer<tensor<2097152xf32>>
  exec.launch @negate(%t) -> (%t) : (!exec.buffer<tensor<2097152xf32>>) -> !exec.buffer<tensor<2097152xf32>>
}
exec.task @epilogue attributes {kind = "epilogue", stage = 0 : i64} {
  %w = exec.buffer "state" "w" {category = "parameters"} : <tensor<1048576xf32>>
  %g = exec.buffer "value" "g" {category = "gradients"} : <tensor<2097152xf32>>
  %t = exec.buffer "temporary" "t" {category = "temporary"} : <tensor<2097152xf32>>
  %r = exec.buffer "temporary" "r" {category = "gradients"} : <tensor<1048576xf32>>
  %s = exec.buffer "temporary" "s" {category = "temporary"} : <tensor<1048576xf32>>
  %all = exec.buffer "temporary" "all" {category = "temporary"} : <tensor<2097152xf32>>
  exec.launch @negate(%g) -> (%t) : (!exec.buffer<tensor<2097152xf32>>) -> !exec.buffer<tensor<2097152xf32>>
  exec.collective "reduce_scatter" %t -> %r {axes = ["data"], reduction = "add", split_dim = 0 : i64, what = "gradient", value = "w", why = ""} : <tensor<2097152xf32>> -> <tensor<1048576xf32>>
  exec.launch @part(%w) -> (%s) : (!exec.buffer<tensor<1048576xf32>>) -> !exec.buffer<tensor<1048576xf32>>
  exec.launch @part(%r) -> (%w) : (!exec.buffer<tensor<1048576xf32>>) -> !exec.buffer<tensor<1048576xf32>>
  exec.collective "all_gather" %s -> %all {axes = ["data"], what = "parameter", value = "w", why = ""} : <tensor<1048576xf32>> -> <tensor<2097152xf32>>
}
dist.schedule attributes {stage = 0 : i64} {
  dist.run @backward {microbatch = 0 : i64}
  dist.run @epilogue {microbatch = 0 : i64}
}

// -----

// The last run of a task that runs several times gets a copy of it; an accumulator is reduced in place there, and an output written, but no
// state. The other runs of the task stay as they were.

dist.mesh @mesh [#dist.axis<"data" = 2>]
dist.output @loss : tensor<f32> {kind = "loss", output = "loss", stage = 0 : i64}
dist.state @s : tensor<f32> {kind = "parameter", parameter = "s", file_type = tensor<f32>, start = array<i64>, extent = array<i64>, sharding = #dist.sharding<@mesh, []>, stage = 0 : i64}
func.func private @negate(%a: tensor<2097152xf32>) -> tensor<2097152xf32> attributes {exec.kernel} {
  %0 = train.negate %a : (tensor<2097152xf32>) -> tensor<2097152xf32>
  return %0 : tensor<2097152xf32>
}

// CHECK-LABEL: exec.task @backward attributes {kind = "backward"
// CHECK-NOT: all_reduce
// CHECK-LABEL: exec.task @backward_last attributes {kind = "backward"
// CHECK: %[[O:[0-9a-z]+]] = exec.buffer "output" "loss"
// CHECK: exec.collective all_reduce %{{.*}} -> %[[O]]
// CHECK: exec.launch @negate
// CHECK: exec.launch @negate
// CHECK-NEXT: exec.collective all_reduce %[[A:[0-9a-z]+]] -> %[[A]]
// CHECK-LABEL: exec.task @epilogue
// CHECK: all_reduce
// CHECK-NOT: all_reduce
// CHECK: exec.launch @negate(%[[E:[0-9a-z]+]]) -> (%[[E]])
// CHECK: dist.schedule
// CHECK-NEXT: @prologue
// CHECK-NEXT: dist.run @backward {microbatch = 0
// CHECK-NEXT: dist.run @backward {microbatch = 1
// CHECK-NEXT: dist.run @backward_last {microbatch = 2
// CHECK-NEXT: @epilogue
exec.task @prologue attributes {kind = "prologue", stage = 0 : i64} {
  %a = exec.buffer "accumulator" "a" {category = "gradients"} : <tensor<2097152xf32>>
  exec.fill %a {value = 0 : i64} : <tensor<2097152xf32>>
}
exec.task @backward attributes {kind = "backward", stage = 0 : i64} {
  %a = exec.buffer "accumulator" "a" {category = "gradients"} : <tensor<2097152xf32>>
  %t = exec.buffer "temporary" "t" {category = "temporary"} : <tensor<2097152xf32>>
  exec.launch @negate(%a) -> (%t) : (!exec.buffer<tensor<2097152xf32>>) -> !exec.buffer<tensor<2097152xf32>>
  exec.launch @negate(%t) -> (%a) : (!exec.buffer<tensor<2097152xf32>>) -> !exec.buffer<tensor<2097152xf32>>
}
exec.task @epilogue attributes {kind = "epilogue", stage = 0 : i64} {
  %a = exec.buffer "accumulator" "a" {category = "gradients"} : <tensor<2097152xf32>>
  %l = exec.buffer "accumulator" "l" {category = "temporary"} : <tensor<f32>>
  %o = exec.buffer "output" "loss" {category = "temporary"} : <tensor<f32>>
  %s = exec.buffer "state" "s" {category = "parameters"} : <tensor<f32>>
  exec.collective "all_reduce" %a -> %a {axes = ["data"], reduction = "add", what = "gradient", value = "w", why = ""} : <tensor<2097152xf32>> -> <tensor<2097152xf32>>
  exec.collective "all_reduce" %l -> %o {axes = ["data"], reduction = "add", what = "scalar", value = "loss", why = ""} : <tensor<f32>> -> <tensor<f32>>
  exec.collective "all_reduce" %l -> %s {axes = ["data"], reduction = "add", what = "scalar", value = "loss", why = ""} : <tensor<f32>> -> <tensor<f32>>
  exec.launch @negate(%a) -> (%a) : (!exec.buffer<tensor<2097152xf32>>) -> !exec.buffer<tensor<2097152xf32>>
}
dist.schedule attributes {stage = 0 : i64} {
  dist.run @prologue {microbatch = 0 : i64}
  dist.run @backward {microbatch = 0 : i64}
  dist.run @backward {microbatch = 1 : i64}
  dist.run @backward {microbatch = 2 : i64}
  dist.run @epilogue {microbatch = 0 : i64}
}

// -----

// A copy that hides next to nothing of the step is not made.

dist.mesh @mesh [#dist.axis<"data" = 2>]
func.func private @negate(%a: tensor<2097152xf32>) -> tensor<2097152xf32> attributes {exec.kernel} {
  %0 = train.negate %a : (tensor<2097152xf32>) -> tensor<2097152xf32>
  return %0 : tensor<2097152xf32>
}

// CHECK-LABEL: exec.task @backward attributes
// CHECK-NOT: @backward_last
// CHECK-LABEL: exec.task @epilogue
// CHECK: all_reduce
// CHECK-NOT: @backward_last
exec.task @prologue attributes {kind = "prologue", stage = 0 : i64} {
  %a = exec.buffer "accumulator" "a" {category = "gradients"} : <tensor<2097152xf32>>
  %s = exec.buffer "accumulator" "s" {category = "gradients"} : <tensor<64xf32>>
  exec.fill %a {value = 0 : i64} : <tensor<2097152xf32>>
  exec.fill %s {value = 0 : i64} : <tensor<64xf32>>
}
exec.task @backward attributes {kind = "backward", stage = 0 : i64} {
  %a = exec.buffer "accumulator" "a" {category = "gradients"} : <tensor<2097152xf32>>
  %t = exec.buffer "temporary" "t" {category = "temporary"} : <tensor<2097152xf32>>
  exec.launch @negate(%a) -> (%t) : (!exec.buffer<tensor<2097152xf32>>) -> !exec.buffer<tensor<2097152xf32>>
  exec.launch @negate(%t) -> (%a) : (!exec.buffer<tensor<2097152xf32>>) -> !exec.buffer<tensor<2097152xf32>>
}
exec.task @epilogue attributes {kind = "epilogue", stage = 0 : i64} {
  %s = exec.buffer "accumulator" "s" {category = "gradients"} : <tensor<64xf32>>
  exec.collective "all_reduce" %s -> %s {axes = ["data"], reduction = "add", what = "gradient", value = "w", why = ""} : <tensor<64xf32>> -> <tensor<64xf32>>
}
dist.schedule attributes {stage = 0 : i64} {
  dist.run @prologue {microbatch = 0 : i64}
  dist.run @backward {microbatch = 0 : i64}
  dist.run @backward {microbatch = 1 : i64}
  dist.run @epilogue {microbatch = 0 : i64}
}

// -----

// In a stage of several, each reduction ends the last run that makes its operand, even if transfers and other runs come
// between it and the update. A collective of a value that a run between them writes stays.

dist.mesh @mesh [#dist.axis<"pipe" = 2>, #dist.axis<"data" = 2>]
func.func private @negate(%a: tensor<2097152xf32>) -> tensor<2097152xf32> attributes {exec.kernel} {
  %0 = train.negate %a : (tensor<2097152xf32>) -> tensor<2097152xf32>
  return %0 : tensor<2097152xf32>
}

// CHECK-LABEL: exec.task @weights0 attributes
// CHECK-NOT: all_reduce
// CHECK-LABEL: exec.task @weights0_last attributes
// CHECK: %[[A:[0-9a-z]+]] = exec.buffer "accumulator" "a"
// CHECK: exec.launch @negate
// CHECK: exec.collective all_reduce %[[A]] -> %[[A]]
// CHECK-NOT: exec.collective
// CHECK-LABEL: exec.task @weights1 attributes {chunk = 1
// CHECK-NOT: exec.collective
// CHECK-LABEL: exec.task @weights1_last attributes {chunk = 1
// CHECK: %[[B:[0-9a-z]+]] = exec.buffer "accumulator" "b"
// CHECK: exec.collective all_reduce %[[B]] -> %[[B]]
// CHECK-NOT: exec.collective
// CHECK-LABEL: exec.task @epilogue
// CHECK-NOT: exec.collective
// CHECK: dist.run @weights0 {microbatch = 0
// CHECK-NEXT: dist.run @weights0_last {microbatch = 1
// CHECK-NEXT: dist.receive
// CHECK-NEXT: dist.run @weights1 {microbatch = 0
// CHECK-NEXT: dist.run @weights1_last {microbatch = 1
// CHECK-NEXT: dist.run @epilogue
exec.task @prologue attributes {kind = "prologue", stage = 0 : i64} {
  %a = exec.buffer "accumulator" "a" {category = "gradients"} : <tensor<2097152xf32>>
  %b = exec.buffer "accumulator" "b" {category = "gradients"} : <tensor<2097152xf32>>
  exec.fill %a {value = 0 : i64} : <tensor<2097152xf32>>
  exec.fill %b {value = 0 : i64} : <tensor<2097152xf32>>
}
exec.task @weights0 attributes {chunk = 0 : i64, kind = "weight_backward", stage = 0 : i64} {
  %a = exec.buffer "accumulator" "a" {category = "gradients"} : <tensor<2097152xf32>>
  %t = exec.buffer "temporary" "t" {category = "temporary"} : <tensor<2097152xf32>>
  exec.launch @negate(%a) -> (%t) : (!exec.buffer<tensor<2097152xf32>>) -> !exec.buffer<tensor<2097152xf32>>
  exec.launch @negate(%t) -> (%a) : (!exec.buffer<tensor<2097152xf32>>) -> !exec.buffer<tensor<2097152xf32>>
}
exec.task @weights1 attributes {chunk = 1 : i64, kind = "weight_backward", stage = 0 : i64} {
  %b = exec.buffer "accumulator" "b" {category = "gradients"} : <tensor<2097152xf32>>
  %x = exec.buffer "value" "x" {category = "residuals"} : <tensor<2097152xf32>>
  exec.launch @negate(%x) -> (%b) : (!exec.buffer<tensor<2097152xf32>>) -> !exec.buffer<tensor<2097152xf32>>
}
exec.task @epilogue attributes {kind = "epilogue", stage = 0 : i64} {
  %a = exec.buffer "accumulator" "a" {category = "gradients"} : <tensor<2097152xf32>>
  %b = exec.buffer "accumulator" "b" {category = "gradients"} : <tensor<2097152xf32>>
  exec.collective "all_reduce" %a -> %a {axes = ["data"], reduction = "add", what = "gradient", value = "a", why = ""} : <tensor<2097152xf32>> -> <tensor<2097152xf32>>
  exec.collective "all_reduce" %b -> %b {axes = ["data"], reduction = "add", what = "gradient", value = "b", why = ""} : <tensor<2097152xf32>> -> <tensor<2097152xf32>>
  exec.launch @negate(%a) -> (%b) : (!exec.buffer<tensor<2097152xf32>>) -> !exec.buffer<tensor<2097152xf32>>
}
dist.schedule attributes {stage = 0 : i64} {
  dist.run @prologue {microbatch = 0 : i64}
  dist.run @weights0 {microbatch = 0 : i64}
  dist.run @weights0 {microbatch = 1 : i64}
  dist.receive "x" {microbatch = 0 : i64, peer = 1 : i64}
  dist.run @weights1 {microbatch = 0 : i64}
  dist.run @weights1 {microbatch = 1 : i64}
  dist.run @epilogue {microbatch = 0 : i64}
}
dist.schedule attributes {stage = 1 : i64} {
}

// -----

// A value that each microbatch has for itself stays, since the update means that of its own microbatch. So does a value
// that a kernel passes on, and an all-reduce in place of it, or of a value that was read before.

dist.mesh @mesh [#dist.axis<"data" = 2>]
func.func private @negate(%a: tensor<2097152xf32>) -> tensor<2097152xf32> attributes {exec.kernel} {
  %0 = train.negate %a : (tensor<2097152xf32>) -> tensor<2097152xf32>
  return %0 : tensor<2097152xf32>
}

// CHECK-LABEL: exec.task @backward
// CHECK-NOT: exec.collective
// CHECK-NOT: @backward_last
// CHECK-LABEL: exec.task @epilogue
// CHECK-COUNT-3: all_reduce
exec.task @prologue attributes {kind = "prologue", stage = 0 : i64} {
  %a = exec.buffer "accumulator" "a" {category = "gradients"} : <tensor<2097152xf32>>
  exec.fill %a {value = 0 : i64} : <tensor<2097152xf32>>
}
exec.task @backward attributes {kind = "backward", stage = 0 : i64} {
  %a = exec.buffer "accumulator" "a" {category = "gradients"} : <tensor<2097152xf32>>
  %v = exec.buffer "value" "v" {category = "gradients"} : <tensor<2097152xf32>>
  exec.launch @negate(%a) -> (%v) : (!exec.buffer<tensor<2097152xf32>>) -> !exec.buffer<tensor<2097152xf32>>
  exec.launch @negate(%v) -> (%a) : (!exec.buffer<tensor<2097152xf32>>) -> !exec.buffer<tensor<2097152xf32>>
}
exec.task @epilogue attributes {kind = "epilogue", stage = 0 : i64} {
  %a = exec.buffer "accumulator" "a" {category = "gradients"} : <tensor<2097152xf32>>
  %v = exec.buffer "value" "v" {category = "gradients"} : <tensor<2097152xf32>>
  %h = exec.buffer "value" "h" {category = "gradients"} : <tensor<2097152xf32>>
  %t = exec.buffer "temporary" "t" {category = "temporary"} : <tensor<2097152xf32>>
  exec.collective "all_reduce" %v -> %t {axes = ["data"], reduction = "add", what = "gradient", value = "w", why = ""} : <tensor<2097152xf32>> -> <tensor<2097152xf32>>
  exec.launch @negate(%a) -> (%h) : (!exec.buffer<tensor<2097152xf32>>) -> !exec.buffer<tensor<2097152xf32>>
  exec.collective "all_reduce" %h -> %h {axes = ["data"], reduction = "add", what = "gradient", value = "w", why = ""} : <tensor<2097152xf32>> -> <tensor<2097152xf32>>
  exec.collective "all_reduce" %a -> %a {axes = ["data"], reduction = "add", what = "gradient", value = "w", why = ""} : <tensor<2097152xf32>> -> <tensor<2097152xf32>>
}
dist.schedule attributes {stage = 0 : i64} {
  dist.run @prologue {microbatch = 0 : i64}
  dist.run @backward {microbatch = 0 : i64}
  dist.run @backward {microbatch = 1 : i64}
  dist.run @epilogue {microbatch = 0 : i64}
}

// -----

// A collective of a value that the backward pass makes stays in it: else the kernels before it would move, too.

dist.mesh @mesh [#dist.axis<"data" = 2>]
func.func private @negate(%a: tensor<2097152xf32>) -> tensor<2097152xf32> attributes {exec.kernel} {
  %0 = train.negate %a : (tensor<2097152xf32>) -> tensor<2097152xf32>
  return %0 : tensor<2097152xf32>
}

// CHECK-LABEL: exec.task @forward
// CHECK-NOT: exec.collective
// CHECK-LABEL: exec.task @backward
// CHECK: exec.launch @negate
// CHECK-NEXT: exec.collective all_reduce
exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  %v = exec.buffer "value" "v" {category = "residuals"} : <tensor<2097152xf32>>
  exec.fill %v {value = 0 : i64} : <tensor<2097152xf32>>
}
exec.task @backward attributes {kind = "backward", stage = 0 : i64} {
  %v = exec.buffer "value" "v" {category = "residuals"} : <tensor<2097152xf32>>
  %g = exec.buffer "temporary" "g" {category = "gradients"} : <tensor<2097152xf32>>
  exec.launch @negate(%v) -> (%g) : (!exec.buffer<tensor<2097152xf32>>) -> !exec.buffer<tensor<2097152xf32>>
  exec.collective "all_reduce" %g -> %g {axes = ["data"], reduction = "add", what = "gradient", value = "w", why = ""} : <tensor<2097152xf32>> -> <tensor<2097152xf32>>
}
dist.schedule attributes {stage = 0 : i64} {
  dist.run @forward {microbatch = 0 : i64}
  dist.run @backward {microbatch = 0 : i64}
}
