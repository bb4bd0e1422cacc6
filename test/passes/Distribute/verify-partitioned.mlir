// RUN: zcc-opt %s --split-input-file --verify-diagnostics --zcc-verify-partitioned

dist.mesh @mesh [#dist.axis<"data" = 2>]
func.func @left(%a: tensor<4xf32> {dist.global = tensor<4xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>}) {
  // expected-error @below {{is left after partitioning}}
  %0 = dist.reshard %a {from = #dist.sharding<@mesh, [{}]>, to = #dist.sharding<@mesh, [{"data"}]>} : tensor<4xf32>
  return
}

// -----

dist.mesh @mesh [#dist.axis<"data" = 2>]
// expected-error @below {{argument 0: expected the shard 'tensor<2xf32>' of 'tensor<4xf32>', found 'tensor<4xf32>'}}
func.func @not_local(%a: tensor<4xf32> {dist.global = tensor<4xf32>, dist.sharding = #dist.sharding<@mesh, [{"data"}]>}) {
  return
}

// -----

dist.mesh @mesh [#dist.axis<"data" = 2>]
func.func @step(%a: tensor<4xf32> {dist.global = tensor<4xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>}) {
  // expected-error @below {{expected 'dist.region' to be survey, before, micro or after}}
  %0 = train.negate %a : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

dist.mesh @mesh [#dist.axis<"data" = 2>]
func.func @step(%a: tensor<4xf32> {dist.global = tensor<4xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>}) {
  // expected-note @below {{which is computed here}}
  %0 = train.negate %a {dist.region = "after"} : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @below {{reads a value of another region}}
  %1 = train.negate %0 {dist.region = "micro"} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// A sum of what is no part of a sum.
dist.mesh @mesh [#dist.axis<"data" = 2>]
func.func @twice(%a: tensor<4xf32> {dist.global = tensor<4xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>}) {
  // expected-error @below {{does not lead from #dist.sharding<@mesh, [{}]> to #dist.sharding<@mesh, [{}]>}}
  %0 = dist.all_reduce %a {axes = ["data"], reduction = "add", what = "activation", value = "a", why = "", dist.shardings = [#dist.sharding<@mesh, [{}]>]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// After the loop a value of one microbatch is only read through its sum; one microbatch alone needs no loop.
dist.mesh @mesh [#dist.axis<"micro" = 2 temporal>]
func.func @step(%a: tensor<2xf32> {dist.global = tensor<4xf32>, dist.sharding = #dist.sharding<@mesh, [{"micro"}]>}) {
  // expected-note @below {{which is computed here}}
  %0 = train.negate %a {dist.region = "micro"} : (tensor<2xf32>) -> tensor<2xf32>
  %1 = dist.accumulate %0 {dist.region = "after", reduction = "add", what = "activation", value = "a", why = ""} : tensor<2xf32>
  // expected-error @below {{reads a value of another region}}
  %2 = train.add %0, %1 {dist.region = "after"} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

// Blocks of a ring are the shards of one dim over its axes.
#all = #dist.sharding<@mesh, [{"context", "data"}]>
dist.mesh @mesh [#dist.axis<"context" = 2>, #dist.axis<"data" = 2>]
func.func @ring(%a: tensor<2xf32> {dist.global = tensor<8xf32>, dist.sharding = #all}) {
  // expected-error @below {{expected blocks that are shards over its axes, found #dist.sharding<@mesh, [{"context", "data"}]>}}
  %0 = dist.ring %a {
  ^bb0(%b: tensor<i32>, %x: tensor<2xf32>, %s: tensor<2xf32>):
    %1 = train.add %x, %s : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    dist.yield %1 : tensor<2xf32>
  } {axes = ["context"], moved = 0 : i64, passed = 1 : i64, starts = [0.0], what = "activation", value = "a", why = "", dist.shardings = [#all]} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

dist.mesh @mesh [#dist.axis<"data" = 2>]
func.func @ring(%a: tensor<2xf32> {dist.global = tensor<4xf32>, dist.sharding = #dist.sharding<@mesh, [{"data"}]>}) {
  // expected-error @below {{expected blocks that are shards over its axes, found #dist.sharding<@mesh, [{}]>}}
  %0 = dist.ring %a {
  ^bb0(%b: tensor<i32>, %x: tensor<2xf32>, %s: tensor<2xf32>):
    %1 = train.add %x, %s : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    dist.yield %1 : tensor<2xf32>
  } {axes = ["data"], moved = 1 : i64, passed = 1 : i64, starts = [0.0], what = "activation", value = "a", why = "", dist.shardings = [#dist.sharding<@mesh, [{}]>]} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

// The last part is no reduction of all.
func.func @step(%a: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @below {{expected a reduction, found 'replace'}}
  %0 = dist.accumulate %a {dist.region = "after", reduction = "replace", what = "activation", value = "a", why = ""} : tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

dist.mesh @mesh [#dist.axis<"data" = 2>]
func.func @step(%a: tensor<4xf32> {dist.global = tensor<4xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>}) {
  // expected-error @below {{expected 'dist.stage' to be an i64 from 0 to 0 (axis 'pipe' of the mesh has 1), found 1 : i64}}
  %0 = train.tanh %a {dist.region = "micro", dist.stage = 1 : i64, dist.shardings = [#dist.sharding<@mesh, [{}]>]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}
