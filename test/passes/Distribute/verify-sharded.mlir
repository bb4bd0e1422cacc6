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
  %c = train.sort %a {dim = 0 : i64, dist.shardings = [#rows]} : (tensor<4x4xf32>) -> tensor<4x4xf32>
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

// -----

// A position of the input belongs to one of the output and one of the kernel.
#image = #dist.sharding<@mesh, [{}, {"x"}, {}]>
#kernel = #dist.sharding<@mesh, [{"y"}, {}, {}]>
#both = #dist.sharding<@mesh, [{}, {"x"}, {}], partial = add {"y"}>
dist.mesh @mesh [#dist.axis<"x" = 2>, #dist.axis<"y" = 2>]
func.func @two_leaders(%a: tensor<1x8x2xf32> {dist.sharding = #image}, %k: tensor<4x2x2xf32> {dist.sharding = #kernel}) {
  // expected-error @below {{a dim is read by windows that move with two split dims, expected one}}
  %c = train.convolution %a, %k {strides = array<i64: 1>, pad_low = array<i64: 1>, pad_high = array<i64: 2>, lhs_dilation = array<i64: 1>, rhs_dilation = array<i64: 1>, reversal = array<i1: false>, input_dims = array<i64: 0, 2, 1>, kernel_dims = array<i64: 1, 2, 0>, output_dims = array<i64: 0, 2, 1>, dist.shardings = [#both]} : (tensor<1x8x2xf32>, tensor<4x2x2xf32>) -> tensor<1x8x2xf32>
  return
}

// -----

#rows = #dist.sharding<@mesh, [{"micro"}, {}]>
dist.mesh @mesh [#dist.axis<"micro" = 2 temporal>]
func.func @over_time(%a: tensor<4x4xf32> {dist.sharding = #rows}) {
  // expected-error @below {{a dim of extent 4 is split over microbatches ('micro'), but needs elements of other microbatches}}
  %c = train.reverse %a {dims = array<i64: 0>, dist.shardings = [#rows]} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

dist.mesh @mesh [#dist.axis<"data" = 2>]
func.func @step(%a: tensor<4xf32> {dist.global = tensor<4xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>}) {
  // expected-error @below {{expected 'dist.stage' to be an i64 from 0 to 0 (axis 'pipe' of the mesh has 1), found 1 : i64}}
  %0 = train.tanh %a {dist.stage = 1 : i64, dist.shardings = [#dist.sharding<@mesh, [{}]>]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}
