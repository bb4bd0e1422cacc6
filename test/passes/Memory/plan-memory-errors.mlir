// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --zcc-plan-memory --split-input-file --verify-diagnostics

// expected-error @+1 {{the module has no dist.mesh}}
dist.schedule attributes {stage = 0 : i64} {
}

// -----

dist.mesh @mesh [#dist.axis<"data" = 1>]
exec.task @backward attributes {kind = "backward", stage = 0 : i64} {
  %h = exec.buffer "value" "h" {category = "residuals"} : <tensor<16xf32>>
  %t = exec.buffer "temporary" "t0" {category = "temporary"} : <tensor<16xf32>>
  exec.copy %h -> %t : !exec.buffer<tensor<16xf32>> -> !exec.buffer<tensor<16xf32>>
}
dist.schedule attributes {stage = 0 : i64} {
  // expected-error @+1 {{no action before it makes the value 'h' of microbatch 0}}
  dist.run @backward {microbatch = 0 : i64}
}

// -----

dist.mesh @mesh [#dist.axis<"data" = 1>]
exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  // expected-error @+1 {{no dist.state 'w' is declared on stage 0}}
  %h = exec.buffer "state" "w" {category = "parameters"} : <tensor<16xf32>>
}
dist.schedule attributes {stage = 0 : i64} {
  dist.run @forward {microbatch = 0 : i64}
}

// -----

dist.mesh @mesh [#dist.axis<"data" = 1>]
dist.state @w : tensor<8xf32> {kind = "parameter", parameter = "w", file_type = tensor<8xf32>, start = array<i64: 0>, extent = array<i64: 8>, sharding = #dist.sharding<@mesh, [{}]>, stage = 0 : i64}
exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  // expected-error @+1 {{buffer 'w' takes 128 bytes, what it names has 64}}
  %h = exec.buffer "state" "w" {category = "parameters"} : <tensor<32xf32>>
}
dist.schedule attributes {stage = 0 : i64} {
  dist.run @forward {microbatch = 0 : i64}
}

// -----

dist.mesh @mesh [#dist.axis<"pipe" = 2>]
func.func private @make() -> tensor<4xf32> attributes {exec.kernel} {
  %0 = train.constant dense<1.0> : tensor<4xf32>
  return %0 : tensor<4xf32>
}
exec.task @f attributes {kind = "forward", stage = 0 : i64} {
  %h = exec.buffer "value" "h" {category = "residuals"} : <tensor<4xf32>>
  exec.launch @make() -> (%h) : () -> !exec.buffer<tensor<4xf32>>
}
exec.task @g attributes {kind = "forward", stage = 1 : i64} {
  %h = exec.buffer "value" "h" {category = "residuals"} : <tensor<4xf32>>
  %t = exec.buffer "temporary" "t" {category = "temporary"} : <tensor<4xf32>>
  exec.copy %h -> %t : !exec.buffer<tensor<4xf32>> -> !exec.buffer<tensor<4xf32>>
}
dist.schedule attributes {stage = 0 : i64} {
  dist.run @f {microbatch = 0 : i64}
  // expected-error @+1 {{expected 'exec.received', an i64 above 1 and up to 2, of a send, found 3 : i64}}
  dist.send "h" {exec.received = 3 : i64, microbatch = 0 : i64, peer = 1 : i64}
}
dist.schedule attributes {stage = 1 : i64} {
  dist.receive "h" {microbatch = 0 : i64, peer = 0 : i64}
  dist.run @g {microbatch = 0 : i64}
}
