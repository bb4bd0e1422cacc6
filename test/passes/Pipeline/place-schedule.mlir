// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: split-file %s %t
// RUN: zcc-opt %t/forward.mlir --zcc-place-schedule | FileCheck %t/forward.mlir
// RUN: zcc-opt %t/one.mlir --zcc-place-schedule | FileCheck %t/one.mlir --check-prefix=ONE
// RUN: zcc-opt %t/one.mlir --zcc-place-schedule=schedule=1f1b | FileCheck %t/one.mlir --check-prefix=ONE
// RUN: zcc-opt %t/one.mlir --zcc-place-schedule=schedule=gpipe | FileCheck %t/one.mlir --check-prefix=ALL
// RUN: zcc-opt %t/two.mlir --zcc-place-schedule=schedule=1f1b | FileCheck %t/two.mlir
// RUN: zcc-opt %t/two.mlir --zcc-place-schedule=schedule=gpipe --zcc-verify-tasks | FileCheck %t/two.mlir --check-prefix=ALL
// RUN: zcc-opt %t/two.mlir --zcc-place-schedule=schedule=1f1b --zcc-place-schedule=schedule=1f1b --zcc-verify-tasks | FileCheck %t/two.mlir
// RUN: not zcc-opt %t/two.mlir --zcc-place-schedule=schedule=1f1b --zcc-place-schedule=schedule=gpipe 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not zcc-opt %t/hand.mlir --zcc-place-schedule=schedule=1f1b 2>&1 | FileCheck %s --check-prefix=HAND
// RUN: zcc-opt %t/hand.mlir --zcc-place-schedule | FileCheck %t/hand.mlir
// RUN: zcc-opt %t/one.mlir --zcc-place-schedule=schedule=zb-h1 | sed s/zb-h1/1f1b/ | FileCheck %t/one.mlir --check-prefix=ONE
// RUN: not zcc-opt %t/two.mlir --zcc-place-schedule=schedule=zb-h1 2>&1 | FileCheck %s --check-prefix=WEIGHTS
// RUN: not zcc-opt %t/one.mlir --zcc-place-schedule=schedule=f1b1 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not zcc-opt %t/chunks.mlir --zcc-place-schedule 2>&1 | FileCheck %s --check-prefix=CHUNKS
// RUN: not zcc-opt %t/twice.mlir --zcc-place-schedule 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not zcc-opt %t/far.mlir --zcc-place-schedule 2>&1 | FileCheck %s --check-prefix=FAR
// RUN: zcc-opt %t/once.mlir --zcc-place-schedule=schedule=1f1b | FileCheck %t/once.mlir
// RUN: zcc-opt %t/passed-on.mlir --zcc-place-schedule=schedule=1f1b --zcc-verify-tasks | FileCheck %t/passed-on.mlir
// RUN: zcc-opt %t/passed-on.mlir "--zcc-place-schedule=schedule=1f1b forward=false" --zcc-verify-tasks | FileCheck %t/passed-on.mlir --check-prefix=DIRECT
// FAR: error: is of stage 1000000000000, but the module has no dist.mesh
// OTHER: error: the action table was written for the schedule '1f1b', which contradicts --schedule=gpipe
// HAND: error: the action table was written by hand, which contradicts --schedule=1f1b
// WEIGHTS: error: schedule 'zb-h1' takes gradients of weights as tasks of their own: there are none
// NONE: for the --schedule option: expected one of auto|gpipe|1f1b|interleaved:V|zb-h1|zb-h2|zb-v, found 'f1b1'
// CHUNKS: error: schedule '1f1b' has one chunk a stage, stage 0 has 2
// TWICE: error: is the second forward task of stage 0, chunk 0

//--- forward.mlir
// A forward executable has one task; @init is not in the table.
// CHECK: dist.schedule attributes {generator = "1f1b", stage = 0 : i64} {
// CHECK-NEXT: dist.run @forward {microbatch = 0 : i64}
// CHECK-NEXT: }
func.func @init() attributes {dist.task = "init", dist.stage = 0 : i64} {
  return
}
func.func @forward() attributes {dist.task = "forward", dist.stage = 0 : i64} {
  return
}

