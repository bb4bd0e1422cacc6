// Collectives are counted over the microbatches of a step: a gathered parameter each time, the loss once.
// RUN: zcc %s --quiet --mesh=data=2 --zero=3 --state="*=gather" --microbatches=2 --compile-to=partitioned -o %t.mlir --report - | FileCheck %s

// CHECK: "zero": 3,
// CHECK-NEXT: "microbatches": 2,
// CHECK: "collectives": [
// CHECK: "kind": "all-gather",
// CHECK-NEXT: "axes": [
// CHECK-NEXT: "data"
// CHECK-NEXT: ],
// CHECK-NEXT: "bytes": 96,
// CHECK-NEXT: "times": 2,
// CHECK-NEXT: "what": "parameter",
// CHECK-NEXT: "tasks": "forward",
// CHECK-NEXT: "stage": 0,
// CHECK-NEXT: "value": "w",
// CHECK-NEXT: "why": "{{.+}}"
// CHECK: "bytes": 4,
// CHECK-NEXT: "times": 1,
// CHECK-NEXT: "what": "scalar",

func.func @main(%w: tensor<4x6xf32> loc("params['w']"), %x: tensor<8x4xf32> loc("batch['x']")) -> tensor<f32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  %1 = stablehlo.tanh %0 : tensor<8x6xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %2 = stablehlo.reduce(%1 init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x6xf32>, tensor<f32>) -> tensor<f32>
  return %2 : tensor<f32>
}
