// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --zcc-hold-sends | FileCheck %s

// Tables that come to no end say nothing.

dist.mesh @mesh [#dist.axis<"pipe" = 2>]
// CHECK: dist.send "x" {microbatch = 0 : i64, peer = 1 : i64}
dist.schedule attributes {stage = 0 : i64, microbatches = 1 : i64} {
  dist.receive "y" {microbatch = 0 : i64, peer = 1 : i64}
  dist.send "x" {microbatch = 0 : i64, peer = 1 : i64}
}
dist.schedule attributes {stage = 1 : i64, microbatches = 1 : i64} {
  dist.receive "x" {microbatch = 0 : i64, peer = 0 : i64}
  dist.send "y" {microbatch = 0 : i64, peer = 0 : i64}
}
