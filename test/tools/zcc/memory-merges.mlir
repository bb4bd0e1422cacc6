// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc --compile-from=graph %s --microbatches=3 --offload=parameters --optimizer=sgd --disable=share-buffers --remat=none --compile-to=planned -o %t --quiet --report=%t.none
// RUN: zcc --compile-from=graph %s --microbatches=3 --offload=parameters --optimizer=sgd --disable=share-buffers --memory=6600 --compile-to=planned -o %t --quiet --report=%t.less
// RUN: FileCheck %s --check-prefix=NONE < %t.none
// RUN: FileCheck %s --check-prefix=LESS < %t.less

// Nothing depends on the microbatch, so that no residual is kept for a backward pass of its own; but differentiation repeats cheap arithmetic.
// If that does not fit, it is merged, as under full recomputation.

// NONE: "peak": 7{{[0-9]+}},
// LESS: "peak": 6{{[0-5][0-9]+}},
module {
  func.func @loss(
      %w0: tensor<5x4x12xf32> {zcc.parameter = "w0"},
      %w1: tensor<5x4x12xf32> {zcc.parameter = "w1"})
      -> (tensor<f32> {zcc.result = "loss"}) {
    %0 = train.divide %w0, %w1 : (tensor<5x4x12xf32>, tensor<5x4x12xf32>) -> tensor<5x4x12xf32>
    %1 = train.tanh %0 : (tensor<5x4x12xf32>) -> tensor<5x4x12xf32>
    %2 = train.reduce %1 {dims = array<i64: 0, 1, 2>, kind = #train<reduce_kind add>} : (tensor<5x4x12xf32>) -> tensor<f32>
    %3 = train.reduce %w0 {dims = array<i64: 0, 1, 2>, kind = #train<reduce_kind add>} : (tensor<5x4x12xf32>) -> tensor<f32>
    %4 = train.add %2, %3 : (tensor<f32>, tensor<f32>) -> tensor<f32>
    return %4 : tensor<f32>
  }
}
