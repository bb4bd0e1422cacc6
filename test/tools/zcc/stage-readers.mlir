// A parameter that is read behind the loop over the microbatches, by what is no part of one: it lives where that is, and is updated there.
// RUN: zcc %s --quiet --mesh=pipe=2 --microbatches=2 --schedule=1f1b --compile-to=partitioned -o - | FileCheck %s
// RUN: zcc %s --quiet --mesh=pipe=2 --microbatches=2 --schedule=1f1b -o %t.zexe
// RUN: zcc %s --quiet --mesh=pipe=4 --microbatches=4 --schedule=1f1b -o %t.zexe

// Values computed from data that no microbatch divides are on both stages, and so are both parameters.
// CHECK-COUNT-4: = train.update

func.func @main(%w: tensor<3x64xf32> loc("params['w']"), %v: tensor<64xf32> loc("params['v']"), %cloud: tensor<200x3xf32> loc("batch['cloud']"), %weight: tensor<8x64xf32> loc("batch['weight']"), %y: tensor<8xf32> loc("batch['y']")) -> tensor<f32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.dot_general %cloud, %w, contracting_dims = [1] x [0] : (tensor<200x3xf32>, tensor<3x64xf32>) -> tensor<200x64xf32>
  %1 = stablehlo.tanh %0 : tensor<200x64xf32>
  %2 = stablehlo.reduce(%1 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<200x64xf32>, tensor<f32>) -> tensor<64xf32>
  %3 = stablehlo.multiply %2, %v : tensor<64xf32>
  %4 = stablehlo.dot_general %weight, %3, contracting_dims = [1] x [0] : (tensor<8x64xf32>, tensor<64xf32>) -> tensor<8xf32>
  %5 = stablehlo.subtract %4, %y : tensor<8xf32>
  %6 = stablehlo.multiply %5, %5 : tensor<8xf32>
  %7 = stablehlo.reduce(%6 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
  return %7 : tensor<f32>
}
