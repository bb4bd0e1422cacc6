// An input that nothing reads is on no stage, and the program takes it.
// RUN: zcc %s --quiet --mesh=pipe=2 --microbatches=2 -o %t.zexe --report - | FileCheck %s
// RUN: zcc %s --quiet --mesh=pipe=2 --microbatches=2 --compile-to=planned -o %t.mlir
// RUN: zcc %t.mlir --quiet --compile-from=planned -o %t.again.zexe
// RUN: cmp %t.zexe %t.again.zexe
// CHECK: "microbatches": 2

func.func @main(%v: tensor<3x3xf32> loc("params['v']"), %w: tensor<4x3xf32> loc("params['w']"), %unread: tensor<8x5xf32> loc("batch['unread']"), %empty: tensor<0x4xf32> loc("batch['empty']"), %x: tensor<8x4xf32> loc("batch['x']")) -> tensor<f32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x3xf32>) -> tensor<8x3xf32>
  %1 = stablehlo.tanh %0 : tensor<8x3xf32>
  %2 = stablehlo.dot_general %1, %v, contracting_dims = [1] x [0] : (tensor<8x3xf32>, tensor<3x3xf32>) -> tensor<8x3xf32>
  %3 = stablehlo.multiply %2, %2 : tensor<8x3xf32>
  %4 = stablehlo.reduce(%3 init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x3xf32>, tensor<f32>) -> tensor<f32>
  return %4 : tensor<f32>
}
