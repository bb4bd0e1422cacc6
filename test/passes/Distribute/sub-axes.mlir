// Where a sub-axis is named, the axis becomes its parts: the batch is sharded over the major half of x, the hidden dim over the minor.
// RUN: zcc %s --quiet --compile-to=sharded --zero=0 -o - | FileCheck %s
// RUN: zcc %s --compile-to=partitioned --zero=0 --mesh=x=8 --report=%t.json -o %t | FileCheck %s --check-prefix=REPORT
// RUN: FileCheck %s --check-prefix=JSON --input-file=%t.json
// RUN: zcc %s --quiet --compile-to=sharded --zero=0 --mesh=x=1 -o - | FileCheck %s --check-prefix=ONE
// RUN: not zcc %s --mesh=x=3 -o %t 2>&1 | FileCheck %s --check-prefix=ODD

// CHECK: dist.mesh @mesh [#dist.axis<"x:(1)2" = 2>, #dist.axis<"x:(2)2" = 2>]
// CHECK: [{}, {"x:(2)2"}]>, zcc.kind = "parameter"{{.*}}[{"x:(1)2"}, {}]>, zcc.input = "x"
// CHECK: train.dot_general {{.*}}[{"x:(1)2"}, {"x:(2)2"}]
// CHECK: train.dot_general {{.*}}[{"x:(1)2"}, {}], partial = add {"x:(2)2"}>
// A third part is what neither names; people read of the whole.
// REPORT: mesh x=8 (8 devices
// REPORT: over x:(2)2
// In the report axes are keys of its mesh; what of them is split stands apart.
// JSON: "mesh": {
// JSON-NEXT: "x": 8
// JSON: "kind": "all-reduce",
// JSON-NEXT: "axes": [
// JSON-NEXT: "x"
// JSON-NEXT: ],
// JSON: "parts": [
// JSON-NEXT: "x:(2)2"
// JSON-NEXT: ]
// ONE: dist.mesh @mesh [#dist.axis<"x" = 1>]
// ODD: {{^}}params['w']: error: 'x:(2)2' is no part of axis 'x' of 3
module @sub {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%w: tensor<8x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x":(2)2}]>} loc("params['w']"), %v: tensor<12x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(2)2}, {}]>} loc("params['v']"), %x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}, {}]>} loc("batch['x']")) -> tensor<f32> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<16x8xf32>, tensor<8x12xf32>) -> tensor<16x12xf32>
    %1 = stablehlo.tanh %0 : tensor<16x12xf32>
    %2 = stablehlo.dot_general %1, %v, contracting_dims = [1] x [0] : (tensor<16x12xf32>, tensor<12x4xf32>) -> tensor<16x4xf32>
    %3 = stablehlo.multiply %2, %2 : tensor<16x4xf32>
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<16x4xf32>, tensor<f32>) -> tensor<f32>
    return %4 : tensor<f32>
  }
}
