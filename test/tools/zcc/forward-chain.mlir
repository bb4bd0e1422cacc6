// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Evaluation of a plain chain holds its two largest neighbors, 128 KiB and 32 KiB, and no more: every second activation has one place, the others
// another.
// RUN: zcc %s --parameters=5 --optimizer=forward -o %t.zexe --mesh=1 --microbatches=1 --buffers %t.csv --quiet
// RUN: FileCheck %s < %t.csv
// CHECK: 8,0,6,64,2244736,device,temporary,coordinates
// CHECK-NEXT: 9,0,2,65536,2244800,device
// CHECK-NEXT: 10,1,3,32768,2375872,device
// CHECK-NEXT: 11,2,4,131072,2244800,device
// CHECK-NEXT: 12,3,5,16384,2375872,device
// CHECK-NEXT: 13,4,6,2048,2244800,device
module @mlp {
  func.func public @main(%w0: tensor<64x512xf32>, %w1: tensor<512x256xf32>, %w2: tensor<256x1024xf32>, %w3: tensor<1024x128xf32>, %w4: tensor<128x16xf32>, %x: tensor<32x64xf32>) -> tensor<f32> {
    %c = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.dot_general %x, %w0, contracting_dims = [1] x [0] : (tensor<32x64xf32>, tensor<64x512xf32>) -> tensor<32x512xf32>
    %1 = stablehlo.tanh %0 : tensor<32x512xf32>
    %2 = stablehlo.dot_general %1, %w1, contracting_dims = [1] x [0] : (tensor<32x512xf32>, tensor<512x256xf32>) -> tensor<32x256xf32>
    %3 = stablehlo.tanh %2 : tensor<32x256xf32>
    %4 = stablehlo.dot_general %3, %w2, contracting_dims = [1] x [0] : (tensor<32x256xf32>, tensor<256x1024xf32>) -> tensor<32x1024xf32>
    %5 = stablehlo.tanh %4 : tensor<32x1024xf32>
    %6 = stablehlo.dot_general %5, %w3, contracting_dims = [1] x [0] : (tensor<32x1024xf32>, tensor<1024x128xf32>) -> tensor<32x128xf32>
    %7 = stablehlo.tanh %6 : tensor<32x128xf32>
    %8 = stablehlo.dot_general %7, %w4, contracting_dims = [1] x [0] : (tensor<32x128xf32>, tensor<128x16xf32>) -> tensor<32x16xf32>
    %9 = stablehlo.reduce(%8 init: %c) applies stablehlo.add across dimensions = [0, 1] : (tensor<32x16xf32>, tensor<f32>) -> tensor<f32>
    return %9 : tensor<f32>
  }
}
