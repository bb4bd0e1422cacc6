// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// State says what it is: a weight, or what an optimizer keeps, by name and first value.
// RUN: zcc-opt %s --split-input-file --verify-diagnostics

dist.mesh @mesh [#dist.axis<"data" = 1>]
// expected-error @below {{expected the kind parameter, master, slot, variable or ema, found moment1}}
dist.state @m : tensor<4xf32> {kind = "moment1", parameter = "w", file_type = tensor<4xf32>, start = array<i64: 0>, extent = array<i64: 4>, sharding = #dist.sharding<@mesh, [{}]>, stage = 0 : i64}

// -----

dist.mesh @mesh [#dist.axis<"data" = 1>]
// expected-error @below {{expected 'initial' of a slot}}
dist.state @m : tensor<4xf32> {kind = "slot", own_name = "moment1", parameter = "w", file_type = tensor<4xf32>, start = array<i64: 0>, extent = array<i64: 4>, sharding = #dist.sharding<@mesh, [{}]>, stage = 0 : i64}

// -----

dist.mesh @mesh [#dist.axis<"data" = 1>]
// expected-error @below {{expected no 'own_name' of a parameter}}
dist.state @w : tensor<4xf32> {kind = "parameter", own_name = "moment1", initial = 0.0 : f64, parameter = "w", file_type = tensor<4xf32>, start = array<i64: 0>, extent = array<i64: 4>, sharding = #dist.sharding<@mesh, [{}]>, stage = 0 : i64}

// -----

dist.mesh @mesh [#dist.axis<"data" = 1>]
// expected-error @below {{expected 'parameter' of a master}}
dist.state @w : tensor<4xf32> {kind = "master", file_type = tensor<4xf32>, start = array<i64: 0>, extent = array<i64: 4>, sharding = #dist.sharding<@mesh, [{}]>, stage = 0 : i64}

// -----

dist.mesh @mesh [#dist.axis<"data" = 1>]
// expected-error @below {{expected no 'parameter' of a variable}}
dist.state @w : tensor<4xf32> {kind = "variable", parameter = "w", own_name = "w", file_type = tensor<4xf32>, start = array<i64: 0>, extent = array<i64: 4>, sharding = #dist.sharding<@mesh, [{}]>, stage = 0 : i64}

// -----

dist.mesh @mesh [#dist.axis<"data" = 2>]
// expected-error @below {{expected a variable to be whole on all devices}}
dist.state @w : tensor<2xf32> {kind = "variable", own_name = "w", file_type = tensor<4xf32>, start = array<i64: 0>, extent = array<i64: 4>, sharding = #dist.sharding<@mesh, [{"data"}]>, stage = 0 : i64}

// -----

dist.mesh @mesh [#dist.axis<"data" = 2>]
// expected-error @below {{expected 2 starts and extents, one a dim of 'file_type', found 1 and 2}}
dist.state @w : tensor<2x4xf32> {kind = "parameter", parameter = "w", file_type = tensor<4x4xf32>, start = array<i64: 0>, extent = array<i64: 4, 4>, sharding = #dist.sharding<@mesh, [{"data"}, {}]>, stage = 0 : i64}

// -----

dist.mesh @mesh [#dist.axis<"data" = 1>]
// expected-error @below {{expected 'dist.memory' to be "host" or "disk", found "tape"}}
dist.state @w : tensor<4xf32> {dist.memory = "tape", kind = "parameter", parameter = "w", file_type = tensor<4xf32>, start = array<i64: 0>, extent = array<i64: 4>, sharding = #dist.sharding<@mesh, [{}]>, stage = 0 : i64}

// -----

dist.mesh @mesh [#dist.axis<"data" = 1>]
// expected-error @below {{expected no 'initial' of an ema}}
dist.state @w : tensor<4xf32> {kind = "ema", parameter = "w", initial = 0.0 : f64, file_type = tensor<4xf32>, start = array<i64: 0>, extent = array<i64: 4>, sharding = #dist.sharding<@mesh, [{}]>, stage = 0 : i64}
