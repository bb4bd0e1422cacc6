// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A value of the loss that the step changes is state of the step, without a gradient. Only a step with an update changes it.
// RUN: zcc-opt %s --zcc-differentiate --zcc-attach-optimizer=optimizer=sgd --zcc-verify-step | FileCheck %s
// RUN: zcc-opt %s --zcc-differentiate --zcc-attach-optimizer=optimizer=none --zcc-verify-step | FileCheck %s --check-prefix=NONE
// RUN: zcc-opt %s --zcc-differentiate=forward --zcc-attach-optimizer=optimizer=forward --zcc-verify-step | FileCheck %s --check-prefix=NONE
// The new value is not rounded, though others read it.
// RUN: zcc-opt %s --zcc-apply-precision=type=bf16 --zcc-differentiate --zcc-attach-optimizer='optimizer=sgd precision=bf16' --zcc-verify-step | FileCheck %s --check-prefix=BF16

// CHECK-LABEL: func.func @step
// CHECK-SAME: %arg0: tensor<4xf32> {zcc.kind = "parameter", zcc.parameter = "w"}, %arg1: tensor<4xf32> {zcc.initial = 0.000000e+00 : f64, zcc.kind = "slot", zcc.parameter = "w", zcc.slot = "moment1"}
// CHECK-SAME: %[[MEAN:arg2]]: tensor<4xf32> {zcc.kind = "variable", zcc.state = "mean"}, %[[X:arg3]]: tensor<4xf32> {zcc.input = "x"
// CHECK-SAME: -> (tensor<4xf32> {zcc.kind = "parameter", zcc.parameter = "w"}, tensor<4xf32> {zcc.initial = 0.000000e+00 : f64, zcc.kind = "slot", zcc.parameter = "w", zcc.slot = "moment1"}, tensor<4xf32> {zcc.kind = "variable", zcc.state = "mean"}, tensor<f32> {zcc.kind = "output", zcc.output = "loss"
// CHECK: %[[NEW:.*]] = train.add %{{.*}}, %{{.*}} {train.tag = "forward"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK: return %{{[^,]*}}, %{{[^,]*}}, %[[NEW]], %

// NONE-LABEL: func.func @step
// NONE-SAME: tensor<4xf32> {zcc.kind = "variable", zcc.state = "mean"}
// NONE-SAME: -> (tensor<f32> {zcc.kind = "output", zcc.output = "loss"

// BF16-LABEL: func.func @step
// BF16: %[[NEW:.*]] = train.add %{{.*}}, %{{.*}} {train.tag = "forward"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// BF16: return %{{.*}} %[[NEW]], %
func.func @loss(%w: tensor<4xf32> {zcc.parameter = "w"}, %mean: tensor<4xf32> {zcc.state = "mean"}, %x: tensor<4xf32> {zcc.input = "x"})
    -> (tensor<f32> {zcc.result = "loss"}, tensor<4xf32> {zcc.state = "mean"}) {
  %0 = train.multiply %w, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = train.add %0, %mean : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = train.multiply %1, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = train.multiply %1, %2 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %4 = train.reduce %3 {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<4xf32>) -> tensor<f32>
  return %4, %1 : tensor<f32>, tensor<4xf32>
}
