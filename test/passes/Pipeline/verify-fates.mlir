// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --split-input-file --zcc-verify-fates --verify-diagnostics

// Every fate is carried out. Equal ops at one place are counted.
func.func @forward(%w: tensor<4xf32> {dist.state = "w"}) -> (tensor<4xf32> {dist.fate = #dist.fate<"keep">, dist.value = "k"}, tensor<4xbf16> {dist.fate = #dist.fate<"narrow", bf16>, dist.value = "n:bf16"}, tensor<4xf32> {dist.fate = #dist.fate<"move", host>, dist.value = "m"}, tensor<4xbf16> {dist.fate = #dist.fate<"move", host, bf16>, dist.value = "b:bf16"}, tensor<4xf32> {dist.value = "u"}) attributes {dist.task = "forward", dist.region = "micro", dist.stage = 0 : i64} {
  %h = train.negate %w : (tensor<4xf32>) -> tensor<4xf32>
  %t = train.tanh %h {dist.fate = #dist.fate<"recompute">} : (tensor<4xf32>) -> tensor<4xf32> loc("t")
  %g = train.exponential %h {dist.fate = #dist.fate<"gather-again">} : (tensor<4xf32>) -> tensor<4xf32> loc("g")
  %n = train.convert %t : (tensor<4xf32>) -> tensor<4xbf16>
  return %h, %n, %h, %n, %t : tensor<4xf32>, tensor<4xbf16>, tensor<4xf32>, tensor<4xbf16>, tensor<4xf32>
}
func.func @backward(%k: tensor<4xf32> {dist.value = "k"}, %n: tensor<4xbf16> {dist.value = "n:bf16"}, %m: tensor<4xf32> {dist.value = "m"}, %b: tensor<4xbf16> {dist.value = "b:bf16"}) -> (tensor<4xf32> {dist.value = "d"}, tensor<4xf32> {dist.fate = #dist.fate<"hand-over">, dist.value = "t:again"}) attributes {dist.task = "backward", dist.region = "micro", dist.stage = 0 : i64} {
  %t = train.tanh %k {dist.again} : (tensor<4xf32>) -> tensor<4xf32> loc("t")
  %g = train.exponential %k {dist.again} : (tensor<4xf32>) -> tensor<4xf32> loc("g")
  return %g, %t : tensor<4xf32>, tensor<4xf32>
}
func.func @weights(%t: tensor<4xf32> {dist.value = "t:again"}) attributes {dist.task = "weight_backward", dist.region = "micro", dist.stage = 0 : i64} {
  return
}

// -----

// expected-error @below {{result 0, 'h', is read by the backward pass: expected a 'dist.fate', found none}}
func.func @forward(%w: tensor<4xf32> {dist.state = "w"}) -> (tensor<4xf32> {dist.value = "h"}) attributes {dist.task = "forward", dist.region = "micro", dist.stage = 0 : i64} {
  %h = train.negate %w : (tensor<4xf32>) -> tensor<4xf32>
  return %h : tensor<4xf32>
}
func.func @backward(%h: tensor<4xf32> {dist.value = "h"}) attributes {dist.task = "backward", dist.region = "micro", dist.stage = 0 : i64} {
  return
}

// -----

// expected-error @below {{result 0: expected 'dist.fate' to be a #dist.fate, found "keep"}}
func.func @forward(%w: tensor<4xf32> {dist.state = "w"}) -> (tensor<4xf32> {dist.fate = "keep", dist.value = "h"}) attributes {dist.task = "forward", dist.region = "micro", dist.stage = 0 : i64} {
  %h = train.negate %w : (tensor<4xf32>) -> tensor<4xf32>
  return %h : tensor<4xf32>
}
func.func @backward(%h: tensor<4xf32> {dist.value = "h"}) attributes {dist.task = "backward", dist.region = "micro", dist.stage = 0 : i64} {
  return
}

// -----

// expected-error @below {{result 0: only a value has a 'dist.fate'}}
func.func @forward(%w: tensor<4xf32> {dist.state = "w"}) -> (tensor<4xf32> {dist.fate = #dist.fate<"keep">, dist.accumulate = "s"}) attributes {dist.task = "forward", dist.region = "micro", dist.stage = 0 : i64} {
  %h = train.negate %w : (tensor<4xf32>) -> tensor<4xf32>
  return %h : tensor<4xf32>
}
func.func @backward() attributes {dist.task = "backward", dist.region = "micro", dist.stage = 0 : i64} {
  return
}

// -----

// expected-error @below {{result 0, 'h', is stored by a forward task: expected another fate, found #dist.fate<"recompute">}}
func.func @forward(%w: tensor<4xf32> {dist.state = "w"}) -> (tensor<4xf32> {dist.fate = #dist.fate<"recompute">, dist.value = "h"}) attributes {dist.task = "forward", dist.region = "micro", dist.stage = 0 : i64} {
  %h = train.negate %w : (tensor<4xf32>) -> tensor<4xf32>
  return %h : tensor<4xf32>
}
func.func @backward(%h: tensor<4xf32> {dist.value = "h"}) attributes {dist.task = "backward", dist.region = "micro", dist.stage = 0 : i64} {
  return
}

// -----

// A value that is kept is read.
// expected-error @below {{result 0, 'h', has the fate #dist.fate<"keep">, but no backward task reads it}}
func.func @forward(%w: tensor<4xf32> {dist.state = "w"}) -> (tensor<4xf32> {dist.fate = #dist.fate<"keep">, dist.value = "h"}) attributes {dist.task = "forward", dist.region = "micro", dist.stage = 0 : i64} {
  %h = train.negate %w : (tensor<4xf32>) -> tensor<4xf32>
  return %h : tensor<4xf32>
}
func.func @backward() attributes {dist.task = "backward", dist.region = "micro", dist.stage = 0 : i64} {
  return
}

// -----

// expected-error @below {{result 0, 'd', is stored by a backward task: expected another fate, found #dist.fate<"keep">}}
func.func @backward() -> (tensor<4xf32> {dist.fate = #dist.fate<"keep">, dist.value = "d"}) attributes {dist.task = "backward", dist.region = "micro", dist.stage = 0 : i64} {
  %h = train.constant dense<1.0> : tensor<4xf32>
  return %h : tensor<4xf32>
}
func.func @weights(%d: tensor<4xf32> {dist.value = "d"}) attributes {dist.task = "weight_backward", dist.region = "micro", dist.stage = 0 : i64} {
  return
}

// -----

// A narrowed value has the types of its format, and is not kept whole.
// expected-error @below {{result 0, 'h:bf16', is narrowed to 'bf16': expected elements of type 'bf16', found 'tensor<4xf32>'}}
func.func @forward(%w: tensor<4xf32> {dist.state = "w"}) -> (tensor<4xf32> {dist.fate = #dist.fate<"narrow", bf16>, dist.value = "h:bf16"}) attributes {dist.task = "forward", dist.region = "micro", dist.stage = 0 : i64} {
  %h = train.negate %w : (tensor<4xf32>) -> tensor<4xf32>
  return %h : tensor<4xf32>
}
func.func @backward(%h: tensor<4xf32> {dist.value = "h:bf16"}) attributes {dist.task = "backward", dist.region = "micro", dist.stage = 0 : i64} {
  return
}

// -----

// expected-error @below {{result 0, 'h', is narrowed: expected a name with ':bf16'}}
func.func @forward(%w: tensor<4xf32> {dist.state = "w"}) -> (tensor<4xbf16> {dist.fate = #dist.fate<"narrow", bf16>, dist.value = "h"}) attributes {dist.task = "forward", dist.region = "micro", dist.stage = 0 : i64} {
  %h = train.negate %w : (tensor<4xf32>) -> tensor<4xf32>
  %n = train.convert %h : (tensor<4xf32>) -> tensor<4xbf16>
  return %n : tensor<4xbf16>
}
func.func @backward(%h: tensor<4xbf16> {dist.value = "h"}) attributes {dist.task = "backward", dist.region = "micro", dist.stage = 0 : i64} {
  return
}

// -----

// expected-error @below {{result 0, 'h:bf16', is narrowed, but the backward pass reads the whole value, too}}
func.func @forward(%w: tensor<4xf32> {dist.state = "w"}) -> (tensor<4xbf16> {dist.fate = #dist.fate<"narrow", bf16>, dist.value = "h:bf16"}, tensor<4xf32> {dist.fate = #dist.fate<"keep">, dist.value = "h"}) attributes {dist.task = "forward", dist.region = "micro", dist.stage = 0 : i64} {
  %h = train.negate %w : (tensor<4xf32>) -> tensor<4xf32>
  %n = train.convert %h : (tensor<4xf32>) -> tensor<4xbf16>
  return %n, %h : tensor<4xbf16>, tensor<4xf32>
}
func.func @backward(%n: tensor<4xbf16> {dist.value = "h:bf16"}, %h: tensor<4xf32> {dist.value = "h"}) attributes {dist.task = "backward", dist.region = "micro", dist.stage = 0 : i64} {
  return
}

// -----

// A value that is sent from device to device does not move.
// expected-error @below {{result 0, 'h', has the fate #dist.fate<"move", host>, but it is sent from device to device}}
func.func @forward(%w: tensor<4xf32> {dist.state = "w"}) -> (tensor<4xf32> {dist.fate = #dist.fate<"move", host>, dist.value = "h"}) attributes {dist.task = "forward", dist.region = "micro", dist.stage = 0 : i64} {
  %h = train.negate %w : (tensor<4xf32>) -> tensor<4xf32>
  return %h : tensor<4xf32>
}
func.func @backward(%h: tensor<4xf32> {dist.value = "h"}) attributes {dist.task = "backward", dist.region = "micro", dist.stage = 0 : i64} {
  return
}
dist.schedule attributes {stage = 0 : i64} {
  dist.send "h" {microbatch = 0 : i64, peer = 1 : i64}
}

// -----

// A recomputed value is not kept, and a backward task repeats its op.
func.func @forward(%w: tensor<4xf32> {dist.state = "w"}) -> (tensor<4xf32> {dist.fate = #dist.fate<"keep">, dist.value = "h"}) attributes {dist.task = "forward", dist.region = "micro", dist.stage = 0 : i64} {
  // expected-error @below {{'train.negate' op has the fate #dist.fate<"recompute">, but its value 'h' is kept for the backward pass}}
  %h = train.negate %w {dist.fate = #dist.fate<"recompute">} : (tensor<4xf32>) -> tensor<4xf32>
  return %h : tensor<4xf32>
}
func.func @backward(%h: tensor<4xf32> {dist.value = "h"}) attributes {dist.task = "backward", dist.region = "micro", dist.stage = 0 : i64} {
  return
}

// -----

func.func @forward(%w: tensor<4xf32> {dist.state = "w"}) attributes {dist.task = "forward", dist.region = "micro", dist.stage = 0 : i64} {
  // expected-error @below {{'train.negate' op has the fate #dist.fate<"recompute">: expected 1 such ops to be repeated in backward tasks ('dist.again'), found 0}}
  %h = train.negate %w {dist.fate = #dist.fate<"recompute">} : (tensor<4xf32>) -> tensor<4xf32>
  return
}
func.func @backward() attributes {dist.task = "backward", dist.region = "micro", dist.stage = 0 : i64} {
  return
}

// -----

func.func @forward(%w: tensor<4xf32> {dist.state = "w"}) attributes {dist.task = "forward", dist.region = "micro", dist.stage = 0 : i64} {
  // expected-error @below {{'train.negate' op expected 'dist.fate' of an op to be #dist.fate<"recompute"> or #dist.fate<"gather-again">, found #dist.fate<"keep">}}
  %h = train.negate %w {dist.fate = #dist.fate<"keep">} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @backward(%w: tensor<4xf32> {dist.value = "w"}) attributes {dist.task = "backward", dist.region = "micro", dist.stage = 0 : i64} {
  // expected-error @below {{'train.negate' op expected no 'dist.fate' in a backward task}}
  %h = train.negate %w {dist.fate = #dist.fate<"recompute">} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// A value that is handed over was computed again, and the task of weights' gradients reads it.
// expected-error @below {{result 0, 'h:again', is handed over: expected a backward task that computes it again ('dist.again')}}
func.func @backward(%w: tensor<4xf32> {dist.value = "w"}) -> (tensor<4xf32> {dist.fate = #dist.fate<"hand-over">, dist.value = "h:again"}) attributes {dist.task = "backward", dist.region = "micro", dist.stage = 0 : i64} {
  %h = train.negate %w : (tensor<4xf32>) -> tensor<4xf32>
  return %h : tensor<4xf32>
}
func.func @weights(%h: tensor<4xf32> {dist.value = "h:again"}) attributes {dist.task = "weight_backward", dist.region = "micro", dist.stage = 0 : i64} {
  return
}

// -----

// expected-error @below {{result 0, 'h:again', is handed over, but no task of weights' gradients of its stage reads it}}
func.func @backward(%w: tensor<4xf32> {dist.value = "w"}) -> (tensor<4xf32> {dist.fate = #dist.fate<"hand-over">, dist.value = "h:again"}) attributes {dist.task = "backward", dist.region = "micro", dist.stage = 0 : i64} {
  %h = train.negate %w {dist.again} : (tensor<4xf32>) -> tensor<4xf32>
  return %h : tensor<4xf32>
}
