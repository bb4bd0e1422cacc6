// Ops that need the whole batch at once cannot be split into microbatches.
// RUN: zcc-opt %s --split-input-file --verify-diagnostics --zcc-shard-step

dist.mesh @mesh [#dist.axis<"micro" = 2 temporal>]
// expected-note @below {{what it needs whole is computed here}}
func.func @step(%x: tensor<8x4xf32> {zcc.kind = "input", zcc.input = "x"}) -> (tensor<4xf32> {zcc.kind = "output"}) {
  // expected-error @below {{needs the whole batch at once: train.cumulative cannot be split into microbatches}}
  // expected-note @below {{it mixes rows of the batch: use --microbatches=1}}
  %c = train.cumulative %x {dim = 0 : i64, kind = #train<reduce_kind add>} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %r = train.reduce %c {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<8x4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

dist.mesh @mesh [#dist.axis<"micro" = 2 temporal>]
func.func @step(%x: tensor<8x4xf32> {zcc.kind = "input", zcc.input = "x"}) -> (tensor<8xf32> {zcc.kind = "output"}) {
  // expected-error @below {{a result of the step needs the whole batch at once: train.reduce cannot be split into microbatches}}
  // expected-note @below {{it mixes rows of the batch: use --microbatches=1}}
  %r = train.reduce %x {dims = array<i64: 1>, kind = #train<reduce_kind add>} : (tensor<8x4xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}
