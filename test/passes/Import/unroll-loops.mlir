// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops of known trip count are unrolled, branches resolved or selected from.
// RUN: zcc-opt %s --split-input-file --zcc-unroll-loops | FileCheck %s

// The index counts; what it reads has constant starts.
// CHECK-LABEL: func.func @main
// CHECK-NOT: while
// CHECK: %[[I0:.*]] = stablehlo.constant dense<0> : tensor<i32>
// CHECK: stablehlo.dynamic_slice %arg0, %[[I0]]
// CHECK: %[[I1:.*]] = stablehlo.constant dense<1> : tensor<i32>
// CHECK: stablehlo.dynamic_slice %arg0, %[[I1]]
// CHECK-NOT: stablehlo.dynamic_slice
func.func @main(%a: tensor<2xf32>, %s: tensor<f32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %0:3 = stablehlo.while(%i = %zero, %x = %s, %w = %a) : tensor<i32>, tensor<f32>, tensor<2xf32>
  cond {
    %p = stablehlo.compare LT, %i, %two, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %e = stablehlo.dynamic_slice %w, %i, sizes = [1] : (tensor<2xf32>, tensor<i32>) -> tensor<1xf32>
    %r = stablehlo.reduce(%e init: %x) applies stablehlo.add across dimensions = [0] : (tensor<1xf32>, tensor<f32>) -> tensor<f32>
    %n = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %n, %r, %w : tensor<i32>, tensor<f32>, tensor<2xf32>
  }
  return %0#1 : tensor<f32>
}

// -----
// No trip at all.
// CHECK-LABEL: func.func @main
// CHECK-NEXT: return %arg0
func.func @main(%s: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.while(%x = %s) : tensor<f32>
  cond {
    %p = stablehlo.constant dense<false> : tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %y = stablehlo.sine %x : tensor<f32>
    stablehlo.return %y : tensor<f32>
  }
  return %0 : tensor<f32>
}

// -----
// A known index takes its branch; one outside takes the last; one that is not known selects.
// CHECK-LABEL: func.func @main
// CHECK: %[[C:.*]] = stablehlo.cosine %arg0
// CHECK: %[[T:.*]] = stablehlo.tanh %[[C]]
// CHECK: %[[S:.*]] = stablehlo.sine %[[T]]
// CHECK: %[[P:.*]] = stablehlo.compare EQ, %arg1
// CHECK: stablehlo.select %[[P]], %[[S]], %[[T]] : tensor<i1>, tensor<4xf32>
func.func @main(%a: tensor<4xf32>, %i: tensor<i32>) -> tensor<4xf32> {
  %k = stablehlo.constant dense<7> : tensor<i32>
  %0 = "stablehlo.case"(%k) ({
    %s = stablehlo.sine %a : tensor<4xf32>
    stablehlo.return %s : tensor<4xf32>
  }, {
    %c = stablehlo.cosine %a : tensor<4xf32>
    stablehlo.return %c : tensor<4xf32>
  }) : (tensor<i32>) -> tensor<4xf32>
  %p = stablehlo.constant dense<true> : tensor<i1>
  %1 = "stablehlo.if"(%p) ({
    %t = stablehlo.tanh %0 : tensor<4xf32>
    stablehlo.return %t : tensor<4xf32>
  }, {
    stablehlo.return %a : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  %2 = "stablehlo.case"(%i) ({
    %s = stablehlo.sine %1 : tensor<4xf32>
    stablehlo.return %s : tensor<4xf32>
  }, {
    stablehlo.return %1 : tensor<4xf32>
  }) : (tensor<i32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----
// Constants that are folded from a round of Threefry, (x + y) xor (y rotated), are marked, and so are
// those that are folded from them.
// CHECK-LABEL: func.func @main
// CHECK-NOT: zcc.drawn
// CHECK: %[[NUMBER:.*]] = stablehlo.constant {zcc.drawn} dense<57354> : tensor<i32>
// CHECK: %[[OTHER:.*]] = stablehlo.constant dense<37> : tensor<ui32>
// CHECK: stablehlo.select %arg0, %[[NUMBER]]
// CHECK: stablehlo.select %arg0, %[[OTHER]]
func.func @main(%a: tensor<i1>) -> (tensor<i32>, tensor<ui32>) {
  %x = stablehlo.constant dense<3> : tensor<ui32>
  %y = stablehlo.constant dense<7> : tensor<ui32>
  %by = stablehlo.constant dense<13> : tensor<ui32>
  %rest = stablehlo.constant dense<19> : tensor<ui32>
  %0:2 = "stablehlo.if"(%a) ({
    %sum = stablehlo.add %x, %y : tensor<ui32>
    %left = stablehlo.shift_left %y, %by : tensor<ui32>
    %right = stablehlo.shift_right_logical %y, %rest : tensor<ui32>
    %rotated = stablehlo.or %left, %right : tensor<ui32>
    %bits = stablehlo.xor %sum, %rotated : tensor<ui32>
    %number = stablehlo.convert %bits : (tensor<ui32>) -> tensor<i32>
    %other = stablehlo.xor %by, %rest : tensor<ui32>
    %last = stablehlo.add %other, %y : tensor<ui32>
    stablehlo.return %number, %last : tensor<i32>, tensor<ui32>
  }, {
    %number = stablehlo.convert %a : (tensor<i1>) -> tensor<i32>
    %last = stablehlo.convert %a : (tensor<i1>) -> tensor<ui32>
    stablehlo.return %number, %last : tensor<i32>, tensor<ui32>
  }) : (tensor<i1>) -> (tensor<i32>, tensor<ui32>)
  return %0#0, %0#1 : tensor<i32>, tensor<ui32>
}
