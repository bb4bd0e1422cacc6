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

// -----

#rows = #dist.sharding<@mesh, [{"a"}]>
dist.mesh @mesh [#dist.axis<"a" = 2>]
func.func @numbers(%a: tensor<2xf32>) {
  // expected-error @below {{expected 5 numbers a dim in 'windows', 5, found 4}}
  %0 = dist.exchange_boxes %a {axes = ["a"], shape = array<i64: 4>, from = #rows, to = #rows, windows = array<i64: 2, 1, 1, 4>, what = "activation", value = "", why = ""} : (tensor<2xf32>) -> tensor<4xf32>
  return
}

// -----

#rows = #dist.sharding<@mesh, [{"a"}]>
dist.mesh @mesh [#dist.axis<"a" = 2>]
func.func @divisor(%a: tensor<2xf32>) {
  // expected-error @below {{dim 0: expected a step of at least 0, a divisor and a size of at least 1, found [2, 0, 1, -1, 4]}}
  %0 = dist.exchange_boxes %a {axes = ["a"], shape = array<i64: 4>, from = #rows, to = #rows, windows = array<i64: 2, 0, 1, -1, 4>, what = "activation", value = "", why = ""} : (tensor<2xf32>) -> tensor<4xf32>
  return
}

// -----

#rows = #dist.sharding<@mesh, [{"a"}]>
dist.mesh @mesh [#dist.axis<"a" = 2>]
func.func @size(%a: tensor<2xf32>) {
  // expected-error @below {{expected a result of shape [4], found [3]}}
  %0 = dist.exchange_boxes %a {axes = ["a"], shape = array<i64: 4>, from = #rows, to = #rows, windows = array<i64: 2, 1, 1, -1, 4>, what = "activation", value = "", why = ""} : (tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

#rows = #dist.sharding<@mesh, [{"a"}]>
dist.mesh @mesh [#dist.axis<"a" = 2>, #dist.axis<"b" = 2>]
func.func @windows_of_another(%a: tensor<2xf32> {dist.global = tensor<4xf32>, dist.sharding = #dist.sharding<@mesh, [{"b"}]>}) {
  // expected-error @below {{takes windows of #dist.sharding<@mesh, [{"a"}]>, but the operand has #dist.sharding<@mesh, [{"b"}]>}}
  %0 = dist.exchange_boxes %a {axes = ["a"], shape = array<i64: 4>, from = #rows, to = #rows, windows = array<i64: 2, 1, 1, -1, 4>, what = "activation", value = "", why = ""} : (tensor<2xf32>) -> tensor<4xf32>
  return
}
