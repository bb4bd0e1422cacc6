// A warning reports work on padding if it is much: 5 hidden units over 4 devices are padded to 8.
// RUN: zcc %s --quiet --mesh=tensor=4 --shard 'w=-,tensor' --shard 'v=tensor,-' -o %t.zexe 2>&1 | FileCheck %s
// RUN: zcc %s --quiet --mesh=data=2 -o %t.zexe 2>&1 | FileCheck %s --check-prefix=NONE --allow-empty
// CHECK: warning: devices execute 1.7{{[0-9]}} times the model's operations: {{.*}}on padding are {{.*}}flop: {{.*}} dim 1 of 5 over tensor is padded to 8
// CHECK-NEXT: note: axes whose sizes divide these dims pad nothing
// NONE-NOT: padding
func.func @main(%w: tensor<64x5xf32> loc("params['w']"), %v: tensor<5x64xf32> loc("params['v']"), %x: tensor<8x64xf32> loc("batch['x']")) -> tensor<f32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x64xf32>, tensor<64x5xf32>) -> tensor<8x5xf32>
  %1 = stablehlo.tanh %0 : tensor<8x5xf32>
  %2 = stablehlo.dot_general %1, %v, contracting_dims = [1] x [0] : (tensor<8x5xf32>, tensor<5x64xf32>) -> tensor<8x64xf32>
  %3 = stablehlo.multiply %2, %2 : tensor<8x64xf32>
  %4 = stablehlo.reduce(%3 init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x64xf32>, tensor<f32>) -> tensor<f32>
  return %4 : tensor<f32>
}
