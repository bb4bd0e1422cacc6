// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --zcc-schedule-tasks --zcc-verify-schedule | FileCheck %s

// States are updated where they are, unless somebody still reads the old
// contents: then the new ones are made beside and copied at the end. Two states
// that change places leave before they are overwritten. A reduction over the
// devices happens in place if nobody else reads its operand.

dist.mesh @mesh [#dist.axis<"data" = 2>]
dist.state @a : tensor<64xf32> {kind = "parameter", parameter = "a", file_type = tensor<64xf32>, start = array<i64: 0>, extent = array<i64: 64>, sharding = #dist.sharding<@mesh, [{}]>, stage = 0 : i64}
dist.state @b : tensor<64xf32> {kind = "slot", own_name = "moment1", initial = 0.0 : f64, parameter = "a", file_type = tensor<64xf32>, start = array<i64: 0>, extent = array<i64: 64>, sharding = #dist.sharding<@mesh, [{}]>, stage = 0 : i64}
dist.output @first : tensor<f32> {kind = "metric", output = "first", stage = 0 : i64}

// CHECK-LABEL: exec.task @elementwise
// CHECK: %[[A:.+]] = exec.buffer "state" "a" {category = "parameters"}
// CHECK: exec.launch @{{.*}}(%[[A]]) -> (%[[A]])
// CHECK-NOT: exec.copy
func.func @elementwise(%a: tensor<64xf32> {dist.state = @a}) -> (tensor<64xf32> {dist.state = @a}) attributes {dist.task = "forward", dist.stage = 0 : i64} {
  %0 = train.exponential %a : (tensor<64xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// CHECK-LABEL: exec.task @reversed
// CHECK-DAG: %[[A:.+]] = exec.buffer "state" "a"
// CHECK-DAG: %[[T:.+]] = exec.buffer "temporary"
// CHECK: exec.launch @{{.*}}(%[[A]]) -> (%[[T]])
// CHECK-NEXT: exec.copy %[[T]] -> %[[A]]
func.func @reversed(%a: tensor<64xf32> {dist.state = @a}) -> (tensor<64xf32> {dist.state = @a}) attributes {dist.task = "forward", dist.stage = 0 : i64} {
  %0 = train.exponential %a : (tensor<64xf32>) -> tensor<64xf32>
  %1 = train.reverse %0 {dims = array<i64: 0>} : (tensor<64xf32>) -> tensor<64xf32>
  return %1 : tensor<64xf32>
}

// The reader comes first, though the program has it last.
// CHECK-LABEL: exec.task @reader
// CHECK-DAG: %[[A:.+]] = exec.buffer "state" "a"
// CHECK-DAG: %[[F:.+]] = exec.buffer "output" "first"
// CHECK: exec.launch @{{.*}}(%[[A]]) -> (%[[F]])
// CHECK: exec.launch @{{.*}}(%[[A]]) -> (%[[A]])
func.func @reader(%a: tensor<64xf32> {dist.state = @a}) -> (tensor<64xf32> {dist.state = @a}, tensor<f32> {dist.output = @first}) attributes {dist.task = "forward", dist.stage = 0 : i64} {
  %0 = train.exponential %a : (tensor<64xf32>) -> tensor<64xf32>
  %1 = train.reduce %a {dims = array<i64: 0>, kind = #train<reduce_kind maximum>} : (tensor<64xf32>) -> tensor<f32>
  return %0, %1 : tensor<64xf32>, tensor<f32>
}

// CHECK-LABEL: exec.task @exchange
// CHECK-DAG: %[[A:.+]] = exec.buffer "state" "a"
// CHECK-DAG: %[[B:.+]] = exec.buffer "state" "b"
// CHECK: exec.copy %[[B]] -> %[[T:[0-9a-z%]+]]
// CHECK: exec.copy %[[A]] -> %[[U:[0-9a-z%]+]]
// CHECK: exec.copy %{{.*}} -> %[[A]]
// CHECK: exec.copy %{{.*}} -> %[[B]]
func.func @exchange(%a: tensor<64xf32> {dist.state = @a}, %b: tensor<64xf32> {dist.state = @b}) -> (tensor<64xf32> {dist.state = @a}, tensor<64xf32> {dist.state = @b}) attributes {dist.task = "forward", dist.stage = 0 : i64} {
  return %b, %a : tensor<64xf32>, tensor<64xf32>
}

// CHECK-LABEL: exec.task @reduces
// CHECK: %[[G:.+]] = exec.buffer "value" "g" {category = "gradients"}
// CHECK: exec.collective all_reduce %[[G]] -> %[[G]]
func.func @reduces(%a: tensor<64xf32> {dist.state = @a}, %g: tensor<64xf32> {dist.value = "g"}) -> (tensor<64xf32> {dist.state = @a}) attributes {dist.task = "epilogue", dist.stage = 0 : i64} {
  %0 = dist.all_reduce %g {axes = ["data"], reduction = "add", what = "gradient", value = "a", why = "data parallel"} : (tensor<64xf32>) -> tensor<64xf32>
  %1 = train.subtract %a, %0 : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  return %1 : tensor<64xf32>
}
func.func @makes(%a: tensor<64xf32> {dist.state = @a}) -> (tensor<64xf32> {dist.value = "g"}) attributes {dist.task = "backward", dist.stage = 0 : i64} {
  %0 = train.sine %a : (tensor<64xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}
dist.schedule attributes {stage = 0 : i64} {
  dist.run @makes {microbatch = 0 : i64}
  dist.run @reduces {microbatch = 0 : i64}
}
