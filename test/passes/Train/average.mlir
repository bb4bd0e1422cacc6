// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// With a decay each parameter that is updated has its average beside it, in f32, which the update changes with it. A frozen
// parameter has none. Variables stand before averages.
// RUN: zcc-opt %s --zcc-differentiate=freeze=frozen --zcc-attach-optimizer='optimizer=sgd ema=0.75' --zcc-verify-step | FileCheck %s
// RUN: zcc-opt %s --zcc-apply-precision=type=bf16 --zcc-differentiate --zcc-attach-optimizer='optimizer=adamw precision=bf16 ema=0' --zcc-verify-step | FileCheck %s --check-prefix=BF16
// RUN: zcc-opt %s --zcc-differentiate --zcc-attach-optimizer='optimizer=none ema=0.75' --zcc-verify-step | FileCheck %s --check-prefix=NONE
// RUN: zcc-opt %s --zcc-differentiate=forward --zcc-attach-optimizer='optimizer=forward ema=0.75' --zcc-verify-step | FileCheck %s --check-prefix=NONE

// CHECK-LABEL: func.func @step
// CHECK-SAME: %[[W:arg0]]: tensor<4x4xf32> {zcc.kind = "parameter", zcc.parameter = "w"}, %arg1: tensor<4xf32> {zcc.kind = "parameter", zcc.parameter = "frozen"}
// CHECK-SAME: %[[M:arg2]]: tensor<4x4xf32> {zcc.initial = 0.000000e+00 : f64, zcc.kind = "slot", zcc.parameter = "w", zcc.slot = "moment1"}
// CHECK-SAME: %arg3: tensor<4xf32> {zcc.kind = "variable", zcc.state = "mean"}
// CHECK-SAME: %[[E:arg4]]: tensor<4x4xf32> {zcc.kind = "ema", zcc.parameter = "w"}, %arg5: tensor<4x4xf32> {zcc.input = "x"
// CHECK-SAME: -> (tensor<4x4xf32> {zcc.kind = "parameter", zcc.parameter = "w"}, tensor<4x4xf32> {zcc.initial = 0.000000e+00 : f64, zcc.kind = "slot", zcc.parameter = "w", zcc.slot = "moment1"}, tensor<4xf32> {zcc.kind = "variable", zcc.state = "mean"}, tensor<4x4xf32> {zcc.kind = "ema", zcc.parameter = "w"}, tensor<f32> {zcc.kind = "output"
// CHECK: %[[NEW:.*]], %[[MORE:.*]]:2 = train.update %[[W]], %[[M]], %[[E]], %{{.*}} {decay = true, ema = 7.500000e-01 : f64, optimizer = "sgd"
// CHECK-NOT: train.update
// CHECK: return %[[NEW]], %[[MORE]]#0, %{{[^,]*}}, %[[MORE]]#1, %

// BF16-LABEL: func.func @step
// BF16-SAME: %arg0: tensor<4x4xbf16> {zcc.kind = "parameter", zcc.parameter = "w"}
// BF16-SAME: %[[MASTER:arg2]]: tensor<4x4xf32> {zcc.kind = "master", zcc.parameter = "w"}
// BF16-SAME: %[[E:arg[0-9]+]]: tensor<4x4xf32> {zcc.kind = "ema", zcc.parameter = "w"}
// BF16: %[[NEW:.*]], %[[MORE:.*]]:4 = train.update %[[MASTER]], %{{[^,]*}}, %{{[^,]*}}, %[[E]], %{{.*}} {decay = true, ema = 0.000000e+00 : f64, optimizer = "adamw"{{.*}} -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xbf16>)
// BF16: return %[[MORE]]#3, %{{[^,]*}}, %[[NEW]], %[[MORE]]#0, %[[MORE]]#1, {{.*}}%[[MORE]]#2

// NONE-NOT: ema
func.func @loss(%w: tensor<4x4xf32> {zcc.parameter = "w"}, %f: tensor<4xf32> {zcc.parameter = "frozen"}, %mean: tensor<4xf32> {zcc.state = "mean"},
    %x: tensor<4x4xf32> {zcc.input = "x"}) -> (tensor<f32> {zcc.result = "loss"}, tensor<4xf32> {zcc.state = "mean"}) {
  %0 = train.dot_general %x, %w {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>}
    : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = train.broadcast_in_dim %f {dims = array<i64: 1>} : (tensor<4xf32>) -> tensor<4x4xf32>
  %2 = train.multiply %0, %1 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %3 = train.reduce %2 {dims = array<i64: 0, 1>, kind = #train<reduce_kind add>} : (tensor<4x4xf32>) -> tensor<f32>
  %4 = train.add %mean, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %3, %4 : tensor<f32>, tensor<4xf32>
}
