// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --split-input-file --verify-diagnostics --zcc-verify-plan --zcc-verify-order

// Events order what one stream writes and another one reads, by address.

dist.mesh @mesh [#dist.axis<"data" = 2>]
exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  %s = exec.buffer "temporary" "s" {category = "temporary", offset = 128 : i64} : <tensor<16xf32>>
  %t = exec.buffer "temporary" "t" {category = "temporary", offset = 192 : i64} : <tensor<16xf32>>
  exec.fill %s {exec.event = 0 : i64, value = 0 : i64} : <tensor<16xf32>>
  exec.collective "all_reduce" %s -> %t {axes = ["data"], exec.event = 1 : i64, exec.waits = array<i64: 0>, stream = 1 : i64, reduction = "add", what = "activation", value = "", why = ""} : <tensor<16xf32>> -> <tensor<16xf32>>
  exec.copy %t -> %s {exec.waits = array<i64: 1>} : <tensor<16xf32>> -> <tensor<16xf32>>
}
dist.schedule attributes {stage = 0 : i64, exec.arenas = {device = 256 : i64}, exec.hyper = 0 : i64, exec.coordinates = 64 : i64} {
  dist.run @forward {microbatch = 0 : i64, slots = array<i64>}
}

// -----

dist.mesh @mesh [#dist.axis<"data" = 2>]
exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  %s = exec.buffer "temporary" "s" {category = "temporary", offset = 128 : i64} : <tensor<16xf32>>
  %t = exec.buffer "temporary" "t" {category = "temporary", offset = 192 : i64} : <tensor<16xf32>>
  // expected-note @below {{which is here}}
  exec.fill %s {exec.event = 0 : i64, value = 0 : i64} : <tensor<16xf32>>
  // expected-error @below {{uses bytes 128 to 192 on stream 1, and no event orders it after what writes them before, on another stream}}
  exec.collective "all_reduce" %s -> %t {axes = ["data"], exec.event = 1 : i64, stream = 1 : i64, reduction = "add", what = "activation", value = "", why = ""} : <tensor<16xf32>> -> <tensor<16xf32>>
  exec.copy %t -> %s {exec.waits = array<i64: 1>} : <tensor<16xf32>> -> <tensor<16xf32>>
}
dist.schedule attributes {stage = 0 : i64, exec.arenas = {device = 256 : i64}, exec.hyper = 0 : i64, exec.coordinates = 64 : i64} {
  dist.run @forward {microbatch = 0 : i64, slots = array<i64>}
}

// -----

dist.mesh @mesh [#dist.axis<"data" = 2>]
exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  %s = exec.buffer "temporary" "s" {category = "temporary", offset = 128 : i64} : <tensor<16xf32>>
  // expected-error @below {{waits for event 3, which no step is}}
  exec.fill %s {exec.waits = array<i64: 3>, value = 0 : i64} : <tensor<16xf32>>
}
dist.schedule attributes {stage = 0 : i64, exec.arenas = {device = 256 : i64}, exec.hyper = 0 : i64, exec.coordinates = 64 : i64} {
  dist.run @forward {microbatch = 0 : i64, slots = array<i64>}
}

// -----

exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  %s = exec.buffer "temporary" "s" {category = "temporary"} : <tensor<16xf32>>
  // expected-error @below {{'exec.waits' expects an array of events, i64 from 0 to 16777215, found array<i64: -1>}}
  exec.fill %s {exec.waits = array<i64: -1>, value = 0 : i64} : <tensor<16xf32>>
}

// -----

exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  %s = exec.buffer "temporary" "s" {category = "temporary"} : <tensor<16xf32>>
  // expected-error @below {{'exec.event' expects an event, an i64 from 0 to 16777215, found "x"}}
  exec.fill %s {exec.event = "x", value = 0 : i64} : <tensor<16xf32>>
}

// -----

