// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A call of @zcc.custom_derivative becomes an op, with its rule before it, on cotangents of its own at each use. Both ops
// are left alone by the passes up to the phase `graph`, and are in its text.
// RUN: zcc-opt %s --zcc-inline-calls | FileCheck %s --check-prefixes=CHECK,CALLS
// RUN: zcc-opt %s --zcc-name-arguments --zcc-inline-calls --zcc-unroll-loops --zcc-convert-to-train --zcc-simplify-graph --cse --zcc-verify-graph \
// RUN:   | zcc-opt | FileCheck %s --check-prefixes=CHECK,GRAPH

// CHECK-LABEL: func.func @
// CHECK:       %[[D1:.*]] = train.cotangent : tensor<4xf32>
// CALLS:       %[[R1:.*]] = stablehlo.multiply %[[D1]], %[[X:.*]] : tensor<4xf32>
// GRAPH:       %[[R1:.*]] = train.multiply %[[D1]], %[[X:.*]] :
// CHECK:       %[[Z1:.*]] = train.custom_derivative %[[Y1:.*]] cotangents(%[[D1]]) inputs(%[[X]]) gradients(%[[R1]]) : tensor<4xf32> for(tensor<4xf32>)
// CHECK:       %[[D2:.*]] = train.cotangent : tensor<4xf32>
// CALLS:       %[[R2:.*]] = stablehlo.multiply %[[D2]], %[[X]] : tensor<4xf32>
// GRAPH:       %[[R2:.*]] = train.multiply %[[D2]], %[[X]] :
// CHECK:       %[[Z2:.*]] = train.custom_derivative %[[Y1]] cotangents(%[[D2]]) inputs(%[[X]]) gradients(%[[R2]]) : tensor<4xf32> for(tensor<4xf32>)
func.func @main(%w: tensor<4xf32> {zcc.parameter = "w"}, %i: tensor<i32> {zcc.input = "i"}) -> tensor<f32> {
  %0 = stablehlo.sine %w : tensor<4xf32>
  %1 = stablehlo.custom_call @zcc.custom_derivative(%0, %w, %i) {called_computations = [@rule]} : (tensor<4xf32>, tensor<4xf32>, tensor<i32>) -> tensor<4xf32>
  %2 = stablehlo.custom_call @zcc.custom_derivative(%0, %w, %i) {called_computations = [@rule]} : (tensor<4xf32>, tensor<4xf32>, tensor<i32>) -> tensor<4xf32>
  %3 = stablehlo.subtract %1, %2 : tensor<4xf32>
  %4 = stablehlo.constant dense<0.0> : tensor<f32>
  %5 = stablehlo.reduce(%3 init: %4) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %5 : tensor<f32>
}
func.func private @rule(%x: tensor<4xf32>, %i: tensor<i32>, %d: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.multiply %d, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
