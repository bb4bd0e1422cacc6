// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --split-input-file --zcc-interleave-runs=cut=waits --zcc-verify-schedule | FileCheck %s
// RUN: zcc-opt %s --split-input-file --zcc-interleave-runs=cut=waits --zcc-overlap-collectives --zcc-place-events --zcc-plan-memory --zcc-verify-plan --zcc-verify-order
// RUN: zcc-opt %s --split-input-file --zcc-interleave-runs=cut=steps --zcc-overlap-collectives --zcc-place-events --zcc-plan-memory --zcc-verify-plan --zcc-verify-order
// RUN: not zcc-opt %s --split-input-file --zcc-interleave-runs=cut=kernels 2>&1 | FileCheck %s --check-prefix=CUT
// RUN: zcc-opt %s --split-input-file --zcc-interleave-runs | FileCheck %s --check-prefix=ALONE

// The backward pass of a microbatch and the forward pass of the next take turns. Each is cut where it waits for a collective of
// activations, and not where it waits for a parameter. A temporary that both sides of a cut use becomes a value; one that a section alone
// uses stays. The first forward pass and the last backward pass have nobody to take turns with, and a machine without links has no use for it.

// ALONE-NOT: _turn
// CUT: error: --zcc-interleave-runs: expected cut=waits, cut=steps or cut=fits, found cut=kernels

