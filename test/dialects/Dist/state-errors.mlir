// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// State says what it is: a weight, or what an optimizer keeps, by name and first value.
// RUN: zcc-opt %s --split-input-file --verify-diagnostics

dist.mesh @mesh [#dist.axis<"data" = 1>]
// expected-error @below {{expected the kind parameter, master or slot, found moment1}}
dist.state @m : tensor<4xf32> {kind = "moment1", parameter = "w", file_type = tensor<4xf32>, start = array<i64: 0>, extent = array<i64: 4>, sharding = #dist.sharding<@mesh, [{}]>, stage = 0 : i64}

// -----

dist.mesh @mesh [#dist.axis<"data" = 1>]
// expected-error @below {{expected 'slot' and 'initial' of a slot, and of nothing else}}
dist.state @m : tensor<4xf32> {kind = "slot", slot = "moment1", parameter = "w", file_type = tensor<4xf32>, start = array<i64: 0>, extent = array<i64: 4>, sharding = #dist.sharding<@mesh, [{}]>, stage = 0 : i64}

// -----

dist.mesh @mesh [#dist.axis<"data" = 1>]
// expected-error @below {{expected 'slot' and 'initial' of a slot, and of nothing else}}
dist.state @w : tensor<4xf32> {kind = "parameter", slot = "moment1", initial = 0.0 : f64, parameter = "w", file_type = tensor<4xf32>, start = array<i64: 0>, extent = array<i64: 4>, sharding = #dist.sharding<@mesh, [{}]>, stage = 0 : i64}

// -----

dist.mesh @mesh [#dist.axis<"data" = 2>]
// expected-error @below {{expected 2 starts and extents, one a dim of 'file_type', found 1 and 2}}
dist.state @w : tensor<2x4xf32> {kind = "parameter", parameter = "w", file_type = tensor<4x4xf32>, start = array<i64: 0>, extent = array<i64: 4, 4>, sharding = #dist.sharding<@mesh, [{"data"}, {}]>, stage = 0 : i64}

// -----

dist.mesh @mesh [#dist.axis<"data" = 1>]
// expected-error @below {{expected 'dist.memory' to be "host" or "disk", found "tape"}}
dist.state @w : tensor<4xf32> {dist.memory = "tape", kind = "parameter", parameter = "w", file_type = tensor<4xf32>, start = array<i64: 0>, extent = array<i64: 4>, sharding = #dist.sharding<@mesh, [{}]>, stage = 0 : i64}
