// RUN: zcc-opt %s --split-input-file --verify-diagnostics --zcc-verify-partitioned

#rows = #dist.sharding<@mesh, [{"a"}]>
dist.mesh @mesh [#dist.axis<"a" = 2>]
func.func @box(%a: tensor<2xf32>) {
  // expected-error @below {{expected a box of shape [3] under #dist.sharding<@mesh, [{"a"}], padded = [6]>}}
  %0 = dist.exchange_boxes %a {axes = ["a"], shape = array<i64: 4>, from = #rows, to = #dist.sharding<@mesh, [{"a"}], padded = [6]>, what = "activation", value = "", why = ""} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

#rows = #dist.sharding<@mesh, [{"a"}]>
dist.mesh @mesh [#dist.axis<"a" = 2>]
func.func @uneven(%a: tensor<2xf32>) {
  // expected-error @below {{dim 0: 2 shards of 5 elements, padded to 5}}
  %0 = dist.exchange_boxes %a {axes = ["a"], shape = array<i64: 5>, from = #rows, to = #rows, what = "activation", value = "", why = ""} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

#rows = #dist.sharding<@mesh, [{"a"}]>
dist.mesh @mesh [#dist.axis<"a" = 2>, #dist.axis<"b" = 2>]
func.func @group(%a: tensor<2xf32>) {
  // expected-error @below {{expected no other axes than those of 'from'}}
  %0 = dist.exchange_boxes %a {axes = ["a", "b"], shape = array<i64: 4>, from = #rows, to = #dist.sharding<@mesh, [{"b"}]>, what = "activation", value = "", why = ""} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

#rows = #dist.sharding<@mesh, [{"a"}]>
#other = #dist.sharding<@mesh, [{"b"}]>
dist.mesh @mesh [#dist.axis<"a" = 2>, #dist.axis<"b" = 2>]
func.func @elsewhere(%a: tensor<2xf32> {dist.global = tensor<4xf32>, dist.sharding = #rows}) {
  // expected-error @below {{does not lead from}}
  %0 = dist.exchange_boxes %a {axes = ["a"], shape = array<i64: 4>, from = #rows, to = #other, what = "activation", value = "", why = "", dist.shardings = [#rows]} : (tensor<2xf32>) -> tensor<2xf32>
  return
}