dist.mesh @mesh [#dist.axis<"data" = 2>]
exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  %s = exec.buffer "temporary" "s" {category = "temporary", offset = 128 : i64} : <tensor<16xf32>>
  exec.fill %s {value = 0 : i64, stream = 100 : i64} : <tensor<16xf32>>
}
// expected-error @below {{expected at most 64 streams, found 101}}
dist.schedule attributes {stage = 0 : i64, exec.arenas = {device = 256 : i64}, exec.hyper = 0 : i64, exec.coordinates = 64 : i64} {
  dist.run @forward {microbatch = 0 : i64, slots = array<i64>}
}

// -----

// If collectives run one by one, an event orders those beside the main stream, too.

dist.mesh @mesh [#dist.axis<"data" = 2>]
exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  %s = exec.buffer "temporary" "s" {category = "temporary", offset = 128 : i64} : <tensor<16xf32>>
  %t = exec.buffer "temporary" "t" {category = "temporary", offset = 192 : i64} : <tensor<16xf32>>
  // expected-note @below {{which is here}}
  exec.collective "all_reduce" %s -> %s {axes = ["data"], stream = 1 : i64, reduction = "add", what = "activation", value = "", why = ""} : <tensor<16xf32>> -> <tensor<16xf32>>
  // expected-error @below {{communicates on stream 2, and no event orders it after what does before, on another stream}}
  exec.collective "all_reduce" %t -> %t {axes = ["data"], stream = 2 : i64, reduction = "add", what = "activation", value = "", why = ""} : <tensor<16xf32>> -> <tensor<16xf32>>
}
dist.schedule attributes {stage = 0 : i64, exec.one_by_one, exec.arenas = {device = 256 : i64}, exec.hyper = 0 : i64, exec.coordinates = 64 : i64} {
  dist.run @forward {microbatch = 0 : i64, slots = array<i64>}
}

// -----

// Two threads would call the transport, whatever bytes they move.

dist.mesh @mesh [#dist.axis<"data" = 2>]
exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  %s = exec.buffer "temporary" "s" {category = "temporary", offset = 128 : i64} : <tensor<16xf32>>
  %t = exec.buffer "temporary" "t" {category = "temporary", offset = 192 : i64} : <tensor<16xf32>>
  // expected-note @below {{which is here}}
  exec.collective "all_reduce" %s -> %s {axes = ["data"], stream = 1 : i64, reduction = "add", what = "activation", value = "", why = ""} : <tensor<16xf32>> -> <tensor<16xf32>>
  // expected-error @below {{communicates on stream 0, and no event orders it after what does before, on another stream}}
  exec.collective "all_reduce" %t -> %t {axes = ["data"], stream = 0 : i64, reduction = "add", what = "activation", value = "", why = ""} : <tensor<16xf32>> -> <tensor<16xf32>>
}
dist.schedule attributes {stage = 0 : i64, exec.arenas = {device = 256 : i64}, exec.hyper = 0 : i64, exec.coordinates = 64 : i64} {
  dist.run @forward {microbatch = 0 : i64, slots = array<i64>}
}

// -----

dist.mesh @mesh [#dist.axis<"data" = 2>]
exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  %s = exec.buffer "temporary" "s" {category = "temporary", offset = 128 : i64} : <tensor<16xf32>>
  // expected-error @below {{is neither a collective nor a copy, on stream 1: expected stream 0}}
  exec.fill %s {value = 0 : i64, stream = 1 : i64} : <tensor<16xf32>>
}
dist.schedule attributes {stage = 0 : i64, exec.arenas = {device = 256 : i64}, exec.hyper = 0 : i64, exec.coordinates = 64 : i64} {
  dist.run @forward {microbatch = 0 : i64, slots = array<i64>}
}

// -----

// A ring is played turn by turn: the block that a kernel reads was received in the turn before.

