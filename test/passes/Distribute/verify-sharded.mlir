// RUN: zcc-opt %s --split-input-file --verify-diagnostics --zcc-verify-sharded

#whole = #dist.sharding<@mesh, [{}, {}]>
#rows = #dist.sharding<@mesh, [{"data"}, {}]>
#columns = #dist.sharding<@mesh, [{}, {"data"}]>
dist.mesh @mesh [#dist.axis<"data" = 2>]
func.func @operands_differ(%a: tensor<4x4xf32> {dist.sharding = #rows}, %b: tensor<4x4xf32> {dist.sharding = #whole}) {
  // expected-error @below {{operand 1 has the sharding #dist.sharding<@mesh, [{}, {}]>, which the factor rule and the other shardings do not permit}}
  %c = train.add %a, %b {dist.shardings = [#rows]} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

#rows = #dist.sharding<@mesh, [{"data"}, {}]>
dist.mesh @mesh [#dist.axis<"data" = 2>]
func.func @must_be_whole(%a: tensor<4x4xf32> {dist.sharding = #rows}) {
  // expected-error @below {{a dim of extent 4 must be whole, but is sharded over ["data"]}}
  %c = train.cumulative %a {dim = 0 : i64, kind = #train<reduce_kind add>, dist.shardings = [#rows]} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

#rows = #dist.sharding<@mesh, [{"data"}, {}]>
#whole = #dist.sharding<@mesh, [{}]>
dist.mesh @mesh [#dist.axis<"data" = 2>]
func.func @not_reduced(%a: tensor<4x4xf32> {dist.sharding = #rows}) {
  // expected-error @below {{result 0 has the sharding #dist.sharding<@mesh, [{}]>, expected #dist.sharding<@mesh, [{}], partial = add {"data"}>}}
  %c = train.reduce %a {dims = array<i64: 0>, kind = #train<reduce_kind add>, dist.shardings = [#whole]} : (tensor<4x4xf32>) -> tensor<4xf32>
  return
}

// -----

#part = #dist.sharding<@mesh, [{}], partial = add {"data"}>
dist.mesh @mesh [#dist.axis<"data" = 2>]
func.func @not_linear(%a: tensor<4xf32> {dist.sharding = #part}) {
  // expected-error @below {{takes operands that are partial over 'data', which it cannot}}
  %c = train.exponential %a {dist.shardings = [#part]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

dist.mesh @mesh [#dist.axis<"data" = 2>]
// expected-error @below {{argument 0: sharding #dist.sharding<@mesh, [{"tensor"}]> names an axis that the mesh lacks, or an unknown reduction}}
func.func @no_axis(%a: tensor<4xf32> {dist.sharding = #dist.sharding<@mesh, [{"tensor"}]>}) {
  return
}

// -----

dist.mesh @mesh [#dist.axis<"data" = 2>]
// expected-error @below {{uses axis 'data' 2 times}}
func.func @axis_twice(%a: tensor<4x4xf32> {dist.sharding = #dist.sharding<@mesh, [{"data"}, {"data"}]>}) {
  return
}

// -----

dist.mesh @mesh [#dist.axis<"data" = 2>]
func.func @none(%a: tensor<4xf32> {dist.sharding = #dist.sharding<@mesh, [{}]>}) {
  // expected-error @below {{expected 1 shardings in 'dist.shardings', found 0}}
  %c = train.exponential %a : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

#part = #dist.sharding<@mesh, [{}], partial = add {"data"}>
dist.mesh @mesh [#dist.axis<"data" = 2>]
func.func @leaves(%a: tensor<4xf32> {dist.sharding = #part}) -> tensor<4xf32> {
  // expected-error @below {{operand 0 is partial: #dist.sharding<@mesh, [{}], partial = add {"data"}>}}
  return %a : tensor<4xf32>
}

// -----

// 5 elements over 2 devices: 6 with the padding; 5 do not divide.
dist.mesh @mesh [#dist.axis<"data" = 2>]
// expected-error @below {{dim 0 of extent 5 is padded to 5, which 2 shards do not divide}}
func.func @uneven(%a: tensor<5xf32> {dist.sharding = #dist.sharding<@mesh, [{"data"}]>}) {
  return
}

// -----

// Operands that are padded differently are sharded differently.
dist.mesh @mesh [#dist.axis<"data" = 2>]
func.func @padding_differs(%a: tensor<5xf32> {dist.sharding = #dist.sharding<@mesh, [{"data"}], padded = [6]>},
    %b: tensor<5xf32> {dist.sharding = #dist.sharding<@mesh, [{"data"}], padded = [8]>}) {
  // expected-error @below {{operand 1 has the sharding #dist.sharding<@mesh, [{"data"}], padded = [8]>, which the factor rule and the other shardings do not permit}}
  %c = train.add %a, %b {dist.shardings = [#dist.sharding<@mesh, [{"data"}], padded = [6]>]} : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
  return
}
