// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A regression over seven rows on two devices in two microbatches, written by hand in the phase `partitioned`: the loss is the
// mean of the rows' squared errors weighted by `m`, so that the sum of the weights is taken before the loop. Rows and the
// parameter's five rows do not divide. The parameter is gathered again for the backward pass.
#rows = #dist.sharding<@mesh, [{"micro", "data"}, {}], padded = [8, 5]>
#labels = #dist.sharding<@mesh, [{"micro", "data"}, {}], padded = [8, 3]>
#weights = #dist.sharding<@mesh, [{"micro", "data"}], padded = [8]>
#w = #dist.sharding<@mesh, [{"data"}, {}], padded = [6, 3]>
module {
  dist.mesh @mesh [#dist.axis<"micro" = 2 temporal>, #dist.axis<"data" = 2>]
  func.func @step(
      %w: tensor<3x3xf32> {dist.global = tensor<5x3xf32>, dist.sharding = #w, zcc.kind = "parameter", zcc.parameter = "w"},
      %x: tensor<2x5xf32> {dist.global = tensor<7x5xf32>, dist.sharding = #rows, zcc.kind = "input", zcc.input = "x"},
      %y: tensor<2x3xf32> {dist.global = tensor<7x3xf32>, dist.sharding = #labels, zcc.kind = "input", zcc.input = "y"},
      %m: tensor<2xf32> {dist.global = tensor<7xf32>, dist.sharding = #weights, zcc.kind = "input", zcc.input = "m"})
      -> (tensor<3x3xf32> {zcc.kind = "parameter", zcc.parameter = "w"}, tensor<f32> {zcc.kind = "output", zcc.output = "loss"}) {
    // Rows that exist, and the sum of their weights.
    %i0 = dist.coordinate ["micro", "data"] {dist.region = "survey", train.tag = "forward"} : tensor<i32>
    %two0 = train.constant {dist.region = "survey", train.tag = "forward"} dense<2> : tensor<i32>
    %o0 = train.multiply %i0, %two0 {dist.region = "survey", train.tag = "forward"} : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %n0 = train.iota %o0 {dim = 0 : i64, dist.region = "survey", train.tag = "forward"} : (tensor<i32>) -> tensor<2xi32>
    %seven0 = train.constant {dist.region = "survey", train.tag = "forward"} dense<7> : tensor<2xi32>
    %in0 = train.compare %n0, %seven0 {direction = #train<compare_direction LT>, dist.region = "survey", train.tag = "forward"} : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %zero0 = train.constant {dist.region = "survey", train.tag = "forward"} dense<0.0> : tensor<2xf32>
    %m0 = train.select %in0, %m, %zero0 {dist.region = "survey", train.tag = "forward"} : (tensor<2xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %s0 = train.reduce %m0 {dims = array<i64: 0>, kind = #train<reduce_kind add>, dist.region = "survey", train.tag = "forward"} : (tensor<2xf32>) -> tensor<f32>
    %sum = dist.accumulate %s0 {reduction = "add", what = "scalar", value = "m", why = "weights"} : tensor<f32>
    %total = dist.all_reduce %sum {axes = ["data"], reduction = "add", what = "scalar", value = "m", why = "weights", dist.region = "before", train.tag = "forward"} : (tensor<f32>) -> tensor<f32>
    %one = train.constant {dist.region = "before", train.tag = "forward"} dense<1.0> : tensor<f32>
    %inverse = train.divide %one, %total {dist.region = "before", train.tag = "forward"} : (tensor<f32>, tensor<f32>) -> tensor<f32>

    %i1 = dist.coordinate ["micro", "data"] {dist.region = "micro", train.tag = "forward"} : tensor<i32>
    %two1 = train.constant {dist.region = "micro", train.tag = "forward"} dense<2> : tensor<i32>
    %o1 = train.multiply %i1, %two1 {dist.region = "micro", train.tag = "forward"} : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %n1 = train.iota %o1 {dim = 0 : i64, dist.region = "micro", train.tag = "forward"} : (tensor<i32>) -> tensor<2x3xi32>
    %seven1 = train.constant {dist.region = "micro", train.tag = "forward"} dense<7> : tensor<2x3xi32>
    %in1 = train.compare %n1, %seven1 {direction = #train<compare_direction LT>, dist.region = "micro", train.tag = "forward"} : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi1>
    %zero1 = train.constant {dist.region = "micro", train.tag = "forward"} dense<0.0> : tensor<2x3xf32>
    %gathered = dist.all_gather %w {axes = ["data"], dim = 0 : i64, what = "parameter", value = "w", why = "needed whole", dist.region = "micro", dist.fate = #dist.fate<"gather-again">, train.tag = "forward"} : (tensor<3x3xf32>) -> tensor<6x3xf32>
    %whole = train.slice %gathered {start = array<i64: 0, 0>, limit = array<i64: 5, 3>, stride = array<i64: 1, 1>, dist.region = "micro", train.tag = "forward"} : (tensor<6x3xf32>) -> tensor<5x3xf32>
    %p = train.dot_general %x, %whole {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>, dist.region = "micro", train.tag = "forward"} : (tensor<2x5xf32>, tensor<5x3xf32>) -> tensor<2x3xf32>
    %t = train.tanh %p {dist.region = "micro", train.tag = "forward"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    // A second use of the parameter, so that the backward pass needs it.
    %q = train.dot_general %t, %whole {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 1>, dist.region = "micro", train.tag = "forward"} : (tensor<2x3xf32>, tensor<5x3xf32>) -> tensor<2x5xf32>
    %r = train.subtract %q, %x {dist.region = "micro", train.tag = "forward"} : (tensor<2x5xf32>, tensor<2x5xf32>) -> tensor<2x5xf32>
    %d = train.subtract %t, %y {dist.region = "micro", train.tag = "forward"} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %mw = train.broadcast_in_dim %m {dims = array<i64: 0>, dist.region = "micro", train.tag = "forward"} : (tensor<2xf32>) -> tensor<2x3xf32>
    %weight = train.select %in1, %mw, %zero1 {dist.region = "micro", train.tag = "forward"} : (tensor<2x3xi1>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %col = train.slice %weight {start = array<i64: 0, 0>, limit = array<i64: 2, 1>, stride = array<i64: 1, 1>, dist.region = "micro", train.tag = "forward"} : (tensor<2x3xf32>) -> tensor<2x1xf32>
    %flat = train.reshape %col {dist.region = "micro", train.tag = "forward"} : (tensor<2x1xf32>) -> tensor<2xf32>
    %weight5 = train.broadcast_in_dim %flat {dims = array<i64: 0>, dist.region = "micro", train.tag = "forward"} : (tensor<2xf32>) -> tensor<2x5xf32>
    %dd = train.multiply %d, %d {dist.region = "micro", train.tag = "forward"} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %wdd = train.multiply %dd, %weight {dist.region = "micro", train.tag = "forward"} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %sd = train.reduce %wdd {dims = array<i64: 0, 1>, kind = #train<reduce_kind add>, dist.region = "micro", train.tag = "forward"} : (tensor<2x3xf32>) -> tensor<f32>
    %rr = train.multiply %r, %r {dist.region = "micro", train.tag = "forward"} : (tensor<2x5xf32>, tensor<2x5xf32>) -> tensor<2x5xf32>
    %wrr = train.multiply %rr, %weight5 {dist.region = "micro", train.tag = "forward"} : (tensor<2x5xf32>, tensor<2x5xf32>) -> tensor<2x5xf32>
    %sr = train.reduce %wrr {dims = array<i64: 0, 1>, kind = #train<reduce_kind add>, dist.region = "micro", train.tag = "forward"} : (tensor<2x5xf32>) -> tensor<f32>
    %both = train.add %sd, %sr {dist.region = "micro", train.tag = "forward"} : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %part = train.multiply %both, %inverse {dist.region = "micro", train.tag = "forward"} : (tensor<f32>, tensor<f32>) -> tensor<f32>

    %two2 = train.constant {dist.region = "micro", train.tag = "backward"} dense<2.0> : tensor<f32>
    %scale = train.multiply %two2, %inverse {dist.region = "micro", train.tag = "backward"} : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %scale3 = train.broadcast_in_dim %scale {dims = array<i64>, dist.region = "micro", train.tag = "backward"} : (tensor<f32>) -> tensor<2x3xf32>
    %scale5 = train.broadcast_in_dim %scale {dims = array<i64>, dist.region = "micro", train.tag = "backward"} : (tensor<f32>) -> tensor<2x5xf32>
    %gr0 = train.multiply %r, %weight5 {dist.region = "micro", train.tag = "backward"} : (tensor<2x5xf32>, tensor<2x5xf32>) -> tensor<2x5xf32>
    %gr = train.multiply %gr0, %scale5 {dist.region = "micro", train.tag = "backward"} : (tensor<2x5xf32>, tensor<2x5xf32>) -> tensor<2x5xf32>
    %gd0 = train.multiply %d, %weight {dist.region = "micro", train.tag = "backward"} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %gd = train.multiply %gd0, %scale3 {dist.region = "micro", train.tag = "backward"} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %gt0 = train.dot_general %gr, %whole {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>, dist.region = "micro", train.tag = "backward"} : (tensor<2x5xf32>, tensor<5x3xf32>) -> tensor<2x3xf32>
    %gt = train.add %gt0, %gd {dist.region = "micro", train.tag = "backward"} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %tt = train.multiply %t, %t {dist.region = "micro", train.tag = "backward"} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %ones = train.constant {dist.region = "micro", train.tag = "backward"} dense<1.0> : tensor<2x3xf32>
    %slope = train.subtract %ones, %tt {dist.region = "micro", train.tag = "backward"} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %gp = train.multiply %gt, %slope {dist.region = "micro", train.tag = "backward"} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %gw1 = train.dot_general %gr, %t {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 0>, rhs_contracting = array<i64: 0>, dist.region = "micro", train.tag = "backward"} : (tensor<2x5xf32>, tensor<2x3xf32>) -> tensor<5x3xf32>
    %gw2 = train.dot_general %x, %gp {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 0>, rhs_contracting = array<i64: 0>, dist.region = "micro", train.tag = "backward"} : (tensor<2x5xf32>, tensor<2x3xf32>) -> tensor<5x3xf32>

    // Each use of the parameter has an accumulator of its own.
    %a1 = dist.accumulate %gw1 {reduction = "add", what = "gradient", value = "w", why = "microbatches"} : tensor<5x3xf32>
    %a2 = dist.accumulate %gw2 {reduction = "add", what = "gradient", value = "w", why = "microbatches"} : tensor<5x3xf32>
    %losses = dist.accumulate %part {reduction = "add", what = "scalar", value = "loss", why = "microbatches"} : tensor<f32>
    %loss = dist.all_reduce %losses {axes = ["data"], reduction = "add", what = "scalar", value = "loss", why = "whole", dist.region = "after", train.tag = "update"} : (tensor<f32>) -> tensor<f32>
    %gw = train.add %a1, %a2 {dist.region = "after", train.tag = "update"} : (tensor<5x3xf32>, tensor<5x3xf32>) -> tensor<5x3xf32>
    %nothing = train.constant {dist.region = "after", train.tag = "update"} dense<0.0> : tensor<f32>
    %padded = train.pad %gw, %nothing {low = array<i64: 0, 0>, high = array<i64: 1, 0>, interior = array<i64: 0, 0>, dist.region = "after", train.tag = "update"} : (tensor<5x3xf32>, tensor<f32>) -> tensor<6x3xf32>
    %g = dist.reduce_scatter %padded {axes = ["data"], dim = 0 : i64, reduction = "add", what = "gradient", value = "w", why = "parts", dist.region = "after", train.tag = "update"} : (tensor<6x3xf32>) -> tensor<3x3xf32>
    dist.observe %g {scaled = false, states = [@w], dist.operand_shardings = [#w], dist.region = "after", train.tag = "update"} : tensor<3x3xf32>
    %rate = train.constant {dist.region = "after", train.tag = "update"} dense<0.1> : tensor<3x3xf32>
    %step = train.multiply %g, %rate {dist.region = "after", train.tag = "update"} : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
    %new = train.subtract %w, %step {dist.region = "after", train.tag = "update"} : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
    return %new, %loss : tensor<3x3xf32>, tensor<f32>
  }
}