dist.mesh @mesh [#dist.axis<"data" = 4>]
exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  %k = exec.buffer "temporary" "k" {category = "temporary", offset = 128 : i64} : <tensor<16xf32>>
  %k1 = exec.buffer "temporary" "k1" {category = "temporary", offset = 192 : i64} : <tensor<16xf32>>
  %k2 = exec.buffer "temporary" "k2" {category = "temporary", offset = 256 : i64} : <tensor<16xf32>>
  %s = exec.buffer "temporary" "s" {category = "temporary", offset = 320 : i64} : <tensor<16xf32>>
  %m = exec.buffer "temporary" "m" {category = "temporary", offset = 384 : i64} : <tensor<i32>>
  exec.fill %k {exec.event = 0 : i64, value = 0 : i64} : <tensor<16xf32>>
  exec.repeat over ["data"] member %m : <tensor<i32>> held(%k : !exec.buffer<tensor<16xf32>>) next(%k1 : !exec.buffer<tensor<16xf32>>) spare(%k2 : !exec.buffer<tensor<16xf32>>) attributes {ahead, exec.waits = array<i64: 2>, value = ""} {
    exec.launch @k0(%k) -> (%s) {exec.event = 1 : i64} : (!exec.buffer<tensor<16xf32>>) -> !exec.buffer<tensor<16xf32>>
  } between {
    exec.collective "permute" %k -> %k1 {axes = ["data"], exec.event = 2 : i64, exec.waits = array<i64: 0, 1>, stream = 1 : i64, shift = 1 : i64, what = "activation", value = "", why = ""} : <tensor<16xf32>> -> <tensor<16xf32>>
  }
}
dist.schedule attributes {stage = 0 : i64, exec.arenas = {device = 448 : i64}, exec.hyper = 0 : i64, exec.coordinates = 64 : i64} {
  dist.run @forward {microbatch = 0 : i64, slots = array<i64>}
}

// -----

// Without the turn's wait it may not be there.

dist.mesh @mesh [#dist.axis<"data" = 4>]
exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  %k = exec.buffer "temporary" "k" {category = "temporary", offset = 128 : i64} : <tensor<16xf32>>
  %k1 = exec.buffer "temporary" "k1" {category = "temporary", offset = 192 : i64} : <tensor<16xf32>>
  %k2 = exec.buffer "temporary" "k2" {category = "temporary", offset = 256 : i64} : <tensor<16xf32>>
  %s = exec.buffer "temporary" "s" {category = "temporary", offset = 320 : i64} : <tensor<16xf32>>
  %m = exec.buffer "temporary" "m" {category = "temporary", offset = 384 : i64} : <tensor<i32>>
  exec.fill %k {exec.event = 0 : i64, value = 0 : i64} : <tensor<16xf32>>
  exec.repeat over ["data"] member %m : <tensor<i32>> held(%k : !exec.buffer<tensor<16xf32>>) next(%k1 : !exec.buffer<tensor<16xf32>>) spare(%k2 : !exec.buffer<tensor<16xf32>>) attributes {ahead, value = ""} {
    // expected-error @below {{uses bytes 192 to 256 on stream 0, and no event orders it after what writes them before, on another stream}}
    exec.launch @k0(%k) -> (%s) {exec.event = 1 : i64} : (!exec.buffer<tensor<16xf32>>) -> !exec.buffer<tensor<16xf32>>
  } between {
    // expected-note @below {{which is here}}
    exec.collective "permute" %k -> %k1 {axes = ["data"], exec.event = 2 : i64, exec.waits = array<i64: 0, 1>, stream = 1 : i64, shift = 1 : i64, what = "activation", value = "", why = ""} : <tensor<16xf32>> -> <tensor<16xf32>>
  }
}
dist.schedule attributes {stage = 0 : i64, exec.arenas = {device = 448 : i64}, exec.hyper = 0 : i64, exec.coordinates = 64 : i64} {
  dist.run @forward {microbatch = 0 : i64, slots = array<i64>}
}

