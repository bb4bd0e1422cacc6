// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --zcc-share-buffers --zcc-place-events --zcc-verify-schedule | FileCheck %s
// RUN: zcc-opt %s --zcc-share-buffers --zcc-place-events --zcc-verify-schedule --zcc-plan-memory --zcc-verify-plan --zcc-verify-order

// Some values need no memory of their own: dense slices, parts of concatenations, values that are updated in place.

dist.mesh @mesh [#dist.axis<"data" = 2>]
dist.input @x : tensor<4x64xf32> {input = "x", sharding = #dist.sharding<@mesh, [{}, {}]>, stage = 0 : i64}
dist.state @a : tensor<4x64xf32> {kind = "parameter", parameter = "a", file_type = tensor<4x64xf32>, start = array<i64: 0, 0>, extent = array<i64: 4, 64>, sharding = #dist.sharding<@mesh, [{}, {}]>, stage = 0 : i64}

// CHECK-NOT: @rows
func.func private @rows(%a: tensor<4x64xf32>) -> tensor<128xf32> attributes {exec.kernel} {
  %0 = train.slice %a {start = array<i64: 1, 0>, limit = array<i64: 3, 64>, stride = array<i64: 1, 1>} : (tensor<4x64xf32>) -> tensor<2x64xf32>
  %1 = train.reshape %0 : (tensor<2x64xf32>) -> tensor<128xf32>
  return %1 : tensor<128xf32>
}
// CHECK: func private @columns
func.func private @columns(%a: tensor<4x64xf32>) -> tensor<4x32xf32> attributes {exec.kernel} {
  %0 = train.slice %a {start = array<i64: 0, 32>, limit = array<i64: 4, 64>, stride = array<i64: 1, 1>} : (tensor<4x64xf32>) -> tensor<4x32xf32>
  return %0 : tensor<4x32xf32>
}
func.func private @last(%a: tensor<4x64xf32>) -> tensor<64xf32> attributes {exec.kernel} {
  %0 = train.slice %a {start = array<i64: 3, 0>, limit = array<i64: 4, 64>, stride = array<i64: 1, 1>} : (tensor<4x64xf32>) -> tensor<1x64xf32>
  %1 = train.reshape %0 : (tensor<1x64xf32>) -> tensor<64xf32>
  return %1 : tensor<64xf32>
}
func.func private @negate(%a: tensor<4x64xf32>) -> tensor<4x64xf32> attributes {exec.kernel} {
  %0 = train.negate %a : (tensor<4x64xf32>) -> tensor<4x64xf32>
  return %0 : tensor<4x64xf32>
}
func.func private @turn(%a: tensor<4x64xf32>) -> tensor<4x64xf32> attributes {exec.kernel} {
  %0 = train.reverse %a {dims = array<i64: 0>} : (tensor<4x64xf32>) -> tensor<4x64xf32>
  return %0 : tensor<4x64xf32>
}
// CHECK-NOT: @join
func.func private @join(%a: tensor<4x64xf32>, %b: tensor<2x128xf32>) -> tensor<8x64xf32> attributes {exec.kernel} {
  %0 = train.reshape %b : (tensor<2x128xf32>) -> tensor<4x64xf32>
  %1 = train.concatenate %a, %0 {dim = 0 : i64} : (tensor<4x64xf32>, tensor<4x64xf32>) -> tensor<8x64xf32>
  return %1 : tensor<8x64xf32>
}
func.func private @all(%a: tensor<8x64xf32>) -> tensor<8x64xf32> attributes {exec.kernel} {
  %0 = train.abs %a : (tensor<8x64xf32>) -> tensor<8x64xf32>
  return %0 : tensor<8x64xf32>
}
func.func private @put(%a: tensor<4x64xf32>, %row: tensor<1x64xf32>, %at: tensor<i32>) -> tensor<4x64xf32> attributes {exec.kernel} {
  %0 = train.constant dense<0> : tensor<i32>
  %1 = train.dynamic_update_slice %a, %row, %at, %0 : (tensor<4x64xf32>, tensor<1x64xf32>, tensor<i32>, tensor<i32>) -> tensor<4x64xf32>
  return %1 : tensor<4x64xf32>
}

// A slice is a part of what it is taken from, if it has no holes and nobody writes there before it is read.
// CHECK-LABEL: exec.task @slices
// CHECK-DAG: %[[ROWS:.*]] = exec.buffer "input" "x" {begin = 256 : i64, category = "temporary"} : <tensor<128xf32>>
// CHECK-DAG: %[[HALF:.*]] = exec.buffer "temporary" "half"
// CHECK-DAG: %[[LAST:.*]] = exec.buffer "temporary" "last"
// CHECK: exec.launch @columns(%{{.*}}) -> (%[[HALF]])
// CHECK: exec.launch @last(%{{.*}}) -> (%[[LAST]])
// CHECK: exec.collective all_reduce %[[ROWS]] ->
// CHECK: exec.collective all_reduce %[[HALF]] ->
// CHECK: exec.launch @negate(%[[A:.*]]) -> (%[[A]])
// CHECK: exec.collective all_reduce %[[LAST]] ->
exec.task @slices attributes {kind = "forward", stage = 0 : i64} {
  %x = exec.buffer "input" "x" {category = "temporary"} : <tensor<4x64xf32>>
  %a = exec.buffer "state" "a" {category = "parameters"} : <tensor<4x64xf32>>
  %rows = exec.buffer "temporary" "rows" {category = "temporary"} : <tensor<128xf32>>
  %half = exec.buffer "temporary" "half" {category = "temporary"} : <tensor<4x32xf32>>
  %last = exec.buffer "temporary" "last" {category = "temporary"} : <tensor<64xf32>>
  %u = exec.buffer "value" "u" {category = "residuals"} : <tensor<128xf32>>
  %v = exec.buffer "value" "v" {category = "residuals"} : <tensor<4x32xf32>>
  %w = exec.buffer "value" "w" {category = "residuals"} : <tensor<64xf32>>
  %z = exec.buffer "value" "z" {category = "residuals"} : <tensor<4x64xf32>>
  exec.launch @rows(%x) -> (%rows) : (!exec.buffer<tensor<4x64xf32>>) -> !exec.buffer<tensor<128xf32>>
  exec.launch @columns(%x) -> (%half) : (!exec.buffer<tensor<4x64xf32>>) -> !exec.buffer<tensor<4x32xf32>>
  exec.launch @last(%a) -> (%last) : (!exec.buffer<tensor<4x64xf32>>) -> !exec.buffer<tensor<64xf32>>
  exec.collective "all_reduce" %rows -> %u {axes = ["data"], reduction = "add", what = "activation", value = "x", why = ""} : <tensor<128xf32>> -> <tensor<128xf32>>
  exec.collective "all_reduce" %half -> %v {axes = ["data"], reduction = "add", what = "activation", value = "x", why = ""} : <tensor<4x32xf32>> -> <tensor<4x32xf32>>
  exec.launch @negate(%a) -> (%a) : (!exec.buffer<tensor<4x64xf32>>) -> !exec.buffer<tensor<4x64xf32>>
  exec.collective "all_reduce" %x -> %z {axes = ["data"], reduction = "add", what = "activation", value = "x", why = ""} : <tensor<4x64xf32>> -> <tensor<4x64xf32>>
  exec.collective "all_reduce" %last -> %w {axes = ["data"], reduction = "add", what = "activation", value = "x", why = ""} : <tensor<64xf32>> -> <tensor<64xf32>>
}

// Parts of a concatenation are made in its memory; a part that another task made is copied there.
// CHECK-LABEL: exec.task @parts
// CHECK-DAG: %[[ALL:.*]] = exec.buffer "temporary" "all" {category = "temporary"} : <tensor<8x64xf32>>
// CHECK-DAG: %[[ONE:.*]] = exec.buffer "temporary" "all" {begin = 0 : i64, category = "temporary"} : <tensor<4x64xf32>>
// CHECK-DAG: %[[TWO:.*]] = exec.buffer "temporary" "all" {begin = 1024 : i64, category = "temporary"} : <tensor<2x128xf32>>
// CHECK-DAG: %[[THREE:.*]] = exec.buffer "temporary" "more" {begin = 0 : i64, category = "temporary"} : <tensor<4x64xf32>>
// CHECK-DAG: %[[FOUR:.*]] = exec.buffer "temporary" "more" {begin = 1024 : i64, category = "temporary"} : <tensor<2x128xf32>>
// CHECK: exec.launch @negate(%{{.*}}) -> (%[[ONE]])
// CHECK: exec.collective all_reduce %{{.*}} -> %[[TWO]]
// CHECK-NEXT: exec.collective all_reduce %[[ALL]] ->
// CHECK: exec.launch @negate(%{{.*}}) -> (%[[THREE]])
// CHECK-NEXT: exec.copy %{{.*}} -> %[[FOUR]]
// CHECK-NEXT: exec.launch @all(%[[MORE:.*]]) -> (%[[MORE]])
exec.task @parts attributes {kind = "forward", stage = 0 : i64} {
  %x = exec.buffer "input" "x" {category = "temporary"} : <tensor<4x64xf32>>
  %z = exec.buffer "value" "z" {category = "residuals"} : <tensor<2x128xf32>>
  %one = exec.buffer "temporary" "one" {category = "temporary"} : <tensor<4x64xf32>>
  %two = exec.buffer "temporary" "two" {category = "temporary"} : <tensor<2x128xf32>>
  %xx = exec.buffer "input" "x" {category = "temporary"} : <tensor<2x128xf32>>
  %all = exec.buffer "temporary" "all" {category = "temporary"} : <tensor<8x64xf32>>
  %three = exec.buffer "temporary" "three" {category = "temporary"} : <tensor<4x64xf32>>
  %other = exec.buffer "temporary" "other" {category = "temporary"} : <tensor<8x64xf32>>
  %more = exec.buffer "temporary" "more" {category = "temporary"} : <tensor<8x64xf32>>
  %p = exec.buffer "value" "p" {category = "residuals"} : <tensor<8x64xf32>>
  %q = exec.buffer "value" "q" {category = "residuals"} : <tensor<8x64xf32>>
  exec.launch @negate(%x) -> (%one) : (!exec.buffer<tensor<4x64xf32>>) -> !exec.buffer<tensor<4x64xf32>>
  exec.collective "all_reduce" %xx -> %two {axes = ["data"], reduction = "add", what = "activation", value = "x", why = ""} : <tensor<2x128xf32>> -> <tensor<2x128xf32>>
  exec.launch @join(%one, %two) -> (%all) : (!exec.buffer<tensor<4x64xf32>>, !exec.buffer<tensor<2x128xf32>>) -> !exec.buffer<tensor<8x64xf32>>
  exec.collective "all_reduce" %all -> %p {axes = ["data"], reduction = "add", what = "activation", value = "x", why = ""} : <tensor<8x64xf32>> -> <tensor<8x64xf32>>
  exec.launch @negate(%x) -> (%three) : (!exec.buffer<tensor<4x64xf32>>) -> !exec.buffer<tensor<4x64xf32>>
  exec.launch @join(%three, %z) -> (%other) : (!exec.buffer<tensor<4x64xf32>>, !exec.buffer<tensor<2x128xf32>>) -> !exec.buffer<tensor<8x64xf32>>
  exec.launch @all(%other) -> (%more) : (!exec.buffer<tensor<8x64xf32>>) -> !exec.buffer<tensor<8x64xf32>>
  exec.collective "all_reduce" %more -> %q {axes = ["data"], reduction = "add", what = "activation", value = "x", why = ""} : <tensor<8x64xf32>> -> <tensor<8x64xf32>>
}
dist.schedule attributes {stage = 0 : i64} {
  dist.run @slices {microbatch = 0 : i64}
  dist.run @parts {microbatch = 0 : i64}
  dist.run @chain {microbatch = 0 : i64}
}

// A chain is one piece of memory, but where elements change places, a link reads, or the old contents are read again.
// CHECK-LABEL: exec.task @chain
// CHECK-DAG: %[[T:.*]] = exec.buffer "temporary" "t1"
// CHECK-DAG: %[[S:.*]] = exec.buffer "temporary" "t4"
// CHECK-DAG: %[[V:.*]] = exec.buffer "value" "made"
// CHECK: exec.launch @negate(%{{.*}}) -> (%[[T]])
// CHECK-NEXT: exec.launch @negate(%[[T]]) -> (%[[T]])
// CHECK-NEXT: exec.launch @turn(%[[T]]) -> (%[[S]])
// CHECK-NEXT: exec.launch @put(%[[S]], %{{.*}}, %{{.*}}) -> (%[[S]])
// CHECK-NEXT: exec.launch @negate(%[[S]]) -> (%[[S]])
// CHECK-NEXT: exec.collective all_reduce %[[S]] -> %{{.*}} {{{.*}}exec.event
// CHECK-NEXT: exec.launch @negate(%[[S]]) -> (%[[V]])
exec.task @chain attributes {kind = "forward", stage = 0 : i64} {
  %x = exec.buffer "input" "x" {category = "temporary"} : <tensor<4x64xf32>>
  %w = exec.buffer "value" "w" {category = "residuals"} : <tensor<1x64xf32>>
  %unused = exec.buffer "input" "x" {category = "temporary"} : <tensor<2x128xf32>>
  %again = exec.buffer "input" "x" {category = "temporary"} : <tensor<2x128xf32>>
  %v = exec.buffer "value" "v2" {category = "residuals"} : <tensor<2x128xf32>>
  %at = exec.buffer "coordinates" "coordinates" {category = "temporary"} : <tensor<i32>>
  %t0 = exec.buffer "temporary" "t0" {category = "temporary"} : <tensor<4x64xf32>>
  %t1 = exec.buffer "temporary" "t1" {category = "temporary"} : <tensor<4x64xf32>>
  %t2 = exec.buffer "temporary" "t2" {category = "temporary"} : <tensor<4x64xf32>>
  %t3 = exec.buffer "temporary" "t3" {category = "temporary"} : <tensor<4x64xf32>>
  %t4 = exec.buffer "temporary" "t4" {category = "temporary"} : <tensor<4x64xf32>>
  %sum = exec.buffer "value" "sum" {category = "residuals"} : <tensor<4x64xf32>>
  %made = exec.buffer "value" "made" {category = "residuals"} : <tensor<4x64xf32>>
  exec.launch @negate(%x) -> (%t0) : (!exec.buffer<tensor<4x64xf32>>) -> !exec.buffer<tensor<4x64xf32>>
  exec.launch @negate(%t0) -> (%t1) : (!exec.buffer<tensor<4x64xf32>>) -> !exec.buffer<tensor<4x64xf32>>
  exec.launch @turn(%t1) -> (%t2) : (!exec.buffer<tensor<4x64xf32>>) -> !exec.buffer<tensor<4x64xf32>>
  exec.launch @put(%t2, %w, %at) -> (%t3) : (!exec.buffer<tensor<4x64xf32>>, !exec.buffer<tensor<1x64xf32>>, !exec.buffer<tensor<i32>>) -> !exec.buffer<tensor<4x64xf32>>
  exec.launch @negate(%t3) -> (%t4) : (!exec.buffer<tensor<4x64xf32>>) -> !exec.buffer<tensor<4x64xf32>>
  exec.collective "all_reduce" %t4 -> %sum {axes = ["data"], reduction = "add", stream = 1 : i64, what = "activation", value = "x", why = ""} : <tensor<4x64xf32>> -> <tensor<4x64xf32>>
  exec.launch @negate(%t4) -> (%made) : (!exec.buffer<tensor<4x64xf32>>) -> !exec.buffer<tensor<4x64xf32>>
  exec.copy %again -> %v : !exec.buffer<tensor<2x128xf32>> -> !exec.buffer<tensor<2x128xf32>>
}
