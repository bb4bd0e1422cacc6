// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --zcc-batch-launches --zcc-verify-schedule | FileCheck %s

// Launches side by side that touch nothing that another one writes are one step.

func.func private @negate(%a: tensor<4xf32>) -> tensor<4xf32> attributes {exec.kernel} {
  %0 = train.negate %a : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @sums(%a: tensor<32x4xf32>) -> tensor<32xf32> attributes {exec.kernel} {
  %0 = train.reduce %a {dims = array<i64: 1>, kind = #train<reduce_kind add>} : (tensor<32x4xf32>) -> tensor<32xf32>
  return %0 : tensor<32xf32>
}

// Up to the launch that reads what one of them writes; what is written to a
// temporary, or is no work element by element and much, stays alone.
// CHECK-LABEL: exec.task @apart
// CHECK: exec.batch {
// CHECK-NEXT: exec.launch @negate(%[[G:.+]]) -> (%[[A:[0-9a-z]+]])
// CHECK-NEXT: exec.launch @negate(%[[G]]) -> (%[[B:[0-9a-z]+]])
// CHECK-NEXT: }
// CHECK-NEXT: exec.launch @negate(%[[A]]) -> (%[[C:[0-9a-z]+]])
// CHECK-NEXT: exec.launch @negate(%[[C]]) -> (%[[T:[0-9a-z]+]])
// CHECK-NEXT: exec.launch @sums
// CHECK-NEXT: exec.launch @negate(%[[T]])
exec.task @apart attributes {kind = "backward", stage = 0 : i64} {
  %g = exec.buffer "value" "g" {category = "gradients"} : <tensor<4xf32>>
  %a = exec.buffer "value" "a" {category = "residuals"} : <tensor<4xf32>>
  %b = exec.buffer "value" "b" {category = "residuals"} : <tensor<4xf32>>
  %c = exec.buffer "value" "c" {category = "residuals"} : <tensor<4xf32>>
  %s = exec.buffer "value" "s" {category = "residuals"} : <tensor<32xf32>>
  %w = exec.buffer "value" "w" {category = "residuals"} : <tensor<32x4xf32>>
  %t = exec.buffer "temporary" "t0" {category = "temporary"} : <tensor<4xf32>>
  exec.launch @negate(%g) -> (%a) : (!exec.buffer<tensor<4xf32>>) -> !exec.buffer<tensor<4xf32>>
  exec.launch @negate(%g) -> (%b) : (!exec.buffer<tensor<4xf32>>) -> !exec.buffer<tensor<4xf32>>
  exec.launch @negate(%a) -> (%c) : (!exec.buffer<tensor<4xf32>>) -> !exec.buffer<tensor<4xf32>>
  exec.launch @negate(%c) -> (%t) : (!exec.buffer<tensor<4xf32>>) -> !exec.buffer<tensor<4xf32>>
  exec.launch @sums(%w) -> (%s) : (!exec.buffer<tensor<32x4xf32>>) -> !exec.buffer<tensor<32xf32>>
  exec.launch @negate(%t) -> (%g) : (!exec.buffer<tensor<4xf32>>) -> !exec.buffer<tensor<4xf32>>
}

// Parts of one memory are apart; the host's and the device's are two steps.
// CHECK-LABEL: exec.task @memories
// CHECK-COUNT-2: exec.batch {
// CHECK-NOT: exec.batch {
exec.task @memories attributes {kind = "backward", stage = 0 : i64} {
  %g = exec.buffer "value" "g" {category = "gradients"} : <tensor<4xf32>>
  %p = exec.buffer "value" "p" {category = "residuals", begin = 0 : i64} : <tensor<4xf32>>
  %q = exec.buffer "value" "p" {category = "residuals", begin = 64 : i64} : <tensor<4xf32>>
  %h = exec.buffer "state" "h" {category = "optimizer", memory = "host"} : <tensor<4xf32>>
  %i = exec.buffer "state" "i" {category = "optimizer", memory = "host"} : <tensor<4xf32>>
  exec.launch @negate(%g) -> (%p) : (!exec.buffer<tensor<4xf32>>) -> !exec.buffer<tensor<4xf32>>
  exec.launch @negate(%g) -> (%q) : (!exec.buffer<tensor<4xf32>>) -> !exec.buffer<tensor<4xf32>>
  exec.launch @negate(%h) -> (%h) : (!exec.buffer<tensor<4xf32>>) -> !exec.buffer<tensor<4xf32>>
  exec.launch @negate(%i) -> (%i) : (!exec.buffer<tensor<4xf32>>) -> !exec.buffer<tensor<4xf32>>
}

// A launch that a step of another stream comes after is the last of its batch,
// so that this begins as early as before; one that comes after more of them than
// those before it begins the next.
// CHECK-LABEL: exec.task @streams
// CHECK: exec.collective all_reduce %[[G:.+]] -> %[[G]]
// CHECK: exec.batch {
// CHECK-NEXT: exec.launch @negate(%{{.+}}) -> (%{{.+}})
// CHECK-NEXT: exec.launch @negate(%{{.+}}) -> (%[[B:[0-9a-z]+]])
// CHECK-NEXT: }
// CHECK-NEXT: exec.batch {
// CHECK-NEXT: exec.launch @negate(%[[G]])
// CHECK-NEXT: exec.launch
// CHECK-NEXT: }
// CHECK-NEXT: exec.collective all_reduce %[[B]]
exec.task @streams attributes {kind = "backward", stage = 0 : i64} {
  %g = exec.buffer "value" "g" {category = "gradients"} : <tensor<4xf32>>
  %a = exec.buffer "value" "a" {category = "residuals"} : <tensor<4xf32>>
  %b = exec.buffer "value" "b" {category = "residuals"} : <tensor<4xf32>>
  %c = exec.buffer "value" "c" {category = "residuals"} : <tensor<4xf32>>
  exec.collective "all_reduce" %g -> %g {axes = ["data"], reduction = "add", what = "scalar", value = "g", why = "", stream = 1 : i64} : <tensor<4xf32>> -> <tensor<4xf32>>
  exec.launch @negate(%a) -> (%a) : (!exec.buffer<tensor<4xf32>>) -> !exec.buffer<tensor<4xf32>>
  exec.launch @negate(%b) -> (%b) : (!exec.buffer<tensor<4xf32>>) -> !exec.buffer<tensor<4xf32>>
  exec.launch @negate(%g) -> (%c) : (!exec.buffer<tensor<4xf32>>) -> !exec.buffer<tensor<4xf32>>
  exec.launch @negate(%a) -> (%a) : (!exec.buffer<tensor<4xf32>>) -> !exec.buffer<tensor<4xf32>>
  exec.collective "all_reduce" %b -> %b {axes = ["data"], reduction = "add", what = "scalar", value = "b", why = "", stream = 1 : i64} : <tensor<4xf32>> -> <tensor<4xf32>>
}

// Sums of blocks, and the sums of these: little memory, so that they are members
// though it is temporary, and come together though they stand in pairs. A launch
// that reads the result of a step on another stream keeps its place.
// CHECK-LABEL: exec.task @norm
// CHECK: exec.batch {
// CHECK-NEXT: exec.launch @squares(%{{.+}}) -> (%[[A:[0-9a-z]+]])
// CHECK-NEXT: exec.launch @squares(%{{.+}}) -> (%[[B:[0-9a-z]+]])
// CHECK-NEXT: }
// CHECK-NEXT: exec.batch {
// CHECK-NEXT: exec.launch @total(%[[A]])
// CHECK-NEXT: exec.launch @total(%[[B]])
// CHECK-NEXT: }
// CHECK-NEXT: exec.launch @squares
// CHECK-NEXT: exec.launch @total
exec.task @norm attributes {kind = "epilogue", stage = 0 : i64} {
  %g = exec.buffer "value" "g" {category = "gradients"} : <tensor<8192xf32>>
  %h = exec.buffer "value" "h" {category = "gradients"} : <tensor<8192xf32>>
  %i = exec.buffer "value" "i" {category = "gradients"} : <tensor<8192xf32>>
  %p = exec.buffer "temporary" "t0" {category = "temporary"} : <tensor<2xf32>>
  %q = exec.buffer "temporary" "t1" {category = "temporary"} : <tensor<f32>>
  %r = exec.buffer "temporary" "t2" {category = "temporary"} : <tensor<2xf32>>
  %s = exec.buffer "temporary" "t3" {category = "temporary"} : <tensor<f32>>
  %t = exec.buffer "temporary" "t4" {category = "temporary"} : <tensor<2xf32>>
  %u = exec.buffer "temporary" "t5" {category = "temporary"} : <tensor<f32>>
  exec.collective "all_reduce" %i -> %i {axes = ["data"], reduction = "add", what = "gradient", value = "i", why = "", stream = 1 : i64} : <tensor<8192xf32>> -> <tensor<8192xf32>>
  exec.launch @squares(%g) -> (%p) : (!exec.buffer<tensor<8192xf32>>) -> !exec.buffer<tensor<2xf32>>
  exec.launch @total(%p) -> (%q) : (!exec.buffer<tensor<2xf32>>) -> !exec.buffer<tensor<f32>>
  exec.launch @squares(%h) -> (%r) : (!exec.buffer<tensor<8192xf32>>) -> !exec.buffer<tensor<2xf32>>
  exec.launch @total(%r) -> (%s) : (!exec.buffer<tensor<2xf32>>) -> !exec.buffer<tensor<f32>>
  exec.launch @squares(%i) -> (%t) : (!exec.buffer<tensor<8192xf32>>) -> !exec.buffer<tensor<2xf32>>
  exec.launch @total(%t) -> (%u) : (!exec.buffer<tensor<2xf32>>) -> !exec.buffer<tensor<f32>>
}
func.func private @squares(%a: tensor<8192xf32>) -> tensor<2xf32> attributes {exec.kernel} {
  %0 = train.sum_of_squares %a : (tensor<8192xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func private @total(%a: tensor<2xf32>) -> tensor<f32> attributes {exec.kernel} {
  %0 = train.reduce %a {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<2xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}
dist.mesh @mesh [#dist.axis<"data" = 2>]
