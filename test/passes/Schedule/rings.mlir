// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --zcc-schedule-tasks --zcc-verify-schedule --split-input-file | FileCheck %s

// A ring is one kernel, repeated. From three devices on a block goes through two more buffers; its own stays as it is. The
// sums that travel come home to the result: with an odd number of devices they begin in the other buffer.
dist.mesh @mesh [#dist.axis<"context" = 3>]

// CHECK-LABEL: exec.task @forward
// CHECK-DAG: %[[Q:.+]] = exec.buffer "value" "q"
// CHECK-DAG: %[[K:.+]] = exec.buffer "value" "k"
// CHECK-DAG: %[[V:.+]] = exec.buffer "value" "v"
// CHECK-DAG: %[[O:.+]] = exec.buffer "value" "o"
// CHECK: exec.fill %[[M:.+]] {value = 4286578688 : i64}
// CHECK-NEXT: exec.fill %[[T:.+]] {value = 0 : i64}
// CHECK-NEXT: exec.fill %[[O]] {value = 0 : i64}
// CHECK-NEXT: exec.repeat over ["context"] member %[[B:[^ ]+]] : <tensor<i32>> held(%[[K]], %[[V]] : {{.*}}) next(%[[K1:[^,]+]], %[[V1:[^ ]+]] : {{.*}}) spare(%[[K2:[^,]+]], %[[V2:[^ ]+]] : {{.*}}) attributes {value = "m.py:1"} {
// CHECK-NEXT: exec.launch @[[KERNEL:.+]](%[[Q]], %[[K]], %[[V]], %[[B]], %[[M]], %[[T]], %[[O]]) -> (%[[M]], %[[T]], %[[O]])
// CHECK-NEXT: } between {
// CHECK-NEXT: exec.collective permute %[[K]] -> %[[K1]] {{.*}}shift = 1
// CHECK-NEXT: exec.collective permute %[[V]] -> %[[V1]] {{.*}}shift = 1
func.func @forward(%q: tensor<4x2x4xf32> {dist.value = "q"}, %k: tensor<4x2x4xf32> {dist.value = "k"}, %v: tensor<4x2x4xf32> {dist.value = "v"}) -> (tensor<4x2x4xf32> {dist.value = "o"}) attributes {dist.task = "forward", dist.stage = 0 : i64} {
  %0:3 = dist.ring %q, %k, %v {
  ^bb0(%b: tensor<i32>, %x: tensor<4x2x4xf32>, %y: tensor<4x2x4xf32>, %z: tensor<4x2x4xf32>, %m: tensor<4x2xf32>, %t: tensor<4x2xf32>, %s: tensor<4x2x4xf32>):
    %1:3 = train.attention_block %x, %y, %z, %b, %m, %t, %s {after = 0 : i64, all_keys = 12 : i64, fill = -1.0e30 : f64, scale = 0.5 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 1, 1, 1, 1>} : (tensor<4x2x4xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>, tensor<i32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2x4xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2x4xf32>)
    dist.yield %1#0, %1#1, %1#2 : tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2x4xf32>
  } {axes = ["context"], moved = 0 : i64, passed = 2 : i64, starts = [0xFFF0000000000000 : f64, 0.0, 0.0], what = "activation", value = "m.py:1", why = ""} : (tensor<4x2x4xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2x4xf32>)
  return %0#2 : tensor<4x2x4xf32>
}

// CHECK-LABEL: exec.task @backward
// CHECK-DAG: %[[DQ:.+]] = exec.buffer "value" "dq"
// CHECK-DAG: %[[DK:.+]] = exec.buffer "value" "dk"
// CHECK-DAG: %[[DV:.+]] = exec.buffer "value" "dv"
// CHECK: exec.fill %[[DQ]]
// CHECK-NEXT: exec.fill %[[DK1:.+]] {
// CHECK-NEXT: exec.fill %[[DV1:.+]] {
// CHECK-NEXT: exec.repeat {{.*}} held({{.*}}, %[[DK1]], %[[DV1]] : {{.*}} next({{.*}}, %[[DK]], %[[DV]] : {{.*}} spare({{.*}}, %[[DK1]], %[[DV1]] :
// CHECK-NEXT: exec.launch {{.*}} -> (%[[DQ]], %[[DK1]], %[[DV1]])
// CHECK-NEXT: exec.collective permute %[[DK1]] -> %[[DK]]
// CHECK-NEXT: exec.collective permute %[[DV1]] -> %[[DV]]
// CHECK-NEXT: } between {
// CHECK-COUNT-2: exec.collective permute
func.func @backward(%q: tensor<4x2x4xf32> {dist.value = "q"}, %k: tensor<4x2x4xf32> {dist.value = "k"}, %v: tensor<4x2x4xf32> {dist.value = "v"}, %l: tensor<4x2xf32> {dist.value = "l"}) -> (tensor<4x2x4xf32> {dist.value = "dq"}, tensor<4x2x4xf32> {dist.value = "dk"}, tensor<4x2x4xf32> {dist.value = "dv"}) attributes {dist.task = "backward", dist.stage = 0 : i64} {
  %0:3 = dist.ring %q, %l, %k, %v {
  ^bb0(%b: tensor<i32>, %x: tensor<4x2x4xf32>, %r: tensor<4x2xf32>, %y: tensor<4x2x4xf32>, %z: tensor<4x2x4xf32>, %m: tensor<4x2x4xf32>, %t: tensor<4x2x4xf32>, %s: tensor<4x2x4xf32>):
    %1:3 = train.attention_block_gradient %x, %y, %z, %b, %r, %r, %x, %m, %t, %s {all_keys = 12 : i64, fill = -1.0e30 : f64, scale = 0.5 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1>} : (tensor<4x2x4xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>, tensor<i32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>) -> (tensor<4x2x4xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>)
    dist.yield %1#0, %1#1, %1#2 : tensor<4x2x4xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>
  } {axes = ["context"], moved = 2 : i64, passed = 2 : i64, starts = [0.0, 0.0, 0.0], what = "activation", value = "m.py:1", why = ""} : (tensor<4x2x4xf32>, tensor<4x2xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>) -> (tensor<4x2x4xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>)
  return %0#0, %0#1, %0#2 : tensor<4x2x4xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>
}

// CHECK: func.func private @[[KERNEL]]
// CHECK-NEXT: train.attention_block

// -----

// On two devices a block is passed on once. An even number of turns begins where it ends.
dist.mesh @mesh [#dist.axis<"context" = 2>]

// CHECK-LABEL: exec.task @backward
// CHECK-DAG: %[[K:.+]] = exec.buffer "value" "k"
// CHECK-DAG: %[[V:.+]] = exec.buffer "value" "v"
// CHECK-DAG: %[[DK:.+]] = exec.buffer "value" "dk"
// CHECK-DAG: %[[DV:.+]] = exec.buffer "value" "dv"
// CHECK: exec.repeat {{.*}} held(%[[K]], %[[V]], %[[DK]], %[[DV]] : {{.*}} next(%[[K1:[^,]+]], %[[V1:[^,]+]], %[[DK1:[^,]+]], %[[DV1:[^ ]+]] : {{.*}} spare(%[[K1]], %[[V1]], %[[DK]], %[[DV]] :
func.func @backward(%q: tensor<4x2x4xf32> {dist.value = "q"}, %k: tensor<4x2x4xf32> {dist.value = "k"}, %v: tensor<4x2x4xf32> {dist.value = "v"}, %l: tensor<4x2xf32> {dist.value = "l"}) -> (tensor<4x2x4xf32> {dist.value = "dq"}, tensor<4x2x4xf32> {dist.value = "dk"}, tensor<4x2x4xf32> {dist.value = "dv"}) attributes {dist.task = "backward", dist.stage = 0 : i64} {
  %0:3 = dist.ring %q, %l, %k, %v {
  ^bb0(%b: tensor<i32>, %x: tensor<4x2x4xf32>, %r: tensor<4x2xf32>, %y: tensor<4x2x4xf32>, %z: tensor<4x2x4xf32>, %m: tensor<4x2x4xf32>, %t: tensor<4x2x4xf32>, %s: tensor<4x2x4xf32>):
    %1:3 = train.attention_block_gradient %x, %y, %z, %b, %r, %r, %x, %m, %t, %s {all_keys = 8 : i64, fill = -1.0e30 : f64, scale = 0.5 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1>} : (tensor<4x2x4xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>, tensor<i32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>) -> (tensor<4x2x4xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>)
    dist.yield %1#0, %1#1, %1#2 : tensor<4x2x4xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>
  } {axes = ["context"], moved = 2 : i64, passed = 2 : i64, starts = [0.0, 0.0, 0.0], what = "activation", value = "m.py:1", why = ""} : (tensor<4x2x4xf32>, tensor<4x2xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>) -> (tensor<4x2x4xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>)
  return %0#0, %0#1, %0#2 : tensor<4x2x4xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>
}

// -----

// Queries that are the keys stay while the keys move.
dist.mesh @mesh [#dist.axis<"context" = 2>]

// CHECK-LABEL: exec.task @forward
// CHECK-DAG: %[[Q:.+]] = exec.buffer "value" "q"
// CHECK: exec.copy %[[Q]] -> %[[K:.+]] : {{.*}} -> 
// CHECK: exec.repeat {{.*}} held(%[[K]],
// CHECK-NEXT: exec.launch @{{.+}}(%[[Q]], %[[K]],
func.func @forward(%q: tensor<4x2x4xf32> {dist.value = "q"}, %k: tensor<4x2x4xf32> {dist.value = "k"}, %v: tensor<4x2x4xf32> {dist.value = "v"}) -> (tensor<4x2x4xf32> {dist.value = "o"}) attributes {dist.task = "forward", dist.stage = 0 : i64} {
  %0:3 = dist.ring %q, %q, %v {
  ^bb0(%b: tensor<i32>, %x: tensor<4x2x4xf32>, %y: tensor<4x2x4xf32>, %z: tensor<4x2x4xf32>, %m: tensor<4x2xf32>, %t: tensor<4x2xf32>, %s: tensor<4x2x4xf32>):
    %1:3 = train.attention_block %x, %y, %z, %b, %m, %t, %s {after = 0 : i64, all_keys = 8 : i64, fill = -1.0e30 : f64, scale = 0.5 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 1, 1, 1, 1>} : (tensor<4x2x4xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>, tensor<i32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2x4xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2x4xf32>)
    dist.yield %1#0, %1#1, %1#2 : tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2x4xf32>
  } {axes = ["context"], moved = 0 : i64, passed = 2 : i64, starts = [0xFFF0000000000000 : f64, 0.0, 0.0], what = "activation", value = "m.py:1", why = ""} : (tensor<4x2x4xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2x4xf32>)
  return %0#2 : tensor<4x2x4xf32>
}
