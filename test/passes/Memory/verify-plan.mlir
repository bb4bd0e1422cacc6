// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --zcc-verify-plan --split-input-file --verify-diagnostics

// A plan that somebody edited: two buffers in one place, one outside of the
// arena, one without a place.

dist.mesh @mesh [#dist.axis<"data" = 1>]
exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  %a = exec.buffer "temporary" "a" {category = "temporary", offset = 128 : i64} : <tensor<16xf32>>
  %b = exec.buffer "temporary" "b" {category = "temporary", offset = 128 : i64} : <tensor<16xf32>>
  exec.fill %a {value = 0 : i64} : !exec.buffer<tensor<16xf32>>
  exec.copy %a -> %b : !exec.buffer<tensor<16xf32>> -> !exec.buffer<tensor<16xf32>>
}
// expected-error @+1 {{buffers forward/a and forward/b overlap at time 1}}
dist.schedule attributes {exec.coordinates = 64 : i64, exec.arenas = {device = 192 : i64}, exec.hyper = 0 : i64, stage = 0 : i64} {
  dist.run @forward {microbatch = 0 : i64, slots = array<i64>}
}

// -----

dist.mesh @mesh [#dist.axis<"data" = 1>]
exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  %a = exec.buffer "temporary" "a" {category = "temporary", offset = 128 : i64} : <tensor<16xf32>>
  exec.fill %a {value = 0 : i64} : !exec.buffer<tensor<16xf32>>
}
// expected-error @+1 {{the arena has 128 bytes, its buffers end at 192}}
dist.schedule attributes {exec.coordinates = 64 : i64, exec.arenas = {device = 128 : i64}, exec.hyper = 0 : i64, stage = 0 : i64} {
  dist.run @forward {microbatch = 0 : i64, slots = array<i64>}
}

// -----

dist.mesh @mesh [#dist.axis<"data" = 1>]
exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  // expected-error @+1 {{has no offset}}
  %a = exec.buffer "temporary" "a" {category = "temporary"} : <tensor<16xf32>>
  exec.fill %a {value = 0 : i64} : !exec.buffer<tensor<16xf32>>
}
dist.schedule attributes {exec.coordinates = 64 : i64, exec.arenas = {device = 192 : i64}, exec.hyper = 0 : i64, stage = 0 : i64} {
  dist.run @forward {microbatch = 0 : i64, slots = array<i64>}
}

// -----

dist.mesh @mesh [#dist.axis<"data" = 1>]
exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  %a = exec.buffer "value" "a" {category = "residuals", slot = 0 : i64} : <tensor<16xf32>>
  exec.fill %a {value = 0 : i64} : !exec.buffer<tensor<16xf32>>
}
dist.schedule attributes {exec.coordinates = 64 : i64, exec.arenas = {device = 192 : i64}, exec.hyper = 0 : i64, stage = 0 : i64} {
  // expected-error @+1 {{has 2 slots, expected 1}}
  dist.run @forward {microbatch = 0 : i64, slots = array<i64: 128, 128>}
}

// -----

// Slots are numbered in the order of the task's values: another number is another value.
dist.mesh @mesh [#dist.axis<"data" = 1>]
exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  // expected-error @+1 {{buffer 'a': expected slot 0, found 1}}
  %a = exec.buffer "value" "a" {category = "residuals", slot = 1 : i64} : <tensor<16xf32>>
  %b = exec.buffer "value" "b" {category = "residuals", slot = 0 : i64} : <tensor<16xf32>>
  exec.fill %a {value = 0 : i64} : !exec.buffer<tensor<16xf32>>
  exec.fill %b {value = 0 : i64} : !exec.buffer<tensor<16xf32>>
}
dist.schedule attributes {exec.coordinates = 64 : i64, exec.arenas = {device = 256 : i64}, exec.hyper = 0 : i64, stage = 0 : i64} {
  dist.run @forward {microbatch = 0 : i64, slots = array<i64: 128, 192>}
}

// -----

dist.mesh @mesh [#dist.axis<"data" = 1>]
exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  // expected-error @+1 {{buffer 'a' has a slot, but is not bound for each action: expected an offset}}
  %a = exec.buffer "temporary" "a" {category = "temporary", slot = 0 : i64} : <tensor<16xf32>>
  exec.fill %a {value = 0 : i64} : !exec.buffer<tensor<16xf32>>
}
dist.schedule attributes {exec.coordinates = 64 : i64, exec.arenas = {device = 192 : i64}, exec.hyper = 0 : i64, stage = 0 : i64} {
  dist.run @forward {microbatch = 0 : i64, slots = array<i64>}
}

// -----

// The host's memory has an arena of its own.

dist.mesh @mesh [#dist.axis<"data" = 1>]
exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  %a = exec.buffer "temporary" "a" {category = "temporary", memory = "host", offset = 0 : i64} : <tensor<16xf32>>
  %b = exec.buffer "temporary" "b" {category = "temporary", memory = "host", offset = 64 : i64} : <tensor<16xf32>>
  exec.fill %a {value = 0 : i64} : !exec.buffer<tensor<16xf32>>
  exec.copy %a -> %b : !exec.buffer<tensor<16xf32>> -> !exec.buffer<tensor<16xf32>>
}
// expected-error @+1 {{the arena of the host has 64 bytes, its buffers end at 128}}
dist.schedule attributes {exec.coordinates = 64 : i64, exec.arenas = {device = 128 : i64, host = 64 : i64}, exec.hyper = 0 : i64, stage = 0 : i64} {
  dist.run @forward {microbatch = 0 : i64, slots = array<i64>}
}

