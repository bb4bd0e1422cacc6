// Shardings do not depend on the order of ops and arguments: the second text is the first in another order, and every op
// and argument has the same sharding in both.
// RUN: zcc-opt %s --split-input-file --zcc-shard-step="zero=0" --zcc-verify-sharded --mlir-print-debuginfo --mlir-print-local-scope -o %t
// RUN: %python %S/Inputs/same-shardings.py %t 19
// RUN: FileCheck %s --input-file=%t

dist.mesh @mesh [#dist.axis<"data" = 2>, #dist.axis<"tensor" = 2>]
// CHECK-LABEL: func.func @step
// CHECK: train.dot_general {{.*}}[{"data"}, {"tensor"}]
func.func @step(%x: tensor<8x4xf32> {zcc.kind = "input", zcc.input = "x"},
    %y: tensor<8x4xf32> {zcc.kind = "input", zcc.input = "y"},
    %w: tensor<4x6xf32> {zcc.kind = "parameter", zcc.parameter = "w"},
    %v: tensor<6x4xf32> {zcc.kind = "parameter", zcc.parameter = "v"},
    %b: tensor<6xf32> {zcc.kind = "parameter", zcc.parameter = "b"})
    -> (tensor<4x6xf32>, tensor<6x4xf32>, tensor<6xf32>, tensor<f32>) {
  %h = train.dot_general %x, %w {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>} : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32> loc("h")
  %bb = train.broadcast_in_dim %b {dims = array<i64: 1>} : (tensor<6xf32>) -> tensor<8x6xf32> loc("bb")
  %a = train.add %h, %bb : (tensor<8x6xf32>, tensor<8x6xf32>) -> tensor<8x6xf32> loc("a")
  %t = train.tanh %a : (tensor<8x6xf32>) -> tensor<8x6xf32> loc("t")
  %o = train.dot_general %t, %v {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>} : (tensor<8x6xf32>, tensor<6x4xf32>) -> tensor<8x4xf32> loc("o")
  %d = train.subtract %o, %y : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32> loc("d")
  %sq = train.multiply %d, %d : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32> loc("sq")
  %l = train.reduce %sq {dims = array<i64: 0, 1>, kind = #train<reduce_kind maximum>} : (tensor<8x4xf32>) -> tensor<f32> loc("l")
  %gv = train.dot_general %t, %d {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 0>, rhs_contracting = array<i64: 0>} : (tensor<8x6xf32>, tensor<8x4xf32>) -> tensor<6x4xf32> loc("gv")
  %gt = train.dot_general %d, %v {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 1>} : (tensor<8x4xf32>, tensor<6x4xf32>) -> tensor<8x6xf32> loc("gt")
  %k = train.constant dense<2.0> : tensor<8x6xf32> loc("k")
  %ga = train.multiply %gt, %k : (tensor<8x6xf32>, tensor<8x6xf32>) -> tensor<8x6xf32> loc("ga")
  %gb = train.reduce %ga {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<8x6xf32>) -> tensor<6xf32> loc("gb")
  %gw = train.dot_general %x, %ga {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 0>, rhs_contracting = array<i64: 0>} : (tensor<8x4xf32>, tensor<8x6xf32>) -> tensor<4x6xf32> loc("gw")
  return %gw, %gv, %gb, %l : tensor<4x6xf32>, tensor<6x4xf32>, tensor<6xf32>, tensor<f32>
}

// -----

dist.mesh @mesh [#dist.axis<"data" = 2>, #dist.axis<"tensor" = 2>]
func.func @step(%b: tensor<6xf32> {zcc.kind = "parameter", zcc.parameter = "b"},
    %v: tensor<6x4xf32> {zcc.kind = "parameter", zcc.parameter = "v"},
    %y: tensor<8x4xf32> {zcc.kind = "input", zcc.input = "y"},
    %w: tensor<4x6xf32> {zcc.kind = "parameter", zcc.parameter = "w"},
    %x: tensor<8x4xf32> {zcc.kind = "input", zcc.input = "x"})
    -> (tensor<4x6xf32>, tensor<6x4xf32>, tensor<6xf32>, tensor<f32>) {
  %k = train.constant dense<2.0> : tensor<8x6xf32> loc("k")
  %bb = train.broadcast_in_dim %b {dims = array<i64: 1>} : (tensor<6xf32>) -> tensor<8x6xf32> loc("bb")
  %h = train.dot_general %x, %w {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>} : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32> loc("h")
  %a = train.add %h, %bb : (tensor<8x6xf32>, tensor<8x6xf32>) -> tensor<8x6xf32> loc("a")
  %t = train.tanh %a : (tensor<8x6xf32>) -> tensor<8x6xf32> loc("t")
  %o = train.dot_general %t, %v {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>} : (tensor<8x6xf32>, tensor<6x4xf32>) -> tensor<8x4xf32> loc("o")
  %d = train.subtract %o, %y : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32> loc("d")
  %gt = train.dot_general %d, %v {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 1>} : (tensor<8x4xf32>, tensor<6x4xf32>) -> tensor<8x6xf32> loc("gt")
  %ga = train.multiply %gt, %k : (tensor<8x6xf32>, tensor<8x6xf32>) -> tensor<8x6xf32> loc("ga")
  %gw = train.dot_general %x, %ga {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 0>, rhs_contracting = array<i64: 0>} : (tensor<8x4xf32>, tensor<8x6xf32>) -> tensor<4x6xf32> loc("gw")
  %gb = train.reduce %ga {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<8x6xf32>) -> tensor<6xf32> loc("gb")
  %gv = train.dot_general %t, %d {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 0>, rhs_contracting = array<i64: 0>} : (tensor<8x6xf32>, tensor<8x4xf32>) -> tensor<6x4xf32> loc("gv")
  %sq = train.multiply %d, %d : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32> loc("sq")
  %l = train.reduce %sq {dims = array<i64: 0, 1>, kind = #train<reduce_kind maximum>} : (tensor<8x4xf32>) -> tensor<f32> loc("l")
  return %gw, %gv, %gb, %l : tensor<4x6xf32>, tensor<6x4xf32>, tensor<6xf32>, tensor<f32>
}