// -----

// The third block is received where the kernel of the turn before reads.

dist.mesh @mesh [#dist.axis<"data" = 4>]
exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  %k = exec.buffer "temporary" "k" {category = "temporary", offset = 128 : i64} : <tensor<16xf32>>
  %k1 = exec.buffer "temporary" "k1" {category = "temporary", offset = 192 : i64} : <tensor<16xf32>>
  %k2 = exec.buffer "temporary" "k2" {category = "temporary", offset = 256 : i64} : <tensor<16xf32>>
  %s = exec.buffer "temporary" "s" {category = "temporary", offset = 320 : i64} : <tensor<16xf32>>
  %m = exec.buffer "temporary" "m" {category = "temporary", offset = 384 : i64} : <tensor<i32>>
  exec.fill %k {exec.event = 0 : i64, value = 0 : i64} : <tensor<16xf32>>
  exec.repeat over ["data"] member %m : <tensor<i32>> held(%k : !exec.buffer<tensor<16xf32>>) next(%k1 : !exec.buffer<tensor<16xf32>>) spare(%k2 : !exec.buffer<tensor<16xf32>>) attributes {ahead, exec.waits = array<i64: 2>, value = ""} {
    // expected-note @below {{which is here}}
    exec.launch @k0(%k) -> (%s) {exec.event = 1 : i64} : (!exec.buffer<tensor<16xf32>>) -> !exec.buffer<tensor<16xf32>>
  } between {
    // expected-error @below {{uses bytes 192 to 256 on stream 1, and no event orders it after what reads them before, on another stream}}
    exec.collective "permute" %k -> %k1 {axes = ["data"], exec.event = 2 : i64, exec.waits = array<i64: 0>, stream = 1 : i64, shift = 1 : i64, what = "activation", value = "", why = ""} : <tensor<16xf32>> -> <tensor<16xf32>>
  }
}
dist.schedule attributes {stage = 0 : i64, exec.arenas = {device = 448 : i64}, exec.hyper = 0 : i64, exec.coordinates = 64 : i64} {
  dist.run @forward {microbatch = 0 : i64, slots = array<i64>}
}

// -----

// A send waits for the collective that makes what it sends.

dist.mesh @mesh [#dist.axis<"data" = 2>, #dist.axis<"pipe" = 2>]
exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  %s = exec.buffer "value" "s" {category = "residuals", slot = 0 : i64} : <tensor<16xf32>>
  exec.fill %s {exec.event = 0 : i64, value = 0 : i64} : <tensor<16xf32>>
  exec.collective "all_reduce" %s -> %s {axes = ["data"], exec.event = 1 : i64, exec.waits = array<i64: 0>, stream = 1 : i64, reduction = "add", what = "activation", value = "", why = ""} : <tensor<16xf32>> -> <tensor<16xf32>>
}
dist.schedule attributes {stage = 0 : i64, exec.arenas = {device = 256 : i64}, exec.hyper = 0 : i64, exec.coordinates = 64 : i64} {
  dist.run @forward {microbatch = 0 : i64, slots = array<i64: 128>}
  dist.send "s" {exec.waits = array<i64: 1>, microbatch = 0 : i64, offset = 128 : i64, peer = 1 : i64}
}
dist.schedule attributes {stage = 1 : i64, exec.arenas = {device = 256 : i64}, exec.hyper = 0 : i64, exec.coordinates = 64 : i64} {
}

// -----

