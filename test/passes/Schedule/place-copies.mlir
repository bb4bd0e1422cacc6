// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --zcc-place-copies --zcc-place-events --zcc-verify-schedule --zcc-plan-memory --zcc-verify-plan | FileCheck %s

// A residual leaves when it is made, and the main stream waits until it has left before more is under way; it comes back before it is read.
// State that a step of the update writes is worked on where it lives: what the step reads of the device comes to the host.

dist.mesh @mesh [#dist.axis<"data" = 1>]
dist.state @w : tensor<1048576xf32> {kind = "parameter", parameter = "w", file_type = tensor<1048576xf32>, start = array<i64: 0>, extent = array<i64: 1048576>, sharding = #dist.sharding<@mesh, [{}]>, stage = 0 : i64}
dist.state @"w:m" : tensor<1048576xf32> {dist.memory = "host", kind = "slot", own_name = "m", initial = 0.0 : f64, parameter = "w", file_type = tensor<1048576xf32>, start = array<i64: 0>, extent = array<i64: 1048576>, sharding = #dist.sharding<@mesh, [{}]>, stage = 0 : i64}
func.func private @negate(%a: tensor<1048576xf32>) -> tensor<1048576xf32> attributes {exec.kernel} {
  %0 = train.negate %a : (tensor<1048576xf32>) -> tensor<1048576xf32>
  return %0 : tensor<1048576xf32>
}
func.func private @update(%g: tensor<1048576xf32>, %m: tensor<1048576xf32>) -> tensor<1048576xf32> attributes {exec.kernel} {
  %0 = train.add %g, %m : (tensor<1048576xf32>, tensor<1048576xf32>) -> tensor<1048576xf32>
  return %0 : tensor<1048576xf32>
}

// CHECK-LABEL: exec.task @forward
// CHECK: %[[H:.+]] = exec.buffer "value" "h" {category = "residuals", memory = "host"
// CHECK: %[[HD:.+]] = exec.buffer "temporary" "h@device" {category = "residuals"
// CHECK: exec.launch @negate({{.*}}) -> (%[[HD]])
// CHECK-NEXT: exec.copy %[[HD]] -> %[[H]] {exec.event = [[LEFT:.*]] : i64, exec.waits = {{.*}}, stream = 3 : i64}
// CHECK: exec.launch @negate(%[[HD]])
// CHECK: exec.launch {{.*}}exec.waits = array<i64: [[LEFT]]>
exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  %w = exec.buffer "state" "w" {category = "parameters"} : <tensor<1048576xf32>>
  %h = exec.buffer "value" "h" {category = "residuals", memory = "host"} : <tensor<1048576xf32>>
  %a = exec.buffer "temporary" "a" {category = "temporary"} : <tensor<1048576xf32>>
  %b = exec.buffer "temporary" "b" {category = "temporary"} : <tensor<1048576xf32>>
  %o = exec.buffer "value" "o" {category = "temporary"} : <tensor<1048576xf32>>
  exec.launch @negate(%w) -> (%h) : (!exec.buffer<tensor<1048576xf32>>) -> !exec.buffer<tensor<1048576xf32>>
  exec.launch @negate(%h) -> (%a) : (!exec.buffer<tensor<1048576xf32>>) -> !exec.buffer<tensor<1048576xf32>>
  exec.launch @negate(%a) -> (%b) : (!exec.buffer<tensor<1048576xf32>>) -> !exec.buffer<tensor<1048576xf32>>
  exec.launch @negate(%b) -> (%a) : (!exec.buffer<tensor<1048576xf32>>) -> !exec.buffer<tensor<1048576xf32>>
  exec.launch @negate(%a) -> (%b) : (!exec.buffer<tensor<1048576xf32>>) -> !exec.buffer<tensor<1048576xf32>>
  exec.launch @negate(%b) -> (%o) : (!exec.buffer<tensor<1048576xf32>>) -> !exec.buffer<tensor<1048576xf32>>
}
// CHECK-LABEL: exec.task @backward
// CHECK: exec.copy %{{.+}} -> %[[HD:.+]] {{{.*}}stream = 2 : i64}
// CHECK: exec.launch
// CHECK: exec.launch @negate(%[[HD]])
exec.task @backward attributes {kind = "backward", stage = 0 : i64} {
  %h = exec.buffer "value" "h" {category = "residuals", memory = "host"} : <tensor<1048576xf32>>
  %o = exec.buffer "value" "o" {category = "temporary"} : <tensor<1048576xf32>>
  %a = exec.buffer "temporary" "a" {category = "temporary"} : <tensor<1048576xf32>>
  %b = exec.buffer "temporary" "b" {category = "temporary"} : <tensor<1048576xf32>>
  %g = exec.buffer "value" "g" {category = "gradients"} : <tensor<1048576xf32>>
  exec.launch @negate(%o) -> (%a) : (!exec.buffer<tensor<1048576xf32>>) -> !exec.buffer<tensor<1048576xf32>>
  exec.launch @negate(%a) -> (%b) : (!exec.buffer<tensor<1048576xf32>>) -> !exec.buffer<tensor<1048576xf32>>
  exec.launch @negate(%b) -> (%a) : (!exec.buffer<tensor<1048576xf32>>) -> !exec.buffer<tensor<1048576xf32>>
  exec.launch @negate(%h) -> (%g) : (!exec.buffer<tensor<1048576xf32>>) -> !exec.buffer<tensor<1048576xf32>>
}
// CHECK-LABEL: exec.task @epilogue
// CHECK-DAG: %[[G:.+]] = exec.buffer "value" "g"
// CHECK-DAG: %[[GH:.+]] = exec.buffer "temporary" "g@host" {category = "temporary", memory = "host"
// CHECK-DAG: %[[M:.+]] = exec.buffer "state" "w:m" {category = "optimizer", memory = "host"
// CHECK: exec.copy %[[G]] -> %[[GH]]
// CHECK: exec.launch @update(%[[GH]], %[[M]]) -> (%[[M]])
exec.task @epilogue attributes {kind = "epilogue", stage = 0 : i64} {
  %g = exec.buffer "value" "g" {category = "gradients"} : <tensor<1048576xf32>>
  %m = exec.buffer "state" "w:m" {category = "optimizer", memory = "host"} : <tensor<1048576xf32>>
  exec.launch @update(%g, %m) -> (%m) : (!exec.buffer<tensor<1048576xf32>>, !exec.buffer<tensor<1048576xf32>>) -> !exec.buffer<tensor<1048576xf32>>
}
// CHECK: dist.schedule
// CHECK-SAME: exec.arenas = {device = {{[0-9]+}} : i64, host = 8388608 : i64}
dist.schedule attributes {stage = 0 : i64} {
  dist.run @forward {microbatch = 0 : i64}
  dist.run @backward {microbatch = 0 : i64}
  dist.run @epilogue {microbatch = 0 : i64}
}
