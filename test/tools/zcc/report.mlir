// The table for people: mesh, plan, memory by category at the peak (buffers are whole lines of 64 bytes), arithmetic, communication.
// RUN: zcc %s -o %t.zexe --mesh=data=2 --zero=0 | FileCheck %s
// RUN: zcc %s -o %t.zexe | FileCheck %s --check-prefix=ONE
// RUN: zcc %s -o %t.zexe --quiet --report - | FileCheck %s --check-prefix=JSON
// RUN: zcc %s --quiet --mesh=data=2 --zero=0 --compile-to=partitioned -o %t.mlir --report - | FileCheck %s --check-prefix=EARLY
// RUN: zcc %s --quiet --mesh=data=2 --zero=0 --compile-to=step -o %t.mlir --report - | FileCheck %s --check-prefix=STEP

// CHECK: mesh {{ *}}data=2 (2 devices, {{.*}})
// CHECK: plan {{ *}}f32, ZeRO 0, 1 microbatch, 1f1b
// CHECK: memory {{ *}}{{.*}} a device (lower bound {{.*}})
// CHECK: parameters {{ *}}64 B
// CHECK: arithmetic
// CHECK: communication   all-reduce over data: {{.*}} in 3 operations
// CHECK: compiled in {{ *}}{{[0-9]+\.[0-9]}} s
// ONE: (1 device,
// ONE-NOT: communication
// JSON: "devices": 1
// JSON: "peak":
// JSON: "largest": [
// JSON-NEXT: {
// JSON-NEXT: "name":
// JSON-NEXT: "category":
// JSON-NEXT: "bytes":
// JSON: "compile_seconds"
// EARLY: "zero": 0
// EARLY-NEXT: "microbatches": 1
// EARLY: "model": [[MODEL:[0-9.]+]]
// EARLY-NEXT: "executed":
// EARLY: "kind": "all-reduce"
// EARLY: "bytes": 60
// EARLY-NEXT: "times": 1
// EARLY-NEXT: "what": "gradient"
// STEP-NOT: "mesh"
// STEP: "flops": {
// STEP-NEXT: "model":
// STEP-NOT: "executed"

func.func @main(%w: tensor<3x5xf32> loc("params['w']"), %x: tensor<8x3xf32> loc("batch['x']")) -> tensor<f32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x3xf32>, tensor<3x5xf32>) -> tensor<8x5xf32>
  %1 = stablehlo.tanh %0 : tensor<8x5xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %2 = stablehlo.reduce(%1 init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x5xf32>, tensor<f32>) -> tensor<f32>
  return %2 : tensor<f32>
}
