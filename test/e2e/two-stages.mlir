// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A perceptron of two layers on two stages in two microbatches (one forward, one backward), written by hand in the phase
// `tasks`. Computes what one-stage.mlir does on one device; only the order of sums over the batch differs.
module {
  dist.mesh @mesh [#dist.axis<"micro" = 2 temporal>, #dist.axis<"pipe" = 2>]
  dist.state @w1 : tensor<8x16xf32> {kind = "parameter", parameter = "w1", file_type = tensor<8x16xf32>, start = array<i64: 0, 0>, extent = array<i64: 8, 16>, sharding = #dist.sharding<@mesh, [{}, {}]>, stage = 0 : i64}
  dist.state @"w1:moment1" : tensor<8x16xf32> {kind = "slot", own_name = "moment1", initial = 0.0 : f64, parameter = "w1", file_type = tensor<8x16xf32>, start = array<i64: 0, 0>, extent = array<i64: 8, 16>, sharding = #dist.sharding<@mesh, [{}, {}]>, stage = 0 : i64}
  dist.state @"w1:moment2" : tensor<8x16xf32> {kind = "slot", own_name = "moment2", initial = 0.0 : f64, parameter = "w1", file_type = tensor<8x16xf32>, start = array<i64: 0, 0>, extent = array<i64: 8, 16>, sharding = #dist.sharding<@mesh, [{}, {}]>, stage = 0 : i64}
  dist.state @w2 : tensor<16x4xf32> {kind = "parameter", parameter = "w2", file_type = tensor<16x4xf32>, start = array<i64: 0, 0>, extent = array<i64: 16, 4>, sharding = #dist.sharding<@mesh, [{}, {}]>, stage = 1 : i64}
  dist.state @"w2:moment1" : tensor<16x4xf32> {kind = "slot", own_name = "moment1", initial = 0.0 : f64, parameter = "w2", file_type = tensor<16x4xf32>, start = array<i64: 0, 0>, extent = array<i64: 16, 4>, sharding = #dist.sharding<@mesh, [{}, {}]>, stage = 1 : i64}
  dist.state @"w2:moment2" : tensor<16x4xf32> {kind = "slot", own_name = "moment2", initial = 0.0 : f64, parameter = "w2", file_type = tensor<16x4xf32>, start = array<i64: 0, 0>, extent = array<i64: 16, 4>, sharding = #dist.sharding<@mesh, [{}, {}]>, stage = 1 : i64}
  dist.input @x : tensor<8x8xf32> {input = "x", sharding = #dist.sharding<@mesh, [{"micro"}, {}]>, stage = 0 : i64}
  dist.input @y : tensor<8x4xf32> {input = "y", sharding = #dist.sharding<@mesh, [{"micro"}, {}]>, stage = 1 : i64}
  dist.output @loss : tensor<f32> {kind = "loss", output = "loss", stage = 1 : i64}
  dist.output @gradient_norm : tensor<f32> {kind = "gradient_norm", output = "gradient_norm", stage = 1 : i64}
  dist.output @finite : tensor<i1> {kind = "finite", output = "finite", stage = 1 : i64}
  dist.output @gradient_squares : tensor<2xf32> {kind = "gradient_squares", output = "gradient_squares", names = ["w1", "w2"], stage = 1 : i64}

  func.func @forward0(%w1: tensor<8x16xf32> {dist.state = "w1"}, %x: tensor<4x8xf32> {dist.input = "x"})
      -> (tensor<4x16xf32> {dist.value = "h", dist.fate = #dist.fate<"keep">}) attributes {dist.task = "forward", dist.stage = 0 : i64} {
    %0 = train.dot_general %x, %w1 {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>, train.tag = "forward"} : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
    %h = train.tanh %0 {train.tag = "forward"} : (tensor<4x16xf32>) -> tensor<4x16xf32>
    return %h : tensor<4x16xf32>
  }
  func.func @forward1(%w2: tensor<16x4xf32> {dist.state = "w2"}, %y: tensor<4x4xf32> {dist.input = "y"}, %h: tensor<4x16xf32> {dist.value = "h"})
      -> (tensor<4x4xf32> {dist.value = "d", dist.fate = #dist.fate<"keep">}, tensor<f32> {dist.accumulate = "loss:sum"})
      attributes {dist.task = "forward", dist.stage = 1 : i64} {
    %0 = train.dot_general %h, %w2 {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>, train.tag = "forward"} : (tensor<4x16xf32>, tensor<16x4xf32>) -> tensor<4x4xf32>
    %d = train.subtract %0, %y {train.tag = "forward"} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %s = train.multiply %d, %d {train.tag = "forward"} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %r = train.reduce %s {dims = array<i64: 0, 1>, kind = #train<reduce_kind add>, train.tag = "forward"} : (tensor<4x4xf32>) -> tensor<f32>
    %c = train.constant {train.tag = "forward"} dense<0.03125> : tensor<f32>
    %loss = train.multiply %r, %c {train.tag = "forward"} : (tensor<f32>, tensor<f32>) -> tensor<f32>
    return %d, %loss : tensor<4x4xf32>, tensor<f32>
  }
  func.func @backward1(%w2: tensor<16x4xf32> {dist.state = "w2"}, %h: tensor<4x16xf32> {dist.value = "h"}, %d: tensor<4x4xf32> {dist.value = "d"})
      -> (tensor<4x16xf32> {dist.value = "dh"}, tensor<16x4xf32> {dist.accumulate = "w2:gradient"})
      attributes {dist.task = "backward", dist.stage = 1 : i64} {
    %c = train.constant {train.tag = "backward"} dense<0.0625> : tensor<4x4xf32>
    %0 = train.multiply %d, %c {train.tag = "backward"} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %dh = train.dot_general %0, %w2 {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 1>, train.tag = "backward"} : (tensor<4x4xf32>, tensor<16x4xf32>) -> tensor<4x16xf32>
    %g = train.dot_general %h, %0 {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 0>, rhs_contracting = array<i64: 0>, train.tag = "backward"} : (tensor<4x16xf32>, tensor<4x4xf32>) -> tensor<16x4xf32>
    return %dh, %g : tensor<4x16xf32>, tensor<16x4xf32>
  }
  func.func @backward0(%x: tensor<4x8xf32> {dist.input = "x"}, %h: tensor<4x16xf32> {dist.value = "h"}, %dh: tensor<4x16xf32> {dist.value = "dh"})
      -> (tensor<8x16xf32> {dist.accumulate = "w1:gradient"}) attributes {dist.task = "backward", dist.stage = 0 : i64} {
    %one = train.constant {train.tag = "backward"} dense<1.0> : tensor<4x16xf32>
    %0 = train.multiply %h, %h {train.tag = "backward"} : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
    %1 = train.subtract %one, %0 {train.tag = "backward"} : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
    %2 = train.multiply %dh, %1 {train.tag = "backward"} : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
    %g = train.dot_general %x, %2 {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 0>, rhs_contracting = array<i64: 0>, train.tag = "backward"} : (tensor<4x8xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
    return %g : tensor<8x16xf32>
  }

  func.func @epilogue0(%p: tensor<8x16xf32> {dist.state = "w1"}, %m: tensor<8x16xf32> {dist.state = "w1:moment1"}, %v: tensor<8x16xf32> {dist.state = "w1:moment2"},
      %hyper: tensor<16xf32> {dist.hyper}, %g: tensor<8x16xf32> {dist.value = "w1:gradient"})
      -> (tensor<8x16xf32> {dist.state = "w1"}, tensor<8x16xf32> {dist.state = "w1:moment1"}, tensor<8x16xf32> {dist.state = "w1:moment2"})
      attributes {dist.task = "epilogue", dist.stage = 0 : i64} {
    dist.observe %g {scaled = false, states = [@w1], train.tag = "update"} : tensor<8x16xf32>
    %0 = train.sum_of_squares %g {train.tag = "update"} : (tensor<8x16xf32>) -> tensor<1xf32>
    %1 = train.reduce %0 {dims = array<i64: 0>, kind = #train<reduce_kind add>, train.tag = "update"} : (tensor<1xf32>) -> tensor<f32>
    %own = train.reshape %1 {train.tag = "update"} : (tensor<f32>) -> tensor<1xf32>
    %zero = train.constant {train.tag = "update"} dense<0.0> : tensor<1xf32>
    %both = train.concatenate %own, %zero {dim = 0 : i64, train.tag = "update"} : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
    %squares = dist.all_reduce %both {axes = ["pipe"], reduction = "add", train.tag = "update", what = "scalar", value = "gradient_squares", why = "each stage has its own parameters"} : (tensor<2xf32>) -> tensor<2xf32>
    %sum = train.reduce %squares {dims = array<i64: 0>, kind = #train<reduce_kind add>, train.tag = "update"} : (tensor<2xf32>) -> tensor<f32>
    %norm = train.sqrt %sum {train.tag = "update"} : (tensor<f32>) -> tensor<f32>
    %finite = train.is_finite %sum {train.tag = "update"} : (tensor<f32>) -> tensor<i1>
    %small = train.constant {train.tag = "update"} dense<9.99999997E-7> : tensor<f32>
    %2 = train.add %norm, %small {train.tag = "update"} : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %one = train.constant {train.tag = "update"} dense<1.0> : tensor<f32>
    %3 = train.slice %hyper {start = array<i64: 6>, limit = array<i64: 7>, stride = array<i64: 1>, train.tag = "update"} : (tensor<16xf32>) -> tensor<1xf32>
    %clip = train.reshape %3 {train.tag = "update"} : (tensor<1xf32>) -> tensor<f32>
    %4 = train.divide %clip, %2 {train.tag = "update"} : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %scale = train.minimum %one, %4 {train.tag = "update"} : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %np, %nm, %nv = train.update %p, %m, %v, %g, %hyper, %scale, %finite {optimizer = "adamw", decay = true, train.tag = "update"} : (tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<16xf32>, tensor<f32>, tensor<i1>) -> (tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>)
    return %np, %nm, %nv : tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>
  }

  func.func @epilogue1(%p: tensor<16x4xf32> {dist.state = "w2"}, %m: tensor<16x4xf32> {dist.state = "w2:moment1"}, %v: tensor<16x4xf32> {dist.state = "w2:moment2"},
      %hyper: tensor<16xf32> {dist.hyper}, %loss: tensor<f32> {dist.value = "loss:sum"}, %g: tensor<16x4xf32> {dist.value = "w2:gradient"})
      -> (tensor<16x4xf32> {dist.state = "w2"}, tensor<16x4xf32> {dist.state = "w2:moment1"}, tensor<16x4xf32> {dist.state = "w2:moment2"}, tensor<f32> {dist.output = "loss"}, tensor<f32> {dist.output = "gradient_norm"},
          tensor<i1> {dist.output = "finite"}, tensor<2xf32> {dist.output = "gradient_squares"})
      attributes {dist.task = "epilogue", dist.stage = 1 : i64} {
    dist.observe %g {scaled = false, states = [@w2], train.tag = "update"} : tensor<16x4xf32>
    %0 = train.sum_of_squares %g {train.tag = "update"} : (tensor<16x4xf32>) -> tensor<1xf32>
    %1 = train.reduce %0 {dims = array<i64: 0>, kind = #train<reduce_kind add>, train.tag = "update"} : (tensor<1xf32>) -> tensor<f32>
    %own = train.reshape %1 {train.tag = "update"} : (tensor<f32>) -> tensor<1xf32>
    %zero = train.constant {train.tag = "update"} dense<0.0> : tensor<1xf32>
    %both = train.concatenate %zero, %own {dim = 0 : i64, train.tag = "update"} : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
    %squares = dist.all_reduce %both {axes = ["pipe"], reduction = "add", train.tag = "update", what = "scalar", value = "gradient_squares", why = "each stage has its own parameters"} : (tensor<2xf32>) -> tensor<2xf32>
    %sum = train.reduce %squares {dims = array<i64: 0>, kind = #train<reduce_kind add>, train.tag = "update"} : (tensor<2xf32>) -> tensor<f32>
    %norm = train.sqrt %sum {train.tag = "update"} : (tensor<f32>) -> tensor<f32>
    %finite = train.is_finite %sum {train.tag = "update"} : (tensor<f32>) -> tensor<i1>
    %small = train.constant {train.tag = "update"} dense<9.99999997E-7> : tensor<f32>
    %2 = train.add %norm, %small {train.tag = "update"} : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %one = train.constant {train.tag = "update"} dense<1.0> : tensor<f32>
    %3 = train.slice %hyper {start = array<i64: 6>, limit = array<i64: 7>, stride = array<i64: 1>, train.tag = "update"} : (tensor<16xf32>) -> tensor<1xf32>
    %clip = train.reshape %3 {train.tag = "update"} : (tensor<1xf32>) -> tensor<f32>
    %4 = train.divide %clip, %2 {train.tag = "update"} : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %scale = train.minimum %one, %4 {train.tag = "update"} : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %np, %nm, %nv = train.update %p, %m, %v, %g, %hyper, %scale, %finite {optimizer = "adamw", decay = true, train.tag = "update"} : (tensor<16x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>, tensor<16xf32>, tensor<f32>, tensor<i1>) -> (tensor<16x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>)
    return %np, %nm, %nv, %loss, %norm, %finite, %squares : tensor<16x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>, tensor<f32>, tensor<f32>, tensor<i1>, tensor<2xf32>
  }
  dist.schedule attributes {stage = 0 : i64, microbatches = 2 : i64} {
    dist.run @forward0 {microbatch = 0 : i64}
    dist.send "h" {microbatch = 0 : i64, peer = 1 : i64}
    dist.run @forward0 {microbatch = 1 : i64}
    dist.send "h" {microbatch = 1 : i64, peer = 1 : i64}
    dist.receive "dh" {microbatch = 0 : i64, peer = 1 : i64}
    dist.run @backward0 {microbatch = 0 : i64}
    dist.receive "dh" {microbatch = 1 : i64, peer = 1 : i64}
    dist.run @backward0 {microbatch = 1 : i64}
    dist.run @epilogue0 {microbatch = 0 : i64}
  }
  dist.schedule attributes {stage = 1 : i64, microbatches = 2 : i64} {
    dist.receive "h" {microbatch = 0 : i64, peer = 0 : i64}
    dist.run @forward1 {microbatch = 0 : i64}
    dist.run @backward1 {microbatch = 0 : i64}
    dist.send "dh" {microbatch = 0 : i64, peer = 0 : i64}
    dist.receive "h" {microbatch = 1 : i64, peer = 0 : i64}
    dist.run @forward1 {microbatch = 1 : i64}
    dist.run @backward1 {microbatch = 1 : i64}
    dist.send "dh" {microbatch = 1 : i64, peer = 0 : i64}
    dist.run @epilogue1 {microbatch = 0 : i64}
  }
}