dist.mesh @mesh [#dist.axis<"expert" = 2>, #dist.axis<"micro" = 2 temporal>]
dist.input @x : tensor<8192xf32> {input = "x", sharding = #dist.sharding<@mesh, [{"micro"}]>, stage = 0 : i64}
func.func private @negate(%a: tensor<4096xf32>) -> tensor<4096xf32> attributes {exec.kernel} {
  %0 = train.negate %a : (tensor<4096xf32>) -> tensor<4096xf32>
  return %0 : tensor<4096xf32>
}

// CHECK-LABEL: exec.task @forward_turn1
// CHECK-DAG: %[[T:[0-9a-z]+]] = exec.buffer "temporary" "t"
// CHECK-DAG: %[[U:[0-9a-z]+]] = exec.buffer "value" "forward/u"
// CHECK: exec.launch @negate(%{{.*}}) -> (%[[T]])
// CHECK-NEXT: exec.collective all_to_all %[[T]] -> %[[U]]
// CHECK-NOT: exec.launch
// CHECK-LABEL: exec.task @forward_turn2
// CHECK-DAG: %[[V:[0-9a-z]+]] = exec.buffer "value" "forward/u"
// CHECK-DAG: %[[R:[0-9a-z]+]] = exec.buffer "value" "r"
// CHECK: exec.launch @negate(%[[V]]) -> (%[[R]])
// CHECK-LABEL: exec.task @forward attributes
// CHECK-LABEL: exec.task @backward_turn1
// CHECK: exec.collective all_gather
// CHECK-NEXT: exec.launch
// CHECK-NEXT: exec.collective all_to_all
// CHECK-LABEL: exec.task @backward_turn2
// CHECK: exec.launch
// CHECK-LABEL: exec.task @backward attributes
// CHECK: dist.schedule
// CHECK-NEXT: dist.run @forward {microbatch = 0
// CHECK-NEXT: dist.run @backward_turn1 {microbatch = 0
// CHECK-NEXT: dist.run @forward_turn1 {microbatch = 1
// CHECK-NEXT: dist.run @backward_turn2 {microbatch = 0
// CHECK-NEXT: dist.run @forward_turn2 {microbatch = 1
// CHECK-NEXT: dist.run @backward {microbatch = 1
exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  %x = exec.buffer "input" "x" {category = "temporary"} : <tensor<4096xf32>>
  %t = exec.buffer "temporary" "t" {category = "temporary"} : <tensor<4096xf32>>
  %u = exec.buffer "temporary" "u" {category = "temporary"} : <tensor<4096xf32>>
  %r = exec.buffer "value" "r" {category = "residuals"} : <tensor<4096xf32>>
  exec.launch @negate(%x) -> (%t) : (!exec.buffer<tensor<4096xf32>>) -> !exec.buffer<tensor<4096xf32>>
  exec.collective "all_to_all" %t -> %u {axes = ["expert"], what = "activation", value = "u", why = ""} : <tensor<4096xf32>> -> <tensor<4096xf32>>
  exec.launch @negate(%u) -> (%r) : (!exec.buffer<tensor<4096xf32>>) -> !exec.buffer<tensor<4096xf32>>
}
exec.task @backward attributes {kind = "backward", stage = 0 : i64} {
  %r = exec.buffer "value" "r" {category = "residuals"} : <tensor<4096xf32>>
  %p = exec.buffer "temporary" "p" {category = "temporary"} : <tensor<8192xf32>>
  %t = exec.buffer "temporary" "t" {category = "temporary"} : <tensor<4096xf32>>
  %u = exec.buffer "temporary" "u" {category = "temporary"} : <tensor<4096xf32>>
  %v = exec.buffer "temporary" "v" {category = "temporary"} : <tensor<4096xf32>>
  %half = exec.buffer "temporary" "p" {category = "temporary", begin = 0 : i64} : <tensor<4096xf32>>
  exec.collective "all_gather" %r -> %p {axes = ["expert"], what = "parameter", value = "p", why = ""} : <tensor<4096xf32>> -> <tensor<8192xf32>>
  exec.launch @negate(%half) -> (%t) : (!exec.buffer<tensor<4096xf32>>) -> !exec.buffer<tensor<4096xf32>>
  exec.collective "all_to_all" %t -> %u {axes = ["expert"], what = "activation", value = "u", why = ""} : <tensor<4096xf32>> -> <tensor<4096xf32>>
  exec.launch @negate(%u) -> (%v) : (!exec.buffer<tensor<4096xf32>>) -> !exec.buffer<tensor<4096xf32>>
}
dist.schedule attributes {stage = 0 : i64, microbatches = 2 : i64} {
  dist.run @forward {microbatch = 0 : i64}
  dist.run @backward {microbatch = 0 : i64}
  dist.run @forward {microbatch = 1 : i64}
  dist.run @backward {microbatch = 1 : i64}
}

// -----

// Runs that need something of each other stay as they are, such as two that add to one sum.

dist.mesh @mesh [#dist.axis<"expert" = 2>]
func.func private @add(%a: tensor<4096xf32>, %b: tensor<4096xf32>) -> tensor<4096xf32> attributes {exec.kernel} {
  %0 = train.add %a, %b : (tensor<4096xf32>, tensor<4096xf32>) -> tensor<4096xf32>
  return %0 : tensor<4096xf32>
}

// CHECK-LABEL: func.func private @add
// CHECK-NOT: _turn
exec.task @prologue attributes {kind = "prologue", stage = 0 : i64} {
  %s = exec.buffer "accumulator" "s" {category = "gradients"} : <tensor<4096xf32>>
  exec.fill %s {value = 0 : i64} : <tensor<4096xf32>>
}
exec.task @one attributes {kind = "forward", stage = 0 : i64} {
  %s = exec.buffer "accumulator" "s" {category = "gradients"} : <tensor<4096xf32>>
  %t = exec.buffer "temporary" "t" {category = "temporary"} : <tensor<4096xf32>>
  exec.collective "all_to_all" %s -> %t {axes = ["expert"], what = "activation", value = "u", why = ""} : <tensor<4096xf32>> -> <tensor<4096xf32>>
  exec.launch @add(%s, %t) -> (%s) : (!exec.buffer<tensor<4096xf32>>, !exec.buffer<tensor<4096xf32>>) -> !exec.buffer<tensor<4096xf32>>
}
exec.task @other attributes {kind = "backward", stage = 0 : i64} {
  %s = exec.buffer "accumulator" "s" {category = "gradients"} : <tensor<4096xf32>>
  %t = exec.buffer "temporary" "t" {category = "temporary"} : <tensor<4096xf32>>
  exec.collective "all_to_all" %s -> %t {axes = ["expert"], what = "activation", value = "u", why = ""} : <tensor<4096xf32>> -> <tensor<4096xf32>>
  exec.launch @add(%s, %t) -> (%s) : (!exec.buffer<tensor<4096xf32>>, !exec.buffer<tensor<4096xf32>>) -> !exec.buffer<tensor<4096xf32>>
}
dist.schedule attributes {stage = 0 : i64} {
  dist.run @prologue {microbatch = 0 : i64}
  dist.run @one {microbatch = 0 : i64}
  dist.run @other {microbatch = 0 : i64}
}

// -----

// Steps that make parts of one value stay in one section: a value is made by one task.

dist.mesh @mesh [#dist.axis<"expert" = 2>]
dist.input @x : tensor<4096xf32> {input = "x", sharding = #dist.sharding<@mesh, [{}]>, stage = 0 : i64}
func.func private @negate(%a: tensor<4096xf32>) -> tensor<4096xf32> attributes {exec.kernel} {
  %0 = train.negate %a : (tensor<4096xf32>) -> tensor<4096xf32>
  return %0 : tensor<4096xf32>
}

// CHECK-LABEL: exec.task @one_turn1
// CHECK: all_to_all
// CHECK-NOT: exec.launch
// CHECK-LABEL: exec.task @one_turn2 attributes {{.*}}exec.section = 1
// CHECK: exec.launch
// CHECK-NEXT: all_to_all
// CHECK-NEXT: exec.launch
// CHECK-NEXT: all_to_all
exec.task @one attributes {kind = "forward", stage = 0 : i64} {
  %x = exec.buffer "input" "x" {category = "temporary"} : <tensor<4096xf32>>
  %t = exec.buffer "temporary" "t" {category = "temporary"} : <tensor<4096xf32>>
  %u = exec.buffer "temporary" "u" {category = "temporary"} : <tensor<4096xf32>>
  %p = exec.buffer "temporary" "p" {begin = 0 : i64, category = "temporary"} : <tensor<4096xf32>>
  %w = exec.buffer "temporary" "w" {category = "temporary"} : <tensor<4096xf32>>
  %q = exec.buffer "temporary" "p" {begin = 16384 : i64, category = "temporary"} : <tensor<4096xf32>>
  exec.collective "all_to_all" %x -> %t {axes = ["expert"], what = "activation", value = "u", why = ""} : <tensor<4096xf32>> -> <tensor<4096xf32>>
  exec.launch @negate(%t) -> (%p) : (!exec.buffer<tensor<4096xf32>>) -> !exec.buffer<tensor<4096xf32>>
  exec.collective "all_to_all" %p -> %u {axes = ["expert"], what = "activation", value = "u", why = ""} : <tensor<4096xf32>> -> <tensor<4096xf32>>
  exec.launch @negate(%u) -> (%q) : (!exec.buffer<tensor<4096xf32>>) -> !exec.buffer<tensor<4096xf32>>
  exec.collective "all_to_all" %q -> %u {axes = ["expert"], what = "activation", value = "u", why = ""} : <tensor<4096xf32>> -> <tensor<4096xf32>>
  exec.launch @negate(%u) -> (%w) : (!exec.buffer<tensor<4096xf32>>) -> !exec.buffer<tensor<4096xf32>>
}
exec.task @other attributes {kind = "backward", stage = 0 : i64} {
  %x = exec.buffer "input" "x" {category = "temporary"} : <tensor<4096xf32>>
  %t = exec.buffer "temporary" "t" {category = "temporary"} : <tensor<4096xf32>>
  %u = exec.buffer "temporary" "u" {category = "temporary"} : <tensor<4096xf32>>
  exec.collective "all_to_all" %x -> %t {axes = ["expert"], what = "activation", value = "u", why = ""} : <tensor<4096xf32>> -> <tensor<4096xf32>>
  exec.launch @negate(%t) -> (%u) : (!exec.buffer<tensor<4096xf32>>) -> !exec.buffer<tensor<4096xf32>>
}
dist.schedule attributes {stage = 0 : i64} {
  dist.run @one {microbatch = 0 : i64}
  dist.run @other {microbatch = 0 : i64}
}
