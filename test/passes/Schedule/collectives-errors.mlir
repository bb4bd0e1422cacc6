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

// -----

dist.mesh @mesh [#dist.axis<"a" = 2>]
exec.task @t attributes {kind = "forward", stage = 0 : i64} {
  %s = exec.buffer "value" "s" {category = "residuals"} : <tensor<4xf32>>
  %t = exec.buffer "value" "t" {category = "residuals"} : <tensor<4xf32>>
  // expected-error @below {{expected no 'source_part' of kind all_reduce}}
  exec.collective all_reduce %s -> %t {axes = ["a"], source_part = array<i64: 0, 0, 2>, what = "activation", value = "s", why = ""} : <tensor<4xf32>> -> <tensor<4xf32>>
}

// -----

dist.mesh @mesh [#dist.axis<"a" = 2>]
exec.task @t attributes {kind = "forward", stage = 0 : i64} {
  %s = exec.buffer "value" "s" {category = "residuals"} : <tensor<2x4x2xf32>>
  %t = exec.buffer "value" "t" {category = "residuals"} : <tensor<1x4x2xf32>>
  // expected-error @below {{'source_part' is [1, 3, 3], expected a dim of 'tensor<2x4x2xf32>', a part of it, and a number of parts, above 1, that divides it}}
  exec.collective all_to_all %s -> %t {axes = ["a"], split_dim = 0 : i64, concat_dim = 2 : i64, source_part = array<i64: 1, 3, 3>, what = "activation", value = "s", why = ""} : <tensor<2x4x2xf32>> -> <tensor<1x4x2xf32>>
}

// -----

// Of two experts, each of which has four places, the first two places are in two pieces.
dist.mesh @mesh [#dist.axis<"a" = 2>]
exec.task @t attributes {kind = "forward", stage = 0 : i64} {
  %s = exec.buffer "value" "s" {category = "residuals"} : <tensor<4x4x1xf32>>
  %t = exec.buffer "value" "t" {category = "residuals"} : <tensor<2x2x2xf32>>
  // expected-error @below {{'source_part' is along dim 1, expected one behind dim 0, with extents of 1 between in the blocks that members exchange}}
  exec.collective all_to_all %s -> %t {axes = ["a"], split_dim = 0 : i64, concat_dim = 2 : i64, source_part = array<i64: 1, 0, 2>, what = "activation", value = "s", why = ""} : <tensor<4x4x1xf32>> -> <tensor<2x2x2xf32>>
}

// -----

dist.mesh @mesh [#dist.axis<"a" = 2>]
exec.task @t attributes {kind = "forward", stage = 0 : i64} {
  %s = exec.buffer "value" "s" {category = "residuals"} : <tensor<1x2x4xf32>>
  %t = exec.buffer "value" "t" {category = "residuals"} : <tensor<2x4x2xf32>>
  // expected-error @below {{'target_part' is along dim 1, expected one behind dim 2}}
  exec.collective all_to_all %s -> %t {axes = ["a"], split_dim = 0 : i64, concat_dim = 2 : i64, target_part = array<i64: 1, 0, 2>, what = "activation", value = "s", why = ""} : <tensor<1x2x4xf32>> -> <tensor<2x4x2xf32>>
}
