// RUN: zcc-opt %s --split-input-file --verify-diagnostics --zcc-shard-step

dist.mesh @mesh [#dist.axis<"data" = 2>]
func.func @step(%x: tensor<8x4xf32> {zcc.kind = "input", zcc.input = "x"}) {
  // expected-error @below {{the sharding constraint: the mesh has no axis 'tensor'}}
  %c = "train.sharding_constraint"(%x) {sharding = [["tensor"], []]} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return
}

// -----

dist.mesh @mesh [#dist.axis<"data" = 2>]
func.func @step(%x: tensor<8x4xf32> {zcc.kind = "input", zcc.input = "x"}) {
  // expected-error @below {{the sharding constraint: axis 'data' shards dims 0 and 1}}
  %c = "train.sharding_constraint"(%x) {sharding = [["data"], ["data"]]} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return
}

// -----

dist.mesh @mesh [#dist.axis<"data" = 2>]
func.func @step(%x: tensor<8x4xf32> {zcc.kind = "input", zcc.input = "x"}) {
  // expected-error @below {{the sharding constraint: the mesh has no axis 'data:(1)4'}}
  %c = "train.sharding_constraint"(%x) {sharding = [["data:(1)4"], []]} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return
}

// -----

dist.mesh @mesh [#dist.axis<"micro" = 2 temporal>]
func.func @step(%x: tensor<8x4xf32> {zcc.kind = "input", zcc.input = "x"}) {
  // expected-error @below {{the sharding constraint: axis 'micro' divides time, not a value}}
  %c = "train.sharding_constraint"(%x) {sharding = [["micro"], []]} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return
}

// -----

dist.mesh @mesh [#dist.axis<"data" = 2>]
// expected-error @below {{the sharding of 'x': expected 2 entries, one a dim, found 1}}
func.func @step(%x: tensor<8x4xf32> {zcc.kind = "input", zcc.input = "x", zcc.sharding = [["data"]]}) {
  return
}

// -----

dist.mesh @mesh [#dist.axis<"data" = 2>]
// expected-error @below {{the sharding of 'x': the mesh has no axis 'model'}}
func.func @step(%x: tensor<8x4xf32> {zcc.kind = "input", zcc.input = "x", zcc.sharding = [["model"], []]}) {
  return
}

// -----

dist.mesh @mesh [#dist.axis<"data" = 2>]
func.func @step(%x: tensor<8x4xf32> {zcc.kind = "input", zcc.input = "x"}) {
  // expected-error @below {{the sharding constraint: axis 'data' shards dim 0 and is replicated}}
  %c = "train.sharding_constraint"(%x) {sharding = [["data"], ["?"]], replicated = ["data"]} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return
}

// -----

dist.mesh @mesh [#dist.axis<"data" = 2>]
func.func @step(%x: tensor<8x4xf32> {zcc.kind = "input", zcc.input = "x"},
    // expected-error @below {{the sharding of 'w': the mesh has no axis 'tensor'}}
    %w: tensor<4xf32> {zcc.kind = "parameter", zcc.parameter = "w", zcc.sharding = [["?"]], zcc.replicated = ["tensor"]}) {
  return
}