//--- one.mlir
// On one stage: a microbatch at a time, or all forward first.
// ONE: dist.schedule attributes {generator = "1f1b", microbatches = 2 : i64, stage = 0 : i64} {
// ONE-NEXT: dist.run @survey {microbatch = 0 : i64}
// ONE-NEXT: dist.run @survey {microbatch = 1 : i64}
// ONE-NEXT: dist.run @prologue {microbatch = 0 : i64}
// ONE-NEXT: dist.run @f {microbatch = 0 : i64}
// ONE-NEXT: dist.run @b {microbatch = 0 : i64}
// ONE-NEXT: dist.run @w {microbatch = 0 : i64}
// ONE-NEXT: dist.run @f {microbatch = 1 : i64}
// ONE-NEXT: dist.run @b {microbatch = 1 : i64}
// ONE-NEXT: dist.run @w {microbatch = 1 : i64}
// ONE-NEXT: dist.run @e {microbatch = 0 : i64}
// ALL: dist.schedule attributes {generator = "gpipe"
// ALL: dist.run @prologue {microbatch = 0 : i64}
// ALL-NEXT: dist.run @f {microbatch = 0 : i64}
// ALL-NEXT: dist.run @f {microbatch = 1 : i64}
// ALL-NEXT: dist.run @b {microbatch = 0 : i64}
// ALL-NEXT: dist.run @w {microbatch = 0 : i64}
// ALL-NEXT: dist.run @b {microbatch = 1 : i64}
// ALL-NEXT: dist.run @w {microbatch = 1 : i64}
// ALL-NEXT: dist.run @e {microbatch = 0 : i64}
dist.mesh @mesh [#dist.axis<"micro" = 2 temporal>]
func.func @e() attributes {dist.task = "epilogue", dist.region = "after", dist.stage = 0 : i64} {
  return
}
func.func @w() attributes {dist.task = "weight_backward", dist.region = "micro", dist.stage = 0 : i64} {
  return
}
func.func @b() attributes {dist.task = "backward", dist.region = "micro", dist.stage = 0 : i64} {
  return
}
func.func @f() attributes {dist.task = "forward", dist.region = "micro", dist.stage = 0 : i64} {
  return
}
func.func @prologue() attributes {dist.task = "prologue", dist.region = "before", dist.stage = 0 : i64} {
  return
}
func.func @survey() attributes {dist.task = "prologue", dist.region = "survey", dist.stage = 0 : i64} {
  return
}

//--- two.mlir
// A value is sent when it is made and received when it is read, once: two tasks of stage 1 read "h".
// CHECK: dist.schedule attributes {generator = "1f1b", microbatches = 3 : i64, stage = 0 : i64} {
// CHECK-NEXT: dist.run @f0 {microbatch = 0 : i64}
// CHECK-NEXT: dist.send "h" {microbatch = 0 : i64, peer = 1 : i64}
// CHECK-NEXT: dist.run @f0 {microbatch = 1 : i64}
// CHECK-NEXT: dist.send "h" {microbatch = 1 : i64, peer = 1 : i64}
// CHECK-NEXT: dist.receive "g" {microbatch = 0 : i64, peer = 1 : i64}
// CHECK-NEXT: dist.run @b0 {microbatch = 0 : i64}
// CHECK-NEXT: dist.run @f0 {microbatch = 2 : i64}
// CHECK-NEXT: dist.send "h" {microbatch = 2 : i64, peer = 1 : i64}
// CHECK-NEXT: dist.receive "g" {microbatch = 1 : i64, peer = 1 : i64}
// CHECK-NEXT: dist.run @b0 {microbatch = 1 : i64}
// CHECK-NEXT: dist.receive "g" {microbatch = 2 : i64, peer = 1 : i64}
// CHECK-NEXT: dist.run @b0 {microbatch = 2 : i64}
// CHECK-NEXT: }
// CHECK-NEXT: dist.schedule attributes {generator = "1f1b", microbatches = 3 : i64, stage = 1 : i64} {
// CHECK-NEXT: dist.receive "h" {microbatch = 0 : i64, peer = 0 : i64}
// CHECK-NEXT: dist.run @f1 {microbatch = 0 : i64}
// CHECK-NEXT: dist.run @b1 {microbatch = 0 : i64}
// CHECK-NEXT: dist.send "g" {microbatch = 0 : i64, peer = 0 : i64}
// CHECK-NEXT: dist.receive "h" {microbatch = 1 : i64, peer = 0 : i64}
// ALL: dist.schedule attributes {generator = "gpipe", microbatches = 3 : i64, stage = 1 : i64} {
// ALL-NEXT: dist.receive "h" {microbatch = 0 : i64, peer = 0 : i64}
// ALL-NEXT: dist.run @f1 {microbatch = 0 : i64}
// ALL-NEXT: dist.receive "h" {microbatch = 1 : i64, peer = 0 : i64}
// ALL-NEXT: dist.run @f1 {microbatch = 1 : i64}
// ALL-NEXT: dist.receive "h" {microbatch = 2 : i64, peer = 0 : i64}
// ALL-NEXT: dist.run @f1 {microbatch = 2 : i64}
// ALL-NEXT: dist.run @b1 {microbatch = 0 : i64}
// ALL-NEXT: dist.send "g" {microbatch = 0 : i64, peer = 0 : i64}
dist.mesh @mesh [#dist.axis<"micro" = 3 temporal>, #dist.axis<"pipe" = 2>]
func.func @f0() -> (tensor<f32> {dist.value = "h"}) attributes {dist.task = "forward", dist.stage = 0 : i64} {
  %0 = train.constant dense<1.0> : tensor<f32>
  return %0 : tensor<f32>
}
func.func @f1(%h: tensor<f32> {dist.value = "h"}) -> (tensor<f32> {dist.value = "d"}) attributes {dist.task = "forward", dist.stage = 1 : i64} {
  return %h : tensor<f32>
}
func.func @b1(%h: tensor<f32> {dist.value = "h"}, %d: tensor<f32> {dist.value = "d"}) -> (tensor<f32> {dist.value = "g"}) attributes {dist.task = "backward", dist.stage = 1 : i64} {
  return %d : tensor<f32>
}
func.func @b0(%g: tensor<f32> {dist.value = "g"}) attributes {dist.task = "backward", dist.stage = 0 : i64} {
  return
}

//--- hand.mlir
// A table that is there stays.
// CHECK-COUNT-1: dist.schedule
// CHECK-NOT: dist.schedule
func.func @f() attributes {dist.task = "forward", dist.stage = 0 : i64} {
  return
}
dist.schedule attributes {stage = 0 : i64} {
  dist.run @f {microbatch = 0 : i64}
}

//--- chunks.mlir
func.func @f() attributes {dist.task = "forward", dist.stage = 0 : i64} {
  return
}
func.func @g() attributes {dist.task = "forward", dist.stage = 0 : i64, dist.chunk = 1 : i64} {
  return
}

//--- twice.mlir
func.func @f() attributes {dist.task = "forward", dist.stage = 0 : i64} {
  return
}
func.func @g() attributes {dist.task = "forward", dist.stage = 0 : i64} {
  return
}

//--- far.mlir
func.func @f() attributes {dist.task = "forward", dist.stage = 1000000000000 : i64} {
  return
}

//--- once.mlir
// With one microbatch, a value that a run-once task reads is sent once, even if other tasks of the stage read it, too.
// CHECK: stage = 0 : i64} {
// CHECK-NEXT: dist.run @f0 {microbatch = 0 : i64}
// CHECK-NEXT: dist.send "h" {microbatch = 0 : i64, peer = 1 : i64}
// CHECK-NEXT: }
// CHECK-NEXT: dist.schedule {{.*}}stage = 1 : i64} {
// CHECK-NEXT: dist.receive "h" {microbatch = 0 : i64, peer = 0 : i64}
// CHECK-NEXT: dist.run @f1 {microbatch = 0 : i64}
// CHECK-NEXT: dist.run @e1 {microbatch = 0 : i64}
// CHECK-NEXT: }
dist.mesh @mesh [#dist.axis<"pipe" = 2>]
func.func @f0() -> (tensor<f32> {dist.value = "h"}) attributes {dist.task = "forward", dist.stage = 0 : i64} {
  %0 = train.constant dense<1.0> : tensor<f32>
  return %0 : tensor<f32>
}
func.func @f1(%h: tensor<f32> {dist.value = "h"}) attributes {dist.task = "forward", dist.stage = 1 : i64} {
  return
}
func.func @e1(%h: tensor<f32> {dist.value = "h"}) attributes {dist.task = "epilogue", dist.region = "after", dist.stage = 1 : i64} {
  return
}

//--- passed-on.mlir
// Stages 1 and 2 read what stage 0 makes, which has "h" to send as well: stage 1 passes it on. Nothing waits for what it did not wait for.
// CHECK: stage = 0 : i64} {
// CHECK-NEXT: dist.run @f0 {microbatch = 0 : i64}
// CHECK-NEXT: dist.send "e" {microbatch = 0 : i64, peer = 1 : i64}
// CHECK-NEXT: dist.send "h" {microbatch = 0 : i64, peer = 1 : i64}
// CHECK-NEXT: dist.run @f0 {microbatch = 1 : i64}
// CHECK: dist.schedule {{.*}}stage = 1 : i64} {
// CHECK-NEXT: dist.receive "e" {microbatch = 0 : i64, peer = 0 : i64}
// CHECK-NEXT: dist.receive "h" {microbatch = 0 : i64, peer = 0 : i64}
// CHECK-NEXT: dist.send "e" {microbatch = 0 : i64, peer = 2 : i64}
// CHECK-NEXT: dist.run @f1 {microbatch = 0 : i64}
// CHECK-NEXT: dist.send "h1" {microbatch = 0 : i64, peer = 2 : i64}
// CHECK: dist.schedule {{.*}}stage = 2 : i64} {
// CHECK-NEXT: dist.receive "e" {microbatch = 0 : i64, peer = 1 : i64}
// CHECK-NEXT: dist.receive "h1" {microbatch = 0 : i64, peer = 1 : i64}
// CHECK-NEXT: dist.run @f2 {microbatch = 0 : i64}
// DIRECT: stage = 0 : i64} {
// DIRECT-NEXT: dist.run @f0 {microbatch = 0 : i64}
// DIRECT-NEXT: dist.send "e" {microbatch = 0 : i64, peer = 1 : i64}
// DIRECT-NEXT: dist.send "h" {microbatch = 0 : i64, peer = 1 : i64}
// DIRECT-NEXT: dist.send "e" {microbatch = 0 : i64, peer = 2 : i64}
// DIRECT: dist.schedule {{.*}}stage = 2 : i64} {
// DIRECT-NEXT: dist.receive "e" {microbatch = 0 : i64, peer = 0 : i64}
// DIRECT-NEXT: dist.receive "h1" {microbatch = 0 : i64, peer = 1 : i64}
dist.mesh @mesh [#dist.axis<"pipe" = 3>, #dist.axis<"micro" = 2 temporal>]
func.func @f0() -> (tensor<64xf32> {dist.value = "e"}, tensor<64xf32> {dist.value = "h"}) attributes {dist.task = "forward", dist.stage = 0 : i64} {
  %0 = train.constant dense<1.0> : tensor<64xf32>
  return %0, %0 : tensor<64xf32>, tensor<64xf32>
}
func.func @f1(%e: tensor<64xf32> {dist.value = "e"}, %h: tensor<64xf32> {dist.value = "h"}) -> (tensor<64xf32> {dist.value = "h1"}) attributes {dist.task = "forward", dist.stage = 1 : i64} {
  %0 = train.add %e, %h : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}
func.func @f2(%e: tensor<64xf32> {dist.value = "e"}, %h: tensor<64xf32> {dist.value = "h1"}) attributes {dist.task = "forward", dist.stage = 2 : i64} {
  return
}