// -----

dist.mesh @mesh [#dist.axis<"data" = 1>]
exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  %v = exec.buffer "value" "v" {category = "residuals", memory = "host", slot = 0 : i64} : <tensor<16xf32>>
  exec.fill %v {value = 0 : i64} : !exec.buffer<tensor<16xf32>>
}
exec.task @backward attributes {kind = "backward", stage = 0 : i64} {
  // expected-error @+1 {{buffer 'v' is in the memory of the device, what it names in that of the host}}
  %v = exec.buffer "value" "v" {category = "residuals", slot = 0 : i64} : <tensor<16xf32>>
  %b = exec.buffer "temporary" "b" {category = "temporary", offset = 128 : i64} : <tensor<16xf32>>
  exec.copy %v -> %b : !exec.buffer<tensor<16xf32>> -> !exec.buffer<tensor<16xf32>>
}
dist.schedule attributes {exec.coordinates = 64 : i64, exec.arenas = {device = 192 : i64, host = 64 : i64}, exec.hyper = 0 : i64, stage = 0 : i64} {
  dist.run @forward {microbatch = 0 : i64, slots = array<i64: 0>}
  dist.run @backward {microbatch = 0 : i64, slots = array<i64: 0>}
}

// -----

// Whatever lies beyond the device has no arena, if the schedule names none.

dist.mesh @mesh [#dist.axis<"data" = 1>]
exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  %a = exec.buffer "temporary" "a" {category = "temporary", memory = "disk", offset = 0 : i64} : <tensor<16xf32>>
  %b = exec.buffer "temporary" "b" {category = "temporary", offset = 128 : i64} : <tensor<16xf32>>
  exec.fill %b {value = 0 : i64} : !exec.buffer<tensor<16xf32>>
  exec.copy %b -> %a : !exec.buffer<tensor<16xf32>> -> !exec.buffer<tensor<16xf32>>
}
// expected-error @+1 {{the arena of the disk has 0 bytes, its buffers end at 64}}
dist.schedule attributes {exec.coordinates = 64 : i64, exec.arenas = {device = 192 : i64}, exec.hyper = 0 : i64, stage = 0 : i64} {
  dist.run @forward {microbatch = 0 : i64, slots = array<i64>}
}

// -----

dist.mesh @mesh [#dist.axis<"data" = 1>]
// expected-error @+1 {{is not planned: 'exec.arenas' has no 'device'}}
dist.schedule attributes {exec.coordinates = 64 : i64, exec.arenas = {host = 64 : i64}, exec.hyper = 0 : i64, stage = 0 : i64} {
}

// -----

dist.mesh @mesh [#dist.axis<"data" = 1>]
// expected-error @+1 {{'exec.arenas' expects bytes (i64, not negative) for spaces of device, host, disk, found {device = 64 : i64, tape = 64 : i64}}}
dist.schedule attributes {exec.arenas = {device = 64 : i64, tape = 64 : i64}, stage = 0 : i64} {
}

// -----

dist.mesh @mesh [#dist.axis<"data" = 1>]
// expected-error @+1 {{'exec.arenas' expects bytes (i64, not negative) for spaces of device, host, disk, found {device = -64 : i64}}}
dist.schedule attributes {exec.arenas = {device = -64 : i64}, stage = 0 : i64} {
}

// -----

// An input of the caller that is in the arena.
dist.mesh @mesh [#dist.axis<"data" = 1>]
dist.input @x : tensor<16xf32> {exec.caller, exec.offsets = array<i64: 64>, input = "x", sharding = #dist.sharding<@mesh, [{}]>, stage = 0 : i64}
// expected-error @+1 {{the caller's input 'x' is at 64, expected bytes between 128 and 192}}
dist.schedule attributes {exec.coordinates = 64 : i64, exec.arenas = {device = 128 : i64}, exec.caller_bytes = 64 : i64, exec.hyper = 0 : i64, stage = 0 : i64} {
}

// -----

// An input of the caller that a step writes.
dist.mesh @mesh [#dist.axis<"data" = 1>]
dist.input @x : tensor<16xf32> {exec.caller, exec.offsets = array<i64: 128>, input = "x", sharding = #dist.sharding<@mesh, [{}]>, stage = 0 : i64}
exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  %x = exec.buffer "input" "x" {category = "temporary", offset = 128 : i64} : <tensor<16xf32>>
  // expected-error @+1 {{writes the input 'x', which is in the caller's memory}}
  exec.fill %x {value = 0 : i64} : !exec.buffer<tensor<16xf32>>
}
dist.schedule attributes {exec.coordinates = 64 : i64, exec.arenas = {device = 128 : i64}, exec.caller_bytes = 64 : i64, exec.hyper = 0 : i64, stage = 0 : i64} {
  dist.run @forward {microbatch = 0 : i64, slots = array<i64>}
}
