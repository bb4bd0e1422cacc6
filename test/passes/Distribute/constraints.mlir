// RUN: zcc-opt %s --split-input-file --zcc-shard-step="zero=0" --zcc-verify-sharded | FileCheck %s

// A constraint holds at its op; what is around follows from it.
dist.mesh @mesh [#dist.axis<"data" = 2>, #dist.axis<"node" = 2>]
// CHECK-LABEL: func.func @step
func.func @step(%x: tensor<8x4xf32> {zcc.kind = "input", zcc.input = "x"}, %w: tensor<4x6xf32> {zcc.kind = "parameter", zcc.parameter = "w"})
    -> (tensor<8x6xf32> {zcc.kind = "output"}) {
  // CHECK: train.dot_general {{.*}}[#dist.sharding<@mesh, [{"data"}, {"node"}]>]
  %h = train.dot_general %x, %w {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>} : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  // CHECK: train.tanh {{.*}}[#dist.sharding<@mesh, [{"data"}, {"node"}]>]
  %t = train.tanh %h : (tensor<8x6xf32>) -> tensor<8x6xf32>
  // CHECK: train.sharding_constraint {{.*}}dist.shardings = [#dist.sharding<@mesh, [{"data"}, {"node"}]>]
  %c = "train.sharding_constraint"(%t) {sharding = [["data"], ["node"]]} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  %r = train.exponential %c : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return %r : tensor<8x6xf32>
}

// -----

// A closed constraint gathers what it does not name.
dist.mesh @mesh [#dist.axis<"data" = 2>]
// CHECK-LABEL: func.func @step
func.func @step(%x: tensor<8x4xf32> {zcc.kind = "input", zcc.input = "x"}) -> (tensor<8x4xf32> {zcc.kind = "output"}) {
  // CHECK: %[[X:.*]] = dist.reshard %arg0 {{.*}}to = #dist.sharding<@mesh, [{}, {}]>{{.*}}why = "train.sharding_constraint needs it whole"
  // CHECK: train.sharding_constraint %[[X]] {{.*}}[#dist.sharding<@mesh, [{}, {}]>]
  %c = "train.sharding_constraint"(%x) {sharding = [[], []]} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %c : tensor<8x4xf32>
}

// -----

// An argument can have JAX's sdy.sharding.
dist.mesh @mesh [#dist.axis<"data" = 2>, #dist.axis<"node" = 2>]
// CHECK-LABEL: func.func @step
// CHECK-SAME: [{"node"}, {}]>, zcc.kind = "parameter", zcc.parameter = "w"
func.func @step(%x: tensor<8x4xf32> {zcc.kind = "input", zcc.input = "x"},
    %w: tensor<4x6xf32> {zcc.kind = "parameter", zcc.parameter = "w", zcc.sharding = [["node"], []]}) -> (tensor<8x6xf32> {zcc.kind = "output"}) {
  // CHECK: train.dot_general {{.*}}partial = add {"node"}
  %h = train.dot_general %x, %w {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>} : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  return %h : tensor<8x6xf32>
}

// -----

// An open dim takes the batch, and what the others say is carried on.
dist.mesh @mesh [#dist.axis<"data" = 2>, #dist.axis<"node" = 2>]
// CHECK-LABEL: func.func @step
// CHECK-SAME: [{}, {"node"}]>, zcc.kind = "parameter", zcc.parameter = "w"
func.func @step(%x: tensor<8x4xf32> {zcc.kind = "input", zcc.input = "x"}, %w: tensor<4x6xf32> {zcc.kind = "parameter", zcc.parameter = "w"})
    -> (tensor<8x6xf32> {zcc.kind = "output"}) {
  // CHECK: train.dot_general {{.*}}[#dist.sharding<@mesh, [{"data"}, {"node"}]>]
  %h = train.dot_general %x, %w {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>} : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  // CHECK: train.sharding_constraint {{.*}}[#dist.sharding<@mesh, [{"data"}, {"node"}]>]
  %c = "train.sharding_constraint"(%h) {sharding = [["?"], ["node"]]} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return %c : tensor<8x6xf32>
}

// -----

// Microbatches divide what a constraint divides over devices.
dist.mesh @mesh [#dist.axis<"micro" = 2 temporal>, #dist.axis<"data" = 2>]
// CHECK-LABEL: func.func @step
func.func @step(%x: tensor<8x4xf32> {zcc.kind = "input", zcc.input = "x"}) -> (tensor<4xf32> {zcc.kind = "output"}) {
  // CHECK: train.sharding_constraint %arg0 {{.*}}[#dist.sharding<@mesh, [{"micro", "data"}, {}]>]
  %c = "train.sharding_constraint"(%x) {sharding = [["data"], []]} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %r = train.reduce %c {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<8x4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// An open dim may take axes; what the constraint names stays, though its neighbors would rather have it elsewhere.
dist.mesh @mesh [#dist.axis<"model" = 2>]
// CHECK-LABEL: func.func @step
func.func @step(%x: tensor<8x4xf32> {zcc.kind = "input", zcc.input = "x", zcc.sharding = [["model"], []]}) -> (tensor<8x4xf32> {zcc.kind = "output"}) {
  // CHECK: train.sharding_constraint {{.*}}[#dist.sharding<@mesh, [{}, {"model"}]>]
  %c = "train.sharding_constraint"(%x) {sharding = [["?"], ["model"]]} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %r = train.add %c, %x : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}

// -----

// An axis that a constraint keeps off its value.
dist.mesh @mesh [#dist.axis<"data" = 2>, #dist.axis<"model" = 2>]
// CHECK-LABEL: func.func @step
func.func @step(%x: tensor<8x4xf32> {zcc.kind = "input", zcc.input = "x", zcc.sharding = [["data"], ["model"]]}) -> (tensor<8x4xf32> {zcc.kind = "output"}) {
  // CHECK: train.sharding_constraint {{.*}}[#dist.sharding<@mesh, [{"data"}, {}]>]
  %c = "train.sharding_constraint"(%x) {sharding = [["?"], ["?"]], replicated = ["model"]} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %r = train.add %c, %x : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}

// -----

// And one off an argument, which would follow its user.
dist.mesh @mesh [#dist.axis<"data" = 2>, #dist.axis<"model" = 2>]
// CHECK-LABEL: func.func @step
// CHECK-SAME: [{"model"}]>, zcc.kind = "parameter", zcc.parameter = "free"
// CHECK-SAME: [{}]>, zcc.kind = "parameter", zcc.parameter = "kept"
func.func @step(%x: tensor<8x4xf32> {zcc.kind = "input", zcc.input = "x", zcc.sharding = [["data"], ["model"]]},
    %a: tensor<4xf32> {zcc.kind = "parameter", zcc.parameter = "free", zcc.sharding = [["?"]]},
    %b: tensor<4xf32> {zcc.kind = "parameter", zcc.parameter = "kept", zcc.sharding = [["?"]], zcc.replicated = ["model"]}) -> (tensor<8x4xf32> {zcc.kind = "output"}) {
  %wa = train.broadcast_in_dim %a {dims = array<i64: 1>} : (tensor<4xf32>) -> tensor<8x4xf32>
  %wb = train.broadcast_in_dim %b {dims = array<i64: 1>} : (tensor<4xf32>) -> tensor<8x4xf32>
  %p = train.multiply %x, %wa : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  %r = train.multiply %p, %wb : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}
