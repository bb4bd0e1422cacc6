// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --split-input-file --verify-diagnostics

// A collective has the attributes of its kind, and no others.

#rows = #dist.sharding<@mesh, [{"a"}]>
dist.mesh @mesh [#dist.axis<"a" = 2>]
exec.task @t attributes {kind = "forward", stage = 0 : i64} {
  %s = exec.buffer "value" "s" {category = "residuals"} : <tensor<4xf32>>
  %t = exec.buffer "value" "t" {category = "residuals"} : <tensor<8xf32>>
  // expected-error @below {{expected string or keyword containing one of the following enum values}}
  exec.collective all_gathers %s -> %t {axes = ["a"], reduction = "", what = "activation", value = "s", why = ""} : <tensor<4xf32>> -> <tensor<8xf32>>
}

// -----

#rows = #dist.sharding<@mesh, [{"a"}]>
dist.mesh @mesh [#dist.axis<"a" = 2>]
exec.task @t attributes {kind = "forward", stage = 0 : i64} {
  %s = exec.buffer "value" "s" {category = "residuals"} : <tensor<4xf32>>
  %t = exec.buffer "value" "t" {category = "residuals"} : <tensor<4xf32>>
  // expected-error @below {{expected 'shift' of kind permute}}
  exec.collective permute %s -> %t {axes = ["a"], reduction = "", what = "activation", value = "s", why = ""} : <tensor<4xf32>> -> <tensor<4xf32>>
}

// -----

#rows = #dist.sharding<@mesh, [{"a"}]>
dist.mesh @mesh [#dist.axis<"a" = 2>]
exec.task @t attributes {kind = "forward", stage = 0 : i64} {
  %s = exec.buffer "value" "s" {category = "residuals"} : <tensor<4xf32>>
  %t = exec.buffer "value" "t" {category = "residuals"} : <tensor<4xf32>>
  // expected-error @below {{expected no 'shift' of kind all_reduce}}
  exec.collective all_reduce %s -> %t {axes = ["a"], shift = 1 : i64, what = "activation", value = "s", why = ""} : <tensor<4xf32>> -> <tensor<4xf32>>
}

// -----

#rows = #dist.sharding<@mesh, [{"a"}]>
dist.mesh @mesh [#dist.axis<"a" = 2>]
exec.task @t attributes {kind = "forward", stage = 0 : i64} {
  %s = exec.buffer "value" "s" {category = "residuals"} : <tensor<4xf32>>
  %t = exec.buffer "value" "t" {category = "residuals"} : <tensor<4xf32>>
  // expected-error @below {{expected no 'windows' of kind all_reduce}}
  exec.collective all_reduce %s -> %t {axes = ["a"], windows = array<i64: 1>, what = "activation", value = "s", why = ""} : <tensor<4xf32>> -> <tensor<4xf32>>
}

// -----

#rows = #dist.sharding<@mesh, [{"a"}]>
dist.mesh @mesh [#dist.axis<"a" = 2>]
exec.task @t attributes {kind = "forward", stage = 0 : i64} {
  %s = exec.buffer "value" "s" {category = "residuals"} : <tensor<4xf32>>
  %t = exec.buffer "value" "t" {category = "residuals"} : <tensor<8xf32>>
  // expected-error @below {{expected a target of 4 elements, found 8}}
  exec.collective all_reduce %s -> %t {axes = ["a"], reduction = "add", what = "activation", value = "s", why = ""} : <tensor<4xf32>> -> <tensor<8xf32>>
}

// -----

#rows = #dist.sharding<@mesh, [{"a"}]>
dist.mesh @mesh [#dist.axis<"a" = 2>]
exec.task @t attributes {kind = "forward", stage = 0 : i64} {
  %s = exec.buffer "value" "s" {category = "residuals"} : <tensor<4xf32>>
  %t = exec.buffer "value" "t" {category = "residuals"} : <tensor<8xi32>>
  // expected-error @below {{expected a target of 'f32', found 'i32'}}
  exec.collective all_gather %s -> %t {axes = ["a"], reduction = "", what = "activation", value = "s", why = ""} : <tensor<4xf32>> -> <tensor<8xi32>>
}

// -----

#rows = #dist.sharding<@mesh, [{"a"}]>
dist.mesh @mesh [#dist.axis<"a" = 2>]
exec.task @t attributes {kind = "forward", stage = 0 : i64} {
  %s = exec.buffer "value" "s" {category = "residuals"} : <tensor<4xf32>>
  %t = exec.buffer "value" "t" {category = "residuals"} : <tensor<8xf32>>
  // expected-error @below {{'concat_dim' is 1, expected a dim below the rank, 1}}
  exec.collective all_gather %s -> %t {axes = ["a"], concat_dim = 1 : i64, what = "activation", value = "s", why = ""} : <tensor<4xf32>> -> <tensor<8xf32>>
}

// -----

#rows = #dist.sharding<@mesh, [{"a"}]>
dist.mesh @mesh [#dist.axis<"a" = 2>]
exec.task @t attributes {kind = "forward", stage = 0 : i64} {
  %s = exec.buffer "value" "s" {category = "residuals"} : <tensor<8xf32>>
  %t = exec.buffer "value" "t" {category = "residuals"} : <tensor<4xf32>>
  // expected-error @below {{'split_dim' is -1, expected a dim below the rank, 1}}
  exec.collective reduce_scatter %s -> %t {axes = ["a"], split_dim = -1 : i64, what = "activation", value = "s", why = ""} : <tensor<8xf32>> -> <tensor<4xf32>>
}

// -----

#rows = #dist.sharding<@mesh, [{"a"}]>
dist.mesh @mesh [#dist.axis<"a" = 2>]
exec.task @t attributes {kind = "forward", stage = 0 : i64} {
  %s = exec.buffer "value" "s" {category = "residuals"} : <tensor<4xf32>>
  %t = exec.buffer "value" "t" {category = "residuals"} : <tensor<8xf32>>
  // expected-error @below {{expected 'shape' of kind exchange_boxes}}
  exec.collective exchange_boxes %s -> %t {axes = ["a"], from = #rows, to = #rows, what = "activation", value = "s", why = ""} : <tensor<4xf32>> -> <tensor<8xf32>>
}

// -----

#rows = #dist.sharding<@mesh, [{"a"}]>
dist.mesh @mesh [#dist.axis<"a" = 2>]
exec.task @t attributes {kind = "forward", stage = 0 : i64} {
  %s = exec.buffer "value" "s" {category = "residuals"} : <tensor<4xf32>>
  %t = exec.buffer "value" "t" {category = "residuals"} : <tensor<8xf32>>
  // expected-error @below {{attribute 'to' failed to satisfy constraint: a #dist.sharding}}
  exec.collective exchange_boxes %s -> %t {axes = ["a"], shape = array<i64: 8>, from = #rows, to = "rows", what = "activation", value = "s", why = ""} : <tensor<4xf32>> -> <tensor<8xf32>>
}

// -----

#rows = #dist.sharding<@mesh, [{"a"}]>
dist.mesh @mesh [#dist.axis<"a" = 2>]
exec.task @t attributes {kind = "forward", stage = 0 : i64} {
  %s = exec.buffer "value" "s" {category = "residuals"} : <tensor<4xf32>>
  %t = exec.buffer "value" "t" {category = "residuals"} : <tensor<8xf32>>
  // expected-error @below {{expected shardings of rank 2}}
  exec.collective exchange_boxes %s -> %t {axes = ["a"], shape = array<i64: 8, 1>, from = #rows, to = #rows, what = "activation", value = "s", why = ""} : <tensor<4xf32>> -> <tensor<8xf32>>
}

// -----

#rows = #dist.sharding<@mesh, [{"a"}]>
dist.mesh @mesh [#dist.axis<"a" = 2>]
exec.task @t attributes {kind = "forward", stage = 0 : i64} {
  %s = exec.buffer "value" "s" {category = "residuals"} : <tensor<4xf32>>
  %t = exec.buffer "value" "t" {category = "residuals"} : <tensor<8xf32>>
  // expected-error @below {{expected 5 numbers a dim in 'windows', 5, found 4}}
  exec.collective exchange_boxes %s -> %t {axes = ["a"], shape = array<i64: 8>, from = #rows, to = #rows, windows = array<i64: 0, 1, 1, 0>, what = "activation", value = "s", why = ""} : <tensor<4xf32>> -> <tensor<8xf32>>
}
