// RUN: zcc-opt %s --split-input-file --verify-diagnostics --zcc-shard-step="not-batched=seed"

// The batch must divide.
dist.mesh @mesh [#dist.axis<"data" = 4>]
// expected-error @below {{not yet: input 'x' has a batch of 6, which 4 devices of axis 'data' do not divide evenly}}
func.func @step(%x: tensor<6x2xf32> {zcc.kind = "input", zcc.input = "x"}, %s: tensor<2xi32> {zcc.kind = "input", zcc.input = "seed"}) {
  return
}

// -----

dist.mesh @mesh [#dist.axis<"tensor" = 4>]
// expected-error @below {{not yet: mesh axis 'tensor'; only 'data' works}}
func.func @step(%x: tensor<8x2xf32> {zcc.kind = "input", zcc.input = "x"}, %s: tensor<2xi32> {zcc.kind = "input", zcc.input = "seed"}) {
  return
}

// -----

dist.mesh @mesh [#dist.axis<"data" = 4>]
// expected-error @below {{no input is named 'seed', which is said not to be batched}}
func.func @step(%x: tensor<8x2xf32> {zcc.kind = "input", zcc.input = "x"}) {
  return
}

// -----

dist.mesh @mesh [#dist.axis<"data" = 4>]
// expected-warning @below {{no input has a batch: every device of axis 'data' does the same work}}
func.func @step(%s: tensor<2xi32> {zcc.kind = "input", zcc.input = "seed"}) {
  return
}

// -----

// expected-error @below {{the module has no dist.mesh}}
module {}
