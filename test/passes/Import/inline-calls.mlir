// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls, also nested and in regions, and composites become the callee's ops; barriers go.
// RUN: zcc-opt %s --zcc-inline-calls | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK-NOT: call
// CHECK-NOT: optimization_barrier
// CHECK: stablehlo.maximum %{{.*}}, %{{.*}} {zcc.relu} : tensor<4xf32>
// CHECK: stablehlo.maximum %{{.*}}, %{{.*}} {zcc.relu} : tensor<4xf32>
// CHECK: stablehlo.minimum %{{.*}}, %{{.*}} {zcc.relu} : tensor<4xf32>
// CHECK: stablehlo.maximum %{{.*}}, %{{.*}} : tensor<4xf32>
// CHECK: stablehlo.while
// CHECK: stablehlo.sine
// CHECK: stablehlo.tanh
// CHECK-NOT: func.func
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @relu_3(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @relu6(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %other = call @relux(%1) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.optimization_barrier %other : tensor<4xf32>
  %3 = stablehlo.while(%x = %2) : tensor<4xf32>
  cond {
    %p = stablehlo.constant dense<false> : tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %y = func.call @outer(%x) : (tensor<4xf32>) -> tensor<4xf32>
    stablehlo.return %y : tensor<4xf32>
  }
  %4 = stablehlo.composite "my.tanh" %3 {decomposition = @inner_tanh} : (tensor<4xf32>) -> tensor<4xf32>
  return %4 : tensor<4xf32>
}
func.func private @relu_3(%a: tensor<4xf32>) -> tensor<4xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.broadcast_in_dim %z, dims = [] : (tensor<f32>) -> tensor<4xf32>
  %1 = stablehlo.maximum %a, %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func private @relu6(%a: tensor<4xf32>) -> tensor<4xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<4xf32>
  %1 = stablehlo.maximum %a, %z : tensor<4xf32>
  %six = stablehlo.constant dense<6.0> : tensor<4xf32>
  %2 = stablehlo.minimum %1, %six : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @relux(%a: tensor<4xf32>) -> tensor<4xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<4xf32>
  %1 = stablehlo.maximum %a, %z : tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func private @outer(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @inner(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @inner(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.sine %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @inner_tanh(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.tanh %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}
