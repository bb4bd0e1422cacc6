// Which inputs are rows of a batch.
// RUN: zcc-opt %s --split-input-file --zcc-shard-step="zero=0" | FileCheck %s

// The words of a key are taken one by one: two of them are no batch of two, though the batch has two rows.
dist.mesh @mesh [#dist.axis<"data" = 2>]
// CHECK-LABEL: func.func @step
// CHECK-SAME: %arg0: tensor<2xui32> {dist.sharding = #dist.sharding<@mesh, [{}]>
// CHECK-SAME: %arg1: tensor<2x4xf32> {dist.sharding = #dist.sharding<@mesh, [{"data"}, {}]>
func.func @step(%key: tensor<2xui32> {zcc.kind = "input", zcc.input = "key"}, %x: tensor<2x4xf32> {zcc.kind = "input", zcc.input = "x"}) -> tensor<f32> {
  %low = train.slice %key {start = array<i64: 0>, limit = array<i64: 1>, stride = array<i64: 1>} : (tensor<2xui32>) -> tensor<1xui32>
  %word = train.reshape %low : (tensor<1xui32>) -> tensor<ui32>
  %words = train.broadcast_in_dim %word {dims = array<i64>} : (tensor<ui32>) -> tensor<2x4xui32>
  %noise = train.convert %words : (tensor<2x4xui32>) -> tensor<2x4xf32>
  %y = train.multiply %x, %noise : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %loss = train.reduce %y {dims = array<i64: 0, 1>, kind = #train<reduce_kind add>} : (tensor<2x4xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// Many keys do not outvote the one input of rows; keys of the rows are rows.
dist.mesh @mesh [#dist.axis<"data" = 2>]
// CHECK-LABEL: func.func @step
// CHECK-SAME: %arg0: tensor<2xui32> {dist.sharding = #dist.sharding<@mesh, [{}]>
// CHECK-SAME: %arg1: tensor<2xui32> {dist.sharding = #dist.sharding<@mesh, [{}]>
// CHECK-SAME: %arg2: tensor<8x2xui32> {dist.sharding = #dist.sharding<@mesh, [{"data"}, {}]>
func.func @step(%a: tensor<2xui32> {zcc.kind = "input", zcc.input = "a"}, %b: tensor<2xui32> {zcc.kind = "input", zcc.input = "b"}, %keys: tensor<8x2xui32> {zcc.kind = "input", zcc.input = "keys"}) -> tensor<f32> {
  %low = train.slice %a {start = array<i64: 0>, limit = array<i64: 1>, stride = array<i64: 1>} : (tensor<2xui32>) -> tensor<1xui32>
  %one = train.reshape %low : (tensor<1xui32>) -> tensor<ui32>
  %high = train.slice %b {start = array<i64: 1>, limit = array<i64: 2>, stride = array<i64: 1>} : (tensor<2xui32>) -> tensor<1xui32>
  %two = train.reshape %high : (tensor<1xui32>) -> tensor<ui32>
  %word = train.xor %one, %two : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
  %words = train.broadcast_in_dim %word {dims = array<i64>} : (tensor<ui32>) -> tensor<8xui32>
  %rows = train.slice %keys {start = array<i64: 0, 0>, limit = array<i64: 8, 1>, stride = array<i64: 1, 1>} : (tensor<8x2xui32>) -> tensor<8x1xui32>
  %row = train.reshape %rows : (tensor<8x1xui32>) -> tensor<8xui32>
  %bits = train.xor %row, %words : (tensor<8xui32>, tensor<8xui32>) -> tensor<8xui32>
  %noise = train.convert %bits : (tensor<8xui32>) -> tensor<8xf32>
  %loss = train.reduce %noise {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<8xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// Weights of classes, as many as rows: a parameter has their dim.
dist.mesh @mesh [#dist.axis<"data" = 2>]
// CHECK-LABEL: func.func @step
// CHECK-SAME: "p"
// CHECK-SAME: %arg1: tensor<8x4xf32> {dist.sharding = #dist.sharding<@mesh, [{"data"}, {}]>
// CHECK-SAME: %arg2: tensor<8xf32> {dist.sharding = #dist.sharding<@mesh, [{}]>
func.func @step(%p: tensor<4x8xf32> {zcc.kind = "parameter", zcc.parameter = "p"}, %x: tensor<8x4xf32> {zcc.kind = "input", zcc.input = "x"}, %weights: tensor<8xf32> {zcc.kind = "input", zcc.input = "weights"}) -> tensor<f32> {
  %logits = train.dot_general %x, %p {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>} : (tensor<8x4xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  %w = train.broadcast_in_dim %weights {dims = array<i64: 1>} : (tensor<8xf32>) -> tensor<8x8xf32>
  %y = train.multiply %logits, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %loss = train.reduce %y {dims = array<i64: 0, 1>, kind = #train<reduce_kind add>} : (tensor<8x8xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// The batch is the extent with more work along it, of two equally frequent ones: here 4, the rows of the product.
dist.mesh @mesh [#dist.axis<"data" = 2>]
// CHECK-LABEL: func.func @step
// CHECK-SAME: %arg0: tensor<4x16xf32> {dist.sharding = #dist.sharding<@mesh, [{"data"}, {}]>
// CHECK-SAME: %arg1: tensor<16xf32> {dist.sharding = #dist.sharding<@mesh, [{}]>
func.func @step(%x: tensor<4x16xf32> {zcc.kind = "input", zcc.input = "x"}, %weights: tensor<16xf32> {zcc.kind = "input", zcc.input = "weights"}) -> tensor<f32> {
  %w = train.broadcast_in_dim %weights {dims = array<i64: 1>} : (tensor<16xf32>) -> tensor<4x16xf32>
  %y = train.multiply %x, %w : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
  %rows = train.reduce %y {dims = array<i64: 1>, kind = #train<reduce_kind add>} : (tensor<4x16xf32>) -> tensor<4xf32>
  %square = train.multiply %rows, %rows : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %loss = train.reduce %square {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<4xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