dist.mesh @mesh [#dist.axis<"data" = 2>, #dist.axis<"pipe" = 2>]
exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  %s = exec.buffer "value" "s" {category = "residuals", slot = 0 : i64} : <tensor<16xf32>>
  exec.fill %s {exec.event = 0 : i64, value = 0 : i64} : <tensor<16xf32>>
  // expected-note @below {{which is here}}
  exec.collective "all_reduce" %s -> %s {axes = ["data"], exec.event = 1 : i64, exec.waits = array<i64: 0>, stream = 1 : i64, reduction = "add", what = "activation", value = "", why = ""} : <tensor<16xf32>> -> <tensor<16xf32>>
}
dist.schedule attributes {stage = 0 : i64, exec.arenas = {device = 256 : i64}, exec.hyper = 0 : i64, exec.coordinates = 64 : i64} {
  dist.run @forward {microbatch = 0 : i64, slots = array<i64: 128>}
  // expected-error @below {{uses bytes 128 to 192 on stream 0, and no event orders it after what writes them before, on another stream}}
  dist.send "s" {microbatch = 0 : i64, offset = 128 : i64, peer = 1 : i64}
}
dist.schedule attributes {stage = 1 : i64, exec.arenas = {device = 256 : i64}, exec.hyper = 0 : i64, exec.coordinates = 64 : i64} {
}

// -----

dist.mesh @mesh [#dist.axis<"data" = 2>, #dist.axis<"pipe" = 2>]
exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  %s = exec.buffer "value" "s" {category = "residuals", slot = 0 : i64} : <tensor<16xf32>>
  exec.fill %s {exec.event = 0 : i64, value = 0 : i64} : <tensor<16xf32>>
}
dist.schedule attributes {stage = 0 : i64, exec.arenas = {device = 256 : i64}, exec.hyper = 0 : i64, exec.coordinates = 64 : i64} {
  dist.run @forward {microbatch = 0 : i64, slots = array<i64: 128>}
  // expected-error @below {{waits for event 7, which no step is}}
  dist.send "s" {exec.waits = array<i64: 7>, microbatch = 0 : i64, offset = 128 : i64, peer = 1 : i64}
}
dist.schedule attributes {stage = 1 : i64, exec.arenas = {device = 256 : i64}, exec.hyper = 0 : i64, exec.coordinates = 64 : i64} {
}

// -----

// A reduction that was hoisted into the run of the last microbatch but one, beside which the last one still adds to
// the sum.

dist.mesh @mesh [#dist.axis<"data" = 2>]
exec.task @weights attributes {kind = "weight_backward", stage = 0 : i64} {
  %a = exec.buffer "accumulator" "a" {category = "gradients", offset = 128 : i64} : <tensor<16xf32>>
  // expected-error @below {{uses bytes 128 to 192 on stream 0, and no event orders it after what writes them before, on another stream}}
  exec.fill %a {exec.event = 0 : i64, value = 0 : i64} : <tensor<16xf32>>
}
exec.task @weights_last attributes {kind = "weight_backward", stage = 0 : i64} {
  %a = exec.buffer "accumulator" "a" {category = "gradients", offset = 128 : i64} : <tensor<16xf32>>
  exec.fill %a {exec.event = 1 : i64, value = 0 : i64} : <tensor<16xf32>>
  // expected-note @below {{which is here}}
  exec.collective "all_reduce" %a -> %a {axes = ["data"], exec.event = 2 : i64, exec.waits = array<i64: 1>, stream = 1 : i64, reduction = "add", what = "gradient", value = "", why = ""} : <tensor<16xf32>> -> <tensor<16xf32>>
}
exec.task @epilogue attributes {kind = "epilogue", stage = 0 : i64} {
  %a = exec.buffer "accumulator" "a" {category = "gradients", offset = 128 : i64} : <tensor<16xf32>>
  exec.fill %a {exec.waits = array<i64: 2>, value = 0 : i64} : <tensor<16xf32>>
}
dist.schedule attributes {stage = 0 : i64, exec.arenas = {device = 256 : i64}, exec.hyper = 0 : i64, exec.coordinates = 64 : i64} {
  dist.run @weights_last {microbatch = 0 : i64, slots = array<i64>}
  dist.run @weights {microbatch = 1 : i64, slots = array<i64>}
  dist.run @epilogue {microbatch = 0 : i64, slots = array<i64>}
}
