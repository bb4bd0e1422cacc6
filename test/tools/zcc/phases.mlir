// Each phase's text has what the phase adds, and carries the options that were consumed.
// RUN: zcc %s --quiet --compile-to=graph | FileCheck %s --check-prefix=GRAPH
// RUN: zcc %s --quiet --compile-to=step --optimizer=sgd | FileCheck %s --check-prefix=STEP
// RUN: zcc %s --quiet --compile-to=sharded --mesh=data=2 | FileCheck %s --check-prefix=SHARDED
// RUN: zcc %s --quiet --compile-to=partitioned --mesh=data=2 | FileCheck %s --check-prefix=PARTITIONED
// RUN: zcc %s --quiet --compile-to=tasks | FileCheck %s --check-prefix=TASKS
// RUN: zcc %s --quiet --compile-to=scheduled | FileCheck %s --check-prefix=SCHEDULED
// RUN: zcc %s --quiet --compile-to=planned | FileCheck %s --check-prefix=PLANNED

// GRAPH: module {{.*}}zcc.phase = "graph"
// GRAPH: func.func @loss
// GRAPH-SAME: zcc.parameter = "w"
// GRAPH-SAME: zcc.input = "x"
// STEP: optimizer = ["sgd"]
// STEP: func.func @step
// STEP: train.tag = "backward"
// STEP: train.update {{.*}}optimizer = "sgd"
// SHARDED: dist.mesh @mesh [#dist.axis<"data" = 2>]
// SHARDED: {"data"}
// PARTITIONED: tensor<4x3xf32>
// PARTITIONED: dist.all_reduce
// TASKS: dist.state @w
// TASKS: dist.schedule
// SCHEDULED: exec.task
// SCHEDULED: exec.launch
// PLANNED: exec.buffer {{.*}}offset =
// PLANNED: exec.arenas = {device =

func.func @main(%w: tensor<3x5xf32> loc("params['w']"), %x: tensor<8x3xf32> loc("batch['x']")) -> tensor<f32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x3xf32>, tensor<3x5xf32>) -> tensor<8x5xf32>
  %1 = stablehlo.tanh %0 : tensor<8x5xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %2 = stablehlo.reduce(%1 init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x5xf32>, tensor<f32>) -> tensor<f32>
  return %2 : tensor<f32>
}
