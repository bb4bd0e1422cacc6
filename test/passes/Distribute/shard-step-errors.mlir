// RUN: zcc-opt %s --split-input-file --verify-diagnostics --zcc-shard-step="not-batched=seed"

dist.mesh @mesh [#dist.axis<"tensor" = 4>]
// expected-warning @below {{nothing is sharded over axis 'tensor': its 4 devices do the same work}}
func.func @step(%x: tensor<8x2xf32> {zcc.kind = "input", zcc.input = "x"}, %s: tensor<2xi32> {zcc.kind = "input", zcc.input = "seed"}) {
  return
}

// -----

dist.mesh @mesh [#dist.axis<"context" = 4>]
// expected-warning @below {{no input has a sequence: every device of axis 'context' does the same work}}
// expected-warning @below {{nothing is sharded over axis 'context': its 4 devices do the same work}}
func.func @step(%x: tensor<8xf32> {zcc.kind = "input", zcc.input = "x"}, %s: tensor<2xi32> {zcc.kind = "input", zcc.input = "seed"}) {
  return
}

// -----

dist.mesh @mesh [#dist.axis<"data" = 4>]
// expected-error @below {{no input is named 'seed', which is said not to be batched}}
// expected-note @below {{there are 'x'}}
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
