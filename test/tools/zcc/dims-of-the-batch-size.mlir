// Dims that are as long as the batch by chance are no batch: features beside rows, positions, the words of a key.
// RUN: split-file %s %t
// RUN: zcc %t/relu.mlir --microbatches=2 --quiet -o %t/x
// RUN: zcc %t/relu.mlir --mesh=data=2 --compile-to=sharded --quiet -o - | FileCheck %s --check-prefix=RELU
// RUN: zcc %t/positions.mlir --microbatches=2 --quiet -o %t/x
// RUN: zcc %t/positions.mlir --mesh=data=2 --compile-to=sharded --quiet -o - | FileCheck %s --check-prefix=POSITIONS
// RUN: zcc %t/key.mlir --microbatches=2 --quiet -o %t/x
// RUN: zcc %t/key.mlir --mesh=data=2 --compile-to=sharded --quiet -o - | FileCheck %s --check-prefix=KEY

// One of the zeros is of rows, the other one of features.
// RELU: %[[W:.*]] = dist.reshard %arg0
// RELU: train.maximum %arg3, {{.*}}[{"data"}]
// RELU: train.maximum %[[W]], {{.*}}[{}]
//--- relu.mlir
func.func @main(%w: tensor<8xf32> {zcc.parameter = "w"}, %x: tensor<8xf32> {zcc.input = "x"}) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %zeros = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<8xf32>
  %a = stablehlo.maximum %x, %zeros : tensor<8xf32>
  %b = stablehlo.maximum %w, %zeros : tensor<8xf32>
  %rows = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<8xf32>) -> tensor<8x8xf32>
  %columns = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<8xf32>) -> tensor<8x8xf32>
  %y = stablehlo.multiply %rows, %columns : tensor<8x8xf32>
  %square = stablehlo.multiply %y, %y : tensor<8x8xf32>
  %loss = stablehlo.reduce(%square init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x8xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// Values that are computed from positions alone stay replicated.
// POSITIONS: train.iota {{.*}}[{}]
// POSITIONS: train.compare {{.*}}[{}]
// POSITIONS: train.maximum {{.*}}[{"data"}]
//--- positions.mlir
func.func @main(%w: tensor<8xf32> {zcc.parameter = "w"}, %x: tensor<8xf32> {zcc.input = "x"}) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %zeros = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<8xf32>
  %three = stablehlo.constant dense<3.0> : tensor<8xf32>
  %i = stablehlo.iota dim = 0 : tensor<8xf32>
  %late = stablehlo.compare GT, %i, %three : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
  %masked = stablehlo.select %late, %w, %zeros : tensor<8xi1>, tensor<8xf32>
  %a = stablehlo.maximum %x, %zeros : tensor<8xf32>
  %rows = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<8xf32>) -> tensor<8x8xf32>
  %columns = stablehlo.broadcast_in_dim %masked, dims = [1] : (tensor<8xf32>) -> tensor<8x8xf32>
  %y = stablehlo.multiply %rows, %columns : tensor<8x8xf32>
  %loss = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x8xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// Both words of the key go to every row.
// KEY: zcc.input = "x"
// KEY: dist.sharding = #dist.sharding<@mesh, [{}]>, {{[^%]*}}zcc.input = "key"
//--- key.mlir
func.func @main(%w: tensor<4xf32> {zcc.parameter = "w"}, %x: tensor<2x4xf32> {zcc.input = "x"}, %key: tensor<2xui32> {zcc.input = "key"}) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.slice %key [0:1] : (tensor<2xui32>) -> tensor<1xui32>
  %one = stablehlo.reshape %low : (tensor<1xui32>) -> tensor<ui32>
  %high = stablehlo.slice %key [1:2] : (tensor<2xui32>) -> tensor<1xui32>
  %two = stablehlo.reshape %high : (tensor<1xui32>) -> tensor<ui32>
  %ones = stablehlo.broadcast_in_dim %one, dims = [] : (tensor<ui32>) -> tensor<2x4xui32>
  %twos = stablehlo.broadcast_in_dim %two, dims = [] : (tensor<ui32>) -> tensor<2x4xui32>
  %i = stablehlo.iota dim = 0 : tensor<2x4xui32>
  %j = stablehlo.iota dim = 1 : tensor<2x4xui32>
  %a = stablehlo.add %i, %ones : tensor<2x4xui32>
  %b = stablehlo.multiply %j, %twos : tensor<2x4xui32>
  %bits = stablehlo.xor %a, %b : tensor<2x4xui32>
  %noise = stablehlo.convert %bits : (tensor<2x4xui32>) -> tensor<2x4xf32>
  %wb = stablehlo.broadcast_in_dim %w, dims = [1] : (tensor<4xf32>) -> tensor<2x4xf32>
  %h = stablehlo.multiply %x, %wb : tensor<2x4xf32>
  %y = stablehlo.multiply %h, %noise : tensor<2x4xf32>
  %loss = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x4xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}
